"""Intensity measures of runs, and the hazard of other measures."""

import numpy as np
import pytest
import xarray as xr

from mcrock.excitation.measures import intensity
from mcrock.excitation.processing import floor_motion, oscillator_modes
from mcrock.statistics import (
    by_measure,
    fit_fragility,
    hazard_consistency,
    load_hazard,
    measures_of,
    overturning_probability,
    with_measures,
)
from mcrock.statistics.hazard import HazardError
from mcrock.statistics.measures import other_hazards, scaled_to, static_thresholds, weigh_runs
from mcrock.statistics.runs import study_of
from mcrock.study.sampling import load_motions
from mcrock.study.study import Study
from tests.unit.statistics.measured import measured_study

CLOUD = [
    "intensity={ measure = 'sa', period = 0.5, value_g = { distribution = 'uniform', low = 0.2, high = 1 }, "
    "variables = ['pga', 'pgv', 'arias', 'd5_95', { measure = 'sa', period = 1.0 }] }",
    "motion.scaling={ distribution = 'lognormal', median = 1.0, dispersion = 0.3 }",
]


def test_what_a_cloud_kept_is_computed_again():
    """Measures that grow with all powers of the scale, of motions that are scaled by chance too."""
    ds, _, _ = measured_study(CLOUD)
    names = ["im_pga", "im_pgv", "im_arias", "im_d5_95", "im_sa_1s"]
    asked = ["pga", "pgv", "arias", "d5_95", {"measure": "sa", "period": 1.0}]
    found = with_measures(ds.drop_vars(names), asked)
    for name in names:
        np.testing.assert_allclose(found[name], ds[name], rtol=1e-12)
        assert found[name].attrs == ds[name].attrs
    assert with_measures(ds, asked) is not None
    xr.testing.assert_identical(with_measures(ds, asked), ds)


@pytest.mark.parametrize("measure", ["pga", "uplift_ratio", "factor"])
def test_runs_at_levels_have_the_measures_of_their_scaled_motions(measure):
    size = "body.width={ distribution = 'uniform', low = 0.3, high = 0.5 }"
    intensities = f"intensity={{ measure = '{measure}', levels = [1.0, 2.5] }}"
    ds, inputs, motions = measured_study([size, intensities])
    flat = with_measures(ds, ["pgv", "arias"])
    assert flat.sizes["realization"] == ds["outcome"].size
    assert measures_of(flat) == [measure if measure != "factor" else "factor", "pgv", "arias"]
    for k in (0, 17, 43):
        motion = motions[inputs.record[k]]
        for level in (0, 1):
            factor, run = abs(inputs.scale[k, level]), flat.isel(realization=2 * k + level)
            assert float(run["im_pgv"]) == pytest.approx(factor * intensity(motion, "pgv"), rel=1e-12)
            assert float(run["im_arias"]) == pytest.approx(factor**2 * intensity(motion, "arias"), rel=1e-12)
            assert int(run["record"]) == inputs.record[k]
            assert float(run["intensity_value"]) == ds["intensity"].values[level]


def test_a_study_at_levels_is_the_same_study_as_a_cloud_of_its_runs():
    ds, _, _ = measured_study(overturned=lambda inputs: np.abs(inputs.scale) > 2.5)
    flat = with_measures(ds, ["pgv"])
    whole, parts = overturning_probability(ds), overturning_probability(flat)
    assert int(whole["overturned"].sum()) == int(parts["overturned"].sum()) > 0
    levels, runs = (fit_fragility(each, resamples=50) for each in (ds, flat))
    for name in ("median_capacity", "dispersion", "median_capacity_interval", "dispersion_interval"):
        np.testing.assert_allclose(levels[name], runs[name], rtol=1e-9)


def test_runs_under_a_floor():
    """A stiff floor moves as the ground does; a soft one does not."""
    for frequency, same in ((45.0, True), (1.0, False)):
        floor = [f"motion.floor={{ frequency = {frequency}, damping = 0.05 }}"]
        ds, _, _ = measured_study(floor)
        ground, beneath = (with_measures(ds, ["pgv"], under_body=under) for under in (False, True))
        ratio = (beneath["im_pgv"] / ground["im_pgv"]).values
        assert (np.abs(ratio - 1).max() < 0.05) == same


FLOOR = "frequency = { distribution = 'uniform', low = 1.0, high = 4.0 }, damping = 0.05"
REST = {"floor.damping": 0.05, "floor.factor": 1.0}
AT_FLOOR = "intensity={ measure = 'pfa', levels_g = [0.5, 1.5] }"


def test_levels_of_a_floor_are_those_of_its_own_motion_in_each_realization():
    """The peak of each scaled floor, by both components, is the level; the ground has another one."""
    ds, inputs, motions = measured_study([f"motion.floor={{ {FLOOR} }}", AT_FLOOR])
    flat = with_measures(ds, ["pga", "pgv"])
    assert measures_of(flat) == ["pfa", "pga", "pgv"]
    for k in (0, 17, 43):
        ground, floor = motions[int(ds["record"][k])], inputs.motions[k]
        modes = oscillator_modes(float(ds["motion_floor_frequency"][k]), 0.05, "xy")
        np.testing.assert_allclose(floor.acceleration, floor_motion(ground, modes).acceleration)
        peaks = np.abs(floor.acceleration[:2]).max(axis=1)
        assert float(ds["own_intensity"][k]) == pytest.approx(np.sqrt(peaks.prod()), rel=1e-12)
        for level in (0, 1):
            factor, run = abs(inputs.scale[k, level]), flat.isel(realization=2 * k + level)
            scaled = np.sqrt((factor * peaks).prod())
            assert scaled == pytest.approx(float(ds["intensity"][level]), rel=1e-12)
            assert float(run["im_pgv"]) == pytest.approx(factor * intensity(ground, "pgv"), rel=1e-12)
    assert ds["intensity"].attrs["long_name"] == "peak floor acceleration (geometric mean)"
    assert weigh_runs(ds, ["pga"], False).units({})["pga"].runs.sum() == 88


def test_a_floor_of_fixed_numbers_is_measured_afterwards_and_an_uncertain_one_is_not():
    ds, inputs, _ = measured_study(["motion.floor={ frequency = 2.0 }"])
    flat = with_measures(ds, ["pfa", "pfv"])
    for name in ("pfa", "pfv"):
        own = intensity(inputs.motions[5], name) * abs(inputs.scale[5])
        np.testing.assert_allclose(flat[f"im_{name}"].values.reshape(ds["outcome"].shape)[5], own, rtol=1e-12)
    at_floor, _, _ = measured_study(["motion.floor={ frequency = 2.0 }", AT_FLOOR])
    by_ground = with_measures(at_floor, ["pga"])["im_pga"].values.reshape(at_floor["outcome"].shape)
    found = static_thresholds(at_floor) / at_floor["intensity"].values[0] * by_ground[:, 0]
    np.testing.assert_allclose(found, static_thresholds(ds), rtol=1e-12)  # one motion, measured twice
    _, scaled = scaled_to(at_floor, study_of(at_floor), 2.0)
    beneath = study_of(at_floor).motion.under_body(scaled[3], {"floor.frequency": 2.0} | REST)
    assert intensity(beneath, "pfa") == pytest.approx(2.0, rel=1e-12)
    uncertain, _, _ = measured_study([f"motion.floor={{ {FLOOR} }}"])
    with pytest.raises(ValueError, match="pfa is another one in each realization of an uncertain"):
        with_measures(uncertain, ["pfa"])


def test_without_a_floor_it_is_the_motion_as_given():
    """Of records of a floor, or a spectrum of one."""
    _, by_floor, _ = measured_study([AT_FLOOR])
    _, by_ground, _ = measured_study([AT_FLOOR.replace("pfa", "pga")])
    np.testing.assert_array_equal(by_floor.scale, by_ground.scale)


def test_measures_that_cannot_be_known(make_study):
    with pytest.raises(ValueError, match="the study does not hold pgv, and its motions are not there"):
        with_measures(make_study(), ["pgv"])
    with pytest.raises(ValueError, match=r"^measures: expected 'pga', 'pgv'"):
        with_measures(make_study(), ["speed"])
    cloud = make_study(cloud=True).assign_attrs(intensity_measure="pga")
    assert by_measure(with_measures(cloud, ["pga"]), "pga") is not None


PAIR = ["intensity={ measure = 'pga', levels = [1.0, 2.5] }"]
SLOPE = 2.5


def hazard(tmp_path, name, low, high, factor=1.0):
    """Hazard ``1e-6 factor x**-SLOPE`` [1/a] of a measure in SI units."""
    rows = [f"{x!r},{1e-6 * factor * x**-SLOPE!r}" for x in np.geomspace(low, high, 12).tolist()]
    (tmp_path / "hazard.csv").write_text("\n".join([f"{name},mean", *rows]))
    return load_hazard(tmp_path / "hazard.csv")


@pytest.fixture(scope="module")
def study():
    return measured_study(PAIR)[0]


@pytest.mark.parametrize(
    ("name", "measure", "given", "power"),
    [
        ("sa_1s [m/s2]", "sa", {"period": 1.0}, 1),
        ("pgv [m/s]", "pgv", {}, 1),
        ("arias [m/s]", "arias", {}, 2),
    ],
)
def test_rates_of_power_laws(tmp_path, study, name, measure, given, power):
    """``mean((y1 / x1**p)**(k/p)) y**(-k/p)`` over the recordings, at every level that all of them reach."""
    own, other = hazard(tmp_path, "pga [m/s2]", 1e-4, 1e3), hazard(tmp_path, name, 0.05, 5.0)
    found = hazard_consistency(study, own, other)
    motions = load_motions(Study.from_json(study.attrs["config"]))
    taken = np.unique(study["record"].values, return_counts=True)[1]
    ratio = [intensity(m, measure, **given) / intensity(m, "pga") ** power for m in motions]
    y = found["level"].values
    wanted = 1e-6 * np.average(np.array(ratio) ** (SLOPE / power), weights=taken) * y ** (-SLOPE / power)
    np.testing.assert_allclose(found["recordings_rate"], wanted, rtol=1e-9)
    np.testing.assert_allclose(found["site_rate"], 1e-6 * y**-SLOPE, rtol=1e-9)
    np.testing.assert_allclose(found["ratio"], wanted / (1e-6 * y**-SLOPE), rtol=1e-9)


def test_where_the_own_hazard_ends_nothing_is_compared(tmp_path, study):
    own, other = hazard(tmp_path, "pga [m/s2]", 0.5, 5.0), hazard(tmp_path, "pgv [m/s]", 0.001, 50.0)
    known = np.isfinite(hazard_consistency(study, own, other)["ratio"].values)
    assert 0 < known.sum() < len(known)
    assert not known[0]
    assert not known[-1]


def test_what_cannot_be_compared(tmp_path, study):
    own = hazard(tmp_path, "pga [m/s2]", 0.5, 5.0)
    with pytest.raises(HazardError, match="d5_95 does not grow when a motion is scaled"):
        hazard_consistency(study, own, hazard(tmp_path, "d5_95 [s]", 1.0, 20.0))
    with pytest.raises(HazardError, match="'mmi' is of none of the measures"):
        hazard_consistency(study, own, hazard(tmp_path, "mmi [1]", 1.0, 10.0))
    with pytest.raises(ValueError, match="need a hazard of the study's own measure, pga"):
        hazard_consistency(study, hazard(tmp_path, "pgv [m/s]", 0.5, 5.0), own)
    with pytest.raises(ValueError, match="which this study has not"):
        hazard_consistency(study.drop_attrs(deep=False), own, own)


def test_every_other_measure_of_a_file_is_taken(tmp_path):
    heads = "#,,,\"kind='mean', investigation_time=50.0, imt='{}'\"\nlon,lat,depth,poe-0.05,poe-0.2\n"
    files = [tmp_path / f"{i}.csv" for i in range(3)]
    for file, imt in zip(files, ("PGA", "SA(0.5)", "PGV"), strict=True):
        file.write_text(heads.format(imt) + "15.5,38.2,0.0,0.9,0.1\n")
    found = other_hazards(files, "pga_rotd50", site="15.5,38.2")
    assert [each.attrs["measure"] for each in found] == ["sa_0p5s", "pgv"]
