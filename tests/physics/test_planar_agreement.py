"""The planar model against the three-dimensional kernel in a plane, and against exact results."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcrock.body import cuboid
from mcrock.excitation import Motion
from mcrock.params import Controls
from mcrock.planar import planar_block, rectangle, rectangle_of, simulate_planar, velocity_ratios
from mcrock.planar.restitution import (
    e_n21_of_ratio,
    effective_width,
    lambda_of_ratio,
    nu_of_effective_width,
    nu_of_ratio,
    ratio_of_e_n21,
)
from mcrock.simulation import Impact, Start, simulate

TIGHT = Controls(step=0.004, max_step=1e-3, edge_zeno_time=1e-6, rest_time=1e-5)
sizes = st.tuples(st.floats(0.2, 1.0), st.floats(1.2, 3.0))
lambdas = st.floats(0.05, 1.0)


@settings(max_examples=40, deadline=None)
@given(sizes, lambdas)
def test_maps_agree_with_three_dimensions(size, lam):
    """Chatzis' lambda is lambda_lon; the ratio of the angular velocities is the planar r."""
    body = cuboid(size[0], 0.5, size[1], mass=100.0)
    block = planar_block(body)
    ratio, _ = velocity_ratios(block, f"chatzis:{lam!r}")
    run = simulate(
        body, None, Impact(lam_lon=lam), start=Start(edge=0, tilt=0.1 * body.slenderness), t_end=5.0
    )
    event = next(event for event in run.events if event["kind"] == "facet_impact")
    after = abs(event["omega"][1])
    about = body.inertia[1, 1] + body.mass * (size[0] ** 2 + size[1] ** 2) / 4
    before = np.sqrt(after**2 - 2 * event["energy_change"] / about)
    assert after / before == pytest.approx(ratio, abs=1e-9)


@pytest.mark.parametrize("lam", [1.0, 0.6])
@pytest.mark.parametrize("tilt", [0.1, 0.2])
def test_free_rocking_agrees_with_three_dimensions(lam, tilt):
    body = cuboid(0.4, 0.5, 1.6, mass=100.0)
    start = Start(edge=0, tilt=tilt)
    full = simulate(body, None, Impact(lam_lon=lam), start=start, controls=TIGHT, t_end=6.0)
    plane = simulate_planar(
        planar_block(body), None, f"chatzis:{lam}", tilt=tilt, controls=TIGHT, t_end=6.0, history=True
    )
    ours = [event["t"] for event in full.events if event["kind"] == "facet_impact"]
    theirs = [event["t"] for event in plane.events if event["kind"] == "facet_impact"]
    n = min(10, len(ours))
    assert n > 5
    assert theirs[:n] == pytest.approx(ours[:n], abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_shaken_motion_agrees_with_three_dimensions(seed):
    body = cuboid(0.4, 0.5, 1.6, mass=100.0)
    t = np.arange(0.0, 4.0, 0.01)
    rng = np.random.default_rng(seed)
    a = sum(rng.normal() * np.sin(rng.uniform(2, 9) * t + rng.uniform(0, 6)) for _ in range(5))
    motion = Motion(np.stack([3.5 * a / np.abs(a).max(), 0 * t, 0.2 * a]), dt=0.01, name="waves")
    full = simulate(body, motion, controls=TIGHT)
    plane = simulate_planar(planar_block(body), motion, controls=TIGHT, history=True)
    ours = [(event["kind"], event["t"]) for event in full.events]
    theirs = [(event["kind"], event["t"]) for event in plane.events]
    assert len(ours) >= 3
    for (kind, t_full), (kind_plane, t_plane) in zip(ours[:8], theirs[:8], strict=True):
        assert kind == kind_plane
        assert t_plane == pytest.approx(t_full, abs=1e-6)


def test_slender_block_of_housner():
    """Quarter period of the slender block: cosh(p t) = 1/(1 - tilt/slenderness), to its order."""
    block = rectangle_of(0.02, 2.0)
    tilt = 0.5 * block.slenderness
    run = simulate_planar(block, tilt=tilt, controls=TIGHT, t_end=2.0, history=True)
    assert run.events[0]["t"] == pytest.approx(np.arccosh(2.0) / block.frequency, rel=2e-4)


def test_ratios_of_the_published_models():
    """A square of side ratio 2: closed forms with A = Theta + m h^2 and B = m b^2."""
    block = rectangle(1.0, 2.0)
    A, B = (1.0 + 4.0) / 12 + 1.0, 0.25
    assert velocity_ratios(block, "housner")[0] == pytest.approx((A - B) / (A + B), abs=1e-14)
    assert velocity_ratios(block, "ther-kollar")[0] == pytest.approx(A / (A + B), abs=1e-14)
    assert velocity_ratios(block, "chatzis:1.0")[0] == pytest.approx((A - B) / (A + B), abs=1e-14)
    assert velocity_ratios(block, "kalliontzis:1.0")[0] == pytest.approx((A - B) / (A + B), abs=1e-14)


@settings(max_examples=50, deadline=None)
@given(sizes, st.floats(0.1, 0.999))
def test_conversions_go_round(size, lam):
    block = rectangle(*size)
    ratio = velocity_ratios(block, f"chatzis:{lam!r}")[0]
    assert lambda_of_ratio(block, ratio) == pytest.approx(lam, abs=1e-9)
    nu = nu_of_ratio(block, ratio)
    assert velocity_ratios(block, f"kalliontzis:{nu!r}")[0] == pytest.approx(ratio, abs=1e-9)
    assert nu_of_effective_width(block, effective_width(block, nu)) == pytest.approx(nu, abs=1e-9)
    assert ratio_of_e_n21(block, e_n21_of_ratio(block, ratio)) == pytest.approx(ratio, abs=1e-9)
