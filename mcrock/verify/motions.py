"""Cases of motions: free and excited rocking, periods, overturning limits, uplift."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import acosh
from typing import Any

import numpy as np

from mcrock.base.params import DECIDED, STANDARD_GRAVITY, Mode, Outcome
from mcrock.body import Body
from mcrock.body.faces import rotation_matrix
from mcrock.excitation import Motion, Pulse, fema_p695
from mcrock.impact.conditions import Controls, Impact, Start
from mcrock.simulation.run import Run
from mcrock.simulation.runs import simulate
from mcrock.verify.checks import ComparedQuantity, checks_where_given, compare, is_information, same
from mcrock.verify.impacts import case_body, impact_parameters

# some 15 times the steps that the longest of the shipped cases takes
TIGHT = Controls(step=0.004, max_step=1e-3, edge_zeno_time=1e-6, rest_time=1e-5, max_steps=200_000)


def case_impact(case: dict[str, Any]) -> Impact:
    """Impact parameters of a case; energy gains are neither refused nor projected."""
    params = case.get("params", {})
    point = tuple(params["R_xy_body"]) if "R_xy_body" in params else None
    return Impact(**impact_parameters(params), point=point, energy_gain="allow")


def case_start(case: dict[str, Any]) -> Start:
    """Initial state of a case; at rest by default."""
    initial = case.get("initial", {"mode": "REST"})
    if initial["mode"] == "EDGE":
        return Start(edge=initial["idx"], tilt=initial.get("tilt", 0.0), rate=initial.get("rate", 0.0))
    if initial["mode"] == "VERTEX":
        return Start(
            vertex=initial["idx"], orientation=initial["quat_wxyz"], angular_velocity=initial["omega"]
        )
    if initial["mode"] != "REST":
        raise ValueError(f"initial mode must be REST, EDGE or VERTEX, got {initial['mode']!r}")
    return Start()


def case_motion(
    excitation: dict[str, Any] | None, t_end: float, factor: float = 1.0
) -> Motion | Pulse | None:
    """Ground motion of a case, times ``factor``."""
    if excitation is None:
        return None
    kind = excitation["type"]
    scale = factor * excitation.get("scale", 1.0)
    if kind == "pulse":
        return Pulse(
            tuple(scale * np.array(excitation["A"], float)),
            excitation["omega_p"],
            phase=excitation.get("phase", 0.0),
            cycles=excitation.get("cycles", 1.0),
            start=excitation.get("t0", 0.0),
        )
    if kind == "ramp":
        start, slope = np.array(excitation["a0"], float), np.array(excitation["slope"], float)
        ends = np.stack([start, start + slope * t_end], axis=1)
        return Motion(scale * ends, dt=t_end, name="ramp")
    if kind != "record":
        raise ValueError(f"excitation type must be pulse, ramp or record, got {kind!r}")
    if "a" in excitation:
        return Motion(scale * np.array(excitation["a"], float).T, dt=excitation["dt"], name="record")
    window = excitation["fema_p695"]
    motion = fema_p695(window["set"], [window["record"]])[0]
    samples = motion.acceleration[:, window["first"] : window["last"]] / STANDARD_GRAVITY
    samples[:, 0] = 0.0
    return Motion(scale * window["factor"] * samples, dt=excitation.get("dt", motion.dt), name=motion.name)


def _run(case: dict[str, Any], t_end: float, factor: float = 1.0, history: bool = True) -> Run:
    return simulate(
        case_body(case),
        case_motion(case.get("excitation"), case["t_end"], factor),
        case_impact(case),
        start=case_start(case),
        controls=TIGHT,
        t_end=t_end,
        history=history,
    )


def motion_case(case: dict[str, Any]) -> Iterator[ComparedQuantity]:
    """Leading events, tilt peaks, states and maxima of one motion."""
    name, expected = case["id"], case["expected"]
    run = _run(case, case["t_end"])
    yield from event_checks(name, expected.get("events") or [], run.events)
    yield from peak_checks(name, expected.get("tilt_peaks") or [], run)
    for number, state in enumerate(expected.get("states") or []):
        yield from state_checks(name, number, state, _run(case, state["t"]))
    if not is_information("overturned", expected.get("overturned")):
        yield same(name, "overturned", expected["overturned"], run.outcome == Outcome.OVERTURNED)
    computed = {
        "t_overturn": (run.results["overturning_time"], "t_overturn_tol"),
        "max_tilt": (run.results["peak_tilt"], "max_tilt_tol"),
        "max_friction_contact": (run.results["peak_friction_demand"], "max_friction_tol"),
    }
    yield from checks_where_given(name, "", expected, computed)


def event_checks(
    name: str, expected: list[dict[str, Any]], events: list[dict[str, Any]]
) -> Iterator[ComparedQuantity]:
    """Compare the leading events in order."""
    position = 0
    for number, event in enumerate(expected):
        while position < len(events) and events[position]["kind"] == "rest" != event["kind"]:
            position += 1  # the end of a sequence of impacts, listed by some references only
        label = f"event {number} {event['kind']}"
        if position >= len(events):
            yield ComparedQuantity(name, label, event["kind"], "no such event", None, False)
            return
        found = events[position]
        position += 1
        yield same(name, label, [event["kind"], *unordered(event["to"])], [found["kind"], *found["to"]])
        values = {
            "t": (found["t"], "tol_t"),
            "omega_after": (found.get("omega"), "tol_omega"),
            "velocity_after": (found.get("velocity"), "tol_velocity"),
        }
        yield from checks_where_given(name, f"{label} ", event, values)
        if event.get("slipping") is not None:
            yield same(name, f"{label} slipping", sorted(event["slipping"]), found["slipping"])
        if event.get("face") is not None:
            yield same(name, f"{label} face", event["face"], found["face"])


def unordered(place: list[Any]) -> list[Any]:
    """A contact with the vertices of an edge in rising order."""
    return [place[0], *sorted(place[1:])]


def peak_checks(name: str, expected: list[dict[str, Any]], run: Run) -> Iterator[ComparedQuantity]:
    """Peaks by the parabola through the highest point of the history and its neighbours."""
    t, tilt = run.history["time"].values, run.history["tilt"].values
    keep = np.concatenate([[True], np.diff(t) > 1e-9])
    t, tilt = t[keep], tilt[keep]
    inner = np.flatnonzero((tilt[1:-1] >= tilt[:-2]) & (tilt[1:-1] > tilt[2:])) + 1
    for number, peak in enumerate(expected):
        label = f"tilt peak {number}"
        if len(inner) == 0:
            yield ComparedQuantity(name, label, peak["tilt"], "no peak", None, False)
            continue
        i = inner[np.abs(t[inner] - peak["t"]).argmin()]
        c2, c1, c0 = np.polyfit(t[i - 1 : i + 2] - t[i], tilt[i - 1 : i + 2] - tilt[i], 2)
        if peak.get("tol_t") is not None:
            yield compare(name, f"{label} t", peak["t"], t[i] - c1 / (2 * c2), peak["tol_t"])
        if peak.get("tol_tilt") is not None:
            yield compare(name, label, peak["tilt"], tilt[i] + c0 - c1 * c1 / (4 * c2), peak["tol_tilt"])


def state_checks(
    name: str,
    number: int,
    expected: dict[str, Any],
    run: Run,
    place: Callable[[str, int], list[Any]] | None = None,
) -> Iterator[ComparedQuantity]:
    """Compare the last state of a run; ``place`` makes what the case calls a mode and its index."""
    last = run.history.isel(time=-1)
    label = f"state {number}"
    if expected.get("mode") is not None:
        where = Mode(int(last["mode"])).name, int(last["index"])
        mode = list(where) if place is None else place(*where)
        yield same(name, f"{label} mode", unordered(expected["mode"]), mode)
    values = {
        "R": (rotation_matrix(last["orientation"].values), "tol_R"),
        "omega": (last["angular_velocity"].values, "tol_omega"),
        "com": (last["com"].values, "tol_com"),
        "tilt": (float(last["tilt"]), "tol_R"),
    }
    yield from checks_where_given(name, f"{label} ", expected, values)


def quarter_period_case(case: dict[str, Any]) -> Iterator[ComparedQuantity]:
    """Time from rest at a tilt to the first facet impact, simulated and by Housner's formula."""
    name, expected, tolerance = case["id"], case["expected"], case.get("tol", {})
    body, start = case_body(case), case_start(case)
    if expected.get("linear") is not None:
        p, slenderness = edge_frequency(body, case["initial"]["idx"])
        linear = acosh(1.0 / (1.0 - start.tilt / slenderness)) / p
        yield compare(name, "linear", expected["linear"], linear, 0.0, tolerance.get("linear_rel") or 0.0)
    if expected.get("nonlinear") is not None:
        t_end = case.get("t_end", 100.0)
        run = simulate(body, None, case_impact(case), start=start, controls=TIGHT, t_end=t_end)
        first = next((e["t"] for e in run.events if e["kind"] == "facet_impact"), np.nan)
        yield compare(name, "nonlinear", expected["nonlinear"], first, tolerance.get("nonlinear_abs") or 0.0)


def edge_frequency(body: Body, edge: int) -> tuple[float, float]:
    """Frequency parameter p [rad/s] and slenderness [rad] of planar rocking about a base edge."""
    v, w = body.vertices[edge], body.vertices[(edge + 1) % len(body.vertices)]
    along = (w - v) / np.linalg.norm(w - v)
    lever = v - (v @ along) * along
    about = along @ body.inertia @ along + body.mass * lever @ lever
    radius = float(np.linalg.norm(lever))
    return float(np.sqrt(body.mass * body.gravity * radius / about)), float(body.edge_slenderness[edge])


def min_overturn_amplitude_case(case: dict[str, Any]) -> Iterator[ComparedQuantity]:
    """Smallest amplitude of an overturning band: scanned upwards from just below, then bisected."""
    name, expected, tolerance = case["id"], case["expected"], case.get("tol", {})

    def overturns(amplitude: float) -> Run | None:
        run = _run(case, case["t_end"], amplitude, history=False)
        if run.outcome not in (*DECIDED, Outcome.ROCKING):  # which a limit ended
            raise ValueError(f"the run with the amplitude {amplitude:.6g} is undecided: {run.outcome.name}")
        return run if run.outcome == Outcome.OVERTURNED else None

    for key, wanted in (("not_overturned_at", False), ("overturned_at", True)):
        if expected.get(key) is not None:
            yield same(name, f"{key} {expected[key]:.6g}", wanted, overturns(expected[key]) is not None)
    if expected.get("a_min") is None:
        return
    low = high = 0.97 * expected["a_min"]
    found = None
    for share in np.arange(0.972, 1.051, 0.002).tolist():
        low, high = high, share * expected["a_min"]
        if (found := overturns(high)) is not None:
            break
    while found is not None and high - low > 1e-7 * high:
        middle = 0.5 * (low + high)
        if (run := overturns(middle)) is not None:
            high, found = middle, run
        else:
            low = middle
    value = 0.5 * (low + high) if found is not None else np.nan
    yield compare(
        name, "a_min", expected["a_min"], value, tolerance.get("abs") or 0.0, tolerance.get("rel") or 0.0
    )
    if expected.get("impacts_before_overturn") is not None and found is not None:
        impacts = int(found.results["facet_impacts"])
        yield same(name, "impacts_before_overturn", expected["impacts_before_overturn"], impacts)


def uplift_ramp_case(case: dict[str, Any]) -> Iterator[ComparedQuantity]:
    """Uplift from rest and release of an edge under a ground acceleration that grows linearly."""
    name, expected, tolerance = case["id"], case["expected"], case.get("tol", {})
    run = _run(case, case["t_end"])
    for key, kind in (("uplift", "uplift"), ("release", "edge_release")):
        wanted = expected.get(key)
        if wanted is None:
            continue
        found = next((event for event in run.events if event["kind"] == kind), None)
        if found is None:
            yield ComparedQuantity(name, key, wanted, "no such event", None, False)
            continue
        yield compare(name, f"{key} t", wanted["t"], found["t"], tolerance.get(f"t_{key}") or 0.0)
        if "mode" in wanted:
            yield same(name, f"{key} contact", [wanted["mode"], wanted["idx"]], list(found["to"]))
        if "pivot" in wanted:
            yield same(name, f"{key} pivot", wanted["pivot"], found["to"][1])


MOTION_KINDS = {
    "free_planar": motion_case,
    "free_3d": motion_case,
    "excited": motion_case,
    "excited_record": motion_case,
    "real_record": motion_case,
    "quarter_period": quarter_period_case,
    "min_overturn_amplitude": min_overturn_amplitude_case,
    "uplift_ramp": uplift_ramp_case,
}
