"""The command `mcrock merge`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer()


@app.command()
def merge(
    output: Annotated[Path, typer.Argument(metavar="OUT", help="Store to create or complete.")],
    stores: Annotated[list[Path], typer.Argument(metavar="STORE", help="Stores of the same study.")],
) -> None:
    """Put the runs of stores that were computed apart into one store.

    They must be of the same study; every byte is checked.
    """
    from mcrock.dataset.contents import chunks_done
    from mcrock.dataset.create import merge_stores

    numbers = merge_stores(output, stores)
    for store, number in zip(stores, numbers, strict=True):
        print(f"{store}: {number} chunks")
    done = chunks_done(output)
    print(f"{output}: {done.sum()} of {done.size} chunks are done")
