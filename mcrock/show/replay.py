"""A run of a study once more, with its history: the run itself, and how to speak of it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mcrock.base.params import Outcome
from mcrock.excitation import pack_motions
from mcrock.show.history import ground_moves
from mcrock.show.numbers import label_intensities, labels
from mcrock.simulation import runs
from mcrock.study.sampling import draw_inputs, load_motions
from mcrock.study.sampling.drawn import variable_name

if TYPE_CHECKING:
    import xarray as xr

    from mcrock.excitation import Motion, Pulse
    from mcrock.simulation.run import Run
    from mcrock.study import Study


class Replay(NamedTuple):
    """A run that was repeated, and how to speak of it."""

    run: Run
    motion: Motion | Pulse | None  # as the body felt it; None where the ground does not move
    name: str  # of the motion as felt
    record: str  # of it as recorded
    scale: float  # from the one to the other [1]
    place: str  # realization and intensity
    measure: str  # of the intensity
    source: str  # of the motion
    drawn: dict[str, float]  # inputs that the realization drew, by the variables of a result

    @property
    def title(self) -> str:
        """Motion, realization and intensity."""
        return f"{self.name}, {self.place}"


def repeat_run(
    study: Study, realization: int, intensity: int = 0, outer: int = 0, stored: xr.Dataset | None = None
) -> Replay:
    """Repeat one run of a study, bit for bit on the processor that made it.

    Parameters
    ----------
    study : Study
    realization, intensity, outer : int
        Numbers of the realization, of its intensity level and of the outer draw.
    stored : Dataset, optional
        Result that has the run.

    Raises
    ------
    ConfigError
        If the study needs files that are not there.
    ValueError
        If the impact law of a user is not the one that made the result.
    """
    if stored is not None and (made := stored.attrs.get("own_law", "")) != study.own_law_words:
        raise ValueError(
            f"the result was made by the impact law {made}, which is now {study.own_law_words}: its runs "
            "cannot be repeated until that source is back; mcrock run makes a result of the new one"
        )
    motions = load_motions(study)
    inputs = draw_inputs(study, motions, realization, realization + 1, outer)
    motions = list(inputs.motions) or motions
    _, run = runs.simulate_realization(inputs, 0, intensity, pack_motions(motions), study.controls)
    scale, record = inputs.scale[0, intensity], motions[inputs.record[0]]
    motion = record.scaled(scale).rotated(inputs.azimuth[0])
    place, measure, source = f"realization {realization}", "", motion.name
    if study.motion.shakes:
        strength = (
            inputs.values["intensity_value"][0] if study.is_cloud else study.intensity.si_levels[intensity]
        )
        place += f" at {label_intensities([strength], study.intensity.units)[0]}"
        measure, source = f", {study.intensity.long_name}", f"{motion.name}, scaled by {scale:.4g}"
    felt = motion if ground_moves(motion) else None
    names = [name for name in map(variable_name, study.uncertain) if name in inputs.values]
    # NaN: of another law
    drawn = {name: value for name in names if (value := float(inputs.values[name][0])) == value}
    return Replay(run, felt, motion.name, record.name, scale, place, measure, source, drawn)


def stored_outcome(stored: xr.Dataset, at: dict[str, int], now: Outcome) -> str:
    """Outcome of the stored run, and whether the repeated one has another."""
    outcome = Outcome(int(stored["outcome"].isel(at, missing_dims="ignore")))
    if outcome == Outcome.NOT_RUN:
        return "not run yet"
    other = "" if outcome == now else ": another version or kind of processor made it"
    return f"{outcome.name.lower()}{other}{_other_levels(stored, at)}"


def _other_levels(stored: xr.Dataset, at: dict[str, int]) -> str:
    """At which intensities the realization overturned, of a study with several."""
    if "intensity" not in stored["outcome"].dims:
        return ""
    outcome = stored["outcome"].isel({k: v for k, v in at.items() if k != "intensity"}, missing_dims="ignore")
    fell = labels(stored["intensity"][(outcome == Outcome.OVERTURNED).values])
    return f"; of the {outcome.sizes['intensity']} intensities it overturned at {', '.join(fell) or 'none'}"


def repeat_command(store: str | Path, at: dict[str, int]) -> str:
    """The command that repeats a run of a store, for a shell."""
    numbers = " ".join(f"--{name} {number}" for name, number in at.items() if number or name != "outer")
    return f"mcrock simulate {shlex.quote(str(store))} {numbers}"
