"""Recognises what looks like a secret in a table. What it returns never contains the secret."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from metrology.plugins import Problem
from metrology.registry.reading import leaves

HINT = "name the environment variable instead"
ENTROPY_BITS = 3.0
TOKEN_LENGTH = 16

# What a value looks like, whatever its key.
_SHAPES: Mapping[str, re.Pattern[str]] = {
    "an API key": re.compile(r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}|\bAIza[\w-]{30,}|\bhf_[A-Za-z0-9]{20,}|\bgsk_\w{20,}"),
    "an AWS key": re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    "a GitHub token": re.compile(r"\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}"),
    "a GitLab token": re.compile(r"\bglpat-[\w-]{16,}"),
    "a Slack token": re.compile(r"\bxox[abeprs]-[\w-]{10,}"),
    "a signed web token": re.compile(r"\beyJ[\w-]{6,}\.eyJ[\w-]{6,}\.[\w-]*"),
    "a private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    "an authorization header": re.compile(r"\b(?:Bearer|Basic)\s+[\w.~+/-]{12,}=*", re.IGNORECASE),
    "an address with a password": re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/@]+@", re.IGNORECASE),
}
# What a key says: under these only the name of a variable may stand ...
_ALWAYS = frozenset(
    {"password", "passwd", "passphrase", "secret", "secrets", "authorization", "credential", "credentials"}
)
# ... and under these nothing that looks drawn at random.
_OFTEN = frozenset({"key", "apikey", "token", "auth", "bearer", "cookie", "session", "signature"})
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")


def secrets_in(table: Mapping[str, Any]) -> tuple[Problem, ...]:
    """Return a problem for each value that looks like a secret, with its field and never with its text."""
    found = []
    for field, value in leaves(table):
        if isinstance(value, str) and (kind := _kind(field, value)):
            found.append(Problem(field, f"looks like {kind}; secrets are never stored", hint=HINT))
    return tuple(found)


def _kind(field: str, value: str) -> str:
    for kind, shape in _SHAPES.items():
        if shape.search(value):
            return kind
    last = next(part for part in reversed(field.split(".")) if not part.isdecimal() or part == field)
    if value == last:
        return ""
    words = frozenset(re.split(r"[_\-\s]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", last).lower()))
    if words & _ALWAYS and value and not _names_variable(value):
        return "a secret"
    if words & _OFTEN and not _names_variable(value) and any(_is_random(word) for word in value.split()):
        return "a key or token"
    return ""


def _names_variable(value: str) -> bool:
    """An upper-case name; a long one without any underscore is rather a key."""
    return _VARIABLE.fullmatch(value) is not None and ("_" in value or len(value) < TOKEN_LENGTH)


def _is_random(word: str) -> bool:
    """Long, without the spaces of a sentence, and with letters spread as if drawn (Shannon entropy per character)."""
    if len(word) < TOKEN_LENGTH:
        return False
    counts = Counter(word).values()
    return -sum(n / len(word) * math.log2(n / len(word)) for n in counts) >= ENTROPY_BITS
