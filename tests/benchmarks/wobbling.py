"""A cask of many sides that wobbles on its rim against a round one: the table of the page on engines.

    python -m tests.benchmarks.wobbling

A homogeneous cylinder, 0.6 m across and 1.2 m high, leans by `TILT` and turns about the vertical, slowly
enough to fall almost flat and rise on the other side (a can that appears to rock), or fast enough to wobble.
What is compared is the next largest tilt, its time, and the angle through which the lean has turned by then.
"""

from math import pi

import numpy as np

from mcrock.show.tables import format_table
from tests.physics.test_round_bases import next_lean, rolled, turn_of_a_can

TILT = 0.3  # [rad]
PRECESSIONS = 0.1, 0.5, 1.5  # [rad/s]
SIDES = 12, 24, 48, 96


def main() -> None:
    """Errors for each precession, number of sides and lambda."""
    rows = []
    for precession in PRECESSIONS:
        tilt, time, turn = next_lean(TILT, precession)
        rows.append([f"{precession:g}", "round", "", f"{tilt:.4f}", f"{time:.4f}", f"{turn:.4f}"])
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
