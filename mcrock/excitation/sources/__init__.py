"""Sources of ground motions: the table ``[motion]`` of a study file, one module for each source.

A new source is a module with a subclass of `RecordedSource` or `GeneratedSource`, and its line in `SOURCES`.
"""

from mcrock.base.tables.inputs import Declaration, declare
from mcrock.excitation.sources.base import Source
from mcrock.excitation.sources.csv import CsvSource
from mcrock.excitation.sources.fema_p695 import FemaP695Source
from mcrock.excitation.sources.files import FilesSource
from mcrock.excitation.sources.fitted import FittedSource
from mcrock.excitation.sources.floor import Floor
from mcrock.excitation.sources.pulse import PulseSource
from mcrock.excitation.sources.shake_table import ShakeTableSource
from mcrock.excitation.sources.spectrum import SpectrumSource
from mcrock.excitation.sources.still import StillSource
from mcrock.excitation.sources.synthetic import SyntheticSource

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
