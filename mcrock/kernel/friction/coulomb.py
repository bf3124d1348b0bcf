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
from mcrock.kernel.friction.mobility import mobility, turned_by

# columns of a table of contacts: place from the COM [m]; impulse over mass [m/s]; direction of slip, and
# whether it is given; normal velocity to be reached [m/s]; mobility [1]; what its velocity has beside that
# of the twist [m/s]
(
    D_X, D_Y, D_Z, P_X, P_Y, P_Z, S_X, S_Y, GIVEN, TARGET,
    W_XX, W_XY, W_XZ, W_YY, W_YZ, W_ZZ, B_X, B_Y, B_Z,
    CONTACT_SIZE,
) = range(20)  # fmt: skip

SWEEPS = 4000  # of Gauss-Seidel
CONVERGED = 1e-14  # change of impulses that counts as none, over the largest [1]
TURNS = 72  # directions of slip that are tried where Newton's method fails
ITERATIONS = 30
DONE, SLOW, NONE_FOUND = 0, 1, 2


@jit(internal=True)
def place_contact(contact, J, dx, dy, dz, target):
    """Fill the row of a free contact at (dx, dy, dz) from the COM."""
    contact[D_X], contact[D_Y], contact[D_Z] = dx, dy, dz
    contact[P_X], contact[P_Y], contact[P_Z] = 0.0, 0.0, 0.0
    contact[S_X], contact[S_Y], contact[GIVEN], contact[TARGET] = 1.0, 0.0, 0.0, target
    contact[B_X], contact[B_Y], contact[B_Z] = 0.0, 0.0, 0.0
    w = mobility(J, dx, dy, dz, dx, dy, dz)
    contact[W_XX], contact[W_XY], contact[W_XZ] = w[0], w[1], w[2]
    contact[W_YY], contact[W_YZ], contact[W_ZZ] = w[4], w[5], w[8]


@jit(internal=True)
def push(twist, J, dx, dy, dz, px, py, pz):
    """Add the effect of an impulse over mass at a point to ``twist``."""
    x, y, z = turned_by(J, dy * pz - dz * py, dz * px - dx * pz, dx * py - dy * px)
    twist[0] += px
    twist[1] += py
    twist[2] += pz
    twist[3] += x
    twist[4] += y
    twist[5] += z


@jit
def solve_contacts(contacts, n, J, twist, mu, free):
    """Impulses at contacts [:n] that meet the laws; ``twist`` becomes that after them.

    The coefficient of friction is ``mu`` at contacts with a given direction of slip, ``free`` at the others.

    Returns
    -------
    int
        DONE; SLOW where `SWEEPS` did not suffice; NONE_FOUND where a contact has no solution.
    """
    for _ in range(SWEEPS):
        largest, changed = 0.0, 0.0
        for i in range(n):
            c = contacts[i]
            dx, dy, dz = c[D_X], c[D_Y], c[D_Z]
            px, py, pz = c[P_X], c[P_Y], c[P_Z]
            ux = c[B_X] + twist[0] + twist[4] * dz - twist[5] * dy
            uy = c[B_Y] + twist[1] + twist[5] * dx - twist[3] * dz
            uz = c[B_Z] + twist[2] + twist[3] * dy - twist[4] * dx
            ux -= c[W_XX] * px + c[W_XY] * py + c[W_XZ] * pz
            uy -= c[W_XY] * px + c[W_YY] * py + c[W_YZ] * pz
            uz -= c[W_XZ] * px + c[W_YZ] * py + c[W_ZZ] * pz
            found, nx, ny, nz = _one_contact(c, ux, uy, uz - c[TARGET], mu if c[GIVEN] != 0.0 else free)
            if not found:
                return NONE_FOUND
            c[P_X], c[P_Y], c[P_Z] = nx, ny, nz
            push(twist, J, dx, dy, dz, nx - px, ny - py, nz - pz)
            largest = max(largest, abs(nx) + abs(ny) + abs(nz))
            changed = max(changed, abs(nx - px) + abs(ny - py) + abs(nz - pz))
        if not changed > CONVERGED * largest:
            return DONE
        if n == 1:
            return DONE
    return SLOW


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
    if not (along >= 0.0 and abs(across) <= 1e-12 * scale):
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
            if forward >= 0.0 and abs(rest) <= 1e-9 * scale and trial > best:
                best, angle, normal = trial, high, trial
        if best < 0.0:
            return False, 0.0, 0.0, 0.0
    x, y = cos(angle), sin(angle)
    return True, -mu * normal * x, -mu * normal * y, normal
