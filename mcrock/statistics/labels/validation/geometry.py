"""A body as scanned, with its uncertainties, from a JSON file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from mcrock.base.tables.errors import ConfigError
from mcrock.base.tables.parsing import read_json

Array = NDArray[np.float64]

TAPER = 0.8  # of the top that closes the body, over the outline of its underside [1]
COM_SD = 0.003  # of the centre of mass along each axis, where the file says nothing [m]
AZIMUTH_SD = 10.0  # of the direction of shaking [deg]


@dataclass(frozen=True, eq=False)
class Geometry:
    """A scanned body with its uncertainties, for `validation_study`.

    Attributes
    ----------
    points : ndarray (n, 3)
        Points that may touch the ground, relative to the centre of mass, z up as the body stands [m].
    top : float
        Height of its highest point above the centre of mass [m].
    mass : float
        Mass [kg].
    inertia : ndarray (3, 3)
        About the centre of mass [kg m2].
    com_sd : ndarray (3,)
        Standard deviations of the position of the centre of mass along x, y and z [m].
    azimuth_deg : float
        Direction in which it falls most easily, from x towards y [deg]; 0 where the file has none.
    name : str
        Name of the specimen, or of the file.
    """

    points: Array
    top: float
    mass: float
    inertia: Array
    com_sd: Array
    azimuth_deg: float
    name: str

    def vertices(self, inset: float = 0.0) -> Array:
        """Points of the underside, then those of a lid (m, 3) [m].

        The lid touches no ground before the body has tilted by 90 degrees.

        Parameters
        ----------
        inset : float
            Distance by which the points of the underside move towards the vertical through the centre of
            mass, for edges that are rounded or crush [m].

        Raises
        ------
        ValueError
            If the inset is negative, or half of the way to the farthest point and more.
        """
        away = np.linalg.norm(self.points[:, :2], axis=1)
        if not 0.0 <= inset < 0.5 * away.max():
            raise ValueError(
                f"inset must be from 0 to below {0.5 * away.max():.3g} m, half of the underside of "
                f"{self.name}, got {inset:g} m"
            )
        reach = np.maximum(away, inset + 1e-9)
        points = self.points * np.column_stack(
            [1.0 - inset / reach, 1.0 - inset / reach, np.ones(len(reach))]
        )
        outline = points[ConvexHull(points[:, :2]).vertices, :2]
        middle = outline.mean(axis=0)
        lid = np.column_stack([middle + TAPER * (outline - middle), np.full(len(outline), self.top)])
        return np.concatenate([points, lid])


def read_geometry(path: str | Path) -> Geometry:
    """Read a body from a JSON file.

    The file has the keys ``underside_contact_points`` (n, 3) [m], relative to the centre of mass with z up,
    ``mass`` [kg], ``inertia_com`` (3, 3) [kg m2], about the centre of mass, and ``top_height_above_base``
    [m]. ``uncertainty.com_horizontal_sd`` and ``uncertainty.com_height_sd`` [m], 0.003 m by default,
    ``weak_direction.azimuth_deg`` [deg] and ``specimen`` are optional; other keys are ignored.

    Parameters
    ----------
    path : str or Path
        JSON file.

    Returns
    -------
    Geometry

    Raises
    ------
    ConfigError
        If the file cannot be read, a key is missing or has another shape or numbers that are not finite, a
        deviation is negative or over half of the body, no matter has such moments of inertia, the points
        enclose no volume, the mass is not > 0, or the centre of mass is not between base and top.
    """
    place = Path(path)
    data = read_json(place)
    if not isinstance(data, dict):
        raise ConfigError(
            f"{place}: expected an object with the keys of a geometry, got {type(data).__name__}"
        )
    points = _array(place, data, "underside_contact_points", (-1, 3), "m")
    inertia = _array(place, data, "inertia_com", (3, 3), "kg m2")
    mass, height = (
        float(_array(place, data, name, (), unit))
        for name, unit in (("mass", "kg"), ("top_height_above_base", "m"))
    )
    inertia = (inertia + inertia.T) / 2.0
    moments = np.linalg.eigvalsh(inertia)
    if moments[0] <= 0.0 or moments[2] > (moments[0] + moments[1]) * (1.0 + 1e-9):
        raise ConfigError(
            f"{place}: inertia_com: expected principal moments > 0 kg m2, none above the sum of the others, "
            f"got {moments.tolist()}"
        )
    try:
        ConvexHull(points)
    except QhullError:
        raise ConfigError(f"{place}: underside_contact_points [m] enclose no volume") from None
    low, top = float(points[:, 2].min()), float(points[:, 2].min()) + height
    if not (mass > 0.0 and low < 0.0 < top and top > points[:, 2].max()):
        raise ConfigError(
            f"{place}: expected mass > 0 kg and a centre of mass, the origin of the points, between the base "
            f"at z = {low:.4g} m and the top at {top:.4g} m, over all points; got {mass:g} kg"
        )
    spread, base = _table(place, data, "uncertainty"), float(np.ptp(points[:, :2], axis=0).min())
    across, up = (
        _number(place, spread, f"com_{name}_sd", COM_SD, least=0.0, most=size / 2)
        for name, size in (("horizontal", base), ("height", height))
    )
    return Geometry(
        points,
        top,
        mass,
        inertia,
        np.array([across, across, up]),
        _number(place, _table(place, data, "weak_direction"), "azimuth_deg", 0.0),
        str(data.get("specimen", place.stem)),
    )


def _array(path: Path, data: dict[str, Any], key: str, shape: tuple[int, ...], unit: str) -> Array:
    if key not in data:
        raise ConfigError(f"{path}: missing key {key!r} [{unit}]")
    try:
        array = np.asarray(data[key], float)
    except (TypeError, ValueError, OverflowError):
        array = np.full(1, np.nan)
    fits = array.ndim == len(shape) and all(n in (-1, m) for n, m in zip(shape, array.shape, strict=True))
    if not fits or not np.isfinite(array).all():
        size = f"an array {shape}".replace("-1", "n") if shape else "a number"
        raise ConfigError(f"{path}: {key}: expected {size} of finite numbers [{unit}]")
    return array


def _table(path: Path, data: dict[str, Any], key: str) -> dict[str, Any]:
    table = {} if data.get(key) is None else data[key]
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: {key}: expected an object, got {table!r}")
    return table


def _number(
    path: Path, data: dict[str, Any], key: str, default: float, least: float = -np.inf, most: float = np.inf
) -> float:
    value = float(_array(path, data, key, (), "SI")) if key in data else default
    if value < least:
        raise ConfigError(f"{path}: {key}: expected a number of at least {least:g}, got {value:g}")
    if key in data and value > most:
        raise ConfigError(
            f"{path}: {key}: expected less than half of the body, {most:.3g} m, got {value:g} m"
        )
    return value
