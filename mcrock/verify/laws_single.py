"""Verification cases of the laws of a single contact."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from mcrock.laws.brach_1989 import brach
from mcrock.laws.chatterjee_ruina_1998 import chatterjee_ruina
from mcrock.laws.chatterjee_ruina_1998_composite import composite
from mcrock.laws.permissible_region import assess, projected_impulse, spherical_impulse
from mcrock.laws.pfeiffer_glocker_1996 import two_phase
from mcrock.laws.problem import ImpactResult, SingleContact, finite_array
from mcrock.laws.routh_1905 import routh
from mcrock.laws.smith_1991 import smith
from mcrock.laws.walton_1993 import bilinear
from mcrock.laws.whittaker_1904 import whittaker

Inputs = dict[str, Any]


def _contact(inputs: Inputs) -> SingleContact:
    friction = inputs.get("mu", inf)
    if not isinstance(friction, int | float):
        raise ValueError(f"mu must be a number, got {friction!r}")
    return SingleContact(inputs["M"], inputs["Vi"], finite_array("n", inputs["n"]), float(friction))


def _checks(result: ImpactResult) -> dict[str, bool]:
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
        **_checks(result),
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
    result = chatterjee_ruina(_contact(inputs), **_two_coefficients(inputs))
    return {**_outcome(result), **result.notes}


def _routh(inputs: Inputs) -> dict[str, Any]:
    result = routh(_contact(inputs), restitution=inputs["ek"])
    return {**_outcome(result), "Pn_c": result.notes["compression_impulse"]}


def _two_phase(inputs: Inputs) -> dict[str, Any]:
    result = two_phase(_contact(inputs), restitution=inputs["ek"])
    return {**_outcome(result), "P_c": result.notes["compression_impulse"].tolist()}


def _brach(inputs: Inputs) -> dict[str, Any]:
    tangents = np.transpose(finite_array("T", inputs["T"])) if "T" in inputs else None
    return _outcome(
        brach(_contact(inputs), restitution=inputs["e"], ratios=inputs["mu_t"], tangents=tangents)
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


LAW_CASES: dict[str, Callable[[Inputs], dict[str, Any]]] = {
    "chatterjee_ruina": _chatterjee_ruina,
    "bilinear": lambda case: _outcome(bilinear(_contact(case), **_two_coefficients(case))),
    "routh": _routh,
    "whittaker": lambda case: _several(whittaker(_contact(case), restitution=case["e"])),
    "smith": lambda case: _several(smith(_contact(case), restitution=case["e"])),
    "two_phase": _two_phase,
    "brach": _brach,
    "composite": lambda case: _outcome(
        composite(_contact(case), weight=case["sigma"], **_two_coefficients(case))
    ),
    "permissible": lambda case: _checks(assess(_contact(case), case["P"])),
    "project": lambda case: _outcome(projected_impulse(_contact(case), case["P"], case["P0"])),
    "spherical": _spherical,
}
