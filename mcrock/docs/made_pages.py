"""Pages of the documentation that are made: ``python -m mcrock.docs.made_pages`` writes them anew.

The reference of the study file comes from the tables that check it, that of variables from the schema; of
other pages a table alone is made.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from pydantic_core import PydanticUndefined

from mcrock.base.tables.distributions import DISTRIBUTIONS, OWN, Distribution
from mcrock.base.tables.fields import Kind, OneOf, Table, plain
from mcrock.base.tables.parsing import toml
from mcrock.dataset.schema import INPUT, NUMBERED, OUTPUT, SCHEMA, Variable, outputs, table_inputs
from mcrock.excitation.measures import MEASURES
from mcrock.impact.registry import Law
from mcrock.show.describe import assumption_costs, preset_lines
from mcrock.study.impact import PRESETS
from mcrock.study.sections import OF_BODY
from mcrock.study.study import Study, tables

OF_STUDY_FILE = """\
# The study file

A study file is TOML in SI units and radians; only keys that end in `_deg` or `_g` differ (g = 9.80665 m/s2).
Unknown keys are refused, and `mcrock check` lists all mistakes of a file at once.

- A **distribution table**, as in `{ distribution = "normal", mean = 0.4, std = 0.01 }`, may stand for a
  number where the key says so. It is drawn once per realization, impact parameters also anew at every impact.
- From a **list to sample from** every realization draws one value with equal probability.
- `--set key.path=value` overrides a key, with the value in TOML or as a bare word: `--set body.width=0.5
  --set ensemble.design=random`. It replaces alternative keys: `--set body.mass=600` removes
  `body.density`.
- Names of files start from the folder of the study file, also in an override.
- Values that no study needs are refused before anything is computed, so that a typo costs neither time nor
  memory: tables nested more than 50 levels deep, a motion that would have more than 2 million samples, a
  distribution whose values overflow. A damaged study, record or case file takes at most 1 GB more than a
  sound one.

This page is made from the tables that check a study (`python -m mcrock.docs.made_pages`).
"""
MEASURED = """\
Measures are geometric means of the two horizontal components, as recorded and processed. `levels_g` and
`value_g` are for accelerations only. Measures marked with a star do not change when a motion is scaled, so
they can only be `variables`.
"""
PRESET = """\
A preset holds what its source gives. Sources give intervals; drawing from them uniformly is the choice of
mcrock.
"""
DISTRIBUTED = """\
Parameters have the unit of the key that they stand for, unless a unit is given. A distribution that leaves
the allowed range of its key with a probability above 1e-9 is refused: bound it, or use a lognormal.
"""


def reference() -> str:
    """The page in Markdown."""
    inside = tables()
    keys = (line for key, line in key_lines(Study).items() if key not in inside)
    blocks = [OF_STUDY_FILE, "## Top level\n", *keys]
    for section, field in zip(Study.key_names(), Study.model_fields.values(), strict=True):
        if section not in inside:
            continue
        kind = Study.kind(section)
        optional = not field.is_required() and section != "intensity"  # which only free rocking goes without
        blocks += [
            "",
            f"## `[{section}]`{' (optional)' if optional else ''}\n",
            paragraph(sentence(field.description)),
        ]
        tag, variants = (kind.tag, kind.tables) if isinstance(kind, OneOf) else ("", inside[section])
        blocks += section_lines(f"{section}.", tag, variants)
        if section == "impact":
            laws = sorted(Law, key=lambda law: law.of_one_contact)  # those that need friction last
            blocks += [
                "",
                "### Laws\n",
                *(wrapped(f"`{law.key}`: {law.words}. {law.source}") for law in laws),
            ]
            blocks += ["", "### Presets\n", PRESET, *preset_items()]
        if section == "intensity":
            blocks += ["", "### Measures\n", MEASURED, *measure_lines()]
    blocks += ["", "## Distributions\n", DISTRIBUTED, *section_lines("", "distribution", DISTRIBUTIONS)]
    return "\n".join(blocks) + "\n"


def section_lines(path: str, tag: str, variants: Mapping[str, type[Table]]) -> Iterator[str]:
    """Variants of a table, the keys of each, those that several share once, and the tables inside."""
    if tag:
        for name, table in variants.items():
            yield wrapped(f"`{tag} = {json.dumps(name)}`: {sentence(table.__doc__)}")
    shared: dict[tuple[str, str], list[str]] = {}
    for name, table in variants.items():
        for key, line in key_lines(table).items():
            if key != tag:
                shared.setdefault((key, line), []).append(name)
    groups: dict[tuple[str, ...], list[str]] = {}
    for (_, line), names in shared.items():
        groups.setdefault(tuple(names), []).append(line)
    for group in sorted(groups, key=len, reverse=True):
        if tag:
            listed = ", ".join(f"`{name}`" for name in group)
            yield f"\nKeys of {listed if len(group) < len(variants) else 'all'}:\n"
        yield from groups[group]
    inner: dict[type[Table], list[str]] = {}
    for table in variants.values():
        for key, field in zip(table.key_names(), table.model_fields.values(), strict=True):
            for item in inner_tables(field.annotation):
                if path + key not in inner.setdefault(item, []):
                    inner[item].append(path + key)
    above = {line for _, line in shared}
    for item, places in inner.items():
        yield f"\n### {' and '.join(f'`{place}`' for place in places)}\n"
        yield paragraph(sentence(item.__doc__))
        lines = key_lines(item)
        yield from (line for line in lines.values() if line not in above)
        if same := [key for key, line in lines.items() if line in above]:
            yield wrapped(f"{', '.join(f'`{key}`' for key in same)}: as above.")


def inner_tables(annotation: Any) -> Iterator[type[Table]]:
    """Tables that a key holds, one or a list of them; distributions have a section of their own."""
    if isinstance(annotation, type) and issubclass(annotation, Table):
        if not issubclass(annotation, Distribution):
            yield annotation
    else:
        for part in get_args(annotation):
            yield from inner_tables(part)


def key_lines(table: type[Table]) -> dict[str, str]:
    """By key: its meaning, its kind with unit and bounds, its default and an example."""
    lines = {}
    fields = zip(table.key_names(), table.model_fields.values(), strict=True)
    for key, field in sorted(fields, key=lambda item: not item[1].is_required()):
        facts = [sentence(field.description), sentence(in_words(table.kind(key)))]
        others = [other for group in table.alternatives if key in group for other in group if other != key]
        if others:
            facts.append(f"Alternative to {', '.join(f'`{other}`' for other in others)}.")
        if field.is_required():
            facts.append("Required.")
        elif (default := plain(field.default)) not in (PydanticUndefined, None, "", []):
            facts.append(f"Default `{key} = {toml(default)}`.")
        if field.examples:
            facts.append(f"Example `{key} = {toml(field.examples[0])}`.")
        lines[key] = wrapped(f"`{key}`: {' '.join(facts)}".replace(f"[{OWN}]", "[unit of the key]"))
    return lines


def in_words(kind: Kind | None) -> str:
    """What a value must be; words of the file in code, and no limit that is only that of the machine."""
    text = "a table" if kind is None else kind.expected.replace(" and < 2**63", "")
    return re.sub(r"'([^' ]+)'", r'`"\1"`', text)


def preset_items() -> Iterator[str]:
    """Presets of impacts with what they stand for."""
    for name, preset in PRESETS.items():
        yield wrapped(f"`{name}`: {' '.join(map(sentence, [preset.words, *preset_lines(preset, '`')]))}")


def measure_lines() -> Iterator[str]:
    """Measures with their units and the keys that they take."""
    for name, measure in MEASURES.items():
        keys = [key for key in measure.parameters if key not in OF_BODY]
        also = f"; takes {', '.join(f'`{key}`' for key in keys)}" if keys else ""
        yield wrapped(
            f"`{name}`{'' if measure.power else ' *'} [{measure.units}]: {measure.long_name}{also}."
        )


def sentence(text: str | None) -> str:
    """The first paragraph of a text in one line, as a sentence."""
    line = " ".join((text or "").partition("\n\n")[0].replace("``", "`").split())
    return f"{line[:1].upper()}{line[1:].rstrip('.')}." if line else ""


def wrapped(text: str) -> str:
    """A text as an item of a list, in lines that end outside of code."""
    whole = re.sub(r"`[^`]*`", lambda code: code[0].replace(" ", "\0"), text)
    lines = textwrap.wrap(whole, 108, break_long_words=False, break_on_hyphens=False)
    return ("- " + "\n  ".join(lines)).replace("\0", " ")


def paragraph(text: str) -> str:
    """A text as a paragraph."""
    return textwrap.fill(text, 110) + "\n"


FOLDER = Path(__file__).parent
TABLE_OF_LAWS = re.compile(r"(?<=\| law \| landing \| parameters \|\n\|---\|---\|---\|\n)(?:\|.*\n)*")
CHANGES = (
    ("median_ratio", "median"),
    ("dispersion_change", "dispersion"),
    ("one_percent_ratio", "one_percent"),
)
TABLE_OF_ASSUMPTIONS = re.compile(r"(?<=\| 1 % \|\n\|---\|---\|---\|---\|---\|\n)(?:\|.*\n)*")
OF_VARIABLES = """\
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
OTHER_MEASURES = """\
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
            OF_VARIABLES,
            "## Inputs, on `realization`\n",
            *_lines(inputs),
            OTHER_MEASURES,
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


MADE = {"assumptions": assumptions, "impacts": impacts, "study-file": reference, "variables": variables}


def main() -> None:
    """Write the pages."""
    for name, reference in MADE.items():
        (FOLDER / f"{name}.md").write_text(reference(), encoding="utf-8")


if __name__ == "__main__":
    main()
