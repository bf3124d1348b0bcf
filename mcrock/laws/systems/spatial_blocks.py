"""Blocks in space: edge and facet impacts, their parameters, and their coefficients in the generalized law.

Várkonyi, P. L., Kocsis, M., Ther, T. (2022), Figs. 9 and 11 to 13, equations (18) to (27); see
`mcrock.impact.varkonyi_2022`. The impact maps give the motion after an impact from the place of the resultant
impulse: lambda along the edge, lambda_lon and lambda_lat on the base, and tau, its angular impulse about the
vertical. "h = 20 cm" is read as the height of the centre of mass, as section 2 has it. Ranges of the axes,
velocities of Fig. 13 and values of tau in Fig. 11 are chosen here. In the text a positive lambda_lat leads to
V_3; by (21) and its section 5.3 it is V_4, away from the impulse.

The same impacts have coefficients in the generalized law of Brogliato, B., Zhang, H., Liu, C. (2012), see
`mcrock.laws.brogliato_2012`, remark 7 for the plane: 0 of the corners that land, and off the diagonal one for
each corner that leaves. They are not material constants: they depend on the position of the impulse, on the
shape of the block and, in an edge impact, on the direction in which the block turns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import inf, isnan, pi
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from scipy.linalg import null_space
from scipy.spatial.transform import Rotation

from mcrock.base.checks import Number
from mcrock.body import Body, cuboid
from mcrock.impact.varkonyi_2022 import (
    corner_coefficient,
    edge_energy_roots,
    edge_map,
    facet_map,
    facet_point,
    general_map,
)
from mcrock.laws.brogliato_2012 import coefficients_of, generalized_kinematic
from mcrock.laws.problem import ContactProblem, ImpactResult, coefficient, finite_array
from mcrock.laws.systems.system import draw_levels, label_axes, numbers, swept, system_dataset
from mcrock.show import style

UP = (0.0, 0.0, 1.0)
IMPACTS = {  # names of the corners
    "facet": ("old edge, first end", "old edge, second end", "new edge, first end", "new edge, second end"),
    "edge": ("old pivot", "new pivot"),
}
# long names of variables
COEFFICIENT = "coefficient of the corner, of what the landing one brings"
TANGENTIAL = "tangential velocity after over before"
OMEGA = "angular velocity after the impact"
PLACES = 41  # places of the impulse in the example
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


def compute_block_3d(
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
    """
    if impact not in IMPACTS:
        raise ValueError(f"impact must be 'facet' or 'edge', got {impact!r}")
    body = cuboid(width, depth, height, mass=mass)
    lat = coefficient("lambda_lat", lambda_lat, -1.0, 1.0)
    places = np.linspace(0.0, 1.0, PLACES)
    if impact == "facet":
        impacts = _facet_impacts(body, places, lat)
        places = places[: len(impacts)]
    else:
        tilt = Number("rad").check("tilt", tilt)
        rates = (Number("rad/s").check("roll", roll), 1.0, Number("rad/s").check("spin", spin))
        moment = Number("N m s").check("tau", tau)
        impacts = [edge_impact(body, 0, tilt, rates, lambda_, moment) for lambda_ in places]
    return system_dataset(
        f"{impact.capitalize()} impact of a block of {width:g} m x {depth:g} m x {height:g} m",
        _describe_law(impact),
        _variables(body, impacts, IMPACTS[impact])
        | {
            "lambda": ("lambda", places, "1", "position of the impulse, 0 middle, 1 at the new side"),
            "corner": ("corner", list(IMPACTS[impact])),
        },
        impact=impact,
    )


def _variables(body: Body, impacts: Sequence[MappedImpact], corners: Sequence[str]) -> dict[str, Any]:
    """Numbers of the impacts, over the position of the impulse."""

    def coefficients(found: MappedImpact) -> np.ndarray:
        values = np.full(len(corners), np.nan)
        values[list(found.corners)] = found.normal[:, 0]
        return values

    def energy_ratio(found: MappedImpact) -> float:
        return float(0.5 * found.velocity @ found.problem.mass @ found.velocity / found.problem.energy)

    def law_energy_ratio(found: MappedImpact) -> float:
        return 1.0 + found.result.energy_change / found.problem.energy

    def difference(found: MappedImpact) -> float:
        apart = found.velocity - found.result.velocity
        return float(np.sqrt(apart @ found.problem.mass @ apart) / np.sqrt(2.0 * found.problem.energy))

    energy = "kinetic energy after over before"
    quantities = {
        "coefficient": ("corner", coefficients, "1", COEFFICIENT),
        "tangential_ratio": ("", lambda found: found.tangential_ratio, "1", TANGENTIAL),
        "energy_ratio": ("", energy_ratio, "1", f"{energy}, impact map"),
        "law_energy_ratio": ("", law_energy_ratio, "1", f"{energy}, generalized law"),
        "difference": ("", difference, "1", "difference of map and law over the velocity, kinetic metric"),
    }
    impulses = np.moveaxis(np.array([_impulses(body, found, len(corners)) for found in impacts]), 0, -1)
    words = {
        "impulse": "vertical impulse of the corner, least squares",
        "impulse_low": "least vertical impulse of the corner",
        "impulse_high": "largest vertical impulse of the corner",
    }
    return swept("lambda", list(impacts), quantities) | {
        name: ("corner lambda", values, "N s", text)
        for (name, text), values in zip(words.items(), impulses, strict=True)
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


def _describe_law(impact: str) -> str:
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


def draw_block_3d(ds: xr.Dataset) -> Axes:
    """Coefficients and energy ratio, and the impulses of the corners."""
    figure = style.new_figure(style.PAGE, 88.0)
    first, ax = figure.subplots(1, 2)
    x = ds["lambda"].values
    looks = list(zip(ds["corner"].values, COLOURS, LINES, strict=False))
    for corner, colour, line in looks:
        values = ds["coefficient"].sel(corner=corner).values
        if np.isfinite(values).any() and np.nanmax(np.abs(values)) > 1e-9:
            first.plot(x, values, color=colour, linestyle=line, label=f"coefficient, {corner}")
    dots = {"color": style.GREY, "markevery": 4, "clip_on": False, "label": "tangential velocity ratio"}
    first.plot(x, ds["tangential_ratio"], ".", **dots)
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


EDGE_POINTS = 81  # of each axis of the map
CURVE = 241  # places of the impulse on a curve
OLD, NEW = 1, 0  # corners of the base: the edge at the largest x
REACH = 2.0  # of lambda, beyond both ends of the edge, to which energy is balanced [1]


def compute_edge_impact(
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
    """
    body = cuboid(width, depth, height, mass=mass)
    tilt = Number("rad").check("tilt", tilt)
    most = Number("N m s", above=0.0).check("largest_tau", largest_tau)
    spin = numbers("spins", spins, Number("rad/s"))
    turn = Rotation.from_euler("y", tilt).as_matrix()
    theta = packed(turn @ body.inertia @ turn.T)
    old, new = (tuple((turn @ body.base[corner]).tolist()) for corner in (OLD, NEW))
    place, tau = np.linspace(-1.0, 1.0, EDGE_POINTS), np.linspace(-most, most, EDGE_POINTS)
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
    return system_dataset(
        f"Edge impact of a block of {width:g} x {depth:g} x {height:g} m, {mass:g} kg, "
        f"tilted by {np.rad2deg(tilt):.3g} deg",
        "The block has turned about a corner at 1 rad/s and lands on the edge beside it. "
        "Várkonyi et al. (2022), Fig. 9: its angular velocity after the impact, over the place lambda of "
        "the impulse and its angular impulse tau about the vertical. Fig. 13: parameters that gain no "
        "energy, to the right of each curve, for several angular velocities about the vertical before. "
        "The angular velocity along the edge changes nothing in it, nor does a common factor, by which "
        "tau grows too.",
        {
            "omega": ("axis lambda tau", np.moveaxis(omega, -1, 0), "rad s-1", OMEGA),
            "tau_low": ("spin place", ends[..., 0], "N m s", "least tau that gains no energy"),
            "tau_high": ("spin place", ends[..., 1], "N m s", "largest tau that gains no energy"),
            "least_lambda": ("spin", least, "1", "least lambda at which some tau gains no energy"),
            "lambda": ("lambda", place, "1", "lambda"),
            "place": ("place", wide, "1", "lambda"),
            "tau": ("tau", tau, "N m s", "tau"),
            "axis": ("axis", ["x, across the edge", "y, along the edge", "z, vertical"]),
            "spin": ("spin", named),
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


def draw_edge_impact(ds: xr.Dataset) -> Axes:
    """Fig. 9 and Fig. 13 of the source."""
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


BEFORE = (0.0, -1.0, 0.0)  # rocking about V_1V_2 [rad/s]
EDGE = 0  # of the base, at the largest x: from V_1 to V_2
FACET_POINTS = 90  # of each axis of the regions: even, as a lambda_lat of 0 is the border between two
# long name
REGULAR = "what (18) divides by: 1 at the middle of the base, singular at 0"
FINE = 41  # of each axis on the base
NO_SPIN = "no spin after the impact, (24)"
OUTCOMES = ("no solution", "about V_3", "about V_4", "two solutions")
FACET_WORDS = (
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


def compute_facet_impact(
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
    """
    body = cuboid(width, depth, height, mass=mass)
    reach = Number("1", above=1.0).check("reach", reach)
    given = numbers("taus", taus, Number("N m s"))
    axis = np.linspace(-reach, reach, FACET_POINTS)
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
    return system_dataset(
        f"Facet impact of a block of {width:g} x {depth:g} x {height:g} m, {mass:g} kg",
        FACET_WORDS,
        {
            "without_solution": _share(code == 0, "no solution"),
            "two_solutions": _share(code == 3, "two solutions"),
            "outcome": (dims, code, "1", f"outcome: {_listed()}"),
            "energy_change": (dims, energy, "J", "change of the kinetic energy"),
            "regular": (f"{dims} corner", regular, "1", REGULAR),
            "omega": ("axis lon_on_base lat_on_base", np.moveaxis(after[..., :2], -1, 0), "rad s-1", OMEGA),
            "lambda_lon": ("lambda_lon", axis, "1", "lambda_lon"),
            "lambda_lat": ("lambda_lat", axis, "1", "lambda_lat"),
            "lon_on_base": ("lon_on_base", base, "1", "lambda_lon"),
            "lat_on_base": ("lat_on_base", base, "1", "lambda_lat"),
            "condition": ("condition", names),
            "corner": ("corner", ["V_3", "V_4"]),
            "axis": ("axis", ["x, out of the plane of the motion", "y, in it"]),
        },
    )


def _share(there: np.ndarray, words: str) -> tuple[Any, ...]:
    """Share of the places for each condition."""
    return ("condition", there.mean((1, 2)), "1", f"share of the places of the impulse that have {words}")


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


def draw_facet_impact(ds: xr.Dataset) -> Axes:
    """Fig. 11 and Fig. 12 of the source."""
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
