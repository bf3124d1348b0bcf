"""The command line in processes of its own."""

import signal
import subprocess
import sys

PATIENCE = 600  # for what ends in a second where nothing else runs [s]
PROGRAM = [sys.executable, "-m", "mcrock"]


def program(*arguments, **options):
    """Run the command line in a process of its own."""
    command = [*PROGRAM, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def started(command, **options):
    """A program that Ctrl-C and the end of a terminal reach, whatever starts the tests."""

    def listen():
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)

    return subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=listen, **options
    )
