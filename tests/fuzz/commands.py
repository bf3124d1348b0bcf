"""All commands that write, with small inputs, each to be given in a process that was forked."""

from __future__ import annotations

import multiprocessing
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np
import xarray as xr

import mcrock as mr
from mcrock.base import session
from mcrock.commands.options import interruption_code
from mcrock.commands.program import main
from mcrock.ensemble import run_study
from mcrock.study import load_config
from tests.unit.commands.test_fit import BODY, HEAD
from tests.unit.commands.test_risk import HAZARD
from tests.unit.commands.test_simulate import FREE
from tests.unit.conftest import write_study
from tests.unit.measurement.populations import TRUTH, as_fitted, posterior_of, table_of
from tests.unit.statistics.labels import test_calibrate as labels
from tests.unit.statistics.labels.validation.test_validation import write_geometry, write_motions

LONGEST = 600.0  # that a command may take, where many programs share two cores [s]
SUBMITTER = "#!/bin/sh\necho submitted\n"
SPECTRUM = "--pulse one-sine --slenderness-deg 14 -o spectra --overwrite"
# command line, and what it writes if it is given in full
COMMANDS = {
    "run": ("run study.toml -o new.zarr --resume --part-size 1", "new.zarr"),
    "processes": ("run study.toml -o new.zarr --resume --processes --workers 2", "new.zarr"),
    "task": ("run study.toml -o new.zarr --resume --task 1/2", "new.zarr"),
    "overwrite": ("run study.toml -o old.zarr --overwrite --seed 7", "old.zarr"),
    "extend": ("run study.toml -o old.zarr --extend --set intensity.levels=[1.0,2.0,4.0,9.0]", "old.zarr"),
    "merge": ("merge new.zarr 1.zarr 2.zarr", "new.zarr"),
    "repair": ("verify hurt.zarr --repair", "hurt.zarr"),
    "aside": ("verify strange.zarr --repair --force", "strange.zarr"),
    "export": ("export s.zarr -o new.nc --overwrite", "new.nc"),
    "openquake": ("export s.zarr -o new.xml --overwrite --stripes", "new.xml"),
    "pelicun": ("export full.zarr -o new.csv --overwrite", "new.csv"),
    "report": ("report s.zarr -o new.html --overwrite", "new.html"),
    "plot": ("plot s.zarr -o figures", "figures"),
    "fragility": ("fragility s.zarr -o figures", "figures"),
    "risk": ("risk s.zarr hazard.csv -o figures", "figures"),
    "compare": ("compare s.zarr other.zarr -o figures", "figures"),
    "sensitivity": ("sensitivity s.zarr -o figures --permutations 99", "figures"),
    "rare": ("rare study.toml -o figures --set intensity.levels=[4.0] --states 20", "figures"),
    "calibrate": ("calibrate labels.csv nested.zarr -o figures", "figures"),
    "fit": (
        "fit test.csv --body block.toml --edge 0 --still 0 1.5 --free lambda --landings 2 -o fitted",
        "fitted",
    ),
    "campaign": (
        "fit --table tests.csv --body block.toml --still 0 1.5 --free lambda --landings 2 -o fits",
        "fits",
    ),
    "measure": ("measure test.csv --body block.toml --edge 0 --still 0 1.5 -o measured", "measured"),
    "population": ("population posterior.nc -o population", "population"),
    "validate": ("validate tests.nc --geometry block.json --labels overturned --draws 8 -o scored", "scored"),
    "simulate": ("simulate study.toml -o one-run", "one-run"),
    "sensor": ("simulate free.toml -o one-run --sensor sensor.csv --overwrite", "sensor.csv"),
    "animate": ("simulate study.toml -o one-run --animate run.html --span 0 0.2 --overwrite", "run.html"),
    "overturning": (f"spectrum overturning --frequency-ratios 3,5 {SPECTRUM}", "spectra"),
    "rocking": (f"spectrum rocking --peak-g 0.5 --pulse-period 0.8 --periods 1,2 {SPECTRUM}", "spectra"),
    "records": ("records plot one.csv --unit m/s2 -o figures", "figures"),
    "laws": ("laws show rod -o figures", "figures"),
    "submit": ("submit study.toml -o new.zarr", "new.sh"),
    "stats": ("stats s.zarr --json", None),
    "status": ("status s.zarr", None),
}


class Bench:
    """A folder with inputs, and a copy of it in which commands are given."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.sound, self.work = folder, folder / "sound", folder / "work"
        self.temporary, self.programs = folder / "temporary", folder / "bin"
        for place in (self.sound, self.temporary, self.programs):
            place.mkdir()
        (self.programs / "sbatch").write_text(SUBMITTER)
        (self.programs / "sbatch").chmod(0o755)
        write_inputs(self.sound)

    def set_up(self) -> None:
        """Make the copy anew."""
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(self.sound, self.work)

    def start(self, name: str, before: Callable[[], object] = bool) -> BaseProcess:
        """Give a command, in a process that first does what `before` says."""
        process = multiprocessing.get_context("fork").Process(
            target=self._program, args=(COMMANDS[name][0].split(" "), before)
        )
        signal.pthread_sigmask(signal.SIG_BLOCK, session.SIGNALS)  # until it listens
        process.start()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, session.SIGNALS)
        return process

    def call(self, name: str, before: Callable[[], object] = bool) -> int | None:
        """Give a command and leave it alone."""
        process = self.start(name, before)
        process.join(LONGEST)
        return process.exitcode

    def _program(self, arguments: list[str], before: Callable[[], object]) -> None:
        os.chdir(self.work)
        os.environ["PATH"] = f"{self.programs}:{os.environ['PATH']}"
        os.environ["TMPDIR"] = tempfile.tempdir = str(self.temporary)
        file = os.open(self.folder / "said.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, 1)
        os.dup2(file, 2)
        for number in session.SIGNALS:
            signal.signal(number, signal.SIG_DFL)
            session.listen(number)
        before()
        sys.argv = ["mcrock", *arguments]
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, session.SIGNALS)
            main()
        except KeyboardInterrupt as late:
            sys.exit(interruption_code(late))
        finally:  # as at the exit of the program, which a process that was forked does not reach
            signal.pthread_sigmask(signal.SIG_BLOCK, session.SIGNALS)

    def said(self) -> str:
        """Last words of a command."""
        return (self.folder / "said.txt").read_text(encoding="utf-8", errors="replace")[-3000:]

    def output(self, name: str) -> dict[str, bytes]:
        """Contents of what a command has written."""
        written = COMMANDS[name][1]
        if written is None:
            return {}
        place = self.work / written
        files = [place] if place.is_file() else sorted(place.rglob("*"))
        return {str(path.relative_to(self.work)): content(path) for path in files if is_result(path)}

    def litter(self) -> list[str]:
        """What is half written, next to results, in stores and among temporary files."""
        hidden = [path for path in self.work.rglob("*") if path.name.startswith(".")]
        temporary = [path for path in self.temporary.iterdir() if not path.name.startswith(SPACE_OF_DASK)]
        return sorted(str(path.relative_to(self.folder)) for path in [*hidden, *temporary])


SPACE_OF_DASK = "dask-scratch-space"  # which it keeps, and cleans itself


def is_result(path: Path) -> bool:
    """Whether a file says nothing of times: a log does."""
    return path.is_file() and path.suffix != ".log"


def content(path: Path) -> bytes:
    """Bytes of a file, values of a NetCDF file, whose arrays are written in any order, parts of a text."""
    if path.suffix == ".sh":  # without what comes of the times that it estimates
        return b"".join(line for line in path.read_bytes().splitlines() if b"STORE" in line)
    if path.suffix == ".html":  # without the day
        return re.sub(rb"\d{4}-\d\d-\d\d", b"", path.read_bytes())
    if path.suffix == ".nc":
        with xr.open_dataset(path) as ds:
            return repr(ds.to_dict()).encode()
    return path.read_bytes()


def write_inputs(folder: Path) -> None:
    """Write what the commands read, and compile what they run."""
    path = write_study(folder)
    study = load_config(path)
    for name, changes in {"s": [], "other": ["body.depth=0.25"], "full": [FULL]}.items():
        run_study(load_config(path, changes), folder / f"{name}.zarr").close()
    for i in (1, 2):
        run_study(study, folder / f"{i}.zarr", task=(i, 2)).close()
    for name in ("old", "hurt", "strange"):
        shutil.copytree(folder / "s.zarr", folder / f"{name}.zarr")
        shutil.copy(folder / "s.zarr.log", folder / f"{name}.zarr.log")
    (folder / "hurt.zarr" / "chunks" / "1.zip").write_bytes(b"")
    shutil.copy(folder / "other.zarr" / "study.zip", folder / "strange.zarr" / "study.zip")
    (folder / "hazard.csv").write_text(HAZARD)
    run_study(labels.study(folder, "nested"), folder / "nested.zarr").close()
    (folder / "labels.csv").write_text("realization,intensity,fallen\n0,2,0\n3,2,1\n5,4,1\n8,2,0\n")
    write_motions(folder / "tests.nc")
    write_geometry(folder / "block.json")
    as_fitted(posterior_of(1.0, 0.3, blur=0.1), table_of(1, {"lambda": TRUTH["lambda"]})).to_netcdf(
        str(folder / "posterior.nc")
    )
    (folder / "block.toml").write_text(BODY)
    (folder / "free.toml").write_text(FREE)
    block, start = mr.cuboid(0.1, 0.14, 0.4, density=2700), mr.Start(edge=0, tilt=0.2)
    run = mr.simulate(block, None, mr.Impact(lambda_=1.2, lambda_lon=0.8, lambda_lat=-0.6), start=start)
    test = mr.measurement.sensed(run, before=2.0, after=1.0, bias=(0.01, -0.02, 0.005), seed=1)
    table = np.column_stack([test.time, np.degrees(test.angular_velocity)])
    np.savetxt(folder / "test.csv", table, delimiter=",", header=HEAD, comments="")
    tests = "file,specimen,position,repetition,edge\ntest.csv,A,1,1,0\ntest.csv,A,1,2,0\n"
    (folder / "tests.csv").write_text(tests)


FULL = "intensity.levels=[0.5, 1.0, 2.0, 3.0, 4.0, 6.0]"  # at which a curve can be fitted
