"""Lines of a record file, and numbers out of them with messages that name the line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, isfinite
from pathlib import Path

import numpy as np

from mcrock.excitation.motion import FloatArray, MotionError
from mcrock.excitation.readers.lines import read_content, split_lines

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)"  # in a regular expression


class BinaryFileError(MotionError):
    """A file that is not text."""


@dataclass(frozen=True)
class TextFile:
    """A record file in memory; lines count from 0 here and from 1 in messages.

    Blank lines at the beginning are `skipped`, so that `lines` begins where the format does.
    """

    path: Path
    lines: list[str]
    skipped: int = 0

    @classmethod
    def load(cls, path: Path) -> TextFile:
        """Read a file in UTF-8 or, where it is not that, Latin-1.

        Raises
        ------
        MotionError
            If the file cannot be read or is not text.
        """
        content = read_content(path)
        if b"\0" in content[:4096]:
            raise BinaryFileError(f"{path}: not a text file")
        lines = split_lines(content)
        skipped = next((i for i, line in enumerate(lines) if line.strip()), 0)
        return cls(path, lines[skipped:], skipped)

    def line(self, index: int) -> str:
        """A line, refused where the file is shorter."""
        if index >= len(self.lines):
            last = self.last + self.skipped + 1
            raise MotionError(f"{self.path}: the file ends in its header, after line {last}")
        return self.lines[index]

    @property
    def last(self) -> int:
        """Index of the last line that is not blank."""
        return next((i for i in range(len(self.lines) - 1, -1, -1) if self.lines[i].strip()), 0)

    def error(self, index: int, reason: str) -> MotionError:
        """An error that names the file and the line."""
        return MotionError(f"{self.path}, line {index + self.skipped + 1}: {reason}")

    def number(self, index: int, text: str, what: str, *, positive: bool = False) -> float:
        """A number of the header, `what` with its unit in words."""
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not isfinite(value) or "_" in text or (positive and value <= 0):
            kind = "a number > 0" if positive else "a number"
            raise self.error(index, f"{what} must be {kind}, got {text.strip()!r}")
        return value

    def count(self, index: int, text: str, what: str = "number of samples") -> int:
        """A number of samples of the header, at least 2."""
        value = self.number(index, text, what, positive=True)
        if value != int(value) or value < 2:
            raise self.error(index, f"{what} must be a whole number >= 2, got {text.strip()!r}")
        return int(value)

    def samples(
        self, first: int, count: int, per_line: int | None = None, width: int | None = None
    ) -> tuple[FloatArray, int]:
        """Samples that begin in line `first`, and the line after them.

        Parameters
        ----------
        first : int
            Line of the first sample.
        count : int
            Number of samples that the header declares.
        per_line : int, optional
            Samples in a full line; without it the samples go on to the end of the file.
        width : int, optional
            Width of the columns, of formats whose numbers may touch; without it blanks separate.

        Raises
        ------
        MotionError
            Where the file has fewer or more samples, or something that is not a finite number.
        """
        end = self.last + 1 if per_line is None else first + ceil(count / per_line)
        block = self.lines[first:end]
        fields = _fields(block, width)
        try:
            values = np.array(fields, dtype=np.float64)
        except ValueError:
            raise self._not_a_number(first, width, count) from None
        if len(values) < count or end > len(self.lines):
            raise self._truncated(first, len(values), count, end)
        if len(values) > count:
            raise self.error(
                end - 1, f"the file goes on after {count} samples, the number that its header declares"
            )
        if not np.isfinite(values).all() or "_" in " ".join(block):
            raise self._not_a_number(first, width, count)
        return values, end

    def table(
        self, first: int, columns: int, count: int | None = None, separator: str | None = None
    ) -> FloatArray:
        """Samples (n_time, columns) of a table that begins in line `first`, one line for each time step.

        Parameters
        ----------
        first : int
            Line of the first sample.
        columns : int
            Numbers in a line.
        count : int, optional
            Lines that the header declares, by default all there are.
        separator : str, optional
            Between the numbers, also without a number at the end of a line; by default blanks.

        Raises
        ------
        MotionError
            Where the file has fewer or more lines, or one that is not `columns` finite numbers.
        """
        end = self.last + 1
        if separator is not None:
            rows = [line.rstrip(f"{separator} \t").replace(separator, " ") for line in self.lines[first:end]]
            return replace(self, lines=[*self.lines[:first], *rows]).table(first, columns, count)
        for i in range(first, end if count is None else min(first + count, end)):
            if len(self.lines[i].split()) != columns:
                raise self.error(
                    i, f"expected {columns} columns of numbers, got {self.lines[i].strip()[:40]!r}"
                )
        if count is None and end - first < 2:
            raise self.error(end - 1, f"at least 2 lines of {columns} columns of numbers must follow")
        samples, _ = self.samples(first, columns * (end - first if count is None else count))
        return samples.reshape(-1, columns)

    def _truncated(self, first: int, found: int, count: int, end: int) -> MotionError:
        last = min(end - 1, self.last)
        return self.error(
            max(last, first - 1),
            f"the samples end after {found} of the {count} that the header declares; is the file truncated?",
        )

    def _not_a_number(self, first: int, width: int | None, count: int) -> MotionError:
        """The first thing among the samples that is not a finite number."""
        found = 0
        for index in range(first, self.last + 1):
            for field in _fields([self.lines[index]], width):
                try:
                    good = isfinite(float(field)) and "_" not in field
                except ValueError:
                    good = False
                if not good:
                    shown = field if len(field) <= 40 else f"{field[:37]}..."
                    return self.error(
                        index, f"expected a number, got {shown!r} after {found} of {count} samples"
                    )
                found += 1
        raise AssertionError("every sample is a number")  # called only where one is not


def _fields(lines: list[str], width: int | None) -> list[str]:
    """Fields of some lines; a blank column counts as none."""
    if width is None:
        return " ".join(lines).split()
    columns = (
        line[i : i + width].strip() for line in map(str.rstrip, lines) for i in range(0, len(line), width)
    )
    return [column for column in columns if column]
