"""The picture of a run at one of its frames, drawn with matplotlib."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from mcrock.base.params import STANDARD_GRAVITY, Mode
from mcrock.show import body, history
from mcrock.show.animation.scene import COUNTED, LATEST, Frames, Stage, count_events, counted, format_event
from mcrock.show.style import BLUE, RED, figure_of, paper_style, plain_text

if TYPE_CHECKING:
    from mcrock.excitation import Motion, Pulse
    from mcrock.simulation.runs import Run

SIZE = (7.2, 5.6)  # of the figure [in]
STRIP = 0.7  # height that a strip of the displacement adds to it [in]
DPI = 100  # [1/in]
SMALL = 7.5  # of text [pt]
PANEL = 0.645  # left end of what is written beside the scene, over the width of the figure [1]
MONO: dict[str, Any] = {"family": "DejaVu Sans Mono", "fontsize": 7.5, "va": "top", "linespacing": 1.35}
LINE = 0.0251  # of it, over the height of a figure of the usual size [1]
KEY: dict[str, Any] = {  # to a strip, above its right end
    "loc": "lower right", "bbox_to_anchor": (1.0, 0.97), "ncols": 12, "handlelength": 1.0,
    "borderpad": 0.0, "borderaxespad": 0.0, "columnspacing": 1.2,
}  # fmt: skip


def palette_of_picture() -> list[int]:
    """Colours for a picture of few colours, as red, green, blue, red, ... [0 to 255].

    Those of the lines with steps towards white, as their soft edges need, greys, and the faces in
    all their lights, whole and where the walls are guessed.
    """
    white = np.ones(3)
    towards_white = np.linspace(0.0, 0.75, 4)
    lines = [
        np.array(to_rgb(colour)) for colour in (BLUE, RED, *history.AXES.values(), *history.COLOURS.values())
    ]
    areas = np.array([to_rgb(colour) for colour in (body.GROUND, body.GRID, body.SHADOW)])
    ramps = [(colour, white, towards_white) for colour in lines]
    ramps += [(np.zeros(3), white, np.linspace(0.0, 1.0, 10))]
    for colour in (body.STONE, body.BASE):
        seen_through = body.HINT_ALPHA * colour + (1.0 - body.HINT_ALPHA)
        ramps += [(0.5 * face, face, np.linspace(0.0, 1.0, 16)) for face in (colour, seen_through)]
    steps = [first + share[:, None] * (last - first) for first, last, share in ramps]
    colours = np.concatenate([areas, *steps])
    return np.unique((255.0 * colours).round().astype(int), axis=0).ravel().tolist()


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A figure, the artists that change from frame to frame, and what changes them.

    ``lists`` are artists that change only when the number of events does.
    """

    figure: Figure
    artists: list[Artist]
    lists: list[Artist]
    update: Callable[[int], list[Artist]]


def build_picture(
    run: Run, stage: Stage, motion: Motion | Pulse | None = None, title: str = "", speed: float = 1.0
) -> Picture:
    """The figure of an animation at its first frame.

    Parameters
    ----------
    run : Run
    stage : Stage
        What is shown.
    motion : Motion or Pulse, optional
        Ground motion as the body felt it.
    title : str
        Line above the figure.
    speed : float
        Time of the motion over time of the animation [1], which the figure says if it is not 1.
    """
    with paper_style():
        figure = Figure(figsize=(SIZE[0], SIZE[1] + STRIP * stage.slips), dpi=DPI)
        FigureCanvasAgg(figure)
        figure.text(0.02, _upper(figure, 0.975), plain_text(title), fontsize=9.0, va="top")
        # in axes, as a figure never saves texts of its own that are animated
        panel = _upper_axes(figure, 0.0, 0.0, 1.0, 1.0)
        panel.set_axis_off()
        lists, move_lists = _write_events(panel, run, stage.frames)
        parts = [
            (lists, move_lists),
            _draw_scene(_upper_axes(figure, 0.0, 0.36, 0.62, 0.575), stage),
            _draw_compass(figure, stage, motion),
            _write_state(panel, stage.frames, speed),
            _draw_strips(figure, run, stage, motion),
        ]
    artists = [artist for part in parts for artist in part[0]]
    for artist in artists:
        artist.set_animated(True)

    def update(frame: int) -> list[Artist]:
        for _, move in parts:
            move(frame)
        return artists

    update(0)
    return Picture(figure, artists, lists, update)


def _upper(figure: Figure, height: float) -> float:
    """Height in a figure of the usual size (share of it) from the top of this one."""
    tall = figure.get_size_inches()[1]
    return float(1.0 - (1.0 - height) * SIZE[1] / tall)


def _upper_axes(figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    """Axes whose place is given in a figure of the usual size, at that distance from the top of this one."""
    low, high = _upper(figure, bottom), _upper(figure, bottom + height)
    return figure.add_axes((left, low, width, high - low))


Part = tuple[list[Artist], Callable[[int], None]]


def _draw_scene(ax: Axes, stage: Stage) -> Part:
    """The body on the ground."""
    frames, solid, view, base = stage.frames, stage.solid, stage.view, stage.base
    _fit(ax, view, np.concatenate([frames.points.reshape(-1, 3), stage.corners]))
    _draw_floor(ax, stage)
    shadow = PolyCollection([], facecolor=body.SHADOW, linewidth=0, zorder=3)
    look: dict[str, Any] = (
        {"linewidth": 0.9}
        if solid.is_whole
        else {"linewidth": 0.6, "linestyle": (0, (4, 3)), "alpha": body.HINT_ALPHA}
    )
    faces = PolyCollection([], edgecolor="0.25", joinstyle="round", zorder=5, **look)
    behind = PolyCollection([], facecolor="none", edgecolor="0.25", alpha=0.4, zorder=5.2, **body.HIDDEN)
    # of the base, where the walls are guessed
    outline = LineCollection([], color="0.25", linewidth=0.9, zorder=5.5, visible=not solid.is_whole)
    for collection in (shadow, faces, behind, outline):
        ax.add_collection(collection, autolim=False)
    plumb = ax.plot([], [], color="0.15", linewidth=0.8, linestyle=(0, (2, 2)), zorder=6)[0]
    com = ax.plot([], [], "o", color="white", markeredgecolor="0.15", markersize=5, zorder=7)[0]
    touch = ax.plot([], [], linewidth=2.6, marker="o", markersize=6.5, zorder=8)[0]
    path = view.project(frames.base * (1.0, 1.0, 0.0))
    trail = ax.plot([], [], color=BLUE, linewidth=1.1, zorder=6.5, visible=stage.slips)[0]
    if not solid.is_whole:
        ax.text(0.99, 0.015, body.HINT, fontsize=6.5, color="0.35", ha="right", transform=ax.transAxes)

    def move(frame: int) -> None:
        points = frames.points[frame]
        flat = view.project(points)
        seen = body.seen_faces(solid, flat)
        faces.set_verts([flat[list(face)] for face in seen])
        faces.set_facecolor([body.face_colour(points[list(face)], view.light, face == base) for face in seen])
        ground = view.project(points * (1.0, 1.0, 0.0))
        shadow.set_verts([ground[list(face)] for face in solid.faces])
        outline.set_segments([flat[[*base, base[0]]]])
        centre = frames.com[frame]
        below = view.project(np.array([centre, centre * (1.0, 1.0, 0.0)]))
        plumb.set_data(*below.T)
        trail.set_data(*path[: frame + 1].T)
        com.set_data(*below[:1].T)
        contact = list(frames.contacts[frame])
        touch.set_data(*flat[[*contact, contact[0]] if len(contact) > 2 else contact].T)
        touch.set_marker("o" if len(contact) < 3 else "")
        colour = history.contact_colour(Mode(frames.mode[frame]))
        touch.set_color(colour)
        is_hidden = bool(contact) and not any(set(contact) & set(face) for face in seen)
        unseen = [face for face in solid.faces if face not in seen]
        # of the edges behind the body those that tell where it stands
        told = [face for face in unseen if face == base or (is_hidden and set(contact) & set(face))]
        behind.set_verts([flat[list(face)] for face in told])
        touch.set_markerfacecolor("white" if is_hidden else colour)
        touch.set_markeredgecolor(colour if is_hidden else "0.15")

    return [shadow, faces, behind, outline, trail, plumb, com, touch], move


def _fit(ax: Axes, view: body.View, points: body.Array) -> None:
    """Limits that hold the points, with equal scales."""
    flat = view.project(points)
    low, high = flat.min(axis=0), flat.max(axis=0)
    width, height = (float(side) for side in figure_of(ax).get_size_inches() * ax.get_position().size)
    half = 0.55 * max((high[0] - low[0]) / width, (high[1] - low[1]) / height)
    middle = 0.5 * (low + high)
    ax.set_xlim(middle[0] - half * width, middle[0] + half * width)
    ax.set_ylim(middle[1] - half * height, middle[1] + half * height)
    ax.set_axis_off()


def _draw_floor(ax: Axes, stage: Stage) -> None:
    """Ground with a grid, and where the body stood."""
    step, project = stage.grid, stage.view.project
    body.draw_floor(ax, stage.view, stage.corners[0, :2], stage.corners[2, :2], step, autolim=False)
    closed = np.append(stage.footprint, stage.footprint[:1], axis=0)
    ax.plot(*project(closed).T, color="0.45", linewidth=0.8, linestyle=(0, (3, 2)), zorder=4)
    ax.text(0.03, 0.015, f"grid {step:g} m", fontsize=6.5, color="0.35", transform=ax.transAxes)


def _draw_compass(figure: Figure, stage: Stage, motion: Motion | Pulse | None) -> Part:
    """Directions of the ground, and the acceleration of the ground as an arrow."""
    frames, view = stage.frames, stage.view
    ax = _upper_axes(figure, 0.845, 0.73, 0.13, 0.105)
    ax.set_axis_off()
    ax.set_aspect("equal")
    ax.set_xlim(-1.3, 1.3)
    ax.set_ylim(-0.9, 0.9)
    for name, direction in (("x", (1.0, 0.0, 0.0)), ("y", (0.0, 1.0, 0.0))):
        across, up = view.project(np.array(direction))
        look: dict[str, Any] = {
            "arrowstyle": "-|>",
            "color": "0.35",
            "linewidth": 0.7,
            "shrinkA": 0,
            "shrinkB": 0,
        }
        ax.annotate("", (across, up), (0.0, 0.0), arrowprops=look)
        ax.text(1.22 * across, 1.22 * up, name, fontsize=SMALL, color="0.35", ha="center", va="center")
    if motion is None:
        return [], lambda frame: None
    time, acceleration = history.ground_acceleration(motion, (frames.time[0], frames.time[-1]))
    strongest = max(float(np.linalg.norm(acceleration, axis=0).max()), 1e-12)
    rows = [np.interp(frames.time, time, row / strongest, left=0.0, right=0.0) for row in acceleration]
    vectors = np.stack(rows, axis=-1)
    angle = np.linspace(0.0, 2.0 * np.pi, 73)
    circle = view.project(np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=-1))
    ax.plot(*circle.T, color=RED, linewidth=0.5, alpha=0.6)
    text = f"ground acceleration,\ncircle {strongest / STANDARD_GRAVITY:.2g} g"
    figure.text(0.845, _upper(figure, 0.728), text, fontsize=6.5, color=RED, va="top")
    arrow = ax.plot(
        [], [], color=RED, linewidth=1.8, solid_capstyle="round", solid_joinstyle="round", zorder=4
    )[0]

    def move(frame: int) -> None:
        tip = vectors[frame]
        side = 0.1 * np.cross(tip, (0.0, 0.0, 1.0))
        arrow.set_data(*view.project(np.array([0.0 * tip, tip, 0.8 * tip + side, tip, 0.8 * tip - side])).T)

    return [arrow], move


def _write_state(panel: Axes, frames: Frames, speed: float) -> Part:
    """Time, tilt and contact."""
    clock = panel.text(PANEL, 0.925, "", fontsize=13.0, va="top")
    tilt = panel.text(PANEL, 0.865, "", fontsize=9.0, va="top")
    contact = panel.text(PANEL + 0.125, 0.865, "", fontsize=9.0, va="top", weight="bold")
    if speed != 1.0:
        words: dict[str, Any] = {"fontsize": SMALL, "color": "0.35", "va": "top", "ha": "right"}
        panel.text(0.985, 0.917, f"{speed:.3g} times real speed", **words)
    # as many decimals as tell one frame from the next
    digits = 2 if len(frames) < 3 or frames.time[1] - frames.time[0] > 0.0099 else 4

    def move(frame: int) -> None:
        clock.set_text(f"{frames.time[frame]:.{digits}f} s")
        tilt.set_text(f"tilt {np.degrees(frames.tilt[frame]):.2f}°")
        contact.set_text(history.describe_contact(frames.mode[frame], frames.index[frame]))
        contact.set_color(history.contact_colour(Mode(frames.mode[frame])))

    return [clock, tilt, contact], move


def _write_events(panel: Axes, run: Run, frames: Frames) -> Part:
    """Numbers of events and the latest of them."""
    head: dict[str, Any] = {"fontsize": SMALL, "color": "0.35", "va": "top"}
    panel.text(PANEL, 0.80, "Events so far", **head)
    names = panel.text(PANEL, 0.772, "", **MONO)
    counts, words = count_events(run, frames.happened), counted(run).values()
    more = len(words) - len(COUNTED)  # lines, which the latest events give up
    below = 0.652 - more * LINE
    panel.text(PANEL, below, "The latest, and the contact after", **head)
    latest = panel.text(PANEL, below - 0.028, "", **MONO)

    def move(frame: int) -> None:
        pairs = zip(counts[frame], words, strict=True)
        names.set_text("\n".join(f"{count:6d}  {name}" for count, name in pairs))
        happened = int(frames.happened[frame])
        shown = run.events[max(0, happened - LATEST + more) : happened]
        latest.set_text("\n".join(format_event(event) for event in shown))

    return [names, latest], move


def _draw_strips(figure: Figure, run: Run, stage: Stage, motion: Motion | Pulse | None) -> Part:
    """Tilt, displacement, contact and ground motion over time, with a marker that moves."""
    frames = stage.frames
    span = frames.time[0], frames.time[-1]
    left, width, scale = 0.085, 0.895, SIZE[1] / figure.get_size_inches()[1]
    bottom = 0.205 if motion is not None else 0.115
    tilt = _upper_axes(figure, left, bottom + 0.03, width, 0.335 - bottom - 0.03)
    history.draw_tilt(tilt, run.history, "Tilt [°]")
    if stage.slenderness is not None:
        history.draw_slenderness(tilt, stage.slenderness)
    strips = [tilt]
    if stage.slips:
        place = (left, scale * (bottom + 0.03), width, scale * 0.65 * STRIP / SIZE[1])
        strips.append(figure.add_axes(place, sharex=tilt))
        history.draw_displacement(strips[-1], run.history)
        strips[-1].legend(**KEY)
    contact = figure.add_axes((left, scale * bottom, width, scale * 0.016), sharex=tilt)
    history.draw_contact(contact, run.history)
    entries = [tilt.get_legend_handles_labels(), contact.get_legend_handles_labels()]
    tilt.legend(*(left + right for left, right in zip(*entries, strict=True)), title=None, **KEY)
    strips.append(contact)
    if motion is not None:
        strips.append(figure.add_axes((left, scale * 0.075, width, scale * 0.085), sharex=tilt))
        history.draw_ground(strips[-1], motion, span)
        strips[-1].legend(**KEY)
    tilt.set_xlim(*span)
    for ax in strips[:-1]:
        ax.tick_params(labelbottom=False, bottom=False)
        ax.spines["bottom"].set_visible(False)
    strips[-1].set_xlabel("Time [s]", labelpad=1.0)
    figure.align_ylabels([ax for ax in strips if ax is not contact])
    lines = [ax.axvline(frames.time[0], color=BLUE, linewidth=0.9, zorder=3) for ax in strips]
    dot = tilt.plot([], [], "o", color=BLUE, markersize=4, clip_on=False, zorder=4)[0]

    def move(frame: int) -> None:
        for line in lines:
            line.set_xdata([frames.time[frame]] * 2)
        dot.set_data([frames.time[frame]], [np.degrees(frames.tilt[frame])])

    return [*lines, dot], move
