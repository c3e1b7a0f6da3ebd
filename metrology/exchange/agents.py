"""From the columns of a line to an agent configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metrology.domain.agent import PARTS, AgentConfiguration
from metrology.errors import InputError
from metrology.exchange.account import Refusal
from metrology.exchange.fields import LARGEST_INTEGER, flag, name, number, shown
from metrology.exchange.map import AgentTable, ColumnMap, TypedColumn, name_columns
from metrology.exchange.results import translator


class AgentReader:
    """Numbers the agents of a file. Two lines with the same three parts are one agent, whatever they call it."""

    def __init__(self, column_map: ColumnMap) -> None:
        self.agents: list[AgentConfiguration] = []
        self._by_identity: dict[str, int] = {}
        self._missing = frozenset(column_map.missing.values)
        single = column_map.columns.agent
        self._translate = None
        if single is not None:
            # The source says no more than a name, so the name is all that identifies the agent.
            self._translate = translator(single, column_map.missing.values)
            self._constant = single.constant
            self.columns: tuple[str, ...] = () if single.column is None else (single.column,)
            return
        self._table: AgentTable = column_map.agent or AgentTable(name="", model={})
        typed = [value.column for part in PARTS for value in _columns(self._table, part).values()]
        self.columns = tuple(dict.fromkeys([*name_columns(self._table.name), *typed]))

    def parse(self, texts: Sequence[str]) -> int | Refusal:
        """Return the number of the agent that the texts of ``columns`` describe."""
        if self._translate is not None:
            label = name(self._translate(texts[0]) if texts else self._constant or "", "agent")
            if isinstance(label, Refusal):
                return label
            return self._number(AgentConfiguration(label, {"requested": label}, {}, {}))
        row = {column: "" if text in self._missing else text for column, text in zip(self.columns, texts, strict=True)}
        label = name(self._table.name.format_map(row).strip(), "agent")
        if isinstance(label, Refusal):
            return label
        parts: dict[str, dict[str, Any]] = {}
        for part in PARTS:
            values = self._part(part, row)
            if isinstance(values, Refusal):
                return values
            parts[part] = values
        return self._number(AgentConfiguration(label, parts["model"], parts["harness"], parts["operations"]))

    def _part(self, part: str, row: dict[str, str]) -> dict[str, Any] | Refusal:
        values: dict[str, Any] = {}
        for key, given in getattr(self._table, part).items():
            if not isinstance(given, TypedColumn):
                values[key] = given
                continue
            text = row[given.column]
            if text:
                value = _typed(text, given, f"{part}.{key}")
                if isinstance(value, Refusal):
                    return value
                values[key] = value
        return values

    def _number(self, agent: AgentConfiguration) -> int | Refusal:
        try:
            identity = agent.identity
        except InputError as error:
            return Refusal("agent", error.message)
        if identity not in self._by_identity:
            self._by_identity[identity] = len(self.agents)
            self.agents.append(agent)
        return self._by_identity[identity]


def _columns(table: AgentTable, part: str) -> dict[str, TypedColumn]:
    return {key: value for key, value in getattr(table, part).items() if isinstance(value, TypedColumn)}


def _typed(text: str, column: TypedColumn, field: str) -> str | int | float | bool | Refusal:
    if column.kind == "text":
        return text if "\0" not in text else Refusal(field, f"contains a NUL character: {shown(text)}")
    if column.kind == "boolean":
        return flag(text, field)
    value = number(text, field)
    if isinstance(value, Refusal) or column.kind == "number":
        return value
    if value != int(value) or abs(value) >= LARGEST_INTEGER:
        return Refusal(field, f"not a whole number: {shown(text)}")
    return int(value)
