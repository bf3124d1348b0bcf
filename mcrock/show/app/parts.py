"""What the parts of the page share: text, tables, figures, and work that the page does not wait for."""

from __future__ import annotations

import re
import threading
from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Any, ClassVar

import panel as pn
import param
from bokeh.models import HoverTool
from bokeh.plotting import figure
from panel.custom import JSComponent

from mcrock.show import style
from mcrock.show.report.content import Caution, Figure
from mcrock.show.report.page import prose
from mcrock.show.tables import Columns

# colours that tell the groups apart on light and on dark ground, and their marks, which do so in grey
LOOKS = {
    "overturned": (style.RED, "circle"),
    "slid": (style.SKY, "triangle"),
    "stood": (style.GREEN, "square"),
    "undecided": (style.PURPLE, "x"),
}
FILES = [Path(__file__).with_name(f"{name}.css") for name in ("parts", "fields", "page")]
CSS, FIELD, PAGE = (file.read_text(encoding="utf-8") for file in FILES)
UPLOADS = "mcrock-app-"  # begins the names of folders of files that were dropped
WIDE: dict[str, Any] = {"sizing_mode": "stretch_width"}
ASKS: dict[str, Any] = WIDE | {"stylesheets": [FIELD]}  # on light and dark; arrow keys count up and down
NUMBER: dict[str, Any] = {"width": 140, "stylesheets": [FIELD]}


def html(text: str = "", **more: Any) -> pn.pane.HTML:
    """A piece of the page; what comes of files must be escaped before."""
    return pn.pane.HTML(text, stylesheets=[CSS], **WIDE, **more)


def half(item: Any) -> pn.Column:
    """Half the width of the page, or all of a narrow one."""
    return pn.Column(item, styles={"flex": "1 1 min(28rem, 100%)", "min-width": "0"}, **WIDE)


def paragraph(text: str) -> str:
    """Text as a paragraph of a report."""
    return f"<p>{prose(text)}</p>"


def saved(name: str, content: bytes) -> str:
    """A link that saves a file; Panel's button for that does nothing by keyboard."""
    data, name = b64encode(content).decode(), escape(name)
    kind = "data:application/octet-stream;base64"
    return f'<a class="save" download="{name}" href="{kind},{data}">Save {name}</a>'


def refused(error: object) -> str:
    """What was refused, in the words of the command, and told to screen readers at once."""
    words = re.sub(rf"\S*{UPLOADS}[^/\\]*[/\\]", "", str(error))  # a file that was dropped has its name alone
    return f'<div role="alert" class="refused">{escape(words)}</div>'


def button(name: str, act: Callable[[], Any], kind: str = "default") -> pn.widgets.Button:
    """A button that does something."""
    return pn.widgets.Button(name=name, button_type=kind, on_click=lambda _: act())


class Named(pn.Column):  # type: ignore[misc]
    """Fields that screen readers know by one name."""

    def _get_properties(self, doc: Any) -> dict[str, Any]:
        return super()._get_properties(doc) | {"html_attributes": {"role": "group", "aria-label": self.name}}


class Told(JSComponent):  # type: ignore[misc]
    """What goes on: a place that stays while its text changes, which screen readers read out."""

    object = param.String("")  # HTML
    _stylesheets: ClassVar = [CSS]
    _esm = """
export function render({model}) {
  const place = document.createElement("div")
  place.setAttribute("role", "status")
  place.className = "set"
  const show = () => { place.innerHTML = model.object }
  model.on("object", show)
  show()
  return place
}"""

    def say(self, found: str | Exception) -> None:
        """Show a text, or what was refused."""
        self.object = refused(found) if isinstance(found, Exception) else paragraph(found)


class Slider(JSComponent):  # type: ignore[misc]
    """A slider of the browser's own, which has a name for screen readers, as those of Bokeh have not."""

    label = param.String()
    value, start, end = param.Number(), param.Number(), param.Number()
    _stylesheets: ClassVar = [CSS]
    _esm = """
export function render({model}) {
  const label = document.createElement("label")
  const shown = document.createElement("strong")
  const input = document.createElement("input")
  const show = () => { shown.textContent = +model.value.toPrecision(3) }
  label.className = "set"
  Object.assign(input, {type: "range", min: model.start, max: model.end, step: "any"})
  input.value = model.value
  input.addEventListener("input", () => { model.value = input.valueAsNumber; show() })
  show()
  label.append(model.label + ": ", shown, input)
  return label
}"""


def rows_as_html(rows: Iterable[Sequence[str]]) -> str:
    """A table whose first column names what the second has."""
    lines = [f"<tr><th scope=row>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows]
    return f'<div class="wide"><table>{"".join(lines)}</table></div>'


def blocks_as_html(blocks: Iterable[object]) -> str:
    """Lines, tables, cautions and figures of a report."""
    return "".join(_block(block) for block in blocks if block)


def _block(block: object) -> str:
    if isinstance(block, Columns):
        return _table(block)
    if isinstance(block, Figure):
        look = "width: 100%; max-width: 34rem; background: white"
        return f'<img src="{block.source}" alt="{escape(block.words)}" style="{look}">'
    text = paragraph(str(block))
    return f'<div class="refused">{text}</div>' if isinstance(block, Caution) else text


def _table(columns: Columns) -> str:
    heads = "".join(f"<th scope=col>{escape(head)}</th>" for head in columns.heads)
    rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in columns.rows)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>'


def plain_figure(
    words: str, x: str, y: str, *, tools: str = "pan,wheel_zoom,box_zoom,reset,save", **more: Any
) -> Any:
    """An empty figure as wide as its place; ``words`` say what it shows, to screen readers too."""
    x = x.replace("\n", " ")
    named = {"role": "img", "aria-label": f"{words}: {y} over {x or 'an input'}"}
    look: dict[str, Any] = {"tools": tools, "title": words, "html_attributes": named, **WIDE}
    made = figure(height=340, min_width=280, **look, **more)
    made.xaxis.axis_label, made.yaxis.axis_label = x, y
    made.toolbar.logo, made.toolbar.autohide = None, True
    made.title.text_font_style = "normal"
    return made


def add_hover(made: Any, renderer: Any, tips: list[tuple[str, str]]) -> None:
    """What is told of what is pointed at."""
    made.add_tools(HoverTool(renderers=[renderer], tooltips=tips, limit=3))


def to_page(document: Any, work: Callable[[], None]) -> None:
    """Let a page do something when it has time; nothing where it was closed meanwhile."""
    with suppress(AttributeError):  # of the document, which Bokeh has taken apart
        document.add_next_tick_callback(work)


def in_background(work: Callable[[], Any], done: Callable[[Any], None]) -> threading.Thread:
    """Work in a thread, and hand what it found, or the error, to the page when it has time; there too an
    error, as of a store that was replaced meanwhile, is handed on."""
    document = pn.state.curdoc

    def show(found: Any) -> None:
        try:
            done(found)
        except Exception as error:
            done(error)

    def run() -> None:
        try:
            found = work()
        except Exception as error:  # told to who asked: the page goes on
            found = error
        to_page(document, lambda: show(found))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread
