"""What is asked of every source of ground motions.

A source is the table ``[motion]`` of a study file with all that mcrock knows about motions from there: the
keys of the table, what of them differs between realizations, how motions are read or made, and the words for
people. Callers ask the source; none of them asks which source it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mcrock.base.tables.fields import Table
from mcrock.base.tables.inputs import Declaration, Inputs, Numbers
from mcrock.excitation.motion import Motion

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
