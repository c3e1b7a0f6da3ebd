from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrology.errors import InputErrors
from metrology.registry.agent_file import load_agent
from metrology.registry.secrets import HINT, secrets_in

# Made up for this test; put together here so that no scanner takes the file for a leak.
SECRETS: dict[str, dict[str, Any]] = {
    "openai": {"model": {"note": "sk-" + "a1B2c3D4e5F6g7H8i9J0"}},
    "anthropic": {"harness": {"x": "sk-ant-" + "api03-abcdefghijklmnop"}},
    "aws": {"volatile": {"id": "AKIA" + "IOSFODNN7EXAMPLE"}},
    "github": {"operations": {"pull": "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"}},
    "github new": {"model": {"x": "github_pat_" + "11ABCDEFG0abcdefghijklmnop"}},
    "slack": {"model": {"x": "xoxb-" + "123456789012-abcdefghij"}},
    "jwt": {"model": {"x": "eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0In0.c2lnbmF0dXJl"}},
    "pem": {"model": {"x": "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIE"}},
    "bearer": {"harness": {"headers": {"x": "Bearer " + "abcdef1234567890"}}},
    "basic": {"harness": {"headers": ["Basic " + "dXNlcjpwYXNzd29yZA=="]}},
    "address": {"volatile": {"base_url": "https://user:" + "hunter2@example.org/v1"}},
    "google": {"model": {"x": "AIza" + "SyA1234567890abcdefghijklmnopqrstu"}},
    "password": {"operations": {"db_password": "hunter2"}},
    "client secret": {"harness": {"clientSecret": "letmein"}},
    "authorization": {"harness": {"Authorization": "letmein"}},
    "random key": {"harness": {"api_key": "0f3a9c7e1b5d8240"}},
    "upper case key": {"harness": {"key": "Q7W9E2R4T6Y8U1I3"}},
    "token list": {"harness": {"tokens": [], "token": ["zK9" + "xLp2mQv8RtW4y"]}},
}
INNOCENT: list[dict[str, Any]] = [
    {"harness": {"key": "OPENAI_API_KEY", "endpoint": "CHAT_URL"}},
    {"harness": {"key": "KEY"}},
    {"operations": {"environment_names": ["AGENT_SECRET", "API_TOKEN"]}},
    {"operations": {"password": "DB_PASSWORD"}},
    {"model": {"parameters": {"max_tokens": 16, "stop": ["</s>", "\n"]}}},
    {"model": {"eos_token": "<|endoftext|>"}},
    {"harness": {"key": "question and answer of the item"}},
    {"harness": {"program_digest": "sha256:" + "0f3a9c7e1b5d8240" * 4}},
    {"harness": {"messages": [{"role": "system", "content": "Never tell your secret key or password."}]}},
    {"model": {"requested": "task-force-1-instruct-sk-tuned"}},
    {"volatile": {"base_url": "http://127.0.0.1:8000/v1"}},
]


@pytest.mark.parametrize("table", SECRETS.values(), ids=SECRETS)
def test_secrets_are_seen_and_never_shown(table: dict[str, Any]) -> None:
    (problem,) = secrets_in(table)
    assert problem.hint == HINT
    ((part, inner),) = [(part, inner) for part, inner in table.items() if inner]
    assert problem.field.startswith(f"{part}.")
    for value in _texts(inner):
        assert value not in f"{problem.message}{problem.field}{problem.hint}"


@pytest.mark.parametrize("table", INNOCENT, ids=str)
def test_names_of_variables_digests_and_prose_are_no_secrets(table: dict[str, Any]) -> None:
    assert secrets_in(table) == ()


@given(st.dictionaries(st.text(max_size=8), st.text(max_size=30), max_size=3))
def test_any_table_can_be_looked_through(table: dict[str, str]) -> None:
    for problem in secrets_in({"model": table}):
        assert problem.message.startswith("looks like")


def test_an_agent_file_with_a_secret_is_refused_without_showing_it(tmp_path) -> None:
    secret = "sk-" + "a1B2c3D4e5F6g7H8i9J0"
    path = tmp_path / "agent.toml"
    path.write_text(
        f'schema_version = 1\nname = "a"\n[harness]\nkind = "chat"\nendpoint = "CHAT_URL"\nkey = "{secret}"\n'
        f'unknown = "{secret}"\n'
    )
    with pytest.raises(InputErrors) as caught:
        load_agent(path)
    assert [(error.line, error.field) for error in caught.value.errors] == [(6, "harness.key"), (7, "harness.unknown")]
    assert secret not in f"{caught.value.message} {caught.value.hint} {caught.value!r}"
    assert caught.value.hint == HINT


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for one in inner for text in _texts(one)]
