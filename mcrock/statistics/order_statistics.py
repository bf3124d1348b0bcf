"""Order statistics of values that are read in parts, exact and in memory that does not grow with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import ArrayLike

KEPT = 1 << 22  # values sorted in memory [1]
DIGIT = 16  # bits of a value by which it is narrowed down in a pass over all
BITS, MASK = 64, np.uint64((1 << DIGIT) - 1)

Parts = Callable[[], Iterable[np.ndarray]]  # float64 arrays, the same ones at every call


def order_statistics(parts: Parts, number: int, places: ArrayLike) -> np.ndarray:
    """Values at some places of the sorted values.

    Up to `KEPT` values are sorted; of more, passes over all of them count the leading digits until few enough
    share those of the values that are wanted, which takes five passes at most.

    Parameters
    ----------
    parts : callable
        Gives the values, none of them NaN, in parts.
    number : int
        Of the values.
    places : array_like of int
        From 0 to ``number - 1``.

    Returns
    -------
    ndarray
        Of the shape of ``places``.

    >>> order_statistics(lambda: [np.array([3.0, 1.0]), np.array([2.0])], 3, [0, 2]).tolist()
    [1.0, 3.0]
    """
    place = np.asarray(places, np.int64).copy()
    if not place.size:
        return np.zeros(place.shape)
    prefix, held = np.zeros(place.shape, np.uint64), number
    for known in range(0, BITS + 1, DIGIT):
        heads, row = np.unique(prefix, return_inverse=True)
        row = row.reshape(place.shape)
        if known == BITS:  # all bits of each
            return _values(prefix)
        if held <= KEPT:
            keys = np.sort(np.concatenate([key for key, _ in _under(parts, heads, known)]))
            return _values(keys[np.searchsorted(_head(keys, known), heads)[row] + place])
        counts = np.zeros((len(heads), 1 << DIGIT), np.int64)
        for key, of in _under(parts, heads, known):
            digit = (key >> np.uint64(BITS - DIGIT - known)) & MASK
            cell = of * counts.shape[1] + digit.astype(np.int64)
            counts += np.bincount(cell, minlength=counts.size).reshape(counts.shape)
        upto = counts.cumsum(axis=1)
        flat = place.reshape(-1)  # a view
        for i, k in enumerate(row.reshape(-1)):
            digit = np.searchsorted(upto[k], flat[i], side="right")
            flat[i] -= upto[k, digit] - counts[k, digit]
            prefix.reshape(-1)[i] = (heads[k] << np.uint64(DIGIT)) | np.uint64(digit)
        chosen = np.unique(prefix)
        held = int(counts[np.searchsorted(heads, chosen >> np.uint64(DIGIT)), chosen & MASK].sum())
    raise ValueError("values must be the same at every call")


def median(parts: Parts, number: int) -> float:
    """Median of values, as `numpy.median` has it."""
    return float(order_statistics(parts, number, middles(0, number)).mean())


def middles(start: ArrayLike, number: ArrayLike) -> np.ndarray:
    """The two middle places (..., 2), or twice the same one, of ``number`` values from a place on."""
    n = np.asarray(number)
    return np.asarray(start)[..., None] + np.stack([(n - 1) // 2, n // 2], axis=-1)


def _under(parts: Parts, heads: np.ndarray, known: int) -> Iterable[tuple[np.ndarray, np.ndarray]]:
    """Keys of the values that start with one of some heads, and which one."""
    for part in parts():
        key = _keys(part)
        head = _head(key, known)
        row = np.minimum(np.searchsorted(heads, head), len(heads) - 1)
        mine = heads[row] == head
        yield key[mine], row[mine]


def _head(keys: np.ndarray, known: int) -> np.ndarray:
    """The leading bits."""
    return keys >> np.uint64(BITS - known) if known else np.zeros_like(keys)


SIGN = np.uint64(1 << (BITS - 1))


def _keys(values: np.ndarray) -> np.ndarray:
    """Unsigned integers in the order of the values: all bits of a negative one turned, of others the sign."""
    bits = (np.asarray(values, np.float64).ravel() + 0.0).view(np.uint64)  # -0.0 is 0.0
    return np.where(bits & SIGN, ~bits, bits | SIGN)


def _values(keys: np.ndarray) -> np.ndarray:
    """The values of `_keys`."""
    return np.where(keys & SIGN, keys & ~SIGN, ~keys).view(np.float64)
