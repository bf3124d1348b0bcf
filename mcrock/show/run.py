"""One run as text and files, and a run of a study once more, with its history."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import xarray as xr

from mcrock.base.params import Mode, Outcome
from mcrock.dataset import SCHEMA, declaration, events_to_csv, load_dataset, replacing, save_dataset
from mcrock.dataset.schema import own_names
from mcrock.ensemble.part import named_responses
from mcrock.ensemble.pilot import settle
from mcrock.excitation import pack_motions
from mcrock.show.history import contact_name, describe_doubt, ground_moves, plot_history
from mcrock.show.style import add_source, save_figure
from mcrock.show.text import as_json, format_table, label_intensities, labels
from mcrock.simulation import runs
from mcrock.simulation.runs import Run
from mcrock.study import Study, load_config
from mcrock.study.sampling import draw_inputs, load_motions, variable_name

if TYPE_CHECKING:
    from mcrock.excitation import Motion, Pulse

LARGEST = 10_000_000  # runs of a store that are read to count those of one recording


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
    own: dict[str, tuple[float, str]]  # responses of one's own with their units

    @property
    def title(self) -> str:
        """Motion, realization and intensity."""
        return f"{self.name}, {self.place}"


def study_of_runs(
    source: Study | xr.Dataset | str | Path, folder: str | Path = ".", *, trust_code: bool = False
) -> tuple[Study, xr.Dataset | None]:
    """The study of a study file, of a result or of its store, with the result that has its runs."""
    if isinstance(source, Study):
        return settle([source])[0], None
    if not isinstance(source, xr.Dataset) and not Path(source).is_dir():
        return settle([load_config(source, trust_code=trust_code)])[0], None
    stored = source if isinstance(source, xr.Dataset) else load_dataset(source, allow_incomplete=True)
    return Study.from_json(stored.attrs["config"], folder, trust_code=trust_code), stored


def place_of_run(study: Study, realization: int, intensity: int | str = -1, outer: int = 0) -> dict[str, int]:
    """Number of a run along each dimension of a study, by arguments as of `repeat_run`; ValueError if it has
    no such run."""
    shaken = study.motion.shakes and not study.is_cloud
    levels = label_intensities(study.intensity.si_levels, study.intensity.units) if shaken else []
    names = "; " * shaken + ", ".join(f"{k} is {level}" for k, level in enumerate(levels))
    if isinstance(intensity, str) and not intensity.lstrip("-").isdecimal():
        close = [k for k, level in enumerate(levels) if level.replace(" ", "") == intensity.replace(" ", "")]
        if not close:
            asked = "intensity must be the number of a level, or a level with its unit, as in 0.5g, got"
            raise ValueError(f"{asked} {intensity}{names}")
        intensity = close[0]
    at = {"outer": outer, "realization": realization, "intensity": int(intensity)}
    at["intensity"] += study.n_intensity if at["intensity"] == -1 else 0
    for name, size in zip(at, (study.n_outer, study.n_realizations, study.n_intensity), strict=True):
        if not 0 <= at[name] < size:
            levels_of = names if name == "intensity" else ""
            raise ValueError(f"{name} must be 0 to {size - 1} in this study, got {at[name]}{levels_of}")
    return at


def repeat_run(
    study: Study | xr.Dataset | str | Path,
    realization: int,
    intensity: int | str = -1,
    outer: int = 0,
    stored: xr.Dataset | None = None,
    *,
    law: Callable[..., float] | None = None,
    folder: str | Path = ".",
    trust_code: bool = False,
) -> Replay:
    """Repeat one run of a study with its history, bit for bit on the processor that made it.

    Parameters
    ----------
    study : Study, Dataset, str or Path
        Study or its file, or its result or store.
    realization, outer : int
        Numbers of the realization and of the epistemic draw, from 0.
    intensity : int or str
        Number of the intensity level, from 0, or its value with the unit, as ``"0.5g"``; by default the last.
    stored : Dataset, optional
        Result that has the run, next to a Study.
    law : callable, optional
        Impact law of one's own, where the study does not name one.
    folder : str or Path
        Of a result: folder of its study file.
    trust_code : bool
        Run the code that the study names, as of `load_config`; a Study has its own word.

    Returns
    -------
    Replay
        With the `Run` as ``run``, its ``motion``, and what the realization drew as ``drawn`` (SI units).

    Raises
    ------
    ConfigError
        If the study needs files that are not there.
    ValueError
        If there is no such run, or the impact law of a user may not run or did not make the result.
    """
    study, found = study_of_runs(study, folder, trust_code=trust_code)
    study, stored = study if law is None else study.with_law(law), found if stored is None else stored
    at = place_of_run(study, realization, intensity, outer)
    intensity = at["intensity"]
    made, function = "" if stored is None else stored.attrs.get("own_law", ""), study.find_own_law()
    if stored is not None and not (function.made(made) if function else made == ""):
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
    source += _describe_isolator(study, inputs.values, intensity)
    felt = motion if ground_moves(motion) else None
    names = [name for name in map(variable_name, study.uncertain) if name in inputs.values]
    # NaN: of another law
    drawn = {name: value for name in names if (value := float(inputs.values[name][0])) == value}
    named = named_responses(study) if stored is None else ()  # a result has them
    own = {one.variable: (one.of_run(run, place), one.attributes["units"]) for one in named}
    if stored is not None:
        kept = {name: stored[name] for name in own_names(stored)}
        own |= {
            name: (float(v.isel(at, missing_dims="ignore")), v.attrs["units"]) for name, v in kept.items()
        }
    return Replay(run, felt, motion.name, record.name, scale, place, measure, source, drawn, own)


def _describe_isolator(study: Study, values: Mapping[str, Any], intensity: int) -> str:
    """How far the isolator of a realization moves; empty without one."""
    if study.motion.isolator is None:
        return ""
    moved = float(values["isolator_displacement"].ravel()[intensity])
    stroke = study.motion.isolator.stroke or math.inf
    beyond = f", beyond its stroke of {stroke:g} m: the run counts as undecided" if moved > stroke else ""
    return f", isolator displaced by {moved:.3g} m{beyond}"


def stored_outcome(stored: xr.Dataset, at: dict[str, int], now: Outcome) -> str:
    """Outcome of the stored run, and whether the repeated one has another."""
    outcome = Outcome(int(stored["outcome"].isel(at, missing_dims="ignore")))
    if outcome == Outcome.NOT_RUN:
        return "not run yet"
    other = "" if outcome == now else ": another version or kind of processor made it"
    words = outcome.name.lower().replace("_", " ")
    return f"{words}{other}{_other_levels(stored, at)}{_same_record(stored, at)}"


def _other_levels(stored: xr.Dataset, at: dict[str, int]) -> str:
    """At which intensities the realization overturned, of a study with several."""
    if "intensity" not in stored["outcome"].dims:
        return ""
    outcome = stored["outcome"].isel({k: v for k, v in at.items() if k != "intensity"}, missing_dims="ignore")
    fell = labels(stored["intensity"][(outcome == Outcome.OVERTURNED).values])
    return f"; of the {outcome.sizes['intensity']} intensities it overturned at {', '.join(fell) or 'none'}"


def _same_record(stored: xr.Dataset, at: dict[str, int]) -> str:
    """How many runs of its recording overturned there: whether the recording alone decides."""
    if "record" not in stored or "intensity_value" in stored or stored["outcome"].size > LARGEST:
        return ""
    record, level = stored["record"], {"intensity": at["intensity"]}
    same = record == record.isel(at, missing_dims="ignore")
    outcome = stored["outcome"].isel(level, missing_dims="ignore").where(same, Outcome.NOT_RUN)
    ran, fell = (int(runs.sum()) for runs in (outcome != Outcome.NOT_RUN, outcome == Outcome.OVERTURNED))
    return f"; of the {ran} runs of its recording at this intensity {fell} overturned"


def name_of(notable: str) -> str:
    """Name of a run that stands for a study, as people read it."""
    return notable.capitalize().replace("_", " ")


def repeat_command(store: str | Path, at: dict[str, int]) -> str:
    """The command that repeats a run of a store, for a shell."""
    numbers = " ".join(f"--{name} {number}" for name, number in at.items() if number or name != "outer")
    return f"mcrock simulate {shlex.quote(str(store))} {numbers}"


EVENTS_SHOWN = 10  # of the first, and of the last
UNITS_OF_EVENTS = {  # of their numbers
    "t": "s", "omega": "rad s-1", "velocity": "m s-1", "energy_change": "J", "tilt": "rad",
}  # fmt: skip


def format_replay(found: Replay, events_file: Path) -> str:
    """What a realization drew, then `format_run` with responses of one's own."""
    drawn = [f"{name} {_format_input(name, value)}" for name, value in found.drawn.items()]
    own = [(name, format_result(units, value)) for name, (value, units) in found.own.items()]
    head = "; ".join([f"{found.place}: {found.source}", *drawn])
    return f"{head}\n{format_run(found.run, events_file, own)}"


def format_run(run: Run, events_file: Path, own: Sequence[tuple[str, str]] = ()) -> str:
    """What happened in a run, its results and first events, as text; ``events_file`` has them all."""
    results = [*result_rows(run), *own]
    lines = [
        f"outcome: {run.outcome.name.lower().replace('_', ' ')}{describe_doubt(run)}",
        *describe_fall(run),
    ]
    width = max(len(row[0]) for row in results)
    lines += [f"{text:<{width}}  {value}" for text, value in results]
    heads = ["time [s]", "event", "then", "tilt [deg]", "energy change [J]"]
    few = len(run.events) <= 2 * EVENTS_SHOWN
    shown = run.events if few else run.events[:EVENTS_SHOWN] + run.events[-EVENTS_SHOWN:]
    rows = [
        [
            f"{event['t']:.4f}",
            event["kind"].replace("_", " "),
            _format_contact(*event["to"]),
            f"{math.degrees(event['tilt']):.4f}",
            f"{event['energy_change']:.4g}",
        ]
        for event in shown
    ]
    if not run.events:
        return "\n".join([*lines, "no events: the body never left its base"])
    count = f"{len(run.events)} events"
    if not few:
        count += f", the first and the last {EVENTS_SHOWN} of them (all are in {events_file})"
        rows.insert(EVENTS_SHOWN, ["..."] * len(heads))
    return "\n".join([*lines, count, format_table(heads, rows)])


def describe_fall(run: Run) -> list[str]:
    """When a body that overturned left the range from which it could rock back; nothing of others."""
    if run.outcome != Outcome.OVERTURNED:
        return []
    time, tilt = run.history["time"].values, run.history["tilt"].values
    low = tilt <= run.body.slenderness
    if not low.any():
        return ["its tilt was beyond the slenderness from the start"]
    last, end = time[low][-1], run.results["overturning_time"]
    before = sum(event["kind"].endswith("impact") for event in run.events if event["t"] <= last)
    return [
        f"its tilt passed the slenderness of {math.degrees(run.body.slenderness):.1f} deg for the last time "
        f"at {last:.2f} s, after {before} impacts, and it lay {end - last:.2f} s later"
    ]


def result_rows(run: Run) -> list[tuple[str, str]]:
    """Results of a run by what they are."""
    return [
        (SCHEMA[name].long_name.removeprefix("1 if "), _format_result(name, value))
        for name, value in run.results.items()
        if name not in ("outcome", "half_step_outcome")
    ]


def run_as_json(run: Run) -> dict[str, Any]:
    """Outcome, results and all events of one run, and the units of their numbers by name."""
    results = {
        name: int(value) if SCHEMA[name].dtype.startswith("i") else value
        for name, value in run.results.items()
        if name not in ("outcome", "half_step_outcome")
    }
    events = []
    for event in run.events:
        mode, index = event["to"]
        shown = {name: value for name, value in event.items() if name != "to"}
        events.append(shown | {"mode": mode.lower(), "index": index})
    units = {name: SCHEMA[name].units for name in results} | UNITS_OF_EVENTS
    return as_json(
        {"outcome": run.outcome.name.lower(), "results": results, "events": events, "units": units}
    )


def _format_contact(mode: str, index: int) -> str:
    """Contact after an event, as in `edge 2`; that of a flight has no number."""
    name = contact_name(Mode[mode])
    return name if index < 0 else f"{name} {index}"


def _format_input(name: str, value: float) -> str:
    """What a realization drew, with its unit or its name."""
    declared = declaration(name)
    return declared.flags(int(value)).name.lower() if declared.flags else format_result(declared.units, value)


def _format_result(name: str, value: float) -> str:
    """A result of a run with its unit; what did not happen is a dash."""
    if SCHEMA[name].long_name.startswith("1 if "):
        return "yes" if value else "no"
    if SCHEMA[name].dtype.startswith("i"):
        return str(int(value))
    return format_result(SCHEMA[name].units, value)


def format_result(units: str, value: float) -> str:
    """A number with its unit, angles in degrees; NaN is a dash."""
    if math.isnan(value):
        return "-"
    if units == "rad":
        return f"{math.degrees(value):.5g} deg"
    return f"{value:.6g} {units}" if units != "1" else f"{value:.6g}"


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
        path.write_text(events_to_csv(run.events), encoding="utf-8")
    save_figure(ax, figure)
    return [history, events, figure]
