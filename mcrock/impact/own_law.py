"""A function of one's own as impact law: found, compiled, checked, and known by its source.

The function gives the angular velocity after a landing over that before [1], from what it names as its
arguments: any of `ARGUMENTS`, which `mcrock.impact.own.velocity_ratio` describes. A package names its laws by
entry points of the group `mcrock.impact_laws`.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from math import isfinite, nan, sqrt
from typing import Any, Self

import numba
import numpy as np

ARGUMENTS = ("inertia", "mass", "height", "old", "new", "rate", "parameter")
GROUP = "mcrock.impact_laws"
SAMPLES = 2000  # landings that a law is tried on [1]
GAIN = 1e-9  # relative growth of energy that is rounding [1]


@dataclass(frozen=True, eq=False)
class OwnLaw:
    """An impact law that a user gives; pickled with its function, wherever that was defined."""

    name: str
    function: Callable[..., float]  # in plain Python
    source: str  # hash of the source, with that of the functions and the values of the numbers that it uses

    @classmethod
    def of(cls, given: Any, name: str = "") -> Self:
        """The law that a function is, compiled by numba or to be compiled.

        Raises
        ------
        ValueError
            If it cannot be compiled or takes other arguments than `ARGUMENTS`.
        """
        function = getattr(given, "py_func", given)
        name = name or getattr(function, "__name__", "law")
        if not inspect.isfunction(function):
            raise ValueError(f"impact law {name!r}: expected a function, got {type(given).__name__}")
        taken = list(inspect.signature(function).parameters)
        if not taken or not set(taken) <= set(ARGUMENTS):
            raise ValueError(
                f"impact law {name!r}: its arguments must be some of {', '.join(ARGUMENTS)}, "
                f"got ({', '.join(taken)})"
            )
        law = cls(name, function, source_of(function))
        law.code  # noqa: B018  # compiled here, or refused
        return law

    @classmethod
    def named(cls, name: str) -> Self:
        """The law of a package, by its name there.

        Raises
        ------
        ValueError
            If no installed package has it, or as `of`.
        """
        known = {entry.name: entry for entry in entry_points(group=GROUP)}
        if name not in known:
            raise ValueError(
                f"no installed package has an impact law {name!r} (entry points of {GROUP}: "
                f"{', '.join(sorted(known)) or 'none'}); a function of Python is given to run_study as law"
            )
        return cls.of(known[name].load(), name)

    @property
    def words(self) -> str:
        """Name and hash, by which results and stores know the law."""
        return f"{self.name}, source {self.source}"

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
            raise ValueError(f"impact law {self.name!r}: {fault}, for {where}")

    @classmethod
    def found(cls, given: Self | str | None) -> Self | None:
        """The law of a run or a study, which may know it by its name alone; raises as `named`."""
        return cls.named(given) if isinstance(given, str) else given

    def __reduce__(self) -> Any:
        import cloudpickle  # type: ignore[import-untyped]  # which takes functions of notebooks and scripts along

        return _unpickled, (self.name, cloudpickle.dumps(self.function), self.source)


def _unpickled(name: str, function: bytes, source: str) -> OwnLaw:
    import cloudpickle

    return OwnLaw(name, cloudpickle.loads(function), source)


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


def source_of(function: Callable[..., Any]) -> str:
    """Hash of the source of a function, and of what it uses of its module."""
    digest = hashlib.sha256()
    for part in _parts(function, set()):
        digest.update(part.encode())
    return digest.hexdigest()[:16]


def _parts(function: Any, seen: set[str]) -> Iterator[str]:
    """Source of a function, then names and values of what it uses: functions of Python by their source."""
    code = function.__code__
    try:
        yield inspect.getsource(function)
    except OSError:  # of a prompt
        yield f"{code.co_code.hex()} {code.co_consts}"
    used = inspect.getclosurevars(function)
    for name, value in sorted({**used.globals, **used.nonlocals}.items()):
        inner = getattr(value, "py_func", value)
        if inspect.ismodule(value) or name in seen:
            continue
        seen.add(name)
        yield name
        yield from _parts(inner, seen) if inspect.isfunction(inner) else (repr(value),)
