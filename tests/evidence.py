"""All the evidence in one table: `mcrock verify --all` in a clone.

    python -m tests.evidence [WORD ...]

Every part of evidence.toml is a command: its figure is what it prints, its verdict its exit code. Writes
mcrock/docs/evidence.csv and with it the page evidence. Parts that take longer than `LONGEST` run where a WORD
of their names is given, and keep their last row otherwise, as those do whose data or libraries are not here.
A part that fails stops no other; then the exit code is 1.
"""

import csv
import os
import re
import shlex
import subprocess
import sys
import time
import tomllib
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import mcrock

ROOT = Path(__file__).parents[1]
PARTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["part"]
TABLE, PAGE = (ROOT / "mcrock/docs" / name for name in ("evidence.csv", "evidence.md"))
COLUMNS = ("evidence", "figure", "bound", "verdict", "date", "commit", "version", "minutes", "command")
SHOWN = COLUMNS[:6]
LONGEST = 15  # of a part that runs unasked [min]
HEAD = f"| {' | '.join(SHOWN)} |\n{'|---' * len(SHOWN)}|\n"
MADE = re.compile(rf"(?<={re.escape(HEAD)})(?:\|.*\n)*")


def output(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def measured(part: dict[str, Any], commit: str) -> dict[str, str] | None:
    """Row of a part that is run now; none where its data or a library are not here."""
    name, bound = part["name"], part["bound"]
    command = os.path.expandvars(part["command"])
    if "$" in command:
        print(f"{name}: not run, set {command[command.index('$') + 1 :].partition('/')[0]}", flush=True)
        return None
    began = time.monotonic()
    done = output(sys.executable, "-m", *shlex.split(command))
    if "No module named" in done.stderr:
        print(f"{name}: not run, {done.stderr.splitlines()[-1]}", flush=True)
        return None
    found = re.findall(part["pattern"], done.stdout)
    figure = "; ".join(" ".join(text.split()) for text in found).replace(" |", ",")
    if "range" in part and found:
        ends = min(map(float, found)), max(map(float, found))
        figure = f"{ends[0]:.2f} to {ends[1]:.2f} of {len(found)}"
    held = "reported" if bound == "none" else "holds"
    row = {
        "evidence": name,
        "figure": figure or " ".join((done.stdout + done.stderr)[-200:].split()),
        "bound": bound,
        "verdict": held if done.returncode == 0 and found else "FAILS",
        "date": date.today().isoformat(),
        "commit": commit,
        "version": mcrock.__version__,
        "minutes": f"{(time.monotonic() - began) / 60:.1f}",
        "command": f"python -m {part['command']}",
    }
    print(f"{name}: {row['figure']} (bound: {bound}), {row['verdict']}", flush=True)
    return row


def stored() -> dict[str, dict[str, str]]:
    """Last rows of the parts that were ever run, by name."""
    if not TABLE.exists():
        return {}
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {row["evidence"]: row for row in csv.DictReader(file)}


def page(rows: dict[str, dict[str, str]], text: str) -> str:
    """The page with its table."""
    unknown = dict.fromkeys(SHOWN, "-") | {"verdict": "not run"}
    cells = [unknown | {"evidence": part["name"]} | rows.get(part["name"], {}) for part in PARTS]
    table = "".join(f"| {' | '.join(row[key] for key in SHOWN)} |\n" for row in cells)
    return MADE.sub(lambda _: table, text)


def main(words: list[str], scratch: str) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MCROCK_SCRATCH", os.environ.get("MCROCK_SCRATCH", scratch))
        return _main(words)


def _main(words: list[str]) -> int:
    changed = output("git", "status", "--porcelain", "--", ":(exclude)mcrock/docs/evidence.*").stdout
    commit = output("git", "rev-parse", "--short", "HEAD").stdout.strip() + ("+" if changed else "")
    fails = 0
    for part in PARTS:
        if any(word in part["name"] for word in words) if words else part["minutes"] <= LONGEST:
            row = measured(part, commit)
            fails += row is not None and row["verdict"] == "FAILS"
            write(stored() | ({part["name"]: row} if row else {}))
        elif not words:
            last = stored().get(part["name"], {}).get("commit", "never")
            print(f"{part['name']}: {part['minutes']} minutes, last run at {last}", flush=True)
    return int(fails > 0)


def write(rows: dict[str, dict[str, str]]) -> None:
    """Write table and page: after each part, so that what is done stays where a later part is interrupted."""
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[part["name"]] for part in PARTS if part["name"] in rows)
    PAGE.write_text(page(rows, PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        sys.exit(main(sys.argv[1:], folder))
