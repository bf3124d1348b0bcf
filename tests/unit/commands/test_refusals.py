"""What commands refuse: exit code 2, one line that names the thing and the remedy, and nothing is written."""

# ruff: noqa: E501 -- a row stands on one line

import os
import shlex
from pathlib import Path

import pytest

from tests.unit.commands.test_risk import HAZARD
from tests.unit.commands.test_simulate import FREE
from tests.unit.conftest import copy_store, write_study

RECORDS = Path(__file__).parents[1] / "excitation" / "records"
PULSE = "overturning --pulse one-sine --slenderness-deg 10"
FEMA = "overturning --fema farfield --slenderness-deg 10"
SENSOR = "simulate free.toml --sensor a.csv"
FILES = {
    "bad.json": "{",
    "h.csv": HAZARD,
    "no_unit.csv": HAZARD.replace("pga [m/s2]", "pga"),
    "pgv.csv": HAZARD.replace("pga [m/s2]", "pgv [m/s]"),
    "fits.csv": "test,specimen\n1,2\n",
    "free.toml": FREE,
    "rough.toml": FREE.replace("[motion]", "[contact]\nfriction = 0.5\n[motion]"),
    "notes/list.txt": "years of work",
    "f.csv": "period,sa\n0.1,0.5\n4,0.05\n",
}
REFUSED = {  # parts of the one message stand between dots
    # what is not there, or is something else
    "run none.toml -o new.zarr": "none.toml: no such file",
    "run study.toml -o none/new.zarr": "the folder none does not exist",
    "run study.toml -o none/new.zarr --dry-run": "the folder none does not exist",
    "run study.toml -o study.toml --overwrite": "not a store of mcrock; choose another",
    "run study.toml -o study.toml --dry-run": "not a store of mcrock; choose another",
    "run study.toml -o s.zarr": "s.zarr .. --resume",
    "stats none.zarr": "none.zarr: no such store or file",
    "app none.zarr": "none.zarr: no such store or file",
    "stats study.toml": "run it first: mcrock run study.toml -o study.zarr",
    "plot . -o figures": "neither a zarr store nor a NetCDF file",
    "plot none.zarr -o study.toml": "study.toml is a file, not a folder; choose another",
    "plot none.zarr -o study.toml/x": "study.toml is a file, not a folder; choose another",
    "simulate study.toml -o study.toml": "study.toml: study.toml is a file, not a folder; choose another output",
    "simulate study.toml -o study.toml/run": "study.toml/run: study.toml is a file, not a folder",
    f"spectrum {PULSE} -o study.toml": "study.toml is a file, not a folder",
    "export none.zarr -o x.nc": "no such store or file",
    "report none.zarr -o r.html": "no such store or file",
    "report s.zarr -o no/r.html": "does not exist",
    "verify none.json": "none.json: no such file",
    "verify bad.json": "bad.json: is not JSON",
    "verify notes": "notes is a folder and not a store of mcrock",
    "status notes": "notes: not a store of mcrock of the present format",
    "merge new.zarr s.zarr notes": "is not a store of mcrock",
    "merge notes s.zarr half.zarr": "is not a store of mcrock",
    "merge new.zarr none": "is not a store of mcrock",
    "merge none/new.zarr s.zarr half.zarr": "the folder",
    "records check nothing": "nothing: no such file or folder",
    "records check pipe": "pipe: a pipe, which cannot be read twice",
    "records check bad.json": "bad.json: no format that is known; known are at2",
    "spectrum rocking --record none.csv --unit g --slenderness-deg 10": "none.csv: no such file or folder",
    "submit study.toml --cluster none.yaml": "none.yaml: no such file",
    "population none.csv": "none.csv",
    "run study.toml -o new.zarr --address none.json": "no dask scheduler answers at",
    "check study.toml --set \"ensemble.responses=['math:nothing']\"": "response 'math:nothing': there is no file .. math.py, and no",
    # runs that are missing
    **{f"{name} half.zarr{more}": "half.zarr is incomplete: 2 of 5 chunks are done, the first that is not is 2; finish"
       for name, more in {"stats": "", "app": "", "export": " -o x.nc", "plot": " -o figures"}.items()},
    # options
    "check study.toml --set body.heigth=1": "unknown key 'heigth'; did you mean 'height'",
    "run study.toml -o new.zarr --task one": "--task must be i/n, as in 3/8, got 'one'",
    "run study.toml -o new.zarr --task 3/2": "task must be i/n with 1 <= i",
    "run study.toml -o new.zarr --task 3/2 --dry-run": "task must be i/n with 1 <= i",
    "run study.toml -o new.zarr --for 0.3m/s": "--for: expected median, the file of a hazard, or a level: the design motion must be a pga > 0",
    "run study.toml -o new.zarr --for 0.33g": "no level of the study is 3.23619 m s-2: add it to [intensity] levels",
    "check study.toml --for none.csv": "none.csv: no such file",
    "run study.toml -o new.zarr --for pgv.csv": "hazard is of pgv [m s-1], and the study's intensity is pga [m s-2]",
    "check study.toml --set ensemble.realizations=auto --set ensemble.width=0": "[ensemble] width: must be > 0 and <= 1 [1]",
    "run study.toml -o new.zarr --workers 0": "workers must be at least 1, got 0",
    "run study.toml -o new.zarr --cluster c.toml --address tcp://localhost:1": "--address takes a running scheduler, --cluster starts one: give one of them",
    "plot . -o figures --format bmpx": "must be one of png, pdf, svg, got 'bmpx'",
    "stats s.zarr --measure sa": "sa",
    "stats cloud.zarr --measure sa": "no intensity measure 'sa': it has pga, pgv; list others in intensity.variables",
    "stats s.zarr --displacement-limit 0.1": "a displacement limit needs runs with friction: the dataset has no variable",
    "plot s.zarr -o figures --displacement-limit 0.1": "a displacement limit needs runs with friction",
    "stats s.zarr --design 0.4": "the design motion must be a pga > 0 with its unit, as in 0.4g, got '0.4'",
    "verify --expect 0123": "--expect",
    "fragility s.zarr --limit peak_tilt_ratio": "--limit: expected NAME=VALUE, as in peak_tilt_ratio=0.5",
    "fragility s.zarr --limit slip_path=0.1 --folder .": "has no variable 'slip_path'",
    "fragility s.zarr --compare sa=x": "--compare: expected NAME or NAME=PERIOD [s], as in sa=0.5, got 'sa=x'",
    "fragility s.zarr --compare speed --folder .": "measures: expected 'pga'",

    "risk s.zarr": "needs the hazard of the site: mcrock risk STORE HAZARD.csv",
    "risk s.zarr no_unit.csv": "no_unit.csv line 1: the intensity needs a unit",
    "risk s.zarr pgv.csv": "hazard is of pgv [m s-1], and the study's intensity is pga [m s-2]",
    "report s.zarr -o r.pdf": "the name of a report must end in .html",
    "report s.zarr -o r.html --age 10": "--hazard-years, --site, --age, --target and --other go with --hazard",
    "report s.zarr -o r.html --hazard no_unit.csv": "the intensity needs a unit",
    "report s.zarr -o r.html --level 2": "level",
    "report s.zarr -o r.html --design 0.3m/s": "the design motion must be a pga > 0 with its unit",
    "laws show rockin_rod -o new": "two_blocks; did you mean 'rocking_rod'?",
    "laws show rod -o new --set mas=2": "rod has no parameter 'mas'; it has mass",
    "laws show rod -o new --set mass=-2": "mass must be a finite number > 0 [kg], got -2",
    "laws show rod -o new --set mass": "--set must be NAME=VALUE, got 'mass'",
    "laws show rod -o new --format gif": "gif",
    f"records check {RECORDS}/elcentro.AT2 --unit gal": "the unit 'gal' is given, but in this PEER",
    f"records check {RECORDS}/elcentro.AT2 --as peer": "format must be 'at2', 'esm'",
    f"records plot {RECORDS}/elcentro.AT2 --format gif": "--format must be one of png, pdf, svg",
    f"records plot {RECORDS}/elcentro.AT2 --only 2": "--only must list numbers from 1 to 1",
    f"records plot {RECORDS}/CE36456.V2 --channels 2,x": "--channels must list numbers from 1, as in 1,2,14; got 'x'",
    "records check one.csv": "table of numbers; say its unit, as unit='cm/s2' or --unit cm/s2",
    "simulate study.toml --realization 40": "realization must be 0 to 39 in this study, got 40",
    "simulate study.toml --realization 1 --intensity 0.5": "a level with its unit, as in 0.5g, got 0.5; 0 is .. g, 1 is",
    "simulate s.zarr --seed 3": "seed",
    "simulate study.toml --animate run.avi": "run.avi: the name of an animation must end in .gif, .html or .mp4",
    "simulate study.toml --animate run.gif --fps 60": "fps of a .gif must be a finite number >= 0.1 and <= 50 [frames per second], got 60.0",
    "simulate study.toml --fps 10": "--fps, --speed and --span go with --animate FILE",
    "simulate study.toml -o run --animate run/run.gif --span 1 900": "span must be two times (start, end) with 0 <= start < end <= ",
    "simulate study.toml -o run --animate run/run.gif --speed 1e-6": "the animation would have ",
    "simulate free.toml --sensor-rate 100": "go with --sensor FILE",
    "simulate rough.toml --sensor a.csv": "free rocking",
    f"{SENSOR} --sensor-range 0": "--sensor-range must be a finite number > 0",
    "spectrum overturning --pulse one-sine --slenderness-deg ten": "--slenderness-deg must be numbers",
    "spectrum overturning --pulse one-sine --slenderness-deg 90": "between 0 and 90 deg, got 90",
    "spectrum overturning --pulse one-sine --slenderness-deg 1:7:7": "takes at most 6 numbers, got 7",
    f"spectrum {PULSE} --periods 1 --frequency-ratios 1": "give either --frequency-ratios or --periods",
    f"spectrum {PULSE} --periods 1": "--periods need the --pulse-period of a --pulse",
    f"spectrum {PULSE} --scan 0": "scan must be a number of amplitudes",
    f"spectrum {PULSE} --restitution 1.2": "velocity ratio r",
    f"spectrum {PULSE} --format jpg": "--format must be one of png",
    f"spectrum {FEMA} --frequency-ratios 1": "--frequency-ratios of records need --pulse-period",
    f"spectrum {FEMA} --periods 1 --pulse-period 1": "--pulse-period of records goes with --frequency-ratios",
    "spectrum rocking --pulse one-sine --slenderness-deg 10": "needs --peak-g and --pulse-period",
    "spectrum rocking --fema farfield --slenderness-deg 10 --pulse-period 1": "--pulse-period goes with --pulse",
    "submit study.toml --system sge": "--system must be one of slurm, pbs, got 'sge'",
    "submit study.toml --time 60": '--time must be a time as "HH:MM:SS", of at least a minute, got \'60\'',
    "submit study.toml --set seed=x": "seed: expected an integer",
    r"submit study.toml -o $'a\nb.zarr'": r"'a\nb.zarr': a name must be without control characters",
    "submit study.toml --dry-run --partition 'short -x'": "--partition must be a name without blanks",
    "population fits.csv": "no column 'position'",
    "population fits.csv --format bmp": "bmp",
    "population population.nc --seed 1 --draws 500": "has been sampled: seed, draws only go with a table of fits",
    "fit -o fits": "give recordings, TEST...",
    "fit a.csv --table b.csv -o fits": "give recordings, TEST...",
    "fit a.csv --edge 0 -o fits": "recordings need --body FILE",
    "fit a.csv b.csv --body c.toml --edge 0 --workers 0 -o fits": "--workers must be",
    "new new.toml --earthquakes spectrum --spectrum file --spectrum-file f.csv": "new.toml [motion]: f.csv: the unit of the accelerations",
    "new": "--answers FILE",
    "new study.toml --yes": "--overwrite",
    "docs study-file bananas": "the page 'study-file' does not mention 'bananas'; `mcrock docs study-file` shows it all",
}  # fmt: skip


def tree(folder):
    """Files of a folder, of which nothing is read."""
    return {path: path.lstat().st_mtime_ns for path in folder.rglob("*") if path.name != "pipe"}


@pytest.fixture(scope="module")
def folder(stored, tmp_path_factory):
    """A study, whole and half a store of it, a store of a cloud, and files of other kinds."""
    place = tmp_path_factory.mktemp("refused") / "here"
    place.mkdir()
    write_study(place)
    for name in ("s", "half"):
        copy_store(stored(), place / f"{name}.zarr")
    for chunk in (2, 3, 4):
        (place / "half.zarr" / "chunks" / f"{chunk}.zip").unlink()
    copy_store(stored("cloud"), place / "cloud.zarr")

    for name, text in FILES.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(text)
    os.mkfifo(place / "pipe")
    return place


@pytest.mark.parametrize("command", REFUSED, ids=lambda text: text[:70])
def test_a_mistake_is_one_line_and_nothing_is_written(mcrock, folder, monkeypatch, command):
    monkeypatch.chdir(folder)
    monkeypatch.setattr("mcrock.commands.studies.CONNECT_SECONDS", 0.5)
    before = tree(folder.parent)
    words = command.replace(r"$'a\nb.zarr'", "'a\nb.zarr'")
    code, output, errors = mcrock(*shlex.split(words))
    assert (code, output) == (2, "")
    assert errors.startswith("mcrock: ")
    assert errors.count("\n") == 1
    assert "Traceback" not in errors
    place = 0
    for part in REFUSED[command].split(" .. "):
        place = errors.index(part, place)
    assert tree(folder.parent) == before
