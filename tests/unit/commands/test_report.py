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


def test_mistakes_are_one_line_and_write_nothing(mcrock, store, tmp_path):
    page, hazard = tmp_path / "r.html", tmp_path / "h.csv"
    hazard.write_text(HAZARD.replace("pga [m/s2]", "pga"))
    for arguments, words in (
        ((store, "-o", tmp_path / "r.pdf"), "the name of a report must end in .html"),
        ((store, "-o", tmp_path / "no" / "r.html"), "does not exist"),
        (
            (store, "-o", page, "--age", 10),
            "--hazard-years, --site, --age, --target and --other go with --hazard",
        ),
        ((store, "-o", page, "--hazard", hazard), "the intensity needs a unit"),
        ((store, "-o", page, "--level", 2), "level"),
        ((store, "-o", page, "--design", "0.3m/s"), "the design motion must be a pga > 0 with its unit"),
        ((tmp_path / "none.zarr", "-o", page), "no such store or file"),
    ):
        code, output, errors = mcrock("report", *arguments)
        assert (code, output, errors.count("\n")) == (2, "", 1), errors
        assert words in errors
        assert not page.exists()


def test_missing_runs_are_left_out_when_told(mcrock, store):
    """Rules of thumb take the body from what has been run."""
    (store / "chunks" / "1.zip").unlink()
    code, output, errors = mcrock("stats", store, "--folder", store.parent, "--allow-incomplete")
    assert (code, errors) == (0, "")
    assert output.startswith("incomplete: 4 of 5 chunks")
    page = store.parent / "r.html"
    assert mcrock("report", store, "-o", page, "--folder", store.parent, "--allow-incomplete")[0] == 0
    assert "Incomplete: 4 of 5 chunks" in page.read_text(encoding="utf-8")
