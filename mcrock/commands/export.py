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
    JSON = "json"


@app.command()
def export(
    store: Store,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Runs: FILE.nc, .parquet, .zarr. Fragility: FILE.xml (OpenQuake), .csv (pelicun), .json.",
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
        bool, typer.Option("--stripes", help="For OpenQuake and pelicun: fractions, whatever is gone by.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing file.")] = False,
    allow_incomplete: Incomplete = False,
) -> None:
    """Write a result for other programs, or its fragility for OpenQuake, pelicun or as JSON.

    All runs go to a NetCDF file, to a table in Parquet (a row for each run, for polars, R or a database), to
    a folder of plain Zarr 3 with checksums, or by --as outcomes to CSV that mcrock reads as a result.
    """
    from mcrock.dataset import load_dataset, save_dataset
    from mcrock.dataset.opened import save_table, save_zarr
    from mcrock.show.progress import reading_progress, writing_progress

    by_end = {".xml": ExportKind.OPENQUAKE, ".csv": ExportKind.PELICUN, ".json": ExportKind.JSON}
    kind = kind or by_end.get(output.suffix, ExportKind.RUNS)
    if kind == ExportKind.RUNS:
        ds = load_dataset(store, allow_incomplete=allow_incomplete)
        save = {".zarr": save_zarr, ".parquet": save_table}.get(output.suffix, save_dataset)
        with writing_progress():
            save(ds, output, overwrite=overwrite)
        print(output)
        return
    from mcrock.show import fragility
    from mcrock.statistics.accepted_curve import accept_curve
    from mcrock.statistics.intervals import Bootstrap

    if stripes and kind not in (ExportKind.OPENQUAKE, ExportKind.PELICUN):
        raise ValueError(f"--stripes goes with openquake and pelicun, not with {kind.value}")
    if output.exists() and not overwrite:
        raise ValueError(f"{output} exists already; replace it with --overwrite or choose another output")
    if not output.parent.is_dir():
        raise ValueError(f"{output}: the folder {output.parent} does not exist")
    ds, words = load_dataset(store), ""
    with reading_progress():
        if kind == ExportKind.OUTCOMES:
            text = fragility.outcome_rows(ds)
        elif kind == ExportKind.JSON:
            text = fragility.json_fragility(ds)
        else:
            of_openquake = kind == ExportKind.OPENQUAKE
            write = fragility.openquake_fragility if of_openquake else fragility.pelicun_fragility
            text = write(ds, identifier=identifier, curve="stripes" if stripes else None)
            words = fragility.written_curve(accept_curve(ds, Bootstrap()), "stripes" if stripes else None)
    write_text(output, text)
    print(*filter(None, [words, output]), sep="\n")
