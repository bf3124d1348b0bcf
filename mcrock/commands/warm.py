"""The command `mcrock warm`."""

from __future__ import annotations

from typing import Annotated

import typer

from mcrock.commands.exit_codes import say

app = typer.Typer()


@app.command()
def warm(
    friction: Annotated[
        bool, typer.Option("--friction", help="Also the kernel with friction, two minutes or more.")
    ] = False,
) -> None:
    """Compile the kernel for this processor into the cache, ahead of its first use.

    Takes one to three minutes, once for each version and kind of processor. NUMBA_CACHE_DIR sets
    another folder.
    """
    from mcrock.base.compiled_code import cache_folder
    from mcrock.show.text import format_time
    from mcrock.verify.warm import WITH_FRICTION, WORK
    from mcrock.verify.warm import warm as warm_up

    names = [name for name in WORK if friction or name != WITH_FRICTION]
    say(f"compiling {', '.join(names)}, unless the cache has it")
    for found in warm_up(names):
        time = format_time(found.seconds)
        print(
            f"{found.name}: "
            + (f"compiled in {time}" if found.compiled else f"warm already, loaded in {time}"),
            flush=True,
        )
    print(f"cache: {cache_folder()}")
