"""What changed between two versions of a benchmark, and which version number the change requires."""

from __future__ import annotations

import streamlit as st

import metrology as mt
from lib.messages import command, show_command, show_problem
from lib.plain_text import visible
from lib.workspace_access import read

LONGEST = 100_000


def show_difference(before: str, after: str) -> None:
    """Show the difference item by item, in the words of the registry."""
    try:
        difference = read("diff", before, after)
    except mt.MetrologyError as problem:
        show_problem(problem)
        return
    st.code(visible("\n".join(difference.lines()), limit=LONGEST), language=None, wrap_lines=True)
    show_command(command("benchmark", "diff", before, after, "--json"))
