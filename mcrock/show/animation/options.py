"""Options of an animation: kinds of files, their limits, and their checks."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, NamedTuple, TypedDict

import numpy as np

from mcrock.base.checks import Number, check_array
from mcrock.dataset import check_folder
from mcrock.show.animation.frames import frame_times, pick_span
from mcrock.show.solid import Array

if TYPE_CHECKING:
    from mcrock.body import Body
    from mcrock.simulation.runs import Run


class Format(NamedTuple):
    """Default options of a kind of file, and its limits."""

    fps: float  # frames per second
    fastest: float  # frames per second that programs still show
    longest: float  # duration beyond which a motion is shown faster than it was [s]
    most: int  # frames, beyond which the file or the time to draw it is absurd


FORMATS = {
    ".gif": Format(20.0, 50.0, 20.0, 3_000),
    ".html": Format(50.0, 240.0, 120.0, 12_000),
    ".mp4": Format(30.0, 240.0, 60.0, 12_000),
}
SLOWEST = 0.1  # frames per second
SPEED = Number("times the real speed", above=0.0)


class PlaybackKeywords(TypedDict, total=False):
    """Fields of `Playback` as keywords."""

    fps: float | None
    speed: float | None
    span: tuple[float, float] | None
    view: tuple[float, float] | None


@dataclass(frozen=True)
class Playback:
    """Options of an animation, as `animate_run` takes them; None for the usual ones of a kind of file."""

    fps: float | None = None
    speed: float | None = None
    span: tuple[float, float] | None = None
    view: tuple[float, float] | None = None

    def check(self, suffix: str) -> None:
        """Refuse options that make no sense with any run (ValueError)."""
        if self.fps is not None:
            rule = Number("frames per second", least=SLOWEST, most=FORMATS[suffix].fastest)
            rule.check(f"fps of a {suffix}", self.fps)
        if self.speed is not None:
            SPEED.check("speed", self.speed)
        if self.span is not None:
            begin, end = check_array("span", self.span, (2,), "s")
            if not 0.0 <= begin < end:
                raise ValueError(
                    f"span must be two times (start, end) with 0 <= start < end [s], got ({begin:g}, {end:g})"
                )
        if self.view is not None:
            azimuth, elevation = check_array("view", self.view, (2,), "rad")
            if not 0.0 <= elevation <= pi / 2:
                raise ValueError(
                    "view must be an azimuth and an elevation from 0 (level) to pi/2 (from above) [rad], got "
                    f"({azimuth:g}, {elevation:g})"
                )

    def plan(self, run: Run, suffix: str) -> tuple[Array, float]:
        """Times of the frames (n,) [s] and the speed [1].

        Raises
        ------
        ValueError
            If the run has no history, the span is outside it, or the frames are too many.
        """
        kind = FORMATS[suffix]
        begin, end = pick_span(run, self.span)
        speed = max(1.0, (end - begin) / kind.longest) if self.speed is None else float(self.speed)
        step = speed / (kind.fps if self.fps is None else float(self.fps))
        number = (end - begin) / step
        if number > kind.most:
            words = f"{number / 1e6:.3g} million" if number >= 1e6 else f"{number:.0f}"
            raise ValueError(
                f"the animation would have {words} frames, and a {suffix} may have {kind.most}; raise speed, "
                "lower fps or shorten span"
            )
        return frame_times((begin, end), step), speed


USUAL = Playback()


def check_animation(path: str | Path, playback: Playback = USUAL, run: Run | None = None) -> Path:
    """Refuse what `save_animation` could not write, before the run is made or, with ``run``, after.

    Returns
    -------
    Path

    Raises
    ------
    ValueError
        For an ending that is none of ``.gif``, ``.html`` and ``.mp4``, an ``.mp4`` where ffmpeg is not
        found, a folder that cannot be made or written to, options that make no sense, and, with
        ``run``, a span outside it and more frames than the format can hold.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise ValueError(f"{path}: the name of an animation must end in .gif, .html or .mp4")
    if suffix == ".mp4" and which("ffmpeg") is None:
        raise ValueError(
            f"{path}: an .mp4 needs the program ffmpeg, which is not found; install it (as in `apt install "
            "ffmpeg` or `conda install ffmpeg`), or choose a name that ends in .gif or .html"
        )
    if path.is_dir():
        raise ValueError(f"{path} is a folder; an animation is a file")
    check_folder(path.parent)
    playback.check(suffix)
    if run is not None:
        playback.plan(run, suffix)
    return path


def check_body(run: Run, body: Body) -> None:
    """Refuse another body than that of the run (ValueError)."""
    same = body is run.body or (
        body.faces == run.body.faces and np.array_equal(body.vertices, run.body.vertices)
    )
    if not same:
        raise ValueError("the body is not the one of the run; it is run.body")
