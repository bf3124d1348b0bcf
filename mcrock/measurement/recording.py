"""What an inertial sensor on a body recorded while it rocked freely."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from mcrock.base.checks import Number

Array = NDArray[np.float64]

ALONG = "xyz"
LARGEST = 1e9  # reading, in any unit: beyond are mistakes, whose squares may be infinite
LEAST = 1e-6  # rate of any motion [rad/s]
SLOW = 1.5  # time of a start that is too slow to be seen, over that from there to half of the largest rate
QUIET = 0.02  # of the largest angular velocity: what is no motion [1]


@dataclass(frozen=True, eq=False)
class Recording:
    """Readings of a sensor, in its own axes until they are turned into those of the body.

    Attributes
    ----------
    time : ndarray (n,)
        [s], rising.
    angular_velocity : ndarray (n, 3)
        [rad/s].
    acceleration : ndarray (n, 3), optional
        Specific force: at rest it points up with 9.81 m/s2 [m/s2].
    name : str
    """

    time: Array
    angular_velocity: Array
    acceleration: Array | None = None
    name: str = "recording"

    def __post_init__(self) -> None:
        n = len(self.time)
        shapes = {"angular_velocity [rad/s]": self.angular_velocity, "acceleration [m/s2]": self.acceleration}
        for what, array in shapes.items():
            if array is not None and array.shape != (n, 3):
                raise ValueError(f"{self.name}: {what} must have the shape ({n}, 3), got {array.shape}")
            if array is not None and (wrong := ~(np.abs(array) < LARGEST).all(1)).any():
                where = f"{what} has, at {self.time[wrong.argmax()]:.6g} s for the first time,"
                raise ValueError(f"{self.name}: {where} values that are not numbers, or beyond {LARGEST:g}")
        if n < 2:
            raise ValueError(f"{self.name}: a recording needs two samples at least, got {n}")
        if not (rises := np.diff(self.time) > 0.0).all():
            now, then = self.time[rises.argmin() :][:2]
            raise ValueError(
                f"{self.name}: time [s] must rise from sample to sample, and after {now:.6g} comes {then:.6g}"
            )

    def between(self, begin: float, end: float) -> Recording:
        """The part from ``begin`` to ``end`` [s]; the time is kept.

        Raises
        ------
        ValueError
            If fewer than two samples are left.
        """
        chosen = self._within(begin, end)
        rates = self.angular_velocity[chosen]
        force = None if self.acceleration is None else self.acceleration[chosen]
        return replace(self, time=self.time[chosen], angular_velocity=rates, acceleration=force)

    def unbiased(self, *still: tuple[float, float]) -> Recording:
        """The recording less the bias of its gyroscope, known from intervals in which the body was still.

        Parameters
        ----------
        *still : tuple of 2 float
            Start and end of each interval [s]. Of one the mean is taken away, of several the means and what
            is linear between their middles.

        Raises
        ------
        ValueError
            If there is none, or one has fewer than two samples.
        """
        if not still:
            raise ValueError("unbiased() needs an interval [s] in which the body was still")
        chosen = [self._within(*interval) for interval in still]
        middles = np.array([self.time[at].mean() for at in chosen])
        means = np.array([self.angular_velocity[at].mean(0) for at in chosen])
        order = np.argsort(middles)
        bias = np.stack([np.interp(self.time, middles[order], column[order]) for column in means.T], -1)
        return replace(self, angular_velocity=self.angular_velocity - bias)

    def trimmed(self, margin: float = 0.5, rest: float = 0.25) -> Recording:
        """The part from shortly before the release to rest, of a recording without bias.

        Motion is an angular velocity above a fiftieth of the largest. The release is the last sample without,
        before half of the largest is reached for the first time; rest is where motion has been over for some
        time.

        Parameters
        ----------
        margin : float
            Kept before the first motion, where the `slow_start` is not longer, and of rest [s].
        rest : float
            A pause of this length is rest, a shorter one a turning point [s].

        Raises
        ------
        ValueError
            If the body is moving from the first sample on.
        """
        begin, end = self.motion(rest)
        return self.between(begin - max(margin, self.slow_start()), end + margin)

    def slow_start(self) -> float:
        """How long before the release that `motion` finds a body may have moved unseen [s].

        Near its unstable pose it starts as slowly as the hyperbolic sine of p t: what is seen, from a
        fiftieth to half of the largest rate, takes 3.2/p then, and what is not 3.7/p at a thousandth of the
        slenderness from that pose, 1.4/p at a hundredth.
        """
        speed = np.linalg.norm(self.angular_velocity, axis=1)
        return SLOW * float(self.time[np.argmax(speed >= 0.5 * speed.max())] - self.motion()[0])

    def motion(self, rest: float = 0.25) -> tuple[float, float]:
        """Times of the release and of rest [s], as `trimmed` finds them.

        Raises
        ------
        ValueError
            If the body is moving from the first sample on, or never.
        """
        speed = np.linalg.norm(self.angular_velocity, axis=1)
        if not (speed > LEAST).any():
            raise ValueError(f"{self.name}: no release in it: all rates are below {LEAST:g} rad/s")
        still = np.flatnonzero(speed <= QUIET * speed.max())
        fast = int(np.flatnonzero(speed >= 0.5 * speed.max())[0])
        before = still[still < fast]
        if not before.size:
            raise ValueError(
                f"{self.name}: no sample before the fast motion is below {QUIET * speed.max():.3g} rad/s; "
                "give a recording that starts with the body held still; --still takes out a bias"
            )
        moving = np.setdiff1d(np.arange(speed.size), still)
        moving = moving[moving > before[-1]]
        times = np.append(self.time[moving], np.inf)
        return float(self.time[before[-1]]), float(times[np.flatnonzero(np.diff(times) > rest)[0]])

    def turned(self, turn: Rotation) -> Recording:
        """The recording in axes of the body: ``turn`` takes vectors from those of the sensor to them."""
        force = None if self.acceleration is None else turn.apply(self.acceleration)
        return replace(self, angular_velocity=turn.apply(self.angular_velocity), acceleration=force)

    def clipped(self, most: float) -> Recording:
        """The recording of a gyroscope that reads at most some angular velocity [rad/s] along each axis.

        Raises
        ------
        ValueError
            If that is not positive.
        """
        Number("rad/s", above=0.0).check("most", most)
        return replace(self, angular_velocity=np.clip(self.angular_velocity, -most, most))

    def orientation(self, start: ArrayLike = (1.0, 0.0, 0.0, 0.0)) -> Array:
        """Attitude by integration of the angular velocity in axes of the body.

        Over a sample the angular velocity is taken to be linear; the turn is exact to the third power of the
        interval. What the sensor drifts stays in it: see `zero_crossing_correction`.

        Parameters
        ----------
        start : array_like (4,)
            Unit quaternion body to ground of the first sample, the real part first.

        Returns
        -------
        ndarray (n, 4)
            Unit quaternions body to ground.
        """
        w, h = self.angular_velocity, np.diff(self.time)[:, None]
        # of a linear angular velocity: its mean, and what its two ends do not commute
        turns = Rotation.from_rotvec(0.5 * h * (w[:-1] + w[1:]) + h * h / 12.0 * np.cross(w[:-1], w[1:]))
        found = Rotation.concatenate([Rotation.from_quat(np.asarray(start, float), scalar_first=True), turns])
        step = 1
        while step < len(found):  # products of all turns before each, of twice as many at every pass
            found = Rotation.concatenate([found[:step], found[:-step] * found[step:]])
            step *= 2
        return found.as_quat(scalar_first=True)

    def _within(self, begin: float, end: float) -> NDArray[np.intp]:
        chosen = np.flatnonzero((self.time >= begin) & (self.time <= end))
        if chosen.size < 2:
            raise ValueError(
                f"{self.name}: from {begin!r} to {end!r} s there are {chosen.size} samples, and two are "
                f"needed; it goes from {self.time[0]:.6g} to {self.time[-1]:.6g} s"
            )
        return chosen
