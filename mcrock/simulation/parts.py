"""What a second core compiles of the kernel while the first one compiles the rest.

Each list begins with what the first core comes to last. They were chosen by measured times: the two cores end
at about the same time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcrock.kernel.batch import load_body, load_intensity, load_law
from mcrock.kernel.friction.events import step_slip, takes_over
from mcrock.kernel.integrate import change
from mcrock.kernel.vertex import advance_vertex

Parts = tuple[Callable[..., Any], ...]


def parts_without_friction() -> Parts:
    """Of the kernel without friction."""
    return load_body, load_law, load_intensity, change, advance_vertex


def parts_with_friction() -> Parts:
    """Of the kernel with friction."""
    return step_slip, takes_over, change, load_body, load_law, load_intensity
