"""A fitted population of tests as text: the [impact] section of a study, and what a terminal shows."""

from __future__ import annotations

import tomllib
from itertools import combinations
from typing import Any

import numpy as np

from mcrock.base.version import mcrock_version
from mcrock.config.impact import ImpactTable
from mcrock.config.population import CUTS, written_distributions
from mcrock.impact.registry import DEFAULT_LAW, ImpactParameter
from mcrock.measurement.population import (
    HYPER,
    Diagnosis,
    check_posterior,
    diagnose,
    has_tests,
    origin_in_words,
)
from mcrock.show.tables import format_table
from mcrock.tables.parsing import toml

WORDS = {
    "mean": "mean",
    "sd_specimen": "scatter of specimens",
    "sd_position": "of positions",
    "sd_repetition": "of repetitions",
}
TOGETHER = 0.5  # rank correlation from which two parameters are called dependent [1]


def impact_section(data: Any, cut: str = "energy") -> str:
    """Table [impact] of a study file, in TOML, for a body like those tested.

    Parameters
    ----------
    data, cut
        As for `mcrock.config.population.written_distributions`.

    Raises
    ------
    ValueError
        As for `written_distributions`, or if the chains of the sampler cannot be trusted or ArviZ is not
        installed.
    """
    diagnosis = diagnose(data)
    if diagnosis.problems:
        raise ValueError(untrusted(diagnosis))
    posterior, attrs = check_posterior(data), data.posterior.attrs
    sampler = [attrs[key] for key in ("inference_library", "inference_library_version") if key in attrs]
    made = [f"mcrock {mcrock_version()}", *([" ".join(sampler)] if sampler else [])]
    made += [f"seed {attrs['seed']}"] if "seed" in attrs else []
    lines = [
        f"# For a test on a new specimen, from {origin_in_words(data)}.",
        f"# {', '.join(made)}: {format_diagnosis(diagnosis)}.",
        f"# Cut: {CUTS[cut]}. Parameters are drawn independently; those not named keep their defaults.",
        "[impact]",
        f"law = {toml(DEFAULT_LAW.key)}",
        f"draw = {toml('run')} # as in the fits, which hold for a whole test",
    ]
    for key, item in written_distributions(data, cut).items():
        ranges = [
            f"{WORDS[name]} {range_in_words(posterior[name].sel(parameter=key).values)}"
            for name in HYPER
            if name in posterior
        ]
        lines += [f"# {key}: {', '.join(ranges)}", f"{key} = {toml(item.table)}"]
    text = "\n".join(lines) + "\n"
    ImpactTable.model_validate(tomllib.loads(text)["impact"])  # as a study reads it
    return text


def format_population(data: Any, cut: str = "energy") -> list[str]:
    """What the tests say of each parameter, and what a study file would say, for a terminal."""
    posterior = check_posterior(data)
    names = [name for name in HYPER if name in posterior]
    keys = posterior["parameter"].values.tolist()
    rows = [
        [f"{key} [{ImpactParameter[key.upper()].row.rule.unit}]"]
        + [range_in_words(posterior[name].sel(parameter=key).values) for name in names]
        for key in keys
    ]
    lines = [f"{origin_in_words(data)}; median and 95 % interval"]
    lines += [format_table(["", *(WORDS[name] for name in names)], rows), ""]
    lines.append(f"sampler: {format_diagnosis(diagnose(data))}")
    for key, item in written_distributions(data, cut).items():
        lost = f", {item.cut:.2g} of it cut away" if item.cut else ""
        lines.append(f"{key} = {toml(item.table)}")
        lines.append(f"  distribution function within {item.distance:.2g} of a new test's{lost}")
    if left_out := posterior.attrs.get("left_out"):
        lines.append(f"left out, no impact parameters that were asked for: {left_out}")
    return lines + dependence_notes(data)


def format_diagnosis(diagnosis: Diagnosis) -> str:
    """What the chains say of themselves.

    >>> format_diagnosis(Diagnosis(1.0014, 1117.2, 0, ()))
    'R-hat 1.001, 1117 effective draws, 0 divergences'
    """
    words = [f"R-hat {diagnosis.rhat:.3f}", f"{diagnosis.effective:.0f} effective draws"]
    return ", ".join(
        words + ([] if diagnosis.divergences is None else [f"{diagnosis.divergences} divergences"])
    )


def untrusted(diagnosis: Diagnosis) -> str:
    """Why there is no section.

    >>> print(untrusted(Diagnosis(1.0, 900.0, 2, ("2 divergent transitions",))))
    no section is made of chains that cannot be trusted: 2 divergent transitions; take more draws...
    """
    problems = "; ".join(diagnosis.problems)
    return (
        f"no section is made of chains that cannot be trusted: {problems}; take more draws, or a "
        "target_accept nearer to 1"
    )


def dependence_notes(data: Any) -> list[str]:
    """Pairs of parameters whose estimates go together from test to test, which a study draws apart."""
    import pandas as pd

    if not has_tests(data):
        return []
    names = {name: data.constant_data[name].values for name in ("test", "parameter")}
    frame = pd.DataFrame({**names, "estimate": data.observed_data["estimate"].values})
    table = frame.pivot(index="test", columns="parameter", values="estimate")
    ranks = table.corr("spearman", min_periods=4)
    return [
        f"note: the estimates of {one} and {other} go together (rank correlation "
        f"{ranks.loc[one, other]:.2f}), and a study draws them independently"
        for one, other in combinations(
            [key for key in data.posterior["parameter"].values.tolist() if key in table], 2
        )
        if abs(ranks.loc[one, other]) > TOGETHER
    ]


def range_in_words(values: Any) -> str:
    """Median and 95 % interval of draws.

    >>> range_in_words(np.linspace(0.0, 2.0, 2001))
    '1 (0.05 to 1.95)'
    """
    low, middle, high = np.quantile(values, [0.025, 0.5, 0.975])
    return f"{middle:.3g} ({low:.3g} to {high:.3g})"
