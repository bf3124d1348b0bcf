"""`mcrock check`: size and time of a study."""

import re


def test_check_says_size_and_time(mcrock, study_file):
    code, output, _ = mcrock("check", study_file)
    assert code == 0
    assert "40 realizations x 3 intensities = 120 runs" in output
    assert re.search(
        r"\n(about .*|less than 1 s) on the \d+ cores of this machine, .* ms per run, mean of \d+ runs",
        output,
    )


def test_check_finds_responses_that_are_not_there(mcrock, study_file):
    code, _, errors = mcrock("check", study_file, "--set", 'ensemble.responses=["math:nothing"]')
    assert code == 2
    assert f"response 'math:nothing': there is no file {study_file.with_name('math.py')}, and no" in errors
