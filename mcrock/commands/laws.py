"""The commands `mcrock laws list` and `mcrock laws show`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from mcrock.commands.options import FigureFormat, check_figure

app = typer.Typer(
    name="laws",
    no_args_is_help=True,
    help="Impact laws of the literature, and the systems that show them.",
)


@app.command("list")
def list_laws() -> None:
    """List the laws of the library and the systems that `show` draws."""
    from mcrock.impact.registry import Law
    from mcrock.laws import LAWS, SYSTEMS

    print("laws, as functions of mcrock.laws")
    for name, (home, words) in LAWS.items():
        print(f"  {name:<23}{home:<33}{words}")
    print("\nlaws of rocking, for impact.law of a study file")
    for law in Law:
        print(f"  {law.key:<23}{law.words}")
    print("\nsystems, for mcrock laws show NAME")
    for name, words in SYSTEMS.items():
        print(f"  {name:<23}{words}")


@app.command()
def show(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A system of `mcrock laws list`.", show_default=False)
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder of the figure.")
    ] = Path("laws"),
    format: FigureFormat = "png",
    set: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Parameter of the system; repeatable."),
    ] = None,
) -> None:
    """Compute a system of the source papers: what it shows, its numbers, and its figure."""
    from mcrock.laws import system_example, system_parameters

    defaults = system_parameters(name)
    given = dict(_parse(text) for text in set or [])
    check_figure(output, format)
    ds = system_example(name, **given)
    import matplotlib

    matplotlib.use("Agg")
    from mcrock.plots import save_figure
    from mcrock.plots.laws import plot_system
    from mcrock.text.system import format_system

    ax = plot_system(ds)
    output.mkdir(parents=True, exist_ok=True)
    path = save_figure(ax, output / f"{name}.{format}")
    print(format_system(ds, {key: given.get(key, value) for key, value in defaults.items()}))
    print(path)


def _parse(text: str) -> tuple[str, Any]:
    """``key=value`` with the value in TOML or a bare word."""
    key, equals, value = text.partition("=")
    if not (equals and key.strip()):
        raise ValueError(f"--set must be NAME=VALUE, got {text!r}")
    try:
        return key.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return key.strip(), value.strip()
