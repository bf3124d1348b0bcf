"""The command `mcrock warm`."""

from __future__ import annotations

from typing import Annotated

import typer

from mcrock.commands.endings import say

app = typer.Typer()


@app.command()
def warm(
    friction: Annotated[
        bool, typer.Option("--friction", help="Also the kernel with friction, two minutes or more.")
    ] = False,
) -> None:
    """Compile the kernel into the cache, ahead of its first use.

    Takes half a minute, once for each version and kind of processor. NUMBA_CACHE_DIR sets another folder.
    """
    from mcrock.bench.warm import warm_kernel
    from mcrock.text.numbers import format_time

    for with_friction in (False, True) if friction else (False,):
        kernel = f"the kernel with{'' if with_friction else 'out'} friction"
        say(f"compiling {kernel}, unless the cache has it")
        found = warm_kernel(with_friction)
        time = format_time(found.seconds)
        print(
            f"{kernel}: " + (f"compiled in {time}" if found.compiled else f"warm already, loaded in {time}")
        )
    print(f"cache: {found.cache}")
