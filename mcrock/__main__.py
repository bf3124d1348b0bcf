"""`python -m mcrock` is the command `mcrock`."""

import os
import signal
import sys

from mcrock import interrupt


def main() -> None:
    """Run the command line; a Ctrl-C while it is being imported ends it as one later does."""
    try:
        interrupt.listen(signal.SIGINT)
        from mcrock.commands import program

        program.main()
        return
    except KeyboardInterrupt:
        interrupt.answered()
        print("mcrock: interrupted", file=sys.stderr)
        code = 130
    except SystemExit as end:
        if end.code not in (130, 143):
            raise
        code = end.code
    # Python would end with another code if the interruption fell into code that a library wrote and executed
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
