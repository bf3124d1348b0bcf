"""Case files that are not as they must be: all mistakes at once, before anything is computed."""

import copy
import json

import pytest

from mcrock.verify import CASES, CaseError, run_cases, run_file
from mcrock.verify.checks import compare, print_checks, same

CASE = {case["id"]: case for path in CASES for case in json.loads(path.read_text(encoding="utf-8"))["cases"]}
AMPLITUDE = next(case for case in CASE.values() if case["kind"] == "min_overturn_amplitude")
MOTION = next(case for case in CASE.values() if case["kind"] == "excited" and case["expected"].get("events"))
LAW = next(case for case in CASE.values() if case["kind"] == "value")


def changed(case, path, value):
    """A case with one value replaced."""
    case = copy.deepcopy(case)
    table = case
    *above, key = path.split(".")
    for name in above:
        table = table[name]
    table[key] = value
    return case


@pytest.fixture
def refusal(tmp_path, monkeypatch):
    """Mistakes of cases, of which none may be run."""

    def refuse(*cases):
        path = tmp_path / "cases.json"
        path.write_text(json.dumps({"cases": cases}))
        monkeypatch.setattr("mcrock.verify.run.run_cases", None)
        with pytest.raises(CaseError) as caught:
            run_file(path)
        return [line.removeprefix(f"{path}: ") for line in str(caught.value).splitlines()]

    return refuse


@pytest.mark.parametrize(
    ("case", "path", "value", "message"),
    [
        (AMPLITUDE, "g", 1e308, "g must be a finite number > 0 and <= 1000 [m/s2], got 1e+308"),
        (AMPLITUDE, "g", "9.81", "g must be a finite number > 0 and <= 1000 [m/s2], got '9.81'"),
        (AMPLITUDE, "g", float("inf"), "g must be a finite number > 0 and <= 1000 [m/s2], got inf"),
        (AMPLITUDE, "t_end", 1e9, "t_end must be a finite number >= 0 and <= 1000 [s], got 1000000000.0"),
        (AMPLITUDE, "expected.a_min", 0,
         "expected.a_min must be a finite number >= 1e-09 and <= 1e+09 [1], got 0"),
        (AMPLITUDE, "body", 3, "body must be a table, got 3"),
        (AMPLITUDE, "params", [1.0], "params must be a table, got [1.0]"),
        (AMPLITUDE, "excitation", 2.5, "excitation must be a table, got 2.5"),
        (AMPLITUDE, "tol", True, "tol must be a table, got True"),
        (MOTION, "expected", 7, "expected must be a table, got 7"),
        (MOTION, "expected.events", {}, "expected.events must be a list of tables, got {}"),
        (MOTION, "expected.events", [{}, 5], "expected.events[1] must be a table, got 5"),
        (LAW, "inputs", 1, "inputs must be a table, got 1"),
    ],
)  # fmt: skip
def test_a_value_of_a_wrong_form(refusal, case, path, value, message):
    assert refusal(changed(case, path, value)) == [f"{case['id']}: {message}"]


@pytest.mark.parametrize("kind", [[], ["excited"], {}, 3, None, "exited"])
def test_an_unknown_kind(refusal, kind):
    (line,) = refusal(changed(MOTION, "kind", kind))
    assert line.startswith(f"{MOTION['id']}: kind must be 'contact_impact', ")
    assert line.endswith(f", got {kind!r}")


def test_all_mistakes_at_once(refusal):
    assert refusal(
        3, MOTION, changed(MOTION, "body", 1), {**LAW, "id": [1]}, {**AMPLITUDE, "id": "a", "g": 0}
    ) == [
        "case 0: must be a table, got 3",
        f"{MOTION['id']}: body must be a table, got 1",
        "case 3: id must be text, got [1]",
        "a: g must be a finite number > 0 and <= 1000 [m/s2], got 0",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "must be a JSON object with a list 'cases'"),
        ('{"cases": {}}', "must be a JSON object with a list 'cases'"),
        ("[" * 100_000, "is not JSON: tables or lists in more than 50 levels"),
        ('{"cases": [' + "9" * 5000 + "]}", "is not JSON: an integer of more than 308 digits"),
        ("\xff", "is not JSON: .*can't decode byte 0xff"),
    ],
)
def test_a_file_that_has_no_cases(tmp_path, text, message):
    (tmp_path / "cases.json").write_text(text, encoding="latin-1")
    with pytest.raises(CaseError, match=rf"cases\.json: {message}"):
        run_file(tmp_path / "cases.json")


def test_what_was_expected_and_computed_is_printed(capsys):
    checks = (
        compare("a", "impacts", 3, 3, 0.0),
        compare("a", "tau", 0.5, 0.25, 0.1),
        same("b", "pivots", [0, 12], [0, 1]),
    )
    assert not print_checks(checks, failures=False)
    assert [line.split() for line in capsys.readouterr().out.splitlines()[1:]] == [
        ["a", "impacts", "3", "3", "0", "ok"],
        ["a", "tau", "0.5", "0.25", "0.1", "FAILED"],
        ["b", "pivots", "0,12", "0,1", "FAILED"],
        ["3", "checks,", "1", "passed,", "2", "failed"],
    ]


def test_shipped_cases_are_well_formed():
    for path in CASES:
        run_file(path)


@pytest.mark.parametrize(
    ("case", "path", "value"),
    [
        (LAW, "inputs.M", {"a": 1}),
        (MOTION, "body.verts", "none"),
        (MOTION, "initial", {"mode": []}),
        (MOTION, "excitation.type", 3),
    ],
)
def test_a_case_that_cannot_be_run_is_a_failed_check_and_the_next_is_run(case, path, value):
    first, *others = run_cases([changed(case, path, value), LAW])
    assert (first.case, first.passed) == (case["id"], False)
    assert others
    assert all(check.passed for check in others)
