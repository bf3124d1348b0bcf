"""Restitution of a planar rocking block: models, and conversions between their parameters.

Every model gives the **velocity ratio** r = (angular velocity after the impact)/(before). It is not
the energy ratio that some papers call r: for a block whose COM is above the middle of its base the
energy ratio is r^2, for others r^2 times the inertia about the new edge over that about the old one
(`energy_ratio`).

The models are those of the review in section 2 of Várkonyi, P. L., Kocsis, M., Ther, T. (2022), Rigid
impacts of three-dimensional rocking structures, Nonlinear Dynamics 107, 1839-1858, where (3) to (6)
are stated for a COM above the middle of the base. With A = I + m h^2 the inertia about the foot of the
COM on the base, x the places of the old and the new edge measured from that foot and x_R the place of
the resultant impulse, the balance of angular momentum about x_R gives for any block

    r = (A + m x_R x_old) / (A + m x_R x_new)                                                   (*)

where x_old < 0 < x_new. With K(x) = A + m x^2, the inertia about a point of the base, and the angles
theta(x) = atan(x sqrt(m/A)), an inelastic impact that moves the pivot from x_1 to x_2 keeps the share
cos^2(theta_2 - theta_1) of the energy, and a smooth convex stretch between them keeps all of it.

``onto`` names the edge about which the block turns after the impact; the two differ only for a COM that
is off centre. A negative ratio says that the rule leaves no rocking about the new edge (squat blocks):
the block comes to rest.

A parameter or ratio beyond the end of its range by rounding, by at most 1e-12 of the larger end, counts
as that end, so that what one conversion returns every other one and every model accepts.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import inf, isfinite, sqrt

import numpy as np

from mcrock.impact import planar as planar_laws
from mcrock.planar.block import SIDES, PlanarBlock

Restitution = str | float | tuple[float, float]  # a model in words, a velocity ratio, or one for each edge

ROUNDING = 1e-12  # excess over the end of a range that is rounding [1]


def housner_1963(block: PlanarBlock, onto: str = "right") -> float:
    """One inelastic impact at the new edge, equation (3): r = (A - m b^2)/(A + m b^2) for half width b.

    1 - 1.5 sin^2(slenderness) for a homogeneous rectangle. Housner, G. W. (1963), The behavior of
    inverted pendulum structures during earthquakes, Bulletin of the Seismological Society of America
    53(2), 403-417; his energy ratio ``r`` is the square.

    >>> from mcrock.planar import rectangle
    >>> round(housner_1963(rectangle(1.0, 2.0)), 12)
    0.7
    """
    return planar_laws.housner_1963(block.about_base, block.mass, *_edges(block, onto))


def kalliontzis_2016(block: PlanarBlock, nu: float, onto: str = "right") -> float:
    """Impact on a base of reduced effective width, equation (4): r = (A - nu^2 m b^2)/(A + nu^2 m b^2).

    ``nu`` is the effective over the true width, 0 to 1. It amounts to a smooth convex strip along both
    edges with a hollow between them that is nu times the width of the base (Fig. 2d of the review), and
    that is how it is carried over to a COM that is off centre. Kalliontzis, D., Sritharan, S., Schultz,
    A. (2016), Improved coefficient of restitution estimation for free rocking members, Journal of
    Structural Engineering 142(12), 06016002.

    Raises
    ------
    ValueError
        If ``nu`` is not from 0 to 1.

    >>> from mcrock.planar import rectangle
    >>> round(kalliontzis_2016(rectangle(1.0, 2.0), nu=0.5), 6)
    0.915493
    """
    nu = _within("nu (effective over true width)", nu, 0.0, 1.0)
    return planar_laws.kalliontzis_2016(block.about_base, block.mass, *_edges(block, onto), float(nu))


def ther_kollar_2017(block: PlanarBlock, onto: str = "right") -> float:
    """Two inelastic impacts, at the middle of the base and at the new edge, (5): r = A/(A + m b^2).

    Ther, T., Kollár, L. P. (2017), Refinement of Housner's model on rocking blocks, Bulletin of
    Earthquake Engineering 15, 2305-2319.

    >>> from mcrock.planar import rectangle
    >>> round(ther_kollar_2017(rectangle(1.0, 2.0)), 12)
    0.85
    """
    return planar_laws.ther_kollar_2017(block.about_base, block.mass, *_edges(block, onto))


def wittich_hutchinson_2018(block: PlanarBlock, points: Sequence[float], onto: str = "right") -> float:
    """Inelastic impacts one after the other on the highest points of an imperfect base.

    r = prod (A + m x_{i-1} x_i)/(A + m x_i^2) over the points from the old to the new edge, assumptions
    H1, H4a and H5 of the review. Without points that is Housner's model, with the middle alone that of
    Ther and Kollár; many points approach r = 1. Wittich, C. E., Hutchinson, T. C. (2018), Rocking bodies
    with arbitrary interface defects, Earthquake Engineering & Structural Dynamics 47(1), 69-85.

    Parameters
    ----------
    block : PlanarBlock
    points : sequence of float
        Places that touch the ground between the edges, in half widths from the middle of the base: -1 is
        the left edge, 1 the right edge [1]. In any order, without the edges.
    onto : str
        "right" or "left".

    Raises
    ------
    ValueError
        If a point is not strictly between the edges.
    """
    for point in points:
        if not -1.0 < point < 1.0:
            raise ValueError(
                "points of contact must lie between the edges, above -1 (left) and below 1 (right), in half "
                f"widths from the middle of the base, got {point!r}"
            )
    sign = 1.0 if onto == "right" else -1.0
    old, new = _edges(block, onto)
    middle, half = 0.5 * (old + new), 0.5 * (new - old)
    places = [old, *sorted(middle + half * sign * point for point in points), new]
    ratio = 1.0
    for before, after in pairwise(places):
        ratio *= (block.about_base + block.mass * before * after) / _about(block, after)
    return ratio


def chatzis_2017(block: PlanarBlock, lambda_: float, onto: str = "right") -> float:
    """Resultant impulse at a given place of the base, (6): r = (A - lambda m b^2)/(A + lambda m b^2).

    ``lambda_`` is the place in half widths from the middle: -1 old edge, 1 new edge. It covers every impact
    without slip. lambda = 1 is Housner's model and lambda = 0 loses no energy for a COM above the middle.
    Measured ratios below Housner's belong to lambda > 1, an impulse that acts beyond the base, which the
    ground alone cannot give. Chatzis, M. N., García Espinosa, M., Smyth, A. W. (2017), Examining the
    energy loss in the inverted pendulum model for rocking bodies, Journal of Engineering Mechanics
    143(5), 04017013.

    Raises
    ------
    ValueError
        If the impact would gain energy.

    Warns
    -----
    UserWarning
        If lambda > 1, by more than moves the ratio by rounding.

    >>> from mcrock.planar import rectangle
    >>> round(chatzis_2017(rectangle(1.0, 2.0), lambda_=0.4), 6)
    0.868132
    """
    if not isfinite(lambda_):
        raise ValueError(f"lambda must be finite [1], got {lambda_!r}")
    old, new = _edges(block, onto)
    point = old + 0.5 * (1.0 + lambda_) * (new - old)
    if block.about_base + block.mass * point * new <= 0.0:
        raise ValueError(
            f"lambda = {lambda_:g} leaves no motion about the {onto} edge (it must be above "
            f"{_lambda_of_point(block, onto, -block.about_base / (block.mass * new)):.4g} for this block)"
        )
    ratio = _point_ratio(block, onto, point)
    if energy_ratio(block, ratio, onto) > 1.0 + ROUNDING:
        least = lambda_of_ratio(block, largest_ratio(block, onto), onto)
        raise ValueError(
            f"lambda = {lambda_:g} would gain energy in a landing on the {onto} edge; it must be at least "
            f"{least:.6g} for this block"
        )
    if ratio < housner_1963(block, onto) - ROUNDING:
        warnings.warn(
            f"lambda = {lambda_:g}: above 1 the impulse acts beyond the base, which the ground alone cannot "
            "give",
            UserWarning,
            stacklevel=2,
        )
    return min(ratio, largest_ratio(block, onto))


def measured(block: PlanarBlock, ratio: float, onto: str = "right") -> float:
    """A measured velocity ratio (not an energy ratio), checked: 0 to `largest_ratio`.

    Raises
    ------
    ValueError
        If the ratio is not finite, is negative or gains energy.
    """
    highest = largest_ratio(block, onto)
    clipped = _clipped(ratio, 0.0, highest)
    if clipped is None:
        raise ValueError(
            f"velocity ratio r of a landing on the {onto} edge must be from 0 (comes to rest) to "
            f"{highest:.6g} (loses no energy), got {ratio!r}; an energy ratio is its square"
        )
    return clipped


def largest_ratio(block: PlanarBlock, onto: str = "right") -> float:
    """Velocity ratio of an impact that loses no energy [1]: 1 for a COM above the middle of the base."""
    old, new = _edges(block, onto)
    return sqrt(_about(block, old) / _about(block, new))


def energy_ratio(block: PlanarBlock, ratio: float, onto: str = "right") -> float:
    """Kinetic energy after an impact over that before [1], for a velocity ratio: r^2 K_new/K_old."""
    return (ratio / largest_ratio(block, onto)) ** 2


def admissible_ratios(block: PlanarBlock, friction: float = inf, onto: str = "right") -> tuple[float, float]:
    """Velocity ratios that the ground can give by pushing, without slip and without gain of energy.

    From the larger of 0 and Housner's ratio (impulse at the new edge) to `largest_ratio`; with a
    coefficient of ``friction`` [1] also from (h - friction abs(x_old))/(h + friction x_new) on, below which
    the impulse leaves the cone of friction. For a homogeneous rectangle these are the domains of e_n21 in
    sticking rocking of Brogliato, B., Zhang, H., Liu, C. (2012), Analysis of a generalized kinematic impact
    law for multibody-multicontact systems, with application to the planar rocking and chains of balls,
    Multibody System Dynamics 27, 351-382, sections 3.4 and 3.7 and inequality (30).

    Raises
    ------
    ValueError
        If friction is negative or not a number, or no ratio is left.

    >>> from mcrock.planar import rectangle
    >>> low, high = admissible_ratios(rectangle(1.0, 4.0), friction=0.5)
    >>> round(low, 10), high
    (0.9117647059, 1.0)
    """
    if not friction >= 0.0:
        raise ValueError(f"friction must be >= 0 [1], got {friction!r}")
    old, new = _edges(block, onto)
    low, high = max(0.0, housner_1963(block, onto)), largest_ratio(block, onto)
    if isfinite(friction):
        low = max(low, (block.com_height + friction * old) / (block.com_height + friction * new))
    if low > high:
        raise ValueError(
            f"a friction of {friction:g} leaves no landing on the {onto} edge without slip: the ratio would "
            f"have to be from {low:.6g} to {high:.6g}"
        )
    return low, high


def lambda_of_ratio(block: PlanarBlock, ratio: float, onto: str = "right") -> float:
    """Place lambda of the resultant impulse for a velocity ratio, the inverse of `chatzis_2017` [1].

    (A/(m b^2)) (1 - r)/(1 + r) for a COM above the middle of the base.

    Raises
    ------
    ValueError
        If the ratio would gain energy or is negative.
    """
    ratio = measured(block, ratio, onto)
    old, new = _edges(block, onto)
    return _lambda_of_point(
        block, onto, block.about_base * (1.0 - ratio) / (block.mass * (ratio * new - old))
    )


def nu_of_ratio(block: PlanarBlock, ratio: float, onto: str = "right") -> float:
    """Relative effective width nu for a velocity ratio, the inverse of `kalliontzis_2016` [1].

    The square root of lambda for a COM above the middle of the base.

    Raises
    ------
    ValueError
        If the ratio would gain energy, or is below Housner's, where nu would exceed 1.
    """
    lowest, highest = housner_1963(block, onto), largest_ratio(block, onto)
    clipped = _clipped(ratio, lowest, highest)
    if clipped is None:
        raise ValueError(
            f"an effective width gives velocity ratios from {lowest:.6g} (nu = 1, Housner's model) to "
            f"{highest:.6g} (nu = 0, no loss) in landings on the {onto} edge, got {ratio!r}"
        )
    old, new = _edges(block, onto)
    middle, half = 0.5 * (old + new), 0.5 * (new - old)
    # with q = x sqrt(m/A) and cos(delta) the share of the velocity in the energy norm that is left:
    # tan(delta) = 2 nu q_half/(1 + q_middle^2 - nu^2 q_half^2)
    cosine = clipped / highest
    sine = sqrt(1.0 - cosine * cosine)
    scale = sqrt(block.mass / block.about_base)
    square = 1.0 + (scale * middle) ** 2
    nu = sine * square / (scale * half * (cosine + sqrt(cosine**2 + sine**2 * square)))
    return min(nu, 1.0)


def effective_width(block: PlanarBlock, nu: float) -> float:
    """Effective width [m] for the relative one, nu.

    Raises
    ------
    ValueError
        If ``nu`` is not from 0 to 1.
    """
    return _within("nu (effective over true width)", nu, 0.0, 1.0) * block.width


def nu_of_effective_width(block: PlanarBlock, width: float) -> float:
    """Relative effective width nu of an effective width [m].

    Raises
    ------
    ValueError
        If the effective width is not from 0 to the width of the block.
    """
    return _within("effective width [m]", width, 0.0, block.width) / block.width


def e_n21_of_ratio(block: PlanarBlock, ratio: float, onto: str = "right") -> float:
    """Brogliato's coefficient e_n21 for a velocity ratio [1].

    The normal velocity of the corner that leaves (2) after the impact over that of the corner that lands
    (1) before it, with the sign changed, each divided by the square root of D_ii = 1/m + x_i^2/I
    (generalized kinematic law (12) of Brogliato et al. 2012, e_n1 = 0). For a COM above the middle of the
    base the roots are equal and e_n21 = r. That paper's own r has the opposite sign, r = -e_n21.

    Raises
    ------
    ValueError
        As `measured`.
    """
    return measured(block, ratio, onto) / _ratio_of_one(block, onto)


def brogliato_2012(block: PlanarBlock, e_n21: float, onto: str = "right") -> float:
    """Velocity ratio for Brogliato's coefficient e_n21, the inverse of `e_n21_of_ratio` [1].

    Raises
    ------
    ValueError
        If the coefficient is negative or would gain energy.
    """
    highest, of_one = largest_ratio(block, onto), _ratio_of_one(block, onto)
    return min(_within("e_n21", e_n21, 0.0, highest / of_one) * of_one, highest)


# by the name of the law: the velocity ratio, the parameter and what stands for it in words
MODELS: dict[str, tuple[Callable[..., float], str, str]] = {
    "housner_1963": (housner_1963, "", ""),
    "ther_kollar_2017": (ther_kollar_2017, "", ""),
    "kalliontzis_2016": (kalliontzis_2016, "nu", "NU"),
    "brogliato_2012": (brogliato_2012, "e_n21", "E"),
    "chatzis_2017": (chatzis_2017, "lambda", "LAMBDA"),
    "wittich_hutchinson_2018": (wittich_hutchinson_2018, "points", "X1,X2,..."),
}
FORMS = ", ".join(f"{name}:{key}={words}" if key else name for name, (_, key, words) in MODELS.items())
GRAMMAR = f"a number r, two numbers for the right and the left edge as in 0.92,0.9, or one of {FORMS}"


def velocity_ratios(block: PlanarBlock, restitution: Restitution) -> tuple[float, float]:
    """Velocity ratios of landings on the right and on the left edge, for a model in words.

    Parameters
    ----------
    block : PlanarBlock
    restitution : str, float or tuple of 2 float
        A measured ratio, one for each edge, or a law with its parameter: "housner_1963", "ther_kollar_2017",
        "kalliontzis_2016:nu=0.8", "brogliato_2012:e_n21=0.95", "chatzis_2017:lambda=0.6" or
        "wittich_hutchinson_2018:points=-0.5,0.1" (points of contact).

    Returns
    -------
    tuple of 2 float

    Raises
    ------
    ValueError
        If the words are unknown, a parameter is out of its range, or the ratio is negative or gains energy.

    Examples
    --------
    >>> from mcrock.planar import rectangle
    >>> [round(r, 4) for r in velocity_ratios(rectangle(1.0, 2.0), "chatzis_2017:lambda=0.4")]
    [0.8681, 0.8681]
    """
    if isinstance(restitution, str):
        word, _, rest = restitution.strip().lower().partition(":")
        if word in MODELS:
            return _of_model(block, word, rest, restitution)
        numbers = _numbers(restitution, restitution)
    else:
        numbers = _ratios(restitution)
    if len(numbers) not in (1, 2):
        raise _wrong(restitution)
    return measured(block, numbers[0], "right"), measured(block, numbers[-1], "left")


def _wrong(restitution: object) -> ValueError:
    """The mistake in a restitution, with the full form of what names a law or its parameter in short."""
    word, _, rest = str(restitution).strip().lower().partition(":")
    hint = ""
    for name, (_, key, words) in MODELS.items():
        if word.replace("-", "_") in (name, name.rpartition("_")[0]):
            full = f"{name}:{key}={rest.rpartition('=')[2] or words}" if key else name
            hint = f"; write {full!r}" if full != restitution else ""
    return ValueError(f"restitution must be {GRAMMAR}, got {restitution!r}{hint}")


def _of_model(block: PlanarBlock, word: str, rest: str, restitution: str) -> tuple[float, float]:
    model, key, _ = MODELS[word]
    name, equals, text = rest.partition("=")
    numbers = _numbers(text, restitution)
    several = key == "points"  # none are Housner's model
    if (rest and (name, equals) != (key, "=")) or not (several or len(numbers) == bool(key)):
        raise _wrong(restitution)
    arguments = [numbers] if several else numbers
    right, left = (model(block, *arguments, onto=onto) for onto in SIDES)
    for ratio, onto in ((right, "right"), (left, "left")):
        if ratio < -ROUNDING:
            raise ValueError(
                f"restitution {restitution!r} gives the velocity ratio {ratio:.4g}: a block of slenderness "
                f"{block.slenderness:.4g} rad is too squat to rock on to its {onto} edge; give 0 for "
                "landings that end in rest"
            )
    return measured(block, right, "right"), measured(block, left, "left")


def _ratios(restitution: object) -> list[float]:
    """One velocity ratio or two, from a number or a list."""
    try:
        numbers = np.atleast_1d(np.asarray(restitution, dtype=np.float64))
    except (TypeError, ValueError):
        raise _wrong(restitution) from None
    if numbers.ndim > 1 or numbers.size > 2:
        raise ValueError(
            "restitution must be one velocity ratio, or two for the right and the left edge, got an array of "
            f"shape {numbers.shape}; a run or spectrum has one restitution, so call it once for each"
        )
    return list(map(float, numbers))


def _numbers(text: str, whole: str) -> list[float]:
    try:
        return [float(number) for number in text.split(",")] if text else []
    except ValueError:
        raise _wrong(whole) from None


def _edges(block: PlanarBlock, onto: str) -> tuple[float, float]:
    """Places of the old and the new edge from the foot of the COM [m], the new one positive."""
    if onto not in SIDES:
        raise ValueError(f"onto must be 'right' or 'left', the edge of the motion after, got {onto!r}")
    return (-block.left, block.right) if onto == "right" else (-block.right, block.left)


def _about(block: PlanarBlock, place: float) -> float:
    """Inertia about a point of the base [kg m2]."""
    return block.about_base + block.mass * place * place


def _point_ratio(block: PlanarBlock, onto: str, point: float) -> float:
    old, new = _edges(block, onto)
    a, m = block.about_base, block.mass
    return (a + m * point * old) / (a + m * point * new)


def _lambda_of_point(block: PlanarBlock, onto: str, point: float) -> float:
    old, new = _edges(block, onto)
    return 2.0 * (point - old) / (new - old) - 1.0


def _ratio_of_one(block: PlanarBlock, onto: str) -> float:
    """Velocity ratio of e_n21 = 1, in proportion to which the others are."""
    return planar_laws.brogliato_2012(block.inertia, block.mass, *_edges(block, onto), 1.0)


def _within(name: str, value: float, low: float, high: float) -> float:
    """The value, at the end of its range if it is beyond by rounding."""
    clipped = _clipped(value, low, high)
    if clipped is None:
        raise ValueError(f"{name} must be from {low:g} to {high:.6g}, got {value!r}")
    return clipped


def _clipped(value: float, low: float, high: float) -> float | None:
    """The value from low to high, None if it is out of this range by more than rounding."""
    slack = ROUNDING * max(abs(low), abs(high))
    return min(max(float(value), low), high) if low - slack <= value <= high + slack else None
