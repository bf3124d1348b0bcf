"""Impact of a planar block on the ground by given coefficients: sliding, sticking, half rocking, rebound.

Brogliato, B., Zhang, H., Liu, C. (2012), see `mcrock.laws.brogliato_2012`: equations (15), (28), (48) and
their consequences. The coefficients give the vertical velocities of both corners, and with them the sum N of
the normal impulses; what is left is the horizontal impulse of both corners together, which moves impulse
from one corner to the other:

    p_1 + p_2 = N = (m L/2)(1 + e_n1 + e_n21) |rate|
    p_1 - p_2 = (2 I/L)(1 + e_n1 - e_n21) |rate| - (l/L) p_t

Both corners have the same horizontal velocity, so only the sum p_t of their horizontal impulses is known.
Coulomb's law holds for this sum, and its solution is unique, since N does not depend on p_t.
"""

from __future__ import annotations

from math import inf, isfinite

import numpy as np

from mcrock.base.checks import Number
from mcrock.laws.block_domains import aspect_of
from mcrock.laws.problem import TOLERANCE, ContactProblem, ImpactResult, coefficient
from mcrock.planar.block import PlanarBlock

TANGENTIAL = ("frictionless", "sticking", "coulomb", "et3")


def block_problem(
    block: PlanarBlock, rate: float, speed: float | None = None, friction: float = 0.0
) -> ContactProblem:
    """A block on the ground that has turned about its left corner A: just before B lands.

    Coordinates are x and y of the centre of mass (COM) [m] and the rotation [rad], counter-clockwise.
    Contact 0 is B, the right corner, contact 1 is A. Each has one tangent, to the right.

    Parameters
    ----------
    block : PlanarBlock
        With its COM above the middle of the base.
    rate : float
        Angular velocity before the impact, negative; 0 is no impact [rad/s].
    speed : float, optional
        Horizontal velocity of the COM [m/s]; without it A does not slip.
    friction : float
        Coefficient mu of both corners [1].

    Raises
    ------
    ValueError
        If the rate is positive or the COM is not above the middle of the base.
    """
    aspect_of(block)
    if not (isfinite(rate) and rate <= 0.0):
        raise ValueError(
            "the rate of a block that lands on its right corner must be finite and negative, clockwise "
            f"[rad/s], got {rate!r}"
        )
    if speed is None:
        speed = -block.com_height * rate
    half = 0.5 * block.width
    slip = [1.0, 0.0, block.com_height]
    return ContactProblem(
        mass=np.diag([block.mass, block.mass, block.inertia]),
        directions=np.array([[0.0, 0.0], [1.0, 1.0], [half, -half]]),
        velocity=np.array([speed, half * rate, rate]),
        tangents=np.array([slip, slip]).T[:, :, None],
        friction=friction,
    )


def block_impact(
    block: PlanarBlock,
    rate: float,
    speed: float | None = None,
    *,
    e_n1: float = 0.0,
    e_n21: float = 0.0,
    tangential: str = "sticking",
    friction: float | None = None,
    e_t3: float | None = None,
) -> ImpactResult:
    """Impact of a block that turns about A and lands with B.

    Parameters
    ----------
    block : PlanarBlock
        With its COM above the middle of the base.
    rate : float
        Angular velocity before the impact, negative; 0 is no impact [rad/s].
    speed : float, optional
        Horizontal velocity of the COM before the impact [m/s]; without it A does not slip.
    e_n1 : float
        Coefficient of the corner that lands, 0 if it stays on the ground [1].
    e_n21 : float
        Coefficient of the corner that leaves, 0 if it stays on the ground [1].
    tangential : str
        "frictionless": no horizontal impulse. "sticking": the corners do not slip after the impact,
        whatever it takes. "coulomb": they stick if friction is enough and slip against it if not. "et3": the
        COM keeps -e_t3 of its horizontal velocity.
    friction : float, optional
        Coefficient mu, needed for "coulomb"; where it is given with "sticking" or "et3" the result says
        whether it is enough [1].
    e_t3 : float, optional
        For "et3" [1].

    Returns
    -------
    ImpactResult
        Velocity (x, y, rotation), impulses of B and A [N s]. Notes: ``tangential_impulse`` of both
        corners together [N s], ``slip_before`` and ``slip_after``, horizontal velocity of the corners [m/s].

    Raises
    ------
    ValueError
        If the rate is positive, a coefficient is not finite or missing, friction is negative, or
        ``tangential`` is another word.

    Examples
    --------
    Housner's impact leaves no impulse at A:

    >>> from mcrock.planar import rectangle
    >>> impact = block_impact(rectangle(width=1.0, height=2.0), rate=-1.0, e_n21=0.7)
    >>> impact.velocity.round(12), impact.impulse.round(12) + 0.0, impact.consistent
    (array([ 0.7 ,  0.35, -0.7 ]), array([0.85, 0.  ]), True)
    """
    for name, value in (("e_n1", e_n1), ("e_n21", e_n21)):
        Number("1").check(name, value)
    if tangential not in TANGENTIAL:
        raise ValueError(f"tangential must be one of {', '.join(TANGENTIAL)}, got {tangential!r}")
    if tangential == "coulomb" and friction is None:
        raise ValueError("tangential = 'coulomb' needs the coefficient of friction")
    if tangential == "et3":
        if e_t3 is None:
            raise ValueError("tangential = 'et3' needs the coefficient e_t3")
        Number("1").check("e_t3", e_t3)
    mu = inf if friction is None else coefficient("friction", friction, 0.0, inf)
    problem = block_problem(block, rate, speed, mu)
    before = problem.velocity
    width, height = block.width, 2.0 * block.com_height
    after_rate = (e_n21 - e_n1) * rate
    total = -0.5 * block.mass * width * (1.0 + e_n1 + e_n21) * rate
    sticking = block.mass * (-block.com_height * after_rate - before[0])
    bound = mu * total if total > 0.0 else 0.0  # no push, no friction
    if tangential == "frictionless":
        impulse = 0.0
    elif tangential == "sticking":
        impulse = sticking
    elif tangential == "coulomb":
        impulse = min(max(sticking, -bound), bound)
    else:
        assert e_t3 is not None  # checked above
        impulse = -block.mass * (1.0 + e_t3) * before[0]
    twist = (2.0 / width) * (block.inertia * (after_rate - rate) - 0.5 * height * impulse)
    velocity = np.array([before[0] + impulse / block.mass, -0.5 * width * (e_n1 + e_n21) * rate, after_rate])
    assert problem.tangents is not None  # one for each corner
    slip = problem.tangents[:, 0, 0]
    return problem.outcome(
        velocity,
        np.array([0.5 * (total + twist), 0.5 * (total - twist)]),
        friction=bool(abs(impulse) <= bound + TOLERANCE * (abs(impulse) + abs(total))),
        notes={
            "tangential_impulse": float(impulse),
            "slip_before": float(slip @ before),
            "slip_after": float(slip @ velocity),
        },
    )


def least_friction(block: PlanarBlock, e_n21: float) -> float:
    """Coefficient of friction that keeps a rocking block from slipping in an impact, (30) [1].

    (l/L)(1 - e_n21)/(1 + e_n21). At Housner's ratio of a homogeneous block it is 3 l L/(4 l^2 + L^2).

    Raises
    ------
    ValueError
        If e_n21 is not above -1, where nothing presses on the ground.
    """
    Number("1").check("e_n21", e_n21)
    if e_n21 <= -1.0:
        raise ValueError(f"e_n21 must be above -1, got {e_n21:g}: nothing presses the block on the ground")
    return aspect_of(block) * abs(1.0 - e_n21) / (1.0 + e_n21)
