"""Friction and restitution that leave a run without an end, or impacts without the law that was meant."""

from __future__ import annotations

from mcrock.base.estimates import format_percent
from mcrock.base.params import ContactColumn, Inputs
from mcrock.body.regimes import extreme_directions, painleve_friction, sections
from mcrock.impact.registry import DEFAULT_LAW, ImpactParameter

WHERE = ImpactParameter.LAMBDA, ImpactParameter.LAMBDA_LON
ROUND = 8  # sides from which on a base is round enough to roll: a square and a hexagon do not [1]
ROLLS = 0.8  # friction over the ratio at which it tips, from which on a round base that is uneven may [1]


def contact_notes(inputs: Inputs) -> list[str]:
    """Notes on the contacts of a study with friction."""
    if inputs.contact is None:
        return []
    found = []
    friction, rebound = (
        inputs.contact[:, column] for column in (ContactColumn.FRICTION, ContactColumn.IMPACT_RESTITUTION)
    )
    corners = sorted({corner for face in inputs.base_faces for corner in inputs.faces[face]})
    least = painleve_friction(inputs.mass, inputs.inertia, inputs.vertices[:, corners]).min(axis=1)
    over = friction >= least
    if over.any():
        found.append(
            f"note: contact.friction reaches {friction[over].max():.3g}; from {least[over].min():.3g} on the "
            "force on a corner that slips may not exist: an impulse stops it then (jams)"
        )
    if (inputs.contact[:, ContactColumn.RESTITUTION] == 1.0).any():
        found.append("note: contact.restitution reaches 1, with which bounces never end")
    if len(inputs.base_faces) == 1 and len(inputs.faces[inputs.base_faces[0]]) >= ROUND:
        stands = inputs.vertices, inputs.faces, inputs.start_face
        worst = sections(inputs.mass, inputs.inertia, *stands, extreme_directions(*stands)[:, :1])
        near = (friction > ROLLS * worst.tipping[:, 0]) & (friction <= worst.tipping[:, 0])
        if near.any():
            found.append(
                f"note: in {format_percent(near.mean())} of realizations friction is {ROLLS:g} to 1 times "
                "what tips this round body: exactly flat it slides and never overturns, uneven by a few "
                "0.01 % of its width it may roll on its rim and overturn (mcrock docs contact round)"
            )
    place = inputs.impact[:, list(WHERE)].min(axis=1)  # NaN if drawn anew at every impact
    gains = (rebound > place) & (inputs.law == DEFAULT_LAW)
    if gains.any():
        found.append(
            f"note: in {format_percent(gains.mean())} of the realizations contact.impact_restitution exceeds "
            "impact.lambda or impact.lambda_lon: such impacts may gain energy, and then become ones of "
            "several contacts"
        )
    return found
