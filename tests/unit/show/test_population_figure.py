"""The figure of a population: rows, tests with their errors, and densities on the same scale."""

import numpy as np
import pytest

from mcrock.measurement.population import inference_data
from mcrock.measurement.predictive import MEASURES, predictive_check, predictive_density
from mcrock.plots import plot_population, save_figure
from mcrock.show.population import format_population, plot_check
from tests.unit.measurement.populations import as_fitted, posterior_of, table_of

KEYS = ("lambda", "lambda_lon", "lambda_lat")


@pytest.fixture
def population():
    table = table_of(1)
    table.loc[table["specimen"] == 8, "specimen"] = 10  # comes after 9, not after 1
    return as_fitted(posterior_of([1.4, 0.7, 0.1], [0.5, 0.2, 1.0], keys=KEYS), table)


def test_every_test_is_drawn_with_its_error(population):
    ax = plot_population(population)
    axes = ax.figure.axes
    assert len(axes) == 6
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "2", "3", "4", "5", "6", "7", "10"]
    constant, estimate = population.constant_data, population.observed_data["estimate"].values
    for left, key in zip(axes[::2], KEYS, strict=True):
        rows = (constant["parameter"] == key).values
        drawn = np.concatenate([bars.lines[0].get_ydata() for bars in left.containers])
        assert sorted(drawn) == sorted(estimate[rows])
        ends = np.concatenate(
            [segment[:, 1] for bars in left.containers for segment in bars.lines[2][0].get_segments()]
        )
        error = constant["standard_error"].values.astype(float)[rows]
        assert sorted(ends) == pytest.approx(sorted([*(estimate[rows] - error), *(estimate[rows] + error)]))
        assert all(abs(x - round(x)) < 0.36 for bars in left.containers for x in bars.lines[0].get_xdata())


def test_density_and_written_distribution_are_drawn(population):
    right = plot_population(population).figure.axes[1]
    written, x = right.lines[0].get_xydata().T
    # 80 % of a normal distribution and of the same one cut at -2.8 standard deviations
    density = predictive_density(population.posterior, "lambda", x)
    assert written[x > 0.0] == pytest.approx(density[x > 0.0] / (1.0 - 0.00256), rel=0.01)
    assert (written[x < 0.0] == 0.0).all()


def test_what_is_predicted_of_a_specimen_stands_over_it_alone(population):
    """And says that it is in the same position, whose scatter the tests do not tell."""
    population.posterior.attrs["specimen"] = "10"
    ax = plot_population(population)
    x = ax.collections[-1].get_paths()[0].vertices[:, 0]
    assert (x.min(), x.max()) == pytest.approx((6.4, 7.6))
    assert "specimen 10, a further repetition in the same position" in format_population(population)[0]


@pytest.mark.parametrize("width", [90.0, 180.0])
def test_saved_at_the_size_of_print(population, width, tmp_path):
    path = save_figure(plot_population(population, width=width), tmp_path / "population.png")
    assert path.stat().st_size > 20_000


def test_a_population_without_tests_is_named(population):
    with pytest.raises(ValueError, match="no observed_data and constant_data: there are no tests to draw"):
        plot_population(inference_data(posterior=population.posterior))


def test_an_effect_has_its_share_above_0(population):
    """Of 1 m more, and over tests at depths from 1 to 3 m."""
    effect = np.broadcast_to(np.repeat([0.2, -0.1], [450, 50])[:, None, None], (4, 500, 1, len(KEYS)))
    dims, rows = ("chain", "draw", "covariate", "parameter"), population.constant_data.sizes["row"]
    population.posterior["effect"] = dims, effect
    population.posterior.coords["covariate"] = ["depth"]
    population.posterior.coords["at"] = ("covariate", [2.0])
    population.constant_data["covariates"] = ("row", "covariate"), np.linspace(1.0, 3.0, rows)[:, None]
    lines = [line.split() for line in "\n".join(format_population(population)).splitlines()]
    assert [(line[1], line[-1]) for line in lines if line[:1] == ["depth"]] == [
        (key, "90.0%") for key in KEYS
    ]


def test_ranks_of_a_check_are_drawn_between_0_and_1():
    rng = np.random.default_rng(2)
    measured = [dict.fromkeys(MEASURES, 0.3), dict.fromkeys(MEASURES, -0.4)]
    check = predictive_check(measured, [rng.normal(size=(19, len(MEASURES))) for _ in measured], ["a", "b"])
    for ax, name in zip(plot_check(check).figure.axes[len(MEASURES) :], MEASURES, strict=True):
        assert [float(label.get_text()) for label in ax.get_xticklabels()] == ax.get_xticks().tolist()
        steps = ax.lines[1].get_xdata()
        assert steps.tolist() == [0.0, *sorted(check["rank"].sel(measure=name).values.tolist()), 1.0]
