"""Options of intervals: the keywords that statistics and figures share, checked once."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypedDict, cast

import numpy as np

from mcrock.base.keywords import takes
from mcrock.statistics.intervals import check_level

__all__ = ["Bootstrap", "BootstrapKeywords", "Confidence", "ConfidenceKeywords", "takes"]


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
