"""A fuzzer that knows what code it has reached, on readers: `python -m tests.fuzz.guided hazard 600`.

It needs atheris (`pip install atheris`), no dependency of mcrock. What is found is printed once and kept in
the folder `guided/KIND`, next to files that reached something new; a file begins with the number of its name.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import atheris

READERS = (
    "mcrock.base.tables",
    "mcrock.body.polyhedron",
    "mcrock.ensemble.cluster",
    "mcrock.ensemble.opening",
    "mcrock.excitation.readers",
    "mcrock.excitation.selection",
    "mcrock.excitation.spectrum_compatible",
    "mcrock.measurement.recording",
    "mcrock.measurement.campaign",
    "mcrock.statistics.hazard",
    "mcrock.statistics.labels",
    "mcrock.study",
)
with atheris.instrument_imports(include=list(READERS)):
    from tests.fuzz.bounded import judge, limit_memory
    from tests.fuzz.files import KINDS

MOST, SECONDS = 20_000, 60  # bytes of a file; that one may take


def main(name: str, seconds: int) -> None:
    """Fuzz a kind of file for so long."""
    kind, home = KINDS[name], Path("guided") / name
    names = sorted({name for name, _ in kind.sound})
    home.mkdir(parents=True, exist_ok=True)
    for number, (file, text) in enumerate(kind.sound):
        content = text.encode("latin-1" if name == "records" else "utf-8")[:MOST]
        (home / f"sound-{number}").write_bytes(bytes([names.index(file)]) + content)
    known = set()
    with TemporaryDirectory() as place:

        def attempt(data: bytes) -> None:
            path = Path(place) / names[data[0] % len(names) if data else 0]
            path.write_bytes(data[1:])
            try:
                kind.take(path)
            except Exception as error:
                found = judge(error)
                where = found.rpartition("[")[2] or found
                if found and where not in known:
                    known.add(where)
                    (home / f"finding-{len(known)}").write_bytes(data)
                    print(f"{name}: {found}", flush=True)

        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        limit_memory()
        options = [
            f"-max_total_time={seconds}",
            f"-max_len={MOST}",
            f"-timeout={SECONDS}",
            "-print_final_stats=1",
        ]
        atheris.Setup([sys.argv[0], *options, "-rss_limit_mb=0", str(home)], attempt)
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
