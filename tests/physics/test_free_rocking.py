"""Free rocking in a plane against the energy integral."""

from math import acos, acosh, cos, sin, sqrt

import pytest
from scipy.integrate import quad

from mcrock.base.params import GRAVITY
from mcrock.body import cuboid
from mcrock.excitation import Motion
from mcrock.impact.conditions import Impact, Start
from mcrock.simulation.runs import simulate
from tests.physics.bodies import TIGHT, planar_lambda

ATOL = 1e-6  # times [s] and tilts [rad]


def quarter_period(p, slenderness, tilt):
    """Time from rest at ``tilt`` [rad] to upright, by quadrature of the energy integral [s]."""

    def integrand(u):  # theta = tilt (1 - u^2) takes the singular end away
        drop = 2 * sin(slenderness - tilt * (1 - u * u / 2)) * sin(tilt * u * u / 2)
        return 2 * tilt * u / (p * sqrt(2 * drop))

    return quad(integrand, 0, 1, epsabs=0, epsrel=1e-12)[0]


def next_peak(slenderness, tilt, ratio):
    """Tilt reached after an impact that keeps ``ratio`` of the angular velocity [rad]."""
    return slenderness - acos(cos(slenderness) + ratio**2 * (cos(slenderness - tilt) - cos(slenderness)))


@pytest.mark.parametrize("fraction", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("ratio", [0.8, 0.9, None])
def test_impact_times_and_peaks(fraction, ratio):
    body = cuboid(0.4, 0.4, 1.2, 2000.0)
    slenderness, p = body.slenderness, body.frequency
    if ratio is None:
        ratio = 1 - 1.5 * sin(slenderness) ** 2
    tilt = fraction * slenderness
    run = simulate(
        body,
        impact=Impact(lambda_lon=planar_lambda(body, ratio)),
        start=Start(edge=0, tilt=tilt),
        controls=TIGHT,
        t_end=10.0,
    )
    history = run.history
    when, expected_tilt = 0.0, tilt
    for event in run.events[:5]:
        when += quarter_period(p, slenderness, expected_tilt)
        assert event["kind"] == "facet_impact"
        assert event["t"] == pytest.approx(when, abs=ATOL)
        expected_tilt = next_peak(slenderness, expected_tilt, ratio)
        when += quarter_period(p, slenderness, expected_tilt)
        near = history.sel(time=slice(when - 2e-3, when + 2e-3))
        assert float(near.tilt.max()) == pytest.approx(expected_tilt, abs=ATOL)


def test_linear_quarter_period_of_a_slender_block():
    """T/4 = acosh(1/(1 - theta/alpha))/p, Housner (1963) eq. (7), holds as the block gets slender."""
    errors = []
    for slenderness_scale in (1.0, 0.5):
        body = cuboid(0.2 * slenderness_scale, 1.0, 4.0, 2000.0)
        tilt = 0.4 * body.slenderness
        linear = acosh(1 / 0.6) / body.frequency
        run = simulate(body, start=Start(edge=0, tilt=tilt), controls=TIGHT)
        errors.append(abs(run.events[0]["t"] / linear - 1))
    assert errors[0] < 1e-3
    assert errors[1] < errors[0] / 3.5  # the error is quadratic in the slenderness


def test_uplift_at_the_west_threshold():
    body = cuboid(0.4, 0.5, 1.6, 2000.0)
    threshold = GRAVITY * 0.4 / 1.6
    ramp = Motion([[0.0, 10.0], [0.0, 0.0], [0.0, 0.0]], dt=1.0, name="ramp")
    run = simulate(body, ramp)
    assert run.events[0]["kind"] == "uplift"
    assert run.events[0]["t"] == pytest.approx(threshold / 10.0, rel=1e-12)
    assert run.events[0]["to"] == ("EDGE", 2)  # shaken to the right it lifts to the left
