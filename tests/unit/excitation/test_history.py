"""The history of a motion grows by one phrase a step, and nothing else changes with it."""

import numpy as np

from mcrock.excitation import Motion
from mcrock.excitation.motion import changed


def test_phrases_follow_each_other():
    metadata = {"magnitude": 6.5}
    motion = Motion(np.ones((3, 4)), dt=0.1, name="shake", group="event", metadata=metadata)
    once = changed(motion, 2 * motion.acceleration, "doubled")
    twice = changed(once, once.acceleration[:, ::2], "thinned", dt=0.2)
    assert (once.metadata["history"], twice.metadata["history"]) == ("doubled", "doubled; thinned")
    assert (once.dt, twice.dt, twice.acceleration.shape) == (0.1, 0.2, (3, 2))
    assert (twice.name, twice.group, twice.metadata["magnitude"]) == ("shake", "event", 6.5)
    assert motion.metadata == metadata
