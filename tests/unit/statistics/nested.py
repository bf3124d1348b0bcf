"""Nested studies with known statistics."""

import numpy as np
import xarray as xr
from scipy.special import ndtri
from scipy.stats import multivariate_normal

from mcrock.base.params import Outcome
from mcrock.statistics.probability import Crossed

PGA = {"units": "m s-2", "long_name": "peak ground acceleration"}
# parts of the variance of a standard normal score: draw, record, realization, draw x record, draw x
# realization
PARTS = (0.05, 0.45, 0.15, 0.05, 0.3)


def draw_scores(rng, draws, records, per_record, parts=PARTS):
    """Standard normal scores (n_outer, n_record, n_realization) with these parts of their variance."""
    shapes = [(draws, 1, 1), (1, records, 1), (1, records, per_record), (draws, records, 1)]
    shapes.append((draws, records, per_record))
    return sum(np.sqrt(part) * rng.standard_normal(shape) for part, shape in zip(parts, shapes, strict=True))


def true_components(probability, parts=PARTS):
    """Components of `mcrock.statistics.epistemic` of scores above their quantile, from bivariate normals."""
    z = ndtri(probability)

    def both(correlation):
        return float(multivariate_normal.cdf([z, z], cov=[[1, correlation], [correlation, 1]]))

    draw, record, realization, of_record, _ = parts
    q, e = probability, probability**2
    a, b = both(record + realization), both(draw + record + of_record)
    c, d = both(record), both(draw)
    return np.array([d - e, c - e, a - c, b - c - d + e, q - a - b + c, q - e])


def crossed_of(yes, starts=None):
    """Outcomes (n_outer, n_record, n_realization), or (n_outer, n_realization) with the starts of records."""
    if starts is None:
        starts = np.arange(yes.shape[1]) * yes.shape[2]
        yes = yes.reshape(len(yes), -1)
    doubled = (2 * np.asarray(yes)[..., None]).astype(np.uint8)
    return Crossed(np.stack([doubled] * 3), np.asarray(starts), True)


def nested_study(
    draws=12,
    records=10,
    per_record=6,
    levels=(1.0, 2.0, 3.0, 4.5, 7.0),
    unknown=0.1,
    between=0.3,
    within=0.2,
    seed=0,
):
    """Dataset in which a run overturns beyond the capacity: 3 m/s2 times lognormal factors of its draw, of
    its record and of the run, with these standard deviations of their logarithms."""
    rng = np.random.default_rng(seed)
    n = records * per_record
    record = np.arange(n) % records
    theta = rng.standard_normal(draws)
    z = unknown * theta[:, None] + between * rng.standard_normal(records)[record]
    capacity = 3.0 * np.exp(z + within * rng.standard_normal((draws, n)))
    fell = np.asarray(levels) > capacity[..., None]
    dims = ("outer", "realization")
    outcome = np.where(fell, Outcome.OVERTURNED, Outcome.AT_REST).astype("i1")
    return xr.Dataset(
        {
            "outcome": ((*dims, "intensity"), outcome),
            "record": (dims, np.broadcast_to(record, (draws, n)).astype("i4")),
            "azimuth": (dims, np.broadcast_to(rng.uniform(0, 6, n), (draws, n))),
            "impact_lambda": (dims, np.repeat(theta[:, None], n, axis=1), {"units": "1"}),
            "motion_group": ("motion", np.arange(records, dtype="i4")),
        },
        coords={"intensity": ("intensity", np.asarray(levels, float), PGA)},
    )
