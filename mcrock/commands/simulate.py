"""The command `mcrock simulate`."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mcrock.base.checks import Number
from mcrock.commands.options import StudyOptions, unpacked

if TYPE_CHECKING:
    from mcrock.measurement import Recording
    from mcrock.show.animation.scene import PlaybackKeywords
    from mcrock.show.run import Replay
    from mcrock.simulation.runs import Run
    from mcrock.study import Study

app = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """Which run of a study."""

    realization: Annotated[int, typer.Option(metavar="I", help="Number of the realization, from 0.")] = 0
    intensity: Annotated[
        str, typer.Option(metavar="J", help="Number of the level from 0, or as in 0.5g; -1 is the last.")
    ] = "-1"
    outer: Annotated[int, typer.Option(metavar="K", help="Number of the outer (epistemic) draw, from 0.")] = 0


@dataclass(frozen=True, kw_only=True)
class AnimationOptions:
    """File of an animation, and how it plays."""

    animate: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Save an animation: .gif, .html (for a browser) or .mp4."),
    ] = None
    fps: Annotated[float | None, typer.Option(help="Frames per second of the animation.")] = None
    speed: Annotated[
        float | None, typer.Option(help="Playback speed: 0.25 is slow motion; default: real time.")
    ] = None
    span: Annotated[
        tuple[float, float] | None, typer.Option(metavar="START END", help="Times to animate, in seconds.")
    ] = None

    @property
    def playback(self) -> PlaybackKeywords:
        """Options of the animation."""
        return {"fps": self.fps, "speed": self.speed, "span": self.span}

    def check(self, run: Run | None = None) -> None:
        """Refuse what cannot be made, of a run if it is known."""
        if self.animate is not None:
            from mcrock.show.animation import Playback, check_animation

            check_animation(self.animate, Playback(**self.playback), run)
        elif (self.fps, self.speed, self.span) != (None, None, None):
            raise ValueError("--fps, --speed and --span go with --animate FILE")

    def save(self, found: Replay) -> list[Path]:
        """Write the animation, if one is asked for."""
        if self.animate is None:
            return []
        from mcrock.show.animation import save_animation
        from mcrock.show.progress import count_progress

        shown = found.run, found.run.body, self.animate
        about: dict[str, Any] = {"motion": found.motion, "title": found.title, **self.playback}
        with count_progress("frames of the animation") as progress:
            return [save_animation(*shown, progress=progress, **about)]


@dataclass(frozen=True, kw_only=True)
class SensorOptions:
    """What a gyroscope on the body would have recorded of a run."""

    sensor: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Save what a gyroscope on the body reads: CSV for `mcrock fit`."),
    ] = None
    sensor_rate: Annotated[float, typer.Option(metavar="HZ", help="Readings per second [1/s].")] = 256.0
    sensor_noise: Annotated[
        float, typer.Option(metavar="N", help="Density of its noise [deg/s/sqrt(Hz)]; 0.005 of the MPU-6050.")
    ] = 0.005
    sensor_bias: Annotated[
        tuple[float, float, float], typer.Option(metavar="X Y Z", help="Its bias along its axes [deg/s].")
    ] = (0.0, 0.0, 0.0)
    sensor_turn: Annotated[
        tuple[float, float, float],
        typer.Option(metavar="X Y Z", help="How it is turned on the body: a rotation vector [deg]."),
    ] = (0.0, 0.0, 0.0)
    sensor_range: Annotated[
        float | None, typer.Option(metavar="MOST", help="Rate at which it clips [deg/s]; default: none.")
    ] = None
    sensor_still: Annotated[
        tuple[float, float], typer.Option(metavar="A B", help="Time at rest before and after the run [s].")
    ] = (2.0, 1.0)
    sensor_instant: Annotated[bool, typer.Option("--sensor-instant", help="No means over a sample.")] = False
    sensor_acceleration: Annotated[
        bool,
        typer.Option("--sensor-acceleration", help="And accelerations of the centre of mass, for --rest."),
    ] = False

    def check(self, study: Study | None = None) -> None:
        """Refuse options without their file, and runs that are not of free rocking."""
        if self.sensor is None and self != SensorOptions():
            raise ValueError("--sensor-rate, --sensor-noise and the others go with --sensor FILE")
        Number("1/s", above=0.0).check("--sensor-rate", self.sensor_rate)
        Number("deg/s/sqrt(Hz)", least=0.0).check("--sensor-noise", self.sensor_noise)
        if self.sensor_range is not None:
            Number("deg/s", above=0.0).check("--sensor-range", self.sensor_range)
        rocks = study is None or not (study.motion.shakes or study.contact is not None)
        if self.sensor is not None and not rocks:
            raise ValueError(
                '--sensor is for free rocking on contacts that stick: [motion] source = "none", no [contact]'
            )

    def readings(self, run: Run, *seeds: int) -> Recording | None:
        """What the sensor reads, if one is asked for; its noise is that of all the seeds."""
        if self.sensor is None:
            return None
        import numpy as np
        from scipy.spatial.transform import Rotation

        from mcrock.measurement.recording import INSTANT, sensed, with_acceleration

        to_sensor = Rotation.from_rotvec(self.sensor_turn, degrees=True).inv()
        before, after = self.sensor_still
        seed = int(np.random.SeedSequence(seeds).generate_state(1)[0])
        recording = sensed(
            run,
            rate=self.sensor_rate,
            noise_density=float(np.radians(self.sensor_noise)),
            bias=to_sensor.inv().apply(np.radians(self.sensor_bias)),
            before=before,
            after=after,
            averaging=INSTANT if self.sensor_instant else 1.0,
            seed=seed,
        )
        if self.sensor_acceleration:
            recording = with_acceleration(recording, run, before=before, seed=seed)
        recording = recording.turned(to_sensor)
        if self.sensor_range is not None:
            recording = recording.clipped(float(np.radians(self.sensor_range)))
        return recording

    def save(self, recording: Recording | None) -> list[Path]:
        """Write the recording, if there is one."""
        if self.sensor is None or recording is None:
            return []
        from mcrock.dataset import replacing
        from mcrock.measurement import write_recording

        with replacing(self.sensor) as scratch:
            write_recording(recording, scratch)
        return [self.sensor]


@dataclass(frozen=True, kw_only=True)
class SourceOptions(StudyOptions):
    """A study file with its changes, or a store."""

    study_or_store: Annotated[
        Path, typer.Argument(metavar="STUDY", help="Study file in TOML, or a store.", show_default=False)
    ]
    folder_of_files: Annotated[
        Path,
        typer.Option("--folder", metavar="DIR", help="Of a store: folder of the study.", file_okay=False),
    ] = Path(".")

    def read(self) -> tuple[Study, Any]:
        """The study of a file, or that of a store with its dataset."""
        path = self.study_or_store
        if not path.is_dir():
            return self.load(path), None
        if self.set or self.seed is not None:
            raise ValueError(
                "--set and --seed go with a study file; a store has its study, "
                f"which Describe in `mcrock app {path}` saves as a file"
            )
        from mcrock.show.run import study_of_runs

        return study_of_runs(path, self.folder_of_files, trust_code=self.trust_code)


@app.command()
@unpacked
def simulate(
    *,
    chosen: RunOptions,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Folder for history.nc, events.csv and history.png, which are replaced; default: run-I-J.",
        ),
    ] = None,
    animation: AnimationOptions,
    sensor: SensorOptions,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the files of --animate and --sensor.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print results and events as JSON.")] = False,
    source: SourceOptions,
) -> None:
    """Repeat one run of a study and print its results and events.

    Its history, events and figure are saved in a folder; --animate adds an animation, --sensor what a
    gyroscope on the body would have recorded. With a store it says
    whether the run ended as the stored one did.
    """
    animation.check()
    sensor.check()
    for path in (animation.animate, sensor.sensor):
        if path is not None and path.exists() and not overwrite:
            raise ValueError(f"{path} exists already; replace it with --overwrite or choose another output")
    study, stored = source.read()
    sensor.check(study)
    from mcrock.dataset import check_folder
    from mcrock.show.run import format_replay, place_of_run, repeat_run, run_as_json, save_run, stored_outcome

    at = place_of_run(study, **asdict(chosen))
    folder = output or Path(f"run-{at['realization']}-{at['intensity']}")
    replaced = (folder / "history.nc").exists()
    check_folder(folder)
    found = repeat_run(study, at["realization"], at["intensity"], at["outer"], stored)
    animation.check(found.run)
    recording = sensor.readings(found.run, study.seed, at["realization"])
    sources = {"title": study.title, "seed": study.seed}
    paths = save_run(found.run, folder, found.title + found.measure, found.motion, sources)
    paths += animation.save(found)
    paths += sensor.save(recording)
    # after the files, as the reader of the output may leave
    if as_json:
        place = {name: at[name] for name in ("realization", "intensity")}
        own = {name: value if value == value else None for name, (value, _) in found.own.items()}
        of_run = sources | place | {"scale": found.scale, "motion": found.record}
        of_run |= {"drawn": found.drawn, "own": own}
        print(json.dumps(of_run | run_as_json(found.run) | {"files": list(map(str, paths))}))
        return
    print(format_replay(found, folder / "events.csv"))
    if stored is not None:
        print(f"outcome in {source.study_or_store}: {stored_outcome(stored, at, found.run.outcome)}")
    if replaced:
        print(f"files of an earlier run in {folder} are replaced; -o names another folder")
    print(*paths, sep="\n")
