"""Formulas of Brogliato, Zhang and Liu (2012) that are wrong in print: the printed one fails, ours holds."""

from math import sqrt

import numpy as np
import pytest

from mcrock.laws.brogliato_2012 import (
    block_coefficients,
    block_impact,
    block_problem,
    energy_margin,
    generalized_kinematic,
    kinetic_frame,
    post_impact_ellipsoid,
    rebound_margins,
    sliding_coulomb_domain,
    sliding_coulomb_sufficient,
)
from mcrock.laws.systems.collisions import chain_impact, chain_problem
from mcrock.planar import rectangle

RTOL = 1e-12
SLENDER = rectangle(width=1.0, height=2.0)  # k = 5/3, D_12/D_11 = 1/4
L, l = 1.0, 2.0  # noqa: E741


def test_remark_3_velocity_needs_the_inverse_metric():
    """Erratum 1."""
    problem = block_problem(SLENDER, -1.0, 0.7)
    n, metric, t, _ = kinetic_frame(problem)
    M, u = problem.mass, problem.velocity
    q_norm, q_tan = n.T @ M @ u, t.T @ M @ u
    assert not np.allclose(n @ q_norm + t @ q_tan, u, atol=0.01)
    assert np.allclose(n @ np.linalg.solve(metric, q_norm) + t @ q_tan, u, atol=RTOL)


def test_13_energy_needs_the_inverse_metric():
    """Erratum 2."""
    problem = block_problem(SLENDER, -1.0, 0.7)
    A = kinetic_frame(problem).metric
    normal = np.array([[0.0, 0.0], [0.6, 0.0]])
    result = generalized_kinematic(problem, normal=normal)
    q = result.notes["normal_before"]
    printed = 0.5 * q @ (normal.T @ A @ normal - A) @ q
    inverse = np.linalg.inv(A)
    assert result.energy_change == pytest.approx(
        0.5 * q @ (normal.T @ inverse @ normal - inverse) @ q, rel=RTOL
    )
    assert printed != pytest.approx(result.energy_change, rel=0.01)
    # and by the rotations themselves: (m L^2/4 + I)(e^2 - 1)/2
    exact = 0.5 * (0.25 + SLENDER.inertia) * (0.36 - 1.0)
    assert result.energy_change == pytest.approx(exact, rel=RTOL)


def test_proposition_1_lets_energy_grow():
    """Erratum 3: E = diag(1, 0) has eigenvalues 1 and 0; q_norm- = -(1, s) with 0 < s < 2 c gains."""
    problem = block_problem(rectangle(1.0, 4.0), -1.0)
    frame = kinetic_frame(problem)
    normal, c = np.diag([1.0, 0.0]), frame.metric[0, 1]
    assert np.abs(np.linalg.eigvalsh(normal)).max() == 1.0
    assert energy_margin(problem, normal) == pytest.approx(1.0 / (1.0 - c * c), rel=RTOL)
    for s, gains in ((c, True), (1.9 * c, True), (2.1 * c, False), (-0.1, False)):
        velocity = frame.normals @ np.linalg.solve(frame.metric, -np.array([1.0, s]))
        trial = type(problem)(problem.mass, problem.directions, velocity)
        result = generalized_kinematic(trial, normal=normal)
        assert result.energetic is not gains
        # A^-1 of [[1, c], [c, 1]]: q+ = (1, 0) less q- = (1, s), over 1 - c^2
        exact = 0.5 * (1.0 - (1.0 - 2 * c * s + s * s)) / (1.0 - c * c)
        assert result.energy_change == pytest.approx(exact, abs=RTOL)


def test_proposition_1_holds_where_the_matrices_commute():
    """Erratum 3: 2 x 2 with equal diagonal: E and A have the same eigenvectors."""
    problem = block_problem(rectangle(1.0, 4.0), -1.0)
    for diagonal, other in ((0.3, 0.7), (-0.2, 0.8), (0.5, -0.5)):
        normal = np.array([[diagonal, other], [other, diagonal]])
        largest = np.abs(np.linalg.eigvalsh(normal)).max()
        assert energy_margin(problem, normal) == pytest.approx(largest**2, rel=RTOL)


def test_64_is_not_sufficient():
    """Erratum 4: e_n1 + e_n2 + sqrt((e_n1 - e_n2)^2 + 4 e_n12^2) <= 2 with a margin above 1."""
    problem = block_problem(rectangle(1.0, 4.0), -1.0)
    e1, e2, e12 = 1.0, 0.2, 0.0
    assert e1 + e2 + sqrt((e1 - e2) ** 2 + 4 * e12**2) <= 2.0
    assert energy_margin(problem, np.array([[e1, e12], [e12, e2]])) > 1.2


def test_17_second_normal_velocity_has_its_own_scale():
    """Erratum 5: At a tilt D_22 has (l sin - L cos)^2, not (l sin + L cos)^2."""
    tilt = 0.3
    sin, cos = np.sin(tilt), np.cos(tilt)
    m, inertia = SLENDER.mass, SLENDER.inertia
    directions = np.array([[0.0, 0.0], [1.0, 1.0], [0.5 * (l * sin + L * cos), 0.5 * (l * sin - L * cos)]])
    problem = type(block_problem(SLENDER, -1.0))(np.diag([m, m, inertia]), directions, [0.1, 0.2, 0.3])
    scale = kinetic_frame(problem).scale
    assert scale[1] ** 2 == pytest.approx(1 / m + (l * sin - L * cos) ** 2 / (4 * inertia), rel=RTOL)
    assert scale[1] ** 2 != pytest.approx(1 / m + (l * sin + L * cos) ** 2 / (4 * inertia), rel=0.1)


def test_20_matrix_belongs_to_the_rates():
    """Erratum 6: n^T W is the printed Delassus matrix over sqrt(D_11)."""
    problem = block_problem(SLENDER, -1.0)
    printed = np.array([[4 * L**2 + l**2, l**2 - 2 * L**2], [l**2 - 2 * L**2, 4 * L**2 + l**2]]) / (
        L**2 + l**2
    )
    assert np.allclose(problem.delassus, printed)
    found = kinetic_frame(problem).normals.T @ problem.directions
    assert not np.allclose(found, printed)
    assert np.allclose(found, printed / sqrt(printed[0, 0]))


@pytest.mark.parametrize("e1", [0.0, 0.4, 1.0])
def test_21_vertical_velocity_of_an_impact_at_b_alone(e1):
    """Erratum 7: The coefficient of A for p_2 = 0 follows from e_n1; (22) is right, (21) is not."""
    D = block_problem(SLENDER, -1.0).delassus
    problem = block_problem(SLENDER, -1.0)
    impulse = np.array([-(1 + e1) * problem.normal_velocity[0] / D[0, 0], 0.0])
    after = problem.result(impulse)
    y, w = after.velocity[1] / problem.velocity[1], after.velocity[2] / problem.velocity[2]
    below = 4 * L**2 + l**2
    assert w == pytest.approx(-(6 * L**2 * e1 + 2 * L**2 - l**2) / below, rel=RTOL)
    assert y == pytest.approx((2 * L**2 - l**2 - 2 * e1 * (l**2 + L**2)) / below, rel=RTOL)
    printed = (6 * L**2 * e1 + 2 * L**2 - l**2) / below
    assert (y == pytest.approx(printed, rel=0.1)) == (e1 == 0.0)


@pytest.mark.parametrize(("friction", "sign", "slip"), [(0.2, 1.0, 3.0), (0.2, -1.0, -3.0)])
def test_31_33_impulses_of_slip(friction, sign, slip):
    """Erratum 8: Prefactor m/(12 L) for both, with a plus; p_1 is printed with 24 and p_2 with a minus."""
    e, m = 0.7, SLENDER.mass
    result = block_impact(SLENDER, -1.0, slip, e_n21=e, tangential="coulomb", friction=friction)
    assert np.sign(result.notes["slip_after"]) == sign
    push = 3 * sign * friction * l * L
    p1 = -((l**2 - 2 * L**2 - push) * e - (l**2 + 4 * L**2 + push)) * m / L
    p2 = -((push - l**2 - 4 * L**2) * e + push - 2 * L**2 + l**2) * m / L
    assert result.impulse == pytest.approx([p1 / 12, p2 / 12], rel=RTOL)
    assert result.impulse[0] != pytest.approx(p1 / 24, rel=0.1)
    assert result.impulse[1] != pytest.approx(-p2 / 12, rel=0.1)


def side_of_35(divisor, height, mu, sign, e, x):
    """Left side of (35) for L = 1 and thdot- = -1, with 6 as printed or 3."""
    bracket = mu**2 * (1 + e) ** 2 + (4 + height**2) / divisor * (e**2 - 1)
    return -bracket + sign * 4 * mu * (1 + e) * x


@pytest.mark.parametrize(
    ("height", "mu", "sign", "e", "x"),
    [(1.5, 0.2, 1.0, 0.6, 2.0), (1.5, 0.2, 1.0, 0.9, 1.2), (3.0, 0.3, -1.0, 0.7, 0.79)],
)
def test_35_energy_of_slip(height, mu, sign, e, x):
    """Erratum 9: the left side is -8 dT/(m |rate|) with 3; with 6 it forbids the loss of the last impact."""
    block = rectangle(1.0, height)
    result = block_impact(block, -1.0, x, e_n21=e, tangential="coulomb", friction=mu)
    assert np.sign(result.notes["slip_after"]) == sign
    assert result.energetic
    assert side_of_35(3, height, mu, sign, e, x) == pytest.approx(-8 * result.energy_change, rel=1e-10)
    printed = side_of_35(6, height, mu, sign, e, x)
    assert printed < side_of_35(3, height, mu, sign, e, x) - 0.1
    assert (printed < 0.0) == (sign < 0.0)


def test_critical_friction_and_e_c2():
    """Erratum 10: mu_c from 3 L^2, and e_c2+ = e_c3+; the printed ones leave the bracket of (35)."""
    block, mu = rectangle(1.0, 1.2), 0.15
    bounds = block_coefficients(block, mu)
    s = 1.2**2 + 4
    printed_e = -(2 * mu**2 - s / 3) / (mu**2 / 2 + s / 3)

    def bracket(e, friction):
        return friction**2 * (1 + e) ** 2 + s / 3 * (e**2 - 1)

    assert bracket(bounds.e_c2_plus, mu) == pytest.approx(0.0, abs=RTOL)
    assert abs(bracket(printed_e, mu)) > 0.01
    assert bracket(0.0, bounds.mu_c) == pytest.approx(0.0, abs=RTOL)
    assert abs(bracket(0.0, sqrt(s / 6))) > 0.1
    assert sliding_coulomb_sufficient(block, mu)[1] == bounds.e_c2_plus


def test_slip_to_the_right_beyond_the_aspect():
    """Erratum 11: max(0, e_c1+) as printed would admit all coefficients for mu = 1.5, l = 2 L; none is."""
    bound = block_coefficients(SLENDER, 1.5).e_c1_plus
    assert bound < 0.0
    assert sliding_coulomb_domain(SLENDER, 1.5, "right") is None
    for e in np.linspace(0.0, 1.0, 11):
        total = 0.5 * (1 + e)  # N of m = L = |rate| = 1
        twist = 2 * (SLENDER.inertia * (1 - e)) + 2 * 1.5 * total  # p_t = -mu N
        assert 0.5 * (total - twist) < 0.0


def test_37_energy_of_half_rocking():
    """Erratum 12: Factors (l^2 + 4 L^2)/12 and mu are missing in print."""
    height, mu, e1, x = 0.8, 0.2, 0.5, 1.5
    block = rectangle(1.0, height)
    result = block_impact(block, -1.0, x, e_n1=e1, tangential="coulomb", friction=mu)
    assert result.notes["slip_after"] > 0.0
    exact = -2 * result.energy_change / block.mass
    square = mu**2 / 4 * (1 + e1) ** 2
    corrected = -(square + (height**2 + 4) / 12 * (e1**2 - 1)) + mu * (1 + e1) * x
    printed = -(square + (e1**2 - 1)) + (1 + e1) * x
    assert corrected == pytest.approx(exact, rel=1e-10)
    assert printed != pytest.approx(exact, rel=0.1)


def test_42_46_impulses_of_rocking_by_r():
    """Erratum 13: I/L, not 2 I/L, and half of the sum and difference in half rocking."""
    r, inertia, m = -0.6, SLENDER.inertia, SLENDER.mass
    result = block_impact(SLENDER, -1.0, e_n21=-r, tangential="frictionless")
    y = -0.5 * L
    p1 = -((m * L / 4 - inertia / L) * r - inertia / L) - m / 2 * y
    p2 = -((m * L / 4 + inertia / L) * r + inertia / L) - m / 2 * y
    assert result.impulse == pytest.approx([p1, p2], rel=RTOL)
    printed = -((m * L / 4 - 2 * inertia / L) * r) + inertia / L - m / 2 * y
    assert printed != pytest.approx(p1, rel=0.1)
    flat = rectangle(1.0, 1.0)
    half = block_impact(flat, -1.0, e_n1=0.6, tangential="frictionless")
    assert half.impulse[0] == pytest.approx(0.5 * 1.6 * (0.5 + 2 * flat.inertia), rel=RTOL)
    assert half.impulse[1] == pytest.approx(0.5 * 1.6 * (0.5 - 2 * flat.inertia), rel=RTOL)


def test_impulses_of_sticking_rocking_by_r():
    """Erratum 14: Section 3.7.2: the second term of p_1 has the factor r + 1 as that of p_2."""
    r, m, inertia = -0.8, SLENDER.mass, SLENDER.inertia
    result = block_impact(SLENDER, -1.0, e_n21=-r)
    turn = (4 * inertia + m * l**2) / (4 * L)
    assert result.impulse == pytest.approx(
        [-(m * L / 4 * (r - 1) - turn * (r + 1)), -(m * L / 4 * (r - 1) + turn * (r + 1))], rel=RTOL
    )
    assert -(m * L / 4 * (r - 1) - turn) != pytest.approx(result.impulse[0], rel=0.1)


def test_53_54_impulses_of_a_rebound():
    """Erratum 15: 7 l^2 + 4 L^2 for 4 l^2 + 4 L^2, and 2 L^2 - l^2 for 4 L^2 + l^2 before e_n21."""
    for e1, e21, e3 in ((0.2, 0.9, -0.7), (0.0, 0.7, -0.7), (0.5, 0.3, 0.1)):
        result = block_impact(SLENDER, -1.0, e_n1=e1, e_n21=e21, e_t3=e3, tangential="et3")
        scale = 12 * L / SLENDER.mass
        p1 = (l**2 + 4 * L**2) * e1 + (2 * L**2 - l**2) * e21 + 3 * l**2 * e3 + 4 * l**2 + 4 * L**2
        p2 = (2 * L**2 - l**2) * e1 + (4 * L**2 + l**2) * e21 - 3 * l**2 * e3 + 2 * (L**2 - 2 * l**2)
        assert scale * result.impulse == pytest.approx([p1, p2], rel=1e-10, abs=1e-12)
        _, landing, leaving = rebound_margins(SLENDER, e1, e21, e3)
        assert np.array([landing, leaving]) * 3 * L**2 == pytest.approx([p1, p2], rel=1e-10, abs=1e-12)
        printed_1 = p1 + 3 * l**2
        printed_2 = (2 * L**2 - l**2) * (e1 + e21) - 3 * l**2 * e3 + 2 * (L**2 - 2 * l**2)
        assert printed_1 != pytest.approx(scale * result.impulse[0], rel=0.1)
        assert printed_2 != pytest.approx(scale * result.impulse[1], rel=0.1)


def test_section_5_difference_of_the_impulses():
    """Erratum 16: p_1 - p_2 holds e_n21 - e_n1 - 1; the printed e_n1 - e_n21 + 1 has the other sign."""
    e1, e21, e3 = 0.2, 0.9, -0.7
    result = block_impact(SLENDER, -1.0, e_n1=e1, e_n21=e21, e_t3=e3, tangential="et3")
    difference = result.impulse[0] - result.impulse[1]
    inertia, m = SLENDER.inertia, SLENDER.mass
    slip = m * l**2 / (2 * L) * (e3 + 1)
    assert difference == pytest.approx(-2 * inertia / L * (e21 - e1 - 1) + slip, rel=RTOL)
    assert difference != pytest.approx(-(2 * inertia / L * (e1 - e21 + 1) - slip), rel=0.01)


def test_section_6_no_slip_does_not_ask_for_no_coefficients():
    """Erratum 17: With vt- = 0 every e_t gives vt+ = 0; what is needed is e_t3 = e_n1 - e_n21 alone."""
    for e1, e21 in ((0.0, 0.7), (0.3, 0.8), (0.1, 0.9)):
        result = block_impact(SLENDER, -1.0, e_n1=e1, e_n21=e21, e_t3=e1 - e21, tangential="et3")
        assert result.notes["slip_before"] == 0.0
        assert result.notes["slip_after"] == pytest.approx(0.0, abs=1e-15)


EQUAL = np.ones(4)
FIRST, SECOND = np.array([1.0, 0.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0, -2.0])


def test_section_7_scale_of_the_normal_velocity():
    """Erratum 18: sqrt(m/2) times the relative velocity; printed 1/sqrt(2 m)."""
    m = 3.0
    problem = chain_problem(m * EQUAL, SECOND)
    q = generalized_kinematic(problem, normal=np.zeros((3, 3))).notes["normal_before"]
    assert q == pytest.approx(sqrt(m / 2) * np.diff(SECOND), rel=RTOL)
    assert q[0] != pytest.approx(np.diff(SECOND)[0] / sqrt(2 * m), rel=0.1)


def quadratic(w):
    return 0.75 * w[0] ** 2 + w[1] ** 2 + 0.75 * w[2] ** 2 + w[0] * w[1] + w[1] * w[2] + 0.5 * w[0] * w[2]


@pytest.mark.parametrize(("before", "limit", "printed"), [(FIRST, 0.75, 1.0), (SECOND, 4.75, 5.0)])
def test_60_61_energy_of_a_chain(before, limit, printed):
    """Erratum 19: Q(w) <= 3/4 and 19/4; the printed sums of squares admit gains and forbid losses."""
    problem = chain_problem(EQUAL, before)
    ellipsoid = post_impact_ellipsoid(problem)
    assert ellipsoid.level == pytest.approx(limit, rel=RTOL)
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(300):
        w = np.abs(rng.normal(size=3)) * sqrt(printed) * 0.7
        assert w @ ellipsoid.shape @ w == pytest.approx(quadratic(w), rel=1e-10)
        impulse = np.linalg.solve(problem.delassus, w - problem.normal_velocity)
        result = problem.result(impulse)
        assert result.energetic == (quadratic(w) <= limit)
        assert result.kinetic
        wrong += result.energetic != (w @ w <= printed)
    assert wrong > 10


def test_60_admits_a_quarter_more_energy():
    """Erratum 19."""
    normal = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 0]], float)  # e_n = (0, 1, 0)
    result = chain_impact(EQUAL, FIRST, normal)
    assert (normal[:, 0] ** 2).sum() <= 1.0
    assert result.energy_change == pytest.approx(0.25 * 0.5)
    assert not result.energetic


def test_63_middle_impulse():
    """Erratum 20: p_23 = m (3 + w1 + 2 w2 + w3)/2; the other terms of (63) are right."""
    E = np.array([[0.2, 0.0, 0.1], [0.1, 0.3, 0.2], [0.1, 0.0, 0.3]])
    m = 2.0
    result = chain_impact(m * EQUAL, SECOND, E)
    w = E[:, 0] + 2 * E[:, 2]
    expected = [(5 + 3 * w[0] + 2 * w[1] + w[2]) / 4, (3 + w[0] + 2 * w[1] + w[2]) / 2]
    expected.append((7 + w[0] + 2 * w[1] + 3 * w[2]) / 4)
    assert result.impulse == pytest.approx(m * np.array(expected), rel=RTOL)
    printed = m * (3 + 2 * E[0, 0] + 2 * E[0, 2] + 2 * w[1] + 2 * E[2, 0] + 2 * E[2, 2]) / 2
    assert printed != pytest.approx(result.impulse[1], rel=0.01)
