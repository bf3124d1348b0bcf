"""All directions in which a contact can slip so that friction is against the slip.

With the impulse of a contact that slips in the direction (cos s, sin s) put in, the velocity across that
direction, times what divides the normal impulse, is

    f(s) = a0 + a1 cos s + b1 sin s + a2 cos 2s + b2 sin 2s

for one contact alone, and for one of two contacts if the other sticks or slips in a known direction. Its
zeros are those of a polynomial of degree four in exp(i s): there are at most four directions.
"""

from __future__ import annotations

from math import atan2, cos, hypot, nan, pi, sin, sqrt

from mcrock.base.jit import jit

SAMPLES = 5  # values of f, a fifth of a turn apart, that say what it is
ROUNDS = 100  # of Weierstrass's iteration
SETTLED = 1e-15  # change of a root in a round that is none [1]
ON_CIRCLE = 1e-3  # distance of a root from the circle up to which a zero is looked for there [1]
POLISHES = 8  # steps of Newton's method
ROUNDED = 1e-13  # value of f that is none, over its coefficients [1]
SAME = 1e-6  # zeros so close are one [rad]
VANISHES = 1e-14  # leading coefficient that is none, over the largest [1]


@jit
def harmonics(f0, f1, f2, f3, f4):
    """The five coefficients of f from its values at the angles 2 pi i / 5."""
    a0 = (f0 + f1 + f2 + f3 + f4) / 5.0
    c, s, c2, s2 = cos(0.4 * pi), sin(0.4 * pi), cos(0.8 * pi), sin(0.8 * pi)
    a1 = 0.4 * (f0 + c * (f1 + f4) + c2 * (f2 + f3))
    b1 = 0.4 * (s * (f1 - f4) + s2 * (f2 - f3))
    a2 = 0.4 * (f0 + c2 * (f1 + f4) + c * (f2 + f3))
    b2 = 0.4 * (s2 * (f1 - f4) - s * (f2 - f3))
    return a0, a1, b1, a2, b2


@jit
def zeros(f):
    """The zeros of f from its coefficients ``f`` (a0, a1, b1, a2, b2).

    Returns
    -------
    tuple of 4 float
        Angles in [-pi, pi) [rad], NaN beyond their number.
    """
    a0, a1, b1, a2, b2 = f
    found = (nan, nan, nan, nan)
    size = abs(a0) + abs(a1) + abs(b1) + abs(a2) + abs(b2)
    if not size > 0.0:
        return found
    # p(z) = z^2 f = lead z^4 + next z^3 + a0 z^2 + conj(next) z + conj(lead), z = exp(i s)
    lead, following = (0.5 * a2, -0.5 * b2), (0.5 * a1, -0.5 * b1)
    if hypot(lead[0], lead[1]) <= VANISHES * size:
        return _of_first_harmonic(a0, a1, b1, found)
    monic = (
        _over(following, lead), _over((a0, 0.0), lead),
        _over((following[0], -following[1]), lead), _over((lead[0], -lead[1]), lead),
    )  # fmt: skip
    p, q = (1.0, 0.0), (0.4, 0.9)
    r, s = _times(q, q), _times(q, _times(q, q))
    for _ in range(ROUNDS):
        moved = 0.0
        for _i in range(4):
            step = _over_others(p, q, r, s, monic)
            moved = max(moved, hypot(step[0], step[1]) / (1.0 + hypot(p[0], p[1])))
            p, q, r, s = q, r, s, (p[0] - step[0], p[1] - step[1])
        if not moved > SETTLED:
            break
    count = 0
    for _i in range(4):
        if abs(hypot(p[0], p[1]) - 1.0) <= ON_CIRCLE:
            angle, is_zero = _polished(f, atan2(p[1], p[0]), size)
            for j in range(count):
                is_zero = is_zero and abs(_turned(angle - found[j])) > SAME
            if is_zero:
                found = (
                    angle if count == 0 else found[0], angle if count == 1 else found[1],
                    angle if count == 2 else found[2], angle if count == 3 else found[3],
                )  # fmt: skip
                count += 1
        p, q, r, s = q, r, s, p
    return found


@jit(inline=True, internal=True)
def _times(a, b):
    """Product of two complex numbers (real, imaginary)."""
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


@jit(inline=True, internal=True)
def _over(a, b):
    """Quotient of two complex numbers."""
    square = b[0] * b[0] + b[1] * b[1]
    return (a[0] * b[0] + a[1] * b[1]) / square, (a[1] * b[0] - a[0] * b[1]) / square


@jit(internal=True)
def _over_others(p, q, r, s, monic):
    """Weierstrass's correction of the root p of a monic polynomial of which q, r and s are the others."""
    others = _times(
        (p[0] - q[0], p[1] - q[1]), _times((p[0] - r[0], p[1] - r[1]), (p[0] - s[0], p[1] - s[1]))
    )
    if others[0] == 0.0 and others[1] == 0.0:
        return 1e-8, 1e-8
    y = p[0] + monic[0][0], p[1] + monic[0][1]
    for i in range(1, 4):
        x = _times(y, p)
        y = x[0] + monic[i][0], x[1] + monic[i][1]
    return _over(y, others)


@jit(internal=True)
def _of_first_harmonic(a0, a1, b1, none):
    """The zeros of a0 + a1 cos s + b1 sin s."""
    size = sqrt(a1 * a1 + b1 * b1)
    if not size > abs(a0):
        return none
    middle = atan2(b1, a1)
    half = atan2(sqrt(size * size - a0 * a0), -a0)
    return _turned(middle + half), _turned(middle - half), none[2], none[3]


@jit
def value(f, angle):
    """f and its slope at an angle."""
    a0, a1, b1, a2, b2 = f
    c, s = cos(angle), sin(angle)
    c2, s2 = c * c - s * s, 2.0 * s * c
    return a0 + a1 * c + b1 * s + a2 * c2 + b2 * s2, b1 * c - a1 * s + 2.0 * (b2 * c2 - a2 * s2)


@jit(internal=True)
def _polished(f, angle, size):
    """The zero of f near an angle by Newton's method, and whether f vanishes there."""
    for _ in range(POLISHES):
        y, slope = value(f, angle)
        if abs(y) <= 1e-17 * size or slope == 0.0:
            break
        step = y / slope
        if not abs(step) < 0.1:
            break
        angle -= step
    y, _ = value(f, angle)
    return _turned(angle), abs(y) <= ROUNDED * size


@jit(inline=True, internal=True)
def _turned(angle):
    """The same angle in [-pi, pi)."""
    return angle - 2.0 * pi * ((angle + pi) // (2.0 * pi))
