"""The phases with which every test of free rocking starts (section 5.1), from data and from simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mcrock.kernel.contact import topology
from mcrock.measurement.angles import BEYOND
from mcrock.measurement.landings import NOISE, landings

if TYPE_CHECKING:
    from mcrock.simulation.run import Run

Array = NDArray[np.float64]


class Phases(NamedTuple):
    """Impacts from the release to where the old edge lands again."""

    facet_impact: float  # end of the rocking about the edge over which the body was released [s]
    edge_impacts: Array  # (n,) of the lateral rocking on the opposite edge, between the two others [s]
    next_impact: float  # on a facet or an edge, when a vertex of the old edge reaches the ground again [s]


def contact_phases(time: ArrayLike, along: ArrayLike, across: ArrayLike, *, noise: float = 0.0) -> Phases:
    """Phases of a test from angular velocities, each to about a sample.

    The rate about the old edge is largest at the facet impact and at the next; between them that across it is
    largest at every edge impact, about which the body swings to and fro. Edge impacts whose rate is less than
    a twentieth of the largest, or within ``BEYOND`` times the noise, are not found, nor those that follow in
    fewer than two samples.

    Parameters
    ----------
    time : array_like (n,)
        [s], from the release.
    along, across : array_like (n,)
        Angular velocity about the edge over which the body was released, and about the horizontal axis square
        to it, in axes of the body [rad/s].
    noise : float
        Standard deviation of the noise of the rate across, as `rate_noise` finds it [rad/s]; none of a
        simulation.

    Raises
    ------
    ValueError
        If there are not two landings.
    """
    t, x, y = (np.asarray(item, float) for item in (time, along, across))
    found = landings(t, x).landing
    if found.size < 2:
        raise ValueError(f"{found.size} landings in these data; two are needed for the phases between them")
    # after the sample of the facet impact, which may be a mean of what is before and after
    inside = np.flatnonzero((t > found[0]) & (t < found[1]))[1:]
    largest = np.abs(y[inside]).max(initial=0.0)
    least = max(NOISE * largest, BEYOND * noise)
    lateral = landings(t[inside], y[inside], least).landing if largest > least else found[:0]
    return Phases(float(found[0]), lateral[1:], float(found[1]))  # the first is the facet impact itself


def phases_of(run: Run, edge: int) -> Phases:
    """Phases of a simulated run that was released over an edge, from its events.

    Raises
    ------
    ValueError
        If the run ends before the old edge lands again, or has no event list.
    """
    old = topology(run.body.faces, len(run.body.vertices), run.body.base_faces).edge_vertices[edge]
    impacts = [event for event in run.events if event["kind"] in ("facet_impact", "edge_impact")]
    edges: list[float] = []
    for event in impacts[1:]:
        if event["kind"] == "facet_impact" or (event["to"][0] == "VERTEX" and event["to"][1] in old):
            return Phases(impacts[0]["t"], np.array(edges), event["t"])
        edges.append(event["t"])
    raise ValueError(f"{len(impacts)} impacts in the run, and none of the old edge {edge} after the first")
