"""What an attempt may end in: the fuzz has to tell findings from mistakes in words."""

import os
import signal
import time
from pathlib import Path

import numpy as np

from mcrock.study import load_config


def attempt(number: int, folder: Path) -> None:
    """End in the way of a number."""
    if number == 0:
        load_config(folder / "none.toml")
    if number == 1:
        (3).keys()
    if number == 2:
        np.ones(2**28)
    if number == 3:
        raise ValueError("of numpy")
    if number == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 5:
        np.float64(1e300) * np.float64(1e300)
    if number == 6:
        time.sleep(60.0)
