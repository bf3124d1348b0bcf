"""Datasets of studies whose motions are there to be measured, without a run: every outcome is made up."""

import json

import numpy as np
import xarray as xr

from mcrock.base.params import Outcome
from mcrock.dataset import build_dataset
from mcrock.study import load_config
from mcrock.study.sampling import draw_inputs, load_motions

LEVELS = "intensity.levels_g=[0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.3, 1.6, 2.0]"


def measured_study(overrides=(), overturned=lambda inputs: False, config="configs/quickstart.toml"):
    """A study of the given file, small, in which a run overturns where a function of its inputs says so."""
    own = config != "configs/quickstart.toml" or any(each.startswith("intensity") for each in overrides)
    levels = [] if own else [LEVELS]
    study = load_config(config, ["ensemble.realizations=44", *levels, *overrides])
    motions = load_motions(study)
    inputs = draw_inputs(study, motions, 0, study.n_realizations)
    values = dict(inputs.values)
    shape = (study.n_realizations,) if study.is_cloud else (study.n_realizations, study.n_intensity)
    fell = np.broadcast_to(overturned(inputs), shape)
    values["outcome"] = np.where(fell, Outcome.OVERTURNED, Outcome.AT_REST).astype("i1")
    values["motion_group"] = np.arange(len(motions))
    if not study.is_cloud:
        values["intensity"] = np.array(study.intensity.si_levels)
    attrs = {"config": study.to_json(), "seed": study.seed, "title": json.loads(study.to_json())["title"]}
    ds = build_dataset(values, units=study.intensity.units, long_name=study.intensity.long_name, attrs=attrs)
    assert isinstance(ds, xr.Dataset)
    return ds, inputs, motions
