"""Fragility by a sampled choice, such as the impact law."""

from __future__ import annotations

from typing import Unpack

import numpy as np
import xarray as xr

from mcrock.base.params import Outcome
from mcrock.dataset.opened import takes_path
from mcrock.statistics.accepted_curve import FAMILIES, choice_of, common_choice
from mcrock.statistics.fragility import fit_fragility, side_by_side
from mcrock.statistics.inference import Bootstrap, BootstrapKeywords, takes
from mcrock.statistics.intervals import expanded_tail
from mcrock.statistics.probability import BOUNDS
from mcrock.statistics.probit import FitKind, fit_curves
from mcrock.statistics.resample import Units, draw_units, split_units
from mcrock.statistics.runs import ESTIMATE, check_runs, record_index

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


@takes_path
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


@takes_path
@takes(Bootstrap)
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
        the curve that all of these accept, else the rising fractions, of which the attributes `headline` and
        `why` tell; and `ratio_interval` (bound) [1], percentiles of the resamples: the union of those with
        all undecided runs survived, with all overturned, and as in the estimate; NaN where a resample has no
        median or there are too few recordings for the level (fewer than six for 0.95).

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
    fits = [fit_fragility(part, grid=grid, **keywords) for part in parts.values()]
    axis = xr.DataArray(list(parts), dims=choice, name=choice, attrs={"long_name": ds[choice].long_name})
    result = side_by_side(fits, axis)
    result["fit"] = (choice, [fit.attrs["fit"] for fit in fits])
    pairs = zip(("all", *parts), (whole, *fits), strict=True)
    known = {name: choice_of(fit) for name, fit in pairs if np.isfinite(fit["median_capacity"])}
    common = common_choice(list(known.values()), list(known))
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
    return result.assign_coords(bound=list(BOUNDS))


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
        known = (curves.kind == FitKind.MAXIMUM) | (curves.kind == FitKind.SEPARATED)
        medians[some[known]] = np.sqrt(curves.low_median[known] * curves.high_median[known])
        return medians
    for k in some:
        there = runs[k] > 0
        counts = units.intensity[there], overturned[k, there], runs[k, there]
        medians[k] = FAMILIES[family].fit(*counts, units.number).reached(0.5)
    return np.where(np.isinf(medians), np.nan, medians)
