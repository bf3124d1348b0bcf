"""A run comes to an end within its limits: bodies, shaking and impacts beyond all measure."""

from collections import Counter

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcrock.base.params import DECIDED, Outcome
from mcrock.body import cuboid
from mcrock.excitation import Motion, Pulse
from mcrock.impact.conditions import Contact, Controls, Impact, Start
from mcrock.planar import rectangle, simulate_planar
from mcrock.simulation.runs import simulate
from tests.benchmarks.extreme import STUDIES, extreme

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="Python raises where compiled code overflows"
)

# a fixed set of examples: a failure is a failure everywhere, and a pass stays a pass
MOST_STEPS, MOST_IMPACTS = 2000, 200
MOST_SOLVES = 200_000  # of contacts in one step


def powers(low: float, high: float) -> st.SearchStrategy[float]:
    """Numbers of any size between powers of ten."""
    return st.floats(low, high).map(lambda exponent: 10.0**exponent)


@st.composite
def shakings(draw) -> Motion | Pulse:
    """From a breath to a million g: noise, a decaying sine that is rolled between components, or a pulse."""
    size = draw(powers(-1, 7))
    kind = draw(st.sampled_from(["noise", "rolled", "pulse"]))
    if kind == "pulse":
        amplitude = size * np.array(draw(st.tuples(*3 * [st.floats(-1.0, 1.0)])))
        return Pulse(
            tuple(amplitude.tolist()),
            draw(powers(-3, 4)),
            cycles=draw(powers(-1, 2)),
            start=draw(st.sampled_from([0.0, 1e-3, 1e6])),
        )
    n = draw(st.integers(2, 400))
    if kind == "noise":
        samples = np.random.default_rng(draw(st.integers(0, 99))).normal(size=(3, n))
    else:
        t = 0.01 * np.arange(n)
        push = np.sin(draw(powers(0, 2)) * t) * np.exp(-t)
        samples = np.array([push, 0.7 * np.roll(push, draw(st.integers(0, n))), 0.0 * push])
    return Motion(size * samples, dt=draw(powers(-3, 0)), name=kind)


places = st.one_of(st.sampled_from([-1.0, 0.0, 1.0]), st.floats(-20.0, 20.0))
impacts = st.builds(
    Impact,
    lambda_=places,
    lambda_lon=places,
    lambda_lat=places,
    tau=st.one_of(st.just(0.0), st.floats(-1e4, 1e4)),
    energy_gain=st.sampled_from(["allow", "project"]),
    facet_fallback=st.sampled_from(["rest", "plastic"]),
)
controls = st.builds(
    Controls,
    max_steps=st.just(MOST_STEPS),
    max_impacts=st.just(MOST_IMPACTS),
    max_step=powers(-6, 6),
    edge_zeno_time=powers(-12, -2),
    rest_time=powers(-12, -2),
    follow_fall=st.booleans(),
    overturned_by=st.sampled_from(["contact", "tilt"]),
)


@given(st.tuples(*3 * [powers(-2, 1)]), shakings(), impacts, controls, st.floats(0.0, 0.3))
def test_a_run_ends_within_its_limits(sides, motion, impact, controls, tilt):
    start = Start(edge=0, tilt=tilt) if tilt > 0.2 else None
    run = simulate(cuboid(*sides, 2600.0), motion, impact, start=start, controls=controls)
    assert run.outcome in Outcome
    assert run.outcome != Outcome.NOT_RUN
    assert run.steps <= MOST_STEPS + 1  # the one that is refused is counted
    assert run.edge_impacts + run.facet_impacts <= MOST_IMPACTS + 1
    if run.outcome in DECIDED:
        assert np.isfinite([run.end_time, run.peak_tilt, run.peak_rotation_x, run.peak_rotation_y]).all()


@given(powers(-2, 1), powers(-2, 1), shakings(), controls, st.floats(-0.3, 0.3))
def test_a_planar_run_ends_within_its_limits(width, height, motion, controls, tilt):
    tilt = tilt if abs(tilt) > 0.2 else 0.0
    run = simulate_planar(rectangle(width, height), motion, 0.9, tilt=tilt, controls=controls)
    assert run.outcome in Outcome
    assert run.outcome != Outcome.NOT_RUN
    assert run.steps <= MOST_STEPS + 1
    assert run.impacts <= MOST_IMPACTS


def test_a_body_at_rest_under_a_sine_looks_for_its_end_a_counted_number_of_times():
    """In steps of the largest step it would look 1e12 times."""
    controls, pulse = Controls(max_step=1e-12), Pulse((1.0, 0.5, 0.0), 2.0 * np.pi)
    run = simulate(cuboid(1.0, 1.0, 1.0, 2600.0), pulse, contact=Contact(friction=0.5), controls=controls)
    assert (run.outcome, run.slip_path) == (Outcome.AT_REST, 0.0)


@pytest.mark.slow
def test_extreme_runs_with_friction_end_by_counted_work():
    """A step takes less than a microsecond and a solved contact a fourth, so that none takes 20 s."""
    limit, outcomes = Controls().max_contact_solves, Counter()
    for number in range(STUDIES):
        run = extreme(number)
        outcomes[run.outcome] += 1
        assert run.contact_solves <= limit + MOST_SOLVES
        assert run.steps < 1_000_000
        assert (run.outcome == Outcome.CONTACT_LIMIT) == (run.contact_solves > limit)
    assert outcomes[Outcome.NOT_RUN] == outcomes[Outcome.NOT_FINITE] == outcomes[Outcome.STEP_LIMIT] == 0
