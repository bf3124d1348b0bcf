"""The command `mcrock rare`."""

from __future__ import annotations

from typing import Annotated

import typer

from mcrock.commands import options
from mcrock.commands.exit_codes import say
from mcrock.commands.options import check_figure, load_study
from mcrock.commands.results import print_json, save_figures

app = typer.Typer()


@app.command()
def rare(
    config: options.Config,
    states: Annotated[
        int | None, typer.Option(metavar="N", help="Realizations per recording and level of the score.")
    ] = None,
    repetitions: Annotated[int, typer.Option(help="Independent repetitions.")] = 8,
    least: Annotated[
        float, typer.Option(help="Probability given a recording below which it counts as 0.")
    ] = 1e-6,
    level: options.Level = 0.95,
    workers: options.Workers = None,
    seed: options.Seed = None,
    set: options.Set = None,
    output: options.Figures = None,
    format: options.FigureFormat = "png",
    as_json: options.AsJson = False,
) -> None:
    """Print small probabilities of overturning, by subset simulation for each record.

    For levels at which next to no run of a study overturns:
    `--set 'intensity.levels_g=[0.24]'`. Method and limits: `mcrock docs assessment`.
    """
    check_figure(output, format)
    if workers is not None and workers < 1:
        raise ValueError(f"workers must be at least 1, got {workers}")
    study = load_study(config, set, seed)
    from mcrock.ensemble.rare import rare_probability
    from mcrock.show.rare import format_rare, plot_rare

    found = rare_probability(
        study,
        states=states,
        repetitions=repetitions,
        least=least,
        level=level,
        workers=workers,
        progress=say,
    )
    paths = save_figures({"rare": lambda: plot_rare(found)}, output, format, found.attrs)
    if as_json:
        print_json({"rare_probability": found})
    else:
        print(format_rare(found), *paths, sep="\n")
