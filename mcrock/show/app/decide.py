"""The part of the page on a site: hazard in, annual rate and its reservations out, and files to take away."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import panel as pn

from mcrock.base.names import is_plain
from mcrock.dataset import save_dataset
from mcrock.show.app import parts
from mcrock.show.app.parts import ASKS, WIDE, html
from mcrock.show.app.understand import Result
from mcrock.show.figures import save_all
from mcrock.show.fragility import format_support
from mcrock.show.report.audit import Signed, headline
from mcrock.show.report.brief import key_figures
from mcrock.show.report.content import cautions
from mcrock.show.report.page import build_report, capacity_and_rates, with_support
from mcrock.show.report.results import Site, risk_section, standards_section
from mcrock.show.report.trust import limits_section
from mcrock.show.summary import summarize
from mcrock.statistics import design_intensity, load_hazard
from mcrock.statistics.intervals import Confidence
from mcrock.statistics.measures import own_measure

LARGEST = 200_000  # runs that go through a browser; `mcrock export` writes more
HAZARD = (
    "Hazard curves of the site: a CSV file that begins as in `pga [g], mean, 0.16, 0.84`, or files of "
    "OpenQuake, the USGS or EFEHR (`mcrock docs hazard`). They stay in a folder until the command ends."
)


class Decision:
    """A site, what was found of it, and the files that can be made."""

    def __init__(self, result: Result, uploads: Path) -> None:
        self.result, self.folder = result, Path(tempfile.mkdtemp(prefix=parts.UPLOADS, dir=uploads))
        self.files = pn.widgets.FileDropper(name="Hazard files", multiple=True, max_file_size="50MB", **ASKS)
        self.years = pn.widgets.FloatInput(name="Exposure [years]", value=50.0, start=0.0, **parts.NUMBER)
        self.design = pn.widgets.TextInput(name="Design motion, as in 0.4g", width=170)
        self.target = pn.widgets.TextInput(name="Target frequency [1/year], as in 1e-5", width=240)
        words = "Years of the files' probabilities, if they do not say"
        look = parts.NUMBER | {"width": 330}
        self.hazard_years = pn.widgets.FloatInput(name=words, value=None, start=0.0, **look)
        self.site = pn.widgets.TextInput(name="Site in the files: name or LON,LAT", width=230)
        self.told, self.making, self.found, self.made = parts.Told(**WIDE), parts.Told(**WIDE), html(), html()
        self.files.param.watch(lambda _: self._taken(), "value")

    def view(self) -> pn.Column:
        """The part of the page."""
        judge = parts.button("Judge the site", self._judge, "primary")
        makes = {"report": self._report, "figures": self._figures, "data": self._data}
        buttons = [parts.button(f"Make: {name}", partial(self._make, make)) for name, make in makes.items()]
        form = pn.FlexBox(
            self.years, self.design, self.target, self.site, self.hazard_years, align_items="end"
        )
        files = parts.Named(self.files, name=self.files.name, **WIDE)
        judged = [html(parts.paragraph(HAZARD)), files, form, judge, self.told, self.found]
        taken = [html("<h2>Files to take away</h2>"), pn.FlexBox(*buttons), self.making, self.made]
        return pn.Column(*judged, *taken, **WIDE)

    def _taken(self) -> None:
        self.told.say(f"Taken: {', '.join(map(safe_name, self.files.value or {})) or 'no file'}")

    def hazard_files(self) -> list[Path]:
        """The files that were dropped, in the temporary folder."""
        return [taken_in(self.folder, *item) for item in (self.files.value or {}).items()]

    def _site(self) -> Site:
        """What the form says.

        Raises
        ------
        ValueError
            As `load_hazard` and `design_intensity`, or if the rate is none.
        """
        paths, curves, rate = self.hazard_files(), None, self.target.value
        if self.design.value:
            design_intensity(self.design.value, self.result.ds)  # refused before anything is computed
        if paths:
            how = {"site": self.site.value or None, "years": self.hazard_years.value}
            curves = load_hazard(paths, **how, measure=own_measure(self.result.ds))
            curves.attrs["source"] = ", ".join(path.name for path in paths)  # not where they lie for a while
        try:
            target = float(rate) if rate else None
        except ValueError:
            raise ValueError(
                f"the target frequency must be a number [1/year] as in 1e-5, got {rate!r}"
            ) from None
        return Site(curves, float(self.years.value or 0.0), None, self.design.value or None, target)

    def _judge(self) -> None:
        self.making.say("")
        self.told.say("Computing the rate and what is to be known of it.")
        parts.in_background(lambda: statement(self.result, self._site()), self._tell)

    def _tell(self, found: str | Exception) -> None:
        self.told.say(found if isinstance(found, Exception) else "The answer, as the report gives it:")
        self.found.object = "" if isinstance(found, Exception) else found

    def _make(self, make: Callable[[Site], tuple[str, bytes]]) -> None:
        self.making.say("Making the file: a report of a large study takes minutes.")
        parts.in_background(lambda: make(self._site()), self._offer)

    def _offer(self, found: tuple[str, bytes] | Exception) -> None:
        if isinstance(found, Exception):
            self.making.say(found)
            return
        name, content = found
        size = max(len(content) >> 10, 1)
        self.making.say(f"Made: {name}, {size} KiB. Nothing is written until you save it.")
        self.made.object = parts.saved(name, content)

    def _report(self, site: Site) -> tuple[str, bytes]:
        result = self.result
        how: dict[str, Any] = {"site": site, "signed": Signed(files=self.hazard_files())}
        how |= {"folder": result.folder, "allow_missing": result.allow_missing}
        page = build_report(result.ds, store=result.store, **how)
        return f"{result.store.stem}.html", page.encode()

    def _figures(self, site: Site) -> tuple[str, bytes]:
        buffer, result = BytesIO(), self.result
        with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(buffer, "w") as archive:
            for path in save_all(result.ds, folder, "pdf", allow_missing=result.allow_missing):
                archive.write(path, path.name)
        return f"{result.store.stem}-figures.zip", buffer.getvalue()

    def _data(self, site: Site) -> tuple[str, bytes]:
        result = self.result
        if result.ds["outcome"].size > LARGEST:
            raise ValueError(
                f"{result.ds['outcome'].size} runs are many for a browser: `mcrock export {result.store} -o "
                "FILE.nc` writes them to a file"
            )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{result.store.stem}.nc"
            save_dataset(result.ds, path)
            return path.name, path.read_bytes()


def safe_name(name: str) -> str:
    """Last part of a name that came from elsewhere, which leads out of no folder, less what is not seen.

    >>> [safe_name(name) for name in ("h.csv", "../../h.csv", "C:\\\\a\\\\h.csv", "..\\\\h.csv")]
    ['h.csv', 'h.csv', 'h.csv', 'h.csv']
    >>> [safe_name(name) for name in ("..", ".", "", "a/..")]
    ['file', 'file', 'file', 'file']
    """
    last = "".join(filter(is_plain, name.replace("\\", "/").rpartition("/")[2]))
    return last if last.strip(". ") else "file"


def taken_in(folder: Path, name: str, content: str | bytes) -> Path:
    """Write a file that came from elsewhere into a folder, under its own last name."""
    path = folder / safe_name(name)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def statement(result: Result, site: Site) -> str:
    """The answer for a site, its key figures, its reservations and how it was found, as HTML."""
    ds, how = result.ds, Confidence(allow_missing=result.allow_missing)
    summary = summarize(ds, folder=result.folder, **how.keywords)
    rates, capacity, few = capacity_and_rates(ds, summary, site, how)
    tiles = [
        (figure.name, f"{figure.value} ({figure.words})") for figure in key_figures(summary, rates, capacity)
    ]
    either = with_support(ds, site, rates, how)
    sections = [
        risk_section(ds, site, few if rates is None else rates, how, either),
        standards_section(ds, site, rates, result.folder, how),
        limits_section(result.study, summary),
    ]
    found = [parts.paragraph(headline(summary, rates, either)), parts.rows_as_html(tiles)]
    found.append(parts.blocks_as_html(cautions(format_support(summary.fragility))))
    found += [
        f"<h2>{section.title}</h2>{parts.blocks_as_html(section.blocks)}" for section in sections if section
    ]
    return "".join(found)
