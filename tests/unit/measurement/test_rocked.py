"""The mechanics of the package and its sensor against simulated tests that share nothing with it."""

import numpy as np
import pytest

import mcrock as mr
from mcrock.measurement.misfit import FreeRocking
from mcrock.measurement.recording import INSTANT, means
from tests.unit.measurement.rocked import SLIP, Block, read, rock

# [rad/s], of the root mean square and of all but 1 in 100: within a step of the package rates are taken for
# linear, where edge impacts accumulate too, and the package reads an instant as a mean over 0.02 samples
TYPICAL, MOST = 3e-5, 1e-4


@pytest.mark.parametrize(
    ("sides", "tilt", "lambdas", "slip", "mean"),
    [
        ((0.1, 0.14, 0.4), 0.2, {"lambda": 1.2, "lambda_lon": 0.8, "lambda_lat": -0.6}, 0.0, True),
        ((0.15, 0.16, 0.5), 0.22, {"lambda": 0.6, "lambda_lon": 1.1, "lambda_lat": 0.4}, 2e-4, False),
        pytest.param(
            *((0.1, 0.14, 0.4), 0.2, {"lambda": 1.2, "lambda_lon": 0.8, "lambda_lat": -0.6}, 2e-4, True),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            *((0.15, 0.16, 0.5), 0.22, {"lambda": 0.6, "lambda_lon": 1.1, "lambda_lat": 0.4}, 0.0, False),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_readings_are_those_of_an_independent_simulation(sides, tilt, lambdas, slip, mean):
    """Also of a foot that slips: 0.2 mm along x changes a quarter of the readings by more than 0.01 rad/s."""
    pieces = rock(Block(*sides), 0, tilt, *lambdas.values(), slip=slip)
    time, rates, release = read(pieces, np.random.default_rng(0), noise=0.0, bias=0.0, mean=mean)
    rocking = FreeRocking(mr.cuboid(*sides, density=2700), 0, mr.Impact())
    run = rocking(tilt, lambdas | {"slip": slip * rocking.across[0]}, pieces[-1].end)
    width = (time[1] - time[0]) * (1.0 if mean else INSTANT)
    error = np.abs(means(run.time, run.angular_velocity, time - release, width) - rates)
    assert np.sqrt((error**2).mean()) < TYPICAL
    assert np.quantile(error, 0.99) < MOST
    slips = np.abs(time - release - pieces[0].end - 0.5 * SLIP) < 0.5 * SLIP
    assert error[slips].max() < MOST
