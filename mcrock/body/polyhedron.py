"""Bodies of any convex shape: from their points, from their faces, or as they were scanned.

Scans are point clouds in text files, and meshes of triangles in STL, OBJ and PLY.

trimesh reads the meshes: it is kept up, knows the variants of the three formats, asks for NumPy alone and
has the volume integrals. meshio reads finite element meshes first of all and has no mass properties;
Open3D and PyVista do much more and weigh a hundred times as much. What is wrong with a mesh is told here,
in numbers of edges and triangles, which trimesh answers with yes or no.

What a scan gets wrong, or rocks of one kind differ by, is a smooth random surface.

A surface is a sum of plane waves with random wave numbers, amplitudes and phases: at every place normal
with the stated standard deviation, and correlated over the horizontal distance r by exp(-r^2 / (2 l^2)).
It belongs to the number of its draw alone. Which points ask for it changes nothing, so that a scan and a
coarser one of the same rock meet the same surface.
"""

from __future__ import annotations

import hashlib
import logging
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from math import radians
from pathlib import Path
from typing import NamedTuple, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcrock.base.checks import Choice, Flag, Integer, Number, check_array, shared_keywords, shown
from mcrock.base.params import GRAVITY
from mcrock.base.units import LENGTHS, factor_to, plain_number
from mcrock.body.body import Body
from mcrock.body.faces import (
    Array,
    Faces,
    body_axes,
    downwards,
    face_normals,
    face_number,
    face_numbers,
    lowest_face,
    nearly_flat,
    solid_moments,
)
from mcrock.body.faces import settle as settled_face
from mcrock.body.solids import list_of_points, positive, weight_of
from mcrock.body.surface import Surface, hull_surface, surface_of, warn_if_shallow

WAVES = 512  # of a surface; the kurtosis of its slopes exceeds that of a normal one by 6 / WAVES [1]
SECTION = 4096  # places worked out together [1]
REACH = 8.0  # standard deviations that no surface exceeds in practice: P < 2e-15 at a place [1]
UNDERSIDE = 45.0  # inclination to the ground of the steepest face of the underside [deg]
# random stream of the surfaces, made as those of the designs
STREAM = int.from_bytes(hashlib.blake2b(b"body.shape_error", digest_size=8).digest(), "little")


def random_surface(
    places: ArrayLike, std: float, correlation_length: float, *, seed: int = 0, draw: int = 0
) -> Array:
    """Heights of a smooth random surface.

    Parameters
    ----------
    places : array_like (n, 2)
        Horizontal coordinates [m].
    std : float
        Standard deviation of the heights over the draws, which have the mean 0 [m].
    correlation_length : float
        Horizontal distance at which heights have the correlation exp(-1/2) = 0.61 [m].
    seed, draw : int
        Surfaces of two draws, or of two seeds, are independent. With those of a study they are its surfaces.

    Returns
    -------
    ndarray (n,)
        [m].

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> heights = random_surface([(0.0, 0.0), (0.001, 0.0), (1.0, 0.0)], 0.002, 0.05, draw=3)
    >>> print((1000 * heights).round(2))
    [ 0.66  0.63 -0.28]
    """
    from mcrock.base.random_numbers import (
        uniforms,  # compiled code, which bodies without a surface do without
    )

    xy = list_of_points("random_surface.places", places, 2)
    std = Number("m", least=0.0).check("random_surface.std", std)
    length = Number("m", above=0.0).check("random_surface.correlation_length", correlation_length)
    seed, draw = (
        Integer(0).check(f"random_surface.{name}", value) for name, value in (("seed", seed), ("draw", draw))
    )
    u = [uniforms(seed, STREAM, 0, WAVES, 4 * draw + k) for k in range(4)]
    amplitude, phase = np.sqrt(-2.0 * np.log(u[0])), 2 * np.pi * u[1]
    number, direction = np.sqrt(-2.0 * np.log(u[2])) / length, 2 * np.pi * u[3]
    kx, ky = number * np.cos(direction), number * np.sin(direction)
    heights = np.empty(len(xy))
    for start in range(0, len(xy), SECTION):
        x, y = xy[start : start + SECTION, :1], xy[start : start + SECTION, 1:]
        heights[start : start + SECTION] = (amplitude * np.cos(kx * x + ky * y + phase)).sum(axis=1)
    return std / np.sqrt(WAVES) * heights


def underside(points: Array, within: float, steepest: float = UNDERSIDE) -> NDArray[np.bool_]:
    """Mask of the points on the underside of their hull (n,).

    Parameters
    ----------
    points : ndarray (n, 3)
        With z up [m].
    within : float
        Depth below a face of the underside up to which points inside the hull belong to it [m].
    steepest : float
        Inclination to the ground of the steepest face of the underside [deg].
    """
    planes = _planes(points)
    down = planes[-planes[:, 2] > np.cos(np.radians(steepest))]
    return _depth(points, down) <= max(within, _rounding(points))


def near_surface(points: Array, within: float) -> NDArray[np.bool_]:
    """Mask of the points at most ``within`` [m] inside their hull (n,)."""
    return _depth(points, _planes(points)) <= max(within, _rounding(points))


def with_shape_error(
    points: ArrayLike,
    std: float,
    correlation_length: float,
    *,
    seed: int = 0,
    draw: int = 0,
    underside_deg: float = UNDERSIDE,
) -> Array:
    """Points of a body whose underside has a smooth random error.

    The points of the underside are moved up or down by a `random_surface`; the others stay. The underside
    are the corners of all faces of the convex hull that look down and lie within ``underside_deg`` of the
    horizontal, and points inside the hull that are within eight standard deviations of such a face, as the
    surface may bring them out.

    Parameters
    ----------
    points : array_like (n, 3)
        At least 4, with z up as the body stands [m].
    std, correlation_length, seed, draw
        As `random_surface`; without an error (0 m) the points come back as they are.
    underside_deg : float
        In (0, 90] [deg].

    Returns
    -------
    ndarray (n, 3)
        In the order of the points; `hull` makes the body of them [m].

    Raises
    ------
    ValueError
        If the points enclose no volume, or an argument is out of range.

    Examples
    --------
    >>> from mcrock.body import hull
    >>> corners = [(x, y, z) for x in (0.0, 0.4) for y in (0.0, 0.4) for z in (0.0, 1.6)]
    >>> moved = with_shape_error(corners, 0.001, 0.1)
    >>> print((1000 * (moved - corners)[:, 2]).round(2))
    [0.16 0.   1.41 0.   0.24 0.   1.15 0.  ]
    >>> len(hull(moved, 2600).faces)  # two of them in the place of the base
    7
    """
    found = list_of_points("with_shape_error.points", points, 3)
    std = Number("m", least=0.0).check("with_shape_error.std", std)
    steepest = Number("deg", above=0.0, most=90.0).check("with_shape_error.underside_deg", underside_deg)
    moved = underside(found, REACH * std, steepest)
    found[moved, 2] += random_surface(found[moved, :2], std, correlation_length, seed=seed, draw=draw)
    return found


def _planes(points: Array) -> Array:
    """Outward normals [1] and offsets [m] of the planes of the hull (n_plane, 4)."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        equations = ConvexHull(points).equations
    except (QhullError, ValueError):
        raise ValueError(f"the {len(points)} points must enclose a volume [m3]") from None
    return np.unique(equations, axis=0)  # the triangles of a plane share its equation


def _depth(points: Array, planes: Array) -> Array:
    """Distance of each point from the nearest of the planes (n,) [m]; inf without any."""
    depth = np.full(len(points), np.inf)
    for start in range(0, len(planes) if len(points) else 0, size := max(1, 2**22 // len(points))):
        some = planes[start : start + size]
        np.minimum(depth, -(points @ some[:, :3].T + some[:, 3]).max(axis=1), out=depth)
    return depth


def _rounding(points: Array) -> float:
    """Distance from a plane of the hull that is rounding [m]."""
    return 1e-9 * float(np.ptp(points, axis=0).max())


MESHES = (".stl", ".obj", ".ply")  # suffixes of the names of files
UP = ("z", "y", "x", "-z", "-y", "-x")  # axes of a file that may be up
LARGEST = 2**29  # file [bytes]
MOST_CORNERS = (
    20_000  # of a convex hull: a run reads all at every step, and a scan of millions of points has fewer
)
FINE, COARSE = 1e-4, 0.01  # of the size of a body: steps of its coordinates to warn of, and to refuse [1]
PRINTED = 0.1  # of a step: how far a number in single precision is from what nine digits of it say [1]
HEADS = re.compile(r"\b([xyz])\s*[\[(]([^\])]*)[\])]", re.IGNORECASE)  # names of columns with their units
ELSEWHERE = "or give com, inertia and mass, which then need no closed mesh"


class Scan(NamedTuple):
    """Points of a surface, and its triangles if they are known."""

    points: Array  # (n, 3) [m]; of a mesh those of its triangles, each once
    triangles: NDArray[np.int64] | None  # (n_triangle, 3) numbers of points, counter-clockwise from outside
    name: str  # of the file, for messages

    @np.errstate(all="ignore")  # what overflows is refused as not finite
    def solid(self) -> tuple[float, Array, Array]:
        """Volume [m3], centroid (3,) [m] and inertia about it per mass (3, 3) [m2] of a closed mesh.

        The mesh need not be convex, and may have closed cavities.

        Raises
        ------
        ValueError
            If the triangles do not close one surface with its outside out: says how many edges are open or
            triangles inverted, and what to do.
        """
        check_closed(self)
        from trimesh.triangles import mass_properties

        middle = self.points.mean(axis=0)
        found = mass_properties((self.points - middle)[self.triangles])
        volume = float(found.volume)
        return volume, found.center_mass + middle, np.asarray(found.inertia) / volume


def is_mesh(path: str | Path) -> bool:
    """Whether the name of a file is that of a mesh."""
    return Path(path).suffix.lower() in MESHES


def read_scan(path: str | Path, unit: str | None = None, up: str = "z") -> Scan:
    """Read the points of a scan, all of them, with z up.

    Parameters
    ----------
    path : str or Path
        Mesh (.stl, .obj or .ply), or text file with a point x y z on each line.
    unit : str, optional
        Unit of its lengths: "m", "cm", "mm", "in" or "ft". Meshes do not say theirs, so that it has to be
        given; text files are in m unless it is, or a line above the points says it.
    up : str
        Axis of the file that is up, "x", "y", "z", "-x", "-y" or "-z": the smallest rotation turns it to z,
        half a turn about x from -z.

    Returns
    -------
    Scan
        Points in m, turned. Triangles without area and points of none are left out.

    Raises
    ------
    ValueError
        If the file cannot be read, holds no points, a mesh comes without its unit, or its coordinates are so
        large that single precision has rounded them to more than a hundredth of the body.

    Warns
    -----
    UserWarning
        If it has rounded them to more than a ten-thousandth.
    """
    file = Path(path)
    if unit is not None:
        Choice(tuple(LENGTHS)).check("read_scan.unit", unit)
    Choice(UP).check("read_scan.up", up)
    factor = LENGTHS[unit or "m"]
    if file.is_fifo():  # which would be waited for
        raise ValueError(f"{path}: is a pipe, expected a file")
    if not is_mesh(file):
        rows, said = read_points(file)
        points = np.array(rows, float).reshape(-1, 3)
        if unit and said and factor_to(said, "m") != factor:
            raise ValueError(f"{path}: its first lines name the unit {said!r}, and unit = {unit!r} is given")
        _check_step(points, said or unit or "m", file)
        return Scan(_upright((factor_to(said, "m") or factor) * points, up), None, str(path))
    if unit is None:
        raise ValueError(
            f"{path}: a mesh does not say the unit of its lengths: give unit = 'm', 'cm', 'mm', 'in' or 'ft'"
        )
    points, triangles = _read_mesh(file)
    _check_step(points, unit, file)
    points = factor * points
    if not np.isfinite(points).all():
        raise ValueError(f"{path}: the points must be finite numbers, and some are not")
    points = _upright(points, up) + 0.0  # no negative zeros, which differ from others
    points, number = _each_once(points)
    if triangles is None:
        return Scan(points, None, str(path))
    triangles = number[triangles]
    first, second, third = triangles.T
    triangles = triangles[(first != second) & (second != third) & (third != first)]
    used = np.unique(triangles)
    return Scan(points[used], np.searchsorted(used, triangles), str(path))


@np.errstate(over="ignore", invalid="ignore")  # of what no single precision holds
def _check_step(points: Array, unit: str, path: Path) -> None:
    """Refuse corners (n, 3) that single precision has moved by much of the body, and warn of less."""
    single = points.astype(np.float32)
    if not len(points) or (np.abs(points - single) > PRINTED * np.spacing(np.abs(single))).any():
        return
    size, step = np.ptp(points, axis=0), np.spacing(np.abs(single).max(axis=0))
    share = np.divide(step, size, out=np.zeros(3), where=size > 0)
    worst = int(share.argmax())
    largest, width = np.abs(points[:, worst]).max(), size[worst]
    words = (
        f"{path}: coordinates up to {largest:.4g} {unit} in single precision are rounded to "
        f"{step[worst]:.2g} {unit}, and the body is {width:.4g} {unit} wide there: subtract a common offset "
        "before the export"
    )
    if share[worst] > COARSE:
        raise ValueError(words)
    if share[worst] > FINE:
        warnings.warn(words, UserWarning, stacklevel=3)


def _each_once(points: Array) -> tuple[Array, NDArray[np.int64]]:
    """Points in order, each once, and the number of every given one; a third of `numpy.unique`'s time."""
    order = np.lexsort(points.T[::-1])
    ordered = points[order]
    new = np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)])
    number = np.empty(len(points), np.int64)
    number[order] = np.cumsum(new) - 1
    return ordered[new], number


def _upright(points: Array, up: str) -> Array:
    """Points (n, 3) [m] after the smallest rotation that turns an axis of theirs to z.

    >>> _upright(np.array([[0.1, 0.2, 0.3]]), "y")
    array([[ 0.1, -0.3,  0.2]])
    """
    if up == "z":
        return points
    down = np.array([[-1.0 if axis == up[-1] else 0.0 for axis in "xyz"]])
    return points @ downwards(-down if up.startswith("-") else down)[0].T


def _read_mesh(path: Path) -> tuple[Array, NDArray[np.int64] | None]:
    """Points and triangles of a mesh file as they stand there."""
    try:
        import trimesh
    except ImportError:
        raise ValueError(f"{path}: meshes are read by trimesh: pip install 'mcrock[mesh]'") from None
    kind = path.suffix.lower().removeprefix(".")
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror}") from None
    if len(content) > LARGEST:
        raise ValueError(f"{path}: has more than {LARGEST >> 20} MiB, which is more than any scan needs")
    log = logging.getLogger("trimesh")
    before, log.disabled = log.disabled, True  # it prints tracebacks of what nobody needs, as of textures
    try:
        with np.errstate(all="ignore"):  # as bytes, so that no other file is opened that the mesh names
            scene = trimesh.load_scene(BytesIO(content), file_type=kind, process=False, skip_materials=True)
        pieces = list(scene.geometry.values())
        points = [np.asarray(piece.vertices, float).reshape(-1, 3) for piece in pieces]
        faces = [np.asarray(getattr(piece, "faces", []), np.int64).reshape(-1, 3) for piece in pieces]
        for corners, numbers in zip(points, faces, strict=True):
            corners[numbers]  # raises where a triangle names no point
    except Exception as error:  # of any kind, whatever the bytes are
        raise ValueError(f"{path}: not a file in {kind.upper()} that trimesh reads: {error}") from None
    finally:
        log.disabled = before
    if not sum(map(len, points)):
        raise ValueError(f"{path}: no triangles and no points were found: is it in {kind.upper()}?")
    starts = np.cumsum([0, *map(len, points)])
    triangles = np.vstack([numbers + start for numbers, start in zip(faces, starts, strict=False)])
    return np.vstack(points), triangles if len(triangles) else None


def check_closed(scan: Scan) -> None:
    """Refuse triangles that are not one closed surface with its outside out; ValueError as `Scan.solid`."""
    if scan.triangles is None or not len(scan.triangles):
        raise ValueError(f"{scan.name}: points without triangles enclose no solid; read a mesh, {ELSEWHERE}")
    corners = scan.triangles
    begin, end = corners.ravel(), np.roll(corners, -1, axis=1).ravel()
    owner = np.repeat(np.arange(len(corners)), 3)
    low, high = np.minimum(begin, end), np.maximum(begin, end)
    key = low * len(scan.points) + high  # numbers are sorted ten times as fast as pairs
    edges, edge, count = np.unique(key, return_inverse=True, return_counts=True)
    if (count != 2).any():
        first = scan.points[list(divmod(edges[np.argmax(count != 2)], len(scan.points)))]
        raise ValueError(
            f"{scan.name}: the mesh is not closed: {_number((count == 1).sum(), 'edge')} of "
            f"{_number(len(corners), 'triangle')} {_belong((count == 1).sum())} to one triangle alone and "
            f"{(count > 2).sum()} to more than two, the first from {first[0].round(6).tolist()} to "
            f"{first[1].round(6).tolist()} m; close its holes and remove what is double in the program that "
            f"made it, {ELSEWHERE}"
        )
    order = np.argsort(edge, kind="stable")
    one, other = owner[order[::2]], owner[order[1::2]]
    alike = begin[order[::2]] == begin[order[1::2]]  # neighbours run along their edge in opposite directions
    inverted = _inverted(len(corners), one, other, alike)
    if inverted is None:
        raise ValueError(
            f"{scan.name}: the triangles have no outside, as those of a Moebius strip: mend the mesh, "
            f"{ELSEWHERE}"
        )
    if inverted:
        raise ValueError(
            f"{scan.name}: {_number(inverted, 'triangle')} of {len(corners)} {_belong(inverted, 'face')} the "
            "other way than the rest: let the program that made the mesh make its normals consistent, "
            f"{ELSEWHERE}"
        )
    _check_pieces(scan, one, other)


def _check_pieces(scan: Scan, one: NDArray[np.int64], other: NDArray[np.int64]) -> None:
    """Refuse a closed surface with its inside out, and several that are not one solid with cavities."""
    assert scan.triangles is not None
    pieces, label = _connected(len(scan.triangles), one, other)
    arms = (scan.points - scan.points.mean(axis=0))[scan.triangles]
    parts = np.einsum("ni,ni->n", arms[:, 0], np.cross(arms[:, 1], arms[:, 2])) / 6.0
    volume = np.bincount(label, weights=parts, minlength=pieces)
    if volume.sum() <= 0:
        raise ValueError(
            f"{scan.name}: all triangles face inwards, as they enclose {volume.sum():.4g} m3: invert the "
            f"normals in the program that made the mesh, {ELSEWHERE}"
        )
    solids = np.sort(volume[volume > 0])[::-1]
    if len(solids) > 1:
        raise ValueError(
            f"{scan.name}: the mesh has {len(solids)} separate solids, of {solids[0]:.4g} m3 down to "
            f"{solids[-1]:.4g} m3: remove what is not part of the body, or join what overlaps, {ELSEWHERE}"
        )


def _inverted(
    n: int, one: NDArray[np.int64], other: NDArray[np.int64], alike: NDArray[np.bool_]
) -> int | None:
    """Fewest of ``n`` triangles to turn round so that all neighbours agree; None if that cannot be."""
    if not alike.any():
        return 0
    # every triangle twice, as it is and turned round; what goes together is connected
    swap = np.where(alike, n, 0)
    ends = np.concatenate([one, one + n]), np.concatenate([other + swap, (other + n - swap)])
    _, label = _connected(2 * n, *ends)
    if (label[:n] == label[n:]).any():
        return None
    kept = np.bincount(label[:n], minlength=label.max() + 1)
    turned = np.bincount(label[n:], minlength=label.max() + 1)
    return int(np.minimum(kept, turned).sum()) // 2  # each piece has two labels


def _connected(n: int, one: NDArray[np.int64], other: NDArray[np.int64]) -> tuple[int, NDArray[np.int32]]:
    """Number of pieces of a graph, and the piece of each of its ``n`` nodes."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    return connected_components(
        coo_array((np.ones(len(one), np.int8), (one, other)), shape=(n, n)), directed=False
    )


def _number(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _belong(n: int, verb: str = "belong") -> str:
    return f"{verb}s" if n == 1 else verb


def read_points(path: Path) -> tuple[list[list[float]], str]:
    """Points of a text file: one to a line, x y z with commas or blanks between; ``#`` comments.

    The unit of its lengths is that of a line of names above them, as in ``x [mm], y [mm], z [mm]``, also in a
    comment; empty without one.

    Raises
    ------
    ConfigError
        With file and line, if the file cannot be read, a line does not hold 3 finite numbers, or one above
        them names no length.
    """
    from mcrock.base.tables.parsing import (
        ConfigError,  # what reads study files takes a moment to import
        read_data,
    )

    text, said = read_data(path), ""
    points: list[list[float]] = []
    for line, content in enumerate(text.splitlines(), start=1):
        names = [] if points else HEADS.findall(content)
        if [axis.lower() for axis, _ in names] == ["x", "y", "z"]:
            units = {unit.strip() for _, unit in names}
            said = units.pop()
            if units or factor_to(said, "m") is None:
                raise ConfigError(
                    f"{path}, line {line}: expected one unit of length, got {content.strip()!r}"
                )
            continue
        fields = content.partition("#")[0].replace(",", " ").split()
        if not fields:
            continue
        try:
            point = [plain_number(field) for field in fields]
        except ValueError:
            point = []
        if len(point) != 3:
            raise ConfigError(f"{path}, line {line}: expected 3 numbers x, y, z, got {content.strip()!r}")
        points.append(point)
    return points, said


def hull_corners(points: ArrayLike, within: float = 0.0) -> NDArray[np.int64]:
    """Numbers of the points that are corners of the convex hull, or not deeper inside it than ``within`` [m].

    No corner is left out, not even of faces that differ by rounding. ValueError if the points enclose no
    volume or more than `MOST_CORNERS` are corners.
    """
    from scipy.spatial import ConvexHull, QhullError

    there = np.asarray(points, float)
    try:
        corners = ConvexHull(there).vertices
    except (QhullError, ValueError):
        raise ValueError(f"the {len(there)} points must enclose a volume [m3], got {shown(there)}") from None
    if len(corners) > MOST_CORNERS:
        raise ValueError(
            f"the convex hull of the {len(there)} points has {len(corners)} corners, more than "
            f"{MOST_CORNERS}: reduce the mesh in the program that made it, as to 20,000 triangles"
        )
    kept = np.zeros(len(there), np.bool_)
    kept[corners] = True
    if within > 0:
        kept |= near_surface(there, within)
    return np.flatnonzero(kept)


class SolidKeywords(TypedDict, total=False):
    """Fields of `SolidOptions` as keywords."""

    mass: float | None
    com: ArrayLike | None
    inertia: ArrayLike | None
    start_face: int | None
    axis: ArrayLike | None
    base_faces: tuple[int, ...] | None
    base: Mapping[str, float] | None
    gravity: float
    base_angle_deg: float | None
    settle: bool


@dataclass(frozen=True, kw_only=True)
class SolidOptions:
    """What a body is made of, how it is put down and what counts as base, as `polyhedron` takes them."""

    mass: float | None = None
    com: ArrayLike | None = None
    inertia: ArrayLike | None = None
    start_face: int | None = None
    axis: ArrayLike | None = None
    base_faces: tuple[int, ...] | None = None
    base: Mapping[str, float] | None = None
    gravity: float = GRAVITY
    base_angle_deg: float | None = None
    settle: bool = False


@shared_keywords(SolidOptions)
def polyhedron(
    vertices: ArrayLike,
    faces: Faces | None = None,
    density: float | None = None,
    **keywords: Unpack[SolidKeywords],
) -> Body:
    """Convex body from its vertices and faces.

    Faces in one plane are merged, and vertices that are not corners then are dropped: neighbours whose
    normals differ by less than 1e-6 rad are one face. A merged face takes the place of the first of
    its parts; otherwise faces and vertices keep their order.

    Parameters
    ----------
    vertices : array_like (n, 3)
        In any axes [m].
    faces : tuple of tuples of int, optional
        Vertices of each face in order round it, either way; the faces of the hull by default.
    density, mass : float
        One of the two [kg/m3], [kg].
    com : array_like (3,), optional
        Position of the COM in the axes of the vertices [m]; the centroid by default.
    inertia : array_like (3, 3), optional
        About the COM, in the axes of the vertices [kg m2], with ``mass``; by default that of the
        homogeneous body about its centroid.
    start_face : int, optional
        Face on which the body starts, by its number in ``faces``; by default the face whose outward
        normal is closest to -z, of equal ones one that carries the body. A body that it does not carry
        (`Body.face_stable`) rolls off it at the start of a run, unless it is to ``settle``.
    axis : array_like (3,), optional
        Axis from which tilt is measured, in the axes of the vertices; by default the inward normal of
        the start face. It becomes body z.
    base_faces : tuple of int, optional
        Faces that count as base, see `Body`, by their numbers in ``faces``.
    base : mapping, optional
        A circle that the start face stands for, as ``{"rim": 0.1}``, with its radius [m]; see `Body`.
    gravity : float
        [m/s2].
    base_angle_deg : float, optional
        In the place of ``base_faces``: faces that join the start face count as base where they are inclined
        to it by less, in (0, 90] [deg]; 5 by default.
    settle : bool
        Put the body down slowly on the start face, as a study does: it rolls over the side that its COM is
        farthest outside of until a face carries it, which is its start face then.

    Returns
    -------
    Body

    Raises
    ------
    ValueError
        If the faces are not a closed convex surface, or the body cannot exist.

    Warns
    -----
    UserWarning
        If neighbouring faces meet at 1e-6 to 1e-3 rad: the motion depends on whether such faces
        are one.

    Examples
    --------
    >>> wedge = polyhedron(
    ...     [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
    ...     [(0, 1, 2), (0, 1, 3), (1, 2, 3), (2, 0, 3)],
    ...     mass=6.0,
    ... )
    >>> round(wedge.com_height, 4), wedge.face_stable.tolist()
    (0.25, [True, True, True, True])
    """
    points = list_of_points("polyhedron.vertices", vertices, 3)
    how = SolidOptions(**keywords)
    if faces is None:
        return _body("hull", points, hull_surface(points, "hull.points"), density, how)
    surface = surface_of(points, faces)
    n_face = len(surface.face_map)
    if how.start_face is not None:
        given = face_number("polyhedron.start_face", how.start_face, n_face)
        how = replace(how, start_face=int(surface.face_map[given]))
    if how.base_faces is not None:
        listed = face_numbers("polyhedron.base_faces", how.base_faces, n_face)
        how = replace(how, base_faces=tuple(surface.face_map[list(listed)].tolist()))
    return _body("polyhedron", points, surface, density, how)


@shared_keywords(SolidOptions)
def hull(points: ArrayLike, density: float | None = None, **keywords: Unpack[SolidKeywords]) -> Body:
    """Convex hull of points, in any order; points inside it are left out.

    The corners keep the order of the points. Faces are numbered by their vertices in ascending
    order: the face with vertices 0, 1 and 4 comes before that with 0, 2 and 3.

    Parameters
    ----------
    points : array_like (n, 3)
        At least 4, in any axes [m].
    density, mass, com, inertia, axis, base, gravity, base_angle_deg, settle
        As `polyhedron`.
    start_face, base_faces : int, tuple of int, optional
        As `polyhedron`, by the numbers of the faces of the hull.

    Returns
    -------
    Body

    Raises
    ------
    ValueError
        If the points enclose no volume, or the body cannot exist.

    Warns
    -----
    UserWarning
        As `polyhedron`.

    Examples
    --------
    >>> corners = [(x, y, z) for x in (0.0, 0.4) for y in (0.0, 0.4) for z in (0.0, 1.6)]
    >>> block = hull([*corners, (0.2, 0.2, 0.8)], density=2600)
    >>> round(block.frequency, 4), block.base.shape
    (2.987, (4, 3))
    """
    corners = list_of_points("hull.points", points, 3)
    return _body("hull", corners, hull_surface(corners, "hull.points"), density, SolidOptions(**keywords))


@shared_keywords(SolidOptions)
def scanned(
    path: str | Path,
    density: float | None = None,
    *,
    unit: str | None = None,
    up: str = "z",
    **keywords: Unpack[SolidKeywords],
) -> Body:
    """Body of a scan: the convex hull of its points touches the ground, the mesh itself has the mass.

    No point is left out of the hull. Volume, centroid and inertia are those of the closed mesh, which need
    not be convex; those of a point cloud are of its hull.

    Parameters
    ----------
    path : str or Path
        Mesh (.stl, .obj, .ply; needs trimesh, ``pip install 'mcrock[mesh]'``), or text file with a point
        x y z on each line.
    density, mass : float
        One of the two [kg/m3], [kg].
    unit : str
        Unit of the lengths in the file, "m", "cm", "mm", "in" or "ft"; required for a mesh.
    up : str
        Axis of the file that is up, as `read_scan`. All other arguments are in the axes after it, z up.
    com : array_like (3,), optional
        Position of the COM in the axes of the file, whatever its unit is in [m]; the centroid by default.
    inertia : array_like (3, 3), optional
        About the COM, in the axes of the file [kg m2], with ``mass``. A mesh with ``com`` and ``inertia``
        from elsewhere need not be closed.
    start_face, axis, base_faces, base, gravity, base_angle_deg, settle
        As `hull`.

    Returns
    -------
    Body

    Raises
    ------
    ValueError
        If the file cannot be read, its unit is missing, or the mesh is not closed or inside out: says where,
        and what to do; and as `hull`.

    Warns
    -----
    UserWarning
        As `hull`.
    """
    how, scan = SolidOptions(**keywords), read_scan(path, unit, up)
    if is_mesh(path) and (how.com is None or how.inertia is None):
        volume, centroid, spread = scan.solid()
        mass = float(weight_of("scanned", density, how.mass).of(np.array([volume]))[0])
        com = centroid if how.com is None else how.com
        how = replace(how, mass=mass, com=com, inertia=mass * spread if how.inertia is None else how.inertia)
        density = None
    corners = scan.points[hull_corners(scan.points)]
    return _body("hull", corners, hull_surface(corners, "hull.points"), density, how)


def _body(name: str, points: Array, surface: Surface, density: float | None, how: SolidOptions) -> Body:
    corners, faces = points[surface.kept], surface.faces
    volume, centroid, spread = (array[0] for array in solid_moments(corners[None], faces))
    if how.inertia is not None and how.mass is None:
        raise ValueError(f"{name}.inertia [kg m2] is given, so {name}.mass [kg] is needed too")
    mass = float(weight_of(name, density, how.mass).of(volume[None])[0])
    centre = centroid if how.com is None else check_array(f"{name}.com", how.com, (3,), "m")
    about = mass * spread
    if how.inertia is not None:
        about = check_array(f"{name}.inertia", how.inertia, (3, 3), "kg m2")
    relative = corners - centre
    if how.start_face is None:
        start = lowest_face(relative, faces)
    else:
        start = face_number(f"{name}.start_face", how.start_face, len(faces))
    if Flag().check(f"{name}.settle", how.settle):
        start = settled_face(relative, faces, start)
    axis = None if how.axis is None else check_array(f"{name}.axis", how.axis, (3,), "1")
    if axis is not None and not axis.any():
        raise ValueError(f"{name}.axis must not be zero")
    gravity = positive(f"{name}.gravity", how.gravity, "m/s2")
    turn = body_axes(face_normals(corners[None], (faces[start],))[0], axis)[0]
    warn_if_shallow(name, corners, faces)
    base = _base_faces(name, relative, faces, start, how)
    about, relative = turn @ about @ turn.T, relative @ turn.T
    return Body(mass, about, relative, gravity, faces, start, base, **(how.base or {}))  # type: ignore[arg-type]


def _base_faces(
    name: str, relative: Array, faces: Faces, start: int, how: SolidOptions
) -> tuple[int, ...] | None:
    """Faces that count as base, if that is given, by their numbers or their inclination to the start face."""
    if how.base_faces is not None and how.base_angle_deg is not None:
        raise ValueError(f"{name}: give one of base_faces and base_angle_deg")
    if how.base_angle_deg is not None:
        angle = Number("deg", above=0.0, most=90.0).check(f"{name}.base_angle_deg", how.base_angle_deg)
        return nearly_flat(relative, faces, start, radians(angle))
    return None if how.base_faces is None else face_numbers(f"{name}.base_faces", how.base_faces, len(faces))
