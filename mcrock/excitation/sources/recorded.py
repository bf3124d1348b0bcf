"""Recorded motions of a study, a list that the realizations share.

The sources ``csv``, ``fema_p695``, ``files`` and ``shake_table``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePath
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from mcrock.base.tables.fields import (
    ChoiceKey,
    IntegerKey,
    ListOf,
    NumberKey,
    Text,
    WeightsKey,
    entry,
    optional,
)
from mcrock.excitation.motion import Motion, MotionError
from mcrock.excitation.processing import process
from mcrock.excitation.readers import FORMATS, read_records
from mcrock.excitation.readers.collections import SETS, fema_p695, read_shake_table
from mcrock.excitation.readers.csv_file import read_csv
from mcrock.excitation.selection import survey
from mcrock.excitation.sources.base import WEAK, Paths, ShakingSource, Steps, Unit

FARTHEST = 20.0  # factor on a motion above which it is another one


class RecordedSource(ShakingSource):
    """A list of recorded motions, which the realizations share."""

    finer: ClassVar = "resample the motions (processing)"
    is_curated: ClassVar[bool] = False  # whether the records have been looked at

    assignment: str = entry(
        ChoiceKey(("cycle", "random")),
        "how realizations meet the records: with `cycle` every block of n realizations meets each of "
        "the n motions once, in a Sobol design in an order of its own; with `random` they are drawn",
        "cycle",
        "random",
        default="cycle",
    )
    weights: tuple[float, ...] | None = optional(
        WeightsKey(),
        'weights of the records in their order, with `assignment = "random"`; equal by default',
        [1.0, 2.0],
    )
    record: tuple[int, ...] | None = optional(
        ListOf(
            IntegerKey(0), "a list of numbers of records, from 0, one for each realization", distinct=False
        ),
        "instead of `assignment`; what `ensemble.table` makes of a column",
        [0, 0, 2],
    )
    processing: tuple[dict[str, Any], ...] = entry(
        Steps(),
        "steps applied to every record in their order: `resample`, `bandpass`, `remove_mean`, "
        "`baseline`, `baseline_segments`, `trim`, `rotate`, `reverse`, `assign`, `vertical`; "
        "`help(mcrock.excitation.processing)` has their parameters",
        [{"step": "bandpass", "low": 0.1, "high": 25.0}, {"step": "trim"}],
        default=(),
    )

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from super().conflicts(data)
        if data.get("weights") is not None and data.get("assignment") != "random":
            yield ("weights",), "are those with which motions are drawn: give assignment = 'random' too"
        if data.get("record") is not None and data.get("assignment", "cycle") != "cycle":
            yield ("assignment",), "the record of each realization is listed: leave it out"

    @property
    def draws_records(self) -> bool:
        return self.assignment == "random"

    @property
    def record_weights(self) -> tuple[float, ...] | None:
        return self.weights

    @property
    def listed_records(self) -> tuple[int, ...] | None:
        return self.record

    def readings(self, folder: Path) -> Iterator[Callable[[], list[Motion]]]:
        """What reads the motions of each file, folder or set."""
        raise NotImplementedError

    def doubles(self, folder: Path) -> list[str]:
        """Files that are listed twice: their records would count as several."""
        return []

    @property
    def assigned(self) -> str:
        """How realizations meet the records, in words."""
        if self.record is not None:
            return "one listed for each realization"
        return "drawn at random" if self.draws_records else "each in turn"

    @property
    def origin(self) -> str:
        """Where the motions come from, in words."""
        return "files"

    def load(self, folder: Path) -> tuple[list[Motion], list[str]]:
        read: list[Motion] = []
        mistakes = self.doubles(folder)
        for reading in self.readings(folder):
            try:
                read += reading()
            except MotionError as error:
                mistakes.append(str(error))
        motions = []
        for motion in read:
            try:
                motions.append(self.select(process(motion, self.processing)))
            except MotionError as error:
                mistakes.append(f"{motion.name}: {error}")
        if not mistakes and self.weights is not None and len(self.weights) != len(motions):
            mistakes.append(
                f"weights: expected one for each of the {len(motions)} motions, got {len(self.weights)}"
            )
        if not mistakes and self.record is not None and max(self.record) >= len(motions):
            i = next(i for i, number in enumerate(self.record) if number >= len(motions))
            mistakes.append(
                f"record: realization {i} has the record {self.record[i]}, and there are {len(motions)}, "
                f"0 to {len(motions) - 1}"
            )
        return motions, mistakes

    def sampling_step(self, motions: Sequence[Motion]) -> float:
        return max(motion.dt for motion in motions)

    def fraction_of_weak_pairs(self, motions: Sequence[Motion]) -> float:
        peaks = [np.sort(np.abs(motion.acceleration[:2]).max(axis=1)) for motion in motions]
        pairs = [all(motion.shaken[:2]) for motion in motions]
        weak = [pair and low < WEAK * high for pair, (low, high) in zip(pairs, peaks, strict=True)]
        return float(np.mean(weak))

    def steps_of(self, motion: Motion, folder: Path) -> list[str]:
        return [str(motion.metadata["history"])] if "history" in motion.metadata else []

    def describe(self, motions: Sequence[Motion], folder: Path) -> list[str]:
        groups = len({motion.group for motion in motions})
        several = f" from {groups} recordings" if groups < len(motions) else ""
        durations = [motion.duration for motion in motions]
        ends = dict.fromkeys([f"{min(durations):.3g}", f"{max(durations):.3g}"])
        weighted = ", by weight" if self.weights is not None else ""
        lines = [
            f"motions: {len(motions)}{several} ({self.origin}), {' to '.join(ends)} s long"
            f"{self._where_and_how()}, {self.assigned}{weighted}"
        ]
        # steps that depend on the record, as the trimming, are worded for the first one
        history = str(motions[0].metadata.get("history", ""))
        if self.processing or not self.vertical:
            of_first = " (of the first)" if len(motions) > 1 else ""
            lines.append(f"  processing{of_first}: {history or 'vertical off'}")
        return lines

    def notes(self, measure: str, motions: Sequence[Motion], factors: NDArray[np.float64]) -> list[str]:
        found = super().notes(measure, motions, factors)
        strongest = float(np.abs(factors).max())
        if measure != "factor" and strongest > FARTHEST:
            found.append(f"note: motions are scaled by up to {strongest:.3g} times")
        odd = [] if self.is_curated else [looked for looked in survey(motions) if looked.flags]
        if odd:
            found.append(
                f"note: {len(odd)} of {len(motions)} motions look suspicious as they are used, as "
                f"'{odd[0].motion.name}' does: {odd[0].flags[0]}; `mcrock records check` has all of it for "
                "the files"
            )
        return found


class CsvSource(RecordedSource):
    """Ground motions from text files; relative names start from the folder of the study file."""

    source: Literal["csv"]
    files: tuple[str, ...] = entry(Paths(Text(), "a list of file names"), "files", ["motion.csv"])
    unit: str | None = optional(Unit(), "unit of the accelerations, where the file does not say it", "g")
    dt: float | None = optional(NumberKey("s", above=0.0), "time step, where the file does not say it", 0.01)
    columns: tuple[str, ...] | None = optional(
        ListOf(Text(), "a list of column names"),
        "names of the columns, where a table of text does not say them",
        ["time", "EW", "NS", "UD"],
    )

    def readings(self, folder: Path) -> Iterator[Callable[[], list[Motion]]]:
        for file, name in zip(self.files, self._names(), strict=True):
            yield partial(self._read, folder / file, name)

    def _read(self, path: Path, name: str) -> list[Motion]:
        return [read_csv(path, self.unit, self.dt, name, self.columns)]

    def _names(self) -> list[str]:
        """Names of the motions: of the files without ending, with their folders where that is not unique."""
        stems = Counter(PurePath(file).stem for file in self.files)
        return [file if stems[PurePath(file).stem] > 1 else PurePath(file).stem for file in self.files]


class FemaP695Source(RecordedSource):
    """Record pairs of FEMA P695."""

    is_curated: ClassVar = True

    source: Literal["fema_p695"]
    set: str | tuple[str, ...] = entry(
        ChoiceKey(SETS, several=True, purpose=""),
        "set of records: `farfield` has 1 to 22, `nearfield_pulse` 1 to 14, `nearfield_no_pulse` 15 to 28",
        default="farfield",
    )
    records: str | tuple[int, ...] = entry(
        ListOf(IntegerKey(1), "'all' or a list of record numbers", or_word="all"),
        "records of one set",
        [1, 7, 14],
        default="all",
    )

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from super().conflicts(data)
        if isinstance(data.get("set"), list | tuple) and data.get("records", "all") != "all":
            yield ("records",), "are numbers of one set, and several are listed"

    @property
    def sets(self) -> tuple[str, ...]:
        """The sets, one or several."""
        return (self.set,) if isinstance(self.set, str) else self.set

    @property
    def origin(self) -> str:
        return f"FEMA P695 {' and '.join(self.sets)}"

    def readings(self, folder: Path) -> Iterator[Callable[[], list[Motion]]]:
        records = None if isinstance(self.records, str) else self.records
        for name in self.sets:
            yield partial(fema_p695, name, records)


class FilesSource(RecordedSource):
    """Record files of any known format, and folders of them."""

    source: Literal["files"]
    paths: tuple[str, ...] = entry(
        Paths(Text(), "a list of files or folders"), "files and folders", ["records"]
    )
    format: str | None = optional(ChoiceKey(FORMATS), "format, where the content does not show it", "at2")
    unit: str | None = optional(Unit(), "unit of the accelerations, where the file does not say it", "cm/s2")
    dt: float | None = optional(NumberKey("s", above=0.0), "time step, where the file does not say it", 0.01)
    channels: tuple[int, ...] | None = optional(
        ListOf(IntegerKey(1), "a list of channel numbers"),
        "channels of one sensor, in files that do not say where sensors are",
        [1, 2, 3],
    )
    columns: tuple[str, ...] | None = optional(
        ListOf(Text(), "a list of column names"),
        "names of the columns, where a table of text does not say them",
        ["time", "EW", "NS", "UD"],
    )

    def readings(self, folder: Path) -> Iterator[Callable[[], list[Motion]]]:
        how = {key: getattr(self, key) for key in ("format", "unit", "dt", "channels", "columns")}
        for path in self.paths:
            yield partial(read_records, folder / path, **how)

    def doubles(self, folder: Path) -> list[str]:
        places = [(folder / path).resolve() for path in self.paths]
        return [
            f"{path}: is listed twice"
            if places[i] == other
            else f"{path}: lies in {self.paths[j]}, which is listed too"
            for i, path in enumerate(self.paths)
            for j, other in enumerate(places)
            if (j < i and places[i] == other) or other in places[i].parents
        ]


class ShakeTableSource(RecordedSource):
    """Tests on a shake table: a motion along x for each, as the table moved.

    With `measure = "factor"`, `levels = [1.0]` and as many realizations as tests each realization is a test;
    `mcrock docs motions` has the format.
    """

    source: Literal["shake_table"]
    file: str = entry(Text(), "netCDF file with all tests", "tests.nc")

    def readings(self, folder: Path) -> Iterator[Callable[[], list[Motion]]]:
        yield partial(_read, folder / self.file)


def _read(path: Path) -> list[Motion]:
    return read_shake_table(path).motions
