"""Whether scaled recordings have the hazard of the site in other measures too.

Lin, T., Haselton, C. B., Baker, J. W. (2013). Conditional spectrum-based ground motion selection. Part I:
hazard consistency for risk-based assessments. Earthquake Engineering and Structural Dynamics 42(12),
1847-1865.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import xarray as xr

from mcrock.dataset.opened import takes_path
from mcrock.excitation.measures import MEASURES, intensity, variable_name
from mcrock.statistics.efficiency import own_measure
from mcrock.statistics.hazard import load_hazard, measures_in
from mcrock.statistics.hazard_files import MEAN, HazardError
from mcrock.statistics.result_table import table
from mcrock.statistics.run_measures import has_records, scaled_to
from mcrock.study import Study

PERIOD = r"(sa(?:_rotd\d+)?)_(\d+(?:p\d+)?)s"
LEVELS = 9  # at which rates are compared
MOST = 0.1  # of a rate that no row of the own hazard tells [1]


def other_hazards(
    paths: Iterable[str | Path], own: str, *, years: float | None = None, site: str | None = None
) -> list[xr.Dataset]:
    """Hazards of all measures that files have, but for that of a study; arguments as of `load_hazard`."""
    found = []
    for path in paths:
        for measure in measures_in(path, years):
            hazard = load_hazard(path, years=years, site=site if measure else None, measure=measure)
            if hazard.attrs["measure"] != re.sub(r"_rotd\d+", "", own):
                found.append(hazard)
    return found


@takes_path
def hazard_consistency(
    ds: xr.Dataset, hazard: xr.Dataset, other: xr.Dataset, *, folder: str | Path = "."
) -> xr.Dataset:
    """How often the recordings of a study exceed another measure, if its own has the hazard of the site.

    A recording that has the own intensity x has ``y = y1 x**(p'/p)`` of the other measure, with the powers by
    which both grow with its scale. It is beyond y at the annual rate ``H(x(y))``, and the recordings
    together, each as often as the study takes it, at the mean of these rates. Where that is more than the
    hazard of the other measure, they shake the body more in it than the site does, and a rate of overturning
    is that of such motions. Both hazards are taken as of the horizontal component of the study's measure.

    Parameters
    ----------
    ds : Dataset
        Result of a study with recordings.
    hazard, other : Dataset
        From `load_hazard`, of the measure of the study and of another one; their means count.
    folder : str or Path
        Folder that the names of record files start from.

    Returns
    -------
    Dataset
        Along `level`, values of the other measure [SI unit]: `site_rate`, `recordings_rate` [1/a] and `ratio`
        of these to those. NaN where recordings would have to be weaker than the table of the own hazard, or
        those that would have to be stronger may make up more than `MOST` of the rate.

    Raises
    ------
    ValueError
        If the study has no recordings, or its measure, another one or that of the hazard cannot be scaled.
    ConfigError
        If the records cannot be read.
    """
    if not has_records(ds):
        raise ValueError("the hazard of other measures is compared with recordings, which this study has not")
    study = Study.from_json(ds.attrs["config"], folder)
    name, motions = scaled_to(ds, study, 1.0)
    if not own_measure(ds) == name == hazard.attrs["measure"] or study.intensity.measure not in MEASURES:
        raise ValueError(f"hazards of other measures need a hazard of the study's own measure, {name}")
    measure, given = _measure(other.attrs["measure"], name)
    power = MEASURES[measure].power / MEASURES[study.intensity.measure].power
    if not power > 0:
        raise HazardError(f"{other.attrs['measure']} does not grow when a motion is scaled: leave it out")
    at_one = np.array([intensity(motion, measure, **given) for motion in motions])
    weight = np.bincount(ds["record"].values.ravel(), minlength=len(motions)) / ds["record"].size
    levels, rates = other["hazard_intensity"].values, other["rate"].sel(hazard=MEAN).values
    y = np.geomspace(levels[0], levels[-1], LEVELS)
    x, rate = hazard["hazard_intensity"].values, hazard["rate"].sel(hazard=MEAN).values
    of_record = np.log(y[:, None] / at_one) / power
    beyond = np.exp(np.interp(of_record, np.log(x), np.log(rate)))
    mean, weaker = beyond @ weight, ((of_record < np.log(x[0])) & (weight > 0)).any(axis=1)
    stronger = (beyond * (of_record > np.log(x[-1]))) @ weight
    mean = np.where(weaker | (stronger > MOST * mean), np.nan, mean)
    site = np.exp(np.interp(np.log(y), np.log(levels), np.log(rates)))
    result = table(
        {"site_rate": ("level", site), "recordings_rate": ("level", mean), "ratio": ("level", mean / site)},
        coords={"level": y},
        attrs={"measure": variable_name(measure, given), "own": name},
    )
    result["level"].attrs["units"] = other["hazard_intensity"].attrs["units"]
    return result


def _measure(name: str, own: str) -> tuple[str, dict[str, float]]:
    """Measure of a hazard, of the horizontal component of another one, with its parameters."""
    found = re.fullmatch(PERIOD, name)
    measure, given = (found[1], {"period": float(found[2].replace("p", "."))}) if found else (name, {})
    turned = re.search(r"_rotd\d+", own)
    if turned and "_rotd" not in measure and measure + turned[0] in MEASURES:
        measure += turned[0]
    if measure not in MEASURES or (MEASURES[measure].parameters and not given):
        raise HazardError(f"the hazard of {name!r} is of none of the measures that recordings are scaled in")
    return measure, given
