"""A test that leaves a trace in its process or on the machine fails, as the next one would meet it."""

from __future__ import annotations

import logging
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
# what any run keeps: bytecode, the memory of pytest and hypothesis, compiled code, fonts of matplotlib
KEPT = ("__pycache__", ".pytest_cache", ".hypothesis", ".cache", ".config", "jax")
CREATED: set[str] = set()  # files and folders that this process has made, but for those of pytest and scratch
OWN = ["/proc/", "/dev/null", "/dev/full", "/dev/pt", "/dev/tty"]  # places for which that holds not
# variables that pytest sets, and libraries when they are imported
SHARED = (
    "dask-scratch-space",
    "pymp-",
)  # temporary folders of dask and multiprocessing, for all that follows
VARIABLES = {
    *("PYTEST_CURRENT_TEST", "HDF5_PLUGIN_PATH", "KMP_DUPLICATE_LIB_OK", "_PYVIZ_COMMS_INSTALLED"),
    *("TF_CPP_MIN_LOG_LEVEL", "TPU_SKIP_MDS_QUERY"),  # JAX; dask, for its workers:
    *("__DASK_PARENT_PID", "PYTHONHASHSEED", "MALLOC_TRIM_THRESHOLD_"),
    *("MKL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"),
}


def hear(event: str, arguments: tuple[Any, ...]) -> None:
    """Listen to what this process does: note the files that it makes."""
    if (event == "open" and arguments[2] & os.O_CREAT) or event == "os.mkdir":
        path = arguments[0]
        if isinstance(path, str | bytes | os.PathLike):
            place = os.path.abspath(os.fsdecode(path))
            if not place.startswith(tuple(OWN)) and not set(KEPT) & set(place.split(os.sep)):
                CREATED.add(place)


@pytest.fixture(scope="session", autouse=True)
def _own_scratch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Temporary files of this process, and of those that it starts, lie in a folder of their own."""
    import matplotlib

    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # of a job in the background: tests meet it as else
        signal.signal(signal.SIGINT, signal.default_int_handler)
    OWN.append(str(tmp_path_factory.getbasetemp()))
    sys.addaudithook(hear)
    matplotlib.use("Agg")  # no test opens a window
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(tmp_path_factory.mktemp("scratch")))
        patch.setenv("IPYTHONDIR", str(tmp_path_factory.mktemp("ipython")))  # else at home
        patch.setattr(tempfile, "tempdir", None)
        yield


@pytest.fixture(autouse=True)
def _no_trace(_own_scratch: None) -> Iterator[None]:
    CREATED.clear()
    before = state()
    yield
    if left := traces(before):
        pytest.fail(f"the test left a trace: {left}", pytrace=False)


def state() -> dict[str, Any]:
    """What a test finds and must leave as it was."""
    import matplotlib
    import numpy as np

    umask = os.umask(0o22)
    os.umask(umask)
    numbers = [getattr(signal, name, signal.SIGINT) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM")]
    return {
        "environment": {key: value for key, value in os.environ.items() if key not in VARIABLES},
        "working folder": os.getcwd(),
        "umask": umask,
        "signals": {number.name: signal.getsignal(number) for number in numbers},
        "blocked signals": signal.pthread_sigmask(signal.SIG_BLOCK, ()) if os.name == "posix" else None,
        "hooks": (sys.excepthook, sys.unraisablehook, threading.excepthook, sys.gettrace()),
        "logging": (logging.root.level, logging.root.disabled, logging.root.manager.disable),
        "errors of numpy": np.geterr(),
        "settings of figures": dict.copy(matplotlib.rcParams),
        "scheduler of dask": sys.modules["dask"].config.get("scheduler", None)
        if "dask" in sys.modules
        else None,
        "temporary files": dict.fromkeys(
            name for name in os.listdir(tempfile.gettempdir()) if not name.startswith(SHARED)
        ),
        "files": {place: None for place in CREATED if os.path.lexists(place)},
    }


def traces(before: dict[str, Any]) -> dict[str, Any]:
    """What is not as it was."""
    after = state()
    return {name: difference(before[name], after[name]) for name in before if before[name] != after[name]}


def difference(before: Any, after: Any) -> Any:
    """What changed, of a mapping only the entries that did."""
    if not isinstance(before, dict):
        return f"{before!r} became {after!r}"
    keys = [key for key in before.keys() | after.keys() if before.get(key, key) != after.get(key, key)]
    return {key: (before.get(key), after.get(key)) for key in keys}
