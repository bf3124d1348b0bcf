"""Shapes of a study's bodies: what a new one takes, and that every drawn number has its variable."""

import re
import subprocess
import sys
from typing import Annotated, ClassVar, Literal

import numpy as np
import pytest

from mcrock.base.tables.distributions import Quantity, Uncertain
from mcrock.base.tables.fields import Input
from mcrock.base.units import unit_in_dataset
from mcrock.body.keys import Solid, Upright
from mcrock.body.parts import NOT_OF_PARTS, PARTS, SHAPES
from mcrock.body.solids import prisms
from mcrock.dataset.schema import declaration, table_inputs
from mcrock.ensemble import run_study
from mcrock.show.describe import describe
from mcrock.study import load_config
from mcrock.study.sampling import draw_inputs, load_motions, variable_name

STUDY = """
seed = 3
[body]
shape = "wedge"
breadth = { distribution = "uniform", low = 0.5, high = 0.8 }
height = 1.2
density = 2000
[motion]
source = "pulse"
shape = "one-sine"
period = 0.8
[intensity]
measure = "pga"
levels = [4.0]
[ensemble]
realizations = 6
"""


class Wedge(Solid, Upright):
    """Upright wedge on an equilateral triangle."""

    inputs: ClassVar = {"breadth": Input("side of the triangle")}

    shape: Literal["wedge"]
    breadth: Annotated[Quantity, Uncertain("m", above=0.0)]

    def build(self, draws):
        corners = np.array([(0.0, 0.0), (1.0, 0.0), (0.5, 0.75**0.5)])
        base = draws["breadth"][:, None, None] * corners
        return prisms(base, draws["height"], self.weight(draws), draws["gravity"])


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Study of a shape that mcrock does not have, with overrides."""
    monkeypatch.setitem(SHAPES, "wedge", Wedge)
    table_inputs.cache_clear()

    def study(*overrides):
        path = tmp_path / "study.toml"
        path.write_text(STUDY)
        return load_config(path, list(overrides))

    yield study
    table_inputs.cache_clear()


def test_a_new_shape_is_a_class_and_its_line(load, tmp_path):
    study = load()
    motions = load_motions(study)
    assert "body: wedge" in describe(study, motions)
    inputs = draw_inputs(study, motions, 0, 6)
    breadth = inputs.values["body_breadth"]
    assert np.ptp(breadth) > 0.1
    np.testing.assert_allclose(inputs.mass, 2000 * 1.2 * 0.75**0.5 / 2 * breadth**2, rtol=1e-12)
    ds = run_study(study, tmp_path / "wedges.zarr")
    assert ds["body_breadth"].attrs == {"units": "m", "long_name": "side of the triangle"}
    names = list(ds.data_vars)
    assert names.index("body_com_z") < names.index("body_breadth") < names.index("gravity")


def test_an_impossible_body_of_a_new_shape_is_refused(load):
    with pytest.raises(ValueError, match=r"\[body\] breadth: must be > 0 \[m\], got -1"):
        load("body.breadth=-1")
    with pytest.raises(ValueError, match=r"the centre of mass must stand over the inside of the base"):
        load("body.breadth=0.1", "body.com_x=0.2")


KINDS = [(table, "body.") for table in SHAPES.values()]
KINDS += [(table, "body.parts[3].") for table in PARTS.values()]


@pytest.mark.parametrize(("table", "place"), KINDS, ids=lambda item: getattr(item, "__name__", item))
def test_every_number_that_may_be_uncertain_has_a_variable_in_its_unit(table, place):
    settings = {*table.settings} - {"vertices"}  # which are listed whole and drawn one by one
    kinds = {key: table.kind(key) for key in table.key_names() if key not in settings}
    numbers = {key: kind for key, kind in kinds.items() if isinstance(getattr(kind, "unit", None), str)}
    assert {"gravity", *["mass"] * (table is not SHAPES["composite"])} <= numbers.keys()
    for key, kind in numbers.items():
        if table in PARTS.values() and key in NOT_OF_PARTS:
            continue
        variable = variable_name(f"{place}{key}{'[0]' * getattr(kind, 'n_places', 0)}")
        found = declaration(variable)
        assert found.units == unit_in_dataset(kind.unit)
        assert not re.search(r"[{}#]", found.long_name)


def test_a_body_of_python_needs_nothing_that_reads_study_files():
    code = (
        "import sys; from mcrock.body import cuboid; cuboid(0.4, 0.4, 1.6, 2600); "
        "print(sorted({'pydantic', 'scipy', 'xarray', 'numba'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
