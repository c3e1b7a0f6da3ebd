"""Text that others wrote, made safe to look at: nothing in it acts, and what hides is made visible.

Item names, answers, evidence and transcripts come from agents and files. They are shown with ``st.text``,
``st.code(language=None)`` or a data frame only, which do not render; this module takes care of the characters that
would still deceive a reader.
"""

from __future__ import annotations

import unicodedata
from typing import Any

# Zero-width and direction-changing characters: a name that reads like another one, or text that runs backwards.
_INVISIBLE = frozenset("\u00ad\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u2060\ufeff")


def visible(text: Any, *, limit: int | None = None) -> str:
    """Return ``text`` with control, invisible and direction characters written out.

    C0 controls become their control pictures (ESC is shown as U+241B), others escapes such as ``\\u202e``; line
    feeds and tabs stay. Text beyond ``limit`` characters is cut and the cut is said.
    """
    whole = str(text)
    part = whole if limit is None else whole[:limit]
    shown = "".join(character if _harmless(character) else _written_out(character) for character in part)
    if len(part) < len(whole):
        shown += f"\n[cut: {len(part):,} of {len(whole):,} characters shown]"
    return shown


def one_line(text: Any, *, limit: int = 300) -> str:
    """Return :func:`visible` text on one line, for table cells and choices."""
    whole = str(text)
    shown = visible(whole[:limit]).replace("\n", "\u240a").replace("\t", "\u2409")
    return shown if len(whole) <= limit else f"{shown}\u2026 [{len(whole):,} characters]"


def decoded(content: bytes) -> str:
    """Return bytes of a blob as text; bytes that are not UTF-8 are written as ``\\xNN``."""
    return content.decode("utf-8", errors="backslashreplace")


def spreadsheet_safe(value: Any) -> Any:
    """Return a cell for a CSV file: text that a spreadsheet would take for a formula gets a leading apostrophe."""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return value


def _harmless(character: str) -> bool:
    if character in "\n\t" or (character.isascii() and character.isprintable()):
        return True
    return character not in _INVISIBLE and unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def _written_out(character: str) -> str:
    point = ord(character)
    if point < 0x20:
        return chr(0x2400 + point)
    if point == 0x7F:
        return "\u2421"
    return f"\\U{point:08x}" if point > 0xFFFF else f"\\u{point:04x}"
