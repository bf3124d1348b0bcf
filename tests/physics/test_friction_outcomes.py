"""Runs with friction of any strength end soon, with an outcome that is theirs."""

from collections import Counter

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from mcrock.base.params import DECIDED, STANDARD_GRAVITY, Mode, Outcome
from mcrock.body import cuboid, cylinder, hull
from mcrock.excitation import Motion, Pulse, pack_motions
from mcrock.impact.conditions import Contact, Controls, Impact, Start
from mcrock.kernel.friction.impacts import hold_down
from mcrock.simulation.runs import body_tables, simulate, simulate_realization
from mcrock.study.load import load_config
from mcrock.study.sampling import draw_inputs, load_motions
from tests.benchmarks.extreme import extreme
from tests.physics.friction import rock, scenario, thrown

# faces of random hulls may meet at small angles
pytestmark = pytest.mark.filterwarnings("ignore:hull. faces:UserWarning")

RUNS, MOST_STEPS = 100, 30_000
MOST_UNDECIDED = 2  # of the runs; friction above 2, where forces on one corner are undetermined, had 4 in 300


def test_fuzzed_runs_end():
    """Rocks and cuboids, friction 0.05 to 5, restitution 0 to 1, weak and strong pulses, some thrown."""
    outcomes = Counter()
    for seed in range(RUNS):
        rng = np.random.default_rng([15, seed])
        body = rock(rng) if rng.random() < 0.6 else cuboid(*rng.uniform(0.1, 2.0, 3), 1000.0)
        friction = float(np.exp(rng.uniform(np.log(0.05), np.log(5.0))))
        contact = Contact(
            friction=friction,
            static_friction=friction * rng.uniform(1.0, 1.5) if rng.random() < 0.3 else None,
            restitution=rng.uniform(0.0, 1.0) * (rng.random() < 0.5),
            impact_restitution=rng.uniform(0.0, 1.0) * (rng.random() < 0.4),
            tangential_restitution=rng.uniform(-0.5, 0.5) * (rng.random() < 0.2),
        )
        impact = Impact(
            lambda_=rng.uniform(0.0, 1.0), lambda_lon=rng.uniform(0.0, 1.0), lambda_lat=rng.uniform(-0.6, 0.6)
        )
        amplitude = np.exp(rng.uniform(np.log(0.3), np.log(60.0))) * rng.uniform(-1.0, 1.0, 3)
        pulse = Pulse(tuple(amplitude), rng.uniform(2.0, 30.0), cycles=rng.uniform(0.5, 3.0))
        run = simulate(
            body,
            pulse if rng.random() < 0.8 else None,
            impact,
            contact=contact,
            start=thrown(body, rng) if rng.random() < 0.4 else None,
            controls=Controls(max_steps=MOST_STEPS),
            t_end=15.0,
            history=False,
        )
        outcomes[run.outcome] += 1
        if run.outcome != Outcome.PAINLEVE:
            numbers = run.peak_tilt, run.slip_path, run.friction_energy_loss, run.impact_energy_loss
            assert np.isfinite(numbers).all()
    undecided = {Outcome.STEP_LIMIT, Outcome.IMPACT_LIMIT, Outcome.INSTANT_LIMIT, Outcome.NOT_FINITE}
    assert outcomes[Outcome.NOT_RUN] == outcomes[Outcome.NOT_FINITE] == 0
    assert sum(outcomes[name] for name in undecided | {Outcome.PAINLEVE}) <= MOST_UNDECIDED, outcomes


def replay(config, realization, level, *changes):
    """One run of a shipped study."""
    study = load_config(f"{config}.toml", list(changes))
    motions = load_motions(study)
    inputs = draw_inputs(study, motions, realization, realization + 1)
    motions = list(inputs.motions) or motions
    return simulate_realization(inputs, 0, level, pack_motions(motions), study.controls)[1]


def test_face_whose_edge_cannot_stick_slides():
    """Static friction holds the face where it would tip, but not the edge: it slides, as friction of slip
    does not tip it. It tipped, slipped and landed 200 times at one instant."""
    run = replay("configs/museum_plinth", 21, 2, "ensemble.realizations=56")
    assert run.outcome == Outcome.AT_REST
    assert "SLIDE" in [event["to"][0] for event in run.events]


def test_slow_slip_beside_a_fast_one_is_no_chatter():
    """One end of an edge slips at 0.2 m/s and turns the edge while the other begins to slip: its direction
    depends on that turn. An implicit step without it reversed the slip 744 times in this run."""
    run = replay("configs/quickstart", 3, 0, "contact.friction=0.3", "intensity.levels_g=[0.8]")
    reversals = sum(event["kind"] == "slip_reversal" for event in run.events)
    assert run.outcome == Outcome.OVERTURNED
    assert reversals < 50


HOPS = {
    "both ends in turn": ("tests/physics/cask_of_twelve", 1097, 0),
    "slips that begin and end": ("tests/physics/cask_of_twelve", 273, 0),
    "shorter than the clock": ("tests/physics/cask_of_twelve", 2497, 0),
    "a step too long": ("tests/physics/cask_of_twelve", 1320, 0),
    "of a vertex that sticks": ("configs/museum_plinth", 8, 4),
    "of a vertex that slips": ("configs/museum_plinth", 225, 6),
    "a corner that creeps": ("configs/museum_plinth", 417, 2),
    "no pressures for a moment": ("configs/sliding_equipment", 738, 6),
    "up and back in a step": ("tests/physics/cask_of_twelve", 604, 0),
    "a slow slip without a force": ("configs/museum_plinth", 255, 4),
}


@pytest.mark.parametrize(("config", "realization", "level"), HOPS.values(), ids=HOPS)
def test_runs_that_went_on_at_one_instant_are_decided(config, realization, level):
    """Each ended as INSTANT_LIMIT, STEP_LIMIT or PAINLEVE, though its contacts are regular."""
    assert replay(config, realization, level, "controls.max_steps=100000").outcome in DECIDED


@pytest.mark.parametrize(
    ("seed", "shaken"), [(36, True), (113, False), (117, False), (141, False), (194, False)]
)
def test_rebounds_that_went_on_at_one_instant_end(seed, shaken):
    """A vertex under the ground by a rounded height was taken to land while it rose, again and again."""
    assert scenario(seed, shaken).run().outcome in (*DECIDED, Outcome.ROCKING)


@pytest.mark.parametrize("seed", range(50))
def test_ends_held_down_do_not_rise_nor_gain_energy(seed):
    """Vertical impulses alone: the nearest of all motions in which neither end rises."""
    rng = np.random.default_rng(seed)
    body = rock(rng)
    top, run = body_tables(body, base_only=False)
    constants, friction, state = run.body, run.friction, run.state
    turn = Rotation.random(random_state=rng)
    state.q0, state.q1, state.q2, state.q3 = turn.as_quat(scalar_first=True)
    ends = top.edge_vertices[rng.integers(len(top.edge_vertices))]
    before = rng.normal(size=6)
    friction.touching[:2], friction.twist[:] = ends, before
    hold_down(constants, friction, state)
    after, inertia = friction.twist, turn.as_matrix() @ body.inertia @ turn.as_matrix().T / body.mass
    for place in turn.apply(constants.vertices[ends]):
        assert (after[:3] + np.cross(after[3:], place))[2] == pytest.approx(0.0, abs=1e-12)
    assert (after[:2] == before[:2]).all()

    def energy(twist):
        return 0.5 * (twist[:3] @ twist[:3] + twist[3:] @ inertia @ twist[3:])

    assert energy(before) == pytest.approx(energy(after) + energy(before - after), rel=1e-12)


def test_a_cask_slides_and_tips_at_the_border_of_its_base():
    """Friction about the reach of the base over the height of its centre of mass: as a slide turns, the
    centre of pressure runs along the border, and the body tips and comes back."""
    slides = 0
    for seed in range(8):
        rng = np.random.default_rng([16, seed])
        body = cylinder(1.7, 6.0, mass=160e3, sides=24, com=(*(0.02 * rng.normal(size=2)), 0.0))
        smooth = np.stack([np.convolve(row, np.hanning(25), "same") for row in rng.normal(size=(3, 150))])
        smooth *= np.array([[10.0], [10.0], [0.0]]) / np.abs(smooth[:2]).max(1).min()
        smooth[:, 0] = 0.0
        run = simulate(
            body,
            Motion(smooth, dt=0.01, name="smooth noise"),
            Impact(lambda_=0.9, lambda_lon=0.9),
            contact=Contact(friction=rng.uniform(0.556, 0.578)),
            t_end=1.6,
            history=False,
        )
        assert run.outcome in (*DECIDED, Outcome.ROCKING)
        slides += run.sliding_share > 0.0 and run.peak_tilt > 0.0
    assert slides > 3


def test_landings_of_many_corners_meet_a_limit_of_their_own():
    """A base of 200 corners that bounces: 30 flights take 1000 steps and millions of solved contacts."""
    noise = 5.0 * STANDARD_GRAVITY * np.random.default_rng(1).normal(size=(3, 300)) * [[1.0], [1.0], [0.5]]
    what = (
        cylinder(6.1, 5.5, density=2500.0, sides=200),
        Motion(noise, dt=0.01, name="white noise"),
        Impact(lambda_=0.9, lambda_lon=0.9),
    )
    contact = Contact(friction=0.88, restitution=0.1, impact_restitution=0.1)
    short = {"contact": contact, "t_end": 1.0, "history": False}
    free = simulate(*what, **short)
    assert free.outcome == Outcome.ROCKING
    assert 1e6 < free.contact_solves < Controls().max_contact_solves
    limit = free.contact_solves // 2
    run = simulate(*what, **short, controls=Controls(max_contact_solves=int(limit)))
    assert run.outcome == Outcome.CONTACT_LIMIT
    assert limit < run.contact_solves <= limit + 1e6
    assert run.end_time < 1.0
    rest = simulate(*what, **short, controls=Controls(max_contact_solves=int(free.contact_solves)))
    assert rest.results == pytest.approx(free.results, rel=0.0, nan_ok=True)


def test_friction_that_leaves_no_force_stops_a_slip_at_once():
    """Painleve's paradox: with so much friction the vertex would be pushed down however large the force. The
    impulse that stops it keeps the angular momentum about the vertex (Lecornu 1905)."""
    body, mu, jammed = cuboid(0.1, 0.3, 2.0, 1000.0), 2.0, 0
    for seed in range(40):
        rng = np.random.default_rng([17, seed])
        turn = Rotation.from_rotvec(rng.uniform(-0.6, 0.6, 3))
        places = turn.apply(np.array(body.vertices))
        vertex = int(places[:, 2].argmin())
        arm, matrix = places[vertex], turn.as_matrix()
        inertia = matrix @ body.inertia @ matrix.T / body.mass
        angle = rng.uniform(0.0, 2.0 * np.pi)
        slip = np.array([np.cos(angle), np.sin(angle), 0.0])
        cross = np.cross(np.eye(3), arm)  # [arm] in the rows: cross @ x is x cross arm
        mobility = np.eye(3) + cross @ np.linalg.inv(inertia) @ cross.T
        stopping = np.linalg.solve(mobility, -slip)
        presses = (mobility @ [*(-mu * slip[:2]), 1.0])[2] > 0.0
        if presses or np.hypot(*stopping[:2]) > mu * stopping[2]:
            continue
        start = Start(vertex=vertex, orientation=turn.as_quat(scalar_first=True), velocity=slip)
        run = simulate(body, None, Impact(), contact=Contact(friction=mu), start=start, t_end=1e-3)
        spin = np.linalg.solve(inertia, np.cross(arm, stopping))
        assert run.jams == 1
        assert run.history.mode[0] == Mode.VERTEX
        assert run.history.angular_velocity.values[0] == pytest.approx(spin, abs=1e-6)
        lost = -0.5 * body.mass * slip @ stopping
        assert run.impact_energy_loss == pytest.approx(lost, rel=1e-6)
        jammed += 1
    assert jammed > 5


@pytest.mark.parametrize("seed", range(12))
def test_a_rock_with_friction_beyond_measure_comes_to_an_end(seed):
    """Friction of 4 to 9.5, where contact forces often do not exist."""
    rng = np.random.default_rng([45, 3 * seed + 2])
    base = 0.4 * np.array([[np.cos(t), np.sin(t), 0.0] for t in np.arange(6) * np.pi / 3.0])
    body = hull(np.vstack([base, rng.normal(size=(6, 3)) * [0.25, 0.25, 0.1] + [0.0, 0.0, 0.8]]), mass=100.0)
    smooth = np.stack([np.convolve(row, np.hanning(15), "same") for row in rng.normal(size=(3, 400))])
    smooth *= rng.uniform(0.5, 2.0) * STANDARD_GRAVITY / np.abs(smooth).max()
    contact = Contact(friction=rng.uniform(4.0, 9.5))
    run = simulate(body, Motion(smooth, dt=0.01, name="noise"), Impact(), contact=contact, history=False)
    assert run.outcome in DECIDED


@pytest.mark.parametrize("friction", [0.3, 0.9])
def test_shares_of_time_are_those_between_events(friction):
    """A block that rests, then rocks or slides on a pulse, and comes to rest again."""
    pulse = Pulse((4.0, 0.0, 0.0), 6.0, start=0.3)
    run = simulate(cuboid(0.4, 0.4, 1.6, 2600.0), pulse, contact=Contact(friction=friction), t_end=6.0)
    times = [0.0, *(event["t"] for event in run.events), run.end_time]
    modes = ["REST", *(event["to"][0] for event in run.events)]
    spent = Counter()
    for mode, begin, end in zip(modes, times[:-1], times[1:], strict=True):
        spent[mode] += end - begin
    assert 0.0 < run.rest_share < 1.0
    assert run.rest_share * run.end_time == pytest.approx(spent["REST"], rel=1e-12)
    assert run.rocking_share * run.end_time == pytest.approx(spent["EDGE"] + spent["VERTEX"], rel=1e-12)


@pytest.mark.parametrize("number", [100, 202, 285, 342])
def test_a_body_that_cannot_stand_tips_over(number):
    """Its centre of mass is beyond its base, and the corner over which it would tip cannot stick: it slipped
    and landed 200 times at one instant."""
    assert extreme(number).outcome == Outcome.OVERTURNED
