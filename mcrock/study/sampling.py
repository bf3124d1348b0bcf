"""The inputs of realizations, by their index: bodies, impact parameters, shaking, intensities.

From a `Study` to the inputs of a slice of realizations, as the kernel reads them. Each step of drawing
takes values by dotted name and adds to the inputs: law, parameters, friction and rebound; bodies, with the
slope that they stand on and the tilt that they start from; the ground motion and from which side it shakes;
scale factors and the further intensities that are kept.

Compiled code draws at every impact from a table of the distribution. A continuous one is tabulated over
standard normal scores: there its quantiles are smooth in both tails, and the interpolation of
`mcrock.base.random_numbers.quantile` is accurate to 1e-5 of the spread or better. A discrete one is a list
of probabilities and values that is searched, exactly.

Motions that belong to one realization, generated ones and records on an uncertain floor, are made where
they are needed and not kept. The random numbers of a motion come from a stream of its realization, so that
parts, workers and their order change nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from math import pi
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from mcrock.base.params import ContactColumn, Draw, Inputs
from mcrock.base.random_numbers import SCORE_LIMIT
from mcrock.base.tables.distributions import Discrete, Distribution
from mcrock.base.tables.parsing import RealizationError
from mcrock.body import Bodies, face_heights, face_normals
from mcrock.body.faces import directed_edges, side_distances
from mcrock.body.keys import Shape
from mcrock.body.parts import SHAPES
from mcrock.excitation.measures import MEASURES, intensity
from mcrock.excitation.motion import Motion, MotionError
from mcrock.excitation.sources.base import HEAVIEST
from mcrock.impact.registry import CHOICES, code_of, face_columns, parameter_of
from mcrock.kernel.contact import Topology, topology
from mcrock.study import ConfigError, Study
from mcrock.study.design import Points, choose, own_seed, points_of_design
from mcrock.study.sections import DEGREE

Draws = Mapping[str, NDArray[Any]]  # value (n,) of every input, by dotted name
VARIABLES = {  # of inputs whose variable is not called as they are
    "body.gravity": "gravity",
    "impact.energy_gain": "energy_gain",
    "impact.facet_fallback": "facet_fallback",
    "motion.azimuth": "azimuth",
    "motion.polarity": "polarity",
    "motion.record": "record",
} | {
    f"body.{key}": f"body_{item.variable}"
    for shape in SHAPES.values()
    for key, item in shape.inputs.items()
    if item.variable
}


class Drawn(NamedTuple):
    """Inputs of a slice of realizations that one step adds."""

    arrays: dict[str, Any]  # items of `mcrock.base.params.Inputs`
    values: dict[str, NDArray[Any]]  # dataset variables on realization


def variable_name(name: str) -> str:
    """Dataset variable of an input, from its dotted name.

    >>> variable_name("body.vertices[3][2]"), variable_name("motion.azimuth")
    ('body_vertices_3_2', 'azimuth')
    """
    return VARIABLES.get(name) or re.sub(r"\W+", "_", name).strip("_")


Array = NDArray[np.float64]

NODES = 529  # odd, so that the median is a node; 1/32 of a standard deviation apart
FIXED, INTERPOLATED, STEPS = 0, 1, 2  # codes of `Inputs.redrawn`


def draw_impacts(study: Study, draws: Draws, n: int, n_face: int) -> Drawn:
    """Impacts of ``n`` realizations of a body with ``n_face`` faces.

    Raises
    ------
    ConfigError
        If a face has parameters of its own that the body does not have.
    """
    law, gain, fallback, draw = (
        draws[f"impact.{key}"] for key in ("law", "energy_gain", "facet_fallback", "draw")
    )
    kinds, quantiles = impact_tables(study)
    redrawn = np.where(draw[:, None] == Draw.IMPACT, kinds, np.int8(0))
    columns = [draws.get(f"impact.{key}", np.full(n, np.nan)) for key in study.impact.columns]
    impact = np.where(redrawn == 0, np.stack(columns, axis=-1), np.nan)
    arrays = {
        "impact": impact,
        "redrawn": redrawn,
        "quantiles": quantiles,
        "face_parameters": _face_parameters(study, n_face),
        "law": law,
        "energy_gain": gain,
        "facet_fallback": fallback,
    }
    values: dict[str, NDArray[Any]] = {}
    for key, column in zip(study.impact.columns, impact.T, strict=True):
        row = parameter_of(key).row
        if study.impact.parameters[key] is not None or not (row.needed or row.law is None):
            taken = row.law is None or law == row.law
            values[variable_name(f"impact.{key}")] = np.where(taken, column, np.nan)
    values |= {"impact_law": law, "impact_draw": draw, "energy_gain": gain, "facet_fallback": fallback}
    return Drawn(arrays, values)


def _face_parameters(study: Study, n_face: int) -> NDArray[np.int64]:
    """Columns of faces in the impact parameters (n_face,)."""
    for i, table in enumerate(study.impact.faces):
        if table.face >= n_face:
            raise ConfigError(
                f"{study.source} [impact] faces[{i}].face: the body has the faces 0 to {n_face - 1}, "
                f"got {table.face}"
            )
    return face_columns([table.face for table in study.impact.faces], n_face)


def quantile_table(distribution: Distribution) -> Array:
    """Table (529,) of one distribution for `mcrock.base.random_numbers.quantile`, in the unit of the number.

    Raises
    ------
    ValueError
        If a discrete distribution has more values than the table has room for.
    """
    if isinstance(distribution, Discrete):
        table, room = np.ones(NODES), NODES // 2
        values, reached = distribution.steps
        if len(values) > room:
            raise ValueError(
                f"a discrete distribution drawn at every impact may have {room} values, got {len(values)}"
            )
        table[: len(values) - 1], table[room : room + len(values)] = reached[:-1], values
        return table
    score = np.linspace(-SCORE_LIMIT, SCORE_LIMIT, NODES)
    tail = ndtr(-np.abs(score))
    return np.where(score <= 0, distribution.quantile(tail), distribution.upper_quantile(tail))


def impact_tables(study: Study) -> tuple[NDArray[np.int8], Array]:
    """How each column of impact parameters is drawn at every impact (n_parameter,), and its table
    (n_parameter, 529), zero where it is fixed.

    Raises
    ------
    ConfigError
        If a distribution has no table.
    """
    columns = study.impact.columns
    redrawn, tables = np.zeros(len(columns), np.int8), np.zeros((len(columns), NODES))
    for i, key in enumerate(columns):
        distribution = study.impact.redrawn.get(key)
        if distribution is not None:
            redrawn[i] = STEPS if isinstance(distribution, Discrete) else INTERPOLATED
            try:
                tables[i] = quantile_table(distribution)
            except ValueError as error:
                raise ConfigError(f"{study.source} [impact] {key}: {error}") from None
    return redrawn, tables


def draw_contacts(study: Study, draws: Draws) -> Drawn:
    """Contacts of realizations, None in a study without friction."""
    if "contact.friction" not in study.quantities:
        return Drawn({"contact": None}, {})
    names = [f"contact.{column.name.lower()}" for column in ContactColumn]
    # static friction, the only one without a value of its own, is the friction unless given
    contact = np.stack([draws.get(name, draws["contact.friction"]) for name in names], axis=-1)
    friction, static = contact[:, ContactColumn.FRICTION], contact[:, ContactColumn.STATIC_FRICTION]
    static[:] = np.maximum(static, friction)  # beyond the quantiles that the table compares
    return Drawn({"contact": contact}, {variable_name(name): contact[:, i] for i, name in enumerate(names)})


SLOPES = ("ground.slope_x_deg", "ground.slope_y_deg")


@np.errstate(all="ignore")  # what overflows is refused as not finite
def draw_bodies(
    study: Study, draws: Draws, n: int, start: int, hull: NDArray[np.int64]
) -> tuple[Bodies, dict[str, Array], Drawn]:
    """Bodies of ``n`` realizations, the first of which has the number ``start``.

    ``hull`` (n,) are the numbers of their draws of the error of the shape.

    Returns
    -------
    bodies : Bodies
    sizes : dict of str to ndarray (n,)
        `radius` [m], `slenderness` [rad] and `frequency` [rad/s] of each.
    drawn : Drawn

    Raises
    ------
    RealizationError
        If a body cannot exist or stand: names the realization and what was drawn.
    ValueError
        If realizations that have faces of their own are drawn together.
    """
    uncertain = [name for name in study.uncertain if name.startswith("body.")]
    drawn = {key: draws[f"body.{key}"] for key, _ in study.body.quantities()}
    if study.body.own_hulls and n > 1:
        raise ValueError(f"each realization has faces of its own: draw them one at a time, got {n}")
    if uncertain or study.body.underside is not None:
        one = drawn if uncertain else {key: array[:1] for key, array in drawn.items()}
        bodies = _build(study, one, hull)
        impossible, sizes = bodies.first_impossible(), bodies.derived()
    else:
        bodies, impossible, sizes = _fixed(study.body)
    if impossible is not None:
        _refuse(study, *impossible, {name: draws[name] for name in uncertain}, start)
    if not uncertain:
        bodies, sizes = bodies.repeated(n), {name: np.repeat(array, n) for name, array in sizes.items()}
    arrays = {
        "faces": bodies.faces,
        "start_face": bodies.start_face,
        "base_faces": bodies.base_faces,
        "stands_clear": bodies.stands_clear,
        "gravity": bodies.gravity,
        "mass": bodies.mass,
        "inertia": bodies.inertia,
        "vertices": bodies.vertices,
        "rim": bodies.rim,
        "parts": bodies.parts,
    }
    values = {variable_name(name): draws[name] for name in uncertain}
    values |= {f"body_{key}": array for key, array in bodies.values.items()}
    values |= {"body_mass": bodies.mass, "gravity": bodies.gravity}
    values |= {f"body_{key}": array for key, array in sizes.items()}
    values["start_face"] = bodies.start_face.astype(np.int16)
    return bodies, sizes, Drawn(arrays, values)


def _build(study: Study, drawn: dict[str, Array], hull: NDArray[np.int64]) -> Bodies:
    if study.body.underside is None:
        return study.body.build(drawn)
    number = int(hull[0])
    try:
        body = study.body.on_hull(drawn, own_seed(study), number)
        return body.build(drawn | {"scale": np.ones_like(drawn["scale"])})  # the hull has its size
    except ValueError as error:
        raise RealizationError(f"{study.source} [body] shape_error: draw {number}: {error}") from None


@lru_cache(maxsize=4)
def _fixed(shape: Shape) -> tuple[Bodies, tuple[int, str] | None, dict[str, Array]]:
    """The one body of a shape without uncertain numbers, why it is impossible, and its sizes.

    Kept, as every part of a study asks for it, and a scan of 150 corners takes a tenth of a second.
    """
    bodies = shape.build({key: np.array([value], float) for key, value in shape.quantities()})
    return bodies, bodies.first_impossible(), bodies.derived()


def _refuse(study: Study, i: int, reason: str, uncertain: Draws, start: int) -> None:
    what = ", ".join(f"{name.removeprefix('body.')} = {array[i]:.6g}" for name, array in uncertain.items())
    advice = f" (drawn: {what}); truncate the distributions" if uncertain else ""
    raise RealizationError(f"{study.source} [body]: realization {start + i}: {reason}{advice}")


def draw_release(study: Study, draws: Draws, bodies: Bodies, start: int) -> Drawn:
    """Edge, numbered over the whole body, and tilt [rad] of release of each body; 0 is at rest.

    Parameters
    ----------
    study : Study
        Its section ``start`` says how; without it every body starts at rest.
    draws : mapping
        Values by dotted name, each (n,).
    bodies : Bodies
        The n bodies.
    start : int
        Number of the first realization, for messages.

    Raises
    ------
    RealizationError
        If an edge is none of the start face, or a body is tilted further than it can be.
    """
    n = len(bodies.mass)
    if study.start is None:
        return Drawn({"start_edge": np.zeros(n, dtype=np.int64), "start_tilt": np.zeros(n)}, {})
    edge = draws["start.edge"].astype(np.int64)
    kind = study.start.kind_of_tilt
    tilt = np.array(draws[f"start.{kind}"], float)
    top = topology(bodies.faces, bodies.vertices.shape[1], bodies.base_faces)
    slenderness, most = _limits(bodies, edge, top)
    name = f"{study.source} [start]"
    foreign = np.flatnonzero(np.isnan(slenderness))
    if foreign.size:
        i = int(foreign[0])
        own = np.flatnonzero((top.edge_faces == bodies.start_face[i]).any(1))
        raise RealizationError(
            f"{name} edge: realization {start + i}: expected an edge of the start face, "
            f"{', '.join(map(str, own))}, got {edge[i]}"
        )
    if kind == "tilt_ratio":
        tilt *= slenderness
    elif kind == "tilt_deg":
        tilt *= DEGREE
    wrong = np.flatnonzero((tilt < 0.0) | (tilt > most))
    if wrong.size:
        i = int(wrong[0])
        raise RealizationError(
            f"{name} {kind}: realization {start + i}: the tilt must be 0 to {most[i]:.6g} rad over edge "
            f"{edge[i]}, where the body has tipped over, got {tilt[i]:.6g}"
        )
    values = {
        "start_edge": edge.astype(np.int16),
        "start_tilt": tilt,
        variable_name(f"start.{kind}"): draws[f"start.{kind}"],
    }
    return Drawn({"start_edge": edge, "start_tilt": tilt}, values)


def _limits(bodies: Bodies, edge: NDArray[np.int64], top: Topology) -> tuple[Array, Array]:
    """Tilts over the edge of each body at which its COM stands over it, and at which its next face lies on
    the ground, each (n,) [rad]; NaN where the edge is none of the start face."""
    n = len(bodies.mass)
    slenderness, most = np.full(n, np.nan), np.full(n, np.nan)
    normals = face_normals(bodies.vertices, bodies.faces)
    heights = face_heights(bodies.vertices, bodies.faces, normals)
    for face in np.unique(bodies.start_face):
        of = bodies.start_face == face
        corners = bodies.faces[face]
        inside = side_distances(bodies.vertices[of], corners, normals[of, face])
        lies_over = np.arctan2(inside, heights[of, face][:, None])
        for side, pair in enumerate(directed_edges(corners)):
            number = top.edge_of[pair]
            here = np.flatnonzero(of)[edge[of] == number]
            slenderness[here] = lies_over[edge[of] == number, side]
            others = [f for f in top.edge_faces[number] if f not in (face, -1)]
            most[here] = np.pi / 2
            if others:
                cosine = (normals[here, face] * normals[here, others[0]]).sum(-1)
                most[here] = np.arccos(np.clip(cosine, -1.0, 1.0))
    return slenderness, most


def draw_ground(draws: Draws, n: int) -> Drawn:
    """Slopes of ``n`` realizations; the ground is level where a study does not say."""
    if SLOPES[0] not in draws:
        return Drawn({"slope": np.zeros((n, 2))}, {})
    slope = np.sin(np.radians(np.stack([draws[name] for name in SLOPES], axis=-1)))
    return Drawn({"slope": slope}, {variable_name(name): draws[name] for name in SLOPES})


class Shaking(NamedTuple):
    """The motions of a slice of realizations before they are scaled."""

    ground: Sequence[Motion] | None  # None where they are not made
    beneath: Sequence[Motion] | None  # the body: of a floor, or the same
    of: NDArray[np.int32]  # (n,) index of that of each realization
    drawn: Drawn

    def measured(self, measure: str) -> Sequence[Motion] | None:
        """Motions whose intensities count in a measure; None where they are not made."""
        return self.beneath if measure in MEASURES and MEASURES[measure].of_floor else self.ground


def draw_shaking(
    study: Study, motions: Sequence[Motion], draws: Draws, points: Points, with_motions: bool
) -> Shaking:
    """Motions of realizations, as `mcrock.study.sampling.draw_inputs` makes them.

    Raises
    ------
    ConfigError
        If drawn numbers make no motion: names the realization.
    """
    record = points.record
    ground: Sequence[Motion] | None = motions
    beneath = ground
    of, under = record, list[Motion]()
    if study.motion.has_own_motions and with_motions:
        ground, under = own_motions(study, motions, draws, points)
        of, beneath = np.arange(len(record), dtype=np.int32), under
    elif study.motion.has_own_motions:
        check_draws(study, draws, points.start)
        ground, beneath = (None if study.motion.is_generated else motions), None
    azimuth = draws["motion.azimuth"] * study.motion.rotation[1]
    values: dict[str, NDArray[Any]] = {}
    if study.motion.shakes:
        values |= {
            variable_name(f"motion.{key}"): draws[f"motion.{key}"]
            for key, item in study.motion.quantities.items()
            if isinstance(item, Distribution | tuple)
        }
        values |= {"azimuth": azimuth, "polarity": draws["motion.polarity"]}
        if not study.motion.is_generated:
            values["record"] = record
    arrays = {"record": of, "azimuth": azimuth, "motions": tuple(under)}
    return Shaking(ground, beneath, of, Drawn(arrays, values))


def peak_accelerations(study: Study, shaking: Shaking, scale: Array) -> Array:
    """Largest horizontal acceleration under the body in each run (n, n_intensity) [m/s2].

    ``scale`` has the factors on the motions; NaN where the motions are not made.
    """
    if shaking.beneath is None:
        return np.full(scale.shape, np.nan)
    largest = np.array([np.hypot(*motion.acceleration[:2]).max() for motion in shaking.beneath])
    return np.abs(scale) * largest[shaking.of][:, None]


def check_isolated_mass(study: Study, mass: Array, start: int) -> None:
    """Refuse bodies that would drive their isolator, whose motion is computed without them.

    ``mass`` (n,) are those of the bodies from realization ``start`` on [kg].

    Raises
    ------
    RealizationError
        If a body has more than `HEAVIEST` of all that the isolator carries.
    """
    isolator, i = study.motion.isolator, int(mass.argmax())
    if isolator is None or isolator.mass is None or mass[i] <= HEAVIEST * isolator.mass:
        return
    ratio = mass[i] / isolator.mass
    raise RealizationError(
        f"{study.source} [motion.floor] mass: realization {start + i}: the body, {mass[i]:.4g} kg, is "
        f"{ratio:.2g} of the {isolator.mass:g} kg that the isolator carries, expected at most {HEAVIEST:g}: "
        "mcrock moves an isolator without what the body does to it; isolate more mass with it, as a whole "
        "floor, or compute both together with another program"
    )


def isolator_motions(study: Study, shaking: Shaking, draws: Draws, scale: Array) -> dict[str, NDArray[Any]]:
    """Largest displacement of an isolator in each run [m], and whether it is beyond its stroke.

    ``scale`` has the factors on the motions (n, n_intensity); NaN where the motions are not made.
    """
    isolator = study.motion.isolator
    if isolator is None:
        return {}
    largest = np.full(len(scale), np.nan)
    if shaking.drawn.arrays["motions"] and shaking.ground is not None:
        rows = zip(shaking.ground, _rows(study, draws, len(scale)), strict=True)
        largest = np.array([isolator.displacement(motion, numbers) for motion, numbers in rows])
    moved = np.abs(scale) * largest[:, None]
    found = {"isolator_displacement": moved}
    if isolator.stroke is not None:
        found["beyond_stroke"] = (moved > isolator.stroke).astype(np.int8)
    return {name: array[:, 0] if study.is_cloud else array for name, array in found.items()}


def own_motions(
    study: Study, motions: Sequence[Motion], draws: Draws, points: Points
) -> tuple[list[Motion], list[Motion]]:
    """The motions of some realizations.

    Parameters
    ----------
    study : Study
        Its motions are generated, or its floor is uncertain.
    motions : sequence of Motion
        Recorded motions; not used if they are generated.
    draws : mapping
        Drawn values by dotted name, each (n,).
    points : Points
        Which recorded motion each has, or where its noise comes from.

    Returns
    -------
    tuple of list of Motion
        Those on the ground, whose intensities count, and those under the body: on the floor, or the same.

    Raises
    ------
    ConfigError
        If drawn numbers make no motion: names the realization.
    """
    source = study.motion
    _read(study)
    ground, under = [], []
    for i, numbers in enumerate(_rows(study, draws, len(points.record))):
        try:
            motion = motions[points.record[i]]
            if source.is_generated:
                motion = source.make(numbers, points.noise(i), points.start + i, study.folder)
            ground.append(source.select(motion))
            under.append(source.under_body(ground[-1], numbers))
        except MotionError as error:
            _read(study)  # or a file has gone
            raise _impossible(study, numbers, points.start + i, error) from None
    return ground, under


def check_draws(study: Study, draws: Draws, start: int) -> None:
    """Refuse numbers of consecutive realizations from which no motion can be made, without making any.

    Raises
    ------
    ConfigError
        As `own_motions`.
    """
    _read(study)
    names = [name for name in study.uncertain if name.startswith("motion.")]
    n = max((len(draws[name]) for name in names), default=1)
    for i, numbers in enumerate(_rows(study, draws, n)):
        try:
            study.motion.check(numbers, study.folder)
        except MotionError as error:
            raise _impossible(study, numbers, start + i, error) from None


def _read(study: Study) -> None:
    """Read the files of generated motions, whose mistakes belong to no realization."""
    try:
        study.motion.read(study.folder)
    except MotionError as error:
        raise ConfigError(f"{study.source} [motion]: {error}") from None


def _rows(study: Study, draws: Draws, n: int) -> Iterator[dict[str, Any]]:
    """Numbers of each realization by key."""
    columns = {key: draws[f"motion.{key}"] for key in study.motion.quantities}
    for i in range(n):
        yield {key: column[i] for key, column in columns.items()}


def _impossible(
    study: Study, numbers: Mapping[str, Any], realization: int, error: MotionError
) -> RealizationError:
    """Message of a realization without a motion."""
    uncertain = {name.removeprefix("motion.") for name in study.uncertain}
    shown = [key for key in numbers if key in uncertain and key not in ("scaling", "azimuth", "polarity")]
    drawn = ", ".join(f"{key} = {study.motion.word(key, numbers[key])}" for key in shown)
    advice = f" (drawn: {drawn}); truncate the distributions" if drawn else ""
    return RealizationError(f"{study.source} [motion]: realization {realization}: {error}{advice}")


# measures of the body and the motion together or of a floor, and the measure of the motion of the ground
OF_MOTION = {"uplift_ratio": "pga", "velocity_ratio": "pgv", "frequency_ratio": "tm"}
OF_MOTION |= {"pfa": "pga", "pfv": "pgv"}


def recorded(
    measure: str,
    parameters: Mapping[str, Any],
    motions: Sequence[Motion],
    record: NDArray[np.int32],
    sizes: Mapping[str, Array],
    gravity: Array,
    pulse_period: Array | None = None,
    known: Array | None = None,
) -> Array:
    """Intensity of the motion of each realization before it is scaled (n,), in the units of the measure.

    Parameters
    ----------
    measure : str
        A key of `MEASURES`, or "factor", which is 1.
    parameters : mapping
        What the measure takes in addition to motion and body.
    motions, record
        The motions, and the index of that of each realization (n,).
    sizes, gravity
        `slenderness` [rad] and `frequency` [rad/s] of each body (n,), and the gravity [m/s2] on it.
    pulse_period : ndarray (n,), optional
        Periods of the motions that are pulses [s]: omega_p is then that of the pulse.
    known : ndarray (n_motion,), optional
        From `of_motions` of all motions, where many realizations ask one after the other.
    """
    if measure == "factor":
        return np.ones(len(record))
    if measure == "frequency_ratio":
        given = parameters.get("pulse_period", pulse_period)
        if given is not None:
            return np.broadcast_to(2.0 * pi / (np.asarray(given) * sizes["frequency"]), len(record))
    own = (of_motions(measure, parameters, motions, np.unique(record)) if known is None else known)[record]
    if measure == "frequency_ratio":
        return 2.0 * pi / (own * sizes["frequency"])
    if "slenderness" in MEASURES[measure].parameters:
        own = own / (gravity * np.tan(sizes["slenderness"]))
    return own * sizes["frequency"] if measure == "velocity_ratio" else own


def of_motions(
    measure: str,
    parameters: Mapping[str, Any],
    motions: Sequence[Motion],
    used: NDArray[np.int64] | None = None,
) -> Array:
    """What a measure takes of motions (n_motion,), all or those used; ones of "factor"."""
    if measure == "factor":
        return np.ones(len(motions))
    values = np.zeros(len(motions))
    asked, taken = OF_MOTION.get(measure, measure), {} if measure in OF_MOTION else parameters
    used = np.arange(len(motions)) if used is None else used
    values[used] = [intensity(motions[i], asked, **taken) for i in used]
    return values


def factors(measure: str, level: Array, own: Array) -> Array:
    """Factors (n, n_level) that bring motions with the intensities ``own`` (n,) to ``level`` (n, n_level)."""
    power = 1 if measure == "factor" else MEASURES[measure].power
    ratio = level / own[:, None]
    return ratio if power == 1 else ratio ** (1.0 / power)


def draw_intensities(
    study: Study, draws: Draws, shaking: Shaking, sizes: Mapping[str, Array], gravity: Array
) -> Drawn:
    """Factors that bring the motions of realizations to their intensities, and the intensities kept.

    A negative polarity is part of the factor. Of motions that are not made both are NaN.
    """
    n, measure, taken = len(gravity), study.intensity.measure, study.intensity.parameters
    level = draw_levels(study, draws, n)
    own = np.full(n, np.nan)
    motions = shaking.measured(measure)
    if motions is not None:
        own = recorded(measure, taken, motions, shaking.of, sizes, gravity)
    scaling = draws["motion.scaling"][:, None] if "motion.scaling" in draws else 1.0
    factor = scaling * factors(measure, level, own)
    values: dict[str, NDArray[Any]] = {}
    if study.motion.is_generated or motions is not shaking.ground:  # which realizations differ in
        values["own_intensity"] = own
    if study.is_cloud:
        values["intensity_value"] = level[:, 0]
        for kept in study.intensity.variables:
            if (motions := shaking.measured(kept.measure)) is not None:
                unscaled = recorded(
                    kept.measure,
                    kept.parameters,
                    motions,
                    shaking.of,
                    sizes,
                    gravity,
                    study.motion.pulse_period(draws),
                )
                values[kept.name] = unscaled * np.abs(factor[:, 0]) ** MEASURES[kept.measure].power
    return Drawn({"scale": draws["motion.polarity"][:, None] * factor}, values)


def draw_levels(study: Study, draws: Draws, n: int) -> Array:
    """Intensity of every run (n, n_intensity), in the units of the measure."""
    random = study.intensity.distribution
    if random is not None:
        return draws["intensity.value"][:, None] * random[1]
    return np.broadcast_to(np.array(study.intensity.si_levels), (n, study.n_intensity))


def load_motions(study: Study) -> list[Motion]:
    """Read the ground motions of a study.

    Parameters
    ----------
    study : Study
        Names of files start from ``study.folder``.

    Returns
    -------
    list of Motion
        As recorded and processed, neither scaled nor turned by the azimuth, in the order of the study file.

    Raises
    ------
    ConfigError
        One line for every motion that cannot be read, or has no intensity to scale to.
    """
    motions, mistakes = study.motion.load(study.folder)
    if not study.motion.is_generated:
        mistakes += _without_intensity(study, motions)
    if mistakes:
        raise ConfigError([f"{study.source} [motion]: {text}" for text in mistakes])
    return motions


def _without_intensity(study: Study, motions: Sequence[Motion]) -> list[str]:
    """Mistakes of motions that lack a measure which the study asks of every motion."""
    asked = [(table.measure, table.parameters) for table in study.intensity.variables]
    if study.intensity.measure != "factor":
        asked.insert(0, (study.intensity.measure, study.intensity.parameters))
    mistakes = []
    for motion in motions:
        try:
            for measure, parameters in asked:
                of_motion = OF_MOTION.get(measure)
                intensity(motion, of_motion or measure, **({} if of_motion else parameters))
        except MotionError as error:
            remedy = " to scale to; leave it out or use the measure 'factor'"
            if measure != study.intensity.measure:
                remedy = f"; leave it out, or {measure} out of intensity.variables"
            mistakes.append(str(error) + ("" if any(motion.shaken[:2]) else remedy))
    return mistakes


SLICE = 16384  # realizations checked at a time [1]
CHECKED = 16 * SLICE  # realizations checked before a study runs [1]
HULLS = 64  # that are made then: each takes a hundredth of a second and more [1]
OUTERS = 64  # epistemic draws from which ranges are taken [1]
JOINED = ("record", "at_impacts", "hull")  # of `Points`, by realization
CODES: dict[str, Callable[[Any], int]] = {  # of the options of a choice, by its dotted name
    f"impact.{choice}": partial(code_of, choice) for choice in CHOICES
} | {"start.edge": int}


def draw_inputs(
    study: Study,
    motions: Sequence[Motion],
    start: int,
    stop: int,
    outer: int = 0,
    *,
    with_motions: bool = True,
) -> Inputs:
    """Draw the inputs of the realizations ``start`` to ``stop - 1``.

    They depend on the study and on the index of the realization alone: not on the slice, and in
    random and Sobol designs not on the number of realizations either.

    Parameters
    ----------
    study : Study
        What is uncertain, and how.
    motions : sequence of Motion
        From `load_motions`.
    start, stop : int
        Slice, 0 <= start < stop <= number of realizations; of one where they have faces of their own.
    outer : int
        Number of the epistemic draw, 0 <= outer < `Study.n_outer`.
    with_motions : bool
        Whether to make the motions that realizations have of their own; without them ``scale`` and what is
        kept of their intensities are NaN. Of motions that are shared this makes no difference.

    Returns
    -------
    Inputs
        A negative polarity is part of ``scale``. Every name in ``study.uncertain`` has its variable in
        ``values``: that of `mcrock.study.sampling.variable_name`.

    Raises
    ------
    ValueError
        If the slice or ``motions`` is empty or out of range.
    ConfigError
        If a drawn body cannot exist or stand: names the realization and the value.
    """
    if not 0 <= start < stop <= study.n_realizations:
        raise ValueError(
            f"expected 0 <= start < stop <= {study.n_realizations} realizations, got {start} and {stop}"
        )
    if not 0 <= outer < study.n_outer:
        raise ValueError(f"expected 0 <= outer < {study.n_outer} epistemic draws, got {outer}")
    if not motions:
        raise ValueError("at least one ground motion is needed, got none")
    return inputs_at(study, motions, points_of_design(study, len(motions), start, stop, outer), with_motions)


def _check_clearance(study: Study, draws: Draws, slenderness: Array, start: int) -> None:
    """Refuse bases so uneven that a body falls before they land; at impacts the most that is drawn counts."""
    given = study.impact.clearance
    most = given.quantile(1.0) if isinstance(given, Distribution) else given
    clearance = np.broadcast_to(draws.get("impact.clearance", most), slenderness.shape)
    bad = np.flatnonzero(clearance >= slenderness)
    if bad.size:
        i = int(bad[0])
        raise RealizationError(
            f"{study.source} [impact] clearance: realization {start + i}: must be below the slenderness of "
            f"the body, {slenderness[i]:.4g} rad, got {clearance[i]:.4g}: it is how far the base is from "
            "flat, over its radius"
        )


def sample_inputs(study: Study, motions: Sequence[Motion], most: int) -> tuple[Inputs, int, int]:
    """Inputs of the first realizations of the first epistemic draws, up to ``most`` altogether, for ranges.

    Returns
    -------
    inputs : Inputs
        Without the motions that realizations have of their own, as `draw_inputs`.
    realizations, outers : int
        How many of each epistemic draw, and of how many of them.
    """
    outers = min(study.n_outer, OUTERS, most)
    n = min(study.n_realizations, most // outers)
    parts = [points_of_design(study, len(motions), 0, n, outer) for outer in range(outers)]
    joined: Any = {name: np.concatenate([getattr(part, name) for part in parts]) for name in JOINED}
    u = {name: np.concatenate([part.u[name] for part in parts]) for name in parts[0].u}
    points = parts[0]._replace(u=u, **joined)
    return inputs_at(study, motions, points, with_motions=False), n, outers


def inputs_at(study: Study, motions: Sequence[Motion], points: Points, with_motions: bool = True) -> Inputs:
    """The inputs of realizations wherever they lie; as `draw_inputs`."""
    n, start = len(points.record), points.start
    draws = draw_quantities(study, points.u, n)
    bodies, sizes, of_body = draw_bodies(study, draws, n, start, points.hull)
    check_isolated_mass(study, bodies.mass, start)
    if bodies.rim is not None and study.impact.clearance is not None:
        _check_clearance(study, draws, sizes["slenderness"], start)
    shaking = draw_shaking(study, motions, draws, points, with_motions)
    of_intensity = draw_intensities(study, draws, shaking, sizes, bodies.gravity)
    of_release = draw_release(study, draws, bodies, start)
    of_impact = draw_impacts(study, draws, n, len(bodies.faces))
    of_contact, of_ground = draw_contacts(study, draws), draw_ground(draws, n)
    arrays: dict[str, Any] = {}
    values: dict[str, NDArray[Any]] = {}
    for step in (of_body, of_impact, of_contact, of_ground, shaking.drawn, of_release, of_intensity):
        arrays |= step.arrays
        values |= {name: np.ascontiguousarray(array) for name, array in step.values.items()}
    if arrays["contact"] is not None and study.motion.shakes:
        peaks = peak_accelerations(study, shaking, arrays["scale"])
        values["peak_acceleration"] = peaks[:, 0] if study.is_cloud else peaks
    values |= isolator_motions(study, shaking, draws, arrays["scale"])
    return Inputs(
        seed=own_seed(study),
        start=start,
        number=points.at_impacts,
        values=values,
        own_law=study.own_law,
        **arrays,
    )


def draw_numbers(
    study: Study, motions: Sequence[Motion], start: int, stop: int, outer: int = 0
) -> dict[str, NDArray[Any]]:
    """Dataset variables of what is drawn for realizations, whether or not a run can be made of it.

    Parameters
    ----------
    study, motions, start, stop, outer
        As for `draw_inputs`.

    Returns
    -------
    dict of str to ndarray (stop - start,)
        Of the inputs in ``study.uncertain`` and of choices; the record and, in a cloud study, the intensity.
    """
    points = points_of_design(study, len(motions), start, stop, outer)
    draws = draw_quantities(study, points.u, stop - start)
    values = {variable_name(name): draws[name] for name in (*study.uncertain, *CODES) if name in draws}
    if "azimuth" in values:
        values["azimuth"] = values["azimuth"] * study.motion.rotation[1]
    if study.motion.shakes and not study.motion.is_generated:
        values["record"] = points.record
    if study.is_cloud:
        values["intensity_value"] = draw_levels(study, draws, stop - start)[:, 0]
    return values


def check_inputs(study: Study, motions: Sequence[Motion]) -> None:
    """Draw realizations once, so that an impossible one is refused before anything runs.

    Only the first of a large study, some `CHECKED` altogether, which takes seconds: an impossible one beyond
    is refused when its turn comes, and the store keeps the others.

    Raises
    ------
    ConfigError
        As `draw_inputs`.
    """
    checked = ("body.", "start.", "motion.") if study.motion.has_own_motions else ("body.", "start.")
    drawn = any(name.startswith(checked) for name in study.uncertain)
    n_outer = study.n_outer if drawn or study.body.underside else 1
    most, size = CHECKED if drawn else n_outer, SLICE
    if study.body.underside:
        n_outer = min(n_outer, HULLS)
    if study.body.own_hulls:
        most, size = HULLS, 1
    last = min(study.n_realizations, -(-most // n_outer))
    for outer in range(n_outer):
        for start in range(0, last, size):
            draw_inputs(study, motions, start, min(start + size, last), outer, with_motions=False)
    if study.motion.has_own_motions:  # a few: most mistakes show in all of them
        draw_inputs(study, motions, 0, min(8, study.n_realizations))


def draw_quantities(study: Study, u: dict[str, Array], n: int) -> dict[str, NDArray[Any]]:
    """Value (n,) of every input, by dotted name, in the unit of its key; choices as codes.

    ``u`` are the coordinates of `mcrock.study.design.unit_numbers`.
    """
    draws: dict[str, NDArray[Any]] = {}
    codes_of = CODES | {f"motion.{key}": code for key, code in study.motion.codes.items()}
    for name, item in study.quantities.items():
        if isinstance(item, Distribution):
            draws[name] = item.quantile(u[study.tied.get(name, name)])
        elif name in codes_of:
            codes = [codes_of[name](option) for option in (item if isinstance(item, tuple) else (item,))]
            draws[name] = choose(u.get(name, np.full(n, 0.5)), codes)
        else:
            draws[name] = np.full(n, item, float)
    return draws
