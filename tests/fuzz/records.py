"""Damaged record files, read and looked at as `mcrock records check` does it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

from mcrock.excitation.readers import scan_records
from mcrock.excitation.survey import survey
from mcrock.text.records import format_surveys
from tests.fuzz.damage import damaged_text

RECORDS = Path(__file__).parents[1] / "unit" / "excitation" / "records"
TABLES = (
    "".join(f"{0.01 * i:.2f}\t{(-0.9) ** i:.6f}\t{0.8**i:.6f}\n" for i in range(200)),
    "time [s],EW [m/s2],NS [m/s2]\n" + "".join(f"{0.01 * i:.2f},{(-0.9) ** i:.6f},{i}\n" for i in range(99)),
    "# a remark\n" + "".join(f"{(-0.9) ** i:.6f} {0.8**i:.6f}\n" for i in range(50)),
)


def attempt(number: int, folder: Path) -> None:
    """Read and measure a damaged file, or a folder with it and its neighbours."""
    random = Random(f"record {number}")
    name, content = random.choice(sound_files())
    folder = folder / f"record-{number % 8}"
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    path = folder / name
    damaged = damaged_text(random, content.decode("latin-1"))
    path.write_bytes(damaged.encode("latin-1", "replace"))
    unit = random.choice((None, "g", "m/s2"))
    scan = scan_records(random.choice((path, folder)), unit=unit, dt=random.choice((None, None, 0.01)))
    for problem in scan.problems:
        assert "MemoryError" not in problem
    format_surveys(survey(scan.motions), 100, components=random.random() < 0.5)


@cache
def sound_files() -> list[tuple[str, bytes]]:
    """Names and contents of files to damage: one of every format, and tables of text."""
    files = sorted(path for path in RECORDS.rglob("*") if path.is_file() and path.suffix != ".md")
    found = [(path.name, path.read_bytes()) for path in files]
    return found + [(f"table_{i}.csv", text.encode()) for i, text in enumerate(TABLES)] * 3
