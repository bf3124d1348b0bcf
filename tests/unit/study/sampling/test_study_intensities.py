"""Motions brought to the intensities of a study, and the intensities that a cloud study keeps."""

import numpy as np
import pytest

from mcrock.excitation.measures import intensity
from mcrock.study import ConfigError
from mcrock.study.sampling import draw_inputs

CLOUD = "intensity.value={distribution='lognormal', median=1.0, dispersion=0.5}"


def scaled(study, motions):
    """Inputs of all realizations, and their motions as the runs at the last level see them, unrotated."""
    inputs = draw_inputs(study, motions, 0, study.n_realizations)
    return inputs, [motions[i].scaled(f) for i, f in zip(inputs.record, inputs.scale[:, -1], strict=True)]


@pytest.mark.parametrize(
    ("measure", "parameters"),
    [("pgv", {}), ("arias", {}), ("cav", {}), ("sa", {"period": 0.3}), ("pga_rotd100", {})],
)
def test_scaled_motions_have_the_level(make_study, motions, measure, parameters):
    keys = [f"intensity.{key}={value}" for key, value in parameters.items()]
    study = make_study(f"intensity.measure={measure}", "intensity.levels=[0.1, 0.7]", *keys)
    _, moved = scaled(study, motions)
    for motion in moved[:9]:
        assert intensity(motion, measure, **parameters) == pytest.approx(0.7, rel=1e-9)


@pytest.mark.parametrize("measure", ["uplift_ratio", "velocity_ratio"])
def test_ratios_of_rocking_are_those_of_each_body(make_study, motions, measure):
    inputs, moved = scaled(make_study(f"intensity.measure={measure}", "intensity.levels=[0.5, 2]"), motions)
    for i in (0, 7, 50):
        body = {"slenderness": inputs.values["body_slenderness"][i], "gravity": inputs.values["gravity"][i]}
        if measure == "velocity_ratio":
            body["frequency_parameter"] = inputs.values["body_frequency"][i]
        assert intensity(moved[i], measure, **body) == pytest.approx(2.0, rel=1e-9)


def test_a_cloud_keeps_the_intensities_of_the_motions_it_ran(make_study, motions):
    listed = "intensity.variables=['pga', 'arias', 'tm', 'frequency_ratio', {measure='sa', period=0.5}]"
    inputs, moved = scaled(make_study("intensity.measure=pgv", CLOUD, listed), motions)
    values = inputs.values
    for i in (0, 3, 11):
        assert values["im_pga"][i] == pytest.approx(intensity(moved[i], "pga"), rel=1e-9)
        assert values["im_arias"][i] == pytest.approx(intensity(moved[i], "arias"), rel=1e-9)
        assert values["im_tm"][i] == pytest.approx(intensity(moved[i], "tm"), rel=1e-9)
        assert values["im_sa_0p5s"][i] == pytest.approx(intensity(moved[i], "sa", period=0.5), rel=1e-9)
        ratio = intensity(moved[i], "frequency_ratio", frequency_parameter=values["body_frequency"][i])
        assert values["im_frequency_ratio"][i] == pytest.approx(ratio, rel=1e-9)
        assert intensity(moved[i], "pgv") == pytest.approx(values["intensity_value"][i], rel=1e-9)


def test_a_pulse_has_the_period_that_is_stated(make_study, motions):
    listed = "intensity.variables=[{measure='frequency_ratio', pulse_period=0.8}]"
    inputs, _ = scaled(make_study("intensity.measure=pgv", CLOUD, listed), motions)
    (ratio,) = (value for name, value in inputs.values.items() if name.startswith("im_frequency_ratio"))
    np.testing.assert_allclose(ratio, 2 * np.pi / 0.8 / inputs.values["body_frequency"], rtol=1e-12)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["intensity.measure=tm", "intensity.levels=[1]"], "'tm' does not change when a motion is scaled"),
        (["intensity.measure=sa"], "'sa' needs period"),
        (["intensity.period=1.0"], "'pga' takes no parameters; unknown: 'period'"),
        (["intensity.measure=pgv"], "levels_g: 'pgv' is not in g; give 'levels' [m s-1]"),
        (["intensity.variables=['pgv']"], "variables: belong to a cloud study"),
        (["intensity.variables=['pgw']", CLOUD], "did you mean 'pg"),
        (["intensity.variables=['pgv', 'pgv']", CLOUD], "im_pgv is listed twice"),
    ],
)
def test_wrong_measures_are_refused(make_study, overrides, message):
    with pytest.raises(ConfigError) as refused:
        make_study(*overrides)
    assert message in str(refused.value)
