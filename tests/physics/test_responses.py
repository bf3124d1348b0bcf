"""Every response of a run, computed again from its history, its events and the ground motion.

Nothing here knows a column of compiled code: a response that reports another one's number is found out.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import atan2, cos, pi
from typing import NamedTuple

import numpy as np
import pytest

from mcrock.base.params import Event, Mode, Outcome, Response
from mcrock.body import Body, cuboid
from mcrock.excitation import Motion, pack_motions
from mcrock.impact.conditions import Controls, Impact, Start
from mcrock.simulation.runs import Run, simulate, simulate_part
from tests.benchmarks.speed.workloads import inputs_of
from tests.physics.contact import barrier, rotations, stepped, vertex_positions

FINE = Controls(step=0.004, max_step=1e-3, edge_zeno_time=1e-12, rest_time=1e-4)
RTOL = 1e-9  # rounding of sums over a run, and of forces and poses computed twice [1]
ROUNDING = 1e-10  # the same, in the units of a response
LEFT = 1e-12  # energy of a sequence of edge impacts when it ends [J]
PEAK = 1e-5  # of the tilt between steps of 1 ms, by its second derivative [rad]


@dataclass(frozen=True)
class Case:
    """A run and what it was made with."""

    body: Body
    motion: Motion
    run: Run

    @cached_property
    def contacts(self):
        return contacts(self)


class Contact(NamedTuple):
    """What the ground does to a body that turns about an edge or a vertex, over its mass."""

    force: np.ndarray  # (3,) [m/s2]
    watched: bool  # up to a tilt of 45 degrees
    stuck: bool  # the centre of pressure is beyond an end of the edge, and the other end would not lift


def still(length=1.0):
    return Motion(np.zeros((3, 2)), dt=length, name="still")


def made(body, motion, impact=None, **options):
    run = simulate(body, motion, impact, **{"controls": FINE, **options})
    return Case(body, motion, replace(run, recorded=stepped(run)))


def free_rocking():
    """In a plane: the base lands many times and no edge does."""
    body = cuboid(0.4, 0.5, 1.6, mass=10.0)
    return made(body, still(), Impact(lambda_lon=0.8), start=Start(edge=0, tilt=0.1), t_end=5.0)


def walk():
    """Shaken in three dimensions, with impacts that gain energy."""
    base = [[0.3, -0.35, -0.9], [0.35, 0.3, -0.9], [-0.3, 0.3, -0.9], [-0.3, -0.3, -0.9]]
    t = np.arange(0, 6, 0.02)
    motion = Motion([3.5 * np.sin(4 * t), 2.8 * np.sin(5.5 * t + 1), 0 * t], dt=0.02, name="walk")
    impact = Impact(lambda_lon=-0.2, lambda_lat=0.4, energy_gain="allow")
    return made(Body(100.0, np.diag([40.0, 38.0, 12.0]), base), motion, impact, t_end=4.0)


def fall():
    """Overturned over a corner."""
    t = np.arange(0, 6, 0.02)
    motion = Motion([5.5 * np.sin(4 * t), 3.9 * np.sin(3.5 * t + 1), 0 * t], dt=0.02, name="fall")
    return made(cuboid(0.5, 0.4, 1.8, mass=20.0), motion, Impact(lambda_lon=0.9))


def infeasible():
    """A wide low block whose first edge and facet impacts have no pivot."""
    turn = np.array([1.0, -0.1, 0.2, 0.0])
    start = Start(vertex=1, orientation=turn / np.linalg.norm(turn), angular_velocity=(0.3, -0.3, 0.0))
    return made(cuboid(2.0, 2.0, 0.6, mass=3.0), still(), Impact(lambda_=1.5), start=start, t_end=1.0)


def stuck():
    """Shaken along its edge, whose end cannot lift when the centre of pressure is beyond it."""
    ramp = Motion([[0, 0], [0, 20.0], [0, 0]], dt=1.0, name="ramp")
    return made(cuboid(0.8, 0.5, 3.0, mass=1.0), ramp, start=Start(edge=0, tilt=0.05), t_end=0.09)


def thrown():
    """The ground falls away below a body at rest."""
    motion = Motion([[0, 0, 0], [0, 0, 0], [0, -12.0, 0]], dt=0.1, name="throws up")
    return made(cuboid(0.4, 0.4, 1.6, mass=10.0), motion, t_end=0.15)


def firm():
    """Shaken in three dimensions, too weakly to lift any side of an uneven base."""
    base = [[0.3, -0.35, -0.9], [0.35, 0.3, -0.9], [-0.3, 0.3, -0.9], [-0.3, -0.3, -0.9]]
    t = np.arange(0, 6, 0.02)
    shaking = [0.9 * t / 6 * np.sin(4 * t), 0.7 * np.sin(5.5 * t + 1), 2.0 * np.sin(9 * t)]
    return made(Body(100.0, np.diag([40.0, 38.0, 12.0]), base), Motion(shaking, dt=0.02, name="firm"))


CASES = {make.__name__: make for make in (free_rocking, walk, fall, infeasible, stuck, thrown, firm)}


@pytest.fixture(scope="module")
def cases():
    return {name: make() for name, make in CASES.items()}


def events(case, kind, to=None):
    return [e for e in case.run.events if e["kind"] == kind and (to is None or e["to"][0] == to)]


def impacts(case):
    return events(case, "edge_impact") + events(case, "facet_impact")


def overturning(case):
    """Time of overturning [s], NaN if it did not."""
    return next((e["t"] for e in events(case, "overturn")), np.nan)


def outcome(case):
    mode, time = case.run.history["mode"].values[-1], case.run.history["time"].values[-1]
    if events(case, "overturn"):
        return Outcome.OVERTURNED
    if mode == Mode.REST:
        return Outcome.AT_REST
    if normal_force(case) < ROUNDING and not impacts(case) and peak_tilt(case) < 0.01 * case.body.slenderness:
        return Outcome.LIFTED_OFF
    return Outcome.ROCKING if time < case.motion.duration else Outcome.SETTLING


def direction(case):
    if not events(case, "overturn"):
        return np.nan
    axis = rotations(case.run)[-1, :, 2]
    return atan2(axis[1], axis[0])


def peak_tilt(case):
    return case.run.history["tilt"].values.max()


def rotation_peaks(case, since=0.0):
    """Largest rotations about the base axes, from a time on [rad]."""
    later = case.run.history["time"].values >= since
    return [np.abs(case.run.history[name].values[later]).max() for name in ("rotation_x", "rotation_y")]


def out_of_plane(case):
    if not impacts(case):
        return np.nan
    peaks = rotation_peaks(case, min(e["t"] for e in impacts(case)))
    return min(peaks) / max(peaks) if max(peaks) > 0 else np.nan


def final_face(case):
    at_rest = case.run.history["mode"].values[-1] == Mode.REST
    return case.run.history["index"].values[-1] if at_rest else -1


def yaw(case):
    w, _, _, z = case.run.history["orientation"].values[-1]
    return (2 * atan2(z, w) + pi) % (2 * pi) - pi


def displacement(case):
    """Of the centre of the base from where it stands with the centre of mass over the origin [m]."""
    base = list(case.body.faces[0])
    return (vertex_positions(case.body, case.run)[-1, base] - case.body.vertices[base]).mean(0)


def contacts(case):
    """Contact at every step of a run, from the equations of motion in ground axes."""
    body, history = case.body, case.run.history
    rows = zip(
        history["time"].values, history["mode"].values, history["index"].values, rotations(case.run),
        history["angular_velocity"].values, strict=True,
    )  # fmt: skip
    end = history["time"].values[-1]
    return [
        contact(body, shaking_at(case.motion, t), mode, index, R, w)
        for t, mode, index, R, w in rows
        if mode in (Mode.EDGE, Mode.VERTEX) and t < end
    ]


def shaking_at(motion, t):
    time = motion.dt * np.arange(motion.acceleration.shape[1])
    return np.array([np.interp(t, time, a, right=0.0) for a in motion.acceleration])


def turning(body, pull, vertex, R, w):
    """COM from a vertex, inertia about it and angular acceleration where it alone is held."""
    c = -R @ body.vertices[vertex]
    K = R @ body.inertia @ R.T + body.mass * (c @ c * np.eye(3) - np.outer(c, c))
    return c, K, np.linalg.solve(K, np.cross(c, body.mass * pull) - np.cross(w, K @ w))


def contact(body, ground, mode, index, R, w):
    pull, watched = -ground - [0.0, 0.0, body.gravity], R[2, 2] >= cos(pi / 4)
    if mode == Mode.VERTEX:
        c, _, turn = turning(body, pull, index, R, w)
        return Contact(np.cross(turn, c) + np.cross(w, np.cross(w, c)) - pull, watched, False)
    ends = body.faces[0][index], body.faces[0][(index + 1) % len(body.faces[0])]
    c, K, _ = turning(body, pull, ends[0], R, w)
    along = R @ (body.vertices[ends[1]] - body.vertices[ends[0]])
    e = along / np.linalg.norm(along)
    turn = e * (e @ np.cross(c, body.mass * pull)) / (e @ K @ e)
    force = np.cross(turn, c) + np.cross(w, np.cross(w, c)) - pull
    moment = (K @ turn + np.cross(w, K @ w)) / body.mass - np.cross(c, pull)
    inward = np.cross([0.0, 0.0, 1.0], e)
    before, beyond = moment @ inward, -(moment @ inward) - force[2] * np.linalg.norm(along)
    if max(before, beyond) <= 0.0:
        return Contact(force, watched, False)
    kept, freed = ends if before >= beyond else ends[::-1]
    _, _, turn = turning(body, pull, kept, R, w)
    arm = R @ (body.vertices[freed] - body.vertices[kept])
    return Contact(force, watched, (np.cross(turn, arm) + np.cross(w, np.cross(w, arm)))[2] <= 0.0)


def friction(case):
    forces = np.array([c.force for c in case.contacts if c.watched and c.force[2] > 0.0]).reshape(-1, 3)
    return (np.hypot(forces[:, 0], forces[:, 1]) / forces[:, 2]).max(initial=0.0)


def normal_force(case):
    """Lowest over the weight [1]: turning, or at rest as light as the ground makes it."""
    history, motion = case.run.history, case.motion
    samples = motion.dt * np.arange(motion.acceleration.shape[1])
    lightest = min((c.force[2] for c in case.contacts if c.watched), default=case.body.gravity)
    time, mode = history["time"].values, history["mode"].values
    for begin, end in ((time[i], time[i + 1]) for i in np.flatnonzero(mode[:-1] == Mode.REST)):
        times = [begin, end, *samples[(samples > begin) & (samples < end)]]
        lightest = min(lightest, *(case.body.gravity + shaking_at(motion, t)[2] for t in times))
    return min(1.0, lightest / case.body.gravity)


def uplift_margin(case):
    """Of a body that stays on its start face: moments about its sides, at every sample of the motion."""
    modes = case.run.history["mode"].values
    if events(case, "uplift") or (modes != Mode.REST).all():
        return 0.0 if events(case, "uplift") else -1.0
    corners = case.body.vertices[list(case.body.faces[0])]
    a, (x, y, down) = np.roll(corners, -1, axis=0) - corners, case.motion.acceleration
    inwards = np.stack([-a[:, 1], a[:, 0]], axis=-1) / np.hypot(a[:, 0], a[:, 1])[:, None]
    restoring = -(corners[:, :2] * inwards).sum(1)[:, None] * (case.body.gravity + down)
    overturning = -corners[0, 2] * (inwards @ [x, y])
    return (overturning / restoring).max() - 1.0


def infeasible_edge_impacts(case):
    """Edge impacts after which no pivot lifts; the last one of a sequence that ends has nothing to lose."""
    return [e for e in events(case, "edge_impact", "EDGE") if e["energy_change"] < -LEFT]


def infeasible_impacts(case):
    """Impacts after which no pivot lifts."""
    return infeasible_edge_impacts(case) + events(case, "facet_impact", "REST")


def steps(case):
    """Every step has a row of the history; so have start and end, and events that take no step."""
    other = sum(len(events(case, kind)) for kind in ("uplift", "rest", "overturn"))
    return case.run.history.sizes["time"] - 2 - other + len(events(case, "overturn"))


KNOWN = {
    "outcome": outcome,
    "overturning_time": overturning,
    "overturning_direction": direction,
    "peak_tilt": peak_tilt,
    "peak_tilt_ratio": lambda case: peak_tilt(case) / case.body.slenderness,
    "peak_rotation_x": lambda case: rotation_peaks(case)[0],
    "peak_rotation_y": lambda case: rotation_peaks(case)[1],
    "out_of_plane_factor": out_of_plane,
    "edge_impacts": lambda case: len(events(case, "edge_impact")),
    "facet_impacts": lambda case: len(events(case, "facet_impact")),
    "impact_energy_loss": lambda case: -sum(e["energy_change"] for e in impacts(case)),
    "final_face": final_face,
    "final_yaw": yaw,
    "final_displacement_x": lambda case: displacement(case)[0],
    "final_displacement_y": lambda case: displacement(case)[1],
    "peak_friction_demand": friction,
    "lowest_normal_force": normal_force,
    "contact_lost": lambda case: normal_force(case) <= 0.0,
    "infeasible_edge_impacts": lambda case: len(infeasible_edge_impacts(case)),
    "infeasible_facet_impacts": lambda case: len(events(case, "facet_impact", "REST")),
    "infeasible_energy_loss": lambda case: (
        -sum(e["energy_change"] for e in infeasible_impacts(case)) / barrier(case.body)
    ),
    "edge_stick_infeasible": lambda case: any(c.stuck for c in case.contacts),
    "energy_gain_impacts": lambda case: sum(e["energy_change"] > 1e-6 for e in impacts(case)),
    "end_time": lambda case: case.run.history["time"].values[-1],
    "steps": steps,
    "half_step_outcome": lambda case: Outcome.NOT_RUN,  # of a single run, which is not repeated
    "uplift_margin": uplift_margin,
}
TOLERANCE = {"peak_tilt": PEAK, "peak_tilt_ratio": 10 * PEAK}


# of contacts that slip, and what certifies that they do not: tests/physics/test_friction.py
OF_SLIP = {"certified_friction", "peak_impact_friction", "pulling_impacts"}


def test_every_response_is_known():
    known = [response.variable for response in Response if not response.of_friction]
    assert list(KNOWN) == [variable for variable in known if variable not in OF_SLIP]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("variable", KNOWN)
def test_response(cases, name, variable):
    known, tolerance = float(KNOWN[variable](cases[name])), TOLERANCE.get(variable, ROUNDING)
    assert cases[name].run.results[variable] == pytest.approx(known, rel=RTOL, abs=tolerance, nan_ok=True)


def test_no_response_could_stand_for_another(cases):
    """Of any two some run tells which is which, or the tests above would not find them swapped."""
    for one, other in combinations(KNOWN, 2):
        tolerance = 2 * max(TOLERANCE.get(variable, ROUNDING) for variable in (one, other))
        pairs = [(case.run.results[one], case.run.results[other]) for case in cases.values()]
        assert any(a != pytest.approx(b, rel=RTOL, abs=tolerance, nan_ok=True) for a, b in pairs), (
            one,
            other,
        )


def test_a_part_reports_what_its_runs_do():
    """By the same names, and the outcome at half the step, which meets the limit of steps here."""
    body, controls = cuboid(0.4, 0.5, 1.6, mass=10.0), Controls(tail=3.0, max_steps=800, recheck=1.0)
    edges, tilts = np.array([0, 1, 2]), np.array([0.1, 0.12, 0.3])
    part = simulate_part(inputs_of(body, np.ones(3), edges, tilts), pack_motions([still()]), controls)
    assert set(part) == set(KNOWN) | OF_SLIP
    for i, (edge, tilt) in enumerate(zip(edges, tilts, strict=True)):
        run = simulate(body, still(), start=Start(edge=int(edge), tilt=tilt), controls=controls)
        for response in (response for response in Response if response.variable in part):
            value, single = part[response.variable][i, 0], run.results[response.variable]
            if response != Response.HALF_STEP_OUTCOME:
                np.testing.assert_array_equal(value, np.array(single).astype(response.dtype))
    assert part["outcome"].ravel().tolist() == [Outcome.SETTLING, Outcome.SETTLING, Outcome.OVERTURNED]
    halved = [Outcome.STEP_LIMIT, Outcome.STEP_LIMIT, Outcome.OVERTURNED]
    assert part["half_step_outcome"].ravel().tolist() == halved


@pytest.mark.parametrize("name", CASES)
def test_events_are_moments_of_the_history(cases, name):
    """Time, contact, angular velocity and tilt of every event stand in a row of the history too, but for edge
    impacts between two rows: short flights of a step."""
    history = cases[name].run.history
    columns = ("time", "mode", "index", "tilt")
    rows = np.column_stack([*(history[c].values for c in columns), history["angular_velocity"].values])
    rows = {tuple(row) for row in rows.tolist()}
    for event in cases[name].run.events:
        mode, index = event["to"]
        row = event["t"], float(Mode[mode]), float(index), event["tilt"], *event["omega"].tolist()
        after = np.searchsorted(history["time"].values, event["t"])
        both = history["mode"].values[after - 1 : after + 1].tolist()
        within = event["kind"] == "edge_impact" and both[:1] == [Mode.VERTEX]
        assert row in rows or (within and event["t"] not in history["time"].values)
        assert (event["face"] is None) == (event["kind"] != "facet_impact")
    kinds = {event["kind"] for event in cases[name].run.events}
    assert kinds <= {kind.name.lower() for kind in Event}
