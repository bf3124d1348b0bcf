"""Every mistake of a study file has one clear message, and all of them come at once."""

# ruff: noqa: E501 -- a message stands on one line, as users see it

import pickle

import pytest

from mcrock.study import ConfigError, load_config
from mcrock.study.load import read_toml
from tests.unit.study.conftest import mistakes

WIDTH = 'width = { distribution = "normal", mean = 0.4, std = 0.01 }'
LEVELS = "levels_g = [0.2, 0.4, 0.8]"


ONE_MISTAKE = {
    # keys
    "height = 1.6 => heigth = 1.6\nheight = 1.6": "study.toml [body]: unknown key 'heigth'; did you mean 'height'?",
    "depth = 0.4\n => ": "study.toml [body]: missing key 'depth'; expected a number > 0 [m] or a distribution table",
    "seed = 7\n => ": "study.toml: missing key 'seed'; expected an integer >= 0 and < 2**63",
    "[ensemble]\n => [ensemble]\nseed = 7\n": "study.toml [ensemble]: unknown key 'seed'; it belongs at the top of the file, before the first section",
    "depth = 0.4 => depth = 0.4\ninertia = 2": "study.toml [body]: unknown key 'inertia'; it belongs in [body] with shape = 'polyhedron' or shape = 'free'",
    "[ensemble]\n => [ensemble]\nxyzzy = 7\n": "study.toml [ensemble]: unknown key 'xyzzy'; the keys here are 'realizations', 'design', 'table', 'outer' and 'responses'",
    "[motion] => [controls]\nstep = 0.1\n[contrls]\n[motion]": "study.toml: unknown key 'contrls'; did you mean 'controls'?",
    "[ensemble]\nrealizations = 64 => ": "study.toml: missing section [ensemble]",
    'shape = "cuboid"\n => ': "study.toml [body]: missing key 'shape'; expected 'cuboid', 'prism', 'frustum', 'cylinder', 'polyhedron' or 'free'",
    '"cuboid" => "cubiod"': "study.toml [body] shape: expected 'cuboid', 'prism', 'frustum', 'cylinder', 'polyhedron' or 'free', got 'cubiod'; did you mean 'cuboid'?",
    'measure = "pga" => measure = "sa"\nperiod_s = 1.0\nperiod = 1.0': "study.toml [intensity]: unknown key 'period_s'; did you mean 'period'?",
    # once, not for every record
    'measure = "pga" => measure = "sa"\nperiod = 1.0\ndamping = 0.9': "study.toml [intensity]: intensity measure 'sa': damping must be a finite number >= 0 and <= 0.8 [1], got 0.9",
    'measure = "pga" => measure = "avgsa"': "study.toml [intensity]: intensity measure 'avgsa': AvgSA needs either periods, a list [s], or low and high, the ends of a range [s]",
    # of values that are wrong by themselves the measure says nothing
    'measure = "pga" => measure = "avgsa"\nlow = "x"\nhigh = 2.0': "study.toml [intensity] low: expected a number > 0 [s], got 'x'",
    'measure = "pga" => measure = "avgsa"\nlow = 0.2\nhigh = 2.0\ncount = 9223372036854775808': "study.toml [intensity] count: expected an integer >= 2 and <= 1000, got 9223372036854775808",
    'measure = "pga" => measure = "avgsa"\nlow = 0.2\nhigh = 2.0\ncount = 200000000': "study.toml [intensity] count: expected an integer >= 2 and <= 1000, got 200000000",
    'measure = "pga" => measure = "avgsa"\nlow = 0.2\nhigh = 2.0\ncount = 1e15': "study.toml [intensity] count: expected an integer >= 2 and <= 1000, got 1000000000000000.0",
    f'{LEVELS} => value = 1.0\nvariables = [{{ measure = "sa", period = "" }}]': "study.toml [intensity] variables[0].period: expected a number > 0 [s], got ''",
    f'{LEVELS} => value = 1.0\nvariables = [{{ measure = "sa", period = {{ mean = 1.0 }} }}]': "study.toml [intensity] variables[0].period: expected a number > 0 [s], got a table",
    f"{LEVELS} => value = 1.0\nvariables = 3": 'study.toml [intensity] variables: expected a list of measures, as in ["pgv", { measure = "sa", period = 1.0 }], got 3',
    f'{LEVELS} => value = 1.0\nvariables = ["pgv", {{ measure = "sa", period = 1.0 }}, "pgv"]': "study.toml [intensity] variables[2]: im_pgv is listed twice",
    'measure = "pga" => measure = "factor"': "study.toml [intensity] levels_g: 'factor' is not in g; give 'levels' [1]",
    'measure = "pga" => measure = "pgv"': "study.toml [intensity] levels_g: 'pgv' is not in g; give 'levels' [m s-1]",
    'measure = "pga"\nlevels_g = [0.2, 0.4, 0.8] => measure = "factor"\nvalue_g = 0.5': "study.toml [intensity] value_g: 'factor' is not in g; give 'value' [1]",
    'measure = "pga"\nlevels_g => measure = "frequency_ratio"\nlevels': "study.toml [intensity] measure: 'frequency_ratio' does not change when a motion is scaled, so none is brought to it; list it in intensity.variables of a cloud study",
    '= 64 => = 1000001\ndesign = "latin_hypercube"': "study.toml [ensemble] realizations: a latin_hypercube is drawn whole and has at most 1000000 realizations; other designs may have more",
    'depth = 0.4 => depth = { distribution = "lognormal", median = 0.4, dispersion = 1000 }': "study.toml [body] depth: the distribution must have finite values [m], but reaches from 0 over 0.4, its median, to inf",
    # rows of different lengths are no number
    'depth = 0.4 => depth = { distribution = "uniform", low = [[1], [1, 2]], high = 1 }': "study.toml [body] depth.low: expected a number [m], got [[1], [1, 2]]",
    # types and ranges
    "seed = 7 => seed = -1": "study.toml: seed: expected an integer >= 0 and < 2**63, got -1",
    "seed = 7 => seed = 9223372036854775808": "study.toml: seed: expected an integer >= 0 and < 2**63, got 9223372036854775808",
    "seed = 7 => seed = true": "study.toml: seed: expected an integer >= 0 and < 2**63, got true",
    "seed = 7 => seed = 7\ntitle = 3": "study.toml: title: expected text in quotes, got 3",
    "= 64 => = 64.0": "study.toml [ensemble] realizations: expected an integer >= 1 and <= 1073741824, got 64.0",
    'depth = 0.4 => depth = "0.4 m"': "study.toml [body] depth: expected a number > 0 [m] or a distribution table, got '0.4 m'; write 0.4, in m",
    "depth = 0.4 => depth = -0.4": "study.toml [body] depth: must be > 0 [m], got -0.4",
    "depth = 0.4 => depth = nan": "study.toml [body] depth: expected a finite number [m], got nan",
    "depth = 0.4 => depth = 2026-01-01": "study.toml [body] depth: expected a number > 0 [m] or a distribution table, got 2026-01-01",
    "depth = 0.4 => depth = [0.3, 0.4]": 'study.toml [body] depth: expected a number > 0 [m] or a distribution table, got [0.3, 0.4]; for a few values write { distribution = "discrete", values = [...] }',
    "[ensemble] => [controls]\nstep = 2\n[ensemble]": "study.toml [controls] step: must be > 0 and <= 1 [1], got 2",
    '[motion]\nsource = "fema_p695"\nazimuth_deg = { distribution = "uniform", low = 0, high = 360 } => [[motion]]\nsource = "csv"': "study.toml [motion]: expected a table with source = 'fema_p695', 'files', 'csv', 'shake_table', 'pulse', 'synthetic', 'fitted', 'spectrum' or 'none', got [{'source': 'csv'}]",
    "density = 2600 => density = 2600\nmass = 3": "study.toml [body]: expected exactly one of 'density' [kg/m3] or 'mass' [kg]; 'density' and 'mass' are given",
    "density = 2600 => ": "study.toml [body]: expected exactly one of 'density' [kg/m3] or 'mass' [kg]; none is given",
    "azimuth_deg => azimuth = 1\nazimuth_deg": "study.toml [motion]: expected exactly one of 'azimuth' [rad] or 'azimuth_deg' [deg]; 'azimuth' and 'azimuth_deg' are given",
    # choices
    'azimuth_deg => set = "far field"\nazimuth_deg': "study.toml [motion] set: expected 'farfield', 'nearfield_pulse' or 'nearfield_no_pulse', or a list of them, got 'far field'; did you mean 'farfield'?",
    "azimuth_deg => polarity = [1, 1]\nazimuth_deg": "study.toml [motion] polarity: 1 is listed twice; list every item once",
    "azimuth_deg => polarity = 2\nazimuth_deg": "study.toml [motion] polarity: expected 1 or -1, or a list of them to sample from, got 2",
    "azimuth_deg => records = []\nazimuth_deg": "study.toml [motion] records: expected 'all' or a list of record numbers, got an empty list",
    'azimuth_deg => records = [1, "2"]\nazimuth_deg': "study.toml [motion] records[1]: expected an integer >= 1 and < 2**63, got '2'",
    # levels
    f"{LEVELS} => levels_g = [0.2, 0.2]": "study.toml [intensity] levels_g[1]: must be > the level before it, 0.2, got 0.2",
    f"{LEVELS} => levels_g = [0.3, 0.30000000000000004]": "study.toml [intensity] levels_g[1]: must be > the level before it, 0.3, got 0.30000000000000004, the same but for rounding",
    f"{LEVELS} => levels_g = [0.0, 0.2]": "study.toml [intensity] levels_g[0]: must be > 0 [g], got 0.0",
    f"{LEVELS} => levels_g = [0.2, nan]": "study.toml [intensity] levels_g[1]: expected a finite number [g], got nan",
    f"{LEVELS} => levels_g = []": "study.toml [intensity] levels_g: expected a list of increasing numbers > 0 [g], got an empty list",
    f"{LEVELS} => levels_g = 0.3": "study.toml [intensity] levels_g: expected a list of increasing numbers > 0 [g], got 0.3",
    f'{LEVELS} => levels_g = [{{ distribution = "uniform", low = 1, high = 2 }}]': "study.toml [intensity] levels_g[0]: a level is one number; for a random intensity give 'value' in place of 'levels'",
    f"{LEVELS} => {LEVELS}\nlevels = [1]": "study.toml [intensity]: expected exactly one of 'levels' [SI] or 'levels_g' [g] or 'value' [SI] or 'value_g' [g]; 'levels' and 'levels_g' are given",
}

WEIGHTS = "expected a list of numbers >= 0 [1], one for each motion, not all 0, got "
EDGES = "expected an integer >= 0 and < 2**63, or a list of them to sample from, got "
ONE_MISTAKE |= {
    f'azimuth_deg => assignment = "random"\nweights = {value}\nazimuth_deg': f"study.toml [motion] weights{message}"
    for value, message in [
        ("3", f": {WEIGHTS}3"),
        ("[]", f": {WEIGHTS}an empty list"),
        ("[0, 0]", f": {WEIGHTS}[0, 0]"),
        ("[1e308, 1e308]", f": {WEIGHTS}[1e+308, 1e+308]"),
        ("[1, -1]", "[1]: must be >= 0 [1], got -1"),
        ("[1, true]", "[1]: expected a number >= 0 [1], got true"),
    ]
}
ONE_MISTAKE |= {
    f"[ensemble] => [start]\ntilt = 0.1\nedge = {value}\n[ensemble]": f"study.toml [start] edge{message}"
    for value, message in [
        ("0.5", f": {EDGES}0.5"),
        ("true", f": {EDGES}true"),
        ("-1", f": {EDGES}-1"),
        ("[]", f": {EDGES}an empty list"),
        ("[0, -1]", f"[1]: {EDGES}-1"),
        ("[0, 2, 2]", ": 2 is listed twice; list every item once"),
    ]
}


@pytest.mark.parametrize(("change", "message"), ONE_MISTAKE.items())
def test_one_mistake(study_file, change, message):
    assert mistakes(study_file(*change.split(" => "))) == [message]


@pytest.mark.parametrize(
    ("masses", "message"),
    [
        ("3", ": expected a list of masses [kg], from the first floor up, got 3"),
        ("[]", ": expected a list of masses [kg], from the first floor up, got an empty list"),
        ("[1, 0]", "[1]: must be > 0 [kg], got 0"),
    ],
)
def test_bad_masses_of_a_building(study_file, masses, message):
    floor = f"[motion.floor]\nnumber = 1\nmasses = {masses}\nstiffnesses = [1e6, 1e6]\n"
    first, *_ = mistakes(study_file("[ensemble]", f"{floor}[ensemble]"))
    assert first == f"study.toml [motion] floor.masses{message}"


BAD_DISTRIBUTIONS = {
    "mean = 0.4, std = 0.01": ": missing key 'distribution'; expected 'normal', 'lognormal', 'uniform', 'triangular', 'truncated_normal', 'beta', 'discrete' or 'listed'",
    'distribution = "nromal", mean = 1, std = 1': ".distribution: expected 'normal', 'lognormal', 'uniform', 'triangular', 'truncated_normal', 'beta', 'discrete' or 'listed', got 'nromal'; did you mean 'normal'?",
    'distribution = "normal", mean = 0.4, std = -0.01': ".std: must be > 0 [m], got -0.01",
    'distribution = "normal", mean = 0.4': ": missing key 'std'; expected a number > 0 [m]",
    'distribution = "normal", mean = 0.4, std = 0.01, tau = 1': ": unknown key 'tau'; the keys here are 'distribution', 'epistemic', 'mean' and 'std'",
    'distribution = "normal", mean = 0.4, std = 0.1': ": must be > 0 [m], but the distribution goes beyond with probability 3.2e-05; bound it (truncated_normal, beta, uniform) or use lognormal",
    'distribution = "uniform", low = 0.5, high = 0.4': ".low: must be < high = 0.4 [m], got 0.5",
    'distribution = "uniform", low = 0.4, high = 0.4': ".low: must be < high = 0.4 [m], got 0.4",
    'distribution = "uniform", low = 0.4, high = inf': ".high: expected a finite number [m], got inf",
    'distribution = "triangular", low = 0.4, mode = 0.3, high = 0.5': ".mode: must lie between low = 0.4 and high = 0.5 [m], got 0.3",
    'distribution = "truncated_normal", mean = 0, std = 1, low = 50, high = 60': ": low and high cut the whole normal distribution away; move them towards its mean",
    'distribution = "lognormal", median = 0.4, std = 0.1': ": a lognormal distribution needs median and dispersion, or mean and std; got median, std",
    'distribution = "beta", alpha = 0, beta = 1, low = 0.1': ".alpha: must be > 0 [1], got 0",
    'distribution = "beta", alpha = 1, beta = 1, low = 2': ".low: must be < high = 1.0 [m], got 2",
    'distribution = "discrete", values = []': ".values: expected a list of numbers [m], got an empty list",
    'distribution = "discrete", values = [0.4, 0.5], probabilities = [0.5, 0.6]': ".probabilities: their sum must be 1, got 1.1",
    'distribution = "discrete", values = [0.4, 0.5], probabilities = [1]': ".probabilities: expected one for each of the 2 values, got 1",
    'distribution = "discrete", values = [0.4, 0], probabilities = [0.75, 0.25]': ": must be > 0 [m], but the distribution goes beyond with probability 0.25; bound it (truncated_normal, beta, uniform) or use lognormal",
}


@pytest.mark.parametrize(("table", "message"), BAD_DISTRIBUTIONS.items())
def test_bad_distribution(study_file, table, message):
    assert mistakes(study_file(WIDTH, f"width = {{ {table} }}")) == [f"study.toml [body] width{message}"]


def test_texts_that_ask_too_much_of_the_machine(study_file):
    deep, long = f"{'[' * 2000}{']' * 2000}", "9" * 5000
    for value, limit in (
        (deep, "tables or lists in more than 50 levels"),
        (long, "an integer of more than 4300 digits"),
    ):
        assert mistakes(study_file("seed = 7", f"seed = {value}")) == [f"study.toml: not valid TOML: {limit}"]
    assert mistakes(study_file("depth = 0.4", f"depth = 1{'0' * 400}")) == [
        f"study.toml [body] depth: expected a finite number [m], got 1{'0' * 55} ..."
    ]


def test_all_mistakes_at_once(study_file):
    path = study_file("seed = 7", "sede = 7", "depth = 0.4", "depth = -1", "0.01 }", "-1 }", "= 64", "= 0",
                      "\"pga\"", "\"pgx\"", "low = 0", "low = 400")  # fmt: skip
    text = "\n".join(mistakes(path, "impact.lambda=[1]", "nonsense"))
    for part in (
        "seed",
        "depth",
        "width.std",
        "realizations",
        "measure",
        "azimuth_deg.low",
        "lambda",
        "'nonsense'",
    ):
        assert part in text


def test_no_file(study_file):
    path = study_file()
    with pytest.raises(ConfigError, match=r"stduy\.toml: no such file; did you mean '.*study\.toml'\?"):
        load_config(path.with_name("stduy.toml"))
    with pytest.raises(ConfigError, match="is a folder; expected a study file"):
        load_config(path.parent)


def test_not_toml(study_file):
    (line,) = mistakes(study_file("height = 1.6", "height = 1,6"))
    assert line.startswith("study.toml line 7, column 11: not valid TOML: ")
    assert line.endswith(": height = 1,6; decimals take a point: 1.6")
    (line,) = mistakes(study_file("= 64", "= 64\nrealizations = 65"))
    assert line.startswith("study.toml line 20, column 18: not valid TOML: Cannot overwrite a value")


def test_not_text(study_file):
    path = study_file()
    path.write_bytes(b'title = "caf\xe9"')
    assert mistakes(path) == ["study.toml: not a text file in UTF-8 (byte 12)"]


def test_too_long_a_text(study_file, monkeypatch):
    monkeypatch.setattr("mcrock.base.tables.parsing.LONGEST", 100)
    assert mistakes(study_file()) == ["study.toml: not a study file: more than 100 characters"]
    with pytest.raises(ConfigError, match="not a file of a cluster: more than 100 characters"):
        read_toml(study_file(), "file of a cluster")


def test_impossible_body(study_file):
    change = "depth = 0.4", "depth = 0.4\ncom_y = 0.3"
    (line,) = mistakes(study_file(*change))
    assert line.startswith(
        "study.toml [body]: with every uncertain number at its median, the centre of mass must stand"
    )
    (line,) = mistakes(study_file(*change, WIDTH, "width = 0.4"))
    assert line.startswith(
        "study.toml [body]: the centre of mass must stand over the inside of the base; it lies 0.1 m"
    )


@pytest.mark.parametrize(
    ("base", "message"),
    [
        ("[[0, 0], [0, 1], [1, 1]]", ": base must run counter-clockwise seen from above; reverse the order of its corners"),
        ("[[0, 0], [2, 0], [1, 0.2], [2, 2], [0, 2]]",
         ": base must be the corners of a convex polygon, counter-clockwise seen from above; corner 2 at [1.0, 0.2] m "
         "is straight or turns the wrong way"),
        ("[[0, 0], [1, 0], [1, 0], [0, 1]]", ": base: corners 1 and 2 coincide at [1.0, 0.0] m"),
        ("[[0, 0], [1, 0]]",
         " base: expected a list of at least 3 corners [x, y] [m], counter-clockwise, got 2 of them"),
        ("[[0, 0], [1, 0, 0], [1, 1]]", " base[1]: expected 2 coordinates [m], got [1, 0, 0]"),
        ("[[0, 0], [1, \"a\"], [1, 1]]", " base[1][1]: expected a number [m] or a distribution table, got 'a'"),
        ("7", " base: expected a list of at least 3 corners [x, y] [m], counter-clockwise, got 7"),
    ],
)  # fmt: skip
def test_bad_base(study_file, base, message):
    path = study_file('"cuboid"', '"prism"', f"{WIDTH}\ndepth = 0.4", f"base = {base}")
    assert mistakes(path) == [f"study.toml [body]{message}"]


@pytest.mark.parametrize(
    ("com", "inertia", "message"),
    [
        ("[0, 0, 1]", "[[1, 0, 0], [0, 1, 0], [0.1, 0, 1]]", " inertia[2][0]: must equal inertia[0][2], for symmetry"),
        ("[0, 0, 1]", "[[1, 0, 0], [0, 1, 0]]",
         " inertia: expected 3 rows of 3 numbers or distributions [kg m2], got [[1, 0, 0], [0, 1, 0]]"),
        ("[0, 0, 1]", "[[1, 0, 0], [0, 1], [0, 0, 1]]", " inertia[1]: expected a row of 3 numbers [kg m2], got [0, 1]"),
        ("[0, 0, -1]", "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]", " com[2]: must be > 0 [m], got -1"),
        ("[0, 0]", "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]", " com: expected [x, y, height above the base] [m], got [0, 0]"),
        ("[0, 0, 1]", "[[1, 0, 0], [0, 1, 0], [0, 0, 3]]", ": inertia breaks the triangle inequality (no principal "
         "moment may exceed the sum of the other two); they are [1.0, 1.0, 3.0] kg m2"),
    ],
)  # fmt: skip
def test_bad_free_body(study_file, com, inertia, message):
    path = study_file(
        "\"cuboid\"", "\"free\"",
        f"{WIDTH}\ndepth = 0.4\nheight = 1.6\ndensity = 2600",
        f"base = [[-1, -1], [1, -1], [0, 1]]\ncom = {com}\nmass = 5\ninertia = {inertia}",
    )  # fmt: skip
    assert mistakes(path) == [f"study.toml [body]{message}"]


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("body.width", "override 'body.width': expected key.path=value, such as ensemble.realizations=100"),
        ("body..width=1", "override 'body..width=1': expected key.path=value, such as ensemble.realizations=100"),
        ("seed.x=1", "override 'seed.x=1': seed is not a table, it is 7"),
        ("body.width=-1", "override 'body.width=-1' [body] width: must be > 0 [m], got -1"),
        ("body.width=40cm", "override 'body.width=40cm' [body] width: expected a number > 0 [m] or a distribution "
         "table, got '40cm'; write 0.4, in m"),
        ("body.width=0,40", "override 'body.width=0,40' [body] width: expected a number > 0 [m] or a distribution "
         "table, got '0,40'; write 0.4, in m"),
        ("body.widht=1", "override 'body.widht=1' [body]: unknown key 'widht'; did you mean 'width'?"),
        ("bodi.width=1", "study.toml: unknown key 'bodi'; did you mean 'body'?"),
        ("ensemble.design=sobbol", "override 'ensemble.design=sobbol' [ensemble] design: expected 'sobol', "
         "'sobol_by_record', 'random', 'latin_hypercube' or 'sobol_indices', got 'sobbol'; did you mean 'sobol'?"),
        ("intensity.levels=[1", "override 'intensity.levels=[1': the value is not valid TOML: Unclosed array "
         "(at end of document)"),
        ("seed=1\ntitle=2", "override 'seed=1\\ntitle=2': expected one value"),
    ],
)  # fmt: skip
def test_bad_override(study_file, override, message):
    assert mistakes(study_file(), override) == [message]


def test_bad_top(study_file):
    base = "[[0, 0], [2, 0], [3, 1], [2, 2], [0, 2]]"
    bodies = f"base = {base}\ntop = {base.replace('3, 1', '1, 0.2')}"
    (line,) = mistakes(study_file('"cuboid"', '"frustum"', f"{WIDTH}\ndepth = 0.4", bodies))
    assert line.startswith("study.toml [body]: top must be the corners of a convex polygon")
    assert "corner 2 at [1.0, 0.2] m is straight" in line


@pytest.mark.parametrize(
    ("faces", "message"),
    [
        ("[{ face = 0 }]",
         " faces[0]: expected 'lambda_lon' or 'lambda_lat' or both for the face; give one or leave the table out"),
        ("3", " faces: expected a list of tables with the keys 'face', 'lambda_lon', 'lambda_lat', got 3"),
        ("[{ face = -1, lambda_lon = 0.5 }]", " faces[0].face: expected an integer >= 0 and < 2**63, got -1"),
        ("[{ face = 1, lambda_lon = 0.5 }, { face = 1, lambda_lat = 0 }]",
         " faces[1].face: face 1 is listed twice; list every face once"),
    ],
)  # fmt: skip
def test_bad_faces_of_the_impact(study_file, faces, message):
    path = study_file("[motion]", f"[impact]\nfaces = {faces}\n[motion]")
    assert mistakes(path) == [f"study.toml [impact]{message}"]


def test_error_survives_pickling():
    error = pickle.loads(pickle.dumps(ConfigError(["a", "b"])))
    assert error.mistakes == ("a", "b")
    assert str(error) == "a\nb"
