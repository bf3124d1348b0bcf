"""Whether a fit explains its test: residuals and the noise of the sensor."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcrock.measurement.comparison import AXES, Comparison

Array = NDArray[np.float64]

FEWEST = 50  # samples at rest that tell the noise of a sensor, to 6 % [1]
CHANCE = 1.1  # of that, which chance brings often [1]
OF_NORMAL = np.sqrt(8.0 / np.pi)  # mean norm of three normal components over their deviation [1]
SPREAD = np.sqrt(3.0 * np.pi / 8.0 - 1.0)  # of that norm over its mean [1]
FALSE_ALARM = 4.0  # standard deviations of a size or a correlation of white noise [1]


class Misfit(NamedTuple):
    """Size and correlation of the residuals of a fit.

    Sizes are mean norms, as in equation (28) of the source, over that of normal components.
    """

    noise: float  # of the sensor, before the release [rad/s]; NaN of few samples there or equal ones
    first_swing: float  # residuals from the release to the facet impact, over that noise [1]
    after_impact: float  # residuals after it, over that noise [1]
    excess: float  # of the larger over that noise, in standard deviations of white noise [1]
    correlation: float  # of a residual after it with the next, the mean of the axes [1]
    most_correlation: float  # that white noise would hardly exceed [1]

    @property
    def explained(self) -> bool | None:
        """Whether the model explains the test to the noise of the sensor; None if that noise is not known."""
        if not np.isfinite(self.noise):
            return None
        return self.excess <= FALSE_ALARM and self.correlation <= self.most_correlation

    @property
    def widening(self) -> float:
        """Of intervals: residuals over the noise, the larger of both parts of the motion, if chance does not
        bring them; else 1, as without a known noise [1]."""
        largest = max(self.first_swing, self.after_impact)
        return largest if largest > CHANCE else 1.0


def misfit(comparison: Comparison, x: Array) -> Misfit:
    """Misfit of the unknowns ``x`` of a comparison, of which the bias is taken away."""
    left, time = comparison.residuals(x).reshape(-1, AXES), comparison.time[comparison.kept]
    impact = float(comparison.landings.landing[0])
    rest = left[time < x[0] - comparison.sample]
    swing = left[(time > x[0]) & (time < impact - comparison.sample)]
    after = left[time > impact + comparison.sample]
    # a wrong model draws the bias off zero, which is not noise; readings that never change tell none
    noise = (_size(rest - np.median(rest, axis=0)) if len(rest) >= FEWEST else 0.0) or np.nan
    most = 3.0 * _size(after)  # a sample in which the sensor rings counts little
    near = after.clip(-most, most)
    correlations = (near[1:] * near[:-1]).sum(0) / (near * near).sum(0)
    sizes = _size(swing) / noise, _size(after) / noise
    spreads = [SPREAD * np.sqrt(1.0 / max(len(rest), 1) + 1.0 / max(len(part), 1)) for part in (swing, after)]
    return Misfit(
        noise,
        *sizes,
        max(float((size - 1.0) / spread) for size, spread in zip(sizes, spreads, strict=True)),
        float(correlations.mean()),
        FALSE_ALARM / float(np.sqrt(near.size)),
    )


def _size(residuals: Array) -> float:
    """Standard deviation of a component, by the mean norm [rad/s]."""
    return float(np.linalg.norm(residuals, axis=1).mean() / OF_NORMAL)
