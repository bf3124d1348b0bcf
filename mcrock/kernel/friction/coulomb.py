"""Several contacts at once: impulses (or forces) with Coulomb friction by complementarity.

At every contact 0 <= P_n _|_ u_n+ + e u_n- >= 0 and |P_t| <= mu P_n, with P_t against the slip u_t+ where
that is not zero (Moreau, J. J. (1988). Unilateral contact and dry friction in finite freedom dynamics. In:
Nonsmooth Mechanics and Applications, Springer, 1-82). One contact is solved in closed form, two by trying in
turn which of them open, stick or slip (`pair`), and so are more if one or two of them carry alone. Else
contacts are solved one after the other, each exactly, until none changes (nonlinear Gauss-Seidel). With
accelerations in the place of velocities the same problem says which contacts stick, slip or open; a contact
that slips already has its direction then.

``twist`` is the velocity of the COM and the angular velocity (6,), or their rates.
"""

from __future__ import annotations

from math import atan2, cos, hypot, inf, sin, sqrt

from mcrock.base.jit import jit
from mcrock.impact.varkonyi_2022 import solve_3x3
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
    SOLVES,
    TARGET,
    W_XX,
    W_XY,
    W_XZ,
    W_YY,
    W_YZ,
    W_ZZ,
    push,
)
from mcrock.kernel.friction.directions import value, zeros
from mcrock.kernel.friction.mobility import mobility, turned_by
from mcrock.kernel.friction.pair import solve_pair

SWEEPS, UPDATES = 4000, 100_000  # of Gauss-Seidel, and of single contacts in them
CONVERGED = 1e-13  # change of impulses that counts as none, over the largest [1]
NEARLY = 1e-11  # the same where rounding ends the sweeps
LOOK, SHRINKS = 100, 0.9  # sweeps after which a change is to be less than so much of that before
ITERATIONS = 30  # of Newton's method
NEWTON = 1e-15  # velocity across a slip at which that ends, over its coefficients [1]
ROUNDED = 1e-12  # slip that is none, over the velocity without the impulse [1]
DONE, UNSETTLED, NONE_FOUND = 0, 1, 2


@jit
def solve_contacts(contacts, n, J, twist, mu, free):
    """Impulses at contacts [:n] that meet the laws; ``twist`` becomes that after them.

    The coefficient of friction is ``mu`` at contacts with a given direction of slip, ``free`` at the others.

    Returns
    -------
    int
        DONE; UNSETTLED where sweeps go round in a cycle or did not suffice; NONE_FOUND where a contact, or
        two, have no solution.
    """
    if n == 1:
        return _single(contacts[0], J, twist, mu, free)
    if n == 2:
        return DONE if _pair(contacts, J, twist, mu, free) else NONE_FOUND
    if on_two(contacts, n, J, twist, mu, free, 0.0):
        return DONE
    before = inf
    for sweep in range(1, min(SWEEPS, UPDATES // n) + 1):
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
        if sweep % LOOK == 0:
            if not changed < SHRINKS * before:  # it goes round in a cycle
                return DONE if changed <= NEARLY * largest else UNSETTLED
            before = changed
    return DONE if changed <= NEARLY * largest else UNSETTLED


@jit
def on_two(contacts, n, J, twist, mu, free, slack):
    """Whether one of many contacts, or two that follow each other, carry while all others open.

    If so the impulses are theirs and ``twist`` becomes that after them; else nothing is changed. One that
    goes down by no more than ``slack`` opens.
    """
    if not _below(contacts, n, twist):
        return True
    for i in range(n):
        c = contacts[i]
        ux, uy, uz = _velocity(c, twist)
        found, x, y, z = _one_contact(c, ux, uy, uz, mu if c[GIVEN] != 0.0 else free)
        if found and z > 0.0:
            c[P_X], c[P_Y], c[P_Z] = x, y, z
            if _opens_others(contacts, n, J, twist, (i, i), slack):
                return True
            c[P_X], c[P_Y], c[P_Z] = 0.0, 0.0, 0.0
    for i in range(n):
        c, d = contacts[i], contacts[(i + 1) % n]
        b, e = _velocity(c, twist), _velocity(d, twist)
        w = mobility(J, c[D_X], c[D_Y], c[D_Z], d[D_X], d[D_Y], d[D_Z])
        if solve_pair(c, d, w, b, e, mu, free) and _opens_others(
            contacts, n, J, twist, (i, (i + 1) % n), slack
        ):
            return True
        c[P_X], c[P_Y], c[P_Z], d[P_X], d[P_Y], d[P_Z] = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    return False


@jit(internal=True)
def _below(contacts, n, twist):
    """Whether a contact would go below what its normal velocity is to be."""
    for i in range(n):
        _, _, uz = _velocity(contacts[i], twist)
        if uz < 0.0:
            return True
    return False


@jit(internal=True)
def _opens_others(contacts, n, J, twist, two, slack):
    """Whether all contacts but two open with the impulses of these; then ``twist`` is that after them."""
    i, j = two
    after = _after(contacts[i], J, twist)
    if j != i:
        further = _after(contacts[j], J, twist)
        after = (
            after[0] + further[0] - twist[0],
            after[1] + further[1] - twist[1],
            after[2] + further[2] - twist[2],
            after[3] + further[3] - twist[3],
            after[4] + further[4] - twist[4],
            after[5] + further[5] - twist[5],
        )
    for k in range(n):
        if k not in (i, j):
            c = contacts[k]
            ux, uy, uz = _velocity(c, twist)
            _, _, z = _velocity(c, after)
            if not z >= -ROUNDED * (abs(ux) + abs(uy) + abs(uz)) - slack:
                return False
    for k in range(6):
        twist[k] = after[k]
    return True


@jit(internal=True)
def _after(c, J, twist):
    """The twist after the impulse of a contact."""
    px, py, pz = c[P_X], c[P_Y], c[P_Z]
    x, y, z = turned_by(J, c[D_Y] * pz - c[D_Z] * py, c[D_Z] * px - c[D_X] * pz, c[D_X] * py - c[D_Y] * px)
    return twist[0] + px, twist[1] + py, twist[2] + pz, twist[3] + x, twist[4] + y, twist[5] + z


@jit(internal=True)
def _single(c, J, twist, mu, free):
    """`solve_contacts` for one contact."""
    ux, uy, uz = _velocity(c, twist)
    found, c[P_X], c[P_Y], c[P_Z] = _one_contact(c, ux, uy, uz, mu if c[GIVEN] != 0.0 else free)
    push(twist, J, (c[D_X], c[D_Y], c[D_Z]), (c[P_X], c[P_Y], c[P_Z]))
    return DONE if found else NONE_FOUND


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
        elif not solve_pair(c, d, w, b, e, mu, free) and not _jams(c, d, w, b, e, free):
            c[P_X], c[P_Y], c[P_Z], d[P_X], d[P_Y], d[P_Z] = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            return False
    push(twist, J, (c[D_X], c[D_Y], c[D_Z]), (c[P_X], c[P_Y], c[P_Z]))
    push(twist, J, (d[D_X], d[D_Y], d[D_Z]), (d[P_X], d[P_Y], d[P_Z]))
    return True


@jit(internal=True)
def _jams(c, d, w, b, e, mu):
    """Whether one of two contacts is stopped though it would rise by itself, and the other opens: much
    friction turns its motion along the ground into a push."""
    if c[GIVEN] == 0.0 and b[2] >= 0.0:
        px, py, pz = _stopping(c, b[0], b[1], b[2])
        if hypot(px, py) <= mu * pz and e[2] + w[2] * px + w[5] * py + w[8] * pz >= 0.0:
            c[P_X], c[P_Y], c[P_Z], d[P_X], d[P_Y], d[P_Z] = px, py, pz, 0.0, 0.0, 0.0
            return True
    if d[GIVEN] == 0.0 and e[2] >= 0.0:
        px, py, pz = _stopping(d, e[0], e[1], e[2])
        if hypot(px, py) <= mu * pz and b[2] + w[6] * px + w[7] * py + w[8] * pz >= 0.0:
            c[P_X], c[P_Y], c[P_Z], d[P_X], d[P_Y], d[P_Z] = 0.0, 0.0, 0.0, px, py, pz
            return True
    return False


@jit(inline=True, internal=True)
def _stopping(c, ux, uy, uz):
    """The impulse that stops a contact."""
    rows = ((c[W_XX], c[W_XY], c[W_XZ]), (c[W_XY], c[W_YY], c[W_YZ]), (c[W_XZ], c[W_YZ], c[W_ZZ]))
    return solve_3x3(rows, (-ux, -uy, -uz))


@jit(internal=True)
def _one_contact(c, ux, uy, uz, mu):
    """Whether one contact has a solution, and its impulse; u is the velocity without it, less the target."""
    if uz >= 0.0:
        return True, 0.0, 0.0, 0.0
    c[SOLVES] += 1.0
    if c[GIVEN] != 0.0:
        sx, sy = c[S_X], c[S_Y]
        den = c[W_ZZ] - mu * (c[W_XZ] * sx + c[W_YZ] * sy)
        if den <= 0.0:
            return False, 0.0, 0.0, 0.0
        normal = -uz / den
        return True, -mu * normal * sx, -mu * normal * sy, normal
    px, py, pz = _stopping(c, ux, uy, uz)
    tangent = hypot(px, py)
    if pz >= 0.0 and tangent <= mu * pz:
        return True, px, py, pz
    return _slip(c, (ux, uy, uz), mu, px, py)


@jit(internal=True)
def _across(c, ux, uy, uz, mu):
    """The velocity across a slip by its direction, times what divides the normal impulse: the coefficients
    of `mcrock.kernel.friction.directions`."""
    sum_x, sum_y = mu * (uy * c[W_XZ] - uz * c[W_XY]), mu * (ux * c[W_YZ] - uz * c[W_XY])
    mixed = mu * (ux * c[W_XZ] - uy * c[W_YZ] + uz * (c[W_YY] - c[W_XX]))
    return (
        0.5 * (sum_y - sum_x),
        uy * c[W_ZZ] - uz * c[W_YZ],
        uz * c[W_XZ] - ux * c[W_ZZ],
        -0.5 * (sum_x + sum_y),
        0.5 * mixed,
    )


@jit(internal=True)
def _along(c, ux, uy, uz, mu, angle):
    """Normal impulse at slip in a direction, and the speed of the slip; -1 and 0 where there is none."""
    x, y = cos(angle), sin(angle)
    den = c[W_ZZ] - mu * (c[W_XZ] * x + c[W_YZ] * y)
    if not den > 0.0:
        return -1.0, 0.0
    normal = -uz / den
    vx = ux + normal * (c[W_XZ] - mu * (c[W_XX] * x + c[W_XY] * y))
    vy = uy + normal * (c[W_YZ] - mu * (c[W_XY] * x + c[W_YY] * y))
    return normal, vx * x + vy * y


@jit(internal=True)
def _slip(c, u, mu, px, py):
    """The impulse of a contact that slips, with the direction in which the slip goes against friction.

    Of several the one that Newton's method finds, from the direction of the last sweep or against the
    impulse that would stop the contact; else the one with the largest normal impulse.
    """
    ux, uy, uz = u
    f = _across(c, ux, uy, uz, mu)
    size = abs(f[0]) + abs(f[1]) + abs(f[2]) + abs(f[3]) + abs(f[4])
    none = ROUNDED * sqrt(ux * ux + uy * uy + uz * uz)
    again = c[P_X] != 0.0 or c[P_Y] != 0.0
    angle, found = atan2(-c[P_Y], -c[P_X]) if again else atan2(-py, -px), False
    for _ in range(ITERATIONS):
        y, slope = value(f, angle)
        if not abs(y) > NEWTON * size:
            found = True
            break
        if not abs(y) < 0.5 * abs(slope):
            break
        angle -= y / slope
    normal, along = _along(c, ux, uy, uz, mu, angle)
    if not found or normal < 0.0 or along < -none:
        normal = -1.0
        for zero in zeros(f):
            if zero == zero:
                trial, along = _along(c, ux, uy, uz, mu, zero)
                if along >= -none and trial > normal:
                    normal, angle = trial, zero
        if normal < 0.0:
            return False, 0.0, 0.0, 0.0
    x, y = cos(angle), sin(angle)
    return True, -mu * normal * x, -mu * normal * y, normal
