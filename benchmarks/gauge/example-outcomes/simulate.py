"""Writes outcomes.csv: production figures that nobody observed, to show how validity is read.

Each agent has a rate of cases solved without help, chosen by hand below; what is written is a draw of that rate over
the cases of a month. Nothing here knows what an agent scores on gauge.
"""

from __future__ import annotations

import csv
import random
from pathlib import Path

SEED = 2026
MEASURE = "solved without help (simulated)"
MONTHS = ("2026-09", "2026-10")
CASES = (220, 340)
# Chosen by hand. Harness and operations differ in production as they do in the configurations.
RATES = {
    "careful": 0.62,
    "flaky": 0.47,
    "shallow": 0.41,
    "smollm2-bare-t03-single": 0.33,
    "smollm2-bare-t03-vote3": 0.35,
    "smollm2-bare-t10-single": 0.27,
    "smollm2-bare-t10-vote3": 0.28,
    "smollm2-fewshot-t03-single": 0.44,
    "smollm2-fewshot-t03-vote3": 0.45,
    "smollm2-fewshot-t10-single": 0.34,
    "smollm2-fewshot-t10-vote3": 0.39,
}


def rows() -> list[list[str]]:
    """The lines of the file, header first."""
    generator = random.Random(SEED)
    lines = [["agent", "period", "segment", "measure", "value", "n", "censored"]]
    for month in MONTHS:
        for agent, rate in RATES.items():
            cases = generator.randint(*CASES)
            solved = sum(generator.random() < rate for _ in range(cases))
            lines.append([agent, month, "all cases", MEASURE, f"{solved / cases:.4f}", str(cases), "false"])
    return lines


if __name__ == "__main__":
    with Path(__file__).with_name("outcomes.csv").open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, lineterminator="\n").writerows(rows())
