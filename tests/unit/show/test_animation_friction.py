"""Animations and figures of runs with friction: sliding, spinning and flight are seen, named and measured."""

import re
from itertools import pairwise

import numpy as np
import pytest

from mcrock.base.params import Mode
from mcrock.body import cuboid, rotation_matrix
from mcrock.excitation import one_sine
from mcrock.impact.conditions import Contact, Start
from mcrock.plots import plot_history
from mcrock.show.animation import save_animation
from mcrock.show.animation.picture import SIZE, build_picture
from mcrock.show.animation.scene import OBLIQUE, build_stage, count_events, counted, frame_times, sample_run
from mcrock.show.history import (
    COLOURS,
    CONTACT_WORDS,
    FLAT,
    ON_EDGE,
    ON_RIM,
    ON_VERTEX,
    contact_name,
    moving_span,
)
from mcrock.simulation.runs import simulate
from tests.unit.show.test_animation import page_data, unpack

GRAVITY = 9.81
PULSE = one_sine(6.0, 7.0, azimuth=0.4)
START = Start(position=(0.0, 0.0, 0.8), velocity=(0.5, 0.2, 0.0), angular_velocity=(0.3, 0.2, 1.0))


@pytest.fixture(scope="module")
def body():
    return cuboid(0.6, 0.5, 1.2, 500)


@pytest.fixture(scope="module")
def slid(body):
    return simulate(body, PULSE, contact=Contact(friction=0.3))


@pytest.fixture(scope="module")
def spun(body):
    return simulate(body, contact=Contact(friction=0.3), start=Start(velocity=(3.0, 0.5, 0.0), yaw_rate=6.0))


@pytest.fixture(scope="module")
def bounced(body):
    return simulate(body, contact=Contact(friction=0.5, restitution=0.3), start=START)


def stage_of(run, body, number=9):
    return build_stage(run, body, sample_run(run, body, np.linspace(*moving_span(run), number)), None)


def scene_of(picture):
    return next(ax for ax in picture.figure.axes if len(ax.collections) > 4)


def words_of(picture):
    return "\n".join(text.get_text() for ax in picture.figure.axes for text in ax.texts)


def test_the_runs_are_what_they_are_taken_for(slid, spun, bounced):
    assert set(slid.history["mode"].values.tolist()) == {Mode.REST, Mode.SLIDE}
    assert set(spun.history["mode"].values.tolist()) == {Mode.REST, Mode.SPIN}
    assert Mode.FLIGHT in bounced.history["mode"].values
    assert sum(event["to"][0] == "FLIGHT" for event in bounced.events) > 1


def test_every_mode_of_a_history_has_its_look():
    assert set(CONTACT_WORDS) == set(Mode) - {Mode.OVERTURNED}
    assert {*FLAT, *ON_EDGE, *ON_VERTEX, *ON_RIM, Mode.FLIGHT} == set(CONTACT_WORDS)
    assert set(COLOURS) == {contact_name(mode) for mode in CONTACT_WORDS}
    assert len(set(COLOURS.values())) == len(COLOURS)


def test_a_body_in_flight_follows_its_parabola(bounced, body):
    until = bounced.events[0]["t"]
    time = np.linspace(0.0, until - 1e-9, 50)
    frames = sample_run(bounced, body, time)
    step = np.diff(bounced.history["time"].values).max()
    height = START.position[2] - 0.5 * GRAVITY * time**2
    np.testing.assert_allclose(frames.com[:, 2], height, atol=GRAVITY * step**2 / 8 + 1e-12)
    np.testing.assert_allclose(frames.com[:, 0], START.velocity[0] * time, atol=1e-12)
    assert frames.contacts == [()] * 50
    assert frames.points[:, :, 2].min() > -1e-4


def test_frames_at_rows_of_the_history_are_its_poses(bounced, spun, body):
    for run in (bounced, spun):
        history = run.history
        last = np.append(np.diff(history["time"]) > 0, True)  # of the rows at one time
        frames = sample_run(run, body, history["time"].values[last])
        np.testing.assert_allclose(frames.com, history["com"].values[last], atol=1e-6)
        np.testing.assert_allclose(frames.base, history["displacement"].values[last], atol=1e-6)
        for points, contact in zip(frames.points, frames.contacts, strict=True):
            np.testing.assert_allclose(points[list(contact), 2], 0.0, atol=1e-6)


def test_the_whole_slip_is_on_the_ground_that_is_drawn(spun, body):
    stage = stage_of(spun, body, 30)
    (low, _, high, _), moved = stage.corners[:, :2], stage.frames.base[-1, :2] - stage.frames.base[0, :2]
    assert np.hypot(*moved) > 1.0
    assert (stage.frames.points[..., :2] > low).all()
    assert (stage.frames.points[..., :2] < high).all()
    scene = scene_of(build_picture(spun, stage))
    flat = stage.view.project(stage.frames.points.reshape(-1, 3))
    for values, (left, right) in zip(flat.T, (scene.get_xlim(), scene.get_ylim()), strict=True):
        assert left < values.min() < values.max() < right


def test_the_view_is_across_a_slide(body):
    for along in (0.2, 1.9):
        start = Start(velocity=(2 * np.cos(along), 2 * np.sin(along), 0.0))
        run = simulate(body, contact=Contact(friction=0.3), start=start)
        azimuth = stage_of(run, body).view.azimuth
        apart = abs((azimuth - along + np.pi / 2) % np.pi - np.pi / 2)
        assert apart == pytest.approx(OBLIQUE, abs=1e-6)


def test_the_path_of_the_base_grows_with_the_slip(spun, body):
    stage = stage_of(spun, body)
    picture = build_picture(spun, stage)
    picture.update(len(stage.frames) - 1)
    trail = next(line for line in scene_of(picture).lines if len(line.get_xdata()) == len(stage.frames))
    expected = stage.view.project(stage.frames.base * (1.0, 1.0, 0.0))
    np.testing.assert_allclose(np.transpose(trail.get_data()), expected)
    picture.update(3)
    np.testing.assert_allclose(np.transpose(trail.get_data()), expected[:4])


def test_a_picture_names_the_slip_and_the_flight(slid, spun, bounced, body):
    for run, mode, words in (
        (slid, Mode.SLIDE, "sliding on face 0"),
        (spun, Mode.SPIN, "spinning on face 0"),
        (bounced, Mode.FLIGHT, "in flight"),
    ):
        stage = stage_of(run, body, 40)
        picture = build_picture(run, stage)
        frame = stage.frames.mode.tolist().index(mode)
        picture.update(frame)
        assert words in words_of(picture)
        labels = [ax.get_ylabel() for ax in picture.figure.axes]
        assert "Base [m]" in labels
        keys = [text.get_text() for ax in picture.figure.axes if ax.get_legend()
                for text in ax.get_legend().get_texts()]  # fmt: skip
        assert {contact_name(mode), "displacement x", "displacement y"} <= set(keys)
        picture.update(39)
        for kind, name in counted(run).items():
            number = sum(event["kind"] == kind.name.lower() for event in run.events)
            assert re.search(rf"^ +{number}  {name}$", words_of(picture), re.MULTILINE)


def test_lists_end_above_the_strips(bounced, body):
    """With all their lines; the strips are as high as without friction, and one more."""
    stage = stage_of(bounced, body)
    picture = build_picture(bounced, stage, PULSE)
    picture.update(8)
    tilt = next(ax for ax in picture.figure.axes if ax.get_ylabel() == "Tilt [°]")
    lowest = min(text.get_window_extent().y0 for text in picture.lists)
    assert lowest > tilt.get_window_extent().y1
    boxes = [ax.get_window_extent() for ax in picture.figure.axes if ax.get_position().width > 0.8][1:]
    boxes.sort(key=lambda box: box.y0)
    assert len(boxes) == 4
    assert all(below.y1 < above.y0 for below, above in pairwise(boxes))
    width, height = picture.figure.canvas.get_width_height()
    assert (width % 2, height % 2) == (0, 0)  # as an MP4 needs
    assert height > 100 * SIZE[1]


def test_counts_have_the_events_of_friction_where_there_is_some(slid, body):
    rocked = simulate(body, start=Start(edge=0, tilt=0.1))
    assert count_events(rocked, np.array([0])).shape == (1, 4)
    assert count_events(slid, np.array([0, len(slid.events)]))[1, 4] == sum(
        event["kind"] == "slip" for event in slid.events
    )


def test_a_page_holds_the_path_and_names_the_modes(spun, bounced, body, tmp_path):
    for run in (spun, bounced):
        data = page_data(save_animation(run, body, tmp_path / "run.html", fps=20.0))
        frames = sample_run(run, body, frame_times(moving_span(run), 0.05))
        np.testing.assert_allclose(unpack(data["path"]).reshape(-1, 2), frames.base[:, :2], atol=1e-5)
        np.testing.assert_allclose(unpack(data["moved"]).reshape(-1, 2), frames.base[:, :2], atol=1e-3)
        shown = [data["contacts"][i] for i in unpack(data["contact"], "<i4")]
        names = [data["modes"][contact["mode"]]["name"] for contact in shown]
        assert names == [contact_name(Mode(mode)) for mode in frames.mode.tolist()]


# --- the figure and the data of the history ---------------------------------------------------


def note(ax):
    return ax.get_figure().get_supxlabel().replace("\n", " ")


def test_the_figure_of_a_slide_shows_how_far(slid, bounced):
    ax = plot_history(slid, motion=PULSE)
    assert [part.get_ylabel() for part in ax.get_figure().axes] == [
        "Ground [g]",
        "Base [m]",
        "Contact",
        "Energy [J]",
    ]
    np.testing.assert_array_equal(ax.get_lines()[0].get_ydata(), slid.history["displacement"].values[:, 0])
    assert f"slip path {slid.slip_path:.3g} m" in note(ax)
    assert f"base displaced by up to {slid.peak_displacement:.3g} m" in note(ax)
    ax = plot_history(bounced)
    assert [part.get_ylabel() for part in ax.get_figure().axes] == [
        "Angle [°]",
        "Base [m]",
        "Contact",
        "Energy [J]",
    ]
    assert f"longest flight {bounced.longest_flight:.3g} s" in note(ax)


def test_the_displacement_of_a_history_ends_where_the_run_says(slid, spun, bounced):
    for run in (slid, spun, bounced):
        end = run.history["displacement"].values[-1]
        np.testing.assert_allclose(end[:2], [run.final_displacement_x, run.final_displacement_y], atol=1e-12)
        assert run.history["yaw"].values[-1] == pytest.approx(run.final_yaw, abs=1e-12)
        x, y, _ = run.history["displacement"].values.T
        assert np.hypot(x, y).max() == pytest.approx(run.peak_displacement, rel=1e-9)


def test_the_displacement_without_friction_is_that_of_the_base(body):
    run = simulate(body, start=Start(edge=0, tilt=0.1), t_end=0.1)
    pose = rotation_matrix(run.history["orientation"].values[0])
    base = run.history["com"].values[0] + pose @ (0.0, 0.0, -0.6)
    np.testing.assert_allclose(run.history["displacement"].values[0], base, atol=1e-12)
    assert run.history["displacement"].values[0, 0] == pytest.approx(0.3 * (1 - np.cos(0.1)), abs=1e-12)


def test_velocities_are_the_rates_of_the_positions(slid, spun, bounced, body):
    """Between rows, to the second order of a step; with friction and without."""
    rocked = simulate(body, start=Start(edge=0, tilt=0.1), t_end=1.0)
    for run in (slid, spun, bounced, rocked):
        time, com, velocity = (run.history[name].values for name in ("time", "com", "velocity"))
        step = np.diff(time)
        within = (step > 1e-5) & (step < 0.05)
        # a row at an event has the velocity after it: the trapezoid holds where none is at its end
        at_event = np.isin(time[1:], [event["t"] for event in run.events])
        keep = within & ~at_event
        mean = 0.5 * (velocity[1:] + velocity[:-1])
        np.testing.assert_allclose(np.diff(com, axis=0)[keep] / step[keep, None], mean[keep], atol=2e-3)
        for event in run.events:
            row = np.flatnonzero(time == event["t"])
            assert (np.abs(velocity[row] - event["velocity"]).max(axis=1) < 1e-9).any()
