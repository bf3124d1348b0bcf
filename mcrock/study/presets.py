"""Impact parameters of the literature by name, each number with the place that it is from.

A study file names one as `impact.preset`; what it gives is written out into the study when the file is read,
so that no stored study depends on this file. Names are kept for good: stored studies have them.

Sources give intervals and no distributions, for which there are too few tests (Várkonyi et al., section 6).
The uniform distribution over an interval, one independent of the other, is the choice of mcrock.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from mcrock.impact.registry import ImpactParameter, Law


class Given(NamedTuple):
    """Interval of an impact parameter, in its unit."""

    low: float
    high: float  # equal to `low` for a single number
    source: str  # section, equation or figure
    remark: str = ""

    @property
    def specification(self) -> float | dict[str, Any]:
        """As a study file has it."""
        if self.low == self.high:
            return self.low
        return {"distribution": "uniform", "low": self.low, "high": self.high}


class Preset(NamedTuple):
    """Law and parameters that a name stands for."""

    words: str
    law: Law
    source: str
    parameters: Mapping[ImpactParameter, Given] = {}
    lacking: Mapping[ImpactParameter, str] = {}  # what the source does not give, with the reason

    @property
    def table(self) -> dict[str, Any]:
        """Keys of [impact] that the preset stands for.

        >>> PRESETS["kalliontzis_2016"].table["nu"]
        {'distribution': 'uniform', 'low': 0.0, 'high': 1.0}
        """
        given = {parameter.key: item.specification for parameter, item in self.parameters.items()}
        return {"law": self.law.key, **given}


PAPER = Law.VARKONYI_2022.source
# the paper prints that (26) with tau = 0 implies lambda >= 0, and that a lambda_lon of 0 agrees with (26):
# the first is so for symmetric bodies alone, the second for lambda_lat = 0 (`mcrock docs theory`)
BOUNDS = Preset(
    "theoretical bounds: the impulse acts on the base and no energy is gained",
    Law.VARKONYI_2022,
    PAPER,
    {
        ImpactParameter.LAMBDA: Given(
            0.0,
            1.0,
            "section 4.8, equations 25 and 26",
            "no less than 0 where tau is 0 and the body is symmetric about the plane that halves the edge",
        ),
        ImpactParameter.TAU: Given(
            0.0, 0.0, "section 5.1", "as in the fits; section 4.8 leaves its bounds open"
        ),
        ImpactParameter.LAMBDA_LON: Given(
            0.0,
            1.0,
            "section 4.9, equation 27, and section 2 by way of 4.6",
            "no less than 0 for lambda_lat = 0, and by equation 26 no less than a positive number for others",
        ),
        ImpactParameter.LAMBDA_LAT: Given(-1.0, 1.0, "section 4.9, equation 27"),
    },
)
PRESETS = {
    "varkonyi_2022_bounds": BOUNDS,
    "varkonyi_2022_fitted": Preset(
        "ranges fitted to free-rocking tests of eight granite blocks, beyond the theoretical bounds",
        Law.VARKONYI_2022,
        PAPER,
        {
            ImpactParameter.TAU: Given(0.0, 0.0, "section 5.1", "fixed in the fits"),
            ImpactParameter.LAMBDA_LON: Given(0.0, 1.5, "section 5.3"),
            ImpactParameter.LAMBDA_LAT: Given(
                -5.0, 5.0, "section 5.3", "not fitted for the blocks 7 and 8 (section 5.1)"
            ),
        },
        {
            ImpactParameter.LAMBDA: "section 5.3 calls the fitted ones unexpectedly high and only figure 15 "
            "draws them; 2.185 in the test of figure 14"
        },
    ),
    "varkonyi_2022_block_4": Preset(
        "fit to one free-rocking test of the granite block 4",
        Law.VARKONYI_2022,
        PAPER,
        {
            ImpactParameter.LAMBDA: Given(2.185, 2.185, "figure 14"),
            ImpactParameter.TAU: Given(0.0, 0.0, "section 5.1", "fixed in the fits"),
            ImpactParameter.LAMBDA_LON: Given(
                0.197, 0.197, "figure 14", "its initial tilt is 0.197 rad too: one may be a misprint"
            ),
            ImpactParameter.LAMBDA_LAT: Given(-2.032, -2.032, "figure 14"),
        },
    ),
    "kalliontzis_2016": Preset(
        "all effective widths, between no loss of energy and Housner's rule",
        Law.KALLIONTZIS_2016,
        Law.KALLIONTZIS_2016.source,
        {
            ImpactParameter.NU: Given(
                0.0,
                1.0,
                "Várkonyi et al. (2022), section 2, equation 4",
                "where it is defined; no test is behind it",
            )
        },
    ),
    **{
        law.key: Preset(law.words, law, law.source)
        for law in (Law.HOUSNER_1963, Law.THER_KOLLAR_2017, Law.MOREAU_1988)
    },
}
# of [impact], which a preset that an override names takes the place of
REPLACED = ("law", "faces", *(parameter.key for parameter in ImpactParameter))


def take_in_preset(data: dict[str, Any], source: str, origins: dict[tuple[int | str, ...], str]) -> list[str]:
    """Give [impact] what its preset stands for, but for keys that it has; an unknown preset stays as it is.

    Parameters
    ----------
    data : dict
        Raw tables of a study, which are changed.
    source : str
        Name of the study file.
    origins : dict
        What else than the file set a key, in words; keys of the preset are added. A preset that an override
        names takes the place of the law and the parameters of the file.

    Returns
    -------
    list of str
        Mistakes.
    """
    impact = data.get("impact")
    name = impact.get("preset") if isinstance(impact, dict) else None
    preset = PRESETS.get(name) if isinstance(name, str) else None
    if not isinstance(impact, dict) or preset is None:
        return []
    elsewhere = {place[:2] for place in origins}
    if ("impact", "preset") in elsewhere:
        for key in REPLACED:
            if ("impact", key) not in elsewhere:
                impact.pop(key, None)
    for key, item in preset.table.items():
        if key not in impact:
            impact[key] = item
            origins["impact", key] = f"{source}, preset {name!r}:"
    return [
        f"{source} [impact] preset: {name!r} has no {parameter.key!r} [{parameter.row.rule.unit}]; give it "
        f"next to the preset: {reason}"
        for parameter, reason in preset.lacking.items()
        if parameter.key not in impact
    ]
