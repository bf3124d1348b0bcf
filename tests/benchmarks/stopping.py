"""How often intervals of studies that end by themselves hold the truth, and what these studies cost.

    python -m tests.benchmarks.stopping coverage STUDIES [SEED]
    python -m tests.benchmarks.stopping weights STUDIES [SEED]
    python -m tests.benchmarks.stopping recordings STUDIES [SEED]
    python -m tests.benchmarks.stopping cost [RANDOM [SEED [PERCENT]]]

Of the coverage everything is drawn at random: 10 to 60 recordings, the share of the variance between them,
dispersion, kind of the curve and slope of the hazard (`tests.benchmarks.curve_coverage.Truth`). Levels are
those of a pilot, the number of realizations that of `next_size`, which both look at the runs.

The cost is that of the shipped studies that can end by themselves, and of random ones, beside those with 40
realizations of each recording at the levels of their file; ``PERCENT`` is the share of the variance that runs
may add, 5 by default. An interval is 5 % wider with a share of 9.3 % than with no runs' share at all.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import xarray as xr

from mcrock.base.params import Outcome
from mcrock.ensemble import run_study
from mcrock.ensemble.pilot import (
    FEW,
    STEPS,
    first_size,
    levels_that_tell,
    next_size,
    proposal,
    spread_of,
    static_resistance,
)
from mcrock.statistics import what_limits
from mcrock.statistics.importance import run_weights
from mcrock.study import load_config, new_study
from mcrock.study.sampling import load_motions
from tests.benchmarks.curve_coverage import FINE, Truth
from tests.unit.statistics.conditions import held
from tests.unit.statistics.test_importance import config

MOST = 10_000


def study_of_runs(capacities, levels):
    """Result whose realizations (record, n) fall above their capacities, in turns of the recordings."""
    records, n = capacities.shape
    fell = levels > np.exp(capacities.T.ravel())[:, None]
    dims = ("realization", "intensity")
    return xr.Dataset(
        {
            "outcome": (dims, np.where(fell, Outcome.OVERTURNED, Outcome.AT_REST).astype("i1")),
            "infeasible_energy_loss": (dims, np.zeros(fell.shape, "f4")),
            "record": ("realization", np.tile(np.arange(records), n).astype("i4")),
            "motion_group": ("motion", np.arange(records, dtype="i4")),
        },
        {"intensity": ("intensity", levels, {"units": "m s-2"})},
    )


def hazard_of(x, rate):
    table = {"rate": (("hazard", "hazard_intensity"), rate[None], {"units": "1/a"})}
    at = {"hazard": ["mean"], "hazard_intensity": ("hazard_intensity", x, {"units": "m s-2"})}
    return xr.Dataset(table, at, {"measure": "intensity"})


def drawn_truth(rng):
    """A truth, its capacities (record, n), and what a pilot tells of them."""
    truth = Truth(rng, rng.choice(["lognormal", "log-logistic"]))
    truth.per_record = -(-MOST // truth.records)
    capacities = truth.capacities(truth.scores(rng))
    own = np.sort(capacities.T.ravel()[: max(24, truth.records)])
    z = np.linspace(np.log(0.1), np.log(8.0), STEPS)
    return truth, capacities, spread_of(z, (z < own[:, None]).sum(axis=1), np.log(20.0))


def covered(rng):
    """Whether the intervals of a stopped study hold its truth, and how many realizations of each record."""
    truth, capacities, spread = drawn_truth(rng)
    hazard = hazard_of(*truth.hazard)
    at = float(np.exp(rng.normal(0, 0.4)))
    found = []
    for asked, right in (
        ({}, 1.0),
        ({"intensity": at}, float(truth.curve(np.array([at]))[0])),
        ({"hazard": hazard}, truth.rate(truth.curve(FINE))),
    ):
        levels = levels_that_tell([spread], asked.get("hazard"))
        levels = np.array(sorted({*levels, asked.get("intensity", levels[0])}))
        n = FEW
        while True:
            ds = study_of_runs(capacities[:, :n], levels)
            limits = what_limits(ds, **asked)
            more = (
                next_size(limits, n * truth.records, truth.records, truth.records * truth.per_record)
                // truth.records
            )
            if more <= n:
                break
            n = more
        ends = limits["answer_interval"].values
        found.append([held(ends, right), n, float(limits["half_width"]), len(levels)])
    return found


def weighted(rng):
    """Rates of one truth by levels and by weights: whether each interval holds it, runs and half-width."""
    truth, capacities, spread = drawn_truth(rng)
    hazard, right = hazard_of(*truth.hazard), truth.rate(truth.curve(FINE))
    drawn = proposal([spread], hazard)
    x = drawn["median"] * np.exp(drawn["dispersion"] * rng.standard_normal(capacities.T.size))
    levels = np.array(levels_that_tell([spread], hazard))
    found = []
    for by_weights in (False, True):
        n, records = FEW, truth.records
        while True:
            ds = study_of_runs(capacities[:, :n], levels)
            if by_weights:
                ds = cloud_of_runs(capacities[:, :n], x[: n * records], drawn)
            limits = what_limits(ds, hazard)
            more = next_size(limits, n * records, records, records * truth.per_record) // records
            if more <= n:
                break
            n = more
        ends, runs = limits["answer_interval"].values, n * records * (1 if by_weights else len(levels))
        found.append([held(ends, right), runs, float(limits["half_width"])])
    return found


def cloud_of_runs(capacities, x, drawn):
    """`study_of_runs` with one run of each realization, at intensities (n,) of a distribution."""
    ds = study_of_runs(capacities, np.array([1.0])).isel(intensity=0, drop=True)
    fell = np.where(x > np.exp(capacities.T.ravel()), Outcome.OVERTURNED, Outcome.AT_REST).astype("i1")
    at = ("realization", x, {"units": "m s-2"})
    return ds.assign(outcome=("realization", fell), intensity_value=at).assign_attrs(config=config(drawn))


def in_proportion(rng):
    """Runs that recordings need where they are met in proportion, for each run where they are met evenly.

    By their rates, and by the deviation of a run's share of the rate, which is the best there is (Neyman's
    allocation). Recordings are of known rates here, so that this is a bound: a study has to guess them.
    """
    truth, capacities, spread = drawn_truth(rng)
    hazard = hazard_of(*truth.hazard)
    drawn = proposal([spread], hazard)
    x = drawn["median"] * np.exp(drawn["dispersion"] * rng.standard_normal(capacities.T.size))
    ds = cloud_of_runs(capacities, x, drawn)
    fell = (ds["outcome"] == Outcome.OVERTURNED).values
    shares = (run_weights(ds, hazard) * fell).reshape(capacities.T.shape).T
    rates, deviations = shares.mean(axis=1), shares.std(axis=1)
    evenly = len(rates) * (deviations**2).sum()
    by_rate = rates.sum() * (deviations[rates > 0] ** 2 / rates[rates > 0]).sum()
    return by_rate / evenly, deviations.sum() ** 2 / evenly


def by_recordings(studies, seed=1):
    table = np.array([in_proportion(np.random.default_rng([seed, k])) for k in range(studies)])
    for name, part in zip(("their rates", "Neyman's allocation"), table.T, strict=True):
        low, middle, high = np.quantile(part, [0.05, 0.5, 0.95])
        narrower = 1 - np.sqrt(0.95 + 0.05 * middle)
        print(
            f"{studies} rates, recordings by {name}: {middle:.2f} of the runs ({low:.2f} to {high:.2f}), "
            f"or at a runs' share of 5 % an interval at most {narrower:.1%} narrower"
        )


def by_weights(studies, seed=1):
    rows = []
    for k in range(studies):
        rows.append(weighted(np.random.default_rng([seed, k])))
        if (k + 1) % 50 == 0 or k + 1 == studies:
            table = np.array(rows)
            for name, part in zip(("levels", "weights"), table.transpose(1, 0, 2), strict=True):
                print(
                    f"{k + 1} rates by {name}: {part[:, 0].mean():.3f} hold the truth, "
                    f"{np.median(part[:, 1]):.0f} runs, half-width {np.median(part[:, 2]):.3f}",
                    flush=True,
                )


def coverage(studies, seed=1):
    rows = []
    for k in range(studies):
        rows.append(covered(np.random.default_rng([seed, k])))
        if (k + 1) % 50 == 0 or k + 1 == studies:
            table = np.array(rows)
            for name, part in zip(("median", "probability", "rate"), table.transpose(1, 0, 2), strict=True):
                below = part[:, 0].mean()
                print(
                    f"{k + 1} studies, {name}: {below:.3f} hold the truth; realizations of a record "
                    f"{np.median(part[:, 1]):.0f} (at most {part[:, 1].max():.0f}), half-width "
                    f"{np.median(part[:, 2]):.3f}, {np.median(part[:, 3]):.0f} levels",
                    flush=True,
                )


SHIPPED = (
    "quickstart",
    "full_range",
    "impact_laws",
    "museum_plinth",
    "sliding_equipment",
    "cabinet_on_floor",
)
WHOLE = 40  # realizations of each record of a study that does not end by itself


def shipped():
    """The shipped studies with records that realizations meet in turns, at levels."""
    for name in SHIPPED:
        yield name, load_config(f"configs/{name}.toml")


def drawn(number, seed):
    """Studies of random objects."""
    rng = np.random.default_rng(seed)
    for k in range(number):
        height, slender = rng.uniform(0.4, 4.0), rng.uniform(0.12, 0.4)
        answers = {
            "height": height,
            "width": height * slender,
            "depth": height * slender * rng.uniform(1.0, 2.0),
            "earthquakes": str(rng.choice(["farfield", "nearfield_pulse", "nearfield_no_pulse"])),
            "measure": str(rng.choice(["pga", "pgv"])),
            "impacts": str(rng.choice(["usual", "granite", "housner_1963"])),
        }
        yield f"random {k}: {height:.2g} m, {slender:.2g}", new_study(**answers).study


def measured(study, folder, name):
    """Runs and processor seconds of a study, and what limits its median."""
    began = time.process_time()
    ds = run_study(study, folder / f"{name}.zarr")
    limits = what_limits(ds)
    return int(limits["runs"]), time.process_time() - began, limits


def cost(number=6, seed=1, percent=5):
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for k, (name, study) in enumerate([*shipped(), *drawn(number, seed)]):
            whole = study if study.has_fixed_size else usual(study)
            both = [
                measured(each, Path(folder), f"{k}-{kind}")
                for kind, each in enumerate((whole, by_itself(study, percent / 100)))
            ]
            (runs, seconds, full), (few, less, ended) = both
            widths = [float(each["half_width"]) for each in (full, ended)]
            answers = [float(each["answer"]) for each in (full, ended)]
            ratios.append([runs / few, seconds / less, widths[1] / widths[0]])
            print(
                f"{name:26} runs {runs:6} {few:5} {runs / few:5.1f}x, seconds {seconds:6.1f} {less:5.1f} "
                f"{seconds / less:4.1f}x, half-width {widths[0]:.3f} {widths[1]:.3f} {ratios[-1][2]:.3f}x, "
                f"median {answers[0]:.3g} {answers[1]:.3g}",
                flush=True,
            )
    print("median:", " ".join(f"{x:.2f}" for x in np.median(ratios, axis=0)))


def by_itself(study, share):
    """The study with levels and number of realizations that it finds itself."""
    levels = {"levels": "auto", "levels_g": None, "value": None, "value_g": None, "variables": ()}
    update = {
        "intensity": study.intensity.model_copy(update=levels),
        "ensemble": study.ensemble.model_copy(update={"realizations": "auto", "runs_share": share}),
    }
    return study.model_copy(update=update)


def usual(study):
    """With 40 realizations of each record at ten levels, as studies had before they ended by themselves."""
    steps = np.array([0.8, 1.2, 1.6, 2.0, 2.4, 3.2, 4.0, 5.2, 6.4, 8.0])
    if study.intensity.measure == "pga":
        steps *= static_resistance(study, load_motions(study))
    else:
        steps = np.array([0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.3, 1.6, 2.0, 3.0])
    return study.at_intensities(steps.tolist()).of_size(10 * first_size(study))


if __name__ == "__main__":
    kind, *numbers = sys.argv[1:]
    kinds = {"coverage": coverage, "weights": by_weights, "recordings": by_recordings, "cost": cost}
    kinds[kind](*map(int, numbers))
