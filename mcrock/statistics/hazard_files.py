"""Hazard curves as those who make them write them: OpenQuake, USGS and EFEHR.

Read are, by what a file begins with and not by its name,

- the CSV files that the OpenQuake engine exports (OpenQuake manual, "Outputs from Classical PSHA");
- NRML 0.3 and 0.4, which OpenQuake exported and the services of EFEHR send;
- the JSON of the hazard services of the USGS, of today (``response.hazardCurves``) and of before
  (`HazardService` of nshmp-haz-ws: ``response`` is a list);
- the CSV files of nshmp-haz (its `Calculation-Configuration`), which are in a folder named by the measure.

PGA and SA are in g, PGV in cm/s and PGD in cm in all of them.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from mcrock.base.tables.parsing import parse_json
from mcrock.base.units import parse_intensity_unit, plain_number
from mcrock.excitation.measures import variable_name

MEAN = "mean"
UNITS = {"pga": "g", "sa": "g", "pgv": "cm/s", "pgd": "cm"}
NOT_A_MEASURE = "none of PGA, PGV, PGD and SA with a period, as in SA(0.2), SA[0.20s] or SA0P2"


SPAN = (0.01, 1e6)  # times that probabilities of exceedance are given for [a]


class HazardError(ValueError):
    """A hazard file that cannot be used."""


class Place(NamedTuple):
    """Where a hazard curve is of, as far as its file says."""

    name: str = ""
    lon: float = math.nan  # [deg]
    lat: float = math.nan  # [deg]

    def __str__(self) -> str:
        at = "" if math.isnan(self.lon) else f"({self.lon:g}, {self.lat:g})"
        return f"{self.name} {at}".strip()


class Curve(NamedTuple):
    """One hazard curve of a file."""

    measure: str  # as a study names it, such as sa_0p2s
    unit: str  # of the intensities
    name: str  # mean, or a fractile
    place: Place
    intensity: np.ndarray  # (n,) [unit]
    value: np.ndarray  # (n,): rate [1/a] or probability [1]
    years: float | None  # the probabilities are in so many years; None for annual rates
    source: str


def read_curves(path: str, text: str, years: float | None) -> list[Curve] | None:
    """Curves of a file in one of the formats above; None if it is in none of them.

    Parameters
    ----------
    path, text : str
        Name of the file and what is in it.
    years : float or None
        Exposure time [a] where the file has probabilities and does not say in how many years.

    Raises
    ------
    HazardError
        If the file lacks something or contradicts ``years``; the message names the file.
    """
    start = text.lstrip("\ufeff \t\r\n")
    reader = None
    if start[:1] in ("{", "["):
        reader = _json
    elif start[:1] == "<":
        reader = _nrml
    elif re.search(r"^(?:\w+,)*lon,lat,(?:depth,)?poe-", text, re.MULTILINE):
        reader = _openquake
    elif start.startswith("name,lon,lat,"):
        reader = _nshmp
    if reader is None:
        return None
    try:
        curves = list(reader(path, text.lstrip("\ufeff"), years))
    except (KeyError, IndexError, TypeError, AttributeError, ValueError, OverflowError) as error:
        if isinstance(error, HazardError):
            raise
        raise HazardError(
            f"{path}: looks like a file of {reader.__name__[1:]}, but is not as documented ({error!r})"
        ) from None
    if not curves:
        raise HazardError(f"{path}: no hazard curve in it")
    return curves


def measure_of(path: str, imt: str, period: str | None = None) -> tuple[str, str]:
    """Name of a measure and its unit in these files.

    >>> measure_of("h.csv", "PGV"), measure_of("h.csv", "SA(0.2)"), measure_of("h.xml", "SA[0.10s]")
    (('pgv', 'cm/s'), ('sa_0p2s', 'g'), ('sa_0p1s', 'g'))
    >>> measure_of("total.csv", "SA1P0"), measure_of("h.xml", "SA", "0.5")
    (('sa_1s', 'g'), ('sa_0p5s', 'g'))
    """
    word = imt.strip().lower()
    found = re.fullmatch(r"sa[(\[]?([\d.p]+)s?[)\]]?", word)
    if found or (word == "sa" and period):
        time = found[1].replace("p", ".") if found else str(period)
        return variable_name("sa", {"period": float(time)}), UNITS["sa"]
    if word not in UNITS or word == "sa":
        raise HazardError(f"{path}: the curve is of {imt!r}, {NOT_A_MEASURE}")
    return word, UNITS[word]


def _years(path: str, stated: Any, asked: float | None) -> float:
    """The exposure time of probabilities, which file and user agree on [a]."""
    if stated is None and asked is None:
        raise HazardError(
            f"{path}: does not say in how many years its probabilities are; give them by --hazard-years"
        )
    if stated is None:
        return float(asked)  # type: ignore[arg-type]
    check_years(f"{path}: the investigation time", float(stated))
    if asked is not None and float(stated) != asked:
        raise HazardError(
            f"{path}: says that its probabilities are in {float(stated):g} years, and --hazard-years is "
            f"{asked:g}; leave the option out"
        )
    return float(stated)


def check_years(name: str, years: float) -> None:
    """Refuse a time that no probability of exceedance is given for [a]."""
    if not SPAN[0] <= years <= SPAN[1]:
        raise HazardError(f"{name} must lie between {SPAN[0]:g} and {SPAN[1]:g} [a], got {years!r}")


def _name(path: str, kind: str | None, quantile: str | None = None) -> str:
    """Mean or fractile of a curve."""
    found = re.fullmatch(r"quantile[-_]([\d.]+)", f"{kind}_{quantile}" if kind == "quantile" else kind or "")
    if kind == MEAN:
        return MEAN
    if found is None or not 0 < float(found[1]) < 1:
        is_branch = kind is None or kind.startswith("rlz")
        what = "one branch of the logic tree, as far as it says" if is_branch else repr(kind)
        raise HazardError(f"{path}: the curve is {what}; expected the mean or a quantile between 0 and 1")
    return f"{float(found[1]):g}"


def _openquake(path: str, text: str, years: float | None) -> Iterator[Curve]:
    """CSV of the OpenQuake engine: a comment with what it is of, and a row for each site."""
    comment = "".join(line for line in text.splitlines() if line.startswith("#"))
    said = dict(re.findall(r"(\w+)=['\"]?([^'\",]+)", comment))
    (number, cells), *rows = rows_of(path, text)
    head = [word.strip() for word in cells]
    columns = [i for i, word in enumerate(head) if word.startswith("poe-")]
    if "imt" not in said:
        raise HazardError(f"{path}: the comment of the first line does not name the measure, as imt='PGA'")
    measure, unit = measure_of(path, said["imt"])
    name, time = _name(path, said.get("kind")), _years(path, said.get("investigation_time"), years)
    intensity = _numbers(f"{path} line {number}", [head[i].removeprefix("poe-") for i in columns])
    for number, row in rows:
        of, at = dict(zip(head, row, strict=True)), f"{path} line {number}"
        place = Place(of.get("custom_site_id", ""), *_numbers(at, [of["lon"], of["lat"]]))
        value = _numbers(at, [row[i] for i in columns])
        yield Curve(measure, unit, name, place, intensity, value, time, path)


def _nshmp(path: str, text: str, years: float | None) -> Iterator[Curve]:
    """CSV of nshmp-haz: mean annual rates, a row for each site, in a folder named by the measure."""
    for imt in (Path(path).absolute().parent.name, Path(path).stem):
        if re.fullmatch(r"pg[av]|sa\d+p\d+", imt.lower()):
            measure, unit = measure_of(path, imt)
            break
    else:
        raise HazardError(
            f"{path}: a file of nshmp-haz says in no line what it is of; keep it in its folder, such as PGA "
            "or SA0P2, or name it PGA.csv"
        )
    (number, head), *rows = rows_of(path, text)
    intensity = _numbers(f"{path} line {number}", head[3:])
    for number, row in rows:
        lon, lat, *value = _numbers(f"{path} line {number}", row[1:])
        yield Curve(measure, unit, MEAN, Place(row[0], lon, lat), intensity, np.array(value), years, path)


def _json(path: str, text: str, years: float | None) -> Iterator[Curve]:
    """JSON of the USGS: mean annual frequencies of exceedance at one site, for several measures."""
    if years is not None:
        raise HazardError(f"{path}: has annual frequencies of exceedance; leave --hazard-years out")
    response = parse_json(text)["response"]
    old = isinstance(response, list)
    for item in response if old else response["hazardCurves"]:
        about = item["metadata"] if old else item
        imt = about["imt"]["value"] if isinstance(about["imt"], Mapping) else about["imt"]
        measure, unit = measure_of(path, imt)
        place = Place("", float(about["longitude"]), float(about["latitude"])) if old else Place()
        totals = [one for one in item["data"] if one.get("component", "Total") in (None, "Total")]
        if len(totals) != 1:
            raise HazardError(f"{path}: expected the component 'Total' once for {imt}, got {len(totals)}")
        pair = (about["xvalues"], totals[0]["yvalues"]) if old else map(totals[0]["values"].get, ("xs", "ys"))
        x, y = (_numbers(f"{path}: {imt}", map(str, each)) for each in pair)
        yield Curve(measure, unit, MEAN, place, x, y, None, path)


def _nrml(path: str, text: str, years: float | None) -> Iterator[Curve]:
    """NRML: 0.4 as of OpenQuake 1, 0.3 as the services of EFEHR send it."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise HazardError(f"{path}: XML with a document type is not read")
    try:
        root = ElementTree.fromstring(text.lstrip())
    except ElementTree.ParseError as error:
        raise HazardError(f"{path}: not XML ({error})") from None
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    about = next(root.iter("hazardProcessing"), ElementTree.Element("none"))  # of 0.3
    fields = [*root.iter("hazardCurves"), *root.iter("hazardCurveField")]
    if not fields:
        raise HazardError(f"{path}: XML without hazardCurves; expected NRML")
    for field in fields:
        levels = _first(path, field, "IMLs", "IML")
        imt = levels.get("IMT") or field.attrib["IMT"]
        measure, unit = measure_of(path, imt, field.get("saPeriod") or about.get("saPeriod"))
        name = _name(path, field.get("statistics"), field.get("quantileValue"))
        time = _years(path, field.get("investigationTime") or about.get("investigationTimeSpan"), years)
        intensity = _numbers(f"{path}: {imt}", str(levels.text).split())
        for node in [*field.iter("HCNode")] or [*field.iter("hazardCurve")]:
            pos = next(node.iter("pos"), None)
            lon, lat = (math.nan, math.nan) if pos is None else _numbers(path, str(pos.text).split())
            value = _numbers(f"{path}: {imt}", str(_first(path, node, "poEs", "poE").text).split())
            yield Curve(measure, unit, name, Place("", lon, lat), intensity, value, time, path)


def rows_of(path: str | Path, text: str) -> list[tuple[int, list[str]]]:
    """Cells of the lines of a table with the numbers of the lines, without comments and empty lines."""
    lines = [
        (number, line)
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip(", \t") and not line.lstrip().startswith("#")
    ]
    try:
        rows = [(n, [cell.strip() for cell in next(csv.reader([line]))]) for n, line in lines]
    except csv.Error as error:
        raise HazardError(f"{path}: no table of commas: {error}") from None
    if all(not cells[-1] for _, cells in rows):  # some programs end each line with a separator
        rows = [(n, cells[:-1]) for n, cells in rows]
    return rows


def _numbers(place: str, cells: Iterable[str]) -> np.ndarray:
    try:
        return np.array([plain_number(cell) for cell in cells])
    except ValueError as error:
        raise HazardError(f"{place}: {error}") from None


def _first(path: str, within: ElementTree.Element, *tags: str) -> ElementTree.Element:
    """The first element of one of the tags."""
    for element in within.iter():
        if element.tag in tags:
            return element
    raise HazardError(f"{path}: a {within.tag} without {' or '.join(tags)}")


def reading(years: float | None) -> str:
    """How curves are read: annual rates, or probabilities in so many years.

    >>> reading(None), reading(1.0), reading(50.0)
    ('annual rates', 'probabilities in 1 year', 'probabilities in 50 years')
    """
    return "annual rates" if years is None else f"probabilities in {years:g} year{'s' * (years != 1)}"


def in_si(curve: Curve) -> tuple[np.ndarray, str]:
    """Intensities of a curve in the unit of datasets, and that unit."""
    units, factor = parse_intensity_unit(curve.unit) or ("1", 1.0)
    return curve.intensity * factor, units
