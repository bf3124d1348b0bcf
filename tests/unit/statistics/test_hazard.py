"""Hazard files: what is read, in which units, and what is refused."""

import re

import numpy as np
import pytest
import xarray as xr

from mcrock.show.risk import format_hazard
from mcrock.statistics.hazard import HazardError, check_measure, load_hazard, question

GOOD = """\
# a site
PGA [g], mean, 0.84, 0.16

0.1, 1e-3, 2e-3, 4e-4
0.5, 1e-5, 3e-5, 2e-6
"""


@pytest.fixture
def hazard(tmp_path):
    def write(text):
        (tmp_path / "h.csv").write_text(text, encoding="utf-8")
        return tmp_path / "h.csv"

    return write


def test_a_file_is_read_in_the_units_of_datasets(hazard):
    found = load_hazard(hazard(GOOD))
    np.testing.assert_allclose(found["hazard_intensity"], [0.980665, 4.903325])
    assert found["hazard_intensity"].attrs["units"] == "m s-2"
    assert found["hazard"].values.tolist() == ["mean", "0.84", "0.16"]
    np.testing.assert_array_equal(found["rate"].sel(hazard="0.16"), [4e-4, 2e-6])
    assert found.attrs["measure"] == "pga"


@pytest.mark.parametrize(
    ("unit", "units", "size"),
    [
        ("m/s^2", "m s-2", 1),
        ("m/s2", "m s-2", 1),
        ("cm/s2", "m s-2", 0.01),
        ("m/s", "m s-1", 1),
        ("cm/s", "m s-1", 0.01),
        ("m", "m", 1),
        ("cm", "m", 0.01),
        ("s", "s", 1),
        ("1", "1", 1),
    ],
)
def test_units_are_those_of_the_first_line(hazard, unit, units, size):
    head, name = (f"im [{unit}]", "im") if unit == "1" else (f"SA(0.2) ({unit})", "sa_0p2s")
    found = load_hazard(hazard(f"{head},mean\n10,1e-2\n20,1e-3\n"))
    np.testing.assert_allclose(found["hazard_intensity"], [10 * size, 20 * size])
    assert (found["hazard_intensity"].attrs["units"], found.attrs["measure"]) == (units, name)


def test_probabilities_in_years_become_rates(hazard):
    found = load_hazard(hazard("pga [g],mean\n0.1,0.1\n0.5,0.02\n"), years=50)
    np.testing.assert_allclose(1 - np.exp(-50 * found["rate"].sel(hazard="mean")), [0.1, 0.02])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "PGA [g]",
            "PGA",
            r"line 2: the intensity needs a unit, one of m/s2, cm/s2, .*'PGA'.*must be as in 'pga \[g\]",
        ),
        ("PGA [g]", "PGA [furlong]", "line 2: the intensity needs a .*, got 'PGA .furlong.'; the first line"),
        ("PGA [g]", "SA(1)", r"needs a unit, .* got 'SA\(1\)'; write the unit in brackets"),
        ("PGA [g], mean,", "PGA [g]; mean;", r"line 2: a curve is .* between 0 and 1, got '0.84, 0.16'"),
        ("PGA [g], mean,", "PGA [g]\tmean,", "line 2: separate all columns by commas or all by semicolons"),
        ("mean", "median", "line 2: a curve is 'mean' or a fractile between 0 and 1, got 'median'"),
        ("mean", "0.5", "line 2: expected the curve 'mean' once"),
        ("0.16", "1.6", "line 2: a curve is 'mean' or a fractile between 0 and 1, got '1.6'"),
        ("1e-5, 3e-5", "1e-5", "line 5: expected 4 numbers, got"),
        ("1e-5", "many", "line 5: expected 4 numbers"),
        ("0.5,", "0.05,", r"line 5: intensities must be > 0 and rise \[m s-2\]"),
        ("0.5,", "0.1,", "line 5: intensities must be > 0 and rise"),
        ("0.1,", "0,", "line 4: intensities must be > 0 and rise"),
        ("1e-5", "0", r"line 5: an annual rate must be > 0 \[1/a\]: leave such lines out"),
        ("1e-5", "2e-3", "line 5: what is exceeded more often must not be stronger"),
        ("1e-3, 2e-3", "1e308, 1e308", r"line 4: an annual rate must be <= 10000 \[1/a\]"),
        ("0.5,", "8e299,", r"line 5: intensities must be <= 1000 g: what is the unit"),
        ("3e-5", "1e-6", "line 5: fractile curves cross"),
        ("1e-5, 3e-5", "1e-6, 3e-5", "line 5: the mean is below the fractile 0.16"),
        ("0.5, 1e-5, 3e-5, 2e-6\n", "", "expected a line of names and at least 2 of numbers"),
    ],
)
def test_mistakes_name_their_line(hazard, old, new, message):
    assert GOOD.count(old) == 1
    with pytest.raises(HazardError, match=message):
        load_hazard(hazard(GOOD.replace(old, new)))


def test_other_mistakes(hazard, tmp_path):
    with pytest.raises(HazardError, match=r"none\.csv: no such file"):
        load_hazard(tmp_path / "none.csv")
    (tmp_path / "latin.csv").write_bytes(b"caf\xe9")
    with pytest.raises(HazardError, match=r"latin\.csv: not a text file in UTF-8 \(byte 3\)"):
        load_hazard(tmp_path / "latin.csv")
    for wrong in (0, 1, 1.1):
        with pytest.raises(HazardError, match=r"line 2: a probability in 50 years must lie in \(0, 1\)"):
            load_hazard(hazard(f"pga [g],mean\n0.1,{wrong}\n0.5,0.02\n"), years=50)
    certain = load_hazard(hazard("pga [g],mean,0.84\n0.1,0.9,1\n0.5,0.02,0.03\n"), years=50)
    assert 0.5 < float(certain["rate"].sel(hazard="0.84")[0]) < np.inf
    for years in (0, -1, np.inf, np.nan):
        with pytest.raises(HazardError, match=r"years must lie between 0.01 and 1e\+06 \[a\], got"):
            load_hazard(hazard(GOOD), years=years)


def test_the_hazard_must_be_of_the_intensity_of_the_study(hazard):
    found = load_hazard(hazard(GOOD))
    pga = xr.DataArray(1.0, attrs={"units": "m s-2"})
    check_measure(pga, found, "pga")
    check_measure(pga, found, "intensity")
    with pytest.raises(
        HazardError,
        match=r"hazard is of pga \[m s-2\], and the study's intensity is sa_1s \[m s-2\]; for a cloud .*"
        r"`--measure pga`; .*by_measure\(with_measures\(ds, \['pga'\]\), 'pga'\)",
    ):
        check_measure(pga, found, "sa_1s")
    with pytest.raises(HazardError, match=r"the study's intensity is pgv \[m s-1\]"):
        check_measure(xr.DataArray(1.0, attrs={"units": "m s-1"}), found, "pgv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('pga [g],mean\n"0.1,0.01\n0.3,0.001\n', "line 2: expected 2 numbers"),
        (GOOD + "9" * 200_000, "no table"),
    ],
)
def test_a_broken_table_is_one_message(hazard, text, message):
    with pytest.raises(HazardError, match=message):
        load_hazard(hazard(text))


def test_lines_may_end_with_a_separator(hazard):
    ended = GOOD.replace(",", ";").replace("\n", ";\n")
    xr.testing.assert_equal(load_hazard(hazard(GOOD)), load_hazard(hazard(ended)))


def test_semicolons_go_with_decimal_commas(hazard):
    plain = load_hazard(hazard(GOOD))
    xr.testing.assert_equal(plain, load_hazard(hazard(GOOD.replace(",", ";").replace(".", ","))))


@pytest.mark.parametrize(
    ("name", "rows", "asked"),
    [
        ("pga [cm/s2]", "0.02,0.04\n0.068,0.0021\n0.2,0.0003", r"0.0005 g or less once in 3333 years.*unit"),
        ("pga [g]", "0.002,0.01\n0.005,0.0021\n0.02,0.0004", ""),  # of a stable craton
        ("sa_10s [g]", "2e-5,0.01\n1e-4,0.0021\n4e-4,0.0004", ""),
        ("sa_1s [cm/s2]", "0.02,0.04\n0.05,0.0021\n0.2,0.0003", "or less once in 3333 years"),
        ("pgv [m/s]", "1e-5,0.02\n1e-4,0.002", r"0.0005 m/s or less once in 500 years"),
        ("pga [g]", "0.1,0.18\n0.3,0.011", r"ends at 0.3 g once in 90.9 years.*--hazard-years"),
        ("pga [g]", "0.1,0.3\n0.5,0.02\n2,0.0005", r"0.5 g or more once in 50 years.*--hazard-years"),
        ("pga [g]", "0.1,0.1\n0.3,0.04\n0.5,0.012\n1,0.002", ""),  # of the most active ones
        ("sa_1s [g]", "0.1,0.1\n0.5,0.02\n2,0.0005", ""),
    ],
)
def test_a_wrong_unit_and_probabilities_taken_for_rates_are_asked_about(hazard, name, rows, asked):
    found = question(load_hazard(hazard(f"{name},mean\n{rows}\n")))
    assert re.search(asked, found) if asked else not found


@pytest.mark.parametrize(
    ("at", "often", "told", "asked"),
    [  # 10 % at 0.26 g is usual in 50 years, and nowhere in one
        (0.26, 0.1, "0.052 g once in 1.111 years", "0.2 g or more once in 10 years: .*probabilities"),
        (0.26, 1 / 475, "0.26 g once in 475 years", None),
        (26.0, 1 / 475, "26 g once in 475 years", "3 g or more once in 52.8 years: .*per cent of g"),
    ],
)
def test_two_return_periods_are_told_and_what_no_site_has_is_asked(hazard, at, often, told, asked):
    rows = (f"{at * part}, {rate}" for part, rate in ((0.2, 9 * often), (1, often), (9, often / 99)))
    found = load_hazard(hazard("\n".join(["pga [g], mean", *rows])))
    assert told in format_hazard(found)
    assert re.search(asked, question(found)) if asked else not question(found)
