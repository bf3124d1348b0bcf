"""Neither order nor load matter: imports do no work, tests leave no trace and are patient with processes."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
IMPORTS = """
import os, sys
from importlib import import_module
from pathlib import Path

ROOT = Path.cwd()
READ = (str(ROOT), sys.prefix, sys.base_prefix, "/proc/")  # names of cases come from own files
CHANGES = ("os.", "shutil.", "socket.", "subprocess.", "tempfile.")
LOOKS = ("os.listdir", "os.scandir", "socket.__new__", "subprocess.run")

def importer(frame):
    # the file of this project that does something while it is imported, if it is one
    found = None
    while frame and not frame.f_code.co_filename.startswith("<frozen importlib"):
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(ROOT / "tests") or path.is_relative_to(ROOT / "mcrock"):
            found = path.relative_to(ROOT)
        frame = frame.f_back
    return found

def hear(event, arguments):
    if event == "open":
        path, _, flags = arguments
        written = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if isinstance(path, int) or not written and os.fsdecode(path).startswith(READ):
            return
    elif not event.startswith(CHANGES) or event in LOOKS:
        return
    if file := importer(sys._getframe(1)):
        print(f"{file}: {event} {arguments}")

sys.addaudithook(hear)
for name in sys.argv[1:]:
    try:
        import_module(name)
    except BaseException as missing:  # a package of an extra, which pytest skips
        assert type(missing).__name__ in ("Skipped", "ModuleNotFoundError"), name
"""


def imported(names, folder=ROOT):
    command = [sys.executable, "-c", IMPORTS, *names]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def test_importing_any_module_of_the_tests_touches_no_file():
    paths = sorted((ROOT / "tests").rglob("*.py"))
    assert imported(".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths) == ""


@pytest.mark.parametrize(
    "work", ["open('new.txt', 'w')", "open('/etc/hosts')", "os.putenv('NEW', '1')", "os.chdir('/')"]
)
def test_work_at_import_is_seen(tmp_path, work):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "__init__.py").touch()
    (tmp_path / "tests" / "working.py").write_text(f"import os\n{work}\n")
    assert imported(["tests.working"], tmp_path).startswith("tests/working.py: ")


TRACES = {
    "environment": "os.environ['NEW'] = '1'",
    "working folder": "os.chdir('/')",
    "umask": "os.umask(0o077)",
    "signals": "signal.signal(signal.SIGTERM, signal.SIG_IGN)",
    "hooks": "sys.unraisablehook = print",
    "logging": "logging.disable()",
    "errors of numpy": "numpy.seterr(over='ignore')",
    "settings of figures": "matplotlib.rcParams['lines.linewidth'] = 9.0",
    "temporary files": "tempfile.mkstemp()",
    "files": "open(OUTSIDE, 'w').close()",
}


def test_a_test_that_leaves_a_trace_fails(tmp_path):
    lines = ["import logging, os, signal, sys, tempfile", "import matplotlib, numpy"]
    lines += [f"OUTSIDE = {str(tmp_path / 'new')!r}", "def test_none(tmp_path): (tmp_path / 'own').touch()"]
    lines += [f"def test_{number}(): {trace}" for number, trace in enumerate(TRACES.values())]
    (tmp_path / "test_traces.py").write_text("\n".join(lines))
    command = [sys.executable, "-m", "pytest", tmp_path, "-q", "-n", "0", "-p", "tests.traces", "-rN"]
    command += ["-c", ROOT / "pyproject.toml", "-p", "no:cacheprovider", "--basetemp", tmp_path / "base"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert re.findall("left a trace: {'([^']*)'", done.stdout) == list(TRACES)
    assert f"{len(TRACES) + 1} passed, {len(TRACES)} errors" in done.stdout


def test_who_waits_for_a_process_gives_it_minutes():
    given = re.compile(
        r"\b(?:communicate|wait|wait_for_workers|urlopen|NotebookClient)\([^)\n]*timeout=(\d+)"
    )
    places = {path: given.findall(path.read_text()) for path in (ROOT / "tests" / "unit").rglob("*.py")}
    assert sum(map(len, places.values())) >= 4
    assert {str(path) for path, found in places.items() if any(int(s) < 300 for s in found)} == set()
