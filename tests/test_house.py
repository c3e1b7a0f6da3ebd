"""The rules of the house that no other tool checks: sizes, names, layers, and nothing of one machine in the files."""

from __future__ import annotations

import ast
import gzip
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LONGEST = 400
VAGUE = {"utils", "util", "helpers", "helper", "common", "misc"}

# Where imports of our own may stand inside a function, and why.
LAZY = {
    "metrology/cli/": "a command imports what it needs, so that --help is quick",
    "metrology/workspace.py": "opening a workspace does not import statistics, importers and registry",
}
# What says where one machine keeps things; spelled in parts, for this file is searched too.
FOLDERS = ("work", "root", "home", "Users", "tmp", "private")
MACHINE = re.compile(r"(?<![\w./~-])/(?:" + "|".join(FOLDERS) + r")/\w[^\s\"']*")
INDENTED_IMPORT = re.compile(r"^[ \t]+(?:from|import) (?:metrology|\.)", re.MULTILINE)
REGISTRIES = (r"py" r"pi\.org", r"python" r"hosted\.org", r"index" r"-url", r"dev" r"pi", r"art" r"ifactory")
HOSTS = re.compile("|".join(REGISTRIES), re.IGNORECASE)


@cache
def tracked() -> tuple[Path, ...]:
    """The files that are under version control and still there."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    paths = tuple(ROOT / name for name in done.stdout.split("\0") if name)
    return tuple(path for path in paths if path.is_file())


def python_files(*folders: str) -> list[Path]:
    return [path for path in tracked() if path.suffix == ".py" and (not folders or relative(path).startswith(folders))]


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def text_of(path: Path) -> str:
    """The text of a file, unpacked; nothing for other binary files."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    return "" if b"\0" in data[:8192] else data.decode("utf-8", "replace")


def test_no_python_file_is_too_long() -> None:
    lengths = {relative(path): len(path.read_text(encoding="utf-8").splitlines()) for path in python_files()}
    assert len(lengths) > 100, "the list of tracked files must not be empty"
    long = {name: lines for name, lines in lengths.items() if lines > LONGEST}
    assert not long, f"longer than {LONGEST} lines: {long}"


def test_no_file_has_a_name_that_says_nothing() -> None:
    vague = [
        relative(path)
        for path in tracked()
        if VAGUE & {part.split(".")[0].lower() for part in path.relative_to(ROOT).parts}
    ]
    assert not vague


def functions(module: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def called(node: ast.AST) -> str:
    """The last name of a called function, nothing for other nodes."""
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def asserts(function: ast.AST, asserting: frozenset[str]) -> bool:
    """Whether a function can fail for what it saw: an assertion that is no constant, or a call of one that asserts."""
    direct, calls = looked_at(function)
    return direct or bool(calls & asserting)


@cache
def looked_at(function: ast.AST) -> tuple[bool, frozenset[str]]:
    """Whether a function asserts by itself, and what it calls."""
    direct, calls = False, set()
    for node in ast.walk(function):
        name = called(node)
        calls.add(name)
        direct |= isinstance(node, ast.Assert) and not isinstance(node.test, ast.Constant)
        direct |= name in ("raises", "warns", "fail") or name.startswith("assert_")
    return direct, frozenset(calls - {""})


def asserting_functions() -> frozenset[str]:
    """Names of functions in tests and conformance kits that assert, directly or through one another."""
    bodies = [
        (function.name, looked_at(function))
        for path in python_files("tests/", "metrology/testing/")
        for function in functions(tree(path))
        if not function.name.startswith("test_")
    ]
    known: frozenset[str] = frozenset()
    while True:
        found = known | {name for name, (direct, calls) in bodies if direct or calls & known}
        if found == known:
            return known
        known = found


def test_every_test_asserts_something() -> None:
    asserting = asserting_functions()
    tests = [
        (relative(path), function)
        for path in python_files("tests/")
        if path.name.startswith("test_")
        for function in functions(tree(path))
        if function.name.startswith("test_")
    ]
    assert len(tests) > 100
    idle = [f"{file}:{function.lineno} {function.name}" for file, function in tests if not asserts(function, asserting)]
    assert not idle, "\n".join(idle)


def test_an_idle_test_would_be_noticed() -> None:
    idle, constant, busy = (
        ast.parse("def test_a():\n    value = 1\n"),
        ast.parse("def test_b():\n    assert True\n"),
        ast.parse("def test_c(x):\n    assert x\n"),
    )
    assert [asserts(module, frozenset()) for module in (idle, constant, busy)] == [False, False, True]


def test_no_file_speaks_of_one_machine() -> None:
    found = [
        f"{relative(path)}: {match.group()}"
        for path in tracked()
        for pattern in (MACHINE, HOSTS)
        for match in pattern.finditer(text_of(path))
    ]
    assert not found, "\n".join(found[:20])


def test_a_machine_path_would_be_noticed() -> None:
    path = "/".join(("", "home", "someone", "data.csv"))
    assert MACHINE.search(f'read("{path}")')
    assert not MACHINE.search("a relative work/answer.txt, an address http://host/home/page")


def local_imports(path: Path) -> Iterator[str]:
    """Imports of our own that stand inside a function."""
    if not INDENTED_IMPORT.search(path.read_text(encoding="utf-8")):
        return
    for function in functions(tree(path)):
        for node in ast.walk(function):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                if name.split(".")[0] == "metrology" or (isinstance(node, ast.ImportFrom) and node.level):
                    yield f"{relative(path)}:{node.lineno} {name}"


def test_our_own_imports_stand_at_the_top() -> None:
    lazy = [line for path in python_files("metrology/") for line in local_imports(path)]
    hidden = [line for line in lazy if not line.startswith(tuple(LAZY))]
    assert not hidden, "\n".join(hidden)
    unused = [place for place in LAZY if not any(line.startswith(place) for line in lazy)]
    assert not unused, f"no longer needed in LAZY: {unused}"


def test_layers_import_downward_only() -> None:
    program = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([program, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout
