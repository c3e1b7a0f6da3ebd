"""The importer of tables: CSV, TSV, JSON Lines and Parquet, read through a column map."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from metrology.errors import InputError
from metrology.exchange.account import Account, AccountBook
from metrology.exchange.base import ImportOptions, ImportReport, Progress, ProgressCallback, RefusedImportError
from metrology.exchange.batch import Batch
from metrology.exchange.delimited import read_delimited
from metrology.exchange.jsonlines import read_json_lines
from metrology.exchange.landing import Lander
from metrology.exchange.lines import existing_file, open_lines, table_format
from metrology.exchange.map import AnyMap, ColumnMap, load_map
from metrology.exchange.parquet import read_parquet
from metrology.exchange.rows import RowParser
from metrology.exchange.spool import Spool
from metrology.storage.store import Store

_REPORTED_BATCHES = 32


def import_results(
    store: Store,
    path: Path | str,
    column_map: ColumnMap | Path | str,
    *,
    version: str | None = None,
    dry_run: bool = False,
    strict: bool = False,
    progress: ProgressCallback | None = None,
) -> ImportReport:
    """Import a table of recorded results and return the line-by-line account.

    Lines that cannot be taken are refused with their reason and the rest is imported; ``strict`` imports nothing then.
    Each benchmark of the file becomes a recorded version (or joins the one of that label), its rows one campaign. The
    same rows with the same map add nothing, whatever their order and compression. ``version`` replaces the label of
    the map; ``dry_run`` changes nothing. The whole file is read before the one transaction that stores it begins.

    Raises:
        InputError: when the file cannot be read, is not UTF-8, lacks a mapped column, or has no line to take.
        InputErrors: for a map with mistakes; as :class:`RefusedImportError` for refused lines (``strict``, or all).
        ConflictError: when the version is stored with other items, or the same rows with another map.
        StorageError: when the store cannot be written. Nothing is stored after any of these.
    """
    path = Path(path)
    chosen = column_map if isinstance(column_map, ColumnMap) else load_map(column_map)
    if version is not None:
        chosen = chosen.model_copy(update={"benchmark": chosen.benchmark.model_copy(update={"version": version})})
    form = table_format(path, chosen.format)
    book = AccountBook()
    parser = RowParser(chosen, book)
    with Spool(parser, book) as spool:
        for batch in read_batches(path, chosen, parser.wanted, book, progress):
            values = parser.parse(batch)
            if values is not None:
                spool.add(values)
        spool.settle()
        if not parser.counts and chosen.columns.trial is None:
            book.remark("the map names no trial column: trials are numbered in the order of the lines")
        account = book.close()
        require_taken(path, account, strict=strict)
        lander = Lander(chosen, parser, spool, source_name=path.name, account=account.document(), progress=progress)
        if dry_run:
            with store.read() as connection:
                landed = tuple(lander.look(connection, number) for number in spool.rows)
        else:
            with store.write() as connection:
                landed = lander.store(connection)
    return ImportReport(
        source=path.name,
        format=form,
        dry_run=dry_run,
        account=account,
        benchmarks=tuple(result.benchmark for result in landed),
        warnings=tuple(warning for result in landed for warning in result.warnings),
    )


def read_batches(
    path: Path,
    table_map: AnyMap,
    wanted: tuple[str, ...],
    book: AccountBook,
    progress: ProgressCallback | None = None,
    optional: frozenset[str] = frozenset(),
) -> Iterator[Batch]:
    """Yield the records of a table as batches of the ``wanted`` columns, whatever its format.

    Columns in ``optional`` may be absent; they are blank then.

    Raises:
        InputError: for a file that is missing or unreadable, or lacks a column.
    """
    form = table_format(path, table_map.format)
    if form == "parquet":
        yield from read_parquet(existing_file(path), wanted, optional)
        return
    with open_lines(path) as lines:
        if form == "jsonl":
            batches = read_json_lines(lines, path, wanted, book, optional)
        else:
            delimiter = table_map.delimiter or ("\t" if form == "tsv" else ",")
            batches = read_delimited(lines, path, wanted, book, delimiter, optional)
        for count, batch in enumerate(batches):
            if progress is not None and count % _REPORTED_BATCHES == 0:
                progress(Progress("read", lines.position(), lines.size))
            yield batch
        if progress is not None:
            progress(Progress("read", lines.size, lines.size))


def require_taken(path: Path, account: Account, *, strict: bool) -> None:
    """Check that something of a file can be taken, and all of it when ``strict``.

    Raises:
        InputError: for a file without a line that counts.
        RefusedImportError: when all its lines are refused, or any and ``strict``.
    """
    if account.refused and (strict or not account.taken):
        whole = "every line" if not account.taken else f"{account.refused:,} of {account.lines:,} lines"
        raise RefusedImportError(path.name, account, hint=f"{whole} refused, so nothing was imported")
    if not account.taken:
        left_out = "; the map leaves out all of its lines" if account.ignored else ""
        raise InputError(f"no results{left_out}", file=path, hint="check the file, and filter and exclude in the map")


class TableImporter:
    """The format "table" of ``metrology import``."""

    name = "table"

    def import_results(self, store: Store, path: Path, options: ImportOptions) -> ImportReport:
        """Import a table with the map of ``options``; see :func:`import_results`."""
        if options.map is None:
            raise InputError("a table needs a column map", file=path, hint="give one with --map MAP.toml")
        return import_results(
            store,
            path,
            options.map,
            version=options.version,
            dry_run=options.dry_run,
            strict=options.strict,
            progress=options.progress,
        )


IMPORTER = TableImporter()
