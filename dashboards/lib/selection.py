"""Choices that stand in the address of the page, so that a link shows another person the same figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from lib.plain_text import one_line

VERSION_KEY = "benchmark"


def choose(
    label: str,
    options: Sequence[str],
    key: str,
    *,
    default: str | None = None,
    name: Callable[[str], Any] = str,
    help: str | None = None,  # noqa: A002 - Streamlit's word for it
) -> str | None:
    """Return the option chosen in a select box, mirrored in the address as ``?key=option``; None without options.

    Unlike a plain select box the default is written into the address too: a link that leaves it out would mean
    something else as soon as a newer version is registered.
    """
    if not options:
        return None
    first = default if default in options else options[0]
    asked = st.query_params.get(key)
    if st.session_state.get(key) not in options and asked not in options:
        if asked:
            st.warning("The address of this page names something that this workspace does not hold; showing another.")
            st.text(f"not found: {one_line(asked, limit=100)}")
        st.query_params[key] = first
        st.session_state[key] = first
    return st.selectbox(
        label,
        list(options),
        index=None,
        key=key,
        bind="query-params",
        format_func=lambda option: one_line(name(option), limit=120),
        help=help,
        filter_mode="contains",
        required=True,
    )


def chosen_version() -> str | None:
    """Return the version chosen in the side bar, as ``benchmark@label``; None when the workspace holds none."""
    return st.session_state.get(VERSION_KEY)
