"""The part of the page that asks what `mcrock new` asks, and loads, shows and saves study files."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import panel as pn

from mcrock.base.tables.parsing import parse_toml
from mcrock.show.app.decide import safe_name
from mcrock.show.app.parts import WIDE, blocks_as_html, html, in_background, paragraph, refused, said
from mcrock.show.body import plot_body
from mcrock.show.describe import describe
from mcrock.show.report.content import embed
from mcrock.show.report.subject import body_at_medians
from mcrock.study import Study
from mcrock.study.answers import Option, Question
from mcrock.study.load import study_of
from mcrock.study.new import new_study
from mcrock.study.questions import QUESTIONS, asked
from mcrock.study.sampling import check_inputs, load_motions

LARGEST = "250MB"  # of a file: a mesh of two million triangles in STL has 100
MESH = "A mesh (STL, OBJ, PLY) dropped here becomes the shape; it stays in a folder that ends with this page."
FREE = "The study file says what the form cannot: change it here, or drop another one."


class Description:
    """A study as it is described: by the form, or by the text of its file."""

    def __init__(self, text: str, folder: Path, take: Callable[[Study], None]) -> None:
        self.folder, self.take = folder, take
        self.uploads = tempfile.TemporaryDirectory(prefix="mcrock-app-")
        pn.state.on_session_destroyed(lambda context: self.uploads.cleanup())
        self.fields = {question.name: _field(question) for question in QUESTIONS}
        self.rows = {
            question.name: pn.Column(self.fields[question.name], html(), **WIDE) for question in QUESTIONS
        }
        self.form, self.drawing, self.told = pn.Column(**WIDE), html(), html()
        self.text = pn.widgets.TextAreaInput(
            name="Study file",
            stylesheets=["textarea { font-family: monospace; }"],
            value=text,
            height=420,
            max_length=1_000_000,
            **WIDE,
        )
        self.mesh = pn.widgets.FileDropper(name="Mesh", max_file_size=LARGEST, **WIDE)
        self.file = pn.widgets.FileDropper(name="Study file to load", max_file_size="1MB", **WIDE)
        self.save = pn.widgets.FileDownload(
            callback=lambda: BytesIO(self.text.value.encode()), filename="study.toml"
        )
        for field in self.fields.values():
            field.param.watch(lambda _: self._answered(), "value")
        self.text.param.watch(lambda _: self._read(), "value")
        self.mesh.param.watch(lambda _: self._dropped_mesh(), "value")
        self.file.param.watch(lambda _: self._dropped_file(), "value")
        self.anew = pn.Card(self.form, title="Answer questions: they write the study file anew", **WIDE)
        self.anew.collapsed = bool(text)
        if text:
            self._arrange(self._answers())
            self._read()
        else:
            self._answered()

    def view(self) -> pn.Column:
        """The part of the page."""
        check = pn.widgets.Button(name="Check as mcrock check does")
        check.on_click(lambda _: self._check())
        left = pn.Column(self.anew, html(paragraph(MESH)), self.mesh, **WIDE)
        right = pn.Column(
            self.drawing,
            html(paragraph(FREE)),
            self.text,
            self.file,
            pn.FlexBox(self.save, check),
            self.told,
            **WIDE,
        )
        look = {"flex": "1 1 min(26rem, 100%)", "min-width": "0"}
        return pn.Column(
            pn.FlexBox(*(pn.Column(half, styles=look, **WIDE) for half in (left, right))), **WIDE
        )

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
                self.rows[question.name][1].object = ""
            except ValueError as error:
                self.rows[question.name][1].object = refused(error)
                found[question.name], right = default, False
            if question.part != part:
                rows.append(html(f"<h2>{question.part.capitalize()}</h2>"))
            part = question.part
            rows.append(self.rows[question.name])
        if self.form.objects != rows:
            self.form.objects = rows
        return found, right

    def _answered(self) -> None:
        """Make the study file of the answers."""
        answers, right = self._arrange(self._answers())
        if not right:
            return  # said beside the question; the study file stays as it was
        try:
            self.text.value = new_study(self._folder(), **answers).text
        except ValueError as error:
            self.told.object = refused(error)

    def _folder(self) -> Path:
        return Path(self.uploads.name) if self.mesh.value else self.folder

    def _read(self) -> None:
        """Read the text of the study file, draw its body and hand it on, or say what is wrong."""
        try:
            study = study_of(parse_toml(self.text.value), self._folder() / "study file")
            figure = embed(
                plot_body(body_at_medians(study)), "The body from the side, and its base from above"
            )
        except ValueError as error:
            self.told.object = refused(error)
            return
        self.drawing.object, self.told.object = blocks_as_html([figure]), ""
        self.take(study)

    def _dropped_mesh(self) -> None:
        for name, content in (self.mesh.value or {}).items():
            last = safe_name(name)
            path = Path(self.uploads.name) / last
            path.write_bytes(content.encode() if isinstance(content, str) else content)
            self.told.object = said(f"Reading {last}")
            self.fields["shape"].value, self.fields["file"].value = "polyhedron", last
            self._answered()

    def _dropped_file(self) -> None:
        for content in (self.file.value or {}).values():
            self.text.value = content.decode("utf-8", "replace") if isinstance(content, bytes) else content

    def _check(self) -> None:
        """What `mcrock check` says of the study."""

        def checked() -> str:
            study = study_of(parse_toml(self.text.value), self._folder() / "study file")
            motions = load_motions(study)
            lines = describe(study, motions)
            check_inputs(study, motions)
            return lines

        self.told.object = said("Checking")
        in_background(checked, self._tell)

    def _tell(self, found: str | Exception) -> None:
        if isinstance(found, Exception):
            self.told.object = refused(found)
        else:
            self.told.object = said("The study can run.") + "".join(map(paragraph, found.splitlines()))


def _field(question: Question) -> Any:
    """The field of a question, with why it matters."""
    look: dict[str, Any] = {"name": question.prompt, "description": question.why, **WIDE}
    if isinstance(question.check, Option):
        choices = question.check.choices
        options = {f"{name}: {words}" if words else name: name for name, words in choices.items()}
        if not isinstance(question.default, str):
            options = {"as the other answers suggest": ""} | options
        value = question.default if isinstance(question.default, str) else ""
        return pn.widgets.Select(options=options, value=value, **look)
    return pn.widgets.TextInput(**look)
