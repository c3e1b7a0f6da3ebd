"""Prints what a box costs: programs per second through process boxes, against a bare loop of the same programs.

Run by hand: python tests/performance/process.py [trials]. Both sides run as many at a time; rounds alternate, so that
a noisy machine hits both alike.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from metrology.environments.base import build_environment

AT_A_TIME = 2
ROUNDS = 5
PROGRAM = [sys.executable, "-c", "import sys; print(sys.stdin.read()[::-1])"]


def bare(count: int) -> float:
    """Programs per second of a plain loop."""

    def one(_: int) -> None:
        subprocess.run(PROGRAM, input=b"hello", capture_output=True, check=True)

    started = time.perf_counter()
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        list(pool.map(one, range(count)))
    return count / (time.perf_counter() - started)


async def boxed(count: int) -> float:
    """Programs per second with a fresh box each: opened, filled, run, collected from, removed."""
    environment = build_environment("process")
    remaining = iter(range(count))

    async def worker() -> None:
        for _ in remaining:
            async with await environment.open({"kind": "process"}) as box:
                await box.put({"in.txt": b"x"})
                ended = await box.run(PROGRAM, stdin=b"hello", time_limit_seconds=60.0)
                assert ended.stdout == b"olleh\n"
                await box.collect(["in.txt"])

    started = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(AT_A_TIME)))
    return count / (time.perf_counter() - started)


def main() -> None:
    """Alternate the two sides and print the medians and their ratio."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    plain, inside = [], []
    for _ in range(ROUNDS):
        plain.append(bare(count))
        inside.append(asyncio.run(boxed(count)))
    ratio = statistics.median(i / p for i, p in zip(inside, plain, strict=True))
    print(f"bare loop      {statistics.median(plain):8.1f} programs/s")
    print(f"process boxes  {statistics.median(inside):8.1f} programs/s")
    print(f"ratio          {ratio:8.1%} (at least 60 % is wanted)")


if __name__ == "__main__":
    main()
