"""The command `mcrock export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mcrock.commands.options import Incomplete, Store

app = typer.Typer()


@app.command()
def export(
    store: Store,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.nc", help="NetCDF file.")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing file.")] = False,
    allow_incomplete: Incomplete = False,
) -> None:
    """Write a result to a single NetCDF file."""
    from mcrock.dataset import explained, load_dataset, save_dataset

    ds = load_dataset(store, allow_incomplete=allow_incomplete, chunks={})
    with explained(store):
        save_dataset(ds, output, overwrite=overwrite)
    print(output)
