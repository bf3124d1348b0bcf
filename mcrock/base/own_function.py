"""A function that a user gives: found by its name in a package, known by its source, sent to workers."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Self


@dataclass(frozen=True, eq=False)
class OwnFunction:
    """A function of a user; pickled with its code, wherever that was defined."""

    name: str
    function: Callable[..., float]  # in plain Python
    source: str  # hash of the source, with that of the functions and the values of the numbers that it uses

    group: ClassVar[str]  # of entry points
    kind: ClassVar[str]  # in messages

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
    def named(cls, name: str, folder: str | Path = ".") -> Self:
        """That of a package, by its name there, or that of a module, as ``module:function``.

        A module is looked for in a folder, that of the study file, and then where Python finds others.

        Raises
        ------
        ValueError
            If no installed package has it, it cannot be imported, or as `of`.
        """
        name = name.replace(".py:", ":")  # of a module as its file is called
        module, _, function = name.rpartition(":")
        known = {entry.name: entry for entry in entry_points(group=cls.group)}
        if module:
            known[name] = EntryPoint(name, name, cls.group)
        if name not in known:
            raise ValueError(
                f"no installed package has {cls.kind} {name!r} (entry points of {cls.group}: "
                f"{', '.join(sorted(known)) or 'none'}); name one of a module as 'module:function', or give "
                "the function itself in Python: load_config, run_study and mcrock.repeat_run take it"
            )
        file = Path(folder) / f"{module.replace('.', '/')}.py"
        try:
            if module and file.is_file():
                found = getattr(_module(file.resolve(), file.stat().st_mtime_ns), function)
            else:
                found = known[name].load()
        except Exception as error:  # whatever the module does when it is imported
            places = (
                f"the folder of the study file, {Path(folder).resolve()}, then where Python finds modules"
            )
            looked = f"; {file.name} is looked for in {places} (PYTHONPATH)" if module else ""
            raise ValueError(f"{cls.kind} {name!r}: {error}{looked}") from None
        return cls.of(found, function)

    @classmethod
    def found(cls, given: Self | str | None) -> Self | None:
        """What a run has, which may know it by its name alone; raises as `named`."""
        return cls.named(given) if isinstance(given, str) else given

    def accept(self) -> None:
        """Refuse what is not of the kind, with a ValueError."""
        raise NotImplementedError

    @property
    def words(self) -> str:
        """Name and hash, by which results and stores know it."""
        return f"{self.name}, source {self.source}"

    def __reduce__(self) -> Any:
        import cloudpickle  # type: ignore[import-untyped]  # takes functions of notebooks and scripts along

        return _unpickled, (type(self), self.name, cloudpickle.dumps(self.function), self.source)


@cache
def _module(file: Path, changed: int) -> ModuleType:
    """A file as a module that only its own functions know: workers get its code, not its name."""
    spec = spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))  # for what it imports from its folder
    spec.loader.exec_module(module)
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
        if inspect.ismodule(value) or name in seen:
            continue
        seen.add(name)
        yield name
        yield from _parts(inner, seen) if inspect.isfunction(inner) else (repr(value),)
