"""What strained the model of a study, and the friction that it needs, as text."""

from __future__ import annotations

import math

import xarray as xr

from mcrock.text.numbers import format_percent

STRAINED = 0.03  # share of the runs above which a departure from the model is worth a line


def format_validity(validity: xr.Dataset) -> list[str]:
    """Lines on what strains the model, and always one on friction."""
    lines = []
    words = {
        "contact_lost": "contact was lost before 45 degrees of tilt in {}: beyond a few per cent the rigid "
        "no-bounce model is strained",
        "energy_gain_impacts": "impacts that would gain energy occurred in {}: their parameters lie outside "
        "what is possible there",
    }
    runs = validity["runs"].values
    for name, sentence in words.items():
        shares = [
            float((share * number)[number > 0].sum() / number.sum()) if number.sum() else 0.0
            for share, number in zip(validity[name].values, runs, strict=True)
        ]
        if max(shares) > STRAINED:
            standing = f"{format_percent(shares[1])} of those that stand" if runs[1].sum() else "none stands"
            lines.append(sentence.format(f"{format_percent(shares[0])} of the runs ({standing})"))
    lines.append(_format_friction(validity))
    return lines


def _format_friction(validity: xr.Dataset) -> str:
    rocked = int(validity["rocked"].sum())
    if not rocked:
        return "no run rocked and stood, so none tells how much friction is needed"
    share = f"{validity.attrs['quantile'] * 100:g} %"
    demand, held = (float(validity[f"study_{name}friction_demand"]) for name in ("", "held_"))
    if math.isfinite(demand):
        return f"{share} of the runs that rocked and stood need {_friction_below(demand)}"
    standing = validity["runs"].sel(among="standing")
    lost = float((validity["contact_lost"].sel(among="standing") * standing).sum()) / rocked
    fraction = format_percent(lost)
    text = f"{fraction} of the runs that rocked and stood lost contact, where no friction is enough"
    if math.isnan(held):
        return text
    return f"{text}; {share} of the others need {_friction_below(held)}"


def _friction_below(demand: float) -> str:
    """A bound on friction coefficients, rounded up: three digits at most, two of them decimals."""
    digits = 2 if demand < 10 else 0
    bound = f"{math.ceil(demand * 10**digits) / 10**digits:.{digits}f}" if math.isfinite(demand) else "any"
    return f"a friction coefficient below {bound}"
