"""One item as it stands in a version: everything that was hashed, and what happened to it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from lib.figures import moment, short_identity
from lib.plain_text import one_line, visible
from lib.tables import show_records
from lib.workspace_access import read

if TYPE_CHECKING:
    from metrology.workspace import StoredItem

LONGEST = 20_000
PRIVATE = "private"


def show_item(version: str, benchmark: str, name: str) -> None:
    """Show instruction, scorer, reference solution, files and history of one item, all as text."""
    item = read("item", version, name)
    _show_facts(item)
    revision = item.revision
    st.caption("Instruction")
    st.code(visible(revision.instruction, limit=LONGEST), language=None, wrap_lines=True)
    if revision.visibility == PRIVATE:
        st.caption("This item is private: its reference solution and scorer must not be published.")
    for heading, content in (
        ("Scorer", revision.scorer),
        ("Reference solution", revision.reference),
        ("Environment", revision.environment),
    ):
        with st.expander(heading):
            _show_json(content)
    files = [
        {"role": role, "file": path, "digest": short_identity(digest)}
        for role, paths in revision.files.items()
        for path, digest in paths.items()
    ]
    if files:
        with st.expander(f"Files ({len(files)})"):
            show_records(files, key="item_files")
    _show_history(benchmark, name)


def _show_facts(item: StoredItem) -> None:
    revision = item.revision
    minutes = revision.human_minutes
    lines = (
        ("item", revision.name),
        ("revision", item.identity),
        ("state", item.state),
        ("family", revision.family or "none"),
        ("tags", ", ".join(revision.tags) or "none"),
        ("source", revision.source or "not recorded"),
        ("visibility", revision.visibility),
        ("human time", "not recorded" if minutes is None else f"{minutes:g} minutes"),
        ("artifacts", ", ".join(revision.artifacts) or "none"),
    )
    st.code("\n".join(f"{key:<11} {one_line(value)}" for key, value in lines), language=None, wrap_lines=True)


def _show_json(content: Mapping[str, Any]) -> None:
    text = json.dumps(dict(content), indent=2, ensure_ascii=False, default=str)
    st.code(visible(text, limit=LONGEST), language=None, wrap_lines=True)


def _show_history(benchmark: str, name: str) -> None:
    events = [event for event in read("lifecycle", benchmark) if event.item == name]
    with st.expander(f"History ({len(events)} events)"):
        show_records(
            [
                {
                    "when": moment(event.occurred_at),
                    "from": event.before,
                    "to": event.after,
                    "who": event.actor,
                    "why": event.reason,
                    "evidence": json.dumps(dict(event.evidence), ensure_ascii=False, default=str),
                }
                for event in events
            ],
            key="item_history",
        )
