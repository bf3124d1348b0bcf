"""The part of the page that runs a study, and shows at once what a change of the body does."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import panel as pn
import xarray as xr
from bokeh.models import ColumnDataSource

from mcrock.base.tables.parsing import toml
from mcrock.base.two_cores import cores
from mcrock.dataset import build_dataset, load_dataset
from mcrock.ensemble import run_study
from mcrock.ensemble.part import Job, Part, simulate
from mcrock.ensemble.study import Progress
from mcrock.excitation import pack_motions
from mcrock.show import style
from mcrock.show.app import parts
from mcrock.show.app.parts import WIDE, html
from mcrock.show.app.understand import draw_points, point_columns
from mcrock.statistics import overturning_probability, pooled
from mcrock.study import Study
from mcrock.study.load import study_of
from mcrock.study.sampling import load_motions

STAGES = 220, 660, 2200, 6600  # runs after which a curve is drawn; the first one while a slider moves
PIECE = 110  # runs that a thread computes at a time at most: drawing their inputs is a fourteenth of that
POINTS = "x", "p", "low", "high", "runs", "overturned", "undecided"  # columns of a curve
PERIOD = 1.0  # between two curves of a run [s]
SLIDERS = {  # keys of the study file, their names, and ends over the number in it
    "body.width": ("Width [m]", 0.5, 1.5),
    "body.height": ("Height [m]", 0.5, 1.5),
    "body.com_z": ("Centre of mass, up [m]", None, None),
    "contact.friction": ("Friction [1]", 0.3, 2.0),
}
COMMON = (
    "Sliders change the body under the same motions and draws, so that the difference is theirs. The curves "
    "have a few runs while they move and more when they rest, and their intervals are of so many. What is "
    "uncertain in the study file has no slider."
)


class Stopped(Exception):  # noqa: N818
    """The run was stopped by who started it."""


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
        """Probabilities of so many runs, or of all that the study has.

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
            self.known[runs] = overturning_probability(build_dataset(values, units=units, long_name=words))
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


class LiveRun:
    """A study that runs, and what its sliders show."""

    def __init__(self, study: Study, opened: Any) -> None:
        self.study, self.opened = study, opened
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
        self.busy, self.again, self.stop, self.runs = False, False, False, False
        self.told, self.state = parts.Told(**WIDE), parts.Told(**WIDE)
        name = "Store to write (a new folder)"
        self.output = pn.widgets.TextInput(name=name, placeholder="study.zarr", width=320)

    def view(self) -> pn.Column:
        """The part of the page."""
        made = [
            parts.button("Run", partial(self._press, False), "primary"),
            parts.button("Stop", partial(self._press, None)),
            parts.button("Resume", partial(self._press, True)),
        ]
        side = pn.Column(html(parts.paragraph(COMMON)), *self.sliders.values(), **WIDE)
        if self.sliders:
            self.told.say("Computing a few realizations as in the study.")
            self._change()
        form = pn.FlexBox(self.output, *made, align_items="end")
        shown = parts.half(pn.Column(self.figure, self.told, **WIDE))
        return pn.Column(form, self.state, pn.FlexBox(shown, parts.half(side)), **WIDE)

    def _press(self, resume: bool | None) -> None:
        if resume is None:
            self.stop = True
            self.state.say("Stopping when the parts at work are done.")
        elif self.runs:
            self.state.say(ValueError("a run is going on; stop it first"))
        elif not self.output.value:
            self.state.say(ValueError("name the store to write: nothing is written but where you say"))
        else:
            self.stop, self.runs = False, True
            output = Path(self.output.value)
            self.state.say("Starting; the first run of a session may wait for the compiler.")
            document = pn.state.curdoc
            report = partial(self._report, document, output, [0.0])
            run = partial(run_study, self.study, output, resume=resume, progress=report)
            parts.in_background(lambda: run().close(), self._ended)

    def _report(self, document: Any, output: Path, last: list[float], progress: Progress) -> None:
        """Show how far a run is; called by it after every part."""
        if self.stop:
            raise Stopped
        if time.monotonic() - last[0] < PERIOD or not progress.finished:
            return
        with load_dataset(output, allow_incomplete=True) as ds:
            points = overturning_probability(pooled(ds), allow_missing=True)
        last[0] = time.monotonic()
        words = f"{progress.finished_runs} of {progress.total_runs} runs, {progress.seconds_left:.0f} s left"
        parts.to_page(document, lambda: self._grow(points, words))

    def _grow(self, points: xr.Dataset, words: str) -> None:
        self.grown.data = shown_points(points)
        self.figure.legend.items[0].visible = True
        self.state.say(words)

    def _ended(self, found: Exception | None) -> None:
        self.runs = False
        if isinstance(found, Stopped):
            self.state.say(f"Stopped; what is done stays in {self.output.value}, and Resume goes on.")
        elif isinstance(found, Exception):
            self.state.say(found)
        else:
            with load_dataset(self.output.value) as ds:
                self.grown.data = shown_points(overturning_probability(pooled(ds)))
            self.state.say(f"Done: {self.output.value}. Understand and Decide show it now.")
            self.opened(Path(self.output.value))

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
        """Probabilities as in the study and as changed."""
        if not self.previews:
            motions = load_motions(self.study)
            self.previews[()] = Preview(Job(self._study([]), motions, pack_motions(motions), Path(), {}))
        first = self.previews[()]
        if changes not in self.previews:
            self.previews = {(): first, changes: Preview(replace(first.job, study=self._study(changes)))}
        unwanted = lambda: self.again and stage > 0  # noqa: E731
        return [self.previews[each].probability(STAGES[stage], unwanted) for each in ((), changes)]

    def _study(self, changes: Iterable[str]) -> Study:
        """The study with some changes, and without runs that probabilities do not take."""
        data = json.loads(self.study.to_json())
        return study_of(data, self.study.folder / "study", [*changes, "controls.recheck=0"])

    def _draw(self, stage: int, found: list[xr.Dataset] | Exception) -> None:
        self.busy, more = False, False
        if not isinstance(found, Exception):
            self.base.data, self.changed.data = map(shown_points, found)
            runs, of = int(found[0]["runs"].sum()), self.study.n_realizations * self.study.n_intensity
            self.told.say(
                f"Each curve: {runs} of the {of} runs of the study, with the same motions and draws"
            )
            more = stage + 1 < len(STAGES) and runs < of
        elif not isinstance(found, Stopped):
            self.told.say(found)
        if self.again or more:
            self._compute(0 if self.again else stage + 1)


def shown_points(points: xr.Dataset) -> dict[str, np.ndarray]:
    """Points that have runs, as a figure takes them."""
    return point_columns(points.isel(intensity=points["runs"].values > 0))
