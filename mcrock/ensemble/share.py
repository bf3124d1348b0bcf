"""One copy of the ground motions for all processes of a machine: a file that each of them maps."""

from __future__ import annotations

import mmap
import pickle
from pathlib import Path
from typing import Any, NamedTuple

ALIGNMENT = 64  # of every array in the file [bytes]


class Shared(NamedTuple):
    """An object whose arrays lie in a file; what is sent to a process is small."""

    pickled: bytes  # all but the arrays
    path: Path
    spans: list[tuple[int, int]]  # first byte and the one behind the last of each array


def share(value: Any, path: Path) -> Shared:
    """Write the arrays of an object to the file `path`; `open_shared` gives the object back.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     shared = share({"samples": np.arange(3.0)}, Path(folder, "arrays"))
    ...     opened = open_shared(shared)
    >>> opened["samples"]
    array([0., 1., 2.])
    """
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    spans = []
    with path.open("wb") as file:
        for buffer in buffers:
            file.write(b"\0" * (-file.tell() % ALIGNMENT))
            first = file.tell()
            file.write(buffer.raw())
            spans.append((first, file.tell()))
        file.write(b"\0")  # an empty file cannot be mapped
    return Shared(pickled, path, spans)


def open_shared(shared: Shared) -> Any:
    """The object, its arrays mapped: pages are read once for all processes, and copied if written to."""
    with shared.path.open("rb") as file:
        mapped = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    return pickle.loads(shared.pickled, buffers=[mapped[first:end] for first, end in shared.spans])
