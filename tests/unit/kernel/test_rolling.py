"""A body on a circular base against closed forms, invariants and limits of its rolling motion."""

from dataclasses import replace
from math import acos, atan2, cos, degrees, hypot, pi, sin, sqrt
from unittest import mock

import numpy as np
import pytest

from mcrock.base.params import Mode, Outcome
from mcrock.body import Body, cylinder, rotation_matrix
from mcrock.excitation import STILL, Motion, Pulse
from mcrock.impact.conditions import Contact, Controls, Impact, Start
from mcrock.impact.registry import ImpactParameter
from mcrock.simulation import runs
from mcrock.simulation.runs import simulate, simulate_part
from tests.benchmarks.speed.workloads import inputs_of
from tests.unit.kernel.rolling_reference import at_contact, random_case, roll

G = 9.81
FINE = Controls(step=0.005, max_step=1.0)
SHAKEN = Pulse((3.0, 5.0, 1.0), 8.0)


def drum(height=0.6, **given):
    """A cylinder on its rim."""
    return cylinder(0.2, height, density=1000.0, **given)


def leaning(tilt, azimuth=0.0):
    """Quaternion of a body that leans towards an azimuth."""
    return cos(tilt / 2), -sin(azimuth) * sin(tilt / 2), cos(azimuth) * sin(tilt / 2), 0.0


def contact_azimuth(quaternion):
    """Of the lowest point of the rim, in body axes [rad]."""
    up = rotation_matrix(quaternion)[2]
    return atan2(-up[1], -up[0])


def inertias(body):
    """About the diameter of the base that goes to the contact, and about that across it [kg m2]."""
    about = body.inertia[0, 0] + body.mass * body.com_height**2
    return about, about + body.mass * body.rim**2


def steady_velocity(body, tilt, precession):
    """Angular velocity with which a body of revolution rolls at a constant tilt towards +x [rad/s]: its
    change of angular momentum about the centre of mass is the moment of the force at the contact."""
    axis, arm = np.array([sin(tilt), 0.0, cos(tilt)]), np.array([cos(tilt), 0.0, -sin(tilt)])
    up, lever = np.array([0.0, 0.0, 1.0]), body.com_height * axis - body.rim * arm

    def excess(spin):
        w = precession * up + spin * axis
        force = body.mass * (np.cross(precession * up, np.cross(w, lever)) + G * up)
        return (np.cross(precession * up, body.inertia[0, 0] * w) + np.cross(lever, force))[1] + (
            body.inertia[2, 2] - body.inertia[0, 0]
        ) * (axis @ w) * np.cross(precession * up, axis)[1]

    return precession * up - excess(0.0) / (excess(1.0) - excess(0.0)) * axis


@pytest.mark.parametrize("height", [0.02, 0.6])
@pytest.mark.parametrize(("tilt", "precession"), [(0.15, 1.5), (0.15, 5.0), (0.4, 3.0), (0.05, -2.5)])
def test_steady_precession(height, tilt, precession):
    body = drum(height)
    start = Start(
        vertex=0, orientation=leaning(tilt), angular_velocity=steady_velocity(body, tilt, precession)
    )
    run = simulate(body, start=start, t_end=1.0, controls=FINE)
    assert (run.history["mode"] == Mode.ROLL).all()
    np.testing.assert_allclose(run.history["tilt"], tilt, rtol=0, atol=1e-8)
    axis = rotation_matrix(run.history["orientation"].values[-1])[:, 2]
    turned = atan2(axis[1], axis[0]) - precession
    assert (turned + pi) % (2 * pi) - pi == pytest.approx(0.0, abs=5e-6)


@pytest.mark.parametrize("height", [0.1, 0.4, 1.0, 2.0])
@pytest.mark.parametrize("share", [0.02, 0.3])
def test_sweep_of_a_body_that_comes_down_in_a_plane(height, share):
    body = drum(height)
    tilt = share * body.slenderness
    history = simulate(body, start=Start(edge=3, tilt=tilt), t_end=3.0, controls=FINE).history
    tilts = history["tilt"].values
    highest = np.flatnonzero((tilts[1:-1] > tilts[:-2]) & (tilts[1:-1] > tilts[2:])) + 1
    azimuths = [contact_azimuth(history["orientation"].values[i]) for i in (0, *highest[:3])]
    across, along = inertias(body)
    swept = np.abs((np.diff(azimuths) + pi) % (2 * pi) - pi)
    expected = pi * sqrt(along / across)
    np.testing.assert_allclose(swept, abs((expected + pi) % (2 * pi) - pi), atol=2e-5)
    np.testing.assert_allclose(tilts[highest], tilt, rtol=1e-3)  # of the steps about it


@pytest.mark.parametrize("spin", [0.0, 0.4, -2.0])
def test_sweep_with_spin(spin):
    """Near flat w is a linear function of the azimuth: w_r swings about a mean that the spin gives."""
    body = drum()
    tilt, rate = 1e-6, 1.0
    start = Start(vertex=0, orientation=leaning(tilt), angular_velocity=(0.0, -rate, spin))
    history = simulate(body, start=start, t_end=400 * tilt / rate, controls=FINE).history
    across, along = inertias(body)
    frequency, mean = sqrt(across / along), -body.mass * body.rim * body.com_height * spin / across
    quarter = acos(-mean / hypot(mean, rate / frequency))
    turned = np.unwrap([contact_azimuth(q) for q in history["orientation"].values])
    swept = turned[-1] - turned[0]
    assert abs(swept) == pytest.approx(2 * (quarter if swept < 0 else pi - quarter) / frequency, abs=0.02)
    w = rotation_matrix(history["orientation"].values[-1]).T @ history["angular_velocity"].values[-1]
    away = np.array([cos(turned[-1]), sin(turned[-1])])
    assert w[1] * away[0] - w[0] * away[1] == pytest.approx(rate, abs=1e-2)
    assert w[2] == pytest.approx(spin, abs=1e-3)


def test_friction_of_a_sweep():
    """Forces of a sweep have one direction: that of m h R/A."""
    body = drum()
    start = Start(vertex=0, orientation=leaning(1e-4), angular_velocity=(0.0, -1.0, 0.0))
    run = simulate(body, start=start, t_end=3e-4, controls=FINE)
    across, _ = inertias(body)
    demand = body.mass * body.com_height * body.rim / across
    assert run.peak_friction_demand == pytest.approx(demand, rel=1e-3)
    assert run.certified_friction == run.peak_friction_demand


def test_energy_and_motion_are_of_fourth_order():
    body = cylinder(0.2, 1.0, density=1000.0, com=(0.03, 0.02, 0.1))
    start = Start(vertex=0, orientation=leaning(0.1), angular_velocity=(0.12, 0.3, 0.2))
    energies, ends = [], []
    for step in (0.02, 0.01, 0.005, 0.00125):
        history = simulate(body, start=start, t_end=1.0, controls=Controls(step=step, max_step=1.0)).history
        assert history["tilt"].min() < 2e-3  # it passes close to flat
        energies.append(float(np.ptp(history["energy"].values) / history["energy"][0]))
        ends.append(np.concatenate([history[name].values[-1] for name in ("orientation", "com")]))
    errors = [float(np.abs(end - ends[-1]).max()) for end in ends[:-1]]
    assert energies[0] < 1e-7
    assert errors[0] < 1e-6
    assert energies[0] / energies[1] > 12
    assert energies[1] / energies[2] > 12
    assert errors[0] / errors[1] > 12
    assert errors[1] / errors[2] > 12


def turned_pulse(angle):
    x, y, z = SHAKEN.amplitude
    return replace(SHAKEN, amplitude=(x * cos(angle) - y * sin(angle), x * sin(angle) + y * cos(angle), z))


def test_azimuth_of_the_shaking_does_not_matter():
    body = drum(1.0)
    straight = simulate(body, SHAKEN, t_end=2.0)
    assert straight.peak_tilt > 0.05
    for angle in (0.3, 1.234, 3.0):
        turned = simulate(body, turned_pulse(angle), t_end=2.0)
        assert turned.outcome == straight.outcome
        assert turned.peak_tilt == pytest.approx(straight.peak_tilt, rel=1e-7)
        assert turned.final_yaw == pytest.approx(straight.final_yaw, abs=1e-6)


def test_scale_of_length():
    """Four times as large and twice as slow; a start out of a plane, where nothing is drawn or absolute."""
    small, large = drum(1.0), cylinder(0.8, 4.0, density=1000.0)
    controls = Controls(max_step=1.0)
    w = np.array([0.12, 0.3, 0.2])
    ends = [
        simulate(
            body,
            start=Start(vertex=0, orientation=leaning(0.1), angular_velocity=w / time),
            t_end=1.5 * time,
            controls=controls,
        ).history
        for body, time in ((small, 1.0), (large, 2.0))
    ]
    np.testing.assert_allclose(ends[1]["tilt"], ends[0]["tilt"], rtol=1e-9)
    np.testing.assert_allclose(ends[1]["com"], 4 * ends[0]["com"], rtol=1e-9, atol=1e-10)


def block_like(body):
    """A body with a square base as wide as a rim, and its mass and inertia."""
    corners = body.rim * np.array([[1, -1], [1, 1], [-1, 1], [-1, -1]])
    return Body(body.mass, body.inertia, np.column_stack([corners, np.full(4, -body.com_height)]))


def test_plane_motion_is_that_of_an_edge():
    """Up to the first landing; uplift too."""
    body, rng = drum(1.0), np.random.default_rng(5)
    motion = Motion(np.outer([1.0, 0.0, 0.3], rng.normal(0.0, 1.0, 80) - 6.0), 0.01, "random")
    block = simulate(block_like(body), motion)
    landing = next((e["t"] for e in block.events if e["kind"] == "facet_impact"), block.end_time)
    t_end = 0.9 * landing
    block, round_ = (simulate(b, motion, t_end=t_end) for b in (block_like(body), body))
    assert round_.events[0]["t"] == pytest.approx(block.events[0]["t"], abs=1e-9)
    assert round_.history["tilt"][-1] > 0.02
    assert float(round_.history["tilt"][-1]) == pytest.approx(float(block.history["tilt"][-1]), rel=1e-5)


@pytest.mark.parametrize("com", [(0.0, 0.0, 0.0), (0.05, -0.08, 0.0)])
def test_uplift_is_the_limit_of_many_sides(com):
    motion = Motion(np.array([[0.0, 3.0, 8.0], [0.0, 4.0, 6.0], [0.0, 2.0, -1.0]]), 0.5, "ramps")
    pulse = Pulse((4.0, 3.0, 1.0), 7.0)
    for shaking in (motion, pulse):
        times = [
            simulate(body, shaking, t_end=1.0).events[0]["t"]
            for body in [
                *(cylinder(0.2, 1.0, sides=n, density=1000.0, com=com) for n in (60, 240)),
                cylinder(0.2, 1.0, density=1000.0, com=com),
            ]
        ]
        coarse, fine = (abs(t - times[-1]) for t in times[:2])
        assert fine < 2e-4
    assert fine < 0.15 * coarse  # of the second order


def test_margin_of_uplift():
    body = drum(1.0, com=(0.05, 0.0, 0.0))
    weak = simulate(body, Pulse((1.0, 0.0, 0.0), 7.0))
    assert weak.outcome == Outcome.AT_REST
    assert weak.uplift_margin == pytest.approx(1.0 / (G * 0.15 / 0.5) - 1.0, rel=1e-5)  # of steps


def test_tilt_at_which_a_side_is_drawn_does_not_matter():
    body, start = drum(1.0), Start(edge=0, tilt=0.1)
    ends = []
    for tilt in (1e-5, 1e-6, 1e-7):
        with mock.patch.object(runs, "SWEEP_TILT", tilt):
            history = simulate(body, start=start, t_end=2.0).history
        ends.append(np.array([history["tilt"][-1], *history["com"][-1]]))
    np.testing.assert_allclose(ends[:2], [ends[2]] * 2, atol=3e-6)


def test_rest_and_overturning():
    body = drum(1.0)
    still = Motion(np.zeros((3, 100)), 0.01, "still")
    assert simulate(body, still).outcome == Outcome.AT_REST
    over = simulate(body, start=Start(edge=0, tilt=1.01 * body.slenderness))
    assert over.outcome == Outcome.OVERTURNED
    assert over.peak_tilt == pi / 2
    assert degrees(over.overturning_direction) == pytest.approx(0.0, abs=1e-6)
    under = simulate(body, start=Start(edge=0, tilt=0.9 * body.slenderness), controls=Controls(tail=2.0))
    assert under.outcome == Outcome.SETTLING
    # lifted for an instant, it has hardly moved and comes to rest
    soft = Motion(np.array([[0.0, 4.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]), 0.02, "soft")
    soft = simulate(body, soft)
    assert [event["kind"] for event in soft.events] == ["uplift", "rest"]
    assert soft.outcome == Outcome.AT_REST


@pytest.mark.parametrize("height", [0.4, 1.0])
@pytest.mark.parametrize("loss", [0.02, 0.3])
def test_loss_of_a_sweep(height, loss):
    """Near flat w_r swings with a damping: the share of the energy is the same at every sweep, none of it
    becomes spin, and the sweeps, of a geometric series, come to an end."""
    body, impact = drum(height), Impact(rolling_loss=loss)
    run = simulate(
        body, impact=impact, start=Start(edge=0, tilt=0.05), controls=Controls(step=0.01, tail=20.0)
    )
    tilts = run.history["tilt"].values
    energy = run.history["energy"].values - body.mass * G * body.com_height
    highest = np.flatnonzero((tilts[1:-1] > tilts[:-2]) & (tilts[1:-1] > tilts[2:]))[:5] + 1
    across, along = inertias(body)
    turn = sqrt(across / along - (loss / (8 * pi)) ** 2)
    np.testing.assert_allclose(
        1 - energy[highest[1:]] / energy[highest[:-1]], 1 - np.exp(-loss / (4 * turn)), rtol=1e-4
    )
    assert np.abs(run.history["angular_velocity"][:, 2]).max() < 1e-9
    if loss == 0.3:
        assert run.outcome == Outcome.AT_REST
        assert run.events[-1]["kind"] == "rest"


@pytest.mark.parametrize("seed", [0, 1, 2, 5, 8])
def test_loss_is_that_of_the_reference(seed):
    """Shaken bodies, some with an off-axis centre of mass."""
    case = random_case(seed)
    around, time = 2 * pi * np.arange(48)[:, None] / 48, 0.5 * case.duration
    corners = case.body.centre + case.body.radius * np.hstack([np.cos(around), np.sin(around), 0 * around])
    body = Body(case.body.mass, case.body.inertia, corners, rim=case.body.radius)
    start = Start(vertex=0, orientation=case.orientation, angular_velocity=case.angular_velocity)
    with mock.patch.object(runs, "PENETRATION", np.inf):  # any vertex will do
        motion = Motion(case.shaking.acceleration, case.shaking.step, "random")
        run = simulate(body, motion, Impact(rolling_loss=0.3), start=start, t_end=time, controls=FINE)
    state = at_contact(case.body, case.orientation, case.angular_velocity)
    rolled = roll(replace(case.body, loss=0.3), state, np.array([0.0, time]), case.shaking, pulled=True)
    assert rolled.ending == "time"
    last = run.history.isel(time=-1)
    assert last["angular_velocity"].values == pytest.approx(rolled.angular_velocity[-1], abs=1e-6)
    assert last["tilt"].item() == pytest.approx(rolled.tilt[-1], abs=1e-7)


@pytest.mark.parametrize(("impact", "outcome"), [
    (Impact(), Outcome.AT_REST), (Impact(lambda_lon=0.5), Outcome.AT_REST),
    (Impact(lambda_lon=0.0), Outcome.SETTLING), (Impact(lambda_lon=-0.5), Outcome.SETTLING),
    (Impact(law="kalliontzis_2016", nu=0.7), Outcome.AT_REST), (Impact(law="moreau_1988"), Outcome.AT_REST),
])  # fmt: skip
def test_landing_in_a_plane_is_that_of_a_block(impact, outcome):
    """By every law, and the more so the flatter the base."""
    start, controls, errors = Start(edge=0, tilt=0.1), Controls(tail=20.0), []
    block = simulate(block_like(drum(1.0)), impact=impact, start=replace(start, edge=1), controls=controls)
    for clearance in (1e-4, 1e-5):
        uneven = replace(impact, clearance=clearance)
        round_ = simulate(drum(1.0), impact=uneven, start=start, controls=controls)
        assert round_.outcome == block.outcome == outcome
        pairs = list(zip(round_.events, block.events, strict=False))[:6]
        assert {e["kind"] for pair in pairs for e in pair} == {"facet_impact"}
        errors.append(max(abs(a["t"] - b["t"]) for a, b in pairs))
        for a, b in pairs:
            assert np.linalg.norm(a["omega"]) == pytest.approx(np.linalg.norm(b["omega"]), rel=20 * clearance)
            assert a["energy_change"] == pytest.approx(b["energy_change"], rel=20 * clearance, abs=1e-9)
    assert errors[1] < 0.12 * errors[0]
    assert round_.peak_friction_demand == pytest.approx(block.peak_friction_demand, rel=1e-4)
    assert round_.certified_friction == pytest.approx(block.certified_friction, rel=1e-4)
    assert round_.energy_gain_impacts == block.energy_gain_impacts


@pytest.mark.parametrize("com", [(0.0, 0.0, 0.0), (0.04, 0.0, 0.0)])
@pytest.mark.parametrize(
    "impact",
    [
        Impact(lambda_lon=0.6, lambda_lat=0.3),
        Impact(lambda_lon=0.8, lambda_lat=-0.5),
        Impact(lambda_lon=0.9),
        Impact(law="moreau_1988"),
        Impact(law="ther_kollar_2017"),
        Impact(lambda_lon=0.02, lambda_lat=0.5),  # would gain energy
    ],
)
def test_landing_is_the_limit_of_many_sides(com, impact):
    """Velocity after a landing and energy lost: those of polygons, whose corners are places of the rim."""
    made = {"radius": 0.2, "height": 1.0, "density": 1000.0, "com": com}
    bodies = *(cylinder(sides=n, **made) for n in (48, 240)), cylinder(**made)
    found, gains = [], []
    for body in bodies:
        run = simulate(
            body,
            impact=replace(impact, clearance=5e-7),
            start=Start(edge=0, tilt=1e-6, rate=-1.0),
            t_end=1e-3,
        )
        assert run.events[0]["kind"] == "facet_impact"
        found.append(np.array([*run.events[0]["omega"], 0.2 * run.events[0]["energy_change"]]))
        gains.append(run.energy_gain_impacts)
    assert len(set(gains)) == 1
    coarse, fine = (np.abs(a - found[2]).max() for a in found[:2])
    assert fine < 0.015
    assert fine < coarse or coarse < 1e-3


def rolled_on(body, starts, impact):
    """Vertical in body axes and yaw after a second from starts out of a plane (n, 3)."""
    ends = []
    for q, w in starts:
        corners = body.vertices[list(body.faces[0])]
        start = Start(
            vertex=int((corners @ rotation_matrix(q)[2]).argmin()), orientation=q, angular_velocity=w
        )
        controls = Controls(edge_zeno_time=1e-6)
        history = simulate(body, impact=impact, start=start, t_end=1.0, controls=controls).history
        turn = rotation_matrix(history["orientation"].values[-1])
        ends.append([*turn[2, :2], atan2(turn[1, 0], turn[0, 0])])
    return np.array(ends)


def test_many_sides_roll_as_a_rim():
    """Nearly of the second order in the number of sides: with lambda = 0 as one without loss, with lambda = 1
    as one with their loss, from which that without is away by the first order."""
    rng, made = np.random.default_rng(2), {"radius": 0.2, "height": 1.0, "density": 1000.0}
    rim, starts = cylinder(**made), []
    for _ in range(4):
        q = leaning(rng.uniform(0.08, 0.2), rng.uniform(0, 2 * pi))
        axis = rotation_matrix(q)[:, 2]
        starts.append((q, rng.uniform(1.5, 4.0) * (np.array([0, 0, 1]) - axis[2] * axis)))
    _, along = inertias(rim)
    errors = {"smooth": [], "lossy": [], "apart": []}
    for sides in (24, 48, 96):
        polygon, loss = cylinder(sides=sides, **made), 4 * pi**2 * rim.mass * rim.rim**2 / (sides * along)
        smooth = rolled_on(rim, starts, Impact())
        lossy = rolled_on(rim, starts, Impact(rolling_loss=loss))
        rough = rolled_on(polygon, starts, Impact())
        errors["smooth"].append(np.abs(rolled_on(polygon, starts, Impact(lambda_=0.0)) - smooth).mean())
        errors["lossy"].append(np.abs(rough - lossy).mean())
        errors["apart"].append(np.abs(rough - smooth).mean())
    ratios = {name: error[0] / error[2] for name, error in errors.items()}
    assert errors["smooth"][2] < 3e-4
    assert errors["lossy"][2] < 3e-4
    assert errors["apart"][2] > 10 * errors["lossy"][2]
    assert ratios["smooth"] > 5  # 4 would be of the first order; they start on the nearest corner
    assert ratios["lossy"] > 5
    assert 3 < ratios["apart"] < 5


def test_refusals():
    body = drum()
    with pytest.raises(ValueError, match=r"Controls\.follow_fall is not for a body with a rim yet"):
        simulate(body, controls=Controls(follow_fall=True))
    with pytest.raises(ValueError, match="must lean a body with a rim"):
        simulate(body, start=Start(vertex=0))
    made = {"mass": body.mass, "inertia": body.inertia, "vertices": body.vertices, "faces": body.faces}
    with pytest.raises(ValueError, match=r"Body\.rim must be between .* 0\.199.* to 0\.2 m, got 0\.3 m"):
        Body(**made, rim=0.3)
    with pytest.raises(ValueError, match="a body with one base, its start face 0"):
        Body(**made, rim=0.2, base_faces=(0, 1))


def test_loss_and_clearance_may_be_drawn_each_time_the_rim_comes_down():
    """By the realization and how often that was: one and the same realization ends at one time."""
    body, n = drum(1.0), 3
    for key, spread in (("ROLLING_LOSS", (0.2, 0.5)), ("CLEARANCE", (0.01, 0.03))):
        parameter = ImpactParameter[key]
        inputs = inputs_of(body, np.ones(n), np.zeros(n, np.int64), np.full(n, 0.1))
        redrawn, tables = inputs.redrawn.copy(), np.zeros((len(ImpactParameter), 65))
        redrawn[:, parameter], tables[parameter] = 1, np.linspace(*spread, 65)
        number = np.array([4, 7, 4])
        inputs = replace(inputs, rim=np.full(n, body.rim), redrawn=redrawn, quantiles=tables, number=number)
        first, other, again = simulate_part(inputs, STILL, Controls(recheck=0.0))["end_time"].ravel()
        assert first == again != other


@pytest.mark.parametrize("seed", range(6))
def test_a_body_of_revolution_without_loss_goes_on_as_it_has_been(seed):
    """With more energy than it takes to fall it has come down twice and stands: so it does ten times as long.
    Off its axis nothing tells."""
    rng = np.random.default_rng(seed)
    start = Start(
        vertex=0,
        orientation=leaning(rng.uniform(0.05, 0.2)),
        angular_velocity=(0.0, 0.0, rng.uniform(4.0, 8.0)),
    )
    body = drum(1.0)
    short, long = (simulate(body, start=start, t_end=time, controls=FINE) for time in (4.0, 40.0))
    energy = short.history["energy"].values[0] - body.mass * G * body.com_height
    assert energy > body.mass * G * (body.radius - body.com_height)
    assert short.outcome == Outcome.SETTLING
    assert long.outcome == Outcome.SETTLING
    assert long.peak_tilt == pytest.approx(short.peak_tilt, rel=1e-3)
    off = simulate(drum(1.0, com=(0.002, 0.0, 0.0)), start=start, t_end=4.0, controls=FINE)
    assert off.outcome in (Outcome.ROCKING, Outcome.OVERTURNED)


@pytest.mark.parametrize("axis", [(0.0, 0.0, 1.0), (0.01, 0.0, 1.0), (-0.2, 0.1, 1.0)])
def test_a_spin_with_which_the_ground_would_pull_is_refused(axis):
    """With its bound, at which the force of the kernel vanishes; an off-axis body has one too."""
    body = cylinder(0.2, 1.0, density=1000.0, com=(0.03, 0.02, 0.1))
    axis = np.array(axis) / hypot(*axis)

    def start(speed):
        return Start(vertex=0, orientation=leaning(0.05, 0.4), angular_velocity=tuple(speed * axis))

    with pytest.raises(
        ValueError, match=r"Start\.angular_velocity of 80 rad/s is too fast to roll"
    ) as refused:
        simulate(body, start=start(80.0), t_end=1e-4)
    most = float(str(refused.value).split("up to ")[1].split()[0])
    for share in (0.5, 0.999):
        run = simulate(body, start=start(share * most), t_end=1e-6)
        still = simulate(body, start=start(0.0), t_end=1e-6).lowest_normal_force
        assert run.lowest_normal_force == pytest.approx(still * (1.0 - share**2), abs=1e-3)
    flying = simulate(body, contact=Contact(friction=0.6), start=start(80.0), t_end=0.05)
    assert flying.flights + flying.slip_path > 0.0


def test_a_turn_faster_than_sound_is_refused_with_friction():
    body = cylinder(0.3, 0.8, density=1000.0)  # its farthest corner is 0.5 m from the COM
    contact = Contact(friction=0.4)
    for start in (Start(yaw_rate=1e4), Start(position=(0.0, 0.0, 1.0), angular_velocity=(0.0, 1e4, 0.0))):
        with pytest.raises(ValueError, match=r"at 1e\+04 rad/s, .* 5000 m/s: .* 340 m/s, here 680 rad/s"):
            simulate(body, contact=contact, start=start)
    run = simulate(body, contact=contact, start=Start(yaw_rate=679.0), history=False)
    assert run.outcome == Outcome.AT_REST
    assert run.results["steps"] < 1e5
