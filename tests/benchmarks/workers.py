"""How busy workers are: the time of one worker over that of n workers and n, parts whole and cut.

    python -m tests.benchmarks.workers

simulates how `run_study` gives parts to the first free worker. The times beside the runs were measured on the
main example; threads spend them one at a time, as Python lets them.
"""

import heapq
from collections import deque
from itertools import product

import numpy as np

from mcrock.dataset.store import chunk_length
from mcrock.ensemble.part import cut_parts
from mcrock.ensemble.schedule import _cut

LEVELS = 10
DRAW, STORE = 0.0017, 0.0035  # of a part [s]
SPREAD = 0.36  # of the times of realizations, coefficient of variation


def wall(runs, seconds, workers, threads, cut, seed):
    """Time of a study of runs that take so many ``seconds`` [s]."""
    n, length = runs // LEVELS, chunk_length(runs // LEVELS, LEVELS)
    each = seconds * LEVELS * np.random.default_rng(seed).gamma(SPREAD**-2, SPREAD**2, n)
    left = deque(cut_parts(np.zeros(-(-n // length), bool), length, n, None, (1, 1)))
    events = [(0.0, worker, None) for worker in range(workers)]  # when it is free, and what it has computed
    locked, caller, ended, pieces = 0.0, 0.0, 0.0, {}
    while events:
        now, worker, part = heapq.heappop(events)
        now = max(now, locked) if threads else now
        if part is not None:
            i = pieces[part.start] = pieces.get(part.start, 0) + 1
            if part.piece[1] == 1:
                now = locked = now + STORE
            elif i == part.piece[1]:  # the caller stores it
                caller = locked = max(caller, now) + STORE
            ended = max(ended, now, caller)
        if left:
            part = (_cut(left, workers) if cut else left).popleft()
            locked = now + DRAW
            heapq.heappush(events, (locked + each[part.own.start : part.own.stop].sum(), worker, part))
    return ended


if __name__ == "__main__":
    for runs, seconds, kind in product((8_800, 100_000), (0.0003, 0.05), ("threads", "processes")):
        for cut in (False, True):
            one, *times = [
                n * np.mean([wall(runs, seconds, n, kind == "threads", cut, seed) for seed in range(5)])
                for n in (1, 2, 4, 8, 16)
            ]
            busy = " ".join(f"{one / time:.3f}" for time in times)
            print(f"{runs:>6} runs of {seconds:<6} s, {kind:<9} {'cut' if cut else 'whole':<5} {busy}")
