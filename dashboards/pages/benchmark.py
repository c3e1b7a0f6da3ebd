"""What exactly is this version, and what changed? Its items one by one, and the difference to another version."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st
from lib.analysis_view import page_heading
from lib.figures import moment
from lib.item_view import show_item
from lib.messages import command, show_command, show_no_version
from lib.plain_text import one_line, visible
from lib.selection import choose, chosen_version
from lib.tables import show_records
from lib.version_choice import version_options
from lib.version_difference import show_difference
from lib.workspace_access import read

if TYPE_CHECKING:
    from metrology.workspace import StoredVersion

ANY_FAMILY = "all"


def show_description(version: StoredVersion) -> None:
    """Show what the maintainers say of the version, and its identity."""
    with st.container(border=True):
        st.text(visible(version.title))
        st.text(visible(version.construct))
    lines = (
        ("identity", version.identity),
        ("state", version.state),
        ("released", moment(version.released_at) if version.released_at else "not released: a draft may be replaced"),
        ("registered", moment(version.created_at)),
        ("source", version.origin),
        ("purpose", version.purpose),
        ("items", f"{version.items:,}"),
        ("licence", version.licence),
        ("owner", version.owner),
    )
    st.code("\n".join(f"{key:<11} {one_line(value)}" for key, value in lines), language=None, wrap_lines=True)
    if version.warnings:
        with st.container(border=True):
            st.markdown(":orange[:material/warning:] **Found at registration**")
            for warning in version.warnings:
                st.text(visible(warning))


def show_items(option: str) -> None:
    """Show all items of the version, by family if wanted."""
    summaries = read("item_summaries", option)
    families = sorted({summary.family for summary in summaries if summary.family is not None})
    family = ANY_FAMILY
    if families:
        family = choose("Family", [ANY_FAMILY, *families], "family")
    show_records(
        [
            {
                "item": summary.name,
                "state": summary.state,
                "family": summary.family,
                "human minutes": "not recorded" if summary.human_minutes is None else f"{summary.human_minutes:g}",
                "visibility": summary.visibility,
            }
            for summary in summaries
            if family in (ANY_FAMILY, summary.family)
        ],
        key="items",
        name="items",
    )
    show_command(command("item", "list", option, "--json"))


def main() -> None:
    page_heading("benchmark")
    option = chosen_version()
    versions = version_options()
    if option is None or option not in versions:
        show_no_version()
        return
    version = versions[option]
    summaries = read("item_summaries", option)
    show_description(version)
    show_command(command("benchmark", "show", option, "--json"))
    items, one_item, changes = st.tabs(
        ["Items", "One item", "What changed"], key="view", on_change="rerun", bind="query-params"
    )
    if items.open:
        with items:
            show_items(option)
    if one_item.open:
        with one_item:
            names = [summary.name for summary in summaries]
            name = choose("Item", names, "item")
            if name is not None:
                show_item(option, version.name, name)
    if changes.open:
        with changes:
            others = [other for other, value in versions.items() if value.name == version.name and other != option]
            if not others:
                st.info("There is no other version of this benchmark to compare with.")
                return
            before = choose("Compared with", others, "before")
            show_difference(before, option)


if __name__ == "__main__":
    main()
