"""How often the paired intervals of the page on assumptions hold: split halves of the studies behind it.

    python -m tests.benchmarks.assumption_coverage FOLDER [SPLITS]

FOLDER is that of `tests.benchmarks.assumptions`. Half of the records, drawn at random, and the other half are
two studies of the same population: the difference of their changes is zero on average, and the intervals of
the two, joined, should hold it in 95 % of all splits. Neither the truth nor a correction for drawing from few
records is needed. Second, as users run it: the interval of a fifth of the realizations, against the value of
all, whose records are the same, so that it should hold more often.
"""

import sys
from pathlib import Path

import numpy as np

from mcrock.dataset import load_dataset
from tests.benchmarks.assumptions import (
    AGAINST,
    ASSUMPTIONS,
    OBJECTS,
    OTHER_RECORDS,
    changes,
    counts,
    quantities,
)

NAMES = ("median", "dispersion", "1 %")


def halves(table, chosen):
    return [tuple(part[keep] for part in table) for keep in (chosen, ~chosen)]


def main(folder, splits="20"):
    folder, rng = Path(folder), np.random.default_rng(37)
    held = {key: [] for key in ("split halves", "another record set, split halves", "a fifth against all")}
    for name in OBJECTS:
        done = {
            change: load_dataset(folder / f"{name}{', ' if change else ''}{change}.zarr").load()
            for change in ("", *ASSUMPTIONS)
        }
        tables, x = {key: counts(ds) for key, ds in done.items()}, done[""]["intensity"].values
        few = {
            key: counts(ds.isel(realization=slice(ds.sizes["realization"] // 5))) for key, ds in done.items()
        }
        for change in ASSUMPTIONS:
            pair, paired = (AGAINST.get(change, ""), change), change not in OTHER_RECORDS
            first, second = (tables[key] for key in pair)
            whole = quantities(*second, x) - quantities(*first, x)
            if np.isnan(whole).any():
                continue
            value, half, _ = changes(few[pair[0]], few[change], x, paired)
            if not np.isnan(value).any():
                held["a fifth against all"].append(np.abs(value - whole) <= half)
            for _ in range(int(splits)):
                chosen = [rng.permutation(len(t[1])) < len(t[1]) // 2 for t in (first, second)]
                if paired:
                    chosen[1] = chosen[0]
                parts = zip(
                    *(halves(t, one) for t, one in zip((first, second), chosen, strict=True)), strict=True
                )
                (one, a, _), (two, b, _) = (changes(*part, x, paired) for part in parts)
                if np.isnan(one + two).any():  # half of the records reach no median
                    continue
                key = "split halves" if paired else "another record set, split halves"
                held[key].append(np.abs(one - two) <= np.hypot(a, b))
        print(name, {k: np.mean(v, axis=0).round(3).tolist() for k, v in held.items() if v}, flush=True)
    print("| interval | cases |", " | ".join(NAMES), "|")
    for key, inside in held.items():
        known = np.array(inside)
        print(f"| {key} | {len(known)} |", " | ".join(f"{x:.3f}" for x in known.mean(axis=0)), "|")


if __name__ == "__main__":
    main(*sys.argv[1:])
