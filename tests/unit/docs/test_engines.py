"""The tables of the page on other engines are those of the runs that are kept, and say what they show."""

from tests.benchmarks.friction_peer import FIRST, PAIRS, compared, read, table, totals
from tests.unit.docs.pages import ROOT


def test_the_tables_are_those_of_the_runs():
    page = (ROOT / "mcrock/docs/engines.md").read_text(encoding="utf-8")
    for made in (table(*FIRST), totals(PAIRS)):
        assert made in page, "run: python -m tests.benchmarks.friction_peer page"


def test_a_comparison_of_runs_with_themselves_finds_nothing():
    first = read().loc["mcrock"]
    _, share, other, gap, one, two, p, *distances = compared(first, first)
    assert (share, one, two, p) == (other, "0", "0", "")
    assert gap == "+0.000 ± 0.000"
    assert distances == ["0.000 (1.00)"] * 3


def test_a_shifted_response_is_found():
    first = read().loc["mcrock"]
    second = first.assign(peak_tilt=1.5 * first["peak_tilt"])
    *_, tilt, drift, _ = compared(first, second)
    assert float(tilt.split("(")[1][:-1]) < 0.02
    assert drift == "0.000 (1.00)"
