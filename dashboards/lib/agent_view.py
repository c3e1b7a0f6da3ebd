"""Agent configurations as rows: what an agent is, and two of them side by side."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from lib.figures import short_identity

if TYPE_CHECKING:
    from metrology.workspace import StoredAgent

PARTS = ("model", "harness", "operations")
ABSENT = "(not set)"


def agent_options(agents: Iterable[StoredAgent]) -> dict[str, StoredAgent]:
    """Return agents by what stands in the address: the name, or the identity where two share a name."""
    listed = sorted(agents, key=lambda agent: (agent.name, agent.id))
    names = [agent.name for agent in listed]
    return {agent.name if names.count(agent.name) == 1 else agent.identity: agent for agent in listed}


def agent_row(agent: StoredAgent) -> dict[str, Any]:
    """Return one agent as a row of a table; where it runs is not part of it and not shown."""
    configuration = agent.configuration
    return {
        "agent": agent.name,
        "identity": short_identity(agent.identity),
        "model": _value(configuration.model.get("requested", ABSENT)),
        "harness": _value(configuration.harness.get("kind", configuration.harness.get("name", ABSENT))),
        "operations": json.dumps(dict(configuration.operations), ensure_ascii=False, default=str),
        "moving alias": "no" if agent.moving_alias is None else f"yes: {agent.moving_alias}",
    }


def side_by_side(first: StoredAgent, second: StoredAgent) -> list[dict[str, Any]]:
    """Return every value of both configurations, one row per key."""
    rows = []
    for part in PARTS:
        left = dict(_leaves(getattr(first.configuration, part)))
        right = dict(_leaves(getattr(second.configuration, part)))
        for key in sorted(left.keys() | right.keys()):
            before, after = _value(left.get(key, ABSENT)), _value(right.get(key, ABSENT))
            rows.append({"part": part, "key": key, "baseline": before, "candidate": after, "differs": before != after})
    return rows


def _leaves(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        path = f"{prefix}.{key}" if prefix else str(key)
        if isinstance(value, Mapping):
            yield from _leaves(value, path)
        else:
            yield path, value


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
