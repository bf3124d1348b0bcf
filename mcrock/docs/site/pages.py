"""What the site adds to pages for terminals: lists made from what they list, and typeset formulas.

`formulas.toml` says what a browser sees in the place of each formula.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections import Counter
from pathlib import Path

import typer.main
from typer.cli import get_docs_for_click

from mcrock.commands.program import app
from mcrock.verify import CASES

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parents[1]
GALLERY = (
    "statue",
    "cask",
    "cabinet",
    "balanced_rock",
    "free_rocking",
    "impact_laws",
    "own_law",
    "spectra",
    "rare_events",
    "slurm",
    "campaign",
    "calibrating",
)
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
QUESTION = re.compile(r"^# (.*)\n\n\*\*(.*?)\*\*$", flags=re.MULTILINE | re.DOTALL)
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```\n", flags=re.MULTILINE | re.DOTALL)
LISTED = re.compile(r"^- \[[\w-]+\]\(([\w-]+)\.md\): (.*)$", flags=re.MULTILINE)
# words of the commands of a group, cut short; each has its section
GROUPED = re.compile(r"^\*\*Commands\*\*:\n\n(\*.*\n)+", flags=re.MULTILINE)


def with_descriptions(section: str) -> str:
    """The page of a section, with what the list for terminals says of each page in its place."""
    said = dict(LISTED.findall((DOCS / "index.md").read_text(encoding="utf-8")))

    def described(tree: re.Match[str]) -> str:
        pages = re.findall(r"^(?:.*<)?([\w./-]+)>?$", tree[1], flags=re.MULTILINE)
        lines = [f"- {{doc}}`{page}`{description(Path(page).name, said)}" for page in pages]
        return "\n".join(["```{toctree}\n:hidden:\n", tree[1].strip(), "```\n", *lines, ""])

    return TOCTREE.sub(described, section)


def description(page: str, said: dict[str, str]) -> str:
    """Description of a page, after its title and not repeating it."""
    if page not in said:
        return ""
    title = (DOCS / f"{page}.md").read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")
    return ": " + re.sub(rf"^{re.escape(title)}\W*(and )?", "", said[page], flags=re.IGNORECASE)


def gallery() -> str:
    """A card for each page of the gallery and for each notebook, with the question it answers."""
    lines, pages = ["", "::::{grid} 1 2 2 3", ":gutter: 3", ""], []
    for path in [DOCS / "site" / "gallery" / f"{name}.md" for name in GALLERY] + NOTEBOOKS:
        page = f"/{path.relative_to(DOCS).with_suffix('')}"
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".ipynb":
            text = "".join(json.loads(text)["cells"][0]["source"])
        found = QUESTION.search(text)
        assert found, f"{path}: no question in bold below the title"
        lines += [
            f":::{{grid-item-card}} {found[1]}",
            f":link: {page}",
            ":link-type: doc",
            found[2],
            ":::",
            "",
        ]
        pages.append(page)
    return "\n".join([*lines, "::::", "", ":::{toctree}", ":hidden:", "", *pages, ":::", ""])


def commands() -> str:
    """Every command with its arguments and options."""
    command = typer.main.get_command(app)
    text = get_docs_for_click(obj=command, ctx=typer.Context(command), name="mcrock")
    return GROUPED.sub("", text.partition("\n")[2])


def cases() -> str:
    """Files of cases with known results, and the kinds in each."""
    lines = []
    for path in CASES:
        kinds = Counter(case["kind"] for case in json.loads(path.read_text(encoding="utf-8"))["cases"])
        words = ", ".join(f"{n} `{kind}`" for kind, n in kinds.most_common())
        lines.append(f"- `mcrock/verify/cases/{path.name}`, {kinds.total()} cases: {words}")
    return "\n".join(lines)


def tests(folder: str) -> str:
    """Files of tests below a folder, with what each says that it tests."""
    lines = []
    for path in sorted((ROOT / folder).rglob("test_*.py")):
        said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        words = " ".join(said.partition("\n\n")[0].split())
        lines.append(f"- `{path.relative_to(ROOT)}`: {words}")
    return "\n".join(lines)


FILE = Path(__file__).with_name("formulas.toml")
FORMULAS: dict[str, dict[str, str]] = tomllib.loads(FILE.read_text(encoding="utf-8"))


def with_formulas(text: str, formulas: dict[str, str]) -> str:
    """A page with its formulas typeset.

    Raises
    ------
    ValueError
        If the page does not say one of them.
    """
    patterns = {said: r"\s+".join(map(re.escape, said.split())) for said in formulas}
    missing = [said for said, pattern in patterns.items() if not re.search(pattern, text)]
    if missing:
        raise ValueError(f"{FILE}: the page does not say {missing}; write them as it does")
    said = "|".join(sorted(patterns.values(), key=len, reverse=True))

    def block(found: re.Match[str]) -> str:
        formula = formulas[" ".join(found[2].split())].strip("$")
        return "\n".join(found[1] + line for line in ("```{math}", formula, "```"))

    def inline(found: re.Match[str]) -> str:
        return re.sub(r"\$([^$]+)\$", r"{math}`\1`", formulas[" ".join(found[0].split())])

    text = re.sub(rf"^( *)    ({said})$", block, text, flags=re.MULTILINE)  # a block of its own, as code
    return re.sub(rf"(?<!\w)(?:{said})(?!\w)", inline, text)
