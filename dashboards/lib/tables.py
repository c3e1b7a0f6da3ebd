"""Tables: figures joined with their intervals, page by page, the whole of it as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from lib.figures import NOT_ESTIMABLE, coverage, figure, moment, span, with_interval
from lib.plain_text import one_line, spreadsheet_safe

if TYPE_CHECKING:
    from metrology.analysis.base import Column, Table

PAGE_ROWS = 50
ROWS_IN_VIEW = 15
ROW_HEIGHT = 35
FORMATS = {"score": "%.3f", "difference": "%+.3f", "probability": "%.3f", "number": "%.4g", "count": "%d"}


@dataclass(frozen=True)
class Joined:
    """One shown column made of a value and the limits of its interval."""

    label: str
    value: str
    low: str
    high: str

    def texts(self, table: Table) -> list[str]:
        """The cells of the column."""
        kind = table.column(self.value).kind
        limits = zip(table.values(self.value), table.values(self.low), table.values(self.high), strict=True)
        return [with_interval(*three, kind) for three in limits]


@dataclass(frozen=True)
class Span:
    """One shown column made of two bounds, without a value between them."""

    label: str
    low: str
    high: str

    def texts(self, table: Table) -> list[str]:
        """The cells of the column."""
        kind = table.column(self.low).kind
        bounds = zip(table.values(self.low), table.values(self.high), strict=True)
        return [span(low, high, kind) for low, high in bounds]


@dataclass(frozen=True)
class Covered:
    """One shown column made of trials measured and planned."""

    label: str = "coverage (trials)"
    measured: str = "measured"
    planned: str = "planned"

    def texts(self, table: Table) -> list[str]:
        """The cells of the column."""
        return [coverage(*pair) for pair in zip(table.values(self.measured), table.values(self.planned), strict=True)]


View = Sequence[str | Joined | Span | Covered]


def show_table(table: Table, *, key: str, name: str, view: View | None = None) -> None:
    """Show a table of an analysis, the columns of ``view`` only, and offer all of it as CSV.

    ``key`` names the page number in the address; ``name`` is the name of the CSV file.
    """
    columns = _shown_columns(table, view)
    rows = tuple(zip(*(values for _, _, values in columns), strict=True)) if columns else ()
    _show(
        rows,
        labels=[label for label, _, _ in columns],
        formats={label: style for label, style, _ in columns if style},
        key=key,
        alt=f"table with {len(rows)} rows",
    )
    download(table.to_frame(), name=name, key=f"{key}_csv")


def show_records(records: Iterable[Mapping[str, Any]], *, key: str, name: str | None = None) -> None:
    """Show records whose keys are the labels of the columns; with ``name`` they can be had as CSV."""
    listed = list(records)
    labels = list(listed[0]) if listed else []
    formats = {
        label: "%d"
        for label in labels
        if all(isinstance(record[label], int) and not isinstance(record[label], bool) for record in listed)
    }
    rows = tuple(
        tuple(record[label] if label in formats else cell_text(record[label]) for label in labels) for record in listed
    )
    _show(rows, labels=labels, formats=formats, key=key, alt=f"table with {len(rows)} rows")
    if name:
        download(pd.DataFrame(listed), name=name, key=f"{key}_csv")


def page_bounds(total: int, *, key: str, size: int = PAGE_ROWS) -> tuple[int, int]:
    """Return first and last-plus-one position of the page that the reader is on; draws the page numbers if needed."""
    pages = max(1, -(-total // size))
    if pages == 1:
        return 0, total
    number = st.pagination(pages, key=key, bind="query-params")
    first = (number - 1) * size
    last = min(total, first + size)
    st.caption(f"{first + 1:,} to {last:,} of {total:,}")
    return first, last


def download(frame: pd.DataFrame, *, name: str, key: str) -> None:
    """Offer ``frame`` as a CSV file; text that a spreadsheet would run as a formula is quoted with an apostrophe."""
    st.download_button(
        "CSV",
        data=lambda: frame.map(spreadsheet_safe).to_csv(index=False).encode("utf-8"),
        file_name=f"{name}.csv",
        mime="text/csv",
        key=key,
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
    )


def cell_text(value: Any, kind: str = "text") -> str:
    """Return any stored value as the text of one cell."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime | date):
        return moment(value)
    if value is None:
        return NOT_ESTIMABLE if kind in FORMATS else ""
    if kind in FORMATS or isinstance(value, int | float):
        return figure(value, kind if kind in FORMATS else "number")
    return one_line(value)


def _shown_columns(table: Table, view: View | None) -> list[tuple[str, str | None, list[Any]]]:
    shown: list[tuple[str, str | None, list[Any]]] = []
    for entry in table.keys if view is None else view:
        if isinstance(entry, str):
            shown.append(_plain_column(table.column(entry), table.values(entry)))
        else:
            shown.append((entry.label, None, entry.texts(table)))
    # Columns of a frame need names of their own.
    taken = [label for label, _, _ in shown]
    return [
        (label if taken.index(label) == position else f"{label} ({position + 1})", style, values)
        for position, (label, style, values) in enumerate(shown)
    ]


def _plain_column(column: Column, values: tuple[Any, ...]) -> tuple[str, str | None, list[Any]]:
    unit = f" ({column.unit})" if column.unit and column.unit not in column.label else ""
    label = f"{column.label}{unit}"
    if column.kind in FORMATS and None not in values:
        return label, FORMATS[column.kind], list(values)
    return label, None, [cell_text(value, column.kind) for value in values]


def _show(
    rows: Sequence[tuple[Any, ...]], *, labels: list[str], formats: Mapping[str, str], key: str, alt: str
) -> None:
    if not rows:
        st.caption("No rows.")
        return
    first, last = page_bounds(len(rows), key=f"{key}_page")
    frame = pd.DataFrame(list(rows[first:last]), columns=labels)
    st.dataframe(
        frame,
        hide_index=True,
        column_config={
            label: st.column_config.NumberColumn(format=formats[label])
            if label in formats
            else st.column_config.TextColumn()
            for label in labels
        },
        height="content" if len(frame) <= ROWS_IN_VIEW else (ROWS_IN_VIEW + 1) * ROW_HEIGHT,
        alt=alt,
    )
