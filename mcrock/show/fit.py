"""Tests of free rocking: measures, a test next to the run that fits it best, a campaign test by test."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from PIL import Image
from scipy.spatial.transform import Rotation

from mcrock.base.estimates import format_interval
from mcrock.impact.registry import ImpactParameter, options
from mcrock.measurement.fit import ENERGY_GAIN, UNITS, explaining_neighbours
from mcrock.measurement.misfit import PARAMETERS
from mcrock.measurement.recording import Recording, euler_angles
from mcrock.show import style, text
from mcrock.show.report.content import Block, Figure, Section

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

    from mcrock.measurement.fit import Fit, Neighbour


def format_fit(fit: Fit) -> str:
    """Table of the estimates with their intervals, and what to know of them."""
    heads = ["", "estimate", f"{fit.level:.0%} interval", "standard error", "1 % of size"]
    rows = estimate_rows(fit)
    landing = fit.landings.landing[fit.landings.landing <= fit.time[-1] + 1e-9]
    samples = int((fit.time >= fit.estimates["time"]).sum())
    sensor = f"noise of the attitude {fit.noise * fit.turns:.2g} rad"
    if not fit.turns:
        left = ", ".join(f"{value:.1g}" for value in fit.bias)
        sensor = f"noise {fit.noise:.2g} rad/s, bias left {left} rad/s"
    lines = [
        f"{fit.name}, released over edge {fit.edge}: {samples} samples up to landing {len(landing)}",
        text.format_table(heads, rows),
        "1 % of size: change if the body were 1 % larger along this axis; intervals "
        + (f"contain {100.0 * fit.size_error:g} % of each" if fit.size_error else "do not contain it")
        + held_words(fit.held, "; they hold those"),
        f"mean |omega measured - simulated| {fit.error:.4g} rad/s (28), {sensor}, "
        f"{fit.simulations} simulations",
    ]
    lines.append(
        f"readings are taken for {'means over a sample' if fit.averaging > 0.5 else 'values at an instant'}"
        + f", which they prefer by a deviance of {fit.preferred:.0f}" * (fit.preferred > 0.0)
        + f"; {(~fit.kept).sum()} so near to an impact that its side is open are left out"
        * (not fit.kept.all())
    )
    lines += misfit_words(fit)
    return "\n".join(lines)


def held_words(held: Sequence[Sequence[str]], begin: str) -> str:
    """Of which neighbours the intervals hold those too, after some words; nothing if of none."""
    return f"{begin} with another {_either(held)} too" if held else ""


def misfit_words(fit: Fit) -> list[str]:
    """What the residuals say of the model, and which parameters ended at a bound of the search."""
    found, lines = fit.misfit, []
    sizes = f"{found.first_swing:.2f} times the noise at rest in the first swing"
    sizes += f" and {found.after_impact:.2f} after it"
    if found.explained is None:
        lines.append(
            "whether the model explains the test is not known: too few samples before the release show the "
            "noise of the sensor"
        )
    elif found.explained:
        lines.append(f"the model explains the test to the noise of the sensor: residuals are {sizes}")
    else:
        lines.append(
            f"THE MODEL DOES NOT EXPLAIN THE TEST: residuals are {sizes}, and correlated by "
            f"{found.correlation:.2f} from sample to sample (noise: below {found.most_correlation:.2f}). "
            f"Intervals are of this model, {found.widening:.2f} times as wide for that"
            + held_words(fit.held, ", and hold those")
            + "; they may miss the truth: check the dimensions of the body, the edge, --energy-gain, and "
            "whether an end slipped or the body moved when it was released"
        )
    for optimum in fit.optima:
        values = ", ".join(f"{key} {optimum.estimates[key]:.4g}" for key in fit.parameters)
        lines.append(
            f"another optimum, {values}, has a mean residual {optimum.error:.2f} times as large: look in the "
            "figure whether this one has the right impacts"
        )
    for key in fit.at_bound:
        low, high = fit.bounds[key]
        lines.append(
            f"{key} ended at a bound of its search, {low:g} to {high:g}, which may be too narrow; in "
            "Python `fit_test(bounds=...)` widens it"
        )
    if not fit.resolved:
        lines.append(
            "the lateral rocking after the facet impact is too quick for the samples: they determine neither "
            "lambda_lat nor lambda and tau, and hide a slip of the foot, with which lambda_lon is another"
        )
    return lines


ADDED = {
    **{f"size_{axis}": f"size along {axis}" for axis in "xyz"},
    "rate": "rate at the release",
    "size_r": "radius",
    "slip": "slip at the first landing",
    "push": "push across at the release",
    "clearance": "clearance",
    "tau": "tau, twist at each impact",
    ENERGY_GAIN: "energy_gain",
}


def neighbours_as_json(found: list[Neighbour]) -> list[dict[str, Any]]:
    """Numbers of neighbours of the model for programs, the nearest first."""
    rows = [
        {"added": each.added, "estimates": each.estimates, "deviance": each.deviance}
        | {name: getattr(each.misfit, name) for name in ("first_swing", "after_impact", "explained")}
        for each in found
    ]
    return [text.as_json(row) for row in rows]


def neighbour_table(found: list[dict[str, Any]]) -> text.Columns:
    """What each neighbour would explain, of their numbers."""
    keys = [key for key in found[0]["estimates"] if key not in ("time", "tilt", *ADDED)]
    heads = ["if this were free", "estimate", "deviance", "first swing", "after impact", *keys]
    rows = []
    for each in found:
        added = [key for key in each["added"] if key in each["estimates"]]
        values = [f"{each['estimates'][key]:.4g}{f' {UNITS[key]}' * (UNITS[key] != '1')}" for key in added]
        numbers = [
            f"{each['deviance']:.0f}",
            *(f"{each[part]:.2f}" for part in ("first_swing", "after_impact")),
        ]
        rows.append(
            [
                _added(each["added"]),
                " ".join(values) or "-",
                *numbers,
                *(f"{each['estimates'][key]:.4g}" for key in keys),
            ]
        )
    return text.format_table(heads, rows)


def neighbour_words(found: list[Neighbour]) -> list[str]:
    """What neighbours say of the test."""
    if not found:
        return []
    named = _either([each.added for each in explaining_neighbours(found)])
    if not named:
        return ["none of these explains the test to the noise: the lambdas may differ between its impacts"]
    return [
        f"it would be explained to the noise by another {named}: check that, and fit again, a slip or rate "
        "by --free"
    ]


def _either(several: Sequence[Sequence[str]]) -> str:
    return " or ".join(map(_added, several))


def _added(added: Sequence[str]) -> str:
    words = "size along x, y and z" if len(added) == 3 else "radius and size along z"
    return ADDED[added[0]] if len(added) == 1 else words


def estimate_rows(fit: Fit) -> list[list[str]]:
    """Name with unit, estimate, interval, standard error, and what 1 % of the size of the body changes."""
    rows: list[list[str]] = []
    for name, value in fit.estimates.items():
        words = [f"{name} [{UNITS[name]}]"]
        if name in fit.intervals:
            low, high = fit.intervals[name]
            digits = digits_of(high - low)
            words += [f"{value:.{digits}f}", f"{low:.{digits}f} to {high:.{digits}f}"]
            error = fit.standard_errors[name]
            words.append(f"{error:.2g}" if np.isfinite(error) else "not determined")
        else:
            words += [f"{value:.6g}", "-", "at a bound" if name in fit.at_bound else "-"]
        effect = np.asarray(fit.by_size)[:, len(rows)]
        axis = int(np.abs(effect).argmax())
        words.append(f"{effect[axis]:+.2g} ({'xyz'[axis]})" if np.isfinite(effect[axis]) else "not found")
        rows.append(words)
    return rows


def digits_of(width: float) -> int:
    """Decimals with which an interval of a width [1] has two digits."""
    return int(np.clip(1 - np.floor(np.log10(max(width, 1e-9))), 1, 8))


def impact_section(fit: Fit) -> str:
    """Section ``[impact]`` of a study file with the estimates of one test."""
    lines = [f"[impact]  # fitted to one test, {fit.name}, released over edge {fit.edge}"]
    for key in filter(PARAMETERS.__contains__, fit.parameters):
        value, comment = fit.estimates[key], ""
        digits = 6
        if key in fit.intervals:
            low, high = fit.intervals[key]
            digits = digits_of(high - low)
            comment = f"  # [{UNITS[key]}] {fit.level:.0%} interval {low:.{digits}f} to {high:.{digits}f}"
            comment += held_words(fit.held, ", which holds that")
            if not np.isfinite(fit.standard_errors[key]):
                comment += ", not determined by this test"
        elif key in fit.at_bound:
            comment = "  # a bound of the search"
        lines.append(f"{key} = {value:.{digits}f}{comment}")
    if fit.impact.energy_gain != options("energy_gain")[0]:
        lines.append(f'energy_gain = "{fit.impact.energy_gain}"  # as in the fit')
    return "\n".join(lines) + "\n"


def fit_as_json(fit: Fit) -> dict[str, Any]:
    """Numbers of a fit for programs; what is not determined has no standard error."""
    found = {
        "recording": fit.name,
        "edge": fit.edge,
        "objective": fit.objective,
        "level": fit.level,
        "estimates": {
            name: {
                "value": value,
                "unit": UNITS[name],
                "interval": fit.intervals.get(name),
                "standard_error": fit.standard_errors.get(name),
            }
            for name, value in fit.estimates.items()
        },
        "change_by_1_percent_of_size": {
            name: dict(zip("xyz", effect, strict=True))
            for name, effect in zip(fit.estimates, fit.by_size.T.tolist(), strict=True)
        },
        "covariance": fit.covariance,
        "mean_error": fit.error,
        "noise": fit.noise,
        "attitude_noise": fit.noise * fit.turns or None,
        "bias": fit.bias,
        "lateral_rocking_resolved": fit.resolved,
        "averaging": fit.averaging,
        "turn": fit.turn,
        "other_optima": [optimum._asdict() for optimum in fit.optima],
        "at_bound": fit.at_bound,
        "held": fit.held,
        "misfit": fit.misfit._asdict() | {"explained": fit.misfit.explained},
        "verdict": misfit_words(fit),
    }
    return {key: text.as_json(item) for key, item in found.items()}


LABELS = {key: f"{ADDED.get(key, key).capitalize()} [{unit}]" for key, unit in UNITS.items()}
LABELS |= {"time": "Time of release [s]", "tilt": "Initial tilt [rad]"} | {
    item.key: f"${item.row.symbol}$ [{item.row.rule.unit}]" for item in ImpactParameter
}
HIGHEST = 2.0  # deviance drawn over that of the interval [1]
SPAN: dict[str, Any] = {"color": style.GREY, "alpha": 0.25, "linewidth": 0.0}


@style.styled
def plot_fit(fit: Fit) -> Axes:
    """Draw measured and simulated angular velocity, residuals, and the profile of each parameter.

    Parameters
    ----------
    fit : Fit
        From `mcrock.measurement.fit_test`.

    Returns
    -------
    Axes
        The first of a figure two columns wide: components about the edge, across it and about the vertical
        axis of the body, each with its residuals below; the profiles in the last row.
    """
    figure = style.new_figure(style.PAGE, 118.0 if fit.profiles else 80.0)
    parts = figure.add_gridspec(1 + bool(fit.profiles), 1, height_ratios=[1.7, 1.0][: 1 + bool(fit.profiles)])
    rows: Any = parts[0].subgridspec(2, 3, height_ratios=[2.0, 1.0]).subplots(sharex=True)
    up = np.cross(fit.along, fit.across)
    axes = {"About the edge": fit.along, "Across it": fit.across, "About the body axis": up}
    turned = np.stack([*axes.values()], axis=1)
    drawn = [each @ turned for each in (fit.measured, fit.simulated, fit.residuals)]
    draw_test(rows, [*axes], fit.time, drawn, ("Angular velocity\n[rad/s]", "Residual\n[rad/s]"))
    for below in rows[1]:
        below.axhspan(-2.0 * fit.noise, 2.0 * fit.noise, **SPAN)
    below = max(0.05 * (fit.time[-1] - fit.estimates["time"]), 0.0)
    rows[0, 0].set_xlim(max(fit.time[0], fit.estimates["time"] - below), fit.time[-1])
    if fit.profiles:
        _draw_profiles(parts[1].subgridspec(1, len(fit.profiles)), fit)
    words = f"{fit.name}, edge {fit.edge}: mean |ω measured - simulated| {fit.error:.3g} rad/s. "
    if fit.misfit.explained is False:
        words += "The model does not explain the test. "
    words += "Grey around the residuals: twice the noise. "
    if fit.profiles:
        words += (
            "Below: profile loss, with one parameter held, over that of the best fit; dotted: quantile; "
            f"grey: {fit.level:.0%} interval"
            + ", wider for the residuals" * (fit.misfit.widening > 1.0)
            + ", wider for the size of the body" * (fit.size_error > 0.0)
            + held_words(fit.held, ", and those")
            + "."
        )
    return style.add_note(rows[0, 0], words.rstrip())


def draw_test(
    rows: Any, names: Sequence[str], time: np.ndarray, drawn: Sequence[np.ndarray], labels: tuple[str, str]
) -> None:
    """Components of a test over time, measured and simulated (n, 3), above what is left of them (n, 3)."""
    for k, name in enumerate(names):
        (above, below), (measured, simulated, left) = rows[:, k], (each[:, k] for each in drawn)
        above.plot(time, measured, ".", color=style.ORANGE, markersize=2.0, label="measured")
        above.plot(time, simulated, color=style.BLUE, linewidth=0.8, label="simulated")
        above.set_title(name)
        below.plot(time, left, ".", color=style.ORANGE, markersize=1.6)
        below.set_xlabel("Time [s]")
    for row, label in zip(rows, labels, strict=True):
        row[0].set_ylabel(label)
    rows[0, 0].legend(loc="best", handlelength=1.2, markerscale=2.0)


def _draw_profiles(part: Any, fit: Fit) -> None:
    for i, (ax, (name, profile)) in enumerate(zip(part.subplots(), fit.profiles.items(), strict=True)):
        low, high = fit.intervals.get(name, (min(profile.values), max(profile.values)))
        if name in fit.intervals:
            ax.axvspan(low, high, **SPAN)
        ax.axhline(profile.quantile, color="0.4", linewidth=0.6, linestyle=":")
        ax.plot(profile.values, profile.deviance, color=style.BLUE, marker=".", markersize=2.5, linewidth=0.9)
        ax.axvline(fit.estimates[name], color=style.ORANGE, linewidth=0.8)
        room = 0.25 * (high - low)
        ax.set_xlim(low - room, high + room)
        ax.set_ylim(0.0, HIGHEST * profile.quantile)
        ax.set_xlabel(LABELS[name])
        # at the ends of the interval: of a narrow one far from 0 the numbers are too long for round ones
        ax.set_xticks([low, high], [f"{end:.{digits_of(high - low)}f}" for end in (low, high)])
        if i == 0:
            ax.set_ylabel("Deviance [1]")
        else:
            ax.set_yticklabels([])


PANELS = {  # column of the angles
    r"In the plane, $\varphi_y$": 1,
    r"Out of it, $\varphi_x$": 0,
    r"About the vertical, $\varphi_z$": 2,
}


def angles_of(fit: Fit) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Time (n,) [s] and the angles (n, 3) [rad] of `euler_angles` that were measured and simulated.

    Both are integrated from the tilt of the release, about the edge as y, with the rest of the bias taken
    away: a drift of the measured ones is that of the noise, and of what the model leaves out.
    """
    after = fit.time >= fit.estimates["time"]
    up = np.cross(fit.across, fit.along)
    frame = np.stack([np.cross(fit.along, up), fit.along, up])
    start = Rotation.from_rotvec([0.0, fit.estimates["tilt"], 0.0]).as_quat(scalar_first=True)
    time = fit.time[after]
    measured, simulated = (
        euler_angles(Recording(time, rates[after] @ frame.T, name=fit.name).orientation(start))
        for rates in (fit.measured, fit.simulated)
    )
    return time, measured, simulated


@style.styled
def plot_angles(fit: Fit) -> Axes:
    """Draw the angles of a test and those of the run that fits it, with their differences.

    Parameters
    ----------
    fit : Fit
        From `mcrock.measurement.fit_test`.

    Returns
    -------
    Axes
        The first of a figure two columns wide: in the plane of the release, out of it and about the vertical,
        each with the difference below.
    """
    time, measured, simulated = angles_of(fit)
    rows = style.new_figure(style.PAGE, 70.0).subplots(2, 3, sharex=True, height_ratios=[2.0, 1.0])
    both = [1e3 * angles[:, [*PANELS.values()]] for angles in (measured, simulated)]
    draw_test(rows, [*PANELS], time, [*both, both[0] - both[1]], ("Angle [mrad]", "Difference\n[mrad]"))
    for below in rows[1]:
        below.axhline(0.0, color=style.GREY, linewidth=0.6)
    largest = float(np.abs(measured - simulated).max())
    words = f"{fit.name}, edge {fit.edge}: angles integrated from the release at "
    words += f"{fit.estimates['tilt']:.4f} rad; "
    return style.add_note(rows[0, 0], words + f"they differ by {1e3 * largest:.2g} mrad at most.")


REST, LINE = 33.0, 6.0  # of the figure: what is not rows, each row [mm]
SHOWN_MEASURES = ("avrf", "opmf")
LABEL = 24  # characters of a label in a line: two stand side by side in a column


def format_measured(found: xr.Dataset) -> list[str]:
    """A row for each test, and what the columns mean."""
    level = text.percent(found)

    def number(name: str, form: str) -> text.Column:
        head = f"{name.replace('_', ' ')} [{found[name].attrs['units']}]".removesuffix(" [1]")
        return head, f"{{{name}:{form}}}"

    def interval(name: str) -> text.Column:
        return f"{level} interval", lambda one: format_interval(*one[f"{name}_interval"].values.tolist())

    loss: text.Column = ("energy lost [%]", lambda one: f"{100 * float(one['energy_loss'].mean()):.1f}")
    columns: list[text.Column] = [
        "test",
        *((number("tilt", ".4f"), interval("tilt"))),
        number("duration", ".2f"),
        number("facet_impact", ".3f"),
        ("swing [s]", lambda one: f"{float(one['swing'][0]):.3f}"),
        number("edge_impacts", ".0f"),
        *((number("avrf", ".4f"), interval("avrf"))),
        *((number("opmf", ".3g"), interval("opmf"))),
        *((loss, number("loss", ".3g"), interval("loss"))),
        number("frequency", ".3g"),
        number("frequency_across", ".3g"),
        *["reason"] * bool(found["reason"].any()),
    ]
    return [
        text.table_along(found, "test", columns, left=True),
        "avrf: angular velocity after an impact over that before, the median of up to nine from peak to peak",
        "opmf: largest angle out of the plane over that in it, after the first impact; - if drift hides it",
        "energy lost: mean share from peak to peak, loss: its median; frequency: where the spectrum of the "
        "rate is largest, in the plane and across it; facet impact: after the release; swing: from there to "
        "the next peak, those after it are in measures.csv; edge impacts: those that the sensor "
        "resolves from it to the next landing, a part of them where they follow quickly",
    ]


def measured_frame(found: xr.Dataset) -> DataFrame:
    """A row for each test, a column for each number, two of an interval, one for the loss of a half cycle."""
    import pandas as pd

    columns: dict[str, np.ndarray] = {"test": found["test"].values}
    for name, array in found.data_vars.items():
        if array.ndim == 1:
            columns[str(name)] = array.values
            continue
        is_interval = str(name).endswith("_interval")
        ends = ("_low", "_high") if is_interval else [f"_{k + 1}" for k in range(array.shape[1])]
        stem = str(name).removesuffix("_interval")
        columns |= {f"{stem}{end}": values for end, values in zip(ends, array.values.T, strict=True)}
    return pd.DataFrame(columns)


@style.styled
def plot_measured(found: xr.Dataset) -> Axes:
    """Draw the AVRF and the OPMF of tests with their intervals, the quantities of Figure 6 of the source.

    Parameters
    ----------
    found : Dataset
        Of `mcrock.measurement.measure_test`, of any number of tests along `test`.

    Returns
    -------
    Axes
        That of the AVRF; a row for each test.
    """
    figure = style.new_figure(style.COLUMN, REST + LINE * found.sizes["test"])
    panels = figure.subplots(1, len(SHOWN_MEASURES), sharey=True)
    backwards = found.isel(test=slice(None, None, -1))
    refused = found.isel(test=np.flatnonzero(found["reason"]))
    named = refused["test"].values, refused["reason"].values
    for ax, name, colour in zip(panels, SHOWN_MEASURES, (style.BLUE, style.ORANGE), strict=True):
        ends, values = backwards[f"{name}_interval"].values.T, backwards[name].values
        row = style.interval_rows(ax, backwards["test"].values.tolist(), ends, [colour])
        ax.plot(values, row, "o", color=colour, markersize=3.5)
        for place in np.flatnonzero(backwards["reason"]):
            ax.text(0.5, row[place], "refused", transform=ax.get_yaxis_transform(), ha="center", va="center")
        ax.locator_params(axis="x", nbins=4)  # of two in a column, with three digits each
        ax.set_xlabel(fill(style.axis_scale(found[name])[1], LABEL))
    return style.add_note(
        panels[0],
        f"Bars: {text.percent(found)} intervals: of a median, and what the drift of the sensor leaves open; "
        "where that is all, there is no dot."
        + "".join(f" Refused: {name}: {reason}." for name, reason in zip(*named, strict=True)),
    )


TYPES = {".png": "image/png", ".svg": "image/svg+xml"}  # of figures that a page can hold
WIDTH = 2.1  # of the figure of a fit over that of a column of print [1]
SHOWN_FIGURES = (
    "angles measured and simulated",
    "angular velocities measured and simulated, residuals, profiles",
)
PIXELS, COLOURS = 1000, 48  # of a figure on the page
NAMES = ("test", "specimen", "position", "repetition", "file", "body", "edge", "status", "reason")


def campaign_rows(outcomes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each test: names, what became of it and why, covariates, estimates and standard errors."""
    rows = []
    for outcome in outcomes:
        row, fit = {name: outcome[name] for name in NAMES} | outcome["covariates"], outcome["fit"]
        if fit is not None:
            row = fit.get("body", {}) | row  # the table may have its own depth
            row["explained"] = fit["misfit"]["explained"]
            for key, item in fit["estimates"].items():
                row |= {key: item["value"], f"{key}_standard_error": item["standard_error"]}
        rows.append(row)
    return rows


def format_campaign(outcomes: list[dict[str, Any]]) -> list[str]:
    """Table of the tests, and what was left out and why."""
    fitted = [outcome for outcome in outcomes if outcome["fit"] is not None]
    lines: list[str] = [_table(outcomes)]
    lines += _unexplained(fitted)
    lines += [f"{each['test']}: {note}" for each in fitted for note in each["fit"].get("notes", ())]
    return [
        *lines,
        *_left_out(outcomes),
        f"{len(fitted)} of {text.format_count(len(outcomes), 'test')} fitted",
    ]


def campaign_sections(outcomes: list[dict[str, Any]], figures: dict[str, list[Path]]) -> list[Section]:
    """Sections of the page: all tests, and for each its estimates, verdict and figures.

    Parameters
    ----------
    outcomes : list of dict
    figures : dict of list of Path
        By test, of angles and of rates; those that a page cannot show are named.
    """
    fitted = [outcome for outcome in outcomes if outcome["fit"] is not None]
    blocks: list[Block] = [_table(outcomes, "\N{NON-BREAKING HYPHEN}")]
    blocks += _unexplained(fitted)
    blocks += map(text.Caution, _left_out(outcomes))
    sections = [Section("tests", "Tests", blocks)]
    for outcome in fitted:
        name, fit = outcome["test"], outcome["fit"]
        explained = fit["misfit"]["explained"]
        words = text.Caution if explained is False or fit["at_bound"] else str
        own: list[Block] = [
            f"Recording {outcome['file']}, released over edge {fit['edge']}; body of {outcome['body']}.",
            *map(words, fit["verdict"]),
        ]
        for figure, words_of in zip(figures[name], SHOWN_FIGURES, strict=True):
            if figure.suffix in TYPES and figure.is_file():
                data = b64encode(_light(figure)).decode("ascii")
                source = f"data:{TYPES[figure.suffix]};base64,{data}"
                own.append(Figure(source, f"Test {name}: {words_of}", WIDTH))
            else:
                own.append(f"figure: {figure}")
        if fit.get("neighbours"):
            own.append(neighbour_table(fit["neighbours"]))
        sections.append(Section(f"test-{name}", f"Test {name}", own))
    return sections


def _unexplained(fitted: list[dict[str, Any]]) -> list[str]:
    """Which tests the model does not explain, and what their standard errors hold then."""
    named = [
        each["test"] + held_words(each["fit"].get("held", ()), ", whose +- holds that")
        for each in fitted
        if each["fit"]["misfit"]["explained"] is False
    ]
    return [f"the model does not explain {len(named)} of the tests: {'; '.join(named)}"] if named else []


def _left_out(outcomes: list[dict[str, Any]]) -> list[str]:
    """Tests without a fit, and why; their names begin no sentence, as the page would write them large."""
    return [f"left out: {each['test']}: {each['reason']}" for each in outcomes if each["fit"] is None]


def _light(figure: Path) -> bytes:
    """A figure as a page of many holds it: of a PNG fewer pixels and colours, a seventh of its bytes."""
    if figure.suffix != ".png":
        return figure.read_bytes()
    with Image.open(figure) as image:
        size = PIXELS, round(image.height * PIXELS / image.width)
        small = image.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    found = BytesIO()
    # of the methods the one that keeps the few colours of lines among the many of greys
    few = small.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(found, "PNG", optimize=True)
    return found.getvalue()


def _table(outcomes: list[dict[str, Any]], hyphen: str = "-") -> text.Columns:
    """Estimates with their standard errors and the verdict, or why there is none."""
    first: dict[str, Any] = next((each["fit"]["estimates"] for each in outcomes if each["fit"]), {})
    keys = [key for key in first if key != "time"]
    heads = ["test", *(f"{key} [{first[key]['unit']}]" for key in keys)]
    heads += ["first swing", "after impact", "explained"]
    rows = []
    for outcome in outcomes:
        fit, name = outcome["fit"], outcome["test"].replace("-", hyphen)
        if fit is None:
            rows.append([name, *["-"] * (len(keys) + 2), f"not fitted: {outcome['reason']}"])
            continue
        cells = [name, *(_with_error(fit["estimates"][key]) for key in keys)]
        for part in ("first_swing", "after_impact"):
            ratio = fit["misfit"][part]
            cells.append("-" if ratio is None else f"{ratio:.2f}")
        explained = {True: "yes", False: "NO", None: "not known"}[fit["misfit"]["explained"]]
        rows.append(
            [*cells, explained + ", at a bound: " * bool(fit["at_bound"]) + " ".join(fit["at_bound"])]
        )
    return text.format_table(heads, rows, left=True)


def _with_error(item: dict[str, Any]) -> str:
    if item["standard_error"] is None:
        return f"{item['value']:.3g} +- ?"
    digits = digits_of(item["standard_error"])
    return f"{item['value']:.{digits}f} +- {item['standard_error']:.{digits}f}"
