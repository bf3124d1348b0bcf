"""The commands `mcrock records check`, `plot` and `select`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mcrock.base.units import plain_number
from mcrock.commands.options import (
    FigureFormat,
    OutputFolder,
    RecordUnit,
    TimeStep,
    check_figure,
    say,
    unpacked,
    whole_numbers,
)

if TYPE_CHECKING:
    from mcrock.excitation import Motion
    from mcrock.excitation.readers import FolderContents
    from mcrock.excitation.selection import Survey


records_app = typer.Typer(
    name="records", no_args_is_help=True, help="Ground-motion records: list, check, plot."
)
Source = Annotated[Path, typer.Argument(metavar="PATH", help="Record file or folder.", show_default=False)]


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
    unit: RecordUnit = None
    dt: TimeStep = None
    channels: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Channels that form a record in files of several sensors: 1,2,3."),
    ] = None
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="LIST", help="Names of the columns of tables that do not name them, as in time,EW,NS,UD."
        ),
    ] = None


@records_app.command()
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
        from mcrock.show.records import format_surveys
        from mcrock.show.text import terminal_width

        print(format_surveys(surveys, terminal_width(), components))
    _end(scan, path)


@records_app.command()
@unpacked
def plot(
    *,
    path: Source,
    output: OutputFolder = Path("records"),
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
    every = len(scan.motions)
    chosen = range(1, every + 1) if only is None else whole_numbers(only, "--only", every)
    from mcrock.plots import save_figure
    from mcrock.show.progress import count_progress
    from mcrock.show.records import file_name, plot_record, plot_spectra

    surveys = [pair for pair in enumerate(_survey(scan.motions), start=1) if pair[0] in chosen]
    output.mkdir(parents=True, exist_ok=True)
    with count_progress("records drawn") as progress:
        for done, (number, found) in enumerate(surveys, start=1):
            if found.motion.acceleration.any():
                name = output / f"{number:03d}_{file_name(found.motion)}.{figure_format}"
                print(save_figure(plot_record(found.motion, found.flags), name))
            progress(done, len(surveys))
    motions = [found.motion for _, found in surveys]
    if sum(bool(motion.acceleration[:2].any()) for motion in motions) > 1:
        print(save_figure(plot_spectra(motions), output / f"spectra.{figure_format}"))
    _end(scan, path)


@dataclass(frozen=True, kw_only=True)
class SelectOptions:
    """What a set of recordings has to be like."""

    number: Annotated[int, typer.Option(help="Recordings to choose.")] = 22
    condition: Annotated[
        float | None, typer.Option(help="Period of a conditional spectrum [s]; with --epsilon.")
    ] = None
    epsilon: Annotated[
        float | None, typer.Option(help="Standard deviations above the median there, by the disaggregation.")
    ] = None
    largest_factor: Annotated[float, typer.Option(help="Largest scale factor, and its inverse [1].")] = 4.0
    per_event: Annotated[int, typer.Option(help="Recordings of one earthquake at most.")] = 3
    magnitude: Annotated[str | None, typer.Option(metavar="A,B", help="Smallest and largest magnitude.")] = (
        None
    )
    distance: Annotated[str | None, typer.Option(metavar="A,B", help="The same of the distance [km].")] = None
    vs30: Annotated[str | None, typer.Option(metavar="A,B", help="The same of Vs30 [m/s].")] = None
    pulses: Annotated[
        bool | None,
        typer.Option(help="Only recordings with a pulse, or without, by the flat file.", show_default=False),
    ] = None

    def ranges(self) -> dict[str, tuple[float, float]]:
        """Limits in SI, by name."""
        from mcrock.excitation.selection import BY_LEVEL

        found = {}
        for name, unit in BY_LEVEL.items():
            text = getattr(self, name)
            if text is None:
                continue
            try:
                least, most = (plain_number(word) * unit for word in text.split(","))
            except ValueError:
                raise ValueError(f"--{name} must be two numbers, as in 6,7.5; got {text!r}") from None
            found[name] = (least, most)
        return found


@records_app.command()
@unpacked
def select(
    *,
    path: Source,
    target: Annotated[
        Path, typer.Option(metavar="TARGET.csv", help="Periods [s], median spectrum, sigma of its logarithm.")
    ],
    wish: SelectOptions,
    output: OutputFolder = Path("selection"),
    how: ReadOptions,
    figure_format: FigureFormat = "png",
) -> None:
    """Choose recordings whose spectra match a target in mean and spread.

    PATH is a folder of records, of which the chosen ones are written scaled, or a flat file of NGA-West2,
    ESM or ITACA. TARGET.csv begins as in `period [s], median [g], sigma`. More: `mcrock docs motions`.
    """
    check_figure(output, figure_format)
    from mcrock.excitation import selection as chosen

    periods, median, sigma = chosen.read_target_table(target)
    if (wish.condition is None) != (wish.epsilon is None):
        raise ValueError("--condition and --epsilon go together")
    aim = chosen.Target(periods=periods, log_mean=median, log_std=sigma)
    if wish.condition is not None and wish.epsilon is not None:
        aim = chosen.conditional_spectrum(periods, median, sigma, wish.condition, wish.epsilon)
    motions = []
    given = [
        f"--{option.replace('format', 'as')}" for option, value in asdict(how).items() if value is not None
    ]
    if path.is_file() and given:
        raise ValueError(f"{', '.join(given)}: of record files, and {path} is a flat file; leave it out")
    if not path.is_file():
        scan = _scan(path, how)
        _end(scan, path)
        motions = scan.motions
    candidates = (
        chosen.candidates_of(motions, aim.periods) if motions else chosen.read_flat_file(path, aim.periods)
    )
    limits = chosen.RecordLimits(
        ranges=wish.ranges(), largest_factor=wish.largest_factor, per_event=wish.per_event, pulses=wish.pulses
    )
    found = chosen.select(candidates, aim, wish.number, limits)
    from mcrock.plots import save_figure
    from mcrock.show.records import format_selection, plot_selection, write_selection

    print(*format_selection(candidates, aim, found), sep="\n")
    output.mkdir(parents=True, exist_ok=True)
    print(*write_selection(output, candidates, found, motions), sep="\n")
    print(save_figure(plot_selection(candidates, aim, found), output / f"selection.{figure_format}"))


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
            channels=None if how.channels is None else whole_numbers(how.channels, "--channels"),
            columns=None if how.columns is None else [name.strip() for name in how.columns.split(",")],
            progress=progress,
        )


def _survey(motions: Sequence[Motion]) -> list[Survey]:
    """Measures and flags, with progress on the error stream."""
    from mcrock.excitation.selection import survey
    from mcrock.show.progress import count_progress

    with count_progress("records measured") as progress:
        return survey(motions, progress)


def _end(scan: FolderContents, path: Path) -> None:
    """Say what was left out, and refuse what cannot be used."""
    from mcrock.excitation.readers.read import nothing_found, word_left_out

    if not (scan.motions or scan.problems):
        raise ValueError(nothing_found(path, scan))
    for line in word_left_out(scan):
        say(f"warning: {line}")
    if scan.problems:
        raise ValueError("\n".join(scan.problems))
