"""`mcrock sensitivity`: indices of their design, and inputs given the outcome of any store."""

import json


def test_inputs_given_the_outcome_of_any_store(mcrock, store, tmp_path):
    code, output, _ = mcrock("sensitivity", store, "-o", tmp_path / "figures")
    assert code == 0
    assert "Inputs of runs that overturned against those of the others" in output
    assert "Total indices" not in output
    assert (tmp_path / "figures" / "sensitivity.png").exists()


def test_a_design_of_indices_has_them_too(mcrock, study_file, tmp_path):
    design = "--set", "ensemble.design=sobol_indices", "--set", "ensemble.realizations=112"
    store = tmp_path / "indices.zarr"
    assert mcrock("run", study_file, "-o", store, *design)[0] == 0
    code, output, _ = mcrock("sensitivity", store)
    assert code == 0
    assert "Total indices: share of the variance of overturning that an input takes part in" in output
    code, output, _ = mcrock("sensitivity", store, "--json", "--permutations", "19")
    found = json.loads(output)
    assert set(found) == {"sobol_indices", "outcome_distances"}
    assert found["sobol_indices"]["variables"]["input"]["values"][-2:] == ["motion.record", "impact.draws"]
