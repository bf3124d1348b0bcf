"""What may move the impact parameters from test to test: numbers and categories beside the tests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcrock.base.suggestions import suggest
from mcrock.base.tables.errors import ConfigError
from mcrock.base.units import plain_number

if TYPE_CHECKING:
    import pandas as pd

    from mcrock.body import Body
    from mcrock.measurement.free_rocking import FreeRocking

# of a category: its values but the first have a column each, for what they change from it
COLUMN = re.compile(r"(?P<name>.+) = (?P<value>.+), not (?P<other>.+)")


class Design(NamedTuple):
    """Covariates of the rows of a table, each category in a column for all of its values but the first."""

    columns: tuple[str, ...]  # names; of a category as in "material = marble, not granite"
    values: NDArray[np.float64]  # (rows, c) numbers in the unit of the table; 1 where a row has that value
    centre: NDArray[np.float64]  # (c,) means over the tests
    width: NDArray[np.float64]  # (c,) standard deviations over the tests
    usual: NDArray[np.float64]  # (c,) means of numbers, and of categories what most tests have


def design(table: pd.DataFrame, names: Sequence[str]) -> Design:
    """Columns of a checked table of tests as covariates.

    Raises
    ------
    ConfigError
        If a cell is empty, a test has several values, all tests have one value, one column follows from the
        others, or there are too few specimens for them.
    """
    import pandas as pd

    columns: dict[str, NDArray[np.float64]] = {}
    usual: list[float] = []
    first = ~table.duplicated("test").to_numpy()
    for name in names:
        cells = table[name]
        if (cells == "").any():
            raise ConfigError(f"test {table['test'][(cells == '').idxmax()]!r} has no {name}; give it one")
        if (several := table.groupby("test")[name].nunique()).max() > 1:
            raise ConfigError(f"test {several.idxmax()!r} has several values of {name}; a test has one")
        if (values := sorted(cells.unique()))[:-1] == []:
            raise ConfigError(f"all tests have {name} {values[0]}: what else it would do does not show")
        numbers = pd.to_numeric(cells, "coerce").to_numpy(float)
        if np.isfinite(numbers).all():
            columns[name] = numbers
            usual.append(float(numbers[first].mean()))
        else:
            most = cells[first].mode()[0]
            columns |= {
                f"{name} = {one}, not {values[0]}": (cells == one).to_numpy(float) for one in values[1:]
            }
            usual += [float(one == most) for one in values[1:]]
    found = np.stack(list(columns.values()), -1) if columns else np.zeros((len(table), 0))
    tests, specimens = found[first], table["specimen"].nunique()
    if np.linalg.matrix_rank(np.column_stack([np.ones(len(tests)), tests])) <= len(columns):
        raise ConfigError(f"of {', '.join(columns)} one follows from the others in these tests; leave it out")
    if columns and specimens < len(columns) + 3:
        raise ConfigError(
            f"{', '.join(columns)}: tests of {specimens} specimens; to tell effects from the scatter between "
            f"specimens, {len(columns) + 3} or more are needed"
        )
    return Design(tuple(columns), found, tests.mean(0), tests.std(0), np.array(usual))


def at_values(
    columns: Sequence[str], given: Sequence[str], usual: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Covariates (c,) at words such as "depth=0.14" and "material=marble"; those not given stay as usual.

    Raises
    ------
    ValueError
        If a word names none of the covariates or of the values of a category, or a number is none.

    Examples
    --------
    >>> columns = ("depth", "material = marble, not granite")
    >>> at_values(columns, ["depth=0.14", "material=marble"], np.zeros(2)).tolist()
    [0.14, 1.0]
    """
    found = usual.copy()
    parts = [COLUMN.fullmatch(column) for column in columns]
    names = [column if part is None else part["name"] for column, part in zip(columns, parts, strict=True)]
    for word in given:
        name, _, value = (part.strip() for part in word.partition("="))
        own = [i for i, each in enumerate(names) if each == name]
        if not own or not value:
            known = ", ".join(f"{each}=VALUE" for each in dict.fromkeys(names))
            raise ValueError(
                f"--at needs a covariate and its value, got {word!r}{suggest(name, names)}; "
                f"{known or '--covariate takes covariates, and there are none'}"
            )
        values = [value for i in own if (part := parts[i]) for value in (part["other"], part["value"])]
        if values and value not in values:
            there = ", ".join(dict.fromkeys(values))
            raise ValueError(f"no test has {name} {value!r}{suggest(value, values)}; there are {there}")
        try:
            found[own] = [
                float(part["value"] == value) if (part := parts[i]) else plain_number(value) for i in own
            ]
        except ValueError:
            raise ValueError(f"{name} is a number in the tests, got {value!r}") from None
    return found


def at_in_words(columns: Sequence[str], values: NDArray[np.float64]) -> str:
    """Covariates (c,) as they are given.

    >>> at_in_words(("depth", "material = marble, not granite"), np.array([0.14, 0.0]))
    'depth = 0.14, material = granite'
    """
    words: dict[str, str] = {}
    for column, value in zip(columns, values.tolist(), strict=True):
        part = COLUMN.fullmatch(column)
        if part is None:
            words[column] = f"{value:.4g}"
        elif value == 1.0:
            words[part["name"]] = part["value"]
        else:
            words.setdefault(part["name"], part["other"])
    return ", ".join(f"{name} = {value}" for name, value in words.items())


def sizes(body: Body, rocking: FreeRocking) -> dict[str, float]:
    """Covariates that a body has by itself, as it was released; a table may have its own in their place.

    Returns
    -------
    dict of float
        ``depth``, along the edge of the release, ``width``, across it, and ``height`` [m], all of the whole
        body; ``slenderness`` over that edge [rad].
    """
    axes = {
        "depth": rocking.along,
        "width": rocking.across,
        "height": np.cross(rocking.along, rocking.across),
    }
    extents = {name: float(np.ptp(body.vertices @ axis)) for name, axis in axes.items()}
    return extents | {"slenderness": rocking.most_tilt}
