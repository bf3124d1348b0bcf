"""A cask of many sides that wobbles on its rim against a round one: the table of the page on engines.

    python -m tests.benchmarks.wobbling [mujoco | overturned]

A homogeneous cylinder, 0.6 m across and 1.2 m high, leans by `TILT` and turns about the vertical, slowly
enough to fall almost flat and rise on the other side (a can that appears to rock), or fast enough to wobble.
What is compared is the next largest tilt, its time, and the angle through which the lean has turned by then;
with "mujoco" also in that engine, whose corners are the contacts. "overturned" counts the runs in which a
storage cask of many sides falls, of those of `tests.benchmarks.friction_peer` at friction 1 and 2.5 m/s.
"""

import sys
from math import cos, pi, sin

import numpy as np
from scipy.spatial.transform import Rotation

from mcrock.body import cylinder, prism
from mcrock.show.text import format_table
from tests.benchmarks.engines import SETTINGS, turned
from tests.benchmarks.friction_peer import AZIMUTHS, members, one_run
from tests.physics.test_round_bases import HEIGHT, RADIUS, next_lean, rolled, turn_of_a_can

TILT = 0.3  # [rad]
PRECESSIONS = 0.1, 0.5, 1.5  # [rad/s]
SIDES = 12, 24, 48, 96


def in_mujoco(n: int, precession: float, duration: float) -> float:
    """The next largest tilt [rad] of a cylinder of ``n`` sides in MuJoCo at friction 1."""
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
    lean = np.arccos(turned(states, np.array([[0.0, 0.0, 1.0]]))[:, 0, 2])
    return float(lean[round(0.6 * duration / settings.step) :].max())


def overturned(n: int, lambda_: float) -> str:
    """Overturned runs of all runs at four azimuths of the storage cask with ``n`` sides."""
    angles = 2.0 * pi * (np.arange(n) + 0.5) / n
    corners = 1.68 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    cask = prism(corners.tolist(), 6.0, mass=156.7e3, com=(0.0, 0.0, 0.1))
    fell = [
        one_run("mcrock", cask, motion, 1.0, lambda_)["overturned"]
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
    rows = []
    for precession in PRECESSIONS:
        tilt, time, turn = next_lean(TILT, precession)
        rows.append([f"{precession:g}", "round", "", f"{tilt:.4f}", f"{time:.4f}", f"{turn:.4f}"])
        for n in SIDES[:2] if sys.argv[1:] == ["mujoco"] else []:
            error = 100.0 * (in_mujoco(n, precession, time) / tilt - 1.0)
            rows.append([f"{precession:g}", f"{n}", "MuJoCo", f"{error:+.2f} %", "", ""])
        for lambda_ in (1.0, 0.5, 0.0):
            for n in SIDES:
                _, _, run = rolled(n, lambda_, TILT, precession, 1.3 * time)
                history = run.history
                late = history["time"].values > 0.6 * time
                k = int(np.flatnonzero(late)[0] + history["tilt"].values[late].argmax())
                q = history["orientation"].values[k]
                turned = np.arctan2(q[2] * q[3] - q[0] * q[1], q[1] * q[3] + q[0] * q[2]) % (2.0 * pi)
                found = history["tilt"].values[k], history["time"].values[k], turned
                errors = 100.0 * (np.array(found) / (tilt, time, turn) - 1.0)
                rows.append([f"{precession:g}", f"{n}", f"{lambda_:g}", *(f"{e:+.2f} %" for e in errors)])
    heads = ["precession [rad/s]", "sides", "lambda", "tilt [rad]", "time [s]", "turn [rad]"]
    print(f"turn of a can that almost falls flat: {turn_of_a_can():.4f} rad")
    print(format_table(heads, rows))


if __name__ == "__main__":
    main()
