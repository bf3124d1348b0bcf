"""Target spectra, and motions whose response spectrum follows one.

White noise under an envelope is filtered a few times, each frequency by the ratio of the target to the
spectrum at its period, with its phases kept (Gasparini and Vanmarcke 1976). Where the spectrum is then still
far from the target, wavelets are added at the times of the peak responses: the impulse responses of the
oscillators, reversed in time, which change a peak with the least change of the motion (Lilhanand and Tseng
1988). A slow filter in the loop brings the ground to rest.

EN 1998-1 (2004). Eurocode 8: Design of structures for earthquake resistance. Part 1: General rules,
seismic actions and rules for buildings. Clauses 3.2.2.2, 3.2.2.3 and 3.2.3.1.2 (artificial accelerograms).

U.S. Nuclear Regulatory Commission, Regulatory Guide 1.60. Design response spectra for seismic design of
nuclear power plants. Tables I and II.

ICC Evaluation Service, AC156. Acceptance criteria for seismic certification by shake-table testing of
nonstructural components. Required response spectrum.

Al Atik, L., Abrahamson, N. (2010). An improved method for nonstationary spectral matching. Earthquake
Spectra 26(3), 601-617.

Gasparini, D. A., Vanmarcke, E. H. (1976). Simulated earthquake motions compatible with prescribed response
spectra. Report R76-4, Department of Civil Engineering, Massachusetts Institute of Technology.

Jennings, P. C., Housner, G. W., Tsai, N. C. (1968). Simulated earthquake motions. Earthquake Engineering
Research Laboratory, California Institute of Technology.

Lilhanand, K., Tseng, W. S. (1988). Development and application of realistic earthquake time histories
compatible with multiple-damping design spectra. Proceedings of the 9th World Conference on Earthquake
Engineering, Tokyo-Kyoto, Vol. II, 819-824.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, inf, isfinite, log, pi, sqrt, tanh
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcrock.base.checks import Choice, Number, ruled
from mcrock.base.params import STANDARD_GRAVITY
from mcrock.base.units import ACCELERATIONS, LENGTHS, factor_to
from mcrock.excitation.motion import FloatArray, Motion, MotionError, check_length, checked, checked_fields
from mcrock.excitation.readers.csv_file import read_table, split_names, units_said
from mcrock.excitation.readers.text_file import known_unit
from mcrock.excitation.response_spectra import peak_responses, response_spectrum
from mcrock.excitation.rezaeian_2010 import remove_slow_motion

# tables 3.2, 3.3 and 3.4: soil factor S [1] and corner periods T_B, T_C, T_D [s]
HORIZONTAL = {
    1: {
        "A": (1.0, 0.15, 0.4, 2.0),
        "B": (1.2, 0.15, 0.5, 2.0),
        "C": (1.15, 0.20, 0.6, 2.0),
        "D": (1.35, 0.20, 0.8, 2.0),
        "E": (1.4, 0.15, 0.5, 2.0),
    },
    2: {
        "A": (1.0, 0.05, 0.25, 1.2),
        "B": (1.35, 0.05, 0.25, 1.2),
        "C": (1.5, 0.10, 0.25, 1.2),
        "D": (1.8, 0.10, 0.30, 1.2),
        "E": (1.6, 0.05, 0.25, 1.2),
    },
}
VERTICAL = {1: (0.90, 0.05, 0.15, 1.0), 2: (0.45, 0.05, 0.15, 1.0)}  # a_vg/a_g in place of S
PLATEAU = {False: 2.5, True: 3.0}  # horizontal or vertical: amplification of the flat part [1]
DAMPING = Number("1", above=0.0, most=0.8)
LONGEST_PERIOD = 4.0  # to which the formulas hold [s]
# RG 1.60, tables I and II: damping [%], and over the peak of the ground the accelerations at 9 Hz and at
# 2.5 Hz (vertical: 3.5 Hz), and the displacement at 0.25 Hz
RG_1_60_DAMPING = (0.5, 2.0, 5.0, 7.0, 10.0)
RG_1_60 = {
    False: ((4.96, 3.54, 2.61, 2.27, 1.90), (5.95, 4.25, 3.13, 2.72, 2.28), (3.20, 2.50, 2.05, 1.88, 1.70)),
    True: ((4.96, 3.54, 2.61, 2.27, 1.90), (5.67, 4.05, 2.98, 2.59, 2.17), (2.13, 1.67, 1.37, 1.25, 1.13)),
}
RG_1_60_DISPLACEMENT = 36 * LENGTHS["in"]  # of the ground where its peak acceleration is 1 g [m]
SHORTEST_PERIOD = 0.01  # of the table made of them; below it the spectrum is a line to the peak of the ground


@dataclass(frozen=True, eq=False)
class TargetSpectrum:
    """Pseudo-acceleration spectrum that motions are to have.

    Between its points it is straight in logarithms of period and acceleration, and straight as such from
    period 0 to the first other point.

    Parameters
    ----------
    periods : array_like (n,)
        Increasing [s]; the first may be 0, where the spectrum is the peak acceleration of the ground.
    accelerations : array_like (n,)
        Pseudo-accelerations at them [m/s2], positive.
    damping : float
        Share of the critical damping [1] to which they belong, in (0, 0.8].
    name : str
        What messages and motions call it.

    Raises
    ------
    MotionError
        If there are fewer than two points, or a number is not finite or out of its range.

    Examples
    --------
    >>> target = TargetSpectrum([0.0, 0.1, 1.0], [2.0, 5.0, 5.0], name="site")
    >>> target.at([0.05, 0.5]).round(9).tolist()
    [3.5, 5.0]
    """

    periods: FloatArray = field(repr=False)
    accelerations: FloatArray = field(repr=False)
    damping: float = 0.05
    name: str = "target"

    def __post_init__(self) -> None:
        try:
            periods = np.array(self.periods, dtype=np.float64)
            accelerations = np.array(self.accelerations, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise MotionError(f"target spectrum '{self.name}': expected numbers: {error}") from None
        if periods.ndim != 1 or periods.shape != accelerations.shape or len(periods) < 2:
            raise MotionError(
                f"target spectrum '{self.name}': at least 2 periods and as many accelerations are needed, "
                f"got the shapes {periods.shape} and {accelerations.shape}"
            )
        if not (np.isfinite(periods).all() and periods[0] >= 0 and (np.diff(periods) > 0).all()):
            raise MotionError(
                f"target spectrum '{self.name}': periods must increase from 0 or more [s], "
                f"got {_brief(periods)}"
            )
        if not (np.isfinite(accelerations).all() and (accelerations > 0).all()):
            raise MotionError(
                f"target spectrum '{self.name}': accelerations must be finite and > 0 [m/s2], "
                f"got {_brief(accelerations)}"
            )
        checked(DAMPING, f"target spectrum '{self.name}': damping", self.damping)
        for name, values in (("periods", periods), ("accelerations", accelerations)):
            values.setflags(write=False)
            object.__setattr__(self, name, values)

    def at(self, periods: ArrayLike) -> FloatArray:
        """Pseudo-accelerations at the periods (n,) [s]: ndarray (n,) [m/s2].

        Raises
        ------
        MotionError
            If a period is outside the spectrum.
        """
        wanted = np.atleast_1d(np.asarray(periods, dtype=np.float64))
        outside = wanted[~((wanted >= self.periods[0]) & (wanted <= self.periods[-1]))]
        if len(outside):
            raise MotionError(
                f"target spectrum '{self.name}' reaches from {self.periods[0]:g} to {self.periods[-1]:g} s, "
                f"asked at {outside[0]:g} s"
            )
        positive = self.periods > 0
        shortest = self.periods[positive][0]
        straight = np.interp(wanted, self.periods, self.accelerations)
        logarithmic = np.interp(
            np.log(np.maximum(wanted, shortest)),
            np.log(self.periods[positive]),
            np.log(self.accelerations[positive]),
        )
        return np.where(wanted < shortest, straight, np.exp(logarithmic))


def en_1998_1(
    ground_acceleration: float,
    ground: str = "A",
    kind: int = 1,
    damping: float = 0.05,
    vertical: bool = False,
) -> TargetSpectrum:
    """Elastic response spectrum of EN 1998-1, equations (3.2) to (3.5), vertical (3.8) to (3.11).

    Parameters
    ----------
    ground_acceleration : float
        Design ground acceleration a_g on ground type A [m/s2], importance factor included.
    ground : str
        Ground type, "A" to "E"; the vertical spectrum is the same for all.
    kind : int
        1, or 2 where earthquakes with magnitudes up to 5.5 make most of the hazard.
    damping : float
        Share of the critical damping [1]; the correction factor is at least 0.55.
    vertical : bool
        The spectrum of the vertical component.

    Returns
    -------
    TargetSpectrum
        From 0 to 4 s, with the corner periods among its points; between them right to 3e-6.

    Raises
    ------
    MotionError
        If the ground type or the kind is unknown, or a number is out of its range.

    Examples
    --------
    >>> en_1998_1(2.0, "C").at([0.0, 0.3, 1.2, 4.0]).round(4).tolist()
    [2.3, 5.75, 2.875, 0.4312]
    """
    checked(Choice((1, 2)), "kind of the spectrum of EN 1998-1", kind)
    checked(Choice(tuple(HORIZONTAL[kind])), "ground type of EN 1998-1", ground)
    checked(Number("m/s2", above=0.0), "ground acceleration", ground_acceleration)
    checked(DAMPING, "damping", damping)
    share, t_b, t_c, t_d = VERTICAL[kind] if vertical else HORIZONTAL[kind][ground]
    correction = max(sqrt(10 / (5 + 100 * damping)), 0.55)
    top = correction * PLATEAU[vertical]
    grid = np.geomspace(SHORTEST_PERIOD, LONGEST_PERIOD, 1500)
    periods = np.unique(np.concatenate([[0.0, t_b, t_c, t_d], grid]))
    shape = np.full(len(periods), top)
    shape[periods < t_b] = 1 + periods[periods < t_b] / t_b * (top - 1)
    falling = periods > t_c
    shape[falling] = top * t_c / periods[falling] * np.minimum(1, t_d / periods[falling])
    label = "vertical" if vertical else f"ground {ground}"
    name = f"EN 1998-1 type {kind}, {label}, {ground_acceleration:g} m/s2"
    return TargetSpectrum(periods, ground_acceleration * share * shape, damping, name)


def rg_1_60(ground_acceleration: float, damping: float = 0.05, vertical: bool = False) -> TargetSpectrum:
    """Design response spectrum of U.S. NRC Regulatory Guide 1.60, tables I and II.

    Parameters
    ----------
    ground_acceleration : float
        Peak of the horizontal ground acceleration [m/s2], also for the vertical spectrum.
    damping : float
        Share of the critical damping [1], 0.005 to 0.1; between the tabulated ones the factors are linear.
    vertical : bool
        The spectrum of the vertical component.

    Returns
    -------
    TargetSpectrum
        From 0 to 10 s, straight in logarithms between the control points and of constant displacement beyond
        4 s.

    Raises
    ------
    MotionError
        If a number is out of its range.

    Examples
    --------
    In g, for 1 g and 5 %, at 33, 9, 2.5 and 0.25 Hz:

    >>> (rg_1_60(9.80665).at([1 / 33, 1 / 9, 0.4, 4.0]) / 9.80665).round(4).tolist()
    [1.0, 2.61, 3.13, 0.4716]
    """
    checked(Number("m/s2", above=0.0), "ground acceleration", ground_acceleration)
    checked(Number("1", least=0.005, most=0.1), "damping of a spectrum of RG 1.60", damping)
    high, top, displacement = (np.interp(100 * damping, RG_1_60_DAMPING, row) for row in RG_1_60[vertical])
    corner = 1 / 3.5 if vertical else 0.4
    low = (2 * np.pi / 4) ** 2 * displacement * RG_1_60_DISPLACEMENT / STANDARD_GRAVITY
    periods = np.array([0.0, 1 / 33, 1 / 9, corner, 4.0, 10.0])
    shape = np.array([1.0, 1.0, high, top, low, low * (4 / 10) ** 2])
    name = f"RG 1.60, {'vertical' if vertical else 'horizontal'}, {ground_acceleration:g} m/s2"
    return TargetSpectrum(periods, ground_acceleration * shape, damping, name)


def ac156(spectral_acceleration: float, height_ratio: float = 0.0, vertical: bool = False) -> TargetSpectrum:
    """Required response spectrum of AC156 for 5 % damping: of shake-table tests of nonstructural components.

    Parameters
    ----------
    spectral_acceleration : float
        Design spectral acceleration S_DS at short periods [m/s2].
    height_ratio : float
        Height z of the support over that of the roof [1], 0 to 1; the vertical spectrum is the same for all.
    vertical : bool
        The spectrum of the vertical component.

    Returns
    -------
    TargetSpectrum
        From 0 to 10 s, straight in logarithms between its corners: A_FLX = S_DS (1 + 2 z/h), at most 1.6
        S_DS, from 1.3 to 8.3 Hz, A_RIG = 0.4 S_DS (1 + 2 z/h) from 33.3 Hz, and a tenth of A_FLX at 0.1 Hz;
        vertical 0.67 and 0.27 S_DS.

    Raises
    ------
    MotionError
        If a number is out of its range.

    Examples
    --------
    At the roof, S_DS = 1 g, in g at 33.3, 8.3, 1.3 and 0.1 Hz:

    >>> (ac156(9.80665, 1.0).at([1 / 33.3, 1 / 8.3, 1 / 1.3, 10.0]) / 9.80665).round(4).tolist()
    [1.2, 1.6, 1.6, 0.16]
    """
    checked(Number("m/s2", above=0.0), "spectral acceleration S_DS", spectral_acceleration)
    checked(Number("1", least=0.0, most=1.0), "height ratio of AC156", height_ratio)
    higher = 1 + 2 * height_ratio
    flexible, rigid = (0.67, 0.27) if vertical else (min(higher, 1.6), 0.4 * higher)
    shape = np.array([rigid, rigid, flexible, flexible, flexible / 10])
    place = "vertical" if vertical else f"z/h = {height_ratio:g}"
    name = f"AC156, {place}, S_DS = {spectral_acceleration:g} m/s2"
    periods = np.array([0.0, 1 / 33.3, 1 / 8.3, 1 / 1.3, 10.0])
    return TargetSpectrum(periods, spectral_acceleration * shape, 0.05, name)


def read_target(
    path: str | Path, unit: str | None = None, damping: float = 0.05, name: str | None = None
) -> TargetSpectrum:
    """Read a target spectrum from a text table of two columns, as `read_spectrum` has them.

    Parameters
    ----------
    path : str or Path
    unit : str, optional
        Of the accelerations, where the table does not say it.
    damping : float
        Share of the critical damping [1] to which they belong.
    name : str, optional
        By default the name of the file without its ending.

    Returns
    -------
    TargetSpectrum

    Raises
    ------
    MotionError
        With the file and the reason, if it is not such a table.
    """
    path = Path(path)
    table = read_spectrum(path, 2, unit)
    try:
        return TargetSpectrum(table[:, 0], table[:, 1], damping, name or path.stem)
    except MotionError as error:
        raise MotionError(f"{path}: {error}") from None


@np.errstate(over="ignore")  # a spectrum refuses what overflows
def read_spectrum(path: Path, n_column: int, unit: str | None = None) -> FloatArray:
    """Table (n, n_column) of periods [s], accelerations [m/s2] and what else it has, by its line of names.

    The line names the units, as in ``period [s], sa [m/s2]`` or ``frequency [Hz], sa [g]``; without it the
    first column has periods [s] and `unit` is that of the accelerations. Columns are separated by commas,
    semicolons, tabs or blanks.

    Raises
    ------
    MotionError
        With the file and the reason: a unit is missing, unknown or contradicts `unit`, periods do not rise,
        or there are other columns.
    """
    known = None if unit is None else known_unit(path, unit)
    heads, lines, table = read_table(path)
    if table.shape[1] != n_column:
        raise MotionError(
            f"{path}, line {lines[0]}: expected {n_column} columns, period and acceleration"
            f"{', sigma' * (n_column > 2)}, got {table.shape[1]}"
        )
    names = next((head for head in reversed(heads) if split_names(head, n_column)), "")
    said = units_said(heads, names, n_column)
    if factor_to(said[0], "m/s2") and (factor_to(said[1], "s") or factor_to(said[1], "Hz")):
        table[:, :2], said[:2] = table[:, 1::-1], said[1::-1]
    by_name = re.match(r"\W*f(req\w*)?\b", names, re.IGNORECASE)
    first = said[0] or ("Hz" if by_name else "s")
    period, frequency = factor_to(first, "s"), factor_to(first, "Hz")
    factor, units = factor_to(said[1] or known or "", "m/s2"), ", ".join(ACCELERATIONS)
    if period is not None:
        table[:, 0] *= period
    elif frequency is None:
        raise MotionError(f"{path}: periods must be in s or ms, or frequencies in Hz, got {first!r}")
    else:
        if not (table[:, 0] > 0).all():
            raise MotionError(f"{path}: frequencies must be > 0 [Hz], got {table[:, 0].min():g}")
        table[:, 0] = 1.0 / (table[:, 0] * frequency)
        if table[0, 0] > table[-1, 0]:
            table, lines = table[::-1], lines[::-1]
    if factor is None:
        got = f"its line of names says {said[1]!r}" if said[1] else "no line names it and none is given"
        raise MotionError(
            f"{path}: the unit of the accelerations must be one of {units}, and {got}; name it in the first "
            "line, as in 'period [s], sa [g]', or give unit = 'g'"
        )
    if known and factor != ACCELERATIONS[known]:
        raise MotionError(f"{path}: the column names say '{said[1]}', but the unit given is '{known}'")
    table[:, 1] *= factor
    backwards = np.flatnonzero(np.diff(table[:, 0]) <= 0)
    if len(backwards):
        i = int(backwards[0])
        raise MotionError(
            f"{path}, line {lines[i + 1]}: the period does not increase: {table[i + 1, 0]:g} s after "
            f"{table[i, 0]:g} s"
        )
    return table


def _brief(values: FloatArray) -> str:
    """The first values of an array for a message."""
    shown = ", ".join(f"{value:g}" for value in values[:6])
    return f"{shown}, ..." if len(values) > 6 else shown


BAND = (0.9, 1.3)  # in which the ratio of spectrum to target has to be [1]
BAND_PERIODS = (0.05, 4.0)  # by default [s]; 0, the peak of the ground, is looked at as well
MIDDLE = sqrt(BAND[0] * BAND[1])  # to which the motion is filtered [1]
AIM = (0.97, 1.19)  # to which wavelets bring a ratio from outside [1]: nearer, its neighbours miss the band
CLOSE = 0.25  # change of the logarithm of a ratio between periods looked at, at the most
EXACT = 0.005  # relative error of what is known of the ratios between them [1]
PERIODS = 60  # at which the filter is set
BEYOND = 1.15  # how far the filter reaches past the ends of the band
FILTERINGS = 3
CORRECTIONS = 30  # by wavelets, at the most; two or three are enough at a damping of 5 %
DRAWS = 8  # of the noise, until one leads into the band: nearly always the first
REACHED = 0.75  # of the largest amplification there is: more than that at many periods is hardly found [1]
REST = 1.5  # periods of the slow filter after the envelope, in the first third of which the noise fades
ONSET = 0.25  # in which a motion starts from nothing [s]
CLIPPED = 1.15  # of the wanted peak of the ground, to which a higher one is cut [1]
ROUNDING = 1e-3  # on the diagonal of the matrix of wavelets: those of close periods are nearly the same


@dataclass(frozen=True)
class Envelope:
    """Standard deviation of the noise over time: a rise as the square, a level part, an exponential decay.

    Parameters
    ----------
    rise, level, decay : float
        Lengths of the three parts [s]. EN 1998-1 asks for a level part of 10 s unless the site is known
        better. At the end of the decay a twentieth is left.

    Raises
    ------
    MotionError
        If a length is not finite and positive.
    """

    rise: float = ruled(2.0, Number("s", above=0.0))
    level: float = ruled(10.0, Number("s", above=0.0))
    decay: float = ruled(8.0, Number("s", above=0.0))

    def __post_init__(self) -> None:
        checked_fields(self)

    def at(self, time: FloatArray) -> FloatArray:
        """Share of the largest standard deviation at the times `time` [s] [1]."""
        late = np.maximum(time - self.rise - self.level, 0.0)
        return np.asarray(np.minimum(time / self.rise, 1.0) ** 2 * np.exp(-log(20) * late / self.decay))


def compatible_motion(
    targets: TargetSpectrum | Sequence[TargetSpectrum | None],
    rng: np.random.Generator,
    dt: float = 0.01,
    envelope: Envelope | None = None,
    band_periods: tuple[float, float] = BAND_PERIODS,
    corner: float = 0.1,
    name: str = "spectrum-compatible motion",
) -> Motion:
    """Draw one motion whose spectra lie between 0.9 and 1.3 of their targets.

    Parameters
    ----------
    targets : TargetSpectrum or sequence of up to three, each may be None
        Of the components along x, y and z, which have independent noises.
    rng : Generator
        Source of the noise; the same state gives the same motion.
    dt : float
        Time step [s], at most a quarter of the shortest period of the band.
    envelope : Envelope, optional
        2 s of rise, 10 s level and 8 s of decay by default.
    band_periods : tuple of 2 floats
        Shortest and longest period at which the spectrum has to be in the band [s]; that of the target
        if it reaches less far. The peak acceleration is held in the band as well if the target begins
        at period 0.
    corner : float
        Of the filter of slow motion [Hz]: 1/corner should be longer than the longest period. The ground
        comes to rest within 1.5/corner after the envelope.
    name : str
        What messages, datasets and figures call the motion.

    Returns
    -------
    Motion
        `metadata` has the smallest and the largest ratio of each component at the periods looked at,
        ``ratio_least_x`` and so on; these are so close that the band holds between them.

    Raises
    ------
    MotionError
        If a number is out of its range, or the target asks for more amplification than its damping
        allows, or no motion in the band is found: the target then changes too fast from period to period.
    """
    wanted = _listed(targets, band_periods, corner, name)
    envelope = envelope or Envelope()
    shortest = min(band[0] for _, band in wanted.values())
    if not (isfinite(dt) and 0 < dt <= shortest / 4):
        raise MotionError(
            f"motion '{name}': dt must be > 0 and at most a quarter of the shortest period, "
            f"{shortest / 4:g} s, got {dt!r}: lower dt, or begin band_periods later"
        )
    check_length(name, envelope.rise + envelope.level + envelope.decay + REST / corner, dt)
    noise_length = ceil((envelope.rise + envelope.level + envelope.decay) / dt) + 1
    length = noise_length + ceil(REST / corner / dt)
    shape = envelope.at(np.arange(noise_length, dtype=np.float64) * dt)
    weight = np.append(shape, np.zeros(length - noise_length))
    samples = np.zeros((3, length))
    facts: dict[str, str | float] = {"source": "spectrum-compatible noise"}
    for direction, (target, band) in wanted.items():
        axis = "xyz".index(direction)
        _check_amplification(target, band)
        for _ in range(DRAWS):
            start = np.zeros(length)
            start[:noise_length] = shape * rng.standard_normal(noise_length)
            samples[axis], least, most = _adapt(start, weight, dt, target, band, corner)
            if not _outside(np.array([least, most])).any():
                break
        else:
            raise MotionError(
                f"motion '{name}': none of {DRAWS} draws has a spectrum between {BAND[0]} and {BAND[1]} of "
                f"the target '{target.name}' from {band[0]:g} to {band[1]:g} s; the last one reaches from "
                f"{least:.2f} to {most:.2f}. Make the target smoother or lower compared with its value at "
                f"period 0, the envelope longer or band_periods shorter"
            )
        facts |= {f"target_{direction}": target.name}
        facts |= {f"ratio_least_{direction}": least, f"ratio_largest_{direction}": most}
    facts["history"] = "synthetic motion adapted to a target spectrum"
    return Motion(samples, dt, name, metadata=facts)


def _listed(
    targets: TargetSpectrum | Sequence[TargetSpectrum | None],
    band_periods: tuple[float, float],
    corner: float,
    name: str,
) -> dict[str, tuple[TargetSpectrum, tuple[float, float]]]:
    """Targets by direction, each with the ends of the band as far as it reaches [s]."""
    listed = [targets] if isinstance(targets, TargetSpectrum) else list(targets)
    if not (any(target is not None for target in listed) and len(listed) <= 3):
        raise MotionError(
            f"motion '{name}': one to three target spectra are needed, for x, y and z, got {targets!r}"
        )
    checked(Number("Hz", above=0.0), f"motion '{name}': corner", corner)
    first, last = band_periods
    if not (isfinite(last) and 0 < first < last):
        raise MotionError(
            f"motion '{name}': band_periods must be two increasing periods > 0 [s], got {band_periods!r}"
        )
    wanted = {}
    for direction, target in zip("xyz", listed, strict=False):
        if target is None:
            continue
        band = max(first, float(target.periods[0])), min(last, float(target.periods[-1]))
        if not band[0] < band[1]:
            raise MotionError(
                f"target spectrum '{target.name}': no period of the band from {first:g} to {last:g} s is "
                f"within it; it reaches from {target.periods[0]:g} to {target.periods[-1]:g} s: change "
                f"band_periods"
            )
        wanted[direction] = target, band
    return wanted


def _check_amplification(target: TargetSpectrum, band: tuple[float, float]) -> None:
    """Refuse a target that no motion in the band has.

    The ground that always pushes an oscillator the way it goes, with its peak, moves it farthest: its
    pseudo-acceleration becomes the peak of the ground times coth(pi z/2 sqrt(1 - z^2)), z the damping.
    """
    if target.periods[0] > 0:
        return
    z = target.damping
    largest = 1 / tanh(pi * z / (2 * sqrt(1 - z * z)))
    periods = np.clip(target.periods, *band)
    highest = int(target.at(periods).argmax())
    wanted = float((target.at(periods) / target.at(0.0))[highest])
    allowed = REACHED * largest * BAND[1] / BAND[0]
    if wanted > allowed:
        raise MotionError(
            f"target spectrum '{target.name}': at {periods[highest]:g} s it is {wanted:.3g} times its "
            f"value at period 0, but no motion with the damping {z:g} has a spectrum near that: the limit is "
            f"{allowed:.3g} times. Lower the damping, or leave period 0 out of the target"
        )


def _adapt(
    start: FloatArray,
    weight: FloatArray,
    dt: float,
    target: TargetSpectrum,
    band: tuple[float, float],
    corner: float,
) -> tuple[FloatArray, float, float]:
    """Component (n_time,) [m/s2] with its spectrum in the band, or nearest to it, and its extreme ratios.

    `start` (n_time,) is filtered, and then changed by wavelets in proportion to the square of `weight`
    (n_time,) [1].
    """
    n = len(start)
    time = np.arange(n, dtype=np.float64) * dt
    window = np.minimum(time / ONSET, 1.0)
    fading = round(REST / corner / dt)
    window[-fading:] *= np.clip(1 - 3 * np.arange(fading) / fading, 0.0, 1.0)
    weight = (window * weight) ** 2
    rough = window * start
    for turn in range(FILTERINGS):
        shaken = remove_slow_motion(rough, dt, corner)
        if turn > 0:  # before that the noise has no size
            rough = rough + window * _towards_peak(shaken, target)
        rough = window * _filtered(rough, shaken, dt, target, band, corner)
    duration = np.count_nonzero(start) * dt
    periods = _close_periods(band, target.damping, duration)
    best, smallest_miss, least, most = rough, inf, 0.0, inf
    for _ in range(CORRECTIONS):
        shaken = remove_slow_motion(rough, dt, corner)
        peaks, times = peak_responses(shaken, dt, periods, target.damping)
        wanted = target.at(periods)
        ratios = np.abs(peaks) / wanted
        every = np.append(ratios, _peak_ratio(shaken, target))
        is_inside = not _outside(every).any()
        if is_inside:
            between, theirs = _look_between(shaken, dt, target, periods, ratios, duration)
            every = np.append(every, theirs)
        miss = float(np.abs(np.log(every / MIDDLE)).max())
        if miss < smallest_miss:
            best, smallest_miss, least, most = shaken, miss, float(every.min()), float(every.max())
        if is_inside:
            out = _outside(theirs)
            if not out.any():
                break
            periods = np.sort(np.append(periods, between[out]))  # are looked at from now on
            continue
        far = _farthest(ratios)
        change = np.sign(peaks[far]) * (np.clip(ratios[far], *AIM) - ratios[far])
        wavelets = _wavelets(time, dt, periods[far], times[far], target.damping, corner) / wanted[far, None]
        # what each wavelet does to each peak; einsum adds in the same order on any number of threads
        effects = np.einsum("it,jt->ij", weight * wavelets, wavelets)
        effects[np.diag_indices_from(effects)] *= 1 + ROUNDING
        heights = np.linalg.solve(effects, change)
        rough = rough + window * _towards_peak(shaken, target)
        rough += weight * np.einsum("i,it->t", heights, wavelets)
    return best, least, most


def _outside(ratios: FloatArray) -> NDArray[np.bool_]:
    """Mask of the ratios out of the band, less what they are exact to."""
    return (ratios < BAND[0] * (1 + EXACT)) | (ratios > BAND[1] / (1 + EXACT))


def _peak_ratio(motion: FloatArray, target: TargetSpectrum) -> FloatArray:
    """Peak of the ground over that of the target (1,), or (0,) if it has none [1]."""
    return np.abs(motion).max() / target.at(0.0) if target.periods[0] == 0 else np.empty(0)


def _towards_peak(motion: FloatArray, target: TargetSpectrum) -> FloatArray:
    """Change (n_time,) of the samples above the peak of the target, or of the highest one below it [m/s2]."""
    if target.periods[0] > 0:
        return np.zeros_like(motion)
    wanted = float(target.at(0.0)[0])
    change = np.clip(motion, -CLIPPED * wanted, CLIPPED * wanted) - motion
    highest = int(np.abs(motion).argmax())
    change[highest] += np.sign(motion[highest]) * max(AIM[0] * wanted - abs(motion[highest]), 0.0)
    return np.asarray(change)


def _filtered(
    rough: FloatArray,
    shaken: FloatArray,
    dt: float,
    target: TargetSpectrum,
    band: tuple[float, float],
    corner: float,
) -> FloatArray:
    """`rough` (n_time,) with each frequency times the target over the spectrum of `shaken` (n_time,)."""
    from scipy.fft import next_fast_len

    periods = np.geomspace(band[0] / BEYOND, band[1] * BEYOND, PERIODS)
    # before its own beginning the target is level, past its end it goes on as it ends
    known = np.clip(periods, target.periods[0], target.periods[-1])
    towards_end = np.maximum(target.periods[-1] / np.array([BEYOND, 1.0]), target.periods[0])
    slope = np.diff(np.log(target.at(towards_end))) / np.diff(np.log(towards_end))
    wanted = target.at(known) * np.maximum(periods / known, 1.0) ** slope
    gain = np.log(MIDDLE * wanted / response_spectrum(shaken, dt, periods, target.damping))
    padded = next_fast_len(len(rough) + ceil(2 / corner / dt), real=True)  # no end runs into the beginning
    frequencies = np.maximum(np.fft.rfftfreq(padded, dt), 1e-6)
    gains = np.exp(np.interp(-np.log(frequencies), np.log(periods), gain))
    return np.fft.irfft(np.fft.rfft(rough, padded) * gains, padded)[: len(rough)]


def _steepness(periods: FloatArray, damping: float, duration: float) -> FloatArray:
    """Change of the logarithm of a spectrum with that of the period, at the most (n_period,) [1].

    It goes with the radians that an oscillator remembers, 1/(2 damping) as a standard deviation, or with
    those that the motion lasts. The factor is measured: the steepest place in 100 000 reaches 1.01 of this
    at a damping of 1 % and 0.72 at 5 %.
    """
    return 1 + 1.3 * np.minimum(0.5 / damping, duration / periods)


def _close_periods(band: tuple[float, float], damping: float, duration: float) -> FloatArray:
    """Periods (n_period,) [s] between which the logarithm of a spectrum changes by `CLOSE` at the most."""
    fine = np.geomspace(*band, 1000)
    changes = _steepness(fine[1:], damping, duration) * np.diff(np.log(fine))
    change = np.append(0.0, np.cumsum(changes))
    return np.interp(np.linspace(0.0, change[-1], ceil(change[-1] / CLOSE) + 1), change, fine)


def _look_between(
    motion: FloatArray,
    dt: float,
    target: TargetSpectrum,
    periods: FloatArray,
    ratios: FloatArray,
    duration: float,
) -> tuple[FloatArray, FloatArray]:
    """Periods between those looked at and the ratios there, until the band holds everywhere or is left.

    A spectrum is the highest of many smooth curves, one for each swing of the oscillator, with cusps where
    they cross. Its steepness says how far it can go between two periods; if that is out of the band, the
    period in the middle is looked at.
    """
    new = np.zeros(len(periods), dtype=bool)
    while True:
        reach = np.exp(0.5 * _steepness(periods[:-1], target.damping, duration) * np.diff(np.log(periods)))
        middle = np.sqrt(ratios[:-1] * ratios[1:])
        out = _outside(ratios)
        unsure = (middle < BAND[0] * reach) | (middle * reach > BAND[1])
        at = np.flatnonzero(unsure & ~out[:-1] & ~out[1:])
        if not len(at):
            return periods[new], ratios[new]
        between = np.sqrt(periods[at] * periods[at + 1])
        theirs = response_spectrum(motion, dt, between, target.damping) / target.at(between)
        periods, ratios = np.insert(periods, at + 1, between), np.insert(ratios, at + 1, theirs)
        new = np.insert(new, at + 1, True)


def _farthest(ratios: FloatArray) -> NDArray[np.intp]:
    """Where ratios are outside of what the wavelets aim at, and farther than their neighbours."""
    miss = np.abs(np.log(ratios) - np.log(np.clip(ratios, *AIM)))
    around = np.concatenate([[0.0], miss, [0.0]])
    return np.flatnonzero((miss > 0) & (miss >= around[:-2]) & (miss > around[2:]))


def _wavelets(
    time: FloatArray, dt: float, periods: FloatArray, times: FloatArray, damping: float, corner: float
) -> FloatArray:
    """Responses of oscillators at their `times` (n_period,) to a unit sample at each `time` (n_time,) [1].

    (n_period, n_time). The pseudo-acceleration, with the slow filter before the oscillator, whose gain is
    taken at the pole of the oscillator.
    """
    omega = np.asarray(2 * pi / periods[:, None])
    wave = omega * sqrt(1 - damping * damping)
    pole = -damping * omega + 1j * wave
    height = -(omega**2) / wave * dt * (pole / (pole + 2 * pi * corner)) ** 2
    lag = times[:, None] - time
    since = np.maximum(lag, 0.0)
    swing = np.abs(height) * np.exp(-damping * omega * since) * np.sin(wave * since + np.angle(height))
    return np.where(lag > 0, swing, 0.0)
