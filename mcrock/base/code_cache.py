"""Compiled code on disk: what it is known by, where it is looked for, and when it goes.

Code is known by the source that it was made of: the file of a function and all files of the package that it
imports, directly or not. An edited law never runs stale, what does not import it is not compiled again, and
a warm start compiles nothing. Of files that declare codes together with words for people, the words are
left out.

Code is looked for in the cache of the user, then in the package itself: wheels bring code for `BASELINE`
processors along. Each piece is one file that is moved into place when it is whole, named after all that it
depends on: processes that write at the same time cannot mix up signatures or versions, as they can in an
index that they share.
"""

from __future__ import annotations

import ast
import hashlib
import os
import pickle
import platform
import re
import shutil
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import time
from typing import Any

import llvmlite
import numba
from llvmlite.binding import get_host_cpu_features
from numba.core import caching
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps
from platformdirs import user_cache_path

from mcrock.base.arithmetic import contracts

ROOT = Path(__file__).parents[1]  # folder of the package
SHIPPED = ROOT / "compiled"  # folder of code in wheels
# by the machine that Python names: processor that code in wheels is made for, and what it takes to run it
BASELINE = {
    "x86_64": ("x86-64-v3", ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt")),
    "aarch64": ("generic", ()),
}
# of these the words do not count: a reworded long name, message or docstring recompiles nothing
WORDED = ("base/response.py", "base/checks.py", "impact/registry.py")
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
    """There is no compiled code of a function, and it is not to be compiled."""


class _Loading(threading.local):
    alone = False  # whether this thread may load code but not compile


LOADING = _Loading()


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
                return CompileResult._rebuild(target_context, *data)  # type: ignore[no-untyped-call]
        if LOADING.alone:
            raise NotCompiled
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
