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

from mcrock.base.estimates import Term
from mcrock.base.tables.distributions import DISTRIBUTIONS, OWN, Distribution
from mcrock.base.tables.fields import Kind, OneOf, Table, plain
from mcrock.base.tables.parsing import toml
from mcrock.dataset.schema import INPUT, NUMBERED, OUTPUT, SCHEMA, Variable, outputs, table_inputs
from mcrock.excitation.measures import MEASURES
from mcrock.impact.registry import Law
from mcrock.show.describe import assumption_costs
from mcrock.study.sections import OF_BODY
from mcrock.study.study import Study, tables

OF_STUDY_FILE = """\
# The study file

Look up what a key of a study means, its unit, what it may be and what it is by default. A study file is TOML
in SI units and radians; keys that end in `_deg` or `_g` are in degrees or in g = 9.80665 m/s2. `mcrock check`
lists all mistakes of a file at once; unknown keys are refused.

Each key stands with its default, or in **bold** if it must be given; in brackets bounds and unit (none where
it is dimensionless), or what else it may be; alternatives at the first of them.

- **~**: the number may be a [distribution](#distributions), as in
  `width = { distribution = "normal", mean = 0.4, std = 0.01 }`, drawn once per realization, impact parameters
  also at every impact (`draw`).
- **or several**: from a list every realization draws one value with equal probability.
- `--set body.width=0.5 --set body.mass=600` overrides keys, and removes alternatives such as `body.density`.
- Names of files start from the folder of the study file, also in an override.

This page is made from the tables that check a study (`python -m mcrock.docs.made_pages`).
"""
MEASURED = """\
Geometric means of the two horizontal components, RotD50 or RotD100, of the motion as recorded and processed.
`levels_g` and `value_g` are for accelerations only. Measures with a dagger (†) do not change when a motion is
scaled, so they can only be `variables`.
"""
DISTRIBUTED = """\
Parameters have the unit of their key, unless a unit is given. A distribution that leaves the allowed range of
its key with a probability above 1e-9 is refused: bound it, or use a lognormal. With `epistemic = true` it is
one unknown number for all runs, drawn `ensemble.outer` times, instead of one for each realization (not for
`listed`). `distribution` is one of:
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
        if section == "intensity":
            blocks += ["", "### Measures\n", MEASURED, *measure_lines()]
    blocks += ["", "## Distributions\n", DISTRIBUTED, *distribution_items()]
    return "\n".join(blocks) + "\n"


def section_lines(path: str, tag: str, variants: Mapping[str, type[Table]]) -> Iterator[str]:
    """Variants of a table, the keys of each, those that several share once, and the tables inside."""
    if tag:
        yield f"`{tag}` is one of:\n"
        for name, table in variants.items():
            yield wrapped(f"`{json.dumps(name)}`: {sentence(table.__doc__)}")
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
            others = [name for name in variants if name not in group]
            few = others if len(others) < len(group) / 2 else group
            listed = ", ".join(f"`{name}`" for name in few)
            yield f"\nKeys of {listed if few is group else f'all but {listed}' if few else 'all'}:\n"
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
    """By key: what it may be with unit and bounds, its default and its meaning."""
    lines = {}
    fields = zip(table.key_names(), table.model_fields.values(), strict=True)
    for key, field in sorted(fields, key=lambda item: not item[1].is_required()):
        kind = table.kind(key)
        facts = ["see below" if key == "measure" else kind_in_words(kind)]
        others = [other for group in table.alternatives if key == group[0] for other in group[1:]]
        facts += [f"or {', '.join(f'`{other}`' for other in others)}"] * bool(others)
        default, name = plain(field.default), key
        if not field.is_required() and default not in (PydanticUndefined, None, "", []):
            name = f"{key} = {toml(default)}"
            facts = [fact for fact in facts if fact != "true or false"]
        mark = "**" if field.is_required() else ""
        brackets = ", ".join(filter(None, facts))
        words = f": {sentence(field.description)}" if field.description != key else ""
        lines[key] = wrapped(f"{mark}`{name}`{mark}{f' ({brackets})' if brackets else ''}{words}")
    return lines


SHORTER = (
    (" or a distribution table", "~"),
    (", or a list of them to sample from", ", or several"),
    ("a number [1]", "number"),
    (" [1]", ""),
    ("a number ", ""),
    ("an integer ", "integer "),
    (", or a list of them", ", or several together"),
    ("a list of increasing numbers", "increasing list"),
    ("a list of ", "list of "),
    (" and <= 2147483647", ""),
    ("text in quotes", "text"),
    (f"[{OWN}]", ""),
)


def kind_in_words(kind: Kind | None) -> str:
    """What a value may be, in short; words of the file in code, and no limit of the machine alone."""
    if kind is None:
        return "a table, see below"
    text = kind.expected.replace(" and < 2**63", "")
    for long, short in SHORTER:
        text = text.replace(long, short)
    text = re.sub(r">= (\S+) and <= (\S+)", r"\1 to \2", text)
    return re.sub(r"'([^' ]+)'", r'`"\1"`', text).strip()


def distribution_items() -> Iterator[str]:
    """Distributions, each with its keys and their bounds."""
    for name, table in DISTRIBUTIONS.items():
        lines = {key: line[2:].partition(": ")[0] for key, line in key_lines(table).items()}
        keys = [line for key, line in lines.items() if key not in ("distribution", "epistemic")]
        words = f"{sentence(table.__doc__)} Keys {', '.join(keys)}."
        yield wrapped(f"`{json.dumps(name)}`: {words}")


def measure_lines() -> Iterator[str]:
    """Measures with their forms, units and the keys that they take."""
    for name, measure in MEASURES.items():
        if "_rotd" in name:
            continue
        forms = [name, *(other for other in MEASURES if other.startswith(f"{name}_rotd"))]
        keys = [key for key in measure.parameters if key not in OF_BODY]
        also = f"; takes {', '.join(f'`{key}`' for key in keys)}" if keys else ""
        words = measure.long_name.removesuffix(" (geometric mean)")
        star = "" if measure.power else " †"
        yield wrapped(f"{', '.join(f'`{form}`' for form in forms)}{star} [{measure.units}]: {words}{also}.")


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
COSTS = "\n### Ratio of the medians; of the intensities at which 1 % overturn\n\n"  # above the table
TERMS = "\n## Words of texts and figures\n\n"  # above what is made of the glossary
VARIABLES = "## Variables\n"  # heading of the section that is made, the last of its page
OF_VARIABLES = """\

What the dataset of a study may hold, made from the schema that builds it. Of variables with # there is one
for each face, corner or coordinate (0 x, 1 y, 2 z), with its number. `flag_meanings` names the codes of one.

### Inputs, on `realization`

Keys of the study that are drawn, with `_` for dots and brackets (`mcrock docs study-file` has their meaning):
"""
TABLES = ("body", "impact", "contact", "start", "ground", "motion")  # at the start of names of keys
OF_NO_KEY = ("body_radius", "body_slenderness", "body_frequency", "body_base_radius", "start_face")
OTHER_INPUTS = "\nAnd:\n"
OTHER_MEASURES = "- `im_MEASURE`: further intensity measures of a cloud study, as `im_pgv` or `im_sa_0p5s`.\n"
OUTCOMES = "On `(realization, intensity)`, or on `realization` in a cloud study.\n"
WITH_FRICTION = "\nIn studies with friction (`contact.friction`) also:\n"
WITH_ISOLATOR = "\nIn studies with an isolator (`motion.floor.mass`, and `stroke`) also:\n"


def impacts() -> str:
    """The page of impacts with its table of laws, which alone is made."""
    rows = [
        f"| `{law.key}` | {law.words} | {', '.join(f'`{item.key}`' for item in law.parameters) or 'none'} |\n"
        for law in Law
        if not law.of_one_contact
    ]
    page = (FOLDER / "impacts.md").read_text(encoding="utf-8")
    return TABLE_OF_LAWS.sub(lambda _: "".join(rows), page, count=1)


def results() -> str:
    """The page of results with its list of variables, which alone is made."""
    page = (FOLDER / "results.md").read_text(encoding="utf-8")
    return page.partition(VARIABLES)[0] + VARIABLES + variables()


def variables() -> str:
    """The variables of a result, from the schema that builds and checks datasets."""
    inputs = {name: item for name, item in SCHEMA.items() if item.dims == INPUT} | NUMBERED | table_inputs()
    keys = [name for name, item in inputs.items() if name.startswith(TABLES) and not item.flags]
    keys = [name for name in keys if name not in OF_NO_KEY]
    by_table = [[name for name in keys if name.startswith(f"{table}_")] for table in TABLES]
    runs = {name: SCHEMA[name] for name in outputs(friction=False)}
    of_friction = {name: item for name, item in SCHEMA.items() if item.dims == OUTPUT and name not in runs}
    isolated = {name: of_friction.pop(name) for name in ("isolator_displacement", "beyond_stroke")}
    others = {name: item for name, item in SCHEMA.items() if item.dims not in (INPUT, OUTPUT)}
    return "\n".join(
        [
            OF_VARIABLES,
            *(wrapped(", ".join(_with_units(name, inputs[name]) for name in names)) for names in by_table),
            OTHER_INPUTS,
            *_lines({name: item for name, item in inputs.items() if name not in keys}),
            OTHER_MEASURES,
            "### Results of the runs\n",
            OUTCOMES,
            *_lines(runs),
            WITH_FRICTION,
            *_lines(of_friction),
            WITH_ISOLATOR,
            *_lines(isolated),
            "\n### Others\n",
            *_lines(others),
            "",
        ]
    )


def glossary() -> str:
    """The glossary with the terms of texts and figures, which end it and alone are made."""
    page = (FOLDER / "glossary.md").read_text(encoding="utf-8").partition(TERMS)[0]
    items = (wrapped(f"**{term.capitalize()}**: {term.meaning}") for term in Term)
    return page + TERMS + "\n".join(items) + "\n"


def assumptions() -> str:
    """The page of assumptions with its table, which ends it and alone is made."""
    page = (FOLDER / "assumptions.md").read_text(encoding="utf-8").partition(COSTS)[0]
    rows = assumption_costs()
    objects = list(dict.fromkeys(row["object"] for row in rows))
    lines = [f"| | {' | '.join(objects)} |\n", f"|---{'|---' * len(objects)}|\n"]
    for assumption in dict.fromkeys(row["assumption"] for row in rows):
        cells = {row["object"]: _both_ratios(row) for row in rows if row["assumption"] == assumption}
        lines.append(f"| {assumption} | {' | '.join(cells[name] for name in objects)} |\n")
    return page + COSTS + "".join(lines)


def _both_ratios(row: Mapping[str, str]) -> str:
    """Ratio of the medians and that of 1 %, in bold where its interval excludes 1; a dash if unknown."""
    if not row["one_percent_ratio"]:
        return "-"
    words = f"{float(row['one_percent_ratio']):.2f}"
    if row["one_percent_low"]:
        low, high = float(row["one_percent_low"]), float(row["one_percent_high"])
        words += f" ({low:.2f}, {high:.2f})"
        words = words if low <= 1.0 <= high else f"**{words}**"
    return f"{float(row['median_ratio']):.2f}; {words}"


def _lines(variables: Mapping[str, Variable]) -> Iterator[str]:
    """An item for each variable: unit, words, codes of an outcome and, of neither kind, its dimension."""
    for name, item in variables.items():
        words = item.long_name.format("#", "#")
        where = "" if item.dims in (INPUT, OUTPUT) else f"; on `{item.dims[0]}`"
        codes = [f"{code.name.lower()} ({int(code)})" for code in item.flags or () if name == "outcome"]
        yield wrapped(f"{_with_units(name, item)}: {words}{where}{': ' if codes else ''}{', '.join(codes)}.")


def _with_units(name: str, item: Variable) -> str:
    """The name of a variable as code, with its unit."""
    return f"`{name}`" + (f" [{item.units}]" if item.units not in ("", "1") else "")


MADE = {
    "assumptions": assumptions,
    "glossary": glossary,
    "impacts": impacts,
    "results": results,
    "study-file": reference,
}


def main() -> None:
    """Write the pages."""
    for name, reference in MADE.items():
        (FOLDER / f"{name}.md").write_text(reference(), encoding="utf-8")


if __name__ == "__main__":
    main()
