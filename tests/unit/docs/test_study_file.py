"""The reference of the study file: complete, and with examples that the tables accept."""

from itertools import combinations

from pydantic import ValidationError

from mcrock.base.tables.distributions import DISTRIBUTIONS
from mcrock.base.tables.fields import OneOf
from mcrock.base.tables.parsing import toml
from mcrock.body.keys import Shape
from mcrock.docs.made_pages import inner_tables
from mcrock.study.study import Study, tables


def every_table():
    """By place: every table of a study file, those inside others too, and what tells it from its variants."""
    variants = [("distribution", "distribution", DISTRIBUTIONS), ("", "", {"": Study})]
    for section, found in tables().items():
        kind = Study.kind(section)
        variants.append((section, kind.tag, kind.tables) if isinstance(kind, OneOf) else (section, "", found))
    seen = {}
    for section, tag, found in variants:
        for name, table in found.items():
            seen[f"{section} {name}".strip()] = (table, {tag: name} if tag else {})
            if table is not Study:
                for key, field in zip(table.key_names(), table.model_fields.values(), strict=True):
                    for inner in inner_tables(field.annotation):
                        seen.setdefault(f"{section}.{key}", (inner, {}))
    return seen


TABLES = every_table()
KEYS = [
    (place, key)
    for place, (table, tag) in TABLES.items()
    for key in table.key_names()
    if key not in tag and not (table is Study and key in tables())
]


def field_of(table, key):
    return table.model_fields[next(n for n, f in table.model_fields.items() if key == (f.alias or n))]


def examples(table, key):
    """Values of a key that its table shows, or its default."""
    field = field_of(table, key)
    return field.examples or [field.default]


def accepted(table, values):
    """Whether values make a table, and if it is one of a body, a body that can exist and stand."""
    try:
        made = table.model_validate(values)
    except ValidationError:
        return False
    return "file" in values or not isinstance(made, Shape) or made.refusal() is None


def test_every_key_has_words_and_an_example():
    faults = []
    for place, key in KEYS:
        field = field_of(TABLES[place][0], key)
        faults += [
            f"{place}.{key}: {fault}"
            for fault, found in {
                "say what it is with about(...)": not field.description,
                "its description ends with a full stop": (field.description or "").endswith("."),
                "required, and without an example": field.is_required() and not field.examples,
                "its default is no example": not field.examples and field.default is None,
            }.items()
            if found
        ]
    assert len(KEYS) > 250
    assert not faults, "\n".join(faults)


def fits(place, key, value):
    """Whether required keys, this one and at most three others, all at their examples, make a table."""
    table, tag = TABLES[place]
    required = {k: examples(table, k)[0] for k in table.key_names() if field_of(table, k).is_required()}
    others = [
        (other, value)
        for other in table.key_names()
        if other not in (key, *tag)
        for value in field_of(table, other).examples or []
    ]
    base = required | tag | {key: value}
    return any(accepted(table, base | dict(chosen)) for n in range(4) for chosen in combinations(others, n))


def test_every_example_is_accepted_with_few_others():
    refused = [
        f"[{place}] {key} = {toml(value)}"
        for place, key in KEYS
        if place
        for value in examples(TABLES[place][0], key)
        if not fits(place, key, value)
    ]
    assert not refused, "\n".join(refused)
