"""Planar blocks: numbers derived from the geometry, families of similar blocks, refused input."""

from math import atan, hypot, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcrock.base.params import GRAVITY
from mcrock.body import Body, cuboid, cylinder, prism
from mcrock.impact.conditions import Start
from mcrock.planar import PlanarBlock, planar_block, rectangle, rectangle_of, simulate_planar
from mcrock.simulation.runs import simulate
from tests.unit.planar.blocks import blocks


def test_a_rectangle_has_the_frequency_of_the_literature():
    block = rectangle(0.6, 1.8)
    radius = hypot(0.3, 0.9)
    assert block.radius == pytest.approx(radius, rel=1e-15)
    assert block.frequency == pytest.approx(sqrt(3 * GRAVITY / (4 * radius)), rel=1e-14)
    assert block.slendernesses == (atan(0.3 / 0.9),) * 2


@given(st.floats(1e-4, 1.5), st.floats(0.1, 20.0))
def test_a_rectangle_is_found_from_slenderness_and_frequency(slenderness, frequency):
    block = rectangle_of(slenderness, frequency)
    assert block.slenderness == pytest.approx(slenderness, rel=1e-12)
    assert block.frequency == pytest.approx(frequency, rel=1e-12)


@given(blocks(), st.floats(0.1, 10.0))
def test_resized_blocks_are_similar(block, frequency):
    other = block.resized(frequency)
    factor = other.width / block.width
    assert other.frequency == pytest.approx(frequency, rel=1e-12)
    assert other.slendernesses == pytest.approx(block.slendernesses, rel=1e-12)
    assert other.inertia / other.mass == pytest.approx(factor**2 * block.inertia / block.mass, rel=1e-12)
    assert other.mass / block.mass == pytest.approx(factor**3, rel=1e-12)


def test_the_edge_of_smaller_slenderness_names_the_block():
    block = rectangle(1.0, 3.0, offset=0.2)
    assert (block.left, block.right) == (0.7, 0.3)
    assert block.slenderness == block.slendernesses[0] == atan(0.3 / 1.5)
    assert block.radius == hypot(0.3, 1.5)


def test_the_section_of_a_body():
    body = cuboid(0.4, 0.6, 1.6, 2600, com=(0.05, 0.0, 0.0))
    along_x, along_y = planar_block(body), planar_block(body, "y")
    assert (along_x.right, along_x.left) == pytest.approx((0.15, 0.25))
    assert (along_y.right, along_y.left) == pytest.approx((0.3, 0.3))
    assert along_x.inertia == body.inertia[1, 1]
    assert along_y.inertia == body.inertia[0, 0]
    assert along_x.frequency == pytest.approx(body.frequency, rel=1e-14)


def test_a_circle_reaches_as_far_as_its_rim():
    """And not as the polygon that is drawn for it; it sweeps when the block lands that loses nothing."""
    body = cylinder(0.2, 1.2, density=1000.0, com=(0.03, 0.0, 0.0))
    block = planar_block(body)
    assert (block.left, block.right) == pytest.approx((0.23, 0.17), rel=1e-12)
    assert block.frequency == pytest.approx(body.frequency, rel=1e-12)
    assert block.slenderness == pytest.approx(body.slenderness, rel=1e-12)
    centred = cylinder(0.2, 1.2, density=1000.0)
    planar = simulate_planar(planar_block(centred), r=1.0, tilt=0.1, t_end=2.0, history=True)
    tilts = simulate(centred, start=Start(edge=0, tilt=0.1), t_end=2.0).history
    low = np.flatnonzero(np.diff(np.sign(np.diff(tilts["tilt"].values))) > 0) + 1
    landings = [event["t"] for event in planar.events if event["kind"] == "facet_impact"]
    assert len(landings) >= 3
    assert tilts["time"].values[low][: len(landings)] == pytest.approx(landings, abs=2e-5)


def test_bodies_without_two_edges_across_are_refused():
    triangle = prism([(-0.3, -0.3), (0.3, 0.0), (-0.3, 0.3)], 1.5, 2000)
    with pytest.raises(ValueError, match=r"lone corner at its right end, x = 0\.4"):
        planar_block(triangle)
    with pytest.raises(ValueError, match="axis of the plane must be 'x' or 'y', got 'z'"):
        planar_block(triangle, "z")


def test_bodies_that_start_leaning_are_refused():
    turned = np.array([[0.98, 0.0, 0.199], [0.0, 1.0, 0.0], [-0.199, 0.0, 0.98]])
    turned /= np.linalg.norm(turned, axis=1)[:, None]
    vertices = cuboid(0.4, 0.4, 1.6, 2600).vertices @ turned.T
    body = Body(1.0, 0.1 * np.eye(3), vertices, faces=cuboid(0.4, 0.4, 1.6, 2600).faces)
    with pytest.raises(ValueError, match="needs a start face across the body axis z"):
        planar_block(body)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PlanarBlock(0.0, 0.2, 1.0, 1.0, 1.0), r"PlanarBlock\.left must be a .* > 0 \[m\], got 0\.0"),
        (lambda: PlanarBlock(0.2, 0.2, 1.0, 1.0, -1.0), r"PlanarBlock\.inertia must .* > 0 \[kg m2\]"),
        (lambda: PlanarBlock(0.2, 0.2, 1.0, float("nan"), 1.0), r"PlanarBlock\.mass .* \[kg\], got nan"),
        (lambda: rectangle(-1.0, 2.0), r"rectangle\.width must be a finite number > 0 \[m\], got -1\.0"),
        (lambda: rectangle(1.0, 2.0, offset=0.5), r"over the base, within \+-0\.5 m, got 0\.5"),
        (lambda: rectangle_of(1.6, 2.0), r"slenderness must be between 0 and pi/2 rad, got 1\.6"),
        (lambda: rectangle_of(0.2, 0.0), r"frequency parameter must be a finite number > 0 \[rad/s\]"),
        (lambda: rectangle(0.4, 1.6).resized(-1.0), r"frequency parameter must be a finite .* > 0 \[rad/s\]"),
    ],
)
def test_impossible_blocks_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
