"""What a recording tells: landings, phases, alignment, faults and the measures of a test."""

from __future__ import annotations

from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import least_squares
from scipy.signal import find_peaks, periodogram
from scipy.spatial.transform import Rotation
from scipy.stats import norm, quantile_test, t

from mcrock.base.params import GRAVITY
from mcrock.kernel.contact import topology
from mcrock.measurement.recording import (
    ALONG,
    BEYOND,
    INSTANT,
    NOISE,
    QUIET,
    Recording,
    Rolling,
    euler_angles,
    landings,
    rate_noise,
    rolling_of,
    zero_crossing_correction,
)

if TYPE_CHECKING:
    import xarray as xr

    from mcrock.body import Body
    from mcrock.simulation.runs import Run

Array = NDArray[np.float64]


class Phases(NamedTuple):
    """Impacts from the release to where the old edge lands again."""

    facet_impact: float  # end of the rocking about the edge over which the body was released [s]
    edge_impacts: Array  # (n,) of the lateral rocking on the opposite edge, between the two others [s]
    next_impact: float  # on a facet or an edge, when a vertex of the old edge reaches the ground again [s]


def contact_phases(time: ArrayLike, along: ArrayLike, across: ArrayLike, *, noise: float = 0.0) -> Phases:
    """Phases of a test from angular velocities, each to about a sample.

    The rate about the old edge is largest at the facet impact and at the next; between them that across it is
    largest at every edge impact, about which the body swings to and fro. Edge impacts whose rate is less than
    a twentieth of the largest, or within ``BEYOND`` times the noise, are not found, nor those that follow in
    fewer than two samples.

    Parameters
    ----------
    time : array_like (n,)
        [s], from the release.
    along, across : array_like (n,)
        Angular velocity about the edge over which the body was released, and about the horizontal axis square
        to it, in axes of the body [rad/s].
    noise : float
        Standard deviation of the noise of the rate across, as `rate_noise` finds it [rad/s]; none of a
        simulation.

    Raises
    ------
    ValueError
        If there are not two landings.
    """
    t, x, y = (np.asarray(item, float) for item in (time, along, across))
    found = landings(t, x).landing
    if found.size < 2:
        raise ValueError(f"{found.size} landings in these data; two are needed for the phases between them")
    # after the sample of the facet impact, which may be a mean of what is before and after
    inside = np.flatnonzero((t > found[0]) & (t < found[1]))[1:]
    largest = np.abs(y[inside]).max(initial=0.0)
    least = max(NOISE * largest, BEYOND * noise)
    lateral = landings(t[inside], y[inside], least).landing if largest > least else found[:0]
    return Phases(float(found[0]), lateral[1:], float(found[1]))  # the first is the facet impact itself


def phases_of(run: Run, edge: int) -> Phases:
    """Phases of a simulated run that was released over an edge, from its events.

    Raises
    ------
    ValueError
        If the run ends before the old edge lands again, or has no event list.
    """
    old = topology(run.body.faces, len(run.body.vertices), run.body.base_faces).edge_vertices[edge]
    impacts = [event for event in run.events if event["kind"] in ("facet_impact", "edge_impact")]
    edges: list[float] = []
    for event in impacts[1:]:
        if event["kind"] == "facet_impact" or (event["to"][0] == "VERTEX" and event["to"][1] in old):
            return Phases(impacts[0]["t"], np.array(edges), event["t"])
        edges.append(event["t"])
    raise ValueError(f"{len(impacts)} impacts in the run, and none of the old edge {edge} after the first")


MOST = np.radians(30.0)  # between the edge and what the body first turns about [rad]


class Mounting(NamedTuple):
    """How a sensor sits on a body."""

    turn: Rotation  # from axes of the sensor to those of the body
    uncertainty: Array  # (3,) half widths of 95 % intervals about x, y and z of the body [rad]

    def __str__(self) -> str:
        x, y, z = np.degrees(self.uncertainty)
        return (
            f"the sensor is turned by {np.degrees(self.turn.magnitude()):.3g} deg on the body, to {x:.2g}, "
            f"{y:.2g} and {z:.2g} deg about x, y and z (95 %), by gravity and the first swing"
        )


def alignment(recording: Recording, along: ArrayLike, rest: tuple[float, float] | None = None) -> Rotation:
    """Turn from axes of a sensor to those of the body, for `Recording.turned`.

    Until the first landing the body turns about the edge over which it was released and about nothing else:
    the principal axis of what the sensor then records is that edge. What is left is a turn about the edge
    itself, which follows from gravity, as the accelerometer records it at rest on the base: `mounting`.

    Parameters
    ----------
    recording : Recording
        From shortly before the release; without ``rest`` its axes must be those of the body to some 30 deg.
    along : array_like (3,)
        Direction of the edge in axes of the body: from its vertex k to k + 1, as (0, 1, 0) is that of edge 0
        of a cuboid.
    rest : tuple of 2 float, optional
        Between these times the body stands on its base [s]. Without, the smallest turn is taken that brings
        the principal axis to the edge.

    Raises
    ------
    ValueError
        If ``rest`` is given and there is no acceleration, or the body first turns about another axis.
    """
    if rest is not None:
        return mounting(recording, recording, along, rest).turn
    edge = np.asarray(along, float) / np.linalg.norm(along)
    axis = _axis(recording.angular_velocity[: _fast(recording) + 1])
    off = float(np.arccos(np.clip(abs(axis @ edge), -1.0, 1.0)))
    if off > MOST:
        raise ValueError(
            f"{recording.name}: the body first turns about an axis that is {np.degrees(off):.0f} deg off the "
            "edge; check the edge, the axes of the sensor, and that the recording starts at the release"
        )
    swing = _swing(recording, edge)
    axis = _axis(swing)
    return Rotation.align_vectors([edge], [axis if axis @ edge > 0.0 else -axis])[0]


def mounting(part: Recording, whole: Recording, along: ArrayLike, rest: tuple[float, float]) -> Mounting:
    """How a sensor that was mounted anyhow is turned on the body, from gravity and the first swing.

    The edge is the axis about which the body first turns, and it falls: the turn about it is negative.
    Gravity gives what is left, a turn about the edge. The errors of both axes across the edge come from the
    noise of the gyroscope. That about the edge comes from the bias of the accelerometer square to edge and
    vertical, which nothing shows; but its biases along the edge and the vertical show, as the edge is level
    and gravity known. If the three are alike, the third lies within 4.30 times their root mean square in
    95 %: Student's t of two.

    Parameters
    ----------
    part, whole : Recording
        From shortly before the release to rest, and all of it, with acceleration.
    along : array_like (3,)
        As for `alignment`, a horizontal edge of the base on which the body rests.
    rest : tuple of 2 float
        Between these times of ``whole`` the body stands on its base [s].

    Raises
    ------
    ValueError
        Without acceleration, or if the body first turns about an axis that is not level.
    """
    if whole.acceleration is None:
        raise ValueError(f"{whole.name}: rest needs acceleration [m/s2], and there is none")
    forces = whole.between(*rest).acceleration
    assert forces is not None
    force = forces.mean(0)
    edge = np.asarray(along, float) / np.linalg.norm(along)
    axis = _falling(part.angular_velocity[: _fast(part) + 1])
    swing = _swing(part, axis)
    axis = _falling(swing)
    level, off = float(axis @ force), float(np.arcsin(abs(axis @ force) / np.linalg.norm(force)))
    if off > MOST:
        raise ValueError(
            f"{part.name}: the body first turns about an axis that is {np.degrees(off):.0f} deg off level; "
            f"check that it stands on its base from {rest[0]:g} to {rest[1]:g} s, that this acceleration has "
            "gravity in it, and that the recording starts at the release"
        )
    # the edge without compromise: the bias of an accelerometer is worth degrees
    turn = Rotation.align_vectors([edge, [0.0, 0.0, 1.0]], [axis, force], weights=[np.inf, 1.0])[0]
    noise = max(rate_noise(part.angular_velocity @ other) for other in turn.inv().apply(np.eye(3)))
    sides = norm.ppf(0.975) * noise / np.linalg.norm(swing @ axis)
    biases = np.array([level, np.linalg.norm(force) - GRAVITY]) / GRAVITY
    mean = forces.std(0).max() / np.sqrt(len(forces)) / GRAVITY
    about = t.ppf(0.975, 2) * np.hypot(np.sqrt((biases**2).mean()), mean)
    return Mounting(turn, np.hypot(edge * about, np.sqrt(1.0 - edge * edge) * sides))


def _fast(recording: Recording) -> int:
    """First sample with half of the largest rate."""
    speed = np.linalg.norm(recording.angular_velocity, axis=1)
    return int(np.argmax(speed >= 0.5 * speed.max()))


def _swing(recording: Recording, axis: Array) -> Array:
    """Rates until the first landing (n, 3)."""
    rate = recording.angular_velocity @ axis
    found = landings(recording.time, rate).landing
    if not found.size:
        raise ValueError(
            f"{recording.name}: no impact in it: the rate about the edge grows up to its end; record until "
            "the body is at rest again"
        )
    return recording.angular_velocity[recording.time < found[0]]


def _axis(rates: Array) -> Array:
    """Principal axis of angular velocities (n, 3)."""
    axis: Array = np.linalg.svd(rates, full_matrices=False)[2][0]
    return axis


def _falling(rates: Array) -> Array:
    """Principal axis, about which the rates are negative."""
    axis = _axis(rates)
    return axis if (rates @ axis).sum() < 0.0 else -axis


PEAKS = 10  # of which the source takes the median of nine ratios


def uplift(angle: ArrayLike, half_width: ArrayLike, height: float, *, as_printed: bool = False) -> Array:
    """Rise of the centre of mass of a body that turns about an edge by an angle (section 3.2) [m].

    Parameters
    ----------
    angle : array_like
        From the base flat [rad]; of either sign.
    half_width : array_like
        Horizontal distance of the edge from the centre of mass, b_1, one or one for each angle [m].
    height : float
        Of the centre of mass over the base, h [m].
    as_printed : bool
        The formula of the source, h sin(phi) - b_1 (1 - cos(phi)), in which both lengths are exchanged.

    Returns
    -------
    ndarray
        b_1 sin(abs(phi)) - h (1 - cos(phi)), of the shape of ``angle``.

    Raises
    ------
    ValueError
        If a length is not positive.
    """
    for name, value in (("half_width", half_width), ("height", height)):
        if not np.all(np.asarray(value, float) > 0.0):
            raise ValueError(f"{name} must be > 0 m, got {value!r}")
    phi = np.abs(np.asarray(angle, float))
    width = np.asarray(half_width, float)
    along, across = (height, width) if as_printed else (width, height)
    return along * np.sin(phi) - across * (1.0 - np.cos(phi))


def peak_angles(angle: ArrayLike, *, least: float = 0.0) -> Array:
    """Largest absolute angle between any two changes of its sign (m,) [rad].

    Of a series (n,) that starts at its largest value the body was released there, which counts; the last
    stretch does if it is past its largest value.

    Parameters
    ----------
    angle : array_like (n,)
        [rad].
    least : float
        Angles up to this are noise: they change no sign and are no peak [rad].

    Raises
    ------
    ValueError
        If ``least`` is negative.
    """
    if not least >= 0.0:
        raise ValueError(f"least must be >= 0 rad, got {least!r}")
    phi = np.asarray(angle, float)
    signs = np.where(np.abs(phi) > least, np.sign(phi), 0.0)
    for i in range(1, signs.size):  # a zero belongs to what came before it
        if signs[i] == 0.0:
            signs[i] = signs[i - 1]
    bounds = [0, *(1 + np.flatnonzero(signs[1:] * signs[:-1] < 0.0)), phi.size]
    peaks = []
    for begin, end in pairwise(bounds):
        part = np.abs(phi[begin:end])
        largest = int(part.argmax()) if part.size else 0
        if part.size and part[largest] > least and not (end == phi.size and largest == part.size - 1):
            peaks.append(part[largest])
    return np.array(peaks)


def reduction_factors(
    peaks: ArrayLike, half_width: ArrayLike, height: float, *, as_printed: bool = False
) -> Array:
    """Angular velocity reduction factor (AVRF) r of each impact between two peaks: sqrt(u_{i+1}/u_i).

    Parameters
    ----------
    peaks : array_like (m,)
        Successive peaks of the absolute angle, as `peak_angles` finds them [rad].
    half_width, height, as_printed
        As in `uplift`.

    Returns
    -------
    ndarray (m - 1,)
        [1].

    Raises
    ------
    ValueError
        If there are fewer than two peaks, or one from which the body does not come back.
    """
    rise = uplift(peaks, half_width, height, as_printed=as_printed)
    if rise.ndim != 1 or rise.size < 2:
        raise ValueError(f"peaks [rad] must be a series of two or more, got the shape {rise.shape}")
    if not (rise > 0.0).all():
        lowest = int(np.argmin(rise))
        raise ValueError(
            f"peak {lowest} of {np.asarray(peaks, float)[lowest]:.4g} rad is not a rise of the centre of "
            "mass, and the body does not come back from there; check half_width and height [m]"
        )
    return np.sqrt(rise[1:] / rise[:-1])


def reduction_factor(
    peaks: ArrayLike, half_width: float, height: float, *, as_printed: bool = False
) -> float:
    """AVRF of a test: the median of the `reduction_factors` between its first ten peaks [1].

    Fewer peaks than ten give the median of what there is. Arguments and errors as in `reduction_factors`; an
    AVRF above 1 is refused, as no impact gains energy: peaks of noise or a drift made it.
    """
    first = np.asarray(peaks, float)[:PEAKS]
    found = float(np.median(reduction_factors(first, half_width, height, as_printed=as_printed)))
    if found > 1.0:
        raise ValueError(
            f"an AVRF of {found:.4g} would gain energy at impacts: the peaks [rad] are not those of a body "
            "that rocks down; take away drift and noise first (`zero_crossing_correction`, `noise`)"
        )
    return found


def out_of_plane_motion_factor(
    time: ArrayLike, across: ArrayLike, along: ArrayLike, first_impact: float, *, noise: float | None = None
) -> float:
    """Out-of-plane motion factor (OPMF): peak abs(phi_x) over peak abs(phi_y) after the first impact [1].

    An angle that a sensor's rate was integrated to drifts by the noise: it walks at random, by noise times
    sqrt(interval times duration). With ``noise`` it is held at zero at both ends, before the release and at
    rest, by a line that is taken away, and refused where it is not beyond ``BEYOND`` times that walk.

    Parameters
    ----------
    time : array_like (n,)
        [s].
    across, along : array_like (n,)
        Angles of the motion out of the plane and in it, phi_x and phi_y of `euler_angles` [rad].
    first_impact : float
        Time of the first impact [s].
    noise : float, optional
        Standard deviation of the noise of the angular velocity about x of a sensor, as `rate_noise` finds it
        [rad/s]; none for a simulated run.

    Raises
    ------
    ValueError
        If no sample comes after the first impact, nothing moves in the plane there, ``noise`` is negative, or
        the motion out of the plane is within what the noise makes of none, which is then an upper bound.
    """
    t, x, y = (np.asarray(item, float) for item in (time, across, along))
    after = t > first_impact
    if not after.any():
        raise ValueError(
            f"no sample comes after first_impact = {first_impact!r} s; the last is at {t.max()!r} s"
        )
    largest = np.abs(y[after]).max()
    if not largest > 0.0:
        raise ValueError("the angle in the plane [rad] is zero after the first impact: there is no motion")
    if noise is None:
        return float(np.abs(x[after]).max() / largest)
    if not noise >= 0.0:
        raise ValueError(f"noise must be >= 0 rad/s, got {noise!r}")
    leaving = np.abs(x - np.interp(t, t[[0, -1]], x[[0, -1]]))[after].max()
    walk = BEYOND * drift(t, noise)
    if leaving <= walk and noise > 0.0:
        raise ValueError(
            f"the motion out of the plane, {leaving:.2g} rad, is within what a noise of {noise:.2g} rad/s "
            f"makes of none: the OPMF is below {(leaving + walk) / largest:.2g}; take a sensor of less noise"
        )
    return float(leaving / largest)


def drift(time: ArrayLike, noise: float) -> float:
    """Standard deviation of an angle to which the white ``noise`` [rad/s] of a rate is integrated [rad]."""
    t = np.asarray(time, float)
    return noise * float(np.sqrt(np.median(np.diff(t)) * (t[-1] - t[0])))


FLAT = 3  # equal readings in a row at the largest of an axis: the end of the range of the sensor
LARGE = 0.5  # of the largest reading of all axes: an axis below it has not reached its range [1]
NOTHING = 5.0  # of the noise: what a thousand readings of noise alone seldom exceed [1]
ALIKE = 2.0  # ratio of energies up to which body and recording may be of one test [1]
MOVES = 0.1  # of the largest rate: a sensor whose rates differ by more does not rest [1]
HAND = 0.002  # the same where nobody says that it rests: a hand may turn the body before it lets go [1]
HELD = 0.5  # shortest rest that a bias is taken from, and how long before the release it ends [s]
NO_REST = "no rest before the release: a bias of the sensor is in all numbers; --still START END takes it out"
GAP = 3.5  # of the usual interval between samples: more than two are lost [1]
LOST = 1.5  # the same from which one is [1]
SPIKE = 2.0  # over the two readings on either side: no body turns so [1]
NOISE_REACHES = 4.0  # medians, of the speed of white noise in a million readings [1]


def check_readings(recording: Recording) -> None:
    """Refuse a recording of a test whose readings do not tell what the body did.

    Parameters
    ----------
    recording : Recording
        In axes of the sensor, from before the release to rest.

    Raises
    ------
    ValueError
        If nothing moves, an axis was clipped, or samples are missing.
    """
    readings = recording.angular_velocity
    noise = max(map(rate_noise, readings.T))
    if np.linalg.norm(readings, axis=1).max() < NOTHING * noise:
        raise ValueError(
            f"{recording.name}: no release in it: no rate is above {NOTHING:g} times the noise of "
            f"{noise:.3g} rad/s; give the recording of a test, or check its columns"
        )
    for axis, values in zip(ALONG, readings.T, strict=True):
        for end in (values.max(), values.min()):
            if abs(end) < LARGE * np.abs(readings).max():
                continue
            flat = np.convolve(values == end, np.ones(FLAT), "valid") >= FLAT
            if flat.any():
                raise ValueError(
                    f"{recording.name}: omega_{axis} is clipped: at {recording.time[int(flat.argmax())]:.4g} "
                    f"s {FLAT} readings or more in a row are {end:.6g} rad/s; choose a larger range of the "
                    "sensor"
                )
    steps = np.diff(recording.time)
    widest = int(steps.argmax())
    if steps[widest] > GAP * np.median(steps):
        raise ValueError(
            f"{recording.name}: samples are missing for {steps[widest]:.3g} s from "
            f"{recording.time[widest]:.4g} s on, and elsewhere there is one in {np.median(steps):.3g} s; a "
            "fit needs all of them"
        )


def check_spikes(recording: Recording) -> None:
    """Refuse a reading that stands alone and is as fast as half of all others: nothing finds a release then.

    Raises
    ------
    ValueError
        If there is one.
    """
    speed = np.linalg.norm(recording.angular_velocity, axis=1)
    around = [np.roll(speed, k) for k in (-2, -1, 1, 2)]
    alone = np.flatnonzero((speed > SPIKE * np.max(around, axis=0))[2:-2]) + 2
    for i in alone[np.argsort(-speed[alone])][:1]:
        if speed[i] >= max(LARGE * np.delete(speed, i).max(), NOISE_REACHES * np.median(speed)):
            k = int(np.abs(recording.angular_velocity[i]).argmax())
            raise ValueError(
                f"{recording.name}: a spike: at {recording.time[i]:.4g} s omega_{ALONG[k]} is "
                f"{recording.angular_velocity[i, k]:.4g} rad/s in a single reading, and at most "
                f"{np.max(around, axis=0)[i]:.3g} rad/s beside it; take the mean of its neighbours there"
            )


def lost_samples(recording: Recording) -> str | None:
    """What to say of samples that are missing one or two at a time, if any are."""
    steps = np.diff(recording.time) / np.median(np.diff(recording.time))
    lost = int(np.rint(steps[steps > LOST] - 1.0).sum())
    if not lost:
        return None
    share = 100.0 * lost / (lost + recording.time.size)
    return f"{lost} samples are missing, {share:.2g} %: rates are taken straight between those beside them"


def check_still(recording: Recording, begin: float, end: float) -> None:
    """Refuse times [s] between which the sensor does not rest, so that their mean is no bias.

    Raises
    ------
    ValueError
        If its rates differ there by more than its noise and a tenth of the largest of all, or there are none.
    """
    if not _rests(recording, begin, end, MOVES):
        raise ValueError(
            f"{recording.name}: the sensor does not rest from {begin:.4g} to {end:.4g} s: rates there "
            "are too large for a bias; check `--still`"
        )


def rest_before(recording: Recording) -> tuple[float, float] | None:
    """Start and end [s] of the rest before the release, for the bias; None if it is too short or is none."""
    begin, end = float(recording.time[0]), recording.motion()[0] - max(HELD, recording.slow_start())
    return (begin, end) if end - begin >= HELD and _rests(recording, begin, end, HAND) else None


def _rests(recording: Recording, begin: float, end: float, moves: float) -> bool:
    own, rates = recording.between(begin, end).angular_velocity, recording.angular_velocity
    most = moves * np.linalg.norm(rates, axis=1).max() + NOTHING * max(map(rate_noise, own.T))
    return bool(np.linalg.norm(own - own.mean(0), axis=1).max() <= most)


def later_motion(whole: Recording, part: Recording) -> str | None:
    """What to say of motion after the part that is fitted as fast as half of that in it, if there is any."""
    speed = np.linalg.norm(whole.angular_velocity, axis=1)
    most = float(np.linalg.norm(part.angular_velocity, axis=1).max())
    after = whole.time > part.time[-1]
    again = np.flatnonzero(after & (speed >= LARGE * most))
    if not again.size:
        return None
    quiet = np.flatnonzero(speed[: again[0]] <= QUIET * most)
    begin = whole.time[quiet[-1]] if quiet.size else whole.time[again[0]]
    return (
        f"the body moves again from {begin:.4g} s on, by a second release or a hand; the first motion is "
        f"fitted, up to {part.time[-1]:.4g} s"
    )


def check_motion(recording: Recording, body: Body, along: Array, across: Array) -> None:
    """Refuse a recording that cannot be of this body, released over this edge.

    What the body falls until its first impact and the rate that it has there go together by its energy: a
    rate in another unit changes both, and the square of the one grows faster than the other.

    Parameters
    ----------
    recording : Recording
        In axes of the body, from before the release to rest.
    body : Body
    along, across : ndarray (3,)
        Unit vectors along the edge, about which a positive turn lifts the body, and square to it, inwards.

    Raises
    ------
    ValueError
        If the body falls to the other side, its rates are in another unit, or it falls
        as another body.
    """
    rate = recording.angular_velocity @ along
    until = recording.time <= landings(recording.time, rate).landing[0]  # `alignment` refuses others
    fallen = -float(np.trapezoid(rate[until], recording.time[until]))
    fastest = float(np.abs(rate[until]).max())
    if fallen < 0.0:
        raise ValueError(
            f"{recording.name}: the body falls away from its base; it was released over the opposite edge, "
            "or two axes of the sensor point the other way: check `--edge` and `--axes`"
        )
    corner = body.vertices[list(body.faces[body.start_face])]
    edge = corner[(corner @ across).argmin()]
    width, height = -float(edge @ across), float(edge @ np.cross(along, across))
    inertia = float(along @ body.inertia @ along) + body.mass * (width**2 + height**2)

    def energies(factor: float) -> float:
        """Potential energy lost over kinetic energy gained, of rates times a factor."""
        angle = factor * fallen
        if angle > 1.1 * np.arctan2(width, abs(height)):
            return 0.0
        rise = width * np.sin(angle) - abs(height) * (1.0 - np.cos(angle))
        return 2.0 * body.mass * body.gravity * rise / (inertia * (factor * fastest) ** 2)

    def alike(factor: float) -> bool:
        return 1.0 / ALIKE < energies(factor) < ALIKE

    if alike(1.0):
        return
    for factor, is_unit, was_unit in ((np.pi / 180.0, "deg/s", "rad/s"), (180.0 / np.pi, "rad/s", "deg/s")):
        if alike(factor):
            raise ValueError(
                f"{recording.name}: rates of {fastest:.3g} rad/s after a fall of {fallen:.3g} rad are not of "
                f"this body, and are if they are in {is_unit}; say so in the header or by `--columns "
                f"'omega_x=HEADER [{is_unit}]'`, which is now {was_unit}"
            )
    raise ValueError(
        f"{recording.name}: rates of {fastest:.3g} rad/s after a fall of {fallen:.3g} rad are not of this "
        "body, by its energy; check the body of `--body`, the edge, and the units of time and rates"
    )


EARLY = (0.02, 0.2)  # of the largest rate of the fall: the first part of it, nearly a line [1]
FALL = (0.06, 7)  # before the first impact, where the rate is a parabola [s], and samples at least
AFTER = (0.006, 4)  # the same after it, where it is a line
NEAR, TRIES = 0.003, 161  # of the largest rate the impact is at most so far [s]; times that are tried [1]
LATE = 1.5  # samples by which an impact follows the largest rate at most
FINER = 8  # points of a spectrum for each of those that the duration resolves
VARIABLES = {  # dimension besides the test, unit, words
    "tilt": (None, "rad", "tilt of the release"),
    "tilt_interval": ("bound", "rad", "interval of the tilt"),
    "duration": (None, "s", "time from the release to rest"),
    "facet_impact": (None, "s", "first impact after the release"),
    "next_impact": (None, "s", "landing of the old edge after the release"),
    "edge_impacts": (None, "1", "edge impacts that the sensor resolves, up to the landing of the old edge"),
    "avrf": (None, "1", "angular velocity reduction factor"),
    "avrf_interval": ("bound", "1", "interval of the AVRF"),
    "opmf": (None, "1", "out-of-plane motion factor"),
    "opmf_interval": ("bound", "1", "interval of the OPMF"),
    "frequency": (None, "Hz", "dominant frequency of the motion in the plane"),
    "frequency_interval": ("bound", "Hz", "interval of this frequency"),
    "frequency_across": (None, "Hz", "dominant frequency of the motion out of the plane"),
    "frequency_across_interval": ("bound", "Hz", "interval of this frequency"),
    "energy_loss": ("half_cycle", "1", "share of the energy lost from one peak to the next"),
    "loss": (None, "1", "median share of the energy lost from one peak to the next"),
    "loss_interval": ("bound", "1", "interval of this median"),
    "peak_tilt": ("peak", "rad", "tilt at the release and where it is largest after each impact or sweep"),
    "swing": ("half_cycle", "s", "time from one peak to the next"),
}


def measure_test(
    body: Body, recording: Recording, along: Array, across: Array, *, level: float = 0.95
) -> xr.Dataset:
    """Measures of one test of free rocking, from its recording alone.

    Parameters
    ----------
    body : Body
        For the edges that it rocks on and the height of its centre of mass.
    recording : Recording
        Without bias, `trimmed` and turned to axes of the body: from shortly before the release to rest.
    along, across : ndarray (3,)
        Unit vectors of the base: along the edge of the release, about which a positive turn lifts the body,
        and square to it towards the inside.
    level : float
        Coverage of the intervals [1].

    Returns
    -------
    Dataset
        `VARIABLES` of one `test`. The interval of the AVRF is that of the median of the ratios between
        successive peaks, by order statistics, NaN of fewer than six. That of the OPMF is what the drift of
        the sensor leaves open; where the motion out of the plane is within it, it starts at 0, and the OPMF
        and its frequency are NaN. Those of frequencies are what the duration resolves, that of the tilt is
        what readings around the first impact and the drift leave open.
        A circular base may roll any way: its tilts are counted from where it rests at the end, its energy is
        potential and kinetic, and impacts are sweeps, in which the tilt is least.

    Raises
    ------
    ValueError
        If the recording has fewer than two landings, or a peak from which the body does not come back.
    """
    import xarray as xr

    up = np.cross(across, along)
    frame = np.stack([np.cross(along, up), along, up])
    rates = recording.angular_velocity @ frame.T
    begin, end = recording.motion()
    marks = landings(recording.time, rates[:, 1]).landing
    if marks.size < 2:
        raise ValueError(
            f"{recording.name}: {marks.size} impact in it, and two are needed; record until the body "
            "is at rest again"
        )
    first = float(marks[0])
    before = recording.time <= first
    step = float(np.median(np.diff(recording.time)))
    noise = rate_noise(recording.angular_velocity @ along)
    begin = _release(recording.time[before], rates[before, 1], begin)
    if body.rim > 0.0:
        fallen = -float(np.trapezoid(rates[before, 1], recording.time[before]))
        found = _of_sweeps(body, recording.between(begin, end), across, fallen, noise, level)
        tilt = found["tilt"]
    else:
        impact, tilt, tilt_interval = _fall(recording.time, -rates[:, 1], first, noise, level)
        found = {"tilt": tilt, "tilt_interval": tilt_interval, "facet_impact": impact - begin}
    moving = (recording.time >= begin) & (recording.time <= end)
    time, rates = recording.time[moving], rates[moving]
    noise = rate_noise(recording.angular_velocity @ across)
    own = Recording(time, rates, name=recording.name)
    start = Rotation.from_rotvec([0.0, tilt, 0.0]).as_quat(scalar_first=True)
    angles = euler_angles(own.orientation(start))
    inplane = zero_crossing_correction(time, angles[:, 1], rates[:, 1])
    found |= _of_plane(time, angles[:, 0], inplane, first, noise, level) | {"duration": end - begin}
    if body.rim == 0.0:
        found |= _of_peaks(body, time, inplane, along, across, level)
        phases = contact_phases(time, rates[:, 1], rates[:, 0], noise=noise)
        found["next_impact"] = phases.next_impact - begin + 0.5 * LATE * step
        found["edge_impacts"] = phases.edge_impacts.size
    for name, rate in (("frequency", rates[:, 1]), ("frequency_across", rates[:, 0])):
        found[name], found[f"{name}_interval"] = _dominant(time[time > first], rate[time > first])
    if np.isnan(found["opmf"]):
        found |= {"frequency_across": np.nan, "frequency_across_interval": [np.nan, np.nan]}
    variables = {
        name: ([] if dim is None else [dim], found[name], {"units": unit, "long_name": words})
        for name, (dim, unit, words) in VARIABLES.items()
    }
    return xr.Dataset(variables, attrs={"level": level}).expand_dims(test=[recording.name])


def _fall(
    time: Array, rate: Array, peak: float, noise: float, level: float
) -> tuple[float, float, list[float]]:
    """Time of the first impact [s], the angle fallen until then and its interval [rad].

    The ``rate`` of the fall [rad/s] is a parabola up to the impact, near the sample of its ``peak`` [s], and
    a line after it, at instants or as means of a sample, whichever the readings prefer. Times of the impact
    that the noise does not tell from the best are in the interval, and so is the drift.
    """
    step, k = float(np.median(np.diff(time))), int(np.searchsorted(time, peak))
    first = max(k - max(FALL[1], round(FALL[0] / step)), 0)
    last = k + max(AFTER[1], round(AFTER[0] / step))
    t, values = time[first:last] - peak, rate[first:last]
    near = max(2.0 * step, NEAR)
    tries = np.linspace(-near, near, TRIES)
    losses, curves = np.empty((2, TRIES)), np.empty((2, TRIES, 3))
    for i, width in enumerate((step, INSTANT * step)):
        low, high = t - 0.5 * width, t + 0.5 * width
        for j, impact in enumerate(tries):
            sides = np.minimum([low, high], impact), np.maximum([low, high], impact)
            terms = [(sides[side], m) for side, m in ((0, 1), (0, 2), (0, 3), (1, 1), (1, 2))]
            basis = np.stack([(b**m - a**m) / (m * width) for (a, b), m in terms], -1)
            found, *_ = np.linalg.lstsq(basis, values, rcond=None)
            losses[i, j] = ((basis @ found - values) ** 2).sum()
            curves[i, j] = found[:3]
    until = np.trapezoid(rate[: first + 1], time[: first + 1])
    power, start = np.arange(1, 4), t[0]
    fallen = until + (curves * (tries[:, None] ** power - start**power) / power).sum(-1)
    best = np.unravel_index(losses.argmin(), losses.shape)
    spread = max(noise**2, losses[best] / max(t.size - 6, 1))
    quantile = float(norm.ppf(0.5 + 0.5 * level))
    open_ = fallen[losses <= losses[best] + quantile**2 * spread]
    walk = sqrt(2.0) * quantile * drift(time[: k + 1], noise)  # and as much by the bias that is left
    tilt = 0.5 * float(open_.min() + open_.max())
    return peak + float(tries[best[1]]), tilt, [float(open_.min()) - walk, float(open_.max()) + walk]


def _release(time: Array, rate: Array, begin: float) -> float:
    """Time at which the line through the first rates of the fall [rad/s] is zero: a body starts slowly."""
    share = np.abs(rate) / np.abs(rate).max()
    rising = (share > EARLY[0]) & (share < EARLY[1]) & (time >= begin)
    if rising.sum() < 3:
        return begin
    slope, level = np.polyfit(time[rising], rate[rising], 1)
    return float(-level / slope)


def _of_peaks(
    body: Body, time: Array, angle: Array, along: Array, across: Array, level: float
) -> dict[str, Any]:
    """AVRF and energy lost from peak to peak, of which every second one is over the other edge."""
    reach = body.vertices[list(body.faces[body.start_face])] @ across  # from the centre of mass
    widths = np.resize(np.abs([reach.min(), reach.max()]), PEAKS)
    height = float(abs(body.vertices[body.faces[body.start_face][0]] @ np.cross(across, along)))
    peaks = peak_angles(angle)[:PEAKS]
    ratios = reduction_factors(peaks, widths[: peaks.size], height)
    at = [float(time[np.abs(angle) == peak][0]) for peak in peaks]
    return _of_ratios(ratios, peaks, np.array(at), level)


def _of_ratios(ratios: Array, peaks: Array, at: Array, level: float) -> dict[str, Any]:
    """AVRF, energy lost, tilts and times of peaks: velocity ratios (n,) between peaks (n + 1,) [rad], [s]."""
    ends = quantile_test(ratios, q=float(np.median(ratios))).confidence_interval(level)
    interval = np.array([ends.low, ends.high])
    avrf = float(np.median(ratios))
    found: dict[str, Any] = {"avrf": avrf, "avrf_interval": interval}
    found |= {"loss": 1.0 - avrf**2, "loss_interval": 1.0 - interval[::-1] ** 2}
    rows = {"energy_loss": 1.0 - ratios**2, "peak_tilt": peaks, "swing": np.diff(at)}
    for name, values in rows.items():
        room = PEAKS - (name != "peak_tilt") - values.size
        found[name] = np.append(values, np.full(room, np.nan))
    return found


def _of_sweeps(
    body: Body, own: Recording, across: Array, fallen: float, noise: float, level: float
) -> dict[str, Any]:
    """What `_of_peaks` finds, tilt of the release and times of the first two sweeps, of a body on its rim.

    The vertical at the release is the one with which the energy falls evenly as the contact goes round the
    rim, and not by turns: a tilt taken too large makes every second peak too high. The first guess is what
    the body has ``fallen`` until its first sweep [rad]. Peaks count beyond ``NOISE`` of their tilt.
    """
    turn = Rotation.from_quat(own.orientation(), scalar_first=True).inv()
    edge, least = np.cross(across, [0.0, 0.0, 1.0]), BEYOND * drift(own.time, noise)

    def rolling(x: Array) -> Rolling:
        start = Rotation.from_rotvec(x[0] * edge + x[1] * across).inv()
        return rolling_of(body, turn.apply(start.apply([0.0, 0.0, 1.0])), own.angular_velocity)

    def peaks(tilt: Array) -> NDArray[np.intp]:
        highest, how = find_peaks(tilt, prominence=least)
        return np.append(0, highest[how["prominences"] > NOISE * tilt[highest]])[:PEAKS]

    def left(x: Array) -> Array:
        motion = rolling(x)
        return np.asarray((np.log(motion.energy) - x[2] + x[3] * motion.swept)[clear])

    x = np.array([fallen, 0.0, 0.0, 0.0])
    x[2] = np.log(rolling(x).energy[0])
    for _ in range(2):
        tilt = rolling(x).tilt
        at = peaks(tilt)
        if at.size < 2:
            raise ValueError(f"{own.name}: its tilt does not rise again after a sweep: two peaks are needed")
        # a mean over a sample in which the body sweeps is no rate that it has
        sweeps = [a + int(tilt[a:b].argmin()) for a, b in pairwise(at)]
        clear = np.delete(np.arange(at[-1]), np.add.outer(sweeps, [-1, 0, 1]).ravel())
        fit = least_squares(left, x, loss="soft_l1", f_scale=0.01, x_scale=[0.01, 0.01, 0.1, 0.01])
        x = fit.x
    tilt, energy, _ = rolling(x)
    at = peaks(tilt)
    found = _of_ratios(np.sqrt(energy[at[1:]] / energy[at[:-1]]), tilt[at], own.time[at], level)
    # residuals from one peak to the next hang together, and count as one
    spread = sqrt(2.0 * fit.cost / (at.size - 1) * np.linalg.inv(fit.jac.T @ fit.jac)[0, 0])
    walk = sqrt(2.0) * drift(own.time[: at[-1]], noise)  # and as much by the bias that is left
    ends = np.array([-1.0, 1.0]) * norm.ppf(0.5 + 0.5 * level) * np.hypot(spread, walk)
    lowest = [a + int(tilt[a:b].argmin()) for a, b in pairwise([*at, tilt.size])][:2]
    found |= dict(zip(("facet_impact", "next_impact"), own.time[lowest] - own.time[0], strict=True))
    return found | {"tilt": float(tilt[0]), "tilt_interval": tilt[0] + ends, "edge_impacts": np.nan}


def _of_plane(
    time: Array, across: Array, along: Array, first: float, noise: float, level: float
) -> dict[str, Any]:
    """OPMF and what the drift of the sensor leaves open of it."""
    after = time > first
    largest = float(np.abs(along[after]).max())
    leaving = float(np.abs(across - np.interp(time, time[[0, -1]], across[[0, -1]]))[after].max())
    walk = float(norm.ppf(0.5 + 0.5 * level)) * drift(time, noise)
    known = leaving > walk
    ends = np.array([leaving - walk if known else 0.0, leaving + walk]) / largest
    return {"opmf": leaving / largest if known else np.nan, "opmf_interval": ends}


def _dominant(time: Array, rate: Array) -> tuple[float, list[float]]:
    """Frequency at which the spectrum of a rate is largest, and what its duration resolves around it [Hz]."""
    step = float(np.median(np.diff(time)))
    frequency, power = periodogram(rate, 1.0 / step, "hann", FINER * time.size, "constant")
    largest, half = float(frequency[power.argmax()]), 0.5 / (time.size * step)
    return largest, [max(0.0, largest - half), largest + half]
