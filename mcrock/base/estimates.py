"""Words of results in texts and figures: terms, and estimates with the digits of their intervals."""

from __future__ import annotations

import math
from enum import StrEnum


class Term(StrEnum):
    """Words of results that have to be explained: texts and figures take them from here, the glossary too."""

    PER_YEAR = (
        "per year",
        "How often on average: 0.0001 per year is once in 10,000 years. Datasets and JSON have `1/a`.",
    )
    FRACTIONS = (
        "empirical fractions",
        "The fractions of the runs that overturned at each intensity, made to rise with the least change "
        "(isotonic regression): the fragility without a formula. Datasets and JSON have `stripes`.",
    )
    DRAWS = (
        "epistemic draws",
        "Draws of all epistemic inputs (`ensemble.outer` of them); each meets the same realizations.",
    )
    ALL_UNKNOWN = (
        "over all uncertainties counted",
        "The interval counts the number of recordings and runs, the fractiles of the hazard, the epistemic "
        "inputs and `--beta-u` together; its parts stand behind it.",
    )
    SAMPLING = (
        "from the number of recordings and runs",
        "Part of an interval: other recordings of the same kind, and other runs, would give another number.",
    )
    OF_HAZARD = (
        "from the hazard curves",
        "Part of an interval: smallest and largest number by the mean hazard curve and its fractiles.",
    )
    STICKS = (
        "runs in which friction cannot matter",
        "It is certain that they would be the same with the friction coefficient that is named, without "
        "rebound; of the other runs nothing is known.",
    )
    UNPAIRED = (
        "unpaired interval",
        "What the interval of a difference would be if the two studies had not met the same earthquakes.",
    )

    def __new__(cls, words: str, meaning: str) -> Term:
        """A term by its words; ``meaning`` is what the glossary says."""
        term = str.__new__(cls, words)
        term._value_, term.meaning = words, meaning
        return term

    meaning: str


LEAST = 1e-12  # magnitude below which a number says nothing


def digits_of(low: float, high: float) -> int:
    """Significant digits of an estimate that its interval supports, so many that its ends differ; at most 5.

    >>> digits_of(0.95, 1.04), digits_of(0.1, 0.3), digits_of(0.0, 0.2), digits_of(0.1868, 0.1872)
    (3, 2, 2, 4)
    """
    if not (math.isfinite(low) and math.isfinite(high) and high < 1.5 * low):
        return 2
    places = math.floor(math.log10(high)) - math.floor(math.log10(max(high - low, 1e-9 * high)))
    return min(max(3, 1 + places), 5) if low < high else 3


def format_estimate(value: float, low: float, high: float) -> str:
    """An estimate, with the digits that its interval supports; "-" if it is not known.

    >>> format_estimate(3.217e-4, 1.1e-4, 8.2e-4), format_estimate(0.41234, 0.401, 0.42)
    ('0.00032', '0.412')
    >>> format_estimate(0.0, 0.0, 0.013), format_estimate(6.75e-44, 0.0, 1e-30)
    ('0', 'below 1e-12')
    """
    if not math.isfinite(value):
        return "-"
    if 0 < abs(value) < LEAST:
        return f"below {LEAST:.0e}"
    return f"{value:.{digits_of(low, high)}g}"


def format_or_bound(value: float, low: float, high: float) -> str:
    """An estimate; in place of 0 what it may reach by its interval.

    >>> format_or_bound(0.0, 0.0, 0.0126), format_or_bound(0.0, math.nan, math.nan)
    ('up to 0.013', '0')
    >>> format_or_bound(0.41234, 0.401, 0.42)
    '0.412'
    """
    if value == 0 and math.isfinite(high):
        return f"up to {_rounded_up(high)}"
    return format_estimate(value, low, high)


def format_interval(low: float, high: float) -> str:
    """Ends of an interval with the digits of `format_estimate`; one bound where the other end says nothing.

    Ends that agree in five digits are one number.

    >>> format_interval(1.1e-4, 8.2e-4), format_interval(0.0, 0.0126), format_interval(0.31, math.inf)
    ('0.00011 to 0.00082', 'below 0.013', 'above 0.31')
    >>> format_interval(0.0, math.inf), format_interval(math.nan, math.nan)
    ('open', '-')
    >>> format_interval(8.9999999e-8, 9e-8)
    '9e-08'
    """
    if math.isnan(low) or math.isnan(high):
        return "-"
    digits = digits_of(low, high)
    if low < LEAST:
        return "open" if math.isinf(high) else f"below {_rounded_up(high)}"
    if math.isinf(high):
        return f"above {low:.2g}"
    first, last = f"{low:.{digits}g}", f"{high:.{digits}g}"
    return first if first == last else f"{first} to {last}"


def format_difference(value: float, low: float, high: float) -> tuple[str, str]:
    """A difference and its interval, with the decimals that leave two digits of the width of the interval.

    >>> format_difference(-0.0591, -0.1042, -0.0140), format_difference(0.0, -0.154, 0.154)
    (('-0.059', '-0.104 to -0.014'), ('0', '-0.15 to +0.15'))
    >>> format_difference(0.25, math.nan, math.nan)
    ('+0.25', '-')
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        return f"{value:+.2g}" if value else "0", "-"
    width = max(high - low, LEAST)
    decimals = max(0, 1 - math.floor(math.log10(width)))
    said = f"{value:+.{decimals}f}"
    return said if float(said) else "0", f"{low:+.{decimals}f} to {high:+.{decimals}f}"


def _rounded_up(value: float) -> str:
    """A bound with two digits, not below itself; one too small to matter is as large as `LEAST`."""
    if value < LEAST:
        return f"{LEAST:.0e}"
    size = 10.0 ** (math.floor(math.log10(value)) - 1)
    return f"{math.ceil(value / size - 1e-9) * size:.2g}"


def format_p_value(p: float) -> str:
    """The p-value of a test.

    >>> format_p_value(0.2345), format_p_value(0.00099)
    ('p = 0.23', 'p < 0.001')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"


def format_with_interval(value: float, low: float, high: float) -> str:
    """An estimate and its interval.

    >>> format_with_interval(0.3891, 0.315, 0.492), format_with_interval(0.5, 0.0, math.inf)
    ('0.39 (0.32 to 0.49)', '0.5 (interval open)')
    >>> format_with_interval(0.41, math.nan, math.nan)
    '0.41'
    """
    ends = format_interval(low, high).replace("open", "interval open")
    return format_estimate(value, low, high) + ("" if ends == "-" else f" ({ends})")


def format_ratio(ratio: float, low: float, high: float) -> str:
    """A ratio with the digits of its interval, at least those in which it differs from 1.

    >>> format_ratio(1.0671, 1.0493, 1.0856), format_ratio(2.04, 0.9, 4.1)
    ('1.07 (1.05 to 1.09)', '2 (0.9 to 4.1)')
    >>> format_ratio(1.0013, 1.0008, 1.0019), format_ratio(1.0671, math.nan, 1.0)
    ('1.001 (1.001 to 1.002)', '1.07 (no interval)')
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        return f"{ratio:.3g} (no interval)"
    if high >= 3 * low:
        return format_with_interval(ratio, low, high)
    digits = max(3, 1 - math.floor(math.log10(max(high - low, 1e-6))))
    return f"{ratio:.{digits}g} ({low:.{digits}g} to {high:.{digits}g})"


def format_few(number: float) -> str:
    """A number of runs that need not be whole.

    >>> format_few(8.23), format_few(138.6)
    ('8.2', '139')
    """
    return f"{number:.2g}" if number < 99.5 else f"{number:.0f}"


def format_percent(share: float) -> str:
    """A share of all.

    >>> format_percent(0.1234), format_percent(0.997)
    ('12 %', 'all')
    """
    return f"{100 * share:.2g} %" if share < 0.995 else "all"
