"""Running files of cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from mcrock.base.tables.parsing import parse_json, read_text
from mcrock.verify.checks import CaseError, ComparedQuantity, failed
from mcrock.verify.form import OF_LAW, OF_REFUSED_LAW, OF_RUN, case_name, find_mistakes
from mcrock.verify.impacts import IMPACT_KINDS
from mcrock.verify.laws import LAW_KINDS
from mcrock.verify.motions import MOTION_KINDS
from mcrock.verify.polyhedra import POLYHEDRON_KINDS
from mcrock.verify.sliding import SLIDING_KINDS

KINDS = IMPACT_KINDS | MOTION_KINDS | POLYHEDRON_KINDS | SLIDING_KINDS | LAW_KINDS
FORMS = dict.fromkeys(KINDS, OF_RUN) | dict.fromkeys(LAW_KINDS, OF_LAW) | {"error": OF_REFUSED_LAW}


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
