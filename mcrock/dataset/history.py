"""The labelled dataset of one run over its time, and the list of its events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mcrock.base.params import Event, EventColumn, HistoryColumn, Mode
from mcrock.body import rotation_matrix

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]

OF_COM = "of the centre of mass, relative to the ground"


def build_history(rows: Array, base: Array, stand: Array) -> xr.Dataset:
    """Motion of a run over its time.

    Parameters
    ----------
    rows : ndarray (n, `HistoryColumn`)
        Its trace.
    base : ndarray (3,)
        Centre of the base in body axes [m].
    stand : ndarray (3,)
        Where that is in ground axes while the body stands at the origin [m].

    Returns
    -------
    Dataset
        Of variables over `time` [s], each with its units.
    """
    axis, column = ("time", "axis"), HistoryColumn
    mode, index = rows[:, column.MODE].astype("i1"), rows[:, column.INDEX].astype("i4")
    if len(rows) > 1 and mode[-1] < 0:  # a run that ends where the contact is undecided: as the row before
        mode[-1], index[-1] = mode[-2], index[-2]
    q = rows[:, column.Q0 : column.Q3 + 1]
    omega = rows[:, column.OMEGA_X : column.OMEGA_Z + 1]
    com = rows[:, column.COM_X : column.COM_Z + 1]
    velocity = rows[:, column.VELOCITY_X : column.VELOCITY_Z + 1]
    displacement = com + rotation_matrix(q) @ base - stand
    yaw = np.unwrap(2.0 * np.arctan2(q[:, 3], q[:, 0]))
    up_x = 2.0 * (q[:, 1] * q[:, 3] - q[:, 0] * q[:, 2])
    up_y = 2.0 * (q[:, 2] * q[:, 3] + q[:, 0] * q[:, 1])
    tilt, sine = rows[:, column.TILT], np.hypot(up_x, up_y)
    # the rotation without its yaw: tilt along the horizontal (up_y, -up_x), upside down along any, here x
    along_x = np.divide(up_y, sine, out=np.ones_like(sine), where=sine > 0.0)
    along_y = np.divide(-up_x, sine, out=np.zeros_like(sine), where=sine > 0.0)
    flags = {
        "long_name": "contact mode",
        "flag_values": [int(mode) for mode in Mode],
        "flag_meanings": " ".join(mode.name.lower() for mode in Mode),
    }
    variables = {
        "mode": ("time", mode, flags),
        "index": ("time", index, {"long_name": "edge, vertex or face in contact"}),
        "orientation": (("time", "quaternion"), q, {"long_name": "quaternion body to ground"}),
        "angular_velocity": (axis, omega, {"units": "rad s-1", "long_name": "angular velocity"}),
        "com": (axis, com, {"units": "m", "long_name": "centre of mass"}),
        "velocity": (axis, velocity, {"units": "m s-1", "long_name": f"velocity {OF_COM}"}),
        "displacement": (axis, displacement, {"units": "m", "long_name": "displacement of the base centre"}),
        "rotation_x": ("time", tilt * along_x, {"units": "rad", "long_name": "rotation about base axis x"}),
        "rotation_y": ("time", tilt * along_y, {"units": "rad", "long_name": "rotation about base axis y"}),
        "yaw": ("time", yaw, {"units": "rad", "long_name": "rotation about the vertical"}),
        "energy": ("time", rows[:, column.ENERGY], {"units": "J", "long_name": "mechanical energy"}),
        "tilt": ("time", tilt, {"units": "rad", "long_name": "tilt of the body axis"}),
    }
    import xarray as xr  # a fifth of a second, which a part of a study saves

    return xr.Dataset(
        variables, coords={"time": ("time", rows[:, column.TIME], {"units": "s"}), "axis": ["x", "y", "z"]}
    )


def event_list(rows: Array) -> list[dict[str, Any]]:
    """Events of a run from its trace (n, `EventColumn`), as `mcrock.simulation.runs.Run` has them."""
    column = EventColumn
    return [
        {
            "t": float(row[column.TIME]),
            "kind": Event(int(row[column.KIND])).name.lower(),
            "to": (Mode(int(row[column.MODE])).name, int(row[column.INDEX])),
            "omega": row[column.OMEGA_X : column.OMEGA_Z + 1].copy(),
            "velocity": row[column.VELOCITY_X : column.VELOCITY_Z + 1].copy(),
            "energy_change": float(row[column.ENERGY_CHANGE]),
            "tilt": float(row[column.TILT]),
            "face": int(row[column.FACE]) if row[column.FACE] >= 0 else None,
        }
        for row in rows
    ]


def events_to_csv(events: list[dict[str, Any]]) -> str:
    """Event list of a run as comma-separated text, units in the first line."""
    head = (
        "t [s],kind,mode,index,omega_x [rad/s],omega_y [rad/s],omega_z [rad/s],"
        "energy_change [J],tilt [rad],face,velocity_x [m/s],velocity_y [m/s],velocity_z [m/s]"
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
                *(repr(float(value)) for value in event["velocity"]),
            ]
        )
        for event in events
    ]
    return "\n".join([head, *rows]) + "\n"
