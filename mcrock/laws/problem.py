"""Common form of every impact law: a contact problem goes in, an impact comes out.

A **system** has generalized velocities u, a mass matrix M and contacts with the normal directions W, the
gradients of the gaps: M (u+ - u-) = W L. A **single contact** is seen in its own coordinates, where the
relative velocity V of the two points that touch changes by P = M (V+ - V-) with the contact mass M. The
two meet in `ContactProblem.at`. Laws that divide the impulse by its normal part are written in `NormalForm`.

No law repairs its outcome. One that penetrates, pulls or gains energy is returned with the checks that say
so; input that makes no sense (a mass matrix that is not positive definite, a separating contact given to a
law of one collision, a coefficient outside its domain) is refused with a ValueError.

Contacts of bodies: `ellipsoid_contact` of two ellipsoids, after Glocker, C. (2001). On frictionless impact
models in rigid-body systems. Philosophical Transactions of the Royal Society A 359, 2385-2404, section 2(a).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import hypot, isinf
from typing import Any

import numpy as np
from scipy.optimize import brentq, root

TOLERANCE = 1e-9  # of the checks, relative to the speeds, impulses and energies of the problem [1]
ROUNDING = 1e-10  # asymmetry of a matrix and length of a normal that count as rounding, relative [1]


@dataclass(frozen=True, slots=True, eq=False)
class ImpactResult:
    """Outcome of an impact law, with its checks.

    A law with several solutions returns one of them, by a rule that its docstring states, and all of them in
    ``solutions``.
    """

    velocity: np.ndarray  # after the impact: u+ (n,) of a system, V+ (d,) of a single contact
    impulse: np.ndarray  # one for each contact (m,), or the vector P (d,) of a single contact [N s]
    normal_velocity: np.ndarray  # of each contact after the impact, negative is penetration (m,) [m/s]
    energy_change: float  # after less before; negative is a loss [J]
    kinematic: bool  # no contact approaches after the impact
    kinetic: bool  # no contact pulls
    energetic: bool  # no energy is gained
    friction: bool = True  # the tangential impulse is within the friction cone
    unique_velocity: bool = True  # no other solution of the law has another velocity
    unique_impulse: bool = True  # nor other impulses
    solutions: tuple[ImpactResult, ...] = ()  # all of them, this one too, where there are several
    notes: Mapping[str, Any] = field(default_factory=dict)  # further results of the law, by name

    @property
    def consistent(self) -> bool:
        """Whether all checks hold: the impulse is permissible."""
        return self.kinematic and self.kinetic and self.energetic and self.friction


@dataclass(frozen=True, slots=True, eq=False)
class ContactProblem:
    """A system of n coordinates with m contacts just before an impact."""

    mass: np.ndarray  # M (n, n), symmetric, positive definite
    directions: np.ndarray  # W (n, m), columns are the gradients of the gaps
    velocity: np.ndarray  # u- (n,)
    tangents: np.ndarray | None = None  # (n, m, k), k directions of slip of each contact
    friction: np.ndarray | float = 0.0  # coefficient mu of each contact (m,), or one for all; may be infinite
    drift: np.ndarray | float = 0.0  # rate of each gap at u = 0 (m,), of moving obstacles

    def __post_init__(self) -> None:
        mass = mass_matrix("mass", self.mass)
        n = len(mass)
        directions = finite_array("directions", self.directions)
        if directions.ndim != 2 or len(directions) != n or directions.shape[1] == 0:
            raise ValueError(
                f"directions must be a matrix with {n} rows, one for each coordinate, and a column for each "
                f"contact; got the shape {directions.shape}"
            )
        if not np.all(np.linalg.norm(directions, axis=0) > 0.0):
            raise ValueError(
                "directions: a column is zero; a contact needs a gap that depends on a coordinate"
            )
        m = directions.shape[1]
        tangents = self.tangents
        if tangents is not None:
            tangents = finite_array("tangents", tangents)
            if tangents.ndim != 3 or tangents.shape[:2] != (n, m):
                raise ValueError(f"tangents must have the shape ({n}, {m}, k), got {tangents.shape}")
        one = np.ndim(self.drift) == 0
        replace_fields(
            self,
            mass=mass,
            directions=directions,
            velocity=finite_array("velocity", self.velocity, (n,)),
            tangents=tangents,
            friction=coefficients("friction", self.friction, m, 0.0, np.inf),
            drift=np.broadcast_to(finite_array("drift", self.drift, None if one else (m,)), (m,)),
        )

    @property
    def normal_velocity(self) -> np.ndarray:
        """Rate of each gap before the impact (m,), negative is an approach."""
        return self.directions.T @ self.velocity + self.drift

    @property
    def slip(self) -> np.ndarray:
        """Tangential velocities of the contacts before the impact (m, k) [m/s]."""
        m = self.directions.shape[1]
        if self.tangents is None:
            return np.zeros((m, 0))
        return np.asarray(np.einsum("nmk,n->mk", self.tangents, self.velocity))

    @property
    def delassus(self) -> np.ndarray:
        """W^T M^-1 W (m, m): what unit impulses do to the rates of the gaps."""
        return self.directions.T @ np.linalg.solve(self.mass, self.directions)

    @property
    def energy(self) -> float:
        """Kinetic energy before the impact [J]."""
        return 0.5 * float(self.velocity @ self.mass @ self.velocity)

    def in_kinetic_metric(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """C (n, n) with M = C C^T, the directions C^-1 W (n, m) in its metric, and their lengths (m,)."""
        factor = np.linalg.cholesky(self.mass)
        # solve, not scipy's solve_triangular: its threads take fifty times as long on a busy machine
        scaled = np.linalg.solve(factor, self.directions)
        return factor, scaled, np.linalg.norm(scaled, axis=0)

    def at(self, contact: int) -> SingleContact:
        """One contact by itself, in the coordinates (normal, tangents).

        Raises
        ------
        IndexError
            If there is no such contact.
        """
        columns = [self.directions[:, contact]]
        if self.tangents is not None:
            columns += list(self.tangents[:, contact].T)
        frame = np.stack(columns, axis=1)
        velocity = frame.T @ self.velocity
        velocity[0] += np.asarray(self.drift)[contact]
        normal = np.eye(len(velocity))[0]
        friction = float(np.asarray(self.friction)[contact])
        return SingleContact.of_inverse(
            frame.T @ np.linalg.solve(self.mass, frame), velocity, normal, friction
        )

    def result(self, impulse: np.ndarray, **known: Any) -> ImpactResult:
        """The impact of given normal impulses (m,), with its checks; ``known`` are further fields."""
        return self.outcome(
            self.velocity + np.linalg.solve(self.mass, self.directions @ impulse), impulse, **known
        )

    def outcome(self, velocity: np.ndarray, impulse: np.ndarray, **known: Any) -> ImpactResult:
        """The impact that leads to a given velocity (n,) by given normal impulses (m,), with its checks."""
        after = self.directions.T @ velocity + self.drift
        speed = max(np.abs(self.normal_velocity).max(), np.abs(after).max())
        change = 0.5 * float((velocity + self.velocity) @ self.mass @ (velocity - self.velocity))
        size = float(np.abs(impulse).max(initial=0.0))
        return ImpactResult(
            velocity=velocity,
            impulse=impulse,
            normal_velocity=after,
            energy_change=change,
            kinematic=bool(np.all(after >= -TOLERANCE * speed)),
            kinetic=bool(np.all(impulse >= -TOLERANCE * size)),
            energetic=change <= TOLERANCE * self.energy,
            **known,
        )


@dataclass(frozen=True, slots=True, eq=False)
class SingleContact:
    """One contact of two bodies in its own coordinates (1 to 3), just before a collision."""

    mass: np.ndarray | None  # contact mass M (d, d), symmetric, positive definite; None: unbounded
    velocity: np.ndarray  # relative velocity V- (d,) of the points that touch [m/s]
    normal: np.ndarray  # unit vector n (d,); n . V- <= 0 is an approach
    friction: float = 0.0  # coefficient mu, 0 to infinity [1]
    # M^-1 (d, d), positive semidefinite; to be given of an unbounded mass, made of any other
    inverse: np.ndarray = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        normal = finite_array("normal", self.normal)
        d = len(normal) if normal.ndim == 1 else 0
        if d not in (1, 2, 3):
            raise ValueError(f"normal must be a vector of 1 to 3 components, got the shape {normal.shape}")
        length = float(np.linalg.norm(normal))
        if abs(length - 1.0) > ROUNDING:
            raise ValueError(f"normal must be a unit vector, got one of length {length:.12g}")
        if (self.mass is None) == (self.inverse is None):
            raise ValueError("give either mass or inverse")
        if self.inverse is None:
            mass = mass_matrix("mass", self.mass, d)
            inverse = inverse_of(mass)
        else:
            mass = None
            inverse = symmetric_matrix("inverse", self.inverse, d)
            low = np.linalg.eigvalsh(inverse)
            if low[0] < -ROUNDING * abs(low[-1]) or low[-1] <= 0.0:
                raise ValueError(f"inverse must be positive semidefinite, got the eigenvalues {low}")
            if low[0] > 1e-12 * low[-1]:
                mass = inverse_of(inverse)
        if not normal @ inverse @ normal > 0.0:
            raise ValueError("the normal velocity cannot change: n . M^-1 n must be positive")
        velocity = finite_array("velocity", self.velocity, (d,))
        if normal @ velocity > TOLERANCE * np.linalg.norm(velocity):
            raise ValueError(
                "the contact separates: n . V must be negative or 0 before a collision, "
                f"got {normal @ velocity:g}"
            )
        friction = coefficient("friction", self.friction, 0.0, np.inf)
        replace_fields(self, mass=mass, velocity=velocity, normal=normal, friction=friction, inverse=inverse)

    @classmethod
    def of_inverse(
        cls, inverse: np.ndarray, velocity: np.ndarray, normal: np.ndarray, friction: float = 0.0
    ) -> SingleContact:
        """A contact given by the inverse of its mass, which may be singular: a mechanism that cannot move
        in some direction."""
        return cls(None, velocity, normal, friction, inverse)

    @property
    def energy(self) -> float:
        """Largest energy that the collision can take, the kinetic energy of the relative motion [J]."""
        return -0.5 * float(self.velocity @ self.sticking)

    @property
    def compression(self) -> np.ndarray:
        """Impulse P_I (d,) that ends the approach without friction: -n (n . V)/(n . M^-1 n) [N s]."""
        n = self.normal
        return -n * (n @ self.velocity) / (n @ self.inverse @ n)

    @property
    def sticking(self) -> np.ndarray:
        """Impulse P_II (d,) that ends all relative motion: -M V [N s].

        Raises
        ------
        ValueError
            If the mass is unbounded and the velocity has a part that no impulse can change.
        """
        if self.mass is not None:
            return -self.mass @ self.velocity
        impulse = -np.linalg.pinv(self.inverse, rcond=1e-12, hermitian=True) @ self.velocity
        rest = self.velocity + self.inverse @ impulse
        if np.linalg.norm(rest) > TOLERANCE * np.linalg.norm(self.velocity):
            raise ValueError("no impulse ends the relative motion: the velocity is not in the range of M^-1")
        return impulse

    def split(self, vector: np.ndarray) -> tuple[float, np.ndarray]:
        """Normal part and tangential vector (d,) of a vector."""
        along = float(self.normal @ vector)
        return along, vector - along * self.normal

    def result(self, impulse: np.ndarray, **known: Any) -> ImpactResult:
        """The collision of a given impulse P (d,), with its checks: the permissible region of Chatterjee
        and Ruina (1998), equation (6)."""
        change = self.inverse @ impulse
        after = self.velocity + change
        normal, tangential = self.split(impulse)
        size, slip = hypot(*impulse), hypot(*tangential)  # a norm would be 0 of impulses below 1e-160
        energy = 0.5 * float((after + self.velocity) @ impulse)
        speed = float(np.linalg.norm(self.velocity)) + float(np.linalg.norm(change))
        work = 0.5 * float(np.abs(self.velocity) @ np.abs(impulse)) + 0.5 * float(
            np.abs(change) @ np.abs(impulse)
        )
        # distance to the friction cone, the half-space of impulses that push if mu is infinite
        outside = (
            -normal if isinf(self.friction) else (slip - self.friction * normal) / hypot(1, self.friction)
        )
        return ImpactResult(
            velocity=after,
            impulse=impulse,
            normal_velocity=np.array([self.normal @ after]),
            energy_change=energy,
            kinematic=bool(self.normal @ after >= -TOLERANCE * speed),
            kinetic=normal >= -TOLERANCE * size,
            energetic=energy <= TOLERANCE * work,
            friction=outside <= TOLERANCE * size,
            **known,
        )


def mass_matrix(name: str, value: Any, size: int | None = None) -> np.ndarray:
    """A symmetric, positive definite matrix.

    Raises
    ------
    ValueError
        If it is not one, or of another size.
    """
    matrix = symmetric_matrix(name, value, size)
    low = np.linalg.eigvalsh(matrix)
    if not low[0] > 1e-14 * low[-1]:
        raise ValueError(
            f"{name} must be positive definite, the eigenvalues within a factor of 1e14 of each other as "
            f"smaller ones are rounding; got the eigenvalues {low}"
        )
    return matrix


def symmetric_matrix(name: str, value: Any, size: int | None = None) -> np.ndarray:
    """A symmetric matrix of finite numbers; a ValueError if it is not one."""
    matrix = finite_array(name, value)
    n = size or (len(matrix) if matrix.ndim == 2 else 0)
    if matrix.shape != (n, n) or n == 0:
        raise ValueError(
            f"{name} must be a square matrix{f' of size {size}' if size else ''}, got {matrix.shape}"
        )
    if np.abs(matrix - matrix.T).max() > ROUNDING * np.abs(matrix).max():
        raise ValueError(f"{name} must be symmetric")
    return 0.5 * (matrix + matrix.T)


def finite_array(name: str, value: Any, shape: tuple[int, ...] | None = None) -> np.ndarray:
    """Finite numbers of a given shape; a ValueError if they are not."""
    try:
        array = np.asarray(value, float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers, got {value!r}") from None
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name} must have the shape {shape}, got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite")
    return array


def coefficient(name: str, value: Any, low: float, high: float) -> float:
    """A coefficient within its domain.

    Raises
    ------
    ValueError
        If it is outside, or no number.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number from {low:g} to {high:g}, got {value!r}") from None
    if not low <= number <= high:
        raise ValueError(f"{name} must be from {low:g} to {high:g}, got {number:g}")
    return number


def coefficients(name: str, value: Any, m: int, low: float, high: float) -> np.ndarray:
    """Coefficients of m contacts within their domain (m,), from one number or m of them.

    Raises
    ------
    ValueError
        If they are not.
    """
    values = [value] * m if np.ndim(value) == 0 else list(value)
    if len(values) != m:
        raise ValueError(f"{name} must be one number or {m}, one for each contact; got {len(values)}")
    return np.array([coefficient(name, number, low, high) for number in values])


def inverse_of(matrix: np.ndarray) -> np.ndarray:
    """Inverse of a symmetric matrix, as symmetric."""
    inverse = np.linalg.inv(matrix)
    return 0.5 * (inverse + inverse.T)


def replace_fields(instance: Any, **values: Any) -> None:
    """Give the fields of a frozen dataclass the values that its checks made of them."""
    for name, value in values.items():
        object.__setattr__(instance, name, value)


def first_of(results: list[ImpactResult]) -> ImpactResult:
    """The first of several solutions, with all of them."""
    return replace(results[0], solutions=tuple(results)) if len(results) > 1 else results[0]


NEGLIGIBLE = 1e-14  # part of a velocity or an impulse that is rounding [1]


@dataclass(frozen=True, slots=True, eq=False)
class NormalForm:
    """Velocity and inverse mass of a contact with k = 0, 1 or 2 tangents.

    With the impulse (p, x) and the velocity (v, w) along the normal and the tangents and W = M^-1

        v+ = v + W_nn p + W_tn . x,    w+ = w + W_tn p + W_tt x
    """

    approach: float  # v, normal velocity before the collision, <= 0 [m/s]
    slip: np.ndarray  # w, tangential velocity before (k,) [m/s]
    w_nn: float  # [1/kg]
    w_tn: np.ndarray  # (k,)
    w_tt: np.ndarray  # (k, k)
    basis: np.ndarray  # rows are the normal and the tangents (1 + k, d)

    @classmethod
    def of(cls, contact: SingleContact) -> NormalForm:
        """Normal form of a contact, its tangents those of `tangent_basis`."""
        basis = np.vstack([contact.normal, tangent_basis(contact)])
        inverse = basis @ contact.inverse @ basis.T
        velocity = basis @ contact.velocity
        approach = float(velocity[0])
        if approach > -NEGLIGIBLE * float(np.linalg.norm(velocity)):
            approach = 0.0
        return cls(approach, velocity[1:], float(inverse[0, 0]), inverse[1:, 0], inverse[1:, 1:], basis)

    @property
    def inverse(self) -> np.ndarray:
        """M^-1 (1 + k, 1 + k) along the normal and the tangents [1/kg]."""
        return np.block([[np.array([[self.w_nn]]), self.w_tn[None]], [self.w_tn[:, None], self.w_tt]])

    def impulse(self, normal: float, tangential: np.ndarray) -> np.ndarray:
        """Impulse (d,) with the given parts [N s]."""
        return normal * self.basis[0] + tangential @ self.basis[1:]

    def normal_velocity(self, normal: float, tangential: np.ndarray) -> float:
        """Normal velocity after an impulse of the given parts [m/s]."""
        return self.approach + self.w_nn * normal + float(self.w_tn @ tangential)

    def tangential_velocity(self, normal: float, tangential: np.ndarray) -> np.ndarray:
        """Tangential velocity (k,) after an impulse of the given parts [m/s]."""
        return self.slip + self.w_tn * normal + self.w_tt @ tangential


def tangent_basis(contact: SingleContact) -> np.ndarray:
    """Orthonormal tangents (d - 1, d) of a contact.

    The first opposes the tangential velocity before the collision, as in Chatterjee and Ruina (1998);
    without one it is along the first axis that is not normal.
    """
    normal = contact.normal
    d = len(normal)
    if d == 1:
        return np.empty((0, 1))
    _, first = contact.split(-contact.velocity)
    if np.linalg.norm(first) <= NEGLIGIBLE * np.linalg.norm(contact.velocity):
        _, first = contact.split(np.eye(d)[int(np.argmin(np.abs(normal) > 0.9))])
    first = first / np.linalg.norm(first)
    first = first - (first @ normal) * normal
    first = first / np.linalg.norm(first)
    return first[None] if d == 2 else np.stack([first, np.cross(normal, first)])


def sliding_impulse(w_tt: np.ndarray, slip: np.ndarray, limit: float) -> np.ndarray:
    """Tangential impulse x (k,) against the slip it would leave, no longer than a limit [N s].

    The minimum of x . W_tt x / 2 + slip . x over the ball |x| <= limit: either it ends the slip, or it is
    as long as the limit and opposes the slip w+ = slip + W_tt x that is left.

    Parameters
    ----------
    w_tt : ndarray (k, k)
        Positive semidefinite [1/kg].
    slip : ndarray (k,)
        Slip without the impulse [m/s].
    limit : float
        May be infinite if W_tt is regular [N s].
    """
    if not slip.any() or limit == 0.0:
        return np.zeros_like(slip)
    if isinf(limit):
        return -np.linalg.lstsq(w_tt, slip, rcond=NEGLIGIBLE)[0]
    if len(slip) == 1:
        reach = limit * w_tt[0, 0]
        return -slip / w_tt[0, 0] if abs(slip[0]) <= reach else -limit * np.sign(slip)
    values, vectors = np.linalg.eigh(w_tt)
    values = np.maximum(values, 0.0)
    along = vectors.T @ slip
    if values[0] > NEGLIGIBLE * values[-1]:
        sticking = -along / values
        if np.linalg.norm(sticking) <= limit:
            return vectors @ sticking

    # in units of the limit and of |slip| / limit, with u = slip / |slip|: |u / (values + shift)| = 1
    size = float(np.linalg.norm(along))
    values, along = values * (limit / size), along / size

    def excess(shift: float) -> float:
        return 1.0 - 1.0 / float(np.linalg.norm(along / (values + shift)))

    # 1 / (largest + shift) <= |u / (values + shift)| <= 1 / (smallest + shift)
    low = max(1.0 - values[-1], NEGLIGIBLE * (1.0 + values[-1]))
    shift = brentq(excess, low, 2.0, xtol=1e-300, rtol=1e-15) if excess(low) > 0.0 else low
    return -limit * (vectors @ (along / (values + shift)))


STARTS = 5000  # directions, from the best of which the widest slab is sought


@dataclass(frozen=True, slots=True, eq=False)
class Ellipsoid:
    """A moving ellipsoid."""

    centre: np.ndarray  # (3,) [m]
    semi_axes: np.ndarray  # (3,) [m]
    axes: np.ndarray = field(default_factory=lambda: np.eye(3))  # their directions as columns (3, 3)
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))  # of the centre (3,) [m/s]
    spin: np.ndarray = field(default_factory=lambda: np.zeros(3))  # angular velocity (3,) [rad/s]

    def __post_init__(self) -> None:
        values: dict[str, Any] = {
            name: finite_array(f"Ellipsoid.{name}", getattr(self, name), (3,))
            for name in ("centre", "semi_axes", "velocity", "spin")
        }
        values["axes"] = finite_array("Ellipsoid.axes", self.axes, (3, 3))
        if not np.all(values["semi_axes"] > 0.0):
            raise ValueError(f"Ellipsoid.semi_axes must be > 0 [m], got {self.semi_axes!r}")
        if np.abs(values["axes"].T @ values["axes"] - np.eye(3)).max() > ROUNDING:
            raise ValueError("Ellipsoid.axes must be orthogonal unit vectors, in columns")
        replace_fields(self, **values)

    @property
    def shape(self) -> np.ndarray:
        """Matrix S (3, 3) of the support function h(n) = n . c + sqrt(n . S n) [m2]."""
        return (self.axes * self.semi_axes**2) @ self.axes.T

    def velocity_at(self, point: np.ndarray) -> np.ndarray:
        """Velocity of a point that is fixed to the body (3,) [m/s]."""
        return self.velocity + np.cross(self.spin, point - self.centre)


@dataclass(frozen=True, slots=True, eq=False)
class ContactKinematics:
    """Where two bodies are about to touch, and how fast."""

    normal: np.ndarray  # outward, of body 1 (3,)
    point_1: np.ndarray  # contact point of body 1 (3,) [m]
    point_2: np.ndarray  # contact point of body 2 (3,) [m]
    gap: float  # negative: they overlap [m]
    gap_rate: float  # [m/s]
    direction: np.ndarray  # w (12,): the gap's rate is w . (v1, spin1, v2, spin2), equation (2.17)


def ellipsoid_contact(first: Ellipsoid, second: Ellipsoid) -> ContactKinematics:
    """Contact points, gap and gap rate of two ellipsoids.

    At the contact points C1 and C2 both tangent planes are normal to the line between them, (2.10); with the
    outward normal n of body 1 and the velocities of the points as fixed to the bodies, (2.11) and (2.14),

        g = n . (C2 - C1),     dg/dt = n . (v_C2 - v_C1)

    that the points wander over the surfaces does not matter. With the support functions h of the bodies, g is
    the maximum of n . (c2 - c1) - h1(n) - h2(-n) over all directions: the width of the widest slab between.

    Parameters
    ----------
    first, second : Ellipsoid
        The bodies; they may overlap a little.

    Raises
    ------
    ValueError
        If the centres coincide, or the bodies overlap so far that they have no contact normal.

    Examples
    --------
    >>> ball = Ellipsoid([0, 0, 0], [1, 1, 1])
    >>> egg = Ellipsoid([0, 0, 5], [1, 1, 2], velocity=[3, 0, -1])
    >>> contact = ellipsoid_contact(ball, egg)
    >>> float(contact.gap), contact.gap_rate
    (2.0, -1.0)
    """
    between = second.centre - first.centre
    size = float(np.linalg.norm(between))
    if size <= ROUNDING * max(first.semi_axes.max(), second.semi_axes.max()):
        raise ValueError("the centres of the ellipsoids coincide: there is no contact normal")
    scale = size + first.semi_axes.max() + second.semi_axes.max()
    shapes = first.shape / scale**2, second.shape / scale**2
    normal, gap = _widest_slab(between / scale, shapes)
    point_1 = first.centre + scale * _support(shapes[0], normal)
    point_2 = second.centre - scale * _support(shapes[1], normal)
    arms = np.cross(point_1 - first.centre, normal), np.cross(point_2 - second.centre, normal)
    return ContactKinematics(
        normal=normal,
        point_1=point_1,
        point_2=point_2,
        gap=scale * gap,
        gap_rate=float(normal @ (second.velocity_at(point_2) - first.velocity_at(point_1))),
        direction=np.concatenate([-normal, -arms[0], normal, arms[1]]),
    )


def _support(shape: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Point of the surface whose outward normal is given, from the centre."""
    return shape @ normal / np.sqrt(normal @ shape @ normal)


def _widest_slab(between: np.ndarray, shapes: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, float]:
    """Direction of the greatest gap and that gap."""

    def width(normals: np.ndarray) -> np.ndarray:
        return normals @ between - sum(
            np.sqrt(np.einsum("...i,ij,...j", normals, shape, normals)) for shape in shapes
        )

    normals = np.vstack([_directions(STARTS), between / np.linalg.norm(between)])
    normal = normals[np.argmax(width(normals))]

    def conditions(unknown: np.ndarray) -> np.ndarray:
        """Equation (2.10): what is between the contact points is the gap along the normal."""
        n, gap = unknown[:3], unknown[3]
        apart = between - sum(_support(shape, n) for shape in shapes)
        return np.append(apart - gap * n, 0.5 * (n @ n - 1.0))

    def slopes(unknown: np.ndarray) -> np.ndarray:
        n, gap = unknown[:3], unknown[3]
        matrix = np.zeros((4, 4))
        for shape in shapes:
            length = np.sqrt(n @ shape @ n)
            matrix[:3, :3] -= shape / length - np.outer(shape @ n, shape @ n) / length**3
        matrix[:3, :3] -= gap * np.eye(3)
        matrix[:3, 3] = -n
        matrix[3, :3] = n
        return matrix

    found = root(conditions, np.append(normal, width(normal)), jac=slopes, tol=1e-14)
    error = np.abs(conditions(found.x)).max()
    if error > 1e-9 or found.x[3] < width(normal) - 1e-9:
        raise ValueError("the ellipsoids overlap so far that they have no contact normal")
    normal = found.x[:3] / np.linalg.norm(found.x[:3])
    return normal, float(width(normal))


def _directions(number: int) -> np.ndarray:
    """Unit vectors that are spread evenly over the sphere (number, 3), a spiral of the golden angle."""
    height = 1.0 - (2.0 * np.arange(number) + 1.0) / number
    angle = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(number)
    radius = np.sqrt(1.0 - height**2)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), height])
