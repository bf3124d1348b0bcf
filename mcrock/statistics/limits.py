"""Limits of responses, and which runs are beyond them; responses that are derived after the run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import xarray as xr

from mcrock.base.checks import Number
from mcrock.base.params import DECIDED, Outcome
from mcrock.dataset import SCHEMA, schema
from mcrock.dataset.opened import takes_path
from mcrock.statistics.runs import GUESSED, Passed, check_runs, config_of, guessed, in_slices, undecided

EVENT = schema.EVENT
TILTS = ("peak_tilt", "peak_tilt_ratio")  # above 0 from the first rocking on
OF_SUPPORT = "displacement_limit"  # attribute of a dataset that is judged by another limit than its study's


class Residual(NamedTuple):
    """A response at the end of a run, computed from stored ones."""

    sources: tuple[str, ...]
    compute: Callable[..., np.ndarray]
    units: str
    long_name: str


RESIDUALS = {
    "residual_displacement": Residual(
        ("final_displacement_x", "final_displacement_y"), np.hypot, "m", "residual displacement of the base"
    ),
    "residual_yaw": Residual(("final_yaw",), np.abs, "rad", "residual rotation about the vertical"),
}


def sources(ds: xr.Dataset, variable: str) -> tuple[str, ...]:
    """Stored variables that a response is computed from: itself, or those of a residual.

    Raises
    ------
    ValueError
        If the dataset does not have them for every run.
    """
    names = RESIDUALS[variable].sources if variable in RESIDUALS else (variable,)
    for name in names:
        if name not in ds or "outcome" not in ds or set(ds[name].dims) != set(ds["outcome"].dims):
            raise ValueError(f"the dataset has no variable {name!r} on the dims of `outcome`")
    return names


def response(ds: xr.Dataset, variable: str) -> xr.DataArray:
    """A response of every run, stored or residual, with units and name."""
    names = sources(ds, variable)
    if variable not in RESIDUALS:
        found = ds[variable]
        units = SCHEMA[variable].units if variable in SCHEMA else "1"
        return found.assign_attrs({"units": units} | found.attrs)
    residual = RESIDUALS[variable]
    values = residual.compute(*(ds[name].values for name in names))
    attrs = {"units": residual.units, "long_name": residual.long_name}
    return xr.DataArray(values, dims=ds[names[0]].dims, name=variable, attrs=attrs)


def limit_levels(part: xr.Dataset, variable: str, rising: np.ndarray) -> Passed:
    """Numbers of rising limits that runs are beyond; see `exceedance_probability`.

    A peak that was reached stays; a residual is known of runs that ended.
    """
    value = response(part, variable).values
    fell, unsure = part["outcome"].values == Outcome.OVERTURNED, undecided(part).values
    unknown = np.isnan(value) & ~fell
    open_ended = ~np.isin(part["outcome"].values, DECIDED) | unknown
    passed = np.searchsorted(rising, np.where(np.isnan(value), -np.inf, value), side="left")
    if variable in RESIDUALS:
        passed[open_ended] = 0
    passed = np.where(fell, len(rising), passed)
    any_motion = int(np.searchsorted(rising, 0.0, side="right")) if variable in TILTS else 0
    return Passed(
        sure=np.where(guessed(part).values, np.minimum(passed, any_motion), passed),
        fewest=passed,
        most=np.where(open_ended, len(rising), passed),
        possible=np.where(unsure | unknown, len(rising), passed),
    )


@takes_path
def by_limit(ds: xr.Dataset, variable: str, limit: float) -> xr.Dataset:
    """A study judged by a limit of a response in place of overturning.

    Every statistic and figure of the dataset returned is then by that limit: what they call overturned is a
    run that is beyond the limit, or overturned.

    Parameters
    ----------
    ds : Dataset
        As for `overturning_probability`.
    variable : str
        Response of the runs, such as `peak_displacement`, `slip_path` or `peak_tilt_ratio`, or
        `residual_displacement` [m] or `residual_yaw` [rad], which are computed after the run.
    limit : float
        In the unit of the variable.

    Returns
    -------
    Dataset
        The same runs with other outcomes: overturned, at rest or, in doubt, rocking. The attribute `event`
        says what they mean.

    Raises
    ------
    ValueError
        If the dataset does not fit or has no such response, or the limit is not finite.
    """
    check_runs(ds)
    needed = sources(ds, variable)
    unit = response(ds.isel(realization=slice(0, 1)), variable).attrs["units"]
    limit = Number(unit).check(f"the limit of {variable}", limit)
    known = ds[[name for name in dict.fromkeys(["outcome", *GUESSED, *needed]) if name in ds]]
    changed = [name for name in ("outcome", GUESSED[0]) if name in ds]
    judged = in_slices(partial(_judged, variable=variable, limit=limit), known, changed)
    event = f"{variable.replace('_', ' ')} beyond {limit:g} {unit.replace('1', '')}".rstrip()
    return ds.assign({name: judged[name] for name in changed}).assign_attrs({EVENT: event})


def _judged(part: xr.Dataset, variable: str, limit: float) -> xr.Dataset:
    """Runs with the outcomes of `by_limit`."""
    passed = limit_levels(part, variable, np.array([limit]))
    code = np.where(passed.most > 0, Outcome.ROCKING, Outcome.AT_REST)
    code = np.where(passed.fewest > 0, Outcome.OVERTURNED, code)
    outcome = part["outcome"]
    code = np.where(outcome.values == Outcome.NOT_RUN, Outcome.NOT_RUN, code)
    found = part.assign(outcome=outcome.copy(data=code.astype(outcome.dtype)))
    if GUESSED[0] in part:  # a guess is no doubt of what was passed before it
        doubtful = outcome.copy(data=passed.sure < passed.possible)
        found[GUESSED[0]] = part[GUESSED[0]].where(doubtful, 0)
    return found


@takes_path
def displacement_limit(ds: xr.Dataset) -> float | None:
    """Peak displacement of the base centre beyond which the body of a study falls off its support [m].

    That of `with_displacement_limit`, or that of the study file; None if there is neither.
    """
    if OF_SUPPORT in ds.attrs:
        return float(ds.attrs[OF_SUPPORT])
    limits = config_of(ds).get("limits") or {}
    return limits.get("displacement")


@takes_path
def by_support(ds: xr.Dataset) -> xr.Dataset | None:
    """A study judged by overturning or falling off its support, None without a displacement limit."""
    limit = displacement_limit(ds)
    return None if limit is None else by_limit(ds, "peak_displacement", limit)


@takes_path
def with_displacement_limit(ds: xr.Dataset, limit: float) -> xr.Dataset:
    """A study with another displacement limit, beyond which its body falls off its support.

    Parameters
    ----------
    ds : Dataset
        Study with friction.
    limit : float
        Peak displacement of the base centre [m].

    Returns
    -------
    Dataset
        The same runs, with the limit as the attribute `displacement_limit`, which takes precedence over that
        of the study file.

    Raises
    ------
    ValueError
        If the limit is not finite and > 0, or the runs have no peak displacement.
    """
    limit = Number("m", above=0.0).check("the displacement limit", limit)
    if "peak_displacement" not in ds:
        raise ValueError(
            "a displacement limit needs runs with friction: the dataset has no variable 'peak_displacement'"
        )
    return ds.assign_attrs({OF_SUPPORT: limit})
