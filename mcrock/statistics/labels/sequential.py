"""Epistemic inputs drawn again where the labels point: sequential Monte Carlo.

Where labels leave few of the draws of a study, weights alone say little. Here the power of the likelihood
rises in stages, each chosen so that half of the particles stay effective; they are drawn again by their
weights and moved by Metropolis-Hastings steps that leave the posterior of the stage as it is. A move of the
inputs is preconditioned Crank-Nicolson in normal scores, z' = sqrt(1 - b^2) z + b xi, which needs the
likelihood alone; the error of a shape is moved to another draw of it.

Chopin, N. (2002). A sequential particle filter method for static models. Biometrika 89(3), 539-552.

Cotter, S. L., Roberts, G. O., Stuart, A. M. and White, D. (2013). MCMC methods for functions: modifying old
algorithms to make them faster. Statistical Science 28(3), 424-446.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from dask.system import CPU_COUNT
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from mcrock.base.params import MotionPack, Outcome
from mcrock.base.tables.distributions import Distribution
from mcrock.base.tables.errors import RealizationError
from mcrock.excitation import Motion, pack_motions
from mcrock.simulation.runs import simulate_part
from mcrock.statistics.labels.weights import ERROR_RATE, LEAST_EFFECTIVE, log_likelihoods, normalized
from mcrock.statistics.runs import NOT_DECIDED
from mcrock.study import Study
from mcrock.study.sampling import load_motions
from mcrock.study.sampling.design import points_of_design, stream
from mcrock.study.sampling.inputs import inputs_at

Array = NDArray[np.float64]

KEPT = 0.5  # of the particles that stay effective in a stage [1]
MOVES = 4  # of each particle in a stage, of its inputs and of its shape in turn
STEP = 0.4  # of a move at first [1]
GOAL = 0.25  # acceptance that the step is steered to [1]
LEAST, MOST = np.finfo(float).tiny, 1.0 - 2.0**-53  # ends of the open interval (0, 1)
HULLS = 1 << 20  # first number of the shapes that moves draw: those of the design come before it
MOST_STAGES = 100


class SamplingStage(NamedTuple):
    """Summary of one stage."""

    temper: float  # power of the likelihood that it reached [1]
    effective: float  # particles before they were drawn again [1]
    accepted: float  # share of the moves of inputs [1]
    accepted_shapes: float  # share of the moves of shapes, NaN without them [1]


@dataclass(frozen=True, eq=False)
class Posterior:
    """Particles after labels, all with the same weight.

    Attributes
    ----------
    values : dict of ndarray (n_particle,)
        Epistemic inputs by dotted name, in the unit of their key.
    hull : ndarray (n_particle,)
        Number of the draw of the shape error.
    fallen : ndarray (n_particle, n_realization, n_intensity)
        1 where the run overturned, 0 where the body stood, one half where the run is undecided [1].
    share : ndarray (n_particle, n_label)
        Overturned fraction of the runs that each label refers to [1].
    temper : float
        Power of the likelihood that was reached [1].
    stages : tuple of Stage
        What each stage did.
    """

    values: dict[str, Array]
    hull: NDArray[np.int64]
    fallen: Array
    share: Array
    temper: float
    stages: tuple[SamplingStage, ...]

    @property
    def distinct(self) -> int:
        """Number of particles that differ in an input or the shape."""
        table = np.stack([*self.values.values(), self.hull.astype(float)], axis=1)
        return len(np.unique(table, axis=0))

    def left_out(
        self,
        fallen: Sequence[float] | Array,
        group: Sequence[str] | NDArray[np.str_],
        *,
        error_rate: float = ERROR_RATE,
        least_effective: float = LEAST_EFFECTIVE,
    ) -> tuple[Array, Array]:
        """Probabilities of the labelled objects, each without the labels of its own group.

        The likelihood of the labels of the group is divided out of the weights.

        Parameters
        ----------
        fallen : array_like (n_label,)
            The labels behind the posterior: 1 for fallen, 0 for standing.
        group : array_like (n_label,)
            Group of each label, such as its recording; groups are left out one at a time.
        error_rate, least_effective
            As for `weigh_draws`.

        Returns
        -------
        probability, effective : ndarray (n_label,)
            Probability of falling, and the effective number of particles behind it [1].

        Raises
        ------
        ValueError
            If fewer than ``least_effective`` particles are left.
        """
        each, of = log_likelihoods(self.share, fallen, error_rate), np.asarray(group)
        probability, effective = np.empty(len(of)), np.empty(len(of))
        for name in np.unique(of):
            own = of == name
            weight = normalized(-self.temper * each[:, own].sum(axis=1))
            effective[own] = 1.0 / (weight**2).sum()
            probability[own] = weight @ self.share[:, own]
        few = effective < least_effective
        if few.any():
            raise ValueError(
                f"without the labels of {of[few][0]} {effective[few][0]:.1f} effective particles are left of "
                f"{len(self.share)}, where {least_effective:g} are asked for: take more particles or a "
                "smaller temper"
            )
        return probability, effective


@dataclass(frozen=True)
class _Runs:
    """Runs of all realizations of a study for particles."""

    study: Study
    motions: Sequence[Motion]
    pack: MotionPack
    names: tuple[str, ...]
    workers: int

    @classmethod
    def of(cls, study: Study, workers: int) -> _Runs:
        """With the motions of the study."""
        motions = load_motions(study)
        return cls(study, motions, pack_motions(motions), tuple(study.epistemic), workers)

    def fallen(self, normal: Array, hull: NDArray[np.int64]) -> Array:
        """What the runs of particles say (n_particle, n_realization, n_intensity); NaN of a body that cannot
        be."""
        with ThreadPoolExecutor(self.workers) as pool:
            return np.stack(list(pool.map(self._one, normal, hull)))

    def _one(self, normal: Array, hull: int) -> Array:
        study, n = self.study, self.study.n_realizations
        points = points_of_design(study, len(self.motions), 0, n)
        own = {
            name: np.full(n, np.clip(ndtr(z), LEAST, MOST))
            for name, z in zip(self.names, normal, strict=True)
        }
        points = points._replace(u=points.u | own, hull=np.full(n, hull))
        try:
            inputs = inputs_at(study, self.motions, points)
        except RealizationError:
            return np.full((n, study.n_intensity), np.nan)
        pack = pack_motions(inputs.motions) if inputs.motions else self.pack
        outcome = simulate_part(inputs, pack, replace(study.controls, recheck=0.0))["outcome"]
        fell = (outcome == Outcome.OVERTURNED).astype(float)
        return np.where(np.isin(outcome, NOT_DECIDED), 0.5, fell)


def sequential_posterior(
    study: Study,
    share_of: Callable[[Array], Array],
    fallen: Sequence[float] | Array,
    *,
    error_rate: float = ERROR_RATE,
    temper: float = 1.0,
    particles: int | None = None,
    workers: int | None = None,
    progress: Callable[[SamplingStage], None] | None = None,
) -> Posterior:
    """Particles of the epistemic inputs of a study, given labels.

    Results depend on the study, its seed, the labels and the options, not on the number of workers.

    Parameters
    ----------
    study : Study
        Nested; all its realizations are run for every particle in every move.
    share_of : callable
        From the outcomes of the runs of particles (n_particle, n_realization, n_intensity), 1 for overturned,
        to the overturned fraction of the runs that each label refers to (n_particle, n_label) [1].
    fallen : array_like (n_label,)
        1 for fallen, 0 for standing.
    error_rate : float
        Probability that a label is wrong, in (0, 0.5) [1].
    temper : float
        Power of the likelihood at the end, above 0 and at most 1 [1].
    particles : int, optional
        Number of particles, at least 10; by default ``ensemble.outer`` of the study.
    workers : int, optional
        Threads; by default one for each CPU.
    progress : callable, optional
        Called with the `SamplingStage` after every stage.

    Returns
    -------
    Posterior

    Raises
    ------
    ValueError
        If the study has no epistemic input, each realization has a hull of its own, an option is out of
        range, or the labels are too unlikely for every body that the study allows.
    """
    n = study.n_outer if particles is None else particles
    names = tuple(study.epistemic)
    shapes = study.body.underside is not None and study.body.is_one_draw
    _check(study, n, temper)
    runs = _Runs.of(study, workers or CPU_COUNT)

    def weigh(said: Array) -> tuple[Array, Array]:
        """Shares of the labels, and the logarithm of their likelihood; impossible bodies have none."""
        possible = np.asarray(~np.isnan(said).any(axis=(1, 2)))
        share = share_of(np.where(possible[:, None, None], said, 0.5))
        return share, np.where(possible, log_likelihoods(share, fallen, error_rate).sum(axis=1), -np.inf)

    normal, hull = _of_design(study, names, n), np.arange(n)
    said = runs.fallen(normal, hull)
    share, total = weigh(said)
    reached, step, stages, fresh = 0.0, STEP, list[SamplingStage](), HULLS
    while reached < temper and len(stages) < MOST_STAGES:
        key = stream("labels"), len(stages)
        rng = np.random.default_rng(np.random.SeedSequence(study.seed, spawn_key=key))
        rise = _rise(total, temper - reached)
        reached = temper if rise >= temper - reached else reached + rise
        weight = normalized(rise * total)
        chosen = np.searchsorted(np.cumsum(weight), (np.arange(n) + rng.random()) / n).clip(max=n - 1)
        normal, hull, said, share, total = (a[chosen] for a in (normal, hull, said, share, total))
        accepted = {True: list[float](), False: list[float]()}
        for move in range(MOVES):
            of_inputs = bool(names) and not (shapes and move % 2)
            new_normal, new_hull = normal, hull
            if of_inputs:
                new_normal = np.sqrt(1.0 - step**2) * normal + step * rng.standard_normal(normal.shape)
            else:
                new_hull, fresh = np.arange(fresh, fresh + n), fresh + n
            new_said = runs.fallen(new_normal, new_hull)
            new_share, new_total = weigh(new_said)
            with np.errstate(invalid="ignore"):
                taken: NDArray[np.bool_] = np.log(rng.random(n)) < reached * (new_total - total)
            moved = new_normal, new_hull, new_said, new_share, new_total
            for array, new in zip((normal, hull, said, share, total), moved, strict=True):
                array[taken] = new[taken]
            accepted[of_inputs].append(float(taken.mean()))
            if of_inputs:
                step = float(np.clip(step * np.exp(taken.mean() - GOAL), 0.02, 1.0))
        rates = [float(np.mean(accepted[kind])) if accepted[kind] else np.nan for kind in (True, False)]
        stages.append(SamplingStage(reached, float(1.0 / (weight**2).sum()), *rates))
        if progress is not None:
            progress(stages[-1])
    if reached < temper:
        raise ValueError(
            f"after {MOST_STAGES} stages the power of the likelihood is {reached:.3g} of {temper:g}: hardly "
            "any body that the study allows behaves as labelled; check the labels, or raise the error rate"
        )
    return Posterior(_values(study, normal), hull, said, share, reached, tuple(stages))


def _check(study: Study, particles: int, temper: float) -> None:
    """Refuse a study without anything to learn, and options out of range."""
    shapes = study.body.underside is not None and study.body.is_one_draw
    if not study.epistemic and not shapes:
        raise ValueError("there is nothing to learn: no distribution of the study has 'epistemic = true'")
    if study.body.own_hulls:
        raise ValueError(
            "each realization has a hull of its own: give points of one size, and shape_error 'epistemic'"
        )
    if not 0.0 < temper <= 1.0 or particles < LEAST_EFFECTIVE:
        raise ValueError(
            f"expected a temper in (0, 1] and {LEAST_EFFECTIVE:g} particles, got {temper:g} and {particles}"
        )


def _values(study: Study, normal: Array) -> dict[str, Array]:
    """Epistemic inputs by dotted name, from their normal scores (n, n_name)."""
    quantities, values = study.quantities, {}
    for name, u in zip(study.epistemic, np.clip(ndtr(normal), LEAST, MOST).T, strict=True):
        item = quantities[name]
        assert isinstance(item, Distribution)
        values[name] = item.quantile(u)
    return values


def _of_design(study: Study, names: Sequence[str], n: int) -> Array:
    """Normal scores of the epistemic inputs of the first draws of the study (n, n_name)."""
    from mcrock.base.random_numbers import uniforms

    columns = [ndtri(uniforms(study.seed, stream(f"outer.{name}"), 0, n)) for name in names]
    return np.stack(columns, axis=1) if columns else np.empty((n, 0))


def _rise(total: Array, most: float) -> float:
    """Largest rise of the power of the likelihood that keeps `KEPT` of the particles effective."""

    def enough(rise: float) -> bool:
        weight = normalized(rise * total)
        return bool(1.0 / (weight**2).sum() >= KEPT * len(total))

    if enough(most):
        return most
    low, high = 0.0, most
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if enough(middle) else (low, middle)
    return max(low, 1e-6 * most)
