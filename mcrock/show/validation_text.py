"""Scores of a validation as text."""

from __future__ import annotations

import numpy as np
import xarray as xr

from mcrock.show.tables import format_table

HEADS = {"f1": "F1", "accuracy": "accuracy", "brier": "Brier", "log_loss": "log loss", "auc": "AUC"}
SHOWN = ("f1", "accuracy", "brier", "log_loss")
WORST = 12  # tests at most that are listed as judged wrongly


def format_validation(found: xr.Dataset) -> str:
    """Scores with intervals, differences to the rules, and the tests that were judged wrongly.

    Parameters
    ----------
    found : Dataset
        From `mcrock.validation.validate`.
    """
    percent, judged = f"{found.attrs['level'] * 100:.3g} %", found.attrs["judged"]
    n, fell = found.sizes["test"], int(found["fallen"].sum())
    recordings = len(np.unique(found["recording"]))
    lines = [f"{n} tests of {recordings} recordings, {fell} overturned"]
    rows = []
    for name in found["predictor"].values.tolist():
        cells = [name]
        for score in SHOWN:
            one = found.sel(predictor=name, score=score)
            low, high = one["value_interval"].values
            cells.append(f"{float(one['value']):.3f} ({low:.3f} to {high:.3f})")
        rows.append([*cells, f"{float(found['value'].sel(predictor=name, score='auc')):.3f}"])
    heads = ["", *(HEADS[score] for score in SHOWN), HEADS["auc"]]
    lines += ["", f"Scores with {percent} intervals over recordings", _table(heads, rows)]
    others = [name for name in found["predictor"].values.tolist() if name != judged]
    rows = []
    for name in others:
        cells = [name]
        for score in ("f1", "brier"):
            one = found.sel(predictor=name, score=score)
            low, high = -one["difference_interval"].values[::-1]
            cells.append(f"{-float(one['difference']):+.3f} ({low:+.3f} to {high:+.3f})")
            cells.append(f"{float(one['better']):.0%}")
        rows.append(cells)
    heads = ["", "F1", "better in", "Brier", "better in"]
    lines += ["", f"{judged} less each, on the same resamples of the recordings", _table(heads, rows)]
    lines += ["", *_wrong(found, judged)]
    if "calibrated" in judged:
        few = float(found["effective"].min())
        lines.append(f"weights of the draws leave {few:.1f} effective draws or more, without each recording")
    return "\n".join(lines)


def _table(heads: list[str], rows: list[list[str]]) -> str:
    """A table whose first column is aligned to the left."""
    width = max(len(row[0]) for row in rows)
    return str(format_table(heads, [[row[0].ljust(width), *row[1:]] for row in rows]))


def _wrong(found: xr.Dataset, judged: str) -> list[str]:
    """Tests that are judged wrongly, the worst first."""
    p, y = found["probability"].sel(predictor=judged).values, found["fallen"].values
    wrong = np.flatnonzero((p > 0.5) != (y == 1))
    order = wrong[np.argsort(-np.abs(p[wrong] - y[wrong]), kind="stable")]
    missed = int((y[wrong] == 1).sum())
    head = f"{len(wrong)} tests judged wrongly: {missed} overturned with a probability of at most one half"
    numbers = found["number"].values if "number" in found else np.arange(len(y))
    words = [
        f"  {found['recording'].values[i]}, test {numbers[i]}: "
        f"{'overturned' if y[i] else 'stood'}, probability {p[i]:.2f}"
        for i in order[:WORST]
    ]
    rest = len(order) - len(words)
    return [head, *words, *([f"  and {rest} more"] if rest else [])]
