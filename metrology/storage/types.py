"""Column types that behave the same on SQLite and PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import CheckConstraint, DateTime
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator


class UTCDateTime(TypeDecorator[datetime]):
    """Aware datetimes in UTC. A naive one is refused: nobody knows what it meant."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the value in UTC; SQLite keeps no zone, so it gets the naive UTC time."""
        if value is None:
            return None
        if value.tzinfo is None:
            message = f"naive datetime {value!r} cannot be stored"
            raise ValueError(message)
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Return an aware datetime in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)

    def process_literal_param(self, value: datetime | None, dialect: Dialect) -> str:  # noqa: ARG002
        """Return the literal form, which only compiled SQL in logs needs."""
        return repr(value)


def one_of(column: str, values: type[StrEnum], table: str) -> CheckConstraint:
    """Return a named CHECK that ``column`` holds a value of the enumeration: enums are text, never a database type.

    Written as a chain of comparisons: SQLite builds a table of a long IN list anew for every row that is inserted,
    which made inserts four times as slow. Put the most frequent value first in the enumeration.
    """
    listed = " OR ".join(f"{column} = '{member.value}'" for member in values)
    return CheckConstraint(listed, name=f"{table}_{column}")


NAMING: dict[str, Any] = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
