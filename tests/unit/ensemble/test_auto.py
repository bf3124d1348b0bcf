"""Studies that find their levels and their number of realizations: the bits of studies that give both."""

import json

import numpy as np
import pytest
import xarray as xr

from mcrock.base.params import Outcome
from mcrock.dataset import load_dataset
from mcrock.ensemble import run_study, settle
from mcrock.ensemble.opening import log_path
from mcrock.ensemble.pilot import STEPS, Spread, _bisect, levels_that_tell
from mcrock.excitation import pack_motions
from mcrock.statistics import overturning_probability, weighted_probability, what_limits
from mcrock.study import ConfigError, load_config
from mcrock.study.sampling import load_motions
from tests.unit.statistics.test_risk import power_law

AUTO = ["intensity.levels=auto", "ensemble.realizations=auto", "ensemble.most_realizations=64"]


@pytest.fixture
def study(study_file):
    return load_config(study_file, AUTO)


def apart(ds):
    return ds.drop_vars("chunk_done").load()


def test_a_study_is_that_of_the_levels_and_the_number_that_it_found(study, study_file, tmp_path):
    ds = run_study(study, tmp_path / "a.zarr")
    n, levels = ds.sizes["realization"], ds["intensity"].values.tolist()
    assert n <= 64
    given = [f"intensity.levels={levels}", f"ensemble.realizations={n}"]
    plain = run_study(load_config(study_file, given), tmp_path / "b.zarr")
    xr.testing.assert_identical(apart(ds), apart(plain))
    again = run_study(study, tmp_path / "c.zarr", workers=1, part_size=3, processes=True)
    xr.testing.assert_identical(apart(again), apart(ds))


def test_it_ends_when_runs_add_little_or_at_its_limit(study, study_file, tmp_path):
    ds = run_study(study, tmp_path / "a.zarr")
    assert float(what_limits(ds)["runs_share"]) <= 0.05 or ds.sizes["realization"] == 64
    coarse = load_config(study_file, [*AUTO, "ensemble.runs_share=1.0"])
    assert run_study(coarse, tmp_path / "b.zarr").sizes["realization"] == 8  # 4 of each record


def test_nothing_is_run_twice_where_nothing_is_uncertain(study_file, tmp_path):
    certain = ["body.width=0.4", "body.depth=0.4", "motion.azimuth_deg=0.0", "impact.draw=run"]
    certain += ["impact.lambda=0.8", "impact.lambda_lon=0.8", "impact.lambda_lat=0.0"]
    study = load_config(study_file, [*AUTO, *certain])
    if not study.is_certain:
        pytest.fail(f"the small study has another input: {study.uncertain}")
    assert run_study(study, tmp_path / "a.zarr").sizes["realization"] == 2


def test_a_store_that_is_there_goes_on_at_its_levels(study, study_file, tmp_path):
    few = load_config(study_file, [*AUTO[:2], "ensemble.most_realizations=8"])
    ds = run_study(few, tmp_path / "a.zarr", intensity=3.3)
    assert ds.sizes["realization"] == 8
    assert 3.3 in ds["intensity"].values
    more = run_study(study, tmp_path / "a.zarr", extend=True)
    np.testing.assert_array_equal(more["intensity"], ds["intensity"])
    assert more.sizes["realization"] >= 8
    xr.testing.assert_equal(more["outcome"][:8], ds["outcome"])


def test_tasks_agree_on_a_number_and_their_logs_say_it(study, tmp_path):
    for i in (2, 1):
        ds = run_study(study, tmp_path / "a.zarr", task=(i, 2))
    entries = log_path(tmp_path / "a.zarr", (2, 2)).read_text().splitlines()
    sizes = [entry["realizations"] for entry in map(json.loads, entries) if entry["event"] == "size"]
    assert sizes == [ds.sizes["realization"]]
    assert load_dataset(tmp_path / "a.zarr").sizes["realization"] == sizes[0]


def test_levels_go_from_little_to_nearly_all(study_file, tmp_path):
    (study,) = settle([load_config(study_file, [*AUTO[:1], "ensemble.realizations=64"])])
    p = overturning_probability(run_study(study, tmp_path / "a.zarr"))["probability"].values
    assert p[0] < 0.3
    assert p[-1] > 0.7
    assert 8 <= len(p) <= 16


def test_a_stronger_body_has_stronger_levels_and_both_together_the_union(study_file):
    slender, stout = (
        load_config(study_file, [*AUTO, f"body.width={b}", f"body.depth={b}"]) for b in (0.3, 0.6)
    )
    one, other, both = (
        np.array(settle(studies)[0].intensity.si_levels) for studies in ([slender], [stout], [slender, stout])
    )
    assert one[0] < other[0]
    assert one[-1] < other[-1]
    assert both[0] == pytest.approx(one[0], rel=0.1)
    assert both[-1] == pytest.approx(other[-1], rel=0.1)


def test_levels_follow_the_spread_of_capacities_and_the_hazard():
    """Of a lognormal curve with the median 2 and the dispersion 0.4."""
    spread = Spread(np.log(2.0), 0.4, 0.4, np.log(50.0))
    levels = np.array(levels_that_tell([spread]))
    p = spread.probability(np.log(levels))
    assert p[0] == pytest.approx(0.02, abs=0.01)
    assert p[-1] == pytest.approx(0.98, abs=0.01)
    assert ((p > 0.2) & (p < 0.8)).sum() >= len(p) / 3
    by_rate = np.array(levels_that_tell([spread], power_law()))
    # a power law of slope k moves the integrand down by k times the dispersion squared
    assert np.median(by_rate) < np.median(levels)
    assert (np.diff(by_rate) > 0).all()


def test_the_pilot_finds_what_all_runs_tell(study_file):
    """Where a realization that falls at a level falls at all stronger ones."""
    study, motions = load_config(study_file), load_motions(load_config(study_file))
    levels = np.geomspace(1.0, 9.0, STEPS).tolist()
    tried, n = study.at_intensities(levels), 24
    found = _bisect(tried, motions, pack_motions(motions), (0, n), "falls")
    fell = run_study(tried.of_size(n), study_file.parent / "s.zarr")["outcome"].values == Outcome.OVERTURNED
    rises = (np.diff(fell.astype(int), axis=1) >= 0).all(axis=1)
    assert rises.sum() > 12
    np.testing.assert_array_equal(found[rises], (~fell).sum(axis=1)[rises])


def test_a_cloud_is_drawn_where_the_rate_is_from(study_file, tmp_path):
    changes = ["intensity.value=auto", "ensemble.realizations=64"]
    cloud, hazard = load_config(study_file, changes), power_law()
    (by_rate,) = settle([cloud], hazard)
    levels = settle([load_config(study_file, AUTO)], hazard)[0].intensity.si_levels
    low, high = by_rate.intensity.distribution[0].frozen.ppf([0.001, 0.999])
    assert low < levels[0] < levels[-1] < high
    ds = run_study(cloud, tmp_path / "a.zarr", hazard=hazard)
    found = weighted_probability(ds, hazard)
    assert float(found["rate"]) > 0
    assert float(found["effective_runs"]) > 5


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (["ensemble.design=latin_hypercube"], "depends on its size: give a number"),
        (["ensemble.realizations=8"], "most_realizations: goes with realizations = 'auto'"),
        (["motion.record=[0, 1]"], "inputs are listed"),
    ],
)
def test_what_cannot_end_by_itself_is_refused(study_file, changes, words):
    with pytest.raises(ConfigError, match=words):
        load_config(study_file, [*AUTO, *changes])


def test_levels_that_nobody_has_chosen_are_told(study):
    with pytest.raises(ValueError, match=r"mcrock\.ensemble\.settle"):
        _ = study.intensity.si_levels
