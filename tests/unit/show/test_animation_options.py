"""What may be asked of an animation, and what is refused before anything is drawn."""

from math import inf, nan, pi

import pytest

from mcrock.body import Body, cuboid
from mcrock.excitation import one_sine
from mcrock.show.animation import Playback, animate_run, check_animation, save_animation
from mcrock.show.animation.scene import FORMATS
from mcrock.simulation.runs import simulate

PULSE = one_sine(4.2, 7.0)


@pytest.fixture(scope="module")
def run():
    return simulate(cuboid(0.4, 0.5, 1.2, 2600), PULSE)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("run.avi", {}, r"run\.avi: the name of an animation must end in \.gif, \.html or \.mp4"),
        ("run", {}, r"must end in \.gif"),
        ("file/run.gif", {}, r"file is a file, not a folder; choose another output"),
        (
            "run.gif",
            {"fps": 60},
            r"fps of a \.gif must be .* >= 0\.1 and <= 50 \[frames per second\], got 60",
        ),
        ("run.html", {"fps": 1e5}, r"fps of a \.html must be .* <= 240 \[frames per second\], got 100000"),
        ("run.html", {"fps": 0.0}, r"fps of a \.html must be a finite number >= 0\.1 .* got 0"),
        ("run.html", {"fps": "a"}, r"fps of a \.html must be a finite number .* got 'a'"),
        ("run.html", {"speed": nan}, r"speed must be a finite number > 0 \[times the real speed\], got nan"),
        ("run.html", {"speed": "slow"}, r"speed must be a finite number .* got 'slow'"),
        ("run.html", {"span": (2.0, 1.0)}, r"span must be two times .*got \(2, 1\)"),
        ("run.html", {"span": (1.0,)}, r"span must be 2 finite numbers \[s\], got \(1\.0,\)"),
        ("run.html", {"span": 3.0}, r"span must be 2 finite numbers \[s\], got 3\.0"),
        ("run.html", {"span": (0.0, inf)}, r"span must be 2 finite numbers \[s\]"),
        ("run.html", {"view": (1,)}, r"view must be 2 finite numbers \[rad\], got \(1,\)"),
        ("run.html", {"view": (0, 9)}, r"view must be an azimuth and an elevation from 0 .* got \(0, 9\)"),
        ("run.html", {"view": (0, -0.1)}, r"elevation from 0 \(level\) to pi/2 .* got \(0, -0\.1\)"),
    ],
)
def test_what_cannot_be_written_is_refused_beforehand(tmp_path, run, name, options, message):
    (tmp_path / "file").write_text("")
    for refuse in (
        lambda path, **options: check_animation(path, Playback(**options)),
        lambda path, **options: save_animation(run, run.body, path, **options),
    ):
        with pytest.raises(ValueError, match=message):
            refuse(tmp_path / name, **options)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_the_folder_of_an_animation_is_made(tmp_path, run):
    path = save_animation(run, run.body, tmp_path / "new" / "run.html", fps=10, speed=0.5, view=(0.3, pi / 2))
    assert path.is_file()


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "run.gif").mkdir()
    with pytest.raises(ValueError, match="is a folder"):
        check_animation(tmp_path / "run.gif")


def test_an_mp4_without_ffmpeg_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ValueError, match=r"needs the program ffmpeg, which is not found; install .*\.html"):
        check_animation(tmp_path / "run.mp4")
    check_animation(tmp_path / "run.gif")


def test_a_span_outside_the_run_and_a_run_without_history_are_refused(run, tmp_path):
    message = r"span .* <= \d.* s, as long as the run, got \(1, 1000\)"
    for refuse in (
        lambda: save_animation(run, run.body, tmp_path / "run.html", span=(1.0, 1000.0)),
        lambda: check_animation(tmp_path / "run.html", Playback(span=(1.0, 1000.0)), run),
    ):
        with pytest.raises(ValueError, match=message):
            refuse()
    with pytest.raises(ValueError, match="no history to animate"):
        animate_run(simulate(run.body, PULSE, history=False), run.body)
    for options, message in (
        ({"fps": -1.0}, r"fps of a \.gif"),
        ({"view": (0, 9)}, "view must be"),
        ({"speed": 1e-6}, r"million frames, and a \.gif may have 3000"),
    ):
        with pytest.raises(ValueError, match=message):
            animate_run(run, run.body, **options)


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_number_of_frames_that_nobody_wants_is_refused_before_they_are_made(run, tmp_path, suffix):
    end, kind = float(run.history["time"][-1]), FORMATS[suffix]
    span = (0.0, min(2.0, end))
    speed = (span[1] - span[0]) * kind.fps / kind.most  # just as many as a file may have
    times, _ = Playback(None, 1.0001 * speed, span).plan(run, suffix)
    assert len(times) in (kind.most, kind.most + 1)
    with pytest.raises(
        ValueError, match=rf"would have \d+ frames, and a \{suffix} may have {kind.most}; raise"
    ):
        Playback(None, 0.999 * speed, span).plan(run, suffix)
    if suffix != ".mp4":
        with pytest.raises(
            ValueError, match=r"would have \S+ million frames, .* raise speed, lower fps or shorten"
        ):
            save_animation(run, run.body, tmp_path / f"run{suffix}", speed=1e-7, span=span)
    assert list(tmp_path.iterdir()) == []


def test_the_body_has_to_be_that_of_the_run(run, tmp_path):
    other = cuboid(0.4, 0.5001, 1.2, 2600)
    for body in (other, Body(other.mass, other.inertia, run.body.base)):
        for refuse in (
            lambda body: animate_run(run, body),
            lambda body: save_animation(run, body, tmp_path / "a.gif"),
        ):
            with pytest.raises(ValueError, match=r"the body is not the one of the run; it is run\.body"):
                refuse(body)
    same = cuboid(0.4, 0.5, 1.2, 2600)
    assert save_animation(run, same, tmp_path / "run.html").is_file()
