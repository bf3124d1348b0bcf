"""The commands `mcrock laws list` and `mcrock laws show`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from mcrock.commands.options import FigureFormat
from mcrock.commands.results import FigureOptions, save_figures

app = typer.Typer(name="laws", no_args_is_help=True, help="Impact laws of the literature, and systems.")


@app.command("list")
def list_laws() -> None:
    """List the impact laws, the presets of their parameters with sources, and the example systems."""
    from mcrock.impact.registry import Law
    from mcrock.laws import LAWS, SYSTEMS
    from mcrock.show.describe import preset_lines
    from mcrock.study.impact import PRESETS

    print("laws, as functions of mcrock.laws")
    for name, (home, words) in LAWS.items():
        print(f"  {name:<23}{home:<33}{words}")
    print("\nlaws of rocking, for impact.law of a study file")
    for law in sorted(Law, key=lambda law: law.of_one_contact):  # those that need friction last
        print(f"  {law.key:<23}{law.words}")
    print("\npresets, for impact.preset of a study file")
    for name, preset in PRESETS.items():
        print(f"  {name:<23}{preset.words}")
        for line in preset_lines(preset):
            print(f"    {line}")
    print("\nsystems, for mcrock laws show NAME")
    for name, words in SYSTEMS.items():
        print(f"  {name:<23}{words}")


@app.command()
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="See `mcrock laws list`.", show_default=False)],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the figure.")
    ] = Path("laws"),
    format: FigureFormat = "png",
    set: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Override a parameter of the system; repeatable."),
    ] = None,
) -> None:
    """Compute an example system from the literature.

    Prints what it shows and its results, and saves a figure.
    """
    from mcrock.laws import plot_system, system_example, system_parameters
    from mcrock.laws.systems.drawing import format_system

    defaults = system_parameters(name)
    given = dict(_parse(text) for text in set or [])
    figures = FigureOptions(output=output, format=format)
    ds = system_example(name, **given)
    paths = save_figures({name: lambda: plot_system(ds)}, figures)
    print(format_system(ds, {key: given.get(key, value) for key, value in defaults.items()}))
    print(*paths)


def _parse(text: str) -> tuple[str, Any]:
    """``key=value`` with the value in TOML or a bare word."""
    from mcrock.base.tables.parsing import parse_toml

    key, equals, value = text.partition("=")
    if not (equals and key.strip()):
        raise ValueError(f"--set must be NAME=VALUE, got {text!r}")
    try:
        return key.strip(), parse_toml(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return key.strip(), value.strip()
