"""One component of a recording, as a reader hands it over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from mcrock.excitation.motion import FloatArray, MotionError

DECLARED = "declared in the file"
FIXED = "fixed by the format"
GIVEN = "given"

# of a printed peak, which has three digits or, if small, the resolution of its format
PEAK_TOLERANCE = 0.01  # [1]
PEAK_RESOLUTION = 1e-4  # [m/s2]


class NotRecordError(MotionError):
    """A file that is not a record of acceleration; the message is the reason, without the file."""


@dataclass(frozen=True, eq=False)
class RecordedComponent:
    """One component of a recording in SI units, with what its file says about it.

    Parameters
    ----------
    acceleration : ndarray (n_time,)
        Ground acceleration in the direction of the component [m/s2].
    dt : float
        Time step [s].
    path : Path
        File it was read from.
    format : str
        Name of the format, for people.
    unit, unit_known : str
        Unit of the samples in the file and how it was known: `DECLARED`, `FIXED` or `GIVEN`.
    record : str
        What the components of one recording have in common, and recordings of other earthquakes or
        places do not.
    name : str
        What to call the recording.
    component : str
        Component in the words of the file.
    role : str
        "horizontal", "up" or "down".
    azimuth : float, optional
        Direction of a horizontal component, clockwise from north [rad].
    start : float, optional
        Time of the first sample after 1970 [s].
    channel : int, optional
        Number of the channel in a file or at a station with several.
    location : str
        Where in a structure the sensor stands, empty if the file does not say.
    facts : mapping
        Facts about earthquake and site, SI units.
    remarks : tuple of str
        What the file says of itself and its samples do not confirm.
    history : tuple of str
        What the reader did to the samples besides the change of unit.
    """

    acceleration: FloatArray
    dt: float
    path: Path
    format: str
    unit: str
    unit_known: str
    record: str
    name: str
    component: str
    role: str
    azimuth: float | None = None
    start: float | None = None
    channel: int | None = None
    location: str = ""
    facts: Mapping[str, str | float] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    history: tuple[str, ...] = ()

    def compared(
        self, *, peak: float | None = None, duration: float | None = None, dt: float | None = None
    ) -> RecordedComponent:
        """The recording with a remark on everything that the file declares otherwise.

        Parameters
        ----------
        peak : float, optional
            Largest absolute acceleration by the header [m/s2].
        duration : float, optional
            Length by the header [s]. Formats count n or n - 1 steps and round to 0.1 s or 1 s; both
            and a difference up to 1 s plus 1 % are accepted.
        dt : float, optional
            Time step by another place of the file [s].
        """
        remarks = list(self.remarks)
        if dt is not None and abs(dt - self.dt) > 1e-3 * self.dt:
            remarks.append(f"the time step is {self.dt:g} s in one place of the file and {dt:g} s in another")
        length = len(self.acceleration) * self.dt
        if duration is not None and abs(duration - length) > 1.0 + 0.01 * length:
            remarks.append(
                f"{len(self.acceleration)} samples of {self.dt:g} s make {length:.4g} s, "
                f"the file says {duration:.4g} s"
            )
        found = float(np.abs(self.acceleration).max(initial=0.0))
        if peak is not None and abs(abs(peak) - found) > PEAK_TOLERANCE * abs(peak) + PEAK_RESOLUTION:
            remarks.append(
                f"component {self.component}: the largest sample is {found:.4g} m/s2, "
                f"the file says {abs(peak):.4g} m/s2"
            )
        return replace(self, remarks=tuple(remarks))


def number_channels(recordings: list[RecordedComponent]) -> list[RecordedComponent]:
    """Channels of a file with their numbers: by their order where the file does not tell them apart."""
    numbers = {recording.channel for recording in recordings}
    if len(recordings) < 2 or (None not in numbers and len(numbers) == len(recordings)):
        return recordings
    return [replace(recording, channel=i) for i, recording in enumerate(recordings, start=1)]
