"""The parts of the page on a study: the questions of `mcrock new`, study files, and runs.

What a change of the body does is shown at once.
"""

from __future__ import annotations

import json
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from html import escape
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import panel as pn
import xarray as xr
from bokeh.models import ColumnDataSource, Span

from mcrock.base.checks import check_name
from mcrock.base.compiled_code import cores
from mcrock.base.tables.parsing import parse_toml, toml
from mcrock.dataset import build_dataset
from mcrock.ensemble import run_study, settle
from mcrock.ensemble.part import Job, Part, Stopped, simulate
from mcrock.ensemble.study import Progress
from mcrock.excitation import pack_motions
from mcrock.show import style
from mcrock.show.app import parts
from mcrock.show.app.parts import WIDE, html
from mcrock.show.app.results import Result, change_columns, change_words, draw_points, point_columns, taken_in
from mcrock.show.collection import Found
from mcrock.show.describe import describe
from mcrock.show.report.subject import study_as_toml
from mcrock.statistics import overturning_probability
from mcrock.statistics.comparison import paired_difference
from mcrock.study import Study
from mcrock.study.load import study_of
from mcrock.study.new import answers_of, keep, new_study
from mcrock.study.questions import QUESTIONS, Option, Question, Words, asked
from mcrock.study.sampling import check_inputs, load_motions

STAGES = 220, 660, 2200, 6600  # runs after which a curve is drawn; the first one while a slider moves
PIECE = 110  # runs that a thread computes at a time at most: drawing their inputs is a fourteenth of that
POINTS = "x", "p", "low", "high", "runs", "overturned", "undecided"  # columns of a curve
PERIOD = 1.0  # between two curves of a run [s]
PATIENCE = 0.7  # with threads that a stop does not reach, as they compile [s]
SLIDERS = {  # keys of the study file, their names, and ends over the number in it
    "body.width": ("Width [m]", 0.5, 1.5),
    "body.depth": ("Depth [m]", 0.5, 1.5),
    "body.height": ("Height [m]", 0.5, 1.5),
    "body.com_z": ("Centre of mass, up [m]", None, None),
    "contact.friction": ("Friction [1]", 0.3, 2.0),
}
COMMON = (
    "Sliders change the body under the same motions and draws, so that the difference is theirs, and its "
    "intervals are of pairs of runs. The curves have a few runs while they move and more when they rest. "
    "What is uncertain in the study file has no slider."
)


class Preview:
    """Runs of the first realizations of a study, whose number grows and which are kept nowhere else.

    The inputs of a realization depend on its number alone, so that two studies that differ in a fixed number
    meet the same motions and draws.
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        self.pieces: list[dict[str, np.ndarray]] = []
        self.known: dict[int, xr.Dataset] = {}  # by the number of runs

    def probability(self, runs: int, unwanted: Callable[[], bool] = lambda: False) -> xr.Dataset:
        """Probabilities of the runs that `first` gives."""
        return overturning_probability(self.first(runs, unwanted))

    def first(self, runs: int, unwanted: Callable[[], bool] = lambda: False) -> xr.Dataset:
        """Outcomes of so many runs, or of all that the study has.

        Parameters
        ----------
        runs : int
            Not fewer than before, or exactly as many as at some time before.
        unwanted : callable
            Asked between pieces whether nobody waits any more.

        Raises
        ------
        Stopped
            If it says so; what is computed is kept.
        """
        if runs not in self.known:
            study, motions = self.job.study, self.job.motions
            stop = min(-(-runs // study.n_intensity), study.n_realizations)
            begin = sum(len(each["outcome"]) for each in self.pieces)
            few = (stop - begin) // (4 * cores())  # so that no core waits long for another one
            step = max(1, min(few, PIECE // study.n_intensity))

            def piece(start: int) -> dict[str, np.ndarray]:
                if unwanted():
                    raise Stopped
                return simulate(self.job, Part(start, min(start + step, stop)))

            with ThreadPoolExecutor(cores()) as threads:
                self.pieces += threads.map(piece, range(begin, stop, step))  # those before a stop are kept
            joined = {key: np.concatenate([each[key] for each in self.pieces]) for key in self.pieces[0]}
            groups = {group: i for i, group in enumerate(dict.fromkeys(motion.group for motion in motions))}
            values: dict[str, Any] = joined | {"motion_group": [groups[motion.group] for motion in motions]}
            values |= {} if study.is_cloud else {"intensity": study.intensity.si_levels}
            units, words = study.intensity.units, study.intensity.long_name
            self.known[runs] = build_dataset(values, units=units, long_name=words)
        return self.known[runs]


def slider_ranges(tables: Mapping[str, Any]) -> dict[str, tuple[str, float, float, float]]:
    """Name, least, largest and present value of what a slider can change: plain numbers of a study file."""
    found = {}
    for key, (name, low, high) in SLIDERS.items():
        section, _, item = key.partition(".")
        value = (tables.get(section) or {}).get(item, 0.0 if item == "com_z" else None)
        height = tables["body"].get("height")
        if low is None and isinstance(value, float) and isinstance(height, float):
            found[key] = (name, value - 0.25 * height, value + 0.25 * height, value)
        elif low is not None and high is not None and isinstance(value, float) and value > 0:
            found[key] = (name, low * value, high * value, value)
    return found


class StudyRun:
    """A run of the page's process: it goes on whatever becomes of tabs, each of which shows it.

    Attributes
    ----------
    study, output
        What it runs, and the store that it writes: those of its start, whatever the page describes later.
    told : str or Exception
        How far it is, or what ended it.
    points : dict of str to ndarray
        Its curve, as a figure takes it; without intervals while it runs.
    result : Result or None
        What it found, once it has ended well.
    news : int
        Changes so far.
    """

    def __init__(self, study: Study, output: Path, resume: bool) -> None:
        self.study, self.output, self.resume = study, output, resume
        self.told: str | Exception = "Starting; the first run of a session may wait for the compiler."
        self.points: dict[str, np.ndarray] = {}
        self.result: Result | None = None
        self.ended, self.news, self._unwanted, self._last = False, 0, False, 0.0
        self._progress: Progress | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End it within 2 s: parts at work are given up, and what still compiles then stores nothing."""
        self._unwanted, until = True, time.monotonic() + PATIENCE
        while self._thread.is_alive() and time.monotonic() < until:
            if self._progress:
                self._progress.stop()
            self._thread.join(0.05)
        self._end(Stopped())

    def _work(self) -> None:
        try:
            found = run_study(self.study, self.output, resume=self.resume, progress=self._report)
            self._tell("Reading what was computed.")
            result = Result(found, self.output, self.study.folder, trust_code=self.study.trust_code)
            result.prepare()
            if not self.ended:
                self.points, self.result = shown_points(result.points), result
                self._end(f"Done: {self.output}. Understand and Decide show it now.")
        except Exception as error:  # told to who asked: the page goes on
            self._end(error)

    def _report(self, progress: Progress) -> None:
        """Take how far it is; called by it after every part."""
        self._progress = progress
        if self._unwanted:
            raise Stopped
        if time.monotonic() - self._last > PERIOD and progress.finished:
            self._last = time.monotonic()
            if progress.intensities is not None:
                self.points = points_so_far(self.study, progress)
            runs = f"{progress.finished_runs} of {progress.total_runs} runs"
            self._tell(f"Writing {self.output}: {runs}, {progress.seconds_left:.0f} s left")

    def _tell(self, told: str | Exception) -> None:
        self.told, self.news = told, self.news + 1

    def _end(self, told: str | Exception) -> None:
        if not self.ended:
            self.ended = True
            stopped = f"Stopped; what is done stays in {self.output}, and Resume goes on."
            self._tell(stopped if isinstance(told, Stopped) else told)


def points_so_far(study: Study, progress: Progress) -> dict[str, np.ndarray]:
    """Fractions that overturned of the runs so far, as a figure takes them: large stores are slow to read."""
    fallen, n = progress.overturned.copy(), len(progress.overturned)
    units = {"units": study.intensity.units, "long_name": study.intensity.long_name}
    factor, _ = style.axis_scale(xr.DataArray(attrs=units))
    x = factor * np.asarray(progress.intensities)
    columns = {"x": x, "p": fallen / progress.finished, "overturned": fallen}
    none = dict.fromkeys(("low", "high", "undecided"), np.full(n, np.nan))
    return columns | none | {"runs": np.full(n, progress.finished)}


class Desk:
    """What all tabs of the page share: the result that was opened or run last, and the run that goes on.

    Parameters
    ----------
    result : Result, optional
        Opened at the start.
    text : str
        Of the study file at the start, where there is no result.
    folder, uploads : Path
        From which names of files start, and of what is dropped on the page.
    collection : Found, optional
        Whose objects are opened from the page.
    """

    def __init__(
        self, result: Result | None, text: str, folder: Path, uploads: Path, collection: Found | None = None
    ) -> None:
        self.result, self.given, self.folder, self.uploads = result, text, folder, uploads
        self.collection = collection
        self.run: StudyRun | None = None
        self.closed = False

    def renew(self) -> None:
        """Read again the store at the path of the one that was opened.

        Raises
        ------
        DatasetError
            As `Result.renewed`.
        """
        if result := self.latest():
            self.result = result.renewed()
            if self.run and self.run.result:
                self.run.result = self.result

    @property
    def study(self) -> Study | None:
        """The study that a new tab begins with, if there is one."""
        return self.run.study if self.run else self.result.study if self.result else None

    @property
    def title(self) -> str:
        """Heading of what has no other."""
        return self.collection.results.title if self.collection else "A study of overturning"

    @property
    def text(self) -> str:
        """Its study file."""
        return study_as_toml(json.loads(self.study.to_json()), inf) if self.study else self.given

    def latest(self) -> Result | None:
        """The result of the last run, or else that of the start."""
        if self.run and self.run.result:
            self.result = self.run.result
        return self.result

    def start(self, study: Study, output: str, resume: bool) -> None:
        """Run a study.

        Raises
        ------
        ValueError
            If a run is going on, or there is no name to write to, or it is none.
        """
        if self.run and not self.run.ended:
            raise ValueError(f"a run is going on, into {self.run.output}; stop it first")
        if not output:
            raise ValueError("name the store to write: nothing is written but where you say")
        self.latest()
        self.run = StudyRun(study, Path(check_name(output)), resume)

    def close(self) -> None:
        """End what goes on, as the page ends."""
        self.closed = True
        if self.run:
            self.run.stop()


class LiveRun:
    """A study that runs, and what its sliders show."""

    def __init__(self, study: Study, desk: Desk) -> None:
        self.study, self.desk = study, desk
        self.previews: dict[tuple[str, ...], Preview] = {}  # by their changes: of the study, and one other
        named = {"units": study.intensity.units, "long_name": study.intensity.long_name}
        label = style.axis_scale(xr.DataArray(attrs=named))[1]
        self.base, self.changed, self.grown = (
            ColumnDataSource({name: [] for name in POINTS}) for _ in range(3)
        )
        words = "Probability of overturning"
        self.figure = parts.plain_figure(words, label, "Probability [1]", y_range=(-0.02, 1.02))
        for source, words, colour in (
            (self.grown, "the run", style.ORANGE),
            (self.base, "as in the study", style.GREY),
            (self.changed, "changed", style.SKY),
        ):
            draw_points(self.figure, source, words, colour)
            self.figure.line("x", "p", source=source, color=colour)
        self.change = ColumnDataSource({name: [] for name in POINTS[:5]})
        words, ranges = (
            "What the sliders change",
            {"x_range": self.figure.x_range, "y_range": (-1.0, 1.0), "height": 240},
        )
        self.changes = parts.plain_figure(words, label, "Change of probability [1]", **ranges)
        self.changes.add_layout(Span(location=0.0, dimension="width", line_color=style.GREY))
        draw_points(self.changes, self.change, "", style.SKY, ("runs", "@runs pairs"))
        self.figure.legend.items[0].visible = False  # until there is one
        self.figure.legend.location, self.figure.legend.background_fill_alpha = "bottom_right", 0.5
        ranges = slider_ranges(json.loads(study.to_json()))
        self.values = {key: value for key, (*_, value) in ranges.items()}
        self.sliders = {
            key: parts.Slider(label=name, start=low, end=high, value=value, **WIDE)
            for key, (name, low, high, value) in ranges.items()
        }
        for slider in self.sliders.values():
            slider.param.watch(lambda _: self._change(), "value")
        self.busy, self.again, self.seen = False, False, (desk.run, -1)
        self.told, self.asked, self.state = parts.Told(**WIDE), parts.Told(**WIDE), parts.Told(**WIDE)
        name, output = "Store to write (a new folder)", str(desk.run.output) if desk.run else ""
        self.output = pn.widgets.TextInput(name=name, value=output, placeholder="study.zarr", width=320)
        self.look()

    def view(self) -> pn.Column:
        """The part of the page."""
        made = [
            parts.button("Run", partial(self._press, False), "primary"),
            parts.button("Stop", self._stop),
            parts.button("Resume", partial(self._press, True)),
        ]
        side = [html(parts.paragraph(COMMON)), *self.sliders.values()]
        if self.sliders:
            self.told.say("Computing a few realizations as in the study.")
            self._change()
        form = pn.FlexBox(self.output, *made, align_items="end")
        shown = parts.half(self.figure, self.told, self.changes, least=22)
        return pn.Column(form, self.asked, self.state, pn.FlexBox(shown, parts.half(*side, least=18)), **WIDE)

    def _press(self, resume: bool) -> None:
        try:
            self.desk.start(self.study, self.output.value, resume)
            self.asked.say("")
            self.look()
        except ValueError as error:
            self.asked.say(error)

    def _stop(self) -> None:
        if self.desk.run and not self.desk.run.ended:
            self.state.say("Stopping.")
            parts.in_background(self.desk.run.stop, lambda _: self.look())

    def look(self) -> None:
        """Show how far the run of the page is; its curve, if it is of the study that is described."""
        run = self.desk.run
        if run is None or self.seen == (run, run.news):
            return
        self.seen = run, run.news
        same = run.study.to_json() == self.study.to_json()
        self.grown.data = run.points if same and run.points else {name: [] for name in POINTS}
        self.figure.legend.items[0].visible = bool(same and run.points)
        other = "" if same or isinstance(run.told, Exception) else f" (Another study: {run.study.title})"
        self.state.say(f"{run.told}{other}" if isinstance(run.told, str) else run.told)

    def _change(self) -> None:
        """Compute the curves for the sliders; what is computed for where they were is given up."""
        self.again = True
        if not self.busy:
            self._compute(0)

    def _compute(self, stage: int) -> None:
        self.busy, self.again = True, False
        moved = {key: at.value for key, at in self.sliders.items() if at.value != self.values[key]}
        changes = tuple(f"{key}={toml(value)}" for key, value in moved.items())
        parts.in_background(partial(self._curves, changes, stage), partial(self._draw, stage))

    def _curves(self, changes: tuple[str, ...], stage: int) -> list[xr.Dataset]:
        """Probabilities as in the study and as changed, and their difference by pairs of runs."""
        if not self.previews:
            motions, (study,) = load_motions(self.study), settle([self._study([])])
            self.previews[()] = Preview(Job(study, motions, pack_motions(motions), Path(), {}))
        first = self.previews[()]
        if changes not in self.previews:
            study = self._study(changes).model_copy(update={"intensity": first.job.study.intensity})
            self.previews = {(): first, changes: Preview(replace(first.job, study=study))}
        unwanted = lambda: self.desk.closed or (self.again and stage > 0)  # noqa: E731
        both = [self.previews[each].first(STAGES[stage], unwanted) for each in ((), changes)]
        return [*map(overturning_probability, both), paired_difference(*both)]

    def _study(self, changes: Iterable[str]) -> Study:
        """The study with some changes, and without runs that probabilities do not take."""
        data = json.loads(self.study.to_json())
        return study_of(data, self.study.folder / "study", [*changes, "controls.recheck=0"])

    def _draw(self, stage: int, found: list[xr.Dataset] | Exception) -> None:
        self.busy, more = False, False
        if not isinstance(found, Exception):
            self.base.data, self.changed.data = map(shown_points, found[:2])
            is_changed = len(self.previews) > 1  # otherwise nothing is compared
            self.change.data = change_columns(found[2]) if is_changed else {name: [] for name in POINTS[:5]}
            reach = 1.1 * max(np.abs(found[2]["difference_interval"].values).max(initial=0.0), 0.01)
            self.changes.y_range.update(start=-reach, end=reach)
            runs, of = int(found[0]["runs"].sum()), self.previews[()].job.study.n_runs
            words = f"Each curve: {runs} of the {of} runs of the study, with the same motions and draws"
            self.told.say(f"{words}. {change_words(found[2])}" if is_changed else words)
            more = stage + 1 < len(STAGES) and runs < of
        elif not isinstance(found, Stopped):
            self.told.say(found)
        if self.again or more:
            self._compute(0 if self.again else stage + 1)


def shown_points(points: xr.Dataset) -> dict[str, np.ndarray]:
    """Points that have runs, as a figure takes them."""
    return point_columns(points.isel(intensity=points["runs"].values > 0))


LARGEST = "250MB"  # of a file: a mesh of two million triangles in STL has 100
MESH = "A mesh (STL, OBJ, PLY) dropped here becomes the shape; it stays in a folder until the command ends."
FILES = {question.name for question in QUESTIONS if question.check == Words()}
FREE = "The study file says what the form cannot: change it here, or drop another one, and the form follows."


class Described(NamedTuple):
    """A study file that was read."""

    text: str
    study: Study
    drawing: str
    answers: dict[str, str]
    kept: dict[str, Any]


class Description:
    """A study as it is described: by the form, or by the text of its file."""

    def __init__(self, desk: Desk, take: Callable[[Study, str], None]) -> None:
        self.folder, self.take, text = desk.folder, take, desk.text
        self.uploads = Path(tempfile.mkdtemp(prefix=parts.UPLOADS, dir=desk.uploads))
        self.fields = {question.name: _field(question) for question in QUESTIONS}
        self.rows = {
            name: pn.Column(field, html(margin=(0, 10, 4, 10)), **WIDE) for name, field in self.fields.items()
        }
        self.form, self.more, self.save = pn.Column(stylesheets=[parts.FORM], **WIDE), html(), html()
        self.sections: dict[str, pn.Column] = {}  # of the form
        self.told, self.reading = parts.Told(**WIDE), parts.Told(**WIDE)  # of the study file, of a mesh
        look: dict[str, Any] = {"stylesheets": ["textarea { font-family: monospace; }"], "height": 420}
        self.text = pn.widgets.TextAreaInput(
            name="Study file", value=text, max_length=1_000_000, **look, **WIDE
        )
        self.mesh = pn.widgets.FileDropper(name="Mesh", max_file_size=LARGEST, **parts.ASKS)
        self.file = pn.widgets.FileDropper(name="Study file to load", max_file_size="1MB", **parts.ASKS)
        for name, field in self.fields.items():
            field.param.watch(lambda _, name=name: self._left(name), "value")
            if isinstance(field, pn.widgets.TextInput):
                field.param.watch(lambda event, name=name: self._typed(name, event.new), "value_input")
        self.text.param.watch(lambda _: self._written(), "value")
        self.mesh.param.watch(lambda _: self._dropped_mesh(), "value")
        self.file.param.watch(lambda _: self._dropped_file(), "value")
        self.kept: dict[str, Any] = {}  # what the study file says and the form cannot
        self.shape = ""  # of the body there
        self.filling, self.turn = False, 0  # whether the page itself changes form or text; the latest change
        self.typed: dict[str, str] = {}  # of the field that is being typed in
        self.reads, self.again = False, False  # whether a study is read, and whether more was typed meanwhile
        self._arrange({})
        self._written() if text else self._answered(self.told.say)

    def view(self) -> pn.Column:
        """The part of the page."""
        check = pn.FlexBox(parts.button("Check as mcrock check does", self._check))
        mesh, dropped = (parts.Named(each, name=each.name, **WIDE) for each in (self.mesh, self.file))
        file = [html(parts.paragraph(FREE)), self.text, dropped, check, self.save, self.told, self.more]
        return pn.Column(
            self.form,
            parts.folded(
                "A mesh as the shape", html(parts.paragraph(MESH)), mesh, self.reading, is_open=True
            ),
            parts.folded("Study file", *file, is_open=True),
            **WIDE,
        )

    def _answers(self) -> dict[str, str]:
        answers = {name: field.value for name, field in self.fields.items()} | self.typed
        return {name: answer for name, answer in answers.items() if answer}

    def _left(self, name: str) -> None:
        self.typed = {}
        self._answered(partial(self._refuse, name))

    def _typed(self, name: str, text: str) -> None:
        """Let drawing and study file follow; what is wrong is said when the field is left."""
        if self.filling or text == self.fields[name].value:
            return
        self.typed, self.again = {name: text}, self.reads
        if not self.reads:
            self._answered(lambda _: None)

    def _arrange(self, answers: dict[str, str]) -> tuple[dict[str, str], bool]:
        """Show the questions that are asked after these answers, with what is wrong about those.

        Returns
        -------
        dict of str to str, bool
            Answers to the questions, in place of wrong ones the defaults, and whether all are right.
        """
        found: dict[str, str] = {}
        sections: dict[str, list[Any]] = {}
        right = True
        for question in asked(found):
            field = self.fields[question.name]
            default = question.default_after(found)
            if not isinstance(question.check, Option):
                field.placeholder = default
            found[question.name] = answers.get(question.name) or default
            try:
                question.check.read(found[question.name])
                self.rows[question.name][1].object = f'<p class="dim">{escape(question.why)}</p>'
            except ValueError as error:
                if question.name not in self.typed:
                    self.rows[question.name][1].object = parts.refused(error)
                found[question.name], right = default, False
            sections.setdefault(question.part, []).append(self.rows[question.name])
        for part, rows in sections.items():
            if part not in self.sections:
                self.sections[part] = pn.Column(**WIDE)
            heading = self.sections[part].objects[:1] or [html(f"<h2>{part.capitalize()}</h2>")]
            if self.sections[part].objects[1:] != rows:
                self.sections[part].objects = [*heading, *rows]
        there = [self.sections[part] for part in sections]
        if self.form.objects != there:
            self.form.objects = there
        return found, right

    def _refuse(self, name: str, error: object) -> None:
        """Say what is wrong at the question of a file that it names, or else at this one."""
        files = (key for key, typed in self._answers().items() if key in FILES and typed in str(error))
        self.rows[next(files, name)][1].object = parts.refused(error)

    def _answered(self, refuse: Callable[[Exception], None]) -> None:
        """Make the study file of the answers, with what it says besides."""
        if self.filling:
            return
        answers, right = self._arrange(self._answers())
        if right:  # otherwise it is said beside the question, and the study file stays as it was
            folder, kept = self._folder(), self.kept
            if answers["shape"] != self.shape:
                kept = {section: kept[section] for section in kept if section != "body"}  # of another shape

            def made() -> str:
                text = new_study(folder, **answers).text
                return study_as_toml(keep(parse_toml(text), kept), inf) if kept else text

            self._read(made, refuse, fill=False)
        else:
            self.reading.say("")

    def _written(self) -> None:
        """Read the text of the study file, which somebody has changed."""
        text = self.text.value
        self.save.object = parts.saved("study.toml", text.encode())
        if not self.filling:
            self._read(lambda: text, self.told.say, fill=True)

    def _folder(self) -> Path:
        return self.uploads if self.mesh.value else self.folder

    def _read(self, text_of: Callable[[], str], refuse: Callable[[Exception], None], fill: bool) -> None:
        """Read a study file and draw its body while the page goes on: a large mesh takes a minute."""
        self.turn, self.reads = self.turn + 1, True
        turn, folder = self.turn, self._folder()

        def read() -> Described:
            text = text_of()
            study = study_of(parse_toml(text), folder / "study file")
            answered = answers_of(parse_toml(text), folder)  # tables anew: a study takes files into its own
            return Described(text, study, parts.object_as_html(study), *answered)

        def show(found: Described | Exception) -> None:
            if turn == self.turn:  # nothing was changed meanwhile
                self.reads = False
                self.reading.say("")
                refuse(found) if isinstance(found, Exception) else self._show(found, fill)
            if self.again and not self.reads:
                self.again = False
                self._answered(lambda _: None)

        parts.in_background(read, show)

    def _show(self, found: Described, fill: bool) -> None:
        """Show a study that was read in drawing, form and text."""
        self.kept, self.shape, self.filling = found.kept, found.answers["shape"], True
        self.text.value = found.text
        for question in QUESTIONS if fill else ():
            answer = found.answers.get(question.name, question.default)
            typed = _unanswered(question) if answer == question.default else answer
            self.fields[question.name].value = typed
        self._arrange(self._answers())
        self.filling = False
        keys = [
            f"{section}.{key}" if section else key for section in found.kept for key in found.kept[section]
        ]
        self.told.say(f"The form cannot show, and answers leave as it is: {', '.join(keys)}" if keys else "")
        self.more.object = ""
        self.take(found.study, found.drawing)

    def _dropped_mesh(self) -> None:
        for name, content in (self.mesh.value or {}).items():
            last = taken_in(self.uploads, name, content).name
            self.reading.say(f"Reading {last}; a mesh of a million triangles takes a minute.")
            self.filling = True
            self.fields["shape"].value, self.fields["file"].value = "polyhedron", last
            self.filling = False
            self._answered(self.reading.say)

    def _dropped_file(self) -> None:
        for content in (self.file.value or {}).values():
            self.text.value = content.decode("utf-8", "replace") if isinstance(content, bytes) else content

    def _check(self) -> None:
        """What `mcrock check` says of the study."""
        text, folder = self.text.value, self._folder()

        def checked() -> str:
            (study,) = settle([study_of(parse_toml(text), folder / "study file")])
            motions = load_motions(study)
            lines = describe(study, motions)
            check_inputs(study, motions)
            return lines

        self.told.say("Checking")
        parts.in_background(checked, self._tell)

    def _tell(self, found: str | Exception) -> None:
        lines = [] if isinstance(found, Exception) else found.splitlines()
        self.told.say("The study can run." if lines else found)
        self.more.object = "".join(map(parts.paragraph, lines))


def _unanswered(question: Question) -> str:
    """What the field of a question has before it is answered."""
    return (
        question.default if isinstance(question.check, Option) and isinstance(question.default, str) else ""
    )


def _field(question: Question) -> Any:
    """The field of a question."""
    look: dict[str, Any] = {"name": question.prompt, **parts.ASKS}
    if isinstance(question.check, Option):
        choices = question.check.choices
        options = {f"{name}: {words}" if words else name: name for name, words in choices.items()}
        if not isinstance(question.default, str):
            options = {"as the other answers suggest": ""} | options
        return pn.widgets.Select(options=options, value=_unanswered(question), **look)
    return pn.widgets.TextInput(**look)
