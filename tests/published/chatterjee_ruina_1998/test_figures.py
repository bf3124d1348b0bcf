"""Figures 3 to 9: what each law reaches of the permissible region."""

from math import inf

import numpy as np
import pytest
from scipy.optimize import minimize

from mcrock.laws import system_example
from mcrock.laws.final_slip import whittaker
from mcrock.laws.impulse_space import assess, chatterjee_ruina, routh
from mcrock.laws.problem import SingleContact
from mcrock.laws.systems.collisions import CASES, collision

NORMAL, TANGENTIAL = 0, 1


def reach(ds, law):
    return ds["reach"].sel(law=law).values


def test_figure_3_points_and_lines():
    contact, ds = collision("construction"), system_example("permissible_region", case="construction")
    for line, along in (("maximum_compression", [1.0, 0.0]), ("sticking", [0.0, 1.0])):
        for end in ds["lines"].sel(line=line).values:
            after = contact.velocity + contact.inverse @ end
            assert after @ along == pytest.approx(0.0, abs=1e-12)
    for end in ds["lines"].sel(line="full_restitution").values:
        after = contact.velocity + contact.inverse @ end
        assert after[NORMAL] == pytest.approx(-contact.velocity[NORMAL])
    ellipse = ds["ellipse"].values
    # A and B, with a vertical tangent, are on the line of maximum compression; C and D on that of sticking
    for point, component in (
        (ellipse[ellipse[:, TANGENTIAL].argmax()], NORMAL),
        (ellipse[ellipse[:, NORMAL].argmax()], TANGENTIAL),
    ):
        assert (contact.velocity + contact.inverse @ point)[component] == pytest.approx(0.0, abs=2e-2)
    elastic = 2 * contact.compression
    assert assess(contact, elastic).energy_change == pytest.approx(0.0, abs=1e-12)
    assert np.abs(ellipse - elastic).sum(axis=1).min() < 0.02


def test_figure_4_whittaker_leaves_the_region_and_the_others_do_not():
    ds = system_example("permissible_region", case="generic")
    assert not ds["permissible"].sel(law="whittaker").values.all()
    assert ds["energy_change"].sel(law="whittaker").max() > 0.2
    for law in ("routh", "two_phase", "smith"):
        assert ds["permissible"].sel(law=law).values.all()
    contact = collision("generic")
    assert all(assess(contact, corner).consistent for corner in ds["area"].values)
    assert all(
        assess(contact, 0.999 * (p - p0) + p0).consistent
        for p in ds["region"].values
        for p0 in [reach(ds, "routh")[20]]
    )


def test_figure_5_a_sphere():
    ds = system_example("permissible_region", case="diagonal")
    assert reach(ds, "whittaker") == pytest.approx(reach(ds, "routh"), abs=1e-9)
    assert reach(ds, "two_phase") == pytest.approx(reach(ds, "routh"), abs=1e-9)
    assert reach(ds, "smith")[-1, TANGENTIAL] > reach(ds, "routh")[-1, TANGENTIAL]  # it reverses the slip


def test_figure_6_grazing():
    contact, ds = collision("grazing"), system_example("permissible_region", case="grazing")
    line = np.outer(np.linspace(0, 1, 41), contact.sticking)
    for impulse in ds["area"].values:  # the area has shrunk to a piece of the line through P_II
        assert abs(np.cross([*impulse, 0], [*contact.sticking, 0])[2]) < 1e-12
    for law in ("whittaker", "smith"):  # one impulse for every coefficient
        assert np.ptp(reach(ds, law), axis=0) == pytest.approx([0.0, 0.0], abs=1e-9)
    assert reach(ds, "whittaker")[0] == pytest.approx(line[-1], abs=1e-9)
    assert (contact.velocity + reach(ds, "routh") @ contact.inverse)[-1, NORMAL] > 0.1


def test_figure_7_infinite_friction():
    """The centre of the ellipse is below the axis: a dead collision would have to pull."""
    contact, ds = (
        collision("infinite_friction"),
        system_example("permissible_region", case="infinite_friction"),
    )
    assert contact.friction == inf
    assert contact.sticking[NORMAL] < 0.0
    assert not assess(contact, contact.sticking).kinetic
    path = reach(ds, "routh")
    assert path[:, NORMAL] == pytest.approx(np.zeros(len(path)), abs=1e-7)
    assert path[-1, TANGENTIAL] > path[0, TANGENTIAL] + 0.05
    # on the axis Routh's reach is a point, P_II
    velocity = -contact.inverse @ [0.0, 0.8]
    assert velocity[NORMAL] < 0.0
    on_axis = SingleContact(contact.mass, velocity, contact.normal, 1e9)
    for e in (0.0, 0.5, 1.0):
        assert routh(on_axis, restitution=e).impulse == pytest.approx([0.0, 0.8], abs=1e-6)


def test_figure_8_pendulum():
    """One principal mass grows without bound: the laws but Whittaker's tend to those of the mechanism."""
    contact, ds = collision("unbounded"), system_example("permissible_region", case="unbounded")
    after = contact.velocity + reach(ds, "routh") @ contact.inverse
    assert after == pytest.approx(np.zeros_like(after), abs=1e-12)
    assert np.isnan(reach(ds, "whittaker")[1:]).all()
    assert np.isfinite(reach(ds, "whittaker")[0]).all()
    tip = contact.velocity / np.linalg.norm(contact.velocity)
    rod = np.array([tip[1], -tip[0]])
    errors = []
    for stiff in (1e3, 1e5, 1e7):
        mass = np.outer(tip, tip) + stiff * np.outer(rod, rod)
        near = SingleContact(mass, contact.velocity, contact.normal, contact.friction)
        impacts = [
            chatterjee_ruina(c, restitution=0.5, tangential_restitution=0.2).impulse for c in (near, contact)
        ]
        errors.append(np.abs(impacts[0] - impacts[1]).max())
        assert np.linalg.norm(routh(near, restitution=0.5).velocity) < 10 / stiff
        assert whittaker(near, restitution=0.5).energy_change > 0.01 * stiff
    assert errors[1] < errors[0] / 50
    assert errors[2] < errors[1] / 50


def test_figure_9_restitution_far_above_one():
    """Almost grazing and without coupling: friction lends energy to a rebound of 17 times the approach."""
    contact = SingleContact(np.diag([1.0, 1.0]), [-0.055, -1.0], [1.0, 0.0], 1.4)

    def rebound(impulse):
        return contact.velocity[0] + impulse[0]

    bounds = [
        {"type": "ineq", "fun": lambda p: -0.5 * (2 * contact.velocity + p) @ p},
        {"type": "ineq", "fun": lambda p: contact.friction * p[0] - abs(p[1])},
    ]
    best = minimize(lambda p: -rebound(p), [0.5, 0.6], constraints=bounds, method="SLSQP")
    highest = rebound(best.x) / 0.055
    assert highest == pytest.approx(17.0, rel=0.1)
    assert assess(contact, 0.99 * best.x).consistent
    law = chatterjee_ruina(contact, restitution=1.0, tangential_restitution=0.5)
    assert law.normal_velocity[0] == pytest.approx(0.055)


@pytest.mark.parametrize("case", CASES)
def test_every_figure_has_its_words(case):
    ds = system_example("permissible_region", case=case, points=3)
    assert f"figure {CASES[case].figure}" in ds.attrs["description"]
    assert ds["region"].notnull().all()
