"""The command `mcrock rare`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from mcrock.commands.exit_codes import say
from mcrock.commands.options import Config, FigureFormat, Seed, Set, check_figure, load_study

app = typer.Typer()


@app.command()
def rare(
    config: Config,
    states: Annotated[
        int | None, typer.Option(metavar="N", help="Realizations per recording and level of the score.")
    ] = None,
    repetitions: Annotated[int, typer.Option(help="Independent repetitions.")] = 8,
    least: Annotated[
        float, typer.Option(help="Probability given a recording below which it counts as 0.")
    ] = 1e-6,
    level: Annotated[float, typer.Option(help="Confidence level of the intervals.")] = 0.95,
    workers: Annotated[int | None, typer.Option(help="Number of threads; default: all cores.")] = None,
    seed: Seed = None,
    set: Set = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Folder for the figure rare; default: none."),
    ] = None,
    format: FigureFormat = "png",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print small probabilities of overturning, by subset simulation for each record.

    For levels at which next to no run of a study overturns:
    `--set 'intensity.levels_g=[0.24]'`. Method and limits: `mcrock docs assessment`.
    """
    if output is not None:
        check_figure(output, format)
    if workers is not None and workers < 1:
        raise ValueError(f"workers must be at least 1, got {workers}")
    study = load_study(config, set, seed)
    import matplotlib

    matplotlib.use("Agg")
    from mcrock.plots import plot_rare, save_figure
    from mcrock.rare import rare_probability
    from mcrock.show.json_values import dataset_as_json
    from mcrock.show.rare_text import format_rare
    from mcrock.show.style import add_source

    found = rare_probability(
        study,
        states=states,
        repetitions=repetitions,
        least=least,
        level=level,
        workers=workers,
        progress=say,
    )
    if as_json:
        print(json.dumps({"rare_probability": dataset_as_json(found)}, allow_nan=False))
    else:
        print(format_rare(found))
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        ax = plot_rare(found)
        add_source(ax, found.attrs)
        path = save_figure(ax, output / f"rare.{format}")
        if not as_json:
            print(path)
