"""Pages of the gallery and notebooks: each has its question, and when run gives the numbers of its answer."""

import json
import os
import re
import sysconfig

import pytest

from tests.unit.docs.pages import PACKAGE

SITE = PACKAGE / "docs" / "site"
PAGES = sorted((SITE / "gallery").glob("*.md"))
NOTEBOOKS = sorted((PACKAGE / "docs" / "notebooks").glob("*.ipynb"))
CELL = re.compile(r"^```\{code-cell\} python\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?")


def of_page(path):
    """The cells of a page or a notebook."""
    if path.suffix == ".ipynb":
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return CELL.findall(path.read_text(encoding="utf-8"))


def answer_of(path):
    """The paragraph of a page that answers its question."""
    found = re.search(r"^\*\*Answer\*\*: (.*?)\n\n", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    assert found, f"{path.name} has no answer"
    return found[1]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_has_a_question_and_an_answer(path):
    head = path.read_text(encoding="utf-8").split("\n---\n")[1]
    assert re.match(r"\n# .*\n\n\*\*[^*]+\?\*\*\n\n\*\*Answer\*\*: ", head)
    assert of_page(path)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_output(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)


@pytest.mark.slow
@pytest.mark.parametrize("path", PAGES + NOTEBOOKS, ids=lambda path: path.stem)
def test_a_page_runs(path, tmp_path, monkeypatch):
    """All cells run, and every number of the answer is one that they print, rounded as the answer has it."""
    nbclient = pytest.importorskip("nbclient", reason="notebooks need pip install 'mcrock[docs]'")
    from nbformat.v4 import new_code_cell, new_notebook

    monkeypatch.setenv("PATH", os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]]))
    book = new_notebook(cells=[new_code_cell(cell) for cell in of_page(path)])
    place = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(book, timeout=900, coalesce_streams=True, resources=place).execute()
    outputs = [output for cell in book.cells for output in cell.outputs]
    if path.suffix == ".md":
        text = " ".join(
            str(output.get("text") or output.get("data", {}).get("text/plain")) for output in outputs
        )
        printed = [float(number) for number in NUMBER.findall(text + " ".join(of_page(path)))]
        for number in NUMBER.findall(answer_of(path).replace("-", " ")):
            digits = len(number.partition(".")[2])
            assert float(number) in {round(value, digits) for value in printed}, f"{path.name}: {number}"
    assert any("image/png" in output.get("data", {}) for output in outputs), f"{path.name} has no figure"
