"""What the command line asks of spectra and prints of them: motions, lists of numbers, short tables."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite, radians
from pathlib import Path

import numpy as np
import xarray as xr

from mcrock.excitation import Motion, MotionError, Pulse, fema_p695
from mcrock.excitation.pulses import SHAPES, make_pulse, sample_pulse
from mcrock.excitation.readers import read_records
from mcrock.params import STANDARD_GRAVITY, Outcome
from mcrock.planar.simulation import Array

Table = tuple[list[str], list[list[str]]]  # heads and rows

ROWS = 12  # of a printed table
BANDS = 4  # written out in a cell; of more the first two and the last
LONGEST_LIST = 10_000  # numbers
SAMPLES = 1000  # of a period of a pulse that has to be sampled: limits are then right to 1e-5


def parse_numbers(text: str, name: str) -> Array:
    """Numbers of an option: a list as in ``1,2,5`` or evenly spaced ones as in ``FIRST:LAST:COUNT``.

    Raises
    ------
    ValueError
        If the text is neither, naming the option.

    >>> parse_numbers("1,2.5", "--periods").tolist(), parse_numbers("1:2:5", "--periods").tolist()
    ([1.0, 2.5], [1.0, 1.25, 1.5, 1.75, 2.0])
    """
    try:
        if ":" not in text:
            return np.array([float(number) for number in text.split(",")])
        first, last, count = text.split(":")
        if 2 <= int(count) <= LONGEST_LIST:
            return np.linspace(float(first), float(last), int(count))
    except ValueError:
        pass
    raise ValueError(
        f"{name} must be numbers as in 1,2,5 or FIRST:LAST:COUNT as in 0.5:8:76 (COUNT 2 to {LONGEST_LIST}), "
        f"got {text!r}"
    )


def parse_records(text: str | None) -> list[int] | None:
    """Record numbers as in ``1,2,14``; None for all.

    Raises
    ------
    ValueError
        If they are no whole numbers.
    """
    try:
        return None if text is None else [int(number) for number in text.split(",")]
    except ValueError:
        raise ValueError(f"--records must be record numbers as in 1,2,14, got {text!r}") from None


def read_motions(
    pulse: str | None = None,
    pulse_period: float = 1.0,
    peak_g: float | None = None,
    fema: str | None = None,
    records: str | None = None,
    files: Sequence[Path] = (),
    unit: str | None = None,
    dt: float | None = None,
    component: str | None = None,
    scale: float | None = None,
    cycles: float | None = None,
    phase_deg: float | None = None,
) -> list[Motion | Pulse]:
    """Motions that the options of `mcrock spectrum` name, each along x.

    Parameters
    ----------
    pulse : str, optional
        A shape of `mcrock.excitation.pulses.SHAPES`.
    pulse_period, peak_g : float
        2 pi/omega_p [s] and peak acceleration [g], 1 g by default.
    fema, records : str, optional
        Set of FEMA P695 and its record numbers.
    files, unit, dt
        As for `mcrock.read_records`, any number of files and folders.
    component : str, optional
        "x", "y" or "both" (default): horizontal components of a record, each a motion of its own.
    scale : float, optional
        Factor on records [1], not 0; 1 by default.
    cycles, phase_deg : float, optional
        gamma [1] and nu [deg] of a Mavroeidis-Papageorgiou pulse, 2 and 0 by default.

    Raises
    ------
    ValueError
        If not exactly one source is named or an option does not go with it.
    """
    if sum((pulse is not None, fema is not None, bool(files))) != 1:
        raise ValueError("name one source of ground motion: --pulse, --fema or --record")
    recorded, wavelet = "--fema or --record", "--pulse mavroeidis-papageorgiou"
    for name, value, partner, wanted in (
        ("--peak-g", peak_g, "--pulse", pulse),
        ("--pulse-cycles", cycles, wavelet, wavelet.endswith(f" {pulse}")),
        ("--pulse-phase-deg", phase_deg, wavelet, wavelet.endswith(f" {pulse}")),
        ("--records", records, "--fema", fema),
        ("--unit", unit, "--record", files),
        ("--dt", dt, "--record", files),
        ("--component", component, recorded, fema or files),
        ("--scale", scale, recorded, fema or files),
    ):
        if value is not None and not wanted:
            raise ValueError(f"{name} goes with {partner}")
    if pulse is not None:
        phase = None if phase_deg is None else radians(phase_deg)
        more = {name: value for name, value in (("cycles", cycles), ("phase", phase)) if value is not None}
        return [_pulse(pulse, pulse_period, 1.0 if peak_g is None else peak_g, more)]
    component, scale = component or "both", 1.0 if scale is None else scale
    if component not in ("x", "y", "both"):
        raise ValueError(f"--component must be x, y or both, got {component!r}")
    if not isfinite(scale) or scale == 0.0:
        raise ValueError(f"--scale must be finite and not 0, got {scale!r}")
    motions = fema_p695(fema, parse_records(records)) if fema is not None else _read_files(files, unit, dt)
    return [part.scaled(scale) for motion in motions for part in _components(motion, component)]


def _read_files(paths: Sequence[Path], unit: str | None, dt: float | None) -> list[Motion]:
    """Records of files and folders, each of which may be named once."""
    seen: set[Path] = set()
    for path in paths:
        if path.resolve() in seen:
            raise ValueError(f"--record {path} is given twice; each file can be used once")
        seen.add(path.resolve())
    return [motion for path in paths for motion in read_records(path, unit=unit, dt=dt)]


def _pulse(shape: str, period: float, peak_g: float, more: dict[str, float]) -> Motion | Pulse:
    if shape not in SHAPES:
        raise ValueError(f"--pulse must be one of {', '.join(SHAPES)}, got {shape!r}")
    for option, value, unit in (("--pulse-period", period, "s"), ("--peak-g", peak_g, "g")):
        if not (isfinite(value) and value > 0):
            raise ValueError(f"{option} must be finite and > 0 {unit}, got {value!r}")
    pulse = make_pulse(shape, period=period, peak=peak_g * STANDARD_GRAVITY, **more)
    return pulse if isinstance(pulse, Pulse) else sample_pulse(pulse, dt=period / SAMPLES)


def _components(motion: Motion, component: str) -> list[Motion]:
    """The wanted horizontal components that shake at all, each along x with the vertical one as it is."""
    found = []
    for row, name in enumerate("xy"):
        if component in (name, "both") and motion.shaken[row]:
            along = np.stack([motion.acceleration[row], 0 * motion.acceleration[row], motion.acceleration[2]])
            found.append(Motion(along, motion.dt, f"{motion.name}, {name}", motion.group, motion.metadata))
    if not found:
        which = "horizontal acceleration" if component == "both" else f"acceleration along {component}"
        raise MotionError(f"motion '{motion.name}' has no {which}")
    return found


def overturning_table(ds: xr.Dataset) -> Table:
    """Bands of overturning at a few sizes, in words; of several motions their lowest amplitudes."""
    axis = str(ds["lower"].dims[2])
    heads = ["omega_p/p" if axis == "frequency_ratio" else "2 pi/p [s]", "slenderness [deg]"]
    single = ds.sizes["motion"] == 1
    heads += ["overturns at (after impacts)"] if single else ["lowest of the motions", "median"]
    rows = []
    for j, slenderness in enumerate(np.degrees(ds["slenderness"].values)):
        for place in _places(ds, axis):
            part = ds.isel({axis: place, "slenderness": j})
            lowest = part["lower"].isel(band=0).fillna(np.inf).values
            words = (
                [_word_bands(part.isel(motion=0))]
                if single
                else [_word_amplitude(value) for value in (lowest.min(), np.median(lowest))]
            )
            rows.append([f"{float(ds[axis][place]):.3g}", f"{slenderness:.3g}", *words])
    return heads, rows


def rocking_table(ds: xr.Dataset) -> Table:
    """Largest tilt over the slenderness at a few sizes; of several motions the median."""

    slenderness = np.degrees(ds["slenderness"].values)
    rows = [
        [
            f"{float(ds['period'][place]):.3g}",
            *(_word_tilt(ds.isel(period=place, slenderness=j)) for j in range(len(slenderness))),
        ]
        for place in _places(ds, "period")
    ]
    return ["2 pi/p [s]", *(f"slenderness {angle:.3g} deg" for angle in slenderness)], rows


def _places(ds: xr.Dataset, axis: str) -> list[int]:
    """A few places along an axis, evenly spaced, with both ends."""
    return sorted({round(place) for place in np.linspace(0, ds.sizes[axis] - 1, ROWS).tolist()})


def _word_tilt(part: xr.Dataset) -> str:
    """Tilt ratio of the motions, or that the block overturns."""
    fallen = part["outcome"].values == Outcome.OVERTURNED
    tilt = np.where(fallen, np.inf, part["peak_tilt_ratio"].values)
    median = np.median(tilt)
    words = f"{median:.3f}" if np.isfinite(median) else "overturns"
    return words if len(tilt) == 1 else f"{words} ({fallen.sum()} of {len(tilt)} overturn)"


def _word_bands(part: xr.Dataset) -> str:
    """Bands as ranges with their impacts in brackets, the last one always."""
    bands = [
        band
        for band in zip(*(part[name].values.tolist() for name in ("lower", "upper", "impacts")), strict=True)
        if band[2] >= 0
    ]
    words = [_word_band(*band) for band in bands]
    if len(words) > BANDS:
        words = [*words[:2], f"{len(words) - 3} more", words[-1]]
    return ", ".join(words) or "stands"


def _word_band(lower: float, upper: float, impacts: int) -> str:
    """A band with as many digits as keep its ends apart.

    >>> _word_band(1.146021, 1.146138, 2), _word_band(3.66431, float("inf"), 0)
    ('1.1460-1.1461 (2)', 'above 3.664 (0)')
    """
    if upper == inf:
        return f"above {_digits(lower, 4)} ({impacts})"
    for number in range(4, 10):
        if _digits(lower, number) != _digits(upper, number):
            break
    return f"{_digits(lower, number)}-{_digits(upper, number)} ({impacts})"


def _digits(value: float, number: int) -> str:
    """A number of 0.1 to 1000 with some digits in all.

    >>> _digits(1.0, 4), _digits(12.3456, 4), _digits(0.98765, 4)
    ('1.000', '12.35', '0.9877')
    """
    return f"{value:#.{number}g}"


def _word_amplitude(amplitude: float) -> str:
    return f"{amplitude:.3g}" if np.isfinite(amplitude) else "none"
