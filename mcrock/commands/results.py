"""What commands on a result share: opening it, writing its figures, printing it as JSON.

Heavy imports happen inside the functions, as in every command.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mcrock.commands import options

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes


OutputFolder = Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the results.")]


@dataclass(frozen=True, kw_only=True)
class FigureOptions:
    """Folder and format of the figures, checked."""

    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Folder for the figures; default: none."),
    ] = None
    format: options.FigureFormat = "png"

    def __post_init__(self) -> None:
        options.check_figure(self.output, self.format)


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """What of a store is read, and how."""

    measure: options.Measure = None
    displacement_limit: options.DisplacementLimit = None
    allow_incomplete: options.Incomplete = False

    def open(self, store: Path) -> AbstractContextManager[xr.Dataset]:
        """Result of a store, as the options say."""
        return opened_result(store, self.allow_incomplete, self.measure, self.displacement_limit)


@contextmanager
def opened_result(
    store: Path, incomplete: bool = False, measure: str | None = None, limit: float | None = None
) -> Iterator[xr.Dataset]:
    """Result of a store by an intensity measure and a displacement limit."""
    from mcrock.dataset import load_dataset
    from mcrock.statistics import by_measure, with_displacement_limit

    with load_dataset(store, allow_incomplete=incomplete) as opened:
        ds = opened if measure is None else by_measure(opened, measure)
        yield ds if limit is None else with_displacement_limit(ds, limit)


def save_figures(
    draw: Mapping[str, Callable[[], Axes]], figures: FigureOptions, attrs: Mapping[str, Any] | None = None
) -> list[Path]:
    """Write figures into a folder, each signed with title and seed of its study; none without a folder."""
    output = figures.output
    if output is None:
        return []
    from mcrock.show.style import add_source, save_figure

    output.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, make in draw.items():
        ax = make()
        add_source(ax, attrs or {})
        paths.append(save_figure(ax, output / f"{name}.{figures.format}"))
    return paths


def write_text(path: Path, text: str) -> None:
    """Write a file, whole or not at all."""
    from mcrock.dataset import replacing

    with replacing(path) as scratch:
        scratch.write_text(text, encoding="utf-8", newline="\n")  # also of a batch script on Windows


def write_netcdf(path: Path, ds: xr.Dataset) -> None:
    """Write a dataset to a NetCDF file, whole or not at all."""
    from mcrock.dataset import replacing

    with replacing(path) as scratch:
        ds.to_netcdf(str(scratch))


def print_result(as_json: bool, tables: xr.Dataset | Mapping[str, Any], lines: Iterable[object]) -> None:
    """Print a result as JSON, or the lines that say it."""
    if as_json:
        print_json(tables)
    else:
        print(*lines, sep="\n")


def print_json(tables: xr.Dataset | Mapping[str, Any]) -> None:
    """Print a dataset, or datasets and what JSON can hold by name."""
    from mcrock.show.text import dataset_as_json

    def plain(item: Any) -> Any:
        return dataset_as_json(item) if hasattr(item, "dims") else item

    shown = plain(tables) if hasattr(tables, "dims") else {key: plain(item) for key, item in tables.items()}
    print(json.dumps(shown, allow_nan=False))
