"""The command `mcrock export`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from mcrock.commands.options import Incomplete, Store
from mcrock.commands.results import write_text

app = typer.Typer()


class ExportKind(StrEnum):
    """What can be written of a result."""

    RUNS = "runs"
    OUTCOMES = "outcomes"
    OPENQUAKE = "openquake"
    PELICUN = "pelicun"


@app.command()
def export(
    store: Store,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Runs: FILE.nc, .parquet or .zarr. Fragility: FILE.xml (OpenQuake), FILE.csv (pelicun).",
        ),
    ],
    kind: Annotated[
        ExportKind | None,
        typer.Option("--as", help="What is written; default: by the end of its name.", show_default=False),
    ] = None,
    identifier: Annotated[
        str, typer.Option("--id", metavar="NAME", help="Name of the body in a fragility file.")
    ] = "body",
    stripes: Annotated[
        bool, typer.Option("--stripes", help="In FILE.xml, fractions in place of the lognormal curve.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing file.")] = False,
    allow_incomplete: Incomplete = False,
) -> None:
    """Write a result for other programs, or its fragility to a file of OpenQuake or pelicun.

    All runs go to a NetCDF file, to a table in Parquet (a row for each run, for polars, R or a database), to
    a folder of plain Zarr 3 with checksums, or by --as outcomes to CSV that mcrock reads as a result.
    """
    from mcrock.dataset import load_dataset, save_dataset
    from mcrock.dataset.copies import save_table, save_zarr
    from mcrock.show.progress import reading_progress, writing_progress

    by_end = {".xml": ExportKind.OPENQUAKE, ".csv": ExportKind.PELICUN}
    kind = kind or by_end.get(output.suffix, ExportKind.RUNS)
    if kind == ExportKind.RUNS:
        ds = load_dataset(store, allow_incomplete=allow_incomplete)
        save = {".zarr": save_zarr, ".parquet": save_table}.get(output.suffix, save_dataset)
        with writing_progress():
            save(ds, output, overwrite=overwrite)
        print(output)
        return
    from mcrock.show.fragility_files import openquake_fragility, outcome_rows, pelicun_fragility

    if stripes and kind != ExportKind.OPENQUAKE:
        raise ValueError("--stripes goes with OpenQuake: pelicun takes a lognormal curve alone")
    if output.exists() and not overwrite:
        raise ValueError(f"{output} exists already; replace it with --overwrite or choose another output")
    if not output.parent.is_dir():
        raise ValueError(f"{output}: the folder {output.parent} does not exist")
    ds = load_dataset(store)
    with reading_progress():
        if kind == ExportKind.OUTCOMES:
            text = outcome_rows(ds)
        elif kind == ExportKind.OPENQUAKE:
            text = openquake_fragility(ds, identifier=identifier, curve="stripes" if stripes else "lognormal")
        else:
            text = pelicun_fragility(ds, identifier=identifier)
    write_text(output, text)
    print(output)
