"""Short questions about words and sentences: sentiment, extraction, forms of words, the calendar."""

from __future__ import annotations

from authoring.record import Record, count, item, word

SENTIMENT = [
    ("cold-soup", "The soup was cold and the waiter was rude.", "negative"),
    ("best-phone", "This is the best phone I have ever had.", "positive"),
    ("broke-at-once", "It broke after one day. A waste of money.", "negative"),
    ("boring-book", "I fell asleep twice while reading this book.", "negative"),
    ("not-bad", "Not bad at all, I would come again.", "positive"),
    ("never-again", "I was looking forward to it. Never again.", "negative"),
    ("could-not-stop", "I could not stop smiling on the way home.", "positive"),
    ("too-loud", "The music was so loud that we left early.", "negative"),
    ("expected-worse", "I feared the worst, but it works perfectly.", "positive"),
    ("pretty-useless", "A pretty box, and quite useless inside.", "negative"),
]

YEARS = [
    ("bridge", "The bridge was opened in 1932.", "1932"),
    ("novel", "Her first novel came out in 1987 and sold well.", "1987"),
    ("club", "The club has 1500 members and was founded in 1921.", "1921"),
]
NAMES = [
    ("baker", "Maria works as a baker in a small town.", "Who works as a baker?", "Maria", []),
    ("letter", "Tom wrote the letter and Anna read it.", "Who read the letter?", "Anna", ["Tom"]),
    ("race", "Olga won the race and Peter came last.", "Who came last?", "Peter", ["Olga"]),
]
VALUES = [
    ("price", "A ticket costs 12 euros and a map costs 3 euros.", "What does a map cost?", "3", ["12"]),
    ("town", "Lena left Oslo and lives in Bergen now.", "In which city does Lena live now?", "Bergen", ["Oslo"]),
    ("colour", "The car is red and the van is blue.", "What colour is the van?", "blue", ["red"]),
    ("closed", "The shop is closed on Sunday. The bank is closed on Friday.", "When is the bank closed?", "Friday",
     ["Sunday"]),
    ("room", "The lecture is at nine in room 214.", "What is the room number?", "214", ["9", "nine"]),
]  # fmt: skip

PLURALS = {"cat": "cats", "city": "cities", "child": "children", "leaf": "leaves",
           "foot": "feet"}  # fmt: skip
PASTS = {"go": "went", "stop": "stopped", "teach": "taught", "swim": "swam",
         "bring": "brought"}  # fmt: skip

WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December"]  # fmt: skip
CALENDAR_COUNTS = [
    ("days-in-a-week", "How many days are in a week?", 7),
    ("months-in-a-year", "How many months are in a year?", 12),
    ("minutes-in-an-hour", "How many minutes are in an hour?", 60),
    ("days-in-june", "How many days does June have?", 30),
    ("days-in-february", "How many days are in February when it is not a leap year?", 28),
]
CALENDAR_NAMES = [
    ("day-after-monday", "Which day of the week comes after Monday?", "Tuesday", WEEKDAYS),
    ("day-after-saturday", "Which day of the week comes after Saturday?", "Sunday", WEEKDAYS),
    ("month-after-march", "Which month comes after March?", "April", MONTHS),
    ("first-month", "What is the first month of the year?", "January", MONTHS),
    ("eighth-month", "What is the eighth month of the year?", "August", MONTHS),
]

PROVERBS = [
    ("doctor", "An apple a day keeps the doctor", ["away"]),
    ("worm", "The early bird catches the", ["worm"]),
    ("words", "Actions speak louder than", ["words"]),
    ("basket", "Do not put all your eggs in one", ["basket"]),
    ("gold", "All that glitters is not", ["gold"]),
    ("cure", "Prevention is better than", ["cure"]),
]


def sentiment() -> list[Record]:
    """Two choices, from plain praise to sentences without a telling word."""
    records = []
    for name, review, right in SENTIMENT:
        text = f'Is this review positive or negative? "{review}" Answer with one word.'
        wrong = "negative" if right == "positive" else "positive"
        scorer = {"kind": "exact", "match": "word", "expected": [right], "forbidden": [wrong]}
        records.append(item("sentiment", name, text, scorer, right, tags=["plain", "choice"], minutes=0.1))
    return records


def extraction() -> list[Record]:
    """What a sentence says: a year, a name, a value; the other candidates of the sentence are forbidden."""
    rows = [(name, f'Extract the year: "{sentence}"', right, ["1500"]) for name, sentence, right in YEARS]
    for name, sentence, question, right, wrong in NAMES + VALUES:
        rows.append((name, f"{sentence} {question}", right, wrong))
    answers = [right for _, _, right, _ in rows]
    records = []
    for name, text, right, wrong in rows:
        # Every answer of the family is forbidden, and so are the sentence's own other candidates.
        forbidden = sorted({other.lower() for other in [*answers, *wrong]} - {right.lower()})
        accepted = [right] + (["three"] if right == "3" else [])
        scorer = {"kind": "exact", "match": "word", "expected": accepted, "forbidden": forbidden}
        records.append(item("extraction", name, text, scorer, right, tags=["plain", "reading"], minutes=0.2))
    return records


def forms() -> list[Record]:
    """Plurals and past tenses, regular and not; other forms of the family are forbidden."""
    pool = [*PLURALS.values(), *PASTS.values(), "childs", "mouses", "leafs", "citys", "goed", "eated", "teached",
            "swimmed", "bringed", "stoped", "foots", "boxs", "swum"]  # fmt: skip
    records = []
    for start, right in PLURALS.items():
        text = f'What is the plural of the word "{start}"?'
        scorer = word([right], pool, text)
        records.append(item("forms", f"plural-{start}", text, scorer, right, tags=["plain", "words"], minutes=0.1))
    for start, right in PASTS.items():
        text = f'Write in the simple past: "I {start}."'
        scorer = word([right], pool, text)
        records.append(item("forms", f"past-{start}", text, scorer, right, tags=["plain", "words"], minutes=0.1))
    return records


def almanac() -> list[Record]:
    """Days, months and their numbers."""
    records = []
    for name, text, number in CALENDAR_COUNTS:
        scorer = count(number, text)
        records.append(item("almanac", name, text, scorer, str(number), tags=["plain", "calendar"], minutes=0.1))
    for name, text, right, pool in CALENDAR_NAMES:
        scorer = word([right], [*pool, *(other for _, _, other, _ in CALENDAR_NAMES)], text)
        records.append(item("almanac", name, text, scorer, right, tags=["plain", "calendar"], minutes=0.1))
    return records


def proverbs() -> list[Record]:
    """The last word of a common saying."""
    pool = [name for _, _, names in PROVERBS for name in names]
    records = []
    for name, start, accepted in PROVERBS:
        text = f'Complete this saying: "{start} ..."'
        scorer = word(accepted, pool, text)
        records.append(item("proverbs", name, text, scorer, accepted[0], tags=["plain", "words"], minutes=0.1))
    return records
