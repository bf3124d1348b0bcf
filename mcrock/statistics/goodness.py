"""Test of fit of a fragility curve: its distance from the fractions, against resamples of the recordings.

Stute, W., González Manteiga, W. and Presedo Quindimil, M. (1993). Bootstrap based goodness-of-fit tests.
Metrika 40(1), 243-256 (resamples of a fitted model, centred at the sample).
"""

from __future__ import annotations

import numpy as np
import xarray as xr

from mcrock.statistics.inference import Bootstrap
from mcrock.statistics.probit import PROBIT, FitKind, Link, evaluate_curves
from mcrock.statistics.resample import Units
from mcrock.statistics.runs import ESTIMATE
from mcrock.statistics.studentized import fit_sample

CLASSES = 12  # of neighbouring intensities, at most
REJECTED = 0.05  # p-value below which a curve is rejected [1]
FEWEST = 6  # units below which there is no test: with two and three a true curve was rejected in 40 and 15 %


def is_rejected(found: xr.Dataset) -> bool:
    """Whether runs contradict the lognormal curve of a result with `fit_p_value`; not where that is NaN."""
    return bool(found["fit_p_value"] < REJECTED)


def fit_p_value(units: Units, how: Bootstrap, link: Link = PROBIT) -> float:
    """Probability of fractions as far from the curve as these, if the curve is true [1].

    The distance is the sum over classes of the intensity of the squared difference between the runs that
    overturned and those that the curve expects, over the binomial variance. How large it is by chance, with
    runs that share recordings, is taken from resamples of these, each fitted anew and with the differences of
    the sample taken off. In 300 studies each of the truth at ten levels it rejected at 0.05 in 0.067, 0.033
    and 0.02 of them (10 recordings, 0, 0.6 and 0.95 of the variance between them), 0.067, 0.02 and 0.02 (22)
    and 0.043, 0.03 and 0.04 (60).

    Parameters
    ----------
    units : Units
        Of the study.
    how : Bootstrap
        Resamples and seed.
    link : Link
        Of the curve.

    Returns
    -------
    float
        NaN where there is no curve, or fewer than three classes or `FEWEST` units.
    """
    if units.number < FEWEST:
        return float("nan")
    fitted = fit_sample(units, units.overturned[ESTIMATE], how, link)
    runs, yes = units.total(units.runs), units.total(units.overturned[ESTIMATE])
    there = runs > 0
    x, runs, yes = units.intensity[there], runs[there], yes[there]
    place = np.minimum((runs.cumsum() - runs) * CLASSES // runs.sum(), CLASSES - 1)
    starts = np.flatnonzero(np.diff(place, prepend=-1)) if len(x) > CLASSES else np.arange(len(x))
    if fitted.whole.kind[0] != FitKind.MAXIMUM or len(starts) < 3:
        return float("nan")
    curve = evaluate_curves(fitted.whole, x)[0][0]
    variance = np.add.reduceat(runs * curve * (1 - curve), starts) + 0.5  # half a run where none is expected
    off = np.add.reduceat(yes - runs * curve, starts)
    distance, by_chance = (off**2 / variance).sum(), []
    for curves, _, (fell, stood) in fitted.drawn:
        expected = (fell + stood) * evaluate_curves(curves, x)[0]
        drawn = np.add.reduceat(fell - expected, starts, axis=1) - off
        by_chance.append((drawn**2 / variance).sum(axis=1)[curves.kind == FitKind.MAXIMUM])
    drawn = np.concatenate(by_chance)
    return float((1 + (drawn >= distance).sum()) / (1 + len(drawn)))
