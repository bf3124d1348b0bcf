"""The impulses that a plane collision may have, and those that each law of a single contact gives.

A collision is a point in the plane of normal and tangential impulse. Four conditions bound the permissible
ones: no gain of energy, no approach left, no pull, friction. Laws with one coefficient reach a curve of
them, the law of Chatterjee and Ruina an area; the law of Whittaker leaves the region. Figures 3 to 8 of
Chatterjee and Ruina (1998), Journal of Applied Mechanics 65(4), 939-951.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, inf, isinf, pi, radians, sin
from typing import NamedTuple

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.patches import Polygon

from mcrock.base.checks import Integer, Number
from mcrock.base.units import variable
from mcrock.laws.final_slip import smith, two_phase, whittaker
from mcrock.laws.impulse_space import chatterjee_ruina, inner_impulse, region_outline, routh
from mcrock.laws.problem import ImpactResult, SingleContact, coefficient
from mcrock.laws.systems.drawing import label_axes, numbers
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


def example(
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

    Raises
    ------
    ValueError
        If the case is unknown or a value outside its domain.
    """
    contact = collision(case, mass=mass, velocity=velocity, friction=friction)
    restitution = np.linspace(0.0, 1.0, Integer(2, 100_000).check("points", points))
    known, mu = CASES[case], contact.friction
    far = FAR * float(np.linalg.norm(contact.sticking))
    if far == 0.0:
        raise ValueError("velocity must not be zero: there is no collision")
    reach, gain, good = _reach(contact, restitution)
    words = "infinite" if mu == inf else f"{mu:g}"
    return xr.Dataset(
        {
            "region": variable(
                "outline component", region_outline(contact, _inner(contact), OUTLINE, far), "N s", "impulse"
            ),
            "ellipse": variable("outline component", _ellipse(contact, far), "N s", "impulse"),
            "area": variable("edge component", _area(contact), "N s", "impulse"),
            "reach": variable("law restitution component", reach, "N s", "impulse"),
            "energy_change": variable("law restitution", gain, "J", "change of energy"),
            "permissible": variable("law restitution", good, "1", "whether all conditions hold"),
            "sticking": variable("component", contact.sticking, "N s", "impulse that ends all motion"),
            "compression": variable(
                "component", contact.compression, "N s", "impulse that ends the approach without friction"
            ),
            "lines": variable("line end component", _lines(contact, far), "N s", "impulse"),
            "restitution": variable("restitution", restitution, "1", "coefficient of restitution"),
            "component": ("component", ["normal", "tangential"]),
            "law": ("law", list(LAWS)),
            "line": ("line", ["maximum_compression", "sticking", "full_restitution"]),
        },
        attrs={
            "title": f"Permissible impulses, {case.replace('_', ' ')} collision",
            "description": (
                f"{known.words} Velocity before {contact.velocity[0]:g} m/s normal and "
                f"{contact.velocity[1]:g} m/s tangential, friction {words}. After Chatterjee and Ruina "
                f"(1998), figure {known.figure}."
            ),
            "case": case,
            "figure": known.figure,
            "friction": float(mu),
            "velocity": contact.velocity.tolist(),
        },
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


@style.styled
def plot(ds: xr.Dataset) -> Axes:
    """Draw the region, the energy ellipse and the impulses that each law reaches.

    Parameters
    ----------
    ds : Dataset
        From `example`.

    Returns
    -------
    Axes
        Tangential impulse across, normal impulse upwards, to one scale.
    """
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
