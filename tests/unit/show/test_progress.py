"""Progress of a study: the realization that takes longer than all others together has a name."""

import re

import numpy as np
import pytest

from mcrock.dataset import build_dataset, opened
from mcrock.ensemble import Progress
from mcrock.ensemble.part import Part, Work, count_work
from mcrock.show import progress as module
from mcrock.show.progress import LONG, count_progress, format_slowest, reading_progress, writing_progress
from mcrock.statistics.runs import SLICE, cut


def test_work_is_counted_by_realization():
    """Two intensities; what was not run counts nothing."""
    values = {
        "steps": np.array([[10, 20], [5, 300], [-1, -1]]),
        "contact_solves": np.array([[0, 7], [1, 2], [-1, -1]]),
    }
    assert count_work(Part(40, 43), values) == Work(total=345, most=308, realization=41, level=1)
    cloud = {"steps": np.array([3, 9, 1])}
    assert count_work(Part(0, 3, outer=2), cloud) == Work(13, 9, 1, 0, outer=2)


def test_the_rate_is_that_since_the_first_part(monkeypatch):
    """The first one waits for the compiler."""
    now = [0.0]
    monkeypatch.setattr("mcrock.ensemble.study.perf_counter", lambda: now[0])
    progress = Progress(total_runs=80, overturned=np.zeros(2, int), began=0.0)
    for now[0], rate in ((30.0, 10 / 30), (32.0, 10 / 2)):
        progress.add(5, np.zeros(2, int))
        assert progress.rate == pytest.approx(rate)
    assert progress.seconds_left == pytest.approx(60 / 5)


@pytest.mark.parametrize("order", [1, -1])
def test_a_realization_that_takes_longer_than_all_others_is_named(order):
    progress = Progress(
        total_runs=8, overturned=np.zeros(2, int), intensities=(1.961330, 4.903325), units="m s-2"
    )
    parts = [Work(6 * LONG, 2 * LONG, 3, 0), Work(6 * LONG, 5 * LONG, 17, 1)]
    for part in parts[::order]:
        progress.add(2, np.zeros(2, int), part)
    assert format_slowest(progress) == ""  # 5 of 12
    progress.add(2, np.zeros(2, int), Work(20 * LONG, 20 * LONG, 21, 1))
    line = format_slowest(progress)
    assert "realization 21 took 62% of the work" in line
    assert "0.5 g" in line


def test_a_short_run_is_not_named():
    """The only one that moves, but in no time."""
    progress = Progress(total_runs=8, overturned=np.zeros(1, int))
    progress.add(8, np.zeros(1, int), Work(1000, 1000, 5))
    assert format_slowest(progress) == ""


def test_a_count_that_was_shown_ends_with_all(monkeypatch, capsys):
    monkeypatch.setattr(module, "monotonic", iter([0.0, 11.0, 11.0, 12.0, 13.0]).__next__)
    with count_progress("permutations") as progress:
        for done in (1, 2, 3):
            progress(done, 3)
    assert capsys.readouterr().err.splitlines() == ["1 of 3 permutations", "3 of 3 permutations"]


def test_passes_over_a_large_study_are_shown(monkeypatch, capsys):
    monkeypatch.setattr(module, "LINE_INTERVAL", 0.0)
    with reading_progress():
        assert len([*cut(10 * SLICE), *cut(3 * SLICE)]) == 13
    assert [*cut(10 * SLICE)]
    lines = capsys.readouterr().err.splitlines()
    assert [line[:9] for line in lines[::9]] == ["1 of 10 s", "10 of 10 "]


def test_what_is_written_piece_by_piece_is_shown(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(module, "LINE_INTERVAL", 0.0)
    monkeypatch.setitem(opened.AT_ONCE, "realization", 10)
    values = {"outcome": np.ones((40, 2), "i1"), "intensity": [1.0, 2.0], "record": np.zeros(40, int)}
    with writing_progress():
        opened.save_dataset(build_dataset(values, units="m s-2"), tmp_path / "s.nc")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) >= 8
    assert re.fullmatch(r"(\d+) of \1 slices of variables written", lines[-1])
    assert lines[0].startswith("1 of ")
