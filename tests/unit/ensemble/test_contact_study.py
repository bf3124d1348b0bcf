"""Studies with friction: what their stores hold, in parts and whole, in files and in replays."""

import numpy as np
import xarray as xr

from mcrock.base.params import ContactColumn
from mcrock.dataset import load_dataset, outputs
from mcrock.ensemble import run_study
from mcrock.excitation import pack_motions
from mcrock.impact.registry import DEFAULT_LAW, Law
from mcrock.simulation.runs import simulate_realization
from mcrock.study import load_config
from mcrock.study.sampling import draw_inputs, load_motions

FRICTION = (
    "contact.friction={distribution='uniform', low=0.2, high=0.6}",
    "contact.static_friction={distribution='uniform', low=0.3, high=0.7}",
    "contact.restitution={distribution='uniform', low=0.0, high=0.2}",
    "controls.max_impacts=2000",  # what is kept counts here, not how a run ends
)
NAMES = [f"contact_{column.name.lower()}" for column in ContactColumn]


def test_laws_of_one_contact_in_one_study(study_file, tmp_path):
    laws = [law for law in Law if law.of_one_contact]
    study = load_config(
        study_file,
        (
            *FRICTION,
            f"impact.law={[*(law.key for law in laws), DEFAULT_LAW.key]}",
            "contact.impact_restitution=0.3",
        ),
    )
    path = tmp_path / "laws.zarr"
    whole = run_study(study, tmp_path / "whole.zarr").load()
    for task in ((2, 2), (1, 2)):
        run_study(study, path, task=task)
    xr.testing.assert_identical(load_dataset(path).load(), whole)
    motions = load_motions(study)
    impacts = (whole["edge_impacts"] + whole["flights"]).values[:, -1]
    for law in laws:
        realization = int(np.where(whole["impact_law"] == law, impacts, -1).argmax())
        assert impacts[realization] > 0
        inputs = draw_inputs(study, motions, realization, realization + 1)
        _, run = simulate_realization(inputs, 0, study.n_intensity - 1, pack_motions(motions), study.controls)
        stored = whole.isel(realization=realization, intensity=-1)
        for name in set(outputs(friction=True)) - {"half_step_outcome"}:
            value = np.asarray(run.results[name]).astype(stored[name].dtype)
            np.testing.assert_equal(value, stored[name], err_msg=f"{law.key} {name}")


def test_a_store_holds_what_the_study_has(study_file, computed, tmp_path):
    study = load_config(study_file, FRICTION)
    result = run_study(study, tmp_path / "friction.zarr").load()
    names = set(result.data_vars)
    assert set(outputs(friction=True)) | set(NAMES) <= names
    drawn = draw_inputs(study, load_motions(study), 0, study.n_realizations)
    for i, name in enumerate(NAMES):
        np.testing.assert_array_equal(result[name], drawn.contact[:, i])
        assert result[name].attrs["units"] == "1"
    added = {*NAMES, "peak_acceleration", *outputs(friction=True)} - {*outputs(friction=False)}
    assert names - set(load_dataset(computed).data_vars) == added
