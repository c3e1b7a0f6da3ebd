"""What every environment must keep: files in, a program run, artifacts out, and nothing left."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from metrology.environments.base import Environment

PROGRAM = """
import os, sys
text = sys.stdin.read() + open("in/data.txt").read() + os.environ["GREETING"]
os.makedirs("out")
open("out/result.txt", "w").write(text)
print(text)
print("noise", file=sys.stderr)
raise SystemExit(7)
"""


async def check_environment(
    environment: Environment, table: Mapping[str, Any], *, python: str = sys.executable
) -> None:
    """Assert the contract of an environment whose boxes have a Python at ``python``.

    Raises:
        AssertionError: the contract is broken; the message says where.
    """
    assert environment.problems(table) == (), "the table must be right"
    first, second = await environment.open(table), await environment.open(table)
    async with first, second:
        await first.put({"in/data.txt": b"b"})
        ended = await first.run(
            [python, "-c", PROGRAM], stdin=b"a", environment={"GREETING": "c"}, time_limit_seconds=60.0
        )
        assert ended.stdout == b"abc\n", f"input, file and environment must arrive: {ended}"
        assert ended.stderr == b"noise\n", "stderr is kept apart"
        assert (ended.exit_code, ended.signal, ended.timed_out) == (7, None, False), "exit codes are data"
        collected = await first.collect(["out", "missing.txt"])
        assert dict(collected.files) == {"out/result.txt": b"abc"}, "only what was declared and left crosses"
        apart = await second.run([python, "-c", "import os; print(os.listdir('.'))"], time_limit_seconds=60.0)
        assert apart.stdout == b"[]\n", "boxes do not see one another"
        hanging = await second.run([python, "-c", "import time; time.sleep(600)"], time_limit_seconds=1.0)
        assert hanging.timed_out, "a deadline ends a program"
        assert hanging.exit_code is None, "a deadline is no exit code"
    await first.close()
    await environment.close()
