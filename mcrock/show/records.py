"""Ground motions: a table of measures with what is suspicious, figures with spectra, and selected sets."""

from __future__ import annotations

import csv
import re
import textwrap
from collections.abc import Sequence
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.dataset import replacing
from mcrock.excitation.measures import displacement_of, energy_of, velocity_of
from mcrock.excitation.motion import FloatArray, Motion, MotionError
from mcrock.excitation.response_spectra import motion_spectrum, response_spectrum
from mcrock.excitation.selection import (
    BY_LEVEL,
    UNKNOWN,
    Candidates,
    Selection,
    Survey,
    Target,
    component_values,
)
from mcrock.show import style
from mcrock.show.history import AXES, DASHES
from mcrock.show.text import format_count, format_table, shorten, wrap

NAME_WIDTH = 44  # of a record in the table [characters]
SHORT_NAME, SHORTEST_NAME = 24, 12  # where the terminal is narrow: in one table and in two [characters]
COLUMNS = (  # of the table, with their units
    ("no.", ""),
    ("record", ""),
    ("format", ""),
    ("comp.", ""),
    ("dt", "[s]"),
    ("length", "[s]"),
    ("PGA", "[g]"),
    ("PGV", "[m/s]"),
    ("PGD", "[m]"),
    ("Arias", "[m/s]"),
    ("D5-95", "[s]"),
    ("Tm", "[s]"),
    ("unit", ""),
    ("flags", ""),
)
PARTS = ((0, 1, 2, 3, 4, 5, 12, 13), (0, 1, 6, 7, 8, 9, 10, 11))  # columns of two narrow tables
COMPONENT = 3  # column of it
MARKS = {"fixed by the format": "*", "given": "+"}  # how the unit was known, else declared in the file


def format_surveys(surveys: list[Survey], width: int, components: bool = False) -> str:
    """Table of records or of their components, its legend, and what is suspicious.

    Parameters
    ----------
    surveys : list of Survey
        From `mcrock.excitation.selection.survey`.
    width : int
        Of the terminal [characters].
    components : bool
        A line for each component instead of each record.
    """
    rows = _component_rows(surveys) if components else _motion_rows(surveys)
    legend = _legend(components, width)
    return "\n".join([_fit_table(rows, components, width), *legend, *_flag_lines(surveys, width)])


def _fit_table(rows: list[list[str]], components: bool, width: int) -> str:
    """The table in lines that fit: with long heads, with short ones, or in two parts."""
    whole = format_table([f"{name} {unit}".rstrip() for name, unit in COLUMNS], rows)
    if len(whole.partition("\n")[0]) <= width:
        return whole
    every = tuple(range(len(COLUMNS)))
    narrow = _narrow(rows, every, width, SHORT_NAME)
    if len(narrow.partition("\n")[0]) <= width:
        return narrow
    first, second = PARTS
    if components:
        second = (0, COMPONENT, *second[2:])
    return "\n\n".join(_narrow(rows, part, width, SHORTEST_NAME) for part in (first, second))


def _narrow(rows: list[list[str]], part: tuple[int, ...], width: int, shortest: int) -> str:
    """Some columns with the units below their heads, and names as short as the width wants."""
    heads = [COLUMNS[i][0] for i in part]
    body = [[COLUMNS[i][1] for i in part], *([row[i] for i in part] for row in rows)]
    excess = len(format_table(heads, body).partition("\n")[0]) - width
    if excess > 0:
        longest = max(len(row[1]) for row in body)
        body = [[row[0], shorten(row[1], max(longest - excess, shortest)), *row[2:]] for row in body]
    return format_table(heads, body)


def _motion_rows(surveys: list[Survey]) -> list[list[str]]:
    """A line for each record."""
    rows = []
    for number, found in enumerate(surveys, start=1):
        motion = found.motion
        axes = "".join(
            axis for axis, samples in zip("xyz", motion.acceleration, strict=True) if samples.any()
        )
        rows.append(_row(number, motion, axes, found.values, str(len(found.flags) or "")))
    return rows


def _component_rows(surveys: list[Survey]) -> list[list[str]]:
    """A line for each component that is not zero throughout."""
    rows = []
    for number, found in enumerate(surveys, start=1):
        for axis, values in component_values(found.motion).items():
            name = found.motion.metadata.get(f"component_{axis}", "")
            rows.append(
                _row(number, found.motion, f"{axis} {name}".strip(), values, str(len(found.flags) or ""))
            )
    return rows


def _row(number: int, motion: Motion, components: str, values: dict[str, float], flags: str) -> list[str]:
    numbers = [values["pga"] / STANDARD_GRAVITY, *(values[name] for name in list(values)[1:])]
    return [
        str(number),
        shorten(motion.name, NAME_WIDTH),
        str(motion.metadata.get("format", "")),
        components,
        f"{motion.dt:g}",
        f"{motion.duration:.4g}",
        *("-" if isnan(value) else f"{value:.3g}" for value in numbers),
        f"{motion.metadata.get('unit', '')}{MARKS.get(str(motion.metadata.get('unit_known')), '')}",
        flags,
    ]


def _legend(components: bool, width: int) -> list[str]:
    measures = (
        "PGA to Tm: of each component as recorded"
        if components
        else "PGA to Tm: geometric mean of the horizontal components as recorded (--components for each)"
    )
    marks = ", ".join(f"{mark} {known}" for known, mark in MARKS.items())
    return [
        wrap(f"{measures}; velocity and displacement integrated from rest", width, "  "),
        wrap(f"unit: declared in the file, or {marks}", width, "  "),
    ]


def _flag_lines(surveys: list[Survey], width: int) -> list[str]:
    """Suspicious features, record by record."""
    flagged = [(number, found) for number, found in enumerate(surveys, start=1) if found.flags]
    words = format_count(len(surveys), "record")
    if not flagged:
        return [f"nothing suspicious in {words}"]
    lines = [f"suspicious in {len(flagged)} of {words}:"]
    for number, found in flagged:
        where = found.motion.metadata.get("file", "")
        lines.append(
            wrap(f"  {number}  {found.motion.name}" + (f" ({where})" if where else ""), width, "     ")
        )
        lines += [wrap(f"     - {flag}", width, "       ") for flag in found.flags]
    return lines


DAMPING = 0.05  # of the spectra [1]
PERIODS = np.geomspace(0.02, 10.0, 120)  # [s]
HEIGHTS = (24.0, 22.0, 22.0, 18.0)  # of acceleration, velocity, displacement and Husid [mm]
SPECTRUM_HEIGHT = 46.0  # [mm]
MARGIN = 1.15  # of the vertical axes around the largest value [1]
APART = 10.0  # components whose largest values are further apart have axes of their own [1]
TITLE, SHORT_TITLE = 110, 22  # of a line above the page and above a component [characters]
NAME, NAME_HEIGHT = 60, 4.0  # of a record in a legend [characters], [mm]
FEWEST = 7  # records whose percentiles are drawn: with fewer the outer ones are hardly more than the extremes
DRAWN = 4000  # points of a line; of longer records the largest and smallest of every few samples


@style.styled
def plot_record(motion: Motion, flags: Sequence[str] = ()) -> Axes:
    """Acceleration, velocity, displacement and Husid curve of each component, and their spectra.

    Velocity and displacement are the integrals of the record as it is, from rest; the Husid curve is
    the share of the Arias intensity reached; the spectra are of pseudo-acceleration at 5 % damping.

    Parameters
    ----------
    motion : Motion
    flags : sequence of str
        Sentences for the note below, such as those of `mcrock.excitation.selection.suspicions`.

    Returns
    -------
    Axes
        Of the spectra, in a figure with the others.

    Raises
    ------
    MotionError
        If the motion is zero throughout.
    """
    components = {
        axis: samples for axis, samples in zip("xyz", motion.acceleration, strict=True) if samples.any()
    }
    if not components:
        raise MotionError(f"motion '{motion.name}' is zero throughout: there is nothing to draw")
    height = sum(HEIGHTS) + SPECTRUM_HEIGHT + 38.0
    figure = style.new_figure(style.PAGE, height)
    grid = figure.add_gridspec(
        len(HEIGHTS) + 1, len(components), height_ratios=[*HEIGHTS, SPECTRUM_HEIGHT + 8.0]
    )
    rows: list[list[Axes]] = [[] for _ in HEIGHTS]
    for column, (axis, samples) in enumerate(components.items()):
        for row, (label, values) in enumerate(_histories(samples, motion.dt).items()):
            ax = figure.add_subplot(grid[row, column], sharex=figure.axes[0] if figure.axes else None)
            rows[row].append(ax)
            if column == 0:
                ax.set_ylabel(label)
            ax.axhline(0.0, color=style.GREY, linewidth=0.4)
            ax.plot(*_thinned(motion.time, values), color=AXES[axis], linewidth=0.6)
            ax.tick_params(labelbottom=row == len(HEIGHTS) - 1, labelleft=column == 0)
            if row == 0:
                ax.set_title(_component_label(motion, axis))
            if row == len(HEIGHTS) - 1:
                ax.set_xlabel("Time [s]")
    own = _fit_axes(rows, components, motion)
    ax = figure.add_subplot(grid[-1, :])
    _draw_spectra(ax, motion, components)
    figure.align_ylabels([*(axes[0] for axes in rows), ax])
    figure.suptitle(textwrap.fill(style.plain_text(motion.name), TITLE), fontsize=8.0)
    return style.add_note(ax, _describe_record(motion, flags, own))


@style.styled
def plot_spectra(motions: Sequence[Motion], title: str = "") -> Axes:
    """Spectra of a set: of a few records with their names, of more with median and percentiles.

    From 7 records on these are drawn, with the 16 and 84 % percentiles, and the records are grey lines.
    Pseudo-acceleration at 5 % damping, geometric mean of the horizontal components; records without a
    horizontal component are left out.

    Raises
    ------
    MotionError
        If no motion has a horizontal component.
    """
    shaking = [motion for motion in motions if motion.acceleration[:2].any()]
    if not shaking:
        raise MotionError("no motion with a horizontal component: there is no spectrum to draw")
    values = np.array([motion_spectrum(motion, PERIODS, DAMPING) for motion in shaking]) / STANDARD_GRAVITY
    if len(shaking) >= FEWEST:
        ax = style.new_axes()
        for i, line in enumerate(values):
            ax.plot(
                PERIODS, line, color=style.GREY, linewidth=0.4, alpha=0.7, label="" if i else "each record"
            )
        low, median, high = np.percentile(values, [16, 50, 84], axis=0)
        ax.plot(PERIODS, median, color=style.BLUE, label="median")
        ax.plot(PERIODS, low, color=style.BLUE, linestyle="--", linewidth=0.9, label="16 % and 84 %")
        ax.plot(PERIODS, high, color=style.BLUE, linestyle="--", linewidth=0.9)
        ax.legend()
    else:
        ax = style.new_axes(height=68.0 + NAME_HEIGHT * len(shaking))
        for colour, stroke, motion, line in zip(style.COLOURS, style.STROKES, shaking, values, strict=False):
            name = style.plain_text(shorten(motion.name, NAME))
            ax.plot(PERIODS, line, color=colour, linestyle=stroke, linewidth=0.9, label=name)
        style.figure_of(ax).legend(loc="outside upper left")
    _spectrum_axes(ax, values)
    count = format_count(len(shaking), "record")
    note = f"{count}, geometric mean of the horizontal components as recorded, {DAMPING:.0%} damping."
    return style.add_note(ax, note.replace("%", " %") + (f" {style.plain_text(title)}" if title else ""))


def _histories(samples: FloatArray, dt: float) -> dict[str, FloatArray]:
    """Histories of a component that are drawn, by their labels."""
    energy = energy_of(samples, dt)
    return {
        "Accel. [g]": samples / STANDARD_GRAVITY,
        "Velocity [m/s]": velocity_of(samples, dt),
        "Displ. [m]": displacement_of(samples, dt),
        "Husid [1]": energy / energy[-1],
    }


def _thinned(time: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A long line by the extremes of its pieces: it looks the same and draws in no time."""
    size = -(-len(values) // DRAWN) * 2
    if size <= 2:
        return time, values
    whole = len(values) // size * size
    pieces = values[:whole].reshape(-1, size)
    inside = np.sort(np.stack([pieces.argmin(axis=1), pieces.argmax(axis=1)]), axis=0)
    kept = (inside + size * np.arange(len(pieces))).T.ravel()
    kept = np.unique(np.concatenate([kept, np.arange(whole, len(values))]))
    return time[kept], values[kept]


def _fit_axes(rows: list[list[Axes]], components: dict[str, FloatArray], motion: Motion) -> bool:
    """Vertical axes of equal scale along each row, symmetric about zero but for Husid.

    A component far larger than the others would flatten them and has a scale of its own, with numbers;
    returns whether there is one.
    """
    histories = zip(
        *(list(_histories(samples, motion.dt).values()) for samples in components.values()), strict=True
    )
    own = False
    for axes, values in zip(rows[:-1], histories, strict=False):
        peaks = [float(np.abs(line).max()) for line in values]
        scales = _scales(peaks)
        for ax, scale in zip(axes, scales, strict=True):
            ax.set_ylim(-MARGIN * scale, MARGIN * scale)
            style.number_axis(ax, "y")
            ax.tick_params(labelleft=ax is axes[0] or scale != scales[0])
        own = own or len({*scales}) > 1
    for ax in rows[-1]:
        ax.set_ylim(-0.05, 1.05)
    rows[0][0].set_xlim(0.0, motion.duration)
    return own


def _scales(peaks: list[float]) -> list[float]:
    """Largest value of the axis of each component: one for those that are not far apart.

    >>> _scales([1.0, 2.0, 33.0])
    [2.0, 2.0, 33.0]
    """
    scales: dict[float, float] = {}
    group: list[float] = []
    for peak in sorted(peaks):
        group = [*group, peak] if group and peak <= APART * group[-1] else [peak]
        scales |= dict.fromkeys(group, peak)
    return [scales[peak] for peak in peaks]


def _draw_spectra(ax: Axes, motion: Motion, components: dict[str, FloatArray]) -> None:
    lines = {
        axis: response_spectrum(samples, motion.dt, PERIODS, DAMPING) / STANDARD_GRAVITY
        for axis, samples in components.items()
    }
    for axis, values in lines.items():
        look: dict[str, Any] = {"color": AXES[axis], "linestyle": DASHES[axis], "linewidth": 0.9}
        ax.plot(PERIODS, values, label=_component_label(motion, axis), **look)
    _spectrum_axes(ax, np.array(list(lines.values())))
    ax.legend()


def _spectrum_axes(ax: Axes, values: FloatArray) -> None:
    """Logarithmic axes, cut four decades below the largest value."""
    ax.set(xlabel="Period [s]", ylabel="Pseudo-acceleration [g]")
    ax.set_xlim(PERIODS[0], PERIODS[-1])
    ax.set_ylim(max(values.min(), 1e-4 * values.max()) / 1.5, 1.5 * values.max())
    for axis in "xy":
        style.log_axis(ax, axis)
    ax.grid(which="major", color="0.9", linewidth=0.5)


def _component_label(motion: Motion, axis: str) -> str:
    name = motion.metadata.get(f"component_{axis}")
    return (
        f"ground {axis} ({style.plain_text(shorten(str(name), SHORT_TITLE))})" if name else f"ground {axis}"
    )


def _describe_record(motion: Motion, flags: Sequence[str], own: bool) -> str:
    """Source of a record and what is suspicious about it, as a note."""
    facts = motion.metadata
    words = [f"Time step {motion.dt:g} s, {motion.acceleration.shape[1]} samples."]
    if "format" in facts:
        words.append(f"{facts['format']}, unit {facts.get('unit')} ({facts.get('unit_known')}).")
    words.append(f"Integrated from rest as recorded; spectra at {100 * DAMPING:g} % damping.")
    if own:
        words.append("Components more than ten times as large as others have scales of their own.")
    if flags:
        words.append(f"Suspicious: {'; '.join(flags)}")
    return style.plain_text(" ".join(words))


LEVELS = (
    "levels = [1.0]  # the records are scaled. For a fragility curve or a hazard scale them on: take in the\n"
    '# place of both lines measure = "pga" and levels_g = [0.2, 0.4, 0.8], or what the hazard is of\n'
)
HEADS = ("record", "event", "magnitude", "distance [km]", "Vs30 [m/s]", "factor", "error [1]")


def format_selection(candidates: Candidates, target: Target, found: Selection) -> list[str]:
    """How far mean and standard deviation are from the target, and the list with its factors."""
    mean, std = found.log_mean - target.log_mean, found.log_std - target.log_std
    i, j = (int(np.abs(off).argmax()) for off in (mean, std))
    n, events = len(candidates.names), [candidates.events[place] for place in found.places]
    known = [event for event in events if not event.startswith(UNKNOWN)]
    quakes, unknown = format_count(len(set(known)), "earthquake"), len(events) - len(known)
    lines = [
        f"{len(found.places)} of {found.allowed} recordings within the limits, of {n}",
        f"from {quakes}" + f", and {unknown} that name none" * bool(unknown),
        f"median over that of the target: {np.exp(mean.min()):.3f} to {np.exp(mean.max()):.3f}, farthest at "
        f"{target.periods[i]:g} s",
        f"standard deviation less that of the target: {std.min():+.3f} to {std.max():+.3f}, farthest at "
        f"{target.periods[j]:g} s",
    ]
    return [*lines, format_table(HEADS, _rows(candidates, target, found), left=True)]


def _rows(candidates: Candidates, target: Target, found: Selection) -> list[list[str]]:
    rows = []
    for place, factor in zip(found.places, found.factors, strict=True):
        facts = [candidates.facts[name][place] / unit for name, unit in BY_LEVEL.items()]
        off = candidates.log_spectra[place] + np.log(factor) - target.log_mean
        shown = ["-" if np.isnan(value) else f"{value:.4g}" for value in facts]
        name, event = candidates.names[place], _event(candidates, place) or "-"
        rows.append([name, event, *shown, f"{factor:.3f}", f"{np.sqrt((off**2).mean()):.2f}"])
    return rows


def _event(candidates: Candidates, place: int) -> str:
    """Earthquake of a recording; empty where it says none."""
    event = candidates.events[place]
    return "" if event.startswith(UNKNOWN) else event


def write_selection(
    folder: Path, candidates: Candidates, found: Selection, motions: Sequence[Motion]
) -> list[Path]:
    """Write the list, and of recordings that were read the scaled ones with a table [motion] that reads them.

    Parameters
    ----------
    folder : Path
    candidates, found
    motions : sequence of Motion
        That the candidates are of; empty for those of a flat file.
    """
    paths = [folder / "selection.csv"]
    with replacing(paths[0]) as scratch, scratch.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["record", "event", "factor"])
        for place, factor in zip(found.places, found.factors, strict=True):
            table.writerow([candidates.names[place], _event(candidates, place), f"{factor:.6g}"])
    if not motions:
        return paths
    (folder / "records").mkdir(exist_ok=True)
    for number, (place, factor) in enumerate(zip(found.places, found.factors, strict=True), start=1):
        motion = motions[place].scaled(float(factor))
        axes = [axis for axis, is_there in zip("xyz", motion.shaken, strict=True) if is_there]
        rows = np.column_stack([motion.time, *(motion.acceleration["xyz".index(axis)] for axis in axes)])
        with replacing(folder / "records" / f"{number:03d}_{file_name(motion)}.csv") as scratch:
            np.savetxt(scratch, rows, "%.8g", ",", header=",".join(["time", *axes]), comments="")
    paths.append(folder / "motion.toml")
    text = (
        '[motion]\nsource = "files"\npaths = ["records"]\nunit = "m/s2"\n\n[intensity]\nmeasure = "factor"\n'
    )
    with replacing(paths[1]) as scratch:
        scratch.write_text(text + LEVELS, encoding="utf-8")
    return paths


def file_name(motion: Motion) -> str:
    """Name of a motion as part of that of a file."""
    return re.sub(r"[^\w.-]+", "_", motion.name).strip("_.")[:60] or "record"


@style.styled
def plot_selection(candidates: Candidates, target: Target, found: Selection) -> Axes:
    """Spectra of the recordings chosen, with median and 2.5 to 97.5 % of set and target."""
    ax = style.new_axes(style.COLUMN, 70.0)
    logs = candidates.log_spectra[found.places] + np.log(found.factors)[:, None]
    t = target.periods
    ax.loglog(t, np.exp(logs.T) / STANDARD_GRAVITY, color=style.GREY, lw=0.4)
    for mean, std, colour, words in (
        (target.log_mean, target.log_std, style.ORANGE, "target"),
        (found.log_mean, found.log_std, style.BLUE, f"{len(found.places)} recordings"),
    ):
        ax.loglog(t, np.exp(mean) / STANDARD_GRAVITY, color=colour, lw=1.4, label=words)
        for sign in (-1.96, 1.96):
            ax.loglog(t, np.exp(mean + sign * std) / STANDARD_GRAVITY, color=colour, lw=0.9, ls="--")
    ax.set_xlabel("Period [s]")
    ax.set_ylabel("Pseudo-acceleration, 5 % damping [g]")
    ax.legend()
    return style.add_note(
        ax, "Solid: medians; dashed: 2.5 and 97.5 % of a lognormal spread; grey: recordings, scaled."
    )
