"""The command `mcrock calibrate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mcrock.commands import options
from mcrock.commands.exit_codes import say
from mcrock.commands.options import check_figure
from mcrock.commands.results import print_json, save_figures, write_netcdf

if TYPE_CHECKING:
    from mcrock.labels.sequential import SamplingStage

app = typer.Typer()


@app.command()
def calibrate(
    labels: Annotated[
        Path, typer.Argument(metavar="LABELS.csv", help="What fell and what stood.", show_default=False)
    ],
    stores: Annotated[
        list[Path],
        typer.Argument(metavar="STORE", help="Nested studies of the same draws.", show_default=False),
    ],
    error_rate: Annotated[float, typer.Option(help="How often a label and the model disagree [1].")] = 0.05,
    temper: Annotated[
        float | None, typer.Option(help="Power of the likelihood; default: as large as draws allow.")
    ] = None,
    effective: Annotated[
        float, typer.Option(metavar="N", help="Effective draws that weights must leave.")
    ] = 10.0,
    sequential: Annotated[
        bool, typer.Option("--sequential", help="Draw again where the labels point; one store only.")
    ] = False,
    folder: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder of the study file, for --sequential.")
    ] = Path(),
    workers: Annotated[int | None, typer.Option(help="Number of threads, for --sequential.")] = None,
    level: options.Level = 0.9,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Folder for labels.nc and figure; default: none."),
    ] = None,
    format: options.FigureFormat = "png",
    as_json: options.AsJson = False,
) -> None:
    """Weigh the unknown inputs of studies by what fell and what stood.

    Prints what the labels say of the inputs and of the probabilities of all
    studies, those without labels included: `mcrock docs validation`.
    """
    check_figure(output, format)
    if sequential and len(stores) > 1:
        raise ValueError("--sequential runs one study again: give one store")
    from mcrock.dataset import load_dataset
    from mcrock.labels import calibrate, calibrate_anew, read_labels
    from mcrock.show.labels import format_labels, plot_labels

    seen = read_labels(labels)
    studies = [load_dataset(store) for store in stores]
    weigh: dict[str, Any] = {"error_rate": error_rate, "level": level}
    if sequential:
        weigh |= {"folder": folder, "temper": 1.0 if temper is None else temper, "workers": workers}
        found = calibrate_anew(studies[0], seen, progress=_say_stage, **weigh)
    else:
        found = calibrate(studies, seen, temper=temper, least_effective=effective, **weigh)
    paths = save_figures({"labels": lambda: plot_labels(found)}, output, format, {})
    if output is not None:
        write_netcdf(output / "labels.nc", found)
        paths.insert(0, output / "labels.nc")
    if as_json:
        print_json(found)
    else:
        print(format_labels(found, [store.name for store in stores]), *paths, sep="\n")


def _say_stage(stage: SamplingStage) -> None:
    say(f"power {stage.temper:.3g} of the likelihood, moves accepted {stage.accepted:.0%}")
