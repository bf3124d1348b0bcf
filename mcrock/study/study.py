"""The whole study as one validated, frozen object."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from math import inf, nan
from pathlib import Path
from typing import Any, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import PrivateAttr, ValidationError, model_validator
from scipy.special import ndtr, ndtri

from mcrock.base.checks import suggest
from mcrock.base.own_function import GROUPS, WORD, find_code
from mcrock.base.session import Displayed
from mcrock.base.tables.distributions import Discrete, Distribution, Listed, Quantity
from mcrock.base.tables.fields import AUTO, IntegerKey, OneOf, Table, Text, entry, given, optional, plain
from mcrock.base.tables.parsing import ConfigError, format_mistakes, parse_json
from mcrock.body.keys import Shape
from mcrock.body.parts import SHAPES
from mcrock.excitation.sources import SOURCES
from mcrock.excitation.sources.base import Source
from mcrock.impact.conditions import Controls, OwnLaw, at_odds
from mcrock.impact.registry import CHOICES, Law
from mcrock.study.impact import ImpactTable
from mcrock.study.sections import (
    FOR_AUTO,
    INTENSITIES,
    MOST_AUTO,
    OF_INDICES,
    ContactTable,
    ControlsTable,
    CorrelationTable,
    EnsembleTable,
    GroundTable,
    Intensity,
    LimitsTable,
    ReportTable,
    StartTable,
    pair_of,
)

Array = NDArray[np.float64]
Specification = Quantity | tuple[Any, ...]
TRIED = (0.01, 0.5, 0.99)  # quantiles of its parameter with which the law of a user is tried [1]
AS_IT_IS = {"measure": "factor", "levels": [1.0]}  # intensity of a study without shaking


LEAST, MOST = np.finfo(float).tiny, 1.0 - 2.0**-53  # ends of the open interval (0, 1)
LEAST_EIGENVALUE = 1e-9  # of correlations that can be drawn [1]


class Copula(NamedTuple):
    """Inputs that vary together: a Gaussian copula, by the correlations of their standard normal scores."""

    names: tuple[str, ...]  # those of the shaking first, which objects of a collection share
    matrix: Array  # (k, k) [1]

    @classmethod
    def of(cls, pairs: Mapping[str, float], uncertain: Sequence[str]) -> Copula:
        """From the keys of [correlation] and the inputs of a study in design order."""
        given = {
            frozenset(input_name(name, uncertain) for name in pair_of(key)): r for key, r in pairs.items()
        }
        known = [name for name in uncertain if any(name in pair for pair in given)]
        names = tuple(sorted(known, key=lambda name: not name.startswith("motion.")))
        matrix = np.array(
            [[1.0 if a == b else given.get(frozenset((a, b)), 0.0) for b in names] for a in names]
        )
        return cls(names, matrix.reshape(len(names), len(names)))

    def factor(self, but: Sequence[str] = ()) -> tuple[list[str], Array]:
        """Names ``but`` some, and Cholesky's factor of their correlations."""
        known = [k for k, name in enumerate(self.names) if name not in but]
        return [self.names[k] for k in known], np.asarray(
            np.linalg.cholesky(self.matrix[np.ix_(known, known)]), float
        )

    def mixed(self, u: dict[str, Array], but: Sequence[str] = ()) -> dict[str, Array]:
        """Coordinates in the unit cube from independent ones (n,) by name; those ``but`` some stay.

        Of standard normal scores the first stays as it is, and each other one is a sum of its own and of
        those before it. Each coordinate is uniform as before, and those of a realization depend on no other.
        """
        names, factor = self.factor(but)
        if not names:
            return u
        scores = [ndtri(u[name]) for name in names]
        return u | {
            name: np.clip(ndtr(weighted_sum(row, scores)), LEAST, MOST)
            for name, row, own in zip(names, factor, np.eye(len(names)), strict=True)
            if (row != own).any()
        }

    @property
    def pairs(self) -> list[tuple[str, str, float]]:
        """Names and correlation [1] of each pair that is not independent."""
        places = np.argwhere(np.triu(self.matrix, 1)).tolist()
        return [(self.names[i], self.names[j], float(self.matrix[i, j])) for i, j in places]

    def contradiction(self) -> str:
        """Why no inputs can vary like this, and what to change; empty if they can."""
        least = float(np.linalg.eigvalsh(self.matrix)[0]) if self.names else 1.0
        if least > LEAST_EIGENVALUE:
            return ""
        limits = {pair[:2]: self._limits(*map(self.names.index, pair[:2])) for pair in self.pairs}
        ends = [f'"{a}, {b}" {low:.3g} to {high:.3g}' for (a, b), (low, high) in limits.items() if low < high]
        return (
            f"pairs contradict each other: the smallest eigenvalue of all correlations is {least:.3g}, and "
            f"must be above 0; multiply all by less than {1.0 / (1.0 - least):.3g}"
            + f", or give one of {'; '.join(ends)}"
            * bool(ends)
        )

    def _limits(self, i: int, j: int) -> tuple[float, float]:
        """Between which correlations a pair may have with all others as they are; NaN if there are none."""
        rest = [k for k in range(len(self.names)) if k not in (i, j)]
        inner, ends = self.matrix[np.ix_(rest, rest)], self.matrix[np.ix_(rest, [i, j])]
        if rest and np.linalg.eigvalsh(inner)[0] <= LEAST_EIGENVALUE:
            return np.nan, np.nan
        told = ends.T @ np.linalg.solve(inner, ends)  # of both, by the others
        reach = np.sqrt(np.maximum(1.0 - told[0, 0], 0.0) * np.maximum(1.0 - told[1, 1], 0.0))
        return float(told[0, 1] - reach), float(told[0, 1] + reach)


def weighted_sum(weights: Sequence[float], terms: Sequence[Array]) -> Array:
    """Sum of arrays with weights, term by term: products of matrices round otherwise for other lengths."""
    total = np.zeros_like(terms[0])
    for weight, term in zip(weights, terms, strict=True):
        total = total + weight * term
    return total


def input_name(name: str, uncertain: Sequence[str]) -> str:
    """Name of an input by its key, as motion.azimuth by motion.azimuth_deg.

    >>> input_name("motion.azimuth_deg", ["motion.azimuth"]), input_name("start.tilt_deg", ["start.tilt_deg"])
    ('motion.azimuth', 'start.tilt_deg')
    """
    short = name.removesuffix("_deg").removesuffix("_g")
    return short if name not in uncertain and short in uncertain else name


class Study(Displayed, Table):
    """What to compute: one body, its impacts, the ground motions and the sampling.

    Made by `load_config` or, for a replay, by `from_json`. ``folder`` and ``source`` say where it
    was read; they are not part of the study and are not written by `to_json`.
    """

    title: str = entry(
        Text(),
        "stored with the results and written under figures",
        "Cabinet in the entrance hall",
        default="",
    )
    description: str = entry(
        Text(lines=True), "stored with the results", "Base width measured on site", default=""
    )
    seed: int = entry(
        IntegerKey(0), "seed of all draws: the same study with the same seed gives the same numbers", 1
    )
    body: Shape = entry(OneOf("shape", SHAPES), "what stands on the ground and may rock")
    impact: ImpactTable = entry(
        None,
        "where and how the ground pushes back in an impact; by default Housner's rule",
        default_factory=lambda: ImpactTable.model_validate({}),
    )
    contact: ContactTable | None = optional(
        None, "friction and rebound of the contacts; without friction they stick and nothing rebounds"
    )
    start: StartTable | None = optional(
        None, 'a body released from a tilt; with `motion.source = "none"` a study of free rocking'
    )
    ground: GroundTable | None = optional(
        None, "slope of the surface under the body; level without this section"
    )
    motion: Source = entry(
        OneOf("source", SOURCES), "where the ground motions come from, and what is uncertain about them"
    )
    intensity: Intensity = entry(
        None,
        "intensities to which the motions are scaled",
        default_factory=lambda: Intensity.model_validate(AS_IT_IS),
    )
    ensemble: EnsembleTable = entry(None, "how many realizations, and how their inputs are spread")
    correlation: CorrelationTable | None = optional(
        None,
        'pairs of inputs that vary together, as `"body.width, body.height" = 0.6`, each once, by a Gaussian '
        "copula: the number is the correlation of their normal scores, of the inputs themselves where both "
        "are normal; distributions stay as they are (`mcrock docs guide inputs`)",
    )
    limits: LimitsTable | None = optional(None, "limits by which results are judged after the runs")
    report: ReportTable | None = optional(
        None, "who answers for the study, on the page of `mcrock report`; may be changed while a store is run"
    )
    controls_table: ControlsTable = entry(
        None, "numerical settings of the runs", default_factory=ControlsTable, alias="controls"
    )

    _folder: Path = PrivateAttr(default=Path())
    _source: str = PrivateAttr(default="study")
    _own_law: OwnLaw | None = PrivateAttr(default=None)
    _trust_code: bool = PrivateAttr(default=False)

    @model_validator(mode="before")
    @classmethod
    def _settle_fallback(cls, data: Any) -> Any:
        """With friction the fallback of facet impacts is the plastic one, which a stored study says."""
        if not _has_friction(data) or not isinstance(data.get("impact", {}), Mapping):
            return data
        return {**data, "impact": {"facet_fallback": "plastic", **data.get("impact", {})}}

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        impact = data.get("impact")
        if isinstance(impact, Mapping):
            for key, reason in at_odds(impact, data["contact"] if _has_friction(data) else {}):
                yield ("impact", key), reason
        yield from _at_odds_with_nesting(data)
        yield from _at_odds_with_lists(data)
        yield from _at_odds_with_hulls(data)
        yield from _at_odds_with_correlation(data)
        limits, motion, ensemble = _raw(data, "limits", "motion", "ensemble")
        if limits.get("displacement") is not None and not _has_friction(data):
            yield (
                ("limits", "displacement"),
                "needs the key 'friction' in [contact]: without it nothing slides",
            )
        drawn = motion.get("assignment") == "random" or motion.get("record") is not None
        if drawn and ensemble.get("design") == "sobol_by_record":
            yield (
                ("ensemble", "design"),
                "spreads the realizations of each record, which meet them in turn: give motion.assignment = "
                "'cycle' and no motion.record",
            )
        source = SOURCES.get(str(motion.get("source")))
        if source is None or source.shakes:
            if "intensity" not in data:
                yield (), cls._missing("intensity")
            return
        if "start" not in data:
            yield (
                ("motion", "source"),
                "nothing moves: 'none' needs a body released from a tilt, section [start]",
            )
        intensity = data.get("intensity", AS_IT_IS)
        if not isinstance(intensity, Mapping) or Intensity.stated(intensity) != AS_IT_IS:
            yield ("intensity",), "there is no shaking with motion.source = 'none'; leave this section out"

    @property
    def folder(self) -> Path:
        """Folder that the names of record files start from."""
        return self._folder

    @property
    def source(self) -> str:
        """Name of the file the study was read from, for messages."""
        return self._source

    @property
    def trust_code(self) -> bool:
        """The word of the user that code which the study names may run."""
        return self._trust_code

    @property
    def own_law(self) -> OwnLaw | str | None:
        """Law of a user: its function, or its name alone if code that the study names may not run."""
        return self.find_own_law() if self.trust_code else self._own_law or self.impact.own_law

    @property
    def own_law_words(self) -> str:
        """Name and hash of the source of the law of a user, "" without one."""
        law = self.find_own_law()
        return law.words if law else ""

    def find_own_law(self) -> OwnLaw | None:
        """Law of a user, by its name as from the folder of the study where it was not given; errors as
        `OwnLaw.named`."""
        if self._own_law is None and self.impact.own_law is not None:
            self._own_law = OwnLaw.named(self.impact.own_law, self.folder, self.trust_code)
        return self._own_law

    def ask_for_code(self) -> None:
        """Find the code that the study names, none of which runs here.

        Raises
        ------
        ConfigError
            That it is not there; or what it is, if nobody has said that it may run.
        """
        laws = [self.impact.own_law] if self.impact.own_law and not self._own_law else []
        named = {"[impact] own_law": laws, "[ensemble] responses": self.ensemble.responses or ()}
        words, refused = [], []
        for (place, names), kind in zip(named.items(), GROUPS, strict=True):
            for name in names:
                try:
                    words.append(f"{self.source} {place}: {find_code(kind, name, self.folder).words}")
                except ValueError as error:
                    refused.append(f"{self.source} {place}: {error}")
        if refused or (words and not self.trust_code):
            raise ConfigError(refused or [*words, WORD])

    def with_law(self, function: Callable[..., float]) -> Self:
        """The same study with a function of one's own as law, or as the law "own" of its list of laws.

        Parameters
        ----------
        function : callable
            Angular velocity after a landing over that before [1], as `mcrock docs extending` says.

        Raises
        ------
        ValueError
            If the function is none that runs can follow.
        ConfigError
            If the study has parameters of another law.
        """
        law, data = OwnLaw.of(function), plain(self)
        name_own_law(data, law)
        study = self.from_data(data, self.source, self.folder, trust_code=self.trust_code)
        study._own_law = law
        study.check_own_law()
        return study

    def check_own_law(self) -> OwnLaw | None:
        """Try the law of a user, with its parameter where the study may draw it; errors as `OwnLaw.check`."""
        if (law := self.find_own_law()) is not None:
            given = self.impact.own_parameter
            drawn = given.quantile(TRIED) if isinstance(given, Distribution) else [given]
            for value in drawn:
                law.check(nan if value is None else float(value))
        return law

    @property
    def controls(self) -> Controls:
        """Numerical settings."""
        return Controls(**self.controls_table.model_dump(exclude={"preset"}))

    @property
    def is_cloud(self) -> bool:
        """Whether every realization has an intensity of its own, in place of fixed levels."""
        return self.intensity.is_cloud

    @property
    def n_intensity(self) -> int:
        """Runs per realization [1]."""
        return 1 if self.is_cloud else len(self.intensity.si_levels)

    def at_intensities(self, levels: Sequence[float]) -> Self:
        """The same study at other fixed levels, in the units of the measure."""
        others: dict[str, Any] = dict.fromkeys(INTENSITIES) | {"levels": tuple(levels), "variables": ()}
        intensity = self.intensity.model_copy(update=others)
        return self.model_copy(update={"intensity": intensity})

    @property
    def n_realizations(self) -> int:
        """Draws of all inputs, at most where their number is not fixed [1]."""
        n = self.ensemble.realizations
        return (self.ensemble.most_realizations or MOST_AUTO) if isinstance(n, str) else n

    @property
    def has_fixed_size(self) -> bool:
        """Whether the study file says how many realizations there are."""
        return not isinstance(self.ensemble.realizations, str)

    def of_size(self, realizations: int) -> Self:
        """The same study with a number of realizations."""
        size = dict.fromkeys(FOR_AUTO) | {"realizations": realizations}
        return self.model_copy(update={"ensemble": self.ensemble.model_copy(update=size)})

    @property
    def n_outer(self) -> int:
        """Number of epistemic draws [1], each of which meets every realization; 1 if nothing is epistemic."""
        return self.ensemble.outer or 1

    @property
    def n_runs(self) -> int:
        """All runs [1]."""
        return self.n_outer * self.n_realizations * self.n_intensity

    @cached_property
    def quantities(self) -> dict[str, Specification]:
        """Specification of every input drawn per realization, by dotted name, in design order."""
        items: dict[str, Specification] = {f"body.{name}": value for name, value in self.body.quantities()}
        always = self.impact.draw == "impact"
        for key, value in self.impact.parameters.items():
            if value is not None and not (always and isinstance(value, Distribution)):
                items[f"impact.{key}"] = value
        for key in CHOICES:
            items[f"impact.{key}"] = getattr(self.impact, key)
        if self.contact is not None:
            items |= {f"contact.{key}": value for key, value in self.contact.parameters.items()}
        if self.start is not None:
            kind = self.start.kind_of_tilt
            items |= {"start.edge": self.start.edge, f"start.{kind}": getattr(self.start, kind)}
        if self.ground is not None:
            items |= {f"ground.{key}": getattr(self.ground, key) for key in self.ground.key_names()}
        items |= {f"motion.{key}": item for key, item in self.motion.quantities.items()}
        if self.intensity.distribution is not None:
            items["intensity.value"] = self.intensity.distribution[0]
        return items

    @cached_property
    def uncertain(self) -> list[str]:
        """Dotted names of the sampled dimensions, in design order."""
        names = [name for name, item in self.quantities.items() if isinstance(item, Distribution | tuple)]
        names = [name for name in names if name not in self.tied]
        return names + (["motion.record"] if self.draws_records else [])

    @property
    def draws_records(self) -> bool:
        """Whether realizations draw their records; in the design of Sobol indices they are an input."""
        shared = self.motion.shakes and not self.motion.is_generated
        return self.motion.draws_records or (shared and self.ensemble.design == OF_INDICES)

    @property
    def is_certain(self) -> bool:
        """Whether nothing is drawn, so that realizations of a record repeat each other."""
        return not (self.uncertain or self.redrawn or self.motion.draws_noise or self.body.underside)

    @cached_property
    def epistemic(self) -> list[str]:
        """Dotted names of those that are one unknown number for all realizations."""
        items = {name: self.quantities.get(name) for name in self.uncertain}
        return [name for name, item in items.items() if isinstance(item, Distribution) and item.epistemic]

    @cached_property
    def listed(self) -> dict[str, Listed]:
        """Inputs of which every realization has a given value, by dotted name."""
        return {name: item for name, item in self.quantities.items() if isinstance(item, Listed)}

    @property
    def tied(self) -> dict[str, str]:
        """Dotted names of inputs that have no dimension of their own, and whose they share."""
        tied = {} if self.contact is None else self.contact.tied
        return {f"contact.{key}": f"contact.{other}" for key, other in tied.items()}

    @cached_property
    def copula(self) -> Copula:
        """Inputs that vary together."""
        return Copula.of({} if self.correlation is None else self.correlation.pairs, self.uncertain)

    @property
    def redrawn(self) -> list[str]:
        """Dotted names of the impact parameters that may be drawn anew at every impact."""
        return [f"impact.{key}" for key in self.impact.redrawn]

    def to_json(self) -> str:
        """The study with all defaults filled in, as JSON without any absolute path."""
        return json.dumps(plain(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str, folder: str | Path = ".", *, trust_code: bool = False) -> Self:
        """Read what `to_json` wrote.

        Parameters
        ----------
        text : str
            JSON.
        folder : str or Path
            Folder that the names of record files start from.
        trust_code : bool
            As of `load_config`, but asked for when a run needs it: reading needs none.

        Raises
        ------
        ConfigError
            If the text is not JSON or not a study.
        """
        try:
            data = parse_json(text)
        except ValueError as error:
            raise ConfigError(f"stored config: not valid JSON: {error}") from None
        return cls.from_data(data, "stored config", Path(folder), trust_code=trust_code)

    @classmethod
    def from_data(
        cls,
        data: Mapping[str, Any],
        source: str,
        folder: Path,
        overrides: Mapping[tuple[int | str, ...], str] | None = None,
        mistakes: tuple[str, ...] = (),
        *,
        trust_code: bool = False,
    ) -> Self:
        """Validate raw tables, raising all mistakes, earlier ``mistakes`` included, in one ConfigError."""
        study = None
        try:
            study = cls.model_validate(data)
        except ValidationError as error:
            mistakes += tuple(format_mistakes(error, source, sections(), key_homes(), overrides or {}))
        if study is not None:
            for key, words in _at_odds_with_copula(study):
                place = (overrides or {}).get(("correlation", key), source)
                mistakes += (f"{place} [correlation]{' ' * bool(key)}{key}: {words}",)
        if study is None or mistakes:
            raise ConfigError(mistakes)
        study._source, study._folder, study._trust_code = source, folder, trust_code
        return study


def _at_odds_with_copula(study: Study) -> Iterator[tuple[str, str]]:
    """Pairs of a study that cannot vary together, none of which is all of them, and why."""
    if study.correlation is None:
        return
    pairs = study.correlation.pairs
    if isinstance(study.intensity.value, str):  # a pilot chooses it, which comes after
        known = study.intensity.model_copy(update={"value": 1.0})
        study = study.model_copy(update={"intensity": known})
    seen, wrong = set[frozenset[str]](), False
    for key in pairs:
        names = [input_name(name, study.uncertain) for name in pair_of(key)]
        reasons = [reason for name in names if (reason := _not_in_copula(study, name))]
        if not reasons and len({name in study.epistemic for name in names}) > 1:
            reasons = ["make both epistemic, one unknown number for all runs, or neither"]
        if not reasons and frozenset(names) in seen:
            reasons = ["is given twice; give every pair once"]
        seen.add(frozenset(names))
        yield from ((key, reason) for reason in reasons)
        wrong = wrong or bool(reasons)
    if not wrong and (words := study.copula.contradiction()):
        yield "", words


def _not_in_copula(study: Study, name: str) -> str:
    """Why an input cannot be correlated with others; empty if it can."""
    item = study.quantities.get(name)
    if name in study.tied:
        return f"{name} is drawn with {study.tied[name]}: name that one"
    if name in study.redrawn:
        return f"{name} is drawn anew at every impact: give impact.draw = 'run', or leave it out"
    if name == "intensity.value":
        return "intensity.value is what probabilities are given for: leave it out"
    if isinstance(item, Listed):
        return f"{name} has its values from a table, with their correlations: leave it out"
    if isinstance(item, Discrete | tuple) or name == "motion.record":
        return (
            f"{name} has a few values or choices, and a copula is of continuous distributions: leave it out"
        )
    if not isinstance(item, Distribution):
        known = [each for each in study.uncertain if not _not_in_copula(study, each)]
        return f"{name} has no distribution{suggest(name, known)}; give it one, or leave it out"
    return ""


def name_own_law(data: dict[str, Any], law: OwnLaw) -> None:
    """Have the raw tables of a study name a law of a user, where they do not."""
    impact = data.setdefault("impact", {})
    if isinstance(impact, dict):
        impact["own_law"] = law.name
        if Law.OWN.key not in impact.get("law", ()):
            impact["law"] = Law.OWN.key


def _at_odds_with_nesting(data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Mistakes of epistemic distributions in the raw tables of a study."""
    places = [place for place, table in _tables_in(data) if table.get("epistemic") is True]
    ensemble, impact, contact, intensity = _raw(data, "ensemble", "impact", "contact", "intensity")
    outer = ensemble.get("outer")
    if places and outer is None:
        names = ", ".join(".".join(place) for place in places)
        yield ("ensemble",), f"of epistemic distributions ({names}) it needs 'outer', the number of draws"
    if outer is not None and not places:
        yield ("ensemble", "outer"), "nothing is epistemic: give a distribution 'epistemic = true'"
    if outer is not None and ensemble.get("design") == OF_INDICES:
        yield ("ensemble", "design"), "has an index for every input, epistemic or not: leave 'outer' out"
    if outer is not None and intensity.keys() & {"value", "value_g"}:
        yield ("ensemble", "outer"), "compares draws at fixed intensities: give levels in place of a value"
    anew = "impact" in (impact.get("draw"), *(impact["draw"] if isinstance(impact.get("draw"), list) else ()))
    for place in places:
        if place[0] == "intensity":
            yield place, "an intensity is what probabilities are given for: leave 'epistemic' out"
        if place[0] == "impact" and anew:
            yield place, "drawn anew at every impact it is not an unknown number: give impact.draw = 'run'"
    both = [item for key in ("friction", "static_friction") if isinstance(item := contact.get(key), Mapping)]
    if len(both) == 2 and bool(both[0].get("epistemic")) != bool(both[1].get("epistemic")):
        yield ("contact", "static_friction"), "is drawn with the friction: both are epistemic, or neither"


def _at_odds_with_lists(data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Mistakes of lists with a value for each realization in the raw tables of a study."""
    lists = {
        place: len(values)
        for place, table in _tables_in(data)
        if table.get("distribution") == "listed" and isinstance(values := table.get("values"), list | tuple)
    }
    motion, ensemble, impact = _raw(data, "motion", "ensemble", "impact")
    if isinstance(record := motion.get("record"), list | tuple):
        lists["motion", "record"] = len(record)
    n = given(ensemble, "realizations")
    for place, length in lists.items():
        if n and length < n[0]:
            yield place, f"has {length} values for {n[0]:g} realizations: lists must not be shorter"
        if place[0] == "impact" and "impact" in str(impact.get("draw")):
            yield place, "has one value for each realization: give impact.draw = 'run'"
    if lists and ensemble.get("realizations") == AUTO:
        yield ("ensemble", "realizations"), "inputs are listed: give a number, or leave it out with a table"
    if lists and ensemble.get("design") == OF_INDICES:
        yield ("ensemble", "design"), "changes one input at a time, and lists (ensemble.table) give them all"


def _at_odds_with_correlation(data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """A design that needs independent inputs, in the raw tables of a study."""
    if data.get("correlation") and _raw(data, "ensemble")[0].get("design") == OF_INDICES:
        yield (
            ("ensemble", "design"),
            "changes one input at a time, and correlated ones change together, so that Sobol indices would "
            "not add up to the variance: take another design (`mcrock sensitivity` compares inputs of runs "
            "that fell and stood), or leave [correlation] out",
        )


def _at_odds_with_hulls(data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Numbers of faces and edges of a body whose hull is drawn, in the raw tables of a study."""
    body, impact = _raw(data, "body", "impact")
    if body.get("shape_error") is None:
        return
    drawn = "which every draw of body.shape_error has anew"
    if impact.get("faces"):
        yield ("impact", "faces"), f"go by the numbers of faces, {drawn}: leave them out"
    if data.get("start") is not None:
        yield ("start",), f"goes by the number of an edge, {drawn}: leave the section out"


def _tables_in(item: Any, place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """All raw tables within an item, and where they are."""
    if isinstance(item, Mapping):
        yield place, item
        inside = [(str(key), inner) for key, inner in item.items()]
    else:
        inside = [(str(i), inner) for i, inner in enumerate(item)]
    for key, inner in inside:
        if isinstance(inner, Mapping | list | tuple):
            yield from _tables_in(inner, (*place, key))


def _raw(data: Mapping[str, Any], *keys: str) -> list[Mapping[str, Any]]:
    """Raw tables of some sections; empty where a section is none."""
    return [item if isinstance(item := data.get(key), Mapping) else {} for key in keys]


def _has_friction(data: Any) -> bool:
    """Whether the raw tables of a study give a finite friction coefficient."""
    contact = data.get("contact") if isinstance(data, Mapping) else None
    return isinstance(contact, Mapping) and contact.get("friction") not in (None, inf)


def tables() -> dict[str, dict[str, type[Table]]]:
    """Tables of each section: one under "", or several by the value of the key that tells them apart."""
    found: dict[str, dict[str, type[Table]]] = {}
    for key, field in zip(Study.key_names(), Study.model_fields.values(), strict=True):
        kind = Study.kind(key)
        if isinstance(kind, OneOf):
            found[key] = {f"{kind.tag} = {name!r}": table for name, table in kind.tables.items()}
            continue
        for table in tables_of(field.annotation):
            found[key] = {"": table}
    return found


def tables_of(annotation: Any) -> list[type[Table]]:
    """Tables that the value of a key may be, by its annotation; none of a number or a word."""
    kinds = (annotation, *get_args(annotation))
    return [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Table)]


def sections() -> tuple[str, ...]:
    """Names of the sections of a study file."""
    return tuple(tables())


def key_homes() -> dict[str, list[str]]:
    """Sections and tables of each key of a study file, in words."""
    homes: dict[str, list[str]] = {}
    for key in Study.key_names():
        if key not in tables():
            homes.setdefault(key, []).append("at the top of the file, before the first section")
    for section, variants in tables().items():
        for key in {key: None for table in variants.values() for key in table.key_names()}:
            where = [name for name, table in variants.items() if key in table.key_names()]
            condition = f" with {' or '.join(where)}" if len(where) < len(variants) else ""
            homes.setdefault(key, []).append(f"in [{section}]{condition}")
    return homes
