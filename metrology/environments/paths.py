"""Paths inside a box or a benchmark: relative, portable, and never out of their folder."""

from __future__ import annotations

from pathlib import PurePosixPath

from metrology.errors import InputError


def relative_path(text: str) -> str:
    """Return a relative POSIX path in its plain form (``a/b``).

    Raises:
        InputError: empty, absolute, with ``..``, a backslash, a drive, a control character, or not UTF-8.
    """
    reason = _fault(text)
    if reason:
        raise InputError(
            f"the path {text!r} {reason}", hint="give a relative path with forward slashes, like data/in.csv"
        )
    return str(PurePosixPath(text))


def _fault(text: str) -> str:
    if not text or text != text.strip():
        return "is empty or begins or ends with a space"
    if not text.isprintable():
        return "has a character that cannot be printed"
    if "\\" in text or (len(text) > 1 and text[1] == ":"):
        return "is spelled for one system only"
    path = PurePosixPath(text)
    if path.is_absolute():
        return "is absolute"
    if ".." in path.parts:
        return "leaves its folder"
    if not path.parts:
        return "names no file"
    return ""
