"""Single runs that stand for a study: the middle and the weakest that overturned, the strongest survivor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import xarray as xr

from mcrock.base.params import STANDING, Outcome
from mcrock.dataset.opened import takes_path
from mcrock.dataset.schema import OUTER
from mcrock.statistics.nested import pooled
from mcrock.statistics.order_statistics import order_statistics
from mcrock.statistics.runs import check_runs, is_cloud, read_slices, run_intensity, undecided

RATIO = "peak_tilt_ratio"
MEANINGS = {
    "median_overturned": "it overturned at the median intensity of the runs that overturned, and has the "
    "lowest number of those there",
    "strongest_survivor": "of the runs that stood, one at the strongest intensity: there it tilted most",
    "weakest_overturned": "it overturned at the weakest intensity at which any run did, and has the lowest "
    "number of those there",
}


class RunPlace(NamedTuple):
    """Numbers of a run in its study."""

    realization: int
    intensity: int = 0
    outer: int = 0


class _Slice(NamedTuple):
    """Runs of a slice, flat: their numbers, intensities, peak tilts, and how they ended."""

    number: np.ndarray  # realization x levels + level
    intensity: np.ndarray
    tilt: np.ndarray
    fell: np.ndarray
    stood: np.ndarray


@takes_path
def notable_runs(ds: xr.Dataset, *, allow_missing: bool = False) -> dict[str, RunPlace]:
    """The runs that `MEANINGS` defines, by name; undecided runs are none of them.

    Parameters
    ----------
    ds : Dataset
        Result of a study, read in slices; of a nested one the draws are taken together.
    allow_missing : bool
        Leave out runs that have not been run, rather than refuse.

    Returns
    -------
    dict of str to RunPlace
        Without those that need a run that overturned, or stood, where none did.

    Raises
    ------
    ValueError
        If the dataset does not fit.

    Examples
    --------
    >>> import numpy as np, xarray as xr
    >>> outcome = ("realization", "intensity"), np.array([[1, 3, 1, 3], [1, 1, 3, 3]], "i1")
    >>> ds = xr.Dataset({"outcome": outcome}, coords={"intensity": [1.0, 2.0, 3.0, 4.0]})
    >>> for name, place in notable_runs(ds).items():
    ...     print(name, place.realization, place.intensity)
    median_overturned 1 2
    strongest_survivor 0 2
    weakest_overturned 0 1
    """
    inner = ds.sizes["realization"]
    flat = pooled(ds)
    check_runs(flat)
    levels = 1 if is_cloud(flat) else flat.sizes["intensity"]
    fell = [part.intensity[part.fell] for part in _parts(flat, allow_missing)]
    number = sum(map(len, fell))
    middle = order_statistics(lambda: fell, number, [(number - 1) // 2])[0] if number else np.nan
    best: dict[str, tuple[tuple[float, ...], int]] = {}
    for part in _parts(flat, allow_missing):
        at_middle = part.fell & (part.intensity == middle)
        _keep(best, "median_overturned", part, at_middle, (part.number,))
        _keep(best, "strongest_survivor", part, part.stood, (-part.intensity, -part.tilt, part.number))
        _keep(best, "weakest_overturned", part, part.fell, (part.intensity, part.number))

    def place(run: int) -> RunPlace:
        realization, level = divmod(run, levels)
        outer, realization = divmod(realization, inner) if OUTER in ds.dims else (0, realization)
        return RunPlace(realization, level, outer)

    return {name: place(best[name][1]) for name in MEANINGS if name in best}


def _keep(
    best: dict[str, tuple[tuple[float, ...], int]],
    name: str,
    part: _Slice,
    among: np.ndarray,
    keys: tuple[np.ndarray, ...],
) -> None:
    """Take the run with the least keys among some of a slice, if it is better than those before."""
    if among.any():
        first = np.lexsort([key[among] for key in reversed(keys)])[0]
        found = tuple(float(key[among][first]) for key in keys), int(part.number[among][first])
        best[name] = min(best.get(name, found), found)


def _parts(ds: xr.Dataset, allow_missing: bool) -> Iterator[_Slice]:
    strength = run_intensity(ds)
    for where, part, there in read_slices(ds, (RATIO,), allow_missing):
        doubt = undecided(part).values
        outcome = part["outcome"].values
        x = strength.isel(realization=where).values if is_cloud(ds) else strength.values
        number = np.arange(where.start * (outcome[0].size), where.stop * (outcome[0].size))
        tilt = part[RATIO].values if RATIO in part else np.zeros(outcome.shape)
        decided = there & ~doubt
        columns = (
            number.reshape(outcome.shape),
            np.broadcast_to(x, outcome.shape).astype(float),
            tilt,
            decided & (outcome == Outcome.OVERTURNED),
            decided & np.isin(outcome, STANDING),
        )
        yield _Slice(*(column.ravel() for column in columns))
