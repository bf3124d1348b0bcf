"""What a store lost and what is in its way: its study from the log next to it, and files set aside."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path

from mcrock.dataset.archive import ForeignError
from mcrock.dataset.contents import STUDY, Template
from mcrock.dataset.create import fits_chunks, known_length, write_template
from mcrock.ensemble.log import read_log
from mcrock.ensemble.opening import prepare_job, template_of
from mcrock.ensemble.own_responses import named_responses
from mcrock.study import Study
from mcrock.study.sampling import load_motions


def write_study_again(path: Path, folder: Path, error: OSError, *, trust_code: bool = False) -> Path | None:
    """Write ``study.zip`` again, with the last study in the log next to the store that the chunks fit.

    Parameters
    ----------
    path, folder : Path
        The store, and the folder that the paths of its study are relative to.
    error : OSError
        What is wrong with the file that is there; raised if no study of the log fits.
    trust_code : bool
        As of `mcrock.study.load_config`.

    Returns
    -------
    Path or None
        Where the file that was there is now, if it was whole.
    """
    for template in _logged(path, folder, trust_code=trust_code):
        if fits_chunks(path, template):
            aside = set_aside(path, [path / STUDY]) if isinstance(error, ForeignError) else None
            write_template(path, template)
            return aside
    raise error


def is_logged(path: Path, folder: Path, template: Template, *, trust_code: bool = False) -> bool:
    """Whether the log next to a store has the very study that its ``study.zip`` holds."""
    logged = _logged(path, folder, template.length, trust_code=trust_code)
    return any(known.members == template.members for known in logged)


def _logged(path: Path, folder: Path, length: int | None = None, *, trust_code: bool) -> Iterator[Template]:
    """Of the studies in the log next to a store, the last one first, with chunks as they are there."""
    for config in dict.fromkeys(
        process.config for process in reversed(read_log(path)) if isinstance(process.config, str)
    ):
        study = Study.from_json(config, folder, trust_code=trust_code)
        responses = named_responses(study)
        job = prepare_job(study, load_motions(study), path.absolute(), responses=responses)
        yield template_of(job, length or known_length(path, from_chunks=True))


def set_aside(path: Path, entries: Iterable[Path]) -> Path:
    """Move files and folders out of a store into a new folder next to it, which is returned."""
    for number in count(1):
        aside = path.with_name(f"{path.name}.aside-{number}")
        if not os.path.lexists(aside):
            break
    for entry in entries:
        place = aside / entry.relative_to(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        os.rename(entry, place)
    return aside
