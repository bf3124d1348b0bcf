"""What is no body: the thing, the place in it, the unit and what came are named, and what mends it."""

# ruff: noqa: E501 -- a call and what is said of it stand on one line

from math import inf, nan

import numpy as np
import pytest

from mcrock.body import (
    Body,
    check_bodies,
    cuboid,
    cylinder,
    frustum,
    hull,
    polyhedron,
    prism,
    random_surface,
    with_shape_error,
)
from tests.unit.body.shapes import CUBE, CUBE_FACES

CORNERS = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]
MIDDLE = [(-0.3, -0.3), (0.3, -0.3), (0.3, 0.3), (-0.3, 0.3)]
DENT = [(0, 0), (2, 0), (1, 0.2), (2, 2), (0, 2)]
BULGE = [(0, 0), (2, 0), (3, 1), (2, 2), (0, 2)]
STAR = [(np.cos(a), np.sin(a)) for a in 4 * np.pi / 5 * np.arange(5)]
BASE = [[0.2, -0.2, -1.0], [0.2, 0.2, -1.0], [-0.2, 0.2, -1.0], [-0.2, -0.2, -1.0]]
INERTIA = np.diag([4.0, 4.0, 1.0])
BLOCK = cuboid(1.0, 1.0, 1.0, mass=1.0)
DENTED = CUBE.copy()
DENTED[6] = 0.7, 0.7, 1.7
TWO_CUBES = (*CUBE_FACES, *(tuple(v + 8 for v in face) for face in CUBE_FACES))
OCTAHEDRON = np.concatenate([np.eye(3), -np.eye(3)])
OCTANTS = [(0, 1, 2), (1, 3, 2), (3, 4, 2), (4, 0, 2), (1, 0, 5), (3, 1, 5), (4, 3, 5), (0, 4, 5)]
PUSHED_IN = np.concatenate([np.eye(3) * [[1], [1], [-0.5]], -np.eye(3)])
NOTCHED = np.append(CUBE, [[0.5, 0.0, 0.3]], axis=0) - [0.5, 0.5, 1.0]
NOTCHED_FACES = (*CUBE_FACES[:1], (1, 0, 4, 8, 5), *CUBE_FACES[2:5], (7, 6, 5, 8, 4))
FLAT = CUBE * [1, 1, 1e-7]
NEEDLE = np.array([(0, 0, 0), (1e-7, 0, 0), (0, 1e-7, 0), (0, 0, 1)])
PROJECTIVE_PLANE = [  # six vertices, every edge on two triangles, one side only
    (0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5), (0, 5, 1),
    (1, 2, 4), (2, 3, 5), (3, 4, 1), (4, 5, 2), (5, 1, 3),
]  # fmt: skip


def body(**changes):
    """Of a base alone."""
    return Body(**{"mass": 10.0, "inertia": INERTIA, "vertices": BASE, "gravity": 9.81} | changes)


def whole(faces=CUBE_FACES, vertices=CUBE, com=(0.5, 0.5, 1.0), **options):
    """Of all faces."""
    return Body(1.0, 0.1 * np.eye(3), np.array(vertices) - com, faces=faces, **options)


def changed(i, **coordinates):
    vertices = np.array(BASE)
    for name, value in coordinates.items():
        vertices[i, "xyz".index(name)] = value
    return vertices


def cone(**changes):
    return frustum(**{"base": MIDDLE, "height": 0.9, "density": 2600.0} | changes)


def drum(**changes):
    return cylinder(**{"radius": 0.2, "height": 1.0, "sides": 12, "density": 1000.0} | changes)


def surface(**changes):
    return random_surface(**{"places": [(0, 0)], "std": 0.1, "correlation_length": 0.1} | changes)


REFUSED = [
    # numbers and arrays
    (lambda: cuboid("a", 1, 1, 1000), r"cuboid\.width must be a finite number > 0 \[m\], got 'a'"),
    (lambda: cuboid(1, [1], 1, 1000), r"cuboid\.depth must be a finite number > 0 \[m\], got \[1\]"),
    (lambda: cuboid(1, 1, 1, "heavy"), r"cuboid\.density must be a finite number > 0 \[kg/m3\], got 'heavy'"),
    (lambda: cuboid(1, 1, 1, mass=None), r"cuboid needs exactly one of density \[kg/m3\] and mass \[kg\], got density="),
    (lambda: prism(SQUARE, 1, 1.0, mass=1.0), r"prism needs exactly one of density \[kg/m3\] and mass \[kg\], got density="),
    (lambda: cuboid(1, 1, 1, 1000, com=0.1), r"cuboid\.com must be 3 finite numbers \[m\], got 0\.1"),
    (lambda: cuboid(1, 1, 1, 1000, gravity="g"), r"cuboid\.gravity must be a finite number > 0 \[m/s2\]"),
    (lambda: hull(CORNERS), r"hull needs exactly one of density \[kg/m3\] and mass \[kg\]"),
    (lambda: hull(CORNERS, mass=1.0, inertia=[[1, 2], [3, 4]]), r"hull\.inertia must be 3 x 3 finite numbers \[kg m2\], got \[\[1, 2\], \[3, 4\]\]"),
    (lambda: hull(CORNERS, mass=1.0, inertia=0.1), r"hull\.inertia must be 3 x 3 finite numbers \[kg m2\], got 0\.1"),
    (lambda: hull(CORNERS, 1.0, inertia=np.eye(3)), r"hull\.inertia \[kg m2\] is given, so hull\.mass \[kg\] is needed"),
    (lambda: hull(CORNERS, 1.0, com="middle"), r"hull\.com must be 3 finite numbers \[m\], got 'middle'"),
    (lambda: hull(CORNERS, 1.0, com=[1.0]), r"hull\.com must be 3 finite numbers \[m\], got \[1\.0\]"),
    (lambda: hull(CORNERS, 1.0, gravity=-1), r"hull\.gravity must be a finite number > 0 \[m/s2\], got -1"),
    (lambda: polyhedron(CUBE, CUBE_FACES, -1.0), r"polyhedron\.density must be a finite number > 0 \[kg/m3\], got -1"),
    (lambda: polyhedron(CORNERS, density=1.0, settle="yes"), r"\w+\.settle must be true or false, got 'yes'"),
    (lambda: body(mass="a"), r"Body\.mass must be a finite number > 0 \[kg\], got 'a'"),
    (lambda: body(mass=0.0), r"Body\.mass must be a finite number > 0 \[kg\], got 0\.0$"),
    (lambda: body(mass=nan), r"Body\.mass must be a finite number > 0 \[kg\], got nan"),
    (lambda: body(mass=-3.5), r"Body\.mass must be a finite number > 0 \[kg\], got -3\.5"),
    (lambda: body(gravity=0.0), r"Body\.gravity must be a finite number > 0 \[m/s2\], got 0"),
    (lambda: body(gravity=inf), r"Body\.gravity must be a finite number > 0 \[m/s2\], got inf"),
    (lambda: check_bodies(np.array([1.0, -2.0, -3.0]), np.array([INERTIA] * 3), np.array([BASE] * 3)), r".*got -2 \(body 1 of 3\)"),
    # matter
    (lambda: body(inertia="heavy"), r"Body\.inertia must be an array of numbers of shape \(3, 3\) \[kg m2\]"),
    (lambda: body(inertia=[1.0, 2.0, 3.0]), r"Body\.inertia must have shape \(3, 3\) \[kg m2\], got \(3,\)"),
    (lambda: body(inertia=np.ones((2, 3))), r"Body\.inertia must have shape \(3, 3\) \[kg m2\], got \(2, 3\)"),
    (lambda: body(inertia=np.diag([4.0, nan, 1.0])), r"Body\.inertia must be finite \[kg m2\], got \[\[4\.0"),
    (lambda: body(inertia=INERTIA + np.eye(3, k=1)), r"Body\.inertia must be symmetric \[kg m2\], got \[\[4\.0, 1\.0"),
    (lambda: body(inertia=np.diag([4.0, 4.0, 0.0])), r"Body\.inertia must be positive definite; .* \[0\.0, 4\.0, 4\.0\] kg m2"),
    (lambda: body(inertia=np.diag([1.0, 2.0, 3.5])), r"Body\.inertia breaks .* they are \[1\.0, 2\.0, 3\.5\] kg m2"),
    (lambda: cuboid(0.4, 0.4, 1.6, 2000.0, com=(0.3, 0.0, 0.0)), r".*it lies 0\.1 m outside base edge 0"),
    (lambda: cuboid(0.4, 0.4, 1.6, 2000.0, com=(0.0, 0.0, -0.9)), r".*below the centre of mass"),
    (lambda: whole(com=(1.5, 0.5, 1.0)), r".*centre of mass must be inside the body; it lies 0\.5 m outside face 2"),
    (lambda: whole(com=(1.0, 0.5, 1.0)), r".*centre of mass must be inside the body; it lies on face 2"),
    # bases
    (lambda: body(vertices=[[1, 2], [3, 4]]), r"Body\.vertices must have shape \(n, 3\) \[m\], got \(2, 2\)"),
    (lambda: body(vertices=[[1, 2, 3], [4, 5]]), r"Body\.vertices must be an array of numbers of .* \(n, 3\) \[m\]"),
    (lambda: body(vertices=BASE[:2]), r"Body\.vertices must list at least 3 base vertices, got 2"),
    (lambda: body(vertices=changed(1, y=nan)), r"Body\.vertices must be finite \[m\], got \[\[0\.2"),
    (lambda: body(vertices=changed(2, z=-1.001)), r"Body.*in one plane .* z differ by 0\.001 m; for a whole body give faces"),
    (lambda: body(vertices=np.add(BASE, [0, 0, 1.5])), r"Body\.vertices must lie below .* < 0 m\), got z = 0\.5 m"),
    (lambda: body(vertices=changed(1, y=-0.2)), r"Body\.vertices: corners 0 and 1 coincide at \[0\.2, -0\.2\] m"),
    (lambda: body(vertices=BASE[::-1]), r"Body.*must run counter-clockwise seen from above; .* the order of its corners"),
    (lambda: body(vertices=[*BASE[:2], [0.0, 0.2, -1.0], *BASE[2:]]), r"Body.*corners of a convex polygon.*corner 2 at \[0\.0, 0\.2\] m .* is straight or turns the wrong way"),
    (lambda: body(vertices=[*BASE[:2], [0.0, 0.1, -1.0], *BASE[2:]]), r"Body.*corners of a convex polygon.*corner 2 at \[0\.0, 0\.1\] m .* is straight or turns the wrong way"),
    (lambda: body(vertices=np.column_stack([STAR, np.full(5, -1.0)])), r"Body\.vertices must go round the base once; the polygon crosses itself"),
    (lambda: body(vertices=np.add(BASE, [0.25, 0, 0])), r".*must stand over the .* lies 0\.05 m outside base edge 2"),
    (lambda: prism("square", 1, 1000), r"prism\.base must be an array of numbers of shape \(n, 2\) \[m\]"),
    (lambda: prism([0, 1, 2], 1, 1000), r"prism\.base must have shape \(n, 2\) \[m\], got \(3,\)"),
    (lambda: prism([(0.0, 0.0, 0.0)], 1.0, 1000), r"prism\.base must have shape \(n, 2\) \[m\], got \(1, 3\)"),
    (lambda: prism([(0, 0), (1, nan), (1, 1)], 1, 1000), r"prism\.base must be finite \[m\], got \[1\.0, nan\] at 1"),
    (lambda: prism(SQUARE[:2], 1.0, 1000), r"prism\.base must have at least 3 corners \[m\], got 2"),
    (lambda: prism(SQUARE[::-1], 1.0, mass=10.0), r"prism.*must run counter-clockwise seen from above; reverse the order of its corners"),
    (lambda: prism([(0, 0), (1, 0), (2, 0)], 1.0, mass=10.0), r".*(convex polygon|area)"),
    (lambda: prism([(0, 0), (2, 0), (2, 0), (0, 2)], 1.0, 1000), r"prism\.base: corners 1 and 2 coincide at \[2\.0, 0\.0\] m"),
    (lambda: prism(STAR, 1.0, 1000), r"prism\.base must go round the base once; the polygon crosses"),
    (lambda: prism(DENT, 1.0, 1000), r"prism\.base must be the corners of a convex polygon, .*; corner 2 at \[1\.0, 0\.2\] m is straight"),
    (lambda: frustum(DENT, 1.0, 1000, top_scale=0.5), r"frustum\.base must be the corners of a convex polygon, .*; corner 2 at \[1\.0, 0\.2\] m is straight"),
    (lambda: frustum(BULGE, 1.0, 1000, top=DENT), r"frustum\.top must be .*; corner 2 at \[1\.0, 0\.2\] m"),
    (lambda: frustum(SQUARE, 1, 1000, top_scale="a"), r"frustum\.top_scale must be a finite number > 0 \[1\], got 'a'"),
    (lambda: cone(), r"frustum needs exactly one of top_scale \[1\] and top \[m\], got top_scale=None, top=None"),
    (lambda: cone(top=MIDDLE, top_scale=0.5), r".*exactly one of top_scale .* and top \[m\], got top_scale=0\.5"),
    (lambda: cone(top_scale=0.0), r"frustum\.top_scale must be a finite number > 0 \[1\], got 0\.0"),
    (lambda: cone(top=MIDDLE[:3]), r"frustum\.top must have as many corners as the base, 4, got 3"),
    (lambda: cone(top=MIDDLE[::-1]), r"frustum\.top must run counter-clockwise seen from above"),
    (lambda: cone(top=[(-0.3, -0.3), (0.3, -0.1), (0.3, 0.3), (-0.3, 0.3)]), r"Body\.faces: face 1 must be plane; vertex \d is 0\.0\d+ m off its plane"),
    (lambda: cone(top=np.roll(MIDDLE, 1, axis=0)), r".*(must be plane|convex)"),
    (lambda: cone(top_scale=0.5, height=-1.0), r"frustum\.height must be a finite number > 0 \[m\], got -1\.0"),
    (lambda: cone(top_scale=0.5, com=(0.4, 0, 0)), r".*must stand over the inside of the base; it lies 0\.1 m"),
    (lambda: cone(top_scale=0.5, mass=3.0), r"frustum needs exactly one of density \[kg/m3\] and mass \[kg\]"),
    (lambda: drum(radius=0.0), r"cylinder\.radius must be a finite number > 0 \[m\], got 0\.0"),
    (lambda: drum(height=inf), r"cylinder\.height must be a finite number > 0 \[m\], got inf"),
    (lambda: drum(sides=2), r"cylinder\.sides must be an integer >= 3, got 2"),
    (lambda: drum(sides=6.5), r"cylinder\.sides must be an integer >= 3, got 6\.5"),
    (lambda: drum(sides="many"), r"cylinder\.sides must be an integer >= 3, got 'many'"),
    (lambda: drum(mass=1.0), r"cylinder needs exactly one of density \[kg/m3\] and mass \[kg\]"),
    (lambda: drum(com=(0.0, 0.0, 0.6)), r".*centre of mass must be inside the body; it lies 0\.1 m outside face 13"),
    (lambda: drum(com=(0.0, 0.0, -0.6)), r".*below the centre of mass"),
    # points
    (lambda: hull("rock.csv", 1.0), r"hull\.points must be an array of numbers of shape \(n, 3\) \[m\]"),
    (lambda: hull([[0, 0, 0], [1, 0]], 1.0), r"hull\.points must be an array of numbers of shape \(n, 3\) \[m\]"),
    (lambda: hull([[0, 0], [1, 0]], 1.0), r"hull\.points must have shape \(n, 3\) \[m\], got \(2, 2\)"),
    (lambda: hull(CUBE[:3], 1.0), r"hull\.points must list at least 4 points \[m\], got 3"),
    (lambda: hull(CUBE[:4], 1.0), r"hull\.points must enclose a volume \[m3\], but all 4 lie in one plane"),
    (lambda: hull([*CUBE, (0, inf, 0)], 1.0), r"hull\.points must be finite \[m\], got \[0\.0, inf, 0\.0\] at 8"),
    (lambda: hull(FLAT, 1.0), r".*fewer than 4 faces are wider than 1e-06 of the size; .*flat"),
    (lambda: polyhedron(FLAT, CUBE_FACES, 1.0), r".*fewer than 4 faces are wider than 1e-06 of the size; .*flat"),
    (lambda: polyhedron(NEEDLE, [(0, 1, 2), (0, 1, 3), (1, 2, 3), (0, 2, 3)], 1.0), r".*no face is wider than 1e-06 of the size; is the body flat\?"),
    (lambda: with_shape_error(CUBE[:3], 0.001, 0.1), r".*the 3 points must enclose a volume \[m3\]"),
    (lambda: with_shape_error(CUBE[:4], 0.001, 0.1), r".*the 4 points must enclose a volume \[m3\]"),
    (lambda: surface(std=-0.1), r"random_surface\.std must be a finite number >= 0 \[m\], got -0\.1"),
    (lambda: surface(correlation_length=0), r"random_surface\.correlation_length must be a finite number > 0 \[m\], got 0"),
    (lambda: surface(draw=-1), r"random_surface\.draw must be an integer >= 0"),
    (lambda: surface(places=[1, 2]), r"random_surface\.places must have shape \(n, 2\) \[m\], got \(2,\)"),
    # surfaces
    (lambda: polyhedron(CORNERS, 6, 1.0), r"polyhedron\.faces must list the vertex numbers of each face, as in .* got 6"),
    (lambda: polyhedron(CORNERS, [(0, 1, "a")] * 4, 1.0), r"polyhedron\.faces must list the vertex numbers of each face"),
    (lambda: polyhedron(CUBE, CUBE_FACES[:3], 1.0), r"polyhedron\.faces must list at least 4 faces, got 3"),
    (lambda: polyhedron(CUBE, CUBE_FACES[:5], 1.0), r"polyhedron.*must form a closed surface.*edge from vertex 4 to 5 belongs to 1 \(face 1\)"),
    (lambda: polyhedron(CUBE, (*CUBE_FACES, (0, 1, 5)), 1.0), r"polyhedron.*edge from vertex 0 to 1 belongs to 3 \(faces 0, 1, 6\)"),
    (lambda: polyhedron(CUBE, ((0, 1, 2, 9), *CUBE_FACES[1:]), 1.0), r"polyhedron\.faces: face 0 lists vertex 9, expected 0 to 7"),
    (lambda: polyhedron(CUBE[:6], PROJECTIVE_PLANE, 1.0), r"polyhedron\.faces \d and \d cannot be given one orientation"),
    (lambda: polyhedron(np.concatenate([CUBE, CUBE + 5]), TWO_CUBES, 1.0), r"polyhedron.*one closed surface; face 6 is apart from face 0"),
    (lambda: polyhedron(PUSHED_IN, OCTANTS, 1.0), r"Body\.vertices.*corners of a convex body; vertex \d is \S+ m outside face \d"),
    (lambda: body(faces=3), r"Body\.faces must list the vertex numbers of each face"),
    (lambda: Body(1.0, BLOCK.inertia, BLOCK.vertices, faces=tuple(face[::-1] for face in BLOCK.faces)), r".*turn the body inside out: its faces, .* enclose -1 m3"),
    (lambda: whole(CUBE_FACES[:5]), r".*nothing is on the other side of the edge from vertex 4 to 5 of face 1"),
    (lambda: whole((CUBE_FACES[0][::-1], *CUBE_FACES[1:])), r"Body\.faces 0 and 1 both run from vertex 1 to 0; .* polyhedron\(\)"),
    (lambda: whole(((0, 1), *CUBE_FACES[1:])), r".*face 0 must list at least 3 vertices, got 2"),
    (lambda: whole(((0, 1, 2, 8), *CUBE_FACES[1:])), r".*face 0 lists vertex 8, expected 0 to 7"),
    (lambda: whole(((0, 1, 2, 1), *CUBE_FACES[1:])), r".*face 0 lists a vertex twice: \[0, 1, 2, 1\]"),
    (lambda: whole(((0, 1, 2), (0, 2, 3), *CUBE_FACES[1:])), r"Body\.faces 0 and 1 must meet at an angle, convex and >= 1e-06 rad, got \S+ rad; polyhedron\(\)"),
    (lambda: whole(vertices=np.append(CUBE, [[0.5, 0.5, 1.0]], axis=0)), r"Body\.faces: vertex 8 belongs to no face; leave it out"),
    (lambda: whole(TWO_CUBES, np.concatenate([CUBE, CUBE + 5])), r".*16 vertices - 24 edges \+ 12 faces must be 2, got 4"),
    (lambda: whole(vertices=DENTED), r".*face 2 must be plane; vertex \d is 0\.\d+ m off its plane"),
    (lambda: whole(vertices=CUBE * [1, 1, 0], com=(0.5, 0.5, 0.0)), r"Body\.vertices 0 and 4 coincide at .* m \(face 1\)"),
    (lambda: whole(vertices=CUBE * [1, nan, 1]), r"Body\.vertices must be finite \[m\], got \[\[-0\.5, nan"),
    (lambda: whole(NOTCHED_FACES, NOTCHED, 0.0), r".*face 1 must be a convex polygon; its corner at vertex 8 is straight"),
    # numbers of faces, and axes
    (lambda: hull(CORNERS, 1.0, base_faces=0), r"hull\.base_faces must be a list of face numbers, as in \[0, 3\], got 0"),
    (lambda: hull(CORNERS, 1.0, base_faces="0"), r"hull\.base_faces must be a list of face numbers, .* got '0'"),
    (lambda: hull(CORNERS, 1.0, base_faces=["x"]), r"hull\.base_faces must be 0 to 5, got 'x'"),
    (lambda: hull(CORNERS, 1.0, start_face="x"), r"hull\.start_face must be 0 to 5, got 'x'"),
    (lambda: hull(CORNERS, 1.0, start_face=1.0), r"hull\.start_face must be 0 to 5, got 1\.0"),
    (lambda: hull(CORNERS, 1.0, start_face=-1), r"hull\.start_face must be 0 to 5, got -1"),
    (lambda: whole(start_face=6), r"Body\.start_face must be 0 to 5, got 6"),
    (lambda: whole(base_faces=[6]), r"Body\.base_faces must be 0 to 5, got 6"),
    (lambda: polyhedron(CUBE, CUBE_FACES, 1.0, start_face=6), r"polyhedron\.start_face must be 0 to 5, got 6"),
    (lambda: polyhedron(CUBE, CUBE_FACES, 1.0, base_faces=[6]), r"polyhedron\.base_faces must be 0 to 5, got 6"),
    (lambda: hull(CUBE, 1.0, base_faces=(0,), base_angle_deg=5.0), "hull: give one of base_faces and base_angle_deg"),
    (lambda: hull(CUBE, 1.0, base_angle_deg=0), r"hull\.base_angle_deg must be a finite number > 0 and <= 90 \[deg\]"),
    (lambda: hull(CUBE, 1.0, axis=(0, 0, 0)), r"hull\.axis must not be zero"),
    (lambda: hull(CUBE, 1.0, axis=(0, 1)), r"hull\.axis must be 3 finite numbers \[1\], got \(0, 1\)"),
    (lambda: hull(CUBE, 1.0, start_face=0, axis=(0, 0, -1)), r".*must lean by less than 90 deg when face 0 .* got 180\.0 deg"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "says"), REFUSED, ids=[says for _, says in REFUSED])
def test_what_is_no_body(make, says):
    with pytest.raises(ValueError, match=f"^{says}"):
        make()


@pytest.mark.parametrize("value", [0.0, -1.0, nan, inf])
@pytest.mark.parametrize(
    ("make", "usual"),
    [
        (cuboid, {"width": 0.4, "depth": 0.4, "height": 1.6}),
        (prism, {"base": SQUARE, "height": 1.6}),
        (frustum, {"base": SQUARE, "height": 1.6, "top_scale": 0.5}),
        (cylinder, {"radius": 0.4, "height": 1.6}),
        (hull, {"points": CUBE}),
    ],
)
def test_sizes_masses_and_densities_are_positive(make, usual, value):
    units = dict.fromkeys([name for name in usual if name not in ("base", "points")], "m")
    for name, unit in (units | {"top_scale": "1", "density": "kg/m3", "mass": "kg"}).items():
        if name == "top_scale" and name not in usual:
            continue
        weight = {} if name == "mass" else {"density": 2000.0}
        said = rf"{make.__name__}\.{name} must be a finite number > 0 \[{unit}\], got {value!r}"
        with pytest.raises(ValueError, match=said):
            make(**usual | weight | {name: value})


def test_inertia_beyond_all_matter_in_the_corners_is_worded_with_numbers():
    about = "principal moment 50 kg m2, .* all of the 100 kg .* 0\\.7071 m away, it would be 50"
    with pytest.raises(ValueError, match=f"{about}.*") as caught:
        hull(CORNERS, mass=100.0, com=(0.5, 0.5, 0.5), inertia=np.eye(3) * 50.001)
    assert "about the centre of mass" in str(caught.value)
    hull(CORNERS, mass=100.0, com=(0.5, 0.5, 0.5), inertia=np.eye(3) * 49.999)
    assert polyhedron(OCTAHEDRON, OCTANTS, 1.0).mass == pytest.approx(4 / 3)
