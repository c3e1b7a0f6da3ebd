"""The share of the wanted rows that clean.csv has in their places; 0 without the header or with more rows."""

from pathlib import Path

HEADER = "name,score"
ROWS = ["Ella,19", "Liam,31", "Mia,12", "Noah,7", "Zoe,0"]


def share(table: str) -> float:
    """A number from 0 to 1: rows that are right in their places, over the wanted rows."""
    lines = table.strip().splitlines()
    if not lines or lines[0] != HEADER or len(lines) - 1 > len(ROWS):
        return 0.0
    return sum(found == wanted for found, wanted in zip(lines[1:], ROWS, strict=False)) / len(ROWS)


if __name__ == "__main__":
    path = Path("clean.csv")
    table = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    Path("reward.txt").write_text(str(share(table)), encoding="utf-8")
