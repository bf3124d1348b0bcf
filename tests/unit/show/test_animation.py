"""Animations: poses between the rows of the history, pictures, the three kinds of file, refusals."""

import base64
import json
import os
import re
import stat
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest
import xarray as xr
from PIL import Image

from mcrock.base.params import Mode
from mcrock.body import cuboid, cylinder, frustum, rotation_matrix
from mcrock.excitation import half_sine, one_sine
from mcrock.impact.conditions import Controls, Impact, Start
from mcrock.show.animation import animate_run, save_animation
from mcrock.show.animation.picture import build_picture
from mcrock.show.animation.scene import LATEST, OBLIQUE, build_stage, count_events, frame_times, sample_run
from mcrock.show.body import View, is_seen, solid_of
from mcrock.show.history import contact_colour, moving_span
from mcrock.simulation.runs import simulate

PULSE = one_sine(4.2, 7.0, azimuth=0.4)
PAUSE = 1.5  # of a GIF at its end [s]


@pytest.fixture(scope="module")
def body():
    return cuboid(0.4, 0.5, 1.2, 2600)


@pytest.fixture(scope="module")
def run(body):
    """Rocks about edges and vertices and comes to rest."""
    return simulate(body, PULSE, Impact(lambda_=0.7, lambda_lon=0.7, lambda_lat=0.2))


@pytest.fixture(scope="module")
def fallen(body):
    """Falls and comes to rest on a wall."""
    impact = Impact(lambda_=0.7, lambda_lon=0.7, lambda_lat=0.2, facet_fallback="plastic")
    return simulate(body, half_sine(14.0, 4.0, 0.4), impact, controls=Controls(follow_fall=True))


def stage_of(run, body, number=7, view=None):
    return build_stage(run, body, sample_run(run, body, np.linspace(*moving_span(run), number)), view)


def test_the_runs_are_what_they_are_taken_for(run, fallen):
    modes = set(run.history["mode"].values.tolist())
    assert modes == {Mode.REST, Mode.EDGE, Mode.VERTEX}
    assert run.outcome.name == "AT_REST"
    assert fallen.outcome.name == "OVERTURNED"
    assert fallen.history["mode"].values[-1] == Mode.REST
    assert fallen.history["index"].values[-1] != 0


# --- poses -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["run", "fallen"])
def test_frames_at_rows_of_the_history_are_its_poses(body, name, request):
    run = request.getfixturevalue(name)
    history = run.history
    last = np.append(np.diff(history["time"]) > 0, True)  # of the rows at one time
    frames = sample_run(run, body, history["time"].values[last])
    np.testing.assert_allclose(frames.orientation, history["orientation"].values[last], atol=1e-15)
    np.testing.assert_allclose(frames.com, history["com"].values[last], atol=1e-9)
    np.testing.assert_allclose(frames.tilt, history["tilt"].values[last], atol=1e-7)
    turned = rotation_matrix(history["orientation"].values[last]) @ body.vertices.T
    expected = turned.swapaxes(1, 2) + history["com"].values[last][:, None]
    np.testing.assert_allclose(frames.points, expected, atol=1e-9)
    heights = [
        points[list(contact), 2] for points, contact in zip(frames.points, frames.contacts, strict=True)
    ]
    np.testing.assert_allclose(np.concatenate(heights), 0.0, atol=1e-9)


@pytest.mark.parametrize("name", ["run", "fallen"])
def test_the_lowest_vertex_is_on_the_ground_at_any_time(body, name, request):
    run = request.getfixturevalue(name)
    frames = sample_run(run, body, np.linspace(*moving_span(run), 997))
    np.testing.assert_allclose(frames.points[..., 2].min(axis=1), 0.0, atol=1e-9)
    apart = np.linalg.norm(frames.points[:, :, None] - frames.points[:, None, :], axis=-1)
    np.testing.assert_allclose(apart, np.broadcast_to(apart[0], apart.shape), atol=1e-12)
    low = [
        points[list(contact), 2].max() for points, contact in zip(frames.points, frames.contacts, strict=True)
    ]
    assert max(low) < 1e-4  # between rows the contact is there to the accuracy of the interpolation


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_orientations_turn_evenly_between_rows(body, sign):
    """Half way is half the angle, also where the second quaternion has the other sign."""
    angles = np.array([0.1, 0.5])
    q = np.stack([np.cos(angles / 2), 0 * angles, np.sin(angles / 2), 0 * angles], axis=-1)
    q[1] *= sign
    rows = {"mode": ("time", [1, 1]), "index": ("time", [0, 0]), "tilt": ("time", angles)}
    rows |= {"orientation": (("time", "quaternion"), q), "com": (("time", "axis"), np.zeros((2, 3)))}
    run = simulate(body, start=Start(edge=0, tilt=0.1), t_end=0.01)
    run = replace(run, events=[], recorded=xr.Dataset(rows, coords={"time": [0.0, 2.0]}))
    frames = sample_run(run, body, [0.0, 0.5, 1.0, 2.0])
    np.testing.assert_allclose(frames.tilt, [0.1, 0.2, 0.3, 0.5], atol=1e-12)


def test_interpolation_is_of_second_order(body):
    run = simulate(body, start=Start(edge=0, tilt=0.15), t_end=0.3)  # before the first impact
    assert not run.events
    history = run.history.isel(time=slice(None, -1))
    times = np.linspace(0.0, 0.28, 400)
    exact = sample_run(replace(run, recorded=history), body, times).points
    errors = []
    for stride in (4, 8):
        coarse = replace(run, recorded=history.isel(time=slice(None, None, stride)))
        errors.append(np.abs(sample_run(coarse, body, times[times < 0.2]).points - exact[times < 0.2]).max())
    assert 3.0 < errors[1] / errors[0] < 5.5  # the reference is interpolated, too


def test_contact_changes_with_its_event_and_not_before(run, body):
    event = next(event for event in run.events if event["kind"] == "edge_impact")
    before, after = sample_run(run, body, [event["t"] - 1e-6, event["t"]]).contacts
    assert before != after
    assert after == (event["to"][1],)


def test_the_last_frame_is_at_the_end():
    times = frame_times((1.0, 2.0), 0.3)
    np.testing.assert_allclose(times, [1.0, 1.3, 1.6, 1.9, 2.0])
    np.testing.assert_allclose(frame_times((0.0, 0.3), 0.1), [0.0, 0.1, 0.2, 0.3])
    assert len(frame_times((0.0, 1e-9), 0.1)) == 2


# --- the body and the view ---------------------------------------------------------------------


def base_only(body):
    return type(body)(body.mass, body.inertia, body.base, body.gravity)


@pytest.mark.parametrize(
    "body",
    [
        base_only(cuboid(0.4, 0.5, 1.2, 2600, com=(0.05, 0.0, 0.1))),
        cylinder(0.3, 1.0, 9, density=2600),
        frustum([(-0.3, -0.2), (0.3, -0.2), (0.0, 0.4)], 1.0, top_scale=0.5, density=2600),
    ],
)
def test_the_drawn_body_is_closed_and_seen_from_outside(body):
    solid = solid_of(body)
    assert solid.is_whole == (len(body.faces) > 1)
    edges = [pair for face in solid.faces for pair in zip(face, (*face[1:], face[0]), strict=True)]
    assert len(set(edges)) == len(edges)
    assert {(w, v) for v, w in edges} == set(edges)
    middle = solid.vertices.mean(axis=0)
    for azimuth, elevation in ((0.3, 0.2), (2.0, -0.7), (4.0, 1.2)):
        view = View(azimuth, elevation)
        eye = np.cross(*view.project(np.eye(3)).T)  # right x upwards
        for face in solid.faces:
            corners = solid.vertices[list(face)]
            outwards = -np.cross(corners[1] - corners[0], corners[2] - corners[1])
            assert outwards @ (corners[0] - middle) > 0
            assert is_seen(view.project(corners)) == (outwards @ eye > 0)


def test_a_body_of_which_the_base_is_known_is_drawn_as_high_as_its_com_suggests_and_says_so(run, body):
    base = base_only(body)
    solid = solid_of(base)
    np.testing.assert_allclose(solid.vertices[4:, 2], base.com_height, atol=1e-15)
    np.testing.assert_allclose(solid.vertices[:4], base.vertices)
    words = [text.get_text() for ax in picture_of(run, base).figure.axes for text in ax.texts]
    assert any("walls not known: drawn up to twice" in word for word in words)
    words = [text.get_text() for ax in picture_of(run, body).figure.axes for text in ax.texts]
    assert not any("walls not known" in word for word in words)


def test_the_view_is_across_the_motion(body):
    for edge, along in ((0, 0.0), (1, np.pi / 2)):  # edge 0 of a cuboid is at +x
        run = simulate(body, start=Start(edge=edge, tilt=0.2), t_end=2.0)
        azimuth = stage_of(run, body).view.azimuth
        apart = abs((azimuth - along + np.pi / 2) % np.pi - np.pi / 2)
        assert apart == pytest.approx(OBLIQUE, abs=1e-6)


def test_limits_hold_the_whole_motion(fallen, body):
    stage = stage_of(fallen, body, 60)
    scene = next(ax for ax in build_picture(fallen, stage).figure.axes if len(ax.collections) > 4)
    flat = stage.view.project(stage.frames.points.reshape(-1, 3))
    for values, (low, high) in zip(flat.T, (scene.get_xlim(), scene.get_ylim()), strict=True):
        assert low < values.min() < values.max() < high
    box, width, height = scene.get_position(), np.diff(scene.get_xlim()), np.diff(scene.get_ylim())
    side = scene.get_figure().get_size_inches() * (box.width, box.height)
    assert width / side[0] == pytest.approx(height / side[1])  # a cube stays a cube


# --- the picture -------------------------------------------------------------------------------


def picture_of(run, body, **options):
    return build_picture(run, stage_of(run, body), **options)


def written(picture):
    return "\n".join(text.get_text() for ax in picture.figure.axes for text in ax.texts)


def test_a_picture_says_time_tilt_contact_and_events(run, body):
    stage = stage_of(run, body, 9)
    picture = build_picture(run, stage, PULSE, "Block $5", speed=0.5)
    before = dict(mpl.rcParams)
    for frame in (0, 4, 8):
        picture.update(frame)
        words, frames = written(picture), stage.frames
        assert f"{frames.time[frame]:.2f} s" in words
        assert f"tilt {np.degrees(frames.tilt[frame]):.2f}°" in words
        mode, index = Mode(frames.mode[frame]), frames.index[frame]
        assert {0: "at rest on face", 1: "on edge", 2: "on vertex"}[mode] + f" {index}" in words
        past = [event for event in run.events if event["t"] <= frames.time[frame]]
        number = sum(event["kind"] == "facet_impact" for event in past)
        assert re.search(rf"^ +{number}  facet impacts$", words, re.MULTILINE)
        assert len(re.findall(r"^ +\d+\.\d{4} s  ", words, re.MULTILINE)) == min(len(past), LATEST)
    assert f"{run.events[-1]['t']:.4f} s  rest          face 0" in words
    assert "0.5 times real speed" in words
    assert dict(mpl.rcParams) == before
    labels = [ax.get_ylabel() or ax.get_xlabel() for ax in picture.figure.axes]
    assert {"Tilt [°]", "Ground [g]"} <= set(labels)


def test_contact_points_have_the_colours_of_the_history(run, body):
    stage = stage_of(run, body, 40)
    picture = build_picture(run, stage)
    scene = next(ax for ax in picture.figure.axes if len(ax.collections) > 4)
    touch = max(scene.lines, key=lambda line: line.get_zorder())
    seen = set()
    for frame, contact in enumerate(stage.frames.contacts):
        picture.update(frame)
        mode = Mode(stage.frames.mode[frame])
        seen.add(mode)
        assert touch.get_color() == contact_colour(mode)
        expected = stage.view.project(stage.frames.points[frame, list(contact)])
        np.testing.assert_allclose(np.transpose(touch.get_data())[: len(contact)], expected)
    assert seen == {Mode.REST, Mode.EDGE, Mode.VERTEX}


def test_nothing_lies_over_the_body(run, body, fallen):
    """The compass and the words stand beside the scene, not in it."""
    for replay in (run, fallen):
        picture = build_picture(replay, stage_of(replay, body), PULSE)
        figure = picture.figure
        scene = next(ax for ax in figure.axes if len(ax.collections) > 4)
        others = [ax for ax in figure.axes if ax is not scene and ax.get_position().width < 0.9]
        title = figure.texts[0]
        boxes = [ax.get_window_extent() for ax in others]
        boxes += [text.get_window_extent() for text in figure.texts if text is not title]
        assert boxes
        assert not any(box.overlaps(scene.get_window_extent()) for box in boxes)


def test_the_slenderness_is_marked_in_the_tilt(run, body):
    stage = stage_of(run, body)
    assert stage.slenderness == body.slenderness
    tilt = next(ax for ax in build_picture(run, stage).figure.axes if ax.get_ylabel() == "Tilt [°]")
    assert "slenderness" in [text.get_text() for text in tilt.get_legend().get_texts()]
    level = next(line for line in tilt.lines if line.get_label() == "slenderness")
    assert level.get_ydata()[0] == pytest.approx(np.degrees(body.slenderness))
    assert tilt.get_ylim()[1] > level.get_ydata()[0]
    still = simulate(body, one_sine(0.1, 7.0), t_end=1.0)  # would flatten a curve that is far from it
    assert stage_of(still, body).slenderness is None


def test_counts_of_a_run_of_thousands_of_events(run):
    kinds = ["edge_impact", "facet_impact", "edge_impact", "uplift", "rest"] * 1000
    many = replace(run, events=[{"kind": kind, "t": 0.0} for kind in kinds])
    counts = count_events(many, np.array([0, 3, 5000]))
    assert counts.tolist() == [[0, 0, 0, 0], [2, 1, 0, 0], [2000, 1000, 0, 1000]]


def test_what_is_drawn_in_parts_is_what_a_whole_drawing_shows(run, body, tmp_path):
    """Frames of a GIF reuse what does not change; matplotlib's own writer draws everything anew."""
    options = {"motion": PULSE, "fps": 10.0, "speed": 1.0, "span": (0.5, 0.8)}
    save_animation(run, body, tmp_path / "parts.gif", **options)
    animation = animate_run(run, body, **options)
    animation.save(tmp_path / "whole.gif", writer="pillow", dpi="figure")
    with Image.open(tmp_path / "parts.gif") as parts, Image.open(tmp_path / "whole.gif") as whole:
        assert parts.n_frames == whole.n_frames == 4
        for frame in range(4):
            parts.seek(frame)
            whole.seek(frame)
            ours, theirs = (np.asarray(image.convert("RGB"), float) for image in (parts, whole))
            assert ours.shape == theirs.shape
            assert np.abs(ours - theirs).mean() < 1.5  # of 255: a palette of few colours
            assert np.abs(ours - theirs).max() < 100


# --- files -------------------------------------------------------------------------------------


def test_a_gif_has_its_frames_at_their_time(run, body, tmp_path):
    drawn = []
    path = save_animation(
        run,
        body,
        tmp_path / "run.GIF",
        motion=PULSE,
        speed=0.5,
        span=(0.2, 0.45),
        progress=lambda *numbers: drawn.append(numbers),
    )
    with Image.open(path) as image:
        assert (image.format, image.n_frames, image.info["loop"]) == ("GIF", 11, 0)
        durations, pictures = [], []
        for frame in range(image.n_frames):
            image.seek(frame)
            durations.append(image.info["duration"])
            pictures.append(image.convert("RGB").tobytes())
    assert durations == [50] * 10 + [round(1e3 * PAUSE)]
    assert len(set(pictures)) == 11
    assert drawn == [(number, 11) for number in range(1, 12)]
    assert [file.name for file in tmp_path.iterdir()] == ["run.GIF"]


def test_frames_of_a_gif_take_whole_hundredths_of_a_second(run, body, tmp_path):
    """30 frames per second become 33.3, and the motion keeps its speed."""
    path = save_animation(run, body, tmp_path / "run.gif", fps=30.0, span=(0.4, 0.52))
    with Image.open(path) as image:
        assert (image.n_frames, image.info["duration"]) == (5, 30)


def test_a_long_motion_is_shown_faster(run, body, tmp_path):
    events = [{**event, "t": 100.0 * event["t"]} for event in run.events]
    long = replace(run, events=events, recorded=run.history.assign_coords(time=100.0 * run.history["time"]))
    path = save_animation(long, body, tmp_path / "run.html", fps=0.25)
    data = page_data(path)
    begin, end = moving_span(long)
    assert data["speed"] == pytest.approx((end - begin) / 120.0)
    assert len(unpack(data["time"])) == 31


def page_data(path):
    found = re.search(r'<script id="data"[^>]*>(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)
    return json.loads(found[1])


def unpack(text, dtype="<f4"):
    return np.frombuffer(base64.b64decode(text), dtype)


def test_a_page_holds_the_run_and_needs_nothing_else(fallen, body, tmp_path):
    title = "</script><b>Block & $5"
    motion = half_sine(14.0, 4.0, 0.4)
    path = save_animation(fallen, body, tmp_path / "run.html", motion=motion, title=title, fps=20.0)
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"https?:|src=|href=|@import|url\(|fetch\(|XMLHttpRequest", text)
    assert text.count("</script>") == 2
    data = page_data(path)
    assert data["title"] == title
    times = frame_times(moving_span(fallen), 0.05)
    frames = sample_run(fallen, body, times)
    np.testing.assert_allclose(data["begin"] + unpack(data["time"]), times, atol=1e-6)
    np.testing.assert_allclose(unpack(data["orientation"]).reshape(-1, 4), frames.orientation, atol=1e-6)
    np.testing.assert_allclose(unpack(data["com"]).reshape(-1, 3), frames.com, atol=1e-6)
    contacts = [tuple(data["contacts"][i]["vertices"]) for i in unpack(data["contact"], "<i4")]
    assert contacts == frames.contacts
    assert data["faces"] == [list(face) for face in body.faces]
    ended = int(unpack(data["happened"], "<i4")[-1])
    assert ended == len(fallen.events)
    assert set(map(str, range(ended - LATEST, ended))) <= set(data["events"])
    assert np.abs(unpack(data["ground"]["now"])).max() == pytest.approx(
        14.0 * np.cos(0.4) / 9.80665, rel=0.02
    )
    assert len(text) < 100_000


def fake_ffmpeg(monkeypatch, folder, script):
    program = folder / "ffmpeg"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)


def test_an_mp4_gets_every_frame_and_the_size(run, body, tmp_path, monkeypatch):
    script = f'echo "$@" > {tmp_path}/arguments; for last; do :; done; wc -c > "$last"'
    fake_ffmpeg(monkeypatch, tmp_path, script)
    path = save_animation(run, body, tmp_path / "run.mp4", fps=10.0, span=(0.5, 0.8))
    arguments = (tmp_path / "arguments").read_text()
    assert "-s 720x560 -r 10.000000 -i -" in arguments
    assert int(path.read_text()) == 4 * 720 * 560 * 3


def test_what_ffmpeg_says_is_passed_on_and_nothing_is_left(run, body, tmp_path, monkeypatch):
    fake_ffmpeg(monkeypatch, tmp_path, "echo no such codec >&2; exit 3")
    with pytest.raises(OSError, match="no such codec"):
        save_animation(run, body, tmp_path / "run.mp4", fps=10.0, span=(0.5, 0.8))
    assert [file.name for file in tmp_path.iterdir()] == ["ffmpeg"]


def test_a_file_is_written_whole_or_not_at_all(run, body, tmp_path):
    path = tmp_path / "run.gif"
    path.write_text("what was there")

    def stop(drawn, total):
        if drawn == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save_animation(run, body, path, span=(0.5, 0.8), progress=stop)
    assert path.read_text() == "what was there"
    assert [file.name for file in tmp_path.iterdir()] == ["run.gif"]
