"""Section with three runs that can be watched: what fell, what stood, and how."""

from __future__ import annotations

from pathlib import Path

import xarray as xr
from markupsafe import Markup

from mcrock.base.tables.errors import ConfigError
from mcrock.show.animation.embedded import embed_run, still_of
from mcrock.show.replay import name_of, repeat_command, repeat_run, stored_outcome
from mcrock.show.report.content import Block, Player, Section
from mcrock.statistics.outcomes import MEANINGS, RunPlace, notable_runs
from mcrock.study import Study


def replays_section(
    ds: xr.Dataset,
    study: Study,
    folder: str | Path,
    store: Path | None,
    allow_missing: bool,
    *,
    trust_code: bool = False,
) -> Section | None:
    """Three runs of a study, repeated if code that it names may run; None where no run is decided."""
    named: dict[RunPlace, list[str]] = {}
    for name, place in notable_runs(ds, allow_missing=allow_missing).items():
        named.setdefault(place, []).append(name)
    of_files = Study.from_json(study.to_json(), folder, trust_code=trust_code)
    blocks: list[Block] = []
    for place, names in named.items():
        try:
            blocks.append(_player(ds, of_files, place, names, store))
        except ConfigError as error:
            blocks = [f"No replays: {error.mistakes[0]}; give the folder of the study file (--folder)"]
            break
        except ValueError as error:
            blocks += [] if str(error) in blocks else [str(error)]
    return Section("replays", "Three runs to watch", blocks) if blocks else None


def _player(ds: xr.Dataset, study: Study, place: RunPlace, names: list[str], store: Path | None) -> Player:
    """A run with what it is; one run may be several of the three."""
    at = place._asdict()
    found = repeat_run(study, **at, stored=ds)
    said = stored_outcome(ds, at, found.run.outcome)
    what = "; ".join(f"{name_of(name)}: {MEANINGS[name]}" for name in names)
    again = f"; `{repeat_command(store.name, at)}` repeats it" if store else ""
    words = f"{what}. {found.title}{found.measure}, {said}{again}"
    shown = found.run, found.motion, found.title
    return Player(Markup(embed_run(*shown, theme="light")), still_of(*shown), words)
