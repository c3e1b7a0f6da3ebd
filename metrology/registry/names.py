"""Names of items: which are safe, which are mistaken for one another, and file names that keep them apart."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import quote

LONGEST = 200


@dataclass(frozen=True)
class Collision:
    """Two or more items whose names are one or look like one; ``positions`` are indices into the names."""

    positions: tuple[int, ...]
    reason: str
    exact: bool


def name_fault(name: object) -> str:
    """Return why ``name`` cannot be an item's name, in words, or nothing when it can."""
    if name is None:
        return "the item has no name"
    if not isinstance(name, str):
        return f"the name must be text, not {name!r}"
    if not name.strip():
        return "the name is empty"
    if name != name.strip():
        return f"the name {name!r} begins or ends with a space"
    if len(name) > LONGEST:
        return f"the name is longer than {LONGEST} characters"
    if not name.isprintable():
        return f"the name {name!r} has a character that cannot be printed"
    path = PurePosixPath(name)
    if path.is_absolute() or "\\" in name or {".", ".."} & set(name.split("/")) or "" in name.split("/"):
        return f"the name {name!r} is not safe as a path"
    return ""


def collisions(names: Sequence[object]) -> tuple[Collision, ...]:
    """Return the groups of names that are equal or look alike: by case, Unicode form, outer space, 7 and "7"."""
    groups: dict[str, list[int]] = {}
    for index, name in enumerate(names):
        if name is not None and name != "":
            groups.setdefault(_look(str(name)), []).append(index)
    found: list[Collision] = []
    for group in groups.values():
        same: dict[tuple[type, object], list[int]] = {}
        for index in group:
            same.setdefault((type(names[index]), names[index]), []).append(index)
        found.extend(Collision(tuple(equal), "same name", True) for equal in same.values() if len(equal) > 1)
        firsts = [equal[0] for equal in same.values()]
        if len(firsts) > 1:
            found.append(Collision(tuple(firsts), _reason(names[firsts[0]], names[firsts[1]]), False))
    return tuple(found)


def file_stem(name: str) -> str:
    """Return a file name for an item, different for different names (``a/b`` becomes ``a%2Fb``, ``a_b`` stays)."""
    stem = quote(name, safe="")
    return f"%2E{stem[1:]}" if stem.startswith(".") else stem


def _look(name: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).strip()


def _reason(first: object, second: object) -> str:
    if type(first) is not type(second):
        return f"a number and a text that look alike: {first!r} and {second!r}"
    one, other = str(first), str(second)
    if one.strip() == other.strip():
        return "differ only in spaces at the ends"
    if unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other):
        return "equal after Unicode normalisation"
    if one.casefold() == other.casefold():
        return "differ only in case"
    return "look alike: equal but for case, Unicode form and spaces"
