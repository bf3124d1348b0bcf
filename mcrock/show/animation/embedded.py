"""A run in three dimensions inside another page, which loads nothing for it, and a still for paper."""

from __future__ import annotations

import io
from base64 import b64encode
from html import escape
from math import radians
from typing import TYPE_CHECKING

import numpy as np

from mcrock.show.animation.frames import sample_run
from mcrock.show.animation.options import Playback
from mcrock.show.animation.page import build_page
from mcrock.show.animation.picture import build_picture
from mcrock.show.animation.stage import Stage, build_stage

if TYPE_CHECKING:
    from mcrock.excitation import Motion, Pulse
    from mcrock.simulation.runs import Run

FPS = 25.0  # frames a second
MOST = 4000  # frames, beyond which the run is shown faster than it was
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


def _prepared(run: Run, fps: float) -> tuple[Stage, float]:
    """The stage and the speed, with at most `MOST` frames."""
    times, speed = Playback(fps=fps).plan(run, ".html")
    if len(times) > MOST:
        faster = speed * len(times) / MOST
        times, speed = Playback(fps=fps, speed=faster).plan(run, ".html")
    return build_stage(run, run.body, sample_run(run, run.body, times), None), speed
