"""A face as it lies flat: vectors and points in its axes and in those of the body."""

from __future__ import annotations

from mcrock.base.jit import jit
from mcrock.kernel.contact import F_HEIGHT, F_UX, F_UY, F_UZ, F_XX, F_XY, F_XZ, F_YX, F_YY, F_YZ
from mcrock.kernel.dynamics import Q0, Q1, Q2, Q3
from mcrock.kernel.rotation import flattened


@jit(inline=True, internal=True)
def upward(face):
    """The vertical in body axes (3 numbers)."""
    return face[F_UX], face[F_UY], face[F_UZ]


@jit(inline=True, internal=True)
def in_face(face, v):
    """A vector in body axes along the axes of a face (3 numbers)."""
    return (
        v[0] * face[F_XX] + v[1] * face[F_XY] + v[2] * face[F_XZ],
        v[0] * face[F_YX] + v[1] * face[F_YY] + v[2] * face[F_YZ],
        v[0] * face[F_UX] + v[1] * face[F_UY] + v[2] * face[F_UZ],
    )


@jit(internal=True)
def in_body(face, x, y):
    """A vector in the plane of a face in body axes (3 numbers)."""
    return x * face[F_XX] + y * face[F_YX], x * face[F_XY] + y * face[F_YY], x * face[F_XZ] + y * face[F_YZ]


@jit(internal=True)
def point_of_face(face, x, y):
    """A point of the plane of a face in body axes (3 numbers) [m]."""
    (a, b, c), h = in_body(face, x, y), face[F_HEIGHT]
    return a - h * face[F_UX], b - h * face[F_UY], c - h * face[F_UZ]


@jit(internal=True)
def lay_flat(face, q, out):
    """Write into ``out`` the pose ``q`` after the smallest turn that lays a face flat; they may be one."""
    x, y, z = upward(face)
    out[Q0], out[Q1], out[Q2], out[Q3] = flattened((q[Q0], q[Q1], q[Q2], q[Q3]), x, y, z)
