"""Scrambled Sobol points by their index, the same numbers as `scipy.stats.qmc.Sobol` gives.

SciPy walks to a point through all before it, and importing `scipy.stats` takes a third of a second, more than
a small study is drawn in. Here a slice of the sequence costs the same wherever it begins.

Joe, S., Kuo, F. Y. (2008). Constructing Sobol sequences with better two-dimensional projections. SIAM Journal
on Scientific Computing 30(5), 2635-2654. Directions, from SciPy's copy of their table.

Matousek, J. (1998). On the L2-discrepancy for anchored boxes. Journal of Complexity 14, 527-556. The
scrambling: a random lower triangular matrix and a random shift.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import scipy
from numpy.typing import NDArray

BITS = 30  # of a coordinate, SciPy's default; the sequence has 2**BITS points
TABLE = Path(scipy.__file__).with_name("stats") / "_sobol_direction_numbers.npz"

Codes = NDArray[np.uint32]


def sobol_points(
    generator: np.random.Generator, dimensions: int, start: int, stop: int
) -> NDArray[np.float64]:
    """Scrambled points ``start`` to ``stop - 1``, (stop - start, dimensions), in the middle of their bins.

    Parameters
    ----------
    generator : Generator
        The scrambling is drawn from it.
    dimensions : int
    start, stop : int
        At most 2**30.

    Raises
    ------
    ValueError
        If the sequence does not have so many points or dimensions.
    """
    if not TABLE.exists():  # it is not part of SciPy's interface
        return walked(generator, dimensions, start, stop)
    if stop > 2**BITS:
        raise ValueError(f"a Sobol design has at most 2**{BITS} = {2**BITS} points, got {stop}")
    generator = generator.spawn(1)[0]  # as SciPy does
    shift = generator.integers(2, size=(dimensions, BITS), dtype=np.uint32) @ _powers()[::-1]
    mixing = np.tril(generator.integers(2, size=(dimensions, BITS, BITS), dtype=np.uint32), -1)
    plain = _directions(dimensions)
    digits = (plain[:, :, None] >> np.arange(BITS - 1, -1, -1, dtype=np.uint32)) & 1
    mixed = (digits @ mixing.transpose(0, 2, 1) + digits) & 1
    directions = np.ascontiguousarray((mixed @ _powers()).T)  # (BITS, dimensions)
    # neighbours in Gray's order differ by one direction: that of the lowest set bit of the later index
    order = start ^ (start >> 1)
    first = shift
    for bit in range(order.bit_length()):
        if order >> bit & 1:
            first = first ^ directions[bit]
    index = np.arange(start + 1, max(stop, start + 1))
    lowest = np.log2(index & -index).astype(int)  # exact for powers of 2
    codes = np.bitwise_xor.accumulate(np.vstack([first, directions[lowest]]), axis=0)[: stop - start]
    return codes * 0.5**BITS + 0.5 ** (BITS + 1)


def _powers() -> Codes:
    """2**(BITS - 1) to 1."""
    return np.uint32(1) << np.arange(BITS - 1, -1, -1, dtype=np.uint32)


@cache
def _directions(dimensions: int) -> Codes:
    """Direction numbers (dimensions, BITS) of the plain sequence, read-only."""
    with np.load(TABLE) as table:
        polynomials, initial = table["poly"][:dimensions], table["vinit"][:dimensions].astype(np.uint32)
    if len(polynomials) < dimensions:
        raise ValueError(f"a Sobol design has at most {len(polynomials)} dimensions, got {dimensions}")
    numbers = np.ones((dimensions, BITS), np.uint32)  # of the first dimension: all 1
    degrees = np.frexp(polynomials.astype(float))[1] - 1
    for degree in range(1, degrees.max() + 1):
        rows = np.flatnonzero(degrees == degree)
        columns = list(initial[rows, :degree].T)
        for j in range(degree, BITS):
            new = columns[j - degree].copy()
            for k in range(degree):
                has = (polynomials[rows] >> (degree - 1 - k)) & 1
                new ^= (has.astype(np.uint32) * columns[j - k - 1]) << np.uint32(k + 1)
            columns.append(new)
        numbers[rows] = np.stack(columns, axis=1)
    numbers *= _powers()
    numbers.setflags(write=False)
    return numbers


def walked(generator: np.random.Generator, dimensions: int, start: int, stop: int) -> NDArray[np.float64]:
    """The points of `sobol_points`, by SciPy."""
    from scipy.stats import qmc  # a third of a second

    engine = qmc.Sobol(dimensions, scramble=True, bits=BITS, rng=generator)
    parts = [np.empty((0, dimensions))]
    if start == 0:
        parts.append(engine.random(1))  # SciPy warns of any first draw that is no power of 2
        start = 1
    else:
        engine.fast_forward(start)
    if stop > start:
        parts.append(engine.random(stop - start))
    return np.concatenate(parts) + 0.5 ** (BITS + 1)
