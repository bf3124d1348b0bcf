"""Rocking block in three dimensions: its edge and facet impacts seen as a generalized kinematic law.

The impact maps of the rocking model give the motion after an impact from the place of the resultant impulse.
The same impacts have coefficients in the generalized law: 0 of the corners that land, and off the diagonal
one for each corner that leaves. They are not material constants: they depend on the position of the impulse,
on the shape of the block and, in an edge impact, on the direction in which the block turns.

Várkonyi, P. L., Kocsis, M., Ther, T. (2022), see `mcrock.impact.varkonyi_2022`; Brogliato, B., Zhang, H.,
Liu, C. (2012), see `mcrock.laws.brogliato_2012`, remark 7 for the plane.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from scipy.linalg import null_space
from scipy.spatial.transform import Rotation

from mcrock.base.checks import Number
from mcrock.base.units import variable
from mcrock.body import Body, cuboid
from mcrock.impact.varkonyi_2022 import edge_map, facet_map, facet_point
from mcrock.laws.brogliato_2012 import coefficients_of, generalized_kinematic
from mcrock.laws.problem import ContactProblem, ImpactResult, coefficient, finite_array
from mcrock.laws.systems.drawing import label_axes
from mcrock.show import style

UP = (0.0, 0.0, 1.0)
IMPACTS = {  # names of the corners
    "facet": ("old edge, first end", "old edge, second end", "new edge, first end", "new edge, second end"),
    "edge": ("old pivot", "new pivot"),
}
POINTS = 41  # places of the impulse in the example
OUTSIDE = 1e-9  # by which an impulse may miss the base, relative to its size [1]


class MappedImpact(NamedTuple):
    """An impact of the rocking model, and the coefficients of the generalized law that lead to it."""

    problem: ContactProblem  # contact 0 lands, the others leave or stay
    velocity: np.ndarray  # by the map: of the COM and angular, ground axes (6,) [m/s], [rad/s]
    normal: np.ndarray  # E_n (m, m) [1]
    tangential: np.ndarray  # E_tan (6 - m, 6 - m) [1]
    result: ImpactResult  # by the generalized law
    corners: tuple[int, ...]  # of the base, in the order of the contacts
    point: np.ndarray  # R, where the resultant impulse acts, from the COM in ground axes (3,) [m]

    @property
    def tangential_ratio(self) -> float:
        """Length of the tangential velocity after the impact over that before, in the kinetic metric [1]."""
        notes = self.result.notes
        return float(np.linalg.norm(notes["tangential_after"]) / np.linalg.norm(notes["tangential_before"]))


def spatial_problem(
    mass: float, inertia: np.ndarray, corners: np.ndarray, pivot: np.ndarray, rate: np.ndarray
) -> ContactProblem:
    """A rigid body on level ground that turns about a point of it which does not slip.

    Parameters
    ----------
    mass : float
        [kg].
    inertia : ndarray (3, 3)
        About the centre of mass (COM), ground axes [kg m2].
    corners : ndarray (m, 3)
        Corners on the ground, from the COM in ground axes [m]: the contacts, each with tangents along x, y.
    pivot : ndarray (3,)
        The point that is at rest, from the COM in ground axes [m].
    rate : ndarray (3,)
        Angular velocity, ground axes [rad/s].

    Returns
    -------
    ContactProblem
        In the velocity of the COM and the angular velocity, ground axes.
    """
    corners = finite_array("corners", corners)
    matrix = np.zeros((6, 6))
    matrix[:3, :3], matrix[3:, 3:] = mass * np.eye(3), inertia
    frames = [np.vstack([np.eye(3), _cross_matrix(corner)]) for corner in corners]  # v + w x r
    return ContactProblem(
        mass=matrix,
        directions=np.stack([frame[:, 2] for frame in frames], axis=1),
        velocity=np.concatenate([np.cross(pivot, rate), rate]),
        tangents=np.stack([frame[:, :2] for frame in frames], axis=1),
        friction=inf,
    )


def edge_impact(
    body: Body, edge: int, tilt: float, rate: Sequence[float], lambda_: float, tau: float = 0.0
) -> MappedImpact:
    """Landing of a base edge of a tilted body that has turned about the first end of this edge.

    Parameters
    ----------
    body : Body
    edge : int
        Of the base, from corner ``edge`` to the next one.
    tilt : float
        About the edge [rad].
    rate : sequence of 3 float
        Angular velocity about the edge, about the horizontal across it (positive: the edge comes down) and
        about the vertical [rad/s].
    lambda_, tau : float
        Parameters of the map: position of the impulse from the old end (-1) to the new one (1) [1], angular
        impulse about the vertical [N m s].

    Returns
    -------
    MappedImpact
        Contact 0 is the end that lands, contact 1 the old pivot.

    Raises
    ------
    ValueError
        If the edge does not come down, or there is no such edge.
    """
    old, new = _ends(body, edge)
    along = body.base[new] - body.base[old]
    along = along / np.linalg.norm(along)
    turn = Rotation.from_rotvec(tilt * along).as_matrix()
    inertia = turn @ body.inertia @ turn.T
    b, a = turn @ body.base[old], turn @ body.base[new]
    omega = np.column_stack([along, np.cross(UP, along), UP]) @ finite_array("rate", rate, (3,))
    after = np.array(
        edge_map(body.mass, packed(inertia), tuple(b), tuple(a), tuple(omega), UP, float(lambda_), float(tau))
    )
    problem = spatial_problem(body.mass, inertia, np.array([a, b]), b, omega)
    if not problem.normal_velocity[0] < 0.0:
        raise ValueError("the edge must come down: the second component of the rate must be positive")
    return _mapped(problem, a, after, (new, old), b + 0.5 * (1.0 + lambda_) * (a - b))


def facet_impact(
    body: Body, edge: int, rate: float, lambda_lon: float, lambda_lat: float = 0.0
) -> MappedImpact:
    """Landing of a rectangular base that has turned about one of its edges, without spin after it.

    Parameters
    ----------
    body : Body
        A cuboid, its centre of mass (COM) where it may be.
    edge : int
        About which it turned, from corner ``edge`` to the next one.
    rate : float
        Angular velocity about the edge, positive: the base comes down [rad/s].
    lambda_lon, lambda_lat : float
        Place of the impulse from the old edge (-1) to the opposite one (1), and along it [1].

    Returns
    -------
    MappedImpact
        Contact 0 is a corner that lands and stays, contacts 1 and 2 are the ends of the old edge. The
        fourth corner follows from the three, and the impulses of the result are those of the three alone,
        which may have to pull where the fourth could push: `corner_impulses` shares them among all four.

    Raises
    ------
    ValueError
        If the rate is not positive, or the map has no solution for this position of the impulse.
    """
    if len(body.base) != 4:
        raise ValueError(f"the base must be a rectangle, got one of {len(body.base)} corners")
    if not (np.isfinite(rate) and rate > 0.0):
        raise ValueError(f"the rate must be finite and positive, as the base comes down, got {rate!r}")
    first, last = _ends(body, edge)
    corners = np.ascontiguousarray(body.base[:, :2])
    height = body.com_height
    along = body.base[last] - body.base[first]
    omega = -rate * along / np.linalg.norm(along)
    point = facet_point(corners, 0, 4, edge, float(lambda_lon), float(lambda_lat))
    b = body.base[first]
    vertical = float(np.cross(b, omega)[2])
    w_x, w_y, pivot, _ = facet_map(
        body.mass, compliance(body), corners, 0, 4, tuple(omega[:2]), vertical, point
    )
    if pivot < 0:
        raise ValueError(
            f"lambda_lon = {lambda_lon:g}, lambda_lat = {lambda_lat:g}: no corner can carry the motion after "
            "this impact"
        )
    order = (int(pivot), first, last)
    problem = spatial_problem(body.mass, body.inertia, body.base[list(order)], b, omega)
    after = np.array([w_x, w_y, 0.0])
    return _mapped(problem, body.base[pivot], after, order, np.array([*point, -height]))


def corner_impulses(
    corners: np.ndarray, point: np.ndarray, total: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vertical impulses of the corners of a rectangular base with a given resultant.

    They are not unique: a rigid base does not say how it presses. All splits differ by a multiple of one
    that presses at two opposite corners and pulls at the others.

    Parameters
    ----------
    corners : ndarray (4, 2)
        Corners of the base in order [m].
    point : ndarray (2,)
        Place of the resultant [m].
    total : float
        Resultant [N s].

    Returns
    -------
    split, low, high : ndarray (4,)
        The split of least squares, and the least and the largest impulse of each corner over all splits
        that pull nowhere [N s].

    Raises
    ------
    ValueError
        If the place is outside the base or the resultant pulls.
    """
    corners = finite_array("corners", corners, (4, 2))
    if not total >= 0.0:
        raise ValueError(f"the resultant impulse must not pull, got {total:g} N s")
    centre, size = corners.mean(axis=0), np.ptp(corners)
    balance = np.vstack([np.ones(4), (corners - centre).T / size])
    right = np.array([1.0, *(np.asarray(point, float) - centre) / size])
    share = np.linalg.lstsq(balance, right, rcond=None)[0]
    free = null_space(balance)[:, 0]
    limits = -share / free
    low, high = limits[free > 0.0].max(), limits[free < 0.0].min()
    if low > high + OUTSIDE:
        raise ValueError(f"the impulse acts outside the base, at {tuple(np.round(point, 6).tolist())} m")
    ends = share + np.outer([min(max(0.0, low), high), low, high], free)
    split, *sides = np.maximum(ends, 0.0)  # what is below is rounding
    return total * split, total * np.min(sides, axis=0), total * np.max(sides, axis=0)


def example(
    impact: str = "facet",
    width: float = 0.4,
    depth: float = 0.6,
    height: float = 1.2,
    mass: float = 576.0,
    lambda_lat: float = 0.0,
    tau: float = 0.0,
    tilt: float = 0.1,
    roll: float = 0.0,
    spin: float = 0.0,
) -> xr.Dataset:
    """Coefficients, energy and corner impulses of an impact, for every position of the impulse.

    Parameters
    ----------
    impact : str
        "facet": the block turned about the edge of its ``depth`` on the right, at 1 rad/s, and lands on its
        base. "edge": it turned about a corner and lands on this edge.
    width, depth, height : float
        [m].
    mass : float
        [kg].
    lambda_lat : float
        Place of the impulse along the edge in a facet impact, -1 to 1 [1].
    tau : float
        Angular impulse about the vertical in an edge impact [N m s].
    tilt : float
        About the edge in an edge impact [rad].
    roll, spin : float
        Angular velocity about the edge and about the vertical before an edge impact, beside 1 rad/s with
        which the edge comes down [rad/s].

    Returns
    -------
    Dataset
        Over ``lambda``, the position of the impulse, as far as a motion follows: ``coefficient``
        (corner, lambda), ``tangential_ratio``, ``energy_ratio`` of the map and ``law_energy_ratio`` of the
        law, ``difference`` of their velocities, ``impulse``, ``impulse_low``, ``impulse_high`` (corner,
        lambda).

    Raises
    ------
    ValueError
        If a parameter is outside its range.
    """
    if impact not in IMPACTS:
        raise ValueError(f"impact must be 'facet' or 'edge', got {impact!r}")
    body = cuboid(width, depth, height, mass=mass)
    lat = coefficient("lambda_lat", lambda_lat, -1.0, 1.0)
    places = np.linspace(0.0, 1.0, POINTS)
    if impact == "facet":
        impacts = _facet_impacts(body, places, lat)
        places = places[: len(impacts)]
    else:
        tilt = Number("rad").check("tilt", tilt)
        rates = (Number("rad/s").check("roll", roll), 1.0, Number("rad/s").check("spin", spin))
        moment = Number("N m s").check("tau", tau)
        impacts = [edge_impact(body, 0, tilt, rates, lambda_, moment) for lambda_ in places]
    return xr.Dataset(
        _variables(body, impacts, IMPACTS[impact])
        | {
            "lambda": variable("lambda", places, "1", "position of the impulse, 0 middle, 1 at the new side"),
            "corner": ("corner", list(IMPACTS[impact])),
        },
        attrs={
            "title": f"{impact.capitalize()} impact of a block of {width:g} m x {depth:g} m x {height:g} m",
            "description": _describe(impact),
            "impact": impact,
        },
    )


def _variables(body: Body, impacts: Sequence[MappedImpact], corners: Sequence[str]) -> dict[str, Any]:
    """Numbers of the impacts, over the position of the impulse."""
    coefficients = np.full((len(corners), len(impacts)), np.nan)
    impulses = np.zeros((3, len(corners), len(impacts)))
    for i, found in enumerate(impacts):
        coefficients[list(found.corners), i] = found.normal[:, 0]
        impulses[:, :, i] = _impulses(body, found, len(corners))
    energy = np.array([found.problem.energy for found in impacts])
    tangential = [found.tangential_ratio for found in impacts]
    mapped = [0.5 * found.velocity @ found.problem.mass @ found.velocity for found in impacts]
    by_law = [found.result.energy_change for found in impacts]
    speed = [_metric_norm(found, found.velocity - found.result.velocity) for found in impacts]
    apart = speed / np.sqrt(2.0 * energy)
    return {
        "coefficient": variable(
            "corner lambda", coefficients, "1", "coefficient of the corner, of what the landing one brings"
        ),
        "tangential_ratio": variable("lambda", tangential, "1", "tangential velocity after over before"),
        "energy_ratio": variable(
            "lambda", mapped / energy, "1", "kinetic energy after over before, impact map"
        ),
        "law_energy_ratio": variable(
            "lambda", 1.0 + by_law / energy, "1", "kinetic energy after over before, generalized law"
        ),
        "difference": variable(
            "lambda", apart, "1", "difference of map and law over the velocity, kinetic metric"
        ),
        "impulse": variable(
            "corner lambda", impulses[0], "N s", "vertical impulse of the corner, least squares"
        ),
        "impulse_low": variable("corner lambda", impulses[1], "N s", "least vertical impulse of the corner"),
        "impulse_high": variable(
            "corner lambda", impulses[2], "N s", "largest vertical impulse of the corner"
        ),
    }


def _facet_impacts(body: Body, places: np.ndarray, lambda_lat: float) -> list[MappedImpact]:
    """Impacts up to the first position of the impulse after which no corner can carry the motion."""
    impacts: list[MappedImpact] = []
    for lambda_ in places:
        try:
            impacts.append(facet_impact(body, 0, 1.0, lambda_, lambda_lat))
        except ValueError:
            if not impacts:
                raise
            break
    return impacts


def _describe(impact: str) -> str:
    both = (
        "The impact map and the generalized kinematic law with these coefficients give the same velocity: "
        "0 for the corner that lands and stays, and off the diagonal one coefficient for each corner that "
        "leaves. "
    )
    if impact == "facet":
        return (
            f"{both}For an impulse in the middle between the sides (lambda_lat = 0) it is the velocity ratio "
            "of the planar block, and the tangential velocity keeps the same share. The base is rigid, so "
            "its four corners share the impulse in many ways: the bands hold all of them that pull nowhere. "
            "Várkonyi, Kocsis and Ther (2022), (21), (24); Brogliato, Zhang and Liu (2012), remark 7."
        )
    return (
        f"{both}In three dimensions the coefficient is not a property of the block: it changes with the "
        "tilt and with a spin before the impact (try roll, spin, tilt). The position of the impulse on the "
        "edge is the share of its two ends. Várkonyi, Kocsis and Ther (2022), (19), (20); Brogliato, Zhang "
        "and Liu (2012), remark 7."
    )


def _impulses(body: Body, found: MappedImpact, count: int) -> np.ndarray:
    """Vertical impulses of the corners (split, low, high) (3, count) [N s]."""
    if len(found.corners) == 2:
        values = np.zeros(count)
        values[list(found.corners)] = found.result.impulse
        return np.array([values, values, values])
    total = float(found.result.notes["momentum"][2])
    return np.array(corner_impulses(body.base[:, :2], found.point[:2], total))


def _mapped(
    problem: ContactProblem, pivot: np.ndarray, rate: np.ndarray, corners: tuple[int, ...], point: np.ndarray
) -> MappedImpact:
    velocity = np.concatenate([np.cross(pivot, rate), rate])
    normal, tangential, basis = coefficients_of(problem, velocity)
    result = generalized_kinematic(problem, normal=normal, tangential=tangential, basis=basis)
    return MappedImpact(problem, velocity, normal, tangential, result, corners, point)


def _metric_norm(found: MappedImpact, velocity: np.ndarray) -> float:
    return float(np.sqrt(velocity @ found.problem.mass @ velocity))


def _ends(body: Body, edge: int) -> tuple[int, int]:
    count = len(body.base)
    if not 0 <= edge < count:
        raise ValueError(f"edge must be one of the base, 0 to {count - 1}, got {edge!r}")
    return edge, (edge + 1) % count


def _cross_matrix(vector: np.ndarray) -> np.ndarray:
    """[r] with [r] u = r x u; column j is r x e_j."""
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def compliance(body: Body) -> tuple[float, ...]:
    """(xx, xy, yy) of the inverse inertia about the foot of the centre of mass, as the facet map reads it."""
    inverse = np.linalg.inv(body.inertia[:2, :2] + body.mass * body.com_height**2 * np.eye(2))
    return tuple(inverse[np.triu_indices(2)].tolist())


def packed(inertia: np.ndarray) -> tuple[float, ...]:
    """(xx, xy, xz, yy, yz, zz), as the impact maps read it."""
    return tuple(inertia[np.triu_indices(3)].tolist())


COLOURS = (style.BLUE, style.ORANGE, style.GREEN, style.PURPLE)
LINES = ("-", "--", "-.", ":")


@style.styled
def plot(ds: xr.Dataset) -> Axes:
    """Draw coefficients and energy ratio, and the impulses of the corners.

    Parameters
    ----------
    ds : Dataset
        From `example`.

    Returns
    -------
    Axes
        The first of two panels.
    """
    figure = style.new_figure(style.PAGE, 88.0)
    first, ax = figure.subplots(1, 2)
    x = ds["lambda"].values
    looks = list(zip(ds["corner"].values, COLOURS, LINES, strict=False))
    for corner, colour, line in looks:
        values = ds["coefficient"].sel(corner=corner).values
        if np.isfinite(values).any() and np.nanmax(np.abs(values)) > 1e-9:
            first.plot(x, values, color=colour, linestyle=line, label=f"coefficient, {corner}")
    first.plot(
        x,
        ds["tangential_ratio"],
        ".",
        color=style.GREY,
        markevery=4,
        clip_on=False,
        label="tangential velocity ratio",
    )
    first.plot(x, ds["energy_ratio"], color="black", linewidth=0.8, label="kinetic energy ratio")
    for corner, colour, line in looks:
        one = ds.sel(corner=corner)
        ax.plot(x, one["impulse"], color=colour, linestyle=line, label=corner)
        if float(np.abs(one["impulse_high"] - one["impulse_low"]).max()) > 0.0:
            ax.fill_between(x, one["impulse_low"], one["impulse_high"], color=colour, alpha=0.12, linewidth=0)
    ax.set_ylim(bottom=min(0.0, float(ds["impulse_low"].min())))
    for panel, label in ((first, "After over before [1]"), (ax, "Vertical impulse of a corner [N s]")):
        panel.set_xlim(x[0], x[-1])
        label_axes(panel, ds["lambda"], label, legend=1)
    bands = " Bands: all splits that pull at no corner; lines: the one of least squares." * (
        ds.attrs["impact"] == "facet"
    )
    style.add_note(
        first,
        f"{ds.attrs['title']}. Left: coefficients with which the generalized kinematic law gives the "
        f"velocity of the impact map; corners not shown stay or land with 0.{bands}",
    )
    return first
