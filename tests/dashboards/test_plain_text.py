from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lib.plain_text import decoded, one_line, spreadsheet_safe, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<script>alert(1)</script> **bold** $x$", "<script>alert(1)</script> **bold** $x$"),
        ("\x1b[31mred", "\u241b[31mred"),
        ("a\x00b\x7f", "a\u2400b\u2421"),
        ("admin\u202egpj.exe", "admin\\u202egpj.exe"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("na\u00efve \u4e2d\u6587 \U0001f600", "na\u00efve \u4e2d\u6587 \U0001f600"),
        ("half \ud800 pair", "half \\ud800 pair"),
        (None, "None"),
    ],
)
def test_text_that_could_act_or_deceive_is_written_out(text: object, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(alphabet=st.characters(exclude_categories=()), max_size=200))
def test_no_control_or_direction_character_survives(text: str) -> None:
    shown = visible(text)
    assert all(
        character in "\n\t" or unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}
        for character in shown
    )
    shown.encode("utf-8")


@given(st.text(max_size=400))
def test_a_cell_is_one_line_and_bounded(text: str) -> None:
    shown = one_line(text, limit=50)
    assert "\n" not in shown
    assert "\t" not in shown
    assert len(shown) <= 50 * 10 + 40


def test_a_cut_is_said() -> None:
    assert visible("x" * 5000, limit=100).endswith("[cut: 100 of 5,000 characters shown]")


def test_bytes_that_are_no_text_are_shown() -> None:
    assert decoded(b"ok \xff\xfe") == "ok \\xff\\xfe"


@pytest.mark.parametrize("formula", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_formulas_do_not_reach_a_spreadsheet(formula: str) -> None:
    assert spreadsheet_safe(formula) == f"'{formula}"


def test_figures_reach_a_spreadsheet_unchanged() -> None:
    assert spreadsheet_safe(-0.25) == -0.25
    assert spreadsheet_safe("capital-of-france") == "capital-of-france"
