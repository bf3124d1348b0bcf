"""The registry of impact laws: each is compiled, and every place that reads it says the same."""

import ast
from itertools import combinations
from math import nan, nextafter
from pathlib import Path

import pytest
from scipy.spatial.transform import Rotation

import mcrock
from mcrock.base.params import FACE_STREAM, RECHECK_STREAM
from mcrock.dataset.schema import NUMBERED, SCHEMA, declaration
from mcrock.impact import planar, single, varkonyi_2022
from mcrock.impact.conditions import OwnLaw
from mcrock.impact.registry import (
    CHOICES,
    DEFAULT_LAW,
    NOT_OF_RUNS,
    OF_FACE,
    ImpactParameter,
    Law,
    code_of,
    options,
)
from mcrock.laws import LAWS
from mcrock.planar.restitution import MODELS
from mcrock.study import Study
from mcrock.study.impact import FaceImpact, ImpactTable

ROOT = Path(mcrock.__file__).parent
# stored in datasets, or drawn by: these never change; `mcrock docs results` lists those added since
CODES = {
    "varkonyi_2022": 0,
    "housner_1963": 1,
    "ther_kollar_2017": 2,
    "kalliontzis_2016": 3,
    "brogliato_2012": 4,
    "moreau_1988": 5,
    "chatterjee_ruina_1998": 6,
    "whittaker_1904": 7,
    "pfeiffer_glocker_1996": 8,
    "brach_1989": 9,
    "routh_1905": 10,
    "own": 11,
}
STICKING = [law for law in Law if not law.of_one_contact and law != Law.OWN]
OF_ONE_CONTACT = [law for law in Law if law.of_one_contact]
STREAMS = {
    "lambda": 0,
    "tau": 1,
    "lambda_lon": 2,
    "lambda_lat": 3,
    "tau_facet": 4,
    "nu": 6,
    "e_n21": 7,
    "own_parameter": 8,
}
STORED = ("law", *list(STREAMS)[:5], "faces", *list(STREAMS)[5:], "draw", "energy_gain", "facet_fallback")
DESIGN = [f"impact.{key}" for key in (*STREAMS, "energy_gain", "draw", "facet_fallback", "law")]


def test_codes_streams_and_orders_stay():
    assert {law.key: int(law) for law in Law}.items() >= CODES.items()
    assert list(Law) == list(range(len(Law)))
    assert {item.key: item.stream for item in ImpactParameter}.items() >= STREAMS.items()
    assert [item.key for item in ImpactParameter][: len(STREAMS)] == list(STREAMS)
    assert [key for key in ImpactTable.key_names() if key in STORED] == list(STORED)


def uncertain(parameters, laws):
    """Inputs of a study that draws impact parameters, a law and every choice, in the order of its design."""
    data = {
        "seed": 1,
        "body": {"shape": "cuboid", "width": 0.4, "depth": 0.4, "height": 1.6, "density": 2600.0},
        "impact": {key: {"distribution": "uniform", "low": 0.5, "high": 0.9} for key in parameters}
        | {choice: list(options(choice)) for choice in CHOICES}
        | {"law": laws, "own_law": "theirs"},
        "start": {"tilt": 0.1},
        "motion": {"source": "none"},
        "ensemble": {"realizations": 4},
    }
    return Study.from_data(data, "test", Path()).uncertain


def test_the_order_of_the_design_stays():
    """Of what studies had so far, and with parameters that were added since, in the order of the registry."""
    laws = [law.key for law in (*STICKING, Law.OWN)]
    assert uncertain(STREAMS, [law for law in laws if law in CODES]) == DESIGN
    keys = [item.key for item in ImpactParameter]
    design = [f"impact.{key}" for key in (*keys, *CHOICES)]
    assert uncertain(keys, laws) == design


def test_random_streams_are_told_apart():
    streams = [item.stream for item in ImpactParameter]
    assert len({RECHECK_STREAM, *streams}) == 1 + len(streams)
    assert max(streams) < FACE_STREAM


def test_laws_of_the_planar_block_have_the_same_names():
    shared = [law for law in Law if law.key in MODELS]
    assert {law.key for law in shared} >= {
        "housner_1963", "ther_kollar_2017", "kalliontzis_2016", "brogliato_2012"
    }  # fmt: skip
    for law in shared:
        assert [parameter.key for parameter in law.parameters] == list(filter(None, [MODELS[law.key][1]]))


@pytest.mark.parametrize("law", Law)
def test_a_law_names_its_source(law):
    maps = {Law.VARKONYI_2022: varkonyi_2022, Law.MOREAU_1988: varkonyi_2022.plastic_facet}
    function = maps.get(law) or getattr(single if law.of_one_contact else planar, law.key)
    words = " ".join(function.__doc__.split())
    assert law.source.rstrip(".") in words
    assert f" {law.key.rpartition('_')[2]}" in law.label
    assert law.key.rpartition("_")[2] in law.source
    if hasattr(planar, law.key) and law != Law.OWN:  # a number by which a mistake in the formula is seen
        assert f">>> round({law.key}(" in function.__doc__


def function(parameter):
    """A law of a user."""
    return 0.5 + 0.1 / (1.0 + parameter**2) if parameter == parameter else 0.5


def run(law, **changed):
    """Energy lost in facet and in edge impacts of a block that is released, and of one that is shaken."""
    values = {item.argument: 0.95 for item in law.parameters if item.row.needed} | changed
    impact = request(law=law.key, **values)
    body = mcrock.cuboid(0.3, 0.24, 0.8, 2600.0, com=(0.02, -0.03, 0.0))
    released = mcrock.simulate(body, None, impact, start=mcrock.Start(edge=0, tilt=0.1), t_end=1.5).results
    shaken = mcrock.simulate(body, mcrock.Pulse((5.0, 3.0, 0.0), 12.0), impact, t_end=1.5).results
    assert released["facet_impacts"] > 0
    assert shaken["edge_impacts"] > 0
    return released["impact_energy_loss"], shaken["impact_energy_loss"]


def test_every_law_is_reached_in_compiled_code():
    found = {law: run(law, **({"lambda_lat": 0.1} if law == DEFAULT_LAW else {})) for law in STICKING}
    for one, other in combinations(STICKING, 2):
        assert found[one] != found[other], (one, other)


def bounce(law):
    """Speeds of a block after its corner has landed."""
    turn = Rotation.from_euler("zyx", [0.4, 0.5, 0.2]).as_quat(scalar_first=True)
    run = mcrock.simulate(
        mcrock.cuboid(0.3, 0.24, 0.8, 2600.0),
        None,
        mcrock.Impact(law=law.key),
        contact=mcrock.Contact(friction=0.3, restitution=0.5),
        start=mcrock.Start(position=(0.0, 0.0, 0.6), velocity=(0.8, 0.0, -1.0), orientation=turn),
        t_end=0.3,
    )
    assert run.events[0]["kind"] == "landing"
    return run.history["velocity"].values[-1].tolist()


def test_every_law_of_one_contact_is_reached_in_compiled_code():
    found = {law: bounce(law) for law in OF_ONE_CONTACT}
    for one, other in combinations(OF_ONE_CONTACT, 2):
        assert found[one] != found[other], (one, other)
    assert found[Law.CHATTERJEE_RUINA_1998] == bounce(Law.HOUSNER_1963)


def test_a_law_of_the_library_is_one_of_runs_or_refused_with_the_reason():
    homes = {home for home, _ in LAWS.values()}
    assert homes - {law.key for law in Law} == set(NOT_OF_RUNS)
    for name, reason in NOT_OF_RUNS.items():
        assert table(law=name).endswith(f"a list of them to sample from, got {name!r}; {reason}")
        assert table(law=["housner_1963", name]).endswith(f"got {name!r}; {reason}")
        assert request(law=name).endswith(f"got {name!r}; {reason}")


@pytest.mark.parametrize("law", OF_ONE_CONTACT)
def test_a_law_of_one_contact_takes_no_place_of_the_impulse(law):
    where = "at the vertex that lands"
    assert request(law=law.key, lambda_=0.5) == (
        f"Impact.lambda_ is a parameter of the law 'varkonyi_2022'; got law = {law.key!r}, which acts {where}"
    )
    assert table(law=law.key, **{"lambda": 0.5}) == (
        f"is a parameter of the law 'varkonyi_2022'; the study has {law.key!r}, {where}"
    )
    assert isinstance(table(law=[law.key, DEFAULT_LAW.key], **{"lambda": 0.5}), ImpactTable)


@pytest.mark.parametrize("item", ImpactParameter)
def test_every_parameter_is_read_in_compiled_code(item):
    changed = {item.argument: 0.9} if item.row.rule.unit == "1" else {item.argument: 0.1}
    if item.row.law is None:
        changed = {item.argument: 0.3}  # an uneven base is less uneven than the drum is slender, 0.38 rad
        drum, start = mcrock.cylinder(0.2, 1.0, density=2600.0), mcrock.Start(edge=0, tilt=0.1)
        runs = (
            mcrock.simulate(drum, impact=request(**given), start=start, t_end=1.0) for given in ({}, changed)
        )
        assert len({one.history["energy"].values[-1] for one in runs}) == 2
        return
    assert run(item.row.law) != run(item.row.law, **changed)


@pytest.mark.parametrize("item", ImpactParameter)
def test_a_parameter_has_its_variable(item):
    assert item.variable == f"impact_{item.key}"
    assert SCHEMA[item.variable].units == item.row.rule.unit
    assert SCHEMA[item.variable].long_name == item.row.words
    assert (f"impact_face_#_{item.key}" in NUMBERED) == item.row.of_face


def test_a_parameter_of_a_face_says_so():
    assert declaration("impact_face_3_lambda_lon").long_name == (
        "facet impact on face 3: position of the impulse across the facet"
    )


def table(**keys):
    """The table of a study file, or the first mistake in it."""
    own = {"own_law": "theirs"} if keys.get("law") == "own" else {}
    try:
        return ImpactTable.model_validate(own | keys)
    except ValueError as error:
        return error.errors()[0]["ctx"]["message"]


def request(**values):
    own = {"own_law": OwnLaw.of(function)} if values.get("law") == "own" else {}
    try:
        return mcrock.Impact(**own | values)
    except ValueError as error:
        return str(error)


def probes(rule):
    """Numbers at the ends of a rule and just outside, and what is no number."""
    ends = [end for end in (rule.least, rule.most, rule.above) if end is not None]
    beyond = [nextafter(end, way) for end in ends for way in (-1e9, 1e9)]
    return [0.5, *ends, *beyond, -3.0, 1e6, nan, "0.5", True]


@pytest.mark.parametrize("item", ImpactParameter)
def test_bounds_and_defaults_are_the_same_in_python_and_in_study_files(item):
    law = item.row.law or DEFAULT_LAW
    needed = {other.key: 0.5 for other in law.parameters if other.row.needed}
    for value in probes(item.row.rule):
        keys = {"law": law.key, **needed, item.key: value}
        values = {ImpactParameter[key.upper()].argument: keys[key] for key in keys if key != "law"}
        in_file, in_python = table(**keys), request(law=law.key, **values)
        fits = item.row.rule.fits(value)
        assert (not isinstance(in_file, str)) == (not isinstance(in_python, str)) == fits, value
        if fits:
            assert getattr(in_file, item.argument) == getattr(in_python, item.argument) == value
    assert getattr(ImpactTable.model_validate({}), item.argument) == item.row.default
    assert getattr(mcrock.Impact(), item.argument) == item.row.default


@pytest.mark.parametrize("item", OF_FACE)
def test_faces_have_the_same_bounds(item):
    for value in probes(item.row.rule):
        fits = item.row.rule.fits(value)
        own = {"face": 2, item.key: value}
        assert isinstance(table(faces=[own]), ImpactTable) == fits, value
        assert isinstance(request(faces={2: {item.argument: value}}), mcrock.Impact) == fits, value
    assert set(FaceImpact.key_names()) == {"face", *(other.key for other in OF_FACE)}


@pytest.mark.parametrize("item", ImpactParameter)
@pytest.mark.parametrize("law", Law)
def test_a_parameter_goes_with_its_law_alone(item, law):
    needed = {other.argument: 0.5 for other in law.parameters if other.row.needed}
    values = needed | {item.argument: 0.4}
    keys = {key.rstrip("_"): value for key, value in values.items()}
    fits = item.row.law in (law, None)
    assert isinstance(request(law=law.key, **values), mcrock.Impact) == fits
    assert isinstance(table(law=law.key, **keys), ImpactTable) == fits


def test_parameters_of_a_run_stand_in_their_columns():
    for item in ImpactParameter:
        law = item.row.law or DEFAULT_LAW
        needed = {other.argument: 0.5 for other in law.parameters if other.row.needed}
        impact = request(law=law.key, **needed | {item.argument: 0.25})
        assert impact.values()[item] == 0.25
    own = mcrock.Impact(
        lambda_lon=0.5, lambda_lat=0.1, faces={3: {"lambda_lat": 0.2}, 1: {"lambda_lon": 0.7}}
    )
    columns = own.face_parameters(5)
    assert [own.values()[column : column + 2].tolist() for column in columns] == [
        [0.5, 0.1], [0.7, 0.1], [0.5, 0.1], [0.5, 0.2], [0.5, 0.1]
    ]  # fmt: skip


@pytest.mark.parametrize("choice", CHOICES)
def test_choices_are_the_same_in_python_and_in_study_files(choice):
    assert options(choice)[0] == CHOICES[choice].name.lower()
    assert sorted(code_of(choice, word) for word in options(choice)) == sorted(
        map(int, type(CHOICES[choice]))
    )
    assert getattr(ImpactTable.model_validate({}), choice) == options(choice)[0]
    assert isinstance(table(**{choice: list(options(choice))}), ImpactTable) or choice == "law"
    if choice != "draw":  # of one run nothing is drawn
        assert getattr(mcrock.Impact(), choice) in (None, options(choice)[0])  # None: the default in the end


def test_help_names_every_parameter():
    for item in ImpactParameter:
        assert f"    {item.argument} : float" in mcrock.Impact.__doc__
        assert (item.row.law.key if item.row.law else "every law") in mcrock.Impact.__doc__


def test_nobody_else_keeps_a_list_of_parameters():
    """No file of these rooms has three of their names, but that with the ranges which `mcrock new` writes."""
    names = {item.key for item in ImpactParameter} | {item.variable for item in ImpactParameter}
    for folder in ("study", "dataset", "show", "statistics", "ensemble", "commands"):
        for path in sorted(set((ROOT / folder).rglob("*.py")) - {ROOT / "study" / "new.py"}):
            strings = {
                node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)
            }
            assert len(names & {text for text in strings if isinstance(text, str)}) < 3, path
