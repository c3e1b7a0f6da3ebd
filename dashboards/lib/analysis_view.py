"""How every answer is laid out: the sentence, what it rests on, the chart, the tables, how to get it elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

import metrology as mt
from lib import figures
from lib.frame import require_frame
from lib.messages import command, show_command, show_no_results, show_no_version, show_problem
from lib.page_files import page_of
from lib.plain_text import one_line, visible
from lib.selection import chosen_version
from lib.tables import View, page_bounds, show_table
from lib.workspace_access import analysis, read
from metrology.report import charts as chart_module

if TYPE_CHECKING:
    from metrology.analysis.base import Analysis

CHARTS_A_PAGE = 4


@dataclass(frozen=True)
class Section:
    """One table of an answer: its name in the analysis, a heading, the columns to show, folded away or not."""

    table: str
    heading: str
    view: View | None = None
    folded: bool = True
    explanation: str = ""


def page_heading(address: str) -> None:
    """Show title and question of a page; every built-in page begins with it."""
    require_frame()
    page = page_of(address)
    st.title(page.title)
    st.caption(page.question)


def ask(name: str, **options: Any) -> Analysis | None:
    """Return the answer for the version chosen in the side bar; shows why and returns None when there is none."""
    version = chosen_version()
    if version is None:
        show_no_version()
        return None
    try:
        if not read("campaigns", version):
            show_no_results(version)
            return None
        return analysis(name, version, **options)
    except mt.MetrologyError as problem:
        show_problem(problem)
        return None


def show_answer(result: Analysis) -> None:
    """Show the sentences of an answer, what they rest on, and the warnings."""
    with st.container(border=True):
        for sentence in result.answer:
            st.text(visible(sentence))
    _show_basis(result)
    if result.warnings:
        with st.container(border=True):
            st.markdown(":orange[:material/warning:] **Read with care**")
            for notice in result.warnings:
                st.text(visible(notice.sentence))


def show_charts(result: Analysis, captions: Mapping[str, str]) -> None:
    """Draw the charts of an answer: those that ``captions`` names as tabs in its order, others below each other.

    A name that the page does not know may hold stored text, so it is never a caption; the title inside says it.
    """
    drawn = chart_module.charts(result)
    named = [name for name in captions if name in drawn]
    if len(named) > 1:
        for tab, name in zip(st.tabs([captions[name] for name in named]), named, strict=True):
            with tab:
                _draw(drawn[name])
        named = []
    below = [*named, *(name for name in drawn if name not in captions)]
    first, last = page_bounds(len(below), key="charts", size=CHARTS_A_PAGE)
    for name in below[first:last]:
        _draw(drawn[name])


def show_sections(result: Analysis, sections: Sequence[Section]) -> None:
    """Show tables, each folded or open; a table without rows is left out."""
    for section in sections:
        table = result.tables.get(section.table)
        if table is None or not table.rows:
            continue
        place = st.expander(f"{section.heading} ({len(table.rows):,})") if section.folded else st.container()
        with place:
            if not section.folded:
                st.subheader(section.heading)
            if section.explanation:
                st.caption(section.explanation)
            show_table(table, key=section.table, name=f"{result.name}-{section.table}", view=section.view)


def show_origin(result: Analysis, **options: Any) -> None:
    """Show how the figures were computed and the command that computes them again."""
    words = ["analyze", result.name, f"{result.benchmark}@{result.version}"]
    for key, value in options.items():
        if value is not None:
            words += ["--option", f"{key}={value}"]
    show_command(command(*words, "--json"))
    with st.expander("How it was computed"):
        source = result.provenance
        lines = [
            f"version      {result.benchmark} {result.version} {result.identity}",
            f"estimand     {result.estimand}",
            f"level        {source.level}",
            f"seed         {source.seed}",
            f"counted      {', '.join(f'{key} {value:,}' for key, value in source.n.items())}",
            f"campaigns    {', '.join(source.campaigns) or 'none'}",
            *(f"method       {method}" for method in source.methods),
            f"computed by  metrology {source.code_version}, "
            + ", ".join(f"{name} {number}" for name, number in source.libraries.items()),
        ]
        st.code(visible("\n".join(lines)), language=None, wrap_lines=True)


def _show_basis(result: Analysis) -> None:
    counted = ", ".join(f"{key.replace('_', ' ')} {value:,}" for key, value in result.provenance.n.items())
    lines = [
        f"{one_line(result.benchmark)} {one_line(result.version)}  ({figures.short_identity(result.identity)})",
        f"Coverage: {figures.coverage(result.coverage.measured, result.coverage.planned)} trials",
        f"Counted: {counted}" if counted else "",
        f"Intervals: {result.provenance.level:.0%}",
        f"Estimand: {result.estimand}",
    ]
    with st.container(horizontal=True, gap="medium"):
        for line in lines[:4]:
            if line:
                st.text(visible(line))
    st.text(visible(lines[4]))


def _draw(chart: Any) -> None:
    # The description inside the chart is its text alternative. Only the width is fitted: a fitted height would press
    # title, axes and legend into the height that was meant for the marks.
    fitted = chart.properties(autosize={"type": "fit-x", "contains": "padding"})
    st.altair_chart(fitted, theme=None, width="stretch")
