"""Facet impact of a block: which corner it goes on about, and what its parameters do to the motion.

The block has turned about an edge of its base and lands on the base. lambda_lon and lambda_lat say where on
the base the impulse acts, tau is its angular impulse about the vertical. With a given tau a place of the
impulse has one outcome, none or two. If instead the block does not spin after the impact, (24), every place
on the base of a slender block has exactly one.

Várkonyi, P. L., Kocsis, M., Ther, T. (2022), Figs. 11 and 12, equations (18) and (21) to (27); see
`mcrock.impact.varkonyi_2022`. "h = 20 cm" is read as the height of the centre of mass, as section 2 has it.
The ranges of the axes and the values of tau in Fig. 11 are chosen here. In the text a positive lambda_lat
leads to V_3; by (21) and its section 5.3 it is V_4, away from the impulse.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from mcrock.base.checks import Number
from mcrock.base.units import variable
from mcrock.body import Body, cuboid
from mcrock.impact.varkonyi_2022 import corner_coefficient, facet_map, facet_point, general_map
from mcrock.laws.systems.block_3d import UP, compliance, packed
from mcrock.laws.systems.drawing import draw_levels, label_axes, numbers
from mcrock.show import style

BEFORE = (0.0, -1.0, 0.0)  # rocking about V_1V_2 [rad/s]
EDGE = 0  # of the base, at the largest x: from V_1 to V_2
POINTS = 90  # of each axis of the regions: even, as a lambda_lat of 0 is the border between two
FINE = 41  # of each axis on the base
NO_SPIN = "no spin after the impact, (24)"
OUTCOMES = ("no solution", "about V_3", "about V_4", "two solutions")
WORDS = (
    "The block has turned about the edge V_1V_2 of its base at 1 rad/s and lands on its base. Várkonyi et "
    "al. (2022), Fig. 11: the corner about which it goes on, over the place of the impulse along its "
    "motion (lambda_lon) and across it (lambda_lat). A given angular impulse tau leaves places without "
    "solution and others with two, condition (24) neither on the base. Fig. 12: angular velocity after the "
    "impact with (24)."
)
SHOWN = (2, 3)  # corners on which the motion goes on: V_3 and V_4
SLACK = 1e-9  # downward speed of a corner that is rounding, of the fastest one before [1]


class Outcomes(NamedTuple):
    """What places of the impulse lead to, one row for each lambda_lon."""

    code: np.ndarray  # (n_lon, n_lat) of `OUTCOMES`
    energy: np.ndarray  # (n_lon, n_lat) change of the kinetic energy [J], the lesser of two; nan if none
    regular: np.ndarray  # (n_lon, n_lat, 2) 0 where the map to V_3 or V_4 is singular, 1 at R in the middle


def example(
    width: float = 0.1,
    depth: float = 0.06,
    height: float = 0.4,
    mass: float = 1.0,
    taus: Sequence[float] = (0.0, -0.002, -0.005),
    reach: float = 6.0,
) -> xr.Dataset:
    """Outcomes over the position of the impulse on and beside the base, and the motion after it.

    Parameters
    ----------
    width, depth, height : float
        The block turned about the edge of its ``depth`` [m].
    mass : float
        [kg].
    taus : sequence of float
        Angular impulses about the vertical, beside the condition (24) [N m s].
    reach : float
        Both lambdas go from minus this number to it; 1 is the end of the base [1].

    Returns
    -------
    Dataset
        ``outcome`` (condition, lambda_lon, lambda_lat), ``energy_change`` and, for the corners V_3 and V_4,
        ``regular``, which is 0 where the map is singular, as in Fig. 11; ``without_solution`` and
        ``two_solutions`` (condition), shares of the places; ``omega`` (axis, lon_on_base, lat_on_base) with
        (24), as in Fig. 12.

    Raises
    ------
    ValueError
        If a parameter is outside its range, or the block is so squat that places on its base have no outcome.
    """
    body = cuboid(width, depth, height, mass=mass)
    reach = Number("1", above=1.0).check("reach", reach)
    given = numbers("taus", taus, Number("N m s"))
    axis = np.linspace(-reach, reach, POINTS)
    conditions: list[float | None] = [None, *given]
    names = [NO_SPIN, *(f"tau = {tau:g} N m s" for tau in given)]
    found = [outcomes(body, axis, axis, tau) for tau in conditions]
    code, energy, regular = (np.array(item) for item in zip(*found, strict=True))
    base = np.linspace(-1.0, 1.0, FINE)
    after, _ = _without_spin(body, _places(body, base, base))
    if np.isnan(after).any():
        raise ValueError(
            f"a block of {width:g} x {depth:g} x {height:g} m is so squat that impulses on its base may have "
            "no outcome without spin; make it higher"
        )
    dims = "condition lambda_lon lambda_lat"
    return xr.Dataset(
        {
            "without_solution": _share(code == 0, "no solution"),
            "two_solutions": _share(code == 3, "two solutions"),
            "outcome": variable(dims, code, "1", f"outcome: {_listed()}"),
            "energy_change": variable(dims, energy, "J", "change of the kinetic energy"),
            "regular": variable(
                f"{dims} corner",
                regular,
                "1",
                "what (18) divides by: 1 at the middle of the base, singular at 0",
            ),
            "omega": variable(
                "axis lon_on_base lat_on_base",
                np.moveaxis(after[..., :2], -1, 0),
                "rad s-1",
                "angular velocity after the impact",
            ),
            "lambda_lon": variable("lambda_lon", axis, "1", "lambda_lon"),
            "lambda_lat": variable("lambda_lat", axis, "1", "lambda_lat"),
            "lon_on_base": variable("lon_on_base", base, "1", "lambda_lon"),
            "lat_on_base": variable("lat_on_base", base, "1", "lambda_lat"),
            "condition": ("condition", names),
            "corner": ("corner", ["V_3", "V_4"]),
            "axis": ("axis", ["x, out of the plane of the motion", "y, in it"]),
        },
        attrs={
            "title": f"Facet impact of a block of {width:g} x {depth:g} x {height:g} m, {mass:g} kg",
            "description": WORDS,
        },
    )


def _share(there: np.ndarray, words: str) -> tuple[list[str], np.ndarray, dict[str, str]]:
    """Share of the places for each condition."""
    return variable(
        "condition", there.mean((1, 2)), "1", f"share of the places of the impulse that have {words}"
    )


def outcomes(body: Body, lon: np.ndarray, lat: np.ndarray, tau: float | None) -> Outcomes:
    """Outcomes of facet impacts, with a given tau [N m s] or, without one, by condition (24)."""
    places = _places(body, lon, lat)
    if tau is None:
        return _outcomes_without_spin(body, places)
    inertia, old = packed(body.inertia), tuple(body.base[0].tolist())
    ends = [tuple(corner) for corner in body.base.tolist()]
    after = np.array(
        [
            [[general_map(body.mass, inertia, tuple(r), old, a, BEFORE, UP, tau) for a in ends] for r in row]
            for row in places.tolist()
        ]
    )
    # vertical speeds of the centre of mass and of each corner, (22) and (23) with positions from that centre
    before = np.array(BEFORE)
    x, y = body.base[:, 0], body.base[:, 1]
    falls = x[0] * before[1] - y[0] * before[0]
    rises = x * after[..., 1] - y * after[..., 0]
    corners = rises[..., None] + after[..., :1] * y - after[..., 1:2] * x
    slack = SLACK * np.abs(falls + before[0] * y - before[1] * x).max()
    feasible = (rises > falls) & (corners >= -slack).all(-1)
    change = np.where(feasible, _energy(body, after) - _energy(body, before)[0], np.inf)
    energy = change.min(-1)
    code = np.where(feasible.sum(-1) > 1, 3, np.where(feasible[..., 2], 1, 2 * feasible[..., 3]))
    return Outcomes(code, np.where(code > 0, energy, np.nan), _determinants(body, places))


def _outcomes_without_spin(body: Body, places: np.ndarray) -> Outcomes:
    about = compliance(body)
    after, pivot = _without_spin(body, places)
    energies = _energy(body, np.repeat(after[..., None, :], 4, -2))
    later = np.take_along_axis(energies, np.maximum(pivot, 0)[..., None], -1)[..., 0]
    regular = [
        [[corner_coefficient(body.mass, about, (r[0], r[1]), *body.base[a, :2]) for a in SHOWN] for r in row]
        for row in places.tolist()
    ]
    energy = np.where(pivot >= 0, later - _energy(body, np.array(BEFORE))[0], np.nan)
    return Outcomes(np.maximum(pivot - 1, 0), energy, np.array(regular))


def _without_spin(body: Body, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Angular velocities (n_lon, n_lat, 3) [rad/s] and pivots by (24); nan and -1 where there is none."""
    corners, about = np.ascontiguousarray(body.base[:, :2]), compliance(body)
    speed = float(corners[0, 0] * BEFORE[1] - corners[0, 1] * BEFORE[0])
    found = np.array(
        [
            [facet_map(body.mass, about, corners, 0, 4, BEFORE[:2], speed, (r[0], r[1])) for r in row]
            for row in places.tolist()
        ]
    )
    pivot = found[..., 2].astype(int)
    after = np.where(pivot[..., None] >= 0, found[..., :3] * [1.0, 1.0, 0.0], np.nan)
    return after, pivot


def _energy(body: Body, omega: np.ndarray) -> np.ndarray:
    """Kinetic energy of turning about each corner of the base, of (..., 4, 3) or (3,) to (..., 4) [J]."""
    square = (body.base**2).sum(-1)[:, None, None] * np.eye(3)
    about = body.inertia + body.mass * (square - body.base[:, :, None] * body.base[:, None, :])
    turning = np.broadcast_to(omega, (*omega.shape[:-2], 4, 3))
    return 0.5 * np.einsum("...ai,aij,...aj->...a", turning, about, turning)


def _determinants(body: Body, places: np.ndarray) -> np.ndarray:
    """Determinants of the matrix that (18) inverts, to V_3 and V_4, over those at the middle of the base."""

    def of(at: np.ndarray) -> np.ndarray:
        new = body.base[list(SHOWN)]
        dot = np.einsum("ai,...i->...a", new, at)[..., None, None] * np.eye(3)
        products = np.einsum("ai,...j->...aij", new, at) - dot  # of the cross-product matrices of both
        return np.linalg.det(body.inertia - body.mass * products)

    return of(places) / of(np.array([0.0, 0.0, -body.com_height]))


def _places(body: Body, lon: np.ndarray, lat: np.ndarray) -> np.ndarray:
    """R from the centre of mass (n_lon, n_lat, 3), (21) [m]."""
    corners = np.ascontiguousarray(body.base[:, :2])
    found = [[(*facet_point(corners, 0, 4, EDGE, x, y), -body.com_height) for y in lat] for x in lon]
    return np.array(found)


def _listed() -> str:
    return ", ".join(f"{code} {words}" for code, words in enumerate(OUTCOMES))


SHADES = ("0.94", style.PALE_BLUE, style.GREEN, style.DEEP_BLUE)  # of `OUTCOMES`


@style.styled
def plot(ds: xr.Dataset) -> Axes:
    """Draw Fig. 11 and Fig. 12 of the source.

    Parameters
    ----------
    ds : Dataset
        From `example`.

    Returns
    -------
    Axes
        The first panel: the outcomes with (24).
    """
    number = ds.sizes["condition"]
    figure = style.new_figure(style.PAGE, 140.0)
    upper, lower = figure.subfigures(2, 1, height_ratios=[1.0, 1.1], squeeze=False)[:, 0]
    panels = np.atleast_1d(upper.subplots(1, number, sharey=True))
    x, y = ds["lambda_lat"].values, ds["lambda_lon"].values
    for ax, name in zip(panels, ds["condition"].values, strict=True):
        one = ds.sel(condition=name)
        ax.pcolormesh(
            x,
            y,
            one["outcome"].values,
            cmap=ListedColormap(SHADES),
            vmin=-0.5,
            vmax=3.5,
            alpha=0.75,
            linewidth=0,
        )
        ax.add_patch(
            Rectangle((-1, -1), 2, 2, fill=False, edgecolor="black", linestyle=(0, (3, 2)), linewidth=0.9)
        )
        energy = one["energy_change"].values
        ax.contour(
            x, y, np.ma.masked_invalid(energy), [0.0], colors="black", linewidths=1.1, linestyles="solid"
        )
        for corner in ds["corner"].values:
            regular = one["regular"].sel(corner=corner).values
            ax.contour(x, y, regular, [0.0], colors="0.25", linewidths=0.8, linestyles="dashdot")
        ax.set_aspect("equal")
        ax.set_title(name.replace(" after the impact", "").replace("tau =", r"$\tau$ ="))
        label_axes(ax, r"$\lambda_\mathrm{lat}$ [1]")
    label_axes(panels[0], y=r"Fig. 11: $\lambda_\mathrm{lon}$ [1]")
    maps = lower.subplots(1, 2, sharey=True)
    for ax, name, letter in zip(maps, ds["axis"].values, "xy", strict=True):
        values = ds["omega"].sel(axis=name).values
        draw_levels(ax, ds["lat_on_base"], ds["lon_on_base"], values)
        ax.set_title(rf"Fig. 12: $\omega^+_{letter}$ [rad/s]")
        label_axes(ax, r"Across the motion, $\lambda_\mathrm{lat}$ [1]")
    label_axes(maps[0], y=r"Along it, $\lambda_\mathrm{lon}$ [1]")
    handles = [
        *(
            Patch(facecolor=colour, alpha=0.75, label=words.replace("V_3", "$V_3$").replace("V_4", "$V_4$"))
            for colour, words in zip(SHADES, OUTCOMES, strict=True)
        ),
        Line2D([], [], color="black", label="no energy gained above"),
        Line2D([], [], color="0.25", linestyle="dashdot", linewidth=0.8, label="singular"),
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=6, handlelength=1.3, columnspacing=1.2)
    style.add_note(
        panels[0],
        f"{ds.attrs['title']}. After Várkonyi et al. (2022), Figs. 11 and 12; before the impact it turned "
        "about $V_1V_2$ at 1 rad/s. Dashed: places on the base, (27). Bottom: angular velocity after the "
        "impact with (24).",
    )
    return panels[0]
