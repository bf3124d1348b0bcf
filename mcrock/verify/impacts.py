"""Cases of single impacts: edge, facet, and the energy bound."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from mcrock.base.checks import Integer, Number, check_array
from mcrock.body import Body
from mcrock.impact.conditions import Impact
from mcrock.impact.dispatch import ImpactLaw
from mcrock.impact.varkonyi_2022 import (
    angular_impulse,
    corner_coefficient,
    edge_energy_roots,
    edge_map,
    facet_point,
    kinetic_energy,
    lift_speed,
    plastic_edge,
)
from mcrock.kernel.contact import F_CXX, F_CYY, F_HEIGHT, MASS
from mcrock.kernel.dynamics import (
    ALONG_X,
    ALONG_Y,
    EDGE,
    F0,
    P_X,
    P_Y,
    Q0,
    RATE,
    REST,
    W_X,
    inertia_of,
    point_of,
)
from mcrock.kernel.landing import land_edge, land_on_face
from mcrock.simulation.runs import body_tables, impact_law, set_law
from mcrock.verify.checks import ComparedQuantity, value_checks

# names of impact parameters in case files, and those of `Impact`
NAMES = {"lam": "lambda_", "tau": "tau", "lam_lon": "lambda_lon", "lam_lat": "lambda_lat"}


def impact_parameters(params: dict[str, Any]) -> dict[str, Any]:
    """Impact parameters of a case by their names in `Impact`; the rest of ``params`` is left out."""
    return {NAMES[key]: value for key, value in params.items() if key in NAMES}


def case_body(case: dict[str, Any]) -> Body:
    """The body of a rocking case."""
    body = case["body"]
    return Body(body["m"], body["Theta"], body["verts"], case.get("g", 9.81))


def case_law(params: dict[str, Any]) -> ImpactLaw:
    """Impact parameters of a case, taken as they are: energy gains are neither refused nor projected."""
    impact = Impact(**impact_parameters(params), point=params.get("R_xy_body"), energy_gain="allow")
    return impact_law(impact, n_face=1)


def _tables(case: dict[str, Any]) -> tuple[Any, Any, np.ndarray]:
    """Topology, the record of a run with the parameters of a case, and its tables of quantiles."""
    top, run = body_tables(case_body(case), base_only=True)
    return top, run, set_law(run, case_law(case.get("params", {})))


def _pose(case: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Orientation (3, 3) and angular velocity (3,) before an impact, as compiled code takes them."""
    rotation = check_array("orientation_R", case["orientation_R"], (3, 3), "1")
    return rotation, check_array("omega_before", case["omega_before"], (3,), "rad/s")


def _place(case: dict[str, Any], key: str, body: Any) -> int:
    """Number of a vertex of the base, or of the side that begins there."""
    return int(Integer(0, int(body.n_vertex) - 1).check(key, case[key]))


def edge_impact_case(case: dict[str, Any]) -> Iterator[ComparedQuantity]:
    """Edge impact from ``v_old`` to ``v_new`` in a given orientation."""
    _, run, quantiles = _tables(case)
    body, state, law = run.body, run.state, run.law
    rotation, omega = _pose(case)
    before = tuple(rotation.T @ omega)
    state[Q0 : Q0 + 4] = Rotation.from_matrix(rotation).as_quat(scalar_first=True)
    state[W_X : W_X + 3] = before
    old, new = (_place(case, key, body) for key in ("v_old", "v_new"))
    mass, inertia, up = body.scalars[MASS], inertia_of(body), tuple(rotation[2])
    b, a = point_of(body, old), point_of(body, new)
    raw = edge_map(mass, inertia, b, a, before, up, law.values[0], law.values[1])
    plastic = plastic_edge(mass, inertia, b, a, before)
    mode, _, change = land_edge(run, quantiles, old, new)
    after = tuple(state[W_X : W_X + 3])
    energy = kinetic_energy(mass, inertia, b, before)
    yield from value_checks(
        case,
        {
            "outcome": "edge" if mode == EDGE else "vertex",
            "omega_after": rotation @ after,
            "omega_raw_eq20": rotation @ raw,
            "omega_plastic": rotation @ plastic,
            "lift_speed_of_old_vertex": lift_speed(b, a, after, up),
            "E_before": energy,
            "E_after": energy + change,
        },
    )


def facet_impact_case(case: dict[str, Any]) -> Iterator[ComparedQuantity]:
    """Facet impact of a body that turned about base edge ``edge_old``."""
    top, run, quantiles = _tables(case)
    body, state, law = run.body, run.state, run.law
    k = _place(case, "edge_old", body)
    yaw = Rotation.from_euler("z", Number("rad").check("yaw", case.get("yaw", 0.0)))
    before = yaw.inv().apply(check_array("omega_before", case["omega_before"], (3,), "rad/s"))
    edge = body.edges[k]
    state[F0 : F0 + 4] = yaw.as_quat(scalar_first=True)
    state[[ALONG_X, ALONG_Y]] = yaw.apply(edge[:3])[:2]
    state[RATE] = before @ edge[:3]
    v = top.edge_vertices[k, 0]
    state[[P_X, P_Y]] = body.vertices[v, :2]
    mass, inertia, face = body.scalars[MASS], inertia_of(body), body.faces[0]
    n = int(body.n_vertex)
    point = law.point if np.isfinite(law.point).all() else None
    if point is None:
        point = np.array(facet_point(body.corners, 0, n, k, law.values[2], law.values[3]))
    run.mode, run.place = int(EDGE), k
    mode, index, change = land_on_face(run, quantiles, 0)
    after = state[W_X : W_X + 3].copy()
    tau = None
    if mode == REST:
        outcome, pivots = "rest", []
    else:
        outcome = "edge" if mode == EDGE else "vertex"
        pivots = sorted(top.edge_vertices[index].tolist()) if mode == EDGE else [int(index)]
        tau = angular_impulse(
            mass, inertia, (*point, -face[F_HEIGHT]), point_of(body, v), point_of(body, pivots[0]),
            tuple(before), tuple(after), (0.0, 0.0, 1.0),
        )  # fmt: skip
    compliance = tuple(face[F_CXX : F_CYY + 1])
    energy = kinetic_energy(mass, inertia, point_of(body, v), tuple(before))
    yield from value_checks(
        case,
        {
            "outcome": outcome,
            "pivots": pivots,
            "omega_after": yaw.apply(after),
            "tau": tau,
            "R_xy_body": point,
            "k": [corner_coefficient(mass, compliance, tuple(point), x, y) for x, y in body.corners[:n]],
            "E_before": energy,
            "E_after": energy + change,
        },
    )


def edge_energy_roots_case(case: dict[str, Any]) -> Iterator[ComparedQuantity]:
    """Interval of tau in which an edge impact gains no energy."""
    _, run, _ = _tables(case)
    body = run.body
    rotation, omega = _pose(case)
    low, high = edge_energy_roots(
        body.scalars[MASS],
        inertia_of(body),
        point_of(body, _place(case, "v_old", body)),
        point_of(body, _place(case, "v_new", body)),
        tuple(rotation.T @ omega),
        tuple(rotation[2]),
        Number("1").check("lam", case.get("params", {}).get("lam", 1.0)),
    )
    yield from value_checks(case, {"tau_lo": low, "tau_hi": high})


IMPACT_KINDS = {
    "edge_impact": edge_impact_case,
    "facet_impact": facet_impact_case,
    "edge_energy_roots": edge_energy_roots_case,
}
