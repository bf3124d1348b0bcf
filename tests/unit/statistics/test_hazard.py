"""Hazard curves and their files."""

import json
import re
from pathlib import Path

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
def made(tmp_path):
    def write(text, name="h"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
        return path

    return write


@pytest.fixture
def hazard(made):
    return lambda text: made(text, "h.csv")


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
        ("1e-5", "0", r"line 5: an annual rate must be > 0 \[per year\]: leave such lines out"),
        ("1e-5", "2e-3", "line 5: what is exceeded more often must not be stronger"),
        ("1e-3, 2e-3", "1e308, 1e308", r"line 4: an annual rate must be <= 10000 \[per year\]"),
        ("0.5,", "8e299,", r"line 5: intensities must be <= 1000 g: what is the unit"),
        ("3e-5", "1e-6", "line 5: fractile curves cross"),
        ("1e-5, 3e-5", "1e-6, 3e-5", "line 5: the mean is below the fractile 0.16"),
        ("0.5, 1e-5, 3e-5, 2e-6\n", "", "expected a line of names and at least 2 of numbers"),
        ("0.1, 1e-3", '"0.1, 1e-3', "line 4: expected 4 numbers"),
        ("0.5, 1e-5", "9" * 200_000, "no table"),
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


# OpenQuake manual, "Outputs from Classical PSHA", with its numbers; {} are kind, time and measure
OPENQUAKE = """\
#,,,,,"generated_by='OpenQuake engine 3.18.0', start_date='2023-10-03T06:09:08', checksum=2107362341, {}"
lon,lat,depth,poe-0.1000000,poe-0.4000000,poe-0.6000000
0.00000,0.00000,-0.10000,4.553860E-01,5.754042E-02,6.354511E-03
0.10000,0.00000,-0.10000,1.522632E-01,1.000000E-03,0.000000E+00
"""
SAID = "kind='{}', investigation_time={}, imt='{}'"
LEVELS, PROBABILITY = [0.1, 0.4, 0.6], [0.4553860, 0.05754042, 0.006354511]
# what the service of EFEHR answers for ESHM20: a saPeriod although the curve is of PGA, and a quantileValue
# although it is the mean
EFEHR = """\
<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<ns2:nrml xmlns:ns2="http://openquake.org/xmlns/nrml/0.3" xmlns:ns1="http://www.opengis.net/gml">
  <ns2:hazardResult ns1:id="gml_id_1"><ns2:config>
    <ns2:hazardProcessing saDamping="0.05" saPeriod="0.1" IDmodel="ESHM20" investigationTimeSpan="50.0"/>
  </ns2:config>
  <ns2:hazardCurveField quantileValue="0.5" statistics="mean" ns1:id="gml_id_2">
    <ns2:IML IMT="PGA">0.1 0.4 0.6</ns2:IML>
    <ns2:HCNode ns1:id="gml_id_3">
      <ns2:site><ns1:Point srsName="4326"><ns1:pos>0.0 0.0</ns1:pos></ns1:Point></ns2:site>
      <ns2:hazardCurve><ns2:poE>0.4553860 0.05754042 0.006354511</ns2:poE></ns2:hazardCurve>
    </ns2:HCNode>
  </ns2:hazardCurveField></ns2:hazardResult>
</ns2:nrml>
"""
NRML = """\
<?xml version='1.0' encoding='UTF-8'?>
<nrml xmlns:gml="http://www.opengis.net/gml" xmlns="http://openquake.org/xmlns/nrml/0.4">
  <hazardCurves statistics="quantile" quantileValue="0.15" IMT="SA" investigationTime="50.0" saPeriod="0.025">
    <IMLs>0.005 0.007 0.0098</IMLs>
    <hazardCurve><gml:Point><gml:pos>38.0 -20.1</gml:pos></gml:Point><poEs>0.3 0.2 0.1</poEs></hazardCurve>
    <hazardCurve><gml:Point><gml:pos>38.2 -20.3</gml:pos></gml:Point><poEs>0.4 0.3 0.2</poEs></hazardCurve>
  </hazardCurves>
</nrml>
"""
RATES = {"PGA": [0.5, 1e-2, 1e-4], "SA0P2": [0.6, 2e-2, 3e-4], "PGV": [0.4, 3e-2, 2e-3]}
USGS = {
    "response": {
        "hazardCurves": [
            {
                "imt": {"value": imt, "display": imt},
                "data": [
                    {"component": "Total", "values": {"xs": LEVELS, "ys": rates}},
                    {"component": "Grid", "values": {"xs": LEVELS, "ys": [each / 2 for each in rates]}},
                ],
            }
            for imt, rates in RATES.items()
        ]
    }
}
USGS_OLD = {
    "response": [
        {
            "metadata": {"imt": {"value": imt}, "latitude": 34.05, "longitude": -118.25, "xvalues": LEVELS},
            "data": [{"component": "Total", "yvalues": rates}, {"component": "Fault", "yvalues": rates}],
        }
        for imt, rates in RATES.items()
    ]
}
NSHMP = "name,lon,lat,0.1,0.4,0.6\nLos Angeles CA,-118.25,34.05,{}\nReno NV,-119.8,39.5,1e-2,1e-3,0.0\n"


BETWEEN = r"the investigation time must lie between 0.01 and 1e\+06 \[a\]"
LARGE = r"intensities must be <= 1000 g|(PGA|line 1): expected a number, got"


def openquake(kind="mean", years="50.0", imt="PGA", **numbers):
    text = OPENQUAKE.format(SAID.format(kind, years, imt))
    for old, new in numbers.values():
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize("years", [1, 50])
def test_a_probability_in_years_is_no_annual_rate(made, years):
    found = load_hazard(made(openquake(years=f"{years}.0")), site="0,0")
    np.testing.assert_allclose(found["rate"].sel(hazard="mean"), -np.log(1 - np.array(PROBABILITY)) / years)
    np.testing.assert_allclose(found["hazard_intensity"], np.array(LEVELS) * 9.80665)
    assert found.attrs["measure"] == "pga"
    assert found.attrs["reading"] == f"probabilities in {years} year{'s' * (years > 1)}"


def test_fractiles_come_from_files_of_their_own(made):
    high = openquake("quantile-0.84", first=("4.553860E-01,5.754042E-02", "5.5E-01,6.7E-02"))
    files = [made(openquake(), "mean"), made(high, "high")]
    found = load_hazard(files, site="0,0", measure="pga_rotd50")
    assert found["hazard"].values.tolist() == ["mean", "0.84"]
    np.testing.assert_allclose(1 - np.exp(-50 * found["rate"].sel(hazard="0.84"))[0], 0.55)
    assert found.attrs["measure"] == "pga_rotd50"  # the files do not say of which component
    assert load_hazard(files, site="0,0", measure="pgv").attrs["measure"] == "pga"  # refused where it is used


def test_a_certain_fractile_keeps_the_row_of_the_mean(made):
    high = openquake("quantile-0.84", one=("4.553860E-01,5.754042E-02", "1.000000E+00,6.7E-02"))
    found = load_hazard([made(openquake(), "mean"), made(high, "high")], site="0,0")
    mean = load_hazard(made(openquake()), site="0,0")
    np.testing.assert_array_equal(found["rate"].sel(hazard="mean"), mean["rate"].sel(hazard="mean"))
    assert 0.5 < float(found["rate"].sel(hazard="0.84")[0]) < np.inf


def test_files_from_a_spreadsheet_with_decimal_commas(made):
    written = re.sub(r"(?m)^([^#].*)$", lambda row: row[1].replace(",", ";").replace(".", ","), openquake())
    assert "0,10000;0,00000" in written
    xr.testing.assert_identical(
        load_hazard(made(written), site="0,0"), load_hazard(made(openquake()), site="0,0")
    )


def test_what_is_certain_or_never_exceeded_is_left_out(made):
    found = load_hazard(made(openquake(one=("4.553860E-01", "1.000000E+00"))), site="0,0")
    assert found.sizes["hazard_intensity"] == 2
    with pytest.raises(HazardError, match="expected at least 2 intensities exceeded"):
        load_hazard(made(openquake(one=("1.522632E-01", "1.000000E+00"))), site="0.1,0")


def test_nrml_of_efehr_is_the_same_as_csv_of_openquake(made):
    csv, xml = load_hazard(made(openquake()), site="0,0"), load_hazard(made(EFEHR, "h.xml"))
    xr.testing.assert_identical(csv.drop_attrs(), xml.drop_attrs())
    assert (csv.attrs["measure"], csv.attrs["site"]) == (xml.attrs["measure"], xml.attrs["site"])


def test_nrml_of_spectral_accelerations(made):
    low = made(NRML, "low")
    mean = made(NRML.replace('statistics="quantile" quantileValue="0.15"', 'statistics="mean"'), "mean")
    found = load_hazard([low, mean], site="38.2,-20.3")
    assert (found.attrs["measure"], found["hazard"].values.tolist()) == ("sa_0p025s", ["0.15", "mean"])
    np.testing.assert_allclose(1 - np.exp(-50 * found["rate"].sel(hazard="mean")), [0.4, 0.3, 0.2])
    with pytest.raises(HazardError, match=r"low: expected the mean once, .*, got 0\.15; the mean rate"):
        load_hazard(low, site="38,-20.1")


def test_all_files_of_the_usgs_are_the_same_annual_rates(made):
    for imt, measure, unit in (("PGA", "pga", 9.80665), ("SA0P2", "sa_0p2s", 9.80665), ("PGV", "pgv", 0.01)):
        csv = made(NSHMP.format(",".join(map(str, RATES[imt]))), f"{imt}/total.csv")
        expected = {"rate": (("hazard", "hazard_intensity"), [RATES[imt]])}
        for found in (
            load_hazard(made(USGS), measure=measure),
            load_hazard(made(USGS_OLD), measure=measure, site="-118.3,34.1"),
            load_hazard(csv, measure=measure, site="los angeles ca"),
        ):
            assert (found.attrs["measure"], found.attrs["reading"]) == (measure, "annual rates")
            np.testing.assert_array_equal(found["rate"], expected["rate"][1])
            np.testing.assert_allclose(found["hazard_intensity"], np.array(LEVELS) * unit)
    asked = load_hazard(
        csv, site="Reno NV", years=50.0
    )  # nshmp-haz can write probabilities, and does not say so
    np.testing.assert_allclose(1 - np.exp(-50 * asked["rate"][0]), [1e-2, 1e-3])


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            openquake(),
            {},
            r"h: has 2 sites; choose one \(--site\) by its name or LON,LAT: \(0, 0\), \(0\.1, 0\)$",
        ),
        (openquake(), {"site": "1.1,0"}, r"no site within 15 km of .* nearest is \(0\.1, 0\), 111 km away"),
        (openquake(t=("0.10000", "40.0")), {"site": "0,40"}, "is it LAT,LON. Give longitude first: 40,0"),
        (openquake(), {"site": "Bern"}, "has no site 'Bern'; give one of its names, or LON,LAT"),
        (openquake(), {"site": "0,0", "years": 1.0}, "says that its probabilities are in 50 years, and"),
        (
            openquake(t=(", investigation_time=50.0", "")),
            {},
            "does not say in how many years its probabilities",
        ),
        (openquake(t=("imt='PGA'", "")), {}, "does not name the measure, as imt='PGA'"),
        (openquake(imt="MMI"), {}, "the curve is of 'MMI', none of PGA, PGV, PGD and SA"),
        (openquake("rlz-003"), {}, "the curve is one branch of the logic tree"),
        (openquake("max"), {}, "the curve is 'max'; expected the mean or a quantile"),
        (openquake("quantile-0.5"), {"site": "0,0"}, r"expected the mean once, .* got 0\.5; the mean rate"),
        (
            openquake(r=("5.754042E-02", "5.754042E-01")),
            {"site": "0,0"},
            "h at 0.4 g: what is exceeded more often",
        ),
        (openquake(r=("5.754042E-02", "-1E-02")), {"site": "0,0"}, "h at 0.4 g: a probability must lie in"),
        (openquake(r=("5.754042E-02", "many")), {}, "h line 3: expected a number, got 'many'"),
        (openquake(r=(",6.354511E-03", "")), {}, "looks like a file of openquake, but"),
        (EFEHR.replace("poE>", "poX>"), {}, "a HCNode without poEs or poE"),
        (EFEHR.replace("</ns2:nrml>", ""), {}, "not XML"),
        ("<!DOCTYPE nrml>" + EFEHR.split("?>")[1], {}, "a document type is not read"),
        ("<errors><error>no such model</error></errors>", {}, "XML without hazardCurves; expected NRML"),
        (USGS, {}, "has curves of pga, sa_0p2s, pgv, say which"),
        (USGS, {"measure": "sa_1s"}, "has curves of pga, sa_0p2s, pgv, and the study's intensity is sa_1s"),
        (
            USGS,
            {"measure": "pga", "years": 50.0},
            "has annual frequencies of exceedance; leave --hazard-years",
        ),
        (USGS, {"measure": "pga", "site": "0,0"}, "does not say where its site is; leave out the site "),
        (json.dumps(USGS).replace("[0.5,", f"[1{'0' * 400},"), {}, "looks like a file of json, but is not"),
        ("[" * 9000, {}, "looks like a file of json, but is not as documented"),
        ({"status": "error"}, {}, "looks like a file of json, but is not as documented"),
        (NSHMP.format("1,2,3"), {}, "a file of nshmp-haz says in no line what it is of"),
        (json.dumps(USGS).replace("[0.5,", "[1e308,"), {"measure": "pga"}, r"must be <= 10000 \[per year\]"),
        *((openquake(years=years), {"site": "0,0"}, BETWEEN) for years in ("1e-300", "inf", "0")),
        *((EFEHR.replace("0.4 0.6", f"0.4 {wrong}"), {}, LARGE) for wrong in ("inf", "8e299", "nan")),
        *(
            (json.dumps(USGS).replace("0.6]", f"{wrong}]"), {"measure": "pga"}, LARGE)
            for wrong in ("Infinity", "8e299", "NaN")
        ),
    ],
)
def test_mistakes_are_one_message(made, text, options, message):
    with pytest.raises(HazardError, match=message) as error:
        load_hazard(made(text), **options)
    assert "\n" not in str(error.value)


def test_files_that_do_not_belong_together(made):
    mean = made(openquake(), "mean")
    own = made("pga [g],mean\n0.1,1e-2\n0.2,1e-3\n", "own.csv")
    late = made(openquake("quantile-0.16", years="1.0"), "late")
    steps = made(openquake("quantile-0.16", s=("poe-0.6", "poe-0.7")), "steps")
    zero = made(openquake("quantile-0.16", z=("6.354511E-03", "0")), "zero")
    for files, message in (
        ([mean, own], r"own\.csv: a file of your own has all curves of one site"),
        ([mean, mean], "expected the mean once"),
        ([mean, late], "late: other exposure times than in"),
        ([mean, steps], "steps: not a value at each of the intensities of"),
        ([mean, zero], r"at 0\.6 g: a fractile is 0 where the mean is not"),
        ([], "expected a hazard file, got none"),
    ):
        with pytest.raises(HazardError, match=message):
            load_hazard(files, site="0,0")
    with pytest.raises(HazardError, match=r"own\.csv: a file of your own"):
        load_hazard(own, site="0,0")
    with pytest.raises(HazardError, match="directory"):
        load_hazard(Path(mean).parent)
