"""The command `mcrock check`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from mcrock.commands.options import Config, StudyOptions, unpacked

if TYPE_CHECKING:
    from mcrock.study import Study

app = typer.Typer()


@app.command()
@unpacked
def check(*, config: Config, changes: StudyOptions) -> None:
    """Check a study file and estimate the time of its run.

    Lists body, motions, intensities and uncertain inputs, with notes on suspicious settings.
    """
    print_check(changes.load(config))


def print_check(study: Study) -> float:
    """Print what a study asks for, and how long that takes.

    Returns
    -------
    float
        Time on the cores of this machine [s].
    """
    from dask.system import CPU_COUNT

    from mcrock.ensemble import estimate_time
    from mcrock.ensemble.part import named_responses
    from mcrock.show.describe import describe
    from mcrock.show.text import format_estimated_time, format_time
    from mcrock.study.sampling import check_inputs, load_motions

    motions = load_motions(study)
    named_responses(study)
    check_inputs(study, motions)
    print(describe(study, motions))
    seconds, n_timed = estimate_time(study, motions)
    total = seconds * study.n_runs
    each = f"{seconds:.3g} s" if seconds >= 1.0 else f"{seconds * 1e3:.3g} ms"
    print(
        f"{format_estimated_time(total / CPU_COUNT)} on the {CPU_COUNT} cores of this machine, "
        f"{format_time(total)} on one ({each} per run, mean of {n_timed} runs over the study)"
    )
    return total / CPU_COUNT
