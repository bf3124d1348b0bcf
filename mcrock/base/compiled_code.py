"""Compiled code: kept on disk, waited for in words, replaced by plain Python until it is there.

Code is known by the source that it was made of: the file of a function and all files of the package that it
imports, directly or not. An edited law never runs stale, what does not import it is not compiled again, and
a warm start compiles nothing. Of files that declare codes together with words for people, the words are
left out.

Code is looked for in the cache of the user, then in the package itself: wheels bring code for `BASELINE`
processors along. Each piece is one file that is moved into place when it is whole, named after all that it
depends on: processes that write at the same time cannot mix up signatures or versions, as they can in an
index that they share.

A short piece of work does not wait for the compiler (`run_while_compiling`): another process compiles it, and
ends with this one at the latest, while this one computes in plain Python (`uncompiled`), with the same
results to the last bit. A long compilation is shared with another process, which leaves parts of it in the
cache (`compile_in_parallel`).
"""

from __future__ import annotations

import ast
import atexit
import gc
import hashlib
import inspect
import math
import multiprocessing
import os
import pickle
import platform
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from subprocess import Popen
from tempfile import NamedTemporaryFile
from threading import Thread, Timer, local
from time import monotonic, perf_counter, sleep, thread_time, time
from types import FunctionType, ModuleType, SimpleNamespace, TracebackType
from typing import Any

import llvmlite
import numba
import numpy as np
from llvmlite.binding import get_host_cpu_features, parse_bitcode
from numba import typeof
from numba.core import caching, event
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult, compile_result
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps
from platformdirs import user_cache_path

from mcrock.base.environment import contracts

ROOT = Path(__file__).parents[1]  # folder of the package
SHIPPED = ROOT / "compiled"  # folder of code in wheels
# by the machine that Python names: processor that code in wheels is made for, and what it takes to run it
BASELINE = {
    "x86_64": ("x86-64-v3", ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt")),
    "aarch64": ("generic", ()),
}
# of these the words do not count: a reworded long name, message or docstring recompiles nothing
WORDED = ("base/params.py", "base/checks.py", "impact/registry.py")
KEPT_DAYS, KEPT_ANYWAY_DAYS, KEPT_VERSIONS = 30.0, 2.0, 8  # see `remove_old`

_IMPORT = re.compile(
    r"^[ \t]*(?:from (mcrock[.\w]*) import (\([^)]*\)|.*)|import (mcrock[.\w]*))", re.MULTILINE
)
_FOLDER = re.compile(r"(?:(.+)-)?[0-9a-f]{16}")  # that of earlier versions was one hash for all


def source_hash(place: str = "kernel/integrate.py", root: Path = ROOT) -> str:
    """Hash of all source that compiled code of a file is made of [16 hex digits].

    Parameters
    ----------
    place : str
        File in the package; by default that of the kernel.
    root : Path
        Folder of the package.
    """
    digest = hashlib.sha256()
    for file in sorted(closure(place, root)):
        digest.update(
            b"" if os.path.isabs(file) else file.encode()
        )  # where code of others stands is no matter
        digest.update(_read(file, root)[0])
    return digest.hexdigest()[:16]


def closure(place: str, root: Path = ROOT) -> set[str]:
    """A file of the package, or one that imports some, and all that it imports, directly or not.

    What the decorator imports keeps compiled code and does not change it.
    """
    found, new = set[str](), [place]
    while new:
        if (place := new.pop()) not in found:
            found.add(place)
            new += _read(place, root)[1] if place != "base/jit.py" else ()
    return found


@cache
def _read(place: str, root: Path) -> tuple[bytes, tuple[str, ...]]:
    """Digest of a file, as this process has met it first, and the files of the package that it imports."""
    source = (root / place).read_text(encoding="utf-8")
    content = _without_words(source) if place in WORDED else source.encode()
    names = [
        f"{module or alone}.{name.split()[0]}" if name.strip() else module or alone
        for module, listed, alone in _IMPORT.findall(source)
        for name in re.sub(r"#.*", "", listed).strip("()").split(",")
    ]
    return hashlib.sha256(content).digest(), tuple(filter(None, (_file_of(name, root) for name in names)))


def is_edited(place: str) -> bool:
    """Whether a file of the package is no longer what it was when compiled code first asked for it."""
    return _read.__wrapped__(place, ROOT)[0] != _read(place, ROOT)[0]


@cache
def _file_of(name: str, root: Path) -> str | None:
    """File of a module, or of the module that a name stands in."""
    parts = name.split(".")[1:]
    while parts:
        place = "/".join(parts)
        for file in (f"{place}.py", f"{place}/__init__.py"):
            if os.path.exists(f"{root}/{file}"):
                return file
        parts.pop()
    return None


def _without_words(source: str) -> bytes:
    """Syntax tree of a source, with nothing in its strings: names, order and numbers are left."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
    return ast.dump(tree).encode()


def cache_folder() -> Path:
    """Folder of compiled code of the user: that of the environment variable, or one of mcrock."""
    own = os.environ.get("NUMBA_CACHE_DIR")
    return Path(own) / "mcrock" if own else user_cache_path("mcrock")


@cache
def folder_name(file: str) -> str:
    """Name of the folder of code that is made of a file, with a hash of all that decides what it is."""
    inside = Path(file).is_relative_to(ROOT)
    place = Path(file).relative_to(ROOT).as_posix() if inside else file
    made_by = f"numba {numba.__version__}, llvmlite {llvmlite.__version__}, contracted {contracts()}"
    digest = hashlib.sha256(f"{source_hash(place)}, {made_by}".encode()).hexdigest()[:16]
    return f"{place.removesuffix('.py').replace('/', '.') if inside else Path(file).stem}-{digest}"


class NotCompiled(Exception):  # noqa: N818
    """There is no compiled code of a function, whose `piece_name` it holds, and it is not to be compiled."""


class _Loading(threading.local):
    alone = False  # whether this thread may load code but not compile


LOADING = _Loading()


class Inner(JITCodeLibrary):
    """Code that compiled code alone calls: it is optimized and made machine code as part of its callers.

    Numba would do both for every function by itself with all that it calls, two fifths of the time.
    """

    codegen = SimpleNamespace(set_env=lambda name, environment: None)  # it raises nothing
    serialize_using_object_code = JITCodeLibrary.serialize_using_bitcode

    def _optimize_final_module(self) -> None:
        """Leave that to the callers."""

    def _finalize_final_module(self: Any) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    @classmethod
    def rebuild(cls: Any, context: Any, code: Any, fndesc: Any, env: Any, signature: Any, *_: Any) -> Any:
        """What has been compiled, from its data on disk."""
        library = cls(context.codegen(), code[0])
        library._final_module = parse_bitcode(code[2])
        library._finalize_final_module()
        entry = context.get_executable(library, fndesc, env)
        fields = {"library": library, "fndesc": fndesc, "entry_point": entry, "signature": signature}
        make: Any = compile_result
        return make(**fields, target_context=context, objectmode=False)


class InnerCompiler(Compiler):
    """Compiler of functions that compiled code alone calls."""

    def define_pipelines(self: Any) -> Any:
        """Those of numba, with a library of our own."""
        library: Any = Inner
        self.state.library = library(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        return super().define_pipelines()  # type: ignore[no-untyped-call]


class CodeCache(caching._Cache):
    """Compiled code of one function, in the form that dispatchers of numba ask for."""

    awaited: Callable[[Callable[..., Any]], bool] | None = None  # waits for who compiles it
    collected: Path | None = None  # where code that was loaded is copied to, for a wheel
    unwritten: OSError | None = None  # why code could not be kept

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, code = function, function.__code__
        self.folder = folder_name(code.co_filename)
        self.bytecode = hashlib.sha256(code.co_code).hexdigest()

    @property
    def cache_path(self) -> str:
        return str(cache_folder() / self.folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Code for a signature, made for this processor or else for all of its kind, or None."""
        target_context.refresh()
        own = target_context.codegen().magic_tuple()
        for base, processor in ((cache_folder(), own), (SHIPPED, baseline(own[0]))):
            data = processor and self._load(base / self.folder, sig, processor)
            if data:
                if self.collected:
                    self._save(self.collected / self.folder, sig, own, data)
                rebuild: Any = Inner.rebuild if data[0][1] == "bitcode" else CompileResult._rebuild
                return rebuild(target_context, *data)
        if LOADING.alone:
            raise NotCompiled(piece_name(self.function, sig))
        if CodeCache.awaited and CodeCache.awaited(self.function):
            return self.load_overload(sig, target_context)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code, if the folder lets it."""
        try:
            folder = cache_folder() / self.folder
            self._save(folder, sig, data.codegen.magic_tuple(), data._reduce())
        except OSError as error:
            CodeCache.unwritten = error
        else:
            _remove_old_once()

    def _name(self, sig: Any, processor: tuple[str, ...]) -> tuple[str, tuple[Any, ...]]:
        """Name of the file of some code, and all that it is known by beside its source."""
        key = (repr(sig), processor, self.bytecode)
        python = "".join(platform.python_version_tuple()[:2])
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        return f"{self.function.__qualname__}-py{python}-{digest}.pickle", key

    def _load(self, folder: Path, sig: Any, processor: tuple[str, ...]) -> Any:
        name, key = self._name(sig, processor)
        try:
            with (folder / name).open("rb") as file:
                if pickle.load(file) != key:
                    return None
                data = file.read()
        except (OSError, EOFError, pickle.UnpicklingError):  # not there, or damaged
            return None
        _note_use(folder)
        return pickle.loads(data)

    def _save(self, folder: Path, sig: Any, processor: tuple[str, ...], data: Any) -> None:
        name, key = self._name(sig, processor)
        folder.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=folder, suffix=".part", delete=False) as file:
            try:
                file.write(pickle.dumps(key) + dumps(data))  # type: ignore[no-untyped-call]
                file.close()
                os.replace(file.name, folder / name)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise

    def enable(self) -> None:
        """Always on."""

    def disable(self) -> None:
        """Always on."""

    def flush(self) -> None:
        """Remove what the user's cache has of this source."""
        shutil.rmtree(self.cache_path, ignore_errors=True)


def baseline(triple: str) -> tuple[str, ...] | None:
    """Processor of shipped code as numba names it, if this one can run it and no other one is asked for."""
    name, needed = BASELINE.get(platform.machine(), ("", ()))
    config: Any = numba.config
    if not name or config.CPU_NAME is not None or config.CPU_FEATURES is not None or not SHIPPED.is_dir():
        return None
    features = get_host_cpu_features()
    return (triple, name, "") if all(features.get(feature) for feature in needed) else None


@cache
def _note_use(folder: Path) -> None:
    """Note that a folder of the user's cache is in use, where it can be written to."""
    with suppress(OSError):
        if folder.parent != SHIPPED and time() - folder.stat().st_mtime > 3600.0:
            os.utime(folder)


@cache
def _remove_old_once() -> None:
    if not os.environ.get("NUMBA_CACHE_DIR"):  # which is in other hands
        remove_old(cache_folder())


def remove_old(base: Path) -> None:
    """Remove code not used for `KEPT_DAYS`, and of more than `KEPT_VERSIONS` of a file the oldest.

    What was used within `KEPT_ANYWAY_DAYS` stays in any case. A process whose folder goes compiles again.
    """
    versions: dict[str, list[tuple[float, Path]]] = {}
    with suppress(OSError):
        for folder in base.iterdir():
            if name := _FOLDER.fullmatch(folder.name):
                versions.setdefault(name[1] or "", []).append((folder.stat().st_mtime, folder))
    for folders in versions.values():
        for rank, (used, folder) in enumerate(sorted(folders, reverse=True)):
            days = (time() - used) / 86400.0
            if days > KEPT_DAYS or (rank >= KEPT_VERSIONS and days > KEPT_ANYWAY_DAYS):
                shutil.rmtree(folder, ignore_errors=True)


COMPILE_FIRST = "MCROCK_COMPILE_FIRST"  # environment variable: wait for the compiler, and in silence
SILENCE = 2.0  # in which nobody is told [s]


# what takes long to compile, by `piece_name`: in words, and the time of a second core's help and of one core
# alone over that of `yardstick` [1]
LONG = {
    "kernel.batch.run_part": ("the kernel", 950.0, 1600.0),
    "kernel.batch.run_part with friction": ("the kernel with friction", 2320.0, 4050.0),
    "planar.integrate.run_many": ("planar blocks", 350.0, 350.0),
    "excitation.response_spectra._fill": ("response spectra", 80.0, 80.0),
}
YARD = "a = (b + c[d]) * f(e, g=h) if not i else [j for k in l]\n" * 500


def waits_for_compiler() -> bool:
    """Whether this process waits for the compiler, as tests do, and says nothing."""
    return bool(os.environ.get(COMPILE_FIRST))


def piece_name(function: Callable[..., Any], kinds: Any) -> str:
    """Name of a function with what it is compiled for, friction or none, by the types of its parameters."""
    friction = " with friction" * (tuple(kinds)[-1:] == (numba.types.boolean,))
    return f"{function.__module__.removeprefix('mcrock.')}.{function.__qualname__}{friction}"


def yardstick() -> float:
    """Time that Python, of which most of the compiler is, takes for a known piece of work [s]."""
    times = []
    for _ in range(3):
        began = thread_time()
        compile(YARD, "yardstick", "exec")
        times.append(thread_time() - began)
    return min(times)


def expected_time(piece: str) -> tuple[float, str]:
    """How long the compiler takes for a piece on this machine [s], and how that is known; 0 if it is not.

    What it took last time, which the cache keeps, else by the speed of `yardstick`.
    """
    with suppress(OSError, ValueError):
        return float((cache_folder() / f"{piece}.seconds").read_text()), "as it took here last time"
    if piece not in LONG:
        return 0.0, ""
    _, helped, alone = LONG[piece]
    return (helped if cores() > 1 else alone) * yardstick(), "by the speed of this machine"


@contextmanager
def report_compilation(piece: str, began: float | None = None) -> Iterator[None]:
    """Say on the error stream, which notebooks show, what the compiler is waited for and how long that takes.

    Then how long it took. Of worker processes that wait together the first one speaks.

    Parameters
    ----------
    piece : str
        From `piece_name`.
    began : float, optional
        When another process began it, by `perf_counter` [s]; by default this one begins it now.
    """
    if waits_for_compiler() or not multiprocessing.current_process().name.endswith(("MainProcess", "-1")):
        yield
        return
    said, start = [], perf_counter() if began is None else began

    def say() -> None:
        said.append(True)
        seconds, how = expected_time(piece)
        left = max(seconds - (0.0 if began is None else perf_counter() - began), 1.0)
        what = LONG[piece][0] if piece in LONG else piece
        about = f": about {left:.0f} s, {how}" if seconds else ""
        _print(f"compiling {what} for this processor, once for each version{about}")

    timer = Timer(SILENCE, say)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if said:
            took = perf_counter() - start
            _print(f"the compiler took {took:.0f} s")
            if began is None:
                with suppress(OSError):
                    (cache_folder() / f"{piece}.seconds").write_text(f"{took:.1f}\n")


def _print(message: str) -> None:
    print(f"mcrock: {message}", file=sys.stderr, flush=True)


class _Compilation(event.Listener):
    """Lets Python search for garbage less often while numba compiles: an eighth of its time went there."""

    depth = 0  # of functions compiled for their callers; numba holds its lock
    threshold = gc.get_threshold()

    def on_start(self, event: event.Event) -> None:
        if not self.depth:
            self.threshold = gc.get_threshold()
            gc.set_threshold(max(100_000, self.threshold[0]), 20, 20)
            dispatcher, kinds = event.data["dispatcher"], event.data["args"]
            self.telling = report_compilation(piece_name(dispatcher.py_func, kinds))
            self.telling.__enter__()
        self.depth += 1

    def on_end(self, event: event.Event) -> None:
        self.depth -= 1
        if not self.depth:
            gc.set_threshold(*self.threshold)
            self.telling.__exit__(None, None, None)


@cache
def watch_compiler() -> None:
    """From now on, whenever numba compiles."""
    event.register("numba:compile", _Compilation())  # type: ignore[no-untyped-call]


class Abandoned(Exception):  # noqa: N818
    """A run in plain Python that nobody waits for any more."""


def uncompiled(function: Callable[..., Any], check: Callable[[], None]) -> Callable[..., Any]:
    """A function of a module, with all compiled code that it calls as plain Python.

    Parameters
    ----------
    function : callable
    check : callable
        Called in every turn of a loop; may raise `Abandoned`.

    Raises
    ------
    OSError
        If the source of a module is not there, or not the one that was imported.
    """
    return _Twins(check).of(sys.modules[function.__module__])[function.__name__]


class _Twins:
    """Names of modules, with functions of plain Python in the place of compiled ones."""

    def __init__(self, check: Callable[[], None]) -> None:
        self.check = check
        self.found: dict[str, dict[str, Any]] = {}

    def of(self, module: ModuleType) -> dict[str, Any]:
        if module.__name__ in self.found:
            return self.found[module.__name__]
        names = self.found[module.__name__] = dict(vars(module))
        exec(_plain_module(module), names)
        names |= {"_check": self.check, "_power": _power}
        for name, value in vars(module).items():
            if isinstance(value, CPUDispatcher) and value.__module__ != module.__name__:
                names[name] = self.of(sys.modules[value.__module__])[value.py_func.__name__]
            elif isinstance(value, CPUDispatcher) and names[name] is value:  # made from text: `by_code`
                names[name] = FunctionType(value.py_func.__code__, names)
            elif isinstance(value, ModuleType) and value.__name__.startswith("mcrock."):
                names[name] = SimpleNamespace()
                names[name].__dict__.update(self.of(value))
            elif value is math.hypot:
                names[name] = np.hypot  # that of the C library, as in compiled code; Python has its own
        return names


def _plain_module(module: ModuleType) -> Any:
    """The functions of a module, to be defined without the compiler."""
    assert module.__file__
    file = Path(module.__file__)
    if is_edited(file.relative_to(ROOT).as_posix()):
        raise OSError(f"{file} has been edited since it was imported")
    tree = _Plain().visit(ast.parse(file.read_bytes()))
    tree.body = [
        ast.ImportFrom("__future__", [ast.alias("annotations")], 0),
        *(node for node in tree.body if isinstance(node, ast.FunctionDef)),
    ]
    return compile(ast.fix_missing_locations(tree), module.__file__, "exec")


class _Plain(ast.NodeTransformer):
    """Takes decorators away, and makes of Python what the compiler makes of it."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list = []
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        whole = isinstance(node.right, ast.Constant) and isinstance(node.right.value, int)
        if isinstance(node.op, ast.Pow) and whole:
            return ast.Call(ast.Name("_power", ast.Load()), [node.left, node.right], [])
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        return self._checked(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        return self._checked(node)

    def _checked(self, node: ast.For | ast.While) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(ast.Call(ast.Name("_check", ast.Load()), [], [])))
        return node


def _power(base: Any, exponent: int) -> Any:
    """A whole power as numba computes it."""
    result = 1.0
    while exponent:
        if exponent & 1:
            result *= base
        exponent >>= 1
        base *= base
    return result


PATIENCE = 10.0  # with plain Python, before the compiler is waited for [s]
COMPILER_LOCK = "compiling.lock"  # in the cache: one process compiles behind others

CHILD = """
import os, pickle, sys, threading
def end_with_parent():
    sys.stdin.buffer.read()
    os._exit(1)
function, arguments = pickle.load(sys.stdin.buffer)
threading.Thread(target=end_with_parent, daemon=True).start()
try:
    function(*arguments)
except ValueError:  # which the other process words
    pass
os._exit(0)  # else the thread that reads is an error at exit
"""
_limit = local()  # of the work that a thread does in plain Python
_behind: list[subprocess.Popen[bytes]] = []  # the process that compiles, or compiled last


def run_while_compiling(function: Callable[..., Any], *arguments: Any) -> Any:
    """Result of a function without a long wait for its compilation.

    Parameters
    ----------
    function : callable
        Of a module, and by itself not compiled; it changes none of its arguments.
    arguments
        They can be pickled.
    """
    if waits_for_compiler() or contracts() or os.name != "posix":
        return function(*arguments)
    try:
        LOADING.alone = True
        return function(*arguments)
    except NotCompiled as error:
        piece, began = str(error), perf_counter()
    finally:
        LOADING.alone = False
    try:
        process = _compile_behind(function, arguments)
    except OSError:  # nothing can be kept: all would start anew at each call
        return function(*arguments)
    with suppress(Abandoned, ArithmeticError, OSError):
        try:
            _limit.process, _limit.time = process, monotonic() + PATIENCE
            with np.errstate(all="ignore"):  # as in compiled code
                return _plain_function(function)(*arguments)
        except (
            ValueError
        ) as error:  # a mistake in the input, or one of mathematics, which is none when compiled
            if _raised_in(error.__traceback__) == function.__code__.co_filename:
                raise
    if process is not None:
        with report_compilation(piece, began):
            process.wait()
    return function(*arguments)


@cache
def _plain_function(function: Callable[..., Any]) -> Callable[..., Any]:
    return uncompiled(function, _check_patience)


def _check_patience() -> None:
    """Give up plain Python when compiled code is there, or after a while."""
    ended = _limit.process is not None and _limit.process.returncode is not None
    if ended or monotonic() > _limit.time:
        raise Abandoned


def _raised_in(traceback: TracebackType | None) -> str:
    """File in which an error was raised."""
    name = ""
    while traceback is not None:
        name, traceback = traceback.tb_frame.f_code.co_filename, traceback.tb_next
    return name


def _compile_behind(
    function: Callable[..., Any], arguments: tuple[Any, ...]
) -> subprocess.Popen[bytes] | None:
    """The process that compiles, started if none does; None if another program has one or it has failed.

    Raises
    ------
    OSError
        If the cache cannot be written to.
    """
    if _behind and _behind[0].returncode != 0:
        return _behind[0] if _behind[0].returncode is None else None
    process = start_process(COMPILER_LOCK, function, arguments)
    if process is not None:
        _behind[:] = [process]
    return process


def start_process(
    lock_name: str, function: Callable[..., Any], arguments: tuple[Any, ...]
) -> subprocess.Popen[bytes] | None:
    """A process that calls a function and ends with this one at the latest; None if another has the lock.

    Parameters
    ----------
    lock_name : str
        File in the cache that the process locks until it ends.
    function : callable
        Of a module.
    arguments : tuple
        They can be pickled.

    Raises
    ------
    OSError
        If the cache cannot be written to.
    """
    import fcntl  # of POSIX

    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / lock_name).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return None
        path = os.pathsep.join(filter(None, [str(ROOT.parent), os.environ.get("PYTHONPATH")]))
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", CHILD],  # -P: imports nothing from the current folder
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[lock.fileno()],  # it holds the lock to its end
            env=os.environ | {"PYTHONPATH": path},
            start_new_session=True,  # it does not hear of Ctrl-C
        )
    Thread(target=_attend, args=(process, pickle.dumps((function, arguments))), daemon=True).start()
    return process


def _attend(process: subprocess.Popen[bytes], work: bytes) -> None:
    """Tell a process what to do, and see it end, so that it is no zombie."""
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.write(work)
        process.stdin.flush()
    process.wait()
    with suppress(OSError):
        process.stdin.close()  # not before: its end is that of this process


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_behind.clear)


@atexit.register
def _end() -> None:
    for process in _behind:
        process.kill()
        process.wait()


HELPER_LOCK = (
    "two_cores.lock"  # in the cache, with the number of the part in work: one process is helped at a time
)


def compile_in_parallel(
    function: Callable[..., Any],
    arguments: Mapping[str, Any],
    parts: Callable[[], Sequence[Callable[..., Any]]],
    examples: Mapping[str, Any],
) -> None:
    """Call a function; if it is to be compiled first, another process compiles parts of it meanwhile.

    Parameters
    ----------
    function : callable
        Compiled by `mcrock.base.jit`, or plain Python.
    arguments : mapping of str
        Its arguments in their order, by the names of its parameters.
    parts : callable
        Gives functions that it calls, directly or not, from the one that it comes to last; of a module.
    examples : mapping of str
        Values of the parameters of these parts that are none of the arguments, by name: their types count.
    """
    # another process would not have this one's cache without POSIX, nor a core to itself
    if LOADING.alone or os.name != "posix" or cores() < 2 or not hasattr(function, "overloads"):
        function(*arguments.values())
        return
    try:
        LOADING.alone = True
        function(*arguments.values())
        return
    except NotCompiled:
        pass
    finally:
        LOADING.alone = False
    given = {**arguments, **examples}
    kinds = {name: typeof(value) for name, value in given.items()}  # type: ignore[no-untyped-call]
    process = None
    with suppress(OSError):  # of a cache that cannot be written to
        process = start_process(HELPER_LOCK, compile_parts, (parts, kinds))
    if process is None:
        function(*arguments.values())
        return
    names = [(part.__module__, part.__name__) for part in parts()]
    try:
        CodeCache.awaited = lambda part: _wait(process, names, (part.__module__, part.__name__))
        function(*arguments.values())
    finally:
        CodeCache.awaited = None
        process.kill()


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def compile_parts(parts: Callable[[], Sequence[Any]], kinds: Mapping[str, Any]) -> None:
    """Compile functions for the types of their parameters, by name, and note which one is in work."""
    for number, part in enumerate(parts()):
        (cache_folder() / HELPER_LOCK).write_text(str(number))
        part.compile(tuple(kinds[name] for name in inspect.signature(part).parameters))


def _wait(process: Popen[bytes], names: Sequence[tuple[str, str]], part: tuple[str, str]) -> bool:
    """Whether a part may be in the cache now: the other process had begun it and was waited for."""
    if part not in names:
        return False
    waited = False
    while process.returncode is None and _in_work() == names.index(part):
        waited = True
        sleep(0.05)
    return waited


def _in_work() -> int:
    """Number of the part that the other process compiles; -1 before the first."""
    with suppress(OSError, ValueError):
        return int((cache_folder() / HELPER_LOCK).read_text())
    return -1
