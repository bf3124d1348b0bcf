"""What the command line prints: progress, tables of results, times."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from mcrock.params import STANDARD_GRAVITY

if TYPE_CHECKING:
    import xarray as xr

    from mcrock.ensemble import Progress
    from mcrock.simulate import Run

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
    if not progress.finished:
        return f"{text}, starting (the first start compiles)"
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


def summarize(probability: xr.Dataset, fragility: xr.Dataset) -> str:
    """Table of probabilities with intervals, and the parameters of the fragility curve, as text.

    Parameters
    ----------
    probability, fragility : Dataset
        From `overturning_probability` and `fit_fragility`.
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
    return "\n".join(lines)


def _with_interval(fragility: xr.Dataset, key: str, units: str) -> str:
    values = [float(fragility[key]), *fragility[f"{key}_interval"].values.tolist()]
    if key == "median":
        estimate, low, high = label_intensities(values, units)
    else:
        estimate, low, high = (f"{value:.3g}" for value in values)
    return f"{'unknown' if math.isnan(values[0]) else estimate} ({low} to {high})"


def word_run(run: Run) -> str:
    """Results and events of one run, as text."""
    from mcrock.dataset import SCHEMA

    results = [
        [SCHEMA[name].long_name, f"{value:.6g}", SCHEMA[name].units if SCHEMA[name].units != "1" else ""]
        for name, value in run.results.items()
        if name != "outcome"
    ]
    width = max(len(row[0]) for row in results)
    lines = [f"outcome: {run.outcome.name.lower().replace('_', ' ')}"]
    lines += [f"{text:<{width}}  {value} {units}".rstrip() for text, value, units in results]
    heads = ["time [s]", "event", "then", "tilt [rad]", "energy change [J]"]
    rows = [
        [
            f"{event['t']:.4f}",
            event["kind"].replace("_", " "),
            f"{event['to'][0].lower()} {event['to'][1]}",
            f"{event['tilt']:.5f}",
            f"{event['energy_change']:.4g}",
        ]
        for event in run.events
    ]
    return "\n".join([*lines, f"{len(rows)} events", table(heads, rows)])
