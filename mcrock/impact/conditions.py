"""The conditions of a run: the law of its impacts, how it begins, and its numerical settings.

A law of one's own is a function of a user: found, compiled, checked, and known by its source (`OwnLaw`). It
gives the angular velocity after a landing over that before [1], from what it names as its arguments: any of
`ARGUMENTS`, which `mcrock.impact.planar.own` describes. A package names its laws by entry points of the
group `mcrock.impact_laws`.
"""

from __future__ import annotations

import ctypes
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import cache
from math import inf, isfinite, isnan, nan, sqrt
from textwrap import fill
from threading import local
from typing import Any, Self

import numba
import numpy as np
from numpy.typing import ArrayLike

from mcrock.base.checks import (
    Choice,
    Flag,
    Integer,
    Number,
    check_array,
    check_fields,
    joined,
    ruled,
    shown,
    suggest,
    suggest_keyword,
)
from mcrock.base.own_function import OwnFunction
from mcrock.impact.registry import (
    DEFAULT_LAW,
    OF_FACE,
    ImpactParameter,
    Law,
    Parameters,
    face_columns,
    options,
    unfit,
)

ARGUMENTS = {  # and their units
    "inertia": "kg m2", "mass": "kg", "height": "m", "old": "m", "new": "m", "rate": "rad/s",
    "parameter": "1",
}  # fmt: skip
SAMPLES = 2000  # landings that a law is tried on [1]
GAIN = 1e-9  # relative growth of energy that is rounding [1]
_first = local()  # what a law has done wrong first, in each thread


class OwnLaw(OwnFunction):
    """An impact law that a user gives."""

    kind = "impact law"

    def accept(self) -> None:
        """Refuse other arguments than `ARGUMENTS`, and what cannot be compiled; which compiles it."""
        taken = list(inspect.signature(self.function).parameters)
        if not taken or not set(taken) <= set(ARGUMENTS):
            close = "".join(suggest(name, ARGUMENTS) for name in taken if name not in ARGUMENTS)
            raise ValueError(
                f"impact law {self.name!r}: its arguments must be some of {', '.join(ARGUMENTS)}, by these "
                f"names in any order; got ({', '.join(taken)}){close}"
            )
        self.code  # noqa: B018

    @property
    def code(self) -> Any:
        """Compiled for the kernel."""
        return _compiled(self.function, self.name)

    @property
    def address(self) -> int:
        """Of the code in this process."""
        return int(self.code.address)

    def check(self, parameter: float = nan) -> None:
        """Try the law on landings of bodies of many forms, none wider than high.

        Parameters
        ----------
        parameter : float
            The argument of this name.

        Raises
        ------
        ValueError
            If it returns no number, gains energy, or leaves a body that turns into the ground.
        """
        rng, of_numbers = np.random.default_rng(0), self.code.ctypes
        lacks = isnan(parameter) and "parameter" in inspect.signature(self.function).parameters
        needed = "; its parameter is impact.own_parameter, which is not given" if lacks else ""
        with self.watched(f"for a body drawn to try it{needed}"):
            for _ in range(SAMPLES):
                left, right = rng.uniform(0.02, 0.5, 2)
                height, mass = max(left, right) * 10.0 ** rng.uniform(0.0, 1.0), 10.0 ** rng.uniform(0.0, 4.0)
                inertia, rate = mass * (height * rng.uniform(0.4, 1.0)) ** 2, 10.0 ** rng.uniform(-3.0, 1.0)
                of_numbers(inertia, mass, height, -left, right, rate, parameter)

    @contextmanager
    def watched(self, where: str = "in a run") -> Iterator[None]:
        """Raise a RealizationError of the first landing within, in this thread, that a law must not have."""
        _first.fault = None
        yield
        if (fault := _first.fault) is None:
            return
        from mcrock.base.tables.parsing import RealizationError  # loads pydantic

        *numbers, ratio, most = fault
        if not isfinite(ratio):
            words = f"returns {ratio:g}"
        elif ratio < 0.0:
            words = f"returns {ratio:.6g}, with which the body turns into the ground"
        else:
            words = f"returns {ratio:.6g}, beyond {most:.6g} it gains energy"
        values = dict(zip(ARGUMENTS, numbers, strict=True))
        taken = [
            f"{key} = {values[key]:.4g} {ARGUMENTS[key]}"
            for key in inspect.signature(self.function).parameters
        ]
        raise RealizationError(f"impact law {self.name!r}: {self.name}({', '.join(taken)}) {words}, {where}")


@numba.njit(error_model="numpy")
def _most(inertia: float, mass: float, height: float, old: float, new: float) -> float:
    """Ratio that keeps all energy of a landing [1]."""
    above = inertia + mass * height**2
    return sqrt((above + mass * old**2) / (above + mass * new**2))


def _note(*fault: float) -> None:
    """Called from compiled code by what must not be: arguments of the law, ratio and the most it may be."""
    if getattr(_first, "fault", None) is None:
        _first.fault = fault


NOTE = ctypes.CFUNCTYPE(None, *[ctypes.c_double] * (len(ARGUMENTS) + 2))(_note)


@cache
def _compiled(function: Callable[..., float], name: str) -> Any:
    """C function of numbers, kept as long as the process."""
    taken, all_of = ", ".join(inspect.signature(function).parameters), ", ".join(ARGUMENTS)
    names: dict[str, Any] = {"law": numba.njit(error_model="numpy")(function), "most": _most, "note": NOTE}
    exec(
        f"def all_of({all_of}):\n"
        f"    ratio, limit = float(law({taken})), most(inertia, mass, height, old, new)\n"
        f"    if not 0.0 <= ratio <= limit * (1.0 + {GAIN!r}): note({all_of}, ratio, limit)\n"
        "    return ratio",
        names,
    )
    try:
        signature = numba.float64(*[numba.float64] * len(ARGUMENTS))
        return numba.cfunc(signature, error_model="numpy")(names["all_of"])
    except Exception as error:  # numba raises whatever the function made it do
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise ValueError(f"impact law {name!r}: numba cannot compile it: {' '.join(lines[:4])}") from None


UPRIGHT = (1.0, 0.0, 0.0, 0.0)  # the quaternion of no rotation
STEEPEST = 40.0  # slope of the ground along an axis [deg]: with both at most it is still no wall
COUNTED = 2_000_000_000  # most of a limit: results count in 32 bits
PARAMETERS = {parameter.argument: parameter.row for parameter in ImpactParameter}
FACE_PARAMETERS = [parameter.argument for parameter in OF_FACE]


def _choice(name: str) -> Any:
    """Field of a choice of impacts."""
    return ruled(options(name)[0], Choice(options(name), unfit(name)))


def _words(item: ImpactParameter) -> str:
    """An impact parameter as an attribute in a docstring."""
    row = item.row
    default = "None" if row.default is None else f"{row.default:g}"
    of = "Of every law" if row.law is None else f"Of {row.law.key!r}"
    parts = (of, f"{row.words} [{row.rule.unit}]", row.rule.bounds, row.meaning)
    words = fill(", ".join(filter(None, parts)) + ".", 100, initial_indent=8 * " ", subsequent_indent=8 * " ")
    return f"    {item.argument} : float, default {default}\n{words}"


@suggest_keyword
@dataclass(frozen=True, slots=True, kw_only=True)
class Impact(Parameters):
    __doc__ = f"""Impact law and parameters of one run, the same at every impact.

    Attributes
    ----------
    law : str or callable
        A `mcrock.impact.registry.Law` in small letters, by default {DEFAULT_LAW.key!r}. A parameter is given
        with its law alone; ``point`` and ``faces`` are of the default law too. A function of one's own
        (`mcrock docs extending`) is checked, and then the law is "own".
    own_law : OwnLaw or None
        Of the law "own": its function, checked. A name is none, as what it names is code.
{chr(10).join(map(_words, ImpactParameter))}
    point : tuple of 2 float or None
        Position of the impulse of every facet impact in body axes [m], instead of the two lambdas.
    energy_gain : str
        "project" or "allow": what to do when the parameters would make an impact gain energy.
    facet_fallback : str or None
        "rest" or "plastic": what a facet impact without feasible pivot becomes. The plastic impact
        of the whole face also takes the place of one that would gain energy. By default "rest"; with
        friction the impact is one of several contacts, and "rest" is refused.
    faces : mapping of int to mapping
        Parameters {joined(FACE_PARAMETERS, "and")} of faces that have their own, by face number.

    Raises
    ------
    ValueError
        For a value that is none of these.
    """

    point: tuple[float, float] | None = None
    energy_gain: str = _choice("energy_gain")
    facet_fallback: str | None = ruled(None, Choice(options("facet_fallback")), optional=True)
    faces: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    own_law: OwnLaw | None = None
    law: str = _choice("law")

    def __post_init__(self) -> None:
        if callable(self.law):
            object.__setattr__(self, "own_law", OwnLaw.of(self.law))
            object.__setattr__(self, "law", Law.OWN.key)
        check_fields(self)
        self._find_own_law()
        for name, row in PARAMETERS.items():
            value = getattr(self, name)
            if row.law is None:
                continue
            if row.needed and (value is not None) != (self.law == row.law.key):
                raise ValueError(
                    f"Impact.{name} is the parameter of the law {row.law.key!r}; "
                    f"got law = {self.law!r} and {name} = {value!r}"
                )
            if not row.needed and value != row.default:
                self._check_law(name, row.law)
        for name, given in (("point", self.point is not None), ("faces", self.faces != {})):
            if given:
                self._check_law(name, DEFAULT_LAW)
        if self.point is not None:
            point = check_array("Impact.point", self.point, (2,), "m")
            object.__setattr__(self, "point", tuple(point.tolist()))
        names = ", ".join(map(repr, FACE_PARAMETERS))
        example = f"as in {{0: {{{FACE_PARAMETERS[0]!r}: 0.5}}}}"
        if not isinstance(self.faces, Mapping):
            raise ValueError(f"Impact.faces must be a mapping, {example}, got {shown(self.faces)}")
        for number, own in self.faces.items():
            Integer(0).check("Impact.faces: the number of a face", number)
            if not isinstance(own, Mapping) or not own or not set(own) <= set(FACE_PARAMETERS):
                raise ValueError(
                    f"Impact.faces[{number}] must hold {names} or both, {example}, got {shown(own)}"
                )
            for name, value in own.items():
                PARAMETERS[name].rule.check(f"Impact.faces[{number}][{name!r}]", value)

    def _find_own_law(self) -> None:
        """Try the law that a user gives."""
        if (self.own_law is not None) != (self.law == Law.OWN.key):
            raise ValueError(
                f"Impact.own_law is of the law {Law.OWN.key!r}, got law = {self.law!r} and own_law = "
                f"{shown(self.own_law)}; give Impact(law=function)"
            )
        if self.own_law is not None:
            law = self.own_law if isinstance(self.own_law, OwnLaw) else OwnLaw.of(self.own_law)
            object.__setattr__(self, "own_law", law)
            law.check(np.nan if self.own_parameter is None else self.own_parameter)

    def _check_law(self, name: str, law: Law) -> None:
        """Refuse what is given with another law than its own."""
        if self.law != law.key:
            where = ", which acts at the vertex that lands" * bool(Law[self.law.upper()].of_one_contact)
            raise ValueError(
                f"Impact.{name} is a parameter of the law {law.key!r}; got law = {self.law!r}{where}"
            )

    def values(self) -> np.ndarray:
        """Parameters by their columns, then those of the faces that have their own."""
        values = [getattr(self, name) for name in PARAMETERS]
        for own in self.faces.values():
            values += [own.get(name, getattr(self, name)) for name in FACE_PARAMETERS]
        return np.array(values, float)

    def face_parameters(self, n_face: int) -> np.ndarray:
        """Columns of faces in `values` (n_face,); the body must have the faces named."""
        for number in self.faces:
            if not 0 <= number < n_face:
                raise ValueError(f"Impact.faces: the body has the faces 0 to {n_face - 1}, got {number}")
        return face_columns(list(self.faces), n_face)


@suggest_keyword
@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """Friction and restitution of the contacts of one run; by default they stick and nothing rebounds.

    Attributes
    ----------
    friction : float or None
        Coulomb coefficient while a contact slips, and in impacts [1]. 0: the ground only pushes up; infinite:
        contacts never slip, but may rebound and fly. None: they stick and nothing rebounds, as with infinite
        friction and no restitution.
    static_friction : float or None
        Coefficient up to which a contact sticks [1], at least ``friction``, which is the default.
    restitution, impact_restitution : float
        Normal velocity after over before, of landings from flight and of edge and facet impacts [1].
    tangential_restitution : float
        Of impacts at one point [1]: 0 leaves no tangential velocity, 1 reverses it.

    Raises
    ------
    ValueError
        For a value that breaks the rule of its field, or anything else without friction.
    """

    friction: float | None = ruled(
        None,
        Number("1", least=0.0),
        "Coulomb friction coefficient in slip and in impacts, 0 for none; without the key contacts stick",
        optional=True,
    )
    static_friction: float | None = ruled(
        None,
        Number("1", least=0.0),
        "friction coefficient up to which a contact sticks; at least `friction`, which is the default; "
        "where both are distributions they are drawn at the same quantile",
        optional=True,
    )
    restitution: float = ruled(
        0.0,
        Number("1", least=0.0, most=1.0),
        "coefficient of restitution of landings from flight; the normal velocity after over that before",
    )
    impact_restitution: float = ruled(
        0.0, Number("1", least=0.0, most=1.0), "coefficient of restitution of edge and facet impacts"
    )
    tangential_restitution: float = ruled(
        0.0,
        Number("1", least=-1.0, most=1.0),
        "tangential coefficient of restitution of impacts at one point; 0 leaves no tangential velocity, "
        "1 reverses it",
    )

    def __post_init__(self) -> None:
        endless = self.friction is not None and self.friction == inf
        if endless:  # contacts never slip, but rebound and fly
            object.__setattr__(self, "friction", None)
        check_fields(self)
        if endless:
            object.__setattr__(self, "friction", inf)
        if self.friction is None:
            for name in ("static_friction", "restitution", "impact_restitution", "tangential_restitution"):
                if getattr(self, name) or (name == "static_friction" and self.static_friction is not None):
                    raise ValueError(f"Contact.{name} needs friction too: give Contact.friction [1]")
        elif self.static_friction is not None and self.static_friction < self.friction:
            raise ValueError(
                f"Contact.static_friction must be at least the friction, {self.friction:g} [1], "
                f"got {self.static_friction:g}"
            )

    @property
    def sticks(self) -> bool:
        """Whether nothing slips or rebounds."""
        return self.friction is None or (
            self.friction == inf
            and not (self.restitution or self.impact_restitution or self.tangential_restitution)
        )

    def values(self) -> np.ndarray | None:
        """Parameters by `mcrock.base.params.ContactColumn` (5,); None of contacts that stick."""
        if self.friction is None:
            return None
        static = self.friction if self.static_friction is None else self.static_friction
        rest = self.restitution, self.impact_restitution, self.tangential_restitution
        return np.array([self.friction, static, *rest])


def at_odds(impact: Mapping[str, Any], contact: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Impact parameters that cannot go with the contacts, both as given by key: each with the reason."""
    friction, given = contact.get("friction"), impact.get("law")
    words = given if isinstance(given, list | tuple) else (given,)
    laws = {law.key: law.of_one_contact for law in Law if law.of_one_contact and law.key in words}
    for law, of_contact in laws.items():
        if friction is None:
            yield "law", f"{law!r} needs contacts with friction: give contact.friction [1]"
        elif friction == inf:
            yield "law", f"{law!r} needs a finite contact.friction [1]; 'housner_1963' does without"
        elif not of_contact.tangential and contact.get("tangential_restitution", 0.0) != 0.0:
            yield "law", f"{law!r} has no tangential restitution: leave that of the contacts out"
    if friction is None:
        return
    unbounded = "no friction coefficient bounds an angular impulse about the vertical"
    if friction != inf and impact.get("tau", 0.0) != 0.0:
        yield "tau", f"must be 0 [N m s] where contacts have friction: {unbounded}"
    if impact.get("tau_facet") is not None:
        yield "tau_facet", f"must be left out where contacts have friction: {unbounded}"
    fallback = impact.get("facet_fallback")
    if "rest" in (fallback if isinstance(fallback, list | tuple) else (fallback,)):
        yield (
            "facet_fallback",
            "'rest' would stop a sliding body at once, against its friction; leave it out, and the impact "
            "is one of several contacts with friction",
        )


def check_contact(impact: Impact, contact: Contact) -> None:
    """Refuse impact parameters that cannot go with the contacts.

    Raises
    ------
    ValueError
        With a line for each.
    """
    given = {name: getattr(impact, name) for name in ("law", "tau", "tau_facet", "facet_fallback")}
    values = {item.name: getattr(contact, item.name) for item in fields(contact)}
    mistakes = [f"Impact.{name} {reason}" for name, reason in at_odds(given, values)]
    if mistakes:
        raise ValueError("\n".join(mistakes))


@suggest_keyword
@dataclass(frozen=True, slots=True)
class Start:
    """How a run begins; at rest on its base by default.

    Attributes
    ----------
    edge, tilt, rate : int, float, float
        The start face lifted by ``tilt`` >= 0 [rad] about one of its edges (edge k of a base joins its
        vertices k and k + 1), with the rate of that angle [rad/s].
    vertex, orientation, angular_velocity : int, array_like (4,), array_like (3,)
        Standing on a vertex with a unit quaternion (scalar first, body to ground) and an angular
        velocity in ground axes [rad/s].
    position : array_like (3,)
        Of the centre of mass in the ground frame [m]: the body starts in flight, with ``orientation``,
        ``angular_velocity`` and ``velocity``. The body at rest stands with it over the origin.
    velocity : array_like (3,)
        Relative to the ground [m/s]: of the centre of mass in flight, else of the contact, and horizontal.
        Needs a run with friction, as the two below.
    yaw_rate : float
        Angular velocity about the vertical of a body flat on its start face [rad/s].

    Raises
    ------
    ValueError
        For values that contradict each other, or are none of these.
    """

    edge: int | None = ruled(None, Integer(0), optional=True)
    tilt: float = ruled(0.0, Number("rad", least=0.0))
    rate: float = ruled(0.0, Number("rad/s"))
    vertex: int | None = ruled(None, Integer(0), optional=True)
    orientation: ArrayLike = UPRIGHT
    angular_velocity: ArrayLike = (0.0, 0.0, 0.0)
    position: ArrayLike | None = None
    velocity: ArrayLike = (0.0, 0.0, 0.0)
    yaw_rate: float = ruled(0.0, Number("rad/s"))

    def __post_init__(self) -> None:
        check_fields(self)
        q = check_array("Start.orientation", self.orientation, (4,), "1")
        norm = np.linalg.norm(q)
        if abs(norm - 1.0) > 1e-9:
            raise ValueError(f"Start.orientation must be a unit quaternion, scalar first, got {q.tolist()}")
        omega = check_array("Start.angular_velocity", self.angular_velocity, (3,), "rad/s")
        object.__setattr__(self, "orientation", tuple((q / norm).tolist()))
        object.__setattr__(self, "angular_velocity", tuple(omega.tolist()))
        velocity = check_array("Start.velocity", self.velocity, (3,), "m/s")
        object.__setattr__(self, "velocity", tuple(velocity.tolist()))
        if self.position is not None:
            position = check_array("Start.position", self.position, (3,), "m")
            object.__setattr__(self, "position", tuple(position.tolist()))
            if self.edge is not None or self.vertex is not None or self.yaw_rate:
                raise ValueError(
                    "a body that starts in flight, at Start.position, stands on no edge or vertex: leave "
                    "Start.edge, Start.vertex and Start.yaw_rate out"
                )
        elif velocity[2] != 0.0:
            raise ValueError(
                f"Start.velocity of a body on the ground is horizontal [m/s], got {velocity.tolist()}"
            )
        if self.yaw_rate and (self.edge is not None or self.vertex is not None):
            raise ValueError("Start.yaw_rate is of a body flat on its start face: leave edge and vertex out")
        if self.edge is not None and self.vertex is not None:
            raise ValueError(
                f"a body starts on an edge or on a vertex, got Start.edge = {self.edge} and "
                f"Start.vertex = {self.vertex}"
            )
        if self.edge is None and (self.tilt or self.rate):
            raise ValueError("Start.tilt and Start.rate turn the body about an edge: give Start.edge too")
        if self.vertex is None and self.position is None and (self.orientation != UPRIGHT or omega.any()):
            raise ValueError(
                "Start.orientation and Start.angular_velocity are of a body that stands on a vertex or "
                "flies: give Start.vertex or Start.position too"
            )
        if self.tilt == 0.0 and self.rate < 0.0:
            raise ValueError(
                f"Start.rate must be >= 0 [rad/s] where Start.tilt is 0, as the face lies on the ground, "
                f"got {self.rate:g}"
            )

    @property
    def slips_or_flies(self) -> bool:
        """Whether the body starts as one that sticks cannot."""
        return self.position is not None or any(self.velocity) or bool(self.yaw_rate)  # type: ignore[arg-type]


@suggest_keyword
@dataclass(frozen=True, slots=True)
class Controls:
    """Numerical settings of a run.

    ``step`` is in units of 1/p, so that one value suits bodies of every size; ``max_step``
    bounds it in seconds. Steps never straddle a sample of the record. The rules hold for study files
    too, which take them from here.

    Raises
    ------
    ValueError
        For a value that breaks the rule of its field.
    """

    step: float = ruled(0.02, Number("1", above=0.0, most=1.0), "largest time step times p")
    max_step: float = ruled(0.01, Number("s", above=0.0), "largest time step")
    tail: float = ruled(
        60.0, Number("s", least=0.0), "time allowed after the shaking for the body to come to rest"
    )
    edge_zeno_time: float = ruled(
        1e-4, Number("s", above=0.0), "a sequence of edge impacts shorter than this counts as finished"
    )
    rest_time: float = ruled(
        1e-3, Number("s", above=0.0), "rocking whose half-cycle is shorter than this counts as rest"
    )
    max_steps: int = ruled(10_000_000, Integer(1, COUNTED), "limit of the integration steps of a run")
    max_impacts: int = ruled(1_000_000, Integer(1, COUNTED), "limit of the impacts of a run")
    max_contact_solves: int = ruled(
        50_000_000,
        Integer(1, COUNTED),
        "limit of the times that a contact is solved in a run with friction, some ten seconds; a landing of "
        "hundreds of corners takes up to 100000 of them",
    )
    recheck: float = ruled(
        0.01,
        Number("1", least=0.0, most=1.0),
        "fraction of the realizations, and the first three unless it is 0, that are run again at half the "
        "step; `mcrock stats` says how many outcomes changed",
    )
    follow_fall: bool = ruled(
        False, Flag(), "whether a run continues after overturning until the body lies at rest on a face"
    )
    overturned_by: str = ruled(
        "contact",
        Choice(("contact", "tilt")),
        "what counts as overturned: `contact` is a tilt of 90 degrees or ground touched outside the base, "
        "`tilt` the tilt alone",
    )
    stop_at_settling: bool = ruled(
        False,
        Flag(),
        "whether a run ends, as settling, once the ground stays still and the body has too little energy to "
        "overturn or to rise as high as it has been; what comes later is not seen (`mcrock docs "
        "large-studies`)",
    )

    def __post_init__(self) -> None:
        check_fields(self)

    @classmethod
    def fast(cls, **others: Any) -> Self:
        """Controls of the preset ``fast``, with other fields as given.

        Longer steps, impacts of an edge in quick succession are over sooner, and runs end once they can
        neither overturn nor rise as high again; `mcrock docs large-studies` has what that costs.

        Raises
        ------
        ValueError
            For a value that breaks the rule of its field.

        Examples
        --------
        >>> Controls.fast(tail=10.0).edge_zeno_time
        0.001
        """
        return cls(**{**CONTROL_PRESETS["fast"], **others})


CONTROL_PRESETS: dict[str, dict[str, Any]] = {
    "fast": {"step": 0.03, "edge_zeno_time": 1e-3, "stop_at_settling": True}
}
