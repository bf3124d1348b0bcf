"""What an inertial sensor on a simulated body would record."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation, Slerp

from mcrock.base.checks import Number
from mcrock.base.params import STANDARD_GRAVITY
from mcrock.measurement.rates import rates_in_body
from mcrock.measurement.readings import fill_means
from mcrock.measurement.recording import Recording

if TYPE_CHECKING:
    from mcrock.simulation.run import Run

Array = NDArray[np.float64]

RATE = 256.0  # of the recordings of the source [1/s]
# InvenSense MPU-6000 and MPU-6050 product specification, revision 3.4, section 6.1: 0.005 deg/s/sqrt(Hz)
NOISE_DENSITY = float(np.radians(0.005))  # [rad/s/sqrt(Hz)]

FORCE_DENSITY = 400e-6 * STANDARD_GRAVITY  # of its accelerometer, section 6.2 [m/s2/sqrt(Hz)]

INSTANT = 0.02  # part of a sample over which a reading at an instant is the mean: it does not jump [1]


def means(time: ArrayLike, values: ArrayLike, at: ArrayLike, width: float) -> Array:
    """Means of a piecewise linear function over windows around some times.

    Parameters
    ----------
    time : array_like (n,)
        [s], not falling; where the function jumps, twice.
    values : array_like (n, k)
        Zero before the first time and after the last.
    at : array_like (m,)
        Middles of the windows [s].
    width : float
        Of each window [s], > 0.

    Returns
    -------
    ndarray (m, k)

    Examples
    --------
    >>> means([0.0, 1.0, 1.0, 2.0], [[0.0], [0.0], [1.0], [1.0]], [0.5, 1.0, 1.25], 1.0).ravel().tolist()
    [0.0, 0.5, 0.75]
    """
    t, v, middles = (np.ascontiguousarray(each, float) for each in (time, values, at))
    found = np.empty((middles.size, v.shape[1]))
    fill_means(t, v, middles, float(width), np.empty_like(v), found)
    return found


def sensed(
    run: Run,
    *,
    rate: float = RATE,
    noise_density: float = NOISE_DENSITY,
    bias: ArrayLike = (0.0, 0.0, 0.0),
    before: float = 1.0,
    after: float = 0.0,
    averaging: float = 1.0,
    seed: int = 0,
) -> Recording:
    """Readings that a gyroscope on a simulated body would give, to try out what is done with real ones.

    A reading is the mean over one sample or a part of it, plus bias and white noise over the band up to half
    the sampling rate. The body is held still before the run, and is still after it.

    Parameters
    ----------
    run : Run
        Of free rocking, with its history.
    rate : float
        Samples per second [1/s]; those of the source are the default.
    noise_density : float
        [rad/s/sqrt(Hz)]; the default is 0.005 deg/s/sqrt(Hz), of the MPU-6050.
    bias : array_like (3,)
        [rad/s].
    before, after : float
        Time held still before the run, and added after it [s].
    averaging : float
        Part of a sample around its time over which a reading is the mean, > 0 to 1: 1 as a low-pass filter
        makes it, `INSTANT` for a sensor that is read at an instant [1].
    seed : int
        Of the noise.

    Returns
    -------
    Recording
        Its time is 0 ``before`` seconds before the release.

    Raises
    ------
    ValueError
        If the run has no history, the rate is not positive, or another number is negative.
    """
    Number("1/s", above=0.0).check("rate", rate)
    Number("rad/s/sqrt(Hz)", least=0.0).check("noise_density", noise_density)
    for name, value in (("before", before), ("after", after)):
        Number("s", least=0.0).check(name, value)
    Number("1", above=0.0, most=1.0).check("averaging", averaging)
    time, omega = rates_in_body(run)
    at = np.arange(round((before + time[-1] + after) * rate) + 1) / rate
    clean = means(time, omega, at - before, averaging / rate)
    noise = np.random.default_rng(seed).normal(0.0, noise_density * np.sqrt(0.5 * rate), clean.shape)
    return Recording(at, clean + noise + np.asarray(bias, float), name="sensed")


def with_acceleration(
    recording: Recording,
    run: Run,
    *,
    before: float = 1.0,
    noise_density: float = FORCE_DENSITY,
    bias: ArrayLike = (0.0, 0.0, 0.0),
    seed: int = 0,
) -> Recording:
    """A recording of `sensed` with what an accelerometer at the centre of mass reads.

    A reading is the mean of the specific force over a sample, which is the change of the velocity plus
    gravity, in axes of the body as it stands in the middle of the sample: an impact is in it.

    Parameters
    ----------
    recording, run : Recording, Run
        The recording is in axes of the body.
    before : float
        Time held still before the run [s].
    noise_density : float
        [m/s2/sqrt(Hz)]; the default is 400 micro-g/sqrt(Hz), of the MPU-6050.
    bias : array_like (3,)
        [m/s2].
    seed : int
        Of the noise.
    """
    history = run.history
    width = float(np.median(np.diff(recording.time)))
    since, at = history["time"].values, recording.time - before
    last = np.append(np.diff(since) > 0.0, True)  # of rows at one time that after an impact
    turns = Slerp(since[last], Rotation.from_quat(history["orientation"].values[last], scalar_first=True))
    velocity = history["velocity"].values
    ends = [
        np.stack([np.interp(at + side * width, since, each, 0.0, 0.0) for each in velocity.T], -1)
        for side in (-0.5, 0.5)
    ]
    force = (ends[1] - ends[0]) / width + [0.0, 0.0, run.body.gravity]
    clean = turns(at.clip(since[0], since[-1])).inv().apply(force)
    noise = np.random.default_rng([seed, 1]).normal(0.0, noise_density * np.sqrt(0.5 / width), clean.shape)
    return replace(recording, acceleration=clean + noise + np.asarray(bias, float))
