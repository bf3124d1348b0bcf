"""Sobol indices and inputs given the outcome: closed forms, SciPy as a twin, studies with known inputs."""

import json

import numpy as np
import pytest
import xarray as xr
from scipy import stats
from scipy.special import ndtri

from mcrock.base.params import Outcome
from mcrock.dataset.schema import OUTER
from mcrock.plots import plot_sensitivity
from mcrock.show.sensitivity import format_distances, format_indices
from mcrock.statistics import outcome_distances, sobol_indices
from mcrock.statistics.sensitivity import _shuffles, _Table, estimate_indices
from mcrock.study.design import SCRAMBLES, _generator, exchange_inputs, sobol_points
from tests.unit.statistics.conftest import simulate_study

PGA = {"units": "m s-2", "long_name": "peak ground acceleration"}
WEIGHTS = np.sqrt([0.6, 0.25, 0.1, 0.05])


def design(inputs, n, seed=1):
    """Points (n, scramble, 2 + input, input) in the unit cube."""
    pairs = [sobol_points(_generator(seed, "test", s), 2 * inputs, 0, n) for s in range(SCRAMBLES)]
    row, column = np.divmod(np.arange(n * SCRAMBLES * (2 + inputs)), 2 + inputs)
    points = exchange_inputs(np.stack(pairs, axis=1).reshape(-1, 2 * inputs)[row], column)
    return points.reshape(n, SCRAMBLES, 2 + inputs, inputs)


def ishigami(u):
    x = np.pi * (2 * u - 1)
    return np.sin(x[..., 0]) + 7 * np.sin(x[..., 1]) ** 2 + 0.1 * x[..., 2] ** 4 * np.sin(x[..., 0])


def indicator(u, probability):
    """Whether a weighted sum of standard normal numbers is above its quantile."""
    return (ndtri(u) @ WEIGHTS > -ndtri(probability)).astype(float)


def true_indices(probability):
    """Of `indicator`, first-order and total (2, 4), from bivariate normal probabilities."""
    z, variance = ndtri(probability), probability * (1 - probability)

    def explained(correlation):
        cov = [[1, correlation], [correlation, 1]]
        return (stats.multivariate_normal.cdf([z, z], cov=cov) - probability**2) / variance

    squares = WEIGHTS**2
    return np.array([[explained(s) for s in squares], [1 - explained(1 - s) for s in squares]])


def test_indices_of_the_ishigami_function():
    index, half = estimate_indices(ishigami(design(3, 1024)), 0.95)
    inner, odd = 0.5 * (1 + 0.1 * np.pi**4 / 5) ** 2, 0.1**2 * np.pi**8 * 8 / 225
    whole = inner + 49 / 8 + odd
    first = np.array([inner, 49 / 8, 0]) / whole
    total = np.array([inner + odd, 49 / 8, odd]) / whole
    # four standard errors of 8192 points
    np.testing.assert_allclose(index, [first, total], atol=0.02)
    assert (half < 0.02).all()


@pytest.mark.parametrize("probability", [0.5, 0.16])
def test_indices_of_a_linear_indicator(probability):
    index, half = estimate_indices(indicator(design(4, 1024), probability), 0.95)
    # 300 designs of 64 points scatter by 0.026 to 0.051, so these by 0.006 to 0.013
    np.testing.assert_allclose(index, true_indices(probability), atol=0.04)
    assert (half < 0.04).all()


def test_a_scramble_has_the_indices_of_scipy():
    y = ishigami(design(3, 256))[:, :1]
    f_a, f_b, f_ab = y[:, 0, 0], y[:, 0, 1], y[:, 0, 2:].T
    twin = stats.sobol_indices(func={"f_A": f_a[None], "f_B": f_b[None], "f_AB": f_ab[:, None, :]}, n=len(y))
    index, _ = estimate_indices(np.repeat(y, 2, axis=1), 0.95)
    np.testing.assert_allclose(index[0], twin.first_order, rtol=1e-10)
    np.testing.assert_allclose(index[1], twin.total_order, rtol=1e-10)


def config(*names, design="sobol_indices", n=448):
    spread = {"distribution": "uniform", "low": 0.3, "high": 0.5}
    body = {"shape": "cuboid", "width": 0.4, "depth": 0.4, "height": 1.6, "density": 2000.0}
    return json.dumps(
        {
            "seed": 3,
            "body": body | dict.fromkeys(names, spread),
            "motion": {"source": "pulse", "shape": "one-sine", "period": 1.0},
            "intensity": {"measure": "pga", "levels": [1.0, 2.0]},
            "ensemble": {"realizations": n, "design": design},
        }
    )


def study_of_indices(points=32, probabilities=(0.3, 0.0)):
    """Study of two inputs of which the first alone decides, with one realization too many."""
    u = design(2, points).reshape(-1, 2)
    u = np.concatenate([u, u[:1]])
    fell = u[:, :1] < np.array(probabilities)
    return xr.Dataset(
        {
            "outcome": (("realization", "intensity"), np.where(fell, 3, 1).astype("i1")),
            "body_width": ("realization", u[:, 0]),
            "body_depth": ("realization", u[:, 1]),
        },
        coords={"intensity": ("intensity", [1.0, 2.0], PGA)},
        attrs={"config": config("width", "depth", n=len(u))},
    )


def test_an_input_that_alone_decides_has_all_of_the_variance():
    found = sobol_indices(study_of_indices(64))
    assert found["input"].values.tolist() == ["body.width", "body.depth"]
    assert found.attrs["level"] == 0.95
    first, total = (found[name].isel(intensity=0).values for name in ("first_order", "total"))
    np.testing.assert_allclose(first, [1, 0], atol=0.1)
    np.testing.assert_allclose(total, [1, 0], atol=0.05)
    assert total[1] == 0.0
    assert float(found["probability"][0]) == pytest.approx(0.3, abs=0.01)
    assert (int(found["points"]), int(found["runs"])) == (64, 64 * 8 * 4 * 2)
    assert found["total"].isel(intensity=1).isnull().all()  # nothing overturned there
    assert np.isnan(found["total_interval"].values[:, :, 1]).all()


def test_words_and_figure_of_indices():
    found = sobol_indices(study_of_indices())
    text = "\n".join(format_indices(found))
    assert "body.width 0.94 (0.84 to 1.00) -" in " ".join(text.split())
    assert "body.depth 0.00 (0.00 to 0.00) -" in " ".join(text.split())
    assert "8 independent designs of 32 points" in text
    ax = plot_sensitivity(found)
    assert ax.get_xlabel() == "Sobol index [1]"
    assert [text.get_text() for text in ax.get_yticklabels()] == ["body width", "body depth"]
    (mark,) = (line for line in ax.lines if line.get_marker() == "o")
    np.testing.assert_allclose(mark.get_xdata(), found["total"].isel(intensity=0), atol=1e-12)


def test_indices_need_their_design_and_some_variance(make_study):
    with pytest.raises(ValueError, match=r'ensemble\.design = "sobol_indices"'):
        sobol_indices(make_study())
    with pytest.raises(ValueError, match="at least 32 realizations"):
        sobol_indices(study_of_indices().isel(realization=slice(31)))
    with pytest.raises(ValueError, match="all runs ended alike"):
        sobol_indices(study_of_indices(probabilities=(0.0, 1.0)))


def inputs_study(n=880, records=22, seed=0, shift=0.0, cloud=False):
    """A number that shifts the capacity, an idle one and one that goes with the record; laws, azimuth."""
    rng = np.random.default_rng(seed)
    record = np.arange(n) % records
    of_record = rng.standard_normal(records)[record]
    drives, idle = rng.standard_normal((2, n))
    capacity = 3.0 * np.exp(0.35 * of_record + 0.2 * rng.standard_normal(n) + shift * drives)
    x = 3.0 * np.exp(0.6 * rng.standard_normal(n)) if cloud else np.array([2.0, 3.0, 4.5])
    dims = ("realization",) if cloud else ("realization", "intensity")
    fell = x > capacity if cloud else x > capacity[:, None]
    ds = xr.Dataset(
        {
            "outcome": (dims, np.where(fell, Outcome.OVERTURNED, Outcome.AT_REST).astype("i1")),
            "record": ("realization", record.astype("i4")),
            "drives": ("realization", drives),
            "idle": ("realization", idle),
            "with_record": ("realization", of_record + 0.1 * rng.standard_normal(n)),
            "impact_law": ("realization", rng.integers(0, 3, n).astype("i1")),
            "azimuth": ("realization", rng.uniform(0, 2 * np.pi, n)),
        }
    )
    if cloud:
        return ds.assign(intensity_value=("realization", x, PGA))
    return ds.assign_coords(intensity=("intensity", x, PGA))


def test_distance_of_a_number_is_that_of_kolmogorov_and_smirnov():
    ds = inputs_study(shift=0.3)
    found = outcome_distances(ds, permutations=19)
    for j in range(3):
        fell = ds["outcome"].values[:, j] == Outcome.OVERTURNED
        for name in ("drives", "idle", "with_record"):
            twin = stats.ks_2samp(ds[name].values[fell], ds[name].values[~fell])
            one = found.sel(input=name).isel(intensity=j)
            assert float(one["distance"]) == pytest.approx(twin.statistic, abs=1e-12)
            # a larger number raises the capacity: overturned runs have smaller ones
            assert float(one["direction"]) == -twin.statistic_sign


@pytest.mark.parametrize("strata", [1, 22, 3000])
def test_permutations_are_those_of_the_random_numbers_in_order(strata):
    stratum = np.random.default_rng(1).integers(0, strata, 20_000)
    shuffles, rng = _shuffles(stratum, 5), np.random.default_rng(5)
    for _ in range(20):
        expected = np.empty(len(stratum), int)
        expected[np.argsort(stratum, kind="stable")] = np.lexsort((rng.random(len(stratum)), stratum))
        np.testing.assert_array_equal(next(shuffles), expected)


@pytest.mark.parametrize("different", [10, 5000])  # values of 5000
@pytest.mark.parametrize("missing", [0, 0.1])
def test_distances_of_permuted_outcomes_are_those_of_the_definition(different, missing):
    rng = np.random.default_rng(3)
    values = rng.permutation(np.arange(5000) % different).astype(float)
    there = (rng.random((5000, 12)) >= missing).astype(float)
    fell = rng.choice([0, 0.5, 1], size=there.shape, p=[0.6, 0.1, 0.3]) * there * (np.arange(12) > 0)
    fell[:, -1] = there[:, -1]
    fell[:, -2] = there[:, -2] * (values > 2)
    number = _Table(values[None], np.stack([fell, there])[:, None], np.zeros(5000, int))
    choice = _Table(values[None].astype(int), np.stack([fell, there])[:, None], np.zeros(5000, int))
    at = np.unique(values)
    for order in (np.arange(5000), rng.permutation(5000)):
        runs, yes = there[order], fell[order]
        of_runs, of_yes = (
            np.stack([each[values == value].sum(axis=0) for value in at]) for each in (runs, yes)
        )
        with np.errstate(invalid="ignore"):
            gap = (of_runs - of_yes) / (runs - yes).sum(axis=0) - of_yes / yes.sum(axis=0)
        place = abs(gap.cumsum(axis=0)).argmax(axis=0)
        largest = np.take_along_axis(gap.cumsum(axis=0), place[None], axis=0)[0]
        np.testing.assert_allclose(number.distance(order), [abs(largest), np.sign(largest)], rtol=1e-9)
        np.testing.assert_allclose(choice.distance(order)[0], abs(gap).sum(axis=0) / 2, rtol=1e-9)


def test_distance_of_a_choice_counts_frequencies():
    ds = inputs_study()
    found = outcome_distances(ds, permutations=19).sel(input="impact_law")
    fell, law = ds["outcome"].values[:, 1] == Outcome.OVERTURNED, ds["impact_law"].values
    shares = [np.bincount(law[which], minlength=3) / which.sum() for which in (fell, ~fell)]
    assert float(found["distance"][1]) == pytest.approx(np.abs(shares[0] - shares[1]).sum() / 2)
    assert (found["direction"] == 0).all()


def test_only_what_acts_within_records_is_significant():
    found = outcome_distances(inputs_study(shift=0.3), permutations=99).isel(intensity=1)
    significance = dict(zip(found["input"].values.tolist(), found["significance"].values, strict=True))
    assert significance["drives"] == significance["record"] == 0.01
    assert significance["with_record"] > 0.05  # goes with the outcome through the record alone
    assert float(found["distance"].sel(input="with_record")) > 0.3
    assert min(significance[name] for name in ("idle", "impact_law", "azimuth")) > 0.05


def test_an_idle_input_is_called_significant_as_often_as_said():
    """Of 300 studies at 0.1, 30 +- 5.2: beyond 4.5 deviations for one seed in 100,000."""
    calls = np.zeros(2)
    for seed in range(300):
        ds = inputs_study(n=88, seed=seed)[["outcome", "record", "idle", "with_record"]]
        found = outcome_distances(ds.isel(intensity=[1]), permutations=19)
        calls += found["significance"].sel(input=["idle", "with_record"]).values[:, 0] <= 0.1
    assert (np.abs(calls - 30) < 24).all()


def test_a_direction_of_several_lobes_is_seen():
    ds = inputs_study()
    fell = np.cos(4 * ds["azimuth"].values) > 0.5
    ds["outcome"] = ("realization", np.where(fell, 3, 1).astype("i1"))
    ds = ds.drop_vars("intensity").assign(intensity_value=("realization", np.ones(len(fell)), PGA))
    one = outcome_distances(ds, permutations=19).sel(input="azimuth")
    assert float(one["distance"]) > 0.6
    assert float(one["significance"]) == 0.05


def test_sixteen_sectors_of_an_angle_are_told_apart():
    sector = np.arange(320) % 16
    azimuth = (sector + 0.5) * np.pi / 8 - 4 * np.pi  # any turn of it
    fell = np.where(sector % 2 == 0, Outcome.OVERTURNED, Outcome.AT_REST).astype("i1")
    ds = xr.Dataset(
        {"azimuth": ("realization", azimuth), "outcome": (("realization", "intensity"), fell[:, None])}
    )
    ds = ds.assign_coords(intensity=("intensity", [1.0], PGA))
    found = outcome_distances(ds)
    assert float(found["distance"].sel(input="azimuth")[0]) == 1.0
    assert found.attrs["permutations"] == 199


@pytest.mark.parametrize("nested", [False, True])
def test_realizations_that_were_not_run_are_left_out(nested):
    """Not even their inputs are there."""
    ds, there = inputs_study(n=88, shift=0.3), np.arange(88) % 3 > 0
    if nested:
        ds = xr.concat([ds, inputs_study(n=88, seed=1).assign(record=ds["record"])], OUTER, data_vars="all")
        ds["record"] = ds["record"].isel({OUTER: 0})
    part = ds.where(xr.DataArray(there, dims="realization"), 0).astype({k: v.dtype for k, v in ds.items()})
    found = outcome_distances(part, permutations=19, allow_missing=True)
    xr.testing.assert_identical(found, outcome_distances(ds.isel(realization=there), permutations=19))
    with pytest.raises(ValueError, match="have not been run"):
        outcome_distances(part, permutations=19)


def test_a_cloud_has_one_distance_of_each_input():
    found = outcome_distances(inputs_study(cloud=True, shift=0.3), permutations=19)
    assert found["distance"].dims == ("input",)
    assert found["input"].values[found["distance"].values.argmax()] == "intensity_value"
    assert "intensity_value" in "\n".join(format_distances(found))
    assert plot_sensitivity(found).get_xlabel() == "Distance of the inputs [1]"


def test_nested_studies_permute_realizations_and_draws():
    """An epistemic input has as many values as draws: 64 x 88 runs do not make an idle one significant."""
    rng = np.random.default_rng(3)
    parts = [inputs_study(n=88, seed=1) for _ in range(16)]
    unknown = rng.standard_normal(16)
    for part, value in zip(parts, unknown, strict=True):
        part["unknown"] = ("realization", np.full(88, value))
    ds = xr.concat(parts, OUTER, data_vars="all")
    found = outcome_distances(ds, permutations=199)
    assert float(found["distance"].sel(input="unknown").max()) == 0.0  # every draw has the same outcomes
    single = outcome_distances(parts[0].drop_vars("unknown"), permutations=199)
    for name in ("idle", "azimuth", "record"):
        np.testing.assert_allclose(found["distance"].sel(input=name), single["distance"].sel(input=name))
        np.testing.assert_array_equal(
            found["significance"].sel(input=name), single["significance"].sel(input=name)
        )


def test_undecided_runs_count_half_and_parameters_of_other_laws_are_left_out():
    ds = inputs_study(shift=0.3)
    ds["impact_nu"] = ds["idle"].where(ds["impact_law"] == 1)
    found = outcome_distances(ds, permutations=19)
    alone = outcome_distances(ds.isel(realization=ds["impact_law"].values == 1), permutations=19)
    np.testing.assert_allclose(
        found["distance"].sel(input="impact_nu"), alone["distance"].sel(input="impact_nu")
    )
    ds["outcome"][:] = Outcome.STEP_LIMIT
    assert float(outcome_distances(ds, permutations=19)["distance"].max()) == pytest.approx(0.0)


def test_only_independent_realizations_of_a_design_of_indices_count():
    ds = study_of_indices()
    column = np.arange(ds.sizes["realization"]) % 4
    plain = ds.isel(realization=column < 2).assign_attrs(config=config("width", "depth", design="random"))
    xr.testing.assert_equal(outcome_distances(ds), outcome_distances(plain))


def test_of_a_large_study_the_first_realizations_are_enough(monkeypatch):
    ds = inputs_study(shift=0.3)
    few = outcome_distances(ds.isel(realization=slice(440)), permutations=19)
    monkeypatch.setattr("mcrock.statistics.sensitivity.MOST", 440)
    xr.testing.assert_identical(outcome_distances(ds, permutations=19), few)


def test_nothing_drawn_and_few_permutations_are_refused(make_study):
    with pytest.raises(ValueError, match="at least 19"):
        outcome_distances(make_study(), permutations=10)
    with pytest.raises(ValueError, match="nothing is drawn"):
        outcome_distances(make_study()[["outcome"]])


def null_study(rng, shift=0.0):
    """Inputs without effect, or of which the first moves ln(capacity) by ``shift`` standard deviations.

    5 to 29 records of 2 to 14 realizations, 1 to 7 levels, 1 to 8 inputs besides the record: independent
    numbers, choices of two to four, numbers that follow the record, and numbers that follow the first input
    where that has no effect. Capacities have 0 to 0.95 of their variance between records.
    """
    records, per_record = int(rng.integers(5, 30)), int(rng.integers(2, 15))
    n, levels, share = records * per_record, int(rng.integers(1, 8)), rng.uniform(0, 0.95)
    record = np.repeat(np.arange(records), per_record)
    of_record = rng.standard_normal(records)[record]
    inputs = [rng.standard_normal(n)]
    for kind in rng.choice(["number", "choice", "of record", "of first"], size=int(rng.integers(0, 8))):
        own = rng.standard_normal(n)
        follows = {"of record": of_record, "of first": inputs[0] if not shift else 0.0}.get(kind, 0.0)
        choices = rng.integers(0, int(rng.integers(2, 5)), n).astype("i1")
        inputs.append(choices if kind == "choice" else own + rng.uniform(0, 2) * follows)
    score = np.sqrt(share) * of_record + np.sqrt(1 - share) * (rng.standard_normal(n) + shift * inputs[0])
    over = score[:, None] < np.sort(rng.normal(0, 1.2, levels))
    ds = xr.Dataset(
        {
            "outcome": (
                ("realization", "intensity"),
                np.where(over, Outcome.OVERTURNED, Outcome.AT_REST).astype("i1"),
            ),
            "record": ("realization", record.astype("i4")),
        },
        coords={"intensity": ("intensity", np.arange(1.0, levels + 1), PGA)},
    )
    return ds.assign({f"input_{k}": ("realization", values) for k, values in enumerate(inputs)})


def claims_of(rng, shift=0.0):
    """Whether an input is significant by itself and of the family, with 199 permutations.

    The record, which has an effect, does not count; where the first input has one, that alone counts.
    """
    found = outcome_distances(null_study(rng, shift), permutations=199)
    names = [name for name in found["input"].values if name != "record"]
    found = found.sel(input=["input_0"] if shift else names)
    return [bool((found[name] <= 0.05).any()) for name in ("significance", "family_significance")]


@pytest.mark.slow
@pytest.mark.parametrize(("shift", "studies"), [(0.0, 4000), (0.5, 500), (1.0, 500)])
def test_a_table_without_effects_claims_none_in_95_of_100(shift, studies):
    """Shares of the studies of `null_study` with an input of p <= 0.05.

    | effect of the first input | studies | by itself | of the family | standard error |
    |---------------------------|---------|-----------|---------------|----------------|
    | none (any input counts)   | 4000    | 0.339     | 0.039         | 0.003          |
    | 0.5                       | 500     | 0.684     | 0.494         | 0.022          |
    | 1 standard deviation      | 500     | 0.868     | 0.762         | 0.019          |

    The family also holds the record, whose claims do not count here: 0.039 is less than 0.05.
    """
    rng = np.random.default_rng(11)
    alone, family = np.mean([claims_of(rng, shift) for _ in range(studies)], axis=0)
    print(shift, studies, alone, family)
    if shift:
        assert family >= {0.5: 0.494 - 3 * 0.022, 1.0: 0.762 - 3 * 0.019}[shift]
    else:
        assert family <= 0.05 + 2 * 0.0035


def test_two_identical_inputs_and_a_constant_one_are_said():
    ds = null_study(np.random.default_rng(2), shift=2.0)
    twin = ds["input_0"]
    ds = ds.assign(twin=twin, fixed=0 * twin + 1.0)
    found = outcome_distances(ds, permutations=99)
    assert "fixed" in found.attrs["constant"]
    assert "input_0 and twin (+1.00)" in found.attrs["dependent"]
    text = "\n".join(format_distances(found))
    assert "input_0 and twin (+1.00)" in text
    assert "the same in all runs, and so not in the table: fixed" in text
    assert (found["family_significance"] >= found["significance"] - 0.05).all()


@pytest.mark.parametrize("factor", [1.0, 1.2])
def test_a_static_friction_that_nobody_gave_is_no_input(factor):
    ds = simulate_study(records=6, per_record=20)
    friction = np.random.default_rng(1).uniform(0.2, 0.8, ds.sizes["realization"])
    given = {
        f"contact_{name}": ("realization", friction * by)
        for name, by in (("friction", 1), ("static_friction", factor))
    }
    found = outcome_distances(ds.assign(given), permutations=19)["input"].values.tolist()
    assert "contact_friction" in found
    assert ("contact_static_friction" in found) == (factor > 1)
