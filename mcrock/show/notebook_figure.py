"""Figures that show themselves in a notebook, whatever its backend."""

from __future__ import annotations

import io
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mcrock.show.paper import paper_style

SCREEN = 130.0  # resolution [1/in]


class ShownAxes(Axes):
    """Axes that show their figure."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        figure = self.get_figure(root=True)
        assert figure is not None
        with paper_style():
            figure.savefig(buffer, format="png", dpi=SCREEN, bbox_inches="tight", pad_inches=0.04)
        return buffer.getvalue()


class OwnFigure(Figure):
    """A figure whose axes show it."""

    def add_subplot(self, *args: Any, **kwargs: Any) -> Any:
        if not kwargs.keys() & {"projection", "polar", "axes_class"}:
            kwargs["axes_class"] = ShownAxes
        return super().add_subplot(*args, **kwargs)
