"""The schema: every variable of a dataset declared once, datasets made and checked by it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mcrock.base.checks import by_number
from mcrock.base.params import Draw, EnergyGain, FacetFallback, Response
from mcrock.excitation.measures import MEASURES, named_measure
from mcrock.impact.conditions import Contact
from mcrock.impact.registry import DEFAULT_LAW, OF_FACE, ImpactParameter, Law

if TYPE_CHECKING:
    import xarray as xr


class Variable(NamedTuple):
    """Declaration of one dataset variable."""

    dims: tuple[str, ...]
    dtype: str
    units: str
    long_name: str
    flags: type[IntEnum] | None = None  # whose codes the variable holds


INPUT = ("realization",)
OUTPUT = ("realization", "intensity")  # in a cloud study ("realization",) alone
OUTER = "outer"  # leads where the same realizations meet several epistemic draws
EVENT = "event"  # attribute of a dataset whose `outcome` says overturned of runs beyond a limit


def _impact_variable(parameter: ImpactParameter, where: str = "") -> Variable:
    """Variable of an impact parameter; ``where`` names the face it is of."""
    kind, colon, place = parameter.row.words.partition(":")
    return Variable(INPUT, "f8", parameter.row.rule.unit, f"{kind}{where}{colon}{place}")


SCHEMA: dict[str, Variable] = {
    # inputs, one value per realization
    "body_mass": Variable(INPUT, "f8", "kg", "mass of the body"),
    "body_radius": Variable(INPUT, "f8", "m", "distance R from the centre of mass to the nearest base edge"),
    "body_slenderness": Variable(INPUT, "f8", "rad", "smallest slenderness over the base edges"),
    "body_frequency": Variable(INPUT, "f8", "rad s-1", "frequency parameter p of the body"),
    "body_width": Variable(INPUT, "f8", "m", "width of the body along body x"),
    "body_depth": Variable(INPUT, "f8", "m", "depth of the body along body y"),
    "body_height": Variable(INPUT, "f8", "m", "height of the body"),
    "body_density": Variable(INPUT, "f8", "kg m-3", "density of the body"),
    "body_com_x": Variable(INPUT, "f8", "m", "offset of the centre of mass along body x"),
    "body_com_y": Variable(INPUT, "f8", "m", "offset of the centre of mass along body y"),
    "body_com_z": Variable(INPUT, "f8", "m", "offset of the centre of mass along body z"),
    "gravity": Variable(INPUT, "f8", "m s-2", "acceleration of gravity"),
    **{item.variable: _impact_variable(item) for item in DEFAULT_LAW.parameters},
    "impact_law": Variable(INPUT, "i1", "1", "law of the impacts", Law),
    **{item.variable: _impact_variable(item) for item in ImpactParameter if item.row.law != DEFAULT_LAW},
    "impact_draw": Variable(INPUT, "i1", "1", "when the impact parameters are drawn", Draw),
    "energy_gain": Variable(INPUT, "i1", "1", "rule for impacts that would gain energy", EnergyGain),
    "facet_fallback": Variable(
        INPUT, "i1", "1", "what a facet impact without feasible pivot becomes", FacetFallback
    ),
    **{
        f"contact_{field.name}": Variable(
            INPUT, "f8", field.metadata["rule"].unit, field.metadata["words"].partition(";")[0]
        )
        for field in fields(Contact)
    },
    "start_face": Variable(INPUT, "i2", "1", "face on which the body starts"),
    "start_edge": Variable(INPUT, "i2", "1", "edge over which the body is released"),
    "start_tilt": Variable(INPUT, "f8", "rad", "tilt from which the body is released"),
    "start_tilt_deg": Variable(INPUT, "f8", "degree", "tilt from which the body is released"),
    "start_tilt_ratio": Variable(INPUT, "f8", "1", "tilt of release over the slenderness at that edge"),
    "ground_slope_x_deg": Variable(INPUT, "f8", "degree", "angle by which the ground rises along x"),
    "ground_slope_y_deg": Variable(INPUT, "f8", "degree", "angle by which the ground rises along y"),
    "record": Variable(INPUT, "i4", "1", "index of the ground motion along the dimension `motion`"),
    "motion_scaling": Variable(INPUT, "f8", "1", "factor on the ground motion apart from its intensity"),
    "azimuth": Variable(INPUT, "f8", "rad", "rotation of the ground motion about the vertical"),
    "polarity": Variable(INPUT, "i1", "1", "sign of the ground motion"),
    # the intensity measure: units "" are those of the measure
    "intensity": Variable(("intensity",), "f8", "", "intensity measure of the run"),
    "intensity_value": Variable(INPUT, "f8", "", "intensity measure of the run"),
    "own_intensity": Variable(
        INPUT, "f8", "", "intensity measure of the motion of the realization before it is scaled"
    ),
    # one value per run: its shaking, in studies with friction or an isolator, and the outcomes
    "peak_acceleration": Variable(
        OUTPUT, "f4", "m s-2", "largest horizontal acceleration of the ground under the body"
    ),
    "isolator_displacement": Variable(OUTPUT, "f4", "m", "largest displacement of the isolator"),
    "beyond_stroke": Variable(OUTPUT, "i1", "1", "1 if the isolator moves beyond its stroke"),
    **{
        response.variable: Variable(
            OUTPUT, response.dtype, response.units, response.long_name, response.flags
        )
        for response in Response
    },
    # the ground motions
    "motion_name": Variable(("motion",), "U", "1", "name of the ground motion"),
    "motion_group": Variable(
        ("motion",), "i4", "1", "recording the motion comes from; runs that share it are dependent"
    ),
    "motion_history": Variable(("motion",), "U", "1", "what was done to the ground motion"),
    "motion_intensity": Variable(
        ("motion",), "f8", "", "intensity measure of the motion, before azimuth, scaling and floor"
    ),
    # what is done
    "chunk_done": Variable(("chunk",), "u1", "1", "1 if every run of the chunk is stored"),
}

OWN_RESPONSE = "own_"  # begins the name of a response that a function of the user gives
OF_USER = Variable(OUTPUT, "f8", "", "response by a function of the user")  # of each of these
MEASURED = "im_"  # begins the name of an intensity measure beside that of the axis

NUMBER = r"(?<=_)\d+(?=_|$)"  # in a name
# drawn inputs of which a body has as many as faces: # stands for their numbers
NUMBERED: dict[str, Variable] = {
    f"impact_face_#_{item.key}": _impact_variable(item, " on face {0}") for item in OF_FACE
}


@cache
def table_inputs() -> dict[str, Variable]:
    """Inputs that shapes of bodies and sources of ground motions declare next to their keys.

    # stands for the number of a numbered one. Imported where a dataset has one: shapes and sources bring the
    tables of study files with them.
    """
    from mcrock.body import parts
    from mcrock.excitation import sources

    return {
        item.name: Variable(INPUT, "i1" if item.codes else "f8", item.units, item.long_name, item.codes)
        for item in (*parts.declarations(), *sources.declarations())
    }


OF_TABLES = {"body_": "body_com_z", "motion_": "motion_scaling"}  # prefix, and what comes before such inputs


def outputs(friction: bool) -> tuple[str, ...]:
    """Variables of the runs of a study with or without friction."""
    return tuple(response.variable for response in Response if friction or not response.of_friction)


def is_declared(name: str) -> bool:
    """Whether a variable is one of mcrock's."""
    return _found(name) is not None


def own_names(ds: xr.Dataset) -> list[str]:
    """Variables of a dataset that hold responses by functions of the user."""
    return [str(name) for name in ds if _found(str(name)) is OF_USER]


def declaration(name: str) -> Variable:
    """Declaration of a variable; KeyError if nothing is.

    >>> declaration("body_vertices_3_2").long_name
    'vertex 3, coordinate 2 of the study (0 x, 1 y, 2 z)'
    >>> declaration("im_sa_0p5s").long_name
    'pseudo-spectral acceleration (geometric mean) at 0.5 s'
    """
    found = _found(name)
    if found is None:
        raise KeyError(name)
    return found


def _found(name: str) -> Variable | None:
    if name in SCHEMA:
        return SCHEMA[name]
    if name.startswith(MEASURED):
        measure, words = named_measure(name.removeprefix(MEASURED))
        if not measure:
            return None
        return Variable(INPUT, "f8", MEASURES[measure].units, MEASURES[measure].long_name + words)
    if name.startswith(OWN_RESPONSE):
        return OF_USER
    pattern = re.sub(NUMBER, "#", name)
    found = NUMBERED.get(pattern)
    if found is None and name.startswith(tuple(OF_TABLES)):
        found = table_inputs().get(pattern)
    if found is None or "#" in name:
        return None
    return found._replace(long_name=found.long_name.format(*re.findall(NUMBER, name)))


def place_in_schema(name: object) -> tuple[int, int, int, tuple[tuple[bool, int, str, str], ...]]:
    """Sort key of a variable in a dataset: inputs first, of each kind as declared, strangers last.

    No two names have one place: those of a numbered declaration come by their numbers, measures as
    `MEASURES` has them, strangers by name.
    """
    word, names = str(name), list(SCHEMA)
    place = by_number(word)
    if not is_declared(word):
        return 2, 0, 0, place
    if word in SCHEMA:
        return int(SCHEMA[word].dims != INPUT), names.index(word), 0, place
    if word.startswith(OWN_RESPONSE):
        return 1, len(names), 0, place
    if word.startswith(MEASURED):
        measure, _ = named_measure(word.removeprefix(MEASURED))
        return 0, len(names) + 1, list(MEASURES).index(measure), place
    before = [before for prefix, before in OF_TABLES.items() if word.startswith(prefix)]
    if before and word in table_inputs():
        return 0, names.index(before[0]), 1 + list(table_inputs()).index(word), place
    numbered = [*table_inputs(), *NUMBERED]
    return 0, len(names), numbered.index(re.sub(NUMBER, "#", word)), place


class DatasetError(ValueError):
    """A file or dataset that is not a whole result of a study."""


class DamageError(OSError):
    """A file of a store that is not as it was written."""


def build_dataset(
    values: Mapping[str, Any],
    *,
    units: str = "1",
    long_name: str = "intensity measure of the run",
    attrs: Mapping[str, Any] | None = None,
) -> xr.Dataset:
    """Make the labelled dataset of named arrays.

    Parameters
    ----------
    values : mapping of str to array_like
        Variables by their names in `SCHEMA` or `NUMBERED`, with the dims declared there; outcomes of a
        cloud study have no dim `intensity`.
    units, long_name : str
        Of the intensity measure, as in ``"m s-2"`` and ``"peak ground acceleration"``.
    attrs : mapping, optional
        Attributes of the dataset.

    Returns
    -------
    Dataset
        With `units`, `long_name` and, for codes, `flag_values` and `flag_meanings` on every variable.

    Raises
    ------
    ValueError
        If a name is not declared or an array does not have its dims.

    Examples
    --------
    >>> ds = build_dataset({"intensity": [1.0, 2.0], "outcome": [[1, 3], [1, 1]]}, units="m s-2")
    >>> ds["outcome"].dims, ds["intensity"].attrs["units"]
    (('realization', 'intensity'), 'm s-2')
    """
    import xarray as xr  # a fifth of a second, which those who only read declarations save

    variables = {}
    for name, value in values.items():
        if not is_declared(name):
            raise ValueError(f"'{name}' is not a variable of mcrock; mcrock.dataset.SCHEMA lists them")
        variable = declaration(name)
        dtype = object if variable.dtype == "U" else variable.dtype
        array = np.asarray(value).astype(dtype)
        dims = variable.dims[: array.ndim] if variable.dims == OUTPUT else variable.dims
        if array.ndim != len(dims) or array.ndim == 0:
            raise ValueError(f"'{name}' must have the dims {variable.dims}, got the shape {array.shape}")
        variables[name] = (dims, array, attributes(name, units, long_name))
    return xr.Dataset(variables, attrs=dict(attrs or {}))


def attributes(name: str, units: str, long_name: str) -> dict[str, Any]:
    """Attributes of a declared variable; `units` and `long_name` are those of the intensity measure."""
    variable = declaration(name)
    attrs: dict[str, Any] = {}
    if variable.dtype != "U":
        attrs["units"] = variable.units or units
    attrs["long_name"] = long_name if name in ("intensity", "intensity_value") else variable.long_name
    if variable.flags is not None:
        attrs["flag_values"] = [int(code) for code in variable.flags]
        attrs["flag_meanings"] = " ".join(code.name.lower() for code in variable.flags)
    return attrs


def check_dataset(ds: xr.Dataset, name: str) -> None:
    """Raise `DatasetError` where `ds` departs from the schema; `name` says in the message what it is."""
    if "outcome" not in ds:
        raise DatasetError(f"{name} is not a result of mcrock: it has no variable 'outcome'")
    for key, array in ds.variables.items():
        if not is_declared(str(key)):
            continue
        variable = declaration(str(key))
        dims = array.dims[1:] if array.dims[:1] == (OUTER,) else array.dims
        if dims != variable.dims and not (variable.dims == OUTPUT and dims == INPUT):
            raise DatasetError(f"{name}: '{key}' must have the dims {variable.dims}, got {array.dims}")
        if variable.dtype == "U":
            continue
        dtype, units = np.dtype(variable.dtype), array.attrs.get("units")
        if array.dtype != dtype:
            raise DatasetError(f"{name}: '{key}' must be of type {dtype}, got {array.dtype}")
        if variable.units and units != variable.units:
            raise DatasetError(f"{name}: '{key}' must have the units {variable.units!r}, got {units!r}")
