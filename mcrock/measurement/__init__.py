"""What is measured of a body that rocks freely, from sensors and from simulation alike.

Várkonyi, P. L., Kocsis, M., Ther, T. (2022). Rigid impacts of three-dimensional rocking structures. Nonlinear
Dynamics 107, 1839-1858, sections 3 and 4.
"""

from __future__ import annotations

from mcrock.measurement.files import read_recording, write_recording
from mcrock.measurement.fit import Fit, fit_test
from mcrock.measurement.measures import (
    Mounting,
    Phases,
    alignment,
    contact_phases,
    mounting,
    out_of_plane_motion_factor,
    peak_angles,
    phases_of,
    reduction_factor,
    reduction_factors,
    uplift,
)
from mcrock.measurement.population import fit_population, load_population
from mcrock.measurement.recording import (
    Landings,
    Rates,
    Recording,
    Wrench,
    equivalent_wrench,
    euler_angles,
    landings,
    rate_noise,
    rates_in_body,
    sensed,
    with_acceleration,
    zero_crossing_correction,
)

__all__ = [
    "Fit",
    "Landings",
    "Mounting",
    "Phases",
    "Rates",
    "Recording",
    "Wrench",
    "alignment",
    "contact_phases",
    "equivalent_wrench",
    "euler_angles",
    "fit_population",
    "fit_test",
    "landings",
    "load_population",
    "mounting",
    "out_of_plane_motion_factor",
    "peak_angles",
    "phases_of",
    "rate_noise",
    "rates_in_body",
    "read_recording",
    "reduction_factor",
    "reduction_factors",
    "sensed",
    "uplift",
    "with_acceleration",
    "write_recording",
    "zero_crossing_correction",
]
