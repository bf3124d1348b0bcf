"""The page: four parts, of which one is shown at a time."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import panel as pn

from mcrock.dataset import load_dataset
from mcrock.show.app.decide import Decision
from mcrock.show.app.describe import Description
from mcrock.show.app.parts import WIDE, Named, html, in_background, paragraph, refused
from mcrock.show.app.shake import LiveRun
from mcrock.show.app.understand import Result, understand
from mcrock.show.summary import missing_chunks
from mcrock.study import Study

PARTS = ("Describe", "Shake", "Understand", "Decide")
NOTHING = "Nothing has been run yet: Shake runs the study, and its result is shown here."
NO_STUDY = "Describe the study first; what it lacks is said there."


class Page:
    """The page of one visitor: the study that is described, and a result if there is one."""

    def __init__(self, theme: str, result: Result | None, text: str, folder: Path) -> None:
        self.theme, self.result, self.text, self.folder = theme, result, text, folder
        self.study: Study | None = result.study if result else None
        self.head, self.body = html(), pn.Column(**WIDE)
        self.parts: dict[str, Any] = {}
        first = "Understand" if result else "Describe"
        self.choice = pn.widgets.RadioBoxGroup(
            name="Part of the page", options=list(PARTS), value=first, inline=True
        )
        self.choice.param.watch(lambda _: self._show(), "value")
        self._name()
        self._show()

    def view(self) -> pn.Column:
        """All of it."""
        choice = Named(self.choice, name=self.choice.name, **WIDE)
        return pn.Column(self.head, choice, self.body, **WIDE)

    def _name(self) -> None:
        title = self.study.title if self.study else ""
        store, lines = "", list[str]()
        if self.result:
            store, lines = f"{self.result.store}, read only. ", missing_chunks(self.result.ds)
        missing = "".join(map(paragraph, lines))
        heading = escape(title or "A study of overturning")
        self.head.object = f'<h1>{heading}</h1>{missing}<p class="dim">{escape(store)}</p>'

    def _show(self) -> None:
        """Show the part that is chosen, and make it if it is new."""
        name = self.choice.value
        if name not in self.parts:
            self.parts[name] = self._make(name)
        self.body.objects = [self.parts[name]]

    def _make(self, name: str) -> Any:
        if name == "Describe":
            return Description(self.text, self.folder, self._described).view()
        if name == "Shake":
            return LiveRun(self.study, self._opened).view() if self.study else html(paragraph(NO_STUDY))
        if self.result is None:
            return html(paragraph(NOTHING))
        return understand(self.result, self.theme) if name == "Understand" else Decision(self.result).view()

    def _described(self, study: Study) -> None:
        if self.study is None or study.to_json() != self.study.to_json():
            self.study = study
            self.parts.pop("Shake", None)
            self._name()

    def _opened(self, store: Path) -> None:
        """Take a store that has been written as the result."""

        def read() -> Result:
            result = Result(load_dataset(store), store, self.folder)
            result.prepare()
            return result

        in_background(read, self._take)

    def _take(self, found: Result | Exception) -> None:
        for name in ("Understand", "Decide"):
            self.parts.pop(name, None)
            if isinstance(found, Exception):
                self.parts[name] = html(refused(found))
        if isinstance(found, Result):
            self.result = found
            self._name()
