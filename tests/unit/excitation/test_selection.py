"""Recordings for a site: correlation, conditional spectra, the match of a set, and what cannot be chosen."""

import csv
import io

import numpy as np
import pytest

from mcrock.excitation.motion import Motion, MotionError
from mcrock.excitation.selection import (
    Candidates,
    RecordLimits,
    Target,
    baker_jayaram_2008,
    candidates_of,
    conditional_spectrum,
    read_flat_file,
    read_target_table,
    select,
)

PERIODS = np.geomspace(0.05, 5.0, 20)
AT = PERIODS[12]


def test_correlation_is_symmetric_and_1_on_the_diagonal():
    table = baker_jayaram_2008(PERIODS[:, None], PERIODS)
    np.testing.assert_array_equal(table, table.T)
    np.testing.assert_allclose(np.diag(table), 1.0, rtol=1e-12)
    # by hand, above 0.109 s: 1 - cos(pi/2 - 0.366 ln(T2 / T1)) = 1 - sin(0.366 ln(T2 / T1))
    assert baker_jayaram_2008(0.2, 2.0) == pytest.approx(1 - np.sin(0.366 * np.log(10)), rel=1e-12)
    # in the branches below 0.109 s and from it to above 0.2 s
    by_hand = 1 - 0.105 * (1 - 1 / (1 + np.exp(3))) * 0.05 / 0.0701
    assert baker_jayaram_2008(0.03, 0.08) == pytest.approx(by_hand, rel=1e-12)
    c1 = 1 - np.sin(0.366 * np.log(1 / 0.109))
    c4 = c1 + 0.5 * (np.sqrt(c1) - c1) * (1 + np.cos(np.pi * 0.05 / 0.109))
    assert baker_jayaram_2008(1.0, 0.05) == pytest.approx(c4, rel=1e-12)


def test_conditional_spectrum_is_the_conditional_normal_distribution():
    """Mean and variance of one normal variable given another, of 400,000 draws near the condition."""
    rng, std = np.random.default_rng(3), np.array([0.6, 0.7, 0.65])
    t = np.array([0.3, 1.0, 2.0])
    draws = rng.multivariate_normal(np.zeros(3), baker_jayaram_2008(t[:, None], t), 400_000) * std
    near = draws[np.abs(draws[:, 1] - 1.5 * 0.7) < 0.02]
    aim = conditional_spectrum(t, np.zeros(3), std, 1.0, 1.5)
    np.testing.assert_allclose(near.mean(axis=0), aim.log_mean, atol=0.03)
    np.testing.assert_allclose(near.std(axis=0), aim.log_std, atol=0.02)
    assert aim.condition == 1
    assert aim.log_std[1] == 0


def drawn(number, per_event=10, seed=1):
    """Candidates of a wider and weaker population than the targets."""
    rng = np.random.default_rng(seed)
    correlation = baker_jayaram_2008(PERIODS[:, None], PERIODS)
    logs = np.log(0.8) - 0.9 * np.log(PERIODS / 0.3).clip(0) + rng.normal(0, 0.7, (number, 1))
    logs = logs + 0.75 * rng.multivariate_normal(np.zeros(20), correlation, number)
    events = [str(i // per_event) for i in range(number)]
    facts = {name: np.full(number, np.nan) for name in ("distance", "vs30")}
    facts["magnitude"] = rng.uniform(5, 8, number)
    return Candidates([str(i) for i in range(number)], events, facts, logs)


MEAN, STD = np.log(2.0) - 0.8 * np.log(PERIODS / 0.3).clip(0), np.full(20, 0.6)
UNIFORM = Target(periods=PERIODS, log_mean=MEAN, log_std=np.full(20, 0.3))


@pytest.mark.parametrize("aim", [UNIFORM, conditional_spectrum(PERIODS, MEAN, STD, AT, 1.2)])
def test_a_set_of_thirty_has_mean_and_spread_of_the_target(aim):
    candidates, limits = drawn(4000), RecordLimits(ranges={"magnitude": (6, 7.5)}, per_event=2)
    found = select(candidates, aim, 30, limits)
    assert np.abs(found.log_mean - aim.log_mean).max() < 0.03
    # 10 % is the tolerance of Baker and Lee (2018)
    assert (np.abs(found.log_std - aim.log_std) < 0.1 * np.maximum(aim.log_std, 0.3)).all()
    assert len(set(found.places)) == 30
    assert np.bincount(np.array(candidates.events, int)[found.places]).max() <= 2
    assert ((found.factors <= 4) & (found.factors >= 1 / 4)).all()
    magnitudes = candidates.facts["magnitude"][found.places]
    assert ((magnitudes >= 6) & (magnitudes <= 7.5)).all()
    scaled = candidates.log_spectra[found.places] + np.log(found.factors)[:, None]
    np.testing.assert_allclose(scaled.std(axis=0, ddof=1), found.log_std, rtol=1e-12, atol=1e-14)
    if aim.condition is not None:
        np.testing.assert_allclose(scaled[:, aim.condition], aim.log_mean[aim.condition], rtol=1e-12)


def test_what_cannot_be_chosen_says_what_each_limit_leaves():
    few = drawn(40)
    with pytest.raises(MotionError, match=r"30 recordings cannot .*: of 40 candidates scale factor leaves"):
        select(few, UNIFORM, 30, RecordLimits(ranges={"magnitude": (7.9, 8)}))
    with pytest.raises(MotionError, match=r"and 4 with at most 1 of an earthquake; widen"):
        select(few, UNIFORM, 30, RecordLimits(per_event=1, largest_factor=1e9))
    with pytest.raises(MotionError, match=r"no recording says its vs30, which is asked to be 300 to 800"):
        select(few, UNIFORM, 5, RecordLimits(ranges={"vs30": (300, 800)}))


# Headers, less some columns, as they are in the flat file of NGA-West2 (RotD50, 5 %), where cells have two
# lines and semicolons and names come twice, in that of ESM of 2018, and in an answer of the service of ESM
NGA_HEAD = (
    "Record Sequence Number,EQID,Earthquake Name,YEAR,MODY,HRMN,Station Name,Station Sequence Number,"
    "Station ID  No.,Earthquake Magnitude,Magnitude Type,Mo (dyne.cm),"
    "Coseismic Surface Rupture: 1=Yes; 0=No;    -999=Unknown,Slip Rate (mm/Yr),EpiD (km),HypD (km),"
    "Joyner-Boore Dist. (km),Campbell R Dist. (km),RmsD (km),ClstD (km),Rx,Unused Column,D,Unused Column,T,"
    "GMX's C1,Vs30 (m/s) selected for analysis,Column Not Used,File Name (Horizontal 1),"
    "Lowest Usable Freq - Ave. Component (Hz),PGA (g),PGV (cm/sec),PGD (cm),T0.010S,T0.095S,T0.100S,T0.500S,"
    'T1.000S,T1.100S,T20.000S,Ave Strike (deg),TYPE(CRjb = 0),CRjb,"TYPE\n(CRjb = 2)",CRjb,'
    '"TYPE\n(CRjb = 5)",CRjb,'
    "U,IDPv4,XCI,XCI1,Damping (%),RotD percentile,Quality_Flag,Late P-trigger,Idirectivity,Tp,Ry 2"
)
ESM_HEAD = (
    "event_id;event_time;ISC_ev_id;USGS_ev_id;INGV_ev_id;EMSC_ev_id;ev_nation_code;ev_latitude;ev_longitude;"
    "ev_depth_km;ev_hyp_ref;fm_type_code;ML;ML_ref;Mw;Mw_ref;Ms;Ms_ref;EMEC_Mw;EMEC_Mw_type;EMEC_Mw_ref;"
    "event_source_id;network_code;station_code;location_code;instrument_code;proximity_code;ec8_code;"
    "vs30_m_sec;vs30_ref;slope_deg;vs30_m_sec_WA;epi_dist;epi_az;JB_dist;rup_dist;U_hp;U_pga;rotD50_pga;"
    "U_T90;rotD50_T90;U_T0_100;rotD50_T0_010;rotD50_T0_100;rotD50_T0_500;rotD50_T1_000;rotD50_T10_000;"
    "rotD100_T0_100"
)
URL_HEAD = (
    "esm_event_id,event_time,isc_event_id,ev_nation_code,,ev_located_code,fm_type_code,ml,mw,mw_ref,emec_mw,"
    "network_code,station_code,location_code,channel_code,vs30_m_s,ec8_code,vs30_m_s_wa,epi_dist,jb_dist,"
    "rotd50_pga,rot_d00_t90,u_t0_100,rotd50_t0_010,rotd50_t0_100,rotd50_t0_500,rotd50_t1_000,rotd50_t10_000"
)


def row(head, missing, **cells):
    """A line with cells under the names of a header."""
    mark = ";" if head.startswith("event_id;") else ","
    names = next(csv.reader(io.StringIO(head, newline=""), delimiter=mark))
    assert set(cells) <= set(names)
    return mark.join(str(cells.get(name, missing)) for name in names)


def nga(number, event, **cells):
    known = {"Record Sequence Number": number, "EQID": event, "Earthquake Magnitude": 6.5, "ClstD (km)": 12}
    known |= {"Vs30 (m/s) selected for analysis": 300, "T0.100S": 0.5, "T0.500S": 0.4, "T1.000S": 0.2}
    return row(NGA_HEAD, -999, **known | cells)


NGA = "\n".join(
    [NGA_HEAD, nga(1, 7), nga(2, 7, **{"T0.500S": -999}), nga(3, 8, Tp=3.1, **{"ClstD (km)": -999})]
)


def test_a_flat_file_of_nga_west2(tmp_path):
    (tmp_path / "nga.csv").write_text(NGA, encoding="utf-8-sig")
    with pytest.warns(UserWarning, match=r"nga\.csv: rows without .* 0\.1 to 1 s are left out, of lines 5$"):
        found = read_flat_file(tmp_path / "nga.csv", [0.1, np.sqrt(0.05), 1.0])
    assert (found.names, found.events) == (["1", "3"], ["7", "8"])
    wanted = [0.5, np.sqrt(0.5 * 0.4), 0.2]
    np.testing.assert_allclose(np.exp(found.log_spectra[0]) / 9.80665, wanted, rtol=1e-12)
    np.testing.assert_array_equal(found.facts["distance"], [12_000, np.nan])
    np.testing.assert_array_equal(found.facts["pulse"], [np.nan, 3.1])
    for text, periods, words in (
        (NGA.replace("EQID", "quake"), [0.1, 1], r": missing columns 'eqid', in capital or small letters"),
        ("a,b\n1,2\n", [0.1, 1], ": no columns of a spectrum"),
        (NGA, [0.1, 30], r": its spectra reach from 0\.01 to 20 s"),
        (NGA, [0.096, 20], r": no row has a whole spectrum from 0\.095 to 20 s"),
        (NGA.replace("0.5,", "0.5g,", 1), [0.1, 1], r", line 4, column 't0\.100s': .* number, got '0\.5g'"),
        (NGA.replace(",300,", ",3_0,", 1), [0.1, 1], r", line 4, column 'vs30 .*': .* number, got '3_0'"),
        (f'{NGA}"{"9" * 200_000}"', [0.1, 1], r": the reader 'flat file' could not .* field larger"),
        (f"{NGA},", [0.1, 1], r", line 6: expected \d+ cells as in its header, got \d+"),
    ):
        (tmp_path / "bad.csv").write_text(text)
        with pytest.raises(MotionError, match=rf"bad\.csv{words}"):
            read_flat_file(tmp_path / "bad.csv", periods)


@pytest.mark.parametrize(
    ("head", "cells"),
    [
        (ESM_HEAD, {"event_id": "IT-1", "Mw": 6.0, "vs30_m_sec": 300, "vs30_m_sec_WA": 700}),
        (ESM_HEAD, {"event_id": "IT-1", "EMEC_Mw": 6.0, "vs30_m_sec_WA": 300}),
        (URL_HEAD, {"esm_event_id": "IT-1", "mw": 6.0, "vs30_m_s": 300}),
        (URL_HEAD, {"esm_event_id": "IT-1", "emec_mw": 6.0, "vs30_m_s_wa": 300}),
    ],
)
def test_flat_files_of_esm(tmp_path, head, cells):
    spectrum, tenth = ("rotD50_T", "98,0665") if ";" in head else ("rotd50_t", 98.0665)
    values = {f"{spectrum}{t}": x for t, x in (("0_100", tenth), ("0_500", 49.03325), ("1_000", 9.80665))}
    known = {"network_code": "IT", "station_code": "AQU", "epi_dist": 20, **values}
    rows = [head, row(head, "", **known | cells), row(head, "", **cells)]  # the last without a spectrum
    (tmp_path / "esm.csv").write_text("\n".join(rows))
    with pytest.warns(UserWarning, match="left out, of lines 3$"):
        found = read_flat_file(tmp_path / "esm.csv", [0.1, 1.0])
    assert (found.names, found.events) == (["IT.AQU"], ["IT-1"])
    np.testing.assert_allclose(np.exp(found.log_spectra), [[0.980665, 0.0980665]], rtol=1e-12)
    assert {name: each.tolist() for name, each in found.facts.items()} == {
        "magnitude": [6.0],
        "distance": [20_000],
        "vs30": [300],
    }


def test_pulses_of_a_peer_download_are_known():
    grid = np.zeros((3, 400))
    grid[0] = np.sin(np.arange(400) / 10)
    motions = [Motion(grid, 0.01, "a", metadata={"pulse_period": 2.0}), Motion(grid, 0.01, "b")]
    np.testing.assert_array_equal(candidates_of(motions, [0.5]).facts["pulse"], [2.0, np.nan])
    assert "pulse" not in candidates_of(motions[1:], [0.5]).facts


@pytest.mark.parametrize("pulses", [True, False])
def test_recordings_with_a_pulse_or_without(pulses):
    few = drawn(400)
    with pytest.raises(MotionError, match="no recording says that it has a pulse"):
        select(few, UNIFORM, 5, RecordLimits(pulses=pulses))
    few.facts["pulse"] = np.where(np.arange(400) % 4, np.nan, 2.0)
    found = select(few, UNIFORM, 20, RecordLimits(pulses=pulses))
    assert ((found.places % 4 == 0) == pulses).all()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("period [s], median, sigma\n1,1,0.5\n2,1,0.5\n", "unit of the accelerations must be one of m/s2"),
        ("period [s], median [g], sigma\n1,1,0.5\n1,1,0.5\n", "the period does not increase"),
        ("period [s], median [g], sigma\n1,1\n2,1\n", "expected 3 columns"),
        ("period [s], median [g], sigma\n1,1,0.5\n2,-1,0.5\n", "accelerations > 0"),
        ("period [s], median [g], sigma\n1,x,0.5\n", "line 2, column 2: expected a number"),
    ],
)
def test_targets_that_are_none(tmp_path, text, words):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(MotionError, match=rf"t\.csv.*{words}"):
        read_target_table(tmp_path / "t.csv")


def test_a_condition_between_the_periods_of_a_table_is_met_there():
    """It was met at the nearest one: 1.0 s for 1.2 s. Between them mean and spread run in log(period)."""
    t, mean, std = np.array([0.5, 1.0, 2.0]), np.log([2.0, 1.0, 0.5]), np.array([0.4, 0.6, 0.8])
    aim = conditional_spectrum(t, mean, std, 1.2, 1.5)
    assert aim.condition is not None
    assert aim.periods.tolist() == [0.5, 1.0, 1.2, 2.0]
    share = np.log(1.2) / np.log(2.0)
    assert aim.log_mean[2] == pytest.approx(-np.log(1.2) + 1.5 * (0.6 + 0.2 * share))
    np.testing.assert_allclose(aim.log_mean[1], 1.5 * 0.6 * baker_jayaram_2008(1.0, 1.2))
    assert aim.log_std[2] == 0.0 < aim.log_std[1]
    for period in (0.49, 2.1):
        with pytest.raises(MotionError, match=f"condition of {period} s is beyond .* 0.5 to 2 s"):
            conditional_spectrum(t, mean, std, period, 1.0)
