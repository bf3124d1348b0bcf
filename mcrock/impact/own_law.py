"""A function of one's own as impact law: found, compiled, checked, and known by its source.

The function gives the angular velocity after a landing over that before [1], from what it names as its
arguments: any of `ARGUMENTS`, which `mcrock.impact.own.velocity_ratio` describes. A package names its laws by
entry points of the group `mcrock.impact_laws`.
"""

from __future__ import annotations

import ctypes
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from math import isfinite, isnan, nan, sqrt
from threading import local
from typing import Any

import numba
import numpy as np

from mcrock.base.checks import suggest
from mcrock.base.own_function import OwnFunction

ARGUMENTS = {  # and their units
    "inertia": "kg m2", "mass": "kg", "height": "m", "old": "m", "new": "m", "rate": "rad/s",
    "parameter": "1",
}  # fmt: skip
SAMPLES = 2000  # landings that a law is tried on [1]
GAIN = 1e-9  # relative growth of energy that is rounding [1]
_first = local()  # what a law has done wrong first, in each thread


class OwnLaw(OwnFunction):
    """An impact law that a user gives."""

    kind = "impact law"

    def accept(self) -> None:
        """Refuse other arguments than `ARGUMENTS`, and what cannot be compiled; which compiles it."""
        taken = list(inspect.signature(self.function).parameters)
        if not taken or not set(taken) <= set(ARGUMENTS):
            close = "".join(suggest(name, ARGUMENTS) for name in taken if name not in ARGUMENTS)
            raise ValueError(
                f"impact law {self.name!r}: its arguments must be some of {', '.join(ARGUMENTS)}, by these "
                f"names in any order; got ({', '.join(taken)}){close}"
            )
        self.code  # noqa: B018

    @property
    def code(self) -> Any:
        """Compiled for the kernel."""
        return _compiled(self.function, self.name)

    @property
    def address(self) -> int:
        """Of the code in this process."""
        return int(self.code.address)

    def check(self, parameter: float = nan) -> None:
        """Try the law on landings of bodies of many forms, none wider than high.

        Parameters
        ----------
        parameter : float
            The argument of this name.

        Raises
        ------
        ValueError
            If it returns no number, gains energy, or leaves a body that turns into the ground.
        """
        rng, of_numbers = np.random.default_rng(0), self.code.ctypes
        lacks = isnan(parameter) and "parameter" in inspect.signature(self.function).parameters
        needed = "; its parameter is impact.own_parameter, which is not given" if lacks else ""
        with self.watched(f"for a body drawn to try it{needed}"):
            for _ in range(SAMPLES):
                left, right = rng.uniform(0.02, 0.5, 2)
                height, mass = max(left, right) * 10.0 ** rng.uniform(0.0, 1.0), 10.0 ** rng.uniform(0.0, 4.0)
                inertia, rate = mass * (height * rng.uniform(0.4, 1.0)) ** 2, 10.0 ** rng.uniform(-3.0, 1.0)
                of_numbers(inertia, mass, height, -left, right, rate, parameter)

    @contextmanager
    def watched(self, where: str = "in a run") -> Iterator[None]:
        """Raise a RealizationError of the first landing within, in this thread, that a law must not have."""
        _first.fault = None
        yield
        if (fault := _first.fault) is None:
            return
        from mcrock.base.tables.errors import RealizationError  # loads pydantic

        *numbers, ratio, most = fault
        if not isfinite(ratio):
            words = f"returns {ratio:g}"
        elif ratio < 0.0:
            words = f"returns {ratio:.6g}, with which the body turns into the ground"
        else:
            words = f"returns {ratio:.6g}, beyond {most:.6g} it gains energy"
        values = dict(zip(ARGUMENTS, numbers, strict=True))
        taken = [
            f"{key} = {values[key]:.4g} {ARGUMENTS[key]}"
            for key in inspect.signature(self.function).parameters
        ]
        raise RealizationError(f"impact law {self.name!r}: {self.name}({', '.join(taken)}) {words}, {where}")


@numba.njit(error_model="numpy")
def _most(inertia: float, mass: float, height: float, old: float, new: float) -> float:
    """Ratio that keeps all energy of a landing [1]."""
    above = inertia + mass * height**2
    return sqrt((above + mass * old**2) / (above + mass * new**2))


def _note(*fault: float) -> None:
    """Called from compiled code by what must not be: arguments of the law, ratio and the most it may be."""
    if getattr(_first, "fault", None) is None:
        _first.fault = fault


NOTE = ctypes.CFUNCTYPE(None, *[ctypes.c_double] * (len(ARGUMENTS) + 2))(_note)


@cache
def _compiled(function: Callable[..., float], name: str) -> Any:
    """C function of numbers, kept as long as the process."""
    taken, all_of = ", ".join(inspect.signature(function).parameters), ", ".join(ARGUMENTS)
    names: dict[str, Any] = {"law": numba.njit(error_model="numpy")(function), "most": _most, "note": NOTE}
    exec(
        f"def all_of({all_of}):\n"
        f"    ratio, limit = float(law({taken})), most(inertia, mass, height, old, new)\n"
        f"    if not 0.0 <= ratio <= limit * (1.0 + {GAIN!r}): note({all_of}, ratio, limit)\n"
        "    return ratio",
        names,
    )
    try:
        signature = numba.float64(*[numba.float64] * len(ARGUMENTS))
        return numba.cfunc(signature, error_model="numpy")(names["all_of"])
    except Exception as error:  # numba raises whatever the function made it do
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise ValueError(f"impact law {name!r}: numba cannot compile it: {' '.join(lines[:4])}") from None
