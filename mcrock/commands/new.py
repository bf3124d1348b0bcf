"""The command `mcrock new`: questions in the terminal, or answers in a file or options, make a study file."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict, make_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mcrock.commands.check import print_check
from mcrock.commands.exit_codes import fail, say
from mcrock.commands.options import unpacked
from mcrock.commands.results import write_text
from mcrock.study.questions import QUESTIONS, SETS, Option, Question, as_typed, asked

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer()

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


@app.command()
@unpacked
def new(
    *,
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="Study file to write.")] = Path(
        "study.toml"
    ),
    answers: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Answers by name in a TOML file; ask nothing.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Take defaults for what is not answered.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing file.")] = False,
    given: AnswerOptions,
) -> None:
    """Write a study file by questions about the object, its place and the earthquakes.

    Every question has a default and says why it matters. Options answer
    questions ahead, and then only the others are asked.
    """
    from mcrock.base.tables.parsing import parse_toml
    from mcrock.study.load import read_toml, study_of
    from mcrock.study.new import new_study

    known = {name: text for name, text in asdict(given).items() if text is not None}
    asks = sys.stdin.isatty() and sys.stdout.isatty() and not yes and answers is None
    if not (asks or known or yes or answers):
        raise ValueError(
            "no terminal to ask in; answer by --answers FILE or options such as --height 1.4m, or take all "
            "defaults by --yes (`mcrock new --help` lists the questions)"
        )
    if config.exists() and not overwrite:
        raise ValueError(f"{config} exists and is not overwritten; name another file, or add --overwrite")
    if answers is not None:
        known = read_toml(answers, "file of answers") | known
    if asks:
        known = _ask(known, config.parent)
    text = new_study(config.parent, **known).text
    if asks:  # what somebody typed is kept, whatever the check says of it
        write_text(config, text)
    seconds = print_check(study_of(parse_toml(text), config))
    write_text(config, text)
    print(f"wrote {config}")
    store = config.with_suffix(".zarr")
    if asks and not store.exists():
        from rich.prompt import Confirm

        if Confirm.ask(f"Run it now, into {store}?", default=seconds < 60.0):
            from mcrock.commands.run import run

            run(config=config, output=store)
            return
    print(f"next: mcrock run {config} -o {store}")


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
                fail("the input ended before the last question; nothing is written", 2)
            if text.strip() == "<":
                return None
        try:
            value = question.check.read(text)
            if question.name == "earthquakes" and value in SETS:
                locate(value)  # before the questions that follow
        except ValueError as error:
            say(f"{question.name}: {error}")
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
        say(str(error))
        return shown
    line = describe_object(study)
    if drawn:
        console.print(f"\n{sketch(study)}\n  {line}", markup=False)
    elif line != shown:
        console.print(f"  {line}", style="cyan", markup=False)
    return line
