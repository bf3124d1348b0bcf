"""Law cases of many contacts: what each law of a case file computes from the case's inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mcrock.laws.chatterjee_ruina_1998_sequence import collide_in_turn, sequential
from mcrock.laws.fremond_1995 import fremond
from mcrock.laws.glocker_2001 import newton
from mcrock.laws.glocker_2005 import reentrant_corner
from mcrock.laws.glocker_pfeiffer_1995 import poisson
from mcrock.laws.moreau_1988 import moreau
from mcrock.laws.problem import ContactProblem, Ellipsoid, ImpactResult, ellipsoid_contact
from mcrock.laws.systems.flexible_rod import rigid_restitution
from mcrock.laws.systems.impact_pendulum import pendulum_impact
from mcrock.laws.systems.rocking_rod import kinetic_cosine, rocking_rod_problem
from mcrock.laws.systems.rod import rod_problem

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
    result = sequential(problem, restitution=case["eps"])
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
    result = reentrant_corner(problem, restitution=case["eps"])
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
    problem = rod_problem(case["m"], case["l_half"], case["xs"], case["u"])
    return _words(problem, newton(problem, restitution=case["eps"]))


def _rocking_rod(case: Values) -> Values:
    problem = rocking_rod_problem(case["m"], case["l_half"], case["a"], case["omega"])
    result = newton(problem, restitution=case["eps"])
    return _words(problem, result) | {"cos_w": kinetic_cosine(problem)}


def _impact_pendulum(case: Values) -> Values:
    impact = pendulum_impact(
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


LAW_CASES: dict[str, Callable[[Values], Values]] = {
    "sequential": _sequential,
    "sequential_normal": _sequential_normal,
    "newton_lcp": _inequality(newton, "eps"),
    "poisson_lcp": _inequality(poisson, "eps"),
    "fremond_lcp": _inequality(fremond, "E"),
    "moreau": _inequality(moreau, "eps"),
    "reentrant": _reentrant,
    "rod": _rod,
    "rocking_rod": _rocking_rod,
    "impact_pendulum": _impact_pendulum,
    "flexible_rod": lambda case: {"eps_r": rigid_restitution(case["eps_h"], case["G_r"], case["G_f"])},
    "ellipsoid_gap": _ellipsoid_gap,
}
