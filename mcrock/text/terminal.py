"""What the command line prints: progress, tables of results, times."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
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
def count_frames() -> Iterator[Callable[[int, int], None]]:
    """Progress of an animation on the error stream, if that is a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("frames of the animation")
        yield lambda drawn, total: bar.update(task, completed=drawn, total=total)


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


def word_about(seconds: float) -> str:
    """An estimated time span.

    >>> word_about(0.2), word_about(300)
    ('less than 1 s', 'about 5.0 min')
    """
    return f"{'about ' if seconds >= 1 else ''}{word_time(seconds)}"


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


STRAINED = 0.03  # share of the runs above which a departure from the model is worth a line


def summarize(
    probability: xr.Dataset,
    fragility: xr.Dataset | None,
    steps: xr.Dataset,
    validity: xr.Dataset | None = None,
    laws: xr.Dataset | None = None,
    capacity: xr.Dataset | None = None,
    measures: xr.Dataset | None = None,
) -> str:
    """Table of probabilities with intervals, the fragility curve and how the model held, as text.

    Parameters
    ----------
    probability, fragility, steps : Dataset
        From `overturning_probability`, `fit_fragility` (None where nothing shakes) and `step_check`.
    validity : Dataset, optional
        From `model_validity`.
    laws : Dataset, optional
        From `fragility_by_choice`.
    capacity : Dataset, optional
        From `capacities`.
    measures : Dataset, optional
        From `compare_measures`.
    """
    axis = probability["intensity"]
    units = axis.attrs.get("units", "1")
    percent = f"{probability.attrs['level'] * 100:.4g} %"
    rows = [
        [
            label,
            *(str(int(number)) for number in counts),
            word_share(p),
            f"{word_share(low)} to {word_share(high)}",
        ]
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
    name = f"by {axis.attrs.get('long_name', 'intensity')}"
    if fragility is None:
        name, heads, rows = "after release", heads[1:], [row[1:] for row in rows]
    lines = [f"Probability of overturning {name}", table(heads, rows)]
    if fragility is not None:
        lines.append(_word_fragility(fragility, units))
    lines.append(_word_independence(probability))
    undecided = int(probability["undecided"].sum())
    if undecided:
        total = word_number(int(probability["runs"].sum()), "run")
        verb, pronoun = ("is", "it counts") if undecided == 1 else ("are", "they count")
        lines.append(
            f"{undecided} of {total} {verb} undecided: {pronoun} half in the probability and the curve, "
            "both as standing and as overturned in the intervals"
        )
    if capacity is not None and capacity["resurrected"].any():
        number, total = int(capacity["resurrected"].sum()), capacity.sizes["realization"]
        lines.append(
            f"{number} of {word_number(total, 'realization')} overturn at one intensity and survive a "
            "stronger one: rocking is not monotone"
        )
    if laws is not None:
        lines += ["", _word_laws(laws, units), ""]
    if measures is not None:
        lines += ["", _word_measures(measures), ""]
    if steps["repeated"]:
        lines.append(
            f"{word_number(int(steps['repeated']), 'run')} repeated at half the time step: "
            f"{int(steps['flipped'])} ended differently, the share overturned changed by "
            f"{float(steps['shift']):+.4f}"
        )
    else:
        lines.append("no run was repeated at half the time step: raise controls.recheck to see what it does")
    if validity is not None:
        lines += _word_validity(validity)
    return "\n".join(lines)


def word_share(share: float) -> str:
    """A probability; a small one with its two leading digits.

    >>> word_share(0.25), word_share(2.6e-18), word_share(3.689e-7)
    ('0.2500', '0.0000', '3.7e-07')
    """
    return f"{share:.2g}" if 1e-12 < share < 0.0005 else f"{share:.4f}"


def word_number(number: int, noun: str) -> str:
    """A number of things.

    >>> word_number(1, "record"), word_number(22, "record")
    ('1 record', '22 records')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _word_independence(probability: xr.Dataset) -> str:
    """What the intervals count."""
    records = int(probability["records"])
    if probability.attrs["independent"] == "records":
        return (
            f"{word_number(records, 'independent recording')}; the intervals count recordings, not runs, "
            "and hold for new ground motions of the kind"
        )
    if not probability.attrs["shared"]:
        return "every realization is independent of the others"
    return "the intervals count realizations as independent: they hold for the given ground motions alone"


def _word_fragility(fragility: xr.Dataset, units: str) -> str:
    """Parameters of the curve, or what is known of the median where there is none."""
    kind = fragility.attrs["fit"]
    low, high = fragility["median_interval"].values.tolist()
    if not (math.isnan(float(fragility["median"])) or kind.startswith("separated")):
        median, dispersion = (_with_interval(fragility, key, units) for key in ("median", "dispersion"))
        return f"Lognormal fragility ({kind}): median {median}, dispersion {dispersion}"
    doubt = int(fragility["undecided"]) > 0
    percent = f"{fragility.attrs['level'] * 100:.4g} % interval"
    what = f"no curve ({kind})"
    if kind.startswith("none overturned"):
        what = "nothing overturned without doubt" if doubt else "nothing overturned"
    elif kind.startswith("all overturned"):
        what = "everything overturned, or is undecided" if doubt else "everything overturned"
    lowest, highest = label_intensities([low, high], units)
    if low > 0 and math.isfinite(high):
        bound = f"the median lies between {lowest} and {highest} ({percent})"
    elif low > 0:
        bound = f"the median lies above {lowest} ({percent})"
    elif math.isfinite(high):
        bound = f"the median lies below {highest} ({percent})"
    else:
        bound = "the intervals are too wide to bound the median"
    return f"Fragility: {what}; {bound}"


def _word_laws(laws: xr.Dataset, units: str) -> str:
    """Table of the fragility curves of the impact laws."""
    percent = f"{laws.attrs['level'] * 100:.4g} %"
    rows = []
    for law in laws["impact_law"].values.tolist():
        fit = laws.sel(impact_law=law)
        low, high = fit["ratio_interval"].values.tolist()
        ratio = float(fit["ratio"])
        there, sure = math.isfinite(ratio), math.isfinite(low)
        median = float(fit["median"])
        rows.append(
            [
                law,
                str(int(fit["runs"])),
                str(int(fit["undecided"])),
                label_intensities([median], units)[0] if math.isfinite(median) else "none",
                " to ".join(label_intensities(fit["median_interval"].values.tolist(), units)),
                f"{float(fit['dispersion']):.3f}" if math.isfinite(median) else "none",
                f"{ratio:.3f}" if there else "-",
                f"{low:.3f} to {high:.3f}" if sure else "-",
            ]
        )
    heads = ["impact law", "runs", "undecided", "median", f"{percent} interval", "dispersion"]
    heads += ["over that of all", f"{percent} interval"]
    text = table(heads, rows)
    if laws.attrs["independent"] == "records" and laws["ratio_interval"].notnull().any():
        text += (
            "\nThe last two columns compare medians under the same ground motions: what the law alone does"
        )
    return text


def _word_measures(measures: xr.Dataset) -> str:
    """Table of the fragility curves by each intensity measure, the one that explains most first."""
    percent = f"{measures.attrs['level'] * 100:.4g} %"
    rows = []
    for i in (-measures["explained"]).argsort().values:
        fit = measures.isel(measure=i)
        units, median = str(fit["units"].item()), float(fit["median"])
        there = math.isfinite(median)
        thin, wide = fit["dispersion_interval"].values.tolist()
        low, high = fit["explained_interval"].values.tolist()
        explained, first = float(fit["explained"]), float(fit["first"])
        rows.append(
            [
                str(fit["measure"].item()),
                label_intensities([median], units)[0] if there else "none",
                " to ".join(label_intensities(fit["median_interval"].values.tolist(), units)),
                f"{float(fit['dispersion']):.3f}" if there else "none",
                f"{thin:.3f} to {wide:.3f}",
                "-" if math.isnan(explained) else f"{explained:.3f}",
                "-" if math.isnan(low) else f"{low:.3f} to {high:.3f}",
                "-" if math.isnan(first) else _percent(first),
            ]
        )
    interval = f"{percent} interval"
    heads = ["measure", "median", interval, "dispersion", interval, "explained", interval, "most in"]
    return (
        f"{table(heads, rows)}\nexplained: share of the deviance that the curve by the measure "
        "explains; most in: share of the resamples in which it explains most"
    )


def _word_validity(validity: xr.Dataset) -> list[str]:
    """Lines on what strains the model, and always one on friction."""
    lines = []
    words = {
        "contact_lost": "contact was lost before 45 degrees of tilt in {}: beyond a few per cent the rigid "
        "no-bounce model is strained",
        "energy_gain_impacts": "impacts that would gain energy occurred in {}: their parameters lie outside "
        "what is possible there",
    }
    runs = validity["runs"].values
    for name, sentence in words.items():
        shares = [
            float((share * number)[number > 0].sum() / number.sum()) if number.sum() else 0.0
            for share, number in zip(validity[name].values, runs, strict=True)
        ]
        if max(shares) > STRAINED:
            standing = f"{_percent(shares[1])} of those that stand" if runs[1].sum() else "none stands"
            lines.append(sentence.format(f"{_percent(shares[0])} of the runs ({standing})"))
    lines.append(_word_friction(validity))
    return lines


def _word_friction(validity: xr.Dataset) -> str:
    rocked = int(validity["rocked"].sum())
    if not rocked:
        return "no run rocked and stood, so none tells how much friction is needed"
    share = f"{validity.attrs['quantile'] * 100:g} %"
    demand, held = (float(validity[f"study_{name}friction_demand"]) for name in ("", "held_"))
    if math.isfinite(demand):
        return (
            f"{share} of the runs that rocked and stood need a friction coefficient below {_round_up(demand)}"
        )
    standing = validity["runs"].sel(among="standing")
    lost = float((validity["contact_lost"].sel(among="standing") * standing).sum()) / rocked
    text = f"{_percent(lost)} of the runs that rocked and stood lost contact, where no friction is enough"
    if math.isnan(held):
        return text
    return f"{text}; {share} of the others need a friction coefficient below {_round_up(held)}"


def _round_up(value: float) -> str:
    """Three digits at most, two decimals, never less than the value."""
    digits = 2 if value < 10 else 0
    return f"{math.ceil(value * 10**digits) / 10**digits:.{digits}f}" if math.isfinite(value) else "any"


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.995 else "all"


def _with_interval(fragility: xr.Dataset, key: str, units: str) -> str:
    values = [float(fragility[key]), *fragility[f"{key}_interval"].values.tolist()]
    if key == "median":
        estimate, low, high = label_intensities(values, units)
    else:
        estimate, low, high = (f"{value:.3g}" for value in values)
    if values[1] <= 0 and math.isinf(values[2]):
        return f"{estimate} (interval open)"
    if math.isinf(values[2]):
        return f"{estimate} (above {low})"
    return f"{estimate} ({low} to {high})"


EVENTS_SHOWN = 20


def word_run(run: Run, events_file: Path) -> str:
    """Results and first events of one run, as text; ``events_file`` has them all."""
    from mcrock.dataset import SCHEMA
    from mcrock.plots.history import word_doubt

    results = [
        [SCHEMA[name].long_name.removeprefix("1 if "), _word_result(name, value)]
        for name, value in run.results.items()
        if name not in ("outcome", "half_step_outcome")
    ]
    width = max(len(row[0]) for row in results)
    lines = [f"outcome: {run.outcome.name.lower().replace('_', ' ')}{word_doubt(run)}"]
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
    if not run.events:
        return "\n".join([*lines, "no events: the body never left its base"])
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
    if SCHEMA[name].long_name.startswith("1 if "):
        return "yes" if value else "no"
    if SCHEMA[name].dtype.startswith("i"):
        return str(int(value))
    return f"{value:.6g} {units}" if units != "1" else f"{value:.6g}"


def print_checks(checks: Iterable[Check], failures: bool) -> bool:
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
        expected, computed = _word_value(check.expected), _word_value(check.computed)
        print(f"{check.case:<28}{check.quantity:<36}{expected:>28}{computed:>28}{tolerance:>11}  {verdict}")
    print(f"{total} checks, {total - failed} passed, {failed} failed")
    return total > 0 and not failed


def _word_value(value: Any) -> str:
    """A number, text or the elements of an array, in at most 27 characters."""
    if value is None:
        return "none"
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int | float):
        return f"{value:.12g}"
    items = getattr(value, "tolist", lambda: value)()
    text = ",".join(_word_value(item) if not isinstance(item, float) else f"{item:.3g}" for item in items)
    return text if len(text) <= 27 else f"{text[:24]}..."
