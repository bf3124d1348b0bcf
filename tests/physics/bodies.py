"""Bodies and strategies shared by the physics tests."""

from math import cos, sin

import numpy as np
from hypothesis import strategies as st

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
