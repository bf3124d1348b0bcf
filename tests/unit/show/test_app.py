"""Functions behind the page of `mcrock app`: what it shows is what the commands compute."""

import json
import re
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest
import trimesh

import mcrock
from mcrock.dataset import DatasetError
from mcrock.ensemble.part import Job, Stopped
from mcrock.excitation import pack_motions
from mcrock.show.body import object_numbers
from mcrock.show.comparison import format_comparison, format_remedy
from mcrock.show.fragility import format_accepted_ends, format_accepted_median
from mcrock.show.report.subject import answer_sentence, body_at_medians
from mcrock.show.risk import Site, risk_statement
from mcrock.show.summary import summarize
from mcrock.statistics import annual_rate, compare_designs, load_hazard, overturning_probability
from mcrock.statistics.comparison import what_differs
from mcrock.study.load import study_of
from mcrock.study.new import new_study
from mcrock.study.sampling import draw_inputs, load_motions
from tests.unit.conftest import write_study

pytest.importorskip("panel", reason="the page needs the extra app")
from bokeh.document import Document

from mcrock.show.app.page import PARTS, Page
from mcrock.show.app.parts import blocks_as_html, in_background, paragraph, refused, rows_as_html, to_page
from mcrock.show.app.results import (
    Chosen,
    Decision,
    Result,
    answer_cards,
    change_words,
    plot_curve,
    point_columns,
    statement,
    understand,
)
from mcrock.show.app.study import STAGES, Description, Desk, LiveRun, Preview, slider_ranges
from mcrock.show.text import Columns, format_table

# Panel 1.9 has label and color in their place
pytestmark = [
    pytest.mark.filterwarnings("ignore:.* is deprecated:PendingDeprecationWarning"),
    pytest.mark.filterwarnings("ignore:The inplace keyword"),  # of pandas, by Panel
]
HAZARD = "pga [m/s2],mean,0.84\n0.3,1e-2,2e-2\n3,1e-4,2e-4\n30,1e-6,2e-6\n"
EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return mcrock.load_config(write_study(tmp_path_factory.mktemp("study")))


@pytest.fixture(scope="module")
def ds(study, tmp_path_factory):
    return mcrock.run_study(study, tmp_path_factory.mktemp("store") / "s.zarr")


@pytest.fixture
def desk(study, tmp_path):
    return Desk(None, (study.folder / "study.toml").read_text(encoding="utf-8"), study.folder, tmp_path)


@pytest.fixture
def preview(study):
    motions = load_motions(study)
    return Preview(Job(study, motions, pack_motions(motions), Path(), {}))


def test_a_slider_shows_the_first_runs_of_the_study(preview, study, ds):
    for number in (10, 30):  # of which the second takes those of the first
        found = preview.probability(number * study.n_intensity)
        expected = overturning_probability(ds.isel(realization=slice(number)))
        np.testing.assert_array_equal(found["runs"], number)
        np.testing.assert_array_equal(found["overturned"], expected["overturned"])
        np.testing.assert_allclose(found["interval"], expected["interval"])


def test_a_slider_leaves_out_runs_that_no_probability_takes(study, ds, desk):
    live = LiveRun(study, desk)
    alike, changed, _ = live._curves(("body.height=1.001",), 0)
    number = min(-(-STAGES[0] // study.n_intensity), study.n_realizations)
    expected = overturning_probability(ds.isel(realization=slice(number)))
    np.testing.assert_array_equal(alike["overturned"], expected["overturned"])
    assert (changed["runs"] == alike["runs"]).all()
    same = live._curves((f"body.height={study.body.height}",), 0)[1]  # drawn as the study itself
    np.testing.assert_array_equal(same["overturned"], alike["overturned"])
    assert all(each.job.study.controls.recheck == 0.0 for each in live.previews.values())


def test_the_change_of_a_slider_is_that_of_two_stores_of_the_same_runs(study, ds, desk, tmp_path):
    live = LiveRun(study, desk)
    change = live._curves(("body.height=1.4",), len(STAGES) - 1)[2]  # of all runs
    other = study_of(json.loads(study.to_json()), study.folder / "study", ["body.height=1.4"])
    expected = compare_designs(ds, mcrock.run_study(other, tmp_path / "other.zarr"))
    assert (expected["difference"] != 0).any()
    for name in ("difference", "difference_interval", "pairs"):
        np.testing.assert_array_equal(change[name], expected[name])
    assert f"{float(abs(expected['difference']).max()):.1g}" in change_words(change)


def test_the_drawing_follows_what_is_typed_and_refuses_what_is_left(desk, at_once):
    taken = []
    form = Description(desk, lambda study, drawing: taken.append((study.body.height, drawing)))
    before = taken[-1]
    form.fields["height"].value_input = "2"
    assert taken[-1][0] == 2.0
    assert taken[-1][1] != before[1]
    for typed in ("2 x", "2 x"):
        form.fields["height"].value_input = typed
    answer = form.rows["height"][1]
    assert "refused" not in answer.object
    form.fields["height"].value = "2 x"
    assert "refused" in answer.object
    assert taken[-1][0] == 2.0
    form.fields["height"].value = "3 m"
    assert taken[-1][0] == 3.0
    assert "height = 3" in form.text.value


def test_what_an_object_is_fixed_to_is_described_drawn_and_read_again(desk, tmp_path, at_once):
    taken = []
    desk.given = new_study(height="0.5 m", width="0.3 m").text
    form = Description(desk, lambda *found: taken.append(found))
    alone = taken[-1]
    form.fields["mounted"].value = "fixed"
    form.fields["mount_height"].value = "1 m"
    both = taken[-1]
    assert both[0].body.at_medians().mass[0] > alone[0].body.at_medians().mass[0]
    assert len(body_at_medians(both[0]).parts) == 2  # which are drawn
    assert both[1] != alone[1]
    assert "cannot show" not in form.told.object
    again = Description(Desk(None, form.text.value, desk.folder, tmp_path), lambda *_: None)
    assert again.fields["mount_height"].value == "1.0 m"
    form.fields["mounted"].value = "no"
    assert taken[-1][1] == alone[1]


def test_designs_are_compared_as_by_the_command(study, ds, tmp_path, at_once):
    form = Decision(Result(ds, tmp_path / "s.zarr", study.folder), tmp_path)
    form.other.value = str(tmp_path / "none.zarr")
    form._compare()
    assert "none.zarr" in form.compared.object
    assert not form.sides.objects
    other = study_of(json.loads(study.to_json()), study.folder / "study", ["body.height=1.4"])
    form.other.value = str(tmp_path / "other.zarr")
    mcrock.run_study(other, form.other.value).close()
    form._compare()
    assert "refused" not in form.compared.object, form.compared.object
    text = "".join(str(getattr(each, "object", "")) for each in form.sides.select())
    assert text.count('class="object"') == 2
    found = compare_designs(ds, form.other.value)
    for line in format_comparison(found, what_differs(ds, mcrock.load_dataset(form.other.value))):
        assert isinstance(line, Columns) or not line or paragraph(line) in text


def test_nobody_waits_for_a_slider_that_has_moved_on(preview):
    with pytest.raises(Stopped):
        preview.probability(30, lambda: True)


@pytest.fixture
def at_once(monkeypatch):
    def work_now(work, done):
        try:
            found = work()
        except Exception as error:
            found = error
        done(found)

    monkeypatch.setattr("mcrock.show.app.parts.in_background", work_now)


def test_a_bad_hazard_file_is_refused_by_its_own_name_alone(study, ds, tmp_path, at_once):
    form, unnamed = (
        Decision(Result(ds, tmp_path / "s.zarr", study.folder), tmp_path),
        HAZARD.replace(" [m/s2]", ""),
    )
    for content, why in ((unnamed, "needs a unit"), ("<nrml>", "not XML"), (b"\0", "expected a line")):
        form.files.value = {"h.csv": content}
        form._judge()
        form._make(form._report)
        for told in (form.told.object, form.making.object):
            assert re.search(f">h.csv.*{why}", told)
            assert str(form.folder) not in told


@pytest.mark.parametrize("rate", ["zz", "-1", "nan"])
def test_a_rate_is_refused_by_the_name_of_its_field(study, ds, tmp_path, at_once, rate):
    form = Decision(Result(ds, tmp_path / "s.zarr", study.folder), tmp_path)
    form.files.value, form.target.value = {"h.csv": HAZARD}, rate
    form._make(form._report)
    assert f"the {form.target.name.partition(' [')[0].lower()} must be" in form.making.object
    form._judge()
    assert "refused" in form.told.object
    assert "refused" not in form.making.object  # a message that is over


def test_a_remedy_is_what_the_command_finds_and_goes_into_the_report(study, ds, tmp_path, at_once):
    form = Decision(Result(ds, tmp_path / "s.zarr", study.folder), tmp_path)
    form._seek()
    assert "a remedy needs hazard files, a target frequency and a number to change" in form.sought.object
    form.files.value, form.target.value, form.vary.value = {"h.csv": HAZARD}, "1e-4", "body.wdth=0.3:0.6"
    form._seek()
    assert "unknown key" in form.sought.object
    assert form.result.remedy is None
    form.vary.value = "body.width,body.depth=30cm:90cm"
    form._seek()
    assert format_remedy(form.result.remedy) in form.changed.object
    assert "data:image/svg" in form.changed.object
    assert answer_cards(form.result)[-1].words == format_remedy(form.result.remedy)
    assert "What would make it safe enough" in form._report(form._site())[1].decode()
    form.target.value = "zz"
    form._seek()
    assert "refused" in form.sought.object
    assert (form.result.remedy, form.changed.object) == (None, "")


def test_a_mesh_becomes_the_shape_and_what_the_file_says_besides_stays(desk, at_once):
    taken = []
    form = Description(desk, lambda study, drawing: taken.append(study))
    assert form.fields["height"].value == "1.0 m"
    assert "body.width" in form.told.object  # no question takes a normal distribution
    form.mesh.value = {"../box.stl": trimesh.creation.box((0.3, 0.4, 1.2)).export(file_type="stl")}
    assert 'file = "box.stl"' in form.text.value, form.told.object
    assert "impact.draw" in form.told.object
    assert taken[-1].impact.draw == "impact"
    assert taken[-1].body.at_medians().vertices.shape == (1, 8, 3)
    answers = {name: row[1] for name, row in form.rows.items()}
    for name, typed in (("file", "none.stl"), ("com_z", "0.1 m")):  # the second one changes nothing about it
        form.fields[name].value = typed
        assert "none.stl: cannot be read" in answers["file"].object
        assert "refused" not in answers["com_z"].object + form.reading.object + form.told.object
        assert 'file = "box.stl"' in form.text.value
    form.fields["file"].value = "box.stl"
    assert "com_z = 0.1" in form.text.value
    assert "refused" not in answers["file"].object
    form.mesh.value = {"bad.stl": b"solid a"}
    assert "bad.stl: no triangles" in form.reading.object
    form.fields["com_z"].value = "zz"
    assert "refused" in answers["com_z"].object
    assert "com_z = 0.1" in form.text.value


def test_a_run_goes_on_when_its_page_is_closed():
    document = Document()
    to_page(document, lambda: None)
    assert len(document.session_callbacks) == 1
    document.callbacks.destroy()  # as Bokeh does when the browser has gone
    to_page(document, lambda: None)


def test_what_cannot_be_shown_is_told_in_its_place(monkeypatch):
    told = []

    def done(found):
        told.append(found)
        if found == "read":
            raise DatasetError("replaced")

    monkeypatch.setattr("mcrock.show.app.parts.to_page", lambda document, work: work())
    in_background(lambda: "read", done).join()
    assert [str(each) for each in told] == ["read", "replaced"]


def ended(desk):
    desk.run._thread.join()
    return str(desk.run.told)


def test_a_run_ends_as_it_began_whatever_the_page_says_by_then(study, desk, tmp_path):
    page = Page("default", desk)
    assert page.study is None
    desk.start(study, str(tmp_path / "first.zarr"), False)
    live = LiveRun(study.model_copy(update={"title": "described later"}), desk)
    live.output.value = str(tmp_path / "second.zarr")
    assert "Done: " in ended(desk)
    live.look()
    assert "first.zarr" in live.state.object
    assert "Another study: unit test" in live.state.object
    assert not len(live.grown.data["x"])
    page._look()
    page.choice.value = "Understand"
    assert "unit test" in page.head.object
    assert "first.zarr" in page.head.object
    assert not (tmp_path / "second.zarr").exists()


def test_a_run_is_found_and_stopped_by_another_tab(study, desk, tmp_path, monkeypatch):
    at_work, go_on = threading.Event(), threading.Event()

    monkeypatch.setattr("mcrock.ensemble.part.draw_inputs", wait_first(at_work, go_on))
    output = str(tmp_path / "s.zarr")
    desk.start(study, output, False)
    at_work.wait()
    with pytest.raises(ValueError, match=r"s\.zarr; stop it first"):
        desk.start(study, output, True)
    other = LiveRun(study, desk)
    assert other.output.value == output
    threading.Timer(0.2, go_on.set).start()
    desk.run.stop()
    other.look()
    assert "Stopped; " in other.state.object
    desk.start(study, output, True)
    assert "Done: " in ended(desk)


def wait_first(at_work, go_on):
    """`draw_inputs` that waits for a word."""

    def draw(*arguments, **more):
        at_work.set()
        go_on.wait()
        return draw_inputs(*arguments, **more)

    return draw


@pytest.mark.parametrize(("name", "why"), [("", "name the store"), ("a\x07b.zarr", "control characters")])
def test_a_name_that_is_none_is_refused(study, desk, name, why):
    with pytest.raises(ValueError, match=why):
        desk.start(study, name, False)
    assert desk.run is None


def test_a_new_tab_shows_the_store_that_is_there_now(study, tmp_path):
    path = tmp_path / "s.zarr"
    desk = Desk(Result(mcrock.run_study(study, path), path, study.folder), "", study.folder, tmp_path)
    other = study.model_copy(update={"title": "another one"})
    mcrock.run_study(other, path, overwrite=True).close()
    assert "another one" in Page("default", desk).head.object
    shutil.rmtree(path)
    with pytest.raises(DatasetError, match=r"s\.zarr"):
        Page("default", desk)


def test_sliders_are_of_plain_numbers():
    uncertain = {"distribution": "normal", "mean": 1.0, "std": 0.1}
    body = {"width": 0.4, "height": uncertain, "com_z": 0.0}
    assert list(slider_ranges({"body": body})) == ["body.width"]
    found = slider_ranges({"body": {"height": 2.0}, "contact": {"friction": 0.5}})
    assert found["body.com_z"][1:] == (-0.5, 0.5, 0.0)
    assert found["contact.friction"][1:] == (0.15, 1.0, 0.5)


def test_the_statement_has_the_numbers_of_the_report(study, ds, tmp_path):
    (tmp_path / "h.csv").write_text(HAZARD)
    curves = load_hazard(tmp_path / "h.csv")
    text = statement(Result(ds, tmp_path / "s.zarr", study.folder), Site(curves))
    assert answer_sentence(summarize(ds, folder=study.folder), annual_rate(ds, curves)) in text
    assert "Risk at the site" in text
    assert "Only other recordings lower that." in text


def test_a_hazard_of_probabilities_is_read_as_such(study, ds, tmp_path):
    form = Decision(Result(ds, tmp_path / "s.zarr", study.folder), tmp_path)
    form.files.value, form.hazard_years.value = {"h.csv": HAZARD.encode()}, 50.0
    assert form._site().hazard.attrs["reading"] == "probabilities in 50 years"


def test_the_curve_is_that_of_the_fit(ds, tmp_path):
    result = Result(ds, tmp_path / "s.zarr", tmp_path)
    columns = point_columns(result.points)
    np.testing.assert_array_equal(columns["p"], result.points["probability"])
    for family, why in (("lognormal", "not rejected"), ("stripes", "rejected")):
        words = {"accepted_family": family, "why": f"the lognormal curve is {why}"}
        fit = result.found["fragility"].assign(fit_p_value=0.5, median_capacity=3.0).assign_attrs(words)
        made = plot_curve(fit, result.points)
        words = " ".join(item.label.value for item in made.legend.items)
        assert ("empirical fractions" in words) == (family == "stripes"), words


def test_figures_of_runs_have_a_dot_for_each_run_that_is_chosen(ds, tmp_path):
    result = Result(ds, tmp_path / "s.zarr", tmp_path)
    chosen = Chosen(result, result.runs, "default")
    for groups in (chosen.filters.value, ["overturned"]):
        chosen.filters.value = groups
        for figure in (chosen.plot_runs(), chosen.inputs):
            drawn = figure.renderers[0].data_source.data["group"]
            assert len(drawn) == sum(result.runs.totals[name] for name in groups) > 0


def test_cards_have_the_numbers_of_the_report_with_their_intervals(study, ds, tmp_path, make_study):
    result = Result(make_study(), tmp_path / "s.zarr", study.folder)
    fit, probability = result.found["fragility"], result.found["overturning_probability"]
    half, rate, limits, change = answer_cards(result)
    assert half.value == format_accepted_median(fit)
    assert format_accepted_ends(fit) in half.words
    assert not any(each in "0123456789" for each in rate.value + change.value)  # neither is known
    assert str(int(probability["records"])) in limits.value
    (tmp_path / "h.csv").write_text(HAZARD)
    curves = load_hazard(tmp_path / "h.csv")
    result = Result(ds, tmp_path / "s.zarr", study.folder)
    statement(result, Site(curves))
    shown = risk_statement(annual_rate(ds, curves), "rate")
    assert any(each.value == shown[0] and shown[1] in each.words for each in answer_cards(result))


def test_the_object_is_shown_with_its_three_numbers(study, desk, tmp_path, at_once):
    page = Page("default", desk)
    number = object_numbers(page.study)
    images = page.object.object.count("<img")
    assert images == page.object.object.count('alt="') > 0
    for value in (np.degrees(number["slenderness"]), number["radius"], number["frequency"]):
        assert f"{value:.3g}" in page.object.object
    assert f"{number['uplift']:.2g} g" in page.object.object


def test_a_run_that_overturned_is_shown_from_the_first_moment(study, ds, tmp_path, at_once):
    result = Result(ds, tmp_path / "s.zarr", study.folder)
    shown = understand(result, "dark").select(lambda each: "<iframe" in str(getattr(each, "object", "")))
    (player,) = shown
    place = result.notable["median_overturned"]
    assert f"realization {place.realization} at " in player.object


def test_the_page_has_a_tab_for_each_part_and_fits_a_phone(desk, at_once):
    page = Page("dark", desk)
    made = page.view()
    assert page.choice.options == list(PARTS)
    assert made.meta_viewport == "width=device-width, initial-scale=1"
    assert "theme=default" in made.header[0].object


def test_names_from_files_are_escaped():
    pieces = (paragraph(EVIL), refused(EVIL), rows_as_html([(EVIL, EVIL)]))
    for text in (*pieces, blocks_as_html([EVIL, format_table([EVIL], [[EVIL]])])):
        assert "<img" not in text
