"""`mcrock records`: the table, the flags, the figures, and what is refused."""

import shutil
import sys
from pathlib import Path

import pytest

from mcrock.commands import records
from mcrock.show import progress
from mcrock.show.records import SHORTEST_NAME, _narrow

RECORDS = Path(__file__).parents[1] / "excitation" / "records"


@pytest.fixture(autouse=True)
def no_terminal(monkeypatch):
    """Output as wide as it is and without progress, wherever and however slowly the tests run."""
    monkeypatch.setattr(progress, "LINE_INTERVAL", 1e9)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: False, raising=False)


@pytest.fixture
def folder(tmp_path):
    """Three records: three components, one component, velocity left at the end."""
    path = tmp_path / "set"
    path.mkdir()
    for name in ("elcentro.AT2", "20161113_110259_WTMC_20.V2A", "CE89146.V2"):
        shutil.copy(RECORDS / name, path)
    return path


def test_check_prints_a_line_for_each_record(mcrock, folder):
    code, output, errors = mcrock("records", "check", folder)
    assert (code, errors) == (0, "")
    lines = output.splitlines()
    heads = lines[0].split("  ")
    for head in (
        "record",
        "format",
        "comp.",
        "dt [s]",
        "PGA [g]",
        "PGD [m]",
        "Arias [m/s]",
        "D5-95 [s]",
        "unit",
    ):
        assert head in [text.strip() for text in heads]
    fields = lines[1].split()
    assert fields[5:10] == ["GeoNet", "V2A", "xyz", "0.02", "0.88"]
    assert fields[10] == "0.766"  # g, the geometric mean of 0.973 and 0.603
    assert fields[-2:] == ["mm/s2", "2"]
    assert "unit: declared in the file, or * fixed by the format, + given" in lines
    assert lines[3].split("PEER AT2")[1].split()[:3] == ["x", "0.01", "0.39"]
    assert "suspicious in 3 of 3 records:" in lines
    assert "     - one horizontal component only" in lines


def test_check_of_components(mcrock, folder):
    code, output, _ = mcrock("records", "check", folder, "--components")
    assert code == 0
    assert [line.split("GeoNet V2A")[1].split("0.02")[0].split() for line in output.splitlines()[1:4]] == [
        ["x", "N28W"],
        ["y", "S62W"],
        ["z", "Up"],
    ]


def test_damaged_files_are_told_after_the_table(mcrock, folder):
    path = folder / "CE89146.V2"
    path.write_text(path.read_text()[:5000])
    (folder / "notes.txt").write_text("nothing")
    code, output, errors = mcrock("records", "check", folder)
    assert code == 2
    assert len(output.splitlines()[0].split()) > 10
    warning, problem = errors.splitlines()
    assert warning == "mcrock: warning: 1 left out (no format that is known): notes.txt"
    assert problem.startswith(f"mcrock: {path}, line ")
    assert "truncated" in problem


def test_plot_draws_each_record_and_the_spectra_of_all(mcrock, folder, tmp_path):
    code, output, errors = mcrock("records", "plot", folder, "-o", tmp_path / "figures", "--only", "1,3")
    assert (code, errors) == (0, "")
    names = [
        "001_20161113_110256_WTMC_20.png",
        "003_IMPERIAL_VALLEY_1940_EL_CENTRO_ARRAY_9.png",
        "spectra.png",
    ]
    assert output.splitlines() == [str(tmp_path / "figures" / name) for name in names]
    assert all((tmp_path / "figures" / name).stat().st_size > 10_000 for name in names)


def test_a_single_table_with_its_unit(mcrock, tmp_path):
    path = tmp_path / "shake.csv"
    path.write_text("time,x,y\n0,0,0\n0.5,1,2\n1,0,0\n")
    code, output, _ = mcrock("records", "check", path, "--unit", "gal")
    assert code == 0
    assert output.splitlines()[1].split()[-2] == "gal+"


@pytest.mark.parametrize("components", [False, True])
@pytest.mark.parametrize("width", [80, 100, 120, 160, 200])
def test_the_table_fits_the_terminal(mcrock, monkeypatch, width, components):
    monkeypatch.setenv("COLUMNS", str(width))
    arguments = ("--components",) if components else ()
    _, output, _ = mcrock("records", "check", RECORDS, *arguments)
    table = output.partition("PGA to Tm")[0].splitlines()
    parts = 1 if width >= 160 else 2
    widest = max(len(line) for line in table)
    assert widest <= width
    assert sum(line.startswith("no.") for line in table) == parts
    rows = [line for line in table if line.split()[:1] == ["13"]]
    assert len(rows) == parts * (3 if components else 1)
    assert all(f"{name} " in " ".join(table) for name in ("PGA", "Arias", "D5-95", "unit"))


def test_text_below_the_table_fits_the_terminal(mcrock, monkeypatch, folder):
    monkeypatch.setenv("COLUMNS", "60")
    _, output, _ = mcrock("records", "check", folder)
    text = output.partition("PGA to Tm")[2].splitlines()
    assert max(map(len, text)) <= 60


def test_names_keep_apart_in_a_narrow_table():
    rows = [[str(i), f"a name that is long {i}", *["0.000123"] * 12] for i in range(3)]
    table = _narrow(rows, tuple(range(14)), 40, SHORTEST_NAME)
    assert "a name th..." in table  # no shorter than that, even where it does not fit


def test_channels_are_chosen(mcrock):
    code, output, errors = mcrock("records", "check", RECORDS / "CE36456.V2", "--channels", "1,3")
    assert (code, errors) == (0, "")
    assert output.splitlines()[1].split("CSMIP V2")[1].split()[0] == "xy"


def test_columns_are_named(mcrock, tmp_path):
    """Directions that nothing says are refused with the remedy, which works."""
    path = tmp_path / "a.txt"
    path.write_text("# taken on the ground floor\n0 1 2 3\n0.5 2 -4 5\n1 0 0 0\n")
    check = ("records", "check", path, "--unit", "gal")
    code, output, errors = mcrock(*check)
    assert (code, output, len(errors.splitlines())) == (2, "", 1)
    assert "as in time,EW,NS,UD (or with --columns of mcrock records" in errors
    code, output, errors = mcrock(*check, "--columns", "time, NS,EW,UD")
    assert (code, errors) == (0, "")
    assert output.splitlines()[1].split("table")[1].split()[0] == "xyz"
    _, output, _ = mcrock(*check, "--columns", "time,NS,EW,UD", "--components")
    assert "EW" in output.splitlines()[1]
    code, _, errors = mcrock(*check, "--columns", "time,NS")
    assert code == 2
    assert "columns = time, NS is given, 2 names for 4 columns" in errors


def test_progress_without_a_terminal_is_a_line_now_and_then(mcrock, monkeypatch, folder):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    assert mcrock("records", "check", folder)[2] == ""
    monkeypatch.setattr(progress, "LINE_INTERVAL", 0.0)
    errors = mcrock("records", "check", folder)[2].splitlines()
    assert errors == [f"{i} of 3 {what}" for what in ("files read", "records measured") for i in (1, 2, 3)]


def test_progress_on_a_terminal_is_a_bar_for_reading_and_for_measuring(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    told = []
    monkeypatch.setattr("rich.progress.Progress.add_task", lambda self, what: told.append(what) or 0)
    monkeypatch.setattr(
        "rich.progress.Progress.update", lambda self, task, completed, total: told.append((completed, total))
    )
    motions = records._scan(RECORDS / "elcentro.AT2", records.ReadOptions()).motions
    records._survey(motions)
    assert told == ["files read", (1, 1), "records measured", (1, 1)]


def test_a_set_is_chosen_written_and_read_by_a_study(mcrock, folder, tmp_path):
    target = tmp_path / "target.csv"
    target.write_text("period [s], median [g], sigma\n0.2, 0.8, 0.4\n0.5, 0.6, 0.4\n1, 0.3, 0.4\n")
    out = tmp_path / "set22"
    asked = ["--target", target, "--largest-factor", 1000, "-o", out]
    code, output, error = mcrock("records", "select", folder, *asked, "--number", 2)
    assert (code, error) == (0, "")
    assert output.startswith("2 of 3 recordings within the limits, of 3\nfrom ")
    assert "\nmedian over that of the target: " in output
    assert (out / "selection.png").exists()
    rows = (out / "selection.csv").read_text().splitlines()
    assert rows[0] == "record,event,factor"
    body = 'seed = 1\n[body]\nshape = "cuboid"\nwidth = 0.3\ndepth = 0.3\nheight = 1\ndensity = 1\n'
    study = f"{body}[ensemble]\nrealizations = 2\n"
    (out / "study.toml").write_text(study + (out / "motion.toml").read_text())
    assert mcrock("check", out / "study.toml")[0] == 0
    code, _, error = mcrock("records", "select", folder, *asked, "--number", 9)
    assert code == 2
    assert "9 recordings cannot be chosen: of 3 candidates scale factor leaves 3" in error
    assert mcrock("records", "select", folder, *asked, "--condition", 1)[0] == 2
    code, output, _ = mcrock(
        "records", "select", folder, *asked, "--number", 2, "--condition", 0.7, "--epsilon", 1
    )
    assert code == 0
    code, _, error = mcrock("records", "select", target, "--target", target, "--unit", "g", "--as", "csv")
    assert (code, "--as, --unit" in error) == (2, True)
