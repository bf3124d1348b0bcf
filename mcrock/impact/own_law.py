"""A function of one's own as impact law: found, compiled, checked, and known by its source.

The function gives the angular velocity after a landing over that before [1], from what it names as its
arguments: any of `ARGUMENTS`, which `mcrock.impact.own.velocity_ratio` describes. A package names its laws by
entry points of the group `mcrock.impact_laws`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from math import isfinite, isnan, nan, sqrt
from typing import Any

import numba
import numpy as np

from mcrock.base.own_function import OwnFunction

ARGUMENTS = ("inertia", "mass", "height", "old", "new", "rate", "parameter")
SAMPLES = 2000  # landings that a law is tried on [1]
GAIN = 1e-9  # relative growth of energy that is rounding [1]


class OwnLaw(OwnFunction):
    """An impact law that a user gives."""

    group, kind = "mcrock.impact_laws", "impact law"

    def accept(self) -> None:
        """Refuse other arguments than `ARGUMENTS`, and what cannot be compiled; which compiles it."""
        taken = list(inspect.signature(self.function).parameters)
        if not taken or not set(taken) <= set(ARGUMENTS):
            raise ValueError(
                f"impact law {self.name!r}: its arguments must be some of {', '.join(ARGUMENTS)}, "
                f"got ({', '.join(taken)})"
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
        for _ in range(SAMPLES):
            left, right = rng.uniform(0.02, 0.5, 2)
            height, mass = max(left, right) * 10.0 ** rng.uniform(0.0, 1.0), 10.0 ** rng.uniform(0.0, 4.0)
            inertia, rate = mass * (height * rng.uniform(0.4, 1.0)) ** 2, 10.0 ** rng.uniform(-3.0, 1.0)
            numbers = inertia, mass, height, -left, right, rate, parameter
            ratio = of_numbers(*numbers)
            above = inertia + mass * height**2
            most = sqrt((above + mass * left**2) / (above + mass * right**2))
            if not isfinite(ratio):
                fault = f"returns {ratio:g}"
            elif ratio < 0.0:
                fault = f"returns {ratio:.6g}, with which the body turns into the ground"
            elif ratio > most * (1.0 + GAIN):
                fault = f"returns {ratio:.6g}, beyond {most:.6g} it gains energy"
            else:
                continue
            where = ", ".join(f"{key} = {value:.4g}" for key, value in zip(ARGUMENTS, numbers, strict=True))
            lacks = isnan(parameter) and "parameter" in inspect.signature(self.function).parameters
            needed = "; its parameter is impact.own_parameter, which is not given" if lacks else ""
            raise ValueError(
                f"impact law {self.name!r}: {fault}, for a body drawn to try it ({where}){needed}"
            )


@cache
def _compiled(function: Callable[..., float], name: str) -> Any:
    """C function of numbers, kept as long as the process."""
    taken = ", ".join(inspect.signature(function).parameters)
    names: dict[str, Any] = {"law": numba.njit(error_model="numpy")(function)}
    exec(f"def all_of({', '.join(ARGUMENTS)}): return float(law({taken}))", names)
    try:
        signature = numba.float64(*[numba.float64] * len(ARGUMENTS))
        return numba.cfunc(signature, error_model="numpy")(names["all_of"])
    except Exception as error:  # numba raises whatever the function made it do
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise ValueError(f"impact law {name!r}: numba cannot compile it: {' '.join(lines[:4])}") from None
