"""Measured maxima compared with the distributions predicted for them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from mcrock.base.units import as_written
from mcrock.show import style
from mcrock.show.numbers import percent, with_ends
from mcrock.show.report.content import Block, Caution, Section, embed
from mcrock.show.report.page import build_page
from mcrock.show.tables import format_table
from mcrock.statistics.distributions import STATISTICS, contradicts

BINS = 10  # of the ranks


def format_tests(found: xr.Dataset) -> str:
    """Scores and p-values of one response.

    Parameters
    ----------
    found : Dataset
        Of `mcrock.statistics.distributions.compare_tests`, of one response.
    """
    return "\n".join([*_lines(found), ""])


def _lines(found: xr.Dataset) -> list[str]:
    """What was tested, the verdict (a caution where tests contradict the study), scores and their words."""
    unit, level = as_written(found.attrs["units"]), percent(found)
    tests, fell = found.sizes["test"], found.attrs["fell"]
    rows = [
        [words, f"{float(one['value']):.3g}", f"{float(one['p_value']):.2g}"]
        for words, one in ((STATISTICS[key], found.sel(statistic=key)) for key in STATISTICS)
    ]
    least, rank = float(found["p_value"].min()), float(found["rank"].mean())
    contradict = contradicts(found["p_value"])
    verdict = (
        f"the tests {'' if contradict else 'do not '}contradict the study (smallest p-value {least:.2g}); "
    )
    verdict += f"mean rank {rank:.2f}, above 0.5 if more was measured"
    told = [f"in {one:.0%} if {one['factor']:g} times as much is true" for one in found["told"]]
    lines = [
        f"{found.attrs['long_name']} [{unit}]: {tests} tests of {found.attrs['recordings']} recordings, "
        f"{fell} overturned",
        Caution(verdict) if contradict else verdict,
        f"campaigns of this size would contradict it {' and '.join(told)}",
        format_table(["measured compared with predicted", "value", "p-value"], rows, left=True),
        f"p-value: fraction of {found.attrs['campaigns']} campaigns simulated from the study that are at "
        f"least as far from it, {1 / (found.attrs['campaigns'] + 1):.1g} at least",
        *(
            f"tests inside the central {share:.0%} of their runs: {float(one['inside']):.0%}; {level} of "
            f"simulated campaigns have {float(one['inside_expected'][0]):.0%} to "
            f"{float(one['inside_expected'][1]):.0%}"
            for share, one in ((share, found.sel(share=share)) for share in found["share"].values)
        ),
    ]
    if found.attrs["recordings"] < 2:
        return [*lines, "intervals of the CRPS need a second recording"]
    lines.append(
        f"mean CRPS {with_ends(found, 'crps_mean', '.3g')} {unit.strip('1')} ({level} over recordings); "
        f"tests of the other recordings as prediction {float(found['crps_others']):.3g}, difference "
        f"{with_ends(found, 'difference', '+.3g')}"
    )
    if np.isfinite(found["irreducible"]):
        lines.append(
            f"of the variance of repeated tests {float(found['irreducible']):.0%} is between repetitions "
            "of a motion: what no model predicts"
        )
    return lines


def tests_page(found: Mapping[str, xr.Dataset]) -> str:
    """One HTML page with scores and figure of each response.

    Parameters
    ----------
    found : dict of Dataset
        Of `mcrock.statistics.distributions.compare_tests`.
    """
    sections = []
    for name, one in found.items():
        title, words = one.attrs["long_name"], f"Distribution functions and ranks of {name}"
        blocks: list[Block] = [*_lines(one), embed(plot_tests(one), words)]
        sections.append(Section(name, title[:1].upper() + title[1:], blocks))
    title = next(iter(found.values())).attrs.get("title", "Untitled study")
    return build_page(title, "Measured maxima over those predicted", sections)


@style.styled
def plot_tests(found: xr.Dataset) -> Axes:
    """Draw the distribution function of measured maxima over that predicted, and the ranks of the tests.

    Parameters
    ----------
    found : Dataset
        Of `mcrock.statistics.distributions.compare_tests`, of one response.

    Returns
    -------
    Axes
        That of the distribution functions; right of it the histogram of the ranks.
    """
    figure = style.new_figure(style.PAGE, 72.0)
    curves, ranks = figure.subplots(1, 2, width_ratios=(3, 2))
    response = xr.DataArray(found["at"].values, attrs=found.attrs)
    factor, label = style.axis_scale(response)
    found = found.isel(at=slice(None, -1))  # the last value stands for all beyond it
    at = factor * found["at"].values
    bands = {"expected": (style.GREY, 0.3, "simulated campaigns"), "observed": (style.BLUE, 0.2, None)}
    for name, (colour, alpha, words) in bands.items():
        ends = found[f"{name}_band"].values
        curves.fill_between(at, *ends, color=colour, alpha=alpha, linewidth=0, step="post", label=words)
    curves.plot(at, found["predicted"], color="0.3", drawstyle="steps-post", label="predicted")
    curves.plot(at, found["observed"], color=style.BLUE, drawstyle="steps-post", label="measured")
    style.probability_axis(curves, "Fraction of tests below [1]")
    curves.set_xlim(0.0, at[-1])
    curves.set_xlabel(label)
    curves.legend(loc="lower right")
    tests = found.sizes["test"]
    low, high = found["rank_interval"].values[..., None]
    edges = np.linspace(0.0, 1.0, BINS + 1)
    below = np.clip((edges - low) / (high - low), 0.0, 1.0).sum(axis=0)  # a rank that ties share, evenly
    ranks.stairs(np.diff(below), edges, fill=True, color=style.BLUE, alpha=0.6)
    ranks.axhline(tests / BINS, color="0.3", linestyle="--")
    ranks.set_xlabel("Rank of a test among its runs [1]")
    ranks.set_ylabel(f"Tests of {tests}")
    ranks.set_xlim(0.0, 1.0)
    ranks.yaxis.set_major_locator(MaxNLocator(integer=True))
    level = percent(found)
    style.add_note(
        curves,
        f"{tests} tests of {found.attrs['recordings']} recordings, {found.attrs['fell']} overturned, beyond "
        f"the right end. Grey: {level} of simulated campaigns of as many tests; blue: {level} of the "
        "measured curve over recordings. Right: dashed is the level if the study is true; full at both ends "
        "where it scatters too little, at one end where it is too low or too high.",
    )
    return curves
