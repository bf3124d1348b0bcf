"""`python -m mcrock` is the command `mcrock`."""

import os
import sys


def main() -> None:
    """Run the command line; a Ctrl-C while it is being imported ends it as one later does."""
    try:
        from mcrock import cli
    except KeyboardInterrupt:
        print("mcrock: interrupted", file=sys.stderr, flush=True)
        os._exit(130)
    cli.main()


if __name__ == "__main__":
    main()
