"""Statistics of a study: probabilities, fragility curves and their uncertainty.

Every function takes a dataset that fits `mcrock.dataset.SCHEMA` and returns a dataset, and every
number comes with an interval. Runs that share a ground motion are dependent: by default recordings,
not runs, are what an interval counts.
"""

from mcrock.statistics.accepted_curve import capacity_at
from mcrock.statistics.comparison import compare_designs
from mcrock.statistics.curves import (
    fragility_by_choice,
    fragility_by_limit,
    fragility_by_method,
    isotonic_fragility,
    split_by_choice,
)
from mcrock.statistics.epistemic import epistemic_fragility, epistemic_probability, variance_shares
from mcrock.statistics.fragility import capacities, fit_fragility
from mcrock.statistics.hazard import load_hazard
from mcrock.statistics.importance import weighted_probability
from mcrock.statistics.intervals import Bootstrap, Confidence
from mcrock.statistics.measures import (
    by_measure,
    compare_measures,
    hazard_consistency,
    measures_of,
    with_measures,
)
from mcrock.statistics.outcomes import (
    model_validity,
    outcome_shares,
    own_responses,
    size_convergence,
    step_check,
    undecided_runs,
)
from mcrock.statistics.precision import what_limits
from mcrock.statistics.probability import (
    by_limit,
    by_support,
    displacement_limit,
    epistemic_bounds,
    exceedance_probability,
    overturning_probability,
    pooled,
    with_displacement_limit,
)
from mcrock.statistics.remedy import frontier, judge_design, rank_designs, required_value
from mcrock.statistics.risk import (
    annual_rate,
    high_confidence_capacity,
    rate_distribution,
    rate_of_draws,
    survival,
)
from mcrock.statistics.runs import overturned, undecided
from mcrock.statistics.sensitivity import outcome_distances, parameter_effect, sobol_indices
from mcrock.statistics.standards import (
    baselines,
    checks_of_body,
    design_intensity,
    required_median,
    sliding_distance,
    standards,
)
from mcrock.statistics.sufficiency import fit_surface, measure_sufficiency

__all__ = [
    "Bootstrap",
    "Confidence",
    "annual_rate",
    "baselines",
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
    "fragility_by_method",
    "frontier",
    "hazard_consistency",
    "high_confidence_capacity",
    "isotonic_fragility",
    "judge_design",
    "load_hazard",
    "measure_sufficiency",
    "measures_of",
    "model_validity",
    "outcome_distances",
    "outcome_shares",
    "overturned",
    "overturning_probability",
    "own_responses",
    "parameter_effect",
    "pooled",
    "rank_designs",
    "rate_distribution",
    "rate_of_draws",
    "required_median",
    "required_value",
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
    "what_limits",
    "with_displacement_limit",
    "with_measures",
]
