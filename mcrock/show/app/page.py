"""The page: four parts, of which one is shown at a time."""

from __future__ import annotations

from html import escape
from typing import Any

import panel as pn

from mcrock.show.app.decide import Decision
from mcrock.show.app.describe import Description
from mcrock.show.app.parts import WIDE, Named, html, paragraph, refused
from mcrock.show.app.shake import Desk, LiveRun
from mcrock.show.app.understand import understand
from mcrock.show.summary import missing_chunks
from mcrock.study import Study

PARTS = ("Describe", "Shake", "Understand", "Decide")
OF_RESULT = PARTS[2:]
LOOK = 500  # between two looks at the run of the page [ms]
NOTHING = "Nothing has been run yet: Shake runs the study, and its result is shown here."
NO_STUDY = "Describe the study first; what it lacks is said there."


class Page:
    """The page of one tab: the study that is described there, and what it shares with the others."""

    def __init__(self, theme: str, desk: Desk) -> None:
        desk.renew()
        self.theme, self.desk, self.study, self.result = theme, desk, desk.study, desk.result
        self.head, self.body = html(), pn.Column(**WIDE)
        self.parts: dict[str, Any] = {}
        self.live: LiveRun | None = None
        first = "Shake" if desk.run else "Understand" if self.result else "Describe"
        self.choice = pn.widgets.RadioBoxGroup(
            name="Part of the page", options=list(PARTS), value=first, inline=True
        )
        self.choice.param.watch(lambda _: self._show(), "value")
        self._show()
        pn.state.add_periodic_callback(self._look, period=LOOK)

    def view(self) -> pn.Column:
        """All of it."""
        choice = Named(self.choice, name=self.choice.name, **WIDE)
        return pn.Column(self.head, choice, self.body, **WIDE)

    def _name(self) -> None:
        """Say of which study, and of which store, is what the part shows."""
        study, store, lines = self.study, "", list[str]()
        if self.result and self.choice.value in OF_RESULT:
            study = self.result.study
            store, lines = f"{self.result.store}, read only. ", missing_chunks(self.result.ds)
        missing = "".join(map(paragraph, lines))
        heading = escape((study.title if study else "") or "A study of overturning")
        self.head.object = f'<h1>{heading}</h1>{missing}<p class="dim">{escape(store)}</p>'

    def _show(self) -> None:
        """Show the part that is chosen, and make it if it is new."""
        name = self.choice.value
        if name not in self.parts:
            try:
                self.parts[name] = self._make(name)
            except Exception as error:  # as of a store that has been replaced
                self.parts[name] = html(refused(error))
        self._name()
        self.body.objects = [self.parts[name]]

    def _make(self, name: str) -> Any:
        if name == "Describe":
            return Description(self.desk, self._described).view()
        if name == "Shake":
            self.live = LiveRun(self.study, self.desk) if self.study else None
            return self.live.view() if self.live else html(paragraph(NO_STUDY))
        if self.result is None:
            return html(paragraph(NOTHING))
        shown = Decision(self.result, self.desk.uploads) if name == "Decide" else None
        return shown.view() if shown else understand(self.result, self.theme)

    def _described(self, study: Study) -> None:
        if self.study is None or study.to_json() != self.study.to_json():
            self.study = study
            self.parts.pop("Shake", None)
            self._name()

    def _look(self) -> None:
        """Show what became of the run, of whichever tab it is."""
        if self.live:
            self.live.look()
        if (found := self.desk.latest()) is not self.result:
            self.result = found
            for name in OF_RESULT:
                self.parts.pop(name, None)
            if self.choice.value in OF_RESULT:
                self._show()
