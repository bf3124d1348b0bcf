"""Two contacts at once: one after the other they settle slowly, as both ends of an edge resist the same push
along it.

Which of them open, stick or slip is tried in turn. With the directions of slip known each combination is
linear; a direction that is not given is the root of the slip across it, by Newton's method.
"""

from __future__ import annotations

from math import atan2, cos, hypot, inf, pi, sin, sqrt

from mcrock.base.jit import jit
from mcrock.impact.varkonyi_2022 import solve_3x3
from mcrock.kernel.friction.contact_table import (
    D_X,
    D_Y,
    GIVEN,
    P_X,
    P_Y,
    P_Z,
    S_X,
    S_Y,
    SOLVES,
    W_XX,
    W_XY,
    W_XZ,
    W_YY,
    W_YZ,
    W_ZZ,
)
from mcrock.kernel.friction.directions import harmonics, zeros
from mcrock.kernel.watch import edge_demand

PROBE = 1e-6  # turn of a slip by which the change of the slip across it is found [rad]
ITERATIONS = 20  # of Newton's method
STARTS = 24  # directions of one slip from which it is tried where both are unknown
LARGEST_TURN = 0.5  # of a slip in an iteration [rad]
ROUNDED = 1e-12  # slip that is none, over the velocities without impulses [1]
LEAST = 1e-4  # part of it that is less than rounding [1]


@jit(internal=True)
def solve_pair(c, d, w, b, e, mu, free):
    """Impulses at two contacts that meet the laws of `mcrock.kernel.friction.coulomb`.

    Parameters
    ----------
    c, d : ndarray
        Their rows, into which the impulses go.
    w : tuple of 9 float
        Velocity of the first for unit impulses at the second, row by row [1].
    b, e : tuple of 3 float
        Velocities of both without impulses, less those to be reached [m/s].
    mu, free : float
        Coefficient of friction of a contact with a given direction of slip, and of one without [1].

    Returns
    -------
    bool
        Whether impulses were found: those of both contacts pressed to the ground.
    """
    back = w[0], w[3], w[6], w[1], w[4], w[7], w[2], w[5], w[8]
    if c[GIVEN] == 0.0 and d[GIVEN] == 0.0 and _both_stick(c, d, w, b, e, free):
        return True
    mu_c, mu_d = mu if c[GIVEN] != 0.0 else free, mu if d[GIVEN] != 0.0 else free
    if c[GIVEN] == 0.0 and _one_sticks(c, d, w, b, e, mu_c, mu_d):
        return True
    if d[GIVEN] == 0.0 and _one_sticks(d, c, back, e, b, mu_d, mu_c):
        return True
    if both_slip(c, d, w, b, e, mu_c, mu_d):
        return True
    if c[GIVEN] == 0.0 and d[GIVEN] == 0.0:
        return _one_sticks_else(c, d, w, b, e, free) or _one_sticks_else(d, c, back, e, b, free)
    return False


@jit(inline=True, internal=True)
def _size(b, e):
    return abs(b[0]) + abs(b[1]) + abs(b[2]) + abs(e[0]) + abs(e[1]) + abs(e[2])


@jit(inline=True, internal=True)
def by_mobility(c, x, y, z):
    """Velocity of a contact for an impulse there."""
    return (
        c[W_XX] * x + c[W_XY] * y + c[W_XZ] * z,
        c[W_XY] * x + c[W_YY] * y + c[W_YZ] * z,
        c[W_XZ] * x + c[W_YZ] * y + c[W_ZZ] * z,
    )


@jit(inline=True, internal=True)
def _by_compliance(c, x, y, z):
    """The reverse of `by_mobility`."""
    rows = ((c[W_XX], c[W_XY], c[W_XZ]), (c[W_XY], c[W_YY], c[W_YZ]), (c[W_XZ], c[W_YZ], c[W_ZZ]))
    return solve_3x3(rows, (x, y, z))


@jit(internal=True)
def _both_stick(c, d, w, b, e, mu):
    """Impulses with which both contacts stop, if friction can give them.

    How both share the push along the line between them is not determined: it is shared as what friction has
    left there. The directions of slip become those against these impulses, or against the largest that
    friction can give.
    """
    x, y = d[D_X] - c[D_X], d[D_Y] - c[D_Y]
    length = hypot(x, y)
    x, y = x / length, y / length
    # a push along the line acts at the first contact; that at the second is across it (p) and normal (n)
    qx, qy, qz = w[1] * x - w[0] * y, w[4] * x - w[3] * y, w[7] * x - w[6] * y  # of the first for it
    ox, oy, oz = _by_compliance(c, b[0], b[1], b[2])
    px, py, pz = _by_compliance(c, qx, qy, qz)
    nx, ny, nz = _by_compliance(c, w[2], w[5], w[8])
    rx, ry, rz = by_mobility(d, -y, x, 0.0)
    a_pp = x * ry - y * rx - (qx * px + qy * py + qz * pz)
    a_pn = rz - (qx * nx + qy * ny + qz * nz)
    a_nn = d[W_ZZ] - (w[2] * nx + w[5] * ny + w[8] * nz)
    p = x * e[1] - y * e[0] - (qx * ox + qy * oy + qz * oz)
    n = e[2] - (w[2] * ox + w[5] * oy + w[8] * oz)
    scale = 1.0 / (a_pp * a_nn - a_pn * a_pn)
    across, normal = (a_pn * n - a_nn * p) * scale, (a_pn * p - a_pp * n) * scale
    px, py = -ox - across * px - normal * nx, -oy - across * py - normal * ny
    first = -oz - across * pz - normal * nz
    beside, along = px * -y + py * x, px * x + py * y
    if not (first > 0.0 and normal > 0.0):
        return False
    most_c, most_d = mu * first, mu * normal
    sticks = edge_demand(first, normal, beside, across, along) <= mu * mu
    beside, across = min(max(beside, -most_c), most_c), min(max(across, -most_d), most_d)
    left_c, left_d = sqrt(most_c * most_c - beside * beside), sqrt(most_d * most_d - across * across)
    share = along / (left_c + left_d) if left_c + left_d > 0.0 else 0.0
    share = min(max(share, -1.0), 1.0)
    _push(c, beside, left_c * share, first, x, y)
    _push(d, across, left_d * share, normal, x, y)
    return sticks


@jit(inline=True, internal=True)
def _push(c, across, along, normal, x, y):
    """Set the impulse of a contact by its parts across and along the line in the direction (x, y), and the
    direction of the slip against it."""
    c[P_X], c[P_Y], c[P_Z] = along * x - across * y, along * y + across * x, normal
    size = hypot(across, along)
    if size > 0.0:
        c[S_X], c[S_Y] = -c[P_X] / size, -c[P_Y] / size


@jit(internal=True)
def _beside(c, d, w, b, e, mu, slip):
    """The first contact sticks and the second slips in a direction: normal impulse there, impulse of the
    first (3 numbers), the velocity of the second along and across its slip, and whether no other normal
    impulse does."""
    sx, sy = slip
    gx, gy = -mu * sx, -mu * sy
    qx, qy, qz = w[0] * gx + w[1] * gy + w[2], w[3] * gx + w[4] * gy + w[5], w[6] * gx + w[7] * gy + w[8]
    ox, oy, oz = _by_compliance(c, b[0], b[1], b[2])
    px, py, pz = _by_compliance(c, qx, qy, qz)
    rx, ry, rz = by_mobility(d, gx, gy, 1.0)
    answer = rz - (w[2] * px + w[5] * py + w[8] * pz)
    n = (w[2] * ox + w[5] * oy + w[8] * oz - e[2]) / answer
    px, py, pz = -ox - n * px, -oy - n * py, -oz - n * pz
    vx = e[0] + w[0] * px + w[3] * py + w[6] * pz + n * rx
    vy = e[1] + w[1] * px + w[4] * py + w[7] * pz + n * ry
    return n, px, py, pz, vx * sx + vy * sy, vy * sx - vx * sy, answer > 0.0


@jit(internal=True)
def _one_sticks(c, d, w, b, e, mu_c, mu_d):
    """Impulses with which the first contact stops and the second slips, if there are any.

    A slip that is not given goes across the line between both, as that does not stretch: to one side or to
    the other.
    """
    if d[GIVEN] != 0.0:
        return _slips_beside(c, d, w, b, e, (mu_c, mu_d), (d[S_X], d[S_Y]))
    x, y = d[D_X] - c[D_X], d[D_Y] - c[D_Y]
    length = hypot(x, y)
    x, y = x / length, y / length
    mu = mu_c, mu_d
    return _slips_beside(c, d, w, b, e, mu, (-y, x)) or _slips_beside(c, d, w, b, e, mu, (y, -x))


@jit(internal=True)
def _one_sticks_else(c, d, w, b, e, mu):
    """`_one_sticks` for a slip in any direction: the accelerations of both differ a little along the line
    between them as that turns, which tells where the slip hardly begins."""
    n0, _, _, _, _, f0, _ = _beside(c, d, w, b, e, mu, (1.0, 0.0))
    n1, _, _, _, _, f1, _ = _beside(c, d, w, b, e, mu, (cos(0.4 * pi), sin(0.4 * pi)))
    n2, _, _, _, _, f2, _ = _beside(c, d, w, b, e, mu, (cos(0.8 * pi), sin(0.8 * pi)))
    n3, _, _, _, _, f3, _ = _beside(c, d, w, b, e, mu, (cos(1.2 * pi), sin(1.2 * pi)))
    n4, _, _, _, _, f4, _ = _beside(c, d, w, b, e, mu, (cos(1.6 * pi), sin(1.6 * pi)))
    if n0 * n1 * n2 * n3 * n4 == 0.0:
        return False
    # what divides the normal impulse goes as its inverse
    for zero in zeros(harmonics(f0 / n0, f1 / n1, f2 / n2, f3 / n3, f4 / n4)):
        if zero == zero and _slips_beside(c, d, w, b, e, (mu, mu), (cos(zero), sin(zero))):
            return True
    return False


@jit(internal=True)
def _slips_beside(c, d, w, b, e, mu, slip):
    """The same for a slip in a direction; ``mu`` of both contacts."""
    (mu_c, mu_d), (sx, sy) = mu, slip
    n, px, py, pz, along, _, regular = _beside(c, d, w, b, e, mu_d, slip)
    if not (regular and n > 0.0 and pz > 0.0 and hypot(px, py) <= mu_c * pz):
        return False
    if d[GIVEN] == 0.0 and not along >= -ROUNDED * _size(b, e):
        return False
    c[P_X], c[P_Y], c[P_Z] = px, py, pz
    d[P_X], d[P_Y], d[P_Z] = -mu_d * n * sx, -mu_d * n * sy, n
    d[S_X], d[S_Y] = sx, sy
    return True


@jit(internal=True)
def _slipping(c, d, w, b, e, mu, angles):
    """Both contacts slip, in the directions with angles s and q: whether no other normal impulses do, these,
    the velocity of each along and across its slip, and what divides these numbers."""
    (mu_c, mu_d), (s, q) = mu, angles
    sx, sy, qx, qy = cos(s), sin(s), cos(q), sin(q)
    cx, cy, cz = by_mobility(c, -mu_c * sx, -mu_c * sy, 1.0)
    dx, dy, dz = by_mobility(d, -mu_d * qx, -mu_d * qy, 1.0)
    fx, fy, fz = (  # of the first for a unit normal impulse at the second
        w[2] - mu_d * (w[0] * qx + w[1] * qy),
        w[5] - mu_d * (w[3] * qx + w[4] * qy),
        w[8] - mu_d * (w[6] * qx + w[7] * qy),
    )
    gx, gy, gz = (  # and the reverse
        w[6] - mu_c * (w[0] * sx + w[3] * sy),
        w[7] - mu_c * (w[1] * sx + w[4] * sy),
        w[8] - mu_c * (w[2] * sx + w[5] * sy),
    )
    determinant = cz * dz - fz * gz
    scale = 1.0 / determinant if determinant != 0.0 else 0.0
    n, o = (fz * e[2] - dz * b[2]) * scale, (gz * b[2] - cz * e[2]) * scale
    ux, uy = b[0] + n * cx + o * fx, b[1] + n * cy + o * fy
    vx, vy = e[0] + n * gx + o * dx, e[1] + n * gy + o * dy
    regular = cz > 0.0 and dz > 0.0 and determinant > 0.0
    across, beside = uy * sx - ux * sy, vy * qx - vx * qy
    return regular, n, o, ux * sx + uy * sy, across, vx * qx + vy * qy, beside, determinant


@jit(internal=True)
def both_slip(c, d, w, b, e, mu_c, mu_d):
    """Impulses with which both contacts slip, if there are any; their directions to start from are there.

    From these Newton's method finds them as a rule. If not, all directions of a slip are tried where that of
    the other is given, else those that go with `STARTS` directions of the first.
    """
    mu, s, q = (mu_c, mu_d), atan2(c[S_Y], c[S_X]), atan2(d[S_Y], d[S_X])
    if _slips_near(c, d, w, b, e, mu, (s, q)):
        return True
    turns_c, turns_d = c[GIVEN] == 0.0, d[GIVEN] == 0.0
    back = w[0], w[3], w[6], w[1], w[4], w[7], w[2], w[5], w[8]
    if turns_c and not turns_d:
        for zero in zeros(_beside_known(d, c, back, e, b, (mu_d, mu_c), q)):
            if zero == zero and _slips_near(c, d, w, b, e, mu, (zero, q)):
                return True
    if turns_d:
        for _i in range(STARTS if turns_c else 1):
            s += 2.0 * pi / STARTS if turns_c else 0.0
            for zero in zeros(_beside_known(c, d, w, b, e, mu, s)):
                if zero == zero and _slips_near(c, d, w, b, e, mu, (s, zero)):
                    return True
    return False


@jit(internal=True)
def _beside_known(c, d, w, b, e, mu, s):
    """The velocity across the slip of the second contact, by its direction while the first slips in that of
    angle s: the coefficients of `mcrock.kernel.friction.directions`."""
    fifth = 0.4 * pi
    c[SOLVES] += 1.0
    _, _, _, _, _, _, f0, by = _slipping(c, d, w, b, e, mu, (s, 0.0))
    f0 *= by
    _, _, _, _, _, _, f1, by = _slipping(c, d, w, b, e, mu, (s, fifth))
    f1 *= by
    _, _, _, _, _, _, f2, by = _slipping(c, d, w, b, e, mu, (s, 2.0 * fifth))
    f2 *= by
    _, _, _, _, _, _, f3, by = _slipping(c, d, w, b, e, mu, (s, 3.0 * fifth))
    f3 *= by
    _, _, _, _, _, _, f4, by = _slipping(c, d, w, b, e, mu, (s, 4.0 * fifth))
    return harmonics(f0, f1, f2, f3, f4 * by)


@jit(internal=True)
def _slips_near(c, d, w, b, e, mu, angles):
    """`both_slip` by Newton's method from the directions with given angles."""
    (mu_c, mu_d), (s, q) = mu, angles
    turns_c, turns_d = c[GIVEN] == 0.0, d[GIVEN] == 0.0
    none, last = ROUNDED * _size(b, e), inf
    for _ in range(ITERATIONS):
        c[SOLVES] += 1.0
        regular, n, o, along, across, ahead, beside, _ = _slipping(c, d, w, b, e, mu, (s, q))
        if not regular and not (turns_c and turns_d):
            return False
        rest = max(abs(across) if turns_c else 0.0, abs(beside) if turns_d else 0.0)
        # as near as rounding lets it come; a direction along an axis comes nearer and nearer
        if rest <= none and (rest <= LEAST * none or not rest < 0.5 * last):
            if not (n > 0.0 and o > 0.0):
                return False
            if (turns_c and along < -none) or (turns_d and ahead < -none):
                return False
            x, y, z, r = cos(s), sin(s), cos(q), sin(q)
            c[P_X], c[P_Y], c[P_Z] = -mu_c * n * x, -mu_c * n * y, n
            d[P_X], d[P_Y], d[P_Z] = -mu_d * o * z, -mu_d * o * r, o
            return True
        last = rest
        a_cc, a_cd, a_dc, a_dd, f_c, f_d = 1.0, 0.0, 0.0, 1.0, 0.0, 0.0
        if turns_c:
            _, _, _, _, i, _, j, _ = _slipping(c, d, w, b, e, mu, (s + PROBE, q))
            a_cc, f_c = (i - across) / PROBE, across
            if turns_d:
                a_dc = (j - beside) / PROBE
        if turns_d:
            _, _, _, _, i, _, j, _ = _slipping(c, d, w, b, e, mu, (s, q + PROBE))
            a_dd, f_d = (j - beside) / PROBE, beside
            if turns_c:
                a_cd = (i - across) / PROBE
        determinant = a_cc * a_dd - a_cd * a_dc
        move_c, move_d = (a_cd * f_d - a_dd * f_c) / determinant, (a_dc * f_c - a_cc * f_d) / determinant
        most = max(abs(move_c), abs(move_d))
        if not most < 1e300:
            return False
        limit = min(1.0, LARGEST_TURN / most) if most > 0.0 else 1.0
        s, q = s + limit * move_c, q + limit * move_d
    return False
