"""What an uneven base does to a body that slides: the tables of the page on engines.

    python -m tests.benchmarks.uneven_base [ENGINE]

A flat body whose friction is below the tangent of its slenderness slides and never tips. Here corners of
its base are raised by random heights, uniform up to some share of the width of the base, and bodies of
`friction_peer` slide on their recordings at friction coefficients near that limit. ENGINE is mcrock (by
default, all bodies and prisms of several sides) or a key of `SETTINGS` (the cask).
"""

import sys
from collections.abc import Iterator
from math import atan, pi

import numpy as np
from scipy.spatial import ConvexHull

from mcrock.body import Body, hull, prism
from mcrock.show.text import format_table
from tests.benchmarks.friction_peer import cases, members, one_run

SHARES = 0.8, 0.85, 0.9, 0.95, 0.99  # friction over the tangent of the slenderness
UNEVEN = 0.0, 3e-5, 3e-4, 1e-3  # largest height of a corner over the width of the base
SIDES = 4, 6, 8, 12, 24
SEED = 5


def flat(body: Body) -> tuple[np.ndarray, np.ndarray, float]:
    """Vertices over the ground, which of them are the base, and the radius of the circle inside it."""
    vertices = np.array(body.vertices)
    vertices[:, 2] -= vertices[:, 2].min()
    base = vertices[:, 2] < 1e-9
    return vertices, base, float(-ConvexHull(vertices[base, :2]).equations[:, 2].max())


def uneven(body: Body, share: float) -> tuple[Body, float]:
    """The body on an uneven base, and the tangent of the slenderness of the flat one."""
    vertices, base, radius = flat(body)
    height = -body.vertices[:, 2].min()
    vertices[base, 2] += np.random.default_rng(SEED).uniform(0.0, 2.0 * share * radius, base.sum())
    return hull(vertices, mass=body.mass, com=(0.0, 0.0, height)), radius / height


def polygonal(n: int) -> Body:
    """The cask with a base of n sides about the same circle."""
    body = cases()["cask"].body
    reach = flat(body)[2] / np.cos(pi / n)
    angles = 2.0 * pi * (np.arange(n) + 0.5) / n
    base = [[reach * np.cos(angle), reach * np.sin(angle)] for angle in angles]
    return prism(base, 6.0, mass=body.mass, com=(0.0, 0.0, 0.1))


def row(engine: str, name: str, body: Body, share: float, friction: float) -> list[str]:
    """A line: runs that overturn, and the median of the peak tilt over the slenderness."""
    body, tangent = uneven(body, share)
    motions = [motion for what, motion in members([name], 1) if what["friction"] == 0.5]
    runs = [one_run(engine, body, motion, friction * tangent) for motion in motions]
    over = sum(bool(run["overturned"]) for run in runs)
    tilt = np.median([run["peak_tilt"] for run in runs]) / atan(tangent)
    return [f"{friction:g}", f"{share:g}", f"{over} of {len(runs)}", f"{tilt:.2g}"]


def rows(engine: str) -> Iterator[list[str]]:
    """All lines of an engine."""
    if engine != "mcrock":
        for friction in (0.764, 0.859, 0.955):
            for share in (0.0, 3e-4):
                yield [engine, "cask", *row(engine, "cask", cases()["cask"].body, share, friction)]
        return
    for name in ("block", "cabinet", "cask"):
        for friction in SHARES:
            for share in UNEVEN:
                yield [engine, name, *row(engine, name, cases()[name].body, share, friction)]
    for n in SIDES:
        yield [engine, f"cask of {n} sides", *row(engine, "cask", polygonal(n), 3e-4, 0.95)]


def main() -> None:
    """Print lines as they are done, then the table."""
    done = []
    for line in rows(sys.argv[1] if len(sys.argv) > 1 else "mcrock"):
        print(*line, flush=True)
        done.append(line)
    heads = ["engine", "body", "friction / tan alpha", "uneven / width", "overturned", "median tilt / alpha"]
    print(format_table(heads, done))


if __name__ == "__main__":
    main()
