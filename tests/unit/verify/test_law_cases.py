"""Cases of impact laws: every kind and field of their format, their values, and refusals."""

from math import acos, inf, pi

import numpy as np
import pytest

from mcrock.laws.final_slip import whittaker
from mcrock.laws.problem import SingleContact
from mcrock.verify.laws import DOMAINS, KINEMATIC, MULTIPLE, SINGLE

FLAT = {"M": [[1.0, 0.0], [0.0, 0.5]], "Vi": [-1.0, -0.2], "n": [1, 0], "mu": 0.5}
CHECKS = {"energy_ok": True, "separation_ok": True, "normal_ok": True, "friction_ok": True}
COMMON = {"P", "Vf", "dE", *CHECKS}
# of the plane contact above all laws stick, P_II = (1, 0.1): elastic normally, plastic along the tangent
STICKS = {"P": [2.0, 0.1], "Vf": [1.0, 0.0], "dE": -0.01}


@pytest.mark.parametrize(
    ("law", "inputs", "expected", "more"),
    [
        ("chatterjee_ruina", {"e": 1, "et": 0}, STICKS, {"kappa", "clipped"}),
        ("bilinear", {"e": 1, "et": 0}, STICKS, set()),
        ("routh", {"ek": 1}, STICKS | {"Pn_c": 1.0}, {"Pn_c"}),
        (
            "whittaker",
            {"e": 1},
            STICKS | {"n_solutions": 1, "dE_all": [-0.01]},
            {"n_solutions", "P_all", "dE_all"},
        ),
        ("two_phase", {"ek": 1}, STICKS | {"P_c": [1.0, 0.1]}, {"P_c"}),
        ("composite", {"e": 1, "et": 0, "sigma": 0.3}, STICKS, set()),
        ("brach", {"e": 1, "mu_t": [0.05], "T": [[0], [1]]}, STICKS, set()),
        ("brach", {"e": 1, "mu_t": [0.05]}, STICKS, set()),
        ("project", {"P": [2.0, 0.1], "P0": [1.5, 0.1]}, STICKS, set()),
        ("spherical", {"P0": [1.5, 0.1], "psi1": 0.0, "psi2": 0.0, "rho": 0.0}, {"P": [1.5, 0.1]}, set()),
    ],
)
def test_fields_and_values(law, inputs, expected, more):
    found = SINGLE[law](FLAT | inputs)
    assert set(found) >= COMMON
    assert more <= set(found)
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=1e-9)
    assert {name: found[name] for name in CHECKS} == CHECKS


def test_smith():
    found = SINGLE["smith"](FLAT | {"e": 0.5})
    assert found["n_solutions"] == 1
    assert set(found) >= COMMON


def test_predicate():
    assert SINGLE["permissible"](FLAT | {"P": [1.5, 0.1]}) == CHECKS
    assert SINGLE["permissible"](FLAT | {"P": [-1.0, 0.0]}) == {
        "energy_ok": False, "separation_ok": False, "normal_ok": False, "friction_ok": False
    }  # fmt: skip


def test_several_solutions():
    inputs = {
        "M": [[5.57, -2.056, 3.934], [-2.056, 1.763, -3.454], [3.934, -3.454, 7.391]],
        "Vi": [-2.0933, -0.6721, -0.11235],
        "n": [0, 0, 1],
        "mu": 3.26,
        "e": 0.3,
    }
    found = SINGLE["whittaker"](inputs)
    contact = SingleContact(inputs["M"], inputs["Vi"], inputs["n"], 3.26)
    impacts = whittaker(contact, restitution=0.3).solutions
    assert found["n_solutions"] == 3
    assert np.array(found["P_all"]) == pytest.approx(np.array([impact.impulse for impact in impacts]))


@pytest.mark.parametrize("law", SINGLE)
@pytest.mark.parametrize(
    "wrong",
    [
        {"M": [[1.0, 0.3], [0.0, 0.5]]},
        {"M": [[1.0, 2.0], [2.0, 0.5]]},
        {"M": [[1.0]]},
        {"n": [2, 0]},
        {"Vi": [1.0, 0.0]},
        {"mu": -0.1},
        {"mu": float("nan")},
        {"mu": "rough"},
        {"mu": None},
        {"Vi": [-1.0, None]},
    ],
)
def test_wrong_contacts_are_value_errors(law, wrong):
    rest = {"e": 0.5, "ek": 0.5, "et": 0.0, "sigma": 0.5, "mu_t": [0.1], "P": [1, 0], "P0": [1.5, 0.1]}
    rest |= {"psi1": 0.0, "psi2": 0.0, "rho": 0.5}
    with pytest.raises(ValueError, match=r"."):
        SINGLE[law](FLAT | rest | wrong)


CHAIN = {"M": np.diag([1.0, 2.0, 3.0]).tolist(), "W": [[-1, 0], [1, -1], [0, 1]]}


def kinematic(law, **inputs):
    return KINEMATIC[law](inputs)


def test_every_kinematic_law_is_there():
    assert set(KINEMATIC) == {
        "kinetic_angle", "generalized", "En_margin", "block_domain", "block_coefficients", "block_critical",
        "block_impact", "planar_rates", "chain",
    }  # fmt: skip


def test_kinetic_angle_of_a_block_and_of_a_system():
    assert kinematic("kinetic_angle", l=1, L=1)["theta12"] == pytest.approx(pi - acos(-0.2))
    found = kinematic("kinetic_angle", **CHAIN)
    # D = [[1.5, -0.5], [-0.5, 5/6]]
    assert found["theta"][0][1] == found["theta12"] == pytest.approx(pi - acos(-0.5 / np.sqrt(1.25)))
    assert found["theta"][1][1] == pi


def test_generalized_law_without_a_tangential_coefficient_is_frictionless():
    inputs = {"M": np.eye(2).tolist(), "W": [[1], [0]], "u": [-2, 3], "En": [[0.5]]}
    found = kinematic("generalized", **inputs)
    assert found["u_plus"] == pytest.approx([1.0, 3.0])
    assert found["qnorm_minus"] == [-2.0]
    assert found["qnorm_plus"] == [1.0]
    assert found["p_n"] == pytest.approx([3.0])
    assert found["gen_impulse"] == pytest.approx([3.0, 0.0])
    assert found["dT"] == pytest.approx(-1.5)
    assert [found[f"{name}_ok"] for name in ("kinematic", "kinetic", "energetic")] == [True, True, True]
    assert kinematic("generalized", **inputs, Etan_scalar=0.5)["u_plus"] == pytest.approx([1.0, -1.5])


def test_margin():
    assert kinematic("En_margin", **CHAIN, En=[[0.5, 0], [0, 0.5]])["margin"] == pytest.approx(0.25)


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
    found = kinematic("block_domain", **inputs)["interval"]
    assert found == (None if interval is None else pytest.approx(interval, abs=1e-12))
    assert which in DOMAINS


def test_coefficients_and_critical_values():
    found = kinematic("block_coefficients", l=2.0, L=1.0, mu=0.3)
    assert set(found) == {"e_c1_plus", "e_c1_minus", "e_c2_plus", "e_c3_plus", "mu_c", "mu_half_rocking_max"}
    assert found["e_c1_plus"] == pytest.approx(3.8 / 6.2)
    assert kinematic("block_critical", mu=0.0)["c"]["aspect"] == pytest.approx(np.sqrt(2))
    assert set(kinematic("block_critical", mu=0.3)) == set("abcd")


def test_impact_of_a_block():
    inputs = {"m": 1, "l": 2, "L": 1, "xdot": 1.0, "thdot": -1.0, "e21": 0.7}
    found = kinematic("block_impact", **inputs, tangential="sticking")
    assert (found["p1"], found["p2"]) == pytest.approx((0.85, 0.0))
    assert (found["xdot"], found["ydot"], found["thdot"]) == pytest.approx((0.7, 0.35, -0.7))
    assert (found["pt"], found["vt_plus"], found["dT"]) == pytest.approx((-0.3, 0.0, -0.425))
    free = kinematic("block_impact", **inputs)
    assert free["pt"] == 0.0
    assert kinematic("block_impact", **inputs, tangential="coulomb")["pt"] == 0.0
    kept = kinematic("block_impact", **inputs, tangential="et3", et3=-0.7)
    assert kept["xdot"] == pytest.approx(0.7)


def test_rates_of_the_models():
    found = kinematic("planar_rates", m=1, l=2, L=1, nu=0.5, lam=1.2)
    assert found["r_sli"] == pytest.approx(-0.25)
    assert found["r_H"] == pytest.approx(-found["AVRF_Housner"]) == pytest.approx(-0.7)
    assert found["AVRF_TherKollar"] == pytest.approx(0.85)
    assert found["AVRF_Chatzis"] == pytest.approx((17 / 12 - 0.3) / (17 / 12 + 0.3), rel=1e-12)
    assert "AVRF_Chatzis" not in kinematic("planar_rates", l=2, L=1)


def test_chain_of_unequal_balls_has_normalized_coefficients():
    found = kinematic("chain", masses=[1, 2, 3], v=[1, 0, 0], E=[[0, 0], [1, 0]])
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
def test_wrong_kinematic_inputs_are_refused(law, inputs, message):
    with pytest.raises(ValueError, match=message):
        KINEMATIC[law](inputs)


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
MANY = {
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
MANY_NAMES = {
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
    assert MANY_NAMES[law] <= set(MULTIPLE[law](MANY[law]))
    assert sorted(MANY) == sorted(MULTIPLE)


def test_values_have_plain_types():
    for law, compute in MULTIPLE.items():
        for value in compute(MANY[law]).values():
            assert isinstance(value, bool | int | float | list | str), (law, value)


def test_numbers_of_the_papers_examples():
    assert MULTIPLE["newton_lcp"](MANY["newton_lcp"])["gamma_plus"] == pytest.approx([0.8, 0.15])
    assert MULTIPLE["poisson_lcp"](MANY["poisson_lcp"])["impulses"] == pytest.approx([1.5, 1.0])
    assert MULTIPLE["moreau"](MANY["moreau"])["dT"] == pytest.approx(-0.4375)
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
def test_wrong_inputs_of_many_contacts_are_refused(law, change):
    with pytest.raises(ValueError, match=r"\w"):
        MULTIPLE[law](MANY[law] | change)
