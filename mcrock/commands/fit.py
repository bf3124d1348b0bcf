"""The command `mcrock fit`."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mcrock.commands import options
from mcrock.commands.options import unpacked
from mcrock.commands.results import FigureOptions, save_figures, write_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mcrock.measurement import Recording

app = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class RecordingOptions:
    """What was measured."""

    recording: Annotated[
        Path,
        typer.Argument(
            metavar="RECORDING", help="CSV file of a gyroscope, units in its header.", show_default=False
        ),
    ]
    axes: Annotated[
        str, typer.Option(help="Axes of the sensor along x, y and z of the body, as in 'y -x z'.")
    ] = "x y z"
    columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=HEADER",
            help="Column of the file for time, omega_x ..., with a unit in brackets if its header has none; "
            "may be repeated.",
        ),
    ] = None
    still: Annotated[
        tuple[float, float] | None,
        typer.Option(
            metavar="START END", help="Times between which the sensor was at rest, for its bias [s]."
        ),
    ] = None

    def read(self, along: NDArray[np.float64]) -> Recording:
        """The recording without bias and ends, turned to where the body turns about ``along`` (3,)."""
        from mcrock.measurement import alignment, read_recording

        for text in self.columns or []:
            if "=" not in text:
                raise ValueError(f"--columns must be NAME=HEADER, as in 'omega_x=GyrX [deg/s]', got {text!r}")
        pairs = (text.partition("=") for text in self.columns or [])
        names = {name.strip(): header.strip() for name, _, header in pairs}
        data = read_recording(self.recording, self.axes, names)
        data = (data if self.still is None else data.unbiased(self.still)).trimmed()
        return data.turned(alignment(data, along))


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """What is fitted, and how."""

    free: Annotated[str, typer.Option(metavar="NAMES", help="Impact parameters to fit; tau is one too.")] = (
        "lambda lambda_lon lambda_lat"
    )
    landings: Annotated[int, typer.Option(metavar="N", help="Last landing of the fit.")] = 2
    objective: Annotated[str, typer.Option(help="Misfit: robust, or mean as in the source paper.")] = "robust"
    level: options.Level = 0.95
    seed: Annotated[int, typer.Option(help="Seed of the search.")] = 0


@dataclass(frozen=True, kw_only=True)
class FitOutput(FigureOptions):
    """Folder of all results."""

    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the results.")] = (
        Path("fit")
    )


@app.command()
@unpacked
def fit(
    *,
    body: Annotated[
        Path,
        typer.Option(
            metavar="FILE", help="Study file, or any TOML file with its [body], and [impact] if any."
        ),
    ],
    edge: Annotated[
        int,
        typer.Option(
            metavar="K", help="Edge over which the body was released; k joins vertices k and k + 1."
        ),
    ],
    test: RecordingOptions,
    search: SearchOptions,
    energy_gain: Annotated[
        str | None,
        typer.Option(
            metavar="CHOICE", help="Impacts that gain energy: project or allow, instead of the file's."
        ),
    ] = None,
    results: FitOutput,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Fit impact parameters to a free-rocking test.

    Writes fit.json, the section impact.toml for a study and the figure fit;
    several tests make a table for `mcrock population`: `mcrock docs fitting`.
    """
    from mcrock.measurement import fit_test
    from mcrock.measurement.free_rocking import FreeRocking
    from mcrock.show.fit import fit_as_json, format_fit, impact_section, plot_fit
    from mcrock.study.load import load_tested

    how = asdict(search) | {"free": search.free.replace(",", " ").split()}
    measured, impact = load_tested(body, how["free"])
    if energy_gain is not None:
        impact = replace(impact, energy_gain=energy_gain)
    data = test.read(FreeRocking(measured, edge, impact).along)
    found = fit_test(measured, data, edge, impact=impact, **how)
    paths = save_figures({"fit": lambda: plot_fit(found)}, results)
    output = results.output
    text = json.dumps(fit_as_json(found), indent=1, allow_nan=False) + "\n"
    write_text(output / "impact.toml", impact_section(found))
    write_text(output / "fit.json", text)
    if as_json:
        print(text, end="")
        return
    print(format_fit(found))
    print(impact_section(found), end="")
    print(output / "fit.json", output / "impact.toml", *paths, sep="\n")
