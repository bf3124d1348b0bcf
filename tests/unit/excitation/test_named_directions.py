"""Formats whose files name the directions of their columns: .bbp, TSMIP, JMA and ASA.

No genuine file is at hand; the tests write files in the documented forms, in any order of the columns.
"""

from math import degrees, radians

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.excitation import MotionError
from mcrock.excitation.readers import READERS, read_records, scan_records
from mcrock.excitation.readers.read import detect
from mcrock.excitation.readers.text_file import TextFile

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


@pytest.fixture
def write(tmp_path):
    def write(text, name="record.txt"):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path / name

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
    azimuths = [motion.metadata[f"azimuth_{axis}"] for axis in "xy"]
    assert np.degrees(azimuths) == pytest.approx([90, 0])
    assert motion.metadata["unit"] in ("gal", "cm/s2")
    assert motion.metadata["unit_known"] == "declared in the file"


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


TIMES = ("INITIAL TIME", "#StartTime", "#Origin Time", "FECHA DEL SISMO", "HORA DE LA PRIMERA")


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("said", [None, "12 NOV 2019 at noon"])
def test_times_are_never_a_reason_to_refuse_a_record(write, name, said):
    lines = WRITERS[name](SAMPLE, "NEU", 0.01).splitlines()
    timed = [line for line in lines if line.strip().startswith(TIMES)]
    kept = [f"{line[:40]}{said}" if line in timed else line for line in lines if said or line not in timed]
    (motion,) = read_records(write("\n".join(kept)))
    np.testing.assert_allclose(motion.acceleration, 0.01 * SAMPLE.T[[1, 0, 2]], rtol=1e-5)


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


@pytest.mark.parametrize("name", WRITERS)
def test_format_is_known_by_the_content(write, name):
    path = write(WRITERS[name](SAMPLE, "NEU", 0.01))
    file = TextFile.load(path)
    assert [key for key, reader in READERS.items() if reader.matches(file)] == [name]
    assert detect(file) is READERS[name]
    assert read_records(path, unit="gal", dt=0.01, format=name)[0].dt == 0.01
    with pytest.raises(MotionError, match="the unit 'g' is given, but in this"):
        read_records(path, unit="g")
    with pytest.raises(MotionError, match=r"columns are given, but a .* file says its directions"):
        read_records(path, columns=["time", "x", "y", "z"])


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("damage", ["rows lost", "a number lost", "no number"])
def test_damage_is_told_with_its_place(write, name, damage):
    lines = WRITERS[name](SAMPLE, "NEU", 0.01).splitlines()
    if damage == "rows lost":
        lines = lines[:-2]
    elif damage == "a number lost":
        lines[-1] = " ".join(lines[-1].replace(",", " ").split()[:-1])
    else:
        lines[-1] = lines[-1][:-3] + "n.a"
    with pytest.raises(MotionError, match=r"record.txt, line \d+"):
        read_records(write("\n".join(lines)))


@pytest.mark.parametrize("name", ["bbp", "tsmip"])
def test_a_lost_time_step_is_found(write, name):
    lines = WRITERS[name](np.tile(SAMPLE, (3, 1)), "NEU", 0.01).splitlines()
    with pytest.raises(MotionError, match=r"the time step is not uniform: 0.02 s here"):
        read_records(write("\n".join(lines[:-3] + lines[-2:])))


def test_units_and_quantities_of_bbp(write):
    motion = read_records(write(bbp(SAMPLE / 980.665, "NEU", 0.01, unit="g", comment="%")))[0]
    assert motion.acceleration[0, 0] == pytest.approx(2 * STANDARD_GRAVITY / 980.665, rel=1e-6)
    scan = scan_records(write(bbp(SAMPLE, "NEU", 0.01, unit="cm/s")))
    assert [*scan.left_out.values()] == ["velocity, no acceleration"]
    with pytest.raises(MotionError, match=r"line 2: expected one unit of acceleration .* got furlong"):
        read_records(write(bbp(SAMPLE, "NEU", 0.01, unit="furlong")))
    guide = (  # header of the file format guide
        "% ----------\n% synthetic broadband seismogram (Mai&Olsen 2008)\n% N = 8 header lines\n"
        "% site: 5017\n"
        "% NPTS, DT:  2 0.01\n%\n% time(s)    NS (cm/s/s)      EW(cm/s/s)       UP (cm/s/s)\n% ----------\n"
        "  0.00000    0.1E+01    0.2E+01    0.3E+01\n  0.01000    0.0E+00    0.0E+00    0.0E+00\n"
    )
    assert read_records(write(guide))[0].acceleration[:, 0] == pytest.approx([0.02, 0.01, 0.03])


def test_what_tsmip_says(write):
    text = tsmip(SAMPLE[:, [2, 0, 1]], "UNE", 0.005)
    motion = read_records(write(text))[0]
    assert motion.metadata["station"] == "ILA005"
    assert (motion.metadata["year"], motion.metadata["magnitude"]) == (2018, 6.0)
    assert motion.group == "ILA005 2018/02/06-23:50:29.000"
    down = read_records(write(tsmip(SAMPLE[:, [2, 0, 1]], "UNE", 0.005, signs="-+-")))[0]
    # east reversed is west, of which north lies clockwise: north becomes x and west y
    assert down.acceleration[:, 1] == pytest.approx([-0.04, 0.055, -0.0625])
    for old, new, message in (
        ("gal. DC", "counts. DC", "AmplitudeUnit must be one of m/s2"),
        ("U(+)", "Q(+)", "column must be a direction such as N, N28W, 090, HNE or Up, got 'Q'"),
        ("Rate(Hz): 200", "Rate(Hz): 100", "the time column steps by 0.005 s, but dt = 0.01 s"),
        ("Rate(Hz): 200", "Rate(Hz): fast", r"SampleRate\(Hz\) must be a number > 0, got 'fast'"),
    ):
        with pytest.raises(MotionError, match=message):
            read_records(write(text.replace(old, new)))
    scan = scan_records(write(text.replace("MAX. N:", "MAX. N:  9999.9~")))
    assert (
        "component N: the largest sample is 0.04 m/s2, the file says" in scan.motions[0].metadata["remarks"]
    )


def test_old_and_new_files_of_jma(write):
    old = read_records(write(jma(SAMPLE, "NEU", 0.02, end=",,,,,", year="95", rate="Sampling Freq")))[0]
    new = read_records(write(jma(SAMPLE, "NEU", 0.02, year="1995")))[0]
    np.testing.assert_array_equal(old.acceleration, new.acceleration)
    assert (old.metadata["year"], old.dt) == (new.metadata["year"], new.dt) == (1995, 0.02)
    japanese = jma(SAMPLE, "NEU", 0.01).replace("Mashiki", "益城町宮園")
    for encoding in ("cp932", "utf-8"):
        assert read_records(write(japanese.encode(encoding)))[0].metadata["station"] == "93051益城町宮園"
    for old_text, new_text, message in (
        ("gal(cm/s/s)", "counts", r"line 5: UNIT must be one of m/s2"),
        ("NS,EW,UD", "a,b,c", "line 7: column must be a direction such as N, N28W, 090, HNE or Up, got 'a'"),
        ("100Hz", "0Hz", r"line 4: SAMPLING RATE \[Hz\] must be a number > 0, got '0'"),
        (" UNIT  = gal(cm/s/s)\r\n", "", r"has no line 'UNIT'"),
        ("-4.000,", ",", r"line 9: expected 3 columns of numbers"),
    ):
        with pytest.raises(MotionError, match=message):
            read_records(write(jma(SAMPLE, "NEU", 0.01).replace(old_text, new_text)))


@pytest.mark.parametrize(
    ("said", "heads", "expected"),
    [
        (["N00E;+", "V;+", "N90W;+"], ["N00E", "V", "N90W"], [1, 3, 2]),  # of north and west north is x
        (["S00E", "+V", "N90E"], None, [1, 3, 2]),  # of south and east south
        (["HLZ", "HLN", "HLE"], ["V", "N--S", "E--W"], [3, 2, 1]),
        (["NOOE", "VERT", "S9OE"], None, [3, 1, 2]),  # the letter for the digit
    ],
)
def test_spellings_of_asa(write, said, heads, expected):
    motion = read_records(write(asa(SAMPLE, "", 0.01, said=said, heads=heads)))[0]
    assert 100 * motion.acceleration[:, 0] == pytest.approx(expected)  # of the columns 1, 2, 3


def test_signs_of_asa(write):
    motion = read_records(write(asa(SAMPLE, "", 0.01, said=["N00E;-", "N90W;-", "V;-"])))[0]
    # south and east: south is x
    assert motion.acceleration[:, 0] == pytest.approx([0.01, 0.02, -0.03])
    assert motion.metadata["azimuth_x"] == pytest.approx(np.pi)


def test_more_channels_of_asa(write):
    six = np.hstack([SAMPLE, 2 * SAMPLE])
    path = write(asa(six, "", 0.01, said=["N00E", "N90E", "V"] * 2))
    with pytest.raises(MotionError, match=r"has 2 vertical components .*--channels 1,2,3"):
        read_records(path)
    (motion,) = read_records(path, channels=[4, 5, 6])
    assert motion.acceleration[:, 0] == pytest.approx([0.04, 0.02, 0.06])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("/N00E/N90E/V", "/T/L/Q", "ORIENTACION must be bearings such as /N00E/V/N90W, got 'T/L/Q'"),
        ("N00E   N90E", "N90E   N00E", "line 108: the column 'N90E' is 'N00E' by ORIENTACION of the header"),
        ("Gales (cm/seg/seg)", "cuentas", "UNIDADES DE LOS DATOS must be a unit of acceleration"),
        ("/0.01/0.01/0.01", "/0.01/0.02/0.01", "INTERVALO DE MUESTREO must be one number, the same for 3"),
        ("C1-C6         : /3/3/3", "C1-C6 : /4/4/4", "the samples end after 9 of the 12"),
        ("C1-C6         : /3/3/3", "C1-C6 : /2/2/2", "the file goes on after 6 samples"),
        ("CANAL-1", "X", "no line 'CANAL-1 CANAL-2 CANAL-3'"),
    ],
)
def test_asa_that_contradicts_itself(write, old, new, message):
    text = asa(SAMPLE, "NEU", 0.01)
    assert old in text
    with pytest.raises(MotionError, match=message):
        read_records(write(text.replace(old, new)))


def test_two_horizontal_directions_that_are_not_square_are_refused(write):
    with pytest.raises(MotionError, match="are 45 deg apart, expected 90 deg"):
        read_records(write(asa(SAMPLE, "", 0.01, said=["N00E", "N45E", "V"])))
