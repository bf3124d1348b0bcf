"""A function that a user gives: found by name, run at the user's word, known by its source."""

from __future__ import annotations

import ast
import hashlib
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, NamedTuple, Self

GROUPS = {"impact law": "mcrock.impact_laws", "response": "mcrock.responses"}  # entry points by kind
LONGEST = 1_000_000  # bytes of a source
WORD = "read it, and if it may run as you, say so: --trust-code (trust_code=True in Python)"


class NamedCode(NamedTuple):
    """A function that is known by its name alone, and where it stands; none of it has run."""

    kind: str  # of `GROUPS`
    name: str
    file: Path | None  # None where an installed package shows no source
    source: bytes
    entry: EntryPoint | None  # of an installed package

    @property
    def words(self) -> str:
        """What would run."""
        package = self.entry and f"{self.entry.value} of the installed package {_package(self.entry)}"
        where = [package, self.file and f"{self.file}, {self.digest}"]
        return f"{self.kind} {self.name!r} is code: {' in '.join(str(each) for each in where if each)}"

    @property
    def digest(self) -> str:
        """Hash of its file and of those of the same folder that it imports; results keep what is shown."""
        found = _imported(self.file, self.source) if self.file else {}
        names = [f"{file.name} " * (file != self.file) for file in found]
        hashes = [hashlib.sha256(source).hexdigest() for source in found.values()]
        return ", with ".join(f"{name}sha256 {each}" for name, each in zip(names, hashes, strict=True))

    def load(self) -> Any:
        """Run the file or import the package, and find the function there."""
        if self.entry is not None:
            return self.entry.load()
        assert self.file is not None
        return getattr(_module(self.file, self.source), self.name.rpartition(":")[2])


def find_code(kind: str, name: str, folder: str | Path = ".") -> NamedCode:
    """The function that a study names, found without running or importing anything.

    Parameters
    ----------
    kind : str
        Of `GROUPS`.
    name : str
        ``module:function`` or ``file.py:function`` of a file, or an entry point of an installed package: its
        name, or its ``module:function``.
    folder : str or Path
        That of the study file, from which files are named.

    Raises
    ------
    ValueError
        If there is neither, or the file cannot be read.
    """
    module = name.rpartition(":")[0]
    place = module if module.endswith(".py") else f"{module.replace('.', '/')}.py"
    file, entries = Path(os.path.abspath(Path(folder) / place)), list(entry_points(group=GROUPS[kind]))
    try:
        if module and file.is_file():
            with file.open("rb") as opened:
                source = opened.read(LONGEST + 1)
            if len(source) > LONGEST:
                raise ValueError(f"{kind} {name!r}: {file}: over {LONGEST} bytes, not read")
            return NamedCode(kind, name, file, source, None)
    except OSError as error:
        raise ValueError(f"{kind} {name!r}: {file} cannot be read: {error.strerror}") from None
    for entry in entries:
        if name in (entry.name, entry.value):
            of_package = _file_of(entry.module)
            return NamedCode(kind, name, of_package, of_package.read_bytes() if of_package else b"", entry)
    no_file = f"there is no file {file}, and " if module else ""
    names = ", ".join(sorted(entry.name for entry in entries)) or "none"
    raise ValueError(
        f"{kind} {name!r}: {no_file}no installed package has it (entry points of {GROUPS[kind]}: {names}); "
        "name one of a file next to the study file as 'module:function', or give the function itself in "
        "Python: load_config, run_study and mcrock.repeat_run take it"
    )


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "of no name"


def _file_of(module: str) -> Path | None:
    """Source of a module, of which nothing is imported: `find_spec` alone would import what is above it."""
    first, *inner = module.split(".")
    spec, name = find_spec(first), first
    for part in inner:
        name = f"{name}.{part}"
        spec = spec and PathFinder.find_spec(name, spec.submodule_search_locations or [])
    found = Path(spec.origin) if spec and spec.origin else None
    return found if found and found.suffix == ".py" and found.is_file() else None


@dataclass(frozen=True, eq=False)
class OwnFunction:
    """A function of a user; pickled with its code, wherever that was defined."""

    name: str
    function: Callable[..., float]  # in plain Python
    source: str  # digest of its file, if a study named it, and `source_of` the function

    kind: ClassVar[str]  # of `GROUPS`

    @classmethod
    def of(cls, given: Any, name: str = "") -> Self:
        """A function, which numba may have compiled.

        Raises
        ------
        ValueError
            If it is none, or not one of the kind.
        """
        function = getattr(given, "py_func", given)
        name = name or getattr(function, "__name__", type(given).__name__)
        if not inspect.isfunction(function):
            raise ValueError(f"{cls.kind} {name!r}: expected a function, got {type(given).__name__}")
        found = cls(name, function, source_of(function))
        found.accept()
        return found

    @classmethod
    def named(cls, name: str, folder: str | Path = ".", trust_code: bool = False) -> Self:
        """The function that a study names, which runs the file or imports the package that has it.

        Parameters
        ----------
        name, folder
            As of `find_code`.
        trust_code : bool
            The word of the user that it may run.

        Raises
        ------
        ValueError
            If it is not found or may not run, of whatever its code raises, and as `of`.
        """
        code = find_code(cls.kind, name, folder)
        if not trust_code:
            raise ValueError(f"{code.words}; {WORD}")
        digest = code.digest
        try:
            found = code.load()
        except Exception as error:  # whatever the module does when it is imported
            raise ValueError(f"{cls.kind} {name!r} of {code.file or code.entry}: {error}") from None
        own = cls.of(found, name.rpartition(":")[2])
        return replace(own, source=f"{digest}, as used {own.source}" if digest else own.source)

    @classmethod
    def given(cls, known: Self | str | None) -> Self | None:
        """What a run has; a ValueError of what it knows by its name alone, which nobody has said may run."""
        if isinstance(known, str):
            raise ValueError(f"{cls.kind} {known!r} is code, and the study was read without it; {WORD}")
        return known

    def accept(self) -> None:
        """Refuse what is not of the kind, with a ValueError."""
        raise NotImplementedError

    @property
    def words(self) -> str:
        """Name and hash, by which results and stores know it."""
        return f"{self.name}, source {self.source}"

    def made(self, words: str) -> bool:
        """Whether a result is of it: by its file too, unless one of them is of a function given in Python."""
        name, used = words.partition(",")[0], words.rpartition(" ")[2]
        of_files = "sha256" in words and "sha256" in self.source
        return words == self.words or (
            not of_files and (name, used) == (self.name, self.source.split(" ")[-1])
        )

    def __reduce__(self) -> Any:
        import cloudpickle  # type: ignore[import-untyped]  # takes functions of notebooks and scripts along

        return _unpickled, (type(self), self.name, cloudpickle.dumps(self.function), self.source)


def _imported(file: Path, source: bytes) -> dict[Path, bytes]:
    """Sources of a file and of what it imports from its folder, found without running anything."""
    found, left = {file: source}, [file]
    while left:
        here = left.pop()
        try:
            nodes = list(ast.walk(ast.parse(found[here])))
        except (SyntaxError, ValueError):
            continue  # which does not run
        names = [
            (file.parent, each.name) for node in nodes if isinstance(node, ast.Import) for each in node.names
        ]
        for node in nodes:
            if isinstance(node, ast.ImportFrom):
                folder = here.parents[node.level - 1] if node.level else file.parent
                names += [(folder, f"{node.module or ''}.{each.name}".strip(".")) for each in node.names]
                names.append((folder, node.module or ""))
        for folder, name in names:
            parts = name.split(".")
            for n in range(1, len(parts) + 1):
                place = folder.joinpath(*parts[:n])
                for one in (place.with_name(f"{place.name}.py"), place / "__init__.py"):
                    if one not in found and one.is_file():
                        found[one] = one.read_bytes()
                        left.append(one)
    return found


@cache
def _module(file: Path, source: bytes) -> ModuleType:
    """A file as a module that only its own functions know: workers get its code, not its name.

    What runs is the source that was shown, not compiled code that lies next to it.
    """
    spec = spec_from_file_location(file.stem, file)
    assert spec is not None
    module = module_from_spec(spec)
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))  # for what it imports from its folder
    exec(compile(source, file, "exec"), module.__dict__)
    return module


def _unpickled(kind: type[OwnFunction], name: str, function: bytes, source: str) -> OwnFunction:
    import cloudpickle

    return kind(name, cloudpickle.loads(function), source)


def source_of(function: Callable[..., Any]) -> str:
    """Hash of the source of a function, and of what it uses of its module."""
    digest = hashlib.sha256()
    for part in _parts(function, set()):
        digest.update(part.encode())
    return digest.hexdigest()[:16]


def _parts(function: Any, seen: set[str]) -> Iterator[str]:
    """Source of a function, then names and values of what it uses: functions of Python by their source."""
    code = function.__code__
    try:
        yield inspect.getsource(function)
    except OSError:  # of a prompt
        yield f"{code.co_code.hex()} {code.co_consts}"
    used = inspect.getclosurevars(function)
    for name, value in sorted({**used.globals, **used.nonlocals}.items()):
        inner = getattr(value, "py_func", value)
        if name in seen:
            continue
        seen.add(name)
        if inspect.ismodule(
            value
        ):  # one of the same folder may change with the function, installed ones do not
            file = Path(value.__file__ or "")
            if file.suffix == ".py" and file.is_relative_to(Path(code.co_filename).parent):
                yield from map(str, _imported(file, file.read_bytes()).values())
            continue
        yield name
        yield from _parts(inner, seen) if inspect.isfunction(inner) else (repr(value),)
