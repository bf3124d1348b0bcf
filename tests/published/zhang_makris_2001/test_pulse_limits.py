"""Overturning limits of a planar block under one-sine and one-cosine pulses.

Zhang, J., Makris, N. (2001). Rocking response of free-standing blocks under cycloidal pulses.
Journal of Engineering Mechanics 127(5), 473-483: two branches, with and without impact, and a safe
island between them. The limits below, in amplitude over (slenderness x gravity), were computed for
the nonlinear equation by an independent event-driven integration that agrees with itself to four
decimals over 1000 to 16000 steps per pulse and over three values of p.
"""

from math import cos, pi, sin, sqrt, tan

import pytest

from mcrock.base.params import GRAVITY, STANDING, Outcome
from mcrock.excitation import Pulse, half_sine, one_cosine, one_sine
from mcrock.impact.conditions import Impact
from mcrock.simulation.runs import simulate
from tests.physics.bodies import overturns_by_solve_ivp, planar_lambda, square_block

RTOL = 1e-3  # relative to the amplitude: the tables have four decimals, the limits are this sharp
P = 2.14  # frequency parameter of the block [rad/s]; the limits do not depend on it

# slenderness [rad], velocity ratio (None: Housner's), pulse, omega/p, limits at which the outcome
# changes, from safe upwards, and the impacts of the first band
LIMITS = [
    (0.25, 0.9, one_sine, 1, [1.1555], 1),
    (0.25, 0.9, one_sine, 2, [1.2509, 2.3742, 2.4081], 1),
    (0.25, 0.9, one_sine, 3, [1.4354, 3.6049, 3.7428], 1),
    (0.25, 0.9, one_sine, 4, [1.8443, 5.0794, 5.4368], 1),
    (0.25, 0.9, one_sine, 5, [3.0323, 6.7430, 7.4930], 1),
    (0.25, 0.9, one_sine, 6, [4.9199, 8.5082, 9.9180], 1),
    (0.25, 0.9, one_sine, 8, [15.9049], 0),
    (0.25, 0.9, one_cosine, 2, [1.4401, 4.3214, 5.3001], 1),
    (0.25, 0.9, one_cosine, 3, [1.9077, 6.5403], 1),
    (0.25, 0.9, one_cosine, 4, [3.6898, 5.8988], 1),  # the second by solve_ivp, as below
    (0.10, None, one_sine, 3, [1.3766, 3.6306, 3.6487], 1),
    (0.10, None, one_sine, 4, [1.6713, 5.2243, 5.2701], 1),
    (0.10, None, one_sine, 5, [2.3001, 7.1268, 7.2192], 1),
    (0.10, None, one_sine, 6, [3.5862, 9.3327, 9.4955], 1),
    (0.20, None, one_sine, 3, [1.4071, 3.6258, 3.7021], 1),
    (0.20, None, one_sine, 4, [1.7514, 5.1699, 5.3647], 1),
    (0.20, None, one_sine, 5, [2.6254, 6.9758, 7.3745], 1),
    (0.20, None, one_sine, 6, [4.1760, 9.0177, 9.7349], 1),
    (0.25, None, one_sine, 3, [1.4318, 3.6185, 3.7428], 1),
    (0.25, None, one_sine, 4, [1.8268, 5.1163, 5.4368], 1),
    (0.25, None, one_sine, 5, [2.9448, 6.8265, 7.4930], 1),
    (0.25, None, one_sine, 6, [4.7370, 8.6856, 9.9180], 1),
    (0.35, None, one_sine, 3, [1.5087, 3.5778, 3.8540], 1),
    (0.35, None, one_sine, 4, [2.1936, 4.8863, 5.6338], 1),
    (0.35, None, one_sine, 5, [4.2411, 6.0515, 7.8170], 1),
    (0.35, None, one_sine, 6, [10.419], 0),
]


def rock(slenderness, ratio, pulse, frequency_ratio, amplitude, p=P):
    """One run at an amplitude over (slenderness x gravity)."""
    body = square_block(slenderness, p)
    housner = 1 - 1.5 * sin(slenderness) ** 2
    impact = Impact(lambda_lon=planar_lambda(body, ratio if ratio is not None else housner))
    motion = pulse(amplitude * slenderness * GRAVITY, frequency_ratio * p)
    return simulate(body, motion, impact, history=False)


@pytest.mark.parametrize(("slenderness", "ratio", "pulse", "frequency_ratio", "limits", "impacts"), LIMITS)
def test_outcome_changes_at_every_limit(slenderness, ratio, pulse, frequency_ratio, limits, impacts):
    for number, limit in enumerate(limits):
        below = rock(slenderness, ratio, pulse, frequency_ratio, limit * (1 - RTOL))
        above = rock(slenderness, ratio, pulse, frequency_ratio, limit * (1 + RTOL))
        rising = number % 2 == 0  # safe below, overturned above
        stands, falls = (below, above) if rising else (above, below)
        assert falls.outcome == Outcome.OVERTURNED
        assert stands.outcome in STANDING
        if rising:
            assert above.facet_impacts == (impacts if number == 0 else 0)


def test_upper_limit_of_the_cosine_pulse_agrees_with_solve_ivp():
    """The list of limits that the others come from has 5.8914 here, 1.3e-3 away; this decides."""
    assert overturns_by_solve_ivp(0.25, 0.9, 4, 5.8988 * (1 - 1e-4), cos) == 1
    assert overturns_by_solve_ivp(0.25, 0.9, 4, 5.8988 * (1 + 1e-4), cos) is None


@pytest.mark.parametrize("p", [1.0, 4.0])
def test_limits_do_not_depend_on_size(p):
    for limit in (3.0323, 7.4930):
        assert rock(0.25, 0.9, one_sine, 5, limit * (1 - RTOL), p).outcome in STANDING
        assert rock(0.25, 0.9, one_sine, 5, limit * (1 + RTOL), p).outcome == Outcome.OVERTURNED


@pytest.mark.parametrize(
    ("radius", "overturns"), [(0.25, True), (0.5, True), (1, False), (2, False), (4, False)]
)
def test_of_two_similar_blocks_the_larger_is_safer(radius, overturns):
    """One sine of 0.5 s and 2 g tan(slenderness) on blocks of slenderness 0.2 (Housner 1963)."""
    p = sqrt(3 * GRAVITY / (4 * radius))
    body = square_block(0.2, p)
    motion = one_sine(2 * GRAVITY * tan(0.2), 2 * pi / 0.5)
    run = simulate(body, motion, history=False)
    assert (run.outcome == Outcome.OVERTURNED) is overturns


def rectangle(peak, omega):
    """Constant acceleration for half a period, as a cosine too slow to notice."""
    return Pulse((peak, 0.0, 0.0), 1e-9, phase=pi / 2, cycles=1e-9 / (2 * omega))


ONE_SIDED = {
    half_sine: {1: 1.3495, 2: 1.8400, 3: 2.3465, 5: 3.3698},
    rectangle: {1: 1.0666, 2: 1.2884, 3: 1.5738, 5: 2.1935},
}


@pytest.mark.parametrize(
    ("pulse", "frequency_ratio", "limit"),
    [(pulse, ratio, limit) for pulse, limits in ONE_SIDED.items() for ratio, limit in limits.items()],
)
def test_one_sided_pulses_overturn_without_impact(pulse, frequency_ratio, limit):
    below = rock(0.25, 0.9, pulse, frequency_ratio, limit * (1 - RTOL))
    above = rock(0.25, 0.9, pulse, frequency_ratio, limit * (1 + RTOL))
    assert below.facet_impacts > 0 or below.outcome in STANDING
    assert above.outcome == Outcome.OVERTURNED
    assert above.facet_impacts == 0
