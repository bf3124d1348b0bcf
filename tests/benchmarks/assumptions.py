"""What each assumption costs: the page assumptions, its table and its figure.

    python -m tests.benchmarks.assumptions FOLDER [REALIZATIONS]

Eight objects, each with one assumption changed at a time and the same draws of all else. Finished studies in
the folder are taken up again. Writes the table that the package has, and the figure of the site.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import seaborn as sns
from scipy.optimize import minimize
from scipy.special import log_ndtr
from scipy.stats import t as student

import mcrock as mr
from mcrock.dataset import load_dataset
from mcrock.ensemble import run_study
from mcrock.show import style
from mcrock.statistics.runs import ESTIMATE, overturn_levels
from mcrock.study.load import study_of

PACKAGE = Path(mr.__file__).parent
TABLE = PACKAGE / "show/assumptions.csv"
FIGURE = PACKAGE / "docs/site/static/assumptions.png"
MULTIPLES = (0.3, 0.45, 0.6, 0.8, 1.0, 1.3, 1.7, 2.3)  # of g tan(alpha) / p, as in Chu et al. (2025)
OCTAGON = [
    [0.24, -0.1],
    [0.24, 0.1],
    [0.1, 0.24],
    [-0.1, 0.24],
    [-0.24, 0.1],
    [-0.24, -0.1],
    [-0.1, -0.24],
    [0.1, -0.24],
]
ROCK = [
    [0.25, -0.20, 0.0], [0.28, 0.15, 0.0], [-0.05, 0.30, 0.0], [-0.27, 0.05, 0.0], [-0.12, -0.28, 0.0],
    [0.55, -0.35, 0.7], [0.50, 0.45, 0.8], [-0.45, 0.50, 0.75], [-0.60, -0.30, 0.7], [0.0, -0.60, 0.8],
    [0.25, 0.15, 1.35], [-0.25, -0.10, 1.3],
]  # fmt: skip
OBJECTS = {
    "statue": {"shape": "frustum", "base": [[0.3, -0.25], [0.3, 0.25], [-0.3, 0.25], [-0.3, -0.25]],
               "top_scale": 0.6, "height": 1.9, "density": 2700.0},
    "bust on a plinth": {"shape": "prism", "base": OCTAGON, "height": 1.75, "density": 2000.0,
                         "com_z": -0.08},
    "storage cask": {"shape": "cylinder", "radius": 1.68, "height": 6.0, "density": 3000.0},
    "cabinet": {"shape": "cuboid", "width": 0.6, "depth": 0.5, "height": 1.8, "density": 300.0},
    "server rack": {"shape": "cuboid", "width": 0.6, "depth": 1.07, "height": 2.0, "density": 600.0,
                    "com_z": -0.1},
    "transformer": {"shape": "cuboid", "width": 2.4, "depth": 1.4, "height": 3.4, "density": 1500.0,
                    "com_z": -0.3},
    "column": {"shape": "cylinder", "radius": 0.4, "height": 5.0, "density": 2600.0},
    "balanced rock": {"shape": "polyhedron", "vertices": ROCK, "density": 2600.0},
}  # fmt: skip
UNIFORM = {"distribution": "uniform", "low": 0.5, "high": 1.0}
BASE = {
    "seed": 37,
    "impact": {"lambda": UNIFORM, "lambda_lon": UNIFORM, "facet_fallback": "plastic",
               "lambda_lat": {"distribution": "uniform", "low": -0.3, "high": 0.3}},
    "motion": {"source": "fema_p695", "set": "farfield",
               "azimuth_deg": {"distribution": "uniform", "low": 0.0, "high": 360.0}},
}  # fmt: skip
PLASTIC = {"facet_fallback": "plastic"}
FRICTION = "friction 0.6"
REBOUND = {"restitution": 0.3, "impact_restitution": 0.3}
ASSUMPTIONS = {  # name: what changes, and the study that it is compared with
    "theoretical bounds of impacts": {"impact": PLASTIC | {"preset": "varkonyi_2022_bounds"}},
    "Housner's impacts": {"impact": PLASTIC | {"law": "housner_1963"}},
    "impacts drawn one by one": {"impact": BASE["impact"] | {"draw": "impact"}},
    "friction 1.0": {"contact": {"friction": 1.0}},
    FRICTION: {"contact": {"friction": 0.6}},
    "friction 0.3": {"contact": {"friction": 0.3}},
    "rebound 0.3 (friction 0.6)": {"contact": REBOUND | {"friction": 0.6}},
    "one direction": {"motion": BASE["motion"] | {"azimuth_deg": 0.0}},
    "floor of 2 Hz, factor 1.3": {"motion": BASE["motion"] | {"floor": {"frequency": 2.0, "factor": 1.3}}},
    "flexible base of 10 Hz": {"motion": BASE["motion"] | {"floor": {"frequency": 10.0}}},
    "centre of mass 2 % higher": {"body": lambda body: shifted(body, z=0.02)},
    "centre of mass off by 2 % of the height": {"body": lambda body: shifted(body, x=0.02)},
    "ground slopes by 1 degree": {"ground": {"slope_x_deg": 1.0}},
    "near-fault pulses": {"motion": BASE["motion"] | {"set": "nearfield_pulse"}},
}
AGAINST = {"rebound 0.3 (friction 0.6)": FRICTION}
OTHER_RECORDS = ("near-fault pulses",)


def shifted(body, x=0.0, z=0.0):
    """A body whose centre of mass is off by shares of its height."""
    height = body.get("height", 1.35)
    return body | {"com_x": body.get("com_x", 0.0) + x * height, "com_z": body.get("com_z", 0.0) + z * height}


def finished(folder, name, parts):
    """Runs of a study, of which the folder may have them."""
    store = folder / f"{name}.zarr"
    if store.exists():
        return load_dataset(store)
    return run_study(study_of(parts, folder / "study.toml"), store, workers=1)


def curve(fell, runs, x):
    """Median and dispersion of a lognormal curve by maximum likelihood, from counts at levels x."""

    def loss(y):
        z = (np.log(x) - y[0]) * np.exp(-y[1])
        return -(fell @ log_ndtr(z) + (runs - fell) @ log_ndtr(-z))

    start, options = [np.log(x).mean(), np.log(0.4)], {"xatol": 1e-5, "fatol": 1e-7}
    y = minimize(loss, start, method="Nelder-Mead", options=options).x
    return y[0], np.exp(y[1])


def counts(ds):
    """Overturned runs and runs, by record and level."""
    fell = overturn_levels(ds.transpose("realization", ...)).readings[ESTIMATE]
    record = ds["record"].values
    names = np.unique(record)
    return np.stack([fell[record == one].sum(axis=0) for one in names]), np.bincount(record)[names]


def quantities(fell, runs, x):
    """Logarithms of the median and of the capacity at 1 %, and the dispersion.

    NaN where fewer than half of the runs overturn at the strongest level.
    """
    if fell[:, -1].sum() < 0.5 * runs.sum():
        return np.full(3, np.nan)
    median, dispersion = curve(fell.sum(axis=0), np.full(x.size, runs.sum()), x)
    return np.array([median, dispersion, median - 2.326 * dispersion])


def changes(first, second, x, paired):
    """Changes of the quantities from counts, with 95 % intervals of the jackknife over recordings."""
    tables = first, second
    value = quantities(*tables[1], x) - quantities(*tables[0], x)

    def without(table, k):
        return quantities(np.delete(table[0], k, 0), np.delete(table[1], k), x)

    left = [np.stack([without(table, k) for k in range(len(table[1]))]) for table in tables]
    parts = [left[1] - left[0]] if paired else left
    variance = sum((len(one) - 1) * one.var(axis=0) for one in parts)
    degrees = min(len(one) for one in parts) - 1
    return value, student.ppf(0.975, degrees) * np.sqrt(variance), left[0]


def main(folder, realizations="440"):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for name, body in OBJECTS.items():
        ensemble = {"realizations": int(realizations), "design": "sobol"}
        parts = BASE | {"body": body, "ensemble": ensemble}
        one = {"ensemble": {"realizations": 22}, "intensity": {"measure": "pgv", "levels": [1e-3]}}
        probe = finished(folder, f"{name}, still", parts | one)
        slenderness, frequency = (
            float(probe[f"body_{key}"].values.ravel()[0]) for key in ("slenderness", "frequency")
        )
        unit = 9.81 * np.tan(slenderness) / frequency
        parts["intensity"] = {"measure": "pgv", "levels": [round(k * unit, 4) for k in MULTIPLES]}
        done = {"": finished(folder, name, parts)}
        own = {"object": name, "slenderness": slenderness, "p": frequency}
        for change, what in ASSUMPTIONS.items():
            changed = {key: value(body) if callable(value) else value for key, value in what.items()}
            done[change] = finished(folder, f"{name}, {change}", parts | changed)
            first = done[AGAINST.get(change, "")]
            x, tables = first["intensity"].values, [counts(ds) for ds in (first, done[change])]
            value, half, left = changes(*tables, x, change not in OTHER_RECORDS)
            rows.append(own | {"assumption": change} | row(value, half))
            print(rows[-1], flush=True)
        one_less = left - left.mean(axis=0)
        largest = row(one_less[np.abs(one_less[:, 0]).argmax()], np.full(3, np.nan))
        rows.append(own | {"assumption": "one recording less (largest change)"} | largest)
    table = pd.DataFrame(rows)
    table.to_csv(TABLE, index=False, float_format="%.4g")
    draw(table)


@style.styled
def draw(table):
    """Ratio of the intensity at which 1 % overturn, a row for each assumption and a mark for each object."""
    names = list(dict.fromkeys(table["assumption"]))
    figure = style.new_figure(style.PAGE, 110.0)
    ax = figure.add_subplot()
    looks = zip(dict.fromkeys(table["object"]), sns.color_palette("colorblind"), "osD^v<>X", strict=False)
    for k, (name, colour, mark) in enumerate(looks):
        own = table[table["object"] == name].set_index("assumption")
        y = np.array([names.index(one) for one in own.index]) + 0.09 * (k - 3.5)
        x = own["one_percent_ratio"].to_numpy()
        ends = np.abs(own[["one_percent_low", "one_percent_high"]].to_numpy().T - x)
        ax.errorbar(x, y, xerr=ends, fmt=mark, color=colour, markersize=3.5, linewidth=0.7, label=name)
    ax.axvline(1.0, color="0.5", linewidth=0.7)
    ax.set_xscale("log")
    ticks = [0.25, 0.4, 0.6, 0.8, 1.0, 1.25, 1.6, 2.0]
    ax.set_xticks(ticks, [f"{x:g}" for x in ticks])
    ax.set_xticks([], minor=True)
    ax.set_xlim(0.24, 2.2)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_xlabel("Intensity at which 1 % overturn, over that of the first study [1]")
    ax.grid(axis="y", color="0.92", linewidth=0.5)
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    style.save_figure(ax, FIGURE)


def row(value, half):
    """Ratios of the median and of the capacity at 1 %, change of the dispersion, with their ends."""
    low, high = value - half, value + half
    return {
        "median_ratio": np.exp(value[0]),
        "median_low": np.exp(low[0]),
        "median_high": np.exp(high[0]),
        "dispersion_change": value[1],
        "dispersion_low": low[1],
        "dispersion_high": high[1],
        "one_percent_ratio": np.exp(value[2]),
        "one_percent_low": np.exp(low[2]),
        "one_percent_high": np.exp(high[2]),
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
