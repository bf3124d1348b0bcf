"""The conditions of a run: the law of its impacts, how it begins, and its numerical settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import ArrayLike

from mcrock.params import ImpactParameter, Law
from mcrock.rules import Choice, Flag, Integer, Number, check_array, check_fields, ruled, shown

VARKONYI = Law.VARKONYI_2022.name.lower()
PARAMETER_LAWS = {"nu": "kalliontzis_2016", "e_n21": "brogliato_2012"}
UPRIGHT = (1.0, 0.0, 0.0, 0.0)  # the quaternion of no rotation


@dataclass(frozen=True, slots=True)
class Impact:
    """Impact law and parameters of one run, the same at every impact.

    Attributes
    ----------
    law : str
        Name of a `mcrock.params.Law` in small letters. The parameters below up to ``point``, and ``faces``,
        are those of "varkonyi_2022", the default.
    nu, e_n21 : float or None
        Parameter of the law "kalliontzis_2016", effective over true width, 0 to 1, and of "brogliato_2012",
        the kinematic coefficient >= 0 [1].
    lambda_, tau : float
        Edge impact: place of the impulse on the edge, -1 old pivot to 1 new pivot [1]; angular
        impulse about the vertical [N m s].
    lambda_lon, lambda_lat : float
        Facet impact: place of the impulse across the face, -1 old edge to 1 far end, and along
        the old edge in half chords [1].
    tau_facet : float or None
        Angular impulse about the vertical in facet impacts [N m s]; None for whatever leaves no
        spin about the vertical.
    point : tuple of 2 float or None
        Place of the impulse of every facet impact in body axes [m], instead of the two lambdas.
    energy_gain : str
        "project" or "allow": what to do when the parameters would make an impact gain energy.
    facet_fallback : str
        "rest" or "plastic": what a facet impact without feasible pivot becomes. The plastic impact
        of the whole face also takes the place of one that would gain energy.
    faces : mapping of int to mapping
        Parameters ``lambda_lon``, ``lambda_lat`` of faces that have their own, by face number.

    Raises
    ------
    ValueError
        For a value that is none of these.
    """

    lambda_: float = ruled(1.0, Number("1"))
    tau: float = ruled(0.0, Number("N m s"))
    lambda_lon: float = ruled(1.0, Number("1"))
    lambda_lat: float = ruled(0.0, Number("1"))
    tau_facet: float | None = ruled(None, Number("N m s"), optional=True)
    point: tuple[float, float] | None = None
    energy_gain: str = ruled("project", Choice(("project", "allow")))
    facet_fallback: str = ruled("rest", Choice(("rest", "plastic")))
    faces: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    law: str = ruled(VARKONYI, Choice(tuple(law.name.lower() for law in Law)))
    nu: float | None = ruled(None, Number("1", least=0.0, most=1.0), optional=True)
    e_n21: float | None = ruled(None, Number("1", least=0.0), optional=True)

    def __post_init__(self) -> None:
        check_fields(self)
        for name in ("nu", "e_n21"):
            if (getattr(self, name) is not None) != (self.law == PARAMETER_LAWS[name]):
                raise ValueError(
                    f"Impact.{name} is the parameter of the law {PARAMETER_LAWS[name]!r}; "
                    f"got law = {self.law!r} and {name} = {getattr(self, name)!r}"
                )
        if self.law != VARKONYI:
            rest = Impact(energy_gain=self.energy_gain, facet_fallback=self.facet_fallback)
            for item in fields(self):
                own = item.name in ("law", "nu", "e_n21")
                if not own and getattr(self, item.name) != getattr(rest, item.name):
                    raise ValueError(
                        f"Impact.{item.name} is a parameter of the law {VARKONYI!r}; got law = {self.law!r}"
                    )
        if self.point is not None:
            point = check_array("Impact.point", self.point, (2,), "m")
            object.__setattr__(self, "point", tuple(point.tolist()))
        example = "as in {0: {'lambda_lon': 0.5}}"
        if not isinstance(self.faces, Mapping):
            raise ValueError(f"Impact.faces must be a mapping, {example}, got {shown(self.faces)}")
        for number, own in self.faces.items():
            Integer(0).check("Impact.faces: the number of a face", number)
            if not isinstance(own, Mapping) or not own or not set(own) <= {"lambda_lon", "lambda_lat"}:
                raise ValueError(
                    f"Impact.faces[{number}] must hold 'lambda_lon', 'lambda_lat' or both, {example}, "
                    f"got {shown(own)}"
                )
            for name, value in own.items():
                Number("1").check(f"Impact.faces[{number}][{name!r}]", value)

    def values(self) -> np.ndarray:
        """Parameters by `mcrock.params.ImpactParameter`, then lambda_lon and lambda_lat of the faces."""
        facet = np.nan if self.tau_facet is None else self.tau_facet
        own = (np.nan if value is None else value for value in (self.nu, self.e_n21))
        values = [self.lambda_, self.tau, self.lambda_lon, self.lambda_lat, facet, *own]
        for own in self.faces.values():
            values += [own.get("lambda_lon", self.lambda_lon), own.get("lambda_lat", self.lambda_lat)]
        return np.array(values, float)

    def face_parameters(self, n_face: int) -> np.ndarray:
        """Place of lambda_lon of every face in `values` (n_face,); the body must have the faces named."""
        columns = np.full(n_face, int(ImpactParameter.LAMBDA_LON), np.int64)
        for i, number in enumerate(self.faces):
            if not 0 <= number < n_face:
                raise ValueError(f"Impact.faces: the body has the faces 0 to {n_face - 1}, got {number}")
            columns[number] = len(ImpactParameter) + 2 * i
        return columns


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

    def __post_init__(self) -> None:
        check_fields(self)
        q = check_array("Start.orientation", self.orientation, (4,), "1")
        norm = np.linalg.norm(q)
        if abs(norm - 1.0) > 1e-9:
            raise ValueError(f"Start.orientation must be a unit quaternion, scalar first, got {q.tolist()}")
        omega = check_array("Start.angular_velocity", self.angular_velocity, (3,), "rad/s")
        object.__setattr__(self, "orientation", tuple((q / norm).tolist()))
        object.__setattr__(self, "angular_velocity", tuple(omega.tolist()))
        if self.edge is not None and self.vertex is not None:
            raise ValueError(
                f"a body starts on an edge or on a vertex, got Start.edge = {self.edge} and "
                f"Start.vertex = {self.vertex}"
            )
        if self.edge is None and (self.tilt or self.rate):
            raise ValueError("Start.tilt and Start.rate turn the body about an edge: give Start.edge too")
        if self.vertex is None and (self.orientation != UPRIGHT or omega.any()):
            raise ValueError(
                "Start.orientation and Start.angular_velocity are of a body that stands on a vertex: give "
                "Start.vertex too"
            )
        if self.tilt == 0.0 and self.rate < 0.0:
            raise ValueError(
                f"Start.rate must be >= 0 [rad/s] where Start.tilt is 0, as the face lies on the ground, "
                f"got {self.rate:g}"
            )


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
        60.0, Number("s", least=0.0), "time allowed after the shaking for the motion to come to an end"
    )
    edge_zeno_time: float = ruled(
        1e-4, Number("s", above=0.0), "a sequence of edge impacts shorter than this is over"
    )
    rest_time: float = ruled(
        1e-3, Number("s", above=0.0), "rocking whose half-cycle is shorter than this is rest"
    )
    max_steps: int = ruled(10_000_000, Integer(1), "limit of the integration steps of a run")
    max_impacts: int = ruled(1_000_000, Integer(1), "limit of the impacts of a run")
    recheck: float = ruled(
        0.01,
        Number("1", least=0.0, most=1.0),
        "fraction of the realizations, and the first three unless it is 0, that are run again at half the "
        "step; `mcrock stats` says how many outcomes changed",
    )
    follow_fall: bool = ruled(
        False, Flag(), "whether a run goes on after overturning, until the body lies at rest on a face"
    )
    overturned_by: str = ruled(
        "contact",
        Choice(("contact", "tilt")),
        "what overturns a body: `contact` is a tilt of 90 degrees or ground touched off the base, `tilt` "
        "the tilt alone",
    )

    def __post_init__(self) -> None:
        check_fields(self)
