"""Bands of amplitude that overturn blocks, as areas over their size."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection

from mcrock.show import style

MODES = {  # colour and words of bands, by the impacts before overturning
    0: (style.DEEP_BLUE, "overturns without impact"),
    1: (style.ORANGE, "after 1 impact"),
    2: (style.GREEN, "after 2 impacts"),
    3: (style.PINK, "after 3 or more"),
}
SEAM = 0.3  # line around areas, that no gap shows between neighbours [pt]
CLOSE = 0.15  # difference of neighbouring limits between which is interpolated, over the limit
STANDS = -1  # in place of impacts
Piece = tuple[float, float, int]  # lower and upper amplitude, impacts up to those told apart


def draw_bands(ax: Axes, ds: xr.Dataset, axis: str) -> None:
    """Bands of one motion and slenderness as areas."""
    x, ends = ds[axis].values, cells(ds[axis].values)
    columns = [
        _pieces(bands, float(ds.attrs["largest_amplitude"]))
        for bands in zip(*(ds[name].values for name in ("lower", "upper", "impacts")), strict=True)
    ]
    areas: dict[int, list[np.ndarray]] = {mode: [] for mode in MODES}
    for i, pieces in enumerate(columns):
        sides = (
            _limits_between(pieces, columns[i - 1] if i else pieces),
            [piece[1] for piece in pieces],
            _limits_between(pieces, columns[i + 1] if i + 1 < len(x) else pieces),
        )
        places = np.array([ends[i], x[i], ends[i + 1]])
        for number, (low, _, mode) in enumerate(pieces):
            if mode in areas:
                lower = [side[number - 1] if number else low for side in sides]
                upper = [side[number] for side in sides]
                outline = np.append(places, places[::-1]), np.append(lower, upper[::-1])
                areas[mode].append(np.column_stack(outline))
    for mode, (colour, _) in MODES.items():
        ax.add_collection(
            PolyCollection(areas[mode], facecolor=colour, edgecolor=colour, linewidth=SEAM), autolim=False
        )
    ax.axhline(float(ds["uplift_amplitude"]), color=style.GREY, linestyle=":", linewidth=0.8, zorder=0)
    ax.set_xlim(*((x[0], x[-1]) if len(x) > 1 else (0, 2 * x[0])))


def _pieces(bands: tuple[np.ndarray, ...], top: float) -> list[Piece]:
    """Bands and what is between them, from amplitude 0 to the top."""
    pieces: list[Piece] = []
    reached = 0.0
    for low, high, impacts in zip(*bands, strict=True):
        if impacts >= 0:
            if low > reached:
                pieces.append((reached, low, STANDS))
            reached = min(high, top)
            pieces.append((low, reached, min(int(impacts), max(MODES))))
    return [*pieces, (reached, top, STANDS)] if reached < top else pieces


def _limits_between(pieces: list[Piece], others: list[Piece]) -> np.ndarray:
    """Upper ends of pieces half way to the next place.

    From below and from above limits between the same two outcomes that are close to each other at both
    places are interpolated as long as they come; the others stay as they are up to half way.
    """
    limits, n = np.array([piece[1] for piece in pieces]), min(len(pieces), len(others)) - 1
    below = above = 0
    while below < n and _is_same(pieces, others, below):
        below += 1
    while above < n - below and _is_same(pieces, others, -2 - above):
        above += 1
    for number in (*range(below), *range(-1 - above, -1)):
        limits[number] = 0.5 * (limits[number] + others[number][1])
    return np.maximum.accumulate(limits)


def _is_same(pieces: list[Piece], others: list[Piece], number: int) -> bool:
    """Whether the upper end of a piece is that of its counterpart at the next place."""
    high, other = pieces[number][1], others[number][1]
    outcomes = [(row[number][2], row[number + 1][2]) for row in (pieces, others)]
    return outcomes[0] == outcomes[1] and abs(high - other) < CLOSE * min(high, other)


def cells(x: np.ndarray) -> np.ndarray:
    """Ends of the stretches around places, which reach half way to the next ones (n + 1,)."""
    first, last = (x[0], x[-1]) if len(x) > 1 else (0.95 * x[0], 1.05 * x[0])
    return np.array([first, *(0.5 * (x[1:] + x[:-1])), last])
