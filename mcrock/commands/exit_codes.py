"""End of a command: its exit code, and one line for each mistake on the error stream."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

from mcrock.base import session
from mcrock.base.environment import peak_memory


def say(message: str) -> None:
    """Print lines on the error stream, as those of mcrock."""
    for line in message.splitlines():
        print(f"mcrock: {line}", file=sys.stderr, flush=True)


def fail(message: str, code: int) -> NoReturn:
    """End with a message and an exit code: 2 for a mistake in the input, 1 for a run that failed."""
    say(message)
    sys.exit(code)


@contextmanager
def one_line_per_failure() -> Iterator[None]:
    """End the process with a message in place of a traceback."""
    try:
        with one_line_if_interrupted():
            try:
                yield
            finally:
                sys.stdout.flush()
    except ValueError as error:
        fail(str(error), 2)
    except BrokenPipeError:  # the reader of the output has what it wanted
        sys.exit(1)
    except OSError as error:
        place = f": {error.filename}" if error.filename else ""
        fail(f"{error.strerror or error}{place}", 1)
    except MemoryError:
        fail("out of memory", 1)


@contextmanager
def one_line_if_out_of_memory(options: Callable[[], set[str]]) -> Iterator[None]:
    """End the process with a message if memory runs out: what to do rests on the options of the command."""
    try:
        yield
    except MemoryError:
        given, held = options(), peak_memory()
        said = "out of memory" if held is None else f"out of memory, with {held:.0f} MiB taken"
        if "--workers" in given:
            fail(f"{said}; use fewer --workers{' or a smaller --part-size' * ('--part-size' in given)}", 1)
        fail(f"{said}; give it more: `mcrock docs large-studies` has what commands take of large stores", 1)


@contextmanager
def one_line_if_interrupted() -> Iterator[None]:
    """End the process with a message if an interruption arrives."""
    try:
        yield
    except KeyboardInterrupt as interruption:
        fail("interrupted", interruption_code(interruption))
    except (Exception, SystemExit):  # as of an extension module that was being loaded, or of Typer
        came = session.interruption()
        if came is None:
            raise
        fail("interrupted", interruption_code(came))


def interruption_code(interruption: KeyboardInterrupt) -> int:
    """Exit code of an interruption, which has arrived."""
    session.answered()
    return 128 + session.number_of(interruption)
