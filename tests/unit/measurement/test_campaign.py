"""Tables of a campaign, and what many fits say together."""

import json

import numpy as np
import pandas as pd
import pytest

from mcrock.base.tables.parsing import ConfigError
from mcrock.commands.measurement import RecordingOptions
from mcrock.measurement.campaign import read_campaign, read_tests, rows_of_fit
from mcrock.measurement.population import (
    _by_test,
    _inverse,
    at_covariates,
    at_values,
    design,
    fit_population,
    new_test,
    of_specimen,
)
from mcrock.show.population import draws_table, format_population, impact_section, plot_effects
from mcrock.study import load_config
from tests.unit.measurement.populations import posterior_of, table_of

KEYS, ERRORS, EFFECT = ("lambda", "lambda_lon"), (0.05, 0.03), (3.0, -1.5)
HEAD = "file,specimen,position,repetition,edge\n"
STUDY = """seed = 1
body = { shape = "cuboid", width = 0.1, depth = 0.14, height = 0.4, density = 2700 }
motion.source = "none"
start.tilt_ratio = 0.5
ensemble.table = "draws.csv"
"""


def test_rows_of_a_table_are_tests(tmp_path):
    rows = "a.csv,A,1,2,,marble,,,\nb.csv,B/2,1,1,3,,2500 4000,0.5,9\n"
    (tmp_path / "tests.csv").write_text(HEAD.replace("\n", ",material,rest [ms],from,until\n") + rows)
    first, second = read_campaign(tmp_path / "tests.csv", tmp_path / "block.toml", 0)
    assert (first.file, first.edge, first.name) == (tmp_path / "a.csv", 0, "A-1-2")
    assert (second.edge, second.name) == (3, "B_2-1-1")
    assert [test.covariates for test in (first, second)] == [{"material": "marble"}, {"material": ""}]
    assert [test.windows for test in (first, second)] == [
        {},
        {"rest": (2.5, 4.0), "from": (0.5,), "until": (9.0,)},
    ]
    taken = RecordingOptions(until=8.0).of(second)
    assert (taken.begin, taken.until, taken.rest) == (0.5, 9.0, (2.5, 4.0))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("file,specimen,position\na,b,c\n", "no column 'repetition'"),
        ("file,specimen,position,repetition,bodi\na,b,c,d,e\n", "'bodi'; did you mean 'body'"),
        (HEAD, "there are no rows"),
        (HEAD + "a.csv,A,,2,0\n", "line 2: nothing in the column 'position'"),
        (HEAD + "a.csv,A,1,2,\n", "--edge for all tests"),
        (HEAD + "a.csv,A,1,2,x\n", "edge must be a number"),
        (
            HEAD.replace("edge", "edge,still") + 'a.csv,A,1,2,0,"0,1.5"\n',
            "line 2: still must be start and end in s, as in 0 1.5, got '0,1.5'",
        ),
        (
            HEAD.replace("edge", "edge,still [min]") + "a.csv,A,1,2,0,0 1\n",
            "still must be in s or ms, got 'min'",
        ),
        (HEAD.replace("edge", "edge,from") + "a.csv,A,1,2,0,0 1\n", "line 2: from must be a time in s"),
        (HEAD + f"a.csv,A,1,2,{'9' * 5000}\n", "edge must be a number"),
        (HEAD + "a.csv,A,1,2,\u00b2\n", "edge must be a number"),
        (HEAD + "a.csv,A,1,2,0\nb.csv,A,1,2,0\n", "2 rows of specimen, position and repetition A-1-2"),
    ],
)
def test_tables_that_do_not_fit_are_named(tmp_path, text, says):
    (tmp_path / "tests.csv").write_text(text)
    with pytest.raises(ConfigError, match=says):
        read_campaign(tmp_path / "tests.csv", tmp_path / "block.toml")


def test_inverses_by_sweeps_are_those_of_numpy():
    roots = np.random.default_rng(1).normal(size=(20, 4, 4))
    matrices = roots @ np.swapaxes(roots, 1, 2) + 0.1 * np.eye(4)
    inverse, log = _inverse(np, matrices)
    assert inverse == pytest.approx(np.linalg.inv(matrices), rel=1e-9)
    assert log == pytest.approx(np.linalg.slogdet(matrices)[1], rel=1e-9)


def test_errors_of_a_fit_keep_their_correlations():
    """From the numbers of a fit to the covariance that the model takes."""
    covariance = np.array([[4.0, 0.0, 0.0], [0.0, 0.04, -0.018], [0.0, -0.018, 0.09]])
    item = {"value": 1.0, "unit": "1"}
    numbers = {
        "test": "t", "specimen": "A", "position": "1", "repetition": "1",
        "estimates": {
            "time": item | {"standard_error": 2.0},
            "lambda": item | {"standard_error": 0.2},
            "lambda_lat": item | {"standard_error": 0.3},
        },
        "covariance": covariance.tolist(),
    }  # fmt: skip
    table = read_tests(pd.DataFrame(rows_of_fit(numbers)))
    scales = np.zeros(2), np.array([2.0, 0.5])
    _, found = _by_test(table, ["lambda", "lambda_lat"], np.array([0, 0]), scales)
    assert found[0] == pytest.approx(covariance[1:, 1:] / np.outer(scales[1], scales[1]))


MEANS = (1.2, 0.8)
SCATTERS = {"sd_specimen": (0.3, 0.15), "sd_position": (0.2, 0.1), "sd_repetition": (0.1, 0.05)}


def correlated_table(
    seed, together, effect=(0.0, 0.0), scatters=SCATTERS, specimens=8, positions=2, repetitions=3
):
    """Tests with two parameters whose terms have a known correlation, and errors with the opposite one.

    Specimens have a depth from 1 to 2 and an effect of it on each parameter; the means are at 1.5. The truth
    is of each specimen, and of a new test on it in a new position.
    """
    rng, later = np.random.default_rng(seed), np.random.default_rng((seed, 1))
    matrix = np.array([[1.0, together], [together, 1.0]])
    rows, truth = [], {}

    def term(level, rng=rng):
        sd = scatters[f"sd_{level}"]
        return rng.multivariate_normal([0.0, 0.0], matrix * np.outer(sd, sd))

    for s in range(specimens):
        depth = 1.0 + s / (specimens - 1.0)
        middle = np.array(MEANS) + (depth - 1.5) * np.array(effect)
        specimen = middle + term("specimen")
        truth[str(s)] = specimen, specimen + term("position", later) + term("repetition", later)
        for p in range(positions):
            place = specimen + term("position")
            for r in range(repetitions):
                error = np.array([[1.0, -0.5 * together], [-0.5 * together, 1.0]])
                error = error * np.outer(ERRORS, ERRORS)
                value = place + term("repetition") + rng.multivariate_normal([0.0, 0.0], error)
                names = {"test": f"{s}-{p}-{r}", "specimen": s, "position": p, "repetition": r}
                names["depth"] = depth
                for k, key in enumerate(KEYS):
                    row = names | {"parameter": key, "estimate": value[k], "standard_error": ERRORS[k]}
                    rows.append(row | {f"correlation_{KEYS[1 - k]}": -0.5 * together})
    return pd.DataFrame(rows), truth


@pytest.fixture(scope="module")
def correlated():
    pytest.importorskip("numpyro", reason="NumPyro is not installed: pip install 'mcrock[population]'")
    table, truth = correlated_table(1, -0.9, EFFECT)
    return fit_population(table, seed=1, draws=500, covariates=["depth"]), truth


def test_correlations_reach_the_draws_and_a_study(correlated, tmp_path):
    data, _ = correlated
    low, high = np.quantile(data.posterior["correlation"], [0.005, 0.995])
    assert low <= -0.9 <= high < -0.5
    text = draws_table(data)
    rows = np.loadtxt(text.splitlines(), delimiter=",", skiprows=1)
    assert rows.min() >= 0.0  # no impact that gains energy
    assert -0.97 < np.corrcoef(rows.T)[0, 1] < -0.6
    (tmp_path / "draws.csv").write_text(text)
    (tmp_path / "study.toml").write_text(STUDY)
    study = load_config(tmp_path / "study.toml")
    assert study.ensemble.realizations == len(rows) > 900


def test_a_specimen_that_was_tested_is_known_better(correlated):
    """Of eight specimens the error over its deviation is that of normal numbers; a new test scatters less."""
    data, truth = correlated
    scores = []
    for name, (value, _) in truth.items():
        draws = of_specimen(data, name).posterior["mean"]
        scores += list((value - draws.mean(("chain", "draw")).values) / draws.std(("chain", "draw")).values)
        assert (draws.std(("chain", "draw")) < data.predictions["new_test"].std(("chain", "draw"))).all()
    assert np.square(scores).sum() < 39.3  # chi square with 16 degrees of freedom, 0.999
    with pytest.raises(ValueError, match="no tests of specimen '9'; there are those of 0, 1"):
        of_specimen(data, "9")


def test_effects_of_covariates_are_found_and_reach_predictions(correlated):
    """Within three standard deviations, and not nothing; a population at another depth is shifted by them."""
    data, _ = correlated
    effect = data.posterior["effect"].sel(covariate="depth")
    mean, spread = effect.mean(("chain", "draw")).values, effect.std(("chain", "draw")).values
    assert (np.abs(mean - EFFECT) < 3.0 * spread).all()
    assert (np.abs(mean) > 3.0 * spread).all()
    there = at_covariates(data, ["depth=2.5"])
    assert "a new specimen, depth = 2.5, from" in format_population(there, "none")[0]
    for name, group in (("mean", "posterior"), ("new_test", "predictions")):
        moved = there[group][name] - data[group][name]
        assert np.allclose(moved, effect * (2.5 - 1.5))
    assert of_specimen(data, "7").posterior["at"].values == 2.0
    assert plot_effects(data).get_ylabel()
    with pytest.raises(
        ValueError, match="needs a covariate and its value, got 'dept=2'; did you mean 'depth'"
    ):
        at_covariates(data, ["dept=2"])


def test_columns_become_covariates():
    """Numbers as they are, a category in a column for each value but the first."""
    table, _ = correlated_table(1, 0.0)
    table["material"] = table["specimen"].map(
        lambda s: "granite" if s < 5 else "marble" if s < 7 else "basalt"
    )
    found = design(read_tests(table, ["depth", "material"]), ["depth", "material"])
    assert found.columns == ("depth", "material = granite, not basalt", "material = marble, not basalt")
    assert found.usual.tolist() == [1.5, 1.0, 0.0]
    assert found.centre == pytest.approx([1.5, 5 / 8, 2 / 8])
    words = ["material=marble", "depth=0.2"]
    assert at_values(found.columns, words, found.usual).tolist() == [0.2, 0.0, 1.0]
    for word, says in (("material=slate", "there are basalt, granite, marble"), ("depth=x", "is a number")):
        with pytest.raises(ValueError, match=says):
            at_values(found.columns, [word], found.usual)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (lambda s: "1", "all tests have b 1"),
        (lambda s: "" if s == 3 else str(s), "'3-0-0' has no b"),
        (lambda s: str(2.0 * s), "one follows from the others"),
        (lambda s: "abcdefgh"[s], "tests of 8 specimens; .* 10 or more are needed"),
    ],
)
def test_covariates_that_tell_nothing_are_refused(values, says):
    table, _ = correlated_table(1, 0.0)
    names = ["depth", "b"] if "follows" in says else ["b"]
    with pytest.raises(ConfigError, match=says):
        design(read_tests(table.assign(b=table["specimen"].map(values)), names), names)


def test_one_specimen_is_predicted_by_its_tests(tmp_path):
    """From the folder of a campaign, of which a test failed that an earlier call had fitted."""
    pytest.importorskip("numpyro", reason="NumPyro is not installed: pip install 'mcrock[population]'")
    table = table_of(2, specimens=1)
    with pytest.raises(ValueError, match="--for NAME predicts one that was tested"):
        fit_population(table)
    for test, rows in table.groupby("test"):
        numbers = rows.iloc[0].to_dict() | {"covariance": np.diag(rows["standard_error"] ** 2).tolist()}
        of_each = rows.assign(value=rows["estimate"]).set_index("parameter")[["value", "standard_error"]]
        (tmp_path / test).mkdir()
        text = json.dumps(numbers | {"estimates": of_each.to_dict("index")}, default=int)
        (tmp_path / test / "fit.json").write_text(text)
    (tmp_path / "tests.csv").write_text("test,reason,explained\n1A1,it is clipped,\n1A2,,False\n1B9,,\n")
    data = of_specimen(fit_population(tmp_path, specimens=1, draws=500), "1")
    said = ["1A1: it is clipped", "1B9: determines no parameter"]
    words = "the model does not explain 1 of these tests, which count all the same: 1A2"
    assert words in format_population(data)
    assert f"# {words}." in impact_section(data).splitlines()
    assert [line[10:] for line in format_population(data) if line.startswith("left out")] == said
    assert [line[12:] for line in impact_section(data).splitlines() if "# Left" in line] == said
    table = table[table["test"] != "1A1"]
    for key, rows in table.groupby("parameter"):
        own = data.predictions["new_test"].sel(parameter=key)
        assert abs(float(own.median()) - rows["estimate"].mean()) < rows["estimate"].std()


def test_fits_of_round_bodies_have_no_parameter_of_a_population(tmp_path):
    names = dict.fromkeys(("test", "specimen", "position", "repetition"), "A")
    estimates = {"rolling_loss": {"value": 0.1, "standard_error": 0.01}}
    (tmp_path / "A").mkdir()
    text = json.dumps(names | {"covariance": [[1e-4]], "estimates": estimates})
    (tmp_path / "A" / "fit.json").write_text(text)
    with pytest.raises(ConfigError, match=r"determines a parameter of lambda, tau, lambda_lon, lambda_lat"):
        read_tests(tmp_path)


def test_new_tests_have_the_correlation_of_the_posterior():
    posterior = posterior_of(0.0, 1.0, keys=("lambda", "lambda_lon"))
    pair = np.full((4, 500, 1), -0.8)
    posterior["correlation"] = ("chain", "draw", "pair"), pair
    draws = new_test(posterior.assign_coords(pair=["lambda, lambda_lon"]))["new_test"].values.reshape(-1, 2)
    assert np.corrcoef(draws.T)[0, 1] == pytest.approx(-0.8, abs=0.03)  # 2000 draws: 0.008


@pytest.mark.slow
def test_intervals_cover_all_of_the_joint_model(capsys):
    """48 campaigns of populations at random: 95 % intervals hold the truth.

    Numbers of specimens, scatters, correlation and effects are drawn; numbers of one campaign hang together.
    Fewer than 40 of 48 independent ones at 0.95 has a probability of 0.0006.
    """
    rng, held = np.random.default_rng(5), {}

    def count(name, draws, value):
        low, high = np.quantile(draws, [0.025, 0.975], axis=(0, 1))
        held.setdefault(name, []).append(np.mean((low <= value) & (value <= high)))

    for seed in range(48):
        together, effect = rng.uniform(-0.95, 0.95), rng.normal(0.0, [0.3, 0.15])
        scatters = {name: sd * np.exp(rng.uniform(-1.5, 1.0, 2)) for name, sd in SCATTERS.items()}
        sizes = {"specimens": (4, 6, 8)[seed % 3], "repetitions": (3, 2, 3)[seed % 3]}
        table, truth = correlated_table(100 + seed, together, effect, scatters, **sizes)
        data = fit_population(table, seed=seed, draws=500, covariates=["depth"])
        for name, value in (scatters | {"mean": MEANS}).items():
            count(name, data.posterior[name], value)
        count("effect", data.posterior["effect"].squeeze("covariate"), effect)
        count("correlation", data.posterior["correlation"], together)
        total = np.sqrt(np.square(list(scatters.values())).sum(0))
        count("new test", data.predictions["new_test"], np.random.default_rng((seed, 2)).normal(MEANS, total))
        for name, (value, new) in truth.items():
            own = of_specimen(data, name)
            count("specimen", own.posterior["mean"], value)
            count("new test on a specimen", own.predictions["new_test"], new)
    shares = {name: (round(float(np.mean(each)), 3), len(each)) for name, each in held.items()}
    with capsys.disabled():
        print("\n", shares)
    assert min(share for share, _ in shares.values()) >= 0.83, shares
