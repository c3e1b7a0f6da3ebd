"""The shared checker of reference values, edge cases and closed forms, run as it is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


def test_no_reference_value_fails(shared: Path, tmp_path: Path):
    folder = shared / "golden"
    if not (folder / "check_golden.py").is_file():
        pytest.skip("the shared folder holds no reference values")
    report = tmp_path / "report.json"
    command = [sys.executable, str(folder / "check_golden.py"), str(folder / "golden_open.json")]
    command += ["--edge", str(folder / "edge_open.json"), "--json", str(report)]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=280, check=False)
    assert report.is_file(), done.stderr
    rows = json.loads(report.read_text(encoding="utf-8"))["rows"]
    failed = [f"{row['key']}: {row['detail']}" for row in rows if row["result"] == "failed"]
    assert failed == []
    assert sum(row["result"] == "passed" for row in rows) > 200
