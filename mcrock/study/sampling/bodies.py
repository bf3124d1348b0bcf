"""The bodies of a slice of realizations."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mcrock.base.tables.errors import RealizationError
from mcrock.body import Bodies
from mcrock.body.shapes import Shape
from mcrock.study import Study
from mcrock.study.sampling.drawn import Drawn, Draws, variable_name

Array = NDArray[np.float64]


@np.errstate(all="ignore")  # what overflows is refused as not finite
def draw_bodies(
    study: Study, draws: Draws, n: int, start: int, hull: NDArray[np.int64]
) -> tuple[Bodies, dict[str, Array], Drawn]:
    """Bodies of ``n`` realizations, the first of which has the number ``start``.

    ``hull`` (n,) are the numbers of their draws of the error of the shape.

    Returns
    -------
    bodies : Bodies
    sizes : dict of str to ndarray (n,)
        `radius` [m], `slenderness` [rad] and `frequency` [rad/s] of each.
    drawn : Drawn

    Raises
    ------
    RealizationError
        If a body cannot exist or stand: names the realization and what was drawn.
    ValueError
        If realizations that have faces of their own are drawn together.
    """
    uncertain = [name for name in study.uncertain if name.startswith("body.")]
    drawn = {key: draws[f"body.{key}"] for key, _ in study.body.quantities()}
    if study.body.own_hulls and n > 1:
        raise ValueError(f"each realization has faces of its own: draw them one at a time, got {n}")
    if uncertain or study.body.underside is not None:
        one = drawn if uncertain else {key: array[:1] for key, array in drawn.items()}
        bodies = _build(study, one, hull)
        impossible, sizes = bodies.first_impossible(), bodies.derived()
    else:
        bodies, impossible, sizes = _fixed(study.body)
    if impossible is not None:
        _refuse(study, *impossible, {name: draws[name] for name in uncertain}, start)
    if not uncertain:
        bodies, sizes = bodies.repeated(n), {name: np.repeat(array, n) for name, array in sizes.items()}
    arrays = {
        "faces": bodies.faces,
        "start_face": bodies.start_face,
        "base_faces": bodies.base_faces,
        "stands_clear": bodies.stands_clear,
        "gravity": bodies.gravity,
        "mass": bodies.mass,
        "inertia": bodies.inertia,
        "vertices": bodies.vertices,
    }
    values = {variable_name(name): draws[name] for name in uncertain}
    values |= {f"body_{key}": array for key, array in bodies.values.items()}
    values |= {"body_mass": bodies.mass, "gravity": bodies.gravity}
    values |= {f"body_{key}": array for key, array in sizes.items()}
    values["start_face"] = bodies.start_face.astype(np.int16)
    return bodies, sizes, Drawn(arrays, values)


def _build(study: Study, drawn: dict[str, Array], hull: NDArray[np.int64]) -> Bodies:
    if study.body.underside is None:
        return study.body.build(drawn)
    number = int(hull[0])
    try:
        body = study.body.on_hull(drawn, study.seed, number)
        return body.build(drawn | {"scale": np.ones_like(drawn["scale"])})  # the hull has its size
    except ValueError as error:
        raise RealizationError(f"{study.source} [body] shape_error: draw {number}: {error}") from None


@lru_cache(maxsize=4)
def _fixed(shape: Shape) -> tuple[Bodies, tuple[int, str] | None, dict[str, Array]]:
    """The one body of a shape without uncertain numbers, why it is impossible, and its sizes.

    Kept, as every part of a study asks for it, and a scan of 150 corners takes a tenth of a second.
    """
    bodies = shape.build({key: np.array([value], float) for key, value in shape.quantities()})
    return bodies, bodies.first_impossible(), bodies.derived()


def _refuse(study: Study, i: int, reason: str, uncertain: Draws, start: int) -> None:
    what = ", ".join(f"{name.removeprefix('body.')} = {array[i]:.6g}" for name, array in uncertain.items())
    advice = f" (drawn: {what}); truncate the distributions" if uncertain else ""
    raise RealizationError(f"{study.source} [body]: realization {start + i}: {reason}{advice}")
