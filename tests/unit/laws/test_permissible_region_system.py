"""The example of the permissible region: parameters, what it refuses, and its figure."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from mcrock.laws.systems.permissible_region import CASES, collision, example, plot


def test_variation_of_a_case():
    contact = collision("generic", mass=[2, 0.1, 1], velocity=[-1, -0.5], friction=0.2)
    assert contact.mass == pytest.approx(np.array([[2, 0.1], [0.1, 1]]))
    assert contact.velocity == pytest.approx([-1, -0.5])
    assert contact.friction == 0.2


@pytest.mark.parametrize("friction", [0.0, 0.4, np.inf])
@pytest.mark.parametrize("velocity", [[-1.0, 0.5], [0.0, -1.0], [-1.0, 0.0]])
def test_any_friction_and_velocity(friction, velocity):
    ds = example(case="generic", friction=friction, velocity=velocity, points=3)
    assert ds["reach"].notnull().all()


@pytest.mark.parametrize("case", CASES)
def test_variables_say_what_they_are(case):
    ds = example(case=case, points=3)
    for name in ("region", "ellipse", "area", "reach", "sticking", "compression", "lines"):
        assert ds[name].attrs["units"] == "N s"
    assert ds.attrs["title"]
    assert ds.attrs["description"]


@pytest.mark.parametrize("case", CASES)
def test_figure(case):
    ax = plot(example(case=case, points=5))
    figure = ax.get_figure()
    assert isinstance(figure, Figure)
    figure.canvas.draw()
    words = {text.get_text() for text in figure.legends[0].get_texts()}
    assert "permissible" in words
    assert ("sticking" in words) == (case == "construction")
    assert ax.get_xlabel() == "Tangential impulse [N s]"


def test_note_names_who_gains_energy():
    figure = plot(example(case="generic", points=5)).get_figure()
    assert "Gains energy: Whittaker." in figure.get_supxlabel().replace("\n", " ")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"case": "slow"}, "case must be one of construction, generic, .*; got 'slow'"),
        ({"mass": [1, 2]}, r"mass must be 3 numbers, each a finite number \[kg\]"),
        ({"mass": [1, 2, 1]}, "mass must be positive definite"),
        ({"case": "unbounded", "mass": [1, 0, 1]}, "that of the case 'unbounded' is fixed"),
        ({"velocity": [1, 0]}, "the contact separates"),
        ({"velocity": [0, 0]}, "velocity must not be zero"),
        ({"velocity": "fast"}, r"velocity must be 2 numbers, each a finite number \[m/s\]"),
        ({"friction": -1}, "friction must be from 0 to inf, got -1"),
        ({"points": 1}, "points must be an integer >= 2"),
        ({"case": "unbounded", "velocity": [-1, 0]}, "no impulse ends the relative motion"),
    ],
)
def test_refuses(wrong, message):
    with pytest.raises(ValueError, match=message):
        example(**wrong)
