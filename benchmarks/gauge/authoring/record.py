"""How one record of an item file is put together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

Record = dict[str, Any]

NUMBER_WORDS = {
    0: "zero", 1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine",
    10: "ten", 11: "eleven", 12: "twelve", 20: "twenty", 24: "twenty four", 30: "thirty", 60: "sixty",
    100: "hundred",
}  # fmt: skip


def slug(text: str) -> str:
    """``text`` in lower case with runs of other signs than letters and digits turned into one dash."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def words_of(text: str) -> set[str]:
    """The lower-case words of ``text``."""
    return set(re.findall(r"[\w']+", text.lower()))


def item(
    family: str,
    name: str,
    instruction: str,
    scorer: Mapping[str, Any],
    answer: str,
    *,
    tags: Iterable[str],
    minutes: float,
    inputs: Mapping[str, str] | None = None,
    outputs: Mapping[str, str] | None = None,
) -> Record:
    """One record; ``inputs`` are put into the working folder, ``outputs`` are what the reference leaves in it."""
    environment: Record = {"kind": "process"}
    if inputs:
        environment["files"] = dict(inputs)
    record: Record = {
        "name": f"{family}-{slug(name)}",
        "instruction": instruction,
        "family": family,
        "tags": list(tags),
        "human_minutes": minutes,
        "source": "written for gauge",
        "visibility": "public",
        "environment": environment,
        "scorer": dict(scorer),
        "reference": {"answer": answer},
    }
    if outputs:
        record["artifacts"] = sorted(outputs)
        record["reference"]["files"] = dict(outputs)
    return record


def word(accepted: Iterable[str], pool: Iterable[str], instruction: str) -> Record:
    """A scorer that wants one accepted word or name and none of the other answers in ``pool``.

    Without the other answers as forbidden words a list of everything would pass. Words of the instruction stay
    allowed, so that "the opposite of hot is cold" is a right answer.
    """
    wanted = list(accepted)
    own = {text.lower() for text in wanted} | {text.lower() for text in words_of(instruction)}
    inside = {part for text in wanted for part in words_of(text)}
    forbidden = sorted({text.lower() for text in pool} - own - inside)
    return {"kind": "exact", "match": "word", "expected": wanted, "forbidden": forbidden}


def count(number: int, instruction: str, *, upto: int = 12) -> Record:
    """A scorer that wants one whole number, in digits or as a word, and no other small number."""
    wanted = [str(number)] + ([NUMBER_WORDS[number]] if number in NUMBER_WORDS else [])
    others = {str(n) for n in range(upto + 1)} | set(NUMBER_WORDS.values()) | {"28", "29", "31", "52", "365", "366"}
    return word(wanted, others, instruction)
