"""Fragility as files of other programs: numbers are those of the fit, and the programs read them."""

import csv
import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

import mcrock
from mcrock.base.params import STANDARD_GRAVITY, Outcome
from mcrock.show.fragility import (
    HEADER,
    NRML,
    end_note,
    json_fragility,
    library_notes,
    limit_states,
    openquake_fragility,
    pelicun_fragility,
    written_curve,
)
from mcrock.statistics import fit_fragility, overturning_probability
from mcrock.statistics.accepted_curve import accept_curve
from mcrock.statistics.intervals import Bootstrap

SPACE = {"": NRML}


@pytest.fixture
def study(make_study):
    def make(measure="pga", **keywords):
        ds = make_study()
        config = {"intensity": {"measure": measure, **keywords}}
        return ds.assign_attrs(config=json.dumps(config), title="block & <co>", source="mcrock 0")

    return make


def test_openquake_has_mean_and_deviation_of_the_intensity(study):
    ds = study()
    fit = fit_fragility(ds)
    root = ElementTree.fromstring(openquake_fragility(ds, identifier="shelf"))
    model = root.find("fragilityModel", SPACE)
    assert model.find("description", SPACE).text == "block & <co>, mcrock 0"
    function = model.find("fragilityFunction", SPACE)
    assert function.attrib == {"id": "shelf", "format": "continuous", "shape": "logncdf"}
    numbers = function.find("params", SPACE).attrib
    mean, deviation = float(numbers["mean"]), float(numbers["stddev"])
    dispersion = np.sqrt(np.log1p((deviation / mean) ** 2))
    assert dispersion == pytest.approx(float(fit["dispersion"]), rel=1e-8)
    median = mean * np.exp(-(dispersion**2) / 2) * STANDARD_GRAVITY
    assert median == pytest.approx(float(fit["median_capacity"]), rel=1e-8)
    limits = function.find("imls", SPACE).attrib
    assert limits["imt"] == "PGA"
    ends = [
        ndtr(np.log(float(limits[key]) * STANDARD_GRAVITY / median) / dispersion)
        for key in ("minIML", "maxIML")
    ]
    np.testing.assert_allclose(ends, ndtr([-4, 4]))


@pytest.mark.parametrize("fell", [0, 7])
def test_openquake_stripes_are_the_fractions(study, fell):
    """Whether nothing overturned at the lowest level, or some of the runs."""
    ds = study()
    ds["outcome"][{"intensity": 0}] = Outcome.AT_REST
    ds["outcome"][{"intensity": 0, "realization": slice(fell)}] = Outcome.OVERTURNED
    points = overturning_probability(ds)
    function = ElementTree.fromstring(openquake_fragility(ds, curve="stripes"))[0][2]
    levels = np.array(function.find("imls", SPACE).text.split(), float) * STANDARD_GRAVITY
    poes = np.array(function.find("poes", SPACE).text.split(), float)
    assert (np.diff(poes) >= 0).all()
    least = float(function.find("imls", SPACE).get("noDamageLimit")) * STANDARD_GRAVITY
    assert least == pytest.approx(levels[0])
    assert poes[0] == 0.0  # what overturns at the lowest level is no `no damage` there
    if points["probability"][0] > 0.0:
        assert levels[0] == pytest.approx(1e-3 * levels[1])
        levels, poes = levels[1:], poes[1:]
    assert (levels[0], levels[-1]) == pytest.approx(points["intensity"].values[[0, -1]])
    at_levels = np.interp(points["intensity"], levels, poes)
    np.testing.assert_allclose(at_levels, np.maximum.accumulate(points["probability"].values), atol=0.02)


@pytest.mark.parametrize(
    ("intensity", "imt", "demand"),
    [
        ({"measure": "sa", "period": 1.0}, "SA(1.0)", "Spectral Acceleration|1.0,g"),
        ({"measure": "sa", "period": 0.25}, "SA(0.25)", "Spectral Acceleration|0.25,g"),
        ({"measure": "pgv"}, "PGV", "Peak Ground Velocity,cmps"),
        ({"measure": "pfa"}, None, "Peak Floor Acceleration,g"),
        ({"measure": "pfv"}, None, "Peak Floor Velocity,mps"),
    ],
)
def test_intensities_have_their_names(study, intensity, imt, demand):
    ds = study(**intensity)
    if imt is None:
        with pytest.raises(ValueError, match="OpenQuake knows the intensities pga, pgv, sa"):
            openquake_fragility(ds)
    else:
        assert f'imt="{imt}"' in openquake_fragility(ds)
    assert f",{demand},0,0,lognormal," in pelicun_fragility(ds)


def test_pelicun_has_median_and_dispersion(study):
    ds = study()
    fit = fit_fragility(ds)
    header, row, end = pelicun_fragility(ds, identifier="contents.block").split("\n")
    assert (header, end) == (HEADER, "")
    cells = row.split(",")
    assert cells[:7] == ["contents.block", "0", "Peak Ground Acceleration", "g", "0", "0", "lognormal"]
    assert float(cells[7]) * STANDARD_GRAVITY == pytest.approx(float(fit["median_capacity"]), rel=1e-8)
    assert float(cells[8]) == pytest.approx(float(fit["dispersion"]), rel=1e-8)


@pytest.mark.parametrize("most", [7, 10])
def test_pelicun_stripes_rise_strictly_from_0_to_1(study, most):
    """With several levels at which all overturned, or none at which all did."""
    ds = study().isel(intensity=slice(most))
    (cells,) = re.findall('multilinear_CDF,"(.*)",,', pelicun_fragility(ds, curve="stripes"))
    x, y = (np.array(part.split(","), float) for part in cells.split("|"))
    assert (y[0], y[-1]) == (0.0, 1.0)
    assert (np.diff(x) > 0).all()
    assert (np.diff(y) > 1e-8).all()
    fractions = overturning_probability(ds)["probability"].values
    at = np.interp(ds["intensity"] / STANDARD_GRAVITY, x, y)
    np.testing.assert_allclose(at, np.maximum.accumulate(fractions), atol=0.02)
    at_end = np.interp(2 * x[x < 10].max(), x, y)
    assert at_end == pytest.approx(fractions[-1], abs=2e-3)  # what stands goes on standing


@pytest.fixture
def sliding(study):
    """A study whose displacement grows with the intensity, and is 0.02 m at 2 m/s2 and 0.1 m at 4 m/s2."""
    ds = study("pfa")
    rng = np.random.default_rng(3)
    spread = np.exp(0.3 * rng.standard_normal(ds.sizes["realization"]))[:, None]
    moved = 0.005 * ds["intensity"].values ** 2.3 * spread
    config = json.dumps(json.loads(ds.attrs["config"]) | {"limits": {"displacement": 0.1}})
    return ds.assign(peak_displacement=(ds["outcome"].dims, moved.astype("f4"))).assign_attrs(config=config)


def damage(table, intensity, quantile):
    """Damage state of a component, by the rule of pelicun: the last limit state whose capacity is below the
    demand, the capacities of a component at one quantile of each."""
    row = next(csv.reader(table.splitlines()[1:]))
    state = 0
    for number in range(1, (len(row) - 6) // 4 + 1):
        family, first, second, _ = row[6 + 4 * (number - 1) :][:4]
        if family == "":
            continue
        capacity = float(first) * np.exp(float(second) * ndtri(quantile)) if second else None
        if family == "multilinear_CDF":
            x, y = (np.array(part.split(","), float) for part in first.split("|"))
            capacity = np.interp(quantile, y, x)
        state = np.where(intensity > capacity, number, state)
    return state


@pytest.mark.parametrize("curve", [None, "stripes"])
def test_one_table_has_sliding_falling_off_and_overturning(sliding, curve):
    """The damage that pelicun would draw is that of the runs, at every level."""
    table = pelicun_fragility(sliding, curve=curve, limits=[("peak_displacement", 0.02)])
    heads, cells = next(csv.reader([table.splitlines()[0]])), next(csv.reader([table.splitlines()[1]]))
    assert [head for head in heads if head.endswith("Family")] == ["LS1-Family", "LS2-Family", "LS3-Family"]
    assert len(cells) == len(heads) == 18
    assert cells[2:6] == ["Peak Floor Acceleration", "g", "0", "0"]
    fell = (sliding["outcome"] == Outcome.OVERTURNED).values
    moved = sliding["peak_displacement"].values
    quantiles = (np.arange(4000) + 0.5) / 4000
    for k, level in enumerate(sliding["intensity"].values / STANDARD_GRAVITY):
        drawn = damage(table, level * (1 + 1e-6), quantiles)
        for state, reached in ((1, (moved > 0.02) | fell), (2, (moved > 0.1) | fell), (3, fell)):
            assert (drawn >= state).mean() == pytest.approx(reached[:, k].mean(), abs=0.06)
    notes = library_notes(limit_states(sliding, [("peak_displacement", 0.02)]))
    assert notes == [
        "LS1: peak displacement beyond 0.02 m",
        "LS2: peak displacement beyond 0.1 m",
        "LS3: overturning",
    ]


def test_states_that_no_run_reached_are_left_out_and_others_do_not_cross(sliding):
    stands = sliding.copy(deep=True)
    stands["outcome"][:] = Outcome.AT_REST
    assert pelicun_fragility(stands, limits=[("peak_displacement", 0.02)]).count("LS") == 2 * 4
    steep = sliding.copy(deep=True)
    steep["peak_displacement"][:] = np.where(steep["outcome"] == Outcome.OVERTURNED, 1.0, 0.0)
    steep["peak_displacement"][:, -4:] = 0.05
    states = limit_states(steep, [("peak_displacement", 0.02)])
    x = states[0].units.intensity
    values = [one.curves["lognormal"].at(x) for one in states]
    assert (np.diff(values, axis=0) > 0).any()  # fitted apart they would
    assert pelicun_fragility(steep, limits=[("peak_displacement", 0.02)]).count("multilinear_CDF") == 3
    with pytest.raises(ValueError, match=r"must be of one response; got peak_displacement, peak_tilt"):
        pelicun_fragility(sliding, limits=[("peak_tilt", 0.02)])


def test_a_study_of_a_floor_by_the_ground_says_so(study):
    ds = study("pgv")
    config = json.loads(ds.attrs["config"])
    assert library_notes(limit_states(ds)) == []
    floor = mcrock.load_config("configs/cabinet_on_floor.toml", ["intensity.variables=[]"])
    (note,) = library_notes(limit_states(ds.assign_attrs(config=floor.to_json())))
    assert note.startswith("the demand, pgv, is of the ground below the floor")
    assert "'pfv'" in note
    assert config["intensity"]["measure"] == "pgv"


def test_json_has_the_covariance_of_the_jackknife(make_study):
    """A twin that fits anew without each record."""
    ds = make_study(records=6, per_record=8)
    found = json.loads(json_fragility(ds))
    fits = [fit_fragility(ds.isel(realization=ds["record"].values != k), resamples=1) for k in range(6)]
    values = np.log([[float(fit[name]) for name in ("median_capacity", "dispersion")] for fit in fits])
    covariance = 25 / 6 * np.cov(values.T)  # (n - 1) / n of the sum of squares
    np.testing.assert_allclose(found["lognormal"]["covariance"], covariance, rtol=1e-6)
    assert found["lognormal"]["median_capacity"] == float(fit_fragility(ds)["median_capacity"])
    assert found["points"]["probability"] == overturning_probability(ds)["probability"].values.tolist()
    assert (found["recordings"], found["intensity"]["units"]) == (6, "m s-2")
    none = json.loads(json_fragility(make_study(records=6, median=1e3)))
    assert none["lognormal"] is None
    assert "none overturned" in none["fit"]


@pytest.mark.parametrize("write", [openquake_fragility, pelicun_fragility])
def test_what_programs_do_not_know_is_refused(study, make_study, write):
    with pytest.raises(
        ValueError, match=r"knows the intensities pga, pgv, .*sa .*that of the study is 'uplift_ratio'"
    ):
        write(study("uplift_ratio"))
    with pytest.raises(ValueError, match="that of the study is 'sa_1s_d0p02'"):
        write(study("sa", period=1.0, damping=0.02))
    flat = make_study(median=1e3).assign_attrs(study().attrs)
    with pytest.raises(ValueError, match="no curve to export: none overturned"):
        write(flat)


@pytest.mark.parametrize("cloud", [False, True])
def test_a_rejected_curve_is_written_by_its_values(study, make_study, cloud):
    """Whose lognormal curve has 0.094 where 0 of 400 fell; in all files and at all intensities one curve."""
    ds = make_study(cloud=cloud, strength=(1.5, 0.8), records=40).assign_attrs(study().attrs)
    stands = np.random.default_rng(0).random(ds.sizes["realization"]) < 0.4
    ds["outcome"][{"realization": stands}] = Outcome.AT_REST
    accepted = accept_curve(ds, Bootstrap())
    assert accepted.choice.family == "stripes"
    function = ElementTree.fromstring(openquake_fragility(ds))[0][2]
    read = [np.array(function.find(name, SPACE).text.split(), float) for name in ("imls", "poes")]
    (cells,) = re.findall('multilinear_CDF,"(.*)",,', pelicun_fragility(ds))
    found = json.loads(json_fragility(ds))["accepted"]
    files = [read, [np.array(part.split(","), float) for part in cells.split("|")]]
    files.append([np.array(found["curve"]["intensity"]) / STANDARD_GRAVITY, found["curve"]["probability"]])
    x = np.geomspace(*accepted.units.intensity[[0, -1]], 50)
    for intensity, probability in files:
        at = np.interp(x / STANDARD_GRAVITY, intensity, probability)
        np.testing.assert_allclose(at, accepted.curve.at(x), atol=0.02 if cloud else 0.005)
    assert "by the empirical fractions: the lognormal curve is rejected (p" in written_curve(accepted)
    other = written_curve(accepted, "lognormal")
    assert other.startswith("by the lognormal curve, but the study goes by the empirical fractions: ")


def test_an_export_says_where_runs_end_that_some_bodies_stand(study):
    ds = study()
    strongest = {"intensity": -1}
    fell = np.arange(ds.sizes["realization"]) % 4 == 0
    ds["outcome"][strongest] = np.where(fell, Outcome.OVERTURNED, Outcome.AT_REST)
    at = f"{float(ds['intensity'][-1]) / STANDARD_GRAVITY:.3g} g"
    ds["outcome"][{"intensity": slice(0, -1)}] = Outcome.AT_REST
    said = end_note(accept_curve(ds, Bootstrap()))
    assert said.startswith(f"caution: at {at}, the strongest run, the probability of overturning is 25 %")
    ds["outcome"][strongest] = Outcome.OVERTURNED
    assert not end_note(accept_curve(ds, Bootstrap()))


def test_a_curve_without_a_name_is_refused(study, make_study):
    cloud = make_study(cloud=True).assign_attrs(study().attrs)
    for write in (openquake_fragility, pelicun_fragility):
        with pytest.raises(ValueError, match=r"curve must be 'lognormal' or .*, got 'normal'"):
            write(cloud, curve="normal")


@pytest.mark.parametrize("curve", ["lognormal", "stripes"])
@pytest.mark.filterwarnings("ignore")
def test_openquake_reads_the_file(study, tmp_path, curve):
    pytest.importorskip("openquake.risklib.read_nrml", exc_type=ImportError)
    from openquake.hazardlib import nrml

    ds = study()
    (tmp_path / "f.xml").write_text(openquake_fragility(ds, curve=curve))
    model = nrml.to_python(str(tmp_path / "f.xml"))
    at = ds["intensity"].values[2:8]
    (built,) = model["PGA", "body"].build(model.limitStates)
    expected = (
        fit_fragility(ds, grid=at)["curve"]
        if curve == "lognormal"
        else overturning_probability(ds)["probability"].sel(intensity=at)
    )
    np.testing.assert_allclose([float(x) for x in built(at / STANDARD_GRAVITY)], expected, atol=1e-6)


@pytest.mark.parametrize("curve", ["lognormal", "stripes"])
@pytest.mark.filterwarnings("ignore")
def test_pelicun_reads_the_file(study, tmp_path, curve):
    """Damage of 20,000 samples at one intensity: within 4 standard errors of the curve."""
    pytest.importorskip("pelicun")
    import pandas as pd
    from pelicun.assessment import Assessment

    ds, n = study(), 20_000
    demand = ds["intensity"].values[4] / STANDARD_GRAVITY
    (tmp_path / "f.csv").write_text(pelicun_fragility(ds, curve=curve))
    found = Assessment(
        {"Verbose": False, "PrintLog": False, "NonDirectionalMultipliers": {"ALL": 1.0}, "Seed": 1}
    )
    table = pd.DataFrame({("PGA", "0", "1"): np.full(n, demand)}, index=map(str, range(n)), dtype=object)
    table.loc["Units"] = "g"
    found.demand.load_sample(table)
    found.stories = 1
    model = {"Units": ["ea"], "Location": ["0"], "Direction": ["0"], "Theta_0": [1], "Family": [np.nan]}
    found.asset.load_cmp_model({"marginals": pd.DataFrame(model, index=["body"])})
    found.asset.generate_cmp_sample(n)
    found.damage.load_model_parameters([str(tmp_path / "f.csv")], {"body"})
    found.damage.calculate()
    share = found.damage.save_sample().mean()["body", "0", "0", "0", "1"]
    expected = overturning_probability(ds)["probability"].values[4]
    if curve == "lognormal":
        expected = fit_fragility(ds, grid=[demand * STANDARD_GRAVITY])["curve"].item()
    assert share == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / n))
