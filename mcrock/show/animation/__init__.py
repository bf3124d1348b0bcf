"""Animations of one run: the body in three dimensions, its contact, its events, its tilt over time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from subprocess import PIPE, Popen
from typing import TYPE_CHECKING, Unpack

import numpy as np
from matplotlib.animation import FuncAnimation
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from mcrock.base.checks import shared_keywords
from mcrock.dataset import replacing
from mcrock.show.animation.page import build_page
from mcrock.show.animation.picture import Picture, build_picture, palette_of_picture
from mcrock.show.animation.scene import (
    FORMATS,
    Playback,
    PlaybackKeywords,
    Stage,
    build_stage,
    check_animation,
    check_body,
    sample_run,
)
from mcrock.show.body import View

if TYPE_CHECKING:
    from mcrock.body import Body
    from mcrock.excitation import Motion, Pulse
    from mcrock.simulation.runs import Run

__all__ = ["Playback", "animate_run", "check_animation", "save_animation"]

Report = Callable[[int, int], None]  # frames drawn so far, frames in all

HOLD = 1.5  # how long a GIF stays at its end before it begins again [s]


@shared_keywords(Playback)
def animate_run(
    run: Run,
    body: Body,
    *,
    motion: Motion | Pulse | None = None,
    title: str = "",
    **keywords: Unpack[PlaybackKeywords],
) -> FuncAnimation:
    """Animation of a run for a notebook or a program; `save_animation` writes files, and is quicker.

    Parameters
    ----------
    run : Run
        With its history.
    body : Body
        The body that it was made with.
    motion : Motion or Pulse, optional
        Ground motion as the body felt it, scaled and turned.
    title : str
        Line above the picture.
    fps : float, optional
        Frames per second of the animation; 20 by default.
    speed : float, optional
        Time of the motion over time of the animation [1]: 0.25 is slow motion. By default real
        time, or as much faster as it takes to be over in 20 s.
    span : tuple of 2 float, optional
        Times of the run at which to begin and end [s]; by default the part in which something
        happens.
    view : tuple of 2 float, optional
        Direction from the body to the eye: azimuth from ground x towards y, and elevation, 0 to pi/2
        [rad]; by default across the direction in which the body tilts most.

    Returns
    -------
    matplotlib.animation.FuncAnimation

    Raises
    ------
    ValueError
        If the run has no history or is of another body, an option makes no sense, or there would be
        thousands of frames.
    """
    playback = Playback(**keywords)
    playback.check(".gif")
    stage, speed = _prepare(run, body, ".gif", playback)
    picture = build_picture(run, stage, motion, title, speed)
    interval = 1e3 / (FORMATS[".gif"].fps if playback.fps is None else playback.fps)
    return FuncAnimation(
        picture.figure, picture.update, frames=len(stage.frames), interval=interval, blit=True
    )


@shared_keywords(Playback)
def save_animation(
    run: Run,
    body: Body,
    path: str | Path,
    *,
    motion: Motion | Pulse | None = None,
    title: str = "",
    progress: Report | None = None,
    **keywords: Unpack[PlaybackKeywords],
) -> Path:
    """Write the animation of a run to a file, whole or not at all.

    Parameters
    ----------
    run, body, motion, title, span, view
        As `animate_run` takes them.
    path : str or Path
        Its folder is made if it is not there. Its ending names the format: ``.gif``, ``.html`` (a page
        that plays the run in any browser and loads nothing, where the view can be turned), or ``.mp4``
        (needs the program ffmpeg).
    fps : float, optional
        Frames per second: 20 in a GIF, 50 in a page, 30 in an MP4; at most 50 in a GIF, which holds
        its frames for whole hundredths of a second and takes the nearest number that allows it, and
        240 in the others.
    speed : float, optional
        Time of the motion over time of the animation [1]: 0.25 is slow motion. By default real
        time, or as much faster as it takes to be over in 20 s (page: 120 s, MP4: 60 s).
    progress : callable, optional
        Called with the number of frames drawn and that of all frames.

    Returns
    -------
    Path
        That of the file.

    Raises
    ------
    ValueError
        As `check_animation` and `animate_run`.
    OSError
        If the file cannot be written.
    """
    playback = Playback(**keywords)
    path = check_animation(path, playback)
    suffix = path.suffix.lower()
    fps = FORMATS[suffix].fps if playback.fps is None else float(playback.fps)
    hundredths = max(round(100.0 / fps), 1)
    if suffix == ".gif":
        fps = 100.0 / hundredths
    stage, speed = _prepare(run, body, suffix, replace(playback, fps=fps))
    report = progress or (lambda drawn, total: None)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as scratch:
        if suffix == ".html":
            scratch.write_text(build_page(run, stage, motion, title, speed), encoding="utf-8")
            report(len(stage.frames), len(stage.frames))
            return path
        picture = build_picture(run, stage, motion, title, speed)
        if suffix == ".gif":
            _write_gif(picture, stage, 10 * hundredths, scratch, report)
        else:
            _write_mp4(picture, stage, fps, scratch, report)
    return path


def _prepare(run: Run, body: Body, suffix: str, playback: Playback) -> tuple[Stage, float]:
    """The stage that is shown, and the speed."""
    check_body(run, body)
    times, speed = playback.plan(run, suffix)
    view = None if playback.view is None else View(*playback.view)
    return build_stage(run, body, sample_run(run, body, times), view), speed


def _draw(picture: Picture, stage: Stage, order: list[int]) -> Iterator[Image.Image]:
    """Pictures of the given frames; what does not change is drawn once."""
    figure, canvas = picture.figure, picture.figure.canvas
    assert isinstance(canvas, FigureCanvasAgg)
    canvas.draw()
    still = canvas.copy_from_bbox(figure.bbox)
    listed, quick = None, [artist for artist in picture.artists if artist not in picture.lists]
    for frame in order:
        picture.update(frame)
        if stage.frames.happened[frame] != listed:
            listed = stage.frames.happened[frame]
            canvas.restore_region(still)
            for artist in picture.lists:  # text, which takes most of the time
                figure.draw_artist(artist)
            background = canvas.copy_from_bbox(figure.bbox)
        canvas.restore_region(background)
        for artist in quick:
            figure.draw_artist(artist)
        yield Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3])


def _write_gif(picture: Picture, stage: Stage, duration: int, path: Path, report: Report) -> None:
    """Write a GIF whose frames take ``duration`` [ms], the last one longer."""
    number = len(stage.frames)
    palette = Image.new("P", (1, 1))
    palette.putpalette(palette_of_picture())

    def few_colours() -> Iterator[Image.Image]:
        for drawn, image in enumerate(_draw(picture, stage, list(range(number))), start=1):
            report(drawn, number)
            # without dither what stands still stays the same from frame to frame, which keeps the file small
            yield image.quantize(palette=palette, dither=Image.Dither.NONE)

    images = few_colours()
    durations = [duration] * (number - 1) + [round(1e3 * HOLD)]
    options = {"append_images": images, "duration": durations, "loop": 0, "optimize": True}
    with path.open("wb") as file:
        next(images).save(file, "GIF", save_all=True, **options)


def _write_mp4(picture: Picture, stage: Stage, fps: float, path: Path, report: Report) -> None:
    number = len(stage.frames)
    images = _draw(picture, stage, list(range(number)))
    width, height = picture.figure.canvas.get_width_height()
    size, rate = f"{width}x{height}", f"{fps:.6f}"
    given = f"-y -loglevel error -f rawvideo -pix_fmt rgb24 -s {size} -r {rate} -i -".split()
    wanted = ["-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"]
    # not that of matplotlib's settings, which may be a file of the current folder
    command = ["ffmpeg", *given, *wanted, str(path)]
    with Popen(command, stdin=PIPE, stderr=PIPE) as process:
        assert process.stdin is not None
        try:
            for drawn, image in enumerate(images, start=1):
                process.stdin.write(image.tobytes())
                report(drawn, number)
        except BrokenPipeError:  # ffmpeg has ended, and says why
            pass
        said = process.communicate()[1].decode(errors="replace").strip()
    if process.returncode:
        raise OSError(f"ffmpeg could not write the animation: {said or f'exit code {process.returncode}'}")
