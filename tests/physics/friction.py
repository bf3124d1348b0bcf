"""Random runs with friction, what their histories say about energy, and how two of them compare."""

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from mcrock.body import Body, hull
from mcrock.excitation import Motion
from mcrock.impact.conditions import Contact, Controls, Impact, Start
from mcrock.simulation.runs import Run, simulate
from tests.physics.contact import stepped

SMALL_RISE = 1e-3  # over the size of a body [1]
ONE_END = ("EDGE_SLIP_FIRST", "EDGE_SLIP_SECOND")  # which is first depends on the numbers of the vertices


def steps_of(step: float) -> Controls:
    """Steps of at most ``step`` [s], and short accumulation times."""
    return Controls(
        step=4.0 * step,
        max_step=step,
        edge_zeno_time=1e-6,
        rest_time=1e-5,
        max_steps=20_000,
        overturned_by="tilt",
    )


FINE = steps_of(1e-3)


@dataclass(frozen=True)
class Scenario:
    """Arguments of `simulate`."""

    body: Body
    motion: Motion | None
    impact: Impact
    contact: Contact
    start: Start | None
    t_end: float = 1.4
    controls: Controls = FINE

    def run(self, **changed: object) -> Run:
        """The run, with some arguments changed."""
        s = replace(self, **changed)
        return simulate(
            s.body, s.motion, s.impact, contact=s.contact, start=s.start, controls=s.controls, t_end=s.t_end
        )


def noise(seed: int, strength: float) -> Motion:
    """Three components of smooth noise of 1.5 s [m/s2], the vertical one weaker."""
    samples = np.random.default_rng(seed).normal(size=(3, 150)) * [[strength], [strength], [0.3 * strength]]
    smooth = np.stack([np.convolve(row, np.hanning(9) / 4.0, "same") for row in samples])
    smooth[:, 0] = 0.0
    return Motion(smooth, dt=0.01, name=f"noise {seed}")


def rock(rng: np.random.Generator) -> Body:
    """The hull of twelve random points."""
    return hull(rng.normal(size=(12, 3)) * [0.3, 0.3, 0.4], mass=100.0)


def thrown(body: Body, rng: np.random.Generator) -> Start:
    """In flight a little above the ground, with some tilt and spin."""
    turn = Rotation.from_rotvec(rng.uniform(-0.5, 0.5, 3))
    lowest = turn.apply(np.array(body.vertices))[:, 2].min()
    return Start(
        position=(0.0, 0.0, 0.1 - lowest),
        velocity=rng.normal(size=3) * [1.0, 1.0, 0.3],
        orientation=turn.as_quat(scalar_first=True),
        angular_velocity=1.5 * rng.normal(size=3),
    )


def scenario(seed: int, shaken: bool, strength: float = 6.0) -> Scenario:
    """A rock with random friction, restitution and impact parameters: shaken from rest, or thrown."""
    rng = np.random.default_rng(seed)
    body = rock(rng)
    contact = Contact(
        friction=rng.uniform(0.1, 1.0),
        restitution=rng.uniform(0.0, 0.5) * (rng.random() < 0.6),
        impact_restitution=rng.uniform(0.0, 0.5) * (rng.random() < 0.5),
    )
    impact = Impact(
        lambda_=rng.uniform(0.0, 1.0), lambda_lon=rng.uniform(0.0, 1.0), lambda_lat=rng.uniform(-0.6, 0.6)
    )
    if shaken:
        return Scenario(body, noise(seed, strength), impact, contact, None)
    return Scenario(body, None, impact, contact, thrown(body, rng))


seeds = st.integers(0, 100_000)


def ground_work(run: Run, motion: Motion | None) -> float:
    """Work of the inertia force -m a_g on a body relative to the ground [J], for a run that ends before the
    motion does.

    By parts, as a_g is linear within a step: its rate times the integral of the position, which a cubic has
    from positions and velocities at both ends. The error is of fourth order in the step.
    """
    if motion is None:
        return 0.0
    t, x, v = run.history.time.values, run.history.com.values, run.history.velocity.values
    a = np.stack([np.interp(t, motion.time, component) for component in motion.acceleration], axis=-1)
    h = np.diff(t)[:, None]
    area = 0.5 * h * (x[1:] + x[:-1]) + h * h / 12.0 * (v[:-1] - v[1:])
    rate = np.divide(np.diff(a, axis=0), h, out=np.zeros_like(area), where=h > 0.0)
    return float(-run.body.mass * (a[1:] * x[1:] - a[:-1] * x[:-1] - rate * area).sum())


def settled(run: Run) -> float:
    """Energy that motion coming to rest gives up, beside impacts and friction [J]."""
    history, lost = stepped(run), 0.0
    t, energy = history.time.values, history.energy.values
    for i, event in enumerate(run.events):
        if event["kind"] == "rest":  # the rows of an instant are those of its events, in their order
            earlier = sum(other["t"] == event["t"] for other in run.events[:i])
            row = np.flatnonzero(t == event["t"])[0] + earlier
            lost += energy[row - 1] - energy[row]
    return float(lost)


def traffic(run: Run) -> float:
    """Energy that came and went [J], no less than that of a small rise of the body."""
    size = np.abs(run.body.vertices).max()
    least = SMALL_RISE * run.body.mass * run.body.gravity * size
    return float(np.abs(np.diff(run.history.energy.values)).sum() + least)


def imbalance(run: Run, motion: Motion | None) -> float:
    """Change of energy and losses less the work of the ground, over the energy that came and went [1]."""
    energy = run.history.energy.values
    lost = run.friction_energy_loss + run.impact_energy_loss + settled(run)
    return float((energy[-1] - energy[0] + lost - ground_work(run, motion)) / traffic(run))


def turned(body: Body, turn: NDArray[np.float64]) -> Body:
    """The body with its axes turned or mirrored, its vertices and faces numbered as before."""
    order = 1 if np.linalg.det(turn) > 0.0 else -1
    return Body(
        body.mass,
        turn @ body.inertia @ turn.T,
        body.vertices @ turn.T,
        body.gravity,
        faces=tuple(tuple(face[::order]) for face in body.faces),
        start_face=body.start_face,
        base_faces=body.base_faces,
    )
