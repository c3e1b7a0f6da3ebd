"""Small tables and maps that the tests of imports write."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

MAP = """schema_version = 1
[benchmark]
name = "toy"
version = "1.0.0"
licence = "CC0-1.0"
source = "made for a test"
[columns]
item = "item"
agent = "agent"
"""
TRIALS = MAP + 'trial = "trial"\nscore = "score"\n'
STATUSES = TRIALS + 'status = "status"\n'


def write(path: Path, text: str | bytes) -> Path:
    """Write text or bytes, gzipped when the name says so, and return the path."""
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    return path


def column_map(folder: Path, text: str = TRIALS) -> Path:
    """Write a map and return its path."""
    return write(folder / "map.toml", text)


def csv_rows(*rows: tuple[Any, ...], header: str = "item,agent,trial,score") -> str:
    """Return a CSV text."""
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"
