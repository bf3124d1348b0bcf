"""Files of sensors: loggers as their documents describe them, other tables, and what is refused of them.

`mcrock/measurement/files.py` names the documents.
"""

import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from mcrock.base.tables.parsing import ConfigError
from mcrock.measurement import euler_angles, read_recording
from mcrock.measurement.files import read_markers

RATES = np.array([[1.0, 2.0, -3.0], [4.0, 5.0, 6.5]])
UP = np.array([[0.0, 0.0, 1.0], [0.0, 0.5, 1.0]])
XSENS = "PacketCounter{0}SampleTimeFine{0}Acc_X{0}Acc_Y{0}Acc_Z{0}Gyr_X{0}Gyr_Y{0}Gyr_Z{0}Mag_X"
COUNTS = {f"omega_{axis}": f"Gy{axis.upper()} [1/131 deg/s]" for axis in "xyz"} | {"time": "ms [ms]"}
RAW = "raw counts, of which the MPU-6050 gives 131 for 1 deg/s"
HEAD = "time [s], omega_x [deg/s], omega_y [deg/s], omega_z [deg/s]\n"
ROWS = "0, 1, 2, 3\n1, 4, 5, 6\n"

# text; step [s], unit of the rates, unit of the accelerations [m/s2], None without; columns that are said
FILES = {
    "phyphox, decimal commas": (
        '"Time (s)";"Gyroscope x (rad/s)";"Gyroscope y (rad/s)";"Gyroscope z (rad/s)"\n'
        "0,000E0;1,0E0;2,0E0;-3,0E0\n5,0E-3;4,0E0;5,0E0;6,5E0\n",
        (0.005, 1.0, None),
    ),
    "x-IMU3": (
        "Timestamp (us),Gyroscope X (deg/s),Gyroscope Y (deg/s),Gyroscope Z (deg/s),"
        "Accelerometer X (g),Accelerometer Y (g),Accelerometer Z (g)\n"
        "19150794,1,2,-3,0,0,1\n19170785,4,5,6.5,0,0.5,1\n",
        (0.019991, np.pi / 180, 9.80665),
    ),
    "Xsens MT Manager": (
        "// Start Time: Unknown\n// Sample rate: 100.0Hz\n// Firmware Version: 1.5.0\n"
        + XSENS.format("\t")
        + "\n00001\t4294967246\t0\t0\t1\t1\t2\t-3\t.9\n00002\t50\t0\t0.5\t1\t4\t5\t6.5\t.9\n",
        (0.01, 1.0, 1.0),
    ),
    "Xsens MT Manager, no time": (
        "// Start Time: Unknown\n// Update Rate: 100.0Hz\n// Filter Profile: human (46.1)\n"
        + XSENS.format("\t")
        + "\n65535\t\t0\t0\t1\t1\t2\t-3\t.9\n00000\t\t0\t0.5\t1\t4\t5\t6.5\t.9\n",
        (0.01, 1.0, 1.0),
    ),
    "Xsens DOT": (
        "sep=,\nDeviceTag:,1\nFirmwareVersion:,3.0.0\nSyncStatus:,Synced\nOutputRate:,60Hz\n"
        "StartTime: ,2025-07-11_20:06:00_086 WEST\n© Movella Technologies B. V. 2005-2025\n\n"
        + XSENS.format(",")
        + "\n1,4294960000,0,0,1,1,2,-3,.9\n2,9371,0,0.5,1,4,5,6.5,.9\n",
        (0.016667, np.pi / 180, 1.0),
    ),
    "Shimmer Consensys": (
        '"sep=,"\nS_1_Timestamp_Unix_CAL,S_1_Accel_WR_X_CAL,S_1_Accel_WR_Y_CAL,S_1_Accel_WR_Z_CAL,'
        "S_1_Accel_LN_X_CAL,S_1_Accel_LN_Y_CAL,S_1_Accel_LN_Z_CAL,"
        "S_1_Gyro_X_CAL,S_1_Gyro_Y_CAL,S_1_Gyro_Z_CAL,\n"
        "ms,m/(s^2),m/(s^2),m/(s^2),m/(s^2),m/(s^2),m/(s^2),deg/s,deg/s,deg/s,\n"
        "1732787038000.0,7,7,7,0,0,1,1,2,-3,\n1732787038005.0,7,7,7,0,0.5,1,4,5,6.5,\n",
        (0.005, np.pi / 180, 1.0),
    ),
    "OpenLog Artemis": (
        "rtcDate,rtcTime,micros,aX,aY,aZ,gX,gY,gZ,mX,mY,mZ,imu_degC,output_Hz,\n"
        "01/01/2024,00:00:01.00,1000,0,0,1,1,2,-3,0,0,0,25,200,\n"
        "01/01/2024,00:00:01.01,6000,0,0.5,1,4,5,6.5,0,0,0,25,200,\n",
        (0.005, np.pi / 180, 0.00980665),
    ),
    "PicoQuake": (
        "# PLab PicoQuake Data\n# Num. samples: 10000, Duration: 5.0 s\n"
        "# Config: data_rate = 2000.0 Hz, filter = 488 Hz, acc_range = 4 g, gyro_range = 250.0 dps\n"
        "count,a_x,a_y,a_z,g_x,g_y,g_z\n1,0,0,1,1,2,-3\n2,0,0.5,1,4,5,6.5\n",
        (0.0005, np.pi / 180, 9.80665),
    ),
    "Gyroflow": (
        "GYROFLOW IMU LOG\nversion,1.3\nid,custom_logger_name\norientation,YxZ\ntscale,0.001\n"
        "gscale,0.00122173047\nascale,0.00048828125\nt,gx,gy,gz,ax,ay,az\n0,1,2,-3,0,0,1\n1,4,5,6.5,0,0.5,1\n",
        (0.001, 0.00122173047, 0.00048828125 * 9.80665),
    ),
    "MetaBase": (
        "epoc (ms),timestamp (-0700),elapsed (s),x-axis (deg/s),y-axis (deg/s),z-axis (deg/s)\n"
        "1510341060289,2017-11-10T11.11.00.289,0.000,1,2,-3\n"
        "1510341060299,2017-11-10T11.11.00.299,0.010,4,5,6.5\n",
        (0.01, np.pi / 180, None),
    ),
    "Gyroscope.csv of Sensor Logger": (
        "time,seconds_elapsed,z,y,x\n1718030736872695300,0.0707,-3,2,1\n1718030736877695300,0.0757,6.5,5,4\n",
        (0.005, 1.0, None),
    ),
    "tabs": (
        "date\ttime [ms]\tgyroX [rad/s]\tGYRO_Y [rad/s]\tgyr_z [rad/s]\nmon\t0\t1\t2\t-3\ntue\t5\t4\t5\t6.5",
        (0.005, 1.0, None),
    ),
    "phyphox": (
        '"Time (s)","Gyroscope x (rad/s)","Gyroscope y (rad/s)","Gyroscope z (rad/s)","Sum"\n'
        "0.0E0,1.0E0,2.0E0,-3.0E0,3.7E0\n5.0E-3,4.0E0,5.0E0,6.5E0,9.0E0\n",
        (0.005, 1.0, None),
    ),
    "two times": (
        "timestamp [ms],time [s],omega_x [rad/s],omega_y [rad/s],omega_z [rad/s]\n"
        "7,0,1,2,-3\n9,.005,4,5,6.5\n",
        (0.005, 1.0, None),
    ),
    "own names": (
        "tick,a,b,c\n0,1,2,-3\n5000,4,5,6.5\n",
        (0.005, 1.0, None),
        {"time": "tick [us]", "omega_x": "a [rad/s]", "omega_y": "b [rad/s]", "omega_z": "c [rad/s]"},
    ),
    "one of two": (
        "time [s],omega_x [rad/s],omega_y [rad/s],omega_z [rad/s],raw [rad/s]\n0,9,2,-3,1\n.005,9,5,6.5,4\n",
        (0.005, 1.0, None),
        {"omega_x": "raw"},
    ),
    RAW: ("ms,GyX,GyY,GyZ\n0,131,262,-393\n5,524,655,851.5\n", (0.005, np.pi / 180, None), COUNTS),
} | {
    f"units as {unit}": (
        f"n,omega_y [{unit}],omega_z [{unit}],time [Sec],omega_x [{unit}],acceleration_x [g],"
        "acceleration_y [m/s2],acceleration_z [g]\n1,2,-3,0,1,0,0,1\n2,5,6.5,.005,4,0,4.903325,1\n",
        (0.005, np.pi / 180, 9.80665),
    )
    for unit in ("deg/s", "DEG/SEC", "\u00b0/s", "dps")
}


@pytest.fixture
def read(tmp_path):
    def read(text, *axes, name="test.csv", **options):
        (tmp_path / name).write_text(text)
        return read_recording(tmp_path / name, *axes, **options)

    return read


@pytest.mark.parametrize("logger", FILES)
def test_a_file_is_known_by_its_names_and_units(read, logger):
    text, (step, rates, up), *columns = FILES[logger]
    name = "Gyroscope.csv" if "Sensor Logger" in logger else "test.csv"
    found = read(text, name=name, columns=columns[0] if columns else {})
    assert np.diff(found.time) == pytest.approx([step], rel=1e-3)
    assert found.angular_velocity == pytest.approx(RATES * rates)
    if up is None:
        assert found.acceleration is None
    else:
        assert found.acceleration == pytest.approx(UP * up)


def test_axes_of_the_sensor_are_those_of_the_body_after_it(read):
    plain, turned = read(HEAD + ROWS), read(HEAD + ROWS, "y -x z")
    assert turned.angular_velocity == pytest.approx(plain.angular_velocity[:, [1, 0, 2]] * [1.0, -1.0, 1.0])


VICON = "Trajectories\n200\n,,b:A1\nFrame,Sub Frame,X,Y,Z\n,,mm,mm,mm\n"
PLAIN = "t [s], p [dps], gyro_y [dps], gyro_z [dps]\n" + ROWS
REFUSED = [  # text, options, what is said
    # what a file of a logger does not tell is asked for
    (FILES["Gyroscope.csv of Sensor Logger"][0], {}, "no column 'omega_x'"),  # its accelerometer looks alike
    (FILES["Gyroflow"][0].replace("gscale,0.00122173047\n", ""), {}, "'omega_x': expected its unit"),
    (FILES["OpenLog Artemis"][0].replace("micros,", "ms,"), {}, "no column 'time'"),
    (FILES["Xsens DOT"][0].replace("Gyr", "Euler"), {}, "no column 'omega_x'"),
    (
        "ms,GyX,GyY,GyZ\n0,1,2,3\n5,1,2,3\n",
        {"columns": COUNTS | {"omega_x": "GyX [1/0 deg/s]"}},
        "expected its unit",
    ),
    # columns
    (PLAIN.replace("p [dps]", "gyro_x"), {}, "'omega_x=HEADER [rad/s]'"),
    (PLAIN.replace("p [dps], gyro_y", "gyro_x [dps], gyr_x"), {}, "two columns for 'omega_x'"),
    (PLAIN, {}, "'omega_x=HEADER'"),
    (PLAIN, {"columns": {"gyro": "p"}}, "columns are of time, omega_x"),
    (PLAIN, {"columns": {"omega_x": "q"}}, "no column 'omega_x'"),
    (HEAD.replace("omega_z [deg/s]", "note") + ROWS, {}, "no column 'omega_z'"),
    (HEAD.replace("[s]", "") + ROWS, {}, "expected its unit"),
    (HEAD.replace("_x [deg/s]", "_x [turns]") + ROWS, {}, "rad/s, deg/s, dps"),
    # cells and axes
    (HEAD + "0, 1, 2, 3\n", {}, "two samples at least, got 1"),
    (HEAD + "1, 1, 2, 3\n0, 1, 2, 3\n", {}, "after 1 comes 0"),
    ("", {}, "test.csv: no header with columns of a sensor"),
    (HEAD + "0, 1, 2, 3\n1, nan, 2, 3\n", {}, "line 3, column 'omega_x"),
    (HEAD + "0, 1, 2, 3\n1, 1e200, 2, 3\n", {}, "or beyond 1e+09"),
    (HEAD + "0, a, 2, 3\n", {}, "expected a number"),
    (HEAD + ROWS, {"axes": "x x z"}, "once each"),
    (HEAD + ROWS, {"axes": "y x z"}, "left-handed"),
]


@pytest.mark.parametrize(("text", "options", "says"), REFUSED)
def test_files_that_tell_no_rates_are_refused(read, text, options, says):
    with pytest.raises(ValueError, match=re.escape(says)):  # a ConfigError is one
        read(text, **options)


def test_angles_are_rates_over_time(tmp_path):
    """Angles that a file lacks are 0; the others are those of `euler_angles`, whatever their order."""
    turns = Rotation.from_rotvec(np.outer(np.arange(50) / 100.0, [0.3, -0.4, 0.2]))
    angles = euler_angles(turns.as_quat(scalar_first=True))
    head = "time [ms],angle_z [deg],angle_x [deg],angle_y [deg]"
    cells = np.column_stack([10.0 * np.arange(50), np.degrees(angles[:, [2, 0, 1]])])
    np.savetxt(tmp_path / "turned.csv", cells, delimiter=",", header=head, comments="")
    found = read_recording(tmp_path / "turned.csv", "y -x z")
    assert found.time[0] == pytest.approx(0.005)
    assert found.angular_velocity == pytest.approx(np.tile([-0.4, -0.3, 0.2], (49, 1)))
    (tmp_path / "tilt.csv").write_text("t [s],phi_y [rad]\n0,0.1\n0.1,0.05\n0.2,0\n")
    flat = read_recording(tmp_path / "tilt.csv").angular_velocity
    assert flat == pytest.approx(np.tile([0.0, -0.5, 0.0], (2, 1)))


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.csv", "Trajectories\n100\n", "begins as Vicon writes markers, and has no table"),
        ("a.tsv", "NO_OF_FRAMES\t3\n1\t2\t3\n", "expected FREQUENCY and MARKER_NAMES"),
        ("a.csv", "#multi:\n\tA\nt\tvx\tvy\n", "expected columns t and x, y"),
        ("a.csv", "time [s]\n", "no markers; expected C3D"),
        ("a.csv", f"{VICON}1,0,1,2,3\n2,0,x,2,3\n", "line 7: in the table of markers .*'x'"),
    ],
)
def test_files_without_markers_are_refused(tmp_path, name, text, says):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ConfigError, match=says):
        read_markers(path)
