"""How much of the kernel there is to read at once. A budget is raised only in a commit that argues why."""

import ast
import io
import tokenize
from pathlib import Path

import pytest

import mcrock

ROOT = Path(mcrock.__file__).parent
FOLDER = ROOT / "kernel"
LONGEST = 80  # code lines of a function
DRIVER = 60  # of a function of the driver
PARAMETERS = 7
COMPLEXITY = 20  # of a function of the driver: branches and loops, and 1
MODULE = 500  # lines of a file
ALL = 9290  # lines of all files
WORDLESS = (
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER
)  # fmt: skip


def functions(path):
    source = path.read_text()
    return [(source, node) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]


def code_lines(source, node):
    """Lines of a function with code, its decorator and docstring left out."""
    tokens = tokenize.generate_tokens(io.StringIO(ast.get_source_segment(source, node)).readline)
    lines = {
        line for t in tokens if t.type not in WORDLESS for line in range(t.start[0], t.end[0] + 1)
    }  # fmt: skip
    if ast.get_docstring(node) is not None:
        words = node.body[0]
        lines -= set(range(words.lineno - node.lineno + 1, words.end_lineno - node.lineno + 2))
    return len(lines)


def complexity(node):
    """McCabe's number of a function, with each operand of `and` and `or` as a branch."""
    branches = sum(isinstance(part, ast.If | ast.For | ast.While | ast.IfExp) for part in ast.walk(node))
    return 1 + branches + sum(len(p.values) - 1 for p in ast.walk(node) if isinstance(p, ast.BoolOp))


FILES = sorted(FOLDER.rglob("*.py"))
ALL_FUNCTIONS = [
    pytest.param(source, node, id=f"{path.relative_to(FOLDER).as_posix()}-{node.name}")
    for path in FILES
    for source, node in functions(path)
]


def over(measure, budget, found=ALL_FUNCTIONS):
    sizes = {case.id: measure(*case.values) for case in found}
    return {name: size for name, size in sizes.items() if size > budget}


def test_functions_fit_on_a_screen():
    assert over(code_lines, LONGEST) == {}


def test_functions_have_few_parameters():
    assert over(lambda _, node: len(node.args.args), PARAMETERS) == {}


def test_the_driver_reads_in_one_go():
    driver = [case for case in ALL_FUNCTIONS if case.id.startswith("integrate.py-")]
    assert len(driver) > 5
    assert over(code_lines, DRIVER, driver) == {}
    assert over(lambda _, node: complexity(node), COMPLEXITY, driver) == {}


def test_files_and_all_of_them():
    lines = {path.relative_to(FOLDER).as_posix(): path.read_text().count("\n") for path in FILES}
    assert {name: n for name, n in lines.items() if n > MODULE} == {}
    assert sum(lines.values()) <= ALL


def test_the_page_shows_the_driver():
    """`mcrock docs kernel` has the body of `integrate` to the letter."""
    _, node = next(pair for pair in functions(FOLDER / "integrate.py") if pair[1].name == "integrate")
    body = "\n".join(ast.unparse(statement) for statement in node.body[1:])
    page = (ROOT / "docs" / "kernel.md").read_text(encoding="utf-8").split("```\n")[1]
    assert ast.unparse(ast.parse(page)) == body


@pytest.mark.parametrize(
    ("source", "lines", "branches"),
    [
        ("def f(x):\n    return x", 2, 1),
        ('def f(x):\n    """Words\n\n    of it."""\n    # why\n    return x', 2, 1),
        (
            "def f(x):\n    if x and not x or x:\n        return (\n            1\n        )\n    return 0",
            6,
            4,
        ),
        ("def f(x):\n    for i in x:\n        while i:\n            i = 1 if i else 0", 4, 4),
    ],
)
def test_what_is_counted(source, lines, branches):
    node = ast.parse(source).body[0]
    assert (code_lines(source, node), complexity(node)) == (lines, branches)
