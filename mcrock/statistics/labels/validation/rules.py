"""Rules of thumb that a simulation has to beat: thresholds and probit curves of one measure of the motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcrock.statistics.cross_validation import Rule, by_probit, by_threshold, constant

Array = NDArray[np.float64]

RULES: dict[str, Rule] = {"threshold": by_threshold, "probit": by_probit}


def leave_one_out(rule: str, measure: ArrayLike, fallen: ArrayLike, recording: ArrayLike) -> Array:
    """Probabilities of overturning by a rule of thumb, fitted for each test to all other recordings.

    Parameters
    ----------
    rule : str
        "threshold", the threshold with the fewest errors, with the overturned fraction on either side of it;
        "probit", a lognormal curve by maximum likelihood; or "constant", the overturned fraction of all.
    measure : array_like (n_test,)
        Intensity measure of the motion, above 0, in any unit.
    fallen : array_like (n_test,)
        1 for tests that overturned, 0 for those that did not.
    recording : array_like (n_test,)
        Name of the recording of each test; tests of one recording are left out together.

    Returns
    -------
    ndarray (n_test,)
        Probabilities [1].

    Raises
    ------
    ValueError
        If there is only one recording, or a measure is not above 0.
    """
    x, y, of = np.asarray(measure, float), np.asarray(fallen, float), np.asarray(recording)
    names, group = np.unique(of, return_inverse=True)
    if len(names) < 2:
        raise ValueError("a rule that leaves a recording out needs at least 2 recordings, got 1")
    value, place = _places(x)
    runs, yes = np.zeros((2, len(names), len(value)))
    np.add.at(runs, (group, place), 1.0)
    np.add.at(yes, (group, place), y)
    found = _rule(rule)(value, yes.sum(axis=0) - yes, runs.sum(axis=0) - runs)
    return found[group, place]


def fitted_elsewhere(rule: str, measure: ArrayLike, other: ArrayLike, fallen: ArrayLike) -> Array:
    """Probabilities of overturning by a rule of thumb that is fitted to other tests.

    Parameters
    ----------
    rule : str
        As for `leave_one_out`.
    measure : array_like (n_test,)
        Intensity measure of the tests, above 0.
    other : array_like (m,)
        The same measure of the tests to which the rule is fitted, above 0.
    fallen : array_like (m,)
        1 for those of them that overturned, 0 for the rest.

    Returns
    -------
    ndarray (n_test,)
        Probabilities [1].

    Raises
    ------
    ValueError
        If a measure is not above 0.
    """
    x, z, y = (np.asarray(item, float) for item in (measure, other, fallen))
    value, place = _places(np.concatenate([x, z]))
    runs, yes = np.zeros((2, 1, len(value)))
    np.add.at(runs[0], place[len(x) :], 1.0)
    np.add.at(yes[0], place[len(x) :], y)
    return _rule(rule)(value, yes, runs)[0, place[: len(x)]]


def _rule(name: str) -> Rule:
    return constant if name == "constant" else RULES[name]


def _places(x: Array) -> tuple[Array, NDArray[np.intp]]:
    if not (x > 0.0).all():
        raise ValueError("a measure of the motion must be above 0 for a rule")
    value, place = np.unique(x, return_inverse=True)
    return value, place
