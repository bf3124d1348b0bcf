"""Keywords that several functions share: declared once, as the fields of a frozen dataclass."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import wraps
from inspect import Parameter, signature
from typing import Any, TypeVar, cast

from mcrock.base.checks import suggest

Named = TypeVar("Named", bound=Callable[..., Any])
Function = TypeVar("Function", bound=Callable[..., Any])


def shared_keywords(pack: type[Any]) -> Callable[[Function], Function]:
    """Show the ``**keywords`` of a function in its signature as the fields of a pack; refuse others."""
    shown = [
        Parameter(each.name, Parameter.KEYWORD_ONLY, default=each.default, annotation=each.type)
        for each in fields(pack)
    ]

    def decorate(function: Function) -> Function:
        own = signature(function)
        kept = [each for each in own.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
        known = {each.name for each in (*kept, *shown)}

        @wraps(function)
        def checked(*args: Any, **keywords: Any) -> Any:
            for name in keywords.keys() - known:
                raise TypeError(_unexpected(function, name, known))
            return function(*args, **keywords)

        checked.__signature__ = own.replace(parameters=[*kept, *shown])  # type: ignore[attr-defined]
        return cast(Function, checked)

    return decorate


def suggest_keyword(named: Named) -> Named:
    """A function or class that answers a keyword it does not know with the one that may have been meant."""
    function = named.__init__ if isinstance(named, type) else named  # type: ignore[misc]

    @wraps(function)
    def checked(*args: Any, **keywords: Any) -> Any:
        try:
            return function(*args, **keywords)
        except TypeError:
            known = signature(function).parameters
            for name in keywords.keys() - known:
                raise TypeError(_unexpected(named, name, known)) from None
            raise

    if not isinstance(named, type):
        return cast(Named, checked)
    named.__init__ = checked  # type: ignore[misc]
    return named


def _unexpected(function: Callable[..., Any], name: str, known: Iterable[str]) -> str:
    meant = suggest(name, (each for each in known if each != "self"))
    return f"{function.__name__}() got an unexpected keyword argument {name!r}{meant}"
