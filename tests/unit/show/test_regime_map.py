"""The chart of slide and rock: regions where the rules say, and points where the runs are."""

import numpy as np
import pytest
from matplotlib.path import Path

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.body.faces import Regime, Sections, regime_from_rest
from mcrock.plots import plot_regimes, save_all
from mcrock.study import load_config

CONFIG = "configs/quickstart.toml"  # 0.4 x 0.4 x 1.6 m


def with_friction(make_study, overrides=(), **settings):
    ds = make_study(**settings)
    friction = np.linspace(0.2, 0.6, ds.sizes["realization"])
    ds["contact_friction"] = "realization", friction
    ds["contact_static_friction"] = "realization", friction.copy()
    draw = np.random.default_rng(4).uniform(0.5, 12.0, ds["outcome"].shape)
    ds["peak_acceleration"] = ds["outcome"].dims, draw.astype("f4")
    ds.attrs["config"] = load_config(CONFIG, overrides).to_json()
    return ds


def note(ax):
    return ax.get_figure().get_supxlabel().replace("\n", " ")


@pytest.mark.parametrize("gravity", [9.81, 1.62])
def test_regions_are_those_of_the_direction_of_easiest_tipping(make_study, gravity):
    ax = plot_regimes(with_friction(make_study, [f"body.gravity={gravity}"]))
    side = Sections(np.array(0.2), np.array(0.8), np.sqrt(np.array(0.68 / 3)))
    rng = np.random.default_rng(0)
    mu, push = rng.uniform(0, [[ax.get_xlim()[1]], [ax.get_ylim()[1]]], (2, 500))
    found = regime_from_rest(push * STANDARD_GRAVITY / gravity, mu, side)
    assert set(found) == set(Regime)
    regions = [collection for collection in ax.collections if collection.get_label()[0] != "_"]
    assert [region.get_label() for region in regions] == ["rest", "slide", "rock", "slide-rock"]
    inside = np.array(
        [
            np.any(
                [
                    Path(path.vertices).contains_points(np.stack([mu, push], -1))
                    for path in region.get_paths()
                ],
                axis=0,
            )
            for region in regions
        ]
    )
    assert (inside.argmax(axis=0) == found).mean() > 0.99  # straight lines between 400 frictions


@pytest.mark.parametrize("cloud", [False, True])
def test_points_are_runs_at_their_friction_and_acceleration(make_study, cloud):
    ds = with_friction(make_study, cloud=cloud)
    ax = plot_regimes(ds)
    x, y = ax.get_lines()[-1].get_data()
    assert len(x) == (440 if cloud else 3000)
    first = ds.isel(realization=slice(0, 440 if cloud else 300))
    np.testing.assert_array_equal(y, first["peak_acceleration"].values.ravel() / np.float32(STANDARD_GRAVITY))
    np.testing.assert_array_equal(x, np.repeat(first["contact_friction"].values, 1 if cloud else 10))
    assert f"{len(x)} runs at their peak horizontal acceleration (rest " in note(ax)
    assert ax.get_ylabel() == "Horizontal acceleration [g]"


def test_studies_with_friction_alone_have_the_chart(make_study, tmp_path):
    assert tmp_path / "regimes.png" in save_all(with_friction(make_study), tmp_path)
    with pytest.raises(ValueError, match="needs a study with friction and shaking: the variable"):
        plot_regimes(make_study())


def test_realizations_that_were_not_drawn_are_left_out(make_study):
    ds = with_friction(make_study, cloud=True)
    ds["contact_friction"][:40] = np.nan
    assert len(plot_regimes(ds).get_lines()[-1].get_xdata()) == 400


@pytest.mark.parametrize(
    ("sliding", "slides", "both", "label"),
    [(0.2, 100, 0, "Static friction coefficient [1]"), (0.3, 0, 100, "Friction coefficient [1]")],
)
def test_slip_that_cannot_tip_the_body_is_sliding(make_study, sliding, slides, both, label):
    """The block tips above 0.25; static friction of 0.3 does not hold at 1 g."""
    ds = with_friction(make_study)
    ds["contact_static_friction"][:], ds["contact_friction"][:] = 0.3, sliding
    ds["peak_acceleration"][:] = 9.81
    ax = plot_regimes(ds)
    assert f"(rest 0%, slide {slides}%, rock 0%, slide-rock {both}%)" in note(ax).replace("- ", "-")
    assert ax.get_xlabel() == label


@pytest.mark.parametrize(("strongest", "scale"), [(9.81, "linear"), (98.1, "log")])
def test_runs_far_above_what_tips_the_body_have_a_logarithmic_axis(make_study, strongest, scale):
    ds = with_friction(make_study)
    ds["peak_acceleration"][:] = 0.981
    ds["peak_acceleration"][0] = strongest
    ax = plot_regimes(ds)
    low, high = ax.get_ylim()
    assert ax.get_yscale() == scale
    assert low < 0.1 < strongest / STANDARD_GRAVITY < high
