"""Probability distributions a number of the study file may have.

Each is a table such as ``{ distribution = "normal", mean = 0.4, std = 0.01 }``. Parameters have
the unit of the number they stand for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import ValidationError
from scipy import special
from scipy.special import ndtr, ndtri

from mcrock.base.tables.fields import FlagKey, ListOf, NumberKey, OneOf, Table, entry, given, optional
from mcrock.base.tables.parsing import mistake, refuse, shown

Array = NDArray[np.float64]
OWN = "{unit}"  # replaced by the unit of the number that is distributed
STRAY = 1e-9  # largest probability of an impossible value that is let pass [1]
RARE = 2.0**-53  # the smallest probability that is drawn [1]
MOST_LISTED = 100_000  # values in a list, all of which a study has with it [1]


class Distribution(Table):
    """A distribution; subclasses name their parameters, quantiles and probabilities.

    These come from SciPy's special functions: its distributions take half a second to import.
    """

    distribution: str
    epistemic: bool | None = optional(
        FlagKey(),
        "one unknown number for all runs, drawn `ensemble.outer` times, instead of one for each realization",
        True,
    )

    @cached_property
    def frozen(self) -> Any:
        """SciPy's frozen continuous distribution, for its density."""
        from scipy import stats

        return self._of_scipy(stats)

    def _of_scipy(self, stats: Any) -> Any:
        """The same distribution from `scipy.stats`."""
        raise NotImplementedError

    def density(self, value: Array) -> Array:
        """Probability density [1 over the unit of the number]."""
        return np.asarray(self.frozen.pdf(value), float)

    def quantile(self, probability: ArrayLike) -> Array:
        """Value not exceeded with ``probability`` [1], in the unit of the number."""
        p = np.asarray(probability, float)
        return self._inverse(p, 1.0 - p)

    def upper_quantile(self, probability: ArrayLike) -> Array:
        """Value exceeded with ``probability`` [1]; exact where 1 - probability rounds to 1."""
        q = np.asarray(probability, float)
        return self._inverse(1.0 - q, q)

    def _inverse(self, lower: Array, upper: Array) -> Array:
        """Value from the probabilities below and above it; the smaller one is exact."""
        raise NotImplementedError

    def below(self, value: float) -> float:
        """Probability of a smaller value [1]."""
        return float(self._shares(value)[0])

    def beyond(self, value: float) -> float:
        """Probability of a larger value [1]."""
        return float(self._shares(value)[1])

    def _shares(self, value: float) -> tuple[float, float]:
        """Probabilities below and above a value [1]; the smaller one is exact."""
        raise NotImplementedError

    @np.errstate(all="ignore")  # of bounds that are far away
    def share_outside(self, above: float | None, least: float | None, most: float | None) -> float:
        """Probability of a value <= ``above``, < ``least`` or > ``most`` [1]."""
        low = max([self.below(bound) for bound in (above, least) if bound is not None], default=0.0)
        return float(low + (0.0 if most is None else self.beyond(most)))


def _score(lower: Array, upper: Array) -> Array:
    """Standard normal score from the probabilities below and above it, of the smaller one."""
    return np.where(lower < upper, ndtri(lower), -ndtri(upper))


def _normal_share(low: float, high: float) -> float:
    """Probability of a standard normal score between two [1]."""
    return float(ndtr(high) - ndtr(low) if low < 0 else ndtr(-low) - ndtr(-high))


class Normal(Distribution):
    """Normal distribution with mean and standard deviation."""

    distribution: Literal["normal"]
    mean: float = entry(NumberKey(OWN), "mean", 0.4)
    std: float = entry(NumberKey(OWN, above=0.0), "standard deviation", 0.01)

    def _of_scipy(self, stats: Any) -> Any:
        return stats.norm(self.mean, self.std)

    def _inverse(self, lower: Array, upper: Array) -> Array:
        return self.mean + self.std * _score(lower, upper)

    def _shares(self, value: float) -> tuple[float, float]:
        score = (value - self.mean) / self.std
        return ndtr(score), ndtr(-score)


class Lognormal(Distribution):
    """Lognormal distribution with (mean, std), or with (median, dispersion), where dispersion is the standard
    deviation of the natural logarithm."""

    distribution: Literal["lognormal"]
    median: float | None = optional(NumberKey(OWN, above=0.0), "median, given with `dispersion`", 0.8)
    dispersion: float | None = optional(
        NumberKey("1", above=0.0), "standard deviation of the natural logarithm", 0.3
    )
    mean: float | None = optional(NumberKey(OWN, above=0.0), "mean, given with `std`", 0.8)
    std: float | None = optional(NumberKey(OWN, above=0.0), "standard deviation", 0.2)

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        present = {key for key in ("median", "dispersion", "mean", "std") if key in data}
        if present not in ({"median", "dispersion"}, {"mean", "std"}):
            came = ", ".join(sorted(present)) or "neither"
            yield (), f"a lognormal distribution needs median and dispersion, or mean and std; got {came}"

    @cached_property
    def _parameters(self) -> tuple[float, float]:
        """Median, and standard deviation of the natural logarithm."""
        if self.mean is not None and self.std is not None:
            variance = np.log1p((self.std / self.mean) ** 2)
            return float(self.mean * np.exp(-0.5 * variance)), float(np.sqrt(variance))
        assert self.median is not None
        assert self.dispersion is not None
        return self.median, self.dispersion

    def _of_scipy(self, stats: Any) -> Any:
        median, dispersion = self._parameters
        return stats.lognorm(dispersion, scale=median)

    def _inverse(self, lower: Array, upper: Array) -> Array:
        median, dispersion = self._parameters
        return median * np.exp(dispersion * _score(lower, upper))

    def _shares(self, value: float) -> tuple[float, float]:
        median, dispersion = self._parameters
        score = float(np.log(value / median)) / dispersion if value > 0.0 else -np.inf
        return ndtr(score), ndtr(-score)


class Bounded(Distribution):
    """A distribution between the keys ``low`` and ``high``."""

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        ends = given(data, "low", "high")
        if ends and not ends[0] < ends[1]:
            yield ("low",), f"must be < high = {shown(data['high'])} [{OWN}], got {shown(data['low'])}"


class Uniform(Bounded):
    """Uniform distribution between two ends."""

    distribution: Literal["uniform"]
    low: float = entry(NumberKey(OWN), "lower end, below `high`", 0.5)
    high: float = entry(NumberKey(OWN), "upper end", 1.0)

    def _of_scipy(self, stats: Any) -> Any:
        return stats.uniform(self.low, self.high - self.low)

    def density(self, value: Array) -> Array:
        """Without `scipy.stats`, as most inputs of impacts are uniform."""
        return np.where((self.low <= value) & (value <= self.high), 1.0 / (self.high - self.low), 0.0)

    def quantile(self, probability: ArrayLike) -> Array:
        return self.low + (self.high - self.low) * np.asarray(probability, float)

    def upper_quantile(self, probability: ArrayLike) -> Array:
        return self.high - (self.high - self.low) * np.asarray(probability, float)

    def _shares(self, value: float) -> tuple[float, float]:
        low, high = np.clip(
            np.array([value - self.low, self.high - value]) / (self.high - self.low), 0.0, 1.0
        )
        return low, high


class Triangular(Bounded):
    """Triangular distribution between two ends, with its most likely value, the mode."""

    distribution: Literal["triangular"]
    low: float = entry(NumberKey(OWN), "lower end, below `high`", 0.5)
    mode: float = entry(NumberKey(OWN), "most likely value, between the ends", 0.8)
    high: float = entry(NumberKey(OWN), "upper end", 1.0)

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        wrong = list(super().conflicts(data))
        yield from wrong
        numbers = given(data, "low", "mode", "high")
        if numbers and not wrong and not numbers[0] <= numbers[1] <= numbers[2]:
            low, mode, high = numbers
            yield ("mode",), f"must lie between low = {low:g} and high = {high:g} [{OWN}], got {mode:g}"

    def _of_scipy(self, stats: Any) -> Any:
        width = self.high - self.low
        return stats.triang((self.mode - self.low) / width, self.low, width)

    def _inverse(self, lower: Array, upper: Array) -> Array:
        width, rise, fall = self.high - self.low, self.mode - self.low, self.high - self.mode
        return np.where(
            lower < rise / width,
            self.low + np.sqrt(width * rise * lower),
            self.high - np.sqrt(width * fall * upper),
        )

    def _shares(self, value: float) -> tuple[float, float]:
        width = self.high - self.low
        if value >= self.mode:
            above = (self.high - value) ** 2 / (width * (self.high - self.mode)) if value < self.high else 0.0
            return 1.0 - above, above
        below = (value - self.low) ** 2 / (width * (self.mode - self.low)) if value > self.low else 0.0
        return below, 1.0 - below


class TruncatedNormal(Bounded):
    """Normal distribution cut at ``low`` and ``high``; mean and std are those before the cut."""

    distribution: Literal["truncated_normal"]
    mean: float = entry(NumberKey(OWN), "mean before the cut", 0.8)
    std: float = entry(NumberKey(OWN, above=0.0), "standard deviation before the cut", 0.1)
    low: float = entry(NumberKey(OWN), "lower end, below `high`", 0.5)
    high: float = entry(NumberKey(OWN), "upper end", 1.0)

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        wrong = list(super().conflicts(data))
        yield from wrong
        numbers = given(data, "mean", "std", "low", "high")
        if numbers and not wrong and numbers[1] > 0:
            mean, std, low, high = numbers
            ends = (low - mean) / std, (high - mean) / std
            if not _normal_share(*ends) > 1e-12:
                yield (), "low and high cut the whole normal distribution away; move them towards its mean"

    @cached_property
    def _ends(self) -> tuple[float, float]:
        """Scores of the ends before the cut."""
        return (self.low - self.mean) / self.std, (self.high - self.mean) / self.std

    def _of_scipy(self, stats: Any) -> Any:
        return stats.truncnorm(*self._ends, loc=self.mean, scale=self.std)

    def _inverse(self, lower: Array, upper: Array) -> Array:
        low, high = self._ends
        score = _score(upper * ndtr(low) + lower * ndtr(high), upper * ndtr(-low) + lower * ndtr(-high))
        return np.clip(self.mean + self.std * score, self.low, self.high)

    def _shares(self, value: float) -> tuple[float, float]:
        low, high = self._ends
        score, whole = (np.clip(value, self.low, self.high) - self.mean) / self.std, _normal_share(low, high)
        return _normal_share(low, score) / whole, _normal_share(score, high) / whole


class Beta(Bounded):
    """Beta distribution stretched from [0, 1] to [low, high], with two shape parameters."""

    distribution: Literal["beta"]
    alpha: float = entry(NumberKey("1", above=0.0), "first shape parameter", 2.0)
    beta: float = entry(NumberKey("1", above=0.0), "second shape parameter", 2.0)
    low: float = entry(NumberKey(OWN), "lower end, below `high`", default=0.0)
    high: float = entry(NumberKey(OWN), "upper end", default=1.0)

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from super().conflicts({"low": 0.0, "high": 1.0, **data})

    def _of_scipy(self, stats: Any) -> Any:
        return stats.beta(self.alpha, self.beta, self.low, self.high - self.low)

    def _inverse(self, lower: Array, upper: Array) -> Array:
        share: Array = np.where(
            lower < upper,
            special.betaincinv(self.alpha, self.beta, lower),
            special.betainccinv(self.alpha, self.beta, upper),
        )
        return self.low + (self.high - self.low) * share

    def _shares(self, value: float) -> tuple[float, float]:
        share = np.clip((value - self.low) / (self.high - self.low), 0.0, 1.0)
        return special.betainc(self.alpha, self.beta, share), special.betaincc(self.alpha, self.beta, share)


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
    values: tuple[float, ...] = entry(
        ListOf(NumberKey(OWN), f"a list of numbers [{OWN}]", distinct=False), "the values", [0.5, 0.8, 1.0]
    )
    probabilities: tuple[float, ...] | None = optional(
        ListOf(NumberKey("1", least=0.0), "a list of numbers >= 0 [1] with sum 1", distinct=False),
        "probability of each value; equal ones by default",
        [0.2, 0.5, 0.3],
    )

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
    """One value for each realization, in their order, or more; what `ensemble.table` makes of a column."""

    epistemic: ClassVar[None] = None  # type: ignore[misc]  # there is a value for each realization
    distribution: Literal["listed"]
    values: tuple[float, ...] = entry(
        ListOf(NumberKey(OWN), f"a list of numbers [{OWN}]", distinct=False),
        "the values; there may be more than realizations",
        [0.41, 0.39, 0.40],
    )

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
    """Mask of values that are <= ``above``, < ``least`` or > ``most``."""
    found = np.zeros(values.shape, bool)
    if above is not None:
        found |= values <= above
    if least is not None:
        found |= values < least
    if most is not None:
        found |= values > most
    return found


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
class Uncertain(NumberKey):
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
            is_normal = isinstance(value, Mapping) and value.get("distribution") == "normal"
            cuts = [end for end in ("low", "high") if is_normal and end in value]
            for item in error.errors():
                if item["ctx"].get("unknown") in cuts:
                    continue
                message = item["ctx"]["message"].replace(OWN, self.unit)
                found.append(mistake(location=item["loc"], **item["ctx"] | {"message": message}))
            if cuts:
                words = "a normal distribution has no low and high; cut there it is 'truncated_normal'"
                found.append(mistake(words, ("distribution",)))
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
                f"the distribution must have finite values [{self.unit}], but reaches from {ends[0]:.3g} "
                f"over {ends[1]:.3g}, its median, to {ends[2]:.3g}"
            )
        if not stray <= STRAY:
            refuse(
                f"must be {self.bounds} [{self.unit}], but the distribution goes beyond with probability "
                f"{stray:.2g}; bound it (truncated_normal, beta, uniform) or use lognormal"
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
