"""Every uncertain input is a variable of the result, with its unit, from the draw to the file."""

import numpy as np
import pytest
import xarray as xr

from mcrock.dataset import declaration, load_dataset, save_dataset
from mcrock.ensemble import run_study
from mcrock.study import Study, load_config
from mcrock.study.design import unit_numbers
from mcrock.study.sampling import draw_inputs, variable_name
from tests.unit.conftest import write_study

BOX = [[x, y, z] for x in (0, 0.5) for y in (0, 0.6) for z in (0, 1.2)]
TRIANGLE = [[-0.3, -0.3], [0.4, -0.3], [0.0, 0.5]]


def near(value, width=0.01):
    return {"distribution": "uniform", "low": value - width, "high": value + width}


def uncertain(points):
    return [[near(value) for value in point] for point in points]


# a tetrahedron keeps its faces wherever its corners are
TETRAHEDRON = uncertain([[0, 0, 0], [0.8, 0, 0], [0.3, 0.7, 0], [0.35, 0.25, 0.9]])
INERTIA = [[near(12), near(0.2), 0.0], [near(0.2), near(11), 0.0], [0.0, 0.0, near(4)]]
LIGHT = np.diag([6.0, 5.0, 4.0]).tolist()
BODIES = {
    "cuboid": {"width": near(0.4), "depth": near(0.4), "height": near(1.2), "density": near(2000, 10)},
    "prism": {"base": uncertain(TRIANGLE), "height": near(1.0), "mass": near(500), "com_x": near(0)},
    "frustum": {"base": uncertain(TRIANGLE), "height": near(1.0), "mass": 500, "top_scale": near(0.6)},
    "cylinder": {"radius": near(0.3), "height": near(1.0), "density": 2000, "gravity": near(9.81)},
    "polyhedron": {"vertices": TETRAHEDRON, "density": near(2000, 10), "scale": near(1.0)},
    "free": {"base": uncertain(TRIANGLE), "com": [near(0), near(0), near(0.6)], "mass": near(100),
             "inertia": INERTIA},
}  # fmt: skip
GIVEN = {"vertices": BOX, "com": [near(0.25), 0.3, near(0.6)], "mass": near(60), "inertia": LIGHT}
IMPACT = {
    "lambda": near(0.8), "tau": near(0.0), "lambda_lon": near(0.7), "lambda_lat": near(0.0),
    "tau_facet": near(0.0), "draw": ["run", "impact"], "energy_gain": ["project", "allow"],
    "facet_fallback": ["rest", "plastic"],
    "faces": [{"face": 2, "lambda_lon": near(0.5)}, {"face": 0, "lambda_lat": near(0.1)}],
}  # fmt: skip


@pytest.fixture
def make(make_study):
    def build(body, **tables):
        raw = make_study("ensemble.design=random").model_dump(by_alias=True, exclude_none=True)
        return Study.model_validate(raw | {"body": body} | tables)

    return build


@pytest.mark.parametrize("shape", [*BODIES, "given"])
def test_every_uncertain_input_is_a_variable(make, motions, shape):
    body = {"shape": "polyhedron"} | GIVEN if shape == "given" else {"shape": shape} | BODIES[shape]
    motion = {"source": "csv", "files": ["a.csv"], "unit": "g", "azimuth": near(1.0), "polarity": [1, -1]}
    intensity = {"measure": "pga", "value": near(2.0)}
    impact = IMPACT if shape != "free" else IMPACT | {"faces": []}  # which has but one face
    study = make(body, impact=impact, motion=motion | {"assignment": "random"}, intensity=intensity)
    inputs = draw_inputs(study, motions, 0, 20)
    u = unit_numbers(study, 3, 0, 20)
    names = [name for name in study.uncertain if name.startswith("body.")]
    count = sum(isinstance(value, dict) for value in flat(body))
    assert len(names) == count - (shape == "free")  # an entry off the diagonal is written twice
    for name in study.uncertain:
        values = inputs.values[variable_name(name)]
        assert values.shape == (20,)
        assert values.dtype == np.dtype(declaration(variable_name(name)).dtype)
        if name in study.quantities and not isinstance(study.quantities[name], tuple):
            drawn = study.quantities[name].quantile(u[name])
            kept = np.isfinite(values)  # not those that are drawn anew at every impact
            assert kept.sum() >= (5 if name.startswith("impact.") else 20)
            np.testing.assert_allclose(values[kept], drawn[kept], rtol=1e-12)


def flat(value):
    """All numbers and distributions of a table."""
    if isinstance(value, dict) and "distribution" not in value:
        return [item for part in value.values() for item in flat(part)]
    return [item for part in value for item in flat(part)] if isinstance(value, list) else [value]


def test_parameters_of_a_face_are_nan_where_they_are_drawn_at_every_impact(make, motions):
    study = make({"shape": "cuboid", "width": 0.4, "depth": 0.4, "height": 1.0, "mass": 9}, impact=IMPACT)
    inputs = draw_inputs(study, motions, 0, 40)
    anew = inputs.values["impact_draw"] == 1
    assert 0 < anew.sum() < 40
    for name in ("impact_face_2_lambda_lon", "impact_face_0_lambda_lat"):
        assert (np.isnan(inputs.values[name]) == anew).all()
    assert "impact_face_2_lambda_lat" not in inputs.values  # which is that of the body
    assert inputs.values["impact_face_2_lambda_lon"][~anew].max() < 0.51


def test_names_are_those_of_the_study_file_made_plain():
    for name, variable in {
        "body.vertices[3][2]": "body_vertices_3_2",
        "body.com[0]": "body_com_0",
        "impact.face_12.lambda_lon": "impact_face_12_lambda_lon",
        "body.radius": "body_base_radius",  # body_radius is R
        "motion.azimuth": "azimuth",
        "body.gravity": "gravity",
    }.items():
        assert variable_name(name) == variable
        assert declaration(variable).dims == ("realization",)


def test_drawn_vertices_and_faces_are_in_store_and_file(make, tmp_path):
    raw = load_config(write_study(tmp_path)).model_dump(by_alias=True, exclude_none=True)
    raw |= {"body": {"shape": "polyhedron"} | BODIES["polyhedron"], "ensemble": {"realizations": 8}}
    raw |= {"impact": IMPACT, "intensity": {"measure": "pga", "levels": [3.0]}}
    study = Study.from_data(raw, "test", tmp_path)
    ds = run_study(study, tmp_path / "s.zarr")
    for name in ("body_scale", "body_vertices_3_2", "impact_face_2_lambda_lon"):
        assert ds[name].dims == ("realization",)
        assert ds[name].attrs["units"] in ("1", "m")
        assert ds[name].attrs["long_name"]
    names = list(ds.data_vars)
    assert names.index("body_vertices_3_2") < names.index("outcome")
    save_dataset(ds, tmp_path / "s.nc")
    with load_dataset(tmp_path / "s.nc") as copy:
        xr.testing.assert_identical(copy.load(), ds.load())
    run_study(study, tmp_path / "s.zarr", overwrite=True)  # no file of the store is a stranger
