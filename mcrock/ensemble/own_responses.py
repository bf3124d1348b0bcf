"""Responses of one's own: functions of a finished run and its history, kept in the store as `own_NAME`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence

import numpy as np

from mcrock.base.own_function import OwnFunction
from mcrock.base.params import Inputs, MotionPack
from mcrock.dataset.schema import OWN_RESPONSE, SCHEMA
from mcrock.simulation.runs import Run, simulate_realization
from mcrock.study import Study


class OwnResponse(OwnFunction):
    """A response that a user computes from a `mcrock.simulation.runs.Run`; its unit is ``function.units``."""

    kind = "response"

    def accept(self) -> None:
        """Refuse a function of anything but one run, or a name that no variable has."""
        if len(inspect.signature(self.function).parameters) != 1 or not self.name.isidentifier():
            raise ValueError(f"response {self.name!r}: expected a named function of one argument, the run")
        if self.variable in SCHEMA:
            raise ValueError(
                f"response {self.name!r}: {self.variable} is {SCHEMA[self.variable].long_name}; rename it"
            )

    @property
    def variable(self) -> str:
        """Name in datasets."""
        return OWN_RESPONSE + self.name

    @property
    def attributes(self) -> dict[str, str]:
        """Of the variable."""
        units = getattr(self.function, "units", "1")
        return {"units": units, "long_name": self.name.replace("_", " ")}

    def of_run(self, run: Run, where: str) -> float:
        """The number of a run; ValueError if the function fails, or returns none."""
        try:
            return float(self.function(run))
        except Exception as error:
            raise ValueError(
                f"response {self.name!r} of {where}: expected a number, or NaN where it cannot be known, got "
                f"{type(error).__name__}: {error}"
            ) from error


def named_responses(study: Study) -> tuple[OwnResponse, ...]:
    """Responses that a study names; errors as of `OwnResponse.named`."""
    named = study.ensemble.responses or ()
    return tuple(OwnResponse.named(name, study.folder, study.trust_code) for name in named)


def own_values(
    responses: Sequence[OwnResponse],
    inputs: Inputs,
    motions: MotionPack,
    study: Study,
    pause: Callable[[], None] = lambda: None,
) -> tuple[dict[str, np.ndarray], dict[int, str]]:
    """Responses of every run of a part (n, m), each of which is run again with its history.

    Where a function fails or returns no number they are NaN, and the message is the second result, one for
    each such realization. What ``pause`` raises, which is called before every run, ends it.
    """
    wrong: dict[int, str] = {}
    found = {response.variable: np.full(inputs.scale.shape, np.nan) for response in responses}
    for row, level in np.ndindex(inputs.scale.shape) if responses else ():
        pause()
        _, run = simulate_realization(inputs, row, level, motions, study.controls)
        for response in responses:
            number = inputs.start + row
            try:
                value = response.of_run(run, f"realization {number}")
            except ValueError as error:
                wrong[number] = str(error)
            else:
                found[response.variable][row, level] = value
    return found, wrong
