"""Inputs depend on the study and on the index of a realization, and on nothing else."""

from dataclasses import fields
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcrock.base.params import STANDARD_GRAVITY, EnergyGain
from mcrock.body import cuboid
from mcrock.dataset import SCHEMA
from mcrock.study import ConfigError, Study
from mcrock.study.design import _latin_hypercube, choose, stream, unit_numbers
from mcrock.study.sampling import check_inputs, draw_inputs

DESIGNS = ("sobol", "sobol_by_record", "random", "latin_hypercube")


def arrays(inputs):
    """Arrays on realization of some inputs, by name."""
    found = {field.name: getattr(inputs, field.name) for field in fields(inputs)}
    found = {name: array for name, array in found.items() if isinstance(array, np.ndarray)}
    del found["quantiles"], found["face_parameters"]  # the same for all realizations
    if inputs.motions:
        del found["record"]  # places in a list of those of this slice
    return found | {f"values.{name}": array for name, array in inputs.values.items()}


def assert_same(parts, whole):
    """The parts, joined, are the whole bit for bit."""
    parts = [arrays(part) for part in parts]
    for name, array in arrays(whole).items():
        np.testing.assert_array_equal(np.concatenate([part[name] for part in parts]), array, err_msg=name)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("assignment", ["cycle", "random"])
@settings(max_examples=8)
@given(cuts=st.sets(st.integers(1, 199), max_size=6))
def test_any_split_gives_the_same_inputs(make_study, motions, design, assignment, cuts):
    if design == "sobol_by_record":
        assignment = "cycle"
    study = make_study(f"ensemble.design={design}", f"motion.assignment={assignment}")
    ends = [0, *sorted(cuts), 200]
    parts = [draw_inputs(study, motions, a, b) for a, b in pairwise(ends)]
    assert_same(parts, draw_inputs(study, motions, 0, 200))


@pytest.mark.parametrize("design", ["sobol", "sobol_by_record", "random"])
@settings(max_examples=8)
@given(n=st.integers(1, 200), more=st.integers(0, 500))
def test_first_realizations_stay_when_more_are_added(make_study, motions, design, n, more):
    short = make_study(f"ensemble.design={design}", f"ensemble.realizations={n}")
    long = make_study(f"ensemble.design={design}", f"ensemble.realizations={n + more}")
    assert_same([draw_inputs(long, motions, 0, n)], draw_inputs(short, motions, 0, n))


LISTED = "body.width={{distribution='listed', values={}}}"
WIDTHS = [0.38 + 0.01 * (i % 5) for i in range(60)]
DRAWN = "{distribution='uniform', low=0.3, high=0.5}"
KINDS = {  # a study of 40 realizations, and more of a longer one
    **{design: [f"ensemble.design={design}"] for design in (*DESIGNS, "sobol_indices")},
    "contacts": [f"contact.friction={DRAWN}", f"contact.restitution={DRAWN}", "ensemble.design=random"],
    "cloud": [f"intensity.value_g={DRAWN}", "intensity.variables=['pgv']"],
    "drawn at impacts": ["impact.draw=['run', 'impact']", "impact.faces=[{face=0, lambda_lon=0.5}]"],
    "slopes": [f"ground.slope_x_deg={DRAWN}"],
    "floors": ["motion.floor.frequency={distribution='uniform', low=1, high=3}"],
    "listed": [LISTED.format(WIDTHS[:40])],
    "pulses": [f'motion={{source="pulse", shape=["one-sine", "ricker-antisymmetric"], period={DRAWN}}}'],
    "noise": [
        f'motion={{source="synthetic", duration=4.0, dt=0.02, frequency=2.0, middle=1.5, arias={DRAWN}}}'
    ],
    "spectra": [
        'motion={source="spectrum", ground=["A", "D"], components=1, rise=1, level=5, decay=2, dt=0.02, '
        "band=[0.2, 2]}"
    ],
}


@pytest.mark.parametrize("kind", KINDS)
def test_inputs_of_every_kind_belong_to_their_realization(make_study, motions, kind):
    """In any slice, with their motions, in a stored study, and in a longer one that may be extended."""
    study = make_study(*KINDS[kind], "ensemble.realizations=40")
    if study.motion.is_generated:
        motions = study.motion.load(study.folder)[0]
    whole = draw_inputs(study, motions, 0, 40)
    parts = [draw_inputs(study, motions, a, b) for a, b in ((0, 17), (17, 18), (18, 40))]
    assert_same(parts, whole)
    own = [motion.acceleration for part in parts for motion in part.motions or ()]
    for one, other in zip(own, whole.motions or (), strict=True):
        np.testing.assert_array_equal(one, other.acceleration)
    assert len({motion.tobytes() for motion in own}) == len(own)
    assert_same([draw_inputs(Study.from_json(study.to_json()), motions, 0, 40)], whole)
    if kind != "latin_hypercube":
        more = LISTED.format(WIDTHS) if kind == "listed" else "ensemble.realizations=60"
        longer = make_study(*KINDS[kind], "ensemble.realizations=60", more)
        assert_same([draw_inputs(longer, motions, 0, 40)], whole)


def test_another_uncertain_input_changes_no_other_of_a_random_design(make_study, motions):
    few = make_study("ensemble.design=random")
    more = make_study("ensemble.design=random", "body.depth={distribution='uniform', low=0.3, high=0.4}")
    a, b = (draw_inputs(study, motions, 0, 50).values for study in (few, more))
    for name in (
        "body_width",
        "body_height",
        "body_com_x",
        "impact_lambda",
        "azimuth",
        "polarity",
        "energy_gain",
    ):
        np.testing.assert_array_equal(a[name], b[name])
    assert np.ptp(b["body_depth"]) > 0


@pytest.mark.parametrize("design", DESIGNS)
def test_seed_changes_the_draws(make_study, motions, design):
    a, b = (
        draw_inputs(make_study(f"ensemble.design={design}", s), motions, 0, 9) for s in ("seed=1", "seed=2")
    )
    assert not np.any(a.azimuth == b.azimuth)


def test_streams_are_the_same_on_every_machine():
    assert stream("body.width") == 0xFFA64AF2A4894A87  # blake2b, frozen
    assert stream("body.width") != stream("body.depth")


@pytest.mark.parametrize("design", DESIGNS)
def test_unit_numbers_are_uniform(make_study, design):
    n = 4096
    study = make_study(f"ensemble.design={design}", f"ensemble.realizations={n}")
    for u in unit_numbers(study, 3, 0, n).values():
        assert 0.0 < u.min() < u.max() < 1.0
        counts = np.bincount((u * 16).astype(int), minlength=16)
        # random: 96 counts of mean 256 and deviation 15.5; beyond 5 deviations once in 20000 seeds
        assert abs(counts - n / 16).max() < {"random": 78, "sobol_by_record": 3}.get(design, 1)


def test_sobol_shows_every_motion_the_whole_range(make_study, motions):
    eight = motions[:1] * 8  # in a fixed order each would meet one quarter of the first dimension
    study = make_study("ensemble.realizations=2048")
    record = draw_inputs(study, eight, 0, 2048).record
    for u in unit_numbers(study, 3, 0, 2048).values():
        for i in range(8):
            # 8 bins of mean 32 and binomial deviation 5.3: 5 deviations, for one seed in 2000
            counts = np.bincount((u[record == i] * 8).astype(int), minlength=8)
            assert abs(counts - 32).max() < 27


def test_sobol_points_lie_in_the_middle_of_their_resolution(make_study):
    """Of 30 bits: none is 0 or 1, and a study of a billion realizations has no point twice."""
    for u in unit_numbers(make_study(), 3, 0, 64).values():
        np.testing.assert_array_equal(u * 2**30 % 1, 0.5)


def test_a_hypercube_is_open_and_cannot_be_written_to(make_study, monkeypatch):
    """It is kept from slice to slice. Of a single input no copy is made."""
    cube = _latin_hypercube(5, 1, 4)
    with pytest.raises(ValueError, match="read-only"):
        cube[0] = 0.5
    ends = np.array([[0.0], [0.25], [1.0]])
    monkeypatch.setattr("scipy.stats.qmc.LatinHypercube.random", lambda self, n: ends)
    inner = _latin_hypercube(6, 1, 3)
    assert 0.0 < inner[0] < 1e-300
    assert inner[1] == 0.25
    assert inner[2] == np.nextafter(1.0, 0.0)


@pytest.mark.parametrize("design", DESIGNS)
def test_draws_of_what_is_epistemic_are_one_number_each(make_study, design):
    study = make_study(f"ensemble.design={design}", "body.width.epistemic=true", "ensemble.outer=3")
    plain, *draws = (unit_numbers(study, 3, 0, 200, *outer) for outer in ((), (0,), (1,), (2,)))
    assert len({float(u["body.width"][0]) for u in draws}) == 3
    for u in draws:
        assert (u["body.width"] == u["body.width"][0]).all()
        for name in set(study.uncertain) - {"body.width"}:
            np.testing.assert_array_equal(u[name], plain[name])
    assert plain["body.width"][0] == draws[0]["body.width"][0]


def test_codes_take_a_byte_if_they_fit():
    u = np.array([0.1, 0.4, 0.6, 0.9])
    for most, dtype in ((127, np.int8), (128, np.int64)):
        codes = choose(u, [3, most])
        assert codes.dtype == dtype
        np.testing.assert_array_equal(codes, [3, 3, most, most])


def test_a_sobol_design_by_record_is_even_within_every_record(make_study, motions):
    """32 points of each of three motions: one in each of 32 intervals, in every dimension."""
    study = make_study("ensemble.design=sobol_by_record", "ensemble.realizations=96")
    record = draw_inputs(study, motions, 0, 96).record
    points = np.stack(list(unit_numbers(study, 3, 0, 96).values()))
    for i in range(3):
        bins = np.sort((points[:, record == i] * 32).astype(int), axis=1)
        np.testing.assert_array_equal(bins, np.broadcast_to(np.arange(32), bins.shape))
    apart = [np.sort(points[0, record == i]) for i in range(3)]  # each with a scramble of its own
    assert (np.abs(apart[0] - apart[1]) > 1e-6).any()
    assert (np.abs(apart[0] - apart[2]) > 1e-6).any()


@pytest.mark.parametrize("design", DESIGNS)
def test_cycle_meets_every_motion_once_per_block(make_study, motions, design):
    record = draw_inputs(make_study(f"ensemble.design={design}"), motions, 0, 198).record
    assert (np.sort(record.reshape(-1, 3), axis=1) == [0, 1, 2]).all()
    if design != "sobol":
        np.testing.assert_array_equal(record, np.arange(198) % 3)


def test_bodies_and_scales(make_study, motions):
    inputs = draw_inputs(make_study(), motions, 5, 25)
    values = inputs.values
    assert (len(inputs), inputs.start, inputs.seed) == (20, 5, 11)
    assert inputs.faces == cuboid(1.0, 1.0, 1.0, mass=1.0).faces
    for i in (0, 19):
        com = [values["body_com_x"][i], 0.0, 0.0]
        size = [values[f"body_{name}"][i] for name in ("width", "depth", "height")]
        body = cuboid(*size, density=2600, com=com)
        assert inputs.mass[i] == pytest.approx(body.mass)
        np.testing.assert_allclose(inputs.inertia[i], body.inertia)
        np.testing.assert_allclose(inputs.vertices[i], body.vertices)
        assert values["body_slenderness"][i] == pytest.approx(body.slenderness)
        assert values["body_frequency"][i] == pytest.approx(body.frequency)
    peak = np.array([1.0, 2.0, 3.0])[inputs.record]
    levels = np.array([0.2, 0.4]) * STANDARD_GRAVITY
    np.testing.assert_allclose(inputs.scale, values["polarity"][:, None] * levels / peak[:, None])
    assert set(values["polarity"]) == {-1, 1}
    assert set(values["energy_gain"]) == {EnergyGain.ALLOW, EnergyGain.PROJECT}
    assert inputs.azimuth.min() >= 0
    assert 4 < inputs.azimuth.max() < 2 * np.pi
    assert np.isnan(inputs.impact[:, 4]).all()


def test_values_fit_the_schema(make_study, motions):
    for name, array in draw_inputs(make_study(), motions, 0, 7).values.items():
        assert SCHEMA[name].dims == ("realization",)
        assert array.shape == (7,)
        assert array.dtype == np.dtype(SCHEMA[name].dtype)


def test_cloud(make_study, motions):
    study = make_study("intensity.value_g={distribution='uniform', low=0.1, high=1}")
    inputs = draw_inputs(study, motions, 0, 50)
    value = inputs.values["intensity_value"]
    assert 0.1 * STANDARD_GRAVITY < value.min() < value.max() < STANDARD_GRAVITY
    assert inputs.scale.shape == (50, 1)
    np.testing.assert_allclose(abs(inputs.scale[:, 0]), value / (1.0 + inputs.record))


def test_factor_takes_the_motion_as_it_is(make_study, motions):
    study = make_study("intensity.measure=factor", "intensity.levels=[0.5, 1]", "motion.polarity=1")
    np.testing.assert_array_equal(draw_inputs(study, motions, 0, 3).scale, [[0.5, 1.0]] * 3)


def test_prism_equals_cuboid_and_free_body_is_as_given(make_study, motions):
    solid = draw_inputs(make_study("body.width=0.4"), motions, 0, 3)
    raw = make_study("body.width=0.4").model_dump(by_alias=True, exclude_none=True)
    for key in ("width", "depth"):
        del raw["body"][key]
    raw["body"] |= {"shape": "prism", "base": [[0.2, -0.2], [0.2, 0.2], [-0.2, 0.2], [-0.2, -0.2]]}
    prism = draw_inputs(Study.model_validate(raw), motions, 0, 3)
    np.testing.assert_allclose(prism.vertices, solid.vertices, atol=1e-12)
    np.testing.assert_allclose(prism.inertia, solid.inertia, rtol=1e-9, atol=1e-9)
    free = raw | {
        "body": {
            "shape": "free",
            "base": raw["body"]["base"],
            "com": [0.01, 0.0, 0.8],
            "mass": 600,
            "inertia": [[90, 1, 0], [1, {"distribution": "uniform", "low": 80, "high": 90}, 0], [0, 0, 20]],
        }
    }
    inputs = draw_inputs(Study.model_validate(free), motions, 0, 3)
    np.testing.assert_allclose(inputs.vertices[0, 0], [0.19, -0.2, -0.8])
    np.testing.assert_array_equal(inputs.inertia[:, 0, 1], inputs.inertia[:, 1, 0])
    assert np.ptp(inputs.inertia[:, 1, 1]) > 0


def test_impossible_draw_names_the_realization(make_study, motions):
    study = make_study("body.com_x={distribution='normal', mean=0, std=0.08}", "ensemble.design=random")
    com = make_study("ensemble.design=random")  # same stream, a deviation of 0.01 in place of 0.08
    drawn = draw_inputs(com, motions, 0, 200).values
    first = np.argmax(8 * np.abs(drawn["body_com_x"]) >= drawn["body_width"] / 2)
    assert first > 0
    message = rf"\[body\]: realization {first}: the centre of mass must stand over .*com_x = .*truncate"
    with pytest.raises(ConfigError, match=message):
        check_inputs(study, motions)
    with pytest.raises(ConfigError, match=message):
        draw_inputs(study, motions, first, first + 1)


def test_bad_slice(make_study, motions):
    for start, stop in ((-1, 2), (3, 3), (0, 201)):
        with pytest.raises(ValueError, match="expected 0 <= start < stop <= 200 realizations"):
            draw_inputs(make_study(), motions, start, stop)
    with pytest.raises(ValueError, match="at least one ground motion"):
        draw_inputs(make_study(), [], 0, 1)
