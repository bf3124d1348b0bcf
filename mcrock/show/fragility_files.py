"""Fragility curves as files of programs that compute risks of many objects."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
import xarray as xr

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.base.units import VELOCITIES, as_written
from mcrock.dataset import to_frame
from mcrock.statistics import fit_fragility, overturning_probability, pooled
from mcrock.statistics.efficiency import own_measure
from mcrock.statistics.inference import Bootstrap
from mcrock.statistics.limits import EVENT
from mcrock.statistics.resample import collect_units
from mcrock.statistics.rising import rising_curve
from mcrock.statistics.runs import ESTIMATE, is_cloud, record_index, run_intensity
from mcrock.statistics.studentized import curve_quantity, fit_sample, values_of

NRML = "http://openquake.org/xmlns/nrml/0.5"
STATE = "overturning"
WIDE = 4.0  # dispersions on both sides of the median that a continuous curve is given for
FAINT = 1e-3  # of the lowest level of a study: what shakes nothing [1]
PARTED = 1e-7  # by which equal fractions are where a program wants them to rise [1]
CURVE = ("median_capacity", "dispersion", "median_capacity_interval", "dispersion_interval")
POINTS = ("probability", "interval", "runs", "overturned", "undecided")
HEADER = (
    "ID,Incomplete,Demand-Type,Demand-Unit,Demand-Offset,Demand-Directional,"
    "LS1-Family,LS1-Theta_0,LS1-Theta_1,LS1-DamageStateWeights"
)


class Name(NamedTuple):
    """What a program calls an intensity, and its unit in those of the dataset."""

    name: str
    unit: str
    size: float


OPENQUAKE = {
    "pga": ("PGA", "g", STANDARD_GRAVITY),
    "pgv": ("PGV", "cm/s", VELOCITIES["cm/s"]),
    "sa": ("SA", "g", STANDARD_GRAVITY),
}
PELICUN = {
    "pga": ("Peak Ground Acceleration", "g", STANDARD_GRAVITY),
    "pgv": ("Peak Ground Velocity", "cmps", VELOCITIES["cm/s"]),
    "sa": ("Spectral Acceleration", "g", STANDARD_GRAVITY),
}


def openquake_fragility(ds: xr.Dataset, *, identifier: str = "body", curve: str = "lognormal") -> str:
    """Fragility of a study as an OpenQuake fragility model, NRML 0.5.

    Parameters
    ----------
    ds : Dataset
        Study whose intensity is PGA, PGV or a spectral acceleration; a nested one is pooled.
    identifier : str
        Taxonomy of the body in the exposure.
    curve : str
        "lognormal", given by mean and standard deviation of the intensity itself, as OpenQuake wants them, or
        "stripes", the fractions at the levels made rising. Below the lowest level there is no damage if
        nothing overturned there, else the fraction falls to 0 in a line, at a thousandth of the level:
        OpenQuake takes what is not given for no damage, or for no number.

    Raises
    ------
    ValueError
        If the intensity has no name there, or there is no such curve.
    """
    ds = pooled(ds)
    imt = _name(ds, OPENQUAKE, "OpenQuake", "{}({})")
    root = ElementTree.Element("nrml", xmlns=NRML)
    model = ElementTree.SubElement(
        root, "fragilityModel", id="mcrock", assetCategory="contents", lossCategory="contents"
    )
    words = filter(None, (ds.attrs.get("title"), ds.attrs.get("source")))
    ElementTree.SubElement(model, "description").text = ", ".join(words)
    ElementTree.SubElement(model, "limitStates").text = STATE
    function = ElementTree.SubElement(model, "fragilityFunction", id=identifier)
    if curve == "stripes":
        function.set("format", "discrete")
        level, rising = _rising(ds)
        imls = ElementTree.SubElement(
            function, "imls", imt=imt.name, noDamageLimit=_text(level[0] / imt.size)
        )
        imls.text = " ".join(_text(x / imt.size) for x in level)
        ElementTree.SubElement(function, "poes", ls=STATE).text = " ".join(map(_text, rising))
    elif curve == "lognormal":
        median, dispersion = _curve(ds)
        median /= imt.size
        mean = median * math.exp(dispersion**2 / 2)
        least, most = (_text(median * math.exp(sign * WIDE * dispersion)) for sign in (-1, 1))
        function.attrib |= {"format": "continuous", "shape": "logncdf"}
        ElementTree.SubElement(function, "imls", imt=imt.name, noDamageLimit=least, minIML=least, maxIML=most)
        spread = mean * math.sqrt(math.expm1(dispersion**2))
        ElementTree.SubElement(function, "params", ls=STATE, mean=_text(mean), stddev=_text(spread))
    else:
        raise ValueError(f"curve must be 'lognormal' or 'stripes', got {curve!r}")
    ElementTree.indent(root)
    return f"<?xml version='1.0' encoding='utf-8'?>\n{ElementTree.tostring(root, encoding='unicode')}\n"


def pelicun_fragility(ds: xr.Dataset, *, identifier: str = "body", curve: str = "lognormal") -> str:
    """Fragility of a study as a row of a pelicun fragility library, CSV of version 3.

    "stripes" are a `multilinear_CDF`, which pelicun wants to rise strictly from 0 to 1: equal fractions are
    parted by 1e-7, and what stands at the strongest level gets capacities up to a thousand times as large.
    The demand is that at the location itself (offset 0). Two defaults of pelicun change it: what is not
    directional is multiplied by 1.2, and floor accelerations and velocities are those one floor down.

    Parameters
    ----------
    ds, identifier, curve
        As for `openquake_fragility`.

    Raises
    ------
    ValueError
        If the intensity has no name there, or there is no such curve.
    """
    ds = pooled(ds)
    demand = _name(ds, PELICUN, "pelicun", "{}|{}")
    if curve == "stripes":
        level, rising = _rising(ds)
        level, rising = np.append(level, level[-1] / FAINT), np.append(rising, 1.0)
        rising = np.minimum(rising + PARTED * np.arange(len(rising)), 1.0)
        rising[0] = 0.0
        last = int(np.argmax(rising > 1.0 - PARTED))
        rising[last] = 1.0
        x, y = (",".join(map(_text, part[: last + 1])) for part in (level / demand.size, rising))
        family, parameters = "multilinear_CDF", [f'"{x}|{y}"', ""]
    elif curve == "lognormal":
        median, dispersion = _curve(ds)
        family, parameters = "lognormal", [_text(median / demand.size), _text(dispersion)]
    else:
        raise ValueError(f"curve must be 'lognormal' or 'stripes', got {curve!r}")
    row = [identifier, "0", demand.name, demand.unit, "0", "0", family, *parameters, ""]
    return f"{HEADER}\n{','.join(row)}\n"


def json_fragility(ds: xr.Dataset) -> str:
    """Fragility of a study as JSON, with what a program needs that draws curves at random.

    `lognormal` has median, dispersion, their intervals and the `covariance` of ln(median) and ln(dispersion),
    the jackknife's over recordings; null where there is no curve. `points` are the fractions at the levels,
    or in the bins of a cloud, with their intervals.

    Parameters
    ----------
    ds : Dataset
        As for `mcrock.fit_fragility`; a nested study is pooled.
    """
    ds = pooled(ds)
    fit, points = fit_fragility(ds), overturning_probability(ds)
    units = collect_units(ds, record_index(ds)[0], False)
    known = math.isfinite(float(fit["median_capacity"])) and float(fit["dispersion"]) > 0
    lognormal = {name: fit[name].values.tolist() for name in CURVE}
    if known:
        fitted = fit_sample(units, units.overturned[ESTIMATE], Bootstrap(resamples=1))
        found = values_of(fitted.left_out, curve_quantity(np.zeros(0)))
        spread, n = found - fitted.copies @ found / units.number, units.number
        covariance = (n - 1) / n * (spread.T * fitted.copies) @ spread
        lognormal |= {"covariance_of": ["ln(median_capacity)", "ln(dispersion)"], "covariance": covariance}
    axis = run_intensity(ds).attrs
    intensity = {"measure": own_measure(ds), "units": axis.get("units", "1")}
    curve = {
        "what": "fragility curve of mcrock",
        **{key: ds.attrs[key] for key in ("title", "source", EVENT) if key in ds.attrs},
        "intensity": intensity | {"long_name": axis.get("long_name", "intensity")},
        "level": fit.attrs["level"],
        "fit": fit.attrs["fit"],
        "fit_p_value": fit["fit_p_value"].values,
        "lognormal": lognormal if known else None,
        "points": {"intensity": points["intensity"].values} | {name: points[name].values for name in POINTS},
        "recordings": int(fit["records"]),
        "independent": fit.attrs["independent"],
    }
    return json.dumps(_plain(curve), indent=1, allow_nan=False) + "\n"


def _plain(item: Any) -> Any:
    """What JSON can hold: lists of arrays, and null for what is not finite."""
    if isinstance(item, dict):
        return {key: _plain(part) for key, part in item.items()}
    if isinstance(item, np.ndarray):
        return _plain(item.tolist())
    if isinstance(item, list):
        return [_plain(part) for part in item]
    return None if isinstance(item, float) and not math.isfinite(item) else item


def outcome_rows(ds: xr.Dataset) -> str:
    """Runs of a study as the table that `mcrock.read_outcomes` takes, with all that is known of each.

    The runs of a nested study are pooled: the table does not say what is epistemic.
    """
    ds = pooled(ds)
    axis = run_intensity(ds)
    name = f"{own_measure(ds)} [{as_written(axis.attrs.get('units', '1'))}]"
    return to_frame(ds).rename(columns={axis.name: name}).to_csv(index=False)


def _text(value: float) -> str:
    return f"{value:.10g}"


def _name(ds: xr.Dataset, names: dict[str, tuple[str, str, float]], program: str, with_period: str) -> Name:
    """Name and unit of the intensity of a study in a program."""
    measure = own_measure(ds)
    found = re.fullmatch(r"([a-z]+)(?:_([\dp]+)s)?", measure)
    if found is None or found[1] not in names:
        raise ValueError(
            f"{program} knows the intensities {', '.join(names)} (with 5 % damping), and that of the study "
            f"is {measure!r}; run it with one of these as intensity.measure"
        )
    name, unit, size = names[found[1]]
    return Name(with_period.format(name, float(found[2].replace("p", "."))) if found[2] else name, unit, size)


def _curve(ds: xr.Dataset) -> tuple[float, float]:
    fit = fit_fragility(ds, resamples=1)  # its intervals are not written
    median, dispersion = float(fit["median_capacity"]), float(fit["dispersion"])
    if not (math.isfinite(median) and dispersion > 0):
        raise ValueError(f"there is no lognormal curve to export: {fit.attrs['fit']}")
    return median, dispersion


def _rising(ds: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Levels and fractions that overturned, made rising with the least change, from 0 on."""
    if is_cloud(ds):
        raise ValueError("a cloud study has no stripes: export its lognormal curve")
    curve = rising_curve(collect_units(ds, None, False))
    if curve.fraction[0] > 0.0:
        return np.append(curve.level[0] * FAINT, curve.level), np.append(0.0, curve.fraction)
    return curve.level, curve.fraction
