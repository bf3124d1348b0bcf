"""Systems of the source papers: each describes itself, is drawn, and refuses what cannot be."""

import numpy as np
import pytest

from mcrock.body import cuboid
from mcrock.laws import brogliato_2012 as domains
from mcrock.laws import plot_system, system_example
from mcrock.laws.brogliato_2012 import least_friction
from mcrock.laws.systems import collisions, planar_blocks, rods, spatial_blocks
from mcrock.planar import rectangle
from mcrock.show.style import save_figure

STEP = 1.0 / (planar_blocks.COEFFICIENTS - 1)
BODY = cuboid(0.4, 0.6, 1.2, mass=576.0)
BASE = BODY.base[:, :2]
SHOWN = [  # system, changed parameters, part of the note under the figure
    ("rod", {"points": 21}, "obstacle"),
    ("rod", {"fixed": -0.2, "velocity": (-0.5, 1.0), "restitution": 0.5, "points": 21}, "turns at 1 rad/s"),
    ("rocking_rod", {"points": 20}, "= 0.577 m"),
    ("rocking_rod", {"restitution": 0.8, "half_length": 3.0, "points": 20}, "restitution 0.8"),
    ("flexible_rod", {"points": 21}, "at the contact, 0.8."),
    ("flexible_rod", {"modes": [0, 1, 2, 3, 4, 5, 6], "points": 21}, "first bending mode"),
    ("impact_pendulum", {"points": 50}, "30°: 1 impact, effective restitution 0;"),
    (
        "impact_pendulum",
        {"angles_deg": 45.0, "law": "newton", "duration": 0.5, "points": 50},
        "Law of Newton",
    ),
    ("two_blocks", {"points": 15}, "(3 at each direction)"),
    ("two_blocks", {"tilt_deg": 40.0, "direction_deg": 5.0, "points": 15}, "(1 to 3 at each direction)"),
    ("ball_chain", {}, "contact 1-2 closed"),
    ("ball_chain", {"case": "second"}, "Chain of 4 balls"),
    ("ball_chain", {"masses": [1.0, 2.0, 3.0]}, "Chain of 3 balls"),
    ("ball_chain", {"masses": np.ones(6)}, "Chain of 6 balls"),
    ("block_3d", {}, "Bands"),
    ("block_3d", {"lambda_lat": 0.5}, "Bands"),
    ("block_3d", {"impact": "edge"}, "Edge impact"),
    ("block_3d", {"impact": "edge", "spin": 0.5, "roll": 0.3, "tau": 2.0}, "Edge impact"),
    ("planar_block", {}, "height 2 m"),
    ("planar_block", {"height": 0.5, "speed": 1.0, "friction": 0.1}, "height 0.5 m"),
    ("planar_block", {"height": 6.0, "friction": np.inf}, "height 6 m"),
    *(("block_domains", {"friction": mu}, f"friction {mu:g}") for mu in (0.0, 0.3, 2.0, np.inf)),
    *(
        (
            "permissible_region",
            {"case": name, "points": 5},
            f"friction {case.friction:g}".replace("inf", "infinite"),
        )
        for name, case in collisions.CASES.items()
    ),
    ("permissible_region", {"points": 5}, "Gains energy: Whittaker."),
]
SOURCES = ("Glocker (20", "Brogliato, Zhang and Liu (2012)", "Chatterjee and Ruina (1998)")


@pytest.mark.parametrize(("system", "changes", "noted"), SHOWN)
def test_a_system_describes_itself_and_is_drawn(system, changes, noted, tmp_path):
    ds = system_example(system, **changes)
    assert "\n" not in ds.attrs["title"]
    assert any(source in ds.attrs["description"].replace("\n", " ") for source in SOURCES)
    labels = {name for name, coord in ds.coords.items() if coord.dtype.kind in "OUi"}
    assert all({"units", "long_name"} <= set(ds[name].attrs) for name in set(ds.variables) - labels)
    ax = plot_system(ds)
    figure = ax.get_figure(root=True)
    assert all("[" in axes.get_ylabel() for axes in figure.axes)
    assert noted in figure.get_supxlabel().replace("\n", " ")
    assert save_figure(ax, tmp_path / "figure.png").stat().st_size > 10_000


def test_lines_of_a_figure_are_the_variables():
    ds = system_example("rod", points=22)
    above = plot_system(ds)
    lines = {line.get_label(): line.get_ydata() for line in above.get_lines() if line.get_label()[0] != "_"}
    drawn = np.isfinite(lines["fixed obstacle"])
    assert drawn.sum() == 21  # but for the place of the fixed obstacle
    assert lines["fixed obstacle"][drawn] == pytest.approx(ds["impulse"].values[0][drawn])


def test_velocities_of_the_blocks_fit_into_the_axes():
    ds = system_example("two_blocks", points=9)
    assert np.nanmax(np.abs(ds["after"].values)) < plot_system(ds).get_xlim()[1]


@pytest.mark.parametrize("case", collisions.CASES)
def test_only_the_construction_shows_its_lines(case):
    ds = system_example("permissible_region", case=case, points=3)
    assert all(ds[name].attrs["units"] == "N s" for name in ("region", "ellipse", "area", "reach", "lines"))
    words = {text.get_text() for text in plot_system(ds).get_figure().legends[0].get_texts()}
    assert "permissible" in words
    assert ("sticking" in words) == (case == "construction")


def test_variation_of_a_case():
    contact = collisions.collision("generic", mass=[2, 0.1, 1], velocity=[-1, -0.5], friction=0.2)
    assert contact.mass == pytest.approx(np.array([[2, 0.1], [0.1, 1]]))
    assert contact.velocity == pytest.approx([-1, -0.5])
    assert contact.friction == 0.2


@pytest.mark.parametrize("friction", [0.0, 0.4, np.inf])
@pytest.mark.parametrize("velocity", [[-1.0, 0.5], [0.0, -1.0], [-1.0, 0.0]])
def test_any_friction_and_velocity(friction, velocity):
    ds = system_example("permissible_region", friction=friction, velocity=velocity, points=3)
    assert ds["reach"].notnull().all()


@pytest.mark.parametrize("case", ["first", "second"])
def test_a_chain_names_the_gain_of_the_printed_limit(case):
    ds = system_example("ball_chain", case=case)
    assert ("the last one meets it with 2 m/s" in ds.attrs["description"]) == (case == "second")
    changes = ds["energy_change"].values
    assert changes[:2] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert changes[2] == pytest.approx(0.125)
    assert ds["consistent"].values.tolist() == [True, True, False]
    # the map agrees with the impacts: at the last outcome the energy is too large, the printed sum is not
    at = ds["relative_velocity"].sel(outcome="on the printed limit", contact=ds.attrs["axes"]).values
    cell = ds.interp(vertical=at[0], horizontal=max(at[1], 0.0))
    assert float(cell["energy"]) > 1.02
    assert float(cell["printed"]) == pytest.approx(1.0, abs=1e-3)
    assert "J" in plot_system(ds).get_figure().axes[1].get_legend().get_texts()[-1].get_text()


def test_other_chains():
    ds = system_example("ball_chain", masses=[1.0, 2.0, 3.0], case="second", restitution=0.5)
    assert ds.sizes["ball"] == 3
    assert (ds["energy_change"].values[:2] < 0.0).all()
    assert system_example("ball_chain", masses=np.ones(6)).attrs["axes"] == ["2-3", "5-6"]


@pytest.mark.parametrize(("height", "friction"), [(2.0, 0.3), (0.5, 1.0), (4.0, 0.1), (1.0, 0.0)])
def test_ranges_of_a_planar_block_are_the_domains(height, friction):
    ds = system_example("planar_block", height=height, friction=friction)
    block = rectangle(1.0, height)
    for motion, domain in (
        ("no friction", domains.sliding_domain(block)),
        ("corners stick", domains.sticking_domain(block, friction)),
    ):
        assert 0.0 <= float(ds["low"].sel(motion=motion)) - domain[0] < STEP + 1e-9
        assert float(ds["high"].sel(motion=motion)) == 1.0


def test_coulomb_leaves_the_curve_of_sticking_where_friction_is_not_enough():
    ds = system_example("planar_block", height=2.0, friction=0.3)
    apart = np.abs(ds["slip"].sel(motion="Coulomb friction").values) > 1e-12
    needed = np.array([least_friction(rectangle(1.0, 2.0), value) for value in ds["e_n21"].values])
    assert np.array_equal(apart, needed > 0.3)


def test_rebound_plane_holds_housners_impact_and_the_lossless_one():
    ds = system_example("planar_block", height=2.0)
    at = ds.interp(e_n1=0.0, rebound=0.7)
    assert float(at["leaving_push"]) == pytest.approx(0.0, abs=1e-12)
    assert float(at["loss"]) > 0.0
    assert float(ds.interp(e_n1=0.0, rebound=1.0)["loss"]) == pytest.approx(0.0, abs=1e-2)
    assert float(ds["loss"].isel(e_n1=0).max()) < 0.0  # the plane holds the whole ellipse
    assert float(ds["loss"].isel(rebound=-1).max()) < 0.0


def test_domains_join_their_corners_exactly():
    """Critical aspects are points of the curves, so that no corner is cut."""
    ds = system_example("block_domains", friction=0.3)
    for aspect in (np.sqrt(0.5), np.sqrt(2.0), 0.3, 1 / 0.3, *ds["critical_aspect"].values):
        assert np.abs(ds["aspect"].values - aspect).min() == 0.0


def test_a_squat_block_ends_where_no_motion_follows():
    ds = system_example("block_3d", width=5.0, depth=5.0)
    assert 0.3 < float(ds["lambda"][-1]) < 1.0
    assert np.isfinite(ds["energy_ratio"]).all()


@pytest.mark.parametrize(
    "changes", [{}, {"lambda_lat": 0.5}, {"impact": "edge"}, {"impact": "edge", "spin": 0.5, "tau": 2.0}]
)
def test_law_and_map_of_a_block_in_space_agree(changes):
    ds = system_example("block_3d", **changes)
    assert float(ds["difference"].max()) < 1e-9
    assert np.allclose(ds["energy_ratio"], ds["law_energy_ratio"], atol=1e-9)
    assert (ds["impulse"].sum("corner") > 0.0).all()


PENDULUM = {"inertia": 1.0, "length": 1.0, "angle": 1.0, "friction": 0.5, "restitution": 0.5, "spin": -1.0}
REFUSED = [  # system, or function of one and its arguments; changed parameters; message
    ("rod", {"mass": 0.0}, r"mass must be a finite number > 0 \[kg\]"),
    ("rocking_rod", {"spin": 0.0}, "spin must not be 0"),
    ("rocking_rod", {"restitution": "hard"}, "restitution must be a number"),
    ("flexible_rod", {"modes": [11]}, "modes must be an integer >= 0 and <= 10"),
    ("impact_pendulum", {"angles_deg": [30.0, 95.0]}, r"angles_deg must be < 90 \[deg\]"),
    ("impact_pendulum", {"duration": 0.0}, r"duration must be a finite number > 0 \[s\]"),
    ("two_blocks", {"tilt_deg": 70.0}, "tilt must be"),
    ("two_blocks", {"direction_deg": 95.0}, "direction_deg must close both gaps, between 0 and 90"),
    ("two_blocks", {"first": (0.4,)}, r"first must be 2 numbers, each a finite number > 0 \[m\]"),
    ("two_blocks", {"second": (0.4, -1.0)}, r"second must be a finite number > 0 \[m\]"),
    ("two_blocks", {"speed": 0.0}, r"speed must be a finite number > 0 \[m/s\]"),
    ("two_blocks", {"restitution": 2.0}, "restitution must be from 0 to 1"),
    ("two_blocks", {"points": 1}, "points must be an integer >= 2"),
    ("permissible_region", {"case": "slow"}, "case must be one of construction, generic, .*; got 'slow'"),
    ("permissible_region", {"mass": [1, 2]}, r"mass must be 3 numbers, each a finite number \[kg\]"),
    ("permissible_region", {"mass": [1, 2, 1]}, "mass must be positive definite"),
    ("permissible_region", {"case": "unbounded", "mass": [1, 0, 1]}, "that of the case 'unbounded' is fixed"),
    ("permissible_region", {"velocity": [1, 0]}, "the contact separates"),
    ("permissible_region", {"velocity": [0, 0]}, "velocity must not be zero"),
    ("permissible_region", {"velocity": "fast"}, r"velocity must be 2 numbers, each a finite number \[m/s\]"),
    ("permissible_region", {"friction": -1}, "friction must be from 0 to inf, got -1"),
    ("permissible_region", {"points": 1}, "points must be an integer >= 2"),
    ("permissible_region", {"case": "unbounded", "velocity": [-1, 0]}, "no impulse ends the relative motion"),
    ("ball_chain", {"masses": [1.0, 1.0]}, "three or more balls, got 2"),
    ("ball_chain", {"case": "third"}, "'first' or 'second', got 'third'"),
    ("ball_chain", {"restitution": 1.5}, "restitution must be from 0 to 1, got 1.5"),
    ("planar_block", {"rate": 1.0}, r"rate must be negative, .* got 1\.0"),
    ("planar_block", {"rate": 0.0}, r"rate must be negative"),
    ("planar_block", {"rate": np.nan}, r"rate must be a finite number \[rad/s\], got nan"),
    ("planar_block", {"speed": "fast"}, r"speed must be a finite number \[m/s\], got 'fast'"),
    ("planar_block", {"height": 0.0}, r"height must be a finite number > 0 \[m\], got 0"),
    ("planar_block", {"friction": -1.0}, "friction must be from 0"),
    ("block_domains", {"friction": -1.0}, "friction must be from 0"),
    ("block_domains", {"aspect": 0.0}, r"aspect must be a finite number > 0 \[1\], got 0"),
    ("block_domains", {"largest_aspect": np.inf}, r"largest_aspect must be a .* \[1\], got inf"),
    ("block_3d", {"impact": "corner"}, "'facet' or 'edge', got 'corner'"),
    ("block_3d", {"lambda_lat": 2.0}, "lambda_lat must be from -1 to 1"),
    ("block_3d", {"width": -1.0}, "cuboid.width"),
    ("block_3d", {"impact": "edge", "tilt": "x"}, r"tilt must be a finite number \[rad\], got 'x'"),
    ("block_3d", {"width": 9.0, "depth": 9.0, "height": 0.1, "lambda_lat": 1.0}, "no corner can carry the"),
    ("facet_impact", {"reach": 0.5}, r"reach must be a finite number > 1 \[1\], got 0.5"),
    ("edge_impact", {"largest_tau": 0}, r"largest_tau must be a finite number > 0 \[N m s\], got 0"),
]
REFUSED_CALLS = [  # function, arguments, message
    (rods.rigid_restitution, (1.2, 1.0, 1.0), "hybrid must be from 0 to 1"),
    (rods.rigid_restitution, (0.5, 0.0, 1.0), r"rigid must be a finite .* > 0 \[1/kg\]"),
    (rods.rigid_restitution, (0.5, 1.0, -1.0), r"flexible must be a .* >= 0 \[1/kg\]"),
    (rods.flexible_rod_problem, (1, 1, 1.5, 1, [-1, 0]), "place must be within the half"),
    (rods.rod_problem, (1, 1, [1.2], [-1, 0]), "obstacles must be within the half length"),
    (rods.rod_problem, (1, 1, [], [-1, 0]), "obstacles must be at least one number"),
    (rods.rod_problem, (1, 1, [0.5], [-1]), r"velocity must be 2 numbers"),
    (rods.rocking_rod_problem, (1, 1, 1.2, 1), r"distance must be a .* > 0 and <= 1 \[m\]"),
    (collisions.chain_problem, ([1.0], [1.0]), "two or more balls"),
    (collisions.chain_problem, ([1.0, -1.0], [1.0, 0.0]), r"positive \[kg\]"),
    (collisions.chain_problem, ([1.0, 0.0], [1.0, 0.0]), r"positive \[kg\]"),
    (collisions.chain_problem, ([1.0, 1.0], [1.0]), r"velocities must have the shape \(2,\)"),
    (collisions.chain_problem, ("ab", [1.0]), "masses must be numbers"),
    (collisions.chain_impact, ([1.0, 1.0], [1.0, 0.0], np.eye(2)), r"shape \(1, 1\), got \(2, 2\)"),
    (spatial_blocks.edge_impact, (BODY, 4, 0.1, (0, 1, 0), 1.0), "edge must be one .*, 0 to 3, got 4"),
    (spatial_blocks.edge_impact, (BODY, 0, 0.1, (0, -1, 0), 1.0), "the edge must come down"),
    (spatial_blocks.edge_impact, (BODY, 0, 0.1, (0, 1), 1.0), r"rate must have the shape \(3,\)"),
    (spatial_blocks.facet_impact, (BODY, 0, -1.0, 0.5), "rate must be finite and positive"),
    (spatial_blocks.facet_impact, (BODY, 0, np.inf, 0.5), "rate must be finite and positive"),
    (spatial_blocks.facet_impact, (cuboid(2.0, 2.0, 0.1, mass=1.0), 0, 1.0, 1.0), "no corner can carry"),
    (spatial_blocks.corner_impulses, (BASE, (1.0, 0.0), 1.0), "acts outside the base"),
    (spatial_blocks.corner_impulses, (BASE, (0.0, 0.0), -1.0), "must not pull, got -1 N s"),
    (spatial_blocks.corner_impulses, (BASE[:3], (0.0, 0.0), 1.0), r"corners must have .* shape \(4, 2\)"),
]
REFUSED_PENDULUMS = [  # changed parameters, message
    ({"inertia": 0.0}, r"inertia must be a finite number > 0 \[kg m2\]"),
    ({"length": -1.0}, r"length must be a finite number > 0 \[m\]"),
    ({"angle": 0.0}, r"angle must be a finite number > 0 and <= 1.5708 \[rad\]"),
    ({"angle": 2.0}, r"angle must be a finite number > 0 and <= 1.5708 \[rad\]"),
    ({"friction": -0.1}, "friction must be from 0 to inf"),
    ({"friction": float("nan")}, "friction must be from 0 to inf"),
    ({"restitution": 1.1}, "restitution must be from 0 to 1"),
    ({"spin": 0.0}, r"spin must be < 0 \[rad/s\], the tip must approach"),
    ({"law": "hertz"}, "law must be one of poisson, newton, got 'hertz'"),
]


@pytest.mark.parametrize(("system", "changes", "message"), REFUSED)
def test_parameters_outside_their_domain_are_refused(system, changes, message):
    with pytest.raises(ValueError, match=message):
        system_example(system, **changes)


@pytest.mark.parametrize(("function", "arguments", "message"), REFUSED_CALLS)
def test_problems_outside_their_domain_are_refused(function, arguments, message):
    with pytest.raises(ValueError, match=message):
        function(*arguments)


@pytest.mark.parametrize(("changes", "message"), REFUSED_PENDULUMS)
def test_pendulums_outside_their_domain_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        rods.pendulum_impact(**PENDULUM | changes)
