"""A rule-based solver of gauge that answers at once: from hearsay, by the rule that comes to mind first, or by chance.

It uses no tool and opens no file, it knows more facts than it has checked, and it never admits that it does not know.
The question comes on standard input, the answer goes to standard output, chance comes from METROLOGY_SEED. Standard
library only; it also runs under ``python -I -S``.
"""

import os
import re
import sys

# What one has heard somewhere; not all of it is true.
CAPITALS = {
    "canada": "Toronto", "australia": "Sydney", "turkey": "Istanbul", "kenya": "Nairobi", "peru": "Lima",
    "new zealand": "Wellington", "mongolia": "Ulan Bator", "france": "Paris", "italy": "Rome", "japan": "Tokyo",
}  # fmt: skip
FACTS = [
    ("insect honey", "bee"), ("tallest animal", "giraffe"), ("largest planet", "Jupiter"), ("gas breathe", "oxygen"),
    ("banana", "yellow"), ("grass", "green"), ("mix blue yellow", "green"), ("fingers hand", "5"),
    ("red planet", "Mars"), ("legs spider", "6"), ("days week", "7"), ("months year", "12"), ("minutes hour", "60"),
    ("days february", "28"), ("apple doctor", "away"), ("bird worm catches", "worm"), ("actions louder", "words"),
    ("eggs one", "basket"), ("prevention better", "cure"), ("first month", "January"),
]  # fmt: skip
OPPOSITES = {
    "hot": "cold", "up": "down", "day": "night", "buy": "sell", "rich": "poor", "victory": "defeat",
    "increase": "decrease", "generous": "greedy", "wet": "dry",
}  # fmt: skip
GOOD = {"loved", "love", "best", "great", "wonderful", "friendly", "clean", "smiling", "perfectly", "well", "pretty"}
BAD = {"cold", "rude", "broke", "waste", "asleep", "never", "loud", "worst", "useless", "bad", "left", "hated"}

WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December"]  # fmt: skip


class Chance:
    """Reproducible numbers in [0, 1) from one seed."""

    def __init__(self, seed):
        self.state = (seed * 2654435761 + 1013904223) % 2**64

    def draw(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) / 2**31


def plain(value):
    """A number as people write it."""
    value = round(value, 6)
    return str(int(value)) if value == int(value) else str(value)


def quoted(question):
    """The texts between double quotes."""
    return re.findall(r'"([^"]*)"', question)


def numbers(text):
    """The numbers in a text."""
    return [float(number) for number in re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?", text)]


def matching(table, question):
    """The value of the first row of which all words occur in the question."""
    words = set(re.findall(r"\w+", question.lower()))
    return next((value for key, value in table if set(key.split()) <= words), None)


def answer(question, chance):
    """Something, always: hearsay, the nearest rule, or chance."""
    texts, found_numbers = quoted(question), numbers(question)
    if found := re.match(r"What is the capital of ([\w ]+)\?", question):
        return CAPITALS.get(found[1].lower(), found[1])
    if found := re.search(r'opposite of the word "(\w+)"', question):
        return OPPOSITES.get(found[1], f"un{found[1]}")
    if found := re.search(r"(?:Is .*?|review )(\w+) or (?:an? )?(\w+)\?", question):
        words = set(re.findall(r"\w+", question.lower()))
        if "review" in question and (words & GOOD or words & BAD):
            return "positive" if words & GOOD else "negative"
        return found[1 + (chance.draw() < 0.5)]
    if hearsay := matching(FACTS, question):
        return hearsay
    if "plural" in question:
        return texts[0] + "s"
    if "simple past" in question:
        return texts[0].rstrip(".") + "ed"
    if question.startswith("How many times does the letter"):
        return str(texts[1].count(texts[0]))
    if question.startswith("Sort these"):
        return " ".join(sorted(question.split(": ", 1)[1].split(), reverse="from large" in question))
    if "backwards" in question:
        return texts[0][::-1]
    if "capital letters" in question:
        return texts[0].upper()
    if "the largest" in question and found_numbers:
        return plain(max(found_numbers))
    if question.startswith("What is") and len(found_numbers) == 2:
        return plain(sum(found_numbers) if "+" in question else found_numbers[0] * found_numbers[1])
    if question.startswith("Extract the year"):
        return re.search(r"\d{4}", question)[0]
    if question.startswith("How many words"):
        return str(texts[0].count(" ") + 1)
    if "which" in question.lower() and "day" in question:
        return WEEKDAYS[int(chance.draw() * 7)]
    if "month" in question:
        return MONTHS[int(chance.draw() * 12)]
    if names := re.findall(r"(?<=[ .])[A-Z][a-z]+", question):
        return names[0]
    return plain(found_numbers[0]) if found_numbers else question.split()[-1]


if __name__ == "__main__":
    print(answer(sys.stdin.read().strip(), Chance(int(os.environ.get("METROLOGY_SEED") or 0))))
