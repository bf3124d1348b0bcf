"""Running files of cases, whose form is checked before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from mcrock.base.checks import Number, Rule, joined, shown
from mcrock.base.tables.parsing import parse_json, read_text
from mcrock.verify.checks import IMPACT_KINDS, CaseError, ComparedQuantity, failed
from mcrock.verify.laws import LAW_KINDS
from mcrock.verify.motions import MOTION_KINDS, POLYHEDRON_KINDS, SLIDING_KINDS

TABLE: dict[str, Any] = {}  # with any keys
TABLES = [TABLE]  # a list of them
OF_LAW = {"inputs": TABLE, "tol": TABLE, "expected": TABLE}
OF_REFUSED_LAW = {"inputs": TABLE}
OF_RUN = {
    # bounds with which every run comes to an end
    "g": Number("m/s2", above=0.0, most=1000.0),
    "t_end": Number("s", least=0.0, most=1000.0),
    "body": TABLE,
    "params": {"face_params": TABLE},
    "initial": TABLE,
    "excitation": {"fema_p695": TABLE},
    "tol": TABLE,
    "expected": {
        "a_min": Number("1", least=1e-9, most=1e9),
        "events": TABLES,
        "first": TABLE,
        "states": TABLES,
        "tilt_peaks": TABLES,
        "uplift": TABLE,
        "release": TABLE,
    },
}
KINDS = IMPACT_KINDS | MOTION_KINDS | POLYHEDRON_KINDS | SLIDING_KINDS | LAW_KINDS
FORMS = dict.fromkeys(KINDS, OF_RUN) | dict.fromkeys(LAW_KINDS, OF_LAW) | {"error": OF_REFUSED_LAW}


def case_name(case: Any, position: int) -> str:
    """Name of a case in messages."""
    name = case.get("id") if isinstance(case, dict) else None
    return name if isinstance(name, str) else f"case {position}"


def find_mistakes(cases: Iterable[Any], forms: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Mistakes in cases, each with the name of its case; `forms` are those of each kind."""
    found = []
    for position, case in enumerate(cases):
        kind = case.get("kind") if isinstance(case, dict) else None
        if not isinstance(case, dict):
            mistakes = [f"must be a table, got {shown(case)}"]
        elif not isinstance(case.get("id", ""), str):
            mistakes = [f"id must be text, got {shown(case['id'])}"]
        elif not isinstance(kind, str) or kind not in forms:
            mistakes = [f"kind must be {joined(sorted(forms))}, got {shown(kind)}"]
        else:
            mistakes = [item for key in forms[kind] for item in _unfit(case.get(key), forms[kind][key], key)]
        found += [f"{case_name(case, position)}: {words}" for words in mistakes]
    return found


def _unfit(value: Any, form: Any, place: str) -> Iterator[str]:
    """Mistakes in the form of a value; what is missing or null is left to the case."""
    if value is None:
        return
    if isinstance(form, Rule):
        if not form.fits(value):
            yield f"{place} must be {form.words}, got {shown(value)}"
    elif isinstance(form, list):
        if not isinstance(value, list):
            yield f"{place} must be a list of tables, got {shown(value)}"
            return
        for i, item in enumerate(value):
            yield from _unfit(item, form[0], f"{place}[{i}]")
    elif not isinstance(value, dict):
        yield f"{place} must be a table, got {shown(value)}"
    else:
        for key, inner in form.items():
            yield from _unfit(value.get(key), inner, f"{place}.{key}")


def run_file(path: Path | str) -> Iterator[ComparedQuantity]:
    """Run every case of a file.

    Parameters
    ----------
    path : Path or str
        JSON object with a list ``cases``.

    Returns
    -------
    iterator of Check
        In the order of the file.

    Raises
    ------
    CaseError
        If the file is missing or malformed, with all that is, before a case is run. A case that cannot be run
        is a failed check with the reason, and the others are run.
    """
    try:
        content = parse_json(read_text(Path(path)))
    except OSError as error:
        raise CaseError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise CaseError(f"{path}: is not JSON: {error}") from None
    if not isinstance(content, dict) or not isinstance(content.get("cases"), list):
        raise CaseError(f"{path}: must be a JSON object with a list 'cases'")
    mistakes = find_mistakes(content["cases"], FORMS)
    if mistakes:
        raise CaseError("\n".join(f"{path}: {mistake}" for mistake in mistakes))
    return run_cases(content["cases"])


def run_cases(cases: Iterable[dict[str, Any]]) -> Iterator[ComparedQuantity]:
    """Run cases of a known kind given as dictionaries; see `run_file`."""
    for position, case in enumerate(cases):
        name = case_name(case, position)
        try:
            yield from KINDS[case["kind"]](case)
        except KeyError as error:
            yield failed(
                name, f"there is no {error}: an input is missing, or nothing of that name is computed"
            )
        except (TypeError, IndexError, ValueError, ArithmeticError, AttributeError) as error:
            yield failed(name, f"{error}")
