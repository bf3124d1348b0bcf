"""The command `mcrock app`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mcrock.commands import options

app = typer.Typer()


@app.command("app")
def explore(
    source: Annotated[
        Path | None,
        typer.Argument(
            metavar="STORE_OR_STUDY", help="Store of `mcrock run`, or a study file.", show_default=False
        ),
    ] = None,
    address: Annotated[
        str, typer.Option(metavar="HOST", help="Where the page listens; by default on this machine alone.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Its port; 0 is any that is free.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option("--browser", help="Open it in the browser.")] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Another name by which browsers reach the page; repeatable."),
    ] = None,
    folder: options.Folder = Path(),
    allow_incomplete: options.Incomplete = False,
    trust_code: options.TrustCode = False,
) -> None:
    """Describe, run and explore a study in the browser, and watch its runs in three dimensions.

    Stores are only read, and new ones written where you say. The address that is
    printed opens the page once; Ctrl-C ends it: `mcrock docs app`. With --trust-code
    replays of STORE run its law; a study in the page runs no code.
    """
    try:
        import panel  # noqa: F401
    except ModuleNotFoundError:
        raise ValueError(
            "mcrock app needs Panel, which is not installed: pip install 'mcrock[app]'"
        ) from None
    import os
    import tempfile

    from mcrock.dataset import load_dataset
    from mcrock.show.app.page import Page, open_in_browser, serve
    from mcrock.show.app.parts import UPLOADS
    from mcrock.show.app.results import Result
    from mcrock.show.app.study import Desk
    from mcrock.study import load_config

    result, text = None, ""
    if source is not None and source.suffix == ".toml":
        if trust_code:
            raise ValueError("a study in the page runs no code: mcrock run --trust-code, then open the store")
        load_config(source)  # refused here, before a page opens
        text, folder = source.read_text(encoding="utf-8"), source.parent
    elif source is not None:
        result = Result(
            load_dataset(source, allow_incomplete=allow_incomplete),
            source,
            folder,
            allow_incomplete,
            trust_code,
        )
        result.prepare()
    title = f"mcrock: {source.name}" if source else "mcrock"
    with tempfile.TemporaryDirectory(prefix=UPLOADS) as uploads:
        desk = Desk(result, text, folder, Path(uploads))
        first = True

        def say(link: str) -> None:
            nonlocal first
            print(f"{link}\nCtrl-C ends the page" if first else f"for another browser: {link}", flush=True)
            if browser and first:
                open_in_browser(link, uploads)
            first = False

        try:
            serve(lambda theme: Page(theme, desk).view(), title, address, port, allow_host or [], say)
        finally:
            desk.close()
    os._exit(0)  # threads that compile or repeat a run are not waited for
