"""Which motions friction leaves possible from rest, as text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mcrock.base.estimates import format_percent
from mcrock.base.params import STANDARD_GRAVITY, ContactColumn, Inputs
from mcrock.body.regimes import (
    Regime,
    Sections,
    extreme_directions,
    regime_from_rest,
    sections,
    slide_rock_limit,
)
from mcrock.show.numbers import format_range
from mcrock.study import Study

Array = NDArray[np.float64]
WORDS = {Regime.REST: "rest", Regime.SLIDE: "slide", Regime.ROCK: "rock", Regime.SLIDE_ROCK: "slide and rock"}


def describe_regimes(study: Study, inputs: Inputs) -> list[str]:
    """Motions that start from rest at the friction of a study, and at the peaks of its motions."""
    if inputs.contact is None or study.start is not None or not study.motion.shakes:
        return []
    body = inputs.mass, inputs.inertia, inputs.vertices, inputs.faces, inputs.start_face
    directions = extreme_directions(inputs.vertices, inputs.faces, inputs.start_face)
    both = sections(*body, directions)
    static, friction = (
        inputs.contact[:, column] for column in (ContactColumn.STATIC_FRICTION, ContactColumn.FRICTION)
    )
    unit = inputs.gravity / STANDARD_GRAVITY
    name = "friction" if (static == friction).all() else "static friction"
    does = _from_rest(friction, static, both, unit)
    lines = [f"contact: at {name} {format_range(static, '.3g')} this body {does}"]
    peak = inputs.values["peak_acceleration"].reshape(len(inputs), -1) / inputs.gravity[:, None]
    if np.isfinite(peak).all():  # the motions are made
        worst = Sections(both.reach[:, :1], both.height, both.gyration[:, :1])
        found = regime_from_rest(peak, friction[:, None], worst, static[:, None])
        shares = ((words, (found == regime).mean()) for regime, words in WORDS.items())
        listed = ", ".join(f"{format_percent(share)} {words}" for words, share in shares if share > 0)
        lines.append(
            f"  at the peak horizontal acceleration, taken in the worst direction, of the runs {listed}"
        )
    return lines


def _from_rest(friction: Array, static: Array, both: Sections, unit: Array) -> str:
    """What the body does from rest, by the worst and the mildest direction."""
    worst, mildest = both.tipping.T
    slides, rocks = static <= worst, friction > mildest
    slip, tip, late = (format_range(unit * limit, ".2f") for limit in (static, worst, mildest))
    if slides.all():
        return f"slides from {slip} g and cannot rock from rest"
    if rocks.all():
        text = f"rocks from {tip} g in the worst direction, {late} g in the mildest, and cannot slide flat "
        limit = slide_rock_limit(static[:, None], both)[:, 0]
        if np.isinf(limit).all():
            return text + "from rest"
        held = format_range(unit[np.isfinite(limit)] * limit[np.isfinite(limit)], ".2f")
        return text + f"from rest; in the worst direction it slides and rocks from {held} g"
    if not (slides.any() or rocks.any()):
        return f"rocks from {tip} g in the worst direction and may slide flat from {slip} g in others"
    shares = (
        (slides, "slides and cannot rock from rest"),
        (~slides & ~rocks, "rocks in the worst direction and may slide flat in others"),
        (rocks, "rocks and cannot slide flat from rest"),
    )
    return " or ".join(
        f"{words} ({format_percent(where.mean())} of the realizations)"
        for where, words in shares
        if where.any()
    )
