"""Guided studies: whatever is answered makes a study file that is accepted, and says what was answered."""

import tomllib
from functools import cache
from itertools import product
from math import atan

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mcrock
from mcrock.base import units
from mcrock.base.params import STANDARD_GRAVITY
from mcrock.excitation.response_spectra import response_spectrum
from mcrock.excitation.spectrum_compatible import ac156
from mcrock.show.body import object_numbers, sketch
from mcrock.study.load import study_of
from mcrock.study.new import answers_of, keep, new_study
from mcrock.study.questions import (
    BY_NAME,
    QUESTIONS,
    Amount,
    LevelList,
    Option,
    Whole,
    asked,
    floor_accelerations,
    read_answers,
)
from mcrock.study.sampling import check_inputs, draw_inputs, load_motions

POINTS = "-0.2 -0.2 0\n0.2 -0.2 0\n0.2 0.2 0\n-0.2 0.2 0\n0 0 1.2\n"
# where answers need not go together: the first corner of a body above its base, say
SIZES = {"height": (0.3, 3.0), "com_z": (-0.05, 0.05), "building_frequency": (0.5, 10.0), "mass": (1.0, 1e4)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("guided")
    (place / "rock.txt").write_text(POINTS)
    return place


def amounts(question):
    """An answer within the bounds of a number, in any of its units, as one number or a range."""
    low, high = SIZES.get(question.name, (0.1, 1.0))
    numbers = st.floats(low, high)
    table = units.units_of(question.check.unit)

    def typed(number, unit, comma):
        text = f"{number / table[unit]:.6f}"
        return (text.replace(".", ",") if comma and not text.startswith(tuple("123456789")) else text), unit

    one = st.builds(typed, numbers, st.sampled_from(list(table)), st.booleans()).map(" ".join)
    if not question.check.ranges:
        return one
    ends = st.tuples(numbers, numbers).map(sorted).filter(lambda pair: pair[1] - pair[0] > 1e-3)
    return one | ends.map(lambda pair: f"{pair[0]:.6f} to {pair[1]:.6f}")


def answers_to(question):
    check = question.check
    if isinstance(check, Option):
        return st.sampled_from(list(check.choices))
    if isinstance(check, Whole):
        return st.integers(check.least, min(check.most, 60)).map(str)
    if isinstance(check, LevelList):
        return st.lists(st.integers(1, 300), min_size=1, max_size=6, unique=True).map(
            lambda levels: ", ".join(str(level / 100) for level in sorted(levels)) + f" {check.unit}"
        )
    if isinstance(check, Amount):
        return amounts(question)
    return st.just("rock.txt") if question.name == "file" else st.text(max_size=20).filter(check_words(check))


def check_words(check):
    def fits(text):
        try:
            check.read(text)
        except ValueError:
            return False
        return True

    return fits


@cache
def motions_of(name):
    return mcrock.fema_p695(name, [1 if name != "nearfield_no_pulse" else 15])


@st.composite
def forms(draw):
    """Answers to some of the questions that are asked, each at random."""
    answers, given = {}, {}
    for question in asked(answers):
        inside = question.name != "com_z" or given.get("file_unit", "m") == "m"  # the centre of mass
        if question.name == "file" or (inside and draw(st.booleans())):
            given[question.name] = draw(answers_to(question))
        answers[question.name] = given.get(question.name) or question.default_after(answers)
    return given


@given(form=forms())
def test_every_form_makes_a_study_that_is_accepted(form, folder):
    text, study = new_study(folder, **form)
    (folder / "again.toml").write_text(text, encoding="utf-8")
    assert mcrock.load_config(folder / "again.toml").to_json() == study.to_json()
    assert study.title == form.get("title", "Free-standing object").strip()
    assert sketch(study).count("\n") >= 2
    if study.motion.source == "fema_p695":
        check_inputs(study.at_intensities([1.0]), motions_of(study.motion.set))


CHOICES = {
    question.name: list(question.check.choices)
    for question in QUESTIONS
    if isinstance(question.check, Option)
}


@pytest.mark.parametrize(
    "names",
    [("shape", "impacts", "place", "surfaces"), ("earthquakes", "measure", "spectrum", "place")],
    ids=" ".join,
)
def test_every_combination_of_choices_is_accepted(names, folder):
    """Exhaustively, where one choice could rule out another."""
    for chosen in product(*(CHOICES[name] for name in names)):
        form = dict(zip(names, chosen, strict=True))
        form |= {"file": "rock.txt"} if form.get("shape") == "polyhedron" else {}
        for name in [name for name in form if not BY_NAME[name].is_asked(form)]:
            del form[name]
        assert new_study(folder, **form).study.n_realizations >= 560


def test_a_block_in_centimetres():
    text, study = new_study(height="160 cm", width="0,4", depth="15.748 in", material="gran")
    body = tomllib.loads(text)["body"]
    assert body == {
        "shape": "cuboid",
        "width": 0.4,
        "depth": pytest.approx(0.4, abs=1e-5),
        "height": 1.6,
        "density": 2600.0,
    }
    assert study.intensity.levels == study.ensemble.realizations == "auto"
    of_mine = new_study(pga_levels="0.2, 0.4 g", realizations="44").study
    assert (of_mine.intensity.levels_g, of_mine.n_runs) == ((0.2, 0.4), 88)
    found = object_numbers(study)
    assert found["slenderness"] == pytest.approx(atan(0.25), rel=1e-4)
    assert found["uplift"] == pytest.approx(0.25, rel=1e-3)  # b/h of a block, in g


def test_a_range_is_a_uniform_distribution():
    _, study = new_study(shape="cylinder", diameter="58 to 62 cm", height=1.5)
    assert study.uncertain[0] == "body.radius"
    assert (study.body.radius.low, study.body.radius.high) == (0.29, 0.31)


def test_a_plinth_has_an_edge_and_a_storey_a_floor():
    _, study = new_study(place="plinth_on_storey", storey=3, storeys_above=1, edge_distance="8 cm")
    assert study.limits.displacement == 0.08
    assert study.contact.friction.low == 0.2
    # sum(i/N) / sum((i/N)^2) * 3/N for N = 4 storeys: 2.5 / 1.875 * 0.75
    assert study.motion.floor.factor == pytest.approx(1.0)
    assert study.motion.floor.frequency.low < 2.5 < study.motion.floor.frequency.high  # 10 Hz / 4


def test_every_mistake_is_named_at_once_with_its_remedy():
    with pytest.raises(ValueError, match="height") as caught:
        new_study(
            height="1,400 mm", widht="40 cm", mass="3 kg", shape="cubiod", depth="-1 m", width="4 parsec"
        )
    lines = str(caught.value).splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "shape",
        "height",
        "width",
        "depth",
        "widht",
        "mass",
    ]
    assert "did you mean 'cuboid'?" in lines[0]
    assert "1400 or 1.400" in lines[1]
    assert "[m; cm, mm, in, ft]" in lines[2]
    assert "> 0 and <= 40 [m]" in lines[3]
    assert "did you mean 'width'?" in lines[4]
    assert "material = weighed" in lines[5]


def test_every_question_says_why_and_has_a_default_that_is_right():
    answers, values = read_answers({"shape": "polyhedron", "file": "rock.txt"})
    assert values["up"] == "z"
    for question in QUESTIONS:
        assert question.why.endswith(".")
        assert question.prompt.rstrip(")").strip()
        assert set(question.needs) <= {other.name for other in QUESTIONS[: QUESTIONS.index(question)]}
    assert answers["realizations"] == answers["pga_levels"] == "auto"


@pytest.mark.parametrize("text", ["140", "41"])
def test_a_length_without_unit_that_is_too_large_asks_for_centimetres(text):
    with pytest.raises(ValueError, match=f"did you mean '{text} cm'"):
        new_study(height=text)


@pytest.mark.parametrize(("answer", "unit"), [({}, None), ({"spectrum_unit": "gal"}, "gal")])
def test_a_file_with_a_spectrum_says_its_unit_unless_somebody_does(folder, answer, unit):
    """It was taken as g, whatever its line of names said."""
    text, study = new_study(folder, earthquakes="spectrum", spectrum="file", spectrum_file="f.csv", **answer)
    assert (study.motion.unit, tomllib.loads(text)["motion"].get("unit")) == (unit, unit)


def test_ac156_is_that_of_the_floor_for_the_site(folder):
    """S_DS of 1 g at half the height: 1.6 g from 1.3 to 8.3 Hz; upright 2/3 of the ground."""
    asked = {"earthquakes": "spectrum", "spectrum": "ac156", "s_ds": "0.5, 1 g"}
    text, study = new_study(folder, place="storey", storey=2, storeys_above=2, **asked)
    assert (study.motion.height_ratio, study.motion.floor, study.motion.components) == (0.5, None, 3)
    assert "azimuth" not in tomllib.loads(text)["motion"]
    assert study.intensity.measure == "factor"
    assert study.intensity.levels == pytest.approx((4.903325, 9.80665), abs=1e-5)
    inputs = draw_inputs(study.of_size(1), load_motions(study), 0, 1)
    motion = inputs.motions[0].scaled(inputs.scale[0, 1])
    for period, wanted in ((1 / 8.3, 1.6), (1 / 2, 1.6), (1 / 1.3, 1.6), (1.0, 1.6 / 1.3)):
        found = response_spectrum(motion.acceleration[0], motion.dt, [period])[0] / STANDARD_GRAVITY
        assert 0.89 * wanted < found < 1.31 * wanted
    upright = response_spectrum(motion.acceleration[2], motion.dt, [0.2])[0] / STANDARD_GRAVITY
    assert 0.89 * 2 / 3 < upright < 1.31 * 2 / 3
    answers, kept = answers_of(tomllib.loads(text), folder)
    assert (answers["height_ratio"], answers["s_ds"]) == ("0.5", "0.5 1.0 g")
    assert "motion" not in kept
    ground = new_study(folder, place="storey", height_ratio=0, **asked).study
    assert (ground.motion.height_ratio, ground.motion.floor is not None) == (0.0, True)
    with pytest.raises(ValueError, match="height_ratio: expected a number"):
        new_study(folder, height_ratio=1.2, **asked)


def test_ac156_by_peak_floor_acceleration_has_that_of_the_site_among_its_levels(folder):
    """A_RIG = 0.4 S_DS (1 + 2 z/h), 0.8 g for S_DS of 1 g at half the height."""
    asked = {"earthquakes": "spectrum", "spectrum": "ac156", "measure": "pfa", "height_ratio": 0.5}
    text, study = new_study(folder, **asked)
    for height in (0.0, 0.5, 1.0):
        assert floor_accelerations([1.3], height) == pytest.approx(ac156(1.3, height).at([0.0]))
    assert study.intensity.measure == "pfa"
    assert study.intensity.levels_g == (0.2, 0.4, 0.6, 0.8, 1.2, 1.6, 2.4)
    assert "AC156, 0.4 S_DS (1 + 2 z/h): 0.8 g of S_DS = 1 g" in text
    answers, kept = answers_of(tomllib.loads(text), folder)
    assert not kept
    assert new_study(folder, **answers).study.intensity == study.intensity
    more = new_study(folder, **asked, s_ds="0.5, 1.5 g", pga_levels="0.5, 1 g").study
    assert more.intensity.levels_g == (0.4, 0.5, 1.0, 1.2)
    text, study = new_study(folder, **asked, pga_levels="auto")
    assert study.intensity.is_auto
    assert "`mcrock run --for 0.8g` adds" in text
    on_ground = new_study(folder, place="storey", **asked | {"height_ratio": 0})
    assert on_ground.study.intensity.is_auto
    assert "AC156, 0.4" not in on_ground.text


@pytest.mark.parametrize(("measure", "key"), [("pfa", "levels_g"), ("pfv", "levels")])
def test_levels_of_a_floor_are_asked_for_as_those_of_the_ground(folder, measure, key):
    levels = {"pga_levels" if measure == "pfa" else "pgv_levels": "0.5 1.5"}
    text, study = new_study(folder, place="storey", measure=measure, **levels)
    assert tomllib.loads(text)["intensity"] == {"measure": measure, key: [0.5, 1.5]}
    assert study.motion.on_floor
    assert answers_of(tomllib.loads(text), folder)[0]["measure"] == measure


def test_what_is_fixed_to_a_plinth_is_a_body_of_two_parts(folder):
    """Answers by their names as before make one piece; a form finds the answers of a file again."""
    form = {"shape": "cylinder", "diameter": "30 cm", "height": "60 cm", "material": "bronze"}
    plinth = {"mounted": "fixed", "mount_width": "45 cm", "mount_wall": "2 cm", "mount_material": "wood"}
    assert new_study(**form).study.body.shape == "cylinder"
    text, study = new_study(**form, **plinth)
    below, above = study.body.parts
    assert (below.shape, below.width, below.depth, below.height) == ("cuboid", 0.45, 0.45, 1.0)
    assert (below.wall, below.density) == (0.02, 700.0)
    assert (above.shape, above.radius, above.density) == ("cylinder", 0.15, 8700.0)
    assert study.impact.clearance is None  # its foot has edges, and no rim
    answers, kept = answers_of(tomllib.loads(text), folder)
    assert (answers["mounted"], answers["mount_wall"], kept) == ("fixed", "0.02 m", {})
    assert new_study(folder, **answers).study.to_json() == study.to_json()


def test_other_bodies_of_parts_are_kept_as_they_are(folder):
    tables = tomllib.loads(new_study(mounted="fixed").text)
    tables["body"]["parts"][0]["density"] = {"distribution": "normal", "mean": 700.0, "std": 20.0}
    tables["body"]["parts"][1]["x"] = 0.05
    answers, kept = answers_of(tables, folder)
    made = tomllib.loads(new_study(folder, **answers).text)
    assert study_of(keep(made, kept), folder / "s").to_json() == study_of(tables, folder / "s").to_json()
