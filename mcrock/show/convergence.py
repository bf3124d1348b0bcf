"""What more realizations and shorter steps would change: text and figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import xarray as xr

from mcrock.base.keywords import takes
from mcrock.dataset.opened import takes_path
from mcrock.show import style
from mcrock.show.numbers import count_words, format_count, label, percent
from mcrock.statistics import overturning_probability, size_convergence
from mcrock.statistics.intervals import Confidence, ConfidenceKeywords
from mcrock.statistics.runs import is_shaken

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CURVES, TICKS = 5, 5
SURE = 0.02  # from 0 or 1 at which there is nothing to see


def format_sizes(sizes: xr.Dataset, by_intensity: bool) -> list[str]:
    """A line on what more realizations would change; none where there is nothing to compare."""
    change = sizes["change"].fillna(0.0).values
    if sizes.sizes["size"] < 2:
        return []
    worst, axis = int(abs(change).argmax()), sizes["intensity"]
    place = f" (at {label(axis[worst])})" if by_intensity and change[worst] else ""
    return [
        f"from the first half of the realizations to all of them the probability changes by at most "
        f"{abs(change[worst]):.3f}{place}"
    ]


def format_steps(steps: xr.Dataset | None) -> str:
    """Effect of halving the time step."""
    if steps is None:
        return "what shorter time steps change, the program behind these outcomes has to tell"
    if not steps["repeated"]:
        return "no run was repeated at half the time step: raise controls.recheck to see what it does"
    return (
        f"{format_count(int(steps['repeated']), 'run')} repeated at half the time step: "
        f"{int(steps['flipped'])} ended differently, the overturned fraction changed by "
        f"{float(steps['change']):+.4f}"
    )


def format_looks(found: xr.Dataset, realizations: int) -> str:
    """What a study that stopped by itself knows: lines on `mcrock.statistics.sequential_probability`."""
    low, high = found["interval"].values
    widest = int((high - low).argmax())
    lines = [
        f"after {format_count(realizations, 'realization')} the probabilities in these motions are known to "
        f"+-{(high - low)[widest] / 2:.3g} or better (widest at {label(found['intensity'][widest])}: "
        f"{low[widest]:.3f} to {high[widest]:.3f}), with {percent(found)} confidence at all looks together"
    ]
    if found.attrs["shared"]:
        lines.append(
            f"for other earthquakes {format_count(int(found['records']), 'recording')} leave open what the "
            "table above says, and more realizations do not narrow it"
        )
    return "\n".join(lines)


@takes_path
@style.styled
@takes(Confidence)
def plot_convergence(ds: xr.Dataset, ax: Axes | None = None, **keywords: Unpack[ConfidenceKeywords]) -> Axes:
    """Draw the probability of overturning from the first realizations, more and more of them.

    Parameters
    ----------
    ds : Dataset
        Study, as for `mcrock.statistics.size_convergence`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    **keywords
        As for `mcrock.overturning_probability`, whose intervals stand at the end.

    Returns
    -------
    Axes
        A curve for each intensity, of at most five whose probability is least sure.

    Raises
    ------
    ValueError
        As `mcrock.statistics.size_convergence`.
    """
    how = Confidence(**keywords)
    found = size_convergence(ds, allow_missing=how.allow_missing)
    points = overturning_probability(ds, **how.keywords)
    last = points["probability"].values
    least = sorted(np.argsort(np.abs(np.nan_to_num(last) - 0.5), kind="stable")[:CURVES].tolist())
    unsure = [k for k in least if SURE < last[k] < 1 - SURE] or least[:1]
    worst = float(np.nanmax(np.abs(found["change"].values)))
    found, points = found.isel(intensity=unsure), points.isel(intensity=unsure)
    ax = style.new_axes() if ax is None else ax
    factor, words = style.axis_scale(found["intensity"])
    names = style.short_numbers(found["intensity"].values * factor)
    sizes = found["size"].values
    apart = (sizes[-1] / sizes[0]) ** 0.03 if len(sizes) > 1 else 1.1
    import seaborn as sns

    colours = sns.color_palette("viridis", len(unsure))
    for k, (name, colour) in enumerate(zip(names, colours, strict=True)):
        one, mark = points.isel(intensity=[k]), style.MARKERS[k]
        look: dict[str, Any] = {"color": colour, "marker": mark, "markersize": 2.6}
        ax.plot(sizes, found["probability"].values[:, k], label=name, **look)
        x, p = np.array([sizes[-1] * apart ** (1 + k)]), one["probability"].values
        style.error_bars(ax, x, p, one["interval"].values, fmt=mark, markersize=3.0, color=colour)
    ax.set_xscale("log")
    ax.set_xlabel("Number of realizations [1]")
    wanted = np.geomspace(sizes[0], sizes[-1], TICKS)
    ticks = np.unique(sizes[np.abs(np.log(sizes) - np.log(wanted)[:, None]).argmin(axis=1)])
    ax.set_xticks(ticks, [str(tick) for tick in ticks])
    ax.set_xticks([], minor=True)
    style.probability_axis(ax, "Probability of overturning [1]")
    style.legend_of_levels(ax, words if is_shaken(ds) else "", len(unsure))
    style.add_note(
        ax,
        f"{count_words(points, int(points['runs'].sum()))}. From the first half of the realizations to all "
        f"of them the probability changes by at most {worst:.3f}. Bars: {how.level:.0%} intervals for new "
        "ground motions.",
    )
    return ax
