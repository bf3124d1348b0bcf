"""Several contacts at once: impulses (or forces) with Coulomb friction by complementarity.

At every contact 0 <= P_n _|_ u_n+ + e u_n- >= 0 and |P_t| <= mu P_n, with P_t against the slip u_t+ where
that is not zero (Moreau, J. J. (1988). Unilateral contact and dry friction in finite freedom dynamics. In:
Nonsmooth Mechanics and Applications, Springer, 1-82). Contacts are solved one after the other, each
exactly, until none changes (nonlinear Gauss-Seidel). With accelerations in the place of velocities the same
problem says which contacts stick, slip or open; a contact that slips already has its direction then.

``twist`` is the velocity of the COM and the angular velocity (6,), or their rates.
"""

from __future__ import annotations

from math import atan2, cos, hypot, pi, sin, sqrt

import numpy as np

from mcrock.impact.varkonyi_2022 import solve_3x3
from mcrock.jit import jit
from mcrock.kernel.friction.contact_table import (
    B_X,
    B_Y,
    B_Z,
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
    push,
)
from mcrock.kernel.friction.mobility import mobility
from mcrock.kernel.friction.pair import both_slip, by_mobility, solve_pair

SWEEPS = 4000  # of Gauss-Seidel
LOOKS = (4, 16, 64)  # sweeps after which two contacts that slip are solved together
CONVERGED = 1e-14  # change of impulses that counts as none, over the largest [1]
TURNS = 72  # directions of slip that are tried where Newton's method fails
ITERATIONS = 30
ROUNDED = 1e-12  # slip that is none, over the velocity without the impulse [1]
DONE, SLOW, NONE_FOUND = 0, 1, 2


@jit
def solve_contacts(contacts, n, J, twist, mu, free):
    """Impulses at contacts [:n] that meet the laws; ``twist`` becomes that after them.

    The coefficient of friction is ``mu`` at contacts with a given direction of slip, ``free`` at the others.

    Returns
    -------
    int
        DONE; SLOW where `SWEEPS` did not suffice; NONE_FOUND where a contact has no solution.
    """
    if n == 2 and _pair(contacts, J, twist, mu, free):
        return DONE
    for sweep in range(SWEEPS):
        largest, changed = 0.0, 0.0
        for i in range(n):
            c = contacts[i]
            px, py, pz = c[P_X], c[P_Y], c[P_Z]
            ux, uy, uz = _velocity(c, twist)
            ux -= c[W_XX] * px + c[W_XY] * py + c[W_XZ] * pz
            uy -= c[W_XY] * px + c[W_YY] * py + c[W_YZ] * pz
            uz -= c[W_XZ] * px + c[W_YZ] * py + c[W_ZZ] * pz
            found, nx, ny, nz = _one_contact(c, ux, uy, uz, mu if c[GIVEN] != 0.0 else free)
            if not found:
                return NONE_FOUND
            c[P_X], c[P_Y], c[P_Z] = nx, ny, nz
            push(twist, J, (c[D_X], c[D_Y], c[D_Z]), (nx - px, ny - py, nz - pz))
            largest = max(largest, abs(nx) + abs(ny) + abs(nz))
            changed = max(changed, abs(nx - px) + abs(ny - py) + abs(nz - pz))
        if not changed > CONVERGED * largest:
            return DONE
        if n == 1:
            return DONE
        if n == 2 and sweep in LOOKS and _slipping_pair(contacts, J, twist, mu, free):
            return DONE
    return SLOW


@jit(inline=True, internal=True)
def _velocity(c, twist):
    """Velocity of a contact, less that to be reached."""
    return (
        c[B_X] + twist[0] + twist[4] * c[D_Z] - twist[5] * c[D_Y],
        c[B_Y] + twist[1] + twist[5] * c[D_X] - twist[3] * c[D_Z],
        c[B_Z] + twist[2] + twist[3] * c[D_Y] - twist[4] * c[D_X] - c[TARGET],
    )


@jit(internal=True)
def _pair(contacts, J, twist, mu, free):
    """Whether the impulses of two contacts, none yet, are found in closed form; ``twist`` becomes that after
    them."""
    c, d = contacts[0], contacts[1]
    b, e = _velocity(c, twist), _velocity(d, twist)
    w = mobility(J, c[D_X], c[D_Y], c[D_Z], d[D_X], d[D_Y], d[D_Z])
    found, x, y, z = _one_contact(c, b[0], b[1], b[2], mu if c[GIVEN] != 0.0 else free)
    if found and e[2] + w[2] * x + w[5] * y + w[8] * z >= 0.0:  # the other opens
        c[P_X], c[P_Y], c[P_Z] = x, y, z
    else:
        found, x, y, z = _one_contact(d, e[0], e[1], e[2], mu if d[GIVEN] != 0.0 else free)
        if found and b[2] + w[6] * x + w[7] * y + w[8] * z >= 0.0:
            d[P_X], d[P_Y], d[P_Z] = x, y, z
        elif not solve_pair(contacts, w, b, e, mu, free):
            c[P_X], c[P_Y], c[P_Z], d[P_X], d[P_Y], d[P_Z] = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            return False
    _push_both(contacts, J, twist, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    return True


@jit(internal=True)
def _slipping_pair(contacts, J, twist, mu, free):
    """The same of contacts that both slip, about in the directions that their impulses have come to."""
    c, d = contacts[0], contacts[1]
    p, q = (c[P_X], c[P_Y], c[P_Z]), (d[P_X], d[P_Y], d[P_Z])
    if not (p[2] > 0.0 and q[2] > 0.0):
        return False
    for i in range(2):
        r = contacts[i]
        size = hypot(r[P_X], r[P_Y])
        if r[GIVEN] == 0.0 and size > 0.0:
            r[S_X], r[S_Y] = -r[P_X] / size, -r[P_Y] / size
    w = mobility(J, c[D_X], c[D_Y], c[D_Z], d[D_X], d[D_Y], d[D_Z])
    b, e = _velocity(c, twist), _velocity(d, twist)
    ux, uy, uz = by_mobility(c, p[0], p[1], p[2])
    vx, vy, vz = by_mobility(d, q[0], q[1], q[2])
    b = (
        b[0] - ux - w[0] * q[0] - w[1] * q[1] - w[2] * q[2],
        b[1] - uy - w[3] * q[0] - w[4] * q[1] - w[5] * q[2],
        b[2] - uz - w[6] * q[0] - w[7] * q[1] - w[8] * q[2],
    )
    e = (
        e[0] - vx - w[0] * p[0] - w[3] * p[1] - w[6] * p[2],
        e[1] - vy - w[1] * p[0] - w[4] * p[1] - w[7] * p[2],
        e[2] - vz - w[2] * p[0] - w[5] * p[1] - w[8] * p[2],
    )
    found = both_slip(c, d, w, b, e, mu if c[GIVEN] != 0.0 else free, mu if d[GIVEN] != 0.0 else free)
    if found:
        _push_both(contacts, J, twist, p, q)
    return found


@jit(internal=True)
def _push_both(contacts, J, twist, p, q):
    """Add the effect of what the impulses of two contacts have changed, from ``p`` and ``q``, to
    ``twist``."""
    c, d = contacts[0], contacts[1]
    push(twist, J, (c[D_X], c[D_Y], c[D_Z]), (c[P_X] - p[0], c[P_Y] - p[1], c[P_Z] - p[2]))
    push(twist, J, (d[D_X], d[D_Y], d[D_Z]), (d[P_X] - q[0], d[P_Y] - q[1], d[P_Z] - q[2]))


@jit(internal=True)
def _one_contact(c, ux, uy, uz, mu):
    """Whether one contact has a solution, and its impulse; u is the velocity without it, less the target."""
    if uz >= 0.0:
        return True, 0.0, 0.0, 0.0
    if c[GIVEN] != 0.0:
        sx, sy = c[S_X], c[S_Y]
        den = c[W_ZZ] - mu * (c[W_XZ] * sx + c[W_YZ] * sy)
        if den <= 0.0:
            return False, 0.0, 0.0, 0.0
        normal = -uz / den
        return True, -mu * normal * sx, -mu * normal * sy, normal
    px, py, pz = solve_3x3(
        c[W_XX], c[W_XY], c[W_XZ], c[W_XY], c[W_YY], c[W_YZ], c[W_XZ], c[W_YZ], c[W_ZZ], -ux, -uy, -uz
    )
    tangent = hypot(px, py)
    if pz >= 0.0 and tangent <= mu * pz:
        return True, px, py, pz
    return _slip(c, ux, uy, uz, mu, px, py)


@jit(internal=True)
def _slip_velocity(c, ux, uy, uz, mu, angle):
    """Normal impulse at slip in a direction, and the slip velocity along and across it that comes of it."""
    x, y = cos(angle), sin(angle)
    den = c[W_ZZ] - mu * (c[W_XZ] * x + c[W_YZ] * y)
    normal = -uz / den if den > 0.0 else np.nan
    vx = ux + normal * (c[W_XZ] - mu * (c[W_XX] * x + c[W_XY] * y))
    vy = uy + normal * (c[W_YZ] - mu * (c[W_XY] * x + c[W_YY] * y))
    return normal, vx * x + vy * y, vy * x - vx * y


@jit(internal=True)
def _slip(c, ux, uy, uz, mu, px, py):
    """The impulse of a contact that slips, with the direction in which the slip goes against friction."""
    again = c[P_X] != 0.0 or c[P_Y] != 0.0  # that of the last sweep first
    angle = atan2(-c[P_Y], -c[P_X]) if again else atan2(-py, -px)
    scale = sqrt(ux * ux + uy * uy + uz * uz)
    for _ in range(ITERATIONS):
        normal, along, across = _slip_velocity(c, ux, uy, uz, mu, angle)
        if abs(across) <= 1e-15 * scale:
            break
        _, _, ahead = _slip_velocity(c, ux, uy, uz, mu, angle + 1e-6)
        slope = (ahead - across) * 1e6
        if not abs(slope) > 0.0:
            break
        move = -across / slope
        if not abs(move) < 0.5:
            break
        angle += move
        if abs(move) < 1e-16:
            break
    normal, along, across = _slip_velocity(c, ux, uy, uz, mu, angle)
    none = ROUNDED * scale
    if not (along >= -none and abs(across) <= none):
        # a root of the velocity across, falling from left to right of a slip that goes forward
        best = -1.0
        step = 2.0 * pi / TURNS
        for i in range(TURNS):
            low, high = i * step, (i + 1) * step
            _, _, a = _slip_velocity(c, ux, uy, uz, mu, low)
            _, _, b = _slip_velocity(c, ux, uy, uz, mu, high)
            if not a * b <= 0.0:
                continue
            for _ in range(60):
                middle = 0.5 * (low + high)
                _, _, m = _slip_velocity(c, ux, uy, uz, mu, middle)
                if m * a > 0.0:
                    low = middle
                else:
                    high = middle
            trial, forward, rest = _slip_velocity(c, ux, uy, uz, mu, high)
            if forward >= -none and abs(rest) <= 1e-9 * scale and trial > best:
                best, angle, normal = trial, high, trial
        if best < 0.0:
            return False, 0.0, 0.0, 0.0
    x, y = cos(angle), sin(angle)
    return True, -mu * normal * x, -mu * normal * y, normal
