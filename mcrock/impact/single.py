"""Laws of one collision with friction as runs take them: floats in, floats out, nothing allocated.

Each law is a function of its name, with its source: ``law(w, v, e, et, mu) -> (px, py, pz)`` for a point
that lands on horizontal ground, in ground axes. ``w`` is its mobility (xx, xy, xz, yy, yz, zz), the
symmetric M^-1 of the point [1/kg]; ``v`` its velocity before [m/s], with v_z < 0; ``e`` and ``et`` are the
normal and tangential coefficients of restitution and ``mu`` is that of friction [1]. A law does not read
the coefficients that it does not have. The law of Chatterjee and Ruina, which also serves impulses that act
elsewhere, takes nine mobilities. `mcrock.kernel.friction.impacts` takes the law of the run; `mcrock.laws`
has the same laws for any contact, with all solutions and checks.
"""

from __future__ import annotations

from math import atan2, cos, exp, hypot, inf, sin, sqrt

import numpy as np

from mcrock.base.jit import jit
from mcrock.impact.varkonyi_2022 import solve_3x3

STEPS = 200  # of a search for a root or a bound
EPSILON = 2.0**-52


@jit
def whittaker_1904(w, v, e, et, mu):
    """Impulse of the law, of several the one of the smallest normal part [N s]; `mcrock.impact.single`.

    Kinematic restitution with friction against the slip after the collision.

    Whittaker, E. T. (1904). A Treatise on the Analytical Dynamics of Particles and Rigid Bodies. Cambridge
    University Press; see `mcrock.laws.final_slip`, where all impulses of the law are found as the roots
    of a polynomial. For one contact it is Newton's law in the form of inequalities, with Coulomb's friction:
    the law of Moreau (1988). Energy may be gained if e > 0.

    A slip that is left opposes the tangential impulse, w+ = -c x with c > 0, so that for a given c the
    impulse (p, x) solves a linear system. By Cramer's rule

        p = N(c)/D(c),   x = (X - c g)/D(c),   N, D quadratic, D > 0

    and friction is at its limit where r(c) = |X - c g| - mu N(c) is 0. At c = 0 the contact sticks if r <= 0.
    The second derivative of r changes its sign at two known places at most, which separates the roots.

    >>> ball = (3.5, 0.0, 0.0, 3.5, 0.0, 1.0)
    >>> px, _, pz = whittaker_1904(ball, (2.0, 0.0, -1.0), 0.5, 0.0, 0.3)  # it slips
    >>> round(px, 9), round(pz, 9)
    (-0.45, 1.5)
    """
    return final_slip_impulse(w, v[0], v[1], -(1.0 + e) * v[2], mu, 0.0)


@jit
def final_slip_impulse(w, slip_x, slip_y, change, mu, least):
    """Impulse to a given change of the normal velocity whose friction opposes the slip that it leaves.

    Parameters
    ----------
    w : tuple of 6 float
        Mobility (xx, xy, xz, yy, yz, zz) [1/kg].
    slip_x, slip_y : float
        Tangential velocity before [m/s].
    change : float
        Of the normal velocity, >= 0 [m/s].
    mu : float
        Finite [1].
    least : float
        Of several impulses the one of the smallest normal part above this [N s].

    Returns
    -------
    px, py, pz : float
        [N s]; pz = 0 if there is none.
    """
    xx, xy, xz, yy, yz, zz = w
    if mu == 0.0:
        return 0.0, 0.0, change / zz
    trace, det = xx + yy, xx * yy - xy * xy
    gx, gy = slip_x * zz + xz * change, slip_y * zz + yz * change
    across = slip_x * yz - slip_y * xz
    x0 = across * yz - (yy * gx - xy * gy)
    y0 = -across * xz - (xx * gy - xy * gx)
    n0 = change * det + slip_x * (yy * xz - xy * yz) + slip_y * (xx * yz - xy * xz)
    n1 = change * trace + slip_x * xz + slip_y * yz
    d0 = zz * det - (yy * xz * xz - 2.0 * xy * xz * yz + xx * yz * yz)
    d1 = zz * trace - xz * xz - yz * yz
    terms = x0, y0, gx, gy, n0, n1, change, mu

    best = px = py = pz = 0.0
    if hypot(x0, y0) <= mu * n0 and n0 / d0 > least:
        px, py, pz = x0 / d0, y0 / d0, n0 / d0
        best = pz

    # where r bends from one side to the other, and a bound of its roots
    size = hypot(gx, gy)
    first = last = 0.0
    if size > EPSILON * EPSILON * change * (trace + zz):
        ux, uy = gx / size, gy / size
        turned = abs(x0 * uy - y0 * ux)  # least length of X - c g
        middle = (x0 * ux + y0 * uy) / size
        bend = 2.0 * mu * change
        far = (turned * size * turned * size / bend) ** (1.0 / 3.0) if bend > 0.0 else inf
        half = sqrt(max(far - turned, 0.0) * (far + turned)) / size if far < inf else inf
        first, last = max(middle - half, 0.0), max(middle + half, 0.0)
    end = trace + (2.0 * last if last < inf else 0.0)
    falls = change > 0.0 or size < mu * n1  # r, in the end
    for _ in range(STEPS):
        value, slope = _excess(terms, end), _slope(terms, end)
        if value * slope > 0.0 and (value < 0.0) == falls:
            break
        end *= 2.0
    last = min(last, end)
    ends = (
        0.0,
        _level(terms, 0.0, first),
        first,
        _level(terms, first, last),
        last,
        _level(terms, last, end),
        end,
    )  # r is monotone between
    for i in range(6):
        low, high = ends[i], ends[i + 1]
        value_low, value_high = _excess(terms, low), _excess(terms, high)
        if (value_low > 0.0) == (value_high > 0.0):
            continue
        c = _root(terms, low, high, value_low > 0.0)
        d = d0 + c * (d1 + c * zz)
        p = (n0 + c * (n1 + c * change)) / d
        if p > least and (best == 0.0 or p < best):
            px, py, pz = (x0 - c * gx) / d, (y0 - c * gy) / d, p
            best = p
    return px, py, pz


@jit(internal=True)
def _excess(terms, c):
    """r(c), friction beyond its limit."""
    x0, y0, gx, gy, n0, n1, n2, mu = terms
    return hypot(x0 - c * gx, y0 - c * gy) - mu * (n0 + c * (n1 + c * n2))


@jit(internal=True)
def _slope(terms, c):
    """dr/dc."""
    x0, y0, gx, gy, _, n1, n2, mu = terms
    x, y = x0 - c * gx, y0 - c * gy
    length = hypot(x, y)
    turn = (x * gx + y * gy) / length if length > 0.0 else 0.0
    return -turn - mu * (n1 + 2.0 * c * n2)


@jit(internal=True)
def _level(terms, low, high):
    """Where dr/dc is 0 between two places, between which it is monotone; else the first of them."""
    if high <= low:
        return low
    # the slope may jump at an end, where X - c g passes through 0: it is taken a little inside
    rising = _slope(terms, low + EPSILON * (high - low)) > 0.0
    if (_slope(terms, high - EPSILON * (high - low)) > 0.0) == rising:
        return low
    for _ in range(STEPS):
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:
            break
        if (_slope(terms, middle) > 0.0) == rising:
            low = middle
        else:
            high = middle
    return low


@jit(internal=True)
def _root(terms, low, high, falling):
    """Where r is 0 between two places of unlike sign: Newton's method, kept in between by bisection."""
    c = 0.5 * (low + high)
    for _ in range(STEPS):
        value, slope = _excess(terms, c), _slope(terms, c)
        if (value > 0.0) == falling:
            low = c
        else:
            high = c
        following = c - value / slope if slope != 0.0 else low
        if not low < following < high:
            following = 0.5 * (low + high)
        if abs(following - c) <= EPSILON * c or following <= low or following >= high:
            return following
        c = following
    return c


CLOSED = 1e-12  # approach after the expansion that is rounding, over the speed before the collision [1]


@jit
def pfeiffer_glocker_1996(w, v, e, et, mu):
    """Impulse of both phases [N s]; `mcrock.impact.single`.

    Kinetic restitution of Poisson in two steps, each with friction against the slip that it leaves.

    Pfeiffer, F., Glocker, C. (1996). Multibody Dynamics with Unilateral Contacts. Wiley, New York; in three
    dimensions Anitescu, M., Potra, F. A. (1997), Nonlinear Dynamics 14, 231-247. See
    `mcrock.laws.final_slip`. No energy is gained.

    The compression is that of the smallest normal impulse; the normal impulse of the expansion is e times
    that, or more where friction would leave an approach.

    >>> ball = (3.5, 0.0, 0.0, 3.5, 0.0, 1.0)
    >>> px, _, pz = pfeiffer_glocker_1996(ball, (2.0, 0.0, -1.0), 0.5, 0.0, 0.3)  # it slips
    >>> round(px, 9), round(pz, 9)
    (-0.45, 1.5)
    """
    xx, xy, xz, yy, yz, zz = w
    x, y, p = final_slip_impulse(w, v[0], v[1], -v[2], mu, 0.0)
    more = e * p
    if more == 0.0:
        return x, y, p
    # slip at the end of the compression, and what the expansion does to it
    u = v[0] + xx * x + xy * y + xz * p
    s = v[1] + xy * x + yy * y + yz * p
    fx, fy = sliding_impulse(xx, xy, yy, u + xz * more, s + yz * more, mu * more)
    left = zz * more + xz * fx + yz * fy
    if left < -CLOSED * hypot(hypot(v[0], v[1]), v[2]):
        rx, ry, raised = final_slip_impulse(w, u, s, 0.0, mu, more)
        if raised > 0.0:
            fx, fy, more = rx, ry, raised
    return x + fx, y + fy, p + more


@jit
def sliding_impulse(xx, xy, yy, slip_x, slip_y, limit):
    """Tangential impulse against the slip it leaves, no longer than ``limit`` [N s].

    It ends the slip or is as long as the limit, x = -(T + c)^-1 slip with c > 0 and |x| = limit; Newton's
    method for 1/|x|, which is concave in c, approaches c from below.
    """
    slip = hypot(slip_x, slip_y)
    if limit == 0.0 or slip == 0.0:
        return 0.0, 0.0
    if limit * (xx + yy) < EPSILON * EPSILON * slip:  # too little to turn the slip
        return -limit * slip_x / slip, -limit * slip_y / slip
    c = 0.0
    for _ in range(STEPS):
        a, b = xx + c, yy + c
        det = a * b - xy * xy
        x, y = -(b * slip_x - xy * slip_y) / det, -(a * slip_y - xy * slip_x) / det
        length = hypot(x, y)
        if length <= limit:
            break
        ux, uy = x / length, y / length
        curved = (b * ux * ux - 2.0 * xy * ux * uy + a * uy * uy) / det  # u . (T + c)^-1 u
        step = (length / limit - 1.0) / curved
        if step <= EPSILON * c:
            break
        c += step
    scale = limit / length if c > 0.0 else 1.0
    return scale * x, scale * y


STRIDE = 0.2  # of the integration, over the fastest change of angle and log L [1]
LONGEST = 20_000  # steps; what is left then goes straight
STEADY = 1e-14  # rate at which the direction of slip turns that is rounding, relative [1]
NEGLIGIBLE = 1e-14  # slip that is rounding, over the speed before the collision [1]


def _gauss() -> tuple[tuple[float, ...], ...]:
    """Matrix, and as the last row weights, of Gauss's method with four stages."""
    nodes, weights = np.polynomial.legendre.leggauss(4)
    nodes = 0.5 * (nodes + 1.0)
    powers = np.vander(nodes, increasing=True)
    integrals = np.array([nodes ** (k + 1) / (k + 1) for k in range(4)])
    rows = np.linalg.solve(powers.T, integrals).T
    return (*(tuple(row.tolist()) for row in rows), tuple((0.5 * weights).tolist()))


(A11, A12, A13, A14), (A21, A22, A23, A24), (A31, A32, A33, A34), (A41, A42, A43, A44), WEIGHTS = _gauss()
B1, B2, B3, B4 = WEIGHTS


@jit
def routh_1905(w, v, e, et, mu):
    """Impulse of the law [N s]; `mcrock.impact.single`. Friction must be finite.

    Coulomb friction followed through the collision, kinetic restitution of Poisson.

    Routh, E. J. (1905). The Elementary Part of a Treatise on the Dynamics of a System of Rigid Bodies,
    seventh edition. Macmillan, London; see `mcrock.laws.impulse_space`. With T, b and zz the tangential,
    coupling and normal parts of the mobility, the slip V = L s changes with the normal impulse p by dV/dp = b
    - mu T s. In the time t with dp = L dt its direction turns by itself and its length decays exponentially,

        d(angle)/dt = a . (b - mu T s),   d(log L)/dt = s . (b - mu T s),   a at right angles to s

    until the slip is over: then the contact sticks, or slips straight on. One equation for the angle is left
    and quadratures along it, for which Gauss's method with four stages (order 8) needs no storage. No energy
    is gained. Where much friction jams the contact it may penetrate, in three dimensions; a landing is then
    left with a normal velocity below 0.

    >>> ball = (3.5, 0.0, 0.0, 3.5, 0.0, 1.0)
    >>> px, _, pz = routh_1905(ball, (2.0, 0.0, -1.0), 0.5, 0.0, 0.3)  # it slips
    >>> round(px, 9), round(pz, 9)
    (-0.45, 1.5)
    """
    xx, xy, xz, yy, yz, zz = w
    length = hypot(v[0], v[1])
    speed = hypot(length, v[2])
    angle = atan2(v[1], v[0])
    scale = mu * (xx + yy) + hypot(xz, yz)
    x = y = p = 0.0
    end = inf  # normal impulse at the end of the collision, known from the end of the compression on
    for _ in range(LONGEST):
        _, turn, decay = _rates(w, mu, angle)
        # what is left of a slip that decays cannot turn it much
        steady = STEADY * scale * (max(speed / length, 1.0) if decay < 0.0 and length > 0.0 else 1.0)
        if length <= NEGLIGIBLE * speed or abs(turn) <= steady:
            break
        stride = STRIDE / scale
        state = _advanced(w, mu, (x, y, p, angle, length), stride)
        miss, _ = _beyond(w, v[2], mu, state, end)
        closing = miss >= 0.0
        if closing:
            state = _close(w, v[2], mu, (x, y, p, angle, length), end, stride)
        x, y, p, angle, length = state
        if closing:
            if end < inf or e == 0.0:
                return x, y, p
            end = (1.0 + e) * p

    # straight to the end of the slip, and on without it or along the one that friction cannot hold
    _, _, decay = _rates(w, mu, angle)
    for leg in range(2):
        if leg == 0:
            rate_x, rate_y = -mu * cos(angle), -mu * sin(angle)
            longest = 0.0
            if length > NEGLIGIBLE * speed:
                longest = -length / decay if decay < 0.0 else inf
        else:
            rate_x, rate_y = sliding_impulse(xx, xy, yy, xz, yz, mu)
            longest = inf
        if end == inf:
            growth = zz + xz * rate_x + yz * rate_y
            reach = -(v[2] + zz * p + xz * x + yz * y) / growth if growth > 0.0 else inf
            if reach <= longest:
                end = (1.0 + e) * (p + reach)
        run = min(longest, end - p)
        x, y, p = x + run * rate_x, y + run * rate_y, p + run
        if run < longest:
            break
    return x, y, p


@jit(internal=True)
def _beyond(w, approach, mu, state, end):
    """What a state is beyond the end of its phase by, and how fast: normal velocity, or normal impulse."""
    x, y, p, angle, length = state
    if end < inf:
        return p - end, length
    along, _, _ = _rates(w, mu, angle)
    return approach + w[5] * p + w[2] * x + w[4] * y, length * (w[5] - mu * along)


@jit(internal=True)
def _close(w, approach, mu, state, end, stride):
    """State at the end of a phase, which is within a stride: Newton's method, kept inside by bisection."""
    low, high, part = 0.0, stride, 0.5 * stride
    found = state
    for _ in range(STEPS):
        found = _advanced(w, mu, state, part)
        miss, growth = _beyond(w, approach, mu, found, end)
        if miss < 0.0:
            low = part
        else:
            high = part
        following = part - miss / growth if growth != 0.0 else low
        if not low < following < high:
            following = 0.5 * (low + high)
        if abs(following - part) <= EPSILON * stride:
            break
        part = following
    return found


@jit(internal=True)
def _advanced(w, mu, state, stride):
    """Impulses, angle and length of the slip after a stride of the time t."""
    x, y, p, angle, length = state
    f1 = f2 = f3 = f4 = angle
    l1 = l2 = l3 = l4 = 0.0
    k1 = k2 = k3 = k4 = 0.0
    for _ in range(STEPS):
        _, k1, l1 = _rates(w, mu, f1)
        _, k2, l2 = _rates(w, mu, f2)
        _, k3, l3 = _rates(w, mu, f3)
        _, k4, l4 = _rates(w, mu, f4)
        g1 = angle + stride * (A11 * k1 + A12 * k2 + A13 * k3 + A14 * k4)
        g2 = angle + stride * (A21 * k1 + A22 * k2 + A23 * k3 + A24 * k4)
        g3 = angle + stride * (A31 * k1 + A32 * k2 + A33 * k3 + A34 * k4)
        g4 = angle + stride * (A41 * k1 + A42 * k2 + A43 * k3 + A44 * k4)
        change = max(abs(g1 - f1), abs(g2 - f2), abs(g3 - f3), abs(g4 - f4))
        f1, f2, f3, f4 = g1, g2, g3, g4
        if change <= 4.0 * EPSILON * (1.0 + abs(angle)):
            break
    n1 = B1 * length * exp(stride * (A11 * l1 + A12 * l2 + A13 * l3 + A14 * l4))
    n2 = B2 * length * exp(stride * (A21 * l1 + A22 * l2 + A23 * l3 + A24 * l4))
    n3 = B3 * length * exp(stride * (A31 * l1 + A32 * l2 + A33 * l3 + A34 * l4))
    n4 = B4 * length * exp(stride * (A41 * l1 + A42 * l2 + A43 * l3 + A44 * l4))
    x -= stride * mu * (n1 * cos(f1) + n2 * cos(f2) + n3 * cos(f3) + n4 * cos(f4))
    y -= stride * mu * (n1 * sin(f1) + n2 * sin(f2) + n3 * sin(f3) + n4 * sin(f4))
    angle += stride * (B1 * k1 + B2 * k2 + B3 * k3 + B4 * k4)
    decayed = length * exp(stride * (B1 * l1 + B2 * l2 + B3 * l3 + B4 * l4))
    return x, y, p + stride * (n1 + n2 + n3 + n4), angle, decayed


@jit(internal=True)
def _rates(w, mu, angle):
    """b . s, and the rates of the angle and of log L [1/kg]."""
    xx, xy, xz, yy, yz, _ = w
    c, s = cos(angle), sin(angle)
    qx, qy = xz - mu * (xx * c + xy * s), yz - mu * (xy * c + yy * s)
    return xz * c + yz * s, qy * c - qx * s, qx * c + qy * s


NO_SLIP = 1e-12  # slip before the collision that is rounding, over the approach [1]


@jit
def brach_1989(w, v, e, et, mu):
    """Impulse of the law [N s]; `mcrock.impact.single`.

    Kinematic restitution with a ratio of the tangential impulse to the normal one.

    Brach, R. M. (1989). Rigid body collisions. Journal of Applied Mechanics 56(1), 133-138; see
    `mcrock.laws.impulse_space.brach`, which takes any ratios. Here the impulse opposes the slip before the
    collision, and its ratio is that of friction or, if this is less, the critical one, with which the slip in
    this direction ends at -e_t times that before. A ratio below 0 would push along the slip and is not taken.
    No energy is gained for 0 <= e <= 1 and -1 <= e_t <= 1: with the ratio m, P.(V+ + V-) is the normal
    impulse times -(1 - e)|v_n| - m (slip + slip+), and slip+ >= -e_t slip up to the critical ratio.

    Without slip before, friction opposes the slip that the normal impulse would cause: there the law is not
    continuous.

    >>> ball = (3.5, 0.0, 0.0, 3.5, 0.0, 1.0)
    >>> px, _, pz = brach_1989(ball, (2.0, 0.0, -1.0), 0.5, 0.0, 0.3)  # it slips
    >>> round(px, 9), round(pz, 9)
    (-0.45, 1.5)
    """
    xx, xy, xz, yy, yz, zz = w
    change = -(1.0 + e) * v[2]
    slip = hypot(v[0], v[1])
    caused = hypot(xz, yz)
    if slip > NO_SLIP * -v[2]:
        sx, sy = v[0] / slip, v[1] / slip
    elif caused > 0.0:
        sx, sy = xz / caused, yz / caused
    else:
        return 0.0, 0.0, change / zz
    coupling = xz * sx + yz * sy
    along = xx * sx * sx + 2.0 * xy * sx * sy + yy * sy * sy
    # slip+ = -et slip at wanted / offered; where friction jams, this is below the pole zz / coupling
    wanted = (1.0 + et) * slip * zz + change * coupling
    offered = change * along + (1.0 + et) * slip * coupling
    ratio = mu
    if wanted < mu * offered:
        ratio = max(wanted / offered, 0.0)
    p = change / (zz - ratio * coupling)
    return -ratio * p * sx, -ratio * p * sy, p


@jit
def chatterjee_ruina_1998(w, vx, vy, vz, mu, e, et):
    """Impulse over mass of an impact.

    Two coefficients of restitution, one for the normal and one for the tangential direction, with friction.

    Chatterjee, A., Ruina, A. (1998). A new algebraic rigid-body collision law based on impulse space
    considerations. Journal of Applied Mechanics 65(4), 939-951; see `mcrock.laws.impulse_space`. No
    energy is gained for 0 <= e <= 1 and -1 <= e_t <= 1. The formula also serves impulses that act elsewhere
    than at the vertex that obeys it (`mcrock.kernel.friction.impacts`), with a mobility that is not
    symmetric.

    Parameters
    ----------
    w : tuple of 9 float
        Velocity of the vertex for unit impulses at R, row by row [1].
    vx, vy, vz : float
        Velocity of the vertex before [m/s], vz < 0.
    mu, e, et : float
        Friction, normal and tangential restitution [1].

    Returns
    -------
    px, py, pz : float
        [m/s]
    kappa : float
        Share of the impulse that stops the slip; 1 + et within the cone of friction [1].
    clipped : bool
        Whether friction is at its bound.
    inward : float
        Normal impulse of the frictionless plastic impact [m/s].
    """
    inward = -vz / w[8]
    px, py, pz = solve_3x3(((w[0], w[1], w[2]), (w[3], w[4], w[5]), (w[6], w[7], w[8])), (-vx, -vy, -vz))
    dx, dy, dz = px, py, pz - inward
    kappa = 1.0 + et
    x, y, z = kappa * dx, kappa * dy, (1.0 + e) * inward + kappa * dz
    clipped = mu < np.inf and not hypot(x, y) <= mu * z
    if clipped:
        kappa = mu * (1.0 + e) * inward / (hypot(dx, dy) - mu * dz)
        x, y, z = kappa * dx, kappa * dy, (1.0 + e) * inward + kappa * dz
    return x, y, z, kappa, clipped, inward
