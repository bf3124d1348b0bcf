"""The Python face of the kernel: one run with its history, or a part of a study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import cos, isfinite, sin

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from mcrock.body import Body
from mcrock.counter import uniforms
from mcrock.dataset import OUTPUTS, SCHEMA
from mcrock.excitation import STILL, Motion, Pulse, pack_motions
from mcrock.kernel.contact import (
    Constants,
    Topology,
    empty_constants,
    fill_constants,
    topology,
)
from mcrock.kernel.dynamics import P_X, P_Y, Q0, W_X
from mcrock.kernel.integrate import (
    Batch,
    Settings,
    Workspace,
    empty_workspace,
    run,
    run_part,
)
from mcrock.kernel.landing import ImpactLaw
from mcrock.kernel.record import EVENT_SIZE, HISTORY_SIZE, OUTCOME, RESULT_SIZE, Trace
from mcrock.kernel.start import start_at_rest, start_tilted
from mcrock.params import (
    RECHECK_STREAM,
    Controls,
    EnergyGain,
    Event,
    FacetFallback,
    ImpactParameter,
    Inputs,
    Mode,
    MotionPack,
    Outcome,
)

NO_TRACE = Trace(np.zeros((0, HISTORY_SIZE)), np.zeros((0, EVENT_SIZE)), np.zeros(2, dtype=np.int64))


@dataclass(frozen=True, slots=True)
class Impact:
    """Impact parameters of one run, the same at every impact.

    Attributes
    ----------
    lam, tau : float
        Edge impact: place of the impulse on the edge, -1 old pivot to 1 new pivot [1]; angular
        impulse about the vertical [N m s].
    lam_lon, lam_lat : float
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
        Parameters ``lam_lon``, ``lam_lat`` of faces that have their own, by face number.
    """

    lam: float = 1.0
    tau: float = 0.0
    lam_lon: float = 1.0
    lam_lat: float = 0.0
    tau_facet: float | None = None
    point: tuple[float, float] | None = None
    energy_gain: str = "project"
    facet_fallback: str = "rest"
    faces: Mapping[int, Mapping[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("lam", "tau", "lam_lon", "lam_lat"):
            if not isfinite(getattr(self, name)):
                raise ValueError(f"Impact.{name} must be finite, got {getattr(self, name)!r}")
        if self.tau_facet is not None and not isfinite(self.tau_facet):
            raise ValueError(f"Impact.tau_facet must be finite [N m s] or None, got {self.tau_facet!r}")
        if self.energy_gain.upper() not in EnergyGain.__members__:
            raise ValueError(f"Impact.energy_gain must be 'project' or 'allow', got {self.energy_gain!r}")
        if self.facet_fallback.upper() not in FacetFallback.__members__:
            raise ValueError(
                f"Impact.facet_fallback must be 'rest' or 'plastic', got {self.facet_fallback!r}"
            )
        for number, own in self.faces.items():
            if not set(own) <= {"lam_lon", "lam_lat"} or not all(isfinite(value) for value in own.values()):
                raise ValueError(
                    f"Impact.faces[{number}] may hold finite numbers 'lam_lon' and 'lam_lat', got {dict(own)}"
                )

    def values(self) -> np.ndarray:
        """Parameters by `mcrock.params.ImpactParameter`, then lam_lon and lam_lat of the faces."""
        facet = np.nan if self.tau_facet is None else self.tau_facet
        values = [self.lam, self.tau, self.lam_lon, self.lam_lat, facet]
        for own in self.faces.values():
            values += [own.get("lam_lon", self.lam_lon), own.get("lam_lat", self.lam_lat)]
        return np.array(values, float)

    def face_parameters(self, n_face: int) -> np.ndarray:
        """Place of lam_lon of every face in `values` (n_face,); the body must have the faces named."""
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
        Turned by ``tilt`` [rad] about an edge of the start face (edge k of a base joins its vertices
        k and k + 1; positive lifts the face), with the rate of that angle [rad/s].
    vertex, orientation, angular_velocity : int, array_like (4,), array_like (3,)
        Standing on a vertex with a unit quaternion (scalar first, body to ground) and an angular
        velocity in ground axes [rad/s].
    """

    edge: int | None = None
    tilt: float = 0.0
    rate: float = 0.0
    vertex: int | None = None
    orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0)
    angular_velocity: ArrayLike = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Run:
    """Result of one run.

    Attributes
    ----------
    outcome : Outcome
        How it ended.
    results : dict of float
        The scalars of a run by the names of the dataset, SI units.
    events : list of dict
        Time ``t`` [s], ``kind``, mode and index ``to``, angular velocity after ``omega`` (3,) in
        ground axes [rad/s], ``energy_change`` [J], ``tilt`` [rad] and ``face`` (the one that lands,
        None but in a facet impact) of every change of contact.
    history : Dataset
        Motion over ``time``: mode, orientation, angular velocity, centre of mass, energy, tilt.
    """

    outcome: Outcome
    results: dict[str, float]
    events: list[dict]
    history: xr.Dataset

    def __getattr__(self, name: str) -> float:
        try:
            return self.results[name]
        except KeyError:
            raise AttributeError(f"a run has no result {name!r}; it has {', '.join(self.results)}") from None


def settings_of(controls: Controls) -> Settings:
    """Numerical settings as compiled code reads them."""
    return Settings(
        float(controls.step),
        float(controls.max_step),
        float(controls.edge_zeno_time),
        float(controls.rest_time),
        # the lying pose is reached within this tilt; looser where the time tolerance is [rad]
        min(1e-4, max(1e-5, 0.1 * controls.rest_time)),
        int(controls.max_steps),
        int(controls.max_impacts),
        bool(controls.follow_fall),
        controls.overturned_by == "contact",
    )


def body_tables(body: Body, base_only: bool) -> tuple[Topology, Constants]:
    """Neighbour tables and constants of a body, of its face 0 alone where that is all to watch."""
    vertices, faces = body.vertices, body.faces
    if base_only:
        vertices, faces = vertices[: len(faces[0])], faces[:1]
    top = topology(faces, len(vertices), body.base_faces)
    constants = empty_constants(top)
    fill_constants(top, body.mass, body.inertia, vertices, body.gravity, body.start_face, constants)
    return top, constants


def _set_start(top: Topology, constants: Constants, work: Workspace, start: Start) -> None:
    start_at_rest(top, constants, work)
    state, vertices = work.state, constants.vertices
    if start.edge is not None:
        own = np.flatnonzero((top.edge_faces == constants.start[0]).any(1))
        if start.edge not in own:
            raise ValueError(
                f"Start.edge must be an edge of the start face, {', '.join(map(str, own))}, got {start.edge}"
            )
        start_tilted(top, constants, work, int(start.edge), float(start.tilt), float(start.rate))
    elif start.vertex is not None:
        n = len(vertices)
        if not 0 <= start.vertex < n:
            raise ValueError(f"Start.vertex must be 0 to {n - 1}, got {start.vertex}")
        q = np.array(start.orientation, float)
        if q.shape != (4,) or not np.isclose(np.linalg.norm(q), 1.0, atol=1e-9):
            raise ValueError(f"Start.orientation must be a unit quaternion, scalar first, got {q.tolist()}")
        state[Q0 : Q0 + 4] = q / np.linalg.norm(q)
        state[W_X : W_X + 3] = rotation_matrix(state[Q0 : Q0 + 4]).T @ np.array(start.angular_velocity, float)
        state[[P_X, P_Y]] = (rotation_matrix(constants.pose) @ vertices[start.vertex])[:2]
        work.mode[:] = Mode.VERTEX, start.vertex


def rotation_matrix(q: ArrayLike) -> np.ndarray:
    """Rotation matrix (..., 3, 3), body to ground, of unit quaternions (..., 4)."""
    q0, q1, q2, q3 = np.moveaxis(np.asarray(q, float), -1, 0)
    rows = [
        [1 - 2 * (q2**2 + q3**2), 2 * (q1 * q2 - q0 * q3), 2 * (q1 * q3 + q0 * q2)],
        [2 * (q1 * q2 + q0 * q3), 1 - 2 * (q1**2 + q3**2), 2 * (q2 * q3 - q0 * q1)],
        [2 * (q1 * q3 - q0 * q2), 2 * (q2 * q3 + q0 * q1), 1 - 2 * (q1**2 + q2**2)],
    ]
    return np.stack([np.stack(row, -1) for row in rows], -2)


def simulate(
    body: Body,
    motion: Motion | Pulse | None = None,
    impact: Impact | None = None,
    *,
    start: Start | None = None,
    controls: Controls | None = None,
    t_end: float | None = None,
    history: bool = True,
) -> Run:
    """One run of a body.

    Parameters
    ----------
    body : Body
    motion : Motion or Pulse, optional
        Ground acceleration; none for free rocking.
    impact : Impact, optional
        Impact parameters; lambda = lambda_lon = 1 and nothing lateral by default, the extension
        of Housner's rule.
    start : Start, optional
        At rest on the base by default.
    controls : Controls, optional
        Numerical settings.
    t_end : float, optional
        Latest time [s]; by default ``controls.tail`` after the motion is over.
    history : bool
        Whether to keep history and event list.

    Returns
    -------
    Run

    Raises
    ------
    ValueError
        If ``start`` does not fit the body.

    Examples
    --------
    >>> from mcrock.body import cuboid
    >>> run = simulate(cuboid(0.4, 0.4, 1.6, 2600), start=Start(edge=0, tilt=0.1))
    >>> run.outcome.name, round(run.events[0]["t"], 4), run.events[0]["kind"]
    ('AT_REST', 0.3744, 'facet_impact')
    """
    impact, controls, start = impact or Impact(), controls or Controls(), start or Start()
    pack = pack_motions([motion]) if motion is not None else STILL
    values = impact.values()
    law = ImpactLaw(
        values,
        np.zeros(len(values), dtype=np.int8),
        np.zeros((len(values), 1)),
        impact.face_parameters(len(body.faces)),
        int(EnergyGain[impact.energy_gain.upper()]),
        int(FacetFallback[impact.facet_fallback.upper()]),
        np.array(impact.point if impact.point is not None else (np.nan, np.nan), float),
        np.uint64(0),
        np.uint64(0),
    )
    base_only = body.stands_clear and body.start_face == 0 and not controls.follow_fall
    return _traced(body, base_only, pack, 0, 1.0, 0.0, law, start, controls, t_end, history)


def simulate_realization(
    inputs: Inputs, row: int, level: int, motions: MotionPack, controls: Controls | None = None
) -> tuple[Body, Run]:
    """Replay one run of a study with its history.

    Parameters
    ----------
    inputs : Inputs
        Of the realizations ``inputs.start`` on.
    row, level : int
        Realization within ``inputs`` and index of the intensity.
    motions : MotionPack
    controls : Controls, optional

    Returns
    -------
    Body, Run
        The results equal those of the study to the last bit.
    """
    controls = controls or Controls()
    body = Body(
        inputs.mass[row],
        inputs.inertia[row],
        inputs.vertices[row],
        inputs.gravity[row],
        faces=inputs.faces,
        start_face=int(inputs.start_face[row]),
        base_faces=inputs.base_faces,
    )
    law = ImpactLaw(
        inputs.impact[row],
        inputs.redrawn[row],
        inputs.quantiles,
        inputs.face_parameters,
        int(inputs.energy_gain[row]),
        int(inputs.facet_fallback[row]),
        np.full(2, np.nan),
        np.uint64(inputs.seed),
        np.uint64(inputs.start + row),
    )
    run_ = _traced(
        body,
        inputs.stands_clear and not controls.follow_fall,
        motions,
        inputs.record[row],
        inputs.scale[row, level],
        inputs.azimuth[row],
        law,
        Start(),
        controls,
        None,
        True,
    )
    return body, run_


def _traced(body, base_only, pack, index, scale, azimuth, law, start, controls, t_end, history) -> Run:
    top, constants = body_tables(body, base_only)
    work = empty_workspace(top)
    if t_end is None:
        length = pack.length[index]
        shaken = (length - 1) * pack.dt[index] if length else pack.pulse[index, 6]
        t_end = shaken + controls.tail
    result = np.zeros(RESULT_SIZE)
    scale = float(scale)
    turn = (scale * cos(azimuth), scale * sin(azimuth), scale)
    rows, events = (4096, 1024) if history else (0, 0)
    while True:
        trace = Trace(
            np.zeros((rows, HISTORY_SIZE)), np.zeros((events, EVENT_SIZE)), np.zeros(2, dtype=np.int64)
        )
        _set_start(top, constants, work, start)
        run(
            top, constants, pack, int(index), turn, law, settings_of(controls),
            float(t_end), work, result, trace,
        )  # fmt: skip
        if trace.used[0] <= rows and trace.used[1] <= events:
            break
        rows, events = int(trace.used[0]), int(trace.used[1])  # the run is repeatable: once more, with room
    results = dict(zip(OUTPUTS, result.tolist(), strict=False))
    return Run(
        Outcome(int(result[OUTCOME])),
        results,
        _events(top, trace.events[: trace.used[1]] if history else trace.events),
        _history(trace.history[: trace.used[0]] if history else trace.history),
    )


def _events(top: Topology, rows: np.ndarray) -> list[dict]:
    return [
        {
            "t": float(row[0]),
            "kind": Event(int(row[1])).name.lower(),
            "to": (Mode(int(row[2])).name, int(row[3])),
            "omega": row[4:7].copy(),
            "energy_change": float(row[7]),
            "tilt": float(row[8]),
            "face": int(row[9]) if row[9] >= 0 else None,
        }
        for row in rows
    ]


def _history(rows: np.ndarray) -> xr.Dataset:
    axis = ("time", "axis")
    q = rows[:, 3:7]
    up_x = 2.0 * (q[:, 1] * q[:, 3] - q[:, 0] * q[:, 2])
    up_y = 2.0 * (q[:, 2] * q[:, 3] + q[:, 0] * q[:, 1])
    tilt, sine = rows[:, 14], np.hypot(up_x, up_y)
    # the rotation without its yaw: tilt along the horizontal (up_y, -up_x), upside down along any, here x
    along_x = np.divide(up_y, sine, out=np.ones_like(sine), where=sine > 0.0)
    along_y = np.divide(-up_x, sine, out=np.zeros_like(sine), where=sine > 0.0)
    variables = {
        "mode": ("time", rows[:, 1].astype("i1"), {"long_name": "contact mode"}),
        "index": ("time", rows[:, 2].astype("i4"), {"long_name": "edge, vertex or face in contact"}),
        "orientation": (("time", "quaternion"), rows[:, 3:7], {"long_name": "quaternion body to ground"}),
        "angular_velocity": (axis, rows[:, 7:10], {"units": "rad s-1", "long_name": "angular velocity"}),
        "com": (axis, rows[:, 10:13], {"units": "m", "long_name": "centre of mass"}),
        "rotation_x": ("time", tilt * along_x, {"units": "rad", "long_name": "rotation about base axis x"}),
        "rotation_y": ("time", tilt * along_y, {"units": "rad", "long_name": "rotation about base axis y"}),
        "energy": ("time", rows[:, 13], {"units": "J", "long_name": "mechanical energy"}),
        "tilt": ("time", tilt, {"units": "rad", "long_name": "tilt of the body axis"}),
    }
    variables["mode"][2]["flag_values"] = [int(mode) for mode in Mode]
    variables["mode"][2]["flag_meanings"] = " ".join(mode.name.lower() for mode in Mode)
    return xr.Dataset(
        variables,
        coords={"time": ("time", rows[:, 0], {"units": "s"}), "axis": ["x", "y", "z"]},
    )


def events_to_csv(run: Run) -> str:
    """Event list of a run as comma-separated text, units in the first line."""
    head = (
        "t [s],kind,mode,index,omega_x [rad/s],omega_y [rad/s],omega_z [rad/s],"
        "energy_change [J],tilt [rad],face"
    )
    rows = [
        ",".join(
            [
                repr(float(event["t"])),
                event["kind"],
                event["to"][0],
                str(event["to"][1]),
                *(repr(float(value)) for value in event["omega"]),
                repr(float(event["energy_change"])),
                repr(float(event["tilt"])),
                "" if event["face"] is None else str(event["face"]),
            ]
        )
        for event in run.events
    ]
    return "\n".join([head, *rows]) + "\n"


def simulate_part(inputs: Inputs, motions: MotionPack, controls: Controls) -> dict[str, np.ndarray]:
    """All runs of consecutive realizations, without the GIL.

    Parameters
    ----------
    inputs : Inputs
        ``n`` realizations at ``m`` intensities.
    motions : MotionPack
    controls : Controls

    Returns
    -------
    dict of ndarray (n, m)
        By the output names of `mcrock.dataset.SCHEMA`, in its types. A share ``controls.recheck`` of
        the realizations, picked by their own random stream, is run again at half the step.
    """
    if inputs.stands_clear and not controls.follow_fall:
        n_base = len(inputs.faces[0])
        inputs = replace(inputs, vertices=inputs.vertices[:, :n_base], faces=inputs.faces[:1])
    top = topology(inputs.faces, inputs.vertices.shape[1], inputs.base_faces)
    n, m = inputs.scale.shape
    halved = replace(controls, step=controls.step / 2, max_step=controls.max_step / 2)
    out = np.zeros((n, m, len(OUTPUTS)))
    batch = Batch(
        np.uint64(inputs.seed),
        np.uint64(inputs.start),
        *(np.ascontiguousarray(getattr(inputs, name), _BATCH_TYPES[name]) for name in Batch._fields[2:-2]),
        np.full(2, np.nan),
        uniforms(inputs.seed, RECHECK_STREAM, inputs.start, n) < controls.recheck,
    )
    run_part(
        top, empty_constants(top), motions, batch, settings_of(controls), settings_of(halved),
        float(controls.tail), empty_workspace(top), np.zeros(RESULT_SIZE), NO_TRACE, out,
    )  # fmt: skip
    return {name: out[:, :, column].astype(SCHEMA[name].dtype) for column, name in enumerate(OUTPUTS)}


_BATCH_TYPES = {
    field: dtype
    for dtype, fields in {
        np.float64: (
            "gravity",
            "mass",
            "inertia",
            "vertices",
            "start_tilt",
            "azimuth",
            "scale",
            "impact",
            "quantiles",
        ),
        np.int64: ("start_face", "start_edge", "record", "face_parameters", "energy_gain", "facet_fallback"),
        np.int8: ("redrawn",),
    }.items()
    for field in fields
}
