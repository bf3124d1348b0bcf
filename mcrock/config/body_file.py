"""The body of a study file, without the rest of the study."""

from __future__ import annotations

from pathlib import Path

from mcrock.body import Body
from mcrock.body.shapes import SHAPES
from mcrock.config.load import read_toml
from mcrock.config.study import Study
from mcrock.tables.errors import ConfigError


def load_body(path: str | Path) -> Body:
    """Body of a TOML file with a section ``[body]``; what else it has, as a study does, is not read.

    Raises
    ------
    ConfigError
        If the file cannot be read, has no such section, or one with mistakes or a distribution: what was
        measured on one body is told by the numbers of that body.
    """
    path = Path(path)
    given = read_toml(path, "study file or file with a section [body]").get("body")
    if not isinstance(given, dict):
        raise ConfigError(f"{path}: no section [body]; `mcrock docs bodies` says what it holds")
    shape = SHAPES.get(str(given.get("shape")))
    try:
        if shape is not None:
            shape.take_in_files(given, path.parent)
    except ConfigError as error:
        raise ConfigError(f"{path} [body] {error}") from None
    study = Study.from_data(
        {
            "seed": 0,
            "body": given,
            "motion": {"source": "none"},
            "start": {"tilt_ratio": 0.5},
            "ensemble": {"realizations": 1},
        },
        str(path),
        path.parent,
    )
    drawn = [name for name in study.uncertain if name.startswith("body.")]
    if drawn:
        raise ConfigError(
            f"{path}: {', '.join(drawn)}: a distribution, and one body was measured; give its number"
        )
    impossible = study.body.refusal()
    if impossible:
        raise ConfigError(f"{path} [body]: {impossible}")
    found = study.body.at_medians()
    return Body(
        float(found.mass[0]),
        found.inertia[0],
        found.vertices[0],
        float(found.gravity[0]),
        faces=found.faces,
        start_face=int(found.start_face[0]),
        base_faces=found.base_faces,
    )
