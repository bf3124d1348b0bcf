"""Impact laws in general form: what two or more hard bodies do when they meet.

`mcrock.impact` holds the maps that the rocking model runs on; this library holds the laws of the literature
side by side, on any mass matrix and any number of contacts, with the checks that each outcome passes or not.
A law is a function of a `ContactProblem` or `SingleContact` (`mcrock.laws.problem`) and its coefficients;
`LAWS` lists them all, and `SYSTEMS` the mechanisms of the source papers, which `system_example` computes.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mcrock.base.checks import suggest

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.axes import Axes

LAWS = {  # name -> publication, description
    "chatterjee_ruina": (
        "chatterjee_ruina_1998",
        "one contact: normal and tangential restitution, any mass matrix",
    ),
    "routh": ("routh_1905", "one contact: Coulomb friction followed through the impact, kinetic restitution"),
    "whittaker": (
        "whittaker_1904",
        "one contact: Newton's restitution, stick or slip at the end; may gain energy",
    ),
    "smith": ("smith_1991", "one contact: friction against the mean of the slips before and after"),
    "two_phase": ("pfeiffer_glocker_1996", "one contact: compression and expansion, each with friction"),
    "brach": ("brach_1989", "one contact: given ratios of the impulses"),
    "bilinear": ("walton_1993", "one contact, sphere-like: stick with tangential restitution, or slip"),
    "composite": ("chatterjee_ruina_1998_composite", "one contact: between Chatterjee-Ruina and Routh"),
    "generalized_kinematic": (
        "brogliato_2012",
        "several contacts: matrices of restitution in the kinetic metric",
    ),
    "newton": ("glocker_2001", "several contacts: Newton's restitution as inequalities, friction"),
    "poisson": ("glocker_pfeiffer_1995", "several contacts: Poisson's restitution as inequalities, friction"),
    "fremond": ("fremond_1995", "several contacts without friction: coupled coefficients"),
    "moreau": ("moreau_1988", "several contacts: projection on the admissible velocities, friction"),
    "sequential": ("chatterjee_ruina_1998_sequence", "several contacts: one collision after the other"),
    "reentrant_corner": ("glocker_2005", "obstacles with a corner that points outwards: several outcomes"),
}
_HOMES = {  # module -> names of its laws
    "impulse_space": ("chatterjee_ruina", "routh", "brach", "bilinear", "composite"),
    "final_slip": ("whittaker", "smith", "two_phase"),
    "brogliato_2012": ("generalized_kinematic",),
    "inequalities": ("newton", "poisson", "fremond", "moreau", "sequential", "reentrant_corner"),
}
SYSTEMS = {  # name -> module of mcrock.laws.systems, description
    "planar_block": (
        "planar_blocks",
        "a block lands on its other corner: impulses and energy for every coefficient",
    ),
    "block_domains": ("planar_blocks", "which coefficients a planar block can have, over its aspect"),
    "block_3d": (
        "spatial_blocks",
        "edge and facet impacts of a block in space as generalized kinematic laws",
    ),
    "edge_impact": (
        "spatial_blocks",
        "parameters of edge impacts: the motion after one, and what gains no energy",
    ),
    "facet_impact": (
        "spatial_blocks",
        "parameters of facet impacts: the corner that a block goes on about, and its motion",
    ),
    "ball_chain": ("collisions", "balls in a row: what energy admits, and Newton's cradle"),
    "permissible_region": (
        "collisions",
        "impulses that one frictional contact can give, and what each law reaches of them",
    ),
    "impact_pendulum": ("rods", "a rod that strikes a floor at an angle, with friction"),
    "rod": ("rods", "a rod falls on two obstacles"),
    "rocking_rod": ("rods", "a rod rocks on two supports, or stops"),
    "flexible_rod": ("rods", "why a flexible rod rebounds less than its contact says"),
    "two_blocks": ("planar_blocks", "two blocks meet corner to corner"),
}


def __getattr__(name: str) -> Any:
    if name in LAWS:
        return law_function(name)
    raise AttributeError(f"module 'mcrock.laws' has no attribute {name!r}")


def law_function(name: str) -> Callable[..., Any]:
    """Function of a law.

    Parameters
    ----------
    name : str
        Key of `LAWS`.

    Returns
    -------
    callable
        From a `SingleContact` or `ContactProblem` and the coefficients of the law to an `ImpactResult`.

    Raises
    ------
    ValueError
        If there is no such law.

    Examples
    --------
    >>> law_function("moreau").__module__
    'mcrock.laws.inequalities'
    """
    if name not in LAWS:
        raise ValueError(f"no impact law {name!r}; there are {', '.join(LAWS)}{suggest(name, LAWS)}")
    home = next(home for home, names in _HOMES.items() if name in names)
    return getattr(importlib.import_module(f"mcrock.laws.{home}"), name)


def system_parameters(name: str) -> dict[str, Any]:
    """Parameters of a system of the source papers.

    Parameters
    ----------
    name : str
        Key of `SYSTEMS`.

    Returns
    -------
    dict
        Default of each parameter, by its name; SI units, degrees for names in ``_deg``.

    Raises
    ------
    ValueError
        If there is no such system.
    """
    parameters = inspect.signature(_function_of(name, "compute")).parameters
    return {key: parameter.default for key, parameter in parameters.items()}


def system_example(name: str, **parameters: Any) -> xr.Dataset:
    """Compute an example system of the source papers.

    Parameters
    ----------
    name : str
        Key of `SYSTEMS`.
    **parameters
        Parameters of the system to change; `system_parameters` lists them with their defaults.

    Returns
    -------
    Dataset
        Data of its figure, with ``title``, ``description`` and ``system`` as attributes;
        `plot_system` draws it.

    Raises
    ------
    ValueError
        If there is no such system or parameter, or a value is outside its domain.

    Examples
    --------
    >>> ds = system_example("rocking_rod", half_length=0.5)
    >>> ds.attrs["system"]
    'rocking_rod'
    """
    known = system_parameters(name)
    for key in parameters:
        if key not in known:
            raise ValueError(
                f"{name} has no parameter {key!r}; it has {', '.join(known)}{suggest(key, known)}"
            )
    ds: xr.Dataset = _function_of(name, "compute")(**parameters)
    return ds.assign_attrs(system=name)


def plot_system(ds: xr.Dataset) -> Axes:
    """Draw a system of the source papers.

    Parameters
    ----------
    ds : Dataset
        From `system_example`.

    Returns
    -------
    Axes
        The first, if there are several.

    Raises
    ------
    ValueError
        If the dataset is of no system.
    """
    name = ds.attrs.get("system")
    if name is None:
        raise ValueError("the dataset is of no system; make it with mcrock.laws.system_example")
    from mcrock.show.style import styled

    return styled(_function_of(name, "draw"))(ds)


def _function_of(name: str, verb: str) -> Callable[..., Any]:
    """The function of a system that computes or draws it."""
    if name not in SYSTEMS:
        raise ValueError(f"no system {name!r}; there are {', '.join(SYSTEMS)}{suggest(name, SYSTEMS)}")
    return getattr(importlib.import_module(f"mcrock.laws.systems.{SYSTEMS[name][0]}"), f"{verb}_{name}")
