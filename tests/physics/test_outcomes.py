"""How runs end and what they report: every outcome, the counters of strained runs, the final pose."""

from math import cos, pi, sin

import numba
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from mcrock.base.params import GRAVITY, Outcome
from mcrock.body import Body, cuboid
from mcrock.excitation import Motion, Pulse, half_sine
from mcrock.impact.conditions import Contact, Controls, Impact, Start
from mcrock.simulation.runs import simulate
from tests.physics.bodies import TIGHT
from tests.physics.contact import barrier, largest_gain, vertex_positions

ATOL = 1e-6  # times [s]: fine steps and what the fall amplifies
ENERGY_RTOL = 1e-8  # energy after a free fall of the body at tight settings
GAIN = 1e-9  # of energy in an impact, over the kinetic energy before
POSE_ATOL = 1e-12  # position [m] and yaw [rad] computed twice from the same pose
RELEASE_ATOL = 1e-7  # release of an edge [s]: located to 1e-9, after steps of 1 ms

BLOCK = cuboid(0.4, 0.5, 1.6, mass=10.0)


def burst(peak, start, length, total, vertical=False, azimuth=0.0, dt=0.01):
    """A rectangular pulse of ground acceleration (but for one step of rise and fall)."""
    t = np.arange(0.0, total + dt / 2, dt)
    wave = np.where((t >= start) & (t < start + length), peak, 0.0)
    rows = [0 * t, 0 * t, wave] if vertical else [cos(azimuth) * wave, sin(azimuth) * wave, 0 * t]
    return Motion(rows, dt=dt, name="burst")


def test_at_rest_without_uplift():
    run = simulate(BLOCK, burst(0.9 * GRAVITY * 0.25, 0.5, 0.5, 2.0))
    assert run.outcome == Outcome.AT_REST
    assert run.events == []
    assert run.peak_tilt == 0.0
    assert run.end_time == pytest.approx(2.0)


def test_at_rest_after_rocking():
    run = simulate(BLOCK, start=Start(edge=0, tilt=0.1), controls=TIGHT)
    assert run.outcome == Outcome.AT_REST
    assert run.events[-1]["kind"] == "rest"
    assert run.events[-1]["to"] == ("REST", 0)
    assert float(run.history.tilt[-1]) == 0.0


@pytest.mark.parametrize("gain", ["project", "allow"])
def test_settling_or_rocking_by_the_energy_left(gain):
    """Stopped early. With less energy than overturns it is settling, if no impact can add any."""
    impact = Impact(energy_gain=gain)
    low = simulate(BLOCK, None, impact, start=Start(edge=0, tilt=0.15), t_end=1.2)
    assert low.outcome == (Outcome.SETTLING if gain == "project" else Outcome.ROCKING)
    assert low.end_time == pytest.approx(1.2)


def test_settling_ends_where_the_energy_equals_the_barrier():
    """Moving up from a tilt of 0.1 with just less or just more energy than stands over the edge."""
    alpha = BLOCK.slenderness
    about = BLOCK.inertia[1, 1] + BLOCK.mass * BLOCK.radius**2
    short = BLOCK.mass * GRAVITY * BLOCK.radius * (1 - cos(alpha - 0.1))
    rate = (2 * short / about) ** 0.5
    for factor, outcome in ((1 - 1e-6, Outcome.SETTLING), (1 + 1e-6, Outcome.ROCKING)):
        run = simulate(BLOCK, start=Start(edge=0, tilt=0.1, rate=factor * rate), t_end=1.1, controls=TIGHT)
        assert run.outcome == outcome


@pytest.mark.parametrize("t_end", [0.5, 1.0])
def test_free_rocking_that_is_stopped_early_settles(t_end):
    """No ground motion at all: nothing can add energy, however early the run is stopped."""
    run = simulate(BLOCK, start=Start(edge=0, tilt=0.15), t_end=t_end)
    assert run.outcome == Outcome.SETTLING


def test_without_tail_a_run_settles_where_the_shaking_ends():
    motion = burst(4.0, 0.1, 0.2, 0.5)
    run = simulate(BLOCK, motion, controls=Controls(tail=0.0))
    later = simulate(BLOCK, motion, controls=Controls(tail=1e-3))
    assert later.outcome == Outcome.SETTLING
    assert run.outcome == Outcome.SETTLING


STOPS = Controls(stop_at_settling=True)


@pytest.mark.parametrize("friction", [0.1, 0.3, None])
def test_a_body_that_falls_does_not_settle(friction):
    """Released beyond its slenderness, with less energy than stands over the edge; slip takes more of it."""
    case = {"start": Start(edge=0, tilt=1.6 * BLOCK.slenderness), "contact": Contact(friction=friction)}
    assert simulate(BLOCK, controls=STOPS, **case).outcome == Outcome.OVERTURNED
    assert simulate(BLOCK, t_end=0.1, **case).outcome == Outcome.ROCKING


def test_a_run_may_stop_where_it_can_rise_no_higher_again():
    """Released: it has been highest at the start, and the first impact takes the energy to get there."""
    start = Start(edge=0, tilt=0.1)
    run, whole = simulate(BLOCK, start=start, controls=STOPS), simulate(BLOCK, start=start)
    assert (run.outcome, whole.outcome) == (Outcome.SETTLING, Outcome.AT_REST)
    assert run.end_time == run.events[0]["t"] == whole.events[0]["t"]
    assert run.peak_tilt == whole.peak_tilt
    allowed = Impact(energy_gain="allow")
    assert simulate(BLOCK, None, allowed, start=start, controls=STOPS).outcome == Outcome.AT_REST


@pytest.mark.parametrize("slope", [(0.0, 0.0), (0.03, -0.02)])
@pytest.mark.parametrize("contact", [None, Contact(friction=0.3)])
@pytest.mark.parametrize("peak", np.linspace(0.25, 0.6, 8) * GRAVITY)
def test_stopping_changes_neither_who_overturns_nor_the_peak(peak, contact, slope):
    """The pulse leaves the body on its way up, in some cases for good."""
    motion = Pulse((peak, 0.3 * peak, 0.0), 9.0)
    run, whole = (
        simulate(BLOCK, motion, contact=contact, slope=slope, controls=controls, history=False)
        for controls in (STOPS, Controls())
    )
    assert (run.outcome == Outcome.OVERTURNED) == (whole.outcome == Outcome.OVERTURNED)
    assert run.peak_tilt == whole.peak_tilt
    assert run.end_time <= whole.end_time


def test_a_run_does_not_stop_before_the_last_of_the_shaking():
    """The second burst overturns what has come close to rest after the first."""
    first, second = burst(4.0, 0.1, 0.3, 3.0), burst(6.0, 2.5, 0.5, 3.0)
    motion = Motion(first.acceleration + second.acceleration, first.dt, "two bursts")
    assert simulate(BLOCK, first, controls=STOPS).outcome == Outcome.SETTLING
    run, whole = simulate(BLOCK, motion, controls=STOPS), simulate(BLOCK, motion)
    assert run.outcome == whole.outcome == Outcome.OVERTURNED
    assert run.results == whole.results


def test_still_shaken_at_the_end_is_rocking():
    run = simulate(BLOCK, burst(0.01, 0.0, 5.0, 6.0), start=Start(edge=0, tilt=0.05), t_end=0.1)
    assert run.outcome == Outcome.ROCKING


def test_step_limit():
    run = simulate(BLOCK, start=Start(edge=0, tilt=0.1), controls=Controls(max_steps=10))
    assert run.outcome == Outcome.STEP_LIMIT
    assert run.steps == 11  # the one that is refused is counted


def test_impact_limit():
    run = simulate(BLOCK, start=Start(edge=0, tilt=0.1), controls=Controls(max_impacts=3))
    assert run.outcome == Outcome.IMPACT_LIMIT
    assert run.facet_impacts + run.edge_impacts == 4


def test_instant_limit():
    """Without a rule that ends sequences of impacts they go on at one instant."""
    body = cuboid(0.6, 0.4, 2.0, mass=10.0)
    run = simulate(
        body,
        None,
        Impact(lambda_lon=0.9, lambda_lat=0.5),
        start=Start(edge=0, tilt=0.05),
        controls=Controls(edge_zeno_time=1e-300, rest_time=1e-300, max_steps=100_000),
    )
    assert run.outcome == Outcome.INSTANT_LIMIT


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="Python raises where compiled code overflows")
def test_not_finite():
    """An acceleration that overflows."""
    absurd = Pulse((1e100, 3e99, 0.0), 1.0)
    assert simulate(BLOCK, absurd).outcome == Outcome.NOT_FINITE


@pytest.mark.parametrize(
    ("impact", "outcome"),
    [
        (Impact(lambda_=-1.0, lambda_lon=-1.0), Outcome.OVERTURNED),  # as with any smaller step
        (Impact(tau=-300.0, energy_gain="allow"), Outcome.NOT_FINITE),  # every impact gains energy
    ],
)
@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="Python raises where compiled code overflows")
def test_a_needle_thrown_about_comes_to_an_end(impact, outcome):
    """It turns so fast about its axis that a step's first guess of what lands is wrong."""
    t = np.arange(400) * 0.01
    push = 9810.0 * np.sin(2.0 * pi * t) * np.exp(-t)
    shaking = Motion([push, 0.7 * np.roll(push, 7), 0.0 * push], dt=0.01, name="1000 g")
    run = simulate(cuboid(0.05, 0.05, 10.0, 2600.0), shaking, impact, controls=Controls(max_steps=1000))
    assert run.outcome == outcome
    assert run.steps < 100


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="Python raises where compiled code overflows")
def test_a_body_at_rest_does_not_survive_what_is_no_number():
    """The pressure under the base overflows."""
    absurd = Pulse((1e308, 1e308, 1e308), 1.0)
    assert simulate(BLOCK, absurd).outcome == Outcome.NOT_FINITE


def fall_time(p, slenderness, tilt):
    """Time from rest at ``tilt`` beyond the slenderness to 90 degrees [s]."""

    def integrand(u):  # theta = tilt + u^2 takes the singular start away
        over = tilt - slenderness
        return 2 * u / (p * (2 * (cos(over) - cos(over + u * u))) ** 0.5)

    return quad(integrand, 0, (pi / 2 - tilt) ** 0.5, epsabs=0, epsrel=1e-12)[0]


@pytest.mark.parametrize(("edge", "direction"), [(0, 0.0), (1, pi / 2), (2, pi), (3, -pi / 2)])
def test_overturned_over_an_edge_at_the_exact_time_and_in_its_direction(edge, direction):
    slenderness = BLOCK.edge_slenderness[edge]
    radius = np.hypot([0.2, 0.25][edge % 2], 0.8)
    p = (3 * GRAVITY / (4 * radius)) ** 0.5
    tilt = slenderness + 0.05
    run = simulate(BLOCK, start=Start(edge=edge, tilt=tilt), controls=TIGHT)
    assert run.outcome == Outcome.OVERTURNED
    assert run.overturning_time == pytest.approx(fall_time(p, slenderness, tilt), abs=ATOL)
    assert cos(run.overturning_direction - direction) == pytest.approx(1.0, abs=POSE_ATOL)
    assert run.peak_tilt == pi / 2
    assert run.peak_tilt_ratio == pytest.approx(pi / 2 / BLOCK.slenderness)
    assert run.end_time == run.overturning_time
    assert run.events[-1]["kind"] == "overturn"
    assert run.events[-1]["tilt"] == pytest.approx(pi / 2, abs=1e-9)
    assert run.edge_impacts + run.facet_impacts == 0


def test_overturned_over_a_vertex():
    """Beyond a corner in the vertical plane of symmetry of a square block: planar about the corner."""
    body = cuboid(0.4, 0.4, 1.6, mass=10.0)
    tilt = np.arctan(0.2 * 2**0.5 / 0.8) + 0.05
    s = sin(tilt / 2) / 2**0.5
    q = [cos(tilt / 2), -s, s, 0.0]  # about (-1, 1)/sqrt 2: over the corner at (+, +)
    run = simulate(body, start=Start(vertex=1, orientation=q), controls=TIGHT)
    assert run.outcome == Outcome.OVERTURNED
    assert run.overturning_direction == pytest.approx(pi / 4, abs=1e-9)
    K = body.inertia[0, 0] + body.mass * (0.8**2 + 2 * 0.2**2)  # about a horizontal axis through the corner
    p = (body.mass * GRAVITY * (0.8**2 + 2 * 0.2**2) ** 0.5 / K) ** 0.5
    assert run.overturning_time == pytest.approx(fall_time(p, tilt - 0.05, tilt), abs=ATOL)


def test_nothing_to_report_without_overturning():
    run = simulate(BLOCK, start=Start(edge=0, tilt=0.1))
    assert np.isnan(run.overturning_time)
    assert np.isnan(run.overturning_direction)


def test_a_push_in_one_direction_fells_the_block_in_the_other():
    for azimuth in (0.0, pi / 2, 2.5):
        run = simulate(BLOCK, half_sine(15.0, 6.0, azimuth))
        assert run.outcome == Outcome.OVERTURNED
        assert cos(run.overturning_direction - azimuth - pi) > 0.5


@pytest.mark.parametrize("start", [Start(), Start(edge=0, tilt=0.1)], ids=["at rest", "rocking"])
def test_strong_vertical_shaking_loses_contact(start):
    weak, strong = (
        simulate(BLOCK, burst(-share * GRAVITY, 0.05, 0.1, 0.4, vertical=True), start=start)
        for share in (0.5, 1.5)
    )
    assert weak.contact_lost == 0.0
    assert weak.lowest_normal_force > 0.0
    assert strong.contact_lost == 1.0
    assert strong.lowest_normal_force < 0.0


def vertical(share, before):
    """Motion of 3 g after 20 s, with a share of it along the ground, and perhaps a strong phase before."""
    t = np.arange(0.0, 21.0, 0.005)
    wave = np.where(t > 20.0, -30.0 * np.sin(4 * pi * t), 0.0)
    rock = np.where((t < 0.5) & before, 4.0 * np.sin(4 * pi * t), 0.0)
    return Motion([rock + share * wave, 0.3 * share * wave, wave], dt=0.005, name="vertical")


@pytest.mark.parametrize("share", [0.0, 1e-6, 0.01, 0.1])
@pytest.mark.parametrize("before", [False, True], ids=["at first", "after rocking"])
def test_a_body_lifted_off_its_whole_base_from_rest_is_undecided(share, before):
    """Contacts that stick would turn it about an edge by their pull, and overturn it."""
    motion = vertical(share, before)
    run = simulate(BLOCK, motion)
    assert run.outcome == Outcome.LIFTED_OFF
    assert (run.facet_impacts > 0) == before
    assert run.contact_lost == 1.0
    exact = np.interp(GRAVITY, -motion.acceleration[2, 4000:4020], motion.dt * np.arange(4000, 4020))
    assert exact <= run.end_time <= exact + 2 * motion.dt


def test_with_friction_a_body_that_is_lifted_off_flies():
    run = simulate(BLOCK, vertical(0.0, False), contact=Contact(friction=0.7))
    assert run.outcome == Outcome.AT_REST
    assert run.longest_flight > 0.01


@pytest.mark.parametrize("share", [0.0, 0.01])
def test_below_one_g_vertical_motion_lifts_nothing_off(share):
    t = np.arange(0.0, 2.0, 0.005)
    wave = 0.99 * GRAVITY * np.sin(4 * pi * t)
    assert simulate(BLOCK, Motion([share * wave, 0 * t, wave], dt=0.005, name="v")).outcome == Outcome.AT_REST


def test_normal_force_of_planar_rocking():
    """F_z/m = g + z'' of the COM, least at the start of a free rocking half-cycle."""
    tilt = 0.1
    run = simulate(BLOCK, start=Start(edge=0, tilt=tilt), controls=TIGHT, t_end=1e-4)
    lean, p = BLOCK.slenderness - tilt, BLOCK.frequency
    acceleration = p * p * sin(lean)
    expected = 1 - BLOCK.radius * acceleration * sin(lean) / GRAVITY
    assert run.lowest_normal_force == pytest.approx(expected, rel=1e-6)  # the rate adds (p t)^2


def test_infeasible_facet_impact_is_counted_with_its_energy():
    """A cube with R at a corner has k = -0.2 there: it stops, and the run says what that hid."""
    body = cuboid(1.0, 1.0, 1.0, mass=3.0)
    run = simulate(
        body, None, Impact(lambda_lat=1.0, energy_gain="allow"), start=Start(edge=0, tilt=0.3), controls=TIGHT
    )
    drop = body.radius * (cos(body.slenderness - 0.3) - cos(body.slenderness))
    assert run.infeasible_facet_impacts == 1
    assert run.infeasible_energy_loss == pytest.approx(
        body.mass * GRAVITY * drop / barrier(body), rel=ENERGY_RTOL
    )
    assert run.impact_energy_loss == pytest.approx(body.mass * GRAVITY * drop, rel=ENERGY_RTOL)
    assert run.events[0]["to"] == ("REST", 0)
    assert run.outcome == Outcome.AT_REST
    slender = simulate(BLOCK, None, Impact(lambda_lat=1.0), start=Start(edge=0, tilt=0.1))
    assert slender.infeasible_facet_impacts == 0
    assert slender.infeasible_energy_loss == 0.0


def test_infeasible_edge_impact_is_plastic_and_counted():
    """A wide low block with lambda beyond 1: the old pivot would not lift, nor the old edge after it."""
    body = cuboid(2.0, 2.0, 0.6, mass=3.0)
    turn = np.array([1.0, -0.1, 0.2, 0.0])
    start = Start(vertex=1, orientation=turn / np.linalg.norm(turn), angular_velocity=(0.3, -0.3, 0.0))
    run = simulate(body, None, Impact(lambda_=1.5), start=start, controls=TIGHT, t_end=1.0)
    event, landing = run.events[:2]
    assert event["kind"] == "edge_impact"
    assert event["to"][0] == "EDGE"
    assert event["energy_change"] < 0.0
    assert landing["to"] == ("REST", 0)
    assert (run.infeasible_edge_impacts, run.infeasible_facet_impacts) == (1, 1)
    lost = -(event["energy_change"] + landing["energy_change"]) / barrier(body)
    assert run.infeasible_energy_loss == pytest.approx(lost, rel=ENERGY_RTOL)


@pytest.mark.parametrize(("lon", "lat"), [(-0.5, 0.0), (0.3, 0.8)])
@pytest.mark.parametrize("yaw", [0.0, 0.7])
def test_landing_across_the_diagonal_gains_no_energy(lon, lat, yaw):
    """A square block that rocks over its corners lands on its whole base at once, spinning by rounding."""
    body, s = cuboid(0.4, 0.4, 1.6, mass=10.0), sin(0.05) / 2**0.5
    turn = Rotation.from_euler("z", yaw) * Rotation.from_quat([-s, s, 0.0, cos(0.05)])
    start = Start(vertex=1, orientation=turn.as_quat(scalar_first=True))
    run = simulate(body, None, Impact(lambda_lon=lon, lambda_lat=lat), start=start, controls=TIGHT, t_end=2.0)
    assert run.events[0]["kind"] == "facet_impact"
    assert run.energy_gain_impacts >= 1
    assert largest_gain(body, run) <= GAIN


def edge_stick_example():
    """Section 4 of the theory: block tilted 0.05 rad over edge 0, shaken along it with 20 t m/s2."""
    return cuboid(0.8, 0.5, 3.0, mass=1.0), Motion([[0, 0], [0, 20.0], [0, 0]], dt=1.0, name="ramp")


def contact_along_edge(body, tilt, rate, a_y):
    """M_n, F_z and the release accelerations of both ends over mass, by numpy from theory section 4."""
    R = np.array([[cos(tilt), 0, sin(tilt)], [0, 1, 0], [-sin(tilt), 0, cos(tilt)]])
    e, n = np.array([0.0, 1.0, 0.0]), np.array([-1.0, 0.0, 0.0])
    g_eff = np.array([0.0, -a_y, -body.gravity])
    lifts = []
    for p, q in ((0, 1), (1, 0)):
        c = -R @ body.base[p]
        K = R @ body.inertia @ R.T + body.mass * (c @ c * np.eye(3) - np.outer(c, c))
        pull = np.cross(c, body.mass * g_eff)
        turn = np.linalg.solve(K, pull - np.cross(rate * e, K @ (rate * e)))
        d = R @ (body.base[q] - body.base[p])
        lifts.append((np.cross(turn, d) + np.cross(rate * e, np.cross(rate * e, d)))[2])
        if p == 0:
            acceleration = e @ pull / (e @ K @ e)
            moment = K @ (acceleration * e) + np.cross(rate * e, K @ (rate * e)) - pull
            lift = np.cross(acceleration * e, c) + np.cross(rate * e, np.cross(rate * e, c))
            first = moment @ n, body.mass * (lift - g_eff)[2], acceleration
    return *first, lifts


def test_release_waits_until_the_free_end_can_lift():
    """COP beyond the end at 0.0780 s, the other end lifts only at 0.0997 s: stuck in between."""
    body, ramp = edge_stick_example()
    run = simulate(body, ramp, start=Start(edge=0, tilt=0.05), controls=TIGHT, t_end=0.15)
    p2 = body.mass * body.gravity * np.hypot(0.4, 1.5)
    p2 /= body.inertia[1, 1] + body.mass * (0.4**2 + 1.5**2)

    def state(t):  # free rocking over edge 0: shaking along the edge does not turn it
        lean0 = body.edge_slenderness[0] - 0.05
        # three terms of the series of theta'' = -p2 sin(alpha - theta), enough for 0.1 s at p = 2
        s, c = sin(lean0), cos(lean0)
        tilt = 0.05 - p2 * s * t**2 / 2 - p2**2 * s * c * t**4 / 24
        return tilt, -p2 * s * t - p2**2 * s * c * t**3 / 6

    def beyond(t):  # beyond the end at vertex 0
        return contact_along_edge(body, *state(t), 20.0 * t)[0]

    def lifts(t):
        return contact_along_edge(body, *state(t), 20.0 * t)[3][0]

    beyond_time, lift_time = brentq(beyond, 0.05, 0.09), brentq(lifts, 0.09, 0.12)
    assert beyond_time == pytest.approx(0.0780, abs=0.5e-4)
    assert lift_time == pytest.approx(0.0997, abs=0.5e-4)
    assert run.events[0]["kind"] == "edge_release"
    assert run.events[0]["to"] == ("VERTEX", 0)
    assert run.events[0]["t"] == pytest.approx(lift_time, abs=RELEASE_ATOL)
    assert run.edge_stick_infeasible == 1.0
    early = simulate(body, ramp, start=Start(edge=0, tilt=0.05), controls=TIGHT, t_end=beyond_time - 1e-3)
    stuck = simulate(body, ramp, start=Start(edge=0, tilt=0.05), controls=TIGHT, t_end=beyond_time + 3e-3)
    assert early.edge_stick_infeasible == 0.0
    assert stuck.edge_stick_infeasible == 1.0


def test_block_shaken_across_an_edge_is_never_stuck():
    body, _ = edge_stick_example()
    ramp = Motion([[0, 20.0], [0, 0], [0, 0]], dt=1.0, name="ramp")
    run = simulate(body, ramp, start=Start(edge=0, tilt=0.05), controls=TIGHT, t_end=0.15)
    assert run.edge_stick_infeasible == 0.0


def test_rest_is_left_again_when_shaking_returns():
    first = burst(4.0, 0.1, 0.2, 20.0)
    second = burst(-4.0, 10.0, 0.2, 20.0)
    motion = Motion(first.acceleration + second.acceleration, dt=first.dt, name="two bursts")
    run = simulate(BLOCK, motion, controls=TIGHT)
    kinds = [event["kind"] for event in run.events]
    assert kinds[0] == "uplift"
    rests = [i for i, kind in enumerate(kinds) if kind == "rest"]
    assert len(rests) == 2
    again = run.events[rests[0] + 1]
    assert again["kind"] == "uplift"
    # the ramp from 0 to -4 between two samples passes g b/h at this time
    assert again["t"] == pytest.approx(9.99 + 0.01 * GRAVITY * 0.25 / 4.0, abs=1e-12)
    assert run.events[0]["to"] == ("EDGE", 2)
    assert again["to"] == ("EDGE", 0)
    assert run.events[rests[0]]["t"] < 10.0
    assert run.outcome == Outcome.AT_REST


def test_yaw_and_displacement_of_a_body_that_walked():
    """Against the pose in the history: the centre of the base and its turn about the vertical."""
    body = Body(
        100.0,
        np.diag([40.0, 38.0, 12.0]),
        [[0.3, -0.35, -0.9], [0.35, 0.3, -0.9], [-0.3, 0.3, -0.9], [-0.3, -0.3, -0.9]],
    )
    t = np.arange(0, 6, 0.02)
    motion = Motion([3.5 * np.sin(4 * t), 2.8 * np.sin(5.5 * t + 1), 0 * t], dt=0.02, name="walk")
    run = simulate(body, motion, Impact(lambda_lon=0.8, lambda_lat=0.4))
    assert run.outcome == Outcome.AT_REST
    where = vertex_positions(body, run)
    moved = (where[-1] - where[0]).mean(0)
    assert np.linalg.norm(moved) > 1e-3
    assert [run.final_displacement_x, run.final_displacement_y, 0.0] == pytest.approx(moved, abs=POSE_ATOL)
    edge0, edge1 = (where[i, 1] - where[i, 0] for i in (0, -1))
    yaw = np.arctan2(np.cross(edge0, edge1)[2], edge0 @ edge1)
    assert abs(yaw) > 1e-3
    assert run.final_yaw == pytest.approx(yaw, abs=POSE_ATOL)
    # it moves with its contact points alone: no vertex jumps where the contact changes
    steps = np.abs(np.diff(where, axis=0)).max((1, 2))
    speed = np.abs(run.history.angular_velocity.values).max() * 2 * np.abs(body.base).max()
    assert (steps <= 2 * speed * np.diff(run.history.time.values) + 1e-6).all()
    # peaks of the run are those of its history, which has no points between the steps
    assert run.peak_tilt == pytest.approx(float(run.history.tilt.max()), abs=1e-4)
    assert run.peak_tilt >= float(run.history.tilt.max()) - POSE_ATOL


def test_normal_force_at_rest_follows_the_vertical_acceleration():
    body = cuboid(0.4, 0.4, 1.6, mass=10.0)
    run = simulate(body, Motion([[0, 0, 0], [0, 0, 0], [0, -5.0, 0]], dt=0.1, name="vertical"))
    assert run.lowest_normal_force == pytest.approx(1 - 5.0 / GRAVITY, rel=1e-12)
    assert run.contact_lost == 0
    run = simulate(body, Motion([[0, 0, 0], [0, 0, 0], [0, -12.0, 0]], dt=0.1, name="throws up"))
    assert run.lowest_normal_force < 0
    assert run.contact_lost == 1


def test_stopped_while_the_ground_still_moves_is_undecided():
    motion = Motion([[0, 0, 20.0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], dt=0.5, name="late")
    assert simulate(cuboid(0.4, 0.4, 1.6, mass=10.0), motion, t_end=0.4).outcome == Outcome.ROCKING
