"""`mcrock report`."""

from tests.unit.commands.test_risk import HAZARD


def test_report_is_written(mcrock, store, tmp_path):
    (tmp_path / "h.csv").write_text(HAZARD)
    page = tmp_path / "r.html"
    code, output, errors = mcrock("report", store, "--hazard", tmp_path / "h.csv", "--age", 5000, "-o", page)
    assert (code, output) == (0, f"{page}\n"), errors
    text = page.read_text(encoding="utf-8")
    assert "Risk at the site" in text
    assert "o distribution of the rate: resamples of 2 recordings" in text
    code, _, errors = mcrock("report", store, "-o", page)
    assert (code, page.read_text(encoding="utf-8")) == (2, text)
    assert "exists already; replace it with --overwrite" in errors
    assert mcrock("report", store, "-o", page, "--overwrite")[0] == 0


def test_missing_runs_are_left_out_when_told(mcrock, store):
    """Rules of thumb take the body from what has been run."""
    (store / "chunks" / "1.zip").unlink()
    code, output, errors = mcrock("stats", store, "--folder", store.parent, "--allow-incomplete")
    assert (code, errors) == (0, "")
    assert output.startswith("incomplete: 4 of 5 chunks")
    page = store.parent / "r.html"
    assert mcrock("report", store, "-o", page, "--folder", store.parent, "--allow-incomplete")[0] == 0
    assert "Incomplete: 4 of 5 chunks" in page.read_text(encoding="utf-8")
