"""Laws of one collision as runs take them: their conditions, symmetries, and the library as a twin."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from mcrock.impact import single
from mcrock.impact.registry import Law
from mcrock.kernel.friction.impacts import NONE_LEFT, SYMMETRIC, vertex_impulse
from mcrock.laws.final_slip import two_phase, whittaker
from mcrock.laws.impulse_space import bilinear, brach, chatterjee_ruina, routh
from mcrock.laws.problem import SingleContact

from .landings import FRICTION, SHARES, TANGENTIAL, Landing, landings, random_landings

LAWS = {law: getattr(single, law.key) for law in SYMMETRIC}
TWIN = 1e-12  # both compute the same to rounding, which the mobility amplifies a few thousand times [1]
INTEGRATED = 1e-9  # both integrate a slip that turns, to 1e-12 in each step [1]
each_law = pytest.mark.parametrize("law", LAWS.values(), ids=[law.key for law in LAWS])


def result(law, landing, e, et, mu):
    return np.array(law(*landing.given, e, et, mu))


@pytest.mark.parametrize(
    ("law", "twin"),
    [(single.whittaker_1904, whittaker), (single.pfeiffer_glocker_1996, two_phase)],
    ids=["whittaker", "poisson"],
)
def test_the_library_has_the_same_impulse(law, twin):
    rng = np.random.default_rng(1)
    for landing in random_landings(400):
        mu, e = 10.0 ** rng.uniform(-2.0, 1.0), rng.choice([0.0, 1.0, rng.random()])
        expected = twin(landing.contact(mu), restitution=e).impulse
        found = result(law, landing, e, 0.0, mu)
        assert np.linalg.norm(found - expected) <= TWIN * np.linalg.norm(expected)


def test_of_a_run_the_code_tells_the_law():
    rng = np.random.default_rng(4)
    for landing in random_landings(200, seed=5):
        mu, e, et = 10.0 ** rng.uniform(-2.0, 1.0), rng.choice([0.0, 1.0, rng.random()]), rng.uniform(-1, 1)
        w, v, speed = tuple(landing.mobility.ravel()), landing.velocity, np.linalg.norm(landing.velocity)
        for law in Law:
            *found, _, slips, possible = vertex_impulse(int(law), w, tuple(v), mu, e, et)
            after = landing.after(np.array(found))
            if law in LAWS:
                assert tuple(found) == LAWS[law](*landing.given, e, et, mu)
                assert slips == (np.hypot(after[0], after[1]) > NONE_LEFT * speed)
                assert possible == (after[2] >= -NONE_LEFT * speed)
                continue
            expected = chatterjee_ruina(landing.contact(mu), restitution=e, tangential_restitution=et)
            assert np.linalg.norm(found - expected.impulse) <= TWIN * np.linalg.norm(expected.impulse)
            assert slips == (np.hypot(found[0], found[1]) > mu * found[2] * (1.0 - 1e-9))
            assert possible


@given(landings(), SHARES, TANGENTIAL, FRICTION)
def test_brach_is_the_librarys_with_the_lesser_of_two_ratios(landing, e, et, mu):
    slip = np.linalg.norm(landing.velocity[:2])
    assume(slip > 1e-6)
    along = np.append(landing.velocity[:2] / slip, 0.0)
    contact = landing.contact(mu)

    def left(ratio):  # slip after, beyond the one that is asked for
        return float(along @ brach(contact, restitution=e, ratios=[ratio, 0.0]).velocity) + et * slip

    # up to the ratio at which friction jams, where the slip after falls without bound
    coupling, most = landing.mobility[2] @ along, mu
    if mu * coupling >= (1.0 - 1e-6) * landing.mobility[2, 2]:
        most = (1.0 - 1e-6) * landing.mobility[2, 2] / coupling
    ratio = mu
    if left(0.0) <= 0.0:
        ratio = 0.0
    elif left(most) < 0.0:
        ratio = brentq(left, 0.0, most, xtol=1e-15, rtol=1e-15)
    else:
        assume(most == mu)
    expected = brach(contact, restitution=e, ratios=[ratio, 0.0])
    found = result(single.brach_1989, landing, e, et, mu)
    assert found == pytest.approx(expected.impulse, abs=1e-8 * np.linalg.norm(expected.impulse))
    assert expected.consistent


@settings(max_examples=200)
@given(landings(), SHARES, TANGENTIAL, FRICTION)
def test_permissible(landing, e, et, mu):
    """No penetration, no pull, inside the friction cone; no gain of energy, but by the law of Whittaker."""
    for law, function in LAWS.items():
        impact = landing.contact(mu).result(result(function, landing, e, et, mu))
        assert impact.kinematic or law == Law.ROUTH_1905
        assert impact.kinetic
        assert impact.friction
        assert impact.energetic or (law.of_one_contact.gains and e > 0.0)


@given(landings(), SHARES, FRICTION)
def test_poisson_without_raised_expansion_has_the_ratio_of_impulses(landing, e, mu):
    compression = result(single.pfeiffer_glocker_1996, landing, 0.0, 0.0, mu)
    whole = result(single.pfeiffer_glocker_1996, landing, e, 0.0, mu)
    assert compression == pytest.approx(result(single.whittaker_1904, landing, 0.0, 0.0, mu), abs=0.0)
    assert whole[2] >= (1.0 + e) * compression[2] * (1.0 - 1e-12)
    if whole[2] > (1.0 + e) * compression[2] * (1.0 + 1e-9):
        speed = np.linalg.norm(landing.velocity) + np.linalg.norm(landing.mobility) * np.linalg.norm(whole)
        assert landing.after(whole)[2] == pytest.approx(0.0, abs=1e-9 * speed)


@each_law
@given(landing=landings(), e=SHARES, et=TANGENTIAL, mu=FRICTION, angle=st.floats(-3.0, 3.0))
def test_a_turn_about_the_vertical_and_a_mirror_turn_the_impulse(law, landing, e, et, mu, angle):
    c, s = np.cos(angle), np.sin(angle)
    found = result(law, landing, e, et, mu)
    for turn in (np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), np.diag([1.0, -1.0, 1.0])):
        other = Landing(turn @ landing.mobility @ turn.T, turn @ landing.velocity)
        assert result(law, other, e, et, mu) == pytest.approx(turn @ found, abs=1e-8 * landing.size)


@each_law
@given(landing=landings(), e=SHARES, et=TANGENTIAL, mu=FRICTION, power=st.integers(-12, 12))
def test_impulses_grow_with_speed_and_mass(law, landing, e, et, mu, power):
    found = result(law, landing, e, et, mu)
    faster = Landing(landing.mobility, 2.0**power * landing.velocity)
    heavier = Landing(2.0**-power * landing.mobility, landing.velocity)
    for other in (faster, heavier):
        scaled = result(law, other, e, et, mu)
        assert scaled == pytest.approx(2.0**power * found, rel=1e-9, abs=1e-12 * 2.0**power * landing.size)


@pytest.mark.parametrize("mu", [0.1, 0.4, 5.0])
@pytest.mark.parametrize("e", [0.0, 0.4, 1.0])
def test_spheres_slip_or_stick(e, mu):
    """Closed form where nothing is coupled: all laws are the bilinear one without tangential restitution."""
    ball = Landing(np.diag([3.5, 3.5, 1.0]), np.array([1.2, -0.5, -1.0]))
    expected = bilinear(ball.contact(mu), restitution=e, tangential_restitution=0.0).impulse
    for law in LAWS.values():
        assert result(law, ball, e, 0.0, mu) == pytest.approx(expected, abs=1e-15)


@each_law
def test_straight_down_without_coupling_is_a_normal_impulse(law):
    assert law((3.5, 0.0, 0.0, 3.5, 0.0, 0.5), (0.0, 0.0, -2.0), 0.25, 0.0, 0.3) == (0.0, 0.0, 5.0)


def test_routh_is_the_librarys():
    rng = np.random.default_rng(2)
    for landing in random_landings(60, seed=3):
        mu, e = 10.0 ** rng.uniform(-2.0, 1.0), rng.choice([0.0, 1.0, rng.random()])
        expected = routh(landing.contact(mu), restitution=e)
        found = result(single.routh_1905, landing, e, 0.0, mu)
        assert np.linalg.norm(found - expected.impulse) <= INTEGRATED * np.linalg.norm(expected.impulse)


@settings(max_examples=200)
@given(
    st.floats(-0.99, 0.99),
    st.floats(0.05, 20.0),
    st.floats(-2.0, 2.0),
    st.floats(0.01, 1.0),
    SHARES,
    FRICTION,
)
def test_routh_in_the_plane(coupling, ratio, slip, approach, e, mu):
    """The slip does not turn: the library has the closed form, and so has this law, in any upright plane."""
    assume(slip == 0.0 or abs(slip) > 1e-3)
    cross = coupling * np.sqrt(ratio)
    flat = np.array([[ratio, 0.0, cross], [0.0, 0.7, 0.0], [cross, 0.0, 1.0]])
    contact = SingleContact.of_inverse(flat[::2, ::2], [slip, -approach], [0.0, 1.0], mu)
    expected = routh(contact, restitution=e).impulse
    for turn in (np.eye(3), np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])):
        landing = Landing(turn @ flat @ turn.T, turn @ [slip, 0.0, -approach])
        found = turn.T @ result(single.routh_1905, landing, e, 0.0, mu)
        assert found == pytest.approx([expected[0], 0.0, expected[1]], abs=1e-10 * np.linalg.norm(expected))


def test_routh_keeps_the_direction_of_slip_of_a_ball():
    """Closed form: T = 3.5/m is isotropic, the slip ends at p = |V_t|/(3.5 mu) and then sticks."""
    ball = Landing(np.diag([3.5, 3.5, 1.0]), np.array([0.3, 0.4, -1.0]))
    found = result(single.routh_1905, ball, 0.5, 0.0, 0.2)
    assert found == pytest.approx([-0.3 / 3.5, -0.4 / 3.5, 1.5], abs=1e-15)


def test_a_rod_that_slips_before_and_after():
    """In the plane: mobility of the lower end of a slender rod at 45 degrees, friction at its limit."""
    w = (2.5, 0.0, 1.5, 1.0, 0.0, 2.5)  # 1/m (1 + 3/2), 3/2 for length 2 and mass 1
    vx, vz, e, mu = -3.0, -1.0, 0.5, 0.2
    p = -(1.0 + e) * vz / (w[5] + mu * w[2])
    assert single.whittaker_1904(w, (vx, 0.0, vz), e, 0.0, mu) == pytest.approx((mu * p, 0.0, p), rel=1e-14)
    pc = -vz / (w[5] + mu * w[2])
    whole = single.pfeiffer_glocker_1996(w, (vx, 0.0, vz), e, 0.0, mu)
    assert whole == pytest.approx(((1.0 + e) * mu * pc, 0.0, (1.0 + e) * pc), rel=1e-14)
    assert single.routh_1905(w, (vx, 0.0, vz), e, 0.0, mu) == pytest.approx(whole, rel=1e-14)
    assert single.brach_1989(w, (vx, 0.0, vz), e, 0.0, mu) == pytest.approx((mu * p, 0.0, p), rel=1e-14)


def test_whittaker_gains_energy_and_the_others_do_not():
    """Kane's paradox: a pendulum that reverses its slip by kinematic restitution."""
    mass = np.array([[1.0, 0.0, 1.8], [0.0, 1.0, 0.0], [1.8, 0.0, 4.0]])
    landing = Landing(np.linalg.inv(mass), np.array([0.1, 0.0, -1.0]))
    assert landing.gain(result(single.whittaker_1904, landing, 1.0, 0.0, 3.0)) == pytest.approx(0.175)
    for law in (single.pfeiffer_glocker_1996, single.brach_1989, single.routh_1905):
        assert landing.gain(result(law, landing, 1.0, 0.0, 3.0)) <= 1e-15


@pytest.mark.parametrize("slower", [2.0**-16, 1.0, 2.0**16])
@pytest.mark.parametrize("lighter", [2.0**-16, 1.0, 2.0**16])
def test_of_three_impulses_the_smallest_is_taken(slower, lighter):
    """As the library orders them, at any speed, for a body of any mass, in any direction."""
    mass = np.array([[5.57, -2.056, 3.934], [-2.056, 1.763, -3.454], [3.934, -3.454, 7.391]])
    mobility, velocity = np.linalg.inv(mass), np.array([-2.0933, -0.6721, -0.11235])
    expected = whittaker(Landing(mobility, velocity).contact(3.26), restitution=0.0)
    assert len(expected.solutions) == 3
    for angle in np.arange(0.0, 2.0 * np.pi, 0.1):
        turn = Rotation.from_euler("z", angle).as_matrix()
        landing = Landing(lighter * turn @ mobility @ turn.T, turn @ velocity / slower)
        found = lighter * slower * turn.T @ result(single.whittaker_1904, landing, 0.0, 0.0, 3.26)
        assert found == pytest.approx(expected.impulse, rel=1e-10)


@pytest.mark.parametrize("mu", [1.0, 1.5, 5.0])
def test_what_only_grazes_may_jam(mu):
    """Without an approach, impulses other than none are those of the library, in their order."""
    jammed = 0
    for landing in random_landings(200, seed=6):
        w, (x, y, _) = landing.given
        grazing = landing._replace(velocity=np.array([x, y, 0.0]))
        first = whittaker(grazing.contact(mu), restitution=0.0)
        known = [s.impulse for s in first.solutions or [first] if s.impulse[2] > 0.0]
        jammed += len(known) > 1
        least = 0.0
        for expected in [*known, np.zeros(3)]:
            found = np.array(single.final_slip_impulse(w, x, y, 0.0, mu, least))
            assert found == pytest.approx(expected, rel=1e-9)
            least = found[2] * (1.0 + 1e-9)
    assert jammed > 2


def test_expansion_is_raised_where_friction_would_leave_an_approach():
    mobility = np.array([[5.97, -2.64, 3.14], [-2.64, 8.48, -2.65], [3.14, -2.65, 1.93]])
    landing = Landing(mobility, np.array([0.04, 0.83, -0.132]))
    found = result(single.pfeiffer_glocker_1996, landing, 1.0, 0.0, 2.68)
    expected = two_phase(landing.contact(2.68), restitution=1.0)
    assert expected.notes["raised"]
    assert found == pytest.approx(expected.impulse, rel=1e-12)
    assert landing.after(found)[2] == pytest.approx(0.0, abs=1e-13)


def test_ratios_of_brach_end_the_slip_at_the_tangential_coefficient():
    landing = Landing(np.diag([3.5, 3.5, 1.0]), np.array([0.3, 0.4, -1.0]))
    after = landing.after(result(single.brach_1989, landing, 0.5, 0.4, 1.0))
    assert after == pytest.approx([-0.12, -0.16, 0.5])
