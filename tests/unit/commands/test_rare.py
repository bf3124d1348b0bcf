"""`mcrock rare`: small probabilities of a study file."""

import json


def test_small_probabilities_are_printed_and_drawn(mcrock, study_file, tmp_path):
    quick = "--states", "20", "--repetitions", "4", "--set", "intensity.levels_g=[0.2]"
    code, output, _ = mcrock("rare", study_file, *quick, "-o", tmp_path / "figures")
    assert code == 0
    assert "Probability of overturning by subset simulation" in output
    assert "only more recordings can" in output
    assert (tmp_path / "figures" / "rare.png").exists()
    code, output, _ = mcrock("rare", study_file, *quick, "--json")
    assert json.loads(output)["rare_probability"]["variables"]["records"]["values"] == 2
