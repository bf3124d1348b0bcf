"""The command `mcrock run`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from mcrock.base import environment
from mcrock.commands.exit_codes import fail, interruption_code, say
from mcrock.commands.options import Config, Contract, StudyOptions, unpacked

if TYPE_CHECKING:
    import xarray as xr
    from distributed import Client

    from mcrock.study import Study

CONNECT_SECONDS = 30.0  # to wait for a dask scheduler [s]

app = typer.Typer()


@dataclass(frozen=True, kw_only=True)
class WritingOptions:
    """What becomes of a store that is there."""

    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing store.")] = False
    resume: Annotated[bool, typer.Option("--resume", help="Continue an unfinished store.")] = False
    extend: Annotated[
        bool, typer.Option("--extend", help="Add realizations or intensities to a store; continues it too.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class WorkerOptions:
    """Who computes, and how much at once."""

    workers: Annotated[int | None, typer.Option(help="Threads or processes; default: all cores.")] = None
    part_size: Annotated[int | None, typer.Option(help="Realizations computed together.")] = None
    task: Annotated[str, typer.Option(metavar="I/N", help="Share of an array job, as in 3/8.")] = "1/1"
    processes: Annotated[bool, typer.Option("--processes", help="Use processes instead of threads.")] = False
    address: Annotated[
        str | None, typer.Option(help="Dask scheduler: tcp://host:8786 or a scheduler file (.json).")
    ] = None
    cluster: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Start workers as this file of dask-jobqueue's settings says."),
    ] = None
    device: Annotated[str, typer.Option(help="cpu, or cuda for a GPU: `mcrock docs large-studies`.")] = "cpu"

    @property
    def share(self) -> tuple[int, int]:
        """The task, as `run_study` takes it."""
        try:
            i, n = (int(number) for number in self.task.split("/"))
        except ValueError:
            raise ValueError(f"--task must be i/n, as in 3/8, got {self.task!r}") from None
        return i, n

    @property
    def has_threads(self) -> bool:
        """Whether threads of this process compute."""
        return not (self.processes or self.address or self.cluster)

    @property
    def keywords(self) -> dict[str, Any]:
        """Those of `run_study`, but for the client."""
        named = {name: getattr(self, name) for name in ("workers", "part_size", "processes", "device")}
        return named | {"task": self.share}


@dataclass(frozen=True, kw_only=True)
class PrintingOptions:
    """What is printed."""

    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be run, and stop.")] = False
    whole: Annotated[bool, typer.Option("--all", help="Print all that `mcrock stats` does.")] = False


@app.command()
@unpacked
def run(
    *,
    config: Config,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="STORE", help="Folder for the results.")],
    place: WorkerOptions,
    changes: StudyOptions,
    writing: WritingOptions,
    stop: Annotated[
        float | None,
        typer.Option(metavar="P", help="Stop once every probability, given these motions, is known to +-P."),
    ] = None,
    printed: PrintingOptions,
    contract: Contract = False,
) -> None:
    """Run a study and print its overturning probabilities and fragility.

    The results go into the folder STORE; an interrupted run continues with
    --resume. Array jobs and clusters: `mcrock docs clusters`.
    """
    if contract:
        environment.contract()  # before anything loads the kernel
    from mcrock.ensemble.cluster import load_cluster

    options = asdict(writing) | place.keywords
    if place.address and place.cluster:
        raise ValueError("--address takes a running scheduler, --cluster starts one: give one of them")
    if stop is not None and place.share[1] > 1:
        raise ValueError("--stop looks at the whole study: leave --task out")
    cluster = load_cluster(place.cluster) if place.cluster else None
    study = changes.load(config)
    if printed.dry_run:
        _describe_run(study, output, options)
        return
    from mcrock.show.progress import study_progress

    old = os.stat(output) if writing.overwrite and output.exists() else None
    try:
        with _workers(place.address, cluster, output) as client, study_progress() as progress:
            ds, looks = _computed(study, output, stop, options | {"client": client, "progress": progress})
    except KeyboardInterrupt as interruption:
        _interrupted(output, interruption_code(interruption), old, place.has_threads)
    _print_results(study, output, ds, looks, place.task, printed.whole)


def _computed(
    study: Study, output: Path, stop: float | None, options: dict[str, Any]
) -> tuple[xr.Dataset, xr.Dataset | None]:
    """The result of a study, and the looks at it if it may stop by itself."""
    from mcrock.ensemble import EnsembleError, run_study, run_until

    try:
        if stop is not None:
            return run_until(study, output, stop, **options)
        return run_study(study, output, **options), None
    except EnsembleError as error:
        fail(str(error), 1)


def _print_results(
    study: Study, output: Path, ds: xr.Dataset, looks: xr.Dataset | None, task: str, whole: bool
) -> None:
    from mcrock.dataset.contents import chunks_done
    from mcrock.show.describe import loss_notes
    from mcrock.show.outcomes import format_looks
    from mcrock.show.summary import format_answer, format_summary, summarize

    done = chunks_done(output)
    if not done.all():
        print(f"task {task} has ended; {done.sum()} of {done.size} chunks of {output} are done")
        return
    summary = summarize(ds, folder=study.folder)
    print(format_summary(summary) if whole else format_answer(summary))
    if looks is not None:
        print(format_looks(looks, ds.sizes["realization"]))
    more = [] if whole else [f"`mcrock stats {output}` has outcomes, rules of thumb and checks of the model"]
    print(*more, *loss_notes(study), output, sep="\n")


def _describe_run(study: Study, output: Path, options: dict[str, Any]) -> None:
    from mcrock.ensemble import plan_study
    from mcrock.show.describe import describe
    from mcrock.study.sampling import load_motions

    plan, (i, n) = plan_study(study, output, **options), options["task"]
    print(describe(study, load_motions(study)))
    print(f"{plan.chunks} chunks of up to {plan.chunk_length} realizations in {output}")
    share = "" if plan.share == plan.chunks else f" of task {i}/{n}"
    print(f"{plan.left} of the {plan.share} chunks{share} would be computed")


@contextmanager
def _workers(address: str | None, place: dict[str, Any] | None, output: Path) -> Iterator[Client | None]:
    """The workers of a scheduler or of a file of a cluster; None for those of this process."""
    if place:
        from mcrock.ensemble.cluster import connected

        with connected(place, output.absolute().parent) as client:
            say(f"dask scheduler at {client.scheduler_info()['address']}, encrypted (TLS)")
            _say_dashboard(client)
            yield client
    elif address:
        with _connect(address) as client:
            _say_dashboard(client)
            yield client
    else:
        yield None


def _say_dashboard(client: Client) -> None:
    if link := client.dashboard_link:
        say(f"dask's dashboard, on the machine of the scheduler: {link}")


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


def _interrupted(output: Path, code: int, old: os.stat_result | None, has_threads: bool) -> NoReturn:
    """End at once: threads at work are not waited for, which the store survives by design.

    `old` is the folder that was to be replaced.
    """
    from mcrock.dataset import is_store
    from mcrock.dataset.contents import chunks_done
    from mcrock.dataset.create import leftovers, remove_scratch

    message = "interrupted before a run was stored"
    if old and output.exists() and os.path.samestat(old, os.stat(output)):
        message = f"interrupted before anything was computed; {output} is as it was"
    elif is_store(output):
        done = chunks_done(output)
        message = (
            f"interrupted; {done.sum()} of {done.size} chunks of {output} are done, the same command "
            f"with --resume {'in place of --overwrite ' if old else ''}computes the others"
        )
        if left := leftovers(output):
            message += f" and deletes what is left of the old store in {', '.join(map(str, left))}"
    say(message)
    if has_threads:
        remove_scratch(output, with_own=True)
        os._exit(code)
    sys.exit(code)
