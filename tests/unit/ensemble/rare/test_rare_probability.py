"""Small probabilities of studies: against counting, a threshold found by bisection, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from scipy.special import ndtri

from mcrock.base.params import Outcome
from mcrock.ensemble.rare import ScoredRuns, _counting, _summary, rare_probability
from mcrock.excitation import pack_motions
from mcrock.plots import plot_rare
from mcrock.show.rare import format_rare
from mcrock.simulation.runs import simulate_part
from mcrock.study import load_config
from mcrock.study.sampling import draw_inputs, load_motions

PULSE = """\
seed = 5
body = { shape = "cuboid", width = 0.4, depth = 0.4, height = 1.6, density = 2000 }
[motion]
source = "pulse"
shape = "half-sine"
period = 1.0
scaling = { distribution = "lognormal", median = 1.0, dispersion = 0.3 }
[intensity]
measure = "factor"
levels = [1.0]
[ensemble]
realizations = 10
"""


@pytest.fixture
def pulse(tmp_path):
    """Function that makes the study of a half sine with some overrides."""
    path = tmp_path / "pulse.toml"
    path.write_text(PULSE)
    return lambda *overrides: load_config(path, overrides)


def threshold(study):
    """Least factor on the pulse at which the block overturns, by bisection: above it, it always does."""
    inputs = draw_inputs(study, load_motions(study), 0, 1)
    pack = pack_motions(inputs.motions)

    def overturns(factor):
        one = replace(inputs, scale=np.array([[factor]]))
        return simulate_part(one, pack, study.controls)["outcome"][0, 0] == Outcome.OVERTURNED

    assert [overturns(factor) for factor in (1.0, 3.0, 6.0, 12.0, 24.0)] == [False, False, True, True, True]
    low, high = 1.0, 6.0
    for _ in range(40):
        middle = (low * high) ** 0.5
        low, high = (low, middle) if overturns(middle) else (middle, high)
    return high


@pytest.mark.slow
@pytest.mark.parametrize("probability", [1e-4, 1e-6])
def test_a_half_sine_of_uncertain_strength_overturns_as_often_as_it_is_strong_enough(pulse, probability):
    level = threshold(pulse()) / np.exp(-0.3 * ndtri(probability))
    found = rare_probability(pulse(f"intensity.levels=[{float(level)!r}]"), least=1e-9, states=200)
    # the logarithm of eight repetitions within four standard errors
    off = np.log(float(found["probability"][0]) / probability)
    assert abs(off) < 4 * float(found["variation"][0])
    assert float(found["variation"][0]) < 0.5
    assert float(found["brute_force_runs"][0]) > 10 * float(found["runs"][0])
    p, n = found["probability"], found["brute_force_runs"]  # of as many runs the share varies as much
    np.testing.assert_allclose(np.sqrt(p * (1 - p) / n) / p, found["variation"])


def test_the_score_goes_on_below_uplift(pulse):
    """A half sine that does not lift the block scores its margin: acceleration over g b/h, less 1."""
    runs = ScoredRuns(pulse(), load_motions(pulse()), pack_motions(load_motions(pulse())), 1)
    walkers = runs.space.fresh(40, 1)
    strength = np.exp(0.3 * walkers.normal[:, 0])
    score = runs.score(walkers, np.zeros(40, np.int64))
    margin = strength / (9.81 * 0.25) - 1
    assert (margin < 0).all()
    np.testing.assert_allclose(score, margin, rtol=1e-3)  # looked at in steps


def test_small_studies_agree_with_counting(study_file):
    """In each of two records, within five standard errors of 400 counted and 4 x 20 split realizations."""
    study = load_config(study_file, ["ensemble.design=random", "ensemble.realizations=400"])
    level = study.intensity.si_levels[1]
    study = study.at_intensities([level])
    found = rare_probability(study, states=20, repetitions=4)
    motions = load_motions(study)
    inputs = draw_inputs(study, motions, 0, 400)
    fell = simulate_part(inputs, pack_motions(motions), study.controls)["outcome"][:, 0] == Outcome.OVERTURNED
    for record in range(2):
        counted, split = fell[inputs.record == record].mean(), float(found["record_probability"][record, 0])
        error = np.sqrt(0.25 / 200 + 0.25 / 80)
        assert abs(counted - split) < 5 * error
    again = rare_probability(study, states=20, repetitions=4, workers=3)
    xr.testing.assert_identical(again, found)
    text = "\n".join(format_rare(found))
    assert "2 independent recordings cannot show" in text
    ax = plot_rare(found)
    assert ax.get_yscale() == "log"


def test_intervals_of_known_estimates():
    """Two strata of one recording each: mean, scatter of repetitions, and Gaffke's bounds."""
    found = np.array([[[0.0, 0.2], [0.0, 0.4], [0.0, 0.3], [0.0, 0.3]]])
    one = _summary(found, np.array([0.5, 0.5]), np.array([0, 1]), 0.95)
    assert float(one["probability"][0]) == pytest.approx(0.15)
    assert float(one["variation"][0]) == pytest.approx(np.std([0.1, 0.2, 0.15, 0.15], ddof=1) / 2 / 0.15)
    low, high = one["interval"].values[:, 0]
    assert low * high == pytest.approx(0.15**2)
    assert one["new_interval"].values[1, 0] > 0.8
    same = _summary(found, np.array([0.5, 0.5]), np.array([0, 0]), 0.95)  # of one earthquake
    assert same["new_interval"].isnull().all()
    none = _summary(np.zeros((1, 4, 22)), np.full(22, 1 / 22), np.arange(22), 0.95)
    assert none["interval"].isnull().all()
    assert none["new_interval"].values[1, 0] == pytest.approx(1 - 0.025 ** (1 / 22))


def test_less_than_the_least_probability_is_not_looked_for(pulse):
    """Of an event of some 1e-8: six levels of a fifth each do not reach it."""
    few = {"states": 20, "repetitions": 4}
    short, far = (rare_probability(pulse(), least=least, **few) for least in (1e-4, 1e-12))
    assert (short["probability"] == 0).all()
    assert short["interval"].isnull().all()
    assert 0 < float(far["probability"].item()) < 1e-5
    assert int(short["runs"].item()) < int(far["runs"].item())


def test_what_cannot_be_is_refused(pulse):
    for option, match in (
        ({"states": 10}, "states must be at least 20"),
        ({"repetitions": 3}, "repetitions must be at least 4"),
        ({"least": 0.5}, r"least must lie in \(0, 0.1\]"),
        ({"level": 1.0}, "level must lie"),
    ):
        with pytest.raises(ValueError, match=match):
            rare_probability(pulse(), **option)
    with pytest.raises(ValueError, match="nothing is drawn but the record"):
        rare_probability(pulse("motion.scaling=1.0"))
    isolator = "motion.floor={ frequency = 1, mass = 1e6, stroke = 0.2 }"
    with pytest.raises(ValueError, match="beyond the stroke of an isolator are undecided, which subset"):
        rare_probability(pulse(isolator))


@pytest.mark.parametrize(
    ("p", "runs"), [(1.0, 1000), (1 - 1e-16, 1000), (0.5, 1000), (0.0, None), (1e-6, None)]
)
def test_what_is_not_rare_takes_as_many_plain_runs_as_states(p, runs):
    assert _counting(p, 1000) == runs
