"""Options of intervals: the keywords that statistics and figures share, checked once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from inspect import Parameter, signature
from typing import Any, TypedDict, TypeVar, cast

import numpy as np

from mcrock.statistics.intervals import check_level

Function = TypeVar("Function", bound=Callable[..., Any])


class ConfidenceKeywords(TypedDict, total=False):
    """Fields of `Confidence` as keywords."""

    level: float
    cluster: bool
    allow_missing: bool


class BootstrapKeywords(ConfidenceKeywords, total=False):
    """Fields of `Bootstrap` as keywords."""

    resamples: int
    seed: int


@dataclass(frozen=True, kw_only=True)
class Confidence:
    """Level of a confidence interval, and the runs that it takes as independent.

    Attributes
    ----------
    level : float
        Coverage of the interval [1], inside (0, 1).
    cluster : bool
        Whether runs that share a recording are dependent. Only then does the interval hold for other
        earthquakes; False, or a dataset that knows no records, gives that of the realizations alone, for the
        given records: it shows how much more realizations would help.
    allow_missing : bool
        Leave out runs that have not been run, rather than refuse.
    """

    level: float = 0.95
    cluster: bool = True
    allow_missing: bool = False

    def __post_init__(self) -> None:
        check_level(self.level)

    def attrs(self, record: np.ndarray | None) -> dict[str, Any]:
        """Attributes of a result: how its intervals were made, and what counts as independent.

        Parameters
        ----------
        record : ndarray, optional
            Recordings of the realizations, None where there are none.
        """
        kept = {each.name: getattr(self, each.name) for each in fields(self)}
        del kept["cluster"], kept["allow_missing"]
        return kept | {"independent": "records" if self.cluster and record is not None else "realizations"}

    @property
    def keywords(self) -> ConfidenceKeywords:
        """For a statistic that draws no resamples."""
        return cast(ConfidenceKeywords, {each.name: getattr(self, each.name) for each in fields(Confidence)})


@dataclass(frozen=True, kw_only=True)
class Bootstrap(Confidence):
    """A `Confidence` interval from drawing recordings (or single realizations) again with replacement.

    Attributes
    ----------
    resamples, seed : int
        Number of resamples, at least 1, and the seed of their draws.
    """

    resamples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.resamples < 1:
            raise ValueError(f"resamples must be at least 1 [1], got {self.resamples!r}; 1000 is usual")

    def reaches_level(self, units: int) -> bool:
        """True if resamples of this number of units can reach the level at all.

        >>> Bootstrap(level=0.95).reaches_level(5), Bootstrap(level=0.95).reaches_level(6)
        (False, True)
        """
        return bool(units >= np.log2(2 / (1 - self.level)))


def takes(pack: type[Confidence]) -> Callable[[Function], Function]:
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
