"""Stores that are given more realizations or further intensities: nothing is lost, and no bit differs."""

import json
import os

import pytest
import xarray as xr

import mcrock.ensemble.part
from mcrock.dataset import load_dataset
from mcrock.dataset.contents import chunks_done
from mcrock.dataset.create import StoreError
from mcrock.ensemble import EnsembleError, plan_study, run_study
from mcrock.simulation.runs import simulate_part
from mcrock.study import load_config

MORE = "ensemble.realizations=45"  # 40 in 5 chunks of 8: one chunk more, which is not full
FEWER = "ensemble.realizations=36"  # the last of 5 chunks of 8 is half full
FURTHER = "intensity.levels=[0.5, 1.0, 4.0, 6.0, 9.0]"  # 1, 4 and 9


@pytest.fixture
def counted(monkeypatch):
    """Runs that are computed, (first realization, realizations, intensities) of each call."""
    calls = []

    def count(inputs, motions, controls, **more):
        calls.append((inputs.start, *inputs.scale.shape))
        return simulate_part(inputs, motions, controls, **more)

    monkeypatch.setattr(mcrock.ensemble.part, "simulate_part", count)
    return calls


def same_runs(extended, fresh):
    """Whether two datasets are the same but for the chunks that they were computed in."""
    names = [name for name in fresh.variables if name != "chunk_done"]
    xr.testing.assert_identical(extended[names], fresh[names])


@pytest.mark.parametrize("design", ["random", "sobol", "sobol_by_record"])
def test_an_extended_store_is_that_of_the_whole_study(study_file, tmp_path, design):
    design = f'ensemble.design="{design}"'
    run_study(load_config(study_file, [design]), tmp_path / "s.zarr")
    whole = load_config(study_file, [design, MORE, FURTHER])
    same_runs(
        run_study(whole, tmp_path / "s.zarr", extend=True, workers=2, part_size=20),
        run_study(whole, tmp_path / "w.zarr"),
    )


def test_what_is_there_is_not_computed_again(copied, study_file, tmp_path, counted):
    copied()
    counted.clear()
    run_study(load_config(study_file, [MORE]), tmp_path / "s.zarr", extend=True, workers=1)
    assert counted == [(40, 5, 3)]
    counted.clear()
    run_study(load_config(study_file, [MORE, FURTHER]), tmp_path / "s.zarr", extend=True, workers=1)
    assert sorted(counted) == [*((8 * i, 8, 2) for i in range(5)), (40, 5, 2)]
    counted.clear()
    run_study(load_config(study_file, [MORE, FURTHER]), tmp_path / "s.zarr", extend=True)
    assert not counted


def test_an_interrupted_extension_goes_on(study_file, tmp_path, monkeypatch):
    path, whole = tmp_path / "s.zarr", load_config(study_file, [MORE, FURTHER])
    before = run_study(load_config(study_file, [FEWER]), path).load()

    def fail(inputs, motions, controls, **more):
        if inputs.start in (16, 32):
            raise MemoryError
        return simulate_part(inputs, motions, controls, **more)

    with monkeypatch.context() as patch:
        patch.setattr(mcrock.ensemble.part, "simulate_part", fail)
        with pytest.raises(EnsembleError, match=r"4 of 6 chunks are done"):
            run_study(whole, path, extend=True)
    ds = load_dataset(path, allow_incomplete=True)
    assert ds["chunk_done"].values.tolist() == [1, 1, 0, 1, 0, 1]
    there = (ds["outcome"] != 0).values
    assert there[:16].all()
    for rows in (slice(16, 24), slice(32, 36)):  # what was there is there, and nothing else
        assert there[rows].tolist() == [[False, True, True, False, True]] * (rows.stop - rows.start)
        known = ds.isel(realization=rows, intensity=[1, 2, 4])
        same_runs(known.drop_attrs(deep=False), before.isel(realization=rows).drop_attrs(deep=False))
    assert not there[36:40].any()
    same_runs(run_study(whole, path, resume=True), run_study(whole, tmp_path / "w.zarr"))


@pytest.mark.parametrize("options", [{"resume": True}, {"task": (1, 2)}], ids=str)
def test_nothing_is_extended_without_being_told(copied, study_file, tmp_path, options):
    copied()
    before = os.stat(tmp_path / "s.zarr" / "study.zip").st_mtime_ns
    message = (
        r"the same study but for ensemble\.realizations \(stored 40, wanted 45\); intensity\.levels "
        r"\(stored \[1\.0, 4\.0, 9\.0\], wanted \[0\.5, 1\.0, 4\.0, 6\.0, 9\.0\]\); --extend"
    )
    for call in (run_study, plan_study):
        with pytest.raises(StoreError, match=message):
            call(load_config(study_file, [MORE, FURTHER]), tmp_path / "s.zarr", **options)
    assert os.stat(tmp_path / "s.zarr" / "study.zip").st_mtime_ns == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["ensemble.realizations=39"], r"has runs that are not wanted: ensemble\.realizations \(stored 40"),
        (["intensity.levels=[1.0, 4.0]", MORE], r"not wanted: ensemble\..*; intensity\.levels \(stored"),
        (["seed=6", MORE], r"another study, which differs in ensemble\.realizations .*; seed \(stored 5"),
        (["body.height=1.1"], r"another study, which differs in body\.height \(stored 1\.0, wanted 1\.1\)"),
        (["intensity={ measure = 'pgv', levels = [1.0, 4.0, 9.0] }"], r"differs in intensity\.measure"),
    ],
)
def test_any_other_change_is_refused(copied, study_file, tmp_path, change, message):
    copied()
    for call in (run_study, plan_study):
        with pytest.raises(StoreError, match=message):
            call(load_config(study_file, change), tmp_path / "s.zarr", extend=True)
    run_study(load_config(study_file), tmp_path / "s.zarr", resume=True)


@pytest.mark.parametrize("options", [{"resume": True}, {"extend": True}], ids=str)
def test_who_answers_for_a_study_may_change_between_its_runs(study_file, tmp_path, counted, options):
    """No run is computed again, none differs, and the store has who answers now; other changes are named."""
    path, signed = tmp_path / "s.zarr", ["report.author=B. Bauer", "report.checker=C. Checker"]
    first = run_study(load_config(study_file, ["report.author=A. Author"]), path)
    counted.clear()
    later = run_study(load_config(study_file, signed), path, **options)
    assert not counted
    same_runs(later.drop_attrs(deep=False), first.drop_attrs(deep=False))
    stored = json.loads(load_dataset(path).attrs["config"])["report"]
    assert (stored["author"], stored["checker"]) == ("B. Bauer", "C. Checker")
    with pytest.raises(StoreError, match=r"differs in body\.height \(stored 1\.0, wanted 1\.1\)\. Choose"):
        run_study(load_config(study_file, ["body.height=1.1"]), path, **options)


def test_another_kernel_extends_nothing(copied, study_file, tmp_path, monkeypatch):
    copied()
    monkeypatch.setattr("mcrock.ensemble.opening.source_hash", lambda: "edited")
    message = r"another study, .* ensemble\.realizations .* kernel_digest \(stored .*, wanted \"edited\"\)"
    with pytest.raises(StoreError, match=message):
        run_study(load_config(study_file, [MORE]), tmp_path / "s.zarr", extend=True)


def test_a_latin_hypercube_is_not_extended(study_file, tmp_path):
    design = 'ensemble.design="latin_hypercube"'
    run_study(load_config(study_file, [design]), tmp_path / "s.zarr")
    with pytest.raises(StoreError, match=r"another study, which differs in ensemble\.realizations"):
        run_study(load_config(study_file, [design, MORE]), tmp_path / "s.zarr", extend=True)
    further = load_config(study_file, [design, FURTHER])
    same_runs(run_study(further, tmp_path / "s.zarr", extend=True), run_study(further, tmp_path / "w.zarr"))


def test_a_plan_counts_what_an_extension_computes(copied, study_file, tmp_path):
    copied()
    assert plan_study(load_config(study_file, [MORE]), tmp_path / "s.zarr", extend=True) == (8, 6, 6, 1)
    assert plan_study(load_config(study_file, [FURTHER]), tmp_path / "s.zarr", extend=True)[1:] == (5, 5, 5)
    assert plan_study(load_config(study_file), tmp_path / "s.zarr", extend=True)[1:] == (5, 5, 0)


def test_an_extended_store_without_its_study_keeps_its_chunks(copied, study_file, tmp_path, counted):
    more = load_config(study_file, ["ensemble.realizations=200"])  # in chunks of 8 realizations still
    copied()
    before = run_study(more, tmp_path / "s.zarr", extend=True).load()
    (tmp_path / "s.zarr" / "study.zip").write_bytes(b"")
    counted.clear()
    xr.testing.assert_identical(run_study(more, tmp_path / "s.zarr", resume=True), before)
    assert not counted
    assert len(chunks_done(tmp_path / "s.zarr")) == 25


def test_a_damaged_old_chunk_is_computed_whole(copied, study_file, tmp_path, counted):
    copied()
    file = tmp_path / "s.zarr" / "chunks" / "2.zip"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    counted.clear()
    whole = load_config(study_file, [FURTHER])
    with pytest.warns(UserWarning, match=r"chunks/2\.zip is not as it was written; it is computed again"):
        ds = run_study(whole, tmp_path / "s.zarr", extend=True, workers=1)
    assert sorted(counted) == [(8 * i, 8, 5 if i == 2 else 2) for i in range(5)]
    same_runs(ds, run_study(whole, tmp_path / "w.zarr"))
