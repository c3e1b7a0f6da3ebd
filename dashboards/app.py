"""The dashboard: pages as files, one read-only workspace, one version chosen for all pages.

Start it with ``metrology dashboard``, or ``METROLOGY_DB=metrology.db python -m streamlit run dashboards/app.py``.
"""

from __future__ import annotations

import streamlit as st
from lib.frame import navigation
from lib.messages import command, problems_shown, show_empty, show_problem
from lib.page_files import MissingPage, added_pages
from lib.plain_text import one_line
from lib.selection import VERSION_KEY, choose
from lib.version_choice import default_version, version_options
from lib.workspace_access import display_address, workspace

import metrology as mt


def _side_bar(missing: tuple[MissingPage, ...]) -> None:
    versions = version_options()
    with st.sidebar:
        option = choose("Benchmark version", list(versions), VERSION_KEY, default=default_version(versions))
        if option in versions:
            version = versions[option]
            st.text(f"{version.state}, {version.items:,} items")
        st.caption("Workspace (read only)")
        st.text(one_line(display_address()))
        for page in missing:
            st.caption("A page of another package could not be found")
            st.text(one_line(f"{page.name}: {page.reason}"))


def main() -> None:
    added, missing = added_pages()
    page = navigation(added)
    try:
        workspace()
    except mt.MetrologyError as problem:
        show_problem(problem)
        show_empty(
            "The dashboard needs a workspace: a database that METROLOGY_DB or --db names.",
            command("demo"),
            command("init"),
        )
        return
    with problems_shown():
        _side_bar(missing)
        page.run()


main()
