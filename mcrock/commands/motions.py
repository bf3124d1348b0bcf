"""Commands on one motion: `simulate`, and `spectrum overturning` and `spectrum rocking` of planar blocks."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import isfinite, pi, radians
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mcrock.base.checks import Number
from mcrock.base.units import plain_number
from mcrock.commands import options
from mcrock.commands.options import FigureOptions, StudyOptions, unpacked, whole_numbers

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

    from mcrock.excitation import Motion, Pulse
    from mcrock.measurement import Recording
    from mcrock.planar.simulation import Array
    from mcrock.show.animation.scene import PlaybackKeywords
    from mcrock.show.run import Replay
    from mcrock.simulation.runs import Run
    from mcrock.study import Study


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
    overwrite: options.Overwrite = False,
    as_json: options.AsJson = False,
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


LONGEST_LIST = 10_000  # numbers
SAMPLES = 1000  # of a period of a pulse that has to be sampled: limits are then right to 1e-5


@dataclass(frozen=True, kw_only=True)
class MotionOptions:
    """Ground motions of a spectrum: a pulse, records of FEMA P695, or record files."""

    pulse: Annotated[
        str | None,
        typer.Option(
            metavar="SHAPE",
            help="Shape of the pulse: one-sine, one-cosine, half-sine, rectangle, ricker-symmetric, "
            "ricker-antisymmetric or mavroeidis-papageorgiou.",
        ),
    ] = None
    pulse_period: Annotated[
        float | None, typer.Option(help="Period 2 pi/omega_p of the pulse, in seconds.")
    ] = None
    pulse_cycles: Annotated[
        float | None, typer.Option(help="Number of cycles gamma of mavroeidis-papageorgiou; default: 2.")
    ] = None
    pulse_phase_deg: Annotated[
        float | None, typer.Option(help="Phase nu of mavroeidis-papageorgiou, in degrees; default: 0.")
    ] = None
    fema: Annotated[
        str | None, typer.Option(help="FEMA P695 set: farfield, nearfield_pulse or nearfield_no_pulse.")
    ] = None
    records: Annotated[
        str | None, typer.Option(metavar="LIST", help="Records of the FEMA P695 set, as in 1,2,14.")
    ] = None
    files: Annotated[
        list[Path] | None,
        typer.Option(
            "--record",
            "--csv",
            metavar="PATH",
            help="Record file of any format of `mcrock records check`, or folder of them; repeatable.",
        ),
    ] = None
    unit: options.RecordUnit = None
    dt: options.TimeStep = None
    component: Annotated[
        str | None,
        typer.Option(help="Components of records: x, y or both, each a motion of its own; default: both."),
    ] = None

    @property
    def period(self) -> float:
        """Period of the pulse [s], 1 s if it is not given: a spectrum over omega_p/p does not depend on it.

        Raises
        ------
        ValueError
            If a given one is not finite and positive.
        """
        if self.pulse_period is None:
            return 1.0
        return Number("s", above=0.0).check("--pulse-period", self.pulse_period)


@dataclass(frozen=True, kw_only=True)
class OutputOptions(FigureOptions):
    """Files of a spectrum and its figure."""

    output: options.OutputFolder = Path("spectrum")
    overwrite: options.Overwrite = False


def parse_numbers(text: str, name: str) -> Array:
    """Numbers of an option: a list as in ``1,2,5`` or evenly spaced ones as in ``FIRST:LAST:COUNT``.

    Raises
    ------
    ValueError
        If the text is neither, naming the option.

    >>> parse_numbers("1,2.5", "--periods").tolist(), parse_numbers("1:2:5", "--periods").tolist()
    ([1.0, 2.5], [1.0, 1.25, 1.5, 1.75, 2.0])
    """
    import numpy as np

    try:
        if ":" not in text:
            return np.array([plain_number(number) for number in text.split(",")])
        first, last, count = text.split(":")
        if 2 <= int(count) <= LONGEST_LIST:
            return np.linspace(plain_number(first), plain_number(last), int(count))
    except ValueError:
        pass
    raise ValueError(
        f"{name} must be numbers as in 1,2,5 or FIRST:LAST:COUNT as in 0.5:8:76 (COUNT 2 to {LONGEST_LIST}), "
        f"got {text!r}"
    )


def read_motions(
    source: MotionOptions, peak_g: float | None = None, scale: float | None = None
) -> list[Motion | Pulse]:
    """Motions that options name, each along x.

    Parameters
    ----------
    source : MotionOptions
    peak_g : float, optional
        Peak acceleration of a pulse [g], 1 g by default.
    scale : float, optional
        Factor on records [1], not 0; 1 by default.

    Raises
    ------
    ValueError
        If not exactly one source is named or an option does not go with it.
    """
    from mcrock.excitation import fema_p695

    pulse, fema, files = source.pulse, source.fema, source.files
    if sum((pulse is not None, fema is not None, bool(files))) != 1:
        raise ValueError("name one source of ground motion: --pulse, --fema or --record")
    recorded, wavelet = "--fema or --record", "--pulse mavroeidis-papageorgiou"
    for name, value, partner, wanted in (
        ("--peak-g", peak_g, "--pulse", pulse),
        ("--pulse-cycles", source.pulse_cycles, wavelet, wavelet.endswith(f" {pulse}")),
        ("--pulse-phase-deg", source.pulse_phase_deg, wavelet, wavelet.endswith(f" {pulse}")),
        ("--records", source.records, "--fema", fema),
        ("--unit", source.unit, "--record", files),
        ("--dt", source.dt, "--record", files),
        ("--component", source.component, recorded, fema or files),
        ("--scale", scale, recorded, fema or files),
    ):
        if value is not None and not wanted:
            raise ValueError(f"{name} goes with {partner}")
    if pulse is not None:
        return [_make_pulse(source, 1.0 if peak_g is None else peak_g)]
    component, scale = source.component or "both", 1.0 if scale is None else scale
    if component not in ("x", "y", "both"):
        raise ValueError(f"--component must be x, y or both, got {component!r}")
    if not isfinite(scale) or scale == 0.0:
        raise ValueError(f"--scale must be finite and not 0, got {scale!r}")
    if fema is not None:
        motions = fema_p695(
            fema, None if source.records is None else whole_numbers(source.records, "--records")
        )
    else:
        motions = _read_files(files or [], source.unit, source.dt)
    return [part.scaled(scale) for motion in motions for part in _components(motion, component)]


def _read_files(paths: Sequence[Path], unit: str | None, dt: float | None) -> list[Motion]:
    """Records of files and folders, each of which may be named once."""
    from mcrock.excitation.readers import read_records

    seen: set[Path] = set()
    for path in paths:
        if path.resolve() in seen:
            raise ValueError(f"--record {path} is given twice; each file can be used once")
        seen.add(path.resolve())
    return [motion for path in paths for motion in read_records(path, unit=unit, dt=dt)]


def _make_pulse(source: MotionOptions, peak_g: float) -> Motion | Pulse:
    from mcrock.base.params import STANDARD_GRAVITY
    from mcrock.excitation import Pulse
    from mcrock.excitation.pulses import SHAPES, make_pulse, sample_pulse

    if source.pulse not in SHAPES:
        raise ValueError(f"--pulse must be one of {', '.join(SHAPES)}, got {source.pulse!r}")
    period, peak = source.period, Number("g", above=0.0).check("--peak-g", peak_g) * STANDARD_GRAVITY
    more = {}
    if source.pulse_cycles is not None:
        more["cycles"] = source.pulse_cycles
    if source.pulse_phase_deg is not None:
        more["phase"] = radians(source.pulse_phase_deg)
    pulse = make_pulse(source.pulse, period=period, peak=peak, **more)
    return pulse if isinstance(pulse, Pulse) else sample_pulse(pulse, dt=period / SAMPLES)


def _components(motion: Motion, component: str) -> list[Motion]:
    """The wanted horizontal components that shake at all, each along x with the vertical one as it is."""
    import numpy as np

    from mcrock.excitation import Motion, MotionError

    found = []
    for row, name in enumerate("xy"):
        if component in (name, "both") and motion.shaken[row]:
            along = np.stack([motion.acceleration[row], 0 * motion.acceleration[row], motion.acceleration[2]])
            found.append(Motion(along, motion.dt, f"{motion.name}, {name}", motion.group, motion.metadata))
    if not found:
        which = "horizontal acceleration" if component == "both" else f"acceleration along {component}"
        raise MotionError(f"motion '{motion.name}' has no {which}")
    return found


spectrum_app = typer.Typer(
    name="spectrum",
    no_args_is_help=True,
    help="Spectra of planar blocks of every size: largest tilts, overturning limits.",
)
Slenderness = Annotated[
    str,
    typer.Option(
        metavar="LIST",
        help="Slenderness in degrees, atan(width/height) of a rectangle, as in 10,15,20.",
        show_default=False,
    ),
]
Restitution = Annotated[
    str,
    typer.Option(
        metavar="RULE",
        help="Velocity ratio r, or housner_1963, ther_kollar_2017, kalliontzis_2016:nu=NU, "
        "brogliato_2012:e_n21=E, chatzis_2017:lambda=LAMBDA, wittich_hutchinson_2018:points=X1,X2,...",
    ),
]
Periods = Annotated[
    str | None, typer.Option(metavar="LIST", help="Sizes 2 pi/p in seconds: 1,2,4 or FIRST:LAST:COUNT.")
]


@spectrum_app.command()
@unpacked
def overturning(
    *,
    slenderness_deg: Slenderness,
    source: MotionOptions,
    restitution: Restitution = "housner_1963",
    frequency_ratios: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Frequency ratios omega_p/p; default for pulses: 0.5:10:96."),
    ] = None,
    periods: Periods = None,
    max_amplitude: Annotated[
        float, typer.Option(help="Largest amplitude of the scan, a_p/(g tan slenderness).")
    ] = 15.0,
    scan: Annotated[
        int | None,
        typer.Option(
            help="Amplitudes scanned at each size, rounded up to 2^k + 1; default: 4097 for sines, cosines "
            "and the rectangle, else 1025."
        ),
    ] = None,
    place: OutputOptions,
) -> None:
    """Bands of amplitude in which blocks overturn, by their size.

    The size is omega_p/p for pulses, and for records with --pulse-period, else 2 pi/p in seconds.
    Two cores take about 25 s for 100 sizes under records, 5 s under a sine.
    """
    stem = _check_output(place, "overturning_spectrum")
    from mcrock.excitation import Motion  # Ricker and Mavroeidis-Papageorgiou pulses are sampled too
    from mcrock.planar import overturning_spectrum
    from mcrock.show.spectrum import describe_scan, overturning_table, plot_overturning_spectrum
    from mcrock.show.text import format_table

    ratios, sizes = _axis(source, frequency_ratios, periods)
    motions = read_motions(source)
    angles = _in_radians(slenderness_deg)
    if sys.stderr.isatty():
        columns = len(motions) * len(angles) * sum(len(x) for x in (ratios, sizes) if x is not None)
        print(f"scanning {columns} columns, one for each motion, slenderness and size", file=sys.stderr)
    ds = overturning_spectrum(
        motions,
        angles,
        ratios,
        periods=sizes,
        angular_frequency=2 * pi / source.period if source.pulse or sizes is None else None,
        r=restitution,
        largest_amplitude=max_amplitude,
        scan=scan,
        tolerance=1e-4 if any(isinstance(motion, Motion) for motion in motions) else 1e-6,
    )
    _write(ds, plot_overturning_spectrum, stem, place)
    print("Overturns at a_p/(g tan slenderness), with the impacts before it in brackets")
    print(format_table(*overturning_table(ds)))
    print(describe_scan(ds))
    if ds["half_scan_limits"].sum() < ds["limits"].sum():
        print(
            "mcrock: warning: bands and islands thinner than the step of the scan, "
            f"{100 * ds.attrs['scan_step']:.2g} %, may be missing; a larger --scan finds more",
            file=sys.stderr,
        )
    _print_paths(stem, place)


@spectrum_app.command()
@unpacked
def rocking(
    *,
    slenderness_deg: Slenderness,
    source: MotionOptions,
    peak_g: Annotated[float | None, typer.Option(help="Peak acceleration of the pulse, in g.")] = None,
    scale: Annotated[float | None, typer.Option(help="Factor on records; default: 1.")] = None,
    restitution: Restitution = "housner_1963",
    periods: Periods = "0.5:8:151",
    place: OutputOptions,
) -> None:
    """Largest tilt of blocks over their slenderness, by their size 2 pi/p, and which overturn.

    A pulse needs --peak-g and --pulse-period; records keep their amplitude, or take --scale.
    """
    stem = _check_output(place, "rocking_spectrum")
    from mcrock.planar import rocking_spectrum
    from mcrock.show.spectrum import plot_rocking_spectrum, rocking_table
    from mcrock.show.text import format_table

    if source.pulse and (peak_g is None or source.pulse_period is None):
        raise ValueError("a rocking spectrum of a pulse needs --peak-g and --pulse-period")
    if source.pulse_period is not None and not source.pulse:
        raise ValueError("--pulse-period goes with --pulse")
    motions = read_motions(source, peak_g, scale)
    ds = rocking_spectrum(
        motions,
        _in_radians(slenderness_deg),
        parse_numbers(str(periods), "--periods"),
        r=restitution,
        angular_frequency=2 * pi / source.period if source.pulse else None,
    )
    if not source.pulse:
        ds.attrs["scale"] = 1.0 if scale is None else scale
    _write(ds, plot_rocking_spectrum, stem, place)
    print(f"Largest tilt over the slenderness{', median of the motions' if len(motions) > 1 else ''}")
    print(format_table(*rocking_table(ds)))
    _print_paths(stem, place)


def _axis(
    source: MotionOptions, frequency_ratios: str | None, periods: str | None
) -> tuple[Array, None] | tuple[None, Array]:
    """Frequency ratios or periods of the blocks of an overturning spectrum."""
    if frequency_ratios is not None and periods is not None:
        raise ValueError("give either --frequency-ratios or --periods")
    if periods is not None:
        if source.pulse and source.pulse_period is None:
            raise ValueError(
                "--periods need the --pulse-period of a --pulse, in seconds; over --frequency-ratios the "
                "limits do not depend on it"
            )
        if source.pulse_period is not None and not source.pulse:
            raise ValueError("--pulse-period of records goes with --frequency-ratios, not with --periods")
    elif source.pulse or source.pulse_period is not None:
        return parse_numbers(frequency_ratios or "0.5:10:96", "--frequency-ratios"), None
    elif frequency_ratios:
        raise ValueError("--frequency-ratios of records need --pulse-period; or give --periods")
    return None, parse_numbers("1:8:36" if periods is None else periods, "--periods")


def _check_output(place: OutputOptions, name: str) -> Path:
    """Path of dataset and figure without their endings; refused where they cannot be written."""
    for path in (place.output / f"{name}.nc", place.output / f"{name}.{place.format}"):
        if not os.path.lexists(path):
            continue
        if not place.overwrite:
            raise ValueError(f"{path} exists already; replace it with --overwrite or choose another output")
        if path.is_symlink() or not path.is_file():
            raise ValueError(f"{path} exists and is not a file; choose another output")
    return place.output / name


def _in_radians(slenderness_deg: str) -> list[float]:
    from mcrock.show.spectrum import PANELS

    angles = parse_numbers(slenderness_deg, "--slenderness-deg").tolist()
    for angle in angles:
        if not 0 < angle < 90:
            raise ValueError(f"--slenderness-deg must be between 0 and 90 deg, got {angle:g}")
    if len(angles) > PANELS:
        raise ValueError(f"--slenderness-deg takes at most {PANELS} numbers, got {len(angles)}")
    return [radians(angle) for angle in angles]


def _write(ds: xr.Dataset, plot: Callable[[xr.Dataset], Axes], stem: Path, place: OutputOptions) -> None:
    """Write the dataset of a spectrum and its figure, or neither."""
    from mcrock.dataset import replacing, save_dataset
    from mcrock.plots import save_figure

    ax = plot(ds)
    stem.parent.mkdir(parents=True, exist_ok=True)
    with replacing(stem.with_suffix(f".{place.format}")) as scratch:
        save_figure(ax, scratch)
        save_dataset(ds, stem.with_suffix(".nc"), overwrite=place.overwrite)


def _print_paths(stem: Path, place: OutputOptions) -> None:
    for ending in ("nc", place.format):
        print(stem.with_suffix(f".{ending}"))
