"""How often the intervals of rates and of compared designs hold the truth, whatever the kind of the curve.

    python -m tests.benchmarks.curve_coverage designs STUDIES [SEED]
    python -m tests.benchmarks.curve_coverage KIND STUDIES [SEED]

The first compares designs; the second is of the rate, KIND lognormal, log-logistic or plateau.

Everything is drawn at random: levels, 10 to 60 recordings, 5 to 40 runs of each, the share of the variance
between recordings, the slope of the hazard (1.8 to 3), the dispersion, and the kind of the curve.
"""

import sys

import numpy as np
import xarray as xr
from scipy.special import expit, logit, ndtr, ndtri

from mcrock.statistics.accepted_curve import choose
from mcrock.statistics.comparison import (
    FEW,
    Pairs,
    _open_ratio,
    _paired_interval,
    _quantities,
    _ratio_interval,
    _ratio_of,
    median_of,
)
from mcrock.statistics.intervals import Bootstrap, clustered_interval
from mcrock.statistics.rates import integration_points, isotonic_bounds, lognormal_bounds, refine
from mcrock.statistics.resampling import Units
from tests.unit.statistics.conditions import CHOICES, held

KINDS = ("lognormal", "log-logistic", "plateau")
INTENSITY = np.geomspace(0.02, 10, 28)  # of the hazard, in medians
FINE = np.geomspace(0.02, 10, 2001)


class Truth:
    """What is true of a study whose median capacity, of those that ever overturn, is 1."""

    def __init__(self, rng, kind):
        self.kind, self.levels = kind, CHOICES[rng.choice(list(CHOICES))](rng)
        self.records = int(np.exp(rng.uniform(np.log(10), np.log(61))))
        self.per_record, self.between = int(rng.integers(5, 41)), rng.uniform(0, 0.95)
        self.slope, self.dispersion = rng.uniform(1.8, 3), rng.uniform(0.3, 0.6 if kind == KINDS[0] else 0.5)
        self.share = rng.uniform(0.5, 0.95) if kind == "plateau" else 1.0
        self.hazard = INTENSITY, 1e-3 * INTENSITY**-self.slope

    def scores(self, rng):
        """Standard normal numbers (record, run) that the runs of a record share in part."""
        own, other = np.sqrt([self.between, 1 - self.between])
        alone = rng.standard_normal((self.records, self.per_record))
        return own * rng.standard_normal((self.records, 1)) + other * alone

    def capacities(self, z):
        """ln(capacity) of standard normal numbers."""
        scale = self.dispersion * np.sqrt(3) / np.pi
        return scale * logit(ndtr(z)) if self.kind == "log-logistic" else self.dispersion * z

    def curve(self, x, ratio=1.0, wide=0.0):
        """Probability of those that ever overturn, their capacities by a lognormal factor."""
        off = np.log(x / ratio)[:, None] - wide * ndtri((np.arange(200) + 0.5) / 200)
        if self.kind == "log-logistic":
            return expit(off / (self.dispersion * np.sqrt(3) / np.pi)).mean(axis=1)
        return ndtr(np.log(x / ratio) / np.hypot(self.dispersion, wide))

    def counted(self, capacities):
        """Overturned runs (record, level)."""
        return (self.levels[:, None] > np.exp(capacities)[:, None]).sum(axis=-1).astype(float)

    def rate(self, curve):
        """Annual rate of a curve over `FINE` [1/a]."""
        return ((curve[1:] + curve[:-1]) / 2 * -np.diff(1e-3 * FINE**-self.slope)).sum()


def of_designs(rng):
    """Whether the differences at all levels, and the ratio of rates by the fractions, hold the truth; the
    upper end of the ratio over the lower; and both of the ratio of medians by the fractions, NaN where it has
    no interval."""
    truth = Truth(rng, rng.choice(KINDS))
    ratio, (change, own) = rng.uniform(0.8, 1.3), rng.uniform(0, 0.2, 2)
    shares = rng.uniform(0.5, 0.95, 2) if truth.kind == "plateau" else np.ones(2)
    z, alike, shape = truth.scores(rng), ndtr(truth.scores(rng)), (truth.records, truth.per_record)
    moved = (
        np.log(ratio) + change * rng.standard_normal((truth.records, 1)) + own * rng.standard_normal(shape)
    )
    first, second = (
        truth.counted(np.where(alike > share, np.inf, truth.capacities(z) + move))
        for share, move in zip(shares, (0.0, moved), strict=True)
    )
    runs = np.full_like(first, float(truth.per_record))
    pairs = Pairs(runs, np.stack([first] * 3), np.stack([second] * 3), runs[0], runs[0])
    if (first != second).any(axis=1).sum() < FEW:
        return of_designs(rng)
    moves = (1.0, 0.0), (ratio, np.hypot(change, own))
    curves = [
        [share * truth.curve(x, *move) for share, move in zip(shares, moves, strict=True)]
        for x in (truth.levels, FINE)
    ]
    between = held(_paired_interval(pairs, 0.95), curves[0][1] - curves[0][0]).all()
    ends = _ratio_interval(truth.levels, pairs, _open_ratio(*truth.hazard), 0.95)
    half = _ratio_of(_quantities("stripes", [0.0, 0.0], truth.records, median_of))
    middle = _ratio_interval(truth.levels, pairs, half, 0.95, 299)
    medians = [np.exp(np.interp(0.5, curve, np.log(FINE), right=np.inf)) for curve in curves[1]]
    inside = held(middle, medians[1] / medians[0]) if np.isfinite(middle).all() else np.nan
    first, second = map(truth.rate, curves[1])
    return between, held(ends, second / first), ends[1] / ends[0], inside, middle[1] / middle[0]


def of_rates(rng, kind):
    """ln of the true rate, the bounds of that of the accepted curve and of the lognormal one alone, and the
    accepted family."""
    truth = Truth(rng, kind)
    alike = ndtr(truth.scores(rng)) > truth.share
    yes = truth.counted(np.where(alike, np.inf, truth.capacities(truth.scores(rng))))
    runs = np.full_like(yes, float(truth.per_record))
    units = Units(truth.levels, runs, np.stack([yes] * 3), np.ones(truth.records, int))
    how = Bootstrap(resamples=299, seed=int(rng.integers(2**32)))
    choice = choose(xr.Dataset({"record": 0}), units, how)
    alone = lognormal_bounds(units, how, [truth.hazard])[:, 0]
    if choice.family == "lognormal":
        ends = lognormal_bounds(units, how, [truth.hazard], choice.shares)[:, 0]
    else:
        points = {"interval": (("bound", "intensity"), np.stack(clustered_interval(yes, runs)))}
        table = refine(*truth.hazard, integration_points(truth.levels))
        found = xr.Dataset(points, coords={"intensity": truth.levels})
        ends = isotonic_bounds(units, how, [table], found)[:, 0]
    rate = truth.rate(truth.share * truth.curve(FINE))
    with np.errstate(divide="ignore"):
        return np.log(rate), *np.log(ends), *np.log(alone), choice.family


def rates(kind, studies, rng):
    """Print how often the interval of the rate holds the truth, and its width."""
    rows = [of_rates(rng, kind) for _ in range(studies)]
    true, low, high, least, most = np.array([row[:5] for row in rows]).T
    by = np.array([row[5] == "lognormal" for row in rows])
    for words, start, end in (("accepted", low, high), ("lognormal alone", least, most)):
        under, over = (true > end).mean(), (true < start).mean()
        print(
            f"{kind}, {words}: held {1 - under - over:.3f}, too low {under:.3f}, too high {over:.3f}",
            end="; ",
        )
    width = ((high - low) / (most - least))[by]
    print(f"lognormal accepted in {by.mean():.3f}, then wider by {np.median(width):.3f} {width.mean():.3f}")


def main(what: str, studies: str, seed: str = "0") -> None:
    rng = np.random.default_rng(int(seed))
    if what in KINDS:
        rates(what, int(studies), rng)
        return
    found = np.array([of_designs(rng) for _ in range(int(studies))], float)
    print(f"{studies} pairs of designs, 95 % intervals:")
    print(f"differences at all levels held in {found[:, 0].mean():.3f}")
    print(f"ratio of rates by the fractions held in {found[:, 1].mean():.3f}", end="")
    print(f", the upper end {np.median(found[:, 2]):.2f} times the lower")
    known = found[np.isfinite(found[:, 3])]
    print(f"ratio of medians by the fractions, known in {len(known) / len(found):.3f}, held in", end="")
    print(f" {known[:, 3].mean():.3f}, the upper end {np.median(known[:, 4]):.2f} times the lower")


if __name__ == "__main__":
    main(*sys.argv[1:])
