"""Chart of the motions that start from rest over friction and acceleration, with the runs of a study."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.body.regimes import (
    Regime,
    Sections,
    extreme_directions,
    regime_from_rest,
    sections,
    slide_rock_limit,
)
from mcrock.dataset.opened import takes_path
from mcrock.show import style
from mcrock.show.numbers import format_count
from mcrock.statistics.runs import check_runs, is_cloud
from mcrock.study import Study

LOOKS = {
    Regime.REST: ("0.92", "rest"),
    Regime.SLIDE: (style.PALE_BLUE, "slide"),
    Regime.ROCK: (style.DEEP_GREEN, "rock"),
    Regime.SLIDE_ROCK: (style.ORANGE, "slide-rock"),
}
SHOWN = 3000  # runs drawn at most [1]
FINE = 400  # frictions at which the limits are drawn
ROOM = 1.15  # of the axes, beyond the strongest run
FAR = 10.0  # acceleration of the strongest run from which the axis is logarithmic, over that which tips


def has_regimes(ds: xr.Dataset) -> bool:
    """Whether a study has friction and shaking, and says what its body is."""
    return "peak_acceleration" in ds and bool(ds.attrs.get("config"))


@takes_path
@style.styled
def plot_regimes(ds: xr.Dataset, ax: Axes | None = None) -> Axes:
    """Draw which motion starts from rest, over friction and horizontal acceleration, and where runs fall.

    The regions are those of the direction in which the body tips most easily, the dashed lines border those
    of the direction in which it tips least easily (`mcrock.body.regimes`). Uncertain sizes of the body have
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
    directions = extreme_directions(body.vertices, body.faces, body.start_face)
    both = sections(body.mass, body.inertia, body.vertices, body.faces, body.start_face, directions)
    worst, mildest = (Sections(both.reach[0, i], both.height[0, 0], both.gyration[0, i]) for i in (0, 1))
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
    found = regime_from_rest(peak / body.gravity[0], friction, worst, static)
    shares = ", ".join(f"{name} {(found == regime).mean():.0%}" for regime, (_, name) in LOOKS.items())
    style.add_note(
        ax,
        "Motion that starts from rest under a constant acceleration: areas for the direction in which the "
        "body tips most easily, dashed lines for that in which it tips least easily. "
        f"Points: {format_count(len(peak), 'run')} at their peak horizontal acceleration ({shares})."
        + ("" if same else " Slide-rock with too little friction in slip to tip the body counts as slide."),
    )
    return ax


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


def _curves(section: Sections, unit: float, right: float, top: float) -> tuple[np.ndarray, ...]:
    """Frictions, and accelerations on the axis up to which the body rests and up to which it sticks."""
    mu = np.union1d(np.linspace(0, right, FINE), [section.tipping, np.nextafter(section.tipping, np.inf)])
    rest = unit * np.minimum(mu, section.tipping)
    return mu, rest, np.minimum(unit * slide_rock_limit(mu, section), top)


def _draw_regions(ax: Axes, section: Sections, unit: float, right: float, top: float) -> None:
    mu, rest, stick = _curves(section, unit, right, top)
    slides, ceiling = mu <= section.tipping, np.full_like(mu, top)
    bands = {
        Regime.REST: (mu >= 0, np.zeros_like(mu), rest),
        Regime.SLIDE: (slides, rest, ceiling),
        Regime.ROCK: (~slides, rest, stick),
        Regime.SLIDE_ROCK: (~slides, stick, ceiling),
    }
    for regime, (where, low, high) in bands.items():
        colour, name = LOOKS[regime]
        ax.fill_between(mu[where], low[where], high[where], color=colour, alpha=0.75, linewidth=0, label=name)


def _draw_limits(ax: Axes, section: Sections, unit: float, right: float, top: float, beyond: float) -> None:
    """Limits at frictions ``beyond`` which they differ from those of the regions."""
    mu, rest, stick = _curves(section, unit, right, top)
    look: dict[str, Any] = {"color": "0.25", "linewidth": 0.8, "linestyle": (0, (4, 2))}
    ax.plot(mu[mu >= beyond], rest[mu >= beyond], **look)
    ax.vlines(section.tipping, unit * section.tipping, top, **look)
    ax.plot(mu, np.where(stick < top, stick, np.nan), **look)
