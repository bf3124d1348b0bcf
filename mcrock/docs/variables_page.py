"""The reference of the variables of a result, from the schema that builds and checks datasets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mcrock.dataset.schema import INPUT, NUMBERED, OUTPUT, SCHEMA, Variable, outputs, table_inputs
from mcrock.docs.markdown import wrapped

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


def reference() -> str:
    """The page in Markdown."""
    inputs = {name: item for name, item in SCHEMA.items() if item.dims == INPUT} | NUMBERED | table_inputs()
    runs = {name: SCHEMA[name] for name in outputs(friction=False)}
    of_friction = {name: item for name, item in SCHEMA.items() if item.dims == OUTPUT and name not in runs}
    others = {name: item for name, item in SCHEMA.items() if item.dims not in (INPUT, OUTPUT)}
    return "\n".join(
        [
            INTRODUCTION,
            "## Inputs, on `realization`\n",
            *lines(inputs),
            MEASURES,
            "## Results of the runs\n",
            OUTCOMES,
            *lines(runs),
            WITH_FRICTION,
            *lines(of_friction),
            "\n## Others\n",
            *lines(others),
            "",
        ]
    )


def lines(variables: Mapping[str, Variable]) -> Iterator[str]:
    """An item for each variable: unit, words, its codes and, of those of neither kind, its dimension."""
    for name, item in variables.items():
        units = f" [{item.units}]" if item.units not in ("", "1") else ""
        words = item.long_name.format("#", "#")
        where = "" if item.dims in (INPUT, OUTPUT) else f"; on `{item.dims[0]}`"
        codes = [f"{code.name.lower()} ({int(code)})" for code in item.flags or ()]
        yield wrapped(f"`{name}`{units}: {words}{where}{': ' if codes else ''}{', '.join(codes)}.")
