"""What changed between two versions of a benchmark, and which version number the change requires."""

from __future__ import annotations

import streamlit as st

import metrology as mt
from lib.messages import command, show_command, show_problem
from lib.plain_text import visible
from lib.tables import show_records
from lib.workspace_access import read


def show_difference(before: str, after: str) -> None:
    """Show the difference item by item, with the step of the version number that each change requires."""
    try:
        difference = read("diff", before, after)
    except mt.MetrologyError as problem:
        show_problem(problem)
        return
    lines = [f"{difference.before} -> {difference.after}: {difference.required.words}"]
    if not difference.sufficient:
        step = difference.required.name.lower()
        lines.append(f"The label does not say so: at least a {step} step is required.")
    if difference.description:
        lines.append(f"The description of the benchmark differs: {', '.join(difference.description)}")
    lines += difference.notes
    with st.container(border=True):
        for line in lines:
            st.text(visible(line))
    show_records(
        [
            {
                "item": change.name,
                "change": change.change,
                "parts": ", ".join(str(part) for part in change.parts),
                "requires": f"{change.bump.name.lower()} step",
            }
            for change in difference.items
        ],
        key="changes",
        name="changed-items",
    )
    show_command(command("benchmark", "diff", before, after, "--json"))
