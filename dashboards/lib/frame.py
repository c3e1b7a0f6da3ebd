"""The frame around every page: the navigation, drawn by app.py.

Streamlit runs a file of a folder called ``pages`` alone, without app.py, when a link to it is the very first thing that
a fresh server is asked for. :func:`require_frame` notices and starts again inside the frame.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from lib.page_files import PAGES, SECTIONS, PageFile, added_pages

_FRAMED = "framed"
ICON = Path(__file__).resolve().parent.parent / "icon.svg"


def navigation(added: tuple[PageFile, ...]) -> st.Page:
    """Set up the page, draw the navigation over built-in and added pages and return the page that was asked for."""
    # An icon of our own: Streamlit would fetch that of the page from a server outside.
    st.set_page_config(page_title="metrology", page_icon=str(ICON), layout="wide")
    st.session_state[_FRAMED] = True
    everything = (*PAGES, *added)
    return st.navigation(
        {
            section: [
                st.Page(page.file, title=page.title, icon=page.icon, url_path=page.address, default=page is PAGES[0])
                for page in everything
                if page.section == section
            ]
            for section in SECTIONS
            if any(page.section == section for page in everything)
        }
    )


def require_frame() -> None:
    """Start the run again from app.py when a page runs alone."""
    if _FRAMED not in st.session_state:
        # Declaring the navigation is what ends the mode in which Streamlit runs page files alone.
        navigation(added_pages()[0])
        st.rerun()
