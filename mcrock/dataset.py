"""The labelled dataset of a study: every variable declared once, made and checked in one place."""

from __future__ import annotations

from typing import NamedTuple

from mcrock.params import EnergyGain, Outcome


class Variable(NamedTuple):
    """Declaration of one dataset variable."""

    dims: tuple[str, ...]
    dtype: str
    units: str
    long_name: str
    flags: type | None = None  # IntEnum whose codes the variable holds


INPUT = ("realization",)
OUTPUT = ("realization", "intensity")  # in a cloud study ("realization",) alone

SCHEMA: dict[str, Variable] = {
    # inputs, one value per realization
    "body_mass": Variable(INPUT, "f8", "kg", "mass of the body"),
    "body_radius": Variable(INPUT, "f8", "m", "distance R from the centre of mass to the nearest base edge"),
    "body_slenderness": Variable(INPUT, "f8", "rad", "smallest slenderness over the base edges"),
    "body_frequency": Variable(INPUT, "f8", "rad s-1", "frequency parameter p of the body"),
    "body_width": Variable(INPUT, "f8", "m", "width of the body along body x"),
    "body_depth": Variable(INPUT, "f8", "m", "depth of the body along body y"),
    "body_height": Variable(INPUT, "f8", "m", "height of the body"),
    "body_density": Variable(INPUT, "f8", "kg m-3", "density of the body"),
    "body_com_x": Variable(INPUT, "f8", "m", "offset of the centre of mass along body x"),
    "body_com_y": Variable(INPUT, "f8", "m", "offset of the centre of mass along body y"),
    "body_com_z": Variable(INPUT, "f8", "m", "offset of the centre of mass along body z"),
    "gravity": Variable(INPUT, "f8", "m s-2", "acceleration of gravity"),
    "impact_lambda": Variable(INPUT, "f8", "1", "edge impact: place of the impulse along the edge"),
    "impact_tau": Variable(INPUT, "f8", "N m s", "edge impact: angular impulse about the vertical"),
    "impact_lambda_lon": Variable(INPUT, "f8", "1", "facet impact: place of the impulse across the facet"),
    "impact_lambda_lat": Variable(INPUT, "f8", "1", "facet impact: place of the impulse along the old edge"),
    "impact_tau_facet": Variable(INPUT, "f8", "N m s", "facet impact: angular impulse about the vertical"),
    "energy_gain": Variable(INPUT, "i1", "1", "rule for impacts that would gain energy", EnergyGain),
    "record": Variable(INPUT, "i4", "1", "index of the ground motion along the dimension `motion`"),
    "azimuth": Variable(INPUT, "f8", "rad", "rotation of the ground motion about the vertical"),
    "polarity": Variable(INPUT, "i1", "1", "sign of the ground motion"),
    # outcomes, one value per run
    "outcome": Variable(OUTPUT, "i1", "1", "how the run ended", Outcome),
    "overturning_time": Variable(OUTPUT, "f4", "s", "time at which the tilt reached 90 degrees"),
    "overturning_direction": Variable(OUTPUT, "f4", "rad", "azimuth of the fall, from ground x towards y"),
    "peak_tilt": Variable(OUTPUT, "f4", "rad", "largest tilt of the body axis"),
    "peak_tilt_ratio": Variable(OUTPUT, "f4", "1", "largest tilt over the smallest slenderness"),
    "peak_rotation_x": Variable(OUTPUT, "f4", "rad", "largest rotation about the base axis x"),
    "peak_rotation_y": Variable(OUTPUT, "f4", "rad", "largest rotation about the base axis y"),
    "out_of_plane_factor": Variable(
        OUTPUT, "f4", "1", "smaller over larger peak rotation about the base axes after the first impact"
    ),
    "edge_impacts": Variable(OUTPUT, "i4", "1", "number of edge impacts"),
    "facet_impacts": Variable(OUTPUT, "i4", "1", "number of facet impacts"),
    "impact_energy_loss": Variable(OUTPUT, "f4", "J", "energy lost in impacts"),
    "final_yaw": Variable(OUTPUT, "f4", "rad", "rotation about the vertical at the end"),
    "final_displacement_x": Variable(OUTPUT, "f4", "m", "displacement of the base along ground x at the end"),
    "final_displacement_y": Variable(OUTPUT, "f4", "m", "displacement of the base along ground y at the end"),
    "peak_friction_demand": Variable(
        OUTPUT, "f4", "1", "largest horizontal over vertical contact force while rocking, up to 45 degrees of tilt"
    ),
    "lowest_normal_force": Variable(OUTPUT, "f4", "1", "smallest vertical contact force over the weight"),
    "contact_lost": Variable(OUTPUT, "i1", "1", "1 if the contact force became tensile"),
    "infeasible_edge_impacts": Variable(
        OUTPUT, "i4", "1", "edge impacts without feasible pivot, taken as plastic edge contact"
    ),
    "infeasible_facet_impacts": Variable(OUTPUT, "i4", "1", "facet impacts without feasible pivot, taken as rest"),
    "edge_stick_infeasible": Variable(
        OUTPUT, "i1", "1", "1 if the centre of pressure left an edge that could not be released"
    ),
    "energy_gain_impacts": Variable(
        OUTPUT, "i4", "1", "impacts whose drawn parameters gain energy (projected or allowed)"
    ),
    "end_time": Variable(OUTPUT, "f4", "s", "time at which the run ended"),
    "steps": Variable(OUTPUT, "i4", "1", "integration steps taken"),
    # the ground motions
    "motion_name": Variable(("motion",), "U", "1", "name of the ground motion"),
    "motion_group": Variable(("motion",), "i4", "1", "recording the motion comes from; runs that share it are dependent"),
    "motion_intensity": Variable(("motion",), "f8", "", "intensity measure of the motion as recorded"),
    # what is done
    "chunk_done": Variable(("chunk",), "u1", "1", "1 if every run of the chunk is stored"),
}

OUTPUTS = tuple(name for name, variable in SCHEMA.items() if variable.dims == OUTPUT)
