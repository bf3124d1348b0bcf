"""Random points that land, for the laws of one collision that runs take."""

from math import pi
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from mcrock.laws.problem import SingleContact

E_Z = np.array([0.0, 0.0, 1.0])
SHARES = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0.0, 1.0))
TANGENTIAL = st.floats(-1.0, 1.0)
FRICTION = st.floats(0.01, 10.0)


class Landing(NamedTuple):
    mobility: np.ndarray  # (3, 3)
    velocity: np.ndarray  # (3,)

    @property
    def given(self):
        """As the laws of runs take it."""
        return packed(self.mobility), tuple(self.velocity.tolist())

    @property
    def size(self):
        """Size of its impulses [N s]."""
        return float(np.linalg.norm(np.linalg.solve(self.mobility, self.velocity)))

    @property
    def energy(self):
        """Largest energy that it can lose [J]."""
        return 0.5 * float(self.velocity @ np.linalg.solve(self.mobility, self.velocity))

    def contact(self, friction):
        """As the library takes it."""
        return SingleContact.of_inverse(self.mobility, self.velocity, E_Z, friction)

    def after(self, impulse):
        return self.velocity + self.mobility @ impulse

    def gain(self, impulse):
        """Change of energy [J]."""
        return 0.5 * float(impulse @ (self.velocity + self.after(impulse)))


def packed(mobility):
    return tuple(float(mobility[i, j]) for i, j in zip(*np.triu_indices(3), strict=True))


@st.composite
def landings(draw):
    """Points of bodies of any shape, principal mobilities within a factor of 1000."""
    values = 10.0 ** np.array(draw(st.lists(st.floats(-1.5, 1.5), min_size=3, max_size=3)))
    turn = Rotation.from_euler("zyx", draw(st.lists(st.floats(-3.0, 3.0), min_size=3, max_size=3)))
    mobility = turn.as_matrix() @ np.diag(values) @ turn.as_matrix().T
    angle, slip = draw(st.floats(-pi, pi)), draw(st.one_of(st.just(0.0), st.floats(1e-4, 1.0)))
    velocity = np.array([slip * np.cos(angle), slip * np.sin(angle), -draw(st.floats(1e-3, 1.0))])
    return Landing(0.5 * (mobility + mobility.T), velocity)


def random_landings(number, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(number):
        root, velocity = rng.normal(size=(3, 3)), rng.normal(size=3)
        velocity[2] = -abs(velocity[2])
        yield Landing(root @ root.T + 10.0 ** rng.uniform(-2, 0) * np.eye(3), velocity)
