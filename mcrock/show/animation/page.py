"""A run in three dimensions as a web page of one file, as a part of another page, and as a still for paper.

Nothing is loaded from elsewhere, and the view can be turned.
"""

from __future__ import annotations

import io
import json
from base64 import b64encode
from html import escape
from math import radians
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from mcrock.base.params import STANDARD_GRAVITY, Mode
from mcrock.show.animation import scene
from mcrock.show.animation.picture import build_picture
from mcrock.show.body import BASE, HINT, HINT_ALPHA, STONE, Array
from mcrock.show.history import AXES, COLOURS, contact_name, describe_contact, ground_acceleration

if TYPE_CHECKING:
    from mcrock.excitation import Motion, Pulse
    from mcrock.simulation.runs import Run

PLAYER = Path(__file__).with_name("player.html")
MOST_POINTS = 6000  # points of a curve in the page
TRACES = 6


def build_page(
    run: Run,
    stage: scene.Stage,
    motion: Motion | Pulse | None,
    title: str,
    speed: float,
    *,
    theme: str = "",
    plays: bool = True,
) -> str:
    """The page as text.

    Parameters
    ----------
    run : Run
    stage : Stage
        What is shown.
    motion : Motion or Pulse, optional
        Ground motion as the body felt it.
    title : str
        Line above the picture.
    speed : float
        At which it plays at first [1].
    theme : str
        ``light`` or ``dark``; by default what the reader's browser prefers.
    plays : bool
        Whether it plays at once.
    """
    frames = stage.frames
    pairs = list(zip(frames.mode.tolist(), frames.index.tolist(), strict=True))
    places = sorted(set(pairs))
    names = [contact_name(Mode(mode)) for mode, _ in places]
    modes = [name for name in COLOURS if name in names]
    vertices = dict(zip(pairs, frames.contacts, strict=True))
    shown = {
        int(number)
        for end in set(frames.happened.tolist())
        for number in range(max(0, end - scene.LATEST), end)
    }
    data = {
        "title": title,
        "speed": speed,
        "theme": theme,
        "plays": plays,
        "time": _pack(frames.time - frames.time[0]),
        "begin": float(frames.time[0]),
        "orientation": _pack(frames.orientation),
        "com": _pack(frames.com),
        "tilt": _pack(np.degrees(frames.tilt)),
        "contact": _pack([places.index(pair) for pair in pairs], "<i4"),
        "contacts": [
            {"text": describe_contact(*place), "vertices": vertices[place], "mode": modes.index(name)}
            for place, name in zip(places, names, strict=True)
        ],
        "modes": [{"name": name, "colour": COLOURS[name]} for name in modes],
        "happened": _pack(frames.happened, "<i4"),
        "counts": _pack(scene.count_events(run, frames.happened), "<i4"),
        "counted": list(scene.counted(run).values()),
        "latest": scene.LATEST,
        "events": {number: scene.format_event(run.events[number]) for number in sorted(shown)},
        "vertices": stage.solid.vertices.tolist(),
        "faces": stage.solid.faces,
        "base": stage.solid.faces.index(stage.base),
        "traced": _traced(stage),
        "hint": "" if stage.solid.is_whole else HINT.replace("\n", " "),
        "alpha": 1.0 if stage.solid.is_whole else HINT_ALPHA,
        "colours": [(255 * colour).tolist() for colour in (STONE, BASE)],
        "footprint": stage.footprint.tolist(),
        "corners": stage.corners.tolist(),
        "grid": stage.grid,
        "view": list(stage.view),
        "path": _pack(frames.base[:, :2]) if stage.slips else None,
        "moved": _pack(_displacement(run, frames)) if stage.slips else None,
        "axes": list(AXES.values()),
        "slenderness": None if stage.slenderness is None else float(np.degrees(stage.slenderness)),
        "ground": None if motion is None else _ground(frames, motion),
    }
    text = json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    return PLAYER.read_text(encoding="utf-8").replace("DATA", text)


def _traced(stage: scene.Stage) -> list[int]:
    """Corners of the face on which the body stood whose way is drawn: at most `TRACES`, evenly around it."""
    corners = list(stage.base)
    return [corners[k * len(corners) // TRACES] for k in range(TRACES)] if len(corners) > TRACES else corners


def _pack(values: ArrayLike, dtype: str = "<f4") -> str:
    """Numbers as the player reads them: base64 of their bytes."""
    return b64encode(np.ascontiguousarray(values, dtype=dtype).tobytes()).decode("ascii")


def _displacement(run: Run, frames: scene.Frames) -> Array:
    """Horizontal displacement of the base centre at the frames (n, 2) [m]."""
    time, moved = run.history["time"].values, run.history["displacement"].values
    return np.stack([np.interp(frames.time, time, moved[:, i]) for i in range(2)], axis=-1)


def _ground(frames: scene.Frames, motion: Motion | Pulse) -> dict[str, Any]:
    """Ground acceleration at the frames and as curves over time since the first of them [g]."""
    span = frames.time[0], frames.time[-1]
    time, acceleration = ground_acceleration(motion, span)
    acceleration = acceleration / STANDARD_GRAVITY
    now = [np.interp(frames.time, time, row, left=0.0, right=0.0) for row in acceleration]
    strongest = max(float(np.linalg.norm(acceleration, axis=0).max()), 1e-12)
    named = zip(AXES.items(), acceleration, strict=True)
    curves = [
        {"name": name, "colour": colour, "points": _pack(thin(time - span[0], row, MOST_POINTS))}
        for (name, colour), row in named
        if row.any()
    ]
    return {"now": _pack(np.stack(now, axis=-1)), "strongest": strongest, "curves": curves}


def thin(x: Array, y: Array, most: int) -> Array:
    """Points (n, 2) of a curve, at most about ``most`` of them; peaks stay.

    >>> thin(np.arange(6.0), np.array([0.0, 5.0, 1.0, 2.0, -3.0, 1.0]), 4)[:, 1].tolist()
    [0.0, 5.0, -3.0, 2.0]
    """
    if len(x) <= most:
        return np.stack([x, y], axis=-1)
    starts = np.arange(0, len(x), -(-2 * len(x) // most))
    low, high = np.minimum.reduceat(y, starts), np.maximum.reduceat(y, starts)
    return np.stack([np.repeat(x[starts], 2), np.stack([low, high], axis=-1).ravel()], axis=-1)


FPS = 25.0  # frames a second
MOST_FRAMES = 4000  # frames, beyond which the run is shown faster than it was
LARGEST = 950_000  # characters: three of them and the figures of a report stay below 3 MB
FALLING = radians(60.0)  # a tilt beyond which a still shows the ground more than the body [rad]


def embed_run(run: Run, motion: Motion | Pulse | None = None, title: str = "", theme: str = "") -> str:
    """The player of a run as an element of a page, closed off from it; it waits for its reader to start it.

    Parameters
    ----------
    run : Run
        With its history.
    motion : Motion or Pulse, optional
        Ground motion as the body felt it.
    title : str
        Line above the picture, and the name of the element.
    theme : str
        ``light`` or ``dark``; by default what the reader's browser prefers.

    Raises
    ------
    ValueError
        If the run has no history, or the element would have more than 950,000 characters.
    """
    stage, speed = _prepared(run, FPS)
    page = escape(build_page(run, stage, motion, title, speed, theme=theme, plays=False))
    if len(page) > LARGEST:
        raise ValueError(
            f"the view of {title} would take {len(page) / 1e6:.1f} MB of the page, which has "
            f"{LARGEST / 1e6:g} MB for it; `mcrock simulate --animate FILE.html` writes it to its own file"
        )
    name = escape(f"Replay of {title}" if title else "Replay")
    return f'<iframe class="replay" title="{name}" sandbox="allow-scripts" srcdoc="{page}"></iframe>'


def still_of(run: Run, motion: Motion | Pulse | None = None, title: str = "") -> str:
    """Data URI of a picture of the run where it tilts most short of 60 deg."""
    stage, speed = _prepared(run, FPS)
    tilt = stage.frames.tilt
    frame = int(np.where(tilt < FALLING, tilt, -1.0).argmax())
    picture = build_picture(run, stage, motion, title, speed)
    picture.update(frame)
    buffer = io.BytesIO()
    picture.figure.savefig(buffer, format="png", dpi=110)
    return f"data:image/png;base64,{b64encode(buffer.getvalue()).decode('ascii')}"


def _prepared(run: Run, fps: float) -> tuple[scene.Stage, float]:
    """The stage and the speed, with at most `MOST_FRAMES` frames."""
    times, speed = scene.Playback(fps=fps).plan(run, ".html")
    if len(times) > MOST_FRAMES:
        faster = speed * len(times) / MOST_FRAMES
        times, speed = scene.Playback(fps=fps, speed=faster).plan(run, ".html")
    return scene.build_stage(run, run.body, scene.sample_run(run, run.body, times), None), speed
