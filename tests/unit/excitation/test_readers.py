"""Each format: what is read equals another reading of the file, and damage is refused with its place."""

# ruff: noqa: E501 -- a message stands on one line, as users see it

import re
from math import degrees, radians
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
KNET, KIKNET = "knet/AKT0139608110312.EW", "kiknet/AICH049608110312.UD2"
DECLARED, FIXED = "declared in the file", "fixed by the format"

# ----- formats of which no genuine file is at hand, as their documents describe them

ASA_LINES = 109  # of the header


def rows(columns, form, separator=""):
    return "".join(separator.join(format(value, form) for value in row) + "\n" for row in columns)


def bbp(columns, names, dt, unit="cm/s/s", comment="#"):
    """As the Broadband Platform writes it."""
    said = {"N": "N-S", "E": "E-W", "U": "U-D"}
    head = "".join(f"      {said[name]}({unit})" for name in names)
    times = dt * np.arange(len(columns))
    table = rows(np.column_stack([times, columns]), "15.6e", "   ")
    return f"{comment} Sim NGAH, stat=2001-SCE\n{comment}    time(sec){head}\n{table}"


def tsmip(columns, names, dt, signs="+++"):
    """As the Central Weather Administration writes it."""
    sequence = "; ".join(f"{name}({sign})" for name, sign in zip(names, signs, strict=True))
    peaks = "".join(
        f"#AmplitudeMAX. {name}: {samples.max():8.3f}~ {samples.min():8.3f}\n"
        for name, samples in zip(names, columns.T, strict=True)
    )
    times = dt * np.arange(len(columns))
    return (
        "#Earthquake Information\n#Origin Time(GMT+08): 2018/02/06-23:50:42\n#Magnitude(Ml): 6.0\n"
        "#StationCode: ILA005\n#InstrumentKind: CV574(06106600.CVA)\n"
        "#StartTime(GMT+08): 2018/02/06-23:50:29.000 \n"
        f"#RecordLength(sec): {len(columns) * dt:8.3f}\n#SampleRate(Hz): {round(1 / dt)}\n"
        f"#AmplitudeUnit:  gal. DCoffset(corr)\n{peaks}#DataSequence: Time {sequence}\n#Data: 4F10.3 \n"
        + rows(np.column_stack([times, columns]), "10.3f")
    )


def jma(columns, names, dt, end="", year="2024", rate="SAMPLING RATE"):
    """As the Japan Meteorological Agency writes it, old files with commas at the ends of lines."""
    said = {"N": "NS", "E": "EW", "U": "UD"}
    head = [
        "SITE CODE= 93051Mashiki,32.7,130.8,12,6.5",
        " LAT.=  32.7880",
        " LON.= 130.8190",
        f" {rate}= {round(1 / dt)}Hz",
        " UNIT  = gal(cm/s/s)",
        f"INITIAL TIME = {year} 04 14 21 26 20",
        ",".join(said[name] for name in names),
    ]
    table = rows(columns, ".3f", ",").splitlines()
    return "\r\n".join(f"{line}{end}" for line in [*head, *table])


def asa(columns, names, dt, said=None, heads=None, unit="Gales (cm/seg/seg)"):
    """As the archive of UNAM writes it."""
    said = said or [{"N": "N00E", "E": "N90E", "U": "V"}[name] for name in names]
    count, n = len(columns), len(said)
    lines = [""] * 6 + ["                   ARCHIVO ESTANDAR DE ACELERACION", "", "VERSION ASA : 2.0"]
    lines += [
        "NOMBRE DE LA ESTACION                 : CALETA DE CAMPOS",
        "CLAVE DE LA ESTACION                  : CALE",
        "COORDENADAS DE LA ESTACION            : 18.0732 LAT. N",
        "                                      : 102.7552 LONG. W",
        f"NUMERO DE CANALES                     : {n}",
        f"ORIENTACION C1-C6 (rumbo;orientacion) : /{'/'.join(said)}///",
        f"VEL. DE MUESTREO, C1-C6 (muestras/s)  : /{'/'.join([f'{1 / dt:g}'] * n)}",
        f"INTERVALO DE MUESTREO, C1-C6 (s)      : /{'/'.join([f'{dt:g}'] * n)}",
        "FECHA DEL SISMO [GMT]                 : 2017/09/19",
        "HORA DE LA PRIMERA MUESTRA (GMT)      : 18:14:49.00",
        f"NUM. TOTAL DE MUESTRAS, C1-C6         : /{'/'.join([str(count)] * n)}",
        f"ACEL. MAX.(Gal), C1-C6                : /{'/'.join(f'{peak:.3f}' for peak in abs(columns).max(0))}",
        f"UNIDADES DE LOS DATOS                 : {unit}",
        "FACTOR DE DECIMACION                  : 1",
        "DATOS DE ACELERACION:",
    ]
    lines += [""] * (ASA_LINES - 4 - len(lines))
    lines += ["-" * 36, "".join(f"  CANAL-{i + 1}   " for i in range(n)), "   ".join(heads or said), "-" * 36]
    return "\n".join(lines) + "\n" + rows(columns, "12.4f")


WRITERS = {"bbp": bbp, "tsmip": tsmip, "jma": jma, "asa": asa}
SAMPLE = np.array([[1.0, 2.0, 3.0], [-4.0, 5.5, 6.25], [0.5, -8.0, 0.0]])  # of columns N, E, U [gal]


# ----- all examples

# file: format, lines of the samples of each component, factor to m/s2, time step, ground axes of the components
SAMPLES = {
    "elcentro.AT2": ("at2", [(5, 12)], G, 0.01, "x"),
    "peer/RSN9763_SAMPLE_GIL067.AT2": ("at2", [(5, 16)], G, 0.005, "x"),
    ESM: ("esm", [(65, 104)], 0.01, 0.005, "x"),
    COSMOS: ("cosmos", [(54, 78)], 0.01, 0.005, "x"),
    "AKBMR.V1": ("cosmos", [(54, 78), (133, 157), (212, 236)], G, 0.005, "xyz"),
    V1A: ("geonet", [(27, 31), (58, 62), (89, 93)], 0.001, 0.005, "xyz"),
    V2A: ("geonet", [(27, 31), (68, 72), (109, 113)], 0.001, 0.02, "xyz"),
    "CE89146.V2": ("csmip", [(47, 51), (111, 115), (175, 179)], 0.01, 0.005, "yzx"),
    "CE36456.V2": ("csmip", [(47, 52), (114, 119), (181, 186)], 0.01, 0.02, "xzy"),
    "CICLC.v1": ("csmip", [(29, 33), (63, 68), (98, 103)], G, 0.01, "xyz"),
    "smc/0111a.smc": ("smc", [(36, 41)], 0.01, 0.005, "x"),
}
EXAMPLES = {name: row[0] for name, row in SAMPLES.items()}  # of each format; some are written by the tests
EXAMPLES |= {KNET: "knet", KIKNET: "knet", AFAD: "afad"} | dict(zip(WRITERS, WRITERS, strict=True))
FACTS = {  # of the component x, its azimuth in degrees
    "elcentro.AT2": {"unit": "g", "unit_known": DECLARED, "component_x": "180", "azimuth_x": 180, "year": 1940, "name": "IMPERIAL VALLEY 1940, EL CENTRO ARRAY #9"},
    ESM: {"unit": "cm/s2", "unit_known": DECLARED, "component_x": "HNE", "azimuth_x": 90, "magnitude": 4.6, "distance_epicentral": 88100.0, "name": "Greece 2019, HI.ARS1"},
    KNET: {"unit": "gal", "unit_known": FIXED, "component_x": "E-W", "azimuth_x": 90, "year": 1996},
    KIKNET: {"name": "AICH04 surface 1996-08-11 03:12:39"},
    COSMOS: {"unit": "cm/s2", "unit_known": DECLARED, "component_x": "BNE", "azimuth_x": 90, "magnitude": 7.0, "year": 2018, "name": "Point MacKenzie Earthquake 2018, AK-BMR"},
    "cosmos/AKBMR--n.1000hyfh.BNZ.--.acc.V2c": {"missing": "x, y"},  # its azimuth is 0: converted from SEED
    "AKBMR.V1": {"unit": "g", "unit_known": DECLARED, "component_x": "BN1", "azimuth_x": 128},
    V2A: {"unit": "mm/s2", "unit_known": DECLARED, "component_x": "N28W", "azimuth_x": 332, "magnitude": 7.82, "distance_epicentral": 9000.0},
    V1A: {"unit": "mm/s2", "unit_known": DECLARED, "component_x": "S90E", "azimuth_x": 90},
    "CE89146.V2": {"unit": "cm/s2", "unit_known": DECLARED, "component_x": "90 Deg", "azimuth_x": 90},
    "CE36456.V2": {"magnitude": 6.5, "year": 1983, "name": "Coalinga Earthquake, Parkfield Fault Zone 14"},
    "CICLC.v1": {"unit": "g", "unit_known": DECLARED, "component_x": "90 Deg", "azimuth_x": 90},
    "smc/0111a.smc": {"unit": "cm/s2", "unit_known": FIXED, "component_x": "360", "azimuth_x": 0, "distance_epicentral": 89000.0, "name": "Loma Prieta, CA, San Francisco, 1295 Shafter, F"},
    AFAD: {"unit": "gal", "unit_known": FIXED, "component_x": "E-W", "azimuth_x": 90, "magnitude": 6.5, "place": "KüTAHYA GEDIZ METEOROLOJI MUDURLUGU"},
    "bbp": {"unit": "cm/s2", "unit_known": DECLARED, "azimuth_x": 90, "azimuth_y": 0},
    "tsmip": {"unit": "gal", "unit_known": DECLARED, "azimuth_x": 90, "station": "ILA005", "year": 2018, "magnitude": 6.0, "group": "ILA005 2018/02/06-23:50:29.000"},
    "jma": {"unit": "gal", "unit_known": DECLARED, "azimuth_x": 90, "year": 2024, "station": "93051Mashiki"},
    "asa": {"unit": "gal", "unit_known": DECLARED, "azimuth_x": 90},
}  # fmt: skip


def original(name):
    """The content of an example."""
    return WRITERS[name](SAMPLE, "NEU", 0.01).encode() if name in WRITERS else (RECORDS / name).read_bytes()


def numbers(name, first, last):
    """All decimal numbers in lines `first` to `last`, counted from 1, also where they touch."""
    lines = (RECORDS / name).read_text(encoding="utf-8").split("\n")[first - 1 : last]
    found = re.findall(r"[-+]?\d*\.\d+(?:[Ee][-+]\d+)?|[-+]?\d+(?!\.)", "\n".join(lines))
    return np.array(found, dtype=float)


@pytest.fixture
def change(tmp_path):
    """A copy of an example with texts replaced, as in "old => new & old => new", or "cut after 9" lines."""

    def change(name, damage="", every=False):
        text = original(name).decode()
        for one in filter(None, damage.split(" & ")):
            old, _, new = one.partition(" => ")
            if one.startswith("cut after "):
                text = "\n".join(text.split("\n")[: int(one.split()[-1])]) + "\n"
                continue
            assert old in text, f"{name} has no {old!r}"
            text = text.replace(old, new, -1 if every else 1)
        path = tmp_path / Path(name).name
        path.write_text(text, encoding="utf-8", newline="")
        return path

    return change


@pytest.fixture
def read_one(change):
    """The only motion of an example, unharmed or damaged."""

    def read_one(name, damage="", **options):
        (motion,) = read_records(
            change(name, damage) if damage or name in WRITERS else RECORDS / name, **options
        )
        return motion

    return read_one


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_equal_another_reading(read_one, name):
    _, blocks, factor, dt, axes = SAMPLES[name]
    motion = read_one(name)
    assert motion.dt == pytest.approx(dt, rel=1e-12)
    for (first, last), axis in zip(blocks, axes, strict=True):
        expected = factor * numbers(name, first, last)
        found = motion.acceleration["xyz".index(axis)]
        np.testing.assert_array_equal(found[: len(expected)], expected)
        assert not found[len(expected) :].any()
    for axis in set("xyz") - set(axes):
        assert not motion.acceleration["xyz".index(axis)].any()


@pytest.mark.parametrize(("kept", "missing"), [((0, 1, 2), ""), ((0, 1), "z"), ((1, 2), "y"), ((2,), "x, y")])
def test_columns_of_afad_may_be_missing(tmp_path, kept, missing):
    """Of N-S, E-W, U-D; what is left is where it was."""
    lines = (RECORDS / AFAD).read_text(encoding="utf-8").split("\n")
    lines[17:43] = ["  ".join(line.split()[k] for k in kept) for line in lines[17:43]]
    (tmp_path / "a.txt").write_text("\n".join(lines))
    (motion,) = read_records(tmp_path / "a.txt")
    table = 0.01 * numbers(AFAD, 19, 43).reshape(25, 3).T * np.isin(range(3), kept)[:, None]
    np.testing.assert_array_equal(motion.acceleration, table[[1, 0, 2]])
    assert (motion.dt, motion.metadata.get("missing", "")) == (0.01, missing)


@pytest.mark.parametrize("name", [KNET, KIKNET])
def test_counts_of_knet_less_their_mean(read_one, name):
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
def test_format_is_known_by_the_content(read_one, name, tmp_path):
    """Neither name nor ending of a file count, nor blank lines before, the end of file of DOS, ends of lines."""
    whole = read_one(name)
    other = tmp_path / "GIL067"  # PEER tells the direction by the name, if the header does not
    other.write_bytes(original(name))
    file = TextFile.load(other)
    assert [key for key, reader in READERS.items() if reader.matches(file)] == [EXAMPLES[name]]
    assert detect(file) is READERS[EXAMPLES[name]]
    unix = original(name).replace(b"\r\n", b"\n")
    for content in (unix.replace(b"\n", b"\r\n"), b"\n \r\n" + unix.rstrip() + b"\n\x1a\n"):
        other.write_bytes(content)
        np.testing.assert_array_equal(read_records(other)[0].acceleration, whole.acceleration)
    again = read_one(name, unit=whole.metadata["unit"], dt=whole.dt, format=EXAMPLES[name])
    np.testing.assert_array_equal(again.acceleration, whole.acceleration)
    wrong = "mg" if whole.metadata["unit"] == "g" else "g"
    with pytest.raises(MotionError, match=f"the unit '{wrong}' is given, but in this"):
        read_one(name, unit=wrong)
    with pytest.raises(MotionError, match=r"columns are given, but a .* file says its directions"):
        read_one(name, columns=["time", "x", "y", "z"])


@pytest.mark.parametrize("name", FACTS)
def test_facts_are_in_si_units(read_one, name):
    motion = read_one(name)
    found = motion.metadata | {"name": motion.name, "group": motion.group}
    for key, value in FACTS[name].items():
        assert found[key] == (pytest.approx(radians(value), abs=1e-12) if "azimuth" in key else value), key


DAMAGE = {
    "elcentro.AT2": {
        "cut after 9": "line 9: the samples end after 25 of the 40 that the header declares",
        "-.6403182E-02 => -.640?182E-02": "line 5: expected a number, got",
        "PEER STRONG => \n\nPEER STRONG & -.6403182E-02 => -.640?182E-02": "line 7: expected a number, got",
        "NPTS=    40 => NPTS=    38": "line 12: the file goes on after 38 samples",
        "NPTS=    40 => NPTS=  4e1x": "line 4: NPTS must be a number > 0, got '4e1x'",
        "NPTS=    40 => NPTS=  40.5": "line 4: NPTS must be a whole number >= 2, got '40.5'",
        "DT= .01000 => DT= .00000": "line 4: DT [s] must be a number > 0, got '.00000'",
        "DT= .01000 => DT= ******": "line 4: expected the number of samples and the time step as in 'NPTS= 7999, DT= .0050 SEC', got",
        "NPTS=    40, DT= .01000 SEC => NPTS, DT  40 .01000": "line 4: expected the number of samples and the time step",
        "DT= .01000 => DT= 1e-300": "the time step must be a finite number >= 1e-05 and <= 1 [s], got",
        "IN UNITS OF G. => IN UNITS OF FT/S.": "line 3: unit of the acceleration must be one of m/s2",
        "IN UNITS OF G. => ": "line 3: the header does not say the unit",
        "#9, 180 (USGS STATION 117) => #9": "line 2: the direction of the component is neither in",
        "ACCELERATION TIME HISTORY => VELOCITY TIME HISTORY": "a velocity time history, no acceleration; known are",
    },
    ESM: {
        "cut after 70": "line 70: the samples end after 6 of the 40",
        "\n0.015623\n => \nNaN\n": "line 66: expected a number, got",
        "\n0.015623\n => \n0,015623\n": "line 66: expected a number, got",
        "\n0.015623\n => \n0.01_5623\n": "line 66: expected a number, got",
        "NDATA: 40 => NDATA: 39": "line 104: the file goes on after 39 samples",
        "NDATA: 40 => NDATA: many": "line 30: NDATA must be a number > 0, got 'many'",
        "NDATA: 40\n => ": "line 63: the header ends here and has no line 'NDATA'",
        "UNITS: cm/s^2 => UNITS: cm/s": "line 33: UNITS must be one of m/s2, cm/s2",
        "STREAM: HNE => STREAM: ACC": "line 32: STREAM must be a direction such as N, N28W, 090, HNE or Up, got 'ACC'",
        "0.005000 => -0.005": "line 29: SAMPLING_INTERVAL_S must be a number > 0, got '-0.005'",
        "0.005000 => 1e9": "the time step must be a finite number >= 1e-05 and <= 1 [s], got",
        "DATA_TYPE: ACCELERATION => DATA_TYPE: VELOCITY": "velocity, no acceleration; known are",
    },
    KNET: {
        "cut after 20": "line 20: the samples end after 24 of the 200",
        "Duration Time(s)  2 => Duration Time(s)  1": "line 42: the file goes on after 100 samples",
        "100Hz => 100": "line 11: expected a frequency in Hz, got '100'",
        "2000(gal) => 2000(cm)": "line 14: expected a factor as in 2000(gal)/8388608, got '2000(cm)/8388608'",
        "/8388608 => /0": "line 14: expected a factor as in 2000(gal)/8388608, got '2000(gal)/0'",
        "E-W => E-N": "line 13: direction must be N-S, E-W, U-D or 1 to 6, got 'E-N'",
        "Mag.  => Mags ": "line 5: expected 'Mag.', got 'Mags",
    },
    COSMOS: {
        "cut after 60": "line 60: the samples end after 7 of the 25",
        "\n   4.490444e-01 => \n         ******": "line 57: expected a number, got",
        "      25 acc =>       24 acc": "line 78: the samples must end with a line 'End-of-data'",
        "cm/sec2(04) => counts(50)": "line 53: raw counts of the recorder (volume V0); get volume V1 or V2",
        "cm/sec2(04) => deg(25)": "line 53: unit of an acceleration must be one of g (02), cm/s2 (04)",
        "cm/sec2(04) => cm/sec2(02)": "line 53: the unit is 'cm/sec2' in words, but its code 02 means g",
        "cm/sec2(04) => g(04)": "line 53: the unit is 'g' in words, but its code 04 means cm/s2",
        "with 13 text lines => with 3 text lines": "line 1: the header has 3 lines of text, expected 13",
        "(1E15.6) => (free)": "line 53: expected a format such as (8f10.6)",
        "25 acceleration pts => xx acceleration pts": "line 53: expected a line that announces the data",
        "25 acceleration pts => 25 velocity     pts": "corrected acceleration",
        " 100 Real-header =>  Real-header": "line 25: expected a line that says how many numbers follow",
        "   5.000000       0.125000 => -999.000000       0.125000": "[ms], is -999",
        "   5.000000       0.125000 =>    0.000000       0.125000": "[ms], is 0",
        " 100 Integer-header =>  ² Integer-header": "line 14: expected a line that says how many whole numbers follow",
        "   6 Comment line =>    ² Comment line": "expected a line that says how many comments follow",
        "|<SCNL>BMR.BNE.AK.-- => | &     -999     900    -999      90 =>     -999     900    -999    -999": "line 14: the direction of the channel, whole number 54, is -999",
    },
    V1A: {"cut after 29": "line 29: the samples end after 30 of the 45"},
    V2A: {
        "cut after 34": "line 34: the samples end after 30 of the 45",  # within the velocity
        "cut after 70": "line 70: the samples end after 30 of the 45",  # within the second component
        "-1740.9 =>  1740,9": "line 27: expected a number, got",
        "0.88  0.0050  0.0200 => 0.88  0.0050  0.0000": "line 23: time step [s] must be a number > 0, got '0.0'",
        "mm/s/s at => g at": "line 14: expected a peak in mm/s/s",
        "Component N28W => Component ???": "line 13: component must be a direction such as",
        "      45      45      45 =>       45      45      40": "line 41: expected the title of a component",
    },
    "CE89146.V2": {
        "cut after 49": "line 49: the samples end after 24 of the 36",
        "360 Deg => Radial": "line 1: no line such as 'Chan 1: 90 Deg' says the direction",
    },
    "CE36456.V2": {
        "    -3.038 =>     ******": "line 47: expected a number, got",
        "EQUALLY SPACED AT  .020 SEC. => AT EQUAL STEPS.": "line 46: the time step is missing",
        "(UNITS: CM/SEC/SEC) => ": "line 46: the header does not say the unit",
        "CORRECTED ACCELEROGRAM => RESPONSE AND FOURIER AMPLITUDE SPECTRA": "response and Fourier",
    },
    "CICLC.v1": {
        "cut after 100": "line 100: the samples end after 24 of the 48",
        "Accelerogram points at => pairs at": "no line announces the acceleration",
    },
    "smc/0111a.smc": {
        "cut after 38": "line 38: the samples end after 24 of the 43",
        "-2.2223E+0 => -2.2223F+0": "line 36: expected a number, got",
        " 1.5057E+0 =>        inf": "line 36: expected a number, got",
        "        90       360 =>         45       360": "line 13: angle of the component from the vertical",
        "        43    -32768 =>         32    -32768": "line 41: the file goes on after 32 samples",
        "  0.2000000E+03 =>   0.1700000E+39": "line 18: the sampling rate [Hz] is unknown by the header",
        "  0.2000000E+03 =>   0.0000000E+00": "line 18: sampling rate [Hz] must be a number > 0, got '0.0'",
        "|of October =>  of October": "line 32: expected a comment that begins with |",
        "      1989       291 =>       1989       abc": "line 12: number of the header must be a number",
        "2 CORRECTED ACCELEROGRAM => 3 VELOCITY              ": "velocity, no acceleration; known are",
    },
    AFAD: {
        "cut after 21": "line 21: the samples end after 9 of the 75",
        "-0.024476 =>    abc   ": "line 20: expected a number, got",
        "NUMBER OF DATA          : 25 => NUMBER OF DATA          : 24": "line 43: the file goes on after 72",
        "       N-S          E-W          U-D => ": "no line with the names of the columns N-S, E-W, U-D",
        "    0.009913     -0.024476  =>     0.009913": "line 20: expected 3 columns of numbers",
        ": 0.01 => : 1e-6": "the time step must be a finite number >= 1e-05 and <= 1 [s], got",
        "SAMPLING INTERVAL (sec) : 0.01\n => ": "line 16: the header ends here and has no line 'SAMPLING INTERVAL (sec)'",
    },
    "bbp": {
        "cut after 3": "line 3: at least 2 lines of 4 columns of numbers must follow",
        "N-S(cm/s/s) => N-S(furlong)": "line 2: expected one unit of acceleration",
        "N-S(cm/s/s) => N-S(cm/s) & E-W(cm/s/s) => E-W(cm/s) & U-D(cm/s/s) => U-D(cm/s)": "velocity, no acceleration; known are",
        "1.000000e-02 => 1.500000e-02": "the time step is not uniform",
        "3.000000e+00 => 3.000000e+n": "line 3: expected a number, got '3.000000e+n'",
    },
    "tsmip": {
        "gal. DC => counts. DC": "AmplitudeUnit must be one of m/s2",
        "E(+) => Q(+)": "column must be a direction such as N, N28W, 090, HNE or Up, got 'Q'",
        "Rate(Hz): 100 => Rate(Hz): 50": "the time column steps by 0.01 s, but dt = 0.02 s",
        "Rate(Hz): 100 => Rate(Hz): fast": "SampleRate(Hz) must be a number > 0, got 'fast'",
    },
    "jma": {
        "gal(cm/s/s) => counts": "line 5: UNIT must be one of m/s2",
        "NS,EW,UD => a,b,c": "line 7: column must be a direction such as N, N28W, 090, HNE or Up, got 'a'",
        "100Hz => 0Hz": "line 4: SAMPLING RATE [Hz] must be a number > 0, got '0'",
        " UNIT  = gal(cm/s/s)\r\n => ": "has no line 'UNIT'",
        "-4.000, => ,": "line 9: expected 3 columns of numbers",
    },
    "asa": {
        "/N00E/N90E/V => /T/L/Q": "ORIENTACION must be bearings such as /N00E/V/N90W, got 'T/L/Q'",
        "/N00E/N90E/V => /N00E/N45E/V & N00E   N90E => N00E   N45E": "are 45 deg apart, expected 90 deg",
        "N00E   N90E => N90E   N00E": "line 108: the column 'N90E' is 'N00E' by ORIENTACION of the header",
        "Gales (cm/seg/seg) => cuentas": "UNIDADES DE LOS DATOS must be a unit of acceleration",
        "/0.01/0.01/0.01 => /0.01/0.02/0.01": "INTERVALO DE MUESTREO must be one number, the same for 3",
        "C1-C6         : /3/3/3 => C1-C6 : /4/4/4": "the samples end after 9 of the 12",
        "C1-C6         : /3/3/3 => C1-C6 : /2/2/2": "the file goes on after 6 samples",
        "CANAL-1 => X": "no line 'CANAL-1 CANAL-2 CANAL-3'",
    },
}


@pytest.mark.parametrize(("name", "damage"), [(name, damage) for name in DAMAGE for damage in DAMAGE[name]])
def test_damage_is_refused_with_its_place(change, name, damage):
    path = change(name, damage, every="Radial" in damage)
    with pytest.raises(MotionError, match=re.escape(DAMAGE[name][damage])) as refused:
        read_records(path)
    line = ", line " if DAMAGE[name][damage].startswith("line ") else ""
    assert str(refused.value).startswith(f"{path}{line}")


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in WRITERS])  # three have no count
@pytest.mark.parametrize("share", [0.15, 0.4, 0.7, 0.95])
def test_a_file_cut_anywhere_is_refused_or_not_known(change, name, share):
    lines = original(name).decode().rstrip("\n").split("\n")
    path = change(name, f"cut after {max(int(share * len(lines)), 1)}")
    scan = scan_records(path)
    assert not scan.motions
    assert scan.problems or scan.left_out
    assert all(str(path) in problem for problem in scan.problems)


@pytest.mark.parametrize("name", EXAMPLES)
def test_damage_of_any_kind_is_refused_in_words(name, tmp_path):
    """Lines lost, doubled, cut, and letters changed, drawn 40 times: a reader reads, or says why not."""
    rng = np.random.default_rng(7)
    whole = original(name).decode().split("\n")
    path = tmp_path / Path(name).name
    for _ in range(40):
        lines = list(whole)
        for i in rng.integers(0, min(len(lines) - 4, 60), size=3):
            line = lines[i]
            cut = int(rng.integers(0, len(line) + 1))
            wrong = str(rng.choice(list("x9-. (:,=")))
            changed = line[:cut] + wrong + line[cut + 1 :]
            lines[i] = [line[:cut], "", changed, f"{line}\n{line}"][rng.integers(4)]
        path.write_text("\n".join(lines), encoding="utf-8")
        scan = scan_records(path)  # raises nothing
        assert bool(scan.motions) + bool(scan.problems) + bool(scan.left_out) == 1


REMARKS = {
    ESM: {
        "160919.870 => 99": "the time '20190728_99' is not understood",
        "PGA_CM/S^2: 0.035614 => PGA_CM/S^2: 3.5614": "the largest sample is 0.0003561 m/s2, the file says 0.03561 m/s2",
        "DURATION_S: 0.195 => DURATION_S: 19.5": "40 samples of 0.005 s make 0.2 s, the file says 19.5 s",
    },
    COSMOS: {
        "   0.559102       0.005000 =>   55.910200       0.005000": "the largest sample is 0.005591 m/s2, the file says 0.5591 m/s2"
    },
    KNET: {"1996/08/11 03:12:39 => 11 AUG 1996": "the time '11 AUG 1996' is not understood"},
    "CE36456.V2": {
        "INTERVALS OF    .020 => INTERVALS OF    .010": "the time step is 0.02 s in one place of the file and 0.01 s in another",
        "INITIAL VELOCITY  =      .000 => INITIAL VELOCITY  =    -5.200": "the record begins with a velocity of -0.052 m/s by its header",
    },
    V2A: {"at 0.020 sec => at 0.005 sec": "the time step is 0.02 s in one place of the file and 0.005 s in another"},
    "smc/0111a.smc": {"        43    -32768 =>         43         1": "the file marks itself as having a problem"},
    "tsmip": {"MAX. N: => MAX. N:  9999.9~": "component N: the largest sample is 0.04 m/s2, the file says"},
}  # fmt: skip


@pytest.mark.parametrize(("name", "damage"), [(name, damage) for name in REMARKS for damage in REMARKS[name]])
def test_a_header_that_disagrees_with_the_samples_is_remarked(read_one, name, damage):
    whole = read_one(name).acceleration
    with pytest.warns(UserWarning, match=re.escape(REMARKS[name][damage])):
        motion = read_one(name, damage)
    assert REMARKS[name][damage] in motion.metadata["remarks"]
    np.testing.assert_array_equal(motion.acceleration, whole)


READ_ALL_THE_SAME = {  # another form of a header: facts that it changes
    ESM: {
        "20190728_160919.870 => 28/07/2019 16:09:19.870": {},
        "20190728_160919.870 => 2019-07-28T16:09:19.870Z": {},
        "20190728_160919.870 => 2019/07/28 16:09:19.870": {},
        "20190728_160919.870 => 20190728_160919.87": {},
        "DATE_TIME_FIRST_SAMPLE_YYYYMMDD_HHMMSS: 20190728_160919.870\n => ": {},
    },
    AFAD: {"RECORD TIME             : 20/07/2017 22:31:14.000000 (GMT)\n => ": {}},
    COSMOS: {
        # as California writes it: earthquake without a name, another word for record, no comma after the unit
        "Record of Point MacKenzie Earthquake of Fri Nov 30 => Rcrd of Fri Nov 30 & units=cm/sec2(04),Format=(1E15.6) => units=gal     (10)Format=(1E15.6)   ": {"name": "Fri Nov 30, 2018 17:29 UTC, AK-BMR", "unit": "gal"},
        "Record of Point MacKenzie Earthquake of => Record of Point    MacKenzie of": {"name": "Point MacKenzie 2018, AK-BMR"},
        "   0.559102       0.005000 => -999.000000       0.005000": {},  # a peak that is unknown
        "<SCNL>BMR.BNE.AK.--    <AUTH> 2019/02/01 21:38:15.000 => <SCNL>": {},
    },
    "CE36456.V2": {
        # the place of each channel behind its direction
        "\nCHAN  1:  90 DEG => \nCHAN  1:  90 DEG  LOCATION: 2ND  FLOOR & \nCHAN  2: UP => \nCHAN  2: UP  LOCATION: 2ND  FLOOR & \nCHAN  3: 360 DEG => \nCHAN  3: 360 DEG  LOCATION: 2ND  FLOOR": {"location": "2ND FLOOR"},
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "form"), [(name, form) for name in READ_ALL_THE_SAME for form in READ_ALL_THE_SAME[name]]
)
def test_other_forms_of_a_header_are_read_without_a_remark(read_one, name, form):
    motion = read_one(name, form)
    np.testing.assert_array_equal(motion.acceleration, read_one(name).acceleration)
    assert "remarks" not in motion.metadata
    found = motion.metadata | {"name": motion.name}
    assert READ_ALL_THE_SAME[name][form].items() <= found.items()


@pytest.mark.parametrize("form", [form for form in READ_ALL_THE_SAME[ESM] if "87" in form])
def test_components_are_told_apart_by_their_start(change, form):
    """Whatever the form of the time."""
    for name in ("HNN", "HNZ"):
        change(ESM.replace("HNE", name))
    (motion,) = read_records(change(ESM, form).parent)
    assert motion.acceleration.any(axis=1).all()
    if form.partition(" => ")[2]:
        with pytest.raises(MotionError, match="start 1 s apart"):
            read_records(change(ESM, form[:23] + form[23:].replace("19.87", "20.87")).parent)


def test_vertical_of_cosmos_by_its_code(change):
    """Without a channel name the code of the direction counts: 400 is up, 401 down."""
    row = "    -999     900    -999      90"
    for code, sign in ((400, 1), (401, -1)):
        path = change(COSMOS, f"|<SCNL>BMR.BNE.AK.-- => | & {row} =>     -999     900    -999     {code}")
        z = read_records(path)[0].acceleration[2]
        np.testing.assert_array_equal(z, sign * 0.01 * numbers(COSMOS, 54, 78))


def test_an_exception_of_a_reader_is_a_problem_of_its_file(monkeypatch, tmp_path):
    """One file that a reader stumbles over does not end the reading of a folder."""

    def stumble(file):
        raise IndexError("list index out of range")

    for name in ("elcentro.AT2", "CE89146.V2"):
        (tmp_path / name).write_bytes(original(name))
    monkeypatch.setattr(READERS["csmip"], "read", stumble)
    scan = scan_records(tmp_path)
    assert len(scan.motions) == 1
    assert scan.problems == [
        f"{tmp_path / 'CE89146.V2'}: the reader 'csmip' could not understand the file "
        "(IndexError: list index out of range); is it damaged?"
    ]


@pytest.mark.parametrize("name", [name for name in SAMPLES if not name.endswith((".AT2", ".ASC"))])
@pytest.mark.parametrize("per_line", [1, 7])
def test_numbers_with_blanks_between_them_have_columns_of_any_width(read_one, name, per_line, tmp_path):
    lines = (RECORDS / name).read_text().split("\n")
    for first, last in reversed(SAMPLES[name][1]):
        words = [f"{number:.9g}" for number in numbers(name, first, last)]
        lines[first - 1 : last] = [" ".join(words[i : i + per_line]) for i in range(0, len(words), per_line)]
    path = tmp_path / Path(name).name
    path.write_text("\n".join(lines))
    np.testing.assert_array_equal(read_records(path)[0].acceleration, read_one(name).acceleration)


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
def test_a_foreign_file_beside_records_stops_nothing(change, read_one, name, format):
    whole = read_one(name)
    folder = change(name).parent
    for foreign, text in PROSE.items():
        (folder / foreign).write_text(text)
    scan = scan_records(folder, format=format and EXAMPLES[name])
    assert not scan.problems
    assert {path.name for path in scan.left_out} == PROSE.keys()
    np.testing.assert_array_equal(scan.motions[0].acceleration, whole.acceleration)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("* VOL1DS\n" + "text\n" * 5 + "COMP L\n" + "text\n" * 6, "format of BHRC"),
        ("VOLUME 1 OF UNCORRECTED ACCELEROGRAM DATA OF\n" + f"{'text':72}01\n" * 12, "format of USC"),
        ("TITLE\n" + "of a network\n" * 6, "numbers below 7 lines, in no format that is known; say its unit"),
    ],
)
@pytest.mark.parametrize("unit", [None, "g"])
def test_formats_that_are_not_read_are_called_so(tmp_path, text, said, unit):
    path = tmp_path / "a.V1"
    path.write_text(text + "1.0 2.0 3.0\n4.0 5.0 6.0\n")
    with pytest.raises(MotionError, match=said if unit is None or "format of" in said else "columns"):
        read_records(path, unit=unit)


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


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (
            "MAMMOTH LAKES 05/25/80 1634, SYLMAR (CDMG 54099)",
            "MAMMOTH LAKES 05/25/80 1649, SYLMAR (CDMG 54099)",
        ),
        ("NORTHRIDGE EQ 1/17/94, 12:31, SYLMAR - HOSP", "NORTHRIDGE EQ 1/17/94, 23:33, SYLMAR - HOSP"),
        ("MAMMOTH LAKES 05/25/80, SYLMAR", "MAMMOTH LAKES 05/25/80, SYLMAR"),  # by the names of the files
    ],
)
def test_two_earthquakes_of_a_day_at_one_station_stay_apart(peer, tmp_path, one, two):
    """Components of one of each are never a pair; once all are there, each has its own."""
    for component, other, missing in (("090", "180", "y, z"), ("180", "090", "z")):
        for title, stem, each in ((one, "I-SYL", component), (two, "J-SYL", other)):
            peer(
                title.replace("SYLMAR (", f"SYLMAR, {each} (") if "(" in title else f"{title}, {each}",
                f"{stem}{each}.AT2",
            )
        motions = read_records(tmp_path)
        assert [motion.metadata["missing"] for motion in motions] == [missing] * 2
        assert motions[0].group != motions[1].group
        assert "12:31" not in motions[0].name
    if "1634" in one:
        assert [motion.group[:26] for motion in motions] == [title[:26] for title in (one, two)]


EVENT = "L'Aquila_ Italy, 4/6/2009, Parking"
COMPONENTS = [  # title, name of the file: component and its role
    *((f"{EVENT}, {name}", "a.AT2", name, "x") for name in ("LN", "TR", "L1", "T1", "XTE", "YLN", "HNX", "TRANSVERSE", "NS2", "N 45 E")),
    (f"{EVENT}, N 45 E (USGS)", "a.AT2", "N 45 E", "x"),
    (f"{EVENT}, 090 corrected", "a.AT2", "090", "x"),
    *((f"{EVENT}, {name}", "a.AT2", name, "z") for name in ("V1", "ZUP", "UD2", "BHZ00", "BHZ.00", "HHZ--", "LGZ 10")),
    ("no title", "RSN848_LANDERS_CLW-LN.AT2", "LN", "x"),
    ("no title", "RSN143_TABAS_TAB-L1.AT2", "L1", "x"),
    ("no title", "RSN4480_L-AQUILA_GX066XTE.AT2", "XTE", "x"),
    ("no title", "RSN5657_IWATE_IWTH25NS2.AT2", "NS2", "x"),
    ("no title", "RSN1837_HECTOR_VFS-90.AT2", "90", "x"),
    ("no title", "RSN8169_30190473_BKSAOHLE.AT2", "HLE", "x"),
    ("no title", "RSN495_NAHANNI_S1010.AT2", "010", "x"),
    ("no title", "RSN4863_65036-N.AT2", "N", "x"),
    *(("no title", f"RSN90001_Test_XX.STA{name}.AT2", name, "z") for name in (".BHZ.00", ".BHZ00", "-HNZ")),
]  # fmt: skip
AZIMUTHS = {"NS2": 0, "N 45 E": 45, "090": 90, "90": 90, "HLE": 90, "010": 10, "N": 0}


@pytest.mark.parametrize(("title", "name", "component", "role"), COMPONENTS)
def test_components_as_peer_calls_them(peer, title, name, component, role):
    motion = read_records(peer(title, name))[0]
    assert motion.acceleration["xyz".index(role)].any()
    facts = motion.metadata
    assert facts["missing"] == ("y, z" if role == "x" else "x, y")
    assert facts[f"component_{role}"] in component  # less a point or dash before a channel of SEED
    azimuth = radians(AZIMUTHS[component]) if component in AZIMUTHS else None
    assert facts.get(f"azimuth_{role}") == (azimuth if azimuth is None else pytest.approx(azimuth))
    assert "remarks" not in facts


def test_a_component_of_unknown_name_is_horizontal_with_a_remark(peer):
    path = peer("Landers, 6/28/1992, Coolwater, QX")
    with pytest.warns(UserWarning, match="component QX: the name says no direction; taken as horizontal"):
        motion = read_records(path)[0]
    assert motion.metadata["component_x"] == "QX"
    for component in ("361", "1000", "???"):
        with pytest.raises(MotionError, match="line 2: the direction of the component is neither"):
            read_records(peer(f"Landers, 6/28/1992, Coolwater, {component}"))


@pytest.mark.parametrize(
    ("date", "year", "unit", "factor", "counts"),
    [
        ("11/03/02", 2002, "CM/S2", 0.01, "    3   .00500"),
        ("5/19/40", 1940, "M/S2", 1.0, "    3   .00500  NPTS, DT"),
        ("1/17/1994", 1994, "CM/SEC**2", 0.01, "NPTS=      3, DT=   .0050 SEC,"),
        ("1/17/94", 1994, "CM/SEC/SEC.", 0.01, "NPTS=3, DT= .005"),
        ("1/17/94", 1994, "GAL", 0.01, "NPTS=3, DT= .005"),
        ("04/09/68", 1968, "G", G, "NPTS=3, DT= .005"),
    ],
)
def test_years_units_and_counts_of_peer(peer, date, year, unit, factor, counts):
    motion = read_records(peer(f"DENALI {date} 2212, TAPS, 047", unit=unit, counts=counts))[0]
    assert (motion.metadata["year"], motion.dt, motion.name) == (year, 0.005, f"DENALI {year}, TAPS")
    np.testing.assert_allclose(motion.acceleration[0], factor * np.array([0.1, -0.2, 0.3]), rtol=1e-15)
    with pytest.raises(MotionError, match="line 5: the samples end after 3 of the 4"):
        read_records(peer(f"DENALI {date} 2212, TAPS, 047", counts=counts.replace("3", "4", 1)))


@pytest.mark.parametrize(
    ("direction", "unit", "factor", "axis"),
    [
        ("north south", "units are (g)", G, "x"),
        ("vertical", "acceleration in cm/s2", 0.01, "z"),
        ("90 degrees", "accelerations (m/s/s)", 1.0, "x"),
    ],
)
def test_at2_in_free_text(tmp_path, direction, unit, factor, axis):
    head = f"Data of 2030, {direction} component\n1200 points at 0.01 sec\nThe {unit}\nNPTS= 3, DT= .01 SEC\n"
    (tmp_path / "a.AT2").write_text(f"{head} 0.1 -0.2\n 0.3\n")
    (motion,) = read_records(tmp_path / "a.AT2")
    np.testing.assert_allclose(motion.acceleration["xyz".index(axis)], np.array([0.1, -0.2, 0.3]) * factor)


# ----- several channels in a file, units that the caller knows


def test_bearings_and_units_of_csmip(change, read_one):
    path = change("CE89146.V2", "360 Deg => S 16 E", every=True)
    path.write_text(path.read_text().replace(" 90 Deg", " N 74 E"))
    motion = read_records(path)[0]
    assert [motion.metadata[f"component_{axis}"] for axis in "xy"] == ["S 16 E", "N 74 E"]
    assert motion.metadata["azimuth_x"] == pytest.approx(radians(164))
    expected = read_one("CE36456.V2").acceleration
    for word, factor in (("CM/S/S", 1.0), ("MM/SEC2", 0.1), ("GAL", 1.0)):
        scan = scan_records(change("CE36456.V2", f"(UNITS: CM/SEC/SEC) => IN {word}.", every=True))
        np.testing.assert_allclose(scan.motions[0].acceleration, factor * expected, rtol=1e-14)


@pytest.mark.parametrize(
    ("name", "words", "unit"),
    [("elcentro.AT2", " IN UNITS OF G.", "g"), ("CE36456.V2", "  (UNITS: CM/SEC/SEC)", "gal")],
)
def test_a_unit_that_the_header_lacks_is_the_one_given(change, read_one, name, words, unit):
    path = change(name, f"{words} => ", every=True)
    with pytest.raises(MotionError, match=r"does not say the unit; .* --unit g"):
        read_records(path)
    (motion,) = read_records(path, unit=unit)
    np.testing.assert_allclose(motion.acceleration, read_one(name).acceleration, rtol=1e-12)
    assert motion.metadata["unit_known"] == "given"


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


def test_each_place_of_a_building_is_a_motion(building, read_one):
    motions = read_records(building(places=True))
    assert [motion.metadata["location"] for motion in motions] == ["Roof - NW", "Ground"]
    assert motions[1].name == "Point MacKenzie Earthquake 2018, AK-BMR, Ground"
    for motion in motions:
        np.testing.assert_array_equal(motion.acceleration, read_one("AKBMR.V1").acceleration)


def test_channels_are_chosen_where_the_file_does_not_say_their_places(building, read_one):
    path = building(places=False)
    (motion,) = read_records(path, channels=[4, 5, 6])
    np.testing.assert_array_equal(motion.acceleration, read_one("AKBMR.V1").acceleration)
    assert read_records(path, channels=[1])[0].metadata["missing"] == "y, z"
    for place, channels, says in (
        (path, None, r"has 2 vertical components \(channel 3: BNZ, channel 6.*--channels 1,2,3"),
        (path, [1, 7], r"there is no channel 7; it has 1, 2, 3, 4, 5, 6"),
        (path, [7], r"none of the chosen channels; it has 1, 2, 3, 4, 5, 6"),
        (path, [0], r"channels must be whole numbers > 0, got \[0\]"),
        (RECORDS / "elcentro.AT2", [1], "the file does not number its channels"),
    ):
        with pytest.raises(MotionError, match=says):
            read_records(place, channels=channels)


# ----- files that name the directions of their columns: written in any order of the columns


@pytest.fixture
def write(tmp_path):
    def write(text):
        (tmp_path / "record.txt").write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path / "record.txt"

    return write


@pytest.mark.parametrize("name", WRITERS)
@given(
    order=st.permutations([0, 1, 2]),
    samples=st.lists(st.tuples(*[st.integers(-9_000_000, 9_000_000)] * 3), min_size=3, max_size=30).map(
        lambda rows: np.array(rows) / 1000
    ),  # thousandths of a gal survive every format
    dt=st.sampled_from([0.005, 0.01, 0.02]),
)
def test_x_is_east_and_y_north_in_any_order(tmp_path_factory, name, order, samples, dt):
    """Ground x is the component from which the other one lies 90 degrees counter-clockwise; z is up."""
    north, east, up = 0.01 * samples.T
    path = tmp_path_factory.mktemp("records") / "record.txt"
    path.write_text(WRITERS[name](samples[:, order], ["NEU"[i] for i in order], dt))
    (motion,) = read_records(path)  # a remark would be a warning, and an error here
    np.testing.assert_allclose(motion.acceleration, [east, north, up], rtol=1e-5, atol=1e-12)
    assert motion.dt == pytest.approx(dt, rel=1e-9)
    assert np.degrees([motion.metadata[f"azimuth_{axis}"] for axis in "xy"]) == pytest.approx([90, 0])


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize(("order", "missing"), [("NE", "z"), ("EU", "y"), ("U", "x, y")])
def test_components_may_be_missing(write, name, order, missing):
    samples = SAMPLE[:, ["NEU".index(axis) for axis in order]]
    more = {"signs": "+" * len(order)} if name == "tsmip" else {}
    (motion,) = read_records(write(WRITERS[name](samples, order, 0.01, **more)))
    assert motion.metadata["missing"] == missing
    for axis, found in zip("ENU", motion.acceleration, strict=True):
        expected = SAMPLE[:, "NEU".index(axis)] if axis in order else 0.0 * found
        np.testing.assert_allclose(found, 0.01 * expected, rtol=1e-5)


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("said", [None, "12 NOV 2019 at noon"])
def test_times_are_never_a_reason_to_refuse_a_record(write, name, said):
    times = ("INITIAL TIME", "#StartTime", "#Origin Time", "FECHA DEL SISMO", "HORA DE LA PRIMERA")
    lines = WRITERS[name](SAMPLE, "NEU", 0.01).splitlines()
    timed = [line for line in lines if line.strip().startswith(times)]
    kept = [f"{line[:40]}{said}" if line in timed else line for line in lines if said or line not in timed]
    (motion,) = read_records(write("\n".join(kept)))
    np.testing.assert_allclose(motion.acceleration, 0.01 * SAMPLE.T[[1, 0, 2]], rtol=1e-5)


@pytest.mark.parametrize("name", WRITERS)
def test_rows_and_numbers_that_are_lost_are_told_with_their_place(write, name):
    lines = WRITERS[name](np.tile(SAMPLE, (3, 1)), "NEU", 0.01).splitlines()
    fewer = " ".join(lines[-1].replace(",", " ").split()[:-1])
    for damaged in (lines[:-8], [*lines[:-1], fewer], [*lines[:-1], f"{lines[-1][:-3]}n.a"]):
        with pytest.raises(MotionError, match=r"record.txt, line \d+"):
            read_records(write("\n".join(damaged)))
    if name in ("bbp", "tsmip"):
        with pytest.raises(MotionError, match=r"the time step is not uniform: 0.02 s here"):
            read_records(write("\n".join(lines[:-3] + lines[-2:])))


@given(bearing=st.integers(0, 89), quarter=st.integers(0, 3), swap=st.booleans())
def test_bearings_of_asa(tmp_path_factory, bearing, quarter, swap):
    """A horizontal acceleration of known direction is found again, whatever the sensor's axes are."""
    azimuths = [90 * quarter + bearing, 90 * quarter + bearing + (90 if swap else -90)]
    push = np.outer([1.0, -2.0, 0.5], [30.0, 40.0])  # towards north and east [gal]
    samples = np.column_stack([push @ [np.cos(radians(a)), np.sin(radians(a))] for a in azimuths])
    said = [words(azimuth % 360) for azimuth in azimuths]
    path = tmp_path_factory.mktemp("asa") / "a.txt"
    path.write_text(asa(np.column_stack([samples, 0 * samples[:, 0]]), "", 0.01, said=[*said, "V"]))
    (motion,) = read_records(path)
    x, y = (motion.metadata[f"azimuth_{axis}"] for axis in "xy")
    assert degrees(x - y) % 360 == pytest.approx(90)
    north = motion.acceleration[0] * np.cos(x) + motion.acceleration[1] * np.cos(y)
    east = motion.acceleration[0] * np.sin(x) + motion.acceleration[1] * np.sin(y)
    np.testing.assert_allclose([north, east], 0.01 * push.T, atol=2e-6)  # four decimals of a gal


def words(azimuth):
    """Azimuth [deg] as a bearing, or as the opposite one with its sign."""
    pole, other = ("N", "S") if azimuth <= 90 or azimuth >= 270 else ("S", "N")
    angle = min(azimuth % 180, 180 - azimuth % 180)
    side = "E" if azimuth < 180 else "W"
    opposite = {"E": "W", "W": "E"}[side]
    return f"{other}{angle:02.0f}{opposite};-" if azimuth % 2 else f"{pole}{angle:02.0f}{side};+"


@pytest.mark.parametrize(
    ("said", "heads", "expected"),
    [
        (["N00E;+", "V;+", "N90W;+"], ["N00E", "V", "N90W"], [1, 3, 2]),  # of north and west north is x
        (["N00E;-", "N90W;-", "V;-"], None, [1, 2, -3]),  # of south and east south
        (["S00E", "+V", "N90E"], None, [1, 3, 2]),
        (["HLZ", "HLN", "HLE"], ["V", "N--S", "E--W"], [3, 2, 1]),
        (["NOOE", "VERT", "S9OE"], None, [3, 1, 2]),  # the letter for the digit
    ],
)
def test_spellings_and_signs_of_asa(write, said, heads, expected):
    motion = read_records(write(asa(SAMPLE, "", 0.01, said=said, heads=heads)))[0]
    assert 100 * motion.acceleration[:, 0] == pytest.approx(expected)  # of the columns 1, 2, 3


def test_more_channels_of_asa(write):
    path = write(asa(np.hstack([SAMPLE, 2 * SAMPLE]), "", 0.01, said=["N00E", "N90E", "V"] * 2))
    with pytest.raises(MotionError, match=r"has 2 vertical components .*--channels 1,2,3"):
        read_records(path)
    (motion,) = read_records(path, channels=[4, 5, 6])
    assert motion.acceleration[:, 0] == pytest.approx([0.04, 0.02, 0.06])


def test_unit_and_header_of_bbp(write):
    motion = read_records(write(bbp(SAMPLE / 980.665, "NEU", 0.01, unit="g", comment="%")))[0]
    assert motion.acceleration[0, 0] == pytest.approx(2 * G / 980.665, rel=1e-6)
    guide = (  # header of the file format guide
        "% ----------\n% synthetic broadband seismogram (Mai&Olsen 2008)\n% N = 8 header lines\n"
        "% site: 5017\n"
        "% NPTS, DT:  2 0.01\n%\n% time(s)    NS (cm/s/s)      EW(cm/s/s)       UP (cm/s/s)\n% ----------\n"
        "  0.00000    0.1E+01    0.2E+01    0.3E+01\n  0.01000    0.0E+00    0.0E+00    0.0E+00\n"
    )
    assert read_records(write(guide))[0].acceleration[:, 0] == pytest.approx([0.02, 0.01, 0.03])


def test_signs_of_tsmip(write):
    """East reversed is west, of which north lies clockwise: north becomes x and west y."""
    down = read_records(write(tsmip(SAMPLE[:, [2, 0, 1]], "UNE", 0.005, signs="-+-")))[0]
    assert down.acceleration[:, 1] == pytest.approx([-0.04, 0.055, -0.0625])


def test_old_files_of_jma_and_its_encodings(write):
    new = jma(SAMPLE, "NEU", 0.01, year="1995")
    old = jma(SAMPLE, "NEU", 0.01, end=",,,,,", year="95", rate="Sampling Freq")
    japanese = new.replace("Mashiki", "益城町宮園")
    for text, station in (
        (new, "Mashiki"),
        (old, "Mashiki"),
        (japanese, "益城町宮園"),
        (japanese.encode("cp932"), "益城町宮園"),
    ):
        (motion,) = read_records(write(text))
        np.testing.assert_allclose(motion.acceleration, 0.01 * SAMPLE.T[[1, 0, 2]], rtol=1e-12)
        assert (motion.dt, motion.metadata["year"], motion.metadata["station"]) == (
            0.01,
            1995,
            f"93051{station}",
        )
