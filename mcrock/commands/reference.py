"""Commands on what comes with the package: `example`, `docs`, `laws list`, `laws show` and `verify`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from mcrock.base.checks import suggest
from mcrock.base.environment import shipped
from mcrock.commands import options

if TYPE_CHECKING:
    from mcrock.dataset.contents import Inventory, Template

NEXT = {
    ".toml": "mcrock check {}",
    ".csv": "mcrock fragility {}",
    ".sh": "edit the lines at its top",
    ".ipynb": "jupyter lab {}",
}


def example(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Example; default: the list.", show_default=False)
    ] = None,
) -> None:
    """List the shipped studies, or copy one here with the files that it names.

    Files that are there already are never overwritten.
    """
    kinds = {"studies": studies(), "outcomes": tables(), "batch scripts": scripts(), "notebooks": notebooks()}
    examples = {path.stem: path for paths in kinds.values() for path in paths}
    if name is None:
        width = max(map(len, examples))
        for heading, paths in kinds.items():
            print(f"{heading}:", *(f"  {path.stem:<{width}}  {about(path)}" for path in paths), sep="\n")
        return
    if name not in examples:
        raise ValueError(
            f"no example {name!r}{suggest(name, examples)}\nthe examples are {', '.join(examples)}"
        )
    path = examples[name]
    if Path(path.name).exists():
        raise ValueError(f"{path.name} exists here and is not overwritten; rename it, or change folder")
    for needed in (path, *needs(path)):
        if Path(needed.name).exists():
            print(f"{needed.name} exists here and is kept")
        else:
            options.write_text(Path(needed.name), copied(needed))
            print(f"wrote {needed.name}")
    print(f"next: {NEXT[path.suffix].format(path.name)}")


def studies() -> list[Path]:
    """Shipped study files."""
    return sorted(shipped("configs").glob("*.toml"))


def tables() -> list[Path]:
    """Shipped tables of outcomes, without those that come with a study."""
    found = shipped("configs").glob("*.csv")
    return sorted(path for path in found if not path.with_suffix(".toml").exists())


def scripts() -> list[Path]:
    """Shipped batch scripts."""
    return sorted(shipped("jobs").glob("*.sh"))


def notebooks() -> list[Path]:
    """Notebooks of the documentation."""
    return sorted(Path(__file__).parents[1].glob("docs/notebooks/*.ipynb"))


def about(path: Path) -> str:
    """One line about an example: the title of a study or notebook, the first comment of others."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        return str(json.loads(text)["cells"][0]["source"][0]).strip("# \n")
    if path.suffix == ".toml":
        return str(tomllib.loads(text)["title"])
    return text.splitlines()[path.suffix == ".sh"].removeprefix("# ").partition(":")[0]


def needs(path: Path) -> list[Path]:
    """Table of tests of a study, or files that a script names in the lines at its top: a study, a cluster."""
    if path.suffix == ".toml":
        return list(path.parent.glob(f"{path.stem}.csv"))
    return [shipped(folder) / name for _, folder, name in named(path.read_text(encoding="utf-8"))]


def named(text: str) -> list[tuple[str, str, str]]:
    """Variables of a script that name shipped files, each with the folder and the file."""
    return re.findall(r"(?m)^([A-Z]+)=(configs|jobs)/(\S+)", text)


def copied(path: Path) -> str:
    """Text of a copy: a script names files of its folder, and the folder where this mcrock is installed."""
    from mcrock.ensemble.cluster import set_lines

    text = path.read_text(encoding="utf-8")
    if path.suffix == ".sh":
        text = set_lines(path.name, {}, {variable: name for variable, _, name in named(text)})
    return text.replace("jobs/", "")


FOLDER = Path(__file__).parents[1] / "docs"
INDEX = "index"  # the page that lists the others


def docs(
    page: Annotated[
        str, typer.Argument(metavar="PAGE", help="Page; default: the list of them.", show_default=False)
    ] = INDEX,
    word: Annotated[
        str | None,
        typer.Argument(metavar="WORD", help="Show the sections about it alone.", show_default=False),
    ] = None,
) -> None:
    """Show a page of the manual, or its sections about a word."""
    pages = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}
    if page not in pages:
        raise ValueError(unknown_page(page, pages))
    text = pages[page] if word is None else sections_about(word, pages[page])
    if not text:
        raise ValueError(f"the page {page!r} does not mention {word!r}; `mcrock docs {page}` shows it all")

    show(text)


def unknown_page(page: str, pages: dict[str, str]) -> str:
    """The message for a page that there is not, with those that mention its name."""
    lines = [f"no page {page!r}{suggest(page, pages)}", f"the pages are {', '.join(sorted(pages))}"]
    found = [name for name, text in sorted(pages.items()) if page.casefold() in text.casefold()]
    return "\n".join(lines + ([f"{page!r} is mentioned in {', '.join(found)}"] if found else []))


def sections_about(word: str, text: str) -> str:
    """The sections of a page whose heading has a word, or else those that mention it, if there are any."""
    sections = sections_of(text)
    by_heading: list[str] = []
    level = 7  # of the heading that has the word, while what belongs to it goes on
    for depth, section in sections:
        if depth <= level:
            level = depth if word.casefold() in section.partition("\n")[0].casefold() else 7
        if level < 7:
            by_heading.append(section)
    return "\n".join(
        by_heading or [section for _, section in sections if word.casefold() in section.casefold()]
    )


def sections_of(text: str) -> list[tuple[int, str]]:
    """A page cut at its headings, with the level of each; signs of headings inside code are none."""
    sections: list[list[str]] = [[]]
    in_code = False
    for line in text.splitlines():
        in_code ^= line.startswith("```")
        if line.startswith("#") and not in_code:
            sections.append([])
        sections[-1].append(line)
    return [
        (len(lines[0]) - len(lines[0].lstrip("#")), "\n".join([*lines, ""])) for lines in sections if lines
    ]


def show(text: str) -> None:
    """Print Markdown: set in a terminal, as it is where something else reads it."""
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        print(text.rstrip())
        return
    from rich.markdown import Markdown
    from rich.theme import Theme

    plain = Theme({"markdown.code": "bold cyan"})  # on the background of the terminal, as all code
    with console.use_theme(plain):
        console.print(Markdown(text, code_theme="ansi_dark"))


laws_app = typer.Typer(name="laws", no_args_is_help=True, help="Impact laws of the literature, and systems.")


@laws_app.command("list")
def list_laws() -> None:
    """List the impact laws, the presets of their parameters with sources, and the example systems."""
    from mcrock.impact.registry import Law
    from mcrock.laws import LAWS, SYSTEMS
    from mcrock.show.describe import preset_lines
    from mcrock.study.impact import PRESETS

    print("laws, as functions of mcrock.laws")
    for name, (home, words) in LAWS.items():
        print(f"  {name:<23}{home:<33}{words}")
    print("\nlaws of rocking, for impact.law of a study file")
    for law in sorted(Law, key=lambda law: bool(law.of_one_contact)):  # those that need friction last
        print(f"  {law.key:<23}{law.words}")
    print("\nsources of these laws")
    for law in Law:
        print(f"  {law.key:<23}{law.source}")
    print("\npresets, for impact.preset of a study file")
    for name, preset in PRESETS.items():
        print(f"  {name:<23}{preset.words}")
        for line in preset_lines(preset):
            print(f"    {line}")
    print("\nsystems, for mcrock laws show NAME")
    for name, (_, words) in SYSTEMS.items():
        print(f"  {name:<23}{words}")


@laws_app.command("show")
def show_law(
    name: Annotated[str, typer.Argument(metavar="NAME", help="See `mcrock laws list`.", show_default=False)],
    output: options.OutputFolder = Path("laws"),
    format: options.FigureFormat = "png",
    set: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Override a parameter of the system; repeatable."),
    ] = None,
) -> None:
    """Compute an example system from the literature.

    Prints what it shows and its results, and saves a figure.
    """
    from mcrock.laws import plot_system, system_example, system_parameters
    from mcrock.laws.systems.system import format_system
    from mcrock.show.text import Composition

    defaults = system_parameters(name)
    given = dict(_parse(text) for text in set or [])
    figures = options.FigureOptions(output=output, format=format)
    ds = system_example(name, **given)
    words = format_system(ds, {key: given.get(key, value) for key, value in defaults.items()})
    options.show(Composition(ds, [words], {name: lambda: plot_system(ds)}), figures)


def _parse(text: str) -> tuple[str, Any]:
    """``key=value`` with the value in TOML or a bare word."""
    from mcrock.base.tables.parsing import parse_toml

    key, equals, value = text.partition("=")
    if not (equals and key.strip()):
        raise ValueError(f"--set must be NAME=VALUE, got {text!r}")
    try:
        return key.strip(), parse_toml(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return key.strip(), value.strip()


CLONE = """--all needs a clone of the repository, as published figures and benchmarks are not installed
in the clone: pip install -e '.[test]' && mcrock verify --all
without it mcrock verify recomputes the cases, and mcrock docs evidence shows the last results"""


class _Wanted(NamedTuple):
    repair: bool
    force: bool
    folder: Path
    only_digest: bool
    trust_code: bool


def verify(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE.json|STORE", help="Case files or stores; default: the cases that come with mcrock."
        ),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option("--all", help="Regenerate all the evidence: `mcrock docs evidence`; needs a clone."),
    ] = False,
    failures: Annotated[bool, typer.Option("--failures", help="List only the failed checks.")] = False,
    digest: Annotated[
        bool,
        typer.Option("--digest", help="Print of a whole store its digest alone, which stands for all of it."),
    ] = False,
    expect: Annotated[str | None, typer.Option(metavar="DIGEST", help="Check the store's digest.")] = None,
    repair: Annotated[
        bool, typer.Option("--repair", help="Recompute what is damaged or missing in a store.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="With --repair, set aside what is whole and not of the store.")
    ] = False,
    folder: Annotated[
        Path, typer.Option(help="Folder of the study file, for --repair of a study with record files.")
    ] = Path(),
    trust_code: options.TrustCode = False,
) -> None:
    """Recompute cases with known results, or check every byte of a store.

    Ends with exit code 1 if a check fails or a store is not whole.
    """
    from mcrock.dataset import is_store
    from mcrock.ensemble.collection import stores_in

    files = [store for path in files or [] for store in stores_in(path)]
    if everything and (files or failures or digest or expect or repair or force):
        raise ValueError("--all goes alone: it runs the evidence of a clone, not that of files")
    if everything:
        root = Path(__file__).parents[2]
        if not (root / "tests" / "evidence.py").exists():
            raise ValueError(CLONE)
        sys.exit(subprocess.run([sys.executable, "-m", "tests.evidence"], cwd=root, check=False).returncode)
    missing = [str(path) for path in files or [] if not path.exists()]
    if missing:
        raise ValueError("\n".join(f"{path}: no such file" for path in missing))
    foreign = [str(path) for path in files or [] if path.is_dir() and not is_store(path)]
    if foreign:
        raise ValueError("\n".join(f"{path} is a folder and not a store of mcrock" for path in foreign))
    stores = [path for path in files or [] if path.is_dir()]
    if expect is not None and not len(files or []) == len(stores) == 1:
        raise ValueError("--expect goes with one store")
    if force and not repair:
        raise ValueError("--force goes with --repair")
    wanted = _Wanted(repair, force, folder, digest, trust_code)
    digests = [_verify_store(path, wanted) for path in stores]
    is_right = all(found is not None for found in digests)
    if expect is not None and is_right and digests != [expect]:
        options.fail(f"{stores[0]} has the digest {digests[0]}, expected {expect}", 1)
    if not stores or len(stores) < len(files or []):
        is_right &= _verify_cases([path for path in files or [] if path not in stores], failures)
    if not is_right:
        sys.exit(1)


def _verify_cases(files: list[Path], failures: bool) -> bool:
    from mcrock.verify import CASES, run_file
    from mcrock.verify.checks import print_checks

    runs = [run_file(path) for path in files or CASES]  # all are read before any is run
    return print_checks(chain.from_iterable(runs), failures)


def _verify_store(path: Path, wanted: _Wanted) -> str | None:
    """Print what is not whole in a store; its digest if in the end it all is (of a copy "none")."""
    from mcrock.dataset.contents import check_copy, chunk_path, is_copy
    from mcrock.dataset.create import remove_leftovers

    if is_copy(path):
        check_copy(path)
        print(f"{path}: every array of this copy can be decoded; a copy has no checksums")
        return "none"
    remove_leftovers(path)
    template, found = _study_and_inventory(path, wanted)
    for key, what in found.damaged.items():
        print(f"{path}: {chunk_path(path, key).relative_to(path)} is {what}")
    for name in found.strays:
        print(f"{path}: {name} is not of this store")
    digest = _summary(path, template, found, wanted.only_digest)
    if digest or not wanted.repair:
        return digest
    damaged = [key for key in found.damaged if key in found.foreign]
    foreign = [*(chunk_path(path, key) for key in damaged), *(path / name for name in found.strays)]
    if foreign and not wanted.force:
        options.say(f"{path}: --repair overwrites nothing that is whole; with --force it sets that aside")
        return None
    if foreign:
        from mcrock.ensemble.opening import set_aside  # loads what runs studies

        print(f"{path}: what is not its own is set aside in {set_aside(path, foreign)}")
    warnings.filterwarnings("ignore", ".* is computed again")  # as printed above
    if not found.done.all():
        _compute(path, template.attributes["config"], wanted)
        print(f"{path}: {(~found.done).sum()} chunks were computed again")
    return _summary(path, *_study_and_inventory(path, wanted), wanted.only_digest)


def _study_and_inventory(path: Path, wanted: _Wanted) -> tuple[Template, Inventory]:
    """What a store has but its runs, written again from the log if that is damaged, and its chunks."""
    from mcrock.dataset import DamageError
    from mcrock.dataset.contents import STUDY, ForeignError, read_template, take_inventory

    template = None
    try:
        template = read_template(path)
        found = take_inventory(path, template, thorough=True)
        error = found.error(path, template)
        if not (error and found.blames_study(template)):
            return template, found
        raise error
    except DamageError as error:
        if not wanted.repair or (isinstance(error, ForeignError) and not wanted.force):
            raise
        from mcrock.ensemble.opening import is_logged, write_study_again

        with _folder_named(path):
            try:
                aside = write_study_again(path, wanted.folder, error, trust_code=wanted.trust_code)
            except DamageError:
                if template and is_logged(path, wanted.folder, template, trust_code=wanted.trust_code):
                    return template, found  # then the chunks are foreign
                raise
    if aside:
        print(f"{path}: {STUDY} is set aside in {aside}")
    print(f"{path}: {STUDY} was damaged, and is written again with the study that the log has")
    template = read_template(path)
    return template, take_inventory(path, template, thorough=True)


def _summary(path: Path, template: Template, found: Inventory, only_digest: bool) -> str | None:
    """Print how much of a store is whole; its digest if all is."""
    from mcrock.dataset.contents import chunk_path, store_digest

    whole, damaged = int(found.done.sum()), len(found.damaged)
    missing = [key for key in template.chunks() if not found.done[key] and key not in found.damaged]
    is_whole = not (damaged or missing or found.strays)
    digest = store_digest(path) if is_whole else None
    if only_digest and digest:
        print(digest)
        return digest
    more = f"; digest {digest}" if digest else ""
    if missing:
        more = f", the first is {chunk_path(path, missing[0]).relative_to(path)}"
    counts = f"{damaged} damaged, {len(missing)} missing"
    print(f"{path}: {whole} of {found.done.size} chunks are whole, {counts}{more}")
    return digest


def _compute(path: Path, config: str, wanted: _Wanted) -> None:
    """Compute what is damaged or missing in the store of a study."""
    from mcrock.ensemble import EnsembleError, run_study
    from mcrock.show.progress import study_progress
    from mcrock.study import Study

    try:
        with _folder_named(path), study_progress() as progress:
            study = Study.from_json(config, wanted.folder, trust_code=wanted.trust_code)
            run_study(study, path, resume=True, progress=progress).close()
    except EnsembleError as error:
        options.fail(str(error), 1)


@contextmanager
def _folder_named(path: Path) -> Iterator[None]:
    """Where the files of a study are not found, say which option tells where they are."""
    from mcrock.study import ConfigError

    try:
        yield
    except ConfigError as error:
        raise ValueError(f"{error}\n{path}: give the folder of the study file with --folder") from None
