"""Rewriting text, sorting, and turning sentences into JSON records."""

from __future__ import annotations

import json

from authoring.record import Record, item

EQUAL = {"kind": "exact", "fold": ["space"]}
LOOSE = {"kind": "exact", "fold": ["case", "space", "punctuation"]}


def _shift(text: str, by: int) -> str:
    return "".join(chr((ord(sign) - 97 + by) % 26 + 97) if sign.isalpha() else sign for sign in text)


TRANSFORMS = [
    ("upper", 'Write this text in capital letters: "good morning"', "GOOD MORNING"),
    ("reverse-keyboard", 'Write the word "keyboard" backwards.', "keyboard"[::-1]),
    ("reverse-words", 'Write the words of this text in reverse order: "one two three four"', "four three two one"),
    ("first-letters", 'Write the first letter of each word, joined together: "never eat soggy waffles"', "nesw"),
    ("no-vowels", 'Remove all vowels (a, e, i, o, u) from "international".', "ntrntnl"),
    ("replace", 'Replace each "l" by "r" in "parallel lines".', "pararrer rines"),
    ("caesar", 'Shift each letter of "xylophone" by 3 places in the alphabet (after z comes a).',
     _shift("xylophone", 3)),
    ("snake-case", 'Write "MaxRetryCount" in snake case.', "max_retry_count"),
    ("run-length", 'Write "aaabccdddd" in run-length form, each letter followed by its count.', "a3b1c2d4"),
    ("last-word", 'What is the last word of this text? "the quick brown fox"', "fox"),
]  # fmt: skip
ANY_CASE = {"reverse-keyboard", "first-letters", "last-word"}

SORTS = [
    ("three-numbers", "Sort these numbers from small to large, separated by spaces: 5 2 9", "2 5 9"),
    ("eight-numbers", "Sort these numbers from large to small, separated by spaces: 12 7 45 3 28 19 33 8",
     "45 33 28 19 12 8 7 3"),
    ("fruit", "Sort these words alphabetically, separated by spaces: pear apple plum", "apple pear plum"),
    ("unique", "Sort these words alphabetically and drop doubles, separated by spaces: b a c a b d", "a b c d"),
    ("largest", "Which of these numbers is the largest? 312 87 1045 999", "1045"),
    ("second-smallest", "Which of these numbers is the second smallest? 14 3 27 8 41", "8"),
]  # fmt: skip

RECORDS = [
    ("person", "Anna Weber is 34 years old.", {"name": "Anna Weber", "age": 34}),
    ("price", "The lamp costs 49.90 euros.", {"product": "lamp", "price": 49.9}),
    ("colours", "The flag is black, red and gold.", {"colours": ["black", "red", "gold"]}),
    ("two-people", "Ali is 20 and Bea is 31.", {"people": [{"name": "Ali", "age": 20}, {"name": "Bea", "age": 31}]}),
    ("missing", "Contact: Jo Lind, no telephone.", {"name": "Jo Lind", "telephone": None}),
    ("order", "Order 778: 3 pens at 2 euros each, 1 book at 15 euros.",
     {"order": 778, "lines": [{"what": "pens", "count": 3, "price": 2}, {"what": "book", "count": 1, "price": 15}],
      "total": 21}),
]  # fmt: skip


def transform() -> list[Record]:
    """One rewriting each; only the rewritten text is a right answer."""
    records = []
    for name, text, right in TRANSFORMS:
        scorer = {**(LOOSE if name in ANY_CASE else EQUAL), "expected": [right]}
        ask = f"{text} Answer with the result only."
        records.append(item("transform", name, ask, scorer, right, tags=["program", "text"], minutes=0.4))
    return records


def sorting() -> list[Record]:
    """Order and selection."""
    records = []
    for name, text, right in SORTS:
        scorer = {**EQUAL, "expected": [right]}
        if name in ("largest", "second-smallest"):
            scorer = {"kind": "numeric", "expected": int(right), "tolerance": 0, "take": "only_number"}
        records.append(item("sorting", name, text, scorer, right, tags=["program", "order"], minutes=0.4))
    return records


def records() -> list[Record]:
    """A sentence in, one JSON object with the named keys out."""
    made = []
    for name, sentence, right in RECORDS:
        keys = ", ".join(f'"{key}"' for key in right)
        hint = ""
        if name == "two-people":
            hint = ' "people" is a list of objects with "name" and "age".'
        if name == "order":
            hint = ' "lines" is a list of objects with "what", "count" and "price" (of one).'
        text = f"Give a JSON object with the keys {keys} for this text, null for what is not said: {sentence}{hint}"
        scorer = {"kind": "json", "expected": right, "take": "first_object"}
        made.append(item("records", name, text, scorer, json.dumps(right), tags=["program", "json"], minutes=0.8))
    return made
