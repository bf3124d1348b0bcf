"""Runs as the page to explore them shows them: dots and counts, whatever the size of a study."""

import numpy as np
import xarray as xr

from mcrock.base.params import Outcome
from mcrock.show.app import parts as module
from mcrock.show.app.parts import GROUPS, collect_runs, input_names, input_of
from mcrock.statistics import runs as counting

CODES = [Outcome.AT_REST, Outcome.OVERTURNED, Outcome.STEP_LIMIT]
GROUP_OF = {Outcome.AT_REST: "stood", Outcome.OVERTURNED: "overturned", Outcome.STEP_LIMIT: "undecided"}


def study(n=300, levels=(1.0, 2.0, 4.0), seed=3):
    rng = np.random.default_rng(seed)
    dims, shape = ("realization", "intensity"), (n, len(levels))
    units = {"units": "m s-2", "long_name": "peak ground acceleration"}
    return xr.Dataset(
        {
            "outcome": (dims, rng.choice(CODES, shape).astype("i1")),
            "peak_tilt": (dims, rng.uniform(0.01, 1.0, shape)),
            "peak_tilt_ratio": (dims, rng.uniform(0.0, 6.0, shape)),
            "azimuth": ("realization", rng.uniform(0, 6, n), {"units": "rad"}),
            "body_mass": ("realization", np.full(n, 7.0), {"units": "kg"}),
        },
        coords={"intensity": ("intensity", list(levels), units)},
    )


def test_every_run_is_counted_once_in_its_column():
    ds = study()
    found = collect_runs(ds)
    outcome = ds["outcome"].values
    for code, name in GROUP_OF.items():
        counts = found.counts[list(GROUPS).index(name)]
        np.testing.assert_array_equal(counts.sum(axis=1), (outcome == code).sum(axis=0))
        assert found.totals[name] == (outcome == code).sum()
    assert sum(found.totals.values()) == outcome.size


def test_a_dot_has_the_numbers_of_its_run():
    ds = study()
    dots = collect_runs(ds).dots
    assert len(dots["x"]) == ds["outcome"].size
    at = {name: xr.DataArray(dots[name], dims="dot") for name in ("realization", "intensity")}
    np.testing.assert_array_equal(dots["group"], [GROUP_OF[code] for code in ds["outcome"].isel(at).values])
    np.testing.assert_allclose(dots["tilt"], np.maximum(ds["peak_tilt_ratio"].isel(at).values, module.LEAST))
    edges = collect_runs(ds).x_edges[dots["intensity"]]
    assert ((edges[:, 0] <= dots["x"]) & (dots["x"] <= edges[:, 1])).all()
    assert np.ptp(edges, axis=1).min() > 0
    azimuth = input_of(ds, "azimuth", dots["outer"], dots["realization"])
    np.testing.assert_allclose(azimuth, np.degrees(ds["azimuth"].values[dots["realization"]]), rtol=1e-12)


def test_stripes_do_not_touch():
    edges = collect_runs(study(levels=(1.0, 4.0, 1.2))).x_edges
    edges = edges[edges[:, 0].argsort()]
    assert (edges[1:, 0] > edges[:-1, 1]).all()


def test_few_dots_are_drawn_of_many_runs_whatever_the_slices(monkeypatch):
    monkeypatch.setattr(module, "DOTS", 40)
    ds = study()
    whole = collect_runs(ds)
    monkeypatch.setattr(counting, "SLICE", 37)
    sliced = collect_runs(ds)
    assert len(whole.dots["x"]) == 40 * len(GROUP_OF)
    for name, column in whole.dots.items():
        np.testing.assert_array_equal(column, sliced.dots[name])
    np.testing.assert_array_equal(whole.counts, sliced.counts)
    # even over the realizations: the mean of 120 uniform numbers lies within 5 standard errors
    mean = whole.dots["realization"].mean() / 300
    assert abs(mean - 0.5) < 5 / np.sqrt(12 * 120)


def test_a_cloud_has_columns_of_its_intensities():
    ds = study(levels=(1.0,)).isel(intensity=0, drop=True)
    ds["intensity_value"] = ("realization", np.linspace(1.0, 9.0, 300), {"units": "m s-1"})
    found = collect_runs(ds)
    np.testing.assert_allclose(found.dots["x"], ds["intensity_value"].values[found.dots["realization"]])
    assert found.counts.sum() == 300
    assert found.label.endswith("[m/s]")


def test_draws_of_a_nested_study_are_told_apart():
    ds = xr.concat([study(seed=1), study(seed=2)], "outer").transpose("outer", "realization", "intensity")
    dots = collect_runs(ds).dots
    at = {name: xr.DataArray(dots[name], dims="dot") for name in ("outer", "realization", "intensity")}
    np.testing.assert_array_equal(dots["group"], [GROUP_OF[code] for code in ds["outcome"].isel(at).values])


def test_inputs_are_what_differs():
    names = input_names(study(600).shift(realization=300), 300)  # of runs that are there
    assert names == {"azimuth": "azimuth [deg]"}
