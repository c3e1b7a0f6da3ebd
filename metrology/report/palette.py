"""What all charts share: colours that also differ in lightness, sizes, data and alt text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import altair as alt

BLUE, ORANGE, GREY, RED, GREEN = "#1f5fa8", "#d9822b", "#8a8f98", "#b3261e", "#2f7d4f"
WIDTH = 560
ROW_HEIGHT = 18
MOST_ROWS = 40
"""A chart with more rows is cut to the first ones, and its title says so; the table holds all."""


def data(records: Iterable[dict[str, Any]]) -> alt.InlineData:
    """Inline data of a chart; values are plain, so no frame is needed."""
    return alt.InlineData(values=list(records))


def cut(records: list[dict[str, Any]], what: str) -> tuple[list[dict[str, Any]], str]:
    """Return the first ``MOST_ROWS`` records and the remark that belongs in the title."""
    if len(records) <= MOST_ROWS:
        return records, ""
    return records[:MOST_ROWS], f" (first {MOST_ROWS} of {len(records):,} {what})"


def finish(chart: Any, *, title: str, subtitle: str, description: str) -> Any:
    """Give a chart its title, its subtitle with n, coverage and estimand, and its alt text."""
    return chart.properties(
        title=alt.TitleParams(text=title, subtitle=subtitle, anchor="start"), description=description
    )


def height(rows: int) -> int:
    """The height of a chart with one line per row."""
    return max(60, ROW_HEIGHT * rows)
