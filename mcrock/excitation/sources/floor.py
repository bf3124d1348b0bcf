"""The table of the floor between ground and body, ``[motion.floor]``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar

from mcrock.base.tables.distributions import Distribution, Quantity, Uncertain
from mcrock.base.tables.fields import IntegerKey, ListOf, NumberKey, Table, entry, optional
from mcrock.base.tables.inputs import Input, Inputs, Numbers
from mcrock.excitation.floor import VibrationMode, chain_modes, floor_motion, floor_tail, oscillator_modes
from mcrock.excitation.motion import Motion

FEW = 0.01  # share of the realizations [1]
MOST_DAMPING = 0.99  # fraction of critical [1]

Masses = ListOf(NumberKey("kg", above=0.0), "a list of masses [kg], from the first floor up", distinct=False)
Stiffnesses = ListOf(
    NumberKey("N/m", above=0.0),
    "a list of stiffnesses [N/m] of the storeys, from the lowest up",
    distinct=False,
)


class Floor(Table):
    """A floor of a building between ground and body, in both horizontal directions alike: an oscillator, or
    a chain of masses."""

    inputs: ClassVar[Inputs] = {
        "frequency": Input("natural frequency of the floor"),
        "factor": Input("participation factor times mode shape at the floor"),
        "damping": Input("damping of the building"),
    }

    frequency: Quantity | None = optional(
        Uncertain("Hz", above=0.0), "natural frequency of an oscillator", 2.0
    )
    factor: Quantity = entry(
        Uncertain("1"),
        "of an oscillator: participation factor times mode shape at the floor",
        1.3,
        default=1.0,
    )
    damping: Quantity = entry(Uncertain("1", above=0.0, most=MOST_DAMPING), "damping ratio", default=0.05)
    masses: tuple[float, ...] | None = optional(
        Masses, "masses of a chain, from the first floor up", [200000.0, 200000.0, 150000.0]
    )
    stiffnesses: tuple[float, ...] | None = optional(
        Stiffnesses,
        "stiffnesses of the storeys of a chain, from the lowest up",
        [200000000.0, 200000000.0, 150000000.0],
    )
    number: int | None = optional(
        IntegerKey(1), "number of the floor of a chain that the body stands on, 1 for the lowest", 2
    )

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        chain = [key for key in ("masses", "stiffnesses", "number") if key in data]
        if ("frequency" in data) == bool(chain) or (chain and len(chain) < 3):
            yield (
                (),
                "give the 'frequency' [Hz] of an oscillator, or 'masses', 'stiffnesses' and the 'number' of "
                "a floor",
            )
        if chain and "factor" in data:
            yield ("factor",), "is of an oscillator; that of a floor of a chain follows from its masses"
        masses, stiffnesses, number = (data.get(key) for key in ("masses", "stiffnesses", "number"))
        if isinstance(masses, list | tuple) and isinstance(stiffnesses, list | tuple):
            if len(masses) != len(stiffnesses):
                yield ("stiffnesses",), f"expected as many as masses, {len(masses)}, got {len(stiffnesses)}"
            if isinstance(number, int) and number > len(masses):
                yield ("number",), f"the building has {len(masses)} floors, got {number}"

    @property
    def quantities(self) -> dict[str, Quantity]:
        """What may differ between realizations, by key."""
        of_oscillator = {} if self.frequency is None else {"frequency": self.frequency, "factor": self.factor}
        return {"damping": self.damping, **of_oscillator}

    def respond(self, motion: Motion, numbers: Numbers) -> Motion:
        """Motion of the floor above a motion of the ground, with the numbers of a realization."""
        return floor_motion(motion, self._modes(float(numbers["floor.damping"]), numbers))

    def check(self, numbers: Numbers) -> None:
        """Refuse numbers with which the floor swings on for too long.

        Raises
        ------
        MotionError
            As `mcrock.excitation.floor.floor_tail`.
        """
        lowest = numbers["floor.frequency"] if self._chain is None else self._chain_frequencies[0]
        floor_tail(oscillator_modes(float(lowest), float(numbers["floor.damping"]), "x"))

    def _modes(self, damping: float, numbers: Numbers) -> list[VibrationMode]:
        """Modes of the building in both horizontal directions."""
        if self._chain is None:
            frequency, factor = float(numbers["floor.frequency"]), float(numbers["floor.factor"])
            return oscillator_modes(frequency, damping, "xy", factor)
        masses, stiffnesses, number = self._chain
        return [mode for axis in "xy" for mode in chain_modes(masses, stiffnesses, damping, number, axis)]

    @cached_property
    def _chain_frequencies(self) -> list[float]:
        """Natural frequencies of a chain, from the lowest up [Hz]."""
        return sorted(mode.frequency for mode in self._modes(0.0, {}))

    @property
    def _chain(self) -> tuple[tuple[float, ...], tuple[float, ...], int] | None:
        """Masses, stiffnesses and the number of the floor, of a floor that is one of a chain."""
        if self.masses is None or self.stiffnesses is None or self.number is None:
            return None
        return self.masses, self.stiffnesses, self.number

    def reaches_above(self, frequency: float) -> bool:
        """Whether a natural frequency of the building is above one [Hz], in more than a few realizations."""
        if isinstance(self.frequency, Distribution):
            return self.frequency.share_outside(None, None, frequency) > FEW
        if self.frequency is not None:
            return self.frequency > frequency
        return self._chain_frequencies[-1] > frequency

    @property
    def place(self) -> str:
        """Where the body stands, in words."""
        if self.masses is not None:
            return f"on floor {self.number} of {len(self.masses)}"
        if isinstance(self.frequency, Distribution):
            return "on a floor"
        return f"on a floor of {self.frequency:g} Hz"

    @property
    def history(self) -> str:
        """What the floor does to a motion, in words."""
        kind = "an oscillator" if self.masses is None else f"floor {self.number} of a chain"
        return f"response of {kind}"
