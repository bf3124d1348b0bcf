"""Constants of a body in contact: a twin in NumPy, by matrices and by geometry, for bodies of any shape."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.path import Path
from scipy.optimize import minimize_scalar
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from mcrock.body import cuboid, polyhedron
from mcrock.kernel import contact as c
from mcrock.kernel.contact import fill_constants, topology
from mcrock.kernel.layout import new_run
from mcrock.simulation.runs import body_tables

RTOL = 1e-9  # rounding of 3 x 3 inverses
RIDGE = 1e-6  # height of a ridge from 2001 orientations over it, at most pi apart
GRAVITY = 9.81
SEEDS = (0, 1, 2, 3, 4)
ON_FACES = ("one", "three", "two", "all")
BOXES = {"upright": None, "nearly": [3e-10, 2e-10, 0.0], "turned": [0.3, -0.2, 1.0]}


class Case:
    """A random body, its tables, and the base that it may stand on."""

    def __init__(self, faces, vertices, base, start, seed):
        rng = np.random.default_rng(seed)
        self.faces, self.vertices, self.start, self.bases = faces, vertices, start, {*base, start}
        self.mass = rng.uniform(1.0, 900.0)
        spread, turn = rng.uniform(0.1, 1.0, 3), Rotation.random(random_state=seed).as_matrix()
        self.inertia = self.mass * turn @ np.diag(spread.sum() - spread) @ turn.T
        self.top = topology(faces, len(vertices), base)
        self.out = new_run(self.top).body
        fill_constants(self.out, self.mass, self.inertia, vertices, GRAVITY, start)

    def up(self, face):
        """Direction from a face to the COM."""
        a, b, d = self.vertices[list(self.faces[face][:3])]
        normal = np.cross(b - a, d - b)
        return normal / np.linalg.norm(normal)

    def height(self, face):
        return float(-self.vertices[self.faces[face][0]] @ self.up(face))

    def edges(self):
        """Ends, face in which they have this order, and the other face or -1, as they appear."""
        rings = [[*pairwise([*face, face[0]])] for face in self.faces]
        seen = {}
        for f, ring in enumerate(rings):
            for v, w in ring:
                if (w, v) in seen:
                    seen[w, v][1] = f
                else:
                    seen[v, w] = [f, -1]
        return [(*ends, *sides) for ends, sides in seen.items()]

    def offset(self, v, w):
        """From the line of an edge to the COM."""
        e = self.vertices[w] - self.vertices[v]
        return self.vertices[v] @ e / (e @ e) * e - self.vertices[v]

    def frequency(self, v, w):
        """Frequency parameter about an edge [rad/s]."""
        e = self.vertices[w] - self.vertices[v]
        moment = e @ self.about(v) @ e / (e @ e)
        return float(np.sqrt(GRAVITY * np.linalg.norm(self.offset(v, w)) / moment))

    def about(self, v):
        """Inertia about a vertex over mass."""
        r = self.vertices[v]
        return self.inertia / self.mass + r @ r * np.eye(3) - np.outer(r, r)


def hull(seed, n=9):
    """Triangles around the COM, seen from which they are counter-clockwise."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 3))
    points /= np.linalg.norm(points, axis=1)[:, None] / rng.uniform([0.3, 0.5, 0.8], [0.5, 0.8, 1.2])
    found = ConvexHull(points)
    assert (found.equations[:, 3] < -0.01).all()  # the COM is inside: of other seeds it is not
    vertices, faces = points[found.vertices], []
    number = {int(v): i for i, v in enumerate(found.vertices)}
    for triangle, equation in zip(found.simplices, found.equations, strict=True):
        a, b, d = (number[int(v)] for v in triangle)
        outwards = np.cross(vertices[b] - vertices[a], vertices[d] - vertices[a]) @ equation[:3] > 0
        faces.append((a, d, b) if outwards else (a, b, d))
    return tuple(faces), vertices


def box(turn=None):
    body = cuboid(0.4, 0.6, 1.5, mass=1.0)
    shift = np.array([0.03, -0.05, 0.1])
    vertices = body.vertices + shift
    return body.faces, vertices if turn is None else Rotation.from_rotvec(turn).apply(vertices)


@cache
def cases():
    """Bodies by name: on one face, three, two or all of them, or with a lid that is missing."""
    found = {}
    for seed in SEEDS:
        faces, vertices = hull(seed)
        n = len(faces)
        bases = ((0,), 0), ((0, 1, 2), 1), ((1, 3), 0), (tuple(range(n)), 2)
        for name, (base, start) in zip(ON_FACES, bases, strict=True):
            found[f"{name}-{seed}"] = Case(faces, vertices, base, start, seed)
        one = found[f"one-{seed}"]
        lowest = min((f for f in range(n) if one.up(f)[2] > 0), key=one.height)
        found[f"stable-{seed}"] = Case(faces, vertices, tuple(range(n)), lowest, seed)
        found[f"open-{seed}"] = Case(faces[: n // 2], vertices, (0, 1), 0, seed)
    for name, turn in BOXES.items():
        for base, start in (((0,), 0), ((0,), 3), ((0, 1, 2, 3, 4, 5), 0)):
            found[f"{name}-{len(base)}-{start}"] = Case(*box(turn), base, start, 5)
    return found


NAMES = [f"{name}-{seed}" for seed in SEEDS for name in (*ON_FACES, "stable", "open")]
NAMES += [f"{name}-{on}" for name in BOXES for on in ("1-0", "1-3", "6-0")]


@pytest.fixture(scope="module", params=NAMES)
def case(request):
    assert set(cases()) == set(NAMES)
    return cases()[request.param]


def vector(record, name):
    return np.array([record[f"{name}_{axis}"] for axis in "xyz"])


def symmetric(record, name):
    full = np.zeros((3, 3))
    full[np.triu_indices(3)] = [record[f"{name}_{axes}"] for axes in ("xx", "xy", "xz", "yy", "yz", "zz")]
    return full + np.triu(full, 1).T


def close(found, expected):
    expected = np.asarray(expected)
    return found == pytest.approx(expected, rel=RTOL, abs=RTOL * max(np.abs(expected).max(), 1e-3))


def test_who_is_next_to_whom(case):
    top, n = case.top, len(case.vertices)
    edge_of, joined = np.full((n, n), -1), [set() for _ in range(n)]
    for k, (v, w, *sides) in enumerate(case.edges()):
        edge_of[v, w] = edge_of[w, v] = k
        joined[v].add(w)
        joined[w].add(v)
        assert top.edge_vertices[k].tolist() == [v, w]
        assert top.edge_faces[k].tolist() == sides
    assert len(top.edge_vertices) == k + 1
    np.testing.assert_array_equal(top.edge_of, edge_of)
    for row, expected in zip(top.neighbours, joined, strict=True):
        assert row[row >= 0].tolist() == sorted(expected)
        assert (row[len(expected) :] == -1).all()
    for f, face in enumerate(case.faces):
        assert tuple(top.face_vertices[top.face_first[f] : top.face_first[f + 1]]) == face


def test_masses_and_vertices(case):
    out = case.out
    assert [out.mass, out.gravity] == [case.mass, GRAVITY]
    np.testing.assert_array_equal(out.inertia, case.inertia[np.triu_indices(3)])
    np.testing.assert_array_equal(out.vertices[: out.n_vertex], case.vertices)
    assert out.radius == pytest.approx(np.linalg.norm(case.vertices, axis=1).max())
    assert close(symmetric(out, "j"), case.mass * np.linalg.inv(case.inertia))
    for v, pivot in enumerate(out.pivots[: out.n_vertex]):
        about = case.about(v)
        np.testing.assert_array_equal(vector(pivot, "com"), -case.vertices[v])
        assert close(symmetric(pivot, "k"), about)
        assert close(symmetric(pivot, "inv"), np.linalg.inv(about))
        assert pivot.largest == pytest.approx(np.linalg.eigvalsh(about)[-1], rel=1e-7)


def test_faces(case):
    for f, row in enumerate(case.out.faces[: case.out.n_face]):
        x, y, up = axes = np.array([vector(row, name) for name in ("x", "y", "up")])
        ring = case.vertices[list(case.faces[f])]
        assert close(axes @ axes.T, np.eye(3))
        assert close(np.cross(x, y), up)
        level = np.abs(case.up(f)[:2]).max() < c.LEVEL and case.up(f)[2] > 0
        if level:
            np.testing.assert_array_equal(axes, np.eye(3))
        else:
            assert close(up, case.up(f))
            assert close(x, (ring[1] - ring[0]) / np.linalg.norm(ring[1] - ring[0]))
        assert row.height == pytest.approx(case.height(f))
        corners = case.out.corners[case.top.face_first[f] : case.top.face_first[f + 1]]
        assert close(corners, ring @ np.stack([x, y]).T)
        flat = axes[:2]
        about = flat @ case.inertia @ flat.T + case.mass * case.height(f) ** 2 * np.eye(2)
        found = np.array([[row.c_xx, row.c_xy], [row.c_xy, row.c_yy]])
        assert close(found, np.linalg.inv(about))


def test_edges(case):
    for (v, w, face, other), row in zip(case.edges(), case.out.edges[: case.out.n_edge], strict=True):
        along = case.vertices[w] - case.vertices[v]
        length = np.linalg.norm(along)
        e, up = along / length, case.up(face)
        frame = np.stack([e, np.cross(up, e), up])
        assert close([vector(row, name) for name in ("along", "normal", "up")], frame)
        centre = case.vertices[list(case.faces[face])].mean(axis=0)
        assert frame[1] @ (centre - case.vertices[v]) > 0  # inwards
        assert row.length == pytest.approx(length)
        assert close([row.com_e, row.com_n, row.com_z], frame @ -case.vertices[v])
        assert close([row.k_ee, row.k_en, row.k_ez], frame @ case.about(v) @ e)
        assert row.push == pytest.approx(1 / (e @ case.about(v) @ e))
        assert row.share == pytest.approx(1 / (GRAVITY * length))
        if other < 0:
            assert row.opening == np.inf
        else:  # turned by it about the edge, the body stands on the other face
            turned = Rotation.from_rotvec(-row.opening * e).apply(up)
            assert close(turned, case.up(other))
            assert 0 < row.opening < np.pi


def test_pose_and_base_at_the_start(case):
    out = case.out
    assert out.start == case.start
    pose = Rotation.from_quat(out.pose[[1, 2, 3, 0]])
    assert pose.apply(case.up(case.start)) == pytest.approx([0, 0, 1], abs=1e-8)
    centre = case.vertices[list(case.faces[case.start])].mean(axis=0)
    assert close(vector(out, "base"), centre)
    assert close([out.start_x, out.start_y], pose.apply(centre)[:2])
    standing = {v for f in case.bases for v in case.faces[f]}
    assert set(np.flatnonzero(out.standing).tolist()) == standing


def test_slenderness_is_the_least_tilt_over_an_edge_of_the_base(case):
    """Over its nearest point, by quadratic search along the edge; of either sign."""
    found, bases = [], case.bases
    beneath = [case.vertices[list(case.faces[f]), :2] for f in bases if case.up(f)[2] > 0]
    over = any(Path(outline).contains_point((0.0, 0.0)) for outline in beneath)
    for v, w, *sides in case.edges():
        if len([f for f in sides if f in bases]) == 1:
            ends = case.vertices[v], case.vertices[w] - case.vertices[v]
            t = minimize_scalar(
                lambda t, ends=ends: np.sum((ends[0] + t * ends[1]) ** 2),
                bounds=(0, 1),
                options={"xatol": 1e-12},
            ).x
            d = -(ends[0] + t * ends[1])
            found.append(((1 if over else -1) * np.arccos(d[2] / np.linalg.norm(d)), case.frequency(v, w)))
    if not found:  # only upside down is it overturned
        found = [(np.pi / 2, max(case.frequency(v, w) for v, w, *_ in case.edges()))]
    assert [case.out.slenderness, case.out.frequency] == pytest.approx(min(found), rel=1e-7)


def test_the_barrier_is_the_lowest_way_off_the_base(case):
    """Faces are joined in the order of the ridges between them, until the start is joined to a way off."""
    links = []
    for v, w, face, other in case.edges():
        e = (case.vertices[w] - case.vertices[v]) / np.linalg.norm(case.vertices[w] - case.vertices[v])
        opening = np.pi if other < 0 else np.arccos(case.up(face) @ case.up(other))
        ups = Rotation.from_rotvec(-np.linspace(0, opening, 2001)[:, None] * e).apply(case.up(face))
        links.append((float((-ups @ case.vertices[v]).max()), face, other))
    off = -1
    joined = {f: {f} for f in case.bases if f == case.start or case.up(f)[2] > 0} | {off: {off}}
    links.sort()
    while off not in joined[case.start]:
        height, *sides = links.pop(0)
        both = set.union(*(joined.get(side, joined[off]) for side in sides))
        joined |= dict.fromkeys(both, both)
    barrier = case.mass * GRAVITY * (height - case.height(case.start))
    assert case.out.barrier == pytest.approx(barrier, abs=RIDGE * case.mass * GRAVITY)


@pytest.mark.filterwarnings("ignore:hull. faces")  # that meet at a small angle
@pytest.mark.parametrize("seed", range(12))
def test_the_slenderness_of_a_ragged_base_is_that_of_the_body(seed):
    """Of a bowl with a rough underside, whose base has a border in zigzag."""
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(-0.3, 0.3, (2, 60))
    points = np.column_stack([x, y, 0.2 * (x * x + y * y) + rng.normal(0.0, 0.001, 60)])
    points = np.concatenate([points, np.column_stack([0.8 * points[:, :2], np.full(60, 0.8)])])
    body = polyhedron(points, density=2600, base_angle_deg=4.0, settle=True)
    constants = body_tables(body, base_only=False)[1].body
    found = [constants.slenderness, constants.frequency]
    assert 0.0 < body.slenderness < 0.6
    assert found == pytest.approx([body.slenderness, body.frequency], rel=1e-9)
