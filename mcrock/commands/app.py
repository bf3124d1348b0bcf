"""The command `mcrock app`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mcrock.commands import options

app = typer.Typer()


@app.command("app")
def explore(
    store: Annotated[
        Path,
        typer.Argument(metavar="STORE", help="Store written by `mcrock run`.", show_default=False),
    ],
    address: Annotated[
        str,
        typer.Option(metavar="HOST", help="Where the page listens; elsewhere than here it has a token."),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Its port; 0 is any that is free.", min=0, max=65535)] = 0,
    browser: Annotated[bool, typer.Option("--browser", help="Open it in the browser.")] = False,
    folder: options.Folder = Path(),
    allow_incomplete: options.Incomplete = False,
) -> None:
    """Explore a study in the browser: its curve, its runs, each of them in three dimensions.

    The page listens on this machine alone and ends with Ctrl-C: `mcrock docs app`.
    """
    try:
        import panel  # noqa: F401
    except ModuleNotFoundError:
        raise ValueError(
            "mcrock app needs Panel, which is not installed: pip install 'mcrock[app]'"
        ) from None
    import webbrowser

    from mcrock.dataset import load_dataset
    from mcrock.show.app.page import build
    from mcrock.show.app.serve import serve
    from mcrock.show.app.understand import Result

    def say(link: str) -> None:
        print(f"{store}: {link}\nCtrl-C ends the page", flush=True)
        if browser:
            webbrowser.open(link)

    with load_dataset(store, allow_incomplete=allow_incomplete) as ds:
        result = Result(ds, store, folder, allow_incomplete)
        result.prepare()
        serve(lambda theme: build(result, theme), f"mcrock: {store.name}", address, port, say)
