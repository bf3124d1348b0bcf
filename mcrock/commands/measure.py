"""The command `mcrock measure`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mcrock.commands import options
from mcrock.commands.exit_codes import fail
from mcrock.commands.fit import RecordingOptions, TestOptions
from mcrock.commands.options import unpacked
from mcrock.commands.results import FigureOptions, print_result, save_figures, write_text

if TYPE_CHECKING:
    import xarray as xr

    from mcrock.measurement.campaign import TestFile

app = typer.Typer()


@app.command()
@unpacked
def measure(
    *,
    tests: TestOptions,
    recording: RecordingOptions,
    level: options.Level = 0.95,
    results: FigureOptions,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Measure free-rocking tests without a model of their impacts.

    A row for each test: angular velocity reduction factor, out-of-plane motion factor, phases, energy lost
    and dominant frequencies, with intervals. With -o also measures.csv and the figure measures. See
    `mcrock docs single-runs`, and of the files `mcrock docs fitting`.
    """
    import xarray as xr

    from mcrock.show.fit import format_measured, measured_frame, plot_measured

    if not 0.0 < level < 1.0:
        raise ValueError(f"--level must be > 0 and < 1, got {level!r}")
    found, failed, said = [], [], []
    for test in tests.listed():
        try:
            measures, notes = _measured(test, recording, level)
            found.append(measures)
            said += [f"{test.name}: {note}" for note in notes]
        except (ValueError, OSError) as error:  # a bad test does not stop the others
            failed.append(f"{test.name}: {' '.join(str(error).split())}")
    if not found:
        fail("\n".join(failed), 2)
    table = xr.concat(found, "test")
    paths = save_figures({"measures": lambda: plot_measured(table)}, results)
    if results.output is not None:
        paths = [results.output / "measures.csv", *paths]
        write_text(paths[0], measured_frame(table).to_csv(index=False))
    missing = [f"not measured: {reason}" for reason in failed]
    print_result(
        as_json,
        {"measures": table, "not_measured": failed, "notes": said},
        [*format_measured(table), *said, *missing, *paths],
    )


def _measured(test: TestFile, how: RecordingOptions, level: float) -> tuple[xr.Dataset, list[str]]:
    from mcrock.impact.conditions import Impact
    from mcrock.measurement.measures import measure_test
    from mcrock.measurement.misfit import FreeRocking
    from mcrock.study.load import load_tested

    body, _ = load_tested(test.body, None)
    axes = FreeRocking(body, test.edge, Impact())
    data, notes = how.of(test).read(test.file, axes)
    found = measure_test(body, data, axes.along, axes.across, level=level)
    return found.assign_coords(test=[test.name]), notes
