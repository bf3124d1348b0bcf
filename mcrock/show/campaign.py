"""The tests of a campaign, fitted one by one: what came of each, in a table and on a page."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

from mcrock.show.fit import digits_of, held_words, neighbour_table
from mcrock.show.report.content import Block, Caution, Figure, Section
from mcrock.show.tables import Columns, format_table

TYPES = {".png": "image/png", ".svg": "image/svg+xml"}  # of figures that a page can hold
WIDTH = 2.1  # of the figure of a fit over that of a column of print [1]
SHOWN = ("angles measured and simulated", "angular velocities measured and simulated, residuals, profiles")
PIXELS, COLOURS = 1000, 48  # of a figure on the page
NAMES = ("test", "specimen", "position", "repetition", "file", "body", "edge", "status", "reason")


def campaign_rows(outcomes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each test: names, what became of it and why, covariates, estimates and standard errors."""
    rows = []
    for outcome in outcomes:
        row, fit = {name: outcome[name] for name in NAMES} | outcome["covariates"], outcome["fit"]
        if fit is not None:
            row = fit.get("body", {}) | row  # the table may have its own depth
            row["explained"] = fit["misfit"]["explained"]
            for key, item in fit["estimates"].items():
                row |= {key: item["value"], f"{key}_standard_error": item["standard_error"]}
        rows.append(row)
    return rows


def format_campaign(outcomes: list[dict[str, Any]]) -> list[str]:
    """Table of the tests, and what was left out and why."""
    fitted = [outcome for outcome in outcomes if outcome["fit"] is not None]
    lines: list[str] = [_table(fitted)] if fitted else []
    lines += _unexplained(fitted)
    lines += [f"{each['test']}: {note}" for each in fitted for note in each["fit"].get("notes", ())]
    return [*lines, *_left_out(outcomes), f"{len(fitted)} of {len(outcomes)} tests fitted"]


def campaign_sections(outcomes: list[dict[str, Any]], figures: dict[str, list[Path]]) -> list[Section]:
    """Sections of the page: all tests, and for each its estimates, verdict and figures.

    Parameters
    ----------
    outcomes : list of dict
    figures : dict of list of Path
        By test, of angles and of rates; those that a page cannot show are named.
    """
    fitted = [outcome for outcome in outcomes if outcome["fit"] is not None]
    blocks: list[Block] = [_table(fitted, "\N{NON-BREAKING HYPHEN}")] if fitted else []
    blocks += _unexplained(fitted)
    blocks += map(Caution, _left_out(outcomes))
    sections = [Section("tests", "Tests", blocks)]
    for outcome in fitted:
        name, fit = outcome["test"], outcome["fit"]
        explained = fit["misfit"]["explained"]
        words = Caution if explained is False or fit["at_bound"] else str
        own: list[Block] = [
            f"Recording {outcome['file']}, released over edge {fit['edge']}; body of {outcome['body']}.",
            *map(words, fit["verdict"]),
        ]
        for figure, words_of in zip(figures[name], SHOWN, strict=True):
            if figure.suffix in TYPES and figure.is_file():
                data = b64encode(_light(figure)).decode("ascii")
                source = f"data:{TYPES[figure.suffix]};base64,{data}"
                own.append(Figure(source, f"Test {name}: {words_of}", WIDTH))
            else:
                own.append(f"figure: {figure}")
        if fit.get("neighbours"):
            own.append(neighbour_table(fit["neighbours"]))
        sections.append(Section(f"test-{name}", f"Test {name}", own))
    return sections


def _unexplained(fitted: list[dict[str, Any]]) -> list[str]:
    """Which tests the model does not explain, and what their standard errors hold then."""
    named = [
        each["test"] + held_words(each["fit"].get("held", ()), ", whose +- holds that")
        for each in fitted
        if each["fit"]["misfit"]["explained"] is False
    ]
    return [f"the model does not explain {len(named)} of the tests: {'; '.join(named)}"] if named else []


def _left_out(outcomes: list[dict[str, Any]]) -> list[str]:
    """Tests without a fit, and why; their names begin no sentence, as the page would write them large."""
    return [f"left out: {each['test']}: {each['reason']}" for each in outcomes if each["fit"] is None]


def _light(figure: Path) -> bytes:
    """A figure as a page of many holds it: of a PNG fewer pixels and colours, a seventh of its bytes."""
    if figure.suffix != ".png":
        return figure.read_bytes()
    with Image.open(figure) as image:
        size = PIXELS, round(image.height * PIXELS / image.width)
        small = image.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    found = BytesIO()
    # of the methods the one that keeps the few colours of lines among the many of greys
    few = small.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(found, "PNG", optimize=True)
    return found.getvalue()


def _table(fitted: list[dict[str, Any]], hyphen: str = "-") -> Columns:
    """Estimates with their standard errors, and the verdict."""
    keys = [key for key in fitted[0]["fit"]["estimates"] if key != "time"]
    heads = ["test", *(f"{key} [{fitted[0]['fit']['estimates'][key]['unit']}]" for key in keys)]
    heads += ["first swing", "after impact", "explained"]
    rows = []
    for outcome in fitted:
        fit = outcome["fit"]
        cells = [outcome["test"].replace("-", hyphen), *(_with_error(fit["estimates"][key]) for key in keys)]
        for part in ("first_swing", "after_impact"):
            ratio = fit["misfit"][part]
            cells.append("-" if ratio is None else f"{ratio:.2f}")
        explained = {True: "yes", False: "NO", None: "not known"}[fit["misfit"]["explained"]]
        rows.append(
            [*cells, explained + ", at a bound: " * bool(fit["at_bound"]) + " ".join(fit["at_bound"])]
        )
    return format_table(heads, rows, left=True)


def _with_error(item: dict[str, Any]) -> str:
    if item["standard_error"] is None:
        return f"{item['value']:.3g} +- ?"
    digits = digits_of(item["standard_error"])
    return f"{item['value']:.{digits}f} +- {item['standard_error']:.{digits}f}"
