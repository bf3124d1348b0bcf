"""Figures of a user in a notebook, next to those of mcrock."""

import pytest

CELLS = [
    "import matplotlib.pyplot as plt\nimport mcrock as mr\n"
    "with mr.plots.paper_style():\n    figure, ax = plt.subplots()",
    "figure, ax = plt.subplots()\nax.plot([0, 1]);",
]


def test_figures_show_after_the_settings_of_mcrock(tmp_path, monkeypatch):
    nbclient = pytest.importorskip("nbclient", reason="notebooks need pip install 'mcrock[docs]'")
    from nbformat.v4 import new_code_cell, new_notebook

    monkeypatch.delenv("MPLBACKEND", raising=False)  # that of the notebook
    book = new_notebook(cells=[new_code_cell(cell) for cell in CELLS])
    nbclient.NotebookClient(book, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    for cell in book.cells:
        assert any("image/png" in output.get("data", {}) for output in cell.outputs), cell.source
