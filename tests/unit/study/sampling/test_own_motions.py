"""Motions that belong to a realization: the same in every slice, as drawn, scaled and put on floors."""

import numpy as np
import pytest

from mcrock.base.params import PulseShape
from mcrock.ensemble import run_study
from mcrock.ensemble.opening import prepare_job
from mcrock.excitation import Motion, fema_p695
from mcrock.excitation.measures import intensity
from mcrock.excitation.processing import isolator_displacement
from mcrock.excitation.pulses import make_pulse, sample_pulse
from mcrock.excitation.response_spectra import response_spectrum
from mcrock.excitation.spectrum_compatible import ac156, rg_1_60
from mcrock.show.describe import describe
from mcrock.study import ConfigError, load_config
from mcrock.study.sampling import check_inputs, draw_inputs, load_motions

BODY = """
seed = 4
body = { shape = "cuboid", width = 0.3, depth = 0.3, height = 1.0, density = 2000 }
[ensemble]
realizations = 24
[intensity]
measure = "pga"
levels = [1.0, 3.0]
[motion]
"""
PULSE = """
source = "pulse"
shape = ["one-sine", "ricker-antisymmetric", "mavroeidis-papageorgiou"]
period = { distribution = "lognormal", median = 0.8, dispersion = 0.3 }
ratio_z = 0.5
"""
SYNTHETIC = """
source = "synthetic"
arias = { distribution = "lognormal", median = 1.0, dispersion = 0.4 }
duration = 6
middle = 4
frequency = { distribution = "uniform", low = 2, high = 5 }
"""
SPECTRUM = """
source = "spectrum"
ground = ["A", "D"]
components = 1
rise = 1
level = 5
decay = 2
"""
STANDARD = 'source = "spectrum"\nstandard = "rg_1_60"\n'


@pytest.fixture
def make(tmp_path):
    """A study with some motions, and overrides."""

    def load(motion, *overrides):
        path = tmp_path / "study.toml"
        path.write_text(BODY + motion)
        return load_config(path, list(overrides))

    return load


def drawn(study, start=0, stop=None):
    return draw_inputs(study, load_motions(study), start, stop or study.n_realizations)


@pytest.mark.parametrize("motion", [PULSE, SYNTHETIC])
@pytest.mark.parametrize("measure", ["pga", "pgv"])
def test_motions_are_brought_to_the_levels(make, motion, measure):
    inputs = drawn(make(motion, f"intensity.measure={measure}"))
    for own, scale in zip(inputs.motions[:6], inputs.scale[:6], strict=True):
        assert intensity(own.scaled(scale[1]), measure) == pytest.approx(3.0, rel=1e-9)


def test_levels_of_the_factor_are_the_factors(make):
    scale = drawn(make(PULSE, "intensity.measure=factor")).scale
    np.testing.assert_array_equal(scale, [[1.0, 3.0]] * 24)


def test_a_pulse_has_the_shape_and_period_that_were_drawn(make):
    inputs = drawn(make(PULSE))
    shapes, periods = inputs.values["motion_shape"], inputs.values["motion_period"]
    assert set(shapes) == {
        PulseShape.ONE_SINE,
        PulseShape.RICKER_ANTISYMMETRIC,
        PulseShape.MAVROEIDIS_PAPAGEORGIOU,
    }
    for i in range(6):
        name = PulseShape(shapes[i]).name.lower().replace("_", "-")
        pulse = sample_pulse(make_pulse(name, period=periods[i], peak=1.0))
        np.testing.assert_array_equal(inputs.motions[i].acceleration[0], pulse.acceleration[0])
        np.testing.assert_array_equal(inputs.motions[i].acceleration[2], 0.5 * pulse.acceleration[0])
    assert "record" not in inputs.values


def test_a_pulse_may_be_another_one_along_each_axis(make):
    """A velocity pulse across the fault, and a step along it that comes earlier."""
    along = """
[motion.y]
ratio = { distribution = "uniform", low = 0.3, high = 0.6 }
shape = "ricker-symmetric"
period = 0.5
delay = { distribution = "uniform", low = -0.4, high = 0.4 }
[motion.z]
ratio = 0.2
delay = 0.1
"""
    inputs = drawn(make(PULSE.replace("ratio_z = 0.5", along)))
    values = inputs.values
    for i in range(8):
        x, y, z = inputs.motions[i].acceleration
        name = PulseShape(values["motion_shape"][i]).name.lower().replace("_", "-")
        period, delay = values["motion_period"][i], values["motion_y_delay"][i]
        begin = max(0.0, -delay)
        dt = inputs.motions[i].dt
        assert dt == pytest.approx(min(period, 0.5) / 250, rel=0.2)
        expected = [
            sample_pulse(make_pulse(name, period=period, peak=1.0, start=begin), dt),
            sample_pulse(
                make_pulse(
                    "ricker-symmetric", period=0.5, peak=values["motion_y_ratio"][i], start=begin + delay
                ),
                dt,
            ),
            sample_pulse(make_pulse(name, period=period, peak=0.2, start=begin + 0.1), dt),
        ]
        for component, pulse in zip((x, y, z), expected, strict=True):
            n = pulse.acceleration.shape[1]
            np.testing.assert_allclose(component[:n], pulse.acceleration[0], atol=1e-12)
            np.testing.assert_allclose(component[n:], 0.0, atol=1e-15)
    with pytest.raises(ConfigError, match=r"ratio_z: the table 'z' has a ratio of its own"):
        make(PULSE + along)


def test_a_component_that_a_turn_left_of_none_is_none(make, tmp_path):
    """Rounding leaves 1e-16 of the other component, by which nothing may be scaled."""
    (tmp_path / "r.csv").write_text("0\n2\n-1\n0\n")
    files = 'source = "csv"\nfiles = ["r.csv"]\nunit = "m/s2"\ndt = 0.1\n'
    for angle in (0, 90, 180, 270):
        turned = make(files, f"motion.processing=[{{step='rotate', azimuth_deg={angle}}}]")
        assert drawn(turned).scale[0, 0] == pytest.approx(0.5)


def test_motions_are_measured_as_processed(make, tmp_path):
    """A vertical record put to use along x, and one whose only component is taken away."""
    (tmp_path / "r.csv").write_text("x,y,z\n0,0,0\n0,0,4\n0,0,0\n")
    files = 'source = "csv"\nfiles = ["r.csv"]\nunit = "m/s2"\ndt = 0.1\n'
    study = make(files, "motion.processing=[{step='assign', x='z', y='none', z='none'}]")
    assert drawn(study).scale[0, 0] == pytest.approx(0.25)
    with pytest.raises(
        ConfigError, match=r"study\.toml \[motion\]: motion 'r' has no horizontal acceleration"
    ):
        load_motions(make(files, "motion.processing=[{step='reverse'}]"))


def test_the_frequency_of_a_pulse_is_that_of_its_period(make):
    cloud = ("intensity.value=2.0", "intensity.variables=['frequency_ratio']")
    values = drawn(make(PULSE, *cloud)).values
    expected = 2 * np.pi / (values["motion_period"] * values["body_frequency"])
    np.testing.assert_allclose(values["im_frequency_ratio"], expected, rtol=1e-12)


def test_the_result_says_what_was_done_and_how_strong_motions_were(make, tmp_path):
    ds = run_study(make(PULSE, "motion.vertical=false", "motion.floor.frequency=3"), tmp_path / "p.zarr")
    assert ds["motion_history"].item() == (
        "pulses, one for each realization; vertical off; response of an oscillator"
    )
    own = [intensity(Motion(m.acceleration, m.dt, "m"), "pga") for m in drawn(make(PULSE)).motions]
    np.testing.assert_allclose(ds["own_intensity"], own, rtol=1e-12)
    (tmp_path / "r.csv").write_text("x,y,z\n0,0,0\n1,2,3\n0,0,0\n")
    files = 'source = "csv"\nfiles = ["r.csv"]\nunit = "m/s2"\ndt = 0.1\n'
    options = (
        "motion.vertical=false",
        "intensity.measure=velocity_ratio",
        "motion.processing=[{step='reverse'}]",
    )
    ds = run_study(make(files, *options), tmp_path / "r.zarr")
    assert ds["motion_history"].item() == "sign of xyz reversed; vertical off"
    assert ds["motion_intensity"].attrs["units"] == "m s-1"
    assert ds["motion_intensity"].item() == pytest.approx(0.1 * 2**0.5)


def test_the_seed_changes_the_noise_and_nothing_else_does(make):
    one, other = drawn(make(SYNTHETIC)), drawn(make(SYNTHETIC, "seed=5"))
    assert not np.array_equal(one.motions[0].acceleration, other.motions[0].acceleration)
    body = drawn(make(SYNTHETIC, "body.width=0.35"))
    np.testing.assert_array_equal(one.motions[0].acceleration, body.motions[0].acceleration)


def test_a_study_of_own_motions_does_not_depend_on_its_parts(make, tmp_path):
    study = make(PULSE)
    whole = run_study(study, tmp_path / "a.zarr", workers=1)
    parts = run_study(study, tmp_path / "b.zarr", workers=2, part_size=1)
    assert whole.drop_attrs().equals(parts.drop_attrs())


def test_a_cloud_keeps_intensities_of_its_own_motions(make, tmp_path):
    study = make(
        PULSE,
        "intensity.value={distribution='lognormal', median=2.0, dispersion=0.5}",
        "intensity.variables=['pgv']",
    )
    ds = run_study(study, tmp_path / "s.zarr")
    inputs = drawn(study)
    for i in (0, 5, 20):
        moved = inputs.motions[i].scaled(inputs.scale[i, 0])
        assert float(ds["im_pgv"][i]) == pytest.approx(intensity(moved, "pgv"), rel=1e-9)


def test_a_stiff_floor_is_the_ground_and_a_soft_one_is_not(make, tmp_path):
    record = "\n".join(
        f"{np.sin(6.0 * t):.6f},{0.3 * np.sin(5 * t):.6f},{0.1:.1f}" for t in 0.01 * np.arange(300)
    )
    (tmp_path / "r.csv").write_text("x,y,z\n" + record)
    files = 'source = "csv"\nfiles = ["r.csv"]\nunit = "m/s2"\ndt = 0.01\n'
    stiff = make(files, "motion.floor.frequency=500")
    soft = make(files, "motion.floor.frequency={distribution='uniform', low=0.5, high=3}")
    (ground,) = load_motions(stiff)
    held, moved = drawn(stiff), drawn(soft)
    n = ground.acceleration.shape[1]
    assert np.abs(held.motions[0].acceleration[:2, :n] - ground.acceleration[:2]).max() < 0.02
    assert len({own.acceleration.tobytes() for own in moved.motions}) == 24
    # the intensity is that of the ground, and the record stays the unit of the statistics
    np.testing.assert_allclose(moved.scale, held.scale)
    assert (moved.values["record"] == 0).all()
    np.testing.assert_array_equal(moved.motions[3].acceleration[2, :n], ground.acceleration[2])
    chain = "motion.floor.masses=[1e5, 1e5]", "motion.floor.stiffnesses=[1e8, 1e8]", "motion.floor.number=2"
    assert len(drawn(make(files, *chain)).motions) == 24


ISOLATED = ("motion.floor.frequency=0.6", "motion.floor.damping=0.1", "motion.floor.mass=2000")


@pytest.mark.parametrize("cloud", [False, True])
def test_an_isolator_moves_in_proportion_to_its_motion(make, cloud):
    stroke = 0.05
    intensity = ["intensity.value={distribution='uniform', low=0.5, high=4}"] if cloud else []
    inputs = drawn(make(PULSE, *ISOLATED, f"motion.floor.stroke={stroke}", *intensity))
    moved, beyond = (inputs.values[name] for name in ("isolator_displacement", "beyond_stroke"))
    assert moved.shape == beyond.shape == (24,) if cloud else (24, 2)
    bare = drawn(make(PULSE, *intensity))
    for i in range(24):
        one = isolator_displacement(bare.motions[i], 0.6, 0.1)
        np.testing.assert_allclose(moved[i], np.squeeze(one * np.abs(inputs.scale[i])), rtol=1e-12)
    np.testing.assert_array_equal(beyond, moved > stroke)
    assert 0 < beyond.mean() < 1
    without = drawn(make(PULSE, *ISOLATED, *intensity)).values
    np.testing.assert_array_equal(without["isolator_displacement"], moved)
    assert "beyond_stroke" not in without
    assert "isolator_displacement" not in drawn(make(PULSE, "motion.floor.frequency=0.6")).values


def test_a_body_is_noted_and_refused_by_its_share_of_the_mass_on_the_isolator(make):
    """The block has 180 kg."""
    for mass, noted in ((1801, False), (1799, True), (361, True)):
        study = make(PULSE, *ISOLATED[:2], f"motion.floor.mass={mass}")
        text = describe(study, load_motions(study))
        assert (f"note: the body has {180 / mass:.2g} of the mass on the isolator" in text) == noted
        assert "on an isolator of 0.6 Hz" in text
    uncertain = "body.density={distribution='uniform', low=2000, high=2100}"
    study = make(PULSE, *ISOLATED[:2], "motion.floor.mass=365", uncertain)
    with pytest.raises(
        ConfigError, match=r"mass: realization \d+: the body, 18\d.* at most 0.5: .*isolate more"
    ):
        check_inputs(study, load_motions(study))


def test_scaling_and_vertical_are_uncertain_and_off(make):
    scaling = "motion.scaling={distribution='uniform', low=0.5, high=2}"
    inputs = drawn(make(PULSE, scaling, "motion.vertical=false", "ensemble.design=random"))
    plain = drawn(make(PULSE, "ensemble.design=random"))
    np.testing.assert_allclose(inputs.scale, inputs.values["motion_scaling"][:, None] * plain.scale)
    assert not inputs.motions[0].acceleration[2].any()


def test_weights_are_probabilities(make, tmp_path):
    for name in "abc":
        (tmp_path / f"{name}.csv").write_text("x,y\n0,0\n1,0.5\n0,0\n")
    files = 'source = "csv"\nfiles = ["a.csv", "b.csv", "c.csv"]\nunit = "m/s2"\ndt = 0.01\n'
    options = ("motion.assignment=random", "motion.weights=[1, 0, 3]", "ensemble.realizations=4096")
    share = np.bincount(drawn(make(files, *options)).record, minlength=3) / 4096
    np.testing.assert_allclose(share, [0.25, 0.0, 0.75], atol=0.002)
    with pytest.raises(ConfigError, match="weights: expected one for each of the 3 motions, got 2"):
        load_motions(make(files, "motion.assignment=random", "motion.weights=[1, 1]"))
    with pytest.raises(ConfigError, match="give assignment = 'random' too"):
        make(files, "motion.weights=[1, 1, 1]")


def test_noise_fitted_to_a_record_is_like_it(make):
    record = fema_p695("farfield", [14])[0]
    study = make("source = 'fitted'\nset = 'farfield'\nrecord = 14\n", "intensity.measure=factor")
    motions = drawn(study).motions
    arias = [intensity(motion, "arias") for motion in motions]
    assert np.mean(arias) == pytest.approx(intensity(record, "arias"), rel=0.35)
    durations = [intensity(motion, "d5_95") for motion in motions]
    assert np.mean(durations) == pytest.approx(intensity(record, "d5_95"), rel=0.2)


FITTED = 'source = "fitted"\nset = "farfield"\nrecord = 14\n'


def test_the_parameters_of_a_fit_are_uncertain(make):
    half = "{distribution='discrete', values=[0.5, 1.0]}"
    study = make(
        FITTED, f"motion.arias_factor={half}", "intensity.measure=factor", "ensemble.realizations=64"
    )
    inputs = drawn(study)
    arias = np.array([intensity(motion, "arias") for motion in inputs.motions])
    weak = inputs.values["motion_arias_factor"] == 0.5
    assert arias[weak].mean() / arias[~weak].mean() == pytest.approx(0.5, rel=0.15)
    assert "  motion.arias_factor [1]: discrete, " in describe(study, load_motions(study))
    long = drawn(make(FITTED, "motion.duration_factor=2"), 0, 1).motions[0]
    assert long.duration > 1.5 * inputs.motions[0].duration
    with pytest.raises(ConfigError, match=r"realization 0: StochasticModel\.damping must be in"):
        drawn(make(FITTED, "motion.damping_factor=9"))


def test_a_record_of_one_line_or_with_a_vertical_is_fitted(make, tmp_path):
    (record,) = fema_p695("farfield", [14])
    x, y, _ = record.acceleration
    time = np.arange(len(x)) * record.dt
    for name, columns in (("one", [time, x]), ("three", [time, x, y, 0.5 * x])):
        header = ",".join(["time", *"xyz"][: len(columns)])
        np.savetxt(tmp_path / f"{name}.csv", np.stack(columns, axis=1), delimiter=",", header=header)
    of = "source = 'fitted'\nunit = 'm/s2'\n"
    one = drawn(make(of, "motion.path=one.csv"), 0, 2).motions[0]
    assert one.shaken == (True, False, False)
    three = drawn(make(of, "motion.path=three.csv"), 0, 2).motions[0]
    assert three.shaken == (True, True, True)
    flat = drawn(make(of, "motion.path=three.csv", "motion.vertical=false"), 0, 2).motions[0]
    assert flat.shaken == (True, True, False)
    np.testing.assert_array_equal(flat.acceleration[0], three.acceleration[0][: flat.acceleration.shape[1]])


def test_files_are_read_again_when_they_change(make, tmp_path):
    target, record = tmp_path / "target.csv", tmp_path / "record.csv"
    target.write_text("0,1\n0.1,2.5\n0.5,2.5\n4,0.5\n")
    study = SPECTRUM.replace('ground = ["A", "D"]', "table = 'target.csv'\nunit = 'm/s2'")

    def digest():
        made = make(study)
        return prepare_job(made, load_motions(made), tmp_path / "s.zarr").attrs["motions_digest"]

    before, name = drawn(make(study), 0, 1).motions[0], digest()
    assert digest() == name
    target.write_text("0,0.1\n0.1,0.25\n0.5,0.25\n4,0.05\n")
    after = drawn(make(study), 0, 1).motions[0]
    assert digest() != name
    np.testing.assert_allclose(after.acceleration, 0.1 * before.acceleration, rtol=1e-6, atol=1e-9)
    (motion,) = fema_p695("farfield", [14])
    arias = []
    for factor in (1.0, 2.0):
        time = np.arange(motion.acceleration.shape[1]) * motion.dt
        np.savetxt(record, np.stack([time, factor * motion.acceleration[0]], axis=1), delimiter=",")
        study = make("source = 'fitted'\npath = 'record.csv'\nunit = 'm/s2'\n")
        fit = study.motion.fit(study.folder)
        arias.append(fit.models[0].arias)
    assert arias[1] == pytest.approx(4 * arias[0], rel=1e-6)


@pytest.mark.parametrize(
    ("motion", "overrides", "message"),
    [
        (SYNTHETIC, ["motion.frequency={distribution='lognormal', median=5, dispersion=0.8}"],
         r"realization \d+: dt must be > 0 and at most 0.2/frequency, .* \(drawn: .*frequency = .*truncate"),
        (SYNTHETIC, ["motion.middle={distribution='uniform', low=0.5, high=4}"], "duration must be between"),
        (SYNTHETIC, ["motion.duration=1e6", "motion.middle=1e6"], "duration must be .* > 0 and <= 3600 .s."),
        (PULSE, ["motion.floor.frequency={distribution='uniform', low=0.01, high=1}"], "swings on for more"),
        (SPECTRUM.replace('ground = ["A", "D"]', "table = 'none.csv'\nunit = 'g'"), [],
         r"study\.toml \[motion\]: .*none.csv: cannot be read"),
    ],
)  # fmt: skip
def test_what_makes_no_motion_is_found_before_any_is_made(make, motion, overrides, message):
    study = make(motion, "ensemble.realizations=2000", *overrides)
    motions = load_motions(study)
    with pytest.raises(ConfigError, match=message):
        check_inputs(study, motions)


def test_several_sets_are_one_study(make):
    study = make("source = 'fema_p695'\nset = ['nearfield_pulse', 'nearfield_no_pulse']\n")
    motions = load_motions(study)
    assert len(motions) == 28
    assert len({motion.group for motion in motions}) == 28
    with pytest.raises(ConfigError, match="are numbers of one set, and several are listed"):
        make("source = 'fema_p695'\nset = ['farfield', 'nearfield_pulse']\nrecords = [1]\n")


def test_the_band_of_a_spectrum_is_chosen(make):
    options = ("motion.band=[0.2, 2.0]", "motion.dt=0.02", "motion.corner=0.2")
    motion = drawn(make(SPECTRUM, *options), 0, 1).motions[0]
    assert motion.dt == 0.02
    assert 0.9 <= motion.metadata["ratio_least_x"] <= motion.metadata["ratio_largest_x"] <= 1.3


def test_an_impossible_draw_names_the_realization(make):
    study = make(SYNTHETIC, "motion.duration={distribution='uniform', low=5, high=100}")
    with pytest.raises(
        ConfigError, match=r"\[motion\]: realization \d+: .*duration must be .*drawn: .*duration ="
    ):
        drawn(study)


def test_a_still_motion_has_no_record_name(make):
    (motion,) = load_motions(make(PULSE))
    assert isinstance(motion, Motion)
    assert motion.name == "one for each realization"


def test_records_are_processed_and_their_history_is_kept(make, tmp_path):
    rows = [f"{np.sin(6.0 * t):.6f},0" for t in 0.01 * np.arange(600)]
    (tmp_path / "r.csv").write_text("\n".join(["x,y", *rows]))
    files = 'source = "files"\npaths = ["r.csv"]\nunit = "m/s2"\ndt = 0.01\n'
    steps = 'motion.processing=[{step="bandpass", low=0.2, high=20}, {step="reverse"}]'
    study = make(files, steps)
    (plain,), (moved,) = load_motions(make(files)), load_motions(study)
    middle = slice(200, 400)
    np.testing.assert_allclose(moved.acceleration[0, middle], -plain.acceleration[0, middle], atol=0.02)
    ds = run_study(study, tmp_path / "s.zarr")
    assert str(ds["motion_history"].values[0]).count(";") == 1
    with pytest.raises(ConfigError, match="step 1 of the processing must be one of resample"):
        make(files, 'motion.processing=[{step="filter"}]')


def test_a_folder_is_read_as_its_files(make, tmp_path):
    (tmp_path / "set").mkdir()
    for name in "ab":
        (tmp_path / "set" / f"{name}.csv").write_text("x,y\n0,0\n1,0.5\n0,0\n")
    motions = load_motions(make('source = "files"\npaths = ["set"]\nunit = "m/s2"\ndt = 0.01\n'))
    assert [motion.name for motion in motions] == ["a", "b"]
    with pytest.raises(ConfigError, match=r"\[motion\]: set/a.csv: lies in set, which is listed too"):
        load_motions(make('source = "files"\npaths = ["set/a.csv", "set"]\nunit = "m/s2"\ndt = 0.01\n'))
    with pytest.raises(ConfigError, match=r"set/../set: is listed twice"):
        load_motions(make('source = "files"\npaths = ["set", "set/../set"]\nunit = "m/s2"\ndt = 0.01\n'))
    with pytest.raises(ConfigError, match="nowhere"):
        load_motions(make('source = "files"\npaths = ["nowhere"]\n'))


@pytest.mark.parametrize(
    ("motion", "components"),
    [('standard = "rg_1_60"\ndamping = 0.1', 3), ('standard = "ac156"\nheight_ratio = 0.5', 1)],
)
def test_motions_follow_the_spectrum_of_a_standard(make, motion, components):
    target = ac156(1.0, 0.5) if components == 1 else rg_1_60(1.0, 0.1, vertical=True)
    spectrum = SPECTRUM.replace('ground = ["A", "D"]', motion).replace("= 1\nrise", f"= {components}\nrise")
    study = make(spectrum, "intensity.measure=factor", "ensemble.realizations=2")
    own = drawn(study).motions[0]
    periods = np.geomspace(0.05, 4, 60)
    found = response_spectrum(own.acceleration[components - 1], own.dt, periods, target.damping)
    assert ((found > 0.9 * target.at(periods)) & (found < 1.3 * target.at(periods))).all()
