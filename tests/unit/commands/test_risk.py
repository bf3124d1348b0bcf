"""`mcrock risk`, and fragility files by `mcrock export`."""

import json

import numpy as np
import pytest

from mcrock import load_dataset
from mcrock.show.risk import rate_blocks
from mcrock.statistics import annual_rate, by_limit, load_hazard
from mcrock.statistics.risk import rate_with_support

HAZARD = "pga [m/s2],mean,0.84\n0.3,1e-2,2e-2\n3,1e-4,2e-4\n30,1e-6,2e-6\n"


@pytest.fixture
def hazard(tmp_path):
    (tmp_path / "h.csv").write_text(HAZARD)
    return tmp_path / "h.csv"


def test_risk_is_printed_and_drawn(mcrock, store, hazard, tmp_path):
    asked = ["--age", 5000, "--years", "10", "-o", tmp_path / "figures"]
    code, output, _ = mcrock("risk", store, "--hazard", hazard, *asked)
    assert code == 0
    assert "in 10 years" in output
    assert "no distribution of the rate: resamples of 2 recordings" in output
    assert (tmp_path / "figures" / "risk.png").exists()


def test_files_of_openquake_are_read_for_the_site_and_the_measure_of_the_study(mcrock, store, tmp_path):
    for imt in ("PGA", "SA(1.0)"):
        (tmp_path / f"{imt}.csv").write_text(
            f"#,,,\"kind='mean', investigation_time=50.0, imt='{imt}'\"\nlon,lat,poe-0.03,poe-0.3,poe-3\n"
            "7,46,4e-1,5e-3,5e-5\n8,47,4e-2,5e-4,5e-6\n"
        )
    files = [tmp_path / f"{imt}.csv" for imt in ("PGA", "SA(1.0)")]
    code, output, _ = mcrock("risk", store, *files, "--site", "7.01,46.01")
    assert code == 0
    assert "Hazard: mean of pga at (7, 46), probabilities in 50 years, turned into annual rates" in output
    code, output, errors = mcrock("risk", store, *files)
    assert (code, output, errors.count("\n")) == (2, "", 1)
    assert "has 2 sites; choose one (--site) by its name or LON,LAT: (7, 46), (8, 47)" in errors


def test_standards_stand_beside_risk_statistics_and_report(mcrock, store, hazard, tmp_path):
    asked = ["--design", "0.1g", "--target", "1e-4"]
    code, output, error = mcrock("risk", store, hazard, *asked)
    assert (code, error) == (0, "")
    rows = output[output.index("Standards: ") :].splitlines()
    assert rows[1].split()[0] == "check"
    assert rows[2].startswith("at most 1 % at the design motion")
    assert "annual rate of overturning" in output
    code, output, _ = mcrock("stats", store, *asked[:2], "--json")
    verdicts = json.loads(output)["standards"]["variables"]["verdict"]["values"]
    assert code == 0
    assert set(verdicts) <= {"pass", "fail", "undecided"}
    code, output, _ = mcrock("report", store, "--hazard", hazard, *asked, "-o", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert "at most 10 % at 1.5 times the design motion" in page
    assert "annual rate of overturning" in page


def test_fragility_files(mcrock, study_file, tmp_path):
    store, four = tmp_path / "four.zarr", "intensity.levels=[1.0, 3.0, 4.0, 9.0]"
    assert mcrock("run", study_file, "-o", store, "--set", four, "--set", "body.height=0.9")[0] == 0
    for name, start in (("f.xml", "<?xml"), ("f.csv", "ID,Incomplete")):
        assert mcrock("export", store, "-o", tmp_path / name, "--id", "shelf")[0] == 0
        text = (tmp_path / name).read_text()
        assert text.startswith(start)
        assert "shelf" in text
        code, _, errors = mcrock("export", store, "-o", tmp_path / name)
        assert code == 2
        assert "exists already; replace it with --overwrite" in errors
    assert mcrock("export", store, "-o", tmp_path / "f.xml", "--empirical", "--overwrite")[0] == 0
    assert 'format="discrete"' in (tmp_path / "f.xml").read_text()
    assert mcrock("export", store, "-o", tmp_path / "g.csv", "--stripes")[0] == 0
    assert "multilinear_CDF" in (tmp_path / "g.csv").read_text()
    code, _, errors = mcrock("export", store, "-o", tmp_path / "g.json", "--stripes")
    assert code == 2
    assert "--empirical goes with openquake and pelicun, not with " in errors


def test_falling_off_a_support_comes_first(mcrock, study_file, hazard, tmp_path):
    """The rate of either is that of the runs judged by the limit, and at least that of overturning."""
    friction = "--set", "contact.friction=0.3", "--set", "limits.displacement=0.02"
    assert mcrock("run", study_file, "-o", tmp_path / "f.zarr", *friction)[0] == 0
    code, output, _ = mcrock("risk", tmp_path / "f.zarr", hazard)
    assert code == 0
    event = "overturning or falling off its support (peak displacement beyond 0.02 m)"
    assert output.startswith(f"Annual rate of {event}")
    tables = json.loads(mcrock("risk", tmp_path / "f.zarr", hazard, "--json")[1])
    either, alone = (
        tables[name]["variables"]["rate"]["values"] for name in ("annual_rate_with_support", "annual_rate")
    )
    judged = by_limit(load_dataset(tmp_path / "f.zarr"), "peak_displacement", 0.02)
    expected = annual_rate(judged, load_hazard(hazard))["rate"]
    np.testing.assert_allclose(np.array(either, float), expected, rtol=1e-12)
    assert (np.array(either[1]) > np.array(alone[1])).all()  # of empirical fractions; no lognormal curve fits
    ds, curves = load_dataset(tmp_path / "f.zarr"), load_hazard(hazard)
    alone = annual_rate(ds, curves)
    larger = alone.assign(rate=10.0 * alone["rate"])  # as of a curve that is fitted apart
    found = rate_with_support(ds, curves, larger)
    np.testing.assert_array_equal(found["rate"], expected)
    assert "that of overturning alone, which is part of it, is larger" in "\n".join(rate_blocks(found))
    page = tmp_path / "page.html"
    assert mcrock("report", tmp_path / "f.zarr", "--hazard", hazard, "-o", page)[0] == 0
    text = page.read_text()
    assert text.index("overturns or falls off its support (peak displacement beyond") < text.index("<h2")
