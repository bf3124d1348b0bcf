"""Kinematic restitution with a ratio of the tangential impulse to the normal one.

Brach, R. M. (1989). Rigid body collisions. Journal of Applied Mechanics 56(1), 133-138; see
`mcrock.laws.brach_1989`, which takes any ratios. Here the impulse opposes the slip before the collision, and
its ratio is that of friction or, if this is less, the critical one, with which the slip in this direction
ends at -e_t times that before. A ratio below 0 would push along the slip and is not taken. No energy is
gained for 0 <= e <= 1 and -1 <= e_t <= 1: with the ratio m, P.(V+ + V-) is the normal impulse times
-(1 - e)|v_n| - m (slip + slip+), and slip+ >= -e_t slip up to the critical ratio.
"""

from __future__ import annotations

from math import hypot

from mcrock.base.jit import jit

NO_SLIP = 1e-12  # slip before the collision that is rounding, over the approach [1]


@jit
def impulse(w, v, e, et, mu):
    """Impulse of the law [N s]; `mcrock.impact.single`.

    Without slip before, friction opposes the slip that the normal impulse would cause: there the law is not
    continuous.

    >>> px, _, pz = impulse((3.5, 0.0, 0.0, 3.5, 0.0, 1.0), (2.0, 0.0, -1.0), 0.5, 0.0, 0.3)  # a ball slips
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
