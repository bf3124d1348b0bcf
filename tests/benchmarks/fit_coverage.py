"""How often intervals of fitted tests hold the truth, in tests that the package did not simulate.

    python -m tests.benchmarks.fit_coverage FOLDER FAULT READINGS [FIRST LAST]
    python -m tests.benchmarks.fit_coverage FOLDER

The first fits tests FIRST to LAST (0 to 500) with a fault of `FAULTS`, READINGS mean or instant, and adds a
line for each to FOLDER/FAULT-READINGS.jsonl; the second prints the table of the page fitting. FAULT may be
`planar`, `wobbling` or `uneven`: tests of cylinders on their rim, which mcrock's own kernel simulates.
"""

import json
import math
import sys
import zlib
from pathlib import Path

import numpy as np

import mcrock as mr
from mcrock.measurement import Recording, alignment, fit_test, sensed
from mcrock.measurement.fit import neighbours, widen_intervals
from mcrock.measurement.recording import INSTANT
from tests.unit.measurement.rocked import Block, read, rock

# what is wrong with a body, its test or its sensor; size: standard deviation of each dimension [1]
FAULTS = {
    "none": {},
    "size": {"size": 0.01},
    "misaligned": {"misaligned": np.radians(1.0)},
    "ringing": {"ringing": 0.1},
    "slip": {"slip": 2e-4},
}
READINGS = ("mean", "instant")
LAMBDAS = ("lambda", "lambda_lon", "lambda_lat")
ROUND = {"planar": None, "wobbling": None, "uneven": ("clearance", "lambda_lon")}  # what is fitted


def drawn_test(fault, readings, number):
    """Body as measured, recording, and truth of a test."""
    rng = np.random.default_rng([number, zlib.crc32(fault.encode()), READINGS.index(readings)])
    faults = dict(FAULTS[fault])
    while True:
        width, height = rng.uniform(0.06, 0.2), rng.uniform(0.3, 0.8)
        sides = np.array([width, width * rng.uniform(1.0, 1.6), height])
        truth = {
            "tilt": rng.uniform(0.6, 0.9) * np.arctan(sides[0] / sides[2]),
            "lambda": rng.uniform(0.4, 1.6),
            "lambda_lon": rng.uniform(0.6, 1.3),
            "lambda_lat": rng.choice([-1.0, 1.0]) * rng.uniform(0.3, 1.0),
        }
        block = Block(*sides)
        if block.loses(0, truth["lambda_lon"], truth["lambda_lat"]):
            break
    given = mr.cuboid(*(sides * (1.0 + rng.normal(0.0, faults.pop("size", 0.0), 3))), density=2700)
    slip = faults.pop("slip", 0.0) * rng.choice([-1.0, 1.0])
    pieces = rock(block, 0, *truth.values(), slip=slip)
    time, rates, release = read(pieces, rng, mean=readings == "mean", **faults)
    part = Recording(time, rates).unbiased((0.0, 0.9)).trimmed()
    return given, part.turned(alignment(part, (0.0, 1.0, 0.0))), {"time": release} | truth


def drawn_round(kind, readings, number, halves=12.0):
    """Cylinder on its rim, recording in its axes from before the release, and truth of a test."""
    rng = np.random.default_rng([number, zlib.crc32(kind.encode()), READINGS.index(readings)])
    radius = rng.uniform(0.05, 0.3)
    body = mr.cylinder(radius, 2.0 * radius * rng.uniform(1.0, 4.0), density=2000)
    truth = {"tilt": rng.uniform(0.4, 0.8) * body.slenderness}
    if kind == "uneven":
        impact = {"clearance": rng.uniform(1e-4, 2e-3), "lambda_lon": rng.uniform(0.5, 1.0)}
    else:
        impact = {"rolling_loss": rng.uniform(0.01, 0.4)}
        truth["push"] = 0.0
    start = mr.Start(edge=0, tilt=truth["tilt"])
    if kind == "wobbling":  # edge 0 of the drawn sides is at +x, and across it is -x
        truth["push"] = rng.choice([-1, 1]) * 10.0 ** rng.uniform(-2.5, -0.5) * body.frequency * truth["tilt"]
        turn = math.cos(0.5 * truth["tilt"]), 0.0, math.sin(0.5 * truth["tilt"]), 0.0
        velocity = mr.body.rotation_matrix(turn) @ [-truth["push"], 0.0, 0.0]
        start = mr.Start(vertex=0, orientation=turn, angular_velocity=tuple(velocity))
    controls = mr.Controls(step=0.003, max_step=1e-2, edge_zeno_time=1e-6)  # not those of the fit
    run = mr.simulate(
        body, None, mr.Impact(**impact), start=start, controls=controls, t_end=halves / body.frequency
    )
    shift, averaging = rng.uniform(0.0, 1.0 / 256.0), 1.0 if readings == "mean" else INSTANT
    bias = rng.normal(0.0, 0.02, 3)
    read = sensed(run, before=1.0 + shift, after=0.5, bias=bias, seed=number, averaging=averaging)
    return body, read.unbiased((0.0, 0.9)), {"time": 1.0 + shift} | truth | impact


def row_of(fault, readings, number):
    """What the fit of a test says, for the tables."""
    body, recording, truth = (drawn_round if fault in ROUND else drawn_test)(fault, readings, number)
    size_error = FAULTS.get(fault, {}).get("size", 0.0)
    try:
        fit = fit_test(body, recording, 0, free=ROUND.get(fault), size_error=size_error)
    except ValueError as error:
        return {"number": number, "error": str(error)}
    near = neighbours(body, recording, fit) if fit.misfit.explained is False else []
    fit, alone = widen_intervals(fit, near), fit.intervals  # as the command does
    return {
        "number": number,
        "sides": np.ptp(body.vertices, axis=0).tolist(),
        "truth": truth,
        "estimates": fit.estimates,
        "intervals": fit.intervals,
        "alone": alone,
        "near": [(each.added, each.estimates, each.standard_errors, each.misfit.explained) for each in near],
        "errors": {name: float(value) for name, value in fit.standard_errors.items()},
        "resolved": fit.resolved,
        "explained": fit.misfit.explained,
        "right": (fit.averaging == 1.0) == (readings == "mean"),
        "misfit": fit.misfit._asdict(),
        "by_size": fit.by_size.tolist(),
        "several": sum(profile.quantile > 5.0 for profile in fit.profiles.values()),
        "samples": int(fit.time.size),
    }


def shares(rows):
    """Share of the intervals that hold the truth, by parameter."""
    is_round = "lambda" not in rows[0]["truth"]
    for name in rows[0]["truth"] if is_round else ("time", "tilt", *LAMBDAS):
        truths = [(row["truth"][name], *row["intervals"][name]) for row in rows if name in row["intervals"]]
        share = np.mean([low <= truth <= high for truth, low, high in truths] or [np.nan])
        yield f"{name} {share:.3f}" if is_round else f"{share:.3f}"


def main(folder, fault=None, readings=None, first="0", last="500"):
    if fault is not None:
        with (Path(folder) / f"{fault}-{readings}.jsonl").open("a") as file:
            for number in range(int(first), int(last)):
                file.write(json.dumps(row_of(fault, readings, number)) + "\n")
                file.flush()
        return
    print("| fault, readings | tests | explained | time | tilt | lambda | lambda_lon | lambda_lat |")
    print("|---|---|---|---|---|---|---|---|")
    for path in sorted(Path(folder).glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        fits = [row for row in rows if row.get("resolved")]
        explained = sum(row["explained"] is True for row in fits)
        cells = [path.stem.replace("-", ", "), f"{len(fits)} of {len(rows)}", str(explained), *shares(fits)]
        print("|", " | ".join(cells), "|")


if __name__ == "__main__":
    main(*sys.argv[1:])
