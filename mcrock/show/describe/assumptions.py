"""Which assumption matters most for objects like that of a study: runs behind the page assumptions."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from mcrock.study import Study

TABLE = Path(__file__).with_name("assumptions.csv")  # of tests/benchmarks/assumptions.py
SHOWN = 3  # assumptions that are named
LIKE = np.log(2.0)  # of slenderness and p together: how far an object may be from that which is quoted [1]
INTERVAL = ("one_percent_low", "one_percent_high")


@cache
def assumption_costs() -> list[dict[str, str]]:
    """Rows of the table: what each assumption changed for each of its objects, ratios with 95 % intervals."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def assumption_notes(values: Mapping[str, ArrayLike] | xr.Dataset, study: Study | None = None) -> list[str]:
    """Assumptions that change the capacity at 1 % most for the object that is most like that of a study.

    Empty where none is like it; what the study has itself, such as a floor, it does not leave out.
    """
    if not np.all(np.asarray(values["body_slenderness"]) > 0.0):
        return []
    own = np.log([np.median(np.asarray(values[f"body_{key}"])) for key in ("slenderness", "frequency")])

    def apart(row: dict[str, str]) -> float:
        return float(np.linalg.norm(own - np.log([float(row["slenderness"]), float(row["p"])])))

    nearest = min(assumption_costs(), key=apart)
    if not apart(nearest) < LIKE:
        return []
    own_words = () if study is None else _of_study(study)
    rows = [row for row in assumption_costs() if row["object"] == nearest["object"]]
    rows = [row for row in rows if not row["assumption"].startswith(own_words)]
    sure = [
        row
        for row in rows
        if all(row[end] for end in INTERVAL) and not float(row[INTERVAL[0]]) <= 1.0 <= float(row[INTERVAL[1]])
    ]
    sure.sort(key=lambda row: -abs(np.log(float(row["one_percent_ratio"]))))
    words = [f"{row['assumption']} ({float(row['one_percent_ratio']):.2f} of it)" for row in sure[:SHOWN]]
    slid = [row["assumption"] for row in rows if not row["one_percent_ratio"]]
    slide = [f"with {name} they slide rather than overturn" for name in slid]
    changes = [f"the intensity at which 1 % overturn changes most with {', '.join(words)}"] * bool(words)
    both = np.exp(own), (float(nearest["slenderness"]), float(nearest["p"]))
    this, one = (f"{np.degrees(alpha):.0f} deg and p {p:.2g} rad/s" for alpha, p in both)
    return [
        f"assumptions (mcrock docs assumptions): the nearest object that was run is a {nearest['object']} of "
        f"slenderness {one}, for {this} here; {'; '.join([*changes, *slide])}"
    ] * bool(changes or slide)


def _of_study(study: Study) -> tuple[str, ...]:
    """How assumptions begin that a study does not rest on, as it has what they leave out."""
    there = {
        ("floor of",): study.motion.on_floor,
        ("friction", "rebound"): study.contact is not None,
        ("ground slopes",): study.ground is not None,
        ("near-fault pulses",): "nearfield_pulse" in str(getattr(study.motion, "set", "")),
    }
    return tuple(word for words, has in there.items() if has for word in words)
