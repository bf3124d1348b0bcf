"""Pages of the documentation that are made: ``python -m mcrock.docs.made_pages`` writes them anew."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from mcrock.dataset.schema import INPUT, NUMBERED, OUTPUT, SCHEMA, Variable, outputs, table_inputs
from mcrock.docs import study_file_page
from mcrock.docs.study_file_page import wrapped
from mcrock.impact.registry import Law
from mcrock.show.describe import assumption_costs

FOLDER = Path(__file__).parent
TABLE_OF_LAWS = re.compile(r"(?<=\| law \| landing \| parameters \|\n\|---\|---\|---\|\n)(?:\|.*\n)*")
CHANGES = (
    ("median_ratio", "median"),
    ("dispersion_change", "dispersion"),
    ("one_percent_ratio", "one_percent"),
)
TABLE_OF_ASSUMPTIONS = re.compile(r"(?<=\| 1 % \|\n\|---\|---\|---\|---\|---\|\n)(?:\|.*\n)*")
INTRODUCTION = """\
# Variables of a result

What the dataset of a study may hold, depending on its body, motions and design. `mcrock docs results`
says how to read it. Of variables with # there is one for each face, corner or coordinate, with its number.

This page is made from the schema that builds datasets (`python -m mcrock.docs.made_pages`).
"""
OUTCOMES = """\
On `(realization, intensity)`, or on `realization` in a cloud study.
"""
WITH_FRICTION = """
In studies with friction (`contact.friction`) also:
"""
MEASURES = """\
- `im_MEASURE`: further intensity measures of a cloud study, as `im_pgv` or `im_sa_0p5s`.
"""


def impacts() -> str:
    """The page of impacts with its table of laws, which alone is made."""
    rows = [
        f"| `{law.key}` | {law.words} | {', '.join(f'`{item.key}`' for item in law.parameters) or 'none'} |\n"
        for law in Law
        if not law.of_one_contact
    ]
    page = (FOLDER / "impacts.md").read_text(encoding="utf-8")
    return TABLE_OF_LAWS.sub(lambda _: "".join(rows), page, count=1)


def variables() -> str:
    """The page of the variables of a result, from the schema that builds and checks datasets."""
    inputs = {name: item for name, item in SCHEMA.items() if item.dims == INPUT} | NUMBERED | table_inputs()
    runs = {name: SCHEMA[name] for name in outputs(friction=False)}
    of_friction = {name: item for name, item in SCHEMA.items() if item.dims == OUTPUT and name not in runs}
    others = {name: item for name, item in SCHEMA.items() if item.dims not in (INPUT, OUTPUT)}
    return "\n".join(
        [
            INTRODUCTION,
            "## Inputs, on `realization`\n",
            *_lines(inputs),
            MEASURES,
            "## Results of the runs\n",
            OUTCOMES,
            *_lines(runs),
            WITH_FRICTION,
            *_lines(of_friction),
            "\n## Others\n",
            *_lines(others),
            "",
        ]
    )


def assumptions() -> str:
    """The page of assumptions with its table, which alone is made."""
    rows = []
    for row in assumption_costs():
        cells = [row["object"], row["assumption"], *(_with_ends(row, *each) for each in CHANGES)]
        rows.append(f"| {' | '.join(cells)} |\n")
    page = (FOLDER / "assumptions.md").read_text(encoding="utf-8")
    return TABLE_OF_ASSUMPTIONS.sub(lambda _: "".join(rows), page, count=1)


def _with_ends(row: Mapping[str, str], value: str, ends: str) -> str:
    """A number of the table with its interval; a dash where it is not known."""
    form = "+.2f" if value == "dispersion_change" else ".2f"
    if not row[value]:
        return "-"
    bounds = [row[f"{ends}_{end}"] for end in ("low", "high")]
    words = f" ({format(float(bounds[0]), form)} to {format(float(bounds[1]), form)})" if all(bounds) else ""
    return f"{float(row[value]):{form}}{words}"


def _lines(variables: Mapping[str, Variable]) -> Iterator[str]:
    """An item for each variable: unit, words, its codes and, of those of neither kind, its dimension."""
    for name, item in variables.items():
        units = f" [{item.units}]" if item.units not in ("", "1") else ""
        words = item.long_name.format("#", "#")
        where = "" if item.dims in (INPUT, OUTPUT) else f"; on `{item.dims[0]}`"
        codes = [f"{code.name.lower()} ({int(code)})" for code in item.flags or ()]
        yield wrapped(f"`{name}`{units}: {words}{where}{': ' if codes else ''}{', '.join(codes)}.")


MADE = {
    "assumptions": assumptions,
    "impacts": impacts,
    "study-file": study_file_page.reference,
    "variables": variables,
}


def main() -> None:
    """Write the pages."""
    for name, reference in MADE.items():
        (FOLDER / f"{name}.md").write_text(reference(), encoding="utf-8")


if __name__ == "__main__":
    main()
