"""Hazard consistency: a closed form of power laws, what cannot be compared, and what files hold."""

import numpy as np
import pytest

from mcrock.excitation.measures import intensity
from mcrock.statistics import hazard_consistency, load_hazard
from mcrock.statistics.hazard import HazardError
from mcrock.statistics.measures import other_hazards
from mcrock.study.sampling import load_motions
from mcrock.study.study import Study
from tests.unit.statistics.measured import measured_study

PAIR = ["intensity={ measure = 'pga', levels = [1.0, 2.5] }"]
SLOPE = 2.5


def hazard(tmp_path, name, low, high, factor=1.0):
    """Hazard ``1e-6 factor x**-SLOPE`` [1/a] of a measure in SI units."""
    rows = [f"{x!r},{1e-6 * factor * x**-SLOPE!r}" for x in np.geomspace(low, high, 12).tolist()]
    (tmp_path / "hazard.csv").write_text("\n".join([f"{name},mean", *rows]))
    return load_hazard(tmp_path / "hazard.csv")


@pytest.fixture(scope="module")
def study():
    return measured_study(PAIR)[0]


@pytest.mark.parametrize(
    ("name", "measure", "given", "power"),
    [
        ("sa_1s [m/s2]", "sa", {"period": 1.0}, 1),
        ("pgv [m/s]", "pgv", {}, 1),
        ("arias [m/s]", "arias", {}, 2),
    ],
)
def test_rates_of_power_laws(tmp_path, study, name, measure, given, power):
    """``mean((y1 / x1**p)**(k/p)) y**(-k/p)`` over the recordings, at every level that all of them reach."""
    own, other = hazard(tmp_path, "pga [m/s2]", 1e-4, 1e3), hazard(tmp_path, name, 0.05, 5.0)
    found = hazard_consistency(study, own, other)
    motions = load_motions(Study.from_json(study.attrs["config"]))
    taken = np.unique(study["record"].values, return_counts=True)[1]
    ratio = [intensity(m, measure, **given) / intensity(m, "pga") ** power for m in motions]
    y = found["level"].values
    wanted = 1e-6 * np.average(np.array(ratio) ** (SLOPE / power), weights=taken) * y ** (-SLOPE / power)
    np.testing.assert_allclose(found["recordings_rate"], wanted, rtol=1e-9)
    np.testing.assert_allclose(found["site_rate"], 1e-6 * y**-SLOPE, rtol=1e-9)
    np.testing.assert_allclose(found["ratio"], wanted / (1e-6 * y**-SLOPE), rtol=1e-9)


def test_where_the_own_hazard_ends_nothing_is_compared(tmp_path, study):
    own, other = hazard(tmp_path, "pga [m/s2]", 0.5, 5.0), hazard(tmp_path, "pgv [m/s]", 0.001, 50.0)
    known = np.isfinite(hazard_consistency(study, own, other)["ratio"].values)
    assert 0 < known.sum() < len(known)
    assert not known[0]
    assert not known[-1]


def test_what_cannot_be_compared(tmp_path, study):
    own = hazard(tmp_path, "pga [m/s2]", 0.5, 5.0)
    with pytest.raises(HazardError, match="d5_95 does not grow when a motion is scaled"):
        hazard_consistency(study, own, hazard(tmp_path, "d5_95 [s]", 1.0, 20.0))
    with pytest.raises(HazardError, match="'mmi' is of none of the measures"):
        hazard_consistency(study, own, hazard(tmp_path, "mmi [1]", 1.0, 10.0))
    with pytest.raises(ValueError, match="need a hazard of the study's own measure, pga"):
        hazard_consistency(study, hazard(tmp_path, "pgv [m/s]", 0.5, 5.0), own)
    with pytest.raises(ValueError, match="which this study has not"):
        hazard_consistency(study.drop_attrs(deep=False), own, own)


def test_every_other_measure_of_a_file_is_taken(tmp_path):
    heads = "#,,,\"kind='mean', investigation_time=50.0, imt='{}'\"\nlon,lat,depth,poe-0.05,poe-0.2\n"
    files = [tmp_path / f"{i}.csv" for i in range(3)]
    for file, imt in zip(files, ("PGA", "SA(0.5)", "PGV"), strict=True):
        file.write_text(heads.format(imt) + "15.5,38.2,0.0,0.9,0.1\n")
    found = other_hazards(files, "pga_rotd50", site="15.5,38.2")
    assert [each.attrs["measure"] for each in found] == ["sa_0p5s", "pgv"]
