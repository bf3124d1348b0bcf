"""One study, several fragility curves: effect of the fitting method on the result."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import numpy as np
import xarray as xr

from mcrock.dataset.opened import takes_path
from mcrock.statistics.accepted_curve import ACCEPTED, WHY
from mcrock.statistics.cross_validation import (
    Rule,
    add_log_losses,
    by_logit,
    by_probit,
    by_rising,
    held_out,
    record_units,
)
from mcrock.statistics.fragility import HOW, PROBABILITIES, fit_fragility
from mcrock.statistics.inference import Bootstrap, BootstrapKeywords, takes
from mcrock.statistics.monotone import monotone_fragility
from mcrock.statistics.nested import pooled
from mcrock.statistics.plateau import by_plateau, fit_plateau, plateau_bounds
from mcrock.statistics.probability import BOUNDS
from mcrock.statistics.probit import FitKind, evaluate_curves, link_of
from mcrock.statistics.resample import Units

WORDS = {
    "probit": "lognormal, of the runs",
    "logit": "log-logistic, of the runs",
    "plateau": "lognormal to a plateau",
    "monotone": "rising fractions",
}
NAMES = ("median_capacity", "dispersion")
RULES: dict[str, Rule] = {  # of the families that are scored on records left out
    "probit": by_probit,
    "logit": by_logit,
    "plateau": by_plateau,
    "monotone": by_rising,
}


@takes_path
@takes(Bootstrap)
def fragility_by_way(
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
        Along `way`, the method: "probit" and "logit" by `fit_fragility`, "plateau" by
        `mcrock.statistics.plateau.fit_plateau`, whose upper asymptote is `share` [1], with `share_interval`
        (bound) and `plateau_interval` (bound, probability) of where it reaches 1, 5 and 50 %, "monotone" by
        `monotone_fragility`.
        `median_capacity` [unit of the intensity] and `dispersion` [1] with their intervals (bound), NaN for
        the monotone curve; `curve` [1] and `extrapolated` (intensity_grid); `band` (bound, intensity_grid)
        [1]; `reached` (probability) [unit of the intensity], the intensity at which
        the curve reaches 1, 5 and 50 %, and `reached_below` (probability), whether that lies below all
        levels, as of `monotone_fragility`; `log_loss` on records left out, per run, NaN without a curve, and
        by how much it is more than the least, `log_loss_difference` with its interval (bound);
        `fit_p_value` of `fit_fragility`; `static_threshold` (bound) of `monotone_fragility`.

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
    monotone = monotone_fragility(ds, grid=grid, folder=folder, **how.keywords)
    fits["monotone"] = monotone
    parts = []
    for fit in fits.values():
        part = xr.Dataset(coords={"bound": BOUNDS, "intensity_grid": whole["intensity_grid"]})
        for name in NAMES:
            part[name] = fit[name] if name in fit else xr.full_like(whole[name], np.nan)
            interval = f"{name}_interval"
            part[interval] = fit[interval] if interval in fit else xr.full_like(whole[interval], np.nan)
        part["curve"] = fit["curve"]
        part["extrapolated"] = whole["extrapolated"]
        part["band"] = fit["band"] if "band" in fit else xr.full_like(whole["band"], np.nan)
        part["reached"] = ("probability", _reached(fit))
        below = fit["reached_below"].values if "reached_below" in fit else np.zeros(len(PROBABILITIES), bool)
        part["share"] = fit["share"] if "share" in fit else xr.DataArray(np.nan if "reached" in fit else 1.0)
        part["reached_below"] = ("probability", below)
        part["fit"] = fit.attrs.get("fit", "")
        parts.append(part)
    axis = xr.DataArray(list(fits), dims="way", name="way")
    result = xr.concat(parts, axis, combine_attrs="override", join="override")
    result["reached"].attrs = {"units": whole["median_capacity"].attrs["units"]}
    result["share"].attrs = {"units": "1", "long_name": "upper asymptote of the curve"}
    ends = plateau_bounds(units, how, np.array(PROBABILITIES))
    known = np.isfinite(result["share"].sel(way="plateau").values)
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
    x, yes, runs = units.sums()
    share, curves = fit_plateau(x, yes[None], runs[None])
    known = bool(curves.kind[0] == FitKind.MAXIMUM)
    values = (curves.low_median[0], curves.low_dispersion[0], share[0]) if known else (np.nan,) * 3
    found = xr.Dataset({name: ((), value) for name, value in zip((*NAMES, "share"), values, strict=True)})
    found.attrs["link"] = "probit"
    curve = share[0] * evaluate_curves(curves, grid)[0][0] if known else np.full(len(grid), np.nan)
    return found.assign(curve=("intensity_grid", curve))


def _add_losses(result: xr.Dataset, units: Units, level: float) -> None:
    """Log loss on records left out of the families that have a rule."""
    losses = np.stack([held_out(units, RULES[way]).log_loss for way in result["way"].values.tolist()])
    losses[result["curve"].isnull().all("intensity_grid").values] = np.nan  # of no curve that is shown
    best = int(np.nan_to_num(losses.sum(axis=1), nan=np.inf).argmin())
    add_log_losses(result, "way", losses, units.runs.sum(axis=1), level, best)
    for name in ("log_loss_interval", "log_loss_difference_interval"):  # as the other intervals stand
        result[name] = result[name].transpose("way", "bound")


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
