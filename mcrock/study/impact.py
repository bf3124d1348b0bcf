"""The table [impact] of a study file: its keys are those of the laws of `mcrock.impact.registry`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import create_model

from mcrock.base.checks import joined
from mcrock.base.own_function import GROUPS
from mcrock.base.tables.distributions import Distribution, Quantity, Uncertain
from mcrock.base.tables.errors import ConfigError, mistake, refuse
from mcrock.base.tables.fields import ChoiceKey, IntegerKey, Kind, Table, Text, each, entry, optional
from mcrock.impact.conditions import Impact
from mcrock.impact.own_law import OwnLaw
from mcrock.impact.registry import DEFAULT_LAW, OF_FACE, ImpactParameter, Law, options, unfit
from mcrock.study.presets import PRESETS

LAWS = options("law")
FACE_KEYS = tuple(parameter.key for parameter in OF_FACE)


def _keys(parameters: Iterable[ImpactParameter], *, of_face: bool = False) -> dict[str, Any]:
    """Fields of parameters, by name; for a face none has a default."""
    fields: dict[str, Any] = {}
    for parameter in parameters:
        row = parameter.row
        default = None if of_face else row.default
        words = "; ".join(filter(None, (row.words, row.meaning)))
        fields[parameter.argument] = (
            Quantity | None,
            entry(
                Uncertain(**vars(row.rule)),
                words if row.law == DEFAULT_LAW else f"of the law `{row.law.key}`: {words}",
                *([row.example] if default is None else []),
                default=default,
                alias=None if parameter.argument == parameter.key else parameter.key,
            ),
        )
    return fields


def _choice(name: str, words: str, *examples: Any) -> Any:
    """Field of a choice that may be sampled."""
    kind = ChoiceKey(options(name), unfit(name), several=True)
    return str | tuple[str, ...], entry(kind, words, *examples, default=options(name)[0])


_of_face: dict[str, Any] = {"face": (int, entry(IntegerKey(0), "number of the face", 2))}
_FaceKeys = create_model("_FaceKeys", __base__=Table, **_of_face, **_keys(OF_FACE, of_face=True))


class FaceImpact(_FaceKeys):  # type: ignore[misc, valid-type]
    """Impact parameters of one face; those not given are the ones of the body."""

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        if not set(FACE_KEYS) & set(data):
            yield (), f"expected {joined(FACE_KEYS)} or both for the face; give one or leave the table out"


@dataclass(frozen=True)
class FaceTables(Kind):
    """Tables of faces, every face at most once."""

    expected: str = f"a list of tables with the keys 'face', {', '.join(map(repr, FACE_KEYS))}"

    def parse(self, value: Any) -> tuple[FaceImpact, ...]:
        if not isinstance(value, list | tuple):
            refuse(self.wrong(value))
        faces = each(value, FaceImpact.model_validate)
        numbers = [table.face for table in faces]
        for i, number in enumerate(numbers):
            if number in numbers[:i]:
                refuse(mistake(f"face {number} is listed twice; list every face once", (i, "face")))
        return faces


_of_impact: dict[str, Any] = {
    "preset": (
        str | None,
        optional(
            ChoiceKey(tuple(PRESETS)),
            "law and parameters from a source, by the name of a preset below; other keys here win. It "
            "is written out when the file is read, and results keep what it stood for. In an override it "
            "takes the place of the law and the parameters of the file",
            next(iter(PRESETS)),
        ),
    ),
    "law": _choice(
        "law",
        "where the impulses of landings act, and with friction how: one of the laws below",
        list(LAWS[1:3]),
        *LAWS,
    ),
    **_keys(DEFAULT_LAW.parameters),
    "faces": (
        tuple[FaceImpact, ...],
        entry(
            FaceTables(),
            "faces with parameters of their own",
            [{"face": 2, OF_FACE[0].key: OF_FACE[0].row.example}],
            default=(),
        ),
    ),
    **_keys(item for item in ImpactParameter if item.row.law != DEFAULT_LAW),
    "own_law": (
        str | None,
        optional(
            Text(),
            f"of the law `{Law.OWN.key}`: its function as `module:function` of a file next to the study "
            "file, or the name that a package gives it by an entry point, "
            f'`[project.entry-points."{GROUPS["impact law"]}"]`; code, which runs with `--trust-code` alone; '
            "in Python a function is given to `run_study` (`mcrock docs extending`)",
            "my_laws:rate_dependent",
        ),
    ),
    "draw": _choice(
        "draw",
        "when the distributions of impact parameters are drawn: once per realization (`run`) or anew at "
        "every `impact`",
    ),
    "energy_gain": _choice(
        "energy_gain",
        "impacts that would gain energy: `project` to the nearest parameters that gain none, or `allow`",
    ),
    "facet_fallback": _choice(
        "facet_fallback",
        "facet impacts without feasible pivot: `rest`, or `plastic`, the plastic impact of the whole face, "
        "which also takes the place of one that would gain energy; recommended for rocks and other compact "
        "bodies",
    ),
}
_ImpactKeys = create_model("_ImpactKeys", __base__=Table, **_of_impact)


class ImpactTable(_ImpactKeys):  # type: ignore[misc, valid-type]
    """Where and how the ground pushes back in an impact."""

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        laws = data.get("law", LAWS[0])
        laws = (laws,) if isinstance(laws, str) else laws
        if not isinstance(laws, list | tuple) or not laws or not all(law in LAWS for law in laws):
            return
        listed = joined(list(dict.fromkeys(laws)), "and")
        if all(Law[law.upper()].of_one_contact for law in laws):
            listed += ", at the vertex that lands"
        for law in Law:
            defaults: dict[str, Any] = {parameter.key: parameter.row.default for parameter in law.parameters}
            if law == DEFAULT_LAW:
                defaults["faces"] = []
            for parameter in law.parameters:
                if parameter.row.needed and law.key in laws and parameter.key not in data:
                    yield (
                        (),
                        f"the law {law.key!r} needs the key {parameter.key!r} [{parameter.row.rule.unit}]",
                    )
            if law == Law.OWN:
                defaults["own_law"] = None
                if law.key in laws and data.get("own_law") is None:
                    needed = "needs the key 'own_law': 'module:function', or the name that a package gives it"
                    yield (), f"the law {law.key!r} {needed}"
            for key, default in defaults.items():  # a stored study gives those of the default law
                if law.key not in laws and key in data and data[key] != default:
                    yield (key,), f"is a parameter of the law {law.key!r}; the study has {listed}"

    @property
    def parameters(self) -> dict[str, Quantity | None]:
        """Specifications by their keys in the table, and by the number of the face for those of one;
        None is a parameter left to the default."""
        found: dict[str, Quantity | None] = {
            parameter.key: getattr(self, parameter.argument) for parameter in ImpactParameter
        }
        for table in self.faces:
            for parameter in OF_FACE:
                value = getattr(table, parameter.argument)
                if value is not None:
                    found[f"face_{table.face}.{parameter.key}"] = value
        return found

    def known(self, fitted: Iterable[str] = (), own_law: OwnLaw | None = None) -> Impact:
        """The impact of one body, by a table of numbers, without the parameters whose keys are ``fitted``; a
        law of one's own is given as its function.

        Raises
        ------
        ConfigError
            If the law or another choice is a list.
        """
        chosen = {name: getattr(self, name) for name in ("law", "energy_gain", "facet_fallback")}
        for name, value in chosen.items():
            if not isinstance(value, str):
                raise ConfigError(f"[impact] {name}: a list, and one body was measured; give one of it")
        values = {
            parameter.argument: getattr(self, parameter.argument)
            for parameter in ImpactParameter
            if parameter.key not in fitted
        }
        faces = {
            table.face: {
                item.argument: value
                for item in OF_FACE
                if (value := getattr(table, item.argument)) is not None
            }
            for table in self.faces
        }
        return Impact(
            own_law=own_law,
            **chosen,
            **{name: value for name, value in values.items() if value is not None},
            faces=faces,
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """Key of each column of `mcrock.base.params.Inputs.impact`."""
        pairs = [(f"face_{table.face}.{key}", key) for table in self.faces for key in FACE_KEYS]
        keys = (parameter.key for parameter in ImpactParameter)
        return *keys, *(own if own in self.parameters else key for own, key in pairs)

    @property
    def redrawn(self) -> dict[str, Distribution]:
        """Parameters that may be drawn anew at every impact, by their keys."""
        anew = "impact" in (self.draw if isinstance(self.draw, tuple) else (self.draw,))
        return {key: item for key, item in self.parameters.items() if anew and isinstance(item, Distribution)}
