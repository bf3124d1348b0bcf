"""Studies whose conditions are drawn at random, so that no bias cancels at settings that were chosen."""

from typing import NamedTuple

import numpy as np
import xarray as xr
from scipy.special import ndtr, ndtri

from tests.unit.statistics.conftest import simulate_study

RECORDS = [(6, 14), (15, 34), (35, 80)]  # ranges, by which coverage is told apart
CHOICES = {  # of the levels, in medians; none was made for its coverage
    "default": lambda rng: np.array([0.4, 0.6, 0.8, 1.0, 1.2, 1.6, 2.0, 2.6, 3.2, 4.0]),
    "even": lambda rng: rng.uniform(0.3, 0.6) * np.arange(1, 9),
    "five": lambda rng: rng.uniform(0.3, 0.5) * np.array([1.0, 1.75, 3.0, 5.0, 8.0]),
    "from a tenth": lambda rng: np.exp(0.45 * ndtri(0.1)) * np.geomspace(1.0, 4.0, rng.integers(5, 10)),
    "any": lambda rng: np.sort(np.exp(rng.uniform(-1.2, 1.2, rng.integers(5, 12)))),
}


class Conditions(NamedTuple):
    """Of a study whose capacities have the median 1."""

    records: int
    per_record: int
    levels: np.ndarray
    strength: tuple[float, float]  # of a cloud: median and dispersion of its intensities
    dispersion: float
    between: float  # share of the variance between records
    kept: np.ndarray  # of the realizations
    seed: int

    def probability(self, x):
        """Of overturning at intensities."""
        return ndtr(np.log(x) / self.dispersion)

    def capacity(self, probability):
        """Intensity at which the curve has a probability."""
        return np.exp(self.dispersion * ndtri(probability))

    def study(self, factor=1.0, cloud=False) -> xr.Dataset:
        """The study, by ``factor`` (n_realization,) on its capacities; always of the same random numbers."""
        between, within = self.dispersion * np.sqrt([self.between, 1 - self.between])
        ds = simulate_study(
            self.records,
            self.per_record,
            self.levels,
            factor,
            between,
            within,
            cloud=cloud,
            strength=self.strength,
            seed=self.seed,
        )
        return ds.isel(realization=self.kept)


def draw_conditions(rng, records):
    """Number of records between two, levels (or the median and spread of a cloud), dispersion 0.3 to 0.6, 0
    to 0.95 of the variance between records, 5 to 40 realizations of which each record has lost up to half."""
    number, per_record = int(rng.integers(records[0], records[1] + 1)), int(rng.integers(5, 41))
    kept = rng.random(number * per_record) < np.tile(rng.uniform(0.5, 1, number), per_record)
    kept[:number] = True  # one of each record
    return Conditions(
        number,
        per_record,
        CHOICES[rng.choice(list(CHOICES))](rng),
        (rng.uniform(0.5, 1.5), rng.uniform(0.3, 0.9)),
        rng.uniform(0.3, 0.6),
        rng.uniform(0, 0.95),
        kept,
        int(rng.integers(2**32)),
    )


def held(interval, truth):
    """Whether intervals (bound, ...) hold the truth."""
    low, high = np.asarray(interval)
    return (low <= truth) & (truth <= high)
