"""`mcrock fit`: from a CSV file to the section of a study."""

import csv
import html
import json
import tomllib

import numpy as np
import pytest

import mcrock as mr
from mcrock.commands.measurement import FitOutput, RecordingOptions, Request, SearchOptions
from mcrock.measurement import campaign, misfit
from mcrock.measurement.campaign import read_tests

BODY = '[body]\nshape = "cuboid"\nwidth = 0.1\ndepth = 0.14\nheight = 0.4\ndensity = 2700\n'
TRUTH = {"lambda": 1.2, "lambda_lon": 0.8, "lambda_lat": -0.6}
HEAD = "time [s],omega_x [deg/s],omega_y [deg/s],omega_z [deg/s]"


@pytest.fixture(autouse=True)
def quick_search(monkeypatch):
    """How well it searches is tested elsewhere."""
    monkeypatch.setattr(misfit, "POINTS", 16)
    monkeypatch.setattr(misfit, "KEPT", 2)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A test with the sensor turned by 90 deg about z and 1 deg more, and its block."""
    folder = tmp_path_factory.mktemp("test")
    block = mr.cuboid(0.1, 0.14, 0.4, density=2700)
    impact = mr.Impact(lambda_=1.2, lambda_lon=0.8, lambda_lat=-0.6)
    run = mr.simulate(block, None, impact, start=mr.Start(edge=0, tilt=0.2))
    test = mr.measurement.sensed(run, before=2.0, after=1.0, bias=(0.01, -0.02, 0.005), seed=1)
    c, s = np.cos(np.radians(91.0)), np.sin(np.radians(91.0))
    omega = test.angular_velocity @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    table = np.column_stack([test.time, np.degrees(omega)])
    np.savetxt(folder / "test.csv", table, delimiter=",", header=HEAD, comments="")
    (folder / "block.toml").write_text(BODY)
    return folder


def test_recording_becomes_a_section(mcrock, files, tmp_path):
    common = files / "test.csv", "--body", files / "block.toml", "--edge", "0", "--still", "0", "1.5"
    axes = "--axes", "y -x z"
    code, output, errors = mcrock("fit", *common, *axes, "-o", tmp_path / "fit", "--level", "0.999")
    assert (code, errors) == (0, "")
    assert "up to landing 2" in output
    assert "lambda_lon [1]" in output
    impact = tomllib.loads((tmp_path / "fit" / "impact.toml").read_text())["impact"]
    assert impact == {name: pytest.approx(value, abs=0.02) for name, value in TRUTH.items()}
    numbers = json.loads((tmp_path / "fit" / "fit.json").read_text())
    for name, value in TRUTH.items():
        low, high = numbers["estimates"][name]["interval"]
        assert low <= value <= high
    assert (tmp_path / "fit" / "fit.png").stat().st_size > 10_000


def test_a_round_body_has_a_rolling_loss(mcrock, tmp_path):
    """The sensor is turned by 90 deg on it; the section is one that a study reads."""
    drum = mr.cylinder(0.1, 0.5, density=2000)
    start = mr.Start(edge=0, tilt=0.15)
    run = mr.simulate(drum, None, mr.Impact(rolling_loss=0.12), start=start, t_end=6.0)
    test = mr.measurement.sensed(run, before=2.0, bias=(0.01, -0.02, 0.005), seed=1)
    x, y, z = np.degrees(test.angular_velocity).T
    table = np.column_stack([test.time, y, -x, z])
    np.savetxt(tmp_path / "test.csv", table, delimiter=",", header=HEAD, comments="")
    body = '[body]\nshape = "cylinder"\nradius = 0.1\nheight = 0.5\ndensity = 2000\n'
    (tmp_path / "drum.toml").write_text(body)
    common = tmp_path / "test.csv", "--body", tmp_path / "drum.toml", "--edge", "0", "--axes", "-y x z"
    code, output, errors = mcrock("fit", *common, "-o", tmp_path / "fit", "--level", "0.999")
    assert (code, errors) == (0, "")
    assert "rolling_loss [1]" in output
    assert "push [rad/s]" in output
    section = (tmp_path / "fit" / "impact.toml").read_text()
    assert set(tomllib.loads(section)["impact"]) == {"rolling_loss"}
    numbers = json.loads((tmp_path / "fit" / "fit.json").read_text())
    low, high = numbers["estimates"]["rolling_loss"]["interval"]
    assert low <= 0.12 <= high
    assert numbers["measures"]["avrf"] == pytest.approx(1.0, abs=0.05)
    (tmp_path / "drum.toml").write_text(body + section)
    code, output, errors = mcrock("measure", *common, "--json")
    assert (code, errors) == (0, "")
    found = json.loads(output)["measures"]["variables"]
    assert found["tilt_interval"]["values"][0][0] < 0.15 < found["tilt_interval"]["values"][0][1]
    code, _, errors = mcrock("fit", *common, "--free", "lambda", "-o", tmp_path / "other")
    assert code == 2
    assert "free must name parameters of lambda_lon, lambda_lat, rolling_loss, clearance" in errors
    assert not (tmp_path / "other").exists()


def test_mean_error_has_no_intervals(mcrock, files, tmp_path):
    common = files / "test.csv", "--body", files / "block.toml", "--edge", "0", "--still", "0", "1.5"
    options = "--axes", "y -x z", "--objective", "mean", "--free", "lambda_lon,lambda,lambda_lat", "--json"
    options += "--energy-gain", "allow"
    code, output, errors = mcrock("fit", *common, *options, "-o", tmp_path / "fit", "--format", "svg")
    assert (code, errors) == (0, "")
    numbers = json.loads(output)
    assert numbers["objective"] == "mean"
    for name, value in TRUTH.items():
        assert numbers["estimates"][name]["value"] == pytest.approx(value, abs=0.02)
        assert numbers["estimates"][name]["interval"] is None
    section = tomllib.loads((tmp_path / "fit" / "impact.toml").read_text())["impact"]
    assert list(section) == ["lambda_lon", "lambda", "lambda_lat", "energy_gain"]
    assert (tmp_path / "fit" / "fit.svg").exists()


def test_a_fit_is_of_the_law_of_its_body_file(files, tmp_path):
    law = '[impact]\nlaw = "own"\nown_law = "law.py:plain"\n'
    (tmp_path / "block.toml").write_text(BODY + law)
    names = {"specimen": "A", "position": "1", "repetition": "1"}
    test = campaign.TestFile(file=files / "test.csv", body=tmp_path / "block.toml", edge=0, **names)
    digests = set()
    for ratio in (0.5, 0.4):
        (tmp_path / "law.py").write_text(f"def plain(mass):\n    return {ratio}\n")
        results, search = FitOutput(output=tmp_path), SearchOptions()
        digests.add(Request(test, RecordingOptions(), search, None, results, True).digest)
    assert len(digests) == 2


def test_a_campaign_goes_on_where_a_test_is_bad(mcrock, files, tmp_path):
    """One is fitted, of two the reasons are said; what stands is kept, all of it if its body has changed."""
    (tmp_path / "bad.csv").write_text(HEAD + "\n0,0,0,0\n0.1,1,0,0\n")
    (tmp_path / "block.toml").write_text(BODY)
    table = "file,specimen,position,repetition,surface,still\n{},A,1,1,glass,0 1.5\n"
    table += "bad.csv,A,1,2,,\nnone.csv,A,1,3,,\n"
    (tmp_path / "tests.csv").write_text(table.format(files / "test.csv"))
    command = ["fit", "--table", tmp_path / "tests.csv", "--body", tmp_path / "block.toml", "--edge", "0"]
    command += ["--axes", "y -x z", "--workers", "1", "-o", tmp_path / "fits"]
    statuses = []
    for _ in range(2):
        code, output, errors = mcrock(*command, "--json")
        rows = json.loads(output)
        statuses.append([row["status"] for row in rows])
        own = read_tests(tmp_path / "fits", ["depth", "surface", "slenderness"]).iloc[0]
        assert own["surface"] == "glass"
        page = (tmp_path / "fits" / "report.html").read_text()
        assert "Test A-1-1: angles" in page
        assert "Test A-1-1: angular velocities" in page
        assert len(page) < 200_000
        sizes = [float(own[name]) for name in ("depth", "slenderness")]
        assert sizes == pytest.approx([0.14, np.arctan(0.25)])
        assert (code, "Traceback" in errors) == (0, False)
    assert statuses == [["fitted", "failed", "failed"], ["kept", "failed", "failed"]]
    assert "none.csv: cannot be read" in rows[2]["reason"]
    listed = {
        row["test"]: row for row in csv.DictReader((tmp_path / "fits" / "tests.csv").read_text().splitlines())
    }
    assert listed["A-1-3"]["reason"] == rows[2]["reason"]
    assert page.count("not fitted: ") == 2  # in the table, which has a row for each
    assert "not fitted: " + html.escape(rows[2]["reason"]) in page
    lines = mcrock(*command)[1].splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["A-1-1", "A-1-2", "A-1-3"]
    assert rows[2]["reason"] in lines[3]
    stands = {path: path.read_bytes() for path in (tmp_path / "fits").rglob("*.*")}
    (tmp_path / "block.toml").write_text(BODY.replace("2700", "2600"))
    code, output, errors = mcrock(*command)
    assert (code, output) == (2, "")
    assert "--overwrite replaces it" in errors
    assert {path: path.read_bytes() for path in (tmp_path / "fits").rglob("*.*")} == stands
    assert not (tmp_path / "fits" / "A-1-2").exists()
    with pytest.raises(ValueError, match=r"tests\.csv: no column 'surfac'; did you mean 'surface'"):
        read_tests(tmp_path / "fits", ["surfac"])
    table = read_tests(tmp_path / "fits")
    assert table["specimen"].tolist() == ["A"] * 3
    for row in table.to_dict("records"):
        assert abs(row["estimate"] - TRUTH[row["parameter"]]) < 5.0 * row["standard_error"]


@pytest.mark.parametrize(
    ("body", "change", "says"),
    [
        (BODY, ("--edge", "1"), "check the edge, the axes of the sensor"),
        (BODY, ("--axes", "x x z"), "axes must name x, y and z"),
        (BODY, ("--format", "bmp"), "--format must be one of"),
        (BODY, ("--energy-gain", "perhaps"), "Impact.energy_gain must be 'project' or 'allow'"),
        (
            BODY + "[impact]\ntau = {distribution = 'uniform', low = 0, high = 1}\n",
            (),
            "one body was measured",
        ),
        (BODY + "[impact]\nenergy_gain = ['project', 'allow']\n", (), "one body was measured"),
        (BODY + "[impact]\nlaw = 'housner_1963'\n", (), "leave law, point and faces"),
        (BODY + "[impact]\nlamda = 1\n", (), "lamda"),
        ("seed = 1\n", (), "no section [body]"),
        (
            BODY.replace("0.14", "{distribution = 'normal', mean = 0.14, std = 0.01}"),
            (),
            "one body was measured",
        ),
        (BODY.replace("depth", "dept"), (), "dept"),
        (BODY.replace("0.4", "0.9"), (), "check the body of `--body`, the edge, and the units"),
    ],
)
def test_mistakes(mcrock, files, tmp_path, body, change, says):
    (tmp_path / "body.toml").write_text(body)
    options = "--body", tmp_path / "body.toml", "--edge", "0", "--still", "0", "1.5", "--axes", "y -x z"
    code, _, errors = mcrock("fit", files / "test.csv", *options, *change, "-o", tmp_path / "fit")
    assert code == 2
    assert says in errors
    assert "Traceback" not in errors
    assert not (tmp_path / "fit").exists()
