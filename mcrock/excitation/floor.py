"""Motion of a floor: a ground motion through the modes of a linear building.

What stands on a floor feels the acceleration of the floor in space. Rotation of the floor, and what the
body does to the building, are left out.

Chopra, A. K. (2012). Dynamics of structures, 4th edition. Pearson. Chapters 12 and 13.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, log, pi

import numpy as np
from numpy.typing import ArrayLike

from mcrock.base.checks import Choice, Integer, Number
from mcrock.excitation.motion import Motion, MotionError, changed, check_length, checked, checked_vector
from mcrock.excitation.response_spectra import absolute_acceleration

LEFT = 0.005  # of the peak of a component, below which the free vibration after the record is cut off [1]
FLOOR = "floor of a building"  # in the history of its motion
LONGEST_TAIL = 600.0  # after the record, unless asked for [s]


@dataclass(frozen=True)
class VibrationMode:
    """One mode of a linear building, as one floor sees it.

    Parameters
    ----------
    frequency : float
        Natural frequency [Hz], positive.
    damping : float
        Share of the critical damping [1], from 0 to below 1.
    participation : tuple of 3 floats
        Participation factors for ground shaking along x, y and z [1].
    shape : tuple of 3 floats
        Mode shape at the place of the body, along x, y and z, in the norm of the participation
        factors: products of the two count [1].

    Raises
    ------
    MotionError
        If a number is not finite or out of its range.
    """

    frequency: float
    damping: float
    participation: tuple[float, float, float]
    shape: tuple[float, float, float]

    def __post_init__(self) -> None:
        checked(Number("Hz", above=0.0), "VibrationMode.frequency", self.frequency)
        checked(Number("1", least=0.0), "VibrationMode.damping", self.damping)
        if not self.damping < 1:
            raise MotionError(f"VibrationMode.damping must be in [0, 1) [1], got {self.damping!r}")
        for name in ("participation", "shape"):
            vector = checked_vector(f"VibrationMode.{name}", getattr(self, name), "1")
            object.__setattr__(self, name, vector)


def oscillator_modes(
    frequency: float, damping: float, axes: str = "xy", factor: float = 1.0
) -> list[VibrationMode]:
    """Modes of a building that is one oscillator in each of the given directions.

    Parameters
    ----------
    frequency, damping : float
        [Hz] and [1], of all directions: for different ones join lists.
    axes : str
        Out of "xyz".
    factor : float
        Participation factor times mode shape at the floor [1]: 1 for a single mass, about 1.3 for the roof
        in the first mode of a regular building, less further down.

    Returns
    -------
    list of VibrationMode

    Raises
    ------
    MotionError
        If `axes` names no direction or a number is out of its range.
    """
    if not axes or set(axes) - set("xyz") or len(set(axes)) < len(axes):
        raise MotionError(f"axes of a floor must be some of x, y, z, got {axes!r}")
    units = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
    return [
        VibrationMode(frequency, damping, units[axis], tuple(factor * part for part in units[axis]))  # type: ignore[arg-type]
        for axis in axes
    ]


def chain_modes(
    masses: ArrayLike, stiffnesses: ArrayLike, damping: float, floor: int, axis: str = "x"
) -> list[VibrationMode]:
    """Modes of a chain of masses on springs: a shear building in one direction.

    Parameters
    ----------
    masses : array_like (n,)
        From the first floor to the roof [kg].
    stiffnesses : array_like (n,)
        Of the storeys below them [N/m].
    damping : float
        Share of the critical damping of every mode [1].
    floor : int
        On which the body stands, from 1 to n.
    axis : str
        "x", "y" or "z".

    Returns
    -------
    list of VibrationMode
        All n of them, by frequency; participation times shape adds up to 1.

    Raises
    ------
    MotionError
        If the lists differ in length, a number is not positive, or there is no such floor or axis.

    Examples
    --------
    >>> modes = chain_modes([1e5, 1e5], [4e7, 4e7], damping=0.05, floor=2)
    >>> [round(mode.frequency, 3) for mode in modes]
    [1.967, 5.15]
    >>> round(sum(mode.participation[0] * mode.shape[0] for mode in modes), 12)
    1.0
    """
    m, k = (np.atleast_1d(np.asarray(values, dtype=np.float64)) for values in (masses, stiffnesses))
    if m.ndim != 1 or m.shape != k.shape:
        raise MotionError(
            f"a chain needs as many masses as stiffnesses, got the shapes {m.shape} and {k.shape}"
        )
    for name, unit, values in (("masses", "kg", m), ("stiffnesses", "N/m", k)):
        if not (np.isfinite(values).all() and (values > 0).all()):
            raise MotionError(f"{name} of a chain must be finite and > 0 [{unit}], got {values.tolist()!r}")
    checked(Integer(1, len(m)), "floor of a chain", floor)
    checked(Choice(("x", "y", "z")), "axis of a chain", axis)
    above = np.append(k[1:], 0.0)
    stiffness = np.diag(k + above) - np.diag(k[1:], 1) - np.diag(k[1:], -1)
    root = np.sqrt(m)
    squares, vectors = np.linalg.eigh(stiffness / np.outer(root, root))
    shapes = vectors / root[:, None]  # of unit modal mass
    factors = shapes.T @ m
    along = np.eye(3)["xyz".index(axis)]
    return [
        VibrationMode(float(np.sqrt(square)) / (2 * pi), damping, tuple(factor * along), tuple(value * along))
        for square, factor, value in zip(squares, factors, shapes[floor - 1], strict=True)
    ]


def floor_tail(modes: Sequence[VibrationMode]) -> float:
    """Time in which the free vibration of the slowest mode falls to half a percent [s].

    Raises
    ------
    MotionError
        If that is more than 600 s.
    """
    slowest = min(mode.damping * mode.frequency for mode in modes)
    longest = -log(LEFT) / (2 * pi * slowest) if slowest > 0 else float("inf")
    if longest > LONGEST_TAIL:
        raise MotionError(
            f"the floor swings on for more than {LONGEST_TAIL:g} s: damping times frequency is "
            f"{slowest:.3g} Hz and must be at least {-log(LEFT) / (2 * pi * LONGEST_TAIL):.3g} Hz, unless a "
            "tail [s] is given"
        )
    return longest


def floor_motion(motion: Motion, modes: Sequence[VibrationMode], tail: float | None = None) -> Motion:
    """Acceleration of a floor in space under a ground motion.

    The modes are integrated exactly for acceleration that is linear between samples. What the modes do not
    span moves with the ground, so that the peak of a stiff building is right with its first modes alone.

    Parameters
    ----------
    motion : Motion
        Of the ground. Its step should be at most a tenth of the shortest period of the modes: between
        samples the floor motion is taken to be linear, too.
    modes : sequence of VibrationMode
        At least one. A direction without a mode moves with the ground.
    tail : float, optional
        How long the floor is followed after the record [s]; by default until less than half a percent of
        its peak is left.

    Returns
    -------
    Motion
        Of the same group.

    Raises
    ------
    MotionError
        If there is no mode, or `tail` is negative, or missing where the vibration hardly decays; as
        `floor_tail`.

    Examples
    --------
    >>> push = Motion([[1.0] * 200, [0.0] * 200, [0.0] * 200], dt=0.01, name="push")
    >>> floor = floor_motion(push, oscillator_modes(2.0, 0.0, "x"), tail=0.0)
    >>> round(float(floor.acceleration[0].max()), 6)
    2.0
    """
    if not modes:
        raise MotionError(f"motion '{motion.name}': at least one mode of the building is needed, got none")
    if tail is None:
        longest = floor_tail(modes)
    else:
        longest = checked(Number("s", least=0.0), f"motion '{motion.name}': tail", tail)
    check_length(f"{motion.name}, floor", motion.duration + longest, motion.dt)
    after = ceil(round(longest / motion.dt, 6))
    ground = np.concatenate([motion.acceleration, np.zeros((3, after))], axis=1)
    floor = ground.copy()
    for mode in modes:
        driving = np.array(mode.participation) @ ground
        relative = absolute_acceleration(driving, motion.dt, mode.frequency, mode.damping) - driving
        floor += np.outer(mode.shape, relative)
    if tail is None:
        peaks = np.abs(floor).max(axis=1, keepdims=True)
        swinging = np.flatnonzero((np.abs(floor) > LEFT * peaks).any(axis=0))
        n_recorded = motion.acceleration.shape[1]
        floor = floor[:, : max(n_recorded, int(swinging[-1]) + 1 if len(swinging) else 0)]
    listed = ", ".join(f"{mode.frequency:.3g}" for mode in modes)
    found = changed(motion, floor, f"{FLOOR} with modes at {listed} Hz")
    return replace(found, name=f"{motion.name}, floor")
