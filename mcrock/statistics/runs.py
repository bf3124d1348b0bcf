"""What a run counts as, and how many runs of each kind there are by recording and intensity.

This is the only place that reads outcomes, from a store or a table of outcomes. Runs are read in slices of
realizations (`read_slices`, `count_runs`), so that memory hardly grows with the size of a study that is open
lazily.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import reduce
from operator import or_
from typing import Any, NamedTuple, TypeVar

import numpy as np
import xarray as xr

from mcrock.base.checks import shown
from mcrock.base.params import DECIDED, FacetFallback, Outcome
from mcrock.dataset.opened import accepts_path
from mcrock.dataset.reading import source_of
from mcrock.study import Study

SLICE = 1 << 17  # realizations read at a time
LONG = 8  # slices from which on a pass over them is watched
LOTS = 400  # at most, into which records or realizations are dealt: each is left out or drawn as a whole
SMALL = 1 << 28  # what is kept in memory of a study that is open lazily [B]
CELLS = 256  # places along the logarithm of a cloud's intensity
NO_INTENSITY = "a fragility curve needs intensities > 0, and all are 0"
NOTHING = "no run of this study has been run yet: nothing to count"
NOT_DECIDED = tuple(outcome for outcome in Outcome if outcome not in (Outcome.NOT_RUN, *DECIDED))

# Energy over that needed to overturn above which faces put to rest leave a run in doubt. Of 3644 runs of
# compact blocks with faces put to rest that lost less, computed both ways, 44 overturned with the plastic
# impact alone and 39 with rest alone; of 261 that lost more, 24 and 3.
GUESSED_ENERGY = 1.0
GUESSED = ("infeasible_energy_loss", "infeasible_facet_impacts", "facet_fallback", "beyond_stroke")


_WATCHER: ContextVar[Callable[[int, int], None] | None] = ContextVar("watcher", default=None)


def read_once(ds: xr.Dataset) -> None:
    """Read what every count of runs needs, so that not each of them reads it again: if large, the records."""
    names = [name for name in ("outcome", "record", *GUESSED) if name in ds]
    if sum(ds[name].nbytes for name in names) <= SMALL:
        for name in names:
            ds[name].load()
    elif "record" in ds and ds["record"].ndim == 1:
        number = ds.sizes.get("motion", SMALL)
        label = labelled(ds["record"].size, number, lambda where: ds["record"][where].values)
        ds["record"] = ds["record"].copy(data=label)


Codes = TypeVar("Codes", np.ndarray, xr.DataArray)


def among(outcome: Codes, kinds: Iterable[Outcome]) -> Codes:
    """Where outcomes are of some kinds; `np.isin` and comparing with an enumeration take ten times that."""
    return reduce(or_, (outcome == int(kind) for kind in kinds))


def guessed(ds: xr.Dataset) -> xr.DataArray:
    """Runs whose later motion is uncertain: faces that landed without a feasible pivot were put to rest, or
    the isolator moved beyond its stroke, where a stop that nobody modelled pushes it.

    Rest is the largest loss there can be. A run is in doubt if it had such landings and infeasible impacts
    together took more than GUESSED_ENERGY of the energy needed to overturn. Plastic contact, of an edge
    always and of a face with that `facet_fallback`, leaves no doubt: it is what two or more contacts at once
    come to without rebound (Moreau 1988), and the limit of the impacts that are feasible.
    """
    doubt = xr.zeros_like(ds["outcome"], dtype=bool)
    if GUESSED[0] in ds:
        doubt = ds["infeasible_energy_loss"] > GUESSED_ENERGY
    if GUESSED[1] in ds:
        doubt = doubt & (ds["infeasible_facet_impacts"] > 0)
    if GUESSED[2] in ds:
        doubt = doubt & (ds["facet_fallback"] == int(FacetFallback.REST))
    if GUESSED[3] in ds:
        doubt = doubt | (ds["beyond_stroke"] > 0)
    return doubt


@accepts_path
def undecided(ds: xr.Dataset) -> xr.DataArray:
    """Runs that do not decide whether the body overturns.

    Parameters
    ----------
    ds : Dataset
        With `outcome` and, if they are there, `infeasible_energy_loss` and `infeasible_facet_impacts` on the
        same dims, and `facet_fallback`.

    Returns
    -------
    DataArray
        True, on the dims of `outcome`, where the run still rocked with enough energy to overturn, met a limit
        of the integration, was no longer finite, or had no unique contact force (Painlevé's paradox); and,
        whatever its outcome, where infeasible impacts that put faces to rest took much energy.
    """
    return among(ds["outcome"], NOT_DECIDED) | guessed(ds)


@accepts_path
def overturned(ds: xr.Dataset) -> xr.DataArray:
    """Runs that certainly overturned.

    Parameters
    ----------
    ds : Dataset
        As for `undecided`.

    Returns
    -------
    DataArray
        True, on the dims of `outcome`, where the body overturned and the run is not undecided.
    """
    return among(ds["outcome"], [Outcome.OVERTURNED]) & ~undecided(ds)


def is_given(ds: xr.Dataset, name: str) -> bool:
    """False for a static friction that nobody gave: a realization has its friction in its place."""
    some, friction = {"realization": slice(SMALL)}, "contact_friction"
    if name != "contact_static_friction" or friction not in ds:
        return True
    return bool((ds[name].isel(some) != ds[friction].isel(some)).any())


def check_runs(ds: xr.Dataset) -> None:
    """Refuse a dataset that statistics cannot work on.

    Raises
    ------
    ValueError
        If `outcome` is missing, or is not on (realization, intensity) with a coordinate `intensity`,
        nor on (realization) with a variable `intensity_value`; if an intensity is negative or not
        finite; if there are no runs.
    """
    if not isinstance(ds, xr.Dataset):
        raise ValueError(f"a Dataset is needed, as load_dataset opens one, got {shown(ds)}")
    if "outcome" not in ds:
        raise ValueError("the dataset lacks the variable `outcome`; is it the store of a mcrock study?")
    dims = set(ds["outcome"].dims)
    if dims == {"realization", "intensity"}:
        name = "intensity"
    elif dims == {"realization"}:
        name = "intensity_value"
    else:
        raise ValueError(
            "outcome must be on (realization, intensity), or on (realization) in a cloud study, "
            f"got dims {tuple(ds['outcome'].dims)}"
            + "; of a nested study take mcrock.statistics.pooled(ds) or one draw, isel(outer=0)"
            * ("outer" in dims)
        )
    if name not in ds.variables:
        chosen = "intensity" in ds.coords
        advice = "; choose one level by isel(intensity=[0]), which keeps the dimension" if chosen else ""
        raise ValueError(f"the dataset lacks `{name}`, which says how strong the motion of a run was{advice}")
    if ds[name].size == 0 or ds.sizes["realization"] == 0:
        raise ValueError("the dataset holds no runs: dimension `realization` or `intensity` is empty")
    for where in slices(ds) if is_cloud(ds) else [slice(None)]:
        part = ds[[name, "outcome"]].isel(realization=where)
        values = part[name].values
        wrong = ~(np.isfinite(values) & (values >= 0))
        if is_cloud(ds) and wrong.any():  # of a run that is missing nothing is known
            wrong &= ~np.isnan(values) | (part["outcome"].values != Outcome.NOT_RUN)
        if wrong.any():
            units = ds[name].attrs.get("units", "1")
            raise ValueError(f"{name} must be finite and >= 0 [{units}], got {values[wrong][0]!r}")


def config_of(ds: xr.Dataset) -> dict[str, Any]:
    """Tables of the study file that a dataset comes of; empty where it does not say."""
    return json.loads(ds.attrs.get("config") or "{}")


def study_of(ds: xr.Dataset) -> Study | None:
    """Study that a dataset comes of; None where it does not say."""
    return Study.from_json(ds.attrs["config"]) if ds.attrs.get("config") else None


def tipping_acceleration(ds: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Horizontal acceleration of the ground (n_realization,) below which a body at rest cannot rock [m/s2].

    Whatever its direction, without a vertical one. On a slope that pulls the body downhill it is less.

    Returns
    -------
    tuple of ndarray (n_realization,)
        The acceleration, and tan(slenderness) [1]: what a downward acceleration takes of it.
    """
    tangent, gravity = np.tan(ds["body_slenderness"].values), ds["gravity"].values
    slope = [ds[name].values for name in ("ground_slope_x_deg", "ground_slope_y_deg") if name in ds]
    lean = np.minimum(np.hypot(*np.sin(np.radians(slope))) if slope else 0.0 * tangent, 1.0)
    return gravity * np.maximum(np.sqrt(1 - lean**2) * tangent - lean, 0.0), tangent


def is_shaken(ds: xr.Dataset) -> bool:
    """True if the ground moves in a study; False only where its configuration says that nothing does.

    >>> is_shaken(xr.Dataset(attrs={"config": '{"motion": {"source": "none"}}'})), is_shaken(xr.Dataset())
    (False, True)
    """
    return config_of(ds).get("motion", {}).get("source") != "none"


def is_cloud(ds: xr.Dataset) -> bool:
    """True if every realization has an intensity of its own."""
    return "intensity" not in ds["outcome"].dims


def run_intensity(ds: xr.Dataset) -> xr.DataArray:
    """Intensity of the levels (intensity), or of each realization of a cloud study (realization)."""
    return ds["intensity_value"] if is_cloud(ds) else ds["intensity"]


def read_input(ds: xr.Dataset, name: str) -> np.ndarray:
    """A number of every realization (n_realization,), read in slices."""
    found = np.empty(ds.sizes["realization"])
    for where in slices(ds):
        found[where] = ds[name].isel(realization=where).values
    return found


def axis_attrs(ds: xr.Dataset) -> dict[str, Any]:
    """Unit and name of the intensity of a study, for what its results have along it or in its unit."""
    attrs = run_intensity(ds).attrs
    return {name: attrs[name] for name in ("units", "long_name") if name in attrs}


def record_index(ds: xr.Dataset) -> tuple[np.ndarray | None, int]:
    """Recording that each realization's motion comes from.

    Returns
    -------
    tuple
        Index from 0 on (n_realization,), or None if the dataset has no variable `record`; and the
        number of different recordings, without `record` the number of realizations.
    """
    if "record" not in ds:
        return None, ds.sizes["realization"]
    records, index = numbered(ds, "record")
    if "motion_group" not in ds:
        return index, len(records)
    unique, group = np.unique(ds["motion_group"].values[records], return_inverse=True)
    return labelled(len(index), len(unique), lambda where: group[index[where]]), len(unique)


def labelled(n: int, number: int, label: Callable[[slice], np.ndarray]) -> np.ndarray:
    """A number below ``number`` or -1 for each of n places (n,), made in slices, in as few bytes as hold it.

    Arithmetic needs wider ones, as ``labels[where].astype(np.int64)``.
    """
    found = np.empty(n, np.min_scalar_type(-max(number, 1)))
    for where in cut(n):
        found[where] = label(where)
    return found


def numbered(ds: xr.Dataset, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Different values (n,) of an input, rising, and which of them each realization has (n_realization,).

    The numbers take a byte a realization, or a few, and the input itself is read in slices and not kept.
    """

    def part(where: slice) -> np.ndarray:
        return ds[name].isel(realization=where).values

    values = np.unique(np.concatenate([np.unique(part(where)) for where in slices(ds)]))
    n = ds.sizes["realization"]
    return values, labelled(n, len(values), lambda where: np.searchsorted(values, part(where)))


def record_groups(ds: xr.Dataset, most: int) -> np.ndarray:
    """Recording of each realization (n_realization,), or, without recordings, one of ``most`` groups."""
    index, n = record_index(ds)[0], ds.sizes["realization"]
    most = min(n, most)
    return labelled(n, most, lambda where: _places(where) * most // n) if index is None else index


def record_lots(ds: xr.Dataset) -> np.ndarray:
    """Lot of each realization (n_realization,): its recording or, without, itself; at most `LOTS`."""
    index, records = record_index(ds)
    if index is not None and records <= LOTS:
        return index
    place = _places if index is None else lambda where: index[where].astype(np.int64)
    return labelled(ds.sizes["realization"], LOTS, lambda where: place(where) % LOTS)


def _places(where: slice) -> np.ndarray:
    return np.arange(where.start, where.stop)


class Classes(NamedTuple):
    """Places along the intensity axis in which runs are counted together."""

    centre: np.ndarray  # (n_class,) representative intensity
    lower: np.ndarray  # (n_class,) smallest intensity of the class
    upper: np.ndarray  # (n_class,) largest intensity of the class
    of_run: (
        np.ndarray | None
    )  # (n_realization,) of a cloud, class or -1 for not to be counted; None of levels


def intensity_classes(ds: xr.Dataset, number: int) -> Classes:
    """Levels as they are; a cloud cut into at most `number` bins of about equal numbers of runs."""
    if not is_cloud(ds):
        x = ds["intensity"].values.astype(float)
        return Classes(x, x, x, None)
    x = read_input(ds, "intensity_value")
    x.sort()
    x = x[: np.searchsorted(x, np.nan)]  # nan comes last
    n = len(x)
    if not n:
        raise ValueError(NOTHING)
    ranks = np.floor((n - 1) * np.linspace(0, 1, min(number, n) + 1)[1:-1]).astype(np.int64)
    edges = np.unique(x[ranks])
    starts = np.concatenate([[0], np.searchsorted(x, edges, side="right"), [n]])
    runs = np.diff(starts)
    there, begin = runs > 0, starts[:-1]  # no empty classes
    name, begin, end = there.cumsum() - 1, begin[there], begin[there] + runs[there]
    centre = (x[(begin + end - 1) // 2] + x[(begin + end) // 2]) / 2
    lower, upper = x[begin], x[end - 1]
    values = ds["intensity_value"]

    def label(where: slice) -> np.ndarray:
        x = values.isel(realization=where).values
        return np.where(np.isnan(x), -1, name[np.searchsorted(edges, x, side="left").clip(max=len(edges))])

    return Classes(centre, lower, upper, labelled(ds.sizes["realization"], len(centre), label))


class LogCells:
    """Places of intensities > 0 that are seen in slices: all are seen once, then counted once.

    Each intensity is by itself, or in one of ``most`` cells of equal width in the logarithm if they are more.
    """

    def __init__(self, most: int = CELLS) -> None:
        self.most, self.values, self.low, self.high = most, np.zeros(0), np.inf, -np.inf
        self.runs, self.total = np.zeros(most, np.int64), np.zeros(most)

    @property
    def few(self) -> bool:
        """Whether each intensity is by itself."""
        return len(self.values) <= self.most

    @property
    def size(self) -> int:
        """Number of places, empty ones included."""
        return len(self.values) if self.few else self.most

    def see(self, x: np.ndarray) -> None:
        """First pass."""
        x = x[x > 0]
        if self.few:
            self.values = np.unique(np.concatenate([self.values, x]))
        z = np.log(x)
        self.low, self.high = z.min(initial=self.low), z.max(initial=self.high)

    def count(self, x: np.ndarray) -> np.ndarray:
        """Second pass: place of each intensity (n,), -1 of those that are not > 0.

        Raises
        ------
        ValueError
            If none was > 0.
        """
        if not len(self.values):
            raise ValueError(NO_INTENSITY)
        place = np.full(len(x), -1)
        there = x > 0
        place[there] = index = self._place(x[there])
        if not self.few:
            self.runs += np.bincount(index, minlength=self.most)
            np.add.at(self.total, index, np.log(x[there]))  # one after the other, however they are cut
        return place

    def _place(self, x: np.ndarray) -> np.ndarray:
        if self.few:
            return np.searchsorted(self.values, x)
        width = (self.high - self.low) / self.most
        return np.minimum(((np.log(x) - self.low) / width).astype(np.int64), self.most - 1)

    @property
    def filled(self) -> np.ndarray:
        """Which places have intensities (size,), after the second pass."""
        return np.ones(self.size, bool) if self.few else self.runs > 0

    @property
    def centres(self) -> np.ndarray:
        """The intensities, or geometric means of those in each cell that has some."""
        there = self.filled
        return self.values if self.few else np.exp(self.total[there] / self.runs[there])


def place_in_cells(part: Callable[[slice], np.ndarray], n: int, most: int = CELLS) -> Classes:
    """Places of n intensities > 0, read in slices, by `LogCells`; -1 of others.

    Raises
    ------
    ValueError
        If none is > 0.
    """
    cells = LogCells(most)
    for where in cut(n):
        cells.see(part(where))
    of_run = labelled(n, cells.size, lambda where: cells.count(part(where)))
    names = np.append(cells.filled.cumsum() - 1, -1)  # that of -1 is the last
    for where in cut(n):
        of_run[where] = names[of_run[where]]
    return Classes(cells.centres, cells.centres, cells.centres, of_run)


ALL_STAND, ALL_OVERTURN, ESTIMATE = range(3)  # readings of the undecided runs


class Passed(NamedTuple):
    """Rising levels that runs have passed, or runs that have passed each level, from least to most doubt.

    An undecided run has an outcome that rests on a guess, which a point estimate follows, or broke off
    without one, and counts half.
    """

    sure: np.ndarray  # without doubt
    fewest: np.ndarray  # as simulated, and no more where the simulation broke off
    most: np.ndarray  # as simulated, and all levels where the simulation broke off
    possible: np.ndarray  # if every doubt is resolved upwards

    @property
    def estimate(self) -> np.ndarray:
        """Runs that count in a point estimate."""
        return (self.fewest + self.most) / 2

    @property
    def readings(self) -> np.ndarray:
        """Runs that count if all undecided ones stood, if all overturned, and in the estimate (3, ...)."""
        return np.stack([self.sure, self.possible, self.estimate])


class Tally(NamedTuple):
    """Numbers of runs by record (or all together) and bin; `levels` rising thresholds."""

    runs: np.ndarray  # (n_record, n_class)
    beyond: Passed  # (n_record, n_class, n_level) of those, the runs beyond each level


def slices(ds: xr.Dataset) -> Iterator[slice]:
    """Realizations that are read at a time."""
    return cut(ds.sizes["realization"])


def cut(n: int) -> Iterator[slice]:
    """Slices of ``n`` places."""
    starts, watcher = range(0, n, SLICE), _WATCHER.get()
    for done, start in enumerate(starts):
        yield slice(start, min(start + SLICE, n))
        if watcher and len(starts) >= LONG:
            watcher(done + 1, len(starts))


@contextmanager
def report_slices(watcher: Callable[[int, int], None]) -> Iterator[None]:
    """Call ``watcher`` with how many slices are read, and of how many, in every pass over a large study."""
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def map_slices(change: Callable[[xr.Dataset], xr.Dataset], ds: xr.Dataset, names: list[str]) -> xr.Dataset:
    """Variables of a dataset that are changed run by run, and keep their dims and types.

    They are changed at once, or of a large study when slices of them are read.
    """

    def changed(part: xr.Dataset) -> xr.Dataset:
        return change(part)[names]

    if sum(array.nbytes for array in ds.data_vars.values()) <= SMALL:
        parts = [changed(ds.isel(realization=where)) for where in slices(ds)]
        return xr.concat(
            parts, "realization", data_vars="minimal", coords="minimal", compat="override", join="override"
        )
    lazy = ds.chunk({"realization": SLICE})
    return lazy.map_blocks(changed, template=lazy[names])


def read_slices(
    ds: xr.Dataset, names: tuple[str, ...], allow_missing: bool
) -> Iterator[tuple[slice, xr.Dataset, np.ndarray]]:
    """Slices of realizations in memory: where, the outcomes and `names`, and which runs exist.

    Raises
    ------
    ValueError
        If runs are missing and `allow_missing` is False, or no run is there at all.
    """
    known = [name for name in ("outcome", *names) if name in ds]
    marks = [name for name in GUESSED if name in ds]
    dims = ds["outcome"].dims if is_cloud(ds) else ("realization", "intensity")
    missing = found = 0
    certain = set() if set(marks) & set(names) else _slices_without_guesses(ds, marks)
    for where in slices(ds):
        read = known if where.start in certain else [*{*known, *marks}]
        part = ds[read].isel(realization=where).transpose(*dims).load()
        if where.start not in certain and not guessed(part).any():
            certain.add(where.start)
        there = part["outcome"].values != int(Outcome.NOT_RUN)
        ran = int(np.count_nonzero(there))
        missing, found = missing + there.size - ran, found + ran
        if not missing or allow_missing:
            yield where, part, there
    if missing and not allow_missing:
        raise ValueError(
            f"{missing} of {missing + found} runs have not been run yet; "
            "finish the study (--resume), or leave them out (--allow-incomplete, allow_missing=True)"
        )
    if not found:
        raise ValueError(NOTHING)


def _slices_without_guesses(ds: xr.Dataset, marks: list[str]) -> set[int]:
    """Starts of slices without `guessed` runs, as a pass before found: their marks need no second reading."""
    sources = tuple(source_of(ds[name]) for name in ("outcome", *marks))
    if None in sources:
        return set()
    while len(_WITHOUT_GUESSES) >= TALLIES and sources not in _WITHOUT_GUESSES:
        _WITHOUT_GUESSES.pop(next(iter(_WITHOUT_GUESSES)), None)
    return _WITHOUT_GUESSES.setdefault(sources, set())


TALLIES, MOST_KEPT = 4, 1 << 16  # numbers of overturned runs that are kept, and places of each at most [1]
_TALLIES: dict[tuple[object, ...] | None, Tally] = {}
_WITHOUT_GUESSES: dict[tuple[object, ...], set[int]] = {}


def count_runs(
    ds: xr.Dataset,
    beyond: Callable[[xr.Dataset], Passed],
    levels: int,
    places: Classes,
    record: np.ndarray | None,
    *,
    names: tuple[str, ...] = (),
    allow_missing: bool = False,
) -> Tally:
    """Count the runs of each record and bin that pass each of some rising levels.

    The latest numbers of overturned runs are kept of studies that are read slice by slice, as each statistic
    asks for them again.

    Parameters
    ----------
    ds : Dataset
        Fits `check_runs`.
    beyond : callable
        From a slice of `ds` to the numbers of levels passed, on its dims.
    levels : int
        Number of levels.
    places : Classes
        Where to count.
    record : ndarray (n_realization,), optional
        Record of each realization; None counts all together as one.
    names : tuple of str
        Variables that `beyond` reads besides the outcomes.
    allow_missing : bool
        Leave out runs that have not been run, rather than refuse.
    """
    key = _name_of_tally(ds, beyond, places, record, allow_missing)
    if key in _TALLIES:
        return _TALLIES[key]
    shape = (1 if record is None else int(record.max()) + 1, len(places.centre), levels + 1)
    totals = [np.zeros(shape, np.int64) for _ in Passed._fields]
    for where, part, there in read_slices(ds, names, allow_missing):
        row = np.zeros(there.shape[0], np.int64) if record is None else record[where].astype(np.int64)
        row *= shape[1] * shape[2]
        if places.of_run is None:
            cell = row[:, None] + np.arange(shape[1]) * shape[2]
        else:
            cell = row + places.of_run[where].astype(np.int64) * shape[2]
            there &= places.of_run[where] >= 0
        passed = beyond(part)
        whole = cell + passed.sure
        sure = np.bincount(whole.ravel() if there.all() else whole[there], minlength=totals[0].size)
        for total, other in zip(totals, passed, strict=True):
            total += sure.reshape(shape)
            if (differ := there & (other != passed.sure)).any():  # few runs
                ends = cell[differ] + other[differ], whole[differ]
                more, less = (np.bincount(each, minlength=total.size).reshape(shape) for each in ends)
                total += more - less
    above = [total[..., ::-1].cumsum(axis=-1)[..., ::-1] for total in totals]
    found = Tally(above[0][..., 0], Passed(*(numbers[..., 1:] for numbers in above)))
    if key is not None and found.runs.size <= MOST_KEPT:
        _TALLIES[key] = found
        while len(_TALLIES) > TALLIES:
            _TALLIES.pop(next(iter(_TALLIES)), None)
    return found


def _name_of_tally(
    ds: xr.Dataset, beyond: object, places: Classes, record: np.ndarray | None, allow_missing: bool
) -> tuple[object, ...] | None:
    """What a tally of overturned runs is made of; None of other tallies, and of runs not read from disk."""
    sources = [source_of(ds[name]) for name in ("outcome", *GUESSED) if name in ds]
    if beyond is not overturn_levels or None in sources:
        return None
    arrays = [x for x in (places.centre, places.of_run, record) if x is not None]
    digests = [(x.dtype.str, hashlib.blake2b(np.ascontiguousarray(x).data).digest()) for x in arrays]
    return (*sources, allow_missing, *digests)


def overturn_levels(part: xr.Dataset) -> Passed:
    """Overturning as one level, for `count_runs`."""
    outcome = part["outcome"].values
    fell, open_ended = among(outcome, [Outcome.OVERTURNED]), among(outcome, NOT_DECIDED)
    unsure = open_ended | guessed(part).values
    return Passed(*(x.astype(np.int64) for x in (fell & ~unsure, fell, fell | open_ended, fell | unsure)))
