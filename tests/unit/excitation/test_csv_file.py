"""Text tables of acceleration: what is understood, and what is refused with which words."""

# ruff: noqa: E501 -- a table and what is said of it stand on one line

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcrock.base.units import ACCELERATIONS
from mcrock.excitation import MotionError, read_csv
from mcrock.excitation.readers.csv_file import read_table

G = 9.80665
UNKNOWN = "directions are unknown; name them in a first line, as in "
# every step is within 1 % of the usual one, yet the last times are steps away from an even grid
TIMES = np.concatenate([[0.0], np.cumsum(np.linspace(0.00995, 0.01005, 2000))]).tolist()
DRIFTING = "\n".join(f"{t!r},1" for t in TIMES)


@pytest.fixture
def write(tmp_path):
    def write(text, name="record.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_time_and_two_components(write):
    motion = read_csv(write("time,x,y\n0.00,1,4\n0.01,2,5\n0.02,3,6\n"), "m/s2")
    assert motion.acceleration.tolist() == [[1, 2, 3], [4, 5, 6], [0, 0, 0]]
    assert motion.dt == 0.01
    assert (motion.name, motion.group) == ("record", "record")
    assert motion.metadata == {"file": "record.csv", "unit": "m/s2"}
    assert read_csv(write("0 1\n1 2"), "g", name="El Centro").name == "El Centro"


@pytest.mark.parametrize(
    "text",
    [
        "time,x,y\n0,1,3\n0.5,2,4\n",
        "El Centro 1940, component 180\n2 points at 0.5 s\ntime,x,y\n0,1,3\n0.5,2,4\n",
        "\ufefftime,x,y\n0,1,3\n0.5,2,4\n",  # byte order mark of a spreadsheet
        "Time (s), ax (m/s2), ay (m/s2)\n0,1,3\n0.5,2,4\n",
        "t [s] acc_x [m/s2] acc_y [m/s2]\n0 1 3\n0.5 2 4\n",
        "Time,Acceleration,Y\n0,1,3\n0.5,2,4\n",
        "# Sim NGAH, stat=2001\n#  time(sec)  X(m/s/s)  Y(m/s/s)\n0 1 3\n0.5 2 4\n",  # names in a comment
        "% time EW NS\n% cut\n0 1 3\n0.5 2 4\n",
        '"t","a_x","a_y"\n"0","1","3"\n"0.5","2","4"\n',
        "y,time,x\n3,0,1\n4,0.5,2\n",  # names settle the order
        "Earthquake of El Centro\ncomponents north, east\ntime,x,y\n0,1,3\n0.5,2,4\n",
        "Acceleration\ntime,x,y\n0,1,3\n0.5,2,4\n",
        "time,x,y\nseconds,metric,metric\n0,1,3\n0.5,2,4\n",
        "Time [s],ax [m/s^2],ay [m/s²]\n0,1,3\n0.5,2,4\n",
        "time_s,ax_m/s2,ay_m/s2\n0,1,3\n0.5,2,4\n",
        "Time (sec),Acceleration X (m/s/s),Acceleration Y (M/SEC/SEC)\n0,1,3\n0.5,2,4\n",
        "Time,Accel_X,Acc. Y\n0,1,3\n0.5,2,4\n",
        "seconds,H1,H2\n0,1,3\n0.5,2,4\n",
        "time,x,y\ns,m/s2,m/s2\n0,1,3\n0.5,2,4\n",
        "time,EW,NS\n0,1,3\n0.5,2,4\n",
        "N,E,time\n3,1,0\n4,2,0.5\n",
        "time,x,y\n0,1,3\n\n0.5,2,4\x1a\n",  # end of file of DOS
        "# Güvenç\ntime,x [m/s²],y\n0,1,3\n0.5,2,4\n".encode("latin-1"),
        "time;x;y\n0;1;3,0\n0,5;20,0e-1;4\n",  # of a European spreadsheet
        "t;x;y\n0,0\t1\t3\n0,5\t2\t4\n",
    ],
)
def test_one_record_in_many_clothes(write, text):
    motion = read_csv(write(text), "m/s2")
    assert motion.acceleration.tolist() == [[1, 2], [3, 4], [0, 0]]
    assert motion.dt == 0.5


@pytest.mark.parametrize(
    "text",
    [
        "0,1,3\n0.5,2,4\n",
        "0 1   3\n0.5\t2 4".replace("\t", " "),
        "0\t1\t3\n0.5\t2\t4",
        "0;1;3\n0.5;2;4",
        "0, 1, 3\r\n0.5, 2, 4\r\n",
        "# station 12, 1940\n% dt 0.5\n\n0,1,3\n# middle\n0.5,2,4\n\n",
        "0e0,1E0,+3\n5e-1,2.,4\n",
        "7.5,1,3\n8,2,4\n",  # a record may begin at any time
        "0,1.0D0,3\n0.5,2.D+00,4\n",  # exponents of Fortran
        "time,x,y\n0,1,3\n0.5,2,4\n",
        "Zeit,Achse,quer\n0,1,3\n0.5,2,4\n",
        "# time  radial  transverse\n0 1 3\n0.5 2 4\n",
    ],
)
def test_columns_are_named_by_the_caller(write, text):
    motion = read_csv(write(text), "m/s2", columns=["time", "x", "y"])
    assert motion.acceleration.tolist() == [[1, 2], [3, 4], [0, 0]]
    assert motion.dt == 0.5
    if not text.startswith("time"):
        motion = read_csv(write(text), "m/s2", columns=["time", "NS", "EW"])
        assert motion.acceleration.tolist() == [[3, 4], [1, 2], [0, 0]]
        with pytest.raises(MotionError, match=r"--columns"):
            read_csv(write(text), "m/s2")


@pytest.mark.parametrize(
    ("names", "components", "azimuths_deg"),
    [
        ("time,NS,EW,UD", ["EW", "NS", "UD"], [90, 0]),
        ("time,E,N,Up", ["E", "N", "UP"], [90, 0]),
        ("time,W-E,N-S,Up", ["W-E", "N-S", "UP"], [90, 0]),
        ("time,N30E,S60E,HNZ", ["S60E", "N30E", "HNZ"], [120, 30]),
        ("time,H2,H1,vertical", ["H2", "H1", "VERTICAL"], [None, None]),
    ],
)
def test_directions_are_put_in_order(write, names, components, azimuths_deg):
    """Ground y lies counter-clockwise of x; without directions the first column is x."""
    motion = read_csv(write(f"{names}\n0,1,2,3\n1,1,2,3\n"), "g")
    assert [motion.metadata[f"component_{axis}"] for axis in "xyz"] == components
    columns = names.upper().split(",")
    expected = [G * columns.index(name) for name in components]
    assert motion.acceleration[:, 0].tolist() == pytest.approx(expected, rel=1e-15)
    for axis, azimuth in zip("xy", azimuths_deg, strict=True):
        found = motion.metadata.get(f"azimuth_{axis}")
        assert found is None if azimuth is None else np.degrees(found) == pytest.approx(azimuth)


@pytest.mark.parametrize(
    ("names", "remark"),
    [
        ("time,H1,H2", "components H1 and H2: directions unknown; H2 is taken as counter-clockwise of H1"),
        ("time,W-E,N-S", "component W-E: taken as positive towards east"),
        ("time,x,y", None),
        ("time,EW,NS", None),
        ("time,H1,z", None),
    ],
)
def test_names_that_say_no_direction_are_remarked(write, names, remark):
    assert read_csv(write(f"{names}\n0,1,2\n1,1,2\n"), "g").metadata.get("remarks") == remark


@pytest.mark.parametrize(
    ("text", "acceleration"),
    [
        ("1\n2\n5\n", [[1, 2, 5], [0, 0, 0], [0, 0, 0]]),
        ("x,y\n1.,4\n2,1\n0,0\n", [[1, 2, 0], [4, 1, 0], [0, 0, 0]]),
        ("# x y z\n1,4,7\n2,1,7\n0,0,7\n", [[1, 2, 0], [4, 1, 0], [7, 7, 7]]),
        ("x,y,z\n1,4,7\n1,1,7\n1,0,7\n", [[1, 1, 1], [4, 1, 0], [7, 7, 7]]),
        ("z\n1\n2\n5\n", [[0, 0, 0], [0, 0, 0], [1, 2, 5]]),
        ("a title\n1\n2\n5\n", [[1, 2, 5], [0, 0, 0], [0, 0, 0]]),
        ("0,1\n0.25,2\n0.5,5\n", [[1, 2, 5], [0, 0, 0], [0, 0, 0]]),  # only increases: a time after all
        ("time,x,y,z\n0,1,2,3\n0.25,1,2,3\n", [[1, 1], [2, 2], [3, 3]]),
        ("x,y\n1,4\n2,4\n3,4\n", [[1, 2, 3], [4, 4, 4], [0, 0, 0]]),  # only increases, but named
    ],
)
def test_columns_with_dt_given(write, text, acceleration):
    motion = read_csv(write(text), "m/s2", dt=0.25)
    assert motion.acceleration.tolist() == acceleration
    assert motion.dt == 0.25


@pytest.mark.parametrize(
    ("unit", "factor"),
    [("m/s^2", 1), ("cm/s²", 0.01), ("CM/SEC/SEC", 0.01), ("mm/s/s", 1e-3), ("g", G), ("mg", G / 1e3)],
)
def test_units(write, unit, factor):
    motion = read_csv(write("0,0.5\n1,-0.25\n"), unit)
    assert motion.acceleration[0].tolist() == [0.5 * factor, -0.25 * factor]


@given(
    dt=st.sampled_from([0.0024, 0.0025, 0.005, 0.01, 0.02, 1 / 128, 1 / 200]),
    samples=st.lists(st.floats(-20, 20), min_size=2, max_size=40),
    start=st.sampled_from([0.0, 0.02, 12.5]),
)
def test_round_trip_is_exact(tmp_path_factory, dt, samples, start):
    path = tmp_path_factory.mktemp("csv") / "record.csv"
    lines = [f"{start + i * dt!r},{sample!r}" for i, sample in enumerate(samples)]
    path.write_text("time,x\n" + "\n".join(lines))
    motion = read_csv(path, "m/s2")
    np.testing.assert_array_equal(motion.acceleration[0], samples)
    assert motion.dt == dt


def test_rounded_times_are_uniform_within_the_tolerance(write):
    times = [round(i / 128, 4) for i in range(200)]
    motion = read_csv(write("\n".join(f"{t},1" for t in times)), "m/s2", dt=1 / 128)
    assert motion.dt == 1 / 128


@pytest.mark.parametrize("decimals", [3, 4, 5, 6])
@pytest.mark.parametrize("start", [0.0, 12.3456])
def test_times_may_be_cut_to_their_printed_digits(write, decimals, start):
    text = "\n".join(f"{start + i / 128:.{decimals}f},1" for i in range(5000))
    motion = read_csv(write(text), "m/s2")
    assert motion.dt == pytest.approx(1 / 128, rel=2 * 10.0**-decimals / (5000 / 128))
    assert read_csv(write(text), "m/s2", dt=1 / 128).dt == 1 / 128


@pytest.mark.parametrize("lost", [1, 40, 98])
@pytest.mark.parametrize("decimals", [2, 3, 4])
def test_a_lost_sample_is_found_between_rounded_times(write, lost, decimals):
    times = [f"{i / 128:.{decimals}f},1" for i in range(100) if i != lost]
    with pytest.raises(MotionError, match=r"the time step is not uniform|time does not increase"):
        read_csv(write("\n".join(times)), "m/s2")


def test_both_ways_of_reading_agree(write, monkeypatch):
    """All numbers at once, and line by line where that fails."""
    rng = np.random.default_rng(3)
    rows = [f"{i * 0.01:.2f},{a:.6E},{b:.5f}" for i, (a, b) in enumerate(rng.normal(size=(200, 2)))]
    path = write("time,x,y\n" + "\n".join(rows) + "\n\n")
    fast = read_table(path)
    monkeypatch.setattr("mcrock.excitation.readers.csv_file._convert", lambda body: None)
    slow = read_table(path)
    np.testing.assert_array_equal(fast[2], slow[2])
    assert fast[:2] == slow[:2]
    assert fast[1] == list(range(2, 202))
    path = write("time;x;y\n" + "\n".join(rows).replace(",", ";").replace(".", ","))
    np.testing.assert_array_equal(read_table(path)[2], fast[2])
    monkeypatch.undo()
    np.testing.assert_array_equal(read_table(path)[2], fast[2])


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        # columns that the caller names
        ("time,x,y\n0,1,3\n1,2,4\n", {"columns": ["time", "y", "x"]}, r"is given, but the file names them time, x, y$"),
        ("# time NS EW\n0 1 3\n1 2 4\n", {"columns": ["time", "EW", "NS"]}, r"the file names them time, NS, EW$"),
        ("0 1 3\n1 2 4\n", {"columns": ["time", "EW"]}, r"columns = time, EW is given, 2 names for 3 columns"),
        ("0 1 3\n1 2 4\n", {"columns": ["time", "a2", "b"]}, r"column 'a2' is not known"),
        ("0 1 3\n1 2 4\n", {"columns": ["time", "N", "N45E"]}, r"are not 90 deg apart"),
        ("0 1 3\n1 2 4\n", {"columns": ["time", "x", "x"]}, r"expected one column each"),
        ("0 1 3\n1 2 4\n", {"columns": ["time", "x (g)", "y"]}, r"names say 'g', but the unit given is 'm/s2'"),
        # of two columns no place says which lies counter-clockwise of the other
        ("0,1,3\n0.5,2,4\n", {}, UNKNOWN + "time,EW,NS .*--columns"),
        ("0 1 3 5\n0.5 2 4 5\n", {"dt": 0.5}, UNKNOWN + "time,EW,NS,UD .*--columns"),
        ("1.,4\n2,1\n", {"dt": 0.5}, UNKNOWN + "EW,NS .*--columns"),
        ("# one two three four\n0 1 3 5\n0.5 2 4 5\n", {}, UNKNOWN + "time,EW,NS,UD .*--columns"),
        # a comment that names columns is taken at its word
        ("# time velocity\n0 1\n1 2\n", {}, r"column 'velocity' is not known"),
        ("# time(s) N-S(cm/s/s) E-W(cm/s/s)\n0 1 2\n1 2 3\n", {}, r"say 'cm/s/s', but the unit given is 'm/s2'"),
        # reading all at once is no more lenient
        *((f"0,1\n{row}", {}, r"record.csv, line 2") for row in ("0.1,0x10", "0.1,1_0", "0.1,05", "0.1,1e5x", "0.1")),
        (DRIFTING, {}, "the time step is not uniform"),
        ("", {}, r"record.csv: at least 2 lines of numbers are needed, got 0"),
        ("# nothing\ntime,x\n", {}, r"at least 2 lines of numbers are needed, got 0"),
        ("time,x\n0,1\n", {}, r"at least 2 lines of numbers are needed, got 1"),
        (b"\xff\xfe\x00\x01", {}, r"record.csv: not a text file in UTF-8"),
        ("0,1\n0.1,nan\n", {}, r"record.csv, line 2, column 2: expected a number .*got 'nan'"),
        ("time,x\n0,1\ninf,2\n", {}, r"record.csv, line 3, column 1: expected a number .*got 'inf'"),
        ("time,x\n0,1\n\n0.1,1e999\n", {}, r"line 4, column 2: expected a number .*got '1e999'"),
        ("time,x\n0,1\n0.1,abc\n", {}, r"line 3, column 2: expected a number with a .* point, got 'abc'"),
        ("0,abc\n0.1,1\n", {}, r"line 1, column 2: expected a number .* got 'abc'; .* a line of text with #"),
        ("El 1940\n0 1\n", {}, r"line 1, column 1: expected a number .*begin a line of text with #"),
        ("0;1.234,5\n1;0,3\n", {}, r"line 1, column 2: expected a number .* got '1.234.5'"),
        ("# a\n0,0 0,5\n0,1 0,3\n", {}, r"line 2, column 2: expected .* got '0 0'; .*by semicolons"),
        ("0,5 1,5E-03\n0,1 0,3\n", {}, r"line 1, column 2: expected a number with a decimal point"),
        ("12,5\n-3,2\n0,7\n-5,0\n", {"dt": 0.01}, r"line 1: '12,5' .* with a decimal comma or two columns"),
        ('"12,5"\n"-3,2"\n', {"dt": 0.01}, r"may be a number with a decimal comma or two columns"),
        ("time,x\ns,g\n0,1\n1,2\n", {}, r"the column names say 'g', but the unit given is 'm/s2'"),
        ("s,g\n0,1\n1,2\n", {}, r"the column names say 'g', but the unit given is 'm/s2'"),
        ("time,a,v,d\n0,1,1,1\n1,2,2,2\n", {}, r"column 'v' is not known"),
        ("time,x,NS\n0,1,1\n1,2,2\n", {}, r"expected at most two horizontal columns and a vertical one"),
        ("time,H1,H2,EW\n0,1,1,1\n1,2,2,2\n", {}, r"expected at most two horizontal columns"),
        ("time,N,N45E\n0,1,1\n1,2,2\n", {}, r"the directions N and N45E are not 90 deg apart"),
        ("Datum;Beschleunigung in m/s²\n0;1\n1;2\n".encode("latin-1"), {}, r"column .Datum. is not known"),
        ("0,1_000\n1,2\n", {}, r"line 1, column 2: expected a number with a decimal point, got '1_000'"),
        ("0,1\n0.1,\n", {}, r"line 2, column 2: expected a number with a decimal point, got ''"),
        ("0,1\n0.1,2\nthe end\n", {}, r"line 3, column 1: expected a number .*got 'the'"),
        ("0,1\n# note\n0.1,1,2\n", {}, r"record.csv, line 3: 3 columns, but 2 in line 1"),
        ("0,1,2,3,4\n1,1,2,3,4\n", {}, r"expected at most 4 columns, time, x, y, z, got 5"),
        ("1,1,2,3,4\n0,1,2,3,4\n", {"dt": 0.1}, r"expected at most 4 columns, time, x, y, z, got 5"),
        ("1\n2\n", {}, r"record.csv: there is no time column; give dt, the time step \[s\]"),
        ("x,y\n1,2\n2,3\n", {}, r"there is no time column; give dt, the time step \[s\]"),
        ("0,1\n0.01,2\n0.01,3\n", {}, r"record.csv, line 3: time does not increase: 0.01 s after 0.01 s"),
        ("time,x\n0,1\n0.02,2\n0.01,3\n", {}, r"line 4: time does not increase: 0.01 s after 0.02 s"),
        ("3,1\n2,2\n", {}, r"line 2: time does not .* first column is not the time, give dt \[s\] and name"),
        ("0,1\n0.1,2\n0.1,2\n", {"dt": 0.1}, r"line 3: time does not increase"),
        ("0,1\n0.1,2\n0.4,2\n", {"dt": 0.1}, r"the time step is not uniform"),
        ("x\n0,1\n2,3\n", {"dt": 0.1}, r"1 column names \(x\) for 2 columns; begin a title"),
        ("0,5\n-0,05\n0,3\n", {"dt": 0.1}, r"line 2, column 2: expected a number with a .* got '05'"),
        ("time,x\n0,1\n.01,1\n.02,1\n.04,1\n.05,1", {}, r"line 5: the time step is not uniform: 0.02 s here, 0.01 s elsewhere; resample"),
        ("0,1\n.1,1\n.2,1\n.30123,1\n.4,1\n.5,1", {}, r"line 4: the time step is not uniform: 0.10123 s here, 0.1 s elsewhere"),
        ("time,x\n0,1\n0.01,2\n", {"dt": 0.02}, r"the time column steps by 0.01 s, but dt = 0.02 s is given"),
        ("0,1\n0.01,2\n0.02,3\n", {"dt": 0.005}, r"time column steps by 0.01 s, but dt = 0.005 s is given"),
        ("t,x,y,z\n0,1,2,3\n0.01,1,2,3\n", {"dt": 0.02}, r"the time column steps by 0.01 s, but dt = 0.02 s"),
        ("time,velocity\n0,1\n1,2\n", {}, r"'velocity' is not .* name the columns time, x, y, z, or by"),
        ("north wall,roof\n0,1\n1,2\n", {}, r"column 'north wall' is not known.*--columns"),
        ("time,x,x\n0,1,1\n1,2,2\n", {}, r"expected one column each of time, x, y, z, got time, x, x"),
        ("time\n0\n1\n", {}, r"expected one column each of time, x, y, z, got time$"),
        ("time,ax (g)\n0,1\n1,2\n", {}, r"the column names say 'g', but the unit given is 'm/s2'"),
        ("time [min],x\n0,1\n10,2\n", {}, r"the column names say 'min', expected one of s, ms, us"),
        ("time [s],x [ft/s]\n0,1\n10,2\n", {"unit": None}, r"say 'ft/s', expected one of m/s2, cm/s2"),
        ("0,1\n1,2\n", {"unit": None}, r"a table does not say its unit; give the unit of the acceleration"),
        ("1\n2\n", {"dt": 0.0}, r"csv: dt must be a finite number >= 1e-05 and <= 1 \[s\], got 0.0"),
        ("0,1\n1e9,2\n", {}, r"csv: the time step must be a finite .* <= 1 \[s\], got 10000+.0"),
    ],
)  # fmt: skip
def test_refuses(write, text, options, message):
    with pytest.raises(MotionError, match=message):
        read_csv(write(text), **({"unit": "m/s2"} | options))


def test_refuses_what_is_not_there(write, tmp_path):
    for path, says in (
        (tmp_path / "absent.csv", r"absent.csv: .*: No such file"),
        (tmp_path, "Is a directory"),
    ):
        with pytest.raises(MotionError, match=says):
            read_csv(path, "g")
    assert read_csv(write("# El Centro\n0 1\n1 2\n"), "g").dt == 1.0  # a title of as many words as columns


@pytest.mark.parametrize(
    ("text", "unit", "second"),
    [
        ("time [ms],x [gal]\n0,1\n10,2\n", "gal", 0.02),
        ("# time(s)  EW(cm/s/s)\n0 1\n0.01 2\n", "cm/s/s", 0.02),
        ("t_ms;acc_g\n0;1\n10;2\n", "g", 2 * G),
        ("time,x\ns,mg\n0,1\n0.01,2\n", "mg", 0.002 * G),
        ("ms,m/s2\n0,1\n10,2\n", "m/s2", 2.0),
    ],
)
def test_units_of_the_columns_are_those_the_file_says(write, text, unit, second):
    motion = read_csv(write(text), "cm/s2" if unit == "gal" else None)  # a synonym
    assert motion.dt == pytest.approx(0.01)
    assert motion.metadata["unit"] == unit
    assert motion.acceleration[0, 1] == pytest.approx(second)


@pytest.mark.parametrize("unit", ACCELERATIONS)
def test_warns_of_a_peak_above_three_g(write, unit):
    high, low = 3.01 * G / ACCELERATIONS[unit], 2.99 * G / ACCELERATIONS[unit]
    with pytest.warns(UserWarning, match=rf"record.csv: peak acceleration 3.01 g with the unit '{unit}'"):
        read_csv(write(f"0,0\n1,{-high!r}\n"), unit)
    read_csv(write(f"0,0\n1,{low!r}\n"), unit)  # warnings are errors in this suite
