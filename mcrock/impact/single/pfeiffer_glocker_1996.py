"""Kinetic restitution of Poisson in two steps, each with friction against the slip that it leaves.

Pfeiffer, F., Glocker, C. (1996). Multibody Dynamics with Unilateral Contacts. Wiley, New York; in three
dimensions Anitescu, M., Potra, F. A. (1997), Nonlinear Dynamics 14, 231-247. See
`mcrock.laws.pfeiffer_glocker_1996`. No energy is gained.
"""

from __future__ import annotations

from math import hypot

from mcrock.base.jit import jit
from mcrock.impact.single.whittaker_1904 import EPSILON, STEPS, final_slip_impulse

CLOSED = 1e-12  # approach after the expansion that is rounding, over the speed before the collision [1]


@jit
def impulse(w, v, e, et, mu):
    """Impulse of both phases [N s]; `mcrock.impact.single`.

    The compression is that of the smallest normal impulse; the normal impulse of the expansion is e times
    that, or more where friction would leave an approach.

    >>> px, _, pz = impulse((3.5, 0.0, 0.0, 3.5, 0.0, 1.0), (2.0, 0.0, -1.0), 0.5, 0.0, 0.3)  # a ball slips
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
