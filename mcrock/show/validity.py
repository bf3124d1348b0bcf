"""What strained the model of a study, which runs friction leaves as they are, and which are undecided."""

from __future__ import annotations

import xarray as xr

from mcrock.base.estimates import format_percent
from mcrock.show.numbers import format_count
from mcrock.statistics.outcomes import GUESS

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
    "failed": "have no outcome, as what was drawn is impossible or an error came up: the log next to a "
    "store has the message of each realization",
    "painleve": "came where friction leaves the contact force undetermined: `mcrock docs contact` says from "
    "which friction on",
    "lifted_off": "were lifted off their whole base from rest, as the ground fell faster than gravity: "
    "[contact] with a friction coefficient lets a body leave the ground and land",
}
NOT_OF_MCROCK = "what strains the model, the program or test behind these outcomes has to tell"
STRAINED = 0.03  # share of the runs above which a departure from the model is worth a line


def format_validity(validity: xr.Dataset | None) -> list[str]:
    """Lines on what strains the model, and one on the runs that are certified; of other programs, that."""
    if validity is None:
        return [NOT_OF_MCROCK]
    return format_strain(validity) + format_certificate(validity)


def format_strain(validity: xr.Dataset) -> list[str]:
    """Lines on what strains the model."""
    lines = []
    words = {
        "contact_lost": "contact was lost before 45 degrees of tilt in {}: beyond a few per cent the rigid "
        "no-bounce model is strained; a study with [contact] friction lets bodies slide and leave the ground",
        "energy_gain_impacts": "impacts that would gain energy occurred in {}: their parameters lie outside "
        "what is possible there",
    }
    runs = validity["runs"].sum("intensity").values
    for name, sentence in words.items():
        shares = [_whole(validity[name], validity, among) for among in validity["among"].values]
        if max(shares) > STRAINED:
            standing = f"{format_percent(shares[1])} of those that stand" if runs[1] else "none stands"
            lines.append(sentence.format(f"{format_percent(shares[0])} of the runs ({standing})"))
    return lines


def format_certificate(validity: xr.Dataset) -> list[str]:
    """Identical is said of certified runs alone."""
    if "certified_throughout" in validity:
        share = _format_certain(_whole(validity["certified_throughout"], validity))
        return [f"certified identical with contacts that stick: {share} of the runs"]
    if "certified" not in validity:
        return []
    shares = [
        f"{_format_certain(_whole(share, validity))} at {float(share['friction']):g}"
        for share in validity["certified"]
    ]
    return [
        f"runs certified identical with friction: {', '.join(shares)}; what it does to the others, only a "
        "study with [contact] friction tells"
    ]


def _format_certain(share: float) -> str:
    """A share that is called all of the runs only where it is.

    >>> _format_certain(0.9999), _format_certain(1.0), _format_certain(0.0312)
    ('99.9 %', 'all', '3.12 %')
    """
    return "all" if share == 1.0 else f"{min(100 * share, 99.9):.3g} %"


def _whole(share: xr.DataArray, validity: xr.Dataset, among: str = "all") -> float:
    """A fraction of the runs at all intensities; 0 if there are none."""
    runs = validity["runs"].sel(among=among)
    return float((share.sel(among=among) * runs).sum() / max(int(runs.sum()), 1))


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
