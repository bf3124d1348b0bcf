"""Inputs of a slice of realizations, as the kernel reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcrock.base.params import Inputs
from mcrock.base.tables.distributions import Distribution
from mcrock.excitation.motion import Motion
from mcrock.impact.registry import CHOICES, code_of
from mcrock.study import Study
from mcrock.study.sampling.bodies import draw_bodies, draw_ground, draw_release
from mcrock.study.sampling.design import Points, choose, points_of_design
from mcrock.study.sampling.drawn import variable_name
from mcrock.study.sampling.impacts import draw_contacts, draw_impacts
from mcrock.study.sampling.intensities import draw_intensities, draw_levels
from mcrock.study.sampling.shaking import draw_shaking, peak_accelerations

Array = NDArray[np.float64]

SLICE = 16384  # realizations checked at a time [1]
CHECKED = 16 * SLICE  # realizations checked before a study runs [1]
HULLS = 64  # that are made then: each takes a hundredth of a second and more [1]
OUTERS = 64  # outer draws from which ranges are taken [1]
JOINED = ("record", "at_impacts", "hull")  # of `Points`, by realization
CODES: dict[str, Callable[[Any], int]] = {  # of the options of a choice, by its dotted name
    f"impact.{choice}": partial(code_of, choice) for choice in CHOICES
} | {"start.edge": int}


def draw_inputs(
    study: Study,
    motions: Sequence[Motion],
    start: int,
    stop: int,
    outer: int = 0,
    *,
    with_motions: bool = True,
) -> Inputs:
    """Draw the inputs of the realizations ``start`` to ``stop - 1``.

    They depend on the study and on the index of the realization alone: not on the slice, and in
    random and Sobol designs not on the number of realizations either.

    Parameters
    ----------
    study : Study
        What is uncertain, and how.
    motions : sequence of Motion
        From `load_motions`.
    start, stop : int
        Slice, 0 <= start < stop <= number of realizations; of one where they have faces of their own.
    outer : int
        Number of the outer draw, 0 <= outer < `Study.n_outer`.
    with_motions : bool
        Whether to make the motions that realizations have of their own; without them ``scale`` and what is
        kept of their intensities are NaN. Of motions that are shared this makes no difference.

    Returns
    -------
    Inputs
        A negative polarity is part of ``scale``. Every name in ``study.uncertain`` has its variable in
        ``values``: that of `mcrock.study.sampling.drawn.variable_name`.

    Raises
    ------
    ValueError
        If the slice or ``motions`` is empty or out of range.
    ConfigError
        If a drawn body cannot exist or stand: names the realization and the value.
    """
    if not 0 <= start < stop <= study.n_realizations:
        raise ValueError(
            f"expected 0 <= start < stop <= {study.n_realizations} realizations, got {start} and {stop}"
        )
    if not 0 <= outer < study.n_outer:
        raise ValueError(f"expected 0 <= outer < {study.n_outer} outer draws, got {outer}")
    if not motions:
        raise ValueError("at least one ground motion is needed, got none")
    return inputs_at(study, motions, points_of_design(study, len(motions), start, stop, outer), with_motions)


def sample_inputs(study: Study, motions: Sequence[Motion], most: int) -> tuple[Inputs, int, int]:
    """Inputs of the first realizations of the first outer draws, up to ``most`` altogether, for ranges.

    Returns
    -------
    inputs : Inputs
        Without the motions that realizations have of their own, as `draw_inputs`.
    realizations, outers : int
        How many of each outer draw, and of how many of them.
    """
    outers = min(study.n_outer, OUTERS, most)
    n = min(study.n_realizations, most // outers)
    parts = [points_of_design(study, len(motions), 0, n, outer) for outer in range(outers)]
    joined: Any = {name: np.concatenate([getattr(part, name) for part in parts]) for name in JOINED}
    u = {name: np.concatenate([part.u[name] for part in parts]) for name in parts[0].u}
    points = parts[0]._replace(u=u, **joined)
    return inputs_at(study, motions, points, with_motions=False), n, outers


def inputs_at(study: Study, motions: Sequence[Motion], points: Points, with_motions: bool = True) -> Inputs:
    """The inputs of realizations wherever they lie; as `draw_inputs`."""
    n, start = len(points.record), points.start
    draws = draw_quantities(study, points.u, n)
    bodies, sizes, of_body = draw_bodies(study, draws, n, start, points.hull)
    shaking = draw_shaking(study, motions, draws, points, with_motions)
    of_intensity = draw_intensities(study, draws, shaking, sizes, bodies.gravity)
    of_release = draw_release(study, draws, bodies, start)
    of_impact = draw_impacts(study, draws, n, len(bodies.faces))
    of_contact, of_ground = draw_contacts(study, draws), draw_ground(draws, n)
    arrays: dict[str, Any] = {}
    values: dict[str, NDArray[Any]] = {}
    for step in (of_body, of_impact, of_contact, of_ground, shaking.drawn, of_release, of_intensity):
        arrays |= step.arrays
        values |= {name: np.ascontiguousarray(array) for name, array in step.values.items()}
    if arrays["contact"] is not None and study.motion.shakes:
        peaks = peak_accelerations(study, shaking, arrays["scale"])
        values["peak_acceleration"] = peaks[:, 0] if study.is_cloud else peaks
    return Inputs(
        seed=study.seed, start=start, number=points.at_impacts, values=values, own_law=study.own_law, **arrays
    )


def draw_numbers(
    study: Study, motions: Sequence[Motion], start: int, stop: int, outer: int = 0
) -> dict[str, NDArray[Any]]:
    """Dataset variables of what is drawn for realizations, whether or not a run can be made of it.

    Parameters
    ----------
    study, motions, start, stop, outer
        As for `draw_inputs`.

    Returns
    -------
    dict of str to ndarray (stop - start,)
        Of the inputs in ``study.uncertain`` and of choices; the record and, in a cloud study, the intensity.
    """
    points = points_of_design(study, len(motions), start, stop, outer)
    draws = draw_quantities(study, points.u, stop - start)
    values = {variable_name(name): draws[name] for name in (*study.uncertain, *CODES) if name in draws}
    if "azimuth" in values:
        values["azimuth"] = values["azimuth"] * study.motion.rotation[1]
    if study.motion.shakes and not study.motion.is_generated:
        values["record"] = points.record
    if study.is_cloud:
        values["intensity_value"] = draw_levels(study, draws, stop - start)[:, 0]
    return values


def check_inputs(study: Study, motions: Sequence[Motion]) -> None:
    """Draw realizations once, so that an impossible one is refused before anything runs.

    Only the first of a large study, some `CHECKED` altogether, which takes seconds: an impossible one beyond
    is refused when its turn comes, and the store keeps the others.

    Raises
    ------
    ConfigError
        As `draw_inputs`.
    """
    checked = ("body.", "start.", "motion.") if study.motion.has_own_motions else ("body.", "start.")
    drawn = any(name.startswith(checked) for name in study.uncertain)
    n_outer = study.n_outer if drawn or study.body.underside else 1
    most, size = CHECKED if drawn else n_outer, SLICE
    if study.body.underside:
        n_outer = min(n_outer, HULLS)
    if study.body.own_hulls:
        most, size = HULLS, 1
    last = min(study.n_realizations, -(-most // n_outer))
    for outer in range(n_outer):
        for start in range(0, last, size):
            draw_inputs(study, motions, start, min(start + size, last), outer, with_motions=False)
    if study.motion.has_own_motions:  # a few: most mistakes show in all of them
        draw_inputs(study, motions, 0, min(8, study.n_realizations))


def draw_quantities(study: Study, u: dict[str, Array], n: int) -> dict[str, NDArray[Any]]:
    """Value (n,) of every input, by dotted name, in the unit of its key; choices as codes.

    ``u`` are the coordinates of `mcrock.study.sampling.design.unit_numbers`.
    """
    draws: dict[str, NDArray[Any]] = {}
    codes_of = CODES | {f"motion.{key}": code for key, code in study.motion.codes.items()}
    for name, item in study.quantities.items():
        if isinstance(item, Distribution):
            draws[name] = item.quantile(u[study.tied.get(name, name)])
        elif name in codes_of:
            codes = [codes_of[name](option) for option in (item if isinstance(item, tuple) else (item,))]
            draws[name] = choose(u.get(name, np.full(n, 0.5)), codes)
        else:
            draws[name] = np.full(n, item, float)
    return draws
