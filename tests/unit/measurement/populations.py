"""Tables of tests with known means and scatters."""

import numpy as np
import pandas as pd
import xarray as xr

from mcrock.measurement.population import inference_data

TRUTH = {  # mean, and scatter of specimens, positions and repetitions
    "lambda": (1.4, 0.3, 0.25, 0.15),
    "lambda_lon": (0.7, 0.15, 0.12, 0.08),
    "lambda_lat": (0.1, 0.6, 1.0, 0.4),
}


def table_of(seed, truth=TRUTH, *, specimens=8, positions=2, repetitions=5, errors=(0.02, 0.1)):
    """Fits of tests, by default as many as those of the source."""
    rng = np.random.default_rng(seed)
    rows = []
    for key, (mean, *scatter) in truth.items():
        for s in range(specimens):
            specimen = mean + scatter[0] * rng.normal()
            for p in "ABCD"[:positions]:
                place = specimen + scatter[1] * rng.normal()
                for r in range(repetitions):
                    error = rng.uniform(*errors)
                    value = place + scatter[2] * rng.normal() + error * rng.normal()
                    rows.append((f"{s + 1}{p}{r + 1}", s + 1, p, r + 1, key, value, error))
    columns = ["test", "specimen", "position", "repetition", "parameter", "estimate", "standard_error"]
    return pd.DataFrame(rows, columns=columns)


def posterior_of(mean, scatter, *, draws=500, chains=4, seed=1, keys=("lambda",), blur=0.0):
    """Draws around a mean, with a ``blur``, and around a scatter, as of a sampler that has converged."""
    rng = np.random.default_rng(seed)
    shape = (chains, draws, len(keys))
    dims = ("chain", "draw", "parameter")
    tiny = 1e-6 * rng.standard_normal(shape)  # chains of one number have no R-hat
    return xr.Dataset(
        {
            "mean": (dims, np.asarray(mean) + blur * rng.standard_normal(shape) + tiny),
            "sd_specimen": (dims, np.abs(np.asarray(scatter) + tiny[::-1])),
        },
        coords={"chain": np.arange(chains), "draw": np.arange(draws), "parameter": list(keys)},
    )


def as_fitted(posterior, table, **attrs):
    """InferenceData as if tests had been fitted."""
    names = {name: ("row", table[name].to_numpy(dtype=str)) for name in table.columns[:5]}
    error = ("row", table["standard_error"].to_numpy())
    return inference_data(
        posterior=posterior.assign_attrs(attrs),
        observed_data=xr.Dataset({"estimate": ("row", table["estimate"].to_numpy())}),
        constant_data=xr.Dataset(names | {"standard_error": error}),
    )
