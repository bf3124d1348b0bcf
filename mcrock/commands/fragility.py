"""The command `mcrock fragility`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mcrock.base.units import plain_number
from mcrock.commands import options
from mcrock.commands.options import unpacked
from mcrock.commands.results import FigureOptions, opened_result, print_result, save_figures

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

    from mcrock.statistics.intervals import ConfidenceKeywords

app = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class CurveOptions:
    """Limit states and intensity measures whose curves are compared."""

    limit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Limit state of a response, in SI units, such as peak_displacement=0.05; repeatable; "
            "default: usual limits.",
        ),
    ] = None
    compare: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Intensity measure to compare, such as pgv, or sa=0.5 with a period; repeatable. Two make a "
            "surface.",
        ),
    ] = None

    @property
    def limits(self) -> list[tuple[str, float]] | None:
        """Responses and the numbers that they must not exceed; None for the usual ones."""
        return None if self.limit is None else [_limit(text) for text in self.limit]

    @property
    def measures(self) -> list[str | dict[str, str | float]]:
        """Intensity measures, as `mcrock.statistics.with_measures` takes them."""
        return [_measure(text) for text in self.compare or []]


@app.command()
@unpacked
def fragility(
    *,
    store: options.Store,
    curves: CurveOptions,
    level: options.Level = 0.95,
    measure: options.Measure = None,
    folder: options.Folder = Path(),
    figures: FigureOptions,
    as_json: options.AsJson = False,
    allow_incomplete: options.Incomplete = False,
) -> None:
    """Print fragility curves by ways of fitting, limit states and intensity measures.

    Which curve to take: `mcrock docs fragility`.
    """
    limits, asked = curves.limits, curves.measures
    from mcrock.excitation.motion import MotionError
    from mcrock.show.curves import format_limits, format_ways, plot_limits, plot_ways
    from mcrock.show.measures import format_sufficiency
    from mcrock.show.progress import reading_progress
    from mcrock.show.risk import plot_baselines
    from mcrock.show.text import missing_chunks
    from mcrock.statistics import fragility_by_limit, fragility_by_way, measure_sufficiency, with_measures
    from mcrock.statistics.intervals import Bootstrap, Confidence
    from mcrock.statistics.measures import has_records
    from mcrock.statistics.standards import baselines, without_rules
    from mcrock.study import ConfigError

    how = Bootstrap(level=level, allow_missing=allow_incomplete).keywords
    with opened_result(store, incomplete=allow_incomplete, measure=measure) as ds, reading_progress():
        try:
            found = {"ways": fragility_by_way(ds, folder=folder, **how)}
        except ConfigError as error:
            raise ValueError(f"{error}\n{store}: give the folder of the study file with --folder") from None
        found["limits"] = fragility_by_limit(ds, limits, **how)
        lines = [*format_ways(found["ways"]), "", *format_limits(found["limits"])]
        draw: dict[str, Callable[[], Axes]] = {
            "fragility_ways": lambda: plot_ways(ds, folder=folder, found=found["ways"], **how),
            "fragility_limits": lambda: plot_limits(ds, limits, found=found["limits"], **how),
        }
        if why := without_rules(ds):
            lines += ["", why]
        elif figures.output is not None:
            try:
                rules = baselines(ds, folder=folder, **how)
                draw["baselines"] = lambda: plot_baselines(ds, folder=folder, found=rules, **how)
            except MotionError as error:  # motions that do not shake along the ground
                lines += ["", f"no rules of thumb: {error}"]
        if asked:
            runs = with_measures(ds, asked, folder=folder)
            if has_records(ds) and "peak_tilt_ratio" in ds:
                how_sure = Confidence(level=level, allow_missing=allow_incomplete).keywords
                found["sufficiency"] = measure_sufficiency(ds, asked, folder=folder, **how_sure)
            for name, (table, words, figure) in _by_measures(runs, asked, how).items():
                found[name], draw[f"fragility_{name}"] = table, figure
                lines += ["", *words]
            lines += ["", *format_sufficiency(found["sufficiency"])] if "sufficiency" in found else []
        paths = save_figures(draw, figures, ds.attrs)
    print_result(as_json, found, [*missing_chunks(ds), *lines, *paths])


def _by_measures(
    runs: xr.Dataset, asked: list[Any], how: ConfidenceKeywords
) -> dict[str, tuple[xr.Dataset, list[str], Callable[[], Axes]]]:
    """Comparison of measures, and of two a surface, by name: result, text and figure."""
    from mcrock.show.measures import format_measures, format_surface, plot_measures, plot_surface
    from mcrock.statistics import compare_measures, fit_surface
    from mcrock.statistics.measures import measure_name

    measures, names = compare_measures(runs, **how), [measure_name(item) for item in asked]
    words = ["Fragility by intensity measures", *format_measures(measures)]
    found = {"measures": (measures, words, lambda: plot_measures(runs, found=measures, **how))}
    if len(asked) == 2:
        surface = fit_surface(runs, names, **how)
        words = format_surface(surface)
        found["surface"] = (surface, words, lambda: plot_surface(runs, names, found=surface, **how))
    return found


def _limit(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name.strip(), plain_number(value)
    except ValueError:
        raise ValueError(f"--limit: expected NAME=VALUE, as in peak_tilt_ratio=0.5, got {text!r}") from None


def _measure(text: str) -> str | dict[str, str | float]:
    name, is_given, period = text.partition("=")
    try:
        return {"measure": name.strip(), "period": plain_number(period)} if is_given else name
    except ValueError:
        raise ValueError(f"--compare: expected NAME or NAME=PERIOD [s], as in sa=0.5, got {text!r}") from None
