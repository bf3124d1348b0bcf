"""The drawing of a body shows its sizes as they are."""

import numpy as np
import pytest

import mcrock as mr
from mcrock.plots import plot_body
from mcrock.show.style import figure_of

SQUARE = [[-0.2, -0.1, -0.7], [0.2, -0.1, -0.7], [0.2, 0.1, -0.7], [-0.2, 0.1, -0.7]]
LEANING = [
    [0, 0, 0],
    [0.4, 0, 0],
    [0.4, 0.3, 0],
    [0, 0.3, 0],
    [0.1, 0, 1],
    [0.5, 0, 1],
    [0.5, 0.3, 1],
    [0.1, 0.3, 1],
]


def words(ax):
    return [text.get_text() for axes in figure_of(ax).axes for text in axes.texts]


def test_sizes_are_written_beside_the_body():
    texts = words(plot_body(mr.cuboid(0.4, 0.3, 1.6, 2600)))
    assert {"1.6 m", "0.8 m", "x  0.4 m", "y  0.3 m"} <= set(texts)
    assert [text for text in texts if text.endswith("°")].count(
        f"{np.degrees(np.arctan(0.3 / 1.6)):.3g}°"
    ) == 2


def test_base_of_many_edges_has_its_smallest_slenderness_alone():
    body = mr.cylinder(0.5, 1.8, density=2300)
    texts = words(plot_body(body))
    assert [text for text in texts if text.endswith("°")] == [f"{np.degrees(body.slenderness):.3g}°"]


def test_walls_that_are_not_known_are_said_to_be_guessed():
    ax = plot_body(mr.Body(500, np.diag([100.0, 100.0, 20.0]), SQUARE), "shelf")
    assert "1.4 m" not in words(ax)
    note = " ".join(figure_of(ax).get_supxlabel().split())
    assert note.startswith("shelf. 500 kg")
    assert "Walls are not known" in note


@pytest.mark.parametrize("turn", [0.0, 0.4])
def test_body_is_drawn_upright(turn):
    """Axes of the body that lean change nothing of what is drawn."""
    c, s = np.cos(turn), np.sin(turn)
    corners = np.array(LEANING) @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]]).T
    body = mr.hull(corners, density=2000)
    texts = words(plot_body(body))
    assert {"1 m", "0.5 m"} <= set(texts)
