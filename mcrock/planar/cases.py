"""Cases of a spectrum: every motion with every family of similar blocks in every size."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite, nan, pi, sin
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mcrock.base.variables import variable
from mcrock.base.version import mcrock_version
from mcrock.excitation import Motion, MotionError, Pulse, pack_motions
from mcrock.impact.conditions import Controls
from mcrock.planar.block import SIDES, PlanarBlock, check_planar, rectangle_of
from mcrock.planar.restitution import Restitution, velocity_ratios
from mcrock.planar.runs import Array, block_rows

Blocks = float | PlanarBlock | Sequence[float | PlanarBlock]
Motions = Motion | Pulse | Sequence[Motion | Pulse]


class Cases:
    """Motions, families of similar blocks and sizes, as compiled code reads them and as datasets name them.

    Cases are numbered by motion, family and size, the last one fastest. ``frequencies`` (n_size,) or
    (n_motion, n_size) are the p of the sizes [rad/s], ``pulse_frequencies`` (n_motion,) the omega_p of the
    motions [rad/s], NaN of a record that has none.
    """

    def __init__(
        self,
        motions: list[Motion | Pulse],
        slenderness: Blocks,
        frequencies: Array,
        pulse_frequencies: Array,
        r: Restitution,
        gravity: float,
    ) -> None:
        self.motions, self.pulse_frequencies = motions, pulse_frequencies
        listed = slenderness if isinstance(slenderness, Sequence | np.ndarray) else [slenderness]
        self.families = [_family(block, gravity) for block in listed]
        if not self.families:
            raise ValueError("at least one slenderness [rad] is needed, got none")
        self.restitution = r
        self.ratios = [velocity_ratios(family, r) for family in self.families]
        self.shape = (len(motions), len(self.families), np.shape(frequencies)[-1])
        self.frequencies = np.broadcast_to(np.reshape(frequencies, (-1, 1, self.shape[2])), self.shape)
        self.blocks = [
            family.resized(p)
            for per_motion in self.frequencies
            for family, row in zip(self.families, per_motion, strict=True)
            for p in row.tolist()
        ]
        ratios = [pair for _ in motions for pair in self.ratios for _ in range(self.shape[2])]
        self.rows = block_rows(self.blocks, ratios)
        self.pack = pack_motions(motions)
        self.block = np.arange(len(self.blocks))
        self.motion = np.repeat(np.arange(self.shape[0]), self.shape[1] * self.shape[2])
        # factor on a motion from which it lifts the blocks of a family (n_motion, n_family)
        self.uplift = np.array(
            [[uplift_factor(motion, family) for family in self.families] for motion in motions]
        )

    def coords(self) -> dict[str, Any]:
        """Coordinates but the sizes."""
        slenderness = [family.slenderness for family in self.families]
        return {
            "motion": ("motion", np.array([motion.name for motion in self.motions], dtype=object)),
            "slenderness": variable(
                "slenderness", slenderness, "rad", "slenderness (the smaller of the two)"
            ),
            "edge": ("edge", np.array(SIDES, dtype=object)),
        }

    def variables(self, axis: str) -> dict[str, Any]:
        """What the blocks are, what shook them, and when that begins to lift them."""
        dims = f"motion slenderness {axis}"
        radius = np.array([block.radius for block in self.blocks]).reshape(self.shape)
        if (self.frequencies == self.frequencies[:1]).all():
            dims, radius = f"slenderness {axis}", radius[0]
        peaks = np.array([peak_along_x(motion) for motion in self.motions])
        uplift = np.where(peaks[:, None] > 0, self.uplift * peaks[:, None], nan)
        duration = [_duration(motion) for motion in self.motions]
        return {
            "radius": variable(dims, radius, "m", "distance R from the centre of mass to the edge"),
            "velocity_ratio": variable(
                "slenderness edge",
                self.ratios,
                "1",
                "angular velocity after over before a landing on the edge",
            ),
            "uplift_acceleration": variable(
                "motion slenderness",
                uplift,
                "m s-2",
                "peak of the acceleration along x at which rocking begins, all components scaled alike",
            ),
            "pulse_period": variable(
                "motion", 2 * pi / self.pulse_frequencies, "s", "period 2 pi/omega_p of the pulse"
            ),
            "duration": variable("motion", duration, "s", "time for which the ground moves"),
        }

    def attributes(self, kind: str, controls: Controls, runs: int) -> dict[str, str | float | int]:
        """Attributes of a dataset."""
        r = self.restitution
        return {
            "Conventions": "CF-1.10",
            "source": f"mcrock {mcrock_version()}",
            "spectrum": kind,
            "restitution": r if isinstance(r, str) else " ".join(map(str, np.atleast_1d(r).tolist())),
            "gravity": float(self.families[0].gravity),
            "step": controls.step,
            "max_step": controls.max_step,
            "runs": runs,
        }


def list_motions(motions: Motions) -> list[Motion | Pulse]:
    """One motion or several as a list.

    Raises
    ------
    MotionError
        If there is none.
    """
    listed = [motions] if isinstance(motions, Motion | Pulse) else list(motions)
    if not listed:
        raise MotionError("at least one ground motion is needed, got none")
    return listed


def pulse_frequency(motion: Motion | Pulse, given: float | None) -> float:
    """omega_p of a motion [rad/s], NaN of a record if it is not given.

    Raises
    ------
    ValueError
        If a given one is not finite and positive.
    """
    if given is None:
        return motion.angular_frequency if isinstance(motion, Pulse) else nan
    if not (isfinite(given) and given > 0):
        raise ValueError(f"angular_frequency must be finite and > 0 [rad/s], got {given!r}")
    return float(given)


def increasing(name: str, values: ArrayLike | None, unit: str) -> Array:
    """Numbers of an axis, checked.

    Raises
    ------
    ValueError
        If they are not a list of finite, positive and increasing numbers.
    """
    array = np.atleast_1d(np.asarray(values, float))
    if array.ndim != 1 or not len(array):
        raise ValueError(f"{name} must be a list of numbers [{unit}], got shape {array.shape}")
    if not (np.isfinite(array).all() and array[0] > 0 and (np.diff(array) > 0).all()):
        raise ValueError(f"{name} must be finite, > 0 and increasing [{unit}], got {array.tolist()}")
    return array


def peak_along_x(motion: Motion | Pulse) -> float:
    """Peak of the acceleration along x, the axis of the plane [m/s2]."""
    return abs(motion.amplitude[0]) if isinstance(motion, Pulse) else float(abs(motion.acceleration[0]).max())


def peak_along_z(motion: Motion | Pulse) -> float:
    """Peak of the vertical acceleration [m/s2]."""
    return abs(motion.amplitude[2]) if isinstance(motion, Pulse) else float(abs(motion.acceleration[2]).max())


def uplift_factor(motion: Motion | Pulse, block: PlanarBlock) -> float:
    """Factor on a motion from which on it lifts a block [1], infinite if it never does.

    With the COM at the height h, the distance b from an edge holds the block down as long as
    (g + a_z) b + s h a_x > 0, s = 1 for the right and -1 for the left edge. Accelerations are linear
    between samples, and those of a pulse are in phase, so that their extremes decide.
    """
    if isinstance(motion, Pulse):
        x, z = (motion.amplitude[i] * np.array(_extremes_of_sine(motion)) for i in (0, 2))
    else:
        x, z = motion.acceleration[0], motion.acceleration[2]
    pulls = (
        float((-z - sign * x * block.com_height / distance).max())
        for sign, distance in ((1.0, block.right), (-1.0, block.left))
    )
    return min(block.gravity / pull if pull > 0 else inf for pull in pulls)


def _extremes_of_sine(pulse: Pulse) -> tuple[float, float]:
    """Smallest and largest value of the sine of a pulse [1]."""
    first, last = pulse.phase, pulse.phase + 2 * pi * pulse.cycles
    ends = sin(first), sin(last)

    def passes(angle: float) -> bool:
        return first + (angle - first) % (2 * pi) <= last

    return (-1.0 if passes(-pi / 2) else min(ends)), (1.0 if passes(pi / 2) else max(ends))


def _duration(motion: Motion | Pulse) -> float:
    return motion.end - motion.start if isinstance(motion, Pulse) else motion.duration


def _family(block: float | PlanarBlock, gravity: float) -> PlanarBlock:
    """The block that stands for all that are similar to it."""
    if isinstance(block, PlanarBlock):
        return block
    if not isinstance(block, int | float | np.number):
        check_planar(block, "a slenderness [rad] or a PlanarBlock")
    return rectangle_of(float(block), 1.0, gravity)
