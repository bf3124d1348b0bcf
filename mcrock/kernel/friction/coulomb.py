"""Impulses, or forces, of contacts with Coulomb friction: of one, of a pair and of many at once.

They are over the mass, so that the same numbers serve impacts (velocities, impulses) and forces
(accelerations: which contacts stick, slip or open; one that slips already has its direction then). ``J`` is
m Theta^-1 in ground axes, six numbers (xx, xy, xz, yy, yz, zz) [1/m2]; ``twist`` is the velocity of the COM
and the angular velocity (6,), or their rates. Contacts are rows of a table.

At every contact 0 <= P_n _|_ u_n+ + e u_n- >= 0 and |P_t| <= mu P_n, with P_t against the slip u_t+ where
that is not zero (Moreau, J. J. (1988). Unilateral contact and dry friction in finite freedom dynamics. In:
Nonsmooth Mechanics and Applications, Springer, 1-82). One contact is solved in closed form; of a pair, as
both ends of an edge resist the same push along it, each combination of open, stick and slip is tried, linear
where the directions of slip are known, else by Newton's method for the slip across them. More contacts are
solved as such if one or two of them carry alone, else one after the other, each exactly, until none changes
(nonlinear Gauss-Seidel).

All directions in which a contact can slip so that friction is against the slip: with the impulse of slip in
the direction (cos s, sin s) put in, the velocity across it, times what divides the normal impulse, is

    f(s) = a0 + a1 cos s + b1 sin s + a2 cos 2s + b2 sin 2s

for one contact alone, and for one of two contacts if the other sticks or slips in a known direction. Its
zeros are those of a polynomial of degree four in exp(i s): there are at most four directions.
"""

from __future__ import annotations

from math import atan2, cos, hypot, inf, nan, pi, sin, sqrt

from mcrock.base.jit import jit
from mcrock.impact.varkonyi_2022 import solve_3x3
from mcrock.kernel.results import edge_demand


@jit(internal=True)
def ground_compliance(body, m):
    """m Theta^-1 in ground axes (6 numbers) for the rotation matrix ``m`` (9 numbers)."""
    xx, xy, xz = body.j_xx, body.j_xy, body.j_xz
    yy, yz, zz = body.j_yy, body.j_yz, body.j_zz
    # rows of m J
    ax, ay, az = (
        m[0] * xx + m[1] * xy + m[2] * xz,
        m[0] * xy + m[1] * yy + m[2] * yz,
        m[0] * xz + m[1] * yz + m[2] * zz,
    )
    bx, by, bz = (
        m[3] * xx + m[4] * xy + m[5] * xz,
        m[3] * xy + m[4] * yy + m[5] * yz,
        m[3] * xz + m[4] * yz + m[5] * zz,
    )
    cx, cy, cz = (
        m[6] * xx + m[7] * xy + m[8] * xz,
        m[6] * xy + m[7] * yy + m[8] * yz,
        m[6] * xz + m[7] * yz + m[8] * zz,
    )
    return (
        ax * m[0] + ay * m[1] + az * m[2],
        ax * m[3] + ay * m[4] + az * m[5],
        ax * m[6] + ay * m[7] + az * m[8],
        bx * m[3] + by * m[4] + bz * m[5],
        bx * m[6] + by * m[7] + bz * m[8],
        cx * m[6] + cy * m[7] + cz * m[8],
    )  # fmt: skip


@jit(inline=True, internal=True)
def turned_by(s, x, y, z):
    """Product of a symmetric matrix (xx, xy, xz, yy, yz, zz) and a vector."""
    return s[0] * x + s[1] * y + s[2] * z, s[1] * x + s[3] * y + s[4] * z, s[2] * x + s[4] * y + s[5] * z


@jit(internal=True)
def mobility(J, ax, ay, az, rx, ry, rz):
    """Velocity of point a for unit impulses at point r, both from the COM: 1 - [a] J [r], row by row.

    With a = r it is symmetric (9 numbers) [1].
    """
    # columns of J [r]: J (r x e_k) with r x e_x = (0, rz, -ry), r x e_y = (-rz, 0, rx), r x e_z = (ry, -rx,
    # 0)
    ux, uy, uz = turned_by(J, 0.0, rz, -ry)
    vx, vy, vz = turned_by(J, -rz, 0.0, rx)
    wx, wy, wz = turned_by(J, ry, -rx, 0.0)
    # velocity of a: (J (r x e_k)) x a + e_k
    return (
        1.0 + uy * az - uz * ay,
        vy * az - vz * ay,
        wy * az - wz * ay,
        uz * ax - ux * az,
        1.0 + vz * ax - vx * az,
        wz * ax - wx * az,
        ux * ay - uy * ax,
        vx * ay - vy * ax,
        1.0 + wx * ay - wy * ax,
    )


@jit(internal=True)
def clear_contact(c):
    """Set all of the row of a contact to zero."""
    c.d_x = c.d_y = c.d_z = c.p_x = c.p_y = c.p_z = c.s_x = c.s_y = c.given = c.target = 0.0
    c.w_xx = c.w_xy = c.w_xz = c.w_yy = c.w_yz = c.w_zz = c.b_x = c.b_y = c.b_z = c.solves = 0.0


@jit(internal=True)
def place_contact(contact, J, dx, dy, dz, target):
    """Fill the row of a free contact at (dx, dy, dz) from the COM."""
    contact.d_x, contact.d_y, contact.d_z = dx, dy, dz
    contact.p_x, contact.p_y, contact.p_z = 0.0, 0.0, 0.0
    contact.s_x, contact.s_y, contact.given, contact.target = 1.0, 0.0, 0.0, target
    contact.b_x, contact.b_y, contact.b_z, contact.solves = 0.0, 0.0, 0.0, 0.0
    w = mobility(J, dx, dy, dz, dx, dy, dz)
    contact.w_xx, contact.w_xy, contact.w_xz = w[0], w[1], w[2]
    contact.w_yy, contact.w_yz, contact.w_zz = w[4], w[5], w[8]


@jit(internal=True)
def push(twist, J, d, p):
    """Add the effect of an impulse over mass ``p`` at a point, ``d`` from the COM, to ``twist``."""
    x, y, z = turned_by(J, d[1] * p[2] - d[2] * p[1], d[2] * p[0] - d[0] * p[2], d[0] * p[1] - d[1] * p[0])
    twist[0] += p[0]
    twist[1] += p[1]
    twist[2] += p[2]
    twist[3] += x
    twist[4] += y
    twist[5] += z


SAMPLES = 5  # values of f, a fifth of a turn apart, that say what it is
ROUNDS = 100  # of Weierstrass's iteration
SETTLED = 1e-15  # change of a root in a round that is none [1]
ON_CIRCLE = 1e-3  # distance of a root from the circle up to which a zero is looked for there [1]
POLISHES = 8  # steps of Newton's method
NO_VALUE = 1e-13  # value of f that is none, over its coefficients [1]
SAME = 1e-6  # zeros so close are one [rad]
VANISHES = 1e-14  # leading coefficient that is none, over the largest [1]


@jit
def harmonics(f0, f1, f2, f3, f4):
    """The five coefficients of f from its values at the angles 2 pi i / 5."""
    a0 = (f0 + f1 + f2 + f3 + f4) / 5.0
    c, s, c2, s2 = cos(0.4 * pi), sin(0.4 * pi), cos(0.8 * pi), sin(0.8 * pi)
    a1 = 0.4 * (f0 + c * (f1 + f4) + c2 * (f2 + f3))
    b1 = 0.4 * (s * (f1 - f4) + s2 * (f2 - f3))
    a2 = 0.4 * (f0 + c2 * (f1 + f4) + c * (f2 + f3))
    b2 = 0.4 * (s2 * (f1 - f4) - s * (f2 - f3))
    return a0, a1, b1, a2, b2


@jit
def zeros(f):
    """The zeros of f from its coefficients ``f`` (a0, a1, b1, a2, b2).

    Returns
    -------
    tuple of 4 float
        Angles in [-pi, pi) [rad], NaN beyond their number.
    """
    a0, a1, b1, a2, b2 = f
    found = (nan, nan, nan, nan)
    size = abs(a0) + abs(a1) + abs(b1) + abs(a2) + abs(b2)
    if not size > 0.0:
        return found
    # p(z) = z^2 f = lead z^4 + next z^3 + a0 z^2 + conj(next) z + conj(lead), z = exp(i s)
    lead, following = (0.5 * a2, -0.5 * b2), (0.5 * a1, -0.5 * b1)
    if hypot(lead[0], lead[1]) <= VANISHES * size:
        return _of_first_harmonic(a0, a1, b1, found)
    monic = (
        _over(following, lead), _over((a0, 0.0), lead),
        _over((following[0], -following[1]), lead), _over((lead[0], -lead[1]), lead),
    )  # fmt: skip
    p, q = (1.0, 0.0), (0.4, 0.9)
    r, s = _times(q, q), _times(q, _times(q, q))
    for _ in range(ROUNDS):
        moved = 0.0
        for _i in range(4):
            step = _over_others(p, q, r, s, monic)
            moved = max(moved, hypot(step[0], step[1]) / (1.0 + hypot(p[0], p[1])))
            p, q, r, s = q, r, s, (p[0] - step[0], p[1] - step[1])
        if not moved > SETTLED:
            break
    count = 0
    for _i in range(4):
        if abs(hypot(p[0], p[1]) - 1.0) <= ON_CIRCLE:
            angle, is_zero = _polished(f, atan2(p[1], p[0]), size)
            for j in range(count):
                is_zero = is_zero and abs(_turned(angle - found[j])) > SAME
            if is_zero:
                found = (
                    angle if count == 0 else found[0], angle if count == 1 else found[1],
                    angle if count == 2 else found[2], angle if count == 3 else found[3],
                )  # fmt: skip
                count += 1
        p, q, r, s = q, r, s, p
    return found


@jit(inline=True, internal=True)
def _times(a, b):
    """Product of two complex numbers (real, imaginary)."""
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


@jit(inline=True, internal=True)
def _over(a, b):
    """Quotient of two complex numbers."""
    square = b[0] * b[0] + b[1] * b[1]
    return (a[0] * b[0] + a[1] * b[1]) / square, (a[1] * b[0] - a[0] * b[1]) / square


@jit(internal=True)
def _over_others(p, q, r, s, monic):
    """Weierstrass's correction of the root p of a monic polynomial of which q, r and s are the others."""
    others = _times(
        (p[0] - q[0], p[1] - q[1]), _times((p[0] - r[0], p[1] - r[1]), (p[0] - s[0], p[1] - s[1]))
    )
    if others[0] == 0.0 and others[1] == 0.0:
        return 1e-8, 1e-8
    y = p[0] + monic[0][0], p[1] + monic[0][1]
    for i in range(1, 4):
        x = _times(y, p)
        y = x[0] + monic[i][0], x[1] + monic[i][1]
    return _over(y, others)


@jit(internal=True)
def _of_first_harmonic(a0, a1, b1, none):
    """The zeros of a0 + a1 cos s + b1 sin s."""
    size = sqrt(a1 * a1 + b1 * b1)
    if not size > abs(a0):
        return none
    middle = atan2(b1, a1)
    half = atan2(sqrt(size * size - a0 * a0), -a0)
    return _turned(middle + half), _turned(middle - half), none[2], none[3]


@jit
def value(f, angle):
    """f and its slope at an angle."""
    a0, a1, b1, a2, b2 = f
    c, s = cos(angle), sin(angle)
    c2, s2 = c * c - s * s, 2.0 * s * c
    return a0 + a1 * c + b1 * s + a2 * c2 + b2 * s2, b1 * c - a1 * s + 2.0 * (b2 * c2 - a2 * s2)


@jit(internal=True)
def _polished(f, angle, size):
    """The zero of f near an angle by Newton's method, and whether f vanishes there."""
    for _ in range(POLISHES):
        y, slope = value(f, angle)
        if abs(y) <= 1e-17 * size or slope == 0.0:
            break
        step = y / slope
        if not abs(step) < 0.1:
            break
        angle -= step
    y, _ = value(f, angle)
    return _turned(angle), abs(y) <= NO_VALUE * size


@jit(inline=True, internal=True)
def _turned(angle):
    """The same angle in [-pi, pi)."""
    return angle - 2.0 * pi * ((angle + pi) // (2.0 * pi))


PROBE = 1e-6  # turn of a slip by which the change of the slip across it is found [rad]
PAIR_ITERATIONS = 20  # of Newton's method
STARTS = 24  # directions of one slip from which it is tried where both are unknown
LARGEST_TURN = 0.5  # of a slip in an iteration [rad]
NO_SLIP = 1e-12  # slip that is none, over the velocities without impulses [1]
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
    if c.given == 0.0 and d.given == 0.0 and _both_stick(c, d, w, b, e, free):
        return True
    mu_c, mu_d = mu if c.given != 0.0 else free, mu if d.given != 0.0 else free
    if c.given == 0.0 and _one_sticks(c, d, w, b, e, mu_c, mu_d):
        return True
    if d.given == 0.0 and _one_sticks(d, c, back, e, b, mu_d, mu_c):
        return True
    if both_slip(c, d, w, b, e, mu_c, mu_d):
        return True
    if c.given == 0.0 and d.given == 0.0:
        return _one_sticks_else(c, d, w, b, e, free) or _one_sticks_else(d, c, back, e, b, free)
    return False


@jit(inline=True, internal=True)
def _size(b, e):
    return abs(b[0]) + abs(b[1]) + abs(b[2]) + abs(e[0]) + abs(e[1]) + abs(e[2])


@jit(inline=True, internal=True)
def by_mobility(c, x, y, z):
    """Velocity of a contact for an impulse there."""
    return (
        c.w_xx * x + c.w_xy * y + c.w_xz * z,
        c.w_xy * x + c.w_yy * y + c.w_yz * z,
        c.w_xz * x + c.w_yz * y + c.w_zz * z,
    )


@jit(inline=True, internal=True)
def _by_compliance(c, x, y, z):
    """The reverse of `by_mobility`."""
    rows = ((c.w_xx, c.w_xy, c.w_xz), (c.w_xy, c.w_yy, c.w_yz), (c.w_xz, c.w_yz, c.w_zz))
    return solve_3x3(rows, (x, y, z))


@jit(internal=True)
def _both_stick(c, d, w, b, e, mu):
    """Impulses with which both contacts stop, if friction can give them.

    How both share the push along the line between them is not determined: it is shared as what friction has
    left there. The directions of slip become those against these impulses, or against the largest that
    friction can give.
    """
    x, y = d.d_x - c.d_x, d.d_y - c.d_y
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
    a_nn = d.w_zz - (w[2] * nx + w[5] * ny + w[8] * nz)
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
    c.p_x, c.p_y, c.p_z = along * x - across * y, along * y + across * x, normal
    size = hypot(across, along)
    if size > 0.0:
        c.s_x, c.s_y = -c.p_x / size, -c.p_y / size


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
    if d.given != 0.0:
        return _slips_beside(c, d, w, b, e, (mu_c, mu_d), (d.s_x, d.s_y))
    x, y = d.d_x - c.d_x, d.d_y - c.d_y
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
    if d.given == 0.0 and not along >= -NO_SLIP * _size(b, e):
        return False
    c.p_x, c.p_y, c.p_z = px, py, pz
    d.p_x, d.p_y, d.p_z = -mu_d * n * sx, -mu_d * n * sy, n
    d.s_x, d.s_y = sx, sy
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
    mu, s, q = (mu_c, mu_d), atan2(c.s_y, c.s_x), atan2(d.s_y, d.s_x)
    if _slips_near(c, d, w, b, e, mu, (s, q)):
        return True
    turns_c, turns_d = c.given == 0.0, d.given == 0.0
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
    angle s: the coefficients of `mcrock.kernel.friction.coulomb`."""
    fifth = 0.4 * pi
    c.solves += 1.0
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
    turns_c, turns_d = c.given == 0.0, d.given == 0.0
    none, last = NO_SLIP * _size(b, e), inf
    for _ in range(PAIR_ITERATIONS):
        c.solves += 1.0
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
            c.p_x, c.p_y, c.p_z = -mu_c * n * x, -mu_c * n * y, n
            d.p_x, d.p_y, d.p_z = -mu_d * o * z, -mu_d * o * r, o
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


SWEEPS, UPDATES = 4000, 100_000  # of Gauss-Seidel, and of single contacts in them
CONVERGED = 1e-13  # change of impulses that counts as none, over the largest [1]
NEARLY = 1e-11  # the same where rounding ends the sweeps
LOOK, SHRINKS = 100, 0.9  # sweeps after which a change is to be less than so much of that before
ITERATIONS = 30  # of Newton's method
NEWTON = 1e-15  # velocity across a slip at which that ends, over its coefficients [1]
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
            px, py, pz = c.p_x, c.p_y, c.p_z
            ux, uy, uz = _velocity(c, twist)
            ux -= c.w_xx * px + c.w_xy * py + c.w_xz * pz
            uy -= c.w_xy * px + c.w_yy * py + c.w_yz * pz
            uz -= c.w_xz * px + c.w_yz * py + c.w_zz * pz
            found, nx, ny, nz = _one_contact(c, ux, uy, uz, mu if c.given != 0.0 else free)
            if not found:
                return NONE_FOUND
            c.p_x, c.p_y, c.p_z = nx, ny, nz
            push(twist, J, (c.d_x, c.d_y, c.d_z), (nx - px, ny - py, nz - pz))
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
        found, x, y, z = _one_contact(c, ux, uy, uz, mu if c.given != 0.0 else free)
        if found and z > 0.0:
            c.p_x, c.p_y, c.p_z = x, y, z
            if _opens_others(contacts, n, J, twist, (i, i), slack):
                return True
            c.p_x, c.p_y, c.p_z = 0.0, 0.0, 0.0
    for i in range(n):
        c, d = contacts[i], contacts[(i + 1) % n]
        b, e = _velocity(c, twist), _velocity(d, twist)
        w = mobility(J, c.d_x, c.d_y, c.d_z, d.d_x, d.d_y, d.d_z)
        if solve_pair(c, d, w, b, e, mu, free) and _opens_others(
            contacts, n, J, twist, (i, (i + 1) % n), slack
        ):
            return True
        c.p_x, c.p_y, c.p_z, d.p_x, d.p_y, d.p_z = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
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
            if not z >= -NO_SLIP * (abs(ux) + abs(uy) + abs(uz)) - slack:
                return False
    for k in range(6):
        twist[k] = after[k]
    return True


@jit(internal=True)
def _after(c, J, twist):
    """The twist after the impulse of a contact."""
    px, py, pz = c.p_x, c.p_y, c.p_z
    x, y, z = turned_by(J, c.d_y * pz - c.d_z * py, c.d_z * px - c.d_x * pz, c.d_x * py - c.d_y * px)
    return twist[0] + px, twist[1] + py, twist[2] + pz, twist[3] + x, twist[4] + y, twist[5] + z


@jit(internal=True)
def _single(c, J, twist, mu, free):
    """`solve_contacts` for one contact."""
    ux, uy, uz = _velocity(c, twist)
    found, c.p_x, c.p_y, c.p_z = _one_contact(c, ux, uy, uz, mu if c.given != 0.0 else free)
    push(twist, J, (c.d_x, c.d_y, c.d_z), (c.p_x, c.p_y, c.p_z))
    return DONE if found else NONE_FOUND


@jit(inline=True, internal=True)
def _velocity(c, twist):
    """Velocity of a contact, less that to be reached."""
    return (
        c.b_x + twist[0] + twist[4] * c.d_z - twist[5] * c.d_y,
        c.b_y + twist[1] + twist[5] * c.d_x - twist[3] * c.d_z,
        c.b_z + twist[2] + twist[3] * c.d_y - twist[4] * c.d_x - c.target,
    )


@jit(internal=True)
def _pair(contacts, J, twist, mu, free):
    """Whether the impulses of two contacts, none yet, are found in closed form; ``twist`` becomes that after
    them."""
    c, d = contacts[0], contacts[1]
    b, e = _velocity(c, twist), _velocity(d, twist)
    w = mobility(J, c.d_x, c.d_y, c.d_z, d.d_x, d.d_y, d.d_z)
    found, x, y, z = _one_contact(c, b[0], b[1], b[2], mu if c.given != 0.0 else free)
    if found and e[2] + w[2] * x + w[5] * y + w[8] * z >= 0.0:  # the other opens
        c.p_x, c.p_y, c.p_z = x, y, z
    else:
        found, x, y, z = _one_contact(d, e[0], e[1], e[2], mu if d.given != 0.0 else free)
        if found and b[2] + w[6] * x + w[7] * y + w[8] * z >= 0.0:
            d.p_x, d.p_y, d.p_z = x, y, z
        elif not solve_pair(c, d, w, b, e, mu, free) and not _jams(c, d, w, b, e, free):
            c.p_x, c.p_y, c.p_z, d.p_x, d.p_y, d.p_z = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            return False
    push(twist, J, (c.d_x, c.d_y, c.d_z), (c.p_x, c.p_y, c.p_z))
    push(twist, J, (d.d_x, d.d_y, d.d_z), (d.p_x, d.p_y, d.p_z))
    return True


@jit(internal=True)
def _jams(c, d, w, b, e, mu):
    """Whether one of two contacts is stopped though it would rise by itself, and the other opens: much
    friction turns its motion along the ground into a push."""
    if c.given == 0.0 and b[2] >= 0.0:
        px, py, pz = _stopping(c, b[0], b[1], b[2])
        if hypot(px, py) <= mu * pz and e[2] + w[2] * px + w[5] * py + w[8] * pz >= 0.0:
            c.p_x, c.p_y, c.p_z, d.p_x, d.p_y, d.p_z = px, py, pz, 0.0, 0.0, 0.0
            return True
    if d.given == 0.0 and e[2] >= 0.0:
        px, py, pz = _stopping(d, e[0], e[1], e[2])
        if hypot(px, py) <= mu * pz and b[2] + w[6] * px + w[7] * py + w[8] * pz >= 0.0:
            c.p_x, c.p_y, c.p_z, d.p_x, d.p_y, d.p_z = 0.0, 0.0, 0.0, px, py, pz
            return True
    return False


@jit(inline=True, internal=True)
def _stopping(c, ux, uy, uz):
    """The impulse that stops a contact."""
    rows = ((c.w_xx, c.w_xy, c.w_xz), (c.w_xy, c.w_yy, c.w_yz), (c.w_xz, c.w_yz, c.w_zz))
    return solve_3x3(rows, (-ux, -uy, -uz))


@jit(internal=True)
def _one_contact(c, ux, uy, uz, mu):
    """Whether one contact has a solution, and its impulse; u is the velocity without it, less the target."""
    if uz >= 0.0:
        return True, 0.0, 0.0, 0.0
    c.solves += 1.0
    if c.given != 0.0:
        sx, sy = c.s_x, c.s_y
        den = c.w_zz - mu * (c.w_xz * sx + c.w_yz * sy)
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
    of `mcrock.kernel.friction.coulomb`."""
    sum_x, sum_y = mu * (uy * c.w_xz - uz * c.w_xy), mu * (ux * c.w_yz - uz * c.w_xy)
    mixed = mu * (ux * c.w_xz - uy * c.w_yz + uz * (c.w_yy - c.w_xx))
    return (
        0.5 * (sum_y - sum_x),
        uy * c.w_zz - uz * c.w_yz,
        uz * c.w_xz - ux * c.w_zz,
        -0.5 * (sum_x + sum_y),
        0.5 * mixed,
    )


@jit(internal=True)
def _along(c, ux, uy, uz, mu, angle):
    """Normal impulse at slip in a direction, and the speed of the slip; -1 and 0 where there is none."""
    x, y = cos(angle), sin(angle)
    den = c.w_zz - mu * (c.w_xz * x + c.w_yz * y)
    if not den > 0.0:
        return -1.0, 0.0
    normal = -uz / den
    vx = ux + normal * (c.w_xz - mu * (c.w_xx * x + c.w_xy * y))
    vy = uy + normal * (c.w_yz - mu * (c.w_xy * x + c.w_yy * y))
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
    none = NO_SLIP * sqrt(ux * ux + uy * uy + uz * uz)
    again = c.p_x != 0.0 or c.p_y != 0.0
    angle, found = atan2(-c.p_y, -c.p_x) if again else atan2(-py, -px), False
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
