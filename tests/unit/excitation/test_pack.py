"""The pack holds every motion bit for bit, at the place its index says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcrock.base.params import BLOCK
from mcrock.excitation import Motion, Pulse, one_cosine, one_sine, pack_motions


def motion(n, dt=0.01):
    return Motion(np.random.default_rng(n).normal(size=(3, n)), dt=dt, name=f"motion {n}")


@given(st.lists(st.one_of(st.integers(2, 9), st.none()), min_size=1, max_size=6))
def test_every_motion_is_found_again(lengths):
    motions = [one_sine(1.0, 2.0) if n is None else motion(n, dt=n / 100) for n in lengths]
    pack = pack_motions(motions)
    assert pack.samples.shape == (sum(n or 0 for n in lengths), 3)
    for i, given_motion in enumerate(motions):
        samples = pack.samples[pack.first[i] : pack.first[i] + pack.length[i]]
        if isinstance(given_motion, Pulse):
            assert (len(samples), pack.dt[i]) == (0, 0.0)
            assert pack.pulse[i].tolist() == [1.0, 0.0, 0.0, 2.0, 0.0, 0.0, given_motion.end]
        else:
            np.testing.assert_array_equal(samples, given_motion.acceleration.T)
            assert pack.dt[i] == given_motion.dt
            assert not pack.pulse[i].any()


@pytest.mark.parametrize("motions", [[motion(4)], [one_sine(1, 2)], [one_sine(1, 2), motion(4), motion(3)]])
def test_types_and_layout_never_vary(motions):
    # else compiled code would be compiled anew for each mix of motions
    pack = pack_motions(motions)
    dtypes = {name: array.dtype for name, array in pack._asdict().items()}
    integers = {"first", "length", "first_block"}
    assert dtypes == {name: "i8" if name in integers else "f8" for name in pack._fields}
    assert all(array.flags.c_contiguous and array.flags.writeable for array in pack)
    assert pack.pulse.shape == (len(motions), 7)


def test_blocks_bound_every_step_of_a_motion():
    """Also where its largest sample is the last of a block, or the first of the next."""
    rng = np.random.default_rng(0)
    sizes = (2, BLOCK, BLOCK + 1, 3 * BLOCK, 3 * BLOCK, 3 * BLOCK)
    samples = [rng.normal(size=(3, n)) for n in sizes]
    for one, at in zip(samples[-2:], (BLOCK, BLOCK - 1), strict=True):
        one[:, at] *= 100.0
    motions = [Motion(one, dt=0.1, name=str(i)) for i, one in enumerate(samples)]
    pack = pack_motions([*motions, one_sine(1, 2)])
    for i, motion_ in enumerate(motions):
        samples = motion_.acceleration.T
        for k in range(len(samples) - 1):
            largest, least, most = pack.block[pack.first_block[i] + k // BLOCK]
            assert np.hypot(*samples[k : k + 2, :2].T).max() <= largest
            assert least <= samples[k : k + 2, 2].min() <= samples[k : k + 2, 2].max() <= most


def test_pulse_columns():
    pulse = Pulse((1.0, 2.0, 3.0), angular_frequency=4.0, phase=0.5, cycles=2.0, start=6.0)
    assert pack_motions([pulse]).pulse[0].tolist() == [1.0, 2.0, 3.0, 4.0, 0.5, 6.0, pulse.end]
    assert pack_motions([one_cosine(1.0, 2.0)]).pulse[0, 4] == np.pi / 2
