"""Probability distributions a number of the study file may have.

Each is a table such as ``{ distribution = "normal", mean = 0.4, std = 0.01 }``. Parameters have
the unit of the number they stand for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import ValidationError
from scipy import special, stats
from scipy.special import ndtr

from mcrock.tables.errors import mistake, refuse, shown
from mcrock.tables.fields import Flag, Kind, Number, OneOf, Table, about, each, given

Array = NDArray[np.float64]
OWN = "{unit}"  # replaced by the unit of the number that is distributed
STRAY = 1e-9  # largest probability of an impossible value that is let pass [1]
RARE = 2.0**-53  # the smallest probability that is drawn [1]
MOST_LISTED = 100_000  # values in a list, all of which a study has with it [1]


class Distribution(Table):
    """A distribution; subclasses name their parameters and give SciPy's frozen object."""

    distribution: str
    epistemic: Annotated[
        bool | None,
        Flag(),
        about(
            "one unknown number for all runs of the study, in place of one for each realization: it is drawn "
            "`ensemble.outer` times",
            True,
        ),
    ] = None

    @cached_property
    def frozen(self) -> Any:
        """SciPy's frozen continuous distribution."""
        raise NotImplementedError

    def quantile(self, probability: ArrayLike) -> Array:
        """Value not exceeded with ``probability`` [1], in the unit of the number."""
        return np.asarray(self.frozen.ppf(probability), float)

    def upper_quantile(self, probability: ArrayLike) -> Array:
        """Value exceeded with ``probability`` [1]; exact where 1 - probability rounds to 1."""
        return np.asarray(self.frozen.isf(probability), float)

    @np.errstate(all="ignore")  # of bounds that are far away
    def share_outside(self, above: float | None, least: float | None, most: float | None) -> float:
        """Probability of a value <= ``above``, < ``least`` or > ``most`` [1]."""
        low = max(self.frozen.cdf(bound) for bound in (above, least, -np.inf) if bound is not None)
        return float(low + (0.0 if most is None else self.frozen.sf(most)))


class Normal(Distribution):
    """Normal distribution with mean and standard deviation."""

    distribution: Literal["normal"]
    mean: Annotated[float, Number(OWN), about("mean", 0.4)]
    std: Annotated[float, Number(OWN, above=0.0), about("standard deviation", 0.01)]

    @cached_property
    def frozen(self) -> Any:
        return stats.norm(self.mean, self.std)


class Lognormal(Distribution):
    """Lognormal distribution with (median, dispersion) or (mean, std).

    ``dispersion`` is the standard deviation of the natural logarithm [1].
    """

    distribution: Literal["lognormal"]
    median: Annotated[float | None, Number(OWN, above=0.0), about("median, given with `dispersion`", 0.8)] = (
        None
    )
    dispersion: Annotated[
        float | None, Number("1", above=0.0), about("standard deviation of the natural logarithm", 0.3)
    ] = None
    mean: Annotated[float | None, Number(OWN, above=0.0), about("mean, given with `std`", 0.8)] = None
    std: Annotated[float | None, Number(OWN, above=0.0), about("standard deviation", 0.2)] = None

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        present = {key for key in ("median", "dispersion", "mean", "std") if key in data}
        if present not in ({"median", "dispersion"}, {"mean", "std"}):
            came = ", ".join(sorted(present)) or "neither"
            yield (), f"a lognormal distribution needs median and dispersion, or mean and std; got {came}"

    @cached_property
    def frozen(self) -> Any:
        if self.mean is None or self.std is None:
            return stats.lognorm(self.dispersion, scale=self.median)
        variance = np.log1p((self.std / self.mean) ** 2)
        return stats.lognorm(np.sqrt(variance), scale=self.mean * np.exp(-0.5 * variance))


class Uniform(Distribution):
    """Uniform distribution between two ends."""

    distribution: Literal["uniform"]
    low: Annotated[float, Number(OWN), about("lower end, below `high`", 0.5)]
    high: Annotated[float, Number(OWN), about("upper end", 1.0)]

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from out_of_order(data)

    @cached_property
    def frozen(self) -> Any:
        return stats.uniform(self.low, self.high - self.low)


class Triangular(Distribution):
    """Triangular distribution with its most likely value between two ends."""

    distribution: Literal["triangular"]
    low: Annotated[float, Number(OWN), about("lower end, below `high`", 0.5)]
    mode: Annotated[float, Number(OWN), about("most likely value, between the ends", 0.8)]
    high: Annotated[float, Number(OWN), about("upper end", 1.0)]

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        wrong = list(out_of_order(data))
        yield from wrong
        numbers = given(data, "low", "mode", "high")
        if numbers and not wrong and not numbers[0] <= numbers[1] <= numbers[2]:
            low, mode, high = numbers
            yield ("mode",), f"must lie between low = {low:g} and high = {high:g} [{OWN}], got {mode:g}"

    @cached_property
    def frozen(self) -> Any:
        width = self.high - self.low
        return stats.triang((self.mode - self.low) / width, self.low, width)

    def upper_quantile(self, probability: ArrayLike) -> Array:
        width = self.high - self.low  # SciPy's isf is ppf(1 - q); the mirror image loses nothing
        mirror = stats.triang((self.high - self.mode) / width, 0.0, width)
        return np.asarray(self.high - mirror.ppf(probability), float)


class TruncatedNormal(Distribution):
    """Normal distribution cut at ``low`` and ``high``; mean and std are those before the cut."""

    distribution: Literal["truncated_normal"]
    mean: Annotated[float, Number(OWN), about("mean before the cut", 0.8)]
    std: Annotated[float, Number(OWN, above=0.0), about("standard deviation before the cut", 0.1)]
    low: Annotated[float, Number(OWN), about("lower end, below `high`", 0.5)]
    high: Annotated[float, Number(OWN), about("upper end", 1.0)]

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        wrong = list(out_of_order(data))
        yield from wrong
        numbers = given(data, "mean", "std", "low", "high")
        if numbers and not wrong and numbers[1] > 0:
            mean, std, low, high = numbers
            ends = (low - mean) / std, (high - mean) / std
            kept = ndtr(ends[1]) - ndtr(ends[0]) if ends[0] < 0 else ndtr(-ends[0]) - ndtr(-ends[1])
            if not kept > 1e-12:
                yield (), "low and high cut the whole normal distribution away; move them towards its mean"

    @cached_property
    def frozen(self) -> Any:
        ends = (self.low - self.mean) / self.std, (self.high - self.mean) / self.std
        return stats.truncnorm(*ends, loc=self.mean, scale=self.std)


class Beta(Distribution):
    """Beta distribution stretched from [0, 1] to [low, high]."""

    distribution: Literal["beta"]
    alpha: Annotated[float, Number("1", above=0.0), about("first shape parameter", 2.0)]
    beta: Annotated[float, Number("1", above=0.0), about("second shape parameter", 2.0)]
    low: Annotated[float, Number(OWN), about("lower end, below `high`")] = 0.0
    high: Annotated[float, Number(OWN), about("upper end")] = 1.0

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from out_of_order({"low": 0.0, "high": 1.0, **data})

    @cached_property
    def frozen(self) -> Any:
        return stats.beta(self.alpha, self.beta, self.low, self.high - self.low)

    # not the quantiles of SciPy's distribution: since 1.18 they give up in the tails, with a warning
    def quantile(self, probability: ArrayLike) -> Array:
        share = special.betaincinv(self.alpha, self.beta, probability)
        return np.asarray(self.low + (self.high - self.low) * share, float)

    def upper_quantile(self, probability: ArrayLike) -> Array:
        share = special.betainccinv(self.alpha, self.beta, probability)
        return np.asarray(self.low + (self.high - self.low) * share, float)


@dataclass(frozen=True)
class Values(Kind):
    """A non-empty list of numbers."""

    expected: str
    item: Number

    def parse(self, value: Any) -> tuple[float, ...]:
        if not isinstance(value, list | tuple) or not value:
            refuse(self.wrong(value))
        return each(value, self.item.parse)


class Stepped(Distribution):
    """A distribution of which each value has a probability."""

    @cached_property
    def steps(self) -> tuple[Array, Array]:
        """Sorted values, and the probability of not exceeding each [1]."""
        raise NotImplementedError

    def quantile(self, probability: ArrayLike) -> Array:
        values, reached = self.steps
        return values[np.searchsorted(reached[:-1], probability)]

    def upper_quantile(self, probability: ArrayLike) -> Array:
        return self.quantile(1.0 - np.asarray(probability))

    def share_outside(self, above: float | None, least: float | None, most: float | None) -> float:
        values, reached = self.steps
        return float(np.diff(reached, prepend=0.0)[outside(values, above, least, most)].sum())


class Discrete(Stepped):
    """A few values with their probabilities, equal ones by default."""

    distribution: Literal["discrete"]
    values: Annotated[
        tuple[float, ...],
        Values(f"a list of numbers [{OWN}]", Number(OWN)),
        about("the values", [0.5, 0.8, 1.0]),
    ]
    probabilities: Annotated[
        tuple[float, ...] | None,
        Values("a list of numbers >= 0 [1] with sum 1", Number("1", least=0.0)),
        about("probability of each value; equal ones by default", [0.2, 0.5, 0.3]),
    ] = None

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        values, weights = data.get("values"), data.get("probabilities")
        if not isinstance(weights, list | tuple) or not isinstance(values, list | tuple):
            return
        if len(weights) != len(values):
            yield (
                ("probabilities",),
                f"expected one for each of the {len(values)} values, got {len(weights)}",
            )
            return
        numbers = [number for weight in weights for number in given({"": weight}, "") or ()]
        if len(numbers) == len(weights) and abs(sum(numbers) - 1.0) > 1e-6:
            yield ("probabilities",), f"their sum must be 1, got {sum(numbers):.6g}"

    @cached_property
    def steps(self) -> tuple[Array, Array]:
        """Sorted values, and the probability of not exceeding each [1]."""
        values = np.array(self.values)
        weights = np.ones(len(values)) if self.probabilities is None else np.array(self.probabilities)
        order = np.argsort(values, kind="stable")
        kept = order[weights[order] > 0]
        return values[kept], np.cumsum(weights[kept]) / weights[kept].sum()


class Listed(Stepped):
    """One value for each realization, in their order, whatever the design; what `ensemble.table` makes of a
    column."""

    epistemic: ClassVar[None] = None  # type: ignore[misc]  # there is a value for each realization
    distribution: Literal["listed"]
    values: Annotated[
        tuple[float, ...],
        Values(f"a list of numbers [{OWN}]", Number(OWN)),
        about("the values; there may be more than realizations", [0.41, 0.39, 0.40]),
    ]

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        if isinstance(values := data.get("values"), list | tuple) and len(values) > MOST_LISTED:
            yield (
                ("values",),
                f"a list may have {MOST_LISTED} values, got {len(values)}; give larger studies distributions",
            )

    @cached_property
    def steps(self) -> tuple[Array, Array]:
        n = len(self.values)
        return np.sort(self.values), np.arange(1, n + 1) / n

    @cached_property
    def places(self) -> Array:
        """Probability of not exceeding the value of each realization (n,) [1], in the middle of its step."""
        places = np.empty(len(self.values))
        places[np.argsort(self.values, kind="stable")] = (np.arange(len(places)) + 0.5) / len(places)
        return places


def outside(values: Array, above: float | None, least: float | None, most: float | None) -> NDArray[np.bool_]:
    """Which values are <= ``above``, < ``least`` or > ``most``."""
    found = np.zeros(values.shape, bool)
    if above is not None:
        found |= values <= above
    if least is not None:
        found |= values < least
    if most is not None:
        found |= values > most
    return found


def out_of_order(data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The mistake of ``low`` not below ``high``."""
    ends = given(data, "low", "high")
    if ends and not ends[0] < ends[1]:
        yield ("low",), f"must be < high = {shown(data['high'])} [{OWN}], got {shown(data['low'])}"


DISTRIBUTIONS: dict[str, type[Distribution]] = {
    "normal": Normal,
    "lognormal": Lognormal,
    "uniform": Uniform,
    "triangular": Triangular,
    "truncated_normal": TruncatedNormal,
    "beta": Beta,
    "discrete": Discrete,
    "listed": Listed,
}

Quantity = float | Distribution


@dataclass(frozen=True)
class Uncertain(Number):
    """A number within bounds, or its distribution."""

    @property
    def expected(self) -> str:  # type: ignore[override]
        return f"{super().expected} or a distribution table"

    def parse(self, value: Any) -> Any:
        if isinstance(value, list):
            advice = '; for a few values write { distribution = "discrete", values = [...] }'
            refuse(self.wrong(value, advice))
        if not isinstance(value, Mapping | Distribution):
            return super().parse(value)
        try:
            distribution = OneOf("distribution", DISTRIBUTIONS).parse(value)
        except ValidationError as error:
            found = []
            for item in error.errors():
                message = item["ctx"]["message"].replace(OWN, self.unit)
                found.append(mistake(location=item["loc"], **item["ctx"] | {"message": message}))
            refuse(*found)
        assert isinstance(distribution, Distribution)
        if isinstance(distribution, Listed):
            self._check_each(distribution.values)
            return distribution
        with np.errstate(all="ignore"):  # of what overflows
            ends = [*distribution.quantile([RARE, 0.5]), *distribution.upper_quantile([RARE])]
            stray = distribution.share_outside(self.above, self.least, self.most)
        if not np.isfinite(ends).all():
            refuse(
                mistake(
                    f"the distribution must have finite values [{self.unit}], but reaches from {ends[0]:.3g} "
                    f"over {ends[1]:.3g}, its median, to {ends[2]:.3g}"
                )
            )
        if not stray <= STRAY:
            refuse(
                mistake(
                    f"must be {self.bounds} [{self.unit}], but the distribution goes beyond with probability "
                    f"{stray:.2g}; bound it (truncated_normal, beta, uniform) or use lognormal"
                )
            )
        return distribution

    def _check_each(self, values: Sequence[float]) -> None:
        """Refuse a list with a value that is out of bounds; the first one says which realization has it."""
        wrong = np.flatnonzero(outside(np.array(values), self.above, self.least, self.most))
        if wrong.size:
            i = int(wrong[0])
            refuse(
                mistake(
                    f"must be {self.bounds} [{self.unit}], got {values[i]:g} for realization {i}",
                    ("values", i),
                )
            )
