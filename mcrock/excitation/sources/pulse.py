"""Source ``pulse``: a pulse along each axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import pi
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from mcrock.base.params import PulseShape
from mcrock.base.tables.distributions import Distribution, Quantity, Uncertain
from mcrock.base.tables.fields import ChoiceKey, Table, entry, optional
from mcrock.base.tables.inputs import Declaration, Input, Inputs, Numbers, declare
from mcrock.excitation.motion import Motion
from mcrock.excitation.pulses import SHAPES, make_pulse, sample_pulse
from mcrock.excitation.sources.generated import GeneratedSource
from mcrock.excitation.sources.shaking import WEAK

WAVELET = "mavroeidis-papageorgiou"  # the shape with cycles and phase
OF_SHAPE = ("period", "cycles", "phase")  # keys of what a shape is made with


class PulseAlong(Table):
    """The pulse along y or z, where it differs from that along x."""

    ratio: Quantity = entry(Uncertain("1"), "peak over that of the pulse along x", 0.5)
    delay: Quantity = entry(
        Uncertain("s"), "delay after the pulse along x; negative if it comes first", 0.3, default=0.0
    )
    shape: str | None = optional(
        ChoiceKey(SHAPES), "shape; by default that along x", "one-cosine", "mavroeidis-papageorgiou"
    )
    period: Quantity | None = optional(Uncertain("s", above=0.0), "period; by default that along x", 0.6)
    cycles: Quantity | None = optional(
        Uncertain("1", above=1.0), "cycles of `mavroeidis-papageorgiou`; by default those along x", 2.0
    )
    phase: Quantity | None = optional(
        Uncertain("rad"), "phase of `mavroeidis-papageorgiou`; by default that along x", 1.5708
    )

    @staticmethod
    def inputs(axis: str) -> Inputs:
        """What realizations may have of their own."""
        return {
            "ratio": Input(f"peak of the pulse along {axis} over that along x"),
            "delay": Input(f"start of the pulse along {axis} after that along x"),
            "period": Input(f"period of the pulse along {axis}"),
            "cycles": Input(f"number gamma of cycles of the pulse along {axis}"),
            "phase": Input(f"phase nu of the pulse along {axis}"),
        }


class PulseSource(GeneratedSource):
    """A pulse with a peak of 1 m/s2 along x before it is scaled, for each realization."""

    draws_noise: ClassVar = False
    inputs: ClassVar = {
        "shape": Input("shape of the pulse", PulseShape),
        "period": Input("period of the pulse"),
        "ratio_y": Input("pulse along y over that along x"),
        "ratio_z": Input("vertical pulse over that along x"),
        "cycles": Input("number gamma of cycles of the pulse"),
        "phase": Input("phase nu of the pulse"),
    }

    source: Literal["pulse"]
    shape: str | tuple[str, ...] = entry(
        ChoiceKey(SHAPES, several=True), "shape of the pulse", "one-sine", "mavroeidis-papageorgiou"
    )
    period: Quantity = entry(
        Uncertain("s", above=0.0), "period of the pulse; half-sine and rectangle last for half of it", 0.8
    )
    ratio_y: Quantity = entry(Uncertain("1"), "amplitude along y over that along x", 0.3, default=0.0)
    ratio_z: Quantity = entry(Uncertain("1"), "amplitude along z over that along x", 0.2, default=0.0)
    cycles: Quantity = entry(Uncertain("1", above=1.0), "cycles of `mavroeidis-papageorgiou`", default=2.0)
    phase: Quantity = entry(Uncertain("rad"), "phase of `mavroeidis-papageorgiou`", 1.5708, default=0.0)
    y: PulseAlong | None = optional(
        None, "another pulse along y, instead of `ratio_y`", {"ratio": 0.5, "delay": 0.3}
    )
    z: PulseAlong | None = optional(
        None, "another pulse along z, instead of `ratio_z`", {"ratio": 0.3, "period": 0.4}
    )

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from super().conflicts(data)
        shapes = data.get("shape")
        listed = shapes if isinstance(shapes, list | tuple) else [shapes]
        if not ({"y", "z"} & set(data) or WAVELET in listed):
            for key in ("cycles", "phase"):
                if key in data:
                    yield (key,), f"is of the shape {WAVELET!r} alone"
        for axis in "yz":
            if axis in data and f"ratio_{axis}" in data:
                yield ((f"ratio_{axis}",), f"the table {axis!r} has a ratio of its own: give one of the two")

    @property
    def quantities(self) -> dict[str, Any]:
        found = super().quantities
        for axis, pulse in (("y", self.y), ("z", self.z)):
            given = {} if pulse is None else {key: getattr(pulse, key) for key in PulseAlong.inputs(axis)}
            found |= {f"{axis}.{key}": item for key, item in given.items() if item is not None}
        return found

    @classmethod
    def declarations(cls) -> list[Declaration]:
        found = super().declarations()
        for axis in "yz":
            found += declare(PulseAlong, PulseAlong.inputs(axis), f"motion_{axis}_")
        return found

    def make(self, numbers: Numbers, rng: np.random.Generator, realization: int, folder: Path) -> Motion:
        shape = SHAPES[int(numbers["shape"])]
        along = {key: float(numbers[key]) for key in OF_SHAPE}
        others = (("y", self.y, pi / 2, 0.0), ("z", self.z, 0.0, pi / 2))
        delays = [float(numbers[f"{axis}.delay"]) for axis, own, *_ in others if own is not None]
        first = max(0.0, *(-delay for delay in delays)) if delays else 0.0
        pulses = [make_pulse(shape, peak=1.0, start=first, **along)]
        for axis, own, azimuth, inclination in others:
            parameters, of_axis, start = along, shape, first
            peak = float(numbers[f"ratio_{axis}"])
            if own is not None:
                parameters = {key: float(numbers.get(f"{axis}.{key}", along[key])) for key in OF_SHAPE}
                of_axis, start = own.shape or shape, first + float(numbers[f"{axis}.delay"])
                peak = float(numbers[f"{axis}.ratio"])
            if peak != 0:
                direction = {"azimuth": azimuth, "inclination": inclination}
                pulses.append(make_pulse(of_axis, peak=peak, start=start, **direction, **parameters))
        return sample_pulse(pulses, name=f"{shape} pulse")

    def pulse_period(self, draws: Mapping[str, NDArray[Any]]) -> NDArray[np.float64]:
        return draws["motion.period"]

    def fraction_of_weak_pairs(self, motions: object) -> float:
        if isinstance(self.ratio_y, Distribution):
            return 1.0 - self.ratio_y.share_outside(None, -WEAK, WEAK)
        return float(0 < abs(self.ratio_y) < WEAK)

    def origin(self, folder: Path) -> str:
        return "pulses"
