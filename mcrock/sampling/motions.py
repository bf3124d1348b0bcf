"""The ground motions of a study, read from where it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from mcrock.config import ConfigError, Study
from mcrock.config.motions import CsvMotion, FemaMotion, FileMotion, Recorded
from mcrock.excitation.csv_file import read_csv
from mcrock.excitation.fema_p695 import fema_p695
from mcrock.excitation.intensity import intensity
from mcrock.excitation.motion import Motion, MotionError
from mcrock.excitation.processing import process
from mcrock.excitation.readers import read_records
from mcrock.sampling.intensities import OF_MOTION
from mcrock.sampling.own_motions import without_vertical

STILL_TIME = 1e-3  # length of the record of ground that does not move [s]; the tail follows


def load_motions(study: Study) -> list[Motion]:
    """Read the ground motions of a study.

    Parameters
    ----------
    study : Study
        Names of files start from ``study.folder``.

    Returns
    -------
    list of Motion
        As recorded and processed, neither scaled nor turned by the azimuth, in the order of the study file.

    Raises
    ------
    ConfigError
        One line for every motion that cannot be read, or has no intensity to scale to.
    """
    table = study.motion
    if not isinstance(table, Recorded):
        name = "one for each realization" if table.is_generated else "still ground"
        return [Motion(np.zeros((3, 2)), dt=STILL_TIME, name=name)]
    motions: list[Motion] = []
    mistakes = _listed_twice(study.folder, table.paths) if isinstance(table, FileMotion) else []
    for read in _sources(table, study.folder):
        try:
            motions += read()
        except MotionError as error:
            mistakes.append(str(error))
    for i, motion in enumerate(motions):
        try:
            motions[i] = process(motion, table.processing)
        except MotionError as error:
            mistakes.append(f"{motion.name}: {error}")
            continue
        if not table.vertical:
            motions[i] = without_vertical(motions[i])
        try:
            for measure, parameters in _measures(study):
                intensity(motions[i], OF_MOTION.get(measure, measure), **parameters)
        except MotionError as error:
            mistakes.append(str(error))
    weights = table.weights
    if not mistakes and weights is not None and len(weights) != len(motions):
        mistakes.append(f"weights: expected one for each of the {len(motions)} motions, got {len(weights)}")
    if mistakes:
        raise ConfigError([f"{study.source} [motion]: {text}" for text in mistakes])
    return motions


def _measures(study: Study) -> list[tuple[str, dict[str, Any]]]:
    """What a study asks of every motion, with the parameters."""
    tables = [study.intensity] if study.intensity.measure != "factor" else []
    found = [(table.measure, table.parameters) for table in (*tables, *study.intensity.variables)]
    return [(name, {} if name in OF_MOTION else parameters) for name, parameters in found]


def _sources(table: Recorded, folder: Path) -> Iterator[Callable[[], list[Motion]]]:
    """What reads the motions of each file, folder or set of a study."""
    if isinstance(table, FileMotion):
        options = {"format": table.format, "unit": table.unit, "dt": table.dt, "channels": table.channels}
        for path in table.paths:
            yield partial(read_records, folder / path, **options)
    elif isinstance(table, CsvMotion):
        for file, name in zip(table.files, _names(table.files), strict=True):
            yield partial(_read_table, folder / file, table.unit, table.dt, name)
    elif isinstance(table, FemaMotion):
        records = None if isinstance(table.records, str) else table.records
        for name in table.sets:
            yield partial(fema_p695, name, records)


def _read_table(path: Path, unit: str, dt: float | None, name: str) -> list[Motion]:
    return [read_csv(path, unit, dt, name)]


def _listed_twice(folder: Path, paths: tuple[str, ...]) -> list[str]:
    """Paths that are another one, or lie in it: their records would count as several."""
    places = [(folder / path).resolve() for path in paths]
    return [
        f"{path}: is listed twice"
        if places[i] == other
        else f"{path}: lies in {paths[j]}, which is listed too"
        for i, path in enumerate(paths)
        for j, other in enumerate(places)
        if (j < i and places[i] == other) or other in places[i].parents
    ]


def _names(files: tuple[str, ...]) -> list[str]:
    """Names of the motions: of the files without ending, with their folders where that is not unique."""
    stems = Counter(PurePath(file).stem for file in files)
    return [file if stems[PurePath(file).stem] > 1 else PurePath(file).stem for file in files]
