"""Generated motions of a study, one for each realization.

The sources ``pulse``, ``synthetic``, ``fitted`` and ``spectrum``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import pi
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcrock.base.params import Ground, PulseShape
from mcrock.base.tables.distributions import Distribution, Quantity, Uncertain
from mcrock.base.tables.fields import (
    ChoiceKey,
    Declaration,
    Input,
    Inputs,
    IntegerKey,
    ListOf,
    NumberKey,
    Numbers,
    Table,
    Text,
    declare,
    entry,
    exactly_one,
    optional,
)
from mcrock.excitation.measures import intensity
from mcrock.excitation.motion import Motion, MotionError
from mcrock.excitation.processing import process
from mcrock.excitation.pulses import SHAPES, make_pulse, sample_pulse
from mcrock.excitation.readers import read_records
from mcrock.excitation.readers.collections import SETS, fema_p695
from mcrock.excitation.rezaeian_2010 import StochasticModel, check_step, fit_model, fit_pair, simulate_motion
from mcrock.excitation.sources.base import MOST_DAMPING, WEAK, ShakingSource, Steps, Unit
from mcrock.excitation.spectrum_compatible import TargetSpectrum, ac156, en_1998_1, read_target, rg_1_60


class GeneratedSource(ShakingSource):
    """Motions made for each realization, from its numbers and its stream of noise."""

    is_generated: ClassVar = True
    draws_noise: ClassVar = True
    finer: ClassVar = "make dt shorter"
    strength: ClassVar[str | None] = None  # key of how strong motions are made

    def origin(self, folder: Path) -> str:
        """How the motions are made, in words."""
        raise NotImplementedError

    def details(self, folder: Path) -> list[str]:
        """More lines of words about the motions."""
        return []

    def steps_of(self, motion: Motion, folder: Path) -> list[str]:
        return [
            f"{self.origin(folder)}, one for each realization",
            *([] if self.vertical else ["vertical off"]),
        ]

    def describe(self, motions: Sequence[Motion], folder: Path) -> list[str]:
        off = "" if self.vertical else ", vertical off"
        what = f"{self.origin(folder)}, one for each realization{off}"
        return [f"motions: {what}{self._where_and_how()}", *self.details(folder)]

    def notes(self, measure: str, motions: Sequence[Motion], factors: NDArray[np.float64]) -> list[str]:
        found = super().notes(measure, motions, factors)
        if self.strength and measure != "factor" and isinstance(getattr(self, self.strength), Distribution):
            found.append(
                f"note: motion.{self.strength} changes nothing, as every motion is scaled to its {measure}; "
                "the measure 'factor' leaves motions as strong as they are made"
            )
        return found


def stamp(path: Path | None) -> tuple[tuple[str, int, int], ...]:
    """What changes with a file, or with those of a folder: names, times and sizes."""
    if path is None or not path.exists():
        return ()
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    return tuple((str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files)


WAVELET = "mavroeidis-papageorgiou"  # the shape with cycles and phase
OF_SHAPE = ("period", "cycles", "phase")  # keys of what a shape is made with


class PulseAlong(Table):
    """The pulse along y or z, where it differs from that along x."""

    ratio: Quantity = entry(Uncertain("1"), "peak over that along x", 0.5)
    delay: Quantity = entry(Uncertain("s"), "delay after the pulse along x", 0.3, default=0.0)
    shape: str | None = optional(
        ChoiceKey(SHAPES), "shape; by default that along x", "one-cosine", "mavroeidis-papageorgiou"
    )
    period: Quantity | None = optional(Uncertain("s", above=0.0), "period; by default that along x", 0.6)
    cycles: Quantity | None = optional(Uncertain("1", above=1.0), "cycles; by default those along x", 2.0)
    phase: Quantity | None = optional(Uncertain("rad"), "phase; by default that along x", 1.5708)

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


NEGLIGIBLE = 1e-6  # Arias intensity of a component over that of the first, below which it is left out [1]


class SyntheticSource(GeneratedSource):
    """Filtered white noise, generated for each realization."""

    alternatives: ClassVar = (("azimuth", "azimuth_deg"), ("middle", "middle_ratio"))
    strength: ClassVar = "arias"
    inputs: ClassVar = {
        "arias": Input("expected Arias intensity along x before scaling"),
        "duration": Input("expected significant duration D5-95"),
        "middle": Input("time of 45 % of the expected Arias intensity"),
        "middle_ratio": Input("that time over the significant duration"),
        "frequency": Input("frequency of the filter in the middle"),
        "frequency_slope": Input("change of the frequency of the filter"),
        "damping": Input("damping of the filter"),
        "arias_ratio_y": Input("Arias intensity along y over that along x"),
        "arias_ratio_z": Input("vertical Arias intensity over that along x"),
    }

    source: Literal["synthetic"]
    arias: Quantity = entry(Uncertain("m/s", above=0.0), "Arias intensity along x before scaling", 1.5)
    duration: Quantity = entry(Uncertain("s", above=0.0), "significant duration D5-95", 12.0)
    middle: Quantity | None = optional(
        Uncertain("s", above=0.0), "time t_mid of 45 % of the Arias intensity", 6.0
    )
    middle_ratio: Quantity | None = optional(Uncertain("1", above=0.21), "the same over the duration", 0.5)
    frequency: Quantity = entry(Uncertain("Hz", above=0.0), "frequency of the filter at t_mid", 4.0)
    frequency_slope: Quantity = entry(
        Uncertain("Hz/s"), "rate of change of the filter frequency", -0.1, default=0.0
    )
    damping: Quantity = entry(
        Uncertain("1", above=0.0, most=MOST_DAMPING), "damping ratio of the filter", default=0.2
    )
    arias_ratio_y: Quantity = entry(
        Uncertain("1", least=0.0), "Arias intensity along y over that along x", default=1.0
    )
    arias_ratio_z: Quantity = entry(
        Uncertain("1", least=0.0), "Arias intensity along z over that along x", 0.3, default=0.0
    )
    corner: float = entry(NumberKey("Hz", above=0.0), "corner frequency of the high-pass filter", default=0.1)
    dt: float = entry(NumberKey("s", above=0.0), "time step", default=0.01)

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from super().conflicts(data)
        yield from exactly_one(data, {"middle": "s", "middle_ratio": "of the duration"})

    def check(self, numbers: Numbers, folder: Path) -> None:
        check_step(self._models(numbers), self.dt)
        super().check(numbers, folder)

    def make(self, numbers: Numbers, rng: np.random.Generator, realization: int, folder: Path) -> Motion:
        return simulate_motion(self._models(numbers), rng, self.dt, name=f"synthetic {realization}")

    def _models(self, numbers: Numbers) -> list[StochasticModel | None]:
        """Models of the components."""
        names = ("arias", "duration", "frequency", "frequency_slope", "damping")
        own = {name: float(numbers[name]) for name in names}
        ratio = numbers.get("middle_ratio")
        own["middle"] = float(numbers["middle"]) if ratio is None else float(ratio) * own["duration"]
        model = StochasticModel(**own, corner=self.corner)
        models: list[StochasticModel | None] = [model]
        for key in ("arias_ratio_y", "arias_ratio_z"):
            ratio = float(numbers[key])
            models.append(replace(model, arias=ratio * model.arias) if ratio > NEGLIGIBLE else None)
        return models

    def sampling_step(self, motions: Sequence[Motion]) -> float:
        return self.dt

    def origin(self, folder: Path) -> str:
        return "filtered white noise"


TRIALS = 15  # simulations set beside a fitted record
FAR = 1.5  # times the velocity of the simulations


class FittedRecord(NamedTuple):
    """A record, and the models of its motion along its principal axes and z."""

    motion: Motion
    models: list[StochasticModel | None]
    azimuth: float  # of the first axis [rad]


class FittedSource(GeneratedSource):
    """Filtered white noise with the parameters of a record, generated for each realization."""

    strength: ClassVar = "arias_factor"
    inputs: ClassVar = {
        "arias_factor": Input("factor on the Arias intensity of the fitted record"),
        "duration_factor": Input("factor on its significant duration D5-95"),
        "frequency_factor": Input("factor on the frequency of its filter"),
        "damping_factor": Input("factor on the damping of its filter"),
    }

    source: Literal["fitted"]
    path: str | None = optional(Text(), "file of the record", "record.at2")
    set: str | None = optional(ChoiceKey(SETS), "set of FEMA P695, with `record`", "farfield")
    record: int | None = optional(IntegerKey(1), "number of the record in that set", 14)
    unit: str | None = optional(Unit(), "unit of the accelerations, where the file does not say it", "g")
    processing: tuple[dict[str, Any], ...] = entry(
        Steps(),
        "steps applied to the record before it is fitted",
        [{"step": "bandpass", "low": 0.1, "high": 25.0}],
        default=(),
    )
    arias_factor: Quantity = entry(
        Uncertain("1", above=0.0), "factor on the fitted Arias intensity", default=1.0
    )
    duration_factor: Quantity = entry(Uncertain("1", above=0.0), "factor on the fitted duration", default=1.0)
    frequency_factor: Quantity = entry(
        Uncertain("1", above=0.0), "factor on the fitted frequency", default=1.0
    )
    damping_factor: Quantity = entry(
        Uncertain("1", above=0.0), "factor on the fitted damping ratio", default=1.0
    )

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from super().conflicts(data)
        yield from exactly_one(data, {"path": "a file", "set": "of FEMA P695"})
        if ("set" in data) != ("record" in data):
            yield (), "'set' and 'record' go together"
        if "set" in data and "unit" in data:
            yield ("unit",), "is that of a file; the records of FEMA P695 have their own"

    def fit(self, folder: Path) -> FittedRecord:
        """The record and its models; found once, and again when the file has changed.

        Raises
        ------
        MotionError
            If the record cannot be read or fitted.
        """
        path = None if self.path is None else folder / self.path
        return _fit(self.model_dump_json(by_alias=True, exclude_none=True), str(folder), stamp(path))

    def read(self, folder: Path) -> None:
        self.fit(folder)

    def check(self, numbers: Numbers, folder: Path) -> None:
        fit = self.fit(folder)
        check_step(_scaled(fit, numbers), fit.motion.dt)
        super().check(numbers, folder)

    def make(self, numbers: Numbers, rng: np.random.Generator, realization: int, folder: Path) -> Motion:
        fit, name = self.fit(folder), f"synthetic {realization}"
        return simulate_motion(_scaled(fit, numbers), rng, fit.motion.dt, azimuth=fit.azimuth, name=name)

    def origin(self, folder: Path) -> str:
        return f"filtered white noise fitted to {self.fit(folder).motion.name}"

    def details(self, folder: Path) -> list[str]:
        """Parameters of the record, and whether noise with them reaches its velocity."""
        fit = self.fit(folder)
        lines = [
            f"  {axis}: Arias {model.arias:.3g} m/s, D5-95 {model.duration:.3g} s, "
            f"t_mid {model.middle:.3g} s, {model.frequency:.3g} Hz ({model.frequency_slope:+.2g} Hz/s), "
            f"damping {model.damping:.2g}"
            for axis, model in zip(("stronger axis", "weaker axis", "vertical"), fit.models, strict=True)
            if model is not None
        ]
        rng = np.random.default_rng(0)
        simulated = [
            intensity(simulate_motion(fit.models, rng, fit.motion.dt), "pgv_rotd50") for _ in range(TRIALS)
        ]
        low, median, high = np.percentile(simulated, [0, 50, 100])
        recorded = intensity(fit.motion, "pgv_rotd50")
        lines.append(
            f"  PGV (RotD50) of the record {recorded:.3g} m/s, of {TRIALS} simulated motions {low:.3g} to "
            f"{high:.3g} m/s, median {median:.3g} m/s"
        )
        if recorded > FAR * median:
            lines.append(
                f"  note: the record has {recorded / median:.2g} times the velocity of the model, which "
                "knows neither pulses nor long periods: they decide over large bodies, for which it is unsafe"
            )
        return lines


def _scaled(fit: FittedRecord, numbers: Numbers) -> list[StochasticModel | None]:
    """Models of a record with the factors of a realization."""
    arias, duration, frequency, damping = (
        float(numbers[f"{key}_factor"]) for key in ("arias", "duration", "frequency", "damping")
    )
    return [
        None
        if model is None
        else replace(
            model,
            arias=arias * model.arias,
            duration=duration * model.duration,
            middle=duration * model.middle,
            frequency=frequency * model.frequency,
            frequency_slope=frequency / duration * model.frequency_slope,
            damping=damping * model.damping,
        )
        for model in fit.models
    ]


@lru_cache(maxsize=8)
def _fit(table_json: str, folder: str, stamp: tuple[tuple[str, int, int], ...]) -> FittedRecord:
    """Models of a record."""
    table = FittedSource.model_validate_json(table_json)
    if table.path is None:
        (motion,) = fema_p695(str(table.set), [int(table.record or 0)])
    else:
        path = Path(folder) / table.path
        found = read_records(path, unit=table.unit)
        if len(found) != 1:
            raise MotionError(f"{path}: expected one record to fit, got {len(found)}")
        motion = found[0]
    motion = table.select(process(motion, table.processing))
    strong, weak, azimuth = fit_pair(motion)
    upright = fit_model(motion, "z") if motion.shaken[2] else None
    return FittedRecord(motion, [strong, weak, upright], azimuth)


BAND = (0.05, 4.0)  # of the periods in which motions are compatible with their spectrum [s]
GROUNDS = tuple(ground.name for ground in Ground)
STANDARDS = {"rg_1_60": "RG 1.60", "ac156": "AC156"}


class SpectrumSource(GeneratedSource):
    """A motion compatible with a target spectrum, generated for each realization."""

    inputs: ClassVar = {"ground": Input("ground type of the target spectrum", Ground)}

    source: Literal["spectrum"]
    ground: str | tuple[str, ...] | None = optional(
        ChoiceKey(GROUNDS, several=True), "ground type of EN 1998-1, with a_g = 1 m/s2", "B"
    )
    standard: str | None = optional(
        ChoiceKey(tuple(STANDARDS)),
        "spectrum of RG 1.60 for a peak ground acceleration of 1 m/s2, or of AC156 for S_DS = 1 m/s2",
        "ac156",
    )
    height_ratio: float = entry(
        NumberKey("1", least=0.0, most=1.0), "height z/h of the support of AC156", 0.5, default=0.0
    )
    spectrum_type: int = entry(ChoiceKey((1, 2)), "type of the spectrum of EN 1998-1", 2, default=1)
    table: str | None = optional(Text(), "file of periods or frequencies and accelerations", "spectrum.txt")
    table_z: str | None = optional(
        Text(), "the same for the vertical component, with `components = 3`", "vertical.txt"
    )
    unit: str | None = optional(Unit(), "unit of the accelerations, where the file does not say it", "g")
    damping: float = entry(
        NumberKey("1", above=0.0, most=0.8),
        "damping ratio of the spectrum; motions can be generated for 0.01 to about 0.5",
        0.05,
        default=0.05,
    )
    components: int = entry(ChoiceKey((1, 2, 3)), "number of components of the motion", 2, 3, default=2)
    band: tuple[float, ...] = entry(
        ListOf(NumberKey("s", above=0.0), "a list of two periods [s]"),
        "shortest and longest period at which the motion fits the spectrum; wider for a wider `table`",
        default=BAND,
    )
    corner: float = entry(NumberKey("Hz", above=0.0), "corner frequency of the high-pass filter", default=0.1)
    rise: float = entry(NumberKey("s", above=0.0), "duration of the rise of the envelope", default=2.0)
    level: float = entry(NumberKey("s", above=0.0), "duration of its constant part", default=10.0)
    decay: float = entry(NumberKey("s", above=0.0), "duration of its decay", default=8.0)
    dt: float = entry(NumberKey("s", above=0.0), "time step", default=0.01)

    @classmethod
    def conflicts(cls, data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
        yield from super().conflicts(data)
        yield from exactly_one(
            data,
            {
                "ground": "of EN 1998-1",
                "standard": "rg_1_60 or ac156",
                "table": "a file of periods and accelerations",
            },
        )
        if "table" in data:
            if (data.get("components") == 3) != ("table_z" in data):
                yield ("table_z",), "is the target of the vertical component, and goes with components = 3"
        else:
            for key in ("unit", "table_z"):
                if key in data:
                    yield (key,), "goes with a table, not with the spectrum of a standard"
        standard = data.get("standard")
        if "spectrum_type" in data and "ground" not in data:
            yield ("spectrum_type",), "is of the spectra of EN 1998-1, and goes with 'ground'"
        if "height_ratio" in data and standard != "ac156":
            yield ("height_ratio",), "goes with standard = 'ac156'"
        least, most = {"rg_1_60": (0.005, 0.1), "ac156": (0.05, 0.05)}.get(str(standard), (0.0, 1.0))
        damping = data.get("damping", 0.05)
        if str(standard) in STANDARDS and _is_number(damping) and not least <= damping <= most:
            held = "0.05" if least == most else f"{least:g} to {most:g}"
            yield ("damping",), f"{STANDARDS[str(standard)]} has {held} [1], got {damping:g}"
        band, dt = data.get("band", BAND), data.get("dt", 0.01)
        if isinstance(band, list | tuple) and len(band) == 2 and _is_number(band[0]) and _is_number(band[1]):
            if not band[0] < band[1]:
                yield ("band",), f"the periods must rise, got {band[0]:g} and {band[1]:g} s"
            elif _is_number(dt) and dt > band[0] / 4:
                yield (
                    ("dt",),
                    f"must be at most a quarter of the shortest period of 'band' ({band[0]:g} s), "
                    f"{band[0] / 4:g} s, got {dt:g}",
                )
        elif isinstance(band, list | tuple) and len(band) != 2:
            yield ("band",), f"expected two periods [s], as in [0.05, 4.0], got {len(band)}"

    def read(self, folder: Path) -> None:
        if self.table is not None:
            self._tables(self.table, folder)

    def make(self, numbers: Numbers, rng: np.random.Generator, realization: int, folder: Path) -> Motion:
        from mcrock.excitation.spectrum_compatible import Envelope, compatible_motion  # loads the compiler

        return compatible_motion(
            self._targets(numbers, folder),
            rng,
            self.dt,
            Envelope(self.rise, self.level, self.decay),
            band_periods=(self.band[0], self.band[1]),
            corner=self.corner,
            name=f"spectrum-compatible {realization}",
        )

    def _targets(self, numbers: Numbers, folder: Path) -> list[TargetSpectrum]:
        """Spectra that the components are to have."""
        if self.table is not None:
            return self._tables(self.table, folder)
        upright = [axis == 2 for axis in range(self.components)]
        if self.standard == "rg_1_60":
            return [rg_1_60(1.0, self.damping, vertical) for vertical in upright]
        if self.standard == "ac156":
            return [ac156(1.0, self.height_ratio, vertical) for vertical in upright]
        ground = GROUNDS[int(numbers["ground"])]
        return [en_1998_1(1.0, ground, self.spectrum_type, self.damping, vertical) for vertical in upright]

    def _tables(self, table: str, folder: Path) -> list[TargetSpectrum]:
        """Spectra in files, read once, and again when a file has changed."""
        names = [table] * min(self.components, 2) + [name for name in [self.table_z] if name]
        paths = [folder / name for name in names]
        return [_target(str(path), self.unit, self.damping, stamp(path)) for path in paths]

    def sampling_step(self, motions: Sequence[Motion]) -> float:
        return self.dt

    def origin(self, folder: Path) -> str:
        target = STANDARDS.get(str(self.standard), f"table {self.table}")
        if self.ground is not None:
            grounds = self.ground if isinstance(self.ground, tuple) else (self.ground,)
            target = f"EN 1998-1 type {self.spectrum_type}, ground {' or '.join(grounds)}"
        return f"compatible with a target spectrum ({target})"

    def notes(self, measure: str, motions: Sequence[Motion], factors: NDArray[np.float64]) -> list[str]:
        found = super().notes(measure, motions, factors)
        changes = [] if measure == "factor" else [f"scaled to levels of {measure}"]
        if self.components > 1 and self.rotation[0] != 0:
            changes.append("turned")
        if changes:
            found.append(
                f"note: the motions follow their spectrum before they are {' and '.join(changes)}; the "
                "measure 'factor' and no azimuth keep them within 0.9 to 1.3 of the spectrum times the level"
            )
        return found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@lru_cache(maxsize=8)
def _target(
    path: str, unit: str | None, damping: float, stamp: tuple[tuple[str, int, int], ...]
) -> TargetSpectrum:
    return read_target(path, unit, damping)
