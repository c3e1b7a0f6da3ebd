"""Everyday facts that need no computation: capitals, plain knowledge, opposites, kinds of things."""

from __future__ import annotations

from authoring.record import Record, count, item, word

CAPITALS = {
    "France": ["Paris"], "Italy": ["Rome"], "Japan": ["Tokyo"], "Egypt": ["Cairo"], "Germany": ["Berlin"],
    "Canada": ["Ottawa"], "Australia": ["Canberra"], "Turkey": ["Ankara"],
    "Kenya": ["Nairobi"], "Peru": ["Lima"], "Mongolia": ["Ulaanbaatar", "Ulan Bator"],
    "New Zealand": ["Wellington"],
}  # fmt: skip
OTHER_CITIES = [
    "Sydney", "Melbourne", "Toronto", "Montreal", "Istanbul", "Auckland", "Milan", "Venice", "Kyoto", "Osaka",
    "Alexandria", "Munich", "Porto", "Mombasa", "Cusco", "London", "Madrid", "Athens", "Beijing", "Moscow",
]  # fmt: skip

COLOURS = ["red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white", "grey", "gray"]
ANIMALS = [
    "dog", "cat", "cow", "horse", "sheep", "pig", "hen", "duck", "lion", "tiger", "elephant", "giraffe", "cheetah",
    "whale", "shark", "bee", "ant", "spider", "snake", "eagle", "ostrich", "penguin", "camel", "frog",
]  # fmt: skip
PLANETS = ["Mercury", "Venus", "Earth", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune"]
SUBSTANCES = ["oxygen", "nitrogen", "hydrogen", "helium", "iron", "gold", "silver", "water", "carbon", "copper"]
FACTS = [
    ("colour-of-a-banana", "What colour is a ripe banana?", ["yellow"], COLOURS),
    ("colour-of-grass", "What colour is grass?", ["green"], COLOURS),
    ("colour-of-snow", "What colour is snow?", ["white"], COLOURS),
    ("blue-and-yellow", "Which colour do you get when you mix blue and yellow paint?", ["green"], COLOURS),
    ("animal-that-makes-honey", "Which insect makes honey?", ["bee", "bees", "honeybee", "honeybees"], ANIMALS),
    ("tallest-animal", "Which animal is the tallest in the world?", ["giraffe", "giraffes"], ANIMALS),
    ("red-planet", "Which planet is called the red planet?", ["Mars"], PLANETS),
    ("largest-planet", "Which planet is the largest in our solar system?", ["Jupiter"], PLANETS),
    ("frozen-water", "What is frozen water called?", ["ice"], [*SUBSTANCES, "steam", "snow", "rain", "fog"]),
    ("gas-we-breathe", "Which gas do people need to breathe to stay alive?", ["oxygen"], SUBSTANCES),
]
COUNTS = [
    ("legs-of-a-spider", "How many legs does a spider have?", 8),
    ("legs-of-a-dog", "How many legs does a dog have?", 4),
    ("sides-of-a-hexagon", "How many sides does a hexagon have?", 6),
    ("fingers-on-one-hand", "How many fingers are on one human hand, with the thumb?", 5),
]

OPPOSITES = {
    "hot": ["cold"], "up": ["down"], "day": ["night"], "open": ["closed", "close", "shut"], "full": ["empty"],
    "buy": ["sell"], "rich": ["poor"], "wet": ["dry"],
    "victory": ["defeat", "loss"], "increase": ["decrease", "reduce"],
    "generous": ["stingy", "selfish", "mean", "miserly"],
}  # fmt: skip

KINDS = [
    ("carrot", "fruit", "vegetable", "vegetable"), ("apple", "fruit", "vegetable", "fruit"),
    ("salmon", "bird", "fish", "fish"), ("dolphin", "fish", "mammal", "mammal"),
    ("piano", "tool", "instrument", "instrument"), ("hammer", "animal", "tool", "tool"),
    ("oak", "animal", "plant", "plant"),
    ("Brazil", "city", "country", "country"), ("Chicago", "city", "country", "city"),
    ("gold", "metal", "gas", "metal"),
]  # fmt: skip


def capitals() -> list[Record]:
    """One item a country; every other capital and the usual wrong cities are forbidden."""
    pool = [name for names in CAPITALS.values() for name in names] + OTHER_CITIES
    records = []
    for country, accepted in CAPITALS.items():
        text = f"What is the capital of {country}?"
        scorer = word(accepted, pool, text)
        records.append(item("capitals", country, text, scorer, accepted[0], tags=["plain", "facts"], minutes=0.1))
    return records


def facts() -> list[Record]:
    """Colours, animals, planets, substances and small counts; the answers of all others are forbidden."""
    answers = [name for _, _, names, _ in FACTS for name in names]
    records = []
    for name, text, accepted, pool in FACTS:
        scorer = word(accepted, [*pool, *answers], text)
        records.append(item("facts", name, text, scorer, accepted[0], tags=["plain", "facts"], minutes=0.1))
    for name, text, number in COUNTS:
        scorer = count(number, text)
        records.append(item("facts", name, text, scorer, str(number), tags=["plain", "facts"], minutes=0.1))
    return records


def opposites() -> list[Record]:
    """One item a word; the opposites of all other words are forbidden."""
    pool = [name for names in OPPOSITES.values() for name in names] + list(OPPOSITES)
    records = []
    for start, accepted in OPPOSITES.items():
        text = f'What is the opposite of the word "{start}"?'
        scorer = word(accepted, pool, text)
        records.append(item("opposites", start, text, scorer, accepted[0], tags=["plain", "words"], minutes=0.1))
    return records


def kinds() -> list[Record]:
    """Two choices; naming both, or what other things are, is no answer."""
    answers = {right for _, _, _, right in KINDS}
    records = []
    for thing, first, second, right in KINDS:
        article = "" if thing in ("Brazil", "Chicago", "gold") else ("an " if thing[0] in "aeiou" else "a ")
        text = f"Is {article}{thing} a {first} or a {second}? Answer with one word."
        text = text.replace(" a animal", " an animal").replace(" a instrument", " an instrument")
        wrong = (answers | {first, second}) - {right}
        scorer = {"kind": "exact", "match": "word", "expected": [right], "forbidden": sorted(wrong)}
        records.append(item("kinds", thing, text, scorer, right, tags=["plain", "choice"], minutes=0.1))
    return records
