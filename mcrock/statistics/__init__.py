"""Statistics of a study: probabilities, fragility curves and their uncertainty.

Every function takes a dataset that fits `mcrock.dataset.SCHEMA` and returns a dataset, and every
number comes with an interval. Runs that share a ground motion are dependent: by default recordings,
not runs, are what an interval counts.
"""

from mcrock.statistics.baseline_rules import baselines, checks_of_body
from mcrock.statistics.betting import betting_interval, sequential_probability
from mcrock.statistics.bounds import epistemic_bounds
from mcrock.statistics.capacity import capacities
from mcrock.statistics.choices import fragility_by_choice, split_by_choice
from mcrock.statistics.comparison import compare_designs
from mcrock.statistics.consistency import hazard_consistency
from mcrock.statistics.convergence import size_convergence, step_check
from mcrock.statistics.curve_capacity import capacity_at
from mcrock.statistics.efficiency import by_measure, compare_measures, measures_of
from mcrock.statistics.epistemic import epistemic_fragility, epistemic_probability, variance_shares
from mcrock.statistics.fitting_methods import fragility_by_way
from mcrock.statistics.fragility import fit_fragility
from mcrock.statistics.hazard import load_hazard
from mcrock.statistics.importance import weighted_probability
from mcrock.statistics.inference import Bootstrap, Confidence
from mcrock.statistics.limit_states import fragility_by_limit
from mcrock.statistics.limits import by_limit, by_support, displacement_limit, with_displacement_limit
from mcrock.statistics.monotone import monotone_fragility
from mcrock.statistics.nested import pooled
from mcrock.statistics.outcomes import outcome_shares
from mcrock.statistics.own_responses import own_responses
from mcrock.statistics.probability import exceedance_probability, overturning_probability
from mcrock.statistics.rate_distribution import rate_distribution
from mcrock.statistics.risk import annual_rate, high_confidence_capacity, rate_of_draws, survival
from mcrock.statistics.run_measures import with_measures
from mcrock.statistics.runs import overturned, undecided
from mcrock.statistics.sensitivity import outcome_distances, sobol_indices
from mcrock.statistics.standards import design_intensity, required_median, sliding_distance, standards
from mcrock.statistics.sufficiency import measure_sufficiency
from mcrock.statistics.surface import fit_surface
from mcrock.statistics.undecided_reasons import undecided_runs
from mcrock.statistics.validity import model_validity

__all__ = [
    "Bootstrap",
    "Confidence",
    "annual_rate",
    "baselines",
    "betting_interval",
    "by_limit",
    "by_measure",
    "by_support",
    "capacities",
    "capacity_at",
    "checks_of_body",
    "compare_designs",
    "compare_measures",
    "design_intensity",
    "displacement_limit",
    "epistemic_bounds",
    "epistemic_fragility",
    "epistemic_probability",
    "exceedance_probability",
    "fit_fragility",
    "fit_surface",
    "fragility_by_choice",
    "fragility_by_limit",
    "fragility_by_way",
    "hazard_consistency",
    "high_confidence_capacity",
    "load_hazard",
    "measure_sufficiency",
    "measures_of",
    "model_validity",
    "monotone_fragility",
    "outcome_distances",
    "outcome_shares",
    "overturned",
    "overturning_probability",
    "own_responses",
    "pooled",
    "rate_distribution",
    "rate_of_draws",
    "required_median",
    "sequential_probability",
    "size_convergence",
    "sliding_distance",
    "sobol_indices",
    "split_by_choice",
    "standards",
    "step_check",
    "survival",
    "undecided",
    "undecided_runs",
    "variance_shares",
    "weighted_probability",
    "with_displacement_limit",
    "with_measures",
]
