"""Comparing what comes out of a case with what was expected; cases of single edge and facet impacts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from mcrock.base.checks import Integer, Number, check_array
from mcrock.body import Body
from mcrock.impact.conditions import Impact
from mcrock.impact.planar import ImpactLaw
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
from mcrock.kernel import codes
from mcrock.kernel.dynamics import inertia_of, point_of
from mcrock.kernel.landing import land_edge, land_on_face
from mcrock.show.text import shorten
from mcrock.simulation.runs import body_tables, impact_law, set_law

TOLERANCE = Number("1", least=0.0)
INDICES = ("outcome", "pivots", "map", "in_contact_after", "slipping_after")  # and words
LONGEST_VALUE = 27  # characters


@dataclass(frozen=True, slots=True)
class ComparedQuantity:
    """One compared quantity of a case.

    ``tolerance`` is the largest allowed difference; texts and lists of indices have none and must
    be equal.
    """

    case: str
    quantity: str
    expected: Any
    computed: Any
    tolerance: float | None
    passed: bool


class CaseError(ValueError):
    """A case file that cannot be read or a case that cannot be run."""


def compare(
    case: str, quantity: str, expected: Any, computed: Any, absolute: float, relative: float = 0.0
) -> ComparedQuantity:
    """Compare numbers of any shape: |x - y| <= abs + rel |y| for every element; what is not
    finite must be the same."""
    absolute, relative = (TOLERANCE.check("a tolerance", value) for value in (absolute, relative))
    y, x = np.asarray(expected, float), np.asarray(computed, float)
    tolerance = absolute + relative * float(np.abs(y).max(initial=0.0))
    passed = x.shape == y.shape
    if passed:
        finite = np.isfinite(y)
        alike = np.isclose(x, y, rtol=relative, atol=absolute, equal_nan=True)
        passed = bool(np.all(np.where(finite, alike, (x == y) | (np.isnan(x) & np.isnan(y)))))
    return ComparedQuantity(case, quantity, expected, computed, tolerance, passed)


def same(case: str, quantity: str, expected: Any, computed: Any) -> ComparedQuantity:
    """Compare texts, truth values or lists of indices."""
    return ComparedQuantity(case, quantity, expected, computed, None, expected == computed)


def value_checks(case: dict[str, Any], computed: dict[str, Any]) -> Iterator[ComparedQuantity]:
    """Every expected value: words, truth values and indices as they are, numbers within a tolerance."""
    tolerance = case.get("tol", {})
    bounds = tolerance.get("abs") or 0.0, tolerance.get("rel") or 0.0
    for key, expected in case["expected"].items():
        if is_information(key, expected):
            continue
        if isinstance(expected, str | bool) or key in INDICES:
            wanted = sorted(expected) if isinstance(expected, list) else expected
            yield same(case["id"], key, wanted, computed[key])
        else:
            yield compare(case["id"], key, expected, computed[key], *bounds)


def checks_where_given(
    case: str, label: str, expected: dict[str, Any], values: dict[str, tuple[Any, str]]
) -> Iterator[ComparedQuantity]:
    """Values with the names of their tolerances, those that are expected with a tolerance."""
    for key, (value, tolerance) in values.items():
        if not is_information(key, expected.get(key)) and expected.get(tolerance) is not None:
            name = f"{label}{key.removesuffix('_after')}"
            yield compare(case, name, expected[key], value, expected[tolerance])


def failed(case: str, reason: str) -> ComparedQuantity:
    """A case that could not be run."""
    return ComparedQuantity(case, "case", "a result", reason, None, False)


def is_information(key: str, value: Any) -> bool:
    """True if an expected entry is not meant to be compared."""
    named = key in {
        "reference_summary",
        "n_events_checked",
        "outcome_robust_to_rel_amplitude",
        "t_max_tilt",
        "min_Fz_over_mg",
    }
    text = isinstance(value, str) and "not check" in value.lower()
    return named or key.startswith("note") or key.endswith("_note") or value is None or text


def print_checks(checks: Iterable[ComparedQuantity], failures: bool) -> bool:
    """Print checks as they come, in columns, and a summary; True if all passed."""
    heads = f"{'case':<28}{'quantity':<36}{'expected':>28}{'computed':>28}{'tolerance':>11}  verdict"
    total = failed = 0
    for check in checks:
        if not total:  # not before the first check: a file of cases may be broken
            print(heads)
        total += 1
        failed += not check.passed
        if check.passed and failures:
            continue
        if check.quantity == "case":  # one that could not be run
            print(f"{check.case:<28}FAILED, cannot be run: {check.computed}")
            continue
        tolerance = "" if check.tolerance is None else f"{check.tolerance:.2g}"
        verdict = "ok" if check.passed else "FAILED"
        expected, computed = _format_value(check.expected), _format_value(check.computed)
        print(f"{check.case:<28}{check.quantity:<36}{expected:>28}{computed:>28}{tolerance:>11}  {verdict}")
    print(f"{total} checks, {total - failed} passed, {failed} failed")
    return total > 0 and not failed


def _format_value(value: Any) -> str:
    """A number, text or the elements of an array, in at most 27 characters."""
    if value is None:
        return "none"
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int):
        return shorten(str(value), LONGEST_VALUE)
    if isinstance(value, float):
        return f"{value:.12g}"
    items = getattr(value, "tolist", lambda: value)()
    text = ",".join(_format_value(item) if not isinstance(item, float) else f"{item:.3g}" for item in items)
    return shorten(text, LONGEST_VALUE)


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
    state.q0, state.q1, state.q2, state.q3 = Rotation.from_matrix(rotation).as_quat(scalar_first=True)
    state.w_x, state.w_y, state.w_z = before
    old, new = (_place(case, key, body) for key in ("v_old", "v_new"))
    mass, inertia, up = body.mass, inertia_of(body), tuple(rotation[2])
    b, a = point_of(body, old), point_of(body, new)
    raw = edge_map(mass, inertia, b, a, before, up, law.values[0], law.values[1])
    plastic = plastic_edge(mass, inertia, b, a, before)
    mode, _, change = land_edge(run, quantiles, old, new)
    after = state.w_x, state.w_y, state.w_z
    energy = kinetic_energy(mass, inertia, b, before)
    yield from value_checks(
        case,
        {
            "outcome": "edge" if mode == codes.EDGE else "vertex",
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
    state.f0, state.f1, state.f2, state.f3 = yaw.as_quat(scalar_first=True)
    along = np.array([edge.along_x, edge.along_y, edge.along_z])
    state.along_x, state.along_y = yaw.apply(along)[:2]
    state.rate = before @ along
    v = top.edge_vertices[k, 0]
    state.p_x, state.p_y = body.vertices[v, :2]
    mass, inertia, face = body.mass, inertia_of(body), body.faces[0]
    n = int(body.n_vertex)
    point = law.point if np.isfinite(law.point).all() else None
    if point is None:
        point = np.array(facet_point(body.corners, 0, n, k, law.values[2], law.values[3]))
    run.mode, run.place = int(codes.EDGE), k
    mode, index, change = land_on_face(run, quantiles, 0)
    after = np.array([state.w_x, state.w_y, state.w_z])
    tau = None
    if mode == codes.REST:
        outcome, pivots = "rest", []
    else:
        outcome = "edge" if mode == codes.EDGE else "vertex"
        pivots = sorted(top.edge_vertices[index].tolist()) if mode == codes.EDGE else [int(index)]
        tau = angular_impulse(
            mass, inertia, (*point, -face.height), point_of(body, v), point_of(body, pivots[0]),
            tuple(before), tuple(after), (0.0, 0.0, 1.0),
        )  # fmt: skip
    compliance = face.c_xx, face.c_xy, face.c_yy
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
        body.mass,
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
