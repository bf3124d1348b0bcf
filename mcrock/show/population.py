"""Fits of single tests by specimen, and what they say of a new one."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from mcrock.config.population import written_distributions
from mcrock.config.presets import BOUNDS
from mcrock.impact.registry import ImpactParameter
from mcrock.measurement.population import check_posterior, has_tests, origin_in_words
from mcrock.measurement.predictive import predictive_density, predictive_moments, predictive_probability
from mcrock.show.style import (
    BARS,
    BLUE,
    COLOURS,
    GREY,
    MARKERS,
    ORANGE,
    PAGE,
    add_note,
    figure_of,
    new_figure,
    number_axis,
    styled,
)

ROW = 46.0  # height of a parameter [mm]
REST = 30.0  # height of everything else [mm]
SPREAD = 0.7  # width that the tests of a specimen take up, of what it has [1]


@styled
def plot_population(data: Any, cut: str = "energy", *, width: float = PAGE) -> Axes:
    """Draw the fits of single tests by specimen, and next to them the density of a test on a new one.

    Parameters
    ----------
    data : arviz.InferenceData
        Of `mcrock.measurement.fit_population`, with its ``observed_data`` and ``constant_data``.
    cut : str
        As for `mcrock.config.population.written_distributions`, which is drawn dashed.
    width : float
        Of the figure [mm].

    Returns
    -------
    Axes
        The first of the figure: a row for each parameter, in it the fits and the density on one scale.

    Raises
    ------
    ValueError
        If the data do not fit, or as `written_distributions`.
    """
    posterior = check_posterior(data)
    if not has_tests(data):
        raise ValueError("the population has no observed_data and constant_data: there are no tests to draw")
    keys = posterior["parameter"].values.tolist()
    written = written_distributions(data, cut)
    figure = new_figure(width, REST + ROW * len(keys))
    grid = figure.subplots(len(keys), 2, sharey="row", width_ratios=[3.2, 1.0], squeeze=False)
    for (left, right), key in zip(grid, keys, strict=True):
        _draw_tests(left, data, key)
        mean, std = (values[keys.index(key)] for values in predictive_moments(posterior))
        low, high = left.get_ylim()
        low, high = min(low, mean - 3.5 * std), max(high, mean + 3.5 * std)
        x = np.linspace(low, high, 600)
        right.fill_betweenx(x, predictive_density(posterior, key, x), color=BLUE, alpha=0.35, linewidth=0)
        right.plot(
            written[key].distribution.frozen.pdf(x), x, color=ORANGE, linestyle=(0, (4, 2)), linewidth=1.1
        )
        ends = [_quantile(posterior, key, p, x) for p in (0.025, 0.975)]
        left.axhspan(*ends, color=BLUE, alpha=0.12, linewidth=0, zorder=0)
        left.set_ylim(low, high)
        parameter = ImpactParameter[key.upper()]
        given = BOUNDS.parameters.get(parameter)
        if given is not None and given.low < given.high:
            for ax in (left, right):
                for bound in (given.low, given.high):
                    ax.axhline(bound, color=GREY, linestyle=":", linewidth=0.8, zorder=0)
        left.set_ylabel(f"${parameter.row.symbol}$ [{parameter.row.rule.unit}]")
        number_axis(left, "y")
        right.set_xlim(0.0)
        right.set_xticks([])
        right.spines["bottom"].set_visible(False)
    first, last = grid[0, 0], grid[-1, 0]
    last.set_xlabel("Specimen")
    grid[0, 1].set_title("A new test")
    figure.align_ylabels(grid[:, 0])
    handles, labels = first.get_legend_handles_labels()
    if len(labels) > 1:
        figure_of(first).legend(
            handles, labels, title="Position", loc="outside upper left", ncols=len(labels)
        )
    add_note(
        first,
        f"{origin_in_words(data)}. Bars: one standard error of the fit. Shaded: prediction for a test on a "
        "new specimen, 95 % as a band, and its density; dashed: the distribution written for a study. "
        "Dotted: theoretical bounds.",
    )
    return first


def _draw_tests(ax: Axes, data: Any, key: str) -> None:
    """Estimates of a parameter with their standard errors, specimen by specimen."""
    constant = data.constant_data
    rows = np.flatnonzero(constant["parameter"].values == key)
    names = sorted(np.unique(constant["specimen"].values).tolist(), key=_by_number)
    specimen, position = (constant[name].values for name in ("specimen", "position"))
    positions = sorted(np.unique(position).tolist(), key=_by_number)
    estimate, error = data.observed_data["estimate"].values, constant["standard_error"].values
    for i, place in enumerate(positions):
        x, chosen = [], []
        for j, name in enumerate(names):
            own = [row for row in rows if specimen[row] == name]
            own.sort(key=lambda row: positions.index(position[row]))
            offsets = SPREAD * ((np.arange(len(own)) + 0.5) / max(len(own), 1) - 0.5)
            for offset, row in zip(offsets, own, strict=True):
                if position[row] == place:
                    x.append(j + offset)
                    chosen.append(row)
        ax.errorbar(
            x,
            estimate[chosen],
            error[chosen],
            fmt=MARKERS[i % len(MARKERS)],
            color=COLOURS[(2, 3, 4, 5, 7)[i % 5]],
            markersize=2.6,
            label=place,
            **BARS,
        )
    ax.set_xticks(range(len(names)), names)
    ax.set_xlim(-0.6, len(names) - 0.4)


def _quantile(posterior: Any, key: str, probability: float, x: np.ndarray) -> float:
    """Value that a new test does not exceed with a probability."""
    return float(np.interp(probability, predictive_probability(posterior, key, x), x))


def _by_number(name: str) -> tuple[float, str]:
    """Order of names that may be numbers."""
    return (float(name), name) if name.replace(".", "", 1).isdigit() else (np.inf, name)
