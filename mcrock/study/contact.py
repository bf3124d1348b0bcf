"""The table [contact] of a study file: its keys and rules are those of `mcrock.impact.conditions.Contact`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from math import inf
from typing import Any

import numpy as np
from pydantic import ValidationError, create_model, model_validator
from scipy.special import ndtr

from mcrock.base.tables.distributions import Distribution, Listed, Quantity, Uncertain
from mcrock.base.tables.fields import Table, entry
from mcrock.impact.conditions import Contact

EXAMPLES = {"friction": [0.5], "static_friction": [0.6]}
PROBABILITIES = ndtr(np.linspace(-6.0, 6.0, 1537))  # at which quantiles are compared: to 1e-9 in both tails
RULES = {field.name: field.metadata["rule"] for field in fields(Contact)}

_of_contact: dict[str, Any] = {
    field.name: (
        Quantity | None,
        entry(
            Uncertain(**vars(RULES[field.name])),
            field.metadata["words"],
            *EXAMPLES.get(field.name, ()),
            default=field.default,
        ),
    )
    for field in fields(Contact)
}
_ContactKeys = create_model("_ContactKeys", __base__=Table, **_of_contact)


class ContactTable(_ContactKeys):  # type: ignore[misc, valid-type]
    """Friction and rebound of the contacts."""

    @model_validator(mode="before")
    @classmethod
    def _settle_infinite(cls, data: Any) -> Any:
        """Infinite friction is none: contacts stick."""
        if not isinstance(data, Mapping) or data.get("friction") != inf:
            return data
        return {key: value for key, value in data.items() if key != "friction"}

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        if data.get("friction") in (None, inf):
            reason = "needs the key 'friction' [1] too: without it contacts stick and nothing rebounds"
            yield from (((key,), reason) for key in RULES if key in data and key != "friction")
        elif data.get("static_friction") is not None:
            yield from _below_friction(data["friction"], data["static_friction"])

    @property
    def parameters(self) -> dict[str, Quantity]:
        """Specifications by their keys; none without friction."""
        if self.friction is None:
            return {}
        values = ((key, getattr(self, key)) for key in self.key_names())
        return {key: value for key, value in values if value is not None}

    @property
    def tied(self) -> dict[str, str]:
        """Keys that are drawn with another one.

        A rough pair of surfaces has both coefficients high. Where both are distributions a realization
        therefore has the same quantile of each, so that distributions may overlap.
        """
        both = (self.friction, self.static_friction)
        drawn = [isinstance(item, Distribution) and not isinstance(item, Listed) for item in both]
        return {"static_friction": "friction"} if all(drawn) else {}


def _below_friction(friction: Any, static: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    """The mistake of a static friction below the friction that it comes with."""
    rule = Uncertain(**vars(RULES["friction"]))
    try:
        items = [rule.parse(value) for value in (friction, static)]
    except ValidationError:  # a mistake of its own
        return
    listed = [isinstance(item, Listed) for item in items]
    if all(listed):
        rows = min(len(item.values) for item in items)
        pairs = zip(*(item.values[:rows] for item in items), strict=True)
        for i, (slip, stick) in enumerate(pairs):
            if stick < slip:
                words = f"must be at least the friction [1], but is {stick:.4g} where that is {slip:.4g}"
                yield ("static_friction", "values", str(i)), words
                return
        return
    if any(listed) and all(isinstance(item, Distribution) for item in items):
        yield ("static_friction",), "both it and the friction are listed, or neither"
        return
    low, high = (
        item.quantile(PROBABILITIES) if isinstance(item, Distribution) else np.full(len(PROBABILITIES), item)
        for item in items
    )
    below = high < low
    if below.any():
        worst = int(np.argmin(high - low))
        share = np.diff(PROBABILITIES, prepend=0.0)[below].sum()
        drawn = [item for item in items if isinstance(item, Distribution)]
        yield (
            ("static_friction",),
            f"must be at least the friction [1], but is {high[worst]:.4g} where that is {low[worst]:.4g}"
            + f"; it lies below with probability {share:.2g}" * (len(drawn) > 0)
            + ", as a realization has the same quantile of both" * (len(drawn) > 1),
        )
