"""The command `mcrock calibrate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from mcrock.commands.options import FigureFormat, check_figure

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
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.9,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Folder for labels.nc and figure; default: none."),
    ] = None,
    format: FigureFormat = "png",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Weigh the unknown inputs of studies by what fell and what stood.

    Prints what the labels say of the inputs and of the probabilities of all
    studies, those without labels included: `mcrock docs validation`.
    """
    if output is not None:
        check_figure(output, format)
    if sequential and len(stores) > 1:
        raise ValueError("--sequential runs one study again: give one store")
    import matplotlib

    matplotlib.use("Agg")
    from mcrock.dataset import explained, load_dataset
    from mcrock.labels import calibrate, read_labels
    from mcrock.show.json_values import dataset_as_json
    from mcrock.show.labels import plot_labels
    from mcrock.show.labels_text import format_labels
    from mcrock.show.style import save_figure

    seen = read_labels(labels)
    studies = [load_dataset(store) for store in stores]
    with explained(stores[0]):
        if sequential:
            from mcrock.commands.exit_codes import say
            from mcrock.labels import calibrate_anew

            found = calibrate_anew(
                studies[0],
                seen,
                folder=folder,
                error_rate=error_rate,
                temper=1.0 if temper is None else temper,
                workers=workers,
                level=level,
                progress=lambda stage: say(
                    f"power {stage.temper:.3g} of the likelihood, moves accepted {stage.accepted:.0%}"
                ),
            )
        else:
            found = calibrate(
                studies,
                seen,
                error_rate=error_rate,
                temper=temper,
                least_effective=effective,
                level=level,
            )
    paths = []
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        found.to_netcdf(output / "labels.nc")
        paths = [output / "labels.nc", save_figure(plot_labels(found), output / f"labels.{format}")]
    if as_json:
        print(json.dumps(dataset_as_json(found), allow_nan=False))
        return
    print(format_labels(found, [store.name for store in stores]))
    for path in paths:
        print(path)
