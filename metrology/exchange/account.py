"""The line-by-line account of an import: every line that was read is in exactly one class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

LISTED = 100
"""How many lines of each class are listed one by one; the totals count all."""


@dataclass(frozen=True)
class Line:
    """One line that was not simply taken: where it stands, which field, why."""

    line: int
    field: str | None
    reason: str

    def __str__(self) -> str:
        place = f"line {self.line}" if self.field is None else f"line {self.line}, field {self.field}"
        return f"{place}: {self.reason}"


@dataclass(frozen=True)
class Refusal:
    """Why a value cannot be taken; a result of parsing that is refused, as opposed to a missing one."""

    field: str
    reason: str


@dataclass(frozen=True)
class Account:
    """What became of each line. ``lines`` = accepted + without_verdict + refused + ignored.

    ``lines`` counts records: the header is none, a blank line is one. ``accepted`` lines carry a verdict;
    ``without_verdict`` lines are stored as missing, never as 0. ``statuses`` counts the stored trials by
    status; ``unknown_statuses`` the texts that the map does not cover. The ``..._lines`` list the first 100 of a class.
    """

    lines: int
    accepted: int
    without_verdict: int
    refused: int
    ignored: int
    statuses: Mapping[str, int] = field(default_factory=dict)
    without_verdict_reasons: Mapping[str, int] = field(default_factory=dict)
    refused_reasons: Mapping[str, int] = field(default_factory=dict)
    ignored_reasons: Mapping[str, int] = field(default_factory=dict)
    unknown_statuses: Mapping[str, int] = field(default_factory=dict)
    without_verdict_lines: tuple[Line, ...] = ()
    refused_lines: tuple[Line, ...] = ()
    ignored_lines: tuple[Line, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def taken(self) -> int:
        """Lines that are stored: with or without a verdict."""
        return self.accepted + self.without_verdict

    def document(self) -> dict[str, Any]:
        """The account as JSON-ready values."""
        listed = ("without_verdict_lines", "refused_lines", "ignored_lines")
        counted = ("statuses", "without_verdict_reasons", "refused_reasons", "ignored_reasons", "unknown_statuses")
        document: dict[str, Any] = {
            name: getattr(self, name) for name in ("lines", "accepted", "without_verdict", "refused", "ignored")
        }
        document.update({name: dict(getattr(self, name)) for name in counted})
        for name in listed:
            document[name] = [
                {"line": line.line, "field": line.field, "reason": line.reason} for line in getattr(self, name)
            ]
        document["remarks"] = list(self.remarks)
        return document

    def describe(self) -> str:
        """The account in words, several lines."""
        text = [
            f"{self.lines:,} lines: {self.accepted:,} accepted, {self.without_verdict:,} accepted without verdict, "
            f"{self.refused:,} refused, {self.ignored:,} ignored"
        ]
        text += [f"  no verdict: {reason} ({count:,})" for reason, count in self.without_verdict_reasons.items()]
        text += [f"  ignored: {reason} ({count:,})" for reason, count in self.ignored_reasons.items()]
        text += [f"  refused: {reason} ({count:,})" for reason, count in self.refused_reasons.items()]
        text += [f"    {line}" for line in self.refused_lines[:10]]
        if self.refused > 10:
            text.append(f"    ... and {self.refused - 10:,} more")
        text += [
            f"  unknown status {status!r} counted as unknown_error ({count:,})"
            for status, count in self.unknown_statuses.items()
        ]
        return "\n".join(text + [f"  {remark}" for remark in self.remarks])


class AccountBook:
    """Collects an :class:`Account` while a file is read; memory does not grow with the file."""

    def __init__(self) -> None:
        self.accepted = 0
        self.statuses: Counter[str] = Counter()
        self.unknown_statuses: Counter[str] = Counter()
        self.remarks: dict[str, None] = {}
        self._classes = {name: _LineClass() for name in ("without_verdict", "refused", "ignored")}

    @property
    def refused(self) -> int:
        """Lines refused so far."""
        return self._classes["refused"].total

    def refuse(self, line: int, field: str | None, reason: str) -> None:
        """Book a line that cannot be taken."""
        self._classes["refused"].add(line, field, reason)

    def refuse_more(self, count: int, reason: str) -> None:
        """Book lines that are refused together with one already listed."""
        self._classes["refused"].add_many(count, reason)

    def ignore(self, line: int, reason: str) -> None:
        """Book a line that says nothing new or that the map leaves out."""
        self._classes["ignored"].add(line, None, reason)

    def ignore_many(self, lines: Iterable[int], count: int, reason: str) -> None:
        """Book ``count`` lines at once; ``lines`` names them in order and is read only as far as they are listed."""
        self._classes["ignored"].add_listed(lines, count, reason)

    def without_verdict(self, line: int, reason: str) -> None:
        """Book a line that is stored as missing."""
        self._classes["without_verdict"].add(line, None, reason)

    def remark(self, text: str) -> None:
        """Say something once that holds for the whole file."""
        self.remarks.setdefault(text)

    def close(self) -> Account:
        """Return the account of everything booked."""
        missing, refused, ignored = (self._classes[name] for name in ("without_verdict", "refused", "ignored"))
        return Account(
            lines=self.accepted + missing.total + refused.total + ignored.total,
            accepted=self.accepted,
            without_verdict=missing.total,
            refused=refused.total,
            ignored=ignored.total,
            statuses=dict(sorted(self.statuses.items())),
            without_verdict_reasons=dict(missing.reasons.most_common()),
            refused_reasons=dict(refused.reasons.most_common()),
            ignored_reasons=dict(ignored.reasons.most_common()),
            unknown_statuses=dict(self.unknown_statuses.most_common()),
            without_verdict_lines=missing.in_order(),
            refused_lines=refused.in_order(),
            ignored_lines=ignored.in_order(),
            remarks=tuple(self.remarks),
        )


_OTHER = "other reasons"


class _LineClass:
    """Total, reasons and the first lines of one class."""

    def __init__(self) -> None:
        self.total = 0
        self.reasons: Counter[str] = Counter()
        self.first: list[Line] = []

    def add(self, line: int, field: str | None, reason: str) -> None:
        general = reason.split(": ", 1)[0] if field is None else f"{field}: {reason.split(': ', 1)[0]}"
        self.add_many(1, general)
        if len(self.first) < LISTED:
            self.first.append(Line(line, field, reason))

    def add_listed(self, lines: Iterable[int], count: int, reason: str) -> None:
        self.add_many(count, reason)
        for line in lines:
            if len(self.first) >= LISTED:
                break
            self.first.append(Line(line, None, reason))

    def add_many(self, count: int, reason: str) -> None:
        self.total += count
        # A hostile file could give every line a reason of its own.
        self.reasons[reason if reason in self.reasons or len(self.reasons) < LISTED else _OTHER] += count

    def in_order(self) -> tuple[Line, ...]:
        return tuple(sorted(self.first, key=lambda line: line.line))
