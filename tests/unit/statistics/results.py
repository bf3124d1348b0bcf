"""Every result of `mcrock.statistics` with a small study that has it: what `test_contract` goes over."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import xarray as xr

from mcrock import statistics as st
from mcrock.base.params import Outcome
from mcrock.statistics import collection
from mcrock.statistics.fragility import count_resurrected
from tests.unit.statistics.conftest import simulate_study
from tests.unit.statistics.measured import measured_study
from tests.unit.statistics.nested import nested_study
from tests.unit.statistics.test_choices import two_laws
from tests.unit.statistics.test_importance import config as cloud_config
from tests.unit.statistics.test_importance import lognormal
from tests.unit.statistics.test_probability import isolated_study, sliding_study
from tests.unit.statistics.test_risk import power_law
from tests.unit.statistics.test_sensitivity import inputs_study, study_of_indices
from tests.unit.statistics.test_sufficiency import two_measures

# variables that some ways of fitting, rules and inputs have
OF_ONE_WAY = (
    "median_capacity dispersion median_capacity_interval dispersion_interval band share static_threshold"
)
OF_SHARES = "first_order_interval total_interval"  # where a draw more or less decides
OF_INDICES = "first_order total first_order_interval total_interval"  # where all runs ended alike
OF_ONE_RULE = "capacity period damping dispersion probability probability_interval fit_p_value"


def with_outputs(ds, **more):
    """The study with what a run says of itself: model, half steps, a response of the user."""
    shape, rng = ds["outcome"].shape, np.random.default_rng(5)
    outputs = {
        "contact_lost": rng.random(shape) < 0.04,
        "edge_stick_infeasible": rng.random(shape) < 0.3,
        "energy_gain_impacts": rng.random(shape) < 0.1,
        "certified_friction": rng.uniform(0.1, 1.5, shape),
        "lowest_normal_force": rng.uniform(0.1, 1.0, shape),
        "half_step_outcome": np.where(rng.random(shape) < 0.3, ds["outcome"], Outcome.NOT_RUN),
        "own_time": rng.exponential(size=shape),
    } | more
    return ds.assign({name: (ds["outcome"].dims, values) for name, values in outputs.items()})


def of_motions():
    """A study whose motions are there, with tilts that follow the scale."""
    ds, inputs, _ = measured_study(["ensemble.realizations=88"], lambda inputs: np.abs(inputs.scale) > 2.0)
    return ds.assign(peak_tilt_ratio=(ds["outcome"].dims, 0.4 * np.abs(inputs.scale)))


def of_impacts():
    """A study in which a parameter of the impacts decides at which level a body overturns."""
    ds = simulate_study(per_record=20)
    capacity = xr.where(ds["impact_lambda_lon"] > 0.5, 4.0, 2.0)
    fell = (ds["intensity"] > capacity).transpose("realization", "intensity")
    return with_outputs(ds.assign(outcome=xr.where(fell, Outcome.OVERTURNED, Outcome.AT_REST).astype("i1")))


STUDIES = {
    "impacts": of_impacts,
    "isolated": lambda: with_outputs(isolated_study()),
    "levels": lambda: with_outputs(sliding_study(per_record=8)).assign_attrs(displacement_limit=0.05),
    "cloud": lambda: with_outputs(simulate_study(cloud=True, per_record=20)).assign_attrs(
        config=cloud_config(lognormal(3.0, 0.6))
    ),
    "laws": lambda: two_laws(per_record=8),
    "measures": lambda: two_measures(records=12, per_record=40, between=0.3),
    "nested": nested_study,
    "inputs": lambda: inputs_study(n=176, shift=0.3),
    "indices": study_of_indices,
    "motions": of_motions,
}


@cache
def study_of(name):
    """A study by name, made once: not to be changed."""
    return STUDIES[name]()


class Result(NamedTuple):
    """How a result comes of a study, and which promises of all do not hold for it."""

    study: str
    compute: Callable[..., xr.Dataset | None]
    open: str = ""  # variables that are not known everywhere in this study
    level: bool = True  # takes a level of its intervals
    missing: bool = True  # takes studies with runs that have not been run, where it is told to
    refuses: bool = True  # refuses them where it is not
    whole: bool = True  # fits the tables of `present`
    order: bool = True  # is of the runs alone, in any order
    levels: bool = False  # is of levels, which may have another order and unit


def stronger(ds, number=2):
    """A study, and others whose runs ended as those one level below, two levels and so on."""
    ds = ds.sortby("intensity").assign_attrs(seed=1)
    below = np.maximum(np.arange(ds.sizes["intensity"]) - np.arange(number)[:, None], 0)
    ended = [name for name in ("outcome", "peak_displacement") if name in ds]
    return [ds.assign({name: (ds[name].dims, ds[name].values[:, k]) for name in ended}) for k in below]


def pair(ds, **more):
    return st.compare_designs(*stronger(ds), power_law(), **more)


def ranking(ds, **more):
    designs = dict(zip("ab", stronger(ds), strict=True))
    return st.rank_designs(designs, power_law(), costs=[0.0, 5.0], **more)


def required(ds, **more):
    found = {x: st.judge_design(one, power_law(), **more) for x, one in enumerate(stronger(ds, 5))}
    target = found[2]["rate"][0]
    return st.required_value(found, float(target), name="x", level=more.get("level", 0.95))


def line(ds, **more):
    return st.frontier({1.0: required(ds, **more), 2.0: required(ds, **more)}, name="y")


def objects(ds, number=3):
    """A collection: designs of a study as its objects."""
    of_body = {"body_slenderness": 0.2, "body_radius": 1.0}
    rows = {name: ("realization", np.full(ds.sizes["realization"], value)) for name, value in of_body.items()}
    return {str(k): each.assign(rows) for k, each in enumerate(stronger(ds, number))}


def losses(ds, number=3):
    names = "012"[:number]
    return collection.count_losses(objects(ds, number), groups=dict.fromkeys(names, "all"))


def number_lost(ds, **more):
    return collection.number_lost(losses(ds), 2.3, **more)


def change(ds, **more):
    weaker, same = objects(ds), stronger(ds)[0]
    before, after = (collection.count_losses({"a": each, "b": weaker["0"]}) for each in (same, weaker["2"]))
    return collection.change_of_losses(before, after, 2.3, **more)


def given(function, *arguments, **options):
    """A result with further arguments."""
    return lambda ds, **more: function(ds, *arguments, **options, **more)


def capacity(ds, **more):
    return st.capacity_at(st.fit_fragility(ds, **more), [0.3, 0.5])


def effect(ds, **more):
    return st.parameter_effect(ds.isel(intensity=5), ["impact_lambda", "impact_lambda_lon"], **more)


COUNTED = {"level": False, "missing": False, "refuses": False}
OF_DRAWS = {"level": False, "missing": False}
RESULTS = {
    "probability": Result("levels", st.overturning_probability, levels=True),
    "probability, cloud": Result("cloud", st.overturning_probability),
    "exceedance": Result("levels", given(st.exceedance_probability, [0.1, 0.5]), levels=True),
    "exceedance, cloud": Result("cloud", given(st.exceedance_probability, 0.3)),
    "fragility": Result("levels", st.fit_fragility, levels=True),
    "fragility, cloud": Result("cloud", st.fit_fragility),
    "isotonic": Result("levels", st.isotonic_fragility, "static_threshold", levels=True),
    "isotonic, cloud": Result("cloud", st.isotonic_fragility, "static_threshold"),
    "capacity": Result("levels", capacity, whole=False, levels=True),
    "capacities": Result("levels", st.capacities, "capacity_high", **COUNTED, order=False),
    "resurrected": Result("levels", count_resurrected, **COUNTED, levels=True),
    "laws": Result("laws", st.fragility_by_choice, levels=True),
    "limits": Result("levels", st.fragility_by_limit, "value", levels=True),
    "methods": Result("levels", st.fragility_by_method, OF_ONE_WAY, whole=False, levels=True),
    "shares": Result("levels", st.outcome_shares, levels=True),
    "undecided": Result("levels", st.undecided_runs, level=False, levels=True),
    "own responses": Result("levels", st.own_responses, levels=True),
    "sizes": Result("levels", st.size_convergence, level=False, missing=False, order=False, levels=True),
    "what limits": Result("levels", st.what_limits, whole=False),
    "what limits, cloud": Result("cloud", given(st.what_limits, power_law()), missing=False),
    "steps": Result("levels", st.step_check, missing=False, refuses=False),
    "validity": Result("levels", st.model_validity, level=False, levels=True),
    "measures": Result("measures", st.compare_measures, whole=False),
    "surface": Result("measures", given(st.fit_surface, ["pga", "pgv"])),
    "weighted": Result("cloud", given(st.weighted_probability, lognormal(3.0, 0.5)), missing=False),
    "weighted rate": Result("cloud", given(st.weighted_probability, power_law()), missing=False),
    "rate": Result("levels", given(st.annual_rate, power_law(fractiles=[0.84]))),
    "high confidence": Result("levels", st.high_confidence_capacity, levels=True),
    "distribution": Result("levels", given(st.rate_distribution, power_law(), age=100.0)),
    "rate of draws": Result("nested", given(st.rate_of_draws, power_law()), **OF_DRAWS, whole=False),
    "comparison": Result("levels", pair, "unpaired_interval", missing=False, order=False),
    "design": Result("levels", given(st.judge_design, power_law())),
    "ranking": Result("levels", ranking, "rate_ratio_interval saved", missing=False, order=False),
    "required": Result("levels", required),
    "line": Result("levels", line),
    "number lost": Result("levels", number_lost, missing=False),
    "change of losses": Result("levels", change, missing=False),
    "loss events": Result(
        "levels",
        lambda ds, **more: collection.loss_events(losses(ds), power_law(), **more),
        missing=False,
        whole=False,
    ),
    "objects": Result(
        "levels", lambda ds, **more: collection.judge_objects(objects(ds), power_law(), intensity=2.3, **more)
    ),
    "draws": Result("nested", st.epistemic_probability, missing=False, levels=True),
    "draws, shares": Result("nested", st.variance_shares, OF_SHARES, missing=False, levels=True),
    "draws, bounds": Result("nested", st.epistemic_bounds, missing=False, levels=True),
    "draws, fragility": Result("nested", st.epistemic_fragility, level=False, missing=False, levels=True),
    "indices": Result("indices", st.sobol_indices, OF_INDICES, missing=False, order=False),
    "distances": Result("inputs", given(st.outcome_distances, permutations=19), level=False, order=False),
    "effect": Result("impacts", effect, missing=False, refuses=False),
    "baselines": Result("motions", st.baselines, OF_ONE_RULE, whole=False),
    "standards": Result("motions", given(st.standards, 0.5)),
    "sufficiency": Result("motions", given(st.measure_sufficiency, ["pga", "pgv"])),
}
