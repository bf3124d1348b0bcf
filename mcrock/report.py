"""One page on a study for a safety file: HTML in one file, which needs no network and prints."""

from mcrock.show.report.page import build_report, save_report

__all__ = ["build_report", "save_report"]
