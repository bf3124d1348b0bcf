"""Cases of impact laws: of one contact, of many, of the generalized kinematic law, and of the systems."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from math import inf
from typing import Any

import numpy as np

from mcrock import laws
from mcrock.laws import brogliato_2012 as brogliato
from mcrock.laws.impulse_space import assess, projected_impulse, spherical_impulse
from mcrock.laws.inequalities import collide_in_turn
from mcrock.laws.problem import (
    ContactProblem,
    Ellipsoid,
    ImpactResult,
    SingleContact,
    ellipsoid_contact,
    finite_array,
)
from mcrock.laws.systems import rods
from mcrock.laws.systems.collisions import chain_impact
from mcrock.planar.block import PlanarBlock, rectangle
from mcrock.planar.restitution import chatzis_2017, housner_1963, kalliontzis_2016, ther_kollar_2017
from mcrock.verify.checks import CaseError, ComparedQuantity, compare, is_information, same

Inputs = dict[str, Any]


def _contact(inputs: Inputs) -> SingleContact:
    friction = inputs.get("mu", inf)
    if not isinstance(friction, int | float):
        raise ValueError(f"mu must be a number, got {friction!r}")
    return SingleContact(inputs["M"], inputs["Vi"], finite_array("n", inputs["n"]), float(friction))


def _single_checks(result: ImpactResult) -> dict[str, bool]:
    return {
        "energy_ok": result.energetic,
        "separation_ok": result.kinematic,
        "normal_ok": result.kinetic,
        "friction_ok": result.friction,
    }


def _outcome(result: ImpactResult) -> dict[str, Any]:
    return {
        "P": result.impulse.tolist(),
        "Vf": result.velocity.tolist(),
        "dE": result.energy_change,
        **_single_checks(result),
    }


def _several(result: ImpactResult) -> dict[str, Any]:
    solutions = result.solutions or (result,)
    return {
        **_outcome(result),
        "n_solutions": len(solutions),
        "P_all": [solution.impulse.tolist() for solution in solutions],
        "dE_all": [solution.energy_change for solution in solutions],
    }


def _two_coefficients(inputs: Inputs) -> dict[str, Any]:
    return {"restitution": inputs["e"], "tangential_restitution": inputs["et"]}


def _chatterjee_ruina(inputs: Inputs) -> dict[str, Any]:
    result = laws.chatterjee_ruina(_contact(inputs), **_two_coefficients(inputs))
    return {**_outcome(result), **result.notes}


def _routh(inputs: Inputs) -> dict[str, Any]:
    result = laws.routh(_contact(inputs), restitution=inputs["ek"])
    return {**_outcome(result), "Pn_c": result.notes["compression_impulse"]}


def _two_phase(inputs: Inputs) -> dict[str, Any]:
    result = laws.two_phase(_contact(inputs), restitution=inputs["ek"])
    return {**_outcome(result), "P_c": result.notes["compression_impulse"].tolist()}


def _brach(inputs: Inputs) -> dict[str, Any]:
    tangents = np.transpose(finite_array("T", inputs["T"])) if "T" in inputs else None
    return _outcome(
        laws.brach(_contact(inputs), restitution=inputs["e"], ratios=inputs["mu_t"], tangents=tangents)
    )


def _spherical(inputs: Inputs) -> dict[str, Any]:
    tangents = [inputs[name] for name in ("t2", "t3") if inputs.get(name) is not None]
    result = spherical_impulse(
        _contact(inputs),
        inputs["P0"],
        inputs["psi1"],
        inputs.get("psi2", 0.0),
        inputs["rho"],
        tangents=tangents or None,
    )
    return _outcome(result)


SINGLE: dict[str, Callable[[Inputs], dict[str, Any]]] = {
    "chatterjee_ruina": _chatterjee_ruina,
    "bilinear": lambda case: _outcome(laws.bilinear(_contact(case), **_two_coefficients(case))),
    "routh": _routh,
    "whittaker": lambda case: _several(laws.whittaker(_contact(case), restitution=case["e"])),
    "smith": lambda case: _several(laws.smith(_contact(case), restitution=case["e"])),
    "two_phase": _two_phase,
    "brach": _brach,
    "composite": lambda case: _outcome(
        laws.composite(_contact(case), weight=case["sigma"], **_two_coefficients(case))
    ),
    "permissible": lambda case: _single_checks(assess(_contact(case), case["P"])),
    "project": lambda case: _outcome(projected_impulse(_contact(case), case["P"], case["P0"])),
    "spherical": _spherical,
}

Values = dict[str, Any]


def _problem(case: Values) -> ContactProblem:
    return ContactProblem(case["M"], case["W"], case["u"])


def _words(problem: ContactProblem, result: ImpactResult) -> Values:
    """An impact under the names of the case format."""
    return {
        "u_plus": result.velocity.tolist(),
        "gamma_plus": result.normal_velocity.tolist(),
        "dT": result.energy_change,
        "penetration": not result.kinematic,
        "impulses": result.impulse.tolist(),
        "gen_impulse": (problem.directions @ result.impulse).tolist(),
        "unique_impulse": result.unique_impulse,
    }


def _inequality(law: Callable[..., ImpactResult], coefficient: str) -> Callable[[Values], Values]:
    def compute(case: Values) -> Values:
        problem = _problem(case)
        return _words(problem, law(problem, restitution=case[coefficient]))

    return compute


def _sequential_normal(case: Values) -> Values:
    problem = _problem(case)
    result = laws.sequential(problem, restitution=case["eps"])
    notes = result.notes
    return _words(problem, result) | {"converged": not notes["truncated"], "sequence": notes["sequence"]}


def _sequential(case: Values) -> Values:
    contacts = case["contacts"]
    if not isinstance(contacts, list) or not all(isinstance(contact, dict) for contact in contacts):
        raise ValueError("contacts must be a list of tables with n, mu, e and et")
    collisions = collide_in_turn(
        case["W"],
        case["U"],
        [np.asarray(contact["n"], float) for contact in contacts],
        friction=[contact["mu"] for contact in contacts],
        restitution=[contact["e"] for contact in contacts],
        tangential_restitution=[contact["et"] for contact in contacts],
    )
    return {
        "U": collisions.velocity.tolist(),
        "G": collisions.impulse.tolist(),
        "converged": not collisions.truncated,
        "sequence": collisions.order,
    }


def _reentrant(case: Values) -> Values:
    problem = ContactProblem(case["M"], np.column_stack([case["w1"], case["w2"]]), case["u"])
    result = laws.reentrant_corner(problem, restitution=case["eps"])
    return {
        "u_in_K": result.notes["admitted"],
        "n_solutions": len(result.solutions),
        "solutions": [
            {
                "kind": solution.notes["kind"],
                "u_plus": solution.velocity.tolist(),
                "dT": solution.energy_change,
            }
            for solution in result.solutions
        ],
        "proximal_kinds": result.notes["nearest"],
    }


def _rod(case: Values) -> Values:
    problem = rods.rod_problem(case["m"], case["l_half"], case["xs"], case["u"])
    return _words(problem, laws.newton(problem, restitution=case["eps"]))


def _rocking_rod(case: Values) -> Values:
    problem = rods.rocking_rod_problem(case["m"], case["l_half"], case["a"], case["omega"])
    result = laws.newton(problem, restitution=case["eps"])
    return _words(problem, result) | {"cos_w": rods.kinetic_cosine(problem)}


def _impact_pendulum(case: Values) -> Values:
    impact = rods.pendulum_impact(
        case["Theta"],
        case["length"],
        case["alpha"],
        case["mu"],
        case["eps"],
        case["phidot"],
        case.get("law", "poisson"),
    )
    return {
        "phidot_plus": impact.spin,
        "sticks": impact.sticks,
        "e_eff": impact.restitution,
        "L_N": impact.normal_impulse,
        "L_T": impact.tangential_impulse,
        "L_c": impact.compression,
    }


def _ellipsoid_gap(case: Values) -> Values:
    bodies = [Ellipsoid(*(case[f"{letter}{number}"] for letter in "csRvw")) for number in (1, 2)]
    contact = ellipsoid_contact(*bodies)
    return {
        "n1": contact.normal.tolist(),
        "C1": contact.point_1.tolist(),
        "C2": contact.point_2.tolist(),
        "gap": contact.gap,
        "gap_rate": contact.gap_rate,
    }


MULTIPLE: dict[str, Callable[[Values], Values]] = {
    "sequential": _sequential,
    "sequential_normal": _sequential_normal,
    "newton_lcp": _inequality(laws.newton, "eps"),
    "poisson_lcp": _inequality(laws.poisson, "eps"),
    "fremond_lcp": _inequality(laws.fremond, "E"),
    "moreau": _inequality(laws.moreau, "eps"),
    "reentrant": _reentrant,
    "rod": _rod,
    "rocking_rod": _rocking_rod,
    "impact_pendulum": _impact_pendulum,
    "flexible_rod": lambda case: {"eps_r": rods.rigid_restitution(case["eps_h"], case["G_r"], case["G_f"])},
    "ellipsoid_gap": _ellipsoid_gap,
}

DOMAINS: dict[str, Callable[[PlanarBlock, float], brogliato.Interval]] = {
    "e21_sliding": lambda block, mu: brogliato.sliding_domain(block),
    "e21_sticking": lambda block, mu: brogliato.sticking_domain(block),
    "e21_sticking_coulomb": brogliato.sticking_domain,
    "e21_sliding_coulomb_right": lambda block, mu: brogliato.sliding_coulomb_domain(block, mu, "right"),
    "e21_sliding_coulomb_right_sufficient": brogliato.sliding_coulomb_sufficient,
    "e21_sliding_coulomb_left": lambda block, mu: brogliato.sliding_coulomb_domain(block, mu, "left"),
    "half_rocking": lambda block, mu: brogliato.half_rocking_domain(block),
    "half_rocking_coulomb": brogliato.half_rocking_domain,
    "r_sliding": lambda block, mu: brogliato.angular_domain(brogliato.sliding_domain(block)),
    "r_sticking": lambda block, mu: brogliato.angular_domain(brogliato.sticking_domain(block)),
}


def kinetic_angle_case(inputs: dict[str, Any]) -> dict[str, Any]:
    """Kinetic angles of a block (l, L) or of a system (M, W)."""
    if "M" not in inputs:
        return {"theta12": brogliato.kinetic_angle(_block(inputs))}
    angles = brogliato.kinetic_angles(_resting(inputs))
    first = {"theta12": float(angles[0, 1])} if len(angles) > 1 else {}
    return {"theta": angles.tolist(), **first}


def generalized_case(inputs: dict[str, Any]) -> dict[str, Any]:
    """The law on any system; E_tan is a multiple of the identity."""
    problem = ContactProblem(inputs["M"], inputs["W"], inputs["u"])
    tangential = _number(inputs, "Etan_scalar", -1.0)
    result = laws.generalized_kinematic(problem, normal=inputs["En"], tangential=tangential)
    return {
        "u_plus": result.velocity.tolist(),
        "qnorm_minus": result.notes["normal_before"].tolist(),
        "qnorm_plus": result.notes["normal_after"].tolist(),
        "p_n": result.impulse.tolist(),
        "gen_impulse": result.notes["momentum"].tolist(),
        **_kinematic_checks(result),
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
    found = brogliato.critical_aspects(_number(inputs, "mu", 0.0))
    return {name: {"aspect": point.aspect, "theta12": point.angle} for name, point in found.items()}


def block_impact_case(inputs: dict[str, Any]) -> dict[str, Any]:
    """Impact of a block by given coefficients."""
    words = str(inputs.get("tangential", "frictionless"))
    friction = inputs.get("mu", 0.0 if words == "coulomb" else None)
    result = brogliato.block_impact(
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
        **_kinematic_checks(result),
    }


def planar_rates_case(inputs: dict[str, Any]) -> dict[str, Any]:
    """The velocity ratio of the literature: r of the generalized law, and the ratios of other models."""
    block = _block(inputs)
    computed = {
        "r_sli": brogliato.sliding_ratio(block),
        "r_H": brogliato.housner_ratio(block),
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
    return {
        "u_plus": result.velocity.tolist(),
        "impulses": result.impulse.tolist(),
        **_kinematic_checks(result),
    }


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


def _kinematic_checks(result: ImpactResult) -> dict[str, Any]:
    return {
        "dT": result.energy_change,
        "kinematic_ok": result.kinematic,
        "kinetic_ok": result.kinetic,
        "energetic_ok": result.energetic,
    }


KINEMATIC: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "kinetic_angle": kinetic_angle_case,
    "generalized": generalized_case,
    "En_margin": lambda case: {"margin": brogliato.energy_margin(_resting(case), case["En"])},
    "block_domain": block_domain_case,
    "block_coefficients": lambda case: brogliato.block_coefficients(
        _block(case), _number(case, "mu", 0.0)
    )._asdict(),
    "block_critical": block_critical_case,
    "block_impact": block_impact_case,
    "planar_rates": planar_rates_case,
    "chain": chain_case,
}

LAW_CASES = KINEMATIC | SINGLE | MULTIPLE
WORDS = {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}


class UnknownLawError(CaseError):
    """A case of a law that is not in the library."""


def _read(value: Any) -> Any:
    """A value of a case with the words for infinite and undefined numbers as numbers."""
    if isinstance(value, Mapping):
        return {key: _read(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_read(item) for item in value]
    return WORDS.get(value, value) if isinstance(value, str) else value


def _compute(case: dict[str, Any]) -> dict[str, Any]:
    law = case["law"]
    if law not in LAW_CASES:
        raise UnknownLawError(f"unknown law {law!r}; known are {', '.join(sorted(LAW_CASES))}")
    return LAW_CASES[law](_read(case["inputs"]))


def value_case(case: dict[str, Any]) -> Iterator[ComparedQuantity]:
    """Every field that is expected."""
    computed = _compute(case)
    for key, expected in case["expected"].items():
        empty_set = key == "interval" and expected is None
        if is_information(key, expected) and not empty_set:
            continue
        yield from _checks(case, key, _read(expected), computed[key])


def set_case(case: dict[str, Any]) -> Iterator[ComparedQuantity]:
    """One of several solutions, their number, and all of them in any order."""
    computed, expected = _compute(case), _read(case["expected"])
    solutions = expected["P_all"]
    nearest = min(solutions, key=lambda point: float(np.linalg.norm(np.subtract(point, computed["P"]))))
    yield from _checks(case, "P", nearest, computed["P"])
    yield from _checks(case, "n_solutions", expected["n_solutions"], computed["n_solutions"])
    own = np.array(computed["P_all"], float)
    order = [int(np.linalg.norm(own - point, axis=1).argmin()) for point in np.array(solutions, float)]
    for key in ("P_all", "dE_all"):
        if expected.get(key) is not None:
            yield from _checks(case, key, expected[key], [computed[key][i] for i in order])


def error_case(case: dict[str, Any]) -> Iterator[ComparedQuantity]:
    """Input that must be refused."""
    try:
        _compute(case)
    except UnknownLawError:
        raise
    except (ValueError, KeyError) as error:  # a missing input is refused too
        yield same(case["id"], "refused", "error", "error" if str(error) else "error without a message")
    else:
        yield same(case["id"], "refused", "error", "accepted")


def _checks(case: dict[str, Any], key: str, expected: Any, computed: Any) -> Iterator[ComparedQuantity]:
    """Compare numbers by the tolerance of the case, words and truth values as they are, tables by key."""
    if isinstance(expected, Mapping):
        for name, item in expected.items():
            yield from _checks(case, f"{key}.{name}", item, computed[name])
    elif isinstance(expected, list) and any(isinstance(item, Mapping) for item in expected):
        yield same(case["id"], f"{key}: number", len(expected), len(computed))
        for number, item in enumerate(expected):  # in any order: by kind, or the nearest velocity
            own = next((found for found in computed if found.get("kind") == item.get("kind")), None)
            if own is None:
                item = {name: value for name, value in item.items() if name != "kind"}
                own = min(computed, key=lambda found: _distance(found, item))
            yield from _checks(case, f"{key} {item.get('kind', number)}", item, own)
    elif expected is None or isinstance(expected, bool | str) or _are_words(expected):
        yield same(case["id"], key, expected, computed)
    else:
        tolerance = case.get("tol", {})
        absolute, relative = tolerance.get("abs") or 0.0, tolerance.get("rel") or 0.0
        there = np.nan if computed is None else computed
        yield compare(case["id"], key, expected, there, absolute, relative)


def _distance(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> float:
    """Distance of the velocity of a solution from a wanted one."""
    return float(np.linalg.norm(np.subtract(found["u_plus"], wanted["u_plus"])))


def _are_words(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(item, str | bool) for item in value)


LAW_KINDS = {"value": value_case, "set": set_case, "error": error_case}
