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
