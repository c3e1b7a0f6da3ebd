"""Writes benchmark folders for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MANIFEST = """schema_version = 1
name = "{name}"
version = "{version}"
purpose = "evaluation"
title = "A small one"
construct = "Whether somebody can copy a word."
licence = "CC0-1.0"
owner = "testers"
{more}
"""


def record(name: object = "t-01", **changes: Any) -> dict[str, Any]:
    """One right item record; a change to None removes the key."""
    table = {
        "name": name,
        "instruction": f"Say {name}.",
        "scorer": {"kind": "exact", "expected": [f"{name}"]},
        "reference": {"answer": f"{name}"},
        **changes,
    }
    return {key: value for key, value in table.items() if value is not None}


def write_benchmark(
    root: Path, *records: object, name: str = "small", version: str = "1.0.0", more: str = "", file: str = "all.jsonl"
) -> Path:
    """Write a benchmark whose items are the lines of one file; a text stands as it is."""
    (root / "items").mkdir(parents=True, exist_ok=True)
    (root / "benchmark.toml").write_text(MANIFEST.format(name=name, version=version, more=more))
    lines = [line if isinstance(line, str) else json.dumps(line) for line in records]
    (root / "items" / file).write_text("\n".join(lines) + "\n")
    return root


def write_item(root: Path, name: str, toml: str = "", **files: str | bytes) -> Path:
    """Write an item's folder; ``files`` are keyed by path with ``__`` for the slash and ``_dot_`` for the point."""
    folder = root / "items" / name
    default = {
        "instruction_dot_md": "Copy the word.\nWrite it down.\n",
        "reference__answer_dot_txt": "word\n",
    }
    folder.mkdir(parents=True)
    (folder / "item.toml").write_text(toml or '[scorer]\nkind = "exact"\nexpected = ["word"]\n')
    for key, content in {**default, **files}.items():
        path = folder / key.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder
