"""Where to start a fit: the search that neither phase nor local minima lead astray."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import qmc

from mcrock.body import Body
from mcrock.measurement.comparison import AXES, SENSOR, Comparison
from mcrock.measurement.free_rocking import COARSE, CONTROLS, OTHERS, SIZES, SLIPPING

Array = NDArray[np.float64]

# where fits of the source lie and as much again
BOUNDS = {"lambda": (0.0, 4.0), "lambda_lon": (0.0, 2.0), "lambda_lat": (-5.0, 5.0)}
LEAST_SIZE = 0.4  # of what was given [1]
MOST_RATE = 0.5  # of the largest rate of the recording: at the release, and what tau changes the spin by [1]
MOST_SLIP = 0.05  # of the largest dimension of the body [1]
POINTS = 128  # of a design in the impact parameters
KEPT = 6  # candidates that go on
FIRST, GROWTH = 4.0, 1.35  # samples after the first landing that are fitted first, and their growth
NARROW = 0.1  # of the time of the first swing: how far from its fit the release may be [1]
APART = 0.005  # distance of two candidates over the width of the bounds [1]
# slips to begin with, over the most: through the right one alone do the first readings tell lambdas
SLIPS = np.outer((1.0, -1.0), 0.5 ** np.arange(4, 10)).ravel()
TRIES = 6  # steps of a local fit on the way
ROBUST = 3.0  # scale of the loss over that of the noise, on the way [1]


def search_bounds(body: Body, fastest: float) -> dict[str, tuple[float, float]]:
    """Of all that can be free in the fit of a recording with a largest rate [rad/s]."""
    spin = float((body.vertices**2).sum(1).max()) * body.mass + float(body.inertia[2, 2])
    most = {"rate": MOST_RATE * fastest, "tau": MOST_RATE * fastest * spin}
    most["slip"] = MOST_SLIP * float(np.ptp(body.vertices, axis=0).max())
    sizes = dict.fromkeys(SIZES, (LEAST_SIZE, 1.0 / LEAST_SIZE))
    return BOUNDS | sizes | {key: (-value, value) for key, value in most.items()}


def noise_of(residuals: Array, least: float) -> float:
    """Standard deviation by the median absolute value, at least ``least``, of the axes that were read: those
    that a file of angles lacks are 0 throughout."""
    sizes = 1.4826 * np.abs(residuals.reshape(-1, AXES))
    read = np.median(sizes, axis=0) > least
    return float(np.median(sizes[:, read])) if read.any() else least


def first_swing(comparison: Comparison) -> tuple[Array, float]:
    """Unknowns with time and tilt of the release fitted to what comes before the first landing, and the noise
    there [rad/s]."""
    n = int(np.searchsorted(comparison.time, comparison.landings.landing[0] - comparison.sample))
    x, scale = comparison.start, 1e-2 * float(np.abs(comparison.measured).max())
    # a slip, which comes later, would stop the fit early: its scale is small
    fixed = [*comparison.turns, *(2 + i for i, key in enumerate(comparison.free) if key == "slip")]
    for _ in range(2):
        x = comparison.fitted(x, scale, n, fixed=fixed).x
        scale = ROBUST * noise_of(comparison.residuals(x, n), comparison.least)
    return x, scale / ROBUST


def ends(comparison: Comparison) -> list[int]:
    """Numbers of samples to which the fit is extended step by step."""
    marks = comparison.landings
    first = int(np.searchsorted(comparison.time, marks.landing[0]))
    turning = marks.turning[marks.turning < comparison.time[-1]]
    n = comparison.time.size
    second = int(np.searchsorted(comparison.time, marks.landing[1])) if marks.landing.size > 1 else n
    found, more = [], FIRST + ("slip" in comparison.free) * SLIPPING / comparison.sample
    while first + more < min(second, n):
        found.append(int(first + more))
        more *= GROWTH
    later = [*marks.landing[1:], *turning[1:]]
    found += sorted(int(np.searchsorted(comparison.time, t)) for t in later if t < comparison.time[-1])
    return [*found, n]


def search(comparison: Comparison, seed: int) -> tuple[list[Array], float]:
    """Candidates for the best fit, the best first, and the noise [rad/s].

    Time and tilt follow from the first swing, which no impact parameter touches. Then the fit is extended:
    from a few samples after the first landing by a third at a time to the next, and from there by half a
    swing. The first samples show the velocities right after the facet impact, thus both its lambdas, and
    every edge impact that comes in shows lambda, while what came before predicts its time to less than the
    time between two: there is no phase to get wrong. A fit of all samples at once has a minimum for every
    number of edge impacts by which model and test may differ.

    What a short part does not show is not decided by it: each time the best of the last candidates, and of a
    new design with the lambda_lon and slip of the first of them, go on. Both signs of lambda_lat are in it.

    Parameters
    ----------
    comparison : Comparison
    seed : int
        Of the scrambled Sobol design in the impact parameters.
    """
    comparison.control(COARSE)
    x, noise = first_swing(comparison)
    comparison.narrow(x, NARROW)
    scale = ROBUST * noise
    free = slice(2, x.size - SENSOR)
    low, high = comparison.lower[free], comparison.upper[free]
    design = _spread(qmc.Sobol(low.size, rng=np.random.default_rng(seed)).random(POINTS), low, high)
    for i, key in enumerate(comparison.free):
        if key in OTHERS and key != comparison.size_along:  # the first swing tells it
            design[:, i] = x[2 + i]
    known = [0, 1, *(2 + i for i, key in enumerate(comparison.free) if key in ("lambda_lon", "slip"))]
    each = 1  # rows of the design for a point of it
    if "slip" in comparison.free:
        i, each = comparison.free.index("slip"), 1 + SLIPS.size
        design = design.repeat(each, axis=0)
        design[:, i] = np.tile([0.0, *SLIPS * high[i]], POINTS)
    candidates: list[Array] = []
    for n in ends(comparison):
        points = design[:: each if candidates else 1]
        others = np.tile(x, (len(points), 1))
        others[:, free] = points
        if candidates:
            others[:, known] = candidates[0][known]
        pool = [*candidates, *others]
        chosen: list[Array] = []
        for i in np.argsort([comparison.cost(candidate, scale, n) for candidate in pool], kind="stable"):
            if len(chosen) < KEPT and all(far(comparison, pool[i], other) for other in chosen):
                chosen.append(pool[i])
        found = [
            comparison.fitted(candidate, scale, n, TRIES, fixed=comparison.turns, central=False)
            for candidate in chosen
        ]
        candidates = [result.x for result in sorted(found, key=lambda result: float(result.cost))]
    comparison.control(CONTROLS)
    return candidates, noise


def far(comparison: Comparison, x: Array, other: Array) -> bool:
    """Whether two candidates differ in an impact parameter."""
    width = comparison.upper - comparison.lower
    return bool((np.abs(x - other) > APART * width)[2:-SENSOR].any())


def _spread(u: Array, low: Array, high: Array) -> Array:
    """Points of the unit cube between bounds; denser around zero where that lies between them."""
    v = 2.0 * u - 1.0
    around = np.where(v < 0.0, -low, high) * np.sign(v) * v * v
    return np.where((low < 0.0) & (high > 0.0), around, low + u * (high - low))
