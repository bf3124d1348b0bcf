"""The commands `mcrock records check` and `mcrock records plot`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mcrock.commands.exit_codes import say
from mcrock.commands.options import FigureFormat, check_figure, unpacked

if TYPE_CHECKING:
    from mcrock.excitation import Motion
    from mcrock.excitation.readers import FolderContents
    from mcrock.excitation.survey import Survey


app = typer.Typer(
    name="records",
    no_args_is_help=True,
    help="Ground-motion records: list, check and plot them.",
)
Source = Annotated[
    Path, typer.Argument(metavar="PATH", help="Record file or folder of records.", show_default=False)
]


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How record files are read."""

    format: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="FORMAT",
            help="at2, esm, knet, cosmos, geonet, csmip, smc, afad, jma, asa, tsmip, bbp, csv or obspy; "
            "default: detected.",
        ),
    ] = None
    unit: Annotated[
        str | None,
        typer.Option(help="Unit of tables and ObsPy files: m/s2, cm/s2, mm/s2, gal, g or mg."),
    ] = None
    dt: Annotated[
        float | None, typer.Option(help="Time step of tables without a time column, in seconds.")
    ] = None
    channels: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Channels that form one record in files of several sensors, as in 1,2,3.",
        ),
    ] = None
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Names of the columns of tables that do not name them, as in time,EW,NS,UD.",
        ),
    ] = None


@app.command()
@unpacked
def check(
    *,
    path: Source,
    how: ReadOptions,
    components: Annotated[
        bool, typer.Option("--components", help="One line per component instead of per record.")
    ] = False,
) -> None:
    """List the records of PATH, their intensity measures and suspicious features.

    Broken record files are listed at the end, and the exit status is then 2; files of no known format are
    counted and left out.
    """
    scan = _scan(path, how)
    surveys = _survey(scan.motions)
    if surveys:
        from mcrock.show.record_table import format_surveys
        from mcrock.show.tables import terminal_width

        print(format_surveys(surveys, terminal_width(), components))
    _end(scan, path)


@app.command()
@unpacked
def plot(
    *,
    path: Source,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the figures.")
    ] = Path("records"),
    how: ReadOptions,
    only: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Records to plot, by their number in `records check`: 1,2,14."),
    ] = None,
    figure_format: FigureFormat = "png",
) -> None:
    """Plot the records of PATH.

    One figure per record, from accelerations to response spectra, and one with the spectra of all.
    """
    check_figure(output, figure_format)
    scan = _scan(path, how)
    chosen = _chosen(only, len(scan.motions))
    import matplotlib

    matplotlib.use("Agg")
    from mcrock.plots import save_figure
    from mcrock.show.progress import count_progress
    from mcrock.show.records import plot_record, plot_spectra

    surveys = [pair for pair in enumerate(_survey(scan.motions), start=1) if pair[0] in chosen]
    output.mkdir(parents=True, exist_ok=True)
    with count_progress("records drawn") as progress:
        for done, (number, found) in enumerate(surveys, start=1):
            if found.motion.acceleration.any():
                name = output / f"{number:03d}_{_file_name(found.motion)}.{figure_format}"
                print(save_figure(plot_record(found.motion, found.flags), name))
            progress(done, len(surveys))
    motions = [found.motion for _, found in surveys]
    if sum(bool(motion.acceleration[:2].any()) for motion in motions) > 1:
        print(save_figure(plot_spectra(motions), output / f"spectra.{figure_format}"))
    _end(scan, path)


def _scan(path: Path, how: ReadOptions) -> FolderContents:
    """Records of a file or folder, with progress on the error stream."""
    from mcrock.excitation.readers import scan_records
    from mcrock.show.progress import count_progress

    with count_progress("files read") as progress:
        return scan_records(
            path,
            format=how.format,
            unit=how.unit,
            dt=how.dt,
            channels=None if how.channels is None else _numbers(how.channels, "--channels"),
            columns=None if how.columns is None else [name.strip() for name in how.columns.split(",")],
            progress=progress,
        )


def _survey(motions: Sequence[Motion]) -> list[Survey]:
    """Measures and flags, with progress on the error stream."""
    from mcrock.excitation.survey import survey
    from mcrock.show.progress import count_progress

    with count_progress("records measured") as progress:
        return survey(motions, progress)


def _end(scan: FolderContents, path: Path) -> None:
    """Say what was left out, and refuse what cannot be used."""
    from mcrock.excitation.readers import word_left_out

    for line in word_left_out(scan):
        say(f"warning: {line}")
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
