"""Work with numbers: counting letters and words, sums, dates, units."""

from __future__ import annotations

from datetime import date, timedelta

from authoring.record import Record, count, item

LETTERS = [("banana", "a"), ("mississippi", "s"), ("strawberry", "r"), ("parallel", "l"),
           ("rhythm", "a"), ("uncopyrightable", "t")]  # fmt: skip
SENTENCES = ["The cat sat on the mat", "We walked along the river until it was dark"]
VOWELS = ["education"]

SUMS = [
    ("one-digit-plus", "What is 3 + 4?", 7),
    ("one-digit-times", "What is 6 * 7?", 42),
    ("two-digit-plus", "What is 27 + 58?", 85),
    ("two-digit-times", "What is 23 * 17?", 391),
    ("precedence", "What is 2 + 3 * 4?", 14),
    ("deep-brackets", "What is ((5 + 7) * 3 - 8) / 4?", 7),
    ("negative", "What is 4 - 3 * 5 - 6?", -17),
    ("word-apples", "Eva has 3 apples. She buys 5 more and eats 2. How many apples does she have now?", 6),
    ("word-boxes", "There are 4 boxes with 6 pens in each box. 5 pens are taken out. How many pens are left in the "
     "boxes?", 19),
    ("word-train", "A train leaves at 14:35 and arrives at 17:10. How many minutes does the trip take?", 155),
    ("percent", "A coat costs 80 euros. The price falls by 15 percent. What is the new price in euros?", 68),
]  # fmt: skip

UNITS = [
    ("km-to-m", "How many metres are 3 kilometres?", 3000, 0.0),
    ("h-to-min", "How many minutes are 2.5 hours?", 150, 0.0),
    ("cm-to-m", "How many metres are 250 centimetres?", 2.5, 0.0),
    ("c-to-f", "How many degrees Fahrenheit are 25 degrees Celsius?", 77, 0.01),
    ("f-to-c", "How many degrees Celsius are 14 degrees Fahrenheit?", -10, 0.01),
    ("miles-to-km", "How many kilometres are 26.2 miles? Give two decimals; one mile is 1.609344 kilometres.",
     42.16, 0.006),
    ("kmh-to-ms", "How many metres per second are 90 kilometres per hour?", 25, 0.0),
]  # fmt: skip

ANCHORS = [("plus-days", date(2024, 1, 30), 45), ("leap-day", date(2024, 2, 27), 3),
           ("year-end", date(2025, 12, 20), 20)]  # fmt: skip
SPANS = [("span-leap-year", date(2024, 1, 1), date(2025, 1, 1)),
         ("span-long", date(1999, 12, 31), date(2003, 4, 1))]  # fmt: skip
WEEKDAY_OF = [date(2024, 7, 4), date(1969, 7, 20)]
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def counting() -> list[Record]:
    """Letters in words and words in sentences; no other small number may be named."""
    rows = [(f"{letter}-in-{text}", f'How many times does the letter "{letter}" occur in "{text}"?', text.count(letter))
            for text, letter in LETTERS]  # fmt: skip
    rows += [(f"words-{len(text.split())}", f'How many words are in this text? "{text}"', len(text.split()))
             for text in SENTENCES]  # fmt: skip
    rows += [(f"vowels-in-{text}", f'How many vowels (a, e, i, o, u) are in the word "{text}"?',
              sum(letter in "aeiou" for letter in text)) for text in VOWELS]  # fmt: skip
    return [
        item("counting", name, text, count(number, text), str(number), tags=["program", "counting"], minutes=0.3)
        for name, text, number in rows
    ]


def arithmetic() -> list[Record]:
    """From one digit to several steps; the last number of the answer counts, so that "3 + 4 = 7" is right."""
    records = []
    for name, text, number in SUMS:
        scorer = {"kind": "numeric", "expected": number, "tolerance": 0, "take": "last_number"}
        minutes = 0.2 if len(text) < 30 else 0.8
        records.append(
            item("arithmetic", name, text, scorer, str(number), tags=["program", "arithmetic"], minutes=minutes)
        )
    return records


def units() -> list[Record]:
    """Conversions within and between systems; the last number of the answer counts."""
    records = []
    for name, text, number, tolerance in UNITS:
        scorer = {"kind": "numeric", "expected": number, "tolerance": tolerance, "take": "last_number"}
        records.append(item("units", name, text, scorer, str(number), tags=["program", "units"], minutes=0.5))
    return records


def dates() -> list[Record]:
    """Adding days, days between two dates, the weekday of a date."""
    records = []
    for name, start, days in ANCHORS:
        right = (start + timedelta(days=days)).isoformat()
        text = f"Which date is {days} days after {start.isoformat()}? Answer with the date as YYYY-MM-DD only."
        scorer = {"kind": "exact", "fold": ["space"], "expected": [right]}
        records.append(item("dates", name, text, scorer, right, tags=["program", "dates"], minutes=1))
    for name, start, end in SPANS:
        days = (end - start).days
        text = f"How many days lie between {start.isoformat()} and {end.isoformat()}? Answer with the number only."
        scorer = {"kind": "numeric", "expected": days, "tolerance": 0, "take": "only_number"}
        records.append(item("dates", name, text, scorer, str(days), tags=["program", "dates"], minutes=1))
    for day in WEEKDAY_OF:
        right = WEEKDAYS[day.weekday()]
        text = f"Which day of the week was {day.isoformat()}?"
        forbidden = sorted(name.lower() for name in WEEKDAYS if name != right)
        scorer = {"kind": "exact", "match": "word", "expected": [right], "forbidden": forbidden}
        records.append(item("dates", f"weekday-{day.year}", text, scorer, right, tags=["program", "dates"], minutes=1))
    return records
