"""One trial: what the agent answered, what was tried, what the scorer said, and the transcript page by page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import streamlit as st

import metrology as mt
from lib.figures import NOT_RECORDED, duration, figure, moment, short_identity
from lib.messages import show_problem
from lib.plain_text import decoded, one_line, visible
from lib.tables import page_bounds, show_records
from lib.workspace_access import workspace

if TYPE_CHECKING:
    from metrology.workspace import StoredTrial, TrialRecord

LONGEST_ANSWER = 50_000
TRANSCRIPT_LINES = 200
LONGEST_LINE = 5_000


def show_trial(record: TrialRecord) -> None:
    """Show one trial with everything that is stored about it, all as text."""
    trial = record.trial
    _show_facts(trial)
    st.caption("Answer")
    st.code(visible(trial.answer, limit=LONGEST_ANSWER) or "(empty)", language=None, wrap_lines=True)
    st.caption("Verdicts, the last one is in force")
    show_records(
        [
            {
                "score": figure(verdict.score),
                "passed": verdict.passed,
                "evidence": verdict.evidence,
                "criteria": _json(verdict.criteria),
                "scorer": short_identity(verdict.scorer),
                "platform": verdict.platform_version,
                "when": moment(verdict.created_at),
            }
            for verdict in record.verdicts
        ],
        key="verdicts",
    )
    for number, verdict in enumerate(record.verdicts, 1):
        if verdict.evidence:
            with st.expander(f"Evidence of verdict {number:d}"):
                st.code(visible(verdict.evidence, limit=LONGEST_ANSWER), language=None, wrap_lines=True)
    st.caption("Attempts: tries that infrastructure trouble forced; only the trial is measured")
    show_records(
        [
            {
                "attempt": attempt.number + 1,
                "ended as": str(attempt.status or "running or interrupted"),
                "started": moment(attempt.started_at),
                "finished": moment(attempt.finished_at),
                "detail": attempt.detail or "",
            }
            for attempt in record.attempts
        ],
        key="attempts",
    )
    _show_transcript(trial.transcript)


def _show_facts(trial: StoredTrial) -> None:
    usage = trial.usage
    tokens = {
        "input": usage.input_tokens,
        "cached input": usage.cached_input_tokens,
        "cache write": usage.cache_write_tokens,
        "output": usage.output_tokens,
    }
    lines = (
        ("trial", f"{trial.id} (number {trial.key.number + 1})"),
        ("item", trial.item),
        ("agent", trial.agent),
        ("ended as", trial.status),
        ("score", "no verdict: missing, not failed" if trial.score is None else figure(trial.score)),
        ("started", moment(trial.started_at)),
        ("agent's time", duration(trial.duration_seconds)),
        ("tokens", ", ".join(f"{key} {value:,}" for key, value in tokens.items() if value is not None) or NOT_RECORDED),
        ("cost", NOT_RECORDED if usage.cost_usd is None else f"{usage.cost_usd:.6f} USD"),
        ("model served", trial.model_served or NOT_RECORDED),
        ("detail", trial.detail or "none"),
        ("source line", NOT_RECORDED if trial.source_line is None else f"{trial.source_line:,}"),
    )
    st.code(
        "\n".join(f"{key:<13} {one_line(value, limit=2_000)}" for key, value in lines), language=None, wrap_lines=True
    )


def _show_transcript(digest: str | None) -> None:
    st.caption("Transcript")
    if digest is None:
        st.text(NOT_RECORDED)
        return
    try:
        lines = decoded(workspace().blob(digest)).splitlines()
    except mt.MetrologyError as problem:
        show_problem(problem)
        return
    first, last = page_bounds(len(lines), key="transcript_page", size=TRANSCRIPT_LINES)
    shown = "\n".join(visible(line, limit=LONGEST_LINE) for line in lines[first:last])
    st.code(shown or "(empty)", language=None, line_numbers=len(lines) <= TRANSCRIPT_LINES, wrap_lines=True, height=500)


def _json(value: Any) -> str:
    return json.dumps(dict(value), ensure_ascii=False) if value else ""
