"""Responses of one's own in statistics: means, quantiles, and how often intervals hold the mean."""

import numpy as np
import pytest
import xarray as xr

from mcrock.show.outcomes import format_own_responses
from mcrock.statistics import own_responses

STUDIES = 400
LEVEL = 0.9
FALSE_ALARM = 4.0  # standard deviations of a binomial count


def result(values, record):
    values = np.asarray(values, float)
    shape = ("realization", "intensity")
    own = xr.DataArray(values, dims=shape, attrs={"units": "s"})
    coords = {"intensity": ("intensity", np.arange(1.0, values.shape[1] + 1), {"units": "m s-2"})}
    outcome = xr.DataArray(np.ones(values.shape, "i1"), dims=shape)
    return xr.Dataset({"own_time": own, "outcome": outcome, "record": ("realization", record)}, coords)


def test_the_numbers_are_those_of_the_known_runs():
    values = np.arange(24.0).reshape(12, 2)
    values[3, 0] = np.nan
    found = own_responses(result(values, np.arange(12) % 4)).sel(response="own_time")
    assert found["unknown"].values.tolist() == [1, 0]
    assert found["mean"].values == pytest.approx([np.nanmean(values[:, 0]), 12.0])
    assert found["quantile"].sel(share=0.5).values == pytest.approx([np.nanmedian(values[:, 0]), 12.0])
    assert found["units"].item() == "s"
    text = "\n".join(format_own_responses(own_responses(result(values, np.arange(12) % 4))))
    assert text.startswith("own_time [s]\n")
    assert text.endswith("count as undecided by a limit of it")
    rare = np.where(np.arange(12) == 3, 5.0, 0.0)[:, None]  # a mean time begins at 0, that of a change below
    assert own_responses(result(rare, np.arange(12) % 4))["interval"].values[0] == 0.0
    assert own_responses(result(rare - 1.0, np.arange(12) % 4))["interval"].values[0] < -1.0
    assert own_responses(result(values, np.zeros(12, int)))["interval"].isnull().all()
    assert own_responses(result(values, np.zeros(12, int)).drop_vars("own_time")) is None


@pytest.mark.parametrize("cloud", [False, True])
def test_an_input_is_no_response_of_the_user(cloud):
    """The intensity of generated motions before they are scaled, at fixed levels and in a cloud."""
    ds = result(np.ones((12, 2)), np.arange(12) % 4).assign(own_intensity=("realization", np.ones(12)))
    assert own_responses(ds)["response"].values.tolist() == ["own_time"]
    if cloud:
        ds = ds.isel(intensity=0, drop=True).assign(intensity_value=("realization", np.ones(12)))
    assert own_responses(ds.drop_vars("own_time")) is None


def test_intervals_of_the_mean_hold_with_few_recordings_of_unequal_effect():
    rng, held = np.random.default_rng(5), 0
    for _ in range(STUDIES):
        records, each = rng.integers(4, 25), rng.integers(1, 12)
        between, within = 10.0 ** rng.uniform(-1.0, 1.0, 2)
        effect = rng.normal(3.0, between, records)
        record = np.repeat(np.arange(records), each)
        values = effect[record] + rng.normal(0.0, within, records * each)
        low, high = own_responses(result(values[:, None], record), level=LEVEL)["interval"].values.ravel()
        held += low <= 3.0 <= high
    spread = np.sqrt(STUDIES * LEVEL * (1.0 - LEVEL))
    assert abs(held - STUDIES * LEVEL) < FALSE_ALARM * spread
