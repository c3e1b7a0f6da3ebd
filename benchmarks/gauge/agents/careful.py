"""A rule-based solver of gauge that works with tools and says that it does not know rather than guess.

It knows few facts and takes care with what can be worked out: sums, dates, units, text, files. The question comes on
standard input, the answer goes to standard output, files lie in the working folder. Each use of a tool (table,
calculator, calendar, file) fails with the ``tool_failure_rate`` of the operations (METROLOGY_OPERATIONS, a JSON object;
default 0), by chance from METROLOGY_SEED; without the tool it gives up the question. Standard library only, no start-up
modules needed: it also runs under ``python -I -S``.
"""

import json
import os
import re
import sys
from datetime import date, timedelta

CAPITALS = {"france": "Paris", "italy": "Rome", "japan": "Tokyo", "germany": "Berlin", "egypt": "Cairo"}
FACTS = [
    ("banana", "yellow"), ("grass", "green"), ("snow", "white"), ("legs spider", "8"), ("legs dog", "4"),
    ("sides hexagon", "6"), ("red planet", "Mars"), ("frozen water", "ice"),
]  # fmt: skip
OPPOSITES = {"hot": "cold", "up": "down", "day": "night", "open": "closed", "full": "empty", "wet": "dry"}
KINDS = {
    "carrot": "vegetable", "apple": "fruit", "salmon": "fish", "piano": "instrument", "hammer": "tool", "oak": "plant",
}  # fmt: skip
GOOD = {"loved", "love", "best", "great", "wonderful", "friendly", "clean", "smiling", "perfectly", "well", "pretty"}
BAD = {"cold", "rude", "broke", "waste", "asleep", "never", "loud", "worst", "useless", "bad", "left", "hated"}
PLURALS = {"child": "children", "foot": "feet", "mouse": "mice", "man": "men"}
PASTS = {"go": "went", "eat": "ate", "swim": "swam", "see": "saw"}
COLOURS = ["red", "yellow", "green", "blue", "white", "black", "brown", "orange"]
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December"]  # fmt: skip
MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
            "twelfth"]  # fmt: skip
SIZES = {
    "kilometres": ("m", 1000), "metres": ("m", 1), "centimetres": ("m", 0.01), "miles": ("m", 1609.344),
    "kilograms": ("g", 1000), "grams": ("g", 1), "hours": ("s", 3600), "minutes": ("s", 60), "seconds": ("s", 1),
    "metres per second": ("v", 1), "kilometres per hour": ("v", 1 / 3.6),
}  # fmt: skip


class ToolFailedError(Exception):
    """A tool gave no result."""


class Chance:
    """Reproducible numbers in [0, 1) from one seed."""

    def __init__(self, seed):
        self.state = (seed * 2654435761 + 1013904223) % 2**64

    def draw(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) / 2**31


class Tools:
    """Everything that careful leans on; each use fails with the rate that the operations set."""

    def __init__(self, failure_rate, chance):
        self.failure_rate, self.chance = failure_rate, chance

    def use(self):
        if self.failure_rate and self.chance.draw() < self.failure_rate:
            raise ToolFailedError

    def look_up(self, table, key):
        self.use()
        return table.get(key)

    def calculate(self, text):
        self.use()
        tokens = re.findall(r"\d+(?:\.\d+)?|[-+*/()]", text)
        value, rest = expression(tokens)
        return None if rest else value

    def read(self, name):
        self.use()
        with open(name, encoding="utf-8") as file:  # noqa: PTH123 - pathlib would double the start-up time
            return file.read()

    def write(self, name, text):
        self.use()
        with open(name, "w", encoding="utf-8") as file:  # noqa: PTH123
            file.write(text)

    def day(self, text, plus=0):
        self.use()
        return date.fromisoformat(text) + timedelta(days=plus)


def expression(tokens):
    """Value of a sum and the tokens after it."""
    value, rest = product(tokens)
    while rest and rest[0] in "+-":
        right, after = product(rest[1:])
        value, rest = (value + right if rest[0] == "+" else value - right), after
    return value, rest


def product(tokens):
    """Value of a product and the tokens after it."""
    value, rest = atom(tokens)
    while rest and rest[0] in "*/":
        right, after = atom(rest[1:])
        value, rest = (value * right if rest[0] == "*" else value / right), after
    return value, rest


def atom(tokens):
    """Value of a number or a bracket and the tokens after it."""
    if tokens[0] == "(":
        value, rest = expression(tokens[1:])
        return value, rest[1:]
    return float(tokens[0]), tokens[1:]


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


def know(question, tools):
    if found := re.match(r"What is the capital of ([\w ]+)\?", question):
        return tools.look_up(CAPITALS, found[1].lower())
    if found := re.search(r'opposite of the word "(\w+)"', question):
        return tools.look_up(OPPOSITES, found[1].lower())
    if found := re.match(r"Is (?:an? )?(\w+) an? (\w+) or an? (\w+)\?", question):
        kind = tools.look_up(KINDS, found[1].lower())
        return kind if kind in found.groups()[1:] else None
    tools.use()
    return matching(FACTS, question)


def feel(question, _tools):
    """Good words against bad ones; a negation turns the next three words; a tie is not decided."""
    if "positive or negative" not in question:
        return None
    score, turned = 0, 0
    for word in re.findall(r"[a-z]+", quoted(question)[0].lower()):
        value = (word in GOOD) - (word in BAD)
        score += -value if turned else value
        turned = 3 if word in ("not", "no", "feared") else max(0, turned - 1)
    return None if score == 0 else ("positive" if score > 0 else "negative")


def read_sentence(question, _tools):
    """Find the clause that shares most words with the question, and what was asked for in it."""
    if question.startswith("Extract the year"):
        found = re.search(r"\bin (\d{4})\b", question) or re.search(r"\b(\d{4})\b", question)
        return found[1] if found else None
    found = re.match(r"(.+[.]) ((?:Who|What|In which|When) .+\?)$", question)
    if not found:
        return None
    asked = {word.rstrip("s") for word in re.findall(r"\w+", found[2].lower())}
    clauses = re.split(r"[.;,] ?| and ", found[1])
    shared = [len(asked & {word.rstrip("s") for word in re.findall(r"\w+", clause.lower())}) for clause in clauses]
    clause = max(zip(shared, range(len(clauses)), clauses, strict=True))[2]
    names = [name for name in re.findall(r"\b[A-Z][a-z]+\b", clause) if name != "The"]
    if found[2].startswith("What colour"):
        return next((word for word in clause.split() if word in COLOURS), None)
    if found[2].startswith("When"):
        return next((name for name in names if name in WEEKDAYS), None)
    if found[2].startswith("What"):
        return next(iter(re.findall(r"\d+", clause)), None)
    return (names[0] if found[2].startswith("Who") else names[-1]) if names else None


def inflect(question, tools):
    if found := re.search(r'plural of the word "(\w+)"', question):
        word = found[1]
        if known := tools.look_up(PLURALS, word):
            return known
        if re.search(r"[^aeiou]y$", word):
            return word[:-1] + "ies"
        if word.endswith("f"):
            return word[:-1] + "ves"
        return word + ("es" if re.search(r"(s|x|ch|sh)$", word) else "s")
    if found := re.search(r'simple past: "I (\w+)', question):
        word = found[1]
        doubled = word + word[-1] if re.search(r"[^aeiou][aeiou][bdgmnprt]$", word) else word
        return "I " + (tools.look_up(PASTS, word) or (doubled + ("d" if word.endswith("e") else "ed")))
    return None


def consult_calendar(question, tools):
    for names in (WEEKDAYS, MONTHS):
        if (found := re.search(r"comes (after|before) (\w+)", question)) and found[2] in names:
            tools.use()
            return names[(names.index(found[2]) + (1 if found[1] == "after" else -1)) % len(names)]
    if found := re.search(r"the (\w+) month of the year", question):
        return MONTHS[ORDINALS.index(found[1])] if found[1] in ORDINALS else None
    if (found := re.search(r"How many days .*\b([A-Z][a-z]+)\b", question)) and found[1] in MONTHS:
        return str(MONTH_DAYS[MONTHS.index(found[1])])
    if found := re.match(r"How many (\w+) are in an? (\w+)\?", question):
        tools.use()
        return {"days week": "7", "months year": "12", "minutes hour": "60"}.get(f"{found[1]} {found[2]}")
    dates = re.findall(r"\d{4}-\d\d-\d\d", question)
    if found := re.match(r"Which date is (\d+) days after", question):
        return tools.day(dates[0], int(found[1])).isoformat()
    if len(dates) == 2 and "How many days" in question:
        return str((tools.day(dates[1]) - tools.day(dates[0])).days)
    if dates and "day of the week" in question:
        return WEEKDAYS[tools.day(dates[0]).weekday()]
    return None


def count(question, _tools):
    texts = quoted(question)
    if not question.startswith("How many") or not texts:
        return None
    if "does the letter" in question:
        return str(texts[1].lower().count(texts[0].lower()))
    if question.startswith("How many words"):
        return str(len(texts[0].split()))
    return str(sum(sign in "aeiou" for sign in texts[0].lower())) if "vowels" in question else None


def calculate(question, tools):
    if found := re.match(r"What is ([-+*/() \d.]+)\?$", question):
        value = tools.calculate(found[1])
        return None if value is None else plain(value)
    if found := re.search(r"(\d+) boxes with (\d+) \w+ in each.*?(\d+) \w+ are taken out", question):
        return plain(tools.calculate(f"{found[1]} * {found[2]} - {found[3]}"))
    if found := re.search(r"costs (\d+) euros.*(falls|rises) by (\d+) percent", question):
        return plain(tools.calculate(f"{found[1]} * (100 {'-' if found[2] == 'falls' else '+'} {found[3]}) / 100"))
    if found := re.search(r"leaves at (\d+):(\d+) and arrives at (\d+):(\d+)", question):
        return plain(tools.calculate(f"{found[3]} * 60 + {found[4]} - {found[1]} * 60 - {found[2]}"))
    if re.search(r"How many \w+ does \w+ have now\?", question):
        signs = {"has": "+", "buys": "+", "finds": "+", "eats": "-", "loses": "-", "gives": "-"}
        steps = re.findall(r"\b(has|buys|finds|eats|loses|gives) (?:away )?(\d+)", question)
        return plain(tools.calculate("0 " + " ".join(f"{signs[verb]} {number}" for verb, number in steps)))
    return None


def convert(question, tools):
    if found := re.match(r"How many degrees (\w+) are (-?[\d.]+) degrees (\w+)\?", question):
        degrees = float(found[2])
        tools.use()
        return plain(degrees * 9 / 5 + 32 if found[1] == "Fahrenheit" else (degrees - 32) * 5 / 9)
    if found := re.match(r"How many ([a-z ]+) are ([\d.]+) ([a-z ]+)\?", question):
        to, start = tools.look_up(SIZES, found[1]), tools.look_up(SIZES, found[3])
        if to and start and to[0] == start[0]:
            value = float(found[2]) * start[1] / to[1]
            return f"{value:.2f}" if "two decimals" in question else plain(value)
    return None


def rewrite(question, _tools):
    texts = quoted(question)
    if not texts or "Answer with the result only" not in question:
        return None
    text = texts[0]
    if "capital letters" in question:
        return text.upper()
    if "backwards" in question:
        return text[::-1]
    if "reverse order" in question:
        return " ".join(reversed(text.split()))
    if "first letter of each word" in question:
        return "".join(word[0] for word in text.split())
    if "Remove all vowels" in question:
        return re.sub("[aeiou]", "", re.search(r'from "([^"]*)"', question)[1])
    if question.startswith("Replace each") and len(texts) == 3:
        return texts[2].replace(texts[0], texts[1])
    if found := re.search(r"by (\d+) places", question):
        return "".join(chr((ord(sign) - 97 + int(found[1])) % 26 + 97) for sign in text)
    if "snake case" in question:
        return re.sub(r"(?<!^)(?=[A-Z])", "_", text).lower()
    return text.split()[-1] if "last word" in question else None


def sort(question, _tools):
    if not question.startswith(("Sort these", "Which of these numbers")):
        return None
    listed = re.split(r"[:?] ", question, maxsplit=1)[1].split()
    if "numbers" in question:
        ordered = sorted(listed, key=float, reverse="from large" in question)
        if "second smallest" in question:
            return ordered[1]
        return ordered[-1] if "largest" in question else " ".join(ordered)
    return " ".join(sorted(set(listed) if "drop doubles" in question else listed))


def record(question, _tools):
    found = re.match(r"Give a JSON object with the keys (.+?) for this text, [\w ]+: (.+)$", question)
    if not found:
        return None
    keys, text = quoted(found[1]), found[2]
    ages = re.findall(r"([A-Z]\w+(?: [A-Z]\w+)?) is (\d+)", text)
    if keys == ["name", "age"] and ages:
        return json.dumps({"name": ages[0][0], "age": int(ages[0][1])})
    if keys == ["people"]:
        return json.dumps({"people": [{"name": name, "age": int(age)} for name, age in ages]})
    if keys == ["product", "price"] and (cost := re.search(r"The (\w+) costs ([\d.]+)", text)):
        return json.dumps({"product": cost[1], "price": float(cost[2])})
    if len(keys) == 1 and (listed := re.search(r" is (.+) and (\w+)\.", text)):
        return json.dumps({keys[0]: [*listed[1].split(", "), listed[2]]})
    return None


def rows_of(text):
    """The rows of a table with a header, separated by commas or semicolons."""
    lines = [re.split("[,;]", line) for line in text.strip().splitlines()]
    return [dict(zip(lines[0], line, strict=False)) for line in lines[1:]]


def tally(values):
    """How often each value occurs."""
    return {value: values.count(value) for value in values}


def work_on_files(question, tools):
    sources = [name for name in re.findall(r"\b\w+\.(?:csv|log|txt|json)\b", question) if name != "out.json"]
    if "out.json" not in question or not sources:
        return None
    text, names = tools.read(sources[0]), quoted(question)
    if "Add up the column" in question:
        result = {"total": sum(float(row[names[0]] or 0) for row in rows_of(text))}
    elif "add up units * price" in question:
        result = {}
        for row in rows_of(text):
            amount = float(row["units"] or 0) * float(row["price"])
            result[row[names[0]]] = result.get(row[names[0]], 0) + amount
    elif "with the largest" in question:
        result = {names[0]: max(rows_of(text), key=lambda row: float(row[names[1]]))[names[0]]}
    elif "Count the rows" in question:
        result = tally([row[names[0]] for row in rows_of(text)])
    elif "for each level" in question:
        result = tally([line.split()[1] for line in text.splitlines()])
    elif "how often each word" in question:
        result = tally(text.split())
    elif "mean of the numbers" in question:
        found = numbers(text)
        result = {"mean": sum(found) / len(found)}
    else:
        return None
    tools.write("out.json", json.dumps(result))
    return "written to out.json"


def plan(question, _tools):
    if found := re.match(r"Choose some of the numbers ([\d ]+) so that they add up to (\d+)", question):
        offered, wanted = found[1].split(), int(found[2])
        for choice in range(1, 2 ** len(offered)):
            chosen = [number for place, number in enumerate(offered) if choice >> place & 1]
            if sum(map(int, chosen)) == wanted:
                return " ".join(chosen)
    if found := re.match(r"Put the tasks ([\w, ]+) into an order", question):
        needs = {task: [] for task in found[1].split(", ")}
        for task, needed in re.findall(r"(\w+) needs ([\w ]+?)[;.]", question):
            needs[task] = needed.split(" and ")
        order = []
        while len(order) < len(needs):
            ready = [task for task in needs if task not in order and all(need in order for need in needs[task])]
            order.append(ready[0])
        return " ".join(order)
    return None


def careful(question, tools):
    """The answer of the first rule that has one, or None."""
    rules = (count, calculate, convert, consult_calendar, rewrite, sort, record, work_on_files, plan, feel,
             read_sentence, inflect, know)  # fmt: skip
    return next((answer for rule in rules if (answer := rule(question, tools)) is not None), None)


def main():
    question = sys.stdin.read().strip()
    operations = json.loads(os.environ.get("METROLOGY_OPERATIONS") or "{}")
    chance = Chance(int(os.environ.get("METROLOGY_SEED") or 0))
    try:
        return careful(question, Tools(operations.get("tool_failure_rate", 0.0), chance)) or "I do not know."
    except ToolFailedError:
        return "A tool failed."


if __name__ == "__main__":
    print(main())
