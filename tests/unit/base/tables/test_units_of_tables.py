"""Every reader of a table goes by the unit that the table names, or says that it is none."""

from pathlib import Path

import numpy as np
import pytest

from mcrock.base.params import STANDARD_GRAVITY as G
from mcrock.dataset import read_outcomes
from mcrock.excitation.readers import read_records
from mcrock.excitation.spectrum_compatible import read_spectrum
from mcrock.measurement import read_recording
from mcrock.statistics import load_hazard

UNITS = {"m/s2": 1.0, "cm/s/s": 0.01, "ft/s2": 0.3048, "gal": 0.01, "mm/s²": 1e-3, "%g": G / 100, "g": G}
UNITS |= {"m·s⁻²": 1.0, "cm/sec²": 0.01, "in/s2": 0.0254, "milli-g": G / 1000}
OMEGA = "time [s],omega_x [rad/s],omega_y [rad/s],omega_z [rad/s],acceleration_x"
READERS = {  # a table that has 0.5 in the unit, and how it is read
    "record": ("Zeit [s];EW [{}]\n0;0\n0,1;0,5\n0,2;0\n", read_records),
    "record of three": ("t, x ({0}), y ({0}), z ({0})\n0,0,0,0\n.1,.5,0,0\n.2,0,0,0\n", read_records),
    "record with a comma": ("Time, s;Acc, {}\n0;0\n0.1;0.5\n0.2;0\n", read_records),
    "record in words": ("time in s\tEW in {}\n0\t0\n0.1\t0.5\n0.2\t0\n", read_records),
    "spectrum": ("period [s], sa [{}]\n0.1,0.1\n0.2,0.5\n0.3,0.2\n", lambda path: read_spectrum(path, 2)),
    "spectrum of a floor": (
        "T / s;Sa / {}\n0,1;0,1\n0,2;0,5\n0,3;0,2\n",
        lambda path: read_spectrum(path, 2),
    ),
    "hazard": ("pga [{}];mean\n0,5;1e-3\n0,9;1e-4\n", load_hazard),
    "outcomes": ("pga ({}),record,overturned\n0.1,a,0\n0.5,a,1\n0.1,b,0\n0.5,b,1\n", read_outcomes),
    "sensor": (
        OMEGA + " [{}]" + ",acceleration_y [g],acceleration_z [g]\n0,0,0,0,0,0,0\n1,0,0,0,.5,0,0\n",
        read_recording,
    ),
}


def _largest(found: object) -> float:
    """What was read of the 0.5 in the table [m/s2]."""
    match found:
        case [motion]:
            return float(np.abs(motion.acceleration).max())
        case np.ndarray():
            return float(found[:, 1].max())
        case _ if hasattr(found, "hazard_intensity"):
            return float(found["hazard_intensity"][0])
        case _ if hasattr(found, "outcome"):
            return float(found["intensity"].max())
    return float(found.acceleration.max())


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("name", READERS)
def test_a_unit_in_the_header_is_that_of_the_column(tmp_path: Path, name: str, unit: str) -> None:
    text, read = READERS[name]
    path = tmp_path / "a.csv"
    path.write_text(text.format(unit), encoding="utf-8")
    assert _largest(read(path)) == pytest.approx(0.5 * UNITS[unit], rel=1e-12)


@pytest.mark.parametrize("name", [name for name in READERS if "/ {}" not in READERS[name][0]])
def test_a_unit_that_is_none_of_the_quantity_is_named(tmp_path: Path, name: str) -> None:
    text, read = READERS[name]
    path = tmp_path / "a.csv"
    path.write_text(text.format("furlong"), encoding="utf-8")
    with pytest.raises(ValueError, match="furlong"):
        read(path)
