"""The command `mcrock rare`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

import typer

from mcrock.commands import options
from mcrock.commands.exit_codes import say
from mcrock.commands.options import StudyOptions, unpacked
from mcrock.commands.results import FigureOptions, print_result, save_figures

app = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class SplittingOptions:
    """Size of the subset simulation."""

    states: Annotated[
        int | None, typer.Option(metavar="N", help="Realizations per recording and level of the score.")
    ] = None
    repetitions: Annotated[int, typer.Option(help="Independent repetitions.")] = 8
    least: Annotated[
        float, typer.Option(help="Probability given a recording below which it counts as 0.")
    ] = 1e-6


@app.command()
@unpacked
def rare(
    *,
    config: options.Config,
    splitting: SplittingOptions,
    level: options.Level = 0.95,
    workers: options.Workers = None,
    changes: StudyOptions,
    figures: FigureOptions,
    as_json: options.AsJson = False,
) -> None:
    """Print small probabilities of overturning, by subset simulation for each record.

    For levels at which next to no run of a study overturns:
    `--set 'intensity.levels_g=[0.24]'`. Method and limits: `mcrock docs assessment`.
    """
    if workers is not None and workers < 1:
        raise ValueError(f"workers must be at least 1, got {workers}")
    study = changes.load(config)
    from mcrock.ensemble.rare import rare_probability
    from mcrock.show.rare import format_rare, plot_rare

    found = rare_probability(study, **asdict(splitting), level=level, workers=workers, progress=say)
    paths = save_figures({"rare": lambda: plot_rare(found)}, figures, found.attrs)
    print_result(as_json, {"rare_probability": found}, [format_rare(found), *paths])
