"""Each quantity is one number wherever it is said: six stores, commands, JSON, report, captions."""

import html
import json
import re

import numpy as np
import pytest

from mcrock.base.estimates import format_interval, format_or_bound, format_p_value, format_with_interval
from mcrock.base.params import STANDARD_GRAVITY, Outcome
from mcrock.dataset import load_dataset, save_dataset
from mcrock.ensemble import run_study
from mcrock.show.text import label_intensities
from mcrock.statistics.accepted_curve import FAMILIES
from mcrock.study import load_config
from tests.unit.conftest import STUDY, write_study

RECORDS, LEVELS = 12, [1.0, 2.0, 3.0, 4.0, 6.0, 9.0]
HAZARD = "pga [m/s2], mean, 0.16, 0.84\n0.5, 2e-2, 1e-2, 3e-2\n2, 1e-3, 5e-4, 2e-3\n8, 2e-5, 1e-5, 5e-5\n"
NAMES = ("main", "plateau", "undecided", "nested", "cloud", "nothing")


def capacities(ds, rng):
    """Lognormal, of median 3 m/s2: (realization) or, of a nested study, (outer, realization)."""
    of_record = 0.3 * rng.standard_normal(RECORDS)[ds["record"].values]
    own = 0.3 * rng.standard_normal(ds.sizes["realization"])
    draws = 0.2 * rng.standard_normal((ds.sizes["outer"], 1)) if "outer" in ds.dims else 0.0
    return 3.0 * np.exp(of_record + own + draws)


def with_outcomes(ds, name):
    """The dataset with outcomes of known capacities in the place of those that were run."""
    rng = np.random.default_rng(NAMES.index(name))
    capacity = capacities(ds, rng) * (1e3 if name == "nothing" else 1.0)
    x = ds["intensity_value"].values if name == "cloud" else ds["intensity"].values
    over = x > capacity if name == "cloud" else x > capacity[..., None]
    if name == "plateau":
        over &= (rng.random(ds.sizes["realization"]) < 0.6)[:, None]
    outcome = np.where(over, Outcome.OVERTURNED, Outcome.AT_REST)
    if name == "undecided":
        outcome = np.where(rng.random(outcome.shape) < 0.04, Outcome.ROCKING, outcome)
    return ds.assign(outcome=(ds["outcome"].dims, outcome.astype("i1"), ds["outcome"].attrs))


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    """Files of the six stores by name, in a folder with their records and the hazard."""
    folder = tmp_path_factory.mktemp("six")
    path = write_study(folder)
    files = [f"r{k}.csv" for k in range(RECORDS)]
    for k, name in enumerate(files):
        (folder / name).write_text((folder / ("one.csv", "two.csv")[k % 2]).read_text())
    text = STUDY.replace('["one.csv", "two.csv"]', json.dumps(files)).replace("[1.0, 4.0, 9.0]", str(LEVELS))
    text = text.replace("realizations = 40", f"realizations = {6 * RECORDS}").replace(
        "tail = 5.0", "tail = 1.0"
    )
    changes = {
        "plain": text,
        "cloud": re.sub(
            "levels = .*", 'value = { distribution = "lognormal", median = 3.0, dispersion = 0.6 }', text
        ),
        "nested": text.replace(
            "density = 2000",
            'density = { distribution = "uniform", low = 1e3, high = 3e3, epistemic = true }',
        ).replace("[ensemble]", "[ensemble]\nouter = 6"),
    }
    found = {}
    for kind, content in changes.items():
        path.write_text(content)
        run_study(load_config(path), folder / f"{kind}.zarr")
        ds = load_dataset(folder / f"{kind}.zarr").load()
        for name in NAMES if kind == "plain" else (kind,):
            if kind != "plain" or name not in ("cloud", "nested"):
                found[name] = folder / f"{name}.nc"
                save_dataset(with_outcomes(ds, name), found[name])
    (folder / "h.csv").write_text(HAZARD)
    return folder, found


def numbers_of(mcrock, command, *arguments):
    code, output, errors = mcrock(command, *arguments, "--json")
    assert code == 0, errors
    return json.loads(output)


def value(table, name, *place):
    """A value of a variable in JSON; NaN where it is null."""
    found = table["variables"][name]["values"]
    for k in place:
        found = found[k]
    return np.array(found, float)


@pytest.mark.parametrize("name", NAMES)
def test_every_number_is_one_wherever_it_is_said(mcrock, stores, name):
    folder, files = stores
    store, hazard, at = files[name], folder / "h.csv", ("--folder", folder)
    stats = numbers_of(mcrock, "stats", store, *at)
    ways = numbers_of(mcrock, "fragility", store, *at)["methods"]
    risk = numbers_of(mcrock, "risk", store, hazard)
    twin = numbers_of(mcrock, "compare", store, store)
    rates, capacity, fit = risk["annual_rate"], risk["high_confidence_capacity"], stats["fragility"]

    same = np.testing.assert_array_equal
    for quantity in (
        "median_capacity",
        "median_capacity_interval",
        "dispersion",
        "dispersion_interval",
        "curve",
        "band",
    ):
        same(value(ways, quantity, 0), value(fit, quantity), quantity)
    same(value(capacity, "median_capacity"), value(fit, "median_capacity"))
    head = rates["attributes"]["accepted_family"]
    for table in (fit, ways, rates, capacity, *([] if name == "nested" else [twin["comparison"]])):
        assert table["attributes"]["accepted_family"] == head
    same(value(capacity, "accepted_one_percent"), value(fit, "accepted_reached", 0))
    same(value(capacity, "stripes_one_percent"), value(ways, "reached", -1, 0))
    of_head = {"lognormal": 0, "stripes": -1}[head]
    same(value(ways, "reached", of_head), value(fit, "accepted_reached"))
    for table in (ways, capacity):
        same(value(table, "fit_p_value"), value(fit, "fit_p_value"))
    if name != "nested":  # its draws are compared one by one
        for side in range(2):
            half = value(fit, "accepted_reached", -1)
            same(value(twin["comparison"], "median_capacity", side), half if np.isfinite(half) else np.nan)
    if "baselines" in stats:  # of which the third is a probit curve of the study's own measure
        assert stats["baselines"]["variables"]["accepted_family"]["values"][2] == head
        same(value(stats["baselines"], "fit_p_value", 2), value(fit, "fit_p_value"))
    else:
        assert name == "nothing"
    check_exports(mcrock, store, fit, head)

    text = mcrock("risk", store, hazard, "--standard")[1]
    page = folder / f"{name}.html"
    code, _, errors = mcrock("report", store, "--hazard", hazard, "-o", page, "--standard", *at)
    assert code == 0, errors
    report = html.unescape(page.read_text(encoding="utf-8"))
    check_tables(risk, text, page.read_text(encoding="utf-8"))
    summary = mcrock("stats", store, *at)[1]
    k = ["lognormal", "stripes"].index(head)
    ends = [float(value(rates, "rate_interval", end, k, 0)) for end in (0, 1)]
    rate = float(value(rates, "rate", k, 0))
    assert ends[0] <= rate <= ends[1]
    over = rates["variables"].get("rate_over_all", {"values": ()})["values"]
    first = f"{format_interval(*over)} over all uncertainties counted: " if over else ""
    interval = f"95 % interval {first}{format_interval(*ends)} from the number of recordings"
    words = f"{format_or_bound(rate, *ends)} per year ({interval}"
    assert text.startswith(f"Annual rate of overturning: {words}")
    assert words in report
    assert risk["annual_rate"]["attributes"]["statement"].startswith(f"Annual rate of overturning: {words}")
    assert f">{interval}" in report  # of the key figure
    caption = f"{FAMILIES[head].label}, {format_or_bound(rate, *ends)} per year"
    assert figure_words(store, hazard) >= {caption}
    table = mcrock("fragility", store, *at)[1]
    captions = captions_of(mcrock, store, folder / f"figures of {name}")
    said_by = [stats, ways, risk, *NUMBER.findall(summary + report)]
    for figure, caption in captions.items():
        if figure == "convergence":  # which counts the runs of the intensities that it draws
            caption = re.sub(r"\d+ runs of", "runs of", caption)
        said = set(leaves(said_by)) | {0.95, 95.0}
        strange = [x for x in NUMBER.findall(caption) if not any(same_number(x, y) for y in said)]
        assert not strange, (figure, strange, caption)
    median = float(value(fit, "median_capacity"))
    expected = {"main": "lognormal", "plateau": "stripes", "nothing": "stripes"}
    assert head == expected.get(name, head)
    if np.isfinite(median):
        label = label_intensities([median], "m s-2")[0]
        assert f"median {label} (" in summary
        assert label in report
        thin, wide = (float(value(fit, "dispersion_interval", end)) for end in (0, 1))
        both = format_with_interval(float(value(fit, "dispersion")), thin, wide)
        for said in (summary, table, report, captions["fragility"]):
            assert both in said
    p = float(value(fit, "fit_p_value"))
    rejected = p < 0.05
    for said in (summary, report, text):
        assert (f"rejected ({format_p_value(p)}" in said) or not rejected
    assert (name != "plateau") or rejected


def check_tables(found, text, page):
    """Every number of results is in their text, and every cell of that on the page."""
    said = NUMBER.findall(text)
    for table in found.values():
        if "question" in table["attributes"] or table["attributes"].get("missing"):
            continue  # rows of the hazard, and what is not known
        for name, one in table["variables"].items():
            for x in np.abs([] if one["digits"] == "curve" else leaves(one["values"])):
                known = any(same_number(y, x) for y in said) or not np.isfinite(x)
                small = x < (1e-3 if one["digits"] == "p" else 1e-12)
                assert known or small or format_interval(0.0, x).removeprefix("below ") in text, (name, x)
    assert not re.search(r"\b(nan|None|inf)\b", text)
    shown = re.sub(r"\s|`", "", html.unescape(re.sub("<[^>]+>", "", page)))
    for line in text.splitlines():
        for cell in re.split("  +", line.strip()):
            assert re.sub(r"\s|`", "", cell)[1:] in shown, cell


def check_exports(mcrock, store, fit, head):
    """Files of other programs hold the curve that the study goes by."""
    files = [store.with_suffix(end) for end in (".json", ".xml", ".csv")]
    for path in files:
        code, said, errors = mcrock("export", store, "-o", path)
        if not value(fit, "overturned") and path.suffix != ".json":
            assert (code, "no curve to export" in errors) == (2, True)
            continue
        assert code == 0, errors
        assert ("by the empirical fractions: " in said) == (head == "stripes" and path.suffix != ".json")
    found = json.loads(files[0].read_text())["accepted"]
    grid = value(fit, "intensity_grid")
    np.testing.assert_array_equal(found["curve"]["probability"], value(fit, "accepted_curve"))
    assert found["family"] == head
    if files[1].exists() and head == "stripes":
        text = files[1].read_text()
        read = [re.findall(rf"<{tag}[^>]*>([^<]*)<", text)[0].split() for tag in ("imls", "poes")]
        cells = files[2].read_text().split('"')[1].split("|")
        for x, p in (read, [part.split(",") for part in cells]):
            x, p = np.array(x, float) * STANDARD_GRAVITY, np.array(p, float)
            here = (grid > LEVELS[0]) & (grid < LEVELS[-1])
            expected = value(fit, "accepted_curve")[here]
            np.testing.assert_allclose(np.interp(grid[here], x, p), expected, atol=0.03)
    elif files[1].exists():
        spread = float(files[2].read_text().split(",lognormal,")[1].split(",")[1])
        assert spread == pytest.approx(float(value(fit, "dispersion")), rel=1e-8)


@pytest.mark.parametrize("other", ["main", "plateau"])
def test_a_pair_has_the_numbers_of_both_by_the_curve_of_both(mcrock, stores, other):
    """Two plateaus, and a plateau beside a study whose lognormal curve holds."""
    folder, files = stores
    found = numbers_of(mcrock, "compare", files["plateau"], files[other], "--hazard", folder / "h.csv")
    pair = found["comparison"]
    assert pair["attributes"]["accepted_family"] == "stripes"
    for side, name in enumerate(("plateau", other)):
        risk = numbers_of(mcrock, "risk", files[name], folder / "h.csv")
        ways = numbers_of(mcrock, "fragility", files[name], "--folder", folder)["methods"]
        np.testing.assert_array_equal(
            value(pair, "fit_p_value", side), value(risk["high_confidence_capacity"], "fit_p_value")
        )
        np.testing.assert_array_equal(value(pair, "median_capacity", side), value(ways, "reached", -1, -1))
        for k in (0, 1):
            rate = value(risk["annual_rate"], "rate", k, 0)
            assert value(pair, "rate", k, side) == pytest.approx(rate, rel=1e-9)
    text = mcrock("compare", files["plateau"], files[other])[1]
    assert "by the empirical fractions (first: the lognormal curve is rejected (p" in text


NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?")
FIGURES = ("fragility", "convergence", "probability_box", "variance_shares", "laws", "measures")


def leaves(said):
    """Numbers of JSON and of texts."""
    if isinstance(said, dict):
        said = list(said.values())
    if isinstance(said, list):
        return [number for each in said for number in leaves(each)]
    try:
        return [float(said)]
    except (TypeError, ValueError):
        return []


def same_number(text, number):
    """Whether a text is a number with the digits that the text has, in SI or in g."""
    digits = len(text.partition("e")[0].replace(".", "").lstrip("0")) or 1
    sizes = (number, number / STANDARD_GRAVITY, 100 * number)
    return any(float(f"{size:.{digits}g}") == float(text) for size in sizes if np.isfinite(size))


def captions_of(mcrock, store, folder):
    """Texts in the figures that state results, by name."""
    code, _, errors = mcrock("plot", store, "-o", folder, "--format", "svg")
    assert code == 0, errors
    texts = {}
    for path in folder.glob("*.svg"):
        if path.stem in FIGURES:
            found = re.findall(r"<text[^>]*>(.*?)</text>", path.read_text(encoding="utf-8"), re.DOTALL)
            long = [html.unescape(re.sub("<[^>]+>", "", each)) for each in found if len(each) > 6]
            texts[path.stem] = " ".join(" ".join(long).split())
    return texts


def figure_words(store, hazard):
    """Labels of the curves in the figure of the rate."""
    from mcrock.plots import plot_risk
    from mcrock.statistics import load_hazard

    ax = plot_risk(load_dataset(store), load_hazard(hazard))
    return {entry.get_text() for entry in ax.get_legend().get_texts()}
