"""Inputs that vary together: their margins, rank correlations, independence of slices, and refusals."""

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr
from scipy.stats import kstest, qmc, spearmanr

from mcrock.ensemble import run_study
from mcrock.ensemble.rare import ScoredRuns
from mcrock.excitation import pack_motions
from mcrock.show.report.subject import study_as_toml
from mcrock.statistics import outcome_distances
from mcrock.study import Study, load_config
from mcrock.study.design import unit_numbers
from mcrock.study.load import study_of
from mcrock.study.sampling import load_motions
from mcrock.study.study import Copula
from tests.unit.study.conftest import VALID, mistakes

NORMAL = '{ distribution = "normal", mean = 0.4, std = 0.01 }'
BETA = '{ distribution = "beta", alpha = 2, beta = 5, low = 1.4, high = 1.8 }'
TEXT = (
    VALID.replace("depth = 0.4", f"depth = {NORMAL}")
    .replace("height = 1.6", f"height = {BETA}")
    .replace("density = 2600", 'density = { distribution = "lognormal", median = 2600, dispersion = 0.1 }')
)
PAIRS = """
[correlation]
"body.width, body.height" = 0.6
"body.height, body.depth" = -0.5
"body.density, motion.azimuth_deg" = 0.3
"""
NAMES = ["body.height", "body.density", "body.width", "body.depth", "motion.azimuth"]
DESIGNS = ["random", "sobol", "sobol_by_record", "latin_hypercube"]


@pytest.fixture
def study_with(tmp_path):
    def load(*overrides, pairs=PAIRS, text=TEXT):
        path = tmp_path / "study.toml"
        path.write_text(text + pairs, encoding="utf-8")
        return load_config(path, overrides)

    return load


def columns(study, start=0, stop=None):
    u = unit_numbers(study, 22, start, study.n_realizations if stop is None else stop)
    return np.stack([u[name] for name in NAMES])


@pytest.mark.parametrize("design", DESIGNS)
def test_margins_stay_and_ranks_follow(study_with, design):
    """Each coordinate is uniform; Spearman's correlation is 6/pi asin(rho/2)."""
    n = 4096
    study = study_with(f"ensemble.design={design}", f"ensemble.realizations={n}")
    u = columns(study)
    assert min(kstest(row, "uniform").pvalue for row in u) > 1e-4  # of 20 tests of seed 7
    found = spearmanr(u.T).statistic
    expected = np.eye(5)
    for (i, j), r in {(0, 2): 0.6, (0, 3): -0.5, (1, 4): 0.3}.items():
        expected[i, j] = expected[j, i] = 6 / np.pi * np.arcsin(r / 2)
    assert found == pytest.approx(expected, abs=4.5 / np.sqrt(n))  # 1 in 10,000 of ten at most is beyond


@pytest.mark.parametrize("design", DESIGNS)
def test_the_first_of_inputs_keep_their_numbers(study_with, design):
    """Shaking first, then the order of the design; inputs without a correlation stay too."""
    study = study_with(f"ensemble.design={design}")
    plain = study_with(f"ensemble.design={design}", pairs="")
    together, apart = columns(study), columns(plain)
    same = [(a == b).all() for a, b in zip(together, apart, strict=True)]
    assert same == [True, False, False, False, True]
    assert study.copula.names[0] == "motion.azimuth"


def test_a_latin_hypercube_keeps_its_strata(study_with):
    study = study_with("ensemble.design=latin_hypercube", "ensemble.realizations=200")
    for row in columns(study):
        assert (np.sort(np.floor(row * 200)) == np.arange(200)).all()


def test_a_sobol_design_is_still_even(study_with):
    """The mean of a smooth function of two inputs has a hundredth of the error of random draws."""
    errors = {}
    for design in ("sobol", "random"):
        study = study_with(f"ensemble.design={design}", "ensemble.realizations=4096")
        x, y = (columns(study)[k] for k in (0, 2))
        errors[design] = abs(
            (x * y).mean() - 0.25 - np.arcsin(0.3) / (2 * np.pi)
        )  # E uv of a Gaussian copula
    assert errors["sobol"] < 2e-5
    assert errors["random"] < 4 * 0.25 / 64


@pytest.mark.parametrize("design", DESIGNS)
def test_slices_are_parts_of_the_whole(study_with, design):
    study = study_with(f"ensemble.design={design}", "ensemble.realizations=88")
    assert (
        np.concatenate([columns(study, a, b) for a, b in ((0, 1), (1, 40), (40, 88))], 1) == columns(study)
    ).all()
    if design != "latin_hypercube":
        longer = study_with(f"ensemble.design={design}", "ensemble.realizations=176")
        assert (columns(longer, 0, 88) == columns(study)).all()


@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
@settings(max_examples=10, deadline=None)
def test_any_correlations_are_those_of_the_scores(seed, k):
    """Random correlation matrices, by the copula itself on many points."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(k, k + 1))
    matrix = root @ root.T
    matrix /= np.sqrt(np.outer(np.diag(matrix), np.diag(matrix)))
    names = [f"body.x{i}" for i in range(k)]
    pairs = {f"{names[i]}, {names[j]}": matrix[i, j] for i in range(k) for j in range(i)}
    copula = Copula.of(pairs, names)
    assert copula.matrix == pytest.approx(matrix, abs=1e-15)
    assert copula.contradiction() == ""
    n = 2**14
    u = qmc.Sobol(k, rng=rng).random(n)
    drawn = copula.mixed(dict(zip(names, np.clip(u.T, 1e-12, 1 - 1e-12), strict=True)))
    ranks = spearmanr(np.stack([drawn[name] for name in names]).T).statistic
    expected = 6 / np.pi * np.arcsin(matrix / 2)
    found = ranks if k > 2 else np.array([[1, ranks], [ranks, 1]])
    assert found == pytest.approx(expected, abs=0.02)  # Sobol points: far less than random ones' 0.03


def test_pairs_are_judged_before_a_pilot_chooses_the_intensities(study_with):
    auto = 'intensity={ measure = "pga", value = "auto" }'
    assert study_with(auto).correlation
    with pytest.raises(ValueError, match="smallest eigenvalue"):
        study_with(auto, "correlation.body.width, body.depth=0.9")
    with pytest.raises(ValueError, match=r"intensity\.value"):
        study_with(auto, "correlation.body.width, intensity.value=0.5")


def test_pairs_that_contradict_each_other_say_what_may_be(study_with, tmp_path):
    with pytest.raises(ValueError, match="smallest eigenvalue"):
        study_with("correlation.body.width, body.depth=0.9")
    (line,) = mistakes(tmp_path / "study.toml", "correlation.body.width, body.depth=0.9")
    assert line.startswith(
        "study.toml [correlation]: pairs contradict each other: the smallest eigenvalue of"
    )
    assert '"body.width, body.depth" -0.993 to 0.393' in line
    assert study_with("correlation.body.width, body.depth=0.392")
    with pytest.raises(ValueError, match="contradict"):
        study_with("correlation.body.width, body.depth=0.394")
    factor = float(line.partition("less than ")[2].partition(",")[0])
    scaled = {"width, body.depth": 0.9, "width, body.height": 0.6, "height, body.depth": -0.5}
    assert study_with(*(f"correlation.body.{key}={0.99 * factor * r}" for key, r in scaled.items()))


DRAWN_ANEW = 'impact.lambda={distribution="uniform",low=0.5,high=1.0}'


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (["correlation.body.width=0.5"], "expected two inputs in quotes, as in"),
        (["correlation.body.width, body.width=0.5"], "expected two inputs in quotes, as in"),
        (["correlation.body.width, body.depth=1.5"], r"must be >= -1 and <= 1 \[1\], got 1.5"),
        (["correlation.body.width, body.depth=wide"], r"expected a number >= -1 and <= 1 \[1\], got 'wide'"),
        (
            ["correlation.body.width, body.depht=0.1"],
            "body.depht has no distribution; did you mean 'body.depth'",
        ),
        (["correlation.body.height, body.width=0.1"], "is given twice; give every pair once"),
        (["correlation.body.width, body.com_x=0.1"], "body.com_x has no distribution"),
        (["correlation.body.width, motion.record=0.1"], "motion.record has a few values or choices"),
        (
            [
                "correlation.body.width, body.com_x=0.1",
                "body.com_x={distribution='discrete',values=[0.0,0.01]}",
            ],
            "body.com_x has a few values or choices, and a copula is of continuous distributions",
        ),
        (
            ["correlation.body.width, impact.law=0.1", "impact.law=['housner_1963','moreau_1988']"],
            "impact.law has a few values or choices",
        ),
        (
            ["correlation.body.width, impact.lambda=0.1", DRAWN_ANEW, "impact.draw=impact"],
            "impact.lambda is drawn anew at every impact: give impact.draw = 'run'",
        ),
        (
            ["correlation.body.width, body.depth=0.1", "ensemble.design=sobol_indices"],
            "changes one input at a",
        ),
        (
            ["body.width={distribution='normal',mean=0.4,std=0.01,epistemic=true}", "ensemble.outer=4"],
            "make both epistemic, one unknown number for all runs, or neither",
        ),
    ],
)
def test_refusals(study_with, overrides, words):
    with pytest.raises(ValueError, match=words):
        study_with(*overrides)


def test_inputs_of_a_table_and_intensities_are_refused(study_with, tmp_path):
    study_with()
    listed = {"body.width": [0.4, 0.41, 0.39]}
    with pytest.raises(ValueError, match=r"body.width has its values from a table, with their correlations"):
        load_config(tmp_path / "study.toml", ["ensemble.realizations=3"], inputs=listed)
    cloud = 'intensity.value_g={distribution="uniform",low=0.1,high=1.0}'
    with pytest.raises(ValueError, match=r"intensity.value is what probabilities are given for"):
        study_with(cloud, "correlation.body.width, intensity.value_g=0.5")


def test_epistemic_inputs_vary_together_between_draws(study_with):
    unknown = "{distribution='normal',mean=%s,std=0.01,epistemic=true}"
    pairs = '\n[correlation]\n"body.width, body.depth" = 0.9\n'
    both = [f"body.{key}={unknown % 0.4}" for key in ("width", "depth")]
    study = study_with(*both, "ensemble.outer=400", "ensemble.realizations=2", pairs=pairs)
    u = [unit_numbers(study, 22, 0, 2, outer) for outer in range(400)]
    assert all(len(set(one["body.depth"])) == 1 for one in u)
    ranks = spearmanr([one["body.width"][0] for one in u], [one["body.depth"][0] for one in u]).statistic
    assert ranks == pytest.approx(6 / np.pi * np.arcsin(0.45), abs=0.06)


def test_a_stored_study_says_its_correlations(study_with):
    study = study_with()
    again = Study.from_json(study.to_json())
    assert again.to_json() == study.to_json()
    assert again.copula.names == study.copula.names
    assert (columns(again) == columns(study)).all()
    assert "correlation" not in study_with(pairs="").to_json()
    written = study_as_toml(json.loads(study.to_json()))  # as a report has it
    assert (columns(study_of(tomllib.loads(written), Path())) == columns(study)).all()


def test_results_name_inputs_that_the_study_correlates(study_with, tmp_path):
    study = study_with("ensemble.realizations=44", "intensity.levels_g=[0.4]")
    ds = run_study(study, tmp_path / "store.zarr")
    told = outcome_distances(ds, permutations=19).attrs["dependent"]
    for pair in ("body_height and body_width", "body_height and body_depth", "body_density and azimuth"):
        assert (pair in told) == ("azimuth" not in pair)  # an angle has no rank


@pytest.mark.parametrize("design", DESIGNS)
def test_an_object_of_a_collection_has_its_own(study_with, design):
    """What objects share stays as it is without a correlation; what is their own follows it."""
    size = [f"ensemble.design={design}", "ensemble.realizations=2048"]
    vase, bust = (study_with(*size, f"ensemble.object={name}") for name in ("vase", "bust"))
    plain = study_with(*size, "ensemble.object=vase", pairs="")
    shared = [columns(study)[4] for study in (vase, bust, plain)]
    assert (shared[0] == shared[1]).all()
    assert (shared[0] == shared[2]).all()
    for study in (vase, bust):
        u = columns(study)
        assert spearmanr(u[1], u[4]).statistic == pytest.approx(6 / np.pi * np.arcsin(0.15), abs=4.5 / 45)
        assert spearmanr(u[0], u[2]).statistic == pytest.approx(6 / np.pi * np.arcsin(0.3), abs=4.5 / 45)
    assert abs(spearmanr(columns(vase)[0], columns(bust)[0]).statistic) < 4.5 / 45


def test_stores_are_extended_by_the_same_draws(study_with, tmp_path):
    size = ["intensity.levels_g=[0.4]", "controls.tail=1"]
    run_study(study_with(*size, "ensemble.realizations=22"), tmp_path / "s.zarr")
    whole = study_with(*size, "ensemble.realizations=66")
    longer = run_study(whole, tmp_path / "s.zarr", extend=True, workers=2, part_size=10)
    both = [
        ds.drop_dims("chunk").drop_attrs().load() for ds in (longer, run_study(whole, tmp_path / "w.zarr"))
    ]
    xr.testing.assert_identical(*both)


def test_rare_events_draw_them_too(study_with, monkeypatch):
    study = study_with("intensity.levels_g=[0.4]")
    motions, seen = load_motions(study), []
    runs = ScoredRuns(study, motions, pack_motions(motions), 1)

    def caught(study, motions, points):
        seen.append(points.u)
        raise StopIteration

    monkeypatch.setattr("mcrock.ensemble.rare.inputs_at", caught)
    walkers = runs.space.fresh(64, 1)
    with pytest.raises(StopIteration):
        runs._of_slice(walkers, np.zeros(64, int))
    free = dict(zip(runs.space.names, ndtr(walkers.normal).T, strict=True))
    for name, u in study.copula.mixed(free).items():
        assert seen[0][name] == pytest.approx(u, rel=1e-9)
    assert seen[0]["body.width"] != pytest.approx(free["body.width"], rel=1e-3)
