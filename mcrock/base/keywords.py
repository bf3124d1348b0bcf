"""Keywords that several functions share: declared once, as the fields of a frozen dataclass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from inspect import Parameter, signature
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])


def takes(pack: type[Any]) -> Callable[[Function], Function]:
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
                raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}")
            return function(*args, **keywords)

        checked.__signature__ = own.replace(parameters=[*kept, *shown])  # type: ignore[attr-defined]
        return cast(Function, checked)

    return decorate
