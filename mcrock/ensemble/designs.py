"""Designs of one study that differ in one number: run with common draws, where the next value tells most."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from mcrock.base.tables.parsing import ConfigError, read_columns, read_data, separator_of
from mcrock.base.units import parse_quantity, units_of
from mcrock.dataset import is_store
from mcrock.dataset.contents import read_template
from mcrock.ensemble.pilot import first_size, settle
from mcrock.ensemble.study import run_study
from mcrock.statistics.remedy import frontier, judge_design, next_value, required_value
from mcrock.study import Study
from mcrock.study.load import listed, units_of_key
from mcrock.study.sections import UNEXTENDABLE

FIXED = ("seed", "title", "description", "report", "ensemble", "intensity", "controls")  # what designs share
MOST_SHARE, LONGER = 0.05, 8  # of the variance that runs may add [1], and how many times more they become
FIRST, MOST = 5, 15  # values that are run at first, and at all
ACROSS = (2, 0, 4, 1, 3)  # order of as many values of a second key, evenly spaced


class Range(NamedTuple):
    """Values of a key between which a design is sought."""

    key: str
    unit: str
    low: float
    high: float

    @classmethod
    def of(cls, text: str) -> Range:
        """From ``KEY=FROM:TO``, the ends in the unit of the key or with another one behind.

        Several keys, as in ``body.width,body.depth=40cm:80cm``, have the same value.

        Raises
        ------
        ValueError
            If the text is not of this form, the ends have another unit, or all designs share the key.

        >>> Range.of("body.width=40cm:0.8")
        Range(key='body.width', unit='m', low=0.4, high=0.8)
        """
        key, _, ends = (part.strip() for part in text.partition("="))
        keys = [tuple(part.strip() for part in one.split(".")) for one in key.split(",")]
        if ends.count(":") != 1 or not all(map(all, keys)):
            raise ValueError(f"--vary: expected KEY=FROM:TO, as in body.width=40cm:80cm, got {text!r}")
        if shared := [".".join(one) for one in keys if one[0] in FIXED]:
            raise ValueError(
                f"--vary: all designs have the same {shared[0]}; vary a number of [body], [contact], "
                "[impact], [motion] or [limits]"
            )
        unit, *others = dict.fromkeys(next(iter(units_of_key(one)), "1") for one in keys)
        if others:
            raise ValueError(f"--vary: {key} have different units, {unit} and {', '.join(others)}")
        try:
            low, high = (parse_quantity(end, units_of(unit)) for end in ends.split(":"))
        except ValueError as error:
            raise ValueError(f"--vary {key}: {error}") from None
        if not low < high:
            raise ValueError(f"--vary {key}: the second end must be larger than the first, got {ends}")
        return cls(key, unit, low, high)

    @property
    def name(self) -> str:
        """The key, or all of several, in words."""
        return self.key.replace(",", " = ")

    def changes(self, value: float) -> list[str]:
        """Overrides that make the design with this value."""
        return [f"{key}={value!r}" for key in self.key.split(",")]

    def first(self, today: float | None) -> list[float]:
        """Values to begin with: evenly spaced, and that of the study itself if it is between the ends."""
        step = (self.high - self.low) / (FIRST - 1)
        even = [*(self.low + k * step for k in range(FIRST - 1)), self.high]
        more = [] if today is None or not self.low < today < self.high else [today]
        return sorted({_rounded(value) for value in even} | {*more})


def number_of(study: Study, key: str) -> float | None:
    """Number that a study has under a dotted key, or the first of several; None of a distribution."""
    found: Any = json.loads(study.to_json())
    for part in key.split(",")[0].split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return float(found) if isinstance(found, int | float) and not isinstance(found, bool) else None


def seek_value(
    load: Callable[..., Study],
    asked: Range,
    folder: Path,
    judge: Callable[[xr.Dataset], xr.Dataset],
    solve: Callable[[Mapping[float, xr.Dataset]], xr.Dataset],
    today: float | None = None,
    **how: Any,
) -> xr.Dataset:
    """Run designs until the value that meets a target is known as well as their recordings allow.

    While the runs of one recording add more than `MOST_SHARE` of the variance where the target is met, all
    designs get twice the realizations, up to `LONGER` times those of the study.

    Parameters
    ----------
    load : callable
        The study with overrides, as of `load_config`.
    asked : Range
        Key and range of its values.
    folder : Path
        Where each design has its store, ``KEY=VALUE.zarr``. Those that are there go on, or are read.
    judge, solve : callable
        What a design is judged by, and the result of all; as `mcrock.statistics.judge_design` and
        `mcrock.statistics.required_value`.
    today : float, optional
        Value of the study itself.
    **how
        As for `run_study`.

    Raises
    ------
    ConfigError
        If the changes of a design make a mistake.
    PairingError
        If designs do not meet the same motions, as where the intensity depends on the body.
    """
    found: dict[float, xr.Dataset] = {}
    queue: Sequence[float] = asked.first(today)
    studies = [load(*asked.changes(value)) for value in queue]  # all mistakes before any run
    folder.mkdir(parents=True, exist_ok=True)
    paths = [path for path in folder.glob(f"{asked.key}=*.zarr") if is_store(path)]
    fewest = first_size(studies[0])
    n = max([fewest, *(read_template(path).n_realizations for path in paths)])
    most = LONGER * fewest if studies[0].has_fixed_size else studies[0].n_realizations
    if studies[0].listed or studies[0].ensemble.design in UNEXTENDABLE:
        most = n
    while queue:
        for value in queue:
            path = folder / f"{asked.key}={value:.6g}.zarr"
            study = load(*asked.changes(value)).of_size(n)
            found[value] = judge(run_study(study, path, extend=path.exists(), **how))
        result = solve(found)
        best = next_value(result)
        queue = [] if best is None or len(found) >= MOST else [_rounded(best)]
        if not queue and 2 * n <= most and float(result.get("runs_share", 0.0)) > MOST_SHARE:
            n, queue = 2 * n, sorted(found)
    return result


def seek_frontier(
    load: Callable[..., Study],
    asked: Range,
    other: Range,
    folder: Path,
    judge: Callable[[xr.Dataset], xr.Dataset],
    solve: Callable[[Mapping[float, xr.Dataset]], xr.Dataset],
    **how: Any,
) -> dict[float, xr.Dataset]:
    """`seek_value` for a few values of another key, each in a folder ``KEY=VALUE``, under common draws.

    Parameters and errors are those of `seek_value`.

    Raises
    ------
    ConfigError
        If both ranges are of one key.
    """
    if shared := {*asked.key.split(",")} & {*other.key.split(",")}:
        raise ConfigError(f"--vary: {', '.join(sorted(shared))} is in both ranges: vary two keys")
    values = [_rounded(x) for x in np.linspace(other.low, other.high, len(ACROSS)).tolist()]

    def at(value: float) -> Callable[..., Study]:
        return lambda *more: load(*other.changes(value), *more)

    for value in values:
        for end in (asked.low, asked.high):
            at(value)(*asked.changes(end))  # all mistakes before any run
    order = [values[k] for k in ACROSS]
    return {x: seek_value(at(x), asked, folder / f"{other.key}={x:.6g}", judge, solve, **how) for x in order}


def find_remedy(
    load: Callable[..., Study],
    vary: Sequence[str],
    folder: Path,
    target: float,
    hazard: xr.Dataset | None = None,
    *,
    intensity: float | None = None,
    level: float = 0.95,
    **how: Any,
) -> xr.Dataset:
    """The value of a key that meets a target, or with a second key the line of both.

    Parameters
    ----------
    load, folder, **how
        As for `seek_value`.
    vary : sequence of str
        One or two texts of `Range.of`.
    target, hazard, intensity, level
        As for `mcrock.statistics.judge_design` and `required_value`.

    Returns
    -------
    Dataset
        Of `mcrock.statistics.required_value` or `frontier`. Attributes ``config``, the study itself, and
        ``today`` and ``other_today``, its numbers under the keys, where it has some.

    Raises
    ------
    ValueError
        As `Range.of`, `seek_value` and `seek_frontier`.
    """
    study, (asked, *others) = load(), [Range.of(text) for text in vary]
    ends = ([each.changes(end) for end in (each.low, each.high)] for each in (asked, *others))
    corners = [[*chain.from_iterable(each)] for each in product(*ends)]
    load = _at_common_levels(load, [[], *corners], folder, hazard, intensity)
    numbers = [number_of(study, each.key) for each in (asked, *others)]
    today = {name: x for name, x in zip(("today", "other_today"), numbers, strict=False) if x is not None}

    first: list[xr.Dataset] = []

    def judged(ds: xr.Dataset) -> xr.Dataset:
        if not first or first[0].sizes["realization"] != ds.sizes["realization"]:
            first[:] = [ds]
        return judge_design(ds, hazard, intensity=intensity, first=first[0], level=level)

    def solved(found: Mapping[float, xr.Dataset]) -> xr.Dataset:
        return required_value(found, target, name=asked.name, units=asked.unit, level=level)

    how |= {"today": numbers[0]}
    if others:
        line = seek_frontier(load, asked, others[0], folder, judged, solved, **how)
        found = frontier(line, name=others[0].name, units=others[0].unit)
    else:
        found = seek_value(load, asked, folder, judged, solved, **how)
    return found.assign_attrs(today, config=study.to_json())


def _at_common_levels(
    load: Callable[..., Study],
    designs: Iterable[Sequence[str]],
    folder: Path,
    hazard: xr.Dataset | None,
    intensity: float | None,
) -> Callable[..., Study]:
    """The same with the intensities of all designs in the place of those that the study leaves to a pilot."""
    if not load().intensity.is_auto:
        return load
    there = next((path for path in folder.rglob("*.zarr") if is_store(path)), None)
    first = settle([load(*each) for each in designs], hazard, intensity=intensity, output=there)[0]
    return lambda *more: load(*more).model_copy(update={"intensity": first.intensity})


def read_designs(path: Path) -> tuple[dict[str, list[str]], list[float] | None]:
    """Overrides of designs by their names, and what each costs, from a CSV file.

    Columns are keys of the study file, as ``body.width [cm]``; ``design`` has the names, else they are the
    numbers of the rows, and ``cost`` is optional. The first design is the one that others are compared with.

    Raises
    ------
    ConfigError
        With the column, line or design where the file is none of this kind.
    """
    columns = read_columns(path, lambda head: head != "design")
    costs, known = columns.pop("cost", None), [*listed(columns, str(path))]
    lines = read_data(path).splitlines()
    rows = csv.DictReader(filter(str.strip, lines), skipinitialspace=True, delimiter=separator_of(lines[0]))
    names = [(row.get("design") or str(number)).strip() for number, row in enumerate(rows, 1)]
    for name in names:
        if names.count(name) > 1 or not re.fullmatch(r"\w[\w .=+-]*", name):
            raise ConfigError(
                f"{path}: expected a name of its own for each design, of letters, digits and -, got {name!r}"
            )
    if len(names) < 2:
        raise ConfigError(f"{path}: expected two designs or more, one a row, got {len(names)}")
    shared = [".".join(keys) for keys, _, _ in known if keys[0] in FIXED]
    if shared:
        raise ConfigError(f"{path}: all designs have the same {shared[0]}; leave its column out")
    changes = {
        name: [f"{'.'.join(keys)}={raw['values'][k]!r}" for keys, _, raw in known]
        for k, name in enumerate(names)
    }
    return changes, costs


def run_designs(
    load: Callable[..., Study],
    changes: Mapping[str, Sequence[str]],
    folder: Path,
    hazard: xr.Dataset | None = None,
    *,
    intensity: float | None = None,
    **how: Any,
) -> dict[str, xr.Dataset]:
    """Results of designs by name, each from its store ``NAME.zarr``, which goes on or is read if it is there.

    Where the study leaves its size open, all have that of the first. Parameters, errors and ``how`` are those
    of `find_remedy`.
    """
    load = _at_common_levels(load, changes.values(), folder, hazard, intensity)
    studies = {name: load(*each) for name, each in changes.items()}  # all mistakes before any run
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, xr.Dataset] = {}
    how |= {"hazard": hazard, "intensity": intensity}
    for name, study in studies.items():
        path = folder / f"{name}.zarr"
        one = study.of_size(next(iter(found.values())).sizes["realization"]) if found else study
        found[name] = run_study(one, path, extend=path.exists(), **how)
    return found


def _rounded(value: float) -> float:
    """Few digits, as people write them."""
    return float(f"{value:.4g}")
