"""Figures of the systems with many contacts: what they show, of the default and of other parameters."""

import numpy as np
import pytest

from mcrock.laws.systems import flexible_rod, impact_pendulum, rocking_rod, rod, two_blocks
from mcrock.show.style import save_figure

CASES = [
    (rod, {"points": 21}),
    (rocking_rod, {"points": 20}),
    (flexible_rod, {"points": 21}),
    (impact_pendulum, {"duration": 0.5, "points": 50}),
    (two_blocks, {"points": 15}),
    (rod, {"fixed": -0.2, "velocity": (-0.5, 1.0), "restitution": 0.5, "points": 21}),
    (rocking_rod, {"restitution": 0.8, "half_length": 3.0, "points": 20}),
    (flexible_rod, {"modes": [0, 1, 2, 3, 4, 5, 6], "points": 21}),
    (impact_pendulum, {"angles_deg": 45.0, "law": "newton", "duration": 0.5, "points": 50}),
    (two_blocks, {"tilt_deg": 40.0, "direction_deg": 5.0, "points": 15}),
]


@pytest.mark.parametrize(("system", "changes"), CASES)
def test_an_example_describes_itself_and_is_drawn(system, changes, tmp_path):
    ds = system.example(**changes)
    assert "\n" not in ds.attrs["title"]
    assert "Glocker" in ds.attrs["description"]
    for variable in (*ds.data_vars.values(), *ds.coords.values()):
        assert variable.dtype.kind in "OU" or {"units", "long_name"} <= set(variable.attrs)
    ax = system.plot(ds)
    figure = ax.get_figure(root=True)
    for axes in figure.axes:
        assert "[" in axes.get_ylabel()
    assert figure.get_supxlabel()
    assert save_figure(ax, tmp_path / "figure.png").stat().st_size > 10_000


def test_rod_lines_are_the_impulses():
    ds = rod.example(points=22)
    above = rod.plot(ds)
    lines = {line.get_label(): line.get_ydata() for line in above.get_lines() if line.get_label()[0] != "_"}
    drawn = np.isfinite(lines["fixed obstacle"])
    assert drawn.sum() == 21  # but for the place of the fixed obstacle
    assert lines["fixed obstacle"][drawn] == pytest.approx(ds["impulse"].values[0][drawn])


def test_pendulum_says_what_the_floors_do():
    figure = impact_pendulum.plot(impact_pendulum.example()).get_figure(root=True)
    note = " ".join(figure.get_supxlabel().split())
    assert "30°: 1 impact, effective restitution 0;" in note


def test_velocities_of_the_blocks_fit_into_the_axes():
    ds = two_blocks.example(points=9)
    ax = two_blocks.plot(ds)
    reach = ax.get_xlim()[1]
    assert np.nanmax(np.abs(ds["after"].values)) < reach
