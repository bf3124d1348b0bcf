"""Edge impact of a tilted block: what its parameters do to the motion, and which of them gain energy.

The block has turned about a corner and lands on the edge beside it. lambda says where along the edge the
impulse acts, tau is its angular impulse about the vertical. lambda sets how much is lost of the angular
velocity across the edge; tau turns the block about the vertical and, where it is tilted, about the edge.

Várkonyi, P. L., Kocsis, M., Ther, T. (2022), Figs. 9 and 13, equations (19), (20) and (26); see
`mcrock.impact.varkonyi_2022`. "h = 20 cm" of Fig. 9 is read as the height of the centre of mass, as section 2
has it: then its block is that of Fig. 13. The ranges of the axes and the velocities of Fig. 13 are chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import isnan, pi

import numpy as np
import xarray as xr
from scipy.spatial.transform import Rotation

from mcrock.body import cuboid
from mcrock.impact.varkonyi_2022 import edge_energy_roots, edge_map
from mcrock.laws.systems.parameters import quantities, quantity

UP = (0.0, 0.0, 1.0)
POINTS = 81  # of each axis of the map
CURVE = 241  # places of the impulse on a curve
OLD, NEW = 1, 0  # corners of the base: the edge at the largest x
REACH = 2.0  # of lambda, beyond both ends of the edge, to which energy is balanced [1]


def example(
    width: float = 0.1,
    depth: float = 0.1,
    height: float = 0.4,
    mass: float = 1.0,
    tilt: float = 5.0 * pi / 180.0,
    largest_tau: float = 0.002,
    spins: Sequence[float] = (0.0, 1.0, -1.0),
) -> xr.Dataset:
    """Angular velocity after the impact over both parameters, and where no energy is gained.

    Parameters
    ----------
    width, depth, height : float
        The edge that lands has the length ``depth`` [m].
    mass : float
        [kg].
    tilt : float
        About this edge, to the side on which it is [rad].
    largest_tau : float
        Angular impulses from minus this one to it [N m s].
    spins : sequence of float
        Angular velocities about the vertical before the impact, beside 1 rad/s with which the edge comes
        down, for the balance of energy [rad/s].

    Returns
    -------
    Dataset
        ``omega`` (axis, lambda, tau) after (1, 0, 0) rad/s, as in Fig. 9; ``tau_low`` and ``tau_high`` (spin,
        place) between which no energy is gained, nan where there is none, and ``least_lambda`` (spin), from
        which on there is one, as in Fig. 13.

    Raises
    ------
    ValueError
        If a parameter is outside its range.
    """
    body = cuboid(width, depth, height, mass=mass)
    tilt = quantity("tilt", tilt, "rad")
    most = quantity("largest_tau", largest_tau, "N m s", above=0.0)
    spin = quantities("spins", spins, "rad/s")
    turn = Rotation.from_euler("y", tilt).as_matrix()
    theta = tuple((turn @ body.inertia @ turn.T)[np.triu_indices(3)].tolist())
    old, new = (tuple((turn @ body.base[corner]).tolist()) for corner in (OLD, NEW))
    place, tau = np.linspace(-1.0, 1.0, POINTS), np.linspace(-most, most, POINTS)
    before = (1.0, 0.0, 0.0)
    omega = np.array(
        [[edge_map(body.mass, theta, old, new, before, UP, float(x), float(t)) for t in tau] for x in place]
    )

    def roots(speed: float, at: float) -> tuple[float, float]:
        low, high = edge_energy_roots(body.mass, theta, old, new, (1.0, 0.0, speed), UP, at)
        return float(low), float(high)

    least = [_least(partial(roots, speed)) for speed in spin]
    wide = np.linspace(-REACH, REACH, CURVE)
    ends = np.array([[roots(speed, float(at)) for at in wide] for speed in spin])
    named = [f"omega_z = {speed:g} rad/s" for speed in spin]
    return xr.Dataset(
        {
            "omega": (
                ("axis", "lambda", "tau"),
                np.moveaxis(omega, -1, 0),
                {"units": "rad s-1", "long_name": "angular velocity after the impact"},
            ),
            "tau_low": (
                ("spin", "place"),
                ends[..., 0],
                {"units": "N m s", "long_name": "least tau that gains no energy"},
            ),
            "tau_high": (
                ("spin", "place"),
                ends[..., 1],
                {"units": "N m s", "long_name": "largest tau that gains no energy"},
            ),
            "least_lambda": (
                "spin",
                least,
                {"units": "1", "long_name": "least lambda at which some tau gains no energy"},
            ),
        },
        coords={
            "axis": ["x, across the edge", "y, along the edge", "z, vertical"],
            "spin": named,
            "lambda": ("lambda", place, {"units": "1", "long_name": "lambda"}),
            "place": ("place", wide, {"units": "1", "long_name": "lambda"}),
            "tau": ("tau", tau, {"units": "N m s", "long_name": "tau"}),
        },
        attrs={
            "title": f"Edge impact of a block of {width:g} x {depth:g} x {height:g} m, {mass:g} kg, "
            f"tilted by {np.rad2deg(tilt):.3g} deg",
            "description": "The block has turned about a corner at 1 rad/s and lands on the edge beside it. "
            "Várkonyi et al. (2022), Fig. 9: its angular velocity after the impact, over the place lambda of "
            "the impulse and its angular impulse tau about the vertical. Fig. 13: parameters that gain no "
            "energy, to the right of each curve, for several angular velocities about the vertical before. "
            "The angular velocity along the edge changes nothing in it, nor does a common factor, by which "
            "tau grows too.",
        },
    )


def _least(roots: Callable[[float], tuple[float, float]]) -> float:
    """The lambda below which every tau gains energy."""
    low, high = -REACH, 1.0  # tau = 0 gains nothing at 1
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if isnan(roots(middle)[0]) else (low, middle)
    return high
