"""Impulse where a law of one's own places it: a function of the user, compiled outside the kernel.

A function of one's own, by the name that results give with the hash of its source.
The kernel knows such a law by the address of its code, so that no law of a user compiles the kernel anew; the
address is that of the process, 0 if there is none. `mcrock.impact.own_law` makes it.
"""

from __future__ import annotations

import ctypes
from math import nan
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from mcrock.base.jit import jit

N_ARGUMENTS = 7
PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * N_ARGUMENTS)


def at_address(address, inertia, mass, height, old, new, rate, parameter):
    """What the code at an address returns."""
    return PROTOTYPE(address)(inertia, mass, height, old, new, rate, parameter)


@intrinsic
def _called(_context: Any, _address: Any, _numbers: Any) -> Any:
    """The same in compiled code, of the arguments in a tuple."""
    signature = types.float64(types.int64, types.UniTuple(types.float64, N_ARGUMENTS))

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        real, (address, numbers) = ir.DoubleType(), arguments
        kind = ir.FunctionType(real, [real] * N_ARGUMENTS).as_pointer()
        taken = [builder.extract_value(numbers, i) for i in range(N_ARGUMENTS)]
        return builder.call(builder.inttoptr(address, kind), taken)

    return signature, generate


@overload(at_address)
def _compiled(address, inertia, mass, height, old, new, rate, parameter):
    return lambda address, inertia, mass, height, old, new, rate, parameter: _called(  # type: ignore[call-arg]
        address, (inertia, mass, height, old, new, rate, parameter)
    )


@jit(internal=True)
def velocity_ratio(address, inertia, mass, height, old, new, rate, parameter):
    """Angular velocity after a landing over that before [1], NaN without a law.

    Parameters
    ----------
    address : int
        Of the code of the law.
    inertia, mass : float
        Of the body, about its centre of mass in the plane of the motion [kg m2], [kg].
    height : float
        Of the centre of mass over the base [m].
    old, new : float
        Places of the edges from the foot of the centre of mass, old < new [m].
    rate : float
        Angular velocity just before about an axis across that plane, 0 or more [rad/s].
    parameter : float
        ``impact.own_parameter`` of the run or impact [1], NaN without one.
    """
    if address == 0:
        return nan
    return at_address(address, inertia, mass, height, old, new, rate, parameter)
