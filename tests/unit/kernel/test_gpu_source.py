"""The compiled source is plain enough for a GPU: scalar statements and calls of other compiled functions.

Read from the syntax tree of every compiled function of the kernel, the impact laws and the counter hash. It
does not show that a GPU compiler finds types for it, nor what speed or how many registers come out.
"""

import ast
import builtins
import math
import textwrap
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import mcrock
from mcrock.impact.planar import at_address
from mcrock.kernel.layout import run_type

ROOT = Path(mcrock.__file__).parent
FILES = [
    *sorted((ROOT / "kernel").rglob("*.py")),
    *sorted((ROOT / "impact").rglob("*.py")),
    ROOT / "base/random_numbers.py",
]

# no exceptions, objects, allocation, closures or generators
FORBIDDEN = (
    ast.Raise, ast.Try, ast.TryStar, ast.With, ast.Assert, ast.Delete, ast.Import, ast.ImportFrom,
    ast.Global, ast.Nonlocal, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp,
    ast.GeneratorExp, ast.JoinedStr, ast.Lambda, ast.FunctionDef, ast.ClassDef, ast.Yield, ast.YieldFrom,
    ast.Starred, ast.Match,
)  # fmt: skip
BUILTINS = {"abs", "min", "max", "range", "int", "float"}
# types and constants only: numba's GPU target knows few of numpy's functions (not even isnan), and all of
# those of the module math
NUMPY = {"int64", "uint64", "float64"}
ATTRIBUTES = {"shape", "size"}  # of an array


def is_compiled(node):
    """Whether a definition carries the compiler's decorator."""
    names = (d.func if isinstance(d, ast.Call) else d for d in getattr(node, "decorator_list", ()))
    return any(isinstance(name, ast.Name) and name.id == "jit" for name in names)


def compiled_functions(source):
    """Compiled functions of a file by name."""
    return {node.name: node for node in ast.parse(source).body if is_compiled(node)}


def module_of(path):
    return import_module(".".join(("mcrock", *path.relative_to(ROOT).with_suffix("").parts)))


def made_from_text(module):
    """Sources of the functions of `by_code`."""
    found = (getattr(value, "__doc__", None) or "" for value in vars(module).values())
    return [text for text in found if text.startswith("@jit")]


@cache
def functions():
    sources = {path: [path.read_text(), *made_from_text(module_of(path))] for path in FILES}
    return {path: compiled_functions("\n".join(texts)) for path, texts in sources.items()}


@cache
def compiled():
    """Path and name of each by the object, whatever it is called where it is used."""
    return {id(getattr(module_of(path), name)): (path, name) for path in FILES for name in functions()[path]}


class Reader(ast.NodeVisitor):
    """What is unfit in one function, and which compiled functions it calls."""

    def __init__(self, function, module):
        self.module = module
        self.faults, self.calls = [], set()
        arguments = function.args
        if arguments.vararg or arguments.kwarg or arguments.defaults or arguments.kwonlyargs:
            self.fault(function, "optional arguments")
        self.local = {a.arg for a in arguments.args}
        self.local |= {
            n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        body = function.body[1:] if ast.get_docstring(function) is not None else function.body
        for node in body:
            self.visit(node)

    def fault(self, node, words):
        self.faults.append(f"line {node.lineno}: {words}")

    def found(self, node):
        """The object a name outside the function stands for, None for anything else."""
        if isinstance(node, ast.Name) and node.id not in self.local:
            return getattr(self.module, node.id, getattr(builtins, node.id, None))
        if isinstance(node, ast.Attribute):
            owner = self.found(node.value)
            if isinstance(owner, ModuleType):
                return getattr(owner, node.attr, None)
        return None

    def visit(self, node):
        if isinstance(node, FORBIDDEN):
            self.fault(node, type(node).__name__)
            return
        super().visit(node)

    def visit_Compare(self, node):
        # numba leaves out the branch of an argument that is None
        if not (isinstance(node.left, ast.Name) and ast.unparse(node).endswith((" is None", " is not None"))):
            self.generic_visit(node)

    def visit_Constant(self, node):
        if not isinstance(node.value, bool | int | float):
            self.fault(node, f"constant {node.value!r}")

    def visit_Call(self, node):
        callee = self.found(node.func)
        if not self.may_call(callee):
            self.fault(node, f"call of {ast.unparse(node.func)}")
        if id(callee) in compiled():
            self.calls.add(compiled()[id(callee)])
        for child in (*node.args, *(word.value for word in node.keywords)):
            self.visit(child)

    def visit_Attribute(self, node):
        owner = self.found(node.value)
        if owner is np and node.attr not in ("inf", "nan", "pi"):
            self.fault(node, f"np.{node.attr}")
        elif owner is None and not (node.attr in ATTRIBUTES or node.attr in fields()):
            self.fault(node, f"attribute {node.attr}")
        self.visit(node.value)

    @staticmethod
    def may_call(callee):
        name = getattr(callee, "__name__", "")
        return (
            id(callee) in compiled()
            or (name in BUILTINS and callee is getattr(builtins, name))
            or callee is getattr(math, name, Reader)
            or (name in NUMPY and callee is getattr(np, name))
            or is_pack(callee)
            or callee is at_address  # a GPU has a stand-in: mcrock/simulation/device/launch.py
        )


def is_pack(value):
    """Whether an object is a pack: a named tuple, which compiled code may build."""
    return isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields")


def fields_of(kind):
    """Names of the fields of a type of records, and of the records in it."""
    return set(kind.names).union(
        *(fields_of(kind[name].base) for name in kind.names if kind[name].base.names)
    )


@cache
def fields():
    """Names of the fields of records and packs."""
    packs = [
        pack
        for path in (*FILES, ROOT / "base/params.py")
        for pack in vars(module_of(path)).values()
        if is_pack(pack)
    ]
    return fields_of(run_type()).union(*(pack._fields for pack in packs))


def test_source_is_scalar_and_allocates_nothing():
    faults = [
        f"{path.relative_to(ROOT)} {name}, {fault}"
        for path, found in functions().items()
        for name, function in found.items()
        for fault in Reader(function, module_of(path)).faults
    ]
    assert not faults, "\n".join(faults)


def test_no_function_calls_itself():
    calls = {
        (path, name): Reader(function, module_of(path)).calls
        for path, found in functions().items()
        for name, function in found.items()
    }
    kernel = ROOT / "kernel"
    assert (kernel / "edge.py", "advance_edge") in calls[kernel / "integrate.py", "advance"]
    TopologicalSorter(calls).prepare()  # CycleError where the calls have a ring


def test_functions_are_found():
    """A reader that looks at nothing would pass too."""
    assert {"integrate", "advance", "change"} <= set(functions()[ROOT / "kernel" / "integrate.py"])
    assert {"uniform", "quantile"} <= set(functions()[ROOT / "base/random_numbers.py"])
    made = [text for path in FILES for text in made_from_text(module_of(path))]
    assert len(made) == 2
    decorators = sum(path.read_text().count("\n@jit") for path in FILES)
    assert len(compiled()) == sum(map(len, functions().values())) == decorators + len(made) > 80


UNFIT = {
    "raise ValueError": "Raise",
    "try:\n    a = x\nfinally:\n    a = 0.0": "Try",
    "with x:\n    pass": "With",
    "assert x": "Assert",
    "a = [x]": "List",
    "a = {x: 1}": "Dict",
    "a = {x}": "Set",
    "a = [i for i in x]": "ListComp",
    "a = sum(i for i in x)": "call of sum",
    "a = f'{x}'": "JoinedStr",
    "a = 'x'": "constant 'x'",
    "a = None": "constant None",
    "a = lambda: x": "Lambda",
    "print(x)": "call of print",
    "a = np.zeros(3)": "call of np.zeros",
    "a = np.linalg.norm(x)": "call of np.linalg.norm",
    "a = np.isnan(x)": "call of np.isnan",
    "a = np.sqrt": "np.sqrt",
    "a = x.copy()": "call of x.copy",
    "a = x.T": "attribute T",
    "x(1.0)": "call of x",
    "topology(x, 4)": "call of topology",
    "integrate(*x)": "Starred",
}


@pytest.mark.parametrize(("body", "words"), UNFIT.items())
def test_what_is_unfit_is_found(body, words):
    source = "@jit\ndef function(x):\n" + textwrap.indent(body, "    ")
    module = ModuleType("unfit")
    vars(module).update(
        vars(module_of(ROOT / "kernel" / "integrate.py")), topology=mcrock.kernel.contact.topology
    )
    faults = Reader(compiled_functions(source)["function"], module).faults
    assert [fault.split(": ", 1)[1] for fault in faults][:1] == [words]
