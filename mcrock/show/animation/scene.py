"""What an animation shows, whatever draws it: body, ground and view, frames at even times, events, options.

`Scene` holds what stays, frames have pose and contact of the run, and the options say which files can be made
and within which limits.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, ceil, pi
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from mcrock.base.checks import Number, check_array
from mcrock.base.params import Event, Mode
from mcrock.body import rotation_matrix
from mcrock.dataset import check_folder
from mcrock.kernel.contact import topology
from mcrock.show.body import ELEVATION, USUAL, Array, DrawnSolid, View, grid_step, solid_of
from mcrock.show.history import CONTACT_WORDS, FLAT, ON_EDGE, ON_RIM, ON_VERTEX, has_friction, moving_span

if TYPE_CHECKING:
    from mcrock.body import Body
    from mcrock.simulation.runs import Run


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """A run at the frames of its animation.

    Attributes
    ----------
    time : ndarray (n,)
        [s].
    orientation : ndarray (n, 4)
        Quaternions, scalar first, body to ground.
    com : ndarray (n, 3)
        Centre of mass in the ground frame [m].
    tilt : ndarray (n,)
        Angle between body axis and vertical [rad].
    mode, index : ndarray (n,)
        Contact, as in the history.
    contacts : list of tuple of int
        Vertices in contact.
    happened : ndarray (n,)
        Number of events up to the frame.
    points : ndarray (n, n_vertex, 3)
        Vertices of the solid in the ground frame [m].
    base : ndarray (n, 3)
        Centre of the face on which the body started, in the ground frame [m].
    """

    time: Array
    orientation: Array
    com: Array
    tilt: Array
    mode: NDArray[np.int64]
    index: NDArray[np.int64]
    contacts: list[tuple[int, ...]]
    happened: NDArray[np.int64]
    points: Array
    base: Array

    def __len__(self) -> int:
        return len(self.time)


def pick_span(run: Run, span: tuple[float, float] | None) -> tuple[float, float]:
    """Span of time to show [s]: as asked for, or the part in which something happens.

    Raises
    ------
    ValueError
        If the run has no history, or the span is empty or outside it.
    """
    time = run.history["time"].values
    if len(time) < 2:
        raise ValueError("the run has no history to animate; simulate with history=True")
    if span is None:
        return moving_span(run)
    begin, end = float(span[0]), float(span[1])
    if not time[0] <= begin < end <= time[-1]:
        raise ValueError(
            f"span must be two times (start, end) with {time[0]:g} <= start < end <= {time[-1]:.6g} s, "
            f"as long as the run, got ({begin:g}, {end:g})"
        )
    return begin, end


def frame_times(span: tuple[float, float], step: float) -> Array:
    """Times of the frames: every ``step`` [s] from the start of the span, and its end.

    >>> frame_times((0.0, 1.0), 0.4).tolist()
    [0.0, 0.4, 0.8, 1.0]
    """
    begin, end = span
    number = max(1, ceil((end - begin) / step - 1e-9))
    return np.append(begin + step * np.arange(number), end)


def sample_run(run: Run, body: Body, times: ArrayLike) -> Frames:
    """A run at given times [s], between the rows of its history by interpolation.

    Parameters
    ----------
    run : Run
        With its history.
    body : Body
        The body that it was made with.
    times : array_like (n,)
        Within the history [s].

    Notes
    -----
    Contact changes at rows of the history only, and the pose is continuous there: orientations
    turn evenly from row to row, the centre of mass moves straight, and the lowest vertex is kept on
    the ground, or in flight above it.
    """
    history, solid = run.history, solid_of(body)
    times = np.asarray(times, float)
    row = np.searchsorted(history["time"].values, times, side="right") - 1
    row = np.clip(row, 0, history.sizes["time"] - 1)
    orientation, com = _poses(history, times, row)
    turned = np.einsum("nij,vj->nvi", rotation_matrix(orientation), solid.vertices)
    mode, index = history["mode"].values[row].astype(int), history["index"].values[row].astype(int)
    base = np.array(body.faces[body.start_face])
    lowest = base[turned[:, base, 2].argmin(axis=1)]  # nearly the point of a rim that touches the ground
    on_ground = -turned[:, : len(body.vertices), 2].min(axis=1)
    com[:, 2] = np.where(mode == Mode.FLIGHT, np.maximum(com[:, 2], on_ground), on_ground)
    points = turned + com[:, None, :]
    up = 1.0 - 2.0 * (orientation[:, 1] ** 2 + orientation[:, 2] ** 2)
    return Frames(
        time=times,
        orientation=orientation,
        com=com,
        tilt=np.arccos(np.clip(up, -1.0, 1.0)),
        mode=mode,
        index=index,
        contacts=_contacts(body, mode, index, lowest),
        happened=np.searchsorted([event["t"] for event in run.events], times, side="right"),
        points=points,
        base=points[:, list(body.faces[body.start_face])].mean(axis=1),
    )


def _poses(history: xr.Dataset, times: Array, row: NDArray[np.int64]) -> tuple[Array, Array]:
    """Orientations (n, 4) and centres of mass (n, 3) [m] at times [s] that follow the given rows."""
    time, q, com = (history[name].values for name in ("time", "orientation", "com"))
    after = np.minimum(row + 1, len(time) - 1)
    step = time[after] - time[row]
    share = np.clip(np.divide(times - time[row], step, out=np.zeros(len(row)), where=step > 0), 0.0, 1.0)
    a, b = q[row], q[after]
    cosine = (a * b).sum(axis=1)
    b = b * np.where(cosine < 0.0, -1.0, 1.0)[:, None]
    angle = 2.0 * np.arcsin(np.clip(0.5 * np.linalg.norm(b - a, axis=1), 0.0, 1.0))  # exact for small ones
    weights = [np.sinc(part * angle / np.pi) * part / np.sinc(angle / np.pi) for part in (1.0 - share, share)]
    between = weights[0][:, None] * a + weights[1][:, None] * b
    between /= np.linalg.norm(between, axis=1)[:, None]
    return between, com[row] + share[:, None] * (com[after] - com[row])


def _contacts(
    body: Body, mode: NDArray[np.int64], index: NDArray[np.int64], lowest: NDArray[np.int64]
) -> list[tuple[int, ...]]:
    """Vertices in contact, for each pair of mode and index; on a rim the ``lowest`` of the base."""
    edges = topology(body.faces, len(body.vertices)).edge_vertices.tolist()

    def in_contact(mode: int, index: int) -> tuple[int, ...]:
        if mode in FLAT:
            return tuple(body.faces[index])
        if mode in ON_EDGE:
            return tuple(edges[index])
        return (index,) if mode in ON_VERTEX else ()

    index = np.where(np.isin(mode, ON_RIM), lowest, index)
    mode = np.where(np.isin(mode, ON_RIM), Mode.VERTEX, mode)
    return [in_contact(m, i) for m, i in zip(mode.tolist(), index.tolist(), strict=True)]


OBLIQUE = 1.15  # between the plane of the motion and the direction of view [rad]


def choose_view(frames: Frames, size: float) -> View:
    """The view that shows the motion of a body of a size [m] best: across the direction in which it tilts
    most, or is displaced most where that is more of its size."""
    tip = rotation_matrix(frames.orientation)[:, :2, 2]  # where the body axis leans, ground x and y
    moved = (frames.base - frames.base[0])[:, :2] / size
    shown = max(tip, moved, key=lambda vectors: float(np.abs(vectors).max()))
    if not np.abs(shown).max() > 1e-6:
        return View(USUAL, ELEVATION)
    lean = np.linalg.svd(shown, full_matrices=False)[2][0]
    along = atan2(lean[1], lean[0])
    choices = [along + side * OBLIQUE + turn for side in (-1, 1) for turn in (0.0, pi)]
    return View(min(choices, key=lambda azimuth: abs((azimuth - USUAL + pi) % (2.0 * pi) - pi)), ELEVATION)


NEAR = 0.1  # of the slenderness, from which on a tilt is drawn with it [1]
MARGIN = 0.15  # of ground around the motion over the size of the body [1]


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """Scene of an animation.

    Attributes
    ----------
    frames : Frames
    solid : Solid
    base : tuple of int
        The face on which the body stood at first; face 0 if it did not start at rest.
    footprint : ndarray (n, 3)
        Where that face was, or the ground below it [m].
    corners : ndarray (4, 3)
        Of the ground that is drawn: what the body comes over, with a margin [m].
    grid : float
        Step of the grid on it [m].
    view : View
    slenderness : float or None
        Level to mark in the tilt [rad]: that of the body, where the tilt comes anywhere near it.
    slips : bool
        Whether the body may slip: then the path of its base is drawn, and its displacement over time.
    """

    frames: Frames
    solid: DrawnSolid
    base: tuple[int, ...]
    footprint: Array
    corners: Array
    grid: float
    view: View
    slenderness: float | None
    slips: bool


def build_stage(run: Run, body: Body, frames: Frames, view: View | None) -> Stage:
    """What is shown of a run at some frames; without a view the one that shows most is chosen."""
    solid = solid_of(body)
    mode, index = (run.history[name].values[0] for name in ("mode", "index"))
    base = solid.faces[int(index) if mode in FLAT else 0]
    start = sample_run(run, body, run.history["time"].values[:1])
    footprint = start.points[0, list(base)] * (1.0, 1.0, 0.0)
    size = float(np.ptp(solid.vertices, axis=0).max())
    covered = np.concatenate([frames.points.reshape(-1, 3), footprint])[:, :2]
    (x0, y0), (x1, y1) = covered.min(axis=0) - MARGIN * size, covered.max(axis=0) + MARGIN * size
    corners = np.array([(x0, y0, 0.0), (x1, y0, 0.0), (x1, y1, 0.0), (x0, y1, 0.0)])
    grid = grid_step(max(size, 0.5 * (x1 - x0), 0.5 * (y1 - y0)))
    view = view or choose_view(frames, size)
    return Stage(frames, solid, base, footprint, corners, grid, view, _level(run, body), has_friction(run))


def _level(run: Run, body: Body) -> float | None:
    slenderness = body.slenderness
    has_level = 0.0 < slenderness < pi / 2 and float(run.history["tilt"].max()) > NEAR * slenderness
    return slenderness if has_level else None


LATEST = 9  # events listed at a time
COUNTED = {
    Event.EDGE_IMPACT: "edge impacts",
    Event.FACET_IMPACT: "facet impacts",
    Event.EDGE_RELEASE: "edge releases",
    Event.UPLIFT: "uplifts",
}
COUNTED_WITH_FRICTION = COUNTED | {Event.SLIP: "slips", Event.LANDING: "landings"}


def format_event(event: dict[str, Any]) -> str:
    """One event in a line of fixed columns.

    >>> format_event({"t": 4.25, "kind": "edge_impact", "to": ("VERTEX", 2)})
    '  4.2500 s  edge impact   vertex 2'
    """
    mode, index = event["to"]
    kind = event["kind"].removeprefix("slip_").replace("_", " ")  # a reversal
    return f"{event['t']:8.4f} s  {kind:<12}  {CONTACT_WORDS[Mode[mode]].short.format(index)}"


def counted(run: Run) -> dict[Event, str]:
    """Events that are counted in a run, and what they are called."""
    return COUNTED_WITH_FRICTION if has_friction(run) else COUNTED


def count_events(run: Run, happened: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of events of each kind of `counted` (n, n_kind) among the first ``happened`` (n,)."""
    names = counted(run)
    kinds = np.array([Event[event["kind"].upper()] for event in run.events], dtype=int)
    counts = np.cumsum(kinds[:, None] == np.array([int(kind) for kind in names]), axis=0)
    return np.concatenate([np.zeros((1, len(names)), dtype=int), counts])[happened]


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


USUAL_PLAYBACK = Playback()


def check_animation(path: str | Path, playback: Playback = USUAL_PLAYBACK, run: Run | None = None) -> Path:
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
