"""Sections on how far to trust the numbers: validity, convergence, limits, where they come from."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import xarray as xr

from mcrock.base.estimates import format_percent
from mcrock.dataset.contents import STUDY, store_digest
from mcrock.ensemble.opening import logged_versions
from mcrock.show.convergence import format_sizes, format_steps, plot_convergence
from mcrock.show.numbers import label, percent
from mcrock.show.report.content import Block, Section, cautions, embed
from mcrock.show.summary import Summary
from mcrock.show.tables import Column, format_table, table_along
from mcrock.show.validity import NOT_OF_MCROCK, format_certificate, format_strain
from mcrock.statistics.intervals import Confidence, bound_without_events
from mcrock.study import Study

FLAGS = {
    "contact_lost": "contact lost",
    "energy_gain_impacts": "impacts that would gain energy",
    "infeasible_impacts": "in doubt after infeasible impacts",
    "edge_stick_infeasible": "edge that should have slid",
}
MEANING = (
    "Contact lost: the ground would have had to pull before 45 degrees of tilt, so that a real body would "
    "have jumped. Impacts that would gain energy were changed until they gain none. In doubt: faces that "
    "landed without a feasible pivot were put to rest, at more than the energy needed to overturn. Edge that "
    "should have slid: for up to some 25 ms the ground could not have held one corner of the edge that "
    "carries the body, and a model without slip holds it; common under shaking in two directions, and "
    "harmless."
)


def validity_section(summary: Summary) -> Section:
    """What strained the model, at each intensity."""
    validity = summary.validity
    if validity is None:
        return Section("validity", "Does the model hold?", [NOT_OF_MCROCK])

    def share(name: str, one: xr.Dataset) -> str:
        return format_percent(float(one[name])) if one[name] else "0"

    columns: list[Column] = [("intensity", lambda one: label(one["intensity"]))]
    columns += [(words, partial(share, name)) for name, words in FLAGS.items()]
    blocks: list[Block] = [
        "Fractions of the runs that strain the model",
        table_along(validity.sel(among="all"), "intensity", columns),
    ]
    certificate = format_certificate(validity)
    few = "certified" in validity and float(validity["certified"].sel(among="all").mean()) < 0.5
    blocks += [MEANING, *cautions(format_strain(validity)), *(cautions(certificate) if few else certificate)]
    return Section("validity", "Does the model hold?", blocks)


def convergence_section(ds: xr.Dataset, summary: Summary, how: Confidence) -> Section:
    """What more runs and shorter steps would change."""
    blocks: list[Block] = []
    if ds.sizes["realization"] > 1:
        ax = plot_convergence(ds, **how.keywords)
        blocks.append(embed(ax, "Probability of overturning over the number of realizations"))
    blocks += format_sizes(summary.sizes, summary.is_shaken) if summary.steps is not None else []
    blocks += [format_steps(summary.steps)]
    return Section("convergence", "Convergence", blocks)


def limits_section(study: Study | None, summary: Summary) -> Section:
    """What these numbers do not say."""
    probability = summary.probability
    records, level = int(probability["records"]), probability.attrs["level"]
    rigid = (
        "The body is rigid and the ground too: no crushing of edges, no rocking on soil or carpets, no "
        "flexible body, no liquid inside."
    )
    lines = [
        rigid if study else "What the program or test behind these outcomes leaves out is left out here.",
        "An undecided run is never counted as survival: intervals hold both readings.",
    ]
    if study and study.contact is None:
        lines.insert(
            1, "Nothing slides and nothing rebounds: above stands of how many runs that is certain to hold."
        )
    if probability.attrs["independent"] == "records":
        lines += [
            "The intervals count recordings, and hold for earthquakes of the kind of these recordings: not "
            "for other faults, soils or distances.",
            f"What {records} recordings cannot decide, no number of runs does: where none of them overturned "
            f"the body, the {percent(probability)} interval of the probability reaches "
            f"{bound_without_events(records, level):.2g}. Only other recordings lower that.",
        ]
    return Section("limits", "Limits", list(lines))


def provenance_section(ds: xr.Dataset, store: Path | None) -> Section:
    """Versions, seeds and digests, with which the numbers can be made again."""
    rows = [] if store is None else [["result", store.name]]
    if store is not None and (store / STUDY).exists():
        rows.append(["digest of the store (mcrock verify)", store_digest(store)])
    for versions in [] if store is None else logged_versions(store):
        rows.append(["versions", ", ".join(f"{name} {version}" for name, version in versions.items())])
    names = {
        "source": "computed by",
        "seed": "seed",
        "kernel_digest": "digest of the compiled source",
        "arithmetic": "arithmetic",
        "own_law": "impacts by the user's law",
        "motions_digest": "digest of the motions",
    }
    rows += [[words, str(ds.attrs[name])] for name, words in names.items() if name in ds.attrs]
    return Section("provenance", "Where the numbers come from", [format_table(["", ""], rows)])
