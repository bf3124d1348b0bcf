"""Admissible coefficients of planar rocking blocks of every aspect: the domains of e_n21 and of r.

A rocking block can lose only so much energy in an impact that its corners push and do not pull. What is left
for the coefficient depends on the aspect height over width, on whether the corners slip or stick, and on
friction. Slender blocks are left a narrow interval below 1, and friction to the right leaves none beyond
width over height.

Brogliato, B., Zhang, H., Liu, C. (2012), Figs. 2 to 5 and Table 1; see `mcrock.laws.block_domains`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import xarray as xr

from mcrock.laws.block_domains import (
    Interval,
    angular_domain,
    block_coefficients,
    critical_aspects,
    friction_of,
    half_rocking_domain,
    rocking_cases,
    sliding_coulomb_domain,
    sliding_domain,
    sticking_domain,
)
from mcrock.laws.systems.parameters import quantity
from mcrock.planar.block import PlanarBlock, rectangle

POINTS = 481  # aspects
DOMAINS: dict[str, Callable[[PlanarBlock, float], Interval]] = {
    "e_n21, sliding": lambda block, mu: sliding_domain(block),
    "e_n21, sticking": lambda block, mu: sticking_domain(block),
    "r, sliding": lambda block, mu: angular_domain(sliding_domain(block)),
    "r, sticking": lambda block, mu: angular_domain(sticking_domain(block)),
    "e_n21, sticking by friction": sticking_domain,
    "e_n21, slip right": lambda block, mu: sliding_coulomb_domain(block, mu, "right"),
    "e_n21, slip left": lambda block, mu: sliding_coulomb_domain(block, mu, "left"),
    "e_n1, half rocking": lambda block, mu: half_rocking_domain(block),
    "e_n1, half rocking, slip right": half_rocking_domain,
}


def example(friction: float = 0.3, aspect: float = 2.0, largest_aspect: float = 6.0) -> xr.Dataset:
    """Domains of the coefficients over the aspect, and Table 1 for one block.

    Parameters
    ----------
    friction : float
        Coefficient mu of the motions with friction [1].
    aspect : float
        Height over width of the block of the table [1].
    largest_aspect : float
        Up to which the domains are given [1].

    Returns
    -------
    Dataset
        ``low``, ``high`` (domain, aspect), nan where empty; ``critical_aspect``, ``critical_angle`` (point),
        cases (a) to (d); of Table 1, over ``motion``: ``e_n1_low``, ``e_n1_high``, ``e_n21_low``,
        ``e_n21_high``, ``r_low``, ``r_high``, and ``shrinks_at``, the aspect from which the domain shrinks
        or ends, with its kinetic angle ``shrinks_at_angle``.

    Raises
    ------
    ValueError
        If the friction is negative or an aspect not positive.
    """
    mu = friction_of(friction)
    aspect = quantity("aspect", aspect, "1", above=0.0)
    largest_aspect = quantity("largest_aspect", largest_aspect, "1", above=0.0)
    critical = critical_aspects(mu)
    # the critical aspects themselves are points, so that corners and ends of domains are drawn where they are
    marks = [point.aspect for point in critical.values()] + [1.0 / mu if mu > 0.0 else np.inf, mu]
    axis = np.linspace(0.0, largest_aspect, POINTS)[1:]
    inside = [place for place in marks if 0.0 < place < largest_aspect]
    aspects = np.unique(np.concatenate([axis, inside]))
    blocks = [rectangle(1.0, a) for a in aspects]
    ends = np.array([[_ends(domain(block, mu)) for block in blocks] for domain in DOMAINS.values()])
    rows = rocking_cases(rectangle(1.0, aspect), mu)
    table = {}
    for name in ("e_n1", "e_n21", "r"):
        for side, word in enumerate(("low", "high")):
            values = [_ends(getattr(row, name))[side] for row in rows]
            table[f"{name}_{word}"] = ("motion", values, _attrs(f"{word} end of the domain of {name}"))
    return xr.Dataset(
        {
            "low": (("domain", "aspect"), ends[..., 0], _attrs("least admissible coefficient")),
            "high": (("domain", "aspect"), ends[..., 1], _attrs("largest admissible coefficient")),
            "critical_aspect": (
                "point",
                [point.aspect for point in critical.values()],
                _attrs("critical aspect"),
            ),
            "critical_angle": (
                "point",
                [point.angle for point in critical.values()],
                _attrs("critical kinetic angle", "rad"),
            ),
            **table,
            "shrinks_at": (
                "motion",
                [row.critical_aspect for row in rows],
                _attrs("aspect from which the domain shrinks or ends"),
            ),
            "shrinks_at_angle": (
                "motion",
                [row.critical_angle for row in rows],
                _attrs("kinetic angle of this aspect", "rad"),
            ),
        },
        coords={
            "domain": list(DOMAINS),
            "aspect": ("aspect", aspects, _attrs("aspect, height over width l/L")),
            "point": list(critical),
            "motion": [row.motion for row in rows],
        },
        attrs={
            "title": "Admissible coefficients of a planar rocking block",
            "description": _describe(mu, aspect),
            "friction": mu,
        },
    )


def _describe(mu: float, aspect: float) -> str:
    bounds = block_coefficients(rectangle(1.0, aspect), mu)
    return (
        "Coefficients with which a homogeneous block can go on after an impact so that no corner is pulled "
        "and no energy is gained. e_n21 is the velocity ratio of rocking from one corner to the other, "
        "r = -e_n21 the one of the source, e_n1 the one of half rocking, where the landing corner rebounds "
        "and the other stays. Slender blocks lose little: the lower end of e_n21 is Housner's ratio where "
        f"the corners stick. Table for the aspect {aspect:g} and friction {mu:g}: e_c1+ = "
        f"{bounds.e_c1_plus:.4g}, e_c1- = {bounds.e_c1_minus:.4g}, e_c2+ = e_c3+ = {bounds.e_c2_plus:.4g}, "
        f"mu_c = {bounds.mu_c:.4g}. Brogliato, Zhang and Liu (2012), Figs. 2 to 5 and Table 1, with slip to "
        "the right empty beyond l/L = 1/mu and slip to the left bounded above, which the source omits."
    )


def _ends(domain: Interval) -> tuple[float, float]:
    return (np.nan, np.nan) if domain is None else domain


def _attrs(name: str, units: str = "1") -> dict[str, str]:
    return {"units": units, "long_name": name}
