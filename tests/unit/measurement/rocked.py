"""Simulated tests of a cuboid that share nothing with the package: its mechanics, its impacts and its sensor.

The block turns about an edge or a corner by scipy's integrator, with the state after each impact from the
equations of Varkonyi, Kocsis and Ther (2022): (18) for an edge, and (18) with (24) in closed form for the
base of a cuboid. The sensor integrates: the integral of the angular velocity is part of the state, so that a
mean over a sample is a difference of two of its values, whatever impacts lie between.
"""

from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

GRAVITY = 9.81
NOISE = np.radians(0.005)  # [rad/s/sqrt(Hz)]
ACCUMULATED = 1e-6  # flights shorter than this are the end of a sequence of edge impacts [s]
MOST = 2000  # impacts
SLIP = 0.01  # time that a foot takes to slip [s]
RINGING, DECAY = 2.0 * np.pi * 90.0, 0.01  # of the sensor on its support after an impact [rad/s], [s]


class Piece(NamedTuple):
    """Motion between two impacts."""

    begin: float  # [s]
    end: float
    state: object  # of the time [s]: quaternion, scalar first, rates (3,) in axes of the body, their integral
    jump: np.ndarray  # (3,) of the rates at its begin [rad/s]


def cross(a):
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def turn(q):
    """Body to ground."""
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


class Block:
    """A homogeneous cuboid of unit mass: half widths along x and y, and half of its height [m]."""

    def __init__(self, width, depth, height):
        a, b, h = 0.5 * width, 0.5 * depth, 0.5 * height
        self.half = a, b, h
        self.corners = np.array([[a, -b, -h], [a, b, -h], [-a, b, -h], [-a, -b, -h]])
        self.inertia = np.diag([b * b + h * h, a * a + h * h, a * a + b * b]) / 3.0
        self.about = [self.inertia - cross(v) @ cross(v) for v in self.corners]
        self.inverse = [np.linalg.inv(k) for k in self.about]

    def along(self, edge):
        e = self.corners[(edge + 1) % 4] - self.corners[edge]
        return e / np.linalg.norm(e)

    def rates(self, place, edge, slip, t, y):
        """Time derivative of the state about corner ``place``, of which an edge keeps the axis."""
        q, w = y[:4], y[4:7]
        down = np.array([-slip(t), 0.0, -GRAVITY]) @ turn(q)
        torque = np.cross(-self.corners[place], down)
        if edge is None:
            change = self.inverse[place] @ (torque - np.cross(w, self.about[place] @ w))
        else:
            e = self.along(edge)
            change = e * (e @ torque) / (e @ self.about[place] @ e)
        dq = 0.5 * np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))])
        return np.concatenate([dq, change, w])

    def after_facet(self, edge, speed, lon, lat):
        """Rates and pivot after the base lands from an edge: (18) under (24)."""
        e = self.along(edge)
        n = np.cross([0.0, 0.0, 1.0], e)
        bn, be = self.half[edge % 2], self.half[1 - edge % 2]
        h = self.half[2]
        beta_n = bn * bn / (e @ self.inertia @ e + h * h)
        beta_e = be * be / (n @ self.inertia @ n + h * h)
        k = 1.0 + beta_n * lon - beta_e * abs(lat)
        about = -speed * (1.0 - 2.0 * beta_n * lon / k)
        lateral = -2.0 * speed * (bn / be) * beta_e * lat / k
        return about * e + lateral * n, (edge + (3 if lat > 0.0 else 2)) % 4

    def after_edge(self, old, new, w, lambda_):
        """Rates after corner ``new`` lands: (18) with tau 0; none if the old one would not lift."""
        point = self.corners[old] + 0.5 * (1.0 + lambda_) * (self.corners[new] - self.corners[old])
        at = cross(point)
        left = self.inertia - at @ cross(self.corners[new])
        return np.linalg.solve(left, (self.inertia - at @ cross(self.corners[old])) @ w)

    def loses(self, edge, lon, lat):
        """Whether a landing of the base on a far edge gains no energy."""
        after, place = self.after_facet(edge, 1.0, lon, lat)
        first = self.along(edge) @ self.about[edge] @ self.along(edge)
        return after @ self.about[place] @ after <= first


def rock(block, edge, tilt, lambda_, lon, lat, slip=0.0, rate=0.0, later=0.15):
    """Pieces of the motion from a release over an edge to some time after the old edge has landed again.

    Parameters
    ----------
    block : Block
    edge : int
        Edge k joins corners k and k + 1.
    tilt, rate : float
        At the release [rad], [rad/s].
    lambda_, lon, lat : float
    slip : float
        How far the foot slips along x after the first landing [m].
    later : float
        [s]
    """
    e = block.along(edge)
    y = np.concatenate([[np.cos(0.5 * tilt)], np.sin(0.5 * tilt) * e, rate * e, np.zeros(3)])
    t, place, held, pieces, jump, end, slipped = 0.0, edge, edge, [], np.zeros(3), 10.0, np.inf

    def pull(t):
        s = t - slipped
        if not 0.0 <= s <= SLIP:
            return 0.0
        return 0.5 * slip * (np.pi / SLIP) ** 2 * np.cos(np.pi * s / SLIP)

    while len(pieces) < MOST and t < end:
        watched = [(place + 2) % 4] if held is not None else [(place + 1) % 4, (place + 3) % 4]
        started, events = t, []
        for i in watched:
            arm = block.corners[i] - block.corners[place]
            lifted = (turn(y[:4]) @ arm)[2] > 1e-10

            def gap(t, y, arm=arm, lifted=lifted, started=started):
                """Height; if it is zero at the start, over the time since, thus there its speed."""
                r, since = turn(y[:4]), t - started
                if lifted:
                    return (r @ arm)[2]
                return (r @ np.cross(y[4:7], arm))[2] if since < 1e-12 else (r @ arm)[2] / since

            gap.terminal, gap.direction = True, -1.0
            events.append(gap)
        found = solve_ivp(
            lambda t, y, place=place, held=held: block.rates(place, held, pull, t, y),
            (t, end), y, method="DOP853", dense_output=True, events=events,
            rtol=1e-9, atol=1e-12, max_step=0.002 if slip and started < slipped + SLIP else 0.01,
        )  # fmt: skip
        t, y = float(found.t[-1]), found.y[:, -1].copy()
        pieces.append(Piece(started, t, found.sol, jump))
        if found.status != 1:
            break
        landed, before = watched[int(np.argmin([g.size == 0 for g in found.t_events]))], y[4:7].copy()
        if held is not None:
            speed = float(np.linalg.norm(before))
            y[4:7], place = block.after_facet(held, speed, lon, lat)
            held, slipped = None, min(slipped, t)
        else:
            after = block.after_edge(place, landed, before, lambda_)
            lifts = (turn(y[:4]) @ np.cross(after, block.corners[place] - block.corners[landed]))[2] > 0.0
            if t - started < ACCUMULATED or not lifts:
                held = place if landed == (place + 1) % 4 else landed
                axis = block.along(held)
                y[4:7] = axis * (axis @ block.about[place] @ before) / (axis @ block.about[place] @ axis)
                place = held
            else:
                y[4:7], place = after, landed
            if landed in (edge, (edge + 1) % 4) and end == 10.0:
                end = t + later
        jump = y[4:7] - before
        if len(pieces) > 1 and held is None and place in (edge, (edge + 1) % 4) and end == 10.0:
            end = t + later
    return pieces


def read(pieces, rng, *, rate=256.0, noise=NOISE, before=1.0, bias=0.02, mean=True, **faults):
    """What a gyroscope on the body reads: times (n,) [s], rates (n, 3) [rad/s], and the time of the release.

    Parameters
    ----------
    pieces : list of Piece
    rng : Generator
    rate : float
        Samples per second.
    noise : float
        [rad/s/sqrt(Hz)]
    before, bias : float
        [s], and standard deviation [rad/s].
    mean : bool
        A mean over the sample, or the value at its time.
    **faults : float
        ``misaligned`` [rad], standard deviation about each axis; ``ringing``, over the jump at an impact [1].
    """
    sample = 1.0 / rate
    shift = rng.uniform(0.0, sample)  # a release falls between two samples
    time = np.arange(int((before + pieces[-1].end) * rate) - 2) * sample
    at = time - before + shift
    axes = rng.normal(size=(len(pieces), 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    share = faults.get("ringing", 0.0)

    def values(t, integral):
        part = np.zeros((t.size, 3))
        for piece, axis in zip(pieces, axes, strict=True):
            since = (t >= piece.begin) & ((t < piece.end) | (piece is pieces[-1]))
            if since.any():
                part[since] += piece.state(t[since])[7 if integral else 4 :][:3].T
            s = np.maximum(t - piece.begin, 0.0)
            swing = np.exp((1j * RINGING - 1.0 / DECAY) * s)
            over = (swing - 1.0) / (1j * RINGING - 1.0 / DECAY) if integral else swing * (t >= piece.begin)
            part += share * np.linalg.norm(piece.jump) * over.real[:, None] * axis
        return part

    if mean:
        ends = np.append(at - 0.5 * sample, at[-1] + 0.5 * sample)
        clean = np.diff(values(ends, True), axis=0) * rate
    else:
        clean = values(at, False)
    turned = Rotation.from_rotvec(rng.normal(0.0, faults.get("misaligned", 0.0), 3)).apply(clean)
    readings = turned + rng.normal(0.0, noise * np.sqrt(0.5 * rate), turned.shape)
    return time, readings + rng.normal(0.0, bias, 3), before - shift
