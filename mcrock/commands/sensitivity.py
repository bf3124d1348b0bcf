"""The command `mcrock sensitivity`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from mcrock.commands.options import FigureFormat, Incomplete, Store, check_figure

app = typer.Typer()


@app.command()
def sensitivity(
    store: Store,
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    permutations: Annotated[
        int, typer.Option(metavar="N", help="Permutations of the outcomes that show the effect of chance.")
    ] = 199,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Folder for the figure sensitivity; default: none."
        ),
    ] = None,
    format: FigureFormat = "png",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    allow_incomplete: Incomplete = False,
) -> None:
    """Print which inputs decide whether the body overturns.

    Of a study with ensemble.design = "sobol_indices" the Sobol indices, of any
    study the inputs given the outcome: `mcrock docs assessment`.
    """
    if output is not None:
        check_figure(output, format)
    import matplotlib

    matplotlib.use("Agg")
    from mcrock.dataset import explained, load_dataset
    from mcrock.plots import plot_sensitivity, save_figure
    from mcrock.show.json_values import dataset_as_json
    from mcrock.show.sensitivity_text import format_distances, format_indices
    from mcrock.show.style import add_source
    from mcrock.show.summary import missing_chunks
    from mcrock.statistics import outcome_distances, sobol_indices
    from mcrock.statistics.sensitivity import has_indices

    ds = load_dataset(store, allow_incomplete=allow_incomplete)
    with explained(store):
        tables = {}
        if has_indices(ds) and not missing_chunks(ds):
            tables["sobol_indices"] = sobol_indices(ds, level=level)
        tables["outcome_distances"] = outcome_distances(
            ds, permutations=permutations, allow_missing=allow_incomplete
        )
        figure = None
        if output is not None:
            output.mkdir(parents=True, exist_ok=True)
            ax = plot_sensitivity(next(iter(tables.values())))
            add_source(ax, ds.attrs)
            figure = save_figure(ax, output / f"sensitivity.{format}")
    if as_json:
        print(json.dumps({name: dataset_as_json(table) for name, table in tables.items()}, allow_nan=False))
        return
    words = {"sobol_indices": format_indices, "outcome_distances": format_distances}
    print(
        "\n\n".join([*missing_chunks(ds), *("\n".join(words[name](table)) for name, table in tables.items())])
    )
    if figure is not None:
        print(figure)
