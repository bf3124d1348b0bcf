"""The commands `mcrock spectrum overturning` and `mcrock spectrum rocking`.

Heavy imports happen inside the functions, as in every command.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from math import pi, radians
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mcrock.commands.options import unpacked
from mcrock.commands.spectrum_options import MotionOptions, OutputOptions, parse_numbers, read_motions

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

    from mcrock.planar.simulation import Array

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
        help="Velocity ratio r, or housner_1963, ther_kollar_2017, kalliontzis_2016:nu=NU, "
        "brogliato_2012:e_n21=E, chatzis_2017:lambda=LAMBDA, wittich_hutchinson_2018:points=X1,X2,...",
    ),
]
Periods = Annotated[
    str | None, typer.Option(metavar="LIST", help="Sizes 2 pi/p in seconds: 1,2,4 or FIRST:LAST:COUNT.")
]


@app.command()
@unpacked
def overturning(
    *,
    slenderness_deg: Slenderness,
    source: MotionOptions,
    restitution: Restitution = "housner_1963",
    frequency_ratios: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Frequency ratios omega_p/p; default for pulses: 0.5:10:96."),
    ] = None,
    periods: Periods = None,
    max_amplitude: Annotated[
        float, typer.Option(help="Largest amplitude of the scan, a_p/(g tan slenderness).")
    ] = 15.0,
    scan: Annotated[
        int | None,
        typer.Option(
            help="Amplitudes scanned at each size, rounded up to 2^k + 1; default: 4097 for sines, cosines "
            "and the rectangle, else 1025."
        ),
    ] = None,
    place: OutputOptions,
) -> None:
    """Bands of amplitude in which blocks overturn, by their size.

    The size is omega_p/p for pulses, and for records with --pulse-period, else 2 pi/p in seconds.
    Two cores take about 25 s for 100 sizes under records, 5 s under a sine.
    """
    stem = _check_output(place, "overturning_spectrum")
    from mcrock.excitation import Motion  # Ricker and Mavroeidis-Papageorgiou pulses are sampled too
    from mcrock.planar import overturning_spectrum
    from mcrock.show.spectrum import describe_scan, overturning_table, plot_overturning_spectrum
    from mcrock.show.text import format_table

    ratios, sizes = _axis(source, frequency_ratios, periods)
    motions = read_motions(source)
    angles = _in_radians(slenderness_deg)
    if sys.stderr.isatty():
        columns = len(motions) * len(angles) * sum(len(x) for x in (ratios, sizes) if x is not None)
        print(f"scanning {columns} columns, one for each motion, slenderness and size", file=sys.stderr)
    ds = overturning_spectrum(
        motions,
        angles,
        ratios,
        periods=sizes,
        angular_frequency=2 * pi / source.period if source.pulse or sizes is None else None,
        r=restitution,
        largest_amplitude=max_amplitude,
        scan=scan,
        tolerance=1e-4 if any(isinstance(motion, Motion) for motion in motions) else 1e-6,
    )
    _write(ds, plot_overturning_spectrum, stem, place)
    print("Overturns at a_p/(g tan slenderness), with the impacts before it in brackets")
    print(format_table(*overturning_table(ds)))
    print(describe_scan(ds))
    if ds["half_scan_limits"].sum() < ds["limits"].sum():
        print(
            "mcrock: warning: bands and islands thinner than the step of the scan, "
            f"{100 * ds.attrs['scan_step']:.2g} %, may be missing; a larger --scan finds more",
            file=sys.stderr,
        )
    _print_paths(stem, place)


@app.command()
@unpacked
def rocking(
    *,
    slenderness_deg: Slenderness,
    source: MotionOptions,
    peak_g: Annotated[float | None, typer.Option(help="Peak acceleration of the pulse, in g.")] = None,
    scale: Annotated[float | None, typer.Option(help="Factor on records; default: 1.")] = None,
    restitution: Restitution = "housner_1963",
    periods: Periods = "0.5:8:151",
    place: OutputOptions,
) -> None:
    """Largest tilt of blocks over their slenderness, by their size 2 pi/p, and which overturn.

    A pulse needs --peak-g and --pulse-period; records keep their amplitude, or take --scale.
    """
    stem = _check_output(place, "rocking_spectrum")
    from mcrock.planar import rocking_spectrum
    from mcrock.show.spectrum import plot_rocking_spectrum, rocking_table
    from mcrock.show.text import format_table

    if source.pulse and (peak_g is None or source.pulse_period is None):
        raise ValueError("a rocking spectrum of a pulse needs --peak-g and --pulse-period")
    if source.pulse_period is not None and not source.pulse:
        raise ValueError("--pulse-period goes with --pulse")
    motions = read_motions(source, peak_g, scale)
    ds = rocking_spectrum(
        motions,
        _in_radians(slenderness_deg),
        parse_numbers(str(periods), "--periods"),
        r=restitution,
        angular_frequency=2 * pi / source.period if source.pulse else None,
    )
    if not source.pulse:
        ds.attrs["scale"] = 1.0 if scale is None else scale
    _write(ds, plot_rocking_spectrum, stem, place)
    print(f"Largest tilt over the slenderness{', median of the motions' if len(motions) > 1 else ''}")
    print(format_table(*rocking_table(ds)))
    _print_paths(stem, place)


def _axis(
    source: MotionOptions, frequency_ratios: str | None, periods: str | None
) -> tuple[Array, None] | tuple[None, Array]:
    """Frequency ratios or periods of the blocks of an overturning spectrum."""
    if frequency_ratios is not None and periods is not None:
        raise ValueError("give either --frequency-ratios or --periods")
    if periods is not None:
        if source.pulse and source.pulse_period is None:
            raise ValueError(
                "--periods need the --pulse-period of a --pulse, in seconds; over --frequency-ratios the "
                "limits do not depend on it"
            )
        if source.pulse_period is not None and not source.pulse:
            raise ValueError("--pulse-period of records goes with --frequency-ratios, not with --periods")
    elif source.pulse or source.pulse_period is not None:
        return parse_numbers(frequency_ratios or "0.5:10:96", "--frequency-ratios"), None
    elif frequency_ratios:
        raise ValueError("--frequency-ratios of records need --pulse-period; or give --periods")
    return None, parse_numbers("1:8:36" if periods is None else periods, "--periods")


def _check_output(place: OutputOptions, name: str) -> Path:
    """Path of dataset and figure without their endings; refused where they cannot be written."""
    for path in (place.output / f"{name}.nc", place.output / f"{name}.{place.format}"):
        if not os.path.lexists(path):
            continue
        if not place.overwrite:
            raise ValueError(f"{path} exists already; replace it with --overwrite or choose another output")
        if path.is_symlink() or not path.is_file():
            raise ValueError(f"{path} exists and is not a file; choose another output")
    return place.output / name


def _in_radians(slenderness_deg: str) -> list[float]:
    from mcrock.show.spectrum import PANELS

    angles = parse_numbers(slenderness_deg, "--slenderness-deg").tolist()
    for angle in angles:
        if not 0 < angle < 90:
            raise ValueError(f"--slenderness-deg must be between 0 and 90 deg, got {angle:g}")
    if len(angles) > PANELS:
        raise ValueError(f"--slenderness-deg takes at most {PANELS} numbers, got {len(angles)}")
    return [radians(angle) for angle in angles]


def _write(ds: xr.Dataset, plot: Callable[[xr.Dataset], Axes], stem: Path, place: OutputOptions) -> None:
    """Write the dataset of a spectrum and its figure, or neither."""
    from mcrock.dataset import replacing, save_dataset
    from mcrock.plots import save_figure

    ax = plot(ds)
    stem.parent.mkdir(parents=True, exist_ok=True)
    with replacing(stem.with_suffix(f".{place.format}")) as scratch:
        save_figure(ax, scratch)
        save_dataset(ds, stem.with_suffix(".nc"), overwrite=place.overwrite)


def _print_paths(stem: Path, place: OutputOptions) -> None:
    for ending in ("nc", place.format):
        print(stem.with_suffix(f".{ending}"))
