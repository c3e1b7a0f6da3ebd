"""Which instruments do we have, and can I trust each?"""

from __future__ import annotations

import streamlit as st
from lib.analysis_view import page_heading
from lib.figures import NOT_RECORDED, moment
from lib.messages import command, show_command, show_no_version
from lib.page_files import page_of
from lib.plain_text import visible
from lib.selection import VERSION_KEY
from lib.tables import page_bounds, show_records
from lib.trust import findings
from lib.version_choice import SUPERSEDED, version_options
from lib.workspace_access import read

CARDS = 3


def instruments() -> list[dict[str, object]]:
    """Return one row per version that is in use."""
    rows = []
    for option, version in version_options().items():
        if version.state == SUPERSEDED:
            continue
        campaigns = read("campaigns", option)
        starts = [campaign.started_at for campaign in campaigns if campaign.started_at is not None]
        rows.append(
            {
                "benchmark": version.name,
                "version": version.label,
                "state": version.state,
                "purpose": version.purpose,
                "items": version.items,
                "campaigns": len(campaigns),
                "last measured": moment(max(starts)) if starts else NOT_RECORDED if campaigns else "never",
                "source": version.origin,
                "licence": version.licence,
                "title": version.title,
            }
        )
    return rows


def show_card(option: str, title: str) -> None:
    """Show what is known of one version."""
    with st.container(border=True):
        st.text(visible(f"{option}   {title}", limit=300))
        if not read("campaigns", option):
            st.caption("Nothing was measured on this version yet.")
            return
        for row in findings(option):
            page = page_of(row.page)
            question, finding, basis = st.columns([2, 4, 4])
            with question:
                st.page_link(page.file, label=page.question, icon=page.icon, query_params={VERSION_KEY: option})
            with finding:
                st.text(visible(row.finding))
            with basis:
                st.text(visible(row.rests_on))


def main() -> None:
    page_heading("overview")
    versions = {option: version for option, version in version_options().items() if version.state != SUPERSEDED}
    if not versions:
        show_no_version()
        return
    st.subheader("Instruments")
    show_records(instruments(), key="instruments", name="instruments")
    show_command(command("benchmark", "list", "--json"))
    st.subheader("Can each be trusted?")
    # Those with results first: they are what the question is about.
    options = sorted(versions, key=lambda option: not read("campaigns", option))
    first, last = page_bounds(len(options), key="cards", size=CARDS)
    for option in options[first:last]:
        show_card(option, versions[option].title)


if __name__ == "__main__":
    main()
