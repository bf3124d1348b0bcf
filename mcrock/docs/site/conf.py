"""The documentation as a site: ``python -m sphinx -W -c mcrock/docs/site mcrock/docs build/site``.

The pages in `mcrock/docs` are plain Markdown for terminals; what a browser wants beyond that is added here
while they are read. Nothing is loaded from the network, neither to build the site nor to read it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import typer.main
from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml
from typer.cli import get_docs_for_click

import mcrock
from mcrock.commands.program import app as commands
from mcrock.laws import LAWS

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

HERE = Path(__file__).parent

project = "mcrock"
author = "the authors of mcrock"
version = release = mcrock.__version__

extensions = ["myst_nb", "sphinx_design", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["site/index.md"]  # stands in for the list of pages that terminals see
myst_heading_anchors = 3
nb_execution_mode = "cache"
nb_execution_raise_on_error = True

default_role = "py:obj"
autodoc_default_options = {"members": True, "member-order": "groupwise"}
autodoc_typehints = "none"  # docstrings have types with units and shapes
napoleon_google_docstring = False
toc_object_entries_show_parents = "hide"

html_theme = "pydata_sphinx_theme"
html_title = "mcrock"
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "header_links_before_dropdown": 7,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
}

FENCED = re.compile(r"(^```.*?^```$)", flags=re.MULTILINE | re.DOTALL)
# words of the commands of a group, cut short; each has its section
GROUPED = re.compile(r"^\*\*Commands\*\*:\n\n(\*.*\n)+", flags=re.MULTILINE)
DOCS = re.compile(r"(?<!\[)`mcrock docs\s+([a-z-]+)(?:\s+([\w.-]+))?`")
NAME = re.compile(r"(?<![\[`}])`(mcrock\.[\w.]+)`")


def read_page(app: Sphinx, docname: str, source: list[str]) -> None:
    """Add to a page what a terminal has no use for."""
    if docname == "index":
        app.env.note_dependency(str(HERE / "index.md"))
        source[0] = (HERE / "index.md").read_text(encoding="utf-8")
    elif docname == "site/commands":
        command = typer.main.get_command(commands)
        text = get_docs_for_click(obj=command, ctx=typer.Context(command), name="mcrock")
        source[0] += GROUPED.sub("", text.partition("\n")[2])
    elif docname == "site/api/laws":
        source[0] += "".join(f".. autofunction:: mcrock.laws.{name}\n" for name in LAWS)
    elif "/" not in docname:
        parts = FENCED.split(source[0])
        parts[::2] = [NAME.sub(r"{py:obj}`\1`", DOCS.sub(linked, part)) for part in parts[::2]]
        source[0] = "".join(parts)


def linked(command: re.Match[str]) -> str:
    """A command that shows a page, as a link to the page."""
    text = " ".join(command[0].split())
    return f"[{text}]({command[1]}.md)"


def visit_math(writer: HTML5Translator, node: nodes.Element) -> None:
    """Write a formula as MathML, which browsers set without scripts or fonts of their own."""
    writer.body.append(tex2mathml(node.astext(), as_block=node.tagname == "math_block"))
    raise SkipNode


def setup(app: Sphinx) -> None:
    """Connect the above to Sphinx."""
    app.connect("source-read", read_page)
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math, None))
