"""Random single contacts for the tests, and what laws agree on."""

from math import inf, pi

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from mcrock.laws.problem import SingleContact

FRICTION = st.one_of(st.sampled_from([0.0, 0.3, inf]), st.floats(0.01, 5.0))
SHARES = st.floats(0.0, 1.0)
TANGENTIAL = st.floats(-1.0, 1.0)


@st.composite
def masses(draw, d):
    """Symmetric positive definite matrices with principal masses within a factor of 300."""
    values = 10.0 ** np.array(draw(st.lists(st.floats(-1.2, 1.2), min_size=d, max_size=d)))
    angles = draw(st.lists(st.floats(0.0, 2.0 * pi), min_size=3, max_size=3))
    turn = Rotation.from_euler("zyx", angles if d == 3 else [angles[0], 0.0, 0.0]).as_matrix()[:d, :d]
    return turn @ np.diag(values) @ turn.T


@st.composite
def contacts(draw, dimensions=(2, 3), friction=FRICTION, grazing=False):
    """Contacts that approach under any angle; their normals are no axes."""
    d = draw(st.sampled_from(dimensions))
    turn = Rotation.from_euler(
        "xyz", draw(st.lists(st.floats(-3.0, 3.0), min_size=3, max_size=3))
    ).as_matrix()
    if d == 2:
        turn = Rotation.from_euler("z", draw(st.floats(-3.0, 3.0))).as_matrix()[:2, :2]
    approach = 0.0 if grazing else draw(st.floats(0.01, 1.0))
    angle = draw(st.floats(-pi, pi))
    slip = draw(st.floats(0.01, 1.0)) * np.array([np.cos(angle), np.sin(angle)])[: d - 1]
    velocity = turn @ np.array([-approach, *slip])
    normal = turn[:, 0] / np.linalg.norm(turn[:, 0])
    if grazing:
        velocity = velocity - (normal @ velocity) * normal
    mu = draw(friction)
    return SingleContact(draw(masses(d)), velocity, normal, mu)


def changed(contact, *, friction=None, velocity=None):
    """The same contact with another friction or velocity."""
    return SingleContact(
        contact.mass,
        contact.velocity if velocity is None else velocity,
        contact.normal,
        contact.friction if friction is None else friction,
    )


def embedded(contact, third):
    """A plane contact as one in space with another mass across the plane."""
    mass = np.zeros((3, 3))
    mass[:2, :2], mass[2, 2] = contact.mass, third
    return SingleContact(mass, [*contact.velocity, 0.0], [*contact.normal, 0.0], contact.friction)


def size(contact):
    """Size of the impulses of a contact [N s]."""
    return float(np.linalg.norm(contact.sticking) + np.linalg.norm(contact.compression))
