"""Collections on the command line: from an empty folder to the page, and what is refused."""

import csv
import json
import re
import shutil
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

from mcrock.base.params import STANDARD_GRAVITY, Outcome
from mcrock.ensemble.collection import open_collection, run_collection
from mcrock.show import collection
from mcrock.show.collection import losses_of
from mcrock.statistics.collection import number_lost
from mcrock.study.collection import load_collection

STUDY = """
title = "Museum"
seed = 3
[collection]
table = "objects.csv"
[body]
shape = "cuboid"
depth = 0.6
density = 2000.0
[impact]
lambda = { distribution = "uniform", low = 0.5, high = 1.0 }
[motion]
source = "fema_p695"
azimuth_deg = { distribution = "uniform", low = 0, high = 360 }
[intensity]
measure = "pga"
levels_g = [0.2, 0.5, 1.5]
[ensemble]
realizations = 44
"""
TABLE = """\
object,width [cm],height [cm],number,value,group,note
urn,20,120,2,5,a,on loan
chest,80,120,1,10,,
stele,25,160,1,1,a,
"""
HAZARD = "pga [g],mean\n0.05,1e-1\n0.5,1e-3\n2,1e-5\n"
GRID = """<shakemap_grid><grid_field index="1" name="LON"/><grid_field index="2" name="LAT"/>
<grid_field index="3" name="PGA"/><grid_data>
10 40 20
11 40 20
10 41 20
11 41 20
</grid_data></shakemap_grid>
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a collection that has been run."""
    folder = tmp_path_factory.mktemp("collection")
    (folder / "study.toml").write_text(STUDY)
    (folder / "objects.csv").write_text(TABLE)
    (folder / "hazard.csv").write_text(HAZARD)
    (folder / "grid.xml").write_text(GRID)
    (folder / "torn.xml").write_text(GRID.replace("11 40 20", "11 40 x"))
    run_collection(load_collection(folder / "study.toml"), folder / "all.zarr")
    return folder


def test_a_collection_is_made_by_new_and_checked(mcrock, tmp_path):
    study = tmp_path / "museum.toml"
    code, out, err = mcrock("new", study, "--collection", "--place=storey", "--storey=1", "--storeys-above=1")
    assert code == 0, err
    assert "3 rows, 5 objects" in out
    assert "[collection.floors.floor_2]" in study.read_text()
    found = load_collection(study)
    assert found.items[0].study.intensity.levels == "auto"
    assert mcrock("new", study, "--collection")[0] == 2  # nothing is overwritten
    code, out, err = mcrock("check", study)
    assert code == 0
    assert re.search(r"stele +cuboid +7\.13", out)


def test_run_prints_the_answer_and_goes_on(mcrock, made, tmp_path):
    for name in ("study.toml", "objects.csv"):
        shutil.copy(made / name, tmp_path)
    study, store = tmp_path / "study.toml", tmp_path / "all.zarr"
    assert mcrock("run", study, "-o", store, "--dry-run")[0] == 0
    assert not store.exists()
    assert "# 528 runs of" in mcrock("submit", study, "--dry-run")[1]
    code, out, err = mcrock("run", study, "-o", store, "--task", "1/2")
    assert code == 0, err
    assert "of 20 chunks" in out, err
    code, out, err = mcrock("run", study, "-o", store, "--resume")
    assert code == 0, err
    assert re.search(r"most urgent: \w+", out), err
    assert mcrock("run", study, "-o", store)[0] == 2  # there already
    code, out, err = mcrock("verify", store, "--digest")
    assert code == 0, err
    assert len(set(out.split())) >= 4
    (here,) = json.loads(mcrock("status", store, "--json")[1])["stores"]
    assert (here["state"], here["runs_done"]) == ("done", here["runs"])
    assert (here["runs"], here["chunks"]) == (528, 20)
    code, out, err = mcrock("status", store)
    assert "20 of 20 chunks" in out
    code, out, err = mcrock("merge", tmp_path / "m.zarr", store, store / "objects" / "urn.zarr")
    assert (code, out) == (2, "")
    assert "a collection merges with collections alone: " in err
    assert not (tmp_path / "m.zarr").exists()
    for name in ("urn", "urn (2)", "chest", "stele"):
        one, other = open_collection(store).open(name), open_collection(made / "all.zarr").open(name)
        np.testing.assert_array_equal(one["outcome"], other["outcome"])
    (tmp_path / "objects.csv").write_text(TABLE + "vase,30,90,1,2,,\n")
    assert "--extend" in mcrock("run", study, "-o", store, "--resume")[2]
    code, out, err = mcrock("run", study, "-o", store, "--extend")
    assert code == 0, err
    assert "of 5 objects" in out, err
    (tmp_path / "objects.csv").write_text(TABLE)
    assert "the table lacks: vase" in mcrock("run", study, "-o", store, "--extend")[2]
    assert mcrock("run", study, "-o", store, "--overwrite")[0] == 0


def test_tables_hold_what_is_printed(mcrock, made, tmp_path):
    """JSON, CSV and text of one computation, with rates that a hazard gives."""
    given = made / "all.zarr", "--hazard", made / "hazard.csv", "--at", "0.5g"
    code, out, err = mcrock("collection", *given, "-o", tmp_path / "figures", "--json")
    assert code == 0, err
    tables = json.loads(out)
    urgent = tables["objects"]["variables"]
    names, rates = urgent["object"]["values"], urgent["rate"]["values"]
    assert sorted(names) == ["chest", "stele", "urn"]
    assert rates == sorted(rates, reverse=True)
    with (tmp_path / "figures" / "objects.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["object"] for row in rows] == names
    np.testing.assert_allclose([float(row["rate [1/a]"]) for row in rows], rates, rtol=1e-5)
    assert {path.suffix for path in (tmp_path / "figures").iterdir()} == {".png", ".csv"}
    number = number_lost(losses_of(open_collection(made / "all.zarr")), 0.5 * STANDARD_GRAVITY)
    assert tables["number"]["variables"]["exceedance"]["values"] == number["exceedance"].values.tolist()
    assert tables["events"]["variables"]["event"]["values"] == ["any object", "all of a"]
    fell = {
        name: open_collection(made / "all.zarr").open(name)["outcome"].values[:, 1] == Outcome.OVERTURNED
        for name in names
    }
    both = [[(fell[one] & fell[other]).mean() for other in names] for one in names]
    np.testing.assert_allclose(tables["pairs"]["variables"]["both"]["values"], both, rtol=1e-12)
    text = mcrock("collection", *given)[1]
    assert f"In an earthquake of 0.5 g: {float(number['expected_number']):.2f} (" in text


def test_the_page_has_a_sheet_for_each_object(mcrock, made, tmp_path):
    page = tmp_path / "page.html"
    code, out, err = mcrock("collection", made / "all.zarr", "--scenario", "0.3g,0.4", "--page", page)
    assert code == 0, err
    assert "in this earthquake of 0.3g with a scatter of 0.4 at least one falls" in out, err
    text = page.read_text()
    assert all(f"object-{name}" in text for name in ("urn", "chest", "stele"))
    assert "On loan" in text
    assert "http://" not in text.replace("http://www.w3.org", "")
    assert 'src="http' not in text
    assert mcrock("collection", made / "all.zarr", "--page", page)[0] == 2  # there already


def test_one_earthquake_of_a_shakemap_is_that_of_its_numbers(mcrock, made):
    """20 % of g on the whole map."""
    ends = made / "all.zarr", "--json"
    by_map = mcrock("collection", *ends, "--shakemap", made / "grid.xml", "--site", "10.4,40.7")[1]
    by_hand = mcrock("collection", *ends, "--scenario", "0.2g,0.5")[1]
    found = [json.loads(out)["events"]["variables"]["event_rate"]["values"] for out in (by_map, by_hand)]
    np.testing.assert_allclose(*found, rtol=1e-9)


def test_a_change_is_told_by_pairs(mcrock, made, tmp_path):
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "objects.csv").write_text(TABLE.replace("stele,25,", "stele,70,").replace("urn,20", "urn,60"))
    assert mcrock("run", tmp_path / "study.toml", "-o", tmp_path / "safer.zarr")[0] == 0
    same = mcrock("collection", made / "all.zarr", "--changed", made / "all.zarr", "--json", "--at=0.5g")[1]
    assert json.loads(same)["change"]["variables"]["fewer"]["values"] == pytest.approx(0.0, abs=1e-12)
    code, out, err = mcrock(
        "collection", made / "all.zarr", "--changed", tmp_path / "safer.zarr", "--at=0.5g"
    )
    assert code == 0, err
    assert "fewer fall on average at 0.5 g" in out, err


def test_exports_have_every_row(mcrock, made, tmp_path):
    code, _out, err = mcrock("export", made / "all.zarr", "-o", tmp_path / "f.xml", "--site", "22.1,38.2")
    assert code == 0, err
    functions = ElementTree.parse(tmp_path / "f.xml").iter(
        "{http://openquake.org/xmlns/nrml/0.5}fragilityFunction"
    )
    with (tmp_path / "f_exposure.csv").open() as file:
        exposure = {row["taxonomy"]: row for row in csv.DictReader(file)}
    assert [one.get("id") for one in functions] == list(exposure) == ["urn", "chest", "stele"]
    assert exposure["urn"]["number"] == "2"
    assert exposure["urn"]["contents"] == "10"
    assert mcrock("export", made / "all.zarr", "-o", tmp_path / "f.csv")[0] == 0
    with (tmp_path / "f.csv").open() as file, (tmp_path / "f_quantities.csv").open() as other:
        assert [row["ID"] for row in csv.DictReader(file)] == [row["ID"] for row in csv.DictReader(other)]


@pytest.mark.filterwarnings("ignore:The inplace keyword")  # of pandas, by Panel
def test_a_click_opens_the_object_of_its_row(made, monkeypatch):
    """By its place: the table shortens long names."""
    results = pytest.importorskip("mcrock.show.app.results", reason="the page needs the extra app")
    monkeypatch.setattr(collection, "_name", lambda one: "shortened ...")
    monkeypatch.setattr(results.parts, "in_background", lambda work, done: done(work()))
    found, opened = collection.find(open_collection(made / "all.zarr"), collection.Asked()), []
    results.Collected(found, made, opened.append)._clicked(SimpleNamespace(row=1))
    assert opened[0].store == found.results.store(str(found.objects["object"].values[1]))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["collection", "all.zarr", "--at", "0.7g"], "there are 0.2, 0.5, 1.5"),
        (["collection", "all.zarr", "--at", "0.5"], "with its unit"),
        (["collection", "all.zarr", "--scenario", "0.3g,x"], "0.3g,0.5"),
        (["collection", "all.zarr", "--scenario", "0.3g,-1"], "> 0"),
        (["collection", "all.zarr", "--scenario=0.3g", "--hazard=hazard.csv"], "give one of"),
        (["collection", "all.zarr", "--shakemap", "grid.xml", "--site", "50,0"], "not on the map"),
        (["collection", "all.zarr", "--shakemap", "grid.xml"], "--site LON,LAT"),
        (["collection", "all.zarr", "--shakemap", "hazard.csv", "--site=1,2"], "grid.xml of a ShakeMap"),
        (["collection", "all.zarr", "--shakemap", "torn.xml", "--site=10,40"], "3 numbers on each line"),
        (["collection", "all.zarr", "--page", "page.txt"], ".html"),
        (["collection", "all.zarr", "--level", "95"], "level"),
        (["collection", "all.zarr/objects/urn.zarr"], "no results of a collection"),
        (["stats", "all.zarr"], "`mcrock collection"),
        (["export", "all.zarr", "-o", "runs.nc"], "openquake (.xml) and pelicun (.csv)"),
        (["export", "all.zarr", "-o", "f.xml", "--site", "here"], "LON,LAT"),
        (["run", "study.toml", "-o", "new.zarr", "--for", "0.3g"], "add it to [intensity] levels"),
        (["run", "study.toml", "-o", "hazard.csv"], "choose another output"),
        (["new", "other.toml", "--collection", "--height", "3 m"], "height: is of each object"),
        (["rare", "study.toml"], "`mcrock check`, `run` and `submit` take it"),
    ],
)
def test_refusals(mcrock, made, monkeypatch, arguments, words):
    monkeypatch.chdir(made)
    before = sorted(made.rglob("*"))
    code, out, err = mcrock(*arguments)
    assert code == 2, err
    assert words in err, err
    assert "Traceback" not in err
    assert not out
    assert sorted(made.rglob("*")) == before
