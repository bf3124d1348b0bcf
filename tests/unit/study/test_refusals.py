"""What a study file must not say: every key of every section by its kind, and what does not go together.

A message names the file or the override, the section and the key, what was expected with its unit, what came,
and the remedy; all mistakes come at once. Of a row here the parts of its message stand between dots.
"""

# ruff: noqa: E501 -- a row stands on one line

import pickle
import re
from math import inf, nan

import pytest

from mcrock.base.checks import Number
from mcrock.base.tables.fields import ChoiceKey, IntegerKey, Levels, ListOf, OrAuto, Text
from mcrock.study import ConfigError, Study, load_config
from mcrock.study.load import read_toml
from mcrock.study.study import tables
from tests.unit.study.conftest import BLOCK, BODIES, CORNERS, GIVEN, VALID, mistakes

SECTIONS = [
    (section, dict([tag.replace("'", "").split(" = ")] if tag else []), table)
    for section, found in tables().items()
    for tag, table in found.items()
]
TOP = [("", {}, key, Study.kind(key)) for key in Study.key_names() if key not in tables()]
KEYS = TOP + [(name, tag, key, table.kind(key)) for name, tag, table in SECTIONS for key in table.key_names()]


def wrong_values(kind):
    """Values that a kind refuses, with what is said of each."""
    kind = kind.of if isinstance(kind, OrAuto) else kind
    words = f"expected {kind.expected}"
    if isinstance(kind, Number):
        yield from (("x", words), (True, words), ([1.0], words), (nan, "expected a finite number"))
        yield -inf, f"expected a finite number [{kind.unit}]"
        for bound, beyond in ((kind.above, 0.0), (kind.least, -1.0), (kind.most, 1.0)):
            if bound is not None:
                yield bound + beyond, f"must be {kind.bounds} [{kind.unit}]"
    elif isinstance(kind, IntegerKey):
        yield from ((value, words) for value in ("x", 0.5, True, kind.least - 1, kind.most + 1))
    elif isinstance(kind, ChoiceKey):
        yield from (("xyzzy", words), (0.5, words))
        if isinstance(word := kind.options[0], str) and len(word) > 2:
            yield f"{word}e", f"did you mean {word!r}"
    elif isinstance(kind, Text):
        yield from ((3, words), (["a"], words), ("a\x07b", "control characters"))
    else:
        yield from ((value, words) for value in (3.5, *[{"a": 1}, []] * isinstance(kind, ListOf | Levels)))


@pytest.mark.parametrize(
    ("section", "tag", "key", "kind"), [row for row in KEYS if row[-1]], ids=lambda item: str(item)[:40]
)
def test_every_key_refuses_what_is_not_of_its_kind(section, tag, key, kind):
    place = f"study.toml [{section}] {key}" if section else f"study.toml: {key}"
    for value, words in wrong_values(kind):
        with pytest.raises(ConfigError) as caught:
            Study.from_data({section: {key: value} | tag} if section else {key: value}, "study.toml", None)
        line = next(line for line in caught.value.mistakes if line.startswith((f"{place}:", f"{place}[")))
        assert words in line
        assert ", got " in line


@pytest.mark.parametrize(("section", "tag", "table"), SECTIONS, ids=str)
def test_every_section_names_keys_that_are_unknown_or_missing(section, tag, table):
    with pytest.raises(ConfigError) as caught:
        Study.from_data({section: tag | {f"{key}x": 1 for key in table.key_names()}}, "study.toml", None)
    for key in table.key_names():
        said = f"study.toml [{section}]: unknown key '{key}x'; did you mean '"
        assert any(line.startswith(said) for line in caught.value.mistakes)
    needed = {key for key, field in table.model_fields.items() if field.is_required()} - tag.keys()
    missing = [line for line in caught.value.mistakes if f"[{section}]: missing key" in line]
    assert {line.split("'")[1] for line in missing} == needed


PULSE = 'source = "pulse"\nshape = "one-sine"\nperiod = 0.8'
SYNTHETIC = 'source = "synthetic"\narias = 1.0\nduration = 6\nmiddle = 4\nfrequency = 3'
SPECTRUM = 'source = "spectrum"\nground = "A"\ncomponents = 1\nrise = 1\nlevel = 5\ndecay = 2'
MOTION = 'source = "fema_p695"\nazimuth_deg = { distribution = "uniform", low = 0, high = 360 }'
STUDIES = {
    "block": VALID,
    **{name: VALID.replace(BLOCK, body) for name, body in BODIES.items()},
    **{
        name: VALID.replace(MOTION, text)
        for name, text in {
            "pulse": PULSE, "two pulses": f"{PULSE}\n[motion.y]\nratio = 0.5",
            "floor": f"{PULSE}\n[motion.floor]\nmasses = [1e5]\nstiffnesses = [4e7]\nnumber = 1",
            "wavelets": PULSE.replace("one-sine", "mavroeidis-papageorgiou"),
            "synthetic": SYNTHETIC, "spectrum": SPECTRUM,
            "table": SPECTRUM.replace('ground = "A"', 'table = "target.csv"\nunit = "m/s2"'),
            "standard": 'source = "spectrum"\nstandard = "rg_1_60"',
            "fitted": 'source = "fitted"\nset = "farfield"\nrecord = 14',
            "free": 'source = "none"\n[start]\nedge = [0, 1]\ntilt_ratio = 0.8',
        }.items()
    },
}  # fmt: skip
STUDIES["free"] = STUDIES["free"].replace('[intensity]\nmeasure = "pga"\nlevels_g = [0.2, 0.4, 0.8]\n', "")
WIDTH = 'width = { distribution = "normal", mean = 0.4, std = 0.01 }'
LEVELS = "levels_g = [0.2, 0.4, 0.8]"
SQUARE = "[[-0.3, -0.3], [0.3, -0.3], [0.3, 0.3], [-0.3, 0.3]]"
FLAT = "[[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]"
PRISM = f'"cuboid" => "prism" => {WIDTH}\ndepth = 0.4 => base = '
FREE_BODY = f'"cuboid" => "free" => {WIDTH}\ndepth = 0.4\nheight = 1.6\ndensity = 2600 => base = [[-1, -1], [1, -1], [0, 1]]\nmass = 5\n'
INERTIA = "inertia = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]"
ALONE = "needs the key 'friction' [1] too"
STOPS = "[impact] facet_fallback: 'rest' would stop a sliding body .. leave it out"
UNKNOWN = "body.width.epistemic=true & impact.lambda={distribution='uniform', low=0.6, high=1, epistemic=true} & impact.draw=run"
NESTED = f"{UNKNOWN} & ensemble.outer=3"
VALUE = "intensity.value={{ distribution = 'uniform', low = 1, high = 2{} }}"
ROUGH = "body.shape_error={ std = 0.001, correlation_length = 0.1 }"


def uniform(low, high, more=""):
    return f"{{distribution='uniform', low={low}, high={high}{more}}}"


def lognormal(median, dispersion):
    return f"{{distribution='lognormal', median={median}, dispersion={dispersion}}}"


# changes of a study: old => new => ..., or overrides with & between them; the parts of its one message
REFUSED = {
    "block": {
        # keys and sections
        "height = 1.6 => heigth = 1.6\nheight = 1.6": "study.toml [body]: unknown key 'heigth'; did you mean 'height'?",
        "depth = 0.4\n => ": "study.toml [body]: missing key 'depth'; expected a number > 0 [m] or a distribution table",
        "seed = 7\n => ": "study.toml: missing key 'seed'; expected an integer >= 0 and < 2**63",
        "[ensemble]\n => [ensemble]\nseed = 7\n": "[ensemble]: unknown key 'seed'; it belongs at the top of the file, before the first section",
        "depth = 0.4 => depth = 0.4\ninertia = 2": "[body]: unknown key 'inertia'; it belongs in [body] with shape = 'polyhedron' or shape = 'free'",
        "[ensemble]\n => [ensemble]\nxyzzy = 7\n": "[ensemble]: unknown key 'xyzzy'; the keys here are 'realizations', 'design', 'table'",
        "[motion] => [controls]\nstep = 0.1\n[contrls]\n[motion]": "study.toml: unknown key 'contrls'; did you mean 'controls'?",
        "[ensemble]\nrealizations = 64 => ": "study.toml: missing section [ensemble]",
        'shape = "cuboid"\n => ': "[body]: missing key 'shape'; expected 'cuboid', 'prism', 'frustum', 'cylinder', 'polyhedron', 'composite' or 'free'",
        '"cuboid" => "cubiod"': "[body] shape: expected 'cuboid', 'prism' .. got 'cubiod'; did you mean 'cuboid'?",
        f"[motion]\n{MOTION} => [[motion]]\nsource = 'csv'": "[motion]: expected a table with source = 'fema_p695', 'files' .. got [{'source': 'csv'}]",
        "density = 2600 => density = 2600\nmass = 3": "[body]: expected exactly one of 'density' [kg/m3] or 'mass' [kg]; 'density' and 'mass' are given",
        "density = 2600 => ": "[body]: expected exactly one of 'density' [kg/m3] or 'mass' [kg]; none is given",
        "azimuth_deg => azimuth = 1\nazimuth_deg": "[motion]: expected exactly one of 'azimuth' [rad] or 'azimuth_deg' [deg]",
        f"{LEVELS} => {LEVELS}\nlevels = [1]": "[intensity]: expected exactly one of 'levels' [SI] or 'levels_g' [g] or 'value' [SI] or 'value_g' [g]; 'levels' and 'levels_g' are given",
        # values that are nearly right
        "depth = 0.4 => depth = '0.4 m'": "[body] depth: expected a number > 0 [m] or a distribution table, got '0.4 m'; write 0.4, in m",
        "depth = 0.4 => depth = 2026-01-01": "[body] depth: expected a number > 0 [m] .. got 2026-01-01",
        "depth = 0.4 => depth = [0.3, 0.4]": '[body] depth: .. got [0.3, 0.4]; for a few values write { distribution = "discrete", values = [...] }',
        f"depth = 0.4 => depth = 1{'0' * 400}": f"[body] depth: expected a finite number [m], got 1{'0' * 55} ...",
        "seed = 7 => seed = 9223372036854775808": "seed: expected an integer >= 0 and < 2**63, got 9223372036854775808",
        "= 64 => = 64.0": "[ensemble] realizations: expected an integer >= 1 and <= 1073741824, got 64.0",
        "motion.set=far field": "[motion] set: expected 'farfield' .. or a list of them, got 'far field'; did you mean 'farfield'?",
        "motion.polarity=[1, 1]": "[motion] polarity: 1 is listed twice; list every item once",
        "motion.records=[1, '2']": "[motion] records[1]: expected an integer >= 1 and < 2**63, got '2'",
        f"seed = 7 => seed = {'[' * 2000}{']' * 2000}": "study.toml: not valid TOML: tables or lists in more than 50 levels",
        f"seed = 7 => seed = {'9' * 5000}": "study.toml: not valid TOML: an integer of more than 4300 digits",
        "height = 1.6 => height = 1,6": "study.toml line 7, column 11: not valid TOML: .. height = 1,6; decimals take a point: 1.6",
        "= 64 => = 64\nrealizations = 65": "study.toml line 20, column 18: not valid TOML: Cannot overwrite a value",
        # measures and intensities
        "intensity.measure=sa & intensity.period=1 & intensity.damping=0.9": "[intensity]: intensity measure 'sa': damping must be a finite number >= 0 and <= 0.8 [1], got 0.9",
        "intensity.measure=avgsa": "[intensity]: intensity measure 'avgsa': AvgSA needs either periods, a list [s], or low and high",
        "intensity.measure=avgsa & intensity.low=x & intensity.high=2.0": "[intensity] low: expected a number > 0 [s], got 'x'",
        "intensity.measure=avgsa & intensity.low=0.2 & intensity.high=2.0 & intensity.count=1e15": "[intensity] count: expected an integer >= 2 and <= 1000, got 1000000000000000.0",
        'intensity.value=1 & intensity.variables=[{ measure = "sa", period = "" }]': "[intensity] variables[0].period: expected a number > 0 [s], got ''",
        'intensity.value=1 & intensity.variables=["pgv", { measure = "sa", period = 1.0 }, "pgv"]': "[intensity] variables[2]: im_pgv is listed twice",
        'measure = "pga" => measure = "factor"': "[intensity] levels_g: 'factor' is not in g; give 'levels' [1]",
        'measure = "pga" => measure = "pgv"': "[intensity] levels_g: 'pgv' is not in g; give 'levels' [m s-1]",
        "intensity.measure=factor & intensity.value_g=0.5": "[intensity] value_g: 'factor' is not in g; give 'value' [1]",
        "intensity.measure=frequency_ratio & intensity.levels=[1]": "[intensity] measure: 'frequency_ratio' does not change when a motion is scaled .. list it in intensity.variables",
        "intensity.levels_g=[0.2, 0.2]": "[intensity] levels_g[1]: must be > the level before it, 0.2, got 0.2",
        "intensity.levels_g=[0.3, 0.30000000000000004]": "levels_g[1]: must be > the level before it, 0.3, got 0.30000000000000004, the same but for rounding",
        "intensity.levels_g=[0.2, nan]": "levels_g[1]: expected a finite number [g], got nan",
        "intensity.levels_g=[0.0]": "levels_g[0]: must be > 0 [g], got 0.0",
        "intensity.levels_g=[{ distribution = 'uniform', low = 1, high = 2 }]": "levels_g[0]: a level is one number; for a random intensity give 'value' in place of 'levels'",
        # designs
        "ensemble.realizations=1000001 & ensemble.design=latin_hypercube": "[ensemble] realizations: a latin_hypercube is drawn whole and has at most 1000000 realizations",
        "ensemble.design=sobol_by_record & motion.assignment=random": "[ensemble] design: spreads the realizations of each record .. give motion.assignment = 'cycle'",
        "ensemble.design=sobol_indices & ensemble.outer=4 & body.width.epistemic=true": "[ensemble] design: has an index for every input .. leave 'outer' out",
        # distributions
        "body.depth={ distribution = 'lognormal', median = 0.4, dispersion = 1000 }": "[body] depth: the distribution must have finite values [m], but reaches from 0 over 0.4, its median, to inf",
        "body.depth={ distribution = 'uniform', low = [[1], [1, 2]], high = 1 }": "[body] depth.low: expected a number [m], got [[1], [1, 2]]",
        f"{WIDTH} => width = {{ mean = 0.4, std = 0.01 }}": "[body] width: missing key 'distribution'; expected 'normal', 'lognormal'",
        "body.width.distribution=nromal": "[body] width.distribution: expected 'normal' .. got 'nromal'; did you mean 'normal'?",
        "body.width.std=-0.01": "[body] width.std: must be > 0 [m], got -0.01",
        f"{WIDTH} => width = {{ distribution = 'normal', mean = 0.4 }}": "[body] width: missing key 'std'; expected a number > 0 [m]",
        "body.width.tau=1": "[body] width: unknown key 'tau'; the keys here are 'distribution', 'epistemic', 'mean' and 'std'",
        "body.width.std=0.1": "[body] width: must be > 0 [m], but the distribution goes beyond with probability 3.2e-05; bound it (truncated_normal, beta, uniform) or use lognormal",
        "body.depth={ distribution = 'uniform', low = 0.4, high = 0.4 }": "[body] depth.low: must be < high = 0.4 [m], got 0.4",
        "body.depth={ distribution = 'uniform', low = 0.4, high = inf }": "[body] depth.high: expected a finite number [m], got inf",
        "body.depth={ distribution = 'triangular', low = 0.4, mode = 0.3, high = 0.5 }": "depth.mode: must lie between low = 0.4 and high = 0.5 [m], got 0.3",
        "body.depth={ distribution = 'normal', mean = 0.4, std = 0.1, low = 0.3, high = 0.5 }": "[body] depth.distribution: a normal distribution has no low and high; cut there it is 'truncated_normal'",
        "body.depth={ distribution = 'truncated_normal', mean = 0, std = 1, low = 50, high = 60 }": "depth: low and high cut the whole normal distribution away; move them towards its mean",
        "body.depth={ distribution = 'lognormal', median = 0.4, std = 0.1 }": "depth: a lognormal distribution needs median and dispersion, or mean and std; got median, std",
        "body.depth={ distribution = 'beta', alpha = 0, beta = 1, low = 0.1 }": "depth.alpha: must be > 0 [1], got 0",
        "body.depth={ distribution = 'beta', alpha = 1, beta = 1, low = 2 }": "depth.low: must be < high = 1.0 [m], got 2",
        "body.depth={ distribution = 'discrete', values = [] }": "depth.values: expected a list of numbers [m], got an empty list",
        "body.depth={ distribution = 'discrete', values = [0.4, 0.5], probabilities = [0.5, 0.6] }": "depth.probabilities: their sum must be 1, got 1.1",
        "body.depth={ distribution = 'discrete', values = [0.4, 0.5], probabilities = [1] }": "depth.probabilities: expected one for each of the 2 values, got 1",
        "body.depth={ distribution = 'discrete', values = [0.4, 0], probabilities = [0.75, 0.25] }": "depth: must be > 0 [m], but the distribution goes beyond with probability 0.25",

        "body.width.epistemic='yes'": "epistemic: expected true or false",
        # weights, edges, masses
        "motion.assignment=random & motion.weights=[0, 0]": "[motion] weights: expected a list of numbers >= 0 [1], one for each motion, not all 0, got [0, 0]",
        "motion.assignment=random & motion.weights=[1e308, 1e308]": "[motion] weights: .. got [1e+308, 1e+308]",
        "motion.assignment=random & motion.weights=[1, -1]": "[motion] weights[1]: must be >= 0 [1], got -1",
        "motion.weights=[1, 1, 1]": "give assignment = 'random' too",
        "start.tilt=0.1 & start.edge=[0, -1]": "[start] edge[1]: expected an integer >= 0 and < 2**63, or a list of them to sample from, got -1",
        "start.tilt=0.1 & start.edge=[0, 2, 2]": "[start] edge: 2 is listed twice; list every item once",
        "motion.floor={ number = 1, masses = [1, 0], stiffnesses = [1e6, 1e6] }": "[motion] floor.masses[1]: must be > 0 [kg], got 0",

        "ground.slope_x_deg=60.0": "slope_x_deg: .. 40 [deg], got 60.0",
        "controls=quick": "[controls] preset: expected 'fast', got 'quick'",
        "controls=3": "[controls]: expected a table, got 3",
        # bodies
        "depth = 0.4 => depth = 0.4\ncom_y = 0.3": "study.toml [body]: with every uncertain number at its median, the centre of mass must stand over",
        f"depth = 0.4 => depth = 0.4\ncom_y = 0.3 => {WIDTH} => width = 0.4": "study.toml [body]: the centre of mass must stand over the inside of the base; it lies 0.1 m",
        f"{PRISM}[[0, 0], [0, 1], [1, 1]]": "[body]: base must run counter-clockwise seen from above; reverse the order of its corners",
        f"{PRISM}[[0, 0], [2, 0], [1, 0.2], [2, 2], [0, 2]]": "[body]: base must be the corners of a convex polygon, counter-clockwise .. corner 2 at [1.0, 0.2] m is straight or turns the wrong way",
        f"{PRISM}[[0, 0], [1, 0], [1, 0], [0, 1]]": "[body]: base: corners 1 and 2 coincide at [1.0, 0.0] m",
        f"{PRISM}[[0, 0], [1, 0]]": "[body] base: expected a list of at least 3 corners [x, y] [m], counter-clockwise, got 2 of them",
        f"{PRISM}[[0, 0], [1, 0, 0], [1, 1]]": "[body] base[1]: expected 2 coordinates [m], got [1, 0, 0]",
        f"{PRISM}[[0, 0], [1, 'a'], [1, 1]]": "[body] base[1][1]: expected a number [m] or a distribution table, got 'a'",
        f"{FREE_BODY}com = [0, 0, 1]\ninertia = [[1, 0, 0], [0, 1, 0], [0.1, 0, 1]]": "[body] inertia[2][0]: must equal inertia[0][2], for symmetry",
        f"{FREE_BODY}com = [0, 0, 1]\ninertia = [[1, 0, 0], [0, 1, 0]]": "[body] inertia: expected 3 rows of 3 numbers or distributions [kg m2], got [[1, 0, 0], [0, 1, 0]]",
        f"{FREE_BODY}com = [0, 0, 1]\ninertia = [[1, 0, 0], [0, 1], [0, 0, 1]]": "[body] inertia[1]: expected a row of 3 numbers [kg m2], got [0, 1]",
        f"{FREE_BODY}com = [0, 0, 1]\ninertia = [[1, 0, 0], [0, 1, 0], [0, 0, 3]]": "[body]: inertia breaks the triangle inequality .. they are [1.0, 1.0, 3.0] kg m2",
        f"{FREE_BODY}com = [0, 0, -1]\n{INERTIA}": "[body] com[2]: must be > 0 [m], got -1",
        f"{FREE_BODY}com = [0, 0]\n{INERTIA}": "[body] com: expected [x, y, height above the base] [m], got [0, 0]",
        # overrides
        "body.width": "override 'body.width': expected key.path=value, such as ensemble.realizations=100",
        "body..width=1": "override 'body..width=1': expected key.path=value",
        "seed.x=1": "override 'seed.x=1': seed is not a table, it is 7",
        "body.width=40cm": "override 'body.width=40cm' [body] width: expected a number > 0 [m] .. got '40cm'; write 0.4, in m",
        "body.width=0,40": "override 'body.width=0,40' [body] width: .. got '0,40'; write 0.4, in m",
        "bodi.width=1": "study.toml: unknown key 'bodi'; did you mean 'body'?",
        "intensity.levels=[1": "override 'intensity.levels=[1': the value is not valid TOML: Unclosed array",
        "seed=1\ntitle=2": "override 'seed=1\\ntitle=2': expected one value",
        "body.mass=600 & body.density=1": "'density' and 'mass' are given",
        # laws and their parameters
        "impact.law=kalliontzis_2016": "[impact]: .. the law 'kalliontzis_2016' needs the key 'nu'",
        "impact.nu=0.5": "[impact] nu: is a parameter of the law 'kalliontzis_2016'; the study has 'varkonyi_2022'",
        "impact.law=housner_1963 & impact.lambda=0.5": "[impact] lambda: is a parameter of the law 'varkonyi_2022'; the study has 'housner_1963'",
        "impact.faces=[{ face = 0 }]": "[impact] faces[0]: expected 'lambda_lon' or 'lambda_lat' or both for the face",
        "impact.faces=[{ face = -1, lambda_lon = 0.5 }]": "[impact] faces[0].face: expected an integer >= 0 and < 2**63, got -1",
        "impact.faces=[{ face = 1, lambda_lon = 0.5 }, { face = 1, lambda_lat = 0 }]": "[impact] faces[1].face: face 1 is listed twice; list every face once",
        "impact.preset=varkonyi_2022_fitted": "[impact] preset: 'varkonyi_2022_fitted' has no 'lambda' [1]; give it next to the preset: ",
        "impact.preset=varkonyi_2022_fited": "[impact] preset: expected .. did you mean 'varkonyi_2022_fitted'?",
        # friction
        "contact.restitution=0.1": f"[contact] restitution: {ALONE}",
        "contact.friction=inf & contact.restitution=0.3": f"[contact] restitution: {ALONE}",
        "limits.displacement=0.15": "[limits] displacement: needs the key 'friction' in [contact]: without it nothing slides",
        f"contact.friction={lognormal(0.5, 0.2)} & contact.restitution={uniform(0.5, 1.5)}": "[contact] restitution: must be >= 0 and <= 1 [1], but the distribution goes beyond with probability 0.5",
        "contact.friction=0.5 & impact.tau=0.1": "[impact] tau: must be 0 [N m s] where contacts have friction: no friction coefficient bounds",
        f"contact.friction=0.5 & impact.tau={uniform(0, 1)}": "[impact] tau: must be 0 [N m s] where contacts have friction",
        "contact.friction=0.5 & impact.tau_facet=0.0": "[impact] tau_facet: must be left out where contacts have friction",
        "contact.friction=0.5 & impact.facet_fallback=rest": STOPS,
        "contact.friction=0.5 & impact.facet_fallback=['plastic', 'rest']": STOPS,
        "impact.law=routh_1905": "[impact] law: 'routh_1905' needs contacts with friction: give contact.friction [1]",
        "contact.friction=0.5 & contact.tangential_restitution=0.2 & impact.law=['brach_1989', 'routh_1905']": "[impact] law: 'routh_1905' has no tangential restitution: leave that of the contacts out",
        f"contact.friction=0.5 & contact.tangential_restitution={uniform(0, 0.2)} & impact.law=whittaker_1904": "[impact] law: 'whittaker_1904' has no tangential restitution",
        "contact.friction=0.5 & impact.law=brach_1989 & impact.lambda=0.9": "[impact] lambda: is a parameter of the law 'varkonyi_2022'; the study has 'brach_1989', at the vertex that lands",
        "contact.friction=0.5 & contact.static_friction=0.4": "[contact] static_friction: must be at least the friction [1], but is 0.4 where that is 0.5",
        f"contact.friction={uniform(0.3, 0.5)} & contact.static_friction=0.45": "but is 0.45 where that is 0.5; it lies below with probability 0.25",
        f"contact.friction=0.4 & contact.static_friction={uniform(0.3, 0.5)}": "but is 0.3 where that is 0.4; it lies below with probability 0.5",
        # scores at which the logarithms of both are equal: ln(0.5 / 0.4) / (0.2 - 0.3) = -2.23
        f"contact.friction={lognormal(0.4, 0.2)} & contact.static_friction={lognormal(0.5, 0.3)}": "but is 0.08265 where that is 0.1205; it lies below with probability 0.013, as a realization has the same quantile",
        # what is unknown but one number
        UNKNOWN: "[ensemble]: of .. (body.width, impact.lambda) it needs 'outer'",
        "ensemble.outer=3": "[ensemble] outer: nothing is epistemic",
        f"{NESTED} & ensemble.outer=1": "outer .. integer >= 2",
        f"{NESTED} & impact.draw=impact": "lambda: drawn anew at every impact it is not an unknown number",
        f"{NESTED} & {VALUE.format('')}": "[ensemble] outer: compares draws at fixed intensities",

        f"{NESTED} & contact.friction={uniform(0.3, 0.4, ', epistemic=true')} & contact.static_friction={uniform(0.4, 0.5)}": "[contact] static_friction: is drawn with the friction: both are epistemic, or neither",
    },
    "frustum": {
        "top_scale = 0.6\n => ": "[body]: expected exactly one of 'top_scale' [1] or 'top' [m]; none is given",
        "top_scale = 0.6 => top = [[0, 0], [0.1, 0], [0, 0.1]]": "[body] top: must have as many corners as the base, 4, got 3",
        "top_scale = 0.6 => top = [[-0.2, -0.2], [0.2, -0.1], [0.2, 0.2], [-0.2, 0.2]]": "[body]: faces: face 1 must be plane; vertex .. is 0.0294 m off its plane",
        f"{SQUARE} => [[0, 0], [2, 0], [3, 1], [2, 2], [0, 2]] => top_scale = 0.6 => top = [[0, 0], [2, 0], [1, 0.2], [2, 2], [0, 2]]": "[body]: top must be the corners of a convex polygon .. corner 2 at [1.0, 0.2] m is straight",
        "height => com_x = 0.31\nheight": "[body]: the centre of mass must stand over the inside of the base; it lies 0.01 m outside base edge 1",
        "height => com_z = 0.6\nheight": "[body]: the centre of mass must be inside the body; it lies 0.0765306 m outside face 5",
    },
    "cylinder": {
        "mass => sides = 2\nmass": "[body] sides: expected an integer >= 3 and <= 192, got 2",
    },
    "rock": {
        f"vertices = {CORNERS}\n => ": "[body]: expected exactly one of 'vertices' [m] or 'file' [rows of x, y, z]; none is given",
        "density => file = 'rock.csv'\ndensity": "'vertices' and 'file' are given",
        f"vertices = {CORNERS} => file = 'none.csv'": "[body] file: none.csv: cannot be read: No such file or directory",
        f"{CORNERS} => [[0, 0, 0]]": "[body] vertices: expected a list of at least 4 vertices [x, y, z] [m], got 1 of them",
        "[1, 1, 2] => [1, 1]": "[body] vertices[6]: expected 3 coordinates [m], got [1, 1]",
        f"{CORNERS} => {FLAT}": "[body]: vertices must enclose a volume [m3], but all 4 lie in one plane",
        f"{CORNERS} => {FLAT.replace('[0, 1, 0]', '[0, 1, 1e-8]')}": "[body]: polyhedron: fewer than 4 faces are wider than 1e-06 of the size; is the body flat?",
        "density = 2600 => com = [0.4, 0.5, 0.9]\nmass = 3": "[body]: 'com', 'inertia' and 'mass' are given together or not at all; missing 'inertia'",
        f"density = 2600 => {GIVEN}com_y = 0.1": "[body] com_y: only for a homogeneous body; leave it out .. give the entries of com as distributions",
        f"density = 2600 => {GIVEN.replace('0.9]', '2.4]')}": "[body]: the centre of mass must be inside the body; it lies 0.4 m outside face 5",
        "body.axis=[0, 0]": "[body] axis: expected a direction [x, y, z] [1], got [0, 0]",
        "body.axis=[0, 0, 0]": "[body] axis: must not be zero in all three coordinates",
        "density => axis = [0, 0, -1]\ndensity": "[body]: the axis of the body (z) must lean by less than 90 deg when face 0 lies on the ground, got 180.0 deg; choose another start_face or axis",
        "density => start_face = 6\ndensity": "[body]: start_face: the body has the faces 0 to 5, got 6",
        "density => base_faces = [0, 7]\ndensity": "[body]: base_faces: the body has the faces 0 to 5, got 7",
        "body.base_faces=[]": "[body] base_faces: expected a list of face numbers, got an empty list",
        f"{ROUGH} & body.start_face=0": "start_face: numbers faces, which every draw of shape_error has anew: leave",
        f"{ROUGH} & body.base_faces=[0]": "leave it out; base_angle_deg says which faces are base",
        f"{ROUGH} & impact.faces=[{{face = 0, lambda_lon = 0.9}}]": "[impact] faces: go by the numbers",
        f"{ROUGH} & start.tilt=0.05": "[start] .. goes by the number of an edge",
        f"{ROUGH} & body.shape_error.std=-1.0": "std: must be >= 0 [m], got -1",
        "body.shape_error={ std = 0.1 }": "missing key 'correlation_length'; expected a number > 0 [m]",
        f"{ROUGH} & body.shape_error.epistemic=true": "(body.shape_error) it needs 'outer'",
        "body.base_faces=[0] & body.base_angle_deg=5.0": "base_faces lists it: give one",
        "body.up=y": "up: is an axis of the 'file', .. leave it out",
        "body.unit=mm": "unit: is that of the lengths in 'file'",
    },
    "pulse": {
        "motion.cycles=3": "cycles: is of the shape 'mavroeidis-",
        "motion.ratio_z=0.5 & motion.z={ ratio = 0.2 }": "ratio_z: the table 'z' has a ratio of its own",
        "motion.floor.damping=0.05": "give the 'frequency' [Hz] of an oscillator",
        "motion.floor={ masses = [1], stiffnesses = [1], number = 1, factor = 1.3 }": "factor: is of an oscillator",
        "motion.floor={ masses = [1], stiffnesses = [1, 2], number = 1 }": "as many",
        "body.rim_width=0.1": "a rim has a 'rim_width' [m] and a 'rim_height' [m]: give both",
        "body.rim_width=50 & body.rim_height=0.01": "rim_width must be at most the longest edge of the body [m], got 50",
        "motion.floor={ frequency = 1, factor = 1.3, mass = 9 }": "factor: an isolator ('mass') has a 'frequency'",
        "motion.floor={ masses = [1], stiffnesses = [1], number = 1, mass = 9 }": "masses: an isolator ('mass') has",
        "motion.floor={ frequency = 1, stroke = 0.2 }": "stroke: give the 'mass' [kg] that the isolator carries",
        "motion.floor={ frequency = 1, mass = 9, stroke = 0 }": "floor.stroke: must be > 0 [m], got 0",
    },
    "spectrum": {
        "motion.unit=g": "unit: goes with a table, not with the spectrum of a standard",
        "motion.dt=0.02": "'band' (0.05 s), 0.0125 s, got 0.02",
        "motion.band=[2, 1]": "band: the periods must rise, got 2 and 1 s",
        "motion.table=x.csv": "expected exactly one of 'ground'",
    },
    "standard": {
        "motion.ground=A": "'ground' and 'standard' are given",
        "motion.height_ratio=0.5": "height_ratio: goes with standard = 'ac156'",
        "motion.damping=0.2": "damping: RG 1.60 has 0.005 to 0.1 [1], got 0.2",
        "motion.spectrum_type=2": "is of the spectra of EN 1998-1, and goes with 'ground'",
    },
    "fitted": {
        "motion.unit=g": "unit: is that of a file",
        "\nrecord = 14 => ": "'set' and 'record' go together",
    },
    "free": {
        "= 0.8 => = 0.8\n[intensity]\nmeasure = 'pga'\nlevels = [1.0]": "[intensity]: there is no shaking with motion.source = 'none'; leave this section out",
        "= 0.8 => = 0.8\n[intensity]\nmeasure = 'factor'\nlevels = [2.0]": "[intensity]: there is no shaking with motion.source = 'none'",
        "[start]\nedge = [0, 1]\ntilt_ratio = 0.8 => ": "[motion] source: nothing moves: 'none' needs a body released from a tilt, section [start]",
        "motion.source=fema_p695": "missing section [intensity]",
    },
}  # fmt: skip


def changed(study_file, base, change):
    """A study file with a change, and overrides."""
    if " => " not in change:
        return study_file(text=STUDIES[base]), change.split(" & ")
    return study_file(*change.split(" => "), text=STUDIES[base]), []


def in_order(words, line):
    """Whether a line has all parts of some words, between which there are dots."""
    return re.search(".*".join(map(re.escape, words.split(" .. "))), line)


@pytest.mark.parametrize(
    ("base", "change", "words"),
    [(base, *row) for base, rows in REFUSED.items() for row in rows.items()],
    ids=lambda text: str(text)[-60:],
)
def test_one_mistake_has_one_message(study_file, base, change, words):
    path, overrides = changed(study_file, base, change)
    (line,) = mistakes(path, *overrides)
    assert in_order(words, line)
    assert "\n" not in line
    assert line.startswith(("study.toml", "override "))


@pytest.mark.parametrize("base", STUDIES)
def test_the_studies_that_are_changed_are_right(study_file, base):
    study = load_config(study_file(text=STUDIES[base]))
    again = Study.from_json(study.to_json())
    assert again.to_json() == study.to_json()
    assert again.quantities == study.quantities


def test_all_mistakes_come_at_once(study_file):
    path = study_file("seed = 7", "sede = 7", "depth = 0.4", "depth = -1", "0.01 }", "-1 }", "= 64", "= 0",
                      "\"pga\"", "\"pgx\"", "low = 0", "low = 400")  # fmt: skip
    text = "\n".join(mistakes(path, "impact.lambda=[1]", "nonsense"))
    for part in ("seed", "depth", "width.std", "realizations", "measure", "azimuth_deg.low", "lambda"):
        assert part in text
    assert "'nonsense'" in text
    both = "contact.restitution=0.1", "contact.static_friction=0.5"
    assert [line.split("] ")[1].partition(":")[0] for line in mistakes(study_file(), *both)] == [
        "static_friction",
        "restitution",
    ]
    listed = "body.depth={distribution='listed', values=[0.4], epistemic=true}"
    for overrides, words in (
        (
            (*NESTED.split(" & "), VALUE.format(", epistemic = true")),
            "an intensity is what probabilities are",
        ),
        ((*NESTED.split(" & "), listed), "unknown key 'epistemic'"),
    ):
        assert any(words in line for line in mistakes(study_file(), *overrides))


def test_files_that_are_no_study_files(study_file, monkeypatch):
    path = study_file()
    with pytest.raises(ConfigError, match=r"stduy\.toml: no such file; did you mean '.*study\.toml'\?"):
        load_config(path.with_name("stduy.toml"))
    with pytest.raises(ConfigError, match="is a folder; expected a study file"):
        load_config(path.parent)
    with monkeypatch.context() as patch:
        patch.setattr("mcrock.base.tables.parsing.LONGEST", 100)
        assert mistakes(path) == ["study.toml: not a study file: more than 100 characters"]
        with pytest.raises(ConfigError, match="not a file of a cluster: more than 100 characters"):
            read_toml(path, "file of a cluster")
    path.write_bytes(b'title = "caf\xe9"')
    assert mistakes(path) == ["study.toml: not a text file in UTF-8 (byte 12)"]
    for text, words in (
        ("{", "not valid JSON"),
        ("{}", r"missing section \[body\]"),
        ("3", "expected a table, got 3"),
    ):
        with pytest.raises(ConfigError, match=f"stored config: {words}"):
            Study.from_json(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"0 0 0\n1 0\n", ", line 2: expected 3 numbers x, y, z, got '1 0'"),
        (b"0 0 0\n1 0 x # corner\n", ", line 2: expected 3 numbers x, y, z, got '1 0 x # corner'"),
        (b"0;0;0\n", ", line 1: expected 3 numbers x, y, z, got '0;0;0'"),
        (b"0 0 inf\n", ", line 1: expected 3 numbers x, y, z, got '0 0 inf'"),
        (b"\xff\xfe0", ": not a text file in UTF-8; save it as one"),
    ],
)
def test_files_that_are_no_points(study_file, text, message):
    """Beside other mistakes of the study."""
    change = f"vertices = {CORNERS}", 'file = "rock.csv"', "density = 2600", "density = -1"
    path = study_file(*change, text=STUDIES["rock"])
    (path.parent / "rock.csv").write_bytes(text)
    assert mistakes(path) == [
        f"study.toml [body] file: rock.csv{message}",
        "study.toml [body] density: must be > 0 [kg/m3], got -1",
    ]


def test_error_survives_pickling():
    error = pickle.loads(pickle.dumps(ConfigError(["a", "b"])))
    assert error.mistakes == ("a", "b")
    assert str(error) == "a\nb"
