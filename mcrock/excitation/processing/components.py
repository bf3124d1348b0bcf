"""Directions, signs and roles of the components of a motion."""

from __future__ import annotations

from math import degrees

import numpy as np

from mcrock.excitation.motion import Motion, MotionError, changed

ABSENT = "none"


def rotate(motion: Motion, azimuth: float) -> Motion:
    """Return the motion turned by `azimuth` [rad], as `Motion.rotated`, with a note in its history."""
    turned = motion.rotated(azimuth)
    return changed(motion, turned.acceleration, f"rotated by {degrees(azimuth):g} deg")


def reverse(motion: Motion, components: str = "xyz") -> Motion:
    """Return the motion with the sign of some components reversed, of "xyz" (all) or part of it.

    Raises
    ------
    MotionError
        If `components` is not made of x, y and z.
    """
    if not components or len({*components}) < len(components) or not {*components} <= {*"xyz"}:
        raise MotionError(
            f"motion '{motion.name}': components to reverse must be some of 'xyz', got {components!r}"
        )
    sign = np.array([-1.0 if axis in components else 1.0 for axis in "xyz"])
    return changed(motion, motion.acceleration * sign[:, None], f"sign of {components} reversed")


def assign(motion: Motion, x: str = "x", y: str = "y", z: str = "z") -> Motion:
    """Return the motion with its components in other roles.

    Parameters
    ----------
    motion : Motion
    x, y, z : str
        What acts along ground x, y and z: "x", "y" or "z" of the motion as it is, with a minus sign
        for the opposite direction, or "none" for no shaking.

    Raises
    ------
    MotionError
        If a component is unknown or used twice.

    Examples
    --------
    >>> shake = Motion([[0.0, 2.0], [0.0, 3.0], [0.0, 1.0]], dt=0.5, name="shake")
    >>> assign(shake, x="y", y="-x", z="none").acceleration[:, 1].tolist()
    [3.0, -2.0, 0.0]
    """
    chosen = {"x": x, "y": y, "z": z}
    rows = []
    for role, name in chosen.items():
        source = name.removeprefix("-")
        if name != ABSENT and (len(source) != 1 or source not in "xyz"):
            raise MotionError(
                f"motion '{motion.name}': role {role} must be x, y, z, one of them with a minus sign, or "
                f"'{ABSENT}', got {name!r}"
            )
        row = np.zeros(motion.acceleration.shape[1])
        if name != ABSENT:
            row = motion.acceleration["xyz".index(source)] * (-1.0 if name.startswith("-") else 1.0)
        rows.append(row)
    used = [name.removeprefix("-") for name in chosen.values() if name != ABSENT]
    if len({*used}) < len(used):
        raise MotionError(
            f"motion '{motion.name}': a component can have one role, got x = {x!r}, y = {y!r}, z = {z!r}"
        )
    return changed(motion, rows, "components assigned: " + ", ".join(f"{r} = {n}" for r, n in chosen.items()))


def vertical(motion: Motion, on: bool) -> Motion:
    """Return the motion with its vertical component (`on`) or without it.

    Raises
    ------
    MotionError
        If the vertical is to be on, but is zero throughout: it was not recorded, or taken away before.
    """
    if on:
        if not motion.acceleration[2].any():
            raise MotionError(f"motion '{motion.name}' has no vertical component that could be on")
        return changed(motion, motion.acceleration, "vertical on")
    return changed(motion, motion.acceleration * np.array([[1.0], [1.0], [0.0]]), "vertical off")
