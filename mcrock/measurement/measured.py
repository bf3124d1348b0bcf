"""What a test of free rocking shows without a model of its impacts (sections 3.1 and 3.2)."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.signal import periodogram
from scipy.spatial.transform import Rotation
from scipy.stats import norm, quantile_test

from mcrock.measurement.angles import euler_angles, rate_noise, zero_crossing_correction
from mcrock.measurement.landings import landings
from mcrock.measurement.measures import PEAKS, drift, peak_angles, reduction_factors
from mcrock.measurement.phases import contact_phases
from mcrock.measurement.recording import Recording
from mcrock.measurement.sensor import INSTANT

if TYPE_CHECKING:
    import xarray as xr

    from mcrock.body import Body

Array = NDArray[np.float64]

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
    impact, tilt, tilt_interval = _fall(recording.time, -rates[:, 1], first, noise, level)
    begin = _release(recording.time[before], rates[before, 1], begin)
    moving = (recording.time >= begin) & (recording.time <= end)
    time, rates = recording.time[moving], rates[moving]
    noise = rate_noise(recording.angular_velocity @ across)
    own = Recording(time, rates, name=recording.name)
    start = Rotation.from_rotvec([0.0, tilt, 0.0]).as_quat(scalar_first=True)
    angles = euler_angles(own.orientation(start))
    inplane = zero_crossing_correction(time, angles[:, 1], rates[:, 1])
    found: dict[str, Any] = {"tilt": tilt, "tilt_interval": tilt_interval, "duration": end - begin}
    found |= _of_peaks(body, inplane, along, across, level)
    found |= _of_plane(time, angles[:, 0], inplane, first, noise, level)
    phases = contact_phases(time, rates[:, 1], rates[:, 0], noise=noise)
    found |= {"facet_impact": impact - begin, "next_impact": phases.next_impact - begin + 0.5 * LATE * step}
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


def _of_peaks(body: Body, angle: Array, along: Array, across: Array, level: float) -> dict[str, Any]:
    """AVRF and energy lost from peak to peak, of which every second one is over the other edge."""
    reach = body.vertices[list(body.faces[body.start_face])] @ across  # from the centre of mass
    widths = np.resize(np.abs([reach.min(), reach.max()]), PEAKS)
    height = float(abs(body.vertices[body.faces[body.start_face][0]] @ np.cross(across, along)))
    peaks = peak_angles(angle)[:PEAKS]
    ratios = reduction_factors(peaks, widths[: peaks.size], height)
    ends = quantile_test(ratios, q=float(np.median(ratios))).confidence_interval(level)
    loss = np.full(PEAKS - 1, np.nan)
    loss[: ratios.size] = 1.0 - ratios**2
    return {"avrf": float(np.median(ratios)), "avrf_interval": [ends.low, ends.high], "energy_loss": loss}


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
