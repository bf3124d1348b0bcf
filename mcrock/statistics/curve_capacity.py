"""Reading a fragility curve: the intensity at which a fraction overturns, with its interval and support."""

from __future__ import annotations

import warnings

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from mcrock.statistics.accepted_curve import ACCEPTED, FAMILIES, choice_of, goes_without
from mcrock.statistics.limits import EVENT
from mcrock.statistics.probability import BOUNDS
from mcrock.statistics.probit import PROBIT, link_of


def capacity_at(fit: xr.Dataset, probability: ArrayLike) -> xr.Dataset:
    """Intensity at which the curve reaches a probability, with its interval.

    The lower tail of a lognormal curve is an assumption: bodies do not overturn below the acceleration that
    starts rocking, where every such curve is above 0. A warning says where nothing that was run supports
    what is read.

    Parameters
    ----------
    fit : Dataset
        From `fit_fragility`.
    probability : array_like
        One probability or several, inside (0, 1) [1].

    Returns
    -------
    Dataset
        `capacity` [unit of the intensity], NaN where there is no curve; `capacity_interval` (bound), between
        the values of the grid of the fit that its band excludes, or 0 and inf; `extrapolated`, whether no
        run supports the capacity. Along `probability` if several are given.

    Raises
    ------
    ValueError
        If a probability is outside (0, 1).

    Warns
    -----
    UserWarning
        If a capacity is below the weakest intensity at which a run overturned, or above the strongest; if the
        study goes by another curve (`mcrock.statistics.accepted_curve`).
    """
    wanted = np.atleast_1d(np.asarray(probability, float))
    if wanted.ndim > 1 or not ((wanted > 0) & (wanted < 1)).all():
        raise ValueError(f"probability must lie in (0, 1) [1], got {probability!r}")
    link = link_of(fit.attrs.get("link", PROBIT.name))
    scale = float(fit["dispersion"]) / link.deviation
    capacity = float(fit["median_capacity"]) * np.exp(scale * link.quantile(wanted))
    if link is PROBIT and ACCEPTED in fit.attrs and goes_without(fit):
        words = choice_of(fit)
        warnings.warn(f"{words.words}: the study goes by {FAMILIES[words.family].words}", stacklevel=2)
    grid, (low, high) = fit["intensity_grid"].values, fit["band"].values
    interval = [
        np.where(high < wanted[:, None], grid, 0.0).max(axis=1),
        np.where(low >= wanted[:, None], grid, np.inf).min(axis=1),
    ]
    weakest, strongest = float(fit["weakest_overturning"]), float(fit["strongest_run"])
    outside = ~((weakest <= capacity) & (capacity <= strongest))
    unit = fit["median_capacity"].attrs["units"]
    for p, x in zip(wanted[outside], capacity[outside], strict=True):
        if np.isnan(x):
            continue
        warnings.warn(f"the curve reaches {p:g} at {x:.4g} {unit}, {_why(fit, x)}", stacklevel=2)
    attrs = {"units": unit, "long_name": "intensity at which the fraction overturns"}
    result = xr.Dataset(
        {
            "capacity": ("probability", capacity, attrs),
            "capacity_interval": (("bound", "probability"), np.stack(interval), {"units": unit}),
            "extrapolated": ("probability", outside, {"long_name": "whether no run supports the capacity"}),
        },
        coords={"probability": ("probability", wanted, {"units": "1"}), "bound": BOUNDS},
    )
    return result.isel(probability=0) if np.ndim(probability) == 0 else result


def _why(fit: xr.Dataset, x: float) -> str:
    """Reason why no run supports an intensity."""
    unit = fit["median_capacity"].attrs["units"]
    weakest, strongest = (float(fit[name]) for name in ("weakest_overturning", "strongest_run"))
    if x > strongest:
        return f"beyond the strongest run, {strongest:.4g} {unit}: an extrapolation"
    verb = "was beyond the limit" if EVENT in fit.attrs else "overturned"
    return (
        f"below {weakest:.4g} {unit}, the weakest intensity at which a run {verb}: an extrapolation, which "
        f"expects {float(fit['expected_below']):.2g} among the {int(fit['runs_below'])} runs there, and "
        "there were none"
    )
