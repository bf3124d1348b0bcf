"""The history of one run: motion, tilt and rotations, displacement, contact, energy; names of contacts."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.base.params import STANDARD_GRAVITY, Mode, Outcome
from mcrock.excitation import Pulse
from mcrock.excitation.processing import FLOOR
from mcrock.show import style
from mcrock.statistics.runs import guessed

if TYPE_CHECKING:
    from mcrock.excitation import Motion
    from mcrock.simulation.runs import Run

OLIVE = "#a89800"  # apart from the others to colour-blind readers, too, and dark enough for words

FLAT = (Mode.REST, Mode.SLIDE, Mode.SPIN)
ON_EDGE = (Mode.EDGE, Mode.EDGE_SLIP_FIRST, Mode.EDGE_SLIP_SECOND, Mode.EDGE_SLIP)
ON_VERTEX = (Mode.VERTEX, Mode.VERTEX_SLIP)
ON_RIM = (Mode.ROLL, Mode.ROLL_SLIP)

COLOURS = {  # by name of the contact, in the order of a key
    "rest": style.GREY,
    "slide": style.SKY,
    "spin": style.BLUE,
    "edge": style.GREEN,
    "edge slip": OLIVE,
    "vertex": style.ORANGE,
    "vertex slip": style.RED,
    "roll": style.SAND,
    "rim slip": style.DEEP_RED,
    "flight": style.PURPLE,
}


class ContactWords(NamedTuple):
    """A mode of contact: its name in a key, and two phrases with room for the number of its feature."""

    name: str
    phrase: str
    short: str


PIVOT = ContactWords("edge slip", "pivoting on edge {}", "edge {} pivots")
CONTACT_WORDS = {
    Mode.REST: ContactWords("rest", "at rest on face {}", "face {}"),
    Mode.SLIDE: ContactWords("slide", "sliding on face {}", "face {} slides"),
    Mode.SPIN: ContactWords("spin", "spinning on face {}", "face {} spins"),
    Mode.EDGE: ContactWords("edge", "on edge {}", "edge {}"),
    Mode.EDGE_SLIP_FIRST: PIVOT,
    Mode.EDGE_SLIP_SECOND: PIVOT,
    Mode.EDGE_SLIP: ContactWords("edge slip", "slipping on edge {}", "edge {} slips"),
    Mode.VERTEX: ContactWords("vertex", "on vertex {}", "vertex {}"),
    Mode.VERTEX_SLIP: ContactWords("vertex slip", "slipping on vertex {}", "vertex {} slips"),
    Mode.ROLL: ContactWords("roll", "rolling on the rim of face {}", "face {} rolls"),
    Mode.ROLL_SLIP: ContactWords("rim slip", "slipping on the rim of face {}", "face {} slips on its rim"),
    Mode.FLIGHT: ContactWords("flight", "in flight", "flight"),
}


def contact_name(mode: Mode) -> str:
    """Name of a mode of contact in keys and tables; the two pivots about an edge share one with its slip."""
    return CONTACT_WORDS[mode].name


def describe_contact(mode: int, index: int) -> str:
    """Contact with the ground.

    >>> describe_contact(Mode.REST, 0), describe_contact(Mode.VERTEX_SLIP, 3)
    ('at rest on face 0', 'slipping on vertex 3')
    """
    return CONTACT_WORDS[Mode(mode)].phrase.format(index)


def contact_colour(mode: Mode) -> str:
    """Colour of a mode of contact."""
    return COLOURS[CONTACT_WORDS[mode].name]


AXES = {"x": style.BLUE, "y": style.ORANGE, "z": style.GREEN}
DASHES = dict(zip(AXES, style.STROKES, strict=False))  # of smooth lines; those of the shaking stay whole
HATCHES = {  # of the contacts
    "slide": "----",
    "spin": "oo",
    "edge slip": "////",
    "vertex": "....",
    "vertex slip": "xxxx",
    "roll": "..",
    "rim slip": "xx",
    "flight": "\\\\\\\\",
}
IMPACTS = (("edge_impact", 0.04, "0.6"), ("facet_impact", 0.08, "0.2"))  # height of marks in the axes [1]
FALLEN: dict[str, Any] = {"color": style.DEEP_RED, "linestyle": (0, (3, 1, 1, 1)), "linewidth": 0.9}
FALL = 1.0  # a tilt beyond which a motion is a fall [rad]
ROUNDING = 1e-6  # a tilt or yaw that is none [rad]
TITLE_CHARACTERS = 54  # of the title in one line
EQUAL = 1e-4  # share of the energy of a body within which changes are drawn as none [1]


@style.styled
def plot_history(
    run: Run, title: str = "", slenderness: float | None = None, motion: Motion | Pulse | None = None
) -> Axes:
    """Ground motion, tilt and rotations, contact mode and energy of one run over time.

    A run with friction also has the displacement of its base, and no angles where it only slides.

    Parameters
    ----------
    run : Run
        With its history.
    title : str
        Above the figure, in as many lines as it needs.
    slenderness : float, optional
        Smallest slenderness of the body, drawn as a level in the tilt [rad]. Of a body that falls
        the angles are cut beyond twice that.
    motion : Motion or Pulse, optional
        Ground motion as the body felt it, scaled and turned. Not drawn where it is zero.

    Returns
    -------
    Axes
        Of the angles, or else of the displacement, in a figure of axes that share the time, one column wide.

    Raises
    ------
    TypeError
        If `run` is not one of `mcrock.simulate`.
    ValueError
        If the run was made without its history.
    """
    if not hasattr(run.history, "mode"):
        raise TypeError(
            "plot_history draws runs of mcrock.simulate; of a planar run plot run.history.rotation over time"
        )
    history = run.history
    if history.sizes["time"] < 2:
        raise ValueError("the run has no history to draw; simulate with history=True")
    span = moving_span(run)
    # a body that rolls off the face on which it starts has none that could tell a fall
    cut = None if slenderness is None or slenderness <= 0.0 else 2.0 * slenderness
    if cut is not None and not float(history["tilt"].max()) > max(cut, FALL):
        cut = None
    # heights of the axes [mm]
    heights = {"ground": 14.0, "angles": 34.0, "displacement": 20.0, "contact": 4.0, "energy": 16.0}
    if motion is not None and not ground_acceleration(motion, span)[1].any():
        motion = None
    if motion is None:
        del heights["ground"]
    if not has_friction(run):
        del heights["displacement"]
    elif run.events and not turns(history):
        del heights["angles"]
    height = sum(heights.values()) + 9.0 * len(heights) + 8.0
    figure = style.new_figure(style.COLUMN, height)
    rows = figure.subplots(len(heights), 1, sharex=True, height_ratios=list(heights.values()))
    axes = dict(zip(heights, rows, strict=True))
    if motion is not None:
        draw_ground(axes["ground"], motion, span)
        style.legend_above(axes["ground"], 4, 0.0)
    if "angles" in axes:
        _draw_angles(axes["angles"], run, slenderness)
    if "displacement" in axes:
        draw_displacement(axes["displacement"], history)
        style.legend_above(axes["displacement"], 4, 0.0)
    if cut is not None:
        axes["angles"].set_ylim(-np.degrees(cut), np.degrees(cut))
    draw_contact(axes["contact"], history)
    axes["contact"].set_ylabel("Contact", rotation=0, ha="right", va="center")
    style.legend_above(axes["contact"], 5, 0.0, handlelength=0.8)
    _draw_energy(axes["energy"], history)
    if run.outcome == Outcome.OVERTURNED:
        for ax in axes.values():
            ax.axvline(float(run.results["overturning_time"]), **FALLEN)
    axes["energy"].set_xlim(*span)
    figure.align_ylabels([ax for name, ax in axes.items() if name != "contact"])
    if title:
        whole = re.sub(r"(\d) (?=\S+,)", "\\1\xa0", title)  # a number and its unit stand on one line
        figure.suptitle(style.plain_text(textwrap.fill(whole, TITLE_CHARACTERS)), fontsize=8.0)
    note = _describe_ending(run)
    if cut is not None:
        note += " Angles beyond twice the slenderness are cut."
    style.add_note(axes["energy"], note)
    return axes["angles" if "angles" in axes else "displacement"]


def has_friction(run: Run) -> bool:
    """Whether a run is one with friction, which may slip and fly."""
    return "slip_path" in run.results


def turns(history: xr.Dataset) -> bool:
    """Whether the body tilts or turns about the vertical at any time."""
    return max(float(history["tilt"].max()), float(np.ptp(history["yaw"].values))) > ROUNDING


def moving_span(run: Run) -> tuple[float, float]:
    """The part of a run in which something happens, with a margin: start and end [s]."""
    time = run.history["time"].values
    if not run.events:
        return float(time[0]), float(time[-1])
    starts_at_rest = run.history["mode"].values[0] == Mode.REST
    first = run.events[0]["t"] if starts_at_rest else time[0]
    last = run.events[-1]["t"] if run.history["mode"].values[-1] == Mode.REST else time[-1]
    margin = 0.05 * max(last - first, 1.0)
    return float(max(time[0], first - margin)), float(min(time[-1], last + margin))


def ground_acceleration(motion: Motion | Pulse, span: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Times (n,) [s] and ground acceleration (3, n) [m/s2] at which to draw a motion over a span [s]."""
    if isinstance(motion, Pulse):
        time = np.linspace(*span, 2001)
        return time, motion.acceleration_at(time)
    shown = (motion.time >= span[0] - motion.dt) & (motion.time <= span[1] + motion.dt)
    return motion.time[shown], motion.acceleration[:, shown]


def ground_moves(motion: Motion | Pulse) -> bool:
    """Whether any component of a motion is ever other than zero."""
    return bool(np.any(motion.amplitude if isinstance(motion, Pulse) else motion.acceleration))


def draw_ground(ax: Axes, motion: Motion | Pulse, span: tuple[float, float]) -> None:
    """The components of the ground acceleration that are not zero."""
    time, acceleration = ground_acceleration(motion, span)
    place = "floor" if FLOOR in str(getattr(motion, "metadata", {}).get("history", "")) else "ground"
    for row, (name, colour) in enumerate(AXES.items()):
        if acceleration[row].any():
            g = acceleration[row] / STANDARD_GRAVITY
            ax.plot(time, g, color=colour, linewidth=0.6, label=f"{place} {name}")
    ax.set_ylabel(f"{place.capitalize()} [g]")


def draw_tilt(ax: Axes, history: xr.Dataset, label: str) -> None:
    """The tilt alone, with a line at 90 degrees where it gets there."""
    tilt = np.degrees(history["tilt"].values)
    ax.plot(history["time"].values, tilt, color="black", linewidth=1.0)
    if tilt.max() > 0.99 * 90.0:
        ax.axhline(90.0, color=style.GREY, linestyle=":", linewidth=0.8)
        ax.set_yticks([0, 90, 180] if tilt.max() > 120.0 else [0, 45, 90])
    if tilt.max() < np.degrees(ROUNDING):
        ax.set_ylim(-0.05, 1.0)
    ax.set_ylabel(label)


def draw_slenderness(ax: Axes, slenderness: float) -> None:
    """The slenderness [rad] as a level of the tilt."""
    ax.axhline(np.degrees(slenderness), color=style.GREY, linestyle="--", linewidth=0.7, label="slenderness")


def draw_displacement(ax: Axes, history: xr.Dataset) -> None:
    """The horizontal displacement of the base centre."""
    for name in ("x", "y"):
        moved = history["displacement"].sel(axis=name)
        look: dict[str, Any] = {"color": AXES[name], "linestyle": DASHES[name], "linewidth": 0.8}
        ax.plot(history["time"].values, moved, label=f"displacement {name}", **look)
    ax.set_ylabel("Base [m]")


def draw_contact(ax: Axes, history: xr.Dataset) -> None:
    """Strip of the contact mode between the rows of the history; its key names those that occur."""
    time, mode = history["time"].values, history["mode"].values
    changes = np.concatenate([[0], np.flatnonzero(np.diff(mode)) + 1])
    ends = np.append(time[changes[1:]], time[-1])
    names = np.array([contact_name(Mode(code)) for code in mode[changes]])
    for name, colour in COLOURS.items():
        held = names == name
        if not held.any():
            continue
        spans = list(zip(time[changes][held], (ends - time[changes])[held], strict=True))
        # outlined, so that the shortest stay visible
        hatch = HATCHES.get(name)
        ax.broken_barh(
            spans, (0, 1), facecolor=colour, edgecolor=colour, linewidth=0.3, label=None if hatch else name
        )
        if hatch:
            ax.broken_barh(
                spans, (0, 1), facecolor=colour, edgecolor="white", linewidth=0, hatch=hatch, label=name
            )
    ax.set_yticks([])
    ax.set_ylim(0, 1)


def _draw_angles(ax: Axes, run: Run, slenderness: float | None) -> None:
    history, time = run.history, run.history["time"].values
    ax.plot(time, np.degrees(history["tilt"]), color="black", linewidth=1.0, label="tilt")
    for name in ("x", "y"):
        angle = np.degrees(history[f"rotation_{name}"])
        look: dict[str, Any] = {"color": AXES[name], "linestyle": DASHES[name], "linewidth": 0.8}
        ax.plot(time, angle, label=f"about base {name}", **look)
    if has_friction(run) and float(np.ptp(history["yaw"].values)) > ROUNDING:
        look = {"color": AXES["z"], "linestyle": DASHES["z"], "linewidth": 0.8}
        ax.plot(time, np.degrees(history["yaw"]), label="yaw", **look)
    if slenderness is not None:
        draw_slenderness(ax, slenderness)
    for kind, height, colour in IMPACTS:
        times = [event["t"] for event in run.events if event["kind"] == kind]
        look = {"color": colour, "linewidth": 0.5, "transform": ax.get_xaxis_transform()}
        if times:
            ax.vlines(times, 0.0, height, label=kind.replace("_", " "), **look)
    if run.outcome == Outcome.OVERTURNED:
        ax.plot([], [], label="overturned", **FALLEN)
    ax.set_ylabel("Angle [°]")
    style.legend_above(ax, 3, 0.0)


def _draw_energy(ax: Axes, history: xr.Dataset) -> None:
    energy = history["energy"].values
    joule = energy - energy[0]
    factor, unit = (1e-3, "kJ") if np.abs(joule).max() >= 1e4 else (1.0, "J")
    ax.plot(history["time"].values, factor * joule, color="black", linewidth=1.0)
    # rounding of an energy that is conserved would fill the axes
    least = factor * EQUAL * np.abs(energy).max()
    if factor * np.ptp(joule) < least:
        ax.set_ylim(-least, least)
    ax.set_ylabel(f"Energy [{unit}]")
    ax.set_xlabel("Time [s]")


def _describe_ending(run: Run) -> str:
    """End of the run, in a sentence or two."""
    if not run.events:
        return "The body never left its base."
    mode, index = (run.history[name].values for name in ("mode", "index"))
    numbers = [f"{int(run.results[f'{name}_impacts'])} {name}" for name in ("edge", "facet")]
    first_face = index[0] if mode[0] == Mode.REST else 0
    face = f" on face {index[-1]}" if index[-1] != first_face else ""
    resting = f"at rest{face} at {run.events[-1]['t']:.4g} s" if mode[-1] == Mode.REST else ""
    if run.outcome == Outcome.AT_REST:
        ending = f"Came to {resting.removeprefix('at ')}"
    elif run.outcome == Outcome.OVERTURNED:
        ending = f"Overturned at {run.results['overturning_time']:.4g} s"
        ending += f", {resting}" if resting else ""
    else:
        name = Outcome(run.outcome).name.lower().replace("_", " ").capitalize()
        ending = f"{name} at {run.results['end_time']:.4g} s"
    return (
        f"{ending}{describe_doubt(run)}; {' and '.join(numbers)} impacts{_describe_slip(run)}. "
        "Energy: kinetic and potential, above its value at the start."
    )


def describe_doubt(run: Run) -> str:
    """Why statistics count a run that has an end as undecided, to follow its outcome; else nothing."""
    names = "outcome", "infeasible_energy_loss", "infeasible_facet_impacts"
    if not guessed(xr.Dataset({"facet_fallback": run.facet_fallback} | {k: run.results[k] for k in names})):
        return ""
    percent = f"{100.0 * run.infeasible_energy_loss:.0f} %"
    return f", but undecided: infeasible impacts took {percent} of the energy needed to overturn"


def _describe_slip(run: Run) -> str:
    """Slip path and flight time, if any."""
    results = run.results
    words = ""
    if results.get("slip_path"):
        words += f"; slip path {results['slip_path']:.3g} m, base displaced by up to "
        words += f"{results['peak_displacement']:.3g} m"
    if results.get("flights"):
        words += f"; longest flight {results['longest_flight']:.3g} s"
    return words
