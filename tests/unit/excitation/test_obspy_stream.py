"""ObsPy streams, and K-NET read by ObsPy; needs ObsPy, which nothing else does."""

import gzip
import pickle
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from mcrock.excitation import MotionError
from mcrock.excitation.readers import RecordedComponent, assemble, from_stream, read, read_records
from mcrock.excitation.readers.read import group_by_time

RECORDS = Path(__file__).parent / "records"


def test_without_obspy_the_message_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr(read, "has_obspy", lambda: False)
    path = tmp_path / "a.mseed"
    path.write_bytes(b"\0\1\2")
    with pytest.raises(MotionError, match="ObsPy is not installed; get it: pip install obspy"):
        read_records(path, format="obspy", unit="g")
    with pytest.raises(MotionError, match="no text; ObsPy, which may know it, is not installed"):
        read_records(path)


@pytest.fixture
def obspy():
    return pytest.importorskip("obspy", reason="the optional library ObsPy is not installed")


@pytest.fixture
def stream(obspy):
    """East, north and up of one station, in 10 ms."""
    traces = []
    for i, channel in enumerate(("HNE", "HNN", "HNZ")):
        header = {"network": "XX", "station": "STA", "channel": channel, "delta": 0.01}
        header["starttime"] = obspy.UTCDateTime(2020, 1, 2, 3, 4, 5)
        traces.append(obspy.Trace(np.arange(1.0, 6.0) * (i + 1), header))
    return obspy.Stream(traces)


def test_a_stream_becomes_a_motion(stream):
    (motion,) = from_stream(stream, "cm/s2")
    np.testing.assert_array_equal(motion.acceleration, 0.01 * np.outer([1, 2, 3], np.arange(1.0, 6.0)))
    assert (motion.dt, motion.name) == (0.01, "XX.STA 2020-01-02 03:04")
    assert (motion.metadata["unit"], motion.metadata["unit_known"]) == ("cm/s2", "given")


def test_files_that_obspy_reads(stream, tmp_path):
    path = tmp_path / "a.mseed"
    stream.write(str(path), format="MSEED")
    (motion,) = read_records(path, unit="gal")
    np.testing.assert_array_equal(motion.acceleration, from_stream(stream, "gal")[0].acceleration)
    assert motion.metadata["format"] == "ObsPy MSEED"
    with pytest.raises(MotionError, match="no text; give a unit to have ObsPy try it"):
        read_records(path)
    with pytest.raises(MotionError, match="the format MSEED does not say the unit"):
        read_records(path, format="obspy")
    path.write_bytes(b"\0" * 100)
    with pytest.raises(MotionError, match="no format that is known, to ObsPy neither"):
        read_records(path, unit="gal")


@pytest.mark.parametrize(("name", "pack"), [("a.sac", bytes), ("a.gz", gzip.compress)])
def test_a_record_is_never_unpickled(obspy, tmp_path, name, pack):
    """One of ObsPy's formats is a pickle, by what is in the file."""
    trace = tmp_path / "trace"

    class Evil:
        def __reduce__(self):
            return trace.touch, ()

    path = tmp_path / name
    path.write_bytes(pack(pickle.dumps({"obspy.core.stream": Evil()})))
    with pytest.raises(MotionError, match="no format that is known, to ObsPy neither"):
        read_records(path, unit="g")
    assert not trace.exists()
    with suppress(Exception):
        obspy.read(str(path))
    assert trace.exists()  # by who asks ObsPy itself


def test_streams_that_are_refused(stream):
    with pytest.raises(MotionError, match="unit of the acceleration must be one of"):
        from_stream(stream, "counts")
    stream[0].data = np.ma.masked_array(stream[0].data, mask=[0, 1, 0, 0, 0])
    with pytest.raises(MotionError, match=r"trace XX.STA..HNE: the samples have gaps"):
        from_stream(stream, "g")
    stream[0].data = np.full(5, np.nan)
    with pytest.raises(MotionError, match="at least 2 samples, all of them finite"):
        from_stream(stream, "g")
    stream[0].data = np.ones(5)
    stream[0].stats.channel = "LOG"
    with pytest.raises(MotionError, match="the channel code 'LOG' does not say the direction"):
        from_stream(stream, "g")
    stream[0].stats.channel = "HNE"
    stream[0].stats.starttime += 2.0
    with pytest.raises(MotionError, match="start 2 s apart"):
        from_stream(stream, "g")


def test_knet_equals_what_obspy_reads(obspy):
    for path in sorted((RECORDS / "knet").iterdir()):
        trace = obspy.read(str(path))[0]
        expected = (trace.data - trace.data.mean()) * trace.stats.calib
        found = read_records(path)[0].acceleration.sum(axis=0)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
        assert trace.stats.delta == read_records(path)[0].dt


def recording(channel, start, samples=2000, record="XX.STA"):
    acceleration = np.ones(samples)
    path, role = Path(f"{channel}.sac"), "up" if channel.endswith("Z") else "horizontal"
    return RecordedComponent(
        acceleration, 0.01, path, "ObsPy SAC", "g", "given", record, record, channel, role, None, start
    )


def test_components_that_begin_around_a_full_minute_are_one_recording():
    """They are 0.4 steps apart, one before and one after the minute."""
    e, n = recording("HN1", 59.998), recording("HN2", 60.002)
    (motion,) = assemble(group_by_time([e, n]))[0]
    assert motion.acceleration[:2].any(axis=1).all()
    assert (motion.name, motion.group) == ("XX.STA 1970-01-01 00:00", "XX.STA 1970-01-01 00:00:59")
    # the order of the traces stays: it decides which of two unknown directions is x
    motions, _ = assemble(group_by_time([n, e]))
    assert [motions[0].metadata[f"component_{axis}"] for axis in "xy"] == ["HN2", "HN1"]


def test_recordings_of_a_station_are_told_apart_by_time():
    pieces = [recording(channel, start) for start in (0.0, 50.0) for channel in ("HN1", "HN2", "HNZ")]
    motions, problems = assemble(group_by_time([*pieces, recording("HN1", 5.0, record="XX.OTHER")]))
    assert problems == []
    assert [motion.group for motion in motions] == [
        "XX.STA 1970-01-01 00:00:00",
        "XX.STA 1970-01-01 00:00:50",
        "XX.OTHER 1970-01-01 00:00:05",
    ]
    # overlapping ones that do not begin together are refused
    _, problems = assemble(group_by_time([recording("HN1", 0.0), recording("HN2", 3.0)]))
    assert "start 3 s apart" in problems[0]


def test_files_around_a_full_minute_are_one_recording(obspy, stream, tmp_path):
    for i, trace in enumerate(stream):
        trace.stats.starttime = obspy.UTCDateTime(2020, 1, 1, 0, 0, 59, 998000) + 0.002 * i
        trace.write(str(tmp_path / f"{trace.stats.channel}.sac"), format="SAC")
    (motion,) = read_records(tmp_path, unit="m/s^2")
    assert motion.acceleration.any(axis=1).all()


@pytest.mark.parametrize(("code", "said"), [(6, "displacement"), (7, "velocity"), (50, "voltage")])
def test_sac_that_says_another_quantity_is_left_out(stream, tmp_path, code, said):
    for trace in stream:
        trace.stats.sac = {"idep": code}
        trace.write(str(tmp_path / f"{trace.stats.channel}.sac"), format="SAC")
    with pytest.raises(MotionError, match=f"HNE: {said} by its header"):
        read_records(tmp_path, unit="m/s2")
    for trace in stream:
        trace.stats.sac = {"idep": 8}
        trace.write(str(tmp_path / f"{trace.stats.channel}.sac"), format="SAC")
    assert read_records(tmp_path, unit="m/s2")[0].acceleration.any(axis=1).all()


def test_numbered_channels_of_one_file_are_chosen(stream, tmp_path):
    """A file of an EVT recorder numbers its channels and says no direction."""
    for number, trace in enumerate(stream):
        trace.stats.channel = str(number)
    path = tmp_path / "a.mseed"
    stream.write(str(path), format="MSEED")
    with pytest.raises(
        MotionError, match=r"channel 3: 2.*choose the two horizontal ones, as in `--channels 1,2"
    ):
        read_records(path, unit="gal")
    with pytest.warns(UserWarning, match="directions unknown"):
        (motion,) = read_records(path, unit="gal", channels=[2, 3])
    np.testing.assert_array_equal(motion.acceleration[:2], 0.01 * np.outer([2, 3], np.arange(1.0, 6.0)))


@pytest.mark.parametrize("option", [{"dt": 0.02}, {"columns": ["x"]}])
def test_options_that_do_not_apply_are_refused(stream, tmp_path, option):
    path = tmp_path / "a.mseed"
    stream.write(str(path), format="MSEED")
    with pytest.raises(MotionError, match="given, but"):
        read_records(path, unit="gal", **option)


@pytest.mark.parametrize(("channel", "axis"), [("UD", 2), ("EW", 0), ("EW2", 0)])
def test_pairs_of_letters_are_no_channels_of_seed(stream, channel, axis):
    stream[0].stats.channel = channel
    (motion,) = from_stream(stream[:1], "gal")
    np.testing.assert_array_equal(motion.acceleration[axis], 0.01 * np.arange(1.0, 6.0))
    assert motion.metadata.get("azimuth_x", np.pi / 2) == np.pi / 2
