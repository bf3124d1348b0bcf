"""Notebook cells of a body, a study, a run and a fit."""

from __future__ import annotations

from functools import singledispatch
from math import degrees

from markupsafe import Markup
from matplotlib.axes import Axes

from mcrock.body import Body
from mcrock.measurement import Fit
from mcrock.show.body import BODY, plot_body
from mcrock.show.describe import uncertain_rows
from mcrock.show.fit import estimate_rows, plot_fit
from mcrock.show.history import plot_history
from mcrock.show.report.content import embed
from mcrock.show.report.subject import body_at_medians
from mcrock.show.run import result_rows
from mcrock.simulation.runs import Run
from mcrock.study import Study

ROWS = 40  # of a table at most


@singledispatch
def html_of(item: object) -> str:
    """HTML of an object."""
    raise TypeError(f"nothing is known of how to show {type(item).__name__}")


@html_of.register
def _(body: Body) -> str:
    rows = [
        ("mass", f"{body.mass:.6g} kg"),
        ("radius R", f"{body.radius:.6g} m"),
        ("slenderness", f"{body.slenderness:.6g} rad ({degrees(body.slenderness):.4g} deg)"),
        ("frequency parameter p", f"{body.frequency:.6g} rad/s"),
        ("height of the centre of mass", f"{body.com_height:.6g} m"),
        ("faces, corners", f"{len(body.faces)}, {len(body.vertices)}"),
    ]
    return _cell(rows, plot_body(body), BODY)


@html_of.register
def _(study: Study) -> str:
    rows = [(name, f"{kind}: {words}") for name, kind, words in uncertain_rows(study)]
    outer = f"{study.n_outer} draws x " if study.ensemble.outer else ""
    size = f"{outer}{study.n_realizations} realizations x {study.n_intensity} intensities"
    intensity = [("intensity", study.intensity.long_name)] if study.motion.shakes else []
    rows = [("body", study.body.shape), *intensity, *rows]
    rows += [("size", f"{size} = {study.n_runs} runs"), ("seed", str(study.seed))]
    return _cell(rows, plot_body(body_at_medians(study)), BODY, study.title or "Untitled study")


@html_of.register
def _(run: Run) -> str:
    heading = run.outcome.name.lower().replace("_", " ")
    figure = plot_history(run) if run.history.sizes.get("time") else None
    return _cell(result_rows(run), figure, "History of the run", heading)


@html_of.register
def _(fit: Fit) -> str:
    rows = [
        (name, value if interval == "-" else f"{value} ({fit.level:.0%}: {interval})")
        for name, value, interval, *_ in estimate_rows(fit)
    ]
    return _cell(rows, plot_fit(fit), "The test and its simulation", fit.name)


def _cell(rows: list[tuple[str, str]], ax: Axes | None, words: str, heading: str = "") -> str:
    """Heading, figure with what is on it in words, and table of a cell."""
    cell = '<td style="text-align: left; padding-right: 1em">{}</td>'
    lines = [Markup(f"<tr>{cell}{cell}</tr>").format(*row) for row in rows[:ROWS]]
    title = Markup("<strong>{}</strong><br>").format(heading) if heading else Markup("")
    image = Markup("")
    if ax is not None:
        tag = Markup('<img src="{}" alt="{}" style="max-width: 30rem; background: white">')
        image = tag.format(embed(ax, words).source, words)
    return str(Markup("<div>{}{}<table>{}</table></div>").format(title, image, Markup("").join(lines)))
