"""The labelled dataset of a study: every variable declared once, made and checked in one place."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import IntEnum
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from mcrock.params import Draw, EnergyGain, FacetFallback, Outcome


class Variable(NamedTuple):
    """Declaration of one dataset variable."""

    dims: tuple[str, ...]
    dtype: str
    units: str
    long_name: str
    flags: type[IntEnum] | None = None  # whose codes the variable holds


INPUT = ("realization",)
OUTPUT = ("realization", "intensity")  # in a cloud study ("realization",) alone

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
    "impact_lambda": Variable(INPUT, "f8", "1", "edge impact: place of the impulse along the edge"),
    "impact_tau": Variable(INPUT, "f8", "N m s", "edge impact: angular impulse about the vertical"),
    "impact_lambda_lon": Variable(INPUT, "f8", "1", "facet impact: place of the impulse across the facet"),
    "impact_lambda_lat": Variable(INPUT, "f8", "1", "facet impact: place of the impulse along the old edge"),
    "impact_tau_facet": Variable(INPUT, "f8", "N m s", "facet impact: angular impulse about the vertical"),
    "impact_draw": Variable(INPUT, "i1", "1", "when the impact parameters are drawn", Draw),
    "energy_gain": Variable(INPUT, "i1", "1", "rule for impacts that would gain energy", EnergyGain),
    "facet_fallback": Variable(
        INPUT, "i1", "1", "what a facet impact without feasible pivot becomes", FacetFallback
    ),
    "start_face": Variable(INPUT, "i2", "1", "face on which the body starts"),
    "record": Variable(INPUT, "i4", "1", "index of the ground motion along the dimension `motion`"),
    "azimuth": Variable(INPUT, "f8", "rad", "rotation of the ground motion about the vertical"),
    "polarity": Variable(INPUT, "i1", "1", "sign of the ground motion"),
    # the intensity measure: units "" are those of the measure
    "intensity": Variable(("intensity",), "f8", "", "intensity measure of the run"),
    "intensity_value": Variable(INPUT, "f8", "", "intensity measure of the run"),
    # outcomes, one value per run
    "outcome": Variable(OUTPUT, "i1", "1", "how the run ended", Outcome),
    "overturning_time": Variable(OUTPUT, "f4", "s", "time at which the body overturned"),
    "overturning_direction": Variable(OUTPUT, "f4", "rad", "azimuth of the fall, from ground x towards y"),
    "peak_tilt": Variable(OUTPUT, "f4", "rad", "largest tilt of the body axis"),
    "peak_tilt_ratio": Variable(OUTPUT, "f4", "1", "largest tilt over the smallest slenderness"),
    "peak_rotation_x": Variable(OUTPUT, "f4", "rad", "largest rotation about the base axis x"),
    "peak_rotation_y": Variable(OUTPUT, "f4", "rad", "largest rotation about the base axis y"),
    "out_of_plane_factor": Variable(
        OUTPUT, "f4", "1", "smaller over larger peak rotation about the base axes after the first impact"
    ),
    "edge_impacts": Variable(OUTPUT, "i4", "1", "number of edge impacts"),
    "facet_impacts": Variable(OUTPUT, "i4", "1", "number of facet impacts"),
    "impact_energy_loss": Variable(OUTPUT, "f4", "J", "energy lost in impacts"),
    "final_face": Variable(
        OUTPUT, "i2", "1", "face on which the body is at rest at the end, -1 while it moves"
    ),
    "final_yaw": Variable(OUTPUT, "f4", "rad", "rotation about the vertical at the end"),
    "final_displacement_x": Variable(OUTPUT, "f4", "m", "displacement of the base along ground x at the end"),
    "final_displacement_y": Variable(OUTPUT, "f4", "m", "displacement of the base along ground y at the end"),
    "peak_friction_demand": Variable(
        OUTPUT,
        "f4",
        "1",
        "largest horizontal over vertical contact force while rocking, up to 45 degrees of tilt",
    ),
    "lowest_normal_force": Variable(
        OUTPUT, "f4", "1", "smallest vertical contact force over the weight, up to 45 degrees of tilt"
    ),
    "contact_lost": Variable(
        OUTPUT, "i1", "1", "1 if the contact force became tensile before 45 degrees of tilt"
    ),
    "infeasible_edge_impacts": Variable(
        OUTPUT, "i4", "1", "edge impacts without feasible pivot, taken as plastic edge contact"
    ),
    "infeasible_facet_impacts": Variable(
        OUTPUT, "i4", "1", "facet impacts without feasible pivot, taken as rest or plastic (facet_fallback)"
    ),
    "infeasible_energy_loss": Variable(
        OUTPUT, "f4", "1", "energy lost in infeasible impacts over the energy needed to overturn"
    ),
    "edge_stick_infeasible": Variable(
        OUTPUT, "i1", "1", "1 if the centre of pressure left an edge that could not be released"
    ),
    "energy_gain_impacts": Variable(
        OUTPUT, "i4", "1", "impacts whose drawn parameters gain energy (projected or allowed)"
    ),
    "end_time": Variable(OUTPUT, "f4", "s", "time at which the run ended"),
    "steps": Variable(OUTPUT, "i4", "1", "integration steps taken"),
    "half_step_outcome": Variable(
        OUTPUT, "i1", "1", "how the run ended at half the time step (not_run: not repeated)", Outcome
    ),
    # the ground motions
    "motion_name": Variable(("motion",), "U", "1", "name of the ground motion"),
    "motion_group": Variable(
        ("motion",), "i4", "1", "recording the motion comes from; runs that share it are dependent"
    ),
    "motion_intensity": Variable(("motion",), "f8", "", "intensity measure of the motion as recorded"),
    # what is done
    "chunk_done": Variable(("chunk",), "u1", "1", "1 if every run of the chunk is stored"),
}

OUTPUTS = tuple(name for name, variable in SCHEMA.items() if variable.dims == OUTPUT)


class DatasetError(ValueError):
    """A file or dataset that is not a whole result of a study."""


class DamageError(OSError):
    """A file of a store that cannot be decoded."""


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
        Variables by their names in `SCHEMA`, with the dims declared there; outcomes of a cloud study
        have no dim `intensity`.
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
        If a name is not in `SCHEMA` or an array does not have its dims.

    Examples
    --------
    >>> ds = build_dataset({"intensity": [1.0, 2.0], "outcome": [[1, 3], [1, 1]]}, units="m s-2")
    >>> ds["outcome"].dims, ds["intensity"].attrs["units"]
    (('realization', 'intensity'), 'm s-2')
    """
    variables = {}
    for name, value in values.items():
        if name not in SCHEMA:
            raise ValueError(f"'{name}' is no dataset variable of mcrock; mcrock.dataset.SCHEMA lists them")
        variable = SCHEMA[name]
        dtype = object if variable.dtype == "U" else variable.dtype
        array = np.asarray(value).astype(dtype)
        dims = variable.dims[: array.ndim] if variable.dims == OUTPUT else variable.dims
        if array.ndim != len(dims) or array.ndim == 0:
            raise ValueError(f"'{name}' must have the dims {variable.dims}, got the shape {array.shape}")
        variables[name] = (dims, array, attributes(name, units, long_name))
    return xr.Dataset(variables, attrs=dict(attrs or {}))


def attributes(name: str, units: str, long_name: str) -> dict[str, Any]:
    """Attributes of a variable; `units` and `long_name` are those of the intensity measure."""
    variable = SCHEMA[name]
    attrs: dict[str, Any] = {}
    if variable.dtype != "U":
        attrs["units"] = variable.units or units
    attrs["long_name"] = long_name if name in ("intensity", "intensity_value") else variable.long_name
    if variable.flags is not None:
        attrs["flag_values"] = [int(code) for code in variable.flags]
        attrs["flag_meanings"] = " ".join(code.name.lower() for code in variable.flags)
    return attrs


def load_dataset(
    path: str | Path, *, allow_incomplete: bool = False, chunks: dict[str, int] | None = None
) -> xr.Dataset:
    """Open the result of a study: a store of `mcrock run` or its NetCDF export.

    Parameters
    ----------
    path : str or Path
        Zarr store (a folder) or NetCDF file.
    allow_incomplete : bool
        Accept a store in which runs are missing; they have the outcome ``not_run``.
    chunks : dict, optional
        As in `xarray.open_dataset`: with ``{}`` every variable is a dask array over the chunks of the file.

    Returns
    -------
    Dataset
        Variables as declared in `SCHEMA`, read from disk when they are used.

    Raises
    ------
    DatasetError
        If there is no such file, it is not a result of mcrock, runs are missing, or files of what is
        done are.
    DamageError
        If a file of the store cannot be decoded.
    """
    path = Path(path)
    if not path.exists():
        raise DatasetError(f"{path}: no such store or file")
    try:
        if path.is_dir():
            _check_files(path)
            with explained(path):
                ds = xr.open_zarr(path, consolidated=False, chunks=chunks)
        else:
            ds = xr.open_dataset(path, engine="netcdf4", chunks=chunks)
    except (PermissionError, DamageError, DatasetError):
        raise
    except Exception as error:  # the backends have no common error for "this is something else"
        raise DatasetError(f"{path} is neither a zarr store nor a NetCDF file of mcrock ({error})") from error
    check_dataset(ds, str(path))
    places = {name: place for place, name in enumerate(SCHEMA)}
    ds = ds[sorted(ds.variables, key=lambda name: places.get(name, len(places)))]
    if "chunk_done" not in ds:
        return ds
    ds["chunk_done"].attrs.pop(FILES, None)  # holds for the files of this store, not for copies of it
    if not allow_incomplete:
        done = ds["chunk_done"].values == 1
        if not done.all():
            raise DatasetError(
                f"{path} is incomplete: {done.sum()} of {done.size} chunks are done; finish it with "
                "`mcrock run --resume`, or accept the missing runs with --allow-incomplete"
            )
    return ds


FILES = "variables"  # attribute of `chunk_done` in a store: the arrays whose files its marks vouch for


def is_store(path: Path) -> bool:
    """Whether `path` is a store made by mcrock: the only thing that it ever replaces."""
    attrs = read_attributes(path)
    return attrs is not None and str(attrs.get("source", "")).startswith("mcrock ") and "config" in attrs


def read_attributes(path: Path) -> dict[str, Any] | None:
    """Attributes of a zarr group or array, None where there is none that can be read."""
    node = _read_node(path)
    return None if node is None else node.get("attributes", {})


def _read_node(path: Path) -> dict[str, Any] | None:
    try:
        node = json.loads((path / "zarr.json").read_text(encoding="utf-8"))
    except PermissionError:
        raise
    except (OSError, ValueError):
        return None
    return node if isinstance(node, dict) else None


def read_marks(path: Path) -> np.ndarray:
    """What `chunk_done` of a store says: bool (n_chunk,)."""
    import zarr

    with explained(path):
        return np.asarray(zarr.open_array(path / "chunk_done", mode="r")[:]) == 1


def missing_files(
    path: Path, names: Iterable[str], done: np.ndarray
) -> Iterator[tuple[str, tuple[int, ...] | None]]:
    """What should be on disk and is not; no data are read.

    Parameters
    ----------
    path : Path
        Store made by `mcrock.store`, which writes every chunk, also one that holds fill values alone.
    names : iterable of str
        Arrays that should be there.
    done : ndarray (n_chunk,)
        Chunks of realizations that should be there; the other arrays should be there whole.

    Yields
    ------
    str, tuple of int or None
        Array and index of a chunk whose file is missing or empty; None if the array itself is missing.
    """
    for name in names:
        node = _read_node(path / name)
        try:
            lengths = node["chunk_grid"]["configuration"]["chunk_shape"]  # type: ignore[index]
            counts = [-(-size // length) for size, length in zip(node["shape"], lengths, strict=True)]
        except (TypeError, KeyError, ValueError):
            yield name, None
            continue
        if name == "chunk_done":  # a mark that is missing says that the chunk is not done
            continue
        is_marked = SCHEMA[name].dims[0] == "realization"
        for index in product(*map(range, counts)):
            if is_marked and not done[index[0]]:
                continue
            try:
                size = os.stat(f"{path}/{chunk_file(name, index)}").st_size
            except (FileNotFoundError, NotADirectoryError):
                size = 0
            if not size:
                yield name, index


def chunk_file(name: str, index: Iterable[int]) -> str:
    """File of a chunk inside its store."""
    return "/".join([name, "c", *map(str, index)])


def _check_files(path: Path) -> None:
    """Raise `DatasetError` where a store of mcrock lacks files of what is done."""
    if not is_store(path):
        return
    advice = "run the command that made the store once more with --resume"
    attrs = read_attributes(path / "chunk_done")
    if attrs is None:
        raise DatasetError(f"{path} is damaged: the array 'chunk_done' is missing; {advice}")
    if FILES not in attrs:  # a copy that was written by xarray
        return
    lost = list(missing_files(path, attrs[FILES].split(), read_marks(path)))
    if lost:
        name, index = lost[0]
        what = f"the array {name!r} is missing"
        if index is not None:
            what = f"the chunk {chunk_file(name, index)} of the array {name!r} is missing"
        more = f" (and {len(lost) - 1} more)" if len(lost) > 1 else ""
        raise DatasetError(f"{path} is damaged: {what}{more}; {advice}")


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Where reading the store `path` fails, name the file that cannot be decoded.

    Raises
    ------
    DamageError
        In place of the error of the decoder.
    """
    try:
        yield
    except (OSError, MemoryError):
        raise
    except Exception as error:  # decoders raise what they like
        file = _find_undecodable(path) if _is_of_zarr(error) else None
        if file is None:
            raise
        raise DamageError(
            f"{path} is damaged: {file} cannot be decoded; remove that file and run the command that made "
            "the store once more with --resume"
        ) from error


def _is_of_zarr(error: BaseException | None) -> bool:
    """Whether an error, or one that it came of, was raised inside zarr."""
    while error is not None:
        trace = error.__traceback__
        while trace is not None:
            if str(trace.tb_frame.f_globals.get("__name__")).startswith("zarr."):
                return True
            trace = trace.tb_next
        error = error.__cause__
    return False


def _find_undecodable(path: Path) -> str | None:
    import zarr

    for name in SCHEMA:
        if not (path / name / "zarr.json").is_file():
            continue
        try:
            array = zarr.open_array(path / name, mode="r")
        except ValueError:
            return f"{name}/zarr.json"
        for index in product(*map(range, array.cdata_shape)):
            try:
                array.blocks[index]
            except (OSError, MemoryError):
                raise
            except Exception:  # decoders raise what they like
                return chunk_file(name, index)
    return None


def check_dataset(ds: xr.Dataset, name: str) -> None:
    """Raise `DatasetError` where `ds` departs from `SCHEMA`; `name` says in the message what it is."""
    if "outcome" not in ds:
        raise DatasetError(f"{name} is no result of mcrock: it has no variable 'outcome'")
    for key, array in ds.variables.items():
        if key not in SCHEMA:
            continue
        variable = SCHEMA[str(key)]
        if array.dims != variable.dims and not (variable.dims == OUTPUT and array.dims == INPUT):
            raise DatasetError(f"{name}: '{key}' must have the dims {variable.dims}, got {array.dims}")
        if variable.dtype == "U":
            continue
        dtype, units = np.dtype(variable.dtype), array.attrs.get("units")
        if array.dtype != dtype:
            raise DatasetError(f"{name}: '{key}' must be of type {dtype}, got {array.dtype}")
        if variable.units and units != variable.units:
            raise DatasetError(f"{name}: '{key}' must have the units {variable.units!r}, got {units!r}")


def save_dataset(ds: xr.Dataset, path: str | Path, *, overwrite: bool = False) -> None:
    """Write a dataset to one NetCDF file, whole or not at all.

    Parameters
    ----------
    ds : Dataset
        From `load_dataset`; with dask arrays (``chunks={}``) memory does not grow with its size.
    path : str or Path
        File to write. It is written under a temporary name beside it and then renamed.
    overwrite : bool
        Replace a NetCDF file that is there (and nothing else).

    Raises
    ------
    DatasetError
        If the output is refused.
    OSError
        If it cannot be written.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise DatasetError(f"{path}: the folder {path.parent} does not exist")
    if os.path.lexists(path):
        if not _is_netcdf(path):
            raise DatasetError(f"{path} exists and is not a NetCDF file; choose another output")
        if not overwrite:
            raise DatasetError(f"{path} exists already; replace it with --overwrite or choose another output")
    if path.suffix != ".nc":
        raise DatasetError(f"{path}: the name of a NetCDF file must end in .nc")
    ds = ds.drop_encoding()
    for array in ds.variables.values():
        if "flag_values" in array.attrs:  # of the type of the variable, as the CF conventions want it
            array.attrs["flag_values"] = np.asarray(array.attrs["flag_values"], array.dtype)
    numbers = [name for name, array in ds.variables.items() if array.dtype.kind in "fiu"]
    encoding = {name: {"zlib": True, "complevel": 1} for name in numbers}
    with replacing(path) as scratch:
        try:
            ds.to_netcdf(scratch, engine="netcdf4", format="NETCDF4", encoding=encoding)
        except RuntimeError as error:  # how the NetCDF library reports that it could not write
            if _is_of_zarr(error):  # the source could not be read
                raise
            raise OSError(f"cannot write {path}: {error}; is the disk full?") from error


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary name beside ``path`` to write to, renamed to it when all went well."""
    scratch = path.with_name(f".{uuid.uuid4().hex}.{path.name}")
    try:
        yield scratch
        with scratch.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(scratch, path)
    except OSError as error:
        if str(error.filename) == str(scratch):  # a name that says nothing to the reader
            error.filename = str(path)
        raise
    finally:
        scratch.unlink(missing_ok=True)


def _is_netcdf(path: Path) -> bool:
    """Whether a file begins as NetCDF files do."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) in (b"\x89HDF", b"CDF\x01", b"CDF\x02", b"CDF\x05")
