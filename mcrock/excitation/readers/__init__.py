"""Readers of record files, and what turns components into motions.

A format has `matches(file)`, whether the content looks like it, and `read(file)`, which returns a
`RecordedComponent` for each component. `READERS` lists them in the order in which they are asked.
"""

from mcrock.excitation.readers.read import (
    FORMATS,
    READERS,
    FolderContents,
    assemble,
    from_stream,
    read_records,
    scan_records,
    word_left_out,
)
from mcrock.excitation.readers.text_file import RecordedComponent

__all__ = [
    "FORMATS",
    "READERS",
    "FolderContents",
    "RecordedComponent",
    "assemble",
    "from_stream",
    "read_records",
    "scan_records",
    "word_left_out",
]
