"""The fragility curve of a study: its text, its figure with band and fractions, files for other programs."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack
from xml.etree import ElementTree

import numpy as np
import xarray as xr

from mcrock.base.estimates import format_few, format_percent
from mcrock.base.params import STANDARD_GRAVITY
from mcrock.base.units import VELOCITIES, unit_in_text
from mcrock.dataset import to_frame
from mcrock.show import style, text
from mcrock.statistics import fit_fragility, overturning_probability, pooled
from mcrock.statistics.accepted_curve import (
    FAMILIES,
    ISOTONIC,
    AcceptedCurve,
    BoundedCurve,
    FragilityCurve,
    accept_curve,
    accepted_family,
    choice_of,
    rejects_lognormal,
)
from mcrock.statistics.fragility import WORDS
from mcrock.statistics.goodness import is_rejected
from mcrock.statistics.intervals import Bootstrap, BootstrapKeywords
from mcrock.statistics.likelihood import FitKind, link_of, log_parameters
from mcrock.statistics.measures import own_measure
from mcrock.statistics.probability import EVENT, by_limit, displacement_limit
from mcrock.statistics.rates import LognormalCurve, integration_points
from mcrock.statistics.resampling import Units, fit_sample
from mcrock.statistics.runs import ESTIMATE, config_of, run_intensity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DISPERSION = "{dispersion:with ends}"
OPEN = "interval open"
UNSUPPORTED = "Dashed: no run supports the curve."


def format_median(fit: xr.Dataset) -> str:
    """Median of a curve and its interval; "-" where there is no curve."""
    known, ends = text.cell(fit, "median_capacity"), format_ends(fit)
    return known if "-" in (known, ends) else f"{known} ({ends})"


def format_ends(fit: xr.Dataset, name: str = "median_capacity") -> str:
    """Interval of the median of a curve, open where runs do not bound it."""
    return text.label_interval(fit, f"{name}_interval").replace("open", OPEN)


def format_half(fit: xr.Dataset) -> str:
    """Where the curve that a study goes by has one half."""
    return text.cell(fit.isel(probability=-1), "accepted_reached")


def format_half_ends(fit: xr.Dataset) -> str:
    """Interval of the intensity at which the curve that a study goes by has one half."""
    return format_ends(fit.isel(probability=-1), "accepted_reached")


def format_accepted_median(fit: xr.Dataset) -> str:
    """Median of the lognormal curve, or where the curve has one half that the study goes by in its place."""
    return format_half(fit) if rejects_lognormal(fit) else text.cell(fit, "median_capacity")


def format_accepted_ends(fit: xr.Dataset) -> str:
    """Interval of `format_accepted_median`."""
    return format_half_ends(fit) if rejects_lognormal(fit) else format_ends(fit)


def format_fragility(fit: xr.Dataset) -> str:
    """Parameters of the curve, or what is known of the median where there is none."""
    kind = fit.attrs["fit"]
    if not (math.isnan(float(fit["median_capacity"])) or kind.startswith("separated")):
        curve = link_of(fit.attrs.get("link", "probit")).curve.capitalize()
        spread = text.write(fit, DISPERSION)
        return f"{curve} fragility ({kind}): median {format_median(fit)}, dispersion {spread}"
    doubt = int(fit["undecided"]) > 0
    what, verb = f"no curve ({kind})", "was beyond the limit" if EVENT in fit.attrs else "overturned"
    if kind.startswith("none overturned"):
        what = f"nothing {verb} without doubt" if doubt else f"nothing {verb}"
    elif kind.startswith("all overturned"):
        what = f"everything {verb}, or is undecided" if doubt else f"everything {verb}"
    ends = format_ends(fit)
    if ends == OPEN:
        return f"Fragility: {what}; the intervals are too wide to bound the median"
    ends = f"between {ends.replace(' to ', ' and ')}" if " to " in ends else ends
    return f"Fragility: {what}; the median lies {ends} ({text.percent(fit)} interval)"


def median_sentence(fit: xr.Dataset) -> str:
    """At which intensity half of such motions overturn the body, and from how many runs that is known."""
    event = fit.attrs.get(EVENT)
    of_limit = f"the response goes beyond its limit ({event})"
    fell, runs, of_runs = int(fit["overturned"]), int(fit["runs"]), text.count_words(fit, int(fit["runs"]))
    counted = f"In {fell} of {of_runs} {of_limit if event else 'the body overturns'}"
    if not fell < runs or fell == 0 or not float(fit["median_capacity"]) > 0:
        return f"{counted}; the strongest was shaken by {text.label(fit['strongest_run'])}"
    if math.isinf(fit["accepted_reached"][-1]):
        return f"{counted}; half of such motions would do so at none of the intensities run"
    spread = "" if rejects_lognormal(fit) else f", dispersion {text.write(fit, DISPERSION)}"
    what = f"Under half of such motions {of_limit}" if event else "Half of such motions overturn the body"
    return (
        f"{what} at about {text.label(fit['accepted_reached'][-1])} ({text.percent(fit)} interval "
        f"{format_half_ends(fit)}){spread}; {of_runs}"
    )


def format_support(fit: xr.Dataset) -> list[str]:
    """Lines on a curve that the runs reject, and on where none supports it; none where all is well."""
    lines, median = [], float(fit["median_capacity"])
    if rejects_lognormal(fit):
        names = ("probability", "accepted_reached", "accepted_below")
        units = str(fit["accepted_reached"].attrs["units"])
        parts = zip(*(fit[name].values.tolist() for name in names), strict=True)
        reached = ", ".join(f"{100 * q:g} % {text.label_place(at, below, units)}" for q, at, below in parts)
        lines.append(
            f"{choice_of(fit).words}: go by {FAMILIES[accepted_family(fit)].words}, which reach {reached}"
        )
    below = int(fit["runs_below"])
    if below and math.isfinite(float(fit["weakest_overturning"])) and float(fit["dispersion"]) > 0:
        verb = "was beyond the limit" if EVENT in fit.attrs else "overturned"
        lines.append(
            f"below {text.label(fit['weakest_overturning'])}, the weakest intensity at which a run {verb}, "
            f"the curve is an extrapolation: it expects {format_few(float(fit['expected_below']))} among the "
            f"{text.format_count(below, 'run')} there, and there were none; more recordings tell what is true"
        )
    if median > float(fit["strongest_run"]):
        lines.append(
            f"the median lies beyond {text.label(fit['strongest_run'])}, the strongest intensity of a run: "
            "an extrapolation; stronger levels tell where it is"
        )
    if float(fit["only_slide"]) > 0 and math.isfinite(median):
        lines.append(
            f"{format_percent(float(fit['only_slide']))} of the realizations have too little friction to "
            "rock from rest: they slide, however strong the motion (a round base only if it is exactly flat: "
            "mcrock docs contact round), and a curve that rises to 1 holds no further than the runs"
        )
    return lines


@style.figure_of_runs(Bootstrap)
def plot_fragility(
    ds: xr.Dataset,
    ax: Axes | None = None,
    *,
    found: xr.Dataset | None = None,
    **keywords: Unpack[BootstrapKeywords],
) -> Axes:
    """Draw the fitted curve, its band, and the observed fractions with their intervals.

    Parameters
    ----------
    ds : Dataset
        Study, as for `mcrock.statistics.fit_fragility`.
    ax : Axes, optional
        Where to draw; by default on a new figure one column wide.
    found : Dataset, optional
        From `mcrock.statistics.fit_fragility`, of the same runs and keywords; by default computed.
    **keywords
        As for `mcrock.statistics.fit_fragility`.

    Returns
    -------
    Axes
        Acceleration in g, other intensities in their own unit.

    Raises
    ------
    ValueError
        As `mcrock.statistics.fit_fragility`.
    """
    how = Bootstrap(**keywords)
    points = observed(ds, how)
    fit = fit_fragility(ds, **keywords) if found is None else found
    ax = style.new_axes() if ax is None else ax
    factor = style.level_axis(ax, fit["intensity_grid"], 1.0)
    x, known = fit["intensity_grid"].values * factor, _known(fit, points)
    rejected = rejects_lognormal(fit)
    colour = style.GREY if rejected else style.BLUE
    if known.sum() > 1:
        low, high = fit["band"].values[:, known]
        look: dict[str, Any] = {"color": colour, "alpha": 0.22, "linewidth": 0}
        ax.fill_between(x[known], low, high, label=f"{how.level:.0%} band", **look)
    if np.isfinite(fit["median_capacity"]):
        draw_curve(ax, x, fit, colour, label="lognormal fit" + not_gone_by(fit))
    if rejected:
        ax.plot(x, accepted_values(fit), color=style.BLUE, label=accepted_label(fit))
    p, ends = points["probability"].values, points["interval"].values
    look = {"color": style.ORANGE, "clip_on": False, "label": f"runs, {how.level:.0%} interval"}
    style.error_bars(ax, points["intensity"].values * factor, p, ends, **look)
    style.probability_axis(ax, probability_label(fit))
    style.legend_above(ax, 2 if rejected else 3, handlelength=1.2, handletextpad=0.5)
    verb = f"with {fit.attrs[EVENT]} or overturned" if EVENT in fit.attrs else "overturned"
    doubt = f", {int(fit['undecided'])} undecided (both ways in the intervals)" * bool(fit["undecided"])
    band = "every rising curve through the intervals"
    if fit.attrs["method"] == "resampling":
        band = f"{fit.attrs['resamples']} resamples of the {fit.attrs['independent']}"
    lines = [
        f"{text.count_words(fit, int(fit['runs']))}, {int(fit['overturned'])} {verb}{doubt}",
        format_fragility(fit),
        *format_support(fit),
    ]
    note = " ".join(f"{line[:1].upper()}{line[1:]}." for line in [*lines, f"Band: {band}"])
    return style.add_note(ax, f"{note}{bins_words(points)} {UNSUPPORTED}")


def observed(ds: xr.Dataset, how: Bootstrap) -> xr.Dataset:
    """`overturning_probability` at the intensities that have runs."""
    points = overturning_probability(ds, **how.keywords)
    return points.isel(intensity=points["runs"].values > 0)


def probability_label(found: xr.Dataset) -> str:
    """Name of the axis of a probability: of overturning, or of exceeding the limit of a response."""
    event = "exceeding the limit" if EVENT in found.attrs else "overturning"
    return f"Probability of {event} [1]"


def bins_words(points: xr.Dataset) -> str:
    """A sentence on the points of a cloud, which are bins."""
    if "intensity_range" not in points:
        return ""
    return f" Points: {points.sizes['intensity']} bins of the intensity, at their medians."


def accepted_values(fit: xr.Dataset) -> np.ndarray:
    """The curve that a study goes by up to the strongest run [1]."""
    return fit["accepted_curve"].where(fit["intensity_grid"] <= fit["strongest_run"]).values


def accepted_label(fit: xr.Dataset) -> str:
    """Name of that curve in a legend."""
    return FAMILIES[accepted_family(fit)].words.removeprefix("the ")


def not_gone_by(fit: xr.Dataset) -> str:
    """What a legend adds to the lognormal curve."""
    return (", rejected" if is_rejected(fit) else ", not gone by") * rejects_lognormal(fit)


def draw_curve(ax: Axes, x: np.ndarray, fit: xr.Dataset, colour: str, **look: Any) -> None:
    """Draw the curve of a fit over ``x``, dashed where no run supports it."""
    curve, beyond = fit["curve"].values, fit["extrapolated"].values
    ax.plot(x, np.where(beyond, np.nan, curve), color=colour, **look)
    joined = beyond | np.append(beyond[1:], False) | np.insert(beyond[:-1], 0, False)
    ax.plot(x, np.where(joined, curve, np.nan), color=colour, linestyle=(0, (3, 2)))


def _known(fit: xr.Dataset, points: xr.Dataset) -> np.ndarray:
    """Intensities of the grid that the band says something about.

    Bounds through the intervals of the shares know nothing beyond the runs, and jump there to 0 or 1.
    """
    x = fit["intensity_grid"].values
    if fit.attrs["method"] == "resampling":
        return np.ones(len(x), bool)
    weakest = strongest = points["intensity"].values
    if "intensity_range" in points:
        weakest, strongest = points["intensity_range"].values
    return (x >= strongest.min()) & (x <= weakest.max())


NRML = "http://openquake.org/xmlns/nrml/0.5"
STATE = "overturning"
WIDE = 4.0  # dispersions on both sides of the median that a continuous curve is given for
FAINT = 1e-3  # of the lowest level of a study: what shakes nothing [1]
TAIL = 1e-6  # probability that a curve is given from on, up to as little below 1 [1]
MOST = 40  # levels of which what is between them is given too
PARTED = 1e-7  # by which equal fractions are where a program wants them to rise [1]
CURVE = ("median_capacity", "dispersion", "median_capacity_interval", "dispersion_interval")
POINTS = ("probability", "interval", "runs", "overturned", "undecided")
HEADER = (
    "ID,Incomplete,Demand-Type,Demand-Unit,Demand-Offset,Demand-Directional,"
    "LS1-Family,LS1-Theta_0,LS1-Theta_1,LS1-DamageStateWeights"
)
OF_STATE = HEADER[HEADER.index(",LS1") :]


class Name(NamedTuple):
    """What a program calls an intensity, and its unit in those of the dataset."""

    name: str
    unit: str
    size: float


OPENQUAKE = {
    "pga": ("PGA", "g", STANDARD_GRAVITY),
    "pgv": ("PGV", "cm/s", VELOCITIES["cm/s"]),
    "sa": ("SA", "g", STANDARD_GRAVITY),
}
PELICUN = {
    "pga": ("Peak Ground Acceleration", "g", STANDARD_GRAVITY),
    "pgv": ("Peak Ground Velocity", "cmps", VELOCITIES["cm/s"]),
    "pfa": ("Peak Floor Acceleration", "g", STANDARD_GRAVITY),
    "pfv": ("Peak Floor Velocity", "mps", 1.0),
    "sa": ("Spectral Acceleration", "g", STANDARD_GRAVITY),
}


def openquake_fragility(ds: xr.Dataset, *, identifier: str = "body", curve: str | None = None) -> str:
    """Fragility of a study as an OpenQuake fragility model, NRML 0.5.

    Parameters
    ----------
    ds : Dataset
        Study whose intensity is PGA, PGV or a spectral acceleration; a nested one is pooled.
    identifier : str
        Taxonomy of the body in the exposure.
    curve : str, optional
        One of `mcrock.statistics.FAMILIES`; by default that which the study goes by. The
        lognormal curve is given by mean and standard deviation of the intensity itself, as OpenQuake wants
        them, any other by its values. Below the lowest level of the empirical fractions there is no damage if
        nothing overturned there, else the fraction falls to 0 in a line, at a thousandth of the level:
        OpenQuake takes what is not given for no damage, or for no number.

    Raises
    ------
    ValueError
        If the intensity has no name there, or there is no such curve.
    """
    accepted = accept_curve(ds, Bootstrap())
    _curve(accepted, curve)  # refused before it is described
    words = filter(None, (ds.attrs.get("title"), ds.attrs.get("source"), written_curve(accepted, curve)))
    return openquake_model({identifier: accepted}, ", ".join(words), curve)


def openquake_model(curves: Mapping[str, AcceptedCurve], words: str, curve: str | None = None) -> str:
    """Fragility model of several bodies by their taxonomies; as `openquake_fragility`."""
    root = ElementTree.Element("nrml", xmlns=NRML)
    model = ElementTree.SubElement(
        root, "fragilityModel", id="mcrock", assetCategory="contents", lossCategory="contents"
    )
    ElementTree.SubElement(model, "description").text = words
    ElementTree.SubElement(model, "limitStates").text = STATE
    for identifier, accepted in curves.items():
        _add_function(model, identifier, accepted, curve)
    ElementTree.indent(root)
    return f"<?xml version='1.0' encoding='utf-8'?>\n{ElementTree.tostring(root, encoding='unicode')}\n"


def _add_function(
    model: ElementTree.Element, identifier: str, accepted: AcceptedCurve, curve: str | None
) -> None:
    found = _curve(accepted, curve)
    imt = _name(accepted.ds, OPENQUAKE, "OpenQuake", "{}({})")
    function = ElementTree.SubElement(model, "fragilityFunction", id=identifier)
    if isinstance(found, LognormalCurve):
        median, dispersion = found.median / imt.size, found.dispersion
        mean = median * math.exp(dispersion**2 / 2)
        least, most = (_text(median * math.exp(sign * WIDE * dispersion)) for sign in (-1, 1))
        function.attrib |= {"format": "continuous", "shape": "logncdf"}
        ElementTree.SubElement(function, "imls", imt=imt.name, noDamageLimit=least, minIML=least, maxIML=most)
        spread = mean * math.sqrt(math.expm1(dispersion**2))
        ElementTree.SubElement(function, "params", ls=STATE, mean=_text(mean), stddev=_text(spread))
    else:
        function.set("format", "discrete")
        x, probability = _values(found, accepted.units.sums()[0])
        imls = ElementTree.SubElement(function, "imls", imt=imt.name, noDamageLimit=_text(x[0] / imt.size))
        imls.text = " ".join(_text(at / imt.size) for at in x)
        ElementTree.SubElement(function, "poes", ls=STATE).text = " ".join(map(_text, probability))


def limit_states(ds: xr.Dataset, limits: Sequence[tuple[str, float]] = ()) -> list[AcceptedCurve]:
    """Curves of limit states that follow each other, the mildest first, overturning last.

    A state includes those behind it: a body that fell off its support had slid before, and one that
    overturned counts as fallen, so that fractions are in order at every intensity. With limits that where the
    body falls off its support, if the study has one, is a state too. States that no run reached are left out.

    Parameters
    ----------
    ds : Dataset
        As for `openquake_fragility`.
    limits : sequence of (str, float)
        One response and its limits in its unit, as for `mcrock.statistics.by_limit`.

    Raises
    ------
    ValueError
        If the limits are of several responses, of which none includes another; as `by_limit`.
    """
    asked, edge = set(limits), displacement_limit(ds)
    if asked and edge is not None:
        asked.add(("peak_displacement", edge))
    if len(names := {name for name, _ in asked}) > 1:
        raise ValueError(
            "limit states follow each other, so their limits, and that of the support of the study, must be "
            f"of one response; got {', '.join(sorted(names))}"
        )
    judged = [*(by_limit(ds, *limit) for limit in sorted(asked)), ds]
    states = [accept_curve(one, Bootstrap()) for one in judged]
    return [one for one in states if math.isfinite(one.support[0])] or states[-1:]


def pelicun_fragility(
    ds: xr.Dataset,
    *,
    identifier: str = "body",
    curve: str | None = None,
    limits: Sequence[tuple[str, float]] = (),
) -> str:
    """Fragility of a study as a row of a pelicun fragility library, CSV of version 3.

    Any curve but the lognormal one is a `multilinear_CDF`, which pelicun wants to rise strictly from 0 to 1:
    equal values are parted by 1e-7, and what stands at the strongest level gets capacities up to a thousand
    times as large. The demand is that at the location itself (offset 0). Two defaults of pelicun change it:
    what is not directional is multiplied by 1.2, and floor accelerations and velocities are those one floor
    down.

    Parameters
    ----------
    ds, identifier, curve
        As for `openquake_fragility`. Where curves of limit states would cross at an intensity of the study,
        all are the empirical fractions, which do not.
    limits : sequence of (str, float)
        Of `limit_states` before overturning: LS1, LS2 and so on, each with one damage state.

    Raises
    ------
    ValueError
        If the intensity has no name there, or there is no such curve; as `limit_states`.
    """
    return pelicun_library({identifier: limit_states(ds, limits)}, curve)


def library_notes(states: Sequence[AcceptedCurve]) -> list[str]:
    """What each of several limit states is, and whose motion the demand is of a body on a floor."""
    events = [one.ds.attrs.get(EVENT, STATE) for one in states]
    notes = [f"LS{number}: {event}" for number, event in enumerate(events, 1) if len(events) > 1]
    measure = own_measure(states[0].ds)
    if config_of(states[0].ds).get("motion", {}).get("floor") and measure in ("pga", "pgv"):
        floor = measure.replace("g", "f")
        notes.append(
            f"the demand, {measure}, is of the ground below the floor; a study by {floor!r} has its own"
        )
    return notes


def pelicun_library(bodies: Mapping[str, Sequence[AcceptedCurve]], curve: str | None = None) -> str:
    """Library of several bodies, one a row, by their `limit_states`; as `pelicun_fragility`."""
    rows = []
    for name, states in bodies.items():
        demand, x = _name(states[0].ds, PELICUN, "pelicun", "{}|{}"), states[0].units.intensity
        values = np.array([_curve(one, curve).at(x) for one in states])
        family = curve if (np.diff(values, axis=0) <= 0).all() else ISOTONIC
        cells = [cell for one in states for cell in _state(one, demand, family)]
        rows.append(",".join([name, "0", demand.name, demand.unit, "0", "0", *cells]))
    most = max(map(len, bodies.values()))
    more = (OF_STATE.replace("LS1", f"LS{number}") for number in range(2, most + 1))
    return "\n".join([HEADER + "".join(more), *rows, ""])


def _state(accepted: AcceptedCurve, demand: Name, curve: str | None) -> list[str]:
    """Cells of a limit state."""
    found = _curve(accepted, curve)
    if isinstance(found, LognormalCurve):
        family, parameters = "lognormal", [_text(found.median / demand.size), _text(found.dispersion)]
    else:
        level, rising = _values(found, accepted.units.sums()[0])
        level, rising = np.append(level, level[-1] / FAINT), np.append(rising, 1.0)
        rising = np.minimum(rising + PARTED * np.arange(len(rising)), 1.0)
        rising[0] = 0.0
        last = int(np.argmax(rising > 1.0 - PARTED))
        rising[last] = 1.0
        x, y = (",".join(map(_text, part[: last + 1])) for part in (level / demand.size, rising))
        family, parameters = "multilinear_CDF", [f'"{x}|{y}"', ""]
    return [family, *parameters, ""]


def json_fragility(ds: xr.Dataset) -> str:
    """Fragility of a study as JSON, with what a program needs that draws curves at random.

    `lognormal` has median, dispersion, their intervals and the `covariance` of ln(median) and ln(dispersion),
    the jackknife's over recordings; null where there is no curve. `points` are the fractions at the levels,
    or in the bins of a cloud, with their intervals. `accepted` is the curve that the study goes by, why, and
    its values with their band.

    Parameters
    ----------
    ds : Dataset
        As for `mcrock.fit_fragility`; a nested study is pooled.
    """
    ds = pooled(ds)
    fit, accepted = fit_fragility(ds), accept_curve(ds, Bootstrap())
    points, units, x = accepted.points, accepted.units, fit["intensity_grid"].values
    known = math.isfinite(float(fit["median_capacity"])) and float(fit["dispersion"]) > 0
    lognormal = {name: fit[name].values.tolist() for name in CURVE}
    if known:
        names = ["ln(median_capacity)", "ln(dispersion)"]
        lognormal |= {"covariance_of": names, "covariance": covariance_of(units)}
    axis = run_intensity(ds).attrs
    intensity = {"measure": own_measure(ds), "units": axis.get("units", "1")}
    curve = {
        "what": "fragility curve of mcrock",
        **{key: ds.attrs[key] for key in ("title", "source", EVENT) if key in ds.attrs},
        "intensity": intensity | {"long_name": axis.get("long_name", "intensity")},
        "level": fit.attrs["level"],
        "fit": fit.attrs["fit"],
        "fit_p_value": fit["fit_p_value"].values,
        "lognormal": lognormal if known else None,
        "accepted": {
            "family": accepted.choice.family,
            "why": accepted.choice.why,
            "curve": {"intensity": x, "probability": accepted.curve.at(x), "band": accepted.band(x)},
        },
        "points": {"intensity": points["intensity"].values} | {name: points[name].values for name in POINTS},
        "recordings": int(fit["records"]),
        "independent": fit.attrs["independent"],
    }
    return json.dumps(text.as_json(curve), indent=1, allow_nan=False) + "\n"


def covariance_of(units: Units) -> np.ndarray:
    """Covariance (2, 2) of ln(median) and ln(dispersion) of a lognormal curve: the jackknife's."""
    fitted, n = fit_sample(units, units.overturned[ESTIMATE], Bootstrap(resamples=1)), units.number
    found = log_parameters(fitted.left_out)
    spread = found - fitted.copies @ found / n
    return np.asarray((n - 1) / n * (spread.T * fitted.copies) @ spread)


def outcome_rows(ds: xr.Dataset) -> str:
    """Runs of a study as the table that `mcrock.read_outcomes` takes, with all that is known of each.

    The runs of a nested study are pooled: the table does not say what is epistemic.
    """
    ds = pooled(ds)
    axis = run_intensity(ds)
    name = f"{own_measure(ds)} [{unit_in_text(axis.attrs.get('units', '1'))}]"
    return to_frame(ds).rename(columns={axis.name: name}).to_csv(index=False)


def _text(value: float) -> str:
    return f"{value:.10g}"


def _name(ds: xr.Dataset, names: dict[str, tuple[str, str, float]], program: str, with_period: str) -> Name:
    """Name and unit of the intensity of a study in a program."""
    measure = own_measure(ds)
    found = re.fullmatch(r"([a-z]+)(?:_([\dp]+)s)?", measure)
    if found is None or found[1] not in names:
        raise ValueError(
            f"{program} knows the intensities {', '.join(names)} (with 5 % damping), and that of the study "
            f"is {measure!r}; run it with one of these as intensity.measure"
        )
    name, unit, size = names[found[1]]
    return Name(with_period.format(name, float(found[2].replace("p", "."))) if found[2] else name, unit, size)


def _curve(accepted: AcceptedCurve, family: str | None) -> FragilityCurve:
    """The accepted curve of a study, or that of a family."""
    if family is not None and family not in FAMILIES:
        raise ValueError(f"curve must be {' or '.join(map(repr, FAMILIES))}, got {family!r}")
    curve = accepted.curves[family or accepted.choice.family]
    if not curve.at(accepted.units.intensity[-1:])[0] > 0:
        kind = FitKind(accepted.units.curve().kind[0])
        raise ValueError(f"there is no curve to export: {WORDS[kind]}")
    return curve


def written_curve(accepted: AcceptedCurve, family: str | None = None) -> str:
    """What an export says of its curve; empty where that is the lognormal one, which the study goes by."""
    own, written = accepted.choice.family, family or accepted.choice.family
    if written == own:
        return (
            ""
            if own == "lognormal" and not accepted.least
            else f"by {FAMILIES[own].words}: {accepted.choice.words}"
        )
    return (
        f"by {FAMILIES[written].words}, but the study goes by {FAMILIES[own].words}: {accepted.choice.words}"
    )


def export_notes(accepted: AcceptedCurve, family: str | None = None) -> list[str]:
    """What is to be known of an exported curve, some of it perhaps empty."""
    return [written_curve(accepted, family), end_note(accepted)]


def end_note(accepted: AcceptedCurve) -> str:
    """Where the runs of an exported curve end, if a body may still stand there; empty if not."""
    strongest, event = accepted.support[1], accepted.ds.attrs.get(EVENT, STATE)
    reached = float(accepted.isotonic.at(np.array([strongest]))[0])
    if reached >= 1.0:
        return ""
    at = text.label_intensities([strongest], run_intensity(accepted.ds).attrs.get("units", "1"))[0]
    return (
        f"caution: at {at}, the strongest run, the probability of {event} is {format_percent(reached)}: "
        "beyond it the file says what no run tells; for larger demands run stronger levels"
    )


def _values(curve: FragilityCurve, level: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Intensities and probabilities of a curve that is straight between them, from 0 on."""
    x = integration_points(level) if len(level) <= MOST else level
    least, most = curve.reached(TAIL), curve.reached(1 - TAIL)
    if least < level[0]:
        x = np.append(np.geomspace(least, level[0], MOST)[:-1], x)
    if level[-1] < most < np.inf:
        x = np.append(x, np.geomspace(level[-1], most, MOST)[1:])
    if isinstance(curve, BoundedCurve):
        x = np.append(curve.least * np.array([1 - 1e-6, 1.0]), x[x > curve.least])
    probability = curve.at(x)
    if probability[0] > TAIL:
        return np.append(level[0] * FAINT, x), np.append(0.0, probability)
    return x, np.append(0.0, probability[1:])
