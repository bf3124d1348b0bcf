"""The commands `mcrock spectrum overturning` and `mcrock spectrum rocking`.

Heavy imports happen inside the functions, as in `mcrock.cli`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from math import isfinite, pi, radians
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import xarray as xr

FORMATS = ("png", "pdf", "svg")  # of figures


app = typer.Typer(
    no_args_is_help=True, help="Spectra of planar blocks of every size: largest tilts, overturning limits."
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
Pulse = Annotated[str | None, typer.Option(help="one-sine, one-cosine, half-sine or rectangle.")]
Period = Annotated[float | None, typer.Option(help="2 pi/omega_p of the pulse, in seconds.")]
Fema = Annotated[
    str | None, typer.Option(help="FEMA P695 set: farfield, nearfield_pulse or nearfield_no_pulse.")
]
Records = Annotated[str | None, typer.Option(metavar="LIST", help="Records of the set, as in 1,2,14.")]
Csv = Annotated[list[Path] | None, typer.Option("--csv", metavar="FILE", help="Record; repeatable.")]
Unit = Annotated[str | None, typer.Option(help="Of --csv: m/s2, cm/s2, mm/s2, gal, g or mg.")]
TimeStep = Annotated[float | None, typer.Option("--dt", help="Of --csv without a time column, in seconds.")]
Component = Annotated[str, typer.Option(help="Of records: x, y or both, each a motion of its own.")]
Periods = Annotated[
    str | None, typer.Option(metavar="LIST", help="Sizes 2 pi/p in seconds: 1,2,4 or FIRST:LAST:COUNT.")
]
Folder = Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder of dataset and figure.")]
Format = Annotated[str, typer.Option(help="Of the figure: png, pdf or svg.")]


@app.command()
def overturning(
    slenderness_deg: Slenderness,
    pulse: Pulse = None,
    fema: Fema = None,
    records: Records = None,
    csv: Csv = None,
    unit: Unit = None,
    dt: TimeStep = None,
    component: Component = "both",
    restitution: Restitution = "housner",
    frequency_ratios: Annotated[
        str | None, typer.Option(metavar="LIST", help="omega_p/p. Default for pulses: 0.5:10:96.")
    ] = None,
    pulse_period: Period = None,
    periods: Periods = None,
    max_amplitude: Annotated[float, typer.Option(help="End of the scan, a_p/(g tan slenderness).")] = 15.0,
    scan: Annotated[
        int | None, typer.Option(help="Amplitudes scanned. Default: 400 for pulses, 100 for records.")
    ] = None,
    output: Folder = Path("spectrum"),
    format: Format = "png",
) -> None:
    """All amplitudes at which blocks overturn, by their size: every band, not only the lowest.

    Over omega_p/p for pulses, and for records if --pulse-period is given, else over 2 pi/p.
    """
    check_figure(output, format)
    from mcrock.planar import overturning_spectrum
    from mcrock.planar.request import overturning_table, parse_numbers, read_motions
    from mcrock.plots.spectrum import plot_overturning_spectrum

    seconds = _period(pulse_period)
    motions = read_motions(pulse, seconds, None, fema, records, csv or [], unit, dt, component)
    axis: dict[str, Any] = {}
    if periods is None and (pulse or pulse_period is not None or frequency_ratios):
        if not pulse and pulse_period is None:
            raise ValueError("--frequency-ratios of records need --pulse-period; or give --periods")
        axis["frequency_ratios"] = parse_numbers(frequency_ratios or "0.5:10:96", "--frequency-ratios")
        axis["angular_frequency"] = 2 * pi / seconds
    elif frequency_ratios:
        raise ValueError("give either --frequency-ratios or --periods")
    else:
        axis["periods"] = parse_numbers(periods or "1:8:36", "--periods")
    ds = overturning_spectrum(
        motions,
        _in_radians(slenderness_deg),
        **axis,
        r=restitution,
        largest_amplitude=max_amplitude,
        scan=(400 if pulse else 100) if scan is None else scan,
        tolerance=1e-6 if pulse else 1e-4,
    )
    print("Overturns at a_p/(g tan slenderness), with the impacts before it in brackets")
    _finish_spectrum(
        ds, overturning_table(ds), plot_overturning_spectrum, output / "overturning_spectrum", format
    )


@app.command()
def rocking(
    slenderness_deg: Slenderness,
    pulse: Pulse = None,
    peak_g: Annotated[float | None, typer.Option(help="Peak acceleration of the pulse, in g.")] = None,
    pulse_period: Period = None,
    fema: Fema = None,
    records: Records = None,
    csv: Csv = None,
    unit: Unit = None,
    dt: TimeStep = None,
    component: Component = "both",
    scale: Annotated[float, typer.Option(help="Factor on records.")] = 1.0,
    restitution: Restitution = "housner",
    periods: Periods = "0.5:8:151",
    output: Folder = Path("spectrum"),
    format: Format = "png",
) -> None:
    """Largest tilt of blocks by their size, 2 pi/p, and which of them overturn."""
    check_figure(output, format)
    from mcrock.planar import rocking_spectrum
    from mcrock.planar.request import parse_numbers, read_motions, rocking_table
    from mcrock.plots.spectrum import plot_rocking_spectrum

    if pulse and (peak_g is None or pulse_period is None):
        raise ValueError("a rocking spectrum of a pulse needs --peak-g and --pulse-period")
    if pulse_period is not None and not pulse:
        raise ValueError("--pulse-period goes with --pulse")
    motions = read_motions(
        pulse, _period(pulse_period), peak_g, fema, records, csv or [], unit, dt, component, scale
    )
    sizes = parse_numbers(str(periods), "--periods")
    ds = rocking_spectrum(motions, _in_radians(slenderness_deg), sizes, r=restitution)
    print(f"Largest tilt over the slenderness{', median of the motions' if len(motions) > 1 else ''}")
    _finish_spectrum(ds, rocking_table(ds), plot_rocking_spectrum, output / "rocking_spectrum", format)


def check_figure(output: Path, format: str) -> None:
    """Refuse a format of figures that is not known and a folder that cannot be one."""
    if format not in FORMATS:
        raise ValueError(f"--format must be one of {', '.join(FORMATS)}, got {format!r}")
    for place in (output, *output.parents):
        if os.path.lexists(place) and not place.is_dir():
            raise ValueError(f"{output}: {place} is a file, not a folder; choose another output")


def _period(seconds: float | None) -> float:
    """Period of the pulse, 1 s if it is not given: a spectrum over omega_p/p does not depend on it."""
    if seconds is None:
        return 1.0
    if not (isfinite(seconds) and seconds > 0):
        raise ValueError(f"--pulse-period must be finite and > 0 s, got {seconds!r}")
    return seconds


def _in_radians(slenderness_deg: str) -> list[float]:
    from mcrock.planar.request import parse_numbers
    from mcrock.plots.spectrum import PANELS

    angles = parse_numbers(slenderness_deg, "--slenderness-deg").tolist()
    for angle in angles:
        if not 0 < angle < 90:
            raise ValueError(f"--slenderness-deg must be between 0 and 90 deg, got {angle:g}")
    if len(angles) > PANELS:
        raise ValueError(f"--slenderness-deg takes at most {PANELS} numbers, got {len(angles)}")
    return [radians(angle) for angle in angles]


def _finish_spectrum(
    ds: xr.Dataset, rows: Any, plot: Callable[[xr.Dataset], Any], stem: Path, format: str
) -> None:
    """Print the table of a spectrum, write its dataset and draw its figure."""
    import matplotlib

    matplotlib.use("Agg")
    from mcrock.dataset import save_dataset
    from mcrock.plots import save_figure
    from mcrock.terminal import table

    print(table(*rows))
    stem.parent.mkdir(parents=True, exist_ok=True)
    save_dataset(ds, stem.with_suffix(".nc"), overwrite=True)
    print(stem.with_suffix(".nc"))
    print(save_figure(plot(ds), stem.with_suffix(f".{format}")))
