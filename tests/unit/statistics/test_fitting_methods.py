"""Curves of the same runs by several ways of fitting, beside each other."""

import numpy as np

from mcrock.statistics import capacity_at, fit_fragility, fragility_by_method, isotonic_fragility

FEW = {"resamples": 40}


def test_every_way_is_that_of_its_function(make_study):
    ds = make_study()
    found = fragility_by_method(ds, **FEW)
    assert found["fitting_method"].values.tolist() == ["probit", "logit", "plateau", "monotone"]
    for link in ("probit", "logit"):
        fit = fit_fragility(ds, link=link, **FEW)
        for name in ("median_capacity", "dispersion_interval", "curve", "band"):
            np.testing.assert_array_equal(found[name].sel(fitting_method=link), fit[name])
        at = capacity_at(fit, [0.2, 0.5])["capacity"].values
        np.testing.assert_allclose(found["reached"].sel(fitting_method=link)[-1], at[1], rtol=1e-12)
    rising = isotonic_fragility(ds)
    np.testing.assert_array_equal(found["curve"].sel(fitting_method="monotone"), rising["curve"])
    assert np.isnan(found["median_capacity"].sel(fitting_method="monotone"))


def test_ways_agree_in_the_middle_and_on_lognormal_capacities(make_study):
    found = fragility_by_method(make_study(records=200, levels=np.geomspace(0.5, 8, 16)), **FEW)
    reached = found["reached"].values
    np.testing.assert_allclose(reached[:, 2], 3.0, rtol=0.06)
    np.testing.assert_allclose(reached[[0, 3], 1], 3.0 * np.exp(-1.645 * 0.43), rtol=0.1)
