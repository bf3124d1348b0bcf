"""`python -m mcrock` is the command `mcrock`."""

import signal
import sys

IS_PROGRAM = __name__ == "__main__" or sys.argv[0].endswith(("/mcrock", "mcrock.exe"))
# Python would answer a Ctrl-C with a traceback; until `session.listen` the system ends the program
if IS_PROGRAM and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import atexit  # noqa: E402
import gc  # noqa: E402
import os  # noqa: E402
from io import TextIOWrapper  # noqa: E402

from mcrock.base import session  # noqa: E402

OBJECTS = 100_000  # new ones between two searches for garbage, in place of Python's 700 [1]


def main() -> None:
    """Run the command line; an interruption while it is being imported ends it as one later does."""
    _save_processor_time()
    try:
        for number in session.SIGNALS:
            session.listen(number)
        from mcrock.commands import program

        if hasattr(signal, "pthread_sigmask"):  # a late interruption changes neither exit code nor output
            atexit.register(signal.pthread_sigmask, signal.SIG_BLOCK, session.SIGNALS)
        if isinstance(sys.stdout, TextIOWrapper):  # a letter that a code page lacks ends no command
            sys.stdout.reconfigure(errors="replace")
        try:
            program.main()
        finally:
            _drop_output()
        return
    except KeyboardInterrupt as interruption:
        code = _interrupted(interruption)
    except SystemExit as end:
        if end.code not in {128 + number for number in session.SIGNALS}:
            raise
        code = end.code
    except Exception:
        came = session.interruption()
        if came is None:
            raise
        code = _interrupted(came)
    # Python would end with another code if the interruption fell into code that a library wrote and executed
    sys.stderr.flush()
    os._exit(code)


def _save_processor_time() -> None:
    """Leave out what costs a command more than it brings.

    The matrices here are small: threads of the linear algebra would wait for each other, half of the time
    of `mcrock stats`, and the last bits of statistics would depend on their number. Searching for garbage
    takes an eighth of the time of compiling the kernel, and at the end of the program the system frees all.
    """
    for library in ("OPENBLAS", "MKL", "OMP"):  # read when NumPy is imported
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    os.environ["MPLBACKEND"] = "Agg"  # no command opens a window
    gc.set_threshold(OBJECTS, 20, 20)
    atexit.register(gc.freeze)


def _drop_output() -> None:
    """Let output that cannot be written go, so that the end of the process does not try again."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _interrupted(interruption: KeyboardInterrupt) -> int:
    session.answered()
    print("mcrock: interrupted", file=sys.stderr)
    return 128 + session.number_of(interruption)


if __name__ == "__main__":
    main()
