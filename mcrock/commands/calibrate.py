"""The command `mcrock calibrate`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mcrock.commands import options
from mcrock.commands.exit_codes import say
from mcrock.commands.options import unpacked
from mcrock.commands.results import FigureOptions, print_result, save_figures, write_netcdf

if TYPE_CHECKING:
    from mcrock.statistics.labels.sequential import SamplingStage

app = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class WeightOptions:
    """How labels weigh the draws."""

    error_rate: options.ErrorRate = 0.05
    temper: options.Temper = None
    effective: Annotated[float, typer.Option(metavar="N", help="Effective draws that weights leave.")] = 10.0


@dataclass(frozen=True, kw_only=True)
class SequentialOptions:
    """Whether and how inputs are drawn again."""

    sequential: Annotated[
        bool, typer.Option("--sequential", help="Draw again where the labels point; one store only.")
    ] = False
    folder: Annotated[Path, typer.Option(metavar="DIR", help="Of the study file, for --sequential.")] = Path()
    workers: Annotated[int | None, typer.Option(help="Number of threads, for --sequential.")] = None


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
    again: SequentialOptions,
    level: options.Level = 0.9,
    results: LabelOutput,
    as_json: options.AsJson = False,
) -> None:
    """Weigh the unknown inputs of studies by what fell and what stood.

    Prints what the labels say of the inputs and of the probabilities of all
    studies, those without labels included: `mcrock docs validation`.
    """
    if again.sequential and len(stores) > 1:
        raise ValueError("--sequential runs one study again: give one store")
    from mcrock.dataset import load_dataset
    from mcrock.show.labels import format_labels, plot_labels
    from mcrock.statistics.labels import calibrate, calibrate_anew, read_labels

    seen = read_labels(labels)
    studies = [load_dataset(store) for store in stores]
    weigh: dict[str, Any] = {"error_rate": weights.error_rate, "level": level}
    if again.sequential:
        power = 1.0 if weights.temper is None else weights.temper
        weigh |= {"folder": again.folder, "temper": power, "workers": again.workers}
        found = calibrate_anew(studies[0], seen, progress=_say_stage, **weigh)
    else:
        weigh |= {"temper": weights.temper, "least_effective": weights.effective}
        found = calibrate(studies, seen, **weigh)
    paths = save_figures({"labels": lambda: plot_labels(found)}, results)
    if results.output is not None:
        paths.insert(0, results.output / "labels.nc")
        write_netcdf(paths[0], found)
    print_result(as_json, found, [format_labels(found, [store.name for store in stores]), *paths])


def _say_stage(stage: SamplingStage) -> None:
    say(f"power {stage.temper:.3g} of the likelihood, moves accepted {stage.accepted:.0%}")
