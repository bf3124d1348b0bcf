"""A law of a user: one of the package that it repeats, what it may know, and what is refused before a run."""

import importlib.metadata
import os
import pickle
import types
from math import cos, log, nan, sin, sqrt

import numpy as np
import pytest
from numba import njit

import mcrock
from mcrock.base.own_function import source_of
from mcrock.impact.conditions import OwnLaw
from mcrock.show.describe import describe
from mcrock.study import ConfigError, load_config
from mcrock.study.sampling import load_motions
from mcrock.study.study import Study

BODY = mcrock.cuboid(0.3, 0.24, 0.8, 2600.0, com=(0.02, -0.03, 0.0))
PULSE = mcrock.Pulse((5.0, 3.0, 0.0), 12.0)
SAME = 1e-9  # rounding, over the impacts of a run
STUDY = """
seed = 1
[body]
shape = "cuboid"
width = 0.3
depth = 0.3
height = 1.2
density = 2600.0
{impact}
[start]
tilt_ratio = 0.8
[motion]
source = "none"
[ensemble]
realizations = 6
"""
SHARE = 0.9


@njit
def kept(about, mass, old, new):
    return (about + mass * old * new) / (about + mass * new**2)


def housner(inertia, mass, height, old, new):
    return kept(inertia + mass * height**2, mass, old, new)


def kalliontzis(height, inertia, new, old, mass, parameter):
    about = inertia + mass * height**2
    middle, half = 0.5 * (old + new), 0.5 * parameter * (new - old)
    first, last = middle - half, middle + half
    met = sqrt((about + mass * first**2) * (about + mass * last**2))
    kept_of_speed = (about + mass * first * last) / met
    return kept_of_speed * sqrt((about + mass * old**2) / (about + mass * new**2))


def slower(inertia, mass, height, old, new, rate):
    return housner_of(inertia, mass, height, old, new) * (1.0 - 0.2 * min(rate, 1.0))


def housner_of(inertia, mass, height, old, new):
    about = inertia + mass * height**2
    return SHARE * (about + mass * old * new) / (about + mass * new**2)


housner_of = njit(housner_of)


@pytest.mark.parametrize("contact", [None, mcrock.Contact(friction=2.0)])
@pytest.mark.parametrize(
    ("own", "own_parameter", "law", "parameters"),
    [(housner, None, "housner_1963", {}), (njit(kalliontzis), 0.6, "kalliontzis_2016", {"nu": 0.6})],
)
def test_a_law_of_the_package_as_a_law_of_ones_own(own, own_parameter, law, parameters, contact):
    own_impact = mcrock.Impact(law=own, own_parameter=own_parameter)
    runs = [
        mcrock.simulate(BODY, PULSE, impact, contact=contact, t_end=1.2).results
        for impact in (own_impact, mcrock.Impact(law=law, **parameters))
    ]
    assert runs[1]["edge_impacts"] > 3
    for name, value in runs[1].items():
        assert runs[0][name] == pytest.approx(value, rel=SAME, abs=SAME, nan_ok=True), name


def test_a_law_knows_how_fast_the_body_turns():
    body, kept_of_energy = mcrock.cuboid(0.3, 0.24, 0.8, 2600.0, com=(0.02, 0.0, 0.0)), []
    old, new = body.base[0, 0], body.base[2, 0]  # edge 0 is at +x
    above = body.inertia[1, 1] + body.mass * body.com_height**2
    for tilt in (0.02, 0.2):
        run = mcrock.simulate(
            body, impact=mcrock.Impact(law=slower), start=mcrock.Start(edge=0, tilt=tilt), t_end=2.0
        )
        impact = next(event for event in run.events if event["kind"] == "facet_impact")
        fallen = body.mass * body.gravity * (old * sin(tilt) + body.com_height * (cos(tilt) - 1.0))
        rate = sqrt(2.0 * fallen / (above + body.mass * old**2))
        ratio = housner_of(body.inertia[1, 1], body.mass, body.com_height, -old, -new)
        ratio *= 1.0 - 0.2 * min(rate, 1.0)
        after = 0.5 * (above + body.mass * new**2) * (ratio * rate) ** 2
        assert impact["energy_change"] == pytest.approx(after - fallen, rel=1e-6)
        kept_of_energy.append(after / fallen)
    assert kept_of_energy[1] < 0.9 * kept_of_energy[0]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda speed: speed, "arguments must be some of inertia, mass, .* in any order; got .speed"),
        (lambda mass, hight: 0.5, "got .mass, hight.; did you mean 'height'"),
        (lambda: 0.5, "arguments must be some of"),
        (lambda mass: [mass], "numba cannot compile it"),
        (lambda mass: mass + np.nothing, "numba cannot compile it"),
        (lambda mass: nan, "<lambda>.mass = [0-9.]+ kg. returns nan, for a body drawn to try it"),
        (lambda rate: 1.0 / (rate * 0.0), "returns inf"),
        (lambda rate: log(rate) * 0.1, "with which the body turns into the ground"),
        (lambda mass: 1.001, "it gains energy"),
        (lambda rate: 1.001 if rate > 9.0 else 0.5, "it gains energy"),
        (lambda parameter: 0.5 * parameter, "returns nan"),
    ],
)
def test_what_a_law_must_not_do_is_found_before_a_run(function, message):
    with pytest.raises(ValueError, match=f"^impact law '<lambda>': .*{message}") as caught:
        mcrock.Impact(law=function)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"law": "own"}, "Impact.own_law is of the law 'own'"),
        ({"own_law": "m:theirs"}, r"give Impact\(law=function\)"),
        ({"law": "own", "own_law": 3}, "impact law 'int': expected a function"),
        ({"law": "own", "own_law": "theirs"}, "impact law 'str': expected a function"),
        ({"law": housner, "lambda_": 0.5}, "Impact.lambda_ is a parameter of the law 'varkonyi_2022'"),
        ({"law": "housner_1963", "own_parameter": 0.5}, "Impact.own_parameter is a parameter of the law"),
    ],
)
def test_an_own_law_has_its_function_and_its_parameter(arguments, message):
    with pytest.raises(ValueError, match=message):
        mcrock.Impact(**arguments)


def test_the_hash_is_of_all_that_the_function_uses(monkeypatch):
    before = source_of(slower)
    assert before == source_of(slower)
    monkeypatch.setitem(globals(), "SHARE", 0.8)
    after = source_of(slower)
    monkeypatch.setitem(globals(), "housner_of", kept)
    assert len({before, after, source_of(slower), source_of(housner)}) == 4


def test_a_law_travels_with_what_it_needs():
    """Of a notebook too, whose functions no other process can import."""
    scale = 0.5
    law = OwnLaw.of(lambda mass: scale)
    copy = pickle.loads(pickle.dumps(law))
    assert (copy.words, copy.code.ctypes(*[1.0] * 7)) == (law.words, 0.5)


def study_file(tmp_path, impact=""):
    path = tmp_path / "study.toml"
    path.write_text(STUDY.format(impact=impact), encoding="utf-8")
    return path


@pytest.mark.parametrize("processes", [False, True])
def test_a_study_follows_its_law_and_keeps_its_source(tmp_path, processes):
    path = study_file(tmp_path)
    own = mcrock.run_study(
        load_config(path), tmp_path / "own.zarr", law=housner, processes=processes, workers=1
    )
    known = mcrock.run_study(load_config(path, ["impact.law=housner_1963"]), tmp_path / "known.zarr")
    assert own.attrs["own_law"] == f"housner, source {source_of(housner)}"
    assert own.peak_tilt.values == pytest.approx(known.peak_tilt.values, rel=1e-6)
    assert own.impact_energy_loss.values == pytest.approx(known.impact_energy_loss.values, rel=1e-6)
    assert (own.impact_law == 11).all()
    more = load_config(path, ["ensemble.realizations=8"])
    with pytest.raises(ValueError, match=r"holds another study, .*own_law \(stored .*housner, source"):
        mcrock.run_study(more, tmp_path / "own.zarr", law=slower, extend=True)
    assert mcrock.run_study(more, tmp_path / "own.zarr", law=housner, extend=True).sizes["realization"] == 8


def test_a_study_draws_the_parameter_of_its_law(tmp_path):
    drawn = (
        'own_parameter = { distribution = "uniform", low = 0.2, high = 0.9 }\nlaw = ["own", "moreau_1988"]'
    )
    study = load_config(study_file(tmp_path, f"[impact]\n{drawn}"), law=kalliontzis)
    ds = mcrock.run_study(study, tmp_path / "own.zarr")
    own = ds.impact_law.values == 11
    assert 0 < own.sum() < 6
    assert (np.isfinite(ds.impact_own_parameter.values) == own).all()
    assert Study.from_json(ds.attrs["config"]).impact.own_law == "kalliontzis"
    low = drawn.replace("low = 0.2", "low = -9.0")
    with pytest.raises(ConfigError, match=r"impact law 'kalliontzis': .* returns"):
        load_config(study_file(tmp_path, f"[impact]\n{low}"), law=kalliontzis)


def test_a_package_names_its_law_for_study_files(tmp_path, monkeypatch):
    entry = importlib.metadata.EntryPoint("theirs", f"{__name__}:housner", "mcrock.impact_laws")
    monkeypatch.setattr("mcrock.base.own_function.entry_points", lambda group: [entry])
    monkeypatch.chdir(tmp_path)  # where a study file has no folder in its name
    path = study_file(tmp_path, '[impact]\nlaw = "own"\nown_law = "theirs"')
    words = (
        rf"'theirs' is code: {__name__}:housner of the installed package .* sha256 [0-9a-f]{{64}}\n.*--trust"
    )
    with pytest.raises(ConfigError, match=words):
        load_config(path)
    study = load_config(path.name, trust_code=True)
    assert mcrock.run_study(study, tmp_path / "own.zarr").attrs["own_law"].startswith("theirs, source ")
    with pytest.raises(ConfigError, match=r"\[impact\] own_law: .* law 'ours': no .*impact_laws: theirs\)"):
        load_config(study_file(tmp_path, '[impact]\nlaw = "own"\nown_law = "ours"'))
    with pytest.raises(ConfigError, match="the law 'own' needs the key 'own_law'"):
        load_config(study_file(tmp_path, '[impact]\nlaw = "own"'))


@pytest.mark.parametrize("processes", [False, True])
def test_a_study_file_names_a_law_of_a_file_next_to_it(tmp_path, monkeypatch, processes):
    """From wherever it is run; a worker gets its code."""
    (tmp_path / "helping.py").write_text("def share():\n    return 0.9\n", encoding="utf-8")
    source = "from numba import njit\nfrom helping import share\nSHARE = share()\n\n\n"
    source += "def ours(mass):\n    return SHARE * 0.5\n"
    (tmp_path / "laws_of_a_test.py").write_text(source, encoding="utf-8")
    path = study_file(tmp_path, '[impact]\nlaw = "own"\nown_law = "laws_of_a_test:ours"')
    (tmp_path / "else").mkdir()
    monkeypatch.chdir(tmp_path / "else")
    study = load_config(path, trust_code=True)
    ds = mcrock.run_study(study, tmp_path / "own.zarr", processes=processes, workers=1)
    run = mcrock.repeat_run(ds, 3, folder=tmp_path, trust_code=True).run
    assert np.float32(run.peak_tilt) == ds.peak_tilt[3, 0]
    named = load_config(path, ['impact.own_law="laws_of_a_test.py:ours"'], trust_code=True)
    assert f"by the user's law {ds.attrs['own_law']}\n" in describe(named, load_motions(named))
    with pytest.raises(ConfigError, match=r"own_law: .*'laws_of_a_test:hours' of .* no attribute 'hours'"):
        load_config(path, ['impact.own_law="laws_of_a_test:hours"'], trust_code=True)
    with pytest.raises(ConfigError, match=r"there is no file .*nowhere\.py, and no installed package has it"):
        load_config(path, ['impact.own_law="nowhere:housner"'], trust_code=True)
    with pytest.raises(ConfigError) as asked:
        load_config(path)
    shown = str(asked.value).partition("laws_of_a_test.py, ")[2].partition(";")[0].split("\n")[0]
    assert "helping.py sha256" in shown
    assert f"ours, source {shown}, as used " in ds.attrs["own_law"]
    before = ds.assign_attrs(own_law=f"ours, source {ds.attrs['own_law'].rpartition(' ')[2]}")
    assert mcrock.repeat_run(before, 3, folder=tmp_path, trust_code=True).run.peak_tilt == run.peak_tilt
    for name, more in (("helping.py", "# another"), ("laws_of_a_test.py", "# another")):
        was = (tmp_path / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(was + more, encoding="utf-8")
        os.utime(tmp_path / name, ns=(1, 1))
        with pytest.raises(ValueError, match=r"made by the impact law ours, source .*, which is now ours"):
            mcrock.repeat_run(ds, 3, folder=tmp_path, trust_code=True)
        (tmp_path / name).write_text(was, encoding="utf-8")


def test_a_run_of_a_law_of_python_alone_is_repeated_with_it(tmp_path):
    ds = mcrock.run_study(load_config(study_file(tmp_path)), tmp_path / "own.zarr", law=slower)
    found = mcrock.repeat_run(tmp_path / "own.zarr", 4, law=slower)
    assert np.float32(found.run.peak_tilt) == ds.peak_tilt[4, 0]
    with pytest.raises(
        ValueError, match=r"impact law 'slower': no installed package has it .* mcrock.repeat_run"
    ):
        mcrock.repeat_run(ds, 4)
    with pytest.raises(ValueError, match=r"made by the impact law slower, .*, which is now housner, "):
        mcrock.repeat_run(ds, 4, law=housner)
    with pytest.raises(ValueError, match=r"^realization must be 0 to 5 in this study, got 6$"):
        mcrock.repeat_run(ds, 6, law=slower)


def rises(inertia, mass, height, old, new, rate):
    """Beyond the speeds at which laws are tried, by far less than a pebble reaches."""
    return housner_of(inertia, mass, height, old, new) if rate < 10.0 else LATE


LATE = nan


@pytest.mark.parametrize(
    ("late", "words"), [(nan, "returns nan"), (2.0, "returns 2, beyond .* gains energy")]
)
def test_what_a_law_does_beyond_the_speeds_of_its_check_is_said_with_the_landing(
    tmp_path, monkeypatch, late, words
):
    monkeypatch.setitem(globals(), "LATE", late)
    law = types.FunctionType(rises.__code__, globals(), "rises")  # compiled with this number
    pebble = mcrock.cuboid(0.004, 0.004, 0.008, 2600.0)
    message = (
        rf"^impact law 'rises': rises\(inertia = .* kg m2, .*rate = \d\d\.\d+ rad/s\) {words}, in a run$"
    )
    with pytest.raises(ValueError, match=message):
        mcrock.simulate(pebble, impact=mcrock.Impact(law=law), start=mcrock.Start(edge=0, tilt=0.4))
    path = study_file(tmp_path)
    sizes = ["body.width=0.004", "body.depth=0.004", "start.tilt_ratio=0.95"]
    height = 'body.height={ distribution = "uniform", low = 0.006, high = 0.02 }'
    study = load_config(path, [*sizes, height], law=law)
    with pytest.warns(
        UserWarning, match=r"(?s)no run could be made of \d realization.* impact law 'rises': rises"
    ):
        ds = mcrock.run_study(study, tmp_path / "own.zarr")
    failed = ds.outcome.values == mcrock.Outcome.FAILED
    assert 0 < failed.sum() < 6
    assert (ds.impact_law == mcrock.impact.registry.Law.OWN).all()  # that of the study, without a run too
