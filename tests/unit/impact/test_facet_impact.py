"""Facet impacts against equations (18) and (21) to (24) solved with numpy for every pivot."""

from math import pi

import numpy as np
import pytest

from mcrock.base.params import Response
from mcrock.body import Body, cuboid
from mcrock.impact.varkonyi_2022 import (
    PROJECTION_SPAN,
    angular_impulse,
    corner_coefficient,
    facet_gain,
    facet_map,
    facet_point,
    project_facet,
)
from mcrock.kernel import codes
from tests.unit.impact import equations
from tests.unit.impact.equations import UP, cross_matrix
from tests.unit.impact.landing import Landing

RTOL = 1e-9  # impact maps: rounding of 3 x 3 systems, whose condition numbers here reach 1e4
BOUND_RTOL = 1e-9  # projection: what is left over the energy bound (50 bisections), over the approach speed
SCAN = 400  # points of the search for a nearer lambda_lon
SIDE = 1e-6  # distance from a side of the map's borders at which both sides of a condition are tested


def compliance(case):
    """Inverse (xx, xy, yy) of Theta + m h^2 in the plane."""
    height = -case.vertices[0, 2]
    C = np.linalg.inv(case.inertia[:2, :2] + case.mass * height**2 * np.eye(2))
    return C[0, 0], C[0, 1], C[1, 1]


def mapped(case, point):
    """`facet_map` of a case."""
    n = len(case.vertices)
    x, y = case.vertices[case.edge, :2]
    wx, wy, _ = case.omega
    return facet_map(
        case.mass, compliance(case), np.ascontiguousarray(case.vertices[:, :2]), 0, n,
        (wx, wy), wy * x - wx * y, tuple(point),
    )  # fmt: skip


def points(cases, size, low=-0.9, high=1.4):
    """``size`` impact points (3,) for each case, most of them in the base, with their lambdas."""
    rng = np.random.default_rng(21)
    for case in cases:
        for lon, lat in rng.uniform(low, high, (size, 2)):
            lat = lat if rng.random() < 0.5 else -lat
            xy = equations.facet_point(case.vertices[:, :2], case.edge, lon, lat)
            yield case, lon, lat, np.array([*xy, case.vertices[0, 2]])


def coefficients_of(case, point):
    """The k_i of the theory: vertical speed each corner gains per unit jump of the COM."""
    x, y = case.vertices[:, 0], case.vertices[:, 1]
    J = case.inertia[:2, :2] + case.mass * case.vertices[0, 2] ** 2 * np.eye(2)
    return 1 + case.mass * np.stack([y, -x], -1) @ np.linalg.solve(J, [point[1], -point[0]])


def test_facet_point_is_the_chord_of_the_polygon(facet_cases):
    for case, lon, lat, point in points(facet_cases, 4, -1.5, 1.6):
        corners = np.ascontiguousarray(case.vertices[:, :2])
        size = np.ptp(corners)
        found = facet_point(corners, 0, len(corners), case.edge, lon, lat)
        assert found == pytest.approx(point[:2], abs=RTOL * size)


def test_facet_point_of_a_rectangle_is_equation_21():
    corners = np.array([[0.3, -0.2], [0.3, 0.2], [-0.3, 0.2], [-0.3, -0.2]]) - [0.05, -0.02]
    for b in range(4):
        after, here, before = corners[(b + 1) % 4], corners[b], corners[b - 1]
        for lon, lat in [(0.4, -0.7), (1.0, 1.0), (-1.0, 0.3), (1.5, 3.0), (-2.0, -1.2)]:
            expected = corners.mean(0) + 0.5 * (after - here) * lon + 0.5 * (here - before) * lat
            assert facet_point(corners, 0, 4, (b - 1) % 4, lon, lat) == pytest.approx(expected, abs=1e-15)


def test_unit_square_of_lambdas_is_the_polygon(facet_cases):
    """Every (lambda_lon, lambda_lat) in [-1, 1]^2 is in the base, and the border on its border."""
    for case in facet_cases[:200]:
        corners = np.ascontiguousarray(case.vertices[:, :2])
        step = np.roll(corners, -1, axis=0) - corners
        inward = np.stack([-step[:, 1], step[:, 0]], -1) / np.hypot(*step.T)[:, None]

        def inside(lon, lat, corners=corners, inward=inward, edge=case.edge):
            point = np.array(facet_point(corners, 0, len(corners), edge, lon, lat))
            return ((point - corners) * inward).sum(1).min()

        slack = RTOL * np.ptp(corners)
        for lon in (-1.0, -0.3, 0.4, 1.0):
            for lat in (-1.0, 0.2, 1.0):
                distance = inside(lon, lat)
                assert distance >= -slack
                if abs(lon) == 1.0 or abs(lat) == 1.0:
                    assert distance <= slack


def test_corner_coefficient(facet_cases):
    for case, _, _, point in points(facet_cases[:200], 2):
        at = tuple(point[:2])
        found = [corner_coefficient(case.mass, compliance(case), at, x, y) for x, y, _ in case.vertices]
        expected = coefficients_of(case, point)
        assert found == pytest.approx(expected, abs=RTOL * np.abs(expected).max())


def test_exactly_one_pivot_is_feasible_if_and_only_if_all_k_are_positive(facet_cases):
    """The uniqueness theorem, and the map finds that pivot: 600 impacts, none an exception."""
    counts = {True: 0, False: 0}
    for case, _, _, point in points(facet_cases, 1):
        k = coefficients_of(case, point)
        if np.abs(k).min() < SIDE:
            continue
        found = equations.facet_solutions(
            case.mass, case.inertia, case.vertices, point, case.vertices[case.edge], case.omega
        )
        wx, wy, pivot, partner = mapped(case, point[:2])
        assert len(found) == int(k.min() > 0)
        counts[len(found) == 1] += 1
        if not found:
            assert (wx, wy, pivot, partner) == (0.0, 0.0, -1, -1)
            continue
        assert pivot == found[0].pivot
        assert partner == -1  # random bodies have no ties
        rtol = RTOL / min(1.0, k.min())  # the jump is a quotient by k
        assert (wx, wy) == pytest.approx(found[0].omega[:2], abs=rtol * np.abs(found[0].omega).max())
    assert counts[True] > 250
    assert counts[False] > 75


def test_torque_that_stops_the_spin(facet_cases):
    """tau of the solution with (24), from (13)."""
    for case, _, _, point in points(facet_cases[:200], 1):
        old = case.vertices[case.edge]
        found = equations.facet_solutions(case.mass, case.inertia, case.vertices, point, old, case.omega)
        for solution in found:
            tau = angular_impulse(
                case.mass, tuple(case.inertia[np.triu_indices(3)]), tuple(point), tuple(old),
                tuple(case.vertices[solution.pivot]), tuple(case.omega), tuple(solution.omega), tuple(UP),
            )  # fmt: skip
            scale = np.trace(case.inertia) * np.abs(solution.omega).max()
            assert tau == pytest.approx(solution.tau, abs=RTOL * scale)


def test_change_of_energy_is_the_work_at_the_impact_point(facet_cases):
    """dE = m D (u_R- + u_R+)/2, and `facet_gain` is the bracket."""
    tested = 0
    for case, _, _, point in points(facet_cases, 1):
        old = case.vertices[case.edge]
        found = equations.facet_solutions(case.mass, case.inertia, case.vertices, point, old, case.omega)
        corners = np.ascontiguousarray(case.vertices[:, :2])
        vz = np.cross(old, case.omega)[2]
        w, at = tuple(case.omega[:2]), tuple(point[:2])
        gain = facet_gain(case.mass, compliance(case), corners, 0, len(corners), (w, vz, 0.0), at)
        if not found:
            assert gain > 1e9  # no energy bound can hold
            continue
        new = case.vertices[found[0].pivot]
        before = equations.energy(case.mass, case.inertia, old, case.omega)
        after = equations.energy(case.mass, case.inertia, new, found[0].omega)
        jump = found[0].velocity[2] - vz
        assert 0.5 * case.mass * jump * gain == pytest.approx(after - before, abs=RTOL * max(before, after))
        tested += 1
    assert tested > 200


def gain_of(case, lat):
    """`facet_gain` of a case as a function of lambda_lon, and the arguments of `project_facet`."""
    corners = np.ascontiguousarray(case.vertices[:, :2])
    n, w = len(corners), tuple(case.omega[:2])
    vz = np.cross(case.vertices[case.edge], case.omega)[2]
    C = compliance(case)

    def gain(lon):
        point = facet_point(corners, 0, n, case.edge, lon, lat)
        return facet_gain(case.mass, C, corners, 0, n, (w, vz, 0.0), point)

    return gain, (case.mass, C, corners, 0, n, case.edge, (w, vz, 0.0))


def test_projection_stops_at_the_energy_bound_and_is_the_nearest_upwards(facet_cases):
    counts = {"projected": 0, "none": 0}
    for case, lon, lat, _ in points(facet_cases[:300], 2):
        gain, arguments = gain_of(case, lat)
        if gain(lon) <= 0.0:
            continue
        bound = project_facet(*arguments, (lon, lat))
        if np.isnan(bound):
            counts["none"] += 1  # the next test looks at these
            continue
        assert gain(bound) <= 0.0
        slope = (gain(bound) - gain(bound - SIDE)) / SIDE
        if abs(slope) < 1e6:  # not where the impact becomes feasible only here
            assert gain(bound) >= -BOUND_RTOL * max(abs(arguments[-1][1]), abs(slope))
        assert min(gain(at) for at in np.linspace(lon, bound - BOUND_RTOL, SCAN)) > 0.0
        counts["projected"] += 1
    assert counts["projected"] > 100
    assert counts["none"] > 5


def test_projection_gives_up_only_where_no_lambda_lon_gains_nothing(facet_cases):
    """Squat bodies leave narrow windows: more lambda_lon makes some k negative."""
    missed = []
    for case, lon, lat, _ in points(facet_cases[:300], 2):
        gain, arguments = gain_of(case, lat)
        if gain(lon) <= 0.0 or not np.isnan(project_facet(*arguments, (lon, lat))):
            continue
        at = np.linspace(lon, max(1.0, lon) + PROJECTION_SPAN, SCAN)
        missed += [(lon, lat, x) for x in at if gain(x) <= 0.0][:1]
    assert missed == []


@pytest.mark.parametrize(("lon", "lat"), [(0.5, 0.5), (1.0, 1.0), (0.5, -0.5), (1.2, -2.0), (0.9, 0.0)])
@pytest.mark.parametrize("edge", [0, 1, 2, 3])
def test_closed_form_of_a_rectangle(edge, lon, lat):
    """Rate along and across the old edge and the far pivot away from R, theory section 5."""
    body = cuboid(0.6, 0.4, 2.0, mass=3.0)
    across, along = (0.3, 0.2) if edge % 2 == 0 else (0.2, 0.3)
    about_edge, about_normal = (1, 0) if edge % 2 == 0 else (0, 1)
    h = body.com_height
    beta_n = body.mass * across**2 / (body.inertia[about_edge, about_edge] + body.mass * h**2)
    beta_e = body.mass * along**2 / (body.inertia[about_normal, about_normal] + body.mass * h**2)
    k = 1 + beta_n * lon - beta_e * abs(lat)
    e = np.roll(body.base, -1, axis=0)[edge] - body.base[edge]
    e = e / np.linalg.norm(e)
    expected = -e * (1 - 2 * beta_n * lon / k) - np.cross(UP, e) * 2 * across / along * beta_e * lat / k
    landing = Landing(body, edge=edge, lon=lon, lat=lat)
    assert landing.omega == pytest.approx(expected, abs=RTOL)
    far = {1: [(edge + 3) % 4], -1: [(edge + 2) % 4], 0: sorted([(edge + 2) % 4, (edge + 3) % 4])}
    assert landing.pivots == far[int(np.sign(lat))]


def test_energy_bound_of_a_rectangle():
    """dE <= 0 iff lambda_lon (1 + bn - be |lat|) >= be |lat| (1 + |lat|): more than 0 for lat != 0."""
    body = cuboid(0.6, 0.4, 2.0, mass=3.0)
    h = body.com_height
    beta_n = body.mass * 0.3**2 / (body.inertia[1, 1] + body.mass * h**2)
    beta_e = body.mass * 0.2**2 / (body.inertia[0, 0] + body.mass * h**2)
    for lat in (0.2, -0.5, 1.0):
        size = abs(lat)
        bound = beta_e * size * (1 + size) / (1 + beta_n - beta_e * size)
        assert bound > 0
        assert Landing(body, lon=bound + SIDE, lat=lat).change < 0
        assert Landing(body, lon=bound - SIDE, lat=lat).change > 0
        projected = Landing(body, lon=bound - 0.3, lat=lat, gain="project")
        at_bound = Landing(body, lon=bound, lat=lat)
        assert projected.omega == pytest.approx(at_bound.omega, abs=RTOL)
        assert projected.results[Response.ENERGY_GAIN_IMPACTS] == 1


def test_every_point_of_a_rectangle_is_feasible_if_and_only_if_the_betas_add_to_less_than_one():
    for width, depth, height, feasible in [
        (0.6, 0.4, 2.0, True),
        (1.0, 1.0, 1.2, True),
        (1.0, 1.0, 1.0, False),
    ]:
        body = cuboid(width, depth, height, mass=3.0)
        h = body.com_height
        beta_n = body.mass * (width / 2) ** 2 / (body.inertia[1, 1] + body.mass * h**2)
        beta_e = body.mass * (depth / 2) ** 2 / (body.inertia[0, 0] + body.mass * h**2)
        assert bool(beta_n + beta_e < 1) is feasible
        landing = Landing(body, lon=-1.0, lat=1.0)
        assert bool(landing.mode != codes.REST) is feasible
        compliance_ = (
            1 / (body.inertia[0, 0] + body.mass * h**2),
            0.0,
            1 / (body.inertia[1, 1] + body.mass * h**2),
        )
        corner = np.array([width, depth]) / 2
        least = corner_coefficient(body.mass, compliance_, tuple(corner), *-corner)
        assert least == pytest.approx(1 - beta_n - beta_e, abs=RTOL)
    assert least == pytest.approx(-0.2, abs=RTOL)  # of the cube


def test_infeasible_impact_stops_the_body_and_is_counted_with_its_energy():
    body = cuboid(1.0, 1.0, 1.0, mass=3.0)
    landing = Landing(body, lon=-1.0, lat=1.0, rate=-2.0)
    old = body.base[0]
    before = equations.energy(body.mass, body.inertia, old, np.array([0.0, -2.0, 0.0]))
    barrier = body.mass * body.gravity * (body.radius - body.com_height)
    assert landing.mode == codes.REST
    assert landing.omega.tolist() == [0.0, 0.0, 0.0]
    assert landing.change == pytest.approx(-before, rel=RTOL)
    assert landing.results[Response.INFEASIBLE_FACET_IMPACTS] == 1
    assert landing.results[Response.FACET_IMPACTS] == 1
    assert landing.results[Response.INFEASIBLE_ENERGY_LOSS] == pytest.approx(before / barrier, rel=RTOL)


def test_squat_block_has_no_pivot_beyond_the_lambda_that_stops_it():
    """At lambda = A/B no rotation is left; beyond it the old edge would be pushed into the ground."""
    body = cuboid(1.6, 0.1, 1.0, mass=3.0)
    A, B = body.inertia[1, 1] + body.mass * body.com_height**2, body.mass * 0.8**2
    assert A / B < 1
    before = Landing(body, lon=(1 - SIDE) * A / B)
    assert before.mode == codes.EDGE
    ratio = (A - (1 - SIDE) * A) / (A + (1 - SIDE) * A)
    assert np.linalg.norm(before.omega) == pytest.approx(ratio, rel=1e-3)  # a difference of 1e-6
    beyond = Landing(body, lon=(1 + SIDE) * A / B)
    assert beyond.mode == codes.REST
    assert beyond.results[Response.INFEASIBLE_FACET_IMPACTS] == 1


def test_given_torque(facet_cases):
    """Equation (18) with a given tau: the solution that loses most if there are two, none if none."""
    counts = {0: 0, 1: 0, 2: 0}
    rng = np.random.default_rng(18)
    for case, _, _, point in points(facet_cases[:300], 1):
        vertices = case.vertices
        if vertices[0, 2] > -0.4:
            continue
        body = Body(case.mass, case.inertia, vertices) if stands(case) else None
        if body is None:
            continue
        tau = rng.normal() * rng.choice([0.2, 3.0]) * np.trace(case.inertia) * np.linalg.norm(case.omega)
        rate = -np.linalg.norm(case.omega)
        found = equations.facet_solutions(
            case.mass, case.inertia, vertices, point, vertices[case.edge], case.omega, tau
        )
        landing = Landing(body, rate, case.edge, point[:2], tau)
        counts[min(len(found), 2)] += 1
        if not found:
            assert landing.mode == codes.REST
            assert landing.results[Response.INFEASIBLE_FACET_IMPACTS] == 1
            continue
        energies = [equations.energy(case.mass, case.inertia, vertices[s.pivot], s.omega) for s in found]
        best = found[int(np.argmin(energies))]
        assert landing.pivots == [best.pivot]
        assert landing.omega == pytest.approx(best.omega, abs=RTOL * np.abs(best.omega).max())
        before = equations.energy(case.mass, case.inertia, vertices[case.edge], case.omega)
        assert landing.change == pytest.approx(min(energies) - before, abs=RTOL * max(before, *energies))
        assert landing.results[Response.ENERGY_GAIN_IMPACTS] == (min(energies) > before)
    assert counts[1] > 50
    assert counts[0] > 10


def stands(case):
    """Whether the centre of mass is over the base and the inertia is that of a body."""
    step = np.roll(case.vertices, -1, axis=0)[:, :2] - case.vertices[:, :2]
    moments = np.linalg.eigvalsh(case.inertia)
    inside = (case.vertices[:, 0] * step[:, 1] - case.vertices[:, 1] * step[:, 0]).min() > 0
    return inside and moments[2] <= moments[0] + moments[1]


def test_torque_of_no_spin_given_gives_no_spin(facet_cases):
    """Given exactly the tau that (24) asks for, the kernel finds the solution of (24)."""
    tested = 0
    for case, _, _, point in points(facet_cases[:200], 1):
        old = case.vertices[case.edge]
        found = equations.facet_solutions(case.mass, case.inertia, case.vertices, point, old, case.omega)
        if not found or not stands(case):
            continue
        free = equations.facet_solutions(
            case.mass, case.inertia, case.vertices, point, old, case.omega, found[0].tau
        )
        if len(free) != 1:
            continue
        body = Body(case.mass, case.inertia, case.vertices)
        landing = Landing(body, -np.linalg.norm(case.omega), case.edge, point[:2], found[0].tau)
        scale = np.abs(found[0].omega).max()
        assert landing.omega == pytest.approx(
            found[0].omega, abs=1e3 * RTOL * scale
        )  # tau comes from a solve
        tested += 1
    assert tested > 50


def vertex_landings(cases, size):
    """Bodies that land whole from turning and spinning about a vertex, with lambdas."""
    rng = np.random.default_rng(5)
    for case in cases:
        if not stands(case):
            continue
        body = Body(case.mass, case.inertia, case.vertices)
        for _ in range(size):
            pivot, omega = int(rng.integers(len(body.base))), rng.normal(size=3)
            approach = np.cross(omega, body.base - body.base[pivot])[:, 2]
            if (np.delete(approach, pivot) < 0).all():
                yield body, pivot, omega, rng.uniform(-0.9, 1.4), rng.uniform(-1.0, 1.0), approach


def test_landing_from_a_vertex(facet_cases):
    """Against (18) with (22) to (24); the old edge is the side whose other end lands more slowly.

    A spin that is stopped may lift a corner by itself. Then, where some k is negative, two solutions
    may exist instead of none: the impact is infeasible all the same.
    """
    counts = {True: 0, False: 0}
    for body, pivot, omega, lon, lat, approach in vertex_landings(facet_cases, 3):
        n = len(body.base)
        before, after = approach[(pivot - 1) % n], approach[(pivot + 1) % n]
        old = pivot if abs(after) < abs(before) else (pivot - 1) % n
        point = np.array([*equations.facet_point(body.base[:, :2], old, lon, lat), -body.com_height])
        k = coefficients_of(body, point).min()
        if abs(k) < 1e-3:  # rounding grows with 1/k
            continue
        found = equations.facet_solutions(body.mass, body.inertia, body.base, point, body.base[pivot], omega)
        landing = Landing.from_vertex(body, pivot, omega, lon, lat)
        assert (len(found) == 1) == (k > 0)
        counts[bool(k > 0)] += 1
        if k < 0:
            assert landing.mode == codes.REST
            assert landing.results[Response.INFEASIBLE_FACET_IMPACTS] == 1
            continue
        assert landing.pivots == [found[0].pivot]
        scale = np.abs(found[0].omega).max() + np.abs(omega).max()
        assert landing.omega == pytest.approx(found[0].omega, abs=RTOL / min(1.0, k) * scale)
        kinetic = equations.energy(body.mass, body.inertia, body.base[pivot], omega)
        left = equations.energy(body.mass, body.inertia, body.base[found[0].pivot], found[0].omega)
        assert landing.change == pytest.approx(left - kinetic, abs=RTOL / min(1.0, k) * max(left, kinetic))
    assert counts[True] > 90
    assert counts[False] > 9


def test_landing_from_a_vertex_gains_no_energy_when_projected(facet_cases):
    gained = []
    for body, pivot, omega, lon, lat, _ in vertex_landings(facet_cases, 3):
        kinetic = equations.energy(body.mass, body.inertia, body.base[pivot], omega)
        landing = Landing.from_vertex(body, pivot, omega, lon, lat, gain="project")
        if landing.change > BOUND_RTOL * kinetic:
            gained.append((lon, lat, landing.change / kinetic, landing.results[Response.ENERGY_GAIN_IMPACTS]))
    assert gained == []


def test_given_torque_gains_no_energy_when_projected():
    """A torque large enough to spin a block up from an impact that loses energy without it."""
    body = cuboid(0.6, 0.4, 2.0, mass=3.0)
    before = equations.energy(body.mass, body.inertia, body.base[0], np.array([0.0, -1.0, 0.0]))
    allowed = Landing(body, lon=0.9, lat=0.2, tau=1.0)
    assert allowed.change > 0.1 * before
    landing = Landing(body, lon=0.9, lat=0.2, tau=1.0, gain="project")
    assert landing.results[Response.ENERGY_GAIN_IMPACTS] == 1
    assert landing.change <= BOUND_RTOL * before


def test_landing_keeps_the_yaw_and_lays_the_face_flat():
    """In the kernel the map is that of the body axes, whatever the yaw."""
    body, yaw = cuboid(0.6, 0.4, 2.0, mass=3.0), pi / 3
    plain, turned = Landing(body, lon=0.7, lat=0.4), Landing(body, lon=0.7, lat=0.4, yaw=yaw)
    assert (turned.mode, turned.index) == (plain.mode, plain.index)
    assert turned.omega == pytest.approx(plain.omega, abs=RTOL)
    flat = [np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)]
    assert turned.orientation == pytest.approx(flat, abs=1e-15)  # rounding of one product


def test_cross_matrix():
    a, b = np.array([0.3, -1.2, 0.7]), np.array([2.0, 0.1, -0.5])
    assert cross_matrix(a) @ b == pytest.approx(np.cross(a, b))
