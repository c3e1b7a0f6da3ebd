"""Runs the migrations: on the connection that metrology hands over, or from the command line of alembic.

alembic -c migrations/alembic.ini revision --autogenerate -m "what changes" --rev-id 0002
"""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection
from sqlmodel import SQLModel

import metrology.storage.tables  # noqa: F401 - fills the metadata
from metrology.settings import read_settings
from metrology.storage.engine import migration_engine, parse_url


def _migrate(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=SQLModel.metadata,
        compare_type=True,
        compare_server_default=True,
        # SQLite changes a table only by copying it; and its schema changes can be rolled back.
        render_as_batch=connection.dialect.name == "sqlite",
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()


def _run() -> None:
    connection = context.config.attributes.get("connection")
    if connection is not None:
        _migrate(connection)
        return
    settings = read_settings()
    engine = migration_engine(parse_url(settings.database), settings)
    with engine.begin() as opened:
        _migrate(opened)
    engine.dispose()


_run()
