"""Looks of all figures: size, fonts, colours, axis labels and the note below the axes."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

import matplotlib as mpl
import numpy as np
import seaborn as sns
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from mcrock.base.units import as_printed
from mcrock.dataset import replacing
from mcrock.params import STANDARD_GRAVITY

Parameters = ParamSpec("Parameters")

COLUMN = 90.0  # width of a single column [mm]
PAGE = 180.0  # width of two columns [mm]
MILLIMETRE = 1 / 25.4  # [in]
NOTE_SIZE = 6.5  # [pt]
NOTE_LINES = 3  # of a note for which a figure has room
NOTE_LINE = 2.9  # height that each further one adds to it [mm]
NOTE_LOOK: dict[str, Any] = {"fontsize": NOTE_SIZE, "color": "0.35", "linespacing": 1.25, "ha": "left"}
OWN = "mcrock"  # label of figures made here
SCREEN = 130.0  # resolution in a notebook [1/in]
LABEL_CHARACTERS = 50  # of an axis label in one line: what fits along axes one column wide
COLOURS = sns.color_palette("colorblind").as_hex()
BLUE, ORANGE, GREEN, RED, PURPLE, BROWN, PINK, GREY, YELLOW, SKY = COLOURS
DEEP_BLUE, PALE_BLUE, DEEP_RED, SAND = "#01395e", "#8accf0", "#a63c00", "#e9c9a6"  # apart in grey, too
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

SETTINGS = {
    **sns.axes_style("ticks"),
    "font.size": 8.0,
    "axes.labelsize": 8.0,
    "axes.titlesize": 8.0,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "legend.fontsize": 7.0,
    "legend.title_fontsize": 7.0,
    "legend.frameon": False,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 3.0,
    "ytick.major.size": 3.0,
    "lines.linewidth": 1.3,
    "hatch.linewidth": 0.5,
    "savefig.dpi": 300.0,
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
}


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
    with mpl.rc_context(SETTINGS):
        yield
        # the backend of a notebook turns this on when pyplot is first used, and shows nothing without it
        interactive = mpl.is_interactive()
    mpl.interactive(interactive)


def styled(plot: Callable[Parameters, Axes]) -> Callable[Parameters, Axes]:
    """Run a plot function in `paper_style`."""

    @wraps(plot)
    def wrapper(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Axes:
        with paper_style():
            return plot(*args, **kwargs)

    return wrapper


class ShownAxes(Axes):
    """Axes that show their figure by themselves in a notebook, whatever its backend."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        with paper_style():
            figure_of(self).savefig(buffer, format="png", dpi=SCREEN, bbox_inches="tight", pad_inches=0.04)
        return buffer.getvalue()


class OwnFigure(Figure):
    """A figure whose axes show it."""

    def add_subplot(self, *args: Any, **kwargs: Any) -> Any:
        if not kwargs.keys() & {"projection", "polar", "axes_class"}:
            kwargs["axes_class"] = ShownAxes
        return super().add_subplot(*args, **kwargs)


def new_figure(width: float, height: float) -> Figure:
    """Empty figure of a size [mm] that needs no display."""
    figure = OwnFigure(figsize=(width * MILLIMETRE, height * MILLIMETRE), layout="constrained")
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
    return 1.0, _wrap_label(name, as_printed(units) or "1")


def unit_of(label: str) -> str:
    """Unit at the end of a label of `axis_scale`.

    >>> unit_of("Peak ground acceleration [g]")
    'g'
    """
    return label.rsplit("[", 1)[1].rstrip("]")


def _wrap_label(name: str, unit: str) -> str:
    """Name and unit of an axis in as many lines as they need; the unit stays with the last word."""
    bound = f"[{unit}]".replace(" ", "\N{NO-BREAK SPACE}")
    lines = textwrap.fill(
        f"{name}\N{NO-BREAK SPACE}{bound}", LABEL_CHARACTERS, break_long_words=False, break_on_hyphens=False
    )
    return lines.replace("\N{NO-BREAK SPACE}", " ")


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


def probability_axis(ax: Axes, label: str) -> None:
    """Vertical axis from 0 to 1."""
    ax.set_ylim(-0.02, 1.02)
    ax.spines["left"].set_bounds(0, 1)
    ax.yaxis.set_major_locator(MaxNLocator(5))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.set_ylabel(label)


def add_note(ax: Axes, text: str) -> None:
    """Small print below the axes: numbers of runs and what is drawn, as wide as the figure.

    In a figure of the caller, which may have other axes, the note hangs below `ax`.
    """
    figure = figure_of(ax)
    if figure.get_label() == OWN:
        _set_note(figure, textwrap.fill(text, int(0.8 * axes_width(ax))))
        return
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


def add_source(ax: Axes, attrs: Mapping[str, Any]) -> None:
    """Title and seed of a study as a last line of the note, where its attributes have them."""
    words = [str(attrs["title"])] if attrs.get("title") else []
    words += [f"seed {attrs['seed']}"] if "seed" in attrs else []
    if words:
        figure = figure_of(ax)
        line = textwrap.fill(", ".join(words).replace("$", r"\$"), int(0.8 * axes_width(ax)))
        _set_note(figure, f"{figure.get_supxlabel()}\n{line}".lstrip())


def _set_note(figure: Figure, text: str) -> None:
    """Write the note of a figure, which grows with a long one: the axes keep their height."""
    before, after = (max(words.count("\n") + 1, NOTE_LINES) for words in (figure.get_supxlabel(), text))
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + (after - before) * NOTE_LINE * MILLIMETRE)
    figure.supxlabel(text, x=0.012, **NOTE_LOOK)


def number_axis(ax: Axes, name: str = "x") -> None:
    """Few numbers along an axis, and short ones, so that they keep apart."""
    axis = ax.xaxis if name == "x" else ax.yaxis
    axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def run_words(number: int) -> str:
    """A number of runs in words: one run, or many."""
    return "1 run" if number == 1 else f"{number} runs"


def count_words(ds: xr.Dataset, runs: int) -> str:
    """Numbers of runs and records for the note, from a dataset of `mcrock.statistics`.

    >>> count_words(xr.Dataset({"records": 1}, attrs={"independent": "records"}), 1)
    '1 run of 1 record'
    >>> count_words(xr.Dataset({"records": 22}, attrs={"independent": "records"}), 4400)
    '4400 runs of 22 records'
    >>> count_words(xr.Dataset({"records": 22}, attrs={"independent": "realizations"}), 4400)
    '4400 runs'
    """
    if ds.attrs["independent"] != "records":
        return run_words(runs)
    records = int(ds["records"])
    return f"{run_words(runs)} of {records} record{'s' * (records != 1)}"
