"""Cases with known results, and how to run them on any machine."""

from pathlib import Path

from mcrock.verify.checks import CaseError, ComparedQuantity
from mcrock.verify.run import run_cases, run_file

# shipped with the package
CASES = tuple(
    Path(__file__).with_name("cases") / name
    for name in ("rocking.json", "polyhedra.json", "laws.json", "sliding.json")
)

__all__ = ["CASES", "CaseError", "ComparedQuantity", "run_cases", "run_file"]
