"""Compiled code compiles once: whatever Python types come in, one signature is behind them."""

import numpy as np
from numba import typeof

import mcrock
from mcrock.kernel.batch import run_part
from mcrock.kernel.contact import fill_constants
from mcrock.kernel.layout import run_type


def test_kernel_compiles_once():
    """Start, motion, scale and parameters of every Python type lead to one signature."""
    before = set(fill_constants.signatures)
    body = mcrock.cuboid(0.4, 0.4, 1.6, 2600)
    motion = mcrock.Motion(np.zeros((3, 5)), dt=1, name="still")
    for impact in (
        mcrock.Impact(),
        mcrock.Impact(lambda_=1, tau=0),
        mcrock.Impact(tau_facet=0, point=(0, 0)),
    ):
        mcrock.simulate(body, motion, impact, start=mcrock.Start(edge=1, tilt=0), t_end=1)
    mcrock.simulate(body, mcrock.Pulse((1, 0, 0), 3), start=mcrock.Start(edge=np.int32(1), tilt=0), t_end=2)
    mcrock.simulate(body, motion, contact=mcrock.Contact(friction=0.5), t_end=1)
    own = typeof(np.zeros(1, run_type())[0])  # other tests have records of other sizes
    assert sum(signature[0] == own for signature in run_part.signatures) == 2  # with friction and without
    # a body's arrays are read-only, those of a part are not
    added = set(fill_constants.signatures) - before
    assert all(array.mutable for signature in added for array in signature[2:4])
