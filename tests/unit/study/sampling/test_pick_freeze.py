"""The design of Sobol indices: realizations that differ in one input, in independent scrambles."""

import numpy as np
import pytest

from mcrock.show.describe import describe
from mcrock.study.design import (
    SCRAMBLES,
    block_length,
    draws_of,
    inputs_of_design,
    nearest_designs,
    unit_numbers,
)
from mcrock.study.sampling import draw_inputs

OF_INDICES = "ensemble.design=sobol_indices"
ANEW = "impact.draw=impact"
SYNTHETIC = (
    'motion={source="synthetic", duration=4.0, dt=0.02, frequency=2.0, damping=0.4, arias=1.0, middle=1.5}'
)


def points(study, blocks):
    """Coordinates (block, scramble, column, input) of a study."""
    u = unit_numbers(study, 3, 0, blocks * block_length(study))
    assert list(u) == study.uncertain
    return np.stack(list(u.values()), axis=-1).reshape(blocks, SCRAMBLES, -1, len(u))


def test_every_column_has_one_input_of_b_and_the_others_of_a(make_study):
    u = points(make_study(OF_INDICES), 64)
    a, b = u[:, :, 0], u[:, :, 1]
    assert (a != b).all()
    for k in range(u.shape[-1]):
        one = np.arange(u.shape[-1]) == k
        np.testing.assert_array_equal(u[:, :, 2 + k], np.where(one, b, a))


def test_both_halves_of_every_scramble_are_even_and_no_two_scrambles_agree(make_study):
    """64 points: one in each of 64 intervals, in every dimension of A and B."""
    u = points(make_study(OF_INDICES), 64)[:, :, :2]
    bins = np.sort((u * 64).astype(int), axis=0)
    np.testing.assert_array_equal(bins, np.broadcast_to(np.arange(64).reshape(-1, 1, 1, 1), bins.shape))
    assert len(np.unique(u)) == u.size


@pytest.mark.parametrize(("blocks", "even"), [(0.5, 1), (1, 1), (1.9, 1), (2, 2), (3, 2), (4, 4), (31, 16)])
def test_even_designs_on_both_sides_of_a_study(make_study, blocks, even):
    """Powers of two of blocks; the smaller one is at least a block."""
    block = block_length(make_study(OF_INDICES))
    study = make_study(OF_INDICES, f"ensemble.realizations={int(blocks * block)}")
    assert nearest_designs(study) == (even * block, 2 * even * block)


def test_the_record_is_an_input(make_study, motions):
    """Also where realizations would take one after the other: three records, equally likely."""
    study = make_study(OF_INDICES, "motion.assignment=cycle")
    assert study.uncertain[-1] == "motion.record"
    n = 64 * block_length(study)
    record = draw_inputs(study.model_copy(update={"ensemble": study.ensemble}), motions, 0, 200).record
    assert set(record) == {0, 1, 2}
    u = unit_numbers(study, 3, 0, n)["motion.record"]
    np.testing.assert_array_equal(record, (3 * u[:200]).astype(int))


def test_what_runs_draw_inside_is_an_input_like_the_others(make_study):
    study = make_study(OF_INDICES, ANEW)
    names = inputs_of_design(study)
    assert names[-1] == "impact.draws"
    width = 2 + len(names)
    draws = draws_of(study, "impact.draws", 0, 3 * width).reshape(3, width)
    first = width * np.arange(3)
    np.testing.assert_array_equal(draws[:, [1, -1]], np.stack([first + 1] * 2, axis=-1))
    np.testing.assert_array_equal(draws[:, [0, *range(2, width - 1)]], np.stack([first] * (width - 2), -1))
    part = draws_of(study, "impact.draws", 5, 2 * width)
    np.testing.assert_array_equal(part, draws.ravel()[5 : 2 * width])


def test_other_designs_draw_by_their_own_number(make_study, motions):
    study = make_study(ANEW)
    np.testing.assert_array_equal(draw_inputs(study, motions, 7, 30).number, np.arange(7, 30))


def test_motions_of_a_point_share_their_noise(make_study):
    study = make_study(OF_INDICES, SYNTHETIC, "impact.lambda=0.9", "impact.energy_gain=project")
    names = inputs_of_design(study)
    assert names[-1] == "motion.noise"
    assert "motion.record" not in names
    inputs = draw_inputs(study, study.motion.load(study.folder)[0], 0, 2 + len(names))
    first, second, *others, noise = (motion.acceleration for motion in inputs.motions)
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(noise, second)
    for one in others:
        np.testing.assert_array_equal(one, first)


def test_the_description_says_which_numbers_are_even(make_study, motions):
    study = make_study(OF_INDICES, "ensemble.realizations=1000")
    block = block_length(study)
    assert nearest_designs(study) == (8 * block, 16 * block)
    assert f"even with {8 * block} or {16 * block} realizations, not with 1000" in describe(study, motions)
    even = make_study(OF_INDICES, f"ensemble.realizations={4 * block}")
    assert "even with" not in describe(even, motions)
