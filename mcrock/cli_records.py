"""The commands `mcrock records check` and `mcrock records plot`.

Heavy imports happen inside the functions, as in `mcrock.cli`.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mcrock.cli_spectrum import check_figure

if TYPE_CHECKING:
    from mcrock.excitation import Motion
    from mcrock.excitation.readers import Scan
    from mcrock.excitation.survey import Survey

WIDTH = 110  # of text [characters]
NAME = 44  # of a record in the table [characters]

app = typer.Typer(
    no_args_is_help=True, help="Ground-motion records: what is in a file or folder, and how it looks."
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


@app.command()
def check(
    path: Source,
    format: FormatName = None,
    unit: Unit = None,
    dt: TimeStep = None,
    components: Annotated[
        bool, typer.Option("--components", help="A line for each component instead of each record.")
    ] = False,
) -> None:
    """What was read from PATH, with its measures, and what about it is suspicious.

    Files that cannot be used are listed at the end, with line and reason, and the exit code is 2.
    """
    from mcrock.excitation.survey import survey
    from mcrock.terminal import table

    scan = _scan(path, format, unit, dt)
    surveys = survey(scan.motions)
    if surveys:
        rows = _component_rows(surveys) if components else _rows(surveys)
        print(table(_heads(components), rows))
        print(_legend(components))
        print("\n".join(_flag_lines(surveys)))
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
    only: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Numbers of records in the table of `check`, as in 1,2,14."),
    ] = None,
    figure_format: Annotated[str, typer.Option("--format", help="Of the figures: png, pdf or svg.")] = "png",
) -> None:
    """Draw every record of PATH, acceleration to spectra, and the spectra of all in one figure."""
    check_figure(output, figure_format)
    scan = _scan(path, format, unit, dt)
    chosen = _chosen(only, len(scan.motions))
    import matplotlib

    matplotlib.use("Agg")
    from mcrock.excitation.survey import survey
    from mcrock.plots import save_figure
    from mcrock.plots.records import plot_record, plot_spectra

    surveys = [(number, survey) for number, survey in enumerate(survey(scan.motions), start=1)]
    surveys = [(number, survey) for number, survey in surveys if number in chosen]
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


def _scan(path: Path, format: str | None, unit: str | None, dt: float | None) -> Scan:
    """Records of a file or folder, with progress on the error stream."""
    from mcrock.excitation.readers import scan_records

    with _progress("files read") as progress:
        return scan_records(path, format=format, unit=unit, dt=dt, progress=progress)


@contextmanager
def _progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on the error stream, if that is a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(what)
        yield lambda done, total: bar.update(task, completed=done, total=total)


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
    chosen = set()
    for text in only.split(","):
        if not (text.strip().isdigit() and 1 <= int(text) <= number):
            raise ValueError(
                f"--only must list numbers from 1 to {number}, as in 1,2,14; got {text.strip()!r}"
            )
        chosen.add(int(text))
    return chosen


def _file_name(motion: Motion) -> str:
    return re.sub(r"[^\w.-]+", "_", motion.name).strip("_.")[:60] or "record"


def _heads(components: bool) -> list[str]:
    return [
        "no.",
        "record",
        "format",
        "component" if components else "comp.",
        "dt [s]",
        "length [s]",
        "PGA [g]",
        "PGV [m/s]",
        "PGD [m]",
        "Arias [m/s]",
        "D5-95 [s]",
        "Tm [s]",
        "unit",
        "flags",
    ]


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
    name = motion.name if len(motion.name) <= NAME else f"{motion.name[: NAME - 3]}..."
    return [
        str(number),
        name,
        str(motion.metadata.get("format", "")),
        components,
        f"{motion.dt:g}",
        f"{motion.duration:.4g}",
        *("-" if isnan(value) else f"{value:.3g}" for value in numbers),
        f"{motion.metadata.get('unit', '')}, {motion.metadata.get('unit_known', '')}",
        flags,
    ]


def _legend(components: bool) -> str:
    text = (
        "PGA to Tm of each component as recorded"
        if components
        else ("PGA to Tm: geometric mean of the horizontal components as recorded (--components for each)")
    )
    return f"{text}; velocity and displacement integrated from rest"


def _flag_lines(surveys: list[Survey]) -> list[str]:
    """What is suspicious, record by record."""
    flagged = [(number, found) for number, found in enumerate(surveys, start=1) if found.flags]
    if not flagged:
        return [f"nothing suspicious in {len(surveys)} records"]
    lines = [f"suspicious in {len(flagged)} of {len(surveys)} records:"]
    for number, found in flagged:
        where = found.motion.metadata.get("file", "")
        lines.append(f"  {number}  {found.motion.name}" + (f" ({where})" if where else ""))
        lines += [
            textwrap.fill(flag, WIDTH, initial_indent="     - ", subsequent_indent="       ")
            for flag in found.flags
        ]
    return lines
