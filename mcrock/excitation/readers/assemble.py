"""Motions out of the components of recordings.

Ground x and y are the horizontal components as they were recorded, not turned to north: of the two,
x is the one from which y lies 90 degrees counter-clockwise seen from above (east and north, if those
were recorded); ground z is up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import cos, degrees, pi

import numpy as np

from mcrock.excitation.motion import Motion, MotionError
from mcrock.excitation.readers.text_file import (
    RecordedComponent,
    doubt,
    is_clockwise,
    is_square,
    word_unknown,
)

DT_TOLERANCE = 1e-6  # between the time steps of two components [1]


def assemble(
    pieces: Iterable[RecordedComponent | Motion], *, chosen: bool = False
) -> tuple[list[Motion], list[str]]:
    """Put the components of each recording together.

    Parameters
    ----------
    pieces : iterable of Recording or Motion
        Components of any number of recordings, told apart by folder, format and `Recording.record`.
        Motions are whole already and stay as they are.
    chosen : bool
        Whether somebody chose the channels that belong together. Otherwise the channels of a structure
        whose sensors stand in different places become one motion for each place.

    Returns
    -------
    motions : list of Motion
        In the order of their first components. A component that was not recorded is zero, and
        `metadata["missing"]` names it; a shorter component is continued with zeros. The unit, how it
        was known, component names, azimuths [rad], remarks and facts stand in `metadata`.
    problems : list of str
        Recordings whose components do not fit together: of different time steps or starts, two of one
        direction, more than two horizontal ones.
    """
    groups: dict[object, list[RecordedComponent | Motion]] = {}
    for piece in pieces:
        # a record may lie in two folders, raw and processed, or in two formats
        key = (
            (piece.path.parent, piece.format, piece.record)
            if isinstance(piece, RecordedComponent)
            else id(piece)
        )
        groups.setdefault(key, []).append(piece)
    motions, problems = [], []
    for group in groups.values():
        if isinstance(group[0], Motion):
            motions.append(group[0])
            continue
        components = [piece for piece in group if isinstance(piece, RecordedComponent)]
        for sensor in [components] if chosen else _by_location(components):
            try:
                motions.append(assemble_one(sensor))
            except MotionError as error:
                problems.append(str(error))
    return motions, problems


def _by_location(components: list[RecordedComponent]) -> list[list[RecordedComponent]]:
    """Components of each sensor, if all say where they stand and those are different places."""
    places: dict[str, list[RecordedComponent]] = {}
    for component in components:
        places.setdefault(component.location.casefold(), []).append(component)
    if len(places) < 2 or "" in places:
        return [components]
    return [
        [replace(each, name=f"{each.name}, {each.location}") for each in place] for place in places.values()
    ]


def assemble_one(components: Sequence[RecordedComponent]) -> Motion:
    """Motion of the one, two or three components of a recording.

    Raises
    ------
    MotionError
        If they do not fit together.
    """
    roles = _roles(components)
    first = components[0]
    for other in components[1:]:
        _check_pair(first, other)
    acceleration = np.zeros((3, max(len(component.acceleration) for component in components)))
    metadata: dict[str, str | float] = {
        "file": ", ".join(dict.fromkeys(component.path.name for component in components)),
        "format": first.format,
        "unit": ", ".join(dict.fromkeys(component.unit for component in components)),
        "unit_known": first.unit_known,
    }
    history: list[str] = []
    remarks = [remark for component in components for remark in component.remarks]
    remarks += [words for component in components if (words := doubt(component.component))]
    if {"x", "y"} <= roles.keys() and any(roles[axis].azimuth is None for axis in "xy"):
        remarks.append(word_unknown(roles["x"].component, roles["y"].component))
    for axis, component in sorted(roles.items()):
        samples = component.acceleration
        acceleration["xyz".index(axis), : len(samples)] = -samples if component.role == "down" else samples
        metadata[f"component_{axis}"] = component.component
        if component.azimuth is not None:
            metadata[f"azimuth_{axis}"] = component.azimuth
        history += [f"{axis}: {step}" for step in component.history]
        if component.role == "down":
            history.append(f"{axis}: sign reversed, recorded downwards")
        if len(samples) < acceleration.shape[1]:
            history.append(f"{axis}: continued with zeros after {len(samples) * component.dt:g} s")
    places = dict.fromkeys(component.location for component in components if component.location)
    if places:
        metadata["location"] = ", ".join(places)
    missing = [axis for axis in "xyz" if axis not in roles]
    if missing:
        metadata["missing"] = ", ".join(missing)
    if remarks:
        metadata["remarks"] = "; ".join(dict.fromkeys(remarks))  # what the header says is said by each
    if history:
        metadata["history"] = "; ".join(history)
    facts = {name: value for component in components for name, value in component.facts.items()}
    return Motion(acceleration, first.dt, first.name, group=first.record, metadata=metadata | facts)


def _roles(components: Sequence[RecordedComponent]) -> dict[str, RecordedComponent]:
    """Component of each ground axis."""
    vertical = [component for component in components if component.role != "horizontal"]
    horizontal = [component for component in components if component.role == "horizontal"]
    for kind, found, most in (("vertical", vertical, 1), ("horizontal", horizontal, 2)):
        if len(found) > most:
            raise MotionError(
                f"{_files(components)}: recording {components[0].record} has {len(found)} {kind} components "
                f"({', '.join(_word_component(component) for component in found)}), expected at most {most}; "
                f"{_way_out(components)}"
            )
    roles = dict(zip("xy", _ordered(horizontal), strict=False))
    return roles | ({"z": vertical[0]} if vertical else {})


def _ordered(horizontal: list[RecordedComponent]) -> list[RecordedComponent]:
    """Horizontal components as x and y: right-handed where both azimuths are known."""
    if len(horizontal) < 2:
        return horizontal
    one, two = horizontal
    if one.azimuth is None or two.azimuth is None:
        return horizontal
    if not is_square(one.azimuth, two.azimuth):
        apart = abs(degrees(two.azimuth - one.azimuth)) % 360
        raise MotionError(
            f"{_files(horizontal)}: the horizontal components of recording {one.record}, {one.component} and "
            f"{two.component}, are {apart:.0f} deg apart, expected 90 deg"
        )
    return [two, one] if is_clockwise(one.azimuth, two.azimuth) else [one, two]


def _word_component(component: RecordedComponent) -> str:
    number = "" if component.channel is None else f"channel {component.channel}: "
    return f"{number}{component.component}"


def _way_out(components: Sequence[RecordedComponent]) -> str:
    """Advice about too many components."""
    if any(component.channel is None for component in components):
        return "keep the files of one sensor and one earthquake together and others in a folder of their own"
    if len(components) == 3 and all(component.role == "horizontal" for component in components):
        return (
            "the file does not say which is the vertical: choose the two horizontal ones, as in "
            "`--channels 1,2` or channels=[1, 2]"
        )
    return "choose the channels of one sensor, as in `--channels 1,2,3` or channels=[1, 2, 3]"


def _check_pair(one: RecordedComponent, two: RecordedComponent) -> None:
    """Refuse components of different time steps or starts."""
    what = f"{_files([one, two])}: components {one.component} and {two.component} of {one.record}"
    if abs(one.dt - two.dt) > DT_TOLERANCE * one.dt:
        raise MotionError(
            f"{what} have time steps of {one.dt:g} s and {two.dt:g} s; resample one of them, or read "
            "them apart"
        )
    if one.start is not None and two.start is not None and abs(one.start - two.start) > 0.5 * one.dt:
        raise MotionError(
            f"{what} start {abs(one.start - two.start):g} s apart; cut them to a common start, or read "
            "them apart"
        )


def _files(components: Sequence[RecordedComponent]) -> str:
    """Files of some components, for messages: the folder once, then the names."""
    paths = list(dict.fromkeys(component.path for component in components))
    return ", ".join([str(paths[0]), *(path.name for path in paths[1:])])


def skew(motion: Motion) -> float | None:
    """Deviation of the horizontal components of a motion from a right angle [rad], None if unknown."""
    x, y = (motion.metadata.get(f"azimuth_{axis}") for axis in "xy")
    if not (isinstance(x, float) and isinstance(y, float)):
        return None
    return float(abs(np.arccos(np.clip(cos(y - x), -1, 1)) - pi / 2))
