"""Source ``fema_p695``: record pairs of FEMA P695."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

from mcrock.base.tables.fields import ChoiceKey, IntegerKey, ListOf, entry
from mcrock.excitation.motion import Motion
from mcrock.excitation.readers.fema_p695 import SETS, fema_p695
from mcrock.excitation.sources.recorded import RecordedSource


class FemaP695Source(RecordedSource):
    """Record pairs of FEMA P695."""

    is_curated: ClassVar = True

    source: Literal["fema_p695"]
    set: str | tuple[str, ...] = entry(
        ChoiceKey(SETS, several=True, purpose=""),
        "set of records: `farfield` (records 1 to 22), `nearfield_pulse` (1 to 14), "
        "`nearfield_no_pulse` (15 to 28), or a list of them",
        default="farfield",
    )
    records: str | tuple[int, ...] = entry(
        ListOf(IntegerKey(1), "'all' or a list of record numbers", or_word="all"),
        "numbers of the records of one set, or all",
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
