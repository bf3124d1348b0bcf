"""`mcrock compare`: designs with the same draws, and studies that are no pairs."""

import json

import pytest


@pytest.fixture
def design(mcrock, study_file, tmp_path):
    """Function that runs the small study with changes and returns its store."""

    def run(name, *changes):
        options = [option for change in changes for option in ("--set", change)]
        assert mcrock("run", study_file, "-o", tmp_path / name, *options)[0] == 0
        return tmp_path / name

    return run


def test_a_wider_base_is_compared_run_by_run(mcrock, store, design, tmp_path):
    width = '{ distribution = "truncated_normal", mean = 0.34, std = 0.02, low = 0.24, high = 0.44 }'
    stores = store, design("b.zarr", f"body.width={width}")
    code, output, _ = mcrock("compare", *stores, "-o", tmp_path / "figures")
    assert code == 0
    assert "body.width.mean: 0.3 and 0.34" in output
    assert "2 independent recordings" in output
    assert (tmp_path / "figures" / "compare.png").exists()
    code, output, _ = mcrock("compare", *stores, "--json")
    found = json.loads(output)
    assert found["differs"]["body.width.mean"] == [0.3, 0.34]
    assert found["comparison"]["variables"]["pairs"]["values"] == [40, 40, 40]


def test_friction_is_a_design_too(mcrock, store, design):
    code, output, _ = mcrock("compare", store, design("b.zarr", "contact.friction=0.4"))
    assert code == 0
    assert "contact: nothing and {" in output


def test_motions_on_a_floor_are_those_of_the_ground(mcrock, store, design):
    floor = "motion.floor={ frequency = 4.0, damping = 0.05 }"
    code, output, _ = mcrock("compare", store, design("b.zarr", floor))
    assert code == 0
    assert 'motion.floor: nothing and {"frequency": 4.0' in output


def test_an_uncertain_input_more_keeps_random_draws_and_moves_those_of_a_sobol_design(mcrock, store, design):
    more = 'body.density={ distribution = "uniform", low = 1900, high = 2100 }'
    assert mcrock("compare", store, design("b.zarr", more))[0] == 0
    sobol = "ensemble.design=sobol"
    code, output, errors = mcrock("compare", design("c.zarr", sobol), design("d.zarr", sobol, more))
    assert (code, output, errors.count("\n")) == (2, "", 1)
    assert "not shaken alike" in errors or "draw other numbers" in errors


def test_another_seed_is_no_pair(mcrock, store, design):
    code, _, errors = mcrock("compare", store, design("b.zarr", "seed=6"))
    assert code == 2
    assert "the studies have the seeds 5 and 6: give both the same" in errors
