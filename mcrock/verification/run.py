"""Running files of cases."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from mcrock.verification.checks import CaseError, Check, failed
from mcrock.verification.impacts import IMPACT_KINDS
from mcrock.verification.laws import LAW_KINDS
from mcrock.verification.motions import MOTION_KINDS
from mcrock.verification.polyhedra import POLYHEDRON_KINDS
from mcrock.verification.sliding import SLIDING_KINDS

KINDS = IMPACT_KINDS | MOTION_KINDS | POLYHEDRON_KINDS | SLIDING_KINDS | LAW_KINDS


def run_file(path: Path | str) -> Iterator[Check]:
    """Run every case of a file.

    Parameters
    ----------
    path : Path or str
        JSON object with a list ``cases``.

    Yields
    ------
    Check
        In the order of the file.

    Raises
    ------
    CaseError
        If the file is missing or malformed. A case that cannot be run is a failed check with the reason, and
        the others are run.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise CaseError(f"{path}: cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise CaseError(f"{path}: is not JSON: {error}") from None
    if not isinstance(content, dict) or not isinstance(content.get("cases"), list):
        raise CaseError(f"{path}: must be a JSON object with a list 'cases'")
    yield from run_cases(content["cases"])


def run_cases(cases: Iterable[dict[str, Any]]) -> Iterator[Check]:
    """Run cases given as dictionaries; see `run_file`."""
    for position, case in enumerate(cases):
        name = case.get("id", f"case {position}") if isinstance(case, dict) else f"case {position}"
        if not isinstance(case, dict) or case.get("kind") not in KINDS:
            kind = case.get("kind") if isinstance(case, dict) else type(case).__name__
            yield failed(name, f"unknown kind {kind!r}; known are {', '.join(sorted(KINDS))}")
            continue
        try:
            yield from KINDS[case["kind"]](case)
        except KeyError as error:
            yield failed(
                name, f"there is no {error}: an input is missing, or nothing of that name is computed"
            )
        except (TypeError, IndexError, ValueError, ArithmeticError) as error:
            yield failed(name, f"{error}")
