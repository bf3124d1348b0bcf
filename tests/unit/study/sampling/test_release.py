"""Bodies released from a tilt: drawn, refused and simulated as one run by hand."""

import numpy as np
import pytest

import mcrock
from mcrock.base.params import Outcome
from mcrock.ensemble import run_study
from mcrock.study import ConfigError, load_config
from mcrock.study.sampling import draw_inputs, load_motions

FREE = """
seed = 3
[body]
shape = "cuboid"
width = 0.2
depth = 0.1
height = 0.4
density = 2600
[impact]
lambda_lon = { distribution = "uniform", low = 0.6, high = 1.0 }
[start]
edge = [0, 1]
tilt_ratio = { distribution = "uniform", low = 0.5, high = 1.2 }
[motion]
source = "none"
[ensemble]
realizations = 64
"""


@pytest.fixture
def study(tmp_path):
    def load(*overrides):
        path = tmp_path / "free.toml"
        path.write_text(FREE)
        return load_config(path, list(overrides))

    return load


def inputs_of(study):
    return draw_inputs(study, load_motions(study), 0, study.n_realizations)


def test_tilts_are_those_of_the_edge(study):
    inputs = inputs_of(study())
    # edge 0 runs along y at half the width, edge 1 along x at half the depth
    slenderness = np.arctan(np.array([0.1, 0.05]) / 0.2)[inputs.start_edge]
    assert set(inputs.start_edge) == {0, 1}
    np.testing.assert_allclose(inputs.start_tilt, inputs.values["start_tilt_ratio"] * slenderness, rtol=1e-12)
    assert inputs.start_tilt.min() < 0.55 * slenderness.max()


@pytest.mark.parametrize("edge", ["140", "[0, 140]"])
def test_edges_of_many_sided_bases_can_be_named(tmp_path, edge):
    angles = 2 * np.pi * np.arange(150) / 150
    base = (0.2 * np.stack([np.cos(angles), np.sin(angles)], -1)).tolist()
    path = tmp_path / "round.toml"
    sizes = FREE[FREE.index("width") : FREE.index("height")]
    path.write_text(FREE.replace(sizes, f"base = {base}\n").replace("cuboid", "prism"))
    inputs = inputs_of(load_config(path, [f"start.edge={edge}"]))
    assert inputs.start_edge.max() == inputs.values["start_edge"].max() == 140


def test_a_body_tilts_until_its_next_face_lies_on_the_ground(tmp_path):
    """A side that leans by 0.025 in 0.4 lies on the ground after a turn of more than a right angle."""
    sizes, path = FREE[FREE.index("width") : FREE.index("height")], tmp_path / "frustum.toml"
    base = "base = [[-0.1, -0.05], [0.1, -0.05], [0.1, 0.05], [-0.1, 0.05]]\ntop_scale = 0.5\n"
    path.write_text(FREE.replace(sizes, base).replace("cuboid", "frustum"))

    def release(tilt):
        return inputs_of(load_config(path, ["start.edge=0", f"start.tilt={tilt!r}"]))

    most = float(np.pi / 2 + np.arctan(0.025 / 0.4))
    assert release(most - 1e-9).start_tilt[0] == most - 1e-9
    with pytest.raises(ConfigError, match=rf"the tilt must be 0 to {most:.6g} rad over edge 0"):
        release(most + 1e-9)


def test_a_body_may_be_released_flat_on_still_ground(study):
    inputs = inputs_of(study("start.tilt=0"))
    assert (inputs.start_tilt == 0.0).all()
    assert (np.abs(inputs.scale) == 1.0).all()


def test_an_edge_that_no_body_has_is_refused(study):
    with pytest.raises(ConfigError, match=r"\[start\] edge: realization 0: expected an edge .*, got 130"):
        inputs_of(study("start.edge=130"))


def test_a_body_falls_beyond_its_slenderness_and_stands_below(study, tmp_path):
    ds = run_study(study(), tmp_path / "s.zarr")
    overturned = ds["outcome"].values[:, 0] == Outcome.OVERTURNED
    np.testing.assert_array_equal(overturned, ds["start_tilt_ratio"].values > 1.0)
    assert 10 < overturned.sum() < 30
    assert "record" not in ds  # every release is independent of the others


def test_a_realization_is_the_run_by_hand(study, tmp_path):
    loaded = study()
    ds = run_study(loaded, tmp_path / "s.zarr")
    body = mcrock.cuboid(0.2, 0.1, 0.4, 2600)
    for i in (0, 5, 9):
        run = mcrock.simulate(
            body,
            mcrock.Motion(np.zeros((3, 2)), dt=1e-3, name="still"),
            mcrock.Impact(lambda_lon=float(ds["impact_lambda_lon"][i])),
            start=mcrock.Start(edge=int(ds["start_edge"][i]), tilt=float(ds["start_tilt"][i])),
            controls=loaded.controls,
        )
        assert run.outcome == int(ds["outcome"][i, 0])
        assert run.impact_energy_loss == pytest.approx(float(ds["impact_energy_loss"][i, 0]), rel=1e-6)


def test_degrees_and_radians_agree(study):
    degrees = inputs_of(study("start.tilt_deg=5"))
    radians = inputs_of(study(f"start.tilt={np.radians(5.0)}"))
    np.testing.assert_allclose(degrees.start_tilt, radians.start_tilt, rtol=1e-15)


def test_released_bodies_may_be_shaken(study, tmp_path):
    record = tmp_path / "r.csv"
    record.write_text("x,y\n" + "\n".join(f"{2.0 * np.sin(6.0 * t):.6f},0" for t in 0.01 * np.arange(400)))
    motion = ("motion.source=csv", f'motion.files=["{record.name}"]', "motion.unit=m/s2", "motion.dt=0.01")
    shaken = study(*motion, "intensity.measure=factor", "intensity.levels=[0.001, 1]")
    ds = run_study(shaken, tmp_path / "s.zarr")
    still = run_study(study(), tmp_path / "still.zarr")
    weak, strong = ds["impact_energy_loss"].values.T
    assert np.mean(ds["outcome"].values[:, 0] == still["outcome"].values[:, 0]) > 0.9
    # shaking along x does nothing to a body that rocks about x
    np.testing.assert_array_equal(weak != strong, ds["start_edge"].values == 0)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("start.edge=4", r"\[start\] edge: realization 0: .* an edge of the start face, 0, 1, 2, 3, got 4"),
        ("start.tilt=1.6", r"\[start\] tilt: realization 0: the tilt must be 0 to 1.5708 rad"),
    ],
)
def test_an_impossible_release_is_refused(study, override, message):
    with pytest.raises(ConfigError, match=message):
        inputs_of(study(override))
