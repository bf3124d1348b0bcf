"""Presets of impact parameters as text."""

from __future__ import annotations

from mcrock.impact.registry import ImpactParameter
from mcrock.study.impact import Given, Preset


def value_in_words(parameter: ImpactParameter, given: Given, mark: str = "") -> str:
    """Interval of a parameter with its unit; its key between two ``mark``.

    >>> value_in_words(ImpactParameter.LAMBDA_LON, Given(0.0, 1.5, "section 5.3"))
    'lambda_lon 0 to 1.5 [1]'
    """
    ends = f"{given.low:g}" if given.low == given.high else f"{given.low:g} to {given.high:g}"
    return f"{mark}{parameter.key}{mark} {ends} [{parameter.row.rule.unit}]"


def given_by(given: Given) -> str:
    """Where an interval is from, and what is to be known of it."""
    return "; ".join(filter(None, (given.source, given.remark)))


def preset_lines(preset: Preset, mark: str = "") -> list[str]:
    """Law and parameters of a preset, each with its source; keys between two ``mark``."""
    lines = [f"law {mark}{preset.law.key}{mark}: {preset.source}"]
    lines += [preset.interface] * bool(preset.interface)
    for parameter, given in preset.parameters.items():
        lines.append(f"{value_in_words(parameter, given, mark)}: {given_by(given)}")
    for parameter, reason in preset.lacking.items():
        lines.append(f"no {mark}{parameter.key}{mark}: {reason}")
    return lines
