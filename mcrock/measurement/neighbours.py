"""What could explain a test that the model does not: other sizes, a release in motion, a foot that slips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcrock.body import Body
from mcrock.impact.conditions import Impact
from mcrock.measurement.comparison import SENSOR, Comparison
from mcrock.measurement.fit import SCALE, Fit, best_of, one_thread
from mcrock.measurement.free_rocking import OTHERS, SIZES
from mcrock.measurement.misfit import Misfit, misfit
from mcrock.measurement.recording import Recording
from mcrock.measurement.search import search
from mcrock.measurement.sensor import INSTANT

Array = NDArray[np.float64]

LEAST_SIZE = 0.4  # of what was given [1]
MOST_RATE = 0.5  # of the largest rate of the recording: at the release [1]
MOST_SLIP = 0.05  # of the largest dimension of the body [1]
ENERGY_GAIN = "energy_gain"
ADDED = (*SIZES, "rate", "slip", "tau")  # unknowns, of which each neighbour has one


class Neighbour(NamedTuple):
    """The best fit of a model with more unknowns."""

    # unknowns: sizes over those given, rate at the release, slip, tau; or ``energy_gain`` allowed
    added: tuple[str, ...]
    estimates: dict[str, float]  # of all
    deviance: float  # less that of the model, at the noise at rest [1]
    misfit: Misfit


@one_thread
def neighbours(body: Body, recording: Recording, fit: Fit, *, seed: int = 0) -> list[Neighbour]:
    """Fits of models next to that of a fit which does not explain its test, the best first.

    Each has one unknown more: the size of the body along an axis, the rate at the release, how far the foot
    slips across the edge when the base lands for the first time, or ``tau``, an angular impulse about the
    vertical in each edge impact; and one lets impacts gain energy.
    The last has all three sizes at once, and starts from the best with one. All are searched for from the
    start, as a model that is wrong leads astray. A deviance tells nothing but which neighbour is nearest: the
    truth may be none of them.

    Parameters
    ----------
    body : Body
    recording : Recording
        As they were given to `fit_test`.
    fit : Fit
        What it found.
    seed : int
        Of the search.

    Raises
    ------
    ValueError
        If the noise at rest is not known.
    """
    noise = fit.misfit.noise
    if not np.isfinite(noise):
        raise ValueError(f"{fit.name}: the noise of the sensor is not known, and without it no misfit")
    scale = SCALE * noise
    n_landings = int((fit.landings.landing <= fit.time[-1] + 1e-9).sum())
    most = MOST_RATE * float(np.abs(fit.measured).max())
    sizes = dict.fromkeys(SIZES, (LEAST_SIZE, 1.0 / LEAST_SIZE))
    spin = float((body.vertices**2).sum(1).max()) * body.mass + float(body.inertia[2, 2])
    far = MOST_SLIP * float(np.ptp(body.vertices, axis=0).max())
    others = {"rate": (-most, most), "slip": (-far, far), "tau": (-spin * most, spin * most)}
    limits = fit.bounds | sizes | others

    def compare(impact: Impact, added: Sequence[str], averaging: float = fit.averaging) -> Comparison:
        free = [*fit.parameters, *added]
        bounds = {key: limits[key] for key in free}
        whole = Comparison(body, recording, fit.edge, impact, free, bounds, n_landings, averaging)
        return whole.only(fit.kept)

    here = np.array([*fit.estimates.values(), *fit.turn, *fit.bias])

    def tried(impact: Impact, added: tuple[str, ...], starts: list[Array]) -> Neighbour:
        comparison = compare(impact, added)
        if not starts:
            more = [OTHERS.get(key, 0.0) for key in added]
            starts = [np.concatenate([here[:-SENSOR], more, here[-SENSOR:]])]
            if added != ("rate",):  # which readings before the release tell, not a search
                starts += search(comparison, seed)[0]
        ends = best_of(comparison, best_of(comparison, starts, scale, central=False)[:2], scale)[:1]
        # a wrong model may prefer the wrong kind of readings
        other = compare(impact, added, INSTANT if fit.averaging > INSTANT else 1.0)
        both = [(comparison, ends[0]), (other, best_of(other, ends, scale)[0])]
        comparison, x = min(both, key=lambda pair: pair[0].cost(pair[1], scale))
        deviance = 2.0 * comparison.cost(x, scale) / noise**2
        return Neighbour(added, comparison.values(x), deviance, misfit(comparison, x))

    base = tried(fit.impact, (), [here])
    found = [tried(fit.impact, (key,), []) for key in ADDED if key not in fit.parameters]
    if fit.impact.energy_gain != "allow":
        allowed = replace(fit.impact, energy_gain="allow")
        found.append(tried(allowed, (), [])._replace(added=(ENERGY_GAIN,)))
    nearest = min((each for each in found if each.added[0] in SIZES), key=lambda each: each.deviance)
    start = [nearest.estimates.get(key, OTHERS.get(key, 0.0)) for key in (*base.estimates, *SIZES)]
    found.append(tried(fit.impact, SIZES, [np.array([*start, *here[-SENSOR:]])]))
    changes = [each._replace(deviance=each.deviance - base.deviance) for each in found]
    return sorted(changes, key=lambda each: each.deviance)
