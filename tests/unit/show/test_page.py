"""The page of a study: what it says is what `mcrock stats` says, in HTML that stands alone."""

import hashlib
import json
import re
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pytest
from scipy.special import ndtr

import mcrock
from mcrock.base.estimates import format_estimate
from mcrock.show.animation import page as player
from mcrock.show.describe import describe
from mcrock.show.fragility import format_fragility, format_support
from mcrock.show.outcomes import format_steps
from mcrock.show.report.page import build_page, build_report, save_report
from mcrock.show.report.results import replays_section
from mcrock.show.report.subject import Signed, files_section, floor_blocks, record_blocks, subject_sections
from mcrock.show.risk import Site
from mcrock.show.summary import summarize
from mcrock.show.text import Caution
from mcrock.statistics import annual_rate, load_hazard
from mcrock.statistics.intervals import Confidence
from mcrock.statistics.outcomes import representative_runs
from mcrock.study import Study
from tests.unit.conftest import write_study
from tests.unit.statistics.measured import measured_study

SIGNED = Signed("Block 12", "A. Author", "C. Checker", "R-7")
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
        assert tag not in ("script", "object", "embed", "link")
        if tag == "iframe":  # a player: closed off from the page, and part of its file
            assert attrs["sandbox"] == "allow-scripts"
            assert "src" not in attrs
            assert attrs["title"]
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
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("study")


@pytest.fixture(scope="module")
def ds(folder):
    """The small study of the ensemble tests."""
    return mcrock.run_study(mcrock.load_config(write_study(folder)), folder / "s.zarr")


@pytest.fixture(scope="module")
def hazard(tmp_path_factory):
    path = tmp_path_factory.mktemp("hazard") / "h.csv"
    path.write_text(HAZARD)
    return load_hazard(path)


@pytest.fixture(scope="module")
def page(ds, hazard):
    return build_report(ds, site=Site(hazard, 50.0, None), signed=SIGNED)


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
        summary["overturning_probability"]["overturned"].values,
        summary["overturning_probability"]["probability"].values,
        *summary["overturning_probability"]["interval"].values,
        strict=True,
    ):
        count, p, low, high = row
        place = found.cells.index(f"{low:.4f} to {high:.4f}")
        assert found.cells[place - 3] == str(count)
        assert found.cells[place - 1] == f"{p:.4f}"
    fit = summary["fragility"]
    for line in [format_fragility(fit), *format_support(fit), format_steps(summary["step_check"])]:
        assert line[1:] in found.text


def test_what_an_audit_asks_for_is_on_the_page(ds, hazard, page):
    """The answer as of the risk, who answers for it, the hazard, and words explained where they stand."""
    found, one = Page(page), annual_rate(ds, hazard).sel(hazard="mean")
    one = one.sel(fragility=one.attrs["accepted_family"])
    percents = 100 * np.array([one["probability"], *one["probability_interval"]])
    assert f"at this site is {format_estimate(*percents)} % in 50 years (95 % interval" in found.text
    explained = ["rates at which pga is exceeded", "Empirical fractions: The fractions", "have slid: for"]
    for words in (*SIGNED[:4], hazard.attrs["source"], *explained):
        assert words in found.text
    assert {f"{rate:.4g}" for rate in hazard["rate"].values.ravel()} <= {*found.cells}


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    """Page of 22 recordings at ten levels, with friction, a hazard and a design motion; made-up outcomes."""
    path = tmp_path_factory.mktemp("audited") / "h.csv"
    rates = "".join(f"{x},{1 - np.exp(-50 * 4e-4 * (x / 0.1) ** -2.2)}\n" for x in np.geomspace(0.01, 5, 60))
    path.write_text("pga [g],mean\n" + rates)
    rng = np.random.default_rng(5)
    capacity = 0.6 * np.exp(0.3 * rng.standard_normal(22))[np.arange(44) % 22]
    overrides = ["contact.friction=0.5", "motion.set='farfield'"]

    def fell(inputs):
        levels = np.array([0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.3, 1.6, 2.0])
        return levels > (capacity * np.exp(0.2 * rng.standard_normal(44)))[:, None]

    ds, _, motions = measured_study(overrides, fell)
    ds["motion_name"] = ("motion", [motion.name for motion in motions])
    return build_report(ds, site=Site(load_hazard(path, years=50.0), 50.0, None, "0.4g", 1e-4))


class Audit:
    """A page as an auditor has it: its text, and its tables as rows of cells."""

    def __init__(self, page):
        self.text = " ".join(unescape(re.sub("<[^>]*>", " ", page)).split())
        rows = re.findall("<tr>(.*?)</tr>", page, re.DOTALL)
        cells = [re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
        self.rows = [
            [unescape(re.sub("<[^>]*>", "", cell)).replace("\xa0", " ") for cell in row] for row in cells
        ]

    def value(self, name):
        """A number by its name, of a table of two columns; the last one, with most digits."""
        return [float(row[1]) for row in self.rows if len(row) == 2 and row[0] == name][-1]

    def columns(self, *heads):
        """Columns of the last table whose heads begin so (n, n_row)."""
        at = max(k for k, row in enumerate(self.rows) if set(heads) <= set(row))
        place, width, found = [self.rows[at].index(head) for head in heads], len(self.rows[at]), []
        for row in self.rows[at + 1 :]:
            if len(row) != width or not re.fullmatch(r"[-+.\de]+", row[place[0]]):
                break
            found.append([np.inf if row[k] == "-" else float(row[k]) for k in place])
        return np.array(found).T

    def row(self, name):
        """Cells of the first row of that name."""
        return next(row for row in self.rows if row and row[0] == name)


def test_headline_numbers_are_computed_again_from_the_page_alone(audited):
    """The rate by its integral, the median's interval by the covariance, A.1 and A.2 by formula."""
    page, g = Audit(audited), 9.80665
    median, beta = page.value("median [m/s2]"), page.value("dispersion")
    x, rate, years = page.columns("pga [g]", "mean", "mean: once in [years]")
    np.testing.assert_allclose(years, 1 / rate, rtol=1e-5)
    assert len(x) == 60
    fine = np.geomspace(x[0], x[-1], 200_001)
    exceeded = np.exp(np.interp(np.log(fine), np.log(x), np.log(rate)))
    middle = np.sqrt(fine[1:] * fine[:-1]) * g
    annual = float((ndtr(np.log(middle / median) / beta) * -np.diff(exceeded)).sum())
    said = re.search(r"Annual rate of overturning \[per year\] (\S+)", page.text)[1]
    assert annual == pytest.approx(float(said), rel=0.06)  # two digits
    chance = re.search(r"at this site is (\S+) % in 50 years", page.text)[1]
    assert -100 * np.expm1(-50 * annual) == pytest.approx(float(chance), rel=0.06)
    assert f"Median capacity {median / g:.3f} g" in page.text
    # the interval of the median is that of the resamples, near that of the covariance
    spread = np.sqrt(page.value("var ln(median)"))
    ends = re.search(r"Median capacity \S+ g 95 % interval (\S+) g to (\S+) g", page.text).groups()
    np.testing.assert_allclose(
        np.log(np.array(ends, float) * g / median), [-2 * spread, 2 * spread], atol=0.08
    )
    assert re.search(r"; \d+ resamples of 22 records, seed 0\.", page.text)
    # checks of the body
    names = ("alpha [rad]", "R [m]", "p [rad/s]", "g [m/s2]", "mu [1]")
    alpha, radius, p, gravity, mu = map(page.value, names)
    f = 1 / np.cos(alpha) - 1
    c = gravity / (p**2 * radius * np.cos(alpha) ** 2)
    b = -2 * np.log(1 - 2 * np.tan(alpha) ** 2 / c)
    period = 2 * np.pi * np.sqrt(c * alpha**2 * radius * np.cos(alpha) / (2 * f * gravity))
    damping = b / np.sqrt(4 * np.pi**2 + b**2)
    a_2 = page.row(f"ASCE 43-05 A.2: Sa({period:.3g} s, {100 * damping:.2g} %)")
    pga, pgv, sa, down, often, far = page.columns(
        "pga [m/s2]", "pgv [m/s]", "sa [m/s2]", "vertical peak [m/s2]", "sliding frequency [Hz]",
        "sliding distance [m]",
    )  # fmt: skip
    assert len(pga) == 22
    np.testing.assert_allclose(pga, 0.4 * g, rtol=1e-7)  # the design motion is their measure
    demands = {
        a_2[0]: (np.median(sa) / g, 2 * f / alpha * gravity / g, " g"),
        "full impulse: PGV": (np.median(pgv), 2 * gravity * np.sin(alpha / 2) / (p * np.cos(alpha)), " m/s"),
        "sliding distance by reserve energy": (np.median(far), None, " m"),
    }
    for name, (demand, capacity, unit) in demands.items():
        cells = [float(cell.removesuffix(unit)) for cell in page.row(name)[1:4:2] if cell != "-"]
        assert cells[0] == pytest.approx(demand, rel=0.01)
        if capacity is not None:
            assert cells[1] == pytest.approx(capacity, rel=0.01)
    effective = 2 * mu * (gravity - 0.4 * down)
    np.testing.assert_allclose(effective / (2 * np.pi * often) ** 2, far, rtol=1e-6)
    assert "The file has probabilities in 50 years: p = 1 - exp(-H T)" in page.text


def test_the_study_says_who_answers_for_it_where_nothing_else_does(ds):
    config = json.loads(ds.attrs["config"]) | {"report": {"author": "S. Study", "reference": "S-1"}}
    signed = ds.assign_attrs(config=json.dumps(config))
    text = Page(build_report(signed, signed=Signed(author="A. Author", checker="C. Checker"))).text
    head = text.split("Study file")[0]  # at the end of the page, which has it as it was
    assert all(words in head for words in ("A. Author", "C. Checker", "S-1"))
    assert "S. Study" not in head


def test_a_brief_report_begins_with_what_decides_and_keeps_the_rest(ds, hazard, page):
    found = build_report(ds, site=Site(hazard), signed=SIGNED, brief=True)
    first, annex = found.split("Annex: the whole report")
    for words in ("how likely it overturns", "What would make it safe enough", "What was assumed", SIGNED[0]):
        assert words in first
    assert "No change was examined" in first
    titles = re.findall(r"<h2>\d+ .*?</h2>", page)
    assert re.findall(r"<h2>\d+ .*?</h2>", annex) == titles
    assert "Annex" not in page


def test_standards_need_no_hazard(ds):
    found = Page(build_report(ds, site=Site(design="1.5m/s2")))
    assert "standards" in found.ids
    assert "at most 1 % at the design motion" in found.text
    assert "risk" not in found.ids


def test_files_records_and_floor_are_listed(ds, tmp_path):
    for name, dt in (("one.csv", 0.01), ("two.csv", 0.02)):
        rows = [f"{dt * k:g}, {np.sin(k)}" for k in range(50)]
        (tmp_path / name).write_text("time, x\n" + "\n".join(rows) + "\n")
    digests = {row[0]: row[2] for row in files_section(ds, tmp_path, []).blocks[1].rows}
    for name in ("one.csv", "two.csv"):
        assert digests[name] == hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()
    config = json.loads(ds.attrs["config"])
    config["motion"]["floor"] = {"frequency": 2.0, "factor": 1.3, "damping": 0.04}
    study = Study.from_json(json.dumps(config))
    assert [row[:2] for row in record_blocks(study, tmp_path)[1].rows] == [["one", "0.01"], ["two", "0.02"]]
    assert ["damping", "0.04", "1"] in [list(row) for row in floor_blocks(study)[1].rows]
    elsewhere = tmp_path / "elsewhere"
    assert "Not found from here: " in files_section(ds, elsewhere, []).blocks[-1]
    assert "their own steps are not known" in record_blocks(study, elsewhere)[0]


def test_what_decides_comes_first_and_each_warning_once(page):
    found = Page(page)
    assert found.ids.index("risk") < found.ids.index("fragility") < found.ids.index("body")
    warnings = re.findall(r'<li id="caution-(\d+)">(.*?) <a href', page)
    assert [int(number) for number, _ in warnings] == list(range(1, len(warnings) + 1))
    assert all(page.count(line) == 1 and f'href="#caution-{number}"' in page for number, line in warnings)
    assert warnings


def test_every_section_answers_a_question_of_a_safety_case(page):
    links = re.findall(r"<nav.*?</nav>", page, re.DOTALL)[0]
    numbers = [int(number) for number in re.findall(r'">(\d+) ', links)]
    assert sorted(numbers) == list(range(1, len(numbers) + 1))
    assert links.count("</span>") == links.count("<div>")  # none without a question


def test_a_single_recording_has_a_page_without_what_needs_several(ds, tmp_path):
    (tmp_path / "h.csv").write_text(HAZARD)
    one = ds.isel(realization=ds["record"].values == 0)
    one = one.assign(motion_group=0 * one["motion_group"])
    page = Page(build_report(one, site=Site(load_hazard(tmp_path / "h.csv"))))
    assert "2 motions of 1 recording (" in page.text
    assert page.text.count("No capacity with confidence and no annual rate: a rate needs at least 2 rec") == 1
    assert {"fragility", "risk", "outcomes", "sensitivity"} <= {*page.ids}


def test_page_says_what_was_computed(ds, page):
    text = Page(page).text
    assert "No replays" in text  # without the records
    for words in ("unit test", "Várkonyi 2022", "body.width [m]", "truncated_normal", "one.csv", "--folder"):
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


def test_what_check_says_of_inputs_and_friction_is_heeded_and_a_file_cut_short_is_said_to_be(ds):
    config = json.loads(ds.attrs["config"])
    listed = {"distribution": "listed", "values": np.linspace(1.1, 1.5, 40).tolist()}
    config["impact"] |= {"draw": "run", "lambda": listed}
    few = ds.assign_attrs(config=json.dumps(config)).assign(certified_friction=0 * ds["certified_friction"])
    page = build_report(few)
    heeded = " ".join(re.findall(r'<li id="caution-\d+">(.*?) <a href', page))
    assert "impact.lambda reaches outside [-1, 1]" in heeded
    assert "friction 0.3 it slides rather than overturns" in heeded
    assert "Runs in which friction cannot matter, by its coefficient: 0 % at 0.3" in heeded
    assert "Without the store this cannot be run" in page


def test_what_check_says_stands_in_the_section_that_it_bears_on(tmp_path):
    """Every note of the study file, once, where the number is that it is of."""
    overrides = ["motion.azimuth=30", "ensemble.realizations=43", "contact.friction=1.9"]
    ds, _, motions = measured_study(overrides, lambda inputs: np.abs(inputs.scale) > 2.5)
    ds["motion_name"] = ("motion", [motion.name for motion in motions])
    sections = {
        section.key: section for section in subject_sections(ds, Study.from_json(ds.attrs["config"]), ".")
    }
    said = {key: [b for b in one.blocks if isinstance(b, Caution)] for key, one in sections.items()}
    for key, words in (
        ("inputs", "43 realizations are not a multiple of 22 motions"),
        ("motions", "motion.azimuth turns by more than a circle"),
        ("model", "contact.friction reaches 1.9"),
    ):
        assert [name for name, lines in said.items() if any(words in line for line in lines)] == [key]
    text = describe(Study.from_json(ds.attrs["config"]), motions)
    notes = [line.strip().removeprefix("note: ") for line in text.splitlines() if "note: " in line]
    assert len(notes) >= 3
    listed = [line for lines in said.values() for line in lines]
    assert all(note in listed or f"of the parameters {note}" in listed for note in notes)


def test_what_few_records_cannot_tell_stands_among_the_limits(ds, page):
    """Of two recordings nothing below 0.84 can be said, as 1 - 0.025**(1/2)."""
    assert re.search("What 2 recordings cannot .* the 95 % interval of .* reaches 0.84", Page(page).text)


def test_three_runs_can_be_watched_in_less_than_3_mb(folder, ds):
    page = build_page(
        "", "", [replays_section(ds, Study.from_json(ds.attrs["config"], folder), None, Confidence())]
    )
    players = re.findall(r'<iframe class="replay".*?</figure>', page, flags=re.DOTALL)
    places = set(representative_runs(ds).values())
    assert len(players) == len(places)
    assert sum(map(len, players)) < 3e6
    for place in places:
        assert sum(f"realization {place.realization} at" in unescape(player) for player in players)
    assert "https://" not in "".join(players)
    assert ".replay { display: none; }" in page  # on paper the still takes its place
    assert all('<img class="still" src="data:image/png' in player for player in players)


def test_a_run_too_long_for_a_page_is_said_to_be(monkeypatch, folder, ds):
    monkeypatch.setattr(player, "LARGEST", 1000)
    found = replays_section(ds, Study.from_json(ds.attrs["config"], folder), None, Confidence())
    assert all("--animate FILE.html" in line for line in found.blocks)
