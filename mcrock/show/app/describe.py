"""The part of the page that asks what `mcrock new` asks, and loads, shows and saves study files."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from html import escape
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import panel as pn

from mcrock.base.tables.parsing import parse_toml
from mcrock.show.app import parts
from mcrock.show.app.decide import taken_in
from mcrock.show.app.parts import WIDE, html
from mcrock.show.app.shake import Desk
from mcrock.show.body import BODY, plot_body
from mcrock.show.describe import describe
from mcrock.show.report.content import embed
from mcrock.show.report.subject import body_at_medians, study_as_toml
from mcrock.study import Study
from mcrock.study.load import study_of
from mcrock.study.new import answers_of, keep, new_study
from mcrock.study.questions import QUESTIONS, Option, Question, Words, asked
from mcrock.study.sampling import check_inputs, load_motions

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

    def __init__(self, desk: Desk, take: Callable[[Study], None]) -> None:
        self.folder, self.take, text = desk.folder, take, desk.text
        self.uploads = Path(tempfile.mkdtemp(prefix=parts.UPLOADS, dir=desk.uploads))
        self.fields = {question.name: _field(question) for question in QUESTIONS}
        self.rows = {name: pn.Column(field, html(), **WIDE) for name, field in self.fields.items()}
        self.form, self.drawing, self.more, self.save = pn.Column(**WIDE), html(), html(), html()
        self.told, self.reading = parts.Told(**WIDE), parts.Told(**WIDE)  # of the study file, of a mesh
        look: dict[str, Any] = {"stylesheets": ["textarea { font-family: monospace; }"], "height": 420}
        self.text = pn.widgets.TextAreaInput(
            name="Study file", value=text, max_length=1_000_000, **look, **WIDE
        )
        self.mesh = pn.widgets.FileDropper(name="Mesh", max_file_size=LARGEST, **parts.ASKS)
        self.file = pn.widgets.FileDropper(name="Study file to load", max_file_size="1MB", **parts.ASKS)
        for name, field in self.fields.items():
            field.param.watch(lambda _, name=name: self._answered(partial(self._refuse, name)), "value")
        self.text.param.watch(lambda _: self._written(), "value")
        self.mesh.param.watch(lambda _: self._dropped_mesh(), "value")
        self.file.param.watch(lambda _: self._dropped_file(), "value")
        self.kept: dict[str, Any] = {}  # what the study file says and the form cannot
        self.shape = ""  # of the body there
        self.filling, self.turn = False, 0  # whether the page itself changes form or text; the latest change
        self._arrange({})
        self._written() if text else self._answered(self.told.say)

    def view(self) -> pn.Column:
        """The part of the page."""
        check = pn.FlexBox(parts.button("Check as mcrock check does", self._check))
        mesh, dropped = (parts.Named(each, name=each.name, **WIDE) for each in (self.mesh, self.file))
        left = pn.Column(self.form, html(parts.paragraph(MESH)), mesh, self.reading, **WIDE)
        file = [html(parts.paragraph(FREE)), self.text, dropped, check, self.save]
        right = pn.Column(self.drawing, *file, self.told, self.more, **WIDE)
        return pn.Column(pn.FlexBox(parts.half(left), parts.half(right)), **WIDE)

    def _answers(self) -> dict[str, str]:
        return {name: field.value for name, field in self.fields.items() if field.value}

    def _arrange(self, answers: dict[str, str]) -> tuple[dict[str, str], bool]:
        """Show the questions that are asked after these answers, with what is wrong about those.

        Returns
        -------
        dict of str to str, bool
            Answers to the questions, in place of wrong ones the defaults, and whether all are right.
        """
        found: dict[str, str] = {}
        rows: list[Any] = []
        part, right = "", True
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
                self.rows[question.name][1].object = parts.refused(error)
                found[question.name], right = default, False
            if question.part != part:
                rows.append(html(f"<h2>{question.part.capitalize()}</h2>"))
            part = question.part
            rows.append(self.rows[question.name])
        if self.form.objects != rows:
            self.form.objects = rows
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
        self.turn += 1
        turn, folder = self.turn, self._folder()

        def read() -> Described:
            text = text_of()
            study = study_of(parse_toml(text), folder / "study file")
            figure = embed(plot_body(body_at_medians(study)), BODY)
            answered = answers_of(parse_toml(text), folder)  # tables anew: a study takes files into its own
            return Described(text, study, parts.blocks_as_html([figure]), *answered)

        def show(found: Described | Exception) -> None:
            if turn == self.turn:  # nothing was changed meanwhile
                self.reading.say("")
                refuse(found) if isinstance(found, Exception) else self._show(found, fill)

        parts.in_background(read, show)

    def _show(self, found: Described, fill: bool) -> None:
        """Show a study that was read in drawing, form and text."""
        self.kept, self.shape, self.filling = found.kept, found.answers["shape"], True
        self.text.value, self.drawing.object = found.text, found.drawing
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
        self.take(found.study)

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
            study = study_of(parse_toml(text), folder / "study file")
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
