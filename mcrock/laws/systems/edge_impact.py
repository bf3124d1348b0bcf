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
from matplotlib.axes import Axes
from scipy.spatial.transform import Rotation

from mcrock.base.checks import Number
from mcrock.base.units import variable
from mcrock.body import cuboid
from mcrock.impact.varkonyi_2022 import edge_energy_roots, edge_map
from mcrock.laws.systems.block_3d import UP, packed
from mcrock.laws.systems.drawing import draw_levels, label_axes, numbers
from mcrock.show import style

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
    tilt = Number("rad").check("tilt", tilt)
    most = Number("N m s", above=0.0).check("largest_tau", largest_tau)
    spin = numbers("spins", spins, Number("rad/s"))
    turn = Rotation.from_euler("y", tilt).as_matrix()
    theta = packed(turn @ body.inertia @ turn.T)
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
            "omega": variable(
                "axis lambda tau", np.moveaxis(omega, -1, 0), "rad s-1", "angular velocity after the impact"
            ),
            "tau_low": variable("spin place", ends[..., 0], "N m s", "least tau that gains no energy"),
            "tau_high": variable("spin place", ends[..., 1], "N m s", "largest tau that gains no energy"),
            "least_lambda": variable("spin", least, "1", "least lambda at which some tau gains no energy"),
            "lambda": variable("lambda", place, "1", "lambda"),
            "place": variable("place", wide, "1", "lambda"),
            "tau": variable("tau", tau, "N m s", "tau"),
            "axis": ("axis", ["x, across the edge", "y, along the edge", "z, vertical"]),
            "spin": ("spin", named),
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


LOOKS = ((style.BLUE, "-"), (style.ORANGE, "--"), (style.GREEN, "-."), (style.PURPLE, ":"))
TAU_LABEL = r"$\tau$ [$10^{-3}$ N m s]"


@style.styled
def plot(ds: xr.Dataset) -> Axes:
    """Draw Fig. 9 and Fig. 13 of the source.

    Parameters
    ----------
    ds : Dataset
        From `example`.

    Returns
    -------
    Axes
        The first of four panels.
    """
    figure = style.new_figure(style.PAGE, 132.0)
    upper, lower = figure.subfigures(2, 1, height_ratios=[1.0, 1.15], squeeze=False)[:, 0]
    panels = upper.subplots(1, 3, sharey=True)
    scale = 1e3  # of tau: it is small
    for ax, name, letter in zip(panels, ds["axis"].values, "xyz", strict=True):
        values = ds["omega"].sel(axis=name).values
        draw_levels(ax, ds["lambda"], scale * ds["tau"], values.T)
        ax.set_title(rf"Fig. 9: $\omega^+_{letter}$ [rad/s]")
        label_axes(ax, r"$\lambda$ [1]")
    label_axes(panels[0], y=TAU_LABEL)
    ax = lower.subplots()
    for spin, (colour, line) in zip(ds["spin"].values, LOOKS * len(ds["spin"]), strict=False):
        x, low, high = _curve(ds.sel(spin=spin))
        ax.plot(x, scale * low, color=colour, linestyle=line, label=rf"$\{spin.replace(' rad/s', '$ rad/s')}")
        ax.plot(x, scale * high, color=colour, linestyle=line)
    for end in (-1.0, 1.0):
        ax.axvline(end, color=style.GREY, linestyle=(0, (1, 2)), linewidth=0.9)
    ax.axhline(0.0, color="0.85", linewidth=0.6, zorder=0)
    ax.set_xlim(float(ds["place"][0]), float(ds["place"][-1]))
    ax.set_title(r"Fig. 13: no energy is gained to the right of a curve, $\omega^- = (1, c, \omega_z)$")
    label_axes(ax, r"Position of the impulse along the edge, $\lambda$ [1]", TAU_LABEL)
    ax.legend(loc="upper left", title="Before the impact")
    style.add_note(
        panels[0],
        f"{ds.attrs['title']}. After Várkonyi et al. (2022), Figs. 9 and 13. Top: angular velocity after the "
        "impact; before it (1, 0, 0) rad/s. Bottom: an impulse on the edge lies between the dotted lines, "
        "(25).",
    )
    return panels[0]


def _curve(ds: xr.Dataset) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places and both ends of tau, closed at the least lambda."""
    low, high, x = ds["tau_low"].values, ds["tau_high"].values, ds["place"].values
    there = np.isfinite(low)
    middle = 0.5 * (low[there][0] + high[there][0])  # both ends meet: a double root
    start = float(ds["least_lambda"])
    return tuple(np.r_[first, values[there]] for first, values in ((start, x), (middle, low), (middle, high)))
