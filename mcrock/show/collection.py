"""A collection in words, tables and figures: which object first, how many fall together, what is lost.

`compose_collection` makes all of it once; the command, the page for whoever decides and the app show it.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.base.estimates import format_percent
from mcrock.ensemble.collection import Results
from mcrock.show import style, text
from mcrock.show.body import describe_object, object_numbers, plot_body
from mcrock.show.fragility import openquake_model, pelicun_library, plot_fragility
from mcrock.show.report.content import Block, Section, embed
from mcrock.show.report.page import build_page, save_report
from mcrock.show.report.results import KeyFigure
from mcrock.show.report.subject import body_at_medians
from mcrock.statistics import collection as statistics
from mcrock.statistics.accepted_curve import accept_curve
from mcrock.statistics.collection import Losses
from mcrock.statistics.intervals import Bootstrap
from mcrock.statistics.probability import by_support
from mcrock.statistics.runs import study_of
from mcrock.study.collection import Collection

MOST, SHEETS = 20, 60  # objects that a terminal lists, and that have a sheet on the page
NEAR = 0.15  # sizes of objects whose names would lie on each other, by their logarithms
HOUSNER = (0.2, 0.4, 0.8, 1.6)  # velocities of the lines on the map [m/s]
G = 9.81  # of these lines [m/s2]


class Asked(NamedTuple):
    """What a collection is asked."""

    at: float | None = None  # level; None is where about half of the objects fall [unit of the intensity]
    hazard: xr.Dataset | None = None  # of the site, or of one earthquake
    years: float = 50.0  # for which a probability is given [a]
    worst: int = statistics.WORST  # objects that are most urgent
    level: float = 0.95  # of the intervals [1]

    @property
    def is_scenario(self) -> bool:
        """Whether the hazard is that of one earthquake, whose rates are probabilities."""
        return self.hazard is not None and "scenario" in self.hazard.attrs


class Found(NamedTuple):
    """All that is known of a collection."""

    results: Results
    asked: Asked
    objects: xr.Dataset  # of `judge_objects`, the most urgent first
    number: xr.Dataset  # of `number_lost`
    events: xr.Dataset  # of `loss_events`
    change: xr.Dataset | None  # of `change_of_losses`


def describe_collection(collection: Collection) -> list[str]:
    """Objects of a table before they are run: size, slenderness, what starts rocking, place."""
    rows = []
    for item in collection.items:
        found = object_numbers(item.study)
        rows.append(
            [
                text.shorten(item.name, 30),
                str(item.study.body.shape),
                f"{math.degrees(found['slenderness']):.3g}",
                f"{found['radius']:.3g}",
                f"{found['uplift']:.2g}",
                item.place or "-",
                str(item.number),
                f"{item.value:g}",
            ]
        )
    heads = ["object", "shape", "slenderness [deg]", "R [m]", "rocks from [g]", "place", "number", "value"]
    runs = sum(item.number * item.study.n_runs for item in collection.items)
    count = sum(item.number for item in collection.items)
    first = collection.items[0].study
    return [
        f"{collection.title}: {text.format_count(len(rows), 'row')}, {text.format_count(count, 'object')}, "
        f"each {first.n_realizations} realizations at {first.n_intensity} levels: {runs} runs",
        text.format_table(heads, rows, left=True),
        *map(text.Caution, collection.cautions),
    ]


def find(results: Results, asked: Asked, other: Results | None = None) -> Found:
    """Compute all that is known of a collection; ``other`` is the same one after a change."""
    losses = losses_of(results)
    at = statistics.busiest_level(losses) if asked.at is None else asked.at
    asked = asked._replace(at=at)
    rows = Lazy(results, [row.name for row in results.rows])
    objects = statistics.judge_objects(rows, asked.hazard, intensity=at, worst=asked.worst, level=asked.level)
    of_rows = {
        key: ("object", [getattr(row, key) for row in results.rows]) for key in ("place", "group", "note")
    }
    number = [len(row.members) for row in results.rows]
    value = [row.value for row in results.rows]
    objects = objects.assign_coords(of_rows).assign(number=("object", number), value=("object", value))
    if asked.hazard is not None:
        loss = objects["rate"].values * np.array(number) * np.array(value)
        objects["loss"] = ("object", loss, {"units": "1/a", "long_name": "value lost a year"})
    events = statistics.loss_events(losses, asked.hazard, level=asked.level)
    change = None
    if other is not None:
        change = statistics.change_of_losses(losses, losses_of(other), at, level=asked.level)
    order = np.lexsort((-objects["probability"].values, objects["rank"].values))
    return Found(
        results,
        asked,
        objects.isel(object=order),
        statistics.number_lost(losses, at, level=asked.level),
        events,
        change,
    )


def losses_of(results: Results) -> Losses:
    """Losses of all single objects of a collection."""
    members = [*results.members]
    values = {name: row.value for row, name in members}
    groups = {name: row.group for row, name in members}
    return statistics.count_losses(Lazy(results, [name for _, name in members]), values, groups)


class Lazy(Mapping[str, xr.Dataset]):
    """Results of objects by name, opened when they are looked at."""

    def __init__(self, results: Results, names: list[str]) -> None:
        self.results, self.names = results, names

    def __getitem__(self, name: str) -> xr.Dataset:
        return self.results.open(name)

    def __iter__(self) -> Any:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def compose_collection(found: Found) -> text.Composition:
    """Answer, objects by urgency, losses, figures and files of a collection."""
    blocks: list[str] = [
        *answer_blocks(found),
        f"What falls together at {text.label(found.number['intensity'])}",
        number_table(found),
        *event_blocks(found),
        *notes(found),
    ]
    tables = {"objects": found.objects, "number": found.number, "events": found.events}
    if found.change is not None:
        tables["change"] = found.change
    drawings = {
        "objects": lambda: _urgency(found),
        "map": lambda: _map(found),
        "number": lambda: _number(found),
        "losses": lambda: _losses(found),
    }
    return text.Composition(tables, blocks, drawings, {"objects.csv": lambda: table_csv(found)})


def answer_blocks(found: Found) -> list[str]:
    """What a run ends with: the answer, and the objects by urgency."""
    return [
        *answer_lines(found),
        "",
        "Objects, the most urgent first",
        object_table(found, MOST),
        *_more(found),
    ]


def answer_lines(found: Found) -> list[str]:
    """The answer in sentences: how many fall, which first, what the site or the earthquake makes of it."""
    number, objects, asked = found.number, found.objects, found.asked
    n = number.sizes["lost"] - 1
    lines = [
        f"In an earthquake of {text.label(number['intensity'])}: "
        f"{text.with_ends(number, 'expected_number')} of {text.format_count(n, 'object')} fall on average; "
        f"{_likely(number)}"
    ]
    first = objects.isel(object=0)
    quantity = "rate" if asked.hazard is not None else "probability"
    words = {
        "rate": " 1/a" * (not asked.is_scenario),
        "probability": f" at {text.label(number['intensity'])}",
    }
    lines.append(
        f"most urgent: {first['object'].item()}, {text.cell(first, quantity)}{words[quantity]} "
        f"({text.percent(objects)} interval {text.ends(first, f'{quantity}_interval')})"
    )
    if asked.hazard is not None:
        event = found.events.sel(event="any object")
        rates = text.estimate(event, "event_rate")
        if asked.is_scenario:
            lines.append(
                f"in the earthquake of {asked.hazard.attrs['scenario']} at least one falls with a "
                f"probability of {_with(*rates)}"
            )
        else:
            in_years = _chance(rates, asked.years)
            lines.append(
                f"in {asked.years:g} years at least one falls with a probability of {_with(*in_years)}; "
                f"a year takes {text.with_ends(found.events, 'share_rate')} of the whole value on average"
            )
    if found.change is not None:
        lines.append(_change_line(found))
    return lines


def _with(value: float, low: float, high: float) -> str:
    one = xr.Dataset({"x": value, "x_interval": ("bound", [low, high])})
    return text.with_ends(one, "x")


def _likely(number: xr.Dataset) -> str:
    """Two numbers of objects between which it lies in nine of ten earthquakes."""
    above = number["exceedance"].values
    low = int(np.flatnonzero(above >= 0.95)[-1])
    high = int(np.flatnonzero(above > 0.05)[-1])
    words = f"{low} to {high}" if low < high else f"{low}"
    none = float(number["number_probability"][0])
    more = f", none in {format_percent(none)}" if none >= 0.005 and low else ""
    return f"{words} in nine of ten such earthquakes{more}"


def _change_line(found: Found) -> str:
    assert found.change is not None
    at = text.label(found.number["intensity"])
    return (
        f"after the change {text.with_ends(found.change, 'fewer')} fewer fall on average at {at} "
        f"({text.percent(found.change)} interval, pairs of runs)"
    )


def object_table(found: Found, most: int | None = None, *, short: bool = False) -> text.Columns:
    """Objects by urgency; a short table has but the numbers that decide."""
    objects, asked = found.objects.isel(object=slice(most)), found.asked
    at = f"P at {text.label(found.number['intensity'])}"
    columns: list[text.Column] = [
        ("object", lambda one: text.shorten(str(one["object"].item()), 30)),
        ("rank", lambda one: _rank(one)),
    ]
    if (objects["number"] > 1).any():
        columns.append(("number", "{number}"))
    columns += [(name, _word(name)) for name in ("place", "group") if (objects[name] != "").any()]
    if not short:
        columns.append(("half fall at", "{median}"))
    if not short or asked.hazard is None:
        columns.append((at, "{probability:with ends}"))
    if asked.is_scenario:
        columns.append(("P in it", "{rate:with ends}"))
    elif asked.hazard is not None:
        columns += [] if short else [("rate [1/a]", "{rate:with ends}")]
        columns += [
            (f"P in {asked.years:g} years", lambda one: _in_years(one, asked.years, with_ends=short)),
            ("loss [value/a]", "{loss:.2g}"),
        ]
    if found.objects.sizes["object"] > asked.worst and not short:
        columns.append((f"among the {asked.worst} worst", "{among_worst:.2f}"))
    return text.table_along(objects, "object", columns, left=True)


def _word(name: str) -> Any:
    return lambda one: str(one[name].item()) or "-"


def _rank(one: xr.Dataset) -> str:
    low, high = (int(end) for end in one["rank_interval"].values)
    rank = int(one["rank"])
    return f"{rank}" if low == high else f"{rank} ({low} to {high})"


def _in_years(one: xr.Dataset, years: float, *, with_ends: bool) -> str:
    found = _chance(text.estimate(one, "rate"), years)
    return _with(*found) if with_ends else text.format_probability(found[0])


def _chance(rates: tuple[float, float, float], years: float | None) -> tuple[float, float, float]:
    """Probability in some years of what has annual rates; of one earthquake they are probabilities."""
    value, low, high = rates if years is None else (-math.expm1(-rate * years) for rate in rates)
    return value, low, high


def _more(found: Found) -> list[str]:
    left = found.objects.sizes["object"] - MOST
    return [f"and {left} less urgent; -o DIR writes all to objects.csv"] if left > 0 else []


def number_table(found: Found) -> text.Columns:
    """Numbers that fall at the level, the likely ones."""
    number = found.number
    n = number.sizes["lost"] - 1
    steps = np.unique(np.round(np.geomspace(1, n, min(n, 8))).astype(int)) if n else np.array([0])
    columns: list[text.Column] = [
        ("at least", "{lost}"),
        ("probability", "{exceedance:probability}"),
        (f"{text.percent(number)} interval", "{exceedance:ends}"),
        ("if independent", "{tail:probability}"),
    ]
    tail = np.cumsum(number["independent"].values[::-1])[::-1]
    return text.table_along(number.assign(tail=("lost", tail)).isel(lost=steps), "lost", columns)


def event_blocks(found: Found) -> list[str]:
    """What several do together, and the curve of losses."""
    events, asked = found.events, found.asked
    at = events.sel(intensity=found.number["intensity"], method="nearest")
    unit = "P in it" if asked.is_scenario else "rate [1/a]"
    kinds = {"event": "Together", "loss": "Value lost"}
    blocks: list[str] = []
    for name, title in kinds.items():
        columns: list[text.Column] = [
            (
                "what" if name == "event" else "as much or more",
                f"{{{name}}}" if name == "event" else "{loss:g}",
            ),
            (f"P at {text.label(found.number['intensity'])}", f"{{{name}_probability:probability}}"),
            (f"{text.percent(events)} interval", f"{{{name}_probability:ends}}"),
        ]
        if asked.hazard is not None:
            columns += [(unit, f"{{{name}_rate}}"), ("interval", f"{{{name}_rate:ends}}")]
        if name == "loss":
            whole = float(events["loss"][-1])
            title = f"Value lost together, of {whole:g}"
        blocks += [title, text.table_along(at, name, columns, left=name == "event")]
    return blocks


def notes(found: Found) -> list[str]:
    """What limits the answer."""
    over = float(found.number["overdispersion"])
    lines = []
    if over > 1.2:
        lines.append(
            f"the variance of the number that falls is {over:.2g} times that of objects that fall "
            f"independently, as they meet the same earthquake: two are correlated by "
            f"{text.cell(found.number, 'correlation')} on average"
        )
    low, high = found.objects["rank_interval"].values
    shared = int((low < high).sum())
    if shared:
        lines.append(
            f"{shared} of {text.format_count(len(low), 'object')} share their rank with others within the "
            "interval: more recordings tell them apart, not more runs"
        )
    return lines


def table_csv(found: Found) -> str:
    """All objects by urgency as CSV, in SI units."""
    objects = found.objects
    file = io.StringIO()
    write = csv.writer(file, lineterminator="\n")
    units = {name: objects[name].attrs.get("units", "1") for name in objects}
    columns: list[tuple[str, Any]] = [("object", objects["object"].values)]
    columns += [(name, objects[name].values) for name in ("place", "group", "note")]
    for name, array in objects.data_vars.items():
        if array.dims == ("object",):
            columns.append((f"{name} [{units[name]}]", array.values))
        else:
            columns += [
                (f"{name}_{end} [{units[name]}]", array.sel(bound=end).values) for end in ("lower", "upper")
            ]
    write.writerow([name for name, _ in columns])
    for row in zip(*(values.tolist() for _, values in columns), strict=True):
        write.writerow([f"{cell:.6g}" if isinstance(cell, float) else cell for cell in row])
    return file.getvalue()


def exported(results: Results, kind: str, site: str | None, curve: str | None) -> dict[str, str]:
    """Files of a collection for OpenQuake or pelicun: text by what its name has behind that of the file.

    The curves are of falling: of overturning, or sliding off a support. OpenQuake gets a taxonomy for each
    row and, with a site, the exposure; pelicun a component for each row and the quantities, each object a
    block of its own: pelicun draws the capacities of blocks independently, although one motion meets all.

    Raises
    ------
    ValueError
        As `mcrock.show.fragility.openquake_fragility`; if the site is none.
    """
    names = [re.sub(r"\W+", "_", row.name) for row in results.rows]
    names = [f"{name}_{k}" if names.count(name) > 1 else name for k, name in enumerate(names, 1)]
    curves = {}
    for name, row in zip(names, results.rows, strict=True):
        ds = results.open(row.name)
        curves[name] = accept_curve(by_support(ds) or ds, Bootstrap())
    pairs = [*zip(names, results.rows, strict=True)]
    if kind == "pelicun":
        quantities = ["ID,Units,Location,Direction,Theta_0,Blocks,Comment"]
        quantities += [f"{name},ea,1,0,{len(row.members)},{len(row.members)},{name}" for name, row in pairs]
        return {"": pelicun_library(curves, curve), "_quantities": "\n".join([*quantities, ""])}
    files = {"": openquake_model(curves, results.title, curve)}
    if site is not None:
        try:
            lon, lat = (float(part) for part in site.split(","))
        except ValueError:
            raise ValueError(f"--site must be LON,LAT [degrees], got {site!r}") from None
        exposure = ["id,lon,lat,taxonomy,number,contents"]
        exposure += [
            f"{name},{lon:g},{lat:g},{name},{len(row.members)},{row.value * len(row.members):g}"
            for name, row in pairs
        ]
        files["_exposure"] = "\n".join([*exposure, ""])
    return files


def _urgency(found: Found, ax: Axes | None = None) -> Axes:
    """Draw rate or probability of the most urgent objects with their intervals."""
    with style.paper_style():
        objects = found.objects.isel(object=slice(MOST))
        n = objects.sizes["object"]
        ax = style.new_axes(height=20 + 4.2 * n) if ax is None else ax
        quantity = "rate" if found.asked.hazard is not None else "probability"
        names = [text.shorten(str(name), 24) for name in objects["object"].values]
        y, ends = objects[quantity].values, objects[f"{quantity}_interval"].values
        least = max(1e-9, np.nanmin(np.where(y > 0, y, np.inf)) / 30) if quantity == "rate" else 0.0
        style.interval_rows(ax, names, np.clip(np.nan_to_num(ends), least, None), [style.BLUE] * n)
        ax.plot(np.clip(y, least, None), np.arange(n), "o", color=style.BLUE, markersize=3.2)
        ax.invert_yaxis()
        if quantity == "rate":
            ax.set_xscale("log")
            scenario = found.asked.is_scenario
            ax.set_xlabel("Probability in the earthquake [1]" if scenario else "Annual rate of falling [1/a]")
        else:
            ax.set_xlabel(f"Probability of falling at {text.label(found.number['intensity'])} [1]")
            ax.set_xlim(0, 1)
        left = found.objects.sizes["object"] - n
        note = f"Objects by urgency with {text.percent(found.objects)} intervals"
        return style.add_note(ax, f"{note}{f'; {left} less urgent are left out' if left > 0 else ''}.")


def _map(found: Found, ax: Axes | None = None) -> Axes:
    """Draw the collection over slenderness and size, coloured by the probability at the level."""
    with style.paper_style():
        ax = style.new_axes() if ax is None else ax
        objects = found.objects
        x, y = np.degrees(objects["slenderness"].values), objects["size"].values
        points = ax.scatter(
            x,
            y,
            c=objects["probability"].values,
            cmap="viridis_r",
            vmin=0,
            vmax=1,
            s=16,
            zorder=3,
            linewidth=0.3,
            edgecolor="black",
        )
        ax.figure.colorbar(points, ax=ax, label=f"Probability at {text.label(found.number['intensity'])} [1]")
        ax.set(xlim=(0, 1.1 * x.max()), yscale="log", xlabel="Slenderness [deg]", ylabel="Size R [m]")
        ax.set_ylim(0.7 * y.min(), 1.5 * y.max())
        style.log_axis(ax, "y")
        grid = np.radians(np.linspace(0.5, 1.1 * x.max(), 200))
        for velocity in HOUSNER:
            size = velocity**2 * np.cos(grid) ** 2 / (2 * G * (1 - np.cos(grid)))
            ax.plot(np.degrees(grid), size, color="0.6", linewidth=0.6, zorder=1)
            inside = np.flatnonzero((size > ax.get_ylim()[0]) & (size < ax.get_ylim()[1]))
            if inside.size:
                k = inside[0]
                ax.text(
                    np.degrees(grid[k]), size[k], f" {velocity:g} m/s", color="0.4", fontsize=5.5, va="top"
                )
        named: list[int] = []
        for k in range(min(len(x), found.asked.worst)):
            if any(abs(x[k] - x[j]) < 0.12 * x.max() and abs(np.log(y[k] / y[j])) < NEAR for j in named):
                continue  # names would lie on each other
            named.append(k)
            name = text.shorten(str(objects["object"].values[k]), 16)
            ax.annotate(name, (x[k], y[k]), xytext=(3, 3), textcoords="offset points", fontsize=5.5)
        return style.add_note(
            ax,
            "Lines: sudden velocity of the ground that tips a block of this slenderness and size over "
            "(Housner 1963). Some of the most urgent objects are named.",
        )


def _number(found: Found, ax: Axes | None = None) -> Axes:
    """Draw the distribution of the number that falls, and that of independent objects."""
    with style.paper_style():
        ax = style.new_axes() if ax is None else ax
        number = found.number
        x = number["lost"].values
        ax.bar(x, number["number_probability"].values, 0.8, color=style.BLUE, label="the same earthquake")
        ax.plot(
            x,
            number["independent"].values,
            "o-",
            color=style.GREY,
            markersize=2.5,
            linewidth=0.8,
            label="if independent",
        )
        ax.set(xlabel="Objects that fall", ylabel="Probability [1]", xlim=(-0.6, x[-1] + 0.6))
        style.legend_above(ax)
        return style.add_note(
            ax, f"Of {text.format_count(len(x) - 1, 'object')}, at {text.label(number['intensity'])}."
        )


def _losses(found: Found, ax: Axes | None = None) -> Axes | str:
    """Draw the annual rate, or the probability at the level, at which losses are exceeded."""
    with style.paper_style():
        events = found.events
        name = "loss_rate" if found.asked.hazard is not None else "loss_probability"
        if name == "loss_probability":
            events = events.sel(intensity=found.number["intensity"], method="nearest")
        x, y, ends = events["loss"].values, events[name].values, events[f"{name}_interval"].values
        if not (y > 0).any():
            return "losses: nothing is lost in any run"
        ax = style.new_axes() if ax is None else ax
        least = y[y > 0].min() / 30
        ax.fill_between(
            x, *np.clip(np.nan_to_num(ends), least, None), color=style.BLUE, alpha=0.2, linewidth=0
        )
        ax.plot(x, np.clip(y, least, None), "o-", color=style.BLUE, markersize=3, linewidth=1.1)
        ax.set(yscale="log", xlabel="Value lost in one earthquake, as much or more", xlim=(0, 1.05 * x[-1]))
        at = text.label(found.number["intensity"])
        rate = "Probability in the earthquake [1]" if found.asked.is_scenario else "Annual rate [1/a]"
        ax.set_ylabel(rate if name == "loss_rate" else f"Probability at {at} [1]")
        ax.set_ylim(bottom=least)
        return style.add_note(ax, f"{text.percent(events)} intervals.")


def collection_page(found: Found, most: int = SHEETS) -> str:
    """One HTML page: the answer for whoever decides, all objects, and a sheet of each of the most urgent."""
    composed = compose_collection(found)
    lines = answer_lines(found)
    words = {
        "objects": "Objects by urgency with intervals",
        "map": "Objects over slenderness and size",
        "number": "Distribution of the number that falls",
        "losses": "Losses that are exceeded",
    }
    drawn: dict[str, Block] = {}
    for name, draw in composed.drawings.items():
        ax = draw()
        drawn[name] = ax if isinstance(ax, str) else embed(ax, words[name])
    sections = [
        Section(
            "urgency",
            "Which first",
            [object_table(found, found.asked.worst, short=True), drawn["map"], drawn["objects"]],
        ),
        Section(
            "together", "What falls together", [number_table(found), drawn["number"], *event_blocks(found)]
        ),
        Section("losses", "What is lost", [drawn["losses"], *notes(found)]),
        Section("all", "All objects", [object_table(found)]),
    ]
    for name in found.objects["object"].values[:most]:
        sections.append(sheet(found, str(name)))
    return build_page(
        found.results.title,
        "Overturning of a collection of free-standing objects",
        sections,
        figures=key_figures(found),
        answer=". ".join(f"{line[:1].upper()}{line[1:]}" for line in lines),
        listed=len(sections) - min(most, found.objects.sizes["object"]),
    )


def key_figures(found: Found) -> list[KeyFigure]:
    """Key numbers of a collection."""
    number, at = found.number, text.label(found.number["intensity"])
    n = number.sizes["lost"] - 1
    ends = f"{text.percent(number)} interval {text.ends(number, 'expected_number_interval')}"
    figures = [KeyFigure(f"Fall at {at}", f"{text.cell(number, 'expected_number')} of {n}", ends)]
    if found.asked.hazard is not None:
        event = found.events.sel(event="any object")
        years = None if found.asked.is_scenario else found.asked.years
        value, _, ends = _with(*_chance(text.estimate(event, "event_rate"), years)).partition(" ")
        name = "in this earthquake" if years is None else f"in {years:g} years"
        words = f"{text.percent(found.events)} interval {ends.strip('()')}"
        figures.append(KeyFigure(f"At least one falls {name}", value, words))
    first = found.objects.isel(object=0)
    return [
        *figures,
        KeyFigure("Most urgent", str(first["object"].item()), f"half fall at {text.cell(first, 'median')}"),
    ]


def sheet(found: Found, name: str) -> Section:
    """One object: its drawing, numbers and curve."""
    one = found.objects.sel(object=name)
    ds = found.results.open(name)
    study = study_of(ds)
    blocks: list[Block] = []
    if study is not None:
        blocks += [describe_object(study), embed(plot_body(body_at_medians(study)), f"Shape of {name}")]
    blocks += [object_table(found._replace(objects=found.objects.sel(object=[name])))]
    blocks += [
        embed(plot_fragility(by_support(ds) or ds), f"Probability of falling of {name} over the intensity")
    ]
    if note := str(one["note"].item()):
        blocks.append(note)
    key = "object-" + "".join(letter if letter.isalnum() else "-" for letter in name)
    return Section(key, name, blocks)


def save_page(found: Found, path: Path, *, overwrite: bool) -> Path:
    """Write the page of a collection."""
    return save_report(collection_page(found), path, overwrite=overwrite)
