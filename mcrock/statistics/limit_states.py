"""Fragility by several limits of responses in one call: uplift, tilts, slip, displacement, overturning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Unpack

import numpy as np
import xarray as xr

from mcrock.dataset.opened import takes_path
from mcrock.statistics.fragility import fit_fragility, side_by_side
from mcrock.statistics.inference import Bootstrap, BootstrapKeywords, takes
from mcrock.statistics.limits import EVENT, by_limit, displacement_limit, response
from mcrock.statistics.nested import pooled
from mcrock.statistics.outcomes import SLIP, TILT
from mcrock.statistics.plateau import plateau_share
from mcrock.statistics.resample import collect_units
from mcrock.statistics.runs import record_index

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


@takes_path
@takes(Bootstrap)
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
        `fit_fragility`, with the curve that each goes by: its `headline` and `why`, `fit_p_value`,
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
    fits, units, shares, how = [], [], [], Bootstrap(**keywords)
    record = record_index(ds)[0] if how.cluster else None
    for limit in chosen:
        judged = by_limit(ds, limit.variable, limit.value) if limit.variable else None
        fits.append(whole if judged is None else fit_fragility(judged, grid=grid, **keywords))
        counted = collect_units(ds if judged is None else judged, record, how.allow_missing)
        shares.append(plateau_share(counted, how))
        one = ds.isel(realization=slice(0, 1))
        units.append(response(one, limit.variable).attrs["units"] if limit.variable else "1")
    axis = xr.DataArray([limit.name for limit in chosen], dims="limit", name="limit")
    result = side_by_side(fits, axis)
    result["share"] = ("limit", [share[0] for share in shares], {"units": "1"})
    result["share_interval"] = (
        ("bound", "limit"),
        np.transpose([share[1:] for share in shares]),
        {"units": "1"},
    )
    result["variable"] = ("limit", [limit.variable for limit in chosen])
    result["value"] = ("limit", [limit.value for limit in chosen])
    result["value_units"] = ("limit", units)
    result["records"] = whole["records"]
    return result


def limit_words(one: xr.Dataset) -> str:
    """A limit, one of a result of `fragility_by_limit`, in words."""
    name, variable = str(one["limit"].item()), str(one["variable"].item())
    if " > " not in name:
        return name
    unit = str(one["value_units"].item()).replace("1", "")
    return f"{variable.replace('_', ' ')} over {float(one['value']):g} {unit}".strip()
