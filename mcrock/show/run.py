"""One run as text: its results and its first events."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import xarray as xr

from mcrock.dataset import SCHEMA
from mcrock.params import Mode
from mcrock.show.contacts_text import contact_name
from mcrock.show.json_values import as_json
from mcrock.show.tables import format_table
from mcrock.simulation import Run
from mcrock.statistics.runs import guessed

EVENTS_SHOWN = 20
UNITS_OF_EVENTS = {  # of their numbers
    "t": "s", "omega": "rad s-1", "velocity": "m s-1", "energy_change": "J", "tilt": "rad",
}  # fmt: skip


def format_run(run: Run, events_file: Path) -> str:
    """Results and first events of one run, as text; ``events_file`` has them all."""
    results = result_rows(run)
    width = max(len(row[0]) for row in results)
    lines = [f"outcome: {run.outcome.name.lower().replace('_', ' ')}{describe_doubt(run)}"]
    lines += [f"{text:<{width}}  {value}" for text, value in results]
    heads = ["time [s]", "event", "then", "tilt [rad]", "energy change [J]"]
    rows = [
        [
            f"{event['t']:.4f}",
            event["kind"].replace("_", " "),
            _format_contact(*event["to"]),
            f"{event['tilt']:.5f}",
            f"{event['energy_change']:.4g}",
        ]
        for event in run.events[:EVENTS_SHOWN]
    ]
    if not run.events:
        return "\n".join([*lines, "no events: the body never left its base"])
    count = f"{len(run.events)} events"
    if len(run.events) > EVENTS_SHOWN:
        count += f", the first {EVENTS_SHOWN} of them (all are in {events_file})"
    return "\n".join([*lines, count, format_table(heads, rows)])


def describe_doubt(run: Run) -> str:
    """Why statistics count a run that has an end as undecided, to follow its outcome; else nothing."""
    names = "outcome", "infeasible_energy_loss", "infeasible_facet_impacts"
    if not guessed(xr.Dataset({"facet_fallback": run.facet_fallback} | {k: run.results[k] for k in names})):
        return ""
    percent = f"{100.0 * run.infeasible_energy_loss:.0f} %"
    return f", but undecided: infeasible impacts took {percent} of the energy needed to overturn"


def result_rows(run: Run) -> list[tuple[str, str]]:
    """Results of a run by what they are."""
    return [
        (SCHEMA[name].long_name.removeprefix("1 if "), _format_result(name, value))
        for name, value in run.results.items()
        if name not in ("outcome", "half_step_outcome")
    ]


def run_as_json(run: Run) -> dict[str, Any]:
    """Outcome, results and all events of one run, and the units of their numbers by name."""
    results = {
        name: int(value) if SCHEMA[name].dtype.startswith("i") else value
        for name, value in run.results.items()
        if name not in ("outcome", "half_step_outcome")
    }
    events = []
    for event in run.events:
        mode, index = event["to"]
        shown = {name: value for name, value in event.items() if name != "to"}
        events.append(shown | {"mode": mode.lower(), "index": index})
    units = {name: SCHEMA[name].units for name in results} | UNITS_OF_EVENTS
    return as_json(
        {"outcome": run.outcome.name.lower(), "results": results, "events": events, "units": units}
    )


def _format_contact(mode: str, index: int) -> str:
    """Contact after an event, as in `edge 2`; that of a flight has no number."""
    name = contact_name(Mode[mode])
    return name if index < 0 else f"{name} {index}"


def _format_result(name: str, value: float) -> str:
    """A result of a run with its unit; what did not happen is a dash."""
    units = SCHEMA[name].units
    if math.isnan(value):
        return "-"
    if SCHEMA[name].long_name.startswith("1 if "):
        return "yes" if value else "no"
    if SCHEMA[name].dtype.startswith("i"):
        return str(int(value))
    return f"{value:.6g} {units}" if units != "1" else f"{value:.6g}"
