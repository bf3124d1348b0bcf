"""Overturning and rocking spectra of planar blocks: figures with all bands of amplitude, and tables."""

from __future__ import annotations

import textwrap
from itertools import pairwise, product
from math import inf

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection, QuadMesh
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from mcrock.base.params import STANDARD_GRAVITY, Outcome
from mcrock.show import style
from mcrock.show.text import format_count, format_range

MODES = {  # colour and words of bands, by the impacts before overturning
    0: (style.DEEP_BLUE, "overturns without impact"),
    1: (style.ORANGE, "after 1 impact"),
    2: (style.GREEN, "after 2 impacts"),
    3: (style.PINK, "after 3 or more"),
}
SEAM = 0.3  # line around areas, that no gap shows between neighbours [pt]
STANDS = -1  # in place of impacts
ALONG = {  # what does not depend on the size, which `where`, `sel` and `concat` of xarray put along it too
    "velocity_ratio": ("slenderness",),
    "uplift_acceleration": ("motion", "slenderness"),
    "uplift_amplitude": ("motion", "slenderness"),
    **dict.fromkeys(
        ("pulse_period", "duration", "peak_acceleration", "peak_vertical_acceleration"), ("motion",)
    ),
}
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

    Pieces that continue at both places have limits that are interpolated; the others taper to where they end.
    """
    limits, theirs = (np.array([0.0, *(piece[1] for piece in row)]) for row in (pieces, others))
    half = limits.copy()
    for (i, j), (k, m) in pairwise([*_continued(pieces, others), (len(pieces), len(others))]):
        ends = [row.mean() for row in (limits[i + 1 : k + 1], theirs[j + 1 : m + 1]) if row.size]
        half[i + 1 : k + 1] = limits[-1] if k == len(pieces) else np.mean(ends)
    return half[1:]


def _continued(pieces: list[Piece], others: list[Piece]) -> list[tuple[int, int]]:
    """Numbers of pieces of the same outcome that are one at both places, in rising order.

    One may have parts at the other place. Of all ways to pair them they share most of the amplitude.
    """
    n, m = len(pieces), len(others)
    together, shared = np.zeros((n, m)), np.full((n + 1, m + 1), -1.0)  # alone, and with those above
    for i, j in product(reversed(range(n)), reversed(range(m))):
        (low, high, mode), (least, most, other) = pieces[i], others[j]
        together[i, j] = max(min(high, most) - max(low, least), 0.0) * (mode == other)
        above = shared[i + 1, j + 1], shared[i + 1, j], shared[i, j + 1]
        shared[i, j] = together[i, j] + max(*above, 0.0)
    pairs, i, j = [(-1, -1)], 0, 0
    while i < n and j < m:
        if together[i, j]:
            pairs.append((i, j))
        steps = ((i + 1, j + 1), (i + 1, j), (i, j + 1))
        i, j = max(steps, key=lambda place: shared[place])
    return pairs


def cells(x: np.ndarray) -> np.ndarray:
    """Ends of the stretches around places, which reach half way to the next ones (n + 1,)."""
    first, last = (x[0], x[-1]) if len(x) > 1 else (0.95 * x[0], 1.05 * x[0])
    return np.array([first, *(0.5 * (x[1:] + x[:-1])), last])


LINES = (style.BLUE, style.ORANGE, style.GREEN, style.PURPLE, style.SKY, style.GREY)
PANELS = 6  # in one figure
SHARE_LEVELS = 200  # amplitudes of a map of shares
TITLE = {1: 60, 2: 46, 3: 30}  # letters in a line of a title, by the panels beside each other


@style.styled
def plot_overturning_spectrum(ds: xr.Dataset) -> Axes:
    """Draw the bands of amplitude in which blocks of every size overturn.

    Parameters
    ----------
    ds : Dataset
        From `mcrock.planar.overturning_spectrum`. Each motion and slenderness has a panel of its own;
        where that makes more than six, the panels are those of the slendernesses and show the share of
        the motions that overturn the block.

    Returns
    -------
    Axes
        The first panel.

    Raises
    ------
    ValueError
        If ``ds`` is not an overturning spectrum or has more than six slendernesses.
    """
    ds = _whole(ds, "an overturning spectrum", {"lower", "upper", "impacts", "uplift_amplitude"})
    _check_size(ds)
    axis = str(ds["lower"].dims[2])
    as_share = ds.sizes["motion"] * ds.sizes["slenderness"] > PANELS
    panels = [
        (motion, slenderness)
        for motion in range(1 if as_share else ds.sizes["motion"])
        for slenderness in range(ds.sizes["slenderness"])
    ]
    columns = 2 if len(panels) == 4 else min(len(panels), 3)
    lines = -(-len(panels) // columns)
    size = (style.COLUMN if columns == 1 else style.PAGE, 78.0 if lines == 1 else 26.0 + 56.0 * lines)
    figure = style.new_figure(*size)
    grid = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False)
    for ax, (motion, slenderness) in zip(grid.flat, panels, strict=False):
        if as_share:
            mesh = _draw_shares(ax, ds.isel(slenderness=slenderness), axis)
        else:
            draw_bands(ax, ds.isel(motion=motion, slenderness=slenderness), axis)
        if len(panels) > 1:
            words = _panel_title(ds, motion, slenderness, as_share)
            ax.set_title(textwrap.fill(words, TITLE[columns]))
    for ax in grid.flat[len(panels) :]:
        ax.remove()
    for ax in grid[:, 0]:
        ax.set_ylabel(r"Amplitude $a_\mathrm{p}\,/\,(g\,\tan\alpha)$ [1]")
    for ax in grid.flat[max(0, len(panels) - columns) : len(panels)]:
        ax.set_xlabel(_axis_label(axis))
        ax.xaxis.set_tick_params(labelbottom=True)
    first = grid[0, 0]
    first.set_ylim(0, ds.attrs["largest_amplitude"])
    style.number_axis(first)
    if as_share:
        figure.colorbar(mesh, ax=grid, label="Fraction of overturning motions [1]", pad=0.02)
    else:
        _add_legend(figure, ds)
    return style.add_note(first, _overturning_note(ds, axis, as_share))


@style.styled
def plot_rocking_spectrum(ds: xr.Dataset) -> Axes:
    """Draw the largest tilt of blocks of every size, and which of them overturn.

    Parameters
    ----------
    ds : Dataset
        From `mcrock.planar.rocking_spectrum`, with at most six slendernesses. Of several motions the
        single spectra are thin lines and the median is a thick one.

    Returns
    -------
    Axes
        Of the tilt, under the sizes that overturn (of several motions: the share that overturns them).

    Raises
    ------
    ValueError
        If ``ds`` is not a rocking spectrum or has more than six slendernesses.
    """
    ds = _whole(ds, "a rocking spectrum", {"peak_tilt_ratio", "period", "peak_acceleration"})
    _check_size(ds)
    period = ds["period"].values
    fallen = ds["outcome"].values == Outcome.OVERTURNED
    ratio = np.where(fallen, np.inf, ds["peak_tilt_ratio"].values)
    many = ds.sizes["motion"] > 1
    figure = style.new_figure(style.COLUMN, 92.0 if many else 84.0)
    above, ax = figure.subplots(2, 1, sharex=True, height_ratios=[1, 3 if many else 6])
    for place, slenderness in enumerate(ds["slenderness"].values):
        colour, stroke, label = LINES[place], style.STROKES[place], f"{np.degrees(slenderness):.3g}°"
        if many:
            above.plot(period, fallen[:, place].mean(0), color=colour, linestyle=stroke, linewidth=1.0)
            ax.plot(period, _without_falls(ratio[:, place]).T, color=colour, alpha=0.25, linewidth=0.4)
        else:
            ends = cells(period)
            spans = [(ends[i], ends[i + 1] - ends[i]) for i in np.flatnonzero(fallen[0, place])]
            above.broken_barh(spans, (-place - 0.8, 0.6), color=colour, linewidth=0)
        median = _without_falls(np.median(ratio[:, place], axis=0))
        ax.plot(period, median, color=colour, linestyle=stroke, label=label)
        known = np.pad(np.isfinite(median), 1)
        lone = known[1:-1] & ~known[:-2] & ~known[2:]
        ax.plot(period[lone], median[lone], ".", color=colour, markersize=3.0)  # has no line
    top = ratio[np.isfinite(ratio)].max(initial=1.0)
    ax.set_ylim(0, 1.05 * top)
    if not np.isfinite(ratio).any():
        words = "overturns at every size" if len(period) > 1 else "overturns"
        ax.text(0.5, 0.5, words, transform=ax.transAxes, color=style.GREY, ha="center", va="center")
    ax.axhline(1.0, color=style.GREY, linestyle=":", linewidth=0.8)
    if many:
        above.set_ylim(-0.05, 1.05)
        above.set_yticks([0, 1])
        above.set_ylabel("Overturned\nfraction\n[1]")
    else:
        above.set_ylim(-ds.sizes["slenderness"], 0)
        above.set_yticks([])
        above.spines[["left", "bottom"]].set_visible(False)
        above.tick_params(axis="x", length=0)
        above.set_ylabel("Over-\nturned", rotation=0, ha="right", va="center")
    ax.set_ylabel("Largest tilt / slenderness [1]")
    ax.set_xlabel(_axis_label("period"))
    ax.set_xlim(0, period[-1] if len(period) > 1 else 2 * period[0])
    style.number_axis(ax)
    figure.align_ylabels([above, ax])
    handles, labels = ax.get_legend_handles_labels()
    style.legend_above(above, 4, 0.0, handles=handles, labels=labels, title="slenderness", handlelength=1.8)
    return style.add_note(ax, _rocking_note(ds, many))


def _whole(ds: xr.Dataset, what: str, needed: set[str]) -> xr.Dataset:
    """A spectrum with all its dimensions, without the places that `where` left empty.

    Raises
    ------
    ValueError
        If the dataset is of another kind, lacks a coordinate, or is empty in places.
    """
    if missing := needed - set(ds.variables):
        raise ValueError(f"this is not {what}: it lacks {', '.join(sorted(missing))}")
    axis = "frequency_ratio" if "frequency_ratio" in ds.coords else "period"
    dims = ("motion", "slenderness", axis)
    for name in dims:
        if name not in ds.coords:
            raise ValueError(
                f"the spectrum lacks its coordinate {name}: select from it with ds.sel({name}=[...])"
            )
    ds = ds.expand_dims([name for name in dims if name not in ds.dims])
    ds = ds.transpose(*dims, ...)
    told = "impacts" if "impacts" in ds else "outcome"
    known = ds[told].notnull()
    known = known.any("band") if "band" in known.dims else known
    kept = {name: known.any([other for other in dims if other != name]).values for name in dims}
    ds, known = ds.isel(kept), known.isel(kept)
    if not known.size or not known.all():
        raise ValueError(
            f"the spectrum is empty in places: select whole values of {', '.join(dims)}, as in "
            f"ds.where(ds.{axis} > 3) or ds.sel({axis}=[...])"
        )
    ds = ds.assign({told: ds[told].fillna(-1).astype("i4")})
    for name in {*ALONG} & {*ds.data_vars}:
        more = set(dims) - set(ALONG[name])
        ds = ds.assign({name: ds[name].isel(dict.fromkeys(more, 0), missing_dims="ignore")})
    return ds


def _check_size(ds: xr.Dataset) -> None:
    """Refuse a spectrum that has too many slendernesses for one figure."""
    if ds.sizes["slenderness"] > PANELS:
        raise ValueError(
            f"{ds.sizes['slenderness']} slendernesses are too many for one figure, at most {PANELS}; "
            "select some with ds.isel(slenderness=[...])"
        )


def describe_scan(ds: xr.Dataset) -> str:
    """Results of the scan of an overturning spectrum, and of half of it."""
    limits, half = int(ds["limits"].sum()), int(ds["half_scan_limits"].sum())
    found = f"{limits} limit{'s' * (limits != 1)} found, of which a scan half as fine finds {half}"
    return f"{ds.attrs['scan']} amplitudes scanned at each size: {found if limits else 'no limit found'}"


def _without_falls(ratio: np.ndarray) -> np.ndarray:
    """Tilt ratios with gaps where the block overturned."""
    return np.where(np.isfinite(ratio), ratio, np.nan)


def _draw_shares(ax: Axes, ds: xr.Dataset, axis: str) -> QuadMesh:
    """Fraction of the motions that overturn the block, as a map over size and amplitude."""
    x = ds[axis].values
    ends = np.linspace(0, float(ds.attrs["largest_amplitude"]), SHARE_LEVELS + 1)
    amplitude = xr.DataArray(0.5 * (ends[1:] + ends[:-1]), dims="amplitude")
    inside = (ds["lower"] <= amplitude) & (amplitude < ds["upper"])
    share = inside.any("band").mean("motion").transpose("amplitude", axis).values
    ax.axhline(float(ds["uplift_amplitude"].min()), color=style.GREY, linestyle=":", linewidth=0.8)
    if len(x) == 1:
        ax.set_xlim(0, 2 * x[0])
    return ax.pcolormesh(cells(x), ends, share, cmap="Blues", vmin=0, vmax=1, rasterized=True)


def _add_legend(figure: Figure, ds: xr.Dataset) -> None:
    found = np.unique(np.minimum(ds["impacts"].values, max(MODES)))
    handles = [Patch(color=colour, label=words) for mode, (colour, words) in MODES.items() if mode in found]
    if handles:
        figure.legend(
            handles=handles,
            loc="outside upper left",
            ncols=2 if figure.get_size_inches()[0] / style.MILLIMETRE < style.PAGE else 4,
            handlelength=1.2,
            columnspacing=1.2,
        )


def _axis_label(axis: str) -> str:
    if axis == "frequency_ratio":
        return r"Frequency of the pulse $\omega_\mathrm{p}\,/\,p$ [1]"
    return r"Size of the block $2\pi/p$ [s]"


def _panel_title(ds: xr.Dataset, motion: int, slenderness: int, as_share: bool) -> str:
    words = [] if as_share or ds.sizes["motion"] == 1 else [str(ds["motion"].values[motion])]
    if ds.sizes["slenderness"] > 1:
        words.append(f"slenderness {np.degrees(ds['slenderness'].values[slenderness]):.3g}°")
    return ", ".join(words)


def _describe(ds: xr.Dataset, more: list[str]) -> str:
    """Motion, what ``more`` is said of it, slenderness and restitution in words."""
    names = [str(name) for name in ds["motion"].values]
    words = [names[0] if len(names) == 1 else f"{len(names)} motions", *more]
    if ds.sizes["slenderness"] == 1:
        words.append(f"slenderness {np.degrees(float(ds['slenderness'][0])):.3g}°")
    ratios = np.unique(ds["velocity_ratio"].values.round(4))
    r = f"r = {ratios[0]:g}" if len(ratios) == 1 else f"r = {ratios[0]:g} to {ratios[-1]:g}"
    law = str(ds.attrs["restitution"])
    words.append(r if law.replace(".", "").isdigit() else f"restitution {law}, {r}")
    text = ", ".join(words)
    if names[0].endswith(" pulse"):  # names of records stay as they are
        text = text[:1].upper() + text[1:]
    return style.plain_text(text)


def _describe_period(ds: xr.Dataset) -> list[str]:
    """Period of the pulse, where it is known."""
    periods = ds["pulse_period"].values
    periods = periods[np.isfinite(periods)]
    return [f"period {format_range(periods, '.3g')} s"] if len(periods) else []


def _describe_shaking(ds: xr.Dataset) -> list[str]:
    """Period and peaks of the motions, and the factor on records, if the dataset names one."""
    words = _describe_period(ds)
    if ds.attrs.get("scale", 1.0) != 1.0:
        words.append(f"scaled by {ds.attrs['scale']:g}")
    words.append(f"peak {format_range(ds['peak_acceleration'].values / STANDARD_GRAVITY, '.3g')} g")
    vertical = ds["peak_vertical_acceleration"].values / STANDARD_GRAVITY
    if vertical.any():
        words.append(f"vertical {format_range(vertical, '.3g')} g")
    return words


def _overturning_note(ds: xr.Dataset, axis: str, as_share: bool) -> str:
    described = _describe(ds, _describe_period(ds) if axis == "period" else [])
    if as_share:
        lines = "Dotted: lowest amplitude of rocking. Each size is drawn halfway to the next."
    else:
        lines = (
            "White: stands; dotted: onset of rocking. Between sizes limits are interpolated where a band "
            "continues, and it tapers where it does not."
        )
    undecided = int(ds["undecided"].sum())
    doubt = f" {format_count(undecided, 'run')} met a numerical limit." if undecided else ""
    return f"{described}. {lines} {describe_scan(ds)}.{doubt}"


def _rocking_note(ds: xr.Dataset, many: bool) -> str:
    lines = "Thick: median, thin: single motions. " if many else ""
    fallen = "A line ends where the block overturns." if not many else "Lines end where blocks overturn."
    described = _describe(ds, _describe_shaking(ds))
    return f"{described}. {lines}{fallen} A tilt above the slenderness (dotted) is not overturning."


Table = tuple[list[str], list[list[str]]]  # heads and rows

ROWS = 12  # of a printed table
BANDS = 4  # written out in a cell; of more the first two and the last


def overturning_table(ds: xr.Dataset) -> Table:
    """Bands of overturning at a few sizes, in words; of several motions their lowest amplitudes."""
    ds = _whole(ds, "an overturning spectrum", {"lower", "upper", "impacts"})
    axis = str(ds["lower"].dims[2])
    heads = ["omega_p/p" if axis == "frequency_ratio" else "2 pi/p [s]", "slenderness [deg]"]
    single = ds.sizes["motion"] == 1
    heads += ["overturns at (after impacts)"] if single else ["lowest of the motions", "median"]
    rows = []
    for j, slenderness in enumerate(np.degrees(ds["slenderness"].values)):
        for place in _places(ds, axis):
            part = ds.isel({axis: place, "slenderness": j})
            lowest = part["lower"].isel(band=0).fillna(np.inf).values
            words = (
                [_format_bands(part.isel(motion=0))]
                if single
                else [f"{value:.3g}".replace("inf", "none") for value in (lowest.min(), np.median(lowest))]
            )
            rows.append([f"{float(ds[axis][place]):.3g}", f"{slenderness:.3g}", *words])
    return heads, rows


def rocking_table(ds: xr.Dataset) -> Table:
    """Largest tilt over the slenderness at a few sizes; of several motions the median."""
    ds = _whole(ds, "a rocking spectrum", {"peak_tilt_ratio", "period"})
    slenderness = np.degrees(ds["slenderness"].values)
    rows = [
        [
            f"{float(ds['period'][place]):.3g}",
            *(_format_tilt(ds.isel(period=place, slenderness=j)) for j in range(len(slenderness))),
        ]
        for place in _places(ds, "period")
    ]
    return ["2 pi/p [s]", *(f"slenderness {angle:.3g} deg" for angle in slenderness)], rows


def _places(ds: xr.Dataset, axis: str) -> list[int]:
    """A few places along an axis, evenly spaced, with both ends."""
    return sorted({round(place) for place in np.linspace(0, ds.sizes[axis] - 1, ROWS).tolist()})


def _format_tilt(part: xr.Dataset) -> str:
    """Tilt ratio of the motions, or that the block overturns."""
    fallen = part["outcome"].values == Outcome.OVERTURNED
    tilt = np.where(fallen, np.inf, part["peak_tilt_ratio"].values)
    median = np.median(tilt)
    words = f"{median:.3f}" if np.isfinite(median) else "overturns"
    return words if len(tilt) == 1 else f"{words} ({fallen.sum()} of {len(tilt)} overturn)"


def _format_bands(part: xr.Dataset) -> str:
    """Bands as ranges with their impacts in brackets, the last one always."""
    bands = [
        band
        for band in zip(*(part[name].values.tolist() for name in ("lower", "upper", "impacts")), strict=True)
        if band[2] >= 0
    ]
    words = [_format_band(*band) for band in bands]
    if len(words) > BANDS:
        words = [*words[:2], f"{len(words) - 3} more", words[-1]]
    return ", ".join(words) or "stands"


def _format_band(lower: float, upper: float, impacts: int) -> str:
    """A band with as many digits as keep its ends apart.

    >>> _format_band(1.146021, 1.146138, 2), _format_band(3.66431, float("inf"), 0)
    ('1.1460-1.1461 (2)', 'above 3.664 (0)')
    """
    if upper == inf:
        return f"above {_digits(lower, 4)} ({impacts})"
    for number in range(4, 10):
        if _digits(lower, number) != _digits(upper, number):
            break
    return f"{_digits(lower, number)}-{_digits(upper, number)} ({impacts})"


def _digits(value: float, number: int) -> str:
    """A number of 0.1 to 1000 with some digits in all.

    >>> _digits(1.0, 4), _digits(12.3456, 4), _digits(0.98765, 4)
    ('1.000', '12.35', '0.9877')
    """
    return f"{value:#.{number}g}"
