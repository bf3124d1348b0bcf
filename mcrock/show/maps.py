"""Maps of overturning over two parameters of impacts or contacts, and of the motions that start from rest."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import xarray as xr

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.body import faces
from mcrock.impact.registry import ImpactParameter, Law
from mcrock.show import style
from mcrock.show.text import format_count, label
from mcrock.statistics import overturned, overturning_probability, pooled, undecided
from mcrock.statistics.probability import EVENT
from mcrock.statistics.runs import check_runs, is_cloud, overturn_levels
from mcrock.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW = 10  # runs in a cell below which its share is not shown
FEWEST = 9 * FEW  # runs below which each is drawn by itself
TYPICAL = 50  # runs wanted in a cell


class MapAxis(NamedTuple):
    """What a map shows of a parameter."""

    words: str
    symbol: str
    unit: str
    law: Law | None = None  # that it is of; those of contacts go with every law


PARAMETERS = {  # by the variable, the most telling first
    "contact_friction": MapAxis("friction", r"\mu", "1"),
    **{
        item.variable: MapAxis(
            item.row.words.partition(":")[0], item.row.symbol, item.row.rule.unit, item.row.law
        )
        for item in sorted(ImpactParameter, key=lambda item: item.row.rank, reverse=True)
    },
    "contact_restitution": MapAxis("restitution after flight", r"e", "1"),
    "contact_impact_restitution": MapAxis("restitution in impacts", r"e_\mathrm{i}", "1"),
    "contact_tangential_restitution": MapAxis("tangential restitution", r"e_\mathrm{t}", "1"),
    "contact_static_friction": MapAxis("static friction", r"\mu_\mathrm{s}", "1"),
}


def varying_parameters(ds: xr.Dataset) -> list[str]:
    """Parameters that differ from realization to realization, the most telling first."""
    found: list[str] = []
    for name in PARAMETERS:
        if name in ds and ds[name].dims == ("realization",):
            values = ds[name].values
            values = values[np.isfinite(values)]
            if values.size and np.ptp(values) > 0:
                found.append(name)
    return found


def map_axes(ds: xr.Dataset) -> tuple[str, str] | None:
    """The two most telling parameters that vary and go together, None where there are none.

    Those of two laws do not, nor do the two coefficients of friction, of which one mostly gives the other.
    """
    for pair in combinations(varying_parameters(ds), 2):
        laws = {PARAMETERS[name].law for name in pair} - {None}
        if len(laws) < 2 and set(pair) != {"contact_friction", "contact_static_friction"}:
            return pair
    return None


@style.figure_of_runs()
def plot_impact_map(
    ds: xr.Dataset,
    x: str = "impact_lambda_lon",
    y: str = "impact_lambda",
    ax: Axes | None = None,
    *,
    intensity: float | None = None,
    bins: int | None = None,
    allow_missing: bool = False,
) -> Axes:
    """Draw the overturned fraction over two parameters of impacts or contacts.

    Parameters
    ----------
    ds : Dataset
        Study with `x` and `y` on (realization), all draws of a nested one together; judged by a limit as
        `by_limit` has it.
    x, y : str
        Parameters drawn once for each run, such as `impact_lambda` or `contact_friction` [1].
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    intensity : float, optional
        Intensity of the runs [unit of the intensity], the nearest of the study; by default that at
        which the overturned fraction is nearest to one half. A cloud shows all its runs.
    bins : int, optional
        Cells along each axis; by default as many as leave about 50 runs in each, 3 to 6. Of fewer than
        90 runs each is drawn as a point unless this is given.
    allow_missing : bool
        Leave out runs that have not been run, rather than refuse.

    Returns
    -------
    Axes
        With a colour bar, and cells with fewer than 10 runs hatched; or with points and a legend.

    Raises
    ------
    ValueError
        If the dataset does not fit, holds runs not yet run, or a parameter is missing, is drawn anew
        at every impact or does not vary.
    """
    ds = pooled(ds)
    check_runs(ds)
    for name in (x, y):
        if name not in varying_parameters(ds):
            raise ValueError(
                f"{name!r} does not vary from run to run in this study (fixed, or drawn at every impact); "
                f"these do: {', '.join(varying_parameters(ds)) or 'none'}"
            )
    part, where = runs_at(ds, intensity, allow_missing)
    ran = (part["outcome"] != 0).values
    there = ran & np.isfinite(part[x].values) & np.isfinite(part[y].values)
    fell, doubt = overturned(part).values[there], undecided(part).values[there]
    places = [part[name].values[there] for name in (x, y)]
    ax = style.new_axes(height=74.0) if ax is None else ax
    event = f"with {ds.attrs[EVENT]} or overturned" if EVENT in ds.attrs else "overturned"
    note = f"{format_count(there.sum(), 'run')} {where}, {int(fell.sum())} {event}"
    if bins is None and there.sum() < FEWEST:
        if doubt.any():
            note += f", {int(doubt.sum())} undecided"
        note += "; too few for fractions: each run is a point."
        _draw_runs(ax, places, fell, doubt, "beyond the limit" if EVENT in ds.attrs else "overturned")
    else:
        if doubt.any():
            note += f", {int(doubt.sum())} undecided (as simulated, or half if the simulation broke off)"
        whose = (
            "Fraction of the runs beyond the limit"
            if EVENT in ds.attrs
            else "Overturned fraction of the runs"
        )
        note += _draw_shares(ax, places, overturn_levels(part).estimate[there], bins, whose)
    if there.sum() < ran.sum():
        anew = format_count(ran.sum() - there.sum(), "run")
        note += f" Left out: {anew} that draw the parameters anew at every impact or follow another law."
    ax.set_xlabel(_symbol_label(ds, x))
    ax.set_ylabel(_symbol_label(ds, y))
    for name in "xy":
        style.number_axis(ax, name)
    return style.add_note(ax, note)


def runs_at(ds: xr.Dataset, intensity: float | None, allow_missing: bool) -> tuple[xr.Dataset, str]:
    """Runs at one intensity and where that is; all of a cloud."""
    points = overturning_probability(ds, allow_missing=allow_missing)
    if is_cloud(ds):
        return ds, "at all intensities"
    if intensity is None:
        distance = np.abs(points["probability"].values - 0.5)
        equal = np.flatnonzero(distance == np.nanmin(distance))
        below = equal[points["probability"].values[equal] < 0.5]
        chosen = int(below[-1] if below.size else equal[0])
    else:
        chosen = int(np.argmin(np.abs(points["intensity"].values - intensity)))
    name = style.axis_scale(points["intensity"])[1].rpartition(" [")[0]
    where = f"at {name[:1].lower() + name[1:]} {label(points['intensity'][chosen])}"
    return ds.isel(intensity=chosen), where


def _draw_shares(ax: Axes, places: list[np.ndarray], weight: np.ndarray, bins: int | None, name: str) -> str:
    """Draw the mean weight in cells; returns a sentence on them for the note."""
    number = bins or int(np.clip(np.sqrt(len(weight) / TYPICAL), 3, 6))
    edges = [np.linspace(float(values.min()), float(values.max()), number + 1) for values in places]
    runs, fell = (
        np.histogram2d(places[0], places[1], bins=edges, weights=each)[0].T for each in (weight**0, weight)
    )
    few, share = runs < FEW, fell / np.maximum(runs, 1)
    ax.set_facecolor("0.93")
    mesh = ax.pcolormesh(*edges, np.ma.masked_array(share, few), cmap="cividis", vmin=0, vmax=1)
    hatch: dict[str, Any] = {"cmap": "Greys", "vmin": 0, "vmax": 1, "edgecolor": "0.7", "linewidth": 0}
    ax.pcolor(*edges, np.ma.masked_array(np.full(few.shape, 0.05), ~few), hatch="////", **hatch)
    bar = style.figure_of(ax).colorbar(mesh, ax=ax, pad=0.03)
    bar.set_label(f"{name} [1]")
    bar.outline.set_visible(False)
    for row, column in np.argwhere(~few & (number <= 6)):
        at = (edges[0][[column, column + 1]].mean(), edges[1][[row, row + 1]].mean())
        colour = "black" if share[row, column] > 0.5 else "white"
        ax.text(*at, f"{share[row, column]:.2f}", color=colour, ha="center", va="center", fontsize=7.0)
    typical, mean = max(int(np.median(runs)), 1), float(weight.mean())
    chance = np.sqrt(mean * (1.0 - mean) / typical)
    said = f"About {typical} runs in a cell, which chance moves by {chance:.2f} or so from {mean:.2f} of all"
    return f". {said}; hatched: fewer than {FEW} runs." if few.any() else f". {said}."


def _draw_runs(ax: Axes, places: list[np.ndarray], fell: np.ndarray, doubt: np.ndarray, event: str) -> None:
    """Draw every run as a point."""
    kinds: dict[str, tuple[np.ndarray, dict[str, Any]]] = {
        "stood": (~fell & ~doubt, {"facecolor": "none", "edgecolor": style.BLUE}),
        event: (fell, {"facecolor": style.ORANGE, "edgecolor": style.ORANGE}),
        "undecided": (doubt & ~fell, {"facecolor": style.GREY, "edgecolor": style.GREY, "marker": "D"}),
    }
    for name, (which, look) in kinds.items():
        if which.any():
            ax.scatter(places[0][which], places[1][which], s=14.0, linewidth=0.8, label=name, **look)
    style.legend_above(ax, 3, 0.0, handletextpad=0.2)


def _symbol_label(ds: xr.Dataset, name: str) -> str:
    if name not in PARAMETERS:
        return style.axis_scale(ds[name])[1]
    words, symbol, unit, _ = PARAMETERS[name]
    return f"{words[:1].upper()}{words[1:]}, ${symbol}$ [{unit}]"


LOOKS = {
    faces.Regime.REST: ("0.92", "rest"),
    faces.Regime.SLIDE: (style.PALE_BLUE, "slide"),
    faces.Regime.ROCK: (style.DEEP_GREEN, "rock"),
    faces.Regime.SLIDE_ROCK: (style.ORANGE, "slide-rock"),
}
SHOWN = 3000  # runs drawn at most [1]
FINE = 400  # frictions at which the limits are drawn
ROOM = 1.15  # of the axes, beyond the strongest run
FAR = 10.0  # acceleration of the strongest run from which the axis is logarithmic, over that which tips


def has_regimes(ds: xr.Dataset) -> bool:
    """Whether a study has friction and shaking, and says what its body is."""
    return "peak_acceleration" in ds and bool(ds.attrs.get("config"))


@style.figure_of_runs()
def plot_regimes(ds: xr.Dataset, ax: Axes | None = None) -> Axes:
    """Draw which motion starts from rest, over friction and horizontal acceleration, and where runs fall.

    The regions are those of the direction in which the body tips most easily, the dashed lines border those
    of the direction in which it tips least easily (`mcrock.body.faces`). Uncertain sizes of the body have
    their medians.

    Parameters
    ----------
    ds : Dataset
        Study with friction, as `mcrock.ensemble.run_study` made it: with the attribute `config`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.

    Returns
    -------
    Axes
        Each run is a point at its friction and at the peak horizontal acceleration under the body; the axis
        of accelerations is logarithmic where the strongest is more than ten times what tips the body.

    Raises
    ------
    ValueError
        If the dataset does not fit, has no friction or does not say what the body is.
    """
    check_runs(ds)
    if not has_regimes(ds):
        raise ValueError(
            "a chart of slide and rock needs a study with friction and shaking: the variable "
            "'peak_acceleration', and the attribute 'config' with the body"
        )
    study = Study.from_json(ds.attrs["config"])
    body = study.body.at_medians()
    stands = body.vertices, body.faces, body.start_face
    directions = faces.extreme_directions(*stands, body.rim)
    both = faces.sections(body.mass, body.inertia, *stands, directions, body.rim)
    worst, mildest = (
        faces.Sections(both.reach[0, i], both.height[0, 0], both.gyration[0, i]) for i in (0, 1)
    )
    unit = float(body.gravity[0]) / STANDARD_GRAVITY  # of the axis of accelerations
    static, friction, peak = _runs(ds)
    right = ROOM * max(float(static.max()), 1.5 * float(mildest.tipping))
    top = ROOM * max(float(peak.max()) / STANDARD_GRAVITY, 2.0 * unit * float(mildest.tipping))
    ax = style.new_axes(height=80.0) if ax is None else ax
    _draw_regions(ax, worst, unit, right, top)
    _draw_limits(ax, mildest, unit, right, top, beyond=float(worst.tipping))
    look: dict[str, Any] = {"color": "0.15", "markersize": 1.8, "markeredgewidth": 0, "zorder": 3}
    ax.plot(static, peak / STANDARD_GRAVITY, "o", alpha=float(np.clip(60 / len(peak), 0.1, 0.8)), **look)
    ax.set(xlim=(0, right), ylim=(0, top))
    if top > FAR * unit * float(mildest.tipping):
        ax.set_ylim(min(float(peak.min()) / STANDARD_GRAVITY, unit * float(static.min())) / ROOM, top)
        style.log_axis(ax, "y")
    else:
        style.number_axis(ax, "y")
    same = bool((static == friction).all())
    ax.set_xlabel("Friction coefficient [1]" if same else "Static friction coefficient [1]")
    ax.set_ylabel("Horizontal acceleration [g]")
    style.number_axis(ax)
    style.legend_above(ax, 4, 0.0)
    found = faces.regime_from_rest(peak / body.gravity[0], friction, worst, static)
    shares = ", ".join(f"{name} {(found == regime).mean():.0%}" for regime, (_, name) in LOOKS.items())
    return style.add_note(
        ax,
        "Motion that starts from rest under a constant acceleration: areas for the direction in which the "
        "body tips most easily, dashed lines for that in which it tips least easily. "
        f"Points: {format_count(len(peak), 'run')} at their peak horizontal acceleration ({shares})."
        + ("" if same else " Slide-rock with too little friction in slip to tip the body counts as slide."),
    )


def _runs(ds: xr.Dataset) -> tuple[np.ndarray, ...]:
    """Static and sliding friction [1] and peak acceleration [m/s2] of the runs to draw, (n,) each.

    Realizations are independent of their number: the first ones stand for all.
    """
    ds = ds.isel(realization=np.isfinite(ds["contact_friction"].values))  # drawn: not in missing parts
    per_realization = 1 if is_cloud(ds) else ds.sizes["intensity"]
    ds = ds.isel(realization=slice(0, max(1, SHOWN // per_realization)))
    peak = ds["peak_acceleration"].values.reshape(ds.sizes["realization"], -1)
    both = (ds[name].values for name in ("contact_static_friction", "contact_friction"))
    static, friction = (np.repeat(values, peak.shape[1]) for values in both)
    return static, friction, peak.ravel()


def _curves(section: faces.Sections, unit: float, right: float, top: float) -> tuple[np.ndarray, ...]:
    """Frictions, and accelerations on the axis up to which the body rests and up to which it sticks."""
    mu = np.union1d(np.linspace(0, right, FINE), [section.tipping, np.nextafter(section.tipping, np.inf)])
    rest = unit * np.minimum(mu, section.tipping)
    return mu, rest, np.minimum(unit * faces.slide_rock_limit(mu, section), top)


def _draw_regions(ax: Axes, section: faces.Sections, unit: float, right: float, top: float) -> None:
    mu, rest, stick = _curves(section, unit, right, top)
    slides, ceiling = mu <= section.tipping, np.full_like(mu, top)
    bands = {
        faces.Regime.REST: (mu >= 0, np.zeros_like(mu), rest),
        faces.Regime.SLIDE: (slides, rest, ceiling),
        faces.Regime.ROCK: (~slides, rest, stick),
        faces.Regime.SLIDE_ROCK: (~slides, stick, ceiling),
    }
    for regime, (where, low, high) in bands.items():
        colour, name = LOOKS[regime]
        ax.fill_between(mu[where], low[where], high[where], color=colour, alpha=0.75, linewidth=0, label=name)


def _draw_limits(
    ax: Axes, section: faces.Sections, unit: float, right: float, top: float, beyond: float
) -> None:
    """Limits at frictions ``beyond`` which they differ from those of the regions."""
    mu, rest, stick = _curves(section, unit, right, top)
    look: dict[str, Any] = {"color": "0.25", "linewidth": 0.8, "linestyle": (0, (4, 2))}
    ax.plot(mu[mu >= beyond], rest[mu >= beyond], **look)
    ax.vlines(section.tipping, unit * section.tipping, top, **look)
    ax.plot(mu, np.where(stick < top, stick, np.nan), **look)
