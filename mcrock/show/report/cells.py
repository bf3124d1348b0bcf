"""Notebook cells of a body, a study, a run and a fit."""

from __future__ import annotations

from functools import singledispatch
from math import degrees

from markupsafe import Markup

from mcrock.body import Body
from mcrock.config import Study
from mcrock.measurement import Fit
from mcrock.show.body import plot_body
from mcrock.show.describe import uncertain_rows
from mcrock.show.fit import plot_fit
from mcrock.show.fit_text import estimate_rows
from mcrock.show.history import plot_history
from mcrock.show.report.content import embed
from mcrock.show.report.subject import body_at_medians
from mcrock.show.run import result_rows
from mcrock.simulation import Run

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
    return _cell(_image(body), rows)


@html_of.register
def _(study: Study) -> str:
    rows = [(name, f"{kind}: {words}") for name, kind, words in uncertain_rows(study)]
    outer = f"{study.n_outer} draws x " if study.ensemble.outer else ""
    size = f"{outer}{study.n_realizations} realizations x {study.n_intensity} intensities"
    intensity = [("intensity", study.intensity.long_name)] if study.motion.shakes else []
    rows = [("body", study.body.shape), *intensity, *rows]
    rows += [("size", f"{size} = {study.n_runs} runs"), ("seed", str(study.seed))]
    return _cell(_image(body_at_medians(study)), rows, study.title or "Untitled study")


@html_of.register
def _(run: Run) -> str:
    heading = run.outcome.name.lower().replace("_", " ")
    rows = result_rows(run)
    if not run.history.sizes.get("time"):
        return _cell(Markup(""), rows, heading)
    figure = embed(plot_history(run), "History of the run")
    return _cell(_tag(figure.source, figure.words), rows, heading)


@html_of.register
def _(fit: Fit) -> str:
    rows = [
        (name, value if interval == "-" else f"{value} ({fit.level:.0%}: {interval})")
        for name, value, interval, _ in estimate_rows(fit)
    ]
    figure = embed(plot_fit(fit), "The test and its simulation")
    return _cell(_tag(figure.source, figure.words), rows, fit.name)


def _image(body: Body) -> Markup:
    figure = embed(plot_body(body), "The body from the side, and its base from above")
    return _tag(figure.source, figure.words)


def _tag(source: str, words: str) -> Markup:
    return Markup('<img src="{}" alt="{}" style="max-width: 30rem; background: white">').format(source, words)


def _cell(image: Markup, rows: list[tuple[str, str]], heading: str = "") -> str:
    cell = '<td style="text-align: left; padding-right: 1em">{}</td>'
    lines = [Markup(f"<tr>{cell}{cell}</tr>").format(*row) for row in rows[:ROWS]]
    title = Markup("<strong>{}</strong><br>").format(heading) if heading else Markup("")
    return str(Markup("<div>{}{}<table>{}</table></div>").format(title, image, Markup("").join(lines)))
