"""Fragility over two intensity measures at once, and whether the second one tells anything more.

Baker, J. W. and Cornell, C. A. (2005). A vector-valued ground motion intensity measure consisting of spectral
acceleration and epsilon. Earthquake Engineering and Structural Dynamics 34(10), 1193-1217.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Unpack

import numpy as np
import xarray as xr
from scipy.special import stdtrit

from mcrock.dataset.opened import takes_path
from mcrock.statistics.cross_validation import add_log_losses, cross_validated
from mcrock.statistics.efficiency import by_measure
from mcrock.statistics.inference import Confidence, ConfidenceKeywords, takes
from mcrock.statistics.limits import EVENT
from mcrock.statistics.probability import BOUNDS
from mcrock.statistics.probit import Link, climbed, link_of
from mcrock.statistics.resample import place_in_cells
from mcrock.statistics.result_table import table
from mcrock.statistics.runs import (
    ALL_OVERTURN,
    ALL_STAND,
    ESTIMATE,
    Classes,
    check_runs,
    count_runs,
    is_cloud,
    overturn_levels,
    record_index,
    record_lots,
)
from mcrock.statistics.studentized import jackknife

CELLS = 64  # along the logarithm of each measure
GRID = 40  # values of each measure at which the surface is given
CLOSE = 1e-12  # gain of ln(likelihood) for each run below which a sample is at its maximum
MODELS = ("first", "second", "both")


class Cells(NamedTuple):
    """Counts of each record in cells of the plane of two measures."""

    x: np.ndarray  # (3, n_cell) 1 and the centred logarithms of both measures
    runs: np.ndarray  # (n_record, n_cell)
    overturned: np.ndarray  # (3, n_record, n_cell), by the readings of `Passed`


@takes_path
@takes(Confidence)
def fit_surface(
    ds: xr.Dataset, measures: Sequence[str], *, link: str = "probit", **keywords: Unpack[ConfidenceKeywords]
) -> xr.Dataset:
    """Fit the probability of overturning as a function of two intensity measures.

    The surface is ``F(c0 + c1 ln(x1) + c2 ln(x2))``, fitted by maximum likelihood; its contours are straight
    lines in logarithmic axes. Intervals are Student's, with the jackknife over recordings, and take undecided
    runs both ways. The surface is compared with the curves of either measure alone by their log loss on
    records left out (leave-one-out).

    Parameters
    ----------
    ds : Dataset
        Cloud study with both measures, or the result of `with_measures`.
    measures : sequence of two str
        Of `measures_of(ds)`.
    link : str
        "probit" or "logit".
    **keywords
        Of `mcrock.statistics.Confidence`: `level` and `allow_missing`. Intervals always count recordings.

    Returns
    -------
    Dataset
        `intercept` and `coefficient` (measure) with `coefficient_interval` (bound, measure) [1], of the
        logarithms of both measures in SI units, NaN where the likelihood has no maximum; `probability`
        (first, second) and `interval` (bound, first, second) [1] over the ranges of both measures, and
        `inside` (first, second), whether there are runs nearby; `log_loss` (model) with `log_loss_interval`
        (bound, model) [1] of "first", "second" and "both" on records left out, and `log_loss_difference` from
        "both" with its interval, by paired differences of the records; `runs`, `records`.

    Raises
    ------
    ValueError
        If the dataset does not fit or is not a cloud study, ``measures`` are not two different ones of it,
        ``link`` is unknown, or there are fewer than two records.
    """
    how, shape = Confidence(**keywords), link_of(link)
    check_runs(ds)
    if not is_cloud(ds):
        raise ValueError("a surface needs a cloud with both measures: take with_measures(ds, [...])")
    if len(measures) != 2 or measures[0] == measures[1]:
        raise ValueError(f"a surface is over two different measures, got {list(measures)}")
    values = [by_measure(ds, name)["intensity_value"] for name in measures]
    cells, centre = in_cells(ds, values, how.allow_missing)
    records = len(cells.runs)
    if records < 2:
        raise ValueError("a surface needs at least 2 recordings, or independent realizations")
    axes = [np.geomspace(value.values[value.values > 0].min(), value.values.max(), GRID) for value in values]
    points = np.stack([np.ones((GRID, GRID)), *np.meshgrid(*(np.log(axis) for axis in axes), indexing="ij")])
    points[1:] -= centre[:, None, None]
    quantile = stdtrit(records - 1, (1 + how.level) / 2)
    found, ends = [], []
    for reading in (ESTIMATE, ALL_STAND, ALL_OVERTURN):
        yes = cells.overturned[reading]
        samples = np.concatenate([yes.sum(axis=0)[None], yes.sum(axis=0) - yes])
        runs = np.concatenate([cells.runs.sum(axis=0)[None], cells.runs.sum(axis=0) - cells.runs])
        fits = fitted(cells.x, samples, runs, shape)
        eta = np.tensordot(fits, points, axes=1).reshape(len(fits), -1)
        every = np.concatenate([fits[:, 1:], eta], axis=1)
        error = quantile * jackknife(every[1:])
        found.append(fits[0])
        ends.append(np.stack([every[0] - error, every[0] + error]))
    low, high = np.min(ends, axis=0)[0], np.max(ends, axis=0)[1]
    surface = np.tensordot(found[0], points, axes=1)
    band = shape.cdf(np.stack([low[2:], high[2:]])).reshape(2, GRID, GRID)
    names = [str(value.attrs.get("long_name", name)) for name, value in zip(measures, values, strict=True)]
    result = table(
        {
            "intercept": ((), found[0][0] - found[0][1:] @ centre),
            "coefficient": ("measure", found[0][1:]),
            "coefficient_interval": (("bound", "measure"), np.stack([low[:2], high[:2]])),
            "probability": (("first", "second"), shape.cdf(surface), {"long_name": "probability"}),
            "interval": (("bound", "first", "second"), band),
            "inside": (("first", "second"), _near(cells, points)),
            "runs": ((), int(cells.runs.sum())),
            "records": ((), record_index(ds)[1]),
        },
        coords={"measure": list(measures), "bound": BOUNDS, "model": list(MODELS)}
        | {
            name: (name, axis, {"units": value.attrs.get("units", "1"), "long_name": words})
            for name, axis, value, words in zip(("first", "second"), axes, values, names, strict=True)
        },
        attrs={"level": how.level, "link": link, "independent": "records"}
        | ({EVENT: ds.attrs[EVENT]} if EVENT in ds.attrs else {}),
    )
    losses = np.stack([surface_log_loss(cells, columns, shape) for columns in ([0, 1], [0, 2], [0, 1, 2])])
    add_log_losses(result, "model", losses, cells.runs.sum(axis=1), how.level, MODELS.index("both"))
    return result


def surface_log_loss(cells: Cells, columns: list[int], link: Link) -> np.ndarray:
    """Log loss (n_record,) of a fit by some columns on records left out."""
    x = cells.x[columns]

    def predict(yes: np.ndarray, runs: np.ndarray) -> np.ndarray:
        return link.cdf(fitted(x, yes, runs, link) @ x)

    return cross_validated(cells.runs, cells.overturned[ESTIMATE], predict).log_loss


def in_cells(ds: xr.Dataset, values: list[xr.DataArray], allow_missing: bool) -> tuple[Cells, np.ndarray]:
    """Counts in cells, and the means of the logarithms that were taken off them."""
    positive = (values[0].values > 0) & (values[1].values > 0)
    if not positive.any():
        raise ValueError("a surface needs intensities > 0")
    part, n = ds.isel(realization=positive), int(positive.sum())
    z = np.log(np.stack([value.values[positive] for value in values]))
    places = [
        np.asarray(place_in_cells(value.values[positive].__getitem__, n, CELLS).of_run, np.int64)
        for value in values
    ]
    index = np.unique(places[0] * (CELLS + 1) + places[1], return_inverse=True)[1]
    number = np.bincount(index)
    mean = np.stack([np.bincount(index, weights=row) / number for row in z])
    group = np.unique(record_lots(part), return_inverse=True)[1]
    classes = Classes(mean[0], mean[0], mean[0], index)
    tally = count_runs(part, overturn_levels, 1, classes, group, allow_missing=allow_missing)
    centre = z.mean(axis=1)
    x = np.concatenate([np.ones((1, len(number))), mean - centre[:, None]])
    return Cells(x, tally.runs.astype(float), tally.beyond.readings[..., 0]), centre


def fitted(x: np.ndarray, yes: np.ndarray, runs: np.ndarray, link: Link) -> np.ndarray:
    """Coefficients (n, n_column) of n samples (n, n_cell); NaN where there is no maximum."""
    n, columns = len(yes), len(x)
    scale = np.where(x.std(axis=1) > 0, x.std(axis=1), 1.0)
    u = x / scale[:, None]
    total = runs.sum(axis=1)
    share = np.clip((yes.sum(axis=1) + 0.5) / (total + 1), 1e-9, 1 - 1e-9)
    c = np.zeros((n, columns))
    c[:, 0] = link.quantile(share)

    def height(c: np.ndarray) -> np.ndarray:
        eta = c @ u
        return (yes * link.log_cdf(eta) + (runs - yes) * link.log_cdf(-eta)).sum(axis=1)

    def step(c: np.ndarray) -> np.ndarray:
        eta = c @ u
        up, down = link.hazards(eta)
        bend_up, bend_down = link.bends(eta, up, down)
        slope = (yes * up - (runs - yes) * down) @ u.T
        weight = yes * bend_up + (runs - yes) * bend_down
        bend = np.einsum("nc,ic,jc->nij", weight, u, u)
        return np.stack([_solve(b, s) for b, s in zip(bend, slope, strict=True)])

    c, gain = climbed(c, height, step, CLOSE * total)
    fell = yes.sum(axis=1)
    good = (np.abs(gain) < 1e-7 * total) & (fell > 0) & (fell < total) & (np.abs(c).max(axis=1) < 1e4)
    return np.where(good[:, None], c / scale, np.nan)


def _solve(bend: np.ndarray, slope: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.solve(bend, slope)
    except np.linalg.LinAlgError:
        return np.zeros_like(slope)


def _near(cells: Cells, points: np.ndarray) -> np.ndarray:
    """Points (GRID, GRID) that have a run within two steps of the grid."""
    steps = [points[1, 1, 0] - points[1, 0, 0], points[2, 0, 1] - points[2, 0, 0]]
    place = [
        np.clip(np.rint((row - points[k + 1, 0, 0]) / max(step, 1e-12)), 0, GRID - 1).astype(int)
        for k, (row, step) in enumerate(zip(cells.x[1:], steps, strict=True))
    ]
    there = np.zeros((GRID, GRID), bool)
    for i in range(-2, 3):
        for j in range(-2, 3):
            there[np.clip(place[0] + i, 0, GRID - 1), np.clip(place[1] + j, 0, GRID - 1)] = True
    return there
