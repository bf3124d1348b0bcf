"""Law cases of the generalized kinematic law, the planar block and chains of balls."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from mcrock.laws.block import (
    Interval,
    angular_domain,
    block_coefficients,
    block_impact,
    critical_aspects,
    half_rocking_domain,
    housner_ratio,
    kinetic_angle,
    sliding_coulomb_domain,
    sliding_coulomb_sufficient,
    sliding_domain,
    sliding_ratio,
    sticking_domain,
)
from mcrock.laws.brogliato_2012 import energy_margin, generalized_kinematic, kinetic_angles
from mcrock.laws.problem import ContactProblem, ImpactResult, finite_array
from mcrock.laws.systems.ball_chain import chain_impact
from mcrock.planar.block import PlanarBlock, rectangle
from mcrock.planar.restitution import chatzis_2017, housner_1963, kalliontzis_2016, ther_kollar_2017

DOMAINS: dict[str, Callable[[PlanarBlock, float], Interval]] = {
    "e21_sliding": lambda block, mu: sliding_domain(block),
    "e21_sticking": lambda block, mu: sticking_domain(block),
    "e21_sticking_coulomb": sticking_domain,
    "e21_sliding_coulomb_right": lambda block, mu: sliding_coulomb_domain(block, mu, "right"),
    "e21_sliding_coulomb_right_sufficient": sliding_coulomb_sufficient,
    "e21_sliding_coulomb_left": lambda block, mu: sliding_coulomb_domain(block, mu, "left"),
    "half_rocking": lambda block, mu: half_rocking_domain(block),
    "half_rocking_coulomb": half_rocking_domain,
    "r_sliding": lambda block, mu: angular_domain(sliding_domain(block)),
    "r_sticking": lambda block, mu: angular_domain(sticking_domain(block)),
}


def kinetic_angle_case(inputs: dict[str, Any]) -> dict[str, Any]:
    """Kinetic angles of a block (l, L) or of a system (M, W)."""
    if "M" not in inputs:
        return {"theta12": kinetic_angle(_block(inputs))}
    angles = kinetic_angles(_resting(inputs))
    first = {"theta12": float(angles[0, 1])} if len(angles) > 1 else {}
    return {"theta": angles.tolist(), **first}


def generalized_case(inputs: dict[str, Any]) -> dict[str, Any]:
    """The law on any system; E_tan is a multiple of the identity."""
    problem = ContactProblem(inputs["M"], inputs["W"], inputs["u"])
    tangential = _number(inputs, "Etan_scalar", -1.0)
    result = generalized_kinematic(problem, normal=inputs["En"], tangential=tangential)
    return {
        "u_plus": result.velocity.tolist(),
        "qnorm_minus": result.notes["normal_before"].tolist(),
        "qnorm_plus": result.notes["normal_after"].tolist(),
        "p_n": result.impulse.tolist(),
        "gen_impulse": result.notes["momentum"].tolist(),
        **_checks(result),
    }


def block_domain_case(inputs: dict[str, Any]) -> dict[str, Any]:
    """Admissible interval of a coefficient, None if it is empty."""
    which = inputs["which"]
    if which not in DOMAINS:
        raise ValueError(f"which must be one of {', '.join(DOMAINS)}, got {which!r}")
    interval = DOMAINS[which](_block(inputs), _number(inputs, "mu", 0.0))
    return {"interval": None if interval is None else list(interval)}


def block_critical_case(inputs: dict[str, Any]) -> dict[str, Any]:
    """Critical aspects and their kinetic angles."""
    found = critical_aspects(_number(inputs, "mu", 0.0))
    return {name: {"aspect": point.aspect, "theta12": point.angle} for name, point in found.items()}


def block_impact_case(inputs: dict[str, Any]) -> dict[str, Any]:
    """Impact of a block by given coefficients."""
    words = str(inputs.get("tangential", "frictionless"))
    friction = inputs.get("mu", 0.0 if words == "coulomb" else None)
    result = block_impact(
        _block(inputs),
        _number(inputs, "thdot"),
        _number(inputs, "xdot") if "xdot" in inputs else None,
        e_n1=_number(inputs, "e1", 0.0),
        e_n21=_number(inputs, "e21", 0.0),
        tangential=words,
        friction=friction,
        e_t3=inputs.get("et3"),
    )
    x, y, theta = result.velocity.tolist()
    return {
        "xdot": x,
        "ydot": y,
        "thdot": theta,
        "p1": float(result.impulse[0]),
        "p2": float(result.impulse[1]),
        "pt": result.notes["tangential_impulse"],
        "vt_plus": result.notes["slip_after"],
        **_checks(result),
    }


def planar_rates_case(inputs: dict[str, Any]) -> dict[str, Any]:
    """The velocity ratio of the literature: r of the generalized law, and the ratios of other models."""
    block = _block(inputs)
    computed = {
        "r_sli": sliding_ratio(block),
        "r_H": housner_ratio(block),
        "AVRF_Housner": housner_1963(block),
        "AVRF_TherKollar": ther_kollar_2017(block),
    }
    if "nu" in inputs:
        computed["AVRF_Kalliontzis"] = kalliontzis_2016(block, _number(inputs, "nu"))
    if "lam" in inputs:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # an impulse beyond the base is what is asked for
            computed["AVRF_Chatzis"] = chatzis_2017(block, _number(inputs, "lam"))
    return computed


def chain_case(inputs: dict[str, Any]) -> dict[str, Any]:
    """Aligned balls; the matrix belongs to the normalized velocities."""
    result = chain_impact(inputs["masses"], inputs["v"], inputs["E"])
    return {"u_plus": result.velocity.tolist(), "impulses": result.impulse.tolist(), **_checks(result)}


def _block(inputs: dict[str, Any]) -> PlanarBlock:
    return rectangle(_number(inputs, "L"), _number(inputs, "l"), _number(inputs, "m", 1.0))


def _resting(inputs: dict[str, Any]) -> ContactProblem:
    mass = finite_array("M", inputs["M"])
    return ContactProblem(mass, inputs["W"], np.zeros(len(mass) if mass.ndim else 0))


def _number(inputs: dict[str, Any], name: str, default: Any = None) -> float:
    """A number of the inputs, or its default; a ValueError if it is none."""
    value = inputs.get(name, default)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number, got {value!r}") from None


def _checks(result: ImpactResult) -> dict[str, Any]:
    return {
        "dT": result.energy_change,
        "kinematic_ok": result.kinematic,
        "kinetic_ok": result.kinetic,
        "energetic_ok": result.energetic,
    }


LAW_CASES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "kinetic_angle": kinetic_angle_case,
    "generalized": generalized_case,
    "En_margin": lambda case: {"margin": energy_margin(_resting(case), case["En"])},
    "block_domain": block_domain_case,
    "block_coefficients": lambda case: block_coefficients(_block(case), _number(case, "mu", 0.0))._asdict(),
    "block_critical": block_critical_case,
    "block_impact": block_impact_case,
    "planar_rates": planar_rates_case,
    "chain": chain_case,
}
