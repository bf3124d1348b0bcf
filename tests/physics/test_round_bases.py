"""Round bases as polyhedra: what many small facets cost, and limits as the facets get finer.

A base of N strips loses about as much as one flat base with lambda_lon = 1/N, a round one nothing in
the limit. The limits here are computed without polyhedra: a body that rolls on an arc in a plane, a
cylinder that rolls on its rim in three dimensions, a block that rocks on a disc.
"""

from dataclasses import replace
from functools import cache
from itertools import pairwise
from math import atan, cos, pi, radians, sin, sqrt, tan

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.spatial.transform import Rotation

from mcrock.base.params import Outcome
from mcrock.body import cuboid, cylinder, hull, rotation_matrix
from mcrock.excitation.motion import Motion
from mcrock.impact.conditions import Contact, Impact, Start
from mcrock.simulation.runs import body_tables, simulate
from tests.physics.bodies import TIGHT
from tests.physics.test_free_rocking import next_peak, quarter_period

# faces of strips meet at small angles on purpose
pytestmark = pytest.mark.filterwarnings("ignore:hull. faces:UserWarning")

G = 9.81
ARC, HALF_ANGLE, TOP = 1.2, radians(20.0), 1.0  # round base: radius [m], half angle, height of the body [m]


def strips(n, half, height, step, depth=0.4):
    """Body on a base of ``n`` strips of equal width that differ by ``step`` [rad] in slope."""
    x = np.linspace(-half, half, n + 1)
    slopes = step * (np.arange(n) - (n - 1) / 2)
    z = np.concatenate([[0.0], np.cumsum(np.tan(slopes) * np.diff(x))])
    outline = [*zip(x, z - z.min(), strict=True), (half, height), (-half, height)]
    return np.array([(a, side * depth / 2, b) for side in (-1, 1) for a, b in outline])


def round_base(n):
    """Body 0.6 m deep whose base is a circular arc of ``n`` facets."""
    angles = np.linspace(-HALF_ANGLE, HALF_ANGLE, n + 1)
    x, z = ARC * np.sin(angles), ARC * (1 - np.cos(angles))
    top = [(x[-1], TOP), (x[0], TOP)]
    return np.array([(a, side * 0.3, b) for side in (-1, 1) for a, b in [*zip(x, z, strict=True), *top]])


def tilted(points, tilt, **given):
    """The hull of points on a base that is curved about y, turned by ``tilt`` [rad] towards +x over the
    edge that is lowest then: body and start."""
    body = hull(points, axis=(0, 0, 1), **given)
    slopes = np.arctan2(body.face_normals[:, 0], -body.face_normals[:, 2])
    base = np.abs(slopes) < 0.5
    facet = int(np.flatnonzero(base & (slopes <= tilt))[np.argmax(slopes[base & (slopes <= tilt)])])
    body = hull(points, axis=(0, 0, 1), start_face=facet, **given)
    top, _ = body_tables(body, base_only=False)
    sides = np.flatnonzero((top.edge_faces == facet).any(1))
    outer = max(sides, key=lambda k: body.vertices[top.edge_vertices[k], 0].mean())
    return body, Start(edge=int(outer), tilt=tilt - slopes[facet])


def sides_of_landing(body, event):
    """Old and new edge of a planar facet impact along the face [m], and A = Theta + m h^2 [kg m2]."""
    face = event["face"]
    normal, corners = body.face_normals[face], body.vertices[list(body.faces[face])]
    x = corners @ [-normal[2], 0.0, normal[0]]
    near, far = (x.min(), x.max()) if event["omega"][1] > 0 else (x.max(), x.min())
    return near, far, body.inertia[1, 1] + body.mass * body.face_heights[face] ** 2


def speed_before(body, event):
    """Angular velocity before a planar facet impact, from its energies [rad/s]."""
    near, far, A = sides_of_landing(body, event)
    after = 0.5 * (A + body.mass * far**2) * event["omega"][1] ** 2
    speed = sqrt(2 * (after - event["energy_change"]) / (A + body.mass * near**2))
    return np.copysign(speed, event["omega"][1])


def ratio_of_strips(n, half, height, step):
    """Angular velocity after the landings on ``n`` strips over that before, and A and B = m b^2."""
    given = {
        "mass": 100.0,
        "com": (0.0, 0.0, height / 2),
        "inertia": cuboid(2 * half, 0.4, height, mass=100.0).inertia,
    }
    body, start = tilted(strips(n, half, height, step), 0.05, **given)
    run = simulate(body, None, Impact(), start=start, controls=TIGHT, t_end=3.0)
    impacts = [event for event in run.events if event["kind"] == "facet_impact"][:n]
    ratio = np.prod([event["omega"][1] / speed_before(body, event) for event in impacts])
    return ratio, body.inertia[1, 1] + body.mass * (height / 2) ** 2, body.mass * half**2


@cache
def smooth_section():
    """COM above the lowest point [m] and squared radius of gyration across the plane [m2] of the round
    base, by integrals over strips of the section."""

    def integral(f):
        return quad(f, 0.0, ARC * sin(HALF_ANGLE), epsabs=0, epsrel=1e-13)[0]

    def low(x):
        return ARC - sqrt(ARC**2 - x**2)

    area = integral(lambda x: TOP - low(x))
    com = integral(lambda x: (TOP**2 - low(x) ** 2) / 2) / area
    square = integral(lambda x: x * x * (TOP - low(x)) + (TOP**3 - low(x) ** 3) / 3) / area
    return com, square - com**2


@cache
def smooth_half_period(tilt):
    """From rest at ``tilt`` [rad] to rest on the other side, rolling on the arc [s]."""
    com, k2 = smooth_section()
    below = ARC - com  # of the centre of the arc

    def integrand(s):  # tilt sin(s) takes the singular ends away
        angle = tilt * sin(s)
        drop = 2 * G * below * 2 * sin((tilt + angle) / 2) * sin((tilt - angle) / 2)
        return tilt * cos(s) * sqrt((k2 + arm2(angle)) / drop)

    return 2 * quad(integrand, 0.0, pi / 2 - 1e-12, epsabs=0, epsrel=1e-11)[0]


def arm2(angle):
    """Squared distance from the point of contact to the COM of the smooth body [m2]."""
    below = ARC - smooth_section()[0]
    return ARC**2 + below**2 - 2 * ARC * below * cos(angle)


def loss_per_angle(tilt):
    """Energy over mass lost in a half period over the exterior angle of the facets, to first order.

    An impact costs omega^2 w^2 A/(2 (A + x^2)) with the width w = R eps of the facets, x the place of
    the new edge, and there is one for every eps: the integral of omega^2 over the way.
    """
    com, k2 = smooth_section()
    below = ARC - com

    def integrand(angle):
        about = k2 + arm2(angle)
        square = 2 * G * below * (cos(angle) - cos(tilt)) / about
        return 0.5 * square * ARC**2 * (k2 + (ARC - below * cos(angle)) ** 2) / about

    return quad(integrand, -tilt, tilt, epsabs=0, epsrel=1e-12)[0]


@cache
def half_period(n, tilt):
    """Released at rest on ``n`` facets: time to the other side [s], amplitude lost [rad], and the
    energies over mass lost in the impacts on the way [m2/s2]."""
    body, start = tilted(round_base(n), tilt, density=1000.0)
    controls = replace(TIGHT, overturned_by="tilt")
    run = simulate(body, None, Impact(), start=start, controls=controls, t_end=1.0)
    t, tilts = run.history.time.values, run.history["tilt"].values
    rate = run.history["angular_velocity"].values[:, 1]
    k = np.flatnonzero((rate[:-1] < 0) & (rate[1:] >= 0))[0]
    when = t[k] - rate[k] * (t[k + 1] - t[k]) / (rate[k + 1] - rate[k])
    losses = [-e["energy_change"] / body.mass for e in run.events if e["t"] < when]
    return when, tilt - tilts[k - 1 : k + 2].max(), np.array(losses)


RADIUS, HEIGHT = 0.3, 1.2  # of the cylinder [m]


def rolling(tilt, precession, duration):
    """A homogeneous cylinder that rolls on its rim without slip or loss, mass 1.

    Its axis k starts at ``tilt`` [rad] in the direction of x and turns about the vertical at
    ``precession`` [rad/s] without spin about itself. The contact, d from the centre of the base
    towards the lowest point of the rim, moves along the rim; with c from there to the COM,
    (I - [c][c]) w' = -w x I w - c x (w x c' + g e_z). Returns scipy's solution for axis and angular velocity,
    which ends where the lean is largest if there is no duration.
    """
    h, up = HEIGHT / 2, np.array([0.0, 0.0, 1.0])
    across, along = (3 * RADIUS**2 + HEIGHT**2) / 12, RADIUS**2 / 2

    def derivative(_, y):
        k, w = y[:3], y[3:]
        s = sqrt(1 - k[2] ** 2)
        d = (k[2] * k - up) / s
        k_rate = np.cross(w, k)
        d_rate = (k_rate[2] * k + k[2] * k_rate) / s + d * k[2] * k_rate[2] / s**2
        c, c_rate = h * k - RADIUS * d, h * k_rate - RADIUS * d_rate
        inertia = across * np.eye(3) + (along - across) * np.outer(k, k)
        about = inertia + c @ c * np.eye(3) - np.outer(c, c)
        moment = np.cross(w, inertia @ w) + np.cross(c, np.cross(w, c_rate) + G * up)
        return np.concatenate([k_rate, np.linalg.solve(about, -moment)])

    def energy(y):
        k, w = y[:3], y[3:]
        c = h * k + RADIUS * (up - k[2] * k) / sqrt(1 - k[2] ** 2)
        turning = across * w @ w + (along - across) * (k @ w) ** 2
        return 0.5 * (turning + np.sum(np.cross(w, c) ** 2)) + G * c[2]

    axis = np.array([sin(tilt), 0.0, cos(tilt)])
    spin = precession * (up - cos(tilt) * axis)

    def rise(t, y):
        return -np.cross(y[3:], y[:3])[2] if t > 1e-3 else -1.0

    rise.terminal, rise.direction = duration is None, -1
    found = solve_ivp(
        derivative, (0.0, duration or 100.0), [*axis, *spin], rtol=1e-11, atol=1e-13, events=rise
    )
    assert energy(found.y[:, -1]) == pytest.approx(energy(found.y[:, 0]), rel=1e-10)
    return found


def next_lean(tilt, precession):
    """The next largest tilt of the round cylinder [rad], its time [s] and how far the lean has turned by then
    [rad], of a precession slower than that of steady rolling."""
    found = rolling(tilt, precession, None)
    x, y, z = found.y[:3, -1]
    turned = np.unwrap(np.arctan2(found.y[1], found.y[0]))[-1]
    return np.arctan2(np.hypot(x, y), z), found.t[-1], turned


def turn_of_a_can():
    """How far the lean of a can turns if it almost falls flat [rad].

    Srinivasan, M. and Ruina, A. (2008). Rocking and rolling: a can that appears to rock might actually roll.
    Physical Review E 78, 066609. Of the kinetic energy near the fall, (A + m R^2) phi'^2/2 + A (phi psi')^2/2
    with A about the centre of the base, the paths are straight lines on a cone.
    """
    about = (3 * RADIUS**2 + HEIGHT**2) / 12 + HEIGHT**2 / 4
    return pi * sqrt((about + RADIUS**2) / about)


def rolled(n, lambda_, tilt, precession, duration):
    """The same start for a cylinder of ``n`` sides that stands on its lowest corner: axis and angular
    velocity at the end, and the run."""
    body = cylinder(RADIUS, HEIGHT, n, mass=1.0)
    first = np.arctan2(body.base[0, 1], body.base[0, 0])
    turn = Rotation.from_rotvec([0.0, tilt, 0.0]) * Rotation.from_euler("z", -first)
    axis = np.array([sin(tilt), 0.0, cos(tilt)])
    spin = precession * (np.array([0.0, 0.0, 1.0]) - cos(tilt) * axis)
    start = Start(vertex=0, orientation=turn.as_quat(scalar_first=True), angular_velocity=spin)
    run = simulate(body, None, Impact(lambda_=lambda_), start=start, controls=TIGHT, t_end=duration)
    last = run.history.isel(time=-1)
    return rotation_matrix(last["orientation"].values)[:, 2], last["angular_velocity"].values, run


def orders(errors):
    """Observed orders of convergence of errors at halved facets."""
    return np.log2(np.abs(np.array(errors[:-1]) / errors[1:]))


@pytest.mark.parametrize(
    ("n", "effective"), [(2, 0.48872), (3, 0.32451), (4, 0.24305), (8, 0.12136), (16, 0.06066)]
)
def test_strips_have_an_effective_lambda(n, effective):
    """A flat base cut into nearly coplanar strips: about 1/N of lambda; two are Ther and Kollar.

    r = prod (A + m x_{i-1} x_i)/(A + m x_i^2) over the strips in the limit of equal slopes, from which
    the simulated ratios differ by a share of the difference in slope.
    """
    half, height = 0.3, 2.4
    (wide, A, B), (narrow, _, _) = (ratio_of_strips(n, half, height, radians(step)) for step in (2e-3, 1e-3))
    places = np.linspace(-1.0, 1.0, n + 1)
    limit = np.prod([(A + B * x * y) / (A + B * y * y) for x, y in pairwise(places)])
    assert narrow == pytest.approx(limit, abs=2e-7)
    assert 2 * narrow - wide == pytest.approx(limit, abs=1e-10)
    assert A * (1 - limit) / (B * (1 + limit)) == pytest.approx(effective, abs=5e-6)
    if n == 2:
        assert limit == pytest.approx(A / (A + B), rel=1e-14)


def test_a_landing_on_a_facet_costs_the_square_of_its_width():
    """dE = -m w^2 A omega^2/(2 (A + m x_q^2)) with the width w of the facet and its far edge x_q."""
    for n in (16, 64):
        body, start = tilted(round_base(n), radians(12.0), density=1000.0)
        controls = replace(TIGHT, overturned_by="tilt")
        run = simulate(body, None, Impact(), start=start, controls=controls, t_end=0.6)
        assert len(run.events) >= 5
        for event in run.events:
            near, far, A = sides_of_landing(body, event)
            square = speed_before(body, event) ** 2
            loss = 0.5 * body.mass * square * (far - near) ** 2 * A / (A + body.mass * far**2)
            assert -event["energy_change"] == pytest.approx(loss, rel=1e-6)


@pytest.mark.parametrize(("n", "lost"), [(16, 0.00416), (32, 0.00207), (64, 0.00114), (128, 0.00057)])
def test_amplitude_lost_on_a_round_base(n, lost):
    """Released at 12 degrees: figures of an independent implementation, in full five decimals [rad]."""
    time, amplitude, _ = half_period(n, radians(12.0))
    assert amplitude == pytest.approx(lost, abs=5e-6)
    smooth = smooth_half_period(radians(12.0))
    assert smooth == pytest.approx(0.78048, abs=1e-5)
    if n == 128:
        assert time == pytest.approx(smooth, abs=5e-4)


def test_a_round_base_loses_less_the_finer_it_is():
    """Released from the middle of an edge of every N: losses of order 2 in an impact and 1 in total.

    The total over the angle of a facet tends to what the impact formula gives for the smooth body.
    """
    tilt, sides = radians(12.5), (16, 32, 64, 128, 256)
    times, amplitudes, losses = zip(*(half_period(n, tilt) for n in sides), strict=True)
    assert orders(amplitudes) == pytest.approx([1.0] * 4, abs=0.02)
    assert orders([loss.mean() for loss in losses]) == pytest.approx([2.0] * 4, abs=0.02)
    total = np.array([loss.sum() * n / (2 * HALF_ANGLE) for loss, n in zip(losses, sides, strict=True)])
    limit = loss_per_angle(tilt)
    assert total == pytest.approx(limit, rel=0.01)
    assert total[-1] == pytest.approx(limit, rel=0.002)
    assert orders(total[2:] - limit) == pytest.approx([1.0, 1.0], abs=0.3)
    late = np.abs(np.array(times) - smooth_half_period(tilt))
    assert (late[1:] < late[:-1] / 2).all()
    assert late[-1] < 2e-4


def test_impacts_beside_the_middle_of_the_facets_cost_less_the_finer_they_are():
    """lambda_lat sends the body over its corners; the order of the total stays 1."""
    losses = []
    for n in (16, 32, 64, 128):
        body, start = tilted(round_base(n), radians(12.5), density=1000.0)
        impact = Impact(lambda_lon=0.5, lambda_lat=0.4)
        controls = replace(TIGHT, overturned_by="tilt")
        run = simulate(body, None, impact, start=start, controls=controls, t_end=0.7)
        kinds = {event["to"][0] for event in run.events}
        assert "VERTEX" in kinds
        losses.append(-sum(event["energy_change"] for event in run.events))
    assert orders(losses) == pytest.approx([1.0] * 3, abs=0.1)


def test_energy_to_leave_a_base_of_two_facets():
    """Over the outer edge, from the facet it starts on."""
    inertia = cuboid(0.4, 0.6, 1.6, mass=100.0).inertia
    points = strips(2, 0.2, 1.6, radians(2.0), depth=0.8)
    body = hull(points, mass=100.0, com=(0, 0, 0.8), axis=(0, 0, 1), inertia=inertia)
    constants = body_tables(body, base_only=False)[1].body
    outer = sqrt(0.2**2 + (0.8 - 0.2 * tan(radians(1.0))) ** 2)
    assert len(body.base_faces) == 2
    expected = 100.0 * G * (outer - body.face_heights[body.start_face])
    assert constants.barrier == pytest.approx(expected, rel=1e-9)


def test_a_cylinder_of_many_sides_has_the_numbers_of_the_cylinder():
    """Equal area: the inertia is of order 4, slenderness and frequency over an edge of order 2."""
    h, across = HEIGHT / 2, (3 * RADIUS**2 + HEIGHT**2) / 12
    reach = sqrt(RADIUS**2 + h**2)
    p = sqrt(G * reach / (across + reach**2))
    errors = []
    for n in (8, 16, 32, 64):
        body = cylinder(RADIUS, HEIGHT, n, density=1000.0)
        assert body.mass == pytest.approx(1000.0 * pi * RADIUS**2 * HEIGHT, rel=1e-12)
        inertia = body.inertia[0, 0] / body.mass
        errors.append([inertia - across, body.slenderness - atan(RADIUS / h), body.frequency - p])
    assert orders(errors) == pytest.approx(np.array([[4.0, 2.0, 2.0]] * 3), abs=0.1)


def test_planar_rocking_of_a_cylinder_of_many_sides():
    """Over two opposite edges, against a disc of the full radius: impact times of order 2."""
    h, across = HEIGHT / 2, (3 * RADIUS**2 + HEIGHT**2) / 12
    A, slenderness = across + h * h, atan(RADIUS / h)
    p = sqrt(G * sqrt(RADIUS**2 + h * h) / (A + RADIUS**2))
    exact, tilt, when = [], 0.2, 0.0
    for _ in range(4):
        when += quarter_period(p, slenderness, tilt)
        exact.append(when)
        tilt = next_peak(slenderness, tilt, (A - RADIUS**2) / (A + RADIUS**2))
        when += quarter_period(p, slenderness, tilt)
    errors = []
    for n in (16, 32, 64, 128):
        body = cylinder(RADIUS, HEIGHT, n, mass=1.0)
        run = simulate(body, start=Start(edge=0, tilt=0.2), controls=TIGHT, t_end=3.0)
        events = run.events[:4]
        assert [event["to"] for event in events] == [("EDGE", n // 2), ("EDGE", 0)] * 2
        errors.append([event["t"] for event in events] - np.array(exact))
    assert orders(errors) == pytest.approx(np.full((3, 4), 2.0), abs=0.05)
    assert np.abs(errors[-1]).max() < 2e-4


@pytest.mark.parametrize(("lambda_", "order", "error"), [(1.0, 1.0, 3e-3), (0.0, 2.0, 5e-5)])
def test_a_cylinder_of_many_sides_rolls_on_its_rim(lambda_, order, error):
    """Corner after corner under the lowest point: the motion of the cylinder that rolls without slip.

    Of order 2 with impacts that lose nothing; with lambda = 1 the loss is of order 1 and the motion too.
    """
    tilt, precession, duration = 0.3, 1.5, 1.0
    *axis, w_x, w_y, w_z = rolling(tilt, precession, duration).y[:, -1]
    of_axis, of_spin, losses = [], [], []
    for n in (12, 24, 48, 96, 192):
        k, w, run = rolled(n, lambda_, tilt, precession, duration)
        assert run.edge_impacts > n // 2  # more than half way round
        assert run.facet_impacts == run.infeasible_edge_impacts == 0
        of_axis.append(np.linalg.norm(k - axis))
        of_spin.append(np.linalg.norm(w - (w_x, w_y, w_z)))
        losses.append(run.impact_energy_loss)
    assert orders(of_axis) == pytest.approx([order] * 4, abs=0.05)
    assert of_axis[-1] < error
    assert of_spin[-1] < 10 * error
    if lambda_ == 0.0:
        assert losses == pytest.approx([0.0] * 5, abs=1e-12)
    else:
        assert orders(losses) == pytest.approx([1.0] * 4, abs=0.15)


def test_a_can_that_almost_falls_flat_turns_as_published():
    """The slower it turned at first the nearer to an angle of its shape alone; it rises as far as it fell."""
    beyond = []
    for precession in (0.1, 0.05):
        tilt, _, turned = next_lean(0.3, precession)
        assert tilt == pytest.approx(0.3, abs=1e-7)
        beyond.append(turned - turn_of_a_can())
    assert beyond[0] == pytest.approx(0.126, abs=0.001)
    assert 0.0 < beyond[1] < 0.6 * beyond[0]


def turning(strength, frequency):
    """Shaking whose direction turns, grown over the first second."""
    t = np.arange(0.0, 8.0, 0.01)
    angle = 2.0 * pi * frequency * t
    both = np.stack([np.sin(angle), 0.8 * np.cos(angle) * np.minimum(t, 1.0), np.zeros_like(t)])
    return Motion(strength * both * np.minimum(t, 1.0), dt=0.01, name="turning")


def on_polygon(n, height, uneven=0.0):
    """Body on a regular polygon about a circle of 1 m radius, with corners raised by up to ``uneven`` [m]."""
    angles = 2.0 * pi * (np.arange(n) + 0.5) / n
    base = np.stack([np.cos(angles), np.sin(angles)], axis=1) / cos(pi / n)
    low = np.random.default_rng(5).uniform(0.0, uneven, n)
    points = np.vstack([np.column_stack([base, z]) for z in (low, np.full(n, 2.0 * height))])
    return hull(points, mass=1000.0, com=(0.0, 0.0, height))


@pytest.mark.parametrize(("n", "rolls"), [(4, False), (6, False), (24, True)])
def test_friction_rolls_an_uneven_round_base_over_where_a_flat_one_slides(n, rolls):
    """At friction 0.95 of what tips them: the friction at the low side of a base that leans is off the
    direction to that side while the shaking turns, and drives it round the rim; straight edges hold it."""
    shaking, contact = turning(10.0, 0.5), Contact(friction=0.95 * 0.5)
    flat = simulate(on_polygon(n, 2.0), shaking, Impact(), contact=contact, history=False)
    assert flat.outcome == Outcome.AT_REST
    assert flat.peak_tilt < 1e-9
    assert flat.slip_path > 1.0
    run = simulate(on_polygon(n, 2.0, uneven=6e-4), shaking, Impact(), contact=contact, history=False)
    assert (run.outcome == Outcome.OVERTURNED) is rolls
    assert rolls or run.peak_tilt < 1e-3
