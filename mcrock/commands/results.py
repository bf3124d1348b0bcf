"""What commands on a result share: opening it, writing its figures, printing it as JSON.

Heavy imports happen inside the functions, as in every command.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes


@contextmanager
def opened_result(
    store: Path, incomplete: bool = False, measure: str | None = None, limit: float | None = None
) -> Iterator[xr.Dataset]:
    """Result of a store by an intensity measure and a displacement limit."""
    from mcrock.dataset import load_dataset
    from mcrock.statistics import by_measure, with_displacement_limit

    ds = load_dataset(store, allow_incomplete=incomplete)
    ds = ds if measure is None else by_measure(ds, measure)
    yield ds if limit is None else with_displacement_limit(ds, limit)


def save_figures(
    draw: Mapping[str, Callable[[], Axes]], output: Path | None, format: str, attrs: Mapping[str, Any]
) -> list[Path]:
    """Write figures into a folder, each signed with title and seed of its study; none without a folder."""
    if output is None:
        return []
    import matplotlib

    matplotlib.use("Agg")
    from mcrock.show.style import add_source, save_figure

    output.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, make in draw.items():
        ax = make()
        add_source(ax, attrs)
        paths.append(save_figure(ax, output / f"{name}.{format}"))
    return paths


def write_text(path: Path, text: str) -> None:
    """Write a file, whole or not at all."""
    from mcrock.dataset import replacing

    with replacing(path) as scratch:
        scratch.write_text(text, encoding="utf-8")


def write_netcdf(path: Path, ds: xr.Dataset) -> None:
    """Write a dataset to a NetCDF file, whole or not at all."""
    from mcrock.dataset import replacing

    with replacing(path) as scratch:
        ds.to_netcdf(str(scratch))


def print_json(tables: xr.Dataset | Mapping[str, Any]) -> None:
    """Print a dataset, or datasets and what JSON can hold by name."""
    from mcrock.show.tables import dataset_as_json

    def plain(item: Any) -> Any:
        return dataset_as_json(item) if hasattr(item, "dims") else item

    shown = plain(tables) if hasattr(tables, "dims") else {key: plain(item) for key, item in tables.items()}
    print(json.dumps(shown, allow_nan=False))
