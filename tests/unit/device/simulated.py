"""A small study on a GPU that numba simulates, as a program: what it leaves is looked at by its caller.

python -m tests.unit.device.simulated STUDY STORE [KEY=VALUE ...]
"""

import sys

from mcrock.config import load_config
from mcrock.ensemble import run_study

if __name__ == "__main__":
    study, store, *overrides = sys.argv[1:]
    run_study(load_config(study, overrides), store, device="cuda", workers=2)
