"""What could explain a test that the model does not: other sizes, a release in motion, a foot that slips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from mcrock.body import Body
from mcrock.impact.conditions import Impact
from mcrock.measurement.comparison import SENSOR, Comparison
from mcrock.measurement.fit import SCALE, Fit, best_of, between_impacts, one_thread
from mcrock.measurement.free_rocking import OTHERS, SIZES
from mcrock.measurement.misfit import Misfit, misfit
from mcrock.measurement.profiles import uncertainty
from mcrock.measurement.recording import Recording
from mcrock.measurement.search import search, search_bounds
from mcrock.measurement.sensor import INSTANT

Array = NDArray[np.float64]

ENERGY_GAIN = "energy_gain"
ADDED = (*SIZES, "rate", "slip", "tau")  # unknowns, of which each neighbour has one


class Neighbour(NamedTuple):
    """The best fit of a model with more unknowns."""

    # unknowns: sizes over those given, rate at the release, slip, tau; or ``energy_gain`` allowed
    added: tuple[str, ...]
    estimates: dict[str, float]  # of all
    standard_errors: dict[str, float]  # near the minimum
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
    limits = search_bounds(body, float(np.abs(fit.measured).max())) | fit.bounds

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
        if "slip" in added:  # its impacts are elsewhere than those of the fit, near which none are kept
            comparison, (x, *_) = between_impacts(comparison, [x], scale)
        errors = comparison.values(np.sqrt(np.diag(uncertainty(comparison, x, scale).covariance)))
        return Neighbour(added, comparison.values(x), errors, deviance, misfit(comparison, x))

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


def holding(fit: Fit, found: Sequence[Neighbour]) -> Fit:
    """The fit with intervals that also hold those of the neighbours that explain its test.

    A model that does not explain a test has intervals of its own parameters, which may be far from those of
    the model that does. Of several that do, no test tells which is true, so all belong to the interval. The
    estimate stays; its standard error grows with the interval.

    Parameters
    ----------
    fit : Fit
    found : sequence of Neighbour
        From `neighbours`.
    """
    quantile = float(norm.ppf(0.5 + 0.5 * fit.level))
    intervals, ratio = dict(fit.intervals), dict.fromkeys(fit.estimates, 1.0)
    for name, own in fit.intervals.items():
        ends, (least, most) = [*own], fit.bounds.get(name, (-np.inf, np.inf))
        for each in explaining(found):
            room = quantile * each.misfit.widening * each.standard_errors[name]
            ends += np.clip(each.estimates[name] + np.array([-room, room]), least, most).tolist()
        intervals[name] = min(ends), max(ends)
        ratio[name] = (max(ends) - min(ends)) / (own[1] - own[0])
    errors = {name: error * ratio[name] for name, error in fit.standard_errors.items()}
    times = np.array(list(ratio.values()))
    covariance = fit.covariance * times * times[:, None]
    held = tuple(each.added for each in explaining(found))
    return replace(fit, intervals=intervals, standard_errors=errors, covariance=covariance, held=held)


def explaining(found: Sequence[Neighbour]) -> list[Neighbour]:
    """Neighbours that explain a test to the noise, of one added unknown if there are any."""
    good = [each for each in found if each.misfit.explained]
    return [each for each in good if len(each.added) == 1] or good
