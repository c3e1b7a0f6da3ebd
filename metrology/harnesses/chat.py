"""The chat harness: one question to an OpenAI-compatible endpoint, without tools.

The messages of the agent file come first, then the instruction. The address and the key are read from the environment
variables that the file names, so neither is stored. With ``operations.votes`` the question is asked several times and
the answer given most often is taken. Nothing is retried here: a rate limit or an unreachable provider ends the attempt.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx
from pydantic import Field

from metrology.domain.agent import AgentConfiguration
from metrology.domain.status import Status
from metrology.domain.trial import Usage
from metrology.environments.base import Box
from metrology.harnesses.base import (
    ConfigurationError,
    Harness,
    OperationsTable,
    Outcome,
    Redactor,
    Table,
    Task,
    answer_text,
    named_secrets,
    transcript_lines,
)
from metrology.harnesses.chat_reply import Reply, Trouble, read_reply, sum_usage

REPLY_BYTES = 16 * 1024 * 1024
CONNECT_SECONDS = 10.0
SEEDS = 2**31


class ChatParameters(Table):
    """Sampling parameters, passed on as they are."""

    temperature: float | None = Field(default=None, ge=0.0)
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    max_tokens: int | None = Field(default=None, ge=1)
    stop: str | list[str] | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    repeat_penalty: float | None = None


class ChatModel(Table):
    """``requested`` is the model's name at the endpoint; what was served is recorded with each trial."""

    requested: str
    provider: str = ""
    parameters: ChatParameters = ChatParameters()


class ChatMessage(Table):
    """One message that comes before the question."""

    role: Literal["system", "user", "assistant"]
    content: str


class ChatTable(Table):
    """``endpoint`` and ``key`` are names of environment variables; ``question`` wraps the instruction."""

    kind: Literal["chat"]
    version: str = "1"
    endpoint: str
    key: str | None = None
    messages: list[ChatMessage] = Field(default_factory=list)
    question: str = Field(default="{instruction}", pattern=r"\{instruction\}")


class ChatOperations(OperationsTable):
    """``votes`` is how often the question is asked within one trial."""

    votes: int = Field(default=1, ge=1, le=101)


@dataclass
class _Asked:
    """What was said so far in one attempt; kept outside the loop so that a time-out does not lose it."""

    replies: list[Reply] = field(default_factory=list)
    events: list[Mapping[str, Any]] = field(default_factory=list)


class ChatHarness(Harness):
    """Asks once, or ``votes`` times, and hands in the answer. No box, no artifacts."""

    ModelTable = ChatModel
    HarnessTable = ChatTable
    OperationsTable = ChatOperations

    def __init__(self, configuration: AgentConfiguration) -> None:
        super().__init__(configuration)
        self._table = ChatTable.model_validate(dict(configuration.harness))
        self._model = ChatModel.model_validate(dict(configuration.model))
        self._votes = ChatOperations.model_validate(dict(configuration.operations)).votes
        self._parameters = self._model.parameters.model_dump(exclude_none=True)
        self._address = ""
        self._client: httpx.AsyncClient | None = None

    async def start(self) -> None:
        """Read address and key from the named variables and open the connection pool.

        Raises:
            ConfigurationError: a variable is not set, or holds no address.
        """
        self._address = _completions(self._table.endpoint)
        secrets = named_secrets([self._table.key] if self._table.key else [])
        self.redactor = Redactor(secrets)
        headers = {"Authorization": f"Bearer {secrets[self._table.key]}"} if self._table.key else {}
        # The deadline of the attempt is the only limit on an answer; a connection must come about sooner.
        self._client = httpx.AsyncClient(
            headers=headers, timeout=httpx.Timeout(None, connect=CONNECT_SECONDS), limits=httpx.Limits()
        )

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def act(self, task: Task, box: Box | None, seed: int) -> Outcome:  # noqa: ARG002 - the contract's
        """Ask and return the answer given most often; ties go to the answer that came first.

        Raises:
            ConfigurationError: the provider refuses the request as such (key, model, parameters).
        """
        asked = _Asked()
        limit = self.operations.time_limit_seconds
        try:
            async with asyncio.timeout(limit):
                for vote in range(self._votes):
                    await self._ask(task, (seed + vote) % SEEDS, asked)
        except TimeoutError:
            return self._outcome(asked, Status.AGENT_TIMEOUT, f"stopped at the time limit of {limit:g} s")
        except Trouble as trouble:
            return self._outcome(asked, trouble.status, self.redactor.text(trouble.detail))
        except ConfigurationError as error:
            # Providers like to repeat the key that they refuse.
            raise ConfigurationError(self.redactor.text(error.message), hint=error.hint) from None
        chosen = majority([reply.answer for reply in asked.replies])
        reply = asked.replies[chosen]
        return self._outcome(asked, reply.status, reply.detail, reply.answer)

    def _outcome(self, asked: _Asked, status: Status, detail: str, answer: str = "") -> Outcome:
        return Outcome(
            status,
            answer=answer_text(self.redactor.text(answer)),
            usage=sum_usage([reply.usage for reply in asked.replies]) if asked.replies else Usage(),
            transcript=self.redactor.data(transcript_lines(asked.events)),
            detail=detail,
            model_served=asked.replies[-1].model if asked.replies else None,
        )

    async def _ask(self, task: Task, seed: int, asked: _Asked) -> None:
        body = {
            "model": self._model.requested,
            "messages": [
                *(message.model_dump() for message in self._table.messages),
                {"role": "user", "content": self._table.question.replace("{instruction}", task.instruction)},
            ],
            **self._parameters,
            "seed": seed,
        }
        asked.events.append({"event": "request", "body": body})
        status, data = await self._post(body)
        asked.events.append({"event": "reply", "status": status, "body": _readable(data)})
        asked.replies.append(read_reply(status, data))

    async def _post(self, body: Mapping[str, Any]) -> tuple[int, bytes]:
        if self._client is None:
            raise ConfigurationError("the chat harness was not started", hint="await start() first")
        data = bytearray()
        try:
            async with self._client.stream("POST", self._address, json=body) as response:
                async for chunk in response.aiter_bytes():
                    data += chunk
                    if len(data) > REPLY_BYTES:
                        raise Trouble(Status.PROVIDER_ERROR, f"a reply of more than {REPLY_BYTES} bytes")
                return response.status_code, bytes(data)
        except httpx.HTTPError as error:
            # The message may hold the address, which is not ours to store.
            raise Trouble(Status.PROVIDER_ERROR, f"no reply: {type(error).__name__}") from error


def majority(answers: Sequence[str]) -> int:
    """Return the index of the answer given most often, case, spaces and outer punctuation aside.

    Ties go to the answer that came first.
    """
    folded = [" ".join(answer.casefold().split()).strip(" .,;:!?\"'") for answer in answers]
    counts = Counter(folded)
    return max(range(len(folded)), key=lambda index: (counts[folded[index]], -folded.index(folded[index])))


def _completions(variable: str) -> str:
    """The address of the endpoint that an environment variable names; itself not shown, it may hold a password."""
    base = named_secrets([variable])[variable].strip().rstrip("/")
    if not re.fullmatch(r"https?://[^/\s]\S*", base):
        raise ConfigurationError(f"what {variable} holds is no address", hint="give one like http://127.0.0.1:8000/v1")
    return f"{base}/chat/completions" if base.endswith("/v1") else f"{base}/v1/chat/completions"


def _finite_or_text(written: str) -> float | str:
    value = float(written)
    return value if math.isfinite(value) else written


def _readable(data: bytes) -> Any:
    """A reply for the transcript: as JSON when it is, else as text."""
    try:
        return json.loads(data, parse_constant=str, parse_float=_finite_or_text)
    except (ValueError, RecursionError):
        return answer_text(data[:10_000])
