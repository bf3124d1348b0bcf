"""What a test of free rocking shows without a model of its impacts (sections 3.1 and 3.2)."""

from __future__ import annotations

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

if TYPE_CHECKING:
    import xarray as xr

    from mcrock.body import Body

Array = NDArray[np.float64]

EARLY = (0.02, 0.2)  # of the largest rate of the fall: the first part of it, nearly a line [1]
LATE = 1.5  # samples by which an impact follows the largest rate at most
FINER = 8  # points of a spectrum for each of those that the duration resolves
VARIABLES = {  # dimension besides the test, unit, words
    "tilt": (None, "rad", "tilt of the release"),
    "tilt_interval": ("bound", "rad", "what the samples leave open of the tilt"),
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
        and its frequency are NaN. Those of frequencies are what the duration resolves, that of the tilt and
        the times of impacts are what a sample does.

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
    fallen = -float(np.trapezoid(rates[before, 1], recording.time[before]))
    # the impact follows the sample of the largest rate, by up to one and a half where samples are means
    more = LATE * step * float(np.abs(rates[before, 1]).max())
    tilt = fallen + 0.5 * more
    begin = _release(recording.time[before], rates[before, 1], begin)
    moving = (recording.time >= begin) & (recording.time <= end)
    time, rates = recording.time[moving], rates[moving]
    noise = rate_noise(recording.angular_velocity @ across)
    own = Recording(time, rates, name=recording.name)
    start = Rotation.from_rotvec([0.0, tilt, 0.0]).as_quat(scalar_first=True)
    angles = euler_angles(own.orientation(start))
    inplane = zero_crossing_correction(time, angles[:, 1], rates[:, 1])
    found: dict[str, Any] = {"tilt": tilt, "tilt_interval": [fallen, fallen + more], "duration": end - begin}
    found |= _of_peaks(body, inplane, along, across, level)
    found |= _of_plane(time, angles[:, 0], inplane, first, noise, level)
    phases = contact_phases(time, rates[:, 1], rates[:, 0], noise=noise)
    begin -= 0.5 * LATE * step
    found |= {"facet_impact": phases.facet_impact - begin, "next_impact": phases.next_impact - begin}
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
