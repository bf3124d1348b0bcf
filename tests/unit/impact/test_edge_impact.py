"""Edge impacts against equations (18) to (20) and (26) solved with numpy."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from mcrock.impact.varkonyi_2022 import (
    GAIN,
    PROJECTION_SPAN,
    angular_impulse,
    edge_energy_change,
    edge_energy_roots,
    edge_map,
    general_map,
    kinetic_energy,
    lift_speed,
    plastic_edge,
    project_edge,
    solve_3x3,
)
from tests.unit.impact import equations
from tests.unit.impact.conftest import EdgeCase
from tests.unit.impact.equations import UP, cross_matrix

RTOL = 1e-9  # impact maps: rounding of 3 x 3 systems, whose condition numbers here reach 1e4
ENERGY_RTOL = 1e-11  # energies that are equal but for rounding, relative to the energy before
BOUND_RTOL = 1e-9  # projection: energy left over the bound, over the energy before (50 bisections)
SCAN = 4000  # points of the search for a nearer lambda: 5e-4 apart


def packed(inertia):
    """(xx, xy, xz, yy, yz, zz) as compiled code takes it."""
    return tuple(inertia[np.triu_indices(3)].tolist())


def arguments(case):
    """Mass, inertia, old and new pivot and angular velocity before, as compiled code takes them."""
    return case.mass, packed(case.inertia), tuple(case.old), tuple(case.new), tuple(case.omega)


def parameters(number, size):
    """``size`` values of lambda in [-1, 1.5] and of tau over a scale of angular momentum."""
    rng = np.random.default_rng([25, number])
    return zip(rng.uniform(-1.0, 1.5, size), rng.uniform(-1.0, 1.0, size), strict=True)


def momentum(case):
    """Scale of tau: the vertical angular impulse that would matter [N m s]."""
    return 0.3 * np.trace(case.inertia) * np.linalg.norm(case.omega)


def test_solve_3x3():
    rng = np.random.default_rng(3)
    for _ in range(100):
        matrix, right = rng.normal(size=(3, 3)), rng.normal(size=3)
        solution = np.linalg.solve(matrix, right)
        rtol = RTOL * np.linalg.cond(matrix)
        rows = tuple(map(tuple, matrix))
        assert solve_3x3(rows, tuple(right)) == pytest.approx(solution, rel=rtol, abs=rtol)


def test_kinetic_energy(edge_cases):
    for case in edge_cases:
        mass, inertia, old, _, w = arguments(case)
        expected = equations.energy(case.mass, case.inertia, case.old, case.omega)
        assert kinetic_energy(mass, inertia, old, w) == pytest.approx(expected, rel=ENERGY_RTOL)


def test_edge_map_solves_equation_20(edge_cases):
    for number, case in enumerate(edge_cases):
        mass, inertia, old, new, w = arguments(case)
        for lambda_, share in parameters(number, 3):
            tau = share * momentum(case)
            point = equations.edge_point(case.old, case.new, lambda_)
            expected = equations.impact(case.mass, case.inertia, point, case.old, case.new, case.omega, tau)
            after = edge_map(mass, inertia, old, new, w, tuple(UP), lambda_, tau)
            scale = np.abs(expected).max()
            assert after == pytest.approx(expected, abs=RTOL * scale)
            assert general_map(mass, inertia, tuple(point), old, new, w, tuple(UP), tau) == pytest.approx(
                expected, abs=RTOL * scale
            )
            back = angular_impulse(mass, inertia, tuple(point), old, new, w, after, tuple(UP))
            assert back == pytest.approx(tau, abs=RTOL * momentum(case))


def test_edge_map_does_not_depend_on_the_axes(edge_cases):
    """In body axes, with ``up`` turned too, as the kernel calls it."""
    rng = np.random.default_rng(14)
    for case in edge_cases[:50]:
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        turn *= np.linalg.det(turn)  # right-handed
        mass, inertia, old, new, w = arguments(case)
        ground = np.array(edge_map(mass, inertia, old, new, w, tuple(UP), 0.4, momentum(case)))
        body = edge_map(
            mass,
            packed(turn @ case.inertia @ turn.T),
            tuple(turn @ case.old),
            tuple(turn @ case.new),
            tuple(turn @ case.omega),
            tuple(turn @ UP),
            0.4,
            momentum(case),
        )
        assert body == pytest.approx(turn @ ground, abs=RTOL * np.abs(ground).max())


def test_lift_speed(edge_cases):
    for case in edge_cases:
        _, _, old, new, w = arguments(case)
        expected = np.cross(case.omega, case.old - case.new)[2]
        assert lift_speed(old, new, w, tuple(UP)) == pytest.approx(expected, abs=1e-14)


def test_lambda_one_conserves_angular_momentum_about_the_new_pivot(edge_cases):
    for case in edge_cases:
        mass, inertia, old, new, w = arguments(case)
        after = np.array(edge_map(mass, inertia, old, new, w, tuple(UP), 1.0, 0.0))

        def spin(pivot, omega, case=case):
            velocity = cross_matrix(pivot) @ omega
            return case.inertia @ omega - case.mass * np.cross(case.new, velocity)

        before = spin(case.old, case.omega)
        assert spin(case.new, after) == pytest.approx(before, abs=RTOL * np.abs(before).max())


def test_angular_momentum_about_the_edge_is_conserved_for_all_parameters(edge_cases):
    for number, case in enumerate(edge_cases):
        mass, inertia, old, new, w = arguments(case)
        edge = case.new - case.old
        edge = edge / np.linalg.norm(edge)
        K = [case.inertia + case.mass * cross_matrix(p).T @ cross_matrix(p) for p in (case.old, case.new)]
        before = edge @ K[0] @ case.omega
        for lambda_, share in parameters(number, 2):
            after = np.array(edge_map(mass, inertia, old, new, w, tuple(UP), lambda_, share * momentum(case)))
            scale = np.linalg.norm(K[1]) * np.abs(after).max()
            assert edge @ K[1] @ after == pytest.approx(before, abs=RTOL * scale)


def test_turning_along_the_edge_is_carried_over(edge_cases):
    """omega -> omega + c e before gives omega + c e after and the same change of energy."""
    for case in edge_cases:
        mass, inertia, old, new, w = arguments(case)
        edge = case.new - case.old
        edge = edge / np.linalg.norm(edge)
        shifted = tuple(case.omega + 0.7 * edge)
        tau = 0.1 * momentum(case)
        one = np.array(edge_map(mass, inertia, old, new, w, tuple(UP), 0.3, tau))
        two = edge_map(mass, inertia, old, new, shifted, tuple(UP), 0.3, tau)
        assert two == pytest.approx(one + 0.7 * edge, abs=RTOL * np.abs(one).max())
        change = edge_energy_change(mass, inertia, old, new, w, tuple(UP), 0.3, tau)
        same = edge_energy_change(mass, inertia, old, new, shifted, tuple(UP), 0.3, tau)
        scale = kinetic_energy(mass, inertia, new, two)
        assert same == pytest.approx(change, abs=RTOL * scale)


def test_edge_energy_change(edge_cases):
    for number, case in enumerate(edge_cases):
        mass, inertia, old, new, w = arguments(case)
        for lambda_, share in parameters(number, 2):
            tau = share * momentum(case)
            change = edge_energy_change(mass, inertia, old, new, w, tuple(UP), lambda_, tau)
            after = edge_map(mass, inertia, old, new, w, tuple(UP), lambda_, tau)
            expected = equations.edge_energy_change(
                case.mass, case.inertia, case.old, case.new, case.omega, lambda_, tau
            )
            assert change == pytest.approx(expected, abs=RTOL * kinetic_energy(mass, inertia, new, after))


def test_plastic_edge_is_the_projection_in_the_kinetic_metric(edge_cases):
    for case in edge_cases:
        mass, inertia, old, new, w = arguments(case)
        edge = case.new - case.old
        edge = edge / np.linalg.norm(edge)
        K = case.inertia + case.mass * cross_matrix(case.old).T @ cross_matrix(case.old)
        expected = edge * (edge @ K @ case.omega) / (edge @ K @ edge)
        after = plastic_edge(mass, inertia, old, new, w)
        assert after == pytest.approx(expected, abs=RTOL * np.abs(expected).max())
        before = equations.energy(case.mass, case.inertia, case.old, case.omega)
        left = equations.energy(case.mass, case.inertia, case.old, np.array(after))
        assert left <= before * (1 + ENERGY_RTOL)


def test_plastic_edge_does_not_depend_on_the_axes(edge_cases):
    """Nor need the edge lie level in them."""
    turns = Rotation.random(len(edge_cases), random_state=7)
    for case, turn in zip(edge_cases, turns, strict=True):
        plain = np.array(plastic_edge(*arguments(case)))
        matrix = turn.as_matrix()
        other = EdgeCase(case.mass, matrix @ case.inertia @ matrix.T, *(matrix @ v for v in case[2:]))
        found = plastic_edge(*arguments(other))
        assert found == pytest.approx(matrix @ plain, abs=RTOL * np.abs(plain).max())


def test_plastic_edge_is_the_limit_of_a_sequence_of_edge_impacts(edge_cases):
    """Between two impacts gravity, through its moment about the inward normal, turns the lift round.

    Its moment about the edge acts in sustained edge contact just as well, and is left out on both sides.
    """
    most = 10000  # impacts; each keeps up to 99 % of the lift speed
    for case in edge_cases[:10]:
        mass, inertia, old, new, w = arguments(case)
        limit = np.array(plastic_edge(mass, inertia, old, new, w))
        omega, old, new = case.omega, case.old, case.new
        for _ in range(most):
            omega = edge_map(mass, inertia, tuple(old), tuple(new), tuple(omega), tuple(UP), 0.6, 0.0)
            old, new = new, old
            normal = np.cross(UP, old - new)
            about = case.inertia + case.mass * cross_matrix(old).T @ cross_matrix(old)
            turn = np.linalg.solve(about, normal)
            omega = omega - 2 * turn * (normal @ omega) / (normal @ turn)
            if np.abs(omega - limit).max() < RTOL:
                break
        assert omega == pytest.approx(limit, abs=RTOL)


def test_edge_energy_roots(edge_cases):
    """Roots of the parabola fitted to equation (26) at three values of tau."""
    found = 0
    for number, case in enumerate(edge_cases):
        mass, inertia, old, new, w = arguments(case)
        for lambda_, _ in parameters(number, 2):
            low, high = edge_energy_roots(mass, inertia, old, new, w, tuple(UP), lambda_)
            taus = momentum(case) * np.array([-1.0, 0.0, 1.0])
            values = [
                equations.edge_energy_change(
                    case.mass, case.inertia, case.old, case.new, case.omega, lambda_, tau
                )
                for tau in taus
            ]
            c2 = 0.5 * (values[0] + values[2]) - values[1]
            c1 = 0.5 * (values[2] - values[0])
            assert c2 > 0
            discriminant = c1 * c1 - 4 * c2 * values[1]
            if abs(discriminant) < 1e-6 * c1 * c1:  # a touching parabola has no sharp roots
                continue
            if discriminant < 0:
                assert np.isnan(low)
                assert np.isnan(high)
                continue
            roots = (-c1 + np.array([-1, 1]) * np.sqrt(discriminant)) / (2 * c2) * momentum(case)
            # a root is c1 - sqrt(c1^2 - ..): rounding grows with c1^2 over the discriminant
            rtol = RTOL * max(1.0, c1 * c1 / discriminant)
            assert [low, high] == pytest.approx(roots, abs=rtol * np.abs(roots).max())
            found += 1
    assert found > 300


def test_lambda_zero_conserves_energy_on_a_symmetric_body_only():
    mass, inertia = 1.0, (0.5, 0.0, 0.0, 0.6, 0.0, 0.2)
    w = (1.0, 0.3, 0.0)
    old, new = (0.1, 0.2, -1.0), (0.1, -0.2, -1.0)
    energy = kinetic_energy(mass, inertia, old, w)
    change = edge_energy_change(mass, inertia, old, new, w, tuple(UP), 0.0, 0.0)
    assert change == pytest.approx(0.0, abs=ENERGY_RTOL * energy)
    off_centre = (0.1, 0.25, -1.0), (0.1, -0.15, -1.0)
    change = edge_energy_change(mass, inertia, *off_centre, w, tuple(UP), 0.0, 0.0)
    assert abs(change) > 1e-4 * energy


def gaining(cases):
    """Impacts of the cases that gain energy: arguments, lambda, tau, energy before."""
    for number, case in enumerate(cases):
        args = arguments(case)
        before = kinetic_energy(args[0], args[1], args[2], args[4])
        for lambda_, share in parameters(1000 + number, 4):
            for tau in (0.0, 0.2 * share * momentum(case), share * momentum(case)):
                if edge_energy_change(*args, tuple(UP), lambda_, tau) > GAIN * before:
                    yield args, lambda_, tau, before


def test_projection_of_lambda_stops_at_the_energy_bound(edge_cases):
    counts = {"lambda": 0, "tau": 0}
    for args, lambda_, tau, before in gaining(edge_cases):
        new_lambda, new_tau = project_edge(*args, tuple(UP), lambda_, tau)
        change = edge_energy_change(*args, tuple(UP), new_lambda, new_tau)
        assert change <= GAIN * before + ENERGY_RTOL * before
        assert change >= -BOUND_RTOL * before  # on the bound, not beyond it
        if new_tau == tau:
            assert new_lambda > lambda_
            counts["lambda"] += 1
        else:
            assert new_lambda == 1.0
            assert abs(new_tau) < abs(tau)
            counts["tau"] += 1
    assert counts["lambda"] > 500
    assert counts["tau"] > 50


def test_projection_of_lambda_is_the_nearest_upwards(edge_cases):
    """No lambda below the projected one, down to the drawn one, gains nothing."""
    for args, lambda_, tau, before in gaining(edge_cases[:100]):
        new_lambda, new_tau = project_edge(*args, tuple(UP), lambda_, tau)
        end = new_lambda if new_tau == tau else lambda_ + PROJECTION_SPAN
        for middle in np.linspace(lambda_, end, SCAN // 10, endpoint=False):
            change = edge_energy_change(*args, tuple(UP), middle, tau)
            assert change > GAIN * before or end - middle < BOUND_RTOL
