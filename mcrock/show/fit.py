"""A test of free rocking next to the run that fits it best, and how well it tells each parameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from mcrock.impact.registry import ImpactParameter, options
from mcrock.measurement.fit import ENERGY_GAIN, UNITS, explaining
from mcrock.measurement.misfit import PARAMETERS
from mcrock.show import style
from mcrock.show.tables import format_table

if TYPE_CHECKING:
    from mcrock.measurement.fit import Fit, Neighbour
    from mcrock.show.tables import Columns


def format_fit(fit: Fit) -> str:
    """Table of the estimates with their intervals, and what to know of them."""
    heads = ["", "estimate", f"{fit.level:.0%} interval", "standard error", "1 % of size"]
    rows = estimate_rows(fit)
    landing = fit.landings.landing[fit.landings.landing <= fit.time[-1] + 1e-9]
    samples = int((fit.time >= fit.estimates["time"]).sum())
    lines = [
        f"{fit.name}, released over edge {fit.edge}: {samples} samples up to landing {len(landing)}",
        format_table(heads, rows),
        "1 % of size: change if the body were 1 % larger along this axis; intervals "
        + (f"contain {100.0 * fit.size_error:g} % of each" if fit.size_error else "do not contain it")
        + held_words(fit.held, "; they hold those"),
        f"mean |omega measured - simulated| {fit.error:.4g} rad/s (28), noise {fit.noise:.2g} rad/s, "
        f"bias left {', '.join(f'{value:.1g}' for value in fit.bias)} rad/s, {fit.simulations} simulations",
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
    "slip": "slip at the first landing",
    "tau": "tau, twist at each impact",
    ENERGY_GAIN: "energy_gain",
}


def neighbours_as_json(found: list[Neighbour]) -> list[dict[str, Any]]:
    """Numbers of neighbours of the model for programs, the nearest first."""
    return [
        {
            "added": list(each.added),
            "estimates": each.estimates,
            "deviance": each.deviance,
            "first_swing": _number(each.misfit.first_swing),
            "after_impact": _number(each.misfit.after_impact),
            "explained": each.misfit.explained,
        }
        for each in found
    ]


def neighbour_table(found: list[dict[str, Any]]) -> Columns:
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
    return format_table(heads, rows)


def neighbour_words(found: list[Neighbour]) -> list[str]:
    """What neighbours say of the test."""
    if not found:
        return []
    named = _either([each.added for each in explaining(found)])
    if not named:
        return ["none of these explains the test to the noise: the lambdas may differ between its impacts"]
    return [
        f"it would be explained to the noise by another {named}: check that, and fit again, a slip or rate "
        "by --free"
    ]


def _either(several: Sequence[Sequence[str]]) -> str:
    return " or ".join(map(_added, several))


def _added(added: Sequence[str]) -> str:
    return ADDED[added[0]] if len(added) == 1 else "size along x, y and z"


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
    return {
        "recording": fit.name,
        "edge": fit.edge,
        "objective": fit.objective,
        "level": fit.level,
        "estimates": {
            name: {
                "value": value,
                "unit": UNITS[name],
                "interval": list(fit.intervals[name]) if name in fit.intervals else None,
                "standard_error": _number(fit.standard_errors.get(name, np.nan)),
            }
            for name, value in fit.estimates.items()
        },
        "change_by_1_percent_of_size": {
            name: dict(zip("xyz", map(_number, effect), strict=True))
            for name, effect in zip(fit.estimates, fit.by_size.T.tolist(), strict=True)
        },
        "covariance": [[_number(value) for value in row] for row in fit.covariance],
        "mean_error": fit.error,
        "noise": fit.noise,
        "bias": fit.bias.tolist(),
        "lateral_rocking_resolved": fit.resolved,
        "averaging": fit.averaging,
        "turn": fit.turn.tolist(),
        "other_optima": [optimum._asdict() for optimum in fit.optima],
        "at_bound": list(fit.at_bound),
        "held": list(map(list, fit.held)),
        "misfit": {name: _number(value) for name, value in fit.misfit._asdict().items()}
        | {"explained": fit.misfit.explained},
        "verdict": misfit_words(fit),
    }


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


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
    style.add_note(rows[0, 0], words.rstrip())
    return rows[0, 0]


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
