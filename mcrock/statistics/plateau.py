"""Fragility with an upper asymptote: a share that ever overturns, times a lognormal curve.

Some bodies never overturn however strong the motion: they slide, or are held. The curve is the mixture (cure)
model of survival analysis with current status data, fitted by expectation and maximization.

Farewell, V. T. (1982). The use of mixture models for the analysis of survival data with long-term survivors.
Biometrics 38(4), 1041-1046.
"""

from __future__ import annotations

import numpy as np

from mcrock.statistics.probit import Curves, Fit, evaluate_curves, fit_curves

STEPS = 400  # of expectation and maximization, at most
CLOSE = 1e-7  # change of the share at which they end [1]


def fit_plateau(x: np.ndarray, yes: np.ndarray, runs: np.ndarray) -> tuple[np.ndarray, Curves]:
    """Share that ever overturns (n,) [1], and the lognormal curves of these, for sets of counts.

    Parameters
    ----------
    x : ndarray (n_intensity,)
        Rising, > 0.
    yes, runs : ndarray (n, n_intensity)
        Overturned runs and all runs [1].

    Returns
    -------
    tuple of ndarray (n,) and Curves
        A share of 1 is the lognormal curve itself; where there is no such curve there is no plateau either.
    """
    yes, runs = np.asarray(yes, float), np.asarray(runs, float)
    stood, total = runs - yes, runs.sum(axis=1)
    plain = curves = fit_curves(x, yes, runs)
    fraction = np.divide(yes, runs, out=np.zeros_like(yes), where=runs > 0)
    share = np.clip(fraction.max(axis=1, keepdims=True) + 0.02, 0.05, 0.98)
    for _ in range(STEPS):
        shape = evaluate_curves(curves, x)[0]
        of_those = share * (1 - shape) / np.maximum(1 - share * shape, 1e-300)  # that stood and yet overturn
        curves = fit_curves(x, yes, yes + stood * of_those)
        new = ((yes + stood * of_those).sum(axis=1) / total)[:, None]
        moved, share = np.abs(new - share).max(), new
        if moved < CLOSE:
            break
    held = (curves.kind == Fit.MAXIMUM) & (plain.kind == Fit.MAXIMUM)
    chosen = {
        name: np.where(held, getattr(curves, name), getattr(plain, name))
        for name in Curves._fields
        if name != "link"
    }
    return np.where(held, share[:, 0], 1.0), plain._replace(**chosen)


def by_plateau(x: np.ndarray, yes: np.ndarray, runs: np.ndarray) -> np.ndarray:
    """Probabilities of `fit_plateau`, a `mcrock.statistics.held_out.Rule`."""
    share, curves = fit_plateau(x, yes, runs)
    return share[:, None] * np.mean(evaluate_curves(curves, x), axis=0)
