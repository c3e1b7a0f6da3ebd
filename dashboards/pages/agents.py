"""Which agents were measured, and what differs between two of them?"""

from __future__ import annotations

import streamlit as st
from lib.agent_view import agent_options, agent_row, side_by_side
from lib.analysis_view import page_heading
from lib.messages import command, show_command, show_empty
from lib.page_files import page_of
from lib.plain_text import visible
from lib.selection import choose
from lib.tables import show_records
from lib.workspace_access import read


def main() -> None:
    page_heading("agents")
    options = agent_options(read("agents"))
    if not options:
        show_empty(
            "No agent is registered yet. An agent is one TOML file: model, harness and operations.",
            command("agent", "register", "AGENT.toml"),
        )
        return
    st.caption(
        "An agent is model + harness + operations; its identity is the hash of these three. A moving alias is a model "
        "name whose meaning the provider may change."
    )
    show_records([agent_row(agent) for agent in options.values()], key="agents", name="agents")
    show_command(command("agent", "list", "--json"))
    if len(options) < 2:
        return
    st.subheader("Two agents side by side")
    left, right = st.columns(2)
    with left:
        baseline = choose("Baseline", list(options), "baseline")
    with right:
        others = [option for option in options if option != baseline]
        candidate = choose("Candidate", others, "candidate")
    if baseline is None or candidate is None:
        return
    difference = read("agent_difference", baseline, candidate)
    with st.container(border=True):
        st.text(visible(difference.describe()))
        st.text(visible(f"What a difference of their scores would show: {difference.attribution}"))
    only = st.toggle("Only what differs", value=True, key="only", bind="query-params")
    rows = [row for row in side_by_side(options[baseline], options[candidate]) if row["differs"] or not only]
    show_records(rows, key="side_by_side", name="agents-side-by-side")
    show_command(command("agent", "diff", baseline, candidate, "--json"))
    compare = page_of("compare")
    st.page_link(
        compare.file,
        label="Compare their scores",
        icon=compare.icon,
        query_params={"pairs": "one pair", "baseline": baseline, "candidate": candidate},
    )


if __name__ == "__main__":
    main()
