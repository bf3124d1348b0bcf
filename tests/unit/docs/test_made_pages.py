"""Pages that are made from declarations are current, and hold every variable of a dataset."""

import re

import pytest

from mcrock.dataset.schema import NUMBERED, SCHEMA, table_inputs
from mcrock.docs.made_pages import FOLDER, MADE, variables
from mcrock.impact.registry import Law


@pytest.mark.parametrize("name", MADE)
def test_a_page_is_current(name):
    page = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    assert page == MADE[name](), "run: python -m mcrock.docs.made_pages"


def test_every_variable_is_listed_once():
    listed = re.findall(r"(?:^- |,\s+)`(\w[\w#]*)`", variables(), re.MULTILINE)
    assert sorted(listed) == sorted(["im_MEASURE", *SCHEMA, *NUMBERED, *table_inputs()])


@pytest.mark.parametrize("law", Law)
def test_every_law_of_runs_is_listed(law):
    assert f'`"{law.key}"`' in MADE["study-file"]()
    assert law.of_one_contact or f"\n| `{law.key}`" in MADE["impacts"]()
