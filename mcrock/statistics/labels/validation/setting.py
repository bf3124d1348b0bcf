"""Uncertainties of a body on a shake table, and the study in which every draw of them meets every test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcrock.statistics.labels.validation.geometry import Geometry
from mcrock.study import Study


@dataclass(frozen=True)
class Setting:
    """Uncertainties of a validation: one fixed setting for all bodies and tests.

    The standard deviations of the centre of mass come from the `Geometry`.

    Attributes
    ----------
    draws : int
        Number of outer draws, each of which meets every test.
    shape_sd, shape_length : float
        Standard deviation of the error of the underside and its correlation length [m].
    slope_sd_deg : float
        Standard deviation of the slope of the table along either axis [deg].
    azimuth_sd_deg : float
        Standard deviation of the direction of shaking [deg].
    inset : float
        How far inside the border of the scan the support ends, as edges are rounded or crush [m]; mean of 0
        to 10 mm, preferred by the labels of the tuning part of a granite rock (`mcrock docs validation`).
    impact : tuple of tuple
        Keys and values of the table `[impact]` of a study file.
    """

    draws: int = 200
    shape_sd: float = 0.0007
    shape_length: float = 0.15
    slope_sd_deg: float = 0.3
    azimuth_sd_deg: float = 10.0
    inset: float = 0.005
    impact: tuple[tuple[str, Any], ...] = (("preset", "varkonyi_2022_bounds"),)


DEFAULT = Setting()
"""Default setting of `mcrock validate`."""


def validation_study(
    file: str | Path,
    tests: Sequence[int],
    geometry: Geometry,
    setting: Setting = DEFAULT,
    *,
    azimuth_deg: float | None = None,
    seed: int = 1,
) -> Study:
    """Nested study of shake-table tests: each realization is a test, each outer draw a body and a table.

    The sign of the table's axis, taken as unknown, is + or - with equal probability.

    Parameters
    ----------
    file : str or Path
        File of the tests, as read by `mcrock.excitation.readers.collections`.
    tests : sequence of int
        Numbers of the tests in the file, from 0.
    geometry : Geometry
        The body.
    setting : Setting
        Its uncertainties and those of the table.
    azimuth_deg : float, optional
        Mean direction of shaking, from x towards y [deg]; by default that in which the body falls most
        easily.
    seed : int
        Of all random numbers of the study.

    Raises
    ------
    ConfigError
        If the setting is not a study.
    """
    place = Path(file).resolve()
    azimuth = geometry.azimuth_deg if azimuth_deg is None else azimuth_deg
    body: dict[str, Any] = {
        "shape": "polyhedron",
        "vertices": geometry.vertices(setting.inset).tolist(),
        "mass": geometry.mass,
        "com": [_normal(0.0, float(sd)) for sd in geometry.com_sd],
        "inertia": geometry.inertia.tolist(),
        "axis": [0.0, 0.0, 1.0],
    }
    if setting.shape_sd > 0.0:
        shape = {"std": setting.shape_sd, "correlation_length": setting.shape_length, "epistemic": True}
        body["shape_error"] = shape
    slope = _normal(0.0, setting.slope_sd_deg)
    data = {
        "title": f"{geometry.name} on a shake table",
        "seed": seed,
        "body": body,
        "impact": dict(setting.impact),
        "ground": {"slope_x_deg": slope, "slope_y_deg": slope},
        "motion": {
            "source": "shake_table",
            "file": place.name,
            "record": list(tests),
            "azimuth_deg": _normal(azimuth, setting.azimuth_sd_deg),
            "polarity": {"distribution": "discrete", "values": [1, -1], "epistemic": True},
        },
        "intensity": {"measure": "factor", "levels": [1.0]},
        "ensemble": {"realizations": len(tests), "outer": setting.draws, "design": "random"},
        "controls": {"overturned_by": "tilt", "recheck": 0.0},  # the outline over the underside is not known
    }
    return Study.from_data(data, "validation", place.parent)


def _normal(mean: float, sd: float) -> Any:
    if sd == 0.0:
        return mean
    return {"distribution": "normal", "mean": mean, "std": sd, "epistemic": True}
