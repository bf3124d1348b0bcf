"""What is asked of every source of ground motions, and what those that shake the ground have in common.

A source is the table ``[motion]`` of a study file with all that mcrock knows about motions from there: the
keys of the table, what of them differs between realizations, how motions are read or made, and the words for
people. Callers ask the source; none of them asks which source it is. The floor between ground and body is the
table ``[motion.floor]``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import degrees, pi
from pathlib import Path, PurePath
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from mcrock.base.checks import joined
from mcrock.base.tables.distributions import Discrete, Distribution, Quantity, Uncertain
from mcrock.base.tables.fields import (
    ChoiceKey,
    Declaration,
    FlagKey,
    Input,
    Inputs,
    IntegerKey,
    Kind,
    ListOf,
    NumberKey,
    Numbers,
    Table,
    declare,
    design_order,
    entry,
    exactly_one,
    optional,
)
from mcrock.base.tables.parsing import refuse
from mcrock.base.units import ACCELERATIONS, parse_unit
from mcrock.excitation.measures import MEASURES
from mcrock.excitation.motion import Motion, MotionError
from mcrock.excitation.processing import (
    VibrationMode,
    chain_modes,
    check_steps,
    floor_motion,
    floor_tail,
    isolator_displacement,
    oscillator_modes,
    vertical,
)

STILL_TIME = 1e-3  # length of the record of ground that does not move [s]; the tail follows


class Source(Table):
    """Where the ground motions of a study come from; what it answers here is that nothing moves."""

    shakes: ClassVar[bool] = True  # whether the ground moves
    is_generated: ClassVar[bool] = False  # whether every realization has a motion made for it
    draws_noise: ClassVar[bool] = False  # whether equal numbers make different motions
    inputs: ClassVar[Inputs] = {}  # what realizations may have of their own

    @property
    def rotation(self) -> tuple[Any, float]:
        """Specification of the azimuth, and the factor that makes it [rad]."""
        return 0.0, 1.0

    @property
    def quantities(self) -> dict[str, Any]:
        """Specification of what may differ between realizations, by key, in the order of the design."""
        return {"azimuth": 0.0, "polarity": 1}

    @property
    def codes(self) -> Mapping[str, Callable[[Any], int]]:
        """By the keys of choices, what gives the code of an option."""
        return {"polarity": int}

    def word(self, key: str, number: float) -> str:
        """A drawn number or the option of a code, as the study file has it."""
        return f"{number:.6g}"

    @classmethod
    def declarations(cls) -> list[Declaration]:
        """Dataset variables of `inputs`."""
        return []

    @property
    def draws_records(self) -> bool:
        """Whether realizations draw their records, in place of taking one after the other."""
        return False

    @property
    def record_weights(self) -> tuple[float, ...] | None:
        """Weights with which records are drawn; equal ones if None."""
        return None

    @property
    def listed_records(self) -> tuple[int, ...] | None:
        """Number of the record of each realization, where they are given."""
        return None

    @property
    def on_floor(self) -> bool:
        """Whether a floor is between ground and body."""
        return False

    @property
    def isolator(self) -> Floor | None:
        """The isolator between ground and body, if there is one."""
        return None

    @property
    def has_own_motions(self) -> bool:
        """Whether the motion of a realization is its own."""
        return self.is_generated or self.on_floor

    def load(self, folder: Path) -> tuple[list[Motion], list[str]]:
        """Motions that the realizations share, as recorded and processed, and what is wrong with others.

        ``folder`` is where the names of files start from. A source without shared motions has one in their
        place that does not move.
        """
        name = "one for each realization" if self.is_generated else "still ground"
        return [Motion(np.zeros((3, 2)), dt=STILL_TIME, name=name)], []

    def read(self, folder: Path) -> None:
        """Read the files that motions are made from, so that their mistakes show before any is made.

        What is read is kept until a file changes.

        Raises
        ------
        MotionError
            If a file cannot be used.
        """

    def check(self, numbers: Numbers, folder: Path) -> None:
        """Refuse numbers from which no motion can be made, without making one.

        Raises
        ------
        MotionError
            As `make` and `under_body`.
        """

    def make(self, numbers: Numbers, rng: np.random.Generator, realization: int, folder: Path) -> Motion:
        """Motion of a realization of a source that `is_generated`.

        Parameters
        ----------
        numbers : mapping
            What was drawn for the realization, by the keys of `quantities`, in their units.
        rng : Generator
            The realization's own stream, for noise.
        realization : int
            For the name of the motion.
        folder : Path
            Where the names of files start from.

        Raises
        ------
        MotionError
            If the numbers or the files make no motion.
        """
        raise NotImplementedError

    def select(self, motion: Motion) -> Motion:
        """The motion with the components that act."""
        return motion

    def under_body(self, motion: Motion, numbers: Numbers) -> Motion:
        """Motion of what the body stands on, above a motion of the ground."""
        return motion

    def pulse_period(self, draws: Mapping[str, NDArray[Any]]) -> NDArray[np.float64] | None:
        """Periods of motions that are pulses (n,) [s], from values by dotted name; None of others."""
        return None

    def history(self, motion: Motion, folder: Path) -> str:
        """What happens to a motion before it is scaled and turned, in words."""
        return ""

    def describe(self, motions: Sequence[Motion], folder: Path) -> list[str]:
        """The motions in lines of words."""
        return ["motions: none, free rocking"]

    def notes(self, measure: str, motions: Sequence[Motion], factors: NDArray[np.float64]) -> list[str]:
        """Lines on what is allowed and perhaps not meant.

        ``measure`` is the one motions are scaled to, with ``factors`` of any shape [1].
        """
        return []


SIGNS = 'expected signs, as in { distribution = "discrete", values = [1, -1], epistemic = true }'


@dataclass(frozen=True)
class Unit(Kind):
    """A unit of acceleration, however it is written."""

    expected: str = joined(ACCELERATIONS)

    def parse(self, value: Any) -> str:
        unit = parse_unit(value)
        if unit is None:
            refuse(self.wrong(value))
        return unit


class Paths(ListOf):
    """Names of files and folders, with slashes on every system."""

    def parse(self, value: Any) -> tuple[str, ...]:
        return tuple(PurePath(path).as_posix() for path in super().parse(value))


class Sign(ChoiceKey):
    """A sign, a list of both to sample from, or a discrete distribution of signs."""

    def parse(self, value: Any) -> Any:
        if not isinstance(value, Mapping | Distribution):
            return super().parse(value)
        found = Uncertain("1").parse(value)
        if not isinstance(found, Discrete) or not set(found.values) <= {1.0, -1.0}:
            refuse(SIGNS)
        return found


@dataclass(frozen=True)
class Steps(Kind):
    """Steps of processing, each a table with the key ``step``."""

    expected: str = 'a list of steps, as in [{ step = "bandpass", low = 0.1, high = 25 }]'

    def parse(self, value: Any) -> tuple[dict[str, Any], ...]:
        if not isinstance(value, list | tuple):
            refuse(self.wrong(value))
        try:
            check_steps(value)
        except MotionError as error:
            refuse(str(error))
        return tuple(dict(step) for step in value)


class StillSource(Source):
    """Ground that does not move: free rocking of released bodies."""

    shakes: ClassVar = False

    source: Literal["none"]


FEW = 0.01  # share of the realizations [1]
MOST_DAMPING = 0.99  # fraction of critical [1]
HEAVY, HEAVIEST = 0.1, 0.5  # body over all that an isolator carries: noted, and refused, beyond [1]

Masses = ListOf(NumberKey("kg", above=0.0), "a list of masses [kg], from the first floor up", distinct=False)
Stiffnesses = ListOf(
    NumberKey("N/m", above=0.0),
    "a list of stiffnesses [N/m] of the storeys, from the lowest up",
    distinct=False,
)


class Floor(Table):
    """Floor or isolator between ground and body, alike in x and y: an oscillator, or a chain of masses."""

    inputs: ClassVar[Inputs] = {
        "frequency": Input("natural frequency of the floor"),
        "factor": Input("participation factor times mode shape at the floor"),
        "damping": Input("damping of the building"),
    }

    frequency: Quantity | None = optional(
        Uncertain("Hz", above=0.0), "natural frequency of the oscillator", 2.0
    )
    factor: Quantity = entry(
        Uncertain("1"),
        "participation factor times mode shape of the oscillator at the floor",
        1.3,
        default=1.0,
    )
    damping: Quantity = entry(Uncertain("1", above=0.0, most=MOST_DAMPING), "damping ratio", default=0.05)
    masses: tuple[float, ...] | None = optional(Masses, "of a chain", [200000.0, 200000.0, 150000.0])
    stiffnesses: tuple[float, ...] | None = optional(
        Stiffnesses, "of a chain", [200000000.0, 200000000.0, 150000000.0]
    )
    number: int | None = optional(
        IntegerKey(1), "floor of a chain that the body stands on, 1 for the lowest", 2
    )
    mass: float | None = optional(
        NumberKey("kg", above=0.0),
        "all that an isolator carries, the body included; makes the oscillator an isolator, whose frequency "
        "and damping are with that mass",
        2000.0,
    )
    stroke: float | None = optional(
        NumberKey("m", above=0.0),
        "displacement of an isolator at which it meets its stop; a run beyond is undecided",
        0.25,
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
        isolator = [key for key in ("mass", "stroke") if key in data]
        if isolator and (chain or "factor" in data):
            key = "factor" if "factor" in data else chain[0]
            yield (key,), f"an isolator ('{isolator[0]}') has a 'frequency' and a 'damping' alone"
        elif isolator == ["stroke"]:
            yield ("stroke",), "give the 'mass' [kg] that the isolator carries too, the body included"
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

    def displacement(self, motion: Motion, numbers: Numbers) -> float:
        """Largest displacement of an isolator under a motion of the ground [m]."""
        frequency, damping = (float(numbers[f"floor.{key}"]) for key in ("frequency", "damping"))
        return isolator_displacement(motion, frequency, damping)

    def check(self, numbers: Numbers) -> None:
        """Refuse numbers with which the floor swings on for too long.

        Raises
        ------
        MotionError
            As `mcrock.excitation.processing.floor_tail`.
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
        where = "on a floor" if self.mass is None else "on an isolator"
        return where if isinstance(self.frequency, Distribution) else f"{where} of {self.frequency:g} Hz"

    @property
    def history(self) -> str:
        """What the floor does to a motion, in words."""
        if self.masses is not None:
            return f"response of floor {self.number} of a chain"
        return f"response of an {'oscillator' if self.mass is None else 'isolator'}"


DEGREE = pi / 180.0  # [rad]
TURN = 2 * pi  # [rad]
SAMPLES_OF_FLOOR = 0.1  # frequency of a floor times the time step, at most [1]
WEAK = 0.1  # of the other horizontal component [1]


class ShakingSource(Source):
    """A source of motions of the ground."""

    alternatives: ClassVar[tuple[tuple[str, ...], ...]] = (("azimuth", "azimuth_deg"),)
    finer: ClassVar[str]  # how the time step of the motions is made shorter

    azimuth: Quantity | None = optional(
        Uncertain("rad"),
        "rotation of the motion about the vertical, counter-clockwise seen from above; by default 0",
        {"distribution": "uniform", "low": 0.0, "high": 6.2832},
    )
    azimuth_deg: Quantity | None = optional(Uncertain("deg"), "the same in degrees", 30.0)
    polarity: int | tuple[int, ...] | Distribution = entry(
        Sign((1, -1), several=True),
        "sign of all components; a discrete distribution if it is `epistemic`",
        [1, -1],
        default=1,
    )
    scaling: Quantity = entry(
        Uncertain("1", above=0.0),
        "factor in addition to that of the intensity, for what is uncertain about the strength",
        {"distribution": "lognormal", "median": 1.0, "dispersion": 0.2},
        default=1.0,
    )
    vertical: bool = entry(FlagKey(), "whether the vertical component acts", default=True)
    floor: Floor | None = optional(
        None,
        "floor between ground and body; intensities are those of the ground",
        {"frequency": 2.0, "damping": 0.05},
    )

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        if "azimuth" in data and "azimuth_deg" in data:
            yield from exactly_one(data, {"azimuth": "rad", "azimuth_deg": "deg"})

    @property
    def rotation(self) -> tuple[Quantity, float]:
        if self.azimuth_deg is not None:
            return self.azimuth_deg, DEGREE
        return (0.0 if self.azimuth is None else self.azimuth), 1.0

    @property
    def quantities(self) -> dict[str, Any]:
        found = {"azimuth": self.rotation[0], "polarity": self.polarity, "scaling": self.scaling}
        given = {key: getattr(self, key) for key in design_order(self.inputs)}
        found |= {key: item for key, item in given.items() if item is not None}
        if self.floor is not None:
            found |= {f"floor.{key}": item for key, item in self.floor.quantities.items()}
        return found

    @property
    def codes(self) -> Mapping[str, Callable[[Any], int]]:
        choices = [key for key, item in self.inputs.items() if item.codes is not None]
        return {**super().codes, **{key: self._options(key).index for key in choices}}

    def word(self, key: str, number: float) -> str:
        is_choice = key in self.inputs and self.inputs[key].codes is not None
        return str(self._options(key)[int(number)]) if is_choice else super().word(key, number)

    @classmethod
    def _options(cls, key: str) -> tuple[str | int, ...]:
        """Options of a choice, in the order of their codes."""
        kind = cls.kind(key)
        return kind.options if isinstance(kind, ChoiceKey) else ()

    @classmethod
    def declarations(cls) -> list[Declaration]:
        return list(declare(cls, cls.inputs, "motion_"))

    @property
    def on_floor(self) -> bool:
        return self.floor is not None

    @property
    def isolator(self) -> Floor | None:
        return None if self.floor is None or self.floor.mass is None else self.floor

    def check(self, numbers: Numbers, folder: Path) -> None:
        if self.floor is not None:
            self.floor.check(numbers)

    def select(self, motion: Motion) -> Motion:
        return motion if self.vertical or not motion.acceleration[2].any() else vertical(motion, on=False)

    def under_body(self, motion: Motion, numbers: Numbers) -> Motion:
        return motion if self.floor is None else self.floor.respond(motion, numbers)

    def sampling_step(self, motions: Sequence[Motion]) -> float | None:
        """Longest time step of the motions [s], None where it is chosen as the motion needs it."""
        return None

    def fraction_of_weak_pairs(self, motions: Sequence[Motion]) -> float:
        """Fraction of the motions with one horizontal component that is much weaker than the other [1]."""
        return 0.0

    def _where_and_how(self) -> str:
        """Floor and direction in words, to be added to a list of words."""
        azimuth, factor = self.rotation
        turned = (
            f"azimuth {degrees(azimuth * factor):g} deg"
            if isinstance(azimuth, float)
            else "azimuth uncertain"
        )
        return f", {turned}" if self.floor is None else f", {self.floor.place}, {turned}"

    def history(self, motion: Motion, folder: Path) -> str:
        steps = [*self.steps_of(motion, folder), *([] if self.floor is None else [self.floor.history])]
        return "; ".join(steps)

    def steps_of(self, motion: Motion, folder: Path) -> list[str]:
        """Where a motion of the ground comes from and what was done to it, in words."""
        raise NotImplementedError

    def notes(self, measure: str, motions: Sequence[Motion], factors: NDArray[np.float64]) -> list[str]:
        return [*self._mean_note(measure, motions), *self._floor_note(motions), *self._azimuth_note()]

    def _mean_note(self, measure: str, motions: Sequence[Motion]) -> list[str]:
        """Whether the geometric mean of two components says little because one of them is small."""
        if measure == "factor" or MEASURES[measure].of_pair:
            return []
        weak = self.fraction_of_weak_pairs(motions)
        if weak < 1e-6:
            return []
        which = "all motions" if weak > 0.9995 else f"{100 * weak:.2g} % of the motions"
        other = f"{measure}_rotd100" if f"{measure}_rotd100" in MEASURES else "pga_rotd100"
        return [
            f"note: one horizontal component is less than {WEAK:g} of the other in {which}, "
            "so that their geometric mean is far below the stronger one; a measure such as "
            f"{other!r} does not depend on the axes"
        ]

    def _floor_note(self, motions: Sequence[Motion]) -> list[str]:
        """Whether the samples are too few for the frequency of a floor."""
        step = self.sampling_step(motions)
        if self.floor is None or step is None:
            return []
        most = SAMPLES_OF_FLOOR / step
        if not self.floor.reaches_above(most):
            return []
        return [
            f"note: the floor has frequencies above {most:.3g} Hz, of which a period has fewer than ten "
            f"samples of {step:g} s: its peaks come out too low by a few per cent; {self.finer}"
        ]

    def _azimuth_note(self) -> list[str]:
        """Whether an azimuth in radians looks like one in degrees."""
        azimuth, factor = self.rotation
        if isinstance(azimuth, Distribution):
            beyond = azimuth.share_outside(None, -TURN, TURN) > FEW  # 6.2832 is a circle
        else:
            beyond = abs(azimuth) > TURN
        if factor != 1.0 or not beyond:
            return []
        return ["note: motion.azimuth turns by more than a circle [rad]; in degrees it is azimuth_deg"]
