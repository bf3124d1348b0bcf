"""Commands on studies: `new`, `check`, `run`, `status`, `submit`, `merge` and `warm`.

Questions in the terminal, or answers in a file or options, make a study file; its runs are described,
computed here or on a cluster, and watched.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, make_dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from mcrock.base import environment
from mcrock.commands import options
from mcrock.study.questions import QUESTIONS, SETS, Option, Question, as_typed, asked

if TYPE_CHECKING:
    import xarray as xr
    from distributed import Client
    from rich.console import Console

    from mcrock.study import Study
    from mcrock.study.collection import Collection


@options.unpacked
def check(*, config: options.Config, changes: options.StudyOptions, aim: options.ForOptions) -> None:
    """Check a study file and estimate the time of its run.

    Lists body, motions, intensities and uncertain inputs, with notes on suspicious settings; of a collection
    the objects of its table.
    """
    from mcrock.study.collection import is_collection

    if is_collection(config):
        collection = changes.load_collection(config)
        print_collection(collection, aim.of(collection.items[0].study))
    else:
        study = changes.load(config)
        print_check(study, aim.of(study))


TIMED = 6  # objects of a collection whose runs are timed


def print_collection(collection: Collection, asked: Mapping[str, Any] = {}) -> None:
    """Print the objects of a collection, and how long they take."""
    from dask.system import CPU_COUNT

    from mcrock.ensemble import estimate_time
    from mcrock.ensemble.collection import settle_collection
    from mcrock.ensemble.pilot import first_size
    from mcrock.show.collection import describe_collection
    from mcrock.show.text import as_text, format_estimated_time
    from mcrock.study.sampling import check_inputs, load_motions

    collection = settle_collection(collection, **asked)
    members = collection.members
    motions = load_motions(collection.items[0].study)
    for item in collection.items:
        check_inputs(item.study, motions)
    print(*as_text(describe_collection(collection)), sep="\n")
    some = [*members.values()][:: -(-len(members) // TIMED)]
    seconds = sum(estimate_time(study.of_size(first_size(study)), motions)[0] for study in some) / len(some)
    total = seconds * sum(study.of_size(first_size(study)).n_runs for study in members.values())
    most = seconds * sum(study.n_runs for study in members.values())
    at_most = f", {format_estimated_time(most / CPU_COUNT)} for all that there may be" * (most > total)
    print(
        f"{format_estimated_time(total / CPU_COUNT)} on the {CPU_COUNT} cores of this machine{at_most} "
        f"({seconds * 1e3:.3g} ms per run, by runs of {len(some)} objects)"
    )


def print_check(study: Study, asked: Mapping[str, Any] = {}) -> float:
    """Print what a study asks for, and how long that takes; ``asked`` is of `mcrock.ensemble.settle`.

    Returns
    -------
    float
        Time on the cores of this machine [s].
    """
    from dask.system import CPU_COUNT

    from mcrock.ensemble import estimate_time, settle
    from mcrock.ensemble.part import named_responses
    from mcrock.ensemble.pilot import first_size
    from mcrock.show.describe import describe, describe_recordings
    from mcrock.show.text import format_estimated_time, format_time
    from mcrock.study.sampling import check_inputs, load_motions

    motions = load_motions(study)
    (study,) = settle([study], **asked)
    named_responses(study)
    check_inputs(study, motions)
    print(describe(study, motions))
    if study.motion.shakes:
        print(describe_recordings(study, motions))
    most, study = study.n_runs, study.of_size(first_size(study))
    seconds, n_timed = estimate_time(study, motions)
    total = seconds * study.n_runs
    each = f"{seconds:.3g} s" if seconds >= 1.0 else f"{seconds * 1e3:.3g} ms"
    first = f"the first {study.n_runs} runs: " * (most > study.n_runs)
    print(
        f"{first}{format_estimated_time(total / CPU_COUNT)} on the {CPU_COUNT} cores of this machine, "
        f"{format_time(total)} on one ({each} per run, mean of {n_timed} runs over the study)"
    )
    if first:
        print(f"all {most} runs, if they tell so long: {format_estimated_time(seconds * most / CPU_COUNT)}")
    return total / CPU_COUNT


AnswerOptions: Any = make_dataclass(
    "AnswerOptions",
    [
        (
            question.name,
            Annotated[
                str | None,
                typer.Option(
                    metavar=question.unit or "WORD",
                    help=f"{question.prompt} {', '.join(getattr(question.check, 'choices', ()))}".rstrip(),
                    rich_help_panel=f"Answers: {question.part}",
                    show_default=False,
                ),
            ],
            None,
        )
        for question in QUESTIONS
    ],
    frozen=True,
    kw_only=True,
)


@options.unpacked
def new(
    *,
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="Study file to write.")] = Path(
        "study.toml"
    ),
    answers: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Answers by name in a TOML file; ask nothing.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Take defaults for what is not answered.")] = False,
    collection: Annotated[
        bool,
        typer.Option("--collection", help="Of many objects: write a table for them too, and ask nothing."),
    ] = False,
    overwrite: options.Overwrite = False,
    given: AnswerOptions,
) -> None:
    """Write a study file by questions on the object, its place, the earthquakes.

    Every question has a default and says why it matters. Options answer
    questions ahead, and then only the others are asked.
    """
    from mcrock.base.tables.parsing import parse_toml
    from mcrock.study.load import read_toml, study_of
    from mcrock.study.new import new_study

    known = {name: text for name, text in asdict(given).items() if text is not None}
    asks = sys.stdin.isatty() and sys.stdout.isatty() and not yes and answers is None
    if not (asks or known or yes or answers or collection):
        raise ValueError(
            "no terminal to ask in; answer by --answers FILE or options such as --height 1.4m, or take all "
            "defaults by --yes (`mcrock new --help` lists the questions)"
        )
    if config.exists() and not overwrite:
        raise ValueError(f"{config} exists and is not overwritten; name another file, or add --overwrite")
    if answers is not None:
        known = read_toml(answers, "file of answers") | known
    if collection:
        _write_collection(config, known, overwrite)
        return
    if asks:
        known = _ask(known, config.parent)
    text = new_study(config.parent, **known).text
    if asks:  # what somebody typed is kept, whatever the check says of it
        options.write_text(config, text)
    seconds = print_check(study_of(parse_toml(text), config))
    options.write_text(config, text)
    print(f"wrote {config}")
    store = config.with_suffix(".zarr")
    if asks and not store.exists():
        from rich.prompt import Confirm

        if Confirm.ask(f"Run it now, into {store}?", default=seconds < 60.0):
            run(config=config, output=store)
            return
    print(f"next: mcrock run {config} -o {store}")


def _write_collection(config: Path, known: Mapping[str, Any], overwrite: bool) -> None:
    """Write a study file of many objects and its table, unless that is there."""
    from mcrock.study.collection import TEMPLATE, load_collection
    from mcrock.study.new import new_collection

    table = config.with_suffix(".csv")
    text = new_collection(table.name, **known)
    options.write_text(config, text)
    words = f"kept {table}" if table.exists() else f"wrote {table}"
    if not table.exists():
        options.write_text(table, TEMPLATE)
    print(f"wrote {config}, {words}: put your objects into the table, as in any spreadsheet")
    print_collection(load_collection(config))
    print(f"next: mcrock check {config}; mcrock run {config} -o {config.with_suffix('.zarr')}")


def _ask(known: Mapping[str, Any], folder: Path) -> dict[str, str]:
    """Answers to all questions, of which some are known; those of the object are shown as it grows."""
    from rich.console import Console

    console = Console(highlight=False)
    console.print("Enter takes the default, < goes back, Ctrl-C ends and writes nothing.", style="dim")
    answers: dict[str, str] = {}
    earlier: dict[str, str] = {}  # answers that were gone back over
    part, shown = "", ""
    while question := next((each for each in asked(answers) if each.name not in answers), None):
        if part == "object" != question.part:
            shown = _show(answers, folder, console, shown, drawn=True)
        part, text = question.part, as_typed(known.get(question.name, ""))
        default = earlier.get(question.name) or question.default_after(answers)
        answer = _answer(question, default, text, console)
        if answer is not None:
            answers[question.name] = answer
        typed = [name for name in answers if name not in known]
        while answer is None and typed and typed[-1] in answers:
            name, text = answers.popitem()
            earlier[name] = text
        if part == "object" and question.unit:
            shown = _show(answers, folder, console, shown)
    return answers


def _answer(question: Question, default: str, text: str, console: Console) -> str | None:
    """An answer that is right: the known one, or what somebody types; None for a step back."""
    from rich.markup import escape
    from rich.prompt import Prompt

    from mcrock.excitation.readers.collections import locate

    asks = not text
    while True:
        if asks:
            console.print(f"\n{escape(question.why)}", style="dim")
            if isinstance(question.check, Option) and any(question.check.choices.values()):
                width = max(map(len, question.check.choices))
                for name, words in question.check.choices.items():
                    console.print(f"  {name:<{width}}  {escape(words)}")
            try:
                prompt = escape(f"{question.prompt} [{default}]")
                text = Prompt.ask(prompt, console=console, default=default, show_default=False)
            except EOFError:
                options.fail("the input ended before the last question; nothing is written", 2)
            if text.strip() == "<":
                return None
        try:
            value = question.check.read(text)
            if question.name == "earthquakes" and value in SETS:
                locate(value)  # before the questions that follow
        except ValueError as error:
            options.say(f"{question.name}: {error}")
            asks = True
            continue
        return value if isinstance(question.check, Option) else text


def _show(answers: Mapping[str, str], folder: Path, console: Console, shown: str, drawn: bool = False) -> str:
    """Print the object as far as it is known, if that is news."""
    from mcrock.show.body import describe_object, sketch
    from mcrock.study.new import new_study

    try:
        study = new_study(folder, **answers).study
    except ValueError as error:  # as of a file that is not there; said again at the end
        options.say(str(error))
        return shown
    line = describe_object(study)
    if drawn:
        console.print(f"\n{sketch(study)}\n  {line}", markup=False)
    elif line != shown:
        console.print(f"  {line}", style="cyan", markup=False)
    return line


CONNECT_SECONDS = 30.0  # to wait for a dask scheduler [s]


@dataclass(frozen=True, kw_only=True)
class WritingOptions:
    """What becomes of a store that is there."""

    overwrite: options.Overwrite = False
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


@options.unpacked
def run(
    *,
    config: options.Config,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="STORE", help="Folder for the results.")],
    place: WorkerOptions,
    changes: options.StudyOptions,
    aim: options.ForOptions,
    writing: WritingOptions,
    printed: PrintingOptions,
    contract: options.Contract = False,
) -> None:
    """Run a study and print its overturning probabilities and fragility.

    The results go into the folder STORE; an interrupted run continues with
    --resume. Array jobs and clusters: `mcrock docs large-studies clusters`.
    """
    if contract:
        environment.contract()  # before anything loads the kernel
    from mcrock.ensemble.cluster import load_cluster

    how = asdict(writing) | place.keywords
    if place.address and place.cluster:
        raise ValueError("--address takes a running scheduler, --cluster starts one: give one of them")
    cluster = load_cluster(place.cluster) if place.cluster else None
    from mcrock.show.progress import study_progress
    from mcrock.study.collection import is_collection

    if is_collection(config):
        collection = changes.load_collection(config)
        options.say("\n".join(collection.cautions))
        asked = aim.of(collection.items[0].study)
        if printed.dry_run:
            print_collection(collection, asked)
            return
        with _workers(place.address, cluster, output) as client, study_progress() as progress:
            _run_collection(collection, output, how | asked | {"client": client, "progress": progress})
        return
    study = changes.load(config)
    asked = aim.of(study)
    if printed.dry_run:
        _describe_run(study, output, how, asked)
        return

    old = os.stat(output) if writing.overwrite and output.exists() else None
    from mcrock.ensemble import EnsembleError, run_study

    try:
        with _workers(place.address, cluster, output) as client, study_progress() as progress:
            ds = run_study(study, output, **how, **asked, client=client, progress=progress)
    except EnsembleError as error:
        options.fail(str(error), 1)
    except KeyboardInterrupt as interruption:
        _interrupted(output, options.interruption_code(interruption), old, place.has_threads)
    _print_results(study, output, ds, place.task, printed.whole, asked)


def _run_collection(collection: Collection, output: Path, how: dict[str, Any]) -> None:
    """Run a collection, and print what falls."""
    from mcrock.ensemble import EnsembleError
    from mcrock.ensemble.collection import run_collection
    from mcrock.show.collection import Asked, answer_blocks, find
    from mcrock.show.text import as_text

    try:
        results = run_collection(collection, output, **how)
    except EnsembleError as error:
        options.fail(str(error), 1)
    except KeyboardInterrupt as interruption:
        options.say(f"interrupted; the same command with --resume in place of others goes on in {output}")
        os._exit(options.interruption_code(interruption))
    done, of = results.done
    if done < of:
        print(f"{done} of {of} chunks of {output} are done")
        return
    print(*as_text(answer_blocks(find(results, Asked()))), output, sep="\n")
    print(f"`mcrock collection {output} --hazard FILE` has rates, ranks, losses, figures and a page")


def _print_results(
    study: Study, output: Path, ds: xr.Dataset, task: str, whole: bool, asked: dict[str, Any]
) -> None:
    from mcrock import statistics
    from mcrock.dataset.contents import chunks_done
    from mcrock.show.describe import loss_notes
    from mcrock.show.outcomes import format_limits
    from mcrock.show.summary import format_answer, format_summary, summarize

    done = chunks_done(output)
    if not done.all():
        print(f"task {task} has ended; {done.sum()} of {done.size} chunks of {output} are done")
        return
    summary = summarize(ds, folder=study.folder)
    print(format_summary(summary) if whole else format_answer(summary))
    if asked:
        print(format_limits(statistics.what_limits(ds, **asked)))
    more = [] if whole else [f"`mcrock stats {output}` has all results, with rules of thumb and checks"]
    print(*more, *loss_notes(study), output, sep="\n")


def _describe_run(study: Study, output: Path, how: dict[str, Any], asked: dict[str, Any]) -> None:
    from mcrock.ensemble import plan_study, settle
    from mcrock.ensemble.pilot import first_size
    from mcrock.show.describe import describe
    from mcrock.study.sampling import load_motions

    (study,) = settle([study], **asked, output=output)
    plan, (i, n) = plan_study(study.of_size(first_size(study)), output, **how), how["task"]
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
            options.say(f"dask scheduler at {client.scheduler_info()['address']}, encrypted (TLS)")
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
        options.say(f"dask's dashboard, on the machine of the scheduler: {link}")


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
    options.say(message)
    if has_threads:
        remove_scratch(output, with_own=True)
        os._exit(code)
    sys.exit(code)


def status(
    stores: Annotated[
        list[Path], typer.Argument(metavar="STORE", help="Stores of `mcrock run`.", show_default=False)
    ],
    level: options.Level = 0.95,
    as_json: options.AsJson = False,
) -> None:
    """Print the progress of a study and its probabilities so far.

    Of several stores a line each. Ends with exit code 1 if something in a store is damaged or not its own, 2
    if a path has none.
    """
    from mcrock.dataset import load_dataset
    from mcrock.dataset.contents import chunk_path, read_template, take_inventory
    from mcrock.ensemble.collection import is_collection_folder, state_without_runs
    from mcrock.ensemble.opening import NOT_BEGUN, read_log
    from mcrock.show.progress import format_status
    from mcrock.show.summary import format_probabilities
    from mcrock.statistics import overturning_probability, pooled
    from mcrock.statistics.runs import is_shaken

    without = {store: state for store in stores if (state := state_without_runs(store))}
    refused = "\n".join(f"{store}: {state}" for store, state in without.items() if state != NOT_BEGUN)
    if refused and len(without) == len(stores):
        raise ValueError(refused)
    if as_json or len(stores) > 1:
        _print_standings(stores, without, as_json)
        if refused:
            options.fail(refused, 2)
        return
    (store,) = stores
    if store in without:
        print(f"{store}: {NOT_BEGUN}")
        return
    if is_collection_folder(store):
        from mcrock.ensemble.collection import open_collection

        results = open_collection(store)
        done, of = results.done
        print(f"{done} of {of} chunks of {len(results.rows)} rows of objects are done")
        return
    template = read_template(store)
    found = take_inventory(store, template)
    print("\n".join(format_status(template, found, read_log(store), datetime.now(UTC))))
    for key, what in found.damaged.items():
        print(f"{chunk_path(store, key).relative_to(store)} is {what}")
    if error := found.error(store, template):
        options.fail(str(error), 1)
    if found.done.any():
        ds = pooled(load_dataset(store, allow_incomplete=True))
        probability = overturning_probability(ds, level=level, allow_missing=True)
        print("\n".join(format_probabilities(probability, is_shaken(ds))))


def _print_standings(paths: list[Path], without: Mapping[Path, str], as_json: bool) -> None:
    """A line for each of several stores or collections; what is damaged in them as an error at the end.

    Of those ``without`` runs it is their state alone.
    """
    from mcrock.dataset import is_store
    from mcrock.dataset.contents import Inventory, read_template, take_inventory
    from mcrock.dataset.schema import DamageError
    from mcrock.ensemble.collection import stores_in
    from mcrock.ensemble.opening import read_log
    from mcrock.show.progress import format_standings, standing_of

    found: dict[str, dict[str, Any]] = {}
    now, errors = datetime.now(UTC), list[DamageError | None]()
    for path in paths:
        if path in without:
            found[str(path)] = {"state": without[path]}
            continue
        try:
            stores = list(filter(is_store, stores_in(path)))
            templates = list(map(read_template, stores))
            chunks = list(map(take_inventory, stores, templates))
            found[str(path)] = standing_of(zip(templates, chunks, map(read_log, stores), strict=True), now)
            errors += map(Inventory.error, chunks, stores, templates)
        except DamageError as error:
            found[str(path)] = {"state": "damaged"}
            errors.append(error)
    if as_json:
        options.print_json({"stores": [{"store": name} | here for name, here in found.items()]})
    else:
        print(format_standings(found))
    if any(errors):
        options.fail("\n".join(map(str, filter(None, errors))), 1)


@dataclass(frozen=True, kw_only=True)
class ArrayOptions:
    """What an array of tasks asks of a batch system."""

    system: Annotated[str, typer.Option(help="Batch system: slurm or pbs.")] = "slurm"
    cores: Annotated[int, typer.Option(min=1, help="Cores of each task.")] = 4
    time: Annotated[str, typer.Option(metavar="HH:MM:SS", help="Wall-time limit of each task.")] = "01:00:00"
    tasks: Annotated[
        int | None, typer.Option(min=1, help="Tasks of the array; default: as many as the time asks for.")
    ] = None
    partition: Annotated[str | None, typer.Option(metavar="NAME", help="Partition or queue.")] = None
    account: Annotated[str | None, typer.Option(metavar="NAME", help="Account that pays.")] = None

    @property
    def place(self) -> dict[str, str]:
        """Partition and account, where they are given."""
        return {key: name for key in ("partition", "account") if (name := getattr(self, key)) is not None}


@options.unpacked
def submit(
    *,
    config: options.Config,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="STORE", help="Folder for the results; default: CONFIG.zarr."),
    ] = None,
    array: ArrayOptions,
    cluster: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Dask in place of an array, on the workers of this file."),
    ] = None,
    changes: options.StudyOptions,
    aim: options.ForOptions,
    contract: options.Contract = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the script, and submit nothing.")] = False,
) -> None:
    """Write the batch script of a study and submit it.

    It states core-hours, memory and disk, estimated from a few runs on this
    machine. The script is STORE.sh; submit it again to continue.
    """
    if contract:
        environment.contract()  # before anything loads the kernel
    from mcrock.base.environment import peak_memory
    from mcrock.ensemble.cluster import (
        SYSTEMS,
        check_replaceable,
        load_cluster,
        measure_all,
        plan_tasks,
        read_duration,
        script_path,
        signed,
        write_script,
    )
    from mcrock.ensemble.collection import fixed_collection
    from mcrock.ensemble.study import fix_size
    from mcrock.show.progress import format_cost, format_plan
    from mcrock.study.collection import is_collection
    from mcrock.study.sampling import load_motions

    system, walltime = array.system, read_duration(array.time)
    if system not in SYSTEMS:
        raise ValueError(f"--system must be one of {', '.join(SYSTEMS)}, got {system!r}")
    if walltime is None:
        raise ValueError(f'--time must be a time as "HH:MM:SS", of at least a minute, got {array.time!r}')
    if cluster:
        load_cluster(cluster)
    if is_collection(config):
        collection = changes.load_collection(config)
        asked = aim.of(collection.items[0].study)
        studies = [*fixed_collection(collection, **asked).members.values()]
    else:
        study = changes.load(config)
        studies = [fix_size(study, **aim.of(study))]
    store = output or Path(config.name).with_suffix(".zarr")
    path = script_path(store)
    if not dry_run:
        check_replaceable(path)
    estimate = measure_all(studies, load_motions(studies[0]))
    least = 2 if system == "pbs" else 1  # an array of one is refused there
    used = (peak_memory() or 0.0) * 2**20
    plan = plan_tasks(estimate, array.cores, walltime, used, array.tasks, least)
    flags = [f"--set={item}" for item in changes.set or []]
    flags += [] if changes.seed is None else [f"--seed={changes.seed}"]
    flags += ["--trust-code"] if changes.trust_code else []
    answer = Path(aim.answer).resolve() if Path(aim.answer).is_file() else aim.answer
    flags += [] if answer == "median" else [f"--for={answer}"]
    flags += ["--contract"] if environment.contracts() else []
    about = format_cost(estimate) + ([] if cluster else format_plan(plan))
    script = write_script(system, config, store, flags, plan, cluster, about, array.place)
    if dry_run:
        print(script, end="")
        return
    options.write_text(path, signed(script))
    print("\n".join([*about, f"{path}: {_submitted(path, SYSTEMS[system])}"]))


def _submitted(path: Path, program: str) -> str:
    """What the program of a batch system says of a script."""
    try:
        done = subprocess.run([program, path.absolute()], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        options.fail(f"{path} is written, but {program} is not on this machine: submit it where it is", 1)
    if done.returncode:
        options.fail(f"{path} is written, but {program} refuses it: {done.stderr.strip()}", 1)
    return done.stdout.strip()


def merge(
    output: Annotated[Path, typer.Argument(metavar="OUT", help="Store to create or complete.")],
    stores: Annotated[list[Path], typer.Argument(metavar="STORE", help="Stores of the same study.")],
) -> None:
    """Put the runs of stores that were computed apart into one store.

    They must be of the same study; every byte is checked.
    """
    from mcrock.dataset.contents import chunks_done
    from mcrock.dataset.create import merge_stores
    from mcrock.ensemble.collection import is_collection_folder, merge_collections

    folders = [store for store in stores if is_collection_folder(store)]
    if folders and len(folders) < len(stores):
        others = ", ".join(str(store) for store in stores if store not in folders)
        raise ValueError(f"a collection merges with collections alone: {folders[0]} is one, and not {others}")
    if folders:
        have, of = merge_collections(output, stores).done
        print(f"{output}: {have} of {of} chunks are done")
        return
    numbers = merge_stores(output, stores)
    for store, number in zip(stores, numbers, strict=True):
        print(f"{store}: {number} chunks")
    done = chunks_done(output)
    print(f"{output}: {done.sum()} of {done.size} chunks are done")


def warm(
    friction: Annotated[
        bool, typer.Option("--friction", help="Also the kernel with friction, three times as long.")
    ] = False,
) -> None:
    """Compile the kernel ahead of its first use.

    Once for each version and kind of processor; it says how long that takes here. NUMBA_CACHE_DIR
    sets another folder.
    """
    from mcrock.base.compiled_code import cache_folder
    from mcrock.show.text import format_time
    from mcrock.verify.warm import WITH_FRICTION, WORK
    from mcrock.verify.warm import warm as warm_up

    names = [name for name in WORK if friction or name != WITH_FRICTION]
    options.say(f"compiling {', '.join(names)}, unless the cache has it")
    for found in warm_up(names):
        time = format_time(found.seconds)
        print(
            f"{found.name}: "
            + (f"compiled in {time}" if found.compiled else f"warm already, loaded in {time}"),
            flush=True,
        )
    print(f"cache: {cache_folder()}")
