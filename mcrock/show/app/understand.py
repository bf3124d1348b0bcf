"""The part of the page on why a study came out as it did: its curve, its runs, and any run once more."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from functools import cached_property, partial
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import panel as pn
import xarray as xr
from bokeh.events import SelectionGeometry
from bokeh.models import ColumnDataSource, Whisker

from mcrock.dataset import load_dataset
from mcrock.show import style
from mcrock.show.animation.embedded import embed_run
from mcrock.show.app import parts
from mcrock.show.app.parts import LOOKS, WIDE, html, paragraph, refused, rows_as_html
from mcrock.show.app.runs import GROUPS, RATIO, RunDots, collect_runs, input_names, input_of, input_rows
from mcrock.show.fragility import (
    accepted_label,
    accepted_values,
    format_fragility,
    format_support,
    not_gone_by,
    observed,
)
from mcrock.show.history import describe_doubt
from mcrock.show.numbers import labels
from mcrock.show.replay import Replay, name_of, repeat_command, repeat_run, stored_outcome
from mcrock.show.run import describe_fall, result_rows, save_run
from mcrock.show.summary import format_independence, format_probabilities
from mcrock.statistics import fit_fragility, overturning_probability, pooled
from mcrock.statistics.accepted_curve import goes_without
from mcrock.statistics.intervals import Bootstrap
from mcrock.statistics.outcomes import MEANINGS, RunPlace, notable_runs
from mcrock.statistics.runs import is_shaken, read_once, study_of
from mcrock.study import Study

NO_STUDY = "These outcomes are of another program or of tests: mcrock cannot repeat their runs."


@dataclass
class Result:
    """A finished study, and what the page shows of it, computed once for all who look."""

    ds: xr.Dataset
    store: Path
    folder: Path  # from which names of record files start
    allow_missing: bool = False
    trust_code: bool = False  # replays may run the law that the study names

    def __post_init__(self) -> None:
        self.stamp = stamp_of(self.store)
        read_once(self.ds)
        self.how = Bootstrap(allow_missing=self.allow_missing)
        self.pooled = pooled(self.ds)
        self.shaken = is_shaken(self.ds)

    @cached_property
    def study(self) -> Study | None:
        """The study, where the result has one."""
        found = study_of(self.ds)
        if found is None:
            return None
        return Study.from_json(found.to_json(), self.folder, trust_code=self.trust_code)

    @cached_property
    def fit(self) -> xr.Dataset:
        """The fragility curve."""
        return fit_fragility(self.pooled, **self.how.keywords)

    @cached_property
    def points(self) -> xr.Dataset:
        """Observed fractions with intervals."""
        return observed(self.pooled, self.how)

    @cached_property
    def probability(self) -> xr.Dataset:
        """Probabilities at the intensities."""
        return overturning_probability(self.pooled, allow_missing=self.allow_missing)

    @cached_property
    def runs(self) -> RunDots | None:
        """Dots and counts of the runs; None where the result does not say how far they tilted."""
        return collect_runs(self.ds, allow_missing=self.allow_missing) if RATIO in self.ds else None

    @cached_property
    def notable(self) -> dict[str, RunPlace]:
        """Runs to begin with."""
        return notable_runs(self.ds, allow_missing=self.allow_missing)

    def renewed(self) -> Result:
        """The same, or what the store has if another one has taken its place, whose law nobody vouched for.

        Raises
        ------
        DatasetError
            If it is gone, or not to be read.
        """
        if self.stamp == stamp_of(self.store):
            return self
        ds = load_dataset(self.store, allow_incomplete=self.allow_missing)
        new = replace(self, ds=ds, trust_code=False)
        new.prepare()
        return new

    def prepare(self) -> None:
        """Compute what the page needs at once, so that what is refused is so before a page opens."""
        _ = self.fit, self.points, self.probability, self.notable, self.runs


def stamp_of(store: Path) -> tuple[int, int]:
    """What is another one where a store was replaced or extended; zeros if it is gone."""
    try:
        found = store.stat()
    except OSError:
        return 0, 0
    return found.st_ino, found.st_mtime_ns


def understand(result: Result, theme: str) -> pn.Column:
    """The part of the page on a finished study."""
    lines = [*format_probabilities(result.probability, result.shaken)]
    if result.shaken:
        lines += [format_fragility(result.fit), *format_support(result.fit)]
    lines.append(format_independence(result.probability))
    table = pn.Card(html(parts.blocks_as_html(lines)), title="The same as a table", collapsed=True, **WIDE)
    top: list[Any] = [plot_curve(result.fit, result.points)] if result.shaken else []
    if result.runs is None:
        return pn.Column(*top, table, html(paragraph(NO_STUDY)), **WIDE)
    chosen = Chosen(result, result.runs, theme)
    by_input = pn.Column(chosen.input, chosen.inputs, **WIDE)
    figures = pn.FlexBox(*map(parts.half, [*top, chosen.plot_runs(), by_input]))
    head = [
        parts.Named(chosen.filters, name=chosen.filters.name, **WIDE),
        html(legend(result.runs)),
        figures,
        html(paragraph(chosen.words)),
        table,
    ]
    return pn.Column(*head, *chosen.replay_parts(), **WIDE)


def legend(runs: RunDots) -> str:
    """Colours and marks of the groups that have runs."""
    marks = {"circle": "&#9679;", "triangle": "&#9650;", "square": "&#9632;", "x": "&#215;"}
    looks = [(name, *LOOKS[name]) for name, total in runs.totals.items() if total]
    entries = [f'<span style="color: {colour}">{marks[mark]}</span> {name}' for name, colour, mark in looks]
    return f"<p>{' &nbsp; '.join(entries)}</p>"


def plot_curve(fit: xr.Dataset, points: xr.Dataset) -> Any:
    """The curve with its band, dashed where no run supports it, and the observed fractions."""
    factor, label = style.axis_scale(fit["intensity_grid"])
    made = parts.plain_figure("Probability of overturning", label, "Probability [1]", y_range=(-0.02, 1.02))
    x = factor * fit["intensity_grid"].values
    low, high = fit["band"].values
    band = f"{fit.attrs['level']:.0%} band"
    rejected = goes_without(fit)
    colour = style.GREY if rejected else style.SKY
    made.varea(x, low, high, fill_color=colour, fill_alpha=0.3, legend_label=band)
    if np.isfinite(float(fit["median_capacity"])):
        curve, beyond = fit["curve"].values, fit["extrapolated"].values
        look: dict[str, Any] = {"color": colour, "line_width": 2}
        made.line(x, curve, line_dash="dotted", **look)
        words = "lognormal fit" + not_gone_by(fit)
        made.line(x, np.where(beyond, np.nan, curve), legend_label=words, **look)
    if rejected:
        made.line(x, accepted_values(fit), color=style.SKY, line_width=2, legend_label=accepted_label(fit))
    draw_points(made, ColumnDataSource(point_columns(points)), "runs")
    made.legend.location, made.legend.background_fill_alpha = "bottom_right", 0.5
    return made


def point_columns(points: xr.Dataset) -> dict[str, np.ndarray]:
    """Observed fractions as a figure takes them."""
    factor, _ = style.axis_scale(points["intensity"])
    low, high = points["interval"].values
    columns = {name: points[name].values for name in ("runs", "overturned", "undecided")}
    at = {"x": factor * points["intensity"].values, "p": points["probability"].values}
    return columns | at | {"low": low, "high": high}


def draw_points(made: Any, source: ColumnDataSource, words: str, colour: str = style.ORANGE) -> None:
    """Observed fractions with their intervals."""
    dots = made.scatter("x", "p", source=source, size=8, color=colour, legend_label=words)
    whisker = Whisker(base="x", upper="high", lower="low", source=source, line_color=colour)
    whisker.upper_head.line_color = whisker.lower_head.line_color = colour
    made.add_layout(whisker)
    tips = [("intensity", "@x{0.000}"), ("probability", "@p{0.000} (@low{0.000} to @high{0.000})")]
    parts.add_hover(made, dots, [*tips, ("overturned", "@overturned of @runs, @undecided undecided")])


class Chosen:
    """Runs that are looked at, filtered and chosen, linked between the figures."""

    def __init__(self, result: Result, runs: RunDots, theme: str) -> None:
        self.result, self.runs, self.theme = result, runs, theme
        self.names = input_names(result.ds, min(runs.dots["realization"], default=0))
        self.columns: dict[str, Any] = {}
        self.source = ColumnDataSource({})
        self.cells = ColumnDataSource({})
        there = [name for name, total in runs.totals.items() if total]
        options = {f"{name} ({runs.totals[name]})": name for name in there}
        self.filters = pn.widgets.CheckBoxGroup(name="Runs shown", options=options, value=there, inline=True)
        choices = {text: name for name, text in self.names.items()}
        self.input = pn.widgets.Select(name="Input", options=choices, **parts.ASKS)
        self.told, self.details, self.view, self.figure = parts.Told(**WIDE), html(), html(), html()
        self.place = {
            name: pn.widgets.IntInput(name=name.capitalize(), value=0, start=0, end=size - 1, **parts.NUMBER)
            for name in ("outer", "realization")
            if (size := result.ds.sizes.get(name, 1)) > 1
        }
        if result.ds.sizes.get("intensity", 1) > 1:
            levels = result.ds["intensity"]
            numbers = dict(zip(labels(levels), range(levels.size), strict=True))
            self.place["intensity"] = pn.widgets.Select(name="Intensity", options=numbers, **parts.NUMBER)
        self.inputs = self._plot("The same runs by an input", "", "input")
        self._filter()
        self._take_input()
        self.filters.param.watch(lambda _: self._filter(), "value")
        self.input.param.watch(lambda _: self._take_input(), "value")

    @property
    def words(self) -> str:
        """What the figures of runs show."""
        total, shown = sum(self.runs.totals.values()), len(self.runs.dots["x"])
        dots, more = f"each of the {total} runs", ""
        if shown < total:
            dots = f"one of {shown} runs, drawn at random from {total}"
            more = "; the cells behind count all of them, darker for more"
        spread = "" if "intensity_value" in self.result.ds else " Dots are spread around their level."
        ways = "Click on one, or choose a run below by its numbers, to watch it."
        return f"A dot is {dots}{more}.{spread} {ways}"

    def plot_runs(self) -> Any:
        """Peak tilt over intensity."""
        made = self._plot("Peak tilt of each run", self.runs.label, "x")
        look = {"color": style.GREY, "alpha": "alpha", "line_color": None, "level": "underlay"}
        made.quad("left", "right", "bottom", "top", source=self.cells, **look)
        return made

    def _plot(self, words: str, label: str, x: str) -> Any:
        tools = "tap,box_select,pan,wheel_zoom,box_zoom,reset,save"
        y = "Peak tilt over slenderness [1]"
        made = parts.plain_figure(words, label, y, y_axis_type="log", tools=tools)
        look = {"size": 4, "alpha": 0.6, "nonselection_alpha": 0.15, "selection_line_color": "black"}
        dots = made.scatter(x, "tilt", source=self.source, color="colour", marker="mark", **look)
        made.on_event(SelectionGeometry, self._pick)
        tips = [("realization", "@realization"), ("ending", "@ending"), ("peak tilt", "@tilt{0.000}")]
        parts.add_hover(made, dots, tips)
        return made

    def _filter(self) -> None:
        """Show the groups that are chosen."""
        dots, shown = self.runs.dots, np.isin(list(GROUPS), self.filters.value)
        keep = np.isin(dots["group"], self.filters.value)
        columns = {name: array[keep] for name, array in dots.items()}
        looks = [LOOKS[name] for name in columns["group"]]
        self.columns = columns | {"colour": [look[0] for look in looks], "mark": [look[1] for look in looks]}
        counts = self.runs.counts[shown].sum(axis=0)
        column, row = np.nonzero(counts)
        strength = np.log1p(counts[column, row])
        hidden = len(dots["x"]) == sum(self.runs.totals.values())
        alpha = 0.0 * strength if hidden else 0.75 * strength / max(strength.max(initial=0.0), 1e-9)
        left, right = self.runs.x_edges[column].T
        sides = {"left": left, "right": right, "bottom": self.runs.y_edges[row]}
        self.cells.data = sides | {"top": self.runs.y_edges[row + 1], "alpha": alpha}
        self._take_input()

    def _take_input(self) -> None:
        """Put the input that is chosen on its axis."""
        values, name = np.zeros(len(self.columns["x"])), self.input.value
        if name:
            values = input_of(self.result.ds, name, self.columns["outer"], self.columns["realization"])
            self.inputs.xaxis.axis_label = self.names[name]
        self.source.selected.indices = []
        self.source.data = self.columns | {"input": values}

    def _pick(self, event: SelectionGeometry) -> None:
        """Replay what was clicked on, of dots that lie on each other the first."""
        chosen = self.source.selected.indices
        if event.geometry.get("type") == "point" and chosen:
            for name, widget in self.place.items():
                widget.value = int(self.columns[name][chosen[0]])
            self.replay()

    def replay_parts(self) -> list[Any]:
        """Form, inputs, outcome and view of a run."""
        if self.result.study is None:
            return [html(paragraph(NO_STUDY))]
        buttons = [parts.button("Replay this run", self.replay, "primary")]
        buttons += [
            parts.button(name_of(name), partial(self._show_notable, name)) for name in self.result.notable
        ]
        form = pn.FlexBox(*self.place.values(), align_items="end")
        shown = [self.told, self.details, self.figure, self.view]
        return [html("<h2>One run</h2>"), form, pn.FlexBox(*buttons), *shown]

    def _show_notable(self, name: str) -> None:
        place = self.result.notable[name]
        for dim, widget in self.place.items():
            widget.value = getattr(place, dim)
        self.replay(f"{name_of(name)}: {MEANINGS[name]}. ")

    def replay(self, why: str = "") -> None:
        """Repeat the run that the form names, and show it."""
        study, at = self.result.study, RunPlace(0)._asdict()
        at |= {name: int(widget.value) for name, widget in self.place.items()}
        self.told.say(f"Repeating realization {at['realization']}; the first one may wait for the compiler.")
        if study is not None:
            parts.in_background(
                lambda: repeat_run(study, **at, stored=self.result.ds),
                lambda found: self._show(at, found, why),
            )

    def _show(self, at: dict[str, int], found: Replay | Exception, why: str) -> None:
        if isinstance(found, Exception):
            self.told.say(found)
            self.details.object = self.view.object = self.figure.object = ""
            return
        outcome = stored_outcome(self.result.ds, at, found.run.outcome)
        inputs = rows_as_html(input_rows(self.result.ds, self.names, at))
        command = escape(repeat_command(self.result.store, at))
        doubt, source = (
            describe_doubt(found.run),
            "".join(map(paragraph, [found.source, *describe_fall(found.run)])),
        )
        self.told.say(f"{why}{found.title}{found.measure}: {outcome}{doubt}")
        results = f"<details><summary>Results</summary>{rows_as_html(result_rows(found.run))}</details>"
        repeat = f'<p class="dim">The command that repeats it:</p><pre>{command}</pre>'
        self.details.object = f"{source}{inputs}{results}{repeat}"
        try:
            self.view.object = embed_run(found.run, found.motion, found.title, self.theme)
        except ValueError as error:
            self.view.object = refused(error)
        parts.in_background(partial(self._saved, at, found), self._offer)

    def _saved(self, at: dict[str, int], found: Replay) -> str:
        """A link that saves the figure that `mcrock simulate` makes of a run."""
        with tempfile.TemporaryDirectory() as folder:
            *_, figure = save_run(
                found.run, folder, found.title + found.measure, found.motion, self.result.ds.attrs
            )
            return parts.saved(f"run-{at['realization']}-{at['intensity']}.png", figure.read_bytes())

    def _offer(self, found: str | Exception) -> None:
        self.figure.object = refused(found) if isinstance(found, Exception) else found
