"""Measured maxima beside the distributions predicted for them."""

import numpy as np
import pytest
import xarray as xr
from scipy.stats import binom, norm

from mcrock.base.tables.parsing import ConfigError
from mcrock.show import validation
from mcrock.statistics.distributions import _crps, _irreducible, judge, read_tests


def drawn(rng, n, shift=0.0, narrow=1.0):
    """Runs of n tests, and what was measured, whose logarithm is shifted and scatters more."""
    means, scale, runs = rng.normal(size=n), rng.uniform(0.3, 2.0), rng.integers(10, 40)
    measured = np.exp(means + shift + narrow * rng.normal(size=n) * scale)
    return [np.exp(rng.normal(mean, scale, (1, runs))) for mean in means], measured


def test_crps_of_a_normal_distribution():
    """Against the closed form of Gneiting and Raftery (2007), equation (21), for quantiles of the normal."""
    runs = norm.ppf((np.arange(20_000) + 0.5) / 20_000)
    for y in (-1.3, 0.0, 2.5):
        expected = y * (2 * norm.cdf(y) - 1) + 2 * norm.pdf(y) - 1 / np.sqrt(np.pi)
        assert _crps(runs, np.array([y]), np.zeros(1, bool))[0] == pytest.approx(expected, abs=2e-4)


def test_p_values_of_a_true_study_are_uniform():
    """150 campaigns: as many below 0.1 and 0.5 as binomial counts have but for 1 in 5000."""
    rng = np.random.default_rng(3)
    found = []
    for k in range(150):
        n = rng.integers(4, 12)
        runs, measured = drawn(rng, n)
        found.append(
            judge(runs, measured, np.arange(n), np.arange(n), campaigns=99, seed=k)["p_value"].values
        )
    for level in (0.1, 0.5):
        low, high = binom.ppf([1e-4, 1 - 1e-4], 150, level)
        below = (np.array(found) <= level).sum(axis=0)
        assert ((low <= below) & (below <= high)).all()


@pytest.mark.parametrize(("shift", "narrow", "seen"), [(1.5, 1.0, "rank_mean"), (0.0, 5.0, "rank_distance")])
def test_a_wrong_study_is_found(shift, narrow, seen):
    runs, measured = drawn(np.random.default_rng(5), 40, shift, narrow)
    found = judge(runs, measured, np.arange(40) // 2, np.arange(40))
    assert found["p_value"].sel(statistic=[seen, "crps"]).max() < 0.01
    assert found["inside"].sel(share=0.9) < found["inside_expected"].sel(share=0.9)[0]


@pytest.mark.parametrize(("shift", "verdict"), [(0.0, "do not contradict"), (-1.5, "contradict")])
def test_the_verdict_says_where_the_study_is_wrong(shift, verdict):
    """At p < 0.01 of the smallest of five, and a mean rank below 0.5 where less was measured."""
    runs, measured = drawn(np.random.default_rng(5), 40, shift)
    found = judge(runs, measured, np.arange(40) // 2, np.arange(40)).assign_attrs(units="m", long_name="slip")
    assert f"the tests {verdict} the study" in "\n".join(validation.format_tests(found))
    page = validation.tests_page({"slip": found})
    assert ("Before these numbers are used" in page) == (verdict == "contradict")
    assert (found["rank"].mean() < 0.4) == (shift < 0.0)


def test_no_more_than_all_of_the_variance_is_within_repeated_tests():
    assert _irreducible(np.array([0.0, 1.0, 0.0, 1.0]), np.array([0, 0, 1, 1])) == 1.0


def test_overturned_tests_are_beyond_every_value():
    runs = [np.array([[0.1, 0.2, np.inf, np.inf]])] * 4
    found = judge(runs, [0.1, 0.2, np.inf, np.inf], np.arange(4), np.zeros(4, int))
    np.testing.assert_array_equal(found["observed"], found["predicted"])
    assert found["value"].sel(statistic="energy") == 0.0
    assert found["irreducible"] == pytest.approx(1.0)  # four tests of one motion have all of the scatter
    runs = [one.astype("f4") for one in runs]  # as stores have them: round-off decides no rank
    for near in (0.2, 0.2000001):
        again = judge(runs, [0.1, near, np.inf, np.inf], np.arange(4), np.zeros(4, int))
        np.testing.assert_allclose(again["rank"][2:], 0.7)


@pytest.mark.parametrize(("value", "told"), [(1.0, 1.0), (np.inf, 0.0)])
def test_a_campaign_tells_what_it_could_have_told(value, told):
    """Half or twice as much is seen at once where runs do not scatter, and never where all overturn."""
    tests = [np.full((1, 10), value)] * 20, [value] * 20, np.arange(20), np.arange(20)
    assert (judge(*tests)["told"] == told).all()
    assert (judge(*tests, campaigns=4)["inside_expected"] == 1.0).all()  # of the true study alone


def test_a_draw_goes_through_a_whole_campaign():
    """Of two epistemic draws one says 1 and one 3: a campaign that says 3 throughout is one of theirs."""
    runs = [np.repeat([[1.0], [3.0]], 5, axis=1)] * 6
    threes, half = (judge(runs, y, np.arange(6), np.arange(6)) for y in ([3.0] * 6, [1.0, 3.0] * 3))
    assert threes["p_value"].sel(statistic="ks") == 1.0
    assert half["value"].sel(statistic="ks") == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("record,peak_tilt\n0,1\n0,2\n", r"peak_tilt: expected a unit, 'peak_tilt \[rad\]' or another"),
        ("record,peak_tlt [deg]\n0,1\n0,2\n", "did you mean 'peak_tilt'"),
        ("intensity,edge_impacts\n0,1\n0,2\n", "expected a column 'recording' or 'record'"),
        ("edge_impacts\n1\n2\n", "record, intensity or realization that chooses the runs"),
        ("record\n1\n2\n", "a response such as"),
        ("record,edge_impacts\n1,-2\n1,2\n", "edge_impacts: expected numbers from 0"),
        ("record,peak_tilt [rad]\n1,19.9\n1,2.1\n", "tilts by less than 90 deg; check the unit"),
        ("record,overturned,edge_impacts\n1,2,2\n1,1,2\n", "overturned: expected 0 or 1"),
    ],
)
def test_tables_that_say_too_little_are_refused(tmp_path, text, message):
    (tmp_path / "tests.csv").write_text(text)
    with pytest.raises(ConfigError, match=message):
        read_tests(tmp_path / "tests.csv")


def test_degrees_are_read(tmp_path):
    (tmp_path / "tests.csv").write_text("record,overturned,peak_tilt [deg]\n0,0,90\n0,1,0\n")
    np.testing.assert_allclose(read_tests(tmp_path / "tests.csv").measured["peak_tilt"], [np.pi / 2, np.inf])


def test_responses_of_ones_own_are_those_of_the_result(tmp_path):
    ds = xr.Dataset({"own_rocking_time": ("realization", [1.0], {"units": "s"})})
    (tmp_path / "tests.csv").write_text("record,own_rocking_time [ms]\n0,90\n0,110\n")
    found = read_tests(tmp_path / "tests.csv", ds).measured["own_rocking_time"]
    np.testing.assert_allclose(found, [0.09, 0.11])
    with pytest.raises(ConfigError, match="no response of this name"):
        read_tests(tmp_path / "tests.csv")


def test_the_shipped_campaign_becomes_one_page(mcrock, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mcrock("example", "shake_table")
    study = tmp_path / "shake_table.toml"
    study.write_text(study.read_text().replace("realizations = 300", "realizations = 12"))
    command = "validate", study, "--measured", tmp_path / "shake_table.csv", "-o", tmp_path / "scores"
    code, output, errors = mcrock(*command)
    assert (code, errors) == (0, "")
    assert "54 tests of 6 recordings, " in output
    page = (tmp_path / "scores" / "report.html").read_text(encoding="utf-8")
    assert page.count("<img") == 2
    changed = (tmp_path / "scores" / "runs.zarr").stat().st_mtime_ns
    assert mcrock(*command)[1] == output
    assert (tmp_path / "scores" / "runs.zarr").stat().st_mtime_ns == changed


@pytest.mark.parametrize("other", [["--geometry", "rock.json"], ["--part", "aside"], ["--calibrate"]])
def test_options_of_labels_are_refused_with_measured_maxima(mcrock, tmp_path, other):
    code, _, errors = mcrock(
        "validate", tmp_path / "s.zarr", "--measured", "t.csv", *other, "-o", tmp_path / "o"
    )
    assert code == 2
    assert "go with --labels, not with --measured" in errors
    assert not (tmp_path / "o").exists()
