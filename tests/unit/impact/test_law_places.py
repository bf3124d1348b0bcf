"""The laws of planar blocks in the three-dimensional maps: met exactly wherever the motion is plane."""

from inspect import signature
from math import cos, pi, sin
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mcrock
from mcrock.impact import planar
from mcrock.impact.planar import edge_place, law_place
from mcrock.impact.registry import Law
from mcrock.planar import planar_block
from mcrock.planar.block import PlanarBlock
from mcrock.planar.restitution import largest_ratio
from mcrock.simulation.runs import impact_law
from tests.unit.impact.equations import UP
from tests.unit.impact.test_edge_impact import packed

# all but that of the lambdas, which has no ratio, and that of a user
PLANAR = [law for law in Law if not (law.of_one_contact or law in (Law.VARKONYI_2022, Law.OWN))]
each_law = pytest.mark.parametrize("law", PLANAR, ids=[law.key for law in PLANAR])
sizes = st.floats(0.05, 0.6)


def examples(law):
    """Parameters of a law, as the registry has them for an example."""
    return {item.argument: item.row.example for item in law.parameters}


def ratio(law, block, onto="right", **parameters):
    """Velocity ratio of a planar block by the function of the law, Housner's if it has none."""
    function = getattr(planar, law.key, planar.housner_1963)
    old, new = (-block.left, block.right) if onto == "right" else (-block.right, block.left)
    given = {"about": block.about_base, "inertia": block.inertia, "mass": block.mass, "old": old, "new": new}
    given |= {"height": block.com_height, "rate": 0.0} | (parameters or examples(law))
    return function(*(given[name] for name in signature(function).parameters))


@given(
    left=sizes, right=sizes, height=st.floats(0.6, 3.0), gyration=st.floats(0.1, 1.0), share=st.floats(0, 1)
)
def test_the_place_gives_back_the_ratio_of_the_law(left, right, height, gyration, share):
    """At any parameter between its bounds, 0 and 1 where it has none."""
    mass = 3.0
    block = PlanarBlock(left, right, height, mass, mass * (gyration * height) ** 2)
    for law in PLANAR:
        rules = {item.argument: item.row.rule for item in law.parameters}
        ends = {name: (rule.least or 0.0, rule.most or 1.0) for name, rule in rules.items()}
        parameters = {name: low + share * (high - low) for name, (low, high) in ends.items()}
        expected = ratio(law, block, **parameters)
        if expected < 0.0:
            continue
        pack = impact_law(mcrock.Impact(law=law.key, **parameters), n_face=5)
        lambda_ = law_place(pack, pack.quantiles, 0, block.inertia, mass, (height, -left, right), 0.0)
        point = -left + 0.5 * (1.0 + lambda_) * (left + right)
        about = block.about_base
        reached = (about - mass * point * left) / (about + mass * point * right)  # balance about the point
        assert reached == pytest.approx(expected, rel=1e-10, abs=1e-12)


def test_every_law_has_a_place_and_an_unknown_code_none():
    pack = impact_law(mcrock.Impact(), n_face=5)
    pack = pack._replace(values=np.full_like(pack.values, 0.9))
    arguments = pack.quantiles, 0, 0.3, 3.0, (0.5, -0.1, 0.2), 0.0
    for law in Law:
        if law not in (Law.VARKONYI_2022, Law.OWN):  # a place for each kind of landing, a function
            assert np.isfinite(law_place(pack._replace(law=np.int64(law)), *arguments))
    unknown = pack._replace(law=np.int64(max(Law) + 1))
    assert np.isnan(law_place(unknown, *arguments))
    with mock.patch("mcrock.simulation.runs.impact_law", return_value=unknown):
        run = mcrock.simulate(
            mcrock.cuboid(0.3, 0.2, 0.8, 2600), start=mcrock.Start(edge=0, tilt=0.1), t_end=2
        )
    assert run.infeasible_facet_impacts == run.facet_impacts == 1


@each_law
@pytest.mark.parametrize("edge", range(4))
def test_a_facet_impact_in_a_plane_is_that_of_the_planar_block(law, edge):
    body = mcrock.cuboid(0.3, 0.2, 0.8, 2600)
    width = (0.3, 0.2)[edge % 2]
    block = PlanarBlock(width / 2, width / 2, 0.4, body.mass, body.mass * (width**2 + 0.8**2) / 12)
    run = mcrock.simulate(
        body,
        impact=mcrock.Impact(law=law.key, **examples(law)),
        start=mcrock.Start(edge=edge, tilt=0.1),
        t_end=2,
    )
    impact = next(event for event in run.events if event["kind"] == "facet_impact")
    weight, half = body.mass * body.gravity, 0.5 * width
    before = weight * (half * sin(0.1) + 0.4 * (cos(0.1) - 1.0))
    r = ratio(law, block)
    assert impact["to"] == ("EDGE", (edge + 2) % 4)
    assert impact["energy_change"] == pytest.approx((r * r - 1.0) * before, rel=1e-9)


@each_law
def test_an_off_centre_body_loses_what_the_planar_block_loses(law):
    body = mcrock.cuboid(0.3, 0.2, 0.8, 2600, com=(0.03, 0.0, 0.0))
    block = planar_block(body)
    run = mcrock.simulate(
        body,
        impact=mcrock.Impact(law=law.key, **examples(law)),
        start=mcrock.Start(edge=0, tilt=0.1),
        t_end=2,
    )
    impact = next(event for event in run.events if event["kind"] == "facet_impact")
    # edge 0 is at +x, nearer to the centre of mass: the body then turns about the left edge
    before = body.mass * body.gravity * (block.right * sin(0.1) + block.com_height * (cos(0.1) - 1.0))
    kept = (ratio(law, block, "left") / largest_ratio(block, "left")) ** 2
    assert impact["energy_change"] == pytest.approx((kept - 1.0) * before, rel=1e-9)


@pytest.mark.parametrize("law", [law for law in PLANAR if law != Law.MOREAU_1988])
def test_an_edge_impact_in_an_upright_plane_is_that_of_the_planar_block(law):
    """The body stands on edge 0 with its centre of mass right above, and rocks along that edge.

    It is as high as wide, so that the inertia about every axis across the edge is the same: otherwise the
    motion does not stay in the plane.
    """
    body = mcrock.cuboid(0.4, 0.2, 0.4, 2600)
    over = pi / 4
    lean = 0.02
    across = np.array([cos(over / 2), 0.0, sin(over / 2), 0.0])  # about y, the direction of edge 0
    along = np.array([cos(lean / 2), -sin(lean / 2), 0.0, 0.0])  # about ground x
    w0, x0, *_ = along
    w1, _, y1, _ = across
    start = mcrock.Start(vertex=1, orientation=(w0 * w1, x0 * w1, w0 * y1, x0 * y1))  # corner 0 is lifted
    run = mcrock.simulate(body, impact=mcrock.Impact(law=law.key, **examples(law)), start=start, t_end=0.5)
    impact = run.events[0]
    assert impact["kind"] == "edge_impact"
    height = np.hypot(0.2, 0.2)
    block = PlanarBlock(0.1, 0.1, height, body.mass, body.inertia[0, 0])
    before = body.mass * body.gravity * (0.1 * sin(lean) + height * (cos(lean) - 1.0))
    r = ratio(law, block)
    assert impact["energy_change"] == pytest.approx((r * r - 1.0) * before, rel=1e-6)


@pytest.mark.parametrize("law", [Law.THER_KOLLAR_2017, Law.KALLIONTZIS_2016])
def test_the_place_on_an_edge_is_that_of_its_upright_plane_in_any_axes(edge_cases, law):
    """The planar law with the inertia about the axis across the edge, for bodies turned anyhow."""
    rng = np.random.default_rng(3)
    pack = impact_law(mcrock.Impact(law=law.key, **examples(law)), n_face=1)
    for case in edge_cases[:50]:
        along = (case.new - case.old) / np.linalg.norm(case.new - case.old)
        across = np.cross(along, UP)
        about = float(across @ case.inertia @ across)
        base = float(case.old @ UP), float(case.old @ along), float(case.new @ along)
        expected = law_place(pack, pack.quantiles, 0, about, case.mass, base, 0.0)
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        turn *= np.linalg.det(turn)  # right-handed
        old, new, up = (tuple(turn @ vector) for vector in (case.old, case.new, UP))
        inertia, still = packed(turn @ case.inertia @ turn.T), (0.0, 0.0, 0.0)
        found = edge_place(pack, pack.quantiles, 0, case.mass, inertia, (old, new), up, still)
        assert found == pytest.approx((expected, 0.0), rel=1e-9, abs=1e-9)


@given(angle=st.floats(0.0, 2 * pi), law=st.sampled_from(PLANAR))
def test_no_law_gains_energy_or_is_left_without_outcome(angle, law):
    """An octagonal block under a pulse from any direction."""
    corners = [(0.2 * cos(a), 0.2 * sin(a)) for a in np.arange(8) * pi / 4]
    body = mcrock.prism(corners, 1.2, 2600)
    pulse = mcrock.Pulse((3.0 * cos(angle), 3.0 * sin(angle), 0.0), 6.0)
    run = mcrock.simulate(body, pulse, mcrock.Impact(law=law.key, **examples(law)), t_end=4, history=True)
    changes = [event["energy_change"] for event in run.events if event["kind"].endswith("impact")]
    assert run.outcome.name in ("AT_REST", "SETTLING", "OVERTURNED", "ROCKING")
    assert all(change <= 1e-9 * body.mass for change in changes)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"law": "housner_1963", "lambda_": 0.5}, "Impact.lambda_ is a parameter of the law 'varkonyi_2022'"),
        ({"law": "housner_1963", "faces": {0: {"lambda_lon": 0.5}}}, "Impact.faces is a parameter"),
        ({"law": "kalliontzis_2016"}, "Impact.nu is the parameter of the law 'kalliontzis_2016'"),
        ({"nu": 0.5}, "Impact.nu is the parameter of the law 'kalliontzis_2016'"),
        ({"law": "brogliato_2012", "e_n21": -0.1}, "Impact.e_n21 must be .* >= 0"),
        ({"law": "housner"}, "Impact.law must be"),
    ],
)
def test_parameters_belong_to_their_law(arguments, message):
    with pytest.raises(ValueError, match=message):
        mcrock.Impact(**arguments)
