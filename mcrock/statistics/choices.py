"""How overturning depends on a choice that a study samples, as on the law of the impacts."""

from __future__ import annotations

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from mcrock.statistics.fragility import fit_fragility
from mcrock.statistics.intervals import expanded_tail
from mcrock.statistics.probability import BOUNDS
from mcrock.statistics.probit import Fit, fit_curves
from mcrock.statistics.resample import Units, collect_units, draw_units
from mcrock.statistics.runs import check_runs, record_index

LAW = "impact_law"
KEPT = ("median", "median_interval", "dispersion", "dispersion_interval", "curve", "band")
COUNTS = ("runs", "overturned", "undecided")


def has_laws(ds: xr.Dataset) -> bool:
    """Whether a study has runs of several laws of the impacts."""
    return LAW in ds and len(np.unique(ds[LAW].values)) > 1


def split_by_choice(ds: xr.Dataset, choice: str = LAW) -> dict[str, xr.Dataset]:
    """The realizations of each option of a choice, by its name.

    Raises
    ------
    ValueError
        If the dataset has no such choice.

    """
    if choice not in ds or ds[choice].dims != ("realization",) or "flag_values" not in ds[choice].attrs:
        raise ValueError(f"the dataset has no choice {choice!r} on realization, as {LAW!r} is one")
    codes, attrs = ds[choice].values, ds[choice].attrs
    words = dict(
        zip(np.atleast_1d(attrs["flag_values"]).tolist(), attrs["flag_meanings"].split(), strict=True)
    )
    return {words[code]: ds.isel(realization=codes == code) for code in np.unique(codes).tolist()}


def fragility_by_choice(
    ds: xr.Dataset,
    choice: str = LAW,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    cluster: bool = True,
    *,
    allow_missing: bool = False,
) -> xr.Dataset:
    """Fragility curve of each option of a choice, and how far its median is from that of all runs.

    Most of the uncertainty of a median is that of the recordings, and all options share them. The ratio of
    medians is therefore taken within each resample of the recordings, which leaves it out: it tells what the
    choice does, where the intervals of the medians overlap.

    Parameters
    ----------
    ds : Dataset
        As for `fit_fragility`, with a variable ``choice`` (realization) of codes.
    choice : str
        "impact_law" and the like.
    level, resamples, seed, cluster, allow_missing
        As for `fit_fragility`.

    Returns
    -------
    Dataset
        Along ``choice``, by name: `median`, `median_interval` (bound), `dispersion`, `dispersion_interval`,
        `curve` (intensity_grid), `band`, numbers of `runs`, `overturned`, `undecided` as in `fit_fragility`;
        `ratio` of the median over that of all runs and `ratio_interval` (bound) [1], percentiles of the
        resamples with undecided runs counted half, NaN where a curve has no median or an option did not
        meet every recording.

    Raises
    ------
    ValueError
        As `fit_fragility` and `split_by_choice`.
    """
    check_runs(ds)
    parts = split_by_choice(ds, choice)
    whole = fit_fragility(ds, level, resamples, seed, cluster, allow_missing=allow_missing)
    grid = whole["intensity_grid"].values
    options = {"grid": grid, "allow_missing": allow_missing}
    fits = [fit_fragility(part, level, resamples, seed, cluster, **options) for part in parts.values()]
    axis = xr.DataArray(list(parts), dims=choice, name=choice, attrs={"long_name": ds[choice].long_name})
    result = xr.concat([fit[[*KEPT, *COUNTS]] for fit in fits], axis, combine_attrs="override")
    result.attrs = {key: whole.attrs[key] for key in ("level", "resamples", "seed", "independent")}
    result["fit"] = (choice, [fit.attrs["fit"] for fit in fits])
    everything, *others = (
        _medians(part, record_index(ds)[1], resamples, seed, cluster, allow_missing)
        for part in (ds, *parts.values())
    )
    ratios = np.array([values / everything for values in others])
    tail = expanded_tail(level, int(whole["records"])) if cluster else 0.5 * (1.0 - level)
    defined = np.isfinite(ratios).all(axis=1)
    ends = np.full((2, len(ratios)), np.nan)
    if defined.any():
        ends[:, defined] = np.quantile(ratios[defined], [tail, 1.0 - tail], axis=1)
    point = result["median"].values / float(whole["median"])
    result["ratio"] = (
        choice,
        np.where(defined, point, np.nan),
        {"units": "1", "long_name": "median over that of all runs"},
    )
    result["ratio_interval"] = (("bound", choice), ends, {"units": "1"})
    return result.assign_coords(bound=list(BOUNDS))


def _medians(
    ds: xr.Dataset, records: int, resamples: int, seed: int, cluster: bool, allow_missing: bool
) -> NDArray:
    """Median of each resample (resamples,), the same recordings in the same resample whatever the part.

    NaN if the part has not met all ``records``: then its resamples are not those of the others.
    """
    record = record_index(ds)[0] if cluster else None
    units = collect_units(ds, record, allow_missing)
    if record is not None and units.number != records:
        return np.full(resamples, np.nan)
    drawn = [
        _fit(units, n, (sure + possible) / 2) for n, sure, possible in draw_units(units, resamples, seed)
    ]
    return np.concatenate(drawn)


def _fit(units: Units, runs: NDArray, yes: NDArray) -> NDArray:
    there = runs.any(axis=0)
    curves = fit_curves(units.intensity[there], yes[:, there], runs[:, there])
    known = (curves.kind == Fit.MAXIMUM) | (curves.kind == Fit.SEPARATED)
    return np.where(known, np.sqrt(curves.low_median * curves.high_median), np.nan)
