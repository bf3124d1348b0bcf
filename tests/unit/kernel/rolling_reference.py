"""Independent references for a rigid body that rolls on a circular rim, without the kernel.

`roll` integrates position of the centre of mass (COM), quaternion, velocity and angular velocity with the
contact force as Lagrange multiplier of the constraint that the material point in contact is at rest,

    m v' = m g_eff + F,   I w' + w x I w = r x F,   v' + w' x r + w x r' = 0,

with g_eff = -g e_z - a_g as the body feels it in the frame of the ground, and r from the COM to the lowest
point of the rim, which moves along it. Between the pieces of the excitation drift is projected away in
the kinetic metric. Body axes: origin at the COM, z along the axis of the rim, from the base to the body.

Closed forms are for bodies of revolution, in the triad (k, u, j): axis k at the tilt theta, u in the base
towards the contact, j = k x u along the rim, so that w = n k + p u + theta' j and p = -psi' sin(theta), with
psi the azimuth of the lean. A and C are the moments of inertia across and along the axis about the COM, h is
the height of the COM above the base and A0 = A + m h^2.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import asin, cos, pi, sin, sqrt, tan
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

G = 9.81
UP = np.array([0.0, 0.0, 1.0])
RTOL = 1e-12
PIECE = 0.02  # between projections where the excitation has no pieces of its own [s]


@dataclass(frozen=True)
class Rim:
    """A rigid body on a circular rim."""

    mass: float  # [kg]
    inertia: np.ndarray  # (3, 3) about the COM, body axes [kg m2]
    centre: np.ndarray  # (3,) of the rim, from the COM, body axes [m]
    radius: float  # [m]
    loss: float = 0.0  # kappa of `resistance` [1]


class Shaking(NamedTuple):
    """Acceleration of the ground, linear between samples and zero after the last one."""

    acceleration: np.ndarray  # (3, n) [m/s2]
    step: float  # [s]

    def __call__(self, t: float) -> np.ndarray:
        """Acceleration (3,) [m/s2] at a time [s]."""
        times = self.step * np.arange(self.acceleration.shape[1])
        return np.array([np.interp(t, times, row, right=0.0) for row in self.acceleration])


class Rolled(NamedTuple):
    """A motion at the times asked for, as far as it went; what ended it, and when."""

    times: np.ndarray  # (n,) [s]
    position: np.ndarray  # (n, 3) of the COM, relative to the ground [m]
    orientation: np.ndarray  # (n, 4) quaternion, scalar first, body to ground
    velocity: np.ndarray  # (n, 3) of the COM [m/s]
    angular_velocity: np.ndarray  # (n, 3) ground axes [rad/s]
    force: np.ndarray  # (n, 3) on the body at the contact [N]
    energy: np.ndarray  # (n,) kinetic, relative to the ground, and potential, zero at the ground [J]
    work: np.ndarray  # (n,) of -m a_g since the start [J]
    ending: str  # "time", or the condition that was met
    end: float  # [s]

    @property
    def axis(self) -> np.ndarray:
        """Axis of the rim in the ground frame (n, 3)."""
        return Rotation.from_quat(self.orientation, scalar_first=True).apply(UP)

    @property
    def tilt(self) -> np.ndarray:
        """Angle of the axis from the vertical (n,) [rad]."""
        axis = self.axis
        return np.arctan2(np.hypot(axis[:, 0], axis[:, 1]), axis[:, 2])


def skew(a: np.ndarray) -> np.ndarray:
    """Matrix of the cross product with ``a`` from the left."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def contact(body: Rim, q: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inertia in ground axes, arm from the COM to the lowest point of the rim [m], and its rate [m/s]."""
    turn = Rotation.from_quat(q, scalar_first=True).as_matrix()
    k, centre = turn[:, 2], turn @ body.centre
    k_rate = skew(w) @ k
    lean = sqrt(k[0] ** 2 + k[1] ** 2)
    u = (k[2] * k - UP) / lean
    u_rate = (k_rate[2] * k + k[2] * k_rate) / lean + u * k[2] * k_rate[2] / lean**2
    arm_rate = skew(w) @ centre + body.radius * u_rate
    return turn @ body.inertia @ turn.T, centre + body.radius * u, arm_rate


def resistance(body: Rim, q: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Couple that resists rolling (3,) [N m], ground axes.

    -kappa/(4 pi) |phi'| (J w - m (r . w) r) of the components across the rim's tangent j alone, with phi'
    the rate of the contact along the rim and J the inertia about j at the contact. Of a body of revolution
    without spin kappa is the share of A0 p^2/2 that it loses a turn; a polygon of N sides with lambda has
    kappa = 4 pi^2 lambda m R^2/(N J).
    """
    inertia, arm, arm_rate = contact(body, q, w)
    k = Rotation.from_quat(q, scalar_first=True).apply(UP)
    u = (k[2] * k - UP) / sqrt(k[0] ** 2 + k[1] ** 2)
    j = skew(k) @ u
    rate = (arm_rate - skew(w) @ arm) @ j / body.radius
    across, arm = w - (w @ j) * j, arm - (arm @ j) * j
    about = j @ inertia @ j + body.mass * arm @ arm
    return -body.loss / (4 * pi) * abs(rate) * (about * across - body.mass * (arm @ across) * arm)


def accelerations(body: Rim, ground: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Accelerations of COM and angular velocity, and the contact force (9,), from 9 equations."""
    w = y[10:13]
    inertia, arm, arm_rate = contact(body, y[3:7], w)
    about, one = skew(arm), np.eye(3)
    matrix = np.zeros((9, 9))
    matrix[:3, :3], matrix[:3, 6:] = body.mass * one, -one
    matrix[3:6, 3:6], matrix[3:6, 6:] = inertia, -about
    matrix[6:, :3], matrix[6:, 3:6] = one, -about
    turning = skew(w)
    moment = -turning @ inertia @ w
    if body.loss:
        moment += resistance(body, y[3:7], w)
    given = [body.mass * (-G * UP - ground), moment, -turning @ arm_rate]
    return np.linalg.solve(matrix, np.concatenate(given))


def rates(body: Rim, ground: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Rate of the state (14,): position, quaternion, velocity, angular velocity, work."""
    q, v, w = y[3:7], y[7:10], y[10:13]
    q_rate = 0.5 * np.concatenate([[-w @ q[1:]], q[0] * w + skew(w) @ q[1:]])
    moved = accelerations(body, ground, y)
    return np.concatenate([v, q_rate, moved[:6], [-body.mass * ground @ v]])


def projected(body: Rim, y: np.ndarray) -> np.ndarray:
    """The nearest state that touches the ground at rest there: velocities in the kinetic metric."""
    y = y.copy()
    y[3:7] /= np.linalg.norm(y[3:7])
    inertia, arm, _ = contact(body, y[3:7], y[10:13])
    y[2] = -arm[2]
    jacobian = np.hstack([np.eye(3), -skew(arm)])
    inverse = np.zeros((6, 6))
    inverse[:3, :3], inverse[3:, 3:] = np.eye(3) / body.mass, np.linalg.inv(inertia)
    through = inverse @ jacobian.T
    y[7:13] -= through @ np.linalg.solve(jacobian @ through, jacobian @ y[7:13])
    return y


def energy(body: Rim, y: np.ndarray) -> float:
    """Kinetic energy relative to the ground and potential energy [J]."""
    inertia, _, _ = contact(body, y[3:7], y[10:13])
    kinetic = 0.5 * (body.mass * y[7:10] @ y[7:10] + y[10:13] @ inertia @ y[10:13])
    return float(kinetic + body.mass * G * y[2])


def cosine(y: np.ndarray) -> float:
    """Cosine of the tilt."""
    return float(1.0 - 2.0 * (y[4] ** 2 + y[5] ** 2) / (y[3:7] @ y[3:7]))


def lean(y: np.ndarray) -> float:
    """Sine of the tilt."""
    x, z = y[4] * y[6] + y[3] * y[5], y[5] * y[6] - y[3] * y[4]
    return float(2.0 * np.hypot(x, z) / (y[3:7] @ y[3:7]))


def at_contact(
    body: Rim, orientation: np.ndarray, angular_velocity: np.ndarray, ground: tuple[float, float] = (0.0, 0.0)
) -> np.ndarray:
    """State (14,) of a body that rolls with an angular velocity (3,) [rad/s] in ground axes, with the contact
    at a point of the ground [m]."""
    q = np.asarray(orientation, float) / np.linalg.norm(orientation)
    w = np.asarray(angular_velocity, float)
    _, arm, _ = contact(body, q, w)
    position = np.array([*ground, 0.0]) - arm
    return np.concatenate([position, q, -np.cross(w, arm), w, [0.0]])


def roll(
    body: Rim,
    start: np.ndarray,
    times: np.ndarray,
    shaking: Shaking | Callable[[float], np.ndarray] | None = None,
    *,
    lowest_tilt: float = 0.0,
    highest_tilt: float = pi,
    pulled: bool = False,
    rtol: float = RTOL,
    piece: float | None = None,
) -> Rolled:
    """Roll from a state (14,) at time 0 without slip, at times [s].

    The motion ends early where the tilt falls below ``lowest_tilt`` or rises above ``highest_tilt`` [rad],
    the axis becomes level, or the ground would have to pull and is not ``pulled``. States are projected and
    solvers restarted every ``piece`` [s], by default the samples of a record.
    """
    step = piece or (shaking.step if isinstance(shaking, Shaking) else PIECE)
    ground = shaking or (lambda t: np.zeros(3))

    def near_flat(t: float, y: np.ndarray) -> float:
        return lean(y) - sin(lowest_tilt)

    def high(t: float, y: np.ndarray) -> float:
        return sin(highest_tilt) - lean(y)

    def level(t: float, y: np.ndarray) -> float:
        return cosine(y)

    def lift(t: float, y: np.ndarray) -> float:
        return float(accelerations(body, ground(t), y)[8])

    conditions = {"level": level}
    if lowest_tilt > 0.0:
        conditions["near flat"] = near_flat
    if highest_tilt < pi / 2:
        conditions["high"] = high
    if not pulled:
        conditions["lift"] = lift
    for condition in conditions.values():
        condition.terminal, condition.direction = True, -1  # type: ignore[attr-defined]
    y, found, ending, end = projected(body, start), [], "time", float(times[-1])
    pieces = max(int(np.ceil(times[-1] / step - 1e-9)), 1)
    for first, last in pairwise([*(step * np.arange(pieces)), float(times[-1])]):
        part = solve_ivp(
            lambda t, y: rates(body, ground(t), y),
            (first, last),
            y,
            method="DOP853",
            rtol=rtol,
            atol=rtol / 10,
            events=list(conditions.values()),
            dense_output=True,
        )
        inside = (times >= first) & ((times < last) | (last == times[-1])) & (times <= part.t[-1])
        found += [projected(body, part.sol(t)) for t in times[inside]]
        y = projected(body, part.y[:, -1])
        if part.status == 1:
            name = next(name for name, t in zip(conditions, part.t_events, strict=True) if t.size)
            ending, end = name, float(part.t[-1])
            break
    states = np.array([*found, y]) if ending != "time" else np.array(found)
    at = np.append(times[: len(found)], end) if ending != "time" else times
    forces = np.array([accelerations(body, ground(t), s)[6:] for t, s in zip(at, states, strict=True)])
    energies = np.array([energy(body, s) for s in states])
    columns = states[:, :3], states[:, 3:7], states[:, 7:10], states[:, 10:13]
    return Rolled(at, *columns, forces, energies, states[:, 13], ending, end)


class Case(NamedTuple):
    """One of the random motions."""

    body: Rim
    orientation: np.ndarray  # (4,) quaternion at the start
    angular_velocity: np.ndarray  # (3,) at the start, ground axes [rad/s]
    shaking: Shaking
    duration: float  # [s]


def frustum_rim(mass: float, radius: float, top: float, height: float) -> Rim:
    """Homogeneous frustum of a cone, or cylinder, on its base: radii of base and top, and height [m]."""
    nodes, weights = np.polynomial.legendre.leggauss(8)  # exact for the polynomials here
    z, weights = height * (nodes + 1) / 2, height * weights / 2
    r = radius + (top - radius) * z / height
    share = weights * r**2 / np.sum(weights * r**2)
    h = float(share @ z)
    across, along = share @ (r**2 / 4 + (z - h) ** 2), share @ (r**2 / 2)
    return Rim(mass, mass * np.diag([across, across, along]), np.array([0.0, 0.0, -h]), radius)


def random_case(seed: int) -> Case:
    """A frustum, cylinder (every third) or body with an off-axis COM and any principal axes (every third),
    shaken in three directions while it rolls near a steady motion."""
    rng = np.random.default_rng(seed)
    radius = rng.uniform(0.15, 1.2)
    top, height = radius * rng.uniform(0.5, 1.3), radius * rng.uniform(0.8, 6.0)
    body = frustum_rim(10.0 ** rng.uniform(0.0, 4.0), radius, radius if seed % 3 == 0 else top, height)
    if seed % 3 == 2:
        turn = Rotation.from_rotvec(rng.uniform(-0.4, 0.4, 3)).as_matrix()
        principal = np.diag(body.inertia) * rng.uniform(0.9, 1.1, 3)
        offset = 0.25 * radius * rng.uniform(-1.0, 1.0, 2)
        centre = body.centre - np.array([*offset, 0.0])
        body = Rim(body.mass, turn @ np.diag(principal) @ turn.T, centre, radius)
    h = -float(body.centre[2])
    slenderness, reach = np.arctan2(radius, h), sqrt(radius**2 + h**2)
    tilt, azimuth, heading = slenderness * rng.uniform(0.2, 0.9), *rng.uniform(0.0, 2 * pi, 2)
    axis = np.array([sin(tilt) * cos(azimuth), sin(tilt) * sin(azimuth), cos(tilt)])
    about = Rotation.from_rotvec(tilt * np.array([-sin(azimuth), cos(azimuth), 0.0]))
    orientation = (about * Rotation.from_euler("z", heading)).as_quat(scalar_first=True)
    precession = steady_precession(body, tilt, 0.0) * rng.uniform(0.4, 1.4) * rng.choice([-1.0, 1.0])
    w = precession * (UP - axis[2] * axis) + rng.uniform(-0.5, 0.5) * sqrt(G / reach) * axis
    step, n = 0.02, round(6.0 * sqrt(reach / G) / 0.02)
    t = step * np.arange(n + 1)
    frequency, phase = rng.uniform(0.5, 4.0, (3, 4)), rng.uniform(0.0, 2 * pi, (3, 4))
    waves = np.sin(2 * pi * frequency[:, :, None] * t + phase[:, :, None]).sum(1) / 2
    strength = G * radius / h * rng.uniform(0.1, 0.6) * np.array([[1.0], [1.0], [0.3]])
    shaken = strength * waves * np.sin(pi * t / t[-1])
    return Case(body, orientation, w, Shaking(np.minimum(shaken, 0.6 * G), step), step * n)


def random_cases(count: int = 20) -> Iterator[Case]:
    """The random motions: always the same ones."""
    return (random_case(seed) for seed in range(count))


def moments(body: Rim) -> tuple[float, float, float]:
    """Moments of inertia A and C over the mass [m2] and height h [m] of a body of revolution."""
    A, h = body.inertia[0, 0] / body.mass, -float(body.centre[2])
    return float(A), float(body.inertia[2, 2] / body.mass), h


def steady_terms(body: Rim, tilt: float) -> tuple[float, float, float]:
    """Coefficients of steady rolling: a Omega n - b Omega^2 + c = 0, n the spin about the axis [rad/s]."""
    (A, C, h), R, s, c = moments(body), body.radius, sin(tilt), cos(tilt)
    low = h * c + R * s
    return C * s + R * low, s * (A * c + h * low), G * (R * c - h * s)


def steady_precession(body: Rim, tilt: float, spin: float) -> float:
    """Rate of precession Omega [rad/s] of steady rolling at a tilt below the slenderness [rad] and a spin
    n = w . k [rad/s]: the positive root.

    Moments about the COM of F = m a + m g e_z, the COM on a circle at the speed Omega h sin(theta) - n R.
    For h = 0 the disc of McDonald, A. J. and McDonald, K. T. (2000), arXiv physics/0008227.
    """
    a, b, c = steady_terms(body, tilt)
    return (a * spin + sqrt((a * spin) ** 2 + 4 * b * c)) / (2 * b)


def wobbling_precession(body: Rim, tilt: float) -> tuple[float, float]:
    """Precession and spin [rad/s] of the steady motion whose COM is at rest, where there is one.

    Omega^2 sin(theta) (A cos(theta) - C (h/R) sin(theta)) = m g (R cos(theta) - h sin(theta)).
    """
    (A, C, h), R = moments(body), body.radius
    square = G * (R - h * tan(tilt)) / (sin(tilt) * (A - C * h / R * tan(tilt)))
    return sqrt(square), sqrt(square) * h * sin(tilt) / R


def components(rolled: Rolled) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angular velocity along (k, u, j) at all times: n, p and the rate of the tilt (3 arrays) [rad/s]."""
    k, w = rolled.axis, rolled.angular_velocity
    u = (k * k[:, 2:] - UP) / np.hypot(k[:, 0], k[:, 1])[:, None]
    j = np.cross(k, u)
    return np.sum(w * k, 1), np.sum(w * u, 1), np.sum(w * j, 1)


def linear_integrals(body: Rim, tilt: float, tilts: np.ndarray) -> np.ndarray:
    """Matrices (n, 2, 2) that take (n, p) at one tilt to those at others, whatever else the motion does.

    The balance of momentum along j and of moments along k and u is linear in n and p with the tilt as time:

        (C + m R^2) dn + m R h dp = -m R p (h cot(theta) + R) dtheta
        m R h dn + A0 dp = -(C n + A p cot(theta) + m h p (h cot(theta) + R)) dtheta

    so that two linear combinations of n and p with coefficients that depend on the tilt stay constant.
    Appell (1900), Korteweg (1899), Chaplygin (1897).
    """
    (A, C, h), R = moments(body), body.radius
    mass = np.array([[C + R * R, R * h], [R * h, A + h * h]])

    def slope(theta: float, y: np.ndarray) -> np.ndarray:
        n, p = y.reshape(2, 2)
        arm = h / tan(theta) + R
        given = np.array([-R * p * arm, -(C * n + A * p / tan(theta) + h * p * arm)])
        return np.linalg.solve(mass, given).ravel()

    matrices = []
    for theta in tilts:
        solved = solve_ivp(slope, (tilt, theta), np.eye(2).ravel(), "DOP853", rtol=1e-12, atol=1e-13)
        matrices.append(solved.y[:, -1].reshape(2, 2))
    return np.array(matrices)


def disc_spins(body: Rim, tilt: float) -> np.ndarray:
    """Fundamental solutions of a thin disc (2, 2): n and its derivative by the tilt.

    n'' + cot(theta) n' = m R^2 C/(A (C + m R^2)) n is Legendre's equation, solved by 2F1(-l, l + 1; 1; z) at
    z = (1 -+ cos(theta))/2 with -l (l + 1) the factor on the right; p = -(C + m R^2)/(m R^2) n'.
    """
    (A, C, _), R = moments(body), body.radius
    factor = R * R * C / (A * (C + R * R))
    found = []
    for sign in (1.0, -1.0):
        z, value, slope, term = (1 - sign * cos(tilt)) / 2, 1.0, 0.0, 1.0
        for k in range(4000):
            ratio = (k * (k + 1) + factor) / (k + 1) ** 2
            slope += (k + 1) * term * ratio
            term *= ratio * z
            value += term
        found.append((value, sign * sin(tilt) / 2 * slope))
    return np.array(found).T


def leaning(body: Rim, tilt: float, rate: float, spin: float, p: float, heading: float = 0.0) -> np.ndarray:
    """State (14,) that leans along x, from the components of its angular velocity along j, k and u [rad/s].

    ``heading`` [rad] is the azimuth of the body's own x before it leans.
    """
    axis, u = np.array([sin(tilt), 0.0, cos(tilt)]), np.array([cos(tilt), 0.0, -sin(tilt)])
    turn = Rotation.from_rotvec([0.0, tilt, 0.0]) * Rotation.from_euler("z", heading)
    w = spin * axis + p * u + np.array([0.0, rate, 0.0])
    return at_contact(body, turn.as_quat(scalar_first=True), w)


def swept(
    body: Rim, tilt: float, rate: float, spin: float, p: float, heading: float = 0.0
) -> tuple[Rolled, float]:
    """From a state of `leaning` near flat down and back to its tilt: the motion, and the turn of the lean."""
    times = np.linspace(0.0, 4.0 * tilt / abs(rate), 1001)
    start = leaning(body, tilt, rate, spin, p, heading)
    rolled = roll(body, start, times, highest_tilt=tilt, pulled=True, piece=float(times[25]))
    azimuth = np.unwrap(np.arctan2(rolled.axis[:, 1], rolled.axis[:, 0]))
    return rolled, float(azimuth[-1] - azimuth[0])


class Sweep(NamedTuple):
    """Motion of a body of revolution from a small tilt down and back to it."""

    turn: float  # of the azimuth of the lean [rad]
    time: float  # [s]
    least_tilt: float  # [rad]


def sweep(body: Rim, tilt: float, rate: float, spin: float, p: float, rough: bool = True) -> Sweep:
    """Leading order near flat, from a tilt [rad], its rate, the spin n and p = -psi' sin(tilt) [rad/s].

    Gravity and shaking have no time to act. n and a = -tilt p stay, tilt's rate turns round, and

        J tilt'^2 + A0 (a/tilt)^2 - 2 m h R n a/tilt = 2 T,  J = A0 + m R^2,

    a conic: from p = 0 to p = 0 it turns by sqrt(J/A0) (pi + 2 asin(B/sqrt(B^2 + 2 T A0))) with
    B = m h R n sgn(a). A rim that is not ``rough`` has A in place of A0 and no term in n.

    Srinivasan, M. and Ruina, A. (2008), arXiv physics/0702028, without spin.
    """
    (A, _, h), R = moments(body), body.radius
    about, mixed = (A + h * h, h * R * spin) if rough else (A, 0.0)
    J, side, a = about + R * R, -np.sign(p), abs(p) * tilt
    mixed *= side
    energy = J * rate**2 + about * p * p - 2.0 * mixed * abs(p)
    root = sqrt(mixed**2 + energy * about)
    turn = 2.0 * sqrt(J / about) * (pi / 2 - asin((about * abs(p) - mixed) / root))
    fall = tilt * sqrt(J) * abs(rate) / energy
    bend = mixed * a / energy**1.5 * np.arccosh(max((energy * tilt / a + mixed) / root, 1.0))
    return Sweep(float(side * turn), float(2.0 * sqrt(J) * (fall - bend)), a * (root - mixed) / energy)


def general_sweep(body: Rim, w: np.ndarray, azimuth: float) -> tuple[float, np.ndarray]:
    """Turn of the lean [rad] and angular velocity after it (3,), near flat, of any body on its rim.

    ``w`` (3,) [rad/s] in axes of the ground that are those of the body, whose lean is at ``azimuth`` [rad].
    With e_r the direction of the contact and e_t along the rim there, s' = w . e_t and s psi' = -w . e_r for
    the tilt s, and from the force m v' and a contact that moves at R psi' e_t

        (I - m [r][r]) dw/dpsi = -m R r x (w x e_t),

    which keeps the energy and does not depend on the tilt. It ends where s is what it was.
    """
    inertia = body.inertia / body.mass

    def slope(_: float, y: np.ndarray) -> np.ndarray:
        e_r, e_t = np.array([cos(y[3]), sin(y[3]), 0.0]), np.array([-sin(y[3]), cos(y[3]), 0.0])
        about = skew(body.centre + body.radius * e_r)
        by_turn = np.linalg.solve(inertia - about @ about, -body.radius * about @ skew(y[:3]) @ e_t)
        return np.array([*(by_turn * -(y[:3] @ e_r)), -(y[:3] @ e_r), y[:3] @ e_t])  # over time/s

    def back(_: float, y: np.ndarray) -> float:
        return float(y[4])

    back.terminal, back.direction = True, 1  # type: ignore[attr-defined]
    start = np.array([*w, azimuth, 0.0])
    solved = solve_ivp(slope, (0.0, 1e4), start, "DOP853", rtol=1e-11, atol=1e-13, events=back)
    return float(solved.y[3, -1] - azimuth), solved.y[:3, -1]
