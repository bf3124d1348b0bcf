"""Every reader of a table takes the same numbers, and names the place of what is none."""

from pathlib import Path

import pytest

from mcrock.base.tables.parsing import read_columns
from mcrock.body.polyhedron import read_points
from mcrock.dataset import read_outcomes
from mcrock.excitation import read_csv
from mcrock.excitation.readers import read_records
from mcrock.excitation.spectrum_compatible import read_spectrum
from mcrock.measurement import read_recording
from mcrock.measurement.campaign import read_tests
from mcrock.statistics import load_hazard

FORMS = (
    "2_2e-5",
    "1_000",
    "nan",
    "inf",
    "-Infinity",
    "\N{FULLWIDTH DIGIT TWO}",
    "0x10",
    "1e999",
    "\N{ARABIC-INDIC DIGIT THREE}",
)
OF = "kind='mean', investigation_time=50.0, imt='PGA'"
HEAD = "at2\nsmall, 090\nACCELERATION IN UNITS OF G\nNPTS=    5, DT=   .0100 SEC,\n"


def spectrum(path: Path) -> object:
    return read_spectrum(path, 2)


READERS = {  # the text of each, in which {} is a number
    "hazard of one's own": (load_hazard, "pga [g],mean\n0.1,{}\n0.5,1e-6\n", "line 2"),
    "its fractile": (load_hazard, "pga [g],mean,{}\n0.1,0.01,0.02\n0.5,1e-6,2e-6\n", "line 1"),
    "nshmp": (load_hazard, "name,lon,lat,0.1,0.5\nhere,1,2,{},1e-6\n", "line 2"),
    "openquake": (load_hazard, f'#,,,"{OF}"\nlon,lat,depth,poe-0.1,poe-0.5\n1,2,0,{{}},1e-6\n', ""),
    "outcomes": (read_outcomes, "pga [g],record,overturned\n0.1,a,0\n{},a,1\n", "line 3, column 'pga'"),
    "inputs": (read_columns, "body.width\n0.4\n{}\n", "line 3, column 'body.width'"),
    "record in columns": (read_csv, "time [s],x [g]\n0,0\n0.01,{}\n0.02,0\n", "line 3, column 2"),
    "record of PEER": (read_records, HEAD + "0 0.1 {} 0.1 0\n", "line 5"),
    "header of PEER": (read_records, HEAD.replace("    5", "{}") + "0 0.1 0.2 0.1 0\n", "line 4"),
    "spectrum": (spectrum, "period [s],sa [g]\n0.1,0.2\n0.2,{}\n0.3,0.2\n", "line 3, column 2"),
    "points": (read_points, "x [m], y [m], z [m]\n0 0 {}\n", "line 2"),
    "sensor": (
        read_recording,
        "time [s],omega_x [rad/s],omega_y [rad/s],omega_z [rad/s]\n0,0,0,0\n1,{},0,0\n",
        "line 3, column 'omega_x [rad/s]'",
    ),
    "tests": (
        read_tests,
        "test,specimen,position,repetition,parameter,estimate,standard_error\na,b,c,1,lambda_,{},0.1\n",
        "row 1, column 'estimate'",
    ),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", READERS)
def test_no_reader_takes_numbers_of_python_alone(tmp_path, name, form):
    read, text, place = READERS[name]
    folder = tmp_path / "PGA"
    folder.mkdir()
    path = folder / ("a.AT2" if "PEER" in name else "total.csv")
    path.write_text(text.format(form), encoding="utf-8")
    with pytest.raises((ValueError, Warning)) as caught:
        read(path)
    said = str(caught.value)
    assert {str(path) in said, place in said, form in said.replace(form.lower(), form)} == {True}, said
