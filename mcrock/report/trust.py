"""Sections on how far to trust the numbers: validity, convergence, limits, where they come from."""

from __future__ import annotations

from collections.abc import Mapping

import xarray as xr

from mcrock.config import Study
from mcrock.report.content import Block, Section, cautions
from mcrock.text.numbers import format_percent, label_intensities
from mcrock.text.summary import Summary, format_steps
from mcrock.text.tables import format_table
from mcrock.text.validity import format_certificate, format_strain

FLAGS = {
    "contact_lost": "contact lost",
    "energy_gain_impacts": "impacts that would gain energy",
    "infeasible_impacts": "in doubt after impacts without pivot",
    "edge_stick_infeasible": "edge that should have slid a little",
}


def validity_section(summary: Summary) -> Section:
    """What strained the model, at each intensity."""
    validity = summary.validity
    axis = validity["intensity"]
    labels = label_intensities(axis.values.tolist(), axis.attrs.get("units", "1"))
    shares = [validity[name].sel(among="all").values.tolist() for name in FLAGS]
    rows = [
        [label, *(format_percent(share) if share else "0" for share in cells)]
        for label, *cells in zip(labels, *shares, strict=True)
    ]
    blocks: list[Block] = [
        "Fractions of the runs that strain the model",
        format_table(["intensity", *FLAGS.values()], rows),
    ]
    blocks += [*cautions(format_strain(validity)), *format_certificate(validity)]
    return Section("validity", "Does the model hold?", blocks)


def convergence_section(summary: Summary) -> Section:
    """What more runs, shorter steps and finer records would change."""
    return Section("convergence", "Convergence", [format_steps(summary.steps)])


def limits_section(study: Study) -> Section:
    """What these numbers do not say."""
    lines = [
        "The body is rigid and the ground too: no crushing of edges, no rocking on soil or carpets, no "
        "flexible body, no liquid inside.",
        "The intervals count recordings, and hold for earthquakes of the kind of these recordings: not for "
        "other faults, soils or distances.",
        "An undecided run is never counted as survival: intervals hold both readings.",
    ]
    if study.contact is None:
        lines.insert(
            1, "Nothing slides and nothing rebounds; runs that would have done so are counted above."
        )
    return Section("limits", "Limits", list(lines))


def provenance_section(ds: xr.Dataset, origin: Mapping[str, str]) -> Section:
    """Versions, seeds and digests, with which the numbers can be made again."""
    rows = [[name, value] for name, value in origin.items()]
    names = {
        "source": "computed by",
        "seed": "seed",
        "kernel_digest": "digest of the compiled source",
        "motions_digest": "digest of the motions",
    }
    rows += [[words, str(ds.attrs[name])] for name, words in names.items() if name in ds.attrs]
    return Section("provenance", "Where the numbers come from", [format_table(["", ""], rows)])
