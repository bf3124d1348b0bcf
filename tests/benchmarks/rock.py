"""What the model of a rock on a shake table leaves out: hypotheses judged by the labels of the tuning part.

    python -m tests.benchmarks.rock MOTIONS.nc ROCK.json LABELS FOLDER [DRAWS] [HYPOTHESIS ...]

The files are those of `mcrock validate`; MOTIONS.nc also has `displacement` (sample) [m], that of the table.
Recordings that are set aside are not simulated. Each hypothesis changes one input of the study by a
distribution or, where no key of study files has it, by one of five values with equal probabilities. The
marginal likelihood is the mean over all draws of the likelihood of all labels, with the error rate of
`mcrock calibrate`. Finished studies in the folder are taken up.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import xarray as xr
from scipy.signal import butter, sosfiltfilt
from scipy.special import logsumexp

from mcrock.dataset import load_dataset
from mcrock.ensemble import run_study
from mcrock.excitation.readers.collections import read_shake_table
from mcrock.statistics.distributions import score
from mcrock.statistics.labels import ERROR_RATE, left_out, log_likelihoods
from mcrock.statistics.validation import DEFAULT, is_set_aside, probabilities, read_geometry, validation_study
from mcrock.study.load import study_of

GRAVITY = 9.81
FIFTHS = (-1.4, -0.53, 0.0, 0.53, 1.4)  # means of the fifths of a standard normal distribution
FAST = ("controls.step=0.03", "controls.edge_zeno_time=0.001", "controls.stop_at_settling=true")
TEMPER = 0.2  # power of the likelihood in the second comparison, which rests on more of the draws


class Stratum(NamedTuple):
    """One change of the study: keys of study files, the motions, or the support."""

    keys: tuple = ()  # as of --set
    motion: object = None  # of acceleration, displacement and time step
    inset: float = 0.0  # of the support from the border of the scan [m]


def drawn(distribution, **parameters):
    """Distribution of one unknown number for all tests."""
    table = {"distribution": f'"{distribution}"', **parameters, "epistemic": "true"}
    return f"{{ {', '.join(f'{name} = {value}' for name, value in table.items())} }}"


def normal(std):
    return drawn("normal", mean=0.0, std=std)


def rough(std, length):
    return f"body.shape_error={{ std = {std}, correlation_length = {length}, epistemic = true }}"


def leaning(per_metre):
    """A table that leans in proportion to its stroke [rad/m]: gravity along it adds to its acceleration."""
    return lambda a, d, dt: a + GRAVITY * per_metre * (d - d[0])


def slow(gain):
    """More motion below 0.3 Hz, by a factor."""
    return lambda a, d, dt: a + (gain - 1.0) * sosfiltfilt(butter(2, 0.3, fs=1.0 / dt, output="sos"), a)


SHIPPED = "edges as scanned"
LOSSES = ("impact.lambda", "impact.lambda_lon")
HYPOTHESES = {
    SHIPPED: [Stratum()],
    "centre of mass 5 mm": [Stratum((f"body.com=[{', '.join(3 * [normal(0.005)])}]",))],
    "table leans 0.6 deg": [Stratum(tuple(f"ground.slope_{axis}_deg={normal(0.6)}" for axis in "xy"))],
    "underside 1.5 mm": [Stratum((rough(0.0015, 0.15),))],
    "edges crush, 0 to 10 mm": [Stratum(inset=x) for x in (0.001, 0.003, 0.005, 0.007, 0.009)],
    "edges crush, 3 mm": [Stratum(inset=0.003)],
    "edges crush, 5 mm": [Stratum(inset=0.005)],
    "leans with stroke, 0.05 rad a metre": [Stratum(motion=leaning(0.05 * z)) for z in FIFTHS],
    "motion below 0.3 Hz +0 to 50 %": [Stratum(motion=slow(x)) for x in (1.05, 1.15, 1.25, 1.35, 1.45)],
    "motions 10 % stronger or weaker": [
        Stratum(("motion.scaling=" + drawn("lognormal", median=1.0, dispersion=0.1),))
    ],
    "friction 0.4 to 0.9": [
        Stratum(("contact.friction=" + drawn("uniform", low=0.4, high=0.9), "impact.facet_fallback=plastic"))
    ],
    "impacts lose half": [
        Stratum(tuple(key + '={ distribution = "uniform", low = 0.0, high = 0.5 }' for key in LOSSES))
    ],
}


def moved(path, out, change):
    """File of the tests with changed motions."""
    ds = xr.load_dataset(path, engine="netcdf4")
    a, d = (ds[name].values.astype(float) for name in ("acceleration", "displacement"))
    for first, n in zip(ds["start"].values.astype(int), ds["length"].values.astype(int), strict=True):
        own = slice(first, first + n)
        a[own] = change(a[own], d[own], 1.0 / float(ds.attrs["sampling_rate_hz"]))
    ds["acceleration"] = ("sample", a, {"units": "m s-2"})
    ds[["acceleration", "start", "length", "record"]].to_netcdf(out)
    return out


def shares(motions, geometry, tests, folder, draws, name):
    """Outcomes (draw, test) of a hypothesis."""
    found = []
    for k, (keys, motion, inset) in enumerate(HYPOTHESES[name]):
        store = folder / f"{name}, {k}.zarr"
        if not store.exists():
            file = moved(motions, store.with_suffix(".nc"), motion) if motion else motions
            setting = replace(DEFAULT, draws=draws // len(HYPOTHESES[name]), inset=inset)
            study = validation_study(file, tests.tolist(), geometry, setting, seed=1 + k)
            run_study(study_of(json.loads(study.to_json()), file, [*keys, *FAST]), store, workers=1)
        found.append(probabilities(load_dataset(store)))
    return np.concatenate(found)


def judged(share, fallen, recording):
    """Logarithms of the marginal likelihood, whole and tempered, each with its standard error, and scores."""
    total = log_likelihoods(share, fallen, ERROR_RATE).sum(axis=1)
    pick = np.random.default_rng(1).integers(len(total), size=(1000, len(total)))
    row = []
    for power in (1.0, TEMPER):
        resampled = logsumexp(power * total[pick], axis=1)
        row += [logsumexp(power * total) - np.log(len(total)), resampled.std()]
    plain = score(share.mean(axis=0), fallen)
    calibrated = score(left_out(share, fallen, recording)[0], fallen)
    return [*row, plain.brier, plain.log_loss, plain.f1, calibrated.brier]


def main(motions, geometry, labels, folder, draws="200", *names):
    folder, motions = Path(folder), Path(motions).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    tests = read_shake_table(motions)
    kept = np.flatnonzero(~is_set_aside(tests.recording))
    fallen, recording = tests.labels[labels][kept], tests.recording[kept]
    print("hypothesis, draws, log likelihood, se, tempered, se, Brier, log loss, F1, Brier calibrated")
    for name in names or HYPOTHESES:
        share = shares(motions, read_geometry(geometry), kept, folder, int(draws), name)
        numbers = " ".join(f"{x:8.3f}" for x in judged(share, fallen, recording))
        print(f"{name:36s} {len(share):4d} {numbers}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
