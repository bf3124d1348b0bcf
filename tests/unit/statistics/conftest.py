"""A study with known statistics: capacities are lognormal between and within records."""

from contextlib import nullcontext

import numpy as np
import pytest
import xarray as xr
from scipy.special import ndtr, ndtri

from mcrock.base.params import Outcome
from mcrock.statistics.intervals import Bootstrap
from tests.conftest import few_resamples

PGA = {"units": "m s-2", "long_name": "peak ground acceleration"}
LEVELS = (0.5, 1.1, 1.7, 2.3, 2.9, 3.6, 4.2, 4.8, 5.4, 6.0)


def simulate_study(
    records=22,
    per_record=20,
    levels=LEVELS,
    median=3.0,
    between=0.35,
    within=0.25,
    undecided=0.0,
    cloud=False,
    strength=(1.0, 0.6),
    seed=0,
):
    """Dataset in which a run overturns if its intensity [m/s2] is above the realization's capacity.

    P(overturn | x) is exactly lognormal with this median and the dispersion hypot(between, within). In a
    cloud the intensities are lognormal, ``strength`` their median in those of the capacity, and dispersion.
    """
    rng = np.random.default_rng(seed)
    n = records * per_record
    record = np.arange(n) % records
    lon, edge = rng.uniform(0, 1, (2, n))
    z = between * rng.standard_normal(records)[record] + within * rng.standard_normal(n)
    capacity = median * np.exp(z)
    if cloud:
        x, dims = strength[0] * median * np.exp(strength[1] * rng.standard_normal(n)), ("realization",)
        ratio = x / capacity
    else:
        x, dims = np.asarray(levels, float), ("realization", "intensity")
        ratio = x / capacity[:, None]
    outcome = np.where(ratio > 1, Outcome.OVERTURNED, Outcome.AT_REST)
    outcome = np.where(rng.random(outcome.shape) < undecided, Outcome.ROCKING, outcome).astype("i1")
    tilt = np.where(ratio > 1, 5.0, np.where(ratio < 0.4, 0.0, ratio**2)).astype("f4")
    ds = xr.Dataset(
        {
            "outcome": (dims, outcome),
            "peak_tilt": (dims, (0.25 * tilt).astype("f4"), {"units": "rad"}),
            "peak_tilt_ratio": (dims, tilt, {"units": "1"}),
            "infeasible_energy_loss": (dims, np.zeros(outcome.shape, "f4")),
            "record": ("realization", record.astype("i4")),
            "motion_group": ("motion", np.arange(records, dtype="i4")),
            "impact_lambda": ("realization", edge),
            "impact_lambda_lon": ("realization", lon),
        }
    )
    if cloud:
        ds["intensity_value"] = ("realization", x, PGA)
    else:
        ds = ds.assign_coords(intensity=("intensity", x, PGA))
    return ds


def draw_events(rng, records, per_record, probability, between, samples):
    """Runs (record, sample) with an event.

    ``between`` is the part of the variance of its probit between records.
    """
    spread = np.sqrt([between, 1 - between])
    record = (ndtri(probability) + spread[0] * rng.standard_normal((records, samples))) / spread[1]
    return rng.binomial(per_record, ndtr(record))


@pytest.fixture
def make_study():
    """Function that simulates a study, see `simulate_study`."""
    return simulate_study


@pytest.fixture(autouse=True, scope="package")
def fewer():
    """Of the default, for what does not depend on their number; slow experiments have all of them."""
    default = Bootstrap().resamples
    with few_resamples(400):
        yield default


@pytest.fixture(autouse=True)
def _as_many_as_users(request, fewer):
    with few_resamples(fewer) if request.node.get_closest_marker("slow") else nullcontext():
        yield
