"""Two contacts at once: the laws of unilateral contact with Coulomb friction, whatever the body."""

from math import cos, hypot, sin

import numpy as np
import pytest

from mcrock.kernel.friction.contact_table import (
    B_X,
    CONTACT_SIZE,
    D_X,
    D_Y,
    D_Z,
    GIVEN,
    P_X,
    P_Y,
    P_Z,
    S_X,
    S_Y,
    TARGET,
    W_XX,
    W_XY,
    W_XZ,
    W_YY,
    W_YZ,
    W_ZZ,
)
from mcrock.kernel.friction.coulomb import DONE, solve_contacts

ROUNDED = 1e-9  # of velocities and impulses, over the largest


def problem(seed):
    """Compliance, two contacts on a level line, a twist that presses them, and friction."""
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(3, 3))
    compliance = half @ half.T * rng.uniform(0.5, 6.0)
    height, ends = -rng.uniform(0.1, 1.0), 0.4 * rng.normal(size=(2, 2))
    contacts = np.zeros((2, CONTACT_SIZE))
    for i, row in enumerate(contacts):
        d = np.array([*ends[i], height])
        cross = np.array([[0.0, -d[2], d[1]], [d[2], 0.0, -d[0]], [-d[1], d[0], 0.0]])
        w = np.eye(3) - cross @ compliance @ cross
        row[[D_X, D_Y, D_Z]] = d
        row[[W_XX, W_XY, W_XZ, W_YY, W_YZ, W_ZZ]] = w[np.triu_indices(3)]
        row[S_X] = 1.0
        if seed >> i & 1:
            row[S_X], row[S_Y], row[GIVEN] = cos(seed + i), sin(seed + i), 1.0
    twist = rng.normal(size=6)
    twist[2] -= 1.5
    return compliance, contacts, twist, float(rng.choice([0.1, 0.3, 0.6]))


def velocity(row, twist):
    d = row[[D_X, D_Y, D_Z]]
    return row[B_X : B_X + 3] + twist[:3] + np.cross(twist[3:], d) - [0.0, 0.0, row[TARGET]]


@pytest.mark.parametrize("seed", range(200))
def test_two_contacts_obey_signorini_and_coulomb(seed):
    """0 <= N _|_ u >= 0 and |T| <= mu N, against the slip where there is one (Moreau 1988)."""
    compliance, contacts, twist, mu = problem(seed)
    before = twist.copy()
    status = solve_contacts(contacts, 2, tuple(compliance[np.triu_indices(3)]), twist, mu, mu)
    if status != DONE:
        assert contacts[:, GIVEN].any()  # a given slip may leave no solution
        return
    change = np.zeros(6)
    for row in contacts:
        p = row[[P_X, P_Y, P_Z]]
        change[:3] += p
        change[3:] += compliance @ np.cross(row[[D_X, D_Y, D_Z]], p)
    size = np.abs(before).sum() + np.abs(contacts[:, [P_X, P_Y, P_Z]]).sum()
    assert twist == pytest.approx(before + change, abs=ROUNDED * size)
    for row in contacts:
        u, p = velocity(row, twist), row[[P_X, P_Y, P_Z]]
        push, slip = hypot(p[0], p[1]), hypot(u[0], u[1])
        assert p[2] >= 0.0
        assert u[2] >= -ROUNDED * size
        assert p[2] * u[2] <= ROUNDED * size * size
        assert push <= mu * p[2] + ROUNDED * size
        if row[GIVEN]:
            assert p[:2] == pytest.approx(-mu * p[2] * row[[S_X, S_Y]], abs=ROUNDED * size)
        elif slip > ROUNDED * size and p[2] > 0.0:
            assert p[:2] == pytest.approx(-mu * p[2] * u[:2] / slip, abs=1e-6 * size)
