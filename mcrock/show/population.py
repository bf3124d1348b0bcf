"""Fits of single tests by specimen, what they say of a new one, and tests within those that they predict."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.base.environment import mcrock_version
from mcrock.base.tables.parsing import toml
from mcrock.impact.registry import DEFAULT_LAW, ImpactParameter
from mcrock.measurement import population, predictive
from mcrock.measurement.measures import VARIABLES
from mcrock.show import style
from mcrock.show.text import Column, Composition, format_table, table_along
from mcrock.study.impact import BOUNDS, REPLACED, ImpactTable, take_in_preset

WORDS = {
    "mean": "mean",
    "sd_specimen": "scatter of specimens",
    "sd_position": "of positions",
    "sd_repetition": "of repetitions",
}
DRAWS = 1000  # rows of the table for a study, at most
TOGETHER = 0.5  # rank correlation from which two parameters are called dependent [1]


def impact_section(data: Any, cut: str = "energy") -> str:
    """Table [impact] of a study file, in TOML, for a body like those tested.

    Parameters
    ----------
    data, cut
        As for `mcrock.measurement.predictive.parameter_distributions`.

    Raises
    ------
    ValueError
        As for `parameter_distributions`, or if the chains of the sampler cannot be trusted or ArviZ is not
        installed.
    """
    diagnosis = population.diagnose(data)
    if diagnosis.problems:
        raise ValueError(untrusted(diagnosis))
    posterior, attrs = population.check_posterior(data), data.posterior.attrs
    sampler = [attrs[key] for key in ("inference_library", "inference_library_version") if key in attrs]
    made = [f"mcrock {mcrock_version()}", *([" ".join(sampler)] if sampler else [])]
    made += [f"seed {attrs['seed']}"] if "seed" in attrs else []
    lines = [
        f"# For a test on {subject_in_words(data)}, from {population.origin_in_words(data)}.",
        *(f"# Left out: {line}" for line in attrs.get("tests_left_out", "").splitlines()),
        *(f"# {line}." for line in _unexplained(attrs)),
        f"# {', '.join(made)}: {format_diagnosis(diagnosis)}.",
        f"# Cut: {predictive.CUTS[cut]}. Parameters are drawn independently; those not named keep their "
        "defaults.",
        "[impact]",
        f"law = {toml(DEFAULT_LAW.key)}",
        f"draw = {toml('run')} # as in the fits, which hold for a whole test",
    ]
    for key, item in predictive.parameter_distributions(data, cut).items():
        ranges = [
            f"{WORDS[name]} {range_in_words(posterior[name].sel(parameter=key).values)}"
            for name in population.HYPER
            if name in posterior
        ]
        lines += [f"# {key}: {', '.join(ranges)}", f"{key} = {toml(item.table)}"]
    text = "\n".join(lines) + "\n"
    ImpactTable.model_validate(tomllib.loads(text)["impact"])  # as a study reads it
    return text


def _unexplained(attrs: Mapping[str, Any]) -> list[str]:
    """A line on the tests among those counted that the model failed to explain."""
    names = attrs.get("tests_unexplained", "").splitlines()
    words = f"the model does not explain {len(names)} of these tests, which count all the same: "
    return [words + ", ".join(names)] if names else []


def subject_in_words(data: Any) -> str:
    """Which body is predicted."""
    posterior, name = data.posterior, data.posterior.attrs.get("specimen")
    known = "in a new position" if "sd_position" in posterior else "a further repetition in the same position"
    words = "a new specimen" if name is None else f"specimen {name}, {known}"
    if "effect" in posterior:
        words += f", {population.at_in_words(posterior['covariate'].values.tolist(), posterior['at'].values)}"
    return words


def draws_table(data: Any, cut: str = "energy", rows: int = DRAWS) -> str:
    """Draws of a new test as a CSV table for ``ensemble.table`` of a study, with their correlations.

    Every row is a draw of the posterior and of all scatters; those beyond the bounds of ``cut`` are left out.
    """
    tests = data.predictions["new_test"].transpose("chain", "draw", "parameter").values
    keys = data.posterior["parameter"].values.tolist()
    tests = tests.reshape(-1, len(keys))
    ends = np.array([predictive.bounds(key, cut) for key in keys])
    tests = tests[((tests >= ends[:, 0]) & (tests <= ends[:, 1])).all(1)]
    tests = tests[np.linspace(0, len(tests) - 1, min(rows, len(tests))).astype(int)]
    heads = [f"impact.{key} [{ImpactParameter[key.upper()].row.rule.unit}]" for key in keys]
    return "\n".join([",".join(heads), *(",".join(f"{value:.6g}" for value in row) for row in tests)]) + "\n"


def study_of_draws(text: str, table: str, rows: int, keys: Sequence[str]) -> str:
    """A study file whose impact parameters come from a table of draws, a realization a row.

    Parameters
    ----------
    text : str
        Of the study file that is followed in all else; of its ``[impact]`` what is not drawn stays.
    table : str
        Name of the table, relative to the study file.
    rows : int
        Of the table.
    keys : sequence of str
        Impact parameters that it has.
    """
    own = tomllib.loads(text).get("impact", {})
    take_in_preset({"impact": own}, table, {})
    drawn = keys if own.get("law", DEFAULT_LAW.key) == DEFAULT_LAW.key else REPLACED
    gone = {"law", "draw", "preset", "own_law", *drawn}
    impact = {"law": DEFAULT_LAW.key, "draw": "run"} | {key: own[key] for key in own if key not in gone}
    section = "\n".join(f"{key} = {toml(item)}" for key, item in impact.items())
    ensemble = (
        f"[ensemble]\ntable = {toml(table)}  # {', '.join(keys)} of a new test\nrealizations = {rows}\n"
    )
    others = re.split(r"(?m)^(?=\[)", text)
    parts = [part for part in others if not re.match(r"\[\s*impact\s*[.\]]", part)]
    for i, part in enumerate(parts):
        if re.match(r"\[\s*ensemble\s*\]", part):
            rest = part.split("\n", 1)[1]
            parts[i] = ensemble + re.sub(r"(?m)^\s*(realizations|table)\s*=.*\n?", "", rest)
    return "".join(parts).rstrip() + f"\n\n[impact]\n{section}\n"


def compose_population(data: Any, cut: str = "energy") -> Composition:
    """What the tests say, and the figures, which need the tests: of another sampler they may be missing."""
    drawings = {"population": lambda: plot_population(data, cut)} if population.has_tests(data) else {}
    if drawings and "effect" in data.posterior:
        drawings["effects"] = lambda: plot_effects(data)
    return Composition({}, format_population(data, cut), drawings)


def format_population(data: Any, cut: str = "energy") -> list[str]:
    """What the tests say of each parameter, and what a study file would say, for a terminal."""
    posterior = population.check_posterior(data)
    names = [name for name in population.HYPER if name in posterior]
    keys = posterior["parameter"].values.tolist()
    rows = [
        [f"{key} [{ImpactParameter[key.upper()].row.rule.unit}]"]
        + [range_in_words(posterior[name].sel(parameter=key).values) for name in names]
        for key in keys
    ]
    lines = [f"{subject_in_words(data)}, from {population.origin_in_words(data)}; median and 95 % interval"]
    lines += [format_table(["", *(WORDS[name] for name in names)], rows), ""]
    if "effect" in posterior:
        lines[-1:] = [_effects_table(data), ""]
    for pair in posterior["pair"].values.tolist() if "pair" in posterior else ():
        found = range_in_words(posterior["correlation"].sel(pair=pair).values)
        lines.append(f"correlation of {pair.replace(',', ' and')}: {found}")
    lines.append(f"sampler: {format_diagnosis(population.diagnose(data))}")
    for key, item in predictive.parameter_distributions(data, cut).items():
        lost = f", {item.cut:.2g} of it cut away" if item.cut else ""
        lines.append(f"{key} = {toml(item.table)}")
        lines.append(f"  distribution function within {item.distance:.2g} of a new test's{lost}")
    if left_out := posterior.attrs.get("left_out"):
        lines.append(f"left out, no impact parameters that were asked for: {left_out}")
    lines += [f"left out: {line}" for line in posterior.attrs.get("tests_left_out", "").splitlines()]
    lines += _unexplained(posterior.attrs)
    return lines + dependence_notes(data)


def _effects_table(data: Any) -> str:
    """What covariates change: for one of their unit, and over the tests."""
    posterior, rows = data.posterior, []
    for i, column in enumerate(posterior["covariate"].values.tolist()):
        cells = data.constant_data["covariates"].values[:, i]
        low, high = cells.min(), cells.max()
        is_number = " = " not in column
        for key in posterior["parameter"].values.tolist():
            effect = posterior["effect"].sel(covariate=column, parameter=key).values
            over = range_in_words(effect * (high - low)) + f" from {low:.4g} to {high:.4g}" * is_number
            above = float((effect > 0.0).mean())
            rows.append([column, key, range_in_words(effect) if is_number else "", over, f"{above:.1%}"])
    heads = ["effect of", "on", "for 1 more of it", "over the tests", "above 0"]
    return format_table(heads, rows, left=True)


def format_diagnosis(diagnosis: population.Diagnosis) -> str:
    """What the chains say of themselves.

    >>> format_diagnosis(population.Diagnosis(1.0014, 1117.2, 0, ()))
    'R-hat 1.001, 1117 effective draws, 0 divergences'
    """
    words = [f"R-hat {diagnosis.rhat:.3f}", f"{diagnosis.effective:.0f} effective draws"]
    return ", ".join(
        words + ([] if diagnosis.divergences is None else [f"{diagnosis.divergences} divergences"])
    )


def untrusted(diagnosis: population.Diagnosis) -> str:
    """Why there is no section.

    >>> print(untrusted(population.Diagnosis(1.0, 900.0, 2, ("2 divergent transitions",))))
    no section is made of chains that cannot be trusted: 2 divergent transitions; take more draws...
    """
    problems = "; ".join(diagnosis.problems)
    return (
        f"no section is made of chains that cannot be trusted: {problems}; take more draws, or a "
        "target_accept nearer to 1"
    )


def dependence_notes(data: Any) -> list[str]:
    """Pairs of parameters whose estimates go together from test to test, which the section draws apart."""
    import pandas as pd

    if not population.has_tests(data):
        return []
    names = {name: data.constant_data[name].values for name in ("test", "parameter")}
    frame = pd.DataFrame({**names, "estimate": data.observed_data["estimate"].values})
    table = frame.pivot(index="test", columns="parameter", values="estimate")
    ranks = table.corr("spearman", min_periods=4)
    return [
        f"note: the estimates of {one} and {other} go together (rank correlation "
        f"{ranks.loc[one, other]:.2f}): the section draws them independently, draws.csv together"
        for one, other in combinations(
            [key for key in data.posterior["parameter"].values.tolist() if key in table], 2
        )
        if abs(ranks.loc[one, other]) > TOGETHER
    ]


def range_in_words(values: Any) -> str:
    """Median and 95 % interval of draws.

    >>> range_in_words(np.linspace(0.0, 2.0, 2001))
    '1 (0.05 to 1.95)'
    """
    low, middle, high = np.quantile(values, [0.025, 0.5, 0.975])
    return f"{middle:.3g} ({low:.3g} to {high:.3g})"


ROW = 46.0  # height of a parameter [mm]
REST = 30.0  # height of everything else [mm]
SPREAD = 0.7  # width that the tests of a specimen take up, of what it has [1]


@style.styled
def plot_population(data: Any, cut: str = "energy", *, width: float = style.PAGE) -> Axes:
    """Draw the fits of single tests by specimen, and next to them the density of a test on a new one.

    Parameters
    ----------
    data : arviz.InferenceData
        Of `mcrock.measurement.fit_population`, with its ``observed_data`` and ``constant_data``.
    cut : str
        As for `mcrock.measurement.predictive.parameter_distributions`, which is drawn dashed.
    width : float
        Of the figure [mm].

    Returns
    -------
    Axes
        The first of the figure: a row for each parameter, in it the fits and the density on one scale.

    Raises
    ------
    ValueError
        If the data do not fit, or as `parameter_distributions`.
    """
    posterior = population.check_posterior(data)
    if not population.has_tests(data):
        raise ValueError("the population has no observed_data and constant_data: there are no tests to draw")
    keys, predicted = posterior["parameter"].values.tolist(), posterior.attrs.get("specimen")
    written = predictive.parameter_distributions(data, cut)
    figure = style.new_figure(width, REST + ROW * len(keys))
    grid = figure.subplots(len(keys), 2, sharey="row", width_ratios=[3.2, 1.0], squeeze=False)
    for (left, right), key in zip(grid, keys, strict=True):
        _draw_tests(left, data, key)
        mean, std = (values[keys.index(key)] for values in predictive.predictive_moments(posterior))
        low, high = left.get_ylim()
        low, high = min(low, mean - 3.5 * std), max(high, mean + 3.5 * std)
        x = np.linspace(low, high, 600)
        density = predictive.predictive_density(posterior, key, x)
        right.fill_betweenx(x, density, color=style.BLUE, alpha=0.35, linewidth=0)
        dashed = {"color": style.ORANGE, "linestyle": (0, (4, 2)), "linewidth": 1.1}
        right.plot(written[key].distribution.density(x), x, **dashed)
        ends = np.interp([0.025, 0.975], predictive.predictive_probability(posterior, key, x), x)
        names = [label.get_text() for label in left.get_xticklabels()]
        own = [names.index(predicted)] if predicted in names else range(len(names))
        across = own[0] - 0.6, own[-1] + 0.6
        left.fill_between(across, *ends, color=style.BLUE, alpha=0.12, linewidth=0, zorder=0)
        left.set_ylim(low, high)
        parameter = ImpactParameter[key.upper()]
        given = BOUNDS.parameters.get(parameter)
        if given is not None and given.low < given.high:
            for ax in (left, right):
                for bound in (given.low, given.high):
                    ax.axhline(bound, color=style.GREY, linestyle=":", linewidth=0.8, zorder=0)
        left.set_ylabel(f"${parameter.row.symbol}$ [{parameter.row.rule.unit}]")
        style.number_axis(left, "y")
        right.set_xlim(0.0)
        right.set_xticks([])
        right.spines["bottom"].set_visible(False)
    first, last = grid[0, 0], grid[-1, 0]
    last.set_xlabel("Specimen")
    grid[0, 1].set_title("A new test")
    figure.align_ylabels(grid[:, 0])
    handles, labels = first.get_legend_handles_labels()
    if len(labels) > 1:
        style.figure_of(first).legend(
            handles, labels, title="Position", loc="outside upper left", ncols=len(labels)
        )
    return style.add_note(
        first,
        f"{population.origin_in_words(data)}. Bars: one standard error of the fit. Shaded: prediction for a "
        f"test on {subject_in_words(data)}, 95 % as a band, and its density; dashed: the distribution "
        "written for a study. Dotted: theoretical bounds.",
    )


@style.styled
def plot_effects(data: Any) -> Axes:
    """Draw the fits of single tests over each covariate, and the mean of tests with it.

    Parameters
    ----------
    data : arviz.InferenceData
        Of `mcrock.measurement.fit_population` with covariates.

    Returns
    -------
    Axes
        The first of the figure: a row for each parameter, a column for each covariate.

    Raises
    ------
    ValueError
        If there are no covariates.
    """
    posterior = data.posterior
    if "effect" not in posterior:
        raise ValueError(
            "the population has no covariates to draw: fit_population(covariates=...) takes them"
        )
    keys, columns = (posterior[name].values.tolist() for name in ("parameter", "covariate"))
    figure = style.new_figure(style.PAGE, REST + ROW * len(keys))
    grid = figure.subplots(len(keys), len(columns), sharex="col", sharey="row", squeeze=False)
    constant, estimate = data.constant_data, data.observed_data["estimate"].values
    for i, key in enumerate(keys):
        rows = np.flatnonzero(constant["parameter"].values == key)
        for j, column in enumerate(columns):
            ax, x = grid[i, j], constant["covariates"].values[rows, j]
            error = constant["standard_error"].values[rows]
            bars = {"fmt": "o", "color": style.ORANGE, "markersize": 2.6, **style.BARS}
            ax.errorbar(x, estimate[rows], error, **bars)
            grid_x = np.linspace(x.min(), x.max(), 50)
            of_key = posterior.sel(parameter=key, covariate=column)
            apart = xr.DataArray(grid_x, dims="x") - float(of_key["at"])
            mean = (of_key["mean"] + of_key["effect"] * apart).quantile(
                [0.025, 0.5, 0.975], ("chain", "draw")
            )
            ax.fill_between(grid_x, *mean.values[[0, 2]], color=style.BLUE, alpha=0.2, linewidth=0)
            ax.plot(grid_x, mean.values[1], color=style.BLUE)
            if " = " in column:
                ax.set_xticks([0.0, 1.0], ["no", "yes"])
        parameter = ImpactParameter[key.upper()]
        grid[i, 0].set_ylabel(f"${parameter.row.symbol}$ [{parameter.row.rule.unit}]")
    for ax, column in zip(grid[-1], columns, strict=True):
        ax.set_xlabel(column)
    figure.align_ylabels(grid[:, 0])
    words = f"{population.origin_in_words(data)}. Bars: one standard error of the fit. Line and band: mean "
    words += "of tests, and its 95 % interval"
    others = f", the other covariates at {population.at_in_words(columns, posterior['at'].values)}" * (
        len(columns) > 1
    )
    return style.add_note(grid[0, 0], words + others + ".")


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
        look: dict[str, Any] = {
            "fmt": style.MARKERS[i % len(style.MARKERS)],
            "color": style.COLOURS[(2, 3, 4, 5, 7)[i % 5]],
        }
        ax.errorbar(x, estimate[chosen], error[chosen], markersize=2.6, label=place, **look, **style.BARS)
    ax.set_xticks(range(len(names)), names)
    ax.set_xlim(-0.6, len(names) - 0.4)


def _by_number(name: str) -> tuple[float, str]:
    """Order of names that may be numbers."""
    return (float(name), name) if name.replace(".", "", 1).isdecimal() else (np.inf, name)


LEVEL = 0.9  # of the predictive intervals
MARGINS, LINE = 45.0, 2.9  # of the figure: what is not rows, each row [mm]


def compose_check(check: xr.Dataset, left_out: list[str]) -> Composition:
    """Whether the population predicts its tests: `format_check` and `plot_check`."""
    drawings, files = {"check": lambda: plot_check(check)}, {"check.nc": lambda: check}
    return Composition(check, format_check(check, left_out), drawings, files)


def format_check(check: xr.Dataset, left_out: list[str]) -> list[str]:
    """A row for each measure, and how to read it.

    Parameters
    ----------
    check : Dataset
        Of `mcrock.measurement.predictive.predictive_check`.
    left_out : list of str
        Tests that it has not, and why.
    """
    low, high = _interval(check)
    inside = (low <= check["measured"]) & (check["measured"] <= high)
    tests, campaigns = check.sizes["test"], check.sizes["replicate"]
    counted = check.assign(inside=inside.sum("test"), mean_rank=check["rank"].mean("test"))
    columns: list[Column] = [
        ("measured tests", lambda one: VARIABLES[str(one["measure"].item())][2]),
        (f"inside {LEVEL:.0%} of those predicted", f"{{inside}} of {tests}"),
        ("mean rank", "{mean_rank:.2f}"),
        ("p-value of the ranks", "{p_value:.2g}"),
    ]
    return [
        table_along(counted, "measure", columns, left=True),
        f"rank: share of {campaigns} simulated campaigns in which the test has less, 0.5 in the mean if the "
        "population predicts the tests",
        "p-value: share of these campaigns whose own ranks among the others are as far from uniform, "
        f"{1.0 / (campaigns + 1):.2g} at least",
        "the population was fitted to the same tests, which makes p-values too large rather than too small",
        *(f"left out: {reason}" for reason in left_out),
    ]


def _interval(check: xr.Dataset) -> tuple[xr.DataArray, xr.DataArray]:
    ends = check["simulated"].quantile([0.5 - 0.5 * LEVEL, 0.5 + 0.5 * LEVEL], "replicate")
    return ends.isel(quantile=0), ends.isel(quantile=1)


@style.styled
def plot_check(check: xr.Dataset) -> Axes:
    """Draw measures of tests over the intervals predicted for them, and how their ranks are distributed.

    Parameters
    ----------
    check : Dataset
        Of `mcrock.measurement.predictive.predictive_check`.

    Returns
    -------
    Axes
        That of the first measure; a column for each, above it a row for each test, below the distribution
        function of the ranks.
    """
    names, measures = check["test"].values.tolist(), check["measure"].values.tolist()
    figure = style.new_figure(style.PAGE, MARGINS + 25.0 + LINE * len(names))
    heights = [LINE * len(names) + 10.0, 35.0]
    above, below = figure.subplots(2, len(measures), sharey="row", height_ratios=heights, squeeze=False)
    low, high = _interval(check)
    backwards = slice(None, None, -1)
    for ax, lower, name in zip(above, below, measures, strict=True):
        ends = np.stack([each.sel(measure=name).values[backwards] for each in (low, high)])
        row = style.interval_rows(ax, names[backwards], ends, [style.BLUE])
        middle = check["simulated"].sel(measure=name).median("replicate").values[backwards]
        ax.plot(middle, row, "|", color=style.BLUE, markersize=3.0)
        values = check["measured"].sel(measure=name).values[backwards]
        ax.plot(values, row, "o", color=style.ORANGE, markersize=2.4)
        ax.tick_params(axis="y", labelsize=style.NOTE_SIZE)
        ax.locator_params(axis="x", nbins=4)  # of four in a row, with three digits each
        unit = check["units"].sel(measure=name).item()
        words = name.upper() if len(name) == 4 else name.replace("_", " ").capitalize()
        ax.set_xlabel(words if unit == "1" else f"{words} [{unit}]")
        rank = np.sort(check["rank"].sel(measure=name).values)
        lower.plot([0.0, 1.0], [0.0, 1.0], color=style.GREY, linewidth=0.8, linestyle=":")
        lower.step([0.0, *rank, 1.0], [0.0, *(np.arange(rank.size) + 1) / rank.size, 1.0], where="post")
        lower.set_title(f"p = {float(check['p_value'].sel(measure=name)):.2g}")
        lower.set_xticks([0.0, 0.5, 1.0], ["0", "0.5", "1"])
        lower.set_xlabel("Rank")
    style.probability_axis(below[0], "Tests below")
    return style.add_note(
        above[0],
        f"Bars: {LEVEL:.0%} of {check.sizes['replicate']} simulated campaigns, with their medians; dots: "
        "measured. Below: distribution function of the ranks of the measured among the simulated, dotted "
        "that of uniform ranks.",
    )
