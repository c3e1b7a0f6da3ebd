"""Small data wrangling: files in the working folder in, one file out."""

from __future__ import annotations

import json
from typing import Any

from authoring.record import Record, item

SALES = """day,shop,units,price
2024-05-01,north,4,2.50
2024-05-01,south,10,2.00
2024-05-02,north,6,2.50
2024-05-02,south,,2.00
2024-05-03,north,1,3.00
2024-05-03,south,7,2.00
"""
PEOPLE = """name;age;city
Ada;36;London
Grace;85;New York
Alan;41;London
Linus;54;Portland
Edsger;72;Nuenen
"""
LOG = """2024-06-01T10:00:00 INFO start
2024-06-01T10:00:02 ERROR disk full
2024-06-01T10:00:03 WARN retry
2024-06-01T10:05:41 ERROR disk full
2024-06-01T11:00:00 INFO heartbeat
2024-06-01T11:00:09 ERROR timeout
2024-06-01T12:30:00 INFO stop
"""
WORDS = "the bee and the ant and the fly\nsaw the bee\n"
LEFT = "id,name\n1,pen\n2,ink\n3,pad\n"
RIGHT = "id,stock\n3,40\n1,7\n4,9\n"
NUMBERS = "12\n7\n\n-3\n4.5\n"
NESTED = json.dumps({"team": {"name": "red", "members": [{"n": "Ana", "p": 3}, {"n": "Bo", "p": 8}]}}) + "\n"
CONFIG = "# limits\ntimeout = 30\nretries=4\n\nname = probe one\n"

# name, input files, instruction, the JSON that out.json must hold
JSON_TASKS: list[tuple[str, dict[str, str], str, Any]] = [
    ("total-units", {"sales.csv": SALES},
     'Add up the column "units" of sales.csv; an empty field counts as 0.', {"total": 28}),
    ("revenue", {"sales.csv": SALES},
     'For each "shop" of sales.csv add up units * price; an empty field counts as 0.', {"north": 28.0, "south": 34.0}),
    ("oldest", {"people.csv": PEOPLE},
     'Find the "name" with the largest "age" in people.csv (fields are separated by semicolons).', {"name": "Grace"}),
    ("by-city", {"people.csv": PEOPLE},
     'Count the rows of people.csv for each "city" (fields are separated by semicolons).',
     {"London": 2, "New York": 1, "Portland": 1, "Nuenen": 1}),
    ("errors", {"app.log": LOG}, 'Count the lines of app.log for each level (the second word of a line).',
     {"INFO": 3, "ERROR": 3, "WARN": 1}),
    ("word-counts", {"text.txt": WORDS}, "Count how often each word occurs in text.txt.",
     {"the": 4, "bee": 2, "and": 2, "ant": 1, "fly": 1, "saw": 1}),
    ("mean", {"numbers.txt": NUMBERS},
     "Compute the mean of the numbers in numbers.txt, one a line; skip empty lines.", {"mean": 5.125}),
    ("join", {"names.csv": LEFT, "stock.csv": RIGHT},
     'Join names.csv and stock.csv on "id"; give the stock for each name that is in both.', {"pen": 7, "pad": 40}),
    ("nested", {"team.json": NESTED}, 'Add up the field "p" over all "members" in team.json.', {"sum": 11}),
    ("config", {"app.conf": CONFIG},
     "Read the key = value lines of app.conf (lines with # are comments; whole numbers become numbers).",
     {"timeout": 30, "retries": 4, "name": "probe one"}),
]  # fmt: skip

SHAPES = {
    "total-units": '{"total": number}', "revenue": "{shop: number, ...}",
    "oldest": '{"name": text}', "by-city": "{city: number, ...}", "errors": "{level: number, ...}",
    "word-counts": "{word: number, ...}", "mean": '{"mean": number}',
    "join": "{name: number, ...}", "nested": '{"sum": number}', "config": "{key: value, ...}",
}  # fmt: skip


def wrangling() -> list[Record]:
    """Each item leaves its result in out.json; what the agent says does not count."""
    made = []
    for name, inputs, task, right in JSON_TASKS:
        text = f"{task} Write the result to the file out.json as {SHAPES[name]}."
        scorer = {"kind": "json", "expected": right, "artifact": "out.json", "tolerance": 1e-6}
        made.append(
            item(
                "wrangling", name, text, scorer, "written to out.json", tags=["program", "files"], minutes=2,
                inputs=inputs, outputs={"out.json": json.dumps(right) + "\n"},
            )
        )  # fmt: skip
    return made
