"""One solution of the impulses of contacts with Coulomb friction, by Newton's method from good starts.

Anitescu, M., Potra, F. A. (1997), see `mcrock.laws.coulomb`, make friction cones pyramids and the problem
linear and complementary; Lemke's method solves it wherever the circular cone has a solution. From there, or
where that is near none, from repeated projection, Newton's method solves the equations of the circular cone.
It starts from no impulses, so that a collision that is not needed does not take place.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mcrock.laws.complementarity import RANK
from mcrock.laws.least_squares import NEGLIGIBLE
from mcrock.laws.linear_complementarity import lemke
from mcrock.laws.scaled_contacts import ScaledContacts

SIDES = (24, 64, 256)  # of further pyramids in space
ROUNDS = 2000  # of repeated projection
LARGE = 1e6  # friction of a pyramid in place of an infinite one [1]
STEPS = 60  # of Newton's method from there
DAMPED = range(15, 35)  # of which these are halved


def one_solution(contacts: ScaledContacts) -> np.ndarray | None:
    """Impulses (m, 1 + k) that obey the law, if any are found."""
    for impulse in _starts(contacts):
        for count in range(STEPS):
            left, slopes = _projected(contacts, impulse)
            step = np.linalg.lstsq(slopes, -left, rcond=RANK)[0]
            if count in DAMPED:  # off a cycle between two modes
                step = 0.5 * step
            impulse = impulse + step.reshape(impulse.shape)
            if np.abs(step).max() <= NEGLIGIBLE * contacts.reach(impulse):
                break
        if contacts.holds(impulse):
            return impulse
    return None


def _starts(contacts: ScaledContacts) -> Iterator[np.ndarray]:
    """Impulses (m, 1 + k) from which to search, the cheap ones first."""
    yield np.column_stack([contacts.least, np.zeros((len(contacts.least), contacts.k))])
    first = _of_pyramid(contacts, 2 if contacts.k == 1 else 8)
    if first is not None:
        yield first
    yield _settled(contacts)
    for sides in SIDES if contacts.k == 2 else ():
        further = _of_pyramid(contacts, sides)
        if further is not None:
            yield further


def _projected(contacts: ScaledContacts, impulse: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What impulses differ by from their projection on the law, and its slopes: zero at a solution.

    p - max(l, p - r) and x - (x - s, no longer than mu p): equations that are smooth in each mode.
    """
    after = contacts.after(impulse)
    width = 1 + contacts.k
    delassus = contacts.columns.T @ contacts.columns
    left, slopes = np.zeros(after.size), np.zeros((after.size, after.size))
    for i, (mu, bound) in enumerate(zip(contacts.friction, contacts.least, strict=True)):
        n, t = i * width, slice(i * width + 1, (i + 1) * width)
        closed = impulse[i, 0] - after[i, 0] > bound
        left[n] = after[i, 0] if closed else impulse[i, 0] - bound
        slopes[n] = delassus[n] if closed else np.eye(after.size)[n]
        push = impulse[i, 0] if closed else bound
        reach = impulse[i, 1:] - after[i, 1:]
        length = float(np.linalg.norm(reach))
        if push > 0.0 and length <= mu * push:
            left[t], slopes[t] = after[i, 1:], delassus[t]
            continue
        limit = mu * push if push > 0.0 and np.isfinite(mu) else 0.0
        way = reach / length if length > 0.0 else reach
        left[t] = impulse[i, 1:] - limit * way
        own = np.eye(after.size)[t]
        turned = (np.eye(contacts.k) - np.outer(way, way)) @ (own - delassus[t])
        slopes[t] = own - (limit / length * turned if length > 0.0 else 0.0)
        if closed and np.isfinite(mu):
            slopes[t, n] -= mu * way
    return left, slopes


def _settled(contacts: ScaledContacts) -> np.ndarray:
    """Impulses (m, 1 + k) that repeated projection of p - a r and x - a s on the law leads to."""
    impulse = np.zeros_like(contacts.given)
    mobility = 1.0 / np.linalg.norm(contacts.columns, 2) ** 2
    for _ in range(ROUNDS):
        impulse = impulse - mobility * contacts.after(impulse)
        impulse[:, 0] = np.maximum(impulse[:, 0], contacts.least)
        limit = np.minimum(contacts.friction, LARGE) * impulse[:, 0]
        length = np.linalg.norm(impulse[:, 1:], axis=1)
        within = np.divide(limit, length, out=np.ones_like(limit), where=length > limit)
        impulse[:, 1:] *= within[:, None]
    return impulse


def _of_pyramid(contacts: ScaledContacts, sides: int) -> np.ndarray | None:
    """Impulses (m, 1 + k) by friction pyramids, the problem of Anitescu and Potra."""
    m = len(contacts.least)
    angles = 2.0 * np.pi * np.arange(sides) / sides
    edges = np.array([[1.0, -1.0]]) if contacts.k == 1 else np.array([np.cos(angles), np.sin(angles)])
    p = edges.shape[1]
    mu = np.minimum(contacts.friction, LARGE)
    normals, along = np.zeros((contacts.given.size, m)), np.zeros((contacts.given.size, m * p))
    for i in range(m):
        normals[i * (1 + contacts.k), i] = 1.0
        along[i * (1 + contacts.k) + 1 : (i + 1) * (1 + contacts.k), i * p : (i + 1) * p] = edges
    forces = np.hstack([normals, along])
    moved = contacts.columns @ forces
    gather = np.kron(np.eye(m), np.ones((p, 1)))
    matrix = np.block(
        [[moved.T @ moved, np.vstack([np.zeros((m, m)), gather])], [np.diag(mu), -gather.T, np.zeros((m, m))]]
    )
    started = contacts.given.ravel() + contacts.columns.T @ (contacts.columns @ (normals @ contacts.least))
    constant = np.concatenate([forces.T @ started, mu * contacts.least])
    found = lemke(matrix, constant)
    if found is None:
        return None
    return (forces @ found[: m + m * p] + normals @ contacts.least).reshape(contacts.given.shape)
