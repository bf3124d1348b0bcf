"""Scans of bodies: point clouds in text files, and meshes of triangles in STL, OBJ and PLY.

trimesh reads the meshes: it is kept up, knows the variants of the three formats, asks for NumPy alone and
has the volume integrals. meshio reads finite element meshes first of all and has no mass properties;
Open3D and PyVista do much more and weigh a hundred times as much. What is wrong with a mesh is told here,
in numbers of edges and triangles, which trimesh answers with yes or no.
"""

from __future__ import annotations

import logging
import re
import warnings
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcrock.base.checks import Choice, shown
from mcrock.base.units import LENGTHS, factor_to, plain_number
from mcrock.body.faces import Array
from mcrock.body.frame import downwards

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
    from mcrock.base.tables.errors import ConfigError  # what reads study files takes a moment to import
    from mcrock.base.tables.parsing import read_data

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

    from mcrock.body.random_surface import near_surface

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
