"""The commands `mcrock laws list` and `mcrock laws show`."""

from __future__ import annotations

import textwrap
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mcrock.commands.options import FigureFormat, check_figure

if TYPE_CHECKING:
    import xarray as xr

WIDTH = 100  # of text [characters]
FEW = 6  # numbers that are printed one by one
NAME = 72  # of a variable [characters]
ROUNDING = 1e-12  # a number that is so much smaller than the others is 0

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

    ax = plot_system(ds)
    output.mkdir(parents=True, exist_ok=True)
    path = save_figure(ax, output / f"{name}.{format}")
    print(ds.attrs["title"])
    print("\n" + textwrap.fill(ds.attrs["description"], WIDTH) + "\n")
    words = (f"{key} = {_word(given.get(key, value))}" for key, value in defaults.items())
    print(textwrap.fill("parameters: " + ", ".join(words), WIDTH, subsequent_indent="  ") + "\n")
    print(_table(ds))
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


def _word(value: Any) -> str:
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(_word, value)) + "]"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _table(ds: xr.Dataset) -> str:
    """Values of every variable, or their range; one line for each label of a labelled dimension."""
    lines = []
    for name, variable in ds.data_vars.items():
        what = f"{variable.attrs.get('long_name', name)} [{variable.attrs.get('units', '1')}]"
        labelled = [dim for dim in variable.dims if dim in ds.coords and ds[dim].dtype.kind in "OU"]
        if not labelled or variable.size <= 2:
            lines.append(f"  {what:<{NAME}}{_numbers(variable)}")
            continue
        lines.append(f"  {what}")
        for label in ds[labelled[0]].values:
            lines.append(f"    {label:<{NAME - 2}}{_numbers(variable.sel({labelled[0]: label}))}")
    return "\n".join(lines)


def _numbers(variable: xr.DataArray) -> str:
    import numpy as np

    values = variable.values.ravel()
    if values.dtype == bool:
        share = values.mean()
        return "yes" if share == 1 else "no" if share == 0 else f"yes in {share:.0%}"
    if values.dtype.kind in "OSU":
        return ", ".join(map(str, values[:FEW])) + (", ..." if len(values) > FEW else "")
    finite = values[np.isfinite(values.astype(float))]
    if not finite.size:
        return "none"
    values = np.where(np.abs(values) < ROUNDING * np.abs(finite).max(), 0.0, values)
    if len(values) <= FEW:
        return ", ".join(f"{value:.6g}" for value in values)
    low, high = (f"{end(values):.4g}" for end in (np.nanmin, np.nanmax))
    return low if low == high else f"{low} to {high}"
