"""Files and folders: what is found, left out, refused, and in which words."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from mcrock.excitation import MotionError
from mcrock.excitation.readers import read_records, scan_records, word_left_out

RECORDS = Path(__file__).parent / "records"
PEER = "RSN9763_SAMPLE_GIL"


@pytest.fixture
def folder(tmp_path):
    """A folder with copies of some record files."""

    def folder(*names, **texts):
        for name in names:
            shutil.copy(RECORDS / name, tmp_path)
        for name, text in texts.items():
            (tmp_path / name.replace("__", ".")).write_text(text)
        return tmp_path

    return folder


def test_a_folder_of_any_mix():
    scan = scan_records(RECORDS)
    assert scan.problems == []
    assert {path.name: reason for path, reason in scan.left_out.items()} == {
        "README.md": "no format that is known",
        f"{PEER}067.VT2": "a velocity time series, no acceleration",
    }
    assert [motion.metadata["format"] for motion in scan.motions] == [
        *("GeoNet V2A", "GeoNet V1A", "AFAD", "COSMOS V1", "CSMIP V2", "CSMIP V2", "CSMIP V1", "PEER AT2"),
        *("COSMOS V2", "ESM", "KiK-net", "KiK-net", "K-NET", "PEER AT2", "SMC"),
    ]
    # all but El Centro have three components
    missing = [motion.metadata.get("missing") for motion in scan.motions]
    assert [value for value in missing if value] == ["y, z"]
    for motion in scan.motions:
        assert {"file", "format", "unit", "unit_known"} <= motion.metadata.keys()
        assert all(isinstance(value, (str, int, float)) for value in motion.metadata.values())


def test_components_in_several_files_equal_those_read_alone():
    together = {motion.name: motion for motion in scan_records(RECORDS).motions}
    for folder, axes in (("esm", "xyz"), ("knet", "xyz"), ("cosmos", "xyz")):
        for path, axis in zip(sorted((RECORDS / folder).iterdir()), axes, strict=True):
            alone = read_records(path)[0]
            whole = next(
                m for m in together.values() if path.name in str(m.metadata["file"]) and m.name == alone.name
            )
            samples = alone.acceleration[~np.all(alone.acceleration == 0, axis=1)][0]
            np.testing.assert_array_equal(whole.acceleration["xyz".index(axis)], samples)


def test_search_results_of_peer_complete_the_records():
    with pytest.warns(UserWarning, match="1 left out"):
        motion = read_records(RECORDS / "peer")[0]
    assert motion.group == "RSN 9763"  # as the same recording in FEMA P695 would be
    assert motion.name == "Sample Hills, California 1989, Gilroy - Gavilan Coll."
    facts = motion.metadata
    site = {"vs30": 729.65, "distance_rupture": 9960.0, "lowest_usable_frequency": 0.25}
    site |= {"scale_factor": 1.4457, "magnitude": 6.93, "fault_type": "reverse Oblique"}
    assert {name: facts[name] for name in site} == site
    assert [facts[f"component_{axis}"] for axis in "xyz"] == ["067", "337", "UP"]  # y is 90 deg left of x
    assert "pulse_period" not in facts  # a dash in the table
    assert np.abs(motion.acceleration[0]).max() < 0.3 * 9.80665  # not scaled


def test_search_results_name_what_is_not_there(folder):
    path = folder(f"peer/{PEER}067.AT2", "peer/_SearchResults.csv")
    with pytest.warns(UserWarning, match=rf"lists 2 files that are not there: {PEER.lower()}337.at2"):
        motion = read_records(path)[0]
    assert motion.metadata["missing"] == "y, z"


def test_search_results_that_contradict_a_file_are_refused(folder):
    path = folder(f"peer/{PEER}067.AT2", "peer/_SearchResults.csv")
    table = path / "_SearchResults.csv"
    table.write_text(
        table.read_text().replace(f"{PEER}067.AT2", "x").replace(f"{PEER}-UP.AT2", f"{PEER}067.AT2")
    )
    with pytest.raises(MotionError, match="lists it as a vertical component, its header says '067'"):
        read_records(path)
    table.write_text(table.read_text().replace("Vertical Acc. Filename", "Vertical"))
    with pytest.raises(MotionError, match=r"column 'Vertical Acc. Filename' is missing"):
        read_records(path)


@pytest.fixture
def download(folder):
    """A download of PEER, its table, and the text of that."""
    path = folder(*(f"peer/{PEER}{end}.AT2" for end in ("067", "337", "-UP")), "peer/_SearchResults.csv")
    return path, path / "_SearchResults.csv", (path / "_SearchResults.csv").read_text()


def test_a_table_resaved_by_a_spreadsheet(download):
    """Quotes doubled and rows filled with commas; or semicolons, and decimal commas."""
    path, table, text = download
    lines = re.sub(r' "([^"]*)"', r'" ""\1"""', text).split("\n")
    table.write_text("\n".join(line + ",,," for line in lines))
    assert read_records(path)[0].metadata["station"] == "Gilroy - Gavilan Coll."
    table.write_text(re.sub(r"(?<=\d)\.(?=\d)", "#", text).replace(",", ";").replace("#", ","))
    facts = read_records(path)[0].metadata
    assert (facts["vs30"], facts["scale_factor"], facts["magnitude"]) == (729.65, 1.4457, 6.93)


def test_all_problems_of_a_folder_are_told_at_once(folder):
    path = folder("elcentro.AT2", "CE89146.V2", "esm/HI.ARS1..HNE.D.20190728.160908.C.ACC.ASC")
    for name in ("elcentro.AT2", "CE89146.V2"):
        lines = (path / name).read_text().split("\n")
        (path / name).write_text("\n".join(lines[: len(lines) // 2]))
    with pytest.raises(MotionError, match="truncated") as refused:
        read_records(path)
    assert str(refused.value).count("\n") == 1
    assert all(f"{path / name}, line" in str(refused.value) for name in ("elcentro.AT2", "CE89146.V2"))
    scan = scan_records(path)
    assert len(scan.problems) == 2
    assert [motion.name for motion in scan.motions] == ["Greece 2019, HI.ARS1"]


def test_tables_are_read_where_the_unit_is_given(folder):
    path = folder(
        "elcentro.AT2", a__csv="time,x\n0,1\n0.5,2\n", b__txt="1\n3\n", notes__txt="see page\n3 4\nof it\n"
    )
    scan = scan_records(path)
    assert word_left_out(scan) == [
        "2 left out (table of numbers; say its unit, as unit='cm/s2' or --unit cm/s2): a.csv, b.txt",
        "1 left out (no format that is known): notes.txt",
    ]
    scan = scan_records(path, unit="gal", dt=0.5)
    assert [motion.name for motion in scan.motions[:2]] == ["a", "b"]
    assert scan.motions[0].acceleration[0].tolist() == [0.01, 0.02]
    assert scan.motions[0].metadata["unit_known"] == "given"
    assert scan.motions[0].metadata["missing"] == "y, z"
    # in a folder the unit is that of the tables alone
    assert scan.motions[2].metadata["unit"] == "g"


def test_names_with_numbers_are_in_their_order(folder):
    """Also where a digit is none that a number is made of."""
    path = folder(**dict.fromkeys(("r10__csv", "r9__csv", "R1__csv", "\u00b25__csv"), "0,1\n1,2\n"))
    assert [motion.name for motion in read_records(path, unit="g")] == ["R1", "r9", "r10", "\u00b25"]


def test_hidden_files_are_passed_over_and_progress_is_told(folder):
    path = folder("elcentro.AT2", "CE89146.V2", __hidden="x")
    (path / ".git").mkdir()
    (path / ".git" / "a.AT2").write_text("x")
    assert len(scan_records(path).left_out) == 0
    seen = []
    assert len(read_records(path, progress=lambda done, total: seen.append((done, total)))) == 2
    assert seen == [(1, 2), (2, 2)]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("elcentro.AT2", {"unit": "gal"}, r"the unit 'gal' is .* in this PEER AT2 file it is 'g' \(declared"),
        ("elcentro.AT2", {"dt": 0.02}, r"dt = 0.02 s is given, but the file says 0.01 s"),
        ("elcentro.AT2", {"unit": "feet"}, r"unit of the acceleration must be one of m/s2, .*, got 'feet'"),
        ("elcentro.AT2", {"format": "peer"}, r"format must be 'at2', .* or 'obspy', got 'peer'"),
        ("elcentro.AT2", {"format": "esm"}, r"elcentro.AT2: is not in the format 'esm': 'PEER STRONG MOTION"),
        ("elcentro.AT2", {"format": "csv"}, r"expected at most 4 columns, time, x, y, z, got 5"),
        ("README.md", {}, r"README.md: no format that is known; known are at2, esm, knet, .* tables of time"),
        ("README.md", {"unit": "g"}, r"README.md"),
        ("nothing.AT2", {}, r"nothing.AT2: no such file or folder"),
    ],
)
def test_wrong_requests(name, options, message):
    with pytest.raises(MotionError, match=message):
        read_records(RECORDS / name, **options)


def test_the_unit_may_be_given_where_it_agrees():
    motion = read_records(RECORDS / "elcentro.AT2", unit="G", dt=0.01, format="at2")[0]
    assert motion.metadata["unit_known"] == "declared in the file"
    assert read_records(RECORDS / "CE36456.V2", unit="CM/S^2")[0].metadata["unit"] == "cm/s2"


def test_an_empty_folder(tmp_path):
    with pytest.raises(MotionError, match="no record found in this folder"):
        read_records(tmp_path)
    (tmp_path / "a.pdf").write_bytes(b"%PDF\0\0")
    with pytest.raises(MotionError, match=r"no record found in this folder\n1 left out \(no text.*a.pdf"):
        read_records(tmp_path)


def test_raw_and_processed_in_two_folders(folder, tmp_path):
    for name in ("raw", "processed"):
        (tmp_path / name).mkdir()
        shutil.copy(RECORDS / "elcentro.AT2", tmp_path / name)
    motions = read_records(tmp_path)
    assert len(motions) == 2
    assert motions[0].group == motions[1].group


def unnamed(path, component, name):
    """One of the components of the sample, under a name that says nothing."""
    text = (RECORDS / f"peer/{PEER}{component}.AT2").read_text().split("\n")
    title, _, _ = text[1].rpartition(",")
    text[1] = f"{title}, {name}"
    (path / f"RSN9763_SAMPLE_GIL{name}.AT2").write_text("\n".join(text))


@pytest.mark.parametrize("names", [("QA", "QB", "QC"), ("HN1", "HN2", "HN3")])
def test_the_table_decides_on_components_of_unknown_names(folder, names):
    path = folder("peer/_SearchResults.csv")
    table = path / "_SearchResults.csv"
    text = table.read_text()
    for component, name in zip(("067", "337", "-UP"), names, strict=True):
        unnamed(path, component, name)
        text = text.replace(f"{PEER}{component}.AT2", f"{PEER}{name}.AT2")
    table.write_text(text)
    with pytest.warns(UserWarning, match="directions unknown"):  # the table knows which is vertical
        (motion,) = read_records(path)
    assert [motion.metadata[f"component_{axis}"] for axis in "xyz"] == list(names)
    table.unlink()
    with pytest.raises(MotionError, match="has 3 horizontal components"):
        read_records(path)


@pytest.mark.parametrize("number", ["9763.0", "9763"])
def test_record_numbers_of_a_spreadsheet(download, number):
    path, table, text = download
    table.write_text(re.sub(r"\b9763\b(?=\s*,)", number, text))
    (motion,) = read_records(path)
    assert (motion.group, motion.metadata["rsn"]) == ("RSN 9763", 9763)
    table.write_text(re.sub(r"\b9763\b(?=\s*,)", "abc", text))
    with pytest.raises(MotionError, match=r"_SearchResults.csv, line \d+: Record Sequence Number must be"):
        read_records(path)


def test_files_with_other_channels_are_left_out(folder):
    path = folder("CE36456.V2", "elcentro.AT2")
    scan = scan_records(path, channels=[4])
    assert word_left_out(scan) == ["1 left out (none of the chosen channels; it has 1, 2, 3): CE36456.V2"]
    assert [motion.metadata["format"] for motion in scan.motions] == ["PEER AT2"]  # numbers no channels


def test_tables_that_name_their_units_need_no_other(folder):
    """Of a folder, those that are motions; a spectrum or a hazard curve beside them is none."""
    records = {"a__csv": "time [s],EW [g],NS [g]\n0,0,0\n0.01,0.1,0\n", "b__csv": "0,1\n1,2\n"}
    others = {"c__csv": "period [s],sa [g]\n0.1,1\n1,2\n", "d__csv": "pga [g],mean\n0.1,0.01\n0.2,0.001\n"}
    scan = scan_records(folder(**records, **others))
    assert not scan.problems
    assert [path.name for path in scan.left_out] == ["b.csv", "c.csv", "d.csv"]
    assert scan.motions[0].acceleration[0, 1] == 0.980665
    assert scan.motions[0].metadata["unit_known"] == "declared in the file"
