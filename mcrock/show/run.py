"""One run: its results and first events as text, and its files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcrock.base.params import Mode, Outcome
from mcrock.dataset import SCHEMA, declaration, events_to_csv, replacing, save_dataset
from mcrock.show.contacts import contact_name
from mcrock.show.history import describe_doubt, plot_history
from mcrock.show.style import add_source, save_figure
from mcrock.show.tables import as_json, format_table
from mcrock.simulation.runs import Run

if TYPE_CHECKING:
    from mcrock.excitation import Motion, Pulse
    from mcrock.show.replay import Replay

EVENTS_SHOWN = 10  # of the first, and of the last
UNITS_OF_EVENTS = {  # of their numbers
    "t": "s", "omega": "rad s-1", "velocity": "m s-1", "energy_change": "J", "tilt": "rad",
}  # fmt: skip


def format_replay(found: Replay, events_file: Path) -> str:
    """What a realization drew, then `format_run` with responses of one's own."""
    drawn = [f"{name} {_format_input(name, value)}" for name, value in found.drawn.items()]
    own = [(name, format_result(units, value)) for name, (value, units) in found.own.items()]
    head = "; ".join([f"{found.place}: {found.source}", *drawn])
    return f"{head}\n{format_run(found.run, events_file, own)}"


def format_run(run: Run, events_file: Path, own: Sequence[tuple[str, str]] = ()) -> str:
    """What happened in a run, its results and first events, as text; ``events_file`` has them all."""
    results = [*result_rows(run), *own]
    lines = [
        f"outcome: {run.outcome.name.lower().replace('_', ' ')}{describe_doubt(run)}",
        *describe_fall(run),
    ]
    width = max(len(row[0]) for row in results)
    lines += [f"{text:<{width}}  {value}" for text, value in results]
    heads = ["time [s]", "event", "then", "tilt [deg]", "energy change [J]"]
    few = len(run.events) <= 2 * EVENTS_SHOWN
    shown = run.events if few else run.events[:EVENTS_SHOWN] + run.events[-EVENTS_SHOWN:]
    rows = [
        [
            f"{event['t']:.4f}",
            event["kind"].replace("_", " "),
            _format_contact(*event["to"]),
            f"{math.degrees(event['tilt']):.4f}",
            f"{event['energy_change']:.4g}",
        ]
        for event in shown
    ]
    if not run.events:
        return "\n".join([*lines, "no events: the body never left its base"])
    count = f"{len(run.events)} events"
    if not few:
        count += f", the first and the last {EVENTS_SHOWN} of them (all are in {events_file})"
        rows.insert(EVENTS_SHOWN, ["..."] * len(heads))
    return "\n".join([*lines, count, format_table(heads, rows)])


def describe_fall(run: Run) -> list[str]:
    """When a body that overturned left the range from which it could rock back; nothing of others."""
    if run.outcome != Outcome.OVERTURNED:
        return []
    time, tilt = run.history["time"].values, run.history["tilt"].values
    low = tilt <= run.body.slenderness
    if not low.any():
        return ["its tilt was beyond the slenderness from the start"]
    last, end = time[low][-1], run.results["overturning_time"]
    before = sum(event["kind"].endswith("impact") for event in run.events if event["t"] <= last)
    return [
        f"its tilt passed the slenderness of {math.degrees(run.body.slenderness):.1f} deg for the last time "
        f"at {last:.2f} s, after {before} impacts, and it lay {end - last:.2f} s later"
    ]


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


def _format_input(name: str, value: float) -> str:
    """What a realization drew, with its unit or its name."""
    declared = declaration(name)
    return declared.flags(int(value)).name.lower() if declared.flags else format_result(declared.units, value)


def _format_result(name: str, value: float) -> str:
    """A result of a run with its unit; what did not happen is a dash."""
    if SCHEMA[name].long_name.startswith("1 if "):
        return "yes" if value else "no"
    if SCHEMA[name].dtype.startswith("i"):
        return str(int(value))
    return format_result(SCHEMA[name].units, value)


def format_result(units: str, value: float) -> str:
    """A number with its unit, angles in degrees; NaN is a dash."""
    if math.isnan(value):
        return "-"
    if units == "rad":
        return f"{math.degrees(value):.5g} deg"
    return f"{value:.6g} {units}" if units != "1" else f"{value:.6g}"


def save_run(
    run: Run,
    folder: str | Path,
    title: str = "",
    motion: Motion | Pulse | None = None,
    source: Mapping[str, Any] | None = None,
) -> list[Path]:
    """Write ``history.nc``, ``events.csv`` and ``history.png`` of a run, in place of files of these names.

    Parameters
    ----------
    run : Run
        With its history.
    folder : str or Path
        Where to write; made if it is not there.
    title, motion
        As `plot_history` takes them.
    source : mapping, optional
        ``title`` and ``seed`` of the study that the run is of, for the last line of the figure.

    Returns
    -------
    list of Path

    Raises
    ------
    ValueError
        If the run has no history, or what is in place of `history.nc` is not a NetCDF file.
    OSError
        If a file cannot be written.
    """
    folder = Path(folder)
    history, events, figure = (folder / name for name in ("history.nc", "events.csv", "history.png"))
    ax = plot_history(run, title, run.body.slenderness, motion)
    add_source(ax, source or {})
    folder.mkdir(parents=True, exist_ok=True)
    save_dataset(run.history, history, overwrite=True)
    with replacing(events) as path:
        path.write_text(events_to_csv(run.events), encoding="utf-8")
    save_figure(ax, figure)
    return [history, events, figure]
