"""Ground motions that belong to one realization: generated ones, and records on an uncertain floor.

They are made where they are needed and not kept. The random numbers of a motion come from a stream of its
realization, so that parts, workers and their order change nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mcrock.base.tables.errors import RealizationError
from mcrock.excitation.motion import Motion, MotionError
from mcrock.study import ConfigError, Study
from mcrock.study.sampling.drawn import Draws
from mcrock.study.sampling.points import Points


def own_motions(
    study: Study, motions: Sequence[Motion], draws: Draws, points: Points
) -> tuple[list[Motion], list[Motion]]:
    """The motions of some realizations.

    Parameters
    ----------
    study : Study
        Its motions are generated, or its floor is uncertain.
    motions : sequence of Motion
        Recorded motions; not used if they are generated.
    draws : mapping
        Drawn values by dotted name, each (n,).
    points : Points
        Which recorded motion each has, or where its noise comes from.

    Returns
    -------
    tuple of list of Motion
        Those on the ground, whose intensities count, and those under the body: on the floor, or the same.

    Raises
    ------
    ConfigError
        If drawn numbers make no motion: names the realization.
    """
    source = study.motion
    _read(study)
    ground, under = [], []
    for i, numbers in enumerate(_rows(study, draws, len(points.record))):
        try:
            motion = motions[points.record[i]]
            if source.is_generated:
                motion = source.make(numbers, points.noise(i), points.start + i, study.folder)
            ground.append(source.select(motion))
            under.append(source.under_body(ground[-1], numbers))
        except MotionError as error:
            _read(study)  # or a file has gone
            raise _impossible(study, numbers, points.start + i, error) from None
    return ground, under


def check_draws(study: Study, draws: Draws, start: int) -> None:
    """Refuse numbers of consecutive realizations from which no motion can be made, without making any.

    Raises
    ------
    ConfigError
        As `own_motions`.
    """
    _read(study)
    names = [name for name in study.uncertain if name.startswith("motion.")]
    n = max((len(draws[name]) for name in names), default=1)
    for i, numbers in enumerate(_rows(study, draws, n)):
        try:
            study.motion.check(numbers, study.folder)
        except MotionError as error:
            raise _impossible(study, numbers, start + i, error) from None


def _read(study: Study) -> None:
    """Read the files of generated motions, whose mistakes belong to no realization."""
    try:
        study.motion.read(study.folder)
    except MotionError as error:
        raise ConfigError(f"{study.source} [motion]: {error}") from None


def _rows(study: Study, draws: Draws, n: int) -> Iterator[dict[str, Any]]:
    """Numbers of each realization by key."""
    columns = {key: draws[f"motion.{key}"] for key in study.motion.quantities}
    for i in range(n):
        yield {key: column[i] for key, column in columns.items()}


def _impossible(
    study: Study, numbers: Mapping[str, Any], realization: int, error: MotionError
) -> RealizationError:
    """Message of a realization without a motion."""
    uncertain = {name.removeprefix("motion.") for name in study.uncertain}
    shown = [key for key in numbers if key in uncertain and key not in ("scaling", "azimuth", "polarity")]
    drawn = ", ".join(f"{key} = {study.motion.word(key, numbers[key])}" for key in shown)
    advice = f" (drawn: {drawn}); truncate the distributions" if drawn else ""
    return RealizationError(f"{study.source} [motion]: realization {realization}: {error}{advice}")
