"""Study files: from TOML, overrides and a table of inputs made elsewhere to a checked `Study`."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mcrock.base.checks import joined
from mcrock.base.tables.distributions import MOST_LISTED
from mcrock.base.tables.fields import ChoiceKey, ListOf, Table
from mcrock.base.tables.parsing import ConfigError, parse_toml, read_columns, read_text, shown
from mcrock.base.units import factor_to, split_header
from mcrock.body import Body
from mcrock.body.parts import SHAPES
from mcrock.impact.conditions import Impact, OwnLaw
from mcrock.study.impact import take_in_preset
from mcrock.study.sections import name_preset
from mcrock.study.sections import take_in_preset as take_in_controls
from mcrock.study.study import Study, name_own_law, tables, tables_of

Columns = Mapping[str, Sequence[Any]]  # by header: the dotted key, or it and its unit as in "body.width [m]"


def keys_of(dotted: str) -> tuple[str, ...]:
    """Keys of a dotted name; the place in a list of tables is one of them, and so is a pair of inputs.

    >>> keys_of("body.parts[0].height"), keys_of("correlation.body.width, body.height")
    (('body', 'parts', '0', 'height'), ('correlation', 'body.width, body.height'))
    """
    section, _, pair = dotted.partition(".")
    if section.strip() == "correlation":
        return section.strip(), pair.strip(" \"'")
    return tuple(part.strip() for part in re.sub(r"\[(\d+)\]", r".\1", dotted).split("."))


def listed(columns: Columns, source: str) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    """Keys of a table of inputs with the header of each, and the raw value of the study file in its place.

    Raises
    ------
    ConfigError
        With one line for every column that cannot be one.

    Numbers in another unit of the kind of their key, as ``body.width [mm]``, are turned into its own.
    """
    found: list[tuple[tuple[str, ...], str, Any]] = []
    mistakes = []
    lengths = {name: len(columns[name]) for name in columns}
    if not lengths or len({*lengths.values()}) > 1 or not all(lengths.values()):
        rows = ", ".join(f"{n} in {name!r}" for name, n in lengths.items()) or "no column"
        raise ConfigError(f"{source}: expected as many numbers in every column, at least one, got {rows}")
    for name in columns:
        dotted, unit = split_header(str(name))
        keys = keys_of(dotted)
        try:
            values = np.asarray(columns[name], float)
        except (TypeError, ValueError, OverflowError):
            mistakes.append(
                f"{source}, column {name!r}: expected numbers, got {shown(columns[name][0])} first"
            )
            continue
        values, problem = _in_unit_of(keys, unit, values), _problem(keys, unit, values)
        if problem:
            mistakes.append(f"{source}, column {name!r}: {problem}")
        elif keys == ("motion", "record"):
            found.append((keys, str(name), [int(value) for value in values]))
        else:
            found.append((keys, str(name), {"distribution": "listed", "values": values.tolist()}))
    if mistakes:
        raise ConfigError(mistakes)
    yield from found


def _problem(keys: tuple[str, ...], unit: str, values: np.ndarray) -> str:
    """Why numbers cannot stand for a key with a unit, in words; none if they can."""
    kinds = [variant.kind(keys[-1]) for variant in _variants(keys)]
    if len(keys) < 2 or keys[0] not in tables():
        return f"expected a key with its section, as body.width, of {joined(tables())}"
    if len(values) > MOST_LISTED:
        return f"a table may have {MOST_LISTED} rows, got {len(values)}"
    if not np.isfinite(values).all():
        return f"expected finite numbers, got {values[~np.isfinite(values)][0]:g}"
    if any(isinstance(kind, ChoiceKey) for kind in kinds):
        return "is a choice of words or codes, and a column has numbers: give it in the study file"
    if any(isinstance(kind, ListOf) for kind in kinds) and (values % 1).any():
        return f"expected whole numbers, got {values[values % 1 != 0][0]:g}"
    wanted = units_of_key(keys)
    if unit and wanted and all(factor_to(unit, each) is None for each in wanted):
        return f"its unit is {joined(wanted)} or another of its kind, got {unit}"
    return ""


def units_of_key(keys: tuple[str, ...]) -> list[str]:
    """Units of a key of a section or of a table in it, as ``motion.floor``; none of what is in a list."""
    kinds = [variant.kind(keys[-1]) for variant in _variants(keys)]
    return sorted({str(getattr(kind, "unit", "1")) for kind in kinds if kind is not None})


def _in_unit_of(keys: tuple[str, ...], unit: str, values: np.ndarray) -> np.ndarray:
    """Numbers of a column in the unit of its key, where it names another of the same kind."""
    factors = [factor for each in units_of_key(keys) if unit and (factor := factor_to(unit, each))]
    return values * factors[0] if factors and 1.0 not in factors else values


def _variants(keys: tuple[str, ...]) -> Iterator[type[Table]]:
    """Tables of a section, or of a table in it, that have a key."""
    found = [*tables().get(keys[0], {}).values()] if len(keys) > 1 else []
    for key in keys[1:-1]:
        if key.isdecimal():  # of a list, whose tables may be of several kinds
            found = [kind for table in found for kind in (table, *table.__subclasses__())]
            continue
        fields = [table.model_fields[key] for table in found if key in table.model_fields]
        found = [*dict.fromkeys(each for field in fields for each in tables_of(field.annotation))]
    yield from (table for table in found if keys[-1] in table.key_names())


OPENERS = "[{\"'"  # what starts with one of these is meant as TOML, not as a bare word


def load_config(
    path: str | Path,
    overrides: Sequence[str] = (),
    *,
    inputs: Columns | None = None,
    law: Callable[..., float] | None = None,
    trust_code: bool = False,
) -> Study:
    """Read and check a study file.

    Parameters
    ----------
    path : str or Path
        TOML file; `mcrock docs study-file` describes every key.
    overrides : sequence of str
        Each ``key.path=value``, with the value in TOML or a bare word. An override takes the place
        of its alternatives: setting ``body.mass`` removes ``body.density``, and ``impact.preset`` the law and
        the parameters of impacts.
    inputs : mapping of str to sequence of float, optional
        Columns, as a pandas DataFrame has them, by dotted key: inputs of the realizations, one a row, in the
        unit of the key, in the place of ``ensemble.table``.
    law : callable, optional
        Function of one's own that impacts follow, as `Study.with_law` takes it.
    trust_code : bool
        Run the code that the file names, its law and responses: your word that it may. Functions that are
        given in Python need none.

    Returns
    -------
    Study
        Validated and frozen.

    Raises
    ------
    ConfigError
        With every mistake of the file and of the overrides, one line each; or what code it names, which has
        not run.
    ValueError
        If the law is none that runs can follow.
    """
    read = read_toml(Path(path), "study file")
    if "collection" in read:
        raise ConfigError(f"{path} is of many objects: `mcrock check`, `run` and `submit` take it")
    return study_of(read, Path(path), overrides, inputs=inputs, law=law, trust_code=trust_code)


def study_of(
    data: dict[str, Any],
    path: Path,
    overrides: Sequence[str] = (),
    *,
    inputs: Columns | None = None,
    law: Callable[..., float] | None = None,
    trust_code: bool = False,
    source: str = "",
    origins: Mapping[tuple[int | str, ...], str] | None = None,
) -> Study:
    """Check the raw tables of a study, which change; arguments and errors as of `load_config`.

    ``source`` is what messages call the file, ``origins`` where else keys are from.
    """
    own_law = None if law is None else OwnLaw.of(law)
    source = source or str(path)
    name_preset(data)  # overrides may change keys of it
    origins = dict(origins or {})
    mistakes: list[str] = []
    parsed = []
    for text in overrides:
        try:
            parsed.append((*_parse(text), text))
        except ConfigError as error:
            mistakes += error.mistakes
    kept = {keys for keys, _, _ in parsed}
    for keys, value, text in parsed:
        problem = apply_keys(data, keys, value, kept)
        if problem:
            mistakes.append(f"override {text!r}: {problem}")
        else:
            origins[places_of(keys)] = f"override {text!r}"
    try:
        mistakes += _take_in_table(data, path.parent, inputs, kept, origins)
    except ConfigError as error:
        mistakes += [f"{source} [ensemble] table: {mistake}" for mistake in error.mistakes]
        data["ensemble"].setdefault("realizations", 1)  # whose lack would be one more mistake
    mistakes += take_in_preset(data, source, origins)
    take_in_controls(data)
    _shorten_paths(data, path.parent)
    mistakes += _take_in_files(data.get("body"), path, source)
    if own_law:
        name_own_law(data, own_law)
    study = Study.from_data(data, source, path.parent, origins, tuple(mistakes), trust_code=trust_code)
    study._own_law = own_law
    study.ask_for_code()
    impossible = study.body.refusal()
    try:
        study.check_own_law()
    except ValueError as error:
        raise ConfigError(f"{source} [impact] own_law: {error}") from None
    if impossible:
        uncertain = any(name.startswith("body.") for name in study.uncertain)
        which = "with every uncertain number at its median, " if uncertain else ""
        raise ConfigError(f"{source} [body]: {which}{impossible}")
    return study


def load_tested(
    path: str | Path, fitted: Sequence[str] | None = (), *, trust_code: bool = False
) -> tuple[Body, Impact]:
    """Body that was tested, and what is known of its impacts, from a TOML file.

    Parameters
    ----------
    path : str or Path
        Study file, or any file with its section ``[body]``, and ``[impact]`` if it has one; nothing else is
        read.
    fitted : sequence of str, optional
        Keys of impact parameters whose values do not count; None where nothing of ``[impact]`` does.
    trust_code : bool
        As of `load_config`, for a law of one's own.

    Raises
    ------
    ConfigError
        If the file cannot be read, has no section ``[body]``, mistakes in a section, or a distribution: what
        was measured on one body is told by the numbers of that body.
    """
    path = Path(path)
    data = read_toml(path, "study file or file with a section [body]")
    given = data.get("body")
    if not isinstance(given, dict):
        raise ConfigError(f"{path}: no section [body]; `mcrock docs bodies` says what it holds")
    mistakes = _take_in_files(given, path) + take_in_preset(data, str(path), {})
    if mistakes:
        raise ConfigError(mistakes)
    study = Study.from_data(
        {
            "seed": 0,
            "body": given,
            "impact": {} if fitted is None else data.get("impact", {}),
            "motion": {"source": "none"},
            "start": {"tilt_ratio": 0.5},
            "ensemble": {"realizations": 1},
        },
        str(path),
        path.parent,
        trust_code=trust_code,
    )
    study.ask_for_code()
    unknown = {f"impact.{key}" for key in fitted or ()}
    drawn = [
        name for name in study.uncertain if name.startswith(("body.", "impact.")) and name not in unknown
    ]
    if drawn:
        raise ConfigError(
            f"{path}: {', '.join(drawn)}: a distribution, and one body was measured; give its number"
        )
    impossible = study.body.refusal()
    if impossible:
        raise ConfigError(f"{path} [body]: {impossible}")
    found = study.body.at_medians()
    tested = Body(
        float(found.mass[0]),
        found.inertia[0],
        found.vertices[0],
        float(found.gravity[0]),
        faces=found.faces,
        start_face=int(found.start_face[0]),
        base_faces=found.base_faces,
        rim=0.0 if found.rim is None else float(found.rim[0]),
    )
    return tested, study.impact.known(fitted or (), study.find_own_law())


def _take_in_files(body: Any, path: Path, source: str = "") -> list[str]:
    """Put what files hold in their place in the raw table [body] of the file `path`; mistakes in words."""
    shape = SHAPES.get(str(body.get("shape"))) if isinstance(body, dict) else None
    try:
        if shape is not None:
            shape.take_in_files(body, path.parent)
    except ConfigError as error:
        return [f"{source or path} [body] {error}"]
    return []


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """Raw tables of a TOML file, which messages call `what` it should be."""
    try:
        text = read_text(path)
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not a text file in UTF-8 (byte {error.start})") from None
    except ValueError as error:
        raise ConfigError(f"{path}: not a {what}: {error}") from None
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such file{_near(path)}") from None
    except OSError as error:
        if path.is_dir():
            raise ConfigError(f"{path}: is a folder; expected a {what} (.toml)") from None
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        return parse_toml(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column (\d+)\)$", str(error))
        if not place:
            raise ConfigError(f"{path}: not valid TOML: {error}") from None
        line, column = int(place[1]), int(place[2])
        reason = str(error)[: place.start()].strip()
        written = text.replace("\r\n", "\n").split("\n")[line - 1].strip()
        place_name = f"{path} line {line}, column {column}"
        comma = re.search(r"=\s*([+-]?\d+),(\d+)\s*(#.*)?$", written)
        remedy = f"; decimals take a point: {comma[1]}.{comma[2]}" if comma else ""
        raise ConfigError(f"{place_name}: not valid TOML: {reason}: {written}{remedy}") from None


def _near(path: Path) -> str:
    """Suggestion for a file that does not exist."""
    names = [file.name for file in path.parent.glob("*.toml")] if path.parent.is_dir() else []
    close = difflib.get_close_matches(path.name, names, n=1)
    return f"; did you mean {str(path.with_name(close[0]))!r}?" if close else ""


def _parse(text: str) -> tuple[tuple[str, ...], Any]:
    """Key path and value of one override."""
    path, sign, value = (part.strip() for part in text.partition("="))
    keys = keys_of(path)
    if not sign or not value or not all(keys):
        raise ConfigError(f"override {text!r}: expected key.path=value, such as ensemble.realizations=100")
    try:
        table = parse_toml(f"value = {value}")
    except tomllib.TOMLDecodeError as error:
        if value[0] in OPENERS:
            raise ConfigError(f"override {text!r}: the value is not valid TOML: {error}") from None
        return keys, value
    if set(table) != {"value"}:
        raise ConfigError(f"override {text!r}: expected one value")
    return keys, table["value"]


def apply_keys(
    data: dict[str, Any], keys: tuple[str, ...], value: Any, kept: Collection[tuple[str, ...]] = ()
) -> str | None:
    """Set one key in the raw tables, in the place of its alternatives but for those kept; words the problem
    if that cannot be done."""
    table: Any = data
    for depth, key in enumerate(keys[:-1], start=1):
        if isinstance(table, list):
            if not (key.isdecimal() and int(key) < len(table)):
                return f"{'.'.join(keys[: depth - 1])} has the places 0 to {len(table) - 1}, got {key}"
            table = table[int(key)]
        else:
            table = table.setdefault(key, {})
        if not isinstance(table, dict | list) or (isinstance(table, list) and depth == len(keys) - 1):
            return f"{'.'.join(keys[:depth])} is not a table, it is {shown(table)}"
    table[keys[-1]] = value
    for variant in _variants(keys):
        for group in variant.alternatives:
            for other in group if keys[-1] in group else ():
                if other != keys[-1] and (*keys[:-1], other) not in kept:
                    table.pop(other, None)
    return None


def places_of(keys: tuple[str, ...]) -> tuple[int | str, ...]:
    """Where the mistakes of keys are, by keys of tables and numbers of lists."""
    return tuple(int(key) if key.isdecimal() else key for key in keys)


def _take_in_table(
    data: dict[str, Any],
    folder: Path,
    inputs: Columns | None,
    kept: set[tuple[str, ...]],
    origins: dict[tuple[int | str, ...], str],
) -> list[str]:
    """Put the columns of a table of inputs in the place of their keys, but of those that are overridden."""
    ensemble = data.get("ensemble", {})
    if not isinstance(ensemble, dict) or not (isinstance(ensemble.get("table"), str) or inputs is not None):
        return []
    source = "inputs" if inputs is not None else str(folder / ensemble["table"])
    ensemble.pop("table", None)
    data["ensemble"] = ensemble
    columns = read_columns(Path(source)) if inputs is None else inputs
    mistakes = []
    for keys, name, value in listed(columns, source):
        rows = len(value["values"] if isinstance(value, dict) else value)
        ensemble.setdefault("realizations", rows)
        if keys in kept:
            words = "an override stands in its place, without its correlations"
            warnings.warn(f"{source}, column {name!r}: {words}", stacklevel=2)
            continue
        problem = apply_keys(data, keys, value, kept)
        if problem:
            mistakes.append(f"{source}, column {name!r}: {problem}")
        else:
            origins[places_of(keys)] = f"{source}, column {name!r}:"
    return mistakes


def _shorten_paths(data: dict[str, Any], folder: Path) -> None:
    """Write absolute names of record files relative to ``folder``, so that a study can be moved."""
    motion = data.get("motion")
    files = motion.get("files") if isinstance(motion, dict) else None
    if isinstance(motion, dict) and isinstance(files, list):
        motion["files"] = [
            _relative(file, folder) if isinstance(file, str) and os.path.isabs(file) else file
            for file in files
        ]


def _relative(file: str, folder: Path) -> str:
    try:
        return Path(os.path.relpath(file, folder)).as_posix()
    except ValueError:  # on another drive of Windows
        return file
