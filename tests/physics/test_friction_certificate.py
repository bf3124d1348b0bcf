"""What the certificate says: up to its end a run with friction has the bits of one that sticks."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcrock.body import cuboid
from mcrock.excitation import Motion
from mcrock.impact.conditions import Contact, Impact
from tests.physics.friction import FINE, Scenario, noise, scenario, seeds

# faces of random hulls may meet at small angles
pytestmark = pytest.mark.filterwarnings("ignore:hull. faces:UserWarning")

STICKS, PLASTIC = Contact(), Impact(facet_fallback="plastic")
OF_STICKING = {
    "infeasible_edge_impacts",
    "infeasible_energy_loss",
}  # with friction every impact has an answer


def check_bits(s: Scenario, friction: float) -> float:
    """Compare bits up to the end of the certificate, and all results if it holds throughout; its end [s]."""
    sticks, slips = s.run(contact=STICKS), s.run(contact=Contact(friction=friction))
    until = slips.certified_until
    ours, theirs = slips.history, sticks.history
    # up to the last row before, as the step in which it fails is cut at another place
    rows = int(np.searchsorted(ours.time.values, until)) if until < np.inf else len(ours.time)
    rows = min(rows, int(np.searchsorted(theirs.time.values, until)) if until < np.inf else len(theirs.time))
    for name in ("time", "mode", "orientation", "angular_velocity", "com"):
        np.testing.assert_array_equal(ours[name].values[:rows], theirs[name].values[:rows], err_msg=name)
    if sticks.certified_friction < friction:
        assert until == np.inf
    if until == np.inf:
        for name in sticks.results.keys() - OF_STICKING:
            np.testing.assert_array_equal(slips.results[name], sticks.results[name], err_msg=name)
    return until


@given(seeds, st.sampled_from([2.0, 4.0, 8.0]))
def test_rocks_with_much_friction(seed, strength):
    """Until the first release, which always slips a little."""
    s = scenario(seed, shaken=True, strength=strength)
    check_bits(replace(s, impact=replace(PLASTIC, lambda_=0.9, lambda_lon=0.8)), 10.0)


@given(st.tuples(st.floats(0.1, 0.4), st.floats(0.5, 0.9)), seeds, st.floats(3.0, 25.0), st.floats(0.3, 10.0))
def test_planar_motion(half_sides, seed, strength, friction):
    """Planar rocking releases no edge: it is certified as long as friction holds the forces."""
    b, h = half_sides
    motion = Motion(noise(seed, strength).acceleration * [[1.0], [0.0], [0.3]], dt=0.01, name="planar")
    check_bits(Scenario(cuboid(2 * b, 1.0, 2 * h, 2000.0), motion, PLASTIC, STICKS, None), friction)


def test_both_ends_of_the_certificate_are_seen():
    ends = []
    for seed in range(20):
        motion = Motion(noise(seed, 12.0).acceleration * [[1.0], [0.0], [0.3]], dt=0.01, name="planar")
        s = Scenario(cuboid(0.4, 1.0, 1.6, 2000.0), motion, PLASTIC, STICKS, None, controls=FINE)
        ends.append(check_bits(s, 0.4))
    assert 0 < np.isinf(ends).sum() < len(ends)
