"""Invariants and symmetries of the whole model, for random bodies, starts and motions."""

from dataclasses import replace
from math import cos, isfinite, pi, sin, sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers
from scipy.spatial.transform import Rotation

from mcrock.base.params import Mode, Outcome
from mcrock.body import Body
from mcrock.excitation import Motion
from mcrock.impact.conditions import Controls, Impact, Start
from mcrock.simulation.runs import Run, simulate
from tests.physics.bodies import TIGHT, bodies
from tests.physics.contact import (
    AMPLIFIED,
    PERTURBATION,
    SAME_ATOL,
    barrier,
    contact_vertex,
    drifts,
    edge_starts,
    energy,
    largest_gain,
    leading_events,
    lowest_within_steps,
    rotations,
    shaking,
    smooth,
    vertex_positions,
    vertex_starts,
)

# a fixed set of examples: a failure is a failure everywhere, and a pass stays a pass


@pytest.fixture(autouse=True, scope="module")
def same_draws():
    """Examples that are the same whatever else is loaded: Hypothesis takes constants from loaded modules."""
    with pytest.MonkeyPatch.context() as patch:
        if hasattr(providers, "_get_local_constants"):  # no part of its interface
            nothing = providers.Constants(integers=set(), floats=set(), bytes=set(), strings=set())
            patch.setattr(providers, "_get_local_constants", lambda: nothing)
        yield


# drift of energy from one impact to the next over the energy that overturns the body: RK4 leaves 4e-12
# a step at p h = 0.004, most of it in the last part of a fall; largest of 1000 random runs 6e-10
TIGHT_DRIFT = 2e-9
COARSE_DRIFT = 1e-5  # the same at production settings, p h = 0.02: largest of 1000 random runs 3e-6
ENERGY_GAIN = 2e-12  # in an impact, over the kinetic energy before: rounding, the kernel's own 1e-12
MOMENTUM_RTOL = 1e-10  # vertical angular momentum over |K| |w|: as the energy
PENETRATION = 1e-9  # of a base vertex over the size of the body, at tight settings
COARSE_PENETRATION = 1e-6  # at production settings
UNIT = 1e-15  # a quaternion is normalised in every step: rounding, also of the norm taken here
SLIP = 1e-13  # of a contact vertex over the size of the body, in one step: rounding

impacts = st.builds(
    Impact,
    lambda_=st.floats(-0.5, 1.3),
    tau=st.just(0.0),
    lambda_lon=st.floats(0.2, 1.3),
    lambda_lat=st.floats(-1.0, 1.0),
)
seeds = st.integers(0, 2**32 - 1)


def starts(body):
    return st.one_of(vertex_starts(body), edge_starts(body))


def torque(body: Body, share: float) -> float:
    """tau that matters for a body [N m s]."""
    return share * body.inertia[2, 2] * body.frequency * body.slenderness


@given(bodies(), impacts, st.data())
def test_energy_is_constant_between_impacts_and_never_gained(body, impact, data):
    start = data.draw(starts(body))
    impact = replace(impact, tau=torque(body, data.draw(st.floats(-1.0, 1.0))))
    for controls, drift in ((TIGHT, TIGHT_DRIFT), (Controls(), COARSE_DRIFT)):
        run = simulate(body, None, impact, start=start, controls=controls, t_end=6.0 / body.frequency)
        assert energy(body, run) == pytest.approx(run.history.energy.values, rel=1e-12)
        assert np.abs(drifts(body, run)).max() < drift * barrier(body)
        assert largest_gain(body, run) <= ENERGY_GAIN


@given(bodies(), seeds, st.data())
def test_energy_loss_is_the_sum_over_the_impacts(body, seed, data):
    impact = data.draw(impacts)
    run = simulate(body, shaking(body, seed, 3.0), impact, controls=TIGHT, t_end=5.0)
    changes = [event["energy_change"] for event in run.events if event["kind"].endswith("_impact")]
    assert run.impact_energy_loss == pytest.approx(
        -sum(changes), abs=1e-12 * barrier(body) * (1 + len(changes))
    )
    assert largest_gain(body, run) <= ENERGY_GAIN
    assert len(changes) == run.edge_impacts + run.facet_impacts


@given(bodies(), seeds, st.floats(0.0, 1.0), st.data())
def test_vertical_angular_momentum_about_a_vertex_is_conserved(body, seed, vertical, data):
    """Without shaking and under vertical shaking, between impacts in VERTEX mode."""
    start = data.draw(vertex_starts(body))
    motion = shaking(body, seed, 4.0, vertical)
    only_vertical = Motion(motion.acceleration * [[0.0], [0.0], [1.0]], dt=motion.dt, name="vertical")
    run = simulate(body, only_vertical, start=start, controls=TIGHT, t_end=4.0 / body.frequency)
    R, omega = rotations(run), run.history.angular_velocity.values
    p = contact_vertex(body, run)
    local = np.einsum("tji,tj->ti", R, omega)
    arm = -body.base[p]
    momentum = local @ body.inertia + body.mass * np.cross(arm, np.cross(local, arm))
    about = np.einsum("tij,tj->ti", R, momentum)[:, 2]
    inertia = np.trace(body.inertia) + body.mass * (body.base**2).sum(1).max()
    scale = inertia * np.abs(omega).max()
    pick = smooth(run) & (run.history["mode"].values[1:] == Mode.VERTEX)
    assert pick.sum() > 10
    assert np.abs(np.diff(about)[pick]).max() < MOMENTUM_RTOL * scale


def perturbed(start: Start) -> Start:
    """The start with its motion changed by a millionth."""
    if start.edge is not None:
        return replace(start, tilt=start.tilt * (1 + PERTURBATION))
    turn = Rotation.from_rotvec(PERTURBATION * np.array([1.0, 1.0, 0.0]))
    q = (turn * Rotation.from_quat(start.orientation, scalar_first=True)).as_quat(scalar_first=True)
    return replace(start, orientation=q)


def check_same(run: Run, other: Run, nearby: Run, turn, rename=lambda index, mode: index, clock=1.0) -> int:
    """The leading events of two runs that must be images of each other; how many there were.

    ``turn`` (3, 3) takes angular velocities of ``run`` to those of ``other``, ``rename`` its contact
    indices and ``clock`` its times. Errors may be as large as the effect, seen in ``nearby``, of a
    relative change of 1e-9 of the start.
    """
    compared = leading_events(run, nearby)
    for one, image, near in zip(run.events[:compared], other.events, nearby.events, strict=False):
        mode, index = one["to"]
        assert (image["kind"], image["to"]) == (one["kind"], (mode, rename(index, mode)))
        slack = SAME_ATOL + AMPLIFIED * abs(near["t"] - one["t"])
        assert image["t"] == pytest.approx(clock * one["t"], abs=clock * slack)
        slack = SAME_ATOL + AMPLIFIED * np.abs(near["omega"] - one["omega"]).max()
        assert image["omega"] == pytest.approx(turn @ one["omega"] / clock, abs=slack / clock)
    return compared


def scenario(data, body: Body) -> dict:
    """A start and a motion that both matter, as arguments of `simulate`."""
    start, seed = data.draw(starts(body)), data.draw(seeds)
    return {"motion": shaking(body, seed, 1.0), "start": start}


@given(bodies(), impacts, st.floats(-0.5, 1.0), st.data())
def test_constant_vertical_acceleration_is_changed_gravity(body, impact, share, data):
    given_ = scenario(data, body)
    motion = given_["motion"]
    lift = share * body.gravity
    raised = motion.acceleration + np.array([[0.0], [0.0], [lift]])
    heavier = Body(body.mass, body.inertia, body.base, body.gravity + lift)
    common = {"impact": impact, "t_end": 2.5, "controls": TIGHT}
    run = simulate(heavier, motion, start=given_["start"], **common)
    nearby = simulate(heavier, motion, start=perturbed(given_["start"]), **common)
    other = simulate(body, Motion(raised, dt=motion.dt, name="raised"), start=given_["start"], **common)
    check_same(run, other, nearby, np.eye(3))


def test_constant_vertical_acceleration_moves_the_uplift():
    """Uplift at |a_x| = (g + a_z) b/h."""
    body = Body(
        10.0, np.diag([4.0, 4.0, 1.0]), [[0.2, -0.3, -1], [0.2, 0.3, -1], [-0.2, 0.3, -1], [-0.2, -0.3, -1]]
    )
    for lift in (-3.0, 0.0, 5.0):
        ramp = Motion([[0.0, 10.0], [0.0, 0.0], [lift, lift]], dt=1.0, name="ramp")
        run = simulate(body, ramp)
        assert run.events[0]["t"] == pytest.approx((9.81 + lift) * 0.2 / 10.0, rel=1e-12)


def mirrored(body: Body) -> Body:
    """The body seen in a mirror x -> -x; vertex i becomes n - 1 - i."""
    flip = np.diag([-1.0, 1.0, 1.0])
    return Body(body.mass, flip @ body.inertia @ flip, (body.base @ flip)[::-1], body.gravity)


def mirrored_start(start: Start, n: int) -> Start:
    if start.edge is not None:
        return replace(start, edge=(n - 2 - start.edge) % n)
    q, omega = np.array(start.orientation), np.array(start.angular_velocity)
    return replace(
        start,
        vertex=n - 1 - start.vertex,
        orientation=q * [1, 1, -1, -1],
        angular_velocity=omega * [1, -1, -1],
    )


@given(bodies(), impacts, st.floats(-0.3, 0.3), st.data())
def test_mirror_symmetry(body, impact, share, data):
    """x -> -x: w_x stays; w_y, w_z, tau and lambda_lat change sign."""
    given_ = scenario(data, body)
    motion, start, n = given_["motion"], given_["start"], len(body.base)
    impact = replace(impact, tau=torque(body, share))
    image = replace(impact, tau=-impact.tau, lambda_lat=-impact.lambda_lat)
    reflected = Motion(motion.acceleration * [[-1.0], [1.0], [1.0]], dt=motion.dt, name="mirrored")
    common = {"t_end": 2.5, "controls": TIGHT}
    run = simulate(body, motion, impact, start=start, **common)
    nearby = simulate(body, motion, impact, start=perturbed(start), **common)
    other = simulate(mirrored(body), reflected, image, start=mirrored_start(start, n), **common)

    def rename(index, mode):
        return {"VERTEX": n - 1 - index, "EDGE": (n - 2 - index) % n}.get(mode, index)

    check_same(run, other, nearby, np.diag([1.0, -1.0, -1.0]), rename)


def test_mirror_symmetry_of_final_yaw_and_displacement():
    """A strong short shake of a low block that comes to rest soon: all scalars of the run."""
    base = np.array([[0.5, -0.4], [0.5, 0.4], [-0.45, 0.4], [-0.5, -0.35]])
    body = Body(100.0, np.diag([30.0, 28.0, 25.0]), np.column_stack([base, np.full(4, -0.9)]))
    motion = shaking(body, 5, 3.0, duration=1.0)
    reflected = Motion(motion.acceleration * [[-1.0], [1.0], [1.0]], dt=motion.dt, name="mirrored")
    run = simulate(body, motion, Impact(lambda_lon=0.9, lambda_lat=0.3))
    image = simulate(mirrored(body), reflected, Impact(lambda_lon=0.9, lambda_lat=-0.3))
    assert run.outcome == image.outcome == Outcome.AT_REST
    assert run.facet_impacts + run.edge_impacts > 3
    for name, value in run.results.items():
        sign = -1.0 if name in ("final_yaw", "final_displacement_x") else 1.0
        if isfinite(value):
            # the same numbers but for signs: what differs is rounding, amplified by tens of impacts
            assert image.results[name] == pytest.approx(sign * value, rel=1e-6, abs=1e-9), name


@given(bodies(), impacts, st.floats(-pi, pi), st.data())
def test_body_and_record_turned_together_change_nothing(body, impact, azimuth, data):
    start, motion = data.draw(edge_starts(body)), shaking(body, data.draw(seeds), 1.0)
    c, s = cos(azimuth), sin(azimuth)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    turned = Body(body.mass, turn @ body.inertia @ turn.T, body.base @ turn.T, body.gravity)
    common = {"impact": impact, "t_end": 2.5, "controls": TIGHT}
    run = simulate(body, motion, start=start, **common)
    nearby = simulate(body, motion, start=perturbed(start), **common)
    other = simulate(turned, motion.rotated(azimuth), start=start, **common)
    check_same(run, other, nearby, turn)


def test_direction_of_a_fall_turns_with_body_and_record():
    body = Body(
        10.0, np.diag([4.0, 4.5, 1.0]), [[0.2, -0.3, -1], [0.2, 0.3, -1], [-0.25, 0.3, -1], [-0.2, -0.3, -1]]
    )
    motion = shaking(body, 3, 12.0)
    run = simulate(body, motion, controls=TIGHT)
    assert run.outcome == Outcome.OVERTURNED
    for azimuth in (0.5, 2.0, -1.3):
        c, s = cos(azimuth), sin(azimuth)
        turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        turned = Body(body.mass, turn @ body.inertia @ turn.T, body.base @ turn.T)
        other = simulate(turned, motion.rotated(azimuth), controls=TIGHT)
        assert other.overturning_time == pytest.approx(run.overturning_time, abs=1e-6)
        difference = other.overturning_direction - run.overturning_direction - azimuth
        assert cos(difference) == pytest.approx(1.0, abs=1e-12)
        moved = turn[:2, :2] @ [run.final_displacement_x, run.final_displacement_y]
        assert [other.final_displacement_x, other.final_displacement_y] == pytest.approx(moved, abs=1e-6)
        assert other.final_yaw == pytest.approx(run.final_yaw, abs=1e-6)


@given(bodies(), impacts, st.sampled_from([0.25, 3.0, 16.0]), st.floats(-0.3, 0.3), st.data())
def test_scale_of_length_and_time(body, impact, s, share, data):
    """Lengths by s, times by sqrt(s), accelerations and lambdas as they are, tau as m L^2 / T."""
    given_ = scenario(data, body)
    motion, start, clock = given_["motion"], given_["start"], sqrt(s)
    tau = torque(body, share)
    large = Body(body.mass * s**3, body.inertia * s**5, body.base * s, body.gravity)
    slow = Motion(motion.acceleration, dt=motion.dt * clock, name="slow")
    slow_start = replace(
        start, rate=start.rate / clock, angular_velocity=np.array(start.angular_velocity) / clock
    )
    slow_controls = Controls(
        step=TIGHT.step,
        max_step=TIGHT.max_step * clock,
        edge_zeno_time=TIGHT.edge_zeno_time * clock,
        rest_time=TIGHT.rest_time * clock,
    )
    common = {"impact": replace(impact, tau=tau), "t_end": 2.5, "controls": TIGHT}
    run = simulate(body, motion, start=start, **common)
    nearby = simulate(body, motion, start=perturbed(start), **common)
    other = simulate(
        large,
        slow,
        replace(impact, tau=tau * s**5 / clock),
        start=slow_start,
        controls=slow_controls,
        t_end=2.5 * clock,
    )
    check_same(run, other, nearby, np.eye(3), clock=clock)


@given(bodies(), impacts, seeds)
def test_geometry_of_contact(body, impact, seed):
    """Unit quaternion, no vertex below the ground, and contact vertices that stay where they are."""
    motion = shaking(body, seed, 2.5)
    size = np.abs(body.base).max()
    for controls, below in ((TIGHT, PENETRATION), (Controls(), COARSE_PENETRATION)):
        run = simulate(body, motion, impact, controls=controls, t_end=4.0)
        norm = np.linalg.norm(run.history.orientation.values, axis=1)
        assert np.abs(norm - 1.0).max() <= UNIT
        where = vertex_positions(body, run)
        assert where[..., 2].min() > -SLIP * size
        assert lowest_within_steps(body, run) > -below * size
        mode, index = run.history["mode"].values, run.history["index"].values
        n, rows = len(body.base), np.arange(len(mode))
        first = where[rows, contact_vertex(body, run)]
        second = where[rows, (contact_vertex(body, run) + 1) % n]
        assert np.abs(first[mode != Mode.REST, 2]).max(initial=0.0) <= SLIP * size
        assert np.abs(second[mode == Mode.EDGE, 2]).max(initial=0.0) <= SLIP * size
        assert np.abs(where[mode == Mode.REST][..., 2]).max(initial=0.0) <= SLIP * size
        same = smooth(run)
        assert np.abs(np.diff(first, axis=0)[same]).max(initial=0.0) <= SLIP * size
        assert np.abs(np.diff(second, axis=0)[same & (mode[1:] == Mode.EDGE)]).max(initial=0.0) <= SLIP * size
        # a change of contact moves no vertex further than it had sunk
        jump = np.abs(np.diff(where, axis=0))[np.diff(run.history.time.values) == 0.0]
        assert jump.max(initial=0.0) < 10 * below * size
        assert ((index >= 0) & (index < n)).all()


@given(bodies(), impacts, seeds)
def test_runs_are_repeatable(body, impact, seed):
    motion = shaking(body, seed, 3.0)
    first, again = (simulate(body, motion, impact, t_end=5.0) for _ in range(2))
    assert first.history.identical(again.history)
    assert first.results == pytest.approx(again.results, rel=0.0, abs=0.0, nan_ok=True)
    without = simulate(body, motion, impact, t_end=5.0, history=False)
    assert first.results == pytest.approx(without.results, rel=0.0, abs=0.0, nan_ok=True)
    assume(len(first.events) > 0)
    assert [event["t"] for event in first.events] == [event["t"] for event in again.events]
