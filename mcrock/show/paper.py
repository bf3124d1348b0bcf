"""Settings of figures for print, which hold while one is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec

if TYPE_CHECKING:
    from matplotlib import RcParams
    from matplotlib.axes import Axes

Parameters = ParamSpec("Parameters")


@contextmanager
def paper_style() -> Iterator[None]:
    """Context with the settings of mcrock's figures, for axes of your own.

    Type of 6.5 to 8 points and thin lines, for print at the size drawn; the settings of the caller come back
    at the end.

    >>> import matplotlib.pyplot as plt
    >>> with paper_style():
    ...     figure, ax = plt.subplots(figsize=(84 / 25.4, 66 / 25.4), layout="constrained")
    >>> ax.xaxis.label.get_size()
    8.0
    >>> plt.close(figure)
    """
    import matplotlib as mpl

    with mpl.rc_context(_settings()):
        yield
        # the backend of a notebook turns this on when pyplot is first used, and shows nothing without it
        interactive = mpl.is_interactive()
    mpl.interactive(interactive)


@cache
def _settings() -> RcParams:
    from matplotlib import rc_params_from_file

    return rc_params_from_file(Path(__file__).with_name("paper.mplstyle"), use_default_template=False)


def styled(plot: Callable[Parameters, Axes]) -> Callable[Parameters, Axes]:
    """Run a plot function in `paper_style`."""

    @wraps(plot)
    def wrapper(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Axes:
        with paper_style():
            return plot(*args, **kwargs)

    return wrapper
