"""Tables for draws at every impact, read back with the function the kernel uses."""

import numpy as np
import pytest

from mcrock.config.distributions import DISTRIBUTIONS, OneOf
from mcrock.counter import quantile, uniforms
from mcrock.sampling import draw_inputs
from mcrock.sampling.quantiles import NODES, quantile_table

# Interpolation error over the width between the 0.1 % and 99.9 % quantiles: cubics on nodes 1/32
# of a standard deviation apart leave about (1/32)^3 of the third derivative, and more where
# quantiles bend sharply, as at the mode of a triangle.
TOLERANCE = 1e-5

SMOOTH = [
    {"distribution": "normal", "mean": 2.0, "std": 0.5},
    {"distribution": "lognormal", "median": 1.0, "dispersion": 0.8},
    {"distribution": "lognormal", "mean": 3.0, "std": 1.0},
    {"distribution": "uniform", "low": -1.0, "high": 1.0},
    {"distribution": "triangular", "low": 0.0, "mode": 0.7, "high": 1.0},
    {"distribution": "triangular", "low": 0.0, "mode": 1.0, "high": 1.0},
    {"distribution": "truncated_normal", "mean": 0.9, "std": 0.2, "low": 0.0, "high": 1.0},
    {"distribution": "beta", "alpha": 4.0, "beta": 2.0},
    {"distribution": "beta", "alpha": 0.5, "beta": 0.5, "low": -1.0},
]


def make(table):
    return OneOf("distribution", DISTRIBUTIONS).parse(table)


@pytest.mark.parametrize("table", SMOOTH, ids=lambda table: "-".join(map(str, table.values())))
def test_interpolation_gives_the_quantile_back(table):
    distribution = make(table)
    u = np.concatenate(
        [np.linspace(1e-4, 1 - 1e-4, 2001), 10.0 ** -np.arange(5, 15), 1 - 10.0 ** -np.arange(5, 12)]
    )
    nodes = quantile_table(distribution)
    assert np.isfinite(nodes).all()
    assert (np.diff(nodes) >= 0).all()
    ours = np.array([quantile(nodes, value, False) for value in u])
    width = np.ptp(distribution.quantile([0.001, 0.999]))
    # a lognormal tail grows without bound: there the error is relative to the value
    scale = np.maximum(width, np.abs(distribution.quantile(u)))
    assert (np.abs(ours - distribution.quantile(u)) / scale).max() < TOLERANCE


def test_discrete_is_looked_up():
    distribution = make({"distribution": "discrete", "values": [0.5, 1.0], "probabilities": [0.25, 0.75]})
    nodes = quantile_table(distribution)
    assert set(nodes) == {0.5, 1.0}
    u = uniforms(1, 2, 0, 4000)
    drawn = np.array([quantile(nodes, value, True) for value in u])
    assert np.mean(drawn != distribution.quantile(u)) < 2 / NODES


def test_inputs_carry_the_tables(make_study, motions):
    study = make_study(
        "impact.draw=impact",
        "impact.tau=0.3",
        "impact.lambda_lon={distribution='discrete', values=[0.5, 1]}",
    )
    inputs = draw_inputs(study, motions, 0, 4)
    assert inputs.redrawn.tolist() == [1, 0, 2, 0, 0]
    assert inputs.redrawn.dtype == np.int8
    assert inputs.quantiles.shape == (5, NODES)
    assert np.isnan(inputs.impact[:, [0, 2, 4]]).all()
    np.testing.assert_array_equal(inputs.impact[:, [1, 3]], [[0.3, 0.0]] * 4)
    assert np.isnan(inputs.values["impact_lambda"]).all()
    np.testing.assert_array_equal(inputs.quantiles[0], quantile_table(study.impact.lambda_))
