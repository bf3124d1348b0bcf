"""Outcomes of runs in the words of users, and the fraction of each with its interval."""

from __future__ import annotations

from enum import IntEnum, auto
from typing import Unpack

import numpy as np
import xarray as xr

from mcrock.base.params import STANDING, Outcome
from mcrock.dataset.opened import takes_path
from mcrock.statistics.inference import Confidence, ConfidenceKeywords, takes
from mcrock.statistics.intervals import interval_of_readings
from mcrock.statistics.limits import OF_SUPPORT, displacement_limit
from mcrock.statistics.probability import BOUNDS, CLASSES, intensity_coordinate
from mcrock.statistics.result_table import table
from mcrock.statistics.runs import Passed, check_runs, count_runs, guessed, intensity_classes, record_index

TILT = 1e-6  # of a body that does not rock: flat landings of one that slides leave rounding [rad]
SLIP = 1e-3  # slip path up to which a contact is said to stick [m]
FLIGHT = 0.01  # time of a flight up to which a body is not said to leave the ground [s]
READ = ("peak_tilt", "slip_path", "longest_flight", "peak_displacement")


class Ending(IntEnum):
    """Outcome of a run in the words of users: the last that applies; `words` is its name."""

    RESTED = 0
    SLID = auto()
    ROCKED = auto()
    SLID_AND_ROCKED = auto()
    LEFT_THE_GROUND = auto()
    FELL_OFF_ITS_SUPPORT = auto()
    OVERTURNED = auto()
    STILL_ROCKING = auto()  # from here on the run is undecided
    LIMIT_MET = auto()
    FRICTION_UNDECIDED = auto()
    LIFTED_OFF = auto()
    FAILED = auto()
    INFEASIBLE_IMPACT = auto()

    @property
    def words(self) -> str:
        """As users say it."""
        return self.name.lower().replace("_", " ")


UNDECIDED = tuple(ending for ending in Ending if ending >= Ending.STILL_ROCKING)


@takes_path
@takes(Confidence)
def outcome_shares(
    ds: xr.Dataset, *, classes: int = CLASSES, **keywords: Unpack[ConfidenceKeywords]
) -> xr.Dataset:
    """Fraction of the runs at each intensity with each ending, with its interval.

    Parameters
    ----------
    ds : Dataset
        As for `overturning_probability`. `peak_tilt`, if present, tells rocking from standing still;
        `slip_path` (beyond 1 mm), `longest_flight` (beyond 10 ms) and `peak_displacement` (beyond
        `displacement_limit`) of runs with friction tell the other endings.
    classes, **keywords
        As for `overturning_probability`.

    Returns
    -------
    Dataset
        `share` (ending, intensity) and `interval` (bound, ending, intensity) [1], `runs` (intensity) and
        `records` [1]. The endings, named by the words of `Ending`, exclude each other. A run in doubt after
        infeasible impacts has that ending, whatever came later; the intervals of decided endings take
        undecided runs both ways, as in `overturning_probability`.

    Raises
    ------
    ValueError
        If the dataset does not fit, holds runs not yet run, or `level` is outside (0, 1).
    """
    how = Confidence(**keywords)
    check_runs(ds)
    limit = displacement_limit(ds)

    def ending(part: xr.Dataset) -> Passed:
        code = run_endings(part, limit)
        return Passed(code, code, code, code)

    record, records = record_index(ds)
    grouping = record if how.cluster else None
    places = intensity_classes(ds, classes)
    tally = count_runs(ds, ending, len(Ending), places, grouping, names=READ, allow_missing=how.allow_missing)
    # runs (record, class) that are beyond each ending, and so of each
    beyond = tally.beyond.sure
    above = np.concatenate([tally.runs[..., None], beyond[..., :-1]], axis=-1)
    number = np.moveaxis(above - beyond, -1, 1)
    doubt = number[:, list(UNDECIDED)].sum(axis=1, keepdims=True)
    decided = np.array([ending not in UNDECIDED for ending in Ending])[:, None]
    possible = number + np.where(decided, doubt, 0)
    runs = np.broadcast_to(tally.runs[:, None], number.shape)
    ends = interval_of_readings(number, possible, runs, how.level, clustered=grouping is not None)
    total = tally.runs.sum(axis=0)
    with np.errstate(invalid="ignore"):
        share = number.sum(axis=0) / total
    return table(
        {
            "share": (("ending", "intensity"), share, {"long_name": "fraction of the runs"}),
            "interval": (("bound", "ending", "intensity"), ends),
            "runs": ("intensity", total),
            "records": ((), records),
        },
        coords={
            "bound": BOUNDS,
            "ending": [ending.words for ending in Ending],
            "intensity": intensity_coordinate(ds, places),
        },
        attrs=how.attrs(record) | ({} if limit is None else {OF_SUPPORT: limit}),
    )


def run_endings(part: xr.Dataset, limit: float | None) -> np.ndarray:
    """Codes of `Ending` of the runs of a slice."""

    def beyond(name: str, least: float) -> np.ndarray:
        return part[name].values > least if name in part else np.zeros(outcome.shape, bool)

    outcome = part["outcome"].values
    rocked = beyond("peak_tilt", TILT) | (outcome == Outcome.SETTLING) | ("peak_tilt" not in part)
    code = Ending.SLID * beyond("slip_path", SLIP) + Ending.ROCKED * rocked  # both are SLID_AND_ROCKED
    code[beyond("longest_flight", FLIGHT)] = Ending.LEFT_THE_GROUND
    if limit is not None:
        code[beyond("peak_displacement", limit)] = Ending.FELL_OFF_ITS_SUPPORT
    code[outcome == Outcome.OVERTURNED] = Ending.OVERTURNED
    code[~np.isin(outcome, (*STANDING, Outcome.OVERTURNED))] = Ending.LIMIT_MET
    code[outcome == Outcome.ROCKING] = Ending.STILL_ROCKING
    code[outcome == Outcome.PAINLEVE] = Ending.FRICTION_UNDECIDED
    code[outcome == Outcome.LIFTED_OFF] = Ending.LIFTED_OFF
    code[outcome == Outcome.FAILED] = Ending.FAILED
    code[guessed(part).values] = Ending.INFEASIBLE_IMPACT
    return code
