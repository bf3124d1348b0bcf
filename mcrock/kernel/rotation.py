"""Quaternions and symmetric matrices as plain tuples."""

from __future__ import annotations

from math import acos, cos, pi, sin, sqrt

from mcrock.base.jit import jit


@jit(inline=True, internal=True)
def norm(x, y):
    """Length of a vector in a plane: that of `hypot` but for the last bit, in a fifth of the time."""
    return sqrt(x * x + y * y)


@jit(inline=True, internal=True)
def matrix(q):
    """Rotation matrix of a unit quaternion, row by row (9 numbers)."""
    q0, q1, q2, q3 = q
    return (
        1.0 - 2.0 * (q2 * q2 + q3 * q3),
        2.0 * (q1 * q2 - q0 * q3),
        2.0 * (q1 * q3 + q0 * q2),
        2.0 * (q1 * q2 + q0 * q3),
        1.0 - 2.0 * (q1 * q1 + q3 * q3),
        2.0 * (q2 * q3 - q0 * q1),
        2.0 * (q1 * q3 - q0 * q2),
        2.0 * (q2 * q3 + q0 * q1),
        1.0 - 2.0 * (q1 * q1 + q2 * q2),
    )


@jit(inline=True, internal=True)
def vertical(q):
    """The vertical in body axes: third row of the rotation matrix (3 numbers)."""
    q0, q1, q2, q3 = q
    return 2.0 * (q1 * q3 - q0 * q2), 2.0 * (q2 * q3 + q0 * q1), 1.0 - 2.0 * (q1 * q1 + q2 * q2)


@jit(internal=True)
def to_ground(q, x, y, z):
    """Body vector in ground axes."""
    m = matrix(q)
    return (m[0] * x + m[1] * y + m[2] * z, m[3] * x + m[4] * y + m[5] * z, m[6] * x + m[7] * y + m[8] * z)


@jit
def turned(q, x, y, z, angle):
    """``q`` followed by a turn by ``angle`` [rad] about the unit body vector (x, y, z)."""
    c, s = cos(0.5 * angle), sin(0.5 * angle)
    x, y, z = s * x, s * y, s * z
    return (
        q[0] * c - q[1] * x - q[2] * y - q[3] * z,
        q[0] * x + q[1] * c + q[2] * z - q[3] * y,
        q[0] * y - q[1] * z + q[2] * c + q[3] * x,
        q[0] * z + q[1] * y - q[2] * x + q[3] * c,
    )


@jit(internal=True)
def flattened(q, x, y, z):
    """``q`` after the smallest turn that makes the unit body vector (x, y, z) vertical."""
    ux, uy, uz = vertical(q)
    w = 1.0 + x * ux + y * uy + z * uz
    # turn from (x, y, z) to the vertical, both in body axes
    a, b, c = y * uz - z * uy, z * ux - x * uz, x * uy - y * ux
    norm = sqrt(w * w + a * a + b * b + c * c)
    if norm < 1e-12:  # it points down: half a turn, about x unless that is the vector itself
        w, norm = 0.0, sqrt(y * y + z * z)
        a, b, c = norm, -x * y / norm if norm > 0.0 else 1.0, -x * z / norm if norm > 0.0 else 0.0
        norm = sqrt(a * a + b * b + c * c)
    w, a, b, c = w / norm, a / norm, b / norm, c / norm
    return (
        q[0] * w - q[1] * a - q[2] * b - q[3] * c,
        q[0] * a + q[1] * w + q[2] * c - q[3] * b,
        q[0] * b - q[1] * c + q[2] * w + q[3] * a,
        q[0] * c + q[1] * b - q[2] * a + q[3] * w,
    )


@jit(internal=True)
def largest_eigenvalue(xx, xy, xz, yy, yz, zz):
    """Largest eigenvalue of a symmetric 3 x 3 matrix (Smith 1961, doi 10.1145/355578.366316)."""
    mean = (xx + yy + zz) / 3.0
    off = xy * xy + xz * xz + yz * yz
    spread = sqrt(((xx - mean) ** 2 + (yy - mean) ** 2 + (zz - mean) ** 2 + 2.0 * off) / 6.0)
    if spread <= 1e-14 * abs(mean):
        return mean
    a, b, c = (xx - mean) / spread, (yy - mean) / spread, (zz - mean) / spread
    d, e, f = xy / spread, xz / spread, yz / spread
    half = 0.5 * (a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e))
    return mean + 2.0 * spread * cos(acos(min(max(half, -1.0), 1.0)) / 3.0)


@jit(internal=True)
def wrapped(angle):
    """Angle in (-pi, pi] [rad]."""
    angle %= 2.0 * pi
    return angle - 2.0 * pi if angle > pi else angle
