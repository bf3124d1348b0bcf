"""Map of overturning over two impact parameters."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from numpy.typing import NDArray

from mcrock.plots.style import add_note, axis_scale, new_axes, run_words, styled
from mcrock.statistics import overturned, overturning_probability, undecided
from mcrock.statistics.runs import check_runs, is_cloud

FEW = 10  # runs in a cell below which its share is not shown
TYPICAL = 25  # runs wanted in a cell
PARAMETERS = ("impact_lambda_lon", "impact_lambda", "impact_lambda_lat", "impact_tau", "impact_tau_facet")


def varying_parameters(ds: xr.Dataset) -> list[str]:
    """Impact parameters that differ from realization to realization, the most telling first."""
    found = []
    for name in PARAMETERS:
        if name in ds and ds[name].dims == ("realization",):
            values = ds[name].values
            values = values[np.isfinite(values)]
            if values.size and np.ptp(values) > 0:
                found.append(name)
    return found


@styled
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
    """Draw the share of overturned runs over two impact parameters.

    Parameters
    ----------
    ds : Dataset
        Study with the variables `x` and `y` on (realization).
    x, y : str
        Impact parameters drawn once for each run, such as `impact_lambda` [1].
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    intensity : float, optional
        Intensity of the runs [unit of the intensity], the nearest of the study; by default that at
        which the share of overturned runs is nearest to one half. A cloud shows all its runs.
    bins : int, optional
        Cells along each axis; by default as many as leave about 25 runs in each, 3 to 8.
    allow_missing : bool
        Leave out runs that have not been run, rather than refuse.

    Returns
    -------
    Axes
        With a colour bar; cells with fewer than 10 runs are hatched.

    Raises
    ------
    ValueError
        If the dataset does not fit, holds runs not yet run, or a parameter is missing, is drawn anew
        at every impact or does not vary.
    """
    check_runs(ds)
    for name in (x, y):
        if name not in varying_parameters(ds):
            raise ValueError(
                f"{name!r} does not vary from run to run in this study (fixed, or drawn at every impact); "
                f"these do: {', '.join(varying_parameters(ds)) or 'none'}"
            )
    points = overturning_probability(ds, allow_missing=allow_missing)
    if is_cloud(ds):
        part, where = ds, "at all intensities"
    else:
        if intensity is None:
            distance = np.abs(points["probability"].values - 0.5)
            equal = np.flatnonzero(distance == np.nanmin(distance))
            below = equal[points["probability"].values[equal] < 0.5]
            chosen = int(below[-1] if below.size else equal[0])
        else:
            chosen = int(np.argmin(np.abs(points["intensity"].values - intensity)))
        part = ds.isel(intensity=chosen)
        factor, label = axis_scale(points["intensity"])
        name, units = label.rstrip("]").rsplit(" [", 1)
        value = f"{float(points['intensity'][chosen]) * factor:.3g}" + f" {units}" * (units != "1")
        where = f"at {name[:1].lower() + name[1:]} {value}"
    there = (part["outcome"] != 0).values & np.isfinite(part[x].values) & np.isfinite(part[y].values)
    fell, doubt = overturned(part).values[there], undecided(part).values[there]
    number = bins or int(np.clip(np.sqrt(there.sum() / TYPICAL), 3, 8))
    edges = [np.linspace(*_limits(part[name].values[there]), number + 1) for name in (x, y)]
    cells = [
        np.histogram2d(part[x].values[there], part[y].values[there], bins=edges, weights=weight)[0].T
        for weight in (np.ones(there.sum()), fell + doubt / 2)
    ]
    runs, share = cells[0], cells[1] / np.maximum(cells[0], 1)

    ax = new_axes(height=74.0) if ax is None else ax
    few = runs < FEW
    mesh = ax.pcolormesh(*edges, np.ma.masked_array(share, few), cmap="cividis", vmin=0, vmax=1)
    if few.any():
        _hatch(ax, edges, few)
    bar = ax.get_figure(root=True).colorbar(mesh, ax=ax, pad=0.03)
    bar.set_label("Share of runs overturned [1]")
    bar.outline.set_visible(False)
    if number <= 6:
        _write_shares(ax, edges, share, few)
    ax.set_xlabel(_symbol_label(ds, x))
    ax.set_ylabel(_symbol_label(ds, y))
    note = f"{run_words(there.sum())} {where}, {int(fell.sum())} overturned"
    if doubt.any():
        note += f", {int(doubt.sum())} undecided (each counts half)"
    typical = max(int(np.median(runs)), 1)
    note += (
        f". About {typical} runs in a cell: a share near 0.5 is sure to ±{1 / np.sqrt(typical):.2g} at best"
    )
    note += f"; hatched: fewer than {FEW} runs." if few.any() else "."
    add_note(ax, note)
    return ax


def _limits(values: NDArray) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def _symbol_label(ds: xr.Dataset, name: str) -> str:
    symbols = {
        "impact_lambda": r"Edge impact, $\lambda$ [1]",
        "impact_lambda_lon": r"Facet impact, $\lambda_\mathrm{lon}$ [1]",
        "impact_lambda_lat": r"Facet impact, $\lambda_\mathrm{lat}$ [1]",
        "impact_tau": r"Edge impact, $\tau$ [N m s]",
        "impact_tau_facet": r"Facet impact, $\tau$ [N m s]",
    }
    return symbols.get(name) or axis_scale(ds[name])[1]


def _hatch(ax: Axes, edges: list[NDArray], few: NDArray) -> None:
    for row, column in np.argwhere(few):
        ax.fill(
            edges[0][[column, column + 1, column + 1, column]],
            edges[1][[row, row, row + 1, row + 1]],
            facecolor="0.95",
            edgecolor="0.7",
            hatch="////",
            linewidth=0,
        )


def _write_shares(ax: Axes, edges: list[NDArray], share: NDArray, few: NDArray) -> None:
    middle = [(edge[1:] + edge[:-1]) / 2 for edge in edges]
    for row, column in np.argwhere(~few):
        value = share[row, column]
        colour = "black" if value > 0.5 else "white"
        ax.text(
            middle[0][column], middle[1][row], f"{value:.2f}", color=colour, ha="center", va="center", size=7
        )
