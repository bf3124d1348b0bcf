"""`mcrock records`: the table, the flags, the figures, and what is refused."""

import shutil
from pathlib import Path

import pytest

RECORDS = Path(__file__).parents[1] / "excitation" / "records"


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
    assert "mm/s2, declared in the file" in lines[1]
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("check", "nothing"), "nothing: no such file or folder"),
        (
            ("check", RECORDS / "elcentro.AT2", "--unit", "gal"),
            "the unit 'gal' is given, but in this PEER AT2 file",
        ),
        (("check", RECORDS / "elcentro.AT2", "--as", "peer"), "format must be one of at2, esm"),
        (("plot", RECORDS / "elcentro.AT2", "--format", "gif"), "--format must be one of png, pdf, svg"),
        (("plot", RECORDS / "elcentro.AT2", "--only", "2"), "--only must list numbers from 1 to 1"),
    ],
)
def test_wrong_input_is_one_line(mcrock, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    code, output, errors = mcrock("records", *arguments)
    assert (code, output) == (2, "")
    assert message in errors
    assert errors.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


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
    assert "gal, given" in output
    code, output, errors = mcrock("records", "check", path)
    assert code == 2
    assert "table of numbers; give its unit to have it read" in errors
