"""Options that the spectra of planar blocks share, and the motions and numbers that they stand for.

Heavy imports happen inside the functions, as in every command.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, radians
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mcrock.base.checks import Number
from mcrock.base.units import plain_number
from mcrock.commands.options import whole_numbers
from mcrock.commands.results import FigureOptions

if TYPE_CHECKING:
    from mcrock.excitation import Motion, Pulse
    from mcrock.planar.simulation import Array

LONGEST_LIST = 10_000  # numbers
SAMPLES = 1000  # of a period of a pulse that has to be sampled: limits are then right to 1e-5


@dataclass(frozen=True, kw_only=True)
class MotionOptions:
    """Ground motions of a spectrum: a pulse, records of FEMA P695, or record files."""

    pulse: Annotated[
        str | None,
        typer.Option(
            metavar="SHAPE",
            help="Shape of the pulse: one-sine, one-cosine, half-sine, rectangle, ricker-symmetric, "
            "ricker-antisymmetric or mavroeidis-papageorgiou.",
        ),
    ] = None
    pulse_period: Annotated[
        float | None, typer.Option(help="Period 2 pi/omega_p of the pulse, in seconds.")
    ] = None
    pulse_cycles: Annotated[
        float | None, typer.Option(help="Number of cycles gamma of mavroeidis-papageorgiou; default: 2.")
    ] = None
    pulse_phase_deg: Annotated[
        float | None, typer.Option(help="Phase nu of mavroeidis-papageorgiou, in degrees; default: 0.")
    ] = None
    fema: Annotated[
        str | None, typer.Option(help="FEMA P695 set: farfield, nearfield_pulse or nearfield_no_pulse.")
    ] = None
    records: Annotated[
        str | None, typer.Option(metavar="LIST", help="Records of the FEMA P695 set, as in 1,2,14.")
    ] = None
    files: Annotated[
        list[Path] | None,
        typer.Option(
            "--record",
            "--csv",
            metavar="PATH",
            help="Record file of any format of `mcrock records check`, or folder of them; repeatable.",
        ),
    ] = None
    unit: Annotated[
        str | None, typer.Option(help="Unit of tables: m/s2, cm/s2, mm/s2, gal, g, mg, %g, ft/s2, in/s2.")
    ] = None
    dt: Annotated[float | None, typer.Option(help="Time step of tables without times, in seconds.")] = None
    component: Annotated[
        str | None,
        typer.Option(help="Components of records: x, y or both, each a motion of its own; default: both."),
    ] = None

    @property
    def period(self) -> float:
        """Period of the pulse [s], 1 s if it is not given: a spectrum over omega_p/p does not depend on it.

        Raises
        ------
        ValueError
            If a given one is not finite and positive.
        """
        if self.pulse_period is None:
            return 1.0
        return Number("s", above=0.0).check("--pulse-period", self.pulse_period)


@dataclass(frozen=True, kw_only=True)
class OutputOptions(FigureOptions):
    """Files of a spectrum and its figure."""

    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the dataset and the figure.")
    ] = Path("spectrum")
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace existing results.")] = False


def parse_numbers(text: str, name: str) -> Array:
    """Numbers of an option: a list as in ``1,2,5`` or evenly spaced ones as in ``FIRST:LAST:COUNT``.

    Raises
    ------
    ValueError
        If the text is neither, naming the option.

    >>> parse_numbers("1,2.5", "--periods").tolist(), parse_numbers("1:2:5", "--periods").tolist()
    ([1.0, 2.5], [1.0, 1.25, 1.5, 1.75, 2.0])
    """
    import numpy as np

    try:
        if ":" not in text:
            return np.array([plain_number(number) for number in text.split(",")])
        first, last, count = text.split(":")
        if 2 <= int(count) <= LONGEST_LIST:
            return np.linspace(plain_number(first), plain_number(last), int(count))
    except ValueError:
        pass
    raise ValueError(
        f"{name} must be numbers as in 1,2,5 or FIRST:LAST:COUNT as in 0.5:8:76 (COUNT 2 to {LONGEST_LIST}), "
        f"got {text!r}"
    )


def read_motions(
    options: MotionOptions, peak_g: float | None = None, scale: float | None = None
) -> list[Motion | Pulse]:
    """Motions that options name, each along x.

    Parameters
    ----------
    options : MotionOptions
    peak_g : float, optional
        Peak acceleration of a pulse [g], 1 g by default.
    scale : float, optional
        Factor on records [1], not 0; 1 by default.

    Raises
    ------
    ValueError
        If not exactly one source is named or an option does not go with it.
    """
    from mcrock.excitation import fema_p695

    pulse, fema, files = options.pulse, options.fema, options.files
    if sum((pulse is not None, fema is not None, bool(files))) != 1:
        raise ValueError("name one source of ground motion: --pulse, --fema or --record")
    recorded, wavelet = "--fema or --record", "--pulse mavroeidis-papageorgiou"
    for name, value, partner, wanted in (
        ("--peak-g", peak_g, "--pulse", pulse),
        ("--pulse-cycles", options.pulse_cycles, wavelet, wavelet.endswith(f" {pulse}")),
        ("--pulse-phase-deg", options.pulse_phase_deg, wavelet, wavelet.endswith(f" {pulse}")),
        ("--records", options.records, "--fema", fema),
        ("--unit", options.unit, "--record", files),
        ("--dt", options.dt, "--record", files),
        ("--component", options.component, recorded, fema or files),
        ("--scale", scale, recorded, fema or files),
    ):
        if value is not None and not wanted:
            raise ValueError(f"{name} goes with {partner}")
    if pulse is not None:
        return [_make_pulse(options, 1.0 if peak_g is None else peak_g)]
    component, scale = options.component or "both", 1.0 if scale is None else scale
    if component not in ("x", "y", "both"):
        raise ValueError(f"--component must be x, y or both, got {component!r}")
    if not isfinite(scale) or scale == 0.0:
        raise ValueError(f"--scale must be finite and not 0, got {scale!r}")
    if fema is not None:
        motions = fema_p695(
            fema, None if options.records is None else whole_numbers(options.records, "--records")
        )
    else:
        motions = _read_files(files or [], options.unit, options.dt)
    return [part.scaled(scale) for motion in motions for part in _components(motion, component)]


def _read_files(paths: Sequence[Path], unit: str | None, dt: float | None) -> list[Motion]:
    """Records of files and folders, each of which may be named once."""
    from mcrock.excitation.readers import read_records

    seen: set[Path] = set()
    for path in paths:
        if path.resolve() in seen:
            raise ValueError(f"--record {path} is given twice; each file can be used once")
        seen.add(path.resolve())
    return [motion for path in paths for motion in read_records(path, unit=unit, dt=dt)]


def _make_pulse(options: MotionOptions, peak_g: float) -> Motion | Pulse:
    from mcrock.base.params import STANDARD_GRAVITY
    from mcrock.excitation import Pulse
    from mcrock.excitation.pulses import SHAPES, make_pulse, sample_pulse

    if options.pulse not in SHAPES:
        raise ValueError(f"--pulse must be one of {', '.join(SHAPES)}, got {options.pulse!r}")
    period, peak = options.period, Number("g", above=0.0).check("--peak-g", peak_g) * STANDARD_GRAVITY
    more = {}
    if options.pulse_cycles is not None:
        more["cycles"] = options.pulse_cycles
    if options.pulse_phase_deg is not None:
        more["phase"] = radians(options.pulse_phase_deg)
    pulse = make_pulse(options.pulse, period=period, peak=peak, **more)
    return pulse if isinstance(pulse, Pulse) else sample_pulse(pulse, dt=period / SAMPLES)


def _components(motion: Motion, component: str) -> list[Motion]:
    """The wanted horizontal components that shake at all, each along x with the vertical one as it is."""
    import numpy as np

    from mcrock.excitation import Motion, MotionError

    found = []
    for row, name in enumerate("xy"):
        if component in (name, "both") and motion.shaken[row]:
            along = np.stack([motion.acceleration[row], 0 * motion.acceleration[row], motion.acceleration[2]])
            found.append(Motion(along, motion.dt, f"{motion.name}, {name}", motion.group, motion.metadata))
    if not found:
        which = "horizontal acceleration" if component == "both" else f"acceleration along {component}"
        raise MotionError(f"motion '{motion.name}' has no {which}")
    return found
