"""Figures of ground motions: one record with its spectra, and the spectra of a set."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.excitation.measures import displacement_of, energy_of, velocity_of
from mcrock.excitation.motion import FloatArray, Motion, MotionError
from mcrock.excitation.response_spectra import motion_spectrum, response_spectrum
from mcrock.show import style
from mcrock.show.history import AXES, DASHES
from mcrock.show.tables import shorten

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
        Sentences for the note below, such as those of `mcrock.excitation.survey.suspicions`.

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
    style.add_note(ax, _describe_record(motion, flags, own))
    return ax


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
    count = f"{len(shaking)} records" if len(shaking) > 1 else "1 record"
    note = f"{count}, geometric mean of the horizontal components as recorded, {DAMPING:.0%} damping."
    style.add_note(ax, note.replace("%", " %") + (f" {style.plain_text(title)}" if title else ""))
    return ax


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
