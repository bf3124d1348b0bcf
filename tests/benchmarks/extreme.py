"""Extreme but legal runs with friction, drawn by number: the time each takes, and what bounds it.

    python -m tests.benchmarks.extreme [FIRST [LAST]]

prints the slowest of the runs FIRST to LAST (0 to 400), how they end, and how many took more than `LONGEST`.
"""

import sys
import time
import warnings
from collections import Counter
from math import pi

import numpy as np

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.body import Body, cuboid, cylinder, frustum, hull
from mcrock.excitation import Motion, Pulse
from mcrock.impact.conditions import Contact, Controls, Impact
from mcrock.simulation.runs import Run, simulate

STUDIES, LONGEST, SHOWN = 400, 20.0, 10  # [s]


def logarithmic(rng: np.random.Generator, low: float, high: float) -> float:
    """A number between two others, of any size alike."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def drawn_body(rng: np.random.Generator) -> Body:
    """From a pebble to a tower: blocks, prisms of up to 200 sides, frusta and hulls of random points."""
    size, kind = logarithmic(rng, 0.02, 20.0), rng.choice(["cuboid", "cylinder", "frustum", "hull"])
    if kind == "cuboid":
        sides = size * np.exp(rng.uniform(-1.5, 1.5, 3))
        return cuboid(*sides, 2000.0)
    if kind == "hull":
        points = rng.normal(size=(int(logarithmic(rng, 6, 120)), 3)) * np.exp(rng.uniform(-1.0, 1.0, 3))
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "hull: faces")  # that meet at small angles, as is meant here
            return hull(size * points, mass=1000.0 * size**3)
    sides = round(logarithmic(rng, 3, 200))
    height = size * logarithmic(rng, 0.2, 8.0)
    if kind == "cylinder":
        return cylinder(size, height, density=2000.0, sides=sides)
    angles = 2.0 * pi * np.arange(sides) / sides
    base = size * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return frustum(base, height, 2000.0, top_scale=rng.uniform(0.3, 1.5))


def drawn_motion(rng: np.random.Generator) -> Motion | Pulse:
    """White or smooth noise, or a pulse, of 0.2 to 50 g."""
    peak = logarithmic(rng, 0.2, 50.0) * STANDARD_GRAVITY
    if rng.random() < 0.25:
        direction = rng.normal(size=3) * (1.0, 1.0, 0.5)
        amplitude = peak * direction / np.linalg.norm(direction)
        return Pulse(tuple(amplitude), logarithmic(rng, 1.0, 60.0), cycles=rng.uniform(0.5, 10.0))
    dt = logarithmic(rng, 0.002, 0.02)
    samples = rng.normal(size=(3, round(rng.uniform(2.0, 40.0) / dt))) * [
        [1.0],
        [1.0],
        [rng.uniform(0.0, 1.0)],
    ]
    if rng.random() < 0.6:
        kernel = np.hanning(max(3, round(logarithmic(rng, 0.02, 0.5) / dt)))
        samples = np.stack([np.convolve(row, kernel, "same") for row in samples])
    samples *= peak / np.abs(samples).max()
    return Motion(samples, dt=dt, name="noise")


def extreme(number: int) -> Run:
    """The run of a number."""
    rng = np.random.default_rng([31, number])
    friction = logarithmic(rng, 0.02, 5.0)
    rebounds = rng.random() < 0.6
    contact = Contact(
        friction=friction,
        static_friction=friction * rng.uniform(1.0, 1.5) if rng.random() < 0.3 else None,
        restitution=rng.choice([0.1, 0.5, 0.9, 0.99, 1.0]) if rebounds else 0.0,
        impact_restitution=rng.choice([0.0, 0.1, 0.5, 0.9]) if rebounds else 0.0,
        tangential_restitution=rng.uniform(-1.0, 1.0) * (rng.random() < 0.2),
    )
    places = rng.uniform(0.0, 1.0, 2)
    impact = Impact(lambda_=places[0], lambda_lon=places[1], lambda_lat=rng.uniform(-0.6, 0.6))
    follow = bool(rng.random() < 0.3)
    controls = Controls(follow_fall=follow, overturned_by="tilt" if follow else "contact")
    return simulate(
        drawn_body(rng), drawn_motion(rng), impact, contact=contact, controls=controls, history=False
    )


def main() -> None:
    """Run what is asked for, one after the other."""
    first, last = (*map(int, sys.argv[1:]), *(0, STUDIES)[len(sys.argv) - 1 :])
    extreme(0)  # compiles
    rows, endings = [], Counter[str]()
    for number in range(first, last):
        began = time.process_time()
        run = extreme(number)
        rows.append((time.process_time() - began, number, len(run.body.vertices), run))
        endings[run.outcome.name.lower()] += 1
    rows.sort(key=lambda row: -row[0])
    for seconds, number, corners, run in rows[:SHOWN]:
        counted = f"{run.steps:.0f} steps, {run.contact_solves:.0f} solved contacts"
        print(f"run {number}: {seconds:.1f} s, {corners} corners, {counted}, {run.outcome.name.lower()}")
    print(f"{len(rows)} runs, {sum(row[0] > LONGEST for row in rows)} over {LONGEST:g} s:", dict(endings))


if __name__ == "__main__":
    main()
