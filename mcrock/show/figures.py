"""All figures that a study can fill."""

from __future__ import annotations

from pathlib import Path

import xarray as xr

from mcrock.base.params import Outcome
from mcrock.dataset.opened import takes_path
from mcrock.show.convergence import plot_convergence
from mcrock.show.curves import plot_choices
from mcrock.show.epistemic import plot_probability_box, plot_variance_shares
from mcrock.show.fragility import plot_fragility
from mcrock.show.impact_map import map_axes, plot_impact_map
from mcrock.show.inputs import has_distributions, plot_inputs
from mcrock.show.measures import plot_measures
from mcrock.show.outcomes import plot_exceedance, plot_outcomes
from mcrock.show.regime_map import has_regimes, plot_regimes
from mcrock.show.style import add_source, save_figure
from mcrock.statistics import by_support, pooled
from mcrock.statistics.curves import has_laws
from mcrock.statistics.measures import measures_of
from mcrock.statistics.probability import is_nested
from mcrock.statistics.runs import is_shaken, read_once

SLIPS = ("slip_path", "peak_displacement", "residual_displacement")  # responses that have a figure


@takes_path
def save_all(
    ds: xr.Dataset, folder: str | Path, format: str = "png", *, allow_missing: bool = False
) -> list[Path]:
    """Write every figure that a study can fill, each under its own name, signed with title and seed.

    Parameters
    ----------
    ds : Dataset
        Study that fits `mcrock.dataset.SCHEMA`.
    folder : str or Path
        Where to write; made if it is not there.
    format : str
        Ending that matplotlib knows: png, pdf, svg.
    allow_missing : bool
        Leave out runs that have not been run, rather than refuse.

    Returns
    -------
    list of Path
        `fragility` if the ground moves, `outcomes`, `exceedance` if the peak tilt ratio is in the
        dataset, `laws` if it has several laws of the impacts, `measures` if it is a cloud with several
        intensity measures, `impact_map` if two parameters of one impact law or of the contacts vary from
        run to run, and `regimes` if its contacts have friction: then also
        `exceedance_slip_path`, `exceedance_peak_displacement`, `exceedance_residual_displacement` and, with
        a displacement limit, `fragility_of_support` and `impact_map_of_support`; `inputs` if numbers have
        distributions, `convergence` of more than one realization. Of a nested study, whose runs are pooled in
        the others, also `probability_box` and `variance_shares` if no runs are missing.

    Raises
    ------
    ValueError
        If the dataset does not fit, holds runs not yet run, or the format is unknown.
    """
    read_once(ds)
    figures = {}
    if is_nested(ds) and (ds["outcome"] != Outcome.NOT_RUN).all():
        figures = {"probability_box": plot_probability_box(ds), "variance_shares": plot_variance_shares(ds)}
    ds = pooled(ds)
    if is_shaken(ds):
        figures["fragility"] = plot_fragility(ds, allow_missing=allow_missing)
    if has_distributions(ds):
        figures["inputs"] = plot_inputs(ds)
    figures["outcomes"] = plot_outcomes(ds, allow_missing=allow_missing)
    if "peak_tilt_ratio" in ds:
        figures["exceedance"] = plot_exceedance(ds, allow_missing=allow_missing)
    if "slip_path" in ds:
        for name in SLIPS:
            figures[f"exceedance_{name}"] = plot_exceedance(ds, variable=name, allow_missing=allow_missing)
    support = by_support(ds)
    if support is not None and is_shaken(ds):
        figures["fragility_of_support"] = plot_fragility(support, allow_missing=allow_missing)
    if ds.sizes["realization"] > 1:
        figures["convergence"] = plot_convergence(ds, allow_missing=allow_missing)
    if has_laws(ds):
        figures["laws"] = plot_choices(ds, allow_missing=allow_missing)
    if len(measures_of(ds)) > 1:
        figures["measures"] = plot_measures(ds, allow_missing=allow_missing)
    axes = map_axes(ds)
    if axes is not None:
        figures["impact_map"] = plot_impact_map(ds, *axes, allow_missing=allow_missing)
        if support is not None:
            of_support = plot_impact_map(support, *axes, allow_missing=allow_missing)
            figures["impact_map_of_support"] = of_support
    if has_regimes(ds):
        figures["regimes"] = plot_regimes(ds)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for ax in figures.values():
        add_source(ax, ds.attrs)
    return [save_figure(ax, folder / f"{name}.{format}") for name, ax in figures.items()]
