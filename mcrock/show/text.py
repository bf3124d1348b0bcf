"""Numbers, tables and paragraphs as text that fits a terminal, and results as JSON holds them.

A result says its own words: `long_name`, `units` and `digits` of its variables, and which are curves.
`present` makes tables of all of it, `table_along` of templates such as `{rate:ends}`.
"""

from __future__ import annotations

import math
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import product
from string import Formatter
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import NDArray

from mcrock.base import estimates
from mcrock.base.params import STANDARD_GRAVITY
from mcrock.base.units import unit_in_text

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes


def format_range(array: NDArray[Any], form: str = ".4g") -> str:
    """Smallest and largest value: ``0.4`` or ``0.39 to 0.41``."""
    low, high = format(array.min(), form), format(array.max(), form)
    return low if low == high else f"{low} to {high}"


def format_time(seconds: float) -> str:
    """A time span in the unit that suits it.

    >>> format_time(0.2), format_time(7.4), format_time(300), format_time(9000), format_time(3e6)
    ('less than 1 s', '7 s', '5.0 min', '2.5 h', '34.7 days')
    """
    if seconds < 1:
        return "less than 1 s"
    for limit, size, unit in ((120, 1, "s"), (7200, 60, "min"), (172800, 3600, "h")):
        if seconds < limit:
            return f"{seconds / size:.{0 if size == 1 else 1}f} {unit}"
    return f"{seconds / 86400:.1f} days"


def format_estimated_time(seconds: float) -> str:
    """An estimated time span.

    >>> format_estimated_time(0.2), format_estimated_time(300)
    ('less than 1 s', 'about 5.0 min')
    """
    return f"{'about ' if seconds >= 1 else ''}{format_time(seconds)}"


def label_intensities(values: Sequence[float], units: str) -> list[str]:
    """Intensities as readers know them: accelerations in g.

    >>> label_intensities([1.961330, 4.903325], "m s-2"), label_intensities([0.5], "m s-1")
    (['0.2 g', '0.5 g'], ['0.5 m/s'])
    """
    if units == "m s-2":
        return [f"{value / STANDARD_GRAVITY:.3g} g" for value in values]
    unit = "" if units == "1" else f" {unit_in_text(units)}"
    return [f"{value:.3g}{unit}" for value in values]


def labels(values: xr.DataArray) -> list[str]:
    """Intensities with the units that the array says of itself."""
    return label_intensities(values.values.ravel().tolist(), values.attrs.get("units", "1"))


def label(value: xr.DataArray) -> str:
    """One intensity with the units that it says of itself."""
    return labels(value)[0]


def percent(found: xr.Dataset) -> str:
    """Level of the intervals of a result, as in ``95 %``."""
    return f"{found.attrs['level'] * 100:.4g} %"


def estimate(found: xr.Dataset, name: str) -> tuple[float, float, float]:
    """A number of a result with the ends of its interval, the variable ``NAME_interval``."""
    low, high = found[f"{name}_interval"].values.tolist()
    return float(found[name]), low, high


def with_ends(found: xr.Dataset, name: str, form: str = "") -> str:
    """A number of a result and its interval, in a format or with their digits; "-" where it is not known."""
    value, low, high = estimate(found, name)
    if math.isnan(value):
        return "-"
    if not form:
        return estimates.format_with_interval(value, low, high)
    return f"{value:{form}} ({low:{form}} to {high:{form}})" if math.isfinite(low) else f"{value:{form}}"


def label_place(at: float, is_below: bool, units: str) -> str:
    """Where a rising curve has a probability: at or below an intensity, or beyond the runs.

    >>> label_place(1.961330, True, "m s-2"), label_place(math.inf, False, "m s-2")
    ('below 0.2 g', 'beyond the runs')
    """
    if math.isnan(at):
        return "-"
    return (
        "beyond the runs"
        if math.isinf(at)
        else f"{'below' if is_below else 'at'} {label_intensities([at], units)[0]}"
    )


def format_probability(share: float) -> str:
    """A probability; a small one with its two leading digits.

    >>> format_probability(0.25), format_probability(2.6e-18), format_probability(3.689e-7)
    ('0.2500', '0.0000', '3.7e-07')
    """
    return f"{share:.2g}" if 1e-12 < share < 0.0005 else f"{share:.4f}"


def format_count(number: int, noun: str) -> str:
    """A number of things.

    >>> format_count(1, "record"), format_count(22, "record")
    ('1 record', '22 records')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def count_words(ds: xr.Dataset, runs: int) -> str:
    """Numbers of runs and records, from a dataset of `mcrock.statistics`.

    >>> import xarray as xr
    >>> count_words(xr.Dataset({"records": 1}, attrs={"independent": "records"}), 1)
    '1 run of 1 record'
    >>> count_words(xr.Dataset({"records": 22}, attrs={"independent": "realizations"}), 4400)
    '4400 runs'
    """
    words = format_count(runs, "run")
    if ds.attrs["independent"] != "records":
        return words
    return f"{words} of {format_count(int(ds['records']), 'record')}"


WIDTH = 110  # of paragraphs at most [characters]
Words = str | Callable[["xr.Dataset"], str]  # template of `write`, or what writes a result at one place
Column = str | tuple[str, Words]  # name of a variable, or head of a column and its cells
UNBOUNDED = 10_000  # width where the output is not a terminal [characters]


class Columns(str):
    """A table as text, whose cells are still there for pages that draw it in another way."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


def format_table(heads: Sequence[str], rows: Sequence[Sequence[str]], left: bool = False) -> Columns:
    """Columns aligned to the right, one line per row; with ``left`` the first one to the left.

    Empty heads have no line.

    >>> print(format_table(["a", "b"], [["1", "long"], ["20", "x"]]))
     a     b
     1  long
    20     x
    """
    lines = [heads, *rows] if any(heads) else rows
    if left:
        width = max(len(row[0]) for row in lines)
        lines = [[row[0].ljust(width), *row[1:]] for row in lines]
    widths = [max(len(row[i]) for row in lines) for i in range(len(heads))]
    table = Columns(
        "\n".join(
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in lines
        )
    )
    table.heads, table.rows = heads, rows
    return table


def table_along(found: xr.Dataset, dim: str, columns: Iterable[Column], left: bool = False) -> Columns:
    """Table of a result with a row for each place along a dimension.

    Parameters
    ----------
    found : Dataset
    dim : str
        Without it the result is the only row.
    columns : iterable of tuple
        Head of each column and, for its cells, a template of `write` or what writes the result at one
        place; a name stands for the variable under its name.
    left : bool
        Align the first column to the left.
    """
    ones = [found.isel({dim: i}) for i in range(found.sizes[dim])] if dim in found.dims else [found]
    named = [(each.replace("_", " "), f"{{{each}}}") if isinstance(each, str) else each for each in columns]
    heads, cells = zip(*named, strict=True)
    return format_table(heads, [[write(one, words) for words in cells] for one in ones], left)


def write(found: xr.Dataset, words: Words) -> str:
    """Numbers of a result in a template.

    ``{NAME}`` is a number as `cell` writes it, ``{NAME:ends}`` its interval; ``{NAME:.3f}`` a number or both
    ends of an interval in a format or by one of `RULES`, "-" if not known; ``{NAME:.3f with ends}`` and
    ``{NAME:with ends}`` what `with_ends` says.

    >>> import xarray as xr
    >>> found = xr.Dataset({"p": 0.25, "p_interval": ("bound", [0.18, 0.331]), "runs": 9})
    >>> write(found, "{p} of {runs}; {p:.3f}, {p:ends}; {p:with ends}; {p:.2f with ends}")
    '0.25 of 9; 0.250, 0.18 to 0.33; 0.25 (0.18 to 0.33); 0.25 (0.18 to 0.33)'
    """
    if callable(words):
        return words(found)
    return "".join(
        text + (_number(found, name, form or "") if name else "")
        for text, name, form, _ in Formatter().parse(words)
    )


def _number(found: xr.Dataset, name: str, form: str) -> str:
    if form == "ends":
        return ends(found, f"{name}_interval")
    if form.endswith("with ends"):
        return with_ends(found, name, form.removesuffix("with ends").rstrip())
    if not form:
        return _write(found, name)
    values = found[name].values.ravel().tolist()
    rule = RULES.get(form, lambda value: format(value, form))
    return " to ".join(map(rule, values)) if all(map(math.isfinite, values)) else "-"


def at(words: Words, **place: Hashable) -> Words:
    """What writes a result at one place along another dimension, which has names or numbers."""
    return lambda one: write(one.sel(place), words)


class Caution(str):
    """A line that whoever uses the numbers has to know."""


RULES: dict[str, Callable[[float], str]] = {
    "percent": estimates.format_percent,
    "probability": format_probability,
    "of 100": lambda p: f"{100 * p:.0f}",
    "p": lambda p: estimates.format_p_value(p)[2:].removeprefix("= "),
    "bound": lambda most: estimates.format_interval(0.0, most).removeprefix("below "),  # which is rounded up
}
WIDE = 6  # places of a single variable that stand side by side


def cell(found: xr.Dataset, name: str) -> str:
    """A number of a result without its interval, with the digits that it asks for; "-" if it is not known.

    These are those of its interval, three, or by the attribute `digits` a format, "difference" or one of
    `RULES`. Intensities have their unit, and all where it changes from row to row with a variable `units`.
    The attribute `below` names the variable that says whether a place on a rising curve is a bound. The
    coordinate ``NAME_label`` has the words for the values of ``NAME``.
    """
    array, value = found[name], found[name].values.item()
    attrs, units = array.attrs, _units(found, name)
    if not isinstance(value, float):
        return str(found[f"{name}_label"].item() if f"{name}_label" in found.coords else value)
    if "below" in attrs:
        return label_place(value, bool(found[attrs["below"]]), units).removeprefix("at ")
    if not math.isfinite(value):
        return "-"
    if _has_own_unit(units):
        return label_intensities([value], units)[0]
    if (digits := attrs.get("digits", ".3g")) in RULES:
        return RULES[digits](value)
    if digits == "difference":
        return estimates.format_difference(*estimate(found, name))[0]
    by_interval = "digits" not in attrs and f"{name}_interval" in found
    number = estimates.format_estimate(*estimate(found, name)) if by_interval else format(value, digits)
    return f"{number} {unit_in_text(units)}" if "units" in found and units != "1" else number


def ends(found: xr.Dataset, name: str) -> str:
    """Interval of a number of a result, with the digits that it supports; empty where that has no error."""
    low, high = found[name].values.tolist()
    of = name.removesuffix("_interval")
    if of != name and of in found and (low == high or (math.isnan(found[of]) and math.isinf(high))):
        return ""
    if found.get(of, found[name]).attrs.get("digits") == "difference":
        return estimates.format_difference(0.0, low, high)[1]
    return f"{low:.2g} to {high:.2g}" if low < 0 else label_interval(found, name)


def label_interval(found: xr.Dataset, name: str) -> str:
    """Ends of an interval of a result, each with its unit; one bound where the other end says nothing.

    >>> import xarray as xr
    >>> found = xr.Dataset({"x": ("bound", [0.0, 0.2], {"units": "m s-1"}), "y": ("bound", [0.1, math.inf])})
    >>> label_interval(found, "x"), label_interval(found, "y")
    ('below 0.2 m/s', 'above 0.1')
    """
    (low, high), units = found[name].values.tolist(), _units(found, name)
    if not _has_own_unit(units) or math.isnan(low + high):
        return estimates.format_interval(low, high)
    least, most = label_intensities([low, high], units)
    if math.isinf(high):
        return f"above {least}" if low > 0 else "open"
    return f"{least} to {most}" if low > 0 else f"below {most}"


def _units(found: xr.Dataset, name: str) -> str:
    return str(found["units"].item() if "units" in found else found[name].attrs.get("units", "1"))


def _has_own_unit(units: str) -> bool:
    """Whether a unit stands next to the number, not at the head of its column."""
    return units != "1" and not units.startswith("1/a")


def present(result: xr.Dataset, title: str = "") -> list[str]:
    """Every number of a result: tables along its dimensions, and one of its single numbers.

    Parameters
    ----------
    result : Dataset
        Of a function of `mcrock.statistics`. ``NAME_interval`` (bound) is the interval of ``NAME``, any other
        variable along `bound` a pair of bounds; what has "curve" as its `digits` is drawn, not listed.
    title : str
        Of the first table.

    Returns
    -------
    list of str
        The title, if there is one, and the tables.
    """
    hidden = {result[name].attrs.get("below") for name in result} | {"units"}
    shown = [
        str(name)
        for name, array in result.data_vars.items()
        if not (name in hidden or array.attrs.get("digits") == "curve" or array.isnull().all())
    ]
    groups: dict[tuple[str, ...], list[str]] = {}
    for name in shown:
        dims = tuple(str(dim) for dim in result[name].dims if dim != "bound")
        groups.setdefault(dims, []).append(name)
    tables = [_table(result, dims, groups[dims]) for dims in sorted(groups, key=len, reverse=True)]
    return [*([title] if title and tables else []), *tables]


def _table(result: xr.Dataset, dims: tuple[str, ...], names: list[str]) -> Columns:
    places = product(*(range(result.sizes[dim]) for dim in dims))
    ones = [result.isel(dict(zip(dims, place, strict=True))) for place in places]
    columns = [(_head(result, name), [_write(one, name) for one in ones]) for name in names]
    if not dims:
        own = [name for name in names if not name.endswith("_interval")]
        pairs = {
            name: f" ({_head(result, of)} {ends(result, of)})"
            for name in own
            if (of := f"{name}_interval") in names
        }
        rows = [[_head(result, name), _write(result, name) + pairs.get(name, "")] for name in own]
        return format_table(["", ""], rows, left=True)
    keys = [(_head(result, dim), [_write(one, dim) for one in ones]) for dim in dims if dim in result.coords]
    if len(keys) == len(columns) == 1 and len(ones) <= WIDE:
        (key, across), (head, cells) = *keys, *columns
        return format_table([key, *across], [[head, *cells]], left=True)
    heads, all_cells = zip(*keys, *columns, strict=True)
    return format_table(heads, list(zip(*all_cells, strict=True)), left=True)


def _write(one: xr.Dataset, name: str) -> str:
    return ends(one, name) if "bound" in one[name].dims else cell(one, name)


def _head(result: xr.Dataset, name: str) -> str:
    attrs = result[name].attrs
    units = attrs.get("units", "1")
    unit = f" [{unit_in_text(units)}]" * (units.startswith("1/a") and not name.endswith("_interval"))
    usual = f"{percent(result)} interval" if name.endswith("_interval") else name.replace("_", " ")
    return f"{attrs.get('long_name', usual)}{unit}"


def as_text(blocks: Iterable[str]) -> list[str]:
    """Blocks as lines, with an empty one before a table and its title."""
    said, lines, after_title = [*blocks], list[str](), False
    for block, following in zip(said, [*said[1:], ""], strict=True):
        is_table = isinstance(block, Columns)
        is_title = bool(block) and not is_table and isinstance(following, Columns)
        if (is_title or (is_table and not after_title)) and lines and lines[-1]:
            lines.append("")
        lines.append(block)
        after_title = is_title
    return lines


class Composition(NamedTuple):
    """All that is shown of a subject: commands, JSON, pages and files of figures loop over it."""

    tables: Any  # for JSON: a result, or results by name
    blocks: list[str]  # answer, tables and cautions in their order
    drawings: Mapping[str, Callable[[], Axes | str]] = {}  # by name, figures or why there is none
    files: Mapping[str, Callable[[], Any]] = {}  # by name, datasets or texts to write


def blocks_of(found: Mapping[str, xr.Dataset], write: Mapping[str, Callable[[Any], list[str]]]) -> list[str]:
    """Blocks of results by name, or by the first word of it, with empty ones between them."""
    writes = [write.get(name) or write[name.partition("_")[0]] for name in found]
    return [block for say, one in zip(writes, found.values(), strict=True) for block in ["", *say(one)]][1:]


def missing_chunks(ds: xr.Dataset) -> list[str]:
    """Completeness of a study, as a line; none if it is all there."""
    done = ds["chunk_done"].values == 1 if "chunk_done" in ds else None
    if done is None or done.all():
        return []
    return [f"incomplete: {done.sum()} of {done.size} chunks"]


def terminal_width() -> int:
    """Width of the terminal; output that goes elsewhere is as wide as it is [characters]."""
    if sys.stdout.isatty() or "COLUMNS" in os.environ:
        return shutil.get_terminal_size().columns
    return UNBOUNDED


def wrap(text: str, width: int, indent: str = "") -> str:
    """Text in lines that fit, the later ones indented."""
    return textwrap.fill(
        text, min(width, WIDTH), subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def shorten(text: str, length: int) -> str:
    """Text of at most so many characters.

    >>> shorten("Superstition Hills", 10)
    'Superst...'
    """
    return text if len(text) <= length else f"{text[: length - 3]}..."


def as_json(value: Any) -> Any:
    """Numbers and arrays as plain numbers and lists; NaN and infinity become null."""
    if isinstance(value, dict):
        return {key: as_json(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def dataset_as_json(ds: xr.Dataset) -> dict[str, Any]:
    """Every variable of a small dataset as plain lists, with dims and units."""
    variables = {
        str(name): {
            "dims": list(array.dims),
            "units": array.attrs.get("units"),
            "long_name": array.attrs.get("long_name"),
            "digits": array.attrs.get("digits"),
            "values": array.values,
        }
        for name, array in ds.variables.items()
    }
    return as_json({"variables": variables, "attributes": dict(ds.attrs)})
