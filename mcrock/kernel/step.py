"""What steps of all modes share: tolerances, and heights of vertices that may land."""

from __future__ import annotations

from mcrock.base.jit import jit
from mcrock.kernel import codes, results
from mcrock.kernel.dynamics import upward

SLIP_SLACK = 1e-8  # forces beyond Coulomb's bound that are rounding, over the weight [1]
RELEASE_TIME = 1e-12  # releases are located to this [s]
TOUCH = 1e-12  # height that counts as on the ground, over the size of the body [1]
STILL = 1e-9  # an uplift this slow [rad/s] that ends this soon [s] is none
TOGETHER = 1e-10  # two vertices this low land together, over the size of the body [1]
HARDLY = 0.01  # tilt up to which a body that rested has hardly begun to rock, over its slenderness [1]
UPRIGHT = 1e-9  # cosine of the tilt at which a landing and overturning coincide [1]
REFINEMENTS = 40  # of the time of an event, by stepping again from the start of the step


# Newton's error after a correction d is about d^2 over the time of flight: corrections below this
# share of the step (and below a time, [s]) leave a relative error of 1e-8
CONVERGED, CONVERGED_TIME = 1e-4, 1e-7
EXACT = 1e-11  # corrections below this share of the step need no further one [1]
NUDGE = 1e-8  # corrections up to this are made by the rates alone; what is left is of its square [s]
HOP = 1.1  # step tried for a flight that is shorter than half the step, over the flight [1]
RISES = 1.0  # speed of what just left the ground over its loss in a step over several samples, at least [1]


@jit(inline=True, internal=True)
def height_and_rate(body, turned, pivot, vertex):
    """Height of a vertex over the pivot [m] and its rate [m/s] in an `attitude`."""
    p, v = body.vertices[pivot], body.vertices[vertex]
    x, y, z = v[0] - p[0], v[1] - p[1], v[2] - p[2]
    (ux, uy, uz), (wx, wy, wz) = turned
    rate = ux * (wy * z - wz * y) + uy * (wz * x - wx * z) + uz * (wx * y - wy * x)
    return ux * x + uy * y + uz * z, rate


@jit(inline=True, internal=True)
def corrected(h, gap, speed, low, high):
    """Next guess of the time at which a height falls to zero, from its value and rate at ``h``, and how
    the search goes on: 2 if ``h`` was good enough, 1 if the guess is, 0 if neither."""
    guess = h - gap / speed if speed < 0.0 else -1.0
    moved = abs(guess - h)
    if moved <= EXACT * h:
        return h, 2
    if moved <= min(CONVERGED * h, CONVERGED_TIME):
        return min(max(guess, low), high), 1
    return guess if low < guess < high else 0.5 * (low + high), 0


@jit(internal=True)
def lifts_off(run, up):
    """Whether contacts that stick would pull a body with the vertical ``up`` down that has hardly begun to
    rock from rest: then the run ends, as the body leaves the ground with its whole base."""
    if run.left < 0 or run.friction.on:
        return False
    x, y, z = upward(run.body.faces[run.left])
    x, y, z = up[0] - x, up[1] - y, up[2] - z
    least = HARDLY * run.body.slenderness
    if x * x + y * y + z * z > least * least:
        return False
    run.outcome = codes.LIFTED_OFF
    return True


@jit(inline=True, internal=True)
def see_step(result, up, after, d0, d1, h):
    """Peaks over a step, from the vertical and the rate of sin(tilt)^2 at both ends."""
    s0, s1 = up[0] * up[0] + up[1] * up[1], after[0] * after[0] + after[1] * after[1]
    results.see_turning_point(result, s0, d0, s1, d1, h)
    results.see_pose(result, after[0], after[1])


@jit(inline=True, internal=True)
def tilt_rate(up, wx, wy, wz):
    """Rate of sin(tilt)^2; the vertical turns with up x w in body axes."""
    return 2.0 * (up[0] * (up[1] * wz - up[2] * wy) + up[1] * (up[2] * wx - up[0] * wz))


HOLD_TIME = (
    1e-3  # after a release that did not last, or many events at one instant, the edge is held this long [s]
)
