"""Cases with known results, and how to run them on any machine."""

from mcrock.verification.report import Check, run_cases, run_file

__all__ = ["Check", "run_cases", "run_file"]
