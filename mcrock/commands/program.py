"""The command `mcrock`: one short function per command.

Heavy imports happen inside the functions, so that `--help` and completion are instant. A mistake in
the input ends with exit code 2 and one line per mistake on the error stream, a failed run with 1.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from mcrock import interrupt
from mcrock.commands import bench, docs, laws, records, spectrum
from mcrock.text.result import result_as_json, summary

if TYPE_CHECKING:
    import xarray as xr
    from distributed import Client

    from mcrock.config import Study
    from mcrock.ensemble import Plan

CONNECT_SECONDS = 30.0  # to wait for a dask scheduler [s]


class Commands(TyperGroup):
    """The commands, of which any may be interrupted; Typer would say nothing then."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """Parse the command line."""
        with _one_line_if_interrupted():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        with _one_line_if_interrupted():
            return super().invoke(ctx)


@contextmanager
def _one_line_if_interrupted() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt as interruption:
        _fail("interrupted", _code(interruption))


app = typer.Typer(
    name="mcrock",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.add_typer(spectrum.app, name="spectrum")
app.add_typer(records.app, name="records")
app.add_typer(laws.app, name="laws")
app.add_typer(bench.app)
app.add_typer(docs.app)

Config = Annotated[Path, typer.Argument(metavar="CONFIG", help="Study file in TOML.", show_default=False)]
Store = Annotated[Path, typer.Argument(metavar="STORE", help="Result of `mcrock run`.", show_default=False)]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Override a key of the study file; repeatable."),
]
Seed = Annotated[int | None, typer.Option(help="Override the seed of the study file.")]
Measure = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Intensity of a cloud study in place of its own: of intensity.variables, as pgv or sa_0p5s.",
    ),
]
Incomplete = Annotated[bool, typer.Option("--allow-incomplete", help="Accept a store with missing runs.")]


def main() -> None:
    """Run the command line and end the process with its exit code."""
    warnings.showwarning = _show_warning
    if hasattr(signal, "pthread_sigmask"):  # a late Ctrl-C changes neither exit code nor output
        atexit.register(signal.pthread_sigmask, signal.SIG_BLOCK, [signal.SIGINT])
    try:
        with _one_line_if_interrupted():
            try:
                app()
            finally:
                sys.stdout.flush()
    except ValueError as error:
        _fail(str(error), 2)
    except BrokenPipeError:  # the reader of the output has what it wanted
        _drop_output()
        sys.exit(1)
    except OSError as error:
        if error.errno is not None:  # of the system, perhaps when the output was written
            _drop_output()
        place = f": {error.filename}" if error.filename else ""
        _fail(f"{error.strerror or error}{place}", 1)
    except MemoryError:
        _fail("out of memory; use fewer --workers or a smaller --part-size", 1)


def _fail(message: str, code: int) -> NoReturn:
    for line in message.splitlines():
        print(f"mcrock: {line}", file=sys.stderr)
    sys.exit(code)


def _drop_output() -> None:
    """Let the output that could not be written go, so that the end of the process does not try again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_warning(message: Warning | str, category: type[Warning], *args: Any, **kwargs: Any) -> None:
    print(f"mcrock: warning: {message}", file=sys.stderr)


def _show_version(wanted: bool) -> None:
    if wanted:
        import mcrock

        print(f"mcrock {mcrock.__version__}")
        raise typer.Exit


@app.callback()
def mcrock(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """How likely is it that a free-standing object overturns, and how sure are we?"""


def _load(config: Path, overrides: list[str] | None, seed: int | None) -> Study:
    from mcrock.config import load_config

    return load_config(config, [*(overrides or []), *([] if seed is None else [f"seed={seed}"])])


@app.command()
def check(config: Config, set: Set = None, seed: Seed = None) -> None:
    """Check a study file and say what it asks for and how long it will take."""
    study = _load(config, set, seed)
    from dask.system import CPU_COUNT

    from mcrock.ensemble import estimate_time
    from mcrock.sampling import check_inputs, load_motions
    from mcrock.text.describe import describe
    from mcrock.text.terminal import word_about, word_time

    motions = load_motions(study)
    print(describe(study, motions))
    check_inputs(study, motions)
    seconds, n_timed = estimate_time(study, motions)
    total = seconds * study.n_realizations * study.n_intensity
    print(
        f"{word_about(total / CPU_COUNT)} on the {CPU_COUNT} cores of this machine, "
        f"{word_time(total)} on one ({seconds * 1e3:.3g} ms per run, mean of {n_timed} runs over the study)"
    )


@app.command()
def run(
    config: Config,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="STORE", help="Folder of the result.")],
    workers: Annotated[int | None, typer.Option(help="Threads or processes; default: all cores.")] = None,
    part_size: Annotated[int | None, typer.Option(help="Realizations computed together.")] = None,
    seed: Seed = None,
    set: Set = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a store of mcrock.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the store that is there.")] = False,
    task: Annotated[str, typer.Option(metavar="I/N", help="Share of an array job, as in 3/8.")] = "1/1",
    processes: Annotated[bool, typer.Option("--processes", help="Processes in place of threads.")] = False,
    address: Annotated[
        str | None, typer.Option(help="Dask scheduler, as tcp://host:8786 or its scheduler file (.json).")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be run, and stop.")] = False,
) -> None:
    """Run a study into a store and print its probabilities and fragility."""
    share = _parse_task(task)
    study = _load(config, set, seed)
    from mcrock.dataset import explained
    from mcrock.dataset.store import chunks_done
    from mcrock.ensemble import EnsembleError, plan_study, run_study

    if dry_run:
        plan = plan_study(
            study,
            output,
            workers=workers,
            part_size=part_size,
            overwrite=overwrite,
            resume=resume,
            task=share,
            processes=processes,
        )
        _describe_run(study, output, plan, task)
        return

    from mcrock.text.terminal import show_progress

    interrupt.listen(signal.SIGTERM)
    client = _connect(address) if address else None
    old = os.stat(output) if overwrite and output.exists() else None
    try:
        with show_progress() as progress:
            ds = run_study(
                study,
                output,
                workers=workers,
                part_size=part_size,
                overwrite=overwrite,
                resume=resume,
                task=share,
                processes=processes,
                client=client,
                progress=progress,
            )
    except EnsembleError as error:
        _fail(str(error), 1)
    except KeyboardInterrupt as interruption:
        _interrupted(output, _code(interruption), old, has_threads=not (processes or address))
    finally:
        if client is not None:
            client.close()
    done = chunks_done(output)
    if not done.all():
        print(f"task {task} has ended; {done.sum()} of {len(done)} chunks of {output} are done")
        return
    with explained(output):
        print(summary(ds, allow_missing=False))
    print(output)


def _parse_task(text: str) -> tuple[int, int]:
    try:
        i, n = (int(number) for number in text.split("/"))
    except ValueError:
        raise ValueError(f"--task must be i/n, as in 3/8, got {text!r}") from None
    return i, n


def _describe_run(study: Study, output: Path, plan: Plan, task: str) -> None:
    from mcrock.sampling import load_motions
    from mcrock.text.describe import describe

    print(describe(study, load_motions(study)))
    print(f"{plan.chunks} chunks of up to {plan.chunk_length} realizations in {output}")
    share = "" if plan.share == plan.chunks else f" of task {task}"
    print(f"{plan.left} of the {plan.share} chunks{share} would be computed")


def _connect(address: str) -> Client:
    from distributed import Client

    is_file = address.endswith(".json")
    if is_file and not Path(address).is_file():  # the client would wait for it without end
        raise ValueError(f"no dask scheduler answers at {address}: no such file")
    try:
        if is_file:
            return Client(scheduler_file=address, timeout=CONNECT_SECONDS)
        return Client(address, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise ValueError(f"no dask scheduler answers at {address}: {error}") from None


def _code(interruption: KeyboardInterrupt) -> int:
    """Exit code of an interruption, which has arrived."""
    interrupt.answered()
    return 143 if isinstance(interruption, interrupt.Terminated) else 130


def _interrupted(output: Path, code: int, old: os.stat_result | None, has_threads: bool) -> NoReturn:
    """End at once: threads at work are not waited for, which the store survives by design.

    `old` is the folder that was to be replaced.
    """
    from mcrock.dataset.store import chunks_done, is_store, leftovers

    message = "mcrock: interrupted before a run was stored"
    if old and output.exists() and os.path.samestat(old, os.stat(output)):
        message = f"mcrock: interrupted before anything was computed; {output} is as it was"
    elif is_store(output):
        done = chunks_done(output)
        message = (
            f"mcrock: interrupted; {done.sum()} of {len(done)} chunks of {output} are done, the same command "
            f"with --resume {'in place of --overwrite ' if old else ''}computes the others"
        )
        if left := leftovers(output):
            message += f" and deletes what is left of the old store in {', '.join(map(str, left))}"
    print(message, file=sys.stderr, flush=True)
    if has_threads:
        os._exit(code)
    sys.exit(code)


@app.command()
def simulate(
    config: Config,
    realization: Annotated[int, typer.Option(metavar="I", help="Realization of the study, from 0.")] = 0,
    intensity: Annotated[
        int | None, typer.Option(metavar="J", help="Intensity of the study, from 0; default: the last.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Folder for history.nc, events.csv and history.png; default: run-I-J. Replaces these files.",
        ),
    ] = None,
    animate: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Animation: .gif, .html (for a browser) or .mp4.")
    ] = None,
    fps: Annotated[float | None, typer.Option(help="Frames per second of the animation.")] = None,
    speed: Annotated[float | None, typer.Option(help="0.25 is slow motion; default: real time.")] = None,
    span: Annotated[
        tuple[float, float] | None, typer.Option(metavar="BEGIN END", help="Times to animate, in seconds.")
    ] = None,
    set: Set = None,
    seed: Seed = None,
) -> None:
    """Replay one run of a study: its results, events, history, figure, and an animation if wanted."""
    if animate is not None:
        from mcrock.plots.animation import check_animation

        check_animation(animate, fps=fps, speed=speed, span=span)
    elif (fps, speed, span) != (None, None, None):
        raise ValueError("--fps, --speed and --span are of an animation: name its file with --animate FILE")
    study = _load(config, set, seed)
    import matplotlib

    matplotlib.use("Agg")
    from mcrock.dataset import check_folder
    from mcrock.excitation import pack_motions
    from mcrock.plots.animation import check_animation, save_animation
    from mcrock.plots.history import ground_moves
    from mcrock.plots.run_files import save_run
    from mcrock.sampling import draw_inputs, load_motions
    from mcrock.simulation import simulate_realization
    from mcrock.text.terminal import count_frames, label_intensities, word_run

    intensity = study.n_intensity - 1 if intensity is None else intensity
    for name, value, size in (
        ("--realization", realization, study.n_realizations),
        ("--intensity", intensity, study.n_intensity),
    ):
        if not 0 <= value < size:
            raise ValueError(f"{name} must be 0 to {size - 1} in this study, got {value}")
    folder = output or Path(f"run-{realization}-{intensity}")
    check_folder(folder)
    motions = load_motions(study)
    inputs = draw_inputs(study, motions, realization, realization + 1)
    motions = list(inputs.motions) or motions
    body, replay = simulate_realization(inputs, 0, intensity, pack_motions(motions), study.controls)
    if animate is not None:
        check_animation(animate, fps=fps, speed=speed, span=span, run=replay)
    factor = inputs.scale[0, intensity]
    motion = motions[inputs.record[0]].scaled(factor).rotated(inputs.azimuth[0])
    value = inputs.values["intensity_value"][0] if study.is_cloud else study.intensity.si_levels[intensity]
    level = label_intensities([value], study.intensity.units)[0]
    place, measure = f"realization {realization} at {level}", f", {study.intensity.long_name}"
    source = f"{motion.name}, scaled by {factor:.4g}"
    if study.motion.source == "none":
        place, measure, source = f"realization {realization}", "", motion.name
    title = f"{motion.name}, {place}"
    motion = motion if ground_moves(motion) else None
    sources = {"title": study.title, "seed": study.seed}
    paths = save_run(replay, folder, title + measure, motion, sources)
    if animate is not None:
        with count_frames() as progress:
            options = {"fps": fps, "speed": speed, "span": span, "progress": progress}
            paths.append(save_animation(replay, body, animate, motion=motion, title=title, **options))
    # after the files, as the reader of the output may leave
    print(f"{place}: {source}")
    print(word_run(replay, folder / "events.csv"))
    for path in paths:
        print(path)


@app.command()
def verify(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE.json ...]", help="Case files; default: those shipped."),
    ] = None,
    failures: Annotated[bool, typer.Option("--failures", help="List failed checks only.")] = False,
) -> None:
    """Recompute cases with known results on this machine."""
    from mcrock.text.terminal import print_checks
    from mcrock.verification import CASES, run_file

    missing = [str(path) for path in files or [] if not path.is_file()]
    if missing:
        raise ValueError("\n".join(f"{path}: no such file" for path in missing))
    checks = (check for path in files or CASES for check in run_file(path))
    if not print_checks(checks, failures):
        sys.exit(1)


@app.command()
def stats(
    store: Store,
    level: Annotated[float, typer.Option(help="Coverage of the intervals.")] = 0.95,
    measure: Measure = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    allow_incomplete: Incomplete = False,
) -> None:
    """Print probabilities of overturning with intervals and the fragility parameters."""
    from mcrock.dataset import explained, load_dataset
    from mcrock.statistics import by_measure

    ds = load_dataset(store, allow_incomplete=allow_incomplete)
    with explained(store):
        ds = ds if measure is None else by_measure(ds, measure)
        if as_json:
            print(json.dumps(result_as_json(ds, level, allow_incomplete), allow_nan=False))
            return
        print("\n".join([*_word_missing(ds), summary(ds, level, allow_incomplete)]))


def _word_missing(ds: xr.Dataset) -> list[str]:
    """How much of a study is there, as a line; none if it is all there."""
    done = ds["chunk_done"].values == 1 if "chunk_done" in ds else None
    if done is None or done.all():
        return []
    return [f"incomplete: {done.sum()} of {done.size} chunks"]


@app.command()
def plot(
    store: Store,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Folder of the figures.")],
    format: Annotated[str, typer.Option(help="png, pdf or svg.")] = "png",
    measure: Measure = None,
    allow_incomplete: Incomplete = False,
) -> None:
    """Draw the figures of a result."""
    spectrum.check_figure(output, format)
    import matplotlib

    matplotlib.use("Agg")
    from mcrock.dataset import explained, load_dataset
    from mcrock.plots import save_all
    from mcrock.statistics import by_measure

    ds = load_dataset(store, allow_incomplete=allow_incomplete)
    with explained(store):
        ds = ds if measure is None else by_measure(ds, measure)
        for line in _word_missing(ds):
            print(line)
        paths = save_all(ds, output, format, allow_missing=allow_incomplete)
    for path in paths:
        print(path)


@app.command()
def export(
    store: Store,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.nc", help="NetCDF file.")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a NetCDF file.")] = False,
    allow_incomplete: Incomplete = False,
) -> None:
    """Write a result to one NetCDF file."""
    from mcrock.dataset import explained, load_dataset, save_dataset

    ds = load_dataset(store, allow_incomplete=allow_incomplete, chunks={})
    with explained(store):
        save_dataset(ds, output, overwrite=overwrite)
    print(output)
