"""The labelled dataset of one run over its time, and the list of its events."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from mcrock.params import Event, Mode

Array = NDArray[np.float64]


def build_history(rows: Array) -> xr.Dataset:
    """Motion of a run over its time, from its trace (n, 15)."""
    axis = ("time", "axis")
    q = rows[:, 3:7]
    up_x = 2.0 * (q[:, 1] * q[:, 3] - q[:, 0] * q[:, 2])
    up_y = 2.0 * (q[:, 2] * q[:, 3] + q[:, 0] * q[:, 1])
    tilt, sine = rows[:, 14], np.hypot(up_x, up_y)
    # the rotation without its yaw: tilt along the horizontal (up_y, -up_x), upside down along any, here x
    along_x = np.divide(up_y, sine, out=np.ones_like(sine), where=sine > 0.0)
    along_y = np.divide(-up_x, sine, out=np.zeros_like(sine), where=sine > 0.0)
    variables = {
        "mode": ("time", rows[:, 1].astype("i1"), {"long_name": "contact mode"}),
        "index": ("time", rows[:, 2].astype("i4"), {"long_name": "edge, vertex or face in contact"}),
        "orientation": (("time", "quaternion"), rows[:, 3:7], {"long_name": "quaternion body to ground"}),
        "angular_velocity": (axis, rows[:, 7:10], {"units": "rad s-1", "long_name": "angular velocity"}),
        "com": (axis, rows[:, 10:13], {"units": "m", "long_name": "centre of mass"}),
        "rotation_x": ("time", tilt * along_x, {"units": "rad", "long_name": "rotation about base axis x"}),
        "rotation_y": ("time", tilt * along_y, {"units": "rad", "long_name": "rotation about base axis y"}),
        "energy": ("time", rows[:, 13], {"units": "J", "long_name": "mechanical energy"}),
        "tilt": ("time", tilt, {"units": "rad", "long_name": "tilt of the body axis"}),
    }
    variables["mode"][2]["flag_values"] = [int(mode) for mode in Mode]
    variables["mode"][2]["flag_meanings"] = " ".join(mode.name.lower() for mode in Mode)
    return xr.Dataset(
        variables,
        coords={"time": ("time", rows[:, 0], {"units": "s"}), "axis": ["x", "y", "z"]},
    )


def event_list(rows: Array) -> list[dict[str, Any]]:
    """Events of a run from its trace (n, 10), as `mcrock.simulation.Run` has them."""
    return [
        {
            "t": float(row[0]),
            "kind": Event(int(row[1])).name.lower(),
            "to": (Mode(int(row[2])).name, int(row[3])),
            "omega": row[4:7].copy(),
            "energy_change": float(row[7]),
            "tilt": float(row[8]),
            "face": int(row[9]) if row[9] >= 0 else None,
        }
        for row in rows
    ]


def events_to_csv(events: list[dict[str, Any]]) -> str:
    """Event list of a run as comma-separated text, units in the first line."""
    head = (
        "t [s],kind,mode,index,omega_x [rad/s],omega_y [rad/s],omega_z [rad/s],"
        "energy_change [J],tilt [rad],face"
    )
    rows = [
        ",".join(
            [
                repr(float(event["t"])),
                event["kind"],
                event["to"][0],
                str(event["to"][1]),
                *(repr(float(value)) for value in event["omega"]),
                repr(float(event["energy_change"])),
                repr(float(event["tilt"])),
                "" if event["face"] is None else str(event["face"]),
            ]
        )
        for event in events
    ]
    return "\n".join([head, *rows]) + "\n"
