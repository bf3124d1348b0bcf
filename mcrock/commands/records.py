"""The commands `mcrock records check` and `mcrock records plot`."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import isnan
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from mcrock.commands.options import FigureFormat, check_figure

if TYPE_CHECKING:
    from mcrock.excitation import Motion
    from mcrock.excitation.readers import Scan
    from mcrock.excitation.survey import Survey

WIDTH = 110  # of text [characters]
NAME = 44  # of a record in the table [characters]
SHORT_NAME, SHORTEST_NAME = 24, 12  # where the terminal is narrow: in one table and in two [characters]
UNBOUNDED = 10_000  # width where the output is no terminal [characters]
COLUMNS = (  # of the table, with their units
    ("no.", ""),
    ("record", ""),
    ("format", ""),
    ("comp.", ""),
    ("dt", "[s]"),
    ("length", "[s]"),
    ("PGA", "[g]"),
    ("PGV", "[m/s]"),
    ("PGD", "[m]"),
    ("Arias", "[m/s]"),
    ("D5-95", "[s]"),
    ("Tm", "[s]"),
    ("unit", ""),
    ("flags", ""),
)
PARTS = ((0, 1, 2, 3, 4, 5, 12, 13), (0, 1, 6, 7, 8, 9, 10, 11))  # columns of two narrow tables
COMPONENT = 3  # column of it
MARKS = {"fixed by the format": "*", "given": "+"}  # how the unit was known, else declared in the file

app = typer.Typer(
    name="records",
    no_args_is_help=True,
    help="Ground-motion records: what is in a file or folder, and how it looks.",
)
Source = Annotated[
    Path, typer.Argument(metavar="PATH", help="Record file, or folder of records.", show_default=False)
]
FormatName = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="FORMAT",
        help="at2, esm, knet, cosmos, geonet, csmip, smc, afad, csv or obspy. Default: by the content.",
    ),
]
Unit = Annotated[
    str | None,
    typer.Option(help="Of tables and files that ObsPy reads: m/s2, cm/s2, mm/s2, gal, g or mg."),
]
TimeStep = Annotated[float | None, typer.Option("--dt", help="Of tables without time, in seconds.")]
Channels = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help="Channels that make one record, as in 1,2,3, of files with those of several sensors.",
    ),
]


@app.command()
def check(
    path: Source,
    format: FormatName = None,
    unit: Unit = None,
    dt: TimeStep = None,
    channels: Channels = None,
    components: Annotated[
        bool, typer.Option("--components", help="A line for each component instead of each record.")
    ] = False,
) -> None:
    """What was read from PATH, with its measures, and what about it is suspicious.

    Files that cannot be used are listed at the end, with line and reason, and the exit code is 2.
    """
    scan = _scan(path, format, unit, dt, channels)
    surveys = _survey(scan.motions)
    if surveys:
        width = _width()
        rows = _component_rows(surveys) if components else _rows(surveys)
        print(_tables(rows, components, width))
        print("\n".join(_legend(components, width)))
        print("\n".join(_flag_lines(surveys, width)))
    _end(scan, path)


@app.command()
def plot(
    path: Source,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder of the figures.")
    ] = Path("records"),
    format: FormatName = None,
    unit: Unit = None,
    dt: TimeStep = None,
    channels: Channels = None,
    only: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Numbers of records in the table of `check`, as in 1,2,14."),
    ] = None,
    figure_format: FigureFormat = "png",
) -> None:
    """Draw every record of PATH, acceleration to spectra, and the spectra of all in one figure."""
    check_figure(output, figure_format)
    scan = _scan(path, format, unit, dt, channels)
    chosen = _chosen(only, len(scan.motions))
    import matplotlib

    matplotlib.use("Agg")
    from mcrock.plots import save_figure
    from mcrock.plots.records import plot_record, plot_spectra

    surveys = [pair for pair in enumerate(_survey(scan.motions), start=1) if pair[0] in chosen]
    output.mkdir(parents=True, exist_ok=True)
    with _progress("records drawn") as progress:
        for done, (number, found) in enumerate(surveys, start=1):
            if found.motion.acceleration.any():
                name = output / f"{number:03d}_{_file_name(found.motion)}.{figure_format}"
                print(save_figure(plot_record(found.motion, found.flags), name))
            progress(done, len(surveys))
    motions = [found.motion for _, found in surveys]
    if sum(bool(motion.acceleration[:2].any()) for motion in motions) > 1:
        print(save_figure(plot_spectra(motions), output / f"spectra.{figure_format}"))
    _end(scan, path)


def _scan(path: Path, format: str | None, unit: str | None, dt: float | None, channels: str | None) -> Scan:
    """Records of a file or folder, with progress on the error stream."""
    from mcrock.excitation.readers import scan_records

    numbers = None if channels is None else _numbers(channels, "--channels")
    with _progress("files read") as progress:
        return scan_records(path, format=format, unit=unit, dt=dt, channels=numbers, progress=progress)


def _survey(motions: Sequence[Motion]) -> list[Survey]:
    """Measures and flags, with progress on the error stream."""
    from mcrock.excitation.survey import survey

    with _progress("records measured") as progress:
        return survey(motions, progress)


@contextmanager
def _progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Progress on the error stream: a bar on a terminal, else a line now and then."""
    if not sys.stderr.isatty():
        yield _print_lines(what)
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _print_lines(what: str) -> Callable[[int, int], None]:
    from mcrock.text.terminal import LINE_INTERVAL

    last = monotonic()

    def show(done: int, total: int) -> None:
        nonlocal last
        if monotonic() - last >= LINE_INTERVAL:
            last = monotonic()
            print(f"{done} of {total} {what}", file=sys.stderr, flush=True)

    return show


def _width() -> int:
    """Width of the terminal; output that goes elsewhere is as wide as it is."""
    if sys.stdout.isatty() or "COLUMNS" in os.environ:
        return shutil.get_terminal_size().columns
    return UNBOUNDED


def _end(scan: Scan, path: Path) -> None:
    """Say what was left out, and refuse what cannot be used."""
    from mcrock.excitation.readers import word_left_out

    for line in word_left_out(scan):
        print(f"mcrock: warning: {line}", file=sys.stderr)
    if scan.problems:
        raise ValueError("\n".join(scan.problems))
    if not scan.motions:
        raise ValueError(f"{path}: no record found")


def _chosen(only: str | None, number: int) -> set[int]:
    """Numbers of the records to draw."""
    if only is None:
        return set(range(1, number + 1))
    return {*_numbers(only, "--only", number)}


def _numbers(text: str, option: str, most: int | None = None) -> list[int]:
    """Numbers of a list such as 1,2,14."""
    numbers = []
    for word in text.split(","):
        if not (word.strip().isdecimal() and 1 <= int(word) <= (most or int(word))):
            what = "numbers from 1" if most is None else f"numbers from 1 to {most}"
            raise ValueError(f"{option} must list {what}, as in 1,2,14; got {word.strip()!r}")
        numbers.append(int(word))
    return numbers


def _file_name(motion: Motion) -> str:
    return re.sub(r"[^\w.-]+", "_", motion.name).strip("_.")[:60] or "record"


def _tables(rows: list[list[str]], components: bool, width: int) -> str:
    """The table in lines that fit: with long heads, with short ones, or in two parts."""
    from mcrock.text.terminal import table

    whole = table([f"{name} {unit}".rstrip() for name, unit in COLUMNS], rows)
    if len(whole.partition("\n")[0]) <= width:
        return whole
    every = tuple(range(len(COLUMNS)))
    narrow = _narrow(rows, every, width, SHORT_NAME)
    if len(narrow.partition("\n")[0]) <= width:
        return narrow
    first, second = PARTS
    if components:
        second = (0, COMPONENT, *second[2:])
    return "\n\n".join(_narrow(rows, part, width, SHORTEST_NAME) for part in (first, second))


def _narrow(rows: list[list[str]], part: tuple[int, ...], width: int, shortest: int) -> str:
    """Some columns with the units below their heads, and names as short as the width wants."""
    from mcrock.text.terminal import table

    heads = [COLUMNS[i][0] for i in part]
    body = [[COLUMNS[i][1] for i in part], *([row[i] for i in part] for row in rows)]
    excess = len(table(heads, body).partition("\n")[0]) - width
    if excess > 0:
        longest = max(len(row[1]) for row in body)
        body = [[row[0], _cut(row[1], max(longest - excess, shortest)), *row[2:]] for row in body]
    return table(heads, body)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 3]}..."


def _rows(surveys: list[Survey]) -> list[list[str]]:
    """A line for each record."""
    rows = []
    for number, found in enumerate(surveys, start=1):
        motion = found.motion
        axes = "".join(
            axis for axis, samples in zip("xyz", motion.acceleration, strict=True) if samples.any()
        )
        rows.append(_row(number, motion, axes, found.values, str(len(found.flags) or "")))
    return rows


def _component_rows(surveys: list[Survey]) -> list[list[str]]:
    """A line for each component that is not zero throughout."""
    from mcrock.excitation.survey import component_values

    rows = []
    for number, found in enumerate(surveys, start=1):
        for axis, values in component_values(found.motion).items():
            name = found.motion.metadata.get(f"component_{axis}", "")
            rows.append(
                _row(number, found.motion, f"{axis} {name}".strip(), values, str(len(found.flags) or ""))
            )
    return rows


def _row(number: int, motion: Motion, components: str, values: dict[str, float], flags: str) -> list[str]:
    from mcrock.params import STANDARD_GRAVITY

    numbers = [values["pga"] / STANDARD_GRAVITY, *(values[name] for name in list(values)[1:])]
    return [
        str(number),
        _cut(motion.name, NAME),
        str(motion.metadata.get("format", "")),
        components,
        f"{motion.dt:g}",
        f"{motion.duration:.4g}",
        *("-" if isnan(value) else f"{value:.3g}" for value in numbers),
        f"{motion.metadata.get('unit', '')}{MARKS.get(str(motion.metadata.get('unit_known')), '')}",
        flags,
    ]


def _legend(components: bool, width: int) -> list[str]:
    measures = (
        "PGA to Tm: of each component as recorded"
        if components
        else "PGA to Tm: geometric mean of the horizontal components as recorded (--components for each)"
    )
    marks = ", ".join(f"{mark} {known}" for known, mark in MARKS.items())
    return [
        _fill(f"{measures}; velocity and displacement integrated from rest", width, "  "),
        _fill(f"unit: declared in the file, or {marks}", width, "  "),
    ]


def _flag_lines(surveys: list[Survey], width: int) -> list[str]:
    """What is suspicious, record by record."""
    flagged = [(number, found) for number, found in enumerate(surveys, start=1) if found.flags]
    if not flagged:
        return [f"nothing suspicious in {len(surveys)} records"]
    lines = [f"suspicious in {len(flagged)} of {len(surveys)} records:"]
    for number, found in flagged:
        where = found.motion.metadata.get("file", "")
        lines.append(
            _fill(f"  {number}  {found.motion.name}" + (f" ({where})" if where else ""), width, "     ")
        )
        lines += [_fill(f"     - {flag}", width, "       ") for flag in found.flags]
    return lines


def _fill(text: str, width: int, indent: str) -> str:
    """Text in lines that fit, the later ones indented."""
    return textwrap.fill(
        text,
        min(width, WIDTH),
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
