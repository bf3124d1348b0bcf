"""Seismic hazard of a site, from files: annual rates at which intensities are exceeded.

`read_curves` reads the files of those who compute hazard, `load_hazard` makes the dataset of one site.
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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
import xarray as xr

from mcrock.base.checks import suggest
from mcrock.base.params import STANDARD_GRAVITY
from mcrock.base.tables.parsing import parse_json, separator_of, with_points
from mcrock.base.units import ACCELERATIONS, VELOCITIES, parse_intensity_unit, plain_number, strongest
from mcrock.excitation.measures import MEASURES, variable_name

MEAN = "mean"
FILE_UNITS = {"pga": "g", "sa": "g", "pgv": "cm/s", "pgd": "cm"}
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
    value: np.ndarray  # (n,): rate [1/year] or probability [1]
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
        return variable_name("sa", {"period": float(time)}), FILE_UNITS["sa"]
    if word not in FILE_UNITS or word == "sa":
        raise HazardError(f"{path}: the curve is of {imt!r}, {NOT_A_MEASURE}")
    return word, FILE_UNITS[word]


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
    intensity = _numbers_at(f"{path} line {number}", [head[i].removeprefix("poe-") for i in columns])
    for number, row in rows:
        of, at = dict(zip(head, row, strict=True)), f"{path} line {number}"
        place = Place(of.get("custom_site_id", ""), *_numbers_at(at, [of["lon"], of["lat"]]))
        value = _numbers_at(at, [row[i] for i in columns])
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
    intensity = _numbers_at(f"{path} line {number}", head[3:])
    for number, row in rows:
        lon, lat, *value = _numbers_at(f"{path} line {number}", row[1:])
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
        x, y = (_numbers_at(f"{path}: {imt}", map(str, each)) for each in pair)
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
        intensity = _numbers_at(f"{path}: {imt}", str(levels.text).split())
        for node in [*field.iter("HCNode")] or [*field.iter("hazardCurve")]:
            pos = next(node.iter("pos"), None)
            lon, lat = (math.nan, math.nan) if pos is None else _numbers_at(path, str(pos.text).split())
            value = _numbers_at(f"{path}: {imt}", str(_first(path, node, "poEs", "poE").text).split())
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


def _numbers_at(place: str, cells: Iterable[str]) -> np.ndarray:
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


PROPOSED_UNITS = (*ACCELERATIONS, *VELOCITIES, "m", "cm", "s", "1")  # that messages propose
EXAMPLE = "the first line must be as in 'pga [g], mean, 0.16, 0.5, 0.84'"
EARTH = 6371.0  # mean radius [km]
RARELY = (475.0, 2475.0)  # return periods that a hazard is told by [a]
# [g or m/s] once in so many years [a]: no site has as much, and none as little
UNLIKELY = ((0.2, 20.0), (0.5, 75.0), (1.0, 200.0), (3.0, 475.0))
FAINT = ((5e-4, 475.0), (1e-3, 2475.0))
AMPLIFIED = 2.5  # spectral acceleration over the peak acceleration at most, as in spectra of codes [1]
MOST_OFTEN = 1e4  # no rate of earthquakes is as large [1/year]
NEAR = 15.0  # grids of hazard models have steps of 0.1 degrees [km]
RISEN = "what is exceeded more often must not be stronger: rates must not rise"
LISTED = 8  # sites that a message lists


def load_hazard(
    path: str | Path | Iterable[str | Path],
    *,
    years: float | None = None,
    site: str | None = None,
    measure: str | None = None,
) -> xr.Dataset:
    """Read hazard curves from a CSV file of your own, or from files of OpenQuake, the USGS or EFEHR.

    In a file of your own the first line names the intensity with its unit and the curves: "mean" and
    fractiles between 0 and 1, as in ``pga [g], mean, 0.16, 0.84``. Every other line has an intensity and the
    value of each curve there, in the order of rising intensities; lines that begin with # are comments. Files
    of others may have one curve each: give that of the mean and those of the fractiles together.

    Parameters
    ----------
    path : str, Path or iterable of them
        File, or files of one hazard: see `mcrock.statistics.hazard`.
    years : float, optional
        Exposure time [a], if the file has probabilities of exceedance and does not say in how many years; by
        default a file of your own has annual rates [1/year].
    site : str, optional
        Name of the site, or ``"longitude,latitude"`` [deg] for the nearest, where the files have several.
    measure : str, optional
        Intensity measure of a study, such as ``"sa_1s"``, where the files have several; the measures of files
        of others stand for those of any horizontal component, as they do not say which they are of.

    Returns
    -------
    Dataset
        `rate` (hazard, hazard_intensity) [1/year], at which an intensity [SI unit] is exceeded,
        with the names of the curves along `hazard`; the attribute `measure` is the name of the intensity and
        `reading` says how the files were read. A probability p in T years is the rate -ln(1 - p)/T.

    Raises
    ------
    HazardError
        If a file cannot be read, lacks a unit, an investigation time or the mean, numbers are missing or out
        of order, a rate is not > 0, fractile curves cross, or the mean lies below the lowest; if there is no
        such site or measure, or the files contradict each other. The message gives the file and the line or
        intensity.
    """
    if years is not None:
        check_years("years", years)
    paths = [path] if isinstance(path, str | Path) else list(path)
    if not paths:
        raise HazardError("expected a hazard file, got none")
    texts = [_text(each) for each in paths]
    found = [read_curves(str(each), text, years) for each, text in zip(paths, texts, strict=True)]
    if all(curves is not None for curves in found):
        return _joined([curve for curves in found if curves for curve in curves], site, measure)
    if len(paths) > 1 or site is not None:
        own = next(each for each, curves in zip(paths, found, strict=True) if curves is None)
        raise HazardError(
            f"{own}: a file of your own has all curves of one site; give it alone, without a site "
            "(--site), or only files of OpenQuake, the USGS or EFEHR"
        )
    return _own(paths[0], texts[0], years)


SHAKEMAP = {"pga": ("PGA", STANDARD_GRAVITY / 100), "pgv": ("PGV", 0.01)}  # columns, and their unit in SI
SHAKEMAP |= {
    f"sa_{words}": (f"PSA{name}", STANDARD_GRAVITY / 100)
    for name, words in (("03", "0p3s"), ("10", "1s"), ("30", "3s"))
}


def shakemap_intensity(path: str | Path, site: str | None, measure: str) -> float:
    """Intensity [SI unit] of a ShakeMap of the USGS (``grid.xml``) at a site, between its points.

    Parameters
    ----------
    path : str or Path
    site : str
        ``"longitude,latitude"`` [deg].
    measure : str
        Intensity measure, as ``"pga"``, of the larger or any horizontal component.

    Raises
    ------
    HazardError
        If the file is no ShakeMap, has no such measure, or the site is not on it.
    """
    text = _text(path)
    try:
        lon, lat = (float(part) for part in (site or "").split(","))
    except ValueError:
        raise HazardError(f"{path}: expected the site as --site LON,LAT [degrees], got {site!r}") from None
    column, size = SHAKEMAP.get(_of_any_component(measure), ("", 0.0))
    fields = {name: int(index) for index, name in re.findall(r'<grid_field index="(\d+)" name="(\w+)"', text)}
    found = re.search(r"<grid_data>(.*?)</grid_data>", text, re.DOTALL)
    if not found or not {"LON", "LAT"} <= fields.keys():
        raise HazardError(f"{path}: expected grid.xml of a ShakeMap, with grid_field and grid_data")
    if column not in fields:
        raise HazardError(f"{path}: has no {measure}; there are {', '.join(fields)}")
    try:
        rows = np.array([line.split() for line in found[1].strip().splitlines()], float)
        rows = rows.reshape(-1, len(fields))
    except ValueError:
        raise HazardError(f"{path}: expected {len(fields)} numbers on each line of grid_data") from None
    x, y, z = (rows[:, fields[name] - 1] for name in ("LON", "LAT", column))
    if not (x.min() <= lon <= x.max() and y.min() <= lat <= y.max()):
        raise HazardError(
            f"{path}: the site {lon:g},{lat:g} is not on the map, {x.min():g} to {x.max():g} E and "
            f"{y.min():g} to {y.max():g} N"
        )
    near = np.argsort((x - lon) ** 2 + (y - lat) ** 2)[:4]
    weight = 1 / np.maximum(np.hypot(x[near] - lon, y[near] - lat), 1e-9)
    return float(size * np.exp((weight * np.log(np.maximum(z[near], 1e-9))).sum() / weight.sum()))


def measures_in(path: str | Path, years: float | None = None) -> list[str | None]:
    """Measures that a hazard file has curves of; None for the only one of a file of your own."""
    curves = read_curves(str(path), _text(path), years)
    return [None] if curves is None else list(dict.fromkeys(curve.measure for curve in curves))


def _text(path: str | Path) -> str:
    try:
        return _with_commas(Path(path).read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise HazardError(f"{path}: no such file") from None
    except OSError as error:
        raise HazardError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise HazardError(f"{path}: not a text file in UTF-8 (byte {error.start})") from None


def _with_commas(text: str) -> str:
    """Text of a table whose cells are separated by semicolons or tabs, and so have decimal commas, as others.

    >>> _with_commas("pga [g];mean;0,16\\n0,1;1e-3;2e-4")
    'pga [g],mean,0.16\\n0.1,1e-3,2e-4'
    """
    lines = text.splitlines()
    at = [i for i, line in enumerate(lines) if line.strip() and line.lstrip()[0] != "#"]
    separator = separator_of(lines[at[0]]) if at else ","
    if separator == "," or lines[at[0]].lstrip()[0] in "{[<":
        return text
    for i in at:
        pointed = with_points(lines[i]).split(separator)
        lines[i] = ",".join(f'"{cell}"' if "," in cell else cell for cell in pointed)
    return "\n".join(lines)


def _own(path: str | Path, text: str, years: float | None) -> xr.Dataset:
    """Hazard of a CSV file with a column for each curve."""
    lines = rows_of(path, text)
    if len(lines) < 3:
        raise HazardError(f"{path}: expected a line of names and at least 2 of numbers; {EXAMPLE}")
    measure, units, factor, curves = _names(path, *lines[0])
    table = np.array([_numbers(path, number, cells, len(curves) + 1) for number, cells in lines[1:]])
    places = [f"{path} line {number}" for number, _ in lines[1:]]
    x, value = table[:, 0] * factor, table[:, 1:]
    if years is not None:
        wrong = ~((value > 0) & (value <= 1)).all(axis=1) | (value[:, curves.index(MEAN)] >= 1)
        _refuse(places, wrong, f"a probability in {years:g} years must lie in (0, 1) [1]")
        value = np.minimum(value, np.nextafter(1.0, 0.0))  # a fractile that is certain as written
    rate = value if years is None else annual(value, years)
    attrs = {"measure": measure, "source": str(path), "reading": reading(years)}
    return _checked(places, x, units, rate, curves, attrs, value)


def annual(probability: np.ndarray, years: float) -> np.ndarray:
    """Annual rate [1/year] of what has a probability [1] in so many years [a], as a Poisson process.

    >>> float(annual(np.array(0.1), 50.0).round(6))  # once in 475 years, not 0.1/50
    0.002107
    """
    return -np.log1p(-probability) / years


def _joined(curves: Sequence[Curve], site: str | None, measure: str | None) -> xr.Dataset:
    """Hazard of one site and measure from the curves of files."""
    curves = _of_measure(curves, measure)
    place = _place(list(dict.fromkeys(curve.place for curve in curves)), site, curves[0].source)
    curves = [curve for curve in curves if curve.place == place]
    first, names = curves[0], [curve.name for curve in curves]
    files = ", ".join(dict.fromkeys(curve.source for curve in curves))
    if MEAN not in names or len(set(names)) < len(names):
        raise HazardError(
            f"{files}: expected the mean once, and every fractile once, got {', '.join(names)}; the mean "
            "rate of overturning needs the mean hazard"
        )
    for curve in curves:
        if curve.value.shape != curve.intensity.shape or not np.array_equal(
            curve.intensity, first.intensity, equal_nan=True
        ):
            raise HazardError(f"{curve.source}: not a value at each of the intensities of {first.source}")
        if curve.years != first.years:
            raise HazardError(f"{curve.source}: other exposure times than in {first.source}")
    x, units = in_si(first)
    value = np.stack([curve.value for curve in curves], axis=1)
    places = [f"{files} at {level:g} {first.unit}" for level in first.intensity]
    certain = np.inf if first.years is None else 1.0
    wrong = ~((value >= 0) & (value <= certain) & np.isfinite(value)).all(axis=1)
    what = (
        "an annual rate must be >= 0 [per year]"
        if first.years is None
        else "a probability must lie in [0, 1] [1]"
    )
    _refuse(places, wrong, what)
    _refuse(places, _risen(value), RISEN)
    # a table ends before what was never exceeded, and begins behind what is exceeded with certainty; a
    # fractile that is certain as written has the largest probability that is not
    mean = value[:, names.index(MEAN)]
    kept = np.flatnonzero((mean > 0) & (mean < certain))
    x, value, places = x[kept], np.minimum(value[kept], np.nextafter(certain, 0)), [places[i] for i in kept]
    if len(x) < 2:
        raise HazardError(f"{files}: expected at least 2 intensities exceeded, but not with certainty")
    zero = "a fractile is 0 where the mean is not: leave out the files of fractiles that far from the mean"
    _refuse(places, (value == 0).any(axis=1), zero)
    rate = value if first.years is None else annual(value, first.years)
    name = measure if measure and _of_any_component(measure) == first.measure else first.measure
    attrs = {"measure": name, "source": files, "reading": reading(first.years), "site": str(place)}
    return _checked(places, x, units, rate, names, attrs, value)


def _of_any_component(measure: str | None) -> str:
    """A measure without its horizontal component, which files of others do not name."""
    return re.sub(r"_rotd\d+", "", measure or "")


def _of_measure(curves: Sequence[Curve], measure: str | None) -> list[Curve]:
    """Curves of the measure of a study, or of the only one that there is."""
    have = list(dict.fromkeys(curve.measure for curve in curves))
    wanted = _of_any_component(measure)
    if wanted not in have and len(have) > 1:
        asked = f"and the study's intensity is {measure}" if wanted else "say which: the measure of the study"
        raise HazardError(f"{curves[0].source}: has curves of {', '.join(have)}, {asked}")
    return [curve for curve in curves if curve.measure == (wanted if wanted in have else have[0])]


def _place(places: Sequence[Place], site: str | None, source: str) -> Place:
    """The site that is asked for, or the only one."""
    if site is None:
        if len(places) > 1:
            more = f" and {len(places) - LISTED} more" if len(places) > LISTED else ""
            raise HazardError(
                f"{source}: has {len(places)} sites; choose one (--site) by its name or LON,LAT: "
                f"{', '.join(map(str, places[:LISTED]))}{more}"
            )
        return places[0]
    try:
        lon, lat = map(plain_number, site.split(","))
    except ValueError:
        named = {place.name.lower(): place for place in places if place.name}
        if site.lower() not in named:
            hint = suggest(site, [place.name for place in named.values()])
            raise HazardError(
                f"{source}: has no site {site!r}{hint}; give one of its names, or LON,LAT"
            ) from None
        return named[site.lower()]
    distances = [_distance(lon, lat, place) for place in places]
    if not math.isfinite(min(distances)):
        raise HazardError(f"{source}: does not say where its site is; leave out the site (--site)")
    nearest = int(np.argmin(distances))
    if distances[nearest] > NEAR:
        turned = min(_distance(lat, lon, place) for place in places) if abs(lon) <= 90 else math.inf
        swapped = f"; is it LAT,LON? Give longitude first: {lat:g},{lon:g}" if turned <= NEAR else ""
        raise HazardError(
            f"{source}: no site within {NEAR:g} km of longitude {lon:g}, latitude {lat:g}; the nearest is "
            f"{places[nearest]}, {distances[nearest]:.0f} km away{swapped}"
        )
    return places[nearest]


def _distance(lon: float, lat: float, place: Place) -> float:
    """Distance along a great circle [km]; infinite where a file does not say where its site is."""
    if math.isnan(place.lon):
        return math.inf
    a, b, c = map(math.radians, (lat, place.lat, place.lon - lon))
    half = math.sin((b - a) / 2) ** 2 + math.cos(a) * math.cos(b) * math.sin(c / 2) ** 2
    return 2 * EARTH * math.asin(math.sqrt(min(half, 1.0)))


def _risen(value: np.ndarray) -> np.ndarray:
    """Rows (n,) with more than in the row before, in any curve (n, n_curve)."""
    return np.append(False, (np.diff(value, axis=0) > 0).any(axis=1))


def _checked(
    places: Sequence[str],
    x: np.ndarray,
    units: str,
    rate: np.ndarray,
    curves: list[str],
    attrs: dict[str, str],
    averaged: np.ndarray,
) -> xr.Dataset:
    """Dataset of annual rates (n, n_curve), once they are such.

    ``places`` word where each row stands; ``averaged`` (n, n_curve) is what the mean is a mean of: rates, or
    probabilities.
    """
    _refuse(places, ~(rate > 0).all(axis=1), "an annual rate must be > 0 [per year]: leave such lines out")
    often = f"an annual rate must be <= {MOST_OFTEN:g} [per year]: what is it, and in how many years?"
    _refuse(places, ~(rate <= MOST_OFTEN).all(axis=1), often)
    fallen = np.append(False, ~(np.diff(x) > 0)) | ~(x > 0)
    _refuse(places, fallen, f"intensities must be > 0 and rise [{units}]")
    most, words = strongest(units)
    _refuse(places, ~(x <= most), f"intensities must be <= {words}: what is the unit?")
    _refuse(places, _risen(rate), RISEN)
    fractiles = sorted((float(name), i) for i, name in enumerate(curves) if name != MEAN)
    ordered = rate[:, [i for _, i in fractiles]]
    crossed = (np.diff(ordered, axis=1) < 0).any(axis=1)
    _refuse(places, crossed, "fractile curves cross: those of the rate would be no fractiles")
    mean = averaged[:, curves.index(MEAN)]
    for q, i in fractiles:
        least = averaged[:, i] * (1.0 if q == fractiles[0][0] <= 0.5 else 1 - q)
        _refuse(
            places,
            mean < least,
            f"the mean is below the fractile {q:g}, or less than {1 - q:g} of it, as no mean can be: look "
            "whether columns are exchanged",
        )
    return xr.Dataset(
        {"rate": (("hazard", "hazard_intensity"), rate.T, {"units": "1/a", "long_name": "annual rate"})},
        coords={"hazard": curves, "hazard_intensity": ("hazard_intensity", x, {"units": units})},
        attrs=attrs,
    )


def _names(path: str | Path, number: int, cells: list[str]) -> tuple[str, str, float, list[str]]:
    """Measure, its unit in datasets and how many of those, and the names of the curves."""
    round_ones = r"\(([^()\d][^()]*)\)"  # as in pga (g), and not the period of SA(0.2)
    found = re.fullmatch(rf"([\w.()-]+?)\s*(?:\[([^\]]+)\]|{round_ones})", cells[0])
    if found is None and (";" in cells[0] or "\t" in cells[0]):
        raise HazardError(
            f"{path} line {number}: separate all columns by commas or all by semicolons, got "
            f"{cells[0]!r}; {EXAMPLE}"
        )
    unit = parse_intensity_unit((found[2] or found[3]).strip()) if found else None
    if found is None or unit is None:
        known, advice = ", ".join(PROPOSED_UNITS), "write the unit in brackets; " * (found is None)
        raise HazardError(
            f"{path} line {number}: the intensity needs a unit, one of {known}, got {cells[0]!r}; "
            + advice
            + EXAMPLE
        )
    curves = [cell.lower() for cell in cells[1:]]
    for name in curves:
        if name != MEAN and not _is_fractile(name):
            raise HazardError(
                f"{path} line {number}: a curve is 'mean' or a fractile between 0 and 1, got {name!r}; "
                + EXAMPLE
            )
    if MEAN not in curves or len(set(curves)) < len(curves):
        raise HazardError(
            f"{path} line {number}: expected the curve 'mean' once, and every fractile once; the mean rate "
            "of overturning needs the mean hazard"
        )
    name = found[1].lower()
    return measure_of(str(path), name)[0] if name.startswith("sa(") else name, *unit, curves


def _is_fractile(name: str) -> bool:
    try:
        return 0 < plain_number(name) < 1
    except ValueError:
        return False


def _numbers(path: str | Path, number: int, cells: list[str], n: int) -> list[float]:
    try:
        values = [plain_number(cell) for cell in cells]
    except ValueError:
        values = []
    if len(values) != n:
        raise HazardError(f"{path} line {number}: expected {n} numbers, got {', '.join(cells)!r}")
    return values


def _refuse(places: Sequence[str], wrong: np.ndarray | np.bool_, reason: str) -> None:
    if wrong.any():
        raise HazardError(f"{places[int(np.argmax(wrong))]}: {reason}")


def return_periods(hazard: xr.Dataset) -> list[tuple[float, float]]:
    """Two intensities [SI unit] of the mean curve and the years [a] in which they are exceeded once.

    Those of `RARELY`; where the table has no such, its ends.
    """
    x, rate = hazard["hazard_intensity"].values, hazard["rate"].sel(hazard=MEAN).values
    wanted = 1.0 / np.array(RARELY)
    if not (rate[-1] <= wanted.min() and wanted.max() <= rate[0]):
        wanted = rate[[0, -1]]
    at = np.exp(np.interp(-np.log(wanted), -np.log(rate), np.log(x)))
    return list(zip(at.tolist(), (1.0 / wanted).tolist(), strict=True))


def question(hazard: xr.Dataset) -> str:
    """What no site on earth has, and a table that ends early, in words; empty for any other hazard."""
    x, measure = hazard["hazard_intensity"], hazard.attrs["measure"]
    rate, in_g = hazard["rate"].sel(hazard=MEAN).values, x.attrs["units"] == "m s-2"
    if not in_g and x.attrs["units"] != "m s-1":
        return ""
    one, unit = (STANDARD_GRAVITY, "g") if in_g else (1.0, "m/s")
    period = max([1.0, *(float(each.replace("p", ".")) for each in re.findall(r"_([\dp]+)s\b", measure))])
    often, rarely, none = x.values / one, 1.0 / rate, "no site on earth is known to have"
    probable = "if these are probabilities, say in how many years (--hazard-years)"
    for strong, years in reversed(UNLIKELY):
        size = strong * (AMPLIFIED if "sa" in measure else 1.0)
        if (at := often >= size).any() and rarely[at][0] <= years:
            asked = f"{probable}; or look at the unit, as of per cent of g"
            return f"{none} {size:g} {unit} or more once in {rarely[at][0]:.3g} years: {asked}"
    for weak, years in FAINT:
        size = weak / period**2  # beyond some period the displacement of a spectrum rises no more
        if (at := often <= size).any() and rarely[at][-1] >= years:
            asked = "look at the unit, as of g taken for cm/s2"
            return f"{none} {size:g} {unit} or less once in {rarely[at][-1]:.4g} years: {asked}"
    if rarely[-1] < RARELY[0]:
        return (
            f"the table ends at {often[-1]:.3g} {unit} once in {rarely[-1]:.3g} years, and others go on to "
            f"{RARELY[0]:g} and more: {probable}; or add what is rarer"
        )
    return ""


def check_measure(intensity: xr.DataArray, hazard: xr.Dataset, measure: str) -> None:
    """Refuse a hazard of another intensity than that of a study; "intensity" is the name of any.

    Raises
    ------
    HazardError
        If the units or the names differ.
    """
    units, own = hazard["hazard_intensity"].attrs["units"], intensity.attrs.get("units", "1")
    name = hazard.attrs["measure"]
    other = len({name, measure} - {"intensity"}) > 1
    if units != own or other:
        asked = f"['{name}']" if name in MEASURES else "[...]"
        remedy = (
            f"; for a cloud study that has it, `--measure {name}`; in Python, with mcrock.statistics, take "
            f"by_measure(with_measures(ds, {asked}), '{name}')"
        )
        raise HazardError(
            f"{hazard.attrs['source']}: the hazard is of {name} [{units}], and the study's intensity is "
            f"{measure} [{own}]" + remedy * other
        )
