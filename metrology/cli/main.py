"""The entry of the command line: commands by noun, errors for people, exit codes.

Exit codes: 0 done, 2 the user's error, 3 a gate failed, 130 interrupted. An unexpected exception is a defect and keeps
its traceback.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from metrology.cli import agent, analyze, benchmark, campaign, database, demonstration, imports, item, surroundings
from metrology.cli.output import EXIT_INTERRUPTED, EXIT_USER_ERROR, print_error
from metrology.errors import MetrologyError, StoppedError

app = typer.Typer(
    name="metrology",
    help="Keep benchmarks for AI agents as measuring instruments.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.callback()
def root(
    db: Annotated[
        str | None,
        typer.Option("--db", help="Database file or PostgreSQL address; default METROLOGY_DB or ./metrology.db."),
    ] = None,
) -> None:
    """Keep benchmarks for AI agents as measuring instruments."""
    if db:
        os.environ["METROLOGY_DB"] = db


surroundings.register(app)
demonstration.register(app)
app.add_typer(database.app, name="db")
app.add_typer(benchmark.app, name="benchmark")
app.add_typer(item.app, name="item")
app.add_typer(agent.app, name="agent")
app.add_typer(campaign.app, name="campaign")
imports.register(app)
analyze.register(app)


def run(arguments: list[str] | None = None) -> None:
    """Run the command line with ``arguments`` (default: those of the process) and exit."""
    # Our matrices are small: threads of the linear algebra library only get in each other's way.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    given = _hoist_db(sys.argv[1:] if arguments is None else arguments)
    try:
        app(given, prog_name="metrology")
    except MetrologyError as error:
        print_error(error.message, error.hint, "--json" in given)
        sys.exit(EXIT_INTERRUPTED if isinstance(error, StoppedError) else EXIT_USER_ERROR)
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output went away (head, less): nothing is wrong.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


def _hoist_db(given: list[str]) -> list[str]:
    """Let ``--db ADDRESS`` stand anywhere on the line, not only before the command."""
    for index, word in enumerate(given):
        if word == "--":
            break
        if word == "--db" and index + 1 < len(given):
            return [word, given[index + 1], *given[:index], *given[index + 2 :]]
        if word.startswith("--db="):
            return [word, *given[:index], *given[index + 1 :]]
    return given
