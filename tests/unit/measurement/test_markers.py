"""Markers of motion capture and points of a video, made of a motion that is known, give its rates back."""

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

import mcrock as mr
from mcrock.base.tables.parsing import ConfigError
from mcrock.commands.measurement import RecordingOptions
from mcrock.measurement import fit_test, sensed
from mcrock.measurement.files import is_of_markers, read_markers, turned_with
from mcrock.measurement.misfit import FreeRocking

RATE = 200.0
BODY = mr.cuboid(0.1, 0.14, 0.4, 2700)
SHAPE = np.array([[50.0, 70.0, 180.0], [50.0, -60.0, 190.0], [-40.0, -70.0, 170.0], [0.0, 60.0, -100.0]])
LABELS = ["A1", "A2", "A3", "A4"]
EDGE = np.array([0.0, 1.0, 0.0])


@pytest.fixture(scope="module")
def run():
    impact = mr.Impact(lambda_=0.7, lambda_lon=0.7, lambda_lat=0.3)
    return mr.simulate(BODY, None, impact, start=mr.Start(edge=0, tilt=0.15), t_end=20.0)


@pytest.fixture(scope="module")
def places(run):
    return places_of(run)


def places_of(run):
    """Of the markers (n, 4, 3) [mm], from a second before the release, without noise."""
    history = run.history
    since = history["time"].values
    last = np.append(np.diff(since) > 0.0, True)
    turns = Rotation.from_quat(history["orientation"].values[last], scalar_first=True)
    at = (np.arange(int((since[-1] + 2.0) * RATE)) / RATE - 1.0).clip(0.0, since[-1])
    com = np.stack([np.interp(at, since, each) for each in history["com"].values.T], -1)
    matrices = Slerp(since[last], turns)(at).as_matrix()
    return 1e3 * com[:, None] + np.einsum("nij,mj->nmi", matrices, SHAPE)


def of_rates(run, recording):
    """The mean rates of the run over the samples of a recording."""
    clean = sensed(run, rate=2 * RATE, before=1.0, after=1.0, noise_density=0.0, averaging=1.0)
    own = sensed(run, rate=RATE, before=1.0 - 0.5 / RATE, after=1.0, noise_density=0.0)
    assert clean.time.size > own.time.size
    at = np.rint((recording.time - 0.5 / RATE) * RATE).astype(int)
    return own.angular_velocity[at]


def table(separator, rows):
    return "".join(separator.join("" if np.isnan(x) else f"{x:.4f}" for x in row) + "\n" for row in rows)


def vicon(path, places):
    """As its Nexus and Tracker export trajectories."""
    names = ",," + ",,,".join(f"block:{label}" for label in LABELS)
    rows = np.column_stack(
        [np.arange(len(places)) + 1, np.zeros(len(places)), places.reshape(len(places), -1)]
    )
    head = f"Trajectories\n{RATE:g}\n{names}\nFrame,Sub Frame{',X,Y,Z' * 4}\n,{',mm,mm,mm' * 4}\n"
    path.write_text(head + table(",", rows))


def qualisys(path, places):
    head = f"NO_OF_FRAMES\t{len(places)}\nNO_OF_CAMERAS\t8\nNO_OF_MARKERS\t4\nFREQUENCY\t{RATE:g}\n"
    names = "\t".join(LABELS)
    head += f"DESCRIPTION\t--\nDATA_INCLUDED\t3D\nMARKER_NAMES\t{names}\n"
    path.write_text(head + table("\t", np.nan_to_num(places).reshape(len(places), -1)))


def c3d_file(path, places):
    c3d = pytest.importorskip("c3d")
    writer = c3d.Writer(point_rate=RATE)
    writer.set_point_labels(LABELS)
    for frame in places:
        seen = np.isfinite(frame).all(1)
        points = np.zeros((4, 5))
        points[:, :3], points[:, 3] = np.nan_to_num(frame), np.where(seen, 0.0, -1.0)
        writer.add_frames([(points, np.empty((0, 0)))])
    with path.open("wb") as file, warnings.catch_warnings(action="ignore"):  # without analog channels
        writer.write(file)


@pytest.mark.parametrize(("write", "end"), [(vicon, "csv"), (qualisys, "tsv"), (c3d_file, "c3d")])
def test_motion_capture_gives_the_rates_back(run, places, tmp_path, write, end):
    """With a marker hidden in some frames, and two in three: these are left out, and all is said."""
    hidden = places.copy()
    hidden[300:330, 2] = np.nan
    hidden[310:313, 0] = np.nan
    path = tmp_path / f"test.{end}"
    write(path, hidden)
    assert is_of_markers(path)
    recording, said = turned_with(read_markers(path))
    assert said[0] == (
        f"markers are missing in 30 of {len(places)} frames, fewer than 3 are seen in 3, which are left out"
    )
    usual = np.isclose(np.diff(recording.time, append=0.0), 1.0 / RATE, rtol=1e-3)
    error = np.abs(recording.angular_velocity - of_rates(run, recording))[usual]
    assert np.median(error) < 2e-4
    # where a frame interval has an impact the attitude between rows of the history is a chord
    assert np.quantile(error.max(1), 0.95) < 0.02
    found, _ = RecordingOptions().read(path, FreeRocking(BODY, 0, mr.Impact()))
    assert np.median(np.abs(found.angular_velocity - of_rates(run, found))) < 2e-4


def test_markers_that_shake_give_means_over_more_frames(run, places, tmp_path):
    """By 0.05 mm: frame by frame the noise is a tenth of the largest rate. By 0.2 mm no window is enough."""
    path = tmp_path / "test.csv"
    shake = np.random.default_rng(1).normal(0.0, 0.05, places.shape)
    vicon(path, places + shake)
    recording, said = turned_with(read_markers(path))
    step = round(float(np.median(np.diff(recording.time))) * RATE)
    assert step > 1
    assert said[-1] == f"they shake: rates are means over {step} frames"
    own = sensed(run, rate=RATE / step, before=1.0 - 0.5 * step / RATE, after=1.0, noise_density=0.0)
    at = np.rint((recording.time - 0.5 * step / RATE) * RATE / step).astype(int)
    error = recording.angular_velocity - own.angular_velocity[at]
    assert np.median(np.linalg.norm(error, axis=1)) < 0.03 * np.abs(own.angular_velocity).max()
    found, _ = RecordingOptions().read(
        path, FreeRocking(BODY, 0, mr.Impact())
    )  # its release and edge are seen
    assert found.time.size < recording.time.size
    vicon(path, places + 4.0 * shake)
    with pytest.raises(ValueError, match=r"shake too much: rates have a noise of .* as means over 0\.04 s"):
        turned_with(read_markers(path))


def test_markers_that_shake_are_fitted(tmp_path):
    """In a plane, where the loss of a swing and the release are all: 4 standard errors, one alarm in 5000."""
    impact = mr.Impact(lambda_=0.9, lambda_lon=0.8)
    run = mr.simulate(BODY, None, impact, start=mr.Start(edge=0, tilt=0.18), t_end=20.0)
    places, path = places_of(run), tmp_path / "test.csv"
    vicon(path, places + np.random.default_rng(0).normal(0.0, 0.05, places.shape))
    recording, _ = RecordingOptions().read(path, FreeRocking(BODY, 0, mr.Impact()))
    fit = fit_test(BODY, recording, 0, free=["lambda_lon"])
    for name, truth in (("time", 1.0), ("tilt", 0.18), ("lambda_lon", 0.8)):
        assert abs(fit.estimates[name] - truth) < 4.0 * fit.standard_errors[name]
    assert fit.standard_errors["lambda_lon"] < 0.05


def test_a_video_gives_the_rate_in_its_plane(run, places, tmp_path):
    """Seen against y: x of the image is x, y of it is z, and the camera is at -y."""
    flat = places[:, :, [0, 2]] / 0.3  # pixels
    path, other = tmp_path / "xypts.csv", tmp_path / "points.txt"
    heads = ",".join(f"pt{i}_cam1_{axis}" for i in range(1, 5) for axis in "XY")
    path.write_text(heads + "\n" + table(",", (flat * [1.0, -1.0] + [0.0, 2000.0]).reshape(len(flat), -1)))
    time = np.arange(len(flat)) / RATE
    names = "\t" + "\t\t".join(LABELS)
    head = f"#multi:\n{names}\nt{chr(9) + 'x' + chr(9) + 'y'}" + "\tx\ty" * 3 + "\n"
    other.write_text(head + table("\t", np.column_stack([time, flat.reshape(len(flat), -1)])))
    for file, rate in ((path, RATE), (other, None)):
        recording, _ = turned_with(read_markers(file, rate))
        truth = -of_rates(run, recording)[:, 1]
        assert not recording.angular_velocity[:, :2].any()
        assert np.median(np.abs(recording.angular_velocity[:, 2] - truth)) < 2e-3
    found, said = RecordingOptions(axes="x -z y", frame_rate=RATE).read(
        path, FreeRocking(BODY, 0, mr.Impact())
    )
    assert found.angular_velocity @ EDGE == pytest.approx(
        np.linalg.norm(found.angular_velocity, axis=1) * np.sign(found.angular_velocity @ EDGE)
    )
    assert said[-1].startswith("the markers fit a rigid body to ")
    with pytest.raises(ConfigError, match="no time: give `--frame-rate HZ`"):
        read_markers(path)


def test_markers_that_tell_no_turn_are_refused(places, tmp_path):
    path = tmp_path / "test.csv"
    moving = places.copy()
    moving[:, 3, 0] += 50.0 * np.sin(np.arange(len(places)))
    for given, chosen, says in (
        (moving, None, "move against each other by .* choose those of one rigid body"),
        (moving, ["block:A1", "block:A9"], "no marker block:A9; it has block:A1"),
        (places, ["block:A1", "block:A2"], "2 markers seen at rest, and 3 are needed"),
        (places[:, :1] + 9.0 * np.arange(4)[:, None], None, "on a line"),
    ):
        vicon(path, given)
        with pytest.raises(ValueError, match=says):
            turned_with(read_markers(path), chosen=chosen)
    vicon(path, moving)
    turned_with(read_markers(path), chosen=["block:A1", "block:A2", "block:A3"])
