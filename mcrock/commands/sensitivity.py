"""The command `mcrock sensitivity`."""

from __future__ import annotations

from typing import Annotated

import typer

from mcrock.commands import options
from mcrock.commands.options import unpacked
from mcrock.commands.results import FigureOptions, opened_result, print_result, save_figures

app = typer.Typer()


@app.command()
@unpacked
def sensitivity(
    *,
    store: options.Store,
    level: options.Level = 0.95,
    permutations: Annotated[
        int, typer.Option(metavar="N", help="Permutations of the outcomes that show the effect of chance.")
    ] = 199,
    figures: FigureOptions,
    as_json: options.AsJson = False,
    allow_incomplete: options.Incomplete = False,
) -> None:
    """Print which inputs decide whether the body overturns.

    Of a study with ensemble.design = "sobol_indices" the Sobol indices, of any
    study the inputs given the outcome: `mcrock docs assessment`.
    """
    from mcrock.show.progress import count_progress
    from mcrock.show.sensitivity import format_distances, format_indices, plot_sensitivity
    from mcrock.show.text import missing_chunks
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
        paths = save_figures(draw, figures, ds.attrs)
    blocks = ["\n".join(words[name](table)) for name, table in tables.items()]
    print_result(as_json, tables, ["\n\n".join([*missing_chunks(ds), *blocks]), *paths])
