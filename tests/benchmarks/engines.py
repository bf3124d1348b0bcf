"""A rigid body with friction on shaking ground in other engines, and how far they can be trusted.

The corners of the body are its contacts, as in mcrock: small spheres on ground that lies lower by their
radius. A cylinder on a rim is the engine's own cylinder, on ground at its base. In place of the ground's
acceleration the body is pushed at its centre of mass. Contacts are soft, and friction comes late:
`free_rocking_errors` and `sliding_errors` say what that costs, at the settings of
`SETTINGS`. A result that "converged" and its refinements do not share is not converged.

In MuJoCo slip grows too fast: with "default" a body slides 12 % too far at 1.5 mu g and 70 % at 1.1 mu g,
and turns as it slides; a body near the limit between sliding and rocking then rocks less than it should.
Where the body slips at metres per second it hops with "default" even so, and tips where it could only slide.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import acos, atan2, cos, inf, pi, sin, tan
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mcrock.body import Body, cuboid, cylinder, uplift_slenderness
from mcrock.excitation import Motion
from tests.benchmarks.newmark import slip

Array = NDArray[np.float64]
RADIUS = 1e-4  # of the contacts [m]
CHUNK = 1.0  # time between two looks at whether the run is over [s]
LOOK = 1e-3  # time between two states that are looked at [s]
TAIL = 10.0  # latest end after the last strong shaking [s]
QUIET = 0.8  # of the shaking that moves the body: weaker shaking before and after it is left out [1]
LEAD = 0.2  # shaking before that [s]
STILL = 0.02  # rate [rad/s] and speed [m/s] of a body at rest, in the last quarter of a chunk
FALLEN = 1e-3  # height of the lowest corner off the base over the height of the body [1]
SLIDES = 1.1, 1.5, 2.0, 4.0  # largest ground acceleration over friction times gravity [1]


class Engine(Protocol):
    """A body at rest on its base in an engine."""

    def place(self, turn: Sequence[float], place: Sequence[float]) -> None:
        """Put it at rest elsewhere: quaternion (4,) and place of the centre of mass (3,) [m]."""

    def advance(self, acceleration: Array) -> Array:
        """States (n, 13) after steps with ground accelerations (n, 3) [m/s2]: quaternion, place, angular and
        linear velocity."""


@dataclass(frozen=True)
class Mujoco:
    """How soft MuJoCo's contacts are, and the step.

    Attributes
    ----------
    step, normal_time, friction_time : float
        Step and time constants along the normal and the tangent [s].
    impedance : str
        MuJoCo's ``solimp``.
    friction_ratio : float
        Hardness of friction over that of the normal direction, MuJoCo's ``impratio`` [1].
    """

    step: float = 2.5e-4
    normal_time: float = 1e-3
    friction_time: float = 0.01
    impedance: str = "0.9 0.95 0.001"
    friction_ratio: float = 1.0

    def stand(self, body: Body, friction: float) -> Engine:
        """The body on its base; elliptic cones, as pyramids carry only 0.7 of their friction."""
        return InMujoco(self, body, friction)


@dataclass(frozen=True)
class Drake:
    """Drake's discrete solver with point contacts as stiff as the step allows.

    Attributes
    ----------
    step, relaxation : float
        Step and time constant of the dissipation of contacts [s].
    period : float
        Shortest period of a contact over the step, Drake's ``sap_near_rigid_threshold`` [1].
    contacts : str
        Drake's ``discrete_contact_approximation``.
    stiction : float
        Speed of slip below which friction is not yet full, Drake's ``stiction_tolerance`` [m/s].
    """

    step: float = 5e-4
    relaxation: float = 5e-4
    period: float = 1.0
    contacts: str = "sap"
    stiction: float = 1e-4

    def stand(self, body: Body, friction: float) -> Engine:
        """The body on its base on the ground."""
        return InDrake(self, body, friction)


HARD = 1.25e-3, "0.3 0.3 0.001", 10.0
SETTINGS = {
    "mujoco default": Mujoco(),
    "mujoco converged": Mujoco(6.25e-5, 5e-4, *HARD),
    "mujoco half step": Mujoco(3.125e-5, 5e-4, *HARD),
    "mujoco double stiffness": Mujoco(6.25e-5, 3.54e-4, *HARD),
    "mujoco slow friction": Mujoco(6.25e-5, 5e-4, 0.03, *HARD[1:]),
    "mujoco fast slip": Mujoco(6.25e-5, 1.25e-4, 0.03),
    "drake converged": Drake(2.5e-4, 2.5e-4, 1.0, "lagged", 1e-5),
    "drake half step": Drake(1.25e-4, 2.5e-4, 1.0, "lagged", 1e-5),
    "drake tolerant": Drake(2.5e-4, 2.5e-4, 1.0, "lagged"),
    "drake sap": Drake(2.5e-4, 2.5e-4),
}


def axis_of(body: Body) -> tuple[Array, float]:
    """Middle of the axis of a cylinder (3,) and half its length [m]."""
    low, high = body.vertices.min(axis=0), body.vertices.max(axis=0)
    return 0.5 * (low + high), 0.5 * float(high[2] - low[2])


def ground_height(body: Body) -> float:
    """Of ground on which the contacts of a body touch when its base is at zero [m]."""
    return 0.0 if body.rim else -RADIUS


class InMujoco:
    """A model of MuJoCo."""

    def __init__(self, settings: Mujoco, body: Body, friction: float) -> None:
        import mujoco
        from mujoco import rollout

        def numbers(values: Array) -> str:
            return " ".join(f"{value:.17g}" for value in values)

        shapes = [f'type="sphere" size="{RADIUS}" pos="{numbers(corner)}"' for corner in body.vertices]
        if body.rim:
            centre, half = axis_of(body)
            shapes = [f'type="cylinder" size="{body.rim} {half}" pos="{numbers(centre)}"']
        geoms = "".join(f'<geom name="c{i}" {shape}/>' for i, shape in enumerate(shapes))
        pairs = "".join(
            f'<pair geom1="ground" geom2="c{i}" condim="3" friction="{friction} {friction} 0 0 0"'
            f' solref="{settings.normal_time} 1" solreffriction="{settings.friction_time} 1"'
            f' solimp="{settings.impedance}" margin="0"/>'
            for i in range(len(shapes))
        )
        inertia = body.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        self.model = mujoco.MjModel.from_xml_string(f"""
            <mujoco>
              <option timestep="{settings.step}" gravity="0 0 {-body.gravity}" cone="elliptic"
                      impratio="{settings.friction_ratio}" integrator="Euler" solver="Newton"
                      iterations="50" tolerance="1e-8"/>
              <default><geom contype="0" conaffinity="0"/></default>
              <worldbody>
                <geom name="ground" type="plane" size="20 20 0.1" pos="0 0 {ground_height(body)}"/>
                <body pos="0 0 {body.com_height}">
                  <freejoint/>
                  <inertial pos="0 0 0" mass="{body.mass}" fullinertia="{numbers(inertia)}"/>
                  {geoms}
                </body>
              </worldbody>
              <contact>{pairs}</contact>
            </mujoco>""")
        self.roll, self.mass, self.data = rollout.rollout, body.mass, mujoco.MjData(self.model)
        self.push = mujoco.mjtState.mjSTATE_XFRC_APPLIED.value
        # time, place, quaternion, linear and angular velocity
        self.state = np.zeros(mujoco.mj_stateSize(self.model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
        self.state[1:8] = self.data.qpos

    def place(self, turn: Sequence[float], place: Sequence[float]) -> None:
        self.state[1:8] = *place, *turn

    def advance(self, acceleration: Array) -> Array:
        push = np.zeros((1, len(acceleration), 12))  # force and torque on the ground, then on the body
        push[0, :, 6:9] = -self.mass * acceleration
        states, _ = self.roll(self.model, self.data, self.state, control=push, control_spec=self.push)
        self.state = states[0, -1].copy()
        return states[0][:, [4, 5, 6, 7, 1, 2, 3, 11, 12, 13, 8, 9, 10]]


class InDrake:
    """A plant of Drake with its simulator."""

    def __init__(self, settings: Drake, body: Body, friction: float) -> None:
        import pydrake.all as drake

        def contacts() -> "drake.ProximityProperties":
            properties = drake.ProximityProperties()
            drake.AddContactMaterial(None, 1e14, drake.CoulombFriction(friction, friction), properties)
            properties.AddProperty("material", "relaxation_time", 0.5 * settings.relaxation)
            return properties

        builder = drake.DiagramBuilder()
        self.plant, _ = drake.AddMultibodyPlant(
            drake.MultibodyPlantConfig(
                time_step=settings.step,
                contact_model="point",
                discrete_contact_approximation=settings.contacts,
                stiction_tolerance=settings.stiction,
                sap_near_rigid_threshold=settings.period,
            ),
            builder,
        )
        self.plant.mutable_gravity_field().set_gravity_vector([0.0, 0.0, -body.gravity])
        inertia = body.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]] / body.mass
        spatial = drake.SpatialInertia(body.mass, np.zeros(3), drake.UnitInertia(*inertia))
        self.body = self.plant.AddRigidBody("body", spatial)
        ground = drake.RigidTransform([0.0, 0.0, ground_height(body)])
        self.plant.RegisterCollisionGeometry(
            self.plant.world_body(), ground, drake.HalfSpace(), "ground", contacts()
        )
        shapes = [(corner, drake.Sphere(RADIUS)) for corner in body.vertices]
        if body.rim:
            centre, half = axis_of(body)
            shapes = [(centre, drake.Cylinder(body.rim, 2.0 * half))]
        for i, (place, shape) in enumerate(shapes):
            self.plant.RegisterCollisionGeometry(
                self.body, drake.RigidTransform(place), shape, f"c{i}", contacts()
            )
        self.plant.Finalize()
        self.simulator = drake.Simulator(builder.Build())
        self.simulator.Initialize()
        self.context = self.plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        self.force, self.forces = drake.ExternallyAppliedSpatialForce(), drake.SpatialForce
        self.force.body_index, self.mass, self.step = self.body.index(), body.mass, settings.step
        self.pushed = self.plant.get_applied_spatial_force_input_port()
        self.steps = 0
        self.place([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, body.com_height])

    def place(self, turn: Sequence[float], place: Sequence[float]) -> None:
        self.plant.SetPositions(self.context, [*turn, *place])

    def advance(self, acceleration: Array) -> Array:
        states = np.empty((len(acceleration), 13))
        for state, push in zip(states, -self.mass * acceleration, strict=True):
            self.force.F_Bq_W = self.forces(np.zeros(3), push)
            self.pushed.FixValue(self.context, [self.force])
            self.steps += 1
            self.simulator.AdvanceTo(self.steps * self.step)
            state[:] = self.plant.GetPositionsAndVelocities(self.context)
        return states


@dataclass(frozen=True)
class PeerRun:
    """What an engine says of a run.

    Attributes
    ----------
    overturned : bool
        A corner off the base touched the ground.
    peak_tilt : float
        [rad].
    slip_path : float
        Of the base centre [m].
    peak_displacement, final_displacement : float
        Of the base centre [m].
    yaw : float
        Size of the rotation about the vertical at the end, up to half a turn [rad].
    """

    overturned: bool
    peak_tilt: float
    slip_path: float
    peak_displacement: float
    final_displacement: float
    yaw: float


def heights(states: Array, points: Array) -> Array:
    """Heights (n, k) [m] of points (k, 3) of the body in states (n, 13)."""
    return states[:, 6:7] + turned(states, points)[..., 2]


def turned(states: Array, points: Array) -> Array:
    """Points (k, 3) of the body in ground axes (n, k, 3), relative to the centre of mass [m]."""
    w, q = states[:, None, 0:1], states[:, None, 1:4]
    across = 2.0 * np.cross(q, points[None])
    return points + w * across + np.cross(q, across)


def strong_window(body: Body, motion: Motion, friction: float) -> tuple[float, float]:
    """First and last time at which the shaking may move the body [s], (inf, -inf) if none does."""
    x, y, z = motion.acceleration
    uplift = uplift_slenderness(body.vertices[None], body.faces, np.array([body.start_face]))[0]
    least = QUIET * min(friction, tan(uplift))
    strong = np.flatnonzero(np.hypot(x, y) > least * (body.gravity + z))
    if not len(strong):
        return inf, -inf
    return float(strong[0] * motion.dt), float(strong[-1] * motion.dt)


def shaken(body: Body, motion: Motion, friction: float, settings: Mujoco | Drake) -> PeerRun:
    """One run from rest on the base, from shortly before the first strong shaking to rest."""
    begin, end = strong_window(body, motion, friction)
    if end < begin:
        return PeerRun(False, 0.0, 0.0, 0.0, 0.0, 0.0)
    engine, step = settings.stand(body, friction), settings.step
    every = round(LOOK / step)
    base = list(body.faces[body.start_face])
    off_base = np.delete(body.vertices, sorted({i for f in body.base_faces for i in body.faces[f]}), axis=0)
    centre = body.vertices[base].mean(axis=0, keepdims=True)
    fallen = FALLEN * np.ptp(body.vertices[:, 2])
    time, last = max(begin - LEAD, 0.0), centre[0, :2]
    tilt = path = peak = 0.0
    over = False
    while not over and time < end + TAIL:
        times = time + (np.arange(round(CHUNK / step)) + 0.5) * step
        ground = np.stack([np.interp(times, motion.time, a, right=0.0) for a in motion.acceleration], axis=1)
        states, time = engine.advance(ground)[every - 1 :: every], time + CHUNK
        low = np.flatnonzero(heights(states, off_base).min(axis=1) < fallen)
        over = len(low) > 0
        states = states[: low[0] + 1] if over else states
        lean = np.arccos(np.clip(turned(states, np.array([[0.0, 0.0, 1.0]]))[:, 0, 2], -1.0, 1.0))
        places = states[:, 4:6] + turned(states, centre)[:, 0, :2]
        path += float(np.hypot(*np.diff(places, axis=0, prepend=last[None]).T).sum())
        tilt, last = max(tilt, float(lean.max())), places[-1]
        peak = max(peak, float(np.hypot(*(places - centre[0, :2]).T).max()))
        if time > end and np.abs(states[-len(states) // 4 :, 7:]).max() < STILL:
            break
    final = float(np.hypot(*(last - centre[0, :2])))
    return PeerRun(over, 0.5 * pi if over else tilt, path, peak, final, yaw_of(*states[-1, [0, 3]]))


def yaw_of(w: float, z: float) -> float:
    """Size of the rotation about the vertical of a quaternion, up to half a turn [rad]."""
    return 2.0 * atan2(abs(z), abs(w))


def free_rocking_errors(settings: Mujoco | Drake, friction: float = 1.0, peaks: int = 4) -> Array:
    """Errors of the peaks of a block let go at 0.8 of its slenderness, over the slenderness (peaks,) [1].

    Against Housner (1963): at each impact the angular velocity is multiplied by 1 - 1.5 sin^2 of it.
    """
    body = cuboid(0.4, 0.4, 1.6, 2600.0)
    alpha, radius = body.slenderness, body.radius
    engine, tilt = settings.stand(body, friction), 0.8 * alpha
    turn = [cos(0.5 * tilt), 0.0, sin(0.5 * tilt), 0.0]
    engine.place(turn, [0.2 - radius * sin(alpha - tilt), 0.0, radius * cos(alpha - tilt)])
    states = engine.advance(np.zeros((round(5.0 / settings.step), 3)))
    lean = 2.0 * np.arctan2(states[:, 2], states[:, 0])
    turns = np.flatnonzero(np.diff(np.sign(lean)))
    found = [np.abs(lean[a:b]).max() for a, b in pairwise(turns[: peaks + 1])]
    loss, drop, expected = (1.0 - 1.5 * sin(alpha) ** 2) ** 2, cos(alpha - tilt) - cos(alpha), []
    for _ in range(peaks):
        drop *= loss
        expected.append(alpha - acos(cos(alpha) + drop))
    return (np.array(found) - expected) / alpha


def sliding_errors(settings: Mujoco | Drake, friction: float = 0.3) -> Array:
    """Relative errors [1] of the slip path of a squat body under sines of `SLIDES` times mu g."""
    body = cuboid(0.6, 0.5, 0.6, 300.0)
    time = np.arange(0.0, 3.0, 1e-3)
    errors = []
    for factor in SLIDES:
        wave = factor * friction * body.gravity * np.sin(2.0 * pi * time)
        motion = Motion(np.stack([cos(0.4) * wave, sin(0.4) * wave, 0.0 * wave]), dt=1e-3, name="sine")
        path, _ = slip(motion, friction, body.gravity)
        errors.append(shaken(body, motion, friction, settings).slip_path / path - 1.0)
    return np.array(errors)


def rise(settings: Mujoco | Drake, friction: float = 0.5) -> float:
    """Largest height [m] of the base of a cask on level ground that is pulled away by 3 m/s in 0.1 s.

    It should slide flat: friction keeps the pressure within 1.5 m of its centre.
    """
    body, step = cylinder(1.68, 6.0, 12, 3000.0), settings.step
    pull = np.zeros((round(0.8 / step), 3))
    pull[: round(0.1 / step), 0] = 30.0
    states = settings.stand(body, friction).advance(pull)
    return float(heights(states, body.vertices[list(body.faces[body.start_face])]).max())
