"""Source ``shake_table``: the tests of a shake table, one file of them all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Literal

from mcrock.base.tables.fields import Text, entry
from mcrock.excitation.motion import Motion
from mcrock.excitation.readers.shake_table import read_shake_table
from mcrock.excitation.sources.recorded import RecordedSource


class ShakeTableSource(RecordedSource):
    """Tests on a shake table: a motion along x for each, as the table moved.

    With `measure = "factor"`, `levels = [1.0]` and as many realizations as tests each realization is a test;
    `mcrock docs motions` has the format.
    """

    source: Literal["shake_table"]
    file: str = entry(Text(), "netCDF file with all tests, from the folder of the study file", "tests.nc")

    def readings(self, folder: Path) -> Iterator[Callable[[], list[Motion]]]:
        yield partial(_read, folder / self.file)


def _read(path: Path) -> list[Motion]:
    return read_shake_table(path).motions
