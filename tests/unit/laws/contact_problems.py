"""Random systems with contacts, for property tests."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from mcrock.laws.problem import ContactProblem


@st.composite
def systems(draw, most=6, closing=False, independent=False):
    """A system of 1 to 5 coordinates.

    Closing contacts all approach. Unless they are independent, about half of the systems have more contacts
    than coordinates or contacts that are copies, opposites or sums of others.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, 5))
    m = draw(st.integers(1, min(n, most) if independent else most))
    root = rng.normal(size=(n, n))
    mass = root @ root.T + 10.0 ** rng.uniform(-2, 1) * np.eye(n)
    directions = rng.normal(size=(n, m))
    if not independent and m > 1 and draw(st.booleans()):
        i, j = rng.choice(m, 2, replace=False)
        kind = draw(st.sampled_from(["copy", "scaled", "opposite", "sum"]))
        directions[:, i] = {
            "copy": directions[:, j],
            "scaled": 3.0 * directions[:, j],
            "opposite": -directions[:, j],
            "sum": directions.sum(axis=1) - directions[:, i],
        }[kind]
    velocity = rng.normal(size=n) * 10.0 ** rng.uniform(-3, 3)
    if closing:
        rates = directions.T @ velocity
        directions = directions * np.where(rates > 0.0, -1.0, 1.0)
    return ContactProblem(mass, directions, velocity)


def coefficients(m):
    """One coefficient for each of m contacts, the ends of the range among them."""
    one = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0.0, 1.0))
    return st.lists(one, min_size=m, max_size=m)


def reordered(problem, order):
    """The same system with its contacts in another order."""
    chosen = list(order)
    return replace(
        problem,
        directions=problem.directions[:, chosen],
        friction=problem.friction[chosen],
        drift=problem.drift[chosen],
    )


def size(problem):
    """Largest speed of a gap before the impact and largest velocity in the kinetic metric."""
    return float(np.sqrt(2.0 * problem.energy))


def assert_same_velocity(problem, one, other, tolerance=1e-8):
    """Two velocities that differ by rounding in the kinetic metric; some systems are ill-conditioned."""
    change = one - other
    assert np.sqrt(change @ problem.mass @ change) <= tolerance * size(problem)
