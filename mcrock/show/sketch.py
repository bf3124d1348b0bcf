"""An object in a terminal: its outline from both sides, and the numbers that decide over its rocking."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.body import uplift_slenderness
from mcrock.body.faces import Array
from mcrock.study import Study

ROWS = 9  # of the outline
ASPECT = 2.0  # height over width of a letter [1]
WIDEST = 30  # letters


def object_numbers(study: Study) -> dict[str, float]:
    """Numbers of the object of a study, with every uncertain number at its median.

    Returns
    -------
    dict of str to float
        ``slenderness`` [rad], of the edge that lifts first; ``radius`` R from the centre of mass to it [m];
        ``frequency`` p [rad/s]; ``uplift``, the peak horizontal acceleration that starts rocking [g].
    """
    body = study.body.at_medians()
    slenderness = float(uplift_slenderness(body.vertices, body.faces, body.start_face)[0])
    found = {name: float(array[0]) for name, array in body.derived().items()}
    uplift = float(body.gravity[0]) * float(np.tan(slenderness)) / STANDARD_GRAVITY
    return found | {"slenderness": slenderness, "uplift": uplift}


def describe_object(study: Study) -> str:
    """The numbers of an object in a line."""
    found = object_numbers(study)
    return (
        f"slenderness {np.degrees(found['slenderness']):.1f} deg, R {found['radius']:.3g} m, "
        f"p {found['frequency']:.3g} rad/s; rocks from a PGA of {found['uplift']:.2g} g on"
    )


def sketch(study: Study) -> str:
    """The outline of the object of a study along x and along y, with its centre of mass and sizes.

    Raises
    ------
    ValueError
        As `Shape.at_medians`.
    """
    body = study.body.at_medians()
    corners = body.vertices[0]
    low, high = corners[:, 2].min(), corners[:, 2].max()
    reach = np.ptp(corners, axis=0)
    row = max((high - low) / ROWS, max(reach[:2]) / WIDEST * ASPECT)  # [m]
    views = [_outline(corners[:, [axis, 2]], row) for axis in (0, 1)]
    labels = [f"{extent:.3g} m along {axis}" for extent, axis in zip(reach, "xy", strict=False)]
    width = max(map(len, (*views[0], labels[0]))) + 4
    lines = [f"  {left:<{width}}{right}".rstrip() for left, right in zip(*views, strict=True)]
    lines.append(f"  {labels[0]:<{width}}{labels[1]}, {reach[2]:.3g} m high; o: its centre of mass")
    return "\n".join(lines)


def _outline(points: Array, row: float) -> list[str]:
    """Rows, `row` [m] high, of the hull of points (n, 2) about the centre of mass, from above."""
    low, high = points[:, 1].min(), points[:, 1].max()
    column = row / ASPECT
    left = points[:, 0].min()
    n = max(round((high - low) / row), 1)
    heights = high - (np.arange(n) + 0.5) * (high - low) / n
    lines = []
    for z in heights:
        ends = [
            a[0] + (b[0] - a[0]) * (z - a[1]) / (b[1] - a[1])
            for a, b in combinations(points, 2)
            if (a[1] - z) * (b[1] - z) < 0.0
        ]
        begin, end = (round((edge - left) / column) for edge in (min(ends), max(ends)))
        inside = [" "] * max(end - begin - 1, 0)
        if abs(z) <= (high - low) / n / 2 and inside:
            inside[min(max(round(-left / column) - begin - 1, 0), len(inside) - 1)] = "o"
        lines.append(" " * begin + "|" + "".join(inside) + "|")
    across = max(map(len, lines))
    top = lines[0].replace("|", " ").replace("o", " ")
    first = lines[0].index("|")
    return [" " * first + "_" * (len(top) - first), *lines, "=" * across]
