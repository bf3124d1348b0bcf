"""Law cases of many contacts: the names of the case format, and refusals as a ValueError."""

import numpy as np
import pytest

from mcrock.verify.laws import MULTIPLE

BALLS = {"M": np.eye(3).tolist(), "W": [[-1, 0], [1, -1], [0, 1]], "u": [1, 0, -0.5]}
CORNER = {"M": [[1, 0], [0, 1]], "w1": [-1, 0], "w2": [0, -1], "u": [1, 1], "eps": 0.5}
PENDULUM = {"Theta": 1 / 3, "length": 1, "alpha": 1.4, "mu": 0.6, "eps": 1.0, "phidot": -1.0}
ROD = {"m": 1.5, "l_half": 0.9, "xs": [-0.3, 0.6], "u": [-1.2, 0.4], "eps": [0.2, 0.2]}
ROCKING = {"m": 1, "l_half": 1, "a": 0.4, "omega": 1.0, "eps": 0.0}
BALL = {"R": np.eye(3).tolist(), "s": [1, 1, 1], "w": [0, 0, 0]}
ELLIPSOIDS = {f"{name}{number}": value for number in (1, 2) for name, value in BALL.items()} | {
    "c1": [0, 0, 0],
    "c2": [0, 0, 3],
    "v1": [0, 0, 1],
    "v2": [0, 0, -1],
}
SEQUENCE = {
    "W": [[1.0, 0.2], [0.2, 1.0]],
    "U": [-1.0, -0.5],
    "contacts": [{"n": [1], "mu": 0.0, "e": 0.5, "et": 0.0}] * 2,
}
INPUTS = {
    "sequential": SEQUENCE,
    "sequential_normal": BALLS | {"eps": [1, 1]},
    "newton_lcp": BALLS | {"eps": [0.8, 0.3]},
    "poisson_lcp": BALLS | {"eps": [0.8, 0.3]},
    "fremond_lcp": BALLS | {"E": [[0.8, 0.1], [0.0, 0.3]]},
    "moreau": BALLS | {"eps": 0.5},
    "reentrant": CORNER,
    "rod": ROD,
    "rocking_rod": ROCKING,
    "impact_pendulum": PENDULUM,
    "flexible_rod": {"eps_h": 0.8, "G_r": 1.3, "G_f": 0.4},
    "ellipsoid_gap": ELLIPSOIDS,
}
IMPACT = {"u_plus", "gamma_plus", "dT", "penetration", "impulses"}
NAMES = {
    "sequential": {"U", "G", "converged", "sequence"},
    "sequential_normal": {"u_plus", "impulses", "converged", "sequence"},
    "newton_lcp": IMPACT | {"gen_impulse"},
    "poisson_lcp": IMPACT | {"gen_impulse"},
    "fremond_lcp": IMPACT,
    "moreau": IMPACT | {"gen_impulse"},
    "reentrant": {"u_in_K", "n_solutions", "solutions", "proximal_kinds"},
    "rod": IMPACT,
    "rocking_rod": IMPACT | {"cos_w"},
    "impact_pendulum": {"phidot_plus", "sticks", "e_eff", "L_N", "L_T", "L_c"},
    "flexible_rod": {"eps_r"},
    "ellipsoid_gap": {"n1", "C1", "C2", "gap", "gap_rate"},
}


@pytest.mark.parametrize("law", sorted(MULTIPLE))
def test_every_law_gives_the_names_of_the_format(law):
    assert NAMES[law] <= set(MULTIPLE[law](INPUTS[law]))
    assert sorted(INPUTS) == sorted(MULTIPLE)


def test_values_have_plain_types():
    for law, compute in MULTIPLE.items():
        for value in compute(INPUTS[law]).values():
            assert isinstance(value, bool | int | float | list | str), (law, value)


def test_numbers_of_the_papers_examples():
    assert MULTIPLE["newton_lcp"](INPUTS["newton_lcp"])["gamma_plus"] == pytest.approx([0.8, 0.15])
    assert MULTIPLE["poisson_lcp"](INPUTS["poisson_lcp"])["impulses"] == pytest.approx([1.5, 1.0])
    assert MULTIPLE["moreau"](INPUTS["moreau"])["dT"] == pytest.approx(-0.4375)
    corner = MULTIPLE["reentrant"](CORNER)
    assert [solution["kind"] for solution in corner["solutions"]] == ["edge", "face1", "face2"]
    assert corner["proximal_kinds"] == ["face1", "face2"]
    assert not MULTIPLE["impact_pendulum"](PENDULUM)["sticks"]
    assert MULTIPLE["impact_pendulum"](PENDULUM | {"law": "newton"})["phidot_plus"] == pytest.approx(1.0)
    assert MULTIPLE["ellipsoid_gap"](ELLIPSOIDS)["gap_rate"] == pytest.approx(-2.0)


@pytest.mark.parametrize(
    ("law", "change"),
    [
        ("sequential", {"W": [[1.0, 2.0], [2.0, 1.0]]}),
        ("sequential_normal", {"eps": [1.1, 0.0]}),
        ("newton_lcp", {"M": [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}),
        ("poisson_lcp", {"W": [[-1, 0], [1, -1]]}),
        ("fremond_lcp", {"E": [[0.5]]}),
        ("moreau", {"eps": -0.1}),
        ("reentrant", {"w2": [0, -1, 0]}),
        ("rod", {"l_half": 0.0}),
        ("rod", {"l_half": True}),
        ("rod", {"u": [1.0]}),
        ("rocking_rod", {"a": -0.4}),
        ("impact_pendulum", {"phidot": 1.0}),
        ("flexible_rod", {"G_r": 0.0}),
        ("ellipsoid_gap", {"s1": [1, -1, 1]}),
    ],
)
def test_wrong_inputs_are_refused(law, change):
    with pytest.raises(ValueError, match=r"\w"):
        MULTIPLE[law](INPUTS[law] | change)
