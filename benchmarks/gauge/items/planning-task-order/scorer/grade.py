"""1 when the answer is an order of all tasks that respects every need, else 0: both right orders count."""

import re
from pathlib import Path

NEEDS = {"plan": [], "build": ["plan"], "paint": ["build"], "test": ["build"], "sell": ["paint", "test"]}


def right(answer: str) -> bool:
    """Whether the whole answer names each task once, after all that it needs."""
    text = answer.strip().lower()
    if not re.fullmatch(r"[a-z]+([\s,>-]+[a-z]+){4}\.?", text):
        return False
    order = re.findall(r"[a-z]+", text)
    if sorted(order) != sorted(NEEDS):
        return False
    return all(order.index(need) < order.index(task) for task, needs in NEEDS.items() for need in needs)


if __name__ == "__main__":
    answer = Path("answer.txt").read_text(encoding="utf-8", errors="replace")
    Path("reward.txt").write_text("1" if right(answer) else "0", encoding="utf-8")
