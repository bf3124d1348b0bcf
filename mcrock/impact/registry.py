"""Every impact law of a run and every parameter of one, declared once.

A new law is a function called as the law in `mcrock.impact.planar`, a row of `Law` and a row of `Parameters`
for each of its parameters; a law of one contact with friction is a function of `mcrock.impact.single`. The
compiled branches, `mcrock.Impact`, study files, sampling, datasets, commands and figures come from here. The
names of the entries are those of study files, and no text of this file is part of the hash of compiled
source: a reworded law recompiles nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from enum import IntEnum
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from mcrock.base.checks import Number
from mcrock.base.params import RECHECK_STREAM, Draw, EnergyGain, FacetFallback


class OneContact(NamedTuple):
    """What is declared of a law of one contact with friction."""

    tangential: bool = False  # has a tangential restitution
    slips: bool = False  # may leave a slip that friction could have ended
    gains: bool = False  # may gain energy


class Law(IntEnum):
    """Impact law of a run. Stored in datasets: codes are never reused or renumbered."""

    label: str  # in figures
    words: str  # where the impulse acts
    source: str
    of_one_contact: OneContact | None  # at the vertex that lands, with friction: `mcrock.impact.single`

    def __new__(
        cls, code: int, label: str, words: str, source: str, of_one_contact: OneContact | None = None
    ) -> Self:
        member = int.__new__(cls, code)
        member._value_ = code
        member.label, member.words, member.source = label, words, source
        member.of_one_contact = of_one_contact
        return member

    @property
    def key(self) -> str:
        """The law in study files and in Python."""
        return self.name.lower()

    @property
    def parameters(self) -> list[ImpactParameter]:
        """The parameters of the law."""
        return [parameter for parameter in ImpactParameter if parameter.row.law is self]

    VARKONYI_2022 = (
        0,
        "Várkonyi 2022",
        "impulse where the lambdas and taus place it: all outcomes without slip",
        "Várkonyi, P. L., Kocsis, M., Ther, T. (2022). Rigid impacts of three-dimensional rocking "
        "structures. Nonlinear Dynamics 107, 1839-1858.",
    )
    HOUSNER_1963 = (
        1,
        "Housner 1963",
        "impulse at the new pivot, or the middle of the far end of the face",
        "Housner, G. W. (1963). The behavior of inverted pendulum structures during earthquakes. "
        "Bulletin of the Seismological Society of America 53(2), 403-417.",
    )
    THER_KOLLAR_2017 = (
        2,
        "Ther and Kollár 2017",
        "impulse as if the middle of the base landed first",
        "Ther, T., Kollár, L. P. (2017). Refinement of Housner's model on rocking blocks. Bulletin of "
        "Earthquake Engineering 15, 2305-2319.",
    )
    KALLIONTZIS_2016 = (
        3,
        "Kalliontzis 2016",
        "impulse as on a base of reduced width, nu",
        "Kalliontzis, D., Sritharan, S., Schultz, A. (2016). Improved coefficient of restitution "
        "estimation for free rocking members. Journal of Structural Engineering 142(12), 06016002.",
    )
    BROGLIATO_2012 = (
        4,
        "Brogliato 2012",
        "generalized kinematic law with the coefficient e_n21: the velocity ratio itself, for a centre of "
        "mass above the middle",
        "Brogliato, B., Zhang, H., Liu, C. (2012). Analysis of a generalized kinematic impact law for "
        "multibody-multicontact systems, with application to the planar rocking and chains of balls. "
        "Multibody System Dynamics 27, 351-382, law (12) with e_n1 = 0 and sticking contacts.",
    )
    MOREAU_1988 = (
        5,
        "Moreau 1988",
        "impulses at all corners that touch: plastic impact of the whole face in the kinetic metric",
        "Moreau, J. J. (1988). Unilateral contact and dry friction in finite freedom dynamics. In: "
        "Nonsmooth Mechanics and Applications, Springer, 1-82, inelastic case.",
    )
    CHATTERJEE_RUINA_1998 = (
        6,
        "Chatterjee and Ruina 1998",
        "at the vertex that lands, with friction: restitution of velocities, friction against the slip that "
        "the plastic impact without friction leaves",
        "Chatterjee, A., Ruina, A. (1998). A new algebraic rigid-body collision law based on impulse space "
        "considerations. Journal of Applied Mechanics 65(4), 939-951.",
        OneContact(tangential=True),
    )
    WHITTAKER_1904 = (
        7,
        "Whittaker 1904 (Newton)",
        "at the vertex that lands, with friction: Newton's restitution of velocities, friction against the "
        "slip that is left",
        "Whittaker, E. T. (1904). A Treatise on the Analytical Dynamics of Particles and Rigid Bodies. "
        "Cambridge University Press.",
        OneContact(gains=True),
    )
    PFEIFFER_GLOCKER_1996 = (
        8,
        "Pfeiffer and Glocker 1996 (Poisson)",
        "at the vertex that lands, with friction: Poisson's restitution of impulses, compression and "
        "expansion each with friction against the slip that it leaves",
        "Pfeiffer, F., Glocker, C. (1996). Multibody Dynamics with Unilateral Contacts. Wiley, New York.",
        OneContact(),
    )
    BRACH_1989 = (
        9,
        "Brach 1989",
        "at the vertex that lands, with friction: restitution of velocities, impulse against the slip before "
        "it, by the lesser of the friction and the ratio that ends the slip",
        "Brach, R. M. (1989). Rigid body collisions. Journal of Applied Mechanics 56(1), 133-138.",
        OneContact(tangential=True, slips=True),
    )
    ROUTH_1905 = (
        10,
        "Routh 1905",
        "at the vertex that lands, with friction: slip followed through the impact, Poisson's restitution of "
        "impulses",
        "Routh, E. J. (1905). The Elementary Part of a Treatise on the Dynamics of a System of Rigid Bodies, "
        "seventh edition. Macmillan, London.",
        OneContact(slips=True),
    )
    OWN = (
        11,
        "a law of one's own",
        "impulse where a function of the user places it: `impact.own_law`",
        "A function of one's own, by the name that results give with the hash of its source.",
    )


DEFAULT_LAW = Law.VARKONYI_2022
_WITHOUT_FRICTION = "it is of contacts without friction"
# laws of `mcrock.laws` that a run cannot follow, with the reason
NOT_OF_RUNS = {
    "smith_1991": "in space several impulses may obey it, roots of a polynomial of degree 8, and compiled "
    "runs, which allocate nothing, do not search for them",
    "walton_1993": "it is of spheres and discs alone, where it is 'chatterjee_ruina_1998'",
    "chatterjee_ruina_1998_composite": "nobody has measured the shares of its two laws; give both as a list",
    "chatterjee_ruina_1998_sequence": "at restitution 1 its collisions may go on without end, and the "
    "contacts of a face have no order of their own",
    "glocker_2001": f"{_WITHOUT_FRICTION}; Newton's law of one contact with friction is 'whittaker_1904', "
    "and several contacts have it in every run with friction",
    "glocker_pfeiffer_1995": f"{_WITHOUT_FRICTION}; Poisson's law of one contact with friction is "
    "'pfeiffer_glocker_1996'",
    "fremond_1995": f"{_WITHOUT_FRICTION}, and its coefficients are of one set of contacts, which changes in "
    "a run",
    "glocker_2005": "it is of obstacles with a corner that points outwards; the ground is flat",
}


class Row(NamedTuple):
    """What is declared of an impact parameter."""

    law: Law | None  # that takes it; None: a body on a rim, whatever the law
    rule: Number  # unit and bounds
    words: str  # what it is, after the kind of impact if it is of one
    symbol: str  # in figures
    meaning: str = ""  # of its values
    example: float = 0.8
    default: float | None = None  # None: the law does without, unless the parameter is `needed`
    needed: bool = False  # by its law, from the study: it has no default
    of_face: bool = False  # a face may have its own
    within: tuple[float, float] | None = None  # outside the impulse leaves the base, as `mcrock check` notes
    rank: int = 0  # which parameters tell most in a map of overturning: the highest


def _parameter(*row: Any, **more: Any) -> Any:
    """Field of a parameter, by what its `Row` holds."""
    item = Row(*row, **more)
    return field(
        default=item.default, metadata={"row": item, "rule": item.rule, "optional": item.default is None}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """Parameters of the impact laws as fields of `mcrock.Impact`, which type checkers and editors read.

    Their order is that of designs and random streams, on which stored studies depend: a new one is the last.
    """

    lambda_: float = _parameter(
        Law.VARKONYI_2022,
        Number("1"),
        words="edge impact: position of the impulse along the edge",
        meaning="-1 at the old pivot, 0 in the middle (no energy lost), 1 at the new pivot",
        symbol=r"\lambda",
        default=1.0,
        within=(-1.0, 1.0),
        rank=4,
    )
    tau: float = _parameter(
        Law.VARKONYI_2022,
        Number("N m s"),
        words="edge impact: angular impulse about the vertical",
        meaning="it does not shrink with the impact, and a large one keeps soft landings from dying out",
        symbol=r"\tau",
        default=0.0,
        rank=2,
    )
    lambda_lon: float = _parameter(
        Law.VARKONYI_2022,
        Number("1"),
        words="facet impact: position of the impulse across the facet",
        meaning="-1 at the old edge, 1 at the far end",
        symbol=r"\lambda_\mathrm{lon}",
        default=1.0,
        of_face=True,
        within=(-1.0, 1.0),
        rank=5,
    )
    lambda_lat: float = _parameter(
        Law.VARKONYI_2022,
        Number("1"),
        words="facet impact: position of the impulse along the old edge",
        meaning="-1 and 1 at the ends of the chord",
        example=0.1,
        symbol=r"\lambda_\mathrm{lat}",
        default=0.0,
        of_face=True,
        within=(-1.0, 1.0),
        rank=3,
    )
    tau_facet: float | None = _parameter(
        Law.VARKONYI_2022,
        Number("N m s"),
        words="facet impact: angular impulse about the vertical",
        meaning="by default whatever leaves no spin about the vertical",
        example=0.0,
        symbol=r"\tau",
        rank=1,
    )
    nu: float | None = _parameter(
        Law.KALLIONTZIS_2016,
        Number("1", least=0.0, most=1.0),
        words="effective over true width in impacts",
        meaning="1 is the law of Housner, 0 loses no energy",
        symbol=r"\nu",
        needed=True,
    )
    e_n21: float | None = _parameter(
        Law.BROGLIATO_2012,
        Number("1", least=0.0),
        words="kinematic coefficient of the edge that leaves",
        meaning="its normal velocity over that of the edge that lands, admissible from Housner's ratio "
        "(about 0.9 for slender blocks) to 1",
        example=0.95,
        symbol=r"e_\mathrm{n21}",
        needed=True,
    )
    own_parameter: float | None = _parameter(
        Law.OWN,
        Number("1"),
        words="the argument `parameter` of the function",
        meaning="NaN without this key",
        example=0.9,
        symbol=r"c",
    )
    rolling_loss: float | None = _parameter(
        None,
        Number("1", least=0.0),
        words="circular base: share of the energy of its roll that a turn of the contact on the rim takes",
        meaning="a polygon of N sides with lambda has 4 pi^2 lambda m R^2/(N J)",
        example=0.1,
        symbol=r"\kappa",
    )
    clearance: float | None = _parameter(
        None,
        Number("1", least=0.0),
        words="circular base: how far it is from flat, over its radius",
        meaning="where the tilt falls to it the face lands; a perfect base rolls on",
        example=0.001,
        symbol=r"\epsilon",
    )


class ImpactParameter(IntEnum):
    """Parameter of an impact law; its code is its column in `mcrock.base.params.Inputs.impact`.

    Behind these columns come those of every face that has its own of the parameters `of_face`.
    """

    argument: str  # in Python: the key, with a `_` where that is a keyword
    row: Row

    def __new__(cls, argument: str, row: Row) -> Self:
        member = int.__new__(cls, len(cls.__members__))
        member._value_ = len(cls.__members__)
        member.argument, member.row = argument, row
        return member

    @property
    def key(self) -> str:
        """The parameter in study files."""
        return self.name.lower()

    @property
    def variable(self) -> str:
        """The parameter in datasets."""
        return f"impact_{self.key}"

    @property
    def stream(self) -> int:
        """Random stream it is drawn from at every impact."""
        return self + (self >= RECHECK_STREAM)

    vars().update(
        {item.name.rstrip("_").upper(): (item.name, item.metadata["row"]) for item in fields(Parameters)}
    )


IMPACT_STREAMS = tuple(parameter.stream for parameter in ImpactParameter)
OF_FACE = tuple(parameter for parameter in ImpactParameter if parameter.row.of_face)
# choices of an impact with their defaults, in the order of the design
CHOICES: dict[str, IntEnum] = {
    "energy_gain": EnergyGain.PROJECT,
    "draw": Draw.RUN,
    "facet_fallback": FacetFallback.REST,
    "law": DEFAULT_LAW,
}


def options(choice: str) -> tuple[str, ...]:
    """Words of a choice, the default first.

    >>> options("energy_gain")
    ('project', 'allow')
    """
    default = CHOICES[choice]
    return tuple(code.name.lower() for code in sorted(type(default), key=lambda code: code != default))


def unfit(choice: str) -> dict[str, str]:
    """Words that one might take for options of a choice, with the reason why they are none."""
    return NOT_OF_RUNS if choice == "law" else {}


def code_of(choice: str, word: str) -> int:
    """Code of an option.

    >>> code_of("law", "housner_1963")
    1
    """
    return int(type(CHOICES[choice])[word.upper()])


def parameter_of(key: str) -> ImpactParameter:
    """The parameter of a key, with or without the face that it is of.

    >>> parameter_of("face_2.lambda_lon").key
    'lambda_lon'
    """
    return ImpactParameter[key.rpartition(".")[2].upper()]


def face_columns(numbers: Sequence[int], n_face: int) -> NDArray[np.int64]:
    """Column of the first parameter `OF_FACE` of every face (n_face,); the others follow it.

    ``numbers`` are the faces that have their own, in the order of their columns.
    """
    columns = np.full(n_face, int(OF_FACE[0]), np.int64)
    for i, number in enumerate(numbers):
        columns[number] = len(ImpactParameter) + len(OF_FACE) * i
    return columns
