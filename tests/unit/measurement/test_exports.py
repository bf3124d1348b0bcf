"""Files of loggers as their documents describe them; `mcrock/measurement/files.py` names these."""

from pathlib import Path

import numpy as np
import pytest

from mcrock.base.tables.parsing import ConfigError
from mcrock.measurement import read_recording

RATES = np.array([[1.0, 2.0, -3.0], [4.0, 5.0, 6.5]])
UP = np.array([[0.0, 0.0, 1.0], [0.0, 0.5, 1.0]])
XSENS = "PacketCounter{0}SampleTimeFine{0}Acc_X{0}Acc_Y{0}Acc_Z{0}Gyr_X{0}Gyr_Y{0}Gyr_Z{0}Mag_X"

# text, step [s], unit of the rates, unit of the accelerations [m/s2], None without
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
}


@pytest.mark.parametrize("logger", FILES)
def test_a_logger_is_known_by_its_file(tmp_path, logger):
    text, (step, rates, up) = FILES[logger]
    path = Path(tmp_path / ("Gyroscope.csv" if "Sensor Logger" in logger else "test.csv"))
    path.write_text(text)
    found = read_recording(path)
    assert np.diff(found.time) == pytest.approx([step], rel=1e-3)
    assert found.angular_velocity == pytest.approx(RATES * rates)
    if up is None:
        assert found.acceleration is None
    else:
        assert found.acceleration == pytest.approx(UP * up)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (FILES["Gyroscope.csv of Sensor Logger"][0], "no column 'omega_x'"),  # its accelerometer looks alike
        (FILES["Gyroflow"][0].replace("gscale,0.00122173047\n", ""), "'omega_x': expected its unit"),
        (FILES["OpenLog Artemis"][0].replace("micros,", "ms,"), "no column 'time'"),
        (FILES["Xsens DOT"][0].replace("Gyr", "Euler"), "no column 'omega_x'"),
    ],
)
def test_what_a_file_does_not_tell_is_asked_for(tmp_path, text, says):
    path = tmp_path / "test.csv"
    path.write_text(text)
    with pytest.raises(ConfigError, match=says):
        read_recording(path)


def test_raw_counts_have_a_unit(tmp_path):
    """The gyroscope of the MPU-6050 gives 131 counts for 1 deg/s in its smallest range."""
    path = tmp_path / "test.csv"
    path.write_text("ms,GyX,GyY,GyZ\n0,131,262,-393\n5,524,655,851.5\n")
    columns = {f"omega_{axis}": f"Gy{axis.upper()} [1/131 deg/s]" for axis in "xyz"} | {"time": "ms [ms]"}
    found = read_recording(path, columns=columns)
    assert found.angular_velocity == pytest.approx(np.radians(RATES))
    with pytest.raises(ConfigError, match="expected its unit"):
        read_recording(path, columns=columns | {"omega_x": "GyX [1/0 deg/s]"})
