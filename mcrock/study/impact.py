"""The table [impact] of a study file, with the keys of the laws of `mcrock.impact.registry`, and its presets.

A study file names a preset as `impact.preset`; what it gives is written out into the study when the file is
read, so that no stored study depends on this file. Names are kept for good: stored studies have them. Each
number has the place in the literature that it is from.

Sources give intervals and no distributions, for which there are too few tests (Várkonyi et al., section 6).
The uniform distribution over an interval, one independent of the other, is the choice of mcrock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from pydantic import create_model

from mcrock.base.checks import joined
from mcrock.base.tables.distributions import Distribution, Quantity, Uncertain
from mcrock.base.tables.fields import ChoiceKey, IntegerKey, Kind, Table, Text, each, entry, optional
from mcrock.base.tables.parsing import ConfigError, mistake, refuse
from mcrock.impact.conditions import Impact, OwnLaw
from mcrock.impact.registry import DEFAULT_LAW, OF_FACE, ImpactParameter, Law, options, unfit


class Given(NamedTuple):
    """Interval of an impact parameter, in its unit."""

    low: float
    high: float  # equal to `low` for a single number
    source: str  # section, equation or figure
    remark: str = ""

    @property
    def specification(self) -> float | dict[str, Any]:
        """As a study file has it."""
        if self.low == self.high:
            return self.low
        return {"distribution": "uniform", "low": self.low, "high": self.high}


class Preset(NamedTuple):
    """Law and parameters that a name stands for."""

    words: str
    law: Law
    source: str
    parameters: Mapping[ImpactParameter, Given] = {}
    lacking: Mapping[ImpactParameter, str] = {}  # what the source does not give, with the reason
    interface: str = ""  # what stood on what, and in which tests

    @property
    def table(self) -> dict[str, Any]:
        """Keys of [impact] that the preset stands for.

        >>> PRESETS["kalliontzis_2016"].table["nu"]
        {'distribution': 'uniform', 'low': 0.0, 'high': 1.0}
        """
        given = {parameter.key: item.specification for parameter, item in self.parameters.items()}
        return {"law": self.law.key, **given}


def lambda_of_housner(share: float, aspect: float) -> float:
    """Place lambda_lon of the impulse where the velocity ratio is a share [1] of Housner's.

    For a homogeneous rectangular block of a height over width ``aspect`` [1] in planar rocking, with
    r = (A - lambda B)/(A + lambda B), A/B = (1 + 4 aspect^2)/3 and Housner's rule for lambda = 1.

    >>> round(lambda_of_housner(0.95, 5.0), 2)
    1.86
    """
    inertia = (1.0 + 4.0 * aspect**2) / 3.0
    ratio = share * (inertia - 1.0) / (inertia + 1.0)
    return inertia * (1.0 - ratio) / (1.0 + ratio)


def _on_base(base: str, shares: Mapping[float, float], remark: str = "") -> Preset:
    """Tests on a base, by the measured coefficient over that of Housner [1] for each height over width [1].

    The source does not say whether its coefficients are ratios of velocities or, as Housner's r, of energies,
    which are their squares: the interval holds both readings.
    """
    found = [lambda_of_housner(read, aspect) for aspect, s in shares.items() for read in (s, s**0.5)]
    text = " and ".join(f"{share:g} for height over width {aspect:g}" for aspect, share in shares.items())
    words = f"abstract: measured over predicted coefficient {text}, of velocities or of energies"
    return Preset(
        f"free-rocking tests on a {base} base: more loss than by Housner's rule",
        Law.VARKONYI_2022,
        INTERFACES,
        {ImpactParameter["LAMBDA_LON"]: Given(round(min(found), 2), round(max(found), 2), words, remark)},
        {ImpactParameter["LAMBDA"]: "abstract: rocking in a plane, which no edge impact tells of"},
        f"blocks on a {base} base, in free rocking; the abstract gives neither their material nor the number "
        "of tests",
    )


PAPER = Law.VARKONYI_2022.source
GRANITE = (
    "granite on granite: free rocking of eight blocks of slenderness 0.245 rad, each released five times in "
    "either position (section 3.1)"
)
INTERFACES = (
    "ElGawady, M. A., Ma, Q., Butterworth, J. W., Ingham, J. M. Effects of interface material on dynamic "
    "behaviour of rigid blocks. CRC Press, doi 10.1201/9781003060888-45, abstract"
)
# the paper prints that (26) with tau = 0 implies lambda >= 0, and that a lambda_lon of 0 agrees with (26):
# the first is so for symmetric bodies alone, the second for lambda_lat = 0 (`mcrock docs theory`)
BOUNDS = Preset(
    "theoretical bounds: the impulse acts on the base and no energy is gained",
    Law.VARKONYI_2022,
    PAPER,
    {
        ImpactParameter["LAMBDA"]: Given(
            0.0,
            1.0,
            "section 4.8, equations 25 and 26",
            "no less than 0 where tau is 0 and the body is symmetric about the plane that halves the edge",
        ),
        ImpactParameter["TAU"]: Given(
            0.0, 0.0, "section 5.1", "as in the fits; section 4.8 leaves its bounds open"
        ),
        ImpactParameter["LAMBDA_LON"]: Given(
            0.0,
            1.0,
            "section 4.9, equation 27, and section 2 by way of 4.6",
            "no less than 0 for lambda_lat = 0, and by equation 26 no less than a positive number for others",
        ),
        ImpactParameter["LAMBDA_LAT"]: Given(-1.0, 1.0, "section 4.9, equation 27"),
    },
)
PRESETS = {
    "varkonyi_2022_bounds": BOUNDS,
    "varkonyi_2022_fitted": Preset(
        "ranges fitted to free-rocking tests of eight granite blocks, beyond the theoretical bounds",
        Law.VARKONYI_2022,
        PAPER,
        {
            ImpactParameter["TAU"]: Given(0.0, 0.0, "section 5.1", "fixed in the fits"),
            ImpactParameter["LAMBDA_LON"]: Given(0.0, 1.5, "section 5.3"),
            ImpactParameter["LAMBDA_LAT"]: Given(
                -5.0, 5.0, "section 5.3", "not fitted for the blocks 7 and 8 (section 5.1)"
            ),
        },
        {
            ImpactParameter[
                "LAMBDA"
            ]: "section 5.3 calls the fitted ones unexpectedly high and only figure 15 "
            "draws them; 2.185 in the test of figure 14"
        },
        GRANITE,
    ),
    "varkonyi_2022_block_4": Preset(
        "fit to one free-rocking test of the granite block 4",
        Law.VARKONYI_2022,
        PAPER,
        {
            ImpactParameter["LAMBDA"]: Given(2.185, 2.185, "figure 14"),
            ImpactParameter["TAU"]: Given(0.0, 0.0, "section 5.1", "fixed in the fits"),
            ImpactParameter["LAMBDA_LON"]: Given(
                0.197, 0.197, "figure 14", "its initial tilt is 0.197 rad too: one may be a misprint"
            ),
            ImpactParameter["LAMBDA_LAT"]: Given(-2.032, -2.032, "figure 14"),
        },
        interface="granite on granite: one of the tests of section 3.1 (figure 14)",
    ),
    "concrete_base": _on_base("concrete", {5.0: 0.95, 3.0: 0.97}),
    "rubber_base": _on_base(
        "rubber", {5.0: 0.67}, "rubber loses energy all the time, not in impacts alone: for slender bodies"
    ),
    "kalliontzis_2016": Preset(
        "all effective widths, between no loss of energy and Housner's rule",
        Law.KALLIONTZIS_2016,
        Law.KALLIONTZIS_2016.source,
        {
            ImpactParameter["NU"]: Given(
                0.0,
                1.0,
                "Várkonyi et al. (2022), section 2, equation 4",
                "where it is defined; no test is behind it",
            )
        },
    ),
    **{
        law.key: Preset(law.words, law, law.source)
        for law in (Law.HOUSNER_1963, Law.THER_KOLLAR_2017, Law.MOREAU_1988)
    },
}
# of [impact], which a preset that an override names takes the place of
REPLACED = ("law", "faces", *(parameter.key for parameter in ImpactParameter))


def take_in_preset(data: dict[str, Any], source: str, origins: dict[tuple[int | str, ...], str]) -> list[str]:
    """Give [impact] what its preset stands for, but for keys that it has; an unknown preset stays as it is.

    Parameters
    ----------
    data : dict
        Raw tables of a study, which are changed.
    source : str
        Name of the study file.
    origins : dict
        What else than the file set a key, in words; keys of the preset are added. A preset that an override
        names takes the place of the law and the parameters of the file.

    Returns
    -------
    list of str
        Mistakes.
    """
    impact = data.get("impact")
    name = impact.get("preset") if isinstance(impact, dict) else None
    preset = PRESETS.get(name) if isinstance(name, str) else None
    if not isinstance(impact, dict) or preset is None:
        return []
    elsewhere = {place[:2] for place in origins}
    if ("impact", "preset") in elsewhere:
        for key in REPLACED:
            if ("impact", key) not in elsewhere:
                impact.pop(key, None)
    for key, item in preset.table.items():
        if key not in impact:
            impact[key] = item
            origins["impact", key] = f"{source}, preset {name!r}:"
    return [
        f"{source} [impact] preset: {name!r} has no {parameter.key!r} [{parameter.row.rule.unit}]; give it "
        f"next to the preset: {reason}"
        for parameter, reason in preset.lacking.items()
        if parameter.key not in impact
    ]


LAWS = options("law")
FACE_KEYS = tuple(parameter.key for parameter in OF_FACE)


def _keys(parameters: Iterable[ImpactParameter], *, of_face: bool = False) -> dict[str, Any]:
    """Fields of parameters, by name; for a face none has a default."""
    fields: dict[str, Any] = {}
    for parameter in parameters:
        row = parameter.row
        default = None if of_face else row.default
        words = "; ".join(filter(None, (row.words, None if of_face else row.meaning)))
        fields[parameter.argument] = (
            Quantity | None,
            entry(
                Uncertain(**vars(row.rule)),
                words if row.law in (DEFAULT_LAW, None) else f"of the law `{row.law.key}`: {words}",
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
            "law and parameters from a source (`mcrock laws list`); other keys here win, an override "
            "replaces them",
            next(iter(PRESETS)),
        ),
    ),
    "law": _choice(
        "law",
        "where the impulses of landings act, and with friction how (`mcrock laws list`)",
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
            f"of the law `{Law.OWN.key}`: its function, as `module:function` or the name of an entry point; "
            "runs with `--trust-code` alone (`mcrock docs extending`)",
            "my_laws:rate_dependent",
        ),
    ),
    "draw": _choice(
        "draw", "whether distributions of impact parameters are drawn once per realization or at every impact"
    ),
    "energy_gain": _choice(
        "energy_gain",
        "impacts that would gain energy: `project` to the nearest parameters that gain none, or `allow`",
    ),
    "facet_fallback": _choice(
        "facet_fallback",
        "facet impacts without feasible pivot: `rest`, or `plastic`, the plastic impact of the whole face, "
        "also for one that would gain energy; for rocks and other compact bodies",
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
