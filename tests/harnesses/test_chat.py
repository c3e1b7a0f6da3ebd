from __future__ import annotations

import json
from typing import Any

import pytest

from metrology.domain.agent import AgentConfiguration
from metrology.domain.status import Status
from metrology.domain.trial import Usage
from metrology.harnesses.base import ConfigurationError, Outcome, problems
from metrology.harnesses.chat import majority
from tests.harnesses.agents import act, task
from tests.harnesses.chat_server import chat_server, said

KEY = "sk-test-0123456789abcdef"


@pytest.fixture(autouse=True)
def key(monkeypatch) -> None:
    monkeypatch.setenv("CHAT_KEY", KEY)


def agent(
    *, model: dict[str, Any] | None = None, harness: dict[str, Any] | None = None, **operations: Any
) -> AgentConfiguration:
    return AgentConfiguration(
        "c",
        {"requested": "m-1", **(model or {})},
        {"kind": "chat", "endpoint": "CHAT_URL", **(harness or {})},
        {"time_limit_seconds": 120.0, **operations},
    )


def ask(server, monkeypatch, configuration: AgentConfiguration | None = None, **options: Any) -> Outcome:
    monkeypatch.setenv("CHAT_URL", server.address)
    return act(configuration or agent(), task("What is 6 * 7?"), **options)


def test_one_question(monkeypatch) -> None:
    configuration = agent(
        model={"parameters": {"temperature": 0.5, "max_tokens": 16, "stop": ["\n"]}},
        harness={
            "key": "CHAT_KEY",
            "messages": [{"role": "system", "content": "Be short."}],
            "question": "Question: {instruction}\nAnswer:",
        },
    )
    with chat_server(said("42")) as server:
        outcome = ask(server, monkeypatch, configuration)
    assert (outcome.status, outcome.answer, outcome.model_served) == (Status.COMPLETED, "42", "served-1")
    assert outcome.usage == Usage(input_tokens=6, cached_input_tokens=4, output_tokens=2)
    (request,) = server.requests
    assert request == {
        "path": "/v1/chat/completions",
        "model": "m-1",
        "messages": [
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "Question: What is 6 * 7?\nAnswer:"},
        ],
        "temperature": 0.5,
        "max_tokens": 16,
        "stop": ["\n"],
        "seed": 7,
    }
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    lines = [json.loads(line) for line in (outcome.transcript or b"").splitlines()]
    assert [line["event"] for line in lines] == ["request", "reply"]
    assert KEY not in str(outcome)


def test_an_address_may_end_with_its_version(monkeypatch) -> None:
    with chat_server(said("42")) as server:
        server.address += "/v1/"
        ask(server, monkeypatch)
    assert server.requests[0]["path"] == "/v1/chat/completions"


def test_votes_take_the_most_frequent_answer_and_sum_the_usage(monkeypatch) -> None:
    with chat_server(said("41"), said("42."), said(" 42")) as server:
        outcome = ask(server, monkeypatch, agent(votes=3), seed=2**31 - 1)
    assert outcome.answer == "42."
    assert outcome.usage == Usage(input_tokens=18, cached_input_tokens=12, output_tokens=6)
    assert [request["seed"] for request in server.requests] == [2**31 - 1, 0, 1]


@pytest.mark.parametrize(
    ("answers", "chosen"),
    [(["a"], 0), (["a", "b"], 0), (["b", "a", "a"], 1), (["a", "b", "B!", "A"], 0), (["", "x", " X "], 1)],
)
def test_ties_go_to_the_first_answer(answers: list[str], chosen: int) -> None:
    assert majority(answers) == chosen


@pytest.mark.parametrize(
    ("reply", "status", "word"),
    [
        ((429, b'{"error": {"message": "slow down", "code": "rate_limit"}}'), Status.RATE_LIMITED, "slow down"),
        ((500, b"oops"), Status.PROVIDER_ERROR, "oops"),
        ((503, b"\xff\x00"), Status.PROVIDER_ERROR, "503"),
        ((408, b"{}"), Status.PROVIDER_ERROR, "408"),
        ((200, b"not json"), Status.PROVIDER_ERROR, "cannot be read"),
        ((200, b'{"choices": []}'), Status.PROVIDER_ERROR, "cannot be read"),
        ((200, b'{"choices": [{"message": {"content": 7}}]}'), Status.PROVIDER_ERROR, "cannot be read"),
        ((200, b"[" * 50_000), Status.PROVIDER_ERROR, "cannot be read"),
        (
            (400, b'{"error": {"message": "", "code": "context_length_exceeded"}}'),
            Status.LIMIT_REACHED,
            "context",
        ),
        (said("I cannot", finish="content_filter"), Status.REFUSED, "refused"),
        (said("4", finish="length"), Status.LIMIT_REACHED, "max_tokens"),
        (said(None), Status.COMPLETED, ""),
        (said("a\0\ud800", created=1e300), Status.COMPLETED, ""),
    ],
)
def test_what_ends_an_attempt_is_booked_as_what_it_is(monkeypatch, reply, status: Status, word: str) -> None:
    with chat_server(reply) as server:
        outcome = ask(server, monkeypatch)
    assert outcome.status is status
    assert word in outcome.detail
    assert len(server.requests) == 1, "nothing is retried inside an attempt"
    assert "\0" not in outcome.answer
    outcome.answer.encode()
    assert all(json.loads(line, parse_constant=pytest.fail) for line in (outcome.transcript or b"").splitlines())


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_refused_request_is_a_matter_of_configuration_and_hides_the_key(monkeypatch, status: int) -> None:
    body = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}}).encode()
    with chat_server((status, body)) as server, pytest.raises(ConfigurationError) as caught:
        ask(server, monkeypatch, agent(harness={"key": "CHAT_KEY"}))
    assert str(status) in caught.value.message
    assert KEY not in caught.value.message


def test_an_echoed_key_is_stored_nowhere(monkeypatch) -> None:
    with chat_server(said(f"your key is {KEY}")) as server:
        outcome = ask(server, monkeypatch, agent(harness={"key": "CHAT_KEY"}))
    assert outcome.answer == "your key is [redacted:CHAT_KEY]"
    assert KEY not in str(outcome)


def test_a_slow_answer_is_a_time_out_of_the_agent(monkeypatch) -> None:
    with chat_server(said("42"), delay=1.5) as server:
        outcome = ask(server, monkeypatch, agent(time_limit_seconds=0.5))
    assert outcome.status is Status.AGENT_TIMEOUT
    assert b'"request"' in (outcome.transcript or b"")


def test_nobody_at_the_address_is_the_providers_trouble(monkeypatch) -> None:
    with chat_server(said("42")) as server:
        address = server.address
    monkeypatch.setenv("CHAT_URL", address)
    outcome = act(agent(), task())
    assert outcome.status is Status.PROVIDER_ERROR
    assert address not in str(outcome)


def test_unset_variables_and_wrong_addresses_are_told(monkeypatch) -> None:
    monkeypatch.delenv("CHAT_URL", raising=False)
    with pytest.raises(ConfigurationError, match="CHAT_URL is not set"):
        act(agent(), task())
    monkeypatch.setenv("CHAT_URL", "nowhere")
    with pytest.raises(ConfigurationError, match="is no address"):
        act(agent(), task())


@pytest.mark.parametrize(
    ("part", "table", "field"),
    [
        ("model", {"parameters": {"temprature": 1}}, "model.parameters.temprature"),
        ("model", {"parameters": {"max_tokens": 0}}, "model.parameters.max_tokens"),
        ("harness", {"question": "no place for it"}, "harness.question"),
        ("harness", {"messages": [{"role": "robot", "content": "x"}]}, "harness.messages.0.role"),
        ("operations", {"votes": 0}, "operations.votes"),
        ("operations", {"vote": 3}, "operations.vote"),
    ],
)
def test_a_wrong_configuration_is_told(part: str, table: dict[str, Any], field: str) -> None:
    configuration = agent(**table) if part == "operations" else agent(**{part: table})
    assert [problem.field for problem in problems(configuration)] == [field]
