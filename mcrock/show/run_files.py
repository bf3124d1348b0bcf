"""The files of one run: its history, the list of its events, and its figure."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcrock.dataset import events_to_csv, replacing, save_dataset
from mcrock.show.history import plot_history
from mcrock.show.style import add_source, save_figure

if TYPE_CHECKING:
    from mcrock.excitation import Motion, Pulse
    from mcrock.simulation import Run


def save_run(
    run: Run,
    folder: str | Path,
    title: str = "",
    motion: Motion | Pulse | None = None,
    source: Mapping[str, Any] | None = None,
) -> list[Path]:
    """Write ``history.nc``, ``events.csv`` and ``history.png`` of a run, in place of files of these names.

    Parameters
    ----------
    run : Run
        With its history.
    folder : str or Path
        Where to write; made if it is not there.
    title, motion
        As `plot_history` takes them.
    source : mapping, optional
        ``title`` and ``seed`` of the study that the run is of, for the last line of the figure.

    Returns
    -------
    list of Path

    Raises
    ------
    ValueError
        If the run has no history, or what is in place of `history.nc` is not a NetCDF file.
    OSError
        If a file cannot be written.
    """
    folder = Path(folder)
    history, events, figure = (folder / name for name in ("history.nc", "events.csv", "history.png"))
    ax = plot_history(run, title, run.body.slenderness, motion)
    add_source(ax, source or {})
    folder.mkdir(parents=True, exist_ok=True)
    save_dataset(run.history, history, overwrite=True)
    with replacing(events) as path:
        path.write_text(events_to_csv(run.events))
    save_figure(ax, figure)
    return [history, events, figure]
