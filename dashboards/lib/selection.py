"""Choices that stand in the address of the page, so that a link shows another person the same figures."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from lib.plain_text import one_line

VERSION_KEY = "benchmark"
LONGEST = 200


def choose(label: str, options: Sequence[str], key: str, *, default: str | None = None) -> str | None:
    """Return the option chosen in a select box, mirrored in the address as ``?key=option``; None without options.

    Unlike a plain select box the default is written into the address too: a link that leaves it out would mean
    something else as soon as a newer version is registered. Streamlit writes what the reader sees into the address, so
    options are shown as they are but for characters that deceive.
    """
    if not options:
        return None
    shown = {option: one_line(option, limit=LONGEST) for option in options}
    first = default if default in shown else options[0]
    asked = st.query_params.get(key)
    if st.session_state.get(key) not in shown and asked not in shown.values():
        if asked:
            st.warning("The address of this page names something that this workspace does not hold; showing another.")
            st.text(f"not found: {one_line(asked, limit=LONGEST)}")
        st.query_params[key] = shown[first]
        st.session_state[key] = first
    return st.selectbox(
        label,
        list(options),
        index=None,
        key=key,
        bind="query-params",
        format_func=lambda option: shown.get(option, option),
        filter_mode="contains",
    )


def chosen_version() -> str | None:
    """Return the version chosen in the side bar, as ``benchmark@label``; None when the workspace holds none."""
    return st.session_state.get(VERSION_KEY)
