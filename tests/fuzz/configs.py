"""Damaged study files, read as `mcrock check` does it up to the first run."""

# ruff: noqa: E501 -- a key stands on one line

import shutil
import tomllib
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from mcrock.base.tables.fields import plain
from mcrock.show.describe import describe
from mcrock.study import load_config
from mcrock.study.sampling import check_inputs, load_motions
from mcrock.study.study import tables
from tests.fuzz.damage import damage_table, damaged_text, toml

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "tests" / "unit" / "excitation" / "records" / "elcentro.AT2"
SHIPPED = sorted((ROOT / "configs").glob("*.toml"))
# sections, some at a time, that take the place of those of the main example
SECTIONS = """\
[motion]
source = "files"
paths = ["elcentro.AT2"]
scaling = 1.2
polarity = [-1, 1]
---
[motion]
source = "csv"
files = ["table.csv"]
unit = "g"
dt = 0.01
---
[motion]
source = "pulse"
shape = ["one-sine", "ricker-symmetric"]
period = 0.8
ratio_y = 0.3
z = { ratio = 0.3, period = 0.4, delay = 0.1 }
---
[motion]
source = "synthetic"
arias = 1.5
duration = 8.0
middle_ratio = 0.5
frequency = 4.0
---
[motion]
source = "fitted"
path = "elcentro.AT2"
---
[motion]
source = "spectrum"
ground = ["B", "C"]
level = 5.0
---
[motion]
source = "spectrum"
table = "spectrum.txt"
unit = "g"
components = 1
---
[motion]
source = "fema_p695"
records = [1, 2]
processing = [{ step = "bandpass", low = 0.1, high = 25.0 }, { step = "baseline", order = 2 }, { step = "reverse" }]
floor = { masses = [2e5, 2e5], stiffnesses = [2e8, 2e8], number = 2 }
---
[motion]
source = "none"
[start]
edge = 0
tilt_ratio = 0.5
---
[body]
shape = "prism"
base = [[0.3, -0.25], [0.3, 0.25], [-0.3, 0.25], [-0.3, -0.25]]
height = 1.8
mass = 90
---
[body]
shape = "frustum"
base = [[0.3, -0.2], [0.3, 0.2], [-0.3, 0.2], [-0.3, -0.2]]
top_scale = 0.8
height = 1.2
density = 2600
com_z = -0.1
---
[body]
shape = "cylinder"
radius = 0.3
height = 1.5
density = 2400
sides = 12
---
[body]
shape = "free"
base = [[-0.3, -0.3], [0.3, -0.3], [0, 0.4]]
com = [0, 0, 0.8]
mass = 90
inertia = [[9, 0, 0], [0, 9, 0], [0, 0, 4]]
---
[body]
shape = "polyhedron"
vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 2.0]]
density = 2000
---
[body]
shape = "polyhedron"
file = "points.txt"
mass = 900
com_x = 0.05
---
[body]
shape = "polyhedron"
file = "rock.obj"
unit = "cm"
density = 2600
---
[body]
shape = "polyhedron"
vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.4, 0.3, -0.01], [0, 0, 2.0]]
solid = { volume = 0.3, centroid = [0.3, 0.3, 0.4], inertia = [[0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.1]] }
mass = 900
base_angle_deg = 8
shape_error = { std = 0.002, correlation_length = 0.2, underside_deg = 30, epistemic = true }
[ensemble]
realizations = 40
outer = 4
---
[body]
shape = "composite"
parts = [
    { shape = "cuboid", width = 0.5, depth = 0.4, height = 0.9, density = 700, wall = 0.02 },
    { shape = "cylinder", radius = 0.1, top_radius = 0.15, height = 0.5, mass = 40, x = 0.02, turn_deg = 10 },
    { shape = "polyhedron", file = "rock.obj", unit = "cm", density = 2600, scale = 0.3 },
]
---
[body]
shape = "cuboid"
width = { distribution = "normal", mean = 0.4, std = 0.01 }
depth = { distribution = "beta", alpha = 2, beta = 3, low = 0.3, high = 0.5 }
height = { distribution = "uniform", low = 1.5, high = 1.7 }
mass = 600
[correlation]
"body.width, body.height" = 0.6
"body.depth, body.height" = -0.5
"body.width, motion.azimuth_deg" = 0.2
---
[contact]
friction = 0.5
static_friction = 0.6
restitution = 0.1
---
[intensity]
measure = "avgsa"
low = 0.2
high = 2.0
count = 10
levels_g = [0.2, 0.4]
---
[intensity]
measure = "sa"
period = 0.5
value_g = { distribution = "lognormal", median = 0.4, dispersion = 0.6 }
variables = ["pgv", { measure = "sa", period = 1.0 }, { measure = "frequency_ratio" }]
---
[ensemble]
realizations = 30
outer = 5
[contact]
friction = { distribution = "uniform", low = 0.4, high = 0.8, epistemic = true }
---
[controls]
step = 0.02
max_steps = 1000000
recheck = 0.1
---
[ensemble]
realizations = 100
design = "latin_hypercube"
"""


def attempt(number: int, folder: Path) -> None:
    """Take a damaged study file on, through motions and checks."""
    folder = folder / "to" / "the" / "study"  # so that two folders up there is nothing else
    if not folder.exists():
        folder.mkdir(parents=True)
        shutil.copy(RECORD, folder)
        rows = "".join(f"{(-0.9) ** i},{0.8**i}\n" for i in range(200))
        folder.joinpath("table.csv").write_text(f"x,y\n{rows}")
        folder.joinpath("points.txt").write_text("0 0 0\n1 0 0\n0 1 0\n0.2 0.2 2\n")
        corners = "v 0 0 0\nv 60 0 0\nv 0 60 0\nv 20 20 90\n"
        folder.joinpath("rock.obj").write_text(f"{corners}f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
        folder.joinpath("spectrum.txt").write_text("0.01 1\n0.1 2.5\n0.5 2.5\n1 1.2\n4 0.1\n")
    path = folder / "study.toml"
    path.write_text(damaged_study(number), encoding="utf-8", newline="")
    study = load_config(path)
    motions = load_motions(study)
    describe(study, motions)
    check_inputs(study, motions)


def damaged_study(number: int) -> str:
    """Text of a study file."""
    random = Random(f"config {number}")
    text = random.choice(sound_studies())
    if random.random() < 0.25:
        return damaged_text(random, text)
    data = tomllib.loads(text)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        section = random.choice([key for key, value in data.items() if isinstance(value, dict)] or [""])
        table = data.get(section)
        if isinstance(table, dict) and random.random() < 0.95:
            damage_table(random, table, known_keys(section, str(table.get("shape", table.get("source")))))
        else:
            damage_table(random, data)
    return toml(data)


@cache
def sound_studies() -> list[str]:
    """Studies to damage: those that are shipped, and the main example with other sections."""
    base = tomllib.loads((ROOT / "configs" / "quickstart.toml").read_text(encoding="utf-8"))
    others = [{**base, **tomllib.loads(section)} for section in SECTIONS.split("---\n")]
    for study in others:
        if study["motion"]["source"] == "none":
            del study["intensity"]
    return [path.read_text(encoding="utf-8") for path in SHIPPED] + [toml(study) for study in others]


@cache
def known_keys(section: str, variant: str) -> dict[str, Any]:
    """Keys that a section may have, with examples."""
    return {
        key: plain(field.examples[0]) if field.examples else 1.0
        for name, table in tables().get(section, {}).items()
        if not name or repr(variant) in name
        for key, field in zip(table.key_names(), table.model_fields.values(), strict=True)
    }
