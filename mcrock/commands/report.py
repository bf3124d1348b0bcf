"""The command `mcrock report`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mcrock.commands import options
from mcrock.commands.options import SiteOptions, unpacked
from mcrock.commands.results import ReadingOptions

if TYPE_CHECKING:
    from mcrock.show.report.subject import Signed

app = typer.Typer()


def _text(words: str) -> Any:
    return typer.Option(metavar="TEXT", help=words, show_default=False)


@dataclass(frozen=True, kw_only=True)
class PageOptions:
    """Who answers for a report, files that belong to it, and whether it replaces one."""

    object: Annotated[str, _text("What is judged; default, as of the next three: [report] of the study.")] = (
        ""
    )
    author: Annotated[str, _text("Who made the study.")] = ""
    checker: Annotated[str, _text("Who checked it.")] = ""
    reference: Annotated[str, _text("Number of the document or revision.")] = ""
    file: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Further file whose digest is listed, as the scan; repeatable."),
    ] = None

    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing page.")] = False

    def signed(self, files: list[Path]) -> Signed:
        """What heads the page."""
        from mcrock.show.report.subject import Signed

        given = [*files, *(self.file or [])]
        return Signed(self.object, self.author, self.checker, self.reference, given)


@app.command()
@unpacked
def report(
    *,
    store: options.Store,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.html", help="Page to write.")],
    around: SiteOptions,
    page_options: PageOptions,
    level: options.Level = 0.95,
    reading: ReadingOptions,
    trust_code: options.TrustCode = False,
) -> None:
    """Write a report of a study for a safety file: one HTML page, printable, no network needed.

    What is on it: `mcrock docs report`.
    """
    from mcrock.show.report.page import check_page

    check_page(output, page_options.overwrite)
    if not around.hazard and any(
        given is not None
        for given in (around.hazard_years, around.hazard_site, around.age, around.target, around.other)
    ):
        raise ValueError("--hazard-years, --site, --age, --target and --other go with --hazard FILE")
    from mcrock.show.progress import count_progress
    from mcrock.show.report.page import build_report, save_report
    from mcrock.statistics import design_intensity

    with reading.open(store) as ds, count_progress("permutations") as progress:
        if around.design is not None:
            design_intensity(around.design, ds)  # refused before anything is computed
        page = build_report(
            ds,
            site=around.of(ds),
            store=store,
            folder=around.folder,
            signed=page_options.signed([*(around.hazard or []), *(around.other or [])]),
            level=level,
            allow_missing=reading.allow_incomplete,
            trust_code=trust_code,
            progress=progress,
        )
    print(save_report(page, output, overwrite=page_options.overwrite))
