"""Collisions of one contact in the plane of impulses, and of a chain of balls.

Chatterjee, A., Ruina, A. (1998). A new algebraic rigid-body collision law based on impulse space
considerations. Journal of Applied Mechanics 65(4), 939-951, figures 3 to 8: four conditions bound the
permissible impulses, no gain of energy, no approach left, no pull, friction. Laws with one coefficient reach
a curve of them, that of Chatterjee and Ruina an area; the law of Whittaker leaves the region.

Brogliato, B., Zhang, H., Liu, C. (2012), section 7; see `mcrock.laws.brogliato_2012`. The impact at one end
of a chain reaches all contacts at once, and the balls can leave it in many ways that conserve momentum and
lose no energy: two of three coefficients of four balls stay open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, inf, isinf, pi, radians, sin
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from mcrock.base.checks import Integer, Number
from mcrock.laws.brogliato_2012 import generalized_kinematic, post_impact_ellipsoid
from mcrock.laws.final_slip import smith, two_phase, whittaker
from mcrock.laws.impulse_space import chatterjee_ruina, inner_impulse, region_outline, routh
from mcrock.laws.problem import ContactProblem, ImpactResult, SingleContact, coefficient, finite_array
from mcrock.laws.systems.system import label_axes, numbers, system_dataset
from mcrock.show import style

LAWS: dict[str, Callable[..., ImpactResult]] = {
    "routh": routh,
    "two_phase": two_phase,
    "whittaker": whittaker,
    "smith": smith,
}
LOOKS = {  # in the order in which they are drawn
    "smith": (style.GREEN, "-", 1.3, "Smith"),
    "whittaker": (style.ORANGE, "-", 2.6, "Whittaker"),
    "two_phase": (style.PURPLE, "--", 1.6, "two phases"),
    "routh": (style.BLUE, ":", 1.6, "Routh"),
}
NORMAL = np.array([1.0, 0.0])
HINGE_ANGLE = radians(40.0)  # of the pendulum from the vertical
OUTLINE = 721  # points of an outline
LARGE = 1e9  # friction that stands for the limit of growing friction [1]
END_OF_APPROACH = "impulse that ends the approach without friction"  # long name
FAR = 6.0  # where endless outlines are cut off, over the length of P_II [1]


class Case(NamedTuple):
    """A collision of the paper."""

    figure: int
    mass: tuple[float, float, float] | None  # M11, M12, M22 along the normal and the tangent; None: pendulum
    velocity: tuple[float, float]  # normal and tangential [m/s]
    friction: float
    words: str  # what the figure shows


CASES = {
    "construction": Case(
        3,
        (1.5, -0.8, 1.0),
        (-1.0, -1.1),
        0.6,
        "The ellipse of impulses that conserve energy has its centre at P_II, which ends all motion. Its "
        "points with a horizontal tangent lie on the line of sticking, those with a vertical one on the line "
        "of maximum compression, which passes through P_I, the plastic impulse without friction; 2 P_I is "
        "elastic. The region is inside the ellipse, above the line of maximum compression and between the "
        "friction lines. Where e = 1 meets the line of sticking, outside the ellipse, is what Whittaker's "
        "law gives.",
    ),
    "generic": Case(
        4,
        (1.5, -0.8, 1.0),
        (-1.0, -1.1),
        0.6,
        "The mass couples the directions. Laws with one coefficient reach curves of the region, that of "
        "Chatterjee and Ruina the shaded area; Whittaker's law leaves the region and gains energy.",
    ),
    "diagonal": Case(
        5,
        (1.0, 0.0, 2.0 / 7.0),
        (-1.0, -1.0),
        0.25,
        "A sphere: the mass does not couple the directions. Routh, two phases and Whittaker are one law, and "
        "that of Chatterjee and Ruina is the bilinear law; beyond the line of sticking it reverses the slip.",
    ),
    "grazing": Case(
        6,
        (1.0, 0.85, 1.0),
        (0.0, -1.0),
        1.8,
        "Nothing approaches, but friction presses the contact together where the mass couples the "
        "directions. Laws of kinematic restitution stay on the line of maximum compression; Routh's law and "
        "that of two phases rebound.",
    ),
    "infinite_friction": Case(
        7,
        (1.2, -0.9, 1.3),
        (-0.6, -1.0),
        inf,
        "Friction has no limit, and the friction lines become the tangential axis. P_II is below it: a "
        "collision without slip and rebound would have to pull. The law of Chatterjee and Ruina stops at "
        "the axis, that of Routh (drawn for large friction) moves along it.",
    ),
    "unbounded": Case(
        8,
        None,
        (-sin(HINGE_ANGLE), -cos(HINGE_ANGLE)),
        1.4,
        "The tip of a hinged rod meets the ground: along the rod nothing can move, the ellipse becomes a "
        "strip without end. Routh's law ends all motion for any coefficient, by an impulse that differs "
        "along the rod only. Whittaker's law has no solution but the dead one, its impulse grows without "
        "end; that of Chatterjee and Ruina stays bounded and rebounds.",
    ),
}


def collision(
    case: str = "generic",
    *,
    mass: Sequence[float] | None = None,
    velocity: Sequence[float] | None = None,
    friction: float | None = None,
) -> SingleContact:
    """A plane collision in the axes (normal, tangential), one of the paper's or a variation of it.

    Parameters
    ----------
    case : str
        A name of `CASES`.
    mass : sequence of 3 floats, optional
        M11, M12, M22 [kg]; that of the pendulum in the case "unbounded" is fixed.
    velocity : sequence of 2 floats, optional
        Normal and tangential velocity [m/s]; of the pendulum the normal one times the ratio of its hinge.
    friction : float, optional
        Coefficient [1].

    Raises
    ------
    ValueError
        If the case is unknown or a value outside its domain.
    """
    if case not in CASES:
        raise ValueError(f"case must be one of {', '.join(CASES)}; got {case!r}")
    known = CASES[case]
    v = known.velocity if velocity is None else tuple(numbers("velocity", velocity, Number("m/s"), 2))
    mu = known.friction if friction is None else coefficient("friction", friction, 0.0, inf)
    if known.mass is None:
        if mass is not None:
            raise ValueError("mass: that of the case 'unbounded' is fixed, a rod of 3 kg and 1 m on a hinge")
        tip = np.array([sin(HINGE_ANGLE), cos(HINGE_ANGLE)])  # velocity of the tip over the spin [m]
        return SingleContact.of_inverse(np.outer(tip, tip), np.array(v), NORMAL, mu)
    a, b, c = known.mass if mass is None else numbers("mass", mass, Number("kg"), 3)
    return SingleContact(np.array([[a, b], [b, c]]), np.array(v), NORMAL, mu)


def compute_permissible_region(
    *,
    case: str = "generic",
    mass: Sequence[float] | None = None,
    velocity: Sequence[float] | None = None,
    friction: float | None = None,
    points: int = 41,
) -> xr.Dataset:
    """Permissible region of a plane collision with the impulses that each law reaches.

    Parameters
    ----------
    case : str
        "construction" (figure 3 of the paper), "generic" (4), "diagonal" (5), "grazing" (6),
        "infinite_friction" (7), "unbounded" (8).
    mass, velocity, friction
        Instead of those of the case, see `collision`.
    points : int
        Values of the coefficient of restitution from 0 to 1.

    Returns
    -------
    Dataset
        Impulses [N s] along ``component``: ``region``, ``ellipse``, ``area`` (the law of Chatterjee and
        Ruina) as outlines, ``reach`` (law, restitution) with ``energy_change`` [J] and ``permissible``,
        ``sticking``, ``compression`` and ``lines``. Missing where a law has no solution.
    """
    contact = collision(case, mass=mass, velocity=velocity, friction=friction)
    restitution = np.linspace(0.0, 1.0, Integer(2, 100_000).check("points", points))
    known, mu = CASES[case], contact.friction
    far = FAR * float(np.linalg.norm(contact.sticking))
    if far == 0.0:
        raise ValueError("velocity must not be zero: there is no collision")
    reach, gain, good = _reach(contact, restitution)
    region = region_outline(contact, _inner(contact), OUTLINE, far)
    words = "infinite" if mu == inf else f"{mu:g}"
    return system_dataset(
        f"Permissible impulses, {case.replace('_', ' ')} collision",
        f"{known.words} Velocity before {contact.velocity[0]:g} m/s normal and "
        f"{contact.velocity[1]:g} m/s tangential, friction {words}. After Chatterjee and Ruina "
        f"(1998), figure {known.figure}.",
        {
            "region": ("outline component", region, "N s", "impulse"),
            "ellipse": ("outline component", _ellipse(contact, far), "N s", "impulse"),
            "area": ("edge component", _area(contact), "N s", "impulse"),
            "reach": ("law restitution component", reach, "N s", "impulse"),
            "energy_change": ("law restitution", gain, "J", "change of energy"),
            "permissible": ("law restitution", good, "1", "whether all conditions hold"),
            "sticking": ("component", contact.sticking, "N s", "impulse that ends all motion"),
            "compression": ("component", contact.compression, "N s", END_OF_APPROACH),
            "lines": ("line end component", _lines(contact, far), "N s", "impulse"),
            "restitution": ("restitution", restitution, "1", "coefficient of restitution"),
            "component": ("component", ["normal", "tangential"]),
            "law": ("law", list(LAWS)),
            "line": ("line", ["maximum_compression", "sticking", "full_restitution"]),
        },
        case=case,
        figure=known.figure,
        friction=float(mu),
        velocity=contact.velocity.tolist(),
    )


def _inner(contact: SingleContact) -> np.ndarray:
    """A permissible impulse from which the outline is drawn [N s]."""
    if contact.friction > 0.0 and contact.velocity[0] < 0.0:
        return inner_impulse(contact)
    plastic = chatterjee_ruina(contact, restitution=0.0, tangential_restitution=0.0)
    return plastic.impulse + 0.5 * contact.compression


def _ellipse(contact: SingleContact, far: float) -> np.ndarray:
    """Impulses that conserve energy, or are ``far`` from its middle (outline, 2) [N s]."""
    angles = np.linspace(0.0, 2.0 * pi, OUTLINE)
    ways = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    bend = np.einsum("ij,jk,ik->i", ways, contact.inverse, ways)
    lengths = np.sqrt(2.0 * contact.energy / np.maximum(bend, 2.0 * contact.energy / far**2))
    return contact.sticking + lengths[:, None] * ways


def _area(contact: SingleContact, n: int = 30) -> np.ndarray:
    """Outline of what the law of two coefficients reaches (edge, 2) [N s]."""
    up = np.linspace(0.0, 1.0, n)
    along = np.linspace(-1.0, 1.0, n)
    pairs = [(e, -1.0) for e in up] + [(1.0, et) for et in along]
    pairs += [(e, 1.0) for e in up[::-1]] + [(0.0, et) for et in along[::-1]]
    return np.array(
        [chatterjee_ruina(contact, restitution=e, tangential_restitution=et).impulse for e, et in pairs]
    )


def _reach(contact: SingleContact, restitution: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Impulses [N s] and changes of energy [J] of every law, and whether they are permissible."""
    shape = (len(LAWS), len(restitution))
    reach, gain, good = np.full((*shape, 2), np.nan), np.full(shape, np.nan), np.zeros(shape, bool)
    # for infinite friction Routh's law sticks at once, as it need not in the limit that the paper draws
    limit = SingleContact.of_inverse(
        contact.inverse, contact.velocity, contact.normal, min(contact.friction, LARGE)
    )
    for i, law in enumerate(LAWS.values()):
        for j, e in enumerate(restitution):
            try:
                impact = law(limit if law is routh else contact, restitution=e)
            except ValueError:
                if contact.mass is None:  # the law has no solution for an unbounded mass
                    continue
                raise
            reach[i, j], gain[i, j], good[i, j] = impact.impulse, impact.energy_change, impact.consistent
    return reach, gain, good


def _lines(contact: SingleContact, far: float) -> np.ndarray:
    """Ends of the lines of maximum compression, of sticking and of e = 1 (line, end, 2) [N s]."""
    w = contact.inverse
    level = np.array([-w[0, 1], w[0, 0]]) / np.hypot(w[0, 1], w[0, 0])
    sticking = np.array([w[1, 1], -w[0, 1]]) / np.hypot(w[1, 1], w[0, 1])
    starts = (contact.sticking, contact.sticking, 2.0 * contact.compression)
    ways = (level, sticking, level)
    return np.array([[start - far * way, start + far * way] for start, way in zip(starts, ways, strict=True)])


LINES = {
    "maximum_compression": ("--", "maximum compression"),
    "sticking": ("-.", "sticking"),
    "full_restitution": (":", "$e = 1$"),
}


def draw_permissible_region(ds: xr.Dataset) -> Axes:
    """The region, the energy ellipse and the impulses that each law reaches."""
    ax = style.new_axes(height=98.0)
    across, up = ds.sel(component="tangential"), ds.sel(component="normal")
    ax.add_patch(
        Polygon(
            np.column_stack([across["region"], up["region"]]),
            facecolor="0.9",
            edgecolor="none",
            label="permissible",
        )
    )
    ax.plot(across["ellipse"], up["ellipse"], color="0.35", linewidth=0.8, label="no loss of energy")
    _draw_friction(ax, ds)
    if ds.attrs["case"] == "construction":
        _draw_construction(ax, ds)
    else:
        _draw_laws(ax, ds)
    ax.plot(0.0, 0.0, marker="o", markersize=3.0, color="black")
    _name_point(ax, 0.0, 0.0, "O", (-9, -9))
    _name_point(ax, float(across["sticking"]), float(up["sticking"]), "$P_{II}$", (6, -5))
    ax.set_aspect("equal")
    _frame(ax, ds)
    label_axes(ax, "Tangential impulse [N s]", "Normal impulse [N s]")
    style.figure_of(ax).legend(loc="outside upper left", ncols=3, handlelength=1.8, columnspacing=1.2)
    style.add_note(ax, _note(ds))
    return ax


def _draw_friction(ax: Axes, ds: xr.Dataset) -> None:
    """Friction lines from the origin."""
    mu, far = ds.attrs["friction"], float(np.abs(ds["lines"]).max())
    for side in (-1.0, 1.0):
        x, y = (side * far, 0.0) if isinf(mu) else (side * mu * far, far)
        label = "friction" if side > 0.0 else None
        ax.plot([0.0, x], [0.0, y], color=style.GREY, linewidth=0.8, label=label)


def _draw_construction(ax: Axes, ds: xr.Dataset) -> None:
    """Lines and points from which the region is built."""
    for name, (line, words) in LINES.items():
        ends = ds["lines"].sel(line=name)
        x, y = ends.sel(component="tangential"), ends.sel(component="normal")
        ax.plot(x, y, color=style.BLUE, linestyle=line, linewidth=1.0, label=words)
    along, up = (float(ds["compression"].sel(component=name)) for name in ("tangential", "normal"))
    _name_point(ax, along, up, "$P_I$", (-14, -4))
    _name_point(ax, 2.0 * along, 2.0 * up, "$2P_I$", (-3, 5))
    along, up = (float(ds["sticking"].sel(component=name)) for name in ("tangential", "normal"))
    _name_point(ax, 2.0 * along, 2.0 * up, "$2P_{II}$", (4, 2))


def _draw_laws(ax: Axes, ds: xr.Dataset) -> None:
    """What each law reaches: an area for two coefficients, a curve for one."""
    area = ds["area"]
    outline = np.column_stack([area.sel(component="tangential"), area.sel(component="normal")])
    ax.add_patch(
        Polygon(outline, facecolor=style.SKY, alpha=0.45, edgecolor="none", label="Chatterjee and Ruina")
    )
    ax.add_patch(Polygon(outline, facecolor="none", edgecolor=style.SKY, linewidth=1.2, joinstyle="round"))
    for law, (colour, line, width, words) in LOOKS.items():
        curve = ds["reach"].sel(law=law)
        x, y = curve.sel(component="tangential").values, curve.sel(component="normal").values
        if not np.isfinite(x).any():
            continue
        ax.plot(x, y, color=colour, linestyle=line, linewidth=width, label=words)
        found = np.flatnonzero(np.isfinite(x))
        first, last = found[0], found[-1]
        ax.plot(x[first], y[first], marker="o", markersize=3.5, color=colour, markerfacecolor="white")
        if last > first:
            ax.plot(x[last], y[last], marker="o", markersize=3.5, color=colour)


def _name_point(ax: Axes, x: float, y: float, words: str, offset: tuple[int, int]) -> None:
    ax.plot(x, y, marker="o", markersize=2.5, color="black")
    ax.annotate(words, (float(x), float(y)), xytext=offset, textcoords="offset points", fontsize=7.0)


def _frame(ax: Axes, ds: xr.Dataset) -> None:
    """Limits around the region and the laws; around the ellipse too, if it is to be built."""
    shown = [ds["area"], ds["reach"].stack(point=("law", "restitution")), ds["sticking"]]
    endless = ds.attrs["case"] == "unbounded"
    if not endless:
        shown += [ds["region"], ds["ellipse"]]
    limits = []
    for name in ("tangential", "normal"):
        values = np.concatenate([np.ravel(part.sel(component=name)) for part in shown] + [[0.0]])
        low, high = np.nanmin(values), np.nanmax(values)
        limits.append((low, high, high - low))
    margin = (0.35 if endless else 0.06) * max(span for _, _, span in limits)
    (left, right, _), (low, high, _) = limits
    ax.set_xlim(left - margin, right + margin)
    ax.set_ylim(low - margin, high + margin)


def _note(ds: xr.Dataset) -> str:
    normal, tangential = ds.attrs["velocity"]
    mu = "infinite" if isinf(ds.attrs["friction"]) else f"{ds.attrs['friction']:g}"
    words = [
        f"Before the collision {normal:.3g} m/s along the normal and {tangential:.3g} m/s along the tangent; "
        f"friction {mu}."
    ]
    if ds.attrs["case"] != "construction":
        words.append("Curves: restitution from 0 (open circle) to 1 (dot).")
        missing = [
            LOOKS[str(law)][3] for law in ds["law"].values if not np.isfinite(ds["reach"].sel(law=law)).all()
        ]
        if missing:
            words.append(f"No solution for some coefficients: {', '.join(missing)}.")
        wild = [
            LOOKS[str(law)][3]
            for law in ds["law"].values
            if float(ds["energy_change"].sel(law=law).max()) > 1e-9 * float(np.abs(ds["energy_change"]).max())
        ]
        if wild:
            words.append(f"Gains energy: {', '.join(wild)}.")
    return " ".join(words)


CHAIN_CASES = ("first", "second")
CHAIN_WORDS = (
    "All contacts touch, so the impact acts at once in all of them. The map shows which velocities of "
    "separation the energy allows: all inside the solid line, which they reach without loss; the dashed "
    "line is the condition that the source prints for equal balls, which lets energy grow where it lies "
    "outside. Momentum is conserved and no contact pulls for any of them, so the energy alone does not say "
    "which one comes."
)
PRINTED = "sum of squares of the printed condition over its limit"  # long name, as the next
SEPARATION = "velocity of separation after the impact"
CHAIN_GRID = 161  # velocities along each axis of the map


def chain_problem(masses: Sequence[float], velocities: Sequence[float]) -> ContactProblem:
    """Balls in a line that touch each other, just before an impact.

    Parameters
    ----------
    masses : sequence of float
        Of two or more balls [kg].
    velocities : sequence of float
        Along the line [m/s].

    Raises
    ------
    ValueError
        If there are fewer than two balls, a mass is not positive, or the numbers of both differ.
    """
    balls = finite_array("masses", masses)
    if balls.ndim != 1 or len(balls) < 2 or not np.all(balls > 0.0):
        raise ValueError(f"masses must be those of two or more balls, positive [kg], got {masses!r}")
    speeds = finite_array("velocities", velocities, balls.shape)
    return ContactProblem(np.diag(balls), np.diff(np.eye(len(balls)), axis=0).T, speeds)


def chain_impact(masses: Sequence[float], velocities: Sequence[float], normal: np.ndarray) -> ImpactResult:
    """Impact of a chain by the generalized kinematic law.

    Parameters
    ----------
    masses, velocities : sequence of float
        Of n balls [kg], [m/s].
    normal : ndarray (n - 1, n - 1)
        E_n of the velocities normalized in the kinetic metric, gamma_i sqrt(m_i m_i+1/(m_i + m_i+1)). For
        equal balls they are those of the relative velocities gamma_i themselves [1].

    Returns
    -------
    ImpactResult
        Velocities of the balls [m/s], impulses of the contacts [N s]: (59), (63) for four equal balls.

    Raises
    ------
    ValueError
        As `chain_problem`, or if the matrix has another shape.
    """
    return generalized_kinematic(chain_problem(masses, velocities), normal=normal)


def before_impact(balls: int, case: str) -> np.ndarray:
    """Velocities before the impact of section 7 [m/s]: the first ball comes with 1 m/s ("first" case), or
    the last one meets it with 2 m/s as well ("second").

    Raises
    ------
    ValueError
        If there are fewer than three balls, or the case is another word.
    """
    if balls < 3:
        raise ValueError(f"the chain needs three or more balls, got {balls}")
    if case not in CHAIN_CASES:
        raise ValueError(f"case must be 'first' or 'second', got {case!r}")
    velocities = np.zeros(balls)
    velocities[0] = 1.0
    if case == "second":
        velocities[-1] = -2.0
    return velocities


def compute_ball_chain(
    masses: Sequence[float] = (1.0, 1.0, 1.0, 1.0), case: str = "first", restitution: float = 1.0
) -> xr.Dataset:
    """Admissible velocities after the impact of a chain, and three outcomes.

    Parameters
    ----------
    masses : sequence of float
        Of three or more balls [kg].
    case : str
        "first": the first ball hits the others at rest with 1 m/s. "second": the last one comes from the
        other side with 2 m/s too.
    restitution : float
        e of the two outcomes by a law, 0 to 1 [1].

    Returns
    -------
    Dataset
        ``energy`` and ``printed`` (vertical, horizontal): the kinetic energy of the relative motion after the
        impact over that before, and the same by the printed conditions (60), (61). ``velocity`` (outcome,
        ball), ``impulse`` (outcome, contact), ``energy_change`` and ``consistent`` (outcome).
    """
    e = coefficient("restitution", restitution, 0.0, 1.0)
    balls = finite_array("masses", masses)
    problem = chain_problem(balls.tolist(), before_impact(balls.size, case).tolist())
    approach = -problem.normal_velocity
    m = len(approach)
    axes = (1, m - 1) if case == "first" and m > 2 else (0, m - 1)
    axis = np.linspace(0.0, 1.25 * float(np.linalg.norm(approach)), CHAIN_GRID)
    energy, printed = _energies(problem, axis, axes)
    outcomes = {
        "each contact by itself": generalized_kinematic(problem, normal=e * np.eye(m)),
        "passed to the other end": generalized_kinematic(problem, normal=e * np.eye(m)[::-1]),
        "on the printed limit": _by_rates(problem, _printed_limit(approach, axes, case)),
    }
    names = [f"{i + 1}-{i + 2}" for i in range(m)]

    def of(name: str) -> list[Any]:
        return [getattr(result, name) for result in outcomes.values()]

    held = " and ".join(names[i] for i in range(m) if i not in axes)
    return system_dataset(
        f"Chain of {m + 1} balls, {case} impact",
        f"{_before_words(problem.velocity)} {CHAIN_WORDS}"
        + (f" Contact {held} stays closed." if held else "")
        + " Brogliato, Zhang and Liu (2012), section 7, (59) to (63), Fig. 6.",
        {
            "energy": ("vertical horizontal", energy, "1", "relative kinetic energy after over before"),
            "printed": ("vertical horizontal", printed, "1", PRINTED),
            "velocity": ("outcome ball", of("velocity"), "m s-1", "velocity after the impact"),
            "velocity_before": ("ball", problem.velocity, "m s-1", "velocity before the impact"),
            "relative_velocity": ("outcome contact", of("normal_velocity"), "m s-1", SEPARATION),
            "impulse": ("outcome contact", of("impulse"), "N s", "impulse of the contact"),
            "energy_change": ("outcome", of("energy_change"), "J", "change of kinetic energy"),
            "consistent": ("outcome", of("consistent"), "1", "whether all checks hold"),
            **{
                name: (name, axis, "m s-1", f"velocity of separation of {names[contact]}")
                for name, contact in zip(("vertical", "horizontal"), axes, strict=True)
            },
            "outcome": ("outcome", list(outcomes)),
            "ball": ("ball", np.arange(1, m + 2)),
            "contact": ("contact", names),
        },
        axes=[names[i] for i in axes],
    )


def _energies(
    problem: ContactProblem, axis: np.ndarray, axes: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Energy after over before for velocities of separation of two contacts, and the printed condition."""
    rates = np.zeros((CHAIN_GRID, CHAIN_GRID, len(problem.normal_velocity)))
    rates[..., axes[0]], rates[..., axes[1]] = axis[:, None], axis[None, :]
    ellipsoid = post_impact_ellipsoid(problem)
    energy = np.einsum("...i,ij,...j->...", rates, ellipsoid.shape, rates) / ellipsoid.level
    return energy, (rates**2).sum(axis=2) / float(np.linalg.norm(problem.normal_velocity)) ** 2


def _printed_limit(approach: np.ndarray, axes: tuple[int, int], case: str) -> np.ndarray:
    """Velocities of separation on the limit |w|^2 = |approach|^2 of (60), (61) as printed."""
    rates = np.zeros(len(approach))
    rates[list(axes[:1] if case == "first" and len(approach) > 2 else axes)] = 1.0
    return rates * np.linalg.norm(approach) / np.linalg.norm(rates)


def _by_rates(problem: ContactProblem, rates: np.ndarray) -> ImpactResult:
    """The impact that leads to given velocities of separation."""
    return problem.result(np.linalg.solve(problem.delassus, rates - problem.normal_velocity))


def _before_words(velocities: np.ndarray) -> str:
    words = f"The first of {len(velocities)} balls comes with {velocities[0]:g} m/s"
    if velocities[-1] < 0.0:
        return f"{words} and the last one meets it with {-velocities[-1]:g} m/s; the others rest."
    return f"{words}; the others rest."


CHAIN_LOOKS = ((style.BLUE, "o"), (style.GREEN, "s"), (style.RED, "^"))


def draw_ball_chain(ds: xr.Dataset) -> Axes:
    """What the energy allows after the impact of a chain, and the velocities of three outcomes."""
    figure = style.new_figure(style.PAGE, 88.0)
    ax, balls = figure.subplots(1, 2, width_ratios=[1.0, 1.15])
    x, y = ds["horizontal"].values, ds["vertical"].values
    ax.contourf(x, y, ds["energy"].values, levels=[0.0, 1.0], colors=[style.BLUE], alpha=0.25)
    for name, colour, line in (("energy", style.BLUE, "-"), ("printed", style.ORANGE, "--")):
        ax.contour(x, y, ds[name].values, levels=[1.0], colors=[colour], linestyles=[line], linewidths=1.3)
    axes = ds.attrs["axes"]
    others = [name for name in ds["contact"].values if name not in axes]
    numbers = ds["ball"].values
    balls.plot(numbers, ds["velocity_before"], "_", color="0.35", markersize=9.0, label="before the impact")
    handles = [
        Line2D([], [], color=style.BLUE, label="no energy is lost"),
        Line2D([], [], color=style.ORANGE, linestyle="--", label="limit as printed"),
    ]
    count = ds.sizes["outcome"]
    for place, (outcome, (colour, marker)) in enumerate(zip(ds["outcome"].values, CHAIN_LOOKS, strict=True)):
        one = ds.sel(outcome=outcome)
        rates = one["relative_velocity"]
        if not np.abs(rates.sel(contact=others).values).max(initial=0.0) > 1e-9:
            place_in_plane = [rates.sel(contact=name) for name in axes[::-1]]
            ax.plot(*place_in_plane, marker, color=colour, clip_on=False, zorder=3)
        shift = 0.13 * (place - 0.5 * (count - 1))
        change = float(one["energy_change"])
        words = "no loss" if abs(change) < 1e-9 else f"{change:+.3g} J"
        balls.plot(numbers + shift, one["velocity"], marker, color=colour, label=f"{outcome}, {words}")
    balls.axhline(0.0, color=style.GREY, linewidth=0.6, zorder=0)
    balls.set_xticks(numbers)
    balls.set_xlabel("Ball")
    label_axes(balls, y="Velocity [m/s]", legend=1)
    label_axes(ax, ds["horizontal"], ds["vertical"], legend=1, handles=handles)
    ax.set_aspect("equal")
    held = f", contact {' and '.join(others)} closed" if others else ""
    style.add_note(
        ax,
        f"{ds.attrs['title']}. Left: velocities with which the contacts open{held}; shaded: allowed by the "
        "energy. Momentum and the sign of the impulses allow all of them. Right: three outcomes, each a "
        "mark on the left where it lies in the plane; the last one is allowed by the printed condition.",
    )
    return ax
