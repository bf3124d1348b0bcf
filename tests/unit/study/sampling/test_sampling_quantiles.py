"""Tables for draws at every impact, read back with the function the kernel uses."""

import numpy as np
import pytest

from mcrock.base.params import Draw
from mcrock.base.random_numbers import quantile, uniforms
from mcrock.base.tables.distributions import DISTRIBUTIONS, OneOf
from mcrock.impact.registry import ImpactParameter
from mcrock.study import ConfigError
from mcrock.study.sampling import NODES, draw_inputs, quantile_table

# Interpolation error over the width between the 0.1 % and 99.9 % quantiles: cubics on nodes 1/32
# of a standard deviation apart leave about (1/32)^3 of the third derivative, and more where
# quantiles bend sharply, as at the mode of a triangle.
TOLERANCE = 1e-5
N_PARAMETERS = len(ImpactParameter)  # columns of the body; behind them are those of faces

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


@pytest.mark.parametrize(
    ("values", "probabilities"),
    [
        ([1.0, 0.5], [0.75, 0.25]),
        ([0.5, 0.7, 1.0], [0.0005, 0.9985, 0.001]),
        ([0.8], [1.0]),
        (np.linspace(0, 1, NODES // 2).tolist(), None),
    ],
)
def test_discrete_values_have_their_probabilities(values, probabilities):
    table = {"distribution": "discrete", "values": values}
    distribution = make(table if probabilities is None else table | {"probabilities": probabilities})
    nodes = quantile_table(distribution)
    u = np.concatenate([uniforms(1, 2, 0, 4000), np.linspace(2.0**-53, 1 - 2.0**-53, 4001)])
    drawn = np.array([quantile(nodes, value, True) for value in u])
    np.testing.assert_array_equal(drawn, distribution.quantile(u))


def test_too_many_values_for_a_table_are_refused(make_study, motions):
    values = np.linspace(0.5, 1.0, NODES // 2 + 1).round(6).tolist()
    study = make_study(
        "impact.draw=impact", f"impact.lambda_lon={{distribution='discrete', values={values}}}"
    )
    with pytest.raises(
        ConfigError, match=r"\[impact\] lambda_lon: a discrete .* may have 264 values, got 265"
    ):
        draw_inputs(study, motions, 0, 4)


def test_inputs_carry_the_tables(make_study, motions):
    study = make_study(
        "impact.draw=impact", "impact.tau=0.3", "impact.lambda_lon={distribution='discrete', values=[0.5, 1]}"
    )
    inputs = draw_inputs(study, motions, 0, 4)
    assert inputs.redrawn.tolist() == [[1, 0, 2] + [0] * (N_PARAMETERS - 3)] * 4
    assert inputs.redrawn.dtype == np.int8
    assert inputs.quantiles.shape == (N_PARAMETERS, NODES)
    assert np.isnan(inputs.impact[:, [0, 2, *range(4, N_PARAMETERS)]]).all()
    np.testing.assert_array_equal(inputs.impact[:, [1, 3]], [[0.3, 0.0]] * 4)
    assert np.isnan(inputs.values["impact_lambda"]).all()
    np.testing.assert_array_equal(inputs.quantiles[0], quantile_table(study.impact.lambda_))


def test_draw_may_be_sampled(make_study, motions):
    """Realizations of either kind: NaN where drawn at every impact, the usual draw where once per run."""
    both = draw_inputs(make_study("impact.draw=['run', 'impact']"), motions, 0, 64)
    anew = both.values["impact_draw"] == Draw.IMPACT
    assert 16 < anew.sum() < 48
    np.testing.assert_array_equal(both.redrawn[:, 0], anew)
    np.testing.assert_array_equal(np.isnan(both.impact[:, 0]), anew)
    np.testing.assert_array_equal(both.values["impact_lambda"], both.impact[:, 0])
    table = quantile_table(make_study().impact.lambda_)
    np.testing.assert_array_equal(both.quantiles[0], table)


def test_faces_have_parameters_of_their_own(make_study, motions):
    own = "impact.faces=[{face=0, lambda_lon={distribution='uniform', low=0.2, high=0.4}}]"
    inputs = draw_inputs(make_study(own), motions, 0, 8)
    assert inputs.face_parameters[0] == N_PARAMETERS
    assert set(inputs.face_parameters[1:]) <= {2}
    lon, lat = inputs.impact[:, N_PARAMETERS:].T
    assert ((lon > 0.2) & (lon < 0.4)).all()
    np.testing.assert_array_equal(lat, inputs.impact[:, 3])  # lambda_lat of the body
    anew = draw_inputs(make_study(own, "impact.draw=impact"), motions, 0, 8)
    assert anew.redrawn[0, N_PARAMETERS:].tolist() == [1, anew.redrawn[0, 3]]


def test_a_face_that_is_not_there_is_refused(make_study, motions):
    study = make_study("impact.faces=[{face=99, lambda_lon=0.5}]")
    with pytest.raises(ConfigError, match=r"faces\[0\].face: the body has the faces 0 to"):
        draw_inputs(study, motions, 0, 8)
