"""What the parts of the page share: text, tables, figures, work that it does not wait for, and runs as dots.

Dots to choose from and counts to look at do not grow with the study.
"""

from __future__ import annotations

import re
import textwrap
import threading
from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd
import panel as pn
import param
import xarray as xr
from bokeh.models import HoverTool
from bokeh.plotting import figure
from panel.custom import JSComponent

from mcrock.base.random_numbers import uniforms
from mcrock.dataset.schema import OUTER, outputs
from mcrock.show import style
from mcrock.show.body import object_numbers, plot_base, plot_side
from mcrock.show.report.content import Figure, embed, is_number
from mcrock.show.report.page import prose
from mcrock.show.report.subject import body_at_medians
from mcrock.show.run import format_result
from mcrock.show.style import axis_scale
from mcrock.show.text import Caution, Columns
from mcrock.statistics.outcomes import PEAKS_READ, UNDECIDED, Ending, run_endings
from mcrock.statistics.probability import displacement_limit, pooled
from mcrock.statistics.runs import intensity_classes, is_cloud, is_given, read_slices, run_intensity, study_of
from mcrock.study import Study
from mcrock.study.sampling import variable_name

# colours that tell the groups apart on light and on dark ground, and their marks, which do so in grey
LOOKS = {
    "overturned": (style.RED, "circle"),
    "slid": (style.SKY, "triangle"),
    "stood": (style.GREEN, "square"),
    "undecided": (style.PURPLE, "x"),
}
NAMES = ("parts.css", "fields.css", "page.css", "form.css", "tabs.css", "tabs.js")
FILES = [Path(__file__).with_name(name) for name in NAMES]
CSS, FIELD, PAGE, FORM, TABS, TABS_CODE = (file.read_text(encoding="utf-8") for file in FILES)
LABEL = 38  # letters of a line of an axis label, which fit on a phone
UPLOADS = "mcrock-app-"  # begins the names of folders of files that were dropped
WIDE: dict[str, Any] = {"sizing_mode": "stretch_width"}
ASKS: dict[str, Any] = WIDE | {"stylesheets": [FIELD]}  # on light and dark; arrow keys count up and down
NUMBER: dict[str, Any] = {"width": 140, "stylesheets": [FIELD]}


def html(text: str = "", **more: Any) -> pn.pane.HTML:
    """A piece of the page; what comes of files must be escaped before."""
    return pn.pane.HTML(text, stylesheets=[CSS], **WIDE | more)


def half(*items: Any, least: int = 28) -> pn.Column:
    """A share of the width of the page, or all of it where less than some em would be left."""
    return pn.Column(*items, styles={"flex": f"1 1 min({least}rem, 100%)", "min-width": "0"}, **WIDE)


def folded(title: str, *items: Any, is_open: bool = False) -> pn.Card:
    """A piece of the page that is opened by its title."""
    look: dict[str, Any] = {"margin": (6, 0), "stylesheets": [".card-button > svg { stroke: currentColor; }"]}
    return pn.Card(*items, title=title, collapsed=not is_open, **look, **WIDE)


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

    role = "group"

    def _get_properties(self, doc: Any) -> dict[str, Any]:
        named = {"role": self.role, "aria-label": self.name}
        return super()._get_properties(doc) | {"html_attributes": named}


class TabPanel(Named):
    """What the tab that is chosen shows."""

    role = "tabpanel"


class Tabs(JSComponent):  # type: ignore[misc]
    """Tabs of which one is chosen; Bokeh's own have no role and do nothing by keyboard."""

    label, value, options = param.String(), param.String(), param.List(item_type=str)
    _stylesheets: ClassVar = [TABS]
    _esm = TABS_CODE


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


def cards_as_html(figures: Iterable[Sequence[str]]) -> str:
    """Numbers to be seen first: the name of each, its value, and what has to be known of it."""
    cards = (
        f'<div><dt>{escape(name)}</dt><dd class="number">{escape(value)}</dd><dd>{prose(words)}</dd></div>'
        for name, value, words in figures
    )
    return f'<dl class="cards">{"".join(cards)}</dl>'


def object_as_html(study: Study) -> str:
    """The object of a study as it stands, with the three numbers that decide over rocking."""
    body, found = body_at_medians(study), object_numbers(study)
    side, base = (
        embed(plot_side(body), "The object from the side, with its centre of mass"),
        embed(plot_base(body), "Its base from above, with the slenderness of its edges"),
    )
    floor = " of its floor" if study.motion.on_floor else ""
    rows = (
        ("Slenderness", f"{np.degrees(found['slenderness']):.3g}\N{DEGREE SIGN}", ""),
        ("Size R, frequency p", f"{found['radius']:.3g} m", f"{found['frequency']:.3g} rad/s"),
        (f"Rocks from a peak{floor} of", f"{found['uplift']:.2g} g", "on"),
    )
    numbers = "".join(
        f"<div><dt>{name}</dt><dd>{value} <small>{more}</small></dd></div>" for name, value, more in rows
    )
    image, plan = (f'<img src="{each.source}" alt="{each.words}">' for each in (side, base))
    bodies = study.body.at_medians()
    settled = f"Put down on face {bodies.put_on}, it settles on face {body.start_face}, as drawn."
    settled = f"<p>{settled}</p>" * (bodies.put_on not in (None, body.start_face))
    mass = format_result("kg", float(f"{body.mass:.4g}"))
    plan = f"{settled}<details><summary>Base from above; {mass}</summary>{plan}</details>"
    return f'<div class="object" role="group" aria-label="The object">{image}<dl>{numbers}</dl>{plan}</div>'


def as_panes(blocks: Iterable[object]) -> list[Any]:
    """Lines, cautions and figures of a report, with tables that can be sorted."""
    there = filter(None, blocks)
    return [sortable(each) if isinstance(each, Columns) else html(_block(each)) for each in there]


def sortable(columns: Columns, **more: Any) -> pn.widgets.Tabulator:
    """A table of a report that a click on a heading sorts, by the number with which its cells begin."""
    titles = {str(number): head for number, head in enumerate(columns.heads)}  # two may be alike
    rows = pd.DataFrame(list(columns.rows), columns=list(titles))
    sorters = [
        {"field": name, "sorter": "number" if all(map(is_number, rows[name])) else "string"}
        for name in titles
    ]
    look: dict[str, Any] = {"show_index": False, "disabled": True, "configuration": {"columns": sorters}}
    return pn.widgets.Tabulator(rows, titles=titles, **look, **WIDE, **more)


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
    heads = "".join(f"<th scope=col>{escape(head)}</th>" for head in columns.heads if any(columns.heads))
    rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in columns.rows)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>'


def plain_figure(
    words: str, x: str, y: str, *, tools: str = "pan,wheel_zoom,box_zoom,reset,save", **more: Any
) -> Any:
    """An empty figure as wide as its place; ``words`` say what it shows, to screen readers too."""
    x = x.replace("\n", " ")
    label = textwrap.fill(x, LABEL)
    named = {"role": "img", "aria-label": f"{words}: {y} over {x or 'an input'}"}
    look: dict[str, Any] = {"tools": tools, "title": words, "html_attributes": named, **WIDE}
    made = figure(min_width=260, **{"height": 340} | look | more)
    made.xaxis.axis_label, made.yaxis.axis_label = label, y
    made.axis.axis_label_text_font_size = made.title.text_font_size = "13.5px"  # 13 px counts as not set
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


RATIO = "peak_tilt_ratio"
LEAST, MOST_TILT = 1e-3, 20.0  # of the axis of the tilt; below it runs stand at its end [1]
ROWS = 36  # of the counts
BINS = 40  # of the intensities of a cloud
DOTS = 2500  # of each group: as many as browsers move at ease
JITTER = 0.35  # width of a stripe over the distance to its neighbour [1]
SPREAD = 0x5EED  # stream of the numbers that spread dots, and choose those shown
GROUPS = {  # what is filtered, by what a run ended as
    "overturned": (Ending.OVERTURNED,),
    "slid": (Ending.SLID, Ending.SLID_AND_ROCKED, Ending.LEFT_THE_GROUND, Ending.FELL_OFF_ITS_SUPPORT),
    "stood": (Ending.RESTED, Ending.ROCKED),
    "undecided": UNDECIDED,
}


class RunDots(NamedTuple):
    """Runs of a study for a figure.

    Attributes
    ----------
    totals : dict of str to int
        Runs of each group.
    counts : ndarray (n_group, n_column, `ROWS`)
        Runs of each group in cells of intensity and peak tilt.
    x_edges : ndarray (n_column, 2)
        Ends of the columns, in the unit of the axis.
    y_edges : ndarray (`ROWS` + 1,)
        Ends of the rows: peak tilt over slenderness [1].
    dots : dict of str to ndarray
        Some runs of each group, all of a small study: `group`, `ending`, `outer`, `realization`,
        `intensity` (numbers), `x` in the unit of the axis, spread around its level, and `tilt`.
    label : str
        Of the axis of intensities, with its unit.
    """

    totals: dict[str, int]
    counts: np.ndarray
    x_edges: np.ndarray
    y_edges: np.ndarray
    dots: dict[str, np.ndarray]
    label: str


def collect_runs(ds: xr.Dataset, *, allow_missing: bool = False) -> RunDots:
    """Dots and counts of the runs of a study, read in slices.

    Parameters
    ----------
    ds : Dataset
        Result of a study with `peak_tilt_ratio`.
    allow_missing : bool
        Leave out runs that have not been run, rather than refuse.
    """
    inner, flat = ds.sizes["realization"], pooled(ds)
    factor, label = axis_scale(run_intensity(flat))
    places = intensity_classes(flat, BINS)
    x_edges = factor * (
        np.stack([places.lower, places.upper], axis=1) if is_cloud(flat) else _stripes(places.centre)
    )
    y_edges = np.geomspace(LEAST, MOST_TILT, ROWS + 1)
    code_of = np.zeros(len(Ending), int)
    for code, endings in enumerate(GROUPS.values()):
        code_of[list(endings)] = code
    shape = (len(GROUPS), len(x_edges), ROWS)
    counts, kept = np.zeros(np.prod(shape), np.int64), [_Kept() for _ in GROUPS]
    strength, limit = run_intensity(flat), displacement_limit(flat)
    for where, part, there in read_slices(flat, (*PEAKS_READ, RATIO), allow_missing):
        ending = run_endings(part, limit)
        column = np.arange(len(x_edges)) if places.of_run is None else places.of_run[where].astype(np.int64)
        tilt = np.nan_to_num(part[RATIO].values, nan=LEAST).clip(LEAST, MOST_TILT)
        row = (np.searchsorted(y_edges, tilt, side="right") - 1).clip(0, ROWS - 1)
        group = code_of[ending]
        cell = (group * shape[1] + column) * ROWS + row
        counts += np.bincount(cell[there], minlength=counts.size)
        levels = 1 if is_cloud(flat) else there.shape[1]
        number = np.arange(where.start * levels, where.stop * levels).reshape(there.shape)
        order = uniforms(SPREAD, 0, where.start * levels, there.size).reshape(there.shape)
        values = strength.isel(realization=where).values if is_cloud(flat) else strength.values
        columns = {"number": number, "order": order, "ending": ending, "tilt": tilt}
        columns["level"] = np.broadcast_to(values, there.shape)
        for code, keep in enumerate(kept):
            among = there & (group == code)
            keep.add({name: array[among] for name, array in columns.items()})
    dots = _dots(kept, levels, inner if OUTER in ds.dims else flat.sizes["realization"])
    spread = np.zeros(len(dots["x"])) if is_cloud(flat) else np.ptp(x_edges, axis=1)[dots["intensity"]]
    dots["x"] = factor * dots["x"] + spread * (dots.pop("spread") - 0.5)
    totals = counts.reshape(shape).sum(axis=(1, 2))
    return RunDots(
        dict(zip(GROUPS, totals.tolist(), strict=True)), counts.reshape(shape), x_edges, y_edges, dots, label
    )


class _Kept:
    """Runs of a group: those with the least of some random numbers, whatever the slices."""

    def __init__(self) -> None:
        self.columns: dict[str, np.ndarray] = {}

    def add(self, more: dict[str, np.ndarray]) -> None:
        joined = {
            name: np.concatenate([self.columns.get(name, array[:0]), array]) for name, array in more.items()
        }
        best = np.argsort(joined["order"], kind="stable")[:DOTS]
        self.columns = {name: array[best] for name, array in joined.items()}


def _dots(kept: list[_Kept], levels: int, inner: int) -> dict[str, np.ndarray]:
    """Columns of the dots by name."""
    joined = {name: np.concatenate([keep.columns[name] for keep in kept]) for name in kept[0].columns}
    group = np.repeat(list(GROUPS), [len(keep.columns["number"]) for keep in kept])
    realization, intensity = np.divmod(joined["number"], levels)
    outer, realization = np.divmod(realization, inner)
    words = np.array([ending.words for ending in Ending])
    spread = np.modf(joined["order"] * 4096.0)[0]  # other digits than those that choose
    numbers = {"outer": outer, "realization": realization, "intensity": intensity, "spread": spread}
    told = {"group": group, "ending": words[joined["ending"]]}
    return numbers | told | {"x": joined["level"].astype(float), "tilt": joined["tilt"].astype(float)}


def _stripes(levels: np.ndarray) -> np.ndarray:
    """Ends of a column around each level (n, 2), narrower than the distance to the next."""
    if len(levels) == 1:
        half = np.array([0.5 * JITTER * max(levels[0], 1.0)])
    else:
        gaps = np.abs(levels[:, None] - levels)
        half = JITTER * np.where(gaps > 0, gaps, np.inf).min(axis=1)
    return np.stack([levels - half, levels + half], axis=1)


def input_names(ds: xr.Dataset, first: int = 0) -> dict[str, str]:
    """Keys of the study file and units of the numbers that differ between realizations from a first one that
    was run on, by variable."""
    results, dims = outputs(friction=True), (("realization",), (OUTER, "realization"))
    study = study_of(ds)
    keys = {variable_name(key): key for key in study.uncertain} if study else {}
    names = [str(name) for name in ds.data_vars if name not in results and ds[name].dims in dims]
    names = [name for name in names if is_given(ds, name)]
    found = {}
    for name in names:
        some = ds[name].isel(realization=slice(first, first + 256)).values.ravel()
        if some.dtype.kind in "fi" and len(np.unique(some[some == some])) > 1:
            found[name] = f"{keys.get(name, name)} [{_scale(ds[name])[1]}]"
    return found


def _scale(variable: xr.DataArray) -> tuple[float, str]:
    """Factor from data to axis, and the unit there; angles are in degrees, as in study files."""
    if variable.attrs.get("units") == "rad":
        return 180.0 / np.pi, "deg"
    factor, label = axis_scale(variable)
    return factor, label.rpartition("[")[2].removesuffix("]")


def input_of(ds: xr.Dataset, name: str, outer: np.ndarray, realization: np.ndarray) -> np.ndarray:
    """An input of some runs, in the unit of its axis."""
    at: dict[str, Any] = {"realization": xr.DataArray(realization, dims="dot")}
    if OUTER in ds[name].dims:
        at[OUTER] = xr.DataArray(outer, dims="dot")
    values: np.ndarray = _scale(ds[name])[0] * ds[name].isel(at).values
    return values


def input_rows(ds: xr.Dataset, names: dict[str, str], at: dict[str, int]) -> list[tuple[str, str]]:
    """Inputs of a run, of the names of `input_names`: their keys, values with units, and what they are."""
    rows = []
    for name, key in names.items():
        value, attrs = float(ds[name].isel({dim: at[str(dim)] for dim in ds[name].dims})), ds[name].attrs
        shown = format_result(attrs.get("units", "1"), value)
        rows.append((key.partition(" [")[0], f"{shown}  {attrs.get('long_name', '')}".replace("`", "")))
    return rows
