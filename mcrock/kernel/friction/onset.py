"""The first speed of slips that begin, so that they have a direction.

The state is that of `mcrock.kernel.friction.state.load_twist`; ``friction.twist`` are the rates of the twist
before, and the velocities after.
"""

from __future__ import annotations

from math import hypot

from mcrock.base.jit import jit
from mcrock.kernel.friction.contact_table import B_X, B_Y, D_X, D_Y, D_Z, GIVEN, S_X, S_Y
from mcrock.kernel.friction.state import KICK, load_twist, store_twist

SLOWER = 0.03  # least speed with which the slower of two slips begins, over `KICK` [1]
MOST_KICK = 100.0  # and the largest of the faster


@jit(internal=True)
def level_velocity(twist, c):
    """Horizontal velocity of a contact [m/s]."""
    return twist[0] + twist[4] * c[D_Z] - twist[5] * c[D_Y], twist[1] + twist[5] * c[D_X] - twist[3] * c[D_Z]


@jit(internal=True)
def set_slip(friction, state, c):
    """Give the slip of a vertex that begins its first speed: the body shifts."""
    twist = friction.twist
    load_twist(state, twist)
    vx, vy = level_velocity(twist, c)
    twist[0] += KICK * c[S_X] - vx
    twist[1] += KICK * c[S_Y] - vy
    store_twist(state, twist)


@jit(internal=True)
def set_turn(friction, state, c, stays):
    """The same for an end of an edge whose other end sticks: the body turns about the vertical there."""
    twist = friction.twist
    load_twist(state, twist)
    vx, vy = level_velocity(twist, c)
    ux, uy = level_velocity(twist, stays)  # little, and none once it stands
    vx, vy = vx - ux, vy - uy
    x, y = c[D_X] - stays[D_X], c[D_Y] - stays[D_Y]
    missing = (KICK * c[S_Y] - vy) * x - (KICK * c[S_X] - vx) * y
    twist[5] += missing / (x * x + y * y)
    store_twist(state, twist)


@jit(internal=True)
def set_slips(friction, state, c, d):
    """The same for both ends of an edge: it shifts and turns about the vertical, and no end leaves the
    ground."""
    twist = friction.twist
    ex, ey = d[D_X] - c[D_X], d[D_Y] - c[D_Y]
    length = hypot(ex, ey)
    ex, ey = ex / length, ey / length
    # two slips that begin grow in proportion to their accelerations
    ax, ay = level_velocity(twist, c)
    bx, by = level_velocity(twist, d)
    gain_c, gain_d = hypot(ax + c[B_X], ay + c[B_Y]), hypot(bx + d[B_X], by + d[B_Y])
    load_twist(state, twist)
    vx, vy = level_velocity(twist, c)
    ux, uy = level_velocity(twist, d)
    speed_c = hypot(vx, vy) if c[GIVEN] != 0.0 else KICK
    speed_d = hypot(ux, uy) if d[GIVEN] != 0.0 else KICK
    if c[GIVEN] == 0.0 and d[GIVEN] == 0.0:
        most, least = max(gain_c, gain_d), min(gain_c, gain_d)
        faster = KICK * min(max(SLOWER * most / max(least, 1e-300), 1.0), MOST_KICK)
        slower = max(faster * least / most, SLOWER * KICK)
        speed_c, speed_d = (faster, slower) if gain_c >= gain_d else (slower, faster)
    cx, cy, dx, dy = speed_c * c[S_X], speed_c * c[S_Y], speed_d * d[S_X], speed_d * d[S_Y]
    # across the edge each end as it should; along it both as one that begins, as the edge does not stretch
    begins = cx * ex + cy * ey if c[GIVEN] == 0.0 else dx * ex + dy * ey
    across_c, across_d = cy * ex - cx * ey, dy * ex - dx * ey
    cx, cy = begins * ex - across_c * ey, begins * ey + across_c * ex
    dx, dy = begins * ex - across_d * ey, begins * ey + across_d * ex
    # what is missing at both ends: a turn about the vertical and a shift
    mx, my, lx, ly = cx - vx, cy - vy, dx - ux, dy - uy
    turn = ((ly - my) * ex - (lx - mx) * ey) / length
    twist[5] += turn
    twist[0] += mx + turn * c[D_Y]
    twist[1] += my - turn * c[D_X]
    store_twist(state, twist)
