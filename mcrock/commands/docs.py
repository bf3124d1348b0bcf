"""The command `mcrock docs`: the pages of the documentation, which come with the package."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mcrock.base.checks import suggest

FOLDER = Path(__file__).parents[1] / "docs"
INDEX = "index"  # the page that lists the others

app = typer.Typer()


@app.command()
def docs(
    page: Annotated[
        str, typer.Argument(metavar="PAGE", help="Page; default: the list of them.", show_default=False)
    ] = INDEX,
    word: Annotated[
        str | None,
        typer.Argument(metavar="WORD", help="Show the sections about it alone.", show_default=False),
    ] = None,
) -> None:
    """Show a page of the documentation, or its sections about a word: `mcrock docs study-file impact`."""
    pages = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}
    if page not in pages:
        raise ValueError(unknown_page(page, pages))
    text = pages[page] if word is None else sections_about(word, pages[page])
    if not text:
        raise ValueError(f"the page {page!r} does not mention {word!r}; `mcrock docs {page}` shows it all")

    show(text)


def unknown_page(page: str, pages: dict[str, str]) -> str:
    """The message for a page that there is not, with those that mention its name."""
    lines = [f"no page {page!r}{suggest(page, pages)}", f"the pages are {', '.join(sorted(pages))}"]
    found = [name for name, text in sorted(pages.items()) if page.casefold() in text.casefold()]
    return "\n".join(lines + ([f"{page!r} is mentioned in {', '.join(found)}"] if found else []))


def sections_about(word: str, text: str) -> str:
    """The sections of a page whose heading has a word, or else those that mention it, if there are any."""
    sections = sections_of(text)
    by_heading: list[str] = []
    level = 7  # of the heading that has the word, while what belongs to it goes on
    for depth, section in sections:
        if depth <= level:
            level = depth if word.casefold() in section.partition("\n")[0].casefold() else 7
        if level < 7:
            by_heading.append(section)
    return "\n".join(
        by_heading or [section for _, section in sections if word.casefold() in section.casefold()]
    )


def sections_of(text: str) -> list[tuple[int, str]]:
    """A page cut at its headings, with the level of each; signs of headings inside code are none."""
    sections: list[list[str]] = [[]]
    in_code = False
    for line in text.splitlines():
        in_code ^= line.startswith("```")
        if line.startswith("#") and not in_code:
            sections.append([])
        sections[-1].append(line)
    return [
        (len(lines[0]) - len(lines[0].lstrip("#")), "\n".join([*lines, ""])) for lines in sections if lines
    ]


def show(text: str) -> None:
    """Print Markdown: set in a terminal, as it is where something else reads it."""
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        print(text.rstrip())
        return
    from rich.markdown import Markdown
    from rich.theme import Theme

    plain = Theme({"markdown.code": "bold cyan"})  # on the background of the terminal, as all code
    with console.use_theme(plain):
        console.print(Markdown(text, code_theme="ansi_dark"))
