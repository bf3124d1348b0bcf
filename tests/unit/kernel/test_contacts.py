"""Several contacts at once: the laws of unilateral contact with Coulomb friction, whatever the body."""

from math import cos, hypot, pi, sin

import numpy as np
import pytest

from mcrock.kernel.friction.coulomb import DONE, on_two, solve_contacts
from mcrock.kernel.layout import CONTACT

ROUNDED = 1e-9  # of velocities and impulses, over the largest


def problem(seed):
    """Compliance, two contacts on a level line, a twist that presses them, and friction."""
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(3, 3))
    compliance = half @ half.T * rng.uniform(0.5, 6.0)
    height, ends = -rng.uniform(0.1, 1.0), 0.4 * rng.normal(size=(2, 2))
    contacts = np.array([row_at(compliance, [*end, height]) for end in ends])
    for i, row in enumerate(contacts):
        if seed >> i & 1:
            row.s_x, row.s_y, row.given = cos(seed + i), sin(seed + i), 1.0
    twist = rng.normal(size=6)
    twist[2] -= 1.5
    return compliance, contacts, twist, float(rng.choice([0.1, 0.3, 0.6]))


def packed(compliance):
    return tuple(compliance[np.triu_indices(3)])


def row_at(compliance, place):
    """The row of a contact that has no slip yet."""
    row = np.zeros(1, CONTACT)[0]
    cross = np.array([[0.0, -place[2], place[1]], [place[2], 0.0, -place[0]], [-place[1], place[0], 0.0]])
    w = np.eye(3) - cross @ compliance @ cross
    row.d_x, row.d_y, row.d_z = place
    row.w_xx, row.w_xy, row.w_xz, row.w_yy, row.w_yz, row.w_zz = w[np.triu_indices(3)]
    row.s_x = 1.0
    return row


def vector(row, name):
    return np.array([row[f"{name}_{axis}"] for axis in "xyz"])


def velocity(row, twist):
    d = vector(row, "d")
    return vector(row, "b") + twist[:3] + np.cross(twist[3:], d) - [0.0, 0.0, row.target]


def obeys(compliance, contacts, before, twist, mu):
    """Signorini's and Coulomb's laws: 0 <= N _|_ u >= 0 and |T| <= mu N, against the slip (Moreau 1988)."""
    change = np.zeros(6)
    for row in contacts:
        p = vector(row, "p")
        change[:3] += p
        change[3:] += compliance @ np.cross(vector(row, "d"), p)
    size = np.abs(before).sum() + sum(np.abs(vector(row, "p")).sum() for row in contacts)
    assert twist == pytest.approx(before + change, abs=ROUNDED * size)
    for row in contacts:
        u, p = velocity(row, twist), vector(row, "p")
        push, slip = hypot(p[0], p[1]), hypot(u[0], u[1])
        assert p[2] >= 0.0
        assert u[2] >= -ROUNDED * size
        assert p[2] * u[2] <= ROUNDED * size * size
        assert push <= mu * p[2] + ROUNDED * size
        if row.given:
            assert p[:2] == pytest.approx(-mu * p[2] * np.array([row.s_x, row.s_y]), abs=ROUNDED * size)
        elif slip > ROUNDED * size and p[2] > 0.0:
            assert p[:2] == pytest.approx(-mu * p[2] * u[:2] / slip, abs=1e-6 * size)


@pytest.mark.parametrize("seed", range(200))
def test_two_contacts_obey_signorini_and_coulomb(seed):
    compliance, contacts, twist, mu = problem(seed)
    before = twist.copy()
    status = solve_contacts(contacts, 2, packed(compliance), twist, mu, mu)
    if status != DONE:
        assert contacts["given"].any()  # a given slip may leave no solution
        return
    obeys(compliance, contacts, before, twist, mu)


@pytest.mark.parametrize("friction", [0.6, 1.0, 2.0])
def test_a_slip_beside_a_contact_that_sticks_lifts_with_its_force(friction):
    """Where more normal force pushes down a contact that slips, no single force exists (Painlevé)."""
    found = 0
    for seed in range(1, 2400, 4):
        compliance, contacts, twist, _ = problem(seed)
        solved = solve_contacts(contacts, 2, packed(compliance), twist, friction, friction) == DONE
        slips, stays = contacts
        if not solved or hypot(stays.p_x, stays.p_y) >= 0.999 * friction * stays.p_z or slips.p_z == 0.0:
            continue
        found += 1
        places = [vector(row, "d") for row in (slips, stays)]
        cross = [np.cross(np.eye(3), -place) for place in places]
        w = [[np.eye(3) - a @ compliance @ b for b in cross] for a in cross]
        force = [-friction * slips.s_x, -friction * slips.s_y, 1.0]
        held = -np.linalg.solve(w[1][1], w[1][0] @ force)
        assert (w[0][0] @ force + w[0][1] @ held)[2] > 0.0
    assert found > 20


def test_an_edge_at_the_bound_of_friction_turns_about_one_end():
    """A block of 0.4 x 0.4 x 1.6 m that rocks at friction 0.5, where its edge begins to slip: one end sticks
    and the other slips across the edge, with 2 % of the normal force.

    One contact after the other, the forces were still 1e-4 m/s2 off after 4000 sweeps.
    """
    compliance = np.array(
        [
            [4.4117647058824545, -1.793741179688551e-10, -1.8411483197505202e-06],
            [-1.793741179688551e-10, 4.411765019944508, 0.003223625662234062],
            [-1.8411483197505202e-06, 0.003223625662234062, 37.49999968593774],
        ]
    )
    ends = [[0.19988578349438374, 0.20003625472595468], [-0.20011415126497328, 0.1998077979245306]]
    for order in (ends, ends[::-1]):
        contacts = np.array([row_at(compliance, [*end, -0.8000194812328318]) for end in order])
        for row in contacts:
            row.b_x, row.b_y, row.b_z = 6.1e-11, -1.0697e-07, 4.2807e-07
        before = np.array([-2.2944054104358753, 1.2047319067770712, -9.81, 0.0, 0.0, 0.0])
        twist = before.copy()
        assert solve_contacts(contacts, 2, packed(compliance), twist, 0.5, 0.4999995) == DONE
        obeys(compliance, contacts, before, twist, 0.4999995)
        slips = [hypot(*velocity(row, twist)[:2]) for row in contacts]
        assert min(slips) < 1e-12
        assert max(slips) == pytest.approx(1.5e-7, rel=0.1)


def test_an_edge_with_both_ends_at_the_bound_of_friction_has_forces():
    """Its accelerations along the edge differ by 2.5e-10 m/s2 as it turns, and the slip gains 1.5e-6 m/s2: it
    does not go across the edge, and only then is there friction enough at the end that sticks."""
    compliance = np.array(
        [
            [4.41176470591721, 1.3173404341424605e-07, 3.39614242459106e-05],
            [1.3173404341424605e-07, 4.4122625476445805, 0.1283450720573945],
            [3.39614242459106e-05, 0.1283450720573945, 37.499502158202915],
        ]
    )
    height = -0.8007697621442956
    first = [0.2000520935343292, 0.19684244437595338, height]
    second = [-0.19994789246195252, 0.19694828848048357, height]
    for order in (1, -1):
        contacts = np.array([row_at(compliance, place) for place in (first, second)])
        targets = (
            (-3.790047301800152e-07, -6.430713470750515e-05, 0.0002616261784159067),
            (-3.787546321092982e-07, -6.430713477368366e-05, 0.00026144542067141715),
        )
        for row, target in zip(contacts, targets, strict=True):
            row.b_x, row.b_y, row.b_z = target
        contacts = contacts[::order].copy()
        before = np.array(
            [
                -1.9193835608640453, -0.951711466677675, -9.81,
                -1.0764647010884742e-10, -3.987243049509035e-07, 1.546624436908923e-09,
            ]
        )  # fmt: skip
        twist = before.copy()
        assert solve_contacts(contacts, 2, packed(compliance), twist, 0.3, 0.2999997) == DONE
        obeys(compliance, contacts, before, twist, 0.2999997)


@pytest.mark.parametrize("friction", [0.1, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("seed", range(0, 200, 4))  # those that give no slip
def test_two_contacts_that_land_always_have_impulses(seed, friction):
    compliance, contacts, twist, _ = problem(seed)
    before = twist.copy()
    assert solve_contacts(contacts, 2, packed(compliance), twist, friction, friction) == DONE
    obeys(compliance, contacts, before, twist, friction)


@pytest.mark.parametrize("corners", [3, 4, 8])
@pytest.mark.parametrize("seed", range(20))
def test_corners_of_a_face_that_land_obey_the_laws(seed, corners):
    rng = np.random.default_rng([seed, corners])
    radius, height = rng.uniform(0.1, 1.0), rng.uniform(0.2, 1.5)
    across = rng.uniform(0.2, 0.5) * (radius**2 + height**2)
    compliance = np.diag([1.0 / across, 1.0 / across, 2.0 / radius**2])
    angles = 2.0 * pi * np.arange(corners) / corners
    contacts = np.array([row_at(compliance, [radius * cos(a), radius * sin(a), -height]) for a in angles])
    twist = rng.normal(size=6) * [1.0, 1.0, 0.3, 1.0, 1.0, 1.0] - [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    before, mu = twist.copy(), rng.uniform(0.1, 1.0)
    assert solve_contacts(contacts, corners, packed(compliance), twist, mu, mu) == DONE
    obeys(compliance, contacts, before, twist, mu)


@pytest.mark.parametrize("friction", [0.1, 0.2499999, 0.2500001, 0.3, 0.5])
def test_a_sliding_block_tips_where_its_centre_of_pressure_leaves_the_base(friction):
    """theta'' = g (mu h - b) / (k^2 + b^2 - mu b h) about the edge it slips on, beyond mu = b/h."""
    b, h, gravity = 0.2, 0.8, 9.81
    square = (b * b + h * h) / 3.0
    compliance = np.diag([1.0 / square, 1.0 / square, 1.5 / (b * b)])
    contacts = np.array([row_at(compliance, [x, y, -h]) for x, y in ((b, -b), (b, b), (-b, b), (-b, -b))])
    contacts["given"] = 1.0  # slips along x
    twist = np.array([0.0, 0.0, -gravity, 0.0, 0.0, 0.0])
    tips = on_two(contacts, 4, packed(compliance), twist, friction, friction, 0.0)
    assert tips == (friction * h > b)
    if tips:
        rate = gravity * (friction * h - b) / (square + b * b - friction * b * h)
        assert twist[4] == pytest.approx(rate, rel=1e-9)
        assert twist[[1, 3, 5]] == pytest.approx(0.0, abs=1e-12)
    else:
        assert twist == pytest.approx([0.0, 0.0, -gravity, 0.0, 0.0, 0.0], abs=0.0)
