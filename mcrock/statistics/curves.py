"""Fragility curves of the same runs by several fitting methods, limit states or options of a choice.

`isotonic_fragility` is the curve without a formula, with the intensities below which nothing rocks.
`fragility_by_method` puts it beside curves by maximum likelihood, `fragility_by_limit` fits uplift, tilts,
slip, displacement and overturning, and `fragility_by_choice` compares options of a sampled choice, such as
the impact law, within resamples of the recordings that these share.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Unpack

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from mcrock.base.checks import shared_keywords
from mcrock.base.estimates import Term
from mcrock.base.params import Outcome
from mcrock.dataset.opened import accepts_path
from mcrock.statistics.accepted_curve import ACCEPTED, FAMILIES, WHY, choice_of_all, rising_band
from mcrock.statistics.fragility import HOW, PROBABILITIES, fit_fragility, side_by_side
from mcrock.statistics.goodness import (
    Rule,
    add_log_losses,
    by_isotonic,
    by_logit,
    by_plateau,
    by_probit,
    held_out,
    record_units,
)
from mcrock.statistics.intervals import (
    Bootstrap,
    BootstrapKeywords,
    Confidence,
    ConfidenceKeywords,
    expanded_tail,
    table,
)
from mcrock.statistics.likelihood import fit_curves, fit_plateau, link_of, plateau_curve
from mcrock.statistics.measures import static_thresholds
from mcrock.statistics.outcomes import SLIP, TILT
from mcrock.statistics.probability import (
    EVENT,
    by_limit,
    displacement_limit,
    overturning_probability,
    pooled,
    response,
    rising_bounds,
)
from mcrock.statistics.rates import isotonic_curve
from mcrock.statistics.resampling import (
    Units,
    collect_units,
    curve_grid,
    draw_units,
    plateau_bounds,
    plateau_share,
    split_units,
)
from mcrock.statistics.runs import ESTIMATE, axis_attrs, check_runs, record_index


@accepts_path
@shared_keywords(Confidence)
def isotonic_fragility(
    ds: xr.Dataset,
    *,
    grid: ArrayLike | None = None,
    folder: str | Path = ".",
    **keywords: Unpack[ConfidenceKeywords],
) -> xr.Dataset:
    """Fragility that rises through the fractions of the levels, with the static thresholds.

    It is the curve behind every number by the fractions (`mcrock.statistics.rates.IsotonicCurve`): isotonic
    fractions of the levels, probit-linear in ln(intensity) between them, 0 below the weakest.

    Parameters
    ----------
    ds : Dataset
        As for `fit_fragility`; the runs of a nested study are pooled.
    grid : array_like, optional
        Rising intensities of the curve, in the unit of the intensity; by default as for `fit_fragility`.
    folder : str or Path
        Folder that the names of record files start from.
    **keywords
        Of `mcrock.statistics.Confidence`: `level`, `cluster` and `allow_missing`.

    Returns
    -------
    Dataset
        `curve` (intensity_grid) [1]; `band` (bound, intensity_grid) [1], the envelope of all rising curves
        through the intervals of `overturning_probability`, which are for new earthquakes; `level_fraction`
        and `isotonic_fraction` (intensity) [1], as counted and made rising (in a cloud study at its cells);
        `static_threshold` (bound) [unit of the intensity], the least and the largest of the realizations, NaN
        if not known; `reached` (probability) [unit of the intensity], where the curve has 1, 5 and 50 %, inf
        where it has not, and `reached_below` (probability), whether the weakest level has more already, so
        that the true intensity lies below it.

    Raises
    ------
    ValueError
        As `fit_fragility`.
    ConfigError
        If the records cannot be read.
    """
    how = Confidence(**keywords)
    ds = pooled(ds)
    check_runs(ds)
    record, records = record_index(ds)
    units = collect_units(ds, record if how.cluster else None, how.allow_missing)
    curve = isotonic_curve(units)
    static = None if EVENT in ds.attrs else static_thresholds(ds, folder=folder)
    at = curve_grid(units, grid)
    value = curve.at(at)
    points = overturning_probability(ds, **how.keywords)
    band = rising_band(rising_bounds(points, at), value)
    axis = axis_attrs(ds)
    ends = [np.nan, np.nan] if static is None else [static.min(), static.max()]
    one = {"units": "1"}
    return table(
        {
            "curve": ("intensity_grid", value),
            "band": (("bound", "intensity_grid"), band),
            "level_fraction": ("intensity", curve.counted),
            "isotonic_fraction": ("intensity", curve.fraction),
            "reached": ("probability", [curve.reached(p) for p in PROBABILITIES], axis),
            "reached_below": ("probability", [curve.is_open(p) for p in PROBABILITIES]),
            "static_threshold": ("bound", ends, axis | {"long_name": "intensity below which nothing rocks"}),
            "records": ((), records),
        },
        coords={
            "intensity_grid": ("intensity_grid", at, axis),
            "intensity": curve.level,
            "probability": ("probability", list(PROBABILITIES), one),
        },
        attrs=how.attrs(record),
    )


WORDS = {
    "probit": "lognormal, of the runs",
    "logit": "log-logistic, of the runs",
    "plateau": "lognormal to a plateau",
    "monotone": Term.FRACTIONS.value,
}
NAMES = ("median_capacity", "dispersion")
INTERVALS = ("median_capacity_interval", "dispersion_interval")
RULES: dict[str, Rule] = {  # of the families that are scored on records left out
    "probit": by_probit,
    "logit": by_logit,
    "plateau": by_plateau,
    "monotone": by_isotonic,
}


@accepts_path
@shared_keywords(Bootstrap)
def fragility_by_method(
    ds: xr.Dataset, *, folder: str | Path = ".", **keywords: Unpack[BootstrapKeywords]
) -> xr.Dataset:
    """Fragility of the same runs by several fitting methods.

    Where the methods agree, the runs determine the result; where they differ, as in the lower tail, it
    depends on the method.

    Parameters
    ----------
    ds : Dataset
        As for `fit_fragility`; the runs of a nested study are pooled.
    folder : str or Path
        Folder that the names of record files start from, for the static thresholds.
    **keywords
        As for `fit_fragility`.

    Returns
    -------
    Dataset
        Along `fitting_method`: "probit" and "logit" by `fit_fragility`, "plateau" by
        `mcrock.statistics.likelihood.fit_plateau`, whose upper asymptote is `share` [1], with
        `share_interval` (bound) and `plateau_interval` (bound, probability) of where it reaches 1, 5 and
        50 %, "monotone" by `isotonic_fragility`.
        `median_capacity` [unit of the intensity] and `dispersion` [1] with their intervals (bound), NaN for
        the monotone curve; `curve` [1] and `extrapolated` (intensity_grid); `band` (bound, intensity_grid)
        [1]; `reached` (probability) [unit of the intensity], the intensity at which
        the curve reaches 1, 5 and 50 %, and `reached_below` (probability), whether that lies below all
        levels, as of `isotonic_fragility`; `log_loss` on records left out, per run, NaN without a curve, and
        by how much it is more than the least, `log_loss_difference` with its interval (bound);
        `fit_p_value` of `fit_fragility`; `static_threshold` (bound) of `isotonic_fragility`.

    Raises
    ------
    ValueError
        As `fit_fragility`.
    ConfigError
        If the records cannot be read.
    """
    how = Bootstrap(**keywords)
    ds = pooled(ds)
    fits = {link: fit_fragility(ds, link=link, **keywords) for link in ("probit", "logit")}
    whole = fits["probit"]
    grid = whole["intensity_grid"].values
    units = record_units(ds, how.allow_missing)
    fits["plateau"] = _plateau(units, grid).assign_attrs(fit=whole.attrs["fit"])
    monotone = isotonic_fragility(ds, grid=grid, folder=folder, **how.keywords)
    fits["monotone"] = monotone
    unknown = xr.full_like(whole[[*NAMES, *INTERVALS, "band"]], np.nan)
    unknown["reached_below"] = ("probability", np.zeros(len(PROBABILITIES), bool))
    parts = [
        unknown.assign({name: fit[name] for name in unknown.data_vars if name in fit}).assign(
            curve=fit["curve"],
            extrapolated=whole["extrapolated"],
            reached=("probability", _reached(fit)),
            share=fit.get("share", np.nan if "reached" in fit else 1.0),
            fit=fit.attrs.get("fit", ""),
        )
        for fit in fits.values()
    ]
    axis = xr.DataArray(list(fits), dims="fitting_method", name="fitting_method")
    result = xr.concat(parts, axis, combine_attrs="override", join="override")
    result["reached"].attrs = {"units": whole["median_capacity"].attrs["units"], "below": "reached_below"}
    result["share"].attrs = {"units": "1", "long_name": "upper asymptote of the curve"}
    ends = plateau_bounds(units, how, np.array(PROBABILITIES))
    known = np.isfinite(result["share"].sel(fitting_method="plateau").values)
    share, reached = (np.where(known, part, np.nan) for part in (ends[:, 0], ends[:, 1:]))
    result["share_interval"] = ("bound", share, {"units": "1"})
    result["plateau_interval"] = (("bound", "probability"), reached, result["reached"].attrs)
    _add_losses(result, units, how.level)
    result["fit_p_value"] = whole["fit_p_value"]
    result["static_threshold"] = monotone["static_threshold"]
    result["records"] = whole["records"]
    result.attrs = {key: whole.attrs[key] for key in (*HOW, ACCEPTED, WHY)}
    return result.assign_coords(probability=("probability", list(PROBABILITIES), {"units": "1"}))


def _plateau(units: Units, grid: np.ndarray) -> xr.Dataset:
    """The curve with an upper asymptote, as a fit of its own."""
    found = fit_plateau(*units.sample())
    values = {name: ((), value) for name, value in zip(("share", *NAMES), found[0], strict=True)}
    curve = ("intensity_grid", plateau_curve(found, grid)[0])
    return xr.Dataset(values | {"curve": curve}, attrs={"link": "probit"})


def _add_losses(result: xr.Dataset, units: Units, level: float) -> None:
    """Log loss on records left out of the families that have a rule."""
    losses = np.stack(
        [held_out(units, RULES[method]).log_loss for method in result["fitting_method"].values.tolist()]
    )
    losses[result["curve"].isnull().all("intensity_grid").values] = np.nan  # of no curve that is shown
    best = int(np.nan_to_num(losses.sum(axis=1), nan=np.inf).argmin())
    add_log_losses(result, "fitting_method", losses, units.runs.sum(axis=1), level, best)
    for name in ("log_loss_interval", "log_loss_difference_interval"):  # as the other intervals stand
        result[name] = result[name].transpose("fitting_method", "bound")


def _reached(fit: xr.Dataset) -> np.ndarray:
    """Intensities at which a curve reaches `PROBABILITIES`."""
    if "reached" in fit:
        return fit["reached"].values
    link = link_of(fit.attrs["link"])
    scale = float(fit["dispersion"]) / link.deviation
    wanted = np.array(PROBABILITIES) / (float(fit["share"]) if "share" in fit else 1.0)
    with np.errstate(invalid="ignore"):
        score = np.where(wanted < 1, link.quantile(np.minimum(wanted, 1.0)), np.inf)
    return float(fit["median_capacity"]) * np.exp(scale * score)


UPLIFT, OVERTURNED = "uplift", "overturned"
RATIOS = (0.1, 0.5)  # of the tilt over the slenderness [1]
DISPLACEMENT = 0.1  # of the base [m]


class Limit(NamedTuple):
    """A limit of a response; "" stands for overturning."""

    name: str
    variable: str = ""
    value: float = np.nan


def usual_limits(ds: xr.Dataset) -> list[Limit]:
    """Limits that a study can be judged by, from the mildest on.

    Uplift, a tenth and a half of the slenderness, overturning; with friction a slip path of 1 mm and a
    displacement of the base of 0.1 m, or that of the study.
    """
    found = [Limit(UPLIFT, "peak_tilt", TILT)] if "peak_tilt" in ds else []
    if "peak_tilt_ratio" in ds:
        found += [_limit("peak_tilt_ratio", ratio) for ratio in RATIOS]
    if "slip_path" in ds:
        found.append(_limit("slip_path", SLIP))
    if "peak_displacement" in ds:
        found.append(_limit("peak_displacement", displacement_limit(ds) or DISPLACEMENT))
    return [*found, Limit(ds.attrs.get(EVENT, OVERTURNED))]


def _limit(variable: str, value: float) -> Limit:
    return Limit(f"{variable} > {value:g}", variable, value)


@accepts_path
@shared_keywords(Bootstrap)
def fragility_by_limit(
    ds: xr.Dataset, limits: Sequence[tuple[str, float]] | None = None, **keywords: Unpack[BootstrapKeywords]
) -> xr.Dataset:
    """Fragility curve of each of several limit states.

    A run that overturned is beyond every limit. Curves are fitted one by one: where exceeding one limit
    implies exceeding another the fractions are in order, but the curves may cross in their tails. All use the
    same resamples.

    Parameters
    ----------
    ds : Dataset
        As for `fit_fragility`; the runs of a nested study are pooled.
    limits : sequence of (str, float), optional
        Responses and their limits, in the unit of the response, as for `by_limit`; by default those of
        `usual_limits`. Overturning is always the last.
    **keywords
        As for `fit_fragility`.

    Returns
    -------
    Dataset
        Along `limit`, its name: `variable` and `value`, with `value_units` as text; `median_capacity`,
        `median_capacity_interval` (bound), `dispersion`, `dispersion_interval`, `curve` and `extrapolated`
        (intensity_grid), `band`, numbers of `runs`, `overturned` (beyond the limit) and `undecided`, as in
        `fit_fragility`, with the curve that each goes by: its `accepted_family` and `why`, `fit_p_value`,
        `accepted_reached` and the like. `share` [1] that can ever be beyond the limit, by the lognormal curve
        to a plateau, with `share_interval` (bound).

    Raises
    ------
    ValueError
        As `by_limit` and `fit_fragility`.
    """
    ds = pooled(ds)
    chosen = usual_limits(ds)
    if limits is not None:
        chosen = [*(_limit(variable, value) for variable, value in limits), chosen[-1]]
    whole = fit_fragility(ds, **keywords)
    grid = whole["intensity_grid"].values
    fits, shares, how = [], [], Bootstrap(**keywords)
    record, one = record_index(ds)[0] if how.cluster else None, ds.isel(realization=slice(0, 1))
    for _, variable, value in chosen:
        judged = by_limit(ds, variable, value) if variable else ds
        fits.append(fit_fragility(judged, grid=grid, **keywords) if variable else whole)
        shares.append(plateau_share(collect_units(judged, record, how.allow_missing), how))
    names, variables, values = zip(*chosen, strict=True)
    units = [response(one, variable).attrs["units"] if variable else "1" for variable in variables]
    share, *ends = np.transpose(shares)
    return side_by_side("limit", names, fits).assign(
        share=("limit", share, {"units": "1"}),
        share_interval=(("bound", "limit"), ends, {"units": "1"}),
        variable=("limit", list(variables)),
        value=("limit", list(values)),
        value_units=("limit", units),
        records=whole["records"],
    )


def limit_words(one: xr.Dataset) -> str:
    """A limit, one of a result of `fragility_by_limit`, in words."""
    name, variable = str(one["limit"].item()), str(one["variable"].item())
    if " > " not in name:
        return name
    unit = str(one["value_units"].item()).replace("1", "")
    return f"{variable.replace('_', ' ')} over {float(one['value']):g} {unit}".strip()


LAW = "impact_law"


def has_laws(ds: xr.Dataset) -> bool:
    """True if a study has runs of several impact laws."""
    return LAW in ds and len(_options(_codes(ds, LAW))) > 1


def _codes(ds: xr.Dataset, choice: str) -> np.ndarray:
    """Code of each realization, -1 of those without a run, whose code is not known."""
    codes: np.ndarray = ds[choice].values
    if (codes == codes[:1]).all():
        return codes
    there = (ds["outcome"] != Outcome.NOT_RUN).any(set(ds["outcome"].dims) - set(ds[choice].dims))
    return np.where(there.values, codes, -1)


def _options(codes: np.ndarray) -> np.ndarray:
    return np.unique(codes[codes >= 0])


@accepts_path
def split_by_choice(ds: xr.Dataset, choice: str = LAW) -> dict[str, xr.Dataset]:
    """Split a study by a choice that varies between its realizations, such as the impact law.

    Parameters
    ----------
    ds : Dataset
        With a variable ``choice`` (realization) of codes, named by its `flag_values` and `flag_meanings`.
    choice : str
        "impact_law" and the like.

    Returns
    -------
    dict of str to Dataset
        The realizations of each option that occurs, by the name of the option.

    Raises
    ------
    ValueError
        If the dataset has no such choice.
    """
    if choice not in ds or ds[choice].dims != ("realization",) or "flag_values" not in ds[choice].attrs:
        raise ValueError(f"the dataset has no choice {choice!r} on realization, as {LAW!r} is one")
    codes, attrs = _codes(ds, choice), ds[choice].attrs
    words = dict(
        zip(np.atleast_1d(attrs["flag_values"]).tolist(), attrs["flag_meanings"].split(), strict=True)
    )
    return {words[code]: ds.isel(realization=codes == code) for code in _options(codes).tolist()}


@accepts_path
@shared_keywords(Bootstrap)
def fragility_by_choice(
    ds: xr.Dataset, choice: str = LAW, **keywords: Unpack[BootstrapKeywords]
) -> xr.Dataset:
    """Fragility curve of each option of a choice, and the ratio of its median to that of all runs.

    Most of the sampling error of a median comes from the recordings, which all options share. The ratio of
    medians is computed within each resample of the recordings, where this error cancels: it shows the effect
    of the choice even where the intervals of the medians overlap. Without recordings, realizations are
    resampled together with their options.

    Parameters
    ----------
    ds : Dataset
        As for `fit_fragility`, with a variable ``choice`` (realization) of codes.
    choice : str
        "impact_law" and the like.
    **keywords
        As for `fit_fragility`.

    Returns
    -------
    Dataset
        Along ``choice``, by name: `median_capacity`, `median_capacity_interval` (bound), `dispersion`,
        `dispersion_interval`, `curve` and `extrapolated` (intensity_grid), `band`, numbers of `runs`,
        `overturned` and `undecided`, as in `fit_fragility`. `ratio` [1], the median over that of all runs, by
        the curve that all of these accept, else the empirical fractions, as the attributes `accepted_family`
        and `why` tell; and `ratio_interval` (bound) [1], percentiles of the resamples: the union of those
        with all undecided runs survived, with all overturned, and as in the estimate; NaN where a resample
        has no median or there are too few recordings for the level (fewer than six for 0.95).

    Raises
    ------
    ValueError
        As `fit_fragility` and `split_by_choice`.
    """
    how = Bootstrap(**keywords)
    check_runs(ds)
    parts = split_by_choice(ds, choice)
    whole = fit_fragility(ds, **keywords)
    grid = whole["intensity_grid"].values
    fits = {name: fit_fragility(part, grid=grid, **keywords) for name, part in parts.items()}
    result = side_by_side(choice, list(fits), fits.values(), long_name=ds[choice].long_name)
    common = choice_of_all({"all": whole} | fits)
    result.attrs |= common.attrs
    codes = _codes(ds, choice)
    options = np.searchsorted(_options(codes), codes)  # any for those without a run
    units = split_units(ds, options, record_index(ds)[0] if how.cluster else None, how.allow_missing)
    ends = _ratio_bounds(units, how, common.family)
    medians = [whole["median_capacity"].values, *result["median_capacity"].values]
    if common.family != "lognormal":
        every = [_joint(units), *units]
        medians = [_fit(one, one.overturned[ESTIMATE], one.copies[None], common.family)[0] for one in every]
    result["ratio"] = (
        choice,
        np.array(medians[1:]) / medians[0],
        {"units": "1", "long_name": "median over that of all runs"},
    )
    result["ratio_interval"] = (("bound", choice), ends, {"units": "1"})
    return result


def _joint(units: list[Units]) -> Units:
    """All options together."""
    runs, overturned = (sum(getattr(option, name) for option in units) for name in ("runs", "overturned"))
    return units[0]._replace(runs=runs, overturned=overturned)


def _ratio_bounds(units: list[Units], how: Bootstrap, family: str) -> np.ndarray:
    """Percentiles (2, n_option) of the ratios of medians over resamples of the whole study.

    NaN where there are too few units to reach the level, as in `fit_fragility`, or where resamples leave a
    curve without a median.
    """
    number = units[0].number
    ends = np.full((2, len(units)), np.nan)
    if not how.reaches_level(number):
        return ends
    whole = _medians(_joint(units), how, family)
    tail = expanded_tail(how.level, number)
    for k, option in enumerate(units):
        ratio = _medians(option, how, family) / whole
        if np.isfinite(ratio).all():
            low, high = np.quantile(ratio, [tail, 1.0 - tail], axis=1)
            ends[:, k] = low.min(), high.max()
    return ends


def _medians(units: Units, how: Bootstrap, family: str) -> np.ndarray:
    """Medians (3, resamples) with the undecided runs as survived, as overturned, and as in the estimate."""
    drawn = list(draw_units(units, how))
    return np.stack(
        [
            np.concatenate([_fit(units, reading, times, family) for times in drawn])
            for reading in units.overturned
        ]
    )


def _fit(units: Units, reading: np.ndarray, times: np.ndarray, family: str) -> np.ndarray:
    """Median of each of some resamples; NaN where there is none."""
    runs, overturned, medians = times @ units.runs, times @ reading, np.full(len(times), np.nan)
    some, there = np.flatnonzero(runs.any(axis=1)), runs.any(axis=0)
    if family == "lognormal":
        curves = fit_curves(units.intensity[there], overturned[some][:, there], runs[some][:, there])
        medians[some] = curves.median
        return medians
    for k in some:
        there = runs[k] > 0
        counts = units.intensity[there], overturned[k, there], runs[k, there]
        medians[k] = FAMILIES[family].fit(*counts, units.number).reached(0.5)
    return np.where(np.isinf(medians), np.nan, medians)
