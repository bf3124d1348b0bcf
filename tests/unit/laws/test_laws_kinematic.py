"""Law cases of the kinematic part: names, defaults and refusals; the values are those of the papers."""

from math import acos, inf, pi

import numpy as np
import pytest

from mcrock.verify.laws import DOMAINS, KINEMATIC

CHAIN = {"M": np.diag([1.0, 2.0, 3.0]).tolist(), "W": [[-1, 0], [1, -1], [0, 1]]}


def run(law, **inputs):
    return KINEMATIC[law](inputs)


def test_every_law_of_the_part_is_there():
    assert set(KINEMATIC) == {
        "kinetic_angle", "generalized", "En_margin", "block_domain", "block_coefficients", "block_critical",
        "block_impact", "planar_rates", "chain",
    }  # fmt: skip


def test_kinetic_angle_of_a_block_and_of_a_system():
    assert run("kinetic_angle", l=1, L=1)["theta12"] == pytest.approx(pi - acos(-0.2))
    found = run("kinetic_angle", **CHAIN)
    # D = [[1.5, -0.5], [-0.5, 5/6]]
    assert found["theta"][0][1] == found["theta12"] == pytest.approx(pi - acos(-0.5 / np.sqrt(1.25)))
    assert found["theta"][1][1] == pi


def test_generalized_law_without_a_tangential_coefficient_is_frictionless():
    inputs = {"M": np.eye(2).tolist(), "W": [[1], [0]], "u": [-2, 3], "En": [[0.5]]}
    found = run("generalized", **inputs)
    assert found["u_plus"] == pytest.approx([1.0, 3.0])
    assert found["qnorm_minus"] == [-2.0]
    assert found["qnorm_plus"] == [1.0]
    assert found["p_n"] == pytest.approx([3.0])
    assert found["gen_impulse"] == pytest.approx([3.0, 0.0])
    assert found["dT"] == pytest.approx(-1.5)
    assert [found[f"{name}_ok"] for name in ("kinematic", "kinetic", "energetic")] == [True, True, True]
    assert run("generalized", **inputs, Etan_scalar=0.5)["u_plus"] == pytest.approx([1.0, -1.5])


def test_margin():
    assert run("En_margin", **CHAIN, En=[[0.5, 0], [0, 0.5]])["margin"] == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("which", "l", "mu", "interval"),
    [
        ("e21_sliding", 2.0, None, [0.25, 1.0]),
        ("e21_sticking", 2.0, None, [0.7, 1.0]),
        ("e21_sticking_coulomb", 2.0, inf, [0.7, 1.0]),
        ("e21_sticking_coulomb", 2.0, 0.0, [1.0, 1.0]),
        ("e21_sliding_coulomb_right", 2.0, 0.5, [1.0, 1.0]),
        ("e21_sliding_coulomb_right", 2.0, 0.6, None),
        ("e21_sliding_coulomb_right_sufficient", 2.0, 0.2, [8 / 17, 7.88 / 8.12]),
        ("e21_sliding_coulomb_right_sufficient", 2.0, 0.49, None),
        ("e21_sliding_coulomb_left", 3.0, 0.8, [0.0, 5.8 / 14.2]),
        ("e21_sliding_coulomb_left", 3.0, inf, None),
        ("half_rocking", 1.0, None, [0.0, 1.0]),
        ("half_rocking", 2.0, None, None),
        ("half_rocking_coulomb", 1.0, 0.2, [0.0, 4.88 / 5.12]),
        ("half_rocking_coulomb", 1.0, 0.4, None),
        ("r_sliding", 2.0, None, [-1.0, -0.25]),
        ("r_sticking", 0.5, None, [-1.0, 0.0]),
    ],
)
def test_domains(which, l, mu, interval):  # noqa: E741
    inputs = {"which": which, "l": l, "L": 1.0} | ({} if mu is None else {"mu": mu})
    found = run("block_domain", **inputs)["interval"]
    assert found == (None if interval is None else pytest.approx(interval, abs=1e-12))
    assert which in DOMAINS


def test_coefficients_and_critical_values():
    found = run("block_coefficients", l=2.0, L=1.0, mu=0.3)
    assert set(found) == {"e_c1_plus", "e_c1_minus", "e_c2_plus", "e_c3_plus", "mu_c", "mu_half_rocking_max"}
    assert found["e_c1_plus"] == pytest.approx(3.8 / 6.2)
    assert run("block_critical", mu=0.0)["c"]["aspect"] == pytest.approx(np.sqrt(2))
    assert set(run("block_critical", mu=0.3)) == set("abcd")


def test_impact_of_a_block():
    inputs = {"m": 1, "l": 2, "L": 1, "xdot": 1.0, "thdot": -1.0, "e21": 0.7}
    found = run("block_impact", **inputs, tangential="sticking")
    assert (found["p1"], found["p2"]) == pytest.approx((0.85, 0.0))
    assert (found["xdot"], found["ydot"], found["thdot"]) == pytest.approx((0.7, 0.35, -0.7))
    assert (found["pt"], found["vt_plus"], found["dT"]) == pytest.approx((-0.3, 0.0, -0.425))
    free = run("block_impact", **inputs)
    assert free["pt"] == 0.0
    assert run("block_impact", **inputs, tangential="coulomb")["pt"] == 0.0
    kept = run("block_impact", **inputs, tangential="et3", et3=-0.7)
    assert kept["xdot"] == pytest.approx(0.7)


def test_rates_of_the_models():
    found = run("planar_rates", m=1, l=2, L=1, nu=0.5, lam=1.2)
    assert found["r_sli"] == pytest.approx(-0.25)
    assert found["r_H"] == pytest.approx(-found["AVRF_Housner"]) == pytest.approx(-0.7)
    assert found["AVRF_TherKollar"] == pytest.approx(0.85)
    assert found["AVRF_Chatzis"] == pytest.approx((17 / 12 - 0.3) / (17 / 12 + 0.3), rel=1e-12)
    assert "AVRF_Chatzis" not in run("planar_rates", l=2, L=1)


def test_chain_of_unequal_balls_has_normalized_coefficients():
    found = run("chain", masses=[1, 2, 3], v=[1, 0, 0], E=[[0, 0], [1, 0]])
    assert found["dT"] == pytest.approx(0.0, abs=1e-12)  # the reverse of the contacts commutes with A
    assert found["u_plus"][2] - found["u_plus"][1] == pytest.approx(np.sqrt((2 / 3) / (6 / 5)))


@pytest.mark.parametrize(
    ("law", "inputs", "message"),
    [
        ("kinetic_angle", {"l": 0.0, "L": 1.0}, "rectangle.height"),
        ("kinetic_angle", {"l": None, "L": 1.0}, "l must be a number, got None"),
        ("generalized", {"M": [[1, 0], [0, 1]], "W": [[1], [0]], "u": [0], "En": [[1]]}, "velocity .* have"),
        ("En_margin", CHAIN | {"En": [[1]]}, r"shape \(2, 2\)"),
        ("En_margin", {"M": [[1]], "W": [[1, 1]], "En": [[1, 0], [0, 1]]}, "needs independent contacts"),
        ("block_domain", {"which": "e21", "l": 1, "L": 1}, "which must be one of e21_sliding"),
        ("block_coefficients", {"l": 1, "L": -1, "mu": 0.1}, "rectangle.width"),
        ("block_critical", {"mu": "x"}, "mu must be a number"),
        ("block_impact", {"m": 1, "l": 2, "L": 1, "xdot": 0, "thdot": 1, "e21": 1}, "finite and negative"),
        ("block_impact", {"m": 0, "l": 2, "L": 1, "xdot": 0, "thdot": -1, "e21": 1}, "PlanarBlock.mass"),
        ("planar_rates", {"m": 1, "l": 2, "L": 1, "nu": 1.5}, "nu"),
        ("chain", {"masses": [1, -1], "v": [1, 0], "E": [[0]]}, "positive"),
    ],
)
def test_wrong_inputs_are_refused(law, inputs, message):
    with pytest.raises(ValueError, match=message):
        KINEMATIC[law](inputs)
