"""The command `mcrock sensitivity`."""

from __future__ import annotations

from typing import Annotated

import typer

from mcrock.commands import options
from mcrock.commands.options import check_figure
from mcrock.commands.results import opened_result, print_json, save_figures

app = typer.Typer()


@app.command()
def sensitivity(
    store: options.Store,
    level: options.Level = 0.95,
    permutations: Annotated[
        int, typer.Option(metavar="N", help="Permutations of the outcomes that show the effect of chance.")
    ] = 199,
    output: options.Figures = None,
    format: options.FigureFormat = "png",
    as_json: options.AsJson = False,
    allow_incomplete: options.Incomplete = False,
) -> None:
    """Print which inputs decide whether the body overturns.

    Of a study with ensemble.design = "sobol_indices" the Sobol indices, of any
    study the inputs given the outcome: `mcrock docs assessment`.
    """
    check_figure(output, format)
    from mcrock.show.progress import count_progress
    from mcrock.show.sensitivity import format_distances, format_indices, plot_sensitivity
    from mcrock.show.summary import missing_chunks
    from mcrock.statistics import outcome_distances, sobol_indices
    from mcrock.statistics.sensitivity import has_indices

    tables, words = {}, {"sobol_indices": format_indices, "outcome_distances": format_distances}
    with opened_result(store, incomplete=allow_incomplete) as ds:
        if has_indices(ds) and not missing_chunks(ds):
            tables["sobol_indices"] = sobol_indices(ds, level=level)
        with count_progress("permutations") as progress:
            tables["outcome_distances"] = outcome_distances(
                ds, permutations=permutations, allow_missing=allow_incomplete, progress=progress
            )
        draw = {"sensitivity": lambda: plot_sensitivity(next(iter(tables.values())))}
        paths = save_figures(draw, output, format, ds.attrs)
    if as_json:
        print_json(tables)
        return
    blocks = ["\n".join(words[name](table)) for name, table in tables.items()]
    print("\n\n".join([*missing_chunks(ds), *blocks]), *paths, sep="\n")
