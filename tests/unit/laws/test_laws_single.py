"""Cases of the laws of a single contact: every kind and field of their format."""

import numpy as np
import pytest

from mcrock.laws.final_slip import whittaker
from mcrock.laws.problem import SingleContact
from mcrock.verify.laws import SINGLE

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
