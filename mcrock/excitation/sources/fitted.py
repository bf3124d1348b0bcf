"""Source ``fitted``: filtered white noise with the parameters of a record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from mcrock.base.tables.distributions import Quantity, Uncertain
from mcrock.base.tables.fields import ChoiceKey, IntegerKey, Text, entry, exactly_one, optional
from mcrock.base.tables.inputs import Input, Numbers
from mcrock.excitation.measures import intensity
from mcrock.excitation.motion import Motion, MotionError
from mcrock.excitation.processing import process
from mcrock.excitation.readers import read_records
from mcrock.excitation.readers.fema_p695 import SETS, fema_p695
from mcrock.excitation.sources.generated import GeneratedSource, stamp
from mcrock.excitation.sources.kinds import Steps, Unit
from mcrock.excitation.synthesis.rezaeian_2010 import StochasticModel, check_step, simulate_motion
from mcrock.excitation.synthesis.rezaeian_2010_fit import fit_model, fit_pair

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
    path: str | None = optional(Text(), "file of the record, from the folder of the study file", "record.at2")
    set: str | None = optional(ChoiceKey(SETS), "set of FEMA P695, with `record`", "farfield")
    record: int | None = optional(IntegerKey(1), "number of the record in that set", 14)
    unit: str | None = optional(Unit(), "unit of the accelerations, where the file does not say", "g")
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
