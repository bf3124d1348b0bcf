"""Results of statistics have attributes: no name of theirs is a method of a dataset."""

import pytest
import xarray as xr

from mcrock.dataset import SCHEMA
from mcrock.statistics import (
    baselines,
    capacities,
    capacity_at,
    compare_measures,
    exceedance_probability,
    fit_fragility,
    fit_surface,
    fragility_by_choice,
    fragility_by_limit,
    fragility_by_method,
    isotonic_fragility,
    model_validity,
    outcome_shares,
    overturning_probability,
    step_check,
    undecided_runs,
)
from tests.unit.statistics.conftest import simulate_study
from tests.unit.statistics.measured import measured_study
from tests.unit.statistics.test_choices import two_laws
from tests.unit.statistics.test_sufficiency import two_measures


def of_cloud():
    ds = simulate_study(cloud=True)
    ds["im_pgv"] = ds["intensity_value"]
    return compare_measures(ds, resamples=20)


def of_checks(function):
    ds = simulate_study()
    for name in ("contact_lost", "edge_stick_infeasible", "energy_gain_impacts", "lowest_normal_force"):
        ds[name] = ds["outcome"] * 0
    return function(ds.assign(half_step_outcome=ds["outcome"]))


@pytest.mark.parametrize(
    "make",
    [
        lambda: fit_fragility(simulate_study(), resamples=20),
        lambda: capacity_at(fit_fragility(simulate_study(), resamples=20), [0.5]),
        lambda: overturning_probability(simulate_study(cloud=True)),
        lambda: exceedance_probability(simulate_study(), [0.1, 0.5]),
        lambda: fragility_by_choice(two_laws(), resamples=20),
        of_cloud,
        lambda: fit_surface(two_measures(per_record=5), ["pga", "pgv"]),
        lambda: fragility_by_limit(simulate_study(), resamples=20),
        lambda: fragility_by_method(simulate_study(), resamples=20),
        lambda: isotonic_fragility(simulate_study()),
        lambda: capacities(simulate_study()),
        lambda: outcome_shares(simulate_study()),
        lambda: undecided_runs(simulate_study()),
        lambda: of_checks(model_validity),
        lambda: of_checks(step_check),
        lambda: baselines(measured_study(overturned=lambda inputs: abs(inputs.scale) > 2)[0], resamples=20),
    ],
)
def test_every_variable_of_a_result_is_its_attribute(make):
    result = make()
    assert not {str(name) for name in result.variables} & set(dir(xr.Dataset))
    for name in result.data_vars:
        assert getattr(result, name).identical(result[name])


def test_every_variable_of_a_study_is_its_attribute():
    assert not set(SCHEMA) & set(dir(xr.Dataset))
