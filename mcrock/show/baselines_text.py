"""Rules of thumb next to the result, as text."""

from __future__ import annotations

import math

import xarray as xr

from mcrock.show.numbers import label_intensities
from mcrock.show.tables import format_table
from mcrock.statistics.simple_rules import rule_words


def format_baselines(found: xr.Dataset) -> list[str]:
    """Table of what rules of thumb and checks of codes say."""
    percent = f"{found.attrs['level'] * 100:.4g} %"
    rows = []
    for name in found["rule"].values.tolist():
        row = found.sel(rule=name)
        capacity = float(row["capacity"])
        there = math.isfinite(capacity)
        rows.append(
            [
                rule_words(row),
                label_intensities([capacity], str(row["units"].item()))[0] if there else "-",
                _with_interval(row, "probability", ".2f"),
                _with_interval(row, "misclassified", ".2f"),
                _with_interval(row, "log_loss", ".3f"),
            ]
        )
    heads = ["rule", "capacity", f"P at capacity ({percent})", f"misclassified ({percent})"]
    heads.append(f"log loss ({percent})")
    return [
        "Rules of thumb and code checks for comparison, scored on each record as fitted to the others",
        format_table(heads, rows),
    ]


def _with_interval(row: xr.Dataset, name: str, form: str) -> str:
    value, (low, high) = float(row[name]), row[f"{name}_interval"].values.tolist()
    if not math.isfinite(value):
        return "-"
    return f"{value:{form}} ({low:{form}} to {high:{form}})" if math.isfinite(low) else f"{value:{form}}"
