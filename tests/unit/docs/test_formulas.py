"""Formulas for browsers stand for what the pages say."""

import pytest

from mcrock.docs.site.pages import FORMULAS, with_formulas
from tests.unit.docs.pages import PACKAGE


@pytest.mark.parametrize("page", FORMULAS)
def test_pages_say_what_is_typeset(page):
    """Every one of their formulas, also where the page breaks the line."""
    text = (PACKAGE / "docs" / f"{page}.md").read_text(encoding="utf-8")
    typeset = with_formulas(text, FORMULAS[page])
    assert typeset.count("{math}") >= len(FORMULAS[page])
    assert "$" not in typeset


def test_words_and_blocks():
    text = "corner i\ninto tau\n\n- so\n\n      a + b = c\n\n  where a + b = c"
    formulas = {"corner i": "corner $i$", "tau": r"$\tau$", "a + b = c": "$a+b=c$"}
    assert with_formulas(text, formulas | {"corner i into": "corner $i$ into"}) == (
        "corner {math}`i` into {math}`\\tau`\n\n- so\n\n  ```{math}\n  a+b=c\n  ```\n\n  where {math}`a+b=c`"
    )


def test_a_formula_that_the_page_no_longer_has():
    with pytest.raises(ValueError, match=r"formulas.toml: the page does not say \['x = 2'\]"):
        with_formulas("x = 1", {"x = 2": "$x = 2$"})
