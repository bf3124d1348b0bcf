"""Tables of objects: what a row makes of the study, and every mistake by its line and column."""

import pytest

from mcrock.base.tables.parsing import ConfigError
from mcrock.study import load_config
from mcrock.study.collection import COLUMNS, TEMPLATE, load_collection

COLLECTION = """
[collection]
table = "objects.csv"
[collection.floors.first]
frequency = 3.0
damping = 0.05
"""
MESH = "".join(f"v {x} {y} {z}\n" for x in (0, 30) for y in (0, 30) for z in (0, 100)) + (
    "f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n"
)


@pytest.fixture
def load(study_file, tmp_path):
    """Function that loads a table, with what it adds to the study file and overrides."""

    def of_table(table, *overrides, more=COLLECTION):
        path = study_file()
        path.write_text(path.read_text(encoding="utf-8") + more, encoding="utf-8")
        (tmp_path / "objects.csv").write_text(table, encoding="utf-8")
        (tmp_path / "rock.obj").write_text(MESH)
        return load_collection(path, overrides)

    return of_table


@pytest.fixture
def mistakes(load, tmp_path):
    """Function that gives the mistakes of a table without its folder, after which no file is new."""

    def of_table(table, **options):
        with pytest.raises(ConfigError) as caught:
            load(table, **options)
        assert {path.name for path in tmp_path.iterdir()} <= {"study.toml", "objects.csv", "rock.obj"}
        return [line.replace(f"{tmp_path}/", "") for line in caught.value.mistakes]

    return of_table


ROW = "objects.csv, line 2 (a)"


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("object,shape,height\na,cylinder,1\n", f"{ROW} [body]: missing key 'radius'; expected a number > 0"),
        ("object,shape,height\na,cylinder,1\n", "; the column 'diameter' gives it"),
        ("object\na\nA\n", "line 3 (A): objects.csv, line 2 (a) has the name 'A' too; give each object its"),
        ("object,number\nb (2),\nb,3\n", "line 3 (b): objects.csv, line 2 (b (2)) has the name 'b (2)' too"),
        ("object,plinth_depth [cm]\na,35\n", f"{ROW}, column 'plinth_depth [cm]': the plinth of 0.35 x 0.35"),
        ("object,plinth_width,plinth_depth\na,1,.3\n", "1 x 0.3 m is smaller than the base, 0.4 x 0.4 m"),
        ("object,width [cm]\na,400 mm\n", f"{ROW}, column 'width [cm]': the column is in cm: write the num"),
        ("object,width [kg]\na,4\n", "column 'width [kg]': its unit is 'm' or another of its kind, got kg"),
        ("object,place\na,roof\n", f"{ROW}, column 'place': expected 'ground' or 'first', of [collection.fl"),
        ("object,shape,file,file_unit\na,polyhedron,g.stl,m\n", f"{ROW} [body] file: g.stl: cannot be re"),
        ("object,shape,file\na,polyhedron,rock.obj\n", "the column 'file_unit' gives it"),
        ("object,ensemble.realizations\na,3\n", "all objects have the same ensemble: give it in the study f"),
        ("object,motion.azimuth_deg\na,3\n", "column 'motion.azimuth_deg': all objects have the same motion"),
        ("object,widht [cm]\na,3\n", "column 'widht [cm]': no such column; did you mean 'width'?; there are"),
        ("object,body.wdth\na,3\n", "column 'body.wdth': no such key of a study file"),
        ("object,width [cm],width [m]\na,2,3\n", "objects.csv: more than one column 'width'"),
        ("object,width,body.width\na,2,3\n", "columns 'width' and 'body.width' are the same; leave one of"),
        ("object,note\na,tall,old\n", f"{ROW}: more cells than the header has columns"),
        ("object,note,group\na,tall\n", f"{ROW}: fewer cells than the header has columns; leave unknown"),
        ("object,note\n,tall\n", "line 2: expected a name of 1 to 100 letters in column 'object'"),
        (f"object\n{'像' * 51}\n", "expected a name of 1 to 100 letters"),
        ("object\na\x07b\n", "expected a name of 1 to 100 letters"),
        ("object,note\n", "objects.csv: expected 1 to 10000 objects, one a row, got 0"),
        ("", "objects.csv: no column 'object', which has the name of each"),
        ("object,number\na,2.5\n", f"{ROW}, column 'number': expected a whole number, got 2.5"),
        ("object,number\na,0\n", f"{ROW}, column 'number': expected a number >= 1 and <= 1000 [1], got '0'"),
        ("object,value\na,12 EUR\n", f"{ROW}, column 'value': expected a number [1], got '12 EUR'"),
        ("object,width [cm]\na,nan\n", f"{ROW}, column 'width [cm]': the column is in cm: write the number"),
        ("object,width [cm]\na,50 to 40\n", "expected a range from the smaller to the larger number, got"),
        ("object,material\na,jelly\n", f"{ROW}, column 'material': expected granite, marble,"),
        ("object,mass [kg],material\na,30,wood\n", f"{ROW}, column 'mass [kg]': the density of its material"),
        ("object,top_scale\na,0.5\n", f"{ROW}, column 'top_scale': [body]: unknown key 'top_scale'; it be"),
        ("object,limits.displacement\na,3\n", "needs the key 'friction' in [contact]: without it nothing sl"),
        ("object,com_z [cm]\na,90\n", f"{ROW} [body]: with every uncertain number at its median, the centre"),
    ],
)  # fmt: skip
def test_a_mistake_has_its_line_and_column(mistakes, table, expected):
    found = mistakes(table)
    assert len(found) == 1, found
    assert expected in found[0]


def test_all_mistakes_are_told_at_once(mistakes):
    rows = "a,-1,x,,roof\nb,40,,,\nb,40,,,\n,40,,,\nc,,,cow,,\nd,30,,,\ne,,,,\n"
    places = [line.split(":")[0] for line in mistakes(f"object,width [cm],friction,shape,place\n{rows}")]
    columns = [f"{ROW}, column {name!r}" for name in ("width [cm]", "friction", "place")]
    lines = [f"objects.csv, line {k}" for k in ("5", "6 (c)", "4 (b)", "6 (c), column 'shape'")]
    assert places == [*lines[:2], *columns, *lines[2:]]
    assert len(mistakes("object,wdth,hight,body.foo\na,1,2,3\n")) == 3


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("[collection]\n", "expected a section [collection] with the key table = 'objects.csv'"),
        ('[collection]\ntable = "gone.csv"\n', "gone.csv: cannot be read: No such file or directory"),
        (f"{COLLECTION}\n[collection.floors.ground]\nfrequency = 2\n", "this name is that of the ground; g"),
        (f"{COLLECTION}\n[collection.floors.roof]\nfrequency = -2\n", "frequency: must be > 0 [Hz], got -2"),
        ('[collection]\ntable = "objects.csv"\ntabel = 1\n', "[collection]: no such key 'tabel'; there are"),
    ],
)  # fmt: skip
def test_a_section_that_cannot_be_is_refused(mistakes, more, expected):
    assert expected in "\n".join(mistakes("object\na\n", more=more))


def test_what_a_row_leaves_out_is_that_of_the_study(load, study_file):
    table = "object,shape,width [cm],diameter,height [cm],com_z [mm],friction,place,number,value,group,note\n"
    rows = "a,,,,,,,,,,,\nb,,50,,150 to 170,20,0.3 to 0.5,first,3,7.5,g,tall\n"
    rows += "c,cylinder,,0.3 m,90,,,ground,,,,\n"
    found = load(table + rows)
    a, b, c = (item.study for item in found.items)
    alone = load_config(study_file())
    assert (a.body, a.contact, a.motion) == (alone.body, alone.contact, alone.motion)
    assert (b.body.width, b.body.depth, b.body.com_z) == (0.5, 0.4, 0.02)
    assert (b.body.height.low, b.body.height.high) == (1.5, 1.7)
    assert (b.contact.friction.low, b.contact.friction.high) == (0.3, 0.5)
    assert (b.motion.floor.frequency, a.motion.floor, c.motion.floor) == (3.0, None, None)
    assert (c.body.shape, c.body.radius, c.body.height, c.body.density) == ("cylinder", 0.15, 0.9, 2600)
    item = found.items[1]
    assert (item.number, item.value, item.place, item.group, item.note) == (3, 7.5, "first", "g", "tall")
    assert [*found.members] == ["a", "b", "b (2)", "b (3)", "c"]
    over = load(table + rows, "body.height=1.2")  # wins over rows
    assert [item.study.body.height for item in over.items] == [1.2, 1.2, 1.2]


@pytest.mark.parametrize(
    ("columns", "cells", "key", "expected"),
    [
        ("width;body.com_x [mm];friction", "60,5 cm;2,5;0,3 to 0,5", ("body", "width"), 0.605),
        ("width;body.com_x [mm];friction", "60,5 cm;2,5;0,3 to 0,5", ("body", "com_x"), 0.0025),
        ("impact.lambda;value [EUR]", "0,9;1000", ("impact", "lambda_"), 0.9),
        ("surfaces,mass [t]", "rough,0.5", ("body", "mass"), 500.0),
        ("plinth_width [cm],friction", "60,0.3", ("limits", "displacement"), 0.1),
        ("plinth_width [cm],friction,edge_distance [cm]", "60,0.3,4", ("limits", "displacement"), 0.04),
        ("shape,file,file_unit", "polyhedron,rock.obj,cm", ("body", "solid", "volume"), 0.09),
    ],
)
def test_cells_become_keys(load, columns, cells, key, expected):
    separator = ";" if ";" in columns else ","
    found = load(f"object{separator}{columns}\na{separator}{cells}\n").items[0].study
    for name in key:
        found = found[name] if isinstance(found, dict) else getattr(found, name)
    assert found == pytest.approx(expected, rel=1e-12)


def test_a_plinth_that_may_rock_itself_is_a_caution(load):
    table = "object,plinth_width [cm],plinth_height [cm]\na,45,{}\n"
    (said,) = load(table.format(200)).cautions
    assert "its plinth, 0.45 m wide and 2 m high, is as slender and may rock too" in said
    assert load(table.format(150)).cautions == []


def test_the_template_is_a_table(load):
    found = load(TEMPLATE)
    assert [item.number for item in found.items] == [1, 3, 1]
    assert {head.partition(" ")[0] for head in TEMPLATE.split("\n")[0].split(",")} <= set(COLUMNS)
