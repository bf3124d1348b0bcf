"""Impact of a planar rocking block: what its corners receive for every coefficient e_n21.

The block turns about its left corner and lands with the right one. The coefficient e_n21 of the corner that
leaves is the velocity ratio of rocking. The example shows the impulses of both corners and the energy for
corners without friction, corners that stick, and Coulomb's friction, the coefficients that are admissible,
and how many coefficients of a rebound the energy leaves open.

Brogliato, B., Zhang, H., Liu, C. (2012), sections 3.3, 3.4, 3.6 and 5; see `mcrock.laws.block_domains`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from mcrock.laws.block_domains import (
    aspect_of,
    inertia_ratio,
    rebound_margins,
    sliding_domain,
    sticking_domain,
)
from mcrock.laws.block_impact import block_impact, block_problem, least_friction
from mcrock.laws.problem import ImpactResult
from mcrock.laws.systems.parameters import quantity
from mcrock.planar.block import PlanarBlock, rectangle
from mcrock.planar.restitution import housner_1963

MOTIONS = {"frictionless": "no friction", "sticking": "corners stick", "coulomb": "Coulomb friction"}
POINTS = 201  # coefficients from 0 to 1
GRID = 201  # coefficients of a rebound along each axis


def example(
    height: float = 2.0,
    width: float = 1.0,
    mass: float = 1.0,
    friction: float = 0.3,
    rate: float = -1.0,
    speed: float | None = None,
) -> xr.Dataset:
    """Impulses and energy of a block for every coefficient e_n21, and the coefficients of a rebound.

    Parameters
    ----------
    height, width : float
        l and L [m].
    mass : float
        [kg].
    friction : float
        Coefficient mu of both corners, may be infinite [1].
    rate : float
        Angular velocity before the impact, negative [rad/s].
    speed : float, optional
        Horizontal velocity of the centre of mass before the impact; without it the block does not slip
        before [m/s].

    Returns
    -------
    Dataset
        Over (motion, e_n21): ``landing`` and ``leaving``, impulses of the corners [N s], ``energy_ratio``
        [1], ``slip`` after [m/s] and ``consistent``. Over ``motion``: ``low``, ``high``, the coefficients
        that pass all checks [1]. Over (e_n1, rebound): ``loss``, ``landing_push``, ``leaving_push``, the
        margins of `mcrock.laws.block_domains.rebound_margins` if nothing slips after the impact; below 0
        they are not admissible.

    Raises
    ------
    ValueError
        If a parameter is outside its range.
    """
    block = rectangle(
        quantity("width", width, "m", above=0.0),
        quantity("height", height, "m", above=0.0),
        quantity("mass", mass, "kg", above=0.0),
    )
    rate = quantity("rate", rate, "rad/s")
    if not rate < 0.0:
        raise ValueError(f"the rate must be negative, as the right corner comes down [rad/s], got {rate!r}")
    speed = None if speed is None else quantity("speed", speed, "m/s")
    coefficients = np.linspace(0.0, 1.0, POINTS)
    before = block_problem(block, rate, speed).energy
    impacts = [
        [
            block_impact(block, rate, speed, e_n21=e, tangential=motion, friction=friction)
            for e in coefficients
        ]
        for motion in MOTIONS
    ]

    def table(value: Callable[[ImpactResult], Any]) -> np.ndarray:
        return np.array([[value(found) for found in row] for row in impacts])

    consistent = table(lambda found: found.consistent)
    passing = [coefficients[row] for row in consistent]
    # the ellipse without slip after the impact, e_t3 = e_n1 - e_n21, reaches this far in both
    a, k = aspect_of(block), inertia_ratio(block)
    reach = 0.5 * np.sqrt((1.0 + k + a * a) * (1.0 + 1.0 / (k + a * a)))
    axis = np.linspace(-1.1 * reach, 1.1 * reach, GRID)
    e_n1, rebound = np.meshgrid(axis, axis, indexing="ij")
    loss, landing_push, leaving_push = rebound_margins(block, e_n1, rebound, e_n1 - rebound)
    over = ("motion", "e_n21")
    plane = ("e_n1", "rebound")
    return xr.Dataset(
        {
            "landing": (over, table(lambda f: f.impulse[0]), _attrs("N s", "impulse of the landing corner")),
            "leaving": (over, table(lambda f: f.impulse[1]), _attrs("N s", "impulse of the leaving corner")),
            "energy_ratio": (
                over,
                1.0 + table(lambda f: f.energy_change) / before,
                _attrs("1", "kinetic energy after over before"),
            ),
            "slip": (
                over,
                table(lambda f: f.notes["slip_after"]),
                _attrs("m s-1", "horizontal velocity of the corners after"),
            ),
            "consistent": (over, consistent, _attrs("1", "whether all checks hold")),
            "low": ("motion", [_end(row, 0) for row in passing], _attrs("1", "least admissible e_n21")),
            "high": ("motion", [_end(row, -1) for row in passing], _attrs("1", "largest admissible e_n21")),
            "loss": (plane, loss, _attrs("1", "energy lost in a rebound")),
            "landing_push": (plane, landing_push, _attrs("1", "impulse of the landing corner in a rebound")),
            "leaving_push": (plane, leaving_push, _attrs("1", "impulse of the leaving corner in a rebound")),
        },
        coords={
            "motion": list(MOTIONS.values()),
            "e_n21": ("e_n21", coefficients, _attrs("1", "coefficient e_n21 of the corner that leaves")),
            "e_n1": ("e_n1", axis, _attrs("1", "coefficient e_n1 of the corner that lands")),
            "rebound": ("rebound", axis, _attrs("1", "coefficient e_n21 of the corner that leaves")),
        },
        attrs={
            "title": f"Impact of a block of height {height:g} m and width {width:g} m",
            "description": _describe(block, friction),
            "housner": housner_1963(block),
        },
    )


def _describe(block: PlanarBlock, friction: float) -> str:
    sliding, sticking = sliding_domain(block), sticking_domain(block, friction)
    return (
        "The block has turned about its left corner and lands with the right one, which stays on the "
        "ground; e_n21 is what the left one gets, the velocity ratio of rocking. Corners without friction "
        f"admit e_n21 from {sliding[0]:.4g} to 1: below, the left corner would have to be pulled. Corners "
        f"that stick by a friction of {friction:g} admit {sticking[0]:.4g} to 1, and Housner's value is "
        f"{housner_1963(block):.4g} and needs a friction of "
        f"{least_friction(block, max(housner_1963(block), 0.0)):.4g}. With Coulomb's law the corners "
        "slip where that is not enough. With rebound of the right corner the energy allows all coefficients "
        "within an ellipse, of which the checks leave the shaded part: the coefficients are not unique. "
        "Brogliato, Zhang and Liu (2012), sections 3.3, 3.4, 3.6.2, 3.6.3 and 5, (29) to (35) and (51) to "
        "(55)."
    )


def _end(values: np.ndarray, index: int) -> float:
    return float(values[index]) if len(values) else np.nan


def _attrs(units: str, name: str) -> dict[str, str]:
    return {"units": units, "long_name": name}
