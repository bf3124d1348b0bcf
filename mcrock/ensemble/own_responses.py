"""Responses of one's own: functions of a finished run and its history, kept in the store as `own_NAME`."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

import numpy as np

from mcrock.base.own_function import OwnFunction
from mcrock.base.params import Inputs, MotionPack
from mcrock.dataset.schema import OWN_RESPONSE
from mcrock.simulation.runs import simulate_realization
from mcrock.study import Study


class OwnResponse(OwnFunction):
    """A response that a user computes from a `mcrock.simulation.run.Run`; its unit is ``function.units``."""

    group, kind = "mcrock.responses", "response"

    def accept(self) -> None:
        """Refuse a function of anything but one run, or a name that no variable has."""
        if len(inspect.signature(self.function).parameters) != 1 or not self.name.isidentifier():
            raise ValueError(f"response {self.name!r}: expected a named function of one argument, the run")

    @property
    def variable(self) -> str:
        """Name in datasets."""
        return OWN_RESPONSE + self.name

    @property
    def attributes(self) -> dict[str, str]:
        """Of the variable."""
        units = getattr(self.function, "units", "1")
        return {"units": units, "long_name": self.name.replace("_", " ")}


def own_values(
    responses: Sequence[OwnResponse], inputs: Inputs, motions: MotionPack, study: Study
) -> dict[str, np.ndarray]:
    """Responses of every run of a part (n, m), each of which is run again with its history.

    Raises
    ------
    ValueError
        If a function fails, or returns no number; NaN is one, of a run without such a response.
    """
    found = {response.variable: np.full(inputs.scale.shape, np.nan) for response in responses}
    for row, level in np.ndindex(inputs.scale.shape) if responses else ():
        _, run = simulate_realization(inputs, row, level, motions, study.controls)
        for response in responses:
            try:
                found[response.variable][row, level] = response.function(run)
            except Exception as error:
                raise ValueError(
                    f"response {response.name!r} of realization {inputs.start + row}: expected a number, got "
                    f"{type(error).__name__}: {error}"
                ) from error
    return found
