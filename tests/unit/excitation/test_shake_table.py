"""Files of shake-table tests, and the source that reads them."""

import numpy as np
import pytest
import xarray as xr

from mcrock.excitation import MotionError
from mcrock.excitation.readers.collections import read_shake_table
from mcrock.study import load_config
from mcrock.study.sampling import draw_inputs, load_motions

LENGTHS = (40, 60, 50)
STUDY = """
seed = 1
body = { shape = "cuboid", width = 0.3, depth = 0.2, height = 0.9, density = 2600 }
[motion]
source = "shake_table"
file = "tests.nc"
azimuth_deg = { distribution = "normal", mean = -20, std = 10, epistemic = true }
polarity = { distribution = "discrete", values = [1, -1], epistemic = true }
[intensity]
measure = "factor"
levels = [1.0]
[ensemble]
design = "random"
realizations = 3
outer = 8
"""


def write_tests(path, **changes):
    rng = np.random.default_rng(4)
    ds = xr.Dataset(
        {
            "acceleration": ("sample", rng.normal(size=sum(LENGTHS)).astype("f4"), {"units": "m s-2"}),
            "start": ("test", np.cumsum([0, *LENGTHS[:-1]])),
            "length": ("test", np.array(LENGTHS)),
            "record": ("test", np.array(["RSN17_A-0", "RSN17_A-90", "KOBE"])),
            "pga_listed": ("test", np.array([1.0, 2.0, 3.0]), {"units": "m s-2"}),
            "overturned": ("test", np.array([0, 1, 1], np.int8)),
        },
        attrs={"sampling_rate_hz": 200.0},
    )
    for name, array in changes.items():
        ds = ds.drop_vars(name) if array is None else ds.assign({name: array})
    ds.to_netcdf(path)
    return ds


def test_tests_are_motions_along_x(tmp_path):
    ds = write_tests(tmp_path / "tests.nc")
    found = read_shake_table(tmp_path / "tests.nc")
    assert [motion.acceleration.shape for motion in found.motions] == [(3, n) for n in LENGTHS]
    whole = np.concatenate([motion.acceleration[0] for motion in found.motions])
    np.testing.assert_array_equal(whole, ds["acceleration"].values)
    assert not any(motion.acceleration[1:].any() for motion in found.motions)
    assert found.motions[1].dt == 0.005
    assert found.recording.tolist() == ["RSN17", "RSN17", "KOBE"]
    assert found.pga.tolist() == [np.abs(motion.acceleration).max() for motion in found.motions]
    assert list(found.measures) == ["pga_listed"]
    assert found.labels["overturned"].tolist() == [0, 1, 1]


def test_recordings_are_those_of_the_file(tmp_path):
    write_tests(tmp_path / "tests.nc", recording=("test", np.array(["A", "B", "B"])))
    assert read_shake_table(tmp_path / "tests.nc").recording.tolist() == ["A", "B", "B"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"record": None}, "no record"),
        ({"length": ("test", np.array([40, 60, 51]))}, "lies outside the 150 there are"),
        ({"start": ("test", np.array([-1, 40, 100]))}, "lies outside the 150 there are"),
        ({"acceleration": ("sample", np.ones(150), {"units": "g"})}, "expected the unit m s-2, got 'g'"),
    ],
)
def test_files_that_are_none(tmp_path, changes, message):
    write_tests(tmp_path / "tests.nc", **changes)
    with pytest.raises(MotionError, match=message):
        read_shake_table(tmp_path / "tests.nc")


def test_text_is_no_netcdf_file(tmp_path):
    (tmp_path / "tests.nc").write_text("time, x")
    with pytest.raises(MotionError, match="expected a netCDF file"):
        read_shake_table(tmp_path / "tests.nc")
    with pytest.raises(MotionError, match="no such file"):
        read_shake_table(tmp_path / "other.nc")


def test_a_study_of_all_tests_has_one_sign_and_azimuth_for_each_draw(tmp_path):
    write_tests(tmp_path / "tests.nc")
    (tmp_path / "study.toml").write_text(STUDY)
    study = load_config(tmp_path / "study.toml")
    motions = load_motions(study)
    signs, azimuths = [], []
    for outer in range(8):
        inputs = draw_inputs(study, motions, 0, 3, outer)
        assert inputs.record.tolist() == [0, 1, 2]
        assert len(np.unique(inputs.azimuth)) == len(np.unique(inputs.scale)) == 1
        signs.append(float(inputs.scale[0, 0]))
        azimuths.append(float(inputs.azimuth[0]))
    assert set(signs) == {1.0, -1.0}
    assert len(set(azimuths)) == 8


def test_signs_are_plus_or_minus_one(tmp_path):
    (tmp_path / "study.toml").write_text(STUDY.replace("[1, -1]", "[1, 0.5]"))
    with pytest.raises(ValueError, match="polarity: expected signs"):
        load_config(tmp_path / "study.toml")
