"""The command `mcrock check`."""

from __future__ import annotations

import typer

from mcrock.commands.options import Config, StudyOptions, unpacked

app = typer.Typer()


@app.command()
@unpacked
def check(*, config: Config, changes: StudyOptions) -> None:
    """Check a study file and estimate the time of its run.

    Lists body, motions, intensities and uncertain inputs, with notes on suspicious settings.
    """
    study = changes.load(config)
    from dask.system import CPU_COUNT

    from mcrock.ensemble import estimate_time
    from mcrock.show.describe import describe
    from mcrock.show.numbers import format_estimated_time, format_time
    from mcrock.study.sampling import check_inputs, load_motions

    motions = load_motions(study)
    print(describe(study, motions))
    check_inputs(study, motions)
    seconds, n_timed = estimate_time(study, motions)
    total = seconds * study.n_runs
    each = f"{seconds:.3g} s" if seconds >= 1.0 else f"{seconds * 1e3:.3g} ms"
    print(
        f"{format_estimated_time(total / CPU_COUNT)} on the {CPU_COUNT} cores of this machine, "
        f"{format_time(total)} on one ({each} per run, mean of {n_timed} runs over the study)"
    )
