"""Figures of records: what the lines and labels say."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from mcrock.excitation import Motion, MotionError
from mcrock.plots import save_figure
from mcrock.show.records import DRAWN, PERIODS, _thinned, plot_record, plot_spectra

G = 9.80665
DT = 0.01


def shaking(n_time=400, **metadata):
    time = DT * np.arange(n_time)
    x = 3.0 * np.sin(2 * np.pi * time) * np.sin(np.pi * time / time[-1])
    return Motion([x, 0.5 * x, np.zeros(n_time)], DT, "shake $1", metadata=metadata)


def test_components_have_columns_and_share_their_axes(tmp_path):
    motion = shaking(format="F", unit="gal", unit_known="given", component_x="N28W")
    ax = plot_record(motion, ["one horizontal component only"])
    figure = ax.get_figure()
    assert len(figure.axes) == 2 * 4 + 1
    first = figure.axes[0]
    assert first.get_title() == "ground x (N28W)"
    np.testing.assert_allclose(first.lines[-1].get_ydata(), motion.acceleration[0] / G)
    assert figure.axes[4].get_ylim() == first.get_ylim()
    assert max(first.get_ylim()) > 3.0 / G * 0.99
    note = figure.get_supxlabel().replace("\n", " ")
    assert "F, unit gal (given)." in note
    assert "Suspicious: one horizontal component only" in note
    assert save_figure(ax, tmp_path / "record.png").stat().st_size > 10_000


def test_husid_ends_at_one():
    figure = plot_record(shaking()).get_figure()
    husid = figure.axes[3].lines[-1].get_ydata()
    assert (husid[0], husid[-1]) == (0, 1)
    assert (np.diff(husid) >= 0).all()


def test_spectrum_begins_at_the_peak_acceleration():
    """The shortest period is that of a rigid oscillator, but for a few per cent."""
    motion = shaking()
    line = plot_record(motion).lines[0]
    assert line.get_xdata()[0] == PERIODS[0]
    assert line.get_ydata()[0] == pytest.approx(np.abs(motion.acceleration[0]).max() / G, rel=0.02)


def test_long_records_keep_their_extremes():
    values = np.random.default_rng(1).normal(size=10 * DRAWN + 7)
    time, drawn = _thinned(np.arange(len(values)) * DT, values)
    assert len(drawn) <= DRAWN + 40
    assert (drawn.max(), drawn.min(), drawn[-1]) == (values.max(), values.min(), values[-1])
    assert (np.diff(time) > 0).all()
    np.testing.assert_array_equal(drawn, values[np.rint(time / DT).astype(int)])


def test_spectra_of_a_set():
    set_of = [Motion((i + 1) * shaking().acceleration, DT, f"{i}") for i in range(7)]
    ax = plot_spectra(set_of, "a set")
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    lines = {line.get_label(): line.get_ydata() for line in ax.lines}
    np.testing.assert_allclose(lines["median"], ax.lines[3].get_ydata())  # the fourth of seven multiples
    note = ax.get_figure().get_supxlabel().replace("\n", " ")
    assert note.startswith("7 records, geometric mean of the horizontal components as recorded, 5 % damping.")
    assert len(plot_spectra(set_of[:6]).lines) == 6  # too few for percentiles


def test_nothing_to_draw():
    still = Motion(np.zeros((3, 5)), DT, "still")
    with pytest.raises(MotionError, match="motion 'still' is zero throughout"):
        plot_record(still)
    with pytest.raises(MotionError, match="no motion with a horizontal component"):
        plot_spectra([still])


def test_a_drifting_component_has_a_scale_of_its_own():
    x = shaking().acceleration[0]
    motion = Motion([x, 0.5 * x, 0.3 * x + 0.5], DT, "drift")
    figure = plot_record(motion).get_figure()
    acceleration, displacement = figure.axes[::4][:3], figure.axes[2::4][:3]
    assert len({ax.get_ylim() for ax in acceleration}) == 1
    x_ax, y_ax, z_ax = displacement
    assert x_ax.get_ylim() == y_ax.get_ylim()
    assert z_ax.get_ylim()[1] > 10 * x_ax.get_ylim()[1]
    for ax in displacement:
        assert ax.get_ylim()[1] > np.abs(ax.lines[-1].get_ydata()).max()
    shown = [ax.yaxis.get_tick_params()["labelleft"] for ax in displacement]
    assert shown == [True, False, True]
    note = figure.get_supxlabel().replace("\n", " ")
    assert "Components more than ten times as large as others have scales of their own." in note
    assert "scales of their own" not in plot_record(shaking()).get_figure().get_supxlabel()


def test_long_names_do_not_widen_the_figure(tmp_path):
    def width(name, component):
        motion = shaking(component_x=component)
        motion = Motion(motion.acceleration, DT, name, metadata=motion.metadata)
        path = save_figure(plot_record(motion), tmp_path / "record.png")
        return plt.imread(path).shape[1]

    # some pixels are the labels that reach over the edge of the axes
    assert width("a long name " * 30, "a long component " * 5) == pytest.approx(width("a", "x"), rel=0.01)


def test_each_of_a_few_spectra_has_its_name():
    few = [Motion((i + 1) * shaking().acceleration, DT, f"record {i}{' long' * 40}") for i in range(3)]
    ax = plot_spectra(few)
    labels = [line.get_label() for line in ax.lines]
    assert [label[:8] for label in labels] == ["record 0", "record 1", "record 2"]
    assert max(map(len, labels)) <= 60
    assert len({line.get_color() for line in ax.lines}) == 3
    (legend,) = ax.get_figure().legends
    assert [text.get_text() for text in legend.get_texts()] == labels
    many = plot_spectra([Motion(shaking().acceleration, DT, f"{i}") for i in range(7)])
    assert [text.get_text() for text in many.get_legend().get_texts()] == [
        "each record",
        "median",
        "16 % and 84 %",
    ]
