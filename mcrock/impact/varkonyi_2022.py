"""Edge and facet impacts of a rigid body in three dimensions, without slip or rebound.

Várkonyi, P. L., Kocsis, M., Ther, T. (2022). Rigid impacts of three-dimensional rocking
structures. Nonlinear Dynamics 107, 1839-1858. Equation numbers are those of the paper; where its
text is wrong the corrected form is used and the comment says so.

All vectors are in one frame, of any orientation, with the origin at the centre of mass; ``up`` is
the vertical in that frame. The angular velocity after an impact follows from the balance of
angular momentum about the point R at which the resultant of the impulse acts, equation (18):

    (Theta - m [R][a]) w+ = (Theta - m [R][b]) w- + tau up

with [x] the cross-product matrix of a point, b the old pivot and a the new one. Where the facet map has no
feasible pivot, `plastic_facet` is the impact.
"""

from __future__ import annotations

from math import nan, sqrt

from mcrock.base.jit import jit

TIE = 1e-9  # vertices whose lift speeds differ by less than this share land together [1]
GAIN = 1e-12  # relative growth of energy that is rounding, not gain [1]
PROJECTION_STEPS = 32
PROJECTION_SPAN = 2.0  # how far beyond the drawn value the projection looks [1]


@jit
def solve_3x3(rows, right):
    """Solution of a 3 x 3 system by Cramer's rule; infinite or NaN if it is singular."""
    (a11, a12, a13), (a21, a22, a23), (a31, a32, a33) = rows
    b1, b2, b3 = right
    c11, c12, c13 = a22 * a33 - a23 * a32, a23 * a31 - a21 * a33, a21 * a32 - a22 * a31
    scale = 1.0 / (a11 * c11 + a12 * c12 + a13 * c13)
    x1 = (b1 * c11 + a12 * (a23 * b3 - b2 * a33) + a13 * (b2 * a32 - a22 * b3)) * scale
    x2 = (a11 * (b2 * a33 - a23 * b3) + b1 * c12 + a13 * (a21 * b3 - b2 * a31)) * scale
    x3 = (a11 * (a22 * b3 - b2 * a32) + a12 * (b2 * a31 - a21 * b3) + b1 * c13) * scale
    return x1, x2, x3


@jit
def kinetic_energy(mass, inertia, pivot, w):
    """Kinetic energy of a body that turns with ``w`` [rad/s] about ``pivot`` [J]."""
    wx, wy, wz = w
    x, y, z = pivot
    vx, vy, vz = wy * z - wz * y, wz * x - wx * z, wx * y - wy * x
    spin = (
        wx * (inertia[0] * wx + inertia[1] * wy + inertia[2] * wz)
        + wy * (inertia[1] * wx + inertia[3] * wy + inertia[4] * wz)
        + wz * (inertia[2] * wx + inertia[4] * wy + inertia[5] * wz)
    )
    return 0.5 * (spin + mass * (vx * vx + vy * vy + vz * vz))


@jit
def general_map(mass, inertia, point, old, new, w, up, tau):
    """Angular velocity after an impact with given pivots, equation (18) [rad/s].

    ``inertia`` is (xx, xy, xz, yy, yz, zz) about the centre of mass [kg m2]; ``point``, ``old``
    and ``new`` are R, b and a [m]; ``w`` is the angular velocity before [rad/s]; ``tau`` the
    angular impulse about the vertical [N m s].
    """
    xx, xy, xz, yy, yz, zz = inertia
    rx, ry, rz = point
    ox, oy, oz = old
    ax, ay, az = new
    wx, wy, wz = w
    # momentum of the centre of mass before: [b] w = b x w
    px, py, pz = (mass * (oy * wz - oz * wy), mass * (oz * wx - ox * wz), mass * (ox * wy - oy * wx))
    b1 = xx * wx + xy * wy + xz * wz - (ry * pz - rz * py) + tau * up[0]
    b2 = xy * wx + yy * wy + yz * wz - (rz * px - rx * pz) + tau * up[1]
    b3 = xz * wx + yz * wy + zz * wz - (rx * py - ry * px) + tau * up[2]
    # [R][a] = a R^T - (R.a) 1
    dot = rx * ax + ry * ay + rz * az
    rows = (
        (xx - mass * (ax * rx - dot), xy - mass * ax * ry, xz - mass * ax * rz),
        (xy - mass * ay * rx, yy - mass * (ay * ry - dot), yz - mass * ay * rz),
        (xz - mass * az * rx, yz - mass * az * ry, zz - mass * (az * rz - dot)),
    )
    return solve_3x3(rows, (b1, b2, b3))


@jit
def edge_map(mass, inertia, old, new, w, up, lambda_, tau):
    """Angular velocity after an edge impact, equations (19) and (20) [rad/s].

    The impulse acts at (1 + lambda)/2 of the way from the old pivot to the new one. lambda = 1 and
    tau = 0 conserve the angular momentum about the new pivot (Housner's rule in three dimensions).
    """
    share = 0.5 * (1.0 + lambda_)
    point = (
        old[0] + share * (new[0] - old[0]),
        old[1] + share * (new[1] - old[1]),
        old[2] + share * (new[2] - old[2]),
    )
    return general_map(mass, inertia, point, old, new, w, up, tau)


@jit
def angular_impulse(mass, inertia, point, old, new, before, after, up):
    """Angular impulse tau about the vertical through R that an impact amounts to, (13) [N m s].

    ``before`` and ``after`` are the angular velocities about the pivots ``old`` and ``new``.
    """
    xx, xy, xz, yy, yz, zz = inertia
    dx, dy, dz = after[0] - before[0], after[1] - before[1], after[2] - before[2]
    # change of momentum of the centre of mass, v = pivot x w
    px = mass * (new[1] * after[2] - new[2] * after[1] - old[1] * before[2] + old[2] * before[1])
    py = mass * (new[2] * after[0] - new[0] * after[2] - old[2] * before[0] + old[0] * before[2])
    pz = mass * (new[0] * after[1] - new[1] * after[0] - old[0] * before[1] + old[1] * before[0])
    lx = xx * dx + xy * dy + xz * dz - (point[1] * pz - point[2] * py)
    ly = xy * dx + yy * dy + yz * dz - (point[2] * px - point[0] * pz)
    lz = xz * dx + yz * dy + zz * dz - (point[0] * py - point[1] * px)
    return up[0] * lx + up[1] * ly + up[2] * lz


@jit
def lift_speed(old, new, w, up):
    """Vertical speed of the old pivot when the body turns with ``w`` about the new one [m/s]."""
    dx, dy, dz = old[0] - new[0], old[1] - new[1], old[2] - new[2]
    return up[0] * (w[1] * dz - w[2] * dy) + up[1] * (w[2] * dx - w[0] * dz) + up[2] * (w[0] * dy - w[1] * dx)


@jit
def plastic_edge(mass, inertia, old, new, w):
    """Angular velocity when both ends of the landing edge stay on the ground [rad/s].

    Angular momentum about the line of the edge is conserved: the projection of ``w`` in the
    kinetic metric, so it never gains energy, and the limit of a sequence of edge impacts.
    """
    ex, ey, ez = new[0] - old[0], new[1] - old[1], new[2] - old[2]
    length = sqrt(ex * ex + ey * ey + ez * ez)
    ex, ey, ez = ex / length, ey / length, ez / length
    xx, xy, xz, yy, yz, zz = inertia
    ox, oy, oz = old
    dot = ox * ex + oy * ey + oz * ez
    square = ox * ox + oy * oy + oz * oz
    # K_b e = Theta e + m (|b|^2 e - b (b.e))
    kx = xx * ex + xy * ey + xz * ez + mass * (square * ex - ox * dot)
    ky = xy * ex + yy * ey + yz * ez + mass * (square * ey - oy * dot)
    kz = xz * ex + yz * ey + zz * ez + mass * (square * ez - oz * dot)
    rate = (kx * w[0] + ky * w[1] + kz * w[2]) / (kx * ex + ky * ey + kz * ez)
    return rate * ex, rate * ey, rate * ez


@jit
def edge_energy_roots(mass, inertia, old, new, w, up, lambda_):
    """Interval of tau in which an edge impact gains no energy, inequality (26) [N m s].

    The change of energy is a parabola in tau; NaN if it is positive everywhere.
    """
    before = kinetic_energy(mass, inertia, old, w)
    at_zero = edge_map(mass, inertia, old, new, w, up, lambda_, 0.0)
    sx, sy, sz = edge_map(mass, inertia, old, new, (0.0, 0.0, 0.0), up, lambda_, 1.0)
    # the tau that alone gives the energy before: 1 N m s would drown in the energy of a heavy body
    unit = sqrt(before / kinetic_energy(mass, inertia, new, (sx, sy, sz)))
    at_one = at_zero[0] + unit * sx, at_zero[1] + unit * sy, at_zero[2] + unit * sz
    c0 = kinetic_energy(mass, inertia, new, at_zero) - before
    c1 = kinetic_energy(mass, inertia, new, at_one) - kinetic_energy(mass, inertia, new, at_zero) - before
    square = c1 * c1 - 4.0 * before * c0
    root, half = sqrt(square) if square >= 0.0 else nan, 0.5 * unit / before
    return (-c1 - root) * half, (-c1 + root) * half


@jit
def edge_energy_change(mass, inertia, old, new, w, up, lambda_, tau):
    """Energy after less energy before an edge impact [J]."""
    after = edge_map(mass, inertia, old, new, w, up, lambda_, tau)
    return kinetic_energy(mass, inertia, new, after) - kinetic_energy(mass, inertia, old, w)


@jit
def project_edge(mass, inertia, old, new, w, up, lambda_, tau):
    """The nearest lambda, upwards, at which an edge impact gains no energy, and tau.

    Where no lambda within PROJECTION_SPAN of the drawn value (or up to 1) will do because tau
    drives the gain, lambda = 1 is taken with the nearest tau that gains nothing (tau = 0 never
    gains there).
    """
    allowed = GAIN * kinetic_energy(mass, inertia, old, w)
    end = max(1.0, lambda_) if tau == 0.0 else lambda_ + PROJECTION_SPAN
    step = (end - lambda_) / PROJECTION_STEPS
    low = lambda_
    for i in range(1, PROJECTION_STEPS + 1):
        high = lambda_ + i * step
        if edge_energy_change(mass, inertia, old, new, w, up, high, tau) <= allowed:
            for _ in range(50):
                middle = 0.5 * (low + high)
                if edge_energy_change(mass, inertia, old, new, w, up, middle, tau) <= allowed:
                    high = middle
                else:
                    low = middle
            return high, tau
        low = high
    tau_low, tau_high = edge_energy_roots(mass, inertia, old, new, w, up, 1.0)
    return 1.0, min(max(tau, tau_low), tau_high)


@jit(inline=True, internal=True)
def side_of(corners, first, last, old):
    """Start (x, y) of the side at corner ``old`` of a face [m], its direction (x, y) [1] and the depth of the
    face from it [m]."""
    following = first + (old + 1) % (last - first)
    ox, oy = corners[first + old, 0], corners[first + old, 1]
    ex, ey = corners[following, 0] - ox, corners[following, 1] - oy
    length = sqrt(ex * ex + ey * ey)
    ex, ey = ex / length, ey / length
    depth = 0.0
    for i in range(first, last):
        depth = max(depth, ex * (corners[i, 1] - oy) - ey * (corners[i, 0] - ox))
    return ox, oy, ex, ey, depth


@jit
def facet_point(corners, first, last, old, lambda_lon, lambda_lat):
    """Impact point R in a convex face for given lambdas, in face axes [m].

    ``corners[first:last]`` are the corners of the face, counter-clockwise from above; the old
    edge runs from corner ``old`` to the next. R lies on the chord parallel to the old edge at
    (1 + lambda_lon)/2 of the depth of the face, lambda_lat half chords from its middle along the
    edge. For a rectangle this is equation (21), for other polygons its extension.
    """
    n, (ox, oy, ex, ey, depth) = last - first, side_of(corners, first, last, old)
    across = 0.5 * (1.0 + lambda_lon) * depth
    level = min(max(across, 0.0), depth)
    low, high = 1e300, -1e300
    for i in range(n):
        j = (i + 1) % n
        xi, yi = corners[first + i, 0] - ox, corners[first + i, 1] - oy
        xj, yj = corners[first + j, 0] - ox, corners[first + j, 1] - oy
        si, sj = ex * yi - ey * xi, ex * yj - ey * xj  # distances from the old edge
        ti, tj = ex * xi + ey * yi, ex * xj + ey * yj  # positions along it
        on_side = 1e-12 * depth
        if abs(si - level) <= on_side:
            low, high = min(low, ti), max(high, ti)
        if (si - level) * (sj - level) < 0.0:
            t = ti + (tj - ti) * (level - si) / (sj - si)
            low, high = min(low, t), max(high, t)
    along = 0.5 * (low + high) + lambda_lat * 0.5 * (high - low)
    return ox + along * ex - across * ey, oy + along * ey + across * ex


@jit
def corner_coefficient(mass, compliance, point, x, y):
    """Coefficient k of a point of the face: vertical speed it gains per unit jump of the COM [1]."""
    ux = compliance[0] * point[1] - compliance[1] * point[0]
    uy = compliance[1] * point[1] - compliance[2] * point[0]
    return 1.0 + mass * (y * ux - x * uy)


@jit
def facet_map(mass, compliance, corners, first, last, w, vz, point):
    """Facet impact without spin after it, condition (24).

    With no spin about the vertical after the impact the horizontal velocity of the centre of mass
    follows from the angular velocity alone, whatever the pivot, and one unknown is left: the jump
    D of its vertical velocity. D is the smallest jump that drives no corner into the ground.

    Parameters
    ----------
    mass : float
        [kg].
    compliance : tuple of 3 float
        Inverse (xx, xy, yy) of Theta + m h^2 in face axes [1/(kg m2)].
    corners, first, last
        Face axes corners relative to the centre of mass and the range of this face [m].
    w : tuple of 2 float
        Horizontal angular velocity before, in face axes, with what stopping a spin about the
        vertical adds to it [rad/s].
    vz : float
        Vertical velocity of the centre of mass before [m/s].
    point : tuple of 2 float
        R in face axes [m].

    Returns
    -------
    w_x, w_y : float
        After the impact [rad/s].
    pivot, partner : int
        Corner that carries the motion after; partner is the other end if an edge does, else -1.
        pivot = -1 if no corner can: with (22) and (23) exactly one solution exists if and only if
        all k are positive.
    """
    cxx, cxy, cyy = compliance
    px, py = point
    ux, uy = cxx * py - cxy * px, cxy * py - cyy * px
    wx, wy = w
    jump, pivot = -1.0, -1
    n = last - first
    for i in range(n):
        x, y = corners[first + i, 0], corners[first + i, 1]
        k = corner_coefficient(mass, compliance, point, x, y)
        if k <= 0.0:
            return 0.0, 0.0, -1, -1
        need = -(vz + wx * y - wy * x) / k
        if need > jump:
            jump, pivot = need, i
    if jump <= 0.0:  # no corner approaches: an impulse would pull
        return 0.0, 0.0, -1, -1
    wx += mass * jump * ux
    wy += mass * jump * uy
    # corners that stay down together with the pivot
    speed = sqrt(wx * wx + wy * wy) + sqrt(w[0] * w[0] + w[1] * w[1])
    x0, y0 = corners[first + pivot, 0], corners[first + pivot, 1]
    partner = -1
    for side in (1, n - 1):
        i = (pivot + side) % n
        x, y = corners[first + i, 0] - x0, corners[first + i, 1] - y0
        if abs(wx * y - wy * x) <= TIE * speed * sqrt(x * x + y * y):
            partner = i
    if partner >= 0:  # turn about the edge exactly
        x, y = corners[first + partner, 0] - x0, corners[first + partner, 1] - y0
        rate = (wx * x + wy * y) / (x * x + y * y)
        wx, wy = rate * x, rate * y
    return wx, wy, pivot, partner


@jit
def facet_gain(mass, compliance, corners, first, last, approach, point):
    """Sign of the energy change of a facet impact, inequality (26): gain if positive.

    The horizontal velocity of R vanishes after the impact, so its impulse works on the vertical
    velocity of R alone: dE = m D (u_R- + u_R+)/2, besides the change of energy by stopping a spin
    about the vertical. Returns 2 dE/(m D) [m/s], infinite where the impact is infeasible.
    ``approach`` has the angular velocity after the spin has stopped [rad/s], the vertical velocity
    before, as in `facet_map`, and that change of energy [J].
    """
    w, vz, spin_energy = approach
    jump = 0.0
    for i in range(first, last):
        x, y = corners[i, 0], corners[i, 1]
        k = corner_coefficient(mass, compliance, point, x, y)
        if k <= 0.0:
            return 1e300
        jump = max(jump, -(vz + w[0] * y - w[1] * x) / k)
    if jump <= 0.0:
        return 1e300
    own = corner_coefficient(mass, compliance, point, point[0], point[1])
    return 2.0 * (vz + w[0] * point[1] - w[1] * point[0]) + jump * own + 2.0 * spin_energy / (mass * jump)


@jit(internal=True)
def _next_root(mass, compliance, corners, first, last, approach, way, after):
    """Next place in (after, 1) at which the sign of the energy change may turn, 1 if there is none.

    Places are shares of the straight ``way`` of R, of which it has start, middle and end. On it the k
    are linear, and with D = -u/k of one corner the change of energy times k^2 is quadratic:

        spin_energy k^2 - m u k u_R + m u^2 k_R/2
    """
    (w, vz, _), (start, middle, end) = approach, way
    found = 1.0
    for i in range(first, last):
        x, y = corners[i, 0], corners[i, 1]
        u = vz + w[0] * y - w[1] * x
        k0 = corner_coefficient(mass, compliance, start, x, y)
        k2 = corner_coefficient(mass, compliance, end, x, y)
        if k0 != k2:
            share = k0 / (k0 - k2)
            if after < share < found:
                found = share
        f0 = _energy_times_square(mass, compliance, approach, u, k0, start)
        f1 = _energy_times_square(mass, compliance, approach, u, 0.5 * (k0 + k2), middle)
        f2 = _energy_times_square(mass, compliance, approach, u, k2, end)
        a, b = 2.0 * (f0 + f2) - 4.0 * f1, 4.0 * f1 - 3.0 * f0 - f2  # f0 + b s + a s^2
        square = b * b - 4.0 * a * f0
        if square < 0.0:
            continue
        big = -0.5 * (b + sqrt(square)) if b >= 0.0 else -0.5 * (b - sqrt(square))
        if a != 0.0 and after < big / a < found:
            found = big / a
        if big != 0.0 and after < f0 / big < found:
            found = f0 / big
    return found


@jit(internal=True)
def _energy_times_square(mass, compliance, approach, u, k, point):
    w, vz, spin_energy = approach
    own = corner_coefficient(mass, compliance, point, point[0], point[1])
    u_point = vz + w[0] * point[1] - w[1] * point[0]
    return spin_energy * k * k + mass * u * (0.5 * u * own - k * u_point)


@jit
def project_facet(mass, compliance, corners, first, last, old, approach, lambdas):
    """The nearest lambda_lon, upwards, at which a facet impact gains no energy; NaN if none.

    ``approach`` as in `facet_gain`, ``lambdas`` are the drawn lambda_lon and lambda_lat [1].
    Looked for up to PROJECTION_SPAN beyond 1 (or beyond the drawn value). R moves on straight lines
    between the lambda_lon of the corners; on each the energy change turns sign at roots of quadratics
    alone, so no window is missed. For a symmetric rectangle the bound is lambda_lon
    (1 + bn - be |lambda_lat|) >= be |lambda_lat| (1 + |lambda_lat|), with bn, be the ratios
    m b^2/(Theta + m h^2) across and along the old edge: a positive lower limit that grows with
    |lambda_lat| (not 0, as the paper's section 5.3 says).
    """
    lambda_lon, lambda_lat = lambdas
    limit = max(1.0, lambda_lon) + PROJECTION_SPAN
    begin = lambda_lon
    while begin < limit:
        stop = limit
        for i in range(first, last):
            level = _corner_level(corners, first, last, old, i)
            if begin + 1e-9 < level < stop:
                stop = level
        start = facet_point(corners, first, last, old, begin, lambda_lat)
        middle = facet_point(corners, first, last, old, 0.5 * (begin + stop), lambda_lat)
        end = facet_point(corners, first, last, old, stop, lambda_lat)
        low = 0.0
        while low < 1.0:
            high = _next_root(mass, compliance, corners, first, last, approach, (start, middle, end), low)
            inside = begin + 0.5 * (low + high) * (stop - begin)
            point = facet_point(corners, first, last, old, inside, lambda_lat)
            if facet_gain(mass, compliance, corners, first, last, approach, point) <= 0.0:
                outside = begin + low * (stop - begin)
                for _ in range(60):
                    half = 0.5 * (outside + inside)
                    point = facet_point(corners, first, last, old, half, lambda_lat)
                    if facet_gain(mass, compliance, corners, first, last, approach, point) <= 0.0:
                        inside = half
                    else:
                        outside = half
                return inside
            low = high
        begin = stop
    return nan


@jit(internal=True)
def _corner_level(corners, first, last, old, corner):
    """lambda_lon of the chord through a corner: -1 on the old edge, 1 at the largest distance."""
    n = last - first
    following = (old + 1) % n
    ox, oy = corners[first + old, 0], corners[first + old, 1]
    ex, ey = corners[first + following, 0] - ox, corners[first + following, 1] - oy
    depth = 0.0
    for i in range(first, last):
        depth = max(depth, ex * (corners[i, 1] - oy) - ey * (corners[i, 0] - ox))
    return 2.0 * (ex * (corners[corner, 1] - oy) - ey * (corners[corner, 0] - ox)) / depth - 1.0


@jit
def plastic_facet(mass, compliance, corners, first, last, w, vz):
    """Plastic impact of a face without spin after it.

    Plastic impact of a whole face: the fallback where the facet map has no feasible pivot.

    Any law that keeps the face on the ground or lets it rise satisfies u_i >= 0 at all its corners. Among
    these velocities the plastic impact is the one nearest to the velocity before in the kinetic metric
    (Moreau, J. J. (1988). Unilateral contact and dry friction in finite freedom dynamics. In: Nonsmooth
    Mechanics and Applications, Springer, 1-82, inelastic case). It always exists, is unique and never gains
    energy, and it needs no parameter.

    The projection x+ = argmin |x - x-| of x = (v_z, w_x, w_y) in the metric diag(m, J) on the
    cone u_i = v_z + w_x y_i - w_y x_i >= 0 is found by trying which corners stay on the ground:
    one, two (an edge), or all (rest). The impulses at them must not pull.

    Parameters
    ----------
    mass, compliance, corners, first, last, w, vz
        As in `mcrock.impact.varkonyi_2022.facet_map`.

    Returns
    -------
    w_x, w_y : float
        After the impact, face axes [rad/s].
    pivot, partner : int
        Corner that stays on the ground, and the other end if an edge does, else -1; pivot = -1 if the
        whole face stays.
    """
    n = last - first
    fastest = 0.0
    for i in range(n):
        fastest = max(fastest, abs(_corner_speed(corners, first + i, w, vz)))
    slack = TIE * fastest
    for i in range(n):
        u = _corner_speed(corners, first + i, w, vz)
        if u >= 0.0:
            continue
        push = -u / _coupling(mass, compliance, corners, first + i, first + i)
        ox, oy, oz = _pushed(mass, compliance, corners, first + i, push, w, vz)
        if _all_rise(corners, first, last, ox, oy, oz, slack):
            return ox, oy, i, -1
    for i in range(n):
        for j in range(i):
            a, b = first + i, first + j
            u, v = _corner_speed(corners, a, w, vz), _corner_speed(corners, b, w, vz)
            k_aa = _coupling(mass, compliance, corners, a, a)
            k_ab = _coupling(mass, compliance, corners, a, b)
            k_bb = _coupling(mass, compliance, corners, b, b)
            determinant = k_aa * k_bb - k_ab * k_ab
            push_a = (-u * k_bb + v * k_ab) / determinant
            push_b = (-v * k_aa + u * k_ab) / determinant
            if push_a < 0.0 or push_b < 0.0:
                continue
            ox, oy, oz = _pushed(mass, compliance, corners, a, push_a, w, vz)
            ox, oy, oz = _pushed(mass, compliance, corners, b, push_b, (ox, oy), oz)
            if _all_rise(corners, first, last, ox, oy, oz, slack):
                return ox, oy, i, j
    return 0.0, 0.0, -1, -1


@jit(internal=True)
def _corner_speed(corners, i, w, vz):
    """Vertical speed of a corner [m/s]."""
    return vz + w[0] * corners[i, 1] - w[1] * corners[i, 0]


@jit(internal=True)
def _coupling(mass, compliance, corners, i, j):
    """Vertical speed of corner ``j`` for a unit impulse at corner ``i`` [1/kg]."""
    point = corners[i, 0], corners[i, 1]
    return corner_coefficient(mass, compliance, point, corners[j, 0], corners[j, 1]) / mass


@jit(internal=True)
def _pushed(mass, compliance, corners, i, push, w, vz):
    """Velocity (w_x, w_y, v_z) after an upward impulse [N s] at a corner."""
    x, y = corners[i, 0], corners[i, 1]
    wx = w[0] + push * (compliance[0] * y - compliance[1] * x)
    wy = w[1] + push * (compliance[1] * y - compliance[2] * x)
    return wx, wy, vz + push / mass


@jit(internal=True)
def _all_rise(corners, first, last, wx, wy, vz, slack):
    """Whether no corner of the face moves down by more than ``slack`` [m/s]."""
    lowest = 0.0
    for i in range(first, last):
        lowest = min(lowest, _corner_speed(corners, i, (wx, wy), vz))
    return lowest >= -slack
