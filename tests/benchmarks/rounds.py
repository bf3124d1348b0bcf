"""A circular rim near flat, and what a polygon of many sides loses that a rim does not.

    python -m tests.benchmarks.rounds [sweeps | bodies | sides]
    python -m tests.benchmarks.rounds undecided [STUDIES [SEED]]

"sweeps" compares the turn of the lean near flat, its least tilt and the friction that it takes with their
closed form, "bodies" shows what an off-axis centre of mass and unequal moments of inertia make of it on
either side, both by `tests.unit.kernel.rolling_reference`. "sides" rolls cylinders of many sides with mcrock
and compares them with a rim that resists by `resistance`. "undecided" runs random round studies, half of them
with friction, and counts outcomes and runs a second.
"""

import sys
import time
from collections import Counter
from dataclasses import replace
from math import cos, exp, pi, sin, sqrt

import numpy as np

from mcrock.base.params import DECIDED, Outcome
from mcrock.excitation import pack_motions
from mcrock.show.text import format_table
from mcrock.simulation.runs import simulate_part
from mcrock.study import Study
from mcrock.study.sampling import draw_inputs, load_motions
from tests.physics.test_round_bases import HEIGHT, RADIUS, next_lean, rolled
from tests.unit.kernel.rolling_reference import (
    G,
    Rolled,
    frustum_rim,
    general_sweep,
    leaning,
    moments,
    random_case,
    roll,
    sweep,
    swept,
)

TILTS = 0.01, 0.005, 0.0025  # at which a sweep begins and ends [rad]
SHARES = 0.5, 0.1  # of p in the rate of the tilt there [1]
SIDES = 12, 24, 48, 96, 192


def sweeps() -> None:
    """The turn of cylinders of several heights, from a rate of -1 rad/s at small tilts."""
    rows = []
    for ratio in (0.25, 0.5, 1.0, 2.0, 4.0):
        body = frustum_rim(1.0, 1.0, 1.0, 2.0 * ratio)
        A, _, h = moments(body)
        limit = pi * sqrt(1.0 + 1.0 / (A + h * h))
        for spin in (0.0, 0.3, -0.3):
            for share in SHARES:
                formula = sweep(body, TILTS[-1], -1.0, spin, -share)
                motions = [swept(body, tilt, -1.0, spin, -share) for tilt in TILTS]
                last = motions[-1][0]
                low = last.force[last.tilt < 2.0 * formula.least_tilt]
                friction = (np.hypot(low[:, 0], low[:, 1]) / low[:, 2]).max()
                given = [f"{x:g}" for x in (ratio, spin, share)]
                turns = [f"{limit:.4f}", f"{formula.turn:.4f}"]
                turns += [f"{turn - formula.turn:+.4f}" for _, turn in motions]
                least = last.tilt.min() / formula.least_tilt
                rows.append([*given, *turns, f"{least:.4f}", f"{friction:.3f}", f"{h / (A + h * h):.3f}"])
    heads = ["h/R", "spin", "p", "limit", "turn", *(f"at {x:g}" for x in TILTS)]
    print(format_table([*heads, "least tilt", "friction", "m h R/A0"], rows))


def bodies() -> None:
    """Other bodies, to either side from almost no lateral speed."""
    rows = []
    for seed in (2, 5, 8, 11, 14):
        body = random_case(seed).body
        A, _, h = moments(body)
        limit = pi * sqrt(1.0 + body.radius**2 / (A + h * h))
        offset = np.hypot(*body.centre[:2]) / body.radius
        for side in (1.0, -1.0):
            turn, w = general_sweep(body, np.array([-1e-6 * side, -1.0, 0.0]), 0.0)
            rate = w @ [-sin(turn), cos(turn), 0.0]
            found = [f"{turn:+.4f}", f"{rate:.4f}", f"{w[2]:+.4f}"]
            rows.append([f"{seed}", f"{offset:.3f}", f"{limit:.4f}", *found])
    heads = ["body", "offset/R", "turn without", "turn", "rate, 1 before", "spin, 0 before"]
    print(format_table(heads, rows))


LEVELS = 0.7, 1.0, 1.5, 2.5  # times what starts rocking


def random_study(seed: int) -> Study:
    """A column, cone or tube in random motions, with friction if the seed is odd, 20 runs."""
    rng = np.random.default_rng([57, seed])
    height, slender = rng.uniform(0.3, 6.0), rng.uniform(0.1, 0.5)
    radius = height * slender / 2
    off = radius * rng.choice([0.0, 0.05]) * rng.uniform(-1, 1, 2)
    body = {
        "shape": "cylinder", "radius": radius, "height": height, "density": 2500.0,
        "com_x": off[0], "com_y": off[1],
    }  # fmt: skip
    body |= rng.choice([{}, {"top_radius": 0.6 * radius}, {"inner_radius": 0.7 * radius}])
    impact = {"lambda_lon": {"distribution": "uniform", "low": 0.5, "high": 1.0}}
    impact |= rng.choice([{}, {"rolling_loss": {"distribution": "uniform", "low": 0.0, "high": 0.3}}])
    kind = str(rng.choice(["farfield", "nearfield_pulse"]))
    data = {
        "seed": seed, "body": body, "impact": impact,
        "motion": {
            "source": "fema_p695", "set": kind,
            "azimuth_deg": {"distribution": "uniform", "low": 0.0, "high": 360.0},
        },
        "intensity": {"measure": "pga", "levels_g": [round(level * slender, 4) for level in LEVELS]},
        "ensemble": {"realizations": 5, "design": "random"},
    }  # fmt: skip
    if seed % 2:
        data["contact"] = {"friction": {"distribution": "uniform", "low": 0.2, "high": 1.0}}
    return Study.from_data(data, "random", None)


def undecided(studies: int = 200, first: int = 0) -> None:
    """Outcomes of random studies, those that are undecided by study, and runs a second."""
    counts, rates = [Counter(), Counter()], [[], []]
    for seed in range(first, first + studies):
        study = random_study(seed)
        motions = load_motions(study)
        inputs, pack = draw_inputs(study, motions, 0, 5), pack_motions(motions)
        began = time.process_time()
        found = simulate_part(inputs, pack, replace(study.controls, recheck=0.0))
        seconds = time.process_time() - began
        outcomes = [Outcome(int(code)) for code in found["outcome"].ravel()]
        counts[seed % 2].update(outcome.name for outcome in outcomes)
        rates[seed % 2].append([len(outcomes) / seconds, found["steps"].mean()])
        odd = [o.name for o in outcomes if o not in DECIDED]
        if odd:
            print(seed, *odd, flush=True)
    for words, count, rate in zip(("without friction", "with friction"), counts, rates, strict=True):
        speed, steps = np.median(rate, axis=0)
        print(f"{words}: {dict(count)}, {speed:.0f} runs/s, {steps:.0f} steps in the median study")


def rolled_rim(loss: float, tilt: float, precession: float, duration: float) -> Rolled:
    """The cylinder of `rolled` on a rim that resists."""
    body = replace(frustum_rim(1.0, RADIUS, RADIUS, HEIGHT), loss=loss)
    start = leaning(body, tilt, 0.0, 0.0, -precession * sin(tilt))
    return roll(body, start, np.linspace(0.0, duration, 11))


def sides() -> None:
    """Polygons with lambda against the rim: axis after a second, energy lost, and in one sweep."""
    A, _, h = moments(frustum_rim(1.0, RADIUS, RADIUS, HEIGHT))
    about, rows = A + h * h, []
    J = about + RADIUS**2
    _, once, _ = next_lean(0.3, 0.1)
    drop = rolled_rim(0.0, 0.3, 0.1, 0.1).energy[0] - G * h  # from the release to flat
    lossless = rolled_rim(0.0, 0.3, 1.5, 1.0)
    for lambda_ in (1.0, 0.5):
        for n in SIDES:
            kappa = 4.0 * pi**2 * lambda_ * RADIUS**2 / (n * J)
            axis, _, run = rolled(n, lambda_, 0.3, 1.5, 1.0)
            found = rolled_rim(kappa, 0.3, 1.5, 1.0)
            errors = [f"{np.linalg.norm(axis - x.axis[-1]):.2e}" for x in (lossless, found)]
            lost = run.impact_energy_loss / (found.energy[0] - found.energy[-1])
            _, _, fall = rolled(n, lambda_, 0.3, 0.1, once)
            share, formula = fall.impact_energy_loss / drop, 1.0 - exp(-kappa / 4.0 * sqrt(J / about))
            shares = [f"{x:.4f}" for x in (lost, share, formula)]
            rows.append([f"{lambda_:g}", f"{n}", f"{kappa:.4f}", *errors, *shares])
    heads = ["lambda", "sides", "kappa", "axis, kappa 0", "axis, kappa", "lost/rim"]
    print(format_table([*heads, "lost in a sweep", "formula"], rows))


if __name__ == "__main__":
    if sys.argv[1:2] == ["undecided"]:
        undecided(*map(int, sys.argv[2:]))
    else:
        for name in sys.argv[1:] or ["sweeps", "bodies", "sides"]:
            {"sweeps": sweeps, "bodies": bodies, "sides": sides}[name]()
