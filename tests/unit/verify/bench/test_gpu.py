"""The row of a GPU in `mcrock bench`: measured where there is one, beside one core."""

import pytest

from mcrock.show.bench import format_bench
from mcrock.simulation import device
from mcrock.verify import bench
from mcrock.verify.bench import gpu, report
from mcrock.verify.bench.workloads import WORKLOADS, prepare


@pytest.fixture
def on_processor(monkeypatch):
    """A GPU whose part a processor plays."""
    asked = []

    def prepared(name, runs, device):
        asked.append((name, runs, device))
        return prepare(name, runs)

    monkeypatch.setattr(gpu, "prepare", prepared)
    monkeypatch.setattr(gpu, "arithmetic_of", lambda device: f"the arithmetic of {device}")
    monkeypatch.setattr(gpu, "RUNS", 30)
    monkeypatch.setattr(report, "measure_memory", lambda names, runs: dict.fromkeys(names, 100.0))
    monkeypatch.setattr(report, "missing_gpu", lambda: "")
    monkeypatch.setattr(device, "missing_gpu", lambda: "")
    return asked


OPTIONS = {"repeat": 2, "seconds": 0.0, "start": False, "scaling": False}


@pytest.mark.parametrize(("runs", "many"), [(None, 30), (3, 3)])
def test_a_gpu_is_measured_beside_one_core(on_processor, runs, many):
    """Workloads that a GPU can compute: those runs that one core computes, and then many."""
    names = ["free_rocking", "planar"]
    found = bench.run_bench(names, runs=runs, device="cuda", **OPTIONS)
    assert on_processor == [("free_rocking", runs, "cuda"), ("free_rocking", many, "cuda")]
    (item,) = found["gpu"]
    assert item["runs"] == many
    assert item["compared_runs"] == found["workloads"]["free_rocking"]["runs"]
    assert item["overturned"] == item["overturned_on_the_processor"]
    one = found["workloads"]["free_rocking"]["runs_per_second_per_core"]["median"]
    assert item["over_one_core"] == pytest.approx(item["runs_per_second"]["median"] / one)
    line = format_bench(found).splitlines()[-1].split()
    assert line[:2] == ["free_rocking", str(many)]
    assert line[-2:] == [f"0/{item['compared_runs']}"] * 2
    assert "In the arithmetic of cuda: time on the clock" in format_bench(found)


def test_it_is_left_out_on_demand_and_where_there_is_none(on_processor, monkeypatch):
    assert "gpu" in bench.run_bench(["free_rocking"], runs=2, **OPTIONS)
    assert "gpu" not in bench.run_bench(["free_rocking"], runs=2, device="cpu", **OPTIONS)
    for module in (report, device):
        monkeypatch.setattr(module, "missing_gpu", lambda: "no GPU")
    assert "gpu" not in bench.run_bench(["free_rocking"], runs=2, **OPTIONS)
    with pytest.raises(ValueError, match="device cuda: no GPU"):
        bench.run_bench(["free_rocking"], device="cuda", **OPTIONS)


def test_friction_and_planar_workloads_have_no_program_for_a_gpu():
    assert [name for name, item in WORKLOADS.items() if item.kernel != gpu.BODY] == ["friction", "planar"]
