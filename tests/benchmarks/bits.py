"""Whether a change of compiled code leaves every number of every run as it was, to the last bit.

    python -m tests.benchmarks.bits OUT.json [OTHER.json] [--small]

hashes all results of the workloads and of the shipped studies, and the histories of single runs, into a file,
and lists what differs from another such file. With NUMBA_DISABLE_JIT=1 and --small it compares uncompiled
runs in a minute.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from mcrock.base.environment import shipped
from mcrock.body import cuboid, frustum
from mcrock.excitation import Pulse, pack_motions
from mcrock.impact.conditions import Contact, Controls, Impact, Start
from mcrock.planar import simulation as planar
from mcrock.simulation.runs import simulate, simulate_part
from mcrock.study import load_config
from mcrock.study.sampling import draw_inputs, load_motions
from tests.benchmarks.speed import workloads

RUNS = {
    "free_rocking": 200, "record": 60, "study": 220, "lambda_half": 10, "scanned": 110, "friction": 220,
    "planar": 50,
}  # fmt: skip
STUDY_RUNS = 88  # of each shipped study
TAIL = 3.0  # of single runs [s]


def digest(values: dict[str, Any]) -> str:
    """Hash of arrays by name."""
    found = hashlib.sha256()
    for name in sorted(values):
        array = np.ascontiguousarray(values[name])
        found.update(f"{name} {array.dtype} {array.shape}".encode())
        found.update(array.tobytes())
    return found.hexdigest()[:16]


def of_workloads(share: float) -> Iterator[tuple[str, str]]:
    """Hashes of the arrays of which a workload tells only the sums."""
    run_many = planar.run_many
    for name, runs in RUNS.items():
        taken: list[dict[str, Any]] = []

        def part(*args: Any, kept: list[dict[str, Any]] = taken) -> Any:
            kept.append(simulate_part(*args))
            return kept[-1]

        def many(*args: Any, kept: list[dict[str, Any]] = taken, **options: Any) -> Any:
            out = run_many(*args, **options)
            kept.append({"out": out})
            return out

        with mock.patch.object(workloads, "simulate_part", part), mock.patch.object(planar, "run_many", many):
            workloads.prepare(name, max(2, round(share * runs))).run()
        yield name, digest(taken[0])


def of_studies(share: float) -> Iterator[tuple[str, str]]:
    for path in sorted(shipped("configs").glob("*.toml")):
        design = workloads.STUDY_DESIGN if path == workloads.study_file() else ()
        study = load_config(path, design)
        n = max(1, round(share * STUDY_RUNS / study.n_intensity))
        study = load_config(path, [*design, f"ensemble.realizations={max(n, study.n_realizations)}"])
        motions = load_motions(study)
        if study.body.own_hulls or study.motion.has_own_motions:
            n = min(n, 8)
        for i in range(n) if study.body.own_hulls or study.motion.has_own_motions else [None]:
            begin, end = (0, n) if i is None else (i, i + 1)
            inputs = draw_inputs(study, motions, begin, end)
            pack = pack_motions(inputs.motions or motions)
            name = path.stem if i is None else f"{path.stem} {i}"
            yield name, digest(simulate_part(inputs, pack, study.controls))


def of_single_runs() -> Iterator[tuple[str, str]]:
    body = cuboid(0.1, 0.12, 0.4, 2700.0)
    square = [(0.1, 0.1), (-0.1, 0.1), (-0.1, -0.1), (0.1, -0.1)]
    solid = frustum(square, 0.5, 2000.0, top_scale=0.6)
    pulse, weak = Pulse((5.0, 3.0, 0.5), 9.0), Pulse((2.5, 2.0, 0.0), 7.0)
    lateral = Impact(lambda_=0.6, lambda_lon=0.7, lambda_lat=0.2)
    rough, smooth = Contact(friction=0.7, restitution=0.3, impact_restitution=0.2), Contact(friction=0.25)
    tail, fall = Controls(tail=TAIL), Controls(tail=TAIL, follow_fall=True)
    tilted = Start(edge=1, tilt=0.1)
    spins = Start(velocity=(0.4, 0.1, 0.0), yaw_rate=3.0)
    flies = Start(position=(0.0, 0.0, 0.4), velocity=(0.2, 0.0, 0.5), angular_velocity=(0.5, -1.0, 2.0))
    leans = Start(edge=0, tilt=0.15, velocity=(0.3, 0.2, 0.0))
    cases = {
        "tilted": (body, None, None, None, tilted, tail),
        "pulse": (body, weak, lateral, None, None, tail),
        "overturns": (body, pulse, None, None, None, tail),
        "falls": (solid, pulse, lateral, None, None, fall),
        "plastic": (body, weak, Impact(law="moreau_1988"), None, tilted, tail),
        "rough": (body, weak, lateral, rough, tilted, tail),
        "smooth": (body, weak, None, smooth, None, tail),
        "smooth strong": (body, pulse, lateral, smooth, None, fall),
        "spins": (body, None, None, rough, spins, tail),
        "flies": (solid, None, None, rough, flies, fall),
        "leans": (body, weak, None, smooth, leans, tail),
        "routh": (solid, pulse, Impact(law="routh_1905"), rough, None, fall),
    }
    for name, (what, motion, impact, contact, start, controls) in cases.items():
        run = simulate(what, motion, impact, contact=contact, start=start, controls=controls)
        arrays = {f"history {key}": array.values for key, array in run.history.variables.items()}
        arrays = {key: a for key, a in arrays.items() if a.dtype.kind in "fiub"}
        events = json.dumps(run.events, default=lambda x: np.asarray(x).tolist())
        yield (
            f"simulate {name}",
            digest(
                arrays
                | {
                    "results": np.array(list(run.results.values())),
                    "events": np.frombuffer(events.encode(), np.uint8),
                }
            ),
        )


def main() -> None:
    arguments = [a for a in sys.argv[1:] if a != "--small"]
    share = 0.02 if "--small" in sys.argv else 1.0
    found: dict[str, str] = {}
    for source in (of_workloads(share), of_studies(share), of_single_runs()):
        for name, value in source:
            found[name] = value
            print(name, value, flush=True)
    Path(arguments[0]).write_text(json.dumps(found, indent=1))
    if len(arguments) > 1:
        known = json.loads(Path(arguments[1]).read_text())
        differ = [name for name in known if found.get(name) != known[name]]
        print(
            f"{len(known) - len(differ)} of {len(known)} equal",
            *(f"DIFFERS {name}" for name in differ),
            sep="\n",
        )
        sys.exit(1 if differ or set(found) - set(known) else 0)


if __name__ == "__main__":
    main()
