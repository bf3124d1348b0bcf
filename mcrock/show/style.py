"""Looks of figures, on paper and in notebooks: size, fonts, colours, axis labels, the note below the axes.

matplotlib is imported when something is drawn: the text of a subject does not need it.
"""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from colorsys import hls_to_rgb, rgb_to_hls
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import xarray as xr

from mcrock.base.checks import shared_keywords
from mcrock.base.params import STANDARD_GRAVITY
from mcrock.base.units import unit_in_figure
from mcrock.dataset import replacing
from mcrock.dataset.opened import accepts_path
from mcrock.impact.registry import ImpactParameter

if TYPE_CHECKING:
    from matplotlib import RcParams
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend


@contextmanager
def paper_style() -> Iterator[None]:
    """Context with the settings of mcrock's figures, for axes of your own.

    Type of 6.5 to 8 points and thin lines, for print at the size drawn; the settings of the caller come back
    at the end.

    >>> import matplotlib.pyplot as plt
    >>> with paper_style():
    ...     figure, ax = plt.subplots(figsize=(84 / 25.4, 66 / 25.4), layout="constrained")
    >>> ax.xaxis.label.get_size()
    8.0
    >>> plt.close(figure)
    """
    import matplotlib as mpl

    with mpl.rc_context(_settings()):
        yield
        # the backend of a notebook turns this on when pyplot is first used, and shows nothing without it
        interactive = mpl.is_interactive()
    mpl.interactive(interactive)


@cache
def _settings() -> RcParams:
    from matplotlib import rc_params_from_file

    return rc_params_from_file(Path(__file__).with_name("paper.mplstyle"), use_default_template=False)


@dataclass(frozen=True, kw_only=True)
class Look:
    """Keywords of every plot function.

    Attributes
    ----------
    label : str, optional
        Name of the study in the legend: of the one line that a figure has for a study, or before the names of
        several.
    color : color, optional
        Of lines, areas and marks, in shades of which they are told apart; greys and maps of colours stay. By
        default studies with a label, and the second one on the same axes, have colours of their own.
    legend : bool
        Whether there is a legend.
    caption : bool or str
        Whether there is a note below the axes, or another text in its place.
    """

    label: str | None = None
    color: Any = None
    legend: bool = True
    caption: bool | str = True


WORDS_OF_LOOK = """    label, color, legend, caption : optional
        Name and colour of the study, whether there is a legend, and a note or another text in its place
        (`mcrock.show.style.Look`).
"""
_look: ContextVar[tuple[Look, str]] = ContextVar("look", default=(Look(), ""))  # with the name of a study


def styled(plot: Callable[..., Axes]) -> Callable[..., Axes]:
    """Run a plot function in `paper_style`, with the keywords of `Look`."""

    @wraps(plot)
    def wrapper(*args: Any, **keywords: Any) -> Axes:
        look = Look(**{name: keywords.pop(name) for name in list(keywords) if hasattr(Look, name)})
        given = next((each for each in (*args, keywords.get("ax")) if hasattr(each, "get_subplotspec")), None)
        before = [] if given is None else _drawn_on(given)
        number = _studies.get(given, 0) if given is not None else 0
        name = look.label or f"study {number + 1}" * (number > 0)
        with paper_style():
            token = _look.set((look, name))
            try:
                ax = plot(*args, **keywords)
            finally:
                _look.reset(token)
            all_axes = figure_of(ax).axes if given is None else [ax]
            added = [each for one in all_axes for each in _drawn_on(one) if each not in before]
            legends = [*figure_of(ax).legends, *filter(None, (one.get_legend() for one in all_axes))]
            if name or look.color is not None:
                target = STUDIES[number % len(STUDIES)] if look.color is None else look.color
                own = [each for legend in legends for each in legend.legend_handles] if given is None else []
                _colour([*added, *own], target)
            for legend in legends:
                if not look.legend:
                    legend.remove()
                elif name:
                    _rename(legend, added, name)
        _studies[ax] = number + 1
        return ax

    head, found, tail = (wrapper.__doc__ or "").partition("\n    Returns\n")
    wrapper.__doc__ = f"{head.rstrip()}\n{WORDS_OF_LOOK}{found}{tail}" if found else wrapper.__doc__
    return shared_keywords(Look)(wrapper)


def _drawn_on(ax: Axes) -> list[Any]:
    """Lines, areas, marks and what is made of several of them."""
    return [*ax.lines, *ax.collections, *ax.patches, *ax.containers]


def _colour(artists: Iterable[Any], target: Any) -> None:
    """Shades of a colour for all but greys and maps; the first colour found becomes the colour itself."""
    from matplotlib.colors import to_rgb, to_rgba_array

    hue, light, strength = rgb_to_hls(*to_rgb(target))
    first: list[float] = []  # lightness of the first colour

    def shade(row: list[float]) -> list[float]:
        _, own, chroma = rgb_to_hls(*row[:3])
        if chroma < GREYISH:
            return row
        first[:] = first or [own]
        return [*hls_to_rgb(hue, min(max(light + own - first[0], 0.12), 0.9), strength), row[3]]

    for artist in artists:
        if getattr(artist, "get_array", lambda: None)() is not None:
            continue
        for part in ("color", "markerfacecolor", "markeredgecolor", "facecolor", "edgecolor"):
            if not hasattr(artist, f"get_{part}") or (part == "color" and hasattr(artist, "set_facecolor")):
                continue
            rows = to_rgba_array(getattr(artist, f"get_{part}")())
            shades = [shade(row) for row in rows.tolist()]
            if shades:
                getattr(artist, f"set_{part}")(shades[0] if len(shades) == 1 else shades)


def _rename(legend: Legend, added: list[Any], name: str) -> None:
    """Put the name of a study into the one legend of its axes; what others drew there stays in it."""
    ax: Any = legend.axes  # None of a legend of the figure
    handles = [] if ax is None else [each for each in ax.get_legend_handles_labels()[0] if each in added]
    if not handles:  # the legend is of a figure or of other axes
        for text in legend.get_texts():
            text.set_text(f"{name}: {text.get_text()}")
        return
    main = [each for each in handles if hasattr(each, "get_linewidth") and not hasattr(each, "get_paths")]
    for each in handles:
        alone = name if len(main) == 1 else f"{name}: {each.get_label()}"
        each.set_label(alone if each in (main or handles) else "_")
    longest = max(map(len, ax.get_legend_handles_labels()[1]))
    columns = 1 if longest > LEGEND_CHARACTERS else 2
    legend_above(ax, columns, title=legend.get_title().get_text() or None)


def figure_of_runs(pack: type[Any] | None = None) -> Callable[[Callable[..., Axes]], Callable[..., Axes]]:
    """Plot functions of the runs of a study: drawn in `paper_style`, given a dataset or the path of one.

    Their ``**keywords`` are the fields of a pack, as `mcrock.base.checks.shared_keywords` shows them.
    """
    return lambda plot: accepts_path(styled(shared_keywords(pack)(plot) if pack else plot))


SCREEN = 130.0  # resolution [1/in]


@cache
def _own_figure() -> type[Figure]:
    """A figure whose axes show it."""
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    class ShownAxes(Axes):
        def _repr_png_(self) -> bytes:
            buffer = io.BytesIO()
            with paper_style():
                figure_of(self).savefig(
                    buffer, format="png", dpi=SCREEN, bbox_inches="tight", pad_inches=0.04
                )
            return buffer.getvalue()

    class OwnFigure(Figure):
        def add_subplot(self, *args: Any, **kwargs: Any) -> Any:
            if not kwargs.keys() & {"projection", "polar", "axes_class"}:
                kwargs["axes_class"] = ShownAxes
            return super().add_subplot(*args, **kwargs)

    return OwnFigure


COLUMN = 90.0  # width of a single column [mm]
PAGE = 180.0  # width of two columns [mm]
MILLIMETRE = 1 / 25.4  # [in]
NOTE_SIZE = 6.5  # [pt]
NOTE_LINES = 3  # of a note for which a figure has room
NOTE_LINE = 2.9  # height that each further one adds to it [mm]
NOTE_LOOK: dict[str, Any] = {"fontsize": NOTE_SIZE, "color": "0.35", "linespacing": 1.25, "ha": "left"}
OWN = "mcrock"  # label of figures made here
LEGEND_CHARACTERS = 25  # of a name in one of two columns
LABEL_CHARACTERS = 50  # of an axis label in one line: what fits along axes one column wide
COLOURS = (  # the palette "colorblind" of seaborn
    "#0173b2", "#de8f05", "#029e73", "#d55e00", "#cc78bc",
    "#ca9161", "#fbafe4", "#949494", "#ece133", "#56b4e9",
)  # fmt: skip
GREYISH = 0.2  # saturation of what is no colour [1]
_studies: WeakKeyDictionary[Any, int] = WeakKeyDictionary()  # numbers of those on axes
BLUE, ORANGE, GREEN, RED, PURPLE, BROWN, PINK, GREY, YELLOW, SKY = COLOURS
STUDIES = (BLUE, RED, GREEN, PURPLE, BROWN, SKY)  # on the same axes
DEEP_BLUE, PALE_BLUE, DEEP_RED, SAND, DEEP_GREEN = (
    "#01395e",
    "#8accf0",
    "#a63c00",
    "#e9c9a6",
    "#00855f",
)  # apart in grey, too
MARKERS = "os^DvpX"  # of series, and the dashes of lines: prints in grey have no colours
STROKES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.5)),
    (0, (5, 1.2, 1, 1.2)),
    (0, (1.3, 1.3)),
    (0, (5, 1.2, 1, 1.2, 1, 1.2)),
    (0, (9, 2)),
)
BARS: dict[str, Any] = {"elinewidth": 0.9, "capsize": 1.8, "capthick": 0.9}  # of intervals
DECADES = 1.2e5  # ratio of the ends of a logarithmic axis from which it has powers of ten [1]
SMALL = 1e-3  # below which all numbers of an axis have a power of ten
BAR_CHARACTERS = 55  # that fit below the bars of a figure one column wide


def new_figure(width: float, height: float) -> Figure:
    """Empty figure of a size [mm] that needs no display."""
    figure = _own_figure()(figsize=(width * MILLIMETRE, height * MILLIMETRE), layout="constrained")
    figure.set_label(OWN)
    return figure


def new_axes(width: float = COLUMN, height: float = 68.0) -> Axes:
    """Axes of a new figure of a size [mm]."""
    return new_figure(width, height).add_subplot()


def save_figure(ax: Axes, path: str | Path) -> Path:
    """Write the figure of `ax`; the ending of `path` names the format.

    Raises
    ------
    ValueError
        If matplotlib does not know the format.
    """
    path = Path(path)
    with replacing(path) as scratch, paper_style():
        figure_of(ax).savefig(scratch, bbox_inches="tight", pad_inches=0.04)
    return path


def figure_of(ax: Axes) -> Figure:
    """The whole figure that `ax` is part of."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    return figure


def axes_width(ax: Axes) -> float:
    """Width of the figure of `ax` [mm]."""
    return float(figure_of(ax).get_size_inches()[0]) / MILLIMETRE


def axis_scale(variable: xr.DataArray) -> tuple[float, str]:
    """Factor from data to axis, and the label with its unit; accelerations are shown in g.

    A label too long for axes one column wide has several lines. It begins with a capital, unless
    with a symbol.

    >>> pga = xr.DataArray(1.0, attrs={"units": "m s-2", "long_name": "peak ground acceleration"})
    >>> factor, label = axis_scale(pga)
    >>> print(f"{factor:.5f} {label}")
    0.10197 Peak ground acceleration [g]
    """
    units = variable.attrs.get("units", "1")
    name = variable.attrs.get("long_name") or str(variable.name).replace("_", " ")
    first = name.partition(" ")[0].rstrip(",;:").replace("-", "")
    if len(first) > 1 and first.isalpha():
        name = name[:1].upper() + name[1:]
    if units in ("m s-2", "m/s2", "m s^-2"):
        return 1 / STANDARD_GRAVITY, _wrap_label(name, "g")
    return 1.0, _wrap_label(name, unit_in_figure(units) or "1")


def _wrap_label(name: str, unit: str) -> str:
    """Name and unit of an axis in as many lines as they need; the unit stays with the last word."""
    bound = f"[{unit}]".replace(" ", "\N{NO-BREAK SPACE}")
    name = re.sub(r"(?<=\d) (?=\w)", "\N{NO-BREAK SPACE}", name)  # as in 1 s
    lines = textwrap.fill(
        f"{name}\N{NO-BREAK SPACE}{bound}", LABEL_CHARACTERS, break_long_words=False, break_on_hyphens=False
    )
    return lines.replace("\N{NO-BREAK SPACE}", " ")


def input_name(name: str) -> str:
    """An input at an axis: parameters of impacts by their symbols, as in other figures."""
    words = name.replace("_", " ").replace(".", " ")
    symbols = {parameter.variable: parameter.row.symbol for parameter in ImpactParameter}
    symbol = symbols.get(name.replace(".", "_"))
    return f"impact ${symbol}$" if symbol else words


def short_numbers(values: np.ndarray) -> list[str]:
    """Numbers with as few digits as keep them apart; those of up to four digits as they are.

    >>> short_numbers(np.array([0.1, 0.25, 1.0])), short_numbers(np.array([1.25, 2.5]))
    (['0.1', '0.25', '1'], ['1.25', '2.5'])
    >>> short_numbers(np.array([0.132437, 0.179214]))
    ['0.13', '0.18']
    """
    given = np.asarray(values, dtype=float).tolist()
    plain = [value for value in given if np.isclose(float(f"{value:.4g}"), value, rtol=1e-9, atol=0.0)]
    for digits in range(2, 7):
        words = [f"{value:.{digits}g}" for value in given]
        exact = all(np.isclose(float(f"{value:.{digits}g}"), value, rtol=1e-9, atol=0.0) for value in plain)
        if exact and len(set(words)) == len(set(given)):
            break
    return [f"{float(word):g}" for word in words]


def level_axis(ax: Axes, intensity: xr.DataArray, room: float = 1.05) -> float:
    """Horizontal axis of intensities, from 0 to ``room`` times the strongest; returns the factor to it."""
    factor, label = axis_scale(intensity)
    ax.set_xlim(0, room * factor * float(intensity.max()))
    ax.set_xlabel(label)
    number_axis(ax)
    return factor


def legend_above(ax: Axes, ncols: int = 2, left: float = -0.1, **look: Any) -> None:
    """Legend above the axes, from ``left`` of their left end [widths of the axes]."""
    look = {"handlelength": 1.4, "columnspacing": 1.0} | look
    ax.legend(loc="lower left", bbox_to_anchor=(left, 1.0), ncols=ncols, **look)


def legend_of_levels(ax: Axes, label: str, number: int) -> None:
    """Legend of so many intensities in a row above the axes, under their label; none of none."""
    if number:
        title = re.sub(r"Peak (\w)\w+ (\w)\w+", lambda found: f"P{found[1]}{found[2]}".upper(), label)
        look: dict[str, Any] = {"handlelength": 1.6, "columnspacing": 1.0}
        ax.legend(title=title, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=number, **look)


def error_bars(ax: Axes, x: np.ndarray, y: np.ndarray, ends: np.ndarray, **look: Any) -> None:
    """Points (n,) with intervals between ends (2, n), those that are known."""
    known = np.isfinite(y)
    lengths = np.nan_to_num(np.abs(ends - y))[:, known]
    usual: dict[str, Any] = {"fmt": "o", "markersize": 3.2, "zorder": 3} | BARS
    ax.errorbar(np.asarray(x)[known], y[known], lengths, **(usual | look))


BarPart = tuple[str, np.ndarray, dict[str, Any]]  # label, heights (n,) and look


def stacked_bars(ax: Axes, names: Sequence[str], parts: Iterable[BarPart]) -> None:
    """A bar for each name, made of parts; those of no height are left out."""
    place, base = np.arange(len(names)), np.zeros(len(names))
    for label, heights, look in parts:
        if heights.any():
            ax.bar(place, heights, 0.84, base, label=label, **look)
        base = base + heights
    step = int(np.ceil(len(names) * (max(map(len, names)) + 1) / BAR_CHARACTERS))  # that the names keep apart
    ax.set_xticks(place[::step], names[::step])
    ax.tick_params(axis="x", length=0)
    ax.set_xlim(-0.6, len(names) - 0.4)


def interval_rows(ax: Axes, names: Sequence[str], ends: np.ndarray, colours: Sequence[str]) -> np.ndarray:
    """Rows that are named along the vertical axis, each with its interval (2, n); returns their places."""
    row = np.arange(len(names))
    ax.hlines(row, *ends, color=colours, alpha=0.45, linewidth=3.0)
    ax.set_yticks(row, names)
    ax.set_ylim(-0.65, len(row) - 0.4)
    number_axis(ax)
    return row


def words_above_rows(ax: Axes, words: Sequence[str]) -> None:
    """Lines above the rows of `interval_rows` in place of their names, which may be as long as the axes."""
    ax.set_yticks([])
    place: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
    for i, text in enumerate(words):
        written = ax.annotate(text, (0.0, i), xytext=(3.0, 4.0), fontsize=NOTE_SIZE, **place)
        written.set_in_layout(False)  # it has the width of the axes and would take more
    ax.set_ylim(top=len(words) - 0.2)


def shades(name: str, number: int) -> list[tuple[float, ...]]:
    """Colours evenly spaced over a map without its ends, as seaborn's palettes, which take half a second."""
    from matplotlib import colormaps

    return [*map(tuple, colormaps[name](np.linspace(0.0, 1.0, number + 2)[1:-1])[:, :3].tolist())]


def plain_text(text: str) -> str:
    """Text in which matplotlib finds no formulas."""
    return text.replace("$", r"\$")


def probability_axis(ax: Axes, label: str) -> None:
    """Vertical axis from 0 to 1."""
    ax.set_ylim(-0.02, 1.02)
    ax.spines["left"].set_bounds(0, 1)
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    ax.yaxis.set_major_locator(MaxNLocator(5))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.set_ylabel(label)


def add_note(ax: Axes, text: str) -> Axes:
    """Small print below the axes, which it returns: numbers of runs and what is drawn, as wide as the figure.

    In a figure of the caller that has other axes, or that nothing lays out, the note hangs below `ax`.
    """
    (look, name), figure, place = _look.get(), figure_of(ax), ax.get_subplotspec()
    if look.caption is False:
        return ax
    text = look.caption if isinstance(look.caption, str) else f"{name}: {text}" if name else text
    alone = place is not None and place.get_gridspec().get_geometry() == (1, 1) and ax.get_figure() is figure
    if figure.get_label() == OWN or (alone and figure.get_layout_engine() is not None):
        earlier = f"{figure.get_supxlabel()}\n" * (_studies.get(ax, 0) > 0)
        _set_note(figure, f"{earlier}{textwrap.fill(text, int(0.8 * axes_width(ax)))}".lstrip())
        return ax
    width = ax.get_position().width * axes_width(ax)
    ax.annotate(
        textwrap.fill(text, max(int(0.8 * width), 20)),
        xy=(0.0, 0.0),
        xycoords=("axes fraction", ax.xaxis.label),
        xytext=(0.0, -6.0),
        textcoords="offset points",
        va="top",
        **NOTE_LOOK,
    )
    return ax


def add_source(ax: Axes, attrs: Mapping[str, Any]) -> None:
    """Title and seed of a study as a last line of the note, where its attributes have them."""
    words = [str(attrs["title"])] if attrs.get("title") else []
    words += [f"seed {attrs['seed']}"] if "seed" in attrs else []
    if words:
        figure = figure_of(ax)
        line = textwrap.fill(plain_text(", ".join(words)), int(0.8 * axes_width(ax)))
        _set_note(figure, f"{figure.get_supxlabel()}\n{line}".lstrip())


def _set_note(figure: Figure, text: str) -> None:
    """Write the note of a figure, which grows with a long one: the axes keep their height."""
    before, after = (max(words.count("\n") + 1, NOTE_LINES) for words in (figure.get_supxlabel(), text))
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + (after - before) * NOTE_LINE * MILLIMETRE)
    figure.supxlabel(text, x=0.012, **NOTE_LOOK)


def number_axis(ax: Axes, name: str = "x") -> None:
    """Few numbers along an axis, and short ones, so that they keep apart."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis = ax.xaxis if name == "x" else ax.yaxis
    axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: _in_one_form(value, axis.get_majorticklocs())))


def _in_one_form(value: float, all_of_axis: np.ndarray) -> str:
    """A number of an axis, with the power of ten of the largest where all are small.

    >>> [_in_one_form(value, np.array([5e-05, 1e-4])) for value in (0.0, 5e-05, 1e-4)]
    ['0', '0.5e-4', '1e-4']
    """
    largest = np.abs(all_of_axis).max()
    if value == 0.0 or largest >= SMALL:
        return f"{value:g}"
    power = int(np.floor(np.log10(largest) + 1e-9))
    return f"{value / 10.0**power:.4g}e{power}"


def log_axis(ax: Axes, name: str = "x") -> None:
    """Logarithmic axis, whose limits are set, with plain numbers; over many decades with powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    (set_scale, axis) = (ax.set_xscale, ax.xaxis) if name == "x" else (ax.set_yscale, ax.yaxis)
    set_scale("log")
    low, high = sorted(axis.get_view_interval())
    if high < DECADES * low:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 300.0 * low else (1.0,)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(NullFormatter())
