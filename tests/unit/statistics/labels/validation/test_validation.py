"""Shake-table tests of a body that is known here: geometry, study and the command `mcrock validate`."""

import json
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

from mcrock.base.params import Outcome
from mcrock.base.tables.parsing import ConfigError
from mcrock.dataset import load_dataset
from mcrock.statistics.validation import DEFAULT, is_set_aside, read_geometry, validation_study

RECORDINGS = ("A", "B", "C", "D", "E", "F", "G", "H")
LEVELS = (1.0, 2.0, 3.5, 6.0)


def geometry(**changes):
    """Text of a block of 0.3 m x 0.3 m x 0.9 m with a base that is curved a little."""
    x, y = (a.ravel() for a in np.meshgrid(np.linspace(-0.15, 0.15, 4), np.linspace(-0.15, 0.15, 4)))
    points = np.column_stack([x, y, -0.45 + 0.1 * (x**2 + y**2)])
    data = {
        "specimen": "block",
        "underside_contact_points": points.tolist(),
        "top_height_above_base": 0.9,
        "mass": 100.0,
        "inertia_com": [[7.5, 0, 0], [0, 7.5, 0], [0, 0, 1.5]],
        "weak_direction": {"azimuth_deg": 45.0},
        "uncertainty": {"com_horizontal_sd": 0.005, "com_height_sd": 0.004},
    }
    return json.dumps({key: value for key, value in (data | changes).items() if value is not None})


def write_geometry(path, **changes):
    path.write_text(geometry(**changes))
    return path


def write_motions(path):
    """Pulses of eight periods at four strengths; what is strong and slow overturned."""
    rng = np.random.default_rng(2)
    pieces, records, fallen = [], [], []
    for k, name in enumerate(RECORDINGS):
        period = 0.3 + 0.15 * k
        for level in LEVELS:
            t = np.arange(0.0, 2.0 * period, 0.005)
            pieces.append(level * np.sin(2 * np.pi * t / period) * np.sin(np.pi * t / t[-1]))
            records.append(name)
            fallen.append(int(level * period + 0.2 * rng.normal() > 2.5))
    lengths = np.array([len(piece) for piece in pieces])
    ds = xr.Dataset(
        {
            "acceleration": ("sample", np.concatenate(pieces), {"units": "m s-2"}),
            "start": ("test", np.cumsum(lengths) - lengths),
            "length": ("test", lengths),
            "record": ("test", np.array(records)),
            "overturned": ("test", np.array(fallen, np.int8)),
        },
        attrs={"sampling_rate_hz": 200.0},
    )
    ds.to_netcdf(path)
    return path


@pytest.fixture
def files(tmp_path):
    return write_motions(tmp_path / "tests.nc"), write_geometry(tmp_path / "block.json")


def test_geometry_has_a_top_over_its_underside(files):
    body = read_geometry(files[1])
    assert (body.name, body.mass, body.azimuth_deg) == ("block", 100.0, 45.0)
    assert body.com_sd.tolist() == [0.005, 0.005, 0.004]
    lid = body.vertices()[len(body.points) :]
    np.testing.assert_allclose(lid[:, 2], body.points[:, 2].min() + 0.9)
    assert np.abs(lid[:, :2]).max() < 0.15


def test_the_support_ends_inside_the_border_of_the_scan(files):
    body = read_geometry(files[1])
    inside = body.vertices(0.06)[: len(body.points)]
    np.testing.assert_array_equal(inside[:, 2], body.points[:, 2])
    reach, before = (np.linalg.norm(points[:, :2], axis=1) for points in (inside, body.points))
    np.testing.assert_allclose(reach, before - 0.06, atol=1e-9)
    np.testing.assert_allclose(inside[:, :2] / reach[:, None], body.points[:, :2] / before[:, None])
    assert np.abs(body.vertices(0.08)[5, :2]).max() < 1e-9  # 0.071 m from the axis: no further than the axis
    far = validation_study(files[0], [0], body, replace(DEFAULT, inset=0.06))
    assert far.body.vertices[0][0] == pytest.approx(-0.15 + 0.06 / 2**0.5)
    for wrong in (-0.001, 0.2, np.nan):
        with pytest.raises(ValueError, match=r"inset must be from 0 to below 0\.\d+ m"):
            body.vertices(wrong)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mass": None}, r"missing key 'mass' \[kg\]"),
        ({"mass": -3.0}, "expected mass > 0 kg"),
        ({"mass": 10**400}, "expected JSON, an integer of more than 308 digits"),
        ({"inertia_com": [[1, 2], [3, 4]]}, r"inertia_com: expected an array \(3, 3\)"),
        ({"underside_contact_points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}, "enclose no volume"),
        ({"top_height_above_base": 0.2}, "centre of mass, the origin of the points"),
        ({"uncertainty": 5}, "uncertainty: expected an object, got 5"),
        ({"weak_direction": [45.0]}, "weak_direction: expected an object"),
        (
            {"uncertainty": {"com_height_sd": -0.01}},
            "com_height_sd: expected a number of at least 0, got -0.01",
        ),
        ({"uncertainty": {"com_height_sd": 1.5}}, "com_height_sd: .* half of the body, 0.45 m, got 1.5 m"),
        ({"inertia_com": [[-7.5, 0, 0], [0, 7.5, 0], [0, 0, 1.5]]}, "principal moments > 0 kg m2"),
        ({"inertia_com": [[7.5, 0, 0], [0, 7.5, 0], [0, 0, 16.0]]}, "none above the sum of the others"),
    ],
)
def test_geometries_that_are_none(tmp_path, changes, message):
    with pytest.raises(ConfigError, match=message):
        read_geometry(write_geometry(tmp_path / "wrong.json", **changes))


def test_text_is_no_geometry(tmp_path):
    (tmp_path / "wrong.json").write_text("mass = 3")
    with pytest.raises(ConfigError, match="expected JSON"):
        read_geometry(tmp_path / "wrong.json")


def test_every_draw_meets_every_test(files):
    body = read_geometry(files[1])
    study = validation_study(files[0], [0, 5, 9], body)
    assert (study.n_realizations, study.n_outer, study.n_runs) == (3, DEFAULT.draws, 3 * DEFAULT.draws)
    assert study.motion.listed_records == (0, 5, 9)
    assert set(study.epistemic) >= {
        "body.com[0]", "ground.slope_x_deg", "motion.azimuth", "motion.polarity"
    }  # fmt: skip
    assert study.motion.rotation[0].mean == 45.0
    assert validation_study(files[0], [0], body, azimuth_deg=10.0).motion.rotation[0].mean == 10.0


def test_the_command_scores_runs_and_takes_them_up_again(files, mcrock, tmp_path):
    out = tmp_path / "out"
    options = ("--geometry", files[1], "--labels", "overturned", "-o", out, "--draws", "12")
    code, text, errors = mcrock("validate", files[0], *options)
    assert code == 0, errors
    assert "32 tests of 8 recordings" in text
    assert (out / "validation.png").exists()
    with xr.open_dataset(out / "scores.nc") as found:
        brier = found["value"].sel(score="brier")
        assert float(brier.sel(predictor="mcrock")) < float(brier.sel(predictor="constant"))
        said = (load_dataset(out / "runs.zarr")["outcome"].values[..., 0] == Outcome.OVERTURNED).mean(axis=0)
        np.testing.assert_allclose(found["probability"].sel(predictor="mcrock"), said)
    again = (*options, "--calibrate", "--json", "--part", "tuning", "--rules", files[0])
    code, text, errors = mcrock("validate", files[0], *again)
    assert code == 0, errors
    table = json.loads(text)
    assert table["part"] == "tuning"
    assert "mcrock, calibrated" in text
    assert "PGV probit, fitted elsewhere" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--labels", "fell"), "no variable 'fell' of 0 and 1 for each test; such are: overturned"),
        (("--labels", "overturned", "--part", "some"), "--part must be one of all, tuning, aside"),
        (("--labels", "overturned", "--draws", "1"), "outer"),
    ],
)
def test_mistakes_are_one_line(files, mcrock, tmp_path, options, message):
    code, text, errors = mcrock("validate", files[0], "--geometry", files[1], *options, "-o", tmp_path / "o")
    assert (code, text) == (2, "")
    assert message in errors
    assert "Traceback" not in errors


def test_the_part_set_aside_is_a_quarter_of_the_recordings():
    assert is_set_aside(RECORDINGS).sum() == 2
