"""Which items measure? Difficulty and discrimination of each item, and those that need a look."""

from __future__ import annotations

from lib.analysis_view import Section, ask, page_heading, show_answer, show_charts, show_origin, show_sections
from lib.tables import Joined

ITEM_VIEW = (
    "item", "family", "class",
    Joined("difficulty (mean score)", "difficulty", "difficulty_low", "difficulty_high"),
    Joined("item-rest correlation", "item_rest", "item_rest_low", "item_rest_high"),
    "alpha_if_deleted", "agents", "trials", "note",
)  # fmt: skip
SECTIONS = (
    Section("suspects", "Look at these first", ITEM_VIEW, folded=False),
    Section(
        "items",
        "All items",
        ITEM_VIEW,
        folded=False,
        explanation="Difficulty is the mean score on 0 to 1: high is easy. A negative item-rest correlation means "
        "that stronger agents do worse on the item. Details of an item stand on the Benchmark page.",
    ),
    Section("left_out", "Left out of the figures"),
)


def main() -> None:
    page_heading("items")
    result = ask("items")
    if result is None:
        return
    show_answer(result)
    show_charts(result, {"scatter": "Difficulty and discrimination", "difficulty": "Difficulty"})
    show_sections(result, SECTIONS)
    show_origin(result)


if __name__ == "__main__":
    main()
