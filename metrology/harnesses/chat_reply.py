"""Reads one reply of an OpenAI-compatible endpoint: the answer and its price, or what kind of trouble it is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from metrology.domain.status import Status
from metrology.domain.trial import Usage
from metrology.errors import MetrologyError
from metrology.harnesses.base import ConfigurationError, answer_text

TOO_MANY_REQUESTS = 429
REQUEST_TIMEOUT = 408
CLIENT_ERRORS = range(400, 500)
SUCCESS = range(200, 300)
SAID_CHARACTERS = 300


class Trouble(MetrologyError):  # noqa: N818 - not an error of the caller but how an attempt ended
    """The attempt ended without an answer; ``status`` says for whose reasons."""

    def __init__(self, status: Status, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


@dataclass(frozen=True)
class Reply:
    """One answer: its text, what it is booked as, the model that gave it, the tokens it took."""

    answer: str
    status: Status
    detail: str
    model: str | None
    usage: Usage


def read_reply(status: int, data: bytes) -> Reply:
    """Return the answer in an HTTP reply.

    Raises:
        Trouble: a rate limit, a provider's failure, a full context, a reply that cannot be read.
        ConfigurationError: the provider refuses the request as such.
    """
    if status not in SUCCESS:
        raise _refusal(status, data)
    try:
        body = json.loads(data)
        choice = body["choices"][0]
        message = choice["message"]
        answer = message.get("content") or ""
        if not isinstance(answer, str):
            fault = "the content is not text"
            raise TypeError(fault)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise Trouble(
            Status.PROVIDER_ERROR, f"a reply that cannot be read: {type(error).__name__}: {_said(data)}"
        ) from error
    served = body.get("model")
    ended, detail = _ended(choice.get("finish_reason"), message.get("refusal"))
    return Reply(answer, ended, detail, served if isinstance(served, str) else None, _usage(body.get("usage")))


def sum_usage(usages: Sequence[Usage]) -> Usage:
    """Return the sum over several replies; a bucket that one of them does not tell is not known."""
    sums: dict[str, Any] = {}
    for bucket in fields(Usage):
        values = [getattr(usage, bucket.name) for usage in usages]
        sums[bucket.name] = None if None in values else sum(values)
    return Usage(**sums)


def _refusal(status: int, data: bytes) -> MetrologyError:
    said = _said(data)
    if status == TOO_MANY_REQUESTS:
        return Trouble(Status.RATE_LIMITED, f"HTTP {status}: {said}")
    if status in CLIENT_ERRORS and status != REQUEST_TIMEOUT:
        if "context_length_exceeded" in said or "context window" in said or "maximum context" in said:
            return Trouble(Status.LIMIT_REACHED, f"the context is full: {said}")
        return ConfigurationError(f"the provider refuses the request: HTTP {status}: {said}", hint="see the agent file")
    return Trouble(Status.PROVIDER_ERROR, f"HTTP {status}: {said}")


def _ended(reason: object, refusal: object) -> tuple[Status, str]:
    if refusal or reason == "content_filter":
        return Status.REFUSED, "the model or its provider refused"
    if reason == "length":
        return Status.LIMIT_REACHED, "the answer was cut at max_tokens"
    return Status.COMPLETED, ""


def _usage(table: object) -> Usage:
    """The provider's token counts; what it counts as prompt includes what it read from its cache."""
    if not isinstance(table, Mapping):
        return Usage()
    prompt, output = _count(table.get("prompt_tokens")), _count(table.get("completion_tokens"))
    details = table.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, Mapping) else None
    fresh = prompt if prompt is None or cached is None else max(prompt - cached, 0)
    return Usage(input_tokens=fresh, cached_input_tokens=cached, output_tokens=output)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _said(data: bytes) -> str:
    """What the provider said, short: its error message where there is one."""
    text = answer_text(data[: 4 * SAID_CHARACTERS])
    try:
        error = json.loads(data)["error"]
        text = f"{error.get('code') or ''} {error['message']}".strip()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        # Not the usual error object: the raw text says what there is to say.
        return text[:SAID_CHARACTERS]
    return text[:SAID_CHARACTERS]
