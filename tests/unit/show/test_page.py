"""The page of a study: what it says is what `mcrock stats` says, in HTML that stands alone."""

import json
import re
from html.parser import HTMLParser

import matplotlib
import pytest

import mcrock
from mcrock.show.convergence import format_steps
from mcrock.show.fragility import format_fragility, format_support
from mcrock.show.report.page import build_report, save_report
from mcrock.show.report.results import Site
from mcrock.show.risk import format_capacity
from mcrock.show.summary import summarize
from mcrock.statistics import load_hazard
from tests.unit.conftest import write_study

VOID = {"meta", "link", "img", "br", "hr", "input"}
HAZARD = "pga [m/s2],mean,0.84\n0.3,1e-2,2e-2\n3,1e-4,2e-4\n30,1e-6,2e-6\n"


class Page(HTMLParser):
    """Text, cells and addresses of a page, and whether every tag is closed where it should be."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts, self.cells, self.addresses, self.ids = [], [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.addresses += [attrs[key] for key in ("src", "href", "srcset", "action") if key in attrs]
        self.ids += [attrs["id"]] if "id" in attrs else []
        assert tag not in ("script", "iframe", "object", "embed", "link")
        assert not any(key.startswith("on") for key in attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] != ["style"]:
            self.texts.append(data)
        if self.open[-1:] == ["td"]:
            self.cells.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


@pytest.fixture(scope="module")
def ds(tmp_path_factory):
    """The small study of the ensemble tests."""
    matplotlib.use("Agg")
    folder = tmp_path_factory.mktemp("study")
    return mcrock.run_study(mcrock.load_config(write_study(folder)), folder / "s.zarr")


@pytest.fixture(scope="module")
def page(ds, tmp_path_factory):
    path = tmp_path_factory.mktemp("hazard") / "h.csv"
    path.write_text(HAZARD)
    return build_report(ds, site=Site(load_hazard(path), 50.0, None))


def test_page_is_html_that_stands_alone(page):
    found = Page(page)
    inside = [address for address in found.addresses if address.startswith("#")]
    assert {address.removeprefix("#") for address in inside} <= set(found.ids)
    others = [address for address in found.addresses if not address.startswith("#")]
    assert others
    assert all(address.startswith("data:image/svg+xml;base64,") for address in others)
    assert not re.search(r"url\(|@import", page)
    assert len(set(found.ids)) == len(found.ids)


def test_numbers_are_those_of_stats(ds, page):
    found, summary = Page(page), summarize(ds)
    for row in zip(
        summary.probability["overturned"].values,
        summary.probability["probability"].values,
        *summary.probability["interval"].values,
        strict=True,
    ):
        count, p, low, high = row
        place = found.cells.index(f"{low:.4f} to {high:.4f}")
        assert found.cells[place - 3] == str(count)
        assert found.cells[place - 1] == f"{p:.4f}"
    fit = summary.fragility
    for line in [format_fragility(fit), *format_support(fit), format_steps(summary.steps)]:
        assert line[1:] in found.text
    capacity = mcrock.statistics.high_confidence_capacity(ds)
    assert all(line[1:].replace("`", "") in found.text for line in format_capacity(capacity))


def test_a_single_recording_has_a_page_without_what_needs_several(ds, tmp_path):
    (tmp_path / "h.csv").write_text(HAZARD)
    one = ds.isel(realization=ds["record"].values == 0)
    page = Page(build_report(one, site=Site(load_hazard(tmp_path / "h.csv"))))
    assert page.text.count("No capacity with confidence and no annual rate: a rate needs at least 2 rec") == 3
    assert {"fragility", "risk", "outcomes", "sensitivity"} <= {*page.ids}


def test_page_says_what_was_computed(ds, page):
    text = Page(page).text
    for words in ("unit test", "seed 5", "body.width [m]", "truncated_normal", "one.csv", "Várkonyi 2022"):
        assert words in text
    assert ds.attrs["motions_digest"] in text
    assert 'files = ["one.csv", "two.csv"]' in text


def test_hostile_titles_are_text(ds):
    hostile = '<script>alert("1")</script> & `a`'
    config = json.loads(ds.attrs["config"]) | {"title": hostile, "description": hostile}
    page = build_report(ds.assign_attrs(title=hostile, config=json.dumps(config)))
    assert "<script" not in page
    assert hostile.replace("`", "") in Page(page).text.replace("`", "")


def test_equal_studies_have_equal_pages(ds):
    assert build_report(ds) == build_report(ds)


def test_a_table_of_outcomes_has_a_page_that_says_what_it_cannot_know(ds):
    frame = mcrock.to_frame(ds)
    rows = frame[["record", "realization"]].assign(overturned=frame["outcome"] == "overturned")
    table = mcrock.read_outcomes(rows.assign(**{"pga [m/s2]": frame["intensity"]}))
    page = Page(build_report(table))
    assert {"motions", "fragility", "validity", "limits"} <= {*page.ids}
    assert not {"body", "inputs", "model", "study"} & {*page.ids}
    assert "this page knows nothing but what the table has" in page.text
    assert "the program or test behind these outcomes has to tell" in page.text


def test_page_is_written_whole(ds, tmp_path):
    path = save_report(build_report(ds), tmp_path / "r.html")
    assert path.read_text(encoding="utf-8").endswith("</html>\n")
    assert [file.name for file in tmp_path.iterdir()] == ["r.html"]
    path.write_text("another page")
    with pytest.raises(ValueError, match="exists already; replace it with --overwrite"):
        save_report(build_report(ds), path)
    assert path.read_text() == "another page"
    assert save_report(build_report(ds), path, overwrite=True).read_text().endswith("</html>\n")


def test_what_few_records_cannot_tell_stands_among_the_limits(ds, page):
    """Of two recordings nothing below 0.84 can be said, as 1 - 0.025**(1/2)."""
    assert "What 2 recordings cannot decide" in Page(page).text
    assert "the probability may still be 0.84 at 95% confidence" in Page(page).text
