"""Responses are declared once: what the kernel writes, the schema declares and a dataset holds."""

import ast
from pathlib import Path

import numpy as np
import pytest

import mcrock
from mcrock.base.params import EventColumn, HistoryColumn, Response
from mcrock.dataset import OUTPUT, SCHEMA, build_dataset, outputs
from mcrock.kernel.results import RESULT_SIZE, START, Scratch

KERNEL = Path(mcrock.__file__).parent / "kernel"
NAN, INF = float("nan"), float("inf")
# variables of a dataset in their order, as stores on disk have them: type, units, value at the start of a
# run, and a part of the long name that tells it from the others
DECLARED = {
    "outcome": ("i1", "1", 0.0, "how the run ended"),
    "overturning_time": ("f4", "s", NAN, "the body overturned"),
    "overturning_direction": ("f4", "rad", NAN, "azimuth of the fall"),
    "peak_tilt": ("f4", "rad", 0.0, "tilt of the body axis"),
    "peak_tilt_ratio": ("f4", "1", 0.0, "tilt over the smallest slenderness"),
    "peak_rotation_x": ("f4", "rad", 0.0, "about the base axis x"),
    "peak_rotation_y": ("f4", "rad", 0.0, "about the base axis y"),
    "out_of_plane_factor": ("f4", "1", NAN, "smaller over larger peak rotation"),
    "edge_impacts": ("i4", "1", 0.0, "number of edge impacts"),
    "facet_impacts": ("i4", "1", 0.0, "number of facet impacts"),
    "impact_energy_loss": ("f4", "J", 0.0, "energy lost in impacts"),
    "final_face": ("i2", "1", -1.0, "face on which"),
    "final_yaw": ("f4", "rad", 0.0, "about the vertical at the end"),
    "final_displacement_x": ("f4", "m", 0.0, "along ground x"),
    "final_displacement_y": ("f4", "m", 0.0, "along ground y"),
    "peak_friction_demand": ("f4", "1", 0.0, "horizontal over vertical contact force"),
    "lowest_normal_force": ("f4", "1", 1.0, "vertical contact force over the weight"),
    "contact_lost": ("i1", "1", 0.0, "tensile"),
    "infeasible_edge_impacts": ("i4", "1", 0.0, "edge impacts without feasible pivot"),
    "infeasible_facet_impacts": ("i4", "1", 0.0, "facet impacts without feasible pivot"),
    "infeasible_energy_loss": ("f4", "1", 0.0, "lost in infeasible impacts"),
    "edge_stick_infeasible": ("i1", "1", 0.0, "could not be released"),
    "energy_gain_impacts": ("i4", "1", 0.0, "gain energy"),
    "end_time": ("f4", "s", 0.0, "time at which the run ended"),
    "steps": ("i4", "1", 0.0, "integration steps"),
    "half_step_outcome": ("i1", "1", 0.0, "at half the time step"),
    "certified_friction": ("f4", "1", 0.0, "certified to be the same with friction"),
    "peak_impact_friction": ("f4", "1", 0.0, "horizontal over vertical impulse"),
    "pulling_impacts": ("i4", "1", 0.0, "pull the body down"),
    "uplift_margin": ("f4", "1", 0.0, "over restoring moment"),
    "certified_until": ("f4", "s", INF, "contacts that stick"),
    "slip_path": ("f4", "m", 0.0, "a corner slips"),
    "peak_displacement": ("f4", "m", 0.0, "displacement of the base centre"),
    "friction_energy_loss": ("f4", "J", 0.0, "lost in slip"),
    "flights": ("i4", "1", 0.0, "number of flights"),
    "longest_flight": ("f4", "s", 0.0, "longest flight"),
    "rest_share": ("f4", "1", 0.0, "at rest"),
    "sliding_share": ("f4", "1", 0.0, "flat on a face"),
    "rocking_share": ("f4", "1", 0.0, "that sticks"),
    "slide_rocking_share": ("f4", "1", 0.0, "that slips"),
    "flight_share": ("f4", "1", 0.0, "in flight"),
    "unconverged_impacts": ("i4", "1", 0.0, "did not converge"),
    "jams": ("i4", "1", 0.0, "left no contact force"),
    "contact_solves": ("i4", "1", 0.0, "times that a contact was solved"),
}
OF_FRICTION = list(DECLARED)[list(DECLARED).index("certified_until") :]
CODES = {"outcome", "half_step_outcome"}


def test_responses_are_those_of_stores_on_disk():
    assert [response.variable for response in Response] == list(DECLARED)
    assert list(Response) == list(range(len(DECLARED)))  # each has a column, and no two share one
    for response in Response:
        dtype, units, start, words = DECLARED[response.variable]
        assert (response.dtype, response.units) == (dtype, units)
        np.testing.assert_equal(response.start, start)
        assert words in response.long_name
        assert (response.flags is not None) == (response.variable in CODES)


def test_the_schema_declares_every_response():
    assert [response.variable for response in Response if response.of_friction] == OF_FRICTION
    assert list(DECLARED) == list(outputs(friction=True)) == [name for name in SCHEMA if name in DECLARED]
    assert [*outputs(friction=False), *OF_FRICTION] == list(DECLARED)
    # of the motion, not of the kernel
    beside = {"peak_acceleration", "isolator_displacement", "beyond_stroke"}
    assert set(DECLARED) | beside == {name for name, variable in SCHEMA.items() if variable.dims == OUTPUT}
    for response in Response:
        assert SCHEMA[response.variable] == (
            OUTPUT, response.dtype, response.units, response.long_name, response.flags
        )  # fmt: skip


def test_a_dataset_holds_each_response_under_its_name():
    ds = build_dataset({response.variable: np.full((2, 3), int(response)) for response in Response})
    assert list(ds.data_vars) == list(DECLARED)
    for response in Response:
        assert (ds[response.variable] == int(response)).all()
        assert ds[response.variable].attrs["long_name"] == response.long_name


def test_scratch_columns_are_behind_the_responses():
    assert [*Response, *Scratch] == list(range(RESULT_SIZE))
    np.testing.assert_array_equal(START, [*(r.start for r in Response), *(0.0 for _ in Scratch)])


def accesses():
    """Array, column and whether it is stored to, of every access to results or to a row of a trace."""
    for path in sorted(KERNEL.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            # with friction `out` and `row` are states and contacts
            arrays = ("result",) if "friction" in path.parts else ("result", "out", "row")
            if not isinstance(node, ast.Subscript):
                continue
            array = ast.unparse(node.value).removeprefix("run.")
            if array in arrays:
                column = node.slice.elts[-1] if isinstance(node.slice, ast.Tuple) else node.slice
                yield array, ast.unparse(column), isinstance(node.ctx, ast.Store)


def test_compiled_code_writes_every_column_and_names_each():
    written = {column for _, column, stored in accesses() if stored and "." in column}
    tables = Response, Scratch, HistoryColumn, EventColumn
    assert written == {f"{table.__name__}.{member.name}" for table in tables for member in table}
    unnamed = {column for array, column, _ in accesses() if array == "result" and "." not in column}
    assert unnamed == {"i", "column"}  # loops over all columns
    assert not any(column.lstrip("-").isdigit() for _, column, _ in accesses())


@pytest.mark.parametrize("table", [HistoryColumn, EventColumn])
def test_columns_of_a_trace_are_numbered_from_0(table):
    assert list(table) == list(range(len(table.__members__)))
    for group in (("Q0", "Q1", "Q2", "Q3"), ("OMEGA_X", "OMEGA_Y", "OMEGA_Z"), ("COM_X", "COM_Y", "COM_Z")):
        columns = [int(table[name]) for name in group if name in table.__members__]
        assert (
            columns == list(range(columns[0], columns[0] + len(group))) if columns else table is EventColumn
        )
