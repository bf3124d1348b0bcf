"""The store of a study before any run, by which it is known, and opened for work."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from mcrock.base.code_cache import source_hash
from mcrock.base.params import MotionPack
from mcrock.base.version import mcrock_version
from mcrock.dataset import build_dataset, is_store, outputs
from mcrock.dataset.contents import Template
from mcrock.dataset.create import (
    SIGNED,
    StoreError,
    check_new_store,
    check_removable,
    create_store,
    extend_store,
    known_length,
    mend_store,
    remove_leftovers,
)
from mcrock.dataset.store import make_template
from mcrock.ensemble.own_responses import OwnResponse
from mcrock.ensemble.part import Job
from mcrock.excitation import Motion, intensity, pack_motions
from mcrock.excitation.measures import MEASURES
from mcrock.simulation.device import CPU, arithmetic_of
from mcrock.study import Study
from mcrock.study.sampling import OF_MOTION, check_inputs, draw_inputs


def check_output(path: Path, overwrite: bool, joining: bool) -> None:
    """Refuse an output that is there already, before anything is computed."""
    check_new_store(path)
    if not os.path.lexists(path):
        return
    if not is_store(path):
        raise StoreError(f"{path} exists and is not a store of mcrock; choose another output")
    if not (overwrite or joining):
        raise StoreError(
            f"{path} exists already; continue it (--resume, in Python resume=True), replace it "
            "(--overwrite, in Python overwrite=True) or choose another output"
        )
    if overwrite:
        check_removable(path)


def open_output(job: Job, path: Path, overwrite: bool, joining: bool, extend: bool) -> None:
    """Make the store, or check, extend and mend the one that is there."""
    if not (joining and path.exists()):
        check_inputs(job.study, job.motions)
        if create_store(path, template_of(job), replace=overwrite):
            return
        check_output(path, overwrite=False, joining=joining)  # another process was quicker
    template = template_of(job, known_length(path))
    if extend:
        extend_store(path, template)
    mend_store(path, template)
    remove_leftovers(path)


def template_of(job: Job, length: int | None = None) -> Template:
    """Contents of the store of a study before any run, with chunks of `length` realizations."""
    study = job.study
    inputs = draw_inputs(study, job.motions, 0, 1, with_motions=False)
    measures = [variable.name for variable in study.intensity.variables]
    return make_template(
        study_digest(job.attrs),
        _header(study, job.motions, job.attrs),
        [*dict.fromkeys([*inputs.values, *measures]), *outputs(friction=inputs.contact is not None)],
        study.n_realizations,
        measure_of(study),
        length=length,
        n_outer=study.ensemble.outer,
        own={response.variable: response.attributes for response in job.responses},
    )


def study_digest(attrs: dict[str, Any]) -> str:
    """Digest of what two stores have in common if the runs of one of them may be in the other.

    That is everything but the number of realizations, where the first ones do not depend on it, the number of
    outer draws, the intensities, and who answers for the study.
    """
    config = json.loads(attrs["config"])
    if config["ensemble"]["design"] != "latin_hypercube":
        del config["ensemble"]["realizations"]
    config["ensemble"].pop("outer", None)
    config.pop(SIGNED, None)
    for levels in ("levels", "levels_g"):
        config["intensity"].pop(levels, None)
    text = json.dumps({**attrs, "config": config}, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def prepare_job(
    study: Study,
    motions: list[Motion],
    store: Path,
    device: str = CPU,
    responses: tuple[OwnResponse, ...] = (),
) -> Job:
    """Data that the workers need, with the global attributes by which a store is known."""
    pack = pack_motions(motions)
    attrs = {
        "Conventions": "CF-1.10",
        "title": study.title or "mcrock study",
        "source": f"mcrock {mcrock_version()}",
        "seed": study.seed,
        # parts of two kernels never meet in one store
        "kernel_digest": source_hash() if device == CPU else source_hash("simulation/device/threads.py"),
        "motions_digest": _digest(_example(study, motions) or pack),
        "config": study.to_json(),
    }
    if responses:
        attrs["own_responses"] = "; ".join(response.words for response in responses)
    if words := study.own_law_words:
        attrs["own_law"] = words  # of another source it is another study
    if special := arithmetic_of(device):
        attrs["arithmetic"] = special
    return Job(study, motions, pack, store, attrs, device, responses)


def _example(study: Study, motions: list[Motion]) -> MotionPack | None:
    """The motion of the first realization, where each has its own: it changes with the files behind it."""
    own = draw_inputs(study, motions, 0, 1).motions if study.motion.has_own_motions else ()
    return pack_motions(own) if own else None


def _digest(pack: MotionPack) -> str:
    """Hash of all ground motions: a study whose record files were changed is another study."""
    digest = hashlib.blake2b(digest_size=16)
    for array in pack:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def measure_of(study: Study) -> tuple[str, str]:
    """Units and long name of the intensity measure."""
    return study.intensity.units, study.intensity.long_name


def _recorded(study: Study, motion: Motion) -> float:
    """Intensity of a motion as recorded; of a measure that asks for the body, that of the motion in it."""
    measure = study.intensity.measure
    if study.motion.is_generated:
        return float("nan")
    if measure == "factor":
        return 1.0
    if measure in OF_MOTION:
        return intensity(motion, OF_MOTION[measure])
    return intensity(motion, measure, **study.intensity.parameters)


def _header(study: Study, motions: list[Motion], attrs: dict[str, Any]) -> xr.Dataset:
    """Variables and attributes of the result that are known before any run."""
    groups = {group: i for i, group in enumerate(dict.fromkeys(motion.group for motion in motions))}
    values: dict[str, Any] = {
        "motion_name": [motion.name for motion in motions],
        "motion_group": [groups[motion.group] for motion in motions],
        "motion_history": [study.motion.history(motion, study.folder) for motion in motions],
        "motion_intensity": [_recorded(study, motion) for motion in motions],
    }
    if not study.is_cloud:
        values["intensity"] = study.intensity.si_levels
    units, long_name = measure_of(study)
    ds = build_dataset(values, units=units, long_name=long_name, attrs=attrs)
    if study.intensity.measure in OF_MOTION:
        of_motion = MEASURES[OF_MOTION[study.intensity.measure]]
        ds["motion_intensity"].attrs |= {"units": of_motion.units, "long_name": of_motion.long_name}
    return ds
