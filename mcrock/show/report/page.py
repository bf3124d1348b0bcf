"""The page of a study, put together and written, and cells of notebooks for a body, a run or a fit."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from datetime import date
from functools import singledispatch
from math import degrees
from pathlib import Path
from typing import Any

import xarray as xr
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape
from matplotlib.axes import Axes

from mcrock.base.environment import mcrock_version
from mcrock.body import Body
from mcrock.dataset import replacing
from mcrock.ensemble.opening import read_log
from mcrock.show.body import BODY, plot_body
from mcrock.show.describe import uncertain_rows
from mcrock.show.history import plot_history
from mcrock.show.progress import format_impossible
from mcrock.show.report import results
from mcrock.show.report.content import Section, cautions, embed, kind_of, laid_out
from mcrock.show.report.subject import (
    NOBODY,
    Signed,
    body_at_medians,
    contents,
    files_section,
    in_order,
    study_section,
    subject_sections,
    table_section,
)
from mcrock.show.risk import Site
from mcrock.show.run import result_rows
from mcrock.show.summary import SECTIONS
from mcrock.show.text import Caution, missing_chunks
from mcrock.simulation.runs import Run
from mcrock.statistics.intervals import Confidence
from mcrock.statistics.runs import study_of
from mcrock.study import Study

ROWS = 40  # of a table at most


@singledispatch
def html_of(item: object) -> str:
    """HTML of an object, here of a fit, whose room takes a second to import."""
    from mcrock.measurement import Fit
    from mcrock.show.fit import estimate_rows, plot_fit

    if not isinstance(item, Fit):
        raise TypeError(f"nothing is known of how to show {type(item).__name__}")
    rows = [
        (name, value if interval == "-" else f"{value} ({item.level:.0%}: {interval})")
        for name, value, interval, *_ in estimate_rows(item)
    ]
    return _cell(rows, plot_fit(item), "The test and its simulation", item.name)


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


TEMPLATE = Path(__file__).with_name("page.html")


def build_report(
    ds: xr.Dataset,
    *,
    site: Site | None = None,
    store: Path | None = None,
    folder: str | Path = ".",
    signed: Signed = NOBODY,
    level: float = 0.95,
    allow_missing: bool = False,
    trust_code: bool = False,
    remedy: xr.Dataset | None = None,
    brief: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> str:
    """The report on a study as one HTML page, with everything inside.

    Parameters
    ----------
    ds : Dataset
        Result of a study, or a table of outcomes from `mcrock.read_outcomes`, of which the page says what
        it cannot know.
    site : Site, optional
        Hazard of a site, for the risk there, and design motion and target frequency, for standards.
    store : Path, optional
        Where the dataset was read from: its digest and the versions in its log are on the page.
    folder : str or Path
        Folder that the names of record files start from; without them there are no rules of thumb.
    signed : Signed, optional
        Object, author, checker and reference, which head the page in place of those of the study's [report],
        and further files whose digests it has.
    level : float
        Confidence level of the intervals [1].
    allow_missing : bool
        Leave out runs that have not been run, rather than refuse.
    trust_code : bool
        Run the law that the study names for the replays; without it they are left out, with what would run.
    remedy : Dataset, optional
        What to change, of `mcrock.show.comparison.read_remedy`.
    brief : bool
        Begin with what whoever decides needs, two pages in print, and make an annex of the rest.
    progress : callable, optional
        That of `mcrock.statistics.outcome_distances`, which takes most of the time.

    Returns
    -------
    str
        HTML. A study of a single recording has a line in place of each number that needs several.

    Raises
    ------
    ValueError
        As the functions of `mcrock.statistics`.
    """
    study = study_of(ds)
    signed = signed.or_of(study)
    folder = Path(folder)
    how = Confidence(level=level, allow_missing=allow_missing)
    site = (site or Site())._replace(folder=folder)
    answer = results.answer_of(ds, study, site, how)
    runs = answer.summary.runs
    failed = [" ".join(lines[:2])] if store and (lines := format_impossible(read_log(store))) else []
    capacity = results.capacity_blocks(answer.capacity) if site.asks_standard else []
    of_files = study and Study.from_json(study.to_json(), folder, trust_code=trust_code)
    sections = [
        *(subject_sections(runs, study, folder) if study else [table_section(runs)]),
        results.section_of(answer.summary, "fragility", capacity),
        results.section_of(answer.summary, "outcomes", cautions(failed)),
        *(results.section_of(answer.summary, key) for key in list(SECTIONS)[2:]),
        results.replays_section(ds, of_files, store, how) if of_files else None,
        results.sensitivity_section(ds, how, progress),
        *answer.sections,
        None if remedy is None else results.remedy_section(ds, remedy),
        files_section(ds, folder, [*([store] if store else []), *signed.files]),
        results.provenance_section(ds, store),
        study_section(study) if study else None,
    ]
    return build_page(
        (study.title if study else Path(store or "").stem) or "Untitled study",
        "Overturning of a free-standing body: report on a study",
        in_order(sections),
        brief=results.brief_sections(in_order(sections)) if brief else (),
        description=study.description if study else "",
        missing=missing_chunks(ds),
        figures=answer.figures,
        answer=answer.sentence,
        signed=signed,
    )


def build_page(
    title: str,
    subject: str,
    sections: list[Section],
    *,
    description: str = "",
    missing: Sequence[str] = (),
    figures: Sequence[results.KeyFigure] = (),
    answer: str = "",
    signed: Signed = NOBODY,
    listed: int | None = None,
    brief: Sequence[Section] = (),
) -> str:
    """One HTML page with everything inside: its sections, and what has to be heeded of them first.

    Parameters
    ----------
    title, subject, description : str
        What the page is of, what it is, and what was said of it.
    sections : list of Section
    missing : sequence of str
        What the page lacks.
    figures : sequence of KeyFigure
        Numbers to begin with.
    answer : str
        The result in a sentence.
    signed : Signed
        Who answers for the page.
    listed : int, optional
        Sections in the table of contents, by default all.
    brief : sequence of Section
        What comes first; all else is its annex.
    """
    found = [laid_out(section) for section in sections]
    return _render(
        title=title,
        subject=subject,
        description=description,
        made=f"mcrock {mcrock_version()}, {date.today().isoformat()}",
        missing=missing,
        figures=figures,
        answer=answer,
        signed=signed.fields,
        contents=contents(found[:listed]),
        sections=found,
        brief=[laid_out(section) for section in brief],
        cautions={
            block: section for section in found for block in section.blocks if isinstance(block, Caution)
        },
    )


def check_page(path: Path, overwrite: bool) -> None:
    """Refuse an output that cannot be a page, before anything is computed for it.

    Raises
    ------
    ValueError
        If its name does not end in .html, a folder or, without `overwrite`, a file is in its place, or its
        folder is not there.
    """
    if path.suffix not in (".html", ".htm"):
        raise ValueError(f"{path}: the name of a report must end in .html")
    if path.is_dir():
        raise ValueError(f"{path} is a folder; choose another output")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: the folder {path.parent} does not exist")
    if os.path.lexists(path) and not overwrite:
        raise ValueError(f"{path} exists already; replace it with --overwrite or choose another output")


def save_report(page: str, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write a page, whole or not at all, in place of another one if told so.

    Raises
    ------
    ValueError
        If the output is refused.
    """
    path = Path(path)
    check_page(path, overwrite)
    with replacing(path) as scratch:
        scratch.write_text(page, encoding="utf-8")
    return path


def _render(**items: Any) -> str:
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"prose": prose, "sentence": _sentence, "kind": kind_of}
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(**items)


def prose(text: str) -> Markup:
    """A line of text as HTML: code between backticks, a capital at the start."""
    start = text if "_" in text.partition(" ")[0] else f"{text[:1].upper()}{text[1:]}"
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(start))))


def _sentence(text: str) -> Markup:
    """The same with a full stop."""
    return prose(text if text.endswith((".", ":", "?")) else f"{text}.")
