from __future__ import annotations

import ast
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from lib import page_files

FOLDER = Path(page_files.__file__).parent.parent
ALLOWED = {"metrology", "metrology.workspace", "metrology.report", "metrology.stats.results", "metrology.analysis.base"}


def test_every_page_file_is_registered_and_there() -> None:
    registered = {page.file for page in page_files.PAGES}
    assert registered == set((FOLDER / "pages").glob("*.py"))
    assert len({page.address for page in page_files.PAGES}) == len(page_files.PAGES)
    assert {page.section for page in page_files.PAGES} <= set(page_files.SECTIONS)


def test_a_page_of_another_package_needs_one_file_and_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        EntryPoint("Cost per pass", "json.tool", page_files.GROUP),
        EntryPoint("Gone", "no_such_package_here.page", page_files.GROUP),
    ]
    monkeypatch.setattr(page_files, "entry_points", lambda group: points if group == page_files.GROUP else [])
    found, missing = page_files.added_pages()
    assert [(page.title, page.address, page.file.name) for page in found] == [
        ("Cost per pass", "cost-per-pass", "tool.py")
    ]
    assert [page.name for page in missing] == ["Gone"]
    assert "no_such_package_here" in missing[0].reason


def _imports(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return names | {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}


def test_the_dashboard_reads_through_the_workspace_only() -> None:
    for path in FOLDER.rglob("*.py"):
        ours = {name for name in _imports(path) if name.split(".")[0] == "metrology"}
        assert ours <= ALLOWED, path.name
        assert not _imports(path) & {"sqlalchemy", "sqlmodel", "sqlite3", "alembic"}, path.name


def _calls(path: Path) -> list[ast.Call]:
    return [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]


RENDERING = frozenset(
    [
        "markdown",
        "write",
        "title",
        "header",
        "subheader",
        "caption",
        "info",
        "warning",
        "error",
        "success",
        "metric",
        "badge",
    ]
)


def test_nothing_that_renders_is_given_stored_text() -> None:
    """Calls that render Markdown take literals, or names of our own pages and sections only."""
    own = {"page.title", "page.question", "section.heading", "section.explanation", "what", "own_label"}
    for path in FOLDER.rglob("*.py"):
        for call in _calls(path):
            assert not any(word.arg == "unsafe_allow_html" for word in call.keywords), path.name
            name = ast.unparse(call.func)
            if not name.startswith("st.") or name.removeprefix("st.") not in RENDERING:
                continue
            for argument in call.args:
                constant = isinstance(argument, ast.Constant) or ast.unparse(argument) in own
                numbers = isinstance(argument, ast.JoinedStr) and all(
                    isinstance(part, ast.Constant) or part.format_spec is not None for part in argument.values
                )
                assert constant or numbers, f"{path.name}: {ast.unparse(call)}"
