"""What the command line prints: progress, tables of results, times."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from mcrock.params import STANDARD_GRAVITY

if TYPE_CHECKING:
    from pathlib import Path

    import xarray as xr

    from mcrock.ensemble import Progress
    from mcrock.simulation import Run
    from mcrock.verification import Check

LINE_INTERVAL = 10.0  # between progress lines where the output is no terminal [s]


class Report(Protocol):
    """What `run_study` calls as it goes."""

    def __call__(self, progress: Progress) -> None: ...


@contextmanager
def show_progress() -> Iterator[Report]:
    """Progress on the error stream: a live display on a terminal, else a line now and then."""
    if not sys.stderr.isatty():
        yield _print_lines()
        return
    from rich.console import Console, Group
    from rich.live import Live
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    with Live(console=Console(stderr=True), refresh_per_second=4, transient=True) as live:

        def show(progress: Progress) -> None:
            bar = ProgressBar(total=max(progress.total_runs, 1), completed=progress.finished_runs, width=50)
            live.update(Group(bar, Text(word_progress(progress)), Text(word_shares(progress))))

        yield show


def _print_lines() -> Report:
    last = monotonic()

    def show(progress: Progress) -> None:
        nonlocal last
        if monotonic() - last < LINE_INTERVAL or not progress.finished:
            return
        last = monotonic()
        print(f"{word_progress(progress)}; {word_shares(progress)}", file=sys.stderr, flush=True)

    return show


def word_progress(progress: Progress) -> str:
    """Numbers of a progress in one line."""
    text = f"{progress.finished_runs} of {progress.total_runs} runs"
    if progress.finished <= progress.first:  # no rate yet: the first part waited for the compiler
        return f"{text}, starting (the first start compiles, for about half a minute)"
    return f"{text}, {progress.rate:.0f} runs/s, {word_time(progress.seconds_left)} left"


def word_shares(progress: Progress) -> str:
    """Share of the finished runs that overturned, at each intensity."""
    if not progress.finished:
        return ""
    shares = [f"{count / progress.finished:.2f}" for count in progress.overturned]
    if progress.intensities is None:
        return f"overturned so far: {shares[0]}"
    labels = label_intensities(progress.intensities, progress.units)
    pairs = (f"{share} at {label}" for label, share in zip(labels, shares, strict=True))
    return f"overturned so far: {', '.join(pairs)}"


def word_time(seconds: float) -> str:
    """A time span in the unit that suits it.

    >>> word_time(0.2), word_time(7.4), word_time(300), word_time(9000), word_time(3e6)
    ('less than 1 s', '7 s', '5.0 min', '2.5 h', '34.7 days')
    """
    if seconds < 1:
        return "less than 1 s"
    for limit, size, unit in ((120, 1, "s"), (7200, 60, "min"), (172800, 3600, "h")):
        if seconds < limit:
            return f"{seconds / size:.{0 if size == 1 else 1}f} {unit}"
    return f"{seconds / 86400:.1f} days"


def label_intensities(values: Sequence[float], units: str) -> list[str]:
    """Intensities as readers know them: accelerations in g.

    >>> label_intensities([1.961330, 4.903325], "m s-2"), label_intensities([0.5], "m s-1")
    (['0.2 g', '0.5 g'], ['0.5 m/s'])
    """
    if units == "m s-2":
        return [f"{value / STANDARD_GRAVITY:.3g} g" for value in values]
    unit = {"m s-1": " m/s", "1": ""}.get(units, f" {units}")
    return [f"{value:.3g}{unit}" for value in values]


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns aligned to the right, one line per row.

    >>> print(table(["a", "b"], [["1", "long"], ["20", "x"]]))
     a     b
     1  long
    20     x
    """
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in [heads, *rows]
    )


def plain(value: Any) -> Any:
    """Numbers and arrays as JSON can hold them: NaN and infinity become null."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def dataset_to_json(ds: xr.Dataset) -> dict[str, Any]:
    """Every variable of a small dataset as plain lists, with dims and units."""
    variables = {
        str(name): {"dims": list(array.dims), "units": array.attrs.get("units"), "values": array.values}
        for name, array in ds.variables.items()
    }
    return plain({"variables": variables, "attributes": dict(ds.attrs)})


def summarize(probability: xr.Dataset, fragility: xr.Dataset, steps: xr.Dataset) -> str:
    """Table of probabilities with intervals, and the parameters of the fragility curve, as text.

    Parameters
    ----------
    probability, fragility, steps : Dataset
        From `overturning_probability`, `fit_fragility` and `step_check`.
    """
    axis = probability["intensity"]
    units = axis.attrs.get("units", "1")
    percent = f"{probability.attrs['level'] * 100:.4g} %"
    rows = [
        [label, *(str(int(number)) for number in counts), f"{p:.4f}", f"{low:.4f} to {high:.4f}"]
        for label, *counts, p, low, high in zip(
            label_intensities(axis.values.tolist(), units),
            probability["runs"].values,
            probability["overturned"].values,
            probability["undecided"].values,
            probability["probability"].values,
            *probability["interval"].transpose("bound", "intensity").values,
            strict=True,
        )
    ]
    heads = ["intensity", "runs", "overturned", "undecided", "probability", f"{percent} interval"]
    name = axis.attrs.get("long_name", "intensity")
    median, dispersion = (_with_interval(fragility, key, units) for key in ("median", "dispersion"))
    lines = [
        f"Probability of overturning by {name}",
        table(heads, rows),
        f"Lognormal fragility ({fragility.attrs['fit']}): median {median}, dispersion {dispersion}",
        f"{int(probability['records'])} independent recordings; the intervals count "
        f"{probability.attrs['independent']}, not runs",
    ]
    undecided = int(probability["undecided"].sum())
    if undecided:
        total = int(probability["runs"].sum())
        lines.append(f"{undecided} of {total} runs are undecided and widen the intervals")
    if steps["repeated"]:
        lines.append(
            f"{int(steps['repeated'])} runs repeated at half the time step: {int(steps['flipped'])} ended "
            f"differently, the share overturned changed by {float(steps['shift']):+.4f}"
        )
    return "\n".join(lines)


def _with_interval(fragility: xr.Dataset, key: str, units: str) -> str:
    values = [float(fragility[key]), *fragility[f"{key}_interval"].values.tolist()]
    if key == "median":
        estimate, low, high = label_intensities(values, units)
    else:
        estimate, low, high = (f"{value:.3g}" for value in values)
    return f"{'unknown' if math.isnan(values[0]) else estimate} ({low} to {high})"


EVENTS_SHOWN = 20


def word_run(run: Run, events_file: Path) -> str:
    """Results and first events of one run, as text; ``events_file`` has them all."""
    from mcrock.dataset import SCHEMA

    results = [
        [SCHEMA[name].long_name, _word_result(name, value)]
        for name, value in run.results.items()
        if name != "outcome"
    ]
    width = max(len(row[0]) for row in results)
    lines = [f"outcome: {run.outcome.name.lower().replace('_', ' ')}"]
    lines += [f"{text:<{width}}  {value}" for text, value in results]
    heads = ["time [s]", "event", "then", "tilt [rad]", "energy change [J]"]
    rows = [
        [
            f"{event['t']:.4f}",
            event["kind"].replace("_", " "),
            f"{event['to'][0].lower()} {event['to'][1]}",
            f"{event['tilt']:.5f}",
            f"{event['energy_change']:.4g}",
        ]
        for event in run.events[:EVENTS_SHOWN]
    ]
    count = f"{len(run.events)} events"
    if len(run.events) > EVENTS_SHOWN:
        count += f", the first {EVENTS_SHOWN} of them (all are in {events_file})"
    return "\n".join([*lines, count, table(heads, rows)])


def _word_result(name: str, value: float) -> str:
    """A result of a run with its unit; what did not happen is a dash."""
    from mcrock.dataset import SCHEMA

    units = SCHEMA[name].units
    if math.isnan(value):
        return "-"
    if SCHEMA[name].dtype.startswith("i"):
        return str(int(value))
    return f"{value:.6g} {units}" if units != "1" else f"{value:.6g}"


def print_checks(checks: Iterable[Check], failures: bool) -> bool:
    """Print checks as they come, in columns, and a summary; True if all passed."""
    heads = f"{'case':<28}{'quantity':<36}{'expected':>28}{'computed':>28}{'tolerance':>11}  verdict"
    print(heads)
    total = failed = 0
    for check in checks:
        total += 1
        failed += not check.passed
        if check.passed and failures:
            continue
        tolerance = "" if check.tolerance is None else f"{check.tolerance:.2g}"
        verdict = "ok" if check.passed else "FAILED"
        expected, computed = _word_value(check.expected), _word_value(check.computed)
        print(f"{check.case:<28}{check.quantity:<36}{expected:>28}{computed:>28}{tolerance:>11}  {verdict}")
    print(f"{total} checks, {total - failed} passed, {failed} failed")
    return total > 0 and not failed


def _word_value(value: Any) -> str:
    """A number, text or the largest element of an array, in at most 27 characters."""
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int | float):
        return f"{value:.12g}"
    items = getattr(value, "tolist", lambda: value)()
    text = ",".join(_word_value(item) if not isinstance(item, float) else f"{item:.3g}" for item in items)
    return text if len(text) <= 27 else f"{text[:24]}..."
