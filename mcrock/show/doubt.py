"""Undecided runs as text: how many, what they count, and what decides them."""

from __future__ import annotations

import xarray as xr

from mcrock.show.numbers import format_count
from mcrock.statistics.doubt import GUESS

REMEDIES = {
    GUESS: "had faces put to rest for want of a feasible pivot: "
    'impact.facet_fallback = "plastic" decides them',
    "rocking": "still rocked at the end: raise controls.tail, unless they rock on without loss",
    "step_limit": "took controls.max_steps steps: raise it",
    "impact_limit": "had controls.max_impacts impacts: raise it",
    "contact_limit": "solved contacts controls.max_contact_solves times: raise it, or take a base with fewer "
    "corners",
    "instant_limit": "had too many events at one instant: look for impact parameters that gain energy, and "
    "with friction at the events of one of them (`mcrock simulate`)",
    "not_finite": "grew beyond all numbers: look for impact parameters that gain energy, and at the shaking",
    "failed": "could not be run, as what was drawn is impossible or an error came up: the log next to the "
    "store has the message of each realization",
    "painleve": "came where friction leaves the contact force undetermined: `mcrock docs contact` says from "
    "which friction on",
}


def format_doubt(doubt: xr.Dataset, runs: int) -> list[str]:
    """Lines on the undecided ones of all runs, from `undecided_runs`; none if all are decided."""
    total, guesses = int(doubt["runs"].sum()), int(doubt["runs"].sel(reason=GUESS))
    if not total:
        return []
    fell = int(doubt["overturned"].sel(reason=GUESS))
    count = []
    if guesses:
        count.append(f"as simulated where the outcome rests on a guess ({fell} overturned)")
    if guesses < total:
        count.append("half where the simulation broke off")
    verb = "is undecided: it counts" if total == 1 else "are undecided: they count"
    lines = [
        f"{total} of {format_count(runs, 'run')} {verb} "
        f"{', '.join(count)}, and both as standing and as overturned in the intervals"
    ]
    for reason, words in REMEDIES.items():
        number = int(doubt["runs"].sel(reason=reason))
        if number:
            lines.append(f"of these, {number} {words}")
    return lines
