"""The command `mcrock example`: studies, scripts and notebooks to start from, which come with the package."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Annotated

import typer

from mcrock.base.checks import suggest
from mcrock.base.environment import shipped
from mcrock.commands.results import write_text

app = typer.Typer()

NEXT = {
    ".toml": "mcrock check {}",
    ".csv": "mcrock fragility {}",
    ".sh": "edit the lines at its top",
    ".ipynb": "jupyter lab {}",
}


@app.command()
def example(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Example; default: the list.", show_default=False)
    ] = None,
) -> None:
    """List the shipped files to start from, or copy one, with the files it names, here.

    Files that are there already are never overwritten.
    """
    kinds = {"studies": studies(), "outcomes": tables(), "batch scripts": scripts(), "notebooks": notebooks()}
    examples = {path.stem: path for paths in kinds.values() for path in paths}
    if name is None:
        width = max(map(len, examples))
        for heading, paths in kinds.items():
            print(f"{heading}:", *(f"  {path.stem:<{width}}  {about(path)}" for path in paths), sep="\n")
        return
    if name not in examples:
        raise ValueError(
            f"no example {name!r}{suggest(name, examples)}\nthe examples are {', '.join(examples)}"
        )
    path = examples[name]
    if Path(path.name).exists():
        raise ValueError(f"{path.name} exists here and is not overwritten; rename it, or change folder")
    for needed in (path, *needs(path)):
        if Path(needed.name).exists():
            print(f"{needed.name} exists here and is kept")
        else:
            write_text(Path(needed.name), copied(needed))
            print(f"wrote {needed.name}")
    print(f"next: {NEXT[path.suffix].format(path.name)}")


def studies() -> list[Path]:
    """Shipped study files."""
    return sorted(shipped("configs").glob("*.toml"))


def tables() -> list[Path]:
    """Shipped tables of outcomes, without those that come with a study."""
    found = shipped("configs").glob("*.csv")
    return sorted(path for path in found if not path.with_suffix(".toml").exists())


def scripts() -> list[Path]:
    """Shipped batch scripts."""
    return sorted(shipped("jobs").glob("*.sh"))


def notebooks() -> list[Path]:
    """Notebooks of the documentation."""
    return sorted(Path(__file__).parents[1].glob("docs/notebooks/*.ipynb"))


def about(path: Path) -> str:
    """One line about an example: the title of a study or notebook, the first comment of others."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        return str(json.loads(text)["cells"][0]["source"][0]).strip("# \n")
    if path.suffix == ".toml":
        return str(tomllib.loads(text)["title"])
    return text.splitlines()[path.suffix == ".sh"].removeprefix("# ").partition(":")[0]


def needs(path: Path) -> list[Path]:
    """Table of tests of a study, or files that a script names in the lines at its top: a study, a cluster."""
    if path.suffix == ".toml":
        return list(path.parent.glob(f"{path.stem}.csv"))
    return [shipped(folder) / name for _, folder, name in named(path.read_text(encoding="utf-8"))]


def named(text: str) -> list[tuple[str, str, str]]:
    """Variables of a script that name shipped files, each with the folder and the file."""
    return re.findall(r"(?m)^([A-Z]+)=(configs|jobs)/(\S+)", text)


def copied(path: Path) -> str:
    """Text of a copy: a script names files of its folder, and the folder where this mcrock is installed."""
    from mcrock.ensemble.cluster import set_lines

    text = path.read_text(encoding="utf-8")
    if path.suffix == ".sh":
        text = set_lines(path.name, {}, {variable: name for variable, _, name in named(text)})
    return text.replace("jobs/", "")
