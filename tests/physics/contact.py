"""What a history says about contact, energy and momentum, computed with plain numpy."""

from math import atan2, hypot

import numpy as np
import xarray as xr
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from mcrock.base.params import Mode
from mcrock.body import Body
from mcrock.excitation import Motion
from mcrock.impact.conditions import Start
from mcrock.kernel.step import TOGETHER
from mcrock.simulation.runs import Run

PERTURBATION = 1e-6  # relative change of the start that tells how sensitive a run is
AMPLIFIED = 1e-3  # of the effect of that change: what a relative error of 1e-9 would do
SAME_ATOL = 1e-9  # of times [s] and angular velocities [rad/s] that no error has amplified yet
ZENO_GAP = 2e-3  # events closer than this belong to a sequence whose count depends on tolerances [s]


@st.composite
def vertex_starts(draw, body: Body) -> Start:
    """At rest or moving on one base vertex, tilted so that all others are up."""
    n = len(body.base)
    p = draw(st.integers(0, n - 1))
    here, share = body.base[p], draw(st.floats(0.25, 0.75))
    before, after = here - body.base[p - 1], body.base[(p + 1) % n] - here
    out = [np.array([e[1], -e[0]]) / hypot(e[0], e[1]) for e in (before, after)]
    outward = share * out[0] + (1 - share) * out[1]
    outward = outward / np.linalg.norm(outward)
    slenderness = atan2(here[:2] @ outward, body.com_height)
    tilt = draw(st.floats(0.2, 0.7)) * slenderness
    turn = Rotation.from_rotvec(tilt * np.array([-outward[1], outward[0], 0.0]))
    turn = Rotation.from_euler("z", draw(st.floats(-3.0, 3.0))) * turn
    omega = 0.3 * body.frequency * slenderness * np.array([draw(st.floats(-1.0, 1.0)) for _ in range(3)])
    return Start(vertex=p, orientation=turn.as_quat(scalar_first=True), angular_velocity=omega)


@st.composite
def edge_starts(draw, body: Body) -> Start:
    """At rest or moving on one base edge."""
    k = draw(st.integers(0, len(body.base) - 1))
    slenderness = body.edge_slenderness[k]
    rate = draw(st.floats(-0.3, 0.3)) * body.frequency * slenderness
    return Start(edge=k, tilt=draw(st.floats(0.1, 0.7)) * slenderness, rate=rate)


def shaking(
    body: Body, seed: int, strength: float = 1.5, vertical: float = 0.3, duration: float = 3.0
) -> Motion:
    """Three components of a few sines, in units of the acceleration that uplifts the body."""
    rng = np.random.default_rng(seed)
    t = np.arange(0.0, duration, 0.02)
    omega, phase = rng.uniform(0.5, 4.0, (3, 4)) * body.frequency, rng.uniform(0, 6.3, (3, 4))
    waves = np.sin(omega[:, :, None] * t + phase[:, :, None]).mean(1) * np.array([[1.0], [1.0], [vertical]])
    return Motion(strength * np.tan(body.slenderness) * body.gravity * waves, dt=0.02, name=f"shaking {seed}")


def stepped(run: Run) -> xr.Dataset:
    """History with a row for each step: without the states just before impacts, of which no response is."""
    time, kinds = run.history.time.values, ("edge_impact", "facet_impact", "landing")
    impacts = [event["t"] for event in run.events if event["kind"] in kinds]
    first, again = np.diff(time, prepend=-1.0) != 0.0, np.diff(time, append=np.inf) == 0.0
    return run.history.isel(time=~(first & again & np.isin(time, impacts)))


def rotations(run: Run) -> np.ndarray:
    """Rotation matrices (time, 3, 3), by SciPy."""
    return Rotation.from_quat(run.history.orientation.values, scalar_first=True).as_matrix()


def vertex_positions(body: Body, run: Run) -> np.ndarray:
    """Ground positions (time, n, 3) of the base vertices [m]."""
    return run.history.com.values[:, None] + np.einsum("tij,nj->tni", rotations(run), body.base)


def lowest_within_steps(body: Body, run: Run) -> float:
    """Lowest height of a base vertex inside the steps without event, by cubics through their ends [m]."""
    where, R = vertex_positions(body, run), rotations(run)
    p = contact_vertex(body, run)
    arms = np.einsum("tij,tnj->tni", R, body.base - body.base[p][:, None])
    rates = np.cross(run.history.angular_velocity.values[:, None], arms)[..., 2]
    pick = np.flatnonzero(smooth(run))
    h = np.diff(run.history.time.values)[pick, None]
    z0, z1, v0, v1 = where[pick, :, 2], where[pick + 1, :, 2], rates[pick] * h, rates[pick + 1] * h
    lowest = 0.0
    for s in np.linspace(0.0, 1.0, 11):
        r = 1 - s
        z = r * r * (1 + 2 * s) * z0 + s * s * (1 + 2 * r) * z1 + s * r * (r * v0 - s * v1)
        lowest = min(lowest, z.min(initial=0.0))
    return lowest


def contact_vertex(body: Body, run: Run) -> np.ndarray:
    """A vertex on the ground at each time (time,)."""
    return np.where(run.history["mode"].values == Mode.REST, 0, run.history["index"].values)


def energy(body: Body, run: Run) -> np.ndarray:
    """Mechanical energy (time,) from motion about the contact vertex [J]."""
    R, omega = rotations(run), run.history.angular_velocity.values
    local = np.einsum("tji,tj->ti", R, omega)
    velocity = np.cross(local, -body.base[contact_vertex(body, run)])
    spin = np.einsum("ti,ij,tj->t", local, body.inertia, local)
    height = run.history.com.values[:, 2]
    return 0.5 * (spin + body.mass * (velocity**2).sum(1)) + body.mass * body.gravity * height


def barrier(body: Body) -> float:
    """Energy that overturns the body from rest, over its weakest edge [J]."""
    return body.mass * body.gravity * (body.radius - body.com_height)


def drifts(body: Body, run: Run) -> np.ndarray:
    """Change of energy from each event of a run to the next, impacts themselves left out [J]."""
    times, changes = jumps(run, run.history.energy.values)
    changes = changes - event_changes(run, times)
    kinds = {kind: {e["t"] for e in run.events if e["kind"] == kind} for kind in ("rest", "facet_impact")}
    changes[np.isin(times, list(kinds["rest"]))] = 0.0  # rest ends the energy that is left
    # vertices this low land together, and landing makes the pose flat
    flattening = TOGETHER * body.mass * body.gravity * np.abs(body.base).max()
    landing = np.isin(times, list(kinds["facet_impact"])) & (np.abs(changes) < flattening)
    changes[landing] = 0.0
    ends = np.isin(times, [event["t"] for event in run.events])
    first = np.concatenate([[0], np.flatnonzero(ends) + 1])
    return np.add.reduceat(np.append(changes, 0.0), first)


def jumps(run: Run, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Times of the history, each once, and the change of ``values`` up to and across each."""
    times, last = np.unique(run.history.time.values[::-1], return_index=True)
    last = len(values) - 1 - last
    return times[1:], np.diff(values[last])


def event_changes(run: Run, times: np.ndarray) -> np.ndarray:
    """Change of energy in impacts at each of ``times``, and since the one before [J]."""
    changes = np.zeros(len(times))
    for event in run.events:
        changes[np.searchsorted(times, event["t"])] += event["energy_change"]
    return changes


def largest_gain(body: Body, run: Run) -> float:
    """Largest growth of energy in an impact over the kinetic energy before it [1]."""
    kinetic = run.history.energy.values - body.mass * body.gravity * run.history.com.values[:, 2]
    times, largest = run.history.time.values, 0.0
    for event in run.events:
        if event["energy_change"] > 0.0:
            first, last = np.searchsorted(times, event["t"]), np.searchsorted(times, event["t"], "right")
            after = kinetic[first : max(last, first + 1)].max()
            largest = max(largest, event["energy_change"] / (after - event["energy_change"]))
    return largest


def smooth(run: Run) -> np.ndarray:
    """Whether each row but the first continues the contact of the row before, without an event."""
    times = run.history.time.values
    at_event = np.isin(times, [event["t"] for event in run.events])
    same = (np.diff(run.history["mode"].values) == 0) & (np.diff(run.history["index"].values) == 0)
    return same & ~at_event[1:] & (np.diff(times) > 0)


def leading_events(run: Run, perturbed: Run, most: int = 6) -> int:
    """How many events can be compared: the same in the perturbed run, before any Zeno sequence."""
    count, last = 0, -1.0
    for one, other in zip(run.events[:most], perturbed.events, strict=False):
        if (one["kind"], one["to"]) != (other["kind"], other["to"]) or one["t"] - last < ZENO_GAP:
            break
        if one["kind"] in ("rest", "overturn"):
            break
        count, last = count + 1, one["t"]
    return count
