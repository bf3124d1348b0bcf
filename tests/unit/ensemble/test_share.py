"""Processes of one machine read the ground motions from one mapped file."""

import mmap

import numpy as np
import pytest

from mcrock.ensemble.schedule import open_shared, share
from mcrock.excitation import Motion, Pulse, pack_motions


def root(array):
    """What the memory of an array belongs to at last."""
    while isinstance(array, np.ndarray) and array.base is not None:
        array = array.base
    return array.obj if isinstance(array, memoryview) else array


@pytest.mark.parametrize("n", [0, 2, 5])
def test_arrays_are_mapped_and_equal(tmp_path, n):
    rng = np.random.default_rng(n)
    motions = [Motion(rng.normal(size=(3, 40 + i)), dt=0.01, name=str(i)) for i in range(n)] or [
        Pulse((1, 0, 0), 3)
    ]
    pack = pack_motions(motions)
    shared = share((motions, pack), tmp_path / "arrays")
    assert len(shared.pickled) < 2000 + 500 * n  # no samples
    again, opened = open_shared(shared)
    for name, array, mapped in zip(pack._fields, pack, opened, strict=True):
        assert (array.dtype, array.tobytes()) == (mapped.dtype, mapped.tobytes()), name
        assert mapped.flags.writeable, name  # else the kernel is compiled again
        assert mapped.flags.c_contiguous, name
        assert not array.size or isinstance(root(mapped), mmap.mmap), name
    for mine, its in zip(motions, again, strict=True):
        if isinstance(mine, Motion):
            assert np.array_equal(mine.acceleration, its.acceleration)
            assert isinstance(root(its.acceleration), mmap.mmap)


def test_a_process_that_writes_changes_its_own_copy(tmp_path):
    shared = share(np.arange(4.0), tmp_path / "arrays")
    first = open_shared(shared)
    first[:] = -1.0
    assert open_shared(shared).tolist() == [0.0, 1.0, 2.0, 3.0]
