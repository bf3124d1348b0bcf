"""Figures 9, 11, 12 and 13 as `mcrock laws show` computes them: what the text says of them.

The text has no table of their numbers; those below are statements of sections 4.4 to 4.9, with the errata of
`mcrock docs theory`.
"""

import numpy as np
import pytest

from mcrock.body import cuboid
from mcrock.laws import system_example
from mcrock.laws.systems.spatial_blocks import OUTCOMES, outcomes
from tests.published.varkonyi_2022.test_edge_impacts import FIGURE_9, FIGURE_13
from tests.published.varkonyi_2022.test_facet_impacts import FIGURE_12
from tests.unit.impact.equations import edge_point, energy, facet_solutions, impact

NO_SOLUTION, V_3, V_4, TWO = range(len(OUTCOMES))
GRID = 1e-9  # a place of the impulse that is a point of the grid [1]
PRINTED = 0.51e-5  # five decimals of an angular velocity [rad/s]
PRINTED_TORQUE = 0.51e-7  # seven decimals of an angular impulse [N m s]
RTOL = 1e-9  # two ways to the same number


@pytest.fixture(scope="module")
def edge():
    return system_example("edge_impact", spins=[0.0, 1.0, -1.0])


@pytest.fixture(scope="module")
def facet(shipped_system):
    return shipped_system("facet_impact")


@pytest.mark.parametrize(("lambda_", "tau", "expected"), [row[:3] for row in FIGURE_9])
def test_figure_9_has_the_numbers_of_its_map(edge, lambda_, tau, expected):
    found = edge["omega"].sel({"lambda": lambda_, "tau": tau}, method="nearest", tolerance=GRID)
    assert found.values == pytest.approx(expected, abs=PRINTED)


def test_figure_9_lambda_sets_what_is_lost_across_the_edge(edge):
    """Section 4.4: the dominant effect of lambda is the reduction of the x component."""
    at = edge["omega"].sel(tau=0.0, method="nearest", tolerance=GRID)
    change = np.abs(at.sel({"lambda": 1.0}) - at.sel({"lambda": 0.0}, method="nearest")).values
    assert change[0] == pytest.approx(1.0 - 0.91849, abs=PRINTED)
    assert change[0] > 2.0 * change[1:].max()
    across = at[0].values
    assert (np.diff(across) < 0.0).all()


@pytest.mark.parametrize("tilt_deg", [0.0, 5.0])
def test_figure_9_tau_turns_about_the_vertical_and_about_the_edge(tilt_deg):
    """Section 4.4: tau affects dominantly z and, where the block is tilted, y. By (18), which is solved here
    again, it affects y of a block that is not tilted as much (erratum 11)."""
    system = system_example("edge_impact", tilt=np.deg2rad(tilt_deg))
    omega = system["omega"].sel({"lambda": 0.0}, method="nearest", tolerance=GRID)
    change = (omega.isel(tau=-1) - omega.sel(tau=0.0, method="nearest")).values
    assert abs(change[2]) > 4.0 * np.abs(change[:2]).max()
    assert change[1] / change[2] == pytest.approx(0.1835, abs=0.0015)
    body, (s, c) = cuboid(0.1, 0.1, 0.4, mass=1.0), (f(np.deg2rad(tilt_deg)) for f in (np.sin, np.cos))
    turn = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    old, new = turn @ body.base[1], turn @ body.base[0]
    inertia, at = turn @ body.inertia @ turn.T, edge_point(old, new, 0.0)
    twin = [impact(1.0, inertia, at, old, new, np.array([1.0, 0.0, 0.0]), tau) for tau in (0.0, 0.002)]
    assert change == pytest.approx(twin[1] - twin[0], rel=RTOL)


@pytest.mark.parametrize(("spin", "lambda_", "interval"), FIGURE_13)
def test_figure_13_has_the_numbers_of_its_map(edge, spin, lambda_, interval):
    one = edge.sel(spin=f"omega_z = {spin:g} rad/s").sel(place=lambda_, method="nearest", tolerance=GRID)
    assert [float(one["tau_low"]), float(one["tau_high"])] == pytest.approx(interval, abs=PRINTED_TORQUE)


def test_figure_13_no_energy_is_gained_to_the_right(edge):
    """Section 4.8: bounded for each lambda, wider to the right; tau = 0 gains nothing from lambda = 0 on."""
    place = edge["place"].values
    for spin in range(3):
        one = edge.isel(spin=spin)
        there = np.isfinite(one["tau_low"].values)
        least = float(one["least_lambda"])
        assert (there == (place > least)).all()
        width = (one["tau_high"] - one["tau_low"]).values[there]
        assert (np.diff(width) > 0.0).all()
        inside = (one["tau_low"] <= 0.0) & (one["tau_high"] >= 0.0)
        assert (inside.values[np.abs(place) > GRID] == (place > 0.0)[np.abs(place) > GRID]).all()
        # a double root: where the curve begins both of its ends meet
        assert width[0] < width[1] < 0.2 * width[-1]
    assert float(edge["least_lambda"][0]) == pytest.approx(0.0, abs=1e-4)
    assert (edge["least_lambda"][1:] < -0.2).all()


def test_figure_11a_has_one_solution_everywhere(facet):
    """Section 4.7, with erratum 5: V_4 for a positive lambda_lat, V_3 for a negative one."""
    with_24 = facet.isel(condition=0)
    expected = np.where(facet["lambda_lat"].values > 0.0, V_4, V_3)
    assert (with_24["outcome"].values == expected).all()
    # the singularity lies outside what is shown
    assert (with_24["regular"] > 0.5).all()


def test_figure_11_a_given_tau_leaves_places_without_and_with_two_solutions(facet):
    """Section 4.5: there are ranges of the parameters without solution, and others with two."""
    for condition in (2, 3):
        one = facet.isel(condition=condition)
        assert float(one["without_solution"]) > 0.05
        assert float(one["two_solutions"]) > 0.05
        assert float(one["regular"].min()) < 0.0 < float(one["regular"].max())
    assert float(facet["without_solution"][0]) == float(facet["two_solutions"][0]) == 0.0


def test_figure_11_the_singularity_is_irrelevant_to_slender_blocks(facet):
    """Section 4.9: it appears off the base."""
    on_base = facet.sel(lambda_lon=slice(-1.0, 1.0), lambda_lat=slice(-1.0, 1.0))
    assert (on_base["regular"] > 0.0).all()


def test_figure_11_energy_bound(facet):
    """(26) holds above a line; with (24) it is lambda_lon (1 + bn - be |lat|) >= be |lat| (1 + |lat|) on the
    base, a positive lower limit (erratum 8)."""
    base = np.linspace(-1.0, 1.0, 20)
    body = cuboid(0.1, 0.06, 0.4, mass=1.0)
    found = outcomes(body, base, base, None).energy
    across, along = (half**2 / (body.inertia[i, i] + 0.2**2) for half, i in ((0.05, 1), (0.03, 0)))
    lon, lat = np.meshgrid(base, np.abs(base), indexing="ij")
    bound = lon * (1.0 + across - along * lat) - along * lat * (1.0 + lat)
    assert np.abs(bound).min() > 1e-4  # no place is so near to the line that rounding decides
    assert ((found <= 0.0) == (bound >= 0.0)).all()


@pytest.mark.parametrize("tau", [None, 0.0, -0.002, -0.005])
def test_figure_11_agrees_with_the_equations(tau):
    """Pivots and energies of the twin that tries each corner with numpy, on and beside the base."""
    body = cuboid(0.1, 0.06, 0.4, mass=1.0)
    axis = np.linspace(-5.3, 5.3, 8)
    found = outcomes(body, axis, axis, tau)
    before = np.array([0.0, -1.0, 0.0])
    start = energy(body.mass, body.inertia, body.base[0], before)
    for i, lon in enumerate(axis):
        for j, lat in enumerate(axis):
            point = np.array([-0.05 * lon, 0.03 * lat, -0.2])
            twin = facet_solutions(body.mass, body.inertia, body.base, point, body.base[0], before, tau)
            pivots = sorted(solution.pivot for solution in twin)
            expected = TWO if len(pivots) > 1 else {(): NO_SOLUTION, (2,): V_3, (3,): V_4}[tuple(pivots)]
            assert found.code[i, j] == expected, (lon, lat)
            if twin:
                later = [energy(body.mass, body.inertia, body.base[item.pivot], item.omega) for item in twin]
                assert found.energy[i, j] == pytest.approx(min(later) - start, rel=1e-6, abs=RTOL)
            else:
                assert np.isnan(found.energy[i, j])


@pytest.mark.parametrize(("lon", "lat", "high", "pivots"), [(*row[:3], row[4]) for row in FIGURE_12])
def test_figure_12_has_the_numbers_of_its_map(facet, lon, lat, high, pivots):
    found = facet["omega"].sel(lon_on_base=lon, lat_on_base=lat, method="nearest", tolerance=GRID)
    assert found.values == pytest.approx(high[:2], abs=PRINTED)


def test_figure_12_each_lambda_has_its_component(facet):
    """Section 4.7: lambda_lon sets what is lost of the motion, lambda_lat what leaves its plane; continuous
    everywhere, and of the component in the plane not smooth at lambda_lat = 0."""
    across, along = facet["omega"].values
    assert np.ptp(along, axis=0).min() > 10.0 * np.ptp(along, axis=1).max()
    assert np.ptp(across, axis=1).min() > 4.0 * np.ptp(across, axis=0).max()
    step = float(np.diff(facet["lat_on_base"])[0])
    bends = np.abs(np.diff(along, 2, axis=1)) / step
    middle = bends.shape[1] // 2
    other = np.delete(bends, middle, axis=1)
    row = facet["lon_on_base"].values > 0.5
    assert (bends[row, middle] > 5.0 * other[row].max(axis=1)).all()
    assert np.abs(np.diff(along, axis=1)).max() < 0.01 * step * 10


def test_squat_blocks_are_refused(monkeypatch):
    monkeypatch.setattr("mcrock.laws.systems.spatial_blocks.FACET_POINTS", 5)
    with pytest.raises(ValueError, match="is so squat that impulses on its base may have no outcome"):
        system_example("facet_impact", width=0.3, depth=0.3, height=0.2, taus=[0.0])
