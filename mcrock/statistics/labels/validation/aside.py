"""Recordings that nothing is tuned on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

SHARE = 0.25  # of the recordings, rounded to whole ones


def is_set_aside(recording: ArrayLike) -> NDArray[np.bool_]:
    """Tests of the quarter of the recordings that no setting may be tuned on.

    The rule was fixed before any score was looked at: recordings are sorted by the SHA-256 hash of their name
    (hexadecimal, of its UTF-8 bytes), and the first quarter of them, rounded, is set aside.

    Parameters
    ----------
    recording : array_like (n_test,)
        Name of the recording of each test.

    Returns
    -------
    ndarray of bool (n_test,)
        True where the recording is set aside.

    Examples
    --------
    >>> is_set_aside(["RSN17", "RSN19", "RSN40", "RSN143", "RSN17"]).tolist()
    [True, False, False, False, True]
    """
    names = np.asarray(recording, str)
    return np.isin(names, sorted(aside(names.tolist())))


def aside(names: Iterable[str]) -> set[str]:
    """Names of the recordings that are set aside."""
    ordered = sorted(set(names), key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    return set(ordered[: round(SHARE * len(ordered))])
