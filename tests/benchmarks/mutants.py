"""Whether the tests notice that the code is wrong: random mutants, each run against the tests of its room.

    python -m tests.benchmarks.mutants SEED NUMBER [--tests FOLDER] [--commit REVISION] [--results FOLDER]
                                       [--limit SECONDS] [--long]

A mutant is a commit with one small mistake in one line of a room:

    kernel/response.py:62 comparison overturned < 0.0 -> overturned <= 0.0

Operators: comparison (another bound, or the contrary), arithmetic (+ and -, * and /), logic (`and` and `or`),
condition (negated), constant (n + 1, 1.1 x, True and False), extreme (min and max), return (None), statement
(a call, an assignment to an attribute or item, or an update removed). Lines on which one applies are drawn
with equal probability, so rooms count by their code, and one mutant of each is drawn. SEED and commit decide
all: the first n of NUMBER are those of NUMBER = n, and a part of a run is a fair sample too. Left out is what
no test should see: strings, annotations, messages, representations, decorators, `strict` of zip, `__init__`
and docs.

Each mutant meets the doctests of its file, the tests that are named after it, then all of its room (FOLDER in
place of them), without long ones, until one fails; with --long those that survive meet the long tests, too.
All this happens in a temporary clone, with compiled code of its own in the folder of results (./mutants):
what a mutant changes is compiled anew. A process has SECONDS of processor time (120; 150 more where code is
compiled), so that a busy machine makes no difference. At the end the tests that failed run on the commit
itself: one that fails there, too, has killed nothing, is left out from then on, and its mutants run again.

How to read it: a survivor is a mistake that the tests of its room let pass. It needs a test, or is equivalent
(no result differs, or only its looks), or shows a line that nothing needs; other rooms may notice it. One
that timed out, most in an endless loop, is neither killed nor survived. The share killed of n mutants has a
standard error of at most 0.5 / sqrt(n). The folder has a JSON line for each run, with the test that failed:
the same command goes on where it was stopped.
"""

import argparse
import ast
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections import Counter, defaultdict
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from time import monotonic

ROOT = Path(__file__).parents[2]
MORE_TESTS = {"kernel": ("tests/physics", "tests/published")}
MEMORY = 12 * 2**30  # of a process, which an endless loop may fill [bytes]
COMPILATION = 150.0  # processor time [s]
WAITING = 10.0  # for how many times the processor time a run is waited for: a mutant may wait for ever
ENDS = {0: "survived", 5: "survived", None: "timed out", -signal.SIGXCPU: "timed out"}  # 5: no tests


def both(*pairs):
    return dict(pairs) | {b: a for a, b in pairs}


BOUND = both((ast.Lt, ast.LtE), (ast.Gt, ast.GtE))
CONTRARY = both((ast.Lt, ast.GtE), (ast.Gt, ast.LtE), (ast.Eq, ast.NotEq))
CONTRARY |= both((ast.Is, ast.IsNot), (ast.In, ast.NotIn))
ARITHMETIC = both((ast.Add, ast.Sub), (ast.Mult, ast.Div))
LOGIC = both((ast.And, ast.Or))
EXTREMES = both(("min", "max"), ("minimum", "maximum"), ("nanmin", "nanmax"), ("fmin", "fmax"))
UNSEEN = (ast.Raise, ast.JoinedStr)
SEQUENCES = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp)  # a sum of which is no arithmetic


def is_seen(node):
    words = isinstance(node, UNSEEN) or getattr(node, "name", "") in ("__repr__", "__str__")
    check = isinstance(node, ast.keyword) and node.arg == "strict"
    typing = isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
    return isinstance(node, ast.AST) and not (words or check or typing)


def visible(tree):
    """Syntax of a file, less what no test should see."""
    nodes = [tree]
    for node in nodes:  # which grow
        yield node
        for field, value in ast.iter_fields(node):
            if field not in ("annotation", "returns", "decorator_list", "ctx"):
                nodes += filter(is_seen, value if isinstance(value, list) else (value,))


def changed(node, **fields):
    return type(node)(**dict(ast.iter_fields(node)) | fields)


def is_sequence(node):
    return isinstance(node, SEQUENCES) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def mutations(node):
    """Name of the operator, syntax that goes, and syntax that takes its place."""
    if type(getattr(node, "op", None)) in ARITHMETIC and not any(
        map(is_sequence, ast.iter_child_nodes(node))
    ):
        yield "arithmetic", node, changed(node, op=ARITHMETIC[type(node.op)]())
    match node:
        case ast.Compare():
            for i, op in enumerate(node.ops):
                for other in filter(None, (BOUND.get(type(op)), CONTRARY[type(op)])):
                    yield "comparison", node, changed(node, ops=[*node.ops[:i], other(), *node.ops[i + 1 :]])
        case ast.BoolOp():
            yield "logic", node, changed(node, op=LOGIC[type(node.op)]())
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            negated = isinstance(getattr(test, "op", None), ast.Not)
            if not isinstance(test, ast.Compare | ast.Constant):
                yield "condition", test, test.operand if negated else ast.UnaryOp(ast.Not(), test)
        case ast.Constant(value=int() as value):
            yield "constant", node, ast.Constant(not value if isinstance(value, bool) else value + 1)
        case ast.Constant(value=float() as value):
            yield "constant", node, ast.Constant(float(f"{1.1 * value:.15g}") if value else 1.0)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name) as function) if name in EXTREMES:
            field = "id" if isinstance(function, ast.Name) else "attr"
            yield "extreme", function, changed(function, **{field: EXTREMES[name]})
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
            yield "return", value, ast.Constant(None)
        case ast.Expr(value=ast.Call()) | ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "statement", node, ast.Pass()
        case ast.AugAssign():
            yield "statement", node, ast.Pass()


def written(path, old, new):
    """Source of a file in which one piece of syntax has taken the place of another."""
    lines = path.read_bytes().splitlines(keepends=True)
    start = sum(map(len, lines[: old.lineno - 1])) + old.col_offset
    end = sum(map(len, lines[: old.end_lineno - 1])) + old.end_col_offset
    source = b"".join(lines)
    return source[:start] + ast.unparse(new).encode() + source[end:]


def drawn(package, seed, number):
    """Mutants in the order in which they are run: name, file, and source of the mutant."""
    lines = defaultdict(list)
    for path in sorted(package.glob("*/**/*.py")):
        if path.name != "__init__.py" and path.relative_to(package).parts[0] != "docs":
            for node in visible(ast.parse(path.read_bytes())):
                for mutation in mutations(node):
                    lines[path, mutation[1].lineno].append(mutation)
    rng, order = random.Random(seed), list(lines)
    rng.shuffle(order)
    for path, line in order[:number]:
        operator, old, new = rng.choice(lines[path, line])
        words = " -> ".join(" ".join(ast.unparse(part).split()) for part in (old, new))
        place = path.relative_to(package).as_posix()
        yield f"{place}:{line} {operator} {words}", path, written(path, old, new)


class Clone:
    """A commit to break, with scratch files of its own."""

    def __init__(self, folder, commit, tests, code):
        self.folder, self.tree, self.tests, self.code = folder, folder / "tree", tests, code.absolute()
        subprocess.run(["git", "clone", "-q", ROOT, self.tree], check=True)
        subprocess.run(["git", "checkout", "-q", "--detach", commit], cwd=self.tree, check=True)
        self.commit = (self.tree / ".git/HEAD").read_text()[:8]

    def targets(self, path):
        """The file, for its doctests, and tests: those named after it, those that name it, the rest."""
        module = path.relative_to(self.tree).with_suffix("")
        room, dotted = module.parts[1], ".".join(module.parts)
        folders = [self.tests] if self.tests else [f"tests/unit/{room}", *MORE_TESTS.get(room, ())]
        files = [file for folder in folders for file in sorted((self.tree / folder).rglob("test_*.py"))]
        files.sort(key=lambda file: (file.name != f"test_{path.name}", dotted not in file.read_text()))
        return [path, *files]

    def pytest(self, arguments, code, limit):
        """Code of pytest, or None where it was stopped, and the tests that failed."""

        def restrict():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit) + 5))

        command = [sys.executable, "-m", "pytest", "-q", "-rfE", "--tb=no", "-p", "no:xdist"]
        command += ["-p", "no:cacheprovider", "--hypothesis-profile", "repeatable", *arguments]
        with TemporaryDirectory(ignore_cleanup_errors=True) as scratch, TemporaryFile() as out:
            env = os.environ | {"PYTHONPATH": str(self.tree), "NUMBA_CACHE_DIR": str(code), "TMPDIR": scratch}
            process = subprocess.Popen(
                command, cwd=self.tree, env=env, stdout=out, stderr=out, process_group=0, preexec_fn=restrict
            )
            try:
                ended = process.wait(WAITING * limit)
            except subprocess.TimeoutExpired:
                ended = None
            finally:
                with suppress(ProcessLookupError):  # what it has started ends with it
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            out.seek(0)
            told = out.read().decode(errors="replace")
        return ended, re.findall(r"(?m)^(?:FAILED|ERROR) (.*?)(?: - .*)?$", told)

    def outcome(self, path, source, arguments, limit):
        """What the tests say of a mutant."""
        original, code, began = path.read_bytes(), self.code, monotonic()
        if "base" in path.parts:  # which names compiled code after its source: a mistake there spoils it
            code = shutil.copytree(self.code, self.folder / "code")
        try:
            self.write(path, source)
            limit += COMPILATION if b"base.jit" in source else 0.0
            ended, by = self.pytest(["-x", *arguments, *self.targets(path)], code, limit)
        finally:
            self.write(path, original)
            shutil.rmtree(self.folder / "code", ignore_errors=True)
        return {"outcome": ENDS.get(ended, "killed"), "by": by[:1], "seconds": round(monotonic() - began, 1)}

    def write(self, path, source):
        path.write_bytes(source)
        Path(cache_from_source(path)).unlink(missing_ok=True)  # known by size and second alone


def latest(rows):
    return {row["mutant"]: row for row in rows if "mutant" in row}


def outcomes(tier, clone, mutants, rows, limit):
    """Rows of what is left to run: mutants, then tests that killed some, on the commit itself."""
    checked = {row["test"]: row["fails anyway"] for row in rows if "test" in row}
    bad, known = {test for test, fails in checked.items() if fails}, latest(rows)
    before = ("survived", "not long") if tier == "long" else None
    arguments = ["-m", tier, *(f"--deselect={test}" for test in bad)]
    for name, (path, source) in mutants.items():
        row = known.get(name)
        spoiled = row and row["tier"] == tier and bad & set(row["by"])
        if spoiled or (row and (row["outcome"], row["tier"])) == before:
            yield {"mutant": name, "tier": tier, **clone.outcome(path, source, arguments, limit)}
    new = sorted({test for row in latest(rows).values() for test in row["by"]} - checked.keys())
    failed = clone.pytest(new, clone.code, 24 * 3600)[1] if new else []
    yield from ({"test": test, "fails anyway": test in failed} for test in new)


def report(rows, mutants):
    """Print what survived or timed out, and a table of rooms."""
    table = defaultdict(Counter)
    for name, row in latest(rows).items():
        if name in mutants:
            word = row["outcome"] + ", long" * (row["tier"] == "long")
            table[name.split("/")[0]][word] += 1
            table["all"][word] += 1
            if row["outcome"] != "killed":
                print(f"{word}: {name}")
    words = sorted(table["all"])
    print("| room | mutants |", " | ".join(words), "|")
    for room, counts in sorted(table.items()):
        print(f"| {room} | {counts.total()} |", " | ".join(str(counts[word]) for word in words), "|")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("seed", type=int)
    parser.add_argument("number", type=int)
    for name, default in (("tests", ""), ("commit", "HEAD"), ("results", Path("mutants")), ("limit", 120.0)):
        parser.add_argument(f"--{name}", type=type(default), default=default)
    parser.add_argument("--long", action="store_true")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # which ends the tests and removes the clone
    (asked.results / "code").mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        clone = Clone(Path(folder), asked.commit, asked.tests, asked.results / "code")
        mutants = {name: rest for name, *rest in drawn(clone.tree / "mcrock", asked.seed, asked.number)}
        file = asked.results / f"{clone.commit}-{asked.seed}.jsonl"
        rows = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
        for tier in 2 * ("not long",) + 2 * asked.long * ("long",):  # then without tests that fail anyway
            for row in outcomes(tier, clone, mutants, rows, asked.limit):
                rows.append(row)
                with file.open("a") as out:
                    out.write(f"{json.dumps(row)}\n")
                print(*row.values(), flush=True)
        report(rows, mutants)


if __name__ == "__main__":
    main()
