"""1 when the answer is a choice of the offered numbers with the wanted sum, else 0: any right choice counts."""

import re
from pathlib import Path

OFFERED = [13, 27, 8, 41, 19, 36]
WANTED = 68


def right(answer: str) -> bool:
    """Whether the whole answer is a list of different offered numbers that add up to ``WANTED``."""
    text = answer.strip()
    if not re.fullmatch(r"\d{1,4}([\s,+]+\d{1,4}){0,9}", text):
        return False
    chosen = [int(number) for number in re.findall(r"\d+", text)]
    return len(set(chosen)) == len(chosen) and set(chosen) <= set(OFFERED) and sum(chosen) == WANTED


if __name__ == "__main__":
    answer = Path("answer.txt").read_text(encoding="utf-8", errors="replace")
    Path("reward.txt").write_text("1" if right(answer) else "0", encoding="utf-8")
