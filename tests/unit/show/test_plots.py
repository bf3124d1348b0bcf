"""Figures: what they show, their labels and notes, and that they leave no traces."""

import inspect
import re
import sys
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from mcrock import plots, statistics
from mcrock.base.params import STANDARD_GRAVITY, Outcome
from mcrock.plots import (
    plot_choices,
    plot_exceedance,
    plot_fragility,
    plot_impact_map,
    plot_limits,
    plot_measures,
    plot_outcomes,
    save_all,
    save_figure,
)
from mcrock.show.maps import map_axes
from mcrock.show.style import add_note, figure_of
from mcrock.show.summary import format_summary, summarize
from mcrock.statistics import (
    by_limit,
    compare_measures,
    fit_fragility,
    fragility_by_choice,
    overturning_probability,
    with_displacement_limit,
)
from tests.unit.statistics.test_choices import two_laws
from tests.unit.statistics.test_plateau import stuck
from tests.unit.statistics.test_probability import sliding_study

PLOTS = [plot_fragility, plot_exceedance, plot_impact_map, plot_outcomes]


def note(ax):
    return ax.get_figure().get_supxlabel().replace("\n", " ")


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize("cloud", [False, True])
def test_every_figure_has_units_and_numbers_and_leaves_settings_alone(make_study, plot, cloud):
    before = dict(mpl.rcParams)
    ax = plot(make_study(cloud=cloud, undecided=0.02))
    assert dict(mpl.rcParams) == before
    assert ax.get_xlabel().endswith("]")
    assert ax.get_ylabel().endswith("]")
    assert "runs" in note(ax)
    assert ax.get_figure().get_size_inches()[0] * 25.4 == pytest.approx(90)
    written = [text for text in ax.get_figure().findobj(Text) if text.get_text()]
    assert min(text.get_fontsize() for text in written) >= 6.5  # legible in print


def test_fragility_shows_the_fit_in_g(make_study):
    ds = make_study()
    ax, fit = plot_fragility(ds), fit_fragility(ds)
    assert ax.get_xlabel() == "Peak ground acceleration [g]"
    curve, dashed = ax.get_lines()[:2]
    beyond = fit["extrapolated"].values
    np.testing.assert_allclose(curve.get_xdata(), fit["intensity_grid"] / STANDARD_GRAVITY)
    np.testing.assert_allclose(curve.get_ydata(), fit["curve"].where(~beyond))
    np.testing.assert_allclose(dashed.get_ydata()[beyond], fit["curve"][beyond])
    assert curve.get_linestyle() == "-"
    assert dashed.get_linestyle() == "--"
    weakest = f"{float(fit['weakest_overturning']) / STANDARD_GRAVITY:.3g} g"
    expected, runs = float(fit["expected_below"]), int(fit["runs_below"])
    assert f"Below {weakest}, the weakest intensity" in note(ax)
    assert f"expects {expected:.2g} among the {runs} runs there" in note(ax)
    points = ax.containers[0].lines[0]
    np.testing.assert_allclose(points.get_ydata(), overturning_probability(ds)["probability"])
    assert "4400 runs of 22 records" in note(ax)
    assert f"median {float(fit['median_capacity']) / STANDARD_GRAVITY:.3g} g" in note(ax)
    assert "Band: 200 resamples of the records" in note(ax)


def test_a_rejected_curve_stands_behind_the_rising_fractions():
    """Of 70 % that can overturn at all, no lognormal curve tells the probability at strong motions."""
    ds = stuck(0.7)
    ax = plot_fragility(ds)
    lines = {line.get_label(): line for line in ax.get_lines()}
    assert lines["lognormal fit, rejected"].get_color() != lines["empirical fractions"].get_color()
    drawn = lines["empirical fractions"].get_ydata()
    points = overturning_probability(ds)["probability"].values
    assert np.nanmax(drawn) == pytest.approx(points[-1], abs=0.02)
    assert (np.diff(drawn[np.isfinite(drawn)]) >= 0).all()


def test_fragility_without_a_curve_says_so(make_study):
    ax = plot_fragility(make_study(median=1000.0))
    assert "Fragility: nothing overturned; the median lies above" in note(ax)
    assert "lognormal fit" not in [text.get_text() for text in ax.get_legend().get_texts()]


def test_band_without_a_curve_ends_where_the_runs_end(make_study):
    for cloud in (False, True):
        ds = make_study(cloud=cloud)
        ds["outcome"][:] = Outcome.AT_REST
        ax = plot_fragility(ds)
        path = ax.collections[0].get_paths()[0].vertices
        strongest = float(overturning_probability(ds)["intensity"].max()) / STANDARD_GRAVITY
        assert path[:, 0].max() <= strongest * (1 + 1e-12)
        assert path[:, 1].max() < 0.25


def test_small_levels_have_few_short_ticks(make_study):
    ds = make_study(levels=np.array([0.01, 0.02]) * STANDARD_GRAVITY, median=0.015 * STANDARD_GRAVITY)
    ax = plot_fragility(ds)
    low, high = ax.get_xlim()
    ticks = [tick for tick in ax.get_xticks() if low <= tick <= high]
    labels = [ax.xaxis.get_major_formatter()(tick) for tick in ticks]
    assert len(ticks) <= 7
    assert max(map(len, labels)) <= 6


def test_intensity_other_than_acceleration_keeps_its_unit(make_study):
    ds = make_study()
    ds["intensity"].attrs = {"units": "m s-1", "long_name": "peak ground velocity"}
    assert plot_fragility(ds).get_xlabel() == "Peak ground velocity [m/s]"
    ds["intensity"].attrs = {"units": "1", "long_name": "factor on the motion"}
    ax = plot_fragility(ds)
    assert ax.get_xlabel() == "Factor on the motion [1]"
    assert ax.get_lines()[0].get_xdata()[-1] == pytest.approx(6.6)


def test_exceedance_curves_fall_and_end_at_overturning(make_study):
    ds = make_study()
    ax = plot_exceedance(ds)  # three of its intensities
    assert len(ax.get_lines()) == 9  # each with its bounds
    assert len(ax.get_legend().get_texts()) == 3
    for line in ax.get_lines():
        assert (np.diff(line.get_ydata()) <= 0).all()
    strongest = float(ax.get_legend().get_texts()[0].get_text()) * STANDARD_GRAVITY
    found = overturning_probability(ds)["probability"].sel(intensity=strongest, method="nearest")
    assert 0.5 < found < 1
    assert ax.get_lines()[2].get_ydata()[-1] == pytest.approx(float(found))
    with pytest.raises(ValueError, match="curves must be at least 1"):
        plot_exceedance(ds, curves=0)


def test_exceedance_draws_what_differs(make_study):
    ds = make_study(levels=[1.0, 3.0, 40.0, 50.0, 60.0])  # the last three overturn all
    names = [text.get_text() for text in plot_exceedance(ds, curves=5).get_legend().get_texts()]
    assert names == ["0.31", "0.1"]
    assert "; 2 of 5 intensities with motion shown." in note(plot_exceedance(ds, curves=5))
    assert "; 1 of 5 intensities with motion shown." in note(plot_exceedance(ds, curves=1))


def test_outcome_bars_fill_the_axis(make_study):
    ax = plot_outcomes(make_study(undecided=0.05))
    tops = np.sum([[bar.get_height() for bar in bars] for bars in ax.containers], axis=0)
    np.testing.assert_allclose(tops, 1)
    assert "undecided (with a pattern): they count both ways" in note(ax)
    ds = make_study()
    ds["outcome"][0, 0] = Outcome.ROCKING
    assert "1 is undecided (with a pattern): it counts both ways" in note(plot_outcomes(ds))


def test_runs_with_friction_have_figures_of_slip_and_of_their_support(tmp_path):
    ds = with_displacement_limit(sliding_study(undecided=0.01), 0.05)
    names = [path.stem for path in save_all(ds, tmp_path)]
    slips = [f"exceedance_{name}" for name in ("slip_path", "peak_displacement", "residual_displacement")]
    assert {"exceedance", *slips, "fragility_of_support"} < set(names)
    assert "Fell off: the base centre was displaced by more than 0.05 m." in note(plot_outcomes(ds))
    assert "fell off its support" in [text.get_text() for text in plot_outcomes(ds).get_legend().get_texts()]
    ax = plot_fragility(by_limit(ds, "peak_displacement", 0.05))
    assert ax.get_ylabel() == "Probability of exceeding the limit [1]"
    assert "with peak displacement beyond 0.05 m or overturned" in note(ax)
    ax = plot_impact_map(by_limit(ds, "peak_displacement", 0.05))
    assert "with peak displacement beyond 0.05 m or overturned" in note(ax)
    assert "Fraction of the runs beyond the limit [1]" in [axes.get_ylabel() for axes in ax.figure.axes]
    ax = plot_exceedance(ds, variable="residual_displacement")
    assert ax.get_xlabel() == "Residual displacement of the base [m]"
    assert 0.05 < ax.get_xlim()[1] <= 0.08  # of the runs that stand


def test_impact_map_finds_the_dependence(make_study):
    ds = make_study(per_record=200)
    fell = ds["impact_lambda_lon"] > 0.5
    ds["outcome"] = ds["outcome"].copy(
        data=np.where(fell.values[:, None], Outcome.OVERTURNED, Outcome.AT_REST).repeat(10, axis=1)
    )
    ax = plot_impact_map(ds, bins=4)
    shares = ax.collections[0].get_array()
    np.testing.assert_allclose(shares[:, :2], 0, atol=0.01)  # cells end within 1/4400 of 0.5
    np.testing.assert_allclose(shares[:, 2:], 1, atol=0.01)
    assert "4400 runs at peak ground acceleration" in note(ax)


def test_an_impact_map_is_drawn_where_impacts_have_an_effect_and_else_a_line_says_so(make_study, tmp_path):
    ds, rng = make_study(per_record=40), np.random.default_rng(2)
    fell = rng.random(ds["outcome"].shape) < 0.4
    for effect in (0.0, 0.3):
        fell |= (ds["impact_lambda_lon"].values < effect)[:, None]
        ds["outcome"] = ds["outcome"].copy(data=np.where(fell, Outcome.OVERTURNED, Outcome.AT_REST))
        names = {path.stem for path in save_all(ds, tmp_path / str(effect))}
        line = next(
            line for line in format_summary(summarize(ds)).splitlines() if "impact_lambda_lon" in line
        )
        assert ("impact_map" in names) == (effect > 0.0)
        if effect:
            low, high = map(float, re.search(r"impact_lambda_lon \S+ \((\S+) to (\S+)\)", line).groups())
            assert -1.2 < low < high < -0.3
        else:
            assert re.match(r"no map of impacts: 880 runs at .+ do not tell an effect \(p = ", line)


def test_impact_map_says_when_counts_are_low(make_study):
    ax = plot_impact_map(make_study(per_record=2), intensity=3.0, bins=3)
    assert "hatched: fewer than 10 runs" in note(ax)
    assert "0.296 g" in note(ax)
    assert any(cells.get_hatch() for cells in ax.collections)


def test_impact_map_of_a_few_runs_shows_each_of_them(make_study):
    ds = make_study(per_record=2, undecided=0.1)
    ax = plot_impact_map(ds, intensity=3.0)
    points = {marks.get_label(): len(marks.get_offsets()) for marks in ax.collections}
    assert sum(points.values()) == 44
    assert set(points) == {"stood", "overturned", "undecided"}
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(points)
    words = note(ax)
    assert f"44 runs at peak ground acceleration 0.296 g, {points['overturned']} overturned" in words
    assert f"{points['undecided']} undecided; too few for fractions: each run is a point." in words
    assert not ax.patches


def test_impact_map_says_why_runs_are_left_out(make_study):
    for per_record in (4, 40):
        ds = make_study(per_record=per_record)
        half = 22 * per_record // 2
        for name in ("impact_lambda", "impact_lambda_lon"):
            ds[name][:half] = np.nan
        words = note(plot_impact_map(ds))
        assert words.startswith(f"{half} runs at ")
        assert f"Left out: {half} runs that draw the parameters anew at every impact or follow" in words


def test_tick_labels_of_all_figures_keep_apart(make_study):
    ds = make_study(levels=[1.001, 1.012, 1.023, 1.034, 1.045, 1.056, 1.067, 1.078, 1.089, 1.11])
    ds["impact_lambda_lon"][:] = 0.8 + 0.2 * ds["impact_lambda_lon"]
    for plot in PLOTS:
        ax = plot(ds)
        ax.figure.draw_without_rendering()
        labels = [label for label in ax.get_xticklabels() if label.get_text()]
        boxes = [label.get_window_extent() for label in labels]
        shown = [box for box in boxes if ax.bbox.x0 - 1 <= (box.x0 + box.x1) / 2 <= ax.bbox.x1 + 1]
        character = shown[0].width / len(labels[0].get_text())
        assert all(b.x0 - a.x1 > 0.5 * character for a, b in pairwise(shown)), plot


def test_impact_map_of_friction(make_study):
    ds = make_study(per_record=200)
    ds["contact_friction"] = "realization", np.linspace(0.3, 0.5, ds.sizes["realization"])
    ds["contact_static_friction"] = "realization", 1.2 * ds["contact_friction"].values
    assert map_axes(ds) == ("contact_friction", "impact_lambda_lon")
    assert map_axes(ds.drop_vars(["impact_lambda", "impact_lambda_lon"])) is None  # one gives the other
    ax = plot_impact_map(ds, "contact_friction", "impact_lambda_lon", bins=4)
    assert ax.get_xlabel() == r"Friction, $\mu$ [1]"
    assert ax.get_ylabel().startswith("Facet impact, ")
    ds["impact_nu"] = "realization", ds["impact_lambda"].values  # of another law
    ds = ds.drop_vars(["impact_lambda", "contact_friction", "contact_static_friction"])
    assert map_axes(ds) is None
    ds["contact_restitution"] = "realization", ds["impact_nu"].values
    assert map_axes(ds) == ("impact_lambda_lon", "contact_restitution")


def test_impact_map_needs_parameters_that_vary(make_study):
    ds = make_study()
    ds["impact_lambda"][:] = np.nan
    with pytest.raises(ValueError, match=r"'impact_lambda' does not vary .* these do: impact_lambda_lon"):
        plot_impact_map(ds)


@pytest.mark.parametrize("plot", PLOTS)
def test_missing_runs_are_refused_unless_allowed(make_study, plot):
    ds = make_study()
    ds["outcome"][0] = Outcome.NOT_RUN
    with pytest.raises(ValueError, match="10 of 4400 runs have not been run"):
        plot(ds)
    assert "runs" in note(plot(ds, allow_missing=True))


def test_axes_of_the_caller_are_used_and_noted(make_study):
    figure = Figure(figsize=(7, 3))
    axes = figure.subplots(1, 2)
    assert plot_fragility(make_study(), axes[0]) is axes[0]
    plot_outcomes(make_study(), axes[1])
    assert all("runs" in ax.texts[-1].get_text() for ax in axes)
    alone = Figure(figsize=(3.4, 2.6), layout="constrained").add_subplot()
    add_note(alone, 150 * "long ")
    alone.get_figure().draw_without_rendering()
    assert alone.get_window_extent().height > 120  # of 260 px before: the figure grows, the axes stay


@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")])
def test_all_figures_are_written(make_study, tmp_path, ending, start):
    paths = save_all(make_study(), tmp_path / "new" / "figures", ending)
    names = ["fragility", "outcomes", "exceedance", "convergence"]
    assert [path.name for path in paths] == [f"{name}.{ending}" for name in names]
    assert all(path.read_bytes().startswith(start) for path in paths)


def test_written_figures_carry_title_and_seed(make_study, tmp_path):
    ds = make_study().assign_attrs(title="Statue at 5 $", seed=2026)
    for path in save_all(ds, tmp_path, "svg"):
        assert "Statue at 5 $, seed 2026" in path.read_text()


def test_figures_that_a_study_cannot_fill_are_left_out(make_study, tmp_path):
    ds = make_study().drop_vars(["impact_lambda", "peak_tilt_ratio"])
    assert [path.stem for path in save_all(ds, tmp_path)] == ["fragility", "outcomes", "convergence"]


def test_unknown_format_is_refused(make_study, tmp_path):
    with pytest.raises(ValueError, match="xyz"):
        save_figure(plot_outcomes(make_study()), tmp_path / "figure.xyz")


@pytest.mark.parametrize("cloud", [False, True])
def test_laws_have_a_curve_each_and_the_ratio_of_its_median(cloud):
    ds = two_laws(cloud=cloud, per_record=6 if cloud else 20)
    fits = fragility_by_choice(ds, resamples=200)
    ax = plot_choices(ds, found=fits)
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names[1].startswith("Housner 1963: ")
    assert float(names[1].split()[2]) == pytest.approx(fits["ratio"].values[1], abs=0.005)  # as printed
    curves = [line for line in ax.get_lines() if len(line.get_xdata()) == fits.sizes["intensity_grid"]]
    for curve, law in zip(curves[::2], fits["impact_law"].values, strict=True):
        fit = fits.sel(impact_law=law)
        np.testing.assert_allclose(curve.get_ydata(), fit["curve"].where(~fit["extrapolated"]))
    assert "8800 runs of 22 records" in note(ax) or cloud
    assert ax.get_xlabel() == "Peak ground acceleration [g]"


def test_a_study_of_several_laws_has_their_figure(tmp_path):
    assert tmp_path / "laws.png" in save_all(two_laws(), tmp_path)
    one = two_laws().isel(realization=slice(0, 440))
    assert tmp_path / "one" / "laws.png" not in save_all(one, tmp_path / "one")


def test_measures_are_drawn_with_the_best_on_top(make_study):
    ds = make_study(cloud=True)
    x, noise = ds["intensity_value"].values, np.random.default_rng(0).standard_normal((2, 440))
    words = {"units": "m s-1", "long_name": "peak ground velocity"}
    ds["im_pgv"] = ("realization", x * np.exp(noise[0]), words)
    ds["im_pga"] = ("realization", x * np.exp(0.3 * noise[1]), ds["intensity_value"].attrs)
    found = compare_measures(ds, resamples=200)
    ax = plot_measures(ds, found=found)
    np.testing.assert_allclose(ax.get_lines()[0].get_xdata(), np.sort(found["explained"]))
    texts = [text.get_text() for text in ax.texts]
    median = float(found["median_capacity"].sel(measure="pga")) / STANDARD_GRAVITY
    assert [text.partition(":")[0] for text in texts] == ["pgv", "pga", "intensity"]
    assert f"median {median:.3g} g, dispersion " in texts[1]
    assert "440 runs of 22 records. Bars: 95% intervals" in note(ax)


def test_a_study_without_ground_motion_has_no_figure_over_the_intensity(make_study, tmp_path):
    ds = make_study(levels=(3.0,)).drop_vars("record")
    ds.attrs["config"] = '{"motion": {"source": "none"}}'
    names = {path.stem for path in save_all(ds, tmp_path)}
    assert "outcomes" in names
    assert "fragility" not in names
    ax = plot_outcomes(ds)
    assert (ax.get_xlabel(), list(ax.get_xticks())) == ("", [])
    assert "440 runs, on ground that does not move." in note(ax)
    assert plot_exceedance(ds).get_legend() is None


@pytest.mark.parametrize(
    ("name", "units", "label"),
    [
        ("p PGV/(g tan alpha) (geometric mean)", "1", "p PGV/(g tan alpha) (geometric mean) [1]"),
        ("omega_p/p (geometric mean)", "1", "omega_p/p (geometric mean) [1]"),
        ("peak ground velocity", "m s-1", "Peak ground velocity [m/s]"),
        (
            "pseudo-spectral acceleration (geometric mean) at 0.5 s, damping 0.02",
            "m s-2",
            "Pseudo-spectral acceleration (geometric mean) at\n0.5 s, damping 0.02 [g]",
        ),
    ],
)
def test_the_label_of_an_intensity_fits_the_figure(make_study, name, units, label):
    ds = make_study()
    ds["intensity"].attrs = {"long_name": name, "units": units}
    for plot in (plot_fragility, plot_outcomes):
        ax = plot(ds)
        assert ax.get_xlabel() == label
        assert _is_inside(ax.xaxis.label)
    assert _is_inside(plot_exceedance(ds).get_legend())


def _is_inside(artist):
    """Whether the figure is wide enough for a label or legend."""
    figure = artist.get_figure()
    figure.draw_without_rendering()
    box = artist.get_window_extent()
    return 0 <= box.x0 < box.x1 <= figure.bbox.width


def pixels(ax):
    canvas = FigureCanvasAgg(figure_of(ax))
    canvas.draw()
    return np.asarray(canvas.buffer_rgba()).copy()


@pytest.mark.parametrize(
    ("plot", "fit"),
    [
        (plot_fragility, "fit_fragility"),
        (plot_limits, "fragility_by_limit"),
        (plot_choices, "fragility_by_choice"),
        (plot_measures, "compare_measures"),
    ],
)
def test_figures_take_what_was_computed(make_study, monkeypatch, plot, fit):
    ds = two_laws() if plot is plot_choices else make_study(8, 10, cloud=plot is plot_measures)
    if plot is plot_measures:
        ds["im_pgv"] = ("realization", ds["intensity_value"].values ** 0.8, {"units": "m s-1"})
    again, found = pixels(plot(ds, level=0.9)), getattr(statistics, fit)(ds, level=0.9)
    for home in (statistics, sys.modules[inspect.unwrap(plot).__module__]):
        monkeypatch.setattr(home, fit, None, raising=False)  # is called no more
    assert (pixels(plot(ds, level=0.9, found=found)) == again).all()


def test_two_studies_on_one_axes_have_two_colours_one_legend_and_both_notes(make_study):
    ax = plot_fragility(make_study(), label="old base")
    plot_fragility(make_study(median=4.0), ax, label="new base")
    lines = [line for line in ax.lines if not line.get_label().startswith("_")]
    assert [line.get_label() for line in lines] == ["old base", "new base"]
    assert lines[0].get_color() != lines[1].get_color()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["old base", "new base"]
    assert note(ax).index("old base: ") < note(ax).index("new base: ")
    plot_fragility(make_study(median=5.0), ax, caption=False)  # one without a name has one, too
    assert [text.get_text() for text in ax.get_legend().get_texts()][2] == "study 3"
    assert "study 3" not in note(ax)


@pytest.mark.parametrize("plot", PLOTS)
def test_every_figure_takes_colour_legend_and_caption(make_study, plot):
    plain = plot(make_study())
    ax = plot(make_study(), color="#123456", legend=False, caption="Mine.")
    assert ax.get_legend() is None
    assert note(ax) == "Mine."
    assert note(plot(make_study(), caption=False)) == ""
    assert len(ax.get_children()) == len(plain.get_children()) - (plain.get_legend() is not None)


def test_every_public_figure_shows_its_look():
    """One decorator gives it to all, whether they draw studies or not."""
    found = [getattr(plots, name) for name in plots.__all__ if name.startswith("plot_")]
    for plot in found:
        assert {"label", "color", "legend", "caption"} <= inspect.signature(plot).parameters.keys(), plot
        assert "label, color, legend, caption : optional" in plot.__doc__
    with pytest.raises(TypeError, match="'colour'; did you mean 'color'"):
        plots.plot_body(None, colour="red")
