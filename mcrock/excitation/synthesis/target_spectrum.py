"""Target spectra: the elastic spectra of EN 1998-1, those of RG 1.60 and AC156, and a table of the user's.

EN 1998-1 (2004). Eurocode 8: Design of structures for earthquake resistance. Part 1: General rules,
seismic actions and rules for buildings. Clauses 3.2.2.2 and 3.2.2.3.

U.S. Nuclear Regulatory Commission, Regulatory Guide 1.60. Design response spectra for seismic design of
nuclear power plants. Tables I and II.

ICC Evaluation Service, AC156. Acceptance criteria for seismic certification by shake-table testing of
nonstructural components. Required response spectrum.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from mcrock.base.checks import Choice, Number
from mcrock.base.params import STANDARD_GRAVITY
from mcrock.base.units import ACCELERATIONS, LENGTHS, factor_to
from mcrock.excitation.motion import FloatArray, MotionError, checked
from mcrock.excitation.readers.csv_file import read_table, split_names, units_said
from mcrock.excitation.readers.text_file import known_unit

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
