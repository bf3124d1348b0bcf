"""The command `mcrock simulate`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from mcrock.commands.options import Seed, Set, load_study

app = typer.Typer()


@app.command()
def simulate(
    study_or_store: Annotated[
        Path,
        typer.Argument(
            metavar="STUDY", help="Study file in TOML, or the store of a study.", show_default=False
        ),
    ],
    realization: Annotated[int, typer.Option(metavar="I", help="Number of the realization, from 0.")] = 0,
    intensity: Annotated[
        int | None,
        typer.Option(metavar="J", help="Number of the intensity level, from 0; default: the last."),
    ] = None,
    outer: Annotated[
        int, typer.Option(metavar="K", help="Number of the outer (epistemic) draw, from 0.")
    ] = 0,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Folder for history.nc, events.csv and history.png, which are replaced; default: run-I-J.",
        ),
    ] = None,
    animate: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Save an animation: .gif, .html (for a browser) or .mp4."),
    ] = None,
    fps: Annotated[float | None, typer.Option(help="Frames per second of the animation.")] = None,
    speed: Annotated[
        float | None, typer.Option(help="Playback speed: 0.25 is slow motion; default: real time.")
    ] = None,
    span: Annotated[
        tuple[float, float] | None, typer.Option(metavar="START END", help="Times to animate, in seconds.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print results, events and their units as JSON.")
    ] = False,
    set: Set = None,
    seed: Seed = None,
    folder_of_files: Annotated[
        Path,
        typer.Option(
            "--folder", metavar="DIR", help="Of a store: folder of its study file.", file_okay=False
        ),
    ] = Path("."),
) -> None:
    """Repeat one run of a study and print its results and events.

    Its history, events and figure are saved in a folder; --animate adds an animation. With a store it says
    whether the run ended as the stored one did.
    """
    if animate is not None:
        from mcrock.show.animation import check_animation

        check_animation(animate, fps=fps, speed=speed, span=span)
    elif (fps, speed, span) != (None, None, None):
        raise ValueError("--fps, --speed and --span go with --animate FILE")
    stored = None
    if study_or_store.is_dir():
        if set or seed is not None:
            raise ValueError("--set and --seed go with a study file; a store has its study")
        from mcrock.config import Study
        from mcrock.dataset import load_dataset

        stored = load_dataset(study_or_store, allow_incomplete=True)
        study = Study.from_json(stored.attrs["config"], folder_of_files)
    else:
        study = load_study(study_or_store, set, seed)
    import matplotlib

    matplotlib.use("Agg")
    from mcrock.dataset import check_folder
    from mcrock.excitation import pack_motions
    from mcrock.params import Outcome
    from mcrock.sampling import draw_inputs, load_motions
    from mcrock.show.animation import check_animation, save_animation
    from mcrock.show.history import ground_moves
    from mcrock.show.numbers import label_intensities
    from mcrock.show.progress import count_progress
    from mcrock.show.run import format_run, run_as_json
    from mcrock.show.run_files import save_run
    from mcrock.simulation import simulate_realization

    intensity = study.n_intensity - 1 if intensity is None else intensity
    for name, value, size in (
        ("--realization", realization, study.n_realizations),
        ("--intensity", intensity, study.n_intensity),
        ("--outer", outer, study.n_outer),
    ):
        if not 0 <= value < size:
            raise ValueError(f"{name} must be 0 to {size - 1} in this study, got {value}")
    folder = output or Path(f"run-{realization}-{intensity}")
    check_folder(folder)
    motions = load_motions(study)
    inputs = draw_inputs(study, motions, realization, realization + 1, outer)
    motions = list(inputs.motions) or motions
    body, replay = simulate_realization(inputs, 0, intensity, pack_motions(motions), study.controls)
    if animate is not None:
        check_animation(animate, fps=fps, speed=speed, span=span, run=replay)
    factor = inputs.scale[0, intensity]
    motion = motions[inputs.record[0]].scaled(factor).rotated(inputs.azimuth[0])
    strength = inputs.values["intensity_value"][0] if study.is_cloud else study.intensity.si_levels[intensity]
    level = label_intensities([strength], study.intensity.units)[0]
    place, measure = f"realization {realization} at {level}", f", {study.intensity.long_name}"
    source = f"{motion.name}, scaled by {factor:.4g}"
    if not study.motion.shakes:
        place, measure, source = f"realization {realization}", "", motion.name
    title = f"{motion.name}, {place}"
    motion = motion if ground_moves(motion) else None
    sources = {"title": study.title, "seed": study.seed}
    paths = save_run(replay, folder, title + measure, motion, sources)
    if animate is not None:
        with count_progress("frames of the animation") as progress:
            saved = save_animation(
                replay,
                body,
                animate,
                motion=motion,
                title=title,
                fps=fps,
                speed=speed,
                span=span,
                progress=progress,
            )
        paths.append(saved)
    # after the files, as the reader of the output may leave
    if as_json:
        chosen = sources | {"realization": realization, "intensity": intensity, "scale": factor}
        chosen["motion"] = motions[inputs.record[0]].name
        print(json.dumps(chosen | run_as_json(replay) | {"files": list(map(str, paths))}))
        return
    print(f"{place}: {source}")
    print(format_run(replay, folder / "events.csv"))
    if stored is not None:
        run = {"outer": outer, "realization": realization, "intensity": intensity}
        outcome = Outcome(int(stored["outcome"].isel(run, missing_dims="ignore")))
        other = "" if outcome == replay.outcome else ": another version or kind of processor made it"
        words = "not run yet" if outcome == Outcome.NOT_RUN else f"{outcome.name.lower()}{other}"
        print(f"outcome in {study_or_store}: {words}")
    for path in paths:
        print(path)
