"""What `mcrock check` says about the contacts of a study, beside the motions that they leave possible."""

import numpy as np
import pytest
import xarray as xr

from mcrock.base.estimates import format_percent
from mcrock.body.faces import painleve_friction
from mcrock.excitation.motion import Motion
from mcrock.show.describe import describe
from mcrock.show.report.content import Caution
from mcrock.show.report.subject import model_section, noted
from mcrock.study import load_config
from mcrock.study.sampling import draw_inputs, load_motions
from tests.unit.study.conftest import study_file

__all__ = ["study_file"]

MOTIONS = [Motion(np.outer([1.0, 0.5, 0.0], [0.0, 1.0, -0.5, 0.0]), dt=0.1, name="one")]


@pytest.fixture
def lines_of(study_file):
    """Lines of the description of the valid study with overrides."""

    def describe_with(*overrides):
        study = load_config(study_file(), overrides)
        return describe(study, MOTIONS).splitlines(), draw_inputs(study, MOTIONS, 0, 64)

    return describe_with


def notes(lines):
    return [line for line in lines if line.startswith("note: ") and "contact." in line]


def uniform(low, high):
    return f"{{distribution='uniform', low={low}, high={high}}}"


def test_distributions_are_listed_and_what_is_drawn_with_what(lines_of):
    lines, _ = lines_of(
        f"contact.friction={uniform(0.3, 0.5)}",
        f"contact.static_friction={uniform(0.4, 0.5)}",
        f"contact.restitution={uniform(0, 0.1)}",
    )
    assert "  contact.friction [1]: uniform, low 0.3, high 0.5" in lines
    assert "  contact.restitution [1]: uniform, low 0, high 0.1" in lines
    assert "  contact.static_friction [1] (with contact.friction): uniform, low 0.4, high 0.5" in lines
    assert notes(lines) == []


def test_undetermined_slip_is_noted(lines_of):
    lines, inputs = lines_of(f"contact.friction={uniform(0.5, 1.2)}")
    corners = inputs.vertices[:, list(inputs.faces[0])]
    least = painleve_friction(inputs.mass, inputs.inertia, corners).min(axis=1)
    over = inputs.contact[:, 0] > least
    assert over.any()
    (note,) = notes(lines)
    assert note.startswith(
        f"note: contact.friction reaches {inputs.contact[:, 0].max():.3g}; from {least[over].min():.3g} on "
    )
    assert notes(lines_of("contact.friction=0.85")[0]) == []  # no cuboid has less than 0.88


def test_bounces_without_end_are_noted(lines_of):
    lines, _ = lines_of("contact.friction=0.5", "contact.restitution=1")
    assert notes(lines) == ["note: contact.restitution reaches 1, with which bounces never end"]


def test_restitution_beyond_the_place_of_the_impulse_is_noted(lines_of):
    both = "contact.friction=0.5", f"contact.impact_restitution={uniform(0.0, 0.5)}"
    lines, inputs = lines_of(*both, "impact.lambda_lon=0.25", "ensemble.design=latin_hypercube")
    assert (inputs.contact[:, 3] > 0.25).mean() == 0.5  # strata of 1 / 64
    (note,) = notes(lines)
    assert note.startswith("note: in 50 % of the realizations contact.impact_restitution exceeds")
    assert notes(lines_of(*both)[0]) == []
    assert notes(lines_of(*both, "impact.lambda=0.1", "impact.law=['varkonyi_2022', 'moreau_1988']")[0])


@pytest.mark.parametrize(("low", "high"), [(0.1, 0.19), (0.21, 0.24), (0.15, 0.35), (0.26, 0.4)])
@pytest.mark.parametrize("sides", [4, 120])
def test_friction_that_may_roll_a_round_base_is_noted(study_file, sides, low, high):
    """A body whose base reaches 0.25 cos(pi / sides) times the height of its centre of mass."""
    box = 'shape = "cuboid"\nwidth = { distribution = "normal", mean = 0.4, std = 0.01 }\ndepth = 0.4'
    file = study_file(box, f'shape = "cylinder"\nradius = 0.2\nsides = {sides}')
    study = load_config(file, [f"contact.friction={uniform(low, high)}"])
    found = [line for line in describe(study, MOTIONS).splitlines() if "round body" in line]
    ratio = draw_inputs(study, MOTIONS, 0, 64).contact[:, 0] / (0.25 * np.cos(np.pi / sides))
    share = ((ratio > 0.8) & (ratio <= 1.0)).mean()
    assert len(found) == (share > 0 and sides > 4)
    assert all(f"in {format_percent(share)} of realizations" in line for line in found)


@pytest.mark.parametrize(("sides", "change", "noted"), [
    (12, "impact.lambda=0.9", True), (12, "impact.lambda=0", False), (4, "impact.lambda=0.9", False),
    (12, "impact.law=ther_kollar_2017", False),
])  # fmt: skip
def test_the_loss_of_a_polygon_that_stands_for_a_round_base_is_noted(study_file, sides, change, noted):
    box = 'shape = "cuboid"\nwidth = { distribution = "normal", mean = 0.4, std = 0.01 }\ndepth = 0.4'
    study = load_config(study_file(box, f'shape = "cylinder"\nradius = 0.2\nsides = {sides}'), [change])
    text = describe(study, MOTIONS)
    assert (f"a wobble over {sides} sides" in text) is noted


def test_the_report_has_what_check_says_of_rims_and_wobbles():
    study = load_config("configs/storage_cask.toml")
    ds = xr.Dataset(
        {f"body_{key}": ("realization", [value]) for key, value in (("slenderness", 0.5), ("frequency", 1.5))}
    )
    (section,) = noted([model_section(study)], ds, study, study.folder)
    said = [block for block in section.blocks if isinstance(block, Caution)]
    lines = describe(study, load_motions(study)).splitlines()
    lines = [line for line in lines if line.startswith("note: ")]
    for line, words in zip(lines, ("may roll on its rim", "stood on 48 sides"), strict=True):
        assert words in line
        assert line.removeprefix("note: ") in said
