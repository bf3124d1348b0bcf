"""Figures of a study's inputs and of its convergence show what was drawn and counted."""

import json

import numpy as np
import pytest

from mcrock.plots import plot_convergence, plot_inputs
from mcrock.show.style import figure_of
from mcrock.statistics import overturning_probability, size_convergence


def test_convergence_ends_at_the_probability(make_study):
    ds = make_study(records=22, per_record=6)
    ax = plot_convergence(ds)
    points = overturning_probability(ds)["probability"].values
    ends = [line.get_ydata()[-1] for line in ax.lines if len(line.get_ydata()) > 1]
    assert len(ends) == 5
    assert all(np.isclose(points, end).any() for end in ends)
    change = np.abs(size_convergence(ds)["change"]).max()
    assert f"by at most {float(change):.3f}" in " ".join(figure_of(ax).get_supxlabel().split())


@pytest.mark.parametrize("cloud", [False, True])
def test_convergence_of_few_runs_is_drawn(make_study, cloud):
    assert plot_convergence(make_study(records=1, per_record=2, cloud=cloud)).lines


def test_inputs_are_those_with_distributions(make_study):
    uniform = {"distribution": "uniform", "low": 0.0, "high": 1.0}
    discrete = {"distribution": "discrete", "values": [0.0, 0.5], "probabilities": [0.25, 0.75]}
    study = {
        "seed": 1,
        "body": {"shape": "cuboid", "width": 0.4, "depth": 0.4, "height": 1.6, "density": 2600},
        "impact": {"lambda": uniform, "lambda_lon": uniform, "lambda_lat": discrete},
        "motion": {"source": "fema_p695"},
        "intensity": {"measure": "pga", "levels": [1.0]},
        "ensemble": {"realizations": 4},
    }
    ds = make_study(records=4, per_record=50).assign_attrs(config=json.dumps(study))
    ds["impact_lambda_lat"] = ("realization", np.repeat([0.0, 0.5], [50, 150]))
    axes = figure_of(plot_inputs(ds)).axes
    assert [ax.get_title(loc="left") for ax in axes if ax.axison] == [
        r"$\lambda$ [1]",
        r"$\lambda_\mathrm{lon}$ [1]",
        r"$\lambda_\mathrm{lat}$ [1]",
    ]
    bars = np.array([[patch.get_height(), patch.get_width()] for patch in axes[0].patches])
    assert bars.prod(axis=1).sum() == pytest.approx(1.0)
    np.testing.assert_allclose(axes[2].lines[0].get_ydata(), [0.25, 0.75])
    study["impact"] = {"lambda": 0.8, "lambda_lon": 0.8, "lambda_lat": 0.0}
    with pytest.raises(ValueError, match="no number of this study has a distribution"):
        plot_inputs(ds.assign_attrs(config=json.dumps(study)))
