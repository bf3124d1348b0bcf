"""Target spectra: EN 1998-1 by its formulas, tables, and what is refused."""

from math import sqrt

import numpy as np
import pytest

from mcrock.excitation.motion import MotionError
from mcrock.excitation.spectrum_compatible import (
    HORIZONTAL,
    TargetSpectrum,
    ac156,
    en_1998_1,
    read_target,
    rg_1_60,
)

TABLE = 3e-6  # relative: straight lines in logarithms between 1500 points of the rising branch

# EN 1998-1, 3.2.2.2: a few ordinates by hand, a_g = 1 m/s2, 5 %
BY_HAND = {
    (1, "A"): {0.0: 1.0, 0.075: 1.75, 0.15: 2.5, 0.4: 2.5, 1.0: 1.0, 2.0: 0.5, 4.0: 0.125},
    (1, "B"): {0.0: 1.2, 0.15: 3.0, 0.5: 3.0, 1.0: 1.5, 2.0: 0.75, 4.0: 0.1875},
    (1, "C"): {0.0: 1.15, 0.1: 2.0125, 0.2: 2.875, 0.6: 2.875, 1.2: 1.4375},
    (1, "D"): {0.0: 1.35, 0.2: 3.375, 0.8: 3.375, 1.6: 1.6875},
    (1, "E"): {0.0: 1.4, 0.15: 3.5, 0.5: 3.5, 1.0: 1.75},
    (2, "A"): {0.0: 1.0, 0.05: 2.5, 0.25: 2.5, 0.5: 1.25, 2.4: 2.5 * 0.25 * 1.2 / 2.4**2},
    (2, "B"): {0.0: 1.35, 0.05: 3.375, 0.25: 3.375, 1.0: 0.84375},
    (2, "C"): {0.0: 1.5, 0.1: 3.75, 0.25: 3.75, 1.0: 0.9375},
    (2, "D"): {0.0: 1.8, 0.1: 4.5, 0.3: 4.5, 1.2: 1.125},
    (2, "E"): {0.0: 1.6, 0.05: 4.0, 0.25: 4.0, 1.0: 1.0},
}


@pytest.mark.parametrize(("kind", "ground"), BY_HAND)
def test_ordinates_of_en_1998_1(kind, ground):
    target = en_1998_1(2.5, ground, kind)
    known = BY_HAND[kind, ground]
    np.testing.assert_allclose(target.at(list(known)), 2.5 * np.array(list(known.values())), rtol=TABLE)


def test_vertical_spectrum():
    # 0.9 a_g x 3 between 0.05 and 0.15 s; type 2 half of it
    target = en_1998_1(2.0, "D", vertical=True)
    np.testing.assert_allclose(target.at([0.0, 0.1, 0.3, 2.0]), [1.8, 5.4, 2.7, 0.2025], rtol=TABLE)
    np.testing.assert_allclose(
        en_1998_1(2.0, "A", 2, vertical=True).at([0.0, 0.1]), target.at([0.0, 0.1]) / 2, rtol=TABLE
    )


@pytest.mark.parametrize(
    ("damping", "factor"), [(0.05, 1.0), (0.02, sqrt(10 / 7)), (0.1, sqrt(10 / 15)), (0.5, 0.55)]
)
def test_damping_correction(damping, factor):
    target = en_1998_1(1.0, "A", damping=damping)
    np.testing.assert_allclose(target.at([0.0, 0.2, 1.0]), [1.0, 2.5 * factor, factor], rtol=TABLE)
    assert target.damping == damping


def test_between_the_points_of_the_rising_branch():
    target = en_1998_1(1.0, "C")
    periods = np.linspace(0.0, 0.2, 777)
    np.testing.assert_allclose(target.at(periods), 1.15 * (1 + 1.5 * periods / 0.2), rtol=TABLE)


@pytest.mark.parametrize(("kind", "ground"), BY_HAND)
def test_spectrum_is_continuous(kind, ground):
    target = en_1998_1(1.0, ground, kind)
    for corner in HORIZONTAL[kind][ground][1:]:
        before, after = target.at([corner * (1 - 1e-9), corner * (1 + 1e-9)])
        assert before == pytest.approx(after, rel=1e-7)


def test_table_is_straight_in_logarithms():
    target = TargetSpectrum([0.1, 1.0, 10.0], [1.0, 10.0, 0.1])
    np.testing.assert_allclose(
        target.at([0.1, 10**-0.5, 10**0.5, 10.0]), [1.0, 10**0.5, 1.0, 0.1], rtol=1e-12
    )
    assert not target.periods.flags.writeable


def test_reads_a_table(tmp_path):
    path = tmp_path / "site.csv"
    path.write_text("# uniform hazard, 475 years\nT (s); Sa (g)\n0; 0.2\n0.1; 0.5\n1.0; 0.25\n")
    target = read_target(path, "g", damping=0.03)
    assert target.periods.tolist() == [0.0, 0.1, 1.0]
    np.testing.assert_allclose(target.accelerations, [1.96133, 4.903325, 2.4516625], rtol=1e-12)
    assert (target.name, target.damping) == ("site", 0.03)
    assert read_target(path, "g", name="rock").name == "rock"


@pytest.mark.parametrize(
    ("heads", "unit", "rows", "factor"),
    [
        ("period [s], sa [m/s2]", None, "0.1,2\n0.5,5", 1.0),
        ("# T (s)   Sa (g)", None, "0.1 2\n0.5 5", 9.80665),
        ("Period (s)  Spectral acceleration (cm/s^2)", "gal", "0.1 2\n0.5 5", 0.01),
        ("period [ms];sa [g]", "g", "100;2\n500;5", 9.80665),
        ("period [s];sa [g]", None, "0,1;2,0\n0,5;5,0", 9.80665),
        ("frequency [Hz], sa [g]", None, "2,5\n10,2", 9.80665),
        ("f, sa_g", None, "10,2\n2,5", 9.80665),
        ("sa [m/s2], period [s]", None, "2,0.1\n5,0.5", 1.0),
        ("a title\nperiod, sa\ns, g", None, "0.1,2\n0.5,5", 9.80665),
    ],
)
def test_units_are_those_that_the_line_of_names_says(tmp_path, heads, unit, rows, factor):
    path = tmp_path / "site.csv"
    path.write_text(f"{heads}\n{rows}\n")
    target = read_target(path, unit)
    np.testing.assert_allclose(target.periods, [0.1, 0.5], rtol=1e-12)
    np.testing.assert_allclose(target.accelerations, [2 * factor, 5 * factor], rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "unit", "message"),
    [
        ("0 1\n1 2", "ft/s", "unit of the acceleration must be one of .*, got 'ft/s'"),
        ("0 1 2\n1 2 3", "g", "site.csv, line 1: expected 2 columns, period and acceleration, got 3"),
        ("0 1\n0.5 2\n0.4 3", "g", "site.csv, line 3: the period does not increase: 0.4 s after 0.5 s"),
        ("0 1\n0.5 -2", "g", r"site.csv: target spectrum 'site': accelerations must be finite and > 0"),
        ("0 1\n0.5 1e308", "g", r"accelerations must be finite and > 0 \[m/s2\], got 9.80665, inf"),
        ("0 1\n0.5 two", "g", "site.csv, line 2, column 2: expected a number"),
        ("period [s], sa [m/s2]\n1,2\n2,3", "g", "the column names say 'm/s2', but the unit given is 'g'"),
        ("period [s], sd [cm]\n1,2\n2,3", None, "must be one of m/s2.*says 'cm'"),
        ("period [s], sa\n1,2\n2,3", None, "no line names it and none is given; name it in the first line"),
        ("# 5 % damping, periods in s\n1,2\n2,3", "g", "its line of names says 's'"),
        ("period [a], sa [g]\n1,2\n2,3", None, "periods must be in s or ms, or frequencies in Hz, got 'a'"),
        ("f [Hz], sa [g]\n0,2\n2,3", None, r"frequencies must be > 0 \[Hz\], got 0"),
        ("0 1", "g", "at least 2 lines of numbers are needed"),
    ],
)
def test_refuses_what_is_no_table(tmp_path, text, unit, message):
    path = tmp_path / "site.csv"
    path.write_text(text)
    with pytest.raises(MotionError, match=message):
        read_target(path, unit)


# RG 1.60, tables I and II: damping [%], factors at 9 Hz and 2.5 (3.5) Hz, factor of the displacement of 36 in
RG_1_60_AS_PRINTED = [
    (False, 0.5, 4.96, 5.95, 3.20),
    (False, 2, 3.54, 4.25, 2.50),
    (False, 5, 2.61, 3.13, 2.05),
    (False, 7, 2.27, 2.72, 1.88),
    (False, 10, 1.90, 2.28, 1.70),
    (True, 0.5, 4.96, 5.67, 2.13),
    (True, 2, 3.54, 4.05, 1.67),
    (True, 5, 2.61, 2.98, 1.37),
    (True, 7, 2.27, 2.59, 1.25),
    (True, 10, 1.90, 2.17, 1.13),
]


@pytest.mark.parametrize(("vertical", "percent", "high", "top", "displacement"), RG_1_60_AS_PRINTED)
def test_control_points_of_rg_1_60(vertical, percent, high, top, displacement):
    target = rg_1_60(2.0, percent / 100, vertical)
    corner = 3.5 if vertical else 2.5
    np.testing.assert_allclose(
        target.at([0, 1 / 33, 1 / 9, 1 / corner]), [2, 2, 2 * high, 2 * top], rtol=1e-12
    )
    # of displacement 36 in for 1 g from 0.25 Hz down: Sa = omega^2 Sd
    inches = target.at([4.0, 10.0]) / (2 * np.pi / np.array([4.0, 10.0])) ** 2 / 0.0254
    np.testing.assert_allclose(inches * 9.80665 / 2.0, 36 * displacement, rtol=1e-12)


def test_rg_1_60_between_its_dampings():
    half = rg_1_60(1.0, 0.06).at([1 / 9, 0.4])
    np.testing.assert_allclose(half, [(2.61 + 2.27) / 2, (3.13 + 2.72) / 2], rtol=1e-12)


def ac156_by_constants(frequency, flexible, rigid):
    """The spectrum by the constants of a laboratory's program: an independent implementation."""
    k1, n1, n2 = 0.79015395365231482071, 0.89771171750262309292, 0.71978596791944049081
    slope = n2 * np.log(flexible / rigid)
    pieces = [k1 * flexible * frequency**n1, flexible + 0 * frequency, rigid * (33.3 / frequency) ** slope]
    return np.select([frequency <= 1.3, frequency <= 8.3, frequency <= 33.3], pieces, rigid)


@pytest.mark.parametrize(
    ("height", "vertical", "flexible", "rigid"),
    [(0, False, 1.0, 0.4), (0.2, False, 1.4, 0.56), (1, False, 1.6, 1.2), (1, True, 0.67, 0.27)],
)
def test_required_spectrum_of_ac156(height, vertical, flexible, rigid):
    frequency = np.geomspace(0.1, 50, 331)
    found = ac156(2.0, height, vertical).at(1 / frequency)
    np.testing.assert_allclose(found, 2 * ac156_by_constants(frequency, flexible, rigid), rtol=1e-12)
