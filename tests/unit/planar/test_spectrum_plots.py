"""Figures of spectra: what they show, their labels, and what they refuse."""

import matplotlib as mpl
import numpy as np
import pytest
import xarray as xr

from mcrock.excitation import Motion, Pulse, one_cosine, one_sine
from mcrock.planar import overturning_spectrum, rocking_spectrum
from mcrock.plots import plot_overturning_spectrum, plot_rocking_spectrum, save_figure
from mcrock.show.spectrum import describe_scan


def noise(n):
    rng = np.random.default_rng(5)
    return [Motion(4 * rng.normal(size=(3, 200)), 0.02, f"noise {i}") for i in range(n)]


@pytest.fixture(scope="module")
def overturning():
    return overturning_spectrum(
        one_sine(1.0, 6.0), 0.25, np.linspace(1, 9, 17), largest_amplitude=12.0, scan=200
    )


@pytest.fixture(scope="module")
def rocking():
    return rocking_spectrum(noise(1), [0.1, 0.2], np.linspace(0.4, 4, 40))


def note(ax):
    return ax.get_figure().get_supxlabel().replace("\n", " ")


def polygons(ax, colour):
    """Corners of all areas of a colour."""
    found = [
        c for c in ax.collections if mpl.colors.to_hex(c.get_facecolor()[0]) == mpl.colors.to_hex(colour)
    ]
    return [path.vertices for collection in found for path in collection.get_paths()]


def inside(ax, x, y):
    """Colours of the areas at a place."""
    return [
        mpl.colors.to_hex(collection.get_facecolor()[0])
        for collection in ax.collections
        if any(path.contains_point((x, y)) for path in collection.get_paths())
    ]


def test_bands_are_filled_and_islands_are_not(overturning):
    before = dict(mpl.rcParams)
    ax = plot_overturning_spectrum(overturning)
    assert dict(mpl.rcParams) == before
    words = [text.get_text() for text in ax.get_figure().legends[0].get_texts()]
    assert words[:2] == ["overturns without impact", "after 1 impact"]
    colours = {
        text: mpl.colors.to_hex(patch.get_facecolor())
        for text, patch in zip(words, ax.get_figure().legends[0].get_patches(), strict=True)
    }
    scale = 0.25 / np.tan(0.25)  # limits at omega_p/p = 5: 2.945 to 6.827 and above 7.493 of g slenderness
    assert inside(ax, 5.0 + 1e-6, 5.0 * scale) == [colours["after 1 impact"]]
    assert inside(ax, 5.0 + 1e-6, 9.0 * scale) == [colours["overturns without impact"]]
    assert inside(ax, 5.0 + 1e-6, 7.2 * scale) == []
    assert inside(ax, 5.0 + 1e-6, 2.0 * scale) == []


def falls_at(bands, amplitude):
    return bool(((bands["lower"] <= amplitude) & (amplitude < bands["upper"])).any())


def is_near_a_limit(bands, amplitude):
    return float(np.nanmin(np.abs(np.append(bands["lower"], bands["upper"]) / amplitude - 1))) < 0.02


def test_no_white_where_the_next_size_overturns():
    """Every size is drawn as it is, and between two that overturn there is no white."""
    ds = overturning_spectrum(noise(2), 0.2, periods=[0.5, 1.0, 2.0], scan=65, largest_amplitude=8.0)
    rng = np.random.default_rng(1)
    for number, ax in enumerate(plot_overturning_spectrum(ds).get_figure().axes):
        part = ds.isel(motion=number, slenderness=0)
        for amplitude in rng.uniform(0.2, 7.9, 60):
            falls = []
            for size, spot in ((0.5, 0.5001), (1.0, 1.0), (2.0, 1.9999)):
                bands = part.sel(period=size)
                falls.append(falls_at(bands, amplitude))
                assert bool(inside(ax, spot, amplitude)) is falls[-1] or is_near_a_limit(bands, amplitude)
            if falls[0] and falls[1]:
                assert inside(ax, 0.74, amplitude)
                assert inside(ax, 0.76, amplitude)


def test_a_band_alone_on_a_coarse_axis_is_a_rectangle():
    ds = overturning_spectrum(one_sine(1.0, 6.0), 0.25, [2.0, 5.0, 20.0], largest_amplitude=6.0, scan=100)
    ax = plot_overturning_spectrum(ds)
    corners = polygons(ax, "#de8f05")
    band = next(c for c in corners if c[:, 0].max() == 12.5)  # of 5.0, half way to 20
    assert set(band[:, 0].tolist()) == {3.5, 5.0, 12.5}
    assert len(np.unique(band[:, 1].round(9))) == 2


def test_the_dotted_line_is_where_rocking_begins():
    pulse = Pulse((1.0, 0.0, -1.0), 6.0)
    ds = overturning_spectrum(pulse, 0.3, [2.0, 3.0], scan=9, largest_amplitude=3.0)
    (line,) = plot_overturning_spectrum(ds).get_lines()
    assert line.get_ydata()[0] == pytest.approx(1 / (1 + np.tan(0.3)))


def test_long_names_are_broken_in_titles():
    motions = [
        Motion(motion.acceleration, motion.dt, f"An earthquake of {year}, a station far away, x")
        for motion, year in zip(noise(3), (1994, 1995, 1999), strict=True)
    ]
    ds = overturning_spectrum(motions, 0.2, periods=[1.0, 2.0], scan=9)
    titles = [ax.get_title() for ax in plot_overturning_spectrum(ds).get_figure().axes]
    assert all(max(map(len, title.split("\n"))) <= 30 for title in titles)
    assert titles[0].replace("\n", " ") == "An earthquake of 1994, a station far away, x"


def test_captions_name_the_shaking():
    record = Motion(noise(1)[0].acceleration, 0.02, "xz, x")
    note_of = note(plot_rocking_spectrum(rocking_spectrum(record, 0.2, [1.0, 2.0])))
    peaks = np.abs(record.acceleration).max(1) / 9.80665
    assert note_of.startswith(f"xz, x, peak {peaks[0]:.3g} g, vertical {peaks[2]:.3g} g, slenderness 11.5°")
    ds = rocking_spectrum([one_sine(3.0, 6.0), one_sine(6.0, 3.0)], 0.2, [1.0, 2.0])
    ds.attrs["scale"] = 2.0
    words = "2 motions, period 1.05 to 2.09 s, scaled by 2, peak 0.306 to 0.612 g"
    assert note(plot_rocking_spectrum(ds)).startswith(words)
    ds = overturning_spectrum(one_sine(1.0, 6.0), 0.2, periods=[20.0], scan=9, largest_amplitude=1.5)
    assert note(plot_overturning_spectrum(ds)).startswith("One-sine pulse, period 1.05 s, slenderness 11.5°")


def test_one_limit_is_singular():
    ds = overturning_spectrum(one_sine(1.0, 6.0), 0.2, [2.0], scan=9)
    one = ds.assign(limits=0 * ds["limits"] + 1, half_scan_limits=0 * ds["limits"])
    assert describe_scan(one) == (
        "9 amplitudes scanned at each size: 1 limit found, of which a scan half as fine finds 0"
    )
    none = ds.assign(limits=0 * ds["limits"])
    assert describe_scan(none) == "9 amplitudes scanned at each size: no limit found"


def test_a_size_that_overturns_alone_leaves_no_empty_axes():
    ds = rocking_spectrum(one_sine(9.81, 6.0), 0.2, [1.0])
    ax = plot_rocking_spectrum(ds)
    assert [text.get_text() for text in ax.texts] == ["overturns"]


def test_overturning_figure_has_labels_and_an_honest_note(overturning):
    ax = plot_overturning_spectrum(overturning)
    assert ax.get_xlabel().endswith("[1]")
    assert ax.get_ylabel().endswith("[1]")
    assert ax.get_ylim() == (0, 12)
    limits, half = int(overturning["limits"].sum()), int(overturning["half_scan_limits"].sum())
    words = f"257 amplitudes scanned at each size: {limits} limits found, of which a scan half as fine finds"
    assert f"{words} {half}." in note(ax)
    assert "One-sine pulse, slenderness 14.3°, restitution housner_1963, r = 0.9082" in note(ax)


def test_panels_for_motions_and_slendernesses():
    ds = overturning_spectrum([one_sine(1.0, 6.0), one_cosine(1.0, 6.0)], [0.1, 0.2], [2.0, 4.0], scan=50)
    figure = plot_overturning_spectrum(ds).get_figure()
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == [
        f"{name} pulse, slenderness {angle}°"
        for name in ("one-sine", "one-cosine")
        for angle in ("5.73", "11.5")
    ]


def test_many_motions_are_shown_as_shares():
    ds = overturning_spectrum(noise(7), 0.2, periods=[0.3, 1.0, 2.0], scan=20, tolerance=1e-2)
    ax = plot_overturning_spectrum(ds)
    mesh = ax.collections[0]
    share = mesh.get_array()
    assert share.min() == 0
    assert 0 < share.max() <= 1
    assert ax.get_figure().axes[-1].get_ylabel() == "Fraction of overturning motions [1]"
    row = int(0.5 * share.shape[0])
    amplitude = 20.0 * row / (share.shape[0] - 1)
    part = ds.isel(slenderness=0, period=0)
    expected = ((part["lower"] <= amplitude) & (amplitude < part["upper"])).any("band").mean()
    assert share[row, 0] == pytest.approx(float(expected))


def test_one_size_alone_can_be_drawn():
    ds = overturning_spectrum(one_sine(1.0, 6.0), 0.25, [5.0], scan=100)
    ax = plot_overturning_spectrum(ds)
    assert len(inside(ax, 5.0, 5.0)) == 1
    assert inside(ax, 5.0, 1.5) == []


def test_a_spectrum_without_bands_can_be_drawn():
    ds = overturning_spectrum(one_sine(1.0, 6.0), 0.25, [40.0, 50.0], scan=50, largest_amplitude=5.0)
    assert plot_overturning_spectrum(ds).get_figure().legends == []


def test_rocking_lines_end_where_blocks_overturn(rocking):
    ax = plot_rocking_spectrum(rocking)
    assert ax.get_ylabel() == "Largest tilt / slenderness [1]"
    assert ax.get_xlabel().endswith("[s]")
    above = ax.get_figure().axes[0]
    for place in range(2):
        fallen = rocking["outcome"].values[0, place] == 3
        drawn = ax.get_lines()[2 * place].get_ydata()
        np.testing.assert_array_equal(np.isnan(drawn), fallen)
        np.testing.assert_array_equal(drawn[~fallen], rocking["peak_tilt_ratio"].values[0, place][~fallen])
        assert len(above.collections[place].get_paths()) == fallen.sum()
    assert [text.get_text() for text in above.get_legend().get_texts()] == ["5.73°", "11.5°"]
    assert "is not overturning" in note(ax)


def test_several_motions_have_a_median_and_a_share():
    ds = rocking_spectrum(noise(3), 0.15, np.linspace(0.4, 4, 10))
    ax = plot_rocking_spectrum(ds)
    above = ax.get_figure().axes[0]
    np.testing.assert_allclose(
        above.get_lines()[0].get_ydata(), (ds["outcome"] == 3).mean("motion").values[0]
    )
    assert "3 motions" in note(ax)
    assert "Thick: median" in note(ax)


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_figures_are_written(overturning, rocking, tmp_path, ending):
    for name, ax in (("o", plot_overturning_spectrum(overturning)), ("r", plot_rocking_spectrum(rocking))):
        assert save_figure(ax, tmp_path / f"{name}.{ending}").stat().st_size > 1000


def test_what_is_no_spectrum_is_refused(overturning, rocking):
    words = "not an overturning spectrum: it lacks lower, uplift_amplitude, upper"
    with pytest.raises(ValueError, match=words):
        plot_overturning_spectrum(rocking)
    with pytest.raises(ValueError, match="it lacks peak_acceleration, peak_tilt_ratio, period"):
        plot_rocking_spectrum(overturning)
    with pytest.raises(ValueError, match=r"8 slendernesses are too many for one figure, at most 6; .*isel"):
        plot_overturning_spectrum(
            xr.concat([overturning] * 8, "slenderness", data_vars="minimal", coords="minimal")
        )
    with pytest.raises(ValueError, match="8 slendernesses are too many"):
        plot_rocking_spectrum(rocking.isel(slenderness=[0, 1] * 4))
