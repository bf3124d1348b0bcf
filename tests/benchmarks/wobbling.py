"""A cask of many sides that wobbles on its rim against a round one: the table of the page on engines.

    python -m tests.benchmarks.wobbling [mujoco | overturned | rims [STRENGTHS [PAIRS]]]

A homogeneous cylinder, 0.6 m across and 1.2 m high, leans by `TILT` and turns about the vertical, slowly
enough to fall almost flat and rise on the other side (a can that appears to rock), or fast enough to wobble.
What is compared is the next largest tilt, its time, and the angle through which the lean has turned by then;
with "mujoco" also in that engine, whose corners are the contacts. "overturned" counts the runs in which a
storage cask of many sides falls, of those of `tests.benchmarks.friction_peer` at friction 1 and 2.5 m/s.

"rims" shakes `CYLINDERS` on circles in mcrock and as the cylinders of MuJoCo, which touch the ground at the
lowest point of the rim, and near flat at three. Drake has one point of contact for a pair of shapes: its
cylinder cannot stand, and falls where it should only slide.
"""

import sys
from itertools import islice
from math import cos, pi, sin

import numpy as np
import pandas as pd
from scipy.spatial.transform import Rotation

from mcrock.body import cylinder, prism
from mcrock.impact.conditions import Impact
from mcrock.show.text import format_table
from tests.benchmarks.engines import SETTINGS, turned
from tests.benchmarks.friction_peer import (
    AZIMUTHS,
    FARFIELD,
    MEMBER,
    NO_PULSE,
    RECORDS,
    RESPONSES,
    Case,
    compared,
    members,
    one_run,
)
from tests.physics.test_round_bases import HEIGHT, RADIUS, next_lean, rolled, turn_of_a_can

TILT = 0.3  # [rad]
PRECESSIONS = 0.02, 0.1, 0.5, 1.5  # [rad/s]
SIDES = 12, 24, 48, 96
FRICTIONS = 0.3, 0.6, 1.0
CASK = cylinder(1.68, 6.0, mass=156.7e3, com=(0.0, 0.0, 0.1))
CYLINDERS = {
    "cask": Case(CASK, 360.0, *NO_PULSE, (1.5, 2.0, 2.5)),
    "drum": Case(cylinder(0.2, 1.0, mass=100.0), 360.0, *FARFIELD, (0.4, 0.5, 0.6)),
    "column": Case(cylinder(0.3, 1.6, mass=1000.0), 360.0, *FARFIELD, (0.4, 0.5, 0.6)),
}
RIMS = {"perfect rim": Impact(), "uneven rim": Impact(rolling_loss=0.05, clearance=1e-3)}


def in_mujoco(n: int | None, precession: float, duration: float) -> list[float]:
    """The next largest tilt [rad] of a cylinder of ``n`` sides or none in MuJoCo at friction 1, its time [s]
    and how far the lean has turned by then [rad]."""
    settings, body = SETTINGS["mujoco converged"], cylinder(RADIUS, HEIGHT, n, mass=1.0)
    engine = settings.stand(body, 1.0)
    first = np.arctan2(body.base[0, 1], body.base[0, 0])
    turn = Rotation.from_rotvec([0.0, TILT, 0.0]) * Rotation.from_euler("z", -first)
    corners = turn.apply(body.vertices.copy())
    arm = -corners[corners[:, 2].argmin()]
    spin = precession * (np.array([0.0, 0.0, 1.0]) - cos(TILT) * np.array([sin(TILT), 0.0, cos(TILT)]))
    engine.place(turn.as_quat(scalar_first=True), [0.0, 0.0, arm[2]])
    engine.state[8:] = *np.cross(spin, arm), *turn.inv().apply(spin)
    states = engine.advance(np.zeros((round(1.3 * duration / settings.step), 3)))
    x, y, z = turned(states, np.array([[0.0, 0.0, 1.0]]))[:, 0].T
    early = round(0.6 * duration / settings.step)
    k = early + int(z[early:].argmin())
    return [float(np.arccos(z[k])), (k + 1) * settings.step, float(np.arctan2(y[k], x[k]) % (2.0 * pi))]


def shaken_cylinders(engine: str, strengths: int, pairs: int) -> pd.DataFrame:
    """Runs of `CYLINDERS` on the first record pairs with one of `RIMS`, or in an engine, by member."""
    of, impact = ("mcrock", RIMS[engine]) if engine in RIMS else (engine, Impact())
    each = len(CYLINDERS) * RECORDS * len(FRICTIONS)
    rows = [
        what | one_run(of, CYLINDERS[what["body"]].body, motion, what["friction"], impact)
        for what, motion in islice(members(CYLINDERS, 1, CYLINDERS, FRICTIONS), each * strengths)
        if what["record"] in CYLINDERS[what["body"]].records[:pairs]
    ]
    return pd.DataFrame(rows).set_index(MEMBER).astype({"overturned": float})


def rims(strengths: int = 3, pairs: int = RECORDS) -> str:
    """Cylinders of mcrock and MuJoCo, the middle strength first: what slides, and by body what rolls."""
    mujoco, rows = shaken_cylinders("mujoco converged", strengths, pairs), []
    for name in RIMS:
        runs = shaken_cylinders(name, strengths, pairs)
        slides = runs.index.get_level_values("friction") == FRICTIONS[0]
        for part, of in [("slide", runs[slides]), *runs[~slides].groupby("body")]:
            cells = compared(of, mujoco.loc[of.index])[: -len(RESPONSES)]
            rows.append([name, part, *cells])
    heads = ["rim", "body", "runs", "mcrock", "mujoco", "difference", "only 1", "only 2", "p"]
    return format_table(heads, rows)


def overturned(n: int, lambda_: float) -> str:
    """Overturned runs of all runs at four azimuths of the storage cask with ``n`` sides."""
    angles = 2.0 * pi * (np.arange(n) + 0.5) / n
    corners = 1.68 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    cask = prism(corners.tolist(), 6.0, mass=156.7e3, com=(0.0, 0.0, 0.1))
    fell = [
        one_run("mcrock", cask, motion, 1.0, Impact(lambda_=lambda_))["overturned"]
        for what, motion in members(["cask"], AZIMUTHS)
        if what["friction"] == 1.0 and what["level"] == 2.5
    ]
    return f"{sum(fell)} of {len(fell)}"


def main() -> None:
    """Errors for each precession, number of sides and lambda, or what else is asked for."""
    if sys.argv[1:] == ["overturned"]:
        rows = [[f"{n}", f"{x:g}", overturned(n, x)] for x in (1.0, 0.5, 0.0) for n in SIDES]
        print(format_table(["sides", "lambda", "overturned"], rows))
        return
    if sys.argv[1:2] == ["rims"]:
        print(rims(*map(int, sys.argv[2:])))
        return
    rows = []
    for precession in PRECESSIONS:
        tilt, time, turn = next_lean(TILT, precession)
        rows.append([f"{precession:g}", "round", "", f"{tilt:.4f}", f"{time:.4f}", f"{turn:.4f}"])
        for n in (*SIDES[:2], None) if sys.argv[1:] == ["mujoco"] else []:
            errors = 100.0 * (np.array(in_mujoco(n, precession, time)) / (tilt, time, turn) - 1.0)
            rows.append([f"{precession:g}", f"{n or 'rim'}", "MuJoCo", *(f"{e:+.2f} %" for e in errors)])
        for lambda_ in (1.0, 0.5, 0.0):
            for n in SIDES if lambda_ else (*SIDES, None):
                _, _, run = rolled(n, lambda_, TILT, precession, 1.3 * time)
                history = run.history
                late = history["time"].values > 0.6 * time
                k = int(np.flatnonzero(late)[0] + history["tilt"].values[late].argmax())
                q = history["orientation"].values[k]
                turned = np.arctan2(q[2] * q[3] - q[0] * q[1], q[1] * q[3] + q[0] * q[2]) % (2.0 * pi)
                found = history["tilt"].values[k], history["time"].values[k], turned
                errors = 100.0 * (np.array(found) / (tilt, time, turn) - 1.0)
                rows.append(
                    [f"{precession:g}", f"{n or 'rim'}", f"{lambda_:g}", *(f"{e:+.2f} %" for e in errors)]
                )
    heads = ["precession [rad/s]", "sides", "lambda", "tilt [rad]", "time [s]", "turn [rad]"]
    print(f"turn of a can that almost falls flat: {turn_of_a_can():.4f} rad")
    print(format_table(heads, rows))


if __name__ == "__main__":
    main()
