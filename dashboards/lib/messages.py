"""What a page says when there is nothing to show or something is wrong, and how to get the same figure elsewhere."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

import metrology as mt
from lib.plain_text import visible


@contextmanager
def problems_shown() -> Iterator[None]:
    """Show a problem that a person can mend as message and hint; anything else is a defect and keeps its traceback."""
    try:
        yield
    except mt.MetrologyError as problem:
        show_problem(problem)


def show_problem(problem: mt.MetrologyError) -> None:
    """Show message and hint as text; both may quote what stands in a file."""
    with st.container(border=True):
        st.error("This cannot be shown.", icon=":material/error:")
        st.text(visible(problem.message, limit=5_000))
        if problem.hint:
            st.caption("What to do")
            st.code(visible(problem.hint, limit=5_000), language=None, wrap_lines=True)


def show_empty(what: str, *commands: str) -> None:
    """Say that there is nothing yet and what brings it. ``what`` is the page's own sentence, not stored text."""
    st.info(what, icon=":material/inbox:")
    if commands:
        st.caption("Run in a terminal, then reload this page:")
        st.code("\n".join(commands), language=None)


def command(*words: str) -> str:
    """Return a ``metrology`` command line, quoted for a shell, with ``--db`` unless the workspace is the default."""
    line = ["metrology", *words]
    address = os.environ.get("METROLOGY_DB", "").strip()
    if address and "://" not in address:
        line += ["--db", address]
    return shlex.join(line)


def show_command(line: str) -> None:
    """Show the command that gives the same figures."""
    st.caption("The same figures in a terminal")
    st.code(visible(line), language=None, wrap_lines=True)


def show_no_version() -> None:
    """Say how the first benchmark comes into the workspace."""
    show_empty(
        "No benchmark is registered yet. Register the one that ships, or bring recorded results.",
        command("benchmark", "register", "benchmarks/gauge"),
        command("import", "table", "RESULTS.csv", "--map", "MAP.toml"),
        command("demo"),
    )


def show_no_results(version: str) -> None:
    """Say how results of ``version`` come into the workspace."""
    show_empty(
        "Nothing was measured on this version yet. Run a campaign, or import recorded results.",
        command("agent", "register", "AGENT.toml"),
        command("campaign", "plan", version, "--agent", "AGENT", "--trials", "5", "--name", "CAMPAIGN"),
        command("campaign", "run", "CAMPAIGN"),
    )
