"""The command `mcrock`, put together from modules of commands by subject.

A mistake in the input ends with exit code 2 and one line per mistake on the error stream, a failed run
with 1.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from mcrock.base.checks import check_name
from mcrock.commands import options

HOMES = {  # modules of this folder, with commands, and groups of commands as `NAME_app`
    "studies": "new check run submit status merge warm",
    "motions": "simulate spectrum",
    "assessment": "stats plot fragility risk compare design collection report app sensitivity rare export",
    "validation": "validate calibrate",
    "records": "records",
    "measurement": "measure fit population",
    "reference": "example laws verify docs",
}
PANELS = {  # of the help, in their order
    "Start": "example new check",
    "Run": "run simulate",
    "Results": "stats plot fragility sensitivity report app export",
    "Decide": "risk compare design collection rare",
    "Tests and data": "records spectrum measure fit population validate calibrate",
    "Cluster": "submit status merge warm",
    "Reference": "laws verify docs",
}
COMMANDS = {name: panel for panel, names in PANELS.items() for name in names.split()}


class Commands(TyperGroup):
    """The commands, of which any may be interrupted; Typer would say nothing then."""

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **kwargs: Any) -> Any:
        """Parse the command line."""
        with options.one_line_if_interrupted():
            return super().make_context(info_name, [*map(_checked, args)], *rest, **kwargs)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command by its name, the options of which say what they take."""
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            _name_types(command, ctx)
        return command

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The list of commands."""
        _name_types(self, ctx)
        super().format_help(ctx, formatter)

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""

        def given() -> set[str]:
            command = self.get_command(ctx, ctx.invoked_subcommand or "")
            return {name for parameter in command.params for name in parameter.opts} if command else set()

        with options.one_line_if_out_of_memory(given), options.one_line_if_interrupted():
            return super().invoke(ctx)


app = typer.Typer(
    name="mcrock",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",  # units in brackets are no markup
    context_settings={"help_option_names": ["-h", "--help"]},
)
for name, panel in COMMANDS.items():
    home = next(home for home in HOMES if name in HOMES[home].split())
    module = import_module(f"mcrock.commands.{home}")
    commands = getattr(module, f"{name}_app", None)
    if commands is None:
        commands = typer.Typer()
        commands.command(name, rich_help_panel=panel)(getattr(module, name))
    for command in commands.registered_commands:
        options.read_numbers(command.callback)
    app.add_typer(commands, rich_help_panel=panel)


def _checked(word: str) -> str:
    """A word of the command line, unless it is a pipe: without a writer it would be waited for."""
    with suppress(OSError):
        if Path(word).is_fifo() and not word.startswith("/dev/"):
            raise ValueError(f"{word}: a pipe, which cannot be read twice; write its content to a file")
    return check_name(word)


def _name_types(command: Any, ctx: Any) -> None:
    """Leave out what Typer 0.29 shows: <bool> of options that take no value, list[] of several files."""
    for option in (*command.params, command.get_help_option(ctx)):
        if getattr(option, "is_flag", False):
            option.metavar = ""
        elif option.nargs == -1:
            option.display_type = lambda ctx: "<path>..."
    for inner in getattr(command, "commands", {}).values():
        _name_types(inner, ctx)


def _show_version(wanted: bool) -> None:
    if wanted:
        from mcrock.base.environment import mcrock_version

        print(f"mcrock {mcrock_version()}")
        raise typer.Exit


@app.callback()
def mcrock(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """How likely is it that a free-standing object overturns, and how sure are we?"""


def main() -> None:
    """Run the command line and end with its exit code; a process that called it finds itself as it was."""
    with warnings.catch_warnings(), options.one_line_per_failure():
        warnings.showwarning = _show_warning
        typer.main.get_command(app)()  # `app()` would change how the process prints its own errors


def _show_warning(message: Warning | str, category: type[Warning], *args: Any, **kwargs: Any) -> None:
    options.say(f"warning: {message}")
