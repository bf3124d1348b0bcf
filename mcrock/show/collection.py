"""A collection in words, tables and figures: which object first, how many fall together, what is lost.

`compose_collection` makes all of it once; the command, the page for whoever decides and the app show it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from mcrock.base.estimates import Term
from mcrock.ensemble.collection import Results
from mcrock.ensemble.pilot import first_size
from mcrock.show import style, text
from mcrock.show.body import describe_object, object_numbers, plot_body
from mcrock.show.fragility import openquake_model, pelicun_library, plot_fragility
from mcrock.show.report.content import Block, Section, embed
from mcrock.show.report.page import build_page
from mcrock.show.report.results import KeyFigure
from mcrock.show.report.subject import body_at_medians
from mcrock.show.risk import format_hazard
from mcrock.statistics import collection as statistics
from mcrock.statistics.accepted_curve import accept_curve
from mcrock.statistics.collection import Losses
from mcrock.statistics.hazard import MEAN, question
from mcrock.statistics.intervals import BOUNDS, Bootstrap
from mcrock.statistics.probability import by_falling
from mcrock.statistics.runs import read_once, study_of
from mcrock.study.collection import Collection

MOST, SHEETS = 20, 60  # objects that a terminal lists, and that have a sheet on the page
NEAR = 0.15  # sizes of objects whose names would lie on each other, by their logarithms
HOUSNER = (0.2, 0.4, 0.8, 1.6)  # velocities of the lines on the map [m/s]
G = 9.81  # of these lines [m/s2]
WORDS = ("place", "group", "note")  # of rows


class Asked(NamedTuple):
    """What a collection is asked."""

    at: float | None = None  # level; None is where about half of the objects fall [unit of the intensity]
    hazard: xr.Dataset | None = None  # of the site, or of one earthquake, whose rates are probabilities
    years: float = 50.0  # for which a probability is given [a]
    worst: int = statistics.WORST  # objects that are most urgent
    level: float = 0.95  # of the intervals [1]

    @property
    def scenario(self) -> str:
        """What the one earthquake is, "" where there is none."""
        return "" if self.hazard is None else str(self.hazard.attrs.get("scenario", ""))

    @property
    def chance(self) -> str:
        """What the probability by the hazard is of."""
        return "in this earthquake" if self.scenario else f"in {self.years:g} years"


class Found(NamedTuple):
    """All that is known of a collection."""

    results: Results
    asked: Asked
    objects: xr.Dataset  # of `judge_objects`, the most urgent first
    number: xr.Dataset  # of `number_lost`
    events: xr.Dataset  # of `loss_events`
    pairs: xr.Dataset  # of `dependence`
    change: xr.Dataset | None  # of `change_of_losses`

    @property
    def at(self) -> str:
        """The level at which losses are given."""
        return text.label(self.number["intensity"])

    @property
    def size(self) -> int:
        """Number of single objects."""
        return self.number.sizes["lost"] - 1

    @property
    def quantity(self) -> tuple[str, str]:
        """By what objects are ranked: variable, and its words with the unit."""
        if self.asked.hazard is None:
            return "probability", f"probability at {self.at} [1]"
        return (
            "rate",
            "probability in this earthquake [1]" if self.asked.scenario else f"annual rate [{Term.PER_YEAR}]",
        )

    @property
    def events_there(self) -> xr.Dataset:
        """What happens together at the level."""
        return self.events.sel(intensity=self.number["intensity"], method="nearest")

    def chance(self, one: xr.Dataset, name: str) -> str:
        """Probability, with its interval, of what has a rate by the hazard."""
        given = text.estimate(one, name)
        value, *ends = given if self.asked.scenario else [-math.expm1(-x * self.asked.years) for x in given]
        return text.with_ends(xr.Dataset({"x": value, "x_interval": ("bound", ends)}), "x")


def describe_collection(collection: Collection) -> list[str]:
    """Objects of a table before they are run: size, slenderness, what starts rocking, place."""
    rows = []
    for item in collection.items:
        found = object_numbers(item.study)
        sizes = math.degrees(found["slenderness"]), found["radius"], found["uplift"]
        words = text.shorten(item.name, 30), str(item.study.body.shape), *(f"{size:.3g}" for size in sizes)
        rows.append([*words, item.place or "-", str(item.number), f"{item.value:g}"])
    heads = ["object", "shape", "slenderness [deg]", "R [m]", "rocks from [g]", "place", "number", "value"]
    sized = [study.of_size(first_size(study)) for study in collection.members.values()]
    runs, first = sum(study.n_runs for study in sized), sized[0]
    most = sum(study.n_runs for study in collection.members.values())
    is_fixed = collection.items[0].study.has_fixed_size
    more = "" if is_fixed else f" at first, more while they tell (at most {most} runs)"
    count = text.format_count(len(collection.members), "object")
    return [
        f"{collection.title}: {text.format_count(len(rows), 'row')}, {count}, each {first.n_realizations} "
        f"realizations at {first.n_intensity} levels: {runs} runs{more}",
        text.format_table(heads, rows, left=True),
        *map(text.Caution, collection.cautions),
    ]


class Lazy(Mapping[str, xr.Dataset]):
    """Results of objects by name, opened when they are looked at."""

    def __init__(self, results: Results, names: list[str]) -> None:
        self.results, self.names = results, names

    def __getitem__(self, name: str) -> xr.Dataset:
        ds = self.results.open(name)
        read_once(ds)
        return ds

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def losses_of(results: Results) -> Losses:
    """Losses of all single objects of a collection."""
    rows = {name: row for row, name in results.members}
    values, groups = ({name: getattr(rows[name], key) for name in rows} for key in ("value", "group"))
    return statistics.count_losses(Lazy(results, [*rows]), values, groups)


def _rows(results: Results) -> Lazy:
    """The object that stands for each row."""
    return Lazy(results, [row.name for row in results.rows])


def _rates(results: Results, objects: xr.Dataset) -> np.ndarray:
    """Rate of every single object [1/year], by those of the rows."""
    return np.repeat(objects["rate"].values, [len(row.members) for row in results.rows])


def find(results: Results, asked: Asked, other: Results | None = None) -> Found:
    """Compute all that is known of a collection; ``other`` is the same one after a change."""
    losses, rows = losses_of(results), results.rows
    many = {name for row, name in results.members}
    if other is not None and many != {name for _, name in other.members}:
        raise ValueError(f"{other.path} has other objects than {results.path}: a change is of the same ones")
    at = statistics.busiest_level(losses) if asked.at is None else asked.at
    number = statistics.number_lost(losses, at, level=asked.level)
    change = None
    if other is not None:
        after = losses_of(other)
        change = statistics.change_of_losses(losses, after, at, level=asked.level)
        if asked.hazard is not None:
            alone = statistics.judge_objects(_rows(other), asked.hazard, intensity=at, level=asked.level)
            given: dict[str, Any] = {"rates": _rates(other, alone), "level": asked.level}
            then = statistics.loss_events(after, asked.hazard, **given).sel(event="any object")
            change = change.assign(then[["event_rate", "event_rate_interval"]])
    names = _rows(results)
    how: dict[str, Any] = {"worst": asked.worst, "level": asked.level}
    objects = statistics.judge_objects(names, asked.hazard, intensity=at, **how)
    objects = objects.assign_coords({key: ("object", [getattr(r, key) for r in rows]) for key in WORDS})
    objects["number"] = "object", [len(row.members) for row in rows]
    objects["value"] = "object", [row.value for row in rows]
    rates = None
    if asked.hazard is not None:
        rates = _rates(results, objects)
        objects["loss"] = objects["rate"] * objects["number"] * objects["value"]
        objects["loss"].attrs = {"units": "1/a", "long_name": "value lost a year"}
    order = np.lexsort((-objects["probability"].values, objects["urgency"].values))
    events = statistics.loss_events(losses, asked.hazard, rates=rates, level=asked.level)
    pairs = statistics.dependence(names, at)
    objects, pairs = objects.isel(object=order), pairs.isel(object=order, other=order)
    return Found(results, asked._replace(at=at), objects, number, events, pairs, change)


def compose_collection(found: Found) -> text.Composition:
    """Answer, objects by urgency, losses, figures and files of a collection."""
    tables = {"objects": found.objects, "number": found.number, "events": found.events, "pairs": found.pairs}
    return text.Composition(
        tables | ({} if found.change is None else {"change": found.change}),
        [*answer_blocks(found), *together_blocks(found), *notes(found)],
        {name: partial(_drawn, name, found) for name in FIGURES},
        {"objects.csv": lambda: table_csv(found)},
    )


def answer_blocks(found: Found) -> list[str]:
    """What a run ends with: the answer, and the objects by urgency."""
    left = found.objects.sizes["object"] - MOST
    more = [f"and {left} less urgent; -o DIR writes all to objects.csv"] if left > 0 else []
    title = "Objects, the most urgent first"
    return [*answer_lines(found), "", title, object_table(found, MOST), *more]


def answer_lines(found: Found) -> list[str]:
    """The answer in sentences: how many fall, which first, what the site or the earthquake makes of it."""
    number, first, asked = found.number, found.objects.isel(object=0), found.asked
    name, words = found.quantity
    above = number["exceedance"].values
    low, high = np.flatnonzero(above >= 0.95)[-1], np.flatnonzero(above > 0.05)[-1]
    often = f"; {asked.chance} {found.chance(first, name)}" * (name == "rate" and not asked.scenario)
    lines = [
        f"In an earthquake of {found.at}: {text.with_ends(number, 'expected_number')} of "
        f"{text.format_count(found.size, 'object')} fall on average; {low} to {high} in nine of ten such "
        "earthquakes",
        f"most urgent: {first['object'].item()}, {words.partition(' [')[0]} "
        f"{text.with_ends(first, name)}{often}",
    ]
    if asked.hazard is not None:
        event = found.events.sel(event="any object")
        said = f" of {asked.scenario}" * bool(asked.scenario)
        chance = found.chance(event, "event_rate")
        lines.append(f"{asked.chance}{said} at least one falls with a probability of {chance}")
        lines += (
            []
            if asked.scenario
            else [f"a year takes {text.with_ends(found.events, 'share_rate')} of the whole value on average"]
        )
    if asked.hazard is not None and not asked.scenario:
        x, rate = asked.hazard["hazard_intensity"].values, asked.hazard["rate"].sel(hazard=MEAN).values
        at = float(number["intensity"])
        inside = x[0] <= at <= x[-1]
        period = np.exp(-np.interp(np.log(at), np.log(x), np.log(rate)))
        rarely = (
            f"exceeded once in {float(f'{period:.2g}'):g} years" if inside else "not in the hazard's table"
        )
        lines.append(f"{found.at} is {rarely}")
    if found.change is not None:
        lines.append(
            f"after the change {text.with_ends(found.change, 'fewer')} fewer fall on average at {found.at} "
            f"({text.percent(found.change)} interval, pairs of runs)"
        )
        if asked.hazard is not None:
            chance = found.chance(found.change, "event_rate")
            lines.append(f"{asked.chance} at least one falls then with a probability of {chance}")
    return lines


def object_table(found: Found, most: int | None = None, *, short: bool = False) -> text.Columns:
    """Objects by urgency; a short table has but the numbers that decide."""
    objects, asked = found.objects.isel(object=slice(most)), found.asked
    columns: list[text.Column] = [("object", _name), ("rank", _rank)]
    columns += ["number"] if (objects["number"] > 1).any() else []
    columns += [(key, partial(_word, key=key)) for key in ("place", "group") if (objects[key] != "").any()]
    columns += [] if short else [("half fall at", "{median_capacity}")]
    if not short or asked.hazard is None:
        columns.append((f"P at {found.at}", "{probability:with ends}"))
    if not short and (objects["overturning"] < objects["probability"]).any():
        columns.append(("overturns", "{overturning}"))
    if asked.hazard is not None:
        columns += [] if short or asked.scenario else [(f"rate [{Term.PER_YEAR}]", "{rate:with ends}")]
        columns.append((f"P {asked.chance}", partial(found.chance, name="rate")))
        columns += [] if asked.scenario else [(f"loss [value {Term.PER_YEAR}]", "{loss:.2g}")]
    if found.objects.sizes["object"] > asked.worst and not short:
        columns.append((f"among the {asked.worst} worst", "{among_worst:.2f}"))
    return text.table_along(objects, "object", columns, left=True)


def _name(one: xr.Dataset) -> str:
    return text.shorten(str(one["object"].item()), 30)


def _word(one: xr.Dataset, key: str) -> str:
    return str(one[key].item()) or "-"


def _rank(one: xr.Dataset) -> str:
    rank, low, high = (int(number) for number in text.estimate(one, "urgency"))
    return f"{rank}" if low == high else f"{rank} ({low} to {high})"


def together_blocks(found: Found) -> list[str]:
    """Numbers that fall together at the level, events of several, and the losses that are exceeded."""
    number, asked = found.number, found.asked
    steps = np.unique(np.round(np.geomspace(1, found.size, min(found.size, 8))).astype(int))
    tail = np.cumsum(number["independent"].values[::-1])[::-1]
    blocks: list[str] = [f"How many fall together at {found.at}"]
    columns: list[text.Column] = [("at least", "{lost}"), ("probability", "{exceedance:with ends}")]
    columns.append(("if independent", "{tail:probability}"))
    blocks.append(text.table_along(number.assign(tail=("lost", tail)).isel(lost=steps), "lost", columns))
    whole = f"{float(found.events['loss'][-1]):g}"
    for name, head, title in (("event", "what", "Together"), ("loss", "at least", f"Value lost, of {whole}")):
        columns = [(head, f"{{{name}}}" if name == "event" else "{loss:g}")]
        columns.append((f"P at {found.at}", f"{{{name}_probability:with ends}}"))
        if asked.hazard is not None:
            columns += [] if asked.scenario else [(f"rate [{Term.PER_YEAR}]", f"{{{name}_rate:with ends}}")]
            columns.append((f"P {asked.chance}", partial(found.chance, name=f"{name}_rate")))
        blocks += [title, text.table_along(found.events_there, name, columns, left=name == "event")]
    return blocks


def notes(found: Found) -> list[str]:
    """What limits the answer."""
    over, lines = float(found.number["overdispersion"]), list[str]()
    if found.asked.hazard is not None and not found.asked.scenario:
        x, levels = found.asked.hazard["hazard_intensity"], found.events["intensity"]
        lines += filter(None, [format_hazard(found.asked.hazard), question(found.asked.hazard)])
        if float(x[-1]) < float(levels.min()) or float(x[0]) > float(levels.max()):
            ends = " to ".join(text.labels(x[[0, -1]]))
            lines.append(f"the hazard, from {ends}, has none of the levels of the runs: look at its unit")
    if (found.objects["number"] > 1).any():
        lines.append("of equal objects, numbers in their row are those of each")
    if over > 1.2:
        lines.append(
            f"the variance of the number that falls is {over:.2g} times that of objects that fall "
            "independently, as they meet the same earthquake: two are correlated by "
            f"{text.cell(found.number, 'correlation')} on average"
        )
    alike = np.nan_to_num(np.tril(found.pairs["correlation"].values, -1))
    if alike.max(initial=0.0) > 0:
        first, second = np.unravel_index(alike.argmax(), alike.shape)
        names = " and ".join(str(found.pairs["object"].values[k]) for k in (second, first))
        lines.append(f"most alike fall {names}, correlated by {alike.max():.2f}")
    low, high = found.objects["urgency_interval"].values
    if shared := int((low < high).sum()):
        lines.append(
            f"{shared} of {text.format_count(len(low), 'row')} share their rank with others within the "
            "interval: more recordings tell them apart, not more runs"
        )
    return lines


def table_csv(found: Found) -> str:
    """All objects by urgency as CSV, in SI units."""
    import pandas as pd

    objects = found.objects
    columns = {key: objects[key].values for key in ("object", *WORDS)}
    for name, array in objects.data_vars.items():
        unit = array.attrs.get("units", "1")
        ends = {f"_{end}": array.sel(bound=end) for end in BOUNDS} if "bound" in array.dims else {"": array}
        columns |= {f"{name}{end} [{unit}]": each.values for end, each in ends.items()}
    return str(pd.DataFrame(columns).to_csv(index=False, float_format="%.6g", lineterminator="\n"))


def exported(results: Results, kind: str, site: str | None, curve: str | None) -> dict[str, str]:
    """Files of a collection for OpenQuake or pelicun: text by what its name has behind that of the file.

    The curves are of falling: of overturning, or sliding off a support; what never falls has none and is left
    out. OpenQuake gets a taxonomy for each row and, with a site, the exposure; pelicun a component for each
    row and the quantities, each object a block of its own: pelicun draws the capacities of blocks
    independently, although one motion meets all.

    Raises
    ------
    ValueError
        As `mcrock.show.fragility.openquake_fragility`; if the site is none.
    """
    names = [re.sub(r"\W+", "_", row.name) for row in results.rows]
    names = [f"{name}_{k}" if names.count(name) > 1 else name for k, name in enumerate(names, 1)]
    rows = [(name, len(row.members), row) for name, row in zip(names, results.rows, strict=True)]
    curves = {name: accept_curve(by_falling(results.open(row.name)), Bootstrap()) for name, _, row in rows}
    curves = {name: one for name, one in curves.items() if math.isfinite(one.support[0])}
    if not curves:
        raise ValueError(f"{results.path}: nothing falls in any run, and there is no curve to write")
    if kind == "pelicun":
        quantities = [f"{name},ea,1,0,{n},{n}" for name, n, _ in rows]
        head = "ID,Units,Location,Direction,Theta_0,Blocks"
        library = pelicun_library({name: [one] for name, one in curves.items()}, curve)
        return {"": library, "_quantities": "\n".join([head, *quantities, ""])}
    files = {"": openquake_model(curves, results.title, curve)}
    if site is not None:
        try:
            lon, lat = (float(part) for part in site.split(","))
        except ValueError:
            raise ValueError(f"--site must be LON,LAT [degrees], got {site!r}") from None
        assets = [f"{name},{lon:g},{lat:g},{name},{n},{n * row.value:g}" for name, n, row in rows]
        files["_exposure"] = "\n".join(["id,lon,lat,taxonomy,number,contents", *assets, ""])
    return files


def _urgency(found: Found) -> Axes:
    objects, (quantity, words) = found.objects.isel(object=slice(MOST)), found.quantity
    n = objects.sizes["object"]
    ax = style.new_axes(height=20 + 4.2 * n)
    y, ends = objects[quantity].values, np.nan_to_num(objects[f"{quantity}_interval"].values)
    least = 0.0 if quantity == "probability" else y[y > 0].min(initial=1.0) / 30
    names = [text.shorten(str(name), 24) for name in objects["object"].values]
    style.interval_rows(ax, names, np.clip(ends, least, None), [style.BLUE] * n)
    ax.plot(np.clip(y, least, None), np.arange(n), "o", color=style.BLUE, markersize=3.2)
    ax.invert_yaxis()
    ax.set_xlabel(words.capitalize())
    if least:
        ax.set_xlim(max(least, np.clip(ends, least, None).min() / 2), 2 * ends.max())
        style.log_axis(ax)
    else:
        ax.set_xlim(0, 1)
    left = found.objects.sizes["object"] - n
    more = f"; {left} less urgent are left out" * (left > 0)
    return style.add_note(ax, f"Objects by urgency with {text.percent(objects)} intervals{more}.")


def _map(found: Found) -> Axes:
    objects, ax = found.objects, style.new_axes()
    x, y = np.degrees(objects["slenderness"].values), objects["size"].values
    look: dict[str, Any] = {"cmap": "viridis_r", "s": 16, "linewidth": 0.3, "edgecolor": "black", "zorder": 3}
    points = ax.scatter(x, y, c=objects["probability"].values, vmin=0, vmax=1, **look)
    style.figure_of(ax).colorbar(points, ax=ax, label=f"Probability at {found.at} [1]")
    ax.set(xlim=(0, 1.1 * x.max()), xlabel="Slenderness [deg]", ylabel="Size R [m]")
    ax.set(yscale="log", ylim=(0.7 * y.min(), 1.5 * y.max()))
    style.log_axis(ax, "y")
    small: dict[str, Any] = {"textcoords": "offset points", "fontsize": 5.5}
    grid = np.radians(np.linspace(0.5, 1.1 * x.max(), 200))
    for velocity in HOUSNER:
        size = velocity**2 * np.cos(grid) ** 2 / (2 * G * (1 - np.cos(grid)))
        ax.plot(np.degrees(grid), size, color="0.6", linewidth=0.6, zorder=1)
        for k in np.flatnonzero((size > 0.7 * y.min()) & (size < 1.4 * y.max()))[:1]:
            ax.annotate(f"{velocity:g} m/s", (np.degrees(grid[k]), size[k]), (2, -4), color="0.4", **small)
    named: list[int] = []
    for k in range(min(len(x), found.asked.worst)):
        if all(abs(x[k] - x[j]) > 0.12 * x.max() or abs(np.log(y[k] / y[j])) > NEAR for j in named):
            named.append(k)  # names do not lie on each other
            ax.annotate(text.shorten(str(objects["object"].values[k]), 16), (x[k], y[k]), (3, 3), **small)
    return style.add_note(
        ax,
        "Lines: sudden velocity of the ground that tips a block of this slenderness and size over (Housner "
        "1963). Some of the most urgent objects are named.",
    )


def _number(found: Found) -> Axes:
    ax, number = style.new_axes(), found.number
    x = number["lost"].values
    ax.bar(x, number["number_probability"].values, 0.8, color=style.BLUE, label="the same earthquake")
    grey: dict[str, Any] = {"color": style.GREY, "markersize": 2.5, "linewidth": 0.8}
    ax.plot(x, number["independent"].values, "o-", label="if independent", **grey)
    ax.set(xlabel="Objects that fall", ylabel="Probability [1]", xlim=(-0.6, x[-1] + 0.6))
    style.legend_above(ax)
    return style.add_note(ax, f"Of {text.format_count(found.size, 'object')}, at {found.at}.")


def _pairs(found: Found) -> Axes:
    ax, n = style.new_axes(), min(found.pairs.sizes["object"], SHEETS)
    shown = ax.imshow(found.pairs["correlation"].values[:n, :n], cmap="RdBu_r", vmin=-1, vmax=1)
    style.figure_of(ax).colorbar(shown, ax=ax, label=f"Correlation at {found.at} [1]")
    step = -(-n // 20)
    names = [text.shorten(str(name), 16) for name in found.pairs["object"].values[:n:step]]
    ax.set_yticks(range(0, n, step), names, fontsize=5.5)
    ax.set_xticks([])
    return style.add_note(
        ax, "How alike objects fall, two by two and by urgency; white: one always or never."
    )


def _losses(found: Found) -> Axes | str:
    quantity, words = found.quantity
    events, name = found.events_there, f"loss_{quantity}"
    x, y, ends = events["loss"].values, events[name].values, events[f"{name}_interval"].values
    if not (y > 0).any():
        return "losses: nothing is lost in any run"
    ax, least = style.new_axes(), y[y > 0].min() / 30
    low, high = np.clip(np.nan_to_num(ends), least, None)
    ax.fill_between(x, low, high, color=style.BLUE, alpha=0.2, linewidth=0)
    ax.plot(x, np.clip(y, least, None), "o-", color=style.BLUE, markersize=3, linewidth=1.1)
    ax.set(xlabel="Value lost in one earthquake, as much or more", xlim=(0, 1.05 * x[-1]))
    ax.set(yscale="log", ylabel=words.capitalize())
    ax.set_ylim(bottom=least)
    return style.add_note(ax, f"{text.percent(events)} intervals.")


FIGURES: dict[str, tuple[Callable[[Found], Axes | str], str]] = {
    "objects": (_urgency, "Objects by urgency with intervals"),
    "map": (_map, "Objects over slenderness and size"),
    "number": (_number, "Distribution of the number that falls"),
    "pairs": (_pairs, "Correlation of objects two by two"),
    "losses": (_losses, "Losses that are exceeded"),
}


def _drawn(name: str, found: Found) -> Axes | str:
    with style.paper_style():
        return FIGURES[name][0](found)


def drawn(found: Found) -> dict[str, Block]:
    """Figures as a page holds them, or why there is none."""
    figures = {name: (_drawn(name, found), words) for name, (_, words) in FIGURES.items()}
    return {name: ax if isinstance(ax, str) else embed(ax, words) for name, (ax, words) in figures.items()}


def collection_page(found: Found, most: int = SHEETS) -> str:
    """One HTML page: the answer for whoever decides, all objects, and a sheet of each of the most urgent."""
    figures, lines = drawn(found), answer_lines(found)
    urgent = object_table(found, found.asked.worst, short=True)
    sections = [
        Section("urgency", "Which first", [urgent, figures["map"], figures["objects"]]),
        Section(
            "together",
            "What falls together",
            [*together_blocks(found)[:4], figures["number"], figures["pairs"]],
        ),
        Section("losses", "What is lost", [*together_blocks(found)[4:], figures["losses"], *notes(found)]),
        Section("all", "All objects", [object_table(found)]),
    ]
    sheets = [sheet(found, str(name)) for name in found.objects["object"].values[:most]]
    return build_page(
        found.results.title,
        "Overturning of a collection of free-standing objects",
        [*sections, *sheets],
        figures=key_figures(found),
        answer=". ".join(f"{line[:1].upper()}{line[1:]}" for line in lines),
        listed=len(sections),
    )


def key_figures(found: Found) -> list[KeyFigure]:
    """Key numbers of a collection."""
    first, interval = found.objects.isel(object=0), f"{text.percent(found.number)} interval"
    given = [(f"Fall at {found.at}, of {found.size}", text.with_ends(found.number, "expected_number"))]
    if found.asked.hazard is not None:
        event = found.events.sel(event="any object")
        given.append((f"At least one falls {found.asked.chance}", found.chance(event, "event_rate")))
    figures = [(name, *value.split(" (")) for name, value in given]
    return [
        *(KeyFigure(name, value, f"{interval} {''.join(ends).strip(')')}") for name, value, *ends in figures),
        KeyFigure(
            "Most urgent", str(first["object"].item()), f"half fall at {text.cell(first, 'median_capacity')}"
        ),
    ]


def sheet(found: Found, name: str) -> Section:
    """One object: its drawing, numbers and curve."""
    ds = found.results.open(name)
    study, note = study_of(ds), str(found.objects["note"].sel(object=name).item())
    own = found._replace(objects=found.objects.sel(object=[name]))
    blocks: list[Block] = []
    if study is not None:
        blocks += [describe_object(study), embed(plot_body(body_at_medians(study)), f"Shape of {name}")]
    curve = embed(plot_fragility(by_falling(ds)), f"Probability of falling of {name} over the intensity")
    key = "object-" + re.sub(r"\W", "-", name)
    return Section(key, name, [*([note] if note else []), *blocks, object_table(own), curve])
