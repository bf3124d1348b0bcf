"""The parts of the page on a result: its curve, its runs and any run once more; and the risk at a site.

A hazard goes in; the annual rate with its reservations and files to take away come out.
"""

from __future__ import annotations

import json
import tempfile
import threading
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import panel as pn
import xarray as xr
from bokeh.events import SelectionGeometry
from bokeh.models import ColumnDataSource, Whisker

from mcrock.base.checks import is_plain
from mcrock.dataset import load_dataset, save_dataset
from mcrock.ensemble.collection import open_collection
from mcrock.ensemble.designs import find_remedy
from mcrock.ensemble.study import Progress
from mcrock.show import run, style
from mcrock.show.animation.page import embed_run
from mcrock.show.app import parts
from mcrock.show.app.parts import (
    ASKS,
    GROUPS,
    LOOKS,
    RATIO,
    WIDE,
    RunDots,
    collect_runs,
    html,
    input_names,
    input_of,
    input_rows,
    paragraph,
    refused,
    rows_as_html,
)
from mcrock.show.collection import Asked, Found, answer_lines, drawn, find, object_table, together_blocks
from mcrock.show.comparison import compose_comparison
from mcrock.show.fragility import accepted_label, accepted_values, format_support, not_gone_by
from mcrock.show.history import describe_doubt
from mcrock.show.report.content import cautions, embed
from mcrock.show.report.page import build_report
from mcrock.show.report.results import Answer, KeyFigure, answer_of, key_figures, remedy_section
from mcrock.show.report.subject import Signed
from mcrock.show.risk import Site
from mcrock.show.summary import Summary, save_all, shown
from mcrock.show.text import label, labels, percent, with_ends
from mcrock.statistics import design_intensity, load_hazard
from mcrock.statistics.accepted_curve import rejects_lognormal
from mcrock.statistics.intervals import Confidence, bound_without_events
from mcrock.statistics.measures import own_measure
from mcrock.statistics.outcomes import MEANINGS, RunPlace, representative_runs
from mcrock.statistics.runs import read_once, study_of
from mcrock.study import Study
from mcrock.study.load import study_of as changed_study

RATE = "Annual rate"
NO_HAZARD = "It needs the hazard of the site, which Decide takes."
NO_REMEDY = "Decide runs designs that differ in one number until one keeps a target frequency."
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
        self.answer: Answer | None = None  # for the site that was given last
        self.remedy: xr.Dataset | None = None  # that was sought last
        self.stamp = stamp_of(self.store)
        read_once(self.ds)
        self.found = Summary(self.ds, Confidence(allow_missing=self.allow_missing), self.folder)

    @cached_property
    def study(self) -> Study | None:
        """The study, where the result has one."""
        found = study_of(self.ds)
        if found is None:
            return None
        return Study.from_json(found.to_json(), self.folder, trust_code=self.trust_code)

    @cached_property
    def drawing(self) -> str:
        """The object with its numbers."""
        return parts.object_as_html(self.study) if self.study else paragraph(NO_STUDY)

    @property
    def points(self) -> xr.Dataset:
        """Probabilities at the intensities that have runs."""
        found: xr.Dataset = self.found["overturning_probability"]
        return found.isel(intensity=found["runs"].values > 0)

    @cached_property
    def runs(self) -> RunDots | None:
        """Dots and counts of the runs; None where the result does not say how far they tilted."""
        return collect_runs(self.ds, allow_missing=self.allow_missing) if RATIO in self.ds else None

    @cached_property
    def notable(self) -> dict[str, RunPlace]:
        """Runs to begin with."""
        return representative_runs(self.ds, allow_missing=self.allow_missing)

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
        _ = self.found["fragility"], self.points, self.notable, self.runs


def stamp_of(store: Path) -> tuple[int, int]:
    """What is another one where a store was replaced or extended; zeros if it is gone."""
    try:
        found = store.stat()
    except OSError:
        return 0, 0
    return found.st_ino, found.st_mtime_ns


def answer_cards(result: Result) -> list[KeyFigure]:
    """What is to be seen first: the probability, the rate, what limits the answer and what to change."""
    summary, answer, remedy = result.found, result.answer, result.remedy
    figures = answer.figures if answer else key_figures(summary, None, None)
    found, size = figures[:1], figures[-1]
    if found[0].name.startswith(RATE):
        found = [figures[1], figures[0]]
    else:
        found.append(KeyFigure(RATE, "not known yet", NO_HAZARD))
    probability = summary["overturning_probability"]
    limits = f"{size.words}. Where none overturned the {percent(probability)} interval still reaches "
    limits += f"{bound_without_events(int(probability['records']), probability.attrs['level']):.2g}"
    of = "recordings" if probability.attrs["independent"] == "records" else "runs"
    found.append(KeyFigure("What limits it", size.value, f"{limits}: only other {of} lower that"))
    change = KeyFigure("What to change", "not sought yet", NO_REMEDY)
    if remedy is not None:
        said = next(str(each) for each in remedy_section(result.ds, remedy).blocks if type(each) is str)
        change = KeyFigure("What to change", str(remedy.attrs.get("key", "designs")), said)
    return [*found, change]


def understand(result: Result, theme: str) -> pn.Column:
    """The part of the page on a finished study: curve and a run at once, the rest when it is asked for."""
    lines = [*shown("fragility", result.found), *shown("overturning_probability", result.found)]
    table = parts.folded("The same as a table", *parts.as_panes(lines))
    top: list[Any] = [plot_curve(result.found["fragility"], result.points)] if result.found.is_shaken else []
    if result.runs is None:
        return pn.Column(*top, table, html(paragraph(NO_STUDY)), **WIDE)
    chosen = Chosen(result, result.runs, theme)
    by_input = pn.Column(chosen.input, chosen.inputs, **WIDE)
    every = [
        parts.Named(chosen.filters, name=chosen.filters.name, **WIDE),
        html(legend(result.runs)),
        pn.FlexBox(*map(parts.half, [chosen.plot_runs(), by_input])),
        html(paragraph(chosen.words)),
    ]
    first = pn.FlexBox(
        *(parts.half(each, least=22) for each in (*top, pn.Column(*chosen.replay_parts(), **WIDE)))
    )
    more = parts.folded("This run: inputs, results, command", chosen.details, chosen.figure)
    return pn.Column(first, more, parts.folded("Every run, to choose from", *every), table, **WIDE)


class Collected:
    """The part of the page on a collection: what falls, and its objects, of which a click opens one."""

    def __init__(self, found: Found, folder: Path, take: Callable[[Result], None]) -> None:
        self.found, self.folder, self.take = found, folder, take
        self.told = html()
        look: dict[str, Any] = {"header_filters": True, "pagination": "local", "page_size": 20}
        self.table = parts.sortable(object_table(found), **look)
        self.table.on_click(self._clicked)

    def view(self) -> pn.Column:
        """All of it."""
        found = self.found
        return pn.Column(
            html(parts.blocks_as_html(answer_lines(found))),
            html(paragraph("Filter and sort the objects; a click on one opens its curve and runs.")),
            self.table,
            self.told,
            html(parts.blocks_as_html([*together_blocks(found), *drawn(found).values()])),
            **WIDE,
        )

    def _clicked(self, event: Any) -> None:
        name = str(self.found.objects["object"].values[event.row])  # the table may shorten it
        store = self.found.results.store(name)
        self.told.object = paragraph(f"opening {name}")

        def opened() -> Result:
            result = Result(load_dataset(store), store, self.folder)
            result.prepare()
            return result

        def show(found: Result | Exception) -> None:
            if isinstance(found, Exception):
                self.told.object = refused(found)
            else:
                self.told.object = ""
                self.take(found)

        parts.in_background(opened, show)


def legend(runs: RunDots) -> str:
    """Colours and marks of the groups that have runs."""
    marks = {"circle": "&#9679;", "triangle": "&#9650;", "square": "&#9632;", "x": "&#215;"}
    looks = [(name, *LOOKS[name]) for name, total in runs.totals.items() if total]
    entries = [f'<span style="color: {colour}">{marks[mark]}</span> {name}' for name, colour, mark in looks]
    return f"<p>{' &nbsp; '.join(entries)}</p>"


def plot_curve(fit: xr.Dataset, points: xr.Dataset) -> Any:
    """The curve with its band, dashed where no run supports it, and the observed fractions."""
    factor, label = style.axis_scale(fit["intensity_grid"])
    look: dict[str, Any] = {"y_range": (-0.02, 1.02), "height": 560}
    made = parts.plain_figure("Probability of overturning", label, "Probability [1]", **look)
    x = factor * fit["intensity_grid"].values
    low, high = fit["band"].values
    band = f"{fit.attrs['level']:.0%} band"
    rejected = rejects_lognormal(fit)
    colour = style.GREY if rejected else style.SKY
    made.varea(x, low, high, fill_color=colour, fill_alpha=0.3, legend_label=band)
    if np.isfinite(float(fit["median_capacity"])):
        curve, beyond = fit["curve"].values, fit["extrapolated"].values
        look = {"color": colour, "line_width": 2}
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


def change_columns(change: xr.Dataset) -> dict[str, np.ndarray]:
    """What a change does to the probability, with its intervals of pairs, as a figure takes it."""
    low, high = change["difference_interval"].values
    factor, _ = style.axis_scale(change["intensity"])
    x, runs = factor * change["intensity"].values, change["pairs"].values
    return {"x": x, "p": change["difference"].values, "low": low, "high": high, "runs": runs}


def change_words(change: xr.Dataset) -> str:
    """The largest change, where it is, and its interval."""
    most = change.isel(intensity=int(np.abs(change["difference"].values).argmax()))
    by = with_ends(most, "difference", "+.2f")
    return (
        f"The probability changes most at {label(most['intensity'])}: by {by}, {percent(change)} intervals "
        "of pairs of runs, which hold together at all intensities"
    )


OF_POINTS = ("overturned", "@overturned of @runs, @undecided undecided")


def draw_points(
    made: Any,
    source: ColumnDataSource,
    words: str,
    colour: str = style.ORANGE,
    tip: tuple[str, str] = OF_POINTS,
) -> None:
    """Observed fractions with their intervals."""
    named = {"legend_label": words} if words else {}
    dots = made.scatter("x", "p", source=source, size=8, color=colour, **named)
    whisker = Whisker(base="x", upper="high", lower="low", source=source, line_color=colour)
    whisker.upper_head.line_color = whisker.lower_head.line_color = colour
    made.add_layout(whisker)
    tips = [("intensity", "@x{0.000}"), ("probability", "@p{0.000} (@low{0.000} to @high{0.000})")]
    parts.add_hover(made, dots, [*tips, tip])


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
            parts.button(run.name_of(name), partial(self._show_notable, name)) for name in self.result.notable
        ]
        form = pn.FlexBox(*self.place.values(), buttons[0], align_items="end")
        if self.result.notable:
            self._show_notable(next(iter(self.result.notable)))
        return [
            pn.FlexBox(*buttons[1:]),
            self.view,
            self.told,
            parts.folded("Another run by its numbers", form),
        ]

    def _show_notable(self, name: str) -> None:
        place = self.result.notable[name]
        for dim, widget in self.place.items():
            widget.value = getattr(place, dim)
        self.replay(f"{run.name_of(name)}: {MEANINGS[name]}. ")

    def replay(self, why: str = "") -> None:
        """Repeat the run that the form names, and show it."""
        study, at = self.result.study, RunPlace(0)._asdict()
        at |= {name: int(widget.value) for name, widget in self.place.items()}
        self.told.say(f"Repeating realization {at['realization']}; the first one may wait for the compiler.")
        if study is not None:
            self.view.object = f'<div class="replay">{paragraph("The run is repeated.")}</div>'
            parts.in_background(
                lambda: run.repeat_run(study, **at, stored=self.result.ds),
                lambda found: self._show(at, found, why),
            )

    def _show(self, at: dict[str, int], found: run.Replay | Exception, why: str) -> None:
        if isinstance(found, Exception):
            self.told.say(found)
            self.details.object = self.view.object = self.figure.object = ""
            return
        outcome = run.stored_outcome(self.result.ds, at, found.run.outcome)
        inputs = rows_as_html(input_rows(self.result.ds, self.names, at))
        command = escape(run.repeat_command(self.result.store, at))
        doubt, source = (
            describe_doubt(found.run),
            "".join(map(paragraph, [found.source, *run.describe_fall(found.run)])),
        )
        self.told.say(f"{why}{found.title}{found.measure}: {outcome}{doubt}")
        results = f"<details><summary>Results</summary>{rows_as_html(run.result_rows(found.run))}</details>"
        repeat = f'<p class="dim">The command that repeats it:</p><pre>{command}</pre>'
        self.details.object = f"{source}{inputs}{results}{repeat}"
        try:
            self.view.object = embed_run(found.run, found.motion, found.title, self.theme)
        except ValueError as error:
            self.view.object = refused(error)
        parts.in_background(partial(self._saved, at, found), self._offer)

    def _saved(self, at: dict[str, int], found: run.Replay) -> str:
        """A link that saves the figure that `mcrock simulate` makes of a run."""
        with tempfile.TemporaryDirectory() as folder:
            *_, figure = run.save_run(
                found.run, folder, found.title + found.measure, found.motion, self.result.ds.attrs
            )
            return parts.saved(f"run-{at['realization']}-{at['intensity']}.png", figure.read_bytes())

    def _offer(self, found: str | Exception) -> None:
        self.figure.object = refused(found) if isinstance(found, Exception) else found


LARGEST = 200_000  # runs that go through a browser; `mcrock export` writes more
HAZARD = (
    "Hazard curves of the site: a CSV file that begins as in `pga [g], mean, 0.16, 0.84`, or files of "
    "OpenQuake, the USGS or EFEHR (`mcrock docs assessment hazard`). They stay in a folder until the command "
    "ends."
)
OTHER = (
    "The results of another design under the same earthquakes, as `mcrock run study.toml --set body.width=0.5"
    " -o other.zarr` makes them: what the change does, by pairs of runs. With hazard files its rates too."
)
COLLECTION = (
    "Results of many objects, as `mcrock run` makes them of a collection: which fall first, and with hazard "
    "files above at which rates. A click on an object opens it."
)
REMEDY = (
    "Designs that differ in one number meet the earthquakes of this study, each with as many runs, until the "
    "value that keeps the target frequency is known. A second number, after a space, gives a line."
)


class Decision:
    """A site, what was found of it, and the files that can be made."""

    def __init__(
        self,
        result: Result,
        uploads: Path,
        tell: Callable[[], None] = lambda: None,
        take: Callable[[Result], None] = lambda _: None,
    ) -> None:
        self.tell, self.take = tell, take  # that the answer is another one; an object of a collection
        self.result, self.folder = result, Path(tempfile.mkdtemp(prefix=parts.UPLOADS, dir=uploads))
        self.files = pn.widgets.FileDropper(name="Hazard files", multiple=True, max_file_size="50MB", **ASKS)
        self.years = pn.widgets.FloatInput(name="Exposure [years]", value=50.0, start=0.0, **parts.NUMBER)
        self.design = pn.widgets.TextInput(name="Design motion, as in 0.4g", width=170)
        self.target = pn.widgets.TextInput(name="Target frequency [1/year], as in 1e-5", width=240)
        words = "Years of the files' probabilities, if they do not say"
        look = parts.NUMBER | {"width": 330}
        self.hazard_years = pn.widgets.FloatInput(name=words, value=None, start=0.0, **look)
        self.site = pn.widgets.TextInput(name="Site in the files: name or LON,LAT", width=230)
        self.vary = pn.widgets.TextInput(name="Number to change, as in body.width=40cm:80cm", width=300)
        self.search: threading.Thread | None = None
        self.told, self.making, self.found, self.made = parts.Told(**WIDE), parts.Told(**WIDE), html(), html()
        self.sought, self.changed = parts.Told(**WIDE), html()
        self.other = pn.widgets.TextInput(
            name="Store of the other design", placeholder="other.zarr", width=300
        )
        self.members = pn.widgets.TextInput(
            name="Folder of the collection", placeholder="all.zarr", width=300
        )
        self.compared, self.sides = parts.Told(**WIDE), pn.Column(**WIDE)
        self.gathered, self.objects = parts.Told(**WIDE), pn.Column(**WIDE)
        self.files.param.watch(lambda _: self._taken(), "value")

    def view(self) -> pn.Column:
        """The part of the page."""
        judge = parts.button("Judge the site", self._judge, "primary")
        makes = {"report": self._report, "figures": self._figures, "data": self._data}
        buttons = [parts.button(f"Make: {name}", partial(self._make, make)) for name, make in makes.items()]
        form = pn.FlexBox(
            self.years, self.design, self.target, self.site, self.hazard_years, align_items="end"
        )
        files = parts.Named(self.files, name=self.files.name, **WIDE)
        judged = [html(parts.paragraph(HAZARD)), files, form, judge, self.told, self.found]
        seek = pn.FlexBox(self.vary, parts.button("Find the remedy", self._seek), align_items="end")
        remedy = [html(parts.paragraph(REMEDY)), seek, self.sought, self.changed]
        compare = pn.FlexBox(self.other, parts.button("Compare", self._compare), align_items="end")
        other = [html(parts.paragraph(OTHER)), compare, self.compared, self.sides]
        gather = pn.FlexBox(self.members, parts.button("Judge all", self._gather), align_items="end")
        many = [html(parts.paragraph(COLLECTION)), gather, self.gathered, self.objects]
        return pn.Column(
            parts.folded("Hazard of the site", *judged, is_open=True),
            parts.folded("Remedy", *remedy, is_open=True),
            parts.folded("Another design", *other),
            parts.folded("Collection", *many),
            parts.folded("Files to take away", pn.FlexBox(*buttons), self.making, self.made, is_open=True),
            **WIDE,
        )

    def _taken(self) -> None:
        self.told.say(f"Taken: {', '.join(map(safe_name, self.files.value or {})) or 'no file'}")

    def hazard_files(self) -> list[Path]:
        """The files that were dropped, in the temporary folder."""
        return [taken_in(self.folder, *item) for item in (self.files.value or {}).items()]

    def _site(self) -> Site:
        """What the form says.

        Raises
        ------
        ValueError
            As `load_hazard` and `design_intensity`, or if the rate is none.
        """
        paths, curves, rate = self.hazard_files(), None, self.target.value
        if self.design.value:
            design_intensity(self.design.value, self.result.ds)  # refused before anything is computed
        if paths:
            how = {"site": self.site.value or None, "years": self.hazard_years.value}
            curves = load_hazard(paths, **how, measure=own_measure(self.result.ds))
            curves.attrs["source"] = ", ".join(path.name for path in paths)  # not where they lie for a while
        try:
            target = float(rate) if rate else None
        except ValueError:
            raise ValueError(
                f"the target frequency must be a number [1/year] as in 1e-5, got {rate!r}"
            ) from None
        return Site(curves, float(self.years.value or 0.0), None, self.design.value or None, target)

    def _judge(self) -> None:
        self.making.say("")
        self.told.say("Computing the rate and what is to be known of it.")
        parts.in_background(lambda: statement(self.result, self._site()), self._tell)

    def _tell(self, found: str | Exception) -> None:
        self.told.say(found if isinstance(found, Exception) else "The answer, as the report gives it:")
        self.found.object = "" if isinstance(found, Exception) else found
        self.tell()

    def _seek(self) -> None:
        if self.search and self.search.is_alive():
            self.sought.say(ValueError("a search is going on: wait until it has ended"))
            return
        document = pn.state.curdoc
        self.sought.say("Running designs; the first one may wait for the compiler.")

        def report(progress: Progress) -> None:
            words = f"{progress.finished_runs} of {progress.total_runs} runs of a design"
            parts.to_page(document, lambda: self.sought.say(words))

        self.search = parts.in_background(lambda: self._sought(report), self._tell_remedy)

    def _sought(self, report: Callable[[Progress], None]) -> xr.Dataset:
        """Designs of the study in a folder that ends with the page, and what they tell.

        Raises
        ------
        ValueError
            If something is missing in the form, and as `find_remedy`.
        """
        site, study = self._site(), self.result.study
        if study is None:
            raise ValueError(NO_STUDY)
        if site.hazard is None or site.target is None or not self.vary.value:
            raise ValueError("a remedy needs hazard files, a target frequency and a number to change")

        def load(*changes: str) -> Study:
            data, trust = json.loads(study.to_json()), self.result.trust_code
            return changed_study(data, study.folder / "study", changes, trust_code=trust)

        ranges, folder = self.vary.value.split(), self.folder / "designs"
        return find_remedy(load, ranges, folder, site.target, site.hazard, progress=report)

    def _tell_remedy(self, found: xr.Dataset | Exception) -> None:
        self.result.remedy, self.changed.object = None, ""
        if isinstance(found, Exception):
            self.sought.say(found)
            return
        self.result.remedy = found
        self.tell()
        self.sought.say("Found; a report that is made from now on has it too:")
        self.changed.object = parts.blocks_as_html(remedy_section(self.result.ds, found).blocks)

    def _compare(self) -> None:
        self.compared.say("Comparing the runs pair by pair.")
        parts.in_background(lambda: compared(self.result, self.other.value, self._site()), self._tell_other)

    def _tell_other(self, found: list[Any] | Exception) -> None:
        if isinstance(found, Exception):
            self.compared.say(found)
            self.sides.objects = []
        else:
            self.compared.say("The designs under the same earthquakes:")
            self.sides.objects = found

    def _gather(self) -> None:
        def judged() -> Found:
            site = self._site()
            return find(open_collection(self.members.value), Asked(hazard=site.hazard, years=site.years))

        self.gathered.say("Reading the runs of all objects.")
        parts.in_background(judged, self._tell_all)

    def _tell_all(self, found: Found | Exception) -> None:
        if isinstance(found, Exception):
            self.gathered.say(found)
            self.objects.objects = []
        else:
            self.gathered.say("All objects, by urgency:")
            self.objects.objects = [Collected(found, self.result.folder, self.take).view()]

    def _make(self, make: Callable[[Site], tuple[str, bytes]]) -> None:
        self.making.say("Making the file: a report of a large study takes minutes.")
        parts.in_background(lambda: make(self._site()), self._offer)

    def _offer(self, found: tuple[str, bytes] | Exception) -> None:
        if isinstance(found, Exception):
            self.making.say(found)
            return
        name, content = found
        size = max(len(content) >> 10, 1)
        self.making.say(f"Made: {name}, {size} KiB. Nothing is written until you save it.")
        self.made.object = parts.saved(name, content)

    def _report(self, site: Site) -> tuple[str, bytes]:
        result = self.result
        how: dict[str, Any] = {"site": site, "signed": Signed(files=self.hazard_files())}
        how |= {"folder": result.folder, "allow_missing": result.allow_missing, "remedy": self.result.remedy}
        page = build_report(result.ds, store=result.store, **how)
        return f"{result.store.stem}.html", page.encode()

    def _figures(self, site: Site) -> tuple[str, bytes]:
        buffer, result = BytesIO(), self.result
        with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(buffer, "w") as archive:
            for path in save_all(result.ds, folder, "pdf", allow_missing=result.allow_missing):
                archive.write(path, path.name)
        return f"{result.store.stem}-figures.zip", buffer.getvalue()

    def _data(self, site: Site) -> tuple[str, bytes]:
        result = self.result
        if result.ds["outcome"].size > LARGEST:
            raise ValueError(
                f"{result.ds['outcome'].size} runs are many for a browser: `mcrock export {result.store} -o "
                "FILE.nc` writes them to a file"
            )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{result.store.stem}.nc"
            save_dataset(result.ds, path)
            return path.name, path.read_bytes()


def safe_name(name: str) -> str:
    """Last part of a name that came from elsewhere, which leads out of no folder, less what is not seen.

    >>> [safe_name(name) for name in ("h.csv", "../../h.csv", "C:\\\\a\\\\h.csv", "..\\\\h.csv")]
    ['h.csv', 'h.csv', 'h.csv', 'h.csv']
    >>> [safe_name(name) for name in ("..", ".", "", "a/..")]
    ['file', 'file', 'file', 'file']
    """
    last = "".join(filter(is_plain, name.replace("\\", "/").rpartition("/")[2]))
    return last if last.strip(". ") else "file"


def taken_in(folder: Path, name: str, content: str | bytes) -> Path:
    """Write a file that came from elsewhere into a folder, under its own last name."""
    path = folder / safe_name(name)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def compared(result: Result, store: str, site: Site) -> list[Any]:
    """A result and that of another store next to each other, and what differs.

    Raises
    ------
    DatasetError
        If the store is not to be read.
    PairingError
        If the runs are not pairs.
    """
    other = Result(load_dataset(store), Path(store), result.folder)
    composed = compose_comparison(result.ds, other.ds, (result.store, other.store), site.hazard)
    sides = [
        parts.half(html(f"<h2>{escape(each.store.name)}</h2>{each.drawing}"), least=16)
        for each in (result, other)
    ]
    axes = [draw() for draw in composed.drawings.values()]
    drawn = [embed(ax, "What the change does") for ax in axes if not isinstance(ax, str)]
    return [pn.FlexBox(*sides), *parts.as_panes([*drawn, *composed.blocks])]


def statement(result: Result, site: Site) -> str:
    """The answer for a site, its key figures, its reservations and how it was found, as HTML."""
    how = Confidence(allow_missing=result.allow_missing)
    answer = answer_of(result.ds, result.study, site._replace(folder=result.folder), how)
    result.answer = answer
    tiles = [(figure.name, f"{figure.value} ({figure.words})") for figure in answer.figures]
    said = [parts.paragraph(answer.sentence), parts.rows_as_html(tiles)]
    said.append(parts.blocks_as_html(cautions(format_support(answer.summary["fragility"]))))
    said += [
        f"<details><summary>{section.title}</summary>{parts.blocks_as_html(section.blocks)}</details>"
        for section in answer.sections
        if section
    ]
    return "".join(said)
