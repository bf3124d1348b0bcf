"""What a notebook shows of a body, a study, a run and a figure."""

import re
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import mcrock as mr
from mcrock.base.session import in_notebook, shown_progress
from mcrock.ensemble import Progress
from mcrock.measurement import Fit
from mcrock.measurement.misfit import Misfit
from mcrock.measurement.recording import Landings
from mcrock.show.report.page import html_of
from tests.unit.conftest import write_study
from tests.unit.show.test_page import Page

BLOCK = mr.cuboid(0.4, 0.4, 1.6, 2600)


def cells(html):
    page = Page(html)
    assert all(address.startswith("data:image/svg+xml;base64,") for address in page.addresses)
    return dict(zip(page.cells[::2], page.cells[1::2], strict=True)), page


def test_body_is_drawn_with_its_numbers():
    found, page = cells(BLOCK._repr_html_())
    assert len(page.addresses) == 1
    assert found["mass"] == "665.6 kg"
    assert found["slenderness"] == "0.244979 rad (14.04 deg)"


def test_study_shows_body_inputs_and_size(tmp_path):
    study = mr.load_config(write_study(tmp_path), ['title="<b>bold</b>"'])
    found, page = cells(study._repr_html_())
    assert "<b>" not in study._repr_html_()
    assert "<b>bold</b>" in page.text
    assert found["size"] == "40 realizations x 3 intensities = 120 runs"
    assert found["impact.lambda [1] (anew at every impact)"] == "uniform: low 0.6, high 1"


@pytest.mark.parametrize("history", [True, False])
def test_run_shows_its_results(history):
    run = mr.simulate(BLOCK, start=mr.Start(edge=1, tilt=0.1), t_end=3, history=history)
    found, page = cells(run._repr_html_())
    assert found["integration steps taken"] == str(int(run.steps))
    assert page.text.startswith(run.outcome.name.lower().replace("_", " "))


def test_every_displayed_class_has_a_view():
    sources = [path.read_text(encoding="utf-8") for path in Path(mr.__file__).parent.rglob("*.py")]
    displayed = {name for text in sources for name in re.findall(r"class (\w+)\(Displayed\b", text)}
    assert displayed == {cls.__name__ for cls in html_of.registry} - {"object"} | {"Fit"}  # that of no class


def test_a_fit_shows_its_estimates_and_intervals():
    time = np.linspace(0.0, 1.0, 5)
    fit = Fit(
        name="test 3", edge=1, estimates={"time": 0.25, "lambda": 0.812345},
        intervals={"lambda": (0.80, 0.83)}, standard_errors={"lambda": 0.008}, profiles={},
        covariance=np.eye(2), error=0.1, noise=0.05, time=time, measured=np.ones((5, 3)),
        simulated=np.zeros((5, 3)), kept=np.ones(5, bool),
        bias=np.zeros(3), turn=np.zeros(3), landings=Landings(time[:2], time[:2]),
        along=np.array([1.0, 0, 0]), across=np.array([0, 1.0, 0]), impact=mr.Impact(),
        bounds={"lambda": (0.3, 2.0)}, resolved=True, misfit=Misfit(0.05, 1.0, 1.0, 0.0, 0.0, 0.1),
        by_size=np.zeros((3, 2)), averaging=0.0, level=0.95, objective="robust", simulations=9,
    )  # fmt: skip
    found, page = cells(fit._repr_html_())
    assert found == {"time [s]": "0.25", "lambda [1]": "0.812 (95%: 0.800 to 0.830)"}
    assert len(page.addresses) == 1


def test_objects_stay_what_they_are():
    assert not hasattr(BLOCK, "__dict__")
    assert repr(BLOCK).startswith("Body(665.6 kg, slenderness 0.245 rad")


def test_figures_show_themselves(make_study):
    ax = mr.plot_fragility(make_study())
    assert ax._repr_png_().startswith(b"\x89PNG")
    from matplotlib.figure import Figure

    own = Figure().add_subplot()
    assert not hasattr(mr.plot_fragility(make_study(), own), "_repr_png_")


class Handle:
    def __init__(self, shown):
        self.shown = shown

    def update(self, item):
        self.shown.append(item)


def test_bar_is_shown_in_notebooks_alone(monkeypatch):
    assert not in_notebook()
    with shown_progress(None) as report:
        assert report is None
    shown = []
    shell = types.SimpleNamespace(kernel=None)
    package, module = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    package.get_ipython = lambda: shell
    module.HTML = str
    module.display = lambda item, display_id: shown.append(item) or Handle(shown)
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    assert in_notebook()
    state = Progress(total_runs=6, overturned=np.zeros(3, int), intensities=(1.0, 2.0, 3.0), units="m s-1")
    with shown_progress(None) as report:
        report(state)
        state.add(2, np.array([0, 1, 2]))
        report(state)
    values = [re.search(r'value="(\d+)" max="(\d+)"', item).groups() for item in shown]
    assert values == [("0", "6"), ("6", "6")]
    assert "overturned so far: 0.00 at 1 m/s, 0.50 at 2 m/s, 1.00 at 3 m/s" in shown[-1]
    heard = []
    with shown_progress(heard.append) as report:
        assert report == heard.append


def test_drawing_is_imported_when_it_is_shown():
    code = "import sys, mcrock; mcrock.cuboid(0.4, 0.4, 1.6, 2600); print('matplotlib' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
