"""A command line in this process, and a small benchmark folder to use it on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from metrology.cli.main import run

BENCHMARK = """schema_version = 1
name = "tiny"
version = "1.0.0"
purpose = "evaluation"
title = "Tiny"
construct = "Says yes when asked to."
licence = "CC0-1.0"
owner = "tests"

[scorer]
kind = "exact"
"""
AGENT = """schema_version = 1
name = "{mode}"

[model]
requested = "none"

[harness]
kind = "scripted"
mode = "{mode}"

[operations]
time_limit_seconds = 10
"""


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The output, which must be strict JSON."""
        return json.loads(self.out, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))


Command = Callable[..., Ran]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    """Run ``metrology`` with arguments on a database of this test."""
    monkeypatch.setenv("METROLOGY_DB", str(tmp_path / "store" / "metrology.db"))
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    (tmp_path / "store").mkdir()

    def call(*arguments: object) -> Ran:
        before = os.environ["METROLOGY_DB"]
        capsys.readouterr()
        code = 0
        try:
            run([str(argument) for argument in arguments])
        except SystemExit as ended:
            code = int(ended.code or 0)
        finally:
            os.environ["METROLOGY_DB"] = before
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return call


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A folder with a benchmark of three items."""
    folder = tmp_path / "tiny"
    (folder / "items").mkdir(parents=True)
    (folder / "benchmark.toml").write_text(BENCHMARK)
    records = [
        {
            "name": f"say-{word}",
            "instruction": f"Say {word}.",
            "family": "say",
            "scorer": {"kind": "exact", "expected": [word]},
            "reference": {"answer": word},
        }
        for word in ("yes", "no", "maybe")
    ]
    (folder / "items" / "say.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return folder


@pytest.fixture
def agents(tmp_path: Path) -> dict[str, Path]:
    """Agent files of the noop and the reference agent."""
    files = {}
    for mode in ("noop", "reference"):
        files[mode] = tmp_path / f"{mode}.toml"
        files[mode].write_text(AGENT.format(mode=mode))
    return files
