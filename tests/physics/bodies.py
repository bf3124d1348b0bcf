"""Bodies and strategies shared by the physics tests."""

from math import asin, cos, pi, sin, tan

import numpy as np
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from mcrock.base.params import GRAVITY
from mcrock.body import Body, cuboid
from mcrock.impact.conditions import Controls

# fine steps and short accumulation times: what is left is rounding
TIGHT = Controls(step=0.004, max_step=1e-3, edge_zeno_time=1e-6, rest_time=1e-5)


def square_block(slenderness: float, frequency: float) -> Body:
    """Square block of given slenderness [rad] and frequency parameter p [rad/s]."""
    radius = 3 * GRAVITY / (4 * frequency**2)
    width = 2 * radius * sin(slenderness)
    return cuboid(width, width, 2 * radius * cos(slenderness), 1000.0)


def planar_lambda(body: Body, ratio: float) -> float:
    """lambda of a planar impact that reduces the angular velocity to ``ratio``: (A/B)(1-r)/(1+r)."""
    half = body.base[:, 0].max()
    a = body.inertia[1, 1] + body.mass * body.com_height**2
    return a / (body.mass * half**2) * (1 - ratio) / (1 + ratio)


@st.composite
def bodies(draw, off_centre: bool = True) -> Body:
    """Slender bodies on polygons of 3 to 8 corners, COM off centre, general inertia."""
    n = draw(st.integers(3, 8))
    turns = np.array(draw(st.lists(st.floats(0.5, 1.5), min_size=n, max_size=n)))
    angles = np.cumsum(turns) / turns.sum() * 2 * np.pi
    reach = draw(st.floats(0.15, 0.4))
    base = reach * np.stack([np.cos(angles), draw(st.floats(0.7, 1.0)) * np.sin(angles)], -1)
    centre = base.mean(0)  # inside any convex polygon
    if off_centre:
        corner = draw(st.integers(0, n - 1))
        centre = centre + draw(st.floats(0.0, 0.4)) * (base[corner] - centre)
    height = draw(st.floats(0.6, 1.5))
    vertices = np.concatenate([base - centre, np.full((n, 1), -height)], axis=1)
    mass = draw(st.floats(10.0, 1000.0))
    gyration = np.array([1.0, 1.0, 0.4]) * height * draw(st.floats(0.5, 0.7))
    axis = draw(st.floats(0.0, 0.2))
    turn = np.array([[cos(axis), 0, sin(axis)], [0, 1, 0], [-sin(axis), 0, cos(axis)]])
    inertia = turn @ np.diag(mass * gyration**2) @ turn.T
    return Body(mass, inertia, vertices)


def overturns_by_solve_ivp(slenderness, ratio, frequency_ratio, amplitude, pulse=sin):
    """Planar twin under one period of a sine or cosine, time in units of 1/p, by SciPy's integrator with its
    own equation and events: impacts before overturning, None if it stands."""
    duration = 2 * pi / frequency_ratio
    t = asin(tan(slenderness) / (amplitude * slenderness)) / frequency_ratio if pulse is sin else 0.0
    side, state, impacts = -1.0, [0.0, 0.0], 0  # shaken to the right it lifts to the left
    for end, peak in ((duration, amplitude * slenderness), (40.0, 0.0)):
        while t < end:

            def motion(time, y, side=side, peak=peak):
                lean = slenderness * side - y[0]
                return [y[1], -(sin(lean) + peak * pulse(frequency_ratio * time) * cos(lean))]

            def landing(time, y, side=side, start=t):
                return y[0] * side if time > start + 1e-6 else 1.0

            def flat(time, y):
                return pi / 2 - abs(y[0])

            landing.terminal, landing.direction, flat.terminal = True, -1, True
            found = solve_ivp(motion, (t, end), state, rtol=1e-11, atol=1e-13, events=[landing, flat])
            t, state = found.t[-1], list(found.y[:, -1])
            if len(found.t_events[1]):
                return impacts
            if len(found.t_events[0]):
                impacts += 1
                state = [0.0, ratio * state[1]]
                side = 1.0 if state[1] > 0 else -1.0
                if peak == 0.0 and abs(state[1]) < 2 * sin(slenderness / 2):  # too little energy left
                    return None
    return None
