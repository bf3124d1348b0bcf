"""Units: as files and people write them, as datasets do (`m s-2`), and as texts and figures show them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from mcrock.base.estimates import Term
from mcrock.base.params import STANDARD_GRAVITY

ACCELERATIONS = {
    "m/s2": 1.0,
    "cm/s2": 0.01,
    "mm/s2": 0.001,
    "gal": 0.01,
    "g": STANDARD_GRAVITY,
    "mg": STANDARD_GRAVITY / 1000,
    "%g": STANDARD_GRAVITY / 100,
    "ft/s2": 0.3048,
    "in/s2": 0.0254,
}
VELOCITIES = {"m/s": 1.0, "cm/s": 0.01, "mm/s": 0.001, "ft/s": 0.3048, "in/s": 0.0254}
LENGTHS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048}
ANGULAR_VELOCITIES = {"rad/s": 1.0, "deg/s": math.pi / 180.0, "dps": math.pi / 180.0}
ANGLES = {"rad": 1.0, "deg": math.pi / 180.0}
TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6}
MASSES = {"kg": 1.0, "g": 1e-3, "t": 1000.0, "lb": 0.45359237}
FREQUENCIES = {"Hz": 1.0}
RATIOS = {"1": 1.0}
DENSITIES = {"kg/m3": 1.0, "g/cm3": 1000.0, "t/m3": 1000.0}
KINDS = (
    ACCELERATIONS,
    VELOCITIES,
    LENGTHS,
    TIMES,
    FREQUENCIES,
    ANGLES,
    ANGULAR_VELOCITIES,
    MASSES,
    DENSITIES,
)
RAISED = str.maketrans("23", "²³")
LOWERED = str.maketrans("²³⁻", "23-")


def parse_unit(word: object) -> str | None:
    """Key of `ACCELERATIONS` that a word means, None if it means none of them.

    >>> [parse_unit(word) for word in ("CM/SEC/SEC", "m/s^2", "cm/s**2", "m·s⁻²", "Gal", "% g", "cm/s")]
    ['cm/s2', 'm/s2', 'cm/s2', 'm/s2', 'gal', '%g', None]
    """
    if not isinstance(word, str):
        return None
    text = re.sub(r"[\s*^.·]", "", word.lower().translate(LOWERED).replace("sec", "s"))
    text = re.sub(r"^milli-?g$", "mg", re.sub(r"(?:/s/s|/ss|s-2)$", "/s2", text))
    return text if text in ACCELERATIONS else None


def factor_to(unit: str, wanted: str) -> float | None:
    """How many of a wanted unit one of another is, in the words of any file; None if they are of two kinds.

    >>> factor_to("CM/SEC/SEC", "m/s2"), factor_to("ms", "s"), factor_to("g", "kg"), factor_to("Hz", "s")
    (0.01, 0.001, 0.001, None)
    """
    text = re.sub("seconds?|secs?", "s", unit.strip().lower().replace("°", "deg").translate(LOWERED))
    word = parse_unit(unit) or re.sub("[\\s^]", "", text)
    known = next((units for units in KINDS if wanted in units), {wanted: 1.0})
    size = {key.lower(): known[key] for key in known}.get(word.lower())
    return None if size is None else size / known[wanted]


def parse_intensity_unit(word: str) -> tuple[str, float] | None:
    """Unit of an intensity in datasets and the factor to it; None for a unit that no intensity has.

    >>> parse_intensity_unit("cm/s^2"), parse_intensity_unit("cm/sec"), parse_intensity_unit("ft/s")
    (('m s-2', 0.01), ('m s-1', 0.01), ('m s-1', 0.3048))
    """
    kinds = ("m s-2", "m s-1", "m", "s", "1")
    factors = ((units, factor_to(word, unit_in_text(units))) for units in kinds)
    return next(((units, factor) for units, factor in factors if factor is not None), None)


def strongest(units: str) -> tuple[float, str]:
    """Largest intensity that is taken for one, in the units of a dataset and as text.

    >>> strongest("m s-2"), strongest("m s-1")
    ((9806.65, '1000 g'), (1000.0, '1000 m/s'))
    """
    return (1e3 * STANDARD_GRAVITY, "1000 g") if units == "m s-2" else (1e3, f"1000 {unit_in_text(units)}")


def plain_number(text: str) -> float:
    """Finite number of a table as every program writes it, and not as Python alone reads it.

    Raises
    ------
    ValueError
        If it is none: also of ``1_000``, ``nan``, ``inf`` and digits of other scripts.

    Examples
    --------
    >>> plain_number(" 1.2e-3")
    0.0012
    """
    with suppress(ValueError):
        number = float(text)
        if math.isfinite(number) and "_" not in text and text.strip().isascii():
            return number
    raise ValueError(f"expected a number, got {text!r}")


def parse_number(text: str) -> float:
    """Number as people write it, with a decimal point or comma.

    Raises
    ------
    ValueError
        If it is not a number, or has a comma before three digits, which may be a thousand.

    Examples
    --------
    >>> parse_number("0,40"), parse_number(" 1.2e3 ")
    (0.4, 1200.0)
    """
    written = text.strip()
    if re.fullmatch(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?", written):
        plain = written.replace(",", "")
        raise ValueError(f"{written!r} may be {plain} or {written.replace(',', '.', 1)}: write one of them")
    with suppress(ValueError):
        return plain_number(written.replace(",", "."))
    raise ValueError(f"expected a number, got {written!r}")


def parse_quantity(text: str, units: Mapping[str, float]) -> float:
    """Number with one of some units behind it, or else in the first of them, in SI.

    Raises
    ------
    ValueError
        If it is not a number, as `parse_number` has it, or the unit is not among them.

    Examples
    --------
    >>> parse_quantity("140 cm", LENGTHS), parse_quantity("1,4", LENGTHS), parse_quantity("55in", LENGTHS)
    (1.4, 1.4, 1.397)
    """
    found = re.fullmatch(r"([+-]?[\d.,]+(?:[eE][+-]?\d+)?)\s*(\S*)", text.strip())
    known = {"": next(iter(units.values()))} | {key.casefold(): units[key] for key in units}
    if not found or found[2].casefold() not in known:
        first, *others = units
        behind = (
            f" with a unit [{first}; {', '.join(others)}], as in 1.4 {first}" if others else f" [{first}]"
        )
        raise ValueError(f"expected a number{behind}, got {text.strip()!r}")
    number, factor = parse_number(found[1]), known[found[2].casefold()]
    divisor = round(1.0 / factor)  # 140 / 100 is 1.4, and 140 * 0.01 is not
    return number / divisor if divisor > 1 and factor == 1.0 / divisor else number * factor


def units_of(unit: str) -> Mapping[str, float]:
    """Units of the kind of one, by their factors to it; the unit itself comes first.

    >>> list(units_of("m")), units_of("deg")
    (['m', 'cm', 'mm', 'in', 'ft'], {'deg': 1.0})
    """
    kinds = (LENGTHS, MASSES, TIMES, ACCELERATIONS, VELOCITIES)  # that people type
    return next((units for units in kinds if next(iter(units)) == unit), {unit: 1.0})


def split_header(header: str) -> tuple[str, str]:
    """Name and unit of a column; the unit is empty where none stands in brackets behind the name.

    >>> split_header("omega_x [deg/s]"), split_header("Gyroscope x (rad/s)"), split_header("SA(0.2) [g]")
    (('omega_x', 'deg/s'), ('Gyroscope x', 'rad/s'), ('SA(0.2)', 'g'))
    """
    found = re.fullmatch(r"(.*?)[\[(]([^\[\]()]*)[\])]?", header.strip())
    return (found[1].strip(), found[2].strip()) if found else (header.strip(), "")


def unit_in_dataset(unit: str) -> str:
    """Unit of a key of a study file as datasets write it.

    >>> unit_in_dataset("m/s"), unit_in_dataset("N/m"), unit_in_dataset("m/s2"), unit_in_dataset("1")
    ('m s-1', 'N m-1', 'm s-2', '1')
    """
    return re.sub(r"/([A-Za-z]+)(\d*)$", lambda found: f" {found[1]}-{found[2] or 1}", unit)


def unit_in_text(units: str) -> str:
    """Units of a dataset as study files and people write them.

    >>> unit_in_text("m s-2"), unit_in_text("kg m2"), unit_in_text("1"), unit_in_text("1/a")
    ('m/s2', 'kg m2', '1', 'per year')
    """
    words = re.sub(r" (\w+)-(\d)", lambda found: f"/{found[1]}{found[2]}".removesuffix("1"), units)
    return re.sub(r"^1/a\b", Term.PER_YEAR, words)


def unit_in_figure(units: str) -> str:
    """Units of a dataset as figures print them.

    >>> unit_in_figure("m s-2"), unit_in_figure("kg m-3"), unit_in_figure("N m s"), unit_in_figure("1")
    ('m/s²', 'kg/m³', 'N m s', '1')
    """
    return unit_in_text(units).translate(RAISED)


def variable(
    dims: str, values: Any, units: str, long_name: str, **attributes: Any
) -> tuple[list[str], Any, dict[str, Any]]:
    """A variable or a coordinate as xarray takes it.

    Parameters
    ----------
    dims : str
        Name of each dimension of the values, apart by spaces.
    values : array_like
    units, long_name : str
        As CF conventions have them, such as "m s-2".
    **attributes
        Further attributes.

    Examples
    --------
    >>> variable("contact time", [[0.0, 0.1]], "m", "gap of the contact")
    (['contact', 'time'], [[0.0, 0.1]], {'units': 'm', 'long_name': 'gap of the contact'})
    """
    return dims.split(), values, {"units": units, "long_name": long_name, **attributes}
