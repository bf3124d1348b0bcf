"""`python -m mcrock` is the command `mcrock`."""

import signal
import sys

IS_PROGRAM = __name__ == "__main__" or sys.argv[0].endswith(("/mcrock", "mcrock.exe"))
# Python would answer a Ctrl-C with a traceback; until `interrupt.listen` the system ends the program
if IS_PROGRAM and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import os  # noqa: E402

from mcrock import interrupt  # noqa: E402


def main() -> None:
    """Run the command line; a Ctrl-C while it is being imported ends it as one later does."""
    try:
        interrupt.listen(signal.SIGINT)
        from mcrock.commands import program

        program.main()
        return
    except KeyboardInterrupt:
        code = _interrupted()
    except SystemExit as end:
        if end.code not in (130, 143):
            raise
        code = end.code
    except Exception:
        if interrupt.interruption() is None:
            raise
        code = _interrupted()
    # Python would end with another code if the interruption fell into code that a library wrote and executed
    sys.stderr.flush()
    os._exit(code)


def _interrupted() -> int:
    interrupt.answered()
    print("mcrock: interrupted", file=sys.stderr)
    return 130


if __name__ == "__main__":
    main()
