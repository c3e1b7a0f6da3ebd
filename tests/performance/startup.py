"""Prints how long importing the package and printing the help take: minimum and median of several runs, in seconds.

Run: python tests/performance/startup.py
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

RUNS = 15
COMMANDS = {
    "python (bare)": [sys.executable, "-c", "pass"],
    "import metrology": [sys.executable, "-c", "import metrology"],
    "metrology --help": [sys.executable, "-c", "from metrology.cli.main import run; run(['--help'])"],
}


def main() -> None:
    """Time each command as a whole process."""
    for name, command in COMMANDS.items():
        seconds = []
        for _ in range(RUNS):
            begun = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            seconds.append(time.perf_counter() - begun)
        print(f"{name}: minimum {min(seconds):.3f} s, median {statistics.median(seconds):.3f} s")


if __name__ == "__main__":
    main()
