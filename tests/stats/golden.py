"""Reference values and their data, read from tests/data/golden."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from metrology.stats.cells import Cells

FOLDER = Path(__file__).resolve().parent.parent / "data" / "golden"


@cache
def _values() -> dict[str, Any]:
    files = sorted(FOLDER.glob("values*.json"))
    return {key: entry for file in files for key, entry in json.loads(file.read_text(encoding="utf-8")).items()}


def value(key: str) -> Any:
    return _values()[key]["value"]


def keys(start: str) -> list[str]:
    found = [key for key in _values() if key.startswith(start)]
    assert found, f"no reference value starts with {start}"
    return found


def table(name: str) -> pd.DataFrame:
    return pd.read_csv(FOLDER / f"{name}.csv")


def long_cells(name: str, *, families: bool = True) -> Cells:
    rows = table(name)
    return Cells.from_long(rows.agent, rows.item, rows.score, family=rows.cluster if families else None)


def agrees(key: str, got: Any) -> bool:
    """Whether ``got`` (a number, list or mapping) meets the reference value within its tolerance."""
    return _agrees(value(key), got, _values()[key]["tol"])


def _agrees(want: Any, got: Any, tolerance: float) -> bool:
    if isinstance(want, dict):
        return bool(got) and all(_agrees(want[name], part, tolerance) for name, part in got.items())
    if isinstance(want, list):
        return len(want) == len(got) and all(_agrees(w, g, tolerance) for w, g in zip(want, got, strict=True))
    return abs(want - got) <= tolerance + tolerance * abs(want)
