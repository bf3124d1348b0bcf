"""Each format: what is read equals another reading of the file, and damage is refused with its place."""

# ruff: noqa: E501 -- a message stands on one line, as users see it

import re
from math import radians
from pathlib import Path

import numpy as np
import pytest

from mcrock.excitation.motion import MotionError
from mcrock.excitation.readers import READERS, read_records, scan_records
from mcrock.excitation.readers.read import detect
from mcrock.excitation.readers.text_file import TextFile

RECORDS = Path(__file__).parent / "records"
G = 9.80665
ESM = "esm/HI.ARS1..HNE.D.20190728.160908.C.ACC.ASC"
COSMOS = "cosmos/AKBMR--n.1000hyfh.BNE.--.acc.V2c"
V1A, V2A = "20161113_110313_THZ_20.V1A", "20161113_110259_WTMC_20.V2A"
AFAD = "20170720223109_4304.txt"
KNET = "knet/AKT0139608110312.EW"
EXAMPLES = {  # one file of each format
    "elcentro.AT2": "at2",
    "peer/RSN9763_SAMPLE_GIL067.AT2": "at2",
    ESM: "esm",
    KNET: "knet",
    "kiknet/AICH049608110312.UD2": "knet",
    COSMOS: "cosmos",
    "AKBMR.V1": "cosmos",
    V1A: "geonet",
    V2A: "geonet",
    "CE89146.V2": "csmip",
    "CE36456.V2": "csmip",
    "CICLC.v1": "csmip",
    "smc/0111a.smc": "smc",
    AFAD: "afad",
}


def numbers(name, first, last):
    """All decimal numbers in lines `first` to `last`, counted from 1, also where they touch."""
    lines = (RECORDS / name).read_text(encoding="utf-8").split("\n")[first - 1 : last]
    found = re.findall(r"[-+]?\d*\.\d+(?:[Ee][-+]\d+)?|[-+]?\d+(?!\.)", "\n".join(lines))
    return np.array(found, dtype=float)


def read_one(name, **options):
    motions = read_records(RECORDS / name, **options)
    assert len(motions) == 1
    return motions[0]


# file: lines of the samples of each component, factor to m/s2, time step, ground axes of the components
SAMPLES = {
    "elcentro.AT2": ([(5, 12)], G, 0.01, "x"),
    "peer/RSN9763_SAMPLE_GIL067.AT2": ([(5, 16)], G, 0.005, "x"),
    ESM: ([(65, 104)], 0.01, 0.005, "x"),
    COSMOS: ([(54, 78)], 0.01, 0.005, "x"),
    "AKBMR.V1": ([(54, 78), (133, 157), (212, 236)], G, 0.005, "xyz"),
    V1A: ([(27, 31), (58, 62), (89, 93)], 0.001, 0.005, "xyz"),
    V2A: ([(27, 31), (68, 72), (109, 113)], 0.001, 0.02, "xyz"),
    "CE89146.V2": ([(47, 51), (111, 115), (175, 179)], 0.01, 0.005, "yzx"),
    "CE36456.V2": ([(47, 52), (114, 119), (181, 186)], 0.01, 0.02, "xzy"),
    "CICLC.v1": ([(29, 33), (63, 68), (98, 103)], G, 0.01, "xyz"),
    "smc/0111a.smc": ([(36, 41)], 0.01, 0.005, "x"),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_equal_another_reading(name):
    blocks, factor, dt, axes = SAMPLES[name]
    motion = read_one(name)
    assert motion.dt == pytest.approx(dt, rel=1e-12)
    for (first, last), axis in zip(blocks, axes, strict=True):
        expected = factor * numbers(name, first, last)
        found = motion.acceleration["xyz".index(axis)]
        np.testing.assert_array_equal(found[: len(expected)], expected)
        assert not found[len(expected) :].any()
    for axis in set("xyz") - set(axes):
        assert not motion.acceleration["xyz".index(axis)].any()


def test_columns_of_afad():
    motion = read_one(AFAD)
    table = numbers(AFAD, 19, 43).reshape(25, 3)
    np.testing.assert_array_equal(motion.acceleration, 0.01 * table.T[[1, 0, 2]])  # E-W, N-S, U-D
    assert motion.dt == 0.01
    assert motion.metadata["place"] == "KüTAHYA GEDIZ METEOROLOJI MUDURLUGU"


@pytest.mark.parametrize("name", [KNET, "kiknet/AICH049608110312.UD2"])
def test_counts_of_knet_less_their_mean(name):
    """The largest acceleration that the header declares leaves out the offset of the recorder."""
    motion = read_one(name)
    counts = numbers(name, 18, 42)
    samples = motion.acceleration.sum(axis=0)  # of the only component
    np.testing.assert_allclose(samples, (counts - counts.mean()) * 0.01 * 2000 / 8388608, rtol=1e-12)
    declared = float((RECORDS / name).read_text().split("\n")[14].split()[-1])
    assert 100 * np.abs(samples).max() == pytest.approx(declared, abs=0.5e-3)
    assert motion.dt == 0.01
    assert f"mean of the counts removed ({counts.mean():.6g})" in motion.metadata["history"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_format_is_known_by_the_content(name, tmp_path):
    """Neither name nor ending of a file count, nor how its lines end."""
    file = TextFile.load(RECORDS / name)
    fitting = [key for key, reader in READERS.items() if reader.matches(file)]
    assert fitting == [EXAMPLES[name]]
    assert detect(file) is READERS[EXAMPLES[name]]
    other = tmp_path / "GIL067"  # PEER tells the direction by the name, if the header does not
    other.write_bytes((RECORDS / name).read_bytes().replace(b"\n", b"\r\n"))
    np.testing.assert_array_equal(read_records(other)[0].acceleration, read_one(name).acceleration)


@pytest.mark.parametrize(
    ("name", "unit", "known", "component", "azimuth_deg"),
    [
        ("elcentro.AT2", "g", "declared in the file", "180", 180),
        (ESM, "cm/s2", "declared in the file", "HNE", 90),
        (KNET, "gal", "fixed by the format", "E-W", 90),
        (COSMOS, "cm/s2", "declared in the file", "BNE", 90),
        ("AKBMR.V1", "g", "declared in the file", "BN1", 128),
        (V2A, "mm/s2", "declared in the file", "N28W", 332),
        (V1A, "mm/s2", "declared in the file", "S90E", 90),
        ("CE89146.V2", "cm/s2", "declared in the file", "90 Deg", 90),
        ("CICLC.v1", "g", "declared in the file", "90 Deg", 90),
        ("smc/0111a.smc", "cm/s2", "fixed by the format", "360", 0),
        (AFAD, "gal", "fixed by the format", "E-W", 90),
    ],
)
def test_unit_and_direction_are_told(name, unit, known, component, azimuth_deg):
    facts = read_one(name).metadata
    assert (facts["unit"], facts["unit_known"]) == (unit, known)
    assert facts["component_x"] == component
    assert facts["azimuth_x"] == pytest.approx(radians(azimuth_deg), abs=1e-12)


def test_facts_are_in_si_units():
    assert read_one(ESM).metadata["distance_epicentral"] == 88100.0
    assert read_one(V2A).metadata["distance_epicentral"] == 9000.0
    assert read_one("smc/0111a.smc").metadata["distance_epicentral"] == 89000.0
    for name, magnitude in ((ESM, 4.6), (V2A, 7.82), ("CE36456.V2", 6.5), (COSMOS, 7.0), (AFAD, 6.5)):
        assert read_one(name).metadata["magnitude"] == magnitude
    for name, year in (("elcentro.AT2", 1940), ("CE36456.V2", 1983), (COSMOS, 2018), (KNET, 1996)):
        assert read_one(name).metadata["year"] == year


def test_names():
    assert read_one("elcentro.AT2").name == "IMPERIAL VALLEY 1940, EL CENTRO ARRAY #9"
    assert read_one(ESM).name == "Greece 2019, HI.ARS1"
    assert read_one("kiknet/AICH049608110312.UD2").name == "AICH04 surface 1996-08-11 03:12:39"
    assert read_one(COSMOS).name == "Point MacKenzie Earthquake 2018, AK-BMR"
    assert read_one("CE36456.V2").name == "Coalinga Earthquake, Parkfield Fault Zone 14"
    assert read_one("smc/0111a.smc").name == "Loma Prieta, CA, San Francisco, 1295 Shafter, F"


@pytest.fixture
def change(tmp_path):
    """A copy of a file with a text replaced, or cut after a line."""

    def change(name, old=None, new="", keep=None, every=False):
        text = (RECORDS / name).read_text(encoding="utf-8")
        if old is not None:
            assert old in text, f"{name} has no {old!r}"
            text = text.replace(old, new, -1 if every else 1)
        if keep is not None:
            text = "\n".join(text.split("\n")[:keep]) + "\n"
        path = tmp_path / Path(name).name
        path.write_text(text, encoding="utf-8")
        return path

    return change


# file, its lines that are kept, line in the message, samples found, samples declared
TRUNCATED = [
    ("elcentro.AT2", 9, 9, 25, 40),
    (ESM, 70, 70, 6, 40),
    (KNET, 20, 20, 24, 200),
    (COSMOS, 60, 60, 7, 25),
    (V1A, 29, 29, 30, 45),
    (V2A, 34, 34, 30, 45),  # within the velocity
    (V2A, 70, 70, 30, 45),  # within the second component
    ("CE89146.V2", 49, 49, 24, 36),
    ("CICLC.v1", 100, 100, 24, 48),
    ("smc/0111a.smc", 38, 38, 24, 43),
    (AFAD, 21, 21, 9, 75),
]


@pytest.mark.parametrize(("name", "keep", "line", "found", "declared"), TRUNCATED)
def test_truncated_files_are_refused(change, name, keep, line, found, declared):
    path = change(name, keep=keep)
    message = f"{path}, line {line}: the samples end after {found} of the {declared} that the header declares"
    with pytest.raises(MotionError, match=re.escape(message)):
        read_records(path)


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("share", [0.15, 0.4, 0.7, 0.95])
def test_a_file_cut_anywhere_is_refused_or_not_known(change, name, share):
    lines = (RECORDS / name).read_text(encoding="utf-8").rstrip("\n").split("\n")
    path = change(name, keep=max(int(share * len(lines)), 1))
    scan = scan_records(path)
    assert not scan.motions
    assert scan.problems or scan.left_out
    assert all(str(path) in problem for problem in scan.problems)


NOT_A_NUMBER = [
    ("elcentro.AT2", "-.6403182E-02", "-.640?182E-02", 5),
    (ESM, "\n0.015623\n", "\nNaN\n", 66),
    (ESM, "\n0.015623\n", "\n0,015623\n", 66),
    (ESM, "\n0.015623\n", "\n0.01_5623\n", 66),
    (COSMOS, "\n   4.490444e-01", "\n         ******", 57),
    (V2A, "-1740.9", " 1740,9", 27),
    ("CE36456.V2", "    -3.038", "    ******", 47),
    ("smc/0111a.smc", "-2.2223E+0", "-2.2223F+0", 36),
    ("smc/0111a.smc", " 1.5057E+0", "       inf", 36),
    (AFAD, "-0.024476", "   abc   ", 20),
]


@pytest.mark.parametrize(("name", "old", "new", "line"), NOT_A_NUMBER)
def test_samples_that_are_no_numbers_are_refused(change, name, old, new, line):
    path = change(name, old, new)
    with pytest.raises(MotionError, match=re.escape(f"{path}, line {line}: expected a number, got")):
        read_records(path)


def rows_of(table):
    """File, what is replaced, by what, and what is said of it."""
    return [(name, *row.split(" => "), said) for name, rows in table.items() for row, said in rows.items()]


MISDECLARED = {
    "elcentro.AT2": {
        "NPTS=    40 => NPTS=    38": "line 12: the file goes on after 38 samples",
        "NPTS=    40 => NPTS=  4e1x": "line 4: NPTS must be a number > 0, got '4e1x'",
        "NPTS=    40 => NPTS=  40.5": "line 4: NPTS must be a whole number >= 2, got '40.5'",
        "DT= .01000 => DT= .00000": "line 4: DT [s] must be a number > 0, got '.00000'",
        "DT= .01000 => DT= ******": "line 4: expected the number of samples and the time step as in 'NPTS= 7999, DT= .0050 SEC', got",
        "NPTS=    40, DT= .01000 SEC => NPTS, DT  40 .01000": "line 4: expected the number of samples and the time step",
        "IN UNITS OF G. => IN UNITS OF FT/S.": "line 3: unit of the acceleration must be one of m/s2",
        "IN UNITS OF G. => ": "line 3: the header does not say the unit",
        "#9, 180 (USGS STATION 117) => #9": "line 2: the direction of the component is neither in",
    },
    ESM: {
        "NDATA: 40 => NDATA: 39": "line 104: the file goes on after 39 samples",
        "NDATA: 40 => NDATA: many": "line 30: NDATA must be a number > 0, got 'many'",
        "NDATA: 40\n => ": "line 63: the header ends here and has no line 'NDATA'",
        "UNITS: cm/s^2 => UNITS: cm/s": "line 33: UNITS must be one of m/s2, cm/s2",
        "STREAM: HNE => STREAM: ACC": "line 32: STREAM must be a direction such as N, N28W, 090, HNE or Up, got 'ACC'",
        "0.005000 => -0.005": "line 29: SAMPLING_INTERVAL_S must be a number > 0, got '-0.005'",
    },
    KNET: {
        "Duration Time(s)  2 => Duration Time(s)  1": "line 42: the file goes on after 100 samples",
        "100Hz => 100": "line 11: expected a frequency in Hz, got '100'",
        "2000(gal) => 2000(cm)": "line 14: expected a factor as in 2000(gal)/8388608, got '2000(cm)/8388608'",
        "/8388608 => /0": "line 14: expected a factor as in 2000(gal)/8388608, got '2000(gal)/0'",
        "E-W => E-N": "line 13: direction must be N-S, E-W, U-D or 1 to 6, got 'E-N'",
        "Mag.  => Mags ": "line 5: expected 'Mag.', got 'Mags",
    },
    COSMOS: {
        "      25 acc =>       24 acc": "line 78: the samples must end with a line 'End-of-data'",
        "cm/sec2(04) => counts(50)": "line 53: raw counts of the recorder (volume V0); get volume V1 or V2",
        "cm/sec2(04) => deg(25)": "line 53: unit of an acceleration must be one of g (02), cm/s2 (04)",
        "cm/sec2(04) => cm/sec2(02)": "line 53: the unit is 'cm/sec2' in words, but its code 02 means g",
        "cm/sec2(04) => g(04)": "line 53: the unit is 'g' in words, but its code 04 means cm/s2",
        "with 13 text lines => with 3 text lines": "line 1: the header has 3 lines of text, expected 13",
        "(1E15.6) => (free)": "line 53: expected a format such as (8f10.6)",
        "25 acceleration pts => xx acceleration pts": "line 53: expected a line that announces the data",
        " 100 Real-header =>  Real-header": "line 25: expected a line that says how many numbers follow",
    },
    V2A: {
        "mm/s/s at => g at": "line 14: expected a peak in mm/s/s",
        "Component N28W => Component ???": "line 13: component must be a direction such as",
        "      45      45      45 =>       45      45      40": "line 41: expected the title of a component",
    },
    "CE89146.V2": {"360 Deg => Radial": "line 1: no line such as 'Chan 1: 90 Deg' says the direction"},
    "CE36456.V2": {
        "EQUALLY SPACED AT  .020 SEC. => AT EQUAL STEPS.": "line 46: the time step is missing",
        "(UNITS: CM/SEC/SEC) => ": "line 46: the header does not say the unit",
    },
    "CICLC.v1": {"Accelerogram points at => pairs at": "no line announces the acceleration"},
    "smc/0111a.smc": {
        "        90       360 =>         45       360": "line 13: angle of the component from the vertical",
        "        43    -32768 =>         32    -32768": "line 41: the file goes on after 32 samples",
        "  0.2000000E+03 =>   0.1700000E+39": "line 18: the sampling rate [Hz] is unknown by the header",
        "|of October =>  of October": "line 32: expected a comment that begins with |",
        "      1989       291 =>       1989       abc": "line 12: number of the header must be a number",
    },
    AFAD: {
        "NUMBER OF DATA          : 25 => NUMBER OF DATA          : 24": "line 43: the file goes on after 72",
        "       N-S          E-W          U-D => ": "no line with the names of the columns N-S, E-W, U-D",
        "    0.009913     -0.024476  =>     0.009913": "line 20: expected 3 columns of numbers",
        "SAMPLING INTERVAL (sec) : 0.01\n => ": "line 16: the header ends here and has no line 'SAMPLING INTERVAL (sec)'",
    },
}


@pytest.mark.parametrize(("name", "old", "new", "message"), rows_of(MISDECLARED))
def test_misdeclared_content_is_refused(change, name, old, new, message):
    path = change(name, old, new, every=new == "Radial")
    with pytest.raises(MotionError, match=re.escape(message)) as refused:
        read_records(path)
    assert str(refused.value).startswith(f"{path}, line ")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("elcentro.AT2", "DT= .01000", "DT= 1e-300"), (ESM, "0.005000", "1e9"), (AFAD, ": 0.01", ": 1e-6")],
)
def test_time_steps_that_no_recorder_has_are_refused(change, name, old, new):
    path = change(name, old, new)
    with pytest.raises(MotionError, match=rf"^{path}: the time step must be .* >= 1e-05 and <= 1 \[s\], got"):
        read_records(path)


REMARKS = {
    ESM: {
        "160919.870 => 99": "the time '20190728_99' is not understood",
        "PGA_CM/S^2: 0.035614 => PGA_CM/S^2: 3.5614": "the largest sample is 0.0003561 m/s2, the file says 0.03561 m/s2",
        "DURATION_S: 0.195 => DURATION_S: 19.5": "40 samples of 0.005 s make 0.2 s, the file says 19.5 s",
    },
    "CE36456.V2": {
        "INTERVALS OF    .020 => INTERVALS OF    .010": "the time step is 0.02 s in one place of the file and 0.01 s in another",
        "INITIAL VELOCITY  =      .000 => INITIAL VELOCITY  =    -5.200": "the record begins with a velocity of -0.052 m/s by its header",
    },
    V2A: {
        "at 0.020 sec => at 0.005 sec": "the time step is 0.02 s in one place of the file and 0.005 s in another"
    },
    "smc/0111a.smc": {
        "        43    -32768 =>         43         1": "the file marks itself as having a problem"
    },
}


@pytest.mark.parametrize(("name", "old", "new", "remark"), rows_of(REMARKS))
def test_a_header_that_disagrees_with_the_samples_is_remarked(change, name, old, new, remark):
    path = change(name, old, new)
    with pytest.warns(UserWarning, match=re.escape(remark)):
        motion = read_records(path)[0]
    assert remark in motion.metadata["remarks"]


def test_other_quantities_are_no_records(change):
    for name, old, new, reason in (
        ("elcentro.AT2", "ACCELERATION TIME HISTORY", "VELOCITY TIME HISTORY", "a velocity time history"),
        (ESM, "DATA_TYPE: ACCELERATION", "DATA_TYPE: VELOCITY", "velocity"),
        ("smc/0111a.smc", "2 CORRECTED ACCELEROGRAM", "3 VELOCITY              ", "velocity"),
        (COSMOS, "25 acceleration pts", "25 velocity     pts", "corrected acceleration"),
        (
            "CE36456.V2",
            "CORRECTED ACCELEROGRAM",
            "RESPONSE AND FOURIER AMPLITUDE SPECTRA",
            "response and Fourier",
        ),
    ):
        path = change(name, old, new)
        with pytest.raises(MotionError, match=f"{path.name}: {reason}.*, no acceleration; known are"):
            read_records(path)


def test_a_vertical_of_cosmos_is_known_by_its_channel_name():
    """Its azimuth is 0 in files that were converted from SEED."""
    motion = read_one("cosmos/AKBMR--n.1000hyfh.BNZ.--.acc.V2c")
    assert motion.acceleration[2].any()
    assert motion.metadata["missing"] == "x, y"


def test_old_form_of_peer_counts(tmp_path):
    path = tmp_path / "A-ELC180.AT2"
    path.write_text(
        "PEER STRONG MOTION DATABASE RECORD\nBORREGO 04/09/68 0230, EL CENTRO ARRAY #9, 180\n"
        "ACCELERATION TIME HISTORY IN UNITS OF G\n    3   .00500  NPTS, DT\n .1 -.2E+0 3.E-1\n"
    )
    motion = read_records(path)[0]
    np.testing.assert_array_equal(motion.acceleration[0], np.array([0.1, -0.2, 0.3]) * G)
    assert (motion.dt, motion.name) == (0.005, "BORREGO 1968, EL CENTRO ARRAY #9")


def test_header_of_cosmos_as_california_writes_it(change):
    """Earthquake without a name, another word for record, format after the unit without a comma."""
    path = change(COSMOS, "Record of Point MacKenzie Earthquake of Fri Nov 30", "Rcrd of Fri Nov 30")
    text = path.read_text().replace(
        "units=cm/sec2(04),Format=(1E15.6)", "units=gal     (10)Format=(1E15.6)   "
    )
    path.write_text(text)
    motion = read_records(path)[0]
    assert motion.name == "Fri Nov 30, 2018 17:29 UTC, AK-BMR"
    assert motion.metadata["unit"] == "gal"


def test_vertical_of_cosmos_by_its_code(change):
    """Without a channel name the code of the direction counts: 400 is up, 401 down."""
    path = change(COSMOS, "|<SCNL>BMR.BNE.AK.--", "|")
    text = path.read_text()
    row = "    -999     900    -999      90"
    assert row in text
    for code, sign in ((400, 1), (401, -1)):
        path.write_text(text.replace(row, f"    -999     900    -999     {code}"))
        z = read_records(path)[0].acceleration[2]
        np.testing.assert_array_equal(z, sign * 0.01 * numbers(COSMOS, 54, 78))
    path.write_text(text.replace(row, "    -999     900    -999    -999"))
    with pytest.raises(MotionError, match=r"line 14: the direction of the channel, whole number 54, is -999"):
        read_records(path)


@pytest.mark.parametrize("name", EXAMPLES)
def test_damage_of_any_kind_is_refused_in_words(name, tmp_path):
    """Lines lost, doubled, cut, and letters changed, drawn 40 times: a reader reads, or says why not."""
    rng = np.random.default_rng(7)
    original = (RECORDS / name).read_text(encoding="utf-8").split("\n")
    path = tmp_path / Path(name).name
    for _ in range(40):
        lines = list(original)
        for i in rng.integers(0, min(len(lines) - 4, 60), size=3):
            line = lines[i]
            cut = int(rng.integers(0, len(line) + 1))
            wrong = str(rng.choice(list("x9-. (:,=")))
            lines[i] = [line[:cut], "", line[:cut] + wrong + line[cut + 1 :], f"{line}\n{line}"][
                rng.integers(4)
            ]
        path.write_text("\n".join(lines), encoding="utf-8")
        scan = scan_records(path)  # raises nothing
        assert bool(scan.motions) + bool(scan.problems) + bool(scan.left_out) == 1


@pytest.mark.parametrize("name", EXAMPLES)
def test_blank_lines_before_and_the_end_of_file_of_dos_after(name, tmp_path):
    path = tmp_path / "GIL067"
    path.write_bytes(b"\n \r\n" + (RECORDS / name).read_bytes().rstrip() + b"\n\x1a\n")
    np.testing.assert_array_equal(read_records(path)[0].acceleration, read_one(name).acceleration)


def test_lines_are_counted_from_the_beginning_of_the_file(change):
    path = change("elcentro.AT2", "-.6403182E-02", "-.640?182E-02")
    path.write_text("\n\n" + path.read_text())
    with pytest.raises(MotionError, match=re.escape(f"{path}, line 7: expected a number, got")):
        read_records(path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<SCNL>BMR.BNE.AK.--    <AUTH> 2019/02/01 21:38:15.000", "<SCNL>"),  # nothing behind the mark
        (" 100 Integer-header", " ² Integer-header"),
    ],
)
def test_odd_headers_of_cosmos_are_read_or_refused_in_words(change, old, new):
    scan = scan_records(change(COSMOS, old, new))
    assert len(scan.motions) + len(scan.problems) == 1
    assert all("line " in problem for problem in scan.problems)


def test_number_of_comments_of_cosmos(change):
    text = (RECORDS / COSMOS).read_text()
    line = next(line for line in text.split("\n") if "omment line" in line)
    number = line.split()[0]
    path = change(COSMOS, line, line.replace(number, "²", 1))
    with pytest.raises(MotionError, match="expected a line that says how many comments follow"):
        read_records(path)


def test_an_exception_of_a_reader_is_a_problem_of_its_file(monkeypatch, tmp_path):
    """One file that a reader stumbles over does not end the reading of a folder."""

    def stumble(file):
        raise IndexError("list index out of range")

    for name in ("elcentro.AT2", "CE89146.V2"):
        (tmp_path / name).write_bytes((RECORDS / name).read_bytes())
    monkeypatch.setattr(READERS["csmip"], "read", stumble)
    scan = scan_records(tmp_path)
    assert len(scan.motions) == 1
    assert scan.problems == [
        f"{tmp_path / 'CE89146.V2'}: the reader 'csmip' could not understand the file "
        "(IndexError: list index out of range); is it damaged?"
    ]


# ----- PEER: titles, names of files, units


@pytest.fixture
def peer(tmp_path):
    """A file of PEER with a title, in g if nothing else is said."""

    def peer(title, name="a.AT2", unit="G", counts="NPTS=      3, DT=   .0050 SEC,"):
        path = tmp_path / name
        path.write_text(
            f"PEER NGA STRONG MOTION DATABASE RECORD\n{title}\nACCELERATION TIME SERIES IN UNITS OF {unit}\n"
            f"{counts}\n  .1000000E+00  -.2000000E+00   .3000000E+00\n"
        )
        return path

    return peer


def test_two_earthquakes_of_a_day_at_one_station_stay_apart(peer, tmp_path):
    place = "CONVICT CREEK, {} (CDMG STATION 54099)"
    peer(f"MAMMOTH LAKES 05/25/80 1634, {place.format('090')}", "I-CVK090.AT2")
    peer(f"MAMMOTH LAKES 05/25/80 1649, {place.format(180)}", "J-CVK180.AT2")
    assert [motion.metadata["missing"] for motion in read_records(tmp_path)] == ["y, z", "y, z"]
    peer(f"MAMMOTH LAKES 05/25/80 1634, {place.format(180)}", "I-CVK180.AT2")
    peer(f"MAMMOTH LAKES 05/25/80 1649, {place.format('090')}", "J-CVK090.AT2")
    motions = read_records(tmp_path)
    assert [motion.metadata["missing"] for motion in motions] == ["z", "z"]
    assert [motion.group for motion in motions] == [
        f"MAMMOTH LAKES 05/25/80 {time}, CONVICT CREEK" for time in (1634, 1649)
    ]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("NORTHRIDGE EQ 1/17/94, 12:31, SYLMAR - HOSP", "NORTHRIDGE EQ 1/17/94, 23:33, SYLMAR - HOSP"),
        ("MAMMOTH LAKES 05/25/80, CONVICT CREEK", "MAMMOTH LAKES 05/25/80, CONVICT CREEK"),  # by the files
    ],
)
def test_the_time_in_a_field_of_its_own_or_the_name_of_the_file_tells_them_apart(peer, tmp_path, one, two):
    for title, stem in ((one, "I-SYL"), (two, "J-SYL")):
        for component in ("090", "000"):
            peer(f"{title}, {component}", f"{stem}{component}.AT2")
    motions = read_records(tmp_path)
    assert [motion.metadata["missing"] for motion in motions] == ["z", "z"]
    assert motions[0].group != motions[1].group
    assert "12:31" not in motions[0].name


@pytest.mark.parametrize(
    ("component", "role", "azimuth_deg"),
    [
        *((name, "x", None) for name in ("LN", "TR", "L1", "T1", "XTE", "YLN", "HNX", "TRANSVERSE")),
        ("NS2", "x", 0),
        ("N 45 E", "x", 45),
        ("N 45 E (USGS)", "x", 45),
        ("090 corrected", "x", 90),
        *((name, "z", None) for name in ("V1", "ZUP", "UD2")),
    ],
)
def test_components_as_peer_calls_them(peer, component, role, azimuth_deg):
    facts = read_records(peer(f"L'Aquila_ Italy, 4/6/2009, Parking, {component}"))[0].metadata
    assert facts[f"component_{role}"] == component.partition(" (")[0].removesuffix(" corrected")
    azimuth = facts.get(f"azimuth_{role}")
    assert azimuth is None if azimuth_deg is None else azimuth == pytest.approx(radians(azimuth_deg))
    assert "remarks" not in facts


@pytest.mark.parametrize(
    ("name", "component"),
    [
        ("RSN848_LANDERS_CLW-LN.AT2", "LN"),
        ("RSN143_TABAS_TAB-L1.AT2", "L1"),
        ("RSN4480_L-AQUILA_GX066XTE.AT2", "XTE"),
        ("RSN5657_IWATE_IWTH25NS2.AT2", "NS2"),
        ("RSN1837_HECTOR_VFS-90.AT2", "90"),
        ("RSN8169_30190473_BKSAOHLE.AT2", "HLE"),
        ("RSN495_NAHANNI_S1010.AT2", "010"),
        ("RSN4863_65036-N.AT2", "N"),
    ],
)
def test_components_by_the_name_of_the_file(peer, name, component):
    assert read_records(peer("no title", name))[0].metadata["component_x"] == component


def test_a_component_of_unknown_name_is_horizontal_with_a_remark(peer):
    path = peer("Landers, 6/28/1992, Coolwater, QX")
    with pytest.warns(UserWarning, match="component QX: the name says no direction; taken as horizontal"):
        motion = read_records(path)[0]
    assert motion.metadata["component_x"] == "QX"
    for component in ("361", "1000", "???"):
        with pytest.raises(MotionError, match="line 2: the direction of the component is neither"):
            read_records(peer(f"Landers, 6/28/1992, Coolwater, {component}"))


@pytest.mark.parametrize(("date", "year"), [("11/03/02", 2002), ("5/19/40", 1940), ("1/17/1994", 1994)])
def test_years_of_two_digits(peer, date, year):
    assert read_records(peer(f"DENALI {date} 2212, TAPS, 047"))[0].metadata["year"] == year


@pytest.mark.parametrize(
    ("word", "factor"),
    [("CM/S2", 0.01), ("M/S2", 1.0), ("CM/SEC**2", 0.01), ("CM/SEC/SEC.", 0.01), ("GAL", 0.01)],
)
def test_units_of_peer(peer, word, factor):
    motion = read_records(peer("LANDERS 6/28/92 1158, COOLWATER, 090", unit=word))[0]
    np.testing.assert_allclose(motion.acceleration[0], factor * np.array([0.1, -0.2, 0.3]), rtol=1e-15)


def test_counts_without_their_words(peer):
    motion = read_records(peer("LANDERS 6/28/92 1158, COOLWATER, 090", counts="    3   .00500"))[0]
    assert (motion.dt, motion.acceleration.shape[1]) == (0.005, 3)
    with pytest.raises(MotionError, match="line 5: the samples end after 3 of the 4"):
        read_records(peer("LANDERS 6/28/92 1158, COOLWATER, 090", counts="    4   .00500"))


# ----- several channels in a file


def test_bearings_and_units_of_csmip(change):
    path = change("CE89146.V2", "360 Deg", "S 16 E", every=True)
    path.write_text(path.read_text().replace(" 90 Deg", " N 74 E"))
    motion = read_records(path)[0]
    assert [motion.metadata[f"component_{axis}"] for axis in "xy"] == ["S 16 E", "N 74 E"]
    assert motion.metadata["azimuth_x"] == pytest.approx(radians(164))
    expected = read_one("CE36456.V2").acceleration
    for word, factor in (("CM/S/S", 1.0), ("MM/SEC2", 0.1), ("GAL", 1.0)):
        path = change("CE36456.V2", "(UNITS: CM/SEC/SEC)", f"IN {word}.", every=True)
        scan = scan_records(path)
        np.testing.assert_allclose(scan.motions[0].acceleration, factor * expected, rtol=1e-14)


def test_names_of_cosmos_have_single_blanks(change):
    path = change(COSMOS, "Record of Point MacKenzie Earthquake of", "Record of Point    MacKenzie of")
    assert read_records(path)[0].name == "Point MacKenzie 2018, AK-BMR"


@pytest.fixture
def building(tmp_path):
    """A COSMOS file of six channels: 1 to 3 on the roof, 4 to 6 on the ground, which it may say."""

    def building(places):
        text = (RECORDS / "AKBMR.V1").read_text()
        location = "Location:" if places else "Loc:"
        line = "Sta Chan   ?:Other   (Rcrdr Chan  ?) Location:"
        assert text.count(line) == 3
        parts = []
        for i, channel in enumerate([*text.split(line)[1:], *text.split(line)[1:]], start=1):
            place = "Roof - NW" if i < 4 else "Ground"
            parts.append(f"Sta Chan  {i:2d}: 90 deg (Rcrdr Chan {i:2d}) {location}{place}{channel}")
        # the title of the second round stands at the end of the first
        head = text.split(line)[0]
        path = tmp_path / "building.V1"
        path.write_text(head + "".join(parts[:3]).rstrip() + "\n" + head + "".join(parts[3:]))
        return path

    return building


def test_each_place_of_a_building_is_a_motion(building):
    motions = read_records(building(places=True))
    assert [motion.metadata["location"] for motion in motions] == ["Roof - NW", "Ground"]
    assert [motion.name for motion in motions] == [
        f"Point MacKenzie Earthquake 2018, AK-BMR, {place}" for place in ("Roof - NW", "Ground")
    ]
    for motion in motions:
        np.testing.assert_array_equal(motion.acceleration, read_one("AKBMR.V1").acceleration)


def test_channels_are_chosen_where_the_file_does_not_say_their_places(building):
    path = building(places=False)
    with pytest.raises(
        MotionError, match=r"has 2 vertical components \(channel 3: BNZ, channel 6.*--channels 1,2,3"
    ):
        read_records(path)
    (motion,) = read_records(path, channels=[4, 5, 6])
    np.testing.assert_array_equal(motion.acceleration, read_one("AKBMR.V1").acceleration)
    (motion,) = read_records(path, channels=[1])
    assert motion.metadata["missing"] == "y, z"
    with pytest.raises(MotionError, match=r"there is no channel 7; it has 1, 2, 3, 4, 5, 6"):
        read_records(path, channels=[1, 7])
    with pytest.raises(MotionError, match=r"none of the chosen channels; it has 1, 2, 3, 4, 5, 6"):
        read_records(path, channels=[7])
    with pytest.raises(MotionError, match=r"channels must be whole numbers > 0, got \[0\]"):
        read_records(path, channels=[0])
    with pytest.raises(MotionError, match="the file does not number its channels"):
        read_records(RECORDS / "elcentro.AT2", channels=[1])


# ----- what networks and people write otherwise: text, times, columns, missing components, other files


@pytest.mark.parametrize("name", [name for name in SAMPLES if not name.endswith((".AT2", ".ASC"))])
@pytest.mark.parametrize("per_line", [1, 7])
def test_numbers_with_blanks_between_them_have_columns_of_any_width(name, per_line, tmp_path):
    lines = (RECORDS / name).read_text().split("\n")
    for first, last in reversed(SAMPLES[name][0]):
        words = [f"{number:.9g}" for number in numbers(name, first, last)]
        rows = [" ".join(words[i : i + per_line]) for i in range(0, len(words), per_line)]
        lines[first - 1 : last] = rows
    path = tmp_path / Path(name).name
    path.write_text("\n".join(lines))
    np.testing.assert_array_equal(read_records(path)[0].acceleration, read_one(name).acceleration)


@pytest.mark.parametrize(
    "said",
    ["28/07/2019 16:09:19.870", "2019-07-28T16:09:19.870Z", "2019/07/28 16:09:19.870", "20190728_160919.87"],
)
def test_forms_of_a_start_time(change, said):
    """Components of any form are told apart by their start, and one in no form is taken with the others."""
    motion = read_records(change(ESM, "20190728_160919.870", said))[0]
    np.testing.assert_array_equal(motion.acceleration, read_one(ESM).acceleration)
    assert "remarks" not in motion.metadata
    for name in ("HNN", "HNZ"):
        change(ESM.replace("HNE", name))
    (motion,) = read_records(change(ESM, "20190728_160919.870", said).parent)
    assert motion.acceleration.any(axis=1).all()
    with pytest.raises(MotionError, match="start 1 s apart"):
        read_records(change(ESM, "20190728_160919.870", said.replace("19.87", "20.87")).parent)


def test_a_time_that_nobody_needs_refuses_no_record(change):
    path = change(KNET, "1996/08/11 03:12:39", "11 AUG 1996")
    with pytest.warns(UserWarning, match="the time '11 AUG 1996' is not understood"):
        np.testing.assert_array_equal(read_records(path)[0].acceleration, read_one(KNET).acceleration)
    assert read_records(change(ESM, "DATE_TIME_FIRST_SAMPLE_YYYYMMDD_HHMMSS: 20190728_160919.870\n"))
    assert read_records(change(AFAD, "RECORD TIME             : 20/07/2017 22:31:14.000000 (GMT)\n"))


FREE = "Data of 2030, {} component\n1200 points at 0.01 sec\nThe {}\n{}\n 0.1 -0.2\n 0.3\n"


@pytest.mark.parametrize(
    ("direction", "unit", "factor", "axis"),
    [
        ("north south", "units are (g)", G, "x"),
        ("vertical", "acceleration in cm/s2", 0.01, "z"),
        ("90 degrees", "accelerations (m/s/s)", 1.0, "x"),
    ],
)
def test_at2_in_free_text(tmp_path, direction, unit, factor, axis):
    path = tmp_path / "a.AT2"
    path.write_text(FREE.format(direction, unit, "NPTS= 3, DT= .01 SEC"))
    (motion,) = read_records(path)
    np.testing.assert_allclose(motion.acceleration["xyz".index(axis)], np.array([0.1, -0.2, 0.3]) * factor)


@pytest.mark.parametrize(
    ("name", "old", "unit"),
    [("elcentro.AT2", " IN UNITS OF G.", "g"), ("CE36456.V2", "  (UNITS: CM/SEC/SEC)", "gal")],
)
def test_a_unit_that_the_header_lacks_is_the_one_given(change, name, old, unit):
    path = change(name, old, every=True)
    with pytest.raises(MotionError, match=r"does not say the unit; .* --unit g"):
        read_records(path)
    (motion,) = read_records(path, unit=unit)
    np.testing.assert_allclose(motion.acceleration, read_one(name).acceleration, rtol=1e-12)
    assert motion.metadata["unit_known"] == "given"


PROSE = {
    "event.json": '{\n"info": "PEER NGA STRONG MOTION DATABASE RECORD",\n"a": "ACCELERATION TIME SERIES IN UNITS OF G",\n"numPoints": 4}',
    "README": "PEER strong motion records, and an acceleration time series in units of g for each.\n",
    "LIESMICH.txt": "Archivo estandar de aceleracion: see the page of the network.\n",
    "turkey.txt": "Strong ground motion records of Turkey\nWe got them by mail.\n",
    "page.html": "<html>\nNPTS= 4000, DT= .005 SEC\n</html>\n",
    "picture.png": "\x89PNG\0\0",
    "empty.txt": "",
}


@pytest.mark.parametrize("format", [None, "own"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_foreign_file_beside_records_stops_nothing(change, name, format):
    folder = change(name).parent
    for foreign, text in PROSE.items():
        (folder / foreign).write_text(text)
    scan = scan_records(folder, format=format and EXAMPLES[name])
    assert not scan.problems
    assert {path.name for path in scan.left_out} == PROSE.keys()
    np.testing.assert_array_equal(scan.motions[0].acceleration, read_one(name).acceleration)


@pytest.mark.parametrize(
    ("first", "other", "said"),
    [
        ("* VOL1DS\n" + "text\n" * 5 + "COMP L\n", "text\n" * 6, "format of BHRC"),
        ("VOLUME 1 OF UNCORRECTED ACCELEROGRAM DATA OF\n", f"{'text':72}01\n" * 12, "format of USC"),
        ("TITLE\n", "of a network\n" * 6, "numbers below 7 lines, in no format that is known; say its unit"),
    ],
)
@pytest.mark.parametrize("unit", [None, "g"])
def test_formats_that_are_not_read_are_called_so(tmp_path, first, other, said, unit):
    path = tmp_path / "a.V1"
    path.write_text(first + other + "1.0 2.0 3.0\n4.0 5.0 6.0\n")
    with pytest.raises(MotionError, match=said if unit is None or "format of" in said else "columns"):
        read_records(path, unit=unit)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ({"unit": "cm/s2"}, "the unit 'cm/s2' is given, and no file of the folder needs it"),
        ({"dt": 0.02}, "dt = 0.02 s is given, and no file of the folder needs it"),
        ({"columns": ["time", "x"]}, "a list of columns is given, and no file"),
        ({"channels": [1]}, "a list of channels is given, and no file"),
    ],
)
def test_an_option_that_no_file_of_a_folder_needs_is_refused(change, option, said):
    folder = change("elcentro.AT2").parent
    assert read_records(folder, unit="g", dt=0.01)  # as the file says
    with pytest.raises(MotionError, match=re.escape(said)):
        read_records(folder, **option)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        *(
            (f"Test-01, 1/17/2030, STA, {channel}", "a.AT2")
            for channel in ("BHZ00", "BHZ.00", "HHZ--", "LGZ 10")
        ),
        *(("no title", f"RSN90001_Test_XX.STA{channel}.AT2") for channel in (".BHZ.00", ".BHZ00", "-HNZ")),
    ],
)
def test_channels_of_seed_say_the_vertical(peer, title, name):
    motion = read_records(peer(title, name))[0]
    assert motion.metadata["missing"] == "x, y"
    assert motion.acceleration[2].any()


@pytest.mark.parametrize(("kept", "missing"), [((0, 1), "z"), ((1, 2), "y"), ((2,), "x, y")])
def test_columns_of_afad_may_be_missing(tmp_path, kept, missing):
    lines = (RECORDS / AFAD).read_text(encoding="utf-8").split("\n")
    for i in range(17, 43):
        words = lines[i].split()
        lines[i] = "  ".join(words[k] for k in kept)
    (tmp_path / "a.txt").write_text("\n".join(lines))
    whole, part = read_one(AFAD).acceleration, read_records(tmp_path / "a.txt")[0]
    there = ["yxz"[k] for k in kept]
    for k, axis in enumerate("xyz"):
        expected = whole[k] if axis in there else 0.0 * whole[k]
        np.testing.assert_array_equal(part.acceleration[k], expected)
    assert part.metadata["missing"] == missing
