"""Random numbers as a pure function of (seed, stream, realization, counter).

Nothing is stored and nothing is consumed, so the order of work, its division into parts and the
number of workers cannot change a number. The generator is the finalizer of SplitMix64 (Steele,
Lea, Flood 2014, doi 10.1145/2660193.2660195, with the constants of Stafford's variant 13),
applied once for each word of the key.
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np

from mcrock.base.jit import jit

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLY_1 = np.uint64(0xBF58476D1CE4E5B9)
_MULTIPLY_2 = np.uint64(0x94D049BB133111EB)
_SHIFT_30, _SHIFT_27, _SHIFT_31, _SHIFT_12 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(12)
_TO_UNIT = 2.0**-52


@jit(internal=True)
def _mix(z):
    z = (z ^ (z >> _SHIFT_30)) * _MULTIPLY_1
    z = (z ^ (z >> _SHIFT_27)) * _MULTIPLY_2
    return z ^ (z >> _SHIFT_31)


@jit
def uniform(seed, stream, realization, n):
    """Uniform number in the open interval (0, 1) for one key of four non-negative integers [1]."""
    z = _mix(np.uint64(seed) + _GOLDEN)
    z = _mix(z + np.uint64(stream) * _GOLDEN + _GOLDEN)
    z = _mix(z + np.uint64(realization) * _GOLDEN + _GOLDEN)
    z = _mix(z + np.uint64(n) * _GOLDEN + _GOLDEN)
    # 52 bits and a half: neither 0 nor 1 can come out, so every quantile is finite
    return (np.float64(z >> _SHIFT_12) + 0.5) * _TO_UNIT


@jit
def _fill(seed, stream, start, n, out):
    for i in range(out.size):
        out[i] = uniform(seed, stream, start + np.uint64(i), n)


def uniforms(seed: int, stream: int, start: int, size: int, n: int = 0) -> np.ndarray:
    """Uniform numbers of ``size`` consecutive realizations.

    Parameters
    ----------
    seed, stream : int
        Of the study and of the purpose, 0 to 2**64 - 1.
    start, size : int
        First realization and number of realizations.
    n : int
        Counter within a realization.

    Returns
    -------
    ndarray (size,)
        In the open interval (0, 1).

    Examples
    --------
    >>> bool((uniforms(7, 1, 10, 5) == uniforms(7, 1, 0, 15)[10:]).all())
    True
    """
    out = np.empty(size)
    _fill(np.uint64(seed), np.uint64(stream), np.uint64(start), np.uint64(n), out)
    return out


@jit
def normal_score(u):
    """Standard normal quantile of ``u`` in (0, 1), to about 1e-15 relative.

    Wichura, M. J. (1988). Algorithm AS 241: The percentage points of the normal distribution.
    Applied Statistics 37(3), 477-484 (routine PPND16).
    """
    q = u - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        top = 2.5090809287301226727e3
        top = top * r + 3.3430575583588128105e4
        top = top * r + 6.7265770927008700853e4
        top = top * r + 4.5921953931549871457e4
        top = top * r + 1.3731693765509461125e4
        top = top * r + 1.9715909503065514427e3
        top = top * r + 1.3314166789178437745e2
        top = top * r + 3.3871328727963666080e0
        low = 5.2264952788528545610e3
        low = low * r + 2.8729085735721942674e4
        low = low * r + 3.9307895800092710610e4
        low = low * r + 2.1213794301586595867e4
        low = low * r + 5.3941960214247511077e3
        low = low * r + 6.8718700749205790830e2
        low = low * r + 4.2313330701600911252e1
        low = low * r + 1.0
        return q * top / low
    r = sqrt(-log(u if q < 0.0 else 1.0 - u))
    if r <= 5.0:
        r -= 1.6
        top = 7.74545014278341407640e-4
        top = top * r + 2.27238449892691845833e-2
        top = top * r + 2.41780725177450611770e-1
        top = top * r + 1.27045825245236838258e0
        top = top * r + 3.64784832476320460504e0
        top = top * r + 5.76949722146069140550e0
        top = top * r + 4.63033784615654529590e0
        top = top * r + 1.42343711074968357734e0
        low = 1.05075007164441684324e-9
        low = low * r + 5.47593808499534494600e-4
        low = low * r + 1.51986665636164571966e-2
        low = low * r + 1.48103976427480074590e-1
        low = low * r + 6.89767334985100004550e-1
        low = low * r + 1.67638483018380384940e0
        low = low * r + 2.05319162663775882187e0
        low = low * r + 1.0
    else:
        r -= 5.0
        top = 2.01033439929228813265e-7
        top = top * r + 2.71155556874348757815e-5
        top = top * r + 1.24266094738807843860e-3
        top = top * r + 2.65321895265761230930e-2
        top = top * r + 2.96560571828504891230e-1
        top = top * r + 1.78482653991729133580e0
        top = top * r + 5.46378491116411436990e0
        top = top * r + 6.65790464350110377720e0
        low = 2.04426310338993978564e-15
        low = low * r + 1.42151175831644588870e-7
        low = low * r + 1.84631831751005468180e-5
        low = low * r + 7.86869131145613259100e-4
        low = low * r + 1.48753612908506148525e-2
        low = low * r + 1.36929880922735805310e-1
        low = low * r + 5.99832206555887937690e-1
        low = low * r + 1.0
    return -top / low if q < 0.0 else top / low


SCORE_LIMIT = 8.25  # end of the quantile tables in standard deviations: P(beyond) < 2e-16


@jit
def quantile(table, u, steps):
    """Value of a tabulated distribution at probability ``u``.

    ``table`` (n,) holds quantiles at normal scores evenly spaced over +-SCORE_LIMIT, joined by
    cubics that stay between neighbouring nodes; with ``steps`` it holds, in its first n//2 places,
    the rising probabilities of not exceeding the values that stand in the next n//2.
    """
    n = table.size
    if steps:
        low, high = 0, n // 2 - 1
        while low < high:
            middle = (low + high) // 2
            if table[middle] < u:
                low = middle + 1
            else:
                high = middle
        return table[n // 2 + low]
    position = (normal_score(u) + SCORE_LIMIT) * ((n - 1) / (2.0 * SCORE_LIMIT))
    i = min(max(int(position), 0), n - 2)
    s = min(max(position - i, 0.0), 1.0)
    v1, v2 = table[i], table[i + 1]
    v0, v3 = table[max(i - 1, 0)], table[min(i + 2, n - 1)]
    value = v1 + 0.5 * s * (
        v2 - v0 + s * (2.0 * v0 - 5.0 * v1 + 4.0 * v2 - v3 + s * (3.0 * (v1 - v2) + v3 - v0))
    )
    return min(max(value, v1), v2)
