"""How points of a body answer to impulses: the compliance of the body and its products.

Impulses and forces are over the mass, so that the same numbers serve impacts (velocities, impulses) and
forces (accelerations). ``J`` is m Theta^-1 in ground axes, six numbers (xx, xy, xz, yy, yz, zz) [1/m2].
"""

from __future__ import annotations

from mcrock.base.jit import jit
from mcrock.kernel.contact import J_XX, J_XY, J_XZ, J_YY, J_YZ, J_ZZ


@jit(internal=True)
def ground_compliance(scalars, m):
    """m Theta^-1 in ground axes (6 numbers) for the rotation matrix ``m`` (9 numbers)."""
    xx, xy, xz = scalars[J_XX], scalars[J_XY], scalars[J_XZ]
    yy, yz, zz = scalars[J_YY], scalars[J_YZ], scalars[J_ZZ]
    # rows of m J
    ax, ay, az = (
        m[0] * xx + m[1] * xy + m[2] * xz,
        m[0] * xy + m[1] * yy + m[2] * yz,
        m[0] * xz + m[1] * yz + m[2] * zz,
    )
    bx, by, bz = (
        m[3] * xx + m[4] * xy + m[5] * xz,
        m[3] * xy + m[4] * yy + m[5] * yz,
        m[3] * xz + m[4] * yz + m[5] * zz,
    )
    cx, cy, cz = (
        m[6] * xx + m[7] * xy + m[8] * xz,
        m[6] * xy + m[7] * yy + m[8] * yz,
        m[6] * xz + m[7] * yz + m[8] * zz,
    )
    return (
        ax * m[0] + ay * m[1] + az * m[2],
        ax * m[3] + ay * m[4] + az * m[5],
        ax * m[6] + ay * m[7] + az * m[8],
        bx * m[3] + by * m[4] + bz * m[5],
        bx * m[6] + by * m[7] + bz * m[8],
        cx * m[6] + cy * m[7] + cz * m[8],
    )  # fmt: skip


@jit(inline=True, internal=True)
def turned_by(s, x, y, z):
    """Product of a symmetric matrix (xx, xy, xz, yy, yz, zz) and a vector."""
    return s[0] * x + s[1] * y + s[2] * z, s[1] * x + s[3] * y + s[4] * z, s[2] * x + s[4] * y + s[5] * z


@jit(internal=True)
def mobility(J, ax, ay, az, rx, ry, rz):
    """Velocity of point a for unit impulses at point r, both from the COM: 1 - [a] J [r], row by row.

    With a = r it is symmetric (9 numbers) [1].
    """
    # columns of J [r]: J (r x e_k) with r x e_x = (0, rz, -ry), r x e_y = (-rz, 0, rx), r x e_z = (ry, -rx,
    # 0)
    ux, uy, uz = turned_by(J, 0.0, rz, -ry)
    vx, vy, vz = turned_by(J, -rz, 0.0, rx)
    wx, wy, wz = turned_by(J, ry, -rx, 0.0)
    # velocity of a: (J (r x e_k)) x a + e_k
    return (
        1.0 + uy * az - uz * ay,
        vy * az - vz * ay,
        wy * az - wz * ay,
        uz * ax - ux * az,
        1.0 + vz * ax - vx * az,
        wz * ax - wx * az,
        ux * ay - uy * ax,
        vx * ay - vy * ax,
        1.0 + wx * ay - wy * ax,
    )
