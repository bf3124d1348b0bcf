"""The command `mcrock status`."""

from __future__ import annotations

from datetime import UTC, datetime

import typer

from mcrock.commands.exit_codes import fail
from mcrock.commands.options import Level, Store

app = typer.Typer()


@app.command()
def status(store: Store, level: Level = 0.95) -> None:
    """Print the progress of a study, its workers and the probabilities so far.

    Ends with exit code 1 if something in the store is damaged or not its own.
    """
    from mcrock.dataset import is_store, load_dataset
    from mcrock.dataset.contents import chunk_path, is_copy, read_template, take_inventory
    from mcrock.ensemble.opening import read_log
    from mcrock.show.progress import format_status
    from mcrock.show.summary import format_probabilities
    from mcrock.statistics import overturning_probability, pooled
    from mcrock.statistics.runs import is_shaken

    if is_copy(store) or not is_store(store):
        raise ValueError(f"{store} is not a store of mcrock of the present format")
    template = read_template(store)
    found = take_inventory(store, template)
    print("\n".join(format_status(template, found, read_log(store), datetime.now(UTC))))
    for key, what in found.damaged.items():
        print(f"{chunk_path(store, key).relative_to(store)} is {what}")
    if error := found.error(store, template):
        fail(str(error), 1)
    if found.done.any():
        ds = pooled(load_dataset(store, allow_incomplete=True))
        probability = overturning_probability(ds, level=level, allow_missing=True)
        print("\n".join(format_probabilities(probability, is_shaken(ds))))
