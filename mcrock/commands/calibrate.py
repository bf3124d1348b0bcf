"""The command `mcrock calibrate`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from mcrock.commands import options
from mcrock.commands.options import unpacked
from mcrock.commands.results import FigureOptions, print_result, save_figures, write_netcdf

app = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class WeightOptions:
    """How labels weigh the draws."""

    error_rate: options.ErrorRate = 0.05
    temper: options.Temper = None
    effective: Annotated[float, typer.Option(metavar="N", help="Effective draws that weights leave.")] = 10.0


@dataclass(frozen=True, kw_only=True)
class LabelOutput(FigureOptions):
    """Folder of the results."""

    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Folder for labels.nc and figure; default: none."),
    ] = None


@app.command()
@unpacked
def calibrate(
    *,
    labels: Annotated[
        Path, typer.Argument(metavar="LABELS.csv", help="What fell and what stood.", show_default=False)
    ],
    stores: Annotated[
        list[Path],
        typer.Argument(metavar="STORE", help="Nested studies of the same draws.", show_default=False),
    ],
    weights: WeightOptions,
    level: options.Level = 0.9,
    results: LabelOutput,
    as_json: options.AsJson = False,
) -> None:
    """Weigh the unknown inputs of studies by what fell and what stood.

    Prints what the labels say of the inputs and of the probabilities of all
    studies, those without labels included: `mcrock docs validation`.
    """
    from mcrock.dataset import load_dataset
    from mcrock.show.validation import format_labels, plot_labels
    from mcrock.statistics.labels import calibrate, read_labels

    seen = read_labels(labels)
    studies = [load_dataset(store) for store in stores]
    found = calibrate(
        studies,
        seen,
        error_rate=weights.error_rate,
        temper=weights.temper,
        least_effective=weights.effective,
        level=level,
    )
    paths = save_figures({"labels": lambda: plot_labels(found)}, results)
    if results.output is not None:
        paths.insert(0, results.output / "labels.nc")
        write_netcdf(paths[0], found)
    print_result(as_json, found, [format_labels(found, [store.name for store in stores]), *paths])
