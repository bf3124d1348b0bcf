"""Sources of ground motions: the table ``[motion]`` of a study file.

A new source is a subclass of `RecordedSource` or `GeneratedSource`, and its line in `SOURCES`.
"""

from mcrock.base.tables.fields import Declaration, declare
from mcrock.excitation.sources.base import Floor, Source, StillSource
from mcrock.excitation.sources.generated import FittedSource, PulseSource, SpectrumSource, SyntheticSource
from mcrock.excitation.sources.recorded import CsvSource, FemaP695Source, FilesSource, ShakeTableSource

SOURCES: dict[str, type[Source]] = {
    "fema_p695": FemaP695Source,
    "files": FilesSource,
    "csv": CsvSource,
    "shake_table": ShakeTableSource,
    "pulse": PulseSource,
    "synthetic": SyntheticSource,
    "fitted": FittedSource,
    "spectrum": SpectrumSource,
    "none": StillSource,
}


def declarations() -> list[Declaration]:
    """Dataset variables of what realizations draw, of all sources and of the floor."""
    found = [item for source in SOURCES.values() for item in source.declarations()]
    return [*found, *declare(Floor, Floor.inputs, "motion_floor_")]
