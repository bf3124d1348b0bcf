"""The commands `mcrock spectrum overturning` and `mcrock spectrum rocking`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from math import isfinite, pi, radians
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mcrock.commands.options import FigureFormat, check_figure

if TYPE_CHECKING:
    import xarray as xr

app = typer.Typer(
    name="spectrum",
    no_args_is_help=True,
    help="Spectra of planar blocks of every size: largest tilts, overturning limits.",
)
Slenderness = Annotated[
    str,
    typer.Option(
        metavar="LIST",
        help="Slenderness in degrees, atan(width/height) of a rectangle, as in 10,15,20.",
        show_default=False,
    ),
]
Restitution = Annotated[
    str,
    typer.Option(
        metavar="RULE",
        help="Velocity ratio r, or housner, ther-kollar, kalliontzis:NU, chatzis:LAMBDA, "
        "wittich-hutchinson:X1,X2,...",
    ),
]
Pulse = Annotated[
    str | None,
    typer.Option(
        metavar="SHAPE",
        help="one-sine, one-cosine, half-sine, rectangle, ricker-symmetric, ricker-antisymmetric or "
        "mavroeidis-papageorgiou.",
    ),
]
Cycles = Annotated[
    float | None, typer.Option("--pulse-cycles", help="gamma of mavroeidis-papageorgiou. Default: 2.")
]
Phase = Annotated[
    float | None, typer.Option("--pulse-phase-deg", help="nu of mavroeidis-papageorgiou. Default: 0.")
]
Period = Annotated[float | None, typer.Option(help="2 pi/omega_p of the pulse, in seconds.")]
Fema = Annotated[
    str | None, typer.Option(help="FEMA P695 set: farfield, nearfield_pulse or nearfield_no_pulse.")
]
Records = Annotated[str | None, typer.Option(metavar="LIST", help="Records of the set, as in 1,2,14.")]
Files = Annotated[
    list[Path] | None,
    typer.Option(
        "--record",
        "--csv",
        metavar="PATH",
        help="Record file of any format of `mcrock records check`, or folder of them; repeatable.",
    ),
]
Unit = Annotated[str | None, typer.Option(help="Of tables of text: m/s2, cm/s2, mm/s2, gal, g or mg.")]
TimeStep = Annotated[float | None, typer.Option("--dt", help="Of tables without a time column, in seconds.")]
Component = Annotated[
    str | None,
    typer.Option(help="Of records: x, y or both, each a motion of its own. Default: both."),
]
Periods = Annotated[
    str | None, typer.Option(metavar="LIST", help="Sizes 2 pi/p in seconds: 1,2,4 or FIRST:LAST:COUNT.")
]
Folder = Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder of dataset and figure.")]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace a dataset and a figure that are there.")
]


@app.command()
def overturning(
    slenderness_deg: Slenderness,
    pulse: Pulse = None,
    pulse_cycles: Cycles = None,
    pulse_phase_deg: Phase = None,
    fema: Fema = None,
    records: Records = None,
    files: Files = None,
    unit: Unit = None,
    dt: TimeStep = None,
    component: Component = None,
    restitution: Restitution = "housner",
    frequency_ratios: Annotated[
        str | None, typer.Option(metavar="LIST", help="omega_p/p. Default for pulses: 0.5:10:96.")
    ] = None,
    pulse_period: Period = None,
    periods: Periods = None,
    max_amplitude: Annotated[float, typer.Option(help="End of the scan, a_p/(g tan slenderness).")] = 15.0,
    scan: Annotated[
        int | None,
        typer.Option(
            help="Amplitudes scanned at each size, rounded up to 2^k + 1; a finer scan contains the coarser. "
            "Default: 4097 for sines, cosines and the rectangle, else 1025."
        ),
    ] = None,
    output: Folder = Path("spectrum"),
    format: FigureFormat = "png",
    overwrite: Overwrite = False,
) -> None:
    """Bands of amplitude in which blocks overturn, by their size: all that are wider than a step of the scan.

    Over omega_p/p for pulses, and for records if --pulse-period is given, else over 2 pi/p.

    Two cores take about 25 s for 100 sizes under records, 5 s under a sine.
    """
    stem = _check_output(output, "overturning_spectrum", format, overwrite)
    from mcrock.commands.spectrum_options import overturning_table, parse_numbers, read_motions
    from mcrock.excitation import Motion  # Ricker and Mavroeidis-Papageorgiou pulses are sampled too
    from mcrock.planar import overturning_spectrum
    from mcrock.plots.spectrum import plot_overturning_spectrum, word_scan
    from mcrock.text.terminal import table

    seconds = _period(pulse_period)
    axis: dict[str, Any] = {"angular_frequency": 2 * pi / seconds} if pulse or pulse_period else {}
    if frequency_ratios is not None and periods is not None:
        raise ValueError("give either --frequency-ratios or --periods")
    if periods is not None:
        if pulse and pulse_period is None:
            raise ValueError(
                "--periods need the --pulse-period of a --pulse, in seconds; over --frequency-ratios the "
                "limits do not depend on it"
            )
        if pulse_period is not None and not pulse:
            raise ValueError("--pulse-period of records goes with --frequency-ratios, not with --periods")
        axis["periods"] = parse_numbers(periods, "--periods")
    elif axis:
        axis["frequency_ratios"] = parse_numbers(frequency_ratios or "0.5:10:96", "--frequency-ratios")
    elif frequency_ratios:
        raise ValueError("--frequency-ratios of records need --pulse-period; or give --periods")
    else:
        axis["periods"] = parse_numbers("1:8:36", "--periods")
    source = (pulse, seconds, None, fema, records, files or [], unit, dt, component, None)
    motions = read_motions(*source, pulse_cycles, pulse_phase_deg)
    angles = _in_radians(slenderness_deg)
    if sys.stderr.isatty():
        sizes = axis["periods"] if "periods" in axis else axis["frequency_ratios"]
        number = len(motions) * len(angles) * len(sizes)
        print(f"scanning {number} columns, one for each motion, slenderness and size", file=sys.stderr)
    ds = overturning_spectrum(
        motions,
        angles,
        **axis,
        r=restitution,
        largest_amplitude=max_amplitude,
        scan=scan,
        tolerance=1e-4 if any(isinstance(motion, Motion) for motion in motions) else 1e-6,
    )
    _write(ds, plot_overturning_spectrum, stem, format, overwrite)
    print("Overturns at a_p/(g tan slenderness), with the impacts before it in brackets")
    print(table(*overturning_table(ds)))
    print(word_scan(ds))
    if ds["half_scan_limits"].sum() < ds["limits"].sum():
        print(
            "mcrock: warning: bands and islands thinner than the step of the scan, "
            f"{100 * ds.attrs['scan_step']:.2g} %, may be missing; a larger --scan finds more",
            file=sys.stderr,
        )
    _print_paths(stem, format)


@app.command()
def rocking(
    slenderness_deg: Slenderness,
    pulse: Pulse = None,
    peak_g: Annotated[float | None, typer.Option(help="Peak acceleration of the pulse, in g.")] = None,
    pulse_period: Period = None,
    pulse_cycles: Cycles = None,
    pulse_phase_deg: Phase = None,
    fema: Fema = None,
    records: Records = None,
    files: Files = None,
    unit: Unit = None,
    dt: TimeStep = None,
    component: Component = None,
    scale: Annotated[float | None, typer.Option(help="Factor on records. Default: 1.")] = None,
    restitution: Restitution = "housner",
    periods: Periods = "0.5:8:151",
    output: Folder = Path("spectrum"),
    format: FigureFormat = "png",
    overwrite: Overwrite = False,
) -> None:
    """Largest tilt of blocks by their size, 2 pi/p, and which of them overturn."""
    stem = _check_output(output, "rocking_spectrum", format, overwrite)
    from mcrock.commands.spectrum_options import parse_numbers, read_motions, rocking_table
    from mcrock.planar import rocking_spectrum
    from mcrock.plots.spectrum import plot_rocking_spectrum
    from mcrock.text.terminal import table

    if pulse and (peak_g is None or pulse_period is None):
        raise ValueError("a rocking spectrum of a pulse needs --peak-g and --pulse-period")
    if pulse_period is not None and not pulse:
        raise ValueError("--pulse-period goes with --pulse")
    seconds = _period(pulse_period)
    source = (pulse, seconds, peak_g, fema, records, files or [], unit, dt, component, scale)
    motions = read_motions(*source, pulse_cycles, pulse_phase_deg)
    ds = rocking_spectrum(
        motions,
        _in_radians(slenderness_deg),
        parse_numbers(str(periods), "--periods"),
        r=restitution,
        angular_frequency=2 * pi / seconds if pulse else None,
    )
    if not pulse:
        ds.attrs["scale"] = 1.0 if scale is None else scale
    _write(ds, plot_rocking_spectrum, stem, format, overwrite)
    print(f"Largest tilt over the slenderness{', median of the motions' if len(motions) > 1 else ''}")
    print(table(*rocking_table(ds)))
    _print_paths(stem, format)


def _check_output(output: Path, name: str, format: str, overwrite: bool) -> Path:
    """Path of dataset and figure without their endings; refused where they cannot be written."""
    check_figure(output, format)
    for path in (output / f"{name}.nc", output / f"{name}.{format}"):
        if not os.path.lexists(path):
            continue
        if not overwrite:
            raise ValueError(f"{path} exists already; replace it with --overwrite or choose another output")
        if path.is_symlink() or not path.is_file():
            raise ValueError(f"{path} exists and is no file; choose another output")
    return output / name


def _period(seconds: float | None) -> float:
    """Period of the pulse, 1 s if it is not given: a spectrum over omega_p/p does not depend on it."""
    if seconds is None:
        return 1.0
    if not (isfinite(seconds) and seconds > 0):
        raise ValueError(f"--pulse-period must be finite and > 0 s, got {seconds!r}")
    return seconds


def _in_radians(slenderness_deg: str) -> list[float]:
    from mcrock.commands.spectrum_options import parse_numbers
    from mcrock.plots.spectrum import PANELS

    angles = parse_numbers(slenderness_deg, "--slenderness-deg").tolist()
    for angle in angles:
        if not 0 < angle < 90:
            raise ValueError(f"--slenderness-deg must be between 0 and 90 deg, got {angle:g}")
    if len(angles) > PANELS:
        raise ValueError(f"--slenderness-deg takes at most {PANELS} numbers, got {len(angles)}")
    return [radians(angle) for angle in angles]


def _write(
    ds: xr.Dataset, plot: Callable[[xr.Dataset], Any], stem: Path, format: str, overwrite: bool
) -> None:
    """Write the dataset of a spectrum and its figure, or neither."""
    import matplotlib

    matplotlib.use("Agg")
    from mcrock.dataset import replacing, save_dataset
    from mcrock.plots import save_figure

    ax = plot(ds)
    stem.parent.mkdir(parents=True, exist_ok=True)
    with replacing(stem.with_suffix(f".{format}")) as scratch:
        save_figure(ax, scratch)
        save_dataset(ds, stem.with_suffix(".nc"), overwrite=overwrite)


def _print_paths(stem: Path, format: str) -> None:
    for ending in ("nc", format):
        print(stem.with_suffix(f".{ending}"))
