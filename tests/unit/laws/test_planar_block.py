"""Examples and figures of the planar block: what they show agrees with the domains."""

import numpy as np
import pytest

from mcrock.laws import brogliato_2012 as domains
from mcrock.laws.brogliato_2012 import least_friction
from mcrock.laws.systems import block_domains, planar_block
from mcrock.planar import rectangle

STEP = 1.0 / (planar_block.POINTS - 1)


def note(ax):
    return ax.get_figure().get_supxlabel().replace("\n", " ")


@pytest.mark.parametrize(("height", "friction"), [(2.0, 0.3), (0.5, 1.0), (4.0, 0.1), (1.0, 0.0)])
def test_ranges_are_the_domains(height, friction):
    ds = planar_block.example(height=height, friction=friction)
    block = rectangle(1.0, height)
    for motion, domain in (
        ("no friction", domains.sliding_domain(block)),
        ("corners stick", domains.sticking_domain(block, friction)),
    ):
        assert 0.0 <= float(ds["low"].sel(motion=motion)) - domain[0] < STEP + 1e-9
        assert float(ds["high"].sel(motion=motion)) == 1.0


def test_coulomb_leaves_the_curve_of_sticking_where_friction_is_not_enough():
    ds = planar_block.example(height=2.0, friction=0.3)
    e = ds["e_n21"].values
    apart = np.abs(ds["slip"].sel(motion="Coulomb friction").values) > 1e-12
    needed = np.array([least_friction(rectangle(1.0, 2.0), value) for value in e])
    assert np.array_equal(apart, needed > 0.3)


def test_rebound_plane_holds_housners_impact_and_the_lossless_one():
    ds = planar_block.example(height=2.0)
    at = ds.interp(e_n1=0.0, rebound=0.7)
    assert float(at["leaving_push"]) == pytest.approx(0.0, abs=1e-12)
    assert float(at["loss"]) > 0.0
    assert float(ds.interp(e_n1=0.0, rebound=1.0)["loss"]) == pytest.approx(0.0, abs=1e-2)
    assert float(ds["loss"].isel(e_n1=0).max()) < 0.0  # the plane holds the whole ellipse
    assert float(ds["loss"].isel(rebound=-1).max()) < 0.0


@pytest.mark.parametrize(
    "arguments", [{}, {"height": 0.5, "speed": 1.0, "friction": 0.1}, {"height": 6.0, "friction": np.inf}]
)
def test_figure_of_the_block(arguments):
    ds = planar_block.example(**arguments)
    ax = planar_block.plot(ds)
    first, energy, plane = ax.get_figure().axes
    assert first.get_ylabel() == "Impulse [N s]"
    assert energy.get_ylabel() == "Kinetic energy after over before [1]"
    assert plane.get_xlabel().endswith("landing corner [1]")
    assert f"height {arguments.get('height', 2.0):g} m" in note(ax)
    assert "Housner" in ds.attrs["description"]


@pytest.mark.parametrize("friction", [0.0, 0.3, 2.0, np.inf])
def test_figure_of_the_domains(friction):
    ax = block_domains.plot(block_domains.example(friction=friction))
    panels = ax.get_figure().axes
    assert [panel.get_title() for panel in panels[:2]] == ["Sliding (Fig. 2)", "Sticking (Fig. 3)"]
    assert len(panels) == 6
    assert all(panel.get_ylabel().endswith("[1]") for panel in panels)
    assert f"friction {friction:g}" in note(ax)


def test_domains_join_their_corners_exactly():
    """Critical aspects are points of the curves, so that no corner is cut."""
    ds = block_domains.example(friction=0.3)
    for aspect in (np.sqrt(0.5), np.sqrt(2.0), 0.3, 1 / 0.3, *ds["critical_aspect"].values):
        assert np.abs(ds["aspect"].values - aspect).min() == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: planar_block.example(rate=1.0), r"rate must be negative, .* got 1\.0"),
        (lambda: planar_block.example(rate=0.0), r"rate must be negative"),
        (lambda: planar_block.example(rate=np.nan), r"rate must be a finite number \[rad/s\], got nan"),
        (lambda: planar_block.example(speed="fast"), r"speed must be a finite number \[m/s\], got 'fast'"),
        (lambda: planar_block.example(height=0.0), r"height must be a finite number > 0 \[m\], got 0"),
        (lambda: planar_block.example(friction=-1.0), "friction must be from 0"),
        (lambda: block_domains.example(friction=-1.0), "friction must be from 0"),
        (lambda: block_domains.example(aspect=0.0), r"aspect must be a finite number > 0 \[1\], got 0"),
        (lambda: block_domains.example(largest_aspect=np.inf), r"largest_aspect must be a .* \[1\], got inf"),
    ],
)
def test_what_cannot_be_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
