"""Fits of attitudes, by markers or angles: as sure as their noise allows, and with honest intervals."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import mcrock as mr
from mcrock.measurement import Recording, fit_test, read_recording
from mcrock.measurement.files import rates_of_turns
from mcrock.show.fit import fit_as_json, format_fit

BLOCK = mr.cuboid(width=0.1, depth=0.14, height=0.4, density=2700)
TRUTH = {"lambda": 1.1, "lambda_lon": 0.8, "lambda_lat": -0.5}
RATE = 200.0  # frames [1/s]


@pytest.fixture(scope="module")
def attitudes():
    """Frames of a block held for a second, released and at rest again, and its attitude in each."""
    impact = mr.Impact(lambda_=1.1, lambda_lon=0.8, lambda_lat=-0.5)
    history = mr.simulate(BLOCK, None, impact, start=mr.Start(edge=0, tilt=0.2), t_end=4.0).history
    time, turns = history["time"].values, history["orientation"].values
    last = np.append(np.diff(time) > 0.0, True)
    at = np.arange(int(5.5 * RATE)) / RATE
    found = Slerp(time[last], Rotation.from_quat(turns[last], scalar_first=True))
    return at, found(np.clip(at - 1.0, 0.0, time[-1]))


def seen(attitudes, noise, seed, lost=()):
    """The turns of noisy attitudes [rad], without some frames."""
    at, exact = attitudes
    shake = np.random.default_rng(seed).normal(0.0, noise, (at.size, 3))
    good = np.setdiff1d(np.arange(at.size), lost)
    noisy = (exact * Rotation.from_rotvec(shake))[good]
    return rates_of_turns("markers", at, good, noisy)[0].trimmed()


@pytest.mark.parametrize("lost", [(), (215, 216, 260)])
def test_attitudes_tell_what_rates_between_frames_hide(attitudes, lost):
    """Their noise comes back; the interval is a third of that turn by turn, and both hold the truth."""
    noise = 2.5e-4
    test = seen(attitudes, noise, 3, lost)
    found = fit_test(BLOCK, test, 0)
    by_rates = fit_test(BLOCK, Recording(test.time, test.angular_velocity), 0)
    assert found.noise * found.turns == pytest.approx(noise, rel=0.25)
    assert (by_rates.turns, found.averaging) == (0.0, 1.0)
    widths = []
    for fit in (found, by_rates):
        low, high = fit.intervals["lambda_lon"]
        assert low < TRUTH["lambda_lon"] < high
        widths.append(high - low)
    assert widths[0] < widths[1] / 3
    assert abs(found.estimates["tilt"] - 0.2) < 4 * found.standard_errors["tilt"]
    assert f"noise of the attitude {found.noise * found.turns:.2g} rad" in format_fit(found)
    assert "bias" not in format_fit(found)
    assert fit_as_json(found)["attitude_noise"] == found.noise * found.turns
    assert fit_as_json(by_rates)["attitude_noise"] is None


def test_derivatives_of_sums_are_those_of_the_residuals(attitudes):
    """By differences, of every unknown, the error of the first frame included."""
    from mcrock.measurement.misfit import Comparison, search_bounds

    test, free = seen(attitudes, 1e-4, 1), ("lambda", "lambda_lon", "lambda_lat")
    bounds = {key: search_bounds(BLOCK, 3.0)[key] for key in free}
    comparison = Comparison(BLOCK, test, 0, mr.Impact(), free, bounds, 2)
    x = comparison.start + np.array([0.0, 0.0, 1.0, 0.8, -0.4, *[1e-3] * 3, *[0.02] * 3])
    jacobian = comparison.jacobian(x)
    for k in (1, 5, 6, 7, 8, 9, 10):
        step = np.zeros(x.size)
        step[k] = 1e-6
        slope = (comparison.residuals(x + step) - comparison.residuals(x - step)) / 2e-6
        assert np.abs(slope - jacobian[:, k]).max() < 2e-3 * np.abs(slope).max()


def test_a_file_of_angles_has_no_bias(attitudes, tmp_path):
    at, exact = attitudes
    cells = np.column_stack([at, np.degrees(exact.as_euler("ZYX")[:, ::-1])])
    head = "time [s],angle_x [deg],angle_y [deg],angle_z [deg]"
    np.savetxt(tmp_path / "angles.csv", cells, "%.9f", ",", header=head, comments="")
    found = read_recording(tmp_path / "angles.csv")
    assert found.widths == pytest.approx(np.full(at.size - 1, 1 / RATE))
    assert found.unbiased((0.0, 0.5)) is found
