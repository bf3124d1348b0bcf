"""A set of recordings for a site: how well it matches, its list, figure and files."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.dataset import replacing
from mcrock.excitation.motion import Motion
from mcrock.excitation.selection import BY_LEVEL, UNKNOWN, Candidates, Selection, Target
from mcrock.show import style
from mcrock.show.numbers import format_count
from mcrock.show.tables import format_table

LEVELS = (
    "levels = [1.0]  # the records are scaled. For a fragility curve or a hazard scale them on: take in the\n"
    '# place of both lines measure = "pga" and levels_g = [0.2, 0.4, 0.8], or what the hazard is of\n'
)
HEADS = ("record", "event", "magnitude", "distance [km]", "Vs30 [m/s]", "factor", "error [1]")


def format_selection(candidates: Candidates, target: Target, found: Selection) -> list[str]:
    """How far mean and standard deviation are from the target, and the list with its factors."""
    mean, std = found.log_mean - target.log_mean, found.log_std - target.log_std
    i, j = (int(np.abs(off).argmax()) for off in (mean, std))
    n, events = len(candidates.names), [candidates.events[place] for place in found.places]
    known = [event for event in events if not event.startswith(UNKNOWN)]
    quakes, unknown = format_count(len(set(known)), "earthquake"), len(events) - len(known)
    lines = [
        f"{len(found.places)} of {found.allowed} recordings within the limits, of {n}",
        f"from {quakes}" + f", and {unknown} that name none" * bool(unknown),
        f"median over that of the target: {np.exp(mean.min()):.3f} to {np.exp(mean.max()):.3f}, farthest at "
        f"{target.periods[i]:g} s",
        f"standard deviation less that of the target: {std.min():+.3f} to {std.max():+.3f}, farthest at "
        f"{target.periods[j]:g} s",
    ]
    return [*lines, format_table(HEADS, _rows(candidates, target, found), left=True)]


def _rows(candidates: Candidates, target: Target, found: Selection) -> list[list[str]]:
    rows = []
    for place, factor in zip(found.places, found.factors, strict=True):
        facts = [candidates.facts[name][place] / unit for name, unit in BY_LEVEL.items()]
        off = candidates.log_spectra[place] + np.log(factor) - target.log_mean
        shown = ["-" if np.isnan(value) else f"{value:.4g}" for value in facts]
        name, event = candidates.names[place], _event(candidates, place) or "-"
        rows.append([name, event, *shown, f"{factor:.3f}", f"{np.sqrt((off**2).mean()):.2f}"])
    return rows


def _event(candidates: Candidates, place: int) -> str:
    """Earthquake of a recording; empty where it says none."""
    event = candidates.events[place]
    return "" if event.startswith(UNKNOWN) else event


def write_selection(
    folder: Path, candidates: Candidates, found: Selection, motions: Sequence[Motion]
) -> list[Path]:
    """Write the list, and of recordings that were read the scaled ones with a table [motion] that reads them.

    Parameters
    ----------
    folder : Path
    candidates, found
    motions : sequence of Motion
        That the candidates are of; empty for those of a flat file.
    """
    paths = [folder / "selection.csv"]
    with replacing(paths[0]) as scratch, scratch.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["record", "event", "factor"])
        for place, factor in zip(found.places, found.factors, strict=True):
            table.writerow([candidates.names[place], _event(candidates, place), f"{factor:.6g}"])
    if not motions:
        return paths
    (folder / "records").mkdir(exist_ok=True)
    for number, (place, factor) in enumerate(zip(found.places, found.factors, strict=True), start=1):
        motion = motions[place].scaled(float(factor))
        axes = [axis for axis, is_there in zip("xyz", motion.shaken, strict=True) if is_there]
        rows = np.column_stack([motion.time, *(motion.acceleration["xyz".index(axis)] for axis in axes)])
        name = re.sub(r"[^\w.-]+", "_", motion.name).strip("_.")[:60]
        with replacing(folder / "records" / f"{number:03d}_{name}.csv") as scratch:
            np.savetxt(scratch, rows, "%.8g", ",", header=",".join(["time", *axes]), comments="")
    paths.append(folder / "motion.toml")
    text = (
        '[motion]\nsource = "files"\npaths = ["records"]\nunit = "m/s2"\n\n[intensity]\nmeasure = "factor"\n'
    )
    with replacing(paths[1]) as scratch:
        scratch.write_text(text + LEVELS, encoding="utf-8")
    return paths


@style.styled
def plot_selection(candidates: Candidates, target: Target, found: Selection) -> Axes:
    """Spectra of the recordings chosen, with median and 2.5 to 97.5 % of set and target."""
    ax = style.new_axes(style.COLUMN, 70.0)
    logs = candidates.log_spectra[found.places] + np.log(found.factors)[:, None]
    t = target.periods
    ax.loglog(t, np.exp(logs.T) / STANDARD_GRAVITY, color=style.GREY, lw=0.4)
    for mean, std, colour, words in (
        (target.log_mean, target.log_std, style.ORANGE, "target"),
        (found.log_mean, found.log_std, style.BLUE, f"{len(found.places)} recordings"),
    ):
        ax.loglog(t, np.exp(mean) / STANDARD_GRAVITY, color=colour, lw=1.4, label=words)
        for sign in (-1.96, 1.96):
            ax.loglog(t, np.exp(mean + sign * std) / STANDARD_GRAVITY, color=colour, lw=0.9, ls="--")
    ax.set_xlabel("Period [s]")
    ax.set_ylabel("Pseudo-acceleration, 5 % damping [g]")
    ax.legend()
    style.add_note(
        ax, "Solid: medians; dashed: 2.5 and 97.5 % of a lognormal spread; grey: recordings, scaled."
    )
    return ax
