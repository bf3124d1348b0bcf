"""What labels say of unknown inputs, on a block whose centre of mass is known here and not there."""

from pathlib import Path

import numpy as np
import pytest

from mcrock.base.params import Outcome
from mcrock.ensemble import run_study
from mcrock.statistics.labels import Labels, calibrate, overturned_shares, read_labels, shares_of_runs
from mcrock.study import ConfigError, load_config

TRUE = 0.05  # of the centre of mass along x [m]
STUDY = """
title = "Block with a centre of mass that nobody knows"
seed = 5
body = {{ shape = "cuboid", width = 0.5, depth = 0.5, height = 1.5, density = 2000, com_x = {com} }}
[impact]
lambda = {{ distribution = "uniform", low = 0.5, high = 1.0 }}
[motion]
source = "pulse"
shape = "one-sine"
period = 0.6
azimuth_deg = {{ distribution = "uniform", low = {low}, high = {high} }}
[intensity]
measure = "pga"
levels_g = [0.4, 0.6, 0.8, 1.0, 1.2]
[ensemble]
design = "random"
realizations = {realizations}
{outer}
[controls]
tail = 3.0
"""
UNKNOWN = '{ distribution = "normal", mean = 0, std = 0.06, epistemic = true }'


def study(folder, name="study", com=UNKNOWN, outer="outer = 60", low=0, high=360, realizations=12):
    path = Path(folder) / f"{name}.toml"
    path.write_text(STUDY.format(com=com, outer=outer, low=low, high=high, realizations=realizations))
    return load_config(path)


def seen(true):
    """A label for each run of the block that is known, at every level."""
    fell = (true["outcome"] == Outcome.OVERTURNED).values
    realization, intensity = np.indices(fell.shape)
    chosen = {"realization": realization.ravel(), "intensity": intensity.ravel()}
    return Labels(fell.ravel().astype(float), chosen, np.zeros(fell.size, np.int64))


def test_labels_find_the_centre_of_mass(runs_of_labels):
    _, ds, true = runs_of_labels
    labels = seen(true)
    assert 10 < labels.fallen.sum() < 50
    found = calibrate([ds], labels)
    com = found.sel(input="body_com_x")
    before, after = (com.sel(stage=stage) for stage in ("before", "after"))
    assert float(after["std"]) < 0.5 * float(before["std"])
    assert abs(float(after["mean"]) - TRUE) < 2 * float(after["std"])
    assert found.attrs["effective"] == pytest.approx(10.0, rel=1e-3)
    assert 0.0 < found.attrs["temper"] < 1.0
    wrong = ((found["expected"] - found["fallen"]) ** 2).mean("seen").values
    assert wrong[1] < 0.7 * wrong[0]
    assert float(found["tail"][1]) > 0.05  # the count is as the draws say


def test_more_draws_of_a_prior_that_is_cut_let_the_labels_say_all(runs_of_labels):
    folder, ds, true = runs_of_labels
    weighed = calibrate([ds], seen(true)).sel(input="body_com_x", stage="after")
    low, high = weighed["mean"] - weighed["std"], weighed["mean"] + weighed["std"]
    cut = UNKNOWN.replace('"normal"', '"truncated_normal"')[:-2] + f", low = {low:.3f}, high = {high:.3f} }}"
    config = study(folder, "narrow", com=cut, outer="outer = 130")
    found = calibrate([run_study(config, folder / "narrow.zarr").load()], seen(true))
    after = found.sel(input="body_com_x", stage="after")
    assert found.attrs["temper"] == 1.0
    assert float(after["std"]) < 0.2 * float(weighed["std"])
    assert abs(float(after["mean"]) - TRUE) < 3 * float(after["std"])


def test_other_objects_share_the_draws(runs_of_labels):
    folder, ds, true = runs_of_labels
    aside = run_study(study(folder, "aside", low=-20, high=20, realizations=4), folder / "aside.zarr").load()
    found = calibrate([ds, aside], seen(true))
    one, other = found["probability_0"], found["probability_1"]
    assert one.dims != other.dims
    assert (other.sel(stage="after") != other.sel(stage="before")).any()
    values = calibrate([aside, ds], seen(true)._replace(study=np.ones(60, np.int64)))
    np.testing.assert_allclose(values["weight"], found["weight"])


def test_studies_that_share_nothing_are_refused(runs_of_labels):
    _, ds, true = runs_of_labels
    other = ds.assign(body_com_x=1.1 * ds["body_com_x"])
    with pytest.raises(ValueError, match="body_com_x differs between the studies"):
        calibrate([ds, other], seen(true))
    with pytest.raises(ValueError, match="one seed"):
        calibrate([ds, ds.assign_attrs(seed=8)], seen(true))
    with pytest.raises(ValueError, match="as many epistemic draws, got 60, 12"):
        calibrate([ds, ds.isel(outer=slice(12))], seen(true))
    with pytest.raises(ValueError, match="labels name study 3"):
        calibrate([ds], seen(true)._replace(study=np.full(60, 3)))
    with pytest.raises(ValueError, match="epistemic = true"):
        calibrate([true], seen(true))


def test_a_label_may_be_about_a_whole_object(runs_of_labels):
    _, ds, _ = runs_of_labels
    labels = Labels(np.ones(1), {"intensity": np.array([3])}, np.zeros(1, np.int64))
    share = shares_of_runs(overturned_shares(ds), labels)
    np.testing.assert_allclose(share[:, 0], overturned_shares(ds)[:, :, 3].mean(axis=1))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("realization\n1", "expected a column 'fallen'"),
        ("realization,fallen\n1,2", "expected 0 or 1, got 2 in row 1"),
        ("realization,fallen\n1.5,1", "realization: expected whole numbers from 0"),
        ("place,fallen\n1,1", "unknown column 'place'"),
        ("fallen", "expected a column 'fallen'"),
    ],
)
def test_labels_that_are_none(tmp_path, text, message):
    (tmp_path / "labels.csv").write_text(text)
    with pytest.raises(ConfigError, match=message):
        read_labels(tmp_path / "labels.csv")
