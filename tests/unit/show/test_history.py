"""The figure of one run: what it shows of falls, of other starts, and what it says."""

import re

import matplotlib as mpl
import numpy as np
import pytest
import xarray as xr

from mcrock.body import cuboid, hull
from mcrock.excitation import Motion, half_sine, one_sine
from mcrock.excitation.processing import floor_motion, oscillator_modes
from mcrock.impact.conditions import Controls, Impact, Start
from mcrock.planar import rectangle, simulate_planar
from mcrock.plots import plot_history
from mcrock.show.history import moving_span
from mcrock.show.run import format_run
from mcrock.simulation.runs import simulate
from mcrock.statistics import undecided

FALL = half_sine(14.0, 4.0, 0.4)


@pytest.fixture(scope="module")
def body():
    return cuboid(0.4, 0.5, 1.2, 2600)


@pytest.fixture(scope="module")
def fallen(body):
    impact = Impact(lambda_=0.7, lambda_lon=0.7, facet_fallback="plastic")
    return simulate(body, FALL, impact, controls=Controls(follow_fall=True))


def labels(ax):
    return [part.get_ylabel() for part in ax.get_figure().axes]


def note(ax):
    return ax.get_figure().get_supxlabel().replace("\n", " ")


def test_a_run_that_stands_has_four_parts_with_units(body):
    before = dict(mpl.rcParams)
    motion = one_sine(4.2, 7.0, azimuth=0.4)
    run = simulate(body, motion, Impact(lambda_=0.7, lambda_lon=0.7))
    ax = plot_history(run, "Title", body.slenderness, motion)
    assert dict(mpl.rcParams) == before
    assert labels(ax) == ["Ground [g]", "Angle [°]", "Contact", "Energy [J]"]
    assert ax.get_figure().axes[-1].get_xlabel() == "Time [s]"
    assert labels(plot_history(run)) == ["Angle [°]", "Contact", "Energy [J]"]
    np.testing.assert_allclose(ax.get_lines()[0].get_ydata(), np.degrees(run.history["tilt"]))
    levels = [line.get_ydata() for line in ax.get_lines() if line.get_label() == "slenderness"]
    np.testing.assert_allclose(levels, [[np.degrees(body.slenderness)] * 2])
    assert f"Came to rest at {run.events[-1]['t']:.4g} s" in note(ax)
    impacts = [int(run.results[f"{name}_impacts"]) for name in ("edge", "facet")]
    assert "{} edge and {} facet impacts".format(*impacts) in note(ax)
    assert "face" not in note(ax).replace("facet", "")


def test_the_motion_of_a_floor_is_called_that(body):
    """The acceleration that the body feels is not that of the ground."""
    time = np.arange(0.0, 2.0, 0.01)
    ground = Motion(np.stack([2.0 * np.sin(6.0 * time), 0 * time, 0 * time]), 0.01, "shake")
    floor = floor_motion(ground, oscillator_modes(2.0, 0.05))
    run = simulate(body, floor, Impact(lambda_=0.7, lambda_lon=0.7))
    assert labels(plot_history(run, motion=floor))[0] == "Floor [g]"
    assert labels(plot_history(run, motion=ground))[0] == "Ground [g]"


def test_a_fall_leaves_the_rocking_readable(body, fallen):
    ax = plot_history(fallen, slenderness=body.slenderness, motion=FALL)
    assert labels(ax) == ["Ground [g]", "Angle [°]", "Contact", "Energy [J]"]
    assert ax.get_ylim() == pytest.approx(2 * np.degrees([-body.slenderness, body.slenderness]))
    for part in ax.get_figure().axes:  # the instant of the fall
        assert fallen.overturning_time in [
            line.get_xdata()[0] for line in part.get_lines() if len(line.get_xdata())
        ]
    impacts = sum(len(marks.get_segments()) for marks in ax.collections)
    assert impacts == sum(event["kind"].endswith("impact") for event in fallen.events) > 0
    assert "Angles beyond twice the slenderness are cut" in note(ax)
    assert labels(plot_history(fallen)) == ["Angle [°]", "Contact", "Energy [J]"]  # nothing to cut at


def test_the_note_says_where_a_fallen_body_lies(fallen):
    words = note(plot_history(fallen))
    assert f"Overturned at {fallen.overturning_time:.4g} s, at rest on face {fallen.final_face:.0f}" in words


def test_a_pulse_is_drawn_as_it_is(body, fallen):
    ax = plot_history(fallen, motion=FALL).get_figure().axes[0]
    line = ax.get_lines()[0]
    np.testing.assert_allclose(line.get_ydata(), FALL.acceleration_at(line.get_xdata())[0] / 9.80665)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["ground x", "ground y"]


def test_the_span_is_that_of_the_motion(body):
    tilted = simulate(body, start=Start(edge=0, tilt=0.1))
    assert moving_span(tilted)[0] == 0.0  # not the first impact
    late = one_sine(4.2, 7.0, start=8.0)
    shaken = simulate(body, late, Impact(lambda_=0.7, lambda_lon=0.7))
    begin, end = moving_span(shaken)
    assert 7.5 < begin < shaken.events[0]["t"] < shaken.events[-1]["t"] <= end
    still = simulate(body, one_sine(0.1, 7.0))
    assert moving_span(still) == (0.0, still.history["time"].values[-1])
    assert note(plot_history(still)) == "The body never left its base."


def test_the_contact_strip_covers_the_time(body):
    run = simulate(body, one_sine(4.2, 7.0, azimuth=0.4), Impact(lambda_=0.7, lambda_lon=0.7))
    strip = plot_history(run).get_figure().axes[-2]
    spans = [path.vertices[:, 0] for bars in strip.collections for path in bars.get_paths()]
    length = sum(np.ptp(span) for span in spans)
    assert length == pytest.approx(float(np.ptp(run.history["time"].values)))
    assert [text.get_text() for text in strip.get_legend().get_texts()] == ["rest", "edge"]


def test_a_body_that_rolls_off_keeps_its_axes_upright():
    points = [(0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, 0.3, 0.0), (1.0, 1.0, 1.0), (0.9, 0.2, 1.1)]
    body = hull(points, density=2600)
    assert body.slenderness < 0
    run = simulate(
        body, impact=Impact(facet_fallback="plastic"), controls=Controls(follow_fall=True), t_end=5.0
    )
    ax = plot_history(run, slenderness=body.slenderness)
    assert np.diff(ax.get_ylim()) > 0


def test_a_run_without_history_is_refused(body):
    with pytest.raises(ValueError, match="no history to draw"):
        plot_history(simulate(body, FALL, history=False))


def test_ground_that_does_not_move_is_not_drawn(body, recwarn):
    still = Motion(np.zeros((3, 2)), dt=1e-3, name="still ground")
    rocked = simulate(body, start=Start(edge=0, tilt=0.1))
    assert labels(plot_history(rocked, motion=still)) == ["Angle [°]", "Contact", "Energy [J]"]
    late = one_sine(1.0, 7.0, start=100.0)
    assert labels(plot_history(rocked, motion=late))[0] == "Angle [°]"  # nor in the time that is drawn
    assert not recwarn


def test_energy_that_is_conserved_is_drawn_flat(body):
    fall = simulate(body, start=Start(edge=0, tilt=0.9 * np.arctan(0.5 / 1.2)), t_end=0.2)
    ax = plot_history(fall).get_figure().axes[-1]
    energy = fall.history["energy"].values
    assert ax.get_ylim() == pytest.approx((-1e-4 * energy.max(), 1e-4 * energy.max()))
    assert np.ptp(energy) < 1e-3 * np.diff(ax.get_ylim())
    rocked = simulate(body, start=Start(edge=0, tilt=0.1))
    low, high = plot_history(rocked).get_figure().axes[-1].get_ylim()
    assert high - low < 1.2 * np.ptp(rocked.history["energy"].values)


@pytest.mark.parametrize(
    ("share", "faces", "fallback", "words"),
    [
        (
            1.234,
            1,
            "rest",
            ", but undecided: infeasible impacts took 123 % of the energy needed to overturn;",
        ),
        (1.234, 1, "plastic", ";"),
        (1.234, 0, "rest", ";"),
        (0.99, 1, "rest", ";"),
    ],
)
def test_the_note_names_infeasible_impacts_that_leave_the_end_in_doubt(body, share, faces, fallback, words):
    run = simulate(body, None, Impact(facet_fallback=fallback), start=Start(edge=0, tilt=0.1))
    run.results.update(infeasible_energy_loss=share, infeasible_facet_impacts=faces)
    assert f" s{words} " in note(plot_history(run))
    assert f"outcome: at rest{words}".rstrip(";") == format_run(run, "events.csv").splitlines()[0]
    ds = xr.Dataset({**run.results, "facet_fallback": run.facet_fallback})
    assert bool(undecided(ds)) == ("undecided" in words)


def test_a_long_title_has_several_lines(body):
    run = simulate(body, start=Start(edge=0, tilt=0.1))
    words = "A record with a name of its own, and $ in it, " * 4
    title = plot_history(run, words).get_figure().get_suptitle()
    assert max(map(len, title.splitlines())) < 90
    assert title.count(r"\$") == 4


def test_a_planar_run_is_refused_in_one_line():
    run = simulate_planar(rectangle(0.4, 1.6), tilt=0.1)
    with pytest.raises(
        TypeError, match=r"runs of mcrock\.simulate; of a planar run plot run\.history\.rotation"
    ):
        plot_history(run)


def test_the_text_of_a_run_says_when_it_could_not_rock_back(fallen, body, tmp_path):
    """The tilt of the history is beyond the slenderness from then on, and the body lies so much later."""
    line = next(one for one in format_run(fallen, tmp_path).splitlines() if "for the last time" in one)
    at, later = (float(found) for found in re.findall(r"([0-9.]+) s\b", line))
    time, tilt = fallen.history["time"].values, fallen.history["tilt"].values
    assert (tilt[time > at + 0.005] > body.slenderness).all()
    assert (tilt[time < at - 0.005][-1:] <= body.slenderness).all()
    assert at + later == pytest.approx(fallen.results["overturning_time"], abs=0.01)
    assert "for the last time" not in format_run(simulate(body, start=Start(edge=0, tilt=0.1)), tmp_path)
