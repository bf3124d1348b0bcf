"""Kinematic restitution with friction against the slip after the collision.

Whittaker, E. T. (1904). A Treatise on the Analytical Dynamics of Particles and Rigid Bodies. Cambridge
University Press; see `mcrock.laws.whittaker_1904`, where all impulses of the law are found as the roots of a
polynomial. For one contact it is Newton's law in the form of inequalities, with Coulomb's friction: the law
of Moreau (1988). Energy may be gained if e > 0.

A slip that is left opposes the tangential impulse, w+ = -c x with c > 0, so that for a given c the impulse
(p, x) solves a linear system. By Cramer's rule

    p = N(c)/D(c),   x = (X - c g)/D(c),   N, D quadratic, D > 0

and friction is at its limit where r(c) = |X - c g| - mu N(c) is 0. At c = 0 the contact sticks if r <= 0.
The second derivative of r changes its sign at two known places at most, which separates the roots.
"""

from __future__ import annotations

from math import hypot, inf, sqrt

from mcrock.base.jit import jit

STEPS = 200  # of a search for a root or a bound
EPSILON = 2.0**-52


@jit
def impulse(w, v, e, et, mu):
    """Impulse of the law, of several the one of the smallest normal part [N s]; `mcrock.impact.single`.

    >>> px, _, pz = impulse((3.5, 0.0, 0.0, 3.5, 0.0, 1.0), (2.0, 0.0, -1.0), 0.5, 0.0, 0.3)  # a ball slips
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
