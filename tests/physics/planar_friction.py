"""Independent twin of the kernel with friction: a planar block between its impacts.

Brogliato, B., Zhang, H., Liu, C. (2012), section 2.1, equations (3) to (6), see
`mcrock.laws.brogliato_2012`. With the gaps f of both corners, q = (x, y, rotation) and the forces lambda
along their gradients

    M q'' = W_n lambda_n + W_t lambda_t - weight,     0 <= lambda_n  _|_  f >= 0

and Coulomb's law at each corner, lambda_t = -mu lambda_n sgn(v_t). With friction there may be several forces
or none (Painleve's paradox): all of them are given, and a motion ends where there is not exactly one.
Velocities are relative to the ground, which may accelerate; rotation is counter-clockwise.
"""

from collections.abc import Callable
from math import cos, hypot, inf, isinf, sin, sqrt
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

CLOSED = 1e-9  # gap and rate that are rounding, over the size of the block and a speed of it [1]
ROUNDING = 1e-9  # of accelerations and forces over gravity and weight, by which solutions may differ [1]
MOST_PHASES = 1000


class Phase(NamedTuple):
    """Corners that press on the ground, and what these do along it."""

    corners: tuple[int, ...]  # 0 the right corner B, 1 the left corner A
    slip: int  # -1 to the left, 0 none or no friction, 1 to the right


class BlockForces(NamedTuple):
    """Contact forces that obey the laws, and what they do."""

    phase: Phase
    acceleration: np.ndarray  # of x, y and rotation (3,) [m/s2], [rad/s2]
    normal: np.ndarray  # of B and A (2,) [N]
    tangential: np.ndarray  # (2,); of two corners that stick, shared like the normal forces [N]


class BlockMotion(NamedTuple):
    """A motion up to the next impact."""

    time: np.ndarray  # (n,) [s]
    position: np.ndarray  # x, y of the COM relative to the ground and rotation (n, 3) [m], [rad]
    velocity: np.ndarray  # (n, 3)
    phases: list[tuple[float, Phase]]  # with the time at which each begins
    ending: str  # "impact", "duration", "no forces", "several forces" or "phases", if there are too many


def block_forces(block, position, velocity, *, friction, ground=(0.0, 0.0)):
    """All contact forces at an instant, by (5): one, but for Painleve's paradox."""
    found: list[BlockForces] = []
    for forces in _candidates(block, position, velocity, friction, ground):
        if all(_differ(block, forces, other) for other in found):
            found.append(forces)
    return tuple(found)


def block_motion(
    block, position, velocity, duration, *, friction, ground=lambda time: (0.0, 0.0), max_step=0.01
):
    """Motion by (5) and (6) up to its next impact, under an acceleration of the ground that does not jump."""
    mu, shaking = friction, ground
    state = np.concatenate([position, velocity])
    time, left = 0.0, None
    times, states = [np.array([time])], [state[None]]
    phases: list[tuple[float, Phase]] = []
    while True:
        found = _candidates(block, state[:3], state[3:], mu, shaking(time))
        # at its end a phase still obeys the laws, but for rounding
        going = [forces for forces in found if forces.phase != left] or found
        if not going or any(_differ(block, going[0], other) for other in going[1:]):
            ending = "several forces" if going else "no forces"
            break
        if len(phases) == MOST_PHASES:
            ending = "phases"
            break
        left = going[0].phase
        phases.append((time, left))
        course = _follow(block, left, mu, shaking, (time, float(duration)), state, max_step)
        times.append(course.t[1:])
        states.append(course.y.T[1:])
        time, state = float(course.t[-1]), course.y[:, -1]
        if course.status == 0 or len(course.t_events[0]) or len(course.t_events[1]):
            ending = "duration" if course.status == 0 else "impact"
            break
        state = _set_down(
            block, left, state, held=mu > 0.0 and (left.slip == 0 or len(course.t_events[4]) > 0)
        )
    history = np.vstack(states)
    return BlockMotion(np.concatenate(times), history[:, :3], history[:, 3:], phases, ending)


class _Equations(NamedTuple):
    """Equation (5) at an instant: forces F give q'' = M^-1 (W_n F_n + W_t F_t) + free."""

    normals: np.ndarray  # columns of W_n (3, 2)
    tangents: np.ndarray  # columns of W_t (3, 2)
    drift: np.ndarray  # of the rates of gaps and of slips, without q'' (2, 2) [m/s2]
    free: np.ndarray  # q'' without contact (3,)
    gaps: np.ndarray  # (2,) [m]


def _equations(block, position, rate, ground):
    c, s = cos(position[2]), sin(position[2])
    corners = np.array([[block.right, -block.left], [-block.com_height, -block.com_height]])
    across, level = np.array([[c, -s], [s, c]]) @ corners  # from the COM
    one, none = np.ones(2), np.zeros(2)
    return _Equations(
        np.array([none, one, across]),
        np.array([one, none, -level]),
        -(rate**2) * np.array([level, across]),
        np.array([-ground[0], -block.gravity - ground[1], 0.0]),
        position[1] + level,
    )


def _candidates(block, position, velocity, mu, ground):
    """Forces of all phases that obey the laws at an instant, those of more contact first."""
    q, u = np.asarray(position, float), np.asarray(velocity, float)
    equations = _equations(block, q, float(u[2]), ground)
    size = hypot(block.width, block.com_height)
    speed = hypot(u[0], u[1], size * u[2], sqrt(block.gravity * size))  # of slow motion that of a fall
    rates, slips = equations.normals.T @ u, equations.tangents.T @ u
    touching = equations.gaps <= CLOSED * size
    closed = np.flatnonzero(touching & (rates <= CLOSED * speed)).tolist()
    slipping = [int(np.sign(slips[i])) if abs(slips[i]) > CLOSED * speed else 0 for i in (0, 1)]
    slack = ROUNDING * block.gravity
    found = []
    for corners in (closed, closed[:1], closed[1:], []) if len(closed) == 2 else (closed, []):
        moving = slipping[corners[0]] if corners else 0
        ways = [moving] if moving else [0, 1, -1]
        if not corners or mu == 0.0 or isinf(mu):
            ways = [0]
        for way in ways:
            forces = _solve(block, equations, Phase(tuple(corners), way), mu)
            if forces is None:
                continue
            opening = equations.normals.T @ forces.acceleration + equations.drift[0]
            along = equations.tangents.T @ forces.acceleration + equations.drift[1]
            press = forces.normal.sum()
            pushed = forces.normal.min() >= -block.mass * slack
            apart = all(opening[i] >= -slack for i in closed if i not in corners)
            limit = inf if isinf(mu) else mu * press + block.mass * slack
            held = way != 0 or abs(forces.tangential.sum()) <= limit
            starts = way == 0 or moving != 0 or way * along[corners[0]] >= -slack
            if pushed and apart and held and starts:
                found.append(forces)
        if not closed:
            break
    return found


def _solve(block, equations, phase, mu):
    """Forces of a phase, whether they obey the laws or not; None if there are none."""
    normal, tangential = np.zeros(2), np.zeros(2)
    corners = list(phase.corners)
    acceleration = equations.free
    if corners:
        inverse = 1.0 / np.array([block.mass, block.mass, block.inertia])
        held = equations.normals[:, corners]
        wanted = -(held.T @ equations.free + equations.drift[0, corners])
        if phase.slip or mu == 0.0:
            given = held - mu * phase.slip * equations.tangents[:, corners]
        else:  # two corners have the same slip, and one friction between them
            friction = equations.tangents[:, corners[:1]]
            wanted = np.append(wanted, -(friction.T @ equations.free + equations.drift[1, corners[:1]]))
            given = held = np.hstack([held, friction])
        try:
            forces = np.linalg.solve(held.T @ (inverse[:, None] * given), wanted)
        except np.linalg.LinAlgError:
            return None
        normal[corners] = forces[: len(corners)]
        if phase.slip or mu == 0.0:
            tangential = -mu * phase.slip * normal
        else:
            press = normal.sum()
            shares = normal / press if press != 0.0 else np.bincount(corners, minlength=2) / len(corners)
            tangential = forces[-1] * shares
        acceleration = acceleration + inverse * (given @ forces)
    return BlockForces(phase, acceleration, normal, tangential)


def _differ(block, one, other):
    """Whether two solutions move the block differently."""
    change = np.abs(one.acceleration - other.acceleration) * [1.0, 1.0, block.com_height]
    size = block.gravity + np.abs(one.acceleration).max() + np.abs(other.acceleration).max()
    return bool(change.max() > 10.0 * ROUNDING * size)


def _follow(block, phase, mu, ground, span, state, max_step):
    """Integrate a phase to its end: a corner lands (events 0, 1) or ceases to press (2, 3), or friction
    reaches its limit or stops the slip (4)."""

    def forces(time: float, state: np.ndarray) -> tuple[_Equations, BlockForces]:
        equations = _equations(block, state[:3], float(state[5]), ground(time))
        found = _solve(block, equations, phase, mu)
        if found is None:
            raise ArithmeticError(f"the forces of the phase {phase} became infinite at {time:g} s")
        return equations, found

    def rates(time: float, state: np.ndarray) -> np.ndarray:
        return np.concatenate([state[3:], forces(time, state)[1].acceleration])

    def gap(corner: int) -> Callable[[float, np.ndarray], float]:
        open_ = corner not in phase.corners
        return lambda time, state: float(forces(time, state)[0].gaps[corner]) if open_ else 1.0

    def push(corner: int) -> Callable[[float, np.ndarray], float]:
        pressing = corner in phase.corners
        return lambda time, state: float(forces(time, state)[1].normal[corner]) if pressing else 1.0

    def hold(time: float, state: np.ndarray) -> float:
        equations, found = forces(time, state)
        if phase.slip:
            return phase.slip * float(equations.tangents[:, phase.corners[0]] @ state[3:])
        if not phase.corners or mu == 0.0 or isinf(mu):
            return 1.0
        return float(mu * found.normal.sum() - abs(found.tangential.sum()))

    events = [gap(0), gap(1), push(0), push(1), hold]
    for event in events:
        vars(event).update(terminal=True, direction=-1.0)  # where `solve_ivp` looks for them
    return solve_ivp(rates, span, state, "DOP853", events=events, rtol=1e-11, atol=1e-13, max_step=max_step)


def _set_down(block, phase, state, held):
    """State at the end of a phase without the rounding of the integration."""
    corners = list(phase.corners)
    if not corners:
        return state
    position, velocity = state[:3].copy(), state[3:]
    if len(corners) == 2:
        position[2] = 0.0
    equations = _equations(block, position, 0.0, (0.0, 0.0))
    position[1] -= equations.gaps[corners[0]]
    still = equations.normals[:, corners]
    if held:
        still = np.hstack([still, equations.tangents[:, corners[:1]]])
    mass = np.sqrt([block.mass, block.mass, block.inertia])
    change = np.linalg.lstsq((still / mass[:, None]).T, -(still.T @ velocity), rcond=None)[0]
    return np.concatenate([position, velocity + change / mass])
