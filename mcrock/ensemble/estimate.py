"""Duration of a study, measured on some of its runs."""

from __future__ import annotations

from time import thread_time

import numpy as np

from mcrock.excitation import Motion, pack_motions
from mcrock.simulation.runs import simulate_part
from mcrock.study import Study
from mcrock.study.sampling import draw_inputs

SHORT = 0.05  # a timed block of realizations lasts so long at least, as a call alone takes milliseconds [s]
LARGEST = 256  # block [1]
SHARE = 0.02  # of the time of the study that is spent on its estimate, at most [1]


def estimate_time(study: Study, motions: list[Motion], budget: float = 3.0) -> tuple[float, int]:
    """Time per run, measured on some realizations spread over the study.

    Parameters
    ----------
    study, motions
        The study and what `load_motions` gives for it.
    budget : float
        Most processor time to spend on it, besides compilation [s]. A study that takes little gets a share of
        its own: nobody waits for a close estimate of a run of seconds.

    Returns
    -------
    float, int
        Processor time per run [s], whatever else the machine does, and on how many runs it was measured.
    """
    pack = pack_motions(motions)

    def time_block(i: int, n: int, outer: int = 0) -> float:
        began = thread_time()
        inputs = draw_inputs(study, motions, i, min(i + n, study.n_realizations), outer)
        simulate_part(inputs, pack_motions(inputs.motions) if inputs.motions else pack, study.controls)
        return thread_time() - began

    time_block(0, 1)  # compiles
    block = 1
    largest = 1 if study.body.own_hulls else LARGEST
    while 2 * block <= min(largest, study.n_realizations) and time_block(0, block) < SHORT:
        block *= 2
    # multiples of irrational numbers: at any moment what is timed is spread evenly
    number, spent, n_timed = np.arange(1, 257), 0.0, 0
    order = (number * 0.6180339887498949 % 1 * (study.n_realizations // block)).astype(int)
    outers = (number * 0.41421356237309505 % 1 * study.n_outer).astype(int)
    for i, outer in dict.fromkeys(zip(order.tolist(), outers.tolist(), strict=True)):
        spent += time_block(i * block, block, outer)
        n_timed += block
        if spent > min(budget, SHARE * spent / n_timed * study.n_realizations * study.n_outer):
            break
    return spent / (n_timed * study.n_intensity), n_timed * study.n_intensity
