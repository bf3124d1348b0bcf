"""Designs of a study: the static threshold found again, searches that go on, and refusals."""

import json

import numpy as np
import pytest
import xarray as xr
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from mcrock.base.params import STANDARD_GRAVITY
from mcrock.dataset import load_dataset
from mcrock.ensemble import designs
from mcrock.ensemble.designs import Range, number_of
from mcrock.study import load_config

STATIC = """
title = "slow pulses"
seed = 1
[body]
shape = "cuboid"
width = 0.2
depth = 1.0
height = 1.0
density = 2000
[impact]
lambda = 0.9
lambda_lon = 0.9
[motion]
source = "csv"
files = {files}
unit = "m/s2"
azimuth_deg = 0
[intensity]
measure = "factor"
levels = [3.0]
[ensemble]
realizations = 12
"""


@pytest.fixture
def slow(tmp_path):
    """Study of twelve half sines of 3 m/s2 that last 30 to 41 s."""
    files = [f"{k}.csv" for k in range(12)]
    for k, name in enumerate(files):
        t = np.arange(0.0, 30.0 + k, 0.05)
        a = np.sin(np.pi * t / (30.0 + k))
        rows = (f"{x:.2f},{y:.6f},0" for x, y in zip(t, a, strict=True))
        (tmp_path / name).write_text("\n".join(["t,ax,ay", *rows]) + "\n")
    path = tmp_path / "slow.toml"
    path.write_text(STATIC.format(files=json.dumps(files)))
    return path


def test_the_width_that_stands_a_slow_push_is_the_static_one(mcrock, slow, tmp_path):
    options = ("--vary", "body.width=20cm:45cm", "--at", "3", "--probability", "0.5", "-o", tmp_path / "d")
    code, output, errors = mcrock("design", slow, *options, "--json")
    assert code == 0, errors
    found = json.loads(output)["variables"]
    low, high = found["required_interval"]["values"]
    assert low < 3.0 / STANDARD_GRAVITY < high
    assert found["required"]["values"] == pytest.approx(3.0 / STANDARD_GRAVITY, rel=0.02)
    assert high - low < 0.02


PULSE = """
title = "pulses"
seed = 1
[body]
shape = "polyhedron"
vertices = {vertices}
density = 2000
[motion]
source = "pulse"
shape = "{shape}"
period = {period}
[intensity]
measure = "factor"
levels = [{level!r}]
[ensemble]
realizations = 12
"""


def block(width, height):
    """Corners of a block that rocks in the plane x-z."""
    return [[x * width / 2, 2 * y * height, z * height] for x in (-1, 1) for y in (-1, 1) for z in (0, 1)]


def required(mcrock, file, *options):
    code, output, errors = mcrock("design", file, *options, "--probability", "0.5", "--json")
    assert code == 0, errors
    found = json.loads(output)
    return found["variables"]["required"]["values"], found["attributes"]["verdict"]


def test_the_size_that_stands_an_impulse_is_that_of_housner(mcrock, tmp_path):
    """A block that a velocity V starts at once overturns where its energy lifts the centre of mass over the
    edge, V^2 = 8/3 g R (1 - cos a) / cos(a)^2 (Housner 1963): larger ones of its kind stand.

    The impulse lasts 1 ms, in which the weight takes g tan(a) dt / V of the energy, 0.4 %, off it.
    """
    slenderness, radius, last = np.arctan(0.2), 0.5 * np.hypot(0.2, 1.0), 1e-3
    critical = 8 / 3 * STANDARD_GRAVITY * radius * (1 - np.cos(slenderness)) / np.cos(slenderness) ** 2
    speed = np.sqrt(1.3 * critical)  # which a block 1.3 times as large just stands
    taken = STANDARD_GRAVITY * 0.2 * last / speed
    level = float(f"{speed * np.pi / (2 * last):.6g}")
    file = tmp_path / "impulse.toml"
    file.write_text(PULSE.format(vertices=block(0.2, 1.0), shape="half-sine", period=2 * last, level=level))
    size, verdict = required(mcrock, file, "--vary", "body.scale=1:1.6", "--at", level, "-o", tmp_path / "d")
    assert verdict == "at least"
    step = 0.01 * 0.6  # to which the search halves the range
    assert size == pytest.approx(1.3 * (1 - taken), abs=step / 2 + 1.3 * taken**2)


def test_the_frequency_of_an_isolator_is_that_of_the_exact_oscillator(mcrock, tmp_path):
    """Below the frequency at which its peak acceleration is g b/h nothing moves; a block of 4 mm falls next
    to it, as it rocks some twenty times as fast as the isolator."""
    period, damping, level, slope = 0.5, 0.1, 2.5, 0.2

    def excess(frequency):
        omega = 2 * np.pi * frequency
        space = np.linspace(0.0, 1.5 / frequency, 6001)

        def rates(t, y):
            push = np.sin(2 * np.pi * t / period) if t < period else 0.0
            return [y[1], -2 * damping * omega * y[1] - omega**2 * y[0] - level * push]

        run = solve_ivp(rates, space[[0, -1]], [0, 0], t_eval=space, rtol=1e-10, atol=1e-13, max_step=0.02)
        return abs(2 * damping * omega * run.y[1] + omega**2 * run.y[0]).max() / STANDARD_GRAVITY - slope

    exact = brentq(excess, 0.3, 1.2, xtol=1e-6)
    text = PULSE.format(vertices=block(0.004 * slope, 0.004), shape="one-sine", period=period, level=level)
    file = tmp_path / "isolated.toml"
    file.write_text(text + f"[motion.floor]\nfrequency = 0.5\ndamping = {damping}\nmass = 100\nstroke = 1\n")
    options = ("--vary", "motion.floor.frequency=0.3Hz:1.2Hz", "--at", level, "-o", tmp_path / "d")
    found, verdict = required(mcrock, file, *options)
    assert verdict == "at most"
    assert found == pytest.approx(exact, rel=0.015)
    stores = {float(path.stem.split("=")[1]): load_dataset(path) for path in (tmp_path / "d").glob("*.zarr")}
    assert min(abs(value - exact) for value in stores) < 0.02 * exact
    for value, ds in stores.items():
        assert bool((ds["peak_tilt"] > 0).all()) == bool((ds["peak_tilt"] > 0).any()) == (value > exact)
        assert (ds["beyond_stroke"] == 0).all()
    code, text, _ = mcrock("stats", tmp_path / "d" / "motion.floor.frequency=0.3.zarr")
    assert code == 0
    assert "Isolator displaced by more than this (its stroke is 1 m), in %" in text


def test_a_stroke_that_is_too_short_leaves_designs_undecided(mcrock, tmp_path):
    file = tmp_path / "isolated.toml"
    text = PULSE.format(vertices=block(0.2, 1.0), shape="one-sine", period=0.5, level=2.5)
    file.write_text(text + "[motion.floor]\nfrequency = 0.5\nmass = 10000\nstroke = 1\n")
    (tmp_path / "strokes.csv").write_text("design,motion.floor.stroke [mm]\nlong,500\nshort,50\n")
    options = ("--at", 2.5, "--probability", 0.5, "-o", tmp_path / "d")
    code, text, _ = mcrock("design", file, "--vary", "motion.floor.stroke=50mm:50cm", *options)
    assert code == 0
    assert "up to 12 of 12 runs are undecided (0.05 m): intervals count them both ways" in text
    short = tmp_path / "d" / "motion.floor.stroke=0.05.zarr"
    moved = float(load_dataset(short)["isolator_displacement"][0, 0])
    words = f"isolator displaced by {moved:.3g} m, beyond its stroke of 0.05 m: the run counts as undecided"
    assert words in mcrock("simulate", short, "-o", tmp_path / "run")[1]
    ranked = ("design", file, "--designs", tmp_path / "strokes.csv", *options)
    assert "up to 12 of 12 runs are undecided (short): intervals" in mcrock(*ranked)[1]
    code, text, _ = mcrock(*ranked, "--json")
    ends = dict(
        zip(
            ("long", "short"),
            np.transpose(json.loads(text)["variables"]["probability_interval"]["values"]),
            strict=True,
        )
    )
    assert (code, ends["short"][1], ends["long"][0]) == (0, 1.0, 0.0)
    assert ends["long"][1] < 0.5


def test_a_search_is_one_sentence_a_table_and_a_figure_and_goes_on_where_it_was(mcrock, study_file, tmp_path):
    folder = tmp_path / "d"
    options = ("--vary", "body.width,body.depth=30cm:60cm", "--at", "4m/s2", "--probability", "0.3")
    few = ("--set", "ensemble.realizations=20")
    code, output, errors = mcrock("design", study_file, *options, *few, "-o", folder)
    assert code == 0, errors
    answer, *rest = output.splitlines()
    assert answer.startswith("At least 0.")
    assert "of body.width = body.depth keeps the probability of overturning at 0.3 or below" in answer
    assert "95 % interval" in answer
    assert rest[-1] == str(folder / "remedy.png")
    assert (folder / "remedy.png").exists()
    stores = sorted(folder.glob("*.zarr"))
    assert [path.name for path in stores[:2]] == [f"body.width,body.depth={x}.zarr" for x in ("0.3", "0.375")]
    log = [path.with_name(path.name + ".log").read_text() for path in stores]
    assert mcrock("design", study_file, *options, *few, "-o", folder)[:2] == (0, output)
    assert sorted(folder.glob("*.zarr")) == stores
    assert all(
        old in path.with_name(path.name + ".log").read_text() for old, path in zip(log, stores, strict=True)
    )


@pytest.mark.parametrize(
    ("options", "fragments"),
    [
        (["--vary", "body.width"], ["expected KEY=FROM:TO", "body.width=40cm:80cm"]),
        (["--vary", "seed=1:2"], ["all designs have the same seed", "[body]"]),
        (["--vary", "body.width=0.5:0.3"], ["body.width", "second end must be larger", "0.5:0.3"]),
        (["--vary", "body.width=30s:40"], ["body.width", "[m; cm, mm, in, ft]", "'30s'"]),
        (["--vary", "body.width,contact.friction=0.3:0.4"], ["different units", "m", "1"]),
        (["--vary", "body.wdth=0.3:0.4"], ["unknown key 'wdth'", "'width'"]),
        (["--vary", "body.shape=1:2"], ["shape", "'cuboid'"]),
        (["--vary", "body.width=-1:2"], ["width", "must be > 0 [m]"]),
        (["--at", "4m/s2", "--probability", "1.5"], ["--probability", "between 0 and 1 [1]", "1.5"]),
        (["--at", "4m/s2", "--probability", "-0.1"], ["--probability", "between 0 and 1 [1]", "-0.1"]),
        (["--at", "4m/s2"], ["--vary needs", "--probability P with --at"]),
        (["--at", "0.4 m/s", "--probability", "0.1"], ["pga > 0 with its unit", "'0.4 m/s'"]),
        (["--at", "5m/s2", "--probability", "0.1"], ["no level", "5 m s-2", "[intensity] levels"]),
        (["--probability", "0.1", "--target", "1e-4"], ["--hazard FILE --target RATE"]),
        (
            ["--at", "4m/s2", "--design-category", "SDC-4"],
            ["annual rate", "--hazard FILE", "--probability 0.01"],
        ),
        (["--hazard", "h.csv", "--design-category", "SDC-4", "--target", "1"], ["in place of --target"]),
        (["--hazard", "h.csv", "--design-category", "D"], ["SDC-3 (0.0001 1/year)", "SDC-5", "got 'D'"]),
        (["--vary", "body.width=0.3:0.4", "--vary", "body.width=1:2"], ["body.width is in both ranges"]),
        (["--vary", "body.width=0.3:0.4", "--vary", "body.height=-1:2"], ["height", "must be > 0 [m]"]),
        (
            ["--vary", "body.width=1:2", "--vary", "body.height=1:2", "--vary", "body.depth=1:2"],
            ["once or twice"],
        ),
    ],
)
def test_what_cannot_be_sought_is_refused_before_anything_is_written(
    mcrock, study_file, tmp_path, options, fragments
):
    whole = [] if "--vary" in options else ["--vary", "body.width=0.3:0.4"]
    whole += [] if whole else ["--at", "4m/s2", "--probability", "0.1"]
    code, output, errors = mcrock("design", study_file, *whole, *options, "-o", tmp_path / "d")
    assert (code, output, errors.count("\n")) == (2, "", 1)
    assert all(fragment in errors for fragment in fragments), errors
    assert not (tmp_path / "d").exists()


def test_a_second_key_makes_a_line_with_stores_for_each_of_its_values(mcrock, study_file, tmp_path):
    folder = tmp_path / "d"
    keys = ("--vary", "body.width,body.depth=30cm:90cm", "--vary", "body.height=1.2m:1.6m")
    options = (*keys, "--at", "4m/s2", "--probability", "0.3", "--set", "ensemble.realizations=20")
    code, output, errors = mcrock("design", study_file, *options, "-o", folder)
    assert code == 0, errors
    heights = ["1.2", "1.3", "1.4", "1.5", "1.6"]
    assert output.startswith(
        "Needed body.width = body.depth to keep the probability of overturning at 0.3 or below"
    )
    assert all(f" at {height} m" in output.splitlines()[0] for height in heights)
    assert sorted(x.name for x in folder.iterdir() if x.is_dir()) == [f"body.height={x}" for x in heights]
    assert {"frontier.png", "remedy.nc"} < {x.name for x in folder.iterdir()}
    assert len([*folder.glob("*/body.width,body.depth=0.3.zarr")]) == 5
    alone = ("--vary", keys[1], *options[4:], "--set", "body.height=1.4", "-o", folder / "body.height=1.4")
    code, again, errors = mcrock("design", study_file, *alone)
    assert code == 0, errors
    one = again.partition(" (")[0].removeprefix("At")
    assert f"; at{one} at 1.4 m" in output


def test_a_report_has_the_remedy_and_says_where_its_study_differs(mcrock, study_file, tmp_path):
    few = ("--set", "ensemble.realizations=20")
    aim = ("--at", "4m/s2", "--probability", "0.3", "-o", tmp_path / "d")
    found = mcrock("design", study_file, "--vary", "body.width,body.depth=30cm:60cm", *aim, *few)
    mcrock("run", study_file, *few, "-o", tmp_path / "s.zarr")
    mcrock("run", study_file, *few, "--set", "body.height=1.3", "-o", tmp_path / "t.zarr")
    for name, differs in (("s", False), ("t", True)):
        page = tmp_path / f"{name}.html"
        code, _, errors = mcrock(
            "report", page.with_suffix(".zarr"), "-o", page, "--remedy", tmp_path / "d/remedy.nc"
        )
        assert code == 0, errors
        text = page.read_text()
        assert found[1].splitlines()[0][1:] in text
        assert ("this study and that of the remedy differ in body.height 1.3 and" in text.lower()) == differs
        assert "remedy.nc" in text  # with its digest
    whole = (tmp_path / "d/remedy.nc").read_bytes()
    (tmp_path / "half.nc").write_bytes(whole[: len(whole) // 2])
    for other in (study_file, tmp_path / "half.nc", tmp_path / "none.nc", tmp_path / "s.zarr"):
        code, _, errors = mcrock("report", tmp_path / "s.zarr", "-o", tmp_path / "x.html", "--remedy", other)
        assert (code, errors.count("\n")) == (2, 1)
        assert "expected the file remedy.nc that `mcrock design -o DIR` writes" in errors
    assert not (tmp_path / "x.html").exists()
    (tmp_path / "designs.csv").write_text(TABLE)
    mcrock("design", study_file, "--designs", tmp_path / "designs.csv", *aim, *few)
    page = tmp_path / "ranked.html"
    mcrock("report", tmp_path / "s.zarr", "-o", page, "--remedy", tmp_path / "d/remedy.nc")
    assert "at 0.3 or below: " in page.read_text()


def test_a_category_stands_for_its_rate(mcrock, study_file, tmp_path):
    (tmp_path / "h.csv").write_text("pga [g], mean, 0.84\n0.05, 4e-3, 8e-3\n0.5, 4e-5, 9e-5\n4, 9e-8, 3e-7\n")
    options = ("--vary", "body.width=30cm:90cm", "--hazard", tmp_path / "h.csv", "-o", tmp_path / "d")
    few = ("--set", "ensemble.realizations=20")
    said = [
        mcrock("design", study_file, *options, *few, *aim)
        for aim in (("--target", "1e-4"), ("--design-category", "sdc-3"))
    ]
    assert said[0][0] == 0, said[0][2]
    assert said[0][:2] == said[1][:2]
    assert "0.0001 per year (0.5 % in 50 years) or below" in said[0][1]
    assert "by the fractiles of the hazard: " in said[0][1]


def test_an_intensity_that_depends_on_the_body_is_no_pair(mcrock, study_file, tmp_path):
    options = ("--set", "intensity.measure=uplift_ratio", "--set", "ensemble.realizations=4")
    options += ("--vary", "body.width=30cm:60cm", "--at", "4", "--probability", "0.3", "-o", tmp_path / "d")
    code, _, errors = mcrock("design", study_file, *options)
    assert code == 2
    assert "the intensity 'uplift_ratio' contains the body" in errors


def test_values_begin_evenly_with_that_of_today_and_more_keys_have_one(study_file):
    asked = Range.of("body.width = 40cm:0,8")
    assert asked == Range("body.width", "m", 0.4, 0.8)
    assert asked.first(0.45) == [0.4, 0.45, 0.5, 0.6, 0.7, 0.8]
    assert asked.first(0.3) == [0.4, 0.5, 0.6, 0.7, 0.8]
    assert Range.of("body.width,body.depth=1:2").changes(1.5) == ["body.width=1.5", "body.depth=1.5"]
    study = load_config(study_file)
    assert number_of(study, "body.depth,body.width") == 0.3
    assert number_of(study, "body.width") is None  # a distribution


TABLE = "design,body.width [cm],body.depth [m],cost\ntoday,30,0.3,0\nwider,40,0.4,500\nsame,30,0.3,100\n"


def test_designs_of_a_table_are_ranked_with_what_they_save_for_their_cost(mcrock, study_file, tmp_path):
    (tmp_path / "designs.csv").write_text(TABLE)
    options = ("--designs", tmp_path / "designs.csv", "--at", "4m/s2", "--set", "ensemble.realizations=20")
    code, output, errors = mcrock("design", study_file, *options, "-o", tmp_path / "d", "--json")
    assert code == 0, errors
    values = {name: each["values"] for name, each in json.loads(output)["variables"].items()}
    names = values["design"]
    of = {
        name: {key: values[key][k] for key in ("probability", "difference", "saved")}
        for k, name in enumerate(names)
    }
    assert names[0] == "wider"
    assert of["same"]["probability"] == of["today"]["probability"]
    assert of["same"]["difference"] == of["today"]["difference"] == 0.0
    gain = of["today"]["probability"] - of["wider"]["probability"]
    assert of["wider"]["difference"] == pytest.approx(-gain)
    assert of["wider"]["saved"] == pytest.approx(gain / 500)
    assert gain > 0
    code, output, _ = mcrock("design", study_file, *options, "-o", tmp_path / "d", "--probability", "0.99")
    assert output.splitlines()[0].startswith("probability of overturning at 0.99 or below: wider, ")


@pytest.mark.parametrize(
    ("table", "fragments"),
    [
        ("body.width [cm]\n30\n", ["two designs or more", "got 1"]),
        ("design,body.width\na,0.3\na,0.4\n", ["a name of its own", "'a'"]),
        ("design,body.width\n../a,0.3\nb,0.4\n", ["letters, digits", "'../a'"]),
        ("body.width [kg]\n30\n40\n", ["unit is 'm' or another of its kind, got kg"]),
        ("body.wdth\n0.3\n0.4\n", ["body.wdth", "unknown key"]),
        ("body.width\n0.3\nwide\n", ["line 3", "body.width", "'wide'"]),
        ("body.width\n0.3\n-1\n", ["must be > 0 [m], got -1"]),
        ("seed\n1\n2\n", ["section"]),
        ("ensemble.realizations\n10\n20\n", ["all designs have the same ensemble.realizations"]),
    ],
)
def test_tables_of_designs_are_refused_with_their_place(mcrock, study_file, tmp_path, table, fragments):
    (tmp_path / "designs.csv").write_text(table)
    options = ("--designs", tmp_path / "designs.csv", "--at", "4m/s2", "-o", tmp_path / "d")
    code, output, errors = mcrock("design", study_file, *options)
    assert (code, output) == (2, "")
    assert all(fragment in errors for fragment in fragments), errors
    assert not (tmp_path / "d").exists()


def test_designs_get_more_runs_while_these_add_to_the_variance(tmp_path, monkeypatch):
    """All alike, up to a limit; a search goes on where its stores are, with the bits of a longer study."""
    asked, seen = designs.Range.of("body.width=0.3:0.5"), []
    changes = ["ensemble.realizations=44", "intensity.levels_g=[0.5]"]

    def load(*more):
        return load_config("configs/quickstart.toml", [*changes, *more])

    def judge(ds):
        seen.append(ds.sizes["realization"])
        return ds

    def solve(found):
        return xr.Dataset({"runs_share": 0.2 if seen[-1] < 100 else 0.01})

    monkeypatch.setattr(designs, "next_value", lambda result: None)
    designs.seek_value(load, asked, tmp_path, judge, solve)
    assert seen == [44] * 5 + [88] * 5 + [176] * 5
    seen.clear()
    designs.seek_value(load, asked, tmp_path, judge, solve)
    assert seen == [176] * 5
    other = designs.run_study(load("body.width=0.3", "ensemble.realizations=176"), tmp_path / "alone.zarr")
    np.testing.assert_array_equal(other["outcome"], load_dataset(tmp_path / "body.width=0.3.zarr")["outcome"])
