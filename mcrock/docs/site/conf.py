"""The documentation as a site: ``python -m sphinx -W -c mcrock/docs/site mcrock/docs build/site``.

The pages in `mcrock/docs` are plain Markdown for terminals; what a browser wants beyond that is added here
while they are read. Nothing is loaded from the network, neither to build the site nor to read it.
"""

from __future__ import annotations

import enum
import inspect
import os
import re
import sysconfig
from functools import partialmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils.nodes import Element, SkipNode, image, reference
from docutils.utils.math.latex2mathml import tex2mathml
from nbclient import NotebookClient

import mcrock
from mcrock.commands.program import COMMANDS
from mcrock.docs.site import pages
from mcrock.docs.site.pages import FORMULAS, with_formulas
from mcrock.laws import LAWS

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

HERE = Path(__file__).parent

project = "mcrock"
author = "the authors of mcrock"
version = release = mcrock.__version__

extensions = [
    "myst_nb",
    "sphinx_design",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["site/index.md"]  # stands in for the list of pages that terminals see
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_in_temp = True
nb_execution_timeout = 900  # [s] of a cell
nb_output_stderr = "remove"  # progress, which differs from time to time
# text of a command comes in pieces that end anywhere
setattr(NotebookClient, "__init__", partialmethod(NotebookClient.__init__, coalesce_streams=True))  # noqa: B010
os.environ["PATH"] = os.pathsep.join(
    [sysconfig.get_path("scripts"), os.environ["PATH"]]
)  # of `mcrock` in cells
os.environ["COLUMNS"] = "100"  # of tables and code blocks

autosummary_generate = False  # a page for each module is enough
default_role = "py:obj"
autodoc_default_options = {"members": True, "member-order": "groupwise"}
autodoc_typehints = "none"  # docstrings have types with units and shapes
napoleon_google_docstring = False
napoleon_custom_sections = [("Attributes", "params_style")]  # as one list, as parameters are
toc_object_entries_show_parents = "hide"

html_theme = "pydata_sphinx_theme"
html_title = "mcrock"
html_math_renderer = "mathml"
html_static_path = ["static"]
html_css_files = ["site.css"]
# pages without others below them
html_sidebars: dict[str, list[str]] = {page: [] for page in ("index", "guide", "changes")}
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navigation_with_keys": False,
    "footer_start": [],
    "footer_end": [],
    "show_prev_next": True,
}

FENCED = re.compile(r"(^```.*?^```$)", flags=re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"(?<!\[)`mcrock\s+([a-z]+)([^`]*)`")
FIELD = re.compile(r"    (\w+)(?:: ([^=#]+?))?(?: = ([^#]+?))?(?:  # (.*))?")
NAME = re.compile(r"(?<![\[`}])`(mcrock\.[\w.]+)`")


def read_page(app: Sphinx, docname: str, source: list[str]) -> None:
    """Add to a page what a terminal has no use for."""
    if docname == "index":
        app.env.note_dependency(str(HERE / "index.md"))
        source[0] = (HERE / "index.md").read_text(encoding="utf-8")
    elif docname == "site/gallery":
        source[0] += pages.gallery()
    elif docname == "site/commands":
        source[0] += pages.commands()
    elif docname == "site/api/laws":
        source[0] += "".join(f".. autofunction:: mcrock.laws.{name}\n" for name in LAWS)
    elif docname == "site/validation":
        source[0] = source[0].replace("[cases]", pages.cases())
        for folder in ("tests/physics", "tests/published"):
            source[0] = source[0].replace(f"[{folder}]", pages.tests(folder))
    elif docname.startswith("site/") and docname.count("/") == 1:
        source[0] = pages.with_descriptions(source[0])
    elif "/" not in docname:
        parts = FENCED.split(source[0])
        parts[::2] = [NAME.sub(r"{py:obj}`\1`", COMMAND.sub(linked, part)) for part in parts[::2]]
        source[0] = "".join(parts)
        if docname in FORMULAS:
            source[0] = with_formulas(source[0], FORMULAS[docname])


def add_tables(app: Sphinx, what: str, name: str, obj: Any, options: object, lines: list[str]) -> None:
    """Head the page of a module with a table of its public names; list the fields of a class."""
    if what == "module" and name != "mcrock":
        names = [public for public in getattr(obj, "__all__", ()) if callable(getattr(obj, public))]
        if names:
            lines += ["", ".. autosummary::", "   :nosignatures:", "", *(f"   {public}" for public in names)]
    elif what == "class" and "Attributes" not in lines and "Parameters" not in lines:
        lines += field_list(obj)


def field_list(obj: type) -> list[str]:
    """Fields of a tuple, a dataclass or an enumeration, with the comments that say what they are."""
    is_enum = issubclass(obj, enum.Enum)
    if not (is_enum or hasattr(obj, "_fields") or hasattr(obj, "__dataclass_fields__")):
        return []
    lines = []
    for found in filter(None, map(FIELD.fullmatch, inspect.getsource(obj).splitlines())):
        name, kind, value, comment = found.groups()
        if kind or (is_enum and value):
            lines += [f"{name} : {kind or value}", f"    {comment or ''}"]
    return ["", "Attributes", "----------", *lines] if lines else []


def skip_field(app: Sphinx, what: str, name: str, obj: object, skip: bool, options: object) -> bool | None:
    """Leave out what Python says of the fields of a named tuple: their numbers."""
    return True if (inspect.getdoc(obj) or "").startswith("Alias for field number") else None


def linked(command: re.Match[str]) -> str:
    """A command as a link to its section, and one that shows a page as a link to the page."""
    text = " ".join(command[0].split())
    shown = re.match(r"\s+([a-z][a-z-]*)", command[2])
    if command[1] == "docs" and shown:
        return f"[{text}]({shown[1]}.md)"
    return f"[{text}](site/commands.md#mcrock-{command[1]})" if command[1] in COMMANDS else text


def add_pictures(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Show in each card of the gallery the last figure of its page, if pages were run."""
    if docname != "site/gallery":
        return
    for card in doctree.findall(lambda node: isinstance(node, Element) and "sd-card" in node["classes"]):
        page = os.path.normpath(f"site/{next(card.findall(reference))['refuri']}").removesuffix(".html")
        for found in list(app.env.get_doctree(page).findall(image))[-1:]:
            places = {name: found[name] for name in ("uri", "candidates")}
            card.insert(0, image(**places, classes=["sd-card-img-top"]))


def visit_math(writer: HTML5Translator, node: nodes.Element) -> None:
    """Write a formula as MathML, which browsers set without scripts or fonts of their own."""
    writer.body.append(tex2mathml(node.astext(), as_block=node.tagname == "math_block"))
    raise SkipNode


def setup(app: Sphinx) -> None:
    """Connect the above to Sphinx."""
    app.connect("source-read", read_page)
    app.connect("autodoc-process-docstring", add_tables, priority=400)  # before napoleon reads them
    app.connect("autodoc-skip-member", skip_field)
    app.connect("doctree-resolved", add_pictures)
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math, None))
