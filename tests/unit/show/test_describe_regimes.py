"""What `mcrock check` says of slide and rock: thresholds, directions and shares of the runs."""

from dataclasses import replace

import numpy as np
import pytest

from mcrock.show.describe import describe_regimes
from mcrock.study import load_config
from mcrock.study.sampling import draw_inputs, load_motions


@pytest.fixture(scope="module")
def block():
    """A study of the 0.4 x 0.4 x 1.6 m block, and its motions."""
    overrides = ["ensemble.realizations=44", "intensity.levels_g=[0.1, 0.5]", "contact.friction=0.4"]
    study = load_config("configs/quickstart.toml", overrides)
    return study, load_motions(study)


def described(block, friction, static=None, **fields):
    study, motions = block
    inputs = draw_inputs(study, motions, 0, 44)
    contact = inputs.contact.copy()
    contact[:, 0], contact[:, 1] = friction, friction if static is None else static
    return describe_regimes(study, replace(inputs, contact=contact, **fields))


@pytest.mark.parametrize(
    ("friction", "words"),
    [
        (0.2, "at friction 0.2 this body slides from 0.20 g and cannot rock from rest"),
        (
            0.3,
            "at friction 0.3 this body rocks from 0.25 g in the worst direction and may slide flat from "
            "0.30 g in others",
        ),
        (
            0.5,
            "at friction 0.5 this body rocks from 0.25 g in the worst direction, 0.35 g in the mildest, and "
            "cannot slide flat from rest; in the worst direction it slides and rocks from 1.46 g",
        ),
        (
            5.0,
            "at friction 5 this body rocks from 0.25 g in the worst direction, 0.35 g in the mildest, and "
            "cannot slide flat from rest",
        ),
        (
            np.repeat([0.2, 0.3, 0.5, 0.6], 11),
            "at friction 0.2 to 0.6 this body slides and cannot rock from rest (25 % of the realizations) "
            "or rocks in the worst direction and may slide flat in others (25 % of the realizations) or "
            "rocks and cannot slide flat from rest (50 % of the realizations)",
        ),
    ],
)
def test_what_the_body_does_from_rest(block, friction, words):
    assert described(block, friction)[0] == f"contact: {words}"


def test_shares_of_the_runs_are_those_at_their_peaks(block):
    study, motions = block
    inputs = draw_inputs(study, motions, 0, 44)
    peaks = np.array([np.hypot(*motion.acceleration[:2]).max() for motion in motions])[inputs.record]
    peaks = peaks[:, None] * inputs.scale / 9.81
    rest = (peaks <= 0.2).mean()
    assert described(block, 0.2)[1].endswith(
        f"of the runs {100 * rest:.2g} % rest, {100 - 100 * rest:.2g} % slide"
    )
    held = described(block, 0.2, static=0.22)[0]
    assert held == "contact: at static friction 0.22 this body slides from 0.22 g and cannot rock from rest"


def test_other_gravity_is_said_in_g(block):
    assert "rocks from 0.50 g in" in described(block, 0.5, gravity=np.full(44, 2 * 9.80665))[0]


def test_contacts_that_stick_and_motions_not_made_are_not_described(block):
    study, motions = block
    inputs = draw_inputs(study, motions, 0, 4)
    assert describe_regimes(study, replace(inputs, contact=None)) == []
    unknown = inputs.values | {"peak_acceleration": np.full((4, 2), np.nan)}
    assert len(describe_regimes(study, replace(inputs, values=unknown))) == 1
